/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From arcs to arrays: count, collect by tail, order the actors so that zero-token arcs point forward, and write the arcs of
 * each actor in runs of one kind, outgoing and then, by transposition, incoming. Linear in the number of arcs; eight bytes per
 * arc are needed while it lasts.
 */
#include "base/error.h"
#include "base/number.h"
#include "model/lower.h"

#include <stdlib.h>
#include <string.h>

struct assembly {
    const struct weir_lowering *lowering;
    uint32_t n;
    bool failed;
    struct weir_kinds kinds;
    struct weir_arc_table table;
    uint32_t *position, *order; /* actor -> its number in the graph, and back */
    uint32_t *count, *touched;  /* by rank: scratch of one actor's grouping */
    uint32_t *seen;             /* by actor and kind: the last tail with an arc there, plus one */
    struct weir_graph *graph;
};

static void count_arc(void *context, uint32_t tail, uint32_t head, struct weir_arc_kind kind)
{
    struct assembly *a = context;
    (void)head;
    (void)kind;
    a->table.first[tail + 1]++;
}

/* The table's `first` is shifted by one while it is filled: first[tail + 1] moves to where the next tail begins. */
static void fill_arc(void *context, uint32_t tail, uint32_t head, struct weir_arc_kind kind)
{
    struct assembly *a = context;
    uint32_t index;
    a->failed |= !weir_kinds_find(&a->kinds, &kind, &index);
    a->table.entries[a->table.first[tail + 1]++] = (struct weir_arc_entry){a->failed ? 0 : index, head};
}

static bool collect(struct assembly *a)
{
    struct weir_arc_table *t = &a->table;
    t->actor_count = a->n;
    t->first = weir_array_zeroed((size_t)a->n + 2, sizeof *t->first);
    if (!t->first)
        return false;
    struct weir_arc_sink sink = {count_arc, a};
    weir_lowering_emit(a->lowering, &sink);
    uint64_t sum = 0;
    for (uint32_t i = 1; i <= a->n; i++) {
        uint64_t here = t->first[i];
        t->first[i] = sum;
        sum += here;
    }
    t->entries = weir_array(sum, sizeof *t->entries);
    if (!t->entries)
        return false;
    sink.arc = fill_arc;
    weir_lowering_emit(a->lowering, &sink);
    t->kinds = a->kinds.list;
    a->graph->arc_count = sum;
    return !a->failed;
}

/* Kahn's algorithm over the zero-token arcs, first come first served. */
static enum weir_status order_actors(struct weir_sealing *s, struct assembly *a)
{
    const struct weir_arc_table *t = &a->table;
    uint32_t *waiting = weir_array_zeroed(a->n, sizeof *waiting);
    a->order = weir_array(a->n, sizeof *a->order);
    a->position = weir_array(a->n, sizeof *a->position);
    if (!waiting || !a->order || !a->position) {
        weir_free(waiting);
        return weir_sealing_memory(s);
    }
    for (uint64_t i = 0; i < a->graph->arc_count; i++)
        waiting[t->entries[i].head] += t->kinds[t->entries[i].kind].tokens == 0;
    uint32_t done = 0, ready = 0;
    for (uint32_t o = 0; o < a->n; o++)
        if (!waiting[o])
            a->order[ready++] = o;
    for (; done < ready; done++) {
        uint32_t o = a->order[done];
        a->position[o] = done;
        for (uint64_t i = t->first[o]; i < t->first[o + 1]; i++)
            if (t->kinds[t->entries[i].kind].tokens == 0 && --waiting[t->entries[i].head] == 0)
                a->order[ready++] = t->entries[i].head;
    }
    enum weir_status status = WEIR_OK;
    if (done < a->n)
        status = weir_deadlock_report(s, a->lowering, t, waiting);
    weir_free(waiting);
    return status;
}

static int by_rank(const void *left, const void *right)
{
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return a < b ? -1 : a > b;
}

/* The arrays of one direction while they are written. */
struct side {
    uint32_t *first;
    struct weir_arc_run *runs;
    uint32_t *run_kind;
    size_t run_count, run_capacity, kind_capacity;
    uint32_t *ends; /* heads or tails */
    uint32_t end_count;
    const uint32_t *rename; /* of the entries' heads; NULL: none */
};

