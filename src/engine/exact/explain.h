/* SPDX-License-Identifier: Apache-2.0 */
/* Why a separation has no bound, in words. */
#ifndef WEIR_ENGINE_EXACT_EXPLAIN_H
#define WEIR_ENGINE_EXACT_EXPLAIN_H

#include "weir.h"

/* Fills `words` when the separation is unbounded, else leaves it empty. WEIR_MEMORY or WEIR_OK. */
enum weir_status weir_unbounded_explain(struct weir_solver *solver, const struct weir_query *query, char *words, size_t size);

#endif
