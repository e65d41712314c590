/* SPDX-License-Identifier: Apache-2.0 */
/* Going through the divisions of a task, depth first; whatever cannot be better than the best so far is left out. */
#include "base/error.h"
#include "explore/partition/floor.h"

#include <string.h>

enum { MIX_AFTER = 4096, MIX_ABOVE = 3, LOOK_UP = 256 };

struct weir_partition_seeker {
    const struct weir_partition_study *study;
    struct weir_partition_scorer scorer;
    struct weir_floor floor;
    uint32_t arrangement; /* whose choices these are; UINT32_MAX: none */
    struct weir_part_choices choices[PARTS_MAX];
    uint32_t least_sms[PARTS_MAX + 1]; /* the fewest of the positions from this one on */
    struct weir_division best;         /* of this task, or what the hint has */
    uint64_t looks;
};

static void leave_arrangement(struct weir_partition_seeker *s)
{
    weir_floor_end(&s->floor);
    weir_choices_free(s->choices);
    s->arrangement = UINT32_MAX;
}

void weir_seeker_free(void *seeker)
{
    struct weir_partition_seeker *s = seeker;
    leave_arrangement(s);
    weir_scorer_end(&s->scorer);
    weir_free(s);
}

enum weir_status weir_seeker_new(const void *study, void **seeker, struct weir_error *error)
{
    struct weir_partition_seeker *s = weir_array_zeroed(1, sizeof *s);
    *seeker = NULL;
    if (!s)
        return weir_fail_memory(error);
    s->study = study;
    s->arrangement = UINT32_MAX;
    enum weir_status status = weir_scorer_make(&s->scorer, study, error);
    if (status)
        weir_seeker_free(s);
    else
        *seeker = s;
    return status;
}

/* ---- bounds ---- */

static const struct weir_part_choices *choices_at(const struct weir_partition_seeker *s, uint32_t position)
{
    return &s->choices[s->floor.order[position]];
}

static uint32_t sms_at(const struct weir_partition_seeker *s, uint32_t position)
{
    return choices_at(s, position)->items[s->floor.chosen[position]].sms;
}

/* With the first `decided` positions as chosen: sets what all others can be. *possible: the SMs are enough; *asked: how to ask. */
static enum weir_status relax(struct weir_partition_seeker *s, uint32_t decided, uint32_t left, bool *possible,
                              enum weir_partition_asked *asked, struct weir_error *error)
{
    *possible = true;
    *asked = WEIR_ASKED_LOWER;
    for (uint32_t position = 0; position < s->floor.arrangement->parts; position++) {
        const struct weir_part_choices *list = choices_at(s, position);
        bool open = position >= decided;
        uint32_t first = open ? 0 : s->floor.chosen[position], end = open ? (uint32_t)list->count : first + 1;
        uint32_t others = open ? s->least_sms[decided] - list->items[0].sms : 0;
        for (uint32_t i = 0; i < s->study->options->profile_count; i++) {
            int64_t best = -1, worst = INT64_MAX;
            if (s->floor.arrangement->part[i] != s->floor.order[position])
                continue;
            for (uint32_t k = first; k < end && (!open || list->items[k].sms + others <= left); k++) {
                best = list->items[k].best[i] > best ? list->items[k].best[i] : best;
                worst = list->items[k].worst[i] < worst ? list->items[k].worst[i] : worst;
            }
            if (best < 0) {
                *possible = false;
                return WEIR_OK;
            }
            if (best > worst)
                *asked = WEIR_ASKED_PATHS;
            enum weir_status status = weir_scorer_set(&s->scorer, i, best > worst ? worst : best, worst, error);
            if (status)
                return status;
        }
    }
    return WEIR_OK;
}

/* The score of the division that is chosen. */
static enum weir_status score_division(struct weir_partition_seeker *s, struct weir_partition_score *score,
                                       struct weir_error *error)
{
    bool possible;
    enum weir_partition_asked asked;
    enum weir_status status = relax(s, s->floor.arrangement->parts, 0, &possible, &asked, error);
    return status ? status : weir_scorer_ask(&s->scorer, WEIR_ASKED_ALL, score, error);
}

/* Whether the floor leaves room for something to take: a better one, or one as good with no more SMs. */
static bool may_be_better(struct weir_partition_seeker *s, uint32_t decided, uint32_t left)
{
    struct weir_partition_score lower;
    uint32_t used = s->study->options->sms - left;
    if (!s->best.found)
        return true;
    weir_floor_score(&s->floor, decided, left, &lower);
    int order = weir_division_score_compare(&lower, &s->best.score);
    if (order != 0 || used + s->least_sms[decided] > s->best.sms)
        return order < 0;
    weir_floor_score(&s->floor, decided, s->best.sms - used, &lower);
    return weir_division_score_compare(&lower, &s->best.score) <= 0;
}

