/* SPDX-License-Identifier: Apache-2.0 */
/*
 * weir simulate, for models in which iterations do not tell which execution handles what: queues that consume several messages at
 * once, connections that do not wait. Where every message arrives, each start of `from` has a latency, to the first execution of
 * `to` that carries its data; where not, each finish of `to` has one: the age of the oldest data that it carries.
 */
#include "analyze.h"
#include "simulate.h"

#include <stdlib.h>

struct weir_ages {
    struct weir_sample_analysis *sample; /* NULL: every message arrives */
    struct weir_analysis *exact;         /* ... then this one */
    struct weir_pipeline *joined;        /* what is simulated; NULL: the model itself */
    struct weir_operator *from;          /* by pair; several may be the same */
    int64_t *next;                       /* by pair: the first execution of `from` that has not arrived */
    uint64_t *lost;                      /* messages, by queue */
    int64_t faults, fault_time;          /* runs, and the earliest */
    uint32_t fault_queue;
};

static const struct weir_separation not_known = {.outcome = WEIR_BRACKET, .lower = INT64_MIN, .upper = INT64_MAX};

static enum weir_exit out_of_memory(void)
{
    weir_complain("out of memory");
    return WEIR_EXIT_INTERNAL;
}

bool weir_ages_needed(const struct weir_pipeline *pipeline)
{
    bool turns = false;
    for (uint32_t i = 0; i < weir_pipeline_operator_count(pipeline); i++)
        turns |= weir_pipeline_turns(pipeline, (struct weir_operator){i}) > 1;
    return turns || !weir_pipeline_is_plain(pipeline);
}

/* ---- the bounds ---- */

static enum weir_exit find_exact(struct weir_simulation *s)
{
    struct weir_error error = {0};
    if (weir_analyze(s->pipeline, NULL, &s->ages->exact, &error) != WEIR_OK)
        return weir_complain_error(s->title, &error);
    for (uint32_t i = 0; i < s->pair_count; i++) {
        const struct weir_latency *latency = &s->ages->exact->latencies[i];
        s->bounds[i] = (struct weir_bounds){.worst = latency->worst, .best = latency->best, .why = latency->why};
    }
    return WEIR_EXIT_OK;
}

/* A queue that never gets full is a plain one: what comes over it counts as what comes over any other. */
static enum weir_status join_plain(struct weir_ages *ages, struct weir_error *error)
{
    const struct weir_sample_analysis *sample = ages->sample;
    for (size_t i = 0; i < sample->queue_count; i++) {
        struct weir_queue_spec spec = weir_pipeline_queue(sample->pipeline, sample->queues[i].queue);
        if (!sample->queues[i].plain || spec.latest || spec.optional)
            continue;
        if (!ages->joined && !(ages->joined = weir_pipeline_copy(sample->pipeline, error)))
            return error->status;
        spec.full = WEIR_FULL_NEVER;
        enum weir_status status = weir_pipeline_change_queue(ages->joined, sample->queues[i].queue, &spec, error);
        if (status != WEIR_OK)
            return status;
    }
    return ages->joined ? weir_pipeline_seal(ages->joined, NULL, NULL) : WEIR_OK;
}

static enum weir_exit find_safe(struct weir_simulation *s)
{
    struct weir_error error = {0};
    if (weir_sample_analyze(s->pipeline, NULL, &s->ages->sample, &error) != WEIR_OK || join_plain(s->ages, &error) != WEIR_OK)
        return weir_complain_error(s->title, &error);
    for (uint32_t i = 0; i < s->pair_count; i++) {
        const struct weir_sample_latency *latency = &s->ages->sample->latencies[i];
        bool known = latency->outcome != WEIR_SAMPLE_UNKNOWN, best = latency->has_best;
        s->bounds[i] = (struct weir_bounds){
            .worst = known ? (struct weir_separation){.outcome = WEIR_EXACT, .value = latency->worst} : not_known,
            .best = best ? (struct weir_separation){.outcome = WEIR_EXACT, .value = -latency->best} : not_known,
            .loose = latency->outcome != WEIR_SAMPLE_EXACT,
            .why = latency->why,
        };
    }
    return WEIR_EXIT_OK;
}

