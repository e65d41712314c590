/* SPDX-License-Identifier: Apache-2.0 */
#include "explore/arrange/arrange.h"

#include "base/error.h"
#include "model/pipeline.h"

#include <string.h>

static bool by_priority(const struct weir_pipeline *p, uint32_t processor)
{
    return p->processors[processor].sharing == WEIR_PREEMPTIVE || p->processors[processor].sharing == WEIR_NONPREEMPTIVE;
}

/* ---- making one ---- */

static enum weir_status mark_targets(struct weir_arrangement *a, const struct weir_explore_options *options,
                                     struct weir_error *error)
{
    const struct weir_pipeline *p = a->model;
    char quoted[WEIR_QUOTED];
    for (size_t i = 0; options->processors && i < options->processor_count; i++) {
        uint32_t index = options->processors[i].index;
        if (index >= p->processor_count)
            return weir_fail(error, WEIR_INVALID, "there is no processor %u", index);
        if (!by_priority(p, index))
            return weir_fail(error, WEIR_INVALID,
                             "processor \"%s\" has slots; operators are moved only to fixed-priority processors",
                             weir_quote(p->processors[index].name, quoted));
        a->target[index] = true;
    }
    for (uint32_t i = 0; !options->processors && i < p->processor_count; i++)
        a->target[i] = by_priority(p, i);
    return WEIR_OK;
}

static void mark_numbered(struct weir_arrangement *a)
{
    for (uint32_t s = 0; s < a->seat_count; s++)
        a->seats[s].numbered = true;
    weir_arrangement_read(a, NULL, &a->now);
    for (uint32_t where = 0; where < a->processor_count; where++) {
        const uint32_t *list = a->now.member + a->now.first[where];
        uint32_t length = a->now.first[where + 1] - a->now.first[where];
        bool different = true;
        for (uint32_t k = 1; k < length; k++)
            different &= a->seats[list[k]].priority != a->seats[list[k - 1]].priority;
        for (uint32_t k = 0; k < length; k++)
            a->seats[list[k]].numbered = different;
    }
}

static enum weir_status fill(struct weir_arrangement *a, const struct weir_explore_options *options, struct weir_error *error)
{
    const struct weir_pipeline *p = a->model;
    bool mapping = options->goal == WEIR_EXPLORE_MAPPING;
    uint32_t *sharers = a->now.first; /* zeroed, and not in use yet */
    for (uint32_t o = 0; o < p->operator_count; o++)
        if (p->operators[o].mapped)
            sharers[p->operators[o].on.index]++;
    for (uint32_t o = 0; o < p->operator_count; o++) {
        const struct weir_operator_spec *spec = &p->operators[o];
        if (spec->mapped && by_priority(p, spec->on.index) && (mapping || sharers[spec->on.index] > 1))
            a->seats[a->seat_count++] = (struct weir_seat){
                .op = o, .home = spec->on.index, .free = mapping, .priority = spec->has_priority ? spec->priority : 0};
    }
    for (uint32_t s = 0; s < a->seat_count; s++) {
        a->space.variables[a->space.count++] = (struct weir_variable){WEIR_VARIABLE_PROCESSOR, a->seats[s].op};
        a->space.variables[a->space.count++] = (struct weir_variable){WEIR_VARIABLE_PRIORITY, a->seats[s].op};
    }
    for (size_t i = 0; i < options->pinned_count; i++) {
        if (options->pinned[i].index >= p->operator_count)
            return weir_fail(error, WEIR_INVALID, "there is no operator %u", options->pinned[i].index);
        for (uint32_t s = 0; s < a->seat_count; s++)
            if (a->seats[s].op == options->pinned[i].index)
                a->seats[s].free = false;
    }
    mark_numbered(a);
    return mark_targets(a, options, error);
}

