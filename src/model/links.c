/* SPDX-License-Identifier: Apache-2.0 */
#include "model/links.h"

#include "model/pipeline.h"

bool weir_links_make(struct weir_links *l, const struct weir_pipeline *p, unsigned sides, struct weir_arena *arena)
{
    bool in = sides & WEIR_LINKS_IN, out = sides & WEIR_LINKS_OUT;
    size_t ends = p->queue_count * ((size_t)in + out);
    l->pipeline = p;
    l->first = weir_arena_array(arena, p->operator_count + 2, sizeof *l->first);
    l->queue = weir_arena_array(arena, ends, sizeof *l->queue);
    l->stack = weir_arena_array(arena, p->operator_count, sizeof *l->stack);
    if (arena->failed || ends > UINT32_MAX)
        return false;
    for (size_t i = 0; i < p->queue_count; i++) {
        bool left_out = (sides & WEIR_LINKS_EMPTY) && p->queues[i].initial;
        l->first[p->queues[i].from.index + 2] += out && !left_out;
        l->first[p->queues[i].to.index + 2] += in && !left_out;
    }
    for (size_t o = 2; o < p->operator_count + 2; o++)
        l->first[o] += l->first[o - 1];
    for (uint32_t i = 0; i < p->queue_count; i++) {
        if ((sides & WEIR_LINKS_EMPTY) && p->queues[i].initial)
            continue;
        if (out)
            l->queue[l->first[p->queues[i].from.index + 1]++] = i;
        if (in)
            l->queue[l->first[p->queues[i].to.index + 1]++] = i;
    }
    return true;
}

void weir_links_flood(const struct weir_links *l, struct weir_flood flood)
{
    const struct weir_pipeline *p = l->pipeline;
    size_t depth = 0;
    for (uint32_t o = 0; o < p->operator_count; o++)
        if (flood.flags[o] & flood.from) {
            flood.flags[o] |= flood.mark;
            l->stack[depth++] = o;
        }
    while (depth > 0) {
        uint32_t o = l->stack[--depth];
        for (uint32_t i = l->first[o]; i < l->first[o + 1]; i++) {
            const struct weir_queue_spec *q = &p->queues[l->queue[i]];
            uint32_t other = q->from.index == o ? q->to.index : q->from.index;
            if (flood.flags[other] & (flood.mark | flood.wall))
                continue;
            flood.flags[other] |= flood.mark;
            l->stack[depth++] = other;
        }
    }
}

enum weir_status weir_pipeline_number_queues(struct weir_sealing *s)
{
    struct weir_pipeline *p = s->pipeline;
    struct weir_links links;
    uint32_t *last = weir_arena_array(&s->scratch, p->operator_count, sizeof *last); /* by `to`: 1 + the last from the operator */
    if (!last || !weir_links_make(&links, p, WEIR_LINKS_OUT, &s->scratch))
        return weir_sealing_memory(s);
    for (uint32_t o = 0; o < p->operator_count; o++)
        for (uint32_t i = links.first[o]; i < links.first[o + 1]; i++) {
            uint32_t queue = links.queue[i], *before = &last[p->queues[queue].to.index];
            bool several = *before && p->queues[*before - 1].from.index == o;
            if (several && !p->queue_numbers)
                p->queue_numbers = weir_arena_array(&p->sealed_arena, p->queue_count, sizeof *p->queue_numbers);
            if (several && !p->queue_numbers)
                return weir_sealing_memory(s);
            if (several) {
                uint32_t number = p->queue_numbers[*before - 1];
                p->queue_numbers[*before - 1] = number ? number : 1;
                p->queue_numbers[queue] = p->queue_numbers[*before - 1] + 1;
            }
            *before = queue + 1;
        }
    return WEIR_OK;
}

uint32_t weir_queue_number(const struct weir_pipeline *p, struct weir_queue queue)
{
    return p->queue_numbers && queue.index < p->queue_count ? p->queue_numbers[queue.index] : 0;
}
