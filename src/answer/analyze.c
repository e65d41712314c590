/* SPDX-License-Identifier: Apache-2.0 */
/* Everything weir says about a pipeline: each latency with its witness, gaps between outputs, throughput. */
#include "base/alloc.h"
#include "base/error.h"
#include "base/number.h"
#include "engine/exact/explain.h"
#include "engine/exact/solver.h"
#include "engine/exact/throughput.h"
#include "model/firings.h"
#include "model/pipeline.h"
#include "simulate/machine.h"
#include "weir.h"

#include <string.h>

struct answer {
    struct weir_analysis analysis; /* first, so that it can be freed by its address */
    struct weir_arena arena;
    struct weir_latency *latencies;
    struct weir_operator *bottleneck;
};

struct analyst {
    const struct weir_pipeline *pipeline;
    const struct weir_analyze_options *options;
    struct weir_solver *solver;
    struct weir_routes *routes; /* only where operators execute several times per iteration */
    struct answer *answer;
    struct weir_error *error;
};

void weir_analysis_free(struct weir_analysis *analysis)
{
    struct answer *a = (struct answer *)analysis;
    if (!a)
        return;
    for (size_t i = 0; i < a->analysis.latency_count; i++)
        weir_witness_free(a->latencies[i].witness);
    weir_free(a->latencies);
    weir_free(a->bottleneck);
    weir_arena_free(&a->arena);
    weir_free(a);
}

static bool arrives(const struct weir_pipeline *p, struct weir_operator op)
{
    for (size_t i = 0; i < p->source_count; i++)
        if (p->sources[i].op.index == op.index && p->sources[i].arrivals == WEIR_ARRIVALS_EXACT)
            return true;
    return false;
}

static struct weir_query turned(const struct weir_query *query)
{
    struct weir_query other = *query;
    other.from = query->to;
    other.to = query->from;
    other.shift = -query->shift;
    return other;
}

/* Executions that a replay may take: some ten seconds. */
#define REPLAY_MAX INT64_C(400000000)

/* Replays the witness, in the simulator, and checks that nothing exceeds it, by the certificate. WEIR_OVERFLOW: not to be done
 * within the limits, which says nothing against the answer. */
static enum weir_status verify(const struct analyst *a, const struct weir_query *query, const struct weir_separation *claim,
                               const struct weir_witness *known)
{
    struct weir_witness *own = NULL;
    enum weir_status status = WEIR_OK;
    struct weir_replay_watch replay = {.starts_max = REPLAY_MAX};
    bool holds = false;
    if (claim->outcome != WEIR_EXACT)
        return WEIR_OK;
    if (!known) {
        status = weir_separation_trace(a->solver, query, claim->value, &own, a->error);
        known = own;
    }
    if (!status)
        status = weir_witness_watch(a->pipeline, known, &replay, a->error);
    if (!status && replay.to - replay.from != claim->value)
        status =
            weir_fail(a->error, WEIR_INTERNAL, "verification failed: the witness replays to %lld ticks, not to the bound of %lld",
                      (long long)(replay.to - replay.from), (long long)claim->value);
    if (!status)
        status = weir_separation_certify(a->solver, query, claim->value, &holds, a->error);
    if (!status && !holds)
        status = weir_fail(a->error, WEIR_INTERNAL, "verification failed: the certificate of the bound of %lld ticks does not hold",
                           (long long)claim->value);
    weir_witness_free(own);
    return status;
}

static enum weir_status explain(const struct analyst *a, const struct weir_query *query, struct weir_latency *latency)
{
    char words[400] = "";
    if (latency->worst.outcome == WEIR_BRACKET) {
        static const char *const limits[] = {
            [WEIR_LIMIT_NONE] = "another limit was reached",
            [WEIR_LIMIT_WORK] = "the search ended at its limit of work (--limit raises it)",
            [WEIR_LIMIT_MEMORY] = "the tables of the search would outgrow their memory (--memory raises its limit)",
            [WEIR_LIMIT_RANGE] = "times get larger than can be represented (a coarser unit may help)",
        };
        snprintf(words, sizeof words, "%s, after %llu arcs: the answer lies in a bracket", limits[latency->worst.limit],
                 (unsigned long long)latency->worst.relaxations);
    } else {
        enum weir_status status = weir_unbounded_explain(a->solver, query, words, sizeof words);
        if (status)
            return weir_fail_memory(a->error);
    }
    latency->why = weir_arena_text(&a->answer->arena, words);
    return latency->why ? WEIR_OK : weir_fail_memory(a->error);
}

/* Several queries whose largest answer is wanted: one for each execution in an iteration. */
struct questions {
    struct weir_query *list;
    struct weir_separation *answers;
    size_t count, largest; /* largest: the one whose answer is `all` */
    struct weir_separation all;
};

