/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Busy periods. Let n0 be the last iteration of task i up to n whose latest enabling is not before the end of the iteration before
 * it. From that moment to the end of n, task i always has something to do: q = n - n0 + 1 executions. If they end within w(q),
 *
 *     finish_i - enable_i >= w(q) - (q - 1) P   for q = 1, 2, ... up to the first q with w(q) <= q P
 *
 * suffices, as n0 + q would be a later such iteration. w(q) is the least solution of w = (what the processor may have to do in a
 * window of that length); how that is counted depends on the processor and the rule.
 *
 * Also, w(q + k) <= w(q) + k P where k P is a multiple of the periods of all rivals: then everything is counted k times more at
 * most, and the load does not exceed 1. So q <= k suffices, and q = 1 where all rivals are of one graph. That is system->repeat.
 */
#ifndef WEIR_ENGINE_PRIORITY_WINDOW_H
#define WEIR_ENGINE_PRIORITY_WINDOW_H

#include "engine/priority/system.h"

enum weir_window_end {
    WEIR_WINDOW_FOUND,
    WEIR_WINDOW_BEYOND, /* the limit of latency */
    WEIR_WINDOW_WORK,   /* the limit of work */
};

/* The busy period that gives the latest end. */
struct weir_window {
    int64_t iterations;
    int64_t length;             /* from the latest enabling of the first */
    int64_t duration;           /* length - (iterations - 1) P */
    int64_t before;             /* critical instants: how long before that enabling the processor became busy */
    enum weir_priority_rule by; /* that found it: of BEST, the smaller */
    int32_t level;              /* of a level: its lowest priority */
    uint64_t phase;             /* ... which phases of other graphs */
    struct weir_region region;  /* ... and which levels of other processors joined it */
};

/* Which durations matter: none is needed exactly that is not above `above`, and one that is not below `below` may as well be
 * beyond the limit. */
struct weir_window_interest {
    int64_t above, below;
};

enum weir_window_end weir_window_longest(struct weir_priority_system *system, enum weir_priority_rule rule, uint32_t task,
                                         struct weir_window_interest interest, struct weir_window *window);

/* How often each rival executes in that window, by rival of `task` from system->first[task] on; less urgent ones, too. */
void weir_window_counts(struct weir_priority_system *system, uint32_t task, const struct weir_window *window, int64_t *counts);

/* ---- between the files of windows ---- */

/* ... with w already split by the term's period. */
static inline int64_t weir_term_count(const struct weir_term *term, struct weir_split w, int64_t q)
{
    int64_t rest = w.rest + term->ahead.rest, cap = term->cap + q - 1, least = term->grows ? term->least + q - 1 : term->least;
    int64_t up = w.periods + term->ahead.periods + (rest > 0) + (rest > term->period);
    up = up < least ? least : up;
    up = (up > cap ? cap : up) + term->extra;
    return up > 0 ? up : 0;
}

/* Longest w for q executions that is still of interest: beyond it the finish would be beyond the limit, or the duration not below
 * `below`. WEIR_PRIORITY_FAR if q is out of range. */
static inline int64_t weir_window_most(const struct weir_priority_system *s, uint32_t task, int64_t q, int64_t below)
{
    int64_t most = s->latency_limit - s->enable[task];
    if (q > WEIR_TIME_MAX / 4 / s->period[task])
        return WEIR_PRIORITY_FAR;
    return (most < below ? most : below - 1) + (q - 1) * s->period[task];
}

/* system->terms for a rule that counts executions one by one (all but CIX), for the processor of the task. */
void weir_terms_fill(struct weir_priority_system *system, enum weir_priority_rule rule, uint32_t task);
/* ... of one rival, for windows that begin when no task has anything to do, `before` before the latest enabling of the task. */
struct weir_term weir_term_critical(const struct weir_priority_system *system, uint32_t task, uint32_t rival, int64_t before);
/* ... and as if every rival were of another graph. */
struct weir_term weir_term_jitter(const struct weir_priority_system *system, uint32_t rival);

/* What the terms add up to. */
int64_t weir_terms_sum(struct weir_priority_system *system, int64_t w, int64_t q);
/* The least w with base + all terms <= w, if *w is not above it to begin with; when `most` is exceeded it ends early. False: the
 * limit of work. */
bool weir_terms_close(struct weir_priority_system *system, int64_t base, int64_t q, int64_t most, int64_t *w);

/* By critical instants. */
enum weir_window_end weir_window_critical(struct weir_priority_system *system, uint32_t task, struct weir_window_interest interest,
                                          struct weir_window *window);
void weir_critical_counts(struct weir_priority_system *system, uint32_t task, const struct weir_window *window, int64_t *counts);

#endif
