/* SPDX-License-Identifier: Apache-2.0 */
/* Between weir explore --sensitivity and what it prints. */
#ifndef WEIR_CLI_EXPLORE_SENSITIVITY_H
#define WEIR_CLI_EXPLORE_SENSITIVITY_H

#include "analyze.h"
#include "explore.h"

/* What was found about one model: the margins of each latency that was looked at. */
struct weir_sensitivities {
    const struct weir_pipeline *model;
    const char *title;
    struct weir_margins **margins;
    size_t count;
    uint64_t percent;
    bool stopped; /* by the user */
};

void weir_sensitivities_print(const struct weir_sensitivities *found);
void weir_sensitivities_print_json(const struct weir_sensitivities *found);
enum weir_status weir_sensitivities_write_csv(const void *found, FILE *out, struct weir_error *error);

/* "camera worst", "a -> b capacity"; the second of several queues from a to b is "a -> b#2". */
#define WEIR_KNOB_TEXT 256
const char *weir_knob_name(const struct weir_pipeline *model, const struct weir_margin *margin, char text[WEIR_KNOB_TEXT]);
/* "4029 us", "no bound", "deadlock", "at most 4100 us", "?" */
const char *weir_latency_format(const struct weir_pipeline *model, const struct weir_separation *latency,
                                char text[WEIR_AMOUNT_TEXT + 16]);

#endif
