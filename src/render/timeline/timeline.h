/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEIR_RENDER_TIMELINE_TIMELINE_H
#define WEIR_RENDER_TIMELINE_TIMELINE_H

#include "answer/timeline/timeline.h"

typedef enum weir_status weir_timeline_writer(const struct weir_timeline *timeline, FILE *out, struct weir_error *error);

/* From when to when it is looked at first, in ticks from its origin; part: and not all of it. */
struct weir_timeline_window {
    double from, to;
    bool part;
};
struct weir_timeline_window weir_timeline_window(const struct weir_timeline *timeline);

/* For the page that draws it (json.c). */
enum weir_status weir_timeline_write_json(const struct weir_timeline *timeline, FILE *out, struct weir_error *error);

/* Writes the timeline that was made with that status, and frees it. */
static inline enum weir_status weir_timeline_finish(enum weir_status status, struct weir_timeline **timeline,
                                                    weir_timeline_writer *write, FILE *out, struct weir_error *error)
{
    if (!status)
        status = write(*timeline, out, error);
    weir_timeline_free(*timeline);
    return status;
}

#endif
