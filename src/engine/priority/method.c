/* SPDX-License-Identifier: Apache-2.0 */
/* One method on its own, as published: bounds, then capacities where sizing did not choose them on the way. */
#include "base/word.h"
#include "engine/priority/system.h"
#include "model/pipeline.h"
#include "weir.h"

#include <stddef.h>
#include <string.h>

static const struct {
    enum weir_priority_rule rule;
    bool sizing;
} methods[WEIR_PRIORITY_METHODS] = {
    [WEIR_PRIORITY_BEST] = {WEIR_PRIORITY_RULE_BEST, false}, [WEIR_PRIORITY_PJ0] = {WEIR_PRIORITY_RULE_PJ0, false},
    [WEIR_PRIORITY_PJ] = {WEIR_PRIORITY_RULE_PJ, false},     [WEIR_PRIORITY_PJ_IBS] = {WEIR_PRIORITY_RULE_PJ, true},
    [WEIR_PRIORITY_EI] = {WEIR_PRIORITY_RULE_EI, false},     [WEIR_PRIORITY_EI_IBS] = {WEIR_PRIORITY_RULE_EI, true},
    [WEIR_PRIORITY_EIC] = {WEIR_PRIORITY_RULE_EIC, false},   [WEIR_PRIORITY_CIX] = {WEIR_PRIORITY_RULE_CIX, false},
};

enum weir_status weir_method_single(struct weir_method_run *run, enum weir_priority_method method)
{
    struct weir_priority_system *s = run->system;
    run->variant = weir_priority_method_name(method);
    run->rule = methods[method].rule;
    run->outcome = weir_priority_loop(s, run->rule, methods[method].sizing);
    if (run->outcome == WEIR_PRIORITY_CONVERGED && !weir_priority_fix_rooms(s))
        run->outcome = s->reason.outcome = WEIR_PRIORITY_LIMIT;
    if (run->outcome == WEIR_PRIORITY_CONVERGED && !weir_priority_keeps_all(s))
        run->outcome = s->reason.outcome = WEIR_PRIORITY_VIOLATED;
    if (run->outcome != WEIR_PRIORITY_CONVERGED || !weir_priority_method_safe(method))
        return WEIR_OK;
    run->proof = weir_proof_new(s);
    struct weir_bounds_stage stage = {
        .base = true, .rule = (enum weir_bounds_rule)run->rule, .enable_max = s->enable, .finish_max = s->finish};
    if (!run->proof || !weir_proof_add(run->proof, &stage))
        return WEIR_MEMORY;
    weir_proof_set_rooms(run->proof, s);
    return WEIR_OK;
}

/* ---- names ---- */

static const char *const names[WEIR_PRIORITY_METHODS] = {
    [WEIR_PRIORITY_BEST] = "best",     [WEIR_PRIORITY_PJ0] = "PJ0", [WEIR_PRIORITY_PJ] = "PJ",
    [WEIR_PRIORITY_PJ_IBS] = "PJ+iBS", [WEIR_PRIORITY_EI] = "EI",   [WEIR_PRIORITY_EI_IBS] = "EI+iBS",
    [WEIR_PRIORITY_EIC] = "EIC",       [WEIR_PRIORITY_CIX] = "CIX",
};

const char *weir_priority_method_name(enum weir_priority_method method)
{
    return WEIR_WORD(names, method);
}