enum weir_exit weir_ages_begin(struct weir_simulation *s)
{
    struct weir_ages *ages = calloc(1, sizeof *ages);
    s->ages = ages;
    if (!ages)
        return out_of_memory();
    ages->from = calloc(s->pair_count ? s->pair_count : 1, sizeof *ages->from);
    ages->next = calloc(s->pair_count ? s->pair_count : 1, sizeof *ages->next);
    ages->lost = calloc((size_t)weir_pipeline_queue_count(s->pipeline) + 1, sizeof *ages->lost);
    if (!ages->from || !ages->next || !ages->lost)
        return out_of_memory();
    for (uint32_t i = 0; i < s->pair_count; i++) {
        ages->from[i] = weir_pipeline_pair(s->pipeline, i).from;
        s->samples[i].shift = 0; /* executions are told apart by what they carry */
    }
    return weir_pipeline_is_plain(s->pipeline) ? find_exact(s) : find_safe(s);
}

void weir_ages_free(struct weir_ages *ages)
{
    if (!ages)
        return;
    weir_sample_analysis_free(ages->sample);
    weir_analysis_free(ages->exact);
    weir_pipeline_free(ages->joined);
    free(ages->from);
    free(ages->next);
    free(ages->lost);
    free(ages);
}

/* ---- one run ---- */

/* Each operator is followed once; pairs look for theirs. */
static const struct weir_age *age_of(const struct weir_finish *finish, struct weir_operator from)
{
    for (size_t i = 0; i < finish->age_count; i++)
        if (finish->ages[i].from.index == from.index)
            return &finish->ages[i];
    return NULL;
}

/* Whether some data may never arrive, or arrive again. */
static bool by_age(const struct weir_simulation *s, uint32_t pair)
{
    return s->ages->sample && s->bounds[pair].loose;
}

static void carried(void *context, const struct weir_finish *finish)
{
    struct weir_simulation *s = context;
    for (uint32_t i = 0; i < s->pair_count; i++) {
        struct weir_pair_spec pair = weir_pipeline_pair(s->pipeline, i);
        const struct weir_age *age = pair.to.index == finish->op.index ? age_of(finish, pair.from) : NULL;
        if (!age)
            continue;
        if (by_age(s, i))
            weir_samples_add(&s->samples[i], finish->time - age->oldest_time);
        for (; !by_age(s, i) && s->ages->next[i] <= age->newest; s->ages->next[i]++)
            weir_samples_note_to(&s->samples[i], s->ages->next[i], finish->time);
    }
}

void weir_ages_note_from(struct weir_simulation *s, struct weir_operator op, int64_t execution, int64_t time)
{
    for (uint32_t i = 0; i < s->pair_count; i++)
        if (s->ages->from[i].index == op.index && !by_age(s, i))
            weir_samples_note_from(&s->samples[i], execution, time);
}

static void lost(void *context, struct weir_queue queue, int64_t time)
{
    (void)time;
    ((struct weir_simulation *)context)->ages->lost[queue.index]++;
}

/* What a file of times does not give. */
static int64_t transfer(void *context, struct weir_queue queue, int64_t execution)
{
    const struct weir_simulation *s = context;
    struct weir_queue_spec spec = weir_pipeline_queue(s->pipeline, queue);
    (void)execution;
    return s->settings->times == WEIR_TIMES_WORST ? spec.transfer_max : spec.transfer_min;
}

