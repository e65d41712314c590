/* SPDX-License-Identifier: Apache-2.0 */
/* weir analyze, for a flow on a pool of cores. */
#include "edf.h"

#include <stdlib.h>

/* The answer with the deadline of the command line where the model has none: a copy, since an analysis is not ours to change. */
static struct weir_edf_latency *add_deadline(const struct weir_edf_analysis *analysis, int64_t deadline)
{
    size_t count = analysis->latency_count;
    struct weir_edf_latency *latencies = calloc(count ? count : 1, sizeof *latencies);
    for (size_t i = 0; latencies && i < count; i++) {
        struct weir_edf_latency *latency = &latencies[i];
        *latency = analysis->latencies[i];
        if (latency->pair.has_deadline)
            continue;
        latency->pair.has_deadline = true;
        latency->pair.deadline = deadline;
        latency->deadline_met = latency->bounded && weir_ratio_order(latency->worst, (struct weir_ratio){deadline, 1}) <= 0;
    }
    return latencies;
}

static enum weir_exit print(const struct weir_edf_settings *settings, const struct weir_edf_analysis *analysis, const char *title,
                            struct weir_error *error)
{
    enum weir_exit result = analysis->schedulable ? WEIR_EXIT_OK : WEIR_EXIT_MISSED;
    for (size_t i = 0; i < analysis->latency_count; i++)
        if (!analysis->latencies[i].bounded || !analysis->latencies[i].deadline_met)
            result = WEIR_EXIT_MISSED;
    if (settings->verify && analysis->schedulable && !analysis->verified) {
        weir_complain("%s: not verified: numbers get too long for the check", title);
        result = weir_exit_worse(result, WEIR_EXIT_BRACKET);
    }
    if (settings->json) {
        enum weir_status status = weir_edf_write_json(analysis, stdout, error);
        if (status == WEIR_IO)
            error->status = WEIR_OK; /* main reports what stdout did not take */
    } else {
        struct weir_edf_view view = {analysis, analysis->pipeline, title, settings->full, settings->explain};
        if (!weir_edf_print(&view))
            result = WEIR_EXIT_INTERNAL;
    }
    return result;
}

enum weir_exit weir_edf_run(const struct weir_edf_settings *settings, const struct weir_pipeline *pipeline, const char *path,
                            struct weir_error *error)
{
    struct weir_edf_options options = {.cores = (uint32_t)settings->cores, .verify = settings->verify};
    struct weir_edf_analysis *analysis = NULL;
    int64_t deadline = 0;
    if (settings->deadline && !weir_time_option(pipeline, settings->deadline, 0, &deadline, error))
        return WEIR_EXIT_INPUT;
    if (weir_edf_analyze(pipeline, &options, &analysis, error) != WEIR_OK)
        return weir_exit_of(error->status);
    struct weir_edf_analysis view = *analysis;
    struct weir_edf_latency *latencies = NULL;
    enum weir_exit result = WEIR_EXIT_INTERNAL;
    if (settings->deadline) {
        latencies = add_deadline(analysis, deadline);
        view.latencies = latencies;
    }
    if (!view.latencies)
        weir_complain("out of memory");
    else
        result = print(settings, &view, weir_model_title(pipeline, path), error);
    free(latencies);
    weir_edf_analysis_free(analysis);
    return result;
}
