/* SPDX-License-Identifier: Apache-2.0 */
/* One graph under every method, and what many of them come to. */
#include "bench/gpu.h"

#include "base/error.h"
#include "base/interrupt.h"
#include "base/task_pool.h"

#include <stdlib.h>

#define ROUNDING 1e-9 /* of the quotients that are compared here; the bounds themselves are exact */

static enum weir_status broken(struct weir_error *error, const struct weir_pipeline *pipeline, const char *what)
{
    error->status = WEIR_INTERNAL;
    snprintf(error->message, sizeof error->message, "%s: %s: a bug in weir", weir_pipeline_name(pipeline), what);
    return WEIR_INTERNAL;
}

/* ---- simulating ---- */

/* The longest of several executions, each with another order in which launches are taken, and in turn with the kinds of dispatch;
 * in the last of each kind, blocks may end early. */
static enum weir_status longest_seen(const struct weir_gpu_plan *plan, uint64_t seed, double *longest, struct weir_error *error)
{
    *longest = 0;
    for (int i = 0; i < WEIR_BENCH_ORDERS; i++) {
        struct weir_ratio makespan;
        struct weir_gpu_simulation_options options = {.dispatch = (enum weir_gpu_dispatch)(i % WEIR_GPU_DISPATCHES),
                                                      .times = i < WEIR_BENCH_ORDERS - WEIR_GPU_DISPATCHES ? WEIR_TIMES_WORST
                                                                                                           : WEIR_TIMES_BANG_BANG,
                                                      .seed = seed * WEIR_BENCH_ORDERS + (uint64_t)i};
        enum weir_status status = weir_gpu_simulate(plan, &options, &makespan, error);
        if (status)
            return status;
        *longest = weir_bench_number(makespan) > *longest ? weir_bench_number(makespan) : *longest;
    }
    return WEIR_OK;
}

/* ---- one graph ---- */

/* One method. */
static enum weir_status add_plan(const struct weir_pipeline *pipeline, const struct weir_gpu_options *options, uint64_t seed,
                                 struct weir_gpu_trial *trial, struct weir_error *error)
{
    struct weir_gpu_plan *plan = NULL;
    double seen = 0;
    enum weir_status status = weir_gpu_analyze(pipeline, options, &plan, error);
    if (status)
        return status;
    double bound = weir_bench_number(plan->bound);
    bool paper = options->method == WEIR_GPU_PAPER, simulated = paper || plan->token_count > 0;
    if (simulated)
        status = longest_seen(plan, seed, &seen, error);
    if (!status && plan->safe && seen > bound * (1 + ROUNDING))
        status = broken(error, pipeline, "a simulation exceeds a bound that is safe");
    if (!status && plan->safe && weir_bench_number(plan->lower) > bound * (1 + ROUNDING))
        status = broken(error, pipeline, "a bound is below the lower bound");
    if (paper && seen > bound * (1 + ROUNDING))
        trial->over = seen / bound - 1;
    if (options->no_split) {
        trial->whole = bound;
    } else {
        trial->bounds[options->method] = bound;
        if (options->method == WEIR_GPU_BEST) {
            trial->lower = weir_bench_number(plan->lower);
            trial->launches = (uint32_t)plan->launch_count;
            trial->splits = plan->split_count;
        }
    }
    weir_gpu_plan_free(plan);
    return status;
}

/* Runs every method; simulates; checks what has to hold, and is WEIR_INTERNAL where it does not. */
static enum weir_status try_graph(const struct weir_generate_gpu_options *options, struct weir_gpu_trial *trial,
                                  struct weir_error *error)
{
    struct weir_pipeline *pipeline = NULL;
    enum weir_status status = weir_generate_gpu(options, &pipeline, error);
    if (status)
        return status;
    trial->kernels = weir_pipeline_operator_count(pipeline);
    for (int method = 0; method < WEIR_GPU_METHODS && !status; method++) {
        struct weir_gpu_options how = {.method = (enum weir_gpu_method)method, .verify = true};
        status = add_plan(pipeline, &how, options->seed, trial, error);
    }
    struct weir_gpu_options whole = {.method = WEIR_GPU_BEST, .no_split = true, .verify = true};
    if (!status)
        status = add_plan(pipeline, &whole, options->seed, trial, error);
    if (!status && trial->bounds[WEIR_GPU_BEST] > trial->bounds[WEIR_GPU_SAFE] * (1 + ROUNDING))
        status = broken(error, pipeline, "best is worse than safe");
    weir_pipeline_free(pipeline);
    return status;
}

/* ---- many graphs ---- */

struct sharing {
    struct weir_bench *bench;
    const struct weir_gpu_work *work;
};

