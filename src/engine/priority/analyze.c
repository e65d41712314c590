/* SPDX-License-Identifier: Apache-2.0 */
/* What weir says about operators on shared processors: runs the method, and turns bounds of tasks into an answer about a pipeline.
 */
#include "base/error.h"
#include "check/priority/refute.h"
#include "engine/priority/system.h"
#include "engine/priority/window.h"
#include "model/pipeline.h"

#include <string.h>

#define WORK_DEFAULT UINT64_C(1000000000)

struct answer {
    struct weir_priority_analysis analysis; /* first, so that it can be freed by its address */
    struct weir_arena arena;
};

struct analyst {
    const struct weir_pipeline *pipeline;
    const struct weir_priority_options *options;
    struct answer *answer;
    struct weir_method_run run;
    struct weir_refutation refutation;
};

void weir_priority_analysis_free(struct weir_priority_analysis *analysis)
{
    struct answer *a = (struct answer *)analysis;
    if (!a)
        return;
    weir_bounds_proof_free(a->analysis.proof);
    weir_arena_free(&a->arena);
    weir_free(a);
}

static int64_t latency_limit(const struct analyst *a)
{
    const struct weir_taskset *set = a->pipeline->taskset;
    weir_wide period = 0, jitter = 0;
    if (a->options->latency_limit > 0)
        return a->options->latency_limit;
    if (a->pipeline->latency_limit > 0)
        return a->pipeline->latency_limit;
    for (uint32_t g = 0; g < set->graph_count; g++) {
        period = set->graphs[g].period > period ? set->graphs[g].period : period;
        jitter = set->graphs[g].jitter > jitter ? set->graphs[g].jitter : jitter;
    }
    weir_wide limit = 60 * period + 4 * jitter;
    return limit < WEIR_TIME_MAX ? (int64_t)limit : WEIR_TIME_MAX;
}

static void *take(const struct analyst *a, size_t count, size_t size)
{
    void *block = weir_arena_take(&a->answer->arena, count ? count * size : 1);
    if (block)
        memset(block, 0, count * size);
    return block;
}

/* ---- operators ---- */

/* The window that explains an operator's finish, and the operators in it. */
static bool explain(const struct analyst *a, uint32_t i, struct weir_execution_bounds *bounds)
{
    struct weir_priority_system *s = a->run.system;
    struct weir_window window;
    uint32_t rivals = s->first[i + 1] - s->first[i];
    size_t listed = 0;
    struct weir_window_interest any = {0, WEIR_PRIORITY_FAR};
    if (weir_window_longest(s, a->run.rule, i, any, &window) != WEIR_WINDOW_FOUND)
        return true;
    bounds->iterations = window.iterations;
    bounds->window = window.length;
    weir_window_counts(s, i, &window, s->offsets);
    for (uint32_t r = 0; r < rivals; r++)
        listed += s->offsets[r] > 0;
    struct weir_interference *list = take(a, listed, sizeof *list);
    if (!list)
        return false;
    bounds->interference = list;
    for (uint32_t r = 0; r < rivals; r++) {
        if (s->offsets[r] == 0)
            continue;
        size_t at = bounds->interference_count++; /* rivals are ordered by graph; operators are to be ordered by number */
        uint32_t j = s->rivals[s->first[i] + r].task;
        for (; at > 0 && list[at - 1].op.index > j; at--)
            list[at] = list[at - 1];
        list[at] = (struct weir_interference){{j}, s->offsets[r]};
    }
    return true;
}

static bool tell_operators(const struct analyst *a)
{
    struct weir_priority_analysis *analysis = &a->answer->analysis;
    const struct weir_priority_system *s = a->run.system;
    struct weir_execution_bounds *list = take(a, s->set->task_count, sizeof *list);
    if (!list)
        return false;
    analysis->operators = list;
    for (uint32_t i = 0; i < s->set->task_count; i++) {
        list[i].enable_min = s->enable_min[i];
        if (analysis->outcome != WEIR_PRIORITY_CONVERGED)
            continue;
        list[i].enable_max = s->enable[i];
        list[i].finish_max = s->finish[i];
        if (!explain(a, i, &list[i]))
            return false;
    }
    return true;
}

/* ---- buffers ---- */

static bool tell_buffers(const struct analyst *a)
{
    struct weir_priority_analysis *analysis = &a->answer->analysis;
    const struct weir_priority_system *s = a->run.system;
    const struct weir_taskset *set = s->set;
    if (analysis->outcome != WEIR_PRIORITY_CONVERGED)
        return true;
    struct weir_buffer *list = take(a, set->edge_count, sizeof *list);
    if (!list)
        return false;
    analysis->buffers = list;
    analysis->buffer_count = set->edge_count;
    for (size_t e = 0; e < set->edge_count; e++) {
        const struct weir_task_edge *edge = &set->edges[e];
        bool given = edge->room != WEIR_AUTO && edge->room != WEIR_UNBOUNDED;
        int64_t capacity = weir_priority_capacity(s, e);
        bool input = edge->from == WEIR_FROM_SOURCE;
        list[e] = (struct weir_buffer){.input = input,
                                       .index = (uint32_t)(input ? e - a->pipeline->queue_count : e),
                                       .capacity = capacity < WEIR_AUTO ? (uint32_t)capacity : WEIR_AUTO - 1,
                                       .chosen = !given};
        analysis->buffer_total += capacity;
    }
    return true;
}

