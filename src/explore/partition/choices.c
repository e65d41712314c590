/* SPDX-License-Identifier: Apache-2.0 */
/* Which operators share a partition, and what each partition may be. */
#include "base/error.h"
#include "base/number.h"
#include "explore/partition/partition.h"

#include <string.h>

/* ---- arrangements: strings in which each new partition has the next number ---- */

static bool next_arrangement(struct weir_partition_arrangement *a, size_t count)
{
    for (size_t i = count; i-- > 1;) {
        uint8_t most = 0;
        for (size_t k = 0; k < i; k++)
            most = a->part[k] > most ? a->part[k] : most;
        if (a->part[i] > most) /* it is a new one already */
            continue;
        a->part[i]++;
        memset(a->part + i + 1, 0, count - i - 1);
        return true;
    }
    return false;
}

static void count_parts(struct weir_partition_arrangement *a, size_t count)
{
    a->parts = 0;
    for (size_t i = 0; i < count; i++)
        a->parts = a->part[i] >= a->parts ? a->part[i] + UINT32_C(1) : a->parts;
}

bool weir_arrangements_list(struct weir_partition_study *study)
{
    size_t count = study->options->profile_count, capacity = 0;
    void *list = NULL;
    struct weir_partition_arrangement a = {.parts = (uint32_t)count};
    for (size_t i = 0; i < count; i++)
        a.part[i] = (uint8_t)i;
    if (!weir_reserve(&list, &capacity, 1, sizeof a))
        return false;
    study->arrangements = list;
    study->arrangements[study->arrangement_count++] = a;
    if (!study->options->share)
        return true;
    a = (struct weir_partition_arrangement){0};
    do {
        count_parts(&a, count);
        if (a.parts == count)
            continue;
        list = study->arrangements;
        if (!weir_reserve(&list, &capacity, study->arrangement_count + 1, sizeof a))
            return false;
        study->arrangements = list;
        study->arrangements[study->arrangement_count++] = a;
    } while (next_arrangement(&a, count));
    return true;
}

/* ---- choices ---- */

int64_t weir_profile_point_at(const struct weir_profile *profile, uint32_t sms)
{
    int64_t found = -1;
    for (size_t i = 0; i < profile->point_count && profile->points[i].sms <= sms; i++)
        found = (int64_t)i;
    return found;
}

/* False: one of its operators cannot do with so few. */
static bool fill(const struct weir_partition_study *s, const struct weir_partition_arrangement *a, uint32_t part,
                 struct weir_part_choice *c, enum weir_status *status)
{
    const struct weir_partition_options *o = s->options;
    int64_t sum = 0;
    for (size_t i = 0; i < o->profile_count; i++) {
        if (a->part[i] != part)
            continue;
        int64_t at = weir_profile_point_at(&o->profiles[i], c->sms);
        if (at < 0)
            return false;
        const struct weir_profile_point *point = &o->profiles[i].points[at];
        c->best[i] = point->best;
        if (!weir_add(sum, point->worst, &sum) || sum >= WEIR_TIME_MAX) {
            *status = WEIR_OVERFLOW;
            return false;
        }
    }
    for (size_t i = 0; i < o->profile_count; i++)
        if (a->part[i] == part)
            c->worst[i] = sum;
    return true;
}

/* Whether `less`, with no more SMs, leaves no reason to take `more`: every interval lies within the other's. */
static bool as_good(const struct weir_partition_study *s, const struct weir_partition_arrangement *a, uint32_t part,
                    const struct weir_part_choice *less, const struct weir_part_choice *more)
{
    for (size_t i = 0; i < s->options->profile_count; i++)
        if (a->part[i] == part && (less->best[i] < more->best[i] || less->worst[i] > more->worst[i]))
            return false;
    return true;
}

