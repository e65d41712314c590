/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A trace for Perfetto and chrome://tracing, written as it goes: processes with threads (tracks), events on them, arrows between
 * events, counters. It knows nothing of plans or pipelines. The same calls give the same bytes.
 *
 * The format is that of Chrome's JSON traces, whose times are in microseconds; here a moment is a whole number of picoseconds.
 */
#ifndef WEIR_RENDER_TRACE_TRACE_H
#define WEIR_RENDER_TRACE_TRACE_H

#include "base/json.h"

struct weir_trace {
    struct weir_json json;
    int64_t flows; /* arrows so far */
};

struct weir_track {
    uint32_t process, thread; /* both from 1 */
};

/* Ticks of the pipeline as a moment, rounded down; without a unit, one counts as a microsecond. WEIR_OVERFLOW: beyond 100 days. */
enum weir_status weir_trace_moment(const struct weir_pipeline *pipeline, struct weir_ratio ticks, int64_t *moment,
                                   struct weir_error *error);

/* Opens the file; what is written to the json before weir_trace_events are keys of the object "otherData". */
void weir_trace_begin(struct weir_trace *trace, FILE *out);
void weir_trace_events(struct weir_trace *trace);
enum weir_status weir_trace_end(struct weir_trace *trace, struct weir_error *error);

/* Names, once for each; shown in the order of their numbers. */
void weir_trace_process(struct weir_trace *trace, uint32_t process, const char *name);
void weir_trace_thread(struct weir_trace *trace, struct weir_track track, const char *name);

struct weir_trace_event {
    struct weir_track track;
    const char *name, *category; /* category: events of a colour, to filter by */
    int64_t from, to;
};
/* Something that goes on. Until weir_trace_close, keys and values written to the json are details of it. Events of a track lie one
 * behind the other, or one in the other. */
void weir_trace_open(struct weir_trace *trace, const struct weir_trace_event *event);
void weir_trace_close(struct weir_trace *trace);
/* An arrow from the end of an event to the beginning of a later one; both have been written before. */
void weir_trace_flow(struct weir_trace *trace, const char *name, const struct weir_trace_event *from,
                     const struct weir_trace_event *to);
void weir_trace_counter(struct weir_trace *trace, uint32_t process, const char *name, int64_t at, int64_t value);
/* A moment that concerns all. */
void weir_trace_mark(struct weir_trace *trace, const char *name, int64_t at);

#endif