enum weir_status weir_arrangement_new(const struct weir_pipeline *model, const struct weir_explore_options *options,
                                      struct weir_arrangement **arrangement, struct weir_error *error)
{
    struct weir_arrangement *a = weir_array_zeroed(1, sizeof *a);
    *arrangement = NULL;
    if (!a)
        return weir_fail_memory(error);
    struct weir_arena *arena = &a->arena;
    size_t seats = model->operator_count, processors = model->processor_count;
    a->model = model;
    a->processor_count = (uint32_t)processors;
    a->space.model = model;
    a->space.variables = weir_arena_array(arena, seats * 2, sizeof *a->space.variables);
    a->seats = weir_arena_array(arena, seats, sizeof *a->seats);
    a->target = weir_arena_array(arena, processors, sizeof *a->target);
    a->now.first = weir_arena_array(arena, processors + 1, sizeof(uint32_t));
    a->next.first = weir_arena_array(arena, processors + 1, sizeof(uint32_t));
    a->now.member = weir_arena_array(arena, seats, sizeof(uint32_t));
    a->next.member = weir_arena_array(arena, seats, sizeof(uint32_t));
    a->scratch = weir_arena_array(arena, seats, sizeof *a->scratch);
    enum weir_status status = arena->failed ? weir_fail_memory(error) : fill(a, options, error);
    if (status)
        weir_arrangement_free(a);
    else
        *arrangement = a;
    return status;
}

void weir_arrangement_free(struct weir_arrangement *a)
{
    if (!a)
        return;
    weir_arena_free(&a->arena);
    weir_free(a);
}

/* ---- lists and points ---- */

/* The model's own priorities of these seats, the largest first. Few seats, and often in order already. */
static void sort_priorities(const struct weir_arrangement *a, const uint32_t *list, uint32_t length, int64_t *point)
{
    for (uint32_t k = 0; k < length; k++) {
        int64_t value = a->seats[list[k]].priority;
        uint32_t at = k;
        for (; at > 0 && point[2 * (size_t)list[at - 1] + 1] < value; at--)
            point[2 * (size_t)list[at] + 1] = point[2 * (size_t)list[at - 1] + 1];
        point[2 * (size_t)list[at] + 1] = value;
    }
}

void weir_arrangement_write(const struct weir_arrangement *a, const struct weir_lists *lists, int64_t *point)
{
    for (uint32_t where = 0; where < a->processor_count; where++) {
        const uint32_t *list = lists->member + lists->first[where];
        uint32_t length = lists->first[where + 1] - lists->first[where];
        bool own = true;
        for (uint32_t k = 0; k < length; k++) {
            const struct weir_seat *seat = &a->seats[list[k]];
            own &= seat->home == where && seat->numbered;
            point[2 * (size_t)list[k]] = seat->home == where ? WEIR_UNCHANGED : (int64_t)where;
            point[2 * (size_t)list[k] + 1] = length == 1 ? WEIR_UNCHANGED : (int64_t)(length - k);
        }
        if (own && length > 1)
            sort_priorities(a, list, length, point);
    }
}

static uint32_t processor_at(const struct weir_arrangement *a, const int64_t *point, uint32_t seat)
{
    return point && point[2 * (size_t)seat] != WEIR_UNCHANGED ? (uint32_t)point[2 * (size_t)seat] : a->seats[seat].home;
}

static int64_t priority_at(const struct weir_arrangement *a, const int64_t *point, uint32_t seat)
{
    return point && point[2 * (size_t)seat + 1] != WEIR_UNCHANGED ? point[2 * (size_t)seat + 1] : a->seats[seat].priority;
}

/* point NULL: the model; of equal priorities the operator that stands first in it comes first. */
void weir_arrangement_read(const struct weir_arrangement *a, const int64_t *point, struct weir_lists *lists)
{
    memset(lists->first, 0, ((size_t)a->processor_count + 1) * sizeof *lists->first);
    for (uint32_t s = 0; s < a->seat_count; s++)
        lists->first[processor_at(a, point, s) + 1]++;
    for (uint32_t p = 0; p < a->processor_count; p++)
        lists->first[p + 1] += lists->first[p];
    /* first[p] runs to the end of its list, and back when all are in. */
    for (uint32_t s = 0; s < a->seat_count; s++)
        lists->member[lists->first[processor_at(a, point, s)]++] = s;
    for (uint32_t p = a->processor_count; p > 0; p--)
        lists->first[p] = lists->first[p - 1];
    lists->first[0] = 0;
    for (uint32_t p = 0; p < a->processor_count; p++)
        for (uint32_t k = lists->first[p] + 1; k < lists->first[p + 1]; k++) {
            uint32_t seat = lists->member[k], at = k;
            for (; at > lists->first[p] && priority_at(a, point, lists->member[at - 1]) < priority_at(a, point, seat); at--)
                lists->member[at] = lists->member[at - 1];
            lists->member[at] = seat;
        }
}

