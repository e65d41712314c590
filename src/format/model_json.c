/* SPDX-License-Identifier: Apache-2.0 */
/* A pipeline as JSON: the model file, key for key, for programs that read JSON but no YAML. */
#include "base/alloc.h"
#include "base/error.h"
#include "base/json.h"
#include "base/utf8.h"
#include "format/formats.h"
#include "format/pairs.h"

#include <string.h>

/* A name is a key, and the keys that YAML can tell from text have up to 1024 characters. */
#define NAME_MAX_BYTES 500

struct writer {
    struct weir_json json;
    const struct weir_pipeline *pipeline;
};

static bool is_pool(const struct writer *w)
{
    return weir_pipeline_platform(w->pipeline) == WEIR_PLATFORM_CORES;
}

static bool is_gpu(const struct writer *w)
{
    return weir_pipeline_platform(w->pipeline) == WEIR_PLATFORM_GPU;
}

static void write_time(struct writer *w, int64_t ticks)
{
    weir_json_decimal(&w->json, ticks, weir_pipeline_digits(w->pipeline));
}

static void write_interval(struct writer *w, const char *key, int64_t low, int64_t high)
{
    weir_json_key(&w->json, key);
    weir_json_array(&w->json, WEIR_JSON_LINE);
    write_time(w, low);
    write_time(w, high);
    weir_json_end(&w->json);
}

static void write_operator(struct writer *w, const char *key, struct weir_operator op)
{
    weir_json_key(&w->json, key);
    weir_json_text(&w->json, weir_pipeline_operator(w->pipeline, op).name);
}

static void write_pool(struct writer *w)
{
    struct weir_json *json = &w->json;
    weir_json_key(json, "platform");
    weir_json_object(json, WEIR_JSON_LINE);
    weir_json_key(json, "cores");
    weir_json_integer(json, weir_pipeline_cores(w->pipeline));
    weir_json_key(json, "scheduler");
    weir_json_text(json, "global-edf");
    weir_json_end(json);
}

static void write_count(struct writer *w, const char *key, uint32_t count)
{
    if (!count)
        return;
    weir_json_key(&w->json, key);
    weir_json_integer(&w->json, count);
}

static void write_optional(struct writer *w, const char *key, int64_t ticks)
{
    if (!ticks)
        return;
    weir_json_key(&w->json, key);
    write_time(w, ticks);
}

static void write_gpu(struct writer *w)
{
    struct weir_json *json = &w->json;
    struct weir_gpu_spec gpu = weir_pipeline_gpu(w->pipeline);
    weir_json_key(json, "platform");
    weir_json_object(json, WEIR_JSON_LINE);
    weir_json_key(json, "gpu");
    weir_json_object(json, WEIR_JSON_LINE);
    write_count(w, "sms", gpu.sms);
    write_optional(w, "min-time", gpu.min_time);
    write_optional(w, "launch-overhead", gpu.launch_overhead);
    write_count(w, "max-concurrent", gpu.max_concurrent);
    write_optional(w, "deadline", gpu.deadline);
    weir_json_end(json);
    weir_json_end(json);
}

static void write_workers(struct writer *w)
{
    struct weir_json *json = &w->json;
    struct weir_workers_spec workers = weir_pipeline_workers(w->pipeline);
    if (weir_pipeline_platform(w->pipeline) != WEIR_PLATFORM_THREADS ||
        (workers.dispatch == WEIR_DISPATCH_EVENTS && workers.workers == 0))
        return;
    weir_json_key(json, "platform");
    weir_json_object(json, WEIR_JSON_LINE);
    weir_json_key(json, "scheduler");
    weir_json_text(json, weir_dispatch_name(workers.dispatch));
    if (workers.dispatch != WEIR_DISPATCH_GREEDY)
        write_count(w, "workers", workers.workers);
    if (workers.dispatch == WEIR_DISPATCH_POLLED) {
        weir_json_key(json, "polling");
        write_time(w, workers.polling);
    }
    weir_json_end(json);
}

