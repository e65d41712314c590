/* SPDX-License-Identifier: Apache-2.0 */
/* The experiments of the Holoscan papers, and what they come to. */
#include "bench/bench.h"

static const struct weir_experiment experiments[] = {
    {"table1", "Table I: the methods on Multi AI Ultrasound, queues of 1", weir_bench_table1},
    {"table2", "Table II: how far the bound of RTSS 2024 is above the truth", weir_bench_table2},
    {"figure8", "Figure 8: runtime on the HoloHub applications", weir_bench_figure8},
    {"figure9", "Figure 9: expressions of tgdfs on random graphs", weir_bench_figure9},
    {"figure10", "Figure 10: runtime on random graphs", weir_bench_figure10},
    {"figure12", "Figure 12: runtime against the capacity of the queues", weir_bench_figure12},
};

static enum weir_exit begin(struct weir_bench *bench)
{
    for (size_t i = 0; i < WEIR_BENCH_APPLICATIONS; i++) {
        bench->apps[i] = weir_bench_application(i, NULL);
        if (!bench->apps[i])
            return WEIR_EXIT_INTERNAL;
        bench->titles[i] = weir_pipeline_name(bench->apps[i]);
    }
    return WEIR_EXIT_OK;
}

static void end(struct weir_bench *bench)
{
    for (size_t i = 0; i < WEIR_BENCH_APPLICATIONS; i++)
        weir_pipeline_free(bench->apps[i]);
}

/* ---- the last words ---- */

static void print_summary(const struct weir_bench *bench, FILE *out)
{
    char exact[WEIR_SECONDS_TEXT], tgdfs[WEIR_SECONDS_TEXT], times[WEIR_COUNT_TEXT];
    if (bench->summary.exact > 0 && bench->summary.tgdfs > 0)
        fprintf(out, "Multi AI Ultrasound with queues of 10: exact %s, tgdfs %s%s: %s%s times as fast.\n",
                weir_seconds_format(bench->summary.exact, exact), bench->summary.tgdfs_over ? "more than " : "",
                weir_seconds_format(bench->summary.tgdfs, tgdfs), bench->summary.tgdfs_over ? "more than " : "",
                weir_count_format((int64_t)(bench->summary.tgdfs / bench->summary.exact), times));
    for (unsigned queue = 1; queue <= WEIR_BENCH_QUEUES; queue++) {
        uint32_t largest = bench->summary.largest[queue], gives_up = bench->summary.gives_up[queue];
        if (largest && gives_up)
            fprintf(out, "Random graphs with queues of %u: exact %s for %s operators, tgdfs gives up at %u: %u times as many.\n",
                    queue, weir_seconds_format(bench->summary.largest_seconds[queue], exact), weir_count_format(largest, times),
                    gives_up, largest / gives_up);
    }
}

static void write_summary_json(const struct weir_bench *bench, FILE *out)
{
    fputc('{', out);
    const char *comma = "";
    if (bench->summary.exact > 0 && bench->summary.tgdfs > 0) {
        fprintf(out, "\"ultrasound_queue_10\": {\"exact\": %.9f, \"tgdfs\": %.9f, \"tgdfs_over\": %s, \"ratio\": %.0f}",
                bench->summary.exact, bench->summary.tgdfs, bench->summary.tgdfs_over ? "true" : "false",
                bench->summary.tgdfs / bench->summary.exact);
        comma = ", ";
    }
    fprintf(out, "%s\"random_graphs\": [", comma);
    comma = "";
    for (unsigned queue = 1; queue <= WEIR_BENCH_QUEUES; queue++) {
        if (!bench->summary.largest[queue])
            continue;
        fprintf(out, "%s{\"queue\": %u, \"exact_operators\": %u, \"exact\": %.9f, \"tgdfs_gives_up\": ", comma, queue,
                bench->summary.largest[queue], bench->summary.largest_seconds[queue]);
        if (bench->summary.gives_up[queue])
            fprintf(out, "%u}", bench->summary.gives_up[queue]);
        else
            fputs("null}", out);
        comma = ", ";
    }
    fputs("]", out);
    fputc('}', out);
}

const struct weir_bench_kind weir_bench_holoscan = {
    WEIR_BENCH_KIND("holoscan"), .drawn = "graph", .graphs = 20, .graphs_most = 1000, .has_cell = true, .begin = begin, .end = end};
