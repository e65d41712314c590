/* SPDX-License-Identifier: Apache-2.0 */
#include "base/alloc.h"
#include "base/error.h"
#include "model/pipeline.h"
#include "simulate/machine.h"
#include "simulate/times.h"

struct run {
    const struct weir_simulation_options *options;
    int64_t (*draw)(void *dice, struct weir_operator op, enum weir_part part, int64_t iteration);
    struct weir_dice *dice;
};

static int64_t draw(void *context, struct weir_operator op, enum weir_part part, int64_t iteration)
{
    struct run *run = context;
    return run->draw(run->dice, op, part, iteration);
}

static int64_t given(void *context, struct weir_operator op, enum weir_part part, int64_t iteration)
{
    const struct weir_simulation_options *options = ((struct run *)context)->options;
    return options->given(options->context, op, part, iteration);
}

static bool tell(void *context, struct weir_operator op, enum weir_moment moment, int64_t iteration, int64_t time)
{
    const struct weir_simulation_options *options = ((struct run *)context)->options;
    options->observe(options->context, op, moment, iteration, time);
    return true;
}

static enum weir_status check(const struct weir_pipeline *pipeline, const struct weir_simulation_options *options,
                              struct weir_error *error)
{
    enum weir_status fit = weir_pipeline_require_threads(pipeline, error);
    if (fit)
        return fit;
    if (options->iterations < 1)
        return weir_fail(error, WEIR_INVALID, "a simulation has at least one iteration");
    if (options->times == WEIR_TIMES_GIVEN && !options->given)
        return weir_fail(error, WEIR_INVALID, "WEIR_TIMES_GIVEN needs a function that gives the times");
    return WEIR_OK;
}

enum weir_status weir_simulate(const struct weir_pipeline *pipeline, const struct weir_simulation_options *options,
                               struct weir_error *error)
{
    enum weir_status status = check(pipeline, options, error);
    if (status)
        return status;
    struct run run = {.options = options};
    switch (options->times) {
    case WEIR_TIMES_RANDOM:
        run.draw = weir_dice_random;
        break;
    case WEIR_TIMES_BEST:
        run.draw = weir_dice_best;
        break;
    case WEIR_TIMES_WORST:
        run.draw = weir_dice_worst;
        break;
    case WEIR_TIMES_BANG_BANG:
        run.draw = weir_dice_bang_bang;
        break;
    case WEIR_TIMES_GIVEN:
        break;
    default:
        return weir_fail(error, WEIR_INVALID, "unknown way to draw times: %d", (int)options->times);
    }
    if (run.draw && !(run.dice = weir_dice_new(pipeline, options->seed)))
        return weir_fail_memory(error);
    struct weir_machine_rules rules = {.iterations = options->iterations,
                                       .time_of = run.draw ? draw : given,
                                       .observe = options->observe ? tell : NULL,
                                       .context = &run};
    status = weir_machine_run(pipeline, &rules, error);
    weir_free(run.dice);
    return status;
}
