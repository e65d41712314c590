/* SPDX-License-Identifier: Apache-2.0 */
#include "model/links.h"

bool weir_links_make(struct weir_links *l, const struct weir_pipeline *p, unsigned sides)
{
    size_t ends = p->queue_count * (sides == (WEIR_LINKS_OUT | WEIR_LINKS_IN) ? 2 : 1);
    l->first = weir_array_zeroed(p->operator_count + 2, sizeof *l->first);
    l->queue = weir_array(ends, sizeof *l->queue);
    if (!l->first || !l->queue || ends > UINT32_MAX)
        return false;
    for (size_t i = 0; i < p->queue_count; i++) {
        l->first[p->queues[i].from.index + 2] += (sides & WEIR_LINKS_OUT) != 0;
        l->first[p->queues[i].to.index + 2] += (sides & WEIR_LINKS_IN) != 0;
    }
    for (size_t o = 2; o < p->operator_count + 2; o++)
        l->first[o] += l->first[o - 1];
    for (uint32_t i = 0; i < p->queue_count; i++) {
        if (sides & WEIR_LINKS_OUT)
            l->queue[l->first[p->queues[i].from.index + 1]++] = i;
        if (sides & WEIR_LINKS_IN)
            l->queue[l->first[p->queues[i].to.index + 1]++] = i;
    }
    return true;
}

void weir_links_free(struct weir_links *l)
{
    weir_free(l->first);
    weir_free(l->queue);
}
