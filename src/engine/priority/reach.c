/* SPDX-License-Identifier: Apache-2.0 */
/* From the beginning, step by step, to all situations that can be reached; and what follows from them. */
#include "engine/priority/reach.h"

#include <string.h>

#define POOL_MAX ((size_t)1 << 26) /* differences */
#define MOVES_LEAST UINT64_C(8000)
#define MOVES UINT64_C(400) /* more for each two tasks */
#define MOVES_MOST UINT64_C(1000000)
#define MOVES_AGAIN UINT64_C(250000)
#define BACKLOG_AGAIN 5              /* where more piles up, knowing more does not help either, as a rule */
#define CLOCKS_MAX 2000              /* with more of them, their differences would take too much memory */
#define TIMES_MAX (INT64_C(1) << 30) /* in units */

/* With few zones for each situation there are fewer of both, as long as what is known stays sharp enough. */
static const uint32_t together[] = {8, 48};
enum { TRIES = sizeof together / sizeof *together };

/* ---- what was met ---- */

static size_t slot_of(const struct weir_reach *r, const uint16_t *situation)
{
    uint64_t hash = UINT64_C(14695981039346656037);
    for (uint32_t k = 0; k < r->width; k++)
        hash = (hash ^ situation[k]) * UINT64_C(1099511628211);
    size_t slot = (size_t)(hash ^ hash >> 29) & (r->slot_count - 1);
    while (r->slots[slot] &&
           memcmp(r->numbers + (size_t)(r->slots[slot] - 1) * r->width, situation, r->width * sizeof *situation) != 0)
        slot = (slot + 1) & (r->slot_count - 1);
    return slot;
}

static bool spread_slots(struct weir_reach *r)
{
    size_t count = r->slot_count ? 2 * r->slot_count : 1024;
    uint32_t *slots = weir_array_zeroed(count, sizeof *slots);
    if (!slots)
        return false;
    weir_free(r->slots);
    r->slots = slots;
    r->slot_count = count;
    for (size_t k = 0; k < r->situation_count; k++)
        slots[slot_of(r, r->numbers + k * r->width)] = (uint32_t)k + 1;
    return true;
}

static bool find_situation(struct weir_reach *r, uint32_t *situation)
{
    if (2 * r->situation_count >= r->slot_count && !spread_slots(r))
        return false;
    size_t slot = slot_of(r, r->then), k = r->situation_count;
    if (!r->slots[slot]) {
        if (!weir_reserve(&r->numbers, &r->number_capacity, (k + 1) * r->width, sizeof *r->numbers) ||
            !weir_reserve(&r->first, &r->first_capacity, k + 1, sizeof *r->first))
            return false;
        memcpy(r->numbers + k * r->width, r->then, r->width * sizeof *r->numbers);
        r->first[k] = UINT32_MAX;
        r->slots[slot] = (uint32_t)++r->situation_count;
    }
    *situation = r->slots[slot] - 1;
    return true;
}

static bool enqueue(struct weir_reach *r, uint32_t zone)
{
    r->zones[zone].live = true;
    if (r->zones[zone].queued)
        return true;
    if (!weir_reserve(&r->next, &r->next_capacity, r->next_count + 1, sizeof *r->next))
        return false;
    r->zones[zone].queued = true;
    r->next[r->next_count++] = zone;
    return true;
}

static bool append(struct weir_reach *r, uint32_t situation, size_t size)
{
    if (!weir_reserve(&r->zones, &r->zone_capacity, r->zone_count + 1, sizeof *r->zones) ||
        !weir_reserve(&r->pool, &r->pool_capacity, r->pool_count + size, sizeof *r->pool))
        return false;
    r->zones[r->zone_count] =
        (struct weir_reach_zone){.differences = r->pool_count, .situation = situation, .next = r->first[situation]};
    r->first[situation] = (uint32_t)r->zone_count++;
    r->pool_count += size;
    return true;
}

/* How much less sharp zone z would have to be to hold the new one; 0: it does. *within: the new one holds it. */
static uint64_t lack(const struct weir_reach *r, uint32_t z, size_t size, bool *within)
{
    const int32_t *known = r->pool + r->zones[z].differences;
    uint64_t sum = 0;
    *within = true;
    for (size_t k = 0; k < size; k++) {
        int64_t at = r->changed[k] / r->unit;
        sum += at > known[k] ? (uint64_t)(at - known[k]) : 0;
        *within &= at >= known[k];
    }
    return sum;
}

/* A zone that holds it is left as it is; those that it holds make place for it. Where there are enough, the one that lacks least is
 * made to hold it. */
