/* SPDX-License-Identifier: Apache-2.0 */
/* The exact engine's answer: worst and best case, gap and witness of every latency; throughput and what limits it. */
#include "answer/answer.h"
#include "answer/number.h"
#include "answer/simulate/simulation.h"
#include "answer/timeline/timeline.h"
#include "base/error.h"
#include "base/number.h"
#include "engine/exact/throughput.h"
#include "model/pipeline.h"

static bool applies(const struct weir_pipeline *pipeline)
{
    return pipeline->platform == WEIR_PLATFORM_THREADS;
}

static void fill_bound(struct weir_answer *answer, struct weir_bound *bound, const struct weir_latency *from)
{
    bound->worst = weir_quantity_of(&from->worst, false);
    bound->best = weir_quantity_of(&from->best, true);
    bound->gap = weir_quantity_of(&from->gap, false);
    bound->witness = from->witness;
    bound->verified = from->verified;
    bound->why = from->why;
    if (from->witness && !weir_witness_words(answer->pipeline, from->witness, &answer->arena, &bound->path))
        answer->out_of_memory = true;
}

static struct weir_datum names_of(struct weir_answer *answer, const struct weir_operator *ops, size_t count)
{
    struct weir_record list = {.answer = answer};
    for (size_t i = 0; i < count; i++)
        weir_record_add(&list, NULL, weir_datum_text(weir_answer_name(answer, ops[i])));
    return weir_record_datum(&list);
}

static void add_period(struct weir_record *record, const char *key, struct weir_ratio period)
{
    struct weir_datum value = weir_datum_ratio(period);
    value.with_exact = true;
    weir_record_add(record, key, weir_datum_if(period.denominator > 0, value));
}

/* Whether results of some output come that often while the source executes as its period says. */
static bool is_pace_of(const struct weir_pipeline *p, const struct weir_source_spec *source, struct weir_ratio period)
{
    bool found = false;
    for (uint32_t i = 0; i < p->operator_count && !found; i++) {
        weir_wide round = (weir_wide)period.numerator * weir_pipeline_firings(p, (struct weir_operator){i});
        found = round == (weir_wide)source->period * period.denominator * weir_pipeline_firings(p, source->op);
    }
    return found;
}

/* Whether it is the period of a source that no more results come, and not how long something takes. */
static bool is_paced(const struct weir_pipeline *p, const struct weir_throughput_answer *throughput)
{
    for (size_t i = 0; throughput->bottleneck_count == 1 && i < p->source_count; i++) {
        const struct weir_source_spec *source = &p->sources[i];
        if (source->op.index == throughput->bottleneck->index && p->operators[source->op.index].worst < source->period &&
            is_pace_of(p, source, throughput->period))
            return true;
    }
    return false;
}

static void fill_throughput(struct weir_answer *answer, const struct weir_throughput_answer *throughput)
{
    struct weir_record record = {.answer = answer};
    add_period(&record, "period", throughput->period);
    add_period(&record, "best_period", throughput->best_period);
    weir_record_add(&record, "bottleneck", names_of(answer, throughput->bottleneck, throughput->bottleneck_count));
    answer->paced = is_paced(answer->pipeline, throughput);
    weir_record_add(&record, "limited_by", weir_datum_text(answer->paced ? "period" : "operators"));
    weir_answer_add_fact(answer, "throughput", weir_record_datum(&record));
    answer->bottleneck = throughput->bottleneck;
    answer->bottleneck_count = throughput->bottleneck_count;
}

/* Work on a GPU that is not waited for can fall behind its operator for ever. */
static enum weir_status note_backlogs(struct weir_answer *answer, struct weir_error *error)
{
    const struct weir_pipeline *p = answer->pipeline;
    struct weir_record names = {.answer = answer};
    struct weir_pace pace = {0};
    enum weir_status status = WEIR_OK;
    for (uint32_t i = 0; i < p->operator_count && !status; i++) {
        const struct weir_launch *launch = p->operators[i].launch;
        struct weir_operator op = {i};
        struct weir_ratio starts, results;
        char quoted[WEIR_QUOTED], start[WEIR_NUMBER_TEXT], result[WEIR_NUMBER_TEXT];
        if (!launch || launch->waits)
            continue;
        if (!pace.pipeline)
            status = weir_pace_find(&pace, p, true, error);
        if (status || !weir_pace_starts(&pace, op, &starts) || !weir_pace_results(&pace, op, &results) ||
            weir_ratio_compare(results, starts) <= 0)
            continue;
        weir_answer_line(
            answer, "the GPU work of \"%s\" can pile up without bound: it is launched every %s and may need %s each time",
            weir_quote(p->operators[i].name, quoted), weir_ratio_amount(p, starts, start), weir_ratio_amount(p, results, result));
        weir_record_add(&names, NULL, weir_datum_text(weir_answer_name(answer, op)));
    }
    weir_pace_free(&pace);
    if (names.count)
        weir_answer_add_fact(answer, "gpu_backlogs", weir_record_datum(&names));
    return status;
}

static void release(void *detail)
{
    weir_analysis_free(detail);
}

