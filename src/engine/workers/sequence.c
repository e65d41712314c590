/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Chains: what holds the finish of `to` back, step by step, until the start of `from`.
 *
 * Rows of the trace graph count from the row of the finish into the past. An actor's iterations that are not known to have started
 * when `from` starts are the rows below past + shift; a chain passes through these only, and its first step is one that leads there
 * from outside. A longest chain is found row by row against the arcs, as the longest paths of the exact engine are, but with the
 * delays of polling.
 */
#include "base/error.h"
#include "base/number.h"
#include "engine/workers/workers.h"

#include <string.h>

#define NOTHING (-1)
#define TABLE_MAX (INT64_C(1) << 24) /* entries */

static int64_t plus(int64_t tokens, int64_t more)
{
    return tokens == WEIR_FAR ? WEIR_FAR : tokens + more;
}

/* Fewest tokens from the start of the last operator to each actor. First in, first out: an actor comes back when a shorter path is
 * found. */
static enum weir_status measure_ahead(struct weir_workers_question *q, struct weir_error *error)
{
    const struct weir_graph *g = q->graph;
    uint32_t n = g->actor_count, first = 0, waiting = 1;
    uint32_t *queue = weir_array(n, sizeof *queue);
    bool *queued = weir_array_zeroed(n, sizeof *queued);
    if (!queue || !queued) {
        weir_free(queue);
        weir_free(queued);
        return weir_fail_memory(error);
    }
    for (uint32_t o = 0; o < n; o++)
        q->ahead[o] = WEIR_FAR;
    queue[0] = g->start_of[g->actors[q->to].op];
    q->ahead[queue[0]] = 0;
    while (waiting) {
        uint32_t o = queue[first];
        first = first + 1 == n ? 0 : first + 1;
        waiting--;
        queued[o] = false;
        for (uint32_t r = g->out_first[o]; r < g->out_first[o + 1]; r++) {
            const struct weir_arc_run *run = &g->out_runs[r];
            for (uint32_t i = run->first; i < run->end; i++) {
                uint32_t head = g->heads[i];
                if (q->ahead[head] <= q->ahead[o] + run->tokens)
                    continue;
                q->ahead[head] = q->ahead[o] + run->tokens;
                if (queued[head])
                    continue;
                uint64_t place = (uint64_t)first + waiting++;
                queue[place >= n ? place - n : place] = head;
                queued[head] = true;
            }
        }
    }
    weir_free(queue);
    weir_free(queued);
    return WEIR_OK;
}

enum weir_status weir_workers_measure(struct weir_workers_question *q, struct weir_error *error)
{
    const struct weir_graph *g = q->graph;
    struct weir_distances *distances = weir_distances_new(g);
    if (!distances)
        return weir_fail_memory(error);
    weir_tokens_to(g, distances, q->from, false, q->past);
    weir_tokens_to(g, distances, q->to, false, q->behind);
    weir_distances_free(distances);
    for (uint32_t o = 0; o < g->actor_count; o++) {
        q->over[o] = WEIR_FAR;
        for (uint32_t r = g->out_first[o]; r < g->out_first[o + 1]; r++) {
            const struct weir_arc_run *run = &g->out_runs[r];
            for (uint32_t i = run->first; i < run->end && run->finish; i++) {
                int64_t through = plus(q->past[g->heads[i]], run->tokens);
                q->over[o] = through < q->over[o] ? through : q->over[o];
            }
        }
    }
    return measure_ahead(q, error);
}

/* ---- longest paths, row by row ---- */

struct sweep {
    const struct weir_workers_question *q;
    const struct weir_workers_weights *weights;
    int64_t rows, ring; /* rows that count; rows kept at a time */
    int64_t *table;
};

static int64_t *row_at(const struct sweep *s, int64_t row)
{
    return s->table + (size_t)(row % s->ring) * s->q->graph->actor_count;
}

/* False: more rows than are looked at. */
static bool can_sweep(struct sweep *s)
{
    int64_t n = s->q->graph->actor_count, most = s->q->graph->tokens_max;
    s->ring = (most < s->rows ? most : s->rows) + 1;
    uint64_t arcs = s->q->graph->arc_count + (uint64_t)n;
    return s->ring > 0 && s->ring <= TABLE_MAX / (n + 1) && (uint64_t)s->rows <= s->q->work_limit / arcs;
}

static bool begin_sweep(struct sweep *s)
{
    size_t entries = (size_t)s->ring * s->q->graph->actor_count;
    s->table = weir_array(entries, sizeof *s->table);
    for (size_t i = 0; s->table && i < entries; i++)
        s->table[i] = NOTHING;
    return s->table;
}

static void lift(int64_t *value, int64_t candidate)
{
    if (candidate > *value)
        *value = candidate;
}

/* What the whole execution of an actor weighs. */
static int64_t weigh(const struct sweep *s, uint32_t actor)
{
    const struct weir_workers_weights *w = s->weights;
    return s->q->graph->hi[actor] * (w->work ? w->work[s->q->graph->actors[actor].op] : w->full);
}

/* Goes back over the arcs to an actor's row, from which on `value` passes until the finish. */
static void extend(const struct sweep *s, uint32_t o, int64_t row, int64_t value, int64_t *longest)
{
    const struct weir_workers_question *q = s->q;
    const struct weir_graph *g = q->graph;
    for (uint32_t r = g->in_first[o]; r < g->in_first[o + 1]; r++) {
        const struct weir_arc_run *run = &g->in_runs[r];
        int64_t before = row + run->tokens, length = value + run->offset * s->weights->full;
        for (uint32_t i = run->first; i < run->end; i++) {
            uint32_t tail = g->tails[i];
            if (before < q->past[tail] + q->shift)
                lift(&row_at(s, before)[tail], length + (run->finish ? weigh(s, tail) : 0));
            else /* it has started; and finished, unless it may still be at it */
                lift(longest, length + (run->finish && before - q->shift < q->over[tail] ? weigh(s, tail) : 0));
        }
    }
}

