/* SPDX-License-Identifier: Apache-2.0 */
/* The experiments on shared processors, and what they share. */
#include "bench/priority.h"

#include "base/interrupt.h"

#include <stdlib.h>

/* ---- methods ---- */

enum weir_priority_method weir_bench_method(size_t index)
{
    return index + 1 < WEIR_BENCH_METHODS ? (enum weir_priority_method)(index + 1) : WEIR_PRIORITY_BEST;
}

unsigned weir_bench_look(enum weir_priority_method method)
{
    return method == WEIR_PRIORITY_BEST ? 7 : (unsigned)method - 1;
}

bool weir_bench_drawn(enum weir_priority_method method)
{
    return method != WEIR_PRIORITY_PJ && method != WEIR_PRIORITY_EIC && method != WEIR_PRIORITY_CIX;
}

/* ---- systems ---- */

struct weir_pipeline *weir_bench_system(const char *name, int64_t period, int64_t jitter)
{
    struct weir_pipeline *pipeline = NULL;
    struct weir_error error = {0};
    if (weir_generate_priority_system(name, period, jitter, &pipeline, &error) != WEIR_OK)
        weir_complain_error(NULL, &error);
    return pipeline;
}

struct weir_pipeline *weir_bench_random_system(const struct weir_bench *bench, struct weir_generate_priority_options options,
                                               uint64_t index)
{
    struct weir_pipeline *pipeline = NULL;
    struct weir_error error = {0};
    options.seed = bench->seed * 10000 + index;
    if (weir_generate_priority(&options, &pipeline, &error) != WEIR_OK)
        weir_complain_error(NULL, &error);
    return pipeline;
}

/* ---- analyses ---- */

enum weir_exit weir_bench_analyze(const struct weir_pipeline *pipeline, enum weir_priority_method method,
                                  struct weir_priority_analysis **analysis)
{
    struct weir_priority_options options = {.method = method};
    struct weir_error error = {0};
    *analysis = NULL;
    if (weir_interrupted())
        return WEIR_EXIT_BRACKET;
    if (weir_priority_analyze(pipeline, &options, analysis, &error) == WEIR_OK)
        return WEIR_EXIT_OK;
    return weir_complain_error(weir_pipeline_name(pipeline), &error);
}

struct weir_bench_cell weir_cell_time(const struct weir_pipeline *pipeline, int64_t ticks)
{
    return weir_cell_number(WEIR_CELL_TIME, (double)ticks / weir_bench_unit(pipeline));
}

const char *weir_bench_failure(const struct weir_priority_analysis *analysis)
{
    switch (analysis->outcome) {
    case WEIR_PRIORITY_UNBOUNDED:
        return "unbounded";
    case WEIR_PRIORITY_VIOLATED:
        return "violation";
    case WEIR_PRIORITY_LIMIT:
        return "no bound";
    case WEIR_PRIORITY_CONVERGED:
        break;
    }
    return "";
}

struct weir_bench_cell weir_cell_bound(const struct weir_priority_analysis *analysis, size_t chain)
{
    if (analysis->outcome != WEIR_PRIORITY_CONVERGED)
        return weir_cell_text(weir_bench_failure(analysis));
    return weir_cell_time(analysis->pipeline, analysis->latencies[chain].worst);
}

/* ---- simulations ---- */

/* By queue, as the simulator wants them; caller frees. */
static uint32_t *capacities_of(const struct weir_priority_analysis *analysis)
{
    uint32_t *capacities = calloc((size_t)weir_pipeline_queue_count(analysis->pipeline) + 1, sizeof *capacities);
    for (size_t i = 0; i < analysis->buffer_count && capacities; i++)
        if (!analysis->buffers[i].input)
            capacities[analysis->buffers[i].index] = analysis->buffers[i].capacity;
    return capacities;
}

bool weir_bench_same_buffers(const struct weir_priority_analysis *a, const struct weir_priority_analysis *b)
{
    for (size_t i = 0; i < a->buffer_count; i++)
        if (!a->buffers[i].input && a->buffers[i].capacity != b->buffers[i].capacity)
            return false;
    return true;
}

