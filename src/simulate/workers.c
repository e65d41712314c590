/* SPDX-License-Identifier: Apache-2.0 */
/* What the rules of a run leave open, drawn. */
#include "base/alloc.h"
#include "base/error.h"
#include "base/random.h"
#include "model/pipeline.h"
#include "simulate/machine.h"

struct run {
    const struct weir_workers_simulation *options;
    int64_t polling;
    struct weir_random random;
    struct weir_operator *list; /* WEIR_ORDER_GIVEN: room for all operators */
};

static int64_t delay(void *context, struct weir_operator op, int64_t iteration)
{
    struct run *run = context;
    (void)op;
    (void)iteration;
    switch (run->options->times) {
    case WEIR_TIMES_BEST:
        return 0;
    case WEIR_TIMES_WORST:
        return run->polling;
    case WEIR_TIMES_BANG_BANG:
        return weir_random_next(&run->random) >> 63 ? run->polling : 0;
    case WEIR_TIMES_RANDOM:
    case WEIR_TIMES_GIVEN:
        break;
    }
    return weir_random_between(&run->random, 0, run->polling);
}

/* The first of those that have waited longest (shortest). */
static size_t by_age(const struct weir_machine_candidate *candidates, size_t count, bool oldest)
{
    size_t chosen = 0;
    for (size_t i = 1; i < count; i++)
        if (oldest ? candidates[i].since < candidates[chosen].since : candidates[i].since > candidates[chosen].since)
            chosen = i;
    return chosen;
}

static size_t pick(void *context, const struct weir_machine_candidate *candidates, size_t count, int64_t time)
{
    struct run *run = context;
    switch (run->options->order) {
    case WEIR_ORDER_RANDOM:
        return count == 1 ? 0 : (size_t)weir_random_between(&run->random, 0, (int64_t)count - 1);
    case WEIR_ORDER_OLDEST:
    case WEIR_ORDER_NEWEST:
        return by_age(candidates, count, run->options->order == WEIR_ORDER_OLDEST);
    case WEIR_ORDER_GIVEN:
        for (size_t i = 0; i < count; i++)
            run->list[i] = candidates[i].op;
        return run->options->pick(run->options->context, run->list, count, time);
    case WEIR_ORDER_MODEL:
        break;
    }
    return 0;
}

static enum weir_status check(const struct weir_pipeline *pipeline, const struct weir_workers_simulation *options,
                              struct weir_error *error)
{
    char name[WEIR_QUOTED];
    enum weir_status fit = weir_pipeline_require(pipeline, WEIR_PLATFORM_THREADS, error);
    if (fit)
        return fit;
    if ((unsigned)options->order > WEIR_ORDER_GIVEN)
        return weir_fail(error, WEIR_INVALID, "unknown order of operators: %d", (int)options->order);
    if (options->order == WEIR_ORDER_GIVEN && !options->pick)
        return weir_fail(error, WEIR_INVALID, "WEIR_ORDER_GIVEN needs a function that picks an operator");
    for (uint32_t i = 0; i < weir_pipeline_operator_count(pipeline); i++) {
        struct weir_operator_spec op = weir_pipeline_operator(pipeline, (struct weir_operator){i});
        if (op.reentrant)
            return weir_fail(error, WEIR_INVALID, "operator \"%s\" is reentrant; those that share worker threads cannot be",
                             weir_quote(op.name, name));
    }
    return WEIR_OK;
}

enum weir_status weir_workers_simulate(const struct weir_pipeline *pipeline, const struct weir_workers_simulation *options,
                                       struct weir_error *error)
{
    enum weir_status status = check(pipeline, options, error);
    if (status)
        return status;
    struct run run = {.options = options, .polling = weir_pipeline_workers(pipeline).polling};
    struct weir_machine_crews crews = {.pick = pick, .delay = delay, .context = &run};
    struct weir_simulation_options play = {.iterations = options->iterations,
                                           .times = options->times,
                                           .seed = options->seed,
                                           .given = options->given,
                                           .observe = options->observe,
                                           .context = options->context};
    weir_random_seed(&run.random, options->seed ^ UINT64_C(0xa0761d6478bd642f));
    if (options->order == WEIR_ORDER_RANDOM)
        crews.seed = weir_random_next(&run.random) | 1;
    if (options->order == WEIR_ORDER_GIVEN) {
        run.list = weir_array(weir_pipeline_operator_count(pipeline), sizeof *run.list);
        if (!run.list)
            return weir_fail_memory(error);
    }
    struct weir_machine_rules rules = {.ages = options->ages, .end = options->end, .crews = &crews};
    status = weir_machine_play(pipeline, &play, rules, error);
    weir_free(run.list);
    return status;
}
