/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Published bounds, written from the papers, to hold weir's against. Nothing here is used by weir.
 *
 * Sporadic tasks with deadlines at the ends of their periods under global EDF:
 *
 * - GFB: Goossens, Funk, Baruah 2003: U <= m - (m - 1) max u, then no deadline is missed;
 * - Baker: Baker 2003, the same by the work that a task can have left when the window of another begins;
 * - RTA: Bertogna, Cirinei 2007: response times, with the slack of those that were found before;
 * - Devi: Devi, Anderson 2005: how much later than its deadline a task ends;
 * - compliant: Erickson, Devi, Baruah 2010, the same, task by task;
 * - Spuri: Spuri 1996: on one core, exact.
 *
 * Chains of tasks on processors with fixed priorities, preemptive:
 *
 * - holistic: Tindell, Clark 1994, with best cases: each task is released with a jitter, which is what the one before it may vary;
 * - offsets: Palencia, Gonzalez Harbour 1998, the approximation with the worst task of each other chain in each window;
 * - choices: the same with every choice of such tasks, a fixed point for each: as tight as any approximation of it;
 * - CPA: Richter, Jersak, Ernst: jitter goes from task to task, and responses add up, from the actual arrival.
 */
#ifndef WEIR_TESTS_PUBLISHED_H
#define WEIR_TESTS_PUBLISHED_H

#include <stdbool.h>
#include <stdint.h>

#define PUBLISHED_ROUND 2520 /* every period of a pool divides it, so that utilisations are whole in parts of it */
#define PUBLISHED_NONE (-1)  /* no bound */

enum { PUBLISHED_TASKS = 16 };

struct published_task {
    int64_t cost, period;
};

struct published_pool {
    struct published_task task[PUBLISHED_TASKS];
    uint32_t count, cores;
};

/* All responses in parts of 1 / PUBLISHED_ROUND, rounded up; PUBLISHED_NONE where the test says nothing. */
void published_gfb(const struct published_pool *pool, int64_t *response);
void published_baker(const struct published_pool *pool, int64_t *response);
void published_rta(const struct published_pool *pool, int64_t *response);
void published_devi(const struct published_pool *pool, int64_t *response);
void published_compliant(const struct published_pool *pool, int64_t *response);
void published_spuri(const struct published_pool *pool, int64_t *response);
int64_t published_load(const struct published_pool *pool); /* in parts of PUBLISHED_ROUND */
/* The longest responses when all tasks are released together, and as often as they can be: not in parts. */
void published_play(const struct published_pool *pool, int64_t *response);

struct published_step {
    int64_t best, worst;
    uint32_t chain, processor;
    int32_t priority; /* larger is more urgent; no two are the same */
};

struct published_chains {
    struct published_step step[PUBLISHED_TASKS]; /* chain by chain, in their order */
    uint32_t count, chains;
    int64_t period[PUBLISHED_TASKS], jitter[PUBLISHED_TASKS]; /* by chain */
};

/* By step: its end after the nominal arrival of the chain's input, or, CPA, after the actual one. */
void published_holistic(const struct published_chains *c, int64_t *end);
void published_offsets(const struct published_chains *c, int64_t *end);
void published_choices(const struct published_chains *c, int64_t *end);
void published_cpa(const struct published_chains *c, int64_t *end);

#endif
