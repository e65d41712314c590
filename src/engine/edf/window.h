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
    bool exact;    /* no bound has been rounded up so far */
    bool rounded;  /* the last wait was */
    int64_t steps; /* pairs of operators so far */
    int64_t round; /* a multiple of all periods; 0: it is too long */
    int64_t up;    /* an end that was rounded up, of the last window from the release to it, of all; negative: it was not */
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

/* Of executions that are released at `first`, a period later and so on until `most`, what is after `from` and before `to`. */
static inline int64_t weir_edf_work_between(const struct weir_edf_window *i, int64_t first, int64_t most, int64_t from, int64_t to)
{
    if (first > most)
        return 0;
    int64_t more = weir_edf_quotient(most - first, i->period), last = first + more * i->period;
    int64_t left = first - from < i->cost ? first - from : i->cost, right = to - last < i->cost ? to - last : i->cost;
    return more > 0 ? (more - 1) * i->cost + left + right : left < right ? left : right;
}

/* What i runs in a window of the execution that the turn is about, which begins less than `sooner` before its release, where of i
 * there is work left when it begins or not; INT64_MAX where nothing is known of that. */
static inline int64_t weir_edf_work_in_turn(const struct weir_edf_window *i, int64_t sooner, bool left)
{
    if (!i->turn.known)
        return INT64_MAX;
    int64_t from = i->turn.from - sooner + (left ? 0 : i->bound), least = from + 1, number = i->turn.past + least;
    int64_t past = number < 0 ? number % i->period : number - weir_edf_quotient(number, i->period) * i->period;
    return weir_edf_work_between(i, least + (past > 0 ? i->period - past : -past), i->turn.most, from - (left ? 0 : i->cost),
                                 i->turn.to);
}

/* What is left of `other` in the window of `own` because one of them needs the other; INT64_MAX where neither does. */
int64_t weir_edf_work_in_step(const struct weir_edf_look *look, uint32_t other, uint32_t own);
/* The turn of all others beside `own`, from which weir_edf_work_in_turn works. */
void weir_edf_take_turn(const struct weir_edf_look *look, uint32_t own);
/* The least whole y from which on others with the `work` of each, `sum` in all, cannot keep all cores busy. */
int64_t weir_edf_wait(struct weir_edf_look *look, int64_t sum);
/* When an execution of k, of those that the turn is about, ends at the latest, if its window is as long as its bound; negative
 * where that does not fit. */
int64_t weir_edf_close_turn(struct weir_edf_look *look, uint32_t k);
/* Smaller bounds in shorter units, where the ones that there are have been rounded up. */
void weir_edf_refine(struct weir_edf_look *look);

/* When an execution of k ends at the latest by what is in windows that begin when cores get busy: `enough` or more where that is
 * no better than `enough`; negative where there is too much to look at. */
int64_t weir_edf_busy(struct weir_edf_look *look, uint32_t k, int64_t enough);

#endif