int64_t weir_arrangement_distance(const struct weir_arrangement *a, const int64_t *point)
{
    int64_t moved = 0, turned = 0, all = (int64_t)a->seat_count * a->seat_count;
    for (uint32_t s = 0; s < a->seat_count; s++) {
        moved += processor_at(a, point, s) != a->seats[s].home;
        for (uint32_t t = 0; t < s; t++) {
            bool together = a->seats[s].home == a->seats[t].home && processor_at(a, point, s) == processor_at(a, point, t);
            int64_t before = (int64_t)a->seats[s].priority - a->seats[t].priority;
            int64_t after = priority_at(a, point, s) - priority_at(a, point, t);
            turned += together && ((before > 0 && after < 0) || (before < 0 && after > 0));
        }
    }
    return moved * all + turned;
}

/* ---- all of them ---- */

/*
 * All arrangements: the seats take their places one after the other, and digit s says which of the places open to it seat s takes.
 * How many there are depends on the digits before; every sequence of digits makes another arrangement, and each is made.
 */
/* Seats `seat` at the place of that number among those open to it in a->next; returns how many there were. */
static uint32_t sit_down(struct weir_arrangement *a, uint32_t seat, uint32_t digit)
{
    struct weir_lists *lists = &a->next;
    uint32_t open = 0;
    bool seated = false;
    for (uint32_t where = 0; where < a->processor_count; where++) {
        uint32_t places = lists->first[where + 1] - lists->first[where] + 1;
        if (!weir_seat_fits(a, seat, where))
            continue;
        if (!seated && digit < open + places) {
            uint32_t at = lists->first[where] + (digit - open);
            memmove(lists->member + at + 1, lists->member + at, (seat - at) * sizeof *lists->member);
            lists->member[at] = seat;
            for (uint32_t p = where + 1; p <= a->processor_count; p++)
                lists->first[p]++;
            seated = true;
        }
        open += places;
    }
    return open;
}

/* a->next becomes the arrangement, a->scratch the number of places that were open to each seat. */
static void seat_all(struct weir_arrangement *a, const uint32_t *digits)
{
    memset(a->next.first, 0, ((size_t)a->processor_count + 1) * sizeof *a->next.first);
    for (uint32_t s = 0; s < a->seat_count; s++)
        a->scratch[s] = sit_down(a, s, digits[s]);
}

void weir_arrangement_build(struct weir_arrangement *a, const uint32_t *digits, int64_t *point)
{
    seat_all(a, digits);
    weir_arrangement_write(a, &a->next, point);
}

bool weir_arrangement_next(struct weir_arrangement *a, uint32_t *digits)
{
    seat_all(a, digits);
    for (uint32_t s = a->seat_count; s-- > 0;) {
        if (++digits[s] < a->scratch[s])
            return true;
        digits[s] = 0;
    }
    return false;
}

/* Orders of the seats that stay, and processors for those that are free: no more than there are arrangements. */
static bool few(struct weir_arrangement *a, uint64_t limit)
{
    uint64_t ways = 1, targets = 0;
    uint32_t *staying = a->next.first; /* by processor */
    memset(staying, 0, ((size_t)a->processor_count + 1) * sizeof *staying);
    for (uint32_t p = 0; p < a->processor_count; p++)
        targets += a->target[p];
    for (uint32_t s = 0; s < a->seat_count && ways <= limit; s++) {
        const struct weir_seat *seat = &a->seats[s];
        ways *= seat->free ? targets + !a->target[seat->home] : ++staying[seat->home];
    }
    return ways <= limit && (uint64_t)a->seat_count * a->processor_count <= 100000;
}

uint64_t weir_arrangement_count(struct weir_arrangement *a, uint64_t limit)
{
    uint32_t *digits = a->now.member; /* these lists are not needed now */
    uint64_t count = 1;
    if (!few(a, limit))
        return limit + 1;
    memset(digits, 0, a->seat_count * sizeof *digits);
    while (count <= limit && weir_arrangement_next(a, digits))
        count++;
    return count;
}
