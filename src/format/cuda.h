/* SPDX-License-Identifier: Apache-2.0 */
/* The text that programs for a GPU have in common: the lines of the files in write/cuda, NULL behind the last. */
#ifndef WEIR_FORMAT_CUDA_H
#define WEIR_FORMAT_CUDA_H

#include <stddef.h>

extern const char *const weir_cuda_base[], *const weir_cuda_options[], *const weir_cuda_records[],
                                                                           *const weir_cuda_driver[],
                                                                               *const weir_cuda_kernels_ptx[],
                                                                                   *const weir_cuda_kernels_cuda[],
                                                                                       *const weir_cuda_device_driver[],
                                                                                           *const weir_cuda_device_runtime[],
                                                                                               *const weir_cuda_check[],
                                                                                                   *const weir_cuda_measure[],
                                                                                                       *const weir_cuda_main[];

#endif
