/* SPDX-License-Identifier: Apache-2.0 */
#include "base/alloc.h"
#include "base/error.h"
#include "base/interrupt.h"
#include "base/number.h"
#include "base/random.h"
#include "model/pipeline.h"
#include "simulate/machine.h"
#include "simulate/times.h"

struct run {
    const struct weir_simulation_options *options;
    weir_draw *draw;
    struct weir_dice *dice;
    uint32_t operators;
    const struct weir_age_options *ages; /* may be NULL */
};

static int64_t draw(void *context, struct weir_operator op, enum weir_part part, int64_t iteration)
{
    struct run *run = context;
    return run->draw(run->dice, op, part, iteration);
}

static int64_t draw_transfer(void *context, struct weir_queue queue, int64_t execution)
{
    struct run *run = context;
    return run->draw(run->dice + run->operators, (struct weir_operator){queue.index}, WEIR_PART_EXECUTION, execution);
}

static int64_t given(void *context, struct weir_operator op, enum weir_part part, int64_t iteration)
{
    const struct weir_simulation_options *options = ((struct run *)context)->options;
    return options->given(options->context, op, part, iteration);
}

static int64_t given_transfer(void *context, struct weir_queue queue, int64_t execution)
{
    const struct run *run = context;
    return run->ages->transfer(run->options->context, queue, execution);
}

static bool tell(void *context, struct weir_operator op, enum weir_moment moment, int64_t iteration, int64_t time)
{
    const struct weir_simulation_options *options = ((struct run *)context)->options;
    options->observe(options->context, op, moment, iteration, time);
    return !weir_interrupted();
}

enum weir_status weir_begins_draw(const struct weir_pipeline *pipeline, const int64_t *phases, uint64_t seed, int64_t **begins,
                                  struct weir_error *error)
{
    struct weir_random random;
    *begins = NULL;
    if (!pipeline->phases && !phases)
        return WEIR_OK;
    int64_t *drawn = weir_array_zeroed(pipeline->operator_count, sizeof *drawn);
    if (!drawn)
        return weir_fail_memory(error);
    weir_random_seed(&random, seed ^ UINT64_C(0x7068617365730000));
    for (size_t i = 0; i < pipeline->source_count; i++) {
        uint32_t op = pipeline->sources[i].op.index;
        const struct weir_phase *phase = pipeline->phases ? &pipeline->phases[op] : NULL;
        if (phases && (phases[i] < 0 || phases[i] >= WEIR_TIME_MAX)) {
            weir_free(drawn);
            return weir_fail(error, WEIR_INVALID, "the phase of source %zu is out of range", i);
        }
        drawn[op] = phases ? phases[i] : weir_random_between(&random, phase->least, phase->most);
    }
    *begins = drawn;
    return WEIR_OK;
}

static enum weir_status check_ages(const struct weir_pipeline *pipeline, const struct weir_age_options *ages,
                                   struct weir_error *error)
{
    if (ages->ties < WEIR_TIES_FIXED || ages->ties > WEIR_TIES_RANKED)
        return weir_fail(error, WEIR_INVALID, "unknown order of simultaneous events: %d", (int)ages->ties);
    for (size_t i = 0; i < ages->from_count; i++)
        if (ages->from[i].index >= weir_pipeline_operator_count(pipeline))
            return weir_fail(error, WEIR_INVALID, "there is no operator %u whose data could be followed", ages->from[i].index);
    return WEIR_OK;
}

enum weir_status weir_machine_play(const struct weir_pipeline *pipeline, const struct weir_simulation_options *options,
                                   struct weir_machine_rules rules, struct weir_error *error)
{
    enum weir_status status = weir_times_check(options->iterations, options->times, options->given != NULL, error);
    if (!status && rules.ages)
        status = check_ages(pipeline, rules.ages, error);
    if (status)
        return status;
    struct run run = {.options = options, .operators = weir_pipeline_operator_count(pipeline), .ages = rules.ages};
    run.draw = weir_dice_draw(options->times);
    if (run.draw && !(run.dice = weir_dice_new(pipeline, options->seed)))
        return weir_fail_memory(error);
    rules.iterations = options->iterations;
    rules.time_of = run.draw ? draw : given;
    rules.transfer_of = run.draw ? draw_transfer : run.ages && run.ages->transfer ? given_transfer : NULL;
    rules.observe = options->observe ? tell : NULL;
    rules.context = &run;
    int64_t *begins;
    status = weir_begins_draw(pipeline, options->phases, options->seed, &begins, error);
    rules.begins = begins;
    if (!status)
        status = weir_machine_run(pipeline, &rules, error);
    if (!status && weir_interrupted())
        status = weir_fail(error, WEIR_INVALID, "interrupted");
    weir_free(begins);
    weir_free(run.dice);
    return status;
}

enum weir_status weir_simulate(const struct weir_pipeline *pipeline, const struct weir_simulation_options *options,
                               struct weir_error *error)
{
    enum weir_status fit = weir_pipeline_require_enough(pipeline, error);
    return fit ? fit : weir_machine_play(pipeline, options, (struct weir_machine_rules){.ages = NULL}, error);
}

enum weir_status weir_simulate_ages(const struct weir_pipeline *pipeline, const struct weir_age_options *options,
                                    struct weir_age_end *end, struct weir_error *error)
{
    enum weir_status fit = weir_pipeline_require_enough(pipeline, error);
    return fit ? fit : weir_machine_play(pipeline, &options->run, (struct weir_machine_rules){.ages = options, .end = end}, error);
}
