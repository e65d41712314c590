/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A timeline as JSON, for the page that draws it (html/assets/timeline.js). Times are ticks from the origin: whole numbers, as text
 * where a double would not hold them, or [numerator, denominator]. Spans are arrays, since there are many: [kind, row, iteration,
 * from, to], and an object behind them where there is more to say.
 */
#include "base/json.h"
#include "base/alloc.h"
#include "base/number.h"
#include "render/timeline/timeline.h"

#define SPANS_MAX 40000U /* of lanes beside the critical path; more lanes are only counted */
#define POINTS_MAX 40000U
#define WHOLE_MAX (INT64_C(1) << 53) /* whole numbers that a double holds */

struct writer {
    struct weir_json json;
    const struct weir_timeline *t;
    uint32_t *numbers; /* by lane: which one of those that are written */
    uint32_t written;
};

static void put_integer(struct writer *w, int64_t value)
{
    char text[24];
    if (value < WHOLE_MAX && value > -WHOLE_MAX) {
        weir_json_integer(&w->json, value);
        return;
    }
    snprintf(text, sizeof text, "%lld", (long long)value);
    weir_json_text(&w->json, text);
}

static void put_time(struct writer *w, struct weir_ratio time)
{
    if (time.denominator == 1) {
        put_integer(w, time.numerator - w->t->origin);
        return;
    }
    weir_json_array(&w->json, WEIR_JSON_LINE);
    put_integer(w, time.numerator);
    put_integer(w, time.denominator);
    weir_json_end(&w->json);
}

static void put_time_key(struct writer *w, const char *key, struct weir_ratio time)
{
    weir_json_key(&w->json, key);
    put_time(w, time);
}

static void put_text_key(struct writer *w, const char *key, const char *text)
{
    if (!text)
        return;
    weir_json_key(&w->json, key);
    weir_json_text(&w->json, text);
}

static void put_integer_key(struct writer *w, const char *key, int64_t value)
{
    weir_json_key(&w->json, key);
    weir_json_integer(&w->json, value);
}

static void begin_list(struct writer *w, const char *key)
{
    weir_json_key(&w->json, key);
    weir_json_array(&w->json, WEIR_JSON_BLOCK);
}

/* ---- lanes ---- */

/* Those of the critical path and of the journey, then others as long as there is room. */
static void choose_lanes(struct writer *w)
{
    const struct weir_timeline *t = w->t;
    size_t spans = 0;
    for (size_t i = 0; i < t->lane_count; i++)
        w->numbers[i] = WEIR_NO_LANE;
    for (size_t i = 0; i < t->step_count; i++)
        w->numbers[t->steps[i].lane] = 0;
    for (size_t i = 0; i < t->leg_count; i++)
        w->numbers[t->legs[i].lane] = 0;
    for (size_t i = 0; i < t->lane_count; i++) {
        if (w->numbers[i] == WEIR_NO_LANE && !t->lanes[i].hidden && spans + t->lanes[i].span_count <= SPANS_MAX) {
            spans += t->lanes[i].span_count;
            w->numbers[i] = 0;
        }
        if (w->numbers[i] == 0)
            w->numbers[i] = w->written++;
    }
}

static void put_span(struct writer *w, const struct weir_timeline_span *span)
{
    bool look = span->look != (uint32_t)(span->iteration & UINT32_MAX) && span->kind != WEIR_SPAN_GPU;
    weir_json_array(&w->json, WEIR_JSON_LINE);
    weir_json_integer(&w->json, span->kind);
    weir_json_integer(&w->json, span->row);
    put_integer(w, span->iteration);
    put_time(w, span->from);
    put_time(w, span->to);
    if (look || span->open || span->row_count > 1 || span->label || span->note || span->by) {
        weir_json_object(&w->json, WEIR_JSON_LINE);
        if (look)
            put_integer_key(w, "look", span->look);
        if (span->open)
            put_integer_key(w, "open", 1);
        if (span->row_count > 1)
            put_integer_key(w, "rows", span->row_count);
        put_text_key(w, "label", span->label);
        put_text_key(w, "note", span->note);
        if (span->by && w->numbers[span->by - 1] != WEIR_NO_LANE)
            put_integer_key(w, "by", w->numbers[span->by - 1]);
        weir_json_end(&w->json);
    }
    weir_json_end(&w->json);
}