/* The same by relaxing what is open, where rows do not say all. */
static enum weir_status relaxed_may_be_better(struct weir_partition_seeker *s, uint32_t decided, uint32_t left, bool *may,
                                              struct weir_error *error)
{
    struct weir_partition_score lower;
    enum weir_partition_asked asked;
    enum weir_status status = relax(s, decided, left, may, &asked, error);
    if (!status && *may && asked == WEIR_ASKED_PATHS && !s->study->options->share)
        return WEIR_OK; /* rows know the paths that matter */
    if (!status && *may)
        status = weir_scorer_ask(&s->scorer, asked, &lower, error);
    if (status || !*may || !s->best.found)
        return status;
    int order = weir_division_score_compare(&lower, &s->best.score);
    uint32_t least = s->study->options->sms - left + s->least_sms[decided];
    *may = order < 0 || (order == 0 && least <= s->best.sms);
    return WEIR_OK;
}

/* ---- going down ---- */

static void take_division(struct weir_partition_seeker *s, const struct weir_partition_score *score)
{
    struct weir_division d = {.found = true, .score = *score, .arrangement = s->arrangement};
    for (uint32_t position = 0; position < s->floor.arrangement->parts; position++) {
        d.part_sms[s->floor.order[position]] = sms_at(s, position);
        d.sms += sms_at(s, position);
    }
    if (weir_division_compare(&d, &s->best) < 0)
        s->best = d;
}

static enum weir_status look_at_division(struct weir_partition_seeker *s, struct weir_error *error)
{
    struct weir_partition_score score;
    enum weir_status status = score_division(s, &score, error);
    if (status)
        return status;
    take_division(s, &score);
    if (!s->study->straight && s->best.found && weir_division_score_compare(&s->best.score, &score) < 0)
        status = weir_scorer_cut(&s->scorer, error); /* the rows there are said too little of it */
    return status ? status : weir_floor_renew(&s->floor, s->floor.arrangement->parts, error);
}

/* Now and then other weights, for what begins like this. */
static enum weir_status weigh(struct weir_partition_seeker *s, uint32_t position, struct weir_error *error)
{
    uint32_t candidate[PARTS_MAX], above = position > MIX_ABOVE ? position - MIX_ABOVE : 1;
    bool found;
    enum weir_status status = weir_floor_mix(&s->floor, above, TURNS_FEW, candidate, &found, error);
    for (uint32_t at = above; at < position; at++) /* what is chosen below, in the new table */
        weir_floor_choose(&s->floor, at, s->floor.chosen[at]);
    return status;
}

/* Looks at what begins with the first `decided` positions as chosen; *deeper: it is worth going on. */
static enum weir_status look(struct weir_partition_seeker *s, uint32_t decided, uint32_t left, bool *deeper,
                             struct weir_error *error)
{
    bool whole = decided == s->floor.arrangement->parts;
    *deeper = false;
    s->looks++;
    if (!may_be_better(s, decided, left))
        return WEIR_OK;
    if (whole)
        return look_at_division(s, error);
    *deeper = true;
    enum weir_status status = WEIR_OK;
    if (s->looks % MIX_AFTER == 0 && decided >= 2) {
        status = weigh(s, decided, error);
        *deeper = !status && may_be_better(s, decided, left);
    }
    if (!s->study->straight && !status && *deeper)
        status = relaxed_may_be_better(s, decided, left, deeper, error);
    return status;
}

static enum weir_status descend(struct weir_partition_seeker *s, uint32_t from, uint32_t left, struct weir_error *error)
{
    uint32_t parts = s->floor.arrangement->parts, at = from;
    int64_t next[PARTS_MAX];
    bool deeper;
    enum weir_status status = look(s, from, left, &deeper, error);
    if (status || !deeper || from == parts)
        return status;
    next[at] = (int64_t)choices_at(s, at)->count - 1; /* the fastest first */
    for (uint64_t steps = 1;; steps++) {
        if (steps % LOOK_UP == 0 && weir_partition_stopped(s->study))
            return WEIR_OK;
        if (next[at] < 0) {
            if (at == from)
                return WEIR_OK;
            at--;
            left += sms_at(s, at);
            continue;
        }
        weir_floor_choose(&s->floor, at, (uint32_t)next[at]--);
        uint32_t sms = sms_at(s, at);
        if (sms > left || left - sms < s->least_sms[at + 1])
            continue;
        status = look(s, at + 1, left - sms, &deeper, error);
        if (status)
            return status;
        if (deeper && at + 1 < parts) {
            left -= sms;
            at++;
            next[at] = (int64_t)choices_at(s, at)->count - 1;
        }
    }
}

