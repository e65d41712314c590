/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEIR_ENGINE_GPU_LOWER_H
#define WEIR_ENGINE_GPU_LOWER_H

#include "engine/gpu/exact.h"

struct weir_gpu_lower {
    struct weir_ratio ratio; /* ticks */
    int64_t fine;            /* fine ticks, rounded down */
};

/* What no plan has a smaller bound than, in O(n log n) for n kernels. WEIR_OK or WEIR_MEMORY. */
enum weir_status weir_gpu_lower_find(const struct weir_gpu_system *system, struct weir_gpu_lower *lower);

#endif
