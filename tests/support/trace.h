/* SPDX-License-Identifier: Apache-2.0 */
/* A strict reader of traces in Chrome's JSON format, which takes nothing for granted that viewers rely on. */
#ifndef WEIR_TESTS_TRACE_H
#define WEIR_TESTS_TRACE_H

#include <stddef.h>
#include <stdint.h>

struct trace_counts {
    size_t slices, own;              /* not those of the critical path; own: named as their track */
    size_t steps;                    /* of the critical path */
    size_t arrows, rooms;            /* of data, and of room */
    size_t counters, samples, marks; /* samples: values of counters */
    size_t tracks;                   /* that of the critical path included */
    int64_t end, last;               /* of all counters (-1: there is none), and of the last slice, in picoseconds */
};

/* Asserts that the text is one JSON object with the events in "traceEvents", that
 *   - every slice lies on a track that has a name, and slices of a track do not overlap;
 *   - every arrow has an id of its own, leaves within a slice and arrives within one, not before it left;
 *   - room arrives at the moment at which what waited for it begins, which says so, as what waited for data has an arrow of it;
 *   - the critical path is one track whose slices follow each other without a gap;
 *   - the values of each counter are not negative and each is later than the one before, and all counters end together;
 * and counts them. */
void trace_check(const char *text, struct trace_counts *counts);

#endif
