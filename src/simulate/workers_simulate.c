/* SPDX-License-Identifier: Apache-2.0 */
/* What the rules of a run leave open, drawn. */
#include "simulate/workers.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/random.h"
#include "model/pipeline.h"
#include "simulate/machine.h"
#include "simulate/times.h"

struct run {
    const struct weir_workers_simulation *options;
    weir_draw *draw;
    struct weir_dice *dice;
    int64_t polling;
    struct weir_random random;
    struct weir_operator *list; /* WEIR_ORDER_GIVEN: room for all operators */
};

static int64_t draw(void *context, struct weir_operator op, enum weir_part part, int64_t iteration)
{
    struct run *run = context;
    return run->draw(run->dice, op, part, iteration);
}

static int64_t given(void *context, struct weir_operator op, enum weir_part part, int64_t iteration)
{
    const struct weir_workers_simulation *options = ((struct run *)context)->options;
    return options->given(options->context, op, part, iteration);
}

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
static size_t by_age(const struct weir_candidate *candidates, size_t count, bool oldest)
{
    size_t chosen = 0;
    for (size_t i = 1; i < count; i++)
        if (oldest ? candidates[i].since < candidates[chosen].since : candidates[i].since > candidates[chosen].since)
            chosen = i;
    return chosen;
}

static size_t pick(void *context, const struct weir_candidate *candidates, size_t count, int64_t time)
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

static bool tell(void *context, struct weir_operator op, enum weir_moment moment, int64_t iteration, int64_t time)
{
    const struct weir_workers_simulation *options = ((struct run *)context)->options;
    options->observe(options->context, op, moment, iteration, time);
    return true;
}

static enum weir_status check(const struct weir_pipeline *pipeline, const struct weir_workers_simulation *options,
                              struct weir_error *error)
{
    enum weir_status fit = weir_pipeline_require(pipeline, WEIR_PLATFORM_THREADS, error);
    if (!fit)
        fit = weir_times_check(options->iterations, options->times, options->given != NULL, error);
    if (fit)
        return fit;
    if ((unsigned)options->order > WEIR_ORDER_GIVEN)
        return weir_fail(error, WEIR_INVALID, "unknown order of operators: %d", (int)options->order);
    if (options->order == WEIR_ORDER_GIVEN && !options->pick)
        return weir_fail(error, WEIR_INVALID, "WEIR_ORDER_GIVEN needs a function that picks an operator");
    return WEIR_OK;
}

enum weir_status weir_workers_simulate(const struct weir_pipeline *pipeline, const struct weir_workers_simulation *options,
                                       struct weir_error *error)
{
    enum weir_status status = check(pipeline, options, error);
    if (status)
        return status;
    struct run run = {
        .options = options, .draw = weir_dice_draw(options->times), .polling = weir_pipeline_workers(pipeline).polling};
    struct weir_pool_rules rules = {.iterations = options->iterations,
                                    .time_of = run.draw ? draw : given,
                                    .pick = pick,
                                    .delay = delay,
                                    .observe = options->observe ? tell : NULL,
                                    .context = &run};
    weir_random_seed(&run.random, options->seed ^ UINT64_C(0xa0761d6478bd642f));
    if (options->order == WEIR_ORDER_RANDOM)
        rules.seed = weir_random_next(&run.random) | 1;
    int64_t *begins;
    status = weir_begins_draw(pipeline, NULL, options->seed, &begins, error);
    if (status)
        return status;
    rules.begins = begins;
    run.dice = run.draw ? weir_dice_new(pipeline, options->seed) : NULL;
    run.list = options->order == WEIR_ORDER_GIVEN ? weir_array(weir_pipeline_operator_count(pipeline), sizeof *run.list) : NULL;
    if ((run.draw && !run.dice) || (options->order == WEIR_ORDER_GIVEN && !run.list))
        status = weir_fail_memory(error);
    else
        status = weir_pool_run(pipeline, &rules, error);
    weir_free(run.dice);
    weir_free(run.list);
    weir_free(begins);
    return status;
}
