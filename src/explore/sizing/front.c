/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The front of latency, period and cost. A region is what has a shorter period than one limit and a shorter latency than another;
 * the cheapest capacities in it are a point, and what else of it matters has a shorter period than the point, or a shorter latency:
 * two smaller regions. Regions are tasks, round after round, until none is left: nothing is in any that a point does not beat.
 */
#include "answer/answer.h"
#include "base/error.h"
#include "explore/sizing/sizing.h"
#include "model/pipeline.h"

#include <string.h>

/* ---- points none of which is as good as another in latency, period and cost ---- */

/* Followed by the capacities. */
struct point {
    int64_t latency, cost;
    struct weir_ratio period;
};

/* Followed by room for WEIR_FRONT_POINTS_MAX points. */
struct points {
    size_t count;
    bool full; /* there were more */
};

static size_t point_size(const struct weir_sizing_study *s)
{
    return sizeof(struct point) + ((size_t)s->count * sizeof(uint32_t) + 7) / 8 * 8;
}

static size_t points_size(const struct weir_sizing_study *s)
{
    return sizeof(struct points) + WEIR_FRONT_POINTS_MAX * point_size(s);
}

static struct point *point_at(const struct weir_sizing_study *s, const struct points *points, size_t i)
{
    return (struct point *)((char *)(points + 1) + i * point_size(s));
}

static bool as_good(const struct point *a, const struct point *b)
{
    return a->latency <= b->latency && a->cost <= b->cost && weir_ratio_compare(a->period, b->period) <= 0;
}

/* Takes a point unless one that is there is as good; what it is better than goes. Of equal ones the first in the order of their
 * capacities stays. */
static void add_point(const struct weir_sizing_study *s, struct points *points, const struct point *point,
                      const uint32_t *capacities)
{
    size_t kept = 0, bytes = s->count * sizeof *capacities;
    for (size_t i = 0; i < points->count; i++) {
        struct point *other = point_at(s, points, i);
        if (as_good(other, point)) { /* then it is better than none of the others */
            if (as_good(point, other) && weir_capacities_compare(s, capacities, (const uint32_t *)(other + 1)) < 0)
                memcpy(other + 1, capacities, bytes);
            return;
        }
    }
    for (size_t i = 0; i < points->count; i++) {
        struct point *other = point_at(s, points, i);
        if (as_good(point, other))
            continue;
        if (kept != i)
            memcpy(point_at(s, points, kept), other, point_size(s));
        kept++;
    }
    points->count = kept;
    if (points->count == WEIR_FRONT_POINTS_MAX) {
        points->full = true;
        return;
    }
    struct point *place = point_at(s, points, points->count++);
    *place = *point;
    memcpy(place + 1, capacities, bytes);
}

/* In the order in which they are shown; no two have the same cost and the same latency. */
static void sort_points(const struct weir_sizing_study *s, const struct points *points, const struct point **order)
{
    for (size_t i = 0; i < points->count; i++) {
        const struct point *point = point_at(s, points, i);
        size_t at = i;
        for (; at > 0 && (point->cost < order[at - 1]->cost ||
                          (point->cost == order[at - 1]->cost && point->latency < order[at - 1]->latency));
             at--)
            order[at] = order[at - 1];
        order[at] = point;
    }
}

/* ---- regions and rounds ---- */

struct region {
    struct weir_ratio period; /* {0, 0}: any */
    bool shorter;             /* ... than that; else it may be that */
    int64_t latency;          /* at most; INT64_MAX: any */
    int64_t least;            /* nothing in it costs less */
};

struct rounds {
    struct weir_sizing_study *study;
    struct weir_sizing_seeker *seeker; /* the calling thread's */
    struct points *points;
    struct region *regions;
    size_t count, capacity;
    bool complete;
    int64_t below;
};

/* ---- a task: the cheapest of a region ---- */

