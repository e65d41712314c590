/* SPDX-License-Identifier: Apache-2.0 */
/* The JSON contract of docs/reference/json.md. A value that is not known is null, so that every key is always there. */
#include "base/error.h"
#include "write/json.h"

#include <errno.h>
#include <string.h>

/* A longer critical path is written as segments only. */
#define CRITICAL_STEPS_MAX 10000

struct report {
    struct weir_json json;
    const struct weir_pipeline *pipeline;
    unsigned digits;
};

static void write_time(struct report *report, const char *key, bool known, int64_t ticks)
{
    weir_json_key(&report->json, key);
    if (known)
        weir_json_decimal(&report->json, ticks, report->digits);
    else
        weir_json_null(&report->json);
}

static const char *operator_name(const struct report *report, struct weir_operator op)
{
    return weir_pipeline_operator(report->pipeline, op).name;
}

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

static void write_steps(struct report *report, const struct weir_segment *segment, int64_t repetition)
{
    static const char *const waits[] = {"none", "data", "busy", "backpressure", "period", "order"};
    static const char *const parts[] = {"execution", "receive", "arrival", "done"};
    struct weir_json *json = &report->json;
    for (size_t i = 0; i < segment->step_count; i++) {
        const struct weir_step *step = &segment->steps[i];
        weir_json_object(json, WEIR_JSON_LINE);
        weir_json_key(json, "operator");
        weir_json_text(json, operator_name(report, step->op));
        weir_json_key(json, "iteration");
        weir_json_integer(json, step->iteration + repetition * segment->iterations);
        write_time(report, "time", true, step->time);
        weir_json_key(json, "wait");
        weir_json_text(json, waits[step->wait]);
        weir_json_key(json, "counts");
        weir_json_bool(json, step->counts);
        if (step->part != WEIR_PART_EXECUTION) {
            weir_json_key(json, "part");
            weir_json_text(json, parts[step->part]);
        }
        weir_json_end(json);
    }
}

static void write_segments(struct report *report, const struct weir_witness *witness)
{
    struct weir_json *json = &report->json;
    weir_json_key(json, "segments");
    weir_json_array(json, WEIR_JSON_BLOCK);
    for (size_t i = 0; i < witness->segment_count; i++) {
        const struct weir_segment *segment = &witness->segments[i];
        weir_json_object(json, WEIR_JSON_BLOCK);
        weir_json_key(json, "repeat");
        weir_json_integer(json, segment->repeat);
        weir_json_key(json, "iterations");
        weir_json_integer(json, segment->iterations);
        weir_json_key(json, "steps");
        weir_json_array(json, WEIR_JSON_BLOCK);
        write_steps(report, segment, 0);
        weir_json_end(json);
        weir_json_end(json);
    }
    weir_json_end(json);
}

static void write_witness(struct report *report, const struct weir_witness *witness)
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
    weir_json_key(json, "iteration");
    weir_json_integer(json, witness->iteration);
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

static void write_worst(struct report *report, const struct weir_latency *latency)
{
    struct weir_json *json = &report->json;
    const struct weir_separation *worst = &latency->worst;
    int64_t value;
    bool known = safe_end(worst, &value);
    write_time(report, "worst", known, value);
    if (is_bracket(worst))
        write_time(report, "worst_lower", worst->lower != INT64_MIN, worst->lower);
    if (worst->outcome == WEIR_NO_BOUND) {
        weir_json_key(json, "unbounded");
        weir_json_bool(json, true);
    }
}

/* best is the worst case of the negated latency, so its upper end is minus the safe best case. */
static void write_best(struct report *report, const struct weir_latency *latency)
{
    const struct weir_separation *worst = &latency->worst, *best = &latency->best;
    int64_t low, jitter = 0;
    bool best_known = safe_end(best, &low);
    write_time(report, "best", best_known, best_known ? -low : 0);
    if (is_bracket(best))
        write_time(report, "best_upper", best->lower != INT64_MIN, best->lower != INT64_MIN ? -best->lower : 0);
    bool jitter_known =
        worst->outcome == WEIR_EXACT && best->outcome == WEIR_EXACT && !__builtin_add_overflow(worst->value, best->value, &jitter);
    write_time(report, "jitter", jitter_known, jitter);
}