/* Writes the runs of one actor: its entries, grouped by kind in order of tokens. */
static bool write_runs(struct assembly *a, struct side *side, const struct weir_arc_entry *entries, uint64_t entry_count)
{
    uint32_t kinds = 0;
    for (uint64_t i = 0; i < entry_count; i++)
        if (a->count[a->kinds.rank[entries[i].kind]]++ == 0)
            a->touched[kinds++] = a->kinds.rank[entries[i].kind];
    if (kinds > 1)
        qsort(a->touched, kinds, sizeof *a->touched, by_rank);
    if (!weir_reserve(&side->runs, &side->run_capacity, side->run_count + kinds, sizeof *side->runs) ||
        !weir_reserve(&side->run_kind, &side->kind_capacity, side->run_count + kinds, sizeof *side->run_kind))
        return false;
    for (uint32_t i = 0; i < kinds; i++) {
        uint32_t rank = a->touched[i], kind = a->kinds.by_rank[rank];
        const struct weir_arc_kind *k = &a->kinds.list[kind];
        side->run_kind[side->run_count] = kind;
        side->runs[side->run_count++] = (struct weir_arc_run){.offset = k->offset,
                                                              .first = side->end_count,
                                                              .end = side->end_count + a->count[rank],
                                                              .tokens = k->tokens,
                                                              .fifo = a->kinds.fifo[kind] & WEIR_FIFO_MAX,
                                                              .finish = k->finish & 1u,
                                                              .wait = k->wait & 31u};
        uint32_t begin = side->end_count;
        side->end_count += a->count[rank];
        a->count[rank] = begin;
    }
    for (uint64_t i = 0; i < entry_count; i++)
        side->ends[a->count[a->kinds.rank[entries[i].kind]]++] = side->rename ? side->rename[entries[i].head] : entries[i].head;
    for (uint32_t i = 0; i < kinds; i++)
        a->count[a->touched[i]] = 0;
    return true;
}

/*
 * Drops, of the runs written since run `first`, arcs that others imply: of two arcs of a kind between the same actors the one with
 * fewer tokens says more, since iterations begin, and unless the operator is reentrant end, one after the other. Parallel queues
 * would otherwise cost as much as the deepest of them.
 */
static void drop_implied(struct assembly *a, struct side *out, uint32_t first, uint32_t tail)
{
    bool ends_in_order = !a->lowering->pipeline->operators[a->lowering->actors[a->order[tail]].op].reentrant;
    uint32_t kept_runs = first, kept = first < out->run_count ? out->runs[first].first : out->end_count;
    for (uint32_t r = first; r < out->run_count; r++) {
        struct weir_arc_run run = out->runs[r];
        uint32_t begin = kept;
        for (uint32_t i = run.first; i < run.end; i++) {
            uint32_t head = out->ends[i], *seen = &a->seen[2 * (size_t)head + run.finish];
            bool comparable = run.offset == 0 && (!run.finish || ends_in_order);
            if (comparable && *seen == tail + 1)
                continue;
            if (comparable)
                *seen = tail + 1;
            out->ends[kept++] = head;
        }
        if (kept == begin)
            continue;
        run.first = begin;
        run.end = kept;
        out->run_kind[kept_runs] = out->run_kind[r];
        out->runs[kept_runs++] = run;
    }
    out->run_count = kept_runs;
    out->end_count = kept;
}

static bool write_out(struct assembly *a, struct side *out)
{
    a->seen = weir_array_zeroed(2 * (size_t)a->n, sizeof *a->seen);
    if (!a->seen)
        return false;
    out->first = weir_array((size_t)a->n + 1, sizeof *out->first);
    out->ends = weir_array(a->graph->arc_count, sizeof *out->ends);
    if (!out->first || !out->ends)
        return false;
    out->rename = a->position;
    for (uint32_t v = 0; v < a->n; v++) {
        uint32_t o = a->order[v];
        uint64_t begin = a->table.first[o];
        out->first[v] = (uint32_t)out->run_count;
        if (!write_runs(a, out, a->table.entries + begin, a->table.first[o + 1] - begin))
            return false;
        drop_implied(a, out, out->first[v], v);
    }
    out->first[a->n] = (uint32_t)out->run_count;
    a->graph->arc_count = out->end_count;
    return true;
}

/* Forgets the token counts that only dropped arcs had. */
static bool renumber_tokens(struct assembly *a, struct side *out)
{
    struct weir_kinds *k = &a->kinds;
    uint32_t *counts = k->token_counts, kept = 0;
    uint32_t *renamed = weir_array_zeroed(k->token_count_count, sizeof *renamed);
    if (!renamed)
        return false;
    for (size_t r = 0; r < out->run_count; r++)
        renamed[out->runs[r].fifo] = 1;
    for (uint32_t f = 0; f < k->token_count_count; f++)
        if (renamed[f]) {
            renamed[f] = kept;
            counts[kept++] = counts[f];
        }
    for (size_t r = 0; r < out->run_count; r++)
        out->runs[r].fifo = renamed[out->runs[r].fifo] & WEIR_FIFO_MAX;
    for (size_t i = 0; i < k->count; i++)
        k->fifo[i] = renamed[k->fifo[i]];
    weir_free(renamed);
    a->graph->token_counts = counts;
    a->graph->token_count_count = kept;
    a->graph->tokens_max = kept ? counts[kept - 1] : 0;
    k->token_counts = NULL; /* the graph's now */
    return true;
}

