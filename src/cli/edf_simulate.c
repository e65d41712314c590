/* SPDX-License-Identifier: Apache-2.0 */
/* The runs of a flow on a pool of cores, and the bounds that no run may break. */
#include "edf_simulate.h"

#include <stdlib.h>

enum { RUNS = 100, ROUNDS = 1000, EXECUTIONS = 20000, EXECUTIONS_MAX = 1000000000, KEPT_MAX = 10000000, KEPT_MIN = 100000 };

static enum weir_exit out_of_memory(void)
{
    weir_complain("out of memory");
    return WEIR_EXIT_INTERNAL;
}

static const char *name_of(const struct weir_edf_seen *s, struct weir_operator op)
{
    return weir_pipeline_operator(s->pipeline, op).name;
}

/* ---- before the runs ---- */

static bool prepare_pairs(struct weir_edf_seen *s)
{
    s->pairs = calloc(s->pair_count ? s->pair_count : 1, sizeof *s->pairs);
    if (!s->pairs)
        return false;
    for (uint32_t i = 0; i < s->pair_count; i++) {
        struct weir_edf_seen_pair *pair = &s->pairs[i];
        struct weir_pair_spec spec = weir_pipeline_pair(s->pipeline, i);
        pair->samples.kept_max = KEPT_MAX / s->pair_count > KEPT_MIN ? KEPT_MAX / s->pair_count : KEPT_MIN;
        pair->samples.random = s->settings->seed + i;
        pair->even = !s->analysis->sporadic || weir_edf_is_even(s->pipeline, spec.to.index);
        pair->ways.marks = s->marks;
        if (!weir_edf_ways_find(s->pipeline, &spec, &pair->ways))
            return false;
    }
    return true;
}

static bool allocate(struct weir_edf_seen *s)
{
    uint32_t operators = weir_pipeline_operator_count(s->pipeline), queues = weir_pipeline_queue_count(s->pipeline);
    s->pair_count = weir_pipeline_pair_count(s->pipeline);
    s->arrivals = calloc(operators, sizeof *s->arrivals);
    s->arrived = calloc(operators, sizeof *s->arrived);
    s->room = calloc(operators, sizeof *s->room);
    s->executions = calloc(operators, sizeof *s->executions);
    s->responses = calloc(operators, sizeof *s->responses);
    s->marks = calloc(operators, sizeof *s->marks);
    s->peaks = calloc(queues ? queues : 1, sizeof *s->peaks);
    s->peak = calloc(queues ? queues : 1, sizeof *s->peak);
    return s->arrivals && s->arrived && s->room && s->executions && s->responses && s->marks && s->peaks && s->peak &&
           prepare_pairs(s);
}

static void release(struct weir_edf_seen *s)
{
    for (uint32_t i = 0; s->pairs && i < s->pair_count; i++) {
        weir_edf_ways_free(&s->pairs[i].ways);
        weir_samples_free(&s->pairs[i].samples);
    }
    for (uint32_t i = 0; s->arrivals && i < weir_pipeline_operator_count(s->pipeline); i++)
        free(s->arrivals[i]);
    free(s->pairs);
    free(s->arrivals);
    free(s->arrived);
    free(s->room);
    free(s->executions);
    free(s->responses);
    free(s->marks);
    free(s->peaks);
    free(s->peak);
    weir_edf_analysis_free(s->analysis);
}

/* Executions in one round of the slowest part of the graph. */
static double executions_of(const struct weir_edf_seen *s)
{
    double longest = 0, sum = 0;
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t i = 0; i < weir_pipeline_operator_count(s->pipeline); i++) {
            const struct weir_edf_operator *o = &s->analysis->operators[i];
            double period = (double)o->period.numerator / (double)o->period.denominator;
            double round = period * (double)o->repetitions;
            longest = round > longest ? round : longest;
            sum += pass ? longest / period : 0;
        }
    return sum;
}

static enum weir_exit choose_rounds(struct weir_edf_seen *s)
{
    double each = executions_of(s);
    s->rounds = s->settings->iterations ? (int64_t)s->settings->iterations : ROUNDS;
    if (!s->settings->iterations && each * (double)ROUNDS > (double)EXECUTIONS)
        s->rounds = each < (double)EXECUTIONS / 2 ? (int64_t)((double)EXECUTIONS / each) : 2;
    if (each * (double)s->rounds <= (double)EXECUTIONS_MAX)
        return WEIR_EXIT_OK;
    weir_complain("%s: one round of the graph has %.0f executions, which are too many to simulate %lld rounds", s->title, each,
                  (long long)s->rounds);
    return WEIR_EXIT_INPUT;
}

