/* SPDX-License-Identifier: Apache-2.0 */
#include "check/priority/refute.h"

#include "base/number.h"

#include <string.h>

#define RAISES 3                      /* how often it is tried with more messages in a queue that is full */
#define WORK_MOST (UINT64_C(1) << 22) /* for one case of a certificate */

/* A queue that fills up, as long as it has room: with `value` free slots, `value + step`, `value + 2 step`, ... it is full some
 * rounds later, but otherwise in the same way, if its consumer never waits for its messages from then on. So `step` numbers from
 * `base` on stand for all. */
struct weir_refuter_pin {
    size_t edge;
    int64_t base, value, step;
    int raises;
};

bool weir_refuter_open(struct weir_refuter *r, const struct weir_taskset *set, struct weir_refuted *claims, size_t count)
{
    *r = (struct weir_refuter){.claims = claims, .claim_count = count, .case_count = 1};
    if (!weir_execution_open(&r->execution, set))
        return false;
    struct weir_arena *a = &r->execution.arena;
    r->need = weir_arena_array(a, set->edge_count, sizeof *r->need);
    r->before = weir_arena_array(a, set->task_count, 1);
    r->behind = weir_arena_array(a, set->task_count, 1);
    r->pins = weir_arena_array(a, set->edge_count, sizeof *r->pins);
    if (a->failed || !weir_reserve(&r->cases, &r->case_capacity, set->edge_count, sizeof *r->cases))
        return false;
    for (size_t k = 0; k < set->edge_count; k++)
        r->cases[k] = set->edges[k].room == WEIR_AUTO ? WEIR_UNBOUNDED : set->edges[k].room;
    for (size_t k = 0; k < count; k++)
        claims[k].unbounded = true;
    return true;
}

void weir_refuter_close(struct weir_refuter *r)
{
    weir_free(r->cases);
    weir_execution_close(&r->execution);
}

/* ---- what an execution says of the claims ---- */

/* Marks the tasks that are reached from one that is marked, over all queues but one; with `back`, against them. */
static void spread(const struct weir_taskset *set, uint8_t *marked, bool back, size_t but)
{
    for (bool moved = true; moved;) {
        moved = false;
        for (size_t k = 0; k < set->edge_count; k++) {
            const struct weir_task_edge *e = &set->edges[k];
            if (e->from == WEIR_FROM_SOURCE || k == but)
                continue;
            uint32_t at = back ? e->to : e->from, next = back ? e->from : e->to;
            if (!marked[at] || marked[next])
                continue;
            marked[next] = 1;
            moved = true;
        }
    }
}

/* A message is lost: on the way from those before the queue to those behind it, if there is no other way. */
static bool is_cut(struct weir_refuter *r, const struct weir_refuted *claim)
{
    const struct weir_taskset *set = r->execution.set;
    const struct weir_task_edge *e = &set->edges[r->execution.edge];
    memset(r->before, 0, set->task_count);
    memset(r->behind, 0, set->task_count);
    r->before[e->from] = r->behind[e->to] = 1;
    spread(set, r->before, true, r->execution.edge);
    spread(set, r->behind, false, r->execution.edge);
    if (!r->before[claim->from] || !r->behind[claim->to])
        return false;
    memset(r->behind, 0, set->task_count);
    r->behind[claim->from] = 1;
    spread(set, r->behind, false, r->execution.edge);
    return !r->behind[claim->to];
}

static void take_in(struct weir_refuter *r, enum weir_execution_end end)
{
    const struct weir_played_execution *x = &r->execution;
    for (size_t k = 0; k < r->claim_count; k++) {
        struct weir_refuted *c = &r->claims[k];
        if (!c->pending)
            continue;
        if (end == WEIR_EXECUTION_LOSES)
            c->pending = is_cut(r, c);
        else if (x->alone)
            c->pending = c->fed && x->behind[c->to] > 0;
        else
            c->pending = x->behind[c->to] > (c->fed ? 0 : x->behind[c->from]);
    }
    for (size_t k = 0; k < x->set->edge_count; k++)
        if (x->set->edges[k].room == WEIR_AUTO && x->room[k] == WEIR_UNBOUNDED && x->places[k] > r->need[k])
            r->need[k] = x->places[k];
    if (r->shown != WEIR_EXECUTION_OPEN)
        return;
    r->shown = end;
    r->edge = x->edge;
    r->rounded = x->round - x->marked;
    r->iterations = 0;
    for (uint32_t i = 0; i < x->set->task_count && end == WEIR_EXECUTION_GROWS; i++)
        if (x->behind[i] > r->iterations) {
            r->task = i;
            r->iterations = x->behind[i];
        }
}

/* ---- queues that fill up ---- */

static void set_pin(struct weir_refuter *r, const struct weir_refuter_pin *pin)
{
    r->execution.room[pin->edge] = (uint32_t)pin->value;
}

static bool push(struct weir_refuter *r)
{
    struct weir_played_execution *x = &r->execution;
    struct weir_refuter_pin *pin = &r->pins[r->depth];
    if (x->places[x->edge] + (RAISES + 1) * x->step >= WEIR_AUTO)
        return false;
    *pin = (struct weir_refuter_pin){x->edge, x->places[x->edge], x->places[x->edge], x->step, 0};
    x->fed_from[pin->edge] = x->round;
    set_pin(r, pin);
    r->depth++;
    return true;
}

