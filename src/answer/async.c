/* SPDX-License-Identifier: Apache-2.0 */
/* The answer about connections that do not wait: queues that lose messages, optional inputs, the latest message alone. */
#include "answer/answer.h"
#include "answer/number.h"
#include "answer/simulate/simulation.h"
#include "answer/timeline/timeline.h"
#include "base/error.h"
#include "base/number.h"
#include "engine/workers/workers.h"
#include "model/pipeline.h"

static bool applies(const struct weir_pipeline *pipeline)
{
    return pipeline->platform == WEIR_PLATFORM_THREADS &&
           (!weir_pipeline_is_plain(pipeline) || (!weir_pipeline_has_enough_workers(pipeline) && weir_workers_spreads(pipeline)));
}

static void release(void *detail)
{
    weir_async_analysis_free(detail);
}

/* ---- latencies ---- */

static struct weir_datum segment_datum(struct weir_answer *answer, const struct weir_async_segment *segment, const char *words)
{
    static const char *const kinds[] = {"way", "newer", "queue", "room", "beginning"};
    struct weir_record record = {.answer = answer};
    bool counts = segment->kind != WEIR_SEGMENT_PATH && segment->kind != WEIR_SEGMENT_ROOM;
    weir_record_add(&record, "kind", weir_datum_text(kinds[segment->kind]));
    weir_record_add(&record, "from", weir_datum_text(weir_answer_name(answer, segment->from)));
    weir_record_add(&record, "to", weir_datum_text(weir_answer_name(answer, segment->to)));
    if (counts)
        weir_record_add(&record, "executions", weir_datum_count(segment->newer));
    weir_record_add(&record, "worst", weir_datum_time(segment->worst));
    weir_record_add(&record, "what", weir_datum_text(words));
    return weir_record_datum(&record);
}

enum { LEGS_TOLD = 12 }; /* in the words of the path */

/* The segments add up to the worst case. Where that is exact there is one, which says no more than the latency itself. */
static void fill_segments(struct weir_answer *answer, struct weir_bound *bound, const struct weir_async_latency *from)
{
    struct weir_record segments = {.answer = answer}, details = {.answer = answer};
    struct weir_bound_term *terms = weir_answer_take(answer, from->segment_count, sizeof *terms);
    for (size_t i = 0; terms && i < from->segment_count; i++) {
        char buffer[WEIR_SEGMENT_TEXT];
        const char *words = weir_answer_format(answer, "%s", weir_async_segment_text(answer->pipeline, &from->segments[i], buffer));
        terms[i] = (struct weir_bound_term){words ? words : "", {from->segments[i].worst, 1}};
        weir_record_add(&segments, NULL, segment_datum(answer, &from->segments[i], words));
        if (words && i <= LEGS_TOLD)
            bound->path = weir_answer_format(answer, "%s%s%s", i ? bound->path : "", i ? "; " : "", i < LEGS_TOLD ? words : "...");
        if (!bound->path)
            return; /* out of memory, which is marked */
    }
    weir_record_add(&details, "legs", weir_record_datum(&segments));
    bound->details = details.fields;
    bound->detail_count = details.count;
    bound->terms = terms;
    bound->term_count = terms && from->outcome != WEIR_ASYNC_EXACT ? from->segment_count : 0;
}

static void fill_bound(struct weir_answer *answer, struct weir_bound *bound, const struct weir_async_latency *from)
{
    bool exact = from->outcome == WEIR_ASYNC_EXACT, safe = from->outcome == WEIR_ASYNC_SAFE;
    weir_bound_set(bound, weir_claim_of(exact, safe), from->worst, from->has_best ? &from->best : NULL);
    bound->why = from->why;
    if (exact || safe)
        fill_segments(answer, bound, from);
}

/* ---- connections ---- */

