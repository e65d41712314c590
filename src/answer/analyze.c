/* SPDX-License-Identifier: Apache-2.0 */
/* Everything weir says about a pipeline: each latency with its witness, gaps between outputs, throughput. */
#include "base/alloc.h"
#include "base/error.h"
#include "base/number.h"
#include "base/task_pool.h"
#include "engine/exact/explain.h"
#include "engine/exact/solver.h"
#include "engine/exact/throughput.h"
#include "model/firings.h"
#include "model/pipeline.h"
#include "simulate/machine.h"
#include "weir.h"

#include <string.h>
#include <unistd.h>

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
    struct part *parts; /* PARTS of each latency */
    struct weir_error *error;
};

/* What is asked of a latency, each by itself: any thread can do it. */
enum { WORST, BEST, GAP, PARTS };

struct part {
    struct weir_separation answer;
    struct weir_witness *witness; /* of the worst, ... */
    char *why;                    /* ... or why there is none */
    bool verified;
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

static enum weir_status explain(const struct analyst *a, const struct weir_query *query, struct part *part)
{
    enum { WORDS = 400 };
    char *words = part->why = weir_array_zeroed(WORDS, 1);
    if (!words)
        return weir_fail_memory(a->error);
    if (part->answer.outcome == WEIR_BRACKET) {
        static const char *const limits[] = {
            [WEIR_LIMIT_NONE] = "another limit was reached",
            [WEIR_LIMIT_WORK] = "the search ended at its limit of work (--limit raises it)",
            [WEIR_LIMIT_MEMORY] = "the tables of the search would outgrow their memory (--memory raises its limit)",
            [WEIR_LIMIT_RANGE] = "times get larger than can be represented (a coarser unit may help)",
        };
        snprintf(words, WORDS, "%s, after %llu arcs: the answer lies in a bracket", limits[part->answer.limit],
                 (unsigned long long)part->answer.relaxations);
        return WEIR_OK;
    }
    return weir_unbounded_explain(a->solver, query, words, WORDS) ? weir_fail_memory(a->error) : WEIR_OK;
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

static struct weir_query query_of(const struct analyst *a, const struct weir_chain_spec *chain)
{
    return (struct weir_query){.from = {.op = chain->from, .moment = arrives(a->pipeline, chain->from) ? WEIR_ARRIVAL : WEIR_START},
                               .to = {.op = chain->to, .moment = WEIR_FINISH},
                               .shift = chain->shift,
                               .work_limit = a->options->work_limit,
                               .memory_limit = a->options->memory_limit};
}

/* The latency of what the executions of `from` send; or (best) the same the other way round. Of executions whose messages the same
 * execution of `to` takes, the first, which never starts later than the others, has the largest latency, and the last the smallest:
 * no other need be asked for. */
static void pose_latency(const struct analyst *a, const struct weir_chain_spec *chain, bool best, struct questions *q)
{
    struct weir_query query = query_of(a, chain), before;
    uint32_t firings = weir_pipeline_firings(a->pipeline, chain->to), sent = (uint32_t)q->count;
    q->count = 0;
    for (uint32_t k = 0; k < sent; k++) {
        before = query;
        query.from.firing = k;
        if (a->routes) {
            int64_t execution = weir_routes_from(a->routes, chain->from, k)[chain->to.index];
            query.to.firing = (uint32_t)(execution % firings);
            query.shift = execution / firings;
        }
        bool same = k > 0 && query.to.firing == before.to.firing && query.shift == before.shift;
        if (best)
            q->list[same ? q->count - 1 : q->count++] = turned(&query);
        else if (!same)
            q->list[q->count++] = query;
    }
}

/* How far successive finishes of `to` lie apart. */
static void pose_gap(const struct analyst *a, const struct weir_chain_spec *chain, struct questions *q)
{
    struct weir_query query = query_of(a, chain);
    query.from = query.to;
    for (uint32_t k = 0, firings = (uint32_t)q->count; k < firings; k++) {
        query.from.firing = k;
        query.to.firing = k + 1 < firings ? k + 1 : 0;
        query.shift = k + 1 == firings;
        q->list[k] = query;
    }
}

static enum weir_status answer(const struct analyst *a, unsigned kind, struct questions *q, struct part *part)
{
    enum weir_status status = ask_each(a, q);
    part->answer = q->all;
    if (!status && kind == WORST && q->all.outcome == WEIR_EXACT) {
        status = weir_separation_trace(a->solver, &q->list[q->largest], q->all.value, &part->witness, a->error);
        if (status == WEIR_OVERFLOW) /* too large to be told; the bound stands */
            status = WEIR_OK;
    } else if (!status && kind == WORST) {
        status = explain(a, &q->list[q->largest], part);
    }
    if (status || !a->options->verify)
        return status;
    status = verify_each(a, q, part->witness);
    part->verified = !status;
    return status == WEIR_OVERFLOW ? WEIR_OK : status;
}

static enum weir_status ask(const struct analyst *a, const struct weir_chain_spec *chain, unsigned kind, struct part *part)
{
    struct questions q = {0};
    enum weir_status status = WEIR_OK;
    if (make_questions(&q, weir_pipeline_firings(a->pipeline, kind == GAP ? chain->to : chain->from))) {
        if (kind == GAP)
            pose_gap(a, chain, &q);
        else
            pose_latency(a, chain, kind == BEST, &q);
        status = answer(a, kind, &q, part);
    } else {
        status = weir_fail_memory(a->error);
    }
    free_questions(&q);
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

/* ---- one after the other, or by several threads ---- */

/* The parts of all latencies, then the throughput. */
static enum weir_status perform(const struct analyst *a, size_t task)
{
    const struct weir_analysis *analysis = &a->answer->analysis;
    if (task == analysis->latency_count * PARTS)
        return ask_throughput(a);
    return ask(a, &analysis->latencies[task / PARTS].chain, (unsigned)(task % PARTS), &a->parts[task]);
}

/* Threads pay from so many arcs on that are still to be looked at. */
#define TOGETHER_FROM UINT64_C(200000)

static bool is_large(const struct weir_graph *g)
{
    uint32_t deepest = g->token_count_count ? g->token_counts[g->token_count_count - 1] : 0;
    return (uint64_t)g->arc_count * (deepest + UINT64_C(1)) > TOGETHER_FROM;
}

struct together {
    const struct analyst *analyst;
    size_t done, count;
};

static enum weir_status enter(const void *context, void **scratch, struct weir_error *error)
{
    const struct together *t = context;
    *scratch = weir_solver_new(t->analyst->pipeline, error);
    return *scratch ? WEIR_OK : WEIR_MEMORY;
}

static void leave(void *scratch)
{
    weir_solver_free(scratch);
}

static enum weir_status perform_one(void *scratch, const void *context, uint64_t task, const void *hint, void *result,
                                    struct weir_error *error)
{
    const struct together *t = context;
    struct analyst own = *t->analyst;
    (void)hint;
    (void)result;
    own.solver = scratch;
    own.error = error;
    return perform(&own, t->done + (size_t)task);
}

/* Every thread has tables of its own, each of which may take what the limit allows: together no more than half the memory. */
static unsigned threads_of(const struct analyst *a)
{
    enum { THREADS_MAX = 8 };
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE), cores = sysconf(_SC_NPROCESSORS_ONLN);
    uint64_t limit = a->options->memory_limit ? a->options->memory_limit : WEIR_MEMORY_DEFAULT;
    uint64_t fit = pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page / 2 / limit : 1;
    uint64_t threads = a->options->threads ? a->options->threads : cores < 1 ? 1 : (uint64_t)cores;
    threads = threads < fit ? threads : fit;
    return threads < 1 ? 1 : threads < THREADS_MAX ? (unsigned)threads : THREADS_MAX;
}

static void show(void *context, unsigned permille)
{
    const struct together *t = context;
    const struct weir_analyze_options *options = t->analyst->options;
    if (options->progress)
        options->progress(options->context, (unsigned)((t->done * 1000 + (t->count - t->done) * permille) / t->count));
}

static enum weir_status perform_together(const struct analyst *a, size_t done, size_t count)
{
    struct together t = {a, done, count};
    const struct weir_task_pool_work work = {
        .count = count - done, .context = &t, .enter = enter, .leave = leave, .perform = perform_one};
    const struct weir_task_pool_options options = {.threads = threads_of(a), .progress = show, .context = &t, .here = true};
    uint8_t *finished = weir_array_zeroed(count - done, 1);
    enum weir_status status =
        finished ? weir_task_pool_run(&work, &options, a->parts, finished, a->error) : weir_fail_memory(a->error);
    weir_free(finished);
    return status;
}

static enum weir_status ask_all(const struct analyst *a)
{
    size_t done = 0, count = a->answer->analysis.latency_count * PARTS + 1;
    uint64_t arcs = is_large(a->pipeline->graph) ? TOGETHER_FROM : 0;
    enum weir_status status = WEIR_OK;
    bool alone = a->options->threads == 1;
    for (; done < count && !status && (alone || arcs < TOGETHER_FROM || done + 1 == count); done++) {
        status = perform(a, done);
        arcs += done + 1 < count ? a->parts[done].answer.relaxations : 0;
        if (a->options->progress)
            a->options->progress(a->options->context, (unsigned)((done + 1) * 1000 / count));
    }
    return status || done == count ? status : perform_together(a, done, count);
}

/* Puts the parts of each latency together. */
static enum weir_status join(const struct analyst *a)
{
    enum weir_status status = WEIR_OK;
    for (size_t i = 0; i < a->answer->analysis.latency_count; i++) {
        struct weir_latency *latency = &a->answer->latencies[i];
        struct part *parts = a->parts + i * PARTS;
        latency->worst = parts[WORST].answer;
        latency->best = parts[BEST].answer;
        latency->gap = parts[GAP].answer;
        latency->witness = parts[WORST].witness;
        latency->verified =
            latency->worst.outcome == WEIR_EXACT && parts[WORST].verified && parts[BEST].verified && parts[GAP].verified;
        if (parts[WORST].why && !(latency->why = weir_arena_text(&a->answer->arena, parts[WORST].why)))
            status = weir_fail_memory(a->error);
        weir_free(parts[WORST].why);
    }
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
    a.parts = weir_array_zeroed(pipeline->chain_count, PARTS * sizeof *a.parts);
    struct weir_latency *latencies = weir_array_zeroed(pipeline->chain_count, sizeof *latencies);
    enum weir_status status;
    if (!a.answer || !a.parts || !latencies || (pipeline->firings && !a.routes)) {
        weir_free(latencies);
        status = weir_fail_memory(error);
    } else {
        a.answer->analysis =
            (struct weir_analysis){.pipeline = pipeline, .latencies = latencies, .latency_count = pipeline->chain_count};
        a.answer->latencies = latencies;
        for (size_t i = 0; i < pipeline->chain_count; i++)
            latencies[i].chain = pipeline->chains[i];
        status = ask_all(&a);
        enum weir_status joined = join(&a);
        status = status ? status : joined;
    }
    weir_free(a.parts);
    weir_solver_free(a.solver);
    weir_routes_free(a.routes);
    if (status) {
        weir_analysis_free(a.answer ? &a.answer->analysis : NULL);
        return status;
    }
    *analysis = &a.answer->analysis;
    return WEIR_OK;
}
