/* SPDX-License-Identifier: Apache-2.0 */
/* Between weir explore --size-queues and what it prints. */
#ifndef WEIR_CLI_EXPLORE_SIZE_H
#define WEIR_CLI_EXPLORE_SIZE_H

#include "explore_what_if.h"

/* What was found about one model: capacities, or a front. */
struct weir_size_view {
    const struct weir_pipeline *model;
    const struct weir_sizing_options *options;
    const struct weir_sizing *sizing;
    const struct weir_front *front;
    const struct weir_verdicts *before, *after; /* of sizing; `after` is NULL where no capacities were found */
    const char *title;
    bool stopped; /* by the user */
};

/* "a -> b"; the second of several queues from a to b is "a -> b#2". */
#define WEIR_QUEUE_TEXT 256
const char *weir_queue_name(const struct weir_pipeline *model, uint32_t queue, char text[WEIR_QUEUE_TEXT]);
/* "29 places", or what they cost. */
#define WEIR_COST_TEXT 64
const char *weir_cost_format(const struct weir_size_view *view, int64_t cost, char text[WEIR_COST_TEXT]);
/* What a place in the queue costs. */
int64_t weir_queue_weight(const struct weir_size_view *view, uint32_t queue);

void weir_sizing_print(const struct weir_size_view *view);
void weir_sizing_print_json(const struct weir_size_view *view);
enum weir_status weir_sizing_write_csv(const void *view, FILE *out, struct weir_error *error);

/* explore_front.c */
void weir_front_print(const struct weir_size_view *view);
void weir_front_print_json(const struct weir_size_view *view);
enum weir_status weir_front_write_csv(const void *view, FILE *out, struct weir_error *error);
enum weir_status weir_front_write_svg(const void *view, FILE *out, struct weir_error *error);

#endif
