/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gaussian elimination, Laplace and stencil on GPUs of three sizes: with the loads that the algorithms have, and with random ones.
 * Bounds are in times of the shortest launch.
 */
#include "bench/gpu.h"

#include <stdlib.h>

enum { GRAPH, SIZE, SMS, LOAD, FIRST };
enum { SHAPES = 3, SIZES = 2, DEVICES = 3, LOADS = 2, POINTS = SHAPES * SIZES * DEVICES * LOADS, DRAWS_MAX = 100 };
static const uint32_t sizes[SIZES] = {6, 10}, devices[DEVICES] = {8, 30, 132}, loads[LOADS] = {20, 4};

/* All loads of one size come first, so that a table can end there. */
static struct weir_generate_gpu_options point(size_t index)
{
    return (struct weir_generate_gpu_options){.shape =
                                                  (enum weir_gpu_shape)(WEIR_GPU_GAUSSIAN + index / (SIZES * DEVICES) % SHAPES),
                                              .size = sizes[index / DEVICES % SIZES],
                                              .sms = devices[index % DEVICES],
                                              .average = loads[index / (POINTS / LOADS)]};
}

static void fill_row(size_t index, const struct weir_gpu_means *means, struct weir_bench_cell *cells)
{
    struct weir_generate_gpu_options options = point(index);
    cells[GRAPH] = weir_cell_text(weir_gpu_shape_name(options.shape));
    cells[SIZE] = weir_cell_number(WEIR_CELL_COUNT, options.size);
    cells[SMS] = weir_cell_number(WEIR_CELL_COUNT, options.sms);
    cells[LOAD] = weir_cell_number(WEIR_CELL_COUNT, options.average);
    weir_gpu_fill_row(means, false, cells + FIRST);
}

static size_t add_columns(struct weir_bench_table *table)
{
    weir_table_add_column(table, false, "graph");
    weir_table_add_column(table, false, "size");
    weir_table_add_column(table, false, "SMs");
    weir_table_add_column(table, false, "load");
    return weir_gpu_add_columns(table);
}

/* Bars over the lower bound: the larger size, at the first load. */
static void draw(const struct weir_bench_table *table, struct weir_sketch *sketch, size_t first_bound)
{
    static const char *const groups[] = {"Gauss/8",     "Gauss/30",  "Gauss/132",  "Laplace/8",  "Laplace/30",
                                         "Laplace/132", "stencil/8", "stencil/30", "stencil/132"};
    enum { COUNT = sizeof groups / sizeof *groups };
    for (size_t c = 0; c + 1 < WEIR_GPU_COLUMNS; c++) {
        size_t group = 0;
        weir_sketch_add_series(sketch, (unsigned)c, false, "%s", weir_gpu_column_name(c));
        for (size_t i = 0; i < POINTS / LOADS; i++) {
            double lower = table->cells[i][first_bound + WEIR_GPU_COLUMNS - 1].number;
            struct weir_bench_cell cell = weir_cell_number(WEIR_CELL_RATIO, table->cells[i][first_bound + c].number / lower);
            if (point(i).size == sizes[SIZES - 1])
                weir_sketch_add_cell(sketch, (double)group++, &cell);
        }
    }
    sketch->plot.kind = WEIR_PLOT_BARS;
    sketch->plot.groups = groups;
    sketch->plot.group_count = COUNT;
    weir_sketch_axes(sketch, "graph of size 10 / SMs", false,
                     (struct weir_plot_axis){"bound / lower bound", false, WEIR_PLOT_NUMBERS});
}

/* ---- their own loads: a graph for each point, all points at once ---- */

static struct weir_generate_gpu_options graph(const void *context, uint64_t index)
{
    (void)context;
    return point(index);
}

enum weir_exit weir_bench_gpu_algorithms(struct weir_bench *bench, struct weir_bench_table *table, struct weir_sketch *sketch)
{
    struct weir_gpu_trial trials[POINTS];
    struct weir_gpu_work work = {.graph = graph, .count = POINTS, .all = POINTS};
    size_t first_bound = add_columns(table);
    weir_bench_show(bench, 0, POINTS, "algorithms");
    enum weir_exit result = weir_gpu_try_all(bench, &work, trials);
    for (size_t i = 0; i < POINTS && result == WEIR_EXIT_OK; i++) {
        struct weir_gpu_means means = weir_gpu_mean(&trials[i], 1);
        fill_row(i, &means, weir_table_add_row(table));
        bench->summary.graphs_simulated++;
        bench->summary.paper_exceeded += means.exceeded;
    }
    if (result != WEIR_EXIT_OK)
        return result;
    draw(table, sketch, first_bound);
    weir_table_add_note(table,
                        "Bounds in times of the shortest launch. Loads in proportion to operations, scaled to their average.");
    weir_gpu_add_notes(table);
    return result;
}

/* ---- random loads: many graphs for each point ---- */

enum weir_exit weir_bench_gpu_drawn(struct weir_bench *bench, struct weir_bench_table *table, struct weir_sketch *sketch)
{
    enum { COUNT = POINTS / LOADS };
    struct weir_gpu_trial trials[DRAWS_MAX];
    size_t draws = bench->graphs < DRAWS_MAX ? (size_t)bench->graphs : DRAWS_MAX;
    size_t first_bound = add_columns(table);
    enum weir_exit result = WEIR_EXIT_OK;
    for (size_t i = 0; i < COUNT && result == WEIR_EXIT_OK; i++) {
        struct weir_generate_gpu_options options = point(i);
        struct weir_gpu_work work = {weir_gpu_seeded, &options, draws, i * draws, COUNT * draws};
        options.seed = weir_gpu_seed(bench);
        options.random_loads = true;
        weir_bench_show(bench, i, COUNT, "drawn: %s of %u, %u SMs", weir_gpu_shape_name(options.shape), options.size, options.sms);
        result = weir_gpu_try_all(bench, &work, trials);
        if (result != WEIR_EXIT_OK)
            break;
        struct weir_gpu_means means = weir_gpu_mean(trials, draws);
        fill_row(i, &means, weir_table_add_row(table));
        bench->summary.graphs_simulated += draws;
        bench->summary.paper_exceeded += means.exceeded;
    }
    if (result != WEIR_EXIT_OK)
        return result;
    draw(table, sketch, first_bound);
    weir_table_add_note(table, "Bounds in times of the shortest launch; means over %zu draws of the loads.", draws);
    weir_gpu_add_notes(table);
    return result;
}
