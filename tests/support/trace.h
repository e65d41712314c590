/* SPDX-License-Identifier: Apache-2.0 */
/* A strict reader of traces in Chrome's JSON format, which takes nothing for granted that viewers rely on. */
#ifndef WEIR_TESTS_TRACE_H
#define WEIR_TESTS_TRACE_H

#include <stddef.h>

struct trace_counts {
    size_t slices, arrows, counters, samples, marks, tracks; /* samples: values of counters */
};

/* Asserts that the text is one JSON object with the events in "traceEvents", that
 *   - every slice lies on a track that has a name, and slices of a track do not overlap;
 *   - every arrow has an id of its own, leaves within a slice and arrives within one, not before it left;
 *   - the values of each counter are not negative and each is later than the one before;
 * and counts them. */
void trace_check(const char *text, struct trace_counts *counts);

#endif
