/* SPDX-License-Identifier: Apache-2.0 */
/* Between the verb `fit` and what it writes. */
#ifndef WEIR_CLI_FIT_H
#define WEIR_CLI_FIT_H

#include "cli.h"

/* ---- tables (fit_print.c) ---- */

void weir_fits_print(const struct weir_fits *fits);
void weir_fits_write_json(const struct weir_fits *fits, FILE *out);
void weir_fits_write_csv(const struct weir_fits *fits, FILE *out);
/* Lines of block,init_ns,per_sample_ns, rounded up to picoseconds: the lines above all observations, or the fits. */
void weir_fits_write_costs(const struct weir_fits *fits, bool typical, FILE *out);

/* ---- pictures (fit_plot.c) ---- */

/* One picture for each block: at `path`, or, where there are several, at path with -BLOCK before its ending. */
enum weir_exit weir_fits_plot(const struct weir_fits *fits, const char *path);

#endif
