/* SPDX-License-Identifier: Apache-2.0 */
/* The last words of `weir bench`: what all the tables come to. */
#include "bench.h"

void weir_summary_print(const struct weir_bench *bench, FILE *out)
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

void weir_summary_write_json(const struct weir_bench *bench, FILE *out)
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
