/* SPDX-License-Identifier: Apache-2.0 */
/* The runs of a model whose operators share processors, with the capacities of its analysis, and the search for late ones. */
#include "priority_simulate.h"
#include "analyze.h"

#include <stdlib.h>

struct weir_shared {
    struct weir_priority_analysis *analysis;
    uint32_t *capacities; /* by queue; NULL: those of the model */
    struct weir_processors_seen *seen;
    int64_t *finished;    /* by operator, in this run */
    int64_t *enabled;     /* by operator, in this run; counted for those that a latency begins at */
    uint8_t *fed, *asked; /* by operator: by a source; by a latency that begins when it is enabled */
    uint8_t *near;        /* by operator: its ends can enable one that is asked for */
};

static const char *name_of(const struct weir_simulation *s, struct weir_operator op)
{
    return weir_pipeline_operator(s->pipeline, op).name;
}

const struct weir_priority_analysis *weir_shared_analysis(const struct weir_simulation *s)
{
    return s->shared->analysis;
}

const struct weir_processors_seen *weir_shared_seen(const struct weir_simulation *s)
{
    return s->shared->seen;
}

/* ---- before the runs ---- */

static bool allocate(struct weir_simulation *s, struct weir_shared *shared)
{
    uint32_t operators = weir_pipeline_operator_count(s->pipeline), queues = weir_pipeline_queue_count(s->pipeline);
    shared->finished = calloc(operators, sizeof *shared->finished);
    shared->enabled = calloc(operators, sizeof *shared->enabled);
    shared->fed = calloc(operators, 1);
    shared->asked = calloc(operators, 1);
    shared->near = calloc(operators, 1);
    shared->capacities = calloc(queues ? queues : 1, sizeof *shared->capacities);
    if (!shared->finished || !shared->enabled || !shared->fed || !shared->asked || !shared->near || !shared->capacities)
        return false;
    for (uint32_t i = 0; i < weir_pipeline_source_count(s->pipeline); i++)
        shared->fed[weir_pipeline_source(s->pipeline, i).op.index] = 1;
    for (uint32_t i = 0; i < s->pair_count; i++) {
        uint32_t from = weir_pipeline_pair(s->pipeline, i).from.index;
        shared->asked[from] = !shared->fed[from];
    }
    for (uint32_t i = 0; i < queues; i++) {
        struct weir_queue_spec queue = weir_pipeline_queue(s->pipeline, (struct weir_queue){i});
        shared->near[queue.from.index] |= shared->asked[queue.to.index];
        shared->near[queue.to.index] |= shared->asked[queue.from.index];
    }
    return true;
}

/* The bounds in the form that exact ones have; that they need not be reached is said where they are printed. */
static void take_bounds(struct weir_simulation *s, const struct weir_priority_analysis *analysis)
{
    static const struct weir_separation unknown = {.outcome = WEIR_BRACKET, .lower = INT64_MIN, .upper = INT64_MAX};
    for (uint32_t i = 0; i < s->pair_count; i++) {
        const struct weir_priority_latency *latency = &analysis->latencies[i];
        s->bounds[i] = (struct weir_bounds){.worst = unknown, .best = unknown, .loose = true};
        if (latency->bounded) {
            s->bounds[i].worst = (struct weir_separation){.outcome = WEIR_EXACT, .value = latency->worst};
            s->bounds[i].best = (struct weir_separation){.outcome = WEIR_EXACT, .value = -latency->best};
        } else if (analysis->outcome == WEIR_PRIORITY_CONVERGED || analysis->outcome == WEIR_PRIORITY_UNBOUNDED) {
            s->bounds[i].worst.outcome = WEIR_NO_BOUND;
        }
    }
}

