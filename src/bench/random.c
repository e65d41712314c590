/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Figures 9 and 10 of RTSS 2025: random graphs of growing size. A cell is the median over several graphs, those of `weir generate
 * holoscan --seed S` for S from 1000 * seed on; quartiles go into the files. A graph at which a method gives up counts as larger
 * than all others, so that the median is known as long as most graphs are done.
 */
#include "bench/bench.h"

#include <math.h>

static const uint32_t sizes[] = {5, 10, 15, 20, 25, 30, 35, 40, 50, 60, 80, 100, 300, 1000, 3000, 10000};
enum { SIZE_COUNT = sizeof sizes / sizeof *sizes, GRAPHS_MAX = 1000 };

/* Whether the median is beyond a limit for certain, after so many graphs out of `count` were. */
static bool hopeless(size_t over, size_t count)
{
    return count - over <= (count - 1) / 2;
}

/* Large graphs differ less, and take long to make. */
static size_t graphs_at(const struct weir_bench *bench, uint32_t nodes)
{
    size_t graphs = (size_t)bench->graphs, most = nodes >= 10000 ? 1 : nodes >= 1000 ? 3 : GRAPHS_MAX;
    return graphs < most ? graphs : most;
}

struct point {
    uint32_t nodes, queue;
    enum weir_method method;
    bool count;       /* expressions, not seconds */
    size_t done, all; /* series of the figure */
};

static enum weir_exit measure_graph(const struct weir_bench *bench, const struct point *point, size_t index,
                                    struct weir_measurement *m)
{
    /* What counts expressions must not depend on the machine's speed: only memory limits it. */
    struct weir_bench_limits limits = {.any_time = point->count, .bytes = point->count ? UINT64_C(256) << 20 : 0};
    struct weir_measurement exact = {0};
    struct weir_pipeline *pipeline = weir_bench_graph(bench, point->nodes, point->queue, index);
    if (!pipeline)
        return WEIR_EXIT_INTERNAL;
    enum weir_exit result = weir_measure_exact(bench, pipeline, 0, &exact);
    if (result == WEIR_EXIT_OK && point->method != WEIR_METHOD_EXACT)
        result = weir_measure_method(bench, pipeline, point->method, &limits, m);
    else
        *m = exact;
    if (result == WEIR_EXIT_OK)
        result = weir_bench_compare(pipeline, point->method, m, exact.value);
    weir_pipeline_free(pipeline);
    return result;
}

static enum weir_exit measure_point(const struct weir_bench *bench, const struct point *point, struct weir_bench_cell spread[3])
{
    double values[GRAPHS_MAX];
    struct weir_bench_cell over = {0};
    size_t count = graphs_at(bench, point->nodes), overs = 0;
    for (size_t i = 0; i < count; i++) {
        struct weir_measurement m;
        enum weir_exit result = hopeless(overs, count) ? WEIR_EXIT_OK : measure_graph(bench, point, i, &m);
        if (result != WEIR_EXIT_OK)
            return result;
        if (hopeless(overs, count) || !m.good) {
            values[i] = INFINITY;
            if (!hopeless(overs, count))
                over = m.time;
            if (point->count)
                over.number = NAN; /* it is not known how many there are */
            overs++;
        } else {
            values[i] = point->count ? (double)m.count : m.time.number;
        }
    }
    weir_cells_spread(values, count, point->count ? WEIR_CELL_COUNT : WEIR_CELL_SECONDS, &over, spread);
    return WEIR_EXIT_OK;
}

/* One series: all sizes, until the method gives up. `column` is where its quartiles and median go. */
static enum weir_exit measure_series(struct weir_bench *bench, struct point point, struct weir_bench_table *table, size_t column)
{
    enum weir_exit result = WEIR_EXIT_OK;
    bool gave_up = false;
    for (size_t i = 0; i < table->row_count && result == WEIR_EXIT_OK && !gave_up; i++) {
        struct weir_bench_cell *spread = &table->cells[i][column];
        point.nodes = sizes[i];
        weir_bench_show(bench, point.done * table->row_count + i, point.all * table->row_count,
                        "Figure %s: %s, %u operators, queues of %u", point.count ? "9" : "10", weir_method_name(point.method),
                        point.nodes, point.queue);
        result = measure_point(bench, &point, spread);
        if (result != WEIR_EXIT_OK)
            return result;
        gave_up = spread[1].kind == WEIR_CELL_OVER;
        if (point.count)
            continue;
        if (point.method == WEIR_METHOD_EXACT && !gave_up) {
            bench->summary.largest[point.queue] = point.nodes;
            bench->summary.largest_seconds[point.queue] = spread[1].number;
        }
        if (point.method == WEIR_METHOD_TGDFS && gave_up)
            bench->summary.gives_up[point.queue] = point.nodes;
    }
    return result;
}

