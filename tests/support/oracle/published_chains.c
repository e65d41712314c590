/* SPDX-License-Identifier: Apache-2.0 */
#include "support/oracle/published.h"

enum { LIMIT = 20, ROUNDS = 400 }; /* periods, and rounds over all steps, beyond which there is no bound */

static int64_t up(int64_t a, int64_t b)
{
    return a / b + (a % b > 0);
}

static int64_t down(int64_t a, int64_t b)
{
    return a / b - (a % b < 0);
}

/* The steps of a chain so far: what an analysis knows of each. */
struct known {
    const struct published_chains *c;
    int64_t offset[PUBLISHED_TASKS]; /* its release is no earlier ... */
    int64_t jitter[PUBLISHED_TASKS]; /* ... and at most this much later */
    int64_t end[PUBLISHED_TASKS];
    uint32_t leader[PUBLISHED_TASKS]; /* by chain: the step that its part of a window begins with, and one more; 0: the worst one */
};

static int64_t period_of(const struct known *k, uint32_t i)
{
    return k->c->period[k->c->step[i].chain];
}

static int64_t limit_of(const struct known *k)
{
    int64_t longest = 0;
    for (uint32_t g = 0; g < k->c->chains; g++)
        longest = k->c->period[g] + k->c->jitter[g] > longest ? k->c->period[g] + k->c->jitter[g] : longest;
    return LIMIT * longest;
}

static bool is_first(const struct known *k, uint32_t i)
{
    return i == 0 || k->c->step[i - 1].chain != k->c->step[i].chain;
}

static bool disturbs(const struct known *k, uint32_t j, uint32_t i)
{
    const struct published_step *a = &k->c->step[j], *b = &k->c->step[i];
    return j != i && a->processor == b->processor && a->priority > b->priority;
}

/* ---- a fixed point over all steps ---- */

typedef int64_t (*respond)(const struct known *k, uint32_t i); /* end after the nominal arrival; PUBLISHED_NONE */

static void settle(const struct published_chains *c, respond by, int64_t *end)
{
    struct known k = {.c = c};
    for (uint32_t i = 0; i < c->count; i++) {
        k.offset[i] = is_first(&k, i) ? 0 : k.offset[i - 1] + c->step[i - 1].best;
        k.jitter[i] = is_first(&k, i) ? c->jitter[c->step[i].chain] : 0;
        end[i] = PUBLISHED_NONE;
    }
    int rounds = 0;
    for (bool moved = true; moved; rounds++) {
        moved = false;
        if (rounds == ROUNDS)
            return;
        for (uint32_t i = 0; i < c->count; i++) {
            int64_t late = is_first(&k, i) ? k.jitter[i] : k.end[i - 1] - k.offset[i];
            moved |= late > k.jitter[i];
            k.jitter[i] = late > k.jitter[i] ? late : k.jitter[i];
            int64_t now = by(&k, i);
            if (now == PUBLISHED_NONE || now > limit_of(&k))
                return;
            moved |= now > k.end[i];
            k.end[i] = now > k.end[i] ? now : k.end[i];
        }
    }
    for (uint32_t i = 0; i < c->count; i++)
        end[i] = k.end[i];
}

/* ---- Tindell and Clark ---- */

/* The least time that holds q executions of i and all that others can do in it; PUBLISHED_NONE beyond the limit. */
static int64_t window(const struct known *k, uint32_t i, int64_t q)
{
    for (int64_t w = q * k->c->step[i].worst;;) {
        int64_t next = q * k->c->step[i].worst;
        for (uint32_t j = 0; j < k->c->count; j++)
            if (disturbs(k, j, i))
                next += up(w + k->jitter[j], period_of(k, j)) * k->c->step[j].worst;
        if (w > limit_of(k))
            return PUBLISHED_NONE;
        if (next <= w)
            return w;
        w = next;
    }
}

static int64_t respond_holistic(const struct known *k, uint32_t i)
{
    int64_t most = 0, period = period_of(k, i);
    for (int64_t q = 1;; q++) {
        int64_t w = window(k, i, q);
        if (w == PUBLISHED_NONE)
            return w;
        most = w - (q - 1) * period > most ? w - (q - 1) * period : most;
        if (w <= q * period - k->jitter[i] || w <= q * period)
            return k->offset[i] + k->jitter[i] + most;
    }
}

void published_holistic(const struct published_chains *c, int64_t *end)
{
    settle(c, respond_holistic, end);
}

/* ---- Richter, Jersak and Ernst ---- */

/* Here jitters are those of events between actual arrivals: they grow by what a response can vary. */
void published_cpa(const struct published_chains *c, int64_t *end)
{
    struct known k = {.c = c};
    int64_t response[PUBLISHED_TASKS] = {0};
    for (uint32_t i = 0; i < c->count; i++)
        end[i] = PUBLISHED_NONE;
    int rounds = 0;
    for (bool moved = true; moved; rounds++) {
        moved = false;
        if (rounds == ROUNDS)
            return;
        for (uint32_t i = 0; i < c->count; i++) {
            int64_t jitter = c->jitter[c->step[i].chain], period = period_of(&k, i), most = 0;
            if (!is_first(&k, i))
                jitter = k.jitter[i - 1] + response[i - 1] - c->step[i - 1].best;
            moved |= jitter > k.jitter[i];
            k.jitter[i] = jitter > k.jitter[i] ? jitter : k.jitter[i];
            for (int64_t q = 1, w = 0; q == 1 || (q - 1) * period - k.jitter[i] < w; q++) {
                w = window(&k, i, q);
                if (w == PUBLISHED_NONE || k.jitter[i] > limit_of(&k))
                    return;
                int64_t apart = (q - 1) * period - k.jitter[i];
                most = w - (apart > 0 ? apart : 0) > most ? w - (apart > 0 ? apart : 0) : most;
            }
            moved |= most > response[i];
            response[i] = most > response[i] ? most : response[i];
        }
    }
    for (uint32_t i = 0; i < c->count; i++)
        end[i] = response[i] + (is_first(&k, i) ? 0 : end[i - 1]);
}

