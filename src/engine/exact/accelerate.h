/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEIR_ENGINE_EXACT_ACCELERATE_H
#define WEIR_ENGINE_EXACT_ACCELERATE_H

#include "engine/exact/search.h"

/*
 * How often the last `period` rows will repeat, each entry growing by the same amount each time, before any comparison that the
 * search makes turns out differently: 0 when they do not, INT64_MAX when for ever. Rows back to last - 2 * period - window must
 * belong to the current epoch. See accelerate.c for the argument.
 */
int64_t weir_repetitions(struct weir_search *search, int64_t period);
/* A quick test that most periods fail. */
bool weir_may_repeat(const struct weir_search *search, int64_t period);

#endif
