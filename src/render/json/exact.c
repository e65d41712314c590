/* SPDX-License-Identifier: Apache-2.0 */
/* The JSON contract of docs/reference/json.md. A value that is not known is null, so that every key is always there. */
#include "render/json/report.h"

/* A longer critical path is written as segments only. */
#define CRITICAL_STEPS_MAX 10000

/* The end of a separation that is safe to rely on: it is never exceeded. False when there is none. */
static bool safe_end(const struct weir_separation *separation, int64_t *value)
{
    *value = separation->outcome == WEIR_EXACT ? separation->value : separation->upper;
    return separation->outcome == WEIR_EXACT || (separation->outcome == WEIR_BRACKET && separation->upper != INT64_MAX);
}

static bool is_bracket(const struct weir_separation *separation)
{
    return separation->outcome == WEIR_BRACKET;
}

static void write_steps(struct weir_report *report, const struct weir_segment *segment, int64_t repetition)
{
    static const char *const waits[] = {"none", "data", "busy", "backpressure", "period", "order"};
    static const char *const parts[] = {"execution", "receive", "arrival", "done", "gpu", "after", "transfer", "tick"};
    struct weir_json *json = &report->json;
    for (size_t i = 0; i < segment->step_count; i++) {
        const struct weir_step *step = &segment->steps[i];
        weir_json_object(json, WEIR_JSON_LINE);
        weir_report_text(report, "operator", weir_report_operator(report, step->op));
        weir_report_integer(report, "iteration", step->iteration + repetition * segment->iterations);
        bool under_way = step->part == WEIR_PART_TRANSFER; /* then the turn is its producer's */
        struct weir_operator whose = under_way ? weir_pipeline_queue(report->pipeline, step->queue).from : step->op;
        if (weir_pipeline_turns(report->pipeline, whose) > 1)
            weir_report_integer(report, "turn", step->turn);
        if (under_way)
            weir_report_text(report, "from", weir_report_operator(report, whose));
        weir_report_time(report, "time", true, step->time);
        weir_report_text(report, "wait", waits[step->wait]);
        weir_report_bool(report, "counts", step->counts);
        if (step->part != WEIR_PART_EXECUTION)
            weir_report_text(report, "part", parts[step->part]);
        weir_json_end(json);
    }
}

static void write_segments(struct weir_report *report, const struct weir_witness *witness)
{
    struct weir_json *json = &report->json;
    weir_json_key(json, "segments");
    weir_json_array(json, WEIR_JSON_BLOCK);
    for (size_t i = 0; i < witness->segment_count; i++) {
        const struct weir_segment *segment = &witness->segments[i];
        weir_json_object(json, WEIR_JSON_BLOCK);
        weir_report_integer(report, "repeat", segment->repeat);
        weir_report_integer(report, "iterations", segment->iterations);
        weir_json_key(json, "steps");
        weir_json_array(json, WEIR_JSON_BLOCK);
        write_steps(report, segment, 0);
        weir_json_end(json);
        weir_json_end(json);
    }
    weir_json_end(json);
}

static void write_witness(struct weir_report *report, const struct weir_witness *witness)
{
    struct weir_json *json = &report->json;
    bool repeats = false;
    int64_t room = CRITICAL_STEPS_MAX;
    for (size_t i = 0; i < witness->segment_count; i++) {
        const struct weir_segment *segment = &witness->segments[i];
        int64_t steps;
        repeats |= segment->repeat > 1;
        if (__builtin_mul_overflow((int64_t)segment->step_count, segment->repeat, &steps) || steps > room)
            room = -1;
        else
            room -= steps;
    }
    weir_json_key(json, "witness");
    weir_json_object(json, WEIR_JSON_BLOCK);
    weir_report_integer(report, "iteration", witness->iteration);
    if (weir_pipeline_turns(report->pipeline, witness->query.from.op) > 1)
        weir_report_integer(report, "turn", witness->query.from.turn);
    if (room >= 0) {
        weir_json_key(json, "critical");
        weir_json_array(json, WEIR_JSON_BLOCK);
        for (size_t i = 0; i < witness->segment_count; i++)
            for (int64_t k = 0; k < witness->segments[i].repeat; k++)
                write_steps(report, &witness->segments[i], k);
        weir_json_end(json);
    }
    if (room < 0 || repeats)
        write_segments(report, witness);
    weir_json_end(json);
}