/* The table is done with once the outgoing arcs are written; its memory holds the transposed arcs. */
static bool write_in(struct assembly *a, const struct side *out, struct side *in)
{
    in->first = weir_array((size_t)a->n + 1, sizeof *in->first);
    in->ends = weir_array(a->graph->arc_count, sizeof *in->ends);
    if (!in->first || !in->ends)
        return false;
    uint64_t *first = a->table.first;
    memset(first, 0, ((size_t)a->n + 2) * sizeof *first);
    for (uint64_t i = 0; i < a->graph->arc_count; i++)
        first[out->ends[i] + 2]++;
    for (uint32_t v = 2; v <= a->n; v++)
        first[v] += first[v - 1];
    for (uint32_t v = 0; v < a->n; v++)
        for (uint32_t r = out->first[v]; r < out->first[v + 1]; r++)
            for (uint32_t i = out->runs[r].first; i < out->runs[r].end; i++)
                a->table.entries[first[out->ends[i] + 1]++] = (struct weir_arc_entry){out->run_kind[r], v};
    for (uint32_t v = 0; v < a->n; v++) {
        in->first[v] = (uint32_t)in->run_count;
        if (!write_runs(a, in, a->table.entries + first[v], first[v + 1] - first[v]))
            return false;
    }
    in->first[a->n] = (uint32_t)in->run_count;
    return true;
}

/* The actors that stand for the events of operators. */
static bool write_events(struct assembly *a)
{
    const struct weir_lowering *l = a->lowering;
    struct weir_graph *g = a->graph;
    size_t operators = l->pipeline->operator_count, executions = weir_lowering_first(l, (uint32_t)operators);
    uint32_t *firing_first = weir_array(operators + 1, sizeof *firing_first);
    uint32_t *start_of = weir_array(executions, sizeof *start_of), *finish_of = weir_array(executions, sizeof *finish_of);
    uint32_t *arrival_of = weir_array(executions, sizeof *arrival_of), *ready_of = weir_array(executions, sizeof *ready_of);
    g->firing_first = firing_first, g->start_of = start_of, g->ready_of = ready_of, g->finish_of = finish_of,
    g->arrival_of = arrival_of;
    if (!firing_first || !start_of || !ready_of || !finish_of || !arrival_of)
        return false;
    for (uint32_t o = 0; o < operators; o++) {
        uint32_t first = weir_lowering_first(l, o), finish = weir_lowering_finished(l, o), arrival = l->parts[o].arrival;
        firing_first[o] = first;
        for (uint32_t k = 0; k < weir_lowering_firings(l, o); k++) {
            start_of[first + k] = a->position[first + k];
            ready_of[first + k] = a->position[weir_lowering_ready(l, o) + k];
            finish_of[first + k] = a->position[finish + k];
            arrival_of[first + k] = arrival == WEIR_NO_ACTOR ? WEIR_NO_ACTOR : a->position[arrival + k];
        }
    }
    firing_first[operators] = (uint32_t)executions;
    return true;
}

static bool write_actors(struct assembly *a)
{
    const struct weir_lowering *l = a->lowering;
    struct weir_actor *actors = weir_array(a->n, sizeof *actors);
    int64_t *lo = weir_array(a->n, sizeof *lo), *hi = weir_array((size_t)a->n + 1, sizeof *hi);
    struct weir_graph *g = a->graph;
    g->actors = actors, g->lo = lo, g->hi = hi;
    if (!actors || !lo || !hi)
        return false;
    g->instant_best = true;
    hi[a->n] = 0;
    for (uint32_t v = 0; v < a->n; v++) {
        const struct weir_actor_spec *spec = &l->actors[a->order[v]];
        actors[v] = (struct weir_actor){spec->op, spec->part, spec->firing, spec->queue};
        lo[v] = spec->lo;
        hi[v] = spec->hi;
        g->row_max += spec->hi; /* lower.c has checked the sum */
        g->instant_best &= spec->lo == 0;
    }
    for (size_t i = 0; i < l->pipeline->source_count; i++)
        g->row_max += l->pipeline->sources[i].period * weir_lowering_firings(l, l->pipeline->sources[i].op.index);
    g->offsets = l->pipeline->source_count > 0;
    g->in_order = true;
    for (size_t o = 0; o < l->pipeline->operator_count; o++)
        g->in_order &= !l->pipeline->operators[o].reentrant;
    g->instant_best &= !g->offsets;
    return true;
}

