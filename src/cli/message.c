/* SPDX-License-Identifier: Apache-2.0 */
#include "base/json.h"
#include "cli.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum weir_exit weir_exit_worse(enum weir_exit a, enum weir_exit b)
{
    static const enum weir_exit order[] = {WEIR_EXIT_INTERNAL, WEIR_EXIT_OUTPUT,  WEIR_EXIT_USAGE,
                                           WEIR_EXIT_INPUT,    WEIR_EXIT_BRACKET, WEIR_EXIT_MISSED};
    for (size_t i = 0; i < sizeof order / sizeof *order; i++)
        if (a == order[i] || b == order[i])
            return order[i];
    return WEIR_EXIT_OK;
}

enum weir_exit weir_exit_of_verdict(enum weir_verdict verdict)
{
    return verdict == WEIR_VERDICT_GOOD ? WEIR_EXIT_OK : verdict == WEIR_VERDICT_OPEN ? WEIR_EXIT_BRACKET : WEIR_EXIT_MISSED;
}

enum weir_exit weir_exit_of(enum weir_status status)
{
    switch (status) {
    case WEIR_OK:
        return WEIR_EXIT_OK;
    case WEIR_INVALID:
    case WEIR_OVERFLOW:
    case WEIR_IO:
        return WEIR_EXIT_INPUT;
    case WEIR_MEMORY:
    case WEIR_INTERNAL:
        break;
    }
    return WEIR_EXIT_INTERNAL;
}

void weir_complain(const char *format, ...)
{
    const struct weir_style *style = weir_style_of(stderr);
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "%sweir:%s ", style->bad, style->plain);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
}

enum weir_exit weir_complain_usage(const struct weir_verb *verb, const char *format, ...)
{
    const struct weir_style *style = weir_style_of(stderr);
    const char *space = verb ? " " : "", *name = verb ? verb->name : "";
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "%sweir%s%s:%s ", style->bad, space, name, style->plain);
    vfprintf(stderr, format, arguments);
    fprintf(stderr, "\nTry 'weir%s%s --help'.\n", space, name);
    va_end(arguments);
    return WEIR_EXIT_USAGE;
}

/* A self-check that failed is our mistake, and worth more than a line. */
static void print_error(const char *file, const struct weir_error *error)
{
    const struct weir_style *style = weir_style_of(stderr);
    const char *message = error->message[0] ? error->message : "failed without a reason";
    if (error->status == WEIR_INTERNAL) {
        weir_complain("%s%sINTERNAL ERROR: %s", file, file[0] ? ": " : "", message);
        weir_complain("this is a bug in weir, and the answer must not be used; please report it with the model");
    } else if (!file[0]) {
        weir_complain("%s", message);
    } else if (!error->line) {
        fprintf(stderr, "%s%s:%s %s\n", style->bold, file, style->plain, message);
    } else if (!error->column) {
        fprintf(stderr, "%s%s:%u:%s %s\n", style->bold, file, error->line, style->plain, message);
    } else {
        fprintf(stderr, "%s%s:%u:%u:%s %s\n", style->bold, file, error->line, error->column, style->plain, message);
    }
}

enum weir_exit weir_complain_errors(const struct weir_errors *errors, enum weir_status status)
{
    for (size_t i = 0; i < weir_errors_count(errors); i++) {
        const struct weir_error *error = weir_errors_at(errors, i);
        print_error(error->file, error);
    }
    if (weir_errors_count(errors) == 0)
        weir_complain(status == WEIR_MEMORY ? "out of memory" : "failed without a reason");
    return weir_exit_of(status);
}

enum weir_exit weir_complain_error(const char *file, const struct weir_error *error)
{
    print_error(error->file[0] ? error->file : file ? file : "", error);
    return weir_exit_of(error->status);
}

enum weir_exit weir_complain_memory(void)
{
    weir_complain("out of memory");
    return WEIR_EXIT_INTERNAL;
}

/* As wide as the terminal, without broken words. */
static enum weir_status print_narrow(const struct weir_answer *answer, const struct weir_text_options *text,
                                     struct weir_error *error)
{
    struct weir_text_options how = *text;
    char *written = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&written, &bytes);
    if (!out)
        return weir_answer_write_text(answer, text, stdout, error);
    how.columns = weir_terminal_columns();
    enum weir_status status = weir_answer_write_text(answer, &how, out, error);
    if (fclose(out) == 0 && !status)
        weir_text_wrapped(stdout, written, how.columns);
    free(written);
    return status;
}

