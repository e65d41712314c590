/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Nodes (floor.h) of one arrangement that are open. The lowest is bounded, and where it may have something better than the best, it
 * is divided: the choices of a partition into the smaller and the larger ones, or the forms of a row into two sets, as the latency
 * is at least the least of one or of the other. Of some ways to divide it, that which lifts both bounds most is taken. Whatever is
 * met on the way is scored; where rows say too little of it, there are new ones. Of equally good divisions those with fewer SMs are
 * better, so that a node that cannot be below the best stays open with so many SMs.
 */
#ifndef WEIR_EXPLORE_PARTITION_TREE_H
#define WEIR_EXPLORE_PARTITION_TREE_H

#include "explore/partition/floor.h"

struct weir_tree {
    const struct weir_partition_study *study;
    struct weir_partition_scorer *scorer; /* the caller's */
    uint32_t arrangement;
    struct weir_part_choices choices[PARTS_MAX];
    struct weir_floor floor;
    struct weir_node **open;
    size_t open_count, open_capacity;
    struct weir_division best;
};

/* Ended, after a failure, too, before it is begun again; a zeroed one is ended. `best` is the caller's to set. */
enum weir_status weir_tree_begin(struct weir_tree *tree, const struct weir_partition_study *study,
                                 struct weir_partition_scorer *scorer, uint32_t arrangement, struct weir_error *error);
void weir_tree_end(struct weir_tree *tree);
/* Opens all divisions of the arrangement; where there is none, nothing. */
enum weir_status weir_tree_open_all(struct weir_tree *tree, struct weir_error *error);
/* Opens a copy of a node. */
enum weir_status weir_tree_open(struct weir_tree *tree, const struct weir_node *node, struct weir_error *error);
/* Looks at open nodes, until none is left, there are so many, or it is interrupted. */
enum weir_status weir_tree_grow(struct weir_tree *tree, size_t most, struct weir_error *error);
/* What no division of an open node is below. */
struct weir_partition_score weir_tree_lower(const struct weir_tree *tree);

/* A bound for all divisions of an arrangement, from the best times of each operator alone. */
enum weir_status weir_tree_least(const struct weir_partition_study *study, struct weir_partition_scorer *scorer,
                                 uint32_t arrangement, struct weir_partition_score *lower, struct weir_error *error);

#endif
