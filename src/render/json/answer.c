/* SPDX-License-Identifier: Apache-2.0 */
/* Any answer as JSON: docs/reference/json.md. A value that is not known is null, so that every key is always there. */
#include "answer/answer.h"
#include "base/error.h"
#include "render/json/report.h"

static bool known(struct weir_ratio end)
{
    return end.denominator > 0;
}

static void write_time(struct weir_report *report, const char *key, struct weir_ratio end, bool rounds_down)
{
    struct weir_datum value = weir_datum_if(known(end), weir_datum_ratio(end));
    value.rounds_down = rounds_down;
    weir_report_datum(report, key, &value);
}

static void write_worst(struct weir_report *report, const struct weir_bound *bound)
{
    const struct weir_quantity *worst = &bound->worst;
    write_time(report, "worst", worst->high, false);
    if (worst->claim == WEIR_CLAIM_BRACKET || (worst->claim != WEIR_CLAIM_EXACT && known(worst->low)))
        write_time(report, "worst_lower", worst->low, true);
    if (worst->claim == WEIR_CLAIM_UNBOUNDED)
        weir_report_bool(report, "unbounded", true);
}

static void write_best(struct weir_report *report, const struct weir_bound *bound)
{
    const struct weir_quantity *worst = &bound->worst, *best = &bound->best;
    bool both = worst->claim == WEIR_CLAIM_EXACT && best->claim == WEIR_CLAIM_EXACT;
    int64_t jitter = 0;
    both = both && !__builtin_sub_overflow(worst->high.numerator, best->low.numerator, &jitter);
    write_time(report, "best", best->low, true);
    if (best->claim == WEIR_CLAIM_BRACKET)
        write_time(report, "best_upper", best->high, false);
    weir_report_time(report, "jitter", both, jitter);
}

/* `met` is true without a deadline, null while it is open. What is to spare is rounded down to whole ticks. */
static void write_deadline(struct weir_report *report, const struct weir_bound *bound)
{
    enum weir_deadline_state state = bound->state;
    struct weir_ratio high = bound->worst.high;
    int64_t slack = 0;
    bool spare = bound->has_deadline && known(high) && state != WEIR_DEADLINE_NOT_DECIDED;
    if (spare) {
        int64_t ceiling = high.numerator / high.denominator + (high.numerator % high.denominator > 0);
        spare = !__builtin_sub_overflow(bound->deadline, ceiling, &slack);
    }
    weir_report_time(report, "deadline", bound->has_deadline, bound->deadline);
    weir_json_key(&report->json, "met");
    if (state == WEIR_DEADLINE_NOT_PROVED || state == WEIR_DEADLINE_NOT_DECIDED)
        weir_json_null(&report->json);
    else
        weir_json_bool(&report->json, state != WEIR_DEADLINE_MISSED);
    weir_report_text(report, "state", weir_deadline_state_name(state));
    weir_report_time(report, "slack", spare, slack);
}

static bool is_safe(enum weir_claim claim)
{
    return claim == WEIR_CLAIM_EXACT || claim == WEIR_CLAIM_SAFE || claim == WEIR_CLAIM_BRACKET || claim == WEIR_CLAIM_NONE;
}

static void write_observed(struct weir_report *report, const struct weir_distribution *d)
{
    weir_report_integer(report, "samples", d->count);
    write_time(report, "min", d->min, false);
    write_time(report, "median", d->median, false);
    write_time(report, "p99", d->p99, false);
    write_time(report, "max", d->max, false);
    weir_report_bool(report, "percentiles_exact", d->kept == d->count);
    weir_json_key(&report->json, "histogram");
    weir_json_array(&report->json, WEIR_JSON_BLOCK);
    for (size_t i = 0; i < d->bin_count; i++) {
        weir_json_object(&report->json, WEIR_JSON_LINE);
        write_time(report, "from", d->bins[i].from, false);
        write_time(report, "to", d->bins[i].to, false);
        weir_report_integer(report, "count", d->bins[i].count);
        weir_json_end(&report->json);
    }
    weir_json_end(&report->json);
}

static void write_bound(struct weir_report *report, const struct weir_bound *bound)
{
    const struct weir_quantity *gap = &bound->gap;
    /* That there is no best case is known exactly, too. */
    bool exact = bound->worst.claim == WEIR_CLAIM_EXACT && bound->best.claim != WEIR_CLAIM_BRACKET;
    weir_json_object(&report->json, WEIR_JSON_BLOCK);
    if (bound->whole)
        weir_report_bool(report, "whole", true);
    else
        weir_report_chain(report, &bound->chain);
    if (bound->observed)
        write_observed(report, bound->observed);
    write_worst(report, bound);
    write_best(report, bound);
    weir_report_bool(report, "exact", exact);
    weir_report_bool(report, "safe", is_safe(bound->worst.claim));
    write_deadline(report, bound);
    write_time(report, "gap", gap->high, false);
    if (gap->claim == WEIR_CLAIM_BRACKET)
        write_time(report, "gap_lower", gap->low, true);
    for (size_t i = 0; i < bound->detail_count; i++)
        weir_report_datum(report, bound->details[i].key, &bound->details[i].value);
    if (bound->since)
        weir_report_text(report, "since", bound->since);
    if (bound->why)
        weir_report_text(report, "why", bound->why);
    if (bound->verified)
        weir_report_bool(report, "verified", true);
    if (bound->witness)
        weir_report_witness(report, bound->witness);
    weir_json_end(&report->json);
}

enum weir_status weir_answer_write_json(const struct weir_answer *answer, FILE *out, struct weir_error *error)
{
    const struct weir_field *facts = answer->facts.items;
    struct weir_report report;
    const char *name = weir_pipeline_name(answer->pipeline), *title = answer->title ? answer->title : name ? name : "";
    weir_report_begin(&report, answer->pipeline, title, answer->engine ? answer->engine->name : NULL, out);
    for (size_t i = 0; i < answer->facts.count; i++)
        weir_report_datum(&report, facts[i].key, &facts[i].value);
    for (size_t i = 0; i < answer->bound_count && answer->bounds[i].whole; i++)
        write_deadline(&report, &answer->bounds[i]); /* that of the whole is one of the model */
    if (answer->bounds) {                            /* measurements have tables alone */
        weir_json_key(&report.json, "latency");
        weir_json_array(&report.json, WEIR_JSON_BLOCK);
        for (size_t i = 0; i < answer->bound_count; i++)
            write_bound(&report, &answer->bounds[i]);
        weir_json_end(&report.json);
    }
    for (size_t i = 0; i < answer->tables.count; i++)
        weir_report_table(&report, weir_answer_table(answer, i));
    return weir_report_end(&report, error);
}
