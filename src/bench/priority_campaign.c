/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random systems with feedback, of one graph and of two: how many of them each method has a bound for, against the load of the
 * processors, and how much smaller the latencies of `best` are than those of EI where EI has one.
 */
#include "bench/priority.h"

enum { LOAD_STEP = 100, LOAD_COUNT = 9, GRAPHS_MAX = 2, TASKS = 10 };
enum { GRAPHS, LOAD, SYSTEMS, FIRST_METHOD, BELOW = FIRST_METHOD + WEIR_BENCH_METHODS, COMPARED };

struct tally {
    uint64_t systems; /* those that were tried with every method */
    uint64_t accepted[WEIR_BENCH_METHODS];
    uint64_t compared; /* systems that EI accepts */
    double ratios;     /* sum over them: the latencies of `best` over those of EI */
};

/* Of the source behind the first operator of a chain. */
static int64_t period_of(const struct weir_pipeline *pipeline, const struct weir_chain_spec *chain)
{
    for (uint32_t i = 0; i < weir_pipeline_source_count(pipeline); i++)
        if (weir_pipeline_source(pipeline, i).op.index == chain->from.index)
            return weir_pipeline_source(pipeline, i).period;
    return 1;
}

/* All latencies together, in periods. Where the latencies of a system are at one another's expense, the best is the one in which
 * this is least, and never more than with EI. */
static double sum_of(const struct weir_priority_analysis *analysis)
{
    double sum = 0;
    for (size_t i = 0; i < analysis->latency_count; i++)
        sum += (double)analysis->latencies[i].worst / (double)period_of(analysis->pipeline, &analysis->latencies[i].chain);
    return sum;
}

static enum weir_exit add_system(const struct weir_pipeline *pipeline, struct tally *tally)
{
    struct weir_priority_analysis *analyses[WEIR_BENCH_METHODS] = {0}, *best = NULL, *ei = NULL;
    enum weir_exit result = WEIR_EXIT_OK;
    for (size_t m = 0; m < WEIR_BENCH_METHODS && result == WEIR_EXIT_OK; m++) {
        result = weir_bench_analyze(pipeline, weir_bench_method(m), &analyses[m]);
        if (result != WEIR_EXIT_OK || analyses[m]->outcome != WEIR_PRIORITY_CONVERGED)
            continue;
        best = weir_bench_method(m) == WEIR_PRIORITY_BEST ? analyses[m] : best;
        ei = weir_bench_method(m) == WEIR_PRIORITY_EI ? analyses[m] : ei;
    }
    tally->systems += result == WEIR_EXIT_OK;
    for (size_t m = 0; m < WEIR_BENCH_METHODS && result == WEIR_EXIT_OK; m++)
        tally->accepted[m] += analyses[m]->outcome == WEIR_PRIORITY_CONVERGED;
    if (result == WEIR_EXIT_OK && ei) {
        tally->compared++;
        if (best)
            tally->ratios += sum_of(best) / sum_of(ei);
        if (!best || sum_of(best) > sum_of(ei) * (1 + 1e-6)) {
            weir_complain("%s: best is worse than EI: a bug in weir", weir_pipeline_name(pipeline));
            result = WEIR_EXIT_INTERNAL;
        }
    }
    for (size_t m = 0; m < WEIR_BENCH_METHODS; m++)
        weir_priority_analysis_free(analyses[m]);
    return result;
}