/* ---- latencies ---- */

static enum weir_status tell_latencies(const struct analyst *a, struct weir_error *error)
{
    struct weir_priority_analysis *analysis = &a->answer->analysis;
    struct weir_priority_latency *list = take(a, a->pipeline->chain_count, sizeof *list);
    if (!list)
        return weir_fail_memory(error);
    const struct weir_refuted *claims =
        analysis->plans ? a->refutation.claims : NULL; /* NULL: all have no bound, or none is shown */
    analysis->latencies = list;
    analysis->latency_count = a->pipeline->chain_count;
    for (size_t i = 0; i < a->pipeline->chain_count; i++) {
        list[i].chain = a->pipeline->chains[i];
        list[i].unbounded = analysis->outcome == WEIR_PRIORITY_UNBOUNDED && (!claims || claims[i].unbounded);
        if (analysis->outcome != WEIR_PRIORITY_CONVERGED)
            continue;
        if (!weir_priority_latency_of(a->run.system, a->pipeline, &a->pipeline->chains[i], &list[i]))
            return weir_fail(error, WEIR_OVERFLOW, "a latency does not fit; a coarser unit may help");
    }
    return WEIR_OK;
}

/* How much less it is if it counts from the actual arrival of the input. Without a bound that is certified it is not known. */
static enum weir_status tell_arrivals(const struct analyst *a, struct weir_error *error)
{
    const struct weir_priority_system *s = a->run.system;
    struct weir_priority_analysis *analysis = &a->answer->analysis;
    struct weir_priority_latency *list = (struct weir_priority_latency *)analysis->latencies;
    bool jitter = false;
    for (size_t i = 0; i < analysis->latency_count; i++)
        list[i].worst_arrival = list[i].worst;
    for (uint32_t g = 0; g < s->set->graph_count; g++)
        jitter |= s->set->graphs[g].jitter > 0;
    if (analysis->outcome != WEIR_PRIORITY_CONVERGED || !jitter || !analysis->proof)
        return WEIR_OK;
    int64_t *after = analysis->proof->after = weir_array(s->set->task_count, sizeof *after);
    if (!after || !weir_priority_arrivals(a->run.system, after))
        return weir_fail_memory(error);
    for (size_t i = 0; i < analysis->latency_count; i++) {
        const struct weir_chain_spec *chain = &list[i].chain;
        if (list[i].bounded && chain->shift == 0 && weir_priority_is_fed(a->pipeline, chain->from.index))
            list[i].worst_arrival = after[chain->to.index];
    }
    return WEIR_OK;
}

/* ---- what it tells ---- */

static enum weir_status tell(const struct analyst *a, struct weir_error *error)
{
    struct weir_priority_analysis *analysis = &a->answer->analysis;
    const struct weir_priority_system *s = a->run.system;
    char words[WEIR_PRIORITY_WORDS];
    analysis->outcome = a->run.outcome;
    analysis->variant = a->run.variant;
    analysis->proof = a->run.proof;
    if (a->refutation.plans) {
        uint64_t *plans = take(a, a->refutation.plan_count, sizeof *plans);
        if (!plans)
            return weir_fail_memory(error);
        memcpy(plans, a->refutation.plans, a->refutation.plan_count * sizeof *plans);
        analysis->plans = plans;
        analysis->plan_count = a->refutation.plan_count;
    }
    analysis->rounds = s->rounds;
    analysis->windows = s->windows;
    a->run.system->work = 0; /* what explains the answer is not denied to it */
    if (analysis->outcome != WEIR_PRIORITY_CONVERGED) {
        weir_priority_reason_write(s, a->pipeline, words);
        analysis->why = weir_arena_text(&a->answer->arena, words);
        if (!analysis->why)
            return weir_fail_memory(error);
    }
    enum weir_status status = tell_latencies(a, error);
    if (!status)
        status = tell_arrivals(a, error);
    if (status)
        return status;
    return tell_buffers(a) && tell_operators(a) ? WEIR_OK : weir_fail_memory(error);
}

/* ---- that there is none ---- */

/* The latencies that are asked for. */
static bool make_claims(struct analyst *a)
{
    const struct weir_pipeline *p = a->pipeline;
    struct weir_refuted *claims = take(a, p->chain_count, sizeof *claims);
    for (size_t i = 0; claims && i < p->chain_count; i++)
        claims[i] = (struct weir_refuted){
            .from = p->chains[i].from.index, .to = p->chains[i].to.index, .fed = weir_priority_is_fed(p, p->chains[i].from.index)};
    a->refutation.claims = claims;
    a->refutation.claim_count = p->chain_count;
    return claims != NULL;
}

