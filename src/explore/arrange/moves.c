/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The neighbours of an arrangement, by number: first the swaps of two seats, then for each seat every place in every list. A swap
 * between processors exchanges both; an insertion into another list is a move.
 */
#include "explore/arrange/arrange.h"

#include <string.h>

static uint64_t count_moves(void *context, const int64_t *point)
{
    struct weir_arrangement *a = context;
    uint64_t seats = a->seat_count;
    weir_arrangement_read(a, point, &a->now);
    return seats * seats + seats * (seats + a->processor_count);
}

static uint32_t processor_of(const struct weir_arrangement *a, uint32_t index)
{
    uint32_t low = 0, high = a->processor_count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (a->now.first[middle] <= index)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static bool may_go(const struct weir_arrangement *a, uint32_t seat, uint32_t from, uint32_t to)
{
    return from == to || (a->seats[seat].free && (a->target[to] || a->seats[seat].home == to));
}

static void copy_now(struct weir_arrangement *a)
{
    memcpy(a->next.first, a->now.first, ((size_t)a->processor_count + 1) * sizeof *a->now.first);
    memcpy(a->next.member, a->now.member, a->seat_count * sizeof *a->now.member);
}

/* x < y: places in the lists. */
static bool swap(struct weir_arrangement *a, uint32_t x, uint32_t y)
{
    uint32_t p = processor_of(a, x), q = processor_of(a, y), s = a->now.member[x], t = a->now.member[y];
    if (!may_go(a, s, p, q) || !may_go(a, t, q, p))
        return false;
    copy_now(a);
    a->next.member[x] = t;
    a->next.member[y] = s;
    return true;
}

/* The seat at place x goes to place `slot`, counted over all lists with one place more in each: before the member that stands
 * there, or behind the last. */
static bool insert(struct weir_arrangement *a, uint32_t x, uint32_t slot)
{
    uint32_t from = processor_of(a, x), to = 0, seat = a->now.member[x];
    while (slot > a->now.first[to + 1] - a->now.first[to]) {
        slot -= a->now.first[to + 1] - a->now.first[to] + 1;
        to++;
    }
    uint32_t at = a->now.first[to] + slot;
    /* Where it is, and next to it, which a swap has done. */
    if (!may_go(a, seat, from, to) || (from == to && (at == x || at == x + 1 || at + 1 == x || at == x + 2)))
        return false;
    copy_now(a);
    if (at > x) {
        at--; /* it leaves a gap before */
        memmove(a->next.member + x, a->next.member + x + 1, (at - x) * sizeof(uint32_t));
    } else {
        memmove(a->next.member + at + 1, a->next.member + at, (x - at) * sizeof(uint32_t));
    }
    a->next.member[at] = seat;
    for (uint32_t p = from + 1; p <= a->processor_count; p++)
        a->next.first[p]--;
    for (uint32_t p = to + 1; p <= a->processor_count; p++)
        a->next.first[p]++;
    return true;
}

static bool make_move(void *context, uint64_t number, int64_t *neighbour)
{
    struct weir_arrangement *a = context;
    uint64_t seats = a->seat_count, places = seats + a->processor_count;
    bool good;
    if (number < seats * seats) {
        uint32_t x = (uint32_t)(number / seats), y = (uint32_t)(number % seats);
        good = x < y && swap(a, x, y);
    } else {
        number -= seats * seats;
        good = insert(a, (uint32_t)(number / places), (uint32_t)(number % places));
    }
    if (good)
        weir_arrangement_write(a, &a->next, neighbour);
    return good;
}

const struct weir_moves weir_arrangement_moves = {count_moves, make_move};