static void write_platform(struct writer *w)
{
    struct weir_json *json = &w->json;
    if (is_gpu(w))
        write_gpu(w);
    if (is_pool(w))
        write_pool(w);
    write_workers(w);
    if (weir_pipeline_platform(w->pipeline) != WEIR_PLATFORM_PROCESSORS)
        return;
    weir_json_key(json, "platform");
    weir_json_object(json, WEIR_JSON_LINE);
    weir_json_key(json, "scheduler");
    weir_json_text(json, "fixed-priority");
    if (weir_pipeline_latency_limit(w->pipeline)) {
        weir_json_key(json, "latency-limit");
        write_time(w, weir_pipeline_latency_limit(w->pipeline));
    }
    weir_json_end(json);
    weir_json_key(json, "processors");
    weir_json_object(json, WEIR_JSON_BLOCK);
    for (uint32_t i = 0; i < weir_pipeline_processor_count(w->pipeline); i++) {
        struct weir_processor_spec spec = weir_pipeline_processor(w->pipeline, (struct weir_processor){i});
        bool slots = spec.sharing == WEIR_TDM || spec.sharing == WEIR_ROUND_ROBIN;
        weir_json_key(json, spec.name);
        weir_json_object(json, WEIR_JSON_LINE);
        weir_json_key(json, "scheduler");
        weir_json_text(json, spec.sharing == WEIR_TDM ? "tdm" : slots ? "round-robin" : "fixed-priority");
        if (spec.sharing == WEIR_TDM) {
            weir_json_key(json, "frame");
            write_time(w, spec.frame);
        } else if (!slots) {
            weir_json_key(json, "preemptive");
            weir_json_bool(json, spec.sharing == WEIR_PREEMPTIVE);
        }
        weir_json_end(json);
    }
    weir_json_end(json);
}

/* Where it runs; a priority only where it counts, since elsewhere it cannot be read. */
static void write_mapping(struct writer *w, const struct weir_operator_spec *spec)
{
    if (!spec->mapped)
        return;
    struct weir_processor_spec on = weir_pipeline_processor(w->pipeline, spec->on);
    weir_json_key(&w->json, "on");
    weir_json_text(&w->json, on.name);
    if (spec->has_priority && on.sharing != WEIR_TDM && on.sharing != WEIR_ROUND_ROBIN) {
        weir_json_key(&w->json, "priority");
        weir_json_integer(&w->json, spec->priority);
    }
    if (spec->slot) {
        weir_json_key(&w->json, "slot");
        write_time(w, spec->slot);
    }
}

static void write_cost(struct writer *w, const struct weir_operator_spec *spec)
{
    weir_json_key(&w->json, "cost");
    weir_json_object(&w->json, WEIR_JSON_LINE);
    weir_json_key(&w->json, "init");
    write_time(w, spec->cost_init);
    weir_json_key(&w->json, "per-sample");
    write_time(w, spec->cost_sample);
    weir_json_end(&w->json);
}

static void write_table(struct writer *w, const struct weir_operator_spec *spec)
{
    weir_json_key(&w->json, "times");
    weir_json_object(&w->json, WEIR_JSON_LINE);
    for (size_t i = 0; i < spec->time_count; i++) {
        char sms[16];
        snprintf(sms, sizeof sms, "%u", spec->times[i].sms);
        weir_json_key(&w->json, sms);
        write_time(w, spec->times[i].time);
    }
    weir_json_end(&w->json);
}

static void write_kernels(struct writer *w)
{
    struct weir_json *json = &w->json;
    weir_json_key(json, "kernels");
    weir_json_object(json, WEIR_JSON_BLOCK);
    for (uint32_t i = 0; i < weir_pipeline_operator_count(w->pipeline); i++) {
        struct weir_operator_spec spec = weir_pipeline_operator(w->pipeline, (struct weir_operator){i});
        weir_json_key(json, spec.name);
        weir_json_object(json, WEIR_JSON_LINE);
        if (spec.time_count)
            write_table(w, &spec);
        else
            write_optional(w, "load", spec.worst);
        weir_json_key(json, "splittable");
        weir_json_bool(json, spec.splittable);
        write_optional(w, "granularity", spec.granularity);
        write_optional(w, "min-time", spec.min_time);
        weir_json_end(json);
    }
    weir_json_end(json);
    weir_json_key(json, "dependencies");
    weir_json_array(json, WEIR_JSON_BLOCK);
    for (uint32_t i = 0; i < weir_pipeline_queue_count(w->pipeline); i++) {
        struct weir_queue_spec spec = weir_pipeline_queue(w->pipeline, (struct weir_queue){i});
        weir_json_object(json, WEIR_JSON_LINE);
        write_operator(w, "from", spec.from);
        write_operator(w, "to", spec.to);
        weir_json_end(json);
    }
    weir_json_end(json);
}

