/* SPDX-License-Identifier: Apache-2.0 */
/* Layouts in a page: where boxes and lines are is known there. Scripts take over words and marks alone. */
#include "render/html/live_layout.h"
#include "base/alloc.h"
#include "base/error.h"
#include "render/drawing/layout.h"

bool weir_live_layout_crowded;

const char *weir_layout_missing(void)
{
    return NULL;
}

/* All lines are the same short one. */
enum weir_status weir_layout_find(struct weir_layout *layout, struct weir_error *error)
{
    enum { POINTS = 4 };
    layout->points = weir_array_zeroed(POINTS, sizeof *layout->points);
    if (!layout->points)
        return weir_fail_memory(error);
    layout->point_count = POINTS;
    layout->crowded = weir_live_layout_crowded;
    for (size_t i = 0; i < layout->edge_count; i++)
        layout->edges[i].point_count = POINTS;
    return WEIR_OK;
}

void weir_layout_free(struct weir_layout *layout)
{
    weir_free(layout->points);
    layout->points = NULL;
}
