/* SPDX-License-Identifier: Apache-2.0 */
/* Latencies of operators that share workers: which of the theorems applies, and what it says. */
#include "base/error.h"
#include "base/number.h"
#include "engine/workers/workers.h"

#include <string.h>

#define WORK_DEFAULT UINT64_C(1000000000)

struct answer {
    struct weir_workers_analysis analysis; /* first, so that it can be freed by its address */
    struct weir_arena arena;
    struct weir_workers_latency *latencies;
};

struct analyst {
    struct weir_arena scratch;
    const struct weir_pipeline *pipeline;
    uint64_t work_limit;
    bool verify;
    enum { BY_SHARES, BY_WAITS, BY_ROUNDS } by; /* where the bound of a chain comes from */
    struct answer *answer;
    struct weir_greedy *greedy;     /* NULL: not that way */
    bool flows;                     /* the same, where the data of messages have to be followed */
    struct weir_solver *exact;      /* enough workers that are woken at once; NULL: not that way */
    struct weir_solver *lengthened; /* operators that start late; NULL: not that way */
    struct weir_pipeline *longer;   /* what one of these is about, if not the pipeline itself */
    struct weir_crews crews;
    struct weir_rounds_table table;        /* BY_ROUNDS, for who verifies it */
    struct weir_workers_question question; /* its arrays are used for one latency after the other */
    struct weir_error *error;
};

void weir_workers_analysis_free(struct weir_workers_analysis *analysis)
{
    struct answer *a = (struct answer *)analysis;
    if (!a)
        return;
    weir_arena_free(&a->arena);
    weir_free(a);
}

static bool enough(const struct analyst *a)
{
    return a->pipeline->workers.dispatch != WEIR_DISPATCH_GREEDY && !a->crews.few;
}

/* ... in an order that does not depend on times. */
static bool is_greedy(const struct weir_pipeline *p)
{
    return p->workers.dispatch == WEIR_DISPATCH_GREEDY && p->source_count == 0;
}

static bool has_flows(const struct weir_pipeline *p)
{
    bool flows = p->firings != NULL;
    for (size_t i = 0; i < p->queue_count && !flows; i++)
        flows = weir_queue_is_cut(&p->queues[i]) || p->queues[i].consume > 1;
    return flows;
}

/* The pipeline in which operators wait for their threads, as long as that is whatever the order. Where none ever does, it is as if
 * each had a thread. */
static enum weir_status await_threads(struct analyst *a)
{
    struct weir_error ignored;
    enum weir_status status = weir_workers_spread_any(a->pipeline, &a->longer, &ignored);
    struct weir_solver *solver = a->longer ? weir_solver_new(a->longer, a->error) : NULL;
    if (status == WEIR_MEMORY || (a->longer && !solver))
        return weir_fail_memory(a->error);
    *(a->longer && !a->longer->lateness ? &a->exact : &a->lengthened) = solver;
    return WEIR_OK;
}

static enum weir_status prepare(struct analyst *a)
{
    const struct weir_pipeline *p = a->pipeline;
    struct weir_workers_question *q = &a->question;
    uint32_t actors = p->graph->actor_count;
    *q = (struct weir_workers_question){.pipeline = p,
                                        .graph = p->graph,
                                        .crews = &a->crews,
                                        .work_limit = a->work_limit,
                                        .past = weir_arena_array(&a->scratch, actors, sizeof *q->past),
                                        .over = weir_arena_array(&a->scratch, actors, sizeof *q->over),
                                        .apart = weir_arena_array(&a->scratch, p->operator_count, sizeof *q->apart),
                                        .behind = weir_arena_array(&a->scratch, actors, sizeof *q->behind),
                                        .ahead = weir_arena_array(&a->scratch, actors, sizeof *q->ahead)};
    if (a->scratch.failed)
        return weir_fail_memory(a->error);
    a->flows = is_greedy(p) && has_flows(p);
    if (a->flows)
        return WEIR_OK;
    if (is_greedy(p))
        return weir_greedy_new(p, a->work_limit, &a->greedy, a->error);
    if (weir_pipeline_has_enough_workers(p)) {
        a->exact = weir_solver_new(p, a->error);
        return a->exact ? WEIR_OK : WEIR_MEMORY;
    }
    return await_threads(a);
}

static struct weir_query query_of(const struct analyst *a, const struct weir_chain_spec *chain)
{
    bool arrives = a->pipeline->graph->arrival_of[chain->from.index] != WEIR_NO_ACTOR;
    return (struct weir_query){.from = {.op = chain->from, .moment = arrives ? WEIR_ARRIVAL : WEIR_START},
                               .to = {.op = chain->to, .moment = WEIR_FINISH},
                               .shift = chain->shift,
                               .work_limit = a->work_limit};
}

