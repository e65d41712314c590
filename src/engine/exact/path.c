/* SPDX-License-Identifier: Apache-2.0 */
/* Following labels: which arc carries a label, and what the path that was found reaches. */
#include "engine/exact/search.h"

/* What a path of length `label` that leaves (o, at) has to spare there; INT64_MAX where there is no ancestor. */
static int64_t slack_at(const struct weir_search *s, int64_t label, int64_t at, uint32_t o, bool finish)
{
    if (!WEIR_ALIVE(s->D[at]))
        return INT64_MAX;
    int64_t d = s->D[at], hot = s->F[at] + s->problem.graph->hi[o];
    return label - (finish && hot > d ? hot : d);
}

/* Whether what is to spare at an entry, growing or shrinking as it did in the last repetition, lasts for so many more. */
static bool lasts(int64_t slack, int64_t growth, int64_t threshold, int64_t times)
{
    return growth >= 0 || (slack - threshold) / -growth >= times;
}

/* The same choice of arcs may carry a label now and be cut some repetitions later: a slack against one's own execution shrinks
 * where that against the best times does not. */
static bool goes_on(const struct weir_search *s, int64_t at, uint32_t o, bool finish, const struct weir_repetition *repetition)
{
    int64_t before = at - repetition->period * (int64_t)s->n, label = s->C[at], grown = label - s->C[before];
    if (!WEIR_ALIVE(s->D[at]))
        return true;
    if (!lasts(label - s->D[at], grown - (s->D[at] - s->D[before]), s->threshold, repetition->times))
        return false;
    return !finish || !WEIR_ALIVE(s->F[at]) ||
           lasts(label - s->F[at] - s->problem.graph->hi[o], grown - (s->F[at] - s->F[before]), s->threshold, repetition->times);
}

struct weir_trace_path weir_search_trace_path(const struct weir_search *s, uint32_t o, int64_t row,
                                              const struct weir_repetition *repetition, bool base)
{
    const struct weir_problem *p = &s->problem;
    const struct weir_graph *g = p->graph;
    int64_t n = s->n, at = row * n + o, label = s->C[at];
    if (base && o == p->target && row == p->target_row && label == (p->target_finish ? g->hi[o] : 0) &&
        slack_at(s, label, at, o, p->target_finish) >= s->threshold)
        return (struct weir_trace_path){.found = true, .end = true, .finish = p->target_finish};
    for (uint32_t r = g->out_first[o]; r < g->out_first[o + 1] && g->out_runs[r].tokens <= row; r++) {
        const struct weir_arc_run *run = &g->out_runs[r];
        int64_t own = run->offset + (run->finish ? g->hi[o] : 0);
        if (slack_at(s, label, at, o, run->finish) < s->threshold || (repetition && !goes_on(s, at, o, run->finish, repetition)))
            continue;
        for (uint32_t i = run->first; i < run->end; i++) {
            int64_t head = (row - run->tokens) * n + g->heads[i];
            if (!WEIR_ALIVE(s->C[head]) || s->C[head] + own != label)
                continue;
            if (repetition && s->C[head] - s->C[head - repetition->period * n] != label - s->C[at - repetition->period * n])
                continue;
            return weir_trace_path_over(run, g->heads[i]);
        }
    }
    return (struct weir_trace_path){0};
}

const struct weir_root *weir_root_of(const struct weir_graph *g, uint32_t actor)
{
    for (uint32_t r = 0; r < weir_graph_roots(g); r++)
        if (g->roots[r].actor == actor)
            return &g->roots[r];
    return NULL;
}

/* The least slack on the path, if it lies within one epoch; over a jump the threshold is all that is known without a walk. */
int64_t weir_search_reached(const struct weir_search *s)
{
    const struct weir_problem *p = &s->problem;
    if (s->epoch_count > 1)
        return s->threshold;
    uint32_t o = s->found_actor;
    int64_t row = s->found_row, origin = s->O[row < p->reference_row ? p->reference_row : row];
    const struct weir_root *root = weir_root_of(p->graph, o);
    int64_t least = s->C[row * s->n + o] + (root ? root->most - weir_root_against(root, origin) : -origin);
    for (;;) {
        struct weir_trace_path arc = weir_search_trace_path(s, o, row, NULL, true);
        if (!arc.found)
            return s->threshold;
        int64_t at = row * (int64_t)s->n + o, slack = slack_at(s, s->C[at], at, o, arc.finish);
        least = slack < least ? slack : least;
        if (arc.end)
            return least;
        o = arc.head;
        row -= arc.tokens;
    }
}
