/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The front of latency, period and cost. A box has nothing to offer when a point is there already that costs no more than its low
 * end, is no slower than its deepest queues make it, and has a latency that all of the box reaches. Passes up to a cost that rises,
 * as for the cheapest capacities: the points of little cost are found first, and rule out most of the rest.
 */
#include "explore/sizing_front.h"

#include "base/alloc.h"
#include "base/error.h"
#include "model/pipeline.h"

#include <string.h>

enum { TASKS = 48 };

struct front_seeker {
    struct weir_sizing_seeker *base; /* its evaluator, bound and stack */
    struct weir_points *points;
};

static void seeker_free(void *seeker)
{
    struct front_seeker *k = seeker;
    if (k->base)
        weir_sizing_seeker_free(k->base);
    weir_free(k->points);
    weir_free(k);
}

static enum weir_status seeker_new(const void *study, void **seeker, struct weir_error *error)
{
    struct front_seeker *k = weir_array_zeroed(1, sizeof *k);
    void *base = NULL;
    *seeker = NULL;
    if (!k)
        return weir_fail_memory(error);
    enum weir_status status = weir_sizing_seeker_new(study, &base, error);
    k->base = base;
    if (!status && !(k->points = weir_array_zeroed(1, weir_points_size(study))))
        status = weir_fail_memory(error);
    if (status) {
        seeker_free(k);
        return status;
    }
    *seeker = k;
    return WEIR_OK;
}

/* ---- one vector ---- */

