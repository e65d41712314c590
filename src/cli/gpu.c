/* SPDX-License-Identifier: Apache-2.0 */
/* weir analyze, for a graph of kernels on a GPU. */
#include "gpu.h"
#include "analyze.h"
#include "render/timeline/timeline.h"

#include <stdlib.h>

bool weir_gpu_method_safe(enum weir_gpu_method method)
{
    return method == WEIR_GPU_BEST || method == WEIR_GPU_SAFE;
}

/* A number that is not safe decides no deadline that it meets. One above the deadline is at least no promise. */
enum weir_cli_verdict weir_gpu_verdict(const struct weir_gpu_plan *plan)
{
    int64_t deadline = weir_pipeline_gpu(plan->pipeline).deadline;
    if (!deadline || plan->deadline_met)
        return WEIR_VERDICT_FINE;
    if (weir_ratio_order(plan->bound, (struct weir_ratio){deadline, 1}) > 0)
        return WEIR_VERDICT_MISSED;
    return WEIR_VERDICT_UNDECIDED;
}

/* ---- files ---- */

static enum weir_exit write_file(const struct weir_gpu_plan *plan, const char *path, weir_timeline_writer *write, const char *title)
{
    struct weir_output output;
    struct weir_error error = {0};
    if (!path)
        return WEIR_EXIT_OK;
    enum weir_exit result = weir_output_open(&output, path);
    if (result != WEIR_EXIT_OK)
        return result;
    struct weir_timeline *t;
    enum weir_status status = weir_timeline_of_plan(plan, &t, &error);
    status = weir_timeline_finish(status, &t, write, output.file, &error);
    if (status != WEIR_OK && status != WEIR_IO)
        result = weir_complain_error(title, &error);
    return weir_exit_worse(result, weir_output_close(&output, status == WEIR_OK || status == WEIR_IO));
}

/* ---- the answer ---- */

static void print_assumption(void)
{
    const struct weir_style *style = weir_style_of(stdout);
    printf("\n%sAssumes that a launch has its SMs to itself, and the loads and times in the model; see docs/concepts/gpu.md.%s\n",
           style->dim, style->plain);
}

static enum weir_exit print(const struct weir_gpu_settings *settings, const struct weir_gpu_plan *plan, const char *title,
                            struct weir_error *error)
{
    static const enum weir_exit results[] = {[WEIR_VERDICT_FINE] = WEIR_EXIT_OK,
                                             [WEIR_VERDICT_UNDECIDED] = WEIR_EXIT_BRACKET,
                                             [WEIR_VERDICT_MISSED] = WEIR_EXIT_MISSED,
                                             [WEIR_VERDICT_NO_BOUND] = WEIR_EXIT_MISSED};
    enum weir_exit result = results[weir_gpu_verdict(plan)];
    if (settings->verify && !plan->verified) {
        weir_complain("%s: not verified", title);
        result = weir_exit_worse(result, WEIR_EXIT_BRACKET);
    }
    if (settings->json) {
        enum weir_status status = weir_gpu_write_json(plan, stdout, error);
        if (status == WEIR_IO)
            error->status = WEIR_OK; /* main reports what stdout did not take */
    } else {
        struct weir_gpu_view view = {plan, plan->pipeline, title, settings->full, settings->explain};
        weir_gpu_print(&view);
        if (settings->all)
            result = weir_exit_worse(result, weir_gpu_print_methods(settings, plan->pipeline, error));
        print_assumption();
    }
    result = weir_exit_worse(result, write_file(plan, settings->gantt, weir_timeline_write_svg, title));
    return weir_exit_worse(result, write_file(plan, settings->trace, weir_timeline_write_trace, title));
}

/* The model with the deadline of the command line where it has none: a copy, since a sealed model does not change. */
static enum weir_status add_deadline(const struct weir_pipeline *pipeline, const char *text, struct weir_pipeline **copy,
                                     struct weir_error *error)
{
    struct weir_gpu_spec gpu = weir_pipeline_gpu(pipeline);
    *copy = NULL;
    if (!text || gpu.deadline)
        return WEIR_OK;
    if (!weir_time_option(pipeline, text, 0, &gpu.deadline, error))
        return error->status;
    if (gpu.deadline == 0) {
        error->status = WEIR_INVALID;
        snprintf(error->message, sizeof error->message, "a deadline for kernels is longer than 0");
        return WEIR_INVALID;
    }
    *copy = weir_pipeline_copy(pipeline, error);
    if (!*copy)
        return WEIR_MEMORY;
    enum weir_status status = weir_pipeline_set_gpu(*copy, &gpu, error);
    if (status == WEIR_OK && (status = weir_pipeline_seal(*copy, NULL, NULL)) != WEIR_OK) {
        error->status = status;
        snprintf(error->message, sizeof error->message, "the model with a deadline cannot be made");
    }
    return status;
}

enum weir_exit weir_gpu_run(const struct weir_gpu_settings *settings, const struct weir_pipeline *pipeline, const char *path,
                            struct weir_error *error)
{
    const char *title = weir_model_title(pipeline, path);
    struct weir_progress progress = {.what = title};
    struct weir_gpu_options options = {.method = settings->method,
                                       .no_split = settings->no_split,
                                       .verify = settings->verify,
                                       .work_limit = settings->limit,
                                       .progress = weir_progress_show,
                                       .context = &progress};
    struct weir_gpu_plan *plan = NULL;
    struct weir_pipeline *copy;
    enum weir_exit result = WEIR_EXIT_INPUT;
    enum weir_status status = add_deadline(pipeline, settings->deadline, &copy, error);
    if (status == WEIR_OK) {
        status = weir_gpu_analyze(copy ? copy : pipeline, &options, &plan, error);
        weir_progress_end(&progress);
    }
    if (status == WEIR_OK)
        result = print(settings, plan, title, error);
    else
        error->status = status;
    weir_gpu_plan_free(plan);
    weir_pipeline_free(copy);
    return result;
}
