/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bounds against simulations of random systems. Every method is held against simulations with its own capacities, since its bounds
 * are about those. How tight the methods are is compared on the systems that all of them accept, for those that only the better
 * ones accept are harder.
 */
#include "bench/priority.h"

static const struct family {
    const char *name;
    uint32_t graphs, tasks;
    bool mixed, sporadic;
} families[] = {{"one graph", 1, 6, false, false}, {"two graphs", 2, 4, false, false}, {"all kinds", 2, 4, true, true}};
enum { FAMILY_COUNT = sizeof families / sizeof *families, LOAD_MIN = 300, LOAD_STEP = 100, LOAD_COUNT = 5, SIMULATIONS = 200 };
enum { METHOD, SAFE, FIRST_FAMILY };
enum { RATIO, OWN_RATIO, ACCEPTED, EXCEEDED, FAMILY_COLUMNS };

struct tally {
    double common, own; /* sums over systems of the mean bound over the latest seen */
    uint64_t accepted, exceeded;
};

struct trial {
    const struct weir_bench *bench;
    struct tally tallies[WEIR_BENCH_METHODS];
    uint64_t systems; /* those that were tried with every method; of them ... */
    uint64_t all_accept;
    uint64_t exceeded;
};

/* Over the latencies that have a bound; 0 where none has. */
static double ratio_of(const struct weir_priority_analysis *analysis, const struct weir_processors_observed *seen)
{
    double sum = 0, bounded = 0;
    for (size_t i = 0; i < analysis->latency_count; i++) {
        if (!analysis->latencies[i].bounded)
            continue;
        sum += (double)analysis->latencies[i].worst / (double)seen->latency_max[i];
        bounded++;
    }
    return bounded > 0 ? sum / bounded : 0;
}

/* Simulates with the capacities of method m, unless a method before it has the same. */
static enum weir_exit look(struct weir_priority_analysis *const *analyses, size_t m, struct weir_processors_observed **seen,
                           const struct weir_bench_effort *effort, bool *exceeded)
{
    for (size_t k = 0; k < m; k++)
        if (seen[k] && weir_bench_same_buffers(analyses[k], analyses[m]))
            return weir_bench_compare_seen(analyses[m], seen[k], exceeded);
    return weir_bench_search(analyses[m], effort, &seen[m], exceeded);
}

/* Where the simulations of method m are. */
static const struct weir_processors_observed *seen_of(struct weir_priority_analysis *const *analyses, size_t m,
                                                      struct weir_processors_observed *const *seen)
{
    size_t k = 0;
    while (!seen[k] || !weir_bench_same_buffers(analyses[k], analyses[m]))
        k++;
    return seen[k];
}

static void count(struct trial *trial, struct weir_priority_analysis *const *analyses, struct weir_processors_observed *const *seen)
{
    bool all = true;
    for (size_t m = 0; m < WEIR_BENCH_METHODS; m++)
        all = all && analyses[m]->outcome == WEIR_PRIORITY_CONVERGED;
    trial->all_accept += all;
    for (size_t m = 0; m < WEIR_BENCH_METHODS; m++) {
        if (analyses[m]->outcome != WEIR_PRIORITY_CONVERGED)
            continue;
        double ratio = ratio_of(analyses[m], seen_of(analyses, m, seen));
        trial->tallies[m].accepted++;
        trial->tallies[m].own += ratio;
        trial->tallies[m].common += all ? ratio : 0;
    }
}

static enum weir_exit try_system(struct trial *trial, const struct weir_pipeline *pipeline, uint64_t seed)
{
    struct weir_priority_analysis *analyses[WEIR_BENCH_METHODS] = {0};
    struct weir_processors_observed *seen[WEIR_BENCH_METHODS] = {0};
    struct weir_bench_effort effort = {.runs = SIMULATIONS, .iterations = 40, .seed = seed};
    enum weir_exit result = WEIR_EXIT_OK;
    bool exceeded[WEIR_BENCH_METHODS] = {0}, any = false;
    for (size_t m = 0; m < WEIR_BENCH_METHODS && result == WEIR_EXIT_OK; m++) {
        result = weir_bench_analyze(pipeline, weir_bench_method(m), &analyses[m]);
        if (result == WEIR_EXIT_OK && analyses[m]->outcome == WEIR_PRIORITY_CONVERGED)
            result = look(analyses, m, seen, &effort, &exceeded[m]);
    }
    if (result == WEIR_EXIT_OK)
        count(trial, analyses, seen);
    for (size_t m = 0; m < WEIR_BENCH_METHODS && result == WEIR_EXIT_OK; m++) {
        trial->tallies[m].exceeded += exceeded[m];
        any = any || exceeded[m];
    }
    trial->exceeded += any;
    trial->systems += result == WEIR_EXIT_OK;
    for (size_t m = 0; m < WEIR_BENCH_METHODS; m++) {
        weir_priority_analysis_free(analyses[m]);
        weir_free(seen[m]);
    }
    return result;
}