static const char *fate_of(const struct weir_queue_spec *spec, const struct weir_async_queue *queue)
{
    static const char *const losses[] = {"no message is lost", "messages can be lost", "messages get lost"};
    static const char *const faults[] = {"never full", "not proved never to be full", "can be full: the application fails"};
    static const char *const values[] = {"each message is read", "messages can be replaced before they are read", ""};
    if (spec->full == WEIR_FULL_FAULT)
        return faults[queue->faults];
    return spec->latest ? values[queue->loses] : losses[queue->loses];
}

static void fill_connections(struct weir_answer *answer, const struct weir_async_analysis *analysis)
{
    static const struct weir_column columns[] = {{"from", "from"},    {"to", "to"},    {"loses", NULL},   {"faults", NULL},
                                                 {"iteration", NULL}, {"plain", NULL}, {NULL, "messages"}};
    static const char *const chances[] = {"no", "maybe", "yes"};
    struct weir_table_builder table;
    weir_table_begin(&table, answer, "connections", columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < analysis->queue_count; i++) {
        const struct weir_async_queue *queue = &analysis->queues[i];
        struct weir_queue_spec spec = weir_pipeline_queue(answer->pipeline, queue->queue);
        weir_table_cell(&table, weir_datum_text(weir_answer_name(answer, spec.from)),
                        weir_datum_text(weir_answer_name(answer, spec.to)), weir_datum_text(chances[queue->loses]),
                        weir_datum_text(chances[queue->faults]),
                        queue->iteration >= 0 ? weir_datum_count(queue->iteration) : (struct weir_datum){0},
                        weir_datum_flag(queue->plain), weir_datum_text(fate_of(&spec, queue)));
    }
    weir_answer_add_table(&table, "Connections that do not wait", NULL);
}

/* A full queue that stops the application; the first of those that are surest to. */
static void fill_trouble(struct weir_answer *answer, const struct weir_async_analysis *analysis)
{
    const struct weir_async_queue *fault = NULL;
    for (size_t i = 0; i < analysis->queue_count; i++) {
        const struct weir_async_queue *q = &analysis->queues[i];
        if (q->faults != WEIR_CHANCE_NO && (!fault || q->faults > fault->faults))
            fault = q;
    }
    if (!fault)
        return;
    bool sure = fault->faults == WEIR_CHANCE_YES;
    struct weir_queue_spec spec = weir_pipeline_queue(answer->pipeline, fault->queue);
    if (spec.latest) {
        answer->trouble_verdict = sure ? WEIR_VERDICT_BAD : WEIR_VERDICT_OPEN;
        answer->trouble = weir_answer_format(answer, "%s: what %s reads of %s %s missing, or older than allowed",
                                             sure ? "CAN FAIL" : "NOT SHOWN TO RUN", weir_answer_name(answer, spec.to),
                                             weir_answer_name(answer, spec.from), sure ? "can be" : "is not proved never to be");
        return;
    }
    const char *message =
        fault->iteration >= 0 ? weir_answer_format(answer, ", such as message %lld", (long long)fault->iteration) : "";
    answer->trouble_verdict = sure ? WEIR_VERDICT_BAD : WEIR_VERDICT_OPEN;
    answer->trouble =
        weir_answer_format(answer, "%s: the queue %s -> %s %s when a message comes%s", sure ? "CAN FAIL" : "NOT SHOWN TO RUN",
                           weir_answer_name(answer, spec.from), weir_answer_name(answer, spec.to),
                           sure ? "can be full" : "is not proved never to be full", message ? message : "");
}

/* ---- */

/* Whether some operator waits for several messages. True when out of memory. */
static bool joins(const struct weir_pipeline *p)
{
    uint8_t *fed = weir_array_zeroed(p->operator_count, sizeof *fed);
    bool joins = !fed;
    for (size_t i = 0; i < p->queue_count && !joins; i++) {
        bool waits = weir_queue_waits(&p->queues[i]) || (p->queues[i].port && weir_pipeline_port(p, (uint32_t)i) == i);
        joins = waits && fed[p->queues[i].to.index];
        fed[p->queues[i].to.index] |= waits;
    }
    weir_free(fed);
    return joins;
}

