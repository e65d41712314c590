/* SPDX-License-Identifier: Apache-2.0 */
/* Ending a question before it has its answer.
 * Experimental: may change with any version; weir.h includes it where WEIR_EXPERIMENTAL is defined. */
#ifndef WEIR_INTERRUPT_H
#define WEIR_INTERRUPT_H

#include <stdbool.h>

#include "weir/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* From now on whatever this thread asks looks at *stop, atomically, now and then; NULL: at nothing. Once it is true an analysis
 * gives up as it would at its limit of work, and a simulation fails with WEIR_INVALID; weir_answer_simulate() tells what it saw
 * by then, where it saw anything. Look at *stop before the result: it is not the whole. Returns what the thread looked at before.
 * Searches that have a `stop` of their own look at that.
 */
WEIR_API const bool *weir_interrupt_watch(const bool *stop);

#ifdef __cplusplus
}
#endif
#endif
