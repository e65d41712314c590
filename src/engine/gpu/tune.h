/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Improving a plan without groups: a list of launches, each of which begins as soon as enough tokens are handed to it, is changed
 * a little at a time (a width, a place in the list, how a kernel is split). In the end parts are joined where that makes nothing
 * longer.
 */
#ifndef WEIR_ENGINE_GPU_TUNE_H
#define WEIR_ENGINE_GPU_TUNE_H

#include "engine/gpu/pilot.h"

/* Tries `work` more units of work at most (system->work). In and out: record, with its length with handed tokens; it is changed
 * only for a shorter one, or one as long with fewer launches, in which groups are launches that begin together. False: out of
 * memory; the record can then only be freed. */
bool weir_gpu_tune(struct weir_gpu_desk *desk, struct weir_gpu_record *record, uint64_t work);

#endif
