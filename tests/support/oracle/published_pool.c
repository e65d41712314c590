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

/* No deadline is missed, or nothing is said. */
static void at_deadlines(const struct published_pool *p, bool met, int64_t *response)
{
    for (uint32_t i = 0; i < p->count; i++)
        response[i] = met ? p->task[i].period * PUBLISHED_ROUND : PUBLISHED_NONE;
}

static int64_t largest_load(const struct published_pool *p)
{
    int64_t most = 0;
    for (uint32_t i = 0; i < p->count; i++)
        most = load_of(&p->task[i]) > most ? load_of(&p->task[i]) : most;
    return most;
}

void published_gfb(const struct published_pool *p, int64_t *response)
{
    int64_t cores = p->cores;
    at_deadlines(p, published_load(p) <= cores * PUBLISHED_ROUND - (cores - 1) * largest_load(p), response);
}

/* ---- Baker ---- */

/* For each k, with its load for lambda: sum of min(1, beta_i) <= m (1 - lambda) + lambda, where beta_i is the load of i and, if
 * that is larger than lambda, (cost - lambda period) / deadline of k. In parts of 1 / (PUBLISHED_ROUND period of k). */
static bool baker_holds(const struct published_pool *p, uint32_t k)
{
    int64_t lambda = load_of(&p->task[k]), deadline = p->task[k].period, one = PUBLISHED_ROUND * deadline, sum = 0;
    for (uint32_t i = 0; i < p->count; i++) {
        const struct published_task *t = &p->task[i];
        int64_t carried = t->cost * PUBLISHED_ROUND - lambda * t->period;
        sum += least(one, load_of(t) * deadline + (carried > 0 ? carried : 0));
    }
    return sum <= p->cores * (one - lambda * deadline) + lambda * deadline;
}

void published_baker(const struct published_pool *p, int64_t *response)
{
    bool met = true;
    for (uint32_t k = 0; k < p->count; k++)
        met = met && baker_holds(p, k);
    at_deadlines(p, met, response);
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

/* What task i executes at most in a window of this length. */
static int64_t interference(const struct published_pool *p, const int64_t *slack, uint32_t i, int64_t length)
{
    const struct published_task *t = &p->task[i];
    int64_t span = length + t->period - t->cost - slack[i], jobs = span / t->period;
    return jobs * t->cost + least(t->cost, span - jobs * t->period);
}

/* ... with deadlines that go before the one of k, however long the window is. */
static int64_t interference_before(const struct published_pool *p, const int64_t *slack, uint32_t i, uint32_t k)
{
    const struct published_task *t = &p->task[i];
    int64_t deadline = p->task[k].period, rest = deadline % t->period - slack[i];
    return deadline / t->period * t->cost + (rest > 0 ? least(t->cost, rest) : 0);
}

/* The response of k, or PUBLISHED_NONE where it is beyond its deadline. */
static int64_t respond(const struct published_pool *p, const int64_t *slack, uint32_t k)
{
    int64_t response = p->task[k].cost, before[PUBLISHED_TASKS];
    for (uint32_t i = 0; i < p->count; i++)
        before[i] = interference_before(p, slack, i, k);
    for (;;) {
        int64_t sum = 0;
        for (uint32_t i = 0; i < p->count; i++)
            if (i != k)
                sum += least(least(interference(p, slack, i, response), before[i]), response - p->task[k].cost + 1);
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

/* ---- compliant vectors ---- */

/* m s less the m - 1 largest of cost + load max(0, s - cost / m), which grows with s; s in parts of 1 / PUBLISHED_ROUND, the result
 * in parts of 1 / (m PUBLISHED_ROUND^2). */
static int64_t beyond(const struct published_pool *p, int64_t s)
{
    int64_t terms[PUBLISHED_TASKS], cores = p->cores;
    for (uint32_t i = 0; i < p->count; i++) {
        int64_t late = cores * s - p->task[i].cost * PUBLISHED_ROUND;
        terms[i] = cores * p->task[i].cost * PUBLISHED_ROUND * PUBLISHED_ROUND + load_of(&p->task[i]) * (late > 0 ? late : 0);
    }
    return cores * cores * s * PUBLISHED_ROUND - largest(terms, p->count, cores - 1);
}

void published_compliant(const struct published_pool *p, int64_t *response)
{
    int64_t low = 0, high = PUBLISHED_ROUND, cores = p->cores;
    none(p, response);
    if (published_load(p) > cores * PUBLISHED_ROUND)
        return;
    while (beyond(p, high) < 0)
        high *= 2;
    while (low < high) { /* the least s that is enough */
        int64_t middle = low + (high - low) / 2;
        if (beyond(p, middle) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    for (uint32_t i = 0; i < p->count; i++) {
        int64_t late = high - p->task[i].cost * PUBLISHED_ROUND / cores;
        response[i] = (p->task[i].period + p->task[i].cost) * PUBLISHED_ROUND + (late > 0 ? late : 0);
    }
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
