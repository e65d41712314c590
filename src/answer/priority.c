/* SPDX-License-Identifier: Apache-2.0 */
/* The answer about operators that share processors: latencies, when each operator runs and what delays it, how much the queues
 * hold. */
#include "answer/answer.h"
#include "answer/number.h"
#include "answer/simulate/simulation.h"
#include "answer/timeline/timeline.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/number.h"
#include "model/pipeline.h"

#include <stdlib.h>
#include <string.h>

static bool applies(const struct weir_pipeline *pipeline)
{
    return pipeline->platform == WEIR_PLATFORM_PROCESSORS;
}

static void release(void *detail)
{
    weir_priority_analysis_free(detail);
}

static bool converged(const struct weir_priority_analysis *analysis)
{
    return analysis->outcome == WEIR_PRIORITY_CONVERGED;
}

/* ---- bounds ---- */

/* Without a bound in an answer that converged, a chain ends with a later input, and its source is sporadic: proved. */
static void fill_bound(struct weir_answer *answer, struct weir_bound *bound, const struct weir_priority_analysis *analysis,
                       const struct weir_priority_latency *from)
{
    bool proved = converged(analysis) || from->unbounded;
    bound->verified = analysis->verified;
    if (!from->bounded) {
        bound->worst.claim = proved ? WEIR_CLAIM_UNBOUNDED : WEIR_CLAIM_UNKNOWN;
        bound->why = analysis->why ? analysis->why : "it ends with a later input, for which a sporadic source may take any time";
        return;
    }
    bound->worst = weir_quantity_safe((struct weir_ratio){from->worst, 1});
    if (!analysis->safe)
        bound->worst.claim = WEIR_CLAIM_UNSAFE;
    if (from->worst_arrival < from->worst) {
        struct weir_record details = {.answer = answer};
        weir_record_add(&details, "worst_arrival", weir_datum_time(from->worst_arrival));
        bound->details = details.fields;
        bound->detail_count = details.count;
    }
    if (from->best != INT64_MIN)
        bound->best = weir_quantity_least((struct weir_ratio){from->best, 1});
}

/* ---- what no bound can be below ---- */

/* An execution of the model: the first input of each source, all at their worst times. An operator that waits for no other is done
 * after the longest sum of times along queues that begin empty. WEIR_TIME_MAX or more counts as that; -1: there is no such path. */
static bool find_longest(const struct weir_pipeline *p, uint32_t from, int64_t *done)
{
    const struct weir_taskset *set = p->taskset;
    for (uint32_t i = 0; i < set->task_count; i++)
        done[i] = i == from ? set->tasks[i].worst : -1;
    bool changed = true;
    for (uint32_t round = 0; changed && round <= set->task_count; round++) {
        changed = false;
        for (size_t i = 0; i < set->edge_count; i++) {
            const struct weir_task_edge *e = &set->edges[i];
            if (e->from == WEIR_FROM_SOURCE || e->initial || done[e->from] < 0)
                continue;
            int64_t time = done[e->from] + set->tasks[e->to].worst;
            time = time < WEIR_TIME_MAX ? time : WEIR_TIME_MAX;
            changed |= time > done[e->to];
            done[e->to] = time > done[e->to] ? time : done[e->to];
        }
    }
    return !changed;
}

static bool is_fed(const struct weir_pipeline *p, struct weir_operator op)
{
    for (size_t i = 0; i < p->source_count; i++)
        if (p->sources[i].op.index == op.index)
            return true;
    return false;
}

/* A deadline below what some execution takes is missed, and not only unproved. */
static enum weir_status prove_misses(struct weir_answer *answer, struct weir_error *error)
{
    const struct weir_pipeline *p = answer->pipeline;
    int64_t *done = weir_array(p->taskset->task_count, sizeof *done);
    if (!done)
        return weir_fail_memory(error);
    for (size_t i = 0; i < answer->bound_count; i++) {
        struct weir_bound *bound = &answer->bounds[i];
        const struct weir_chain_spec *chain = &p->chains[i];
        bool open = bound->has_deadline && bound->worst.claim == WEIR_CLAIM_SAFE && bound->worst.high.numerator > bound->deadline;
        if (open && chain->shift == 0 && is_fed(p, chain->from) && find_longest(p, chain->from.index, done) &&
            done[chain->to.index] > bound->deadline)
            bound->worst.low = (struct weir_ratio){done[chain->to.index], 1};
    }
    weir_free(done);
    return WEIR_OK;
}

