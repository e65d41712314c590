/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A processor that is asked for more than it has falls behind for ever. The sum of worst / period over its tasks is compared with 1
 * exactly, over the common multiple of the periods; where that does not fit, it is known to 2^-60, and what lies nearer to 1 is not
 * decided.
 */
#include "engine/priority/load.h"

#include <string.h>

#define ONE (INT64_C(1) << 60)

struct sum {
    weir_wide below, above; /* in units of 2^-60 */
    weir_wide parts, whole; /* the sum is parts / whole; whole 0: it did not fit */
};

static void add(struct sum *sum, int64_t time, int64_t period)
{
    weir_wide scaled = (weir_wide)time * ONE;
    sum->below += scaled / period;
    sum->above += scaled / period + (scaled % period > 0);
    if (!sum->whole)
        return;
    weir_wide more = period / weir_wide_divisor(sum->whole, period);
    if (sum->whole > ((weir_wide)1 << 100) / more || sum->parts > ((weir_wide)1 << 100) / more) {
        sum->whole = 0;
        return;
    }
    sum->whole *= more;
    sum->parts = sum->parts * more + sum->whole / period * time;
}

/* Negative: below 1, positive: above; *known: whether it is. */
static int compare(const struct sum *sum, bool *known)
{
    *known = true;
    if (sum->above <= ONE)
        return -1;
    if (sum->below > ONE)
        return 1;
    if (sum->whole)
        return sum->parts > sum->whole ? 1 : -1;
    *known = false;
    return 0;
}

static bool overloads(const struct weir_taskset *set, uint32_t i)
{
    const struct weir_task *task = &set->tasks[i];
    int64_t period = set->graphs[task->graph].period;
    if (task->worst > period)
        return true;
    if (task->processor == WEIR_OWN_PROCESSOR || set->processors[task->processor].sharing != WEIR_TDM)
        return false;
    return (weir_wide)task->worst * set->processors[task->processor].frame > (weir_wide)task->slot * period;
}

enum weir_priority_outcome weir_load_check(struct weir_priority_system *s)
{
    const struct weir_taskset *set = s->set;
    for (uint32_t i = 0; i < set->task_count; i++)
        if (overloads(set, i)) {
            s->reason.fault = WEIR_PRIORITY_FAULT_SLOW;
            s->reason.task = i;
            return s->reason.outcome = WEIR_PRIORITY_UNBOUNDED;
        }
    for (uint32_t i = 0; i < set->task_count; i++) {
        uint32_t p = set->tasks[i].processor;
        struct sum sum = {.whole = 1};
        bool known, mine = true;
        if (p == WEIR_OWN_PROCESSOR || set->processors[p].sharing == WEIR_TDM)
            continue;
        /* The first task of a processor speaks for it. */
        for (uint32_t j = 0; j < set->task_count && mine; j++)
            if (set->tasks[j].processor == p) {
                mine = j >= i;
                add(&sum, set->tasks[j].worst, s->period[j]);
            }
        if (!mine)
            continue;
        int order = compare(&sum, &known);
        if (known && order < 0)
            continue;
        s->reason.fault = WEIR_PRIORITY_FAULT_LOAD;
        s->reason.task = i;
        s->reason.need = (int64_t)(sum.below / (ONE / 1000));
        return s->reason.outcome = known ? WEIR_PRIORITY_UNBOUNDED : WEIR_PRIORITY_LIMIT;
    }
    return WEIR_PRIORITY_CONVERGED;
}