enum weir_exit weir_print_answer(const struct weir_answer *answer, bool json, const struct weir_text_options *text,
                                 const char *file)
{
    struct weir_text_options how = *text;
    struct weir_error error = {0};
    how.color = *weir_style_of(stdout)->bold;
    bool narrow = isatty(STDOUT_FILENO) && weir_terminal_columns() > 0;
    enum weir_status status = json     ? weir_answer_write_json(answer, stdout, &error)
                              : narrow ? print_narrow(answer, &how, &error)
                                       : weir_answer_write_text(answer, &how, stdout, &error);
    if (status && status != WEIR_IO) /* main.c tells what stdout did not take */
        return weir_complain_error(file, &error);
    return weir_exit_of_verdict(weir_answer_verdict(answer));
}

void weir_print_json_errors(const char *path, const struct weir_errors *errors, const struct weir_error *error)
{
    size_t count = error ? 1 : weir_errors_count(errors);
    fputs("{\n  \"weir\": 1,\n  \"file\": ", stdout);
    weir_json_quote(stdout, path);
    fputs(",\n  \"errors\": [", stdout);
    for (size_t i = 0; i < count; i++) {
        const struct weir_error *one = error ? error : weir_errors_at(errors, i);
        printf("%s\n    {\"line\": %u, \"column\": %u, \"message\": ", i ? "," : "", one->line, one->column);
        weir_json_quote(stdout, one->message);
        fputc('}', stdout);
    }
    fputs("\n  ]\n}\n", stdout);
}

static void print_notes(const struct weir_errors *notes)
{
    for (size_t i = 0; i < weir_errors_count(notes); i++) {
        const struct weir_error *note = weir_errors_at(notes, i);
        if (note->line)
            fprintf(stderr, "%s:%u:%u: note: %s\n", note->file, note->line, note->column, note->message);
        else
            fprintf(stderr, "%s: note: %s\n", note->file, note->message);
    }
}

enum weir_status weir_model_load(const char *path, const struct weir_read_options *options, struct weir_pipeline **pipeline,
                                 struct weir_errors *errors)
{
    struct weir_read_options with_notes = {0};
    char installed[WEIR_DOCUMENT_PATH];
    if (options)
        with_notes = *options;
    with_notes.notes = weir_errors_new(); /* without memory there are no notes */
    enum weir_status status = weir_read_file(weir_model_find(path, installed), &with_notes, pipeline, errors);
    print_notes(with_notes.notes);
    weir_errors_free(with_notes.notes);
    return status;
}

void weir_flowgraph_fill(const struct weir_flowgraph_options *flowgraph, struct weir_read_options *options)
{
    options->rates = flowgraph->rates.items;
    options->rate_count = flowgraph->rates.count;
    options->source_rates = flowgraph->source_rates.items;
    options->source_rate_count = flowgraph->source_rates.count;
    options->costs = flowgraph->costs.items;
    options->cost_count = flowgraph->costs.count;
    options->costs_path = flowgraph->costs_path;
}

void weir_flowgraph_free(struct weir_flowgraph_options *flowgraph)
{
    free((void *)flowgraph->rates.items);
    free((void *)flowgraph->source_rates.items);
    free((void *)flowgraph->costs.items);
}

enum weir_exit weir_model_read(const char *path, const struct weir_read_options *options, struct weir_pipeline **pipeline)
{
    struct weir_errors *errors = weir_errors_new();
    *pipeline = NULL;
    if (!errors)
        return weir_complain_memory();
    enum weir_status status = weir_model_load(path, options, pipeline, errors);
    enum weir_exit result = status == WEIR_OK ? WEIR_EXIT_OK : weir_complain_errors(errors, status);
    weir_errors_free(errors);
    return result;
}

const char *weir_model_title(const struct weir_pipeline *pipeline, const char *path)
{
    const char *name = weir_pipeline_name(pipeline);
    if (name && name[0])
        return name;
    return strcmp(path, "-") == 0 ? "standard input" : path;
}
