/* SPDX-License-Identifier: Apache-2.0 */
/* Figures 8 and 12 of RTSS 2025: the runtime on the HoloHub applications, per method and against the size of the queues. */
#include "bench/bench.h"

/* ---- Figure 8 ---- */

enum weir_exit weir_bench_figure8(struct weir_bench *bench, struct weir_bench_table *table, struct weir_sketch *sketch)
{
    enum weir_exit result = WEIR_EXIT_OK;
    weir_table_add_column(table, false, "application");
    weir_table_add_note(table, "Queues of 1; times in [0, worst]; exact, intervals: in [worst / 2, worst].");
    for (size_t i = 0; i < WEIR_PROMISES; i++) {
        weir_table_add_column(table, false, "%s", weir_promises[i].name);
        weir_bench_note_missing(weir_promises[i].method, table);
    }
    for (size_t app = 0; app < WEIR_BENCH_APPLICATIONS; app++) {
        struct weir_bench_cell *row = weir_table_add_row(table);
        row[0] = weir_cell_text(bench->titles[app]);
        for (size_t i = 0; i < WEIR_PROMISES && result == WEIR_EXIT_OK; i++) {
            weir_bench_show(bench, app * WEIR_PROMISES + i, WEIR_PROMISES * WEIR_BENCH_APPLICATIONS, "Figure 8: %s, %s",
                            bench->titles[app], weir_promises[i].name);
            struct weir_measurement m = {0};
            int64_t exact;
            result = weir_measure_promise(bench, app, &weir_promises[i], 0, &m, &exact);
            row[i + 1] = m.time;
        }
    }
    for (unsigned i = 0; i < WEIR_PROMISES; i++) {
        weir_sketch_add_series(sketch, i, false, "%s", weir_promises[i].name);
        for (size_t app = 0; app < WEIR_BENCH_APPLICATIONS; app++)
            weir_sketch_add_cell(sketch, (double)app, &table->cells[app][i + 1]);
    }
    weir_sketch_bars(sketch, bench->titles, WEIR_BENCH_APPLICATIONS, (struct weir_plot_axis){"runtime", true, WEIR_PLOT_SECONDS});
    return result;
}

/* ---- Figure 12 ---- */

static const uint32_t queues[] = {1, 2, 3, 5, 10, 15, 20, 25, 30, 35, 40};
enum { QUEUE_COUNT = sizeof queues / sizeof *queues, FIRST_DRAWN = 4, ULTRASOUND = 7 };

static void note_summary(struct weir_bench *bench, const struct weir_bench_cell *exact, const struct weir_bench_cell *tgdfs)
{
    bench->summary.exact = exact->number;
    bench->summary.tgdfs = tgdfs->number;
    bench->summary.tgdfs_over = tgdfs->kind == WEIR_CELL_OVER;
}

/* Two rows: exact and tgdfs. */
static enum weir_exit measure_queues(struct weir_bench *bench, size_t app, struct weir_bench_table *table)
{
    struct weir_bench_cell *exact_row = weir_table_add_row(table), *tgdfs_row = weir_table_add_row(table);
    enum weir_exit result = WEIR_EXIT_OK;
    bool gave_up = false;
    exact_row[0] = tgdfs_row[0] = weir_cell_text(bench->titles[app]);
    exact_row[1] = weir_cell_text("exact");
    tgdfs_row[1] = weir_cell_text("tgdfs");
    for (size_t q = 0; q < QUEUE_COUNT && result == WEIR_EXIT_OK; q++) {
        struct weir_application_options options = {.queue = queues[q]};
        struct weir_measurement exact, tgdfs;
        struct weir_pipeline *pipeline = weir_bench_application(app, &options);
        if (!pipeline)
            return WEIR_EXIT_INTERNAL;
        weir_bench_show(bench, app * QUEUE_COUNT + q, QUEUE_COUNT * WEIR_BENCH_APPLICATIONS, "Figure 12: %s, queues of %u",
                        bench->titles[app], queues[q]);
        result = weir_measure_exact(bench, pipeline, 0, &exact);
        exact_row[q + 2] = exact.time;
        if (result == WEIR_EXIT_OK && !gave_up) {
            result = weir_measure_method(bench, pipeline, WEIR_METHOD_TGDFS, NULL, &tgdfs);
            tgdfs_row[q + 2] = tgdfs.time;
            gave_up = !tgdfs.good;
        }
        if (result == WEIR_EXIT_OK && !gave_up)
            result = weir_bench_compare(pipeline, WEIR_METHOD_TGDFS, &tgdfs, exact.value);
        if (app == ULTRASOUND && queues[q] == 10)
            note_summary(bench, &exact_row[q + 2], &tgdfs_row[q + 2]);
        weir_pipeline_free(pipeline);
    }
    return result;
}

enum weir_exit weir_bench_figure12(struct weir_bench *bench, struct weir_bench_table *table, struct weir_sketch *sketch)
{
    enum weir_exit result = WEIR_EXIT_OK;
    weir_table_add_column(table, false, "application");
    weir_table_add_column(table, false, "method");
    for (size_t q = 0; q < QUEUE_COUNT; q++)
        weir_table_add_column(table, queues[q] == 3 || (queues[q] > 10 && queues[q] % 10), "%u", queues[q]);
    for (size_t app = 0; app < WEIR_BENCH_APPLICATIONS && result == WEIR_EXIT_OK; app++)
        result = measure_queues(bench, app, table);
    for (size_t r = 2 * FIRST_DRAWN; r < table->row_count; r++) {
        weir_sketch_add_series(sketch, (unsigned)(r / 2 - FIRST_DRAWN), r % 2 == 1, "%s, %s", table->cells[r][0].text,
                               table->cells[r][1].text);
        for (size_t q = 0; q < QUEUE_COUNT; q++)
            weir_sketch_add_cell(sketch, queues[q], &table->cells[r][q + 2]);
    }
    weir_sketch_axes(sketch, "capacity of every queue", false, (struct weir_plot_axis){"runtime", true, WEIR_PLOT_SECONDS});
    weir_table_add_note(table, "Times in [0, worst]. The plot shows the four applications that the paper's does.");
    return result;
}