/* ---- a run ---- */

static void note(struct weir_edf_seen_pair *pair, int64_t arrival, int64_t end)
{
    weir_samples_note_from(&pair->samples, pair->noted, arrival);
    weir_samples_note_to(&pair->samples, pair->noted++, end);
}

static void note_end(const struct weir_edf_seen *s, struct weir_edf_seen_pair *pair, int64_t execution, int64_t end)
{
    const int64_t *arrivals = s->arrivals[pair->ways.from];
    int64_t arrived = (int64_t)s->arrived[pair->ways.from];
    if (!pair->even) {
        int64_t needed = weir_edf_ways_needed(&pair->ways, execution);
        if (needed > 0 && needed <= arrived)
            note(pair, arrivals[needed - 1], end);
        return;
    }
    while (pair->next_last <= execution && pair->next <= arrived) {
        if (pair->next_last == execution)
            note(pair, arrivals[pair->next - 1], end);
        pair->next_last = weir_edf_ways_last(&pair->ways, ++pair->next);
    }
}

static void observe(void *context, struct weir_operator op, int64_t execution, const int64_t moments[3], int64_t scale)
{
    struct weir_edf_seen *s = context;
    s->scale = scale;
    s->executions[op.index]++;
    if (moments[2] - moments[1] > s->responses[op.index])
        s->responses[op.index] = moments[2] - moments[1];
    for (uint32_t i = 0; i < s->pair_count; i++)
        if (s->pairs[i].ways.to == op.index)
            note_end(s, &s->pairs[i], execution, moments[2]);
}

static void arrive(void *context, struct weir_operator op, int64_t execution, int64_t time, int64_t scale)
{
    struct weir_edf_seen *s = context;
    size_t *room = &s->room[op.index], *count = &s->arrived[op.index];
    (void)execution;
    s->scale = scale;
    if (*count == *room && !s->failed) {
        size_t more = *room ? 2 * *room : 1024;
        int64_t *list = realloc(s->arrivals[op.index], more * sizeof *list);
        if (list) {
            s->arrivals[op.index] = list;
            *room = more;
        }
        s->failed = !list;
    }
    if (!s->failed)
        s->arrivals[op.index][(*count)++] = time;
}

/* Every kind of arrivals and costs, and whether executions wait for their release, by turns. */
static struct weir_edf_simulation_options plan(struct weir_edf_seen *s, int64_t run)
{
    static const enum weir_times times[] = {WEIR_TIMES_WORST, WEIR_TIMES_RANDOM, WEIR_TIMES_BANG_BANG};
    struct weir_edf_simulation_options options = {.cores = s->analysis->cores,
                                                  .rounds = s->rounds,
                                                  .late = run % 2 == 1,
                                                  .times = s->settings->times,
                                                  .arrivals = s->settings->pool_arrivals,
                                                  .seed = s->settings->seed * 1000003 + (uint64_t)run,
                                                  .observe = observe,
                                                  .arrived = arrive,
                                                  .context = s};
    if (s->settings->mixed)
        options.times = run == 1 ? WEIR_TIMES_BEST : times[run / 2 % 3];
    if (s->settings->mixed_releases)
        options.arrivals = (enum weir_edf_arrivals)(run / 6 % 3);
    return options;
}

static enum weir_exit run_once(struct weir_edf_seen *s, int64_t run)
{
    struct weir_edf_simulation_options options = plan(s, run);
    struct weir_error error = {0};
    for (uint32_t i = 0; i < weir_pipeline_operator_count(s->pipeline); i++)
        s->arrived[i] = 0;
    for (uint32_t i = 0; i < s->pair_count; i++) {
        struct weir_edf_seen_pair *pair = &s->pairs[i];
        weir_samples_begin_run(&pair->samples);
        pair->noted = 0;
        pair->next = 1;
        pair->next_last = weir_edf_ways_last(&pair->ways, 1);
    }
    enum weir_status status = weir_edf_simulate(s->pipeline, &options, s->peak, &error);
    for (uint32_t i = 0; i < s->pair_count; i++)
        s->failed |= s->pairs[i].samples.failed;
    if (status != WEIR_OK)
        return weir_complain_error(s->title, &error);
    if (s->failed)
        return out_of_memory();
    for (uint32_t i = 0; i < weir_pipeline_queue_count(s->pipeline); i++)
        s->peaks[i] = s->peak[i] > s->peaks[i] ? s->peak[i] : s->peaks[i];
    return WEIR_EXIT_OK;
}

/* ---- holding it against the bounds ---- */

