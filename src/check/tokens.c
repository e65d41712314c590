/* SPDX-License-Identifier: Apache-2.0 */
#include "check/tokens.h"

#include "base/alloc.h"

struct marching {
    const struct weir_march *march;
    int64_t *fewest;
    uint32_t *ring;
    bool *waiting;
    size_t first, count;
};

static void advance(struct marching *m, uint32_t actor, int64_t tokens, bool finish)
{
    const struct weir_graph *g = m->march->graph;
    bool against = m->march->against;
    const uint32_t *first = against ? g->in_first : g->out_first, *ends = against ? g->tails : g->heads;
    const struct weir_arc_run *runs = against ? g->in_runs : g->out_runs;
    for (uint32_t r = first[actor]; r < first[actor + 1]; r++) {
        const struct weir_arc_run *run = &runs[r];
        for (uint32_t h = run->first; (run->finish || !finish) && h < run->end; h++) {
            uint32_t next = ends[h];
            if (m->fewest[next] <= tokens + run->tokens)
                continue;
            m->fewest[next] = tokens + run->tokens;
            if (!m->waiting[next])
                m->ring[(m->first + m->count++) % g->actor_count] = next;
            m->waiting[next] = true;
        }
    }
}

bool weir_march(const struct weir_march *march, int64_t *fewest)
{
    uint32_t count = march->graph->actor_count;
    if (count == 0)
        return true;
    struct marching m = {.march = march,
                         .fewest = fewest,
                         .ring = weir_array(count, sizeof *m.ring),
                         .waiting = weir_array_zeroed(count, sizeof *m.waiting)};
    bool good = m.ring && m.waiting;
    for (uint32_t i = 0; good && i < count; i++)
        fewest[i] = WEIR_FAR;
    if (good) {
        advance(&m, march->actor, 0, march->finish);
        if (!march->finish) /* also of itself */
            fewest[march->actor] = 0;
    }
    while (good && m.count > 0) {
        uint32_t actor = m.ring[m.first];
        m.first = (m.first + 1) % count;
        m.count--;
        m.waiting[actor] = false;
        advance(&m, actor, fewest[actor], false);
    }
    weir_free(m.waiting);
    weir_free(m.ring);
    return good;
}
