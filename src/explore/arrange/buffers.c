/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The smallest total capacity with which every latency keeps its limit. From above, a descent that takes places away finds
 * something to begin with; from below, all capacities of each total are tried until one will do or the total of the descent is
 * reached: then nothing smaller exists.
 *
 * Least capacities of single queues come from the relaxation, with all other queues as large as they like.
 */
#include "explore/arrange/buffers.h"

#include "base/alloc.h"
#include "base/error.h"
#include "model/pipeline.h"

#include <string.h>

#define GENEROUS 32 /* places more than the least, to begin with */

/* ---- what a point is worth ---- */

static bool keeps_limits(const struct weir_buffers *b, const struct weir_candidate *answer)
{
    for (size_t i = 0; i < answer->chain_count; i++)
        if (b->limits[i] != INT64_MAX && answer->worst[i] > b->limits[i])
            return false;
    return answer->kind == WEIR_CANDIDATE_BOUNDS;
}

static void judge(const void *context, const int64_t *point, const struct weir_candidate *answer, struct weir_score *score)
{
    const struct weir_buffers *b = context;
    weir_candidate_score(b->search->model, answer, NULL, score);
    score->part[1] = 0;
    score->part[0] = keeps_limits(b, answer) ? WEIR_BUFFERS_KEPT : 1 + (int64_t)answer->kind;
    if (score->part[0] != WEIR_BUFFERS_KEPT)
        return;
    for (size_t i = 0; i < b->space.count; i++)
        score->part[1] += point[i];
    for (size_t i = 0; i < answer->queue_count; i++)
        score->part[1] += b->counted[i] ? answer->capacity[i] : 0;
}

/* ---- queues and limits ---- */

static void choose_queues(struct weir_buffers *b)
{
    const struct weir_pipeline *model = b->search->model;
    for (uint32_t i = 0; i < model->queue_count; i++) {
        const struct weir_queue_spec *q = &model->queues[i];
        bool given = q->capacity != WEIR_AUTO && q->capacity != WEIR_UNBOUNDED;
        if (q->nonblocking)
            b->counted[i] = q->capacity == WEIR_AUTO;
        else if (q->capacity == WEIR_AUTO || (given && b->search->options->resize))
            b->space.variables[b->space.count++] = (struct weir_variable){WEIR_VARIABLE_CAPACITY, i};
        if (b->counted[i])
            b->total_least += q->initial > 1 ? q->initial : 1;
    }
}

static void find_limits(struct weir_buffers *b)
{
    const struct weir_pipeline *model = b->search->model;
    for (size_t i = 0; i < model->chain_count; i++) {
        b->limits[i] = b->search->options->within ? b->search->options->within : INT64_MAX;
        if (model->chains[i].has_deadline && model->chains[i].deadline < b->limits[i])
            b->limits[i] = model->chains[i].deadline;
    }
}

static void loosen(struct weir_buffers *b)
{
    const struct weir_pipeline *model = b->search->model;
    for (size_t i = 0; i < model->queue_count; i++)
        b->capacity[i] = model->queues[i].capacity == WEIR_AUTO ? WEIR_UNBOUNDED : model->queues[i].capacity;
    for (size_t i = 0; i < b->space.count; i++)
        b->capacity[b->space.variables[i].index] = WEIR_UNBOUNDED;
}

/* False when not even queues without end will do. */
static bool find_least(struct weir_buffers *b)
{
    const struct weir_pipeline *model = b->search->model;
    loosen(b);
    if (!weir_relaxation_possible(b->relaxation, b->capacity))
        return false;
    for (size_t i = 0; i < b->space.count; i++) {
        uint32_t queue = b->space.variables[i].index, initial = model->queues[queue].initial;
        uint32_t low = initial > 1 ? initial : 1, high = WEIR_QUEUE_MAX;
        while (low < high) {
            b->capacity[queue] = low + (high - low) / 2;
            if (weir_relaxation_possible(b->relaxation, b->capacity))
                high = b->capacity[queue];
            else
                low = b->capacity[queue] + 1;
        }
        b->capacity[queue] = WEIR_UNBOUNDED;
        b->least[i] = low;
        b->total_least += low;
    }
    return true;
}

/* ---- from above ---- */

/* Offers the point, and takes places away from it as long as the limits are kept. */
static enum weir_status descend(struct weir_buffers *b, const int64_t *start, struct weir_error *error)
{
    size_t width = b->space.count, done, count = 1;
    struct weir_score scores[WEIR_TEAM_LIST];
    memcpy(b->list, start, width * sizeof *start);
    for (bool better = true; better;) {
        better = false;
        /* Lists of neighbours with fewer places in one queue: half of what it has above the least, one less. */
        for (size_t next = 0; count && !weir_team_stopped(b->team);) {
            enum weir_status status = weir_team_evaluate(b->team, b->list, count, scores, &done, error);
            if (status)
                return status;
            for (size_t i = 0; i < done; i++)
                if (scores[i].part[0] == WEIR_BUFFERS_KEPT &&
                    (!b->best.any || weir_score_compare(&scores[i], &b->best.score) < 0)) {
                    weir_best_offer(&b->best, b->list + i * width, width, &scores[i]);
                    better = true;
                }
            for (count = 0; b->best.any && next < 2 * width && count < WEIR_TEAM_LIST; next++) {
                int64_t *point = b->list + count * width, above = b->best.point[next / 2] - b->least[next / 2];
                if (above < 1 || (next % 2 && above < 3))
                    continue;
                memcpy(point, b->best.point, width * sizeof *point);
                point[next / 2] -= next % 2 ? above / 2 : 1;
                count++;
            }
        }
        count = better && b->best.any ? 1 : 0;
        if (count)
            memcpy(b->list, b->best.point, width * sizeof *b->list);
    }
    return WEIR_OK;
}