enum weir_status weir_ages_run_once(struct weir_simulation *s, const struct weir_simulation_options *options,
                                    struct weir_error *error)
{
    struct weir_ages *ages = s->ages;
    struct weir_age_options more = {.run = *options, .transfer = transfer};
    struct weir_age_end end = {.fault = false};
    if (ages) {
        more.ties = s->run % 2 ? WEIR_TIES_RANDOM : WEIR_TIES_RANKED;
        more.from = ages->from;
        more.from_count = s->pair_count;
        more.carried = carried;
        more.lost = lost;
    }
    for (uint32_t i = 0; ages && i < s->pair_count; i++)
        ages->next[i] = 0;
    enum weir_status status = weir_simulate_ages(ages && ages->joined ? ages->joined : s->pipeline, &more, &end, error);
    if (end.fault && ages && (!ages->faults++ || end.time < ages->fault_time)) {
        ages->fault_time = end.time;
        ages->fault_queue = end.queue.index;
    }
    return status;
}

/* ---- what it comes to ---- */

static const char *end_of(const struct weir_simulation *s, uint32_t queue, bool to)
{
    struct weir_queue_spec spec = weir_pipeline_queue(s->pipeline, (struct weir_queue){queue});
    return weir_pipeline_operator(s->pipeline, to ? spec.to : spec.from).name;
}

void weir_ages_print(const struct weir_simulation *s)
{
    const struct weir_ages *ages = s->ages;
    char count[WEIR_COUNT_TEXT], amount[WEIR_AMOUNT_TEXT];
    if (ages->sample)
        fputs("  latencies are ages: at each end, how old the oldest data is that it carries\n", stdout);
    for (uint32_t i = 0; i < weir_pipeline_queue_count(s->pipeline); i++)
        if (ages->lost[i])
            printf("  %s -> %s: %s message%s lost, or replaced before it was read\n", end_of(s, i, false), end_of(s, i, true),
                   weir_count_format((int64_t)ages->lost[i], count), ages->lost[i] == 1 ? "" : "s");
    if (ages->faults)
        printf("  the application failed in %s run%s, first at %s: %s -> %s was full\n", weir_count_format(ages->faults, count),
               ages->faults == 1 ? "" : "s", weir_amount_format(s->pipeline, ages->fault_time, amount),
               end_of(s, ages->fault_queue, false), end_of(s, ages->fault_queue, true));
}

void weir_ages_print_json(const struct weir_simulation *s)
{
    const struct weir_ages *ages = s->ages;
    bool some = false;
    printf(",\n  \"ages\": %s,\n  \"faults\": %lld,\n  \"lost\": [", ages->sample ? "true" : "false", (long long)ages->faults);
    for (uint32_t i = 0; i < weir_pipeline_queue_count(s->pipeline); i++) {
        if (!ages->lost[i])
            continue;
        fputs(some ? ", {\"from\": " : "{\"from\": ", stdout);
        weir_print_json_text(stdout, end_of(s, i, false));
        fputs(", \"to\": ", stdout);
        weir_print_json_text(stdout, end_of(s, i, true));
        printf(", \"messages\": %llu}", (unsigned long long)ages->lost[i]);
        some = true;
    }
    fputs("]", stdout);
}

enum weir_exit weir_ages_check(const struct weir_simulation *s)
{
    const struct weir_ages *ages = s->ages;
    enum weir_exit result = WEIR_EXIT_OK;
    for (size_t i = 0; ages->sample && i < ages->sample->queue_count; i++) {
        const struct weir_sample_queue *queue = &ages->sample->queues[i];
        bool fault = ages->faults && ages->fault_queue == queue->queue.index && queue->faults == WEIR_CHANCE_NO;
        if (!fault && !(ages->lost[queue->queue.index] && queue->loses == WEIR_CHANCE_NO))
            continue;
        struct weir_error error = {.status = WEIR_INTERNAL};
        snprintf(error.message, sizeof error.message, "the simulation of %.100s -> %.100s %s, which was excluded",
                 end_of(s, queue->queue.index, false), end_of(s, queue->queue.index, true), fault ? "fails" : "loses messages");
        result = weir_complain_error(s->title, &error);
    }
    return result;
}
