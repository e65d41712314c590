/* SPDX-License-Identifier: Apache-2.0 */
/* weir analyze --method all: every method for a graph of kernels, in a table. */
#include "analyze.h"
#include "gpu.h"

#include <string.h>

enum { BOUND, GAP, LAUNCHES, SPLIT, ADDED, CELLS };

struct row {
    char cells[CELLS][WEIR_NUMBER_TEXT];
    bool covered, safe;
    char why[512]; /* where the method does not cover the model */
};

static enum weir_status fill_row(const struct weir_gpu_settings *settings, const struct weir_pipeline *pipeline,
                                 enum weir_gpu_method method, struct row *row, struct weir_error *error)
{
    struct weir_progress progress = {.what = weir_gpu_method_name(method)};
    struct weir_gpu_options options = {.method = method,
                                       .no_split = settings->no_split,
                                       .verify = settings->verify && weir_gpu_method_safe(method),
                                       .work_limit = settings->limit,
                                       .progress = weir_progress_show,
                                       .context = &progress};
    struct weir_gpu_plan *plan = NULL;
    enum weir_status status = weir_gpu_analyze(pipeline, &options, &plan, error);
    weir_progress_end(&progress);
    *row = (struct row){.covered = status == WEIR_OK};
    if (status == WEIR_INVALID) {
        snprintf(row->why, sizeof row->why, "%s", error->message);
        *error = (struct weir_error){0};
        return WEIR_OK;
    }
    if (status != WEIR_OK)
        return status;
    row->safe = plan->safe;
    weir_ratio_time(pipeline, plan->bound, row->cells[BOUND]);
    weir_gpu_gap(plan, row->cells[GAP]);
    snprintf(row->cells[LAUNCHES], WEIR_NUMBER_TEXT, "%zu", plan->launch_count);
    snprintf(row->cells[SPLIT], WEIR_NUMBER_TEXT, "%u", plan->split_count);
    snprintf(row->cells[ADDED], WEIR_NUMBER_TEXT, "%zu", plan->added_count);
    weir_gpu_plan_free(plan);
    return WEIR_OK;
}

static void print_rows(const struct row *rows)
{
    static const char *const heads[CELLS] = {"bound", "gap", "launches", "split", "added"};
    const struct weir_style *style = weir_style_of(stdout);
    int widths[CELLS];
    for (int c = 0; c < CELLS; c++) {
        widths[c] = (int)strlen(heads[c]);
        for (int m = 0; m < WEIR_GPU_METHODS; m++)
            widths[c] = (int)strlen(rows[m].cells[c]) > widths[c] ? (int)strlen(rows[m].cells[c]) : widths[c];
    }
    printf("  %s%-14s", style->dim, "method");
    for (int c = 0; c < CELLS; c++)
        printf("  %*s", widths[c], heads[c]);
    printf("  safe%s\n", style->plain);
    for (int m = 0; m < WEIR_GPU_METHODS; m++) {
        printf("  %-14s", weir_gpu_method_name((enum weir_gpu_method)m));
        if (!rows[m].covered) {
            printf("  %*s  %s\n", widths[BOUND], "-", rows[m].why);
            continue;
        }
        for (int c = 0; c < CELLS; c++)
            printf("  %*s", widths[c], rows[m].cells[c]);
        puts(rows[m].safe ? "  yes" : "  NO");
    }
}

enum weir_exit weir_gpu_print_methods(const struct weir_gpu_settings *settings, const struct weir_pipeline *pipeline,
                                      struct weir_error *error)
{
    struct row rows[WEIR_GPU_METHODS];
    enum weir_unit unit = weir_pipeline_unit(pipeline);
    for (int m = 0; m < WEIR_GPU_METHODS; m++)
        if (fill_row(settings, pipeline, (enum weir_gpu_method)m, &rows[m], error) != WEIR_OK)
            return weir_exit_of(error->status);
    fputs("\nMethods", stdout);
    if (unit != WEIR_UNIT_TICK)
        printf(" (in %s)", weir_unit_name(unit));
    puts(": those that are not safe can be exceeded");
    print_rows(rows);
    return WEIR_EXIT_OK;
}
