/* SPDX-License-Identifier: Apache-2.0 */
/* weir check: models against what they were, for a job that fails when a latency got worse. */
#include "cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char help[] =
    "Usage: weir check MODEL... [OPTION...]\n"
    "       weir check MODEL... --update [OPTION...]\n"
    "\n"
    "Fails when a latency has become worse than in a baseline, a file that --update writes and that you keep beside the\n"
    "models. Worse means: a worst case rose by more than the tolerance, a bound was lost, an exact bound is now only safe,\n"
    "or a deadline is no longer met. To find the cause, weir applies the changes of the model one by one, and reports the\n"
    "one responsible with its line (an operator, a queue, a key of the platform), or that it takes several together.\n"
    "\n"
    "  -b, --baseline FILE  the baseline (default weir-baseline.json)\n"
    "  --update             rewrite the baseline with the current latencies of these models, and no others; prints what\n"
    "                       is different, and ends with 0 if all models can be read\n"
    "  --tolerance T        how much a worst case may rise: 2%, 1.5ms, or a number in the unit of the model (default 0)\n"
    "  --strict             also fail when a latency or a model is new or gone\n"
    "  --verify             check certificates, as weir analyze --verify does\n"
    "  --limit N            work for each latency before the answer is a bracket, as in weir analyze\n"
    "  --json               JSON output; see docs/reference/json.md. One object, or an array of them for several models\n"
    "  --markdown FILE      a summary for a pull request\n"
    "  --junit FILE         JUnit test cases, one for each latency\n"
    "  --sarif FILE         SARIF 2.1.0 results, at the line that made the latency worse\n"
    "  --github             annotations for GitHub (::error file=...), after the answer\n"
    "  --full               long tables in full\n"
    "  --queue N            capacity of the queues whose capacity the model does not give\n"
    "  --force-queue N      capacity of all queues, whatever the model says\n"
    "  --ports HOW          shared, separate or unknown, as in weir analyze\n";

static const char more[] = WEIR_KERNEL_HELP WEIR_FLOWGRAPH_HELP
    "\n"
    "  --help               this text\n"
    "\n"
    "Examples:\n"
    "  weir check models/*.yaml --update\n"
    "  weir check models/*.yaml --tolerance 2% --markdown weir.md --junit weir.xml --sarif weir.sarif\n"
    "\n"
    "Exit status: 0 nothing is worse, and all deadlines are met; 1 a latency is worse, a deadline is missed, or a new\n"
    "latency has no bound; 2 wrong usage; 3 a model or the baseline cannot be read; 4 not decided: a limit was reached,\n"
    "or a deadline is not proved; 70 a bug in weir, or no memory; 74 a file could not be written.\n";

struct settings {
    bool update, strict, verify, json, github, full;
    const char *baseline, *tolerance, *markdown, *junit, *sarif, *ports_text;
    uint64_t limit;
    struct weir_queue_options queues;
    struct weir_flowgraph_options flowgraph;
    struct weir_kernel_options kernels;
    struct weir_read_options reading;
};

/* ---- files ---- */

typedef enum weir_status guard_writer(const struct weir_guard *guard, FILE *out, struct weir_error *error);

static enum weir_exit write_file(const char *path, guard_writer *write, const struct weir_guard *guard)
{
    struct weir_output output;
    struct weir_error error = {0};
    enum weir_exit result = path ? weir_output_open(&output, path) : WEIR_EXIT_OK;
    return path && !result ? weir_output_finish(&output, write(guard, output.file, &error), &error, path) : result;
}

static enum weir_exit write_files(const struct settings *s, const struct weir_guard *guard)
{
    enum weir_exit result = write_file(s->markdown, weir_guard_write_markdown, guard);
    result = weir_exit_worse(result, write_file(s->junit, weir_guard_write_junit, guard));
    return weir_exit_worse(result, write_file(s->sarif, weir_guard_write_sarif, guard));
}

static enum weir_exit update(const struct settings *s, const struct weir_guard *guard, enum weir_exit result)
{
    if (result == WEIR_EXIT_INPUT || result == WEIR_EXIT_INTERNAL) {
        weir_complain("%s is not written: not all models have an answer", s->baseline);
        return result;
    }
    return write_file(s->baseline, weir_guard_write, guard);
}