/* Whether some operator begins by itself, as often as it can. */
static bool runs_freely(const struct weir_pipeline *p, uint32_t op)
{
    for (size_t i = 0; i < p->source_count; i++)
        if (p->sources[i].op.index == op)
            return false;
    for (size_t i = 0; i < p->queue_count; i++)
        if (p->queues[i].to.index == op && (weir_queue_waits(&p->queues[i]) || p->queues[i].port))
            return false;
    return true;
}

/* Under the greedy scheduler what is sent next is taken to be sent in the next round, without periods and where sources begin at
 * any time (docs/concepts/workers.md, sections 6 and 8): it replaces messages, or comes before others. */
static bool depends_on_next(const struct weir_pipeline *p)
{
    bool freely = false, meet = false, punctual = p->source_count == 0 || (p->graph && p->graph->unknown_roots);
    for (uint32_t op = 0; op < p->operator_count; op++)
        freely |= runs_freely(p, op);
    for (size_t i = 0; i < p->queue_count; i++)
        meet |= p->queues[i].full != WEIR_FULL_NEVER || p->queues[i].port;
    return p->workers.dispatch == WEIR_DISPATCH_GREEDY && punctual && freely && meet;
}

/* How long a message that is read again, or taken when its consumer happens to start, is there depends on what else starts; one
 * that is joined with one that was lost waits for the next, and one that is taken with others for the last of them. */
const char *weir_answer_stops(const struct weir_pipeline *p, bool lossy)
{
    bool latest = false, optional = false;
    for (size_t i = 0; i < p->queue_count; i++) {
        latest |= p->queues[i].latest;
        optional |= p->queues[i].optional;
    }
    return latest              ? ", and that no source stops: what is read again grows old with it"
           : optional          ? ", and that no source stops: what is optional is taken when its consumer starts for another reason"
           : lossy && joins(p) ? ", and that no source stops: what is joined with a message that was lost waits for the next"
           : p->firings        ? ", and that no source stops: a batch waits for its last message"
           : lossy && depends_on_next(p) ? ", and that no source stops: what is in a queue depends on what is sent next"
                                         : NULL;
}

static const char *stops(const struct weir_pipeline *p, const struct weir_async_analysis *analysis)
{
    bool lossy = false;
    for (size_t i = 0; i < analysis->queue_count; i++)
        lossy |= !analysis->queues[i].plain;
    return weir_answer_stops(p, lossy);
}

/* Of a bound and one that was found by looking at all rounds, the smaller, and the larger best case. */
static void take_ages(struct weir_bound *bound, const struct weir_greedy_ages *ages)
{
    bool known = bound->worst.claim == WEIR_CLAIM_SAFE || bound->worst.claim == WEIR_CLAIM_EXACT;
    int64_t best = ages->best;
    if (!ages->any)
        return;
    if (known && weir_ratio_compare(bound->worst.high, (struct weir_ratio){ages->worst, 1}) <= 0) {
        bool least = bound->best.claim == WEIR_CLAIM_SAFE && weir_ratio_compare(bound->best.low, (struct weir_ratio){best, 1}) < 0;
        bound->best.low = least ? (struct weir_ratio){best, 1} : bound->best.low;
        bound->verified &= !least || ages->verified;
        return;
    }
    bool both = known && weir_ratio_compare(bound->best.low, (struct weir_ratio){best, 1}) > 0; /* the best case is the other's */
    if (both)
        best = bound->best.low.numerator / bound->best.low.denominator;
    weir_bound_set(bound, WEIR_CLAIM_SAFE, ages->worst, &best);
    bound->why = NULL;
    bound->path = NULL;
    bound->details = NULL;
    bound->detail_count = bound->term_count = 0;
    bound->verified = ages->verified && (!both || bound->verified);
}

