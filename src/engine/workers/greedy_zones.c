/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The greedy scheduler with periods (docs/concepts/workers.md, section 8): its rounds, one by one, with all times that each can
 * have.
 *
 * What is in the queues decides who is ready, and clocks whether its period has passed: one for each source, one that was set at
 * the beginning of the round, and one that was set when the execution of `from` that is followed began. Of what is in a queue it is
 * known which messages are of that execution. A round is divided where a period may have passed or not. A round that begins with
 * what another began with, at times that are among those of the other, is looked at no further.
 */
#include "base/error.h"
#include "base/number.h"
#include "engine/workers/workers.h"
#include "engine/workers/zones.h"
#include "model/dispatch.h"
#include "model/firings.h"

#include <string.h>

enum {
    QUEUES_MAX = 32,
    HELD_MAX = 32,
    SOURCES_MAX = WEIR_ZONE_CLOCKS - 3,
    ROUNDS_MAX = 600,
    STEPS_MAX = 8000,
    TICKS_MAX = 16,
    TICKS_BEHIND = 4
};

struct held {
    uint32_t count, ours; /* messages, the oldest is bit 0; those that are of the execution that is followed */
};

struct moment {
    struct held queues[QUEUES_MAX];
    struct weir_zone zone;
    uint32_t place; /* in the order: who is looked at next */
    bool follows, executed;
};

struct list {
    struct moment *items;
    size_t count, capacity;
};

struct play {
    const struct weir_pipeline *pipeline;
    uint32_t *order;
    uint32_t line_of[QUEUES_MAX];            /* by queue: the first that leads to its port */
    int *clock_of;                           /* by operator: of its source, or 0 */
    const struct weir_source_spec **sources; /* by operator */
    int source_count, age, round;            /* clocks */
    int now;                                 /* the clock that the scheduler reads: the round, or 0 */
    uint32_t from;
    struct list todo, seen;
    struct weir_map index;
    struct weir_greedy_ages *ages; /* by operator */
    uint64_t steps;
    bool stalls; /* sources may start later than they could */
    bool lost;   /* nothing can be said */
};

static bool keep(struct list *list, const struct moment *m)
{
    if (!weir_reserve(&list->items, &list->capacity, list->count + 1, sizeof *list->items))
        return false;
    list->items[list->count++] = *m;
    return true;
}

/* ---- who can be executed ---- */

static bool is_limited(const struct weir_queue_spec *q)
{
    return !q->latest && !q->nonblocking && q->capacity != WEIR_UNBOUNDED;
}

static bool has_all(const struct play *p, const struct moment *m, uint32_t op)
{
    for (uint32_t i = 0; i < p->pipeline->queue_count; i++) {
        const struct weir_queue_spec *q = &p->pipeline->queues[i];
        const struct held *held = &m->queues[p->line_of[i]];
        if (q->to.index == op && (weir_queue_waits(q) || q->port) && held->count < weir_queue_batch(q))
            return false;
        if (q->from.index == op && is_limited(q) && held->count >= q->capacity)
            return false;
    }
    return true;
}

/* ---- an execution ---- */

static bool take(const struct play *p, struct moment *m, uint32_t op)
{
    bool ours = false;
    for (uint32_t i = 0; i < p->pipeline->queue_count; i++) {
        const struct weir_queue_spec *q = &p->pipeline->queues[i];
        struct held *held = &m->queues[i];
        if (q->to.index != op || p->line_of[i] != i || held->count == 0)
            continue;
        uint64_t taken = (UINT64_C(1) << weir_queue_batch(q)) - 1;
        ours |= (held->ours & taken) != 0;
        if (q->latest)
            continue;
        held->count -= weir_queue_batch(q);
        held->ours = (uint32_t)((uint64_t)held->ours >> weir_queue_batch(q));
    }
    return ours;
}

