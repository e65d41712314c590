/* SPDX-License-Identifier: Apache-2.0 */
/*
 * While a chain waits for a worker, all of them are at work on other operators. What they can work on is limited: by how often each
 * operator can run between the start and the finish, and because an operator runs on one worker at a time.
 */
#include "base/error.h"
#include "base/number.h"
#include "workers/workers.h"

#include <stdlib.h>

static int larger_first(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x < y) - (x > y);
}

/* The work of one operator between the start and the finish; WEIR_FAR: no limit is known. */
static int64_t work_of(const struct weir_workers_question *q, uint32_t op)
{
    int64_t over = q->over[q->graph->finish_of[op]], ahead = q->ahead[q->graph->start_of[op]], work;
    int64_t worst = q->pipeline->operators[op].worst;
    if (worst == 0)
        return 0;
    if (over == WEIR_FAR || ahead == WEIR_FAR)
        return WEIR_FAR;
    int64_t times = q->shift + ahead + over - 1;
    if (times <= 0)
        return 0;
    return weir_multiply(times, worst, &work) && work < WEIR_TIME_MAX ? work : WEIR_FAR;
}

static int64_t divide_up(int64_t a, int64_t b)
{
    return a / b + (a % b != 0);
}

/* The sums of all but the j first, for j = 0, 1 ...; WEIR_FAR where it is not known. */
static void sum_rests(const int64_t *work, uint32_t count, int64_t *rests)
{
    int64_t sum = 0;
    rests[count] = 0;
    for (uint32_t j = count; j-- > 0;) {
        if (sum == WEIR_FAR || work[j] == WEIR_FAR || !weir_add(sum, work[j], &sum) || sum >= WEIR_TIME_MAX)
            sum = WEIR_FAR;
        rests[j] = sum;
    }
}

static void say_crowded(struct weir_workers_question *q)
{
    char name[WEIR_QUOTED];
    const struct weir_pipeline *p = q->pipeline;
    uint32_t first = 0;
    while (first + 1 < p->operator_count && work_of(q, first) != WEIR_FAR)
        first++;
    snprintf(
        q->why, sizeof q->why,
        "no queue limits how often \"%s\" runs in the meantime; as many operators as there are workers (%u) can keep them all busy",
        weir_quote(p->operators[first].name, name), p->workers.workers);
}

enum weir_status weir_workers_queueing(struct weir_workers_question *q, bool idle, int64_t *length, int64_t *queueing,
                                       struct weir_error *error)
{
    uint32_t count = (uint32_t)q->pipeline->operator_count, workers = q->pipeline->workers.workers;
    *queueing = 0;
    if (workers == 0 || workers >= count)
        return WEIR_OK;
    int64_t *work = weir_array(count, sizeof *work), *rests = weir_array((size_t)count + 1, sizeof *rests);
    if (!work || !rests) {
        weir_free(work);
        weir_free(rests);
        return weir_fail_memory(error);
    }
    for (uint32_t op = 0; op < count; op++)
        work[op] = work_of(q, op);
    qsort(work, count, sizeof *work, larger_first);
    sum_rests(work, count, rests);
    int64_t wait = WEIR_FAR;
    for (uint32_t j = 0; j < workers; j++) {
        int64_t rest = rests[j];
        if (rest == WEIR_FAR)
            continue;
        if (j == 0 && !idle) { /* the chain is part of the work */
            *length = *length < rest ? *length : rest;
            rest -= *length;
        }
        int64_t limit = divide_up(rest, (int64_t)(workers - j));
        wait = limit < wait ? limit : wait;
    }
    weir_free(work);
    weir_free(rests);
    if (wait == WEIR_FAR)
        say_crowded(q);
    else
        *queueing = wait;
    return WEIR_OK;
}