static void put_lane(struct writer *w, const struct weir_timeline_lane *lane)
{
    weir_json_object(&w->json, WEIR_JSON_LINE);
    put_text_key(w, "name", lane->name);
    put_integer_key(w, "group", lane->group);
    put_integer_key(w, "rows", lane->rows);
    put_text_key(w, "details", lane->details);
    put_text_key(w, "label", lane->label);
    if (lane->label)
        put_time_key(w, "labelAt", lane->label_at);
    put_text_key(w, "rowName", lane->row_name);
    if (lane->row_name)
        put_integer_key(w, "rowLimit", lane->row_limit);
    weir_json_key(&w->json, "spans");
    weir_json_array(&w->json, WEIR_JSON_LINE);
    for (size_t i = 0; i < lane->span_count; i++)
        put_span(w, &w->t->spans[lane->first_span + i]);
    weir_json_end(&w->json);
    weir_json_end(&w->json);
}

static void put_lanes(struct writer *w)
{
    const struct weir_timeline *t = w->t;
    uint32_t hidden = 0;
    begin_list(w, "groups");
    for (size_t i = 0; i < t->group_count; i++) {
        weir_json_object(&w->json, WEIR_JSON_LINE);
        put_text_key(w, "name", t->groups[i].name);
        put_text_key(w, "note", t->groups[i].note);
        weir_json_key(&w->json, "heading");
        weir_json_bool(&w->json, t->groups[i].heading);
        weir_json_end(&w->json);
    }
    weir_json_end(&w->json);
    begin_list(w, "lanes");
    for (size_t i = 0; i < t->lane_count; i++) {
        hidden += t->lanes[i].hidden && w->numbers[i] == WEIR_NO_LANE;
        if (w->numbers[i] != WEIR_NO_LANE)
            put_lane(w, &t->lanes[i]);
    }
    weir_json_end(&w->json);
    put_integer_key(w, "leftOut", (int64_t)t->lane_count - w->written - hidden);
}

/* ---- what runs through them ---- */

static void put_path(struct writer *w)
{
    begin_list(w, "steps");
    for (size_t i = 0; i < w->t->step_count; i++) {
        const struct weir_timeline_step *step = &w->t->steps[i];
        weir_json_array(&w->json, WEIR_JSON_LINE);
        weir_json_integer(&w->json, w->numbers[step->lane]);
        weir_json_integer(&w->json, step->row);
        put_integer(w, step->iteration);
        put_time(w, step->from);
        put_time(w, step->to);
        weir_json_integer(&w->json, step->wait);
        weir_json_text(&w->json, step->reason ? step->reason : "");
        if (step->label)
            weir_json_text(&w->json, step->label);
        weir_json_end(&w->json);
    }
    weir_json_end(&w->json);
    begin_list(w, "legs");
    for (size_t i = 0; i < w->t->leg_count; i++) {
        const struct weir_timeline_leg *leg = &w->t->legs[i];
        weir_json_array(&w->json, WEIR_JSON_LINE);
        weir_json_integer(&w->json, leg->kind);
        weir_json_integer(&w->json, w->numbers[leg->lane]);
        weir_json_integer(&w->json, leg->row);
        put_integer(w, leg->iteration);
        put_time(w, leg->from);
        put_time(w, leg->to);
        weir_json_text(&w->json, leg->text);
        weir_json_end(&w->json);
    }
    weir_json_end(&w->json);
}

