/* SPDX-License-Identifier: Apache-2.0 */
/* How old the latest message is when it is read, against how old it may be (docs/concepts/async.md, section 4). */
#include "base/error.h"
#include "engine/async/async.h"

/* Whether the operator of the cut that reads may do so at any moment of the other part: neither depends on anything else, and all
 * that the reader waits for begins at one time, which is unknown. */
static bool meets_any_moment(const struct weir_sampler *s, const struct weir_cut *cut)
{
    const struct weir_async_part *from = &s->parts[s->part_of[cut->from]], *to = &s->parts[s->part_of[cut->to]];
    if (from == to || s->pipeline->lateness || from->why || to->why || !from->pure || !to->pure)
        return false;
    const struct weir_graph *g = to->pipeline->graph;
    return weir_graph_roots(g) == 1 && g->roots[0].unknown;
}

/* Some execution reads a message that is older: each one does, or one that reads just before the next message comes. */
static enum weir_status can_be_stale(struct weir_sampler *s, const struct weir_cut *cut, const struct weir_crossing *crossing,
                                     bool *stale)
{
    int64_t within = s->pipeline->queues[cut->queue].within;
    *stale = crossing->has_best && crossing->best > within;
    if (*stale || !meets_any_moment(s, cut))
        return WEIR_OK;
    struct weir_span next = {.from = {.op = {s->local_of[cut->from]}, .moment = WEIR_START},
                             .to = weir_async_sent(cut),
                             .via = WEIR_NO_INDEX,
                             .later = 1};
    struct weir_known known;
    enum weir_status status = weir_async_span(s, &s->parts[s->part_of[cut->from]], &next, &known);
    *stale = !status && known.known && known.reached && known.value > within;
    return status;
}

static enum weir_status find_age(struct weir_sampler *s, uint32_t index, struct weir_async_queue *queue)
{
    const struct weir_cut *cut = &s->cuts[index];
    struct weir_crossing crossing;
    bool stale = false;
    queue->stale = WEIR_CHANCE_MAYBE;
    enum weir_status status = weir_segment_cross(s, (struct weir_stop){.op = cut->from}, index, &crossing);
    if (status || crossing.why)
        return status;
    queue->age = crossing.worst;
    if (crossing.worst <= s->pipeline->queues[cut->queue].within)
        queue->stale = WEIR_CHANCE_NO;
    else
        status = can_be_stale(s, cut, &crossing, &stale);
    queue->stale = stale ? WEIR_CHANCE_YES : queue->stale;
    return status;
}

enum weir_status weir_async_ages(struct weir_sampler *s, struct weir_async_queue *queues)
{
    enum weir_status status = WEIR_OK;
    for (uint32_t i = 0; i < s->cut_count && !status; i++) {
        queues[i].age = -1;
        if (s->pipeline->queues[s->cuts[i].queue].has_within)
            status = find_age(s, i, &queues[i]);
    }
    return status;
}
