/* SPDX-License-Identifier: Apache-2.0 */
/* Running a method and timing it. What is too short for the clock is repeated; of what is short, the fastest round counts. */
#include "base/interrupt.h"
#include "bench/bench.h"

#include <string.h>
#include <time.h>

#define ROUND_SECONDS 1e-3 /* a round takes at least this long ... */
#define SHORT_SECONDS 2e-2 /* ... and there are several of those that take less than this */
enum { ROUNDS = 3 };

/* CPU time: what else the machine does neither slows a method down nor lets it run into its limit. */
static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

double weir_bench_number(struct weir_ratio ratio)
{
    return (double)ratio.numerator / (double)ratio.denominator;
}

double weir_bench_unit(const struct weir_pipeline *pipeline)
{
    double ticks = 1;
    for (unsigned i = 0; i < weir_pipeline_digits(pipeline); i++)
        ticks *= 10;
    return ticks;
}

double weir_bench_time(bool (*run)(void *context), void *context)
{
    double fastest = -1;
    for (int round = 0; round < ROUNDS; round++) {
        unsigned runs = 0;
        double begun = now(), passed;
        do {
            if (!run(context))
                return -1;
            runs++;
            passed = now() - begun;
        } while (passed < ROUND_SECONDS);
        if (fastest < 0 || passed / runs < fastest)
            fastest = passed / runs;
        if (passed >= SHORT_SECONDS)
            break;
    }
    return fastest;
}

/* ---- limits ---- */

#define GIBIBYTE (UINT64_C(1) << 30)
#define EXPRESSIONS_MAX UINT64_C(4000000000) /* memory ends it before */

static struct weir_bench_cell over_time(const struct weir_bench *bench)
{
    struct weir_bench_cell cell = {.kind = WEIR_CELL_OVER, .number = bench->cell};
    snprintf(cell.text, sizeof cell.text, ">%.4g s", bench->cell);
    return cell;
}

static struct weir_bench_cell over_memory(uint64_t bytes, double seconds)
{
    struct weir_bench_cell cell = {.kind = WEIR_CELL_OVER, .number = seconds};
    bool whole = bytes % GIBIBYTE == 0;
    snprintf(cell.text, sizeof cell.text, ">%llu %s", (unsigned long long)(whole ? bytes / GIBIBYTE : bytes >> 20),
             whole ? "GiB" : "MiB");
    return cell;
}

/* ---- weir's own ---- */

struct query_work {
    struct weir_solver *solver;
    struct weir_query query;
    struct weir_separation result;
    struct weir_error error;
    enum weir_status status;
};

static bool run_query(void *context)
{
    struct query_work *work = context;
    work->status = weir_separation_worst(work->solver, &work->query, &work->result, &work->error);
    return work->status == WEIR_OK && work->result.outcome == WEIR_EXACT;
}

enum weir_exit weir_measure_exact(const struct weir_bench *bench, const struct weir_pipeline *pipeline, int64_t shift,
                                  struct weir_measurement *m)
{
    struct weir_chain_spec chain = weir_pipeline_chain(pipeline, 0);
    struct query_work work = {
        .query = {.from = {.op = chain.from, .moment = WEIR_START}, .to = {.op = chain.to, .moment = WEIR_FINISH}, .shift = shift}};
    *m = (struct weir_measurement){0};
    if (weir_interrupted())
        return WEIR_EXIT_BRACKET;
    work.solver = weir_solver_new(pipeline, &work.error);
    if (!work.solver)
        return weir_complain_error(NULL, &work.error);
    double seconds = weir_bench_time(run_query, &work);
    weir_solver_free(work.solver);
    if (weir_interrupted())
        return WEIR_EXIT_BRACKET;
    if (work.status != WEIR_OK)
        return weir_complain_error(weir_pipeline_name(pipeline), &work.error);
    m->good = work.result.outcome == WEIR_EXACT && seconds <= bench->cell;
    m->value = work.result.value;
    m->time = m->good ? weir_cell_number(WEIR_CELL_SECONDS, seconds) : over_time(bench);
    return WEIR_EXIT_OK;
}

/* ---- the others ---- */

struct method_work {
    const struct weir_pipeline *pipeline;
    enum weir_method method;
    struct weir_method_options options;
    struct weir_method_result result;
    struct weir_error error;
    enum weir_status status;
    double begun, seconds; /* of the last run */
};