/* Where its times came from. */
static void write_observed(struct writer *w, const struct weir_observed *observed)
{
    if (!observed)
        return;
    weir_json_key(&w->json, "observed");
    weir_json_object(&w->json, WEIR_JSON_LINE);
    if (observed->count) {
        weir_json_key(&w->json, "count");
        weir_json_integer(&w->json, (int64_t)observed->count);
    }
    if (observed->min >= 0) {
        weir_json_key(&w->json, "min");
        write_time(w, observed->min);
    }
    weir_json_key(&w->json, "max");
    write_time(w, observed->max);
    weir_json_key(&w->json, "from");
    weir_json_text(&w->json, observed->from);
    weir_json_end(&w->json);
}

static void write_true(struct writer *w, const char *key, bool value)
{
    if (!value)
        return;
    weir_json_key(&w->json, key);
    weir_json_bool(&w->json, true);
}

/* The work on a GPU that it launches. */
static void write_launch(struct writer *w, const struct weir_launch *launch)
{
    if (!launch)
        return;
    weir_json_key(&w->json, "gpu");
    weir_json_object(&w->json, WEIR_JSON_LINE);
    write_interval(w, "time", launch->best, launch->worst);
    weir_json_key(&w->json, "waits");
    weir_json_bool(&w->json, launch->waits);
    if (launch->after_worst > 0)
        write_interval(w, "after", launch->after_best, launch->after_worst);
    if (launch->stream) {
        weir_json_key(&w->json, "stream");
        weir_json_text(&w->json, launch->stream);
    }
    weir_json_end(&w->json);
}

static void write_operators(struct writer *w)
{
    struct weir_json *json = &w->json;
    weir_json_key(json, "operators");
    weir_json_object(json, WEIR_JSON_BLOCK);
    for (uint32_t i = 0; i < weir_pipeline_operator_count(w->pipeline); i++) {
        struct weir_operator_spec spec = weir_pipeline_operator(w->pipeline, (struct weir_operator){i});
        weir_json_key(json, spec.name);
        weir_json_object(json, WEIR_JSON_LINE);
        if (is_pool(w) && spec.has_cost)
            write_cost(w, &spec);
        else
            write_interval(w, "time", spec.best, spec.worst);
        if (spec.receive_max > 0)
            write_interval(w, "receive", spec.receive_min, spec.receive_max);
        write_mapping(w, &spec);
        write_launch(w, spec.launch);
        write_observed(w, spec.observed);
        write_true(w, "reentrant", spec.reentrant);
        weir_json_end(json);
    }
    weir_json_end(json);
}

/* What a queue says on a pool of cores only. */
static void write_rates(struct writer *w, const struct weir_queue_spec *spec)
{
    uint32_t consume = spec->consume ? spec->consume : 1;
    weir_json_key(&w->json, "produce");
    weir_json_integer(&w->json, spec->produce ? spec->produce : 1);
    weir_json_key(&w->json, "consume");
    weir_json_integer(&w->json, consume);
    weir_json_key(&w->json, "threshold");
    weir_json_integer(&w->json, spec->threshold ? spec->threshold : consume);
}

/* Who waits at it, and how long its messages are under way. */
static void write_waits(struct writer *w, const struct weir_queue_spec *spec)
{
    if (spec->nonblocking && !spec->latest && !is_pool(w)) { /* nobody waits there */
        weir_json_key(&w->json, "blocking");
        weir_json_bool(&w->json, false);
    }
    if (spec->full) {
        weir_json_key(&w->json, "full");
        weir_json_text(&w->json, weir_format_full(spec->full));
    }
    write_true(w, "optional", spec->optional);
    write_true(w, "latest", spec->latest);
    if (spec->transfer_max > 0)
        write_interval(w, "transfer", spec->transfer_min, spec->transfer_max);
}