static void show(void *context, unsigned permille)
{
    const struct sharing *s = context;
    size_t done = s->work->before + s->work->count * permille / 1000;
    weir_progress_show(&s->bench->progress, (unsigned)(done * 1000 / s->work->all));
}

static enum weir_status perform(void *scratch, const void *context, uint64_t task, const void *hint, void *result,
                                struct weir_error *error)
{
    (void)scratch, (void)hint;
    const struct sharing *s = context;
    struct weir_generate_gpu_options options = s->work->graph(s->work->context, task);
    return try_graph(&options, result, error);
}

struct weir_generate_gpu_options weir_gpu_seeded(const void *options, uint64_t index)
{
    struct weir_generate_gpu_options graph = *(const struct weir_generate_gpu_options *)options;
    graph.seed += index;
    return graph;
}

enum weir_exit weir_gpu_try_all(struct weir_bench *bench, const struct weir_gpu_work *work, struct weir_gpu_trial *trials)
{
    struct sharing s = {bench, work};
    struct weir_error error = {0};
    uint8_t *done = malloc(work->count);
    struct weir_task_pool_work tasks = {.count = work->count, .result_size = sizeof *trials, .context = &s, .perform = perform};
    struct weir_task_pool_options how = {
        .threads = (unsigned)bench->threads, .stop = bench->stop, .progress = show, .context = &s, .here = true};
    error.status = done ? weir_task_pool_run(&tasks, &how, trials, done, &error) : weir_fail_memory(&error);
    free(done);
    if (weir_interrupted())
        return WEIR_EXIT_BRACKET;
    if (error.status == WEIR_OK)
        return WEIR_EXIT_OK;
    weir_progress_end(&bench->progress);
    return weir_complain_error(NULL, &error);
}

/* By how many percent; 0 where it is only rounding. */
static double percent_below(double value, double reference)
{
    double percent = 100 - 100 * value / reference;
    return percent > -100 * ROUNDING && percent < 100 * ROUNDING ? 0 : percent;
}

static void add_trial(struct weir_gpu_means *m, const struct weir_gpu_trial *t, double share)
{
    double unaware = t->bounds[WEIR_GPU_GREEDY_UNAWARE];
    m->kernels += share * t->kernels;
    m->launches += share * t->launches;
    m->splits += share * t->splits;
    for (int i = 0; i < WEIR_GPU_METHODS; i++) {
        m->bounds[i] += share * t->bounds[i] / unaware;
        m->absolute[i] += share * t->bounds[i];
        m->gaps[i] -= share * percent_below(t->bounds[i], t->lower);
    }
    m->lower += share * t->lower / unaware;
    m->whole += share * t->whole / unaware;
    m->absolute_lower += share * t->lower;
    m->absolute_whole += share * t->whole;
    m->whole_gap -= share * percent_below(t->whole, t->lower);
    m->best_below_paper += share * percent_below(t->bounds[WEIR_GPU_BEST], t->bounds[WEIR_GPU_PAPER]);
    m->paper_below_graham += share * percent_below(t->bounds[WEIR_GPU_PAPER], t->bounds[WEIR_GPU_GRAHAM]);
    m->paper_below_greedy += share * percent_below(t->bounds[WEIR_GPU_PAPER], t->bounds[WEIR_GPU_GREEDY]);
    m->impossible += t->bounds[WEIR_GPU_PAPER] < t->lower * (1 - ROUNDING);
    m->exceeded += t->over > 0;
    m->over = 100 * t->over > m->over ? 100 * t->over : m->over;
}

struct weir_gpu_means weir_gpu_mean(const struct weir_gpu_trial *trials, size_t count)
{
    struct weir_gpu_means means = {.graphs = count};
    for (size_t i = 0; i < count; i++)
        add_trial(&means, &trials[i], 1 / (double)count);
    return means;
}

/* ---- tables ---- */

enum weir_gpu_method weir_gpu_column(size_t index)
{
    static const enum weir_gpu_method order[WEIR_GPU_COLUMNS] = {WEIR_GPU_GREEDY, WEIR_GPU_GRAHAM, WEIR_GPU_PAPER,
                                                                 WEIR_GPU_SAFE,   WEIR_GPU_BEST,   WEIR_GPU_METHODS};
    return order[index];
}

const char *weir_gpu_column_name(size_t index)
{
    enum weir_gpu_method method = weir_gpu_column(index);
    return method == WEIR_GPU_METHODS ? "lower" : weir_gpu_method_name(method);
}

enum {
    GRAPHS,
    KERNELS,
    UNAWARE,
    FIRST_BOUND,
    WHOLE = FIRST_BOUND + WEIR_GPU_COLUMNS,
    GAP,
    PAPER_GAP,
    SAFE_GAP,
    WHOLE_GAP,
    BELOW_PAPER,
    BELOW_GRAHAM,
    BELOW_GREEDY,
    IMPOSSIBLE,
    EXCEEDED,
    OVER,
    LAUNCHES,
    SPLITS,
};

