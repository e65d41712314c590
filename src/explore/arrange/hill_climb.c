/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Neighbours are looked at list by list, in an order that changes with every step; the best of a list is taken as soon as it is
 * better than where the climb stands. To look at all neighbours before each step would cost many times more.
 */
#include "explore/arrange/hill_climb.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/number.h"

#include <string.h>

void weir_best_offer(struct weir_best *best, const int64_t *point, size_t width, const struct weir_score *score)
{
    if (best->any && weir_score_compare(score, &best->score) >= 0)
        return;
    memcpy(best->point, point, width * sizeof *point);
    best->score = *score;
    best->any = true;
}

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
    struct weir_score scores[WEIR_TEAM_LIST];
    struct order order = shuffle(&climb->random, climb->moves->count(climb->context, point));
    uint64_t begun = weir_team_evaluations(climb->team);
    *better = false;
    while (order.left && !*better && !weir_team_stopped(climb->team) &&
           weir_team_evaluations(climb->team) - begun < climb->patience) {
        size_t count = 0, done, best = 0;
        while (order.left && count < WEIR_TEAM_LIST)
            count += climb->moves->make(climb->context, draw(&order), list + count * climb->width);
        enum weir_status status = weir_team_evaluate(climb->team, list, count, scores, &done, error);
        if (status)
            return status;
        for (size_t i = 1; i < done; i++)
            if (weir_score_compare(&scores[i], &scores[best]) < 0)
                best = i;
        if (done && weir_score_compare(&scores[best], score) < 0) {
            memcpy(point, list + best * climb->width, climb->width * sizeof *point);
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
    size_t done;
    enum weir_status status = weir_team_evaluate(climb->team, point, 1, &score, &done, error);
    if (status || !done)
        return status;
    weir_best_offer(best, point, climb->width, &score);
    climb->list = weir_array((size_t)WEIR_TEAM_LIST * climb->width, sizeof *climb->list);
    if (!climb->list)
        return weir_fail_memory(error);
    for (bool better = true; better && !status;) {
        status = step(climb, point, &score, &better, error);
        if (better)
            weir_best_offer(best, point, climb->width, &score);
    }
    weir_free(climb->list);
    climb->list = NULL;
    return status;
}