static void write_capacity(struct writer *w, const struct weir_queue_spec *spec)
{
    if (spec->latest)
        return; /* it has room for one */
    weir_json_key(&w->json, "capacity");
    if (spec->capacity == WEIR_UNBOUNDED || spec->capacity == WEIR_AUTO)
        weir_json_text(&w->json, spec->capacity == WEIR_AUTO ? "auto" : "unbounded");
    else
        weir_json_integer(&w->json, spec->capacity);
}

static void write_queues(struct writer *w)
{
    struct weir_json *json = &w->json;
    weir_json_key(json, "queues");
    weir_json_array(json, WEIR_JSON_BLOCK);
    for (uint32_t i = 0; i < weir_pipeline_queue_count(w->pipeline); i++) {
        struct weir_queue_spec spec = weir_pipeline_queue(w->pipeline, (struct weir_queue){i});
        weir_json_object(json, WEIR_JSON_LINE);
        write_operator(w, "from", spec.from);
        write_operator(w, "to", spec.to);
        if (is_pool(w))
            write_rates(w, &spec);
        if (!is_pool(w) && spec.consume > 1)
            write_count(w, "consume", spec.consume);
        write_capacity(w, &spec);
        if (spec.initial) {
            weir_json_key(json, "initial");
            weir_json_integer(json, spec.initial);
        }
        write_waits(w, &spec);
        weir_json_end(json);
    }
    weir_json_end(json);
}

/* How often; as a rate where it is one. */
static void write_period(struct writer *w, const struct weir_source_spec *spec)
{
    struct weir_json *json = &w->json;
    char rate[WEIR_RATE_TEXT];
    bool rated = weir_format_needs_rate(w->pipeline, spec) && weir_format_rate(w->pipeline, spec, rate);
    weir_json_key(json, rated ? "rate" : "period");
    if (rated)
        weir_json_text(json, rate);
    else
        write_time(w, spec->period);
    if (is_pool(w) && spec->bursty) {
        weir_json_key(json, "burst");
        weir_json_integer(json, spec->count ? spec->count : 1);
    }
    if (is_pool(w)) {
        weir_json_key(json, "batch");
        weir_json_integer(json, spec->batch ? spec->batch : 1);
    }
}

/* What it says on a pool of cores beyond that. */
static void write_evenness(struct writer *w, const struct weir_source_spec *spec)
{
    struct weir_json *json = &w->json;
    if (spec->jitter) {
        weir_json_key(json, "jitter");
        write_time(w, spec->jitter);
    }
    if (spec->has_phase) {
        weir_json_key(json, "phase");
        write_time(w, spec->phase);
    }
    if (!spec->bursty) {
        weir_json_key(json, "sporadic");
        weir_json_bool(json, spec->sporadic);
    }
}

/* What it says on shared processors only. */
static void write_arrivals(struct writer *w, const struct weir_source_spec *spec)
{
    struct weir_json *json = &w->json;
    if (spec->name) {
        weir_json_key(json, "name");
        weir_json_text(json, spec->name);
    }
    weir_json_key(json, "jitter");
    write_time(w, spec->jitter);
    weir_json_key(json, "phase");
    if (spec->has_phase)
        write_time(w, spec->phase);
    else
        weir_json_text(json, "unknown");
    weir_json_key(json, "sporadic");
    weir_json_bool(json, spec->sporadic);
}

static void write_sources(struct writer *w)
{
    bool shared = weir_pipeline_platform(w->pipeline) == WEIR_PLATFORM_PROCESSORS;
    struct weir_json *json = &w->json;
    if (!weir_pipeline_source_count(w->pipeline))
        return;
    weir_json_key(json, "sources");
    weir_json_array(json, WEIR_JSON_BLOCK);
    for (uint32_t i = 0; i < weir_pipeline_source_count(w->pipeline); i++) {
        struct weir_source_spec spec = weir_pipeline_source(w->pipeline, i);
        weir_json_object(json, WEIR_JSON_LINE);
        write_operator(w, "operator", spec.op);
        write_period(w, &spec);
        if (shared) {
            write_arrivals(w, &spec);
        } else if (is_pool(w)) {
            write_evenness(w, &spec);
        } else {
            weir_json_key(json, "arrivals");
            weir_json_text(json, weir_format_arrivals(spec.arrivals));
        }
        weir_json_end(json);
    }
    weir_json_end(json);
}

