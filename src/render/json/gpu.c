/* SPDX-License-Identifier: Apache-2.0 */
/* A plan for a GPU as JSON: docs/reference/json.md. Times are rounded up, the lower bound down; beside one that is no whole number
 * of ticks stands what it is exactly. */
#include "base/number.h"
#include "render/json/report.h"

#include <string.h>

#define MILLION 1000000

static void write_exact(struct weir_report *report, const char *key, struct weir_ratio ratio)
{
    char name[32];
    if (ratio.denominator == 1)
        return;
    snprintf(name, sizeof name, "%s_exact", key);
    weir_json_key(&report->json, name);
    weir_json_array(&report->json, WEIR_JSON_LINE);
    weir_json_integer(&report->json, ratio.numerator);
    weir_json_integer(&report->json, ratio.denominator);
    weir_json_end(&report->json);
}

static void write_ratio(struct weir_report *report, const char *key, struct weir_ratio ratio)
{
    ratio = weir_ratio_reduce(ratio);
    weir_json_key(&report->json, key);
    weir_json_ratio(&report->json, ratio, report->digits);
    write_exact(report, key, ratio);
}

static void write_lower(struct weir_report *report, struct weir_ratio ratio)
{
    weir_wide divisor;
    ratio = weir_ratio_reduce(ratio);
    divisor = ratio.denominator;
    for (unsigned i = 0; i < report->digits; i++)
        divisor *= 10;
    weir_wide millionths = (weir_wide)ratio.numerator * MILLION / divisor;
    weir_json_key(&report->json, "lower");
    if (ratio.denominator == 1)
        weir_json_decimal(&report->json, ratio.numerator, report->digits);
    else if (millionths <= INT64_MAX)
        weir_json_decimal(&report->json, (int64_t)millionths, 6);
    else
        weir_json_integer(&report->json, (int64_t)(millionths / MILLION));
    write_exact(report, "lower", ratio);
}

/* By how much of the lower bound the bound lies above it; below it only where the bound is not safe. Rounded up. */
static void write_gap(struct weir_report *report, struct weir_ratio bound, struct weir_ratio lower)
{
    weir_wide above = (weir_wide)bound.numerator * lower.denominator - (weir_wide)lower.numerator * bound.denominator;
    weir_wide whole = (weir_wide)lower.numerator * bound.denominator, most = ((weir_wide)1 << 100);
    weir_json_key(&report->json, "gap");
    if (lower.numerator <= 0) {
        weir_json_null(&report->json);
        return;
    }
    for (; above > most || above < -most || whole > most; whole = whole > 1 ? whole / 2 : 1)
        above = above / 2 + (above > 0);
    weir_wide millionths = above * MILLION / whole + (above > 0 && above * MILLION % whole != 0);
    weir_json_decimal(&report->json, millionths > INT64_MAX ? INT64_MAX : (int64_t)millionths, 6);
}

/* A bound that can be exceeded meets no deadline; one above it is at least no promise. What is to spare is rounded down. */
static void write_deadline(struct weir_report *report, const struct weir_gpu_plan *plan)
{
    int64_t deadline = weir_pipeline_gpu(plan->pipeline).deadline;
    struct weir_ratio bound = plan->bound;
    int64_t whole = bound.numerator / bound.denominator + (bound.numerator % bound.denominator > 0);
    bool above = deadline && weir_ratio_compare(bound, (struct weir_ratio){deadline, 1}) > 0;
    bool undecided = deadline && !plan->safe && !above;
    weir_report_time(report, "deadline", deadline != 0, deadline);
    weir_json_key(&report->json, "met");
    if (undecided)
        weir_json_null(&report->json);
    else
        weir_json_bool(&report->json, plan->deadline_met);
    weir_report_time(report, "slack", deadline && !undecided, deadline - whole);
}

static void write_launch(struct weir_report *report, const struct weir_gpu_plan *plan, size_t index)
{
    const struct weir_gpu_launch *l = &plan->launches[index];
    struct weir_json *json = &report->json;
    weir_json_object(json, WEIR_JSON_LINE);
    weir_report_integer(report, "id", (int64_t)index);
    weir_report_text(report, "kernel", weir_report_operator(report, l->kernel));
    weir_report_integer(report, "part", l->part);
    weir_report_integer(report, "parts", l->parts);
    weir_report_integer(report, "group", l->group);
    write_ratio(report, "load", l->load);
    weir_report_integer(report, "sms", l->sms);
    write_ratio(report, "time", l->time);
    write_ratio(report, "start", l->start);
    weir_json_key(json, "after");
    weir_json_array(json, WEIR_JSON_LINE);
    for (size_t i = 0; i < l->after_count; i++)
        weir_json_integer(json, l->after[i]);
    weir_json_end(json);
    weir_json_end(json);
}

