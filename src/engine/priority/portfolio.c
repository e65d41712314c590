/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The best of the safe methods. Capacities that are left to the analysis decide about the system, so first several choices are
 * made: those that follow from execution intervals and from the tightest rule, each with and without sizing on the way. For each
 * choice the system is then given, every method's bounds hold in it, and so does the least of them; that is narrowed. Among the
 * systems, one that meets the deadlines is better, then one with no latency above what any method finds in its own, then the
 * one of the smallest latencies in periods, then the one with the fewest places.
 */

#include "engine/priority/system.h"
#include "model/pipeline.h"

#include <string.h>

enum { CHOICES = 8, LEVELS = 7 };

static const struct choice {
    enum weir_priority_rule rule;
    bool sizing, timed;
    const char *name;
} choices[CHOICES] = {
    {WEIR_PRIORITY_RULE_EI, false, false, "EI"},
    {WEIR_PRIORITY_RULE_EI, true, false, "EI+iBS"},
    /* Windows are not monotone: now and then one of these gets through where the best of them does not. */
    {WEIR_PRIORITY_RULE_PJ0, false, false, "PJ0"},
    {WEIR_PRIORITY_RULE_EIC, false, false, "EIC"},
    {WEIR_PRIORITY_RULE_CIX, false, false, "CIX"},
    /* Last, as what it says tells why there is no bound if there is none. */
    {WEIR_PRIORITY_RULE_BEST, false, true, "CIX"},
    {WEIR_PRIORITY_RULE_BEST, true, true, "CIX+iBS"},
    /* Where all of them fail. */
    {WEIR_PRIORITY_RULE_LEVEL, false, true, "levels"},
};

/* What else is tried once the system is given. */
static const enum weir_priority_rule rules[] = {WEIR_PRIORITY_RULE_PJ0, WEIR_PRIORITY_RULE_EI,   WEIR_PRIORITY_RULE_EIC,
                                                WEIR_PRIORITY_RULE_CIX, WEIR_PRIORITY_RULE_BEST, WEIR_PRIORITY_RULE_LEVEL};

struct bounds {
    int64_t *enable, *finish;
};

struct merit {
    bool deadlines, modest; /* no latency above those of a method on its own */
    weir_wide latencies;    /* in 2^-20 periods */
    int64_t places;
};

struct portfolio {
    struct weir_method_run *run;
    struct weir_priority_system *s;
    struct {
        bool converged;
        struct bounds bounds;
        uint32_t *room;
    } found[CHOICES];
    struct bounds least, best; /* of the system at hand; of the best so far */
    uint32_t *best_room;
    struct merit merit;
};

static bool take_bounds(struct weir_priority_system *s, struct bounds *bounds)
{
    size_t bytes = s->set->task_count * sizeof(int64_t);
    bounds->enable = weir_arena_take(&s->arena, bytes + 1);
    bounds->finish = weir_arena_take(&s->arena, bytes + 1);
    return bounds->enable && bounds->finish;
}

static bool take_all(struct portfolio *p)
{
    size_t bytes = p->s->set->edge_count * sizeof(uint32_t);
    for (int c = 0; c < CHOICES; c++) {
        p->found[c].room = weir_arena_take(&p->s->arena, bytes + 1);
        if (!p->found[c].room || !take_bounds(p->s, &p->found[c].bounds))
            return false;
    }
    p->best_room = weir_arena_take(&p->s->arena, bytes + 1);
    return p->best_room && take_bounds(p->s, &p->least) && take_bounds(p->s, &p->best);
}

static void save(const struct weir_priority_system *s, const struct bounds *bounds)
{
    memcpy(bounds->enable, s->enable, s->set->task_count * sizeof *s->enable);
    memcpy(bounds->finish, s->finish, s->set->task_count * sizeof *s->finish);
}

static void restore(struct weir_priority_system *s, const struct bounds *bounds)
{
    memcpy(s->enable, bounds->enable, s->set->task_count * sizeof *s->enable);
    memcpy(s->finish, bounds->finish, s->set->task_count * sizeof *s->finish);
    for (uint32_t i = 0; i < s->set->task_count; i++)
        weir_priority_touch(s, i);
}

