/* SPDX-License-Identifier: Apache-2.0 */
#include "check/priority/bounds.h"
#include "check/priority/bounds_arrival.h"
#include "check/priority/bounds_cover.h"

#include "base/error.h"
#include "check/priority/bounds_window.h"

#include <stdio.h>
#include <string.h>

/*
 * Stage after stage. What a claim may rest on is in `enable_max` and `finish_max`: the stage's own claims where it is a base, else
 * the least of all stages before. A claim that is not below the least of the stages before holds already. The rule of a stage only
 * tells where to look first: what follows by any of the rules holds.
 */
struct check {
    struct weir_arena arena;
    const struct weir_taskset *set;
    const struct weir_bounds_proof *proof;
    int64_t *least_enable, *least_finish; /* WEIR_WINDOW_MAX: nothing known */
    int64_t *need;                        /* by task: the least enable_max that follows */
    uint32_t *first, *members;            /* the tasks of each processor; those with their own behind, one each */
    uint32_t *own;                        /* by task: its place in members */
    struct weir_token_graph tokens;
    struct weir_demand demand;
    struct weir_level_room level;
    const int64_t *enable_max, *finish_max;
    bool too_long;
    char *why;
};

void weir_bounds_proof_free(struct weir_bounds_proof *proof)
{
    if (!proof)
        return;
    for (size_t k = 0; proof->stages && k < proof->stage_count; k++) {
        weir_free(proof->stages[k].enable_max);
        weir_free(proof->stages[k].finish_max);
        weir_free(proof->stages[k].level);
        weir_free(proof->stages[k].region);
        struct weir_bounds_cover *cover = proof->stages[k].cover;
        void *parts[] = {cover ? cover->numbers : NULL, cover ? cover->zones : NULL, cover ? cover->differences : NULL, cover};
        for (size_t part = 0; part < sizeof parts / sizeof *parts; part++)
            weir_free(parts[part]);
    }
    weir_free(proof->stages);
    weir_free(proof->enable_min);
    weir_free(proof->room);
    weir_free(proof->after);
    weir_free(proof);
}

WEIR_PRINTF(2, 3) static bool refuse(struct check *c, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (c->why)
        vsnprintf(c->why, 160, format, arguments);
    va_end(arguments);
    return false;
}

static int64_t period_of(const struct weir_taskset *set, uint32_t task)
{
    return set->graphs[set->tasks[task].graph].period;
}

/* ---- the shape of the proof ---- */

static bool is_time(int64_t t)
{
    return t >= 0 && t < WEIR_TIME_MAX;
}

static bool times_are_sane(struct check *c, const struct weir_bounds_stage *stage)
{
    if (!stage->enable_max || !stage->finish_max)
        return refuse(c, "a stage without bounds");
    if (stage->rule < WEIR_RULE_PJ0 || stage->rule > WEIR_RULE_REACH)
        return refuse(c, "a rule that does not exist");
    if (stage->rule == WEIR_RULE_REACH && (!stage->base || !stage->cover))
        return refuse(c, "situations that are no base");
    for (uint32_t i = 0; i < c->set->task_count; i++)
        if (!is_time(stage->enable_max[i]) || !is_time(stage->finish_max[i]))
            return refuse(c, "task %u: a bound that is not a time", i);
    return true;
}

static bool shape_holds(struct check *c)
{
    const struct weir_bounds_proof *p = c->proof;
    if (p->task_count != c->set->task_count || p->edge_count != c->set->edge_count)
        return refuse(c, "the proof is about another system");
    if (p->stage_count == 0 || !p->stages || !p->stages[0].base || !p->enable_min || (p->edge_count && !p->room))
        return refuse(c, "the proof has no base");
    for (uint32_t i = 0; i < p->task_count; i++)
        if (!is_time(p->enable_min[i]))
            return refuse(c, "task %u: a bound that is not a time", i);
    for (size_t k = 0; k < p->edge_count; k++) {
        uint32_t room = c->set->edges[k].room;
        if (p->room[k] == WEIR_AUTO || (room != WEIR_AUTO && p->room[k] != room))
            return refuse(c, "edge %zu: the room is not that of the system", k);
    }
    for (size_t k = 0; k < p->stage_count; k++)
        if (!times_are_sane(c, &p->stages[k]))
            return false;
    return true;
}