static size_t add_spread_columns(struct weir_bench_table *table, enum weir_method method, uint32_t queue)
{
    const char *name = weir_method_name(method);
    size_t column = weir_table_add_column(table, true, "%s queue %u quartile 1", name, queue);
    weir_table_add_column(table, false, "%s queue %u", name, queue);
    weir_table_add_column(table, true, "%s queue %u quartile 3", name, queue);
    return column;
}

static void add_sizes(const struct weir_bench *bench, struct weir_bench_table *table, size_t count)
{
    weir_table_add_column(table, false, "operators");
    weir_table_add_column(table, true, "graphs");
    for (size_t i = 0; i < count; i++) {
        struct weir_bench_cell *row = weir_table_add_row(table);
        row[0] = weir_cell_number(WEIR_CELL_COUNT, sizes[i]);
        row[1] = weir_cell_number(WEIR_CELL_COUNT, (double)graphs_at(bench, sizes[i]));
    }
}

static enum weir_exit add_series(struct weir_bench *bench, struct point point, struct weir_bench_table *table,
                                 struct weir_sketch *sketch)
{
    size_t column = add_spread_columns(table, point.method, point.queue);
    enum weir_exit result = measure_series(bench, point, table, column);
    weir_sketch_add_series(sketch, point.queue - 1, point.method == WEIR_METHOD_TGDFS && !point.count, "%s, queues of %u",
                           weir_method_name(point.method), point.queue);
    for (size_t i = 0; i < table->row_count; i++)
        weir_sketch_add_spread(sketch, sizes[i], &table->cells[i][column]);
    return result;
}

enum weir_exit weir_bench_figure9(struct weir_bench *bench, struct weir_bench_table *table, struct weir_sketch *sketch)
{
    enum { FIRST_TOO_LARGE = 11 }; /* 100 operators: hopeless for certain */
    enum weir_exit result = WEIR_EXIT_OK;
    add_sizes(bench, table, FIRST_TOO_LARGE);
    for (uint32_t queue = 1; queue <= WEIR_BENCH_QUEUES && result == WEIR_EXIT_OK; queue++)
        result = add_series(
            bench,
            (struct point){.queue = queue, .method = WEIR_METHOD_TGDFS, .count = true, .done = queue - 1, .all = WEIR_BENCH_QUEUES},
            table, sketch);
    weir_sketch_axes(sketch, "operators", false, (struct weir_plot_axis){"expressions", true, WEIR_PLOT_NUMBERS});
    weir_table_add_note(table, "Median and quartiles of %llu random graphs; tgdfs may use 256 MiB for expressions.",
                        (unsigned long long)bench->graphs);
    return result;
}

enum weir_exit weir_bench_figure10(struct weir_bench *bench, struct weir_bench_table *table, struct weir_sketch *sketch)
{
    static const enum weir_method methods[] = {WEIR_METHOD_EXACT, WEIR_METHOD_TGDFS};
    enum weir_exit result = WEIR_EXIT_OK;
    add_sizes(bench, table, SIZE_COUNT);
    for (size_t i = 0; i < 2; i++)
        for (uint32_t queue = 1; queue <= WEIR_BENCH_QUEUES && result == WEIR_EXIT_OK; queue++)
            result = add_series(
                bench,
                (struct point){
                    .queue = queue, .method = methods[i], .done = i * WEIR_BENCH_QUEUES + queue - 1, .all = 2 * WEIR_BENCH_QUEUES},
                table, sketch);
    weir_sketch_axes(sketch, "operators", true, (struct weir_plot_axis){"runtime", true, WEIR_PLOT_SECONDS});
    weir_table_add_note(table, "Median and quartiles of %llu random graphs; of 3 at most from 1,000 operators on, of 1 at 10,000.",
                        (unsigned long long)bench->graphs);
    return result;
}
