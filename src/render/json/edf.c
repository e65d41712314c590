/* SPDX-License-Identifier: Apache-2.0 */
/* The answer of the analysis of a pool of cores as JSON: docs/reference/json.md. Ratios are rounded up. */
#include "base/number.h"
#include "render/json/report.h"

static void write_ratio(struct weir_report *report, const char *key, struct weir_ratio ratio, unsigned digits)
{
    weir_json_key(&report->json, key);
    if (ratio.denominator)
        weir_json_ratio(&report->json, ratio, digits);
    else
        weir_json_null(&report->json);
}

/* What is to spare of a deadline is rounded down: the latency is rounded up to whole ticks for it. */
static int64_t whole_ticks(struct weir_ratio ratio)
{
    return ratio.numerator / ratio.denominator + (ratio.numerator % ratio.denominator != 0);
}

static void write_latency(struct weir_report *report, const struct weir_edf_analysis *analysis,
                          const struct weir_edf_latency *latency)
{
    weir_json_object(&report->json, WEIR_JSON_BLOCK);
    weir_report_pair(report, &latency->pair);
    struct weir_ratio unknown = {0, 0};
    int64_t ticks = latency->bounded ? whole_ticks(latency->worst) : 0;
    write_ratio(report, "worst", latency->bounded ? latency->worst : unknown, report->digits);
    if (!latency->bounded)
        weir_report_bool(report, "unbounded", true);
    weir_json_key(&report->json, "best");
    weir_json_null(&report->json);
    write_ratio(report, "gathering", latency->bounded ? latency->gathering : unknown, report->digits);
    weir_report_bool(report, "exact", false);
    weir_report_bool(report, "safe", latency->bounded);
    weir_report_deadline(report, &latency->pair, latency->deadline_met ? WEIR_MET : WEIR_NOT_MET, latency->bounded ? &ticks : NULL);
    if (!latency->bounded)
        weir_report_text(report, "why",
                         analysis->why ? analysis->why : "it also waits for another source, which may be silent for any time");
    weir_json_end(&report->json);
}

static void write_operator(struct weir_report *report, const struct weir_edf_analysis *analysis, uint32_t index)
{
    const struct weir_edf_operator *o = &analysis->operators[index];
    struct weir_ratio unknown = {0, 0};
    weir_json_object(&report->json, WEIR_JSON_LINE);
    weir_report_text(report, "name", weir_report_operator(report, (struct weir_operator){index}));
    write_ratio(report, "period", o->period, report->digits);
    weir_report_integer(report, "repetitions", o->repetitions);
    weir_report_time(report, "cost", true, o->cost);
    write_ratio(report, "utilization", o->utilization, 0);
    write_ratio(report, "response", analysis->schedulable ? o->response : unknown, report->digits);
    write_ratio(report, "offset", analysis->schedulable ? o->offset : unknown, report->digits);
    weir_json_key(&report->json, "bound");
    if (analysis->schedulable)
        weir_json_text(&report->json, weir_edf_bound_name(o->by));
    else
        weir_json_null(&report->json);
    weir_json_end(&report->json);
}

static void write_buffer(struct weir_report *report, const struct weir_buffer *buffer)
{
    struct weir_queue_spec queue = weir_pipeline_queue(report->pipeline, (struct weir_queue){buffer->index});
    weir_json_object(&report->json, WEIR_JSON_LINE);
    weir_report_text(report, "from", weir_report_operator(report, queue.from));
    weir_report_text(report, "to", weir_report_operator(report, queue.to));
    weir_json_key(&report->json, "capacity");
    if (buffer->capacity == WEIR_UNBOUNDED) /* it grows as long as another source is silent */
        weir_json_null(&report->json);
    else
        weir_json_integer(&report->json, buffer->capacity);
    weir_report_bool(report, "chosen", buffer->chosen);
    weir_json_end(&report->json);
}

static bool grows(const struct weir_edf_analysis *analysis)
{
    for (size_t i = 0; i < analysis->buffer_count; i++)
        if (analysis->buffers[i].capacity == WEIR_UNBOUNDED)
            return true;
    return false;
}

enum weir_status weir_edf_write_json(const struct weir_edf_analysis *analysis, FILE *out, struct weir_error *error)
{
    struct weir_report report;
    struct weir_json *json = &report.json;
    weir_report_begin(&report, analysis->pipeline, "global-edf", out);
    weir_report_integer(&report, "cores", analysis->cores);
    write_ratio(&report, "utilization", analysis->utilization, 0);
    weir_report_bool(&report, "schedulable", analysis->schedulable);
    weir_report_bool(&report, "sporadic", analysis->sporadic);
    if (analysis->why)
        weir_report_text(&report, "why", analysis->why);
    if (analysis->verified)
        weir_report_bool(&report, "verified", true);
    weir_json_key(json, "latency");
    weir_json_array(json, WEIR_JSON_BLOCK);
    for (size_t i = 0; i < analysis->latency_count; i++)
        write_latency(&report, analysis, &analysis->latencies[i]);
    weir_json_end(json);
    weir_json_key(json, "operators");
    weir_json_array(json, WEIR_JSON_BLOCK);
    for (uint32_t i = 0; i < weir_pipeline_operator_count(analysis->pipeline); i++)
        write_operator(&report, analysis, i);
    weir_json_end(json);
    weir_json_key(json, "buffers");
    weir_json_array(json, WEIR_JSON_BLOCK);
    for (size_t i = 0; i < analysis->buffer_count; i++)
        write_buffer(&report, &analysis->buffers[i]);
    weir_json_end(json);
    weir_json_key(json, "buffer_total");
    if (analysis->schedulable && !grows(analysis))
        weir_json_integer(json, analysis->buffer_total);
    else
        weir_json_null(json);
    return weir_report_end(&report, error);
}
