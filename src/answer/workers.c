/* SPDX-License-Identifier: Apache-2.0 */
/* The answer about operators that share worker threads. */
#include "engine/workers/workers.h"
#include "answer/answer.h"
#include "answer/number.h"
#include "answer/simulate/simulation.h"
#include "answer/timeline/timeline.h"
#include "base/error.h"
#include "base/number.h"
#include "model/pipeline.h"

static bool applies(const struct weir_pipeline *pipeline)
{
    return pipeline->platform == WEIR_PLATFORM_THREADS && !weir_pipeline_has_enough_workers(pipeline) &&
           !weir_workers_spreads(pipeline);
}

static void release(void *detail)
{
    weir_workers_analysis_free(detail);
}

static void fill_terms(struct weir_answer *answer, struct weir_bound *bound, const struct weir_workers_latency *from)
{
    struct weir_record details = {.answer = answer};
    struct weir_ratio chain = {from->sequence, 1};
    chain = weir_ratio_compare(chain, from->bound) < 0 ? chain : from->bound;
    struct weir_ratio queueing = weir_ratio_difference(from->bound, chain);
    struct weir_bound_term *terms = queueing.numerator ? weir_answer_take(answer, 2, sizeof *terms) : NULL;
    weir_record_add(&details, "chain", weir_datum_ratio(chain));
    weir_record_add(&details, "queueing", weir_datum_ratio(queueing));
    bound->details = details.fields;
    bound->detail_count = details.count;
    if (!terms)
        return;
    terms[0] = (struct weir_bound_term){"one after the other", chain};
    terms[1] = (struct weir_bound_term){"waiting for a worker", queueing};
    bound->terms = terms;
    bound->term_count = 2;
}

static void fill_bound(struct weir_answer *answer, struct weir_bound *bound, const struct weir_workers_latency *from)
{
    bool exact = from->outcome == WEIR_WORKERS_EXACT, safe = from->outcome == WEIR_WORKERS_SAFE;
    weir_bound_set(bound, weir_claim_of(exact, safe), from->worst, from->has_best ? &from->best : NULL);
    bound->why = from->why;
    bound->verified = from->verified;
    if (safe) {
        bound->worst = weir_quantity_safe(from->bound);
        fill_terms(answer, bound, from);
    }
}

void weir_answer_scheduler(struct weir_answer *answer)
{
    const struct weir_workers_spec *workers = &answer->pipeline->workers;
    char polling[WEIR_AMOUNT_TEXT];
    const char *name = weir_dispatch_name(workers->dispatch);
    weir_answer_add_fact(answer, "scheduler", weir_datum_text(name));
    weir_answer_add_fact(answer, "workers", weir_datum_if(workers->workers, weir_datum_count(workers->workers)));
    weir_answer_add_fact(answer, "polling", weir_datum_time(workers->polling));
    const char *count = workers->dispatch == WEIR_DISPATCH_GREEDY ? " (one thread)" : ", a worker for each operator";
    if (workers->dispatch != WEIR_DISPATCH_GREEDY && workers->workers)
        count = weir_answer_format(answer, ", %u worker%s", workers->workers, workers->workers == 1 ? "" : "s");
    bool polled = workers->dispatch == WEIR_DISPATCH_POLLED;
    uint32_t lanes = answer->pipeline->lane_count;
    if (!lanes || workers->workers || workers->polling)
        weir_answer_scope(answer, ", %s scheduler%s%s%s", name, count ? count : "", polled ? ", polling every " : "",
                          polled ? weir_amount_format(answer->pipeline, workers->polling, polling) : "");
    if (!lanes)
        return;
    weir_answer_add_fact(answer, "lanes", weir_datum_count(lanes));
    weir_answer_scope(answer, ", %u lane%s", lanes, lanes == 1 ? "" : "s");
}

const char *weir_answer_threads(const struct weir_answer *answer)
{
    const struct weir_pipeline *p = answer->pipeline;
    return !p->lane_count ? "workers" : p->workers.workers ? "workers and lanes" : "threads of the lanes";
}

static enum weir_status analyze(struct weir_answer *answer, const struct weir_answer_options *options, struct weir_error *error)
{
    struct weir_workers_options own = {.work_limit = options->work_limit, .verify = options->verify};
    struct weir_workers_analysis *analysis = NULL;
    if (!weir_answer_chains(answer))
        return weir_fail_memory(error);
    enum weir_status status = weir_workers_analyze(answer->pipeline, &own, &analysis, error);
    if (status)
        return status;
    answer->detail = analysis;
    for (size_t i = 0; i < answer->bound_count; i++)
        fill_bound(answer, &answer->bounds[i], &analysis->latencies[i]);
    if (answer->pipeline->workers.dispatch == WEIR_DISPATCH_GREEDY)
        status = weir_answer_rounds(answer, options->verify, error);
    if (status)
        return status;
    weir_answer_scheduler(answer);
    weir_answer_ages(answer, NULL);
    bool lossy = false;
    for (size_t i = 0; i < answer->pipeline->queue_count; i++)
        lossy |= answer->pipeline->queues[i].full != WEIR_FULL_NEVER || answer->pipeline->queues[i].port;
    const char *reason = weir_answer_stops(answer->pipeline, lossy);
    answer->assumes =
        weir_answer_format(answer, "the execution times in the model%s nothing else on the %s%s; see docs/concepts/workers.md",
                           reason ? "," : ", and", weir_answer_threads(answer), reason ? reason : "");
    return WEIR_OK;
}

const struct weir_engine weir_engine_workers = {
    "workers", applies, analyze, release, weir_timeline_of_example, weir_simulate_threads};