static void write_deadline(struct report *report, const struct weir_latency *latency)
{
    struct weir_json *json = &report->json;
    const struct weir_separation *worst = &latency->worst;
    bool given = latency->pair.has_deadline;
    int64_t deadline = latency->pair.deadline, value, slack = 0;
    /* A bracket around the deadline decides nothing. */
    bool undecided = given && is_bracket(worst) && !latency->deadline_met && worst->lower <= deadline;
    bool known = safe_end(worst, &value) && given && !__builtin_sub_overflow(deadline, value, &slack);
    write_time(report, "deadline", given, deadline);
    weir_json_key(json, "met");
    if (undecided)
        weir_json_null(json);
    else
        weir_json_bool(json, !given || latency->deadline_met);
    write_time(report, "slack", known && !undecided, slack);
}

static void write_latency(struct report *report, const struct weir_latency *latency)
{
    struct weir_json *json = &report->json;
    int64_t gap;
    weir_json_object(json, WEIR_JSON_BLOCK);
    weir_json_key(json, "from");
    weir_json_text(json, operator_name(report, latency->pair.from));
    weir_json_key(json, "to");
    weir_json_text(json, operator_name(report, latency->pair.to));
    weir_json_key(json, "shift");
    weir_json_integer(json, latency->pair.shift);
    write_worst(report, latency);
    write_best(report, latency);
    weir_json_key(json, "exact");
    weir_json_bool(json, latency->worst.outcome == WEIR_EXACT && !is_bracket(&latency->best)); /* no best case is exact, too */
    write_deadline(report, latency);
    bool gap_known = safe_end(&latency->gap, &gap);
    write_time(report, "gap", gap_known, gap);
    if (is_bracket(&latency->gap))
        write_time(report, "gap_lower", latency->gap.lower != INT64_MIN, latency->gap.lower);
    if (latency->why) {
        weir_json_key(json, "why");
        weir_json_text(json, latency->why);
    }
    if (latency->verified) {
        weir_json_key(json, "verified");
        weir_json_bool(json, true);
    }
    if (latency->witness)
        write_witness(report, latency->witness);
    weir_json_end(json);
}

static void write_period(struct report *report, const char *key, const char *exact_key, struct weir_ratio period)
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

static void write_throughput(struct report *report, const struct weir_throughput_answer *throughput)
{
    struct weir_json *json = &report->json;
    weir_json_key(json, "throughput");
    weir_json_object(json, WEIR_JSON_BLOCK);
    write_period(report, "period", "period_exact", throughput->period);
    write_period(report, "best_period", "best_period_exact", throughput->best_period);
    weir_json_key(json, "bottleneck");
    weir_json_array(json, WEIR_JSON_LINE);
    for (size_t i = 0; i < throughput->bottleneck_count; i++)
        weir_json_text(json, operator_name(report, throughput->bottleneck[i]));
    weir_json_end(json);
    weir_json_end(json);
}

enum weir_status weir_analysis_write_json(const struct weir_analysis *analysis, FILE *out, struct weir_error *error)
{
    const struct weir_pipeline *pipeline = analysis->pipeline;
    const char *name = weir_pipeline_name(pipeline);
    struct report report = {.json = {.out = out}, .pipeline = pipeline, .digits = weir_pipeline_digits(pipeline)};
    struct weir_json *json = &report.json;
    weir_json_object(json, WEIR_JSON_BLOCK);
    weir_json_key(json, "weir");
    weir_json_integer(json, 1);
    weir_json_key(json, "model");
    weir_json_text(json, name ? name : "");
    weir_json_key(json, "unit");
    weir_json_text(json, weir_unit_name(weir_pipeline_unit(pipeline)));
    weir_json_key(json, "engine");
    weir_json_text(json, "exact");
    weir_json_key(json, "latency");
    weir_json_array(json, WEIR_JSON_BLOCK);
    for (size_t i = 0; i < analysis->latency_count; i++)
        write_latency(&report, &analysis->latencies[i]);
    weir_json_end(json);
    write_throughput(&report, &analysis->throughput);
    weir_json_end(json);
    fputc('\n', out);
    if (ferror(out))
        return weir_fail(error, WEIR_IO, "cannot write the analysis as JSON: %s", errno ? strerror(errno) : "write error");
    return WEIR_OK;
}
