/* SPDX-License-Identifier: Apache-2.0 */
#include "weir.h"

#include <string.h>

static const char *const names[WEIR_GPU_METHODS] = {
    [WEIR_GPU_BEST] = "best",     [WEIR_GPU_SAFE] = "safe",     [WEIR_GPU_PAPER] = "paper",
    [WEIR_GPU_GREEDY] = "greedy", [WEIR_GPU_GRAHAM] = "graham", [WEIR_GPU_GREEDY_UNAWARE] = "greedy-unaware",
};

const char *weir_gpu_method_name(enum weir_gpu_method method)
{
    return (unsigned)method < WEIR_GPU_METHODS ? names[method] : "?";
}

enum weir_gpu_method weir_gpu_method_named(const char *name)
{
    int method = 0;
    while (method < WEIR_GPU_METHODS && strcmp(names[method], name) != 0)
        method++;
    return (enum weir_gpu_method)method;
}