enum weir_exit weir_shared_begin(struct weir_simulation *s)
{
    struct weir_error error = {0};
    struct weir_shared *shared = calloc(1, sizeof *shared);
    s->shared = shared;
    if (!shared || !allocate(s, shared)) {
        weir_complain("out of memory");
        return WEIR_EXIT_INTERNAL;
    }
    if (weir_priority_analyze(s->pipeline, NULL, &shared->analysis, &error) != WEIR_OK)
        return weir_complain_error(s->title, &error);
    take_bounds(s, shared->analysis);
    if (shared->analysis->outcome != WEIR_PRIORITY_CONVERGED) {
        free(shared->capacities);
        shared->capacities = NULL;
        return WEIR_EXIT_OK;
    }
    for (size_t i = 0; i < shared->analysis->buffer_count; i++) {
        const struct weir_buffer *buffer = &shared->analysis->buffers[i];
        if (buffer->input)
            continue;
        /* A queue without a limit stays so: what it can hold at most is for the runs to contradict. */
        bool unlimited = weir_pipeline_queue(s->pipeline, (struct weir_queue){buffer->index}).capacity == WEIR_UNBOUNDED;
        shared->capacities[buffer->index] = unlimited ? WEIR_UNBOUNDED : buffer->capacity;
    }
    return WEIR_EXIT_OK;
}

void weir_shared_free(struct weir_shared *shared)
{
    if (!shared)
        return;
    weir_priority_analysis_free(shared->analysis);
    weir_free(shared->seen);
    free(shared->capacities);
    free(shared->finished);
    free(shared->enabled);
    free(shared->fed);
    free(shared->asked);
    free(shared->near);
    free(shared);
}

/* ---- a run ---- */

/* Iterations that have all their messages and all their room. */
static int64_t enabled_count(const struct weir_simulation *s, uint32_t op)
{
    const struct weir_shared *shared = s->shared;
    int64_t count = INT64_MAX;
    for (uint32_t i = 0; i < weir_pipeline_queue_count(s->pipeline); i++) {
        struct weir_queue_spec queue = weir_pipeline_queue(s->pipeline, (struct weir_queue){i});
        uint32_t capacity = shared->capacities ? shared->capacities[i] : queue.capacity;
        bool waits = !queue.nonblocking && capacity != WEIR_UNBOUNDED && capacity != WEIR_AUTO;
        if (queue.to.index == op && shared->finished[queue.from.index] + queue.initial < count)
            count = shared->finished[queue.from.index] + queue.initial;
        if (queue.from.index == op && waits && shared->finished[queue.to.index] + capacity - queue.initial < count)
            count = shared->finished[queue.to.index] + capacity - queue.initial;
    }
    return count == INT64_MAX ? 0 : count;
}

/* The simulator tells of ends; an operator that no source feeds is enabled by the last of them that it needs. */
static void note_enabled(struct weir_simulation *s, int64_t time)
{
    struct weir_shared *shared = s->shared;
    uint32_t count = weir_pipeline_operator_count(s->pipeline);
    for (uint32_t op = 0; op < count; op++) {
        if (!shared->asked[op])
            continue;
        int64_t enabled = enabled_count(s, op);
        for (; shared->enabled[op] < enabled; shared->enabled[op]++)
            weir_simulation_note_from(s, (struct weir_operator){op}, shared->enabled[op], time);
    }
}

static void observe(void *context, struct weir_operator op, enum weir_moment moment, int64_t iteration, int64_t time,
                    int64_t nominal)
{
    struct weir_simulation *s = context;
    if (moment == WEIR_ARRIVAL) {
        weir_simulation_note_from(s, op, iteration, nominal);
    } else if (moment == WEIR_FINISH) {
        weir_simulation_note_to(s, op, iteration, time);
        s->shared->finished[op.index] = iteration + 1;
        if (s->shared->near[op.index])
            note_enabled(s, time);
    }
}

static int64_t given_time(void *context, struct weir_operator op, int64_t iteration)
{
    return weir_simulation_given(context, op, WEIR_PART_EXECUTION, iteration);
}

