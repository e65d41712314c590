/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The search for a division of SMs. An arrangement says which operators share a partition; within it, each partition has a list of
 * choices, a number of SMs with the times of its operators. A node (floor.h) is a set of divisions; it is bounded from below, and
 * divided into two until nothing is left that could be better than the best (tree.h).
 */
#ifndef WEIR_EXPLORE_PARTITION_PARTITION_H
#define WEIR_EXPLORE_PARTITION_PARTITION_H

#include "base/alloc.h"
#include "base/task_pool.h"
#include "weir.h"

#define PARTS_MAX WEIR_PARTITION_OPERATORS_MAX

/* A division, or a part of one: comparable as a whole. */
struct weir_division {
    bool found;
    bool stopped;                      /* of a result: there may be better ones, it was interrupted */
    struct weir_partition_score lower; /* ... and what they are not below */
    struct weir_partition_score score;
    uint32_t sms;
    uint32_t arrangement;
    uint32_t part_sms[PARTS_MAX];
};

struct weir_partition_arrangement {
    uint8_t part[PARTS_MAX]; /* by profile */
    uint32_t parts;
};

struct weir_partition_rows;
struct weir_node;

struct weir_partition_study {
    const struct weir_pipeline *pipeline;
    const struct weir_partition_options *options;
    struct weir_partition_arrangement *arrangements;
    size_t arrangement_count;
    struct weir_partition_rows *rows; /* what every thread begins with */
    bool instant;                     /* no profile has a best case above 0 */
    /* No division, of whatever arrangement, is below this: every operator alone, on as many SMs as it likes. A shared partition
     * only makes its operators slower. */
    struct weir_partition_score least;
    struct weir_partition_task {
        uint32_t arrangement;
        struct weir_node *node; /* NULL: all of the arrangement */
    } * tasks;
    size_t task_count;
};

/* What a partition may be. */
struct weir_part_choice {
    uint32_t sms;
    int64_t best[PARTS_MAX], worst[PARTS_MAX]; /* by profile; of its operators */
};
struct weir_part_choices {
    struct weir_part_choice *items; /* ascending SMs, none of them pointless */
    size_t count;
};
/* Lists the choices of each partition of an arrangement. Freed with weir_choices_free. WEIR_OVERFLOW: times that cannot be added.
 */
enum weir_status weir_choices_list(const struct weir_partition_study *study, const struct weir_partition_arrangement *arrangement,
                                   struct weir_part_choices choices[PARTS_MAX], struct weir_error *error);
void weir_choices_free(struct weir_part_choices choices[PARTS_MAX]);

/* The number, among its points, of the one that holds for so many SMs; -1: they are too few. */
int64_t weir_profile_point_at(const struct weir_profile *profile, uint32_t sms);

/* All ways to put the operators together; one with each alone comes first. False: out of memory. */
bool weir_arrangements_list(struct weir_partition_study *study);

int weir_division_score_compare(const struct weir_partition_score *a, const struct weir_partition_score *b);
/* Below 0 when a is the one to take. One that was not found comes last. */
int weir_division_compare(const struct weir_division *a, const struct weir_division *b);

static inline bool weir_partition_stopped(const struct weir_partition_study *s)
{
    return s->options->stop && __atomic_load_n(s->options->stop, __ATOMIC_RELAXED);
}

/* ---- score.c: what times come to ---- */

struct weir_partition_scorer {
    const struct weir_partition_study *study;
    struct weir_partition_rows *rows; /* grows with what is asked */
    struct weir_evaluator *evaluator;
    int64_t *times;  /* by actor of the graph: worst cases, for longest paths */
    int64_t *paths;  /* by actor: the longest path to it */
    uint32_t *from;  /* ... and the actor before it; UINT32_MAX: none */
    int64_t *counts; /* by operator, twice: scratch */
    bool *endless;   /* by latency: it had no bound when last asked */
    struct weir_arena arena;
};
enum weir_status weir_scorer_make(struct weir_partition_scorer *scorer, const struct weir_partition_study *study,
                                  struct weir_error *error);
void weir_scorer_end(struct weir_partition_scorer *scorer); /* a zeroed one is fine */
/* The place in the evaluator's graph, or the actor of the sealed graph, whose times a profile is about. */
uint32_t weir_scorer_actor(const struct weir_partition_scorer *scorer, uint32_t profile);
enum weir_status weir_scorer_set(struct weir_partition_scorer *scorer, uint32_t profile, int64_t best, int64_t worst,
                                 struct weir_error *error);
enum weir_partition_asked {
    WEIR_ASKED_SCORE,
    WEIR_ASKED_ROWS,  /* the score, and rows that say so */
    WEIR_ASKED_LOWER, /* no more than the score */
    WEIR_ASKED_PATHS, /* ... from the longest paths alone */
};
enum weir_status weir_scorer_ask(struct weir_partition_scorer *scorer, enum weir_partition_asked asked,
                                 struct weir_partition_score *score, struct weir_error *error);

/* ---- cut.c ---- */

/* Adds a row that is as long as the latency is with the times that are set, for each latency that is exact; they stay set. */
enum weir_status weir_scorer_cut(struct weir_partition_scorer *scorer, struct weir_error *error);

/* ---- start.c ---- */

/* A good division to begin with, each operator alone, rows for the study, what no division is below, and the tasks. */
enum weir_status weir_partition_start(struct weir_partition_study *study, struct weir_division *division, struct weir_error *error);

/* ---- seek.c: a thread's own ---- */

struct weir_partition_seeker;
enum weir_status weir_seeker_new(const void *study, void **seeker, struct weir_error *error);
void weir_seeker_free(void *seeker);
/* The best division of a task that is better than the hint, if there is one. */
enum weir_status weir_seeker_perform(void *seeker, const void *study, uint64_t task, const void *hint, void *result,
                                     struct weir_error *error);
/* A lower bound for all divisions of a task, without a search. */
enum weir_status weir_seeker_bound(struct weir_partition_seeker *seeker, uint64_t task, struct weir_partition_score *lower,
                                   struct weir_error *error);

#endif
