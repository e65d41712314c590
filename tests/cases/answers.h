/* SPDX-License-Identifier: Apache-2.0 */
/* Comparing what weir answers with what a model expects; test_cases.c says in which words. */
#ifndef WEIR_TESTS_CASE_ANSWERS_H
#define WEIR_TESTS_CASE_ANSWERS_H

#include "line.h"

void check_threads(const char *name, const char *path, const struct weir_pipeline *pipeline);
void check_workers(const char *name, const char *path, const struct weir_pipeline *pipeline);
void check_processors(const char *name, const char *path, const struct weir_pipeline *pipeline);
void check_kernels(const char *name, const char *path, const struct weir_pipeline *pipeline);
void check_cores(const char *name, const char *path, const struct weir_pipeline *pipeline);

#endif
