/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A timeline as a trace for Perfetto and chrome://tracing: a process per group, a thread (track) per row of a lane, spans as events
 * on them, the critical path as a track of its own, arrows between events, levels as counters, the ends of rulers as marks. The
 * format is that of Chrome's JSON traces, whose times are in microseconds.
 *
 * Viewers slow down with megabytes. A trace of very many events leaves out what matters least: first the messages that no operator
 * waited for, then the counters, then all arrows: what was waited for stands in the slices, too. It says so.
 */
#include "render/trace/trace.h"
#include "render/timeline/timeline.h"

#include "answer/timeline/timeline.h"
#include "base/json.h"
#include "base/number.h"
#include "render/json/report.h"

#define PICOSECONDS 6      /* digits of a microsecond */
#define BLOCKS_MAX 2000000 /* events of numbered rows; a larger trace opens nowhere */
#define EVENTS_MAX 330000  /* some 45 MB */

struct trace {
    const struct weir_timeline *t;
    struct weir_json json;
    uint32_t *threads; /* by lane: those before its first in its process */
    size_t *arrows;    /* those that were waited for, by the span that they lead to ... */
    size_t *first;     /* ... by span: its first among them; one more at the end */
    int64_t flows;     /* arrows so far */
    bool few_arrows, no_levels, no_arrows;
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

/* Shown in the order of their numbers; the critical path above all. */
static void put_name(struct trace *t, bool thread, const char *name, const uint32_t ids[2])
{
    bool first = !thread && ids[0] > t->t->group_count;
    begin_event(t, "M", thread ? "thread_name" : "process_name", ids[0], ids[1]);
    begin_details(t);
    put_text(t, "name", name);
    end_event(t);
    begin_event(t, "M", thread ? "thread_sort_index" : "process_sort_index", ids[0], ids[1]);
    begin_details(t);
    put_integer(t, "sort_index", first ? 0 : ids[thread]);
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

static struct event event_of(const struct trace *t, size_t lane, const struct weir_timeline_span *span)
{
    return (struct event){t->t->lanes[lane].group + 1, t->threads[lane] + span->row + 1, moment_of(t, span->from),
                          moment_of(t, span->to)};
}

/* "data from camera, iteration 3; its own last iteration": all that was over at the moment at which the span begins. */
static void put_waited_for(struct trace *t, size_t lane, size_t span)
{
    const struct weir_timeline *l = t->t;
    const struct weir_timeline_span *s = &l->spans[span], *before = s - 1;
    char text[512] = "";
    size_t used = 0;
    for (size_t i = t->first[span]; i < t->first[span + 1] && used < sizeof text; i++) {
        const struct weir_timeline_arrow *arrow = &l->arrows[t->arrows[i]];
        const struct weir_timeline_span *from = &l->spans[arrow->from];
        const char *name = l->lanes[lane_of(l, arrow->from)].name;
        bool room = arrow->kind == WEIR_ARROW_ROOM;
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s%s%s%s", used ? "; " : "", room ? "room in " : "data from ",
                                 room          ? arrow->name
                                 : from->label ? from->label
                                               : name,
                                 room ? ", made by " : "", room ? name : "");
        if (from->iteration >= 0 && used < sizeof text)
            used += (size_t)snprintf(text + used, sizeof text - used, ", %s %lld", l->iteration_name, (long long)from->iteration);
    }
    if (l->lanes[lane].rows == 1 && span > l->lanes[lane].first_span && before->iteration >= 0 && used < sizeof text &&
        weir_ratio_compare(before->to, s->from) == 0)
        snprintf(text + used, sizeof text - used, "%sits own last %s", used ? "; " : "", l->iteration_name);
    if (text[0])
        put_text(t, "waited_for", text);
}

/* chrome://tracing paints by these names, a colour for each iteration; Perfetto by the names of slices. */
static const char *colour_of(const struct weir_timeline_span *span)
{
    static const char *const names[] = {"thread_state_running", "rail_response", "rail_animation", "rail_load",
                                        "thread_state_iowait",  "olive",         "generic_work",   "startup"};
    return names[span->look % (sizeof names / sizeof *names)];
}

static void put_span(struct trace *t, size_t lane, size_t index, uint32_t row)
{
    static const char *const categories[WEIR_SPAN_KINDS] = {
        [WEIR_SPAN_EXECUTION] = "execution",         [WEIR_SPAN_CRITICAL] = "worst case", [WEIR_SPAN_MEASURED] = "execution",
        [WEIR_SPAN_EXCESS] = "above its worst case", [WEIR_SPAN_LAUNCH] = "launch",       [WEIR_SPAN_PART] = "part of a kernel",
        [WEIR_SPAN_WINDOW] = "execution interval"};
    const struct weir_timeline_span *span = &t->t->spans[index];
    struct event e = event_of(t, lane, span);
    if (!categories[span->kind])
        return;
    begin_event(t, "X", span->label ? span->label : t->t->lanes[lane].name, e.process, e.thread + row);
    put_text(t, "cat", categories[span->kind]);
    put_time(t, "ts", e.from);
    put_time(t, "dur", e.to - e.from);
    put_text(t, "cname", colour_of(span));
    begin_details(t);
    if (span->iteration >= 0)
        put_integer(t, t->t->iteration_name, span->iteration);
    if (span->kind == WEIR_SPAN_CRITICAL)
        put_flag(t, "critical", true);
    if (span->open)
        put_flag(t, "unfinished", true);
    put_facts(t, span->facts, span->fact_count);
    if (span->kind != WEIR_SPAN_MEASURED && span->kind != WEIR_SPAN_EXCESS) /* what was measured has its causes among its facts */
        put_waited_for(t, lane, index);
    end_event(t);
}

static void put_spans(struct trace *t)
{
    for (size_t i = 0; i < t->t->lane_count; i++) {
        const struct weir_timeline_lane *lane = &t->t->lanes[i];
        size_t count = is_left_out(t->t, lane) ? 0 : lane->span_count;
        for (size_t k = 0; k < count; k++)
            for (uint32_t row = 0; row < t->t->spans[lane->first_span + k].row_count; row++)
                put_span(t, i, lane->first_span + k, row);
    }
}

/* ---- the critical path ---- */

static const char *wait_words(const struct weir_timeline *t, size_t step, char text[512])
{
    const struct weir_timeline_step *s = &t->steps[step], *before = step ? s - 1 : s;
    const char *name = t->lanes[before->lane].name;
    if (s->label)
        return s->wait == WEIR_WAIT_NONE ? NULL : s->reason;
    switch (s->wait) {
    case WEIR_WAIT_NONE:
        return NULL;
    case WEIR_WAIT_DATA:
        snprintf(text, 512, "data from %s, %s %lld", name, t->iteration_name, (long long)before->iteration);
        return text;
    case WEIR_WAIT_BACKPRESSURE:
        snprintf(text, 512, "room, made by %s, %s %lld", name, t->iteration_name, (long long)before->iteration);
        return text;
    case WEIR_WAIT_BUSY:
        snprintf(text, 512, "its own last %s", t->iteration_name);
        return text;
    case WEIR_WAIT_PERIOD:
        return "its period";
    case WEIR_WAIT_ORDER:
        break;
    }
    return "its turn";
}

static void put_step(struct trace *t, size_t step, const char *name, int64_t from, int64_t to)
{
    const struct weir_timeline_step *s = &t->t->steps[step];
    char text[512];
    const char *words = wait_words(t->t, step, text);
    if (to <= from)
        return;
    begin_event(t, "X", name, (uint32_t)t->t->group_count + 1, 1);
    put_text(t, "cat", "critical path");
    put_time(t, "ts", from);
    put_time(t, "dur", to - from);
    begin_details(t);
    if (!s->label)
        put_integer(t, t->t->iteration_name, s->iteration);
    if (words)
        put_text(t, "waited_for", words);
    end_event(t);
}

/* One step after the other, and what passes between them: a period. */
static void put_path(struct trace *t)
{
    const struct weir_timeline *l = t->t;
    uint32_t process = (uint32_t)l->group_count + 1;
    if (!l->step_count)
        return;
    put_name(t, false, "critical path", (const uint32_t[]){process, 0});
    put_name(t, true, "critical path", (const uint32_t[]){process, 1});
    int64_t over = INT64_MIN;
    for (size_t i = 0; i < l->step_count; i++) {
        int64_t from = moment_of(t, l->steps[i].from), to = moment_of(t, l->steps[i].to);
        if (over != INT64_MIN && from > over)
            put_step(t, i, "waiting", over, from);
        put_step(t, i, l->steps[i].label ? l->steps[i].label : l->lanes[l->steps[i].lane].name, from > over ? from : over, to);
        over = to > over ? to : over;
    }
}

/* ---- the rest ---- */

static void put_end(struct trace *t, const char *kind, const struct weir_timeline_arrow *arrow, const struct event *event,
                    int64_t at)
{
    begin_event(t, kind, arrow->name, event->process, event->thread);
    put_text(t, "cat", arrow->kind == WEIR_ARROW_ROOM ? "room" : "data");
    put_integer(t, "id", t->flows);
    put_time(t, "ts", at);
    if (*kind == 'f')
        put_text(t, "bp", "e"); /* the event it points to is the one around it, not the next */
    weir_json_end(&t->json);
}

/* Data that was there when it was needed is not waited for; room that is recorded always is. */
static bool is_waited_for(const struct weir_timeline *t, const struct weir_timeline_arrow *arrow)
{
    return arrow->kind == WEIR_ARROW_ROOM || weir_ratio_compare(t->spans[arrow->from].to, t->spans[arrow->to].from) == 0;
}

/* Readers look for the event around each end of an arrow, in whole nanoseconds: so data leaves a little before the end. Room comes
 * at the moment at which the other one starts. */
static void put_arrows(struct trace *t)
{
    enum { LITTLE = 2000 };
    for (size_t i = 0; i < t->t->arrow_count; i++) {
        const struct weir_timeline_arrow *arrow = &t->t->arrows[i];
        if (t->no_arrows || (t->few_arrows && !is_waited_for(t->t, arrow)))
            continue;
        struct event from = event_of(t, lane_of(t->t, arrow->from), &t->t->spans[arrow->from]);
        struct event to = event_of(t, lane_of(t->t, arrow->to), &t->t->spans[arrow->to]);
        int64_t half = (from.to - from.from) / 2;
        t->flows++;
        put_end(t, "s", arrow, &from, arrow->kind == WEIR_ARROW_ROOM ? to.from : from.to - (half < LITTLE ? half : LITTLE));
        put_end(t, "f", arrow, &to, to.from);
    }
}

static void put_level(struct trace *t, const char *name, int64_t at, int64_t value)
{
    begin_event(t, "C", name, 1, 0);
    put_time(t, "ts", at);
    begin_details(t);
    put_integer(t, name, value);
    end_event(t);
}

/* Of points at one moment the last counts. The last one holds to the end: viewers draw a counter up to its last point. */
static void put_levels(struct trace *t)
{
    int64_t end = moment_of(t, t->t->end);
    for (size_t i = 0; i < t->t->level_count && !t->no_levels; i++) {
        const struct weir_timeline_level *level = &t->t->levels[i];
        const struct weir_timeline_point *points = &t->t->points[level->first_point];
        for (size_t k = 0; k < level->point_count; k++) {
            int64_t at = moment_of(t, points[k].at);
            bool last = k + 1 == level->point_count;
            if (last || moment_of(t, points[k + 1].at) != at)
                put_level(t, level->name, at, points[k].value);
            if (last && at < end)
                put_level(t, level->name, end, points[k].value);
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

/* ---- how much of it ---- */

static enum weir_status prepare(struct trace *t)
{
    const struct weir_timeline *l = t->t;
    t->threads = weir_array_zeroed(l->lane_count, sizeof *t->threads);
    t->arrows = weir_array(l->arrow_count, sizeof *t->arrows);
    t->first = weir_array_zeroed(l->span_count + 2, sizeof *t->first);
    if (!t->threads || !t->arrows || !t->first)
        return weir_fail_memory(t->error);
    for (size_t i = 0; i < l->arrow_count; i++)
        t->first[l->arrows[i].to + 2] += is_waited_for(l, &l->arrows[i]);
    for (size_t i = 2; i < l->span_count + 2; i++)
        t->first[i] += t->first[i - 1];
    for (size_t i = 0; i < l->arrow_count; i++)
        if (is_waited_for(l, &l->arrows[i]))
            t->arrows[t->first[l->arrows[i].to + 1]++] = i;
    size_t least = l->span_count + l->step_count + 2 * t->first[l->span_count];
    t->few_arrows = l->span_count + l->step_count + 2 * l->arrow_count + l->point_count > EVENTS_MAX;
    t->no_levels = t->few_arrows && least + l->point_count > EVENTS_MAX;
    t->no_arrows = t->no_levels && least > EVENTS_MAX;
    return WEIR_OK;
}

static void put_all(struct trace *t)
{
    const struct weir_timeline *l = t->t;
    weir_json_object(&t->json, WEIR_JSON_BLOCK);
    put_text(t, "displayTimeUnit", "ns");
    weir_json_key(&t->json, "otherData");
    weir_json_object(&t->json, WEIR_JSON_BLOCK);
    put_facts(t, l->facts, l->fact_count);
    if (l->account)
        put_text(t, "adds_up", l->account);
    if (t->few_arrows)
        put_text(t, "left_out",
                 t->no_arrows   ? "messages that nobody waited for, how full queues are, and all arrows"
                 : t->no_levels ? "messages that nobody waited for, and how full queues are"
                                : "messages that nobody waited for");
    weir_json_end(&t->json);
    weir_json_key(&t->json, "traceEvents");
    weir_json_array(&t->json, WEIR_JSON_BLOCK);
    put_names(t);
    put_path(t);
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
    if (!status)
        status = prepare(&t);
    if (!status)
        put_all(&t);
    weir_free(t.threads);
    weir_free(t.arrows);
    weir_free(t.first);
    return status ? status : weir_written(out, "the trace", error);
}

enum weir_status weir_run_write_trace(const struct weir_run *run, FILE *out, struct weir_error *error)
{
    struct weir_timeline *t;
    return weir_timeline_finish(weir_timeline_of_run(run, &t, error), &t, weir_timeline_write_trace, out, error);
}