/* ---- operators, for programs ---- */

static struct weir_datum interference_of(struct weir_answer *answer, const struct weir_execution_bounds *bounds)
{
    struct weir_record list = {.answer = answer};
    for (size_t i = 0; i < bounds->interference_count; i++) {
        struct weir_record one = {.answer = answer};
        weir_record_add(&one, "operator", weir_datum_text(weir_answer_name(answer, bounds->interference[i].op)));
        weir_record_add(&one, "times", weir_datum_count(bounds->interference[i].times));
        weir_record_add(&list, NULL, weir_record_datum(&one));
    }
    return weir_record_datum(&list);
}

static void add_operators(struct weir_answer *answer, const struct weir_priority_analysis *analysis)
{
    static const struct weir_column columns[] = {{"name", NULL},       {"processor", NULL},  {"priority", NULL},
                                                 {"enable_min", NULL}, {"enable_max", NULL}, {"finish_max", NULL},
                                                 {"iterations", NULL}, {"window", NULL},     {"interference", NULL}};
    const struct weir_datum absent = {.kind = WEIR_DATUM_ABSENT};
    struct weir_table_builder table;
    bool known = converged(analysis);
    weir_table_begin(&table, answer, "operators", columns, sizeof columns / sizeof *columns);
    for (uint32_t i = 0; i < answer->pipeline->operator_count; i++) {
        const struct weir_operator_spec *spec = &answer->pipeline->operators[i];
        const struct weir_execution_bounds *bounds = &analysis->operators[i];
        weir_table_cell(&table, weir_datum_text(spec->name),
                        weir_datum_text(spec->mapped ? weir_pipeline_processor(answer->pipeline, spec->on).name : NULL),
                        weir_datum_if(spec->has_priority, weir_datum_count(spec->priority)), weir_datum_time(bounds->enable_min),
                        weir_datum_if(known, weir_datum_time(bounds->enable_max)),
                        weir_datum_if(known, weir_datum_time(bounds->finish_max)),
                        known ? weir_datum_count(bounds->iterations) : absent, known ? weir_datum_time(bounds->window) : absent,
                        known ? interference_of(answer, bounds) : absent);
    }
    weir_answer_add_table(&table, NULL, NULL);
}

/* ---- when operators run, for people ---- */

static int by_rank(const void *left, const void *right)
{
    const struct weir_priority_rank *a = left, *b = right;
    if (a->processor != b->processor)
        return a->processor < b->processor ? -1 : 1;
    if (a->urgency != b->urgency)
        return a->urgency < b->urgency ? -1 : 1;
    return a->op < b->op ? -1 : 1;
}

void weir_priority_ranks(const struct weir_pipeline *pipeline, struct weir_priority_rank *ranks)
{
    for (uint32_t i = 0; i < pipeline->operator_count; i++) {
        const struct weir_operator_spec *spec = &pipeline->operators[i];
        ranks[i] = (struct weir_priority_rank){i, spec->mapped ? spec->on.index : WEIR_OWN_PROCESSOR,
                                               spec->has_priority ? -(int64_t)spec->priority : 0};
    }
    qsort(ranks, pipeline->operator_count, sizeof *ranks, by_rank);
}

/* "decode 2x", "filter" ... */
static struct weir_datum delays_of(struct weir_answer *answer, const struct weir_execution_bounds *bounds)
{
    struct weir_record list = {.answer = answer};
    for (size_t i = 0; i < bounds->interference_count; i++) {
        const struct weir_interference *one = &bounds->interference[i];
        const char *name = weir_answer_name(answer, one->op);
        if (one->times > 1)
            name = weir_answer_format(answer, "%s %lldx", name, (long long)one->times);
        if (one->times > 0)
            weir_record_add(&list, NULL, weir_datum_text(name));
    }
    return list.count ? weir_record_datum(&list) : weir_datum_text("nobody");
}

