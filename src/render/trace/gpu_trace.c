/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A plan as a trace: a process whose tracks hold every launch once, with an arrow for each thing a launch waits for, and a process
 * with a track for every SM. All of it where everything takes as long as it can.
 */
#include "base/alloc.h"
#include "base/error.h"
#include "render/timeline/gpu_lanes.h"
#include "render/trace/trace.h"

#include <stdlib.h>

enum { LAUNCHES = 1, SMS = 2 };

#define BLOCKS_MAX 2000000 /* events of the SMs; a larger trace opens nowhere, and the launches tell the same */

struct tracing {
    const struct weir_gpu_plan *plan;
    struct weir_trace trace;
    struct weir_gpu_lanes tracks; /* of the launches */
    struct weir_gpu_lanes lanes;  /* of the SMs */
    int64_t *from, *to;           /* by launch */
    int64_t bound, lower, deadline;
};

static const char *name_of(const struct tracing *t, uint32_t launch)
{
    return weir_pipeline_operator(t->plan->pipeline, t->plan->launches[launch].kernel).name;
}

static const char *label_of(const struct tracing *t, uint32_t launch, char text[WEIR_GPU_LABEL])
{
    return weir_gpu_label(t->plan, &t->plan->launches[launch], text);
}

static void put_text(struct tracing *t, const char *key, const char *text)
{
    weir_json_key(&t->trace.json, key);
    weir_json_text(&t->trace.json, text);
}

static void put_integer(struct tracing *t, const char *key, int64_t value)
{
    weir_json_key(&t->trace.json, key);
    weir_json_integer(&t->trace.json, value);
}

static void put_ratio(struct tracing *t, const char *key, struct weir_ratio ratio)
{
    weir_json_key(&t->trace.json, key);
    weir_json_ratio(&t->trace.json, ratio, weir_pipeline_digits(t->plan->pipeline));
}

static void put_head(struct tracing *t)
{
    const struct weir_gpu_plan *plan = t->plan;
    const char *name = weir_pipeline_name(plan->pipeline);
    weir_trace_begin(&t->trace, t->trace.json.out);
    put_text(t, "model", name ? name : "");
    put_text(t, "unit", weir_unit_name(weir_pipeline_unit(plan->pipeline)));
    put_text(t, "method", weir_gpu_method_name(plan->method));
    put_ratio(t, "bound", plan->bound);
    weir_json_key(&t->trace.json, "safe");
    weir_json_bool(&t->trace.json, plan->safe);
    if (plan->why)
        put_text(t, "why", plan->why);
    weir_trace_events(&t->trace);
}

/* All of them before anything is written. */
static enum weir_status find_moments(struct tracing *t, struct weir_error *error)
{
    const struct weir_pipeline *pipeline = t->plan->pipeline;
    struct weir_ratio deadline = {weir_pipeline_gpu(pipeline).deadline, 1};
    enum weir_status status = weir_trace_moment(pipeline, t->plan->lower, &t->lower, error);
    if (status == WEIR_OK)
        status = weir_trace_moment(pipeline, t->plan->bound, &t->bound, error);
    if (status == WEIR_OK)
        status = weir_trace_moment(pipeline, deadline, &t->deadline, error);
    for (size_t i = 0; i < t->plan->launch_count && status == WEIR_OK; i++) {
        status = weir_trace_moment(pipeline, t->plan->launches[i].start, &t->from[i], error);
        if (status == WEIR_OK)
            status = weir_trace_moment(pipeline, t->tracks.end[i], &t->to[i], error);
    }
    return status;
}

/* ---- launches ---- */

static struct weir_trace_event event_of(const struct tracing *t, uint32_t launch, const char *label)
{
    struct weir_track track = {LAUNCHES, t->tracks.runs[t->tracks.first_run[launch]].sm + 1};
    return (struct weir_trace_event){track, label, name_of(t, launch), t->from[launch], t->to[launch]};
}

static void put_launch(struct tracing *t, uint32_t index)
{
    const struct weir_gpu_launch *launch = &t->plan->launches[index];
    char label[WEIR_GPU_LABEL];
    struct weir_trace_event event = event_of(t, index, label_of(t, index, label));
    weir_trace_open(&t->trace, &event);
    put_integer(t, "launch", index);
    put_text(t, "kernel", name_of(t, index));
    put_integer(t, "part", launch->part);
    put_integer(t, "parts", launch->parts);
    put_integer(t, "sms", launch->sms);
    put_ratio(t, "load", launch->load);
    put_ratio(t, "time", launch->time);
    put_integer(t, "group", launch->group);
    weir_trace_close(&t->trace);
}

static int by_ends(const void *left, const void *right)
{
    const struct weir_gpu_edge *a = left, *b = right;
    if (a->to != b->to)
        return a->to < b->to ? -1 : 1;
    return a->from < b->from ? -1 : a->from > b->from;
}

static enum weir_status put_arrows(struct tracing *t, struct weir_error *error)
{
    const struct weir_gpu_plan *plan = t->plan;
    struct weir_gpu_edge *added = weir_array(plan->added_count, sizeof *added);
    if (!added)
        return weir_fail_memory(error);
    for (size_t i = 0; i < plan->added_count; i++)
        added[i] = plan->added[i];
    qsort(added, plan->added_count, sizeof *added, by_ends);
    for (uint32_t i = 0; i < plan->launch_count; i++) {
        char label[WEIR_GPU_LABEL], before[WEIR_GPU_LABEL];
        struct weir_trace_event to = event_of(t, i, label_of(t, i, label));
        for (size_t k = 0; k < plan->launches[i].after_count; k++) {
            struct weir_gpu_edge edge = {plan->launches[i].after[k], i};
            bool is_added = bsearch(&edge, added, plan->added_count, sizeof *added, by_ends) != NULL;
            struct weir_trace_event from = event_of(t, edge.from, label_of(t, edge.from, before));
            bool part = plan->launches[i].kernel.index == plan->launches[edge.from].kernel.index;
            weir_trace_flow(&t->trace, is_added ? "added" : part ? "next part" : "dependency", &from, &to);
        }
    }
    weir_free(added);
    return WEIR_OK;
}

