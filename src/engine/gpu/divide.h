/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Algorithm 1 of the published method: a graph is cut at its joins (kernels with two or more they depend on) into blocks, and a
 * block into groups of kernels that do not depend on each other.
 *
 * The text has the joins in descending order of their work, which would put everything into the first block; its equations and its
 * example want the ascending one. The rule that a kernel which can use all SMs runs alone is taken from the words (any such kernel
 * of a group), not from line 14 of the listing (only where all are such): it is the one that gives the published numbers.
 */
#ifndef WEIR_ENGINE_GPU_DIVIDE_H
#define WEIR_ENGINE_GPU_DIVIDE_H

#include "engine/gpu/system.h"

struct weir_gpu_division {
    uint32_t *members; /* all kernels, group by group */
    uint32_t *first;   /* group g is members[first[g]] .. members[first[g + 1] - 1] */
    uint32_t groups;
    /* By kernel: its place in the order of descending work (its own and that of all it depends on, near or far); the first in
     * kernels->order among equals. And the kernel of each place. */
    uint32_t *rank, *ranked;
    uint32_t *block; /* by kernel */
};

/* WEIR_OK or WEIR_MEMORY; then *division is empty. Takes memory in proportion to the graph. Caller frees. */
enum weir_status weir_gpu_divide(const struct weir_gpu_system *system, struct weir_gpu_division *division);
void weir_gpu_division_free(struct weir_gpu_division *division);

/* By kernel: its load and that of all it depends on, near or far, in fine ticks. false: out of memory. */
bool weir_gpu_work_before(const struct weir_gpu_system *system, int64_t *work);

/* The SMs that a load of a kernel could use at most, were there any number; UINT32_MAX: more than can be counted. */
uint32_t weir_gpu_usable(const struct weir_gpu_system *system, uint32_t kernel, int64_t load);

#endif