static bool make_questions(struct questions *q, size_t count)
{
    *q = (struct questions){
        .list = weir_array_zeroed(count, sizeof *q->list), .answers = weir_array_zeroed(count, sizeof *q->answers), .count = count};
    return q->list && q->answers;
}

static void free_questions(struct questions *q)
{
    weir_free(q->list);
    weir_free(q->answers);
}

/* What is known of the larger of two, of which `b` is new. */
static struct weir_separation larger(const struct weir_separation *a, const struct weir_separation *b, bool *new)
{
    struct weir_separation both = *a;
    int64_t b_lower = b->outcome == WEIR_EXACT ? b->value : b->lower, b_upper = b->outcome == WEIR_EXACT ? b->value : b->upper;
    int64_t a_lower = a->outcome == WEIR_EXACT ? a->value : a->lower, a_upper = a->outcome == WEIR_EXACT ? a->value : a->upper;
    *new = false;
    if (a->outcome == WEIR_NO_EVENTS || (b->outcome == WEIR_NO_BOUND && a->outcome != WEIR_NO_BOUND)) {
        both = *b;
        *new = true;
    } else if (a->outcome != WEIR_NO_BOUND && b->outcome != WEIR_NO_EVENTS) {
        *new = b_upper > a_upper || (b_upper == a_upper && b_lower > a_lower);
        both = *new ? *b : *a;
        both.lower = a_lower > b_lower ? a_lower : b_lower;
        both.upper = a_upper > b_upper ? a_upper : b_upper;
        both.outcome = both.lower == both.upper ? WEIR_EXACT : WEIR_BRACKET;
        both.value = both.outcome == WEIR_EXACT ? both.lower : both.value;
    }
    both.relaxations = a->relaxations + b->relaxations;
    both.passes = a->passes + b->passes;
    return both;
}

static enum weir_status ask_each(const struct analyst *a, struct questions *q)
{
    for (size_t i = 0; i < q->count; i++) {
        enum weir_status status = weir_separation_worst(a->solver, &q->list[i], &q->answers[i], a->error);
        bool new = true;
        if (status)
            return status;
        q->all = i ? larger(&q->all, &q->answers[i], &new) : q->answers[i];
        q->largest = new ? i : q->largest;
    }
    return WEIR_OK;
}

/* `known`: a witness of the largest, or NULL. */
static enum weir_status verify_each(const struct analyst *a, const struct questions *q, const struct weir_witness *known)
{
    enum weir_status status = WEIR_OK;
    for (size_t i = 0; i < q->count && !status; i++)
        status = verify(a, &q->list[i], &q->answers[i], i == q->largest ? known : NULL);
    return status;
}

/* The latency of what the executions of `from` send, in `worst`; the same the other way round in `best`; and how far successive
 * finishes of `to` lie apart. Of executions whose messages the same execution of `to` takes, the first, which never starts later
 * than the others, has the largest latency, and the last the smallest: no other need be asked for. */
static void pose(const struct analyst *a, const struct weir_chain_spec *chain, struct questions *worst, struct questions *best,
                 struct questions *gap)
{
    const struct weir_pipeline *p = a->pipeline;
    struct weir_query query = {.from = {.op = chain->from, .moment = arrives(p, chain->from) ? WEIR_ARRIVAL : WEIR_START},
                               .to = {.op = chain->to, .moment = WEIR_FINISH},
                               .shift = chain->shift,
                               .work_limit = a->options->work_limit,
                               .memory_limit = a->options->memory_limit};
    uint32_t firings = weir_pipeline_firings(p, chain->to), sent = (uint32_t)worst->count;
    worst->count = best->count = 0;
    for (uint32_t k = 0; k < sent; k++) {
        struct weir_query before = query;
        query.from.firing = k;
        if (a->routes) {
            int64_t execution = weir_routes_from(a->routes, chain->from, k)[chain->to.index];
            query.to.firing = (uint32_t)(execution % firings);
            query.shift = execution / firings;
        }
        bool same = k > 0 && query.to.firing == before.to.firing && query.shift == before.shift;
        if (!same)
            worst->list[worst->count++] = query;
        best->list[same ? best->count - 1 : best->count++] = turned(&query);
    }
    for (uint32_t k = 0; k < firings; k++) {
        query.from = query.to;
        query.from.firing = k;
        query.to.firing = k + 1 < firings ? k + 1 : 0;
        query.shift = k + 1 == firings;
        gap->list[k] = query;
    }
}

