/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A latency that no capacities of a box can keep below a threshold.
 *
 * Whatever happens at the same execution times, a deeper queue makes nothing later: its backpressure arc begins at an earlier
 * execution of the consumer, and those follow one another. So the search of exact/search.h for a critical path is made with two
 * graphs: paths to the target over the arcs of the deepest queues (C), paths to the reference over those of the shallowest (D, F,
 * O). With any capacities between, the target is at least as late on that path, and the reference no later: what is reachable here
 * is reachable for all of them. A search that finds nothing proves nothing, so it may end after some rows.
 *
 * This needs executions of an operator to end in order, hence no reentrant operators.
 */
#include "base/error.h"
#include "engine/exact/solver.h"
#include "explore/evaluate.h"
#include "explore/sizing/sizing.h"

#include <string.h>

enum { ROWS = 192 };

struct weir_box_bound {
    const struct weir_sizing_study *study;
    const struct weir_evaluator *evaluator;
    uint32_t n;
    uint32_t *shallow, *deep; /* tokens by arc; WEIR_UNBOUNDED: it is not there */
    uint32_t *order, *waiting;
    int64_t *C, *D, *F; /* row r, actor o at r * n + o */
    int64_t O[ROWS];
    uint32_t window;
    uint32_t reference, target;
    int64_t reference_row, target_row, threshold;
    struct weir_arena arena;
};

enum weir_status weir_box_bound_new(const struct weir_sizing_study *study, const struct weir_evaluator *e,
                                    struct weir_box_bound **bound, struct weir_error *error)
{
    *bound = NULL;
    if (!e->in_place || !e->pipeline->graph->in_order)
        return WEIR_OK;
    uint32_t n = e->pipeline->graph->actor_count, arcs = e->layout.arc_count;
    if ((size_t)n * ROWS > WEIR_MEMORY_DEFAULT / 64)
        return WEIR_OK;
    struct weir_box_bound *b = weir_array_zeroed(1, sizeof *b);
    if (!b)
        return weir_fail_memory(error);
    struct weir_arena *arena = &b->arena;
    b->study = study;
    b->evaluator = e;
    b->n = n;
    b->shallow = weir_arena_array(arena, arcs, sizeof *b->shallow);
    b->deep = weir_arena_array(arena, arcs, sizeof *b->deep);
    b->order = weir_arena_array(arena, n, sizeof *b->order);
    b->waiting = weir_arena_array(arena, n, sizeof *b->waiting);
    b->C = weir_arena_array(arena, (size_t)n * ROWS, sizeof *b->C);
    b->D = weir_arena_array(arena, (size_t)n * ROWS, sizeof *b->D);
    b->F = weir_arena_array(arena, (size_t)n * ROWS, sizeof *b->F);
    if (arena->failed) {
        weir_box_bound_free(b);
        return weir_fail_memory(error);
    }
    *bound = b;
    return WEIR_OK;
}

void weir_box_bound_free(struct weir_box_bound *b)
{
    if (!b)
        return;
    weir_arena_free(&b->arena);
    weir_free(b);
}

/* ---- the two graphs ---- */

static void set_tokens(struct weir_box_bound *b, struct weir_box *box)
{
    const struct weir_evaluator *e = b->evaluator;
    b->window = 1;
    for (uint32_t i = 0; i < e->layout.arc_count; i++) {
        const struct weir_raw_arc *arc = &e->layout.arcs[i];
        uint32_t number = arc->queue == WEIR_NO_INDEX ? UINT32_MAX : b->study->number[arc->queue];
        if (number != UINT32_MAX) {
            b->shallow[i] = weir_box_low(box)[number] - e->pipeline->queues[arc->queue].initial;
            b->deep[i] = weir_box_open(b->study, box)[number] ? WEIR_UNBOUNDED : b->shallow[i];
        } else if (arc->queue != WEIR_NO_INDEX) {
            uint32_t capacity = e->pipeline->queues[arc->queue].capacity;
            bool bounded = capacity != WEIR_UNBOUNDED && capacity != WEIR_AUTO;
            b->shallow[i] = b->deep[i] = bounded ? capacity - e->pipeline->queues[arc->queue].initial : WEIR_UNBOUNDED;
        } else {
            b->shallow[i] = b->deep[i] = arc->tokens;
        }
        if (b->deep[i] != WEIR_UNBOUNDED && b->deep[i] > b->window)
            b->window = b->deep[i];
    }
}

/* Arcs without tokens of the shallow graph lead to later actors of the order; those of the deep one are among them. False: they
 * make a cycle. */
static bool put_in_order(struct weir_box_bound *b)
{
    const struct weir_evaluator_layout *l = &b->evaluator->layout;
    uint32_t ready = 0;
    memset(b->waiting, 0, b->n * sizeof *b->waiting);
    for (uint32_t i = 0; i < l->arc_count; i++)
        b->waiting[l->arcs[i].head] += b->shallow[i] == 0;
    for (uint32_t o = 0; o < b->n; o++)
        if (!b->waiting[o])
            b->order[ready++] = o;
    for (uint32_t done = 0; done < ready; done++)
        for (uint32_t o = b->order[done], i = l->first_out[o]; i < l->first_out[o + 1]; i++)
            if (b->shallow[i] == 0 && --b->waiting[l->arcs[i].head] == 0)
                b->order[ready++] = l->arcs[i].head;
    return ready == b->n;
}

