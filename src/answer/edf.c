/* SPDX-License-Identifier: Apache-2.0 */
/* The answer about flows with rates on a pool of cores: latencies, responses of operators, how much the queues hold. */
#include "answer/answer.h"
#include "answer/number.h"
#include "answer/simulate/simulation.h"
#include "answer/timeline/timeline.h"
#include "base/error.h"
#include "base/number.h"
#include "model/pipeline.h"

static bool applies(const struct weir_pipeline *pipeline)
{
    return pipeline->platform == WEIR_PLATFORM_CORES;
}

static void release(void *detail)
{
    weir_edf_analysis_free(detail);
}

static const char *plural(int64_t count)
{
    return count == 1 ? "" : "s";
}

/* ---- bounds ---- */

static void fill_bound(struct weir_answer *answer, struct weir_bound *bound, const struct weir_edf_latency *from)
{
    const struct weir_edf_analysis *analysis = answer->detail;
    struct weir_record details = {.answer = answer};
    weir_record_add(&details, "gathering", weir_datum_if(from->bounded, weir_datum_ratio(from->gathering)));
    bound->details = details.fields;
    bound->detail_count = details.count;
    bound->verified = analysis->verified;
    if (!from->bounded) {
        bound->worst.claim = from->unbounded ? WEIR_CLAIM_UNBOUNDED : WEIR_CLAIM_UNKNOWN;
        bound->why = analysis->why ? analysis->why : "it also waits for another source, which may be silent for any time";
        return;
    }
    bound->worst = weir_quantity_safe(from->worst);
    bound->since = from->needed ? "the last arrival that an execution needs" : NULL;
    if (from->gathering.numerator <= 0)
        return;
    struct weir_bound_term *terms = weir_answer_take(answer, 2, sizeof *terms);
    if (!terms)
        return;
    terms[0] = (struct weir_bound_term){"until the batch is full", from->gathering};
    terms[1] = (struct weir_bound_term){"from then on", weir_ratio_difference(from->worst, from->gathering)};
    bound->terms = terms;
    bound->term_count = 2;
}

/* ---- operators ---- */

static void add_operators(struct weir_answer *answer, const struct weir_edf_analysis *analysis)
{
    static const struct weir_column columns[] = {{"name", "operator"}, {"period", "period"},    {"repetitions", NULL},
                                                 {"cost", "cost"},     {"utilization", "load"}, {"response", "response"},
                                                 {"offset", "offset"}, {"bound", "bound"}};
    bool known = analysis->schedulable;
    struct weir_table_builder table;
    weir_table_begin(&table, answer, "operators", columns, sizeof columns / sizeof *columns);
    for (uint32_t i = 0; i < answer->pipeline->operator_count; i++) {
        const struct weir_edf_operator *o = &analysis->operators[i];
        weir_table_cell(&table, weir_datum_text(weir_answer_name(answer, (struct weir_operator){i})), weir_datum_ratio(o->period),
                        weir_datum_count(o->repetitions), weir_datum_time(o->cost), weir_datum_share(o->utilization),
                        weir_datum_if(known, weir_datum_ratio(o->response)), weir_datum_if(known, weir_datum_ratio(o->offset)),
                        weir_datum_text(known ? weir_edf_bound_name(o->by) : NULL));
    }
    weir_answer_add_table(
        &table,
        known ? "Operators: execution j is released by `offset` + (j - 1) `period`, and ends at most `response` later"
              : "Operators",
        known && analysis->sporadic
            ? "After sources that are not even: at most `offset` after the release of the last arrival that is needed."
            : NULL);
}

/* ---- where responses come from ---- */

static struct weir_ratio largest_load(const struct weir_answer *answer, const struct weir_edf_analysis *analysis)
{
    struct weir_ratio largest = {0, 1};
    for (uint32_t i = 0; i < answer->pipeline->operator_count; i++)
        if (weir_ratio_compare(analysis->operators[i].utilization, largest) > 0)
            largest = analysis->operators[i].utilization;
    return largest;
}

