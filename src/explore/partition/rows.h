/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a latency is at least, whatever the times are. A row has forms, each a number and a sum over operators of what it says of
 * the times of that operator; the latency is at least the least of its forms. The longest path from one operator to another is a
 * row of one form, and so is, where every best case is 0, the path that was the longest for some times. Others are those of cut.c.
 */
#ifndef WEIR_EXPLORE_PARTITION_ROWS_H
#define WEIR_EXPLORE_PARTITION_ROWS_H

#include "explore/partition/partition.h"

enum { ROWS_MAX = 128, FORMS_MAX = 64 };

/* What a form says of an operator, against the times that the row begins from: how often its worst case counts, how often its best
 * case counts against it where that is longer; and `own` (1): once the worst case counts against it, but it falls by no more than
 * `ahead` for that. */
struct weir_row_piece {
    int64_t worst, best, own, ahead;
};

struct weir_partition_row {
    uint32_t chain, forms;
    int64_t best[PARTS_MAX], worst[PARTS_MAX]; /* by profile: what it begins from */
    int64_t *base;                             /* by form: at these times */
    struct weir_row_piece *pieces;             /* by form and profile */
};
struct weir_partition_rows {
    struct weir_partition_row items[ROWS_MAX];
    size_t count, borrowed; /* the first `borrowed` belong to others */
};

void weir_rows_free(struct weir_partition_rows *rows); /* NULL is fine */
/* Its forms, all zero; false: out of memory. Freed with weir_row_free, unless it was added. */
bool weir_row_make(const struct weir_partition_study *study, uint32_t forms, struct weir_partition_row *row);
void weir_row_free(struct weir_partition_row *row);
/* False: it is there already, there is no room, or its times are too long to be weighted. Else it belongs to the rows. */
bool weir_rows_add(const struct weir_partition_study *study, struct weir_partition_rows *rows,
                   const struct weir_partition_row *row);
/* What a piece of a form adds where its operator takes so long. */
int64_t weir_row_effect(const struct weir_row_piece *piece, int64_t longer, int64_t later);
/* What no weight may exceed. */
#define WEIR_WEIGHT_MAX (INT64_C(1) << 20)

#endif