/* False: the application ends, or more is in a queue than can be followed. */
static bool give(struct play *p, struct moment *m, uint32_t op, bool ours)
{
    for (uint32_t i = 0; i < p->pipeline->queue_count; i++) {
        const struct weir_queue_spec *q = &p->pipeline->queues[i];
        struct held *held = &m->queues[p->line_of[i]];
        if (q->from.index != op)
            continue;
        bool full = q->full != WEIR_FULL_NEVER && held->count > 0 && held->count == q->capacity;
        if (q->latest)
            *held = (struct held){0};
        if (full && q->full == WEIR_FULL_FAULT)
            return false;
        if (full && q->full == WEIR_FULL_REJECT)
            continue;
        if (full)
            *held = (struct held){held->count - 1, held->ours >> 1};
        p->lost |= held->count >= HELD_MAX;
        if (p->lost)
            return false;
        held->ours |= (uint32_t)ours << held->count++;
    }
    return true;
}

static bool is_left(const struct play *p, const struct moment *m)
{
    for (uint32_t i = 0; i < p->pipeline->queue_count; i++)
        if (m->queues[i].ours)
            return true;
    return false;
}

static void note(struct play *p, uint32_t op, const struct weir_zone *zone)
{
    struct weir_greedy_ages *ages = &p->ages[op];
    int64_t most = zone->most[p->age][0], least = -zone->most[0][p->age];
    p->lost |= most >= WEIR_ZONE_FAR;
    ages->worst = ages->any && ages->worst > most ? ages->worst : most;
    ages->best = ages->any && ages->best < least ? ages->best : least;
    ages->any = true;
}

/* From the start on; `tagged`: it is the execution that is followed. What was followed and is gone is looked at no further. */
static bool finish(struct play *p, struct moment *m, uint32_t op, bool tagged)
{
    const struct weir_operator_spec *spec = &p->pipeline->operators[op];
    int64_t least = spec->best > spec->receive_min ? spec->best : spec->receive_min,
            most = spec->worst > spec->receive_max ? spec->worst : spec->receive_max;
    bool ours = take(p, m, op);
    ours = op == p->from ? tagged : ours;
    if (tagged)
        weir_zone_copy(&m->zone, p->age, 0);
    m->follows |= tagged;
    weir_zone_pass(&m->zone, least, most);
    if (ours)
        note(p, op, &m->zone);
    m->executed = true;
    m->place++;
    if (!give(p, m, op, ours) || (m->follows && !is_left(p, m)))
        return true;
    return keep(&p->todo, m);
}

/* Whether a latency that begins now counts: no source is more than its period from beginning. */
static bool counts(const struct play *p, struct weir_zone *zone)
{
    for (uint32_t o = 0; o < p->pipeline->operator_count; o++)
        if (p->sources[o] && p->pipeline->phases && p->pipeline->phases[o].unknown && !weir_zone_limit(zone, 0, p->clock_of[o], 0))
            return false;
    return true;
}

static bool execute(struct play *p, const struct moment *m, uint32_t op)
{
    struct moment next = *m;
    if (!finish(p, &next, op, false))
        return false;
    next = *m;
    if (op != p->from || m->follows || !counts(p, &next.zone))
        return true;
    return finish(p, &next, op, true);
}

/* ---- periods ---- */

/* The execution uses up a tick; of those that are skipped there may be any number. */
static bool execute_due(struct play *p, struct moment *m, uint32_t op)
{
    const struct weir_source_spec *source = p->sources[op];
    int clock = p->clock_of[op];
    if (source->arrivals == WEIR_ARRIVALS_AT_MOST)
        weir_zone_copy(&m->zone, clock, p->now);
    if (source->arrivals == WEIR_ARRIVALS_CATCH_UP)
        weir_zone_turn_back(&m->zone, clock, source->period);
    if (source->arrivals != WEIR_ARRIVALS_SKIP)
        return execute(p, m, op);
    int64_t first = -m->zone.most[p->now][clock] / source->period, last = m->zone.most[clock][p->now] / source->period;
    if (m->zone.most[clock][p->now] >= WEIR_ZONE_FAR || last - first > TICKS_MAX) {
        weir_zone_forget(&m->zone, clock, p->now, source->period);
        return execute(p, m, op);
    }
    for (int64_t k = first < 1 ? 1 : first; k <= last; k++) {
        struct moment one = *m;
        if (!weir_zone_limit(&one.zone, p->now, clock, -k * source->period) ||
            !weir_zone_limit(&one.zone, clock, p->now, (k + 1) * source->period))
            continue;
        weir_zone_turn_back(&one.zone, clock, k * source->period);
        if (!execute(p, &one, op))
            return false;
    }
    return true;
}

