/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses the method, and what all methods share. */
#include "baseline/classic.h"

#include "base/interrupt.h"
#include "base/word.h"
#include "model/pipeline.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

/* ---- limits ---- */

/* CPU time of this thread: what else the machine does ends no search. */
static int64_t now_ms(void)
{
    struct timespec now = {0};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

void weir_clock_start(struct weir_clock *clock, const struct weir_method_options *options)
{
    clock->end_ms = options->seconds ? now_ms() + (int64_t)options->seconds * 1000 : INT64_MAX;
}

int64_t weir_clock_left(const struct weir_clock *clock)
{
    return clock->end_ms == INT64_MAX ? INT64_MAX : clock->end_ms - now_ms();
}

bool weir_clock_over(const struct weir_clock *clock)
{
    return weir_interrupted() || weir_clock_left(clock) <= 0;
}

void weir_method_progress(const struct weir_method_options *options, uint64_t done, uint64_t all)
{
    if (!options->progress)
        return;
    unsigned permille = done >= all ? 1000 : (unsigned)((weir_wide)done * 1000 / (weir_wide)all);
    options->progress(options->context, permille);
}

void weir_note_add(struct weir_method_result *result, const char *format, ...)
{
    size_t used = strlen(result->note);
    if (used > 0 && used + 1 < sizeof result->note)
        result->note[used++] = ' ';
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(result->note + used, sizeof result->note - used, format, arguments);
    va_end(arguments);
}

/* ---- weir's own ---- */

struct weir_query weir_method_query(const struct weir_pipeline *pipeline, uint32_t chain)
{
    struct weir_chain_spec spec = weir_pipeline_chain(pipeline, chain);
    struct weir_query query = {
        .from = {.op = spec.from, .moment = WEIR_START}, .to = {.op = spec.to, .moment = WEIR_FINISH}, .shift = spec.shift};
    for (uint32_t i = 0; i < weir_pipeline_source_count(pipeline); i++) {
        struct weir_source_spec source = weir_pipeline_source(pipeline, i);
        if (source.op.index == spec.from.index && source.arrivals == WEIR_ARRIVALS_EXACT)
            query.from.moment = WEIR_ARRIVAL;
    }
    return query;
}

static enum weir_status run_exact(const struct weir_pipeline *pipeline, uint32_t chain, const struct weir_method_options *options,
                                  struct weir_method_result *result, struct weir_error *error)
{
    struct weir_separation worst;
    struct weir_query query = weir_method_query(pipeline, chain);
    query.work_limit = options->limit;
    struct weir_solver *solver = weir_solver_new(pipeline, error);
    if (!solver)
        return WEIR_MEMORY;
    enum weir_status status = weir_separation_worst(solver, &query, &worst, error);
    weir_solver_free(solver);
    if (status)
        return status;
    result->outcome = worst.outcome;
    result->value = worst.value;
    result->lower = worst.lower;
    result->upper = worst.upper;
    result->safe = true;
    result->exact = worst.outcome != WEIR_BRACKET;
    return WEIR_OK;
}

/* ---- dispatch ---- */

static enum weir_status run_on_chart(const struct weir_classic_chart *chart, enum weir_method method,
                                     const struct weir_method_options *options, struct weir_method_result *result,
                                     struct weir_error *error)
{
    switch (method) {
    case WEIR_METHOD_TGDFS:
        return weir_tgdfs_run(chart, options, result, error);
    case WEIR_METHOD_RTSS24:
        return weir_rtss24_run(chart, options, result, error);
    default:
        return weir_statespace_run(chart, options, result, error);
    }
}

/* Published methods know plain operators and queues; ours knows all but several executions in an iteration. */
static enum weir_status check_known(const struct weir_pipeline *pipeline, enum weir_method method, struct weir_error *error)
{
    if (method != WEIR_METHOD_EXACT)
        return weir_pipeline_require_simple(pipeline, error);
    enum weir_status status = weir_pipeline_require_threads(pipeline, error);
    for (uint32_t i = 0; i < weir_pipeline_operator_count(pipeline) && !status; i++)
        if (weir_pipeline_firings(pipeline, (struct weir_operator){i}) > 1)
            return weir_fail(error, WEIR_INVALID,
                             "methods are compared where each operator executes once per iteration; weir_analyze knows operators "
                             "that take several messages at once");
    return status;
}

enum weir_status weir_method_run(const struct weir_pipeline *pipeline, enum weir_method method, uint32_t chain,
                                 const struct weir_method_options *options, struct weir_method_result *result,
                                 struct weir_error *error)
{
    static const struct weir_method_options defaults = {0};
    const char *why;
    *result = (struct weir_method_result){0};
    enum weir_status fit = check_known(pipeline, method, error);
    if (fit)
        return fit;
    if (chain >= weir_pipeline_chain_count(pipeline))
        return weir_fail(error, WEIR_INVALID, "the pipeline has no chain %u", chain);
    if (!weir_method_available(method, &why))
        return weir_fail(error, WEIR_INVALID, "%s: %s", weir_method_name(method), why);
    if (!options)
        options = &defaults;
    result->applicable = true;
    if (method == WEIR_METHOD_EXACT)
        return run_exact(pipeline, chain, options, result, error);
    if (method == WEIR_METHOD_SMT)
        return weir_smt_run(pipeline, chain, options, result, error);
    struct weir_classic_chart chart;
    enum weir_status status = weir_chart_extract(pipeline, chain, &chart, result, error);
    if (!status && result->applicable)
        status = run_on_chart(&chart, method, options, result, error);
    weir_chart_free(&chart);
    return status;
}

/* ---- names ---- */

/* What the methods are called, and which of them this build has. */
const char *weir_method_name(enum weir_method method)
{
    static const char *const names[WEIR_METHODS] = {[WEIR_METHOD_EXACT] = "exact",
                                                    [WEIR_METHOD_TGDFS] = "tgdfs",
                                                    [WEIR_METHOD_RTSS24] = "rtss24",
                                                    [WEIR_METHOD_STATESPACE] = "statespace",
                                                    [WEIR_METHOD_SMT] = "smt"};
    return WEIR_WORD(names, method);
}

bool weir_method_available(enum weir_method method, const char **why)
{
    const char *missing = NULL;
    if ((unsigned)method >= WEIR_METHODS)
        missing = "there is no such method";
    if (method == WEIR_METHOD_SMT)
        missing = weir_smt_missing();
    if (why)
        *why = missing;
    return !missing;
}
