/* SPDX-License-Identifier: Apache-2.0 */
/* Writing a pipeline and reading it again. */
#ifndef WEIR_TESTS_SUPPORT_AGAIN_H
#define WEIR_TESTS_SUPPORT_AGAIN_H

#include "support/stage.h"

/* The model as text; caller frees. */
char *write_as(const struct weir_pipeline *pipeline, enum weir_model_format format);
struct weir_pipeline *read_back(const char *text);
/* Ticks may differ, times must not. */
void expect_time(const struct weir_pipeline *a, int64_t left, const struct weir_pipeline *b, int64_t right);

/* The pipeline reads back as the same (support/same.h), which is written as the same text. */
void expect_returns(const struct weir_pipeline *pipeline, enum weir_model_format format);
/* ... and this is the text. */
void expect_text(const struct weir_pipeline *pipeline, enum weir_model_format format, const char *expected);
/* These free the pipeline. The text holds all parts, of which NULL is the last; the format cannot hold it, and says so with these
 * words among others; each allocation is refused once. */
void expect_parts(struct weir_pipeline *pipeline, enum weir_model_format format, const char *const *parts);
void expect_refusal(struct weir_pipeline *pipeline, enum weir_model_format format, const char *words);
void expect_memory_refused(struct weir_pipeline *pipeline, enum weir_model_format format);

#endif