static void fill(const struct trial *trial, size_t family, struct weir_bench_table *table)
{
    for (size_t m = 0; m < WEIR_BENCH_METHODS; m++) {
        const struct tally *tally = &trial->tallies[m];
        struct weir_bench_cell *cells = &table->cells[m][FIRST_FAMILY + family * FAMILY_COLUMNS];
        if (!trial->systems)
            continue;
        if (trial->all_accept)
            cells[RATIO] = weir_cell_number(WEIR_CELL_RATIO, tally->common / (double)trial->all_accept);
        if (tally->accepted)
            cells[OWN_RATIO] = weir_cell_number(WEIR_CELL_RATIO, tally->own / (double)tally->accepted);
        cells[ACCEPTED] = weir_cell_number(WEIR_CELL_PERCENT, 100 * (double)tally->accepted / (double)trial->systems);
        cells[EXCEEDED] = weir_cell_number(WEIR_CELL_COUNT, (double)tally->exceeded);
    }
}

static enum weir_exit try_family(struct weir_bench *bench, size_t index, struct weir_bench_table *table, struct trial *trial)
{
    const struct family *family = &families[index];
    enum weir_exit result = WEIR_EXIT_OK;
    *trial = (struct trial){.bench = bench};
    for (uint64_t i = 0; i < bench->systems && result == WEIR_EXIT_OK; i++) {
        bool sporadic = family->sporadic && i % 3 == 2;
        struct weir_generate_priority_options options = {.graphs = family->graphs,
                                                         .tasks = family->tasks,
                                                         .processors = 2,
                                                         .load_permille = (uint32_t)(LOAD_MIN + i % LOAD_COUNT * LOAD_STEP),
                                                         .best_permille = 500,
                                                         .jitter_permille = 1500,
                                                         .cyclic = i % 2 == 1 && !sporadic,
                                                         .sporadic = sporadic,
                                                         .mixed = family->mixed};
        weir_bench_show(bench, index * (size_t)bench->systems + (size_t)i, FAMILY_COUNT * (size_t)bench->systems,
                        "Random systems against simulations: %s", family->name);
        struct weir_pipeline *pipeline = weir_bench_random_system(bench, options, i);
        result = pipeline ? try_system(trial, pipeline, bench->seed * 10000 + i) : WEIR_EXIT_INTERNAL;
        weir_pipeline_free(pipeline);
    }
    fill(trial, index, table);
    return result;
}

static void draw(const struct weir_bench_table *table, struct weir_sketch *sketch)
{
    static const char *groups[FAMILY_COUNT];
    for (size_t m = 0; m < WEIR_BENCH_METHODS; m++) {
        weir_sketch_add_series(sketch, weir_bench_look(weir_bench_method(m)), false, "%s", table->cells[m][METHOD].text);
        for (size_t f = 0; f < FAMILY_COUNT; f++) {
            groups[f] = families[f].name;
            weir_sketch_add_cell(sketch, (double)f, &table->cells[m][FIRST_FAMILY + f * FAMILY_COLUMNS + RATIO]);
        }
    }
    weir_sketch_bars(sketch, groups, FAMILY_COUNT, (struct weir_plot_axis){"mean bound / latest seen", false, WEIR_PLOT_NUMBERS});
}

enum weir_exit weir_bench_priority_tightness(struct weir_bench *bench, struct weir_bench_table *table, struct weir_sketch *sketch)
{
    enum weir_exit result = WEIR_EXIT_OK;
    weir_table_add_column(table, false, "method");
    weir_table_add_column(table, false, "safe");
    for (size_t f = 0; f < FAMILY_COUNT; f++) {
        weir_table_add_column(table, false, "%s", families[f].name);
        weir_table_add_column(table, true, "%s own", families[f].name);
        weir_table_add_column(table, true, "%s accepted", families[f].name);
        weir_table_add_column(table, false, "%s exceeded", families[f].name);
    }
    for (size_t m = 0; m < WEIR_BENCH_METHODS; m++) {
        enum weir_priority_method method = weir_bench_method(m);
        struct weir_bench_cell *row = weir_table_add_row(table);
        row[METHOD] = weir_cell_text(weir_priority_method_name(method));
        row[SAFE] = weir_cell_number(WEIR_CELL_BOOL, weir_priority_method_safe(method));
    }
    weir_table_add_note(table,
                        "Mean bound / latest seen in %d simulations, over the systems that all methods accept; load 0.3 to 0.7.",
                        SIMULATIONS);
    weir_table_add_note(table, "exceeded: systems in which a simulation was later than a bound of the method.");
    weir_table_add_note(table, "all kinds: two graphs, processors of all kinds, and every third system with sporadic sources.");
    for (size_t f = 0; f < FAMILY_COUNT && result == WEIR_EXIT_OK; f++) {
        struct trial trial;
        result = try_family(bench, f, table, &trial);
        bench->summary.simulated += trial.systems;
        bench->summary.exceeded += trial.exceeded;
        weir_table_add_note(table, "%s: %llu of %llu systems accepted by all methods.", families[f].name,
                            (unsigned long long)trial.all_accept, (unsigned long long)trial.systems);
    }
    draw(table, sketch);
    return result;
}
