/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What no division of a node is below. Rows (rows.h) with weights, the same in all for each latency, bound the sum of all
 * latencies. A row of several forms becomes, on the choices that a node has left, a sum over partitions below all of them:
 *
 *     at a division x of the node let f be the least form, and g another, higher by d. What g could fall against f, from x to any
 *     choice of one partition, is its need there. If d is no less than the sum of all needs, g is nowhere below f, and is dropped;
 *     else g is moved until it is as high as f at x in each partition, plus a share of d by its needs; the least of f and what g
 *     has become, for each choice of each partition, adds up to no more than the least of f and g.
 *
 * For weights, and a price for each SM, every partition has a best choice of its own, which gives the bound. A choice that would
 * lift the bound above the best division is left out. Weights that say most are found by turns: the best choices for the rows as
 * weighted, then more weight for the row that is longest there.
 */
#ifndef WEIR_EXPLORE_PARTITION_FLOOR_H
#define WEIR_EXPLORE_PARTITION_FLOOR_H

#include "explore/partition/rows.h"

/* The sum of the weights of turns 1 to 1,400 is below WEIR_WEIGHT_MAX. */
enum { TURNS_AHEAD = 20, TURNS_NODE = 60, TURNS_MAX = 240, WEIGHT_ONE = 4096 };

/* Divisions of an arrangement: those with one of these choices for each partition, on a budget of SMs, where each row is as long as
 * one of the forms that are not dropped. */
struct weir_node {
    struct weir_partition_score lower;
    uint32_t budget;
    bool bounded;                               /* it has been looked at, or a larger one */
    uint32_t first[PARTS_MAX], last[PARTS_MAX]; /* by partition: of its choices */
    uint32_t at[PARTS_MAX];                     /* by partition: what the bound likes on average */
    uint16_t weight[ROWS_MAX];                  /* of WEIGHT_ONE, for each latency */
    uint64_t dropped[ROWS_MAX];                 /* bits of forms */
};

struct weir_floor_row {
    const struct weir_partition_row *of;
    int64_t *costs; /* by form and choice */
    int64_t *plain; /* by choice: on the node */
    int64_t fixed;  /* on the node */
};

/* By choice: all choices of the first partition, those of the second ... */
struct weir_floor {
    const struct weir_partition_study *study;
    const struct weir_partition_rows *rows;
    const struct weir_partition_arrangement *arrangement;
    const struct weir_part_choices *choices;
    uint32_t begin[PARTS_MAX + 1]; /* by partition: its first choice among all */
    struct weir_floor_row made[ROWS_MAX];
    size_t made_count;
    int64_t *sms;               /* by choice */
    int64_t *mix, *best_mix;    /* by choice: weighted sums */
    bool *endless;              /* by latency: it has no bound, whatever is chosen, and is no part of the sum */
    uint32_t unbounded, missed; /* how many these are, and their deadlines */

    /* What the last play has found. */
    int64_t loss[ROWS_MAX];        /* by row: what moving its forms has cost */
    int64_t spread[PARTS_MAX];     /* by partition: how much the turns differ */
    uint32_t candidate[PARTS_MAX]; /* the choices that the rows like best */
    bool found;                    /* there is a candidate */
};

/* For an arrangement whose partitions have choices; it refers to all it is given. Ended before it is begun again; a zeroed one is
 * ended. */
enum weir_status weir_floor_begin(struct weir_floor *floor, const struct weir_partition_study *study, uint32_t arrangement,
                                  const struct weir_part_choices *choices, const struct weir_partition_rows *rows);
void weir_floor_end(struct weir_floor *floor);
/* By latency: it has no bound, whatever is chosen. */
void weir_floor_leave_out(struct weir_floor *floor, const bool *endless);
/* Takes rows that are new. False: out of memory. */
bool weir_floor_renew(struct weir_floor *floor);
/* Leaves out choices for which the budget is too small. False: it is too small for any. */
bool weir_floor_trim(const struct weir_floor *floor, struct weir_node *node);
/* Raises the node's lower bound in so many turns, until it is above `most` in all, and leaves out what is. In TURNS_AHEAD it does
 * so with no other rows than those that have weights. */
void weir_floor_play(struct weir_floor *floor, struct weir_node *node, int turns, const struct weir_partition_score *most);
/* The longest that rows say of a division, by latency, added up. */
int64_t weir_floor_at(const struct weir_floor *floor, const uint32_t x[PARTS_MAX]);

#endif
