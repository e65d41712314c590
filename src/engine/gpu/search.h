/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Searching for a short plan: list policies, then a pilot search that tries every choice of a next group and sees where the
 * policies lead from there, then small changes to the list of launches, each of which begins as soon as SMs are handed to it.
 */
#ifndef WEIR_ENGINE_GPU_SEARCH_H
#define WEIR_ENGINE_GPU_SEARCH_H

#include "engine/gpu/system.h"

/* What a search may add to system->work: work_limit, or a default that depends on the size of the graph. */
uint64_t weir_gpu_search_limit(const struct weir_gpu_system *system);

/*
 * In: a legal draft in *best. Out: a legal draft whose length with handed tokens (WEIR_GPU_HANDED, flow.h) is no greater, and most
 * often smaller; groups may then be launches that begin together rather than steps, and the length with barriers may be greater.
 * Ends when the length is `lower` (fine ticks), or when it has done the work it may do: *limited then says so. Counts into
 * system->work; the same input gives the same output everywhere.
 * Calls system->progress. WEIR_OK or WEIR_MEMORY; after that *best can only be freed.
 */
enum weir_status weir_gpu_search(struct weir_gpu_system *system, int64_t lower, struct weir_gpu_draft *best, bool *limited);

#endif
