/* SPDX-License-Identifier: Apache-2.0 */
/* What analyze writes besides its answer: the worst case as a timeline or a trace, the model as a drawing. */
#include "pictures.h"

/* The latency to show: the first that misses its deadline, or else the first that has a worst case. */
static size_t choose(const struct weir_analysis *analysis)
{
    size_t chosen = analysis->latency_count;
    for (size_t i = analysis->latency_count; i-- > 0;)
        if (analysis->latencies[i].witness)
            chosen = i;
    for (size_t i = analysis->latency_count; i-- > 0;)
        if (analysis->latencies[i].witness && !analysis->latencies[i].deadline_met)
            chosen = i;
    return chosen;
}

typedef enum weir_status writer(const struct weir_pipeline *pipeline, const struct weir_analysis *analysis, size_t latency,
                                FILE *out, struct weir_error *error);

static enum weir_status write_gantt(const struct weir_pipeline *pipeline, const struct weir_analysis *analysis, size_t latency,
                                    FILE *out, struct weir_error *error)
{
    (void)pipeline;
    return weir_analysis_write_gantt(analysis, latency, out, error);
}

static enum weir_status write_trace(const struct weir_pipeline *pipeline, const struct weir_analysis *analysis, size_t latency,
                                    FILE *out, struct weir_error *error)
{
    (void)pipeline;
    return weir_analysis_write_trace(analysis, latency, out, error);
}

static enum weir_exit write_file(const char *path, writer *write, const struct weir_analysis *analysis,
                                 const struct weir_pipeline *pipeline, const char *title)
{
    struct weir_error error = {0};
    struct weir_output output;
    enum weir_exit result = weir_output_open(&output, path);
    if (result != WEIR_EXIT_OK)
        return result;
    enum weir_status status = write(pipeline, analysis, analysis ? choose(analysis) : 0, output.file, &error);
    if (status == WEIR_OK)
        return weir_output_close(&output, true);
    weir_output_close(&output, false);
    weir_complain("%s: %s is not written: %s", title, path, error.message);
    return status == WEIR_INVALID || status == WEIR_OVERFLOW ? WEIR_EXIT_OUTPUT : weir_exit_of(status);
}

enum weir_exit weir_drawing_save(const char *path, const struct weir_pipeline *pipeline, const struct weir_analysis *analysis,
                                 const char *title)
{
    return path ? write_file(path, weir_pipeline_write_drawing, analysis, pipeline, title) : WEIR_EXIT_OK;
}

enum weir_exit weir_pictures_save(const char *gantt, const char *trace, const struct weir_analysis *analysis, const char *title)
{
    enum weir_exit result = WEIR_EXIT_OK;
    if ((gantt || trace) && choose(analysis) == analysis->latency_count) {
        weir_complain("%s: no latency has a worst case to draw: %s is not written", title, gantt ? gantt : trace);
        return WEIR_EXIT_OK;
    }
    if (gantt)
        result = write_file(gantt, write_gantt, analysis, analysis->pipeline, title);
    if (trace)
        result = weir_exit_worse(result, write_file(trace, write_trace, analysis, analysis->pipeline, title));
    return result;
}