/* No iteration waits for itself: there is no circle of queues without a message, or of full ones. */
static bool tasks_can_run(struct check *c)
{
    const struct weir_taskset *set = c->set;
    uint32_t *waits = c->tokens.queue, *ready = c->own, count = 0;
    memset(waits, 0, set->task_count * sizeof *waits);
    for (size_t k = 0; k < set->edge_count; k++)
        if (set->edges[k].from != WEIR_FROM_SOURCE) {
            bool full = set->edges[k].blocking && c->proof->room[k] == 0;
            c->tokens.arcs[c->tokens.back[k]].tokens = full ? 0 : WEIR_WINDOW_MAX;
            waits[set->edges[k].to] += set->edges[k].initial == 0;
            waits[set->edges[k].from] += full;
        }
    for (uint32_t i = 0; i < set->task_count; i++)
        if (waits[i] == 0)
            ready[count++] = i;
    for (uint32_t k = 0; k < count; k++)
        for (uint32_t n = c->tokens.first[ready[k]]; n < c->tokens.first[ready[k] + 1]; n++) {
            const struct weir_token_arc *arc = &c->tokens.arcs[n];
            if (arc->tokens == 0 && --waits[arc->to] == 0)
                ready[count++] = arc->to;
        }
    return count == set->task_count || refuse(c, "some task waits for itself");
}

/* ---- enablings ---- */

/* Each earliest enabling follows from one before it. Queues that begin empty form no circle, or no stage holds. */
static bool beginnings_hold(struct check *c)
{
    const struct weir_bounds_proof *p = c->proof;
    memset(c->need, 0, c->set->task_count * sizeof *c->need);
    for (size_t k = 0; k < c->set->edge_count; k++) {
        const struct weir_task_edge *e = &c->set->edges[k];
        if (e->from == WEIR_FROM_SOURCE || e->initial > 0)
            continue;
        int64_t earliest = p->enable_min[e->from] + c->set->tasks[e->from].best;
        if (earliest > c->need[e->to])
            c->need[e->to] = earliest;
    }
    for (uint32_t i = 0; i < c->set->task_count; i++)
        if (p->enable_min[i] > c->need[i])
            return refuse(c, "task %u may be ready before %lld", i, (long long)p->enable_min[i]);
    return true;
}

static void demand_enabling(struct check *c, uint32_t task, int64_t finish, uint32_t tokens)
{
    weir_wide enable = finish - (weir_wide)tokens * period_of(c->set, task);
    if (enable > c->need[task])
        c->need[task] = (int64_t)enable;
}

static bool enablings_hold(struct check *c, size_t k)
{
    const struct weir_bounds_stage *stage = &c->proof->stages[k];
    memset(c->need, 0, c->set->task_count * sizeof *c->need);
    for (size_t n = 0; n < c->set->edge_count; n++) {
        const struct weir_task_edge *e = &c->set->edges[n];
        if (e->from == WEIR_FROM_SOURCE) {
            demand_enabling(c, e->to, c->set->graphs[c->set->tasks[e->to].graph].jitter, 0);
            continue;
        }
        demand_enabling(c, e->to, c->finish_max[e->from], e->initial);
        if (e->blocking && c->proof->room[n] != WEIR_UNBOUNDED)
            demand_enabling(c, e->from, c->finish_max[e->to], c->proof->room[n]);
    }
    for (uint32_t i = 0; i < c->set->task_count; i++) {
        /* What ends in time at its longest was ready that long before (docs/concepts/shared-processors.md, early ends). */
        int64_t begun = c->least_finish[i] - c->set->tasks[i].worst;
        if (!stage->base && begun < c->need[i])
            c->need[i] = begun;
        if (stage->enable_max[i] < c->need[i] && stage->enable_max[i] < c->least_enable[i])
            return refuse(c, "stage %zu: task %u may be ready later than %lld", k, i, (long long)stage->enable_max[i]);
    }
    return true;
}

/* ---- finishes ---- */