enum weir_status weir_answer_rounds(struct weir_answer *answer, bool verify, struct weir_error *error)
{
    struct weir_greedy_ages *ages = weir_array(answer->bound_count, sizeof *ages);
    enum weir_status status = ages ? weir_greedy_rounds(answer->pipeline, verify, ages, error) : weir_fail_memory(error);
    for (size_t i = 0; i < answer->bound_count && !status; i++)
        take_ages(&answer->bounds[i], &ages[i]);
    weir_free(ages);
    return status;
}

/* `pipeline` has a thread for each operator; `covers`: it was checked that all executions are among its own. */
static enum weir_status sample(struct weir_answer *answer, const struct weir_pipeline *pipeline,
                               const struct weir_answer_options *options, bool covers, struct weir_error *error)
{
    struct weir_async_options own = {
        .verify = options->verify, .work_limit = options->work_limit, .progress = options->progress, .context = options->context};
    struct weir_async_analysis *analysis = NULL;
    if (!weir_answer_chains(answer))
        return weir_fail_memory(error);
    enum weir_status status = weir_async_analyze(pipeline, &own, &analysis, error);
    if (status)
        return status;
    analysis->pipeline = answer->pipeline;
    analysis->certified &= covers;
    answer->detail = analysis;
    for (size_t i = 0; i < answer->bound_count; i++) {
        fill_bound(answer, &answer->bounds[i], &analysis->latencies[i]);
        answer->bounds[i].verified = analysis->certified;
    }
    if (answer->pipeline->workers.dispatch == WEIR_DISPATCH_GREEDY)
        status = weir_answer_rounds(answer, options->verify, error);
    if (status)
        return status;
    bool verified = answer->bound_count > 0 || analysis->certified;
    for (size_t i = 0; i < answer->bound_count; i++)
        verified &= answer->bounds[i].verified;
    weir_answer_add_fact(answer, "verified", weir_datum_flag(verified));
    fill_trouble(answer, analysis);
    fill_connections(answer, analysis);
    weir_answer_ages(answer, analysis);
    weir_answer_scope(answer, ", connections that do not wait");
    return WEIR_OK;
}

static enum weir_status analyze_threads(struct weir_answer *answer, const struct weir_answer_options *options,
                                        struct weir_error *error)
{
    const char *reason = NULL;
    enum weir_status status = sample(answer, answer->pipeline, options, true, error);
    if (!status)
        reason = stops(answer->pipeline, answer->detail);
    answer->assumes =
        weir_answer_format(answer, "a thread per operator%s the execution times in the model%s; see docs/concepts/async.md",
                           reason ? "," : " and", reason ? reason : "");
    return status;
}

static enum weir_status analyze_spread(struct weir_answer *answer, const struct weir_answer_options *options,
                                       struct weir_error *error)
{
    const char *reason = NULL;
    struct weir_pipeline *spread = NULL;
    bool ordered = false, covers = false;
    enum weir_status status = weir_workers_spread(answer->pipeline, &spread, &ordered, error);
    if (!status && options->verify)
        status = weir_workers_spread_verify(answer->pipeline, spread, ordered, &covers, error);
    if (!status)
        status = sample(answer, spread, options, covers, error);
    weir_pipeline_free(spread);
    if (status)
        return status;
    reason = stops(answer->pipeline, answer->detail);
    answer->in_order = ordered;
    weir_answer_scheduler(answer);
    answer->assumes = weir_answer_format(answer,
                                         "the execution times in the model%s nothing else on the %s%s%s; see "
                                         "docs/concepts/workers.md",
                                         ordered || reason ? "," : ", and", weir_answer_threads(answer),
                                         ordered ? ", that they take operators in the order in which they became ready" : "",
                                         reason ? reason : "");
    return WEIR_OK;
}

static enum weir_status analyze(struct weir_answer *answer, const struct weir_answer_options *options, struct weir_error *error)
{
    return weir_pipeline_has_enough_workers(answer->pipeline) ? analyze_threads(answer, options, error)
                                                              : analyze_spread(answer, options, error);
}

const struct weir_engine weir_engine_async = {"sampling",           applies, analyze, release, weir_timeline_of_example,
                                              weir_simulate_threads};