/* Whether the operator may be left although it could start: it waits for no message, and nothing says that no source stops. */
static bool may_stall(const struct play *p, uint32_t op)
{
    bool stalls = p->stalls && (!p->sources[op] || p->sources[op]->arrivals == WEIR_ARRIVALS_AT_MOST);
    for (uint32_t i = 0; i < p->pipeline->queue_count && stalls; i++)
        stalls =
            p->pipeline->queues[i].to.index != op || !(weir_queue_waits(&p->pipeline->queues[i]) || p->pipeline->queues[i].port);
    return stalls;
}

/* Nobody was executed: time passes until the first period that an operator is left to wait for has, or one that stopped goes on. */
static bool wait(struct play *p, const struct moment *m)
{
    bool any = false;
    for (uint32_t o = 0; o < p->pipeline->operator_count; o++) {
        if (!has_all(p, m, o)) /* of others only one that stopped is ready */
            continue;
        struct moment next = *m;
        weir_zone_wait(&next.zone);
        bool good = true;
        for (uint32_t u = 0; u < p->pipeline->operator_count && good; u++)
            if (p->sources[u] && has_all(p, m, u) && !may_stall(p, u))
                good = weir_zone_limit(&next.zone, p->clock_of[u], 0, p->sources[u]->period);
        good = good && (!p->sources[o] || weir_zone_limit(&next.zone, 0, p->clock_of[o], -p->sources[o]->period));
        any = true;
        next.place = 0;
        if (good && !keep(&p->todo, &next))
            return false;
    }
    p->lost |= !any; /* it stands still */
    return true;
}

/* ---- rounds ---- */

/* Whether the round was looked at; notes it, if not. */
static bool is_known(struct play *p, struct moment *m, bool *known)
{
    size_t bytes = p->pipeline->queue_count * sizeof *m->queues;
    uint32_t hash = weir_hash_bytes(m->queues, bytes) + m->follows;
    for (uint32_t o = 0; o < p->pipeline->operator_count; o++) {
        bool ticks = p->sources[o] && p->sources[o]->arrivals != WEIR_ARRIVALS_AT_MOST;
        if (p->sources[o])
            weir_zone_blur(&m->zone, p->clock_of[o], (ticks ? TICKS_BEHIND : 1) * p->sources[o]->period + 1); /* surely passed */
    }
    struct weir_map_cursor probe = weir_map_begin(&p->index, hash);
    *known = false;
    while (!*known && weir_map_next(&p->index, &probe)) {
        const struct moment *other = &p->seen.items[probe.value];
        *known =
            other->follows == m->follows && memcmp(other->queues, m->queues, bytes) == 0 && weir_zone_holds(&other->zone, &m->zone);
    }
    return *known || (keep(&p->seen, m) && weir_map_add(&p->index, hash, (uint32_t)p->seen.count - 1));
}

static bool begin_round(struct play *p, struct moment *m, bool *known)
{
    m->place = 0;
    m->executed = false;
    weir_zone_copy(&m->zone, p->round, 0);
    if (!m->follows)
        weir_zone_copy(&m->zone, p->age, 0);
    p->lost |= p->seen.count >= ROUNDS_MAX;
    return is_known(p, m, known);
}

/* Goes on with the operator that the thread comes to. */
static bool step(struct play *p, struct moment *m)
{
    bool known = false;
    if (m->place == 0 && !begin_round(p, m, &known))
        return false;
    while (m->place < p->pipeline->operator_count && !has_all(p, m, p->order[m->place]))
        m->place++;
    if (known)
        return true;
    if (m->place == p->pipeline->operator_count) {
        m->place = 0;
        return m->executed ? keep(&p->todo, m) : wait(p, m);
    }
    uint32_t op = p->order[m->place];
    struct moment due = *m;
    m->place++;
    if (!p->sources[op])
        return execute(p, &due, op) && (!may_stall(p, op) || keep(&p->todo, m));
    int64_t period = p->sources[op]->period;
    if (weir_zone_limit(&due.zone, p->now, p->clock_of[op], -period) && !execute_due(p, &due, op))
        return false;
    if (!may_stall(p, op) && !weir_zone_limit(&m->zone, p->clock_of[op], p->now, period))
        return true;
    return keep(&p->todo, m);
}

/* ---- all of it ---- */

