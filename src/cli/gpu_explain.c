/* SPDX-License-Identifier: Apache-2.0 */
/* weir analyze --explain for a graph of kernels: how kernels are split, and what is launched after what without being asked to. */
#include "analyze.h"
#include "gpu.h"

enum { ROWS_MAX = 40 };

static void print_parts(const struct weir_gpu_view *view, size_t first)
{
    const struct weir_gpu_plan *plan = view->plan;
    uint32_t kernel = plan->launches[first].kernel.index, left = plan->launches[first].parts;
    char load[WEIR_NUMBER_TEXT], time[WEIR_NUMBER_TEXT];
    printf("  %s: ", weir_pipeline_operator(view->pipeline, plan->launches[first].kernel).name);
    for (size_t i = first; i < plan->launch_count && left > 0; i++) {
        const struct weir_gpu_launch *l = &plan->launches[i];
        if (l->kernel.index != kernel)
            continue;
        printf("%sload %s on %u SM%s in %s", i == first ? "" : ", then ", weir_ratio_time(view->pipeline, l->load, load), l->sms,
               l->sms == 1 ? "" : "s", weir_ratio_amount(view->pipeline, l->time, time));
        left--;
    }
    fputc('\n', stdout);
}

static void print_splits(const struct weir_gpu_view *view)
{
    const struct weir_gpu_plan *plan = view->plan;
    uint32_t shown = 0;
    printf("\nKernels in parts: %u\n", plan->split_count);
    for (size_t i = 0; i < plan->launch_count && (view->full || shown < ROWS_MAX); i++)
        if (plan->launches[i].parts > 1 && plan->launches[i].part == 1) {
            print_parts(view, i);
            shown++;
        }
    if (shown < plan->split_count)
        printf("  ... and %u more (--full lists all)\n", plan->split_count - shown);
}

static void print_added(const struct weir_gpu_view *view)
{
    const struct weir_gpu_plan *plan = view->plan;
    size_t shown = !view->full && plan->added_count > ROWS_MAX ? ROWS_MAX : plan->added_count;
    printf("\nAdded dependencies: %zu%s\n", plan->added_count,
           plan->barriers ? "; an empty node between two groups does the same with fewer" : "");
    for (size_t i = 0; i < shown; i++) {
        fputs("  ", stdout);
        weir_gpu_print_launch(view, &plan->launches[plan->added[i].from]);
        fputs(" -> ", stdout);
        weir_gpu_print_launch(view, &plan->launches[plan->added[i].to]);
        fputc('\n', stdout);
    }
    if (shown < plan->added_count)
        printf("  ... and %zu more (--full lists all)\n", plan->added_count - shown);
}

void weir_gpu_print_reasons(const struct weir_gpu_view *view)
{
    print_splits(view);
    print_added(view);
}