enum weir_status weir_shared_run_once(struct weir_simulation *s, enum weir_times times, uint64_t seed, struct weir_error *error)
{
    enum { KINDS = WEIR_RELEASES_QUIET + 1 };
    struct weir_processors_options options = {.iterations = s->iterations,
                                              .times = times,
                                              .releases = s->settings->releases,
                                              .seed = seed,
                                              .capacities = s->shared->capacities,
                                              .given_time = given_time,
                                              .observe = observe,
                                              .context = s};
    /* Times change from run to run, so arrivals change every other run. */
    if (s->settings->mixed_releases)
        options.releases = (enum weir_releases)((s->run / 2) % KINDS);
    for (uint32_t i = 0; i < weir_pipeline_operator_count(s->pipeline); i++)
        s->shared->finished[i] = s->shared->enabled[i] = 0;
    return weir_processors_simulate(s->pipeline, &options, error);
}

/* ---- the search ---- */

enum weir_exit weir_shared_search(struct weir_simulation *s)
{
    enum { ITERATIONS = 200 };
    struct weir_error error = {0};
    struct weir_progress progress = {.what = s->title};
    struct weir_processors_search_options options = {.seed = s->settings->seed,
                                                     .runs = (uint32_t)s->settings->search,
                                                     .iterations = s->settings->iterations ? s->iterations : ITERATIONS,
                                                     .capacities = s->shared->capacities,
                                                     .pair = s->pair_count,
                                                     .progress = weir_progress_show,
                                                     .context = &progress};
    if (!options.runs)
        return WEIR_EXIT_OK;
    enum weir_status status = weir_processors_search(s->pipeline, &options, &s->shared->seen, &error);
    weir_progress_end(&progress);
    return status == WEIR_OK ? WEIR_EXIT_OK : weir_complain_error(s->title, &error);
}

/* ---- holding it against the bounds ---- */

static enum weir_exit report(const struct weir_simulation *s, const char *what, int64_t seen, int64_t bound)
{
    struct weir_error error = {.status = WEIR_INTERNAL};
    char first[WEIR_AMOUNT_TEXT], second[WEIR_AMOUNT_TEXT];
    snprintf(error.message, sizeof error.message, "the search shows %.250s of %s, and the bound is %s", what,
             weir_amount_format(s->pipeline, seen, first), weir_amount_format(s->pipeline, bound, second));
    return weir_complain_error(s->title, &error);
}

static enum weir_exit check_operator(const struct weir_simulation *s, uint32_t op)
{
    const struct weir_processors_seen *seen = s->shared->seen;
    const struct weir_execution_bounds *bounds = &s->shared->analysis->operators[op];
    char what[200];
    snprintf(what, sizeof what, "an end of %.150s", name_of(s, (struct weir_operator){op}));
    if (seen->finish_max[op] > bounds->finish_max)
        return report(s, what, seen->finish_max[op], bounds->finish_max);
    snprintf(what, sizeof what, "an enabling of %.150s", name_of(s, (struct weir_operator){op}));
    if (seen->enable_max[op] > bounds->enable_max)
        return report(s, what, seen->enable_max[op], bounds->enable_max);
    if (seen->enable_min[op] < bounds->enable_min)
        return report(s, what, seen->enable_min[op], bounds->enable_min);
    return WEIR_EXIT_OK;
}

enum weir_exit weir_shared_check(const struct weir_simulation *s)
{
    const struct weir_processors_seen *seen = s->shared->seen;
    const struct weir_priority_analysis *analysis = s->shared->analysis;
    enum weir_exit result = WEIR_EXIT_OK;
    if (!seen || analysis->outcome != WEIR_PRIORITY_CONVERGED)
        return result;
    for (uint32_t i = 0; i < weir_pipeline_operator_count(s->pipeline); i++)
        result = weir_exit_worse(result, check_operator(s, i));
    for (uint32_t i = 0; i < s->pair_count; i++) {
        const struct weir_priority_latency *latency = &analysis->latencies[i];
        char what[200];
        snprintf(what, sizeof what, "a latency %.80s -> %.80s", name_of(s, latency->pair.from), name_of(s, latency->pair.to));
        if (!latency->bounded)
            continue;
        if (seen->latency_max[i] > latency->worst)
            result = weir_exit_worse(result, report(s, what, seen->latency_max[i], latency->worst));
        else if (seen->latency_min[i] < latency->best)
            result = weir_exit_worse(result, report(s, what, seen->latency_min[i], latency->best));
    }
    return result;
}
