/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Timing anomalies: of two neighbours on an axis, the one that should be better is worse. Exact bounds have them where best cases
 * are above 0, or where a queue that holds more lets one branch run ahead of another; bounds that are only safe may have them
 * without the pipeline having any.
 */
#include "base/number.h"
#include "explore/sweep/sweep.h"

/* A bound that nothing exceeds, or one that everything does. */
static bool is_comparable(const struct weir_sweep_cell *cell)
{
    return cell->claim == WEIR_CLAIM_UNBOUNDED || (cell->claim != WEIR_CLAIM_UNSAFE && cell->worst.denominator > 0);
}

static struct weir_sweep_cell cell_of(const struct weir_sweeping *s, size_t point, size_t latency)
{
    const struct weir_sweep *w = &s->sweep;
    if (latency < w->latency_count)
        return s->cells[point * w->latency_count + latency];
    const struct weir_sweep_point *p = &s->points[point];
    return (struct weir_sweep_cell){.claim = p->period.denominator ? WEIR_CLAIM_EXACT : WEIR_CLAIM_NONE, .worst = p->period};
}

/* Whether the bound of b is above that of a, and by how much, in ticks rounded down. */
static bool rises(const struct weir_sweep_cell *a, const struct weir_sweep_cell *b, int64_t *by)
{
    *by = INT64_MAX;
    if (!is_comparable(a) || !is_comparable(b) || a->claim == WEIR_CLAIM_UNBOUNDED)
        return false;
    if (b->claim == WEIR_CLAIM_UNBOUNDED)
        return true;
    *by = b->worst.numerator / b->worst.denominator - a->worst.numerator / a->worst.denominator;
    return weir_ratio_compare(b->worst, a->worst) > 0;
}

/* Which of two values of an axis should be the better: -1 the first, 1 the second, 0 neither. */
static int better_of(const struct weir_sweeping *s, size_t axis, size_t first, size_t second)
{
    const struct weir_sweep_axis *x = &s->axes[axis];
    const int64_t *a = s->values[axis][first].numbers, *b = s->values[axis][second].numbers;
    bool words = x->values == WEIR_SWEEP_WORDS;
    bool unsaid = x->values == WEIR_SWEEP_COUNTS && (a[0] == WEIR_AUTO || b[0] == WEIR_AUTO);
    bool interval = x->values == WEIR_SWEEP_TIMES;
    if (words || unsaid || x->better == 0)
        return 0;
    bool up = b[0] >= a[0] && (!interval || b[1] >= a[1]), down = b[0] <= a[0] && (!interval || b[1] <= a[1]);
    return up == down ? 0 : up ? x->better : -x->better;
}

static void look_along(struct weir_sweeping *s, size_t axis, size_t latency, struct weir_sweep_anomaly *anomaly)
{
    size_t stride = 1;
    int64_t most = 0;
    for (size_t i = s->sweep.axis_count; i-- > axis + 1;)
        stride *= s->axes[i].count;
    *anomaly = (struct weir_sweep_anomaly){.latency = latency, .axis = axis};
    for (size_t p = 0; p < s->sweep.point_count; p++) {
        size_t value = p / stride % s->axes[axis].count, next = p + stride;
        if (value + 1 == s->axes[axis].count || s->points[p].state != WEIR_SWEEP_DONE || s->points[next].state != WEIR_SWEEP_DONE)
            continue;
        int better = better_of(s, axis, value, value + 1);
        size_t from = better > 0 ? p : next, to = better > 0 ? next : p;
        struct weir_sweep_cell a = cell_of(s, from, latency), b = cell_of(s, to, latency);
        int64_t by;
        if (better == 0 || !rises(&a, &b, &by))
            continue;
        if (anomaly->count++ == 0 || by > most) {
            most = by;
            anomaly->from = from;
            anomaly->to = to;
        }
    }
}

enum weir_status weir_sweep_compare(struct weir_sweeping *s)
{
    size_t latencies = s->sweep.latency_count + 1, count = 0;
    s->anomalies = weir_array(latencies * s->sweep.axis_count, sizeof *s->anomalies);
    if (!s->anomalies)
        return WEIR_MEMORY;
    for (size_t i = 0; i < latencies; i++)
        for (size_t axis = 0; axis < s->sweep.axis_count; axis++) {
            /* A longer period is what a source with a longer one has: nothing of note. */
            const struct weir_assignment *a = weir_sweeping_axis(s, axis);
            if (i + 1 == latencies && weir_key_id(s->revision.settings[a->first].key) == WEIR_KEY_PERIOD)
                continue;
            look_along(s, axis, i, &s->anomalies[count]);
            count += s->anomalies[count].count > 0;
        }
    s->sweep.anomalies = s->anomalies;
    s->sweep.anomaly_count = count;
    return WEIR_OK;
}
