/* SPDX-License-Identifier: Apache-2.0 */
#include "check/edf/flow.h"

#include "check/edf/flow_inside.h"

#include <stdio.h>
#include <string.h>

bool weir_flow_refuse(struct weir_flow_work *w, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (w->why)
        vsnprintf(w->why, 160, format, arguments);
    va_end(arguments);
    return false;
}

void weir_flow_time(const struct weir_flow_work *w, struct weir_ratio value, struct weir_big *time)
{
    weir_flow_part(w, value, 1, 1, time);
}

void weir_flow_part(const struct weir_flow_work *w, struct weir_ratio period, int64_t up, int64_t produce, struct weir_big *time)
{
    weir_big_copy(time, &w->unit);
    weir_big_divide(time, period.denominator);
    weir_big_multiply(time, period.numerator);
    weir_big_divide(time, produce);
    weir_big_multiply(time, up);
}

bool weir_flow_covers(struct weir_flow_work *w, struct weir_ratio claim, const struct weir_big *time)
{
    struct weir_big given, asked;
    weir_big_copy(&given, &w->unit);
    weir_big_multiply(&given, claim.numerator);
    weir_big_copy(&asked, time);
    weir_big_multiply(&asked, claim.denominator);
    if (given.lost || asked.lost)
        w->status = WEIR_OVERFLOW;
    return !w->status && weir_big_compare(&given, &asked) >= 0;
}

/* ---- the shape of the claims ---- */

static bool is_claim(struct weir_ratio r)
{
    return r.denominator > 0 && r.numerator >= 0;
}

static bool operator_is_sane(struct weir_flow_work *w, uint32_t v)
{
    const struct weir_edf_operator *o = &w->analysis->operators[v];
    const struct weir_flow_node *node = &w->flow->nodes[v];
    if (o->cost != node->cost || o->repetitions != node->repetitions || o->period.numerator != node->period.numerator ||
        o->period.denominator != node->period.denominator)
        return weir_flow_refuse(w, "operator %u is not that of the pipeline", v);
    if ((unsigned)o->by >= WEIR_EDF_BOUNDS || !o->applies[o->by] || !is_claim(o->response) || !is_claim(o->offset) ||
        !is_claim(o->utilization))
        return weir_flow_refuse(w, "operator %u: an invalid claim", v);
    for (unsigned b = 0; b < WEIR_EDF_BOUNDS; b++)
        if (o->applies[b] && !is_claim(o->responses[b]))
            return weir_flow_refuse(w, "operator %u: an invalid response", v);
    const struct weir_ratio *named = &o->responses[o->by];
    if (weir_ratio_compare(*named, o->response) > 0)
        return weir_flow_refuse(w, "operator %u: the response is not that of its bound", v);
    return true;
}

static bool shape_holds(struct weir_flow_work *w)
{
    const struct weir_edf_analysis *a = w->analysis;
    if (a->cores == 0 || !a->operators || a->latency_count != w->pipeline->chain_count || (a->latency_count && !a->latencies) ||
        a->buffer_count != w->flow->edge_count || (a->buffer_count && !a->buffers) || !is_claim(a->utilization))
        return weir_flow_refuse(w, "the claims are about another pipeline");
    bool loose = false;
    for (size_t i = 0; i < w->pipeline->source_count; i++)
        loose = loose || w->pipeline->sources[i].sporadic || w->pipeline->sources[i].bursty;
    if (a->sporadic != loose)
        return weir_flow_refuse(w, "the form of the claims is not that of the sources");
    for (uint32_t v = 0; v < w->flow->node_count; v++)
        if (!operator_is_sane(w, v))
            return false;
    for (size_t i = 0; i < a->latency_count; i++)
        if (!is_claim(a->latencies[i].worst) || !is_claim(a->latencies[i].gathering))
            return weir_flow_refuse(w, "latency %zu: an invalid claim", i);
    return true;
}

/* ---- one unit for all times ---- */

static void widen(struct weir_big *unit, int64_t divisor)
{
    struct weir_big rest;
    weir_big_copy(&rest, unit);
    int64_t common = weir_greatest_divisor(divisor, weir_big_divide(&rest, divisor));
    weir_big_multiply(unit, divisor / common);
}