/* Why a bound applies, or does not: the same for all operators, except for numbers that cannot be counted. */
static const char *condition(struct weir_answer *answer, const struct weir_edf_analysis *analysis, enum weir_edf_bound bound,
                             bool applies)
{
    uint32_t operators = (uint32_t)answer->pipeline->operator_count, cores = analysis->cores;
    const char *word = applies ? "yes" : "no";
    char load[WEIR_NUMBER_TEXT], heavy[WEIR_NUMBER_TEXT];
    if (bound == WEIR_EDF_ALONE)
        return weir_answer_format(answer, "%s: %u operator%s, %u core%s", word, operators, plural(operators), cores, plural(cores));
    if (bound == WEIR_EDF_NO_MISS && cores == 1)
        return weir_answer_format(answer, "%s: one core", word);
    if (bound == WEIR_EDF_NO_MISS)
        return weir_answer_format(answer, "%s: utilization %s is %s %u - %u x %s, the largest of an operator", word,
                                  weir_ratio_format(analysis->utilization, 0, 4, load), applies ? "at most" : "above", cores,
                                  cores - 1, weir_ratio_format(largest_load(answer, analysis), 0, 4, heavy));
    if (bound == WEIR_EDF_WINDOW) {
        uint32_t smaller = 0;
        for (uint32_t i = 0; i < operators; i++)
            smaller += analysis->operators[i].applies[bound];
        return weir_answer_format(answer, "%s: it is the least for %u operator%s", smaller ? "yes" : "no", smaller,
                                  plural(smaller));
    }
    return applies ? "yes: the cores are not overloaded" : "no: its numbers cannot be represented here";
}

static void add_rules(struct weir_answer *answer, const struct weir_edf_analysis *analysis)
{
    static const struct weir_column columns[] = {{NULL, "bound"}, {NULL, "on a response"}, {NULL, "applies"}};
    static const char *const rules[WEIR_EDF_BOUNDS] = {
        "the cost: every operator has a core", "the period: no deadline is missed", "period + cost + x, one x for all",
        "period - the shortest + cost + rest of s", "cost + what others can do in the time"};
    struct weir_table_builder table;
    weir_table_begin(&table, answer, NULL, columns, sizeof columns / sizeof *columns);
    for (unsigned b = 0; b < WEIR_EDF_BOUNDS; b++) {
        weir_table_cell(&table, weir_datum_text(weir_edf_bound_name((enum weir_edf_bound)b)), weir_datum_text(rules[b]),
                        weir_datum_text(condition(answer, analysis, (enum weir_edf_bound)b, analysis->operators[0].applies[b])));
    }
    weir_answer_add_table(&table, "Why these responses: each is the least of the bounds that apply", NULL);
}

static void add_responses(struct weir_answer *answer, const struct weir_edf_analysis *analysis)
{
    static const struct weir_column columns[] = {{NULL, "operator"},  {NULL, "alone"},  {NULL, "no-miss"},  {NULL, "devi-anderson"},
                                                 {NULL, "compliant"}, {NULL, "window"}, {NULL, "the least"}};
    struct weir_table_builder table;
    weir_table_begin(&table, answer, NULL, columns, sizeof columns / sizeof *columns);
    for (uint32_t i = 0; i < answer->pipeline->operator_count; i++) {
        const struct weir_edf_operator *o = &analysis->operators[i];
        weir_table_cell(&table, weir_datum_text(weir_answer_name(answer, (struct weir_operator){i})));
        for (unsigned b = 0; b < WEIR_EDF_BOUNDS; b++)
            weir_table_cell(&table, weir_datum_if(o->applies[b], weir_datum_ratio(o->responses[b])));
        weir_table_cell(&table, weir_datum_text(weir_edf_bound_name(o->by)));
    }
    weir_answer_add_table(&table, "Bounds on the responses", NULL);
}

/* ---- the whole ---- */

static void add_facts(struct weir_answer *answer, const struct weir_edf_analysis *analysis)
{
    weir_answer_add_fact(answer, "cores", weir_datum_count(analysis->cores));
    weir_answer_add_fact(answer, "utilization", weir_datum_share(analysis->utilization));
    weir_answer_add_fact(answer, "schedulable", weir_datum_flag(analysis->schedulable));
    weir_answer_add_fact(answer, "sporadic", weir_datum_flag(analysis->sporadic));
    if (analysis->why)
        weir_answer_add_fact(answer, "why", weir_datum_text(analysis->why));
    if (analysis->verified)
        weir_answer_add_fact(answer, "verified", weir_datum_flag(true));
}

