/* SPDX-License-Identifier: Apache-2.0 */
/* Boxes of capacities: splitting them, and going through all that come of that. */
#include "base/alloc.h"
#include "base/error.h"
#include "explore/sizing/sizing.h"

#include <string.h>

struct weir_box *weir_boxes_add(const struct weir_sizing_study *s, struct weir_boxes *boxes)
{
    void *items = boxes->items;
    size_t size = weir_box_size(s);
    if (!weir_reserve(&items, &boxes->capacity, boxes->count + 1, size))
        return NULL;
    boxes->items = items;
    return weir_box_at(s, boxes, boxes->count++);
}

void weir_box_whole(const struct weir_sizing_study *s, struct weir_box *box)
{
    *box = (struct weir_box){.least = 0};
    for (uint32_t i = 0; i < s->count; i++) {
        weir_box_low(box)[i] = s->least[i];
        weir_box_open(s, box)[i] = s->least[i] < s->most[i];
    }
    box->least = weir_study_cost(s, weir_box_low(box));
}

void weir_box_split(const struct weir_sizing_study *s, struct weir_box *box, struct weir_box *other, uint32_t q)
{
    memcpy(other, box, weir_box_size(s));
    weir_box_open(s, box)[q] = 0;
    uint32_t low = ++weir_box_low(other)[q];
    weir_box_open(s, other)[q] = low < s->most[q];
    other->known = false;
    int64_t cost = weir_study_cost(s, weir_box_low(other));
    other->least = cost > other->least ? cost : other->least;
}

uint32_t weir_box_first_open(const struct weir_sizing_study *s, struct weir_box *box)
{
    uint32_t q = 0;
    while (q < s->count && !weir_box_open(s, box)[q])
        q++;
    return q < s->count ? q : UINT32_MAX;
}

/* Splits box `at` at queue q; the new one comes last. */
static enum weir_status split(const struct weir_sizing_study *s, struct weir_boxes *boxes, size_t at, uint32_t q,
                              struct weir_error *error)
{
    struct weir_box *other = weir_boxes_add(s, boxes);
    if (!other)
        return weir_fail_memory(error);
    weir_box_split(s, weir_box_at(s, boxes, at), other, q);
    return WEIR_OK;
}

enum weir_status weir_boxes_spread(const struct weir_box_work *work, struct weir_boxes *boxes, size_t wanted,
                                   struct weir_error *error)
{
    const struct weir_sizing_study *s = work->study;
    size_t size = weir_box_size(s);
    struct weir_box *box = weir_boxes_add(s, boxes);
    if (!box)
        return weir_fail_memory(error);
    weir_box_whole(s, box);
    /* In turn, so that all become about equally small. */
    for (size_t at = 0, looks = 0; boxes->count && boxes->count < wanted && looks < 4 * wanted; looks++) {
        uint32_t q;
        at = at < boxes->count ? at : 0;
        enum weir_status status = work->look(work->seeker, weir_box_at(s, boxes, at), &q, error);
        if (status)
            return status;
        if (q == UINT32_MAX) {
            boxes->count--;
            memmove(boxes->items + at * size, boxes->items + (at + 1) * size, (boxes->count - at) * size);
            continue;
        }
        status = split(s, boxes, at++, q, error);
        if (status)
            return status;
    }
    return WEIR_OK;
}

static bool asked_to_stop(const struct weir_sizing_study *s)
{
    return s->options->stop && __atomic_load_n(s->options->stop, __ATOMIC_RELAXED);
}

enum weir_status weir_boxes_finish(const struct weir_box_work *work, const struct weir_box *first, struct weir_boxes *stack,
                                   int64_t *open, struct weir_error *error)
{
    const struct weir_sizing_study *s = work->study;
    *open = INT64_MAX;
    stack->count = 0;
    struct weir_box *box = weir_boxes_add(s, stack);
    if (!box)
        return weir_fail_memory(error);
    memcpy(box, first, weir_box_size(s));
    while (stack->count) {
        if (asked_to_stop(s)) {
            for (size_t i = 0; i < stack->count; i++) {
                int64_t least = weir_box_at(s, stack, i)->least;
                *open = least < *open ? least : *open;
            }
            return WEIR_OK;
        }
        uint32_t q;
        enum weir_status status = work->look(work->seeker, weir_box_at(s, stack, stack->count - 1), &q, error);
        if (!status && q == UINT32_MAX)
            stack->count--;
        else if (!status)
            status = split(s, stack, stack->count - 1, q, error);
        if (status)
            return status;
    }
    return WEIR_OK;
}