static void find_unit(struct weir_flow_work *w)
{
    weir_big_set(&w->unit, 1);
    for (uint32_t v = 0; v < w->flow->node_count; v++) {
        widen(&w->unit, w->analysis->operators[v].period.denominator);
        widen(&w->unit, w->analysis->operators[v].response.denominator);
        widen(&w->unit, w->analysis->operators[v].offset.denominator);
    }
    for (size_t i = 0; i < w->pipeline->source_count; i++)
        if (w->pipeline->sources[i].count > 1)
            widen(&w->unit, w->pipeline->sources[i].count);
    for (uint32_t i = 0; i < w->flow->edge_count; i++) {
        const struct weir_flow_edge *e = &w->flow->edges[i];
        struct weir_ratio period = w->flow->nodes[e->from].period;
        /* The unit, times the period, is a multiple of the produced samples. */
        struct weir_big rest;
        weir_big_copy(&rest, &w->unit);
        weir_big_divide(&rest, period.denominator);
        weir_big_multiply(&rest, period.numerator);
        int64_t common = weir_greatest_divisor(e->produce, weir_big_divide(&rest, e->produce));
        weir_big_multiply(&w->unit, e->produce / common);
    }
    if (w->unit.lost)
        w->status = WEIR_OVERFLOW;
}

/* ---- the whole ---- */

static bool make_room(struct weir_flow_work *w)
{
    size_t n = w->flow->node_count, loose = w->analysis->sporadic ? n : 0;
    w->share = weir_arena_array(&w->arena, n, sizeof *w->share);
    w->value = weir_arena_array(&w->arena, n, sizeof *w->value);
    w->ranked = weir_arena_array(&w->arena, n, sizeof *w->ranked);
    w->kind = weir_arena_array(&w->arena, n, sizeof *w->kind);
    w->group = weir_arena_array(&w->arena, n, sizeof *w->group);
    w->early = weir_arena_array(&w->arena, n, sizeof *w->early);
    w->slip = weir_arena_array(&w->arena, n, sizeof *w->slip);
    w->seen = weir_arena_array(&w->arena, n, sizeof *w->seen);
    w->origin = weir_arena_array(&w->arena, w->flow->part_count, sizeof *w->origin);
    w->late = weir_arena_array(&w->arena, loose, sizeof *w->late);
    w->high = weir_arena_array(&w->arena, loose, sizeof *w->high);
    w->low = weir_arena_array(&w->arena, loose, sizeof *w->low);
    w->held = weir_arena_array(&w->arena, loose, sizeof *w->held);
    w->longest = weir_arena_array(&w->arena, loose, sizeof *w->longest);
    w->idle = weir_arena_array(&w->arena, loose, sizeof *w->idle);
    w->idles = weir_arena_array(&w->arena, loose, sizeof *w->idles);
    w->need = weir_arena_array(&w->arena, loose, sizeof *w->need);
    return !w->arena.failed;
}

static void give_back(struct weir_flow_work *w)
{
    for (size_t v = 0; w->need && w->analysis->sporadic && v < w->flow->node_count; v++)
        weir_free(w->need[v]);
    weir_arena_free(&w->arena);
}

enum weir_status weir_flow_check(const struct weir_flow_proof *proof, bool *holds, char why[160])
{
    struct weir_flow_work w = {.proof = proof, .analysis = proof->analysis, .why = why};
    *holds = false;
    if (why)
        why[0] = '\0';
    w.pipeline = w.analysis->pipeline;
    if (!w.pipeline || !w.pipeline->flow) {
        weir_flow_refuse(&w, "the claims are about no flow");
        return WEIR_OK;
    }
    w.flow = w.pipeline->flow;
    if (!w.analysis->schedulable) {
        *holds = true;
        return WEIR_OK;
    }
    if (!shape_holds(&w))
        return WEIR_OK;
    if (!make_room(&w))
        w.status = WEIR_MEMORY;
    else
        find_unit(&w);
    if (!w.status)
        *holds = weir_flow_responses_hold(&w) && weir_flow_lines_hold(&w) && weir_flow_follows_hold(&w) &&
                 weir_flow_windows_hold(&w) && weir_flow_latencies_hold(&w) && weir_flow_capacities_hold(&w);
    give_back(&w);
    if (w.status == WEIR_OVERFLOW)
        weir_flow_refuse(&w, "numbers get too long");
    *holds = *holds && !w.status;
    return w.status;
}
