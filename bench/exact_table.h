/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEIR_BENCH_EXACT_TABLE_H
#define WEIR_BENCH_EXACT_TABLE_H

#include "weir.h"

/* Layers of `width`; each operator feeds one to three of the next layer. */
struct bench_layers {
    uint32_t operators, width, queue, best_permille;
};
struct weir_pipeline *bench_layered_pipeline(const struct bench_layers *shape);

/* Prints what is measured beside its goal; only the rows whose names contain `part`, if it is not NULL. */
void bench_table(const char *part);
/* What several cores are worth: threads of one analysis, and several files. */
void bench_cores(const char *part);

#endif
