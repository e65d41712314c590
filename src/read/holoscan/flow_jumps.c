/* SPDX-License-Identifier: Apache-2.0 */
#include "read/holoscan/flow_jumps.h"

#include "base/alloc.h"
#include "weir.h"

#include <string.h>

#define GAPS (sizeof((struct weir_flow_watch *)0)->gaps / sizeof(struct weir_flow_jump))
#define LONGEST 8         /* executions that are remembered of a name */
#define SHORTEST 100000   /* microseconds; clocks that are less wrong are slowed down or sped up, not set */
#define TWO_AGREE 1000000 /* of two operators more is asked: a GPU that hangs may hold up both */
#define EARLY 10          /* executions that may be start-up */
#define MUCH 10           /* times the mean */

struct sighting {
    int64_t receive, publish;
    uint64_t number, line;
};

struct weir_flow_sightings {
    struct sighting longest[LONGEST];
    uint32_t held;
    uint64_t count;
    int64_t sum, rest; /* of all; the longest of those that are not held */
};

bool weir_flow_jumped(const struct weir_flow_jumps *jumps, int64_t from, int64_t to)
{
    for (size_t i = 0; i < jumps->count; i++)
        if (from <= jumps->at[i].from && to >= jumps->at[i].to)
            return true;
    return false;
}

/* ---- watching ---- */

bool weir_flow_watch_name(struct weir_flow_watch *w)
{
    if (!weir_reserve(&w->names, &w->name_capacity, w->name_count + 1, sizeof *w->names))
        return false;
    w->names[w->name_count++] = (struct weir_flow_sightings){.held = 0};
    return true;
}

void weir_flow_watch_free(struct weir_flow_watch *w)
{
    weir_free(w->names);
}

/* Where there are too many, the shortest is forgotten. */
static void add_gap(struct weir_flow_watch *w, uint32_t at, int64_t from, int64_t to)
{
    if (to - from < SHORTEST)
        return;
    if (w->gap_count == GAPS) {
        uint32_t least = 0;
        for (uint32_t i = 1; i < GAPS; i++)
            if (w->gaps[i].to - w->gaps[i].from < w->gaps[least].to - w->gaps[least].from)
                least = i;
        memmove(&w->gaps[least], &w->gaps[least + 1], (GAPS - least - 1) * sizeof *w->gaps);
        w->gap_count--;
        at -= at > least;
    }
    memmove(&w->gaps[at + 1], &w->gaps[at], (w->gap_count - at) * sizeof *w->gaps);
    w->gaps[at] = (struct weir_flow_jump){.from = from, .to = to};
    w->gap_count++;
}

static void see_stamp(struct weir_flow_watch *w, int64_t stamp)
{
    if (!w->begun || stamp > w->newest) {
        if (w->begun)
            add_gap(w, w->gap_count, w->newest, stamp);
        w->newest = stamp;
        w->begun = true;
        return;
    }
    uint32_t i = w->gap_count;
    while (i > 0 && w->gaps[i - 1].to > stamp)
        i--;
    if (i == w->gap_count || w->gaps[i].from >= stamp)
        return;
    struct weir_flow_jump gap = w->gaps[i];
    memmove(&w->gaps[i], &w->gaps[i + 1], (w->gap_count - i - 1) * sizeof *w->gaps);
    w->gap_count--;
    add_gap(w, i, stamp, gap.to); /* there is room for one */
    if (stamp - gap.from >= SHORTEST)
        add_gap(w, i, gap.from, stamp);
}

static void hold(struct weir_flow_sightings *s, const struct sighting *now)
{
    int64_t took = now->publish - now->receive;
    if (s->held < LONGEST) {
        s->longest[s->held++] = *now;
        return;
    }
    uint32_t least = 0;
    for (uint32_t i = 1; i < LONGEST; i++)
        if (s->longest[i].publish - s->longest[i].receive < s->longest[least].publish - s->longest[least].receive)
            least = i;
    int64_t shortest = s->longest[least].publish - s->longest[least].receive;
    if (took > shortest)
        s->longest[least] = *now;
    s->rest = took > shortest ? shortest : took > s->rest ? took : s->rest;
}

void weir_flow_watch_step(struct weir_flow_watch *w, uint32_t name, int64_t receive, int64_t publish, uint64_t line)
{
    struct weir_flow_sightings *s = &w->names[name];
    see_stamp(w, receive);
    if (publish < receive || s->sum > INT64_MAX / 2 || publish - receive > INT64_MAX / 4)
        return;
    see_stamp(w, publish);
    if (s->held < LONGEST || publish - receive > s->rest)
        hold(s, &(struct sighting){receive, publish, s->count, line});
    s->sum += publish - receive;
    s->count++;
}

/* ---- finding ---- */

static bool covers(const struct sighting *s, const struct weir_flow_jump *gap)
{
    return s->receive <= gap->from && s->publish >= gap->to;
}

static uint32_t count_under_way(const struct weir_flow_watch *w, struct weir_flow_jump *gap)
{
    uint32_t count = 0;
    for (size_t i = 0; i < w->name_count; i++) {
        bool any = false;
        for (uint32_t k = 0; k < w->names[i].held && !any; k++) {
            any = covers(&w->names[i].longest[k], gap);
            gap->line = any ? w->names[i].longest[k].line : gap->line;
        }
        count += any;
    }
    return count;
}

/* Whether what the name did over the gap is the longest by far, and as usual without it. */
static bool agrees(const struct weir_flow_sightings *s, const struct weir_flow_jump *gaps, size_t count,
                   const struct weir_flow_jump *gap)
{
    int64_t over = 0, sum = s->sum, usual = s->rest;
    uint64_t others = s->count;
    for (uint32_t k = 0; k < s->held; k++) {
        const struct sighting *it = &s->longest[k];
        int64_t took = it->publish - it->receive;
        bool any = false;
        for (size_t i = 0; i < count && !any; i++)
            any = covers(it, &gaps[i]);
        if (!any)
            usual = took > usual ? took : usual;
        if (any)
            sum -= took, others--;
        if (!covers(it, gap))
            continue;
        if (it->number < EARLY)
            return false;
        over = took > over ? took : over;
    }
    int64_t length = gap->to - gap->from;
    return over == 0 || (others >= EARLY && length / MUCH >= sum / (int64_t)others && over - length <= usual);
}

void weir_flow_watch_find(const struct weir_flow_watch *w, struct weir_flow_jumps *jumps)
{
    struct weir_flow_jump found[GAPS];
    uint32_t under_way[GAPS];
    size_t count = 0;
    *jumps = (struct weir_flow_jumps){.count = 0};
    for (uint32_t i = 0; i < w->gap_count; i++) {
        found[count] = w->gaps[i];
        under_way[count] = count_under_way(w, &found[count]);
        count += under_way[count] >= 2;
    }
    for (size_t i = 0; i < count; i++) {
        bool jump = under_way[i] > 2 || found[i].to - found[i].from >= TWO_AGREE;
        for (size_t k = 0; k < w->name_count && jump; k++)
            jump = agrees(&w->names[k], found, count, &found[i]);
        if (jump && jumps->count == WEIR_FLOW_JUMPS) {
            jumps->count = 0;
            return;
        }
        if (jump)
            jumps->at[jumps->count++] = found[i];
    }
}
