/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What no division of an arrangement comes below. A row is a path through the trace that makes a latency at least
 *
 *     fixed + the sum of counts[i] times what operator i takes,
 *
 * whatever the times are: the longest path from one operator to another, or where every best case is 0 a path that was the longest
 * for some times. Rows with weights, the same in all for each latency, bound the sum of all latencies. For a row, or rows with
 * weights, the best that the partitions still open can do with so many SMs is a table, made once from the last partition to the
 * first. So a bound for all divisions that begin alike is a look into each table.
 *
 * Weights that say most are found by turns: the best division for the rows as weighted, then more weight for the row that is
 * longest there. Every division that is met on the way is a candidate.
 */
#ifndef WEIR_EXPLORE_PARTITION_FLOOR_H
#define WEIR_EXPLORE_PARTITION_FLOOR_H

#include "explore/partition/partition.h"

enum { ROWS_MAX = 64, MIXES_MAX = 32, TABLES_MAX = ROWS_MAX + MIXES_MAX, TURNS_FEW = 48, TURNS_MAX = 400 };

struct weir_partition_rows {
    struct weir_partition_row items[ROWS_MAX];
    size_t count, borrowed; /* the costs of the first `borrowed` belong to others */
};
void weir_rows_free(struct weir_partition_rows *rows); /* NULL is fine */
/* False: it is there already, there is no room, or its times are too long to be weighted. Else its costs belong to the rows. */
bool weir_rows_add(const struct weir_partition_study *study, struct weir_partition_rows *rows,
                   const struct weir_partition_row *row);

struct weir_floor_table {
    uint32_t chain; /* whose latency; UINT32_MAX: the sum of all */
    int64_t scale;  /* it is in so many parts of a tick */
    int64_t fixed;
    int64_t *cost; /* by position and choice, see `first` */
    int64_t *rest; /* by position and budget: the least of this one and all behind it; INT64_MAX: there are too few SMs */
};

struct weir_floor {
    const struct weir_partition_study *study;
    const struct weir_partition_rows *rows;
    const struct weir_partition_arrangement *arrangement;
    const struct weir_part_choices *choices;
    uint32_t order[PARTS_MAX];     /* by position: the partition that is decided there */
    uint32_t first[PARTS_MAX + 1]; /* by position: the number of its first choice among all */
    uint32_t unit, budgets;        /* a budget is so many SMs, rounded down */
    struct weir_floor_table tables[TABLES_MAX];
    size_t rows_made, mixes_made; /* rows come first; of mixes the last MIXES_MAX are there */
    int64_t (*reached)[TABLES_MAX];
    uint32_t chosen[PARTS_MAX]; /* by position */
    int64_t *latency;           /* by chain: scratch */
    int64_t *scratch;           /* a table's rest */
    uint32_t unbounded;         /* latencies that have no bound, whatever the times */
};

/* For an arrangement whose partitions have choices. The rows are made into tables; the floor refers to all it is given. Ended
 * before it is begun again; a zeroed one is ended. */
enum weir_status weir_floor_begin(struct weir_floor *floor, const struct weir_partition_study *study, uint32_t arrangement,
                                  const struct weir_part_choices *choices, const struct weir_partition_rows *rows,
                                  struct weir_error *error);
void weir_floor_end(struct weir_floor *floor);
/* Decides a position. */
void weir_floor_choose(struct weir_floor *floor, uint32_t position, uint32_t choice);
/* With the positions before this one as decided, and so many SMs for the others. */
void weir_floor_score(struct weir_floor *floor, uint32_t position, uint32_t left, struct weir_partition_score *score);
/* Makes tables of rows that are new. */
enum weir_status weir_floor_renew(struct weir_floor *floor, uint32_t position, struct weir_error *error);
/* Looks for weights in so many turns, with the positions before this one as decided, and keeps them. candidate[position]: the
 * choices of the division that the rows like best. False: there is no division, or there are no rows. */
enum weir_status weir_floor_mix(struct weir_floor *floor, uint32_t position, int turns, uint32_t candidate[PARTS_MAX], bool *found,
                                struct weir_error *error);

/* The order in which partitions are decided: those that matter most first. */
void weir_floor_order(const struct weir_partition_study *study, const struct weir_partition_arrangement *arrangement,
                      const struct weir_part_choices *choices, uint32_t order[PARTS_MAX]);

#endif