/* The next number of free slots to look at; false when there is none. */
static bool next(struct weir_refuter *r)
{
    struct weir_played_execution *x = &r->execution;
    for (; r->depth > 0; r->depth--) {
        struct weir_refuter_pin *pin = &r->pins[r->depth - 1];
        if (++pin->value < pin->base + pin->step) {
            set_pin(r, pin);
            return true;
        }
        r->need[pin->edge] = pin->base > r->need[pin->edge] ? pin->base : r->need[pin->edge];
        x->room[pin->edge] = WEIR_UNBOUNDED;
        x->fed_from[pin->edge] = INT64_MAX;
    }
    return false;
}

/* The last of the queues that are full, with more in it. */
static bool raise(struct weir_refuter *r)
{
    if (r->depth == 0)
        return false;
    struct weir_refuter_pin *pin = &r->pins[r->depth - 1];
    if (pin->raises++ == RAISES)
        return false;
    pin->value = pin->base += pin->step;
    set_pin(r, pin);
    return true;
}

/* ---- cases ---- */

static bool is_known(const struct weir_refuter *r, const uint32_t *rooms)
{
    size_t edges = r->execution.set->edge_count;
    for (size_t k = 0; k < r->case_count; k++)
        if (memcmp(&r->cases[k * edges], rooms, edges * sizeof *rooms) == 0)
            return true;
    return false;
}

/* Each smaller number of free slots than what the case at hand needs. */
static bool add_cases(struct weir_refuter *r)
{
    const struct weir_taskset *set = r->execution.set;
    size_t edges = set->edge_count;
    uint32_t *rooms = r->execution.room; /* those of the case */
    for (size_t k = 0; k < edges; k++) {
        if (set->edges[k].room != WEIR_AUTO || !set->edges[k].blocking || rooms[k] != WEIR_UNBOUNDED)
            continue;
        for (int64_t room = set->edges[k].initial == 0; room < r->need[k]; room++) {
            rooms[k] = (uint32_t)room;
            if (is_known(r, rooms))
                continue;
            if (r->case_count == WEIR_REFUTE_CASES)
                return false;
            if (!weir_reserve(&r->cases, &r->case_capacity, (r->case_count + 1) * edges, sizeof *r->cases)) {
                r->memory = true;
                return false;
            }
            memcpy(&r->cases[r->case_count++ * edges], rooms, edges * sizeof *rooms);
        }
        rooms[k] = WEIR_UNBOUNDED;
    }
    return true;
}

static void begin(struct weir_refuter *r, uint64_t plan, uint64_t work)
{
    struct weir_played_execution *x = &r->execution;
    size_t edges = x->set->edge_count;
    x->alone = (plan & WEIR_PLAN_ALONE) != 0;
    memcpy(x->room, &r->cases[x->alone ? 0 : r->current * edges], edges * sizeof *x->room);
    for (size_t k = 0; k < edges; k++) {
        x->fed_from[k] = INT64_MAX;
        r->need[k] = 0;
    }
    for (size_t k = 0; k < r->claim_count; k++)
        r->claims[k].pending = r->claims[k].unbounded;
    if (r->current == 0)
        r->shown = WEIR_EXECUTION_OPEN;
    x->plan = plan & ~WEIR_PLAN_ALONE;
    x->work = work;
    r->depth = 0;
}

/* All cases at once: with fewer free slots nothing ends earlier. */
static bool try_alone(struct weir_refuter *r)
{
    const struct weir_played_execution *x = &r->execution;
    bool late = false; /* a task that waits for nothing is ahead of its inputs, and fills the next queue */
    if (weir_execution_play(&r->execution) != WEIR_EXECUTION_GROWS)
        return false;
    for (uint32_t i = 0; i < x->set->task_count; i++)
        late |= x->behind[i] > 0;
    if (!late)
        return false;
    take_in(r, WEIR_EXECUTION_GROWS);
    r->current = r->case_count;
    return true;
}

static bool try_case(struct weir_refuter *r)
{
    struct weir_played_execution *x = &r->execution;
    for (bool more = true; more;) {
        enum weir_execution_end end = weir_execution_play(x);
        if (end == WEIR_EXECUTION_OPEN) {
            more = raise(r);
            if (!more)
                return false;
        } else if (end == WEIR_EXECUTION_FILLS) {
            if (!push(r))
                return false;
        } else {
            take_in(r, end);
            more = next(r);
        }
    }
    if (!add_cases(r))
        return false;
    r->current++;
    return true;
}

bool weir_refuter_try(struct weir_refuter *r, uint64_t plan, uint64_t work)
{
    begin(r, plan, work);
    if (!weir_execution_shows(&r->execution) || (r->execution.alone ? !try_alone(r) : !try_case(r)))
        return false;
    for (size_t k = 0; k < r->claim_count; k++)
        r->claims[k].unbounded = r->claims[k].pending;
    return true;
}

enum weir_status weir_refutation_check(const struct weir_taskset *set, const uint64_t *plans, size_t count,
                                       struct weir_refuted *claims, size_t claim_count, bool *holds)
{
    struct weir_refuter r;
    *holds = false;
    bool memory = !weir_refuter_open(&r, set, claims, claim_count);
    size_t k = 0;
    while (!memory && k < count && !weir_refuter_done(&r) && weir_refuter_try(&r, plans[k], WORK_MOST))
        k++;
    memory = memory || r.memory;
    *holds = !memory && k == count && weir_refuter_done(&r);
    weir_refuter_close(&r);
    return memory ? WEIR_MEMORY : WEIR_OK;
}