static enum weir_status ask_exact(struct analyst *a, struct weir_workers_latency *latency, char why[WEIR_WORKERS_WHY])
{
    struct weir_query query = query_of(a, &latency->chain), turned = query;
    struct weir_separation worst, best;
    turned.from = query.to;
    turned.to = query.from;
    turned.shift = -query.shift;
    enum weir_status status = weir_separation_worst(a->exact, &query, &worst, a->error);
    if (!status)
        status = weir_separation_worst(a->exact, &turned, &best, a->error);
    if (status)
        return status;
    bool reached = worst.outcome == WEIR_EXACT && best.outcome == WEIR_EXACT;
    bool safe = worst.outcome == WEIR_EXACT || (worst.outcome == WEIR_BRACKET && worst.upper < INT64_MAX);
    latency->outcome = reached ? WEIR_WORKERS_EXACT : safe ? WEIR_WORKERS_SAFE : WEIR_WORKERS_UNKNOWN;
    latency->worst = worst.outcome == WEIR_EXACT ? worst.value : safe ? worst.upper : 0;
    latency->sequence = latency->outcome == WEIR_WORKERS_SAFE ? latency->worst : 0;
    latency->has_best = best.outcome == WEIR_EXACT;
    latency->best = latency->has_best ? -best.value : 0;
    if (worst.outcome == WEIR_NO_BOUND)
        snprintf(why, WEIR_WORKERS_WHY, "it grows without bound, with any number of workers");
    else if (!safe)
        snprintf(why, WEIR_WORKERS_WHY, "the work limit was reached before anything was known");
    return WEIR_OK;
}

static enum weir_status ask_greedy(struct analyst *a, struct weir_workers_latency *latency, char why[WEIR_WORKERS_WHY])
{
    int64_t bounds[2];
    uint32_t chain = (uint32_t)(latency - a->answer->latencies);
    enum weir_status status = a->flows ? weir_greedy_flow(a->pipeline, chain, a->work_limit, bounds, why, a->error)
                                       : weir_greedy_latency(a->greedy, &latency->chain, bounds, why, a->error);
    if (status || *why)
        return status;
    latency->outcome = WEIR_WORKERS_EXACT;
    latency->worst = bounds[0];
    latency->has_best = true;
    latency->best = bounds[1];
    return WEIR_OK;
}

/* Where it is known how late the start of an execution is at most. */
static enum weir_status ask_lengthened(struct analyst *a, struct weir_workers_latency *latency)
{
    struct weir_query query = query_of(a, &latency->chain);
    struct weir_separation worst;
    enum weir_status status = weir_separation_worst(a->lengthened, &query, &worst, a->error);
    if (status == WEIR_OVERFLOW)
        return WEIR_OK;
    if (status || worst.outcome != WEIR_EXACT)
        return status;
    if (latency->outcome == WEIR_WORKERS_UNKNOWN || worst.value < latency->worst) {
        a->by = BY_WAITS;
        latency->outcome = WEIR_WORKERS_SAFE;
        latency->worst = latency->sequence = worst.value;
        latency->bound = (struct weir_ratio){worst.value, 1};
        latency->queueing = 0;
    }
    return WEIR_OK;
}

/* Where the one thread never waits while the latency lasts. */
static enum weir_status ask_periods(struct analyst *a, struct weir_workers_latency *latency)
{
    int64_t worst = -1;
    weir_rounds_table_free(&a->table);
    enum weir_status status = weir_greedy_periods(a->pipeline, &latency->chain, &worst, a->verify ? &a->table : NULL, a->error);
    if (status || worst < 0 || (latency->outcome != WEIR_WORKERS_UNKNOWN && worst >= latency->worst))
        return status;
    a->by = BY_ROUNDS;
    latency->outcome = WEIR_WORKERS_SAFE;
    latency->worst = latency->sequence = worst;
    latency->bound = (struct weir_ratio){worst, 1};
    latency->queueing = 0;
    return WEIR_OK;
}