size_t weir_gpu_add_columns(struct weir_bench_table *table)
{
    size_t first = table->column_count;
    weir_table_add_column(table, true, "graphs");
    weir_table_add_column(table, false, "kernels");
    weir_table_add_column(table, true, "%s", weir_gpu_method_name(WEIR_GPU_GREEDY_UNAWARE));
    for (size_t i = 0; i < WEIR_GPU_COLUMNS; i++)
        weir_table_add_column(table, false, "%s", weir_gpu_column_name(i));
    weir_table_add_column(table, true, "best, no splits");
    weir_table_add_column(table, false, "above lower");
    weir_table_add_column(table, true, "paper above lower");
    weir_table_add_column(table, true, "safe above lower");
    weir_table_add_column(table, true, "best, no splits, above lower");
    weir_table_add_column(table, false, "below paper");
    weir_table_add_column(table, true, "paper below graham");
    weir_table_add_column(table, true, "paper below greedy");
    weir_table_add_column(table, false, "paper < lower");
    weir_table_add_column(table, false, "exceeded");
    weir_table_add_column(table, false, "by at most");
    weir_table_add_column(table, false, "launches");
    weir_table_add_column(table, false, "splits");
    return first + FIRST_BOUND;
}

/* To so many digits behind the point, or fewer; bounds are rounded up. */
static struct weir_bench_cell rounded(double value, double ticks, bool up)
{
    double scaled = value * ticks + (up ? -1e-6 : 0.5);
    int64_t whole = (int64_t)scaled;
    return weir_cell_number(WEIR_CELL_TIME, (double)(whole + (up && scaled > (double)whole)) / ticks);
}

void weir_gpu_fill_row(const struct weir_gpu_means *m, bool normalised, struct weir_bench_cell *cells)
{
    cells[GRAPHS] = weir_cell_number(WEIR_CELL_COUNT, (double)m->graphs);
    cells[KERNELS] = rounded(m->kernels, 10, false);
    cells[UNAWARE] = rounded(m->absolute[WEIR_GPU_GREEDY_UNAWARE], 1000, true);
    for (size_t i = 0; i < WEIR_GPU_COLUMNS; i++) {
        enum weir_gpu_method method = weir_gpu_column(i);
        bool lower = method == WEIR_GPU_METHODS;
        cells[FIRST_BOUND + i] = normalised ? weir_cell_number(WEIR_CELL_RATIO, lower ? m->lower : m->bounds[method])
                                            : rounded(lower ? m->absolute_lower : m->absolute[method], 1000, !lower);
    }
    cells[WHOLE] = normalised ? weir_cell_number(WEIR_CELL_RATIO, m->whole) : rounded(m->absolute_whole, 1000, true);
    cells[GAP] = weir_cell_number(WEIR_CELL_PERCENT, m->gaps[WEIR_GPU_BEST]);
    cells[PAPER_GAP] = weir_cell_number(WEIR_CELL_PERCENT, m->gaps[WEIR_GPU_PAPER]);
    cells[SAFE_GAP] = weir_cell_number(WEIR_CELL_PERCENT, m->gaps[WEIR_GPU_SAFE]);
    cells[WHOLE_GAP] = weir_cell_number(WEIR_CELL_PERCENT, m->whole_gap);
    cells[BELOW_PAPER] = weir_cell_number(WEIR_CELL_PERCENT, m->best_below_paper);
    cells[BELOW_GRAHAM] = weir_cell_number(WEIR_CELL_PERCENT, m->paper_below_graham);
    cells[BELOW_GREEDY] = weir_cell_number(WEIR_CELL_PERCENT, m->paper_below_greedy);
    cells[IMPOSSIBLE] = weir_cell_number(WEIR_CELL_COUNT, (double)m->impossible);
    cells[EXCEEDED] = weir_cell_number(WEIR_CELL_PERCENT, 100.0 * (double)m->exceeded / (double)m->graphs);
    cells[OVER] = weir_cell_number(WEIR_CELL_PERCENT, m->over);
    cells[LAUNCHES] = rounded(m->launches, 10, false);
    cells[SPLITS] = rounded(m->splits, 10, false);
}

void weir_gpu_add_notes(struct weir_bench_table *table)
{
    weir_table_add_note(table, "lower: no plan can have a smaller bound. above lower, below paper: by how much best is above it, "
                               "and below the paper's bound.");
    weir_table_add_note(table,
                        "paper < lower: graphs where the paper's bound is impossible. exceeded: graphs where one of %d simulated",
                        WEIR_BENCH_ORDERS);
    weir_table_add_note(table, "executions of the paper's own plan lasts longer. launches, splits: of best.");
}
