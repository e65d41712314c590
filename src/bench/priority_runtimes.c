/* SPDX-License-Identifier: Apache-2.0 */
/* How long the methods take: from the sealed pipeline to the answer, whatever it is; the median over random systems. */
#include "bench/priority.h"

static const uint32_t sizes[] = {5, 10, 20, 50, 100, 200};
enum { SIZE_COUNT = sizeof sizes / sizeof *sizes, SYSTEMS_MAX = 20, LARGE = 100, LARGE_SYSTEMS_MAX = 3 };

static size_t systems_at(const struct weir_bench *bench, uint32_t tasks)
{
    size_t most = tasks >= LARGE ? LARGE_SYSTEMS_MAX : SYSTEMS_MAX;
    return bench->systems < most ? (size_t)bench->systems : most;
}

struct analysis_work {
    const struct weir_pipeline *pipeline;
    enum weir_priority_method method;
    enum weir_exit result;
};

static bool run_analysis(void *context)
{
    struct analysis_work *work = context;
    struct weir_priority_analysis *analysis;
    work->result = weir_bench_analyze(work->pipeline, work->method, &analysis);
    weir_priority_analysis_free(analysis);
    return work->result == WEIR_EXIT_OK;
}

/* Lower quartile, median and upper quartile, into three cells. */
static enum weir_exit measure_point(const struct weir_bench *bench, uint32_t tasks, enum weir_priority_method method,
                                    struct weir_bench_cell *cells)
{
    double seconds[SYSTEMS_MAX];
    size_t count = systems_at(bench, tasks);
    struct weir_generate_priority_options options = {.graphs = 1,
                                                     .tasks = tasks,
                                                     .processors = (tasks + 4) / 5,
                                                     .load_permille = 500,
                                                     .best_permille = 500,
                                                     .jitter_permille = 1000,
                                                     .cyclic = true};
    for (size_t i = 0; i < count; i++) {
        struct analysis_work work = {.pipeline = weir_bench_random_system(bench, options, i), .method = method};
        if (!work.pipeline)
            return WEIR_EXIT_INTERNAL;
        seconds[i] = weir_bench_time(run_analysis, &work);
        weir_pipeline_free((struct weir_pipeline *)work.pipeline);
        if (work.result != WEIR_EXIT_OK)
            return work.result;
    }
    weir_cells_spread(seconds, count, WEIR_CELL_SECONDS, NULL, cells);
    return WEIR_EXIT_OK;
}

enum weir_exit weir_bench_priority_runtimes(struct weir_bench *bench, struct weir_bench_table *table, struct weir_sketch *sketch)
{
    enum { FIRST = 2 };
    enum weir_exit result = WEIR_EXIT_OK;
    weir_table_add_column(table, false, "tasks");
    weir_table_add_column(table, true, "systems");
    for (size_t m = 0; m < WEIR_BENCH_METHODS; m++) {
        const char *name = weir_priority_method_name(weir_bench_method(m));
        weir_table_add_column(table, true, "%s quartile 1", name);
        weir_table_add_column(table, false, "%s", name);
        weir_table_add_column(table, true, "%s quartile 3", name);
    }
    for (size_t s = 0; s < SIZE_COUNT; s++) {
        struct weir_bench_cell *row = weir_table_add_row(table);
        row[0] = weir_cell_number(WEIR_CELL_COUNT, sizes[s]);
        row[1] = weir_cell_number(WEIR_CELL_COUNT, (double)systems_at(bench, sizes[s]));
        for (size_t m = 0; m < WEIR_BENCH_METHODS && result == WEIR_EXIT_OK; m++) {
            weir_bench_show(bench, s * WEIR_BENCH_METHODS + m, SIZE_COUNT * WEIR_BENCH_METHODS, "Runtimes: %s, %u tasks",
                            weir_priority_method_name(weir_bench_method(m)), sizes[s]);
            result = measure_point(bench, sizes[s], weir_bench_method(m), &row[FIRST + 3 * m]);
        }
    }
    for (size_t m = 0; m < WEIR_BENCH_METHODS; m++) {
        enum weir_priority_method method = weir_bench_method(m);
        weir_sketch_add_series(sketch, weir_bench_look(method), false, "%s", weir_priority_method_name(method));
        for (size_t s = 0; s < SIZE_COUNT; s++)
            weir_sketch_add_spread(sketch, sizes[s], &table->cells[s][FIRST + 3 * m]);
    }
    weir_sketch_axes(sketch, "tasks", true, (struct weir_plot_axis){"runtime", true, WEIR_PLOT_SECONDS});
    weir_table_add_note(table,
                        "Median and quartiles of random systems of one graph with feedback, five tasks on a processor, load 0.5.");
    weir_table_add_note(table, "%d systems at most, from %d tasks on %d. Whatever the answer is, its time counts.", SYSTEMS_MAX,
                        LARGE, LARGE_SYSTEMS_MAX);
    return result;
}