static bool begin(struct play *p)
{
    struct moment m = {.place = 0};
    bool good = true;
    weir_zone_clear(&m.zone, p->source_count + 3);
    for (uint32_t i = 0; i < p->pipeline->queue_count; i++)
        m.queues[i].count = p->pipeline->queues[i].initial;
    for (int clock = 1; clock <= p->source_count; clock++)
        for (int j = 0; j < m.zone.count; j++)
            m.zone.most[clock][j] = m.zone.most[j][clock] = clock == j ? 0 : WEIR_ZONE_FAR;
    for (uint32_t o = 0; o < p->pipeline->operator_count && good; o++) {
        if (!p->sources[o])
            continue;
        struct weir_phase phase = p->pipeline->phases ? p->pipeline->phases[o] : (struct weir_phase){0};
        int64_t period = p->sources[o]->period;
        good = weir_zone_limit(&m.zone, p->clock_of[o], 0, period - (phase.unknown ? 0 : phase.least)) &&
               (phase.unknown || weir_zone_limit(&m.zone, 0, p->clock_of[o], phase.most - period));
    }
    return good && keep(&p->todo, &m);
}

static bool run(struct play *p)
{
    p->todo.count = p->seen.count = 0;
    weir_map_free(&p->index);
    p->index = (struct weir_map){0};
    p->steps = 0;
    bool good = begin(p);
    while (good && !p->lost && p->todo.count > 0) {
        struct moment m = p->todo.items[--p->todo.count];
        p->lost |= ++p->steps > STEPS_MAX;
        good = step(p, &m);
    }
    return good;
}

static bool set_up(struct play *p, struct weir_arena *arena)
{
    const struct weir_pipeline *pipeline = p->pipeline;
    p->order = weir_arena_array(arena, pipeline->operator_count, sizeof *p->order);
    p->clock_of = weir_arena_array(arena, pipeline->operator_count, sizeof *p->clock_of);
    p->sources = weir_arena_array(arena, pipeline->operator_count, sizeof *p->sources);
    if (arena->failed || !weir_dispatch_order(pipeline, p->order))
        return false;
    for (size_t i = 0; i < pipeline->source_count; i++) {
        uint32_t op = pipeline->sources[i].op.index;
        p->sources[op] = &pipeline->sources[i];
        p->clock_of[op] = ++p->source_count;
        p->lost |= pipeline->sources[i].arrivals == WEIR_ARRIVALS_EXACT;
    }
    p->stalls = !(pipeline->graph && pipeline->graph->unknown_roots) && !pipeline->firings;
    for (size_t i = 0; i < pipeline->queue_count; i++) /* the answer says that none does, then */
        p->stalls &= !pipeline->queues[i].latest && !pipeline->queues[i].optional;
    for (uint32_t i = 0; i < pipeline->queue_count; i++)
        p->line_of[i] = weir_pipeline_port(pipeline, i);
    p->age = p->source_count + 1;
    p->round = p->source_count + 2;
    return true;
}

/* All ways to begin a round: clock i minus clock j is how much later than that of i the moment is from which j counts. */
static bool write_cover(const struct play *p, struct weir_rounds_cover *cover)
{
    size_t queues = p->pipeline->queue_count, clocks = (size_t)p->age + 1, count = p->seen.count;
    *cover = (struct weir_rounds_cover){.held = weir_array(count * queues, sizeof *cover->held),
                                        .ours = weir_array(count * queues, sizeof *cover->ours),
                                        .later = weir_array(count * clocks * clocks, sizeof *cover->later),
                                        .follows = weir_array(count, sizeof *cover->follows),
                                        .count = count};
    if (!cover->held || !cover->ours || !cover->later || !cover->follows)
        return false;
    for (size_t e = 0; e < count; e++) {
        const struct moment *m = &p->seen.items[e];
        cover->follows[e] = m->follows;
        for (size_t i = 0; i < queues; i++) {
            cover->held[e * queues + i] = m->queues[i].count;
            cover->ours[e * queues + i] = m->queues[i].ours;
        }
        for (size_t i = 0; i < clocks; i++)
            for (size_t j = 0; j < clocks; j++) {
                int64_t most = m->zone.most[j][i];
                cover->later[(e * clocks + i) * clocks + j] = most >= WEIR_ZONE_FAR ? INT64_MAX : most;
            }
    }
    return true;
}

