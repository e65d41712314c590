/* SPDX-License-Identifier: Apache-2.0 */
/* How old the latest message is when it is read, against how old it may be (docs/concepts/async.md, section 4). */
#include "base/error.h"
#include "engine/async/async.h"

/* Some execution reads a message that is older: each one does, or one that reads just before the next message comes. */
static enum weir_status can_be_stale(struct weir_sampler *s, const struct weir_cut *cut, const struct weir_crossing *crossing,
                                     bool *stale)
{
    int64_t within = s->pipeline->queues[cut->queue].within;
    *stale = crossing->has_best && crossing->best > within;
    if (*stale || !weir_async_meets_any_moment(s, cut))
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

enum weir_status weir_async_age(struct weir_sampler *s, uint32_t index, struct weir_async_queue *queue)
{
    const struct weir_cut *cut = &s->cuts[index];
    const struct weir_queue_spec *q = &s->pipeline->queues[cut->queue];
    struct weir_crossing crossing;
    bool stale = false;
    queue->age = -1;
    queue->stale = q->has_within ? WEIR_CHANCE_MAYBE : WEIR_CHANCE_NO;
    if (!q->has_within)
        return WEIR_OK;
    enum weir_status status = weir_segment_cross(s, (struct weir_stop){.op = cut->from}, index, &crossing);
    if (status || crossing.why)
        return status;
    queue->age = crossing.worst;
    /* what happens to an execution does not wait until latencies count */
    bool always = !q->missing || weir_async_is_whole(&s->parts[s->part_of[cut->from]]);
    if (crossing.worst <= q->within)
        queue->stale = always ? WEIR_CHANCE_NO : WEIR_CHANCE_MAYBE;
    else
        status = can_be_stale(s, cut, &crossing, &stale);
    queue->stale = stale ? WEIR_CHANCE_YES : queue->stale;
    return status;
}
