/* SPDX-License-Identifier: Apache-2.0 */
/* Tables I and II of RTSS 2025: the methods on Multi AI Ultrasound, and how far the bound of RTSS 2024 lies above the truth. */
#include "bench/bench.h"

#include <math.h>

/* ---- Table I ---- */

enum { ULTRASOUND = 7, HALF = 500 };

const struct weir_promise weir_promises[WEIR_PROMISES] = {
    {"exact", WEIR_METHOD_EXACT, 0, true, true, true, true, NULL},
    {"exact, intervals", WEIR_METHOD_EXACT, HALF, true, true, true, true, NULL},
    {"tgdfs", WEIR_METHOD_TGDFS, 0, true, true, true, true, "136 ms"},
    {"rtss24", WEIR_METHOD_RTSS24, 0, false, false, false, false, "51 us"},
    {"statespace", WEIR_METHOD_STATESPACE, 0, true, true, true, true, "6055 s"},
    {"smt", WEIR_METHOD_SMT, 0, false, false, true, true, "5.58 s"},
};

static double percent_above(int64_t value, int64_t exact)
{
    return 100.0 * (double)(value - exact) / (double)exact;
}

enum { NAME, RUNTIME, WORST, PESSIMISM, SAFE, EXACT, TIMES, QUEUES, PUBLISHED };

static void fill_promise(struct weir_bench_cell *row, const struct weir_promise *promise)
{
    row[NAME] = weir_cell_text(promise->name);
    row[SAFE] = weir_cell_number(WEIR_CELL_BOOL, promise->safe);
    row[EXACT] = weir_cell_number(WEIR_CELL_BOOL, promise->exact);
    row[TIMES] = weir_cell_number(WEIR_CELL_BOOL, promise->times);
    row[QUEUES] = weir_cell_number(WEIR_CELL_BOOL, promise->queues);
    if (promise->published)
        row[PUBLISHED] = weir_cell_text(promise->published);
}

/* Fills in one row. rtss24 counts from one iteration earlier, and is held against the exact value counted the same way. */
static enum weir_exit measure_promise(const struct weir_bench *bench, const struct weir_promise *promise,
                                      struct weir_bench_table *table)
{
    struct weir_measurement m = {0};
    int64_t exact = 0;
    struct weir_bench_cell *row = weir_table_add_row(table);
    fill_promise(row, promise);
    row[RUNTIME].kind = row[WORST].kind = row[PESSIMISM].kind = WEIR_CELL_MISSING;
    if (!weir_method_available(promise->method, NULL))
        return WEIR_EXIT_OK;
    enum weir_exit result = weir_measure_promise(bench, ULTRASOUND, promise, promise->method == WEIR_METHOD_RTSS24, &m, &exact);
    row[RUNTIME] = m.time;
    if (m.good) {
        row[WORST] = weir_cell_number(WEIR_CELL_COUNT, (double)m.value);
        row[PESSIMISM] = weir_cell_number(WEIR_CELL_PERCENT, percent_above(m.value, exact));
    }
    return result;
}

enum weir_exit weir_bench_table1(struct weir_bench *bench, struct weir_bench_table *table, struct weir_sketch *sketch)
{
    static const char *const names[] = {"method", "runtime",        "worst case [us]", "pessimism",        "safe",
                                        "exact",  "variable times", "variable queues", "published runtime"};
    static const char *groups[WEIR_PROMISES];
    enum weir_exit result = WEIR_EXIT_OK;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        weir_table_add_column(table, false, "%s", names[i]);
    weir_sketch_add_series(sketch, 0, false, "runtime");
    for (size_t i = 0; i < WEIR_PROMISES && result == WEIR_EXIT_OK; i++) {
        weir_bench_show(bench, i, WEIR_PROMISES, "Table I: %s", weir_promises[i].name);
        result = measure_promise(bench, &weir_promises[i], table);
        groups[i] = weir_promises[i].name;
        weir_sketch_add_cell(sketch, (double)i, &table->cells[i][RUNTIME]);
    }
    weir_sketch_bars(sketch, groups, WEIR_PROMISES, (struct weir_plot_axis){"runtime", true, WEIR_PLOT_SECONDS});
    if (result != WEIR_EXIT_OK)
        return result;
    double half = table->cells[1][WORST].number, zero = table->cells[0][WORST].number;
    weir_table_add_note(table, "Times in [0, worst]; exact, intervals: in [worst / 2, worst].");
    if (half > 0 && zero > half)
        weir_table_add_note(table, "Methods that read best cases as 0 are %.2f %% above the exact value with intervals.",
                            100 * (zero - half) / half);
    weir_table_add_note(table, "exact: a query on a sealed pipeline; the others: from there to the answer.");
    weir_table_add_note(table,
                        "rtss24 counts from entry into the source's queue, and is held against the exact value counted like that; "
                        "there are graphs where it is below.");
    weir_table_add_note(table, "smt looks at 8 iterations: not a guarantee.");
    for (size_t i = 0; i < WEIR_PROMISES; i++)
        weir_bench_note_missing(weir_promises[i].method, table);
    return result;
}

/* ---- Table II ---- */

enum { DRAWS = 100, ITERATIONS = 200 };

/* The longest response with every execution at its worst time, from entry into the source's queue: that is when the source starts
 * the message before, and at once for the first. */
struct watch {
    struct weir_operator source, sink;
    int64_t starts[ITERATIONS];
    int64_t longest;
};

static void watch(void *context, struct weir_operator op, enum weir_moment moment, int64_t iteration, int64_t time)
{
    struct watch *w = context;
    if (moment == WEIR_START && op.index == w->source.index)
        w->starts[iteration] = time;
    if (moment == WEIR_FINISH && op.index == w->sink.index) {
        int64_t response = time - (iteration > 0 ? w->starts[iteration - 1] : 0);
        w->longest = response > w->longest ? response : w->longest;
    }
}