static enum weir_priority_outcome loop(struct weir_priority_system *s, enum weir_priority_rule rule, bool sizing)
{
    return rule == WEIR_PRIORITY_RULE_LEVEL ? weir_priority_loop_levels(s) : weir_priority_loop(s, rule, sizing);
}

static void choose(struct portfolio *p, int c)
{
    struct weir_priority_system *s = p->s;
    weir_priority_rooms_reset(s);
    s->timed = choices[c].timed;
    s->generous = choices[c].rule == WEIR_PRIORITY_RULE_LEVEL;
    p->run->outcome = loop(s, choices[c].rule, choices[c].sizing);
    if (p->run->outcome == WEIR_PRIORITY_CONVERGED && !weir_priority_fix_rooms(s))
        p->run->outcome = s->reason.outcome = WEIR_PRIORITY_LIMIT;
    if (p->run->outcome != WEIR_PRIORITY_CONVERGED)
        return;
    p->found[c].converged = true;
    save(s, &p->found[c].bounds);
    memcpy(p->found[c].room, s->fixed, s->set->edge_count * sizeof *s->fixed);
}

static bool same_rooms(const struct portfolio *p, int a, int b)
{
    return memcmp(p->found[a].room, p->found[b].room, p->s->set->edge_count * sizeof(uint32_t)) == 0;
}

/* ---- one system ---- */

/* Adds bounds that follow from themselves to what is known; those that tell nothing new are left out. */
static bool add_base(struct portfolio *p, const struct bounds *bounds, enum weir_priority_rule rule)
{
    const struct weir_bounds_proof *proof = p->run->proof;
    bool news = proof->stage_count == 0;
    for (uint32_t i = 0; i < p->s->set->task_count; i++) {
        if (!news && bounds->enable[i] >= p->least.enable[i] && bounds->finish[i] >= p->least.finish[i])
            continue;
        news = true;
    }
    if (!news)
        return true;
    struct weir_bounds_stage stage = {
        .base = true, .rule = (enum weir_bounds_rule)rule, .enable_max = bounds->enable, .finish_max = bounds->finish};
    stage.level = rule == WEIR_PRIORITY_RULE_LEVEL ? p->s->level : NULL;
    stage.region = rule == WEIR_PRIORITY_RULE_LEVEL && p->s->across ? p->s->region : NULL;
    if (!weir_proof_add(p->run->proof, &stage))
        return false;
    for (uint32_t i = 0; i < p->s->set->task_count; i++) {
        if (p->run->proof->stage_count == 1 || bounds->enable[i] < p->least.enable[i])
            p->least.enable[i] = bounds->enable[i];
        if (p->run->proof->stage_count == 1 || bounds->finish[i] < p->least.finish[i])
            p->least.finish[i] = bounds->finish[i];
    }
    return true;
}

/* The least of all bounds in the system of choice c, narrowed; they stay in the task system. */
static bool look_into(struct portfolio *p, int c)
{
    struct weir_priority_system *s = p->s;
    size_t bytes = s->set->edge_count * sizeof *s->fixed;
    memcpy(s->fixed, p->found[c].room, bytes);
    memcpy(s->room, p->found[c].room, bytes);
    p->run->proof = weir_proof_new(s);
    if (!p->run->proof)
        return false;
    for (int k = 0; k < CHOICES; k++)
        if (k != LEVELS && p->found[k].converged && same_rooms(p, c, k) && !add_base(p, &p->found[k].bounds, choices[k].rule))
            return false;
    s->timed = true;
    for (size_t k = 0; k < sizeof rules / sizeof *rules; k++)
        if (loop(s, rules[k], false) == WEIR_PRIORITY_CONVERGED) {
            struct bounds now = {s->enable, s->finish};
            if (!add_base(p, &now, rules[k]))
                return false;
        }
    if (p->run->proof->stage_count == 0)
        return true;
    restore(s, &p->least);
    return weir_priority_narrow(s, WEIR_PRIORITY_RULE_BEST, p->run->proof) &&
           weir_priority_narrow(s, WEIR_PRIORITY_RULE_LEVEL, p->run->proof);
}

/* ---- which is best ---- */