/* ---- the search; exact/search.h has the meaning of the letters ---- */

static int64_t tidy(int64_t x)
{
    return WEIR_ALIVE(x) ? x : WEIR_DEAD;
}

/* Of the arcs of (o, row): the largest value at their heads, of finish arcs in [1], of start arcs in [0]. */
static void pull(const struct weir_box_bound *b, const uint32_t *tokens, const int64_t *table, uint32_t o, int64_t row,
                 int64_t by_kind[2])
{
    const struct weir_evaluator *e = b->evaluator;
    for (uint32_t i = e->layout.first_out[o]; i < e->layout.first_out[o + 1]; i++) {
        const struct weir_raw_arc *arc = &e->layout.arcs[i];
        if (tokens[i] == WEIR_UNBOUNDED || tokens[i] > row)
            continue;
        int64_t value = table[(row - tokens[i]) * b->n + arc->head];
        value += arc->source != WEIR_NO_INDEX ? e->period[arc->source] : 0;
        by_kind[arc->finish] = value > by_kind[arc->finish] ? value : by_kind[arc->finish];
    }
}

static void find_best_row(struct weir_box_bound *b, int64_t row)
{
    const int64_t *lo = b->evaluator->pipeline->graph->lo;
    int64_t *D = b->D + row * b->n, *F = b->F + row * b->n, origin = row > 0 ? b->O[row - 1] : 0;
    for (uint32_t k = b->n; k-- > 0;) {
        uint32_t o = b->order[k];
        int64_t by_kind[2] = {WEIR_DEAD, WEIR_DEAD};
        if (row >= b->reference_row) {
            if (o == b->reference && row == b->reference_row)
                by_kind[0] = 0;
            pull(b, b->shallow, b->D, o, row, by_kind);
        }
        F[o] = tidy(by_kind[1]);
        int64_t longest = by_kind[1] + lo[o];
        D[o] = tidy(by_kind[0] > longest ? by_kind[0] : longest);
        origin = D[o] > origin ? D[o] : origin;
    }
    b->O[row] = origin;
}

static int64_t label_of(const struct weir_box_bound *b, uint32_t o, int64_t row)
{
    int64_t D = b->D[row * b->n + o], F = b->F[row * b->n + o], hi = b->evaluator->pipeline->graph->hi[o];
    int64_t by_kind[2] = {WEIR_DEAD, WEIR_DEAD};
    if (o == b->target && row == b->target_row)
        by_kind[1] = 0;
    pull(b, b->deep, b->C, o, row, by_kind);
    int64_t finish = by_kind[1] + hi, start = by_kind[0];
    if (WEIR_ALIVE(D)) { /* an ancestor, and on the path: the reference may come that much later */
        int64_t hot = F + hi;
        if (finish - (hot > D ? hot : D) < b->threshold)
            finish = WEIR_DEAD;
        if (start - D < b->threshold)
            start = WEIR_DEAD;
    }
    return tidy(finish > start ? finish : start);
}

/* Whether the threshold is reached in the row; *alive: it has labels. */
static bool find_labels(struct weir_box_bound *b, int64_t row, bool *alive)
{
    int64_t origin = b->O[row < b->reference_row ? b->reference_row : row];
    *alive = false;
    for (uint32_t k = b->n; k-- > 0;) {
        uint32_t o = b->order[k];
        int64_t label = b->C[row * b->n + o] = label_of(b, o, row);
        *alive |= WEIR_ALIVE(label);
        if (WEIR_ALIVE(label) && label - origin >= b->threshold)
            return true;
    }
    return false;
}

static bool search(struct weir_box_bound *b)
{
    int64_t base = b->reference_row > b->target_row ? b->reference_row : b->target_row, idle = 0;
    int64_t most = WEIR_TIME_MAX / (b->evaluator->pipeline->graph->row_max + 1);
    most = most < ROWS ? most : ROWS;
    if (base >= most)
        return false;
    for (int64_t row = 0; row <= b->reference_row; row++)
        find_best_row(b, row);
    for (int64_t row = 0; row < most; row++) {
        bool alive;
        if (row > b->reference_row)
            find_best_row(b, row);
        if (find_labels(b, row, &alive))
            return true;
        idle = alive ? 0 : idle + 1;
        if (row >= base && idle > b->window)
            return false;
    }
    return false;
}

bool weir_box_bound_reaches(struct weir_box_bound *b, struct weir_box *box, uint32_t chain, int64_t threshold)
{
    if (!b)
        return false;
    const struct weir_pipeline *p = b->evaluator->pipeline;
    const struct weir_graph *g = p->graph;
    const struct weir_chain_spec *spec = &p->chains[chain];
    set_tokens(b, box);
    if (!put_in_order(b))
        return false;
    bool arrives = g->arrival_of[spec->from.index] != WEIR_NO_ACTOR;
    b->reference = arrives ? g->arrival_of[spec->from.index] : g->start_of[spec->from.index];
    b->target = g->finish_of[spec->to.index];
    b->reference_row = spec->shift > 0 ? spec->shift : 0;
    b->target_row = b->reference_row - spec->shift;
    b->threshold = threshold;
    return search(b);
}
