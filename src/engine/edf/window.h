/* SPDX-License-Identifier: Apache-2.0 */
/* A look at windows of executions, from the release to the end (window.c) or from the moment when cores get busy (busy.c). */
#ifndef WEIR_ENGINE_EDF_WINDOW_H
#define WEIR_ENGINE_EDF_WINDOW_H

#include "engine/edf/system.h"

#define WEIR_EDF_TIMES_END (INT64_C(1) << 58)
#define WEIR_EDF_STEPS_MAX (INT64_C(1) << 24) /* pairs of operators that are looked at */

struct weir_edf_look {
    struct weir_edf_system *system;
    int64_t scale;
    struct weir_edf_window *nodes;
    bool related;  /* who needs whom is known */
    bool busy;     /* windows begin when cores get busy, too */
    int64_t steps; /* pairs of operators so far */
    int64_t round; /* a multiple of all periods; 0: it is too long */
    int64_t turn;  /* behind even sources, the execution that is looked at, of those until its part comes round; 0: all of them */
};

/* Neither is negative. Most are short, and short ones divide faster. */
static inline int64_t weir_edf_quotient(int64_t number, int64_t by)
{
    return ((number | by) >> 32) == 0 ? (int64_t)((uint32_t)number / (uint32_t)by) : number / by;
}

/* Executions of i that begin at times at most `span` apart, the first and the last of which may be cut. */
static inline int64_t weir_edf_work_in_time(const struct weir_edf_window *i, int64_t span)
{
    if (span <= i->cost)
        return span;
    int64_t whole = weir_edf_quotient(span - i->cost, i->period), rest = span - i->cost - whole * i->period;
    return whole * i->cost + (rest < i->cost ? rest : i->cost);
}

/* The sum over n >= 0 of min(e, left - n p)^+. */
static inline int64_t weir_edf_work_by_deadlines(const struct weir_edf_window *i, int64_t left)
{
    if (left <= 0)
        return 0;
    int64_t whole = left >= i->cost ? weir_edf_quotient(left - i->cost, i->period) + 1 : 0, rest = left - whole * i->period;
    return whole * i->cost + (rest <= 0 ? 0 : rest < i->cost ? rest : i->cost);
}

/* What is left of `other` in the window of `own` because one of them needs the other; INT64_MAX where neither does. */
int64_t weir_edf_work_in_step(const struct weir_edf_look *look, uint32_t other, uint32_t own);
/* ... in a window of the execution that the turn is about, which begins less than `sooner` before its release, where of `other`
 * there is work left when it begins or not; INT64_MAX where nothing is known of that. */
int64_t weir_edf_work_in_turn(const struct weir_edf_look *look, uint32_t other, uint32_t own, int64_t sooner, bool left);
/* The least whole y from which on others with the `work` of each, `sum` in all, cannot keep all cores busy. */
int64_t weir_edf_wait(const struct weir_edf_look *look, int64_t sum);

/* When an execution of k ends at the latest by what is in windows that begin when cores get busy: `enough` or more where that is
 * no better than `enough`; negative where there is too much to look at. */
int64_t weir_edf_busy(struct weir_edf_look *look, uint32_t k, int64_t enough);

#endif
