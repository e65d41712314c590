/* SPDX-License-Identifier: Apache-2.0 */
#include "explore/sizing/front.h"

#include <string.h>

static bool as_good(const struct weir_point *a, const struct weir_point *b)
{
    return a->latency <= b->latency && a->cost <= b->cost && weir_ratio_compare(a->period, b->period) <= 0;
}

static bool comes_first(const struct weir_sizing_study *s, const uint32_t *a, const uint32_t *b)
{
    for (uint32_t i = 0; i < s->count; i++)
        if (a[i] != b[i])
            return a[i] < b[i];
    return false;
}

void weir_points_add(const struct weir_sizing_study *s, struct weir_points *points, const struct weir_point *point,
                     const uint32_t *capacities)
{
    size_t kept = 0, bytes = s->count * sizeof *capacities;
    for (size_t i = 0; i < points->count; i++) {
        struct weir_point *other = weir_points_at(s, points, i);
        if (as_good(other, point)) { /* then it is better than none of the others */
            if (as_good(point, other) && comes_first(s, capacities, (const uint32_t *)(other + 1)))
                memcpy(other + 1, capacities, bytes);
            return;
        }
    }
    for (size_t i = 0; i < points->count; i++) {
        struct weir_point *other = weir_points_at(s, points, i);
        if (as_good(point, other))
            continue;
        if (kept != i)
            memcpy(weir_points_at(s, points, kept), other, weir_point_size(s));
        kept++;
    }
    points->count = kept;
    if (points->count == WEIR_FRONT_POINTS_MAX) {
        points->full = true;
        return;
    }
    struct weir_point *place = weir_points_at(s, points, points->count++);
    *place = *point;
    memcpy(place + 1, capacities, bytes);
}

static bool before(const struct weir_point *a, const struct weir_point *b)
{
    if (a->cost != b->cost)
        return a->cost < b->cost;
    return a->latency < b->latency; /* no two have both the same */
}

void weir_points_sort(const struct weir_sizing_study *s, const struct weir_points *points, const struct weir_point **order)
{
    for (size_t i = 0; i < points->count; i++) {
        const struct weir_point *point = weir_points_at(s, points, i);
        size_t at = i;
        for (; at > 0 && before(point, order[at - 1]); at--)
            order[at] = order[at - 1];
        order[at] = point;
    }
}