bool weir_reach_meet(struct weir_reach *r)
{
    size_t size = (size_t)r->after.count * r->after.count;
    uint32_t situation, nearest = UINT32_MAX, empty = UINT32_MAX, live = 0;
    uint64_t least = UINT64_MAX;
    r->memory = !find_situation(r, &situation);
    if (r->memory)
        return false;
    for (uint32_t z = r->first[situation]; z != UINT32_MAX; z = r->zones[z].next) {
        bool within;
        if (r->zones[z].live) {
            uint64_t more = lack(r, z, size, &within);
            if (more == 0)
                return true;
            r->zones[z].live = !within;
            if (!within && more < least)
                nearest = z, least = more;
            live += !within;
        }
        empty = r->zones[z].live ? empty : z;
    }
    bool joins = live >= r->together;
    if (!joins && empty == UINT32_MAX) {
        if (r->pool_count + size > POOL_MAX)
            return false;
        r->memory = !append(r, situation, size);
        if (r->memory)
            return false;
        empty = r->first[situation];
    }
    int32_t *known = r->pool + r->zones[joins ? nearest : empty].differences;
    for (size_t k = 0; k < size; k++) {
        int32_t at = (int32_t)(r->changed[k] / r->unit);
        known[k] = joins && known[k] > at ? known[k] : at;
    }
    r->memory = !enqueue(r, joins ? nearest : empty);
    return !r->memory;
}

/* ---- all of it ---- */

static int64_t common_unit(const struct weir_taskset *set, int64_t *longest)
{
    int64_t unit = set->graphs[0].period; /* every task set has one */
    *longest = 0;
    for (uint32_t i = 0; i < set->task_count; i++) {
        const struct weir_task *task = &set->tasks[i];
        const struct weir_task_graph *graph = &set->graphs[task->graph];
        unit = weir_greatest_divisor(weir_greatest_divisor(unit, task->best), task->worst);
        unit = weir_greatest_divisor(weir_greatest_divisor(unit, graph->period), graph->jitter);
        *longest = task->worst > *longest ? task->worst : *longest;
        *longest = graph->period > *longest ? graph->period : *longest;
    }
    return unit;
}

static bool open(struct weir_reach *r, struct weir_priority_system *s)
{
    const struct weir_taskset *set = s->set;
    size_t clocks = 1 + set->graph_count + set->task_count, squares = clocks * clocks * sizeof(int64_t);
    r->s = s;
    r->width = set->graph_count + set->task_count + set->processor_count;
    r->now = weir_arena_array(&r->arena, r->width, sizeof *r->now);
    r->then = weir_arena_array(&r->arena, r->width, sizeof *r->then);
    r->view.clocks = weir_arena_array(&r->arena, clocks, sizeof *r->view.clocks);
    r->after.clocks = weir_arena_array(&r->arena, clocks, sizeof *r->after.clocks);
    r->zone = weir_arena_take(&r->arena, squares);
    r->moved = weir_arena_take(&r->arena, squares);
    r->changed = weir_arena_take(&r->arena, squares);
    r->from = weir_arena_array(&r->arena, clocks, sizeof *r->from);
    r->urgency = weir_arena_array(&r->arena, set->processor_count + 1, sizeof *r->urgency);
    r->finish = weir_arena_array(&r->arena, set->task_count + 1, sizeof *r->finish);
    return !r->arena.failed;
}

static void close(struct weir_reach *r)
{
    void *taken[] = {r->numbers, r->first, r->slots, r->pool, r->zones, r->queue, r->next};
    for (size_t k = 0; k < sizeof taken / sizeof *taken; k++)
        weir_free(taken[k]);
    weir_arena_free(&r->arena);
}

static void load(struct weir_reach *r, uint32_t zone)
{
    size_t situation = r->zones[zone].situation;
    memcpy(r->now, r->numbers + situation * r->width, r->width * sizeof *r->now);
    weir_reach_look(r, r->now, &r->view);
    for (size_t k = 0; k < (size_t)r->view.count * r->view.count; k++)
        r->zone[k] = r->pool[r->zones[zone].differences + k] * r->unit;
}

/* Whether nothing new is met in the end. */
static bool follow(struct weir_reach *r)
{
    r->situation_count = r->zone_count = r->pool_count = r->next_count = 0;
    memset(r->finish, 0, r->s->set->task_count * sizeof *r->finish);
    memset(r->then, 0, r->width * sizeof *r->then);
    if (r->slots)
        memset(r->slots, 0, r->slot_count * sizeof *r->slots);
    weir_reach_look(r, r->then, &r->after);
    r->changed[0] = 0;
    r->backlog = 0;
    for (bool going = weir_reach_meet(r); r->next_count > 0; r->s->rounds++) {
        uint32_t *queue = r->queue;
        size_t capacity = r->queue_capacity;
        r->queue = r->next, r->queue_capacity = r->next_capacity, r->queue_count = r->next_count;
        r->next = queue, r->next_capacity = capacity, r->next_count = 0;
        for (size_t k = 0; k < r->queue_count && going; k++) {
            r->zones[r->queue[k]].queued = false;
            if (!r->zones[r->queue[k]].live)
                continue;
            load(r, r->queue[k]);
            going = weir_reach_move_on(r);
        }
        if (!going)
            return false;
    }
    return !r->memory;
}

