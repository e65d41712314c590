/* SPDX-License-Identifier: Apache-2.0 */
/* What the modes of weir explore share: the options of all, the model, files to write. */
#include "explore.h"

#include <stdlib.h>
#include <string.h>

/* ---- options ---- */

static enum weir_exit check_file(const char *option, const char *path, const char *ending)
{
    size_t length = path ? strlen(path) : 0, end = strlen(ending);
    if (path && strcmp(path, "-") == 0)
        return weir_complain_usage(&weir_verb_explore, "--%s needs a file: standard output has the answer", option);
    if (path && *ending && (length <= end || strcmp(path + length - end, ending) != 0))
        return weir_complain_usage(&weir_verb_explore, "--%s: let '%s' end in %s", option, path, ending);
    return WEIR_EXIT_OK;
}

enum weir_exit weir_explore_check(const struct weir_arguments *arguments, struct weir_explore_common *common)
{
    if (arguments->count != 1)
        return weir_complain_usage(arguments->verb, "weir explore takes exactly one model, not %zu", arguments->count);
    common->path = arguments->items[0];
    if (common->out && strcmp(common->out, "-") == 0)
        return weir_complain_usage(arguments->verb, "-o needs a file: standard output has the answer");
    common->format = common->out ? weir_model_format_of(common->out) : WEIR_MODEL_YAML;
    if (common->format == WEIR_MODEL_FORMATS || common->format == WEIR_MODEL_UPPAAL_QUERIES)
        return weir_complain_usage(arguments->verb, "which format is '%s'? Let it end in .yaml or .json", common->out);
    enum weir_exit result = check_file("csv", common->csv, "");
    return result == WEIR_EXIT_OK ? check_file("svg", common->svg, ".svg") : result;
}

enum weir_exit weir_explore_read(const struct weir_explore_common *common, const char *time, const char *other,
                                 struct weir_pipeline **model)
{
    char *times = weir_times_join(time, other);
    *model = NULL;
    if (!times)
        return weir_complain_memory();
    struct weir_read_options reading = {.extra_times = *times ? times : NULL};
    enum weir_exit result = weir_model_read(common->path, &reading, model);
    free(times);
    return result;
}

enum weir_exit weir_explore_time(const struct weir_pipeline *model, const char *option, const char *text, int64_t *ticks)
{
    struct weir_error error = {0};
    if (!text)
        return WEIR_EXIT_OK;
    if (weir_time_parse(model, text, ticks, &error) != WEIR_OK)
        return weir_complain_usage(&weir_verb_explore, "--%s: %s", option, error.message);
    return *ticks > 0 ? WEIR_EXIT_OK : weir_complain_usage(&weir_verb_explore, "--%s must be longer than 0, not %s", option, text);
}

/* ---- files ---- */

enum weir_exit weir_explore_write(const char *path, const char *title, weir_explore_writer *writer, const void *context)
{
    struct weir_output output;
    struct weir_error error = {0};
    enum weir_exit result = weir_output_open(&output, path);
    if (result != WEIR_EXIT_OK)
        return result;
    return weir_output_finish(&output, writer(context, output.file, &error), &error, title);
}

static enum weir_status write_table(const void *context, FILE *out, struct weir_error *error)
{
    return weir_answer_write_csv(context, NULL, out, error);
}

struct chart_to_write {
    const struct weir_answer *answer;
    size_t index;
};

static enum weir_status write_chart(const void *context, FILE *out, struct weir_error *error)
{
    const struct chart_to_write *chart = context;
    return weir_answer_write_chart(chart->answer, chart->index, out, error);
}

/* The first to FILE.svg, further ones to FILE-2.svg and so on. */
static enum weir_exit write_charts(const struct weir_explore_common *common, const struct weir_answer *answer)
{
    enum weir_exit result = WEIR_EXIT_OK;
    int stem = (int)(strlen(common->svg) - strlen(".svg"));
    size_t room = strlen(common->svg) + 48;
    char *path = malloc(room);
    if (!path)
        return weir_complain_memory();
    for (size_t i = 0; i < weir_answer_chart_count(answer) && result == WEIR_EXIT_OK; i++) {
        struct chart_to_write chart = {answer, i};
        snprintf(path, room, "%.*s%s.svg", stem, common->svg, i ? common->svg_suffix : "");
        result = weir_explore_write(path, common->path, write_chart, &chart);
    }
    free(path);
    return result;
}

enum weir_exit weir_explore_tell(const struct weir_explore_common *c, enum weir_status status, const struct weir_error *error,
                                 struct weir_explored explored)
{
    struct weir_answer *answer = explored.answer;
    enum weir_exit result = status ? weir_complain_error(c->path, error) : WEIR_EXIT_OK;
    if (!status)
        weir_answer_set_title(answer, explored.title);
    if (c->csv && result == WEIR_EXIT_OK)
        result = weir_explore_write(c->csv, c->path, write_table, answer);
    if (c->svg && result == WEIR_EXIT_OK)
        result = write_charts(c, answer);
    if (c->out && explored.changed && result == WEIR_EXIT_OK)
        result = weir_output_model(c->out, explored.changed, c->format, 0, c->path);
    else if (c->out && result == WEIR_EXIT_OK)
        weir_complain("%s: nothing better was found, so %s is not written", explored.title, c->out);
    if (result == WEIR_EXIT_OK) {
        result = weir_print_answer(answer, c->json, &(struct weir_text_options){.full = c->full}, c->path);
        if (!c->json && c->out && explored.changed)
            printf("\nThe changed model is in %s.\n", c->out);
    }
    weir_answer_free(answer);
    return result;
}
