/* SPDX-License-Identifier: Apache-2.0 */
/* The connections that do not wait, and those of them across which nothing is known. */
#include "base/error.h"
#include "engine/async/async.h"
#include "model/links.h"

#include <string.h>

static enum weir_cut_kind kind_of(const struct weir_queue_spec *q)
{
    if (q->latest)
        return WEIR_CUT_LATEST;
    if (!q->optional)
        return WEIR_CUT_LOSSY;
    return q->nonblocking || q->capacity == WEIR_UNBOUNDED ? WEIR_CUT_PICK : WEIR_CUT_ROOM;
}

enum weir_status weir_async_flood(const struct weir_sampler *s, bool *marks, bool backwards)
{
    const struct weir_pipeline *p = s->pipeline;
    uint32_t *first = weir_array_zeroed(p->operator_count + 2, sizeof *first);
    uint32_t *next = weir_array(p->queue_count, sizeof *next);
    uint32_t *stack = weir_array(p->operator_count, sizeof *stack);
    size_t depth = 0;
    bool good = first && next && stack;
    if (good) {
        for (size_t i = 0; i < p->queue_count; i++)
            first[(backwards ? p->queues[i].to : p->queues[i].from).index + 2]++;
        for (size_t i = 2; i < p->operator_count + 2; i++)
            first[i] += first[i - 1];
        for (size_t i = 0; i < p->queue_count; i++) {
            const struct weir_queue_spec *q = &p->queues[i];
            next[first[(backwards ? q->to : q->from).index + 1]++] = (backwards ? q->from : q->to).index;
        }
        for (uint32_t o = 0; o < p->operator_count; o++)
            if (marks[o])
                stack[depth++] = o;
    }
    while (depth > 0) {
        uint32_t o = stack[--depth];
        for (uint32_t i = first[o]; i < first[o + 1]; i++)
            if (!marks[next[i]]) {
                marks[next[i]] = true;
                stack[depth++] = next[i];
            }
    }
    weir_free(stack);
    weir_free(next);
    weir_free(first);
    return good ? WEIR_OK : weir_fail_memory(s->error);
}

/* Connections behind whose messages there may be work on a GPU: their producer, or one that hands messages on to it, launches and
 * does not wait. Who launches and waits sends when the work is over, and what was behind the messages it took is over before that.
 */
static enum weir_status find_launches(struct weir_sampler *s)
{
    const struct weir_pipeline *p = s->pipeline;
    struct weir_links links = {0};
    bool *trails = weir_array_zeroed(p->operator_count, sizeof *trails);
    uint32_t *stack = weir_array(p->operator_count, sizeof *stack);
    size_t depth = 0;
    bool good = weir_links_make(&links, p, WEIR_LINKS_OUT) && trails && stack;
    for (uint32_t o = 0; good && o < p->operator_count; o++)
        if (p->operators[o].launch && !p->operators[o].launch->waits) {
            trails[o] = true;
            stack[depth++] = o;
        }
    while (depth > 0) {
        uint32_t o = stack[--depth];
        for (uint32_t i = links.first[o]; i < links.first[o + 1]; i++) {
            uint32_t to = p->queues[links.queue[i]].to.index;
            if (trails[to] || p->operators[to].launch)
                continue;
            trails[to] = true;
            stack[depth++] = to;
        }
    }
    for (uint32_t i = 0; good && i < s->cut_count; i++)
        s->cuts[i].strange |= trails[s->cuts[i].from];
    weir_free(stack);
    weir_free(trails);
    weir_links_free(&links);
    return good ? WEIR_OK : weir_fail_memory(s->error);
}

enum weir_status weir_async_find_cuts(struct weir_sampler *s)
{
    const struct weir_pipeline *p = s->pipeline;
    s->cut_of = weir_array(p->queue_count, sizeof *s->cut_of);
    for (size_t i = 0; i < p->queue_count; i++)
        s->cut_count += weir_queue_is_cut(&p->queues[i]);
    s->cuts = weir_array_zeroed(s->cut_count, sizeof *s->cuts);
    if (!s->cut_of || !s->cuts)
        return weir_fail_memory(s->error);
    uint32_t found = 0;
    for (uint32_t i = 0; i < p->queue_count; i++) {
        const struct weir_queue_spec *q = &p->queues[i];
        s->cut_of[i] = WEIR_NO_INDEX;
        if (!weir_queue_is_cut(q))
            continue;
        enum weir_cut_kind kind = kind_of(q);
        bool strange =
            p->operators[q->from.index].reentrant || p->operators[q->to.index].reentrant || q->consume > 1 || q->transfer_max > 0;
        s->cut_of[i] = found;
        s->cuts[found++] = (struct weir_cut){.kind = kind,
                                             .queue = i,
                                             .from = q->from.index,
                                             .to = q->to.index,
                                             .joined = kind == WEIR_CUT_LOSSY,
                                             .strange = strange,
                                             .limit = q->full == WEIR_FULL_NEVER ? 0 : q->capacity};
    }
    enum weir_status status = find_launches(s);
    for (uint32_t i = 0; i < s->cut_count && !status; i++)
        s->cuts[i].joined &= !s->cuts[i].strange;
    return status;
}
