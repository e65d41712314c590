/* SPDX-License-Identifier: Apache-2.0 */
/* weir report: one page about one or more models. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>

static const char help[] =
    "Usage: weir report MODEL... -o OUT [OPTION...]\n"
    "\n"
    "Writes one self-contained HTML page about the models, which works offline: the verdict, a drawing of the pipeline, how\n"
    "the worst case happens, simulated latencies beside the bounds, what to change, the assumptions, and the model itself.\n"
    "Its sliders recompute everything with the same engines, compiled to WebAssembly.\n"
    "A MODEL is any that weir analyze takes; - is standard input.\n"
    "\n"
    "  -o, --output OUT   where to write the page; - is standard output\n"
    "  --title TEXT       title of the page (default: the name of the first model)\n"
    "  --queue N          capacity of the queues whose capacity the model does not give\n"
    "  --force-queue N    capacity of all queues, whatever the model says\n"
    "  --runs N           number of simulated runs (default 200)\n"
    "  --iterations N     iterations in each run (default 50)\n"
    "  --seed S           seed of the random numbers (default 1)\n"
    "  --limit N          constraints to examine per latency before the answer is a bracket\n"
    "  --no-live          leave out the sliders and the engine, for a smaller page\n"
    "  --help             this text\n"
    "\n"
    "Examples:\n"
    "  weir report camera.yaml -o camera.html\n"
    "  weir report examples/multi-ai-*.yaml -o apps.html --title 'Our applications'\n"
    "\n"
    "Exit status: as for weir analyze; 74 the page cannot be written.\n";

/* What a page is written with, and about. */
struct page {
    struct weir_progress progress;
    const struct weir_report_model *models;
    size_t count;
    const char *path;
    bool told; /* standard output has the page itself otherwise */
};

static void show_progress(void *context, unsigned permille)
{
    weir_progress_show(&((struct page *)context)->progress, permille);
}

/* "camera.html: The deadline is met, always: camera -> display at most 24 ms, deadline 60 ms" */
static void tell(void *context, size_t model, enum weir_verdict verdict, const char *words)
{
    struct page *page = context;
    const struct weir_style *style = weir_style_of(stdout);
    if (!page->told)
        return;
    weir_progress_end(&page->progress);
    if (page->count > 1 && model == 0)
        printf("%s%s%s, about %zu models\n", style->bold, page->path, style->plain, page->count);
    printf("%s%s:%s %s%s%s\n", page->count > 1 ? "  " : style->bold,
           page->count > 1 ? weir_model_title(page->models[model].pipeline, page->models[model].path) : page->path,
           page->count > 1 ? "" : style->plain,
           verdict == WEIR_VERDICT_BAD    ? style->bad
           : verdict == WEIR_VERDICT_GOOD ? style->good
                                          : "",
           words, style->plain);
}

static enum weir_exit write_page(const struct weir_report_model *models, size_t count, const struct weir_report_options *options,
                                 const char *path)
{
    struct page page = {.progress = {.what = "writing the report"}, .models = models, .count = count, .path = path};
    struct weir_output output;
    struct weir_error error;
    enum weir_verdict verdict = WEIR_VERDICT_GOOD;
    struct weir_report_options watched = *options;
    watched.progress = show_progress;
    watched.tell = tell;
    watched.context = &page;
    enum weir_exit exit = weir_output_open(&output, path);
    if (exit)
        return exit;
    page.told = output.file != stdout;
    enum weir_status status = weir_report_write(models, count, &watched, output.file, &verdict, &error);
    weir_progress_end(&page.progress);
    if (status == WEIR_IO) { /* main says what standard output did not take */
        if (output.file != stdout)
            weir_complain("%s: %s", path, error.message);
        exit = WEIR_EXIT_OUTPUT;
    } else {
        exit = status ? weir_complain_error(NULL, &error) : weir_exit_of_verdict(verdict);
    }
    return weir_exit_worse(exit, weir_output_close(&output, !status));
}

static enum weir_exit run(struct weir_arguments *arguments)
{
    const char *path = NULL;
    struct weir_report_options report = {.seed = 1};
    struct weir_queue_options queues = {0};
    uint64_t runs = 0, iterations = 0;
    const struct weir_option options[] = {
        {"output", 'o', WEIR_OPTION_TEXT, &path, 0, 0},
        {"title", 0, WEIR_OPTION_TEXT, &report.title, 0, 0},
        WEIR_QUEUE_OPTIONS(queues),
        {"runs", 0, WEIR_OPTION_NUMBER, &runs, 1, 1000000},
        {"iterations", 0, WEIR_OPTION_NUMBER, &iterations, 1, 1000000},
        {"seed", 0, WEIR_OPTION_NUMBER, &report.seed, 0, UINT64_MAX},
        {"limit", 0, WEIR_OPTION_NUMBER, &report.work_limit, 1, UINT64_MAX},
        {"no-live", 0, WEIR_OPTION_FLAG, &report.no_live, 0, 0},
    };
    if (!weir_options_parse(arguments, options, sizeof options / sizeof *options))
        return WEIR_EXIT_USAGE;
    if (arguments->count == 0)
        return weir_complain_usage(arguments->verb, "which model?");
    if (!path)
        return weir_complain_usage(arguments->verb, "where should the page go? Give -o report.html");
    report.runs = (uint32_t)runs;
    report.iterations = (int64_t)iterations;
    struct weir_read_options read = {0};
    struct weir_error error = {0};
    if (!weir_queue_fill(arguments->verb, &queues, &read))
        return WEIR_EXIT_USAGE;
    struct weir_report_model *models = calloc(arguments->count, sizeof *models);
    enum weir_exit exit = models ? WEIR_EXIT_OK : WEIR_EXIT_INTERNAL;
    size_t count = 0;
    for (; models && count < arguments->count; count++) {
        struct weir_pipeline *pipeline = NULL;
        exit = weir_exit_worse(exit, weir_model_read(arguments->items[count], &read, &pipeline));
        if (pipeline && !weir_queue_applies(&queues, pipeline, arguments->items[count], &error))
            exit = weir_complain_usage(arguments->verb, "%s", error.message);
        bool input = strcmp(arguments->items[count], "-") == 0;
        models[count] = (struct weir_report_model){pipeline, input ? "standard input" : arguments->items[count], NULL};
    }
    if (exit == WEIR_EXIT_OK)
        exit = write_page(models, count, &report, path);
    for (size_t i = 0; i < count; i++)
        weir_pipeline_free((struct weir_pipeline *)models[i].pipeline);
    free(models);
    return exit;
}

const struct weir_verb weir_verb_report = {"report", "write an HTML page about a model: verdict, pictures, what if", help, run,
                                           NULL};