/* ---- models ---- */

static enum weir_exit check_model(const struct settings *s, struct weir_guard *guard, const char *path)
{
    struct weir_pipeline *pipeline = NULL;
    struct weir_error error = {0};
    struct weir_errors *errors = weir_errors_new();
    if (!errors)
        return weir_complain_memory();
    enum weir_status status = weir_model_load(path, &s->reading, &pipeline, errors);
    if (status) {
        enum weir_exit result = weir_complain_errors(errors, status);
        return weir_guard_refuse(guard, path, errors) ? weir_complain_memory() : result;
    }
    weir_errors_free(errors);
    if (!weir_queue_applies(&s->queues, pipeline, path, &error)) {
        weir_pipeline_free(pipeline);
        return weir_complain_error(path, &error);
    }
    status = weir_guard_check(guard, path, pipeline, &error);
    return status ? weir_complain_error(path, &error) : WEIR_EXIT_OK;
}

static void print_models(const struct settings *s, const struct weir_guard *guard)
{
    size_t count = weir_guard_count(guard);
    if (s->json && count != 1)
        fputs("[\n", stdout);
    for (size_t i = 0; i < count; i++) {
        const struct weir_guard_model *model = weir_guard_at(guard, i);
        if (i > 0)
            fputs(s->json ? ",\n" : "\n", stdout);
        if (model->answer)
            weir_print_answer(model->answer, s->json, &(struct weir_text_options){.title = model->name, .full = s->full},
                              model->file);
        else if (s->json)
            weir_print_json_errors(model->file, model->errors, NULL);
        else
            printf("%s: not read\n", model->file);
    }
    if (s->json && count != 1)
        fputs("]\n", stdout);
}

static enum weir_exit tell(const struct settings *s, struct weir_guard *guard, enum weir_exit result)
{
    struct weir_error error = {0};
    enum weir_verdict verdict = WEIR_VERDICT_GOOD; /* something that is worse counts for more than something open */
    if (weir_guard_finish(guard, &error))
        return weir_complain_error(NULL, &error);
    print_models(s, guard);
    if (s->github)
        weir_guard_write_annotations(guard, stdout, NULL); /* main.c tells what stdout did not take */
    for (size_t i = 0; i < weir_guard_count(guard); i++) {
        const struct weir_guard_model *model = weir_guard_at(guard, i);
        if (!model->errors && model->verdict > verdict)
            verdict = model->verdict;
    }
    enum weir_exit files = write_files(s, guard);
    if (s->update)
        return weir_exit_worse(files, update(s, guard, result));
    return weir_exit_worse(weir_exit_worse(result, weir_exit_of_verdict(verdict)), files);
}

/* A baseline that is to be written need not be there. */
static enum weir_exit open_guard(const struct settings *s, struct weir_guard **guard)
{
    struct weir_guard_options options = {.tolerance = s->tolerance,
                                         .strict = s->strict,
                                         .updates = s->update,
                                         .answers = {.verify = s->verify, .work_limit = s->limit}};
    bool missing = access(s->baseline, F_OK) != 0 && errno == ENOENT;
    if (missing && !s->update) {
        weir_complain("there is no baseline %s; make one: weir check MODEL... --update", s->baseline);
        return WEIR_EXIT_INPUT;
    }
    struct weir_errors *errors = weir_errors_new();
    if (!errors)
        return weir_complain_memory();
    enum weir_status status = weir_guard_open(missing ? NULL : s->baseline, &options, guard, errors);
    enum weir_exit result = status ? weir_complain_errors(errors, status) : WEIR_EXIT_OK;
    weir_errors_free(errors);
    return result;
}

static enum weir_exit check_all(const struct settings *s, const struct weir_arguments *arguments)
{
    struct weir_guard *guard = NULL;
    enum weir_exit result = open_guard(s, &guard);
    if (result != WEIR_EXIT_OK)
        return result;
    for (size_t i = 0; i < arguments->count; i++)
        result = weir_exit_worse(result, check_model(s, guard, arguments->items[i]));
    result = tell(s, guard, result);
    weir_guard_free(guard);
    return result;
}

