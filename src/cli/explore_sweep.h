/* SPDX-License-Identifier: Apache-2.0 */
/* Between weir explore --sweep and what it prints and draws. */
#ifndef WEIR_CLI_EXPLORE_SWEEP_H
#define WEIR_CLI_EXPLORE_SWEEP_H

#include "explore_what_if.h"

struct weir_sweep_view {
    const struct weir_sweep *sweep;
    const struct weir_explore_common *common;
    const struct weir_change_list *changes; /* made before */
    const char *title;
    bool full; /* every point, however many */
};
void weir_sweep_print(const struct weir_sweep_view *view);
void weir_sweep_print_json(const struct weir_sweep_view *view);
/* Have the type of weir_explore_writer; the context is the view. */
enum weir_status weir_sweep_write_csv(const void *view, FILE *out, struct weir_error *error);
enum weir_status weir_sweep_write_svg(const void *view, FILE *out, struct weir_error *error);

/* "camera -> screen"; latency_count: "one result at least every". */
const char *weir_sweep_title(const struct weir_sweep *sweep, size_t latency, char *text, size_t size);
/* The bound of a latency at a point. */
struct weir_verdict_latency weir_sweep_latency(const struct weir_sweep *sweep, size_t point, size_t latency);
/* "viz.time=3 us, a->b.capacity=2" */
const char *weir_sweep_where(const struct weir_sweep *sweep, size_t point, char *text, size_t size);

#endif