static void add_load(struct weir_answer *answer, const struct weir_edf_analysis *analysis)
{
    struct weir_ratio each = analysis->utilization;
    char load[WEIR_NUMBER_TEXT], share[WEIR_NUMBER_TEXT];
    bool fits = weir_multiply(each.denominator, analysis->cores, &each.denominator);
    weir_answer_line(answer, "utilization: %s of %u core%s%s%s", weir_ratio_format(analysis->utilization, 0, 4, load),
                     analysis->cores, plural(analysis->cores), fits ? ", " : "", fits ? weir_ratio_percent(each, share) : "");
}

static void add_trouble(struct weir_answer *answer, const struct weir_edf_analysis *analysis)
{
    bool fits = !analysis->overloaded && weir_ratio_compare(analysis->utilization, (struct weir_ratio){analysis->cores, 1}) <= 0;
    bool alone = false; /* an operator has more to do than a core does */
    for (uint32_t i = 0; i < answer->pipeline->operator_count; i++)
        alone |= weir_ratio_compare(analysis->operators[i].utilization, (struct weir_ratio){1, 1}) > 0;
    answer->trouble =
        weir_answer_format(answer, "%s: %s", analysis->overloaded ? "NOT SCHEDULABLE" : "NO BOUND FOUND", analysis->why);
    answer->trouble_verdict = analysis->overloaded ? WEIR_VERDICT_BAD : WEIR_VERDICT_OPEN;
    if (fits) {
        weir_answer_remedy(answer, "a larger queue: `capacity: auto` leaves its size to the analysis");
        return;
    }
    weir_answer_remedy(answer,
                       "larger batches, where a part of the cost is paid once for an execution: `weir explore MODEL --batch rate`");
    weir_answer_remedy(answer, alone ? "lower rates, or less to do for a sample; no operator can have more than one core"
                                     : "more cores (--cores N), lower rates, or less to do for a sample");
}

static void fill(struct weir_answer *answer, const struct weir_edf_analysis *analysis, bool explain)
{
    bool known = analysis->schedulable;
    weir_answer_scope(answer, ", %u core%s%s", analysis->cores, plural(analysis->cores), known ? ", safe" : "");
    add_load(answer, analysis);
    if (!known)
        add_trouble(answer, analysis);
    add_operators(answer, analysis);
    if (known && explain) {
        add_rules(answer, analysis);
        add_responses(answer, analysis);
    }
    weir_answer_buffers(answer,
                        &(struct weir_buffers){analysis->buffers, analysis->buffer_count, analysis->buffer_total, "sample", known},
                        known ? "With these no operator waits for room." : NULL);
    answer->assumes = "global EDF, and the costs and rates in the model; see docs/concepts/pool-of-cores.md";
}

static enum weir_status analyze(struct weir_answer *answer, const struct weir_answer_options *options, struct weir_error *error)
{
    struct weir_edf_options own = {.cores = options->cores, .verify = options->verify};
    struct weir_edf_analysis *analysis = NULL;
    if (!weir_answer_chains(answer))
        return weir_fail_memory(error);
    if (options->method)
        return weir_fail(error, WEIR_INVALID, "a pool of cores has one analysis, and no method \"%s\"", options->method);
    enum weir_status status = weir_edf_analyze(answer->pipeline, &own, &analysis, error);
    if (status)
        return status;
    answer->detail = analysis;
    for (size_t i = 0; i < answer->bound_count; i++)
        fill_bound(answer, &answer->bounds[i], &analysis->latencies[i]);
    add_facts(answer, analysis);
    if (!options->brief)
        fill(answer, analysis, options->explain);
    return WEIR_OK;
}

const struct weir_engine weir_engine_edf = {"global-edf", applies, analyze, release, weir_timeline_of_cores, weir_simulate_edf};
