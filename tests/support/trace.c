/* SPDX-License-Identifier: Apache-2.0 */
#include "support/trace.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define TEXT 1024

struct event {
    char kind, scope;
    char name[TEXT], category[TEXT], binding[8], track_name[TEXT], waited_for[TEXT];
    int64_t process, track, id, ts, length; /* times in picoseconds */
    int64_t value;                          /* of a counter */
    bool has_track, has_id, has_ts, has_length, has_value, has_name;
};

struct reader {
    const char *at;
    struct event *events;
    size_t count, capacity;
};

/* ---- JSON ---- */

static void skip_space(struct reader *r)
{
    r->at += strspn(r->at, " \n\t\r");
}

static void take(struct reader *r, char c)
{
    skip_space(r);
    if (*r->at != c)
        fail_msg("expected %c before: %.40s", c, r->at);
    r->at++;
}

static bool next_is(struct reader *r, char c)
{
    skip_space(r);
    return *r->at == c;
}

static void read_text(struct reader *r, char text[TEXT])
{
    size_t used = 0;
    take(r, '"');
    for (; *r->at != '"'; r->at++) {
        assert_true((unsigned char)*r->at >= 0x20);
        if (*r->at == '\\') {
            r->at++;
            assert_non_null(strchr("\"\\/bfnrtu", *r->at));
        }
        if (used + 1 < TEXT)
            text[used++] = *r->at;
    }
    r->at++;
    text[used] = 0;
}

/* Whole numbers of millionths: exactly, or it fails. */
static int64_t read_decimal(struct reader *r)
{
    int64_t value = 0;
    int digits = 0;
    skip_space(r);
    bool negative = *r->at == '-';
    r->at += negative;
    assert_true(*r->at >= '0' && *r->at <= '9');
    for (; *r->at >= '0' && *r->at <= '9'; r->at++) {
        assert_true(value < INT64_MAX / 100000000);
        value = value * 10 + (*r->at - '0');
    }
    value *= 1000000;
    if (*r->at == '.')
        for (r->at++; *r->at >= '0' && *r->at <= '9'; r->at++) {
            int64_t unit = 1000000;
            assert_true(++digits <= 6);
            for (int i = 0; i < digits; i++)
                unit /= 10;
            value += (*r->at - '0') * unit;
        }
    assert_true(*r->at != 'e' && *r->at != 'E' && *r->at != '.');
    return negative ? -value : value;
}

/* Any value; those of "args" that matter are kept. */
static void read_args(struct reader *r, struct event *e)
{
    char key[TEXT], text[TEXT];
    take(r, '{');
    while (!next_is(r, '}')) {
        read_text(r, key);
        take(r, ':');
        skip_space(r);
        if (*r->at == '"') {
            read_text(r, text);
            if (strcmp(key, "name") == 0)
                memcpy(e->track_name, text, TEXT);
            if (strcmp(key, "waited_for") == 0)
                memcpy(e->waited_for, text, TEXT);
        } else if (strncmp(r->at, "true", 4) == 0 || strncmp(r->at, "null", 4) == 0) {
            r->at += 4;
        } else if (strncmp(r->at, "false", 5) == 0) {
            r->at += 5;
        } else {
            e->value = read_decimal(r) / 1000000;
            e->has_value = true;
        }
        if (!next_is(r, '}'))
            take(r, ',');
    }
    take(r, '}');
}

static void read_field(struct reader *r, struct event *e, const char *key)
{
    char text[TEXT];
    if (strcmp(key, "args") == 0) {
        read_args(r, e);
    } else if (strcmp(key, "ph") == 0) {
        read_text(r, text);
        assert_int_equal(strlen(text), 1);
        e->kind = text[0];
    } else if (strcmp(key, "s") == 0) {
        read_text(r, text);
        e->scope = text[0];
    } else if (strcmp(key, "name") == 0) {
        read_text(r, e->name);
        e->has_name = true;
    } else if (strcmp(key, "cat") == 0) {
        read_text(r, e->category);
    } else if (strcmp(key, "cname") == 0) {
        read_text(r, text);
        assert_true(text[0]);
    } else if (strcmp(key, "bp") == 0) {
        read_text(r, text);
        memcpy(e->binding, text, sizeof e->binding - 1);
    } else if (strcmp(key, "ts") == 0) {
        e->ts = read_decimal(r);
        e->has_ts = true;
    } else if (strcmp(key, "dur") == 0) {
        e->length = read_decimal(r);
        e->has_length = true;
    } else {
        int64_t number = read_decimal(r);
        assert_int_equal(number % 1000000, 0);
        number /= 1000000;
        if (strcmp(key, "pid") == 0) {
            e->process = number;
        } else if (strcmp(key, "tid") == 0) {
            e->track = number;
            e->has_track = true;
        } else if (strcmp(key, "id") == 0) {
            e->id = number;
            e->has_id = true;
        } else {
            fail_msg("unknown key %s", key);
        }
    }
}