static void add_row(struct weir_table_builder *table, const struct weir_priority_analysis *analysis, uint32_t op)
{
    const struct weir_datum absent = {.kind = WEIR_DATUM_ABSENT};
    const struct weir_pipeline *pipeline = table->answer->pipeline;
    const struct weir_operator_spec *spec = &pipeline->operators[op];
    const struct weir_execution_bounds *bounds = &analysis->operators[op];
    weir_table_cell(table, weir_datum_text(spec->name),
                    weir_datum_text(spec->mapped ? weir_pipeline_processor(pipeline, spec->on).name : "its own"),
                    spec->mapped && spec->has_priority ? weir_datum_count(spec->priority) : absent,
                    spec->mapped && spec->slot ? weir_datum_time(spec->slot) : absent, weir_datum_time(bounds->enable_min),
                    weir_datum_time(bounds->enable_max), weir_datum_time(bounds->finish_max),
                    bounds->iterations > 1 ? weir_datum_count(bounds->iterations) : absent, delays_of(table->answer, bounds));
}

/* By processor, and there the more urgent first. */
static void add_schedule(struct weir_answer *answer, const struct weir_priority_analysis *analysis)
{
    static const struct weir_column columns[] = {{NULL, "operator"}, {NULL, "on"},           {NULL, "priority"},
                                                 {NULL, "slot"},     {NULL, "enabled from"}, {NULL, "to"},
                                                 {NULL, "ends by"},  {NULL, "in a row"},     {NULL, "delayed by"}};
    const struct weir_pipeline *pipeline = answer->pipeline;
    struct weir_priority_rank *ranks = weir_answer_take(answer, pipeline->operator_count, sizeof *ranks);
    struct weir_table_builder table;
    if (!ranks || !converged(analysis))
        return;
    weir_priority_ranks(pipeline, ranks);
    weir_table_begin(&table, answer, NULL, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < pipeline->operator_count; i++)
        add_row(&table, analysis, ranks[i].op);
    weir_answer_add_table(&table, "When operators run: after the nominal arrival of the input", NULL);
}

/* ---- arrivals ---- */

static void add_arrivals(struct weir_answer *answer, const struct weir_priority_analysis *analysis)
{
    static const struct weir_column columns[] = {
        {NULL, "from"}, {NULL, "to"}, {NULL, "after the nominal arrival"}, {NULL, "after the actual arrival"}};
    struct weir_table_builder table;
    bool any = false;
    for (size_t i = 0; i < analysis->latency_count; i++)
        any |= analysis->latencies[i].worst_arrival < analysis->latencies[i].worst;
    if (!any)
        return;
    weir_table_begin(&table, answer, NULL, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < analysis->latency_count; i++) {
        const struct weir_priority_latency *l = &analysis->latencies[i];
        if (l->bounded && is_fed(answer->pipeline, l->chain.from))
            weir_table_cell(&table, weir_datum_text(weir_answer_name(answer, l->chain.from)),
                            weir_datum_text(weir_answer_name(answer, l->chain.to)), weir_datum_time(l->worst),
                            weir_datum_time(l->worst_arrival));
    }
    weir_answer_add_table(&table, "Latencies from the arrival of an input, which is up to the jitter after its nominal moment",
                          NULL);
}

/* ---- processors ---- */

static struct weir_ratio load_of(const struct weir_taskset *set, uint32_t processor)
{
    struct weir_ratio load = {0, 1};
    for (uint32_t i = 0; i < set->task_count; i++)
        if (set->tasks[i].processor == processor)
            load = weir_ratio_sum(load, (struct weir_ratio){set->tasks[i].worst, set->graphs[set->tasks[i].graph].period});
    return load;
}

