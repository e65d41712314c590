/* SPDX-License-Identifier: Apache-2.0 */
#include "support/oracle/published.h"

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t load_of(const struct published_task *t)
{
    return t->cost * (PUBLISHED_ROUND / t->period);
}

int64_t published_load(const struct published_pool *p)
{
    int64_t load = 0;
    for (uint32_t i = 0; i < p->count; i++)
        load += load_of(&p->task[i]);
    return load;
}

static void none(const struct published_pool *p, int64_t *response)
{
    for (uint32_t i = 0; i < p->count; i++)
        response[i] = PUBLISHED_NONE;
}

void published_gfb(const struct published_pool *p, int64_t *response)
{
    int64_t most = 0, cores = p->cores;
    for (uint32_t i = 0; i < p->count; i++)
        most = load_of(&p->task[i]) > most ? load_of(&p->task[i]) : most;
    none(p, response);
    for (uint32_t i = 0; i < p->count && published_load(p) <= cores * PUBLISHED_ROUND - (cores - 1) * most; i++)
        response[i] = p->task[i].period * PUBLISHED_ROUND;
}

/* ---- Bertogna and Cirinei ---- */

/* Here all times are in parts of 1 / PUBLISHED_ROUND: the paper's clock ticks, and rounds down to its ticks, but times need not be
 * whole. */
static struct published_pool finer(const struct published_pool *p)
{
    struct published_pool fine = *p;
    for (uint32_t i = 0; i < p->count; i++) {
        fine.task[i].cost *= PUBLISHED_ROUND;
        fine.task[i].period *= PUBLISHED_ROUND;
    }
    return fine;
}

/* What task i executes at most in a window of this length, and, of that, with deadlines that go before the one of k. */
static int64_t interference(const struct published_pool *p, const int64_t *slack, uint32_t i, uint32_t k, int64_t length)
{
    const struct published_task *t = &p->task[i];
    int64_t span = length + t->period - t->cost - slack[i], jobs = span / t->period;
    int64_t any = jobs * t->cost + least(t->cost, span - jobs * t->period);
    int64_t deadline = p->task[k].period, rest = deadline % t->period - slack[i];
    int64_t before = deadline / t->period * t->cost + (rest > 0 ? least(t->cost, rest) : 0);
    return least(any, before);
}

/* The response of k, or PUBLISHED_NONE where it is beyond its deadline. */
static int64_t respond(const struct published_pool *p, const int64_t *slack, uint32_t k)
{
    int64_t response = p->task[k].cost;
    for (;;) {
        int64_t sum = 0;
        for (uint32_t i = 0; i < p->count; i++)
            if (i != k)
                sum += least(interference(p, slack, i, k, response), response - p->task[k].cost + 1);
        int64_t next = p->task[k].cost + sum / p->cores;
        if (next <= response)
            return response;
        response = next;
        if (response > p->task[k].period)
            return PUBLISHED_NONE;
    }
}

void published_rta(const struct published_pool *coarse, int64_t *response)
{
    struct published_pool fine = finer(coarse);
    const struct published_pool *p = &fine;
    int64_t slack[PUBLISHED_TASKS] = {0};
    for (bool moved = true; moved;) {
        moved = false;
        for (uint32_t k = 0; k < p->count; k++) {
            response[k] = respond(p, slack, k);
            if (response[k] == PUBLISHED_NONE || p->task[k].period - response[k] <= slack[k])
                continue;
            slack[k] = p->task[k].period - response[k];
            moved = true;
        }
    }
    bool all = true;
    for (uint32_t k = 0; k < p->count; k++)
        all = all && response[k] != PUBLISHED_NONE;
    for (uint32_t k = 0; k < p->count; k++)
        response[k] = all ? response[k] : PUBLISHED_NONE;
}

/* ---- Devi and Anderson ---- */

/* The sum of the `count` largest. */
static int64_t largest(const int64_t *values, uint32_t n, int64_t count)
{
    bool taken[PUBLISHED_TASKS] = {false};
    int64_t sum = 0;
    for (; count > 0; count--) {
        uint32_t best = n;
        for (uint32_t i = 0; i < n; i++)
            if (!taken[i] && (best == n || values[i] > values[best]))
                best = i;
        if (best == n)
            break;
        taken[best] = true;
        sum += values[best];
    }
    return sum;
}

