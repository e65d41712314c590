/* SPDX-License-Identifier: Apache-2.0 */
/* Between the verbs and models of flows on a pool of cores. */
#ifndef WEIR_CLI_EDF_H
#define WEIR_CLI_EDF_H

#include "analyze.h"

struct weir_edf_settings {
    const char *deadline; /* as given, or NULL */
    uint64_t cores;       /* 0: the model's */
    bool json, full, verify, explain;
};

/* Analyses and prints one model. A failure is in *error, with its status, and not printed yet; the result then means nothing. */
enum weir_exit weir_edf_run(const struct weir_edf_settings *settings, const struct weir_pipeline *pipeline, const char *path,
                            struct weir_error *error);

/* ---- numbers (edf_number.c) ---- */

/* "1.73612": not below the value, exact where that is a whole number of ticks, else cut to `digits` significant ones and rounded
 * up. `places` of the digits of the numerator stand behind the point. Values are not negative; denominator 0 reads "-". */
#define WEIR_NUMBER_TEXT WEIR_AMOUNT_TEXT
const char *weir_ratio_format(struct weir_ratio value, unsigned places, unsigned digits, char text[WEIR_NUMBER_TEXT]);
/* Ticks in the model's unit, without and with its name. */
const char *weir_ratio_time(const struct weir_pipeline *pipeline, struct weir_ratio ticks, char text[WEIR_NUMBER_TEXT]);
const char *weir_ratio_amount(const struct weir_pipeline *pipeline, struct weir_ratio ticks, char text[WEIR_NUMBER_TEXT]);
/* "41.7 %" */
const char *weir_ratio_percent(struct weir_ratio value, char text[WEIR_NUMBER_TEXT]);
/* Exact. */
int weir_ratio_order(struct weir_ratio a, struct weir_ratio b);
/* ticks - whole, where it is not negative; exact or a little more. */
struct weir_ratio weir_ratio_above(struct weir_ratio ticks, int64_t whole);
/* a + b, and a - b where that is not negative; exact, or a little more where that does not fit. */
struct weir_ratio weir_ratio_sum(struct weir_ratio a, struct weir_ratio b);
struct weir_ratio weir_ratio_difference(struct weir_ratio a, struct weir_ratio b);
/* The least whole number not below it. */
int64_t weir_ratio_ceiling(struct weir_ratio ticks);
/* In seconds, for a plot; in units where the model has no seconds. */
double weir_ratio_seconds(const struct weir_pipeline *pipeline, struct weir_ratio ticks);

/* Whether no source that leads to it is sporadic or bursty: then latencies count from every arrival. (edf_ways.c) */
bool weir_edf_is_even(const struct weir_pipeline *pipeline, uint32_t op);

/* ---- the block of a model (edf_print.c, edf_table.c, edf_explain.c) ---- */

struct weir_edf_view {
    const struct weir_edf_analysis *analysis;
    const struct weir_pipeline *pipeline;
    const char *title;
    bool full, explain;
};

/* False, with the message printed, when out of memory. */
bool weir_edf_print(const struct weir_edf_view *view);
/* What each operator does, costs and how late it is. False when out of memory. */
bool weir_edf_print_operators(const struct weir_edf_view *view);
/* How many samples the queues hold. */
void weir_edf_print_buffers(const struct weir_edf_view *view);
/* Which bounds there are for each operator, which apply, and which is the least. */
void weir_edf_print_reasons(const struct weir_edf_view *view);

#endif
