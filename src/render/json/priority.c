/* SPDX-License-Identifier: Apache-2.0 */
/* The answer of the analysis of shared processors as JSON: docs/reference/json.md. */
#include "render/json/report.h"

static bool converged(const struct weir_priority_analysis *analysis)
{
    return analysis->outcome == WEIR_PRIORITY_CONVERGED;
}

/* Proved to have no bound. Where others have one, it ends with a later input, and its source is sporadic. */
static bool boundless(const struct weir_priority_analysis *analysis, const struct weir_priority_latency *latency)
{
    return !latency->bounded && (converged(analysis) || analysis->outcome == WEIR_PRIORITY_UNBOUNDED);
}

/* What does not hold by a theorem meets no deadline, and what is not known does not miss it. */
static enum weir_met met_of(const struct weir_priority_analysis *analysis, const struct weir_priority_latency *latency)
{
    if (boundless(analysis, latency))
        return WEIR_NOT_MET;
    if (!latency->bounded || (latency->deadline_met && !analysis->safe))
        return WEIR_MET_UNDECIDED;
    return latency->deadline_met ? WEIR_MET : WEIR_NOT_MET;
}

static void write_latency(struct weir_report *report, const struct weir_priority_analysis *analysis,
                          const struct weir_priority_latency *latency)
{
    weir_json_object(&report->json, WEIR_JSON_BLOCK);
    weir_report_pair(report, &latency->pair);
    weir_report_time(report, "worst", latency->bounded, latency->worst);
    if (boundless(analysis, latency))
        weir_report_bool(report, "unbounded", true);
    weir_report_time(report, "best", latency->bounded && latency->best > INT64_MIN, latency->best);
    weir_report_bool(report, "exact", false);
    weir_report_bool(report, "safe", analysis->safe && latency->bounded);
    weir_report_deadline(report, &latency->pair, met_of(analysis, latency), latency->bounded ? &latency->worst : NULL);
    if (!latency->bounded)
        weir_report_text(report, "why",
                         analysis->why ? analysis->why
                                       : "it ends with a later input, for which a sporadic source may take any time");
    weir_json_end(&report->json);
}

static void write_interference(struct weir_report *report, const struct weir_execution_bounds *bounds)
{
    struct weir_json *json = &report->json;
    weir_json_key(json, "interference");
    weir_json_array(json, WEIR_JSON_LINE);
    for (size_t i = 0; i < bounds->interference_count; i++) {
        weir_json_object(json, WEIR_JSON_LINE);
        weir_report_text(report, "operator", weir_report_operator(report, bounds->interference[i].op));
        weir_report_integer(report, "times", bounds->interference[i].times);
        weir_json_end(json);
    }
    weir_json_end(json);
}

static void write_operator(struct weir_report *report, const struct weir_priority_analysis *analysis, uint32_t index)
{
    struct weir_json *json = &report->json;
    struct weir_operator_spec spec = weir_pipeline_operator(report->pipeline, (struct weir_operator){index});
    const struct weir_execution_bounds *bounds = &analysis->operators[index];
    bool known = converged(analysis);
    weir_json_object(json, WEIR_JSON_LINE);
    weir_report_text(report, "name", spec.name);
    weir_json_key(json, "processor");
    if (spec.mapped)
        weir_json_text(json, weir_pipeline_processor(report->pipeline, spec.on).name);
    else
        weir_json_null(json);
    weir_json_key(json, "priority");
    if (spec.has_priority)
        weir_json_integer(json, spec.priority);
    else
        weir_json_null(json);
    weir_report_time(report, "enable_min", true, bounds->enable_min);
    weir_report_time(report, "enable_max", known, bounds->enable_max);
    weir_report_time(report, "finish_max", known, bounds->finish_max);
    if (known) {
        weir_report_integer(report, "iterations", bounds->iterations);
        weir_report_time(report, "window", true, bounds->window);
        write_interference(report, bounds);
    }
    weir_json_end(json);
}