/* Whether an operator waits for room in a queue that its messages take time to come to. */
static bool waits_across(const struct weir_pipeline *p)
{
    bool waits = false;
    for (size_t i = 0; i < p->queue_count; i++) {
        const struct weir_queue_spec *q = &p->queues[i];
        waits |= q->transfer_max > 0 && !q->nonblocking && q->capacity != WEIR_UNBOUNDED;
    }
    return waits;
}

static void fill(struct weir_answer *answer, const struct weir_analysis *analysis)
{
    bool open = false;
    for (size_t i = 0; i < answer->bound_count; i++) {
        struct weir_bound *bound = &answer->bounds[i];
        fill_bound(answer, bound, &analysis->latencies[i]);
        open |= bound->worst.claim == WEIR_CLAIM_BRACKET || bound->best.claim == WEIR_CLAIM_BRACKET;
    }
    fill_throughput(answer, &analysis->throughput);
    weir_answer_scope(answer, ", %s", open ? "not exact" : "exact");
    bool across = waits_across(answer->pipeline), unknown = answer->pipeline->graph->unknown_roots && !across;
    bool batches = answer->pipeline->firings != NULL;
    answer->assumes = weir_answer_format(
        answer, "a thread per operator%s the execution times in the model%s%s; see docs/concepts/%s.md",
        across || unknown || batches ? "," : " and",
        across    ? ", and that what is sent to another fragment waits for room there, which it does not over UCX"
        : unknown ? ", and sources that begin at any time"
                  : "",
        batches ? ", and that no source stops: a batch waits for its last message" : "", unknown ? "phases" : "assumptions");
}

static enum weir_status analyze_fully(struct weir_answer *answer, const struct weir_answer_options *options,
                                      struct weir_error *error)
{
    struct weir_analyze_options own = {
        .verify = options->verify,
        .work_limit = options->work_limit,
        .memory_limit = options->memory_limit,
        .threads = options->threads,
        .progress = options->progress,
        .context = options->context,
    };
    struct weir_analysis *analysis = NULL;
    enum weir_status status = weir_analyze(answer->pipeline, &own, &analysis, error);
    if (status)
        return status;
    answer->detail = analysis;
    fill(answer, analysis);
    return note_backlogs(answer, error);
}

static bool arrives(const struct weir_pipeline *p, struct weir_operator op)
{
    for (size_t i = 0; i < p->source_count; i++)
        if (p->sources[i].op.index == op.index && p->sources[i].arrivals == WEIR_ARRIVALS_EXACT)
            return true;
    return false;
}

static enum weir_status find_period(struct weir_answer *answer, struct weir_error *error)
{
    struct weir_throughput_answer throughput = {0};
    struct weir_pace pace;
    struct weir_operator slowest;
    enum weir_status status = weir_pace_find(&pace, answer->pipeline, true, error);
    if (!status)
        status = weir_pace_outputs(&pace, &throughput.period, &slowest, error);
    if (!status)
        fill_throughput(answer, &throughput);
    weir_pace_free(&pace);
    return status;
}

/* The worst cases and the period alone. */
static enum weir_status analyze_briefly(struct weir_answer *answer, const struct weir_answer_options *options,
                                        struct weir_error *error)
{
    const struct weir_pipeline *p = answer->pipeline;
    struct weir_solver *solver = weir_solver_new(p, error);
    if (!solver)
        return weir_pipeline_require_threads(p, NULL) ? WEIR_INVALID : WEIR_MEMORY;
    enum weir_status status = WEIR_OK;
    for (size_t i = 0; !status && i < p->chain_count; i++) {
        const struct weir_chain_spec *chain = &p->chains[i];
        struct weir_query query = {.from = {.op = chain->from, .moment = arrives(p, chain->from) ? WEIR_ARRIVAL : WEIR_START},
                                   .to = {.op = chain->to, .moment = WEIR_FINISH},
                                   .shift = chain->shift,
                                   .work_limit = options->work_limit,
                                   .memory_limit = options->memory_limit};
        struct weir_separation worst;
        status = weir_separation_worst(solver, &query, &worst, error);
        if (!status)
            answer->bounds[i].worst = weir_quantity_of(&worst, false);
    }
    weir_solver_free(solver);
    return status ? status : find_period(answer, error);
}

static enum weir_status analyze(struct weir_answer *answer, const struct weir_answer_options *options, struct weir_error *error)
{
    if (!weir_answer_chains(answer))
        return weir_fail_memory(error);
    /* Where operators execute several times in an iteration, a latency is the largest of several separations. */
    bool brief = options->brief && !answer->pipeline->firings;
    return brief ? analyze_briefly(answer, options, error) : analyze_fully(answer, options, error);
}

static enum weir_status show(const struct weir_answer *answer, size_t bound, struct weir_timeline **timeline,
                             struct weir_error *error)
{
    return answer->bounds[bound].worst.claim == WEIR_CLAIM_UNBOUNDED || !answer->bounds[bound].witness
               ? weir_timeline_of_example(answer, bound, timeline, error)
               : weir_timeline_of_witness(answer->pipeline, &answer->bounds[bound], timeline, error);
}

const struct weir_engine weir_engine_exact = {"exact", applies, analyze, release, show, weir_simulate_threads};