static enum weir_status enter(const void *context, void **seeker, struct weir_error *error)
{
    return weir_sizing_seeker_new(((const struct rounds *)context)->study, seeker, error);
}

static enum weir_status perform(void *seeker, const void *context, uint64_t task, const void *hint, void *result,
                                struct weir_error *error)
{
    (void)hint;
    struct weir_sizing_seeker *k = seeker;
    const struct rounds *r = context;
    const struct region *region = &r->regions[task];
    for (uint32_t i = 0; i < weir_pipeline_chain_count(r->study->pipeline); i++)
        k->limit[i] = region->latency;
    weir_cuts_aim(&k->cuts, region->period, region->shorter);
    enum weir_status status = weir_sizing_seeker_solve(k, region->least, error);
    memcpy(result, k->best, weir_sized_size(r->study));
    return status;
}

/* ---- points ---- */

/* The longest latency of what is in the evaluator; INT64_MAX: one has no bound. *exact: it is known. */
static enum weir_status ask_latency(const struct rounds *r, int64_t *longest, bool *exact, struct weir_error *error)
{
    uint32_t chains = weir_pipeline_chain_count(r->study->pipeline);
    *longest = 0;
    *exact = true;
    for (uint32_t i = 0; i < chains; i++) {
        struct weir_separation worst;
        enum weir_status status = weir_evaluator_latency(r->seeker->evaluator, i, &worst, error);
        if (status)
            return status;
        if (worst.outcome == WEIR_NO_EVENTS)
            continue;
        *exact &= worst.outcome != WEIR_BRACKET;
        int64_t latency = worst.outcome == WEIR_EXACT ? worst.value : worst.outcome == WEIR_BRACKET ? worst.upper : INT64_MAX;
        *longest = latency > *longest ? latency : *longest;
    }
    return WEIR_OK;
}

static enum weir_status find_point(const struct rounds *r, struct weir_sized *sized, struct point *point, bool *exact,
                                   struct weir_error *error)
{
    point->cost = sized->cost;
    enum weir_status status = weir_study_set(r->study, r->seeker->evaluator, weir_sized_capacities(sized), error);
    if (!status)
        status = weir_evaluator_throughput(r->seeker->evaluator, &point->period, error);
    return status ? status : ask_latency(r, &point->latency, exact, error);
}

/* ---- regions ---- */

static bool holds(const struct region *region, const struct point *point)
{
    int order = region->period.denominator ? weir_ratio_compare(point->period, region->period) : -1;
    return point->latency <= region->latency && (order < 0 || (order == 0 && !region->shorter));
}

/* Whether all of a is in b. */
static bool lies_in(const struct region *a, const struct region *b)
{
    if (a->latency > b->latency || (b->period.denominator && !a->period.denominator))
        return false;
    int order = b->period.denominator ? weir_ratio_compare(a->period, b->period) : -1;
    return order < 0 || (order == 0 && (a->shorter || !b->shorter));
}

static bool add_region(struct rounds *r, struct region region)
{
    for (size_t i = 0; i < r->count; i++)
        if (lies_in(&region, &r->regions[i]))
            return true;
    void *list = r->regions;
    if (!weir_reserve(&list, &r->capacity, r->count + 1, sizeof region))
        return false;
    r->regions = list;
    r->regions[r->count++] = region;
    return true;
}

/* Whether nothing in the region that the point is as quick and as early as can be cheaper than it. A point of another region may be
 * dearer than something that lies in both. */
static bool covers(const struct region *region, const struct point *point)
{
    return holds(region, point) && point->cost <= region->least;
}