static enum weir_status begin(struct weir_buffers *b, int64_t *start, struct weir_error *error)
{
    const struct weir_candidate *before = b->search->before;
    enum weir_status status = WEIR_OK;
    bool known = true;
    for (size_t i = 0; i < b->space.count; i++) {
        start[i] = before->capacity[b->space.variables[i].index];
        known &= start[i] >= b->least[i];
    }
    if (known)
        status = descend(b, start, error);
    for (size_t i = 0; i < b->space.count; i++)
        start[i] = b->least[i] + GENEROUS;
    return status || b->best.any ? status : descend(b, start, error);
}

/* ---- from below ---- */

/* *proved becomes the largest total below which nothing will do. */
static enum weir_status climb(struct weir_buffers *b, int64_t *proved, struct weir_error *error)
{
    enum weir_status status = WEIR_OK;
    *proved = b->total_least;
    while (!status && !weir_team_stopped(b->team) && !(b->best.any && *proved >= b->best.score.part[1])) {
        status = weir_buffers_level(b, *proved - b->total_least, error);
        if (weir_team_ended(b->team) || b->exhausted)
            break;
        if (!(b->best.any && *proved >= b->best.score.part[1]))
            ++*proved;
    }
    return status;
}

/* ---- all of it ---- */

static void tell(struct weir_buffers *b, bool possible)
{
    const struct weir_exploration *result = b->search->result;
    char *note = b->search->note;
    if (!possible)
        snprintf(note, WEIR_NOTE_TEXT,
                 "No capacities will do: the latency is longer even without any waiting for processors or for room.");
    else if (b->space.count == 0)
        snprintf(note, WEIR_NOTE_TEXT, "No queue that can make anyone wait is left to be sized (%s).",
                 b->search->options->resize ? "all are unbounded or do not block" : "capacities that the model gives are kept");
    else if (!b->best.any && result->total_before < 0)
        snprintf(note, WEIR_NOTE_TEXT,
                 "No capacities with which every latency keeps its limit were found; less than %lld places in "
                 "all will not do.",
                 (long long)result->total_least);
    else if (!result->complete)
        snprintf(note, WEIR_NOTE_TEXT,
                 "Not proved to be the smallest: less than %lld places in all will not do, and what lies "
                 "between was not tried.",
                 (long long)result->total_least);
}

static enum weir_status run(struct weir_buffers *b, struct weir_error *error)
{
    struct weir_exploration *result = b->search->result;
    bool possible = find_least(b), kept = keeps_limits(b, b->search->before);
    enum weir_status status = WEIR_OK;
    result->total_before = kept ? 0 : -1;
    for (size_t i = 0; kept && i < b->space.count; i++)
        result->total_before += b->search->before->capacity[b->space.variables[i].index];
    for (size_t i = 0; kept && i < b->search->before->queue_count; i++)
        result->total_before += b->counted[i] ? b->search->before->capacity[i] : 0;
    result->total = result->total_before;
    result->total_least = kept && !b->space.count ? result->total_before : b->total_least;
    result->complete = true;
    if (possible && b->space.count) {
        int64_t *start = weir_array(b->space.count, sizeof *start);
        status = start ? begin(b, start, error) : weir_fail_memory(error);
        weir_free(start);
        if (!status)
            status = climb(b, &result->total_least, error);
        bool proved = b->best.any && result->total_least >= b->best.score.part[1];
        weir_search_end(b->search, b->team, proved);
        result->interrupted |= b->exhausted && !proved;
    }
    bool better = b->best.any && (!kept || b->best.score.part[1] < result->total_before);
    if (!status && better) {
        result->total = b->best.score.part[1];
        status = weir_design_space_apply(&b->space, b->best.point, &result->pipeline, error);
    }
    tell(b, possible);
    return status;
}

static enum weir_status prepare(struct weir_buffers *b, struct weir_error *error)
{
    const struct weir_pipeline *model = b->search->model;
    size_t queues = model->queue_count;
    b->space.model = model;
    b->space.variables = weir_array(queues, sizeof *b->space.variables);
    b->least = weir_array(queues, sizeof *b->least);
    b->extra = weir_array(queues, sizeof *b->extra);
    b->counted = weir_array_zeroed(queues, sizeof *b->counted);
    b->capacity = weir_array(queues, sizeof *b->capacity);
    b->limits = weir_array(model->chain_count, sizeof *b->limits);
    b->best.point = weir_array(queues, sizeof *b->best.point);
    b->list = weir_array(queues * WEIR_TEAM_LIST, sizeof *b->list);
    if (!b->space.variables || !b->least || !b->extra || !b->counted || !b->capacity || !b->limits || !b->best.point || !b->list)
        return weir_fail_memory(error);
    choose_queues(b);
    find_limits(b);
    b->relaxation = weir_relaxation_new(model, b->limits, error);
    b->team = weir_search_team(b->search, &b->space, (struct weir_judge){judge, b}, error);
    return b->relaxation && b->team ? WEIR_OK : weir_fail_memory(error);
}

enum weir_status weir_search_buffers(struct weir_search *search, struct weir_error *error)
{
    struct weir_buffers b = {.search = search};
    enum weir_status status = prepare(&b, error);
    if (!status)
        status = run(&b, error);
    weir_team_free(b.team);
    weir_relaxation_free(b.relaxation);
    weir_free(b.space.variables);
    weir_free(b.least);
    weir_free(b.extra);
    weir_free(b.counted);
    weir_free(b.capacity);
    weir_free(b.limits);
    weir_free(b.best.point);
    weir_free(b.list);
    return status;
}