static bool run_method(void *context)
{
    struct method_work *work = context;
    work->begun = now();
    work->status = weir_method_run(work->pipeline, work->method, 0, &work->options, &work->result, &work->error);
    work->seconds = now() - work->begun;
    return work->status == WEIR_OK && work->result.applicable && work->result.outcome == WEIR_EXACT;
}

enum weir_exit weir_measure_method(const struct weir_bench *bench, const struct weir_pipeline *pipeline, enum weir_method method,
                                   const struct weir_bench_limits *limits, struct weir_measurement *m)
{
    uint64_t bytes = limits && limits->bytes ? limits->bytes : GIBIBYTE;
    bool any_time = limits && limits->any_time;
    struct method_work work = {.pipeline = pipeline, .method = method, .options = {.limit = EXPRESSIONS_MAX, .bytes = bytes}};
    *m = (struct weir_measurement){.time.kind = WEIR_CELL_MISSING};
    if (weir_interrupted())
        return WEIR_EXIT_BRACKET;
    if (!weir_method_available(method, NULL))
        return WEIR_EXIT_OK;
    if (!any_time) /* in whole seconds, rounded up; what took longer than a cell is reported below */
        work.options.seconds = (uint32_t)bench->cell + ((double)(uint32_t)bench->cell < bench->cell);
    double seconds = weir_bench_time(run_method, &work);
    if (work.status != WEIR_OK)
        return weir_complain_error(weir_pipeline_name(pipeline), &work.error);
    if (!work.result.applicable)
        return WEIR_EXIT_OK;
    m->good = work.result.outcome == WEIR_EXACT && (any_time || seconds <= bench->cell);
    m->value = work.result.value;
    m->count = work.result.count;
    if (m->good)
        m->time = weir_cell_number(WEIR_CELL_SECONDS, seconds);
    else /* the clock is looked at now and then, so it may be a little early or late */
        m->time = !any_time && work.seconds >= bench->cell * 0.95 ? over_time(bench) : over_memory(bytes, work.seconds);
    return WEIR_EXIT_OK;
}

void weir_bench_note_missing(enum weir_method method, struct weir_bench_table *table)
{
    const char *why = NULL;
    if (!weir_method_available(method, &why))
        weir_table_add_note(table, "%s: n/a, %s.", weir_method_name(method), why ? why : "not in this build");
}

enum weir_exit weir_bench_compare(const struct weir_pipeline *pipeline, enum weir_method method, const struct weir_measurement *m,
                                  int64_t exact)
{
    if (!m->good || m->value == exact)
        return WEIR_EXIT_OK;
    weir_complain("%s: %s gives %lld where exact gives %lld: a bug in weir", weir_pipeline_name(pipeline), weir_method_name(method),
                  (long long)m->value, (long long)exact);
    return WEIR_EXIT_INTERNAL;
}

enum weir_exit weir_measure_promise(const struct weir_bench *bench, size_t app, const struct weir_promise *promise, int64_t shift,
                                    struct weir_measurement *m, int64_t *exact)
{
    struct weir_application_options options = {.best_permille = promise->best_permille};
    struct weir_pipeline *pipeline = weir_bench_application(app, &options);
    if (!pipeline)
        return WEIR_EXIT_INTERNAL;
    enum weir_exit result = weir_measure_exact(bench, pipeline, shift, m);
    *exact = m->value;
    if (result == WEIR_EXIT_OK && promise->method != WEIR_METHOD_EXACT)
        result = weir_measure_method(bench, pipeline, promise->method, NULL, m);
    if (result == WEIR_EXIT_OK && promise->exact)
        result = weir_bench_compare(pipeline, promise->method, m, *exact);
    weir_pipeline_free(pipeline);
    return result;
}

/* ---- what is measured ---- */

struct weir_pipeline *weir_bench_application(size_t index, const struct weir_application_options *options)
{
    struct weir_pipeline *pipeline = NULL;
    struct weir_error error = {0};
    if (weir_generate_application(weir_application_name(index), options, &pipeline, &error) != WEIR_OK)
        weir_complain_error(NULL, &error);
    return pipeline;
}

struct weir_pipeline *weir_bench_graph(const struct weir_bench *bench, uint32_t nodes, uint32_t queue, uint64_t index)
{
    struct weir_generate_options options = {
        .nodes = nodes, .seed = bench->seed * 1000 + index, .density_permille = 200, .queue = queue};
    struct weir_pipeline *pipeline = NULL;
    struct weir_error error = {0};
    if (weir_generate_holoscan(&options, &pipeline, &error) != WEIR_OK)
        weir_complain_error(NULL, &error);
    return pipeline;
}