/* Divides every region that the point covers a part of into those that do not hold it; false when out of memory. */
static bool divide(struct rounds *r, const struct point *point)
{
    struct region *old = r->regions;
    size_t count = r->count;
    bool room = true;
    r->regions = NULL;
    r->count = r->capacity = 0;
    for (size_t i = 0; i < count && room; i++)
        if (!covers(&old[i], point))
            room = add_region(r, old[i]);
    for (size_t i = 0; i < count && room; i++) {
        struct region quicker = old[i], earlier = old[i];
        if (!covers(&old[i], point))
            continue;
        quicker.period = point->period;
        quicker.shorter = true;
        earlier.latency = point->latency - 1;
        room = (point->period.numerator == 0 || add_region(r, quicker)) && (point->latency == 0 || add_region(r, earlier));
    }
    weir_free(old);
    return room;
}

/* ---- rounds ---- */

/* What is known of the regions after a round: those that hold nothing go, of the others something costs this much. Their points. */
struct harvest {
    char *results;
    uint8_t *done;
    size_t count;
};

static bool is_solved(const struct harvest *h, size_t i, const struct weir_sized *sized)
{
    return h->done[i] && sized->open == INT64_MAX;
}

/* Keeps the regions that hold something, or may; *stopped: there is one of which it is not known. */
static void settle(struct rounds *r, const struct harvest *h, bool *stopped)
{
    size_t kept = 0;
    *stopped = false;
    for (size_t i = 0; i < h->count; i++) {
        const struct weir_sized *sized = (const struct weir_sized *)(h->results + i * weir_sized_size(r->study));
        struct region region = r->regions[i];
        bool solved = is_solved(h, i, sized);
        if (h->done[i] && sized->doubtful != INT64_MAX) {
            r->below = sized->doubtful < r->below ? sized->doubtful : r->below;
            r->complete = false;
        }
        if (solved && !sized->found)
            continue;
        *stopped |= !solved;
        if (solved)
            region.least = sized->cost;
        r->regions[kept++] = region;
    }
    r->count = kept;
}

static enum weir_status gather(struct rounds *r, const struct harvest *h, bool *stopped, struct weir_error *error)
{
    settle(r, h, stopped);
    for (size_t i = 0; i < h->count; i++) {
        struct weir_sized *sized = (struct weir_sized *)(h->results + i * weir_sized_size(r->study));
        struct point point;
        bool exact;
        if (!h->done[i] || !sized->found)
            continue;
        enum weir_status status = find_point(r, sized, &point, &exact, error);
        if (status)
            return status;
        if (!exact) {
            r->complete = false;
            r->below = point.cost < r->below ? point.cost : r->below;
        }
        if (point.latency != INT64_MAX)
            add_point(r->study, r->points, &point, weir_sized_capacities(sized));
        if (is_solved(h, i, sized) && !divide(r, &point))
            return weir_fail_memory(error);
    }
    return WEIR_OK;
}

static enum weir_status make_round(struct rounds *r, bool *stopped, struct weir_error *error)
{
    struct weir_task_pool_work work = {.count = r->count,
                                       .result_size = weir_sized_size(r->study),
                                       .context = r,
                                       .enter = enter,
                                       .leave = weir_sizing_seeker_free,
                                       .perform = perform};
    struct weir_task_pool_options pool = WEIR_TASK_POOL_OPTIONS(r->study->options);
    struct harvest h = {weir_array_zeroed(r->count, weir_sized_size(r->study)), weir_array(r->count, 1), r->count};
    enum weir_status status = h.results && h.done ? WEIR_OK : weir_fail_memory(error);
    if (!status && h.results && h.done)
        status = weir_task_pool_run(&work, &pool, h.results, h.done, error);
    if (!status && h.results && h.done)
        status = gather(r, &h, stopped, error);
    weir_free(h.results);
    weir_free(h.done);
    return status;
}

