/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEIR_RENDER_TIMELINE_TIMELINE_H
#define WEIR_RENDER_TIMELINE_TIMELINE_H

#include "answer/timeline.h"

/* One picture for light and dark backgrounds and for paper, with a text alternative; the same timeline gives the same bytes. Lanes
 * beyond what a picture can hold are left out, those of the critical path last, and it says so. */
enum weir_status weir_timeline_write_svg(const struct weir_timeline *timeline, FILE *out, struct weir_error *error);
/* A trace for Perfetto and chrome://tracing. */
enum weir_status weir_timeline_write_trace(const struct weir_timeline *timeline, FILE *out, struct weir_error *error);

typedef enum weir_status weir_timeline_writer(const struct weir_timeline *timeline, FILE *out, struct weir_error *error);
/* Writes the timeline that was made with that status, and frees it. */
enum weir_status weir_timeline_finish(enum weir_status status, struct weir_timeline *timeline, weir_timeline_writer *write,
                                      FILE *out, struct weir_error *error);

#endif
