/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables I and II of the execution-interval paper: the end-to-end latency of a WLAN decoder, and how many messages all its queues
 * hold. As in the paper, simulations run with the capacities of EI+iBS and count from the actual arrival; the bounds count from the
 * nominal one.
 */
#include "bench/priority.h"

#include <string.h>

enum { CASES_MAX = 6, PUBLISHED = 5 };

/* Latency in microseconds and total capacity; 0: a violation. */
struct published {
    enum weir_priority_method method; /* WEIR_PRIORITY_METHODS: the simulation */
    struct {
        int latency, capacity;
    } cases[CASES_MAX];
};

struct decoders {
    const char *system, *label;
    uint32_t graphs;
    struct {
        const char *name;
        int64_t period, jitter; /* in half microseconds */
    } cases[CASES_MAX];
    size_t case_count;
    struct published published[PUBLISHED];
};

static const struct decoders one = {"wlan",
                                    "Table I",
                                    1,
                                    {{"80 kHz", 25, 0},
                                     {"100 kHz", 20, 0},
                                     {"125 kHz", 16, 0},
                                     {"80 kHz J 25", 25, 50},
                                     {"100 kHz J 20", 20, 40},
                                     {"125 kHz J 16", 16, 32}},
                                    6,
                                    {{WEIR_PRIORITY_PJ, {{25, 13}}},
                                     {WEIR_PRIORITY_PJ_IBS, {{19, 12}, {19, 13}, {0, 0}, {44, 14}, {39, 15}, {0, 0}}},
                                     {WEIR_PRIORITY_EI, {{12, 12}, {12, 12}, {14, 13}, {49, 17}}},
                                     {WEIR_PRIORITY_EI_IBS, {{12, 12}, {12, 12}, {14, 13}, {37, 14}, {32, 14}, {30, 15}}},
                                     {WEIR_PRIORITY_METHODS, {{12, 12}, {12, 12}, {14, 13}, {29, 14}, {29, 14}, {28, 15}}}}};
static const struct decoders two = {"wlan-two",
                                    "Table II",
                                    2,
                                    {{"80 kHz", 25, 0}},
                                    1,
                                    {{WEIR_PRIORITY_PJ, {{0, 0}}},
                                     {WEIR_PRIORITY_PJ_IBS, {{24, 13}}},
                                     {WEIR_PRIORITY_EI, {{20, 12}}},
                                     {WEIR_PRIORITY_EI_IBS, {{20, 12}}},
                                     {WEIR_PRIORITY_METHODS, {{16, 12}}}}};

/* Rows: the methods, then the simulation. Columns: the method, the cases for the screen, and latency and capacity for files. */
enum { SIMULATED = WEIR_BENCH_METHODS, ROWS };

struct measured {
    const struct decoders *decoders;
    struct weir_bench_table *table;
    size_t matching, compared; /* cells of the methods that were published */
    bool simulation_matches;
};

static size_t latency_column(const struct measured *m, size_t index)
{
    return 1 + m->decoders->case_count + 2 * index;
}

static const struct published *find_published(const struct decoders *decoders, enum weir_priority_method method)
{
    for (size_t i = 0; i < PUBLISHED; i++)
        if (decoders->published[i].method == method)
            return &decoders->published[i];
    return NULL;
}

/* What the queues of the first graph hold, its source's among them. */
static int64_t capacity_of_one(const struct weir_priority_analysis *analysis, uint32_t graphs)
{
    const struct weir_pipeline *pipeline = analysis->pipeline;
    uint32_t first = weir_pipeline_operator_count(pipeline) / graphs;
    int64_t sum = 0;
    for (size_t i = 0; i < analysis->buffer_count; i++) {
        const struct weir_buffer *buffer = &analysis->buffers[i];
        struct weir_operator to = buffer->input ? weir_pipeline_source(pipeline, buffer->index).op
                                                : weir_pipeline_queue(pipeline, (struct weir_queue){buffer->index}).to;
        sum += to.index < first ? buffer->capacity : 0;
    }
    return sum;
}

static void fill(struct measured *m, size_t row, size_t index, struct weir_bench_cell latency, int64_t capacity)
{
    struct weir_bench_cell *cells = m->table->cells[row];
    char text[WEIR_CELL_LENGTH];
    bool good = latency.kind == WEIR_CELL_TIME;
    snprintf(text, sizeof text, "%.12g / %lld", latency.number, (long long)capacity);
    cells[1 + index] = good ? weir_cell_text(text) : latency;
    cells[latency_column(m, index)] = latency;
    if (good)
        cells[latency_column(m, index) + 1] = weir_cell_number(WEIR_CELL_COUNT, (double)capacity);
    enum weir_priority_method method = row == SIMULATED ? WEIR_PRIORITY_METHODS : weir_bench_method(row);
    const struct published *published = find_published(m->decoders, method);
    if (!published)
        return;
    bool same = good ? latency.number == published->cases[index].latency && capacity == published->cases[index].capacity
                     : published->cases[index].latency == 0;
    if (row == SIMULATED)
        m->simulation_matches = m->simulation_matches && same;
    else
        m->compared++, m->matching += same;
}

