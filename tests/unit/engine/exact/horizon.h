/* SPDX-License-Identifier: Apache-2.0 */
/* The worst separation in one given iteration, by the theorem of docs/concepts/exactness.md on the finite trace, written down again
 * from the words of the pipeline: no event graph, no rows thrown away, no acceleration. For pipelines without late receives and
 * reentrant operators. */
#ifndef WEIR_TESTS_HORIZON_H
#define WEIR_TESTS_HORIZON_H

#include "weir.h"

/* sup over the execution times of t_{iteration+shift}(to) - t_iteration(from). Both iterations must exist. */
int64_t horizon_worst(const struct weir_pipeline *pipeline, const struct weir_query *query, int64_t iteration);

#endif
