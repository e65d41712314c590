/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEIR_CLI_PICTURES_H
#define WEIR_CLI_PICTURES_H

#include "cli.h"

/* Paths; NULL: not wanted. */
struct weir_pictures {
    const char *gantt, *trace, *graph;
};
/* Where nothing can be drawn, what is wrong is printed. */
enum weir_exit weir_pictures_save(const struct weir_pictures *pictures, const struct weir_answer *answer, const char *title);
/* The model alone; nothing where path is NULL. */
enum weir_exit weir_drawing_save(const char *path, const struct weir_pipeline *pipeline, const char *title);

#endif
