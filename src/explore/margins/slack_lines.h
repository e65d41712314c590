/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A path that reaches the worst separation, as what it says about other numbers. Whatever the numbers are, the separation is at
 * least the least slack on the path (docs/concepts/exactness.md, the theorem); and each slack is the length of the rest of the
 * path, which rises evenly with each worst time on it, less the time that the reference takes at best times.
 */
#ifndef WEIR_EXPLORE_MARGINS_SLACK_LINES_H
#define WEIR_EXPLORE_MARGINS_SLACK_LINES_H

#include "engine/exact/search.h"

/* The slack at one node of the path, or against the beginning of time. */
struct weir_slack_line {
    int64_t value;   /* of the slack, now */
    int64_t length;  /* of the path from here on, now */
    int64_t slope;   /* how the slack rises with the step in worst times; never negative */
    int64_t depth;   /* iterations before the reference: as many periods can be in what is taken away, at most */
    int64_t periods; /* of the clock, on the path from here on */
    int64_t at;      /* where in the tables what is taken away stands: row * actors + actor; of the beginning, the row */
    enum weir_line_kind {
        WEIR_LINE_BEST,   /* D: the reference at best times */
        WEIR_LINE_HOT,    /* F and the actor's own worst time */
        WEIR_LINE_ORIGIN, /* O: from the beginning of time */
        WEIR_LINE_SUM,    /* nothing: best times are 0, or it begins at any time */
    } kind;
    uint32_t actor;
};

struct weir_slack_lines {
    struct weir_slack_line *items; /* none: there is no such path within the limits, or it passes over a jump of the search */
    size_t count, capacity;
};

/* What changes: worst times by `rise` for each step, by actor (NULL: none); the period of the actor `clock` (WEIR_NO_ACTOR: of
 * none). */
struct weir_slack_lines_step {
    const int64_t *rise;
    uint32_t clock;
};

/* The lines of a path that reaches `value`, which weir_separation_worst said is exact for the problem just posed and solved. Reuses
 * what `lines` has; WEIR_MEMORY, WEIR_OVERFLOW or WEIR_OK. */
enum weir_status weir_slack_lines_find(struct weir_solver *solver, const struct weir_problem *problem, int64_t value,
                                       const struct weir_slack_lines_step *step, struct weir_slack_lines *lines);
void weir_slack_lines_free(struct weir_slack_lines *lines);

#endif