struct draw {
    int64_t bound, exact, simulated;
};

static enum weir_exit measure_draw(const struct weir_bench *bench, size_t app, uint64_t index, struct draw *draw)
{
    struct weir_application_options options = {.random_times = true, .seed = bench->seed * 1000 + index};
    struct weir_pipeline *pipeline = weir_bench_application(app, &options);
    if (!pipeline)
        return WEIR_EXIT_INTERNAL;
    struct weir_chain_spec chain = weir_pipeline_chain(pipeline, 0);
    struct weir_query query = {
        .from = {.op = chain.from, .moment = WEIR_START}, .to = {.op = chain.to, .moment = WEIR_FINISH}, .shift = 1};
    struct weir_separation exact = {0};
    struct weir_method_result bound = {0};
    struct weir_error error = {0};
    struct watch watched = {.source = chain.from, .sink = chain.to};
    struct weir_simulation_options simulation = {
        .iterations = ITERATIONS, .times = WEIR_TIMES_WORST, .observe = watch, .context = &watched};
    struct weir_solver *solver = weir_solver_new(pipeline, &error);
    enum weir_status status = solver ? weir_separation_worst(solver, &query, &exact, &error) : WEIR_MEMORY;
    if (status == WEIR_OK)
        status = weir_method_run(pipeline, WEIR_METHOD_RTSS24, 0, NULL, &bound, &error);
    if (status == WEIR_OK)
        status = weir_simulate(pipeline, &simulation, &error);
    *draw = (struct draw){bound.value, exact.value, watched.longest};
    enum weir_exit result = status == WEIR_OK ? WEIR_EXIT_OK : weir_complain_error(weir_pipeline_name(pipeline), &error);
    if (status == WEIR_OK && draw->simulated > draw->exact) {
        weir_complain("%s, draw %llu: a simulation takes %lld where exact gives %lld: a bug in weir", weir_pipeline_name(pipeline),
                      (unsigned long long)index, (long long)draw->simulated, (long long)draw->exact);
        result = WEIR_EXIT_INTERNAL;
    }
    weir_solver_free(solver);
    weir_pipeline_free(pipeline);
    return result;
}

static enum weir_exit measure_application(const struct weir_bench *bench, size_t app, struct weir_bench_table *table)
{
    static const double published[WEIR_BENCH_APPLICATIONS] = {1.13, 1.77, 0.69, 1.63, 12.46, 18.23, 11.84, 17.97};
    double above_exact = 0, above_simulated = 0, below = 0;
    enum weir_exit result = WEIR_EXIT_OK;
    for (uint64_t i = 0; i < DRAWS && result == WEIR_EXIT_OK; i++) {
        struct draw draw;
        result = measure_draw(bench, app, i, &draw);
        if (result != WEIR_EXIT_OK)
            return result;
        above_exact += percent_above(draw.bound, draw.exact) / (double)DRAWS;
        above_simulated += percent_above(draw.bound, draw.simulated) / (double)DRAWS;
        below += draw.bound < draw.exact;
    }
    struct weir_bench_cell *row = weir_table_add_row(table);
    char letter[2] = {(char)('A' + app), 0};
    *row++ = weir_cell_text(letter);
    *row++ = weir_cell_text(bench->titles[app]);
    *row++ = weir_cell_number(WEIR_CELL_COUNT, weir_pipeline_operator_count(bench->apps[app]));
    *row++ = weir_cell_number(WEIR_CELL_COUNT, weir_pipeline_queue_count(bench->apps[app]));
    *row++ = weir_cell_number(WEIR_CELL_PERCENT, above_exact);
    *row++ = weir_cell_number(WEIR_CELL_PERCENT, above_simulated);
    *row++ = weir_cell_number(WEIR_CELL_PERCENT, published[app]);
    *row++ = weir_cell_number(WEIR_CELL_COUNT, below);
    return WEIR_EXIT_OK;
}

enum weir_exit weir_bench_table2(struct weir_bench *bench, struct weir_bench_table *table, struct weir_sketch *sketch)
{
    static const char *const names[] = {"graph",       "application",      "operators", "queues",
                                        "above exact", "above simulation", "published", "draws below exact"};
    enum { ABOVE_EXACT = 4, ABOVE_SIMULATION, PUBLISHED_PERCENT };
    enum weir_exit result = WEIR_EXIT_OK;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        weir_table_add_column(table, false, "%s", names[i]);
    for (size_t app = 0; app < WEIR_BENCH_APPLICATIONS && result == WEIR_EXIT_OK; app++) {
        weir_bench_show(bench, app, WEIR_BENCH_APPLICATIONS, "Table II: %s", bench->titles[app]);
        result = measure_application(bench, app, table);
    }
    for (unsigned c = ABOVE_EXACT; c <= PUBLISHED_PERCENT; c++) {
        weir_sketch_add_series(sketch, c - ABOVE_EXACT, false, "%s", names[c]);
        for (size_t r = 0; r < table->row_count; r++)
            weir_sketch_add_cell(sketch, (double)r, &table->cells[r][c]);
    }
    weir_sketch_bars(sketch, bench->titles, WEIR_BENCH_APPLICATIONS,
                     (struct weir_plot_axis){"mean pessimism [%]", false, WEIR_PLOT_NUMBERS});
    weir_table_add_note(
        table, "Mean of %d draws of the worst cases from [100, 1000]; all counted from entry into the source's queue.", DRAWS);
    weir_table_add_note(
        table, "exact: times in [0, worst]. simulation: every execution at its worst, which is what the paper compares with.");
    return result;
}