static enum weir_status make_rounds(struct rounds *r, struct weir_error *error)
{
    const struct weir_sizing_options *o = r->study->options;
    /* A latency that has no bound is no point. */
    struct region all = {.latency = o->within ? o->within : INT64_MAX - 1, .least = weir_study_cost(r->study, r->study->least)};
    bool stopped = false;
    if (o->period)
        all.period = (struct weir_ratio){o->period, 1};
    r->complete = true;
    r->below = INT64_MAX;
    if (!add_region(r, all))
        return weir_fail_memory(error);
    while (r->count && !stopped && !r->points->full) {
        enum weir_status status = make_round(r, &stopped, error);
        if (status)
            return status;
    }
    for (size_t i = 0; i < r->count; i++) {
        r->complete = false;
        r->below = r->regions[i].least < r->below ? r->regions[i].least : r->below;
    }
    return WEIR_OK;
}

/* ---- the whole ---- */

static enum weir_status mark_deadlines(const struct weir_sizing_study *s, struct weir_evaluator *e, struct weir_front_point *point,
                                       struct weir_error *error)
{
    enum weir_status status = WEIR_OK;
    point->state = WEIR_DEADLINE_NONE;
    for (uint32_t i = 0; i < s->pipeline->chain_count && !status; i++) {
        const struct weir_chain_spec *chain = &s->pipeline->chains[i];
        struct weir_separation worst;
        if (!chain->has_deadline)
            continue;
        status = weir_evaluator_latency(e, i, &worst, error);
        enum weir_deadline_state state = status ? point->state : weir_judge_latency(&worst, chain->deadline, 1);
        point->state = state > point->state ? state : point->state;
    }
    return status;
}

static enum weir_status fill_in(const struct rounds *r, struct weir_front *front, struct weir_error *error)
{
    const struct weir_sizing_study *s = r->study;
    struct weir_evaluator *e = r->seeker->evaluator;
    const struct point *order[WEIR_FRONT_POINTS_MAX];
    struct weir_front_point *points = weir_array(r->points->count, sizeof *points);
    front->points = points;
    front->sized = weir_study_sized(s);
    if (!points || !front->sized)
        return weir_fail_memory(error);
    front->complete = r->complete;
    front->cost_below = r->below;
    sort_points(s, r->points, order);
    for (size_t i = 0; i < r->points->count; i++) {
        const uint32_t *low = (const uint32_t *)(order[i] + 1);
        points[i] = (struct weir_front_point){.latency = order[i]->latency, .period = order[i]->period, .cost = order[i]->cost};
        front->point_count++;
        points[i].capacities = weir_study_capacities(s, low);
        if (!points[i].capacities)
            return weir_fail_memory(error);
        enum weir_status status = weir_study_set(s, e, low, error);
        if (!status)
            status = mark_deadlines(s, e, &points[i], error);
        if (status)
            return status;
    }
    return WEIR_OK;
}

static enum weir_status search(struct weir_sizing_study *s, struct weir_sizing_seeker *k, void *front, struct weir_error *error)
{
    struct rounds r = {.study = s, .seeker = k, .points = weir_array_zeroed(1, points_size(s))};
    if (!r.points)
        return weir_fail_memory(error);
    enum weir_status status = make_rounds(&r, error);
    if (!status && r.points->full)
        status = weir_fail(error, WEIR_OVERFLOW, "there are more than %d points; give fewer queues, or limits that leave some out",
                           WEIR_FRONT_POINTS_MAX);
    if (!status)
        status = fill_in(&r, front, error);
    weir_free(r.regions);
    weir_free(r.points);
    return status;
}

enum weir_status weir_front_find(const struct weir_pipeline *pipeline, const struct weir_sizing_options *options,
                                 struct weir_front **front, struct weir_error *error)
{
    struct weir_front *found = weir_array_zeroed(1, sizeof *found);
    *front = NULL;
    enum weir_status status = weir_study_run(pipeline, options, search, found, error);
    if (status)
        weir_front_free(found);
    else
        *front = found;
    return status;
}

void weir_front_free(struct weir_front *front)
{
    if (!front)
        return;
    for (size_t i = 0; i < front->point_count; i++)
        weir_free((void *)front->points[i].capacities);
    weir_free((void *)front->points);
    weir_free((void *)front->sized);
    weir_free(front);
}