/* One row. */
static enum weir_exit measure_point(const struct weir_bench *bench, uint32_t graphs, uint32_t load, struct weir_bench_cell *row,
                                    struct tally *tally)
{
    struct weir_generate_priority_options options = {.graphs = graphs,
                                                     .tasks = TASKS / graphs,
                                                     .processors = 3,
                                                     .load_permille = load,
                                                     .best_permille = 500,
                                                     .jitter_permille = 1500,
                                                     .cyclic = true};
    enum weir_exit result = WEIR_EXIT_OK;
    *tally = (struct tally){0};
    for (uint64_t i = 0; i < bench->systems && result == WEIR_EXIT_OK; i++) {
        struct weir_pipeline *pipeline = weir_bench_random_system(bench, options, i);
        result = pipeline ? add_system(pipeline, tally) : WEIR_EXIT_INTERNAL;
        weir_pipeline_free(pipeline);
    }
    row[GRAPHS] = weir_cell_number(WEIR_CELL_COUNT, graphs);
    row[LOAD] = weir_cell_number(WEIR_CELL_TIME, load / 1000.0);
    row[SYSTEMS] = weir_cell_number(WEIR_CELL_COUNT, (double)tally->systems);
    for (size_t m = 0; m < WEIR_BENCH_METHODS && tally->systems; m++)
        row[FIRST_METHOD + m] = weir_cell_number(WEIR_CELL_PERCENT, 100.0 * (double)tally->accepted[m] / (double)tally->systems);
    row[COMPARED] = weir_cell_number(WEIR_CELL_COUNT, (double)tally->compared);
    if (tally->compared)
        row[BELOW] = weir_cell_number(WEIR_CELL_PERCENT, 100 - 100 * tally->ratios / (double)tally->compared);
    return result;
}

static enum weir_exit measure_graphs(struct weir_bench *bench, uint32_t graphs, struct weir_bench_table *table)
{
    enum weir_exit result = WEIR_EXIT_OK;
    struct tally all = {0}, tally;
    for (uint32_t i = 0; i < LOAD_COUNT && result == WEIR_EXIT_OK; i++) {
        uint32_t load = (i + 1) * LOAD_STEP;
        weir_bench_show(bench, (graphs - 1) * LOAD_COUNT + i, GRAPHS_MAX * LOAD_COUNT, "Random systems: %u graph%s, load %.1f",
                        graphs, graphs == 1 ? "" : "s", load / 1000.0);
        result = measure_point(bench, graphs, load, weir_table_add_row(table), &tally);
        all.compared += tally.compared;
        all.ratios += tally.ratios;
    }
    bench->summary.compared[graphs - 1] = all.compared;
    bench->summary.below[graphs - 1] = all.compared ? 100 - 100 * all.ratios / (double)all.compared : 0;
    return result;
}

enum weir_exit weir_bench_priority_campaign(struct weir_bench *bench, struct weir_bench_table *table, struct weir_sketch *sketch)
{
    enum weir_exit result = WEIR_EXIT_OK;
    weir_table_add_column(table, false, "graphs");
    weir_table_add_column(table, false, "load");
    weir_table_add_column(table, true, "systems");
    for (size_t m = 0; m < WEIR_BENCH_METHODS; m++)
        weir_table_add_column(table, false, "%s", weir_priority_method_name(weir_bench_method(m)));
    weir_table_add_column(table, false, "best below EI");
    weir_table_add_column(table, true, "EI accepts");
    for (uint32_t graphs = 1; graphs <= GRAPHS_MAX && result == WEIR_EXIT_OK; graphs++)
        result = measure_graphs(bench, graphs, table);
    for (size_t g = 0; g < GRAPHS_MAX; g++)
        for (size_t m = 0; m < WEIR_BENCH_METHODS; m++) {
            enum weir_priority_method method = weir_bench_method(m);
            if (!weir_bench_drawn(method) && method != WEIR_PRIORITY_CIX)
                continue;
            weir_sketch_add_series(sketch, weir_bench_look(method), g == 1, "%s, %s", weir_priority_method_name(method),
                                   g ? "two graphs" : "one graph");
            for (size_t i = 0; i < LOAD_COUNT; i++)
                weir_sketch_add_cell(sketch, (double)((i + 1) * LOAD_STEP) / 1000,
                                     &table->cells[g * LOAD_COUNT + i][FIRST_METHOD + m]);
        }
    weir_sketch_axes(sketch, "load of a processor", false, (struct weir_plot_axis){"accepted [%]", false, WEIR_PLOT_NUMBERS});
    weir_table_add_note(table, "%llu random systems per point: %d tasks with feedback on 3 processors, jitter up to 1.5 periods.",
                        (unsigned long long)bench->systems, TASKS);
    weir_table_add_note(
        table, "Accepted: the method has a bound. PJ and PJ+iBS also accept what they should not: their bounds can be exceeded.");
    weir_table_add_note(table, "best below EI: the sum of the latencies in periods; mean over the systems that EI accepts.");
    return result;
}
