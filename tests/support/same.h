/* SPDX-License-Identifier: Apache-2.0 */
/* Whether two pipelines are the same, as far as the table of keys goes. */
#ifndef WEIR_TESTS_SUPPORT_SAME_H
#define WEIR_TESTS_SUPPORT_SAME_H

#include "weir.h"

/* NULL when they are, as far as the format holds it; else what differs. Ticks may, times must not; sources and latencies may come
 * in another order. */
const char *find_difference(const struct weir_pipeline *a, const struct weir_pipeline *b, enum weir_model_format format);

#endif