/* Those with a deadline, or those without. */
static void write_pairs(struct writer *w, const struct weir_pair_needs *needs, bool deadlines)
{
    struct weir_json *json = &w->json;
    weir_json_key(json, deadlines ? "deadlines" : "measure");
    weir_json_array(json, WEIR_JSON_BLOCK);
    for (uint32_t i = 0; i < weir_pipeline_pair_count(w->pipeline); i++) {
        struct weir_pair_spec spec = weir_pipeline_pair(w->pipeline, i);
        if (spec.has_deadline != deadlines)
            continue;
        weir_json_object(json, WEIR_JSON_LINE);
        write_operator(w, "from", spec.from);
        write_operator(w, "to", spec.to);
        if (deadlines) {
            weir_json_key(json, "within");
            write_time(w, spec.deadline);
        }
        if (needs->offset[i]) {
            weir_json_key(json, "offset");
            weir_json_integer(json, spec.shift);
        }
        weir_json_end(json);
    }
    weir_json_end(json);
}

static enum weir_status check_names(const struct weir_pipeline *pipeline, struct weir_error *error)
{
    char quoted[WEIR_QUOTED];
    for (uint32_t i = 0; i < weir_pipeline_operator_count(pipeline); i++) {
        const char *name = weir_pipeline_operator(pipeline, (struct weir_operator){i}).name;
        if (!weir_utf8_is_text(name))
            return weir_fail(error, WEIR_INVALID, "operator \"%s\" has a name that is not UTF-8 text: JSON cannot hold it",
                             weir_quote(name, quoted));
        if (strlen(name) > NAME_MAX_BYTES)
            return weir_fail(error, WEIR_INVALID, "operator \"%s\" has a name too long to be read back as a key of JSON",
                             weir_quote(name, quoted));
    }
    if (!weir_utf8_is_text(weir_pipeline_name(pipeline)))
        return weir_fail(error, WEIR_INVALID, "the name of the pipeline is not UTF-8 text: JSON cannot hold it");
    return weir_format_check_names(pipeline, "JSON", NAME_MAX_BYTES, error);
}

enum weir_status weir_write_model_json(const struct weir_pipeline *pipeline, uint32_t pair, FILE *out, struct weir_error *error)
{
    struct writer w = {.json = {.out = out}, .pipeline = pipeline};
    struct weir_pair_needs needs;
    (void)pair;
    enum weir_status status = check_names(pipeline, error);
    if (status == WEIR_OK)
        status = weir_format_check_kernels(pipeline, "JSON", error);
    if (status == WEIR_OK)
        status = weir_format_check_sources(pipeline, "JSON", error);
    if (status == WEIR_OK)
        status = weir_pair_needs_find(pipeline, &needs, error);
    if (status != WEIR_OK)
        return status;
    weir_json_object(&w.json, WEIR_JSON_BLOCK);
    weir_json_key(&w.json, "weir");
    weir_json_integer(&w.json, 1);
    if (weir_pipeline_name(pipeline)[0]) {
        weir_json_key(&w.json, "name");
        weir_json_text(&w.json, weir_pipeline_name(pipeline));
    }
    weir_json_key(&w.json, "unit");
    weir_json_text(&w.json, weir_unit_name(weir_pipeline_unit(pipeline)));
    write_platform(&w);
    if (is_gpu(&w)) {
        write_kernels(&w);
    } else {
        write_operators(&w);
        write_queues(&w);
        write_sources(&w);
    }
    if (needs.any) {
        write_pairs(&w, &needs, false);
        write_pairs(&w, &needs, true);
    }
    weir_json_end(&w.json);
    fputc('\n', out);
    weir_free(needs.offset);
    return WEIR_OK;
}
