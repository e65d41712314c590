/* SPDX-License-Identifier: Apache-2.0 */
/* weir compare: what a running application did, against what the model says. */
#include "compare.h"

static const char help[] =
    "Usage: weir compare MODEL LOG [OPTION...]\n"
    "\n"
    "Holds a Data Flow Tracking log of a Holoscan application against the model of it: for each path from a root to a\n"
    "leaf how many messages were seen, their latencies, and the bound that the model proves. A latency above the bound\n"
    "is explained: which operator took longer than its worst case, and in which message. Over a connection that keeps\n"
    "the latest message, the latency is the age of the data. LOG may also be what the tracker prints at the end: the\n"
    "least, mean and greatest latency of each path, without operators.\n"
    "\n"
    "LOG may be - for standard input, if it is a log. It is read once, in little memory, however long it is. Stamps are\n"
    "whole microseconds, so a time of n counts as more than n - 1. The tracker's time of an operator, from receive() to\n"
    "emit(), is less than all of compute(): one above the worst case proves the model wrong, one below proves nothing.\n"
    "\n"
    "  --json            the answer as JSON, times in ms\n"
    "  --queue N         capacity of the queues whose capacity the model does not give\n"
    "  --help            this text\n"
    "\n"
    "Examples:\n"
    "  weir convert --from flow.log --margin 20% -o app.yaml && weir compare app.yaml next-run.log\n"
    "\n"
    "Exit status: 0 no observation contradicts the model; 1 a latency is above its bound, an operator took longer than\n"
    "its worst case, or the log has a path that the model does not; 3 the model or the log cannot be read.\n";

static bool contradicts(const struct weir_comparison *c)
{
    for (size_t i = 0; i < c->path_count; i++)
        if (!c->paths[i].in_model || c->paths[i].above_count)
            return true;
    for (uint32_t i = 0; i < weir_pipeline_operator_count(c->pipeline); i++)
        if (c->seen[i].exceeded)
            return true;
    return c->too_many > 0;
}

static enum weir_exit compare(struct weir_comparison *c, bool json)
{
    if (weir_pipeline_platform(c->pipeline) != WEIR_PLATFORM_THREADS) {
        weir_complain("%s: logs are compared with models whose operators have threads of their own", c->model);
        return WEIR_EXIT_INPUT;
    }
    if (weir_pipeline_unit(c->pipeline) == WEIR_UNIT_TICK) {
        weir_complain("%s: the times of this model have no unit; give it one (\"unit: ms\") to compare it with a log", c->model);
        return WEIR_EXIT_INPUT;
    }
    enum weir_exit result = weir_compare_read(c);
    if (result != WEIR_EXIT_OK)
        return result;
    (json ? weir_compare_print_json : weir_compare_print)(c);
    return contradicts(c) ? WEIR_EXIT_MISSED : WEIR_EXIT_OK;
}

static enum weir_exit run(struct weir_arguments *arguments)
{
    bool json = false;
    uint64_t queue = 0;
    const struct weir_option options[] = {
        {.name = "json", .kind = WEIR_OPTION_FLAG, .value = &json},
        {.name = "queue", .kind = WEIR_OPTION_NUMBER, .value = &queue, .low = 1, .high = 1 << 30},
    };
    if (!weir_options_parse(arguments, options, sizeof options / sizeof *options))
        return WEIR_EXIT_USAGE;
    if (arguments->count != 2)
        return weir_complain_usage(arguments->verb, "a model and a log are compared: weir compare MODEL LOG");
    struct weir_read_options reading = {.queue = (uint32_t)queue};
    struct weir_pipeline *pipeline;
    enum weir_exit result = weir_model_read(arguments->items[0], &reading, &pipeline);
    if (result != WEIR_EXIT_OK)
        return result;
    struct weir_comparison comparison = {.pipeline = pipeline, .model = arguments->items[0], .log_path = arguments->items[1]};
    result = compare(&comparison, json);
    weir_compare_free(&comparison);
    weir_pipeline_free(pipeline);
    return result;
}

const struct weir_verb weir_verb_compare = {"compare", "a log of a Holoscan application against its model", help, run, NULL};
