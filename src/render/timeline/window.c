/* SPDX-License-Identifier: Apache-2.0 */
/* What of a timeline is looked at before anybody zooms: all of it; of a long run the part around what was measured. */
#include "render/timeline/timeline.h"

#define LONG 4   /* times as long as what was measured */
#define BEFORE 2 /* half of its length is seen before it ... */
#define BEHIND 2 /* ... and so much of it from its beginning on */

static double ticks_of(const struct weir_timeline *t, struct weir_ratio time)
{
    return time.denominator == 1 ? (double)(time.numerator - t->origin)
                                 : (double)time.numerator / (double)time.denominator - (double)t->origin;
}

struct weir_timeline_window weir_timeline_window(const struct weir_timeline *t)
{
    double begin = ticks_of(t, t->begin), end = ticks_of(t, t->reach.denominator ? t->reach : t->end), first = end, last = begin;
    for (size_t i = 0; i < t->ruler_count; i++) {
        double from = ticks_of(t, t->rulers[i].from), to = ticks_of(t, t->rulers[i].to);
        first = from >= begin && from < first ? from : first;
        last = to <= end && to > last ? to : last;
    }
    double length = last - first;
    if (t->step_count || !(length > 0) || end - begin < LONG * length)
        return (struct weir_timeline_window){begin, end, false};
    first = first - length / BEFORE;
    last = first + length / BEFORE + BEHIND * length;
    return (struct weir_timeline_window){first > begin ? first : begin, last < end ? last : end, true};
}