static enum weir_status answer(const struct analyst *a, struct weir_latency *latency, struct questions *worst,
                               struct questions *best, struct questions *gap)
{
    enum weir_status status = ask_each(a, worst);
    const struct weir_query *query = &worst->list[worst->largest];
    latency->worst = worst->all;
    if (!status && latency->worst.outcome == WEIR_EXACT) {
        status = weir_separation_trace(a->solver, query, latency->worst.value, &latency->witness, a->error);
        if (status == WEIR_OVERFLOW) /* too large to be told; the bound stands */
            status = WEIR_OK;
    } else if (!status) {
        status = explain(a, query, latency);
    }
    if (!status)
        status = ask_each(a, best);
    if (!status)
        status = ask_each(a, gap);
    latency->best = best->all;
    latency->gap = gap->all;
    if (status)
        return status;
    if (!a->options->verify)
        return WEIR_OK;
    status = verify_each(a, worst, latency->witness);
    if (!status)
        status = verify_each(a, best, NULL);
    if (!status)
        status = verify_each(a, gap, NULL);
    latency->verified = !status && latency->worst.outcome == WEIR_EXACT;
    return status == WEIR_OVERFLOW ? WEIR_OK : status;
}

static enum weir_status ask(const struct analyst *a, struct weir_latency *latency)
{
    struct questions worst = {0}, best = {0}, gap = {0};
    uint32_t firings = weir_pipeline_firings(a->pipeline, latency->chain.from);
    enum weir_status status = WEIR_OK;
    if (make_questions(&worst, firings) && make_questions(&best, firings) &&
        make_questions(&gap, weir_pipeline_firings(a->pipeline, latency->chain.to))) {
        pose(a, &latency->chain, &worst, &best, &gap);
        status = answer(a, latency, &worst, &best, &gap);
    } else {
        status = weir_fail_memory(a->error);
    }
    free_questions(&worst);
    free_questions(&best);
    free_questions(&gap);
    return status;
}

static enum weir_status ask_throughput(const struct analyst *a)
{
    struct weir_throughput_answer *t = &a->answer->analysis.throughput;
    struct weir_pace pace;
    struct weir_operator slowest;
    enum weir_status status = weir_pace_find(&pace, a->pipeline, false, a->error);
    if (!status)
        status = weir_pace_outputs(&pace, &t->best_period, &slowest, a->error);
    weir_pace_free(&pace);
    if (status)
        return status;
    status = weir_pace_find(&pace, a->pipeline, true, a->error);
    if (!status)
        status = weir_pace_outputs(&pace, &t->period, &slowest, a->error);
    if (!status && !(a->answer->bottleneck = weir_pace_cycle(&pace, slowest, &t->bottleneck_count)))
        status = weir_fail_memory(a->error);
    t->bottleneck = a->answer->bottleneck;
    weir_pace_free(&pace);
    return status;
}

static void report_progress(const struct analyst *a, size_t done, size_t all)
{
    if (a->options->progress)
        a->options->progress(a->options->context, (unsigned)(done * 1000 / all));
}

static enum weir_status ask_all(const struct analyst *a)
{
    size_t count = a->answer->analysis.latency_count;
    for (size_t i = 0; i < count; i++) {
        enum weir_status status = ask(a, &a->answer->latencies[i]);
        if (status)
            return status;
        report_progress(a, i + 1, count + 1);
    }
    enum weir_status status = ask_throughput(a);
    report_progress(a, count + 1, count + 1);
    return status;
}

enum weir_status weir_analyze(const struct weir_pipeline *pipeline, const struct weir_analyze_options *options,
                              struct weir_analysis **analysis, struct weir_error *error)
{
    static const struct weir_analyze_options defaults;
    struct analyst a = {.pipeline = pipeline, .options = options ? options : &defaults, .error = error};
    *analysis = NULL;
    a.solver = weir_solver_new(pipeline, error);
    if (!a.solver)
        return weir_pipeline_require_threads(pipeline, NULL) ? WEIR_INVALID : WEIR_MEMORY;
    a.routes = pipeline->firings ? weir_routes_new(pipeline) : NULL;
    a.answer = weir_array_zeroed(1, sizeof *a.answer);
    struct weir_latency *latencies = weir_array_zeroed(pipeline->chain_count, sizeof *latencies);
    enum weir_status status;
    if (!a.answer || !latencies || (pipeline->firings && !a.routes)) {
        weir_free(latencies);
        status = weir_fail_memory(error);
    } else {
        a.answer->analysis =
            (struct weir_analysis){.pipeline = pipeline, .latencies = latencies, .latency_count = pipeline->chain_count};
        a.answer->latencies = latencies;
        for (size_t i = 0; i < pipeline->chain_count; i++)
            latencies[i].chain = pipeline->chains[i];
        status = ask_all(&a);
    }
    weir_solver_free(a.solver);
    weir_routes_free(a.routes);
    if (status) {
        weir_analysis_free(a.answer ? &a.answer->analysis : NULL);
        return status;
    }
    *analysis = &a.answer->analysis;
    return WEIR_OK;
}
