/* SPDX-License-Identifier: Apache-2.0 */
/* A witness as JSON: its critical path, step by step, or as segments where that is shorter. */
#include "model/pipeline.h"
#include "render/json/report.h"

/* A longer critical path is written as segments only. */
#define CRITICAL_STEPS_MAX 10000

const char *const weir_wait_words[] = {"none", "data", "busy", "backpressure", "period", "order"};
const char *const weir_part_words[] = {"execution", "receive", "arrival", "done", "gpu", "after", "transfer", "tick"};

/* Only where operators alone do not tell which it is. */
static void write_queue(struct weir_report *report, struct weir_queue queue)
{
    uint32_t number = weir_queue_number(report->pipeline, queue);
    if (!number)
        return;
    struct weir_queue_spec q = weir_pipeline_queue(report->pipeline, queue);
    weir_json_key(&report->json, "queue");
    weir_json_object(&report->json, WEIR_JSON_LINE);
    weir_report_text(report, "from", weir_report_operator(report, q.from));
    weir_report_text(report, "to", weir_report_operator(report, q.to));
    weir_report_integer(report, "number", number);
    weir_json_end(&report->json);
}

static void write_steps(struct weir_report *report, const struct weir_segment *segment, int64_t repetition)
{
    struct weir_json *json = &report->json;
    for (size_t i = 0; i < segment->step_count; i++) {
        const struct weir_step *step = &segment->steps[i];
        weir_json_object(json, WEIR_JSON_LINE);
        weir_report_text(report, "operator", weir_report_operator(report, step->op));
        weir_report_integer(report, "iteration", step->iteration + repetition * segment->iterations);
        bool under_way = step->part == WEIR_PART_TRANSFER; /* then the firing is its producer's */
        struct weir_operator whose = under_way ? weir_pipeline_queue(report->pipeline, step->queue).from : step->op;
        if (weir_pipeline_firings(report->pipeline, whose) > 1)
            weir_report_integer(report, "turn", step->firing);
        if (under_way)
            weir_report_text(report, "from", weir_report_operator(report, whose));
        weir_report_time(report, "time", true, step->time);
        weir_report_text(report, "wait", weir_wait_words[step->wait]);
        write_queue(report, step->queue);
        weir_report_bool(report, "counts", step->counts);
        if (step->part != WEIR_PART_EXECUTION)
            weir_report_text(report, "part", weir_part_words[step->part]);
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

void weir_report_witness(struct weir_report *report, const struct weir_witness *witness)
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
    if (weir_pipeline_firings(report->pipeline, witness->query.from.op) > 1)
        weir_report_integer(report, "turn", witness->query.from.firing);
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
