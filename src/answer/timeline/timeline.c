/* SPDX-License-Identifier: Apache-2.0 */
/* Timelines as they are put together. */
#include "answer/timeline/timeline.h"

#include "answer/number.h"
#include "base/heap.h"
#include "base/number.h"
#include "model/pipeline.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

struct weir_timeline *weir_timeline_new(const struct weir_pipeline *pipeline)
{
    const char *name = weir_pipeline_name(pipeline);
    struct weir_timeline *t = weir_array_zeroed(1, sizeof *t);
    if (!t)
        return NULL;
    t->unit = weir_pipeline_unit(pipeline);
    t->digits = weir_pipeline_digits(pipeline);
    t->iteration_name = "iteration";
    t->title = t->summary = t->axis = "";
    t->begin = t->end = weir_ticks(0);
    weir_timeline_add_fact(t, "model", weir_datum_text(weir_timeline_text(t, "%s", name ? name : "")));
    return t;
}

enum weir_status weir_timeline_end(struct weir_timeline *t, enum weir_status status, struct weir_timeline **out,
                                   struct weir_error *error)
{
    if (status == WEIR_OK && t->failed)
        status = weir_fail_memory(error);
    if (status != WEIR_OK)
        weir_timeline_free(t);
    *out = status == WEIR_OK ? t : NULL;
    return status;
}

void weir_timeline_free(struct weir_timeline *t)
{
    if (!t)
        return;
    void *const lists[] = {t->facts,  t->groups, t->lanes,  t->spans,  t->steps,  t->legs,
                           t->arrows, t->levels, t->points, t->rulers, t->markers};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        weir_free(lists[i]);
    weir_arena_free(&t->arena);
    weir_free(t);
}

enum weir_status weir_timeline_of_answer(const struct weir_answer *answer, size_t bound, struct weir_timeline **timeline,
                                         struct weir_error *error)
{
    *timeline = NULL;
    if (bound >= answer->bound_count)
        return weir_fail(error, WEIR_INVALID, "the answer has %zu bounds, so there is none with the index %zu", answer->bound_count,
                         bound);
    if (!answer->engine->timeline || !answer->detail)
        return weir_fail(error, WEIR_INVALID, "there is no worst case to draw, only a bound");
    return answer->engine->timeline(answer, bound, timeline, error);
}

const char *weir_timeline_text(struct weir_timeline *t, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    char *text = weir_arena_take(&t->arena, (size_t)length + 1);
    if (!text) {
        t->failed = true;
        return "";
    }
    va_start(arguments, format);
    vsnprintf(text, (size_t)length + 1, format, arguments);
    va_end(arguments);
    return text;
}

/* ---- lists ---- */