static void write_processor(struct weir_report *report, const struct weir_processor_spec *spec)
{
    static const char *const schedulers[] = {"fixed-priority", "fixed-priority", "tdm", "round-robin"};
    weir_json_object(&report->json, WEIR_JSON_LINE);
    weir_report_text(report, "name", spec->name);
    weir_report_text(report, "scheduler", schedulers[spec->sharing]);
    if (spec->sharing <= WEIR_NONPREEMPTIVE)
        weir_report_bool(report, "preemptive", spec->sharing == WEIR_PREEMPTIVE);
    if (spec->sharing == WEIR_TDM)
        weir_report_time(report, "frame", true, spec->frame);
    weir_json_end(&report->json);
}

static void write_buffer(struct weir_report *report, const struct weir_buffer *buffer)
{
    const struct weir_pipeline *pipeline = report->pipeline;
    weir_json_object(&report->json, WEIR_JSON_LINE);
    if (buffer->input) {
        struct weir_source_spec source = weir_pipeline_source(pipeline, buffer->index);
        weir_report_text(report, "from", source.name ? source.name : "source");
        weir_report_text(report, "to", weir_report_operator(report, source.op));
        weir_report_bool(report, "input", true);
    } else {
        struct weir_queue_spec queue = weir_pipeline_queue(pipeline, (struct weir_queue){buffer->index});
        weir_report_text(report, "from", weir_report_operator(report, queue.from));
        weir_report_text(report, "to", weir_report_operator(report, queue.to));
    }
    weir_report_integer(report, "capacity", buffer->capacity);
    weir_report_bool(report, "chosen", buffer->chosen);
    weir_json_end(&report->json);
}

static void write_summary(struct weir_report *report, const struct weir_priority_analysis *analysis)
{
    static const char *const outcomes[] = {"converged", "unbounded", "violated", "limit"};
    weir_report_text(report, "method", weir_priority_method_name(analysis->method));
    weir_report_text(report, "variant", analysis->variant ? analysis->variant : weir_priority_method_name(analysis->method));
    weir_report_bool(report, "safe", analysis->safe);
    weir_report_bool(report, "converged", converged(analysis));
    weir_report_text(report, "outcome", outcomes[analysis->outcome]);
    if (analysis->why)
        weir_report_text(report, "why", analysis->why);
    if (analysis->verified)
        weir_report_bool(report, "verified", true);
}

enum weir_status weir_priority_write_json(const struct weir_priority_analysis *analysis, FILE *out, struct weir_error *error)
{
    struct weir_report report;
    struct weir_json *json = &report.json;
    const struct weir_pipeline *pipeline = analysis->pipeline;
    weir_report_begin(&report, pipeline, "fixed-priority", out);
    write_summary(&report, analysis);
    weir_json_key(json, "latency");
    weir_json_array(json, WEIR_JSON_BLOCK);
    for (size_t i = 0; i < analysis->latency_count; i++)
        write_latency(&report, analysis, &analysis->latencies[i]);
    weir_json_end(json);
    weir_json_key(json, "operators");
    weir_json_array(json, WEIR_JSON_BLOCK);
    for (uint32_t i = 0; i < weir_pipeline_operator_count(pipeline); i++)
        write_operator(&report, analysis, i);
    weir_json_end(json);
    weir_json_key(json, "processors");
    weir_json_array(json, WEIR_JSON_BLOCK);
    for (uint32_t i = 0; i < weir_pipeline_processor_count(pipeline); i++) {
        struct weir_processor_spec spec = weir_pipeline_processor(pipeline, (struct weir_processor){i});
        write_processor(&report, &spec);
    }
    weir_json_end(json);
    weir_json_key(json, "buffers");
    weir_json_array(json, WEIR_JSON_BLOCK);
    for (size_t i = 0; i < analysis->buffer_count; i++)
        write_buffer(&report, &analysis->buffers[i]);
    weir_json_end(json);
    weir_json_key(json, "buffer_total");
    if (converged(analysis))
        weir_json_integer(json, analysis->buffer_total);
    else
        weir_json_null(json);
    weir_report_integer(&report, "rounds", (int64_t)analysis->rounds);
    weir_report_integer(&report, "windows", (int64_t)analysis->windows);
    return weir_report_end(&report, error);
}
