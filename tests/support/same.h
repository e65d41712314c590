/* SPDX-License-Identifier: Apache-2.0 */
/* Whether two pipelines are the same, as far as the table of keys goes. */
#ifndef WEIR_TESTS_SUPPORT_SAME_H
#define WEIR_TESTS_SUPPORT_SAME_H

#include "weir.h"

/* NULL when they are; else what differs. Ticks may, times must not. */
const char *find_difference(const struct weir_pipeline *a, const struct weir_pipeline *b);

#endif
