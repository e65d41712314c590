/* SPDX-License-Identifier: Apache-2.0 */
/* Models with connections that do not wait, asked with certificates. */
#ifndef WEIR_TESTS_ASYNC_ASKING_H
#define WEIR_TESTS_ASYNC_ASKING_H

#include "weir.h"

struct weir_async_analysis *async_ask(const struct weir_pipeline *pipeline);
/* That the first latency has no bound, and why. */
void async_expect_unknown(const char *text, const char *why);

/* The bound of its first latency. */
void async_expect_worst(const char *model, int64_t worst);

#endif
