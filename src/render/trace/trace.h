/* SPDX-License-Identifier: Apache-2.0 */
/* Moments of traces and logs: whole numbers of picoseconds. */
#ifndef WEIR_RENDER_TRACE_TRACE_H
#define WEIR_RENDER_TRACE_TRACE_H

#include "weir.h"

/* Ticks of 10^-digits units as a moment, rounded down; without a unit, one counts as a microsecond. WEIR_OVERFLOW: beyond 100
 * days. */
enum weir_status weir_trace_moment(enum weir_unit unit, unsigned digits, struct weir_ratio ticks, int64_t *moment,
                                   struct weir_error *error);

#endif