enum weir_exit weir_bench_compare_seen(const struct weir_priority_analysis *analysis, const struct weir_processors_observed *seen,
                                       bool *exceeded)
{
    bool over = false;
    for (uint32_t i = 0; i < weir_pipeline_operator_count(analysis->pipeline); i++)
        over = over || seen->finish_max[i] > analysis->operators[i].finish_max;
    for (size_t i = 0; i < analysis->latency_count; i++)
        over = over || (analysis->latencies[i].bounded && seen->latency_max[i] > analysis->latencies[i].worst);
    if (exceeded)
        *exceeded = over;
    if (!over || !analysis->safe)
        return WEIR_EXIT_OK;
    weir_complain("%s: a simulation exceeds a bound of %s: a bug in weir", weir_pipeline_name(analysis->pipeline),
                  weir_priority_method_name(analysis->method));
    return WEIR_EXIT_INTERNAL;
}

enum weir_exit weir_bench_search(const struct weir_priority_analysis *analysis, const struct weir_bench_effort *effort,
                                 struct weir_processors_observed **seen, bool *exceeded)
{
    struct weir_error error = {0};
    uint32_t *capacities = capacities_of(analysis);
    struct weir_processors_search_options options = {.seed = effort->seed,
                                                     .runs = effort->runs,
                                                     .iterations = effort->iterations,
                                                     .capacities = capacities,
                                                     .chain = weir_pipeline_chain_count(analysis->pipeline)};
    *seen = NULL;
    if (!capacities) {
        weir_complain("out of memory");
        return WEIR_EXIT_INTERNAL;
    }
    enum weir_status status = weir_processors_search(analysis->pipeline, &options, seen, &error);
    free(capacities);
    if (status != WEIR_OK)
        return weir_complain_error(weir_pipeline_name(analysis->pipeline), &error);
    enum weir_exit result = weir_bench_compare_seen(analysis, *seen, exceeded);
    if (result != WEIR_EXIT_OK) {
        weir_free(*seen);
        *seen = NULL;
    }
    return result;
}

/* ---- the kind ---- */

static const struct weir_experiment experiments[] = {
    {"figure1", "Figure 1: latency against jitter [ms]", weir_bench_priority_figure1},
    {"table1", "Table I: a WLAN decoder, latency [us] / total capacity", weir_bench_priority_table1},
    {"table2", "Table II: two WLAN decoders, latency [us] / total capacity of one", weir_bench_priority_table2},
    {"runtimes", "Runtime against the number of tasks", weir_bench_priority_runtimes},
    {"campaign", "Random systems: those that are accepted, against the load of a processor", weir_bench_priority_campaign},
    {"tightness", "Random systems: bounds against what simulations show", weir_bench_priority_tightness},
};

static void print_summary(const struct weir_bench *bench, FILE *out)
{
    char systems[WEIR_COUNT_TEXT];
    for (int i = 0; i < 2; i++)
        if (bench->summary.compared[i])
            fprintf(out, "Random systems of %s: best is %.1f %% below EI in the mean of the %s systems that EI accepts.\n",
                    i ? "two graphs" : "one graph", bench->summary.below[i],
                    weir_count_format((int64_t)bench->summary.compared[i], systems));
    if (bench->summary.simulated)
        fprintf(out, "%s random systems simulated: no bound of a safe method exceeded; PJ or PJ+iBS exceeded in %llu.\n",
                weir_count_format((int64_t)bench->summary.simulated, systems), (unsigned long long)bench->summary.exceeded);
}

static void write_summary_json(const struct weir_bench *bench, FILE *out)
{
    static const char *const names[] = {"one_graph", "two_graphs"};
    const char *comma = "";
    fputc('{', out);
    for (int i = 0; i < 2; i++)
        if (bench->summary.compared[i]) {
            fprintf(out, "%s\"%s\": {\"systems\": %llu, \"best_below_EI_percent\": %.4f}", comma, names[i],
                    (unsigned long long)bench->summary.compared[i], bench->summary.below[i]);
            comma = ", ";
        }
    if (bench->summary.simulated)
        fprintf(out, "%s\"simulated\": {\"systems\": %llu, \"exceeded_safe\": 0, \"exceeded_unsafe\": %llu}", comma,
                (unsigned long long)bench->summary.simulated, (unsigned long long)bench->summary.exceeded);
    fputc('}', out);
}

const struct weir_bench_kind weir_bench_priority = {WEIR_BENCH_KIND("priority"), .drawn = "system"};