static char lower(char c)
{
    return (char)(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
}

static bool same(const char *a, const char *b)
{
    while (*a && lower(*a) == lower(*b))
        a++, b++;
    return lower(*a) == lower(*b);
}

enum weir_priority_method weir_priority_method_named(const char *name)
{
    int method = 0;
    while (method < WEIR_PRIORITY_METHODS && !same(names[method], name))
        method++;
    return (enum weir_priority_method)method;
}

bool weir_priority_method_safe(enum weir_priority_method method)
{
    return (unsigned)method < WEIR_PRIORITY_METHODS && method != WEIR_PRIORITY_PJ && method != WEIR_PRIORITY_PJ_IBS;
}

/* ---- certificates in the making ---- */

struct weir_bounds_proof *weir_proof_new(const struct weir_priority_system *s)
{
    size_t n = s->set->task_count, e = s->set->edge_count;
    struct weir_bounds_proof *proof = weir_array_zeroed(1, sizeof *proof);
    if (!proof)
        return NULL;
    proof->task_count = s->set->task_count;
    proof->edge_count = e;
    proof->enable_min = weir_array(n, sizeof *proof->enable_min);
    proof->room = weir_array(e, sizeof *proof->room);
    if (!proof->enable_min || !proof->room) {
        weir_bounds_proof_free(proof);
        return NULL;
    }
    memcpy(proof->enable_min, s->enable_min, n * sizeof *proof->enable_min);
    memcpy(proof->room, s->fixed, e * sizeof *proof->room);
    return proof;
}

static void *copy_of(const void *list, size_t count, size_t size)
{
    void *copy = list ? weir_array(count, size) : NULL;
    if (copy)
        memcpy(copy, list, count * size);
    return copy;
}

bool weir_proof_add(struct weir_bounds_proof *proof, const struct weir_bounds_stage *from)
{
    size_t n = proof->task_count, have = proof->stage_count;
    /* Grown in powers of two. */
    if ((have & (have - 1)) == 0) {
        struct weir_bounds_stage *grown = weir_resize(proof->stages, (have ? 2 * have : 1) * sizeof *grown);
        if (!grown)
            return false;
        proof->stages = grown;
    }
    struct weir_bounds_stage stage = {.base = from->base, .rule = from->rule};
    stage.enable_max = copy_of(from->enable_max, n, sizeof *stage.enable_max);
    stage.finish_max = copy_of(from->finish_max, n, sizeof *stage.finish_max);
    stage.level = copy_of(from->level, n, sizeof *stage.level);
    stage.region = copy_of(from->region, n, sizeof *stage.region);
    if (!stage.enable_max || !stage.finish_max || (from->level && !stage.level) || (from->region && !stage.region)) {
        weir_free(stage.enable_max);
        weir_free(stage.finish_max);
        weir_free(stage.level);
        weir_free(stage.region);
        return false;
    }
    proof->stages[proof->stage_count++] = stage;
    return true;
}

void weir_proof_set_rooms(struct weir_bounds_proof *proof, const struct weir_priority_system *s)
{
    for (size_t e = 0; e < proof->edge_count; e++)
        if (s->set->edges[e].room == WEIR_AUTO && !s->set->edges[e].blocking)
            proof->room[e] = (uint32_t)weir_priority_places(s, e, false);
}

/* ---- latencies ---- */

bool weir_priority_is_fed(const struct weir_pipeline *p, uint32_t op)
{
    for (size_t i = 0; i < p->source_count; i++)
        if (p->sources[i].op.index == op)
            return true;
    return false;
}

/* A shift that weir chose is that of a message, which does not end before it begins. One that was given may be any. */
static bool is_message(const struct weir_pipeline *p, const struct weir_chain_spec *chain)
{
    return !p->shift_given || !p->shift_given[chain - p->chains];
}

/* From the nominal arrival where `from` is fed by the source, and from its enabling where it is not. What ends with a later input
 * waits for that; a sporadic source may never send it. */
bool weir_priority_latency_of(const struct weir_priority_system *s, const struct weir_pipeline *pipeline,
                              const struct weir_chain_spec *chain, struct weir_priority_latency *latency)
{
    uint32_t from = chain->from.index, to = chain->to.index;
    bool fed = weir_priority_is_fed(pipeline, from);
    weir_wide later = (weir_wide)chain->shift * s->period[to];
    weir_wide worst = later + s->finish[to] - (fed ? 0 : s->enable_min[from]);
    weir_wide best = later + s->enable_min[to] + s->set->tasks[to].best - (fed ? 0 : s->enable[from]);
    *latency = (struct weir_priority_latency){.chain = *chain};
    if (worst >= WEIR_TIME_MAX || worst <= -WEIR_TIME_MAX || best >= WEIR_TIME_MAX)
        return false;
    bool sporadic = s->set->graphs[s->set->tasks[to].graph].sporadic;
    if (is_message(pipeline, chain) && best < 0)
        best = 0;
    latency->best = (sporadic && chain->shift < 0) || best <= INT64_MIN ? INT64_MIN : (int64_t)best;
    latency->bounded = chain->shift <= 0 || !sporadic;
    if (latency->bounded)
        latency->worst = (int64_t)worst;
    return true;
}
