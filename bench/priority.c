/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How fast the analysis of shared processors is, on sealed pipelines.
 *
 *     bench_priority [paper|random|large|all]...
 *
 * Each line: the system, the method, the fastest of several runs, and with "random" also the mean and the slowest of many systems.
 */
#include "clock.h"
#include "weir.h"

#include <stdlib.h>
#include <string.h>

struct figure {
    double time;
    bool converged;
    uint64_t windows;
};

/* The fastest of several runs, of which each is repeated until it can be timed. */
static struct figure measure(const struct weir_pipeline *pipeline, enum weir_priority_method method, double budget)
{
    struct figure figure = {.time = 1e9};
    unsigned repeat = 1;
    double begin = bench_seconds(CLOCK_MONOTONIC);
    for (int round = 0; round < 20 && (round < 7 || bench_seconds(CLOCK_MONOTONIC) - begin < budget); round++) {
        double before = bench_seconds(CLOCK_MONOTONIC);
        for (unsigned i = 0; i < repeat; i++) {
            struct weir_priority_analysis *analysis;
            if (weir_priority_analyze(pipeline, &(struct weir_priority_options){.method = method}, &analysis, NULL))
                return figure;
            figure.converged = analysis->outcome == WEIR_PRIORITY_CONVERGED;
            figure.windows = analysis->windows;
            weir_priority_analysis_free(analysis);
        }
        double time = bench_seconds(CLOCK_MONOTONIC) - before;
        if (time < 2e-4 && repeat < 1u << 16) {
            repeat *= 2;
            round = 0;
            continue;
        }
        figure.time = time / repeat < figure.time ? time / repeat : figure.time;
    }
    return figure;
}

static void bench_paper(void)
{
    char text[32];
    for (size_t i = 0; i < weir_priority_system_count(); i++)
        for (int method = 0; method < WEIR_PRIORITY_METHODS; method++) {
            struct weir_pipeline *pipeline;
            if (weir_generate_priority_system(weir_priority_system_name(i), 0, 0, &pipeline, NULL))
                return;
            struct figure f = measure(pipeline, (enum weir_priority_method)method, 0.05);
            printf("%-24s %-7s %10s  %6llu windows%s\n", weir_priority_system_name(i),
                   weir_priority_method_name((enum weir_priority_method)method), bench_duration(f.time, 2, text),
                   (unsigned long long)f.windows, f.converged ? "" : "  no bound");
            weir_pipeline_free(pipeline);
        }
}

enum { SYSTEMS = 200 };

static void bench_random_of(uint32_t graphs, uint32_t tasks, uint32_t load)
{
    static const enum weir_priority_method methods[] = {WEIR_PRIORITY_EI, WEIR_PRIORITY_EI_IBS, WEIR_PRIORITY_CIX,
                                                        WEIR_PRIORITY_BEST};
    char mean[32], slowest[32];
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
        double sum = 0, most = 0;
        int converged = 0;
        for (uint64_t seed = 0; seed < SYSTEMS; seed++) {
            struct weir_generate_priority_options options = {.seed = seed,
                                                             .graphs = graphs,
                                                             .tasks = tasks,
                                                             .processors = 3,
                                                             .load_permille = load,
                                                             .best_permille = 500,
                                                             .jitter_permille = 1000,
                                                             .cyclic = true};
            struct weir_pipeline *pipeline;
            if (weir_generate_priority(&options, &pipeline, NULL))
                return;
            struct figure f = measure(pipeline, methods[m], 1e-4);
            sum += f.time;
            most = f.time > most ? f.time : most;
            converged += f.converged;
            weir_pipeline_free(pipeline);
        }
        printf("%u graph%s of %2u, load %.2f    %-7s mean %10s  slowest %10s  bound in %d of %d\n", graphs, graphs == 1 ? " " : "s",
               tasks, load / 1000.0, weir_priority_method_name(methods[m]), bench_duration(sum / (double)SYSTEMS, 2, mean),
               bench_duration(most, 2, slowest), converged, SYSTEMS);
        fflush(stdout);
    }
}

static void bench_random(void)
{
    bench_random_of(1, 10, 400);
    bench_random_of(1, 10, 700);
    bench_random_of(2, 5, 400);
    bench_random_of(2, 5, 700);
}

/* 200 operators. */
static void bench_large(void)
{
    char text[32];
    for (uint32_t graphs = 5; graphs <= 40; graphs *= 2)
        for (uint32_t load = 200; load <= 600; load += 200) {
            struct weir_generate_priority_options options = {.seed = 1,
                                                             .graphs = graphs,
                                                             .tasks = 200 / graphs,
                                                             .processors = 12,
                                                             .load_permille = load,
                                                             .best_permille = 500,
                                                             .jitter_permille = 500};
            struct weir_pipeline *pipeline;
            if (weir_generate_priority(&options, &pipeline, NULL))
                return;
            struct figure ei = measure(pipeline, WEIR_PRIORITY_EI, 0), best = measure(pipeline, WEIR_PRIORITY_BEST, 0);
            printf("%2u graphs of %2u, load %.2f    EI %10s%s", graphs, options.tasks, load / 1000.0,
                   bench_duration(ei.time, 2, text), ei.converged ? "         " : " no bound");
            printf("  best %10s%s\n", bench_duration(best.time, 2, text), best.converged ? "" : " no bound");
            fflush(stdout);
            weir_pipeline_free(pipeline);
        }
}

int main(int count, char **words)
{
    static const struct bench_part parts[] = {{"paper", bench_paper}, {"random", bench_random}, {"large", bench_large}};
    return bench_main(parts, sizeof parts / sizeof *parts, count, words);
}