static enum weir_exit report(const struct weir_edf_seen *s, const char *what, struct weir_ratio seen, struct weir_ratio bound)
{
    struct weir_error error = {.status = WEIR_INTERNAL};
    char first[WEIR_NUMBER_TEXT], second[WEIR_NUMBER_TEXT];
    snprintf(error.message, sizeof error.message, "the simulation shows %.250s of %s, and the bound is %s", what,
             weir_ratio_amount(s->pipeline, seen, first), weir_ratio_amount(s->pipeline, bound, second));
    return weir_complain_error(s->title, &error);
}

static enum weir_exit check_latencies(const struct weir_edf_seen *s)
{
    enum weir_exit result = WEIR_EXIT_OK;
    char what[256];
    for (uint32_t i = 0; i < s->pair_count; i++) {
        const struct weir_edf_latency *latency = &s->analysis->latencies[i];
        const struct weir_samples *samples = &s->pairs[i].samples;
        if (!latency->bounded || !samples->count ||
            weir_ratio_order((struct weir_ratio){samples->max, s->scale},
                             weir_ratio_difference(latency->worst, latency->gathering)) <= 0)
            continue;
        snprintf(what, sizeof what, "a latency %.80s -> %.80s", name_of(s, latency->pair.from), name_of(s, latency->pair.to));
        result = weir_exit_worse(result, report(s, what, weir_edf_seen_latency(s, i, samples->max), latency->worst));
    }
    return result;
}

static enum weir_exit check(const struct weir_edf_seen *s)
{
    enum weir_exit result = check_latencies(s);
    char what[256];
    for (uint32_t i = 0; i < weir_pipeline_operator_count(s->pipeline) && s->analysis->schedulable; i++) {
        struct weir_ratio seen = {s->responses[i], s->scale}, bound = s->analysis->operators[i].response;
        snprintf(what, sizeof what, "a response of %.150s", name_of(s, (struct weir_operator){i}));
        if (s->executions[i] && weir_ratio_order(seen, bound) > 0)
            result = weir_exit_worse(result, report(s, what, seen, bound));
    }
    for (size_t i = 0; i < s->analysis->buffer_count; i++) {
        const struct weir_buffer *buffer = &s->analysis->buffers[i];
        struct weir_queue_spec queue = weir_pipeline_queue(s->pipeline, (struct weir_queue){buffer->index});
        struct weir_error error = {.status = WEIR_INTERNAL};
        if (buffer->capacity == WEIR_UNBOUNDED || s->peaks[buffer->index] <= buffer->capacity)
            continue;
        snprintf(error.message, sizeof error.message,
                 "the simulation shows %lld samples from %.100s to %.100s, and the bound is %u", (long long)s->peaks[buffer->index],
                 name_of(s, queue.from), name_of(s, queue.to), buffer->capacity);
        result = weir_exit_worse(result, weir_complain_error(s->title, &error));
    }
    return result;
}

static enum weir_exit simulate(struct weir_edf_seen *s)
{
    struct weir_error error = {0};
    struct weir_edf_options options = {.cores = (uint32_t)s->settings->cores};
    struct weir_progress progress = {.what = s->title};
    if (weir_edf_analyze(s->pipeline, &options, &s->analysis, &error) != WEIR_OK)
        return weir_complain_error(s->title, &error);
    if (!allocate(s))
        return out_of_memory();
    enum weir_exit result = choose_rounds(s);
    for (int64_t run = 0; run < s->runs && result == WEIR_EXIT_OK; run++) {
        weir_progress_show(&progress, (unsigned)(1000 * run / s->runs));
        result = run_once(s, run);
        if (result != WEIR_EXIT_OK)
            weir_progress_end(&progress);
    }
    weir_progress_end(&progress);
    for (uint32_t i = 0; i < s->pair_count; i++)
        weir_samples_sort(&s->pairs[i].samples);
    return result;
}

enum weir_exit weir_edf_simulate_model(const struct weir_simulate_settings *settings, const struct weir_pipeline *pipeline,
                                       const char *path)
{
    struct weir_edf_seen seen = {.settings = settings,
                                 .pipeline = pipeline,
                                 .title = weir_model_title(pipeline, path),
                                 .scale = 1,
                                 .runs = settings->runs ? (int64_t)settings->runs : RUNS};
    enum weir_exit result = simulate(&seen);
    if (result == WEIR_EXIT_OK)
        result = check(&seen);
    if (result == WEIR_EXIT_OK)
        (settings->json ? weir_edf_seen_print_json : weir_edf_seen_print)(&seen);
    release(&seen);
    return result;
}
