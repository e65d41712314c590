/* SPDX-License-Identifier: Apache-2.0 */
/* A pipeline as a model file that reads back as the same pipeline. */
#include "base/alloc.h"
#include "base/error.h"
#include "base/utf8.h"
#include "format/formats.h"
#include "format/pairs.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

/* A longer key needs the form with a question mark; YAML's own limit is 1024 characters with the quotes. */
#define SHORT_KEY 128

struct writer {
    const struct weir_pipeline *pipeline;
    FILE *out;
};

static bool is_gpu(const struct writer *writer)
{
    return weir_pipeline_platform(writer->pipeline) == WEIR_PLATFORM_GPU;
}

/* Words that a YAML reader may take for something else than text. */
static bool is_word_of_yaml(const char *text)
{
    static const char *const words[] = {"true", "false", "yes", "no", "on", "off", "null", "y", "n"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t k = 0;
        while (text[k] && (text[k] | 0x20) == words[i][k])
            k++;
        if (!text[k] && !words[i][k])
            return true;
    }
    return false;
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_plain(const char *text)
{
    if (!is_letter(text[0]) || is_word_of_yaml(text))
        return false;
    for (const char *c = text; *c; c++)
        if (!is_letter(*c) && !(*c >= '0' && *c <= '9') && *c != '-' && *c != '.')
            return false;
    return true;
}

static void write_text(const struct writer *writer, const char *text)
{
    if (is_plain(text)) {
        fputs(text, writer->out);
        return;
    }
    fputc('"', writer->out);
    while (*text) {
        uint32_t code;
        size_t length = weir_utf8_next(text, &code);
        if (code == '"' || code == '\\')
            fprintf(writer->out, "\\%c", *text);
        else if (code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x2028 || code == 0x2029 || code == 0xfeff ||
                 (code >= 0xfffe && code <= 0xffff))
            fprintf(writer->out, "\\u%04" PRIx32, code);
        else
            fwrite(text, 1, length, writer->out);
        text += length;
    }
    fputc('"', writer->out);
}

static const char *name_of(const struct writer *writer, struct weir_operator op)
{
    return weir_pipeline_operator(writer->pipeline, op).name;
}

static void write_time(const struct writer *writer, int64_t ticks)
{
    char text[WEIR_TIME_TEXT];
    fputs(weir_time_format(writer->pipeline, ticks, text), writer->out);
}

static void write_interval(const struct writer *writer, const char *key, int64_t low, int64_t high)
{
    fprintf(writer->out, "%s: ", key);
    if (low == high) {
        write_time(writer, low);
        return;
    }
    fputc('[', writer->out);
    write_time(writer, low);
    fputs(", ", writer->out);
    write_time(writer, high);
    fputc(']', writer->out);
}

/* A key of a mapping with its own lines, and the brace behind it. */
static void write_key(const struct writer *writer, const char *name)
{
    bool brief = strlen(name) < SHORT_KEY;
    fputs(brief ? "  " : "  ? ", writer->out);
    write_text(writer, name);
    fputs(brief ? ": {" : "\n  : {", writer->out);
}

static void write_optional(const struct writer *writer, const char *key, int64_t ticks)
{
    if (!ticks)
        return;
    fprintf(writer->out, ", %s: ", key);
    write_time(writer, ticks);
}

static void write_gpu(const struct writer *writer)
{
    struct weir_gpu_spec gpu = weir_pipeline_gpu(writer->pipeline);
    fprintf(writer->out, "platform: {gpu: {sms: %" PRIu32, gpu.sms);
    write_optional(writer, "min-time", gpu.min_time);
    write_optional(writer, "launch-overhead", gpu.launch_overhead);
    if (gpu.max_concurrent)
        fprintf(writer->out, ", max-concurrent: %" PRIu32, gpu.max_concurrent);
    write_optional(writer, "deadline", gpu.deadline);
    fputs("}}\n", writer->out);
}

static void write_workers(const struct writer *writer)
{
    struct weir_workers_spec workers = weir_pipeline_workers(writer->pipeline);
    if (weir_pipeline_platform(writer->pipeline) != WEIR_PLATFORM_THREADS ||
        (workers.dispatch == WEIR_DISPATCH_EVENTS && workers.workers == 0))
        return;
    fprintf(writer->out, "platform: {scheduler: %s", weir_dispatch_name(workers.dispatch));
    if (workers.workers && workers.dispatch != WEIR_DISPATCH_GREEDY)
        fprintf(writer->out, ", workers: %" PRIu32, workers.workers);
    if (workers.dispatch == WEIR_DISPATCH_POLLED) {
        fputs(", polling: ", writer->out);
        write_time(writer, workers.polling);
    }
    fputs("}\n", writer->out);
}

static void write_platform(const struct writer *writer)
{
    uint32_t count = weir_pipeline_processor_count(writer->pipeline);
    if (is_gpu(writer))
        write_gpu(writer);
    write_workers(writer);
    if (weir_pipeline_platform(writer->pipeline) == WEIR_PLATFORM_CORES)
        fprintf(writer->out, "platform: {cores: %" PRIu32 ", scheduler: global-edf}\n", weir_pipeline_cores(writer->pipeline));
    if (weir_pipeline_platform(writer->pipeline) != WEIR_PLATFORM_PROCESSORS)
        return;
    fputs("platform: {scheduler: fixed-priority", writer->out);
    if (weir_pipeline_latency_limit(writer->pipeline)) {
        fputs(", latency-limit: ", writer->out);
        write_time(writer, weir_pipeline_latency_limit(writer->pipeline));
    }
    fputs(count ? "}\nprocessors:\n" : "}\n", writer->out);
    for (uint32_t i = 0; i < count; i++) {
        struct weir_processor_spec spec = weir_pipeline_processor(writer->pipeline, (struct weir_processor){i});
        write_key(writer, spec.name);
        if (spec.sharing == WEIR_NONPREEMPTIVE)
            fputs("preemptive: false", writer->out);
        if (spec.sharing == WEIR_ROUND_ROBIN)
            fputs("scheduler: round-robin", writer->out);
        if (spec.sharing == WEIR_TDM) {
            fputs("scheduler: tdm, frame: ", writer->out);
            write_time(writer, spec.frame);
        }
        fputs("}\n", writer->out);
    }
}

/* Where it runs; a priority only where it counts, since elsewhere it cannot be read. */
static void write_mapping(const struct writer *writer, const struct weir_operator_spec *spec)
{
    if (!spec->mapped)
        return;
    struct weir_processor_spec on = weir_pipeline_processor(writer->pipeline, spec->on);
    fputs(", on: ", writer->out);
    write_text(writer, on.name);
    if (spec->has_priority && on.sharing != WEIR_TDM && on.sharing != WEIR_ROUND_ROBIN)
        fprintf(writer->out, ", priority: %" PRId32, spec->priority);
    if (spec->slot) {
        fputs(", slot: ", writer->out);
        write_time(writer, spec->slot);
    }
}

static void write_cost(const struct writer *writer, const struct weir_operator_spec *spec)
{
    fputs("cost: {init: ", writer->out);
    write_time(writer, spec->cost_init);
    fputs(", per-sample: ", writer->out);
    write_time(writer, spec->cost_sample);
    fputc('}', writer->out);
}

static void write_ends(const struct writer *writer, struct weir_operator from, struct weir_operator to)
{
    fputs("  - {from: ", writer->out);
    write_text(writer, name_of(writer, from));
    fputs(", to: ", writer->out);
    write_text(writer, name_of(writer, to));
}

static void write_kernel(const struct writer *writer, const struct weir_operator_spec *spec)
{
    write_key(writer, spec->name);
    fputs(spec->time_count ? "times: {" : "load: ", writer->out);
    for (size_t i = 0; i < spec->time_count; i++) {
        fprintf(writer->out, "%s%" PRIu32 ": ", i ? ", " : "", spec->times[i].sms);
        write_time(writer, spec->times[i].time);
    }
    if (spec->time_count)
        fputc('}', writer->out);
    else
        write_time(writer, spec->worst);
    if (spec->splittable)
        fputs(", splittable: true", writer->out);
    write_optional(writer, "granularity", spec->granularity);
    write_optional(writer, "min-time", spec->min_time);
    fputs("}\n", writer->out);
}

static void write_kernels(const struct writer *writer)
{
    uint32_t count = weir_pipeline_queue_count(writer->pipeline);
    fputs("kernels:\n", writer->out);
    for (uint32_t i = 0; i < weir_pipeline_operator_count(writer->pipeline); i++) {
        struct weir_operator_spec spec = weir_pipeline_operator(writer->pipeline, (struct weir_operator){i});
        write_kernel(writer, &spec);
    }
    if (count)
        fputs("dependencies:\n", writer->out);
    for (uint32_t i = 0; i < count; i++) {
        struct weir_queue_spec spec = weir_pipeline_queue(writer->pipeline, (struct weir_queue){i});
        const char *from = name_of(writer, spec.from), *to = name_of(writer, spec.to);
        if (is_plain(from) && is_plain(to)) {
            fprintf(writer->out, "  - %s -> %s\n", from, to);
            continue;
        }
        write_ends(writer, spec.from, spec.to);
        fputs("}\n", writer->out);
    }
}

/* Where its times came from. */
static void write_observed(const struct writer *writer, const struct weir_observed *observed)
{
    if (!observed)
        return;
    fputs(", observed: {", writer->out);
    if (observed->count)
        fprintf(writer->out, "count: %" PRIu64 ", ", observed->count);
    if (observed->min >= 0) {
        fputs("min: ", writer->out);
        write_time(writer, observed->min);
        fputs(", ", writer->out);
    }
    fputs("max: ", writer->out);
    write_time(writer, observed->max);
    fputs(", from: ", writer->out);
    write_text(writer, observed->from);
    fputc('}', writer->out);
}

/* The work on a GPU that it launches. */
static void write_launch(const struct writer *writer, const struct weir_launch *launch)
{
    if (!launch)
        return;
    fputs(", gpu: {", writer->out);
    write_interval(writer, "time", launch->best, launch->worst);
    if (launch->waits)
        fputs(", waits: true", writer->out);
    if (launch->after_worst > 0) {
        fputs(", ", writer->out);
        write_interval(writer, "after", launch->after_best, launch->after_worst);
    }
    if (launch->stream) {
        fputs(", stream: ", writer->out);
        write_text(writer, launch->stream);
    }
    fputc('}', writer->out);
}

static void write_operators(const struct writer *writer)
{
    bool pool = weir_pipeline_platform(writer->pipeline) == WEIR_PLATFORM_CORES;
    fputs("operators:\n", writer->out);
    for (uint32_t i = 0; i < weir_pipeline_operator_count(writer->pipeline); i++) {
        struct weir_operator_spec spec = weir_pipeline_operator(writer->pipeline, (struct weir_operator){i});
        write_key(writer, spec.name);
        if (pool && spec.has_cost)
            write_cost(writer, &spec);
        else
            write_interval(writer, "time", spec.best, spec.worst);
        if (spec.receive_max > 0) {
            fputs(", ", writer->out);
            write_interval(writer, "receive", spec.receive_min, spec.receive_max);
        }
        write_mapping(writer, &spec);
        write_launch(writer, spec.launch);
        write_observed(writer, spec.observed);
        fputs(spec.reentrant ? ", reentrant: true}\n" : "}\n", writer->out);
    }
}

/* On a pool of cores nobody waits for room. */
static void write_rates(const struct writer *writer, struct weir_queue_spec *spec)
{
    bool pool = weir_pipeline_platform(writer->pipeline) == WEIR_PLATFORM_CORES;
    if (pool && spec->produce > 1)
        fprintf(writer->out, ", produce: %" PRIu32, spec->produce);
    if (spec->consume > 1)
        fprintf(writer->out, ", consume: %" PRIu32, spec->consume);
    if (!pool)
        return;
    if (spec->threshold > 1 && spec->threshold != spec->consume)
        fprintf(writer->out, ", threshold: %" PRIu32, spec->threshold);
    spec->nonblocking = false;
}

/* Who waits at it, and how long its messages are under way. */
static void write_waits(const struct writer *writer, const struct weir_queue_spec *spec)
{
    if (spec->nonblocking && !spec->latest)
        fputs(", blocking: false", writer->out);
    if (spec->full)
        fprintf(writer->out, ", full: %s", weir_format_full(spec->full));
    if (spec->optional)
        fputs(", optional: true", writer->out);
    if (spec->latest)
        fputs(", latest: true", writer->out);
    if (spec->transfer_max > 0) {
        fputs(", ", writer->out);
        write_interval(writer, "transfer", spec->transfer_min, spec->transfer_max);
    }
}

static void write_queues(const struct writer *writer)
{
    uint32_t count = weir_pipeline_queue_count(writer->pipeline);
    if (count)
        fputs("queues:\n", writer->out);
    for (uint32_t i = 0; i < count; i++) {
        struct weir_queue_spec spec = weir_pipeline_queue(writer->pipeline, (struct weir_queue){i});
        write_ends(writer, spec.from, spec.to);
        write_rates(writer, &spec);
        if (spec.latest)
            ; /* it has room for one */
        else if (spec.capacity == WEIR_UNBOUNDED)
            fputs(", capacity: unbounded", writer->out);
        else if (spec.capacity == WEIR_AUTO)
            fputs(", capacity: auto", writer->out);
        else
            fprintf(writer->out, ", capacity: %" PRIu32, spec.capacity);
        if (spec.initial)
            fprintf(writer->out, ", initial: %" PRIu32, spec.initial);
        write_waits(writer, &spec);
        fputs("}\n", writer->out);
    }
}

/* How often; as a rate where it is one. */
static void write_period(const struct writer *writer, const struct weir_source_spec *spec)
{
    char rate[WEIR_RATE_TEXT];
    if (weir_format_needs_rate(writer->pipeline, spec) && weir_format_rate(writer->pipeline, spec, rate)) {
        fprintf(writer->out, ", rate: %s", rate);
    } else {
        fputs(", period: ", writer->out);
        write_time(writer, spec->period);
    }
    if (weir_pipeline_platform(writer->pipeline) != WEIR_PLATFORM_CORES)
        return;
    if (spec->bursty)
        fprintf(writer->out, ", burst: %" PRId64, spec->count ? spec->count : 1);
    if (spec->batch > 1)
        fprintf(writer->out, ", batch: %" PRIu32, spec->batch);
}

/* What it says where operators share processors or cores. */
static void write_arrivals(const struct writer *writer, const struct weir_source_spec *spec)
{
    if (spec->name && weir_pipeline_platform(writer->pipeline) == WEIR_PLATFORM_PROCESSORS) {
        fputs(", name: ", writer->out);
        write_text(writer, spec->name);
    }
    if (spec->jitter) {
        fputs(", jitter: ", writer->out);
        write_time(writer, spec->jitter);
    }
    if (spec->has_phase) {
        fputs(", phase: ", writer->out);
        write_time(writer, spec->phase);
    }
    fputs(spec->sporadic ? ", sporadic: true}\n" : "}\n", writer->out);
}

static void write_sources(const struct writer *writer)
{
    bool shared = weir_pipeline_platform(writer->pipeline) != WEIR_PLATFORM_THREADS;
    uint32_t count = weir_pipeline_source_count(writer->pipeline);
    if (count)
        fputs("sources:\n", writer->out);
    for (uint32_t i = 0; i < count; i++) {
        struct weir_source_spec spec = weir_pipeline_source(writer->pipeline, i);
        fputs("  - {operator: ", writer->out);
        write_text(writer, name_of(writer, spec.op));
        write_period(writer, &spec);
        if (shared)
            write_arrivals(writer, &spec);
        else
            fprintf(writer->out, spec.arrivals == WEIR_ARRIVALS_AT_MOST ? "}\n" : ", arrivals: %s}\n",
                    weir_format_arrivals(spec.arrivals));
    }
}

/* Those with a deadline, or those without. */
static void write_pairs(const struct writer *writer, const struct weir_pair_needs *needs, bool deadlines)
{
    bool begun = false;
    for (uint32_t i = 0; i < weir_pipeline_pair_count(writer->pipeline); i++) {
        struct weir_pair_spec spec = weir_pipeline_pair(writer->pipeline, i);
        if (spec.has_deadline != deadlines)
            continue;
        if (!begun)
            fputs(deadlines ? "deadlines:\n" : "measure:\n", writer->out);
        begun = true;
        write_ends(writer, spec.from, spec.to);
        if (deadlines) {
            fputs(", within: ", writer->out);
            write_time(writer, spec.deadline);
        }
        if (needs->offset[i])
            fprintf(writer->out, ", offset: %" PRId64, spec.shift);
        fputs("}\n", writer->out);
    }
}

static enum weir_status check_names(const struct weir_pipeline *pipeline, struct weir_error *error)
{
    for (uint32_t i = 0; i < weir_pipeline_operator_count(pipeline); i++) {
        const char *name = weir_pipeline_operator(pipeline, (struct weir_operator){i}).name;
        char quoted[WEIR_QUOTED];
        if (!weir_utf8_is_text(name))
            return weir_fail(error, WEIR_INVALID, "operator \"%s\" has a name that is not UTF-8 text: YAML cannot hold it",
                             weir_quote(name, quoted));
    }
    if (!weir_utf8_is_text(weir_pipeline_name(pipeline)))
        return weir_fail(error, WEIR_INVALID, "the name of the pipeline is not UTF-8 text: YAML cannot hold it");
    return weir_format_check_names(pipeline, "YAML", SIZE_MAX, error);
}

enum weir_status weir_pipeline_write_yaml(const struct weir_pipeline *pipeline, FILE *out, struct weir_error *error)
{
    struct writer writer = {pipeline, out};
    struct weir_pair_needs needs;
    enum weir_status status = check_names(pipeline, error);
    if (status == WEIR_OK)
        status = weir_format_check_kernels(pipeline, "YAML", error);
    if (status == WEIR_OK)
        status = weir_format_check_sources(pipeline, "YAML", error);
    if (status == WEIR_OK)
        status = weir_pair_needs_find(pipeline, &needs, error);
    if (status != WEIR_OK)
        return status;
    errno = 0;
    fputs("weir: 1\n", out);
    if (weir_pipeline_name(pipeline)[0]) {
        fputs("name: ", out);
        write_text(&writer, weir_pipeline_name(pipeline));
        fputc('\n', out);
    }
    fprintf(out, "unit: %s\n", weir_unit_name(weir_pipeline_unit(pipeline)));
    write_platform(&writer);
    if (is_gpu(&writer)) {
        write_kernels(&writer);
    } else {
        write_operators(&writer);
        write_queues(&writer);
        write_sources(&writer);
    }
    if (needs.any) {
        write_pairs(&writer, &needs, false);
        write_pairs(&writer, &needs, true);
    }
    weir_free(needs.offset);
    if (ferror(out))
        return weir_fail(error, WEIR_IO, "cannot write the model as YAML: %s", errno ? strerror(errno) : "write error");
    return WEIR_OK;
}
