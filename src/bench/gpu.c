/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The experiments on graphs of kernels: Figures 4, 5 and 6 of the paper, which compare bounds on random graphs against the number
 * of SMs, the kernels in a layer, and the layers. All bounds are divided by that of greedy-unaware, graph by graph. The paper does
 * not say with which probability there is an edge: both that fit what it reports are shown, unless one is given.
 */
#include "bench/gpu.h"

#include <stdlib.h>

enum { X, EDGES, FIRST };

struct figure {
    const char *name, *axis; /* of what varies */
    bool logarithmic;
    uint32_t values[8];
    size_t count;
    void (*set)(struct weir_generate_gpu_options *options, uint32_t value);
    struct weir_generate_gpu_options fixed;
    uint64_t graphs_most; /* 0: any number */
    void (*summarize)(struct weir_bench *bench, uint32_t value, const struct weir_gpu_means *means);
};

/* ---- one figure ---- */

static const uint32_t probabilities[] = {500, 200};
enum { PROBABILITIES = 2 };

static void draw(const struct figure *figure, const struct weir_bench_table *table, struct weir_sketch *sketch, size_t first_bound)
{
    size_t series = table->row_count / figure->count;
    for (size_t s = 0; s < series; s++)
        for (size_t c = 0; c < WEIR_GPU_COLUMNS; c++) {
            const char *name = weir_gpu_column_name(c);
            double edges = table->cells[s * figure->count][EDGES].number;
            weir_sketch_add_series(sketch, (unsigned)c, s > 0, series > 1 ? "%s, edges %g" : "%s", name, edges);
            for (size_t i = 0; i < figure->count; i++)
                weir_sketch_add_cell(sketch, figure->values[i], &table->cells[s * figure->count + i][first_bound + c]);
        }
    weir_sketch_axes(sketch, figure->axis, figure->logarithmic,
                     (struct weir_plot_axis){"bound / that of greedy-unaware", false, WEIR_PLOT_NUMBERS});
}

static enum weir_exit run_figure(struct weir_bench *bench, const struct figure *figure, struct weir_bench_table *table,
                                 struct weir_sketch *sketch)
{
    uint64_t graphs = figure->graphs_most && bench->graphs > figure->graphs_most ? figure->graphs_most : bench->graphs;
    size_t lines = bench->edge_permille ? 1 : PROBABILITIES;
    struct weir_gpu_trial *trials = calloc(graphs, sizeof *trials);
    enum weir_exit result = trials ? WEIR_EXIT_OK : WEIR_EXIT_INTERNAL;
    if (!trials)
        weir_complain("out of memory");
    weir_table_add_column(table, false, "%s", figure->name);
    weir_table_add_column(table, false, "edges");
    size_t first_bound = weir_gpu_add_columns(table);
    for (size_t row = 0; row < lines * figure->count && result == WEIR_EXIT_OK; row++) {
        uint32_t value = figure->values[row % figure->count];
        uint32_t edges = bench->edge_permille ? bench->edge_permille : probabilities[row / figure->count];
        struct weir_generate_gpu_options options = figure->fixed;
        struct weir_gpu_work work = {weir_gpu_seeded, &options, graphs, row * graphs, lines * figure->count * graphs};
        options.seed = weir_gpu_seed(bench);
        options.edge_permille = edges;
        figure->set(&options, value);
        weir_bench_show(bench, row, lines * figure->count, "%s: %s %u, edges %g", table->id, figure->name, value, edges / 1000.0);
        result = weir_gpu_try_all(bench, &work, trials);
        if (result != WEIR_EXIT_OK)
            break;
        struct weir_gpu_means means = weir_gpu_mean(trials, graphs);
        struct weir_bench_cell *cells = weir_table_add_row(table);
        cells[X] = weir_cell_number(WEIR_CELL_COUNT, value);
        cells[EDGES] = weir_cell_number(WEIR_CELL_TIME, edges / 1000.0);
        weir_gpu_fill_row(&means, true, cells + FIRST);
        bench->summary.graphs_simulated += graphs;
        bench->summary.paper_exceeded += means.exceeded;
        if (figure->summarize)
            figure->summarize(bench, value, &means);
    }
    free(trials);
    if (result != WEIR_EXIT_OK)
        return result;
    draw(figure, table, sketch, first_bound);
    weir_table_add_note(table, "Bounds divided by that of greedy-unaware; means over %llu random graphs per point, loads of 20.",
                        (unsigned long long)graphs);
    weir_gpu_add_notes(table);
    return result;
}

/* ---- the figures ---- */

static void set_sms(struct weir_generate_gpu_options *options, uint32_t value)
{
    options->sms = value;
}

static void set_parallelism(struct weir_generate_gpu_options *options, uint32_t value)
{
    options->parallelism = value;
}

static void set_layers(struct weir_generate_gpu_options *options, uint32_t value)
{
    options->layers_min = options->layers_max = value;
}

