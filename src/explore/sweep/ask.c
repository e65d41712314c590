/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is done at each point: the pipeline is made and its engine asked; or, where operators have threads and only times,
 * capacities and periods change, an evaluator gets the numbers. Each point is a task of its own, whose result depends on its number
 * alone.
 */
#include "answer/answer.h"
#include "base/error.h"
#include "base/number.h"
#include "base/task_pool.h"
#include "explore/sweep/sweep.h"
#include "model/pipeline.h"

#include <string.h>

/* What a task gives back: a point, and behind it its cells. */
static size_t result_size(const struct weir_sweeping *s)
{
    return sizeof(struct weir_sweep_point) + s->sweep.latency_count * sizeof(struct weir_sweep_cell);
}

static struct weir_sweep_cell *cells_of(void *result)
{
    return (struct weir_sweep_cell *)((struct weir_sweep_point *)result + 1);
}

/* Of pipelines that cannot be, or whose times cannot be counted, nothing is known but that. */
static enum weir_status settle(enum weir_status status, struct weir_sweep_point *point)
{
    bool impossible = status == WEIR_INVALID || status == WEIR_OVERFLOW;
    point->state = impossible ? WEIR_SWEEP_IMPOSSIBLE : WEIR_SWEEP_DONE;
    return impossible ? WEIR_OK : status;
}

static void take_bound(const struct weir_bound *bound, struct weir_sweep_cell *cell, struct weir_sweep_point *point)
{
    *cell = (struct weir_sweep_cell){bound->worst.claim, bound->state, bound->worst.high};
    point->met &= bound->state == WEIR_DEADLINE_NONE || bound->state == WEIR_DEADLINE_MET;
}

/* ---- any engine ---- */

/* A point of a sweep, as the context of weir_revision_set. */
struct place {
    const struct weir_sweeping *sweeping;
    size_t point;
};

static const struct weir_value *value_at(const void *context, const struct weir_assignment *a)
{
    const struct place *at = context;
    const struct weir_sweeping *s = at->sweeping;
    size_t axis = a->change - s->options->change_count;
    if (at->point == WEIR_NO_POINT || a->change < s->options->change_count)
        return NULL;
    return &s->values[axis][weir_sweep_value(&s->sweep, at->point, axis)];
}

enum weir_status weir_sweep_build(const struct weir_sweeping *s, size_t point, struct weir_pipeline **pipeline,
                                  struct weir_error *error)
{
    struct weir_pipeline *copy = weir_pipeline_copy(s->plain, error);
    struct place at = {s, point};
    struct weir_revision_wrong wrong = {0};
    enum weir_status status = copy ? weir_revision_set(&s->revision, copy, value_at, &at, &wrong) : WEIR_MEMORY;
    if (copy && status)
        *error = wrong.error;
    if (!status)
        status = weir_pipeline_seal_alone(copy, error);
    if (status)
        weir_pipeline_free(copy);
    *pipeline = status ? NULL : copy;
    return status;
}

static enum weir_status ask_engine(const struct weir_sweeping *s, size_t number, void *result, struct weir_error *error)
{
    struct weir_sweep_point *point = result;
    struct weir_pipeline *pipeline = NULL;
    struct weir_answer *answer = NULL;
    struct weir_answer_options options = {.brief = true, .work_limit = s->options->work_limit, .threads = 1};
    enum weir_status status = weir_sweep_build(s, number, &pipeline, error);
    if (!status)
        status = weir_answer_find(pipeline, &options, &answer, error);
    if (!status && answer->bound_count != s->sweep.latency_count)
        status = weir_fail(error, WEIR_INVALID, "other latencies than elsewhere");
    point->met = true;
    for (size_t i = 0; !status && i < answer->bound_count; i++)
        take_bound(&answer->bounds[i], &cells_of(result)[i], point);
    if (!status)
        point->period = weir_answer_period(answer);
    weir_answer_free(answer);
    weir_pipeline_free(pipeline);
    return settle(status, point);
}

/* ---- an evaluator ---- */

/* The times of an operator at a point: what all axes make of the plain ones, one after the other. */
static void find_times(const struct weir_sweeping *s, size_t number, uint32_t op, int64_t *best, int64_t *worst)
{
    *best = s->plain->operators[op].best;
    *worst = s->plain->operators[op].worst;
    for (size_t i = 0; i < s->options->axis_count; i++) {
        const struct weir_assignment *a = weir_sweeping_axis(s, i);
        const int64_t *numbers = s->values[i][weir_sweep_value(&s->sweep, number, i)].numbers;
        for (size_t j = a->first; j < a->first + a->count; j++) {
            const struct weir_setting *setting = &s->revision.settings[j];
            if (weir_key_target(setting->key) != WEIR_OF_OPERATOR || setting->from != op)
                continue;
            if (weir_key_id(setting->key) == WEIR_KEY_TIME)
                *worst = numbers[1];
            else if (weir_key_id(setting->key) == WEIR_KEY_WORST)
                *worst = numbers[0];
            if (weir_key_id(setting->key) != WEIR_KEY_WORST)
                *best = numbers[0];
            else
                *best = *best < *worst ? *best : *worst;
        }
    }
}