static bool preemptive_holds(struct check *c, const struct weir_window_claim *claim, enum weir_bounds_rule rule)
{
    if (rule == WEIR_RULE_PJ0 && weir_window_jitter_holds(claim, &c->demand))
        return true;
    if (rule == WEIR_RULE_CIX && weir_window_critical_holds(claim, &c->demand))
        return true;
    if (weir_window_interval_holds(claim, &c->demand, false) || weir_window_interval_holds(claim, &c->demand, true))
        return true;
    /* Critical instants are never worse than periods and jitters. */
    return !c->demand.memory && rule != WEIR_RULE_CIX && weir_window_critical_holds(claim, &c->demand);
}

static bool finish_holds(struct check *c, uint32_t i, const struct weir_bounds_stage *stage)
{
    uint32_t processor = c->set->tasks[i].processor;
    bool alone = processor == WEIR_OWN_PROCESSOR;
    uint32_t sharers = alone ? 1 : c->first[processor + 1] - c->first[processor];
    const struct weir_region *region = stage->region && stage->region[i].count > 0 ? &stage->region[i] : NULL;
    bool others = sharers > 1 || region;
    if (others && !weir_token_graph_walk(&c->tokens, i, &c->demand.work)) /* no other task, no distance */
        return false;
    struct weir_window_claim claim = {.set = c->set,
                                      .enable_min = c->proof->enable_min,
                                      .enable_max = c->enable_max,
                                      .finish_max = c->finish_max,
                                      .distance = c->tokens.distance,
                                      .sharers = c->members + (alone ? c->own[i] : c->first[processor]),
                                      .sharer_count = sharers,
                                      .task = i,
                                      .finish = stage->finish_max[i]};
    c->level.region = region;
    if (stage->level && stage->level[i] != WEIR_NO_LEVEL && weir_window_level_holds(&claim, &c->demand, &c->level, stage->level[i]))
        return true;
    if (alone || c->set->processors[processor].sharing == WEIR_PREEMPTIVE)
        return preemptive_holds(c, &claim, stage->rule);
    return weir_window_interval_holds(&claim, &c->demand, false);
}

/* All finishes at once. Nobody waits for queues that are sized: what is known without them gives them room enough. */
static bool cover_holds(struct check *c, size_t k)
{
    const struct weir_bounds_stage *stage = &c->proof->stages[k];
    for (size_t n = 0; n < c->set->edge_count; n++) {
        const struct weir_task_edge *e = &c->set->edges[n];
        uint32_t room = c->proof->room[n];
        bool sized = e->from != WEIR_FROM_SOURCE && e->blocking && e->room == WEIR_AUTO && room != WEIR_UNBOUNDED;
        if (sized && (weir_wide)room * period_of(c->set, e->to) < stage->finish_max[e->to] - c->proof->enable_min[e->from])
            return refuse(c, "stage %zu: edge %zu is too small for nobody to wait", k, n);
    }
    bool memory = false, holds = weir_cover_holds(c->set, stage, &c->demand.work, &memory);
    c->demand.memory |= memory;
    c->too_long = !holds && !memory && c->demand.work == 0;
    return holds || refuse(c, "stage %zu: the situations are not all", k);
}

static bool finishes_hold(struct check *c, size_t k)
{
    const struct weir_bounds_stage *stage = &c->proof->stages[k];
    if (stage->rule == WEIR_RULE_REACH)
        return cover_holds(c, k);
    weir_token_graph_set(&c->tokens, c->set, c->proof, c->finish_max);
    for (uint32_t i = 0; i < c->set->task_count; i++)
        if (stage->finish_max[i] < c->least_finish[i] && !finish_holds(c, i, stage)) {
            c->too_long = c->demand.work < 2 * (uint64_t)c->set->edge_count + c->set->task_count;
            if (c->too_long)
                return refuse(c, "stage %zu: task %u takes too long to check", k, i);
            return refuse(c, "stage %zu: task %u may end later than %lld", k, i, (long long)stage->finish_max[i]);
        }
    return true;
}

/* ---- the whole ---- */

static bool stage_holds(struct check *c, size_t k)
{
    const struct weir_bounds_stage *stage = &c->proof->stages[k];
    c->enable_max = stage->base ? stage->enable_max : c->least_enable;
    c->finish_max = stage->base ? stage->finish_max : c->least_finish;
    if (!enablings_hold(c, k) || !finishes_hold(c, k))
        return false;
    for (uint32_t i = 0; i < c->set->task_count; i++) {
        if (stage->enable_max[i] < c->least_enable[i])
            c->least_enable[i] = stage->enable_max[i];
        if (stage->finish_max[i] < c->least_finish[i])
            c->least_finish[i] = stage->finish_max[i];
    }
    return true;
}