static enum weir_status ask_chain(struct analyst *a, struct weir_workers_latency *latency, char why[WEIR_WORKERS_WHY])
{
    const struct weir_pipeline *p = a->pipeline;
    struct weir_workers_question *q = &a->question;
    uint32_t arrival = p->graph->arrival_of[latency->chain.from.index];
    static const struct weir_workers_weights plain = {.full = 1};
    q->from = arrival == WEIR_NO_ACTOR ? p->graph->start_of[latency->chain.from.index] : arrival;
    q->to = p->graph->finish_of[latency->chain.to.index];
    q->shift = latency->chain.shift;
    q->why[0] = '\0';
    q->shares = 1;
    memset(q->apart, 0, p->operator_count * sizeof *q->apart);
    a->by = BY_SHARES;
    if (q->shift > WEIR_WORKERS_SHIFT_MAX || q->shift < -WEIR_WORKERS_SHIFT_MAX) {
        snprintf(why, WEIR_WORKERS_WHY, "the iterations lie too far apart");
        return WEIR_OK;
    }
    enum weir_status status = weir_workers_measure(q, a->error);
    if (!status)
        status = weir_workers_best(q, &latency->has_best, &latency->best, a->error);
    if (!status)
        status = weir_workers_sequence(q, &plain, &latency->sequence, a->error);
    latency->bound = (struct weir_ratio){latency->sequence, 1};
    if (!status && !*q->why && !enough(a))
        status = weir_workers_share(q, &latency->bound, a->error);
    if (!status && !*q->why) {
        latency->outcome = WEIR_WORKERS_SAFE;
        latency->worst = weir_ceil_divide(latency->bound.numerator, latency->bound.denominator);
        latency->sequence = latency->sequence < latency->worst ? latency->sequence : latency->worst;
        latency->queueing = latency->worst - latency->sequence;
    }
    if (!status && a->lengthened)
        status = ask_lengthened(a, latency);
    if (!status && p->workers.dispatch == WEIR_DISPATCH_GREEDY)
        status = ask_periods(a, latency);
    if (latency->outcome == WEIR_WORKERS_UNKNOWN)
        latency->worst = latency->sequence = latency->queueing = 0;
    memcpy(why, q->why, sizeof q->why);
    return status;
}

static enum weir_status verify(struct analyst *a, struct weir_workers_latency *latency)
{
    uint32_t chain = (uint32_t)(latency - a->answer->latencies);
    bool covers = true;
    if (a->greedy || a->flows)
        return weir_greedy_verify(a->pipeline, chain, latency, a->error);
    if (!a->exact && a->by == BY_SHARES)
        return weir_share_verify(&a->question, chain, latency, a->error);
    if (!a->exact && a->by == BY_ROUNDS)
        return weir_periods_verify(a->pipeline, chain, &a->table, latency, a->error);
    struct weir_query query = query_of(a, &latency->chain);
    enum weir_status status = a->longer ? weir_workers_spread_verify(a->pipeline, a->longer, false, &covers, a->error) : WEIR_OK;
    if (!status && covers)
        status = weir_solved_verify(a->exact ? a->exact : a->lengthened, &query, latency, a->error);
    return status || !latency->verified || a->exact ? status : weir_best_verify(a->pipeline, chain, latency, a->error);
}

static enum weir_status ask(struct analyst *a, uint32_t index)
{
    struct weir_workers_latency *latency = &a->answer->latencies[index];
    char why[WEIR_WORKERS_WHY] = "";
    *latency = (struct weir_workers_latency){.chain = weir_pipeline_chain(a->pipeline, index), .outcome = WEIR_WORKERS_UNKNOWN};
    enum weir_status status = a->greedy || a->flows ? ask_greedy(a, latency, why)
                              : a->exact            ? ask_exact(a, latency, why)
                                                    : ask_chain(a, latency, why);
    if (status)
        return status;
    if (latency->outcome != WEIR_WORKERS_SAFE || !latency->bound.denominator)
        latency->bound = (struct weir_ratio){latency->worst, 1};
    if (latency->outcome != WEIR_WORKERS_UNKNOWN)
        return a->verify ? verify(a, latency) : WEIR_OK;
    latency->why = weir_arena_text(&a->answer->arena, why);
    return latency->why ? WEIR_OK : weir_fail_memory(a->error);
}