/* ---- options ---- */

static enum weir_exit check_files(const struct settings *s, const struct weir_arguments *arguments)
{
    const struct weir_file_option files[] = {
        {"baseline", s->baseline}, {"markdown", s->markdown}, {"junit", s->junit}, {"sarif", s->sarif}};
    if (!weir_files_check(arguments->verb, files, sizeof files / sizeof *files))
        return WEIR_EXIT_USAGE;
    for (size_t i = 0; i < arguments->count; i++) {
        if (strcmp(arguments->items[i], "-") == 0)
            return weir_complain_usage(arguments->verb, "models are identified by their file names; standard input has none");
        for (size_t j = 0; j < i; j++)
            if (strcmp(arguments->items[i], arguments->items[j]) == 0)
                return weir_complain_usage(arguments->verb, "%s is given twice", arguments->items[i]);
    }
    return WEIR_EXIT_OK;
}

static enum weir_exit check_and_run(struct settings *s, const struct weir_arguments *arguments)
{
    struct weir_error error = {0};
    if (arguments->count == 0)
        return weir_complain_usage(arguments->verb, "which models?");
    if (s->github && s->json)
        return weir_complain_usage(arguments->verb, "--github and --json are both on standard output");
    if (check_files(s, arguments) != WEIR_EXIT_OK || !weir_queue_fill(arguments->verb, &s->queues, &s->reading) ||
        !weir_ports_read(arguments->verb, s->ports_text, &s->reading.ports))
        return WEIR_EXIT_USAGE;
    if (weir_guard_tolerance_check(s->tolerance, &error))
        return weir_complain_usage(arguments->verb, "--tolerance: %s", error.message);
    weir_flowgraph_fill(&s->flowgraph, &s->reading);
    weir_kernel_fill(&s->kernels, &s->reading);
    return check_all(s, arguments);
}

static enum weir_exit run(struct weir_arguments *arguments)
{
    struct settings s = {.baseline = "weir-baseline.json"};
    const struct weir_option options[] = {
        {.name = "baseline", .letter = 'b', .kind = WEIR_OPTION_TEXT, .value = &s.baseline},
        {.name = "update", .kind = WEIR_OPTION_FLAG, .value = &s.update},
        {.name = "tolerance", .kind = WEIR_OPTION_TEXT, .value = &s.tolerance},
        {.name = "strict", .kind = WEIR_OPTION_FLAG, .value = &s.strict},
        {.name = "verify", .kind = WEIR_OPTION_FLAG, .value = &s.verify},
        {.name = "limit", .kind = WEIR_OPTION_NUMBER, .value = &s.limit, .low = 1, .high = UINT64_MAX},
        {.name = "json", .kind = WEIR_OPTION_FLAG, .value = &s.json},
        {.name = "markdown", .kind = WEIR_OPTION_TEXT, .value = &s.markdown},
        {.name = "junit", .kind = WEIR_OPTION_TEXT, .value = &s.junit},
        {.name = "sarif", .kind = WEIR_OPTION_TEXT, .value = &s.sarif},
        {.name = "github", .kind = WEIR_OPTION_FLAG, .value = &s.github},
        {.name = "full", .kind = WEIR_OPTION_FLAG, .value = &s.full},
        WEIR_FLOWGRAPH_OPTIONS(s.flowgraph),
        WEIR_KERNEL_OPTIONS(s.kernels),
        WEIR_QUEUE_OPTIONS(s.queues),
        {.name = "ports", .kind = WEIR_OPTION_TEXT, .value = &s.ports_text},
    };
    enum weir_exit result = WEIR_EXIT_USAGE;
    if (weir_options_parse(arguments, options, sizeof options / sizeof *options))
        result = check_and_run(&s, arguments);
    weir_flowgraph_free(&s.flowgraph);
    return result;
}

const struct weir_verb weir_verb_check = {"check", "compare models with a baseline: which latency got worse, and why", help, run,
                                          more};
