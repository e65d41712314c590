/* SPDX-License-Identifier: Apache-2.0 */
/*
 * While a chain waits for a worker, all of them are at work on other operators. What they can work on is limited: by what can start
 * before the last operator does, by what is under way when the first one starts, which is on the other workers, and because an
 * operator runs on one worker at a time. What the chain itself takes is part of that work.
 */
#include "base/error.h"
#include "base/number.h"
#include "engine/workers/workers.h"

#include <stdlib.h>

/* An operator, and its work after the start of `from` and before the start of `to`. */
struct load {
    int64_t work;    /* of iterations that start in between, and of the two themselves; WEIR_FAR: no limit is known */
    int64_t carried; /* what may be under way at the start of `from` */
    uint32_t op;
};

struct sharing {
    struct weir_workers_question *q;
    struct load *loads; /* of operators that the workers are short for, the largest first */
    int64_t *work;      /* weights, by operator */
    uint32_t count, workers;
    int64_t lanes;           /* work of all lanes; WEIR_FAR: no limit is known */
    struct weir_ratio worst; /* denominator 0: nothing yet */
    uint32_t apart;          /* ... with so many of the first in U */
};

static bool endless(const struct weir_workers_question *q, uint32_t op)
{
    uint32_t start = q->graph->start_of[op];
    return q->pipeline->operators[op].worst > 0 && (q->past[start] == WEIR_FAR || q->ahead[start] == WEIR_FAR);
}

static struct load load_of(const struct weir_workers_question *q, uint32_t op)
{
    const struct weir_graph *g = q->graph;
    uint32_t start = g->start_of[op];
    int64_t worst = q->pipeline->operators[op].worst;
    struct load load = {.op = op, .work = WEIR_FAR};
    if (endless(q, op))
        return load;
    if (worst == 0) {
        load.work = 0;
        return load;
    }
    int64_t times = q->shift + q->ahead[start] + q->past[start] - 1;
    times = (times > 0 ? times : 0) + (start == q->from) + (op == g->actors[q->to].op);
    if (!weir_multiply(times, worst, &load.work) || load.work >= WEIR_TIME_MAX)
        load.work = WEIR_FAR;
    if (start != q->from && q->over[g->finish_of[op]] > q->past[start])
        load.carried = worst;
    return load;
}

static int larger_first(const void *a, const void *b)
{
    const struct load *x = a, *y = b;
    if (x->work != y->work)
        return (x->work < y->work) - (x->work > y->work);
    return (x->op > y->op) - (x->op < y->op);
}

static int carries_more(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x < y) - (x > y);
}

/* The work of all but the first `apart`: where more is under way at the start than there are other workers, the largest of that.
 * WEIR_FAR: not known. `carried` is room for as many numbers as there are operators. */
static int64_t sum_rest(const struct sharing *s, uint32_t apart, int64_t *carried)
{
    int64_t sum = 0;
    uint32_t count = 0;
    for (uint32_t i = apart; i < s->count; i++) {
        if (s->loads[i].work == WEIR_FAR || !weir_add(sum, s->loads[i].work, &sum) || sum >= WEIR_TIME_MAX)
            return WEIR_FAR;
        carried[count++] = s->loads[i].carried;
    }
    qsort(carried, count, sizeof *carried, carries_more);
    bool outside = s->q->crews->of[s->q->graph->actors[s->q->from].op] != 0; /* `from` has none of the workers */
    for (uint32_t i = 0; i < count && i + !outside < s->workers; i++)
        if (!weir_add(sum, carried[i], &sum) || sum >= WEIR_TIME_MAX)
            return WEIR_FAR;
    return sum;
}

/* Whether operators of the crew can be on a chain. */
static bool is_met(const struct weir_workers_question *q, uint32_t crew)
{
    for (uint32_t op = 0; op < q->pipeline->operator_count; op++)
        if (q->crews->of[op] == crew && q->behind[q->graph->start_of[op]] != WEIR_FAR)
            return true;
    return false;
}

/* The work of a lane: its one thread has one operator under way, if it is not `from` itself. */
static int64_t sum_lane(const struct weir_workers_question *q, uint32_t crew)
{
    int64_t sum = 0, carried = 0;
    for (uint32_t op = 0; op < q->pipeline->operator_count; op++) {
        if (q->crews->of[op] != crew)
            continue;
        struct load load = load_of(q, op);
        if (load.work == WEIR_FAR || !weir_add(sum, load.work, &sum) || sum >= WEIR_TIME_MAX)
            return WEIR_FAR;
        carried = load.carried > carried ? load.carried : carried;
    }
    carried = crew == q->crews->of[q->graph->actors[q->from].op] ? 0 : carried;
    return weir_add(sum, carried, &sum) && sum < WEIR_TIME_MAX ? sum : WEIR_FAR;
}