static bool is_for(const struct weir_taskset *set)
{
    if ((uint64_t)set->graph_count + set->task_count >= CLOCKS_MAX)
        return false;
    for (uint32_t g = 0; g < set->graph_count; g++)
        if (set->graphs[g].sporadic)
            return false;
    for (uint32_t i = 0; i < set->task_count; i++)
        if (set->tasks[i].processor != WEIR_OWN_PROCESSOR && set->processors[set->tasks[i].processor].sharing == WEIR_TDM)
            return false;
    return true;
}

/* ---- bounds ---- */

/* What was met, handed over to the certificate. */
static bool certify(struct weir_reach *r, struct weir_bounds_stage *stage)
{
    struct weir_bounds_cover *cover = weir_array_zeroed(1, sizeof *cover);
    if (!cover)
        return false;
    stage->cover = cover;
    cover->unit = r->unit;
    cover->zones = weir_array(r->zone_count, sizeof *cover->zones);
    if (!cover->zones)
        return false;
    for (size_t z = 0; z < r->zone_count; z++)
        if (r->zones[z].live)
            cover->zones[cover->zone_count++] = (struct weir_bounds_zone){r->zones[z].situation, r->zones[z].differences};
    cover->width = r->width;
    cover->situation_count = r->situation_count;
    cover->difference_count = r->pool_count;
    cover->numbers = r->numbers;
    cover->differences = r->pool;
    r->numbers = NULL;
    r->pool = NULL;
    return true;
}

/* The bounds that hold in the end, where queues that are left to the analysis get so much room that nobody waits. */
static enum weir_status conclude(struct weir_method_run *run, struct weir_reach *r)
{
    struct weir_priority_system *s = run->system;
    for (uint32_t i = 0; i < s->set->task_count; i++) {
        s->finish[i] = r->finish[i];
        weir_priority_touch(s, i);
    }
    weir_priority_enable_after(s);
    s->generous = s->timed = true;
    memcpy(s->room, s->fixed, s->set->edge_count * sizeof *s->room);
    if (!weir_priority_fix_rooms(s))
        return WEIR_OK;
    weir_priority_distances(s, false);
    struct weir_bounds_proof *proof = weir_proof_new(s);
    struct weir_bounds_stage stage = {.base = true, .rule = WEIR_RULE_REACH, .enable_max = s->enable, .finish_max = s->finish};
    if (!proof || !weir_proof_add(proof, &stage) || !certify(r, &proof->stages[0]) ||
        !weir_priority_narrow(s, WEIR_PRIORITY_RULE_BEST, proof) || !weir_priority_narrow(s, WEIR_PRIORITY_RULE_LEVEL, proof)) {
        weir_bounds_proof_free(proof);
        return WEIR_MEMORY;
    }
    if (!weir_priority_keeps_all(s)) {
        weir_bounds_proof_free(proof);
        return WEIR_OK;
    }
    weir_proof_set_rooms(proof, s);
    run->proof = proof;
    run->outcome = s->reason.outcome = WEIR_PRIORITY_CONVERGED;
    run->variant = "situations";
    run->rule = WEIR_PRIORITY_RULE_LEVEL;
    return WEIR_OK;
}

enum weir_status weir_method_reach(struct weir_method_run *run)
{
    struct weir_priority_system *s = run->system;
    struct weir_priority_reason reason = s->reason;
    uint64_t rounds = s->rounds, windows = s->windows;
    struct weir_reach r = {0};
    int64_t longest;
    bool found = false;
    uint64_t moves = MOVES_LEAST + MOVES * s->set->task_count * s->set->task_count;
    moves = moves < MOVES_MOST ? moves : MOVES_MOST;
    moves = s->set->graph_count > 2 ? moves / 4 : moves; /* which come at any time to one another: what closes does so soon */
    r.unit = common_unit(s->set, &longest);
    if (!is_for(s->set) || longest / r.unit >= TIMES_MAX)
        return WEIR_OK;
    bool good = open(&r, s);
    weir_priority_rooms_reset(s);
    for (int k = 0; k < TRIES && good && !found && r.backlog <= BACKLOG_AGAIN; k++) {
        r.together = together[k];
        r.moves_left = k == 0 ? moves : 2 * moves < MOVES_AGAIN ? 2 * moves : MOVES_AGAIN;
        found = follow(&r);
        good = !r.memory;
    }
    enum weir_status status = !good ? WEIR_MEMORY : found ? conclude(run, &r) : WEIR_OK;
    close(&r);
    if (run->outcome != WEIR_PRIORITY_CONVERGED) { /* as if it had not been tried */
        s->reason = reason;
        s->rounds = rounds;
        s->windows = windows;
    }
    return status;
}
