/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checking the certificate of an upper bound whose rows are given as lines: the claims are those of labels.h, but a table is a list
 * of pieces for each actor, each a line over the rows from its own on, up to the next piece or for ever. Shares nothing with the
 * search that makes it but the event graph.
 */
#ifndef WEIR_CHECK_EXACT_LINES_H
#define WEIR_CHECK_EXACT_LINES_H

#include "check/exact/labels.h"

/* Anything below WEIR_NOTHING_BELOW is no claim, no label. */
struct weir_label_line {
    int64_t value, slope;
};

struct weir_label_piece {
    int64_t row;
    struct weir_label_line line;
    struct weir_label_line hot; /* not looked at by the check */
};

struct weir_line_table {
    const struct weir_label_piece *pieces;
    const uint32_t *begin; /* by actor, and one more: its pieces, in order of rows; before the first there is nothing */
};

struct weir_line_certificate {
    struct weir_certified about;
    struct weir_line_table best, label; /* best: behind the actors that of the beginning of time */
};

enum weir_check_verdict { WEIR_CHECK_HOLDS, WEIR_CHECK_FAILS, WEIR_CHECK_NO_MEMORY };
enum weir_check_verdict weir_line_certificate_check(const struct weir_line_certificate *certificate);

#endif
