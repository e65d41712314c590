/* SPDX-License-Identifier: Apache-2.0 */
/* Hill climbing: from a point to a better neighbour, as long as there is one. */
#ifndef WEIR_EXPLORE_ARRANGE_HILL_CLIMB_H
#define WEIR_EXPLORE_ARRANGE_HILL_CLIMB_H

#include "base/random.h"
#include "explore/team.h"

/* The neighbours of a point, by number. */
struct weir_moves {
    /* Numbers run from 0; to be called with a point before its neighbours are asked for. */
    uint64_t (*count)(void *context, const int64_t *point);
    /* False when there is no neighbour of this number. */
    bool (*make)(void *context, uint64_t number, int64_t *neighbour);
};

/* What was found best so far. */
struct weir_best {
    int64_t *point; /* room for one, the caller's */
    struct weir_score score;
    bool any;
};
void weir_best_offer(struct weir_best *best, const int64_t *point, size_t width, const struct weir_score *score);

struct weir_hill_climb {
    struct weir_team *team;
    const struct weir_moves *moves;
    void *context;
    size_t width;              /* values of a point */
    struct weir_random random; /* in which order to look at neighbours */
    uint64_t patience;         /* evaluations without a better neighbour after which a climb gives up */
    int64_t *list;             /* scratch */
};

/* Climbs from `point` to a point without a better neighbour, or until patience or the team's search ends. `point` is changed. */
enum weir_status weir_hill_climb_run(struct weir_hill_climb *climb, int64_t *point, struct weir_best *best,
                                     struct weir_error *error);

#endif
