/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The experiments of the batching paper: utilisation and latency against the size of batches, on random flowgraphs (Figures 6 and
 * 7) and on a narrowband FM receiver (Figure 8). A batch of N is N executions of the source; a batch that goes by rates is the
 * smallest of its kind with at least as many.
 */
#include "base/interrupt.h"
#include "bench/bench.h"

enum { KINDS = 2, LIGHT_NODES = 8, HEAVY_NODES = 20, LIGHT_CORES = 4, HEAVY_CORES = 16, NBFM_CORES = 2 };
static const enum weir_batching batchings[KINDS] = {WEIR_BATCH_UNIFORM, WEIR_BATCH_RATE};

/* By kind of batching, three columns each. */
enum { BATCH, FIRST, UTILIZATION = 0, LATENCY, SCHEDULABLE, PER_KIND };

struct outcome {
    bool schedulable;
    double utilization, latency_us;
};

/* Of the model in batches of `factor`, and its largest latency. */
static enum weir_exit evaluate(const struct weir_pipeline *pipeline, enum weir_batching batching, int64_t factor,
                               struct outcome *outcome)
{
    struct weir_error error = {0};
    struct weir_pipeline *batched = NULL;
    struct weir_edf_analysis *analysis = NULL;
    enum weir_status status = weir_pipeline_batch(pipeline, batching, factor, &batched, &error);
    if (!status)
        status = weir_edf_analyze(batched, &(struct weir_edf_options){.tardiness = true}, &analysis, &error); /* as published */
    *outcome = (struct outcome){0};
    if (!status) {
        outcome->schedulable = analysis->schedulable;
        outcome->utilization = weir_bench_number(analysis->utilization);
        for (size_t i = 0; i < analysis->latency_count && analysis->schedulable; i++) {
            double latency = weir_bench_number(analysis->latencies[i].worst) / weir_bench_unit(pipeline);
            outcome->latency_us = latency > outcome->latency_us ? latency : outcome->latency_us;
        }
    }
    weir_edf_analysis_free(analysis);
    weir_pipeline_free(batched);
    return status ? weir_complain_error(weir_pipeline_name(pipeline), &error) : WEIR_EXIT_OK;
}

/* Executions of the source in one round: what a batch that goes by rates is a multiple of. */
static enum weir_exit source_repetitions(const struct weir_pipeline *pipeline, int64_t *repetitions)
{
    struct weir_error error = {0};
    struct weir_edf_analysis *analysis = NULL;
    if (weir_edf_analyze(pipeline, NULL, &analysis, &error) != WEIR_OK)
        return weir_complain_error(weir_pipeline_name(pipeline), &error);
    *repetitions = analysis->operators[0].repetitions;
    weir_edf_analysis_free(analysis);
    return WEIR_EXIT_OK;
}

static enum weir_exit evaluate_batch(const struct weir_pipeline *pipeline, size_t kind, int64_t batch, struct outcome *outcome)
{
    int64_t factor = batch, round = 1;
    enum weir_exit result = WEIR_EXIT_OK;
    if (batchings[kind] == WEIR_BATCH_RATE) {
        result = source_repetitions(pipeline, &round);
        factor = (batch + round - 1) / round;
    }
    return result == WEIR_EXIT_OK ? evaluate(pipeline, batchings[kind], factor, outcome) : result;
}

/* Bounds are rounded up, to what a person can read. */
static struct weir_bench_cell latency_cell(double latency_us)
{
    double hundredths = latency_us * 100 - 1e-6;
    int64_t whole = (int64_t)hundredths;
    return weir_cell_number(WEIR_CELL_TIME, (double)(whole + (hundredths > (double)whole)) / 100);
}

static void add_columns(struct weir_bench_table *table)
{
    weir_table_add_column(table, false, "batch");
    for (size_t k = 0; k < KINDS; k++) {
        const char *name = weir_batching_name(batchings[k]);
        weir_table_add_column(table, false, "%s utilization", name);
        weir_table_add_column(table, false, "%s latency [us]", name);
        weir_table_add_column(table, false, "%s schedulable", name);
    }
}

static void draw(const struct weir_bench_table *table, struct weir_sketch *sketch)
{
    for (size_t k = 0; k < KINDS; k++)
        for (int what = UTILIZATION; what <= LATENCY; what++) {
            weir_sketch_add_series(sketch, (unsigned)k * 2 + (unsigned)what, what == LATENCY, "%s",
                                   table->columns[FIRST + k * PER_KIND + (size_t)what].name);
            for (size_t i = 0; i < table->row_count; i++)
                weir_sketch_add_cell(sketch, table->cells[i][BATCH].number, &table->cells[i][FIRST + k * PER_KIND + (size_t)what]);
        }
    weir_sketch_axes(sketch, "batch [executions of the source]", true,
                     (struct weir_plot_axis){"utilization [cores]; latency [us]", true, WEIR_PLOT_NUMBERS});
}