/* Where there are two decoders, they are alike: the later one counts. */
static enum weir_exit simulate(const struct weir_bench *bench, struct measured *m, size_t index,
                               const struct weir_priority_analysis *analysis)
{
    struct weir_bench_effort effort = {.runs = 20000, .iterations = 20, .seed = bench->seed};
    struct weir_processors_observed *seen;
    enum weir_exit result = weir_bench_search(analysis, &effort, &seen, NULL);
    int64_t latest = 0;
    for (size_t i = 0; i < analysis->latency_count && result == WEIR_EXIT_OK; i++)
        latest = seen->latency_max_arrival[i] > latest ? seen->latency_max_arrival[i] : latest;
    if (result == WEIR_EXIT_OK)
        fill(m, SIMULATED, index, weir_cell_time(analysis->pipeline, latest), capacity_of_one(analysis, m->decoders->graphs));
    weir_free(seen);
    return result;
}

static enum weir_exit measure_case(struct weir_bench *bench, struct measured *m, size_t index)
{
    const struct decoders *d = m->decoders;
    enum weir_exit result = WEIR_EXIT_OK;
    struct weir_pipeline *pipeline = weir_bench_system(d->system, d->cases[index].period, d->cases[index].jitter);
    if (!pipeline)
        return WEIR_EXIT_INTERNAL;
    for (size_t i = 0; i < WEIR_BENCH_METHODS && result == WEIR_EXIT_OK; i++) {
        struct weir_priority_analysis *analysis;
        enum weir_priority_method method = weir_bench_method(i);
        weir_bench_show(bench, index * WEIR_BENCH_METHODS + i, d->case_count * WEIR_BENCH_METHODS, "%s: %s, %s", d->label,
                        d->cases[index].name, weir_priority_method_name(method));
        result = weir_bench_analyze(pipeline, method, &analysis);
        if (result != WEIR_EXIT_OK)
            break;
        fill(m, i, index, weir_cell_bound(analysis, 0), capacity_of_one(analysis, d->graphs));
        if (method == WEIR_PRIORITY_EI_IBS && analysis->outcome == WEIR_PRIORITY_CONVERGED)
            result = simulate(bench, m, index, analysis);
        weir_priority_analysis_free(analysis);
    }
    weir_pipeline_free(pipeline);
    return result;
}

static void draw(const struct measured *m, struct weir_sketch *sketch)
{
    static const char *groups[CASES_MAX];
    for (size_t i = 0; i < m->decoders->case_count; i++)
        groups[i] = m->decoders->cases[i].name;
    for (size_t r = 0; r < ROWS; r++) {
        enum weir_priority_method method = r < SIMULATED ? weir_bench_method(r) : WEIR_PRIORITY_METHODS;
        if (!find_published(m->decoders, method) && method != WEIR_PRIORITY_BEST)
            continue;
        weir_sketch_add_series(sketch, r < SIMULATED ? weir_bench_look(method) : WEIR_BENCH_LOOK_SEEN, false, "%s",
                               m->table->cells[r][0].text);
        for (size_t i = 0; i < m->decoders->case_count; i++)
            weir_sketch_add_cell(sketch, (double)i, &m->table->cells[r][latency_column(m, i)]);
    }
    weir_sketch_bars(sketch, groups, m->decoders->case_count, (struct weir_plot_axis){"latency [us]", false, WEIR_PLOT_NUMBERS});
}

static void add_notes(const struct measured *m)
{
    weir_table_add_note(m->table, "No bar: the method finds no bound.");
    if (m->matching == m->compared)
        weir_table_add_note(m->table, "PJ, PJ+iBS, EI, EI+iBS: every cell as published.");
    else
        weir_table_add_note(m->table, "PJ, PJ+iBS, EI, EI+iBS: %zu of %zu cells as published.", m->matching, m->compared);
    weir_table_add_note(
        m->table,
        "SIM: latest found by simulation, with the capacities of EI+iBS and from the actual arrival, as in the paper; %s.",
        m->simulation_matches ? "every cell as published" : "not everywhere as published");
}

static enum weir_exit measure(struct weir_bench *bench, const struct decoders *decoders, struct weir_bench_table *table,
                              struct weir_sketch *sketch)
{
    struct measured m = {.decoders = decoders, .table = table, .simulation_matches = true};
    enum weir_exit result = WEIR_EXIT_OK;
    weir_table_add_column(table, false, "method");
    for (size_t i = 0; i < decoders->case_count; i++)
        table->columns[weir_table_add_column(table, false, "%s", decoders->cases[i].name)].screen_only = true;
    for (size_t i = 0; i < decoders->case_count; i++) {
        weir_table_add_column(table, true, "%s latency", decoders->cases[i].name);
        weir_table_add_column(table, true, "%s capacity", decoders->cases[i].name);
    }
    for (size_t i = 0; i < ROWS; i++)
        weir_table_add_row(table)[0] = weir_cell_text(i < SIMULATED ? weir_priority_method_name(weir_bench_method(i)) : "SIM");
    for (size_t i = 0; i < decoders->case_count && result == WEIR_EXIT_OK; i++)
        result = measure_case(bench, &m, i);
    draw(&m, sketch);
    add_notes(&m);
    return result;
}

enum weir_exit weir_bench_priority_table1(struct weir_bench *bench, struct weir_bench_table *table, struct weir_sketch *sketch)
{
    return measure(bench, &one, table, sketch);
}

enum weir_exit weir_bench_priority_table2(struct weir_bench *bench, struct weir_bench_table *table, struct weir_sketch *sketch)
{
    return measure(bench, &two, table, sketch);
}