/* The longest latency; INT64_MAX: one has no bound. *exact: it is known. */
static enum weir_status ask_latency(struct front_seeker *k, int64_t *longest, bool *exact, struct weir_error *error)
{
    uint32_t pairs = weir_pipeline_pair_count(k->base->study->pipeline);
    *longest = 0;
    *exact = true;
    for (uint32_t i = 0; i < pairs; i++) {
        struct weir_separation worst;
        enum weir_status status = weir_evaluator_latency(k->base->evaluator, i, &worst, error);
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

static bool too_slow(const struct weir_sizing_options *o, struct weir_ratio period)
{
    return o->period && (weir_wide)period.numerator > (weir_wide)o->period * period.denominator;
}

/* Takes the point of these capacities, if there is one. They are left in the evaluator. */
static enum weir_status try_point(struct front_seeker *k, const uint32_t *low, struct weir_error *error)
{
    const struct weir_sizing_study *s = k->base->study;
    struct weir_point point = {.cost = weir_study_cost(s, low)};
    bool exact;
    enum weir_status status = weir_study_set(s, k->base->evaluator, low, error);
    if (!status)
        status = weir_evaluator_throughput(k->base->evaluator, &point.period, error);
    if (status || !point.period.denominator || too_slow(s->options, point.period))
        return status;
    status = ask_latency(k, &point.latency, &exact, error);
    if (status)
        return status;
    if (!exact && point.cost < k->points->doubtful)
        k->points->doubtful = point.cost;
    if (point.latency != INT64_MAX && (!s->options->within || point.latency <= s->options->within))
        weir_points_add(s, k->points, &point, low);
    return WEIR_OK;
}

/* ---- boxes ---- */

static enum weir_status find_quick(struct front_seeker *k, struct weir_box *box, struct weir_error *error)
{
    const struct weir_sizing_study *s = k->base->study;
    uint32_t high[WEIR_SIZING_QUEUES_MAX];
    for (uint32_t i = 0; i < s->count; i++)
        high[i] = weir_box_open(s, box)[i] ? s->most[i] : weir_box_low(box)[i];
    enum weir_status status = weir_study_set(s, k->base->evaluator, high, error);
    return status ? status : weir_evaluator_throughput(k->base->evaluator, &box->quick, error);
}

static bool all_reach(struct front_seeker *k, struct weir_box *box, int64_t latency)
{
    uint32_t pairs = weir_pipeline_pair_count(k->base->study->pipeline);
    for (uint32_t i = 0; i < pairs; i++)
        if (weir_box_bound_reaches(k->base->bound, box, i, latency))
            return true;
    return false;
}

/* A point of the same cost as `low` would be that of `low`, which has been looked at; all others of the box cost more. */
static bool pointless(struct front_seeker *k, struct weir_box *box)
{
    const struct weir_sizing_study *s = k->base->study;
    if (!box->quick.denominator || too_slow(s->options, box->quick)) /* all of it is a deadlock, or slow */
        return true;
    if (s->options->within && all_reach(k, box, s->options->within + 1))
        return true;
    int64_t latency = weir_points_latency(s, k->points, weir_study_cost(s, weir_box_low(box)), box->quick);
    return latency != INT64_MAX && all_reach(k, box, latency);
}

static enum weir_status look(void *seeker, struct weir_box *box, uint32_t *queue, struct weir_error *error)
{
    struct front_seeker *k = seeker;
    const struct weir_sizing_study *s = k->base->study;
    const uint32_t *low = weir_box_low(box);
    enum weir_status status = WEIR_OK;
    *queue = UINT32_MAX;
    if (box->least > k->points->limit) {
        k->points->above = box->least < k->points->above ? box->least : k->points->above;
        return WEIR_OK;
    }
    if (!box->known)
        status = try_point(k, low, error);
    box->known = true;
    if (status || weir_box_first_open(s, box) == UINT32_MAX)
        return status;
    if (!box->quick.denominator)
        status = find_quick(k, box, error);
    if (status || pointless(k, box))
        return status;
    status = weir_study_set(s, k->base->evaluator, low, error);
    if (!status)
        status = weir_cuts_critical(s, k->base->evaluator, weir_box_open(s, box), queue, error);
    if (*queue == UINT32_MAX)
        *queue = weir_box_first_open(s, box);
    return status;
}

static enum weir_status perform(void *seeker, const void *study, uint64_t task, const void *hint, void *result,
                                struct weir_error *error)
{
    const struct weir_sizing_study *s = study;
    struct front_seeker *k = seeker;
    struct weir_box_work work = {s, look, k};
    memcpy(k->points, hint, weir_points_size(s));
    k->points->above = k->points->doubtful = INT64_MAX;
    enum weir_status status = weir_boxes_finish(&work, weir_box_at(s, &s->boxes, task), &k->base->stack, &k->points->open, error);
    memcpy(result, k->points, weir_points_size(s));
    return status;
}

static void learn(const void *context, const void *result, void *hint)
{
    const struct weir_sizing_study *s = context;
    const struct weir_points *found = result;
    struct weir_points *all = hint;
    all->full |= found->full;
    for (size_t i = 0; i < found->count; i++) {
        const struct weir_point *point = weir_points_at(s, found, i);
        weir_points_add(s, all, point, (const uint32_t *)(point + 1));
    }
}

/* ---- before the tasks: places where they speed things up most, one after the other ---- */

static enum weir_status begin(struct front_seeker *k, struct weir_error *error)
{
    const struct weir_sizing_study *s = k->base->study;
    struct weir_box *box = weir_array_zeroed(1, weir_box_size(s));
    uint32_t q = 0;
    if (!box)
        return weir_fail_memory(error);
    weir_box_whole(s, box);
    enum weir_status status = WEIR_OK;
    for (unsigned steps = 0; steps < 400 && q != UINT32_MAX && !status; steps++) {
        status = try_point(k, weir_box_low(box), error);
        if (!status)
            status = weir_cuts_critical(s, k->base->evaluator, weir_box_open(s, box), &q, error);
        if (!status && q != UINT32_MAX)
            weir_box_open(s, box)[q] = ++weir_box_low(box)[q] < s->most[q];
    }
    weir_free(box);
    return status;
}

/* ---- passes ---- */

struct passes {
    struct weir_sizing_study *study;
    struct weir_points *points;
    char *results;
    uint8_t *done;
    bool complete;
    int64_t below, doubtful;
};

/* What a pass left: *above, in boxes that were put off; *open, because of a stop. */
static void look_back(struct passes *p, int64_t *above, int64_t *open)
{
    const struct weir_sizing_study *s = p->study;
    *above = *open = INT64_MAX;
    for (size_t i = 0; i < s->boxes.count; i++) {
        const struct weir_points *r = (const struct weir_points *)(p->results + i * weir_points_size(s));
        int64_t left = p->done[i] ? r->open : weir_box_at(s, &s->boxes, i)->least;
        *open = left < *open ? left : *open;
        if (!p->done[i])
            continue;
        *above = r->above < *above ? r->above : *above;
        p->doubtful = r->doubtful < p->doubtful ? r->doubtful : p->doubtful;
    }
}

static enum weir_status make_passes(struct passes *p, struct weir_error *error)
{
    const struct weir_sizing_study *s = p->study;
    const struct weir_sizing_options *o = s->options;
    struct weir_fleet_work work = {.count = s->boxes.count,
                                   .result_size = weir_points_size(s),
                                   .hint_size = weir_points_size(s),
                                   .hint = p->points,
                                   .context = s,
                                   .enter = seeker_new,
                                   .leave = seeker_free,
                                   .perform = perform,
                                   .learn = learn};
    struct weir_fleet_options fleet = {o->threads, o->stop, o->progress, o->context};
    int64_t first = weir_study_cost(s, s->least), further = 0;
    for (uint32_t i = 0; i < s->count; i++)
        further = s->weight[i] > further ? s->weight[i] : further;
    for (further *= 4; !p->complete; further *= 2) {
        int64_t above, open;
        p->points->limit = first < WEIR_TIME_MAX - further ? first + further : WEIR_TIME_MAX;
        enum weir_status status = weir_fleet_run(&work, &fleet, p->results, p->done, error);
        if (status)
            return status;
        look_back(p, &above, &open);
        int64_t left = above < open ? above : open;
        p->below = left > p->below ? left : p->below;
        p->complete = left == INT64_MAX;
        if (open != INT64_MAX || p->points->full)
            return WEIR_OK;
        further = above - first > further ? above - first : further;
    }
    return WEIR_OK;
}

/* ---- the whole ---- */

static enum weir_status mark_deadlines(const struct weir_sizing_study *s, struct weir_evaluator *e, struct weir_front_point *point,
                                       struct weir_error *error)
{
    enum weir_status status = WEIR_OK;
    point->met = true;
    for (uint32_t i = 0; i < s->pipeline->pair_count && !status; i++) {
        const struct weir_pair_spec *pair = &s->pipeline->pairs[i];
        struct weir_separation worst;
        if (!pair->has_deadline)
            continue;
        status = weir_evaluator_latency(e, i, &worst, error);
        int64_t latency = worst.outcome == WEIR_EXACT ? worst.value : worst.outcome == WEIR_NO_EVENTS ? 0 : worst.upper;
        point->met &= !status && latency <= pair->deadline;
    }
    return status;
}

static enum weir_status fill_in(const struct passes *p, struct weir_evaluator *e, struct weir_front *front,
                                struct weir_error *error)
{
    const struct weir_sizing_study *s = p->study;
    size_t queues = s->pipeline->queue_count;
    const struct weir_point *order[WEIR_FRONT_POINTS_MAX];
    struct weir_front_point *points = (struct weir_front_point *)front->points;
    memcpy((bool *)front->sized, s->sized, queues * sizeof *s->sized);
    front->complete = p->complete && p->doubtful == INT64_MAX;
    front->cost_below = p->doubtful < p->below ? p->doubtful : p->below;
    weir_points_sort(s, p->points, order);
    for (size_t i = 0; i < p->points->count; i++) {
        const uint32_t *low = (const uint32_t *)(order[i] + 1);
        uint32_t *capacities = weir_array(queues, sizeof *capacities);
        if (!capacities)
            return weir_fail_memory(error);
        points[i] = (struct weir_front_point){
            .latency = order[i]->latency, .period = order[i]->period, .cost = order[i]->cost, .capacities = capacities};
        front->point_count++;
        for (size_t q = 0; q < queues; q++)
            capacities[q] = s->number[q] == UINT32_MAX ? s->pipeline->queues[q].capacity : low[s->number[q]];
        enum weir_status status = weir_study_set(s, e, low, error);
        if (!status)
            status = mark_deadlines(s, e, &points[i], error);
        if (status)
            return status;
    }
    return WEIR_OK;
}

static enum weir_status search(struct weir_sizing_study *s, struct front_seeker *k, struct weir_front *front,
                               struct weir_error *error)
{
    struct passes p = {.study = s, .points = k->points};
    struct weir_box_work work = {s, look, k};
    k->points->limit = k->points->above = k->points->open = k->points->doubtful = INT64_MAX;
    enum weir_status status = begin(k, error);
    if (!status)
        status = weir_boxes_spread(&work, &s->boxes, TASKS, error);
    p.doubtful = k->points->doubtful;
    p.results = weir_array_zeroed(s->boxes.count, weir_points_size(s));
    p.done = weir_array(s->boxes.count, 1);
    if (!status && (!p.results || !p.done))
        status = weir_fail_memory(error);
    p.complete = s->boxes.count == 0;
    p.below = p.complete ? INT64_MAX : 0;
    if (!status)
        status = make_passes(&p, error);
    if (!status && p.points->full)
        status = weir_fail(error, WEIR_OVERFLOW, "there are more than %d points; give fewer queues, or limits that leave some out",
                           WEIR_FRONT_POINTS_MAX);
    if (!status)
        status = fill_in(&p, k->base->evaluator, front, error);
    weir_free(p.results);
    weir_free(p.done);
    return status;
}

enum weir_status weir_front_find(const struct weir_pipeline *pipeline, const struct weir_sizing_options *options,
                                 struct weir_front **front, struct weir_error *error)
{
    struct weir_sizing_study study = {.pipeline = pipeline, .options = options};
    struct weir_front *found = NULL;
    void *seeker = NULL;
    *front = NULL;
    enum weir_status status = weir_study_begin(&study, error);
    if (!status && !(found = weir_array_zeroed(1, sizeof *found)))
        status = weir_fail_memory(error);
    if (!status) {
        found->sized = weir_array_zeroed(pipeline->queue_count, sizeof *found->sized);
        found->points = weir_array_zeroed(WEIR_FRONT_POINTS_MAX, sizeof *found->points);
        if (!found->sized || !found->points)
            status = weir_fail_memory(error);
    }
    if (!status)
        status = seeker_new(&study, &seeker, error);
    if (!status)
        status = search(&study, seeker, found, error);
    if (seeker)
        seeker_free(seeker);
    weir_study_free(&study);
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