/* ---- random graphs ---- */

struct mean {
    double utilization, latency;
    uint64_t graphs, schedulable;
};

static enum weir_exit sum_graphs(const struct weir_bench *bench, bool heavy, int64_t batch, struct mean means[KINDS])
{
    for (uint64_t g = 0; g < bench->systems; g++) {
        if (weir_interrupted())
            return WEIR_EXIT_BRACKET;
        struct weir_generate_flow_options options = {.seed = bench->seed * 100000 + g,
                                                     .nodes = heavy ? HEAVY_NODES : LIGHT_NODES,
                                                     .heavy = heavy,
                                                     .cores = heavy ? HEAVY_CORES : LIGHT_CORES};
        struct weir_pipeline *pipeline = NULL;
        struct weir_error error = {0};
        if (weir_generate_flow(&options, &pipeline, &error) != WEIR_OK)
            return weir_complain_error(NULL, &error);
        enum weir_exit result = WEIR_EXIT_OK;
        for (size_t k = 0; k < KINDS && result == WEIR_EXIT_OK; k++) {
            struct outcome outcome = {0};
            result = evaluate_batch(pipeline, k, batch, &outcome);
            means[k].graphs++;
            means[k].utilization += outcome.utilization;
            means[k].schedulable += outcome.schedulable;
            means[k].latency += outcome.latency_us;
        }
        weir_pipeline_free(pipeline);
        if (result != WEIR_EXIT_OK)
            return result;
    }
    return WEIR_EXIT_OK;
}

static enum weir_exit random_graphs(struct weir_bench *bench, bool heavy, struct weir_bench_table *table,
                                    struct weir_sketch *sketch)
{
    static const int64_t batches[] = {1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 256};
    enum { COUNT = sizeof batches / sizeof *batches };
    add_columns(table);
    for (size_t i = 0; i < COUNT; i++) {
        struct mean means[KINDS] = {{0}};
        weir_bench_show(bench, i, COUNT, "%s graphs, batches of %lld", heavy ? "heavy" : "light", (long long)batches[i]);
        enum weir_exit result = sum_graphs(bench, heavy, batches[i], means);
        if (result != WEIR_EXIT_OK)
            return result;
        struct weir_bench_cell *row = weir_table_add_row(table);
        row[BATCH] = weir_cell_number(WEIR_CELL_COUNT, (double)batches[i]);
        for (size_t k = 0; k < KINDS; k++) {
            struct weir_bench_cell *cells = &row[FIRST + k * PER_KIND];
            cells[UTILIZATION] = weir_cell_number(WEIR_CELL_RATIO, means[k].utilization / (double)means[k].graphs);
            cells[LATENCY] =
                means[k].schedulable ? latency_cell(means[k].latency / (double)means[k].schedulable) : weir_cell_text("none");
            cells[SCHEDULABLE] =
                weir_cell_number(WEIR_CELL_PERCENT, 100.0 * (double)means[k].schedulable / (double)means[k].graphs);
        }
    }
    draw(table, sketch);
    weir_table_add_note(table,
                        "%d operators behind a source of 1 MHz, %d cores; means over %llu graphs, latencies over the schedulable.",
                        heavy ? HEAVY_NODES : LIGHT_NODES, heavy ? HEAVY_CORES : LIGHT_CORES, (unsigned long long)bench->systems);
    weir_table_add_note(table, "rate: the smallest batch that goes by rates and has at least as many executions of the source.");
    return WEIR_EXIT_OK;
}

static enum weir_exit figure6(struct weir_bench *bench, struct weir_bench_table *table, struct weir_sketch *sketch)
{
    return random_graphs(bench, false, table, sketch);
}

static enum weir_exit figure7(struct weir_bench *bench, struct weir_bench_table *table, struct weir_sketch *sketch)
{
    return random_graphs(bench, true, table, sketch);
}

/* ---- narrowband FM ---- */

/* The lowest latency of batches that go by rates and need no more cores than `utilization`. */
static enum weir_exit equal_load(const struct weir_pipeline *pipeline, double utilization, double *latency)
{
    *latency = 0;
    for (int64_t factor = 1; factor <= 4096; factor++) {
        struct outcome outcome = {0};
        enum weir_exit result = evaluate(pipeline, WEIR_BATCH_RATE, factor, &outcome);
        if (result != WEIR_EXIT_OK)
            return result;
        if (outcome.schedulable && outcome.utilization <= utilization) { /* the first: from here on latencies grow */
            *latency = outcome.latency_us;
            break;
        }
    }
    return WEIR_EXIT_OK;
}