static enum weir_status set_numbers(const struct weir_sweeping *s, struct weir_evaluator *e, size_t number,
                                    const struct weir_setting *setting, const struct weir_value *value)
{
    const struct weir_pipeline *p = s->base;
    enum weir_status status = WEIR_OK;
    uint32_t rank = 0;
    if (weir_key_target(setting->key) == WEIR_OF_OPERATOR) {
        int64_t best, worst;
        find_times(s, number, setting->from, &best, &worst);
        return weir_evaluator_set_times(e, (struct weir_operator){setting->from}, best, worst, NULL);
    }
    for (uint32_t i = 0; i < p->source_count && weir_key_target(setting->key) == WEIR_OF_SOURCE && !status; i++)
        if (p->sources[i].op.index == setting->from)
            status = weir_evaluator_set_period(e, i, value->numbers[0], NULL);
    for (uint32_t i = 0; i < p->queue_count && weir_key_target(setting->key) == WEIR_OF_QUEUE && !status; i++) {
        const struct weir_queue_spec *q = &s->plain->queues[i];
        if (weir_setting_has_queue(setting, q, rank))
            status = weir_evaluator_set_capacity(e, (struct weir_queue){i}, (uint32_t)value->numbers[0], NULL);
        rank += setting->from != WEIR_NO_OPERATOR && q->from.index == setting->from && q->to.index == setting->to;
    }
    return status;
}

static enum weir_status set_all(const struct weir_sweeping *s, struct weir_evaluator *e, size_t number)
{
    enum weir_status status = WEIR_OK;
    for (size_t i = 0; i < s->options->axis_count && !status; i++) {
        const struct weir_assignment *a = weir_sweeping_axis(s, i);
        const struct weir_value *value = &s->values[i][weir_sweep_value(&s->sweep, number, i)];
        for (size_t j = a->first; j < a->first + a->count && !status; j++)
            status = set_numbers(s, e, number, &s->revision.settings[j], value);
    }
    return status;
}

static enum weir_status ask_evaluator(const struct weir_sweeping *s, struct weir_evaluator *e, size_t number, void *result,
                                      struct weir_error *error)
{
    struct weir_sweep_point *point = result;
    const struct weir_pipeline *p = s->base;
    enum weir_status status = set_all(s, e, number);
    point->met = true;
    if (!status)
        status = weir_evaluator_throughput(e, &point->period, error);
    if (!status && !point->period.denominator)
        status = WEIR_INVALID; /* a deadlock */
    for (uint32_t i = 0; !status && i < p->chain_count; i++) {
        struct weir_bound bound = {.has_deadline = p->chains[i].has_deadline, .deadline = p->chains[i].deadline};
        struct weir_separation worst;
        status = weir_evaluator_latency(e, i, &worst, error);
        if (status)
            break;
        bound.worst = weir_quantity_of(&worst, false);
        bound.state = weir_judge(&bound);
        take_bound(&bound, &cells_of(result)[i], point);
    }
    return settle(status, point);
}

/* ---- all of them ---- */

static enum weir_status enter(const void *context, void **scratch, struct weir_error *error)
{
    const struct weir_sweeping *s = context;
    *scratch = NULL;
    if (!s->fast)
        return WEIR_OK;
    struct weir_evaluator *e = weir_evaluator_new(s->base, error);
    if (e)
        weir_evaluator_limit(e, s->options->work_limit);
    *scratch = e;
    return e ? WEIR_OK : WEIR_MEMORY;
}

static void leave(void *scratch)
{
    weir_evaluator_free(scratch);
}

static enum weir_status perform(void *scratch, const void *context, uint64_t task, const void *hint, void *result,
                                struct weir_error *error)
{
    const struct weir_sweeping *s = context;
    (void)hint;
    enum weir_status status =
        s->fast ? ask_evaluator(s, scratch, (size_t)task, result, error) : ask_engine(s, (size_t)task, result, error);
    struct weir_sweep_point *point = result;
    if (point->state == WEIR_SWEEP_IMPOSSIBLE) /* what was found before that was known is not told */
        memset(cells_of(result), 0, s->sweep.latency_count * sizeof(struct weir_sweep_cell));
    return status;
}

/* Results lie one behind the other, each a point and its cells: the points are taken out, and the cells moved together. */
static void sort_out(struct weir_sweeping *s, char *results, const uint8_t *done)
{
    size_t bytes = s->sweep.latency_count * sizeof *s->cells, size = result_size(s);
    for (size_t i = 0; i < s->sweep.point_count; i++) {
        memcpy(&s->points[i], results + i * size, sizeof *s->points);
        memmove(results + i * bytes, results + i * size + sizeof *s->points, bytes);
        s->sweep.done += done[i];
    }
    void *smaller = weir_resize(results, s->sweep.point_count * bytes + 1);
    s->cells = smaller ? smaller : (void *)results;
}

enum weir_status weir_sweep_ask(struct weir_sweeping *s, struct weir_error *error)
{
    size_t count = s->sweep.point_count;
    struct weir_task_pool_work work = {.count = count,
                                       .result_size = result_size(s),
                                       .context = s,
                                       .enter = enter,
                                       .leave = leave,
                                       .perform = perform,
                                       .whole = true};
    struct weir_task_pool_options how = WEIR_TASK_POOL_OPTIONS(s->options);
    char *results = weir_array_zeroed(count, work.result_size);
    uint8_t *done = weir_array(count, 1);
    s->points = weir_array(count, sizeof *s->points);
    enum weir_status status =
        results && done && s->points ? weir_task_pool_run(&work, &how, results, done, error) : weir_fail_memory(error);
    if (!status)
        sort_out(s, results, done);
    else
        weir_free(results);
    weir_free(done);
    s->sweep.points = s->points;
    s->sweep.cells = s->cells;
    return status;
}
