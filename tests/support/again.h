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

#endif
