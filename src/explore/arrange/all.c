/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All arrangements: the seats take their places one after the other, and digit s says which of the places open to it seat s takes.
 * How many there are depends on the digits before; every sequence of digits makes another arrangement, and each is made.
 */
#include "explore/arrange/arrange.h"

#include <string.h>

static bool may_sit(const struct weir_arrangement *a, uint32_t seat, uint32_t where)
{
    return a->seats[seat].home == where || (a->seats[seat].free && a->target[where]);
}

/* Seats `seat` at the place of that number among those open to it in a->next; returns how many there were. */
static uint32_t sit_down(struct weir_arrangement *a, uint32_t seat, uint32_t digit)
{
    struct weir_lists *lists = &a->next;
    uint32_t open = 0;
    bool seated = false;
    for (uint32_t where = 0; where < a->processor_count; where++) {
        uint32_t places = lists->first[where + 1] - lists->first[where] + 1;
        if (!may_sit(a, seat, where))
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
    uint32_t *digits = a->now.member; /* nobody needs these lists now */
    uint64_t count = 1;
    if (!few(a, limit))
        return limit + 1;
    memset(digits, 0, a->seat_count * sizeof *digits);
    while (count <= limit && weir_arrangement_next(a, digits))
        count++;
    return count;
}
