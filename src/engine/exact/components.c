/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/exact/components.h"

#include "base/alloc.h"
#include "engine/exact/ratio.h"

/* Tarjan's algorithm without recursion. */
struct tarjan {
    uint32_t *component, component_count;
    uint32_t *number, *low, *stack, *path, *next_run, *next_head;
    uint32_t counted, stacked;
};

static void tarjan_enter(const struct weir_graph *g, struct tarjan *w, uint32_t o, uint32_t depth)
{
    w->path[depth] = o;
    w->number[o] = w->low[o] = ++w->counted;
    w->stack[w->stacked++] = o;
    w->next_run[o] = g->out_first[o];
    w->next_head[o] = g->out_first[o] < g->out_first[o + 1] ? g->out_runs[g->out_first[o]].first : 0;
}

static void tarjan_visit(const struct weir_graph *g, struct tarjan *w, uint32_t root)
{
    uint32_t depth = 0;
    tarjan_enter(g, w, root, 0);
    for (;;) {
        uint32_t o = w->path[depth];
        if (w->next_run[o] < g->out_first[o + 1]) {
            const struct weir_arc_run *run = &g->out_runs[w->next_run[o]];
            if (w->next_head[o] == run->end) {
                if (++w->next_run[o] < g->out_first[o + 1])
                    w->next_head[o] = g->out_runs[w->next_run[o]].first;
                continue;
            }
            uint32_t head = g->heads[w->next_head[o]++];
            if (!w->number[head]) {
                tarjan_enter(g, w, head, ++depth);
            } else if (w->component[head] == WEIR_NO_COMPONENT && w->number[head] < w->low[o]) {
                w->low[o] = w->number[head];
            }
            continue;
        }
        if (w->low[o] == w->number[o]) {
            uint32_t member;
            do {
                member = w->stack[--w->stacked];
                w->component[member] = w->component_count;
            } while (member != o);
            w->component_count++;
        }
        if (depth-- == 0)
            return;
        uint32_t parent = w->path[depth];
        if (w->low[o] < w->low[parent])
            w->low[parent] = w->low[o];
    }
}

uint32_t *weir_components(const struct weir_graph *g, uint32_t *component_count)
{
    size_t n = g->actor_count;
    uint32_t *memory = weir_array_zeroed(n * 6, sizeof *memory);
    struct tarjan w = {.component = weir_array(n, sizeof *w.component)};
    if (!memory || !w.component) {
        weir_free(memory);
        weir_free(w.component);
        return NULL;
    }
    w.number = memory, w.low = memory + n, w.stack = memory + 2 * n;
    w.path = memory + 3 * n, w.next_run = memory + 4 * n, w.next_head = memory + 5 * n;
    for (uint32_t o = 0; o < n; o++)
        w.component[o] = WEIR_NO_COMPONENT;
    for (uint32_t o = 0; o < n; o++)
        if (!w.number[o])
            tarjan_visit(g, &w, o);
    weir_free(memory);
    *component_count = w.component_count;
    return w.component;
}
