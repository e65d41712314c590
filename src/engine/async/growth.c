/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether a backlog grows without bound in some execution (docs/concepts/async.md, section 6), and not only as far as a part is
 * wider than the model.
 *
 * Let all that holds the sender back take its best time, and the rest its worst. What the rest of the pipeline does to a part takes
 * its longest time where it could hold the sender back, and none where it could hold the receiver back. Then the sender is no
 * slower, and the receiver no faster, than their slowest cycles.
 */
#include "base/error.h"
#include "base/number.h"
#include "engine/async/async.h"
#include "engine/exact/throughput.h"

#include <string.h>

enum {
    FIXED_MAX = 64, /* operators of a pipeline of which executions with fixed times are looked at */
    TRIES_MAX = 8,  /* of these */
};

/* Whether the application may end of itself before a backlog gets long. */
static bool may_fail(const struct weir_sampler *s)
{
    bool fails = false;
    for (uint32_t i = 0; i < s->cut_count; i++) {
        const struct weir_queue_spec *q = &s->pipeline->queues[s->cuts[i].queue];
        fails |= (q->full == WEIR_FULL_FAULT && !s->cuts[i].joined) || q->missing == WEIR_MISSING_FAIL;
    }
    return fails;
}

/* What was made for the part, or waits for a thread: nobody says that it takes any time. */
static bool is_foreign(const struct weir_async_part *part, uint32_t actor)
{
    const struct weir_graph *g = part->pipeline->graph;
    uint32_t op = g->actors[actor].op;
    if (op >= part->count)
        return true;
    for (uint32_t i = g->firing_first[op]; i < g->firing_first[op + 1]; i++)
        if (g->ready_of[i] == actor && g->start_of[i] != actor)
            return true;
    return false;
}

/* One of two events that drift apart. */
struct end {
    const struct weir_async_part *part;
    uint32_t actor;
    bool sends;
    struct weir_ratio period; /* from one execution to the next */
    uint32_t on;              /* an actor of the slowest cycle, or WEIR_NO_ACTOR */
};

/* Everything at its worst but what holds the sender back, as far as that is in the part. */
static enum weir_status find_period(struct weir_sampler *s, struct end *end, const int64_t *to_sender, bool *known)
{
    const struct weir_graph *g = end->part->pipeline->graph;
    struct weir_pace pace = {0};
    int64_t *times = weir_array_zeroed((size_t)g->actor_count + 1, sizeof *times), per_round;
    if (!times)
        return weir_fail_memory(s->error);
    for (uint32_t v = 0; v < g->actor_count; v++) {
        bool best = is_foreign(end->part, v) ? !end->sends : to_sender && to_sender[v] != WEIR_FAR;
        times[v] = best ? g->lo[v] : g->hi[v];
    }
    enum weir_status status = weir_pace_find_at(&pace, end->part->pipeline, times, s->error);
    *known = !status;
    if (!status) {
        end->period = weir_pace_of(&pace, end->actor, &end->on);
        *known = weir_multiply(end->period.denominator, weir_async_firings(end->part, g->actors[end->actor].op), &per_round);
        end->period.denominator = *known ? per_round : 1;
    }
    weir_pace_free(&pace);
    weir_free(times);
    return status == WEIR_MEMORY ? status : WEIR_OK;
}

/* Nothing is said where executions may be skipped, which then take no time, or where more arcs than those of its graph hold the
 * sender back. */
static bool can_tell(const struct weir_sampler *s, const struct weir_async_part *from, const struct weir_async_part *to)
{
    bool skips = false;
    for (uint32_t o = 0; o < s->pipeline->operator_count; o++)
        skips |= s->levels[o] != WEIR_SKIPS_NONE;
    return !from->why && !to->why && !from->inside && !skips && !s->pipeline->lateness &&
           ((from->pure && to->pure) || !may_fail(s));
}