/* ---- Palencia and Gonzalez Harbour ---- */

/* When j is released first, after a busy period began with the latest release of `first` of the same chain. */
static int64_t phase(const struct known *k, uint32_t first, uint32_t j)
{
    int64_t period = period_of(k, j), ahead = k->offset[first] + k->jitter[first] - k->offset[j];
    return period - (ahead - down(ahead, period) * period);
}

/* What the steps of a chain that disturb i ask of a window that begins with `first`. */
static int64_t led(const struct known *k, uint32_t i, uint32_t first, int64_t w)
{
    int64_t sum = 0, period = period_of(k, first);
    for (uint32_t j = 0; j < k->c->count; j++) {
        if (k->c->step[j].chain != k->c->step[first].chain || !disturbs(k, j, i))
            continue;
        int64_t from = phase(k, first, j), times = down(k->jitter[j] + from, period) + up(w - from, period);
        sum += times > 0 ? times * k->c->step[j].worst : 0;
    }
    return sum;
}

/* ... of all other chains, each beginning with its leader, or the worst of its steps. */
static int64_t others(const struct known *k, uint32_t i, int64_t w)
{
    int64_t most[PUBLISHED_TASKS] = {0}, sum = 0;
    for (uint32_t j = 0; j < k->c->count; j++) {
        uint32_t g = k->c->step[j].chain;
        if (g == k->c->step[i].chain || !disturbs(k, j, i) || (k->leader[g] && k->leader[g] != j + 1))
            continue;
        int64_t one = led(k, i, j, w);
        most[g] = one > most[g] ? one : most[g];
    }
    for (uint32_t g = 0; g < k->c->chains; g++)
        sum += most[g];
    return sum;
}

/* The busy period that begins with `first`: the latest end of an execution of i in it. */
static int64_t respond_led(const struct known *k, uint32_t i, uint32_t first)
{
    int64_t period = period_of(k, i), from = phase(k, first, i), worst = k->c->step[i].worst, most = 0;
    int64_t p0 = 1 - down(k->jitter[i] + from, period);
    int64_t w = worst;
    for (int64_t p = p0;; p++) {
        for (;;) {
            int64_t next = (p - p0 + 1) * worst + led(k, i, first, w) + others(k, i, w);
            if (next <= w || w > limit_of(k))
                break;
            w = next;
        }
        if (w > limit_of(k))
            return PUBLISHED_NONE;
        int64_t end = w - from - (p - 1) * period + k->offset[i];
        most = end > most ? end : most;
        if (w <= from + p * period) /* the next one is released when the busy period is over */
            return most;
        w += worst;
    }
}

static int64_t respond_offsets(const struct known *k, uint32_t i)
{
    int64_t most = respond_led(k, i, i);
    for (uint32_t j = 0; j < k->c->count && most != PUBLISHED_NONE; j++) {
        if (k->c->step[j].chain != k->c->step[i].chain || !disturbs(k, j, i))
            continue;
        int64_t one = respond_led(k, i, j);
        most = one == PUBLISHED_NONE || one > most ? one : most;
    }
    return most;
}

void published_offsets(const struct published_chains *c, int64_t *end)
{
    settle(c, respond_offsets, end);
}

/* The next choice of leaders of the other chains; false behind the last. */
static bool next_leaders(struct known *k, uint32_t i)
{
    for (uint32_t g = 0; g < k->c->chains; g++) {
        uint32_t j = k->leader[g];
        while (j < k->c->count && (k->c->step[j].chain != g || !disturbs(k, j, i)))
            j++;
        k->leader[g] = g == k->c->step[i].chain || j == k->c->count ? 0 : j + 1;
        if (k->leader[g])
            return true;
    }
    return false;
}

static int64_t respond_choices(const struct known *known, uint32_t i)
{
    struct known k = *known;
    int64_t most = 0;
    for (uint32_t g = 0; g < k.c->chains; g++) /* all chains begin with their first choice, if there is one */
        for (uint32_t j = k.c->count; j-- > 0;)
            if (g != k.c->step[i].chain && k.c->step[j].chain == g && disturbs(&k, j, i))
                k.leader[g] = j + 1;
    uint32_t begin[PUBLISHED_TASKS];
    for (uint32_t g = 0; g < k.c->chains; g++)
        begin[g] = k.leader[g];
    do {
        for (uint32_t g = 0; g < k.c->chains; g++)
            k.leader[g] = k.leader[g] ? k.leader[g] : begin[g];
        int64_t one = respond_offsets(&k, i);
        if (one == PUBLISHED_NONE)
            return one;
        most = one > most ? one : most;
    } while (next_leaders(&k, i));
    return most;
}

void published_choices(const struct published_chains *c, int64_t *end)
{
    settle(c, respond_choices, end);
}
