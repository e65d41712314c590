/* SPDX-License-Identifier: Apache-2.0 */
/* The answer about operators that share workers as JSON: docs/reference/json.md. */
#include "render/json/report.h"

static void write_latency(struct weir_report *report, const struct weir_workers_latency *latency)
{
    bool known = latency->outcome != WEIR_WORKERS_UNKNOWN, safe = latency->outcome == WEIR_WORKERS_SAFE;
    weir_json_object(&report->json, WEIR_JSON_BLOCK);
    weir_report_pair(report, &latency->pair);
    weir_report_time(report, "worst", known, latency->worst);
    weir_report_time(report, "best", latency->has_best, latency->best);
    weir_report_bool(report, "exact", latency->outcome == WEIR_WORKERS_EXACT);
    weir_report_bool(report, "safe", known);
    if (safe) {
        weir_report_time(report, "chain", true, latency->chain);
        weir_report_time(report, "queueing", true, latency->queueing);
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

enum weir_status weir_workers_write_json(const struct weir_workers_analysis *analysis, FILE *out, struct weir_error *error)
{
    struct weir_report report;
    struct weir_workers_spec workers = weir_pipeline_workers(analysis->pipeline);
    weir_report_begin(&report, analysis->pipeline, "workers", out);
    weir_report_text(&report, "scheduler", weir_dispatch_name(workers.dispatch));
    weir_json_key(&report.json, "workers");
    if (workers.workers)
        weir_json_integer(&report.json, workers.workers);
    else
        weir_json_null(&report.json);
    weir_report_time(&report, "polling", true, workers.polling);
    weir_json_key(&report.json, "latency");
    weir_json_array(&report.json, WEIR_JSON_BLOCK);
    for (size_t i = 0; i < analysis->latency_count; i++)
        write_latency(&report, &analysis->latencies[i]);
    weir_json_end(&report.json);
    return weir_report_end(&report, error);
}
