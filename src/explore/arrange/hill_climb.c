/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hill climbing: from a point to a better neighbour, as long as there is one. Neighbours are looked at list by list, in an order
 * that changes with every step; the best of a list is taken as soon as it is better than where the climb stands. To look at all
 * neighbours before each step would cost many times more.
 *
 * The neighbours of an arrangement, by number: first the swaps of two seats, then for each seat every place in every list. A swap
 * between processors exchanges both; an insertion into another list is a move.
 */
#include "explore/arrange/arrange.h"

#include "base/number.h"

#include <string.h>

/* ---- neighbours ---- */

uint64_t weir_arrangement_moves(struct weir_arrangement *a, const int64_t *point)
{
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

bool weir_arrangement_move(struct weir_arrangement *a, uint64_t number, int64_t *neighbour)
{
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

/* ---- climbing ---- */

/* All numbers below count, each once: every stride-th, from anywhere. */
struct order {
    uint64_t count, at, stride, left;
};

static struct order shuffle(struct weir_random *random, uint64_t count)
{
    struct order order = {.count = count, .stride = 1, .left = count};
    if (count > 1) {
        order.at = weir_random_next(random) % count;
        do
            order.stride = 1 + weir_random_next(random) % (count - 1);
        while (weir_wide_divisor(order.stride, count) != 1);
    }
    return order;
}

static uint64_t draw(struct order *order)
{
    uint64_t number = order->at;
    order->at = order->at >= order->count - order->stride ? order->at - (order->count - order->stride) : order->at + order->stride;
    order->left--;
    return number;
}

/* One step: true, and the point moved, when a better neighbour was found. */
static enum weir_status step(struct weir_hill_climb *climb, int64_t *point, struct weir_score *score, bool *better,
                             struct weir_error *error)
{
    int64_t *list = climb->list;
    size_t width = climb->arrangement->space.count;
    struct weir_score scores[WEIR_SCORER_LIST];
    struct order order = shuffle(&climb->random, weir_arrangement_moves(climb->arrangement, point));
    uint64_t begun = climb->scorer->evaluations;
    *better = false;
    while (order.left && !*better && !weir_scorer_stopped(climb->scorer) && climb->scorer->evaluations - begun < climb->patience) {
        size_t count = 0, done, best = 0;
        while (order.left && count < WEIR_SCORER_LIST)
            count += weir_arrangement_move(climb->arrangement, draw(&order), list + count * width);
        enum weir_status status = weir_scorer_score(climb->scorer, list, count, scores, &done, error);
        if (status)
            return status;
        for (size_t i = 1; i < done; i++)
            if (weir_score_compare(&scores[i], &scores[best]) < 0)
                best = i;
        if (done && weir_score_compare(&scores[best], score) < 0) {
            memcpy(point, list + best * width, width * sizeof *point);
            *score = scores[best];
            *better = true;
        }
    }
    return WEIR_OK;
}

enum weir_status weir_hill_climb_run(struct weir_hill_climb *climb, int64_t *point, struct weir_best *best,
                                     struct weir_error *error)
{
    struct weir_score score;
    size_t done, width = climb->arrangement->space.count;
    enum weir_status status = weir_scorer_score(climb->scorer, point, 1, &score, &done, error);
    if (status || !done)
        return status;
    weir_best_offer(best, point, width, &score);
    for (bool better = true; better && !status;) {
        status = step(climb, point, &score, &better, error);
        if (better)
            weir_best_offer(best, point, width, &score);
    }
    return status;
}
