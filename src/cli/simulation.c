/* SPDX-License-Identifier: Apache-2.0 */
/* The runs of one model, and the bounds that no run may break. */
#include "priority_simulate.h"
#include "render/timeline/timeline.h"

#include <stdlib.h>

/* Latencies kept for percentiles and histograms, of all pairs together and of each at least. */
#define KEPT_MAX 10000000
#define KEPT_MIN 100000

#define NO_PAIR UINT32_MAX

/* What the events of an operator are to the pairs: lists through next_from and next_to. */
struct weir_operator_roles {
    uint32_t from, to;
    bool arrivals; /* latencies that begin here count from the arrival */
};

static enum weir_exit out_of_memory(void)
{
    weir_complain("out of memory");
    return WEIR_EXIT_INTERNAL;
}

/* A number for each run from the seed and the number of the run, well mixed. */
static uint64_t seed_of_run(uint64_t seed, uint64_t run)
{
    uint64_t z = (seed + UINT64_C(0x632be59bd9b4e019)) ^ (run * UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* ---- one run ---- */

static void show_progress(struct weir_simulation *s, int64_t iteration)
{
    double done = ((double)s->run + (double)iteration / (double)s->iterations) / (double)s->runs;
    weir_progress_show(&s->progress, done < 1 ? (unsigned)(done * 1000) : 1000);
}

static void count_event(struct weir_simulation *s, int64_t iteration)
{
    if ((++s->events & 0xffff) == 0)
        show_progress(s, iteration);
}

void weir_simulation_note_from(struct weir_simulation *s, struct weir_operator op, int64_t iteration, int64_t time)
{
    if (s->ages) {
        weir_ages_note_from(s, op, iteration, time);
        return;
    }
    for (uint32_t pair = s->roles[op.index].from; pair != NO_PAIR; pair = s->next_from[pair])
        weir_samples_note_from(&s->samples[pair], iteration, time);
    count_event(s, iteration);
}

void weir_simulation_note_to(struct weir_simulation *s, struct weir_operator op, int64_t iteration, int64_t time)
{
    for (uint32_t pair = s->roles[op.index].to; pair != NO_PAIR; pair = s->next_to[pair])
        weir_samples_note_to(&s->samples[pair], iteration, time);
    count_event(s, iteration);
}

static void observe(void *context, struct weir_operator op, enum weir_moment moment, int64_t iteration, int64_t time)
{
    struct weir_simulation *s = context;
    if (s->log)
        weir_flow_writer_observe(s->log, op, moment, iteration, time);
    if (moment == WEIR_FINISH && !s->ages)
        weir_simulation_note_to(s, op, iteration, time);
    else if (moment == WEIR_FINISH)
        count_event(s, iteration);
    else if ((moment == WEIR_ARRIVAL) == s->roles[op.index].arrivals)
        weir_simulation_note_from(s, op, iteration, time);
}

int64_t weir_simulation_given(void *context, struct weir_operator op, enum weir_part part, int64_t iteration)
{
    struct weir_simulation *s = context;
    struct weir_operator_spec spec = weir_pipeline_operator(s->pipeline, op);
    bool worst = s->settings->times == WEIR_TIMES_WORST;
    if (part == WEIR_PART_RECEIVE)
        return worst ? spec.receive_max : spec.receive_min;
    if (part == WEIR_PART_GPU)
        return worst ? spec.launch->worst : spec.launch->best;
    if (part == WEIR_PART_AFTER)
        return worst ? spec.launch->after_worst : spec.launch->after_best;
    int64_t time = weir_times_given(s->given, op, iteration);
    return time >= 0 ? time : worst ? spec.worst : spec.best;
}

static enum weir_times times_of_run(const struct weir_simulation *s)
{
    if (s->given)
        return WEIR_TIMES_GIVEN;
    if (!s->settings->mixed)
        return s->settings->times;
    if (s->run < 2)
        return s->run == 0 ? WEIR_TIMES_WORST : WEIR_TIMES_BEST;
    return s->run % 2 ? WEIR_TIMES_BANG_BANG : WEIR_TIMES_RANDOM;
}

static enum weir_status run_threads(struct weir_simulation *s, uint64_t seed, struct weir_error *error)
{
    struct weir_simulation_options options = {.iterations = s->iterations,
                                              .times = times_of_run(s),
                                              .seed = seed,
                                              .given = weir_simulation_given,
                                              .observe = observe,
                                              .context = s};
    if (s->trace) {
        struct weir_timeline *t;
        enum weir_status status = weir_timeline_of_simulation(s->pipeline, &options, &t, error);
        return weir_timeline_finish(status, &t, weir_timeline_write_trace, s->trace, error);
    }
    return weir_ages_run_once(s, &options, error);
}

static enum weir_status run_workers(struct weir_simulation *s, uint64_t seed, struct weir_error *error)
{
    struct weir_workers_simulation options = {.iterations = s->iterations,
                                              .times = times_of_run(s),
                                              .order = weir_pool_order(s),
                                              .seed = seed,
                                              .given = weir_simulation_given,
                                              .observe = observe,
                                              .context = s};
    return weir_workers_simulate(s->pipeline, &options, error);
}

static enum weir_exit run_once(struct weir_simulation *s)
{
    struct weir_error error = {0};
    uint64_t seed = seed_of_run(s->settings->seed, (uint64_t)s->run);
    for (uint32_t i = 0; i < s->pair_count; i++)
        weir_samples_begin_run(&s->samples[i]);
    enum weir_status status = s->shared ? weir_shared_run_once(s, times_of_run(s), seed, &error)
                              : s->pool ? run_workers(s, seed, &error)
                                        : run_threads(s, seed, &error);
    if (status != WEIR_OK) {
        weir_progress_end(&s->progress);
        return weir_complain_error(s->title, &error);
    }
    for (uint32_t i = 0; i < s->pair_count; i++)
        if (s->samples[i].failed) {
            weir_progress_end(&s->progress);
            return out_of_memory();
        }
    return WEIR_EXIT_OK;
}

/* The first run, which goes into a file as well. */
static enum weir_exit run_traced(struct weir_simulation *s)
{
    struct weir_output output;
    enum weir_exit result = weir_output_open(&output, s->settings->trace);
    if (result != WEIR_EXIT_OK)
        return result;
    s->trace = output.file;
    result = run_once(s);
    s->trace = NULL;
    return weir_exit_worse(result, weir_output_close(&output, result == WEIR_EXIT_OK));
}

static enum weir_exit run_first(struct weir_simulation *s)
{
    enum weir_exit (*run)(struct weir_simulation *) = s->settings->trace ? run_traced : run_once;
    return s->settings->log ? weir_simulation_log(s, run) : run(s);
}

/* ---- the bounds ---- */

static enum weir_exit find_bounds(struct weir_simulation *s)
{
    struct weir_error error = {0};
    struct weir_solver *solver = weir_solver_new(s->pipeline, &error);
    enum weir_status status = solver ? WEIR_OK : error.status;
    for (uint32_t i = 0; i < s->pair_count && status == WEIR_OK; i++) {
        struct weir_pair_spec pair = weir_pipeline_pair(s->pipeline, i);
        struct weir_query worst = {
            .from = {pair.from, s->roles[pair.from.index].arrivals ? WEIR_ARRIVAL : WEIR_START, 0},
            .to = {.op = pair.to, .moment = WEIR_FINISH},
            .shift = pair.shift,
        };
        struct weir_query best = {.from = worst.to, .to = worst.from, .shift = -worst.shift};
        status = weir_separation_worst(solver, &worst, &s->bounds[i].worst, &error);
        if (status == WEIR_OK)
            status = weir_separation_worst(solver, &best, &s->bounds[i].best, &error);
    }
    weir_solver_free(solver);
    return status == WEIR_OK ? WEIR_EXIT_OK : weir_complain_error(s->title, &error);
}

/* Whether a separation this large has been ruled out. */
static bool exceeds(int64_t seen, const struct weir_separation *bound)
{
    return (bound->outcome == WEIR_EXACT && seen > bound->value) || (bound->outcome == WEIR_BRACKET && seen > bound->upper) ||
           bound->outcome == WEIR_NO_EVENTS;
}

static enum weir_exit check_bounds(const struct weir_simulation *s)
{
    enum weir_exit result = WEIR_EXIT_OK;
    for (uint32_t i = 0; i < s->pair_count; i++) {
        const struct weir_samples *samples = &s->samples[i];
        bool late = samples->count && exceeds(samples->max, &s->bounds[i].worst);
        bool early = samples->count && exceeds(-samples->min, &s->bounds[i].best);
        if (!late && !early)
            continue;
        char seen[WEIR_AMOUNT_TEXT], bound[WEIR_RANGE_TEXT];
        struct weir_pair_spec pair = weir_pipeline_pair(s->pipeline, i);
        struct weir_error error = {.status = WEIR_INTERNAL};
        const struct weir_separation *broken = late ? &s->bounds[i].worst : &s->bounds[i].best;
        snprintf(error.message, sizeof error.message, "the simulation of %.100s -> %.100s shows %s, and %s %s case is %s",
                 weir_pipeline_operator(s->pipeline, pair.from).name, weir_pipeline_operator(s->pipeline, pair.to).name,
                 weir_amount_format(s->pipeline, late ? samples->max : samples->min, seen),
                 s->bounds[i].loose ? "the bound of the" : "the exact", late ? "worst" : "best",
                 weir_range_format(s->pipeline, broken, !late, bound));
        result = weir_complain_error(s->title, &error);
    }
    return result;
}

/* ---- all of it ---- */

static bool allocate(struct weir_simulation *s)
{
    uint32_t operators = weir_pipeline_operator_count(s->pipeline), pairs = weir_pipeline_pair_count(s->pipeline);
    size_t room = pairs ? pairs : 1;
    s->samples = calloc(room, sizeof *s->samples);
    s->bounds = calloc(room, sizeof *s->bounds);
    s->next_from = calloc(room, sizeof *s->next_from);
    s->next_to = calloc(room, sizeof *s->next_to);
    s->roles = calloc(operators, sizeof *s->roles);
    if (!s->samples || !s->bounds || !s->next_from || !s->next_to || !s->roles)
        return false;
    s->pair_count = pairs;
    for (uint32_t i = 0; i < operators; i++)
        s->roles[i].from = s->roles[i].to = NO_PAIR;
    for (uint32_t i = 0; i < weir_pipeline_source_count(s->pipeline); i++) {
        struct weir_source_spec source = weir_pipeline_source(s->pipeline, i);
        s->roles[source.op.index].arrivals = source.arrivals == WEIR_ARRIVALS_EXACT;
    }
    for (uint32_t i = 0; i < pairs; i++) {
        struct weir_pair_spec pair = weir_pipeline_pair(s->pipeline, i);
        struct weir_operator_roles *from = &s->roles[pair.from.index], *to = &s->roles[pair.to.index];
        s->next_from[i] = from->from;
        from->from = i;
        s->next_to[i] = to->to;
        to->to = i;
        s->samples[i].shift = pair.shift;
        s->samples[i].kept_max = KEPT_MAX / pairs > KEPT_MIN ? KEPT_MAX / pairs : KEPT_MIN;
        s->samples[i].random = seed_of_run(s->settings->seed, UINT64_MAX - i);
    }
    return true;
}

enum weir_exit weir_simulation_run(struct weir_simulation *s)
{
    if (!allocate(s))
        return out_of_memory();
    bool shared = weir_pipeline_platform(s->pipeline) == WEIR_PLATFORM_PROCESSORS;
    bool pool = !shared && !weir_pipeline_has_enough_workers(s->pipeline);
    enum weir_exit result = shared                          ? weir_shared_begin(s)
                            : pool                          ? weir_pool_begin(s)
                            : weir_ages_needed(s->pipeline) ? weir_ages_begin(s)
                                                            : find_bounds(s);
    s->progress.what = s->title;
    for (s->run = 0; s->run < s->runs && result == WEIR_EXIT_OK; s->run++) {
        show_progress(s, 0);
        result = s->run == 0 ? run_first(s) : run_once(s);
    }
    weir_progress_end(&s->progress);
    if (result == WEIR_EXIT_OK && shared)
        result = weir_shared_search(s);
    if (result != WEIR_EXIT_OK)
        return result;
    for (uint32_t i = 0; i < s->pair_count; i++)
        weir_samples_sort(&s->samples[i]);
    result = check_bounds(s);
    if (s->ages)
        result = weir_exit_worse(result, weir_ages_check(s));
    return shared ? weir_exit_worse(result, weir_shared_check(s)) : result;
}

void weir_simulation_free(struct weir_simulation *s)
{
    for (uint32_t i = 0; s->samples && i < s->pair_count; i++)
        weir_samples_free(&s->samples[i]);
    free(s->samples);
    free(s->bounds);
    free(s->next_from);
    free(s->next_to);
    free(s->roles);
    weir_shared_free(s->shared);
    weir_workers_analysis_free(s->pool);
    weir_ages_free(s->ages);
}
