/* SPDX-License-Identifier: Apache-2.0 */
/* Figure 1 of the execution-interval paper: three tasks in a row, the first and the last on one processor. */
#include "bench/priority.h"

static const struct order {
    const char *system, *name;
} orders[] = {{"jitter", "tk first"}, {"jitter-reversed", "ti first"}};
enum { ORDER_COUNT = 2, JITTER_STEP = 5, JITTER_COUNT = 11 };
enum { ORDER, JITTER, FIRST_METHOD, SEEN = FIRST_METHOD + WEIR_BENCH_METHODS };

static enum weir_exit measure(const struct weir_bench *bench, const struct weir_pipeline *pipeline, struct weir_bench_cell *row)
{
    enum weir_exit result = WEIR_EXIT_OK;
    for (size_t i = 0; i < WEIR_BENCH_METHODS && result == WEIR_EXIT_OK; i++) {
        struct weir_priority_analysis *analysis;
        result = weir_bench_analyze(pipeline, weir_bench_method(i), &analysis);
        if (result != WEIR_EXIT_OK)
            break;
        row[FIRST_METHOD + i] = weir_cell_bound(analysis, 0);
        if (weir_bench_method(i) == WEIR_PRIORITY_BEST && analysis->outcome == WEIR_PRIORITY_CONVERGED) {
            struct weir_bench_effort effort = {.runs = 100, .iterations = 60, .seed = bench->seed};
            struct weir_processors_observed *seen;
            result = weir_bench_search(analysis, &effort, &seen, NULL);
            if (result == WEIR_EXIT_OK)
                row[SEEN] = weir_cell_time(pipeline, seen->latency_max[0]);
            weir_free(seen);
        }
        weir_priority_analysis_free(analysis);
    }
    return result;
}

static void draw(const struct weir_bench_table *table, struct weir_sketch *sketch)
{
    for (size_t o = 0; o < ORDER_COUNT; o++)
        for (size_t c = FIRST_METHOD; c <= SEEN; c++) {
            if (c < SEEN && !weir_bench_drawn(weir_bench_method(c - FIRST_METHOD)))
                continue;
            unsigned look = c < SEEN ? weir_bench_look(weir_bench_method(c - FIRST_METHOD)) : WEIR_BENCH_LOOK_SEEN;
            weir_sketch_add_series(sketch, look, o == 1, "%s, %s", table->columns[c].name, orders[o].name);
            for (size_t j = 0; j < JITTER_COUNT; j++)
                weir_sketch_add_cell(sketch, (double)(j * JITTER_STEP), &table->cells[o * JITTER_COUNT + j][c]);
        }
    weir_sketch_axes(sketch, "jitter [ms]", false, (struct weir_plot_axis){"latency [ms]", false, WEIR_PLOT_NUMBERS});
}

enum weir_exit weir_bench_priority_figure1(struct weir_bench *bench, struct weir_bench_table *table, struct weir_sketch *sketch)
{
    enum weir_exit result = WEIR_EXIT_OK;
    weir_table_add_column(table, false, "priorities");
    weir_table_add_column(table, false, "jitter");
    for (size_t i = 0; i < WEIR_BENCH_METHODS; i++)
        weir_table_add_column(table, false, "%s", weir_priority_method_name(weir_bench_method(i)));
    weir_table_add_column(table, false, "seen");
    for (size_t o = 0; o < ORDER_COUNT; o++)
        for (size_t j = 0; j < JITTER_COUNT && result == WEIR_EXIT_OK; j++) {
            int64_t jitter = (int64_t)j * JITTER_STEP;
            struct weir_bench_cell *row = weir_table_add_row(table);
            struct weir_pipeline *pipeline = weir_bench_system(orders[o].system, 0, jitter);
            if (!pipeline)
                return WEIR_EXIT_INTERNAL;
            weir_bench_show(bench, o * JITTER_COUNT + j, ORDER_COUNT * JITTER_COUNT, "Figure 1: %s, jitter %lld", orders[o].name,
                            (long long)jitter);
            row[ORDER] = weir_cell_text(orders[o].name);
            row[JITTER] = weir_cell_number(WEIR_CELL_COUNT, (double)jitter);
            result = measure(bench, pipeline, row);
            weir_pipeline_free(pipeline);
        }
    draw(table, sketch);
    weir_table_add_note(table, "Latency from the nominal arrival, so that it includes the jitter. Period 10 ms.");
    weir_table_add_note(table, "seen: the latest of 100 simulations with the capacities of best.");
    return result;
}
