/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks plans for a GPU: that every dependency is kept and every kernel done whole, that launches which may run together never
 * need more SMs (or places) than there are, and that the bound is no less than the longest chain. Knows how a plan looks, not how
 * it was made; docs/concepts/gpu.md has the proof of what it relies on.
 */
#ifndef WEIR_CHECK_GPU_LAUNCHES_H
#define WEIR_CHECK_GPU_LAUNCHES_H

#include "weir.h"

/* *flaw is NULL when the plan proves its bound, else what is wrong with it, in words that live for ever. A plan that does not claim
 * to be safe has a flaw: that. WEIR_MEMORY, or WEIR_OK. */
enum weir_status weir_launches_check(const struct weir_gpu_plan *plan, const char **flaw, struct weir_error *error);

#endif
