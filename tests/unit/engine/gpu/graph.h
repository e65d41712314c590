/* SPDX-License-Identifier: Apache-2.0 */
/* Short ways to graphs of kernels and plans for them. Each asserts that it works. */
#ifndef WEIR_TESTS_GPU_GRAPH_H
#define WEIR_TESTS_GPU_GRAPH_H

#include "support/stage.h"

/* Kernels are called v1, v2, ... and counted from 0. */
struct weir_pipeline *graph_new(const struct weir_gpu_spec *gpu);
void graph_kernel(struct weir_pipeline *pipeline, const struct weir_operator_spec *spec);
/* Kernels that may be split, with these loads; dependencies as pairs of numbers from 1, ended by 0. Sealed. */
struct weir_pipeline *graph_of(const struct weir_gpu_spec *gpu, size_t count, const int64_t *loads, const uint32_t *edges);
void graph_edge(struct weir_pipeline *pipeline, uint32_t from, uint32_t to);

/* The plan, verified where it is safe. */
struct weir_gpu_plan *graph_plan(const struct weir_pipeline *pipeline, enum weir_gpu_method method);
struct weir_gpu_plan *graph_plan_with(const struct weir_pipeline *pipeline, const struct weir_gpu_options *options);
/* Only its bound. */
struct weir_ratio graph_bound(const struct weir_pipeline *pipeline, enum weir_gpu_method method);

#define assert_ratio(ratio, above, below) graph_assert_ratio(ratio, above, below, #ratio)
void graph_assert_ratio(struct weir_ratio ratio, int64_t numerator, int64_t denominator, const char *what);

/* The launches as text: "group: kernel[.part] x sms ...", for instance "v3x2 v4x2 v2.1x2 | v5x2". */
#define GRAPH_TEXT 512
const char *graph_text(const struct weir_gpu_plan *plan, char text[GRAPH_TEXT]);
/* What was added: "v2.1>v5 v3>v2.2". */
const char *graph_added(const struct weir_gpu_plan *plan, char text[GRAPH_TEXT]);

extern const struct weir_gpu_spec graph_six; /* 6 SMs, least time 1 */
struct weir_pipeline *graph_worked(void);    /* the example of the paper */

#endif