/* The furthest from the lower bound; the least that is gained over the paper at 64 and at 128 SMs. */
static void summarize4(struct weir_bench *bench, uint32_t sms, const struct weir_gpu_means *means)
{
    double gap = means->gaps[WEIR_GPU_BEST], below = means->best_below_paper;
    bench->summary.gpu_gap = gap > bench->summary.gpu_gap ? gap : bench->summary.gpu_gap;
    for (uint32_t i = 0; i < 2; i++)
        if (sms == 64u << i && (!bench->summary.figure4 || below < bench->summary.below_paper[i])) {
            bench->summary.below_paper[i] = below;
            bench->summary.figure4 = bench->summary.figure4 || i == 1; /* both have been seen */
        }
}

static enum weir_exit figure4(struct weir_bench *bench, struct weir_bench_table *table, struct weir_sketch *sketch)
{
    static const struct figure figure = {.name = "SMs",
                                         .axis = "SMs",
                                         .logarithmic = true,
                                         .values = {4, 8, 16, 32, 64, 128, 256},
                                         .count = 7,
                                         .set = set_sms,
                                         .fixed = {.parallelism = 8},
                                         .summarize = summarize4};
    weir_table_add_note(table, "5 to 8 layers of 2 to 8 kernels.");
    return run_figure(bench, &figure, table, sketch);
}

static enum weir_exit figure5(struct weir_bench *bench, struct weir_bench_table *table, struct weir_sketch *sketch)
{
    static const struct figure figure = {.name = "P",
                                         .axis = "most kernels in a layer",
                                         .values = {4, 5, 6, 7, 8, 9, 10},
                                         .count = 7,
                                         .set = set_parallelism,
                                         .fixed = {.sms = 32}};
    weir_table_add_note(table, "32 SMs; 5 to 8 layers of 2 to P kernels.");
    return run_figure(bench, &figure, table, sketch);
}

static enum weir_exit figure6(struct weir_bench *bench, struct weir_bench_table *table, struct weir_sketch *sketch)
{
    static const struct figure figure = {.name = "layers",
                                         .axis = "layers",
                                         .values = {4, 6, 8, 10, 12, 14, 16},
                                         .count = 7,
                                         .set = set_layers,
                                         .fixed = {.sms = 32, .parallelism = 8}};
    weir_table_add_note(table,
                        "32 SMs; layers of 2 to 8 kernels, which fits what the paper reports better than the 32 that it says.");
    return run_figure(bench, &figure, table, sketch);
}

static enum weir_exit figure6_wide(struct weir_bench *bench, struct weir_bench_table *table, struct weir_sketch *sketch)
{
    static const struct figure figure = {.name = "layers",
                                         .axis = "layers",
                                         .values = {4, 8, 12, 16},
                                         .count = 4,
                                         .set = set_layers,
                                         .fixed = {.sms = 32, .parallelism = 32},
                                         .graphs_most = 100};
    weir_table_add_note(table, "32 SMs; layers of 2 to 32 kernels, as the paper says.");
    return run_figure(bench, &figure, table, sketch);
}

/* ---- the kind ---- */

static const struct weir_experiment experiments[] = {
    {"figure4", "Figure 4: bounds against the number of SMs", figure4},
    {"figure5", "Figure 5: bounds against the kernels in a layer", figure5},
    {"figure6", "Figure 6: bounds against the number of layers", figure6},
    {"figure6-wide", "Figure 6 as printed: bounds against the number of layers", figure6_wide},
    {"algorithms", "Gaussian elimination, Laplace and stencil", weir_bench_gpu_algorithms},
    {"drawn", "Gaussian elimination, Laplace and stencil with random loads", weir_bench_gpu_drawn},
};

static void print_summary(const struct weir_bench *bench, FILE *out)
{
    char graphs[WEIR_COUNT_TEXT];
    if (bench->summary.figure4)
        fprintf(
            out,
            "Figure 4: best is at most %.2f%% above the lower bound on average, and %.1f%% and %.1f%% below the paper's bound at "
            "64 and 128 SMs.\n",
            bench->summary.gpu_gap, bench->summary.below_paper[0], bench->summary.below_paper[1]);
    if (bench->summary.graphs_simulated)
        fprintf(out, "%s graphs simulated: no bound of a safe method exceeded; that of the paper exceeded for %.1f%%.\n",
                weir_count_format((int64_t)bench->summary.graphs_simulated, graphs),
                100.0 * (double)bench->summary.paper_exceeded / (double)bench->summary.graphs_simulated);
}

static void write_summary_json(const struct weir_bench *bench, FILE *out)
{
    fputc('{', out);
    if (bench->summary.figure4)
        fprintf(out, "\"figure4\": {\"above_lower_percent\": %.4f, \"below_paper_percent\": {\"64\": %.4f, \"128\": %.4f}}, ",
                bench->summary.gpu_gap, bench->summary.below_paper[0], bench->summary.below_paper[1]);
    fprintf(out, "\"simulated\": {\"graphs\": %llu, \"exceeded_safe\": 0, \"exceeded_paper\": %llu}}",
            (unsigned long long)bench->summary.graphs_simulated, (unsigned long long)bench->summary.paper_exceeded);
}

const struct weir_bench_kind weir_bench_gpu = {WEIR_BENCH_KIND("gpu"), .drawn = "graph",  .graphs = 1000,
                                               .graphs_most = 10000,   .has_edges = true, .has_threads = true};
