/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which operator runs where, and before which: for each processor with fixed priorities, a list of its operators, the most urgent
 * first. As a point of a space an arrangement is two values per operator: its processor and its priority.
 */
#ifndef WEIR_EXPLORE_ARRANGE_ARRANGE_H
#define WEIR_EXPLORE_ARRANGE_ARRANGE_H

#include "base/alloc.h"
#include "base/random.h"
#include "explore/arrange/search.h"

/* The operators on those processors, called seats here: seat s has variables 2s (processor) and 2s + 1 (priority). */
struct weir_seat {
    uint32_t op, home; /* home: its processor in the model */
    bool free;         /* may be moved */
    bool numbered;     /* the model's priorities at home are all different */
    int32_t priority;  /* in the model */
};

/* The lists one behind the other: those of processor p from first[p] up to first[p + 1]. */
struct weir_lists {
    uint32_t *first;  /* by processor, and one more */
    uint32_t *member; /* seats */
};

struct weir_arrangement {
    const struct weir_pipeline *model;
    struct weir_design_space space;
    struct weir_seat *seats;
    uint32_t seat_count, processor_count;
    bool *target; /* by processor: seats that are free may move there */
    struct weir_lists now, next;
    uint32_t *scratch; /* by seat */
    struct weir_arena arena;
};

static inline bool weir_seat_fits(const struct weir_arrangement *a, uint32_t seat, uint32_t where)
{
    return a->seats[seat].home == where || (a->seats[seat].free && a->target[where]);
}

/* options->goal decides whether any seat is free. */
enum weir_status weir_arrangement_new(const struct weir_pipeline *model, const struct weir_explore_options *options,
                                      struct weir_arrangement **arrangement, struct weir_error *error);
void weir_arrangement_free(struct weir_arrangement *arrangement);

/* Lists and points. Where the operators of a processor were all there before, with different priorities, they share these out
 * anew; others are numbered from 1 on. */
void weir_arrangement_write(const struct weir_arrangement *arrangement, const struct weir_lists *lists, int64_t *point);
void weir_arrangement_read(const struct weir_arrangement *arrangement, const int64_t *point, struct weir_lists *lists);

/* How far a point is from the model: operators moved, then pairs of operators that have changed their order. */
int64_t weir_arrangement_distance(const struct weir_arrangement *arrangement, const int64_t *point);

/* Where to begin: start 0 is the model, then rules of thumb, then anything. */
enum weir_status weir_arrangement_start(struct weir_arrangement *arrangement, uint32_t start, struct weir_random *random,
                                        int64_t *point, struct weir_error *error);

/* The neighbours of a point, by number: two operators change places, or one takes another place in a list. How many numbers there
 * are, to be asked before the neighbours; and whether there is a neighbour of that number. */
uint64_t weir_arrangement_moves(struct weir_arrangement *arrangement, const int64_t *point);
bool weir_arrangement_move(struct weir_arrangement *arrangement, uint64_t number, int64_t *neighbour);

struct weir_hill_climb {
    struct weir_scorer *scorer;
    struct weir_arrangement *arrangement;
    struct weir_random random; /* in which order to look at neighbours */
    uint64_t patience;         /* evaluations without a better neighbour after which a climb gives up */
    int64_t *list;             /* scratch: WEIR_SCORER_LIST points */
};
/* Climbs from `point` to a point without a better neighbour, or until patience or the search ends. `point` is changed. */
enum weir_status weir_hill_climb_run(struct weir_hill_climb *climb, int64_t *point, struct weir_best *best,
                                     struct weir_error *error);

/* Every arrangement, one after the other: how many there are, `limit` + 1 when more than `limit`; and the next after the one that
 * the digits (one per seat, at first all 0) stand for, false after the last. */
uint64_t weir_arrangement_count(struct weir_arrangement *arrangement, uint64_t limit);
void weir_arrangement_build(struct weir_arrangement *arrangement, const uint32_t *digits, int64_t *point);
bool weir_arrangement_next(struct weir_arrangement *arrangement, uint32_t *digits);

#endif