static void put_launches(struct tracing *t)
{
    weir_trace_process(&t->trace, LAUNCHES, "launches");
    for (uint32_t i = 0; i < t->tracks.lane_count; i++) {
        char name[32];
        snprintf(name, sizeof name, "launches %u", i + 1);
        weir_trace_thread(&t->trace, (struct weir_track){LAUNCHES, i + 1}, name);
    }
    for (uint32_t i = 0; i < t->plan->launch_count; i++)
        put_launch(t, i);
}

/* ---- SMs ---- */

static void put_sm(struct tracing *t, uint32_t sm)
{
    char name[32];
    snprintf(name, sizeof name, sm < t->plan->sms ? "SM %u" : "no SM %u", sm);
    weir_trace_thread(&t->trace, (struct weir_track){SMS, sm + 1}, name);
}

static void put_block(struct tracing *t, uint32_t launch, uint32_t sm, const char *label)
{
    struct weir_trace_event event = {{SMS, sm + 1}, label, name_of(t, launch), t->from[launch], t->to[launch]};
    weir_trace_open(&t->trace, &event);
    put_integer(t, "launch", launch);
    weir_trace_close(&t->trace);
}

static void put_sms(struct tracing *t)
{
    uint64_t blocks = 0;
    for (size_t i = 0; i < t->lanes.run_count; i++)
        blocks += t->lanes.runs[i].count;
    if (blocks > BLOCKS_MAX)
        return;
    weir_trace_process(&t->trace, SMS, "SMs");
    for (uint32_t i = 0; i < t->lanes.lane_count; i++)
        put_sm(t, i);
    for (uint32_t i = 0; i < t->plan->launch_count; i++) {
        char label[WEIR_GPU_LABEL];
        label_of(t, i, label);
        for (size_t k = t->lanes.first_run[i]; k < t->lanes.first_run[i + 1]; k++)
            for (uint32_t sm = 0; sm < t->lanes.runs[k].count; sm++)
                put_block(t, i, t->lanes.runs[k].sm + sm, label);
    }
}

/* ---- how many are in use ---- */

struct change {
    int64_t at, sms;
};

static int by_moment(const void *left, const void *right)
{
    const struct change *a = left, *b = right;
    return a->at < b->at ? -1 : a->at > b->at;
}

static enum weir_status put_use(struct tracing *t, struct weir_error *error)
{
    size_t count = 0;
    struct change *changes = weir_array(t->plan->launch_count, 2 * sizeof *changes);
    if (!changes)
        return weir_fail_memory(error);
    for (uint32_t i = 0; i < t->plan->launch_count; i++) {
        int64_t sms = 0;
        for (size_t k = t->lanes.first_run[i]; k < t->lanes.first_run[i + 1]; k++)
            sms += t->lanes.runs[k].count;
        changes[count++] = (struct change){t->from[i], sms};
        changes[count++] = (struct change){t->to[i], -sms};
    }
    qsort(changes, count, sizeof *changes, by_moment);
    int64_t used = 0;
    for (size_t i = 0; i < count; i++) {
        used += changes[i].sms;
        if (i + 1 == count || changes[i + 1].at != changes[i].at)
            weir_trace_counter(&t->trace, LAUNCHES, "SMs in use", changes[i].at, used);
    }
    weir_free(changes);
    return WEIR_OK;
}

static void put_marks(struct tracing *t)
{
    weir_trace_mark(&t->trace, "lower bound", t->lower);
    weir_trace_mark(&t->trace, t->plan->safe ? "bound" : "bound, not safe", t->bound);
    if (t->deadline)
        weir_trace_mark(&t->trace, "deadline", t->deadline);
}

static enum weir_status put_all(struct tracing *t, struct weir_error *error)
{
    enum weir_status status = find_moments(t, error);
    if (status != WEIR_OK)
        return status;
    put_head(t);
    put_launches(t);
    put_marks(t);
    put_sms(t);
    status = put_use(t, error);
    if (status == WEIR_OK)
        status = put_arrows(t, error);
    return status == WEIR_OK ? weir_trace_end(&t->trace, error) : status;
}

enum weir_status weir_gpu_write_trace(const struct weir_gpu_plan *plan, FILE *out, struct weir_error *error)
{
    struct tracing t = {.plan = plan, .trace = {.json = {.out = out}}};
    enum weir_status status = weir_gpu_lanes_make(plan, true, &t.tracks, error);
    if (status == WEIR_OK)
        status = weir_gpu_lanes_make(plan, false, &t.lanes, error);
    if (status == WEIR_OK) {
        t.from = weir_array(plan->launch_count, sizeof *t.from);
        t.to = weir_array(plan->launch_count, sizeof *t.to);
        status = t.from && t.to ? put_all(&t, error) : weir_fail_memory(error);
    }
    weir_free(t.from);
    weir_free(t.to);
    weir_gpu_lanes_free(&t.tracks);
    weir_gpu_lanes_free(&t.lanes);
    return status;
}
