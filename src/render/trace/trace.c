/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A timeline as a trace for Perfetto and chrome://tracing: a process per group, a thread (track) per row of a lane, spans as events
 * on them, arrows between events, levels as counters, the ends of rulers as marks. The format is that of Chrome's JSON traces,
 * whose times are in microseconds.
 */
#include "render/trace/trace.h"

#include "answer/timeline.h"
#include "base/json.h"
#include "base/number.h"
#include "render/json/report.h"

#define PICOSECONDS 6      /* digits of a microsecond */
#define BLOCKS_MAX 2000000 /* events of numbered rows; a larger trace opens nowhere */

struct trace {
    const struct weir_timeline *t;
    struct weir_json json;
    uint32_t *threads; /* by lane: those before its first in its process */
    int64_t flows;     /* arrows so far */
    struct weir_error *error;
};

struct event {
    uint32_t process, thread; /* both from 1 */
    int64_t from, to;
};

enum weir_status weir_trace_moment(enum weir_unit unit, unsigned digits, struct weir_ratio ticks, int64_t *moment,
                                   struct weir_error *error)
{
    int places = (unit == WEIR_UNIT_TICK ? -6 : weir_unit_exponent(unit)) + 12 - (int)digits;
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

/* Of a time that was found to fit before. */
static int64_t moment_of(const struct trace *t, struct weir_ratio ticks)
{
    int64_t moment = 0;
    (void)weir_trace_moment(t->t->unit, t->t->digits, ticks, &moment, NULL);
    return moment;
}

static enum weir_status check_moments(const struct trace *t)
{
    const struct weir_timeline *l = t->t;
    enum weir_status status = WEIR_OK;
    int64_t moment;
    for (size_t i = 0; i < l->span_count && !status; i++)
        status = weir_trace_moment(l->unit, l->digits, l->spans[i].to, &moment, t->error);
    for (size_t i = 0; i < l->point_count && !status; i++)
        status = weir_trace_moment(l->unit, l->digits, l->points[i].at, &moment, t->error);
    for (size_t i = 0; i < l->ruler_count && !status; i++)
        if (l->rulers[i].to_mark)
            status = weir_trace_moment(l->unit, l->digits, l->rulers[i].to, &moment, t->error);
    return status;
}

/* ---- parts of events ---- */

static void put_text(struct trace *t, const char *key, const char *text)
{
    weir_json_key(&t->json, key);
    weir_json_text(&t->json, text);
}

static void put_integer(struct trace *t, const char *key, int64_t value)
{
    weir_json_key(&t->json, key);
    weir_json_integer(&t->json, value);
}

static void put_time(struct trace *t, const char *key, int64_t moment)
{
    weir_json_key(&t->json, key);
    weir_json_decimal(&t->json, moment, PICOSECONDS);
}

static void put_flag(struct trace *t, const char *key, bool value)
{
    weir_json_key(&t->json, key);
    weir_json_bool(&t->json, value);
}

static void put_facts(struct trace *t, const struct weir_field *facts, size_t count)
{
    struct weir_report report = {.json = t->json, .digits = t->t->digits};
    for (size_t i = 0; i < count; i++)
        weir_report_datum(&report, facts[i].key, &facts[i].value);
    t->json = report.json;
}

static void begin_event(struct trace *t, const char *kind, const char *name, uint32_t process, uint32_t thread)
{
    weir_json_object(&t->json, WEIR_JSON_LINE);
    put_text(t, "ph", kind);
    put_text(t, "name", name);
    put_integer(t, "pid", process);
    put_integer(t, "tid", thread);
}

static void begin_details(struct trace *t)
{
    weir_json_key(&t->json, "args");
    weir_json_object(&t->json, WEIR_JSON_LINE);
}

/* Of the event, and of its details. */
static void end_event(struct trace *t)
{
    weir_json_end(&t->json);
    weir_json_end(&t->json);
}

/* ---- names ---- */

/* Shown in the order of their numbers. */
static void put_name(struct trace *t, bool thread, const char *name, const uint32_t ids[2])
{
    begin_event(t, "M", thread ? "thread_name" : "process_name", ids[0], ids[1]);
    begin_details(t);
    put_text(t, "name", name);
    end_event(t);
    begin_event(t, "M", thread ? "thread_sort_index" : "process_sort_index", ids[0], ids[1]);
    begin_details(t);
    put_integer(t, "sort_index", ids[thread]);
    end_event(t);
}

static bool is_left_out(const struct weir_timeline *t, const struct weir_timeline_lane *lane)
{
    uint64_t blocks = 0;
    for (size_t i = 0; lane->row_name && i < lane->span_count; i++)
        blocks += t->spans[lane->first_span + i].row_count;
    return blocks > BLOCKS_MAX;
}

static void put_names(struct trace *t)
{
    const struct weir_timeline *l = t->t;
    uint32_t threads = 0;
    for (size_t i = 0; i < l->lane_count; i++) {
        const struct weir_timeline_lane *lane = &l->lanes[i];
        bool first = i == 0 || lane[-1].group != lane->group, shown = !is_left_out(l, lane);
        if (first && shown)
            put_name(t, false, l->groups[lane->group].name, (const uint32_t[]){lane->group + 1, 0});
        threads = first ? 0 : threads;
        t->threads[i] = threads;
        for (uint32_t row = 0; shown && row < lane->rows; row++) {
            char name[64];
            if (lane->row_name)
                snprintf(name, sizeof name, "%s%.40s %u", row < lane->row_limit ? "" : "no ", lane->row_name, (unsigned)row);
            put_name(t, true, lane->row_name ? name : lane->name, (const uint32_t[]){lane->group + 1, threads + row + 1});
        }
        threads += lane->rows;
    }
}

/* ---- spans ---- */

static struct event event_of(const struct trace *t, size_t lane, const struct weir_timeline_span *span)
{
    return (struct event){t->t->lanes[lane].group + 1, t->threads[lane] + span->row + 1, moment_of(t, span->from),
                          moment_of(t, span->to)};
}

static void put_span(struct trace *t, size_t lane, const struct weir_timeline_span *span, uint32_t row)
{
    static const char *const categories[WEIR_SPAN_KINDS] = {
        [WEIR_SPAN_EXECUTION] = "execution",         [WEIR_SPAN_CRITICAL] = "worst case", [WEIR_SPAN_MEASURED] = "execution",
        [WEIR_SPAN_EXCESS] = "above its worst case", [WEIR_SPAN_LAUNCH] = "launch",       [WEIR_SPAN_PART] = "part of a kernel",
        [WEIR_SPAN_WINDOW] = "execution interval"};
    struct event e = event_of(t, lane, span);
    char name[64];
    if (!categories[span->kind])
        return;
    snprintf(name, sizeof name, "%s %lld", t->t->iteration_name, (long long)span->iteration);
    begin_event(t, "X", span->label ? span->label : span->iteration < 0 ? t->t->lanes[lane].name : name, e.process, e.thread + row);
    put_text(t, "cat", categories[span->kind]);
    put_time(t, "ts", e.from);
    put_time(t, "dur", e.to - e.from);
    begin_details(t);
    if (span->iteration >= 0) {
        put_text(t, "operator", t->t->lanes[lane].name);
        put_integer(t, t->t->iteration_name, span->iteration);
    }
    if (span->kind == WEIR_SPAN_EXECUTION || span->kind == WEIR_SPAN_CRITICAL)
        put_flag(t, "critical", span->kind == WEIR_SPAN_CRITICAL);
    if (span->open)
        put_flag(t, "unfinished", true);
    put_facts(t, span->facts, span->fact_count);
    end_event(t);
}

static void put_spans(struct trace *t)
{
    for (size_t i = 0; i < t->t->lane_count; i++) {
        const struct weir_timeline_lane *lane = &t->t->lanes[i];
        size_t count = is_left_out(t->t, lane) ? 0 : lane->span_count;
        for (size_t k = 0; k < count; k++)
            for (uint32_t row = 0; row < t->t->spans[lane->first_span + k].row_count; row++)
                put_span(t, i, &t->t->spans[lane->first_span + k], row);
    }
}

/* ---- the rest ---- */

static size_t lane_of(const struct weir_timeline *t, size_t span)
{
    size_t low = 0, high = t->lane_count - 1;
    while (low < high) {
        size_t middle = low + (high - low + 1) / 2;
        if (t->lanes[middle].first_span <= span)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

static void put_end(struct trace *t, const char *kind, const char *name, const struct event *event, int64_t at)
{
    begin_event(t, kind, name, event->process, event->thread);
    put_text(t, "cat", "flow");
    put_integer(t, "id", t->flows);
    put_time(t, "ts", at);
    if (*kind == 'f')
        put_text(t, "bp", "e"); /* the event it points to is the one around it, not the next */
    weir_json_end(&t->json);
}

/* Readers look for the event around each end of an arrow, in whole nanoseconds: so it leaves a little before the end. */
static void put_arrows(struct trace *t)
{
    enum { LITTLE = 2000 };
    for (size_t i = 0; i < t->t->arrow_count; i++) {
        const struct weir_timeline_arrow *arrow = &t->t->arrows[i];
        struct event from = event_of(t, lane_of(t->t, arrow->from), &t->t->spans[arrow->from]);
        struct event to = event_of(t, lane_of(t->t, arrow->to), &t->t->spans[arrow->to]);
        int64_t half = (from.to - from.from) / 2;
        t->flows++;
        put_end(t, "s", arrow->name, &from, from.to - (half < LITTLE ? half : LITTLE));
        put_end(t, "f", arrow->name, &to, to.from);
    }
}

/* Of points at one moment the last counts. */
static void put_levels(struct trace *t)
{
    for (size_t i = 0; i < t->t->level_count; i++) {
        const struct weir_timeline_level *level = &t->t->levels[i];
        for (size_t k = 0; k < level->point_count; k++) {
            const struct weir_timeline_point *point = &t->t->points[level->first_point + k];
            int64_t at = moment_of(t, point->at);
            if (k + 1 < level->point_count && moment_of(t, point[1].at) == at)
                continue;
            begin_event(t, "C", level->name, 1, 0);
            put_time(t, "ts", at);
            begin_details(t);
            put_integer(t, level->name, point->value);
            end_event(t);
        }
    }
}

static void put_mark(struct trace *t, const char *name, struct weir_ratio at)
{
    if (!name)
        return;
    begin_event(t, "i", name, 1, 0);
    put_time(t, "ts", moment_of(t, at));
    put_text(t, "s", "g");
    weir_json_end(&t->json);
}

static void put_all(struct trace *t)
{
    const struct weir_timeline *l = t->t;
    weir_json_object(&t->json, WEIR_JSON_BLOCK);
    put_text(t, "displayTimeUnit", "ns");
    weir_json_key(&t->json, "otherData");
    weir_json_object(&t->json, WEIR_JSON_BLOCK);
    put_facts(t, l->facts, l->fact_count);
    weir_json_end(&t->json);
    weir_json_key(&t->json, "traceEvents");
    weir_json_array(&t->json, WEIR_JSON_BLOCK);
    put_names(t);
    put_spans(t);
    for (size_t i = 0; i < l->ruler_count; i++) {
        put_mark(t, l->rulers[i].from_mark, l->rulers[i].from);
        put_mark(t, l->rulers[i].to_mark, l->rulers[i].to);
    }
    put_levels(t);
    put_arrows(t);
    weir_json_end(&t->json);
    weir_json_end(&t->json);
    fputc('\n', t->json.out);
}

enum weir_status weir_timeline_write_trace(const struct weir_timeline *timeline, FILE *out, struct weir_error *error)
{
    struct trace t = {.t = timeline, .json = {.out = out}, .error = error};
    enum weir_status status = check_moments(&t);
    if (status)
        return status;
    t.threads = weir_array_zeroed(timeline->lane_count, sizeof *t.threads);
    if (!t.threads)
        return weir_fail_memory(error);
    put_all(&t);
    weir_free(t.threads);
    return weir_written(out, "the trace", error);
}
