/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Marginal costs from measurements. This is statistics: the files fit*.c compute in floating point, which no bound of an engine
 * does. What they find becomes part of a model only as decimals, rounded up.
 */
#ifndef WEIR_MEASURE_FIT_FIT_H
#define WEIR_MEASURE_FIT_FIT_H

#include "base/alloc.h"
#include "read/text.h"

/* No bits of libm, so that a program which uses weir need not link it. */
static inline double weir_larger(double a, double b)
{
    return a > b ? a : b;
}

static inline double weir_smaller(double a, double b)
{
    return a < b ? a : b;
}

static inline double weir_magnitude(double a)
{
    return a < 0 ? -a : a;
}

/* The observations of a file, as they stand there. */
struct weir_fit_row {
    const char *block; /* in the arena of the draft */
    size_t order;
    struct weir_fit_sample sample;
};

struct weir_fit_rows {
    struct weir_draft *draft; /* takes mistakes; its arena holds names */
    struct weir_fit_row *rows;
    size_t count, capacity;
};

/* Largest numbers that a file may hold. */
#define WEIR_FIT_SAMPLES_MAX (INT64_C(1) << 40)
#define WEIR_FIT_NUMBER_MAX 1e15

/* Both report to the draft what is wrong. (read.c, json.c) */
void weir_fit_read_lines(struct weir_fit_rows *rows, const struct weir_file_text *text);
void weir_fit_read_json(struct weir_fit_rows *rows, const struct weir_file_text *text);
/* Keeps one observation; `block` is copied unless it is the same pointer as in the row before. */
void weir_fit_rows_add(struct weir_fit_rows *rows, const char *block, const struct weir_fit_sample *sample);
/* The three numbers of an observation, from their texts; false where the text is none such. */
bool weir_fit_parse_samples(const char *text, int64_t *samples);
bool weir_fit_parse_ns(const char *text, double *ns);
bool weir_fit_parse_weight(const char *text, double *weight);

/* Of observations in ascending order of samples, fills in all of the fit but block, count, observations and warnings; false when
 * out of memory. (line.c) */
bool weir_fit_line(const struct weir_fit_sample *sorted, size_t count, struct weir_fit *fit);
/* safe_init and safe_per_sample. (envelope.c) */
bool weir_fit_envelope(const struct weir_fit_sample *sorted, size_t count, struct weir_fit *fit);

#endif
