/* SPDX-License-Identifier: Apache-2.0 */
/* What analyze writes besides its answer: the worst case as a timeline or a trace, the model as a drawing. */
#include "cli.h"

/* The bound to show: the most urgent, which the verdict and the steps are about, too. */
static size_t choose(const struct weir_answer *answer)
{
    const struct weir_bound *worst = weir_answer_worst(answer);
    for (size_t i = 0; i < weir_answer_bound_count(answer); i++)
        if (weir_answer_bound(answer, i) == worst)
            return i;
    return 0;
}

typedef enum weir_status writer(const struct weir_answer *answer, size_t bound, FILE *out, struct weir_error *error);

static enum weir_status write_drawing(const struct weir_answer *answer, size_t bound, FILE *out, struct weir_error *error)
{
    return weir_pipeline_write_drawing(weir_answer_pipeline(answer), answer, bound, out, error);
}

static enum weir_exit finish(struct weir_output *output, enum weir_status status, const struct weir_error *error, const char *title)
{
    if (status == WEIR_OK)
        return weir_output_close(output, true);
    weir_complain("%s: %s is not written: %s", title, output->path ? output->path : "the picture", error->message);
    weir_output_close(output, false);
    return status == WEIR_INVALID || status == WEIR_OVERFLOW ? WEIR_EXIT_OUTPUT : weir_exit_of(status);
}

static enum weir_exit write_file(const char *path, writer *write, const struct weir_answer *answer, const char *title)
{
    struct weir_error error = {0};
    struct weir_output output;
    enum weir_exit result = weir_output_open(&output, path);
    if (result != WEIR_EXIT_OK)
        return result;
    return finish(&output, write(answer, choose(answer), output.file, &error), &error, title);
}

enum weir_exit weir_drawing_save(const char *path, const struct weir_pipeline *pipeline, const char *title)
{
    struct weir_error error = {0};
    struct weir_output output;
    enum weir_exit result = path ? weir_output_open(&output, path) : WEIR_EXIT_OK;
    if (result != WEIR_EXIT_OK || !path)
        return result;
    return finish(&output, weir_pipeline_write_drawing(pipeline, NULL, 0, output.file, &error), &error, title);
}

enum weir_exit weir_pictures_save(const struct weir_pictures *pictures, const struct weir_answer *answer, const char *title)
{
    enum weir_exit result = WEIR_EXIT_OK;
    const char *gantt = pictures->gantt, *trace = pictures->trace;
    if ((gantt || trace) && !weir_answer_has_picture(answer)) {
        weir_complain("%s: no latency has a worst case to draw: %s is not written", title, gantt ? gantt : trace);
        gantt = trace = NULL;
    }
    if (gantt)
        result = write_file(gantt, weir_answer_write_svg, answer, title);
    if (trace)
        result = weir_exit_worse(result, write_file(trace, weir_answer_write_trace, answer, title));
    if (pictures->graph)
        result = weir_exit_worse(result, write_file(pictures->graph, write_drawing, answer, title));
    return result;
}