static void say_endless(struct weir_workers_question *q, uint32_t actor)
{
    char name[WEIR_QUOTED], from[WEIR_QUOTED];
    const struct weir_operator_spec *operators = q->pipeline->operators;
    const struct weir_actor *actors = q->graph->actors;
    weir_quote(operators[actors[actor].op].name, name);
    weir_quote(operators[actors[q->from].op].name, from);
    if (actors[q->from].part == WEIR_PART_ARRIVAL)
        snprintf(q->why, sizeof q->why,
                 "input of \"%s\" arrives on its own, and any number of them may be waiting: no bound is known for that with fewer "
                 "workers than operators or with polling",
                 from);
    else
        snprintf(q->why, sizeof q->why,
                 "\"%s\" does not hold \"%s\" back, so any number of its iterations may be left to do when \"%s\" starts", name,
                 from, from);
}

/* No weight of a step overflows, nor does one more of them added to a sum that is below WEIR_TIME_MAX. */
static bool can_weigh(const struct sweep *s, int64_t polling)
{
    int64_t sum;
    return weir_add(s->q->graph->row_max, polling, &sum) && weir_multiply(sum, s->weights->full, &sum) && sum < WEIR_TIME_MAX;
}

enum weir_status weir_workers_sequence(struct weir_workers_question *q, const struct weir_workers_weights *weights, int64_t *length,
                                       struct weir_error *error)
{
    const struct weir_graph *g = q->graph;
    struct sweep s = {.q = q, .weights = weights};
    int64_t polling = q->pipeline->workers.polling;
    *length = 0;
    for (uint32_t o = 0; o < g->actor_count; o++) {
        if (q->behind[o] == WEIR_FAR)
            continue;
        if (q->past[o] == WEIR_FAR) {
            say_endless(q, o);
            return WEIR_OK;
        }
        lift(&s.rows, q->past[o] + q->shift);
    }
    if (q->past[q->to] + q->shift <= 0) {
        *length = -q->shift < q->over[q->to] ? g->hi[q->to] * weights->full : 0;
        return WEIR_OK;
    }
    bool countable = can_weigh(&s, polling);
    if (!can_sweep(&s)) {
        snprintf(q->why, sizeof q->why, "capacities or shifts are so large that the work limit was reached");
        return WEIR_OK;
    }
    if (countable && !begin_sweep(&s))
        return weir_fail_memory(error);
    if (countable)
        row_at(&s, 0)[q->to] = weigh(&s, q->to);
    for (int64_t row = 0; row < s.rows && countable; row++) {
        int64_t *values = row_at(&s, row);
        for (uint32_t o = g->actor_count; o-- > 0 && countable;) {
            int64_t value = values[o];
            values[o] = NOTHING;
            if (value == NOTHING)
                continue;
            value += g->actors[o].part == WEIR_PART_EXECUTION ? polling * weights->full : 0;
            countable = value < WEIR_TIME_MAX;
            if (countable)
                extend(&s, o, row, value, length);
        }
    }
    weir_free(s.table);
    if (!countable || *length >= WEIR_TIME_MAX)
        snprintf(q->why, sizeof q->why, "it is longer than can be represented; use a coarser unit");
    return WEIR_OK;
}

/* ---- best cases ---- */

/* The greedy scheduler reads the clock once in a round: a period counts from the beginning of the round in which its operator
 * started, which may be earlier than the start by all that ran before it, so that no two starts need be a period apart. */
static void extend_best(const struct sweep *s, uint32_t o, int64_t row, int64_t value)
{
    const struct weir_graph *g = s->q->graph;
    bool apart = s->q->pipeline->workers.dispatch != WEIR_DISPATCH_GREEDY;
    for (uint32_t r = g->in_first[o]; r < g->in_first[o + 1]; r++) {
        const struct weir_arc_run *run = &g->in_runs[r];
        int64_t before = row + run->tokens;
        for (uint32_t i = run->first; i < run->end && before < s->rows; i++) {
            uint32_t tail = g->tails[i];
            lift(&row_at(s, before)[tail], value + (apart ? run->offset : 0) + (run->finish ? g->lo[tail] : 0));
        }
    }
}

enum weir_status weir_workers_best(const struct weir_workers_question *q, bool *known, int64_t *length, struct weir_error *error)
{
    const struct weir_graph *g = q->graph;
    struct sweep s = {.q = q, .rows = q->shift + 1};
    int64_t value = NOTHING;
    *known = false;
    *length = 0;
    if (q->shift < 0 || q->behind[q->from] > q->shift || !can_sweep(&s))
        return WEIR_OK;
    if (!begin_sweep(&s))
        return weir_fail_memory(error);
    row_at(&s, 0)[q->to] = g->lo[q->to];
    for (int64_t row = 0; row < s.rows; row++) {
        int64_t *values = row_at(&s, row);
        for (uint32_t o = g->actor_count; o-- > 0;) {
            value = values[o];
            values[o] = NOTHING;
            if (row == q->shift && o == q->from)
                break;
            if (value >= WEIR_TIME_MAX)
                value = WEIR_TIME_MAX; /* no longer than this is said, which is safe */
            if (value != NOTHING)
                extend_best(&s, o, row, value);
        }
    }
    weir_free(s.table);
    *known = value != NOTHING;
    *length = *known ? value : 0;
    return WEIR_OK;
}