static void add_processors(struct weir_answer *answer, const struct weir_priority_analysis *analysis)
{
    static const struct weir_column columns[] = {{"name", "processor"}, {NULL, "schedules by"}, {"scheduler", NULL},
                                                 {"preemptive", NULL},  {"frame", "frame"},     {NULL, "load"}};
    static const char *const schedulers[] = {"fixed-priority", "fixed-priority", "tdm", "round-robin"};
    static const char *const words[] = {"fixed priorities, preemptive", "fixed priorities, not preemptive", "TDM", "round robin"};
    const struct weir_datum absent = {.kind = WEIR_DATUM_ABSENT};
    struct weir_table_builder table;
    weir_table_begin(&table, answer, "processors", columns, sizeof columns / sizeof *columns);
    for (uint32_t i = 0; i < weir_pipeline_processor_count(answer->pipeline); i++) {
        struct weir_processor_spec spec = weir_pipeline_processor(answer->pipeline, (struct weir_processor){i});
        weir_table_cell(&table, weir_datum_text(spec.name), weir_datum_text(words[spec.sharing]),
                        weir_datum_text(schedulers[spec.sharing]),
                        spec.sharing <= WEIR_NONPREEMPTIVE ? weir_datum_flag(spec.sharing == WEIR_PREEMPTIVE) : absent,
                        spec.sharing == WEIR_TDM ? weir_datum_time(spec.frame) : absent,
                        weir_datum_share(load_of(answer->pipeline->taskset, i)));
    }
    weir_answer_add_table(&table, converged(analysis) ? "Processors" : NULL, NULL);
}

/* ---- the whole ---- */

static void add_facts(struct weir_answer *answer, const struct weir_priority_analysis *analysis)
{
    static const char *const outcomes[] = {"converged", "unbounded", "violated", "limit"};
    const char *method = weir_priority_method_name(analysis->method), *variant = analysis->variant ? analysis->variant : method;
    bool by = converged(analysis) && strcmp(variant, method) != 0;
    char rounds[WEIR_COUNT_TEXT], windows[WEIR_COUNT_TEXT];
    weir_answer_add_fact(answer, "method", weir_datum_text(method));
    weir_answer_add_fact(answer, "variant", weir_datum_text(variant));
    weir_answer_add_fact(answer, "safe", weir_datum_flag(analysis->safe));
    weir_answer_add_fact(answer, "converged", weir_datum_flag(converged(analysis)));
    weir_answer_add_fact(answer, "outcome", weir_datum_text(outcomes[analysis->outcome]));
    if (analysis->why)
        weir_answer_add_fact(answer, "why", weir_datum_text(analysis->why));
    if (analysis->verified)
        weir_answer_add_fact(answer, "verified", weir_datum_flag(true));
    weir_answer_add_fact(answer, "rounds", weir_datum_count((int64_t)analysis->rounds));
    weir_answer_add_fact(answer, "windows", weir_datum_count((int64_t)analysis->windows));
    weir_answer_line(answer, "method: %s%s%s%s; %s rounds, %s windows", method, by ? ", by " : "", by ? variant : "",
                     analysis->safe ? "" : ", not safe: legal executions can exceed it",
                     weir_count_format((int64_t)analysis->rounds, rounds), weir_count_format((int64_t)analysis->windows, windows));
}

/* No queue helps then. */
static bool is_overloaded(const struct weir_pipeline *pipeline)
{
    for (uint32_t i = 0; i < weir_pipeline_processor_count(pipeline); i++)
        if (weir_ratio_compare(load_of(pipeline->taskset, i), (struct weir_ratio){1, 1}) > 0)
            return true;
    return false;
}

static bool has_given_capacity(const struct weir_pipeline *pipeline)
{
    for (size_t i = 0; i < pipeline->queue_count; i++)
        if (pipeline->queues[i].capacity != WEIR_AUTO && pipeline->queues[i].capacity != WEIR_UNBOUNDED)
            return true;
    return false;
}