static enum weir_exit fill_row(struct weir_bench *bench, const struct weir_pipeline *pipeline, int64_t batch,
                               struct weir_bench_cell *row)
{
    enum { EQUAL = FIRST + KINDS * PER_KIND, GAIN };
    enum weir_exit result = WEIR_EXIT_OK;
    struct outcome outcomes[KINDS] = {{0}};
    double equal = 0;
    row[BATCH] = weir_cell_number(WEIR_CELL_COUNT, (double)batch);
    for (size_t k = 0; k < KINDS && result == WEIR_EXIT_OK; k++) {
        struct weir_bench_cell *cells = &row[FIRST + k * PER_KIND];
        result = evaluate_batch(pipeline, k, batch, &outcomes[k]);
        cells[UTILIZATION] = weir_cell_number(WEIR_CELL_RATIO, outcomes[k].utilization);
        cells[LATENCY] = outcomes[k].schedulable ? latency_cell(outcomes[k].latency_us) : weir_cell_text("none");
        cells[SCHEDULABLE] = weir_cell_number(WEIR_CELL_BOOL, outcomes[k].schedulable);
    }
    if (result == WEIR_EXIT_OK && outcomes[0].schedulable)
        result = equal_load(pipeline, outcomes[0].utilization, &equal);
    row[EQUAL] = equal > 0 ? latency_cell(equal) : weir_cell_text("none");
    row[GAIN] = equal > 0 ? weir_cell_number(WEIR_CELL_RATIO, outcomes[0].latency_us / equal) : weir_cell_text("none");
    if (equal > 0 && outcomes[0].latency_us / equal > bench->summary.gain) {
        bench->summary.gain = outcomes[0].latency_us / equal;
        bench->summary.gain_batch = (uint64_t)batch;
    }
    return result;
}

static enum weir_exit figure8(struct weir_bench *bench, struct weir_bench_table *table, struct weir_sketch *sketch)
{
    static const int64_t batches[] = {1, 2, 4, 6, 12, 24, 48, 96, 192, 384, 768, 1536, 3072};
    enum { COUNT = sizeof batches / sizeof *batches };
    struct weir_pipeline *pipeline = NULL;
    struct weir_error error = {0};
    if (weir_generate_nbfm(NBFM_CORES, &pipeline, &error) != WEIR_OK)
        return weir_complain_error(NULL, &error);
    add_columns(table);
    weir_table_add_column(table, false, "rate, same load [us]");
    weir_table_add_column(table, false, "uniform / rate");
    enum weir_exit result = WEIR_EXIT_OK;
    for (size_t i = 0; i < COUNT && result == WEIR_EXIT_OK; i++) {
        weir_bench_show(bench, i, COUNT, "narrowband FM, batches of %lld", (long long)batches[i]);
        result = weir_interrupted() ? WEIR_EXIT_BRACKET : fill_row(bench, pipeline, batches[i], weir_table_add_row(table));
    }
    weir_pipeline_free(pipeline);
    draw(table, sketch);
    weir_table_add_note(table, "A receiver at 576 kHz that decimates by 12, on %d cores; costs as measured on one machine.",
                        NBFM_CORES);
    weir_table_add_note(table, "same load: the smallest batch by rates that needs no more than the uniform one.");
    return result;
}

/* ---- the kind ---- */

static const struct weir_experiment experiments[] = {
    {"figure6", "Figure 6: utilisation and latency against the batch, light graphs", figure6},
    {"figure7", "Figure 7: utilisation and latency against the batch, heavy graphs", figure7},
    {"figure8", "Figure 8: a narrowband FM receiver", figure8},
};

static void print_summary(const struct weir_bench *bench, FILE *out)
{
    char words[160];
    snprintf(words, sizeof words,
             "Narrowband FM: at the load of uniform batches of %llu, batches by rates have a latency %.1f times lower.",
             (unsigned long long)bench->summary.gain_batch, bench->summary.gain);
    if (bench->summary.gain > 0)
        weir_table_words(out, words, 0);
}

static void write_summary_json(const struct weir_bench *bench, FILE *out)
{
    if (bench->summary.gain > 0)
        fprintf(out, "{\"nbfm\": {\"batch\": %llu, \"uniform_over_rate\": %.4f}}", (unsigned long long)bench->summary.gain_batch,
                bench->summary.gain);
    else
        fputs("{}", out);
}

const struct weir_bench_kind weir_bench_batching = {WEIR_BENCH_KIND("batching"), .drawn = "graph"};
