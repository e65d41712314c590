/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEIR_CLI_PICTURES_H
#define WEIR_CLI_PICTURES_H

#include "cli.h"

/* Paths may be NULL: nothing is written. Where nothing can be drawn, what is wrong is printed. */
enum weir_exit weir_drawing_save(const char *path, const struct weir_pipeline *pipeline, const struct weir_analysis *analysis,
                                 const char *title);
enum weir_exit weir_pictures_save(const char *gantt, const char *trace, const struct weir_analysis *analysis, const char *title);

#endif
