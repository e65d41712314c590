/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A good division to begin with, each operator alone. Step by step, the SMs that help most; then what rows with weights like best
 * (floor.h), which leads to new rows, and so on; last, SMs are moved from one operator to another.
 */
#include "base/error.h"
#include "explore/partition/floor.h"

#include <string.h>

enum { ROUNDS = 40, VAIN = 4 };

struct start {
    struct weir_partition_study *study;
    struct weir_partition_scorer scorer;
    struct weir_part_choices choices[PARTS_MAX];
    uint32_t count;
    struct weir_partition_score score; /* of the best */
    uint32_t best[PARTS_MAX], left;
};

static enum weir_status score_of(struct start *s, const uint32_t *chosen, struct weir_partition_score *score,
                                 struct weir_error *error)
{
    enum weir_status status = WEIR_OK;
    for (uint32_t i = 0; i < s->count && !status; i++) {
        const struct weir_part_choice *choice = &s->choices[i].items[chosen[i]];
        status = weir_scorer_set(&s->scorer, i, choice->best[i], choice->worst[i], error);
    }
    return status ? status : weir_scorer_ask(&s->scorer, WEIR_ASKED_ALL, score, error);
}

/* Takes it where it is better. */
static enum weir_status try(struct start *s, const uint32_t *chosen, bool *better, struct weir_error *error)
{
    struct weir_partition_score score;
    uint32_t sms = 0;
    *better = false;
    for (uint32_t i = 0; i < s->count; i++)
        sms += s->choices[i].items[chosen[i]].sms;
    enum weir_status status = score_of(s, chosen, &score, error);
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
    for (uint32_t k = from[up] + 1; k < s->choices[up].count && !weir_partition_stopped(s->study); k++) {
        uint32_t trial[PARTS_MAX], more = s->choices[up].items[k].sms - s->choices[up].items[from[up]].sms;
        bool better = false;
        enum weir_status status = WEIR_OK;
        memcpy(trial, from, sizeof trial);
        trial[up] = k;
        if (more <= left)
            status = try(s, trial, &better, error);
        for (uint32_t down = 0; more > left && down < s->count && !status; down++) {
            uint32_t have = s->choices[down].items[from[down]].sms, at = from[down];
            while (at > 0 && have - s->choices[down].items[at].sms < more - left)
                at--;
            if (down == up || have - s->choices[down].items[at].sms < more - left)
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

/* What rows like best, until they have nothing new to say. */
static enum weir_status follow_rows(struct start *s, struct weir_error *error)
{
    struct weir_floor floor;
    enum weir_status status = weir_floor_begin(&floor, s->study, 0, s->choices, s->scorer.rows, error);
    for (int round = 0, vain = 0; round < ROUNDS && vain < VAIN && !status && !weir_partition_stopped(s->study); round++) {
        uint32_t candidate[PARTS_MAX], chosen[PARTS_MAX];
        size_t rows = s->scorer.rows->count;
        bool found, better = false;
        status = weir_floor_mix(&floor, 0, TURNS_FEW, candidate, &found, error);
        if (status || !found)
            break;
        for (uint32_t at = 0; at < s->count; at++)
            chosen[floor.order[at]] = candidate[at];
        status = try(s, chosen, &better, error);
        if (!status)
            status = weir_scorer_cut(&s->scorer, error);
        vain = better || s->scorer.rows->count > rows ? 0 : vain + 1;
        if (!status)
            status = weir_floor_renew(&floor, 0, error);
    }
    weir_floor_end(&floor);
    return status;
}

enum weir_status weir_partition_start(struct weir_partition_study *study, struct weir_division *division, struct weir_error *error)
{
    struct start s = {.study = study, .count = (uint32_t)study->options->profile_count, .left = study->options->sms};
    *division = (struct weir_division){0};
    enum weir_status status = weir_choices_list(study, &study->arrangements[0], s.choices, error);
    bool possible = !status;
    for (uint32_t i = 0; i < s.count && possible; i++) {
        possible = s.choices[i].count && s.choices[i].items[0].sms <= s.left;
        s.left -= possible ? s.choices[i].items[0].sms : 0;
    }
    if (!status)
        status = weir_scorer_make(&s.scorer, study, error);
    if (!status && possible)
        status = score_of(&s, s.best, &s.score, error);
    if (!status && possible)
        status = follow_rows(&s, error);
    if (!status && possible)
        status = climb(&s, error);
    study->straight = possible && s.scorer.straight;
    study->rows = s.scorer.rows;
    s.scorer.rows = NULL;
    if (!status && possible) {
        *division = (struct weir_division){.found = true, .score = s.score, .sms = study->options->sms - s.left};
        for (uint32_t i = 0; i < s.count; i++)
            division->part_sms[i] = s.choices[i].items[s.best[i]].sms;
    }
    weir_scorer_end(&s.scorer);
    weir_choices_free(s.choices);
    return status;
}
