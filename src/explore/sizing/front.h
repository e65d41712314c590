/* SPDX-License-Identifier: Apache-2.0 */
/* Points none of which is as good as another in latency, period and cost. */
#ifndef WEIR_EXPLORE_SIZING_FRONT_H
#define WEIR_EXPLORE_SIZING_FRONT_H

#include "explore/sizing/sizing.h"

/* Followed by the capacities. */
struct weir_point {
    int64_t latency, cost;
    struct weir_ratio period;
};

/* Followed by room for WEIR_FRONT_POINTS_MAX points. */
struct weir_points {
    size_t count;
    bool full; /* there were more */
};

static inline size_t weir_point_size(const struct weir_sizing_study *s)
{
    return sizeof(struct weir_point) + ((size_t)s->count * sizeof(uint32_t) + 7) / 8 * 8;
}
static inline size_t weir_points_size(const struct weir_sizing_study *s)
{
    return sizeof(struct weir_points) + WEIR_FRONT_POINTS_MAX * weir_point_size(s);
}
static inline struct weir_point *weir_points_at(const struct weir_sizing_study *s, const struct weir_points *points, size_t i)
{
    return (struct weir_point *)((char *)(points + 1) + i * weir_point_size(s));
}

/* Takes a point unless one that is there is as good; what it is better than goes. Of equal ones the first in the order of their
 * capacities stays. */
void weir_points_add(const struct weir_sizing_study *study, struct weir_points *points, const struct weir_point *point,
                     const uint32_t *capacities);
/* In the order in which they are shown. */
void weir_points_sort(const struct weir_sizing_study *study, const struct weir_points *points, const struct weir_point **order);

#endif
