/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Evaluating points, many at once: by how many threads, nobody can tell from the result. A search hands over a list of points whose
 * length does not depend on the threads, and gets their scores. Points it has asked about before cost nothing.
 */
#ifndef WEIR_EXPLORE_TEAM_H
#define WEIR_EXPLORE_TEAM_H

#include "explore/arrange/design_space.h"
#include "explore/arrange/score.h"

/* Lists should be about this long: enough for many cores, and little is lost when the first point was the one. */
#define WEIR_TEAM_LIST 32

/* Scores what the engine says of a point. Called by several threads at once. */
struct weir_judge {
    void (*score)(const void *context, const int64_t *point, const struct weir_candidate *answer, struct weir_score *score);
    const void *context;
};

struct weir_team_options {
    const struct weir_design_space *space;
    const struct weir_priority_options *analysis;
    struct weir_judge judge;
    unsigned threads;     /* 0: one per core */
    uint64_t evaluations; /* at most */
    const bool *stop;     /* may be NULL */
    void (*progress)(void *context, unsigned permille);
    void *context;
};

struct weir_team;
struct weir_team *weir_team_new(const struct weir_team_options *options, struct weir_error *error);
void weir_team_free(struct weir_team *team); /* NULL is fine */

/* Scores `count` points that lie one behind the other. The first *done of them have one then: fewer than `count` only when the
 * search is to end, by stop or by the limit. */
enum weir_status weir_team_evaluate(struct weir_team *team, const int64_t *points, size_t count, struct weir_score *scores,
                                    size_t *done, struct weir_error *error);
bool weir_team_ended(const struct weir_team *team); /* by stop or by the limit: some list was not done */
bool weir_team_stopped(struct weir_team *team);     /* looks at stop, for searches that do other work in between */
uint64_t weir_team_evaluations(const struct weir_team *team);
uint64_t weir_team_left(const struct weir_team *team);

/* How far the search is, as far as evaluations do not tell: in parts of a thousand. */
void weir_team_reached(struct weir_team *team, unsigned permille);

#endif