static struct merit judge(const struct portfolio *p)
{
    const struct weir_pipeline *pipeline = p->run->pipeline;
    const struct weir_priority_system *s = p->s;
    struct merit merit = {.deadlines = true, .modest = true};
    for (size_t k = 0; k < pipeline->chain_count; k++) {
        const struct weir_chain_spec *chain = &pipeline->chains[k];
        uint32_t to = chain->to.index;
        struct weir_priority_latency latency;
        bool fits = weir_priority_latency_of(s, pipeline, chain, &latency);
        if (!fits || (chain->has_deadline && (!latency.bounded || latency.worst > chain->deadline)))
            merit.deadlines = false;
        merit.latencies += (weir_wide)s->finish[to] * (1 << 20) / s->period[to];
        for (int c = 0; c < CHOICES; c++)
            if (!choices[c].timed && p->found[c].converged && s->finish[to] > p->found[c].bounds.finish[to])
                merit.modest = false;
    }
    for (size_t e = 0; e < s->set->edge_count; e++)
        merit.places += weir_priority_capacity(s, e);
    return merit;
}

static bool better(const struct merit *a, const struct merit *b)
{
    if (a->deadlines != b->deadlines)
        return a->deadlines;
    if (a->modest != b->modest)
        return a->modest;
    if (a->latencies != b->latencies)
        return a->latencies < b->latencies;
    return a->places < b->places;
}

static bool consider(struct portfolio *p, int c, struct weir_bounds_proof **proof)
{
    struct weir_priority_system *s = p->s;
    for (int before = 0; before < c; before++)
        if (p->found[before].converged && same_rooms(p, before, c))
            return true;
    if (!look_into(p, c))
        return false;
    struct merit merit = p->run->proof->stage_count > 0 ? judge(p) : (struct merit){0};
    if (p->run->proof->stage_count == 0 || !weir_priority_keeps_all(s) || (*proof && !better(&merit, &p->merit))) {
        weir_bounds_proof_free(p->run->proof);
        p->run->proof = NULL;
        return true;
    }
    weir_bounds_proof_free(*proof);
    *proof = p->run->proof;
    p->run->proof = NULL;
    p->merit = merit;
    p->run->variant = choices[c].name;
    save(s, &p->best);
    memcpy(p->best_room, p->found[c].room, s->set->edge_count * sizeof *s->fixed);
    return true;
}

static enum weir_status conclude(struct portfolio *p, struct weir_bounds_proof *proof)
{
    struct weir_priority_system *s = p->s;
    size_t bytes = s->set->edge_count * sizeof *s->fixed;
    p->run->proof = proof;
    if (!proof) {
        if (s->reason.fault == WEIR_PRIORITY_FAULT_LOSS)
            p->run->outcome = WEIR_PRIORITY_VIOLATED;
        else if (p->run->outcome == WEIR_PRIORITY_CONVERGED) /* ... and the limit of work came before that was a base */
            p->run->outcome = WEIR_PRIORITY_LIMIT;
        s->reason.outcome = p->run->outcome;
        return WEIR_OK;
    }
    p->run->outcome = WEIR_PRIORITY_CONVERGED;
    memcpy(s->fixed, p->best_room, bytes);
    memcpy(s->room, p->best_room, bytes);
    restore(s, &p->best);
    weir_priority_distances(s, false);
    weir_proof_set_rooms(proof, s);
    return WEIR_OK;
}

enum weir_status weir_method_portfolio(struct weir_method_run *run)
{
    struct portfolio p = {.run = run, .s = run->system};
    struct weir_bounds_proof *proof = NULL;
    bool any = false;
    run->rule = WEIR_PRIORITY_RULE_LEVEL;
    run->variant = weir_priority_method_name(WEIR_PRIORITY_BEST);
    if (!take_all(&p))
        return WEIR_MEMORY;
    for (int c = 0; c < CHOICES; c++) {
        struct weir_priority_reason reason = run->system->reason;
        if (c == LEVELS && any)
            break;
        choose(&p, c);
        if (c == LEVELS && !p.found[c].converged) {
            run->system->reason = reason;
            run->outcome = reason.outcome;
        }
        any = any || p.found[c].converged;
        if (run->outcome == WEIR_PRIORITY_UNBOUNDED)
            return WEIR_OK;
    }
    for (int c = 0; c < CHOICES && any; c++)
        if (p.found[c].converged && !consider(&p, c, &proof)) {
            weir_bounds_proof_free(proof);
            return WEIR_MEMORY;
        }
    return conclude(&p, proof);
}
