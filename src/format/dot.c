/* SPDX-License-Identifier: Apache-2.0 */
/* A pipeline as a DOT graph: operators, times, periods, queues. What DOT has no attribute for is named in a comment. */
#include "base/alloc.h"
#include "base/error.h"
#include "base/utf8.h"
#include "format/chains.h"
#include "format/formats.h"
#include "model/pipeline.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

/* In a quoted string of DOT only the quote is escaped; a backslash stands for itself unless a quote follows it. */
static void write_text(FILE *out, const char *text)
{
    fputc('"', out);
    for (; *text; text++) {
        if (*text == '"')
            fputc('\\', out);
        fputc(*text, out);
    }
    fputc('"', out);
}

static enum weir_status check_name(const char *name, struct weir_error *error)
{
    char quoted[WEIR_QUOTED];
    size_t length = strlen(name);
    if (!weir_utf8_is_text(name))
        return weir_fail(error, WEIR_INVALID, "\"%s\" is not UTF-8 text: DOT cannot hold it", weir_quote(name, quoted));
    if ((length && name[length - 1] == '\\') || strstr(name, "\\\""))
        return weir_fail(error, WEIR_INVALID, "\"%s\" has a backslash before a quote or at its end: DOT cannot hold it",
                         weir_quote(name, quoted));
    return WEIR_OK;
}

static enum weir_status check_names(const struct weir_pipeline *pipeline, struct weir_error *error)
{
    enum weir_status status = check_name(weir_pipeline_name(pipeline), error);
    for (uint32_t i = 0; status == WEIR_OK && i < weir_pipeline_operator_count(pipeline); i++)
        status = check_name(weir_pipeline_operator(pipeline, (struct weir_operator){i}).name, error);
    return status;
}

/* An operator with a period says so. */
static void write_period(const struct weir_pipeline *pipeline, uint32_t op, FILE *out)
{
    char period[WEIR_TIME_TEXT];
    for (uint32_t i = 0; i < weir_pipeline_source_count(pipeline); i++) {
        struct weir_source_spec spec = weir_pipeline_source(pipeline, i);
        if (spec.op.index == op)
            fprintf(out, spec.arrivals == WEIR_ARRIVALS_AT_MOST ? ", period=%s" : ", period=%s, arrivals=%s",
                    weir_time_format(pipeline, spec.period, period),
                    spec.arrivals == WEIR_ARRIVALS_CATCH_UP ? "\"catch-up\"" : weir_format_arrivals(spec.arrivals));
    }
}

static void write_operators(const struct weir_pipeline *pipeline, FILE *out)
{
    for (uint32_t i = 0; i < weir_pipeline_operator_count(pipeline); i++) {
        struct weir_operator_spec spec = weir_pipeline_operator(pipeline, (struct weir_operator){i});
        char best[WEIR_TIME_TEXT], worst[WEIR_TIME_TEXT];
        fputs("    ", out);
        write_text(out, spec.name);
        fprintf(out, " [BCET=%s, WCET=%s", weir_time_format(pipeline, spec.best, best),
                weir_time_format(pipeline, spec.worst, worst));
        write_period(pipeline, i, out);
        fputs(spec.reentrant ? ", reentrant=true" : "", out);
        fputs(spec.assumed ? ", assumed=true];\n" : "];\n", out);
    }
}

/* The label of the queue, and how it is drawn: with the number of messages that are taken at once, and dashed where the consumer
 * does not wait for them or they may be lost. */
static void write_waits(const struct weir_queue_spec *spec, FILE *out)
{
    if (spec->consume > 1)
        fprintf(out, ", consume=%" PRIu32 ", label=\"%" PRIu32 " at once\"", spec->consume, spec->consume);
    if (spec->full)
        fprintf(out, ", full=%s", weir_format_full(spec->full));
    if (spec->optional)
        fputs(", optional=true", out);
    if (weir_queue_is_cut(spec))
        fputs(", style=dashed", out);
}

static void write_queues(const struct weir_pipeline *pipeline, FILE *out)
{
    for (uint32_t i = 0; i < weir_pipeline_queue_count(pipeline); i++) {
        struct weir_queue_spec spec = weir_pipeline_queue(pipeline, (struct weir_queue){i});
        fputs("    ", out);
        write_text(out, weir_pipeline_operator(pipeline, spec.from).name);
        fputs(" -> ", out);
        write_text(out, weir_pipeline_operator(pipeline, spec.to).name);
        if (spec.latest)
            fputs(" [latest=true", out);
        else if (spec.capacity == WEIR_UNBOUNDED)
            fputs(" [queue=unbounded", out);
        else
            fprintf(out, " [queue=%" PRIu32, spec.capacity);
        if (spec.initial)
            fprintf(out, ", initial=%" PRIu32, spec.initial);
        if (spec.nonblocking)
            fputs(", blocking=false", out);
        write_waits(&spec, out);
        fputs("];\n", out);
    }
}

static void write_losses(const struct weir_pipeline *pipeline, bool chains, FILE *out)
{
    bool receive = false;
    for (uint32_t i = 0; i < weir_pipeline_operator_count(pipeline); i++)
        receive |= weir_pipeline_operator(pipeline, (struct weir_operator){i}).receive_max > 0;
    if (receive)
        fputs("    // not in this file: when operators call receive()\n", out);
    if (chains)
        fputs("    // not in this file: the latencies to measure and their deadlines\n", out);
}

static enum weir_status check_times(const struct weir_pipeline *pipeline, struct weir_error *error)
{
    for (uint32_t i = 0; i < weir_pipeline_operator_count(pipeline); i++)
        if (weir_pipeline_operator(pipeline, (struct weir_operator){i}).launch)
            return weir_fail(error, WEIR_INVALID, "operators launch work on a GPU: DOT cannot hold that; YAML and JSON can");
    for (uint32_t i = 0; i < weir_pipeline_queue_count(pipeline); i++)
        if (weir_pipeline_queue(pipeline, (struct weir_queue){i}).transfer_max)
            return weir_fail(error, WEIR_INVALID,
                             "messages take time from one operator to another: DOT cannot hold that; YAML and JSON can");
    for (uint32_t i = 0; i < weir_pipeline_source_count(pipeline); i++)
        if (weir_pipeline_source(pipeline, i).has_phase)
            return weir_fail(error, WEIR_INVALID, "a source has a phase: DOT cannot hold that; YAML and JSON can");
    return WEIR_OK;
}

enum weir_status weir_pipeline_write_dot(const struct weir_pipeline *pipeline, FILE *out, struct weir_error *error)
{
    struct weir_chain_needs needs;
    enum weir_status status = weir_format_check_platform(pipeline, "DOT", WEIR_PLATFORM_THREADS, error);
    if (status == WEIR_OK)
        status = check_times(pipeline, error);
    if (status == WEIR_OK)
        status = check_names(pipeline, error);
    if (status == WEIR_OK)
        status = weir_chain_needs_find(pipeline, &needs, error);
    if (status != WEIR_OK)
        return status;
    weir_free(needs.offset);
    errno = 0;
    fputs("digraph ", out);
    if (weir_pipeline_name(pipeline)[0]) {
        write_text(out, weir_pipeline_name(pipeline));
        fputc(' ', out);
    }
    fprintf(out, "{\n    unit=%s;\n    ports=separate;\n", weir_unit_name(weir_pipeline_unit(pipeline)));
    write_losses(pipeline, needs.any, out);
    write_operators(pipeline, out);
    write_queues(pipeline, out);
    fputs("}\n", out);
    return weir_written(out, "the model as DOT", error);
}