static void put_levels(struct writer *w)
{
    const struct weir_timeline *t = w->t;
    size_t points = 0;
    begin_list(w, "levels");
    for (size_t i = 0; i < t->level_count; i++) {
        const struct weir_timeline_level *level = &t->levels[i];
        if (level->lane == WEIR_NO_LANE || w->numbers[level->lane] == WEIR_NO_LANE || points + level->point_count > POINTS_MAX)
            continue;
        points += level->point_count;
        weir_json_object(&w->json, WEIR_JSON_LINE);
        put_text_key(w, "name", level->title);
        put_integer_key(w, "lane", w->numbers[level->lane]);
        put_integer_key(w, "capacity", level->capacity);
        put_integer_key(w, "most", level->most);
        weir_json_key(&w->json, "points");
        weir_json_array(&w->json, WEIR_JSON_LINE);
        for (size_t k = 0; k < level->point_count; k++) {
            put_time(w, t->points[level->first_point + k].at);
            put_integer(w, t->points[level->first_point + k].value);
        }
        weir_json_end(&w->json);
        weir_json_end(&w->json);
    }
    weir_json_end(&w->json);
}

static void put_moments(struct writer *w)
{
    static const char *const kinds[] = {"latency", "bound", "lower", "deadline"};
    const struct weir_timeline *t = w->t;
    begin_list(w, "rulers");
    for (size_t i = 0; i < t->ruler_count; i++) {
        const struct weir_timeline_ruler *ruler = &t->rulers[i];
        weir_json_object(&w->json, WEIR_JSON_LINE);
        put_text_key(w, "kind", kinds[ruler->kind]);
        put_time_key(w, "from", ruler->from);
        put_time_key(w, "to", ruler->to);
        put_text_key(w, "text", ruler->text);
        put_integer_key(w, "state", ruler->state);
        if (ruler->over.denominator)
            put_time_key(w, "over", ruler->over);
        put_text_key(w, "fromEvent", ruler->from_event);
        put_text_key(w, "toEvent", ruler->to_event);
        weir_json_end(&w->json);
    }
    weir_json_end(&w->json);
    begin_list(w, "markers");
    for (size_t i = 0; i < t->marker_count; i++) {
        weir_json_object(&w->json, WEIR_JSON_LINE);
        put_time_key(w, "at", t->markers[i].at);
        put_text_key(w, "label", t->markers[i].label);
        weir_json_end(&w->json);
    }
    weir_json_end(&w->json);
}

enum weir_status weir_timeline_write_json(const struct weir_timeline *t, FILE *out, struct weir_error *error)
{
    struct writer w = {.json = {.out = out}, .t = t};
    w.numbers = weir_array(t->lane_count, sizeof *w.numbers);
    if (!w.numbers)
        return weir_fail_memory(error);
    choose_lanes(&w);
    weir_json_object(&w.json, WEIR_JSON_BLOCK);
    put_text_key(&w, "title", t->title);
    put_text_key(&w, "summary", t->summary);
    put_text_key(&w, "subtitle", t->subtitle);
    put_text_key(&w, "account", t->account);
    put_text_key(&w, "axis", t->axis);
    put_text_key(&w, "iterationName", t->iteration_name);
    put_text_key(&w, "markerName", t->marker_name);
    put_text_key(&w, "markerLegend", t->marker_legend);
    put_text_key(&w, "unit", weir_timeline_unit(t));
    put_integer_key(&w, "digits", t->digits);
    put_time_key(&w, "begin", t->begin);
    put_time_key(&w, "end", t->end);
    put_time_key(&w, "reach", t->reach.denominator ? t->reach : t->end);
    struct weir_timeline_window window = weir_timeline_window(t);
    if (window.part) {
        weir_json_key(&w.json, "first");
        weir_json_array(&w.json, WEIR_JSON_LINE);
        weir_json_integer(&w.json, (int64_t)window.from);
        weir_json_integer(&w.json, (int64_t)window.to);
        weir_json_end(&w.json);
    }
    put_lanes(&w);
    put_path(&w);
    put_levels(&w);
    put_moments(&w);
    weir_json_end(&w.json);
    fputc('\n', out);
    weir_free(w.numbers);
    return weir_written(out, "the timeline", error);
}