/* The actor whose first start a phase is about. */
static uint32_t begins(const struct weir_lowering *l, uint32_t op)
{
    const struct weir_parts *parts = &l->parts[op];
    return parts->arrival != WEIR_NO_ACTOR ? parts->arrival
           : parts->clock != WEIR_NO_ACTOR ? parts->clock
                                           : weir_lowering_ready(l, op);
}

/* Where the trace begins, when not everything does at time 0. */
static bool write_roots(struct assembly *a)
{
    const struct weir_lowering *l = a->lowering;
    const struct weir_phase *phases = l->pipeline->phases;
    struct weir_graph *g = a->graph;
    if (!phases)
        return true;
    struct weir_root *roots = weir_array(a->n, sizeof *roots);
    if (!roots)
        return false;
    g->roots = roots;
    for (uint32_t o = 0; o < l->pipeline->operator_count; o++)
        g->unknown_roots |= phases[o].unknown;
    for (uint32_t v = 0; v < a->n; v++) {
        const struct weir_actor *actor = &g->actors[v];
        struct weir_phase phase = a->position[begins(l, actor->op)] == v ? phases[actor->op] : (struct weir_phase){0};
        bool waits = g->in_first[v] < g->in_first[v + 1] && g->in_runs[g->in_first[v]].tokens == 0;
        /* What becomes of a message that is there at the beginning is over when the first operator begins, and not when others do.
         */
        bool over = g->unknown_roots && !weir_part_begins(actor->part);
        if ((waits || over) && !phase.unknown && phase.most == 0)
            continue;
        roots[g->root_count++] = (struct weir_root){v, phase.unknown, phase.least, phase.most};
    }
    return true;
}

static bool write_all(struct assembly *a)
{
    struct side out = {0}, in = {0};
    struct weir_graph *g = a->graph;
    g->actor_count = a->n;
    a->count = weir_array_zeroed(a->kinds.count, sizeof *a->count);
    a->touched = weir_array(a->kinds.count, sizeof *a->touched);
    bool ok = a->count && a->touched && weir_kinds_rank(&a->kinds) && write_out(a, &out) && renumber_tokens(a, &out) &&
              write_in(a, &out, &in) && write_actors(a) && write_events(a);
    weir_free(out.run_kind);
    weir_free(in.run_kind);
    g->out_first = out.first, g->out_runs = out.runs, g->heads = out.ends;
    g->in_first = in.first, g->in_runs = in.runs, g->tails = in.ends;
    return ok && write_roots(a);
}

enum weir_status weir_lowering_assemble(struct weir_sealing *s, const struct weir_lowering *lowering, struct weir_graph **graph)
{
    struct assembly a = {.lowering = lowering, .n = lowering->actor_count};
    enum weir_status status = WEIR_OK;
    a.graph = weir_array_zeroed(1, sizeof *a.graph);
    bool room = a.graph && collect(&a);
    if (room && (a.graph->arc_count >= UINT32_MAX || a.kinds.count > WEIR_FIFO_MAX))
        status = weir_sealing_fail(s, WEIR_OVERFLOW, "too many queues");
    if (room && !status)
        status = order_actors(s, &a);
    if (room && !status)
        room = write_all(&a);
    if (!room)
        status = weir_sealing_memory(s);
    weir_free(a.table.entries);
    weir_free(a.table.first);
    weir_kinds_free(&a.kinds);
    weir_free(a.position);
    weir_free(a.order);
    weir_free(a.count);
    weir_free(a.touched);
    weir_free(a.seen);
    if (status) {
        weir_graph_free(a.graph);
        return status;
    }
    *graph = a.graph;
    return WEIR_OK;
}

void weir_graph_free(struct weir_graph *g)
{
    if (!g)
        return;
    const void *arrays[] = {g->actors,    g->lo,         g->hi,           g->out_first,    g->out_runs, g->heads,
                            g->in_first,  g->in_runs,    g->tails,        g->firing_first, g->start_of, g->ready_of,
                            g->finish_of, g->arrival_of, g->token_counts, g->roots};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        weir_free((void *)(uintptr_t)arrays[i]);
    weir_free(g);
}
