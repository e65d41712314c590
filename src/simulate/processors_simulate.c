/* SPDX-License-Identifier: Apache-2.0 */
/* What the caller leaves open is drawn: execution times, arrivals, phases. Each has random numbers of its own. */
#include "base/alloc.h"
#include "base/error.h"
#include "base/number.h"
#include "model/pipeline.h"
#include "simulate/processors.h"
#include "simulate/processors_releases.h"
#include "simulate/times.h"

struct run {
    const struct weir_processors_options *options;
    int64_t (*draw)(void *dice, struct weir_operator op, enum weir_part part, int64_t iteration);
    struct weir_dice *dice;
    struct weir_release_die *releases; /* by source of the pipeline */
    int64_t *phases;
};

static int64_t time_of(void *context, struct weir_operator op, int64_t iteration)
{
    struct run *run = context;
    if (run->draw)
        return run->draw(run->dice, op, WEIR_PART_EXECUTION, iteration);
    return run->options->given_time(run->options->context, op, iteration);
}

static struct weir_release release_of(void *context, uint32_t source, int64_t iteration)
{
    struct run *run = context;
    if (run->options->releases != WEIR_RELEASES_GIVEN)
        return weir_release_draw(&run->releases[source]);
    struct weir_release release = {0, 0};
    release.offset = run->options->given_release(run->options->context, source, iteration, &release.spread);
    return release;
}

static void observe(void *context, struct weir_operator op, enum weir_moment moment, int64_t iteration, int64_t time,
                    int64_t nominal)
{
    const struct weir_processors_options *options = ((struct run *)context)->options;
    options->observe(options->context, op, moment, iteration, time, nominal);
}

static void ran(void *context, struct weir_operator op, int64_t iteration, int64_t from, int64_t to)
{
    const struct weir_processors_options *options = ((struct run *)context)->options;
    options->ran(options->context, op, iteration, from, to);
}

static enum weir_status check(const struct weir_pipeline *pipeline, const struct weir_processors_options *options,
                              struct weir_error *error)
{
    enum weir_status fit = weir_pipeline_require(pipeline, WEIR_PLATFORM_PROCESSORS, error);
    if (!fit)
        fit = weir_times_check(options->iterations, options->times, options->given_time != NULL, error);
    if (fit)
        return fit;
    if ((unsigned)options->releases > WEIR_RELEASES_GIVEN)
        return weir_fail(error, WEIR_INVALID, "unknown way to draw arrivals: %d", (int)options->releases);
    if (options->releases == WEIR_RELEASES_GIVEN && !options->given_release)
        return weir_fail(error, WEIR_INVALID, "WEIR_RELEASES_GIVEN needs a function that gives the arrivals");
    for (uint32_t i = 0; options->phases && i < weir_pipeline_source_count(pipeline); i++)
        if (options->phases[i] < 0 || options->phases[i] >= WEIR_TIME_MAX)
            return weir_fail(error, WEIR_INVALID, "the phase of source %u is out of range", i);
    return WEIR_OK;
}

static void set_up(struct run *run, const struct weir_pipeline *pipeline, struct weir_random *random)
{
    static int64_t (*const draws[])(void *, struct weir_operator, enum weir_part, int64_t) = {
        [WEIR_TIMES_RANDOM] = weir_dice_random,       [WEIR_TIMES_BEST] = weir_dice_best, [WEIR_TIMES_WORST] = weir_dice_worst,
        [WEIR_TIMES_BANG_BANG] = weir_dice_bang_bang, [WEIR_TIMES_GIVEN] = NULL,
    };
    const struct weir_processors_options *options = run->options;
    run->draw = draws[options->times];
    for (uint32_t i = 0; i < weir_pipeline_source_count(pipeline); i++) {
        struct weir_source_spec source = weir_pipeline_source(pipeline, i);
        int64_t drawn = weir_random_between(random, 0, source.period - 1);
        run->phases[i] = options->phases ? options->phases[i] : source.has_phase ? source.phase : drawn;
        weir_release_die_new(&run->releases[i], &source, options->releases, options->iterations, weir_random_next(random));
    }
}

enum weir_status weir_processors_simulate(const struct weir_pipeline *pipeline, const struct weir_processors_options *options,
                                          struct weir_error *error)
{
    enum weir_status status = check(pipeline, options, error);
    struct weir_processors *processors = NULL;
    if (!status)
        status = weir_processors_new(pipeline, options->capacities, &processors, error);
    if (status)
        return status;
    struct weir_random random;
    weir_random_seed(&random, options->seed);
    struct run run = {.options = options, .dice = weir_dice_new(pipeline, weir_random_next(&random))};
    uint32_t sources = weir_pipeline_source_count(pipeline);
    run.releases = weir_array(sources, sizeof *run.releases);
    run.phases = weir_array(sources, sizeof *run.phases);
    if (run.dice && run.releases && run.phases) {
        set_up(&run, pipeline, &random);
        struct weir_processors_rules rules = {.iterations = options->iterations,
                                              .phases = run.phases,
                                              .seed = weir_random_next(&random),
                                              .time_of = time_of,
                                              .release = release_of,
                                              .observe = options->observe ? observe : NULL,
                                              .ran = options->ran ? ran : NULL,
                                              .context = &run};
        status = weir_processors_play(processors, &rules, error);
    } else {
        status = weir_fail_memory(error);
    }
    weir_free(run.phases);
    weir_free(run.releases);
    weir_free(run.dice);
    weir_processors_free(processors);
    return status;
}
