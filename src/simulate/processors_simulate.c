/* SPDX-License-Identifier: Apache-2.0 */
/* What the caller leaves open is drawn: execution times, arrivals, phases. Each has random numbers of its own. */
#include "base/alloc.h"
#include "base/error.h"
#include "base/number.h"
#include "model/pipeline.h"
#include "simulate/processors.h"
#include "simulate/times.h"

/* ---- arrivals ---- */

/*
 * In a burst, the first input is as late as can be, and all whose nominal moments have passed by then arrive with it. Latest after
 * the burst the source is back at its nominal moments: inputs follow each other as closely as they ever do.
 */
/* Inputs between two bursts, at most. */
#define PAUSE 5
/* A sporadic source rests for this many periods at most. */
#define REST 4

void weir_release_die_new(struct weir_release_die *die, const struct weir_source_spec *source, enum weir_releases mode,
                          int64_t iterations, uint64_t seed)
{
    *die = (struct weir_release_die){
        .mode = mode, .period = source->period, .jitter = source->jitter, .sporadic = source->sporadic, .burst = -1};
    weir_random_seed(&die->random, seed);
    if (mode == WEIR_RELEASES_BURST)
        die->quiet = weir_random_between(&die->random, 0, PAUSE);
    if (mode == WEIR_RELEASES_QUIET) {
        die->quiet = iterations / 2;
        die->once = true;
    }
}

static int64_t draw_spread(struct weir_release_die *die)
{
    struct weir_random *r = &die->random;
    if (!die->sporadic || die->mode == WEIR_RELEASES_NOMINAL || die->mode == WEIR_RELEASES_LATE || die->mode == WEIR_RELEASES_QUIET)
        return 0;
    int64_t rest = die->period > WEIR_TIME_MAX / REST ? WEIR_TIME_MAX : REST * die->period;
    switch (weir_random_between(r, 0, 7)) {
    case 0:
        return weir_random_between(r, 0, die->period);
    case 1:
        return weir_random_between(r, 0, rest);
    case 2:
        return weir_random_between(r, 0, 1 + die->period / 8);
    default:
        return 0;
    }
}

static int64_t draw_burst(struct weir_release_die *die)
{
    if (die->burst >= die->nominal)
        return die->burst - die->nominal;
    if (die->burst >= 0) { /* over */
        die->burst = -1;
        die->quiet = die->once ? INT64_MAX : weir_random_between(&die->random, 0, PAUSE);
    }
    if (die->quiet > 0) {
        die->quiet--;
        return 0;
    }
    die->burst = die->nominal + die->jitter;
    return die->jitter;
}

struct weir_drawn_release weir_release_draw(struct weir_release_die *die)
{
    struct weir_drawn_release release = {0, 0};
    if (die->drawn) {
        release.spread = draw_spread(die);
        if (!weir_add(die->nominal, die->period + release.spread, &die->nominal) || die->nominal > INT64_MAX / 2)
            die->nominal = INT64_MAX / 2; /* such a simulation ends in an overflow before this matters */
    }
    die->drawn = true;
    switch (die->mode) {
    case WEIR_RELEASES_LATE:
        release.offset = die->jitter;
        break;
    case WEIR_RELEASES_RANDOM:
        release.offset = weir_random_between(&die->random, 0, die->jitter);
        break;
    case WEIR_RELEASES_EXTREME:
        release.offset = weir_random_next(&die->random) >> 63 ? die->jitter : 0;
        break;
    case WEIR_RELEASES_BURST:
    case WEIR_RELEASES_QUIET:
        release.offset = draw_burst(die);
        break;
    case WEIR_RELEASES_NOMINAL:
    case WEIR_RELEASES_GIVEN:
        break;
    }
    return release;
}

/* ---- a run ---- */

struct run {
    const struct weir_processors_options *options;
    weir_draw *draw;
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

static struct weir_drawn_release release_of(void *context, uint32_t source, int64_t iteration)
{
    struct run *run = context;
    if (run->options->releases != WEIR_RELEASES_GIVEN)
        return weir_release_draw(&run->releases[source]);
    struct weir_drawn_release release = {0, 0};
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
    const struct weir_processors_options *options = run->options;
    run->draw = weir_dice_draw(options->times);
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