/* The launches of a group stand together. */
static void write_groups(struct weir_report *report, const struct weir_gpu_plan *plan)
{
    struct weir_json *json = &report->json;
    weir_json_key(json, "groups");
    weir_json_array(json, WEIR_JSON_BLOCK);
    for (size_t first = 0, next; first < plan->launch_count; first = next) {
        int64_t sms = 0;
        weir_json_object(json, WEIR_JSON_LINE);
        weir_json_key(json, "launches");
        weir_json_array(json, WEIR_JSON_LINE);
        for (next = first; next < plan->launch_count && plan->launches[next].group == plan->launches[first].group; next++) {
            weir_json_integer(json, (int64_t)next);
            sms += plan->launches[next].sms;
        }
        weir_json_end(json);
        weir_report_integer(report, "sms", sms);
        weir_json_end(json);
    }
    weir_json_end(json);
}

/* Found from their first parts. Later parts of a kernel stand behind earlier ones, so one pass of each kernel finds them. */
static void write_splits(struct weir_report *report, const struct weir_gpu_plan *plan)
{
    struct weir_json *json = &report->json;
    weir_json_key(json, "splits");
    weir_json_array(json, WEIR_JSON_BLOCK);
    for (size_t i = 0; i < plan->launch_count; i++) {
        const struct weir_gpu_launch *first = &plan->launches[i];
        if (first->parts < 2 || first->part != 1)
            continue;
        weir_json_object(json, WEIR_JSON_LINE);
        weir_report_text(report, "kernel", weir_report_operator(report, first->kernel));
        weir_json_key(json, "launches");
        weir_json_array(json, WEIR_JSON_LINE);
        uint32_t left = first->parts;
        for (size_t k = i; k < plan->launch_count && left > 0; k++)
            if (plan->launches[k].kernel.index == first->kernel.index) {
                weir_json_integer(json, (int64_t)k);
                left--;
            }
        weir_json_end(json);
        weir_json_end(json);
    }
    weir_json_end(json);
}

static void write_edges(struct weir_report *report, const struct weir_gpu_plan *plan)
{
    struct weir_json *json = &report->json;
    weir_json_key(json, "added");
    weir_json_array(json, WEIR_JSON_BLOCK);
    for (size_t i = 0; i < plan->added_count; i++) {
        weir_json_object(json, WEIR_JSON_LINE);
        weir_report_integer(report, "from", plan->added[i].from);
        weir_report_integer(report, "to", plan->added[i].to);
        weir_json_end(json);
    }
    weir_json_end(json);
    weir_json_key(json, "tokens");
    weir_json_array(json, WEIR_JSON_BLOCK);
    for (size_t i = 0; i < plan->token_count; i++) {
        const struct weir_gpu_token *token = &plan->tokens[i];
        weir_json_object(json, WEIR_JSON_LINE);
        weir_json_key(json, "from");
        if (token->from == WEIR_GPU_BEGIN)
            weir_json_null(json);
        else
            weir_json_integer(json, token->from);
        weir_report_integer(report, "to", token->to);
        weir_report_integer(report, "sms", token->sms);
        weir_report_integer(report, "places", token->places);
        weir_json_end(json);
    }
    weir_json_end(json);
}

enum weir_status weir_gpu_write_json(const struct weir_gpu_plan *plan, FILE *out, struct weir_error *error)
{
    struct weir_report report;
    struct weir_json *json = &report.json;
    weir_report_begin(&report, plan->pipeline, "gpu", out);
    weir_report_text(&report, "method", weir_gpu_method_name(plan->method));
    weir_report_integer(&report, "sms", plan->sms);
    write_ratio(&report, "bound", plan->bound);
    write_lower(&report, plan->lower);
    write_gap(&report, plan->bound, plan->lower);
    weir_report_bool(&report, "safe", plan->safe);
    if (plan->why)
        weir_report_text(&report, "why", plan->why);
    write_deadline(&report, plan);
    weir_report_bool(&report, "limited", plan->limited);
    if (plan->verified)
        weir_report_bool(&report, "verified", true);
    weir_report_bool(&report, "barriers", plan->barriers);
    weir_json_key(json, "launches");
    weir_json_array(json, WEIR_JSON_BLOCK);
    for (size_t i = 0; i < plan->launch_count; i++)
        write_launch(&report, plan, i);
    weir_json_end(json);
    write_groups(&report, plan);
    write_splits(&report, plan);
    write_edges(&report, plan);
    return weir_report_end(&report, error);
}