static bool rooms_hold(struct check *c)
{
    struct weir_room_claim claim = {c->set, c->proof, c->least_finish, &c->tokens, &c->demand.work, c->need, c->level.entry};
    for (size_t k = 0; k < c->set->edge_count; k++)
        if (!weir_room_holds(&claim, k))
            return refuse(c, "edge %zu: %u free slots may not be enough", k, c->proof->room[k]);
    return true;
}

static bool arrivals_hold(struct check *c)
{
    uint32_t wrong;
    struct weir_arrival_claim claim = {c->set,          c->proof->room,  c->proof->enable_min,
                                       c->least_enable, c->least_finish, c->proof->after};
    return !claim.after || weir_arrivals_hold(&claim, &wrong) ||
           refuse(c, "task %u may end later after the arrival of its input", wrong);
}

static void find_members(struct check *c)
{
    const struct weir_taskset *set = c->set;
    uint32_t *at = c->first + 1, behind;
    for (uint32_t i = 0; i < set->task_count; i++)
        if (set->tasks[i].processor != WEIR_OWN_PROCESSOR)
            at[set->tasks[i].processor + 1]++;
    for (uint32_t p = 1; p <= set->processor_count; p++)
        at[p] += at[p - 1];
    behind = at[set->processor_count];
    for (uint32_t i = 0; i < set->task_count; i++) {
        uint32_t processor = set->tasks[i].processor;
        c->own[i] = processor == WEIR_OWN_PROCESSOR ? behind++ : at[processor]++;
        c->members[c->own[i]] = i;
    }
}

static bool make_room(struct check *c)
{
    size_t tasks = c->set->task_count;
    c->least_enable = weir_arena_array(&c->arena, tasks, sizeof *c->least_enable);
    c->least_finish = weir_arena_array(&c->arena, tasks, sizeof *c->least_finish);
    c->need = weir_arena_array(&c->arena, tasks, sizeof *c->need);
    c->first = weir_arena_array(&c->arena, (size_t)c->set->processor_count + 2, sizeof *c->first);
    c->members = weir_arena_array(&c->arena, tasks, sizeof *c->members);
    c->own = weir_arena_array(&c->arena, tasks, sizeof *c->own);
    c->level.entry = weir_arena_array(&c->arena, tasks, sizeof *c->level.entry);
    c->level.others = weir_arena_array(&c->arena, tasks, sizeof *c->level.others);
    c->level.lead = weir_arena_array(&c->arena, tasks, sizeof *c->level.lead);
    c->level.room = c->proof->room;
    c->demand.interferers = weir_arena_array(&c->arena, 2 * tasks, sizeof *c->demand.interferers);
    return weir_token_graph_make(&c->tokens, c->set, &c->arena);
}

static bool proof_holds(struct check *c)
{
    for (uint32_t i = 0; i < c->set->task_count; i++)
        c->least_enable[i] = c->least_finish[i] = WEIR_WINDOW_MAX;
    if (!tasks_can_run(c))
        return false;
    find_members(c);
    if (!beginnings_hold(c))
        return false;
    for (size_t k = 0; k < c->proof->stage_count; k++)
        if (!stage_holds(c, k))
            return false;
    return rooms_hold(c) && arrivals_hold(c);
}

enum weir_status weir_bounds_check(const struct weir_taskset *set, const struct weir_bounds_proof *proof, bool *holds,
                                   char why[160])
{
    struct check c = {.set = set, .proof = proof, .why = why, .demand = {.work = WEIR_BOUNDS_WORK}};
    enum weir_status status = WEIR_OK;
    *holds = false;
    if (why)
        why[0] = '\0';
    if (shape_holds(&c)) {
        if (!make_room(&c))
            status = WEIR_MEMORY;
        else
            *holds = proof_holds(&c);
        if (c.demand.memory)
            status = WEIR_MEMORY;
        else if (c.too_long)
            status = WEIR_OVERFLOW;
    }
    weir_free(c.demand.clipped);
    weir_arena_free(&c.arena);
    return status;
}
