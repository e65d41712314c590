/* SPDX-License-Identifier: Apache-2.0 */
/* Writing a pipeline and reading it again. */
#ifndef WEIR_TESTS_SUPPORT_AGAIN_H
#define WEIR_TESTS_SUPPORT_AGAIN_H

#include "base/random.h"
#include "support/stage.h"

/* The model as text; caller frees. */
char *write_as(const struct weir_pipeline *pipeline, enum weir_model_format format);
struct weir_pipeline *read_back(const char *text);
/* Ticks may differ, times must not. */
void expect_time(const struct weir_pipeline *a, int64_t left, const struct weir_pipeline *b, int64_t right);

/* The pipeline reads back as the same (support/same.h), which is written as the same text. */
void expect_returns(const struct weir_pipeline *pipeline, enum weir_model_format format);
/* These free the pipeline. The text is as expected and reads back as the same, a model in YAML also as JSON; it contains all parts,
 * of which NULL is the last; the format cannot express it, and says so with these words among others; each allocation is refused
 * once. */
void expect_text(struct weir_pipeline *pipeline, enum weir_model_format format, const char *expected);
void expect_parts(struct weir_pipeline *pipeline, enum weir_model_format format, const char *const *parts);
void expect_refusal(struct weir_pipeline *pipeline, enum weir_model_format format, const char *words);
void expect_memory_refused(struct weir_pipeline *pipeline, enum weir_model_format format);

/* Draws so many pipelines, of which more than a thousand can be sealed: these read back from both formats as the same. */
void expect_any_return(struct weir_pipeline *(*draw)(struct weir_random *random), uint64_t seed, int count,
                       enum weir_model_format one, enum weir_model_format other);
/* Adds up to `most` latencies between any two of the first `count` operators, with offsets, half of them with a deadline. */
void add_any_chains(struct weir_pipeline *pipeline, struct weir_random *random, uint32_t count, int64_t most);

#endif
