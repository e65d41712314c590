/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A good division to begin with, each operator alone: the best that is met while all divisions are bounded; then SMs are moved from
 * one operator to another. The nodes that are open after that are the tasks.
 */
#include "base/error.h"
#include "explore/partition/tree.h"

#include <stdlib.h>
#include <string.h>

enum { TASKS = 256 };

struct start {
    struct weir_partition_study *study;
    struct weir_partition_scorer scorer;
    struct weir_tree tree;
    uint32_t count;
    struct weir_partition_score score; /* of the best */
    uint32_t best[PARTS_MAX], left;
};

/* Takes it where it is better. */
static enum weir_status try(struct start *s, const uint32_t *chosen, bool *better, struct weir_error *error)
{
    struct weir_partition_score score;
    enum weir_status status = WEIR_OK;
    uint32_t sms = 0;
    *better = false;
    for (uint32_t i = 0; i < s->count && !status; i++) {
        const struct weir_part_choice *choice = &s->tree.choices[i].items[chosen[i]];
        sms += choice->sms;
        status = weir_scorer_set(&s->scorer, i, choice->best[i], choice->worst[i], error);
    }
    if (!status)
        status = weir_scorer_ask(&s->scorer, WEIR_ASKED_SCORE, &score, error);
    if (status || weir_division_score_compare(&score, &s->score) >= 0)
        return status;
    *better = true;
    s->score = score;
    s->left = s->study->options->sms - sms;
    memcpy(s->best, chosen, s->count * sizeof *chosen);
    return WEIR_OK;
}

/* A step up of one operator, and down of another where there are too few SMs; the best there is. *any: there is one. */
static enum weir_status step(struct start *s, uint32_t up, bool *any, struct weir_error *error)
{
    uint32_t from[PARTS_MAX], left = s->left;
    memcpy(from, s->best, sizeof from);
    for (uint32_t k = from[up] + 1; k < s->tree.choices[up].count && !weir_partition_stopped(s->study); k++) {
        uint32_t trial[PARTS_MAX], more = s->tree.choices[up].items[k].sms - s->tree.choices[up].items[from[up]].sms;
        bool better = false;
        enum weir_status status = WEIR_OK;
        memcpy(trial, from, sizeof trial);
        trial[up] = k;
        if (more <= left)
            status = try(s, trial, &better, error);
        for (uint32_t down = 0; more > left && down < s->count && !status; down++) {
            uint32_t have = s->tree.choices[down].items[from[down]].sms, at = from[down];
            while (at > 0 && have - s->tree.choices[down].items[at].sms < more - left)
                at--;
            if (down == up || have - s->tree.choices[down].items[at].sms < more - left)
                continue;
            trial[down] = at;
            bool helped;
            status = try(s, trial, &helped, error);
            better |= helped;
            trial[down] = from[down];
        }
        *any |= better;
        if (status)
            return status;
    }
    return WEIR_OK;
}

static enum weir_status climb(struct start *s, struct weir_error *error)
{
    bool any = true;
    while (any && !weir_partition_stopped(s->study)) {
        any = false;
        for (uint32_t up = 0; up < s->count; up++) {
            enum weir_status status = step(s, up, &any, error);
            if (status)
                return status;
        }
    }
    return WEIR_OK;
}

/* Moves SMs from where the tree has come to. */
static enum weir_status improve(struct start *s, struct weir_error *error)
{
    struct weir_division *best = &s->tree.best;
    s->left = s->study->options->sms;
    for (uint32_t i = 0; i < s->count; i++) {
        const struct weir_part_choices *list = &s->tree.choices[i];
        s->best[i] = 0;
        while (best->found && list->items[s->best[i]].sms < best->part_sms[i])
            s->best[i]++;
        if (!list->count || list->items[s->best[i]].sms > s->left)
            return WEIR_OK; /* there are too few */
        s->left -= list->items[s->best[i]].sms;
    }
    s->score = best->found ? best->score : (struct weir_partition_score){UINT32_MAX, UINT32_MAX, INT64_MAX};
    bool better;
    enum weir_status status = best->found ? WEIR_OK : try(s, s->best, &better, error);
    if (!status)
        status = climb(s, error);
    struct weir_division now = {.found = s->score.unbounded < UINT32_MAX, .score = s->score};
    for (uint32_t i = 0; i < s->count; i++) {
        now.part_sms[i] = s->tree.choices[i].items[s->best[i]].sms;
        now.sms += now.part_sms[i];
    }
    if (weir_division_compare(&now, best) < 0)
        *best = now;
    return status;
}

static int by_lower(const void *a, const void *b)
{
    struct weir_node *const *x = a, *const *y = b;
    int order = weir_division_score_compare(&(*x)->lower, &(*y)->lower);
    return order ? order : memcmp((*x)->first, (*y)->first, sizeof(*x)->first);
}

static enum weir_status list_tasks(struct start *s, struct weir_error *error)
{
    struct weir_partition_study *study = s->study;
    struct weir_tree *t = &s->tree;
    study->tasks = weir_array_zeroed(t->open_count + study->arrangement_count, sizeof *study->tasks);
    if (!study->tasks)
        return weir_fail_memory(error);
    if (t->open_count)
        qsort(t->open, t->open_count, sizeof *t->open, by_lower);
    for (size_t i = 0; i < t->open_count; i++)
        study->tasks[study->task_count++] = (struct weir_partition_task){0, t->open[i]};
    t->open_count = 0;
    for (uint32_t a = 1; a < study->arrangement_count; a++)
        study->tasks[study->task_count++] = (struct weir_partition_task){a, NULL};
    return WEIR_OK;
}

enum weir_status weir_partition_start(struct weir_partition_study *study, struct weir_division *division, struct weir_error *error)
{
    struct start s = {.study = study, .count = (uint32_t)study->options->profile_count};
    *division = (struct weir_division){0};
    enum weir_status status = weir_scorer_make(&s.scorer, study, error);
    if (!status)
        status = weir_tree_least(study, &s.scorer, 0, &study->least, error);
    if (!status)
        status = weir_tree_begin(&s.tree, study, &s.scorer, 0, error);
    if (!status)
        status = weir_tree_open_all(&s.tree, error);
    if (!status)
        status = weir_tree_grow(&s.tree, 2, error);
    if (!status)
        status = improve(&s, error);
    if (!status)
        status = weir_tree_grow(&s.tree, TASKS, error);
    if (!status)
        status = list_tasks(&s, error);
    *division = s.tree.best;
    study->rows = s.scorer.rows;
    s.scorer.rows = NULL;
    weir_tree_end(&s.tree);
    weir_scorer_end(&s.scorer);
    return status;
}