/* Of the latencies that are asked for: that others have none is no proof. */
static bool is_proved(const struct weir_priority_analysis *analysis)
{
    bool any = analysis->outcome == WEIR_PRIORITY_UNBOUNDED && analysis->latency_count == 0;
    for (size_t i = 0; i < analysis->latency_count; i++)
        any = any || analysis->latencies[i].unbounded;
    return any;
}

static void add_trouble(struct weir_answer *answer, const struct weir_priority_analysis *analysis)
{
    bool proved = is_proved(analysis);
    answer->trouble = weir_answer_format(answer, "NO BOUND%s: %s", proved ? "" : " FOUND",
                                         analysis->why ? analysis->why : "the method gives none");
    answer->trouble_verdict = proved ? WEIR_VERDICT_BAD : WEIR_VERDICT_OPEN;
    if (!proved)
        weir_answer_line(answer, "that no bound was found does not prove that there is none");
    if (!proved && analysis->method != WEIR_PRIORITY_BEST)
        weir_answer_remedy(answer, "another method: best, the default, tries all safe ones and with them buffers of several sizes");
    if (analysis->outcome == WEIR_PRIORITY_LIMIT)
        weir_answer_remedy(answer, "a higher limit: --latency-limit T for the latency, --limit N for the work");
    if (has_given_capacity(answer->pipeline) && !is_overloaded(answer->pipeline))
        weir_answer_remedy(answer, "queues that are large enough: `capacity: auto` leaves their size to the analysis");
    weir_answer_remedy(
        answer, "shorter execution times or a longer period; other processors or priorities, which `weir explore` looks for");
}

static void fill(struct weir_answer *answer, const struct weir_priority_analysis *analysis)
{
    uint32_t processors = weir_pipeline_processor_count(answer->pipeline);
    weir_answer_scope(answer, ", %u processor%s%s", processors, processors == 1 ? "" : "s",
                      !converged(analysis) ? ""
                      : analysis->safe     ? ", safe"
                                           : ", not safe");
    add_facts(answer, analysis);
    if (!converged(analysis))
        add_trouble(answer, analysis);
    add_operators(answer, analysis);
    add_arrivals(answer, analysis);
    add_schedule(answer, analysis);
    add_processors(answer, analysis);
    weir_answer_buffers(
        answer,
        &(struct weir_buffers){analysis->buffers, analysis->buffer_count, analysis->buffer_total, "message", converged(analysis)},
        NULL);
    answer->assumes = "the processors, priorities and execution times in the model; see docs/concepts/shared-processors.md";
}

static enum weir_status analyze(struct weir_answer *answer, const struct weir_answer_options *options, struct weir_error *error)
{
    struct weir_priority_options own = {.latency_limit = options->latency_limit,
                                        .work_limit = options->work_limit,
                                        .verify = options->verify,
                                        .progress = options->progress,
                                        .context = options->context};
    struct weir_priority_analysis *analysis = NULL;
    if (options->method)
        own.method = weir_priority_method_named(options->method);
    if (own.method == WEIR_PRIORITY_METHODS)
        return weir_fail(error, WEIR_INVALID, "shared processors have no method \"%s\"", options->method);
    if (!weir_answer_chains(answer))
        return weir_fail_memory(error);
    enum weir_status status = weir_priority_analyze(answer->pipeline, &own, &analysis, error);
    if (status)
        return status;
    answer->detail = analysis;
    for (size_t i = 0; i < answer->bound_count; i++)
        fill_bound(answer, &answer->bounds[i], analysis, &analysis->latencies[i]);
    if (!options->brief)
        fill(answer, analysis);
    return prove_misses(answer, error);
}

/* One picture shows all bounds; without them there is a run. */
static enum weir_status show(const struct weir_answer *answer, size_t bound, struct weir_timeline **timeline,
                             struct weir_error *error)
{
    const struct weir_priority_analysis *analysis = answer->detail;
    return converged(analysis) ? weir_timeline_of_intervals(analysis, answer->bounds, timeline, error)
                               : weir_timeline_of_example(answer, bound, timeline, error);
}

const struct weir_engine weir_engine_priority = {"fixed-priority", applies, analyze, release, show, weir_simulate_priority};
