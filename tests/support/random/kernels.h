/* SPDX-License-Identifier: Apache-2.0 */
/* Small random graphs of kernels on a GPU, of every kind the analysis accepts: 1 to 16 SMs, now and then 132; kernels that may be
 * split and such that may not, with a granularity, with a table of times, with a least time of their own or none; launches that
 * begin late, that slow each other down, SMs in steps, and a limit on those under way; chains, layers, random orders, kernels that
 * have nothing to do with each other. */
#ifndef WEIR_TESTS_RANDOM_KERNELS_H
#define WEIR_TESTS_RANDOM_KERNELS_H

#include "base/random.h"
#include "weir.h"

/* A sealed pipeline; NULL when memory runs out. `plain`: as published: loads, one least time, kernels that may be split. */
struct weir_pipeline *weir_random_kernels(struct weir_random *random, bool plain);

#endif
