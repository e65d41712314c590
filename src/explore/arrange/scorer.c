/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a search does next depends on the scores alone, and they on the points alone: the result is the same for any number of
 * threads.
 */
#include "explore/arrange/score.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/task_pool.h"

#include <string.h>

#define BYTES_MAX (UINT64_C(256) << 20) /* of points that are known: beyond it they are forgotten */

/* ---- points that are known ---- */

static uint32_t find(const struct weir_scorer *s, const int64_t *point)
{
    size_t bytes = s->space->count * sizeof *point;
    struct weir_map_cursor probe = weir_map_begin(&s->index, weir_hash_bytes(point, bytes));
    while (weir_map_next(&s->index, &probe) && memcmp(s->points + probe.value * s->space->count, point, bytes) != 0)
        ;
    return probe.value;
}

/* False when out of memory. */
static bool keep(struct weir_scorer *s, const int64_t *point, const struct weir_score *score)
{
    size_t width = s->space->count, bytes = width * sizeof *point;
    if ((uint64_t)(s->count + 1) * (bytes + sizeof *score + 2 * sizeof *s->index.slots) > BYTES_MAX ||
        find(s, point) != WEIR_MAP_NONE)
        return true;
    void *points = s->points, *scores = s->scores;
    bool good = weir_reserve(&points, &s->point_capacity, (s->count + 1) * width, sizeof *point);
    s->points = points;
    good = good && weir_reserve(&scores, &s->score_capacity, s->count + 1, sizeof *score);
    s->scores = scores;
    if (!good || !weir_map_add(&s->index, weir_hash_bytes(point, bytes), (uint32_t)s->count))
        return false;
    memcpy(s->points + s->count * width, point, bytes);
    s->scores[s->count++] = *score;
    return true;
}

void weir_scorer_free(struct weir_scorer *s)
{
    weir_free(s->points);
    weir_free(s->scores);
    weir_map_free(&s->index);
}

/* ---- a list ---- */

struct list {
    const struct weir_scorer *scorer;
    const int64_t *points;
    size_t fresh[WEIR_SCORER_LIST], count; /* those without a score yet */
};

static void show(const struct weir_scorer *s, uint64_t fresh)
{
    uint64_t done = s->evaluations + fresh, permille = done >= s->limit ? 1000 : done * 1000 / s->limit;
    if (s->options->progress)
        s->options->progress(s->options->context, permille > s->reached ? (unsigned)permille : s->reached);
}

static void show_list(void *context, unsigned permille)
{
    const struct list *list = context;
    show(list->scorer, list->count * permille / 1000);
}

static enum weir_status perform(void *scratch, const void *context, uint64_t task, const void *hint, void *result,
                                struct weir_error *error)
{
    (void)scratch, (void)hint;
    const struct list *list = context;
    const struct weir_scorer *s = list->scorer;
    const int64_t *point = list->points + list->fresh[task] * s->space->count;
    struct weir_pipeline *pipeline;
    struct weir_candidate *answer = NULL, impossible = {.kind = WEIR_CANDIDATE_IMPOSSIBLE};
    enum weir_status status = weir_design_space_apply(s->space, point, &pipeline, error);
    if (!status)
        status = weir_candidate_ask(s->analysis, pipeline, &answer, error);
    else if (status == WEIR_INVALID)
        status = WEIR_OK;
    if (!status)
        s->judge.score(s->judge.context, point, answer ? answer : &impossible, result);
    weir_free(answer);
    weir_pipeline_free(pipeline);
    return status;
}

enum weir_status weir_scorer_score(struct weir_scorer *s, const int64_t *points, size_t count, struct weir_score *scores,
                                   size_t *done, struct weir_error *error)
{
    struct list list = {.scorer = s, .points = points};
    struct weir_score fresh[WEIR_SCORER_LIST];
    uint8_t marks[WEIR_SCORER_LIST];
    *done = count;
    for (size_t i = 0; i < *done; i++) {
        uint32_t known = find(s, points + i * s->space->count);
        if (known != WEIR_MAP_NONE) {
            scores[i] = s->scores[known];
        } else if (list.count < s->limit - s->evaluations) {
            list.fresh[list.count++] = i;
        } else {
            *done = i;
            s->ended = true;
        }
    }
    struct weir_task_pool_work work = {
        .count = list.count, .result_size = sizeof *fresh, .context = &list, .perform = perform, .whole = true};
    struct weir_task_pool_options how = {
        .threads = s->options->threads, .stop = s->options->stop, .progress = show_list, .context = &list, .here = true};
    enum weir_status status = weir_task_pool_run(&work, &how, fresh, marks, error);
    for (size_t i = 0; i < list.count && !status; i++) {
        size_t at = list.fresh[i];
        if (!marks[i]) {
            s->ended = true;
            *done = at < *done ? at : *done;
            continue;
        }
        s->evaluations++;
        scores[at] = fresh[i];
        if (!keep(s, points + at * s->space->count, &fresh[i]))
            status = weir_fail_memory(error);
    }
    show(s, 0);
    return status;
}

bool weir_scorer_stopped(struct weir_scorer *s)
{
    s->ended |= s->options->stop && __atomic_load_n(s->options->stop, __ATOMIC_RELAXED);
    return s->ended;
}

void weir_scorer_reached(struct weir_scorer *s, unsigned permille)
{
    s->reached = permille > 1000 ? 1000 : permille;
    show(s, 0);
}
