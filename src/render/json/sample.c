/* SPDX-License-Identifier: Apache-2.0 */
/* The answer about connections that do not wait as JSON: docs/reference/json.md. */
#include "render/json/report.h"

static void write_leg(struct weir_report *report, const struct weir_sample_leg *leg)
{
    static const char *const kinds[] = {"way", "newer", "queue", "room", "beginning"};
    char text[WEIR_LEG_TEXT];
    weir_json_object(&report->json, WEIR_JSON_LINE);
    weir_report_text(report, "kind", kinds[leg->kind]);
    weir_report_text(report, "from", weir_report_operator(report, leg->from));
    weir_report_text(report, "to", weir_report_operator(report, leg->to));
    if (leg->kind != WEIR_LEG_WAY && leg->kind != WEIR_LEG_ROOM)
        weir_report_integer(report, "executions", leg->newer);
    weir_report_time(report, "worst", true, leg->worst);
    weir_report_text(report, "what", weir_sample_leg_words(report->pipeline, leg, text));
    weir_json_end(&report->json);
}

static void write_latency(struct weir_report *report, const struct weir_sample_latency *latency)
{
    bool known = latency->outcome != WEIR_SAMPLE_UNKNOWN;
    weir_json_object(&report->json, WEIR_JSON_BLOCK);
    weir_report_pair(report, &latency->pair);
    weir_report_time(report, "worst", known, latency->worst);
    weir_report_time(report, "best", latency->has_best, latency->best);
    weir_report_bool(report, "exact", latency->outcome == WEIR_SAMPLE_EXACT);
    weir_report_bool(report, "safe", known);
    if (known) {
        weir_json_key(&report->json, "legs");
        weir_json_array(&report->json, WEIR_JSON_BLOCK);
        for (size_t i = 0; i < latency->leg_count; i++)
            write_leg(report, &latency->legs[i]);
        weir_json_end(&report->json);
    }
    weir_report_deadline(report, &latency->pair,
                         !known                  ? WEIR_MET_UNDECIDED
                         : latency->deadline_met ? WEIR_MET
                                                 : WEIR_NOT_MET,
                         known ? &latency->worst : NULL);
    if (latency->why)
        weir_report_text(report, "why", latency->why);
    weir_json_end(&report->json);
}

static void write_queue(struct weir_report *report, const struct weir_sample_queue *queue)
{
    static const char *const chances[] = {"no", "maybe", "yes"};
    struct weir_queue_spec spec = weir_pipeline_queue(report->pipeline, queue->queue);
    weir_json_object(&report->json, WEIR_JSON_LINE);
    weir_report_text(report, "from", weir_report_operator(report, spec.from));
    weir_report_text(report, "to", weir_report_operator(report, spec.to));
    weir_report_text(report, "loses", chances[queue->loses]);
    weir_report_text(report, "faults", chances[queue->faults]);
    if (queue->iteration >= 0)
        weir_report_integer(report, "iteration", queue->iteration);
    weir_report_bool(report, "plain", queue->plain);
    weir_json_end(&report->json);
}

enum weir_status weir_sample_write_json(const struct weir_sample_analysis *analysis, FILE *out, struct weir_error *error)
{
    struct weir_report report;
    weir_report_begin(&report, analysis->pipeline, "sampling", out);
    weir_json_key(&report.json, "latency");
    weir_json_array(&report.json, WEIR_JSON_BLOCK);
    for (size_t i = 0; i < analysis->latency_count; i++)
        write_latency(&report, &analysis->latencies[i]);
    weir_json_end(&report.json);
    weir_json_key(&report.json, "connections");
    weir_json_array(&report.json, WEIR_JSON_BLOCK);
    for (size_t i = 0; i < analysis->queue_count; i++)
        write_queue(&report, &analysis->queues[i]);
    weir_json_end(&report.json);
    weir_report_bool(&report, "verified", analysis->certified);
    return weir_report_end(&report, error);
}
