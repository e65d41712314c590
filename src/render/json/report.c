/* SPDX-License-Identifier: Apache-2.0 */
#include "render/json/report.h"

#include "base/error.h"

/* Which times are no more than what was seen; only where some are. */
static void write_observed(struct weir_report *report)
{
    bool any = false;
    for (uint32_t i = 0; i < weir_pipeline_operator_count(report->pipeline); i++) {
        struct weir_operator_spec spec = weir_pipeline_operator(report->pipeline, (struct weir_operator){i});
        if (!spec.observed)
            continue;
        if (!any) {
            weir_json_key(&report->json, "observed");
            weir_json_array(&report->json, WEIR_JSON_BLOCK);
        }
        any = true;
        weir_json_object(&report->json, WEIR_JSON_LINE);
        weir_report_text(report, "operator", spec.name);
        weir_json_key(&report->json, "count");
        if (spec.observed->count && spec.observed->count <= INT64_MAX)
            weir_json_integer(&report->json, (int64_t)spec.observed->count);
        else
            weir_json_null(&report->json);
        weir_report_time(report, "min", spec.observed->min >= 0, spec.observed->min);
        weir_report_time(report, "max", true, spec.observed->max);
        if (spec.observed->tail)
            weir_report_integer(report, "tail", (int64_t)spec.observed->tail);
        weir_report_text(report, "from", spec.observed->from);
        weir_json_end(&report->json);
    }
    if (any)
        weir_json_end(&report->json);
}

void weir_report_begin(struct weir_report *report, const struct weir_pipeline *pipeline, const char *title, const char *engine,
                       FILE *out)
{
    *report = (struct weir_report){.json = {.out = out}, .pipeline = pipeline, .digits = weir_pipeline_digits(pipeline)};
    weir_json_object(&report->json, WEIR_JSON_BLOCK);
    weir_report_integer(report, "weir", 1);
    weir_report_text(report, "model", title);
    weir_report_text(report, "unit", weir_unit_name(weir_pipeline_unit(pipeline)));
    weir_report_text(report, "engine", engine);
    write_observed(report);
}

enum weir_status weir_report_end(struct weir_report *report, struct weir_error *error)
{
    FILE *out = report->json.out;
    weir_json_end(&report->json);
    fputc('\n', out);
    return weir_written(out, "the analysis as JSON", error);
}

void weir_report_time(struct weir_report *report, const char *key, bool known, int64_t ticks)
{
    weir_json_key(&report->json, key);
    if (known)
        weir_json_decimal(&report->json, ticks, report->digits);
    else
        weir_json_null(&report->json);
}

void weir_report_text(struct weir_report *report, const char *key, const char *text)
{
    weir_json_key(&report->json, key);
    if (text)
        weir_json_text(&report->json, text);
    else
        weir_json_null(&report->json);
}

void weir_report_bool(struct weir_report *report, const char *key, bool value)
{
    weir_json_key(&report->json, key);
    weir_json_bool(&report->json, value);
}

void weir_report_integer(struct weir_report *report, const char *key, int64_t value)
{
    weir_json_key(&report->json, key);
    weir_json_integer(&report->json, value);
}

void weir_report_chain(struct weir_report *report, const struct weir_chain_spec *chain)
{
    weir_report_text(report, "from", weir_report_operator(report, chain->from));
    weir_report_text(report, "to", weir_report_operator(report, chain->to));
    weir_report_integer(report, "shift", chain->shift);
}

const char *weir_report_operator(const struct weir_report *report, struct weir_operator op)
{
    return weir_pipeline_operator(report->pipeline, op).name;
}