static enum weir_status verify_refutation(struct analyst *a, bool *holds)
{
    struct weir_priority_analysis *analysis = &a->answer->analysis;
    if (!make_claims(a))
        return WEIR_MEMORY;
    enum weir_status status = weir_refutation_check(analysis->pipeline->taskset, analysis->plans, analysis->plan_count,
                                                    a->refutation.claims, a->refutation.claim_count, holds);
    for (size_t i = 0; i < analysis->latency_count && *holds; i++)
        *holds = a->refutation.claims[i].unbounded || !analysis->latencies[i].unbounded;
    return status;
}

/* ---- the whole ---- */

static enum weir_status verify(struct analyst *a, struct weir_error *error)
{
    struct weir_priority_analysis *analysis = &a->answer->analysis;
    char why[160] = "the executions do not show that there is no bound";
    bool holds = false;
    if (!analysis->proof && !analysis->plans)
        return WEIR_OK;
    enum weir_status status = analysis->plans ? verify_refutation(a, &holds)
                                              : weir_bounds_check(analysis->pipeline->taskset, analysis->proof, &holds, why);
    if (status == WEIR_MEMORY)
        return weir_fail_memory(error);
    if (!status && !holds)
        return weir_fail(error, WEIR_INTERNAL, "verification failed: %s", why);
    analysis->verified = status == WEIR_OK; /* not where it would take too long */
    return WEIR_OK;
}

static enum weir_status run_method(struct analyst *a, struct weir_error *error)
{
    struct weir_priority_system *s = a->run.system;
    enum weir_priority_method method = a->options->method;
    a->run.variant = weir_priority_method_name(method);
    a->run.outcome = weir_load_check(s);
    if (a->run.outcome != WEIR_PRIORITY_CONVERGED)
        return WEIR_OK;
    enum weir_status status = method == WEIR_PRIORITY_BEST ? weir_method_portfolio(&a->run) : weir_method_single(&a->run, method);
    bool open = a->run.outcome == WEIR_PRIORITY_VIOLATED || a->run.outcome == WEIR_PRIORITY_LIMIT;
    if (!status && open && method == WEIR_PRIORITY_BEST && !a->options->quick && s->work <= s->work_limit &&
        (!make_claims(a) || !weir_priority_refute(&a->run, &a->refutation)))
        status = WEIR_MEMORY;
    open = a->run.outcome == WEIR_PRIORITY_VIOLATED || a->run.outcome == WEIR_PRIORITY_LIMIT;
    if (!status && open && method == WEIR_PRIORITY_BEST && !a->options->quick && s->work <= s->work_limit)
        status = weir_method_reach(&a->run);
    return status ? weir_fail_memory(error) : WEIR_OK;
}

enum weir_status weir_priority_analyze(const struct weir_pipeline *pipeline, const struct weir_priority_options *options,
                                       struct weir_priority_analysis **analysis, struct weir_error *error)
{
    static const struct weir_priority_options defaults;
    struct analyst a = {.pipeline = pipeline, .options = options ? options : &defaults};
    struct weir_priority_system system = {0};
    *analysis = NULL;
    enum weir_status status = weir_pipeline_require(pipeline, WEIR_PLATFORM_PROCESSORS, error);
    if (status)
        return status;
    if ((unsigned)a.options->method >= WEIR_PRIORITY_METHODS || a.options->latency_limit < 0)
        return weir_fail(error, WEIR_INVALID, "no such method of analysis, or a negative latency limit");
    a.answer = weir_array_zeroed(1, sizeof *a.answer);
    if (!a.answer)
        return weir_fail_memory(error);
    a.answer->analysis = (struct weir_priority_analysis){
        .pipeline = pipeline, .method = a.options->method, .safe = weir_priority_method_safe(a.options->method)};
    a.run.system = &system;
    a.run.pipeline = pipeline;
    system.latency_limit = latency_limit(&a);
    system.work_limit = a.options->work_limit ? a.options->work_limit : WORK_DEFAULT;
    system.report_at = a.options->progress ? 0 : UINT64_MAX;
    system.progress = a.options->progress;
    system.context = a.options->context;
    status = weir_priority_system_open(&system, pipeline->taskset, error);
    if (!status)
        status = run_method(&a, error);
    if (!status)
        status = tell(&a, error);
    else
        weir_bounds_proof_free(a.run.proof);
    if (!status && a.options->verify)
        status = verify(&a, error);
    weir_priority_system_close(&system);
    if (status) {
        weir_priority_analysis_free(&a.answer->analysis);
        return status;
    }
    *analysis = &a.answer->analysis;
    return WEIR_OK;
}