static void read_event(struct reader *r)
{
    char key[TEXT];
    if (r->count == r->capacity) {
        r->capacity = r->capacity ? 2 * r->capacity : 256;
        r->events = realloc(r->events, r->capacity * sizeof *r->events);
        assert_non_null(r->events);
    }
    struct event *e = &r->events[r->count++];
    memset(e, 0, sizeof *e);
    take(r, '{');
    while (!next_is(r, '}')) {
        read_text(r, key);
        take(r, ':');
        read_field(r, e, key);
        if (!next_is(r, '}'))
            take(r, ',');
    }
    take(r, '}');
}

static void read_trace(struct reader *r)
{
    char key[TEXT], text[TEXT];
    struct event other;
    bool events = false;
    take(r, '{');
    while (!next_is(r, '}')) {
        read_text(r, key);
        take(r, ':');
        if (strcmp(key, "traceEvents") == 0) {
            events = true;
            take(r, '[');
            while (!next_is(r, ']')) {
                read_event(r);
                if (!next_is(r, ']'))
                    take(r, ',');
            }
            take(r, ']');
        } else if (strcmp(key, "otherData") == 0) {
            read_args(r, &other);
        } else {
            read_text(r, text);
            if (strcmp(key, "displayTimeUnit") == 0)
                assert_true(strcmp(text, "ns") == 0 || strcmp(text, "ms") == 0);
        }
        if (!next_is(r, '}'))
            take(r, ',');
    }
    take(r, '}');
    skip_space(r);
    assert_int_equal(*r->at, 0);
    assert_true(events);
}

/* ---- what the events mean ---- */

static int by_track(const void *a, const void *b)
{
    const struct event *const *x = a, *const *y = b;
    if ((*x)->track != (*y)->track)
        return (*x)->track < (*y)->track ? -1 : 1;
    if ((*x)->ts != (*y)->ts)
        return (*x)->ts < (*y)->ts ? -1 : 1;
    return ((*x)->length > (*y)->length) - ((*x)->length < (*y)->length);
}

static const char *name_of(const struct reader *r, int64_t track)
{
    for (size_t i = 0; i < r->count; i++)
        if (r->events[i].kind == 'M' && r->events[i].track == track && strcmp(r->events[i].name, "thread_name") == 0)
            return r->events[i].track_name;
    return "";
}

static bool is_step(const struct event *e)
{
    return strcmp(e->category, "critical path") == 0;
}

/* The slice around an event; of several, the one that begins there. */
static const struct event *slice_of(const struct event **slices, size_t count, const struct event *e)
{
    const struct event *found = NULL;
    for (size_t i = 0; i < count; i++)
        if (slices[i]->track == e->track && slices[i]->process == e->process && slices[i]->ts <= e->ts &&
            e->ts <= slices[i]->ts + slices[i]->length && (!found || slices[i]->ts == e->ts))
            found = slices[i];
    return found;
}

static void check_arrow(const struct reader *r, const struct event **slices, size_t count, const struct event *from)
{
    const struct event *to = NULL;
    assert_true(from->has_id && from->category[0]);
    for (size_t i = 0; i < r->count; i++) {
        const struct event *e = &r->events[i];
        if ((e->kind != 's' && e->kind != 'f') || e->id != from->id || e == from)
            continue;
        assert_int_equal(e->kind, 'f'); /* ids are not used twice */
        assert_null(to);
        to = e;
    }
    if (!to) {
        fail_msg("an arrow that does not arrive: %s", from->name);
        return;
    }
    assert_string_equal(to->binding, "e");
    assert_string_equal(to->name, from->name);
    assert_string_equal(to->category, from->category);
    assert_true(to->ts >= from->ts);
    const struct event *target = slice_of(slices, count, to);
    assert_non_null(slice_of(slices, count, from));
    assert_non_null(target);
    if (strcmp(from->category, "room") == 0) {
        assert_int_equal(from->ts, to->ts);
        assert_int_equal(target->ts, to->ts);
        assert_true(target->length == 0 || strstr(target->waited_for, "room in ") || strlen(target->waited_for) > 400);
    } else {
        assert_string_equal(from->category, "data");
    }
}

