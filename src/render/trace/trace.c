/* SPDX-License-Identifier: Apache-2.0 */
#include "render/trace/trace.h"

#include "base/error.h"
#include "base/number.h"

#include <errno.h>
#include <string.h>

#define PICOSECONDS 6 /* digits of a microsecond */

enum weir_status weir_trace_moment(const struct weir_pipeline *pipeline, struct weir_ratio ticks, int64_t *moment,
                                   struct weir_error *error)
{
    enum weir_unit unit = weir_pipeline_unit(pipeline);
    int places = (unit == WEIR_UNIT_TICK ? -6 : weir_unit_exponent(unit)) + 12 - (int)weir_pipeline_digits(pipeline);
    weir_wide value = ticks.numerator, most = (weir_wide)1 << 120;
    for (; places > 0 && value < most / 10; places--)
        value *= 10;
    value /= ticks.denominator;
    for (; places < 0; places++)
        value /= 10;
    if (places > 0 || value > INT64_MAX)
        return weir_fail(error, WEIR_OVERFLOW, "a time is too long for a trace");
    *moment = (int64_t)value;
    return WEIR_OK;
}

static void put_text(struct weir_trace *trace, const char *key, const char *text)
{
    weir_json_key(&trace->json, key);
    weir_json_text(&trace->json, text);
}

static void put_integer(struct weir_trace *trace, const char *key, int64_t value)
{
    weir_json_key(&trace->json, key);
    weir_json_integer(&trace->json, value);
}

static void put_time(struct weir_trace *trace, const char *key, int64_t moment)
{
    weir_json_key(&trace->json, key);
    weir_json_decimal(&trace->json, moment, PICOSECONDS);
}

static void begin_event(struct weir_trace *trace, const char *kind, const char *name, struct weir_track track)
{
    weir_json_object(&trace->json, WEIR_JSON_LINE);
    put_text(trace, "ph", kind);
    put_text(trace, "name", name);
    put_integer(trace, "pid", track.process);
    put_integer(trace, "tid", track.thread);
}

static void begin_details(struct weir_trace *trace)
{
    weir_json_key(&trace->json, "args");
    weir_json_object(&trace->json, WEIR_JSON_LINE);
}

void weir_trace_begin(struct weir_trace *trace, FILE *out)
{
    *trace = (struct weir_trace){.json = {.out = out}};
    weir_json_object(&trace->json, WEIR_JSON_BLOCK);
    put_text(trace, "displayTimeUnit", "ns");
    weir_json_key(&trace->json, "otherData");
    weir_json_object(&trace->json, WEIR_JSON_BLOCK);
}

void weir_trace_events(struct weir_trace *trace)
{
    weir_json_end(&trace->json);
    weir_json_key(&trace->json, "traceEvents");
    weir_json_array(&trace->json, WEIR_JSON_BLOCK);
}

enum weir_status weir_trace_end(struct weir_trace *trace, struct weir_error *error)
{
    FILE *out = trace->json.out;
    weir_json_end(&trace->json);
    weir_json_end(&trace->json);
    fputc('\n', out);
    if (ferror(out))
        return weir_fail(error, WEIR_IO, "cannot write the trace: %s", errno ? strerror(errno) : "write error");
    return WEIR_OK;
}

/* ---- names ---- */

static void put_name(struct weir_trace *trace, const char *kind, struct weir_track track, const char *name)
{
    begin_event(trace, "M", kind, track);
    begin_details(trace);
    put_text(trace, "name", name);
    weir_json_end(&trace->json);
    weir_json_end(&trace->json);
}

static void put_order(struct weir_trace *trace, const char *kind, struct weir_track track, uint32_t order)
{
    begin_event(trace, "M", kind, track);
    begin_details(trace);
    put_integer(trace, "sort_index", order);
    weir_json_end(&trace->json);
    weir_json_end(&trace->json);
}

void weir_trace_process(struct weir_trace *trace, uint32_t process, const char *name)
{
    struct weir_track track = {process, 0};
    put_name(trace, "process_name", track, name);
    put_order(trace, "process_sort_index", track, process);
}

void weir_trace_thread(struct weir_trace *trace, struct weir_track track, const char *name)
{
    put_name(trace, "thread_name", track, name);
    put_order(trace, "thread_sort_index", track, track.thread);
}

/* ---- events ---- */

void weir_trace_open(struct weir_trace *trace, const struct weir_trace_event *event)
{
    begin_event(trace, "X", event->name, event->track);
    put_text(trace, "cat", event->category);
    put_time(trace, "ts", event->from);
    put_time(trace, "dur", event->to - event->from);
    begin_details(trace);
}

void weir_trace_close(struct weir_trace *trace)
{
    weir_json_end(&trace->json);
    weir_json_end(&trace->json);
}

static void put_end(struct weir_trace *trace, const char *kind, const char *name, struct weir_track track, int64_t at)
{
    begin_event(trace, kind, name, track);
    put_text(trace, "cat", "flow");
    put_integer(trace, "id", trace->flows);
    put_time(trace, "ts", at);
    if (*kind == 'f')
        put_text(trace, "bp", "e"); /* the event it points to is the one around it, not the next */
    weir_json_end(&trace->json);
}

/* Readers look for the event around each end of an arrow, in whole nanoseconds: so it leaves a little before the end. */
void weir_trace_flow(struct weir_trace *trace, const char *name, const struct weir_trace_event *from,
                     const struct weir_trace_event *to)
{
    enum { LITTLE = 2000 };
    int64_t half = (from->to - from->from) / 2;
    trace->flows++;
    put_end(trace, "s", name, from->track, from->to - (half < LITTLE ? half : LITTLE));
    put_end(trace, "f", name, to->track, to->from);
}

void weir_trace_counter(struct weir_trace *trace, uint32_t process, const char *name, int64_t at, int64_t value)
{
    begin_event(trace, "C", name, (struct weir_track){process, 0});
    put_time(trace, "ts", at);
    begin_details(trace);
    put_integer(trace, name, value);
    weir_json_end(&trace->json);
    weir_json_end(&trace->json);
}

void weir_trace_mark(struct weir_trace *trace, const char *name, int64_t at)
{
    begin_event(trace, "i", name, (struct weir_track){1, 0});
    put_time(trace, "ts", at);
    put_text(trace, "s", "g");
    weir_json_end(&trace->json);
}
