/* SPDX-License-Identifier: Apache-2.0 */
#include "support/stage.h"

#include "support/refuse.h"

#include <string.h>

struct weir_pipeline *stage_read(const char *model)
{
    struct weir_errors *errors = weir_errors_new();
    struct weir_pipeline *pipeline = NULL;
    if (weir_read_memory(model, strlen(model), "model", NULL, &pipeline, errors))
        fail_msg("%s\n%s", model, weir_errors_count(errors) ? weir_errors_at(errors, 0)->message : "no reason");
    weir_errors_free(errors);
    return pipeline;
}

struct weir_operator stage_operator(struct weir_pipeline *pipeline, const char *name, int64_t best, int64_t worst)
{
    struct weir_operator op;
    struct weir_operator_spec spec = {.name = name, .best = best, .worst = worst};
    assert_int_equal(weir_pipeline_add_operator(pipeline, &spec, &op, NULL), WEIR_OK);
    return op;
}

void stage_queue(struct weir_pipeline *pipeline, struct weir_operator from, struct weir_operator to, uint32_t capacity,
                 uint32_t initial)
{
    struct weir_queue_spec spec = {.from = from, .to = to, .capacity = capacity, .initial = initial};
    assert_int_equal(weir_pipeline_add_queue(pipeline, &spec, NULL, NULL), WEIR_OK);
}

void stage_period(struct weir_pipeline *pipeline, struct weir_operator op, int64_t period, enum weir_arrivals arrivals)
{
    struct weir_source_spec spec = {.op = op, .period = period, .arrivals = arrivals};
    assert_int_equal(weir_pipeline_add_source(pipeline, &spec, NULL), WEIR_OK);
}

void stage_deadline(struct weir_pipeline *pipeline, uint32_t from, uint32_t to, int64_t deadline)
{
    struct weir_chain_spec spec = {.from = {from}, .to = {to}, .has_deadline = true, .deadline = deadline};
    assert_int_equal(weir_pipeline_add_chain(pipeline, &spec, NULL), WEIR_OK);
}

void stage_seal(struct weir_pipeline *pipeline)
{
    assert_int_equal(weir_pipeline_seal(pipeline, NULL, NULL), WEIR_OK);
}

struct weir_pipeline *stage_chain(size_t count, const int64_t *worst, uint32_t capacity)
{
    struct weir_pipeline *pipeline = weir_pipeline_new(NULL);
    assert_non_null(pipeline);
    for (uint32_t i = 0; i < count; i++) {
        char name[2] = {(char)('A' + i), 0};
        struct weir_operator op = stage_operator(pipeline, name, 0, worst[i]);
        if (i > 0)
            stage_queue(pipeline, (struct weir_operator){i - 1}, op, capacity, 0);
    }
    stage_seal(pipeline);
    return pipeline;
}

void stage_observe(void *context, struct weir_operator op, enum weir_moment moment, int64_t iteration, int64_t time)
{
    struct stage_trace *trace = context;
    if (time < trace->last || iteration != trace->seen[moment][op.index])
        trace->disordered = true;
    trace->last = time;
    trace->seen[moment][op.index]++;
    if (iteration < STAGE_ITERATIONS)
        trace->at[moment][op.index][iteration] = time;
    uint64_t event[] = {op.index, (uint64_t)moment, (uint64_t)iteration, (uint64_t)time};
    for (size_t i = 0; i < 4; i++)
        trace->hash = (trace->hash ^ event[i]) * UINT64_C(1099511628211);
}

void stage_run(const struct weir_pipeline *pipeline, int64_t iterations, struct stage_trace *trace)
{
    memset(trace, 0, sizeof *trace);
    struct weir_simulation_options options = {
        .iterations = iterations, .times = WEIR_TIMES_WORST, .observe = stage_observe, .context = trace};
    assert_int_equal(weir_simulate(pipeline, &options, NULL), WEIR_OK);
    assert_false(trace->disordered);
    for (uint32_t i = 0; i < weir_pipeline_operator_count(pipeline); i++) {
        assert_int_equal(trace->seen[WEIR_START][i], iterations);
        assert_int_equal(trace->seen[WEIR_FINISH][i], iterations);
    }
}

void stage_check(const struct stage_trace *trace, enum weir_moment moment, struct weir_operator op, const int64_t *times,
                 size_t count)
{
    assert_true((size_t)trace->seen[moment][op.index] >= count);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(trace->at[moment][op.index][i], times[i]);
}

/* ---- failing memory ---- */

int stage_fail_each_allocation(enum weir_status (*act)(void *context), void *context)
{
    struct refuse memory = {0};
    for (enum weir_status status = WEIR_MEMORY; status;) {
        assert_true(refuse_next(&memory)); /* there is no failure without a refusal */
        status = act(context);
        assert_int_equal(memory.live, 0);
        if (status)
            assert_int_equal(status, WEIR_MEMORY);
        assert_true(memory.number < 10000);
    }
    refuse_end();
    return (int)memory.number;
}

struct weir_pipeline *stage_pool(struct weir_queue_spec queue, int64_t period)
{
    struct weir_pipeline *p = weir_pipeline_new(NULL);
    assert_int_equal(weir_pipeline_set_unit(p, WEIR_UNIT_US, 0, NULL), WEIR_OK);
    assert_int_equal(weir_pipeline_set_platform(p, WEIR_PLATFORM_CORES, NULL), WEIR_OK);
    assert_int_equal(weir_pipeline_set_cores(p, 2, NULL), WEIR_OK);
    queue.from = stage_operator(p, "A", 0, 1);
    queue.to = stage_operator(p, "B", 0, 1);
    assert_int_equal(weir_pipeline_add_queue(p, &queue, NULL, NULL), WEIR_OK);
    stage_period(p, queue.from, period, WEIR_ARRIVALS_EXACT);
    stage_seal(p);
    return p;
}

char *stage_answer(const struct weir_answer *answer, bool json)
{
    char *text;
    STAGE_WRITTEN(text, json ? weir_answer_write_json(answer, out, NULL) : weir_answer_write_text(answer, NULL, out, NULL));
    return text;
}

enum weir_status stage_analyze_workers(void *pipeline)
{
    struct weir_workers_analysis *analysis;
    struct weir_error error;
    enum weir_status status = weir_workers_analyze(pipeline, NULL, &analysis, &error);
    assert_int_equal(status ? error.status : WEIR_OK, status);
    weir_workers_analysis_free(analysis);
    return status;
}