static void add_choice(const struct weir_partition_study *s, const struct weir_partition_arrangement *a, uint32_t part,
                       struct weir_part_choices *list, const struct weir_part_choice *choice)
{
    size_t member = 0; /* the longest time is that of all together */
    while (a->part[member] != part)
        member++;
    for (size_t i = 0; i < list->count; i++)
        if (list->items[i].worst[member] <= choice->worst[member] && as_good(s, a, part, &list->items[i], choice))
            return;
    list->items[list->count++] = *choice;
}

/* The next number of SMs that an operator of the partition was measured with, in whole steps; 0: none. `above` is one, or 0. */
static uint32_t next_width(const struct weir_partition_study *s, const struct weir_partition_arrangement *a, uint32_t part,
                           uint32_t above)
{
    const struct weir_partition_options *o = s->options;
    uint64_t step = o->step ? o->step : 1, next = 0;
    for (size_t i = 0; i < o->profile_count; i++) {
        const struct weir_profile *profile = &o->profiles[i];
        size_t first = 0, end = profile->point_count; /* of the points with more */
        while (a->part[i] == part && first < end) {
            size_t middle = first + (end - first) / 2;
            if (profile->points[middle].sms > above)
                end = middle;
            else
                first = middle + 1;
        }
        if (a->part[i] != part || first == profile->point_count)
            continue;
        uint64_t sms = (profile->points[first].sms + step - 1) / step * step;
        if (sms <= o->sms && (!next || sms < next))
            next = sms;
    }
    return (uint32_t)next;
}

enum weir_status weir_choices_list(const struct weir_partition_study *s, const struct weir_partition_arrangement *a,
                                   struct weir_part_choices choices[PARTS_MAX], struct weir_error *error)
{
    const struct weir_partition_options *o = s->options;
    enum weir_status status = WEIR_OK;
    memset(choices, 0, PARTS_MAX * sizeof *choices);
    for (uint32_t part = 0; part < a->parts && !status; part++) {
        size_t room = 0;
        for (size_t i = 0; i < o->profile_count; i++)
            room += a->part[i] == part ? o->profiles[i].point_count : 0;
        choices[part].items = weir_array(room, sizeof *choices[part].items);
        if (!choices[part].items)
            return weir_fail_memory(error);
        for (uint32_t sms = next_width(s, a, part, 0); sms && !status; sms = next_width(s, a, part, sms)) {
            struct weir_part_choice choice = {.sms = sms};
            if (fill(s, a, part, &choice, &status))
                add_choice(s, a, part, &choices[part], &choice);
        }
    }
    return status ? weir_fail(error, status, "times of operators in one partition are longer than can be represented together")
                  : WEIR_OK;
}

void weir_choices_free(struct weir_part_choices choices[PARTS_MAX])
{
    for (size_t i = 0; i < PARTS_MAX; i++)
        weir_free(choices[i].items);
    memset(choices, 0, PARTS_MAX * sizeof *choices);
}

/* ---- what is better ---- */

int weir_division_score_compare(const struct weir_partition_score *a, const struct weir_partition_score *b)
{
    if (a->unbounded != b->unbounded)
        return a->unbounded < b->unbounded ? -1 : 1;
    if (a->missed != b->missed)
        return a->missed < b->missed ? -1 : 1;
    return a->total < b->total ? -1 : a->total > b->total;
}

int weir_division_compare(const struct weir_division *a, const struct weir_division *b)
{
    if (!a->found || !b->found)
        return a->found == b->found ? 0 : a->found ? -1 : 1;
    int order = weir_division_score_compare(&a->score, &b->score);
    if (order)
        return order;
    if (a->sms != b->sms)
        return a->sms < b->sms ? -1 : 1;
    if (a->arrangement != b->arrangement)
        return a->arrangement < b->arrangement ? -1 : 1;
    for (uint32_t i = 0; i < PARTS_MAX; i++)
        if (a->part_sms[i] != b->part_sms[i])
            return a->part_sms[i] < b->part_sms[i] ? -1 : 1;
    return 0;
}