static int64_t sum_lanes(const struct weir_workers_question *q)
{
    int64_t sum = 0;
    for (uint32_t c = 1; c < q->crews->count; c++) {
        int64_t lane = q->crews->threads[c] && is_met(q, c) ? sum_lane(q, c) : 0;
        if (lane == WEIR_FAR || !weir_add(sum, lane, &sum) || sum >= WEIR_TIME_MAX)
            return WEIR_FAR;
    }
    return sum;
}

/* How often the work of each operator counts on a chain, where the workers are left with so many shares: not at all in lanes. */
static void weigh(const struct sharing *s, uint32_t apart, int64_t shares)
{
    const struct weir_crews *crews = s->q->crews;
    for (uint32_t op = 0; op < s->q->pipeline->operator_count; op++)
        s->work[op] = crews->threads[crews->of[op]] == 0 ? shares : crews->of[op] ? 0 : shares - 1;
    for (uint32_t i = 0; i < apart; i++)
        s->work[s->loads[i].op] = shares;
}

/* The bound that takes the first `apart` operators for always running, on a worker each, and leaves `shares` workers for the work
 * of all others. A bound that cannot be computed is left out. */
static enum weir_status try_bound(struct sharing *s, uint32_t apart, int64_t shares, struct weir_error *error)
{
    int64_t *carried = weir_array(s->count + (size_t)1, sizeof *carried), sequence, bound, lanes;
    if (!carried)
        return weir_fail_memory(error);
    int64_t rest = sum_rest(s, apart, carried);
    weir_free(carried);
    if (rest == WEIR_FAR || s->lanes == WEIR_FAR)
        return WEIR_OK;
    struct weir_workers_weights weights = {.full = shares, .work = s->work};
    weigh(s, apart, shares);
    enum weir_status status = weir_workers_sequence(s->q, &weights, &sequence, error);
    if (!status && !*s->q->why && weir_add(sequence, rest, &bound) && weir_multiply(s->lanes, shares, &lanes) &&
        weir_add(bound, lanes, &bound)) {
        struct weir_ratio worst = weir_ratio_reduce((struct weir_ratio){bound, shares});
        if (!s->worst.denominator || weir_ratio_compare(worst, s->worst) < 0) {
            s->worst = worst;
            s->apart = apart;
            s->q->shares = shares;
        }
    }
    s->q->why[0] = '\0';
    return status;
}

static enum weir_status try_all(struct sharing *s, struct weir_error *error)
{
    struct weir_workers_question *q = s->q;
    uint64_t limit = q->work_limit;
    for (uint32_t op = 0; op < q->pipeline->operator_count && s->workers; op++)
        if (q->crews->of[op] == 0)
            s->loads[s->count++] = load_of(q, op);
    qsort(s->loads, s->count, sizeof *s->loads, larger_first);
    s->lanes = sum_lanes(q);
    q->work_limit /= (uint64_t)s->workers + 1;
    enum weir_status status = try_bound(s, 0, 1, error);
    for (uint32_t apart = 0; apart < s->workers && !status; apart++)
        status = try_bound(s, apart, (int64_t)(s->workers - apart), error);
    q->work_limit = limit;
    return status;
}

static void say_why(struct weir_workers_question *q)
{
    char name[WEIR_QUOTED], lane[WEIR_QUOTED];
    const struct weir_pipeline *p = q->pipeline;
    uint32_t first = 0;
    while (first < p->operator_count && !(endless(q, first) && q->crews->threads[q->crews->of[first]]))
        first++;
    if (first == p->operator_count)
        snprintf(q->why, sizeof q->why,
                 "the work limit was reached, or the work of all operators is longer than can be represented");
    else if (q->crews->of[first])
        snprintf(q->why, sizeof q->why, "nothing that is known limits how often \"%s\" keeps lane \"%s\" busy in the meantime",
                 weir_quote(p->operators[first].name, name), weir_quote(p->operators[first].lane, lane));
    else
        snprintf(q->why, sizeof q->why,
                 "no queue limits how often \"%s\" runs in the meantime, and as many such operators as there are workers (%u) keep "
                 "them all busy",
                 weir_quote(p->operators[first].name, name), p->workers.workers);
}

enum weir_status weir_workers_share(struct weir_workers_question *q, struct weir_ratio *worst, struct weir_error *error)
{
    uint32_t count = (uint32_t)q->pipeline->operator_count, last = q->graph->start_of[q->graph->actors[q->to].op];
    if (q->past[last] + q->shift <= 0)
        return WEIR_OK; /* it has a worker already */
    struct sharing s = {.q = q,
                        .loads = weir_array(count, sizeof *s.loads),
                        .work = weir_array(count, sizeof *s.work),
                        .workers = q->crews->threads[0]};
    enum weir_status status = s.loads && s.work ? try_all(&s, error) : weir_fail_memory(error);
    for (uint32_t i = 0; i < s.apart && !status; i++)
        q->apart[s.loads[i].op] = true;
    weir_free(s.loads);
    weir_free(s.work);
    *worst = s.worst;
    if (!status && !s.worst.denominator)
        say_why(q);
    return status;
}
