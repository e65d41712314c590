/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How fast graphs of kernels are planned, from the sealed pipeline to the plan: in time of the processor, so that nothing else
 * that runs counts.
 *
 *     bench_gpu_plan [figure4|large|all]...
 *
 * figure4: random graphs of 24 kernels on average, as in the paper's Figure 4. For each number of SMs and each method: the mean and
 * the slowest of many graphs. large: graphs of about 1,000 kernels, checked.
 */
#include "clock.h"
#include "weir.h"

#include <string.h>

struct figure {
    double time, gap; /* above the lower bound, in percent */
    size_t launches;
    bool limited;
};

/* The fastest of so many runs; a negative time where there is no plan. */
static struct figure measure(const struct weir_pipeline *pipeline, const struct weir_gpu_options *options, int runs)
{
    struct figure figure = {.time = -1};
    for (int i = 0; i < runs; i++) {
        struct weir_gpu_plan *plan;
        struct weir_error error;
        double begin = bench_seconds(CLOCK_PROCESS_CPUTIME_ID);
        if (weir_gpu_analyze(pipeline, options, &plan, &error)) {
            fprintf(stderr, "%s: %s\n", weir_pipeline_name(pipeline), error.message);
            return (struct figure){.time = -1};
        }
        double time = bench_seconds(CLOCK_PROCESS_CPUTIME_ID) - begin,
               bound = (double)plan->bound.numerator / (double)plan->bound.denominator;
        figure.time = figure.time < 0 || time < figure.time ? time : figure.time;
        figure.gap = 100 * (bound * (double)plan->lower.denominator / (double)plan->lower.numerator - 1);
        figure.launches = plan->launch_count;
        figure.limited = plan->limited;
        weir_gpu_plan_free(plan);
    }
    return figure;
}

enum { GRAPHS = 100, RUNS = 1 };

static void bench_figure4_of(uint32_t sms, uint32_t edges, const struct weir_gpu_options *options)
{
    char mean[32], slowest[32];
    double sum = 0, most = 0, gaps = 0;
    unsigned limited = 0;
    for (uint64_t seed = 0; seed < GRAPHS; seed++) {
        struct weir_generate_gpu_options graph = {.seed = seed, .sms = sms, .edge_permille = edges};
        struct weir_pipeline *pipeline;
        if (weir_generate_gpu(&graph, &pipeline, NULL))
            return;
        struct figure f = measure(pipeline, options, RUNS);
        weir_pipeline_free(pipeline);
        if (f.time < 0)
            return;
        sum += f.time;
        most = f.time > most ? f.time : most;
        gaps += f.gap;
        limited += f.limited;
    }
    printf("%3u SMs, edges %.1f  %-14s%s mean %10s  slowest %10s  %6.2f%% above the lower bound", sms, edges / 1000.0,
           weir_gpu_method_name(options->method), options->verify ? " checked" : "        ",
           bench_duration(sum / (double)GRAPHS, 2, mean), bench_duration(most, 2, slowest), gaps / (double)GRAPHS);
    if (limited)
        printf("  %u limited", limited);
    puts("");
    fflush(stdout);
}

static void bench_figure4(void)
{
    static const uint32_t edges[] = {500, 200};
    for (size_t e = 0; e < sizeof edges / sizeof *edges; e++)
        for (uint32_t sms = 4; sms <= 256; sms *= 2)
            for (int i = 0; i <= WEIR_GPU_METHODS; i++) {
                bool checked = i == WEIR_GPU_METHODS;
                bool baseline = i > WEIR_GPU_PAPER && !checked; /* as fast for any number of SMs */
                struct weir_gpu_options options = {.method = checked ? WEIR_GPU_BEST : (enum weir_gpu_method)i, .verify = checked};
                if (!baseline || sms == 32)
                    bench_figure4_of(sms, edges[e], &options);
            }
}

static void bench_large(void)
{
    static const struct weir_generate_gpu_options graphs[] = {
        {.seed = 1, .sms = 32, .layers_min = 40, .layers_max = 40, .parallelism = 50, .edge_permille = 200},
        {.seed = 1, .sms = 132, .layers_min = 40, .layers_max = 40, .parallelism = 50, .edge_permille = 200},
        {.seed = 1, .sms = 132, .layers_min = 200, .layers_max = 200, .parallelism = 8, .edge_permille = 200},
        {.shape = WEIR_GPU_GAUSSIAN, .sms = 132, .size = 44},
        {.shape = WEIR_GPU_LAPLACE, .sms = 132, .size = 32},
        {.shape = WEIR_GPU_STENCIL, .sms = 132, .size = 32},
        {.shape = WEIR_GPU_STENCIL, .sms = 132, .size = 32, .random_loads = true},
    };
    for (size_t i = 0; i < sizeof graphs / sizeof *graphs; i++) {
        struct weir_pipeline *pipeline;
        if (weir_generate_gpu(&graphs[i], &pipeline, NULL))
            return;
        for (int method = 0; method < WEIR_GPU_METHODS; method++) {
            char text[32];
            struct weir_gpu_options options = {.method = (enum weir_gpu_method)method, .verify = true};
            struct figure f = measure(pipeline, &options, 1);
            printf("%-22s %4u kernels %3u SMs  %-14s %10s  %6.2f%% above the lower bound, %zu launches%s\n",
                   weir_pipeline_name(pipeline), weir_pipeline_operator_count(pipeline), graphs[i].sms,
                   weir_gpu_method_name(options.method), bench_duration(f.time, 2, text), f.gap, f.launches,
                   f.limited ? "  limited" : "");
            fflush(stdout);
        }
        weir_pipeline_free(pipeline);
    }
}

int main(int count, char **words)
{
    static const struct bench_part parts[] = {{"figure4", bench_figure4}, {"large", bench_large}};
    return bench_main(parts, sizeof parts / sizeof *parts, count, words);
}