/* What says that it waited for data has an arrow of it that arrives when it begins. */
static void check_wait(const struct reader *r, const struct event *slice)
{
    if (is_step(slice) || !strstr(slice->waited_for, "data from "))
        return;
    for (size_t i = 0; i < r->count; i++) {
        const struct event *e = &r->events[i];
        if (e->kind == 'f' && e->track == slice->track && e->ts == slice->ts && strcmp(e->category, "data") == 0)
            return;
    }
    fail_msg("%s waited for data that does not come", slice->name);
}

static void check_ends(const struct reader *r, struct trace_counts *counts)
{
    int64_t end = -1;
    for (size_t i = 0; i < r->count; i++) {
        const struct event *e = &r->events[i];
        bool last = e->kind == 'C';
        for (size_t k = i + 1; k < r->count && last; k++)
            last = r->events[k].kind != 'C' || strcmp(r->events[k].name, e->name) != 0;
        if (e->kind == 'X' && e->ts + e->length > counts->last)
            counts->last = e->ts + e->length;
        if (last && end >= 0)
            assert_int_equal(e->ts, end);
        end = last ? e->ts : end;
    }
    counts->end = end;
}

static void check_counter(const struct reader *r, size_t index, struct trace_counts *counts)
{
    const struct event *e = &r->events[index];
    assert_true(e->has_value && e->value >= 0);
    counts->samples++;
    for (size_t i = index; i-- > 0;)
        if (r->events[i].kind == 'C' && strcmp(r->events[i].name, e->name) == 0) {
            assert_true(r->events[i].ts < e->ts);
            return;
        }
    counts->counters++;
}

static void check_slices(const struct reader *r, const struct event **slices, size_t count)
{
    qsort(slices, count, sizeof *slices, by_track);
    for (size_t i = 0; i < count; i++) {
        assert_true(slices[i]->has_length && slices[i]->length >= 0 && slices[i]->has_track);
        int64_t over = i ? slices[i - 1]->ts + slices[i - 1]->length : 0;
        if (i && slices[i]->track == slices[i - 1]->track)
            assert_true(is_step(slices[i]) ? slices[i]->ts == over : slices[i]->ts >= over);
        else
            assert_true(*name_of(r, slices[i]->track));
        check_wait(r, slices[i]);
    }
}

void trace_check(const char *text, struct trace_counts *counts)
{
    struct reader r = {.at = text};
    *counts = (struct trace_counts){0};
    read_trace(&r);
    size_t all = 0;
    const struct event **slices = malloc((r.count + 1) * sizeof *slices);
    assert_non_null(slices);
    for (size_t i = 0; i < r.count; i++) {
        struct event *e = &r.events[i];
        assert_non_null(strchr("MXisfC", e->kind));
        assert_true(e->process >= 1 && e->process < 1000 && e->track >= 0);
        e->track += e->process << 40; /* tracks of different processes are different */
        assert_true(e->has_name && (e->kind == 'M' || (e->has_ts && e->ts >= 0)));
        if (e->kind == 'X')
            slices[all++] = e;
        counts->steps += e->kind == 'X' && is_step(e);
        counts->tracks += e->kind == 'M' && strcmp(e->name, "thread_name") == 0;
        counts->marks += e->kind == 'i' && e->scope == 'g';
        if (e->kind == 'C')
            check_counter(&r, i, counts);
    }
    check_slices(&r, slices, all);
    check_ends(&r, counts);
    counts->slices = all - counts->steps;
    for (size_t i = 0; i < all; i++)
        counts->own += !is_step(slices[i]) && strcmp(slices[i]->name, name_of(&r, slices[i]->track)) == 0;
    size_t ends = 0;
    for (size_t i = 0; i < r.count; i++) {
        ends += r.events[i].kind == 'f';
        if (r.events[i].kind != 's')
            continue;
        bool room = strcmp(r.events[i].category, "room") == 0;
        counts->arrows += !room;
        counts->rooms += room;
        check_arrow(&r, slices, all, &r.events[i]);
    }
    assert_int_equal(ends, counts->arrows + counts->rooms);
    free((void *)slices);
    free(r.events);
}