/* ---- tasks ---- */

/* The choices of an arrangement, and the least that all of its latencies are. */
static enum weir_status enter_arrangement(struct weir_partition_seeker *s, uint32_t arrangement, struct weir_error *error)
{
    bool possible;
    enum weir_partition_asked asked;
    struct weir_partition_score lower = {0};
    leave_arrangement(s);
    enum weir_status status = weir_choices_list(s->study, &s->study->arrangements[arrangement], s->choices, error);
    if (!status)
        status = weir_floor_begin(&s->floor, s->study, arrangement, s->choices, s->scorer.rows, error);
    if (status)
        return status;
    s->arrangement = arrangement;
    uint32_t parts = s->floor.arrangement->parts;
    s->least_sms[parts] = 0;
    for (uint32_t i = parts; i-- > 0;)
        s->least_sms[i] = s->least_sms[i + 1] + choices_at(s, i)->items[0].sms;
    status = relax(s, 0, s->study->options->sms, &possible, &asked, error);
    if (!status && possible)
        status = weir_scorer_ask(&s->scorer, asked, &lower, error);
    s->floor.unbounded = lower.unbounded;
    uint32_t candidate[PARTS_MAX];
    if (!status && !s->study->options->share) /* there are too many arrangements to do it for each */
        status = weir_floor_mix(&s->floor, 0, TURNS_MAX, candidate, &possible, error);
    return status;
}

/* Makes ready for a task: its arrangement's choices, the first of them chosen. *left: SMs for the others; false: there are none. */
static enum weir_status begin(struct weir_partition_seeker *s, uint64_t number, uint32_t *decided, uint32_t *left, bool *possible,
                              struct weir_error *error)
{
    const struct weir_partition_task *task = &s->study->tasks[number];
    enum weir_status status = WEIR_OK;
    if (s->arrangement != task->arrangement)
        status = enter_arrangement(s, task->arrangement, error);
    if (status) {
        leave_arrangement(s);
        return status;
    }
    weir_floor_choose(&s->floor, 0, task->first);
    uint64_t used = sms_at(s, 0);
    *decided = 1;
    if (task->second != UINT32_MAX) {
        weir_floor_choose(&s->floor, 1, task->second);
        used += sms_at(s, 1);
        *decided = 2;
    }
    *possible = used + s->least_sms[*decided] <= s->study->options->sms;
    *left = *possible ? s->study->options->sms - (uint32_t)used : 0;
    return WEIR_OK;
}

enum weir_status weir_seeker_perform(void *seeker, const void *study, uint64_t task, const void *hint, void *result,
                                     struct weir_error *error)
{
    (void)study;
    struct weir_partition_seeker *s = seeker;
    uint32_t decided, left;
    bool possible;
    memcpy(&s->best, hint, sizeof s->best);
    s->best.stopped = false;
    enum weir_status status = begin(s, task, &decided, &left, &possible, error);
    if (!status && possible)
        status = descend(s, decided, left, error);
    s->best.stopped = weir_partition_stopped(s->study); /* what it looked at last may have been left halfway */
    memcpy(result, &s->best, sizeof s->best);
    return status;
}

enum weir_status weir_seeker_least(struct weir_partition_seeker *s, struct weir_partition_score *lower, struct weir_error *error)
{
    bool possible;
    enum weir_partition_asked asked;
    *lower = (struct weir_partition_score){UINT32_MAX, UINT32_MAX, INT64_MAX};
    enum weir_status status = s->arrangement == 0 ? WEIR_OK : enter_arrangement(s, 0, error);
    if (!status)
        status = relax(s, 0, UINT32_MAX, &possible, &asked, error);
    if (status || !possible)
        return status;
    struct weir_partition_score floor = {0};
    if (!s->study->options->share)
        weir_floor_score(&s->floor, 0, s->study->options->sms, &floor);
    status = weir_scorer_ask(&s->scorer, asked, lower, error);
    if (weir_division_score_compare(&floor, lower) > 0)
        *lower = floor;
    return status;
}

enum weir_status weir_seeker_bound(struct weir_partition_seeker *s, uint64_t task, struct weir_partition_score *lower,
                                   struct weir_error *error)
{
    uint32_t decided, left;
    bool possible;
    *lower = (struct weir_partition_score){UINT32_MAX, UINT32_MAX, INT64_MAX};
    enum weir_status status = begin(s, task, &decided, &left, &possible, error);
    if (!status && possible)
        weir_floor_score(&s->floor, decided, left, lower);
    return status;
}