enum weir_status weir_greedy_follow(const struct weir_pipeline *pipeline, uint32_t from, struct weir_greedy_ages *ages,
                                    struct weir_rounds_cover *covers, bool *known, struct weir_error *error)
{
    struct weir_arena arena = {0};
    struct play p = {.pipeline = pipeline, .from = from, .ages = ages};
    *known = false;
    memset(ages, 0, pipeline->operator_count * sizeof *ages);
    if (pipeline->queue_count > QUEUES_MAX || pipeline->source_count > SOURCES_MAX || pipeline->source_count == 0)
        return WEIR_OK;
    for (size_t i = 0; i < pipeline->queue_count; i++)
        if (weir_queue_batch(&pipeline->queues[i]) > HELD_MAX || pipeline->queues[i].initial > HELD_MAX ||
            pipeline->queues[i].transfer_max || pipeline->queues[i].missing)
            return WEIR_OK;
    bool good = set_up(&p, &arena);
    for (int read = 0; read < 2 && good && !p.lost; read++) { /* the clock: at each operator, or once in a round */
        p.now = read ? p.round : 0;
        good = run(&p) && (!covers || p.lost || write_cover(&p, &covers[read]));
    }
    *known = good && !p.lost;
    weir_free(p.todo.items);
    weir_free(p.seen.items);
    weir_map_free(&p.index);
    weir_arena_free(&arena);
    return good ? WEIR_OK : weir_fail_memory(error);
}

#define CHECK_WORK UINT64_C(1000000) /* visits */

/* What was found for executions of `from`, checked. */
static enum weir_status check(const struct weir_pipeline *p, uint32_t from, const struct weir_rounds_cover covers[2],
                              struct weir_greedy_ages *found, struct weir_error *error)
{
    struct weir_rounds_cover_claim claim = {p, from, found, &covers[0], &covers[1], CHECK_WORK};
    enum weir_checked checked;
    if (weir_rounds_cover_check(&claim, &checked))
        return weir_fail_memory(error);
    for (uint32_t o = 0; o < p->operator_count; o++)
        found[o].verified = checked == WEIR_CHECKED_HOLDS;
    return checked == WEIR_CHECKED_FAILS
               ? weir_fail(error, WEIR_INTERNAL, "verification failed: rounds can begin, or last, otherwise than claimed")
               : WEIR_OK;
}

/* As it is; `verify`: with a check, unless work on a GPU is taken to be part of the executions, which nobody checks. */
static enum weir_status find(const struct weir_pipeline *p, uint32_t from, bool verify, struct weir_greedy_ages *found, bool *known,
                             struct weir_error *error)
{
    struct weir_rounds_cover covers[2] = {{0}, {0}};
    enum weir_status status = weir_greedy_follow(p, from, found, verify ? covers : NULL, known, error);
    if (!status && verify && *known)
        status = check(p, from, covers, found, error);
    weir_rounds_cover_free(&covers[0]);
    weir_rounds_cover_free(&covers[1]);
    return status;
}

enum weir_status weir_greedy_rounds(const struct weir_pipeline *pipeline, bool verify, struct weir_greedy_ages *ages,
                                    struct weir_error *error)
{
    struct weir_pipeline *plain = NULL;
    enum weir_status status = weir_workers_plain(pipeline, &plain, error);
    const struct weir_pipeline *p = plain ? plain : pipeline;
    struct weir_greedy_ages *found = weir_array(p->operator_count, sizeof *found);
    if (!status && !found)
        status = weir_fail_memory(error);
    memset(ages, 0, p->chain_count * sizeof *ages);
    for (uint32_t from = 0; from < p->operator_count && !status; from++) {
        bool asked = false, known = false;
        for (size_t i = 0; i < p->chain_count; i++)
            asked |= p->chains[i].from.index == from;
        if (asked)
            status = find(p, from, verify && !plain, found, &known, error);
        for (size_t i = 0; i < p->chain_count && known && !status; i++)
            if (p->chains[i].from.index == from && !(p->shift_given && p->shift_given[i]))
                ages[i] = found[p->chains[i].to.index];
    }
    weir_free(found);
    weir_pipeline_free(plain);
    return status;
}
