/* SPDX-License-Identifier: Apache-2.0 */
/*
 * While a chain waits for a worker, all of them are at work on other operators. What they can work on is limited: by how often each
 * operator can run between the start and the finish, and because an operator runs on one worker at a time. What the chain itself
 * takes is part of that work.
 */
#include "base/error.h"
#include "base/number.h"
#include "workers/workers.h"

#include <stdlib.h>

/* Whether no queue limits how often it runs between the start and the finish. */
static bool endless(const struct weir_workers_question *q, uint32_t op)
{
    return q->pipeline->operators[op].worst > 0 &&
           (q->over[q->graph->finish_of[op]] == WEIR_FAR || q->ahead[q->graph->start_of[op]] == WEIR_FAR);
}

/* The work of one operator between the start and the finish; WEIR_FAR: no limit is known. */
static int64_t work_of(const struct weir_workers_question *q, uint32_t op)
{
    int64_t over = q->over[q->graph->finish_of[op]], ahead = q->ahead[q->graph->start_of[op]], work;
    int64_t worst = q->pipeline->operators[op].worst;
    if (endless(q, op))
        return WEIR_FAR;
    if (worst == 0)
        return 0;
    int64_t times = q->shift + ahead + over - 1;
    if (times <= 0)
        return 0;
    return weir_multiply(times, worst, &work) && work < WEIR_TIME_MAX ? work : WEIR_FAR;
}

static int64_t divide_up(int64_t a, int64_t b)
{
    return a / b + (a % b != 0);
}

static void say_crowded(struct weir_workers_question *q)
{
    char name[WEIR_QUOTED];
    const struct weir_pipeline *p = q->pipeline;
    uint32_t first = 0;
    while (first < p->operator_count && !endless(q, first))
        first++;
    if (first == p->operator_count)
        snprintf(q->why, sizeof q->why,
                 "the limit of the work was reached, or the work of all operators is longer than can be counted");
    else
        snprintf(q->why, sizeof q->why,
                 "no queue limits how often \"%s\" runs in the meantime, and as many such operators as there are workers (%u) keep "
                 "them all busy",
                 weir_quote(p->operators[first].name, name), p->workers.workers);
}

/* An operator and its work. */
struct load {
    int64_t work;
    uint32_t op;
};

static int larger_first(const void *a, const void *b)
{
    const struct load *x = a, *y = b;
    return x->work != y->work ? (x->work < y->work) - (x->work > y->work) : (x->op > y->op) - (x->op < y->op);
}

/* The work of all but the first; WEIR_FAR where it is not known. */
static int64_t sum_rest(const struct load *loads, uint32_t first, uint32_t count)
{
    int64_t sum = 0;
    for (uint32_t i = first; i < count; i++)
        if (loads[i].work == WEIR_FAR || !weir_add(sum, loads[i].work, &sum) || sum >= WEIR_TIME_MAX)
            return WEIR_FAR;
    return sum;
}

struct sharing {
    struct weir_workers_question *q;
    struct load *loads;
    bool *heavy;
    uint32_t count;
    int64_t worst; /* WEIR_FAR: nothing yet */
};

/* The bound that takes the first `apart` operators for always running, on a worker each, and leaves `shares` workers for the work
 * of all others. A bound that cannot be computed is left out. */
static enum weir_status try_bound(struct sharing *s, uint32_t apart, int64_t shares, struct weir_error *error)
{
    int64_t rest = sum_rest(s->loads, apart, s->count), chain, bound;
    if (rest == WEIR_FAR)
        return WEIR_OK;
    struct weir_workers_weights weights = {.full = shares, .light = shares - 1, .idle = shares, .heavy = s->heavy};
    enum weir_status status = weir_workers_chain(s->q, &weights, &chain, error);
    if (!status && !*s->q->why && weir_add(chain, rest, &bound)) {
        bound = divide_up(bound, shares);
        s->worst = bound < s->worst ? bound : s->worst;
    }
    s->q->why[0] = '\0';
    return status;
}

enum weir_status weir_workers_share(struct weir_workers_question *q, int64_t *worst, struct weir_error *error)
{
    uint32_t count = (uint32_t)q->pipeline->operator_count, workers = q->pipeline->workers.workers;
    uint64_t limit = q->work_limit;
    struct sharing s = {.q = q,
                        .loads = weir_array(count, sizeof *s.loads),
                        .heavy = weir_array_zeroed(count, sizeof *s.heavy),
                        .count = count,
                        .worst = WEIR_FAR};
    enum weir_status status = s.loads && s.heavy ? WEIR_OK : weir_fail_memory(error);
    for (uint32_t op = 0; op < count && !status; op++)
        s.loads[op] = (struct load){work_of(q, op), op};
    if (!status) {
        qsort(s.loads, count, sizeof *s.loads, larger_first);
        q->work_limit /= (uint64_t)workers + 1;
        status = try_bound(&s, 0, 1, error);
    }
    for (uint32_t apart = 0; apart < workers && !status; apart++) {
        status = try_bound(&s, apart, (int64_t)workers - apart, error);
        s.heavy[s.loads[apart].op] = true;
    }
    q->work_limit = limit;
    weir_free(s.loads);
    weir_free(s.heavy);
    *worst = s.worst;
    if (!status && s.worst == WEIR_FAR)
        say_crowded(q);
    return status;
}
