/* SPDX-License-Identifier: Apache-2.0 */
/* How long an operator waits for others that share its threads: the work that can be done meanwhile is no more than fits into that
 * time. */
#include "check/workers/lane_waits.h"

#include "base/alloc.h"
#include "base/number.h"

static int64_t lesser(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t busy(const struct weir_pipeline *p, uint32_t op)
{
    const struct weir_operator_spec *spec = &p->operators[op];
    int64_t cpu = spec->receive_max > spec->worst ? spec->receive_max : spec->worst;
    return cpu + (spec->launch && spec->launch->waits ? spec->launch->worst + spec->launch->after_worst : 0);
}

/* Separations leave out how long is waited for an operator that begins at any time, where others begin as well. */
static bool is_whole(const struct weir_graph *g)
{
    return g && (!g->unknown_roots || weir_graph_roots(g) == 1);
}

/* ---- starts in a time ---- */

/* Starts that are a period apart; of ticks that are skipped, the first may be late. */
static int64_t at_clock(const struct weir_pipeline *p, uint32_t op, int64_t time)
{
    int64_t most = WEIR_FAR;
    for (size_t i = 0; i < p->source_count; i++) {
        const struct weir_source_spec *source = &p->sources[i];
        if (source->op.index == op && source->arrivals == WEIR_ARRIVALS_AT_MOST)
            most = lesser(most, 1 + time / source->period);
        if (source->op.index == op && source->arrivals == WEIR_ARRIVALS_SKIP)
            most = lesser(most, 2 + time / source->period);
    }
    return most;
}

static int64_t count_own(const struct weir_lane_claim *c, uint32_t op, int64_t time)
{
    const struct weir_lane_starts *s = &c->starts[op];
    int64_t most = at_clock(c->pipeline, op, time);
    for (uint32_t n = s->known; n > 0 && is_whole(s->graph); n--)
        if (s->least[n] > time)
            most = lesser(most, n);
    if (s->leader == UINT32_MAX || !s->graph || c->starts[s->leader].graph != s->graph)
        return most;
    int64_t led = at_clock(c->pipeline, s->leader, time), apart;
    return led != WEIR_FAR && s->ahead >= 0 && s->behind >= 0 && weir_add(s->ahead, s->behind, &apart) && apart < WEIR_FAR - led
               ? lesser(most, led + apart)
               : most;
}

/* ... and where each takes a message of a queue that cannot hold more than its capacity: those there, and those that come. */
static int64_t count_starts(const struct weir_lane_claim *c, uint32_t op, int64_t time)
{
    const struct weir_pipeline *p = c->pipeline;
    int64_t most = count_own(c, op, time);
    uint32_t feed = c->starts[op].feed;
    if (feed == UINT32_MAX || feed >= p->queue_count)
        return most;
    const struct weir_queue_spec *q = &p->queues[feed];
    if (q->to.index != op || !weir_queue_waits(q) || q->full == WEIR_FULL_NEVER)
        return most;
    int64_t sent = count_own(c, q->from.index, time + busy(p, q->from.index) + q->transfer_max);
    return sent == WEIR_FAR ? most : lesser(most, sent + q->capacity);
}

/* ---- executions that can be at work ---- */

/* Whether all of a part begins by a clock: what waits for nothing of its iteration. */
static enum weir_status begins_by_clock(const struct weir_graph *g, bool *on_time)
{
    bool *waits = weir_array_zeroed(g->actor_count, sizeof *waits);
    *on_time = waits != NULL;
    if (!waits)
        return WEIR_MEMORY;
    for (uint32_t tail = 0; tail < g->actor_count; tail++)
        for (uint32_t r = g->out_first[tail]; r < g->out_first[tail + 1]; r++)
            for (uint32_t h = g->out_runs[r].first; h < g->out_runs[r].end && g->out_runs[r].tokens == 0; h++)
                waits[g->heads[h]] = true;
    for (uint32_t v = 0; v < g->actor_count; v++)
        *on_time &= waits[v] || g->actors[v].part == WEIR_PART_ARRIVAL || g->actors[v].part == WEIR_PART_TICK;
    weir_free(waits);
    return WEIR_OK;
}

/* Executions before (over) or after (ahead) which no other counts. A separation that reaches past what the operator has waited for
 * holds only where nothing begins later than it could. */
static bool stands(const struct weir_lane_step *step, int64_t limit, const struct weir_graph *g, bool on_time)
{
    return step->executions != WEIR_FAR &&
           (step->arcs ? step->executions >= 0 : is_whole(g) && step->value <= limit && (on_time || step->executions >= 0));
}

static int64_t count_rivals(const struct weir_lane_claim *c, uint32_t op, bool on_time)
{
    const struct weir_lane_rival *rival = &c->rivals[op];
    const struct weir_graph *g = c->starts[c->op].graph;
    int64_t sum;
    if (!g || c->starts[op].graph != g || !stands(&rival->over, 0, g, on_time) || !stands(&rival->ahead, -1, g, on_time) ||
        !weir_add(rival->over.executions, rival->ahead.executions, &sum))
        return WEIR_FAR;
    return sum > 1 ? sum - 1 : 0;
}

/* For how long one of the group can be at work while the operator waits: that of executions which start meanwhile, or from the
 * beginning of one that is under way on. On a single thread all that is done from that beginning on fits; on several, each of the
 * others may have begun as much before as it takes. */
static int64_t count_work(const struct weir_lane_claim *c, uint32_t u, bool on_time)
{
    uint32_t group = c->groups->of[c->op];
    int64_t time = busy(c->pipeline, u), work;
    if (time == 0)
        return 0;
    int64_t times = lesser(count_rivals(c, u, on_time), count_starts(c, u, c->wait + (c->groups->threads[group] > 1 ? time : 0)));
    if (c->groups->in_order && c->groups->in_order[group])
        times = lesser(times, 1);
    return times != WEIR_FAR && weir_multiply(times, time, &work) && work < WEIR_FAR ? work : WEIR_FAR;
}

enum weir_status weir_lane_check(const struct weir_lane_claim *c, bool *holds)
{
    uint32_t group = c->groups->of[c->op], threads = c->groups->threads[group], longer = 0;
    weir_wide work = 0;
    bool on_time = false;
    enum weir_status status = WEIR_OK;
    *holds = false;
    if (c->wait < 0 || c->wait >= WEIR_FAR / 2 || threads == 0)
        return WEIR_OK;
    if (c->starts[c->op].graph)
        status = begins_by_clock(c->starts[c->op].graph, &on_time);
    for (uint32_t u = 0; u < c->pipeline->operator_count && !status; u++) {
        if (u == c->op || c->groups->of[u] != group)
            continue;
        int64_t of_it = count_work(c, u, on_time);
        work += lesser(of_it, c->wait);
        longer += of_it > c->wait;
    }
    *holds = !status && longer < threads && work <= (weir_wide)threads * c->wait;
    return status;
}