static void write_worst(struct weir_report *report, const struct weir_latency *latency)
{
    const struct weir_separation *worst = &latency->worst;
    int64_t value;
    bool known = safe_end(worst, &value);
    weir_report_time(report, "worst", known, value);
    if (is_bracket(worst))
        weir_report_time(report, "worst_lower", worst->lower != INT64_MIN, worst->lower);
    if (worst->outcome == WEIR_NO_BOUND)
        weir_report_bool(report, "unbounded", true);
}

/* best is the worst case of the negated latency, so its upper end is minus the safe best case. */
static void write_best(struct weir_report *report, const struct weir_latency *latency)
{
    const struct weir_separation *worst = &latency->worst, *best = &latency->best;
    int64_t low, jitter = 0;
    bool best_known = safe_end(best, &low);
    weir_report_time(report, "best", best_known, best_known ? -low : 0);
    if (is_bracket(best))
        weir_report_time(report, "best_upper", best->lower != INT64_MIN, best->lower != INT64_MIN ? -best->lower : 0);
    bool jitter_known =
        worst->outcome == WEIR_EXACT && best->outcome == WEIR_EXACT && !__builtin_add_overflow(worst->value, best->value, &jitter);
    weir_report_time(report, "jitter", jitter_known, jitter);
}

static void write_deadline(struct weir_report *report, const struct weir_latency *latency)
{
    const struct weir_separation *worst = &latency->worst;
    int64_t value;
    bool known = safe_end(worst, &value);
    /* A bracket around the deadline decides nothing. */
    bool undecided = is_bracket(worst) && !latency->deadline_met && worst->lower <= latency->pair.deadline;
    enum weir_met met = latency->deadline_met ? WEIR_MET : undecided ? WEIR_MET_UNDECIDED : WEIR_NOT_MET;
    weir_report_deadline(report, &latency->pair, met, known ? &value : NULL);
}

static void write_latency(struct weir_report *report, const struct weir_latency *latency)
{
    struct weir_json *json = &report->json;
    int64_t gap;
    weir_json_object(json, WEIR_JSON_BLOCK);
    weir_report_pair(report, &latency->pair);
    write_worst(report, latency);
    write_best(report, latency);
    bool exact = latency->worst.outcome == WEIR_EXACT && !is_bracket(&latency->best); /* no best case is exact, too */
    weir_report_bool(report, "exact", exact);
    write_deadline(report, latency);
    bool gap_known = safe_end(&latency->gap, &gap);
    weir_report_time(report, "gap", gap_known, gap);
    if (is_bracket(&latency->gap))
        weir_report_time(report, "gap_lower", latency->gap.lower != INT64_MIN, latency->gap.lower);
    if (latency->why)
        weir_report_text(report, "why", latency->why);
    if (latency->verified)
        weir_report_bool(report, "verified", true);
    if (latency->witness)
        write_witness(report, latency->witness);
    weir_json_end(json);
}

static void write_period(struct weir_report *report, const char *key, const char *exact_key, struct weir_ratio period)
{
    struct weir_json *json = &report->json;
    weir_json_key(json, key);
    if (period.denominator <= 0) {
        weir_json_null(json);
        return;
    }
    weir_json_ratio(json, period, report->digits);
    if (period.denominator == 1)
        return;
    weir_json_key(json, exact_key);
    weir_json_array(json, WEIR_JSON_LINE);
    weir_json_integer(json, period.numerator);
    weir_json_integer(json, period.denominator);
    weir_json_end(json);
}

static void write_throughput(struct weir_report *report, const struct weir_throughput_answer *throughput)
{
    struct weir_json *json = &report->json;
    weir_json_key(json, "throughput");
    weir_json_object(json, WEIR_JSON_BLOCK);
    write_period(report, "period", "period_exact", throughput->period);
    write_period(report, "best_period", "best_period_exact", throughput->best_period);
    weir_json_key(json, "bottleneck");
    weir_json_array(json, WEIR_JSON_LINE);
    for (size_t i = 0; i < throughput->bottleneck_count; i++)
        weir_json_text(json, weir_report_operator(report, throughput->bottleneck[i]));
    weir_json_end(json);
    weir_json_end(json);
}

enum weir_status weir_analysis_write_json(const struct weir_analysis *analysis, FILE *out, struct weir_error *error)
{
    struct weir_report report;
    struct weir_json *json = &report.json;
    weir_report_begin(&report, analysis->pipeline, "exact", out);
    weir_json_key(json, "latency");
    weir_json_array(json, WEIR_JSON_BLOCK);
    for (size_t i = 0; i < analysis->latency_count; i++)
        write_latency(&report, &analysis->latencies[i]);
    weir_json_end(json);
    write_throughput(&report, &analysis->throughput);
    return weir_report_end(&report, error);
}