void published_devi(const struct published_pool *p, int64_t *response)
{
    int64_t costs[PUBLISHED_TASKS], loads[PUBLISHED_TASKS], smallest = INT64_MAX, load = published_load(p);
    int64_t full = (load + PUBLISHED_ROUND - 1) / PUBLISHED_ROUND - 1; /* ceil(U) - 1 */
    for (uint32_t i = 0; i < p->count; i++) {
        costs[i] = p->task[i].cost;
        loads[i] = load_of(&p->task[i]);
        smallest = least(smallest, costs[i]);
    }
    none(p, response);
    if (load > (int64_t)p->cores * PUBLISHED_ROUND)
        return;
    int64_t over = largest(costs, p->count, full) - smallest;
    int64_t left = (int64_t)p->cores * PUBLISHED_ROUND - largest(loads, p->count, full - 1), x = 0;
    if (full > 0 && over > 0)
        x = (over * PUBLISHED_ROUND * PUBLISHED_ROUND + left - 1) / left;
    for (uint32_t i = 0; i < p->count; i++)
        response[i] = p->cores == 1 ? p->task[i].period * PUBLISHED_ROUND : (p->task[i].period + costs[i]) * PUBLISHED_ROUND + x;
}

/* ---- Spuri ---- */

static int64_t up(int64_t a, int64_t b)
{
    return a > 0 ? (a + b - 1) / b : 0;
}

/* The end of the busy period in which the execution of k that is released at `a` ends last. */
static int64_t busy_until(const struct published_pool *p, uint32_t k, int64_t a)
{
    int64_t deadline = a + p->task[k].period, own = (1 + a / p->task[k].period) * p->task[k].cost;
    for (int64_t length = own;;) {
        int64_t next = own;
        for (uint32_t i = 0; i < p->count; i++) {
            const struct published_task *t = &p->task[i];
            if (i != k && t->period <= deadline)
                next += least(up(length, t->period), 1 + (deadline - t->period) / t->period) * t->cost;
        }
        if (next <= length)
            return length;
        length = next;
    }
}

void published_spuri(const struct published_pool *p, int64_t *response)
{
    none(p, response);
    if (p->cores != 1 || published_load(p) > PUBLISHED_ROUND)
        return;
    for (uint32_t k = 0; k < p->count; k++) {
        int64_t most = p->task[k].cost;
        for (int64_t a = 0; a < PUBLISHED_ROUND; a++) {
            int64_t end = busy_until(p, k, a) - a;
            most = end > most ? end : most;
        }
        response[k] = most * PUBLISHED_ROUND;
    }
}

/* ---- what happens ---- */

void published_play(const struct published_pool *p, int64_t *response)
{
    int64_t left[PUBLISHED_TASKS] = {0}, released[PUBLISHED_TASKS] = {0};
    for (uint32_t i = 0; i < p->count; i++)
        response[i] = 0;
    for (int64_t now = 0; now < 2 * PUBLISHED_ROUND; now++) {
        bool running[PUBLISHED_TASKS] = {false};
        for (uint32_t i = 0; i < p->count; i++)
            if (left[i] == 0 && released[i] <= now)
                left[i] = p->task[i].cost;
        for (uint32_t core = 0; core < p->cores; core++) {
            uint32_t first = p->count;
            for (uint32_t i = 0; i < p->count; i++)
                if (left[i] > 0 && !running[i] &&
                    (first == p->count || released[i] + p->task[i].period < released[first] + p->task[first].period))
                    first = i;
            if (first == p->count)
                break;
            running[first] = true;
        }
        for (uint32_t i = 0; i < p->count; i++)
            if (running[i] && --left[i] == 0) {
                response[i] = now + 1 - released[i] > response[i] ? now + 1 - released[i] : response[i];
                released[i] += p->task[i].period;
            }
    }
}
