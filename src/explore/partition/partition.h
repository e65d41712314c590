/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The search for a division of SMs. An arrangement says which operators share a partition; within it, each partition has a list of
 * choices, a number of SMs with the times of its operators. Partitions are given their choice one after the other. What is still
 * open is relaxed: an operator gets an interval that lies within those of all choices it has left, or where there is none, nothing
 * but the work on the longest way. A narrower interval never has a larger worst case, so the score of that is a lower bound.
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
    struct weir_partition_score score;
    uint32_t sms;
    uint32_t arrangement;
    uint32_t part_sms[PARTS_MAX];
};

struct weir_arrangement {
    uint8_t part[PARTS_MAX]; /* by profile */
    uint32_t parts;
};

struct weir_partition_study {
    const struct weir_pipeline *pipeline;
    const struct weir_partition_options *options;
    struct weir_arrangement *arrangements;
    size_t arrangement_count;
    /* Operators in an order in which queues without initial messages lead from earlier to later ones; for longest ways. */
    uint32_t *order;
    uint32_t *order_first, *order_queues; /* by operator: those queues that leave it */
    struct weir_partition_task {
        uint32_t arrangement, first, second; /* choices of the first two partitions; UINT32_MAX: there is no second */
    } * tasks;
    size_t task_count, task_capacity;
    struct weir_arena arena; /* of the order */
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
enum weir_status weir_choices_list(const struct weir_partition_study *study, const struct weir_arrangement *arrangement,
                                   struct weir_part_choices choices[PARTS_MAX], struct weir_error *error);
void weir_choices_free(struct weir_part_choices choices[PARTS_MAX]);

/* All ways to put the operators together; one with each alone comes first. False: out of memory. */
bool weir_arrangements_list(struct weir_partition_study *study);

int weir_division_score_compare(const struct weir_partition_score *a, const struct weir_partition_score *b);
/* Below 0 when a is the one to take. One that was not found comes last. */
int weir_division_compare(const struct weir_division *a, const struct weir_division *b, uint32_t parts);

/* A thread's own: an evaluator, and the way down to where it looks. */
struct weir_partition_seeker;
enum weir_status weir_seeker_new(const void *study, void **seeker, struct weir_error *error);
void weir_seeker_free(void *seeker);
/* The best division of a task that is better than the hint, if there is one. */
enum weir_status weir_seeker_perform(void *seeker, const void *study, uint64_t task, const void *hint, void *result,
                                     struct weir_error *error);
/* A lower bound for all divisions of a task. */
enum weir_status weir_seeker_bound(struct weir_partition_seeker *seeker, uint64_t task, struct weir_partition_score *lower,
                                   struct weir_error *error);
/* The score of the pipeline with these times in the place of the profiles'. */
enum weir_status weir_seeker_score(struct weir_partition_seeker *seeker, const int64_t *best, const int64_t *worst,
                                   struct weir_partition_score *score, struct weir_error *error);

#endif