/* A thread for each operator, which may start late. */
static enum weir_status answer_spread(struct analyst *a)
{
    const struct weir_pipeline *p = a->pipeline;
    struct weir_pipeline *spread = NULL;
    bool ordered;
    struct weir_async_analysis *found = NULL;
    struct weir_async_options options = {.work_limit = a->work_limit};
    struct weir_greedy_ages *ages = weir_arena_array(&a->scratch, p->chain_count, sizeof *ages);
    bool greedy = p->workers.dispatch == WEIR_DISPATCH_GREEDY;
    if (!ages)
        return weir_fail_memory(a->error);
    enum weir_status status = weir_workers_spread(p, &spread, &ordered, a->error);
    if (!status)
        status = weir_async_analyze(spread, &options, &found, a->error);
    if (!status && greedy)
        status = weir_greedy_rounds(p, false, ages, a->error);
    for (uint32_t i = 0; !status && i < found->latency_count; i++) {
        const struct weir_async_latency *from = &found->latencies[i];
        struct weir_workers_latency *latency = &a->answer->latencies[i];
        bool known = from->outcome != WEIR_ASYNC_UNKNOWN, better = ages[i].any && (!known || ages[i].worst < from->worst);
        int64_t worst = better ? ages[i].worst : known ? from->worst : 0;
        known |= better;
        *latency = (struct weir_workers_latency){.chain = weir_pipeline_chain(p, i),
                                                 .outcome = known ? WEIR_WORKERS_SAFE : WEIR_WORKERS_UNKNOWN,
                                                 .worst = worst,
                                                 .bound = {worst, 1},
                                                 .has_best = from->has_best,
                                                 .best = from->best,
                                                 .sequence = worst};
        latency->why = known ? NULL : weir_arena_text(&a->answer->arena, from->why);
        if (!known && !latency->why)
            status = weir_fail_memory(a->error);
    }
    weir_async_analysis_free(found);
    weir_pipeline_free(spread);
    return status;
}

static enum weir_status answer_all(struct analyst *a)
{
    uint32_t count = weir_pipeline_chain_count(a->pipeline);
    a->answer->latencies = weir_arena_array(&a->answer->arena, count, sizeof *a->answer->latencies);
    if (!a->answer->latencies)
        return weir_fail_memory(a->error);
    bool spreads = !weir_pipeline_has_enough_workers(a->pipeline) && weir_workers_spreads(a->pipeline);
    enum weir_status status = weir_crews_find(a->pipeline, &a->scratch, &a->crews, a->error);
    if (!status)
        status = spreads ? answer_spread(a) : prepare(a);
    for (uint32_t i = 0; i < count && !spreads && !status; i++)
        status = ask(a, i);
    a->answer->analysis = (struct weir_workers_analysis){a->pipeline, a->answer->latencies, count};
    return status;
}

/* With a worker for each operator the exact engine answers, once per iteration, in which operators execute equally often. */
static enum weir_status check_known(const struct weir_pipeline *p, struct weir_error *error)
{
    enum weir_status status = weir_pipeline_require_sealed(p, error);
    bool sharing = !status && !weir_pipeline_has_enough_workers(p);
    if (!status)
        status = sharing ? weir_pipeline_require(p, WEIR_PLATFORM_THREADS, error) : weir_pipeline_require_threads(p, error);
    for (uint32_t i = 0; !status && !sharing && i < p->operator_count; i++)
        if (weir_pipeline_firings(p, (struct weir_operator){i}) > 1)
            return weir_fail(
                error, WEIR_INVALID,
                "operators that take several messages at once, with a worker each, have an exact answer: ask for that");
    return status;
}

enum weir_status weir_workers_analyze(const struct weir_pipeline *pipeline, const struct weir_workers_options *options,
                                      struct weir_workers_analysis **analysis, struct weir_error *error)
{
    *analysis = NULL;
    struct weir_pipeline *plain = NULL;
    enum weir_status status = check_known(pipeline, error);
    if (!status && !weir_pipeline_has_enough_workers(pipeline))
        status = weir_workers_plain(pipeline, &plain, error);
    if (status)
        return status;
    struct analyst a = {.pipeline = plain ? plain : pipeline,
                        .work_limit = options && options->work_limit ? options->work_limit : WORK_DEFAULT,
                        .verify = options && options->verify && !plain, /* nobody checks what that is */
                        .answer = weir_array_zeroed(1, sizeof *a.answer),
                        .error = error};
    status = a.answer ? answer_all(&a) : weir_fail_memory(error);
    weir_greedy_free(a.greedy);
    weir_rounds_table_free(&a.table);
    weir_solver_free(a.exact);
    weir_solver_free(a.lengthened);
    weir_pipeline_free(a.longer);
    weir_pipeline_free(plain);
    weir_arena_free(&a.scratch);
    if (status) {
        weir_workers_analysis_free(a.answer ? &a.answer->analysis : NULL);
        return status;
    }
    a.answer->analysis.pipeline = pipeline;
    *analysis = &a.answer->analysis;
    return WEIR_OK;
}