static enum weir_status compare(struct weir_sampler *s, struct end *from, struct end *to, bool *drifts)
{
    const struct weir_graph *g = from->part->pipeline->graph;
    int64_t *to_sender = weir_array(g->actor_count, sizeof *to_sender);
    bool sent = false, taken = false;
    if (!to_sender)
        return weir_fail_memory(s->error);
    weir_tokens_to(g, from->part->distances, from->actor, false, to_sender);
    enum weir_status status = find_period(s, from, to_sender, &sent);
    if (!status)
        status = find_period(s, to, from->part == to->part ? to_sender : NULL, &taken);
    weir_free(to_sender);
    *drifts = !status && sent && taken && weir_ratio_compare(to->period, from->period) > 0;
    return status;
}

/* What a part sends before another begins, which it does not depend on, stays in the queue. */
enum weir_status weir_async_find_growth(struct weir_sampler *s, struct weir_cut *cut)
{
    uint32_t sends = s->part_of[cut->from], takes = s->part_of[cut->to];
    const struct weir_async_part *from = &s->parts[sends], *to = &s->parts[takes];
    bool any = false, depends = true;
    enum weir_status status = WEIR_OK;
    if (!can_tell(s, from, to))
        return WEIR_OK;
    if (from != to)
        status = weir_async_waits_for_any_time(s, cut, true, &any);
    if (!status && any)
        status = weir_async_depends(s, sends, takes, &depends);
    cut->grows = any && !depends;
    if (status || cut->grows)
        return status;
    struct end first = {.part = from, .actor = weir_async_actor(from->pipeline->graph, weir_async_sent(cut)), .sends = true};
    struct end second = {.part = to, .actor = weir_async_actor(to->pipeline->graph, weir_async_taken(s, cut))};
    return compare(s, &first, &second, &cut->grows);
}

enum weir_status weir_async_drifts(struct weir_sampler *s, const struct weir_async_part *part, const struct weir_query *query,
                                   bool *drifts)
{
    const struct weir_pipeline *p = part->pipeline;
    const struct weir_graph *g = p->graph;
    struct end first = {.part = part, .actor = weir_async_actor(g, query->from), .sends = true};
    struct end second = {.part = part, .actor = weir_async_actor(g, query->to)};
    char slow[WEIR_TIME_TEXT], fast[WEIR_TIME_TEXT], name[WEIR_QUOTED], reference[WEIR_QUOTED];
    *drifts = false;
    if (!can_tell(s, part, part))
        return WEIR_OK;
    enum weir_status status = compare(s, &first, &second, drifts);
    if (status || !*drifts)
        return status;
    weir_decimal_format(second.period.numerator / second.period.denominator, p->digits, slow);
    weir_decimal_format(weir_ceil_divide(first.period.numerator, first.period.denominator), p->digits, fast);
    snprintf(
        s->why, sizeof s->why,
        "the backlog grows without bound: \"%s\" can need %s %s per execution, and nothing keeps \"%s\" from going on every %s %s",
        weir_quote(p->operators[g->actors[second.on].op].name, name), slow, weir_unit_name(p->unit),
        weir_quote(p->operators[query->from.op.index].name, reference), fast, weir_unit_name(p->unit));
    return WEIR_OK;
}

/* ---- executions with fixed times ---- */

struct fixing {
    struct weir_sampler *sampler;
    struct weir_async_latency *latencies;
    uint8_t *tried; /* TRIES_MAX rows, by operator: at its best */
    uint32_t count;
};

static bool is_open(const struct weir_async_latency *latency)
{
    return latency->outcome == WEIR_ASYNC_UNKNOWN && strncmp(latency->why, "the backlog", 11) != 0;
}

static void fix(int64_t *best, int64_t *worst, bool fast)
{
    *(fast ? worst : best) = fast ? *best : *worst;
}

static enum weir_status fix_operator(struct weir_pipeline *p, uint32_t op, bool fast)
{
    struct weir_operator_spec spec = weir_pipeline_operator(p, (struct weir_operator){op});
    struct weir_launch launch;
    fix(&spec.best, &spec.worst, fast);
    fix(&spec.receive_min, &spec.receive_max, fast);
    if (spec.launch) {
        launch = *spec.launch;
        fix(&launch.best, &launch.worst, fast);
        fix(&launch.after_best, &launch.after_worst, fast);
        spec.launch = &launch;
    }
    return weir_pipeline_change_operator(p, (struct weir_operator){op}, &spec, NULL);
}

