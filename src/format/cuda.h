/* SPDX-License-Identifier: Apache-2.0 */
/* The text that programs for a GPU have in common: the lines of the files in format/cuda and tools/gpu, NULL behind the last. */
#ifndef WEIR_FORMAT_CUDA_H
#define WEIR_FORMAT_CUDA_H

#include <stddef.h>

typedef const char *const weir_cuda_text[];
extern weir_cuda_text weir_cuda_base, weir_cuda_options, weir_cuda_records, weir_cuda_driver, weir_cuda_kernels_ptx,
    weir_cuda_kernels_cuda, weir_cuda_device_driver, weir_cuda_device_runtime, weir_cuda_check, weir_cuda_measure, weir_cuda_main;
/* Of programs that run kernels of an object. */
extern weir_cuda_text weir_cuda_gpu_driver, weir_cuda_gpu_plan_file, weir_cuda_gpu_plan, weir_cuda_own;

#endif
