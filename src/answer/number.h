/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers as people read them. */
#ifndef WEIR_ANSWER_NUMBER_H
#define WEIR_ANSWER_NUMBER_H

#include "weir.h"

/* "880 us"; the dimensionless unit has no name. */
#define WEIR_AMOUNT_TEXT (WEIR_TIME_TEXT + 8)
const char *weir_amount_format(const struct weir_pipeline *pipeline, int64_t ticks, char text[WEIR_AMOUNT_TEXT]);
/* "1.73612": not below the value, exact where that is a whole number of ticks, else cut to `digits` significant ones and rounded
 * up. `places` of the digits of the numerator stand behind the point. Values are not negative; denominator 0 reads "-". */
#define WEIR_NUMBER_TEXT WEIR_AMOUNT_TEXT
const char *weir_ratio_format(struct weir_ratio value, unsigned places, unsigned digits, char text[WEIR_NUMBER_TEXT]);
/* Ticks in the model's unit, without and with its name. */
const char *weir_ratio_time(const struct weir_pipeline *pipeline, struct weir_ratio ticks, char text[WEIR_NUMBER_TEXT]);
const char *weir_ratio_amount(const struct weir_pipeline *pipeline, struct weir_ratio ticks, char text[WEIR_NUMBER_TEXT]);
/* The same, also of what is negative where the denominator is 1. */
const char *weir_quantity_amount(const struct weir_pipeline *pipeline, struct weir_ratio ticks, char text[WEIR_NUMBER_TEXT]);
/* ... without its name, rounded down. */
const char *weir_ratio_floor(const struct weir_pipeline *pipeline, struct weir_ratio ticks, char text[WEIR_NUMBER_TEXT]);
/* ... with its name, also of what is negative where the denominator is 1. */
const char *weir_quantity_floor(const struct weir_pipeline *pipeline, struct weir_ratio ticks, char text[WEIR_NUMBER_TEXT]);
/* How far a bound lies below a deadline, or a little less; negative where it lies above it. */
const char *weir_slack_amount(const struct weir_pipeline *pipeline, int64_t deadline, struct weir_ratio worst,
                              char text[WEIR_NUMBER_TEXT]);
/* "41.7 %"; may be negative. */
const char *weir_ratio_percent(struct weir_ratio value, char text[WEIR_NUMBER_TEXT]);

/* ticks - whole; exact or a little more. */
struct weir_ratio weir_ratio_above(struct weir_ratio ticks, int64_t whole);
/* a + b, and a - b where that is not negative; exact, or a little more where that does not fit. */
struct weir_ratio weir_ratio_sum(struct weir_ratio a, struct weir_ratio b);
struct weir_ratio weir_ratio_difference(struct weir_ratio a, struct weir_ratio b);
/* The least whole number not below it. */
int64_t weir_ratio_ceiling(struct weir_ratio ticks);
/* In seconds, for a plot; in units where the model has no seconds. */
double weir_ratio_seconds(const struct weir_pipeline *pipeline, struct weir_ratio ticks);

/* Real time in the unit that fits: "12.345 ms". Returns text. */
#define WEIR_DURATION_TEXT 32
const char *weir_duration_format(int64_t ns, char text[WEIR_DURATION_TEXT]);

/* 1234567 -> "1,234,567"; returns text. */
#define WEIR_COUNT_TEXT 32
const char *weir_count_format(int64_t count, char text[WEIR_COUNT_TEXT]);

#endif