/* NULL, with WEIR_OK: there is no such pipeline. */
static enum weir_status fix_times(const struct weir_sampler *s, const uint8_t *fast, struct weir_pipeline **fixed)
{
    struct weir_pipeline *p = weir_pipeline_copy(s->pipeline, NULL);
    enum weir_status status = p ? WEIR_OK : WEIR_MEMORY;
    for (uint32_t o = 0; o < s->pipeline->operator_count && !status; o++)
        status = fix_operator(p, o, fast[o]);
    for (uint32_t i = 0; i < s->pipeline->queue_count && !status; i++) {
        struct weir_queue_spec spec = weir_pipeline_queue(p, (struct weir_queue){i});
        fix(&spec.transfer_min, &spec.transfer_max, fast[spec.from.index]);
        status = weir_pipeline_change_queue(p, (struct weir_queue){i}, &spec, NULL);
    }
    status = status ? status : weir_pipeline_seal_alone(p, NULL);
    if (status)
        weir_pipeline_free(p);
    *fixed = status ? NULL : p;
    return status == WEIR_MEMORY ? weir_fail_memory(s->error) : WEIR_OK;
}

/* What has no bound there has none: these are executions of the pipeline. */
static enum weir_status look_at(struct fixing *f, const uint8_t *fast)
{
    struct weir_sampler *s = f->sampler;
    struct weir_async_options options = {.work_limit = s->options->work_limit};
    struct weir_async_analysis *found = NULL;
    struct weir_pipeline *fixed;
    enum weir_status status = fix_times(s, fast, &fixed);
    if (status || !fixed)
        return status;
    status = weir_async_analyze_once(fixed, &options, &found, NULL);
    for (size_t i = 0; !status && i < found->latency_count; i++) {
        const struct weir_async_latency *latency = &found->latencies[i];
        if (!is_open(&f->latencies[i]) || latency->outcome != WEIR_ASYNC_UNKNOWN || is_open(latency))
            continue;
        f->latencies[i].why = weir_arena_text(&s->arena, latency->why);
        if (!f->latencies[i].why)
            status = WEIR_MEMORY;
    }
    weir_async_analysis_free(found);
    weir_pipeline_free(fixed);
    return status == WEIR_MEMORY ? weir_fail_memory(s->error) : WEIR_OK;
}

/* With all that leads to the producer of a queue at its best, unless that was looked at before. */
static enum weir_status look_before(struct fixing *f, uint32_t queue)
{
    size_t count = f->sampler->pipeline->operator_count;
    uint8_t *fast = f->tried + f->count * count;
    memset(fast, 0, count);
    if (queue != WEIR_NO_INDEX) {
        fast[f->sampler->pipeline->queues[queue].from.index] = 1;
        enum weir_status status = weir_async_flood(f->sampler, fast, true);
        if (status)
            return status;
    }
    for (uint32_t t = 0; t < f->count; t++)
        if (memcmp(f->tried + t * count, fast, count) == 0)
            return WEIR_OK;
    f->count++;
    return look_at(f, fast);
}

enum weir_status weir_async_try_fixed(struct weir_sampler *s, struct weir_async_latency *latencies)
{
    const struct weir_pipeline *p = s->pipeline;
    struct fixing f = {.sampler = s, .latencies = latencies};
    bool any = false;
    for (size_t i = 0; i < p->chain_count; i++)
        any |= is_open(&latencies[i]);
    if (!any || p->operator_count > FIXED_MAX || p->lateness)
        return WEIR_OK;
    f.tried = weir_array_zeroed(p->operator_count, TRIES_MAX);
    enum weir_status status = f.tried ? look_before(&f, WEIR_NO_INDEX) : weir_fail_memory(s->error);
    for (uint32_t i = 0; i < p->queue_count && f.count < TRIES_MAX && !status; i++)
        if (weir_queue_is_cut(&p->queues[i]) || p->queues[i].nonblocking || p->queues[i].capacity == WEIR_UNBOUNDED)
            status = look_before(&f, i);
    weir_free(f.tried);
    return status;
}
