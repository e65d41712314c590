/* SPDX-License-Identifier: Apache-2.0 */
/* Exact times of launches, and sums of them, as ratios in ticks. What does not fit is rounded onto a grid that fine ticks lie on,
 * so that no sum gets longer than the one in fine ticks, each term rounded up. */
#ifndef WEIR_ENGINE_GPU_EXACT_H
#define WEIR_ENGINE_GPU_EXACT_H

#include "base/number.h"
#include "engine/gpu/system.h"

/* The time of each block, not rounded; on more SMs than there are the time of all waves, divided by their number. The kernel's
 * table has that number of SMs. */
struct weir_ratio weir_gpu_exact_time(const struct weir_gpu_system *system, const struct weir_gpu_piece *piece);

/* a + b, rounded up where it does not fit. a and b are reduced and not negative; so is the sum. */
struct weir_ratio weir_gpu_sum_up(const struct weir_gpu_system *system, struct weir_ratio a, struct weir_ratio b);

/* fine / divisor fine ticks in ticks, rounded up or down where it does not fit; fine / divisor is below INT64_MAX. */
struct weir_ratio weir_gpu_ticks_up(const struct weir_gpu_system *system, weir_wide fine, uint32_t divisor);
struct weir_ratio weir_gpu_ticks_down(const struct weir_gpu_system *system, weir_wide fine, uint32_t divisor);

#endif
