/* SPDX-License-Identifier: Apache-2.0 */
/* Everything weir says about a pipeline: each latency with its witness, gaps between outputs, throughput. */
#include "base/alloc.h"
#include "base/error.h"
#include "base/number.h"
#include "exact/explain.h"
#include "exact/solver.h"
#include "model/pipeline.h"
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

static bool too_long(const struct analyst *a, const struct weir_witness *witness)
{
    int64_t iterations, later = witness->query.shift > 0 ? witness->query.shift : 0;
    return !weir_add(witness->iteration, later, &iterations) || iterations > REPLAY_MAX / (int64_t)a->pipeline->operator_count;
}

/* Replays the witness, in the simulator, and checks that nothing exceeds it, by the certificate. WEIR_OVERFLOW: not to be done
 * within the limits, which says nothing against the answer. */
static enum weir_status verify(const struct analyst *a, const struct weir_query *query, const struct weir_separation *claim,
                               const struct weir_witness *known)
{
    struct weir_witness *own = NULL;
    enum weir_status status = WEIR_OK;
    int64_t replayed = 0;
    bool holds = false;
    if (claim->outcome != WEIR_EXACT)
        return WEIR_OK;
    if (!known) {
        status = weir_separation_witness(a->solver, query, &own, a->error);
        known = own;
    }
    if (!status && too_long(a, known))
        status = WEIR_OVERFLOW;
    if (!status)
        status = weir_witness_replay(a->pipeline, known, &replayed, a->error);
    if (!status && replayed != claim->value)
        status =
            weir_fail(a->error, WEIR_INTERNAL, "verification failed: the witness replays to %lld ticks, not to the bound of %lld",
                      (long long)replayed, (long long)claim->value);
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
        uint64_t limit = query->work_limit ? query->work_limit : WEIR_WORK_DEFAULT;
        snprintf(words, sizeof words, "a limit was reached after %llu arcs%s: the answer lies in a bracket",
                 (unsigned long long)latency->worst.relaxations,
                 latency->worst.relaxations < limit ? " (times that do not fit, or tables over 1 GiB; a coarser unit may help)"
                                                    : "");
    } else {
        enum weir_status status = weir_unbounded_explain(a->solver, query, words, sizeof words);
        if (status)
            return weir_fail_memory(a->error);
    }
    latency->why = weir_arena_text(&a->answer->arena, words);
    return latency->why ? WEIR_OK : weir_fail_memory(a->error);
}

static enum weir_status ask(const struct analyst *a, struct weir_latency *latency)
{
    const struct weir_pair_spec *pair = &latency->pair;
    struct weir_query query = {.from = {pair->from, arrives(a->pipeline, pair->from) ? WEIR_ARRIVAL : WEIR_START},
                               .to = {pair->to, WEIR_FINISH},
                               .shift = pair->shift,
                               .work_limit = a->options->work_limit};
    struct weir_query best = turned(&query), gap = {.from = query.to, .to = query.to, .shift = 1, .work_limit = query.work_limit};
    enum weir_status status = weir_separation_worst(a->solver, &query, &latency->worst, a->error);
    if (!status && latency->worst.outcome == WEIR_EXACT) {
        status = weir_separation_witness(a->solver, &query, &latency->witness, a->error);
        if (status == WEIR_OVERFLOW) /* too large to be told; the bound stands */
            status = WEIR_OK;
    } else if (!status) {
        status = explain(a, &query, latency);
    }
    if (!status)
        status = weir_separation_worst(a->solver, &best, &latency->best, a->error);
    if (!status)
        status = weir_separation_worst(a->solver, &gap, &latency->gap, a->error);
    if (status)
        return status;
    if (pair->has_deadline) {
        const struct weir_separation *w = &latency->worst;
        latency->deadline_met =
            w->outcome == WEIR_EXACT ? w->value <= pair->deadline : w->outcome == WEIR_BRACKET && w->upper <= pair->deadline;
    }
    if (!a->options->verify)
        return WEIR_OK;
    status = verify(a, &query, &latency->worst, latency->witness);
    if (!status)
        status = verify(a, &best, &latency->best, NULL);
    if (!status)
        status = verify(a, &gap, &latency->gap, NULL);
    latency->verified = !status && latency->worst.outcome == WEIR_EXACT;
    return status == WEIR_OVERFLOW ? WEIR_OK : status;
}

/* The slowest of the operators that a latency ends at. */
static enum weir_status ask_throughput(const struct analyst *a)
{
    struct weir_throughput_answer *t = &a->answer->analysis.throughput;
    for (size_t i = 0; i < a->answer->analysis.latency_count; i++) {
        struct weir_operator to = a->answer->latencies[i].pair.to, *cycle;
        bool seen = false;
        for (size_t j = 0; j < i && !seen; j++)
            seen = a->answer->latencies[j].pair.to.index == to.index;
        if (seen)
            continue;
        struct weir_ratio period, best;
        size_t count;
        enum weir_status status = weir_throughput(a->pipeline, to, true, &period, &cycle, &count, a->error);
        if (status)
            return status;
        if (a->answer->bottleneck && weir_ratio_compare(period, t->period) <= 0) {
            weir_free(cycle);
            continue;
        }
        weir_free(a->answer->bottleneck);
        a->answer->bottleneck = cycle;
        status = weir_throughput(a->pipeline, to, false, &best, NULL, NULL, a->error);
        if (status)
            return status;
        *t = (struct weir_throughput_answer){period, best, cycle, count};
    }
    return WEIR_OK;
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
    a.answer = weir_array_zeroed(1, sizeof *a.answer);
    struct weir_latency *latencies = weir_array_zeroed(pipeline->pair_count, sizeof *latencies);
    enum weir_status status;
    if (!a.answer || !latencies) {
        weir_free(latencies);
        status = weir_fail_memory(error);
    } else {
        a.answer->analysis =
            (struct weir_analysis){.pipeline = pipeline, .latencies = latencies, .latency_count = pipeline->pair_count};
        a.answer->latencies = latencies;
        for (size_t i = 0; i < pipeline->pair_count; i++) {
            latencies[i].pair = pipeline->pairs[i];
            latencies[i].deadline_met = true;
        }
        status = ask_all(&a);
    }
    weir_solver_free(a.solver);
    if (status) {
        weir_analysis_free(a.answer ? &a.answer->analysis : NULL);
        return status;
    }
    *analysis = &a.answer->analysis;
    return WEIR_OK;
}