#define ADD(list, item)                                                                                                            \
    add(timeline, (void **)&timeline->list##s, &timeline->list##_count, &timeline->list##_room, &(item), sizeof(item))

static void add(struct weir_timeline *t, void **list, size_t *count, size_t *room, const void *item, size_t size)
{
    if (!weir_reserve(list, room, *count + 1, size))
        t->failed = true;
    else
        memcpy((char *)*list + size * (*count)++, item, size);
}

void weir_timeline_add_fact(struct weir_timeline *timeline, const char *key, struct weir_datum value)
{
    struct weir_field field = {key, value};
    ADD(fact, field);
}

const struct weir_field *weir_timeline_facts(struct weir_timeline *t, const struct weir_field *facts, size_t count)
{
    static const struct weir_field none[8];
    struct weir_field *copy = weir_arena_take(&t->arena, count * sizeof *copy);
    t->failed |= !copy;
    return copy ? memcpy(copy, facts, count * sizeof *copy) : none;
}

void weir_timeline_add_group(struct weir_timeline *timeline, struct weir_timeline_group group)
{
    ADD(group, group);
}

void weir_timeline_add_lane(struct weir_timeline *timeline, struct weir_timeline_lane lane)
{
    lane.group = timeline->group_count ? (uint32_t)timeline->group_count - 1 : 0;
    lane.rows = lane.rows ? lane.rows : 1;
    lane.first_span = timeline->span_count;
    lane.label_at.denominator = lane.label ? lane.label_at.denominator : 1;
    ADD(lane, lane);
}

void weir_timeline_add_span(struct weir_timeline *timeline, struct weir_timeline_span span)
{
    size_t before = timeline->span_count;
    span.row_count = span.row_count ? span.row_count : 1;
    ADD(span, span);
    if (timeline->lane_count)
        timeline->lanes[timeline->lane_count - 1].span_count += timeline->span_count - before;
}

void weir_timeline_add_step(struct weir_timeline *timeline, struct weir_timeline_step step)
{
    ADD(step, step);
}

void weir_timeline_add_leg(struct weir_timeline *timeline, struct weir_timeline_leg leg)
{
    ADD(leg, leg);
}

void weir_timeline_add_arrow(struct weir_timeline *timeline, struct weir_timeline_arrow arrow)
{
    ADD(arrow, arrow);
}

void weir_timeline_add_level(struct weir_timeline *timeline, struct weir_timeline_level level)
{
    level.first_point = timeline->point_count;
    level.point_count = 0;
    ADD(level, level);
}

void weir_timeline_add_point(struct weir_timeline *timeline, struct weir_timeline_point point)
{
    size_t before = timeline->point_count;
    ADD(point, point);
    if (timeline->level_count && timeline->point_count > before) {
        struct weir_timeline_level *level = &timeline->levels[timeline->level_count - 1];
        level->point_count++;
        level->most = point.value > level->most ? point.value : level->most;
    }
}

void weir_timeline_add_ruler(struct weir_timeline *timeline, struct weir_timeline_ruler ruler)
{
    ADD(ruler, ruler);
}

void weir_timeline_add_marker(struct weir_timeline *timeline, struct weir_timeline_marker marker)
{
    ADD(marker, marker);
}

/* ---- rows ---- */

struct row {
    struct weir_ratio end;
    uint32_t row;
};

static bool ends_before(const void *context, const struct row *a, const struct row *b)
{
    (void)context;
    int order = weir_ratio_compare(a->end, b->end);
    return order != 0 ? order < 0 : a->row < b->row;
}

WEIR_HEAP(rows, struct row, const void *, ends_before, WEIR_HEAP_STAYS);

void weir_timeline_pack(struct weir_timeline *t)
{
    if (t->failed)
        return;
    struct weir_timeline_lane *lane = &t->lanes[t->lane_count - 1];
    struct row *heap = weir_array(lane->span_count, sizeof *heap);
    size_t count = 0;
    t->failed |= !heap;
    for (size_t i = 0; heap && i < lane->span_count; i++) {
        struct weir_timeline_span *span = &t->spans[lane->first_span + i];
        bool reuse = count > 0 && weir_ratio_compare(heap[0].end, span->from) <= 0; /* the row that is free since the longest */
        span->row = reuse ? rows_pop(NULL, heap, &count).row : (uint32_t)count;
        rows_push(NULL, heap, &count, (struct row){span->to, span->row});
        lane->rows = span->row >= lane->rows ? span->row + 1 : lane->rows;
    }
    weir_free(heap);
}

/* ---- names and numbers ---- */

const char *weir_timeline_queue_name(struct weir_timeline *t, const struct weir_pipeline *pipeline, uint32_t queue)
{
    uint32_t number = weir_queue_number(pipeline, (struct weir_queue){queue});
    struct weir_queue_spec q = weir_pipeline_queue(pipeline, (struct weir_queue){queue});
    const char *from = weir_pipeline_operator(pipeline, q.from).name, *to = weir_pipeline_operator(pipeline, q.to).name;
    return number > 1 ? weir_timeline_text(t, "%s -> %s#%u", from, to, number) : weir_timeline_text(t, "%s -> %s", from, to);
}

const char *weir_timeline_unit(const struct weir_timeline *t)
{
    return t->unit == WEIR_UNIT_TICK ? "ticks" : weir_unit_name(t->unit);
}

const char *weir_timeline_unit_of(const struct weir_timeline *t, const char *number)
{
    return t->unit == WEIR_UNIT_TICK && strcmp(number, "1") == 0 ? "tick" : weir_timeline_unit(t);
}

const char *weir_timeline_number(const struct weir_timeline *t, struct weir_ratio ticks, bool up, char text[WEIR_TIME_TEXT])
{
    weir_wide divisor = ticks.denominator, dividend = (weir_wide)ticks.numerator * 1000000;
    for (unsigned i = 0; i < t->digits; i++)
        divisor *= 10;
    weir_wide millionths = dividend / divisor + (up && dividend % divisor > 0);
    if (ticks.denominator == 1)
        return weir_decimal_format(ticks.numerator, t->digits, text);
    if (millionths <= INT64_MAX)
        return weir_decimal_format((int64_t)millionths, 6, text);
    return weir_decimal_format((int64_t)(millionths / 1000000) + up, 0, text);
}

const char *weir_timeline_amount(const struct weir_timeline *t, struct weir_ratio ticks, bool up, char text[WEIR_AMOUNT_TEXT])
{
    char number[WEIR_TIME_TEXT];
    bool named = t->unit != WEIR_UNIT_TICK;
    snprintf(text, WEIR_AMOUNT_TEXT, "%s%s%s", weir_timeline_number(t, ticks, up, number), named ? " " : "",
             named ? weir_unit_name(t->unit) : "");
    return text;
}

const char *weir_timeline_deadline(struct weir_timeline *t, const struct weir_bound *bound)
{
    char deadline[WEIR_AMOUNT_TEXT], by[WEIR_TIME_TEXT];
    struct weir_ratio limit = weir_ticks(bound->deadline), high = bound->worst.high, low = bound->worst.low;
    enum weir_deadline_state state = weir_judge(bound);
    weir_timeline_amount(t, limit, true, deadline);
    if (state == WEIR_DEADLINE_MET && high.denominator)
        return weir_timeline_text(t, "deadline: %s, %s to spare", deadline,
                                  weir_timeline_number(t, weir_ratio_difference(limit, high), false, by));
    if (state == WEIR_DEADLINE_NOT_PROVED && high.denominator)
        return weir_timeline_text(t, "deadline: %s, %s below the bound", deadline,
                                  weir_timeline_number(t, weir_ratio_difference(high, limit), true, by));
    if (state == WEIR_DEADLINE_MISSED && low.denominator)
        return weir_timeline_text(t, "deadline: %s, missed by %s", deadline,
                                  weir_timeline_number(t, weir_ratio_difference(low, limit), false, by));
    return weir_timeline_text(t, "deadline: %s", deadline);
}
