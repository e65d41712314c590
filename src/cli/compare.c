/* SPDX-License-Identifier: Apache-2.0 */
/* weir compare: what a running application did, against what the model says. */
#include "cli.h"

static const char help[] =
    "Usage: weir compare MODEL LOG [OPTION...]\n"
    "\n"
    "Compares a Data Flow Tracking log of a Holoscan application with its model. For each path from a root to a leaf, it\n"
    "shows the number of messages observed, their latencies, and the bound proved for the model. It explains each latency\n"
    "above the bound: which operator exceeded its worst case, and in which message. On a connection that keeps only the\n"
    "latest message, the latency is the age of the data. LOG can also be the summary that the tracker prints at the end:\n"
    "minimum, mean and maximum latency of each path, without operators.\n"
    "\n"
    "LOG can be - for standard input, unless it is a summary. A log is read once, in bounded memory. Timestamps are whole\n"
    "microseconds, so a measured time of n means more than n - 1. The tracker measures an operator from receive() to emit(),\n"
    "which is only part of compute(): a time above the worst case proves the model wrong; a time below it proves nothing.\n"
    "\n"
    "  --skip-first N    ignore the first N messages of each path, while the application is starting up\n"
    "  --skip-last N     ... and the last N; without either, 10 each of paths with at least 100, as HoloHub's tools do\n"
    "  --tolerance T     how far outside its bounds a time may be before it contradicts the model, such as 50us, for\n"
    "                    inaccurate clocks (default 0)\n"
    "  --json            JSON output, with times in ms\n"
    "  --queue N         capacity of the queues whose capacity the model does not give\n"
    "  --force-queue N   capacity of all queues, whatever the model says\n"
    "  --ports HOW       shared, separate or unknown: whether the receivers of an operator are connected to one port (where\n"
    "                    Holoscan inserts a broadcast) if the model does not say; unknown: the bounds hold for both\n"
    "  --help            this text\n"
    "\n"
    "Examples:\n"
    "  weir convert --from flow.log --margin 20% -o app.yaml && weir compare app.yaml next-run.log\n"
    "\n"
    "Exit status: 0 no observation contradicts the model; 1 a latency is above its bound or below its best case, an\n"
    "operator exceeded its worst case, or the log has a path, or a message that was read again, which the model excludes;\n"
    "2 wrong usage; 3 the model or the log cannot be read.\n";

static enum weir_exit print(const struct weir_log_comparison *comparison, const char *title, bool json)
{
    const struct weir_answer *answer = weir_log_comparison_answer(comparison);
    const char *note;
    for (size_t i = 0; (note = weir_log_comparison_note(comparison, i)); i++)
        fprintf(stderr, "%s\n", note);
    return weir_print_answer(answer, json, &(struct weir_text_options){.title = title, .full = true}, NULL);
}

static enum weir_exit compare(const struct weir_pipeline *pipeline, const char *log, struct weir_log_comparison_options options,
                              bool json)
{
    struct weir_progress progress = {.what = "reading"};
    struct weir_log_comparison *comparison = NULL;
    struct weir_errors *errors = weir_errors_new();
    options.progress = weir_progress_show;
    options.context = &progress;
    enum weir_status status = errors ? weir_log_comparison_read(pipeline, log, &options, &comparison, errors) : WEIR_MEMORY;
    weir_progress_end(&progress);
    enum weir_exit result =
        status ? weir_complain_errors(errors, status) : print(comparison, weir_model_title(pipeline, options.model), json);
    weir_log_comparison_free(comparison);
    weir_errors_free(errors);
    return result;
}

static enum weir_exit run(struct weir_arguments *arguments)
{
    bool json = false;
    struct weir_queue_options queues = {0};
    uint64_t first = WEIR_SKIP_USUAL, last = WEIR_SKIP_USUAL;
    const char *ports = NULL, *tolerance = NULL;
    const struct weir_option options[] = {
        {.name = "json", .kind = WEIR_OPTION_FLAG, .value = &json},
        WEIR_QUEUE_OPTIONS(queues),
        {.name = "ports", .kind = WEIR_OPTION_TEXT, .value = &ports},
        {.name = "skip-first", .kind = WEIR_OPTION_NUMBER, .value = &first, .low = 0, .high = 100000},
        {.name = "skip-last", .kind = WEIR_OPTION_NUMBER, .value = &last, .low = 0, .high = 100000},
        {.name = "tolerance", .kind = WEIR_OPTION_TEXT, .value = &tolerance},
    };
    if (!weir_options_parse(arguments, options, sizeof options / sizeof *options))
        return WEIR_EXIT_USAGE;
    if (arguments->count != 2)
        return weir_complain_usage(arguments->verb, "give a model and a log: weir compare MODEL LOG");
    struct weir_log_comparison_options how = {
        .model = arguments->items[0], .skip_first = (uint32_t)first, .skip_last = (uint32_t)last};
    if (tolerance && !weir_parse_duration(arguments, "tolerance", tolerance, 0, &how.tolerance))
        return WEIR_EXIT_USAGE;
    struct weir_read_options reading = {0};
    if (!weir_queue_fill(arguments->verb, &queues, &reading) || !weir_ports_read(arguments->verb, ports, &reading.ports))
        return WEIR_EXIT_USAGE;
    struct weir_pipeline *pipeline;
    enum weir_exit result = weir_model_read(arguments->items[0], &reading, &pipeline);
    if (result != WEIR_EXIT_OK)
        return result;
    result = compare(pipeline, arguments->items[1], how, json);
    weir_pipeline_free(pipeline);
    return result;
}

const struct weir_verb weir_verb_compare = {"compare", "compare a log of a Holoscan application with its model", help, run, NULL};
