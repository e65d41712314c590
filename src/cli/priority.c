/* SPDX-License-Identifier: Apache-2.0 */
/* weir analyze, for a model whose operators share processors. */
#include "priority.h"
#include "render/timeline/timeline.h"

#include <stdlib.h>

static enum weir_exit exit_of(enum weir_cli_verdict verdict)
{
    return verdict == WEIR_VERDICT_FINE ? WEIR_EXIT_OK : verdict == WEIR_VERDICT_UNDECIDED ? WEIR_EXIT_BRACKET : WEIR_EXIT_MISSED;
}

/* The answer with the deadline of the command line where the model has none: a copy, since an analysis is not ours to change. */
static struct weir_priority_latency *add_deadline(const struct weir_priority_analysis *analysis, int64_t deadline)
{
    size_t count = analysis->latency_count;
    struct weir_priority_latency *latencies = calloc(count ? count : 1, sizeof *latencies);
    for (size_t i = 0; latencies && i < count; i++) {
        struct weir_priority_latency *latency = &latencies[i];
        *latency = analysis->latencies[i];
        if (latency->pair.has_deadline)
            continue;
        latency->pair.has_deadline = true;
        latency->pair.deadline = deadline;
        latency->deadline_met = latency->bounded && latency->worst <= deadline;
    }
    return latencies;
}

/* A file that cannot be written is told here; that there is nothing to draw, too. */
static enum weir_exit draw(const struct weir_priority_settings *settings, const struct weir_priority_analysis *analysis,
                           const char *title)
{
    struct weir_output output;
    struct weir_error error = {0};
    if (analysis->outcome != WEIR_PRIORITY_CONVERGED) {
        weir_complain("%s: no bound was found, so that there is nothing to draw: %s is not written", title, settings->gantt);
        return WEIR_EXIT_OK;
    }
    enum weir_exit result = weir_output_open(&output, settings->gantt);
    if (result != WEIR_EXIT_OK)
        return result;
    struct weir_timeline *t;
    enum weir_status status = weir_timeline_of_intervals(analysis, &t, &error);
    status = weir_timeline_finish(status, &t, weir_timeline_write_svg, output.file, &error);
    if (status != WEIR_OK && status != WEIR_IO)
        result = weir_complain_error(title, &error);
    return weir_exit_worse(result, weir_output_close(&output, status == WEIR_OK || status == WEIR_IO));
}

static enum weir_exit print(const struct weir_priority_settings *settings, const struct weir_priority_analysis *analysis,
                            const char *title, struct weir_error *error)
{
    enum weir_exit result = analysis->outcome == WEIR_PRIORITY_CONVERGED   ? WEIR_EXIT_OK
                            : analysis->outcome == WEIR_PRIORITY_UNBOUNDED ? WEIR_EXIT_MISSED
                                                                           : WEIR_EXIT_BRACKET;
    for (size_t i = 0; i < analysis->latency_count; i++)
        result = weir_exit_worse(result, exit_of(weir_priority_verdict(analysis, &analysis->latencies[i])));
    if (settings->verify && analysis->outcome == WEIR_PRIORITY_CONVERGED && !analysis->verified) {
        weir_complain("%s: not verified: checking the certificate would take too long", title);
        result = weir_exit_worse(result, WEIR_EXIT_BRACKET);
    }
    if (settings->json) {
        enum weir_status status = weir_priority_write_json(analysis, stdout, error);
        if (status == WEIR_IO)
            error->status = WEIR_OK; /* main reports what stdout did not take */
    } else {
        struct weir_priority_view view = {analysis, analysis->pipeline, title, settings->full};
        if (!weir_priority_print(&view))
            result = WEIR_EXIT_INTERNAL;
    }
    if (settings->gantt)
        result = weir_exit_worse(result, draw(settings, analysis, title));
    return result;
}

enum weir_exit weir_priority_run(const struct weir_priority_settings *settings, const struct weir_pipeline *pipeline,
                                 const char *path, struct weir_error *error)
{
    const char *title = weir_model_title(pipeline, path);
    struct weir_progress progress = {.what = title};
    struct weir_priority_options options = {.method = settings->method,
                                            .work_limit = settings->limit,
                                            .verify = settings->verify,
                                            .progress = weir_progress_show,
                                            .context = &progress};
    struct weir_priority_analysis *analysis = NULL;
    int64_t deadline = 0;
    if (settings->latency_limit && !weir_time_option(pipeline, settings->latency_limit, 1, &options.latency_limit, error))
        return WEIR_EXIT_INPUT;
    if (settings->deadline && !weir_time_option(pipeline, settings->deadline, 0, &deadline, error))
        return WEIR_EXIT_INPUT;
    enum weir_status status = weir_priority_analyze(pipeline, &options, &analysis, error);
    weir_progress_end(&progress);
    if (status != WEIR_OK)
        return weir_exit_of(error->status);
    struct weir_priority_analysis view = *analysis;
    struct weir_priority_latency *latencies = NULL;
    enum weir_exit result = WEIR_EXIT_INTERNAL;
    if (settings->deadline) {
        latencies = add_deadline(analysis, deadline);
        view.latencies = latencies;
    }
    if (!view.latencies)
        weir_complain("out of memory");
    else
        result = print(settings, &view, title, error);
    free(latencies);
    weir_priority_analysis_free(analysis);
    return result;
}
