/* SPDX-License-Identifier: Apache-2.0 */
#include "crew.h"

#include <stdio.h>
#include <string.h>

struct weir_pipeline *crew_new(void)
{
    struct weir_pipeline *p = weir_pipeline_new(NULL);
    assert_non_null(p);
    assert_int_equal(weir_pipeline_set_platform(p, WEIR_PLATFORM_PROCESSORS, NULL), WEIR_OK);
    return p;
}

struct weir_processor crew_processor(struct weir_pipeline *p, enum weir_sharing sharing, int64_t frame)
{
    char name[16];
    struct weir_processor processor;
    snprintf(name, sizeof name, "cpu%u", weir_pipeline_processor_count(p));
    struct weir_processor_spec spec = {.name = name, .sharing = sharing, .frame = frame};
    assert_int_equal(weir_pipeline_add_processor(p, &spec, &processor, NULL), WEIR_OK);
    return processor;
}

struct weir_operator crew_add(struct weir_pipeline *p, struct crew_task task)
{
    struct weir_operator op;
    struct weir_operator_spec spec = {.name = task.name,
                                      .best = task.best,
                                      .worst = task.worst,
                                      .mapped = !task.alone,
                                      .on = task.on,
                                      .has_priority = !task.alone && task.slot == 0,
                                      .priority = task.priority,
                                      .slot = task.slot};
    assert_int_equal(weir_pipeline_add_operator(p, &spec, &op, NULL), WEIR_OK);
    return op;
}

void crew_queue(struct weir_pipeline *p, struct weir_operator from, struct weir_operator to, uint32_t capacity, uint32_t initial)
{
    stage_queue(p, from, to, capacity, initial);
}

void crew_feed(struct weir_pipeline *p, struct weir_operator op, struct weir_source_spec source)
{
    source.op = op;
    source.arrivals = WEIR_ARRIVALS_EXACT;
    assert_int_equal(weir_pipeline_add_source(p, &source, NULL), WEIR_OK);
}

void crew_ran(void *context, struct weir_operator op, int64_t iteration, int64_t from, int64_t to)
{
    struct crew_log *log = context;
    int length = snprintf(log->text + log->used, sizeof log->text - log->used, "%s%s%lld %lld-%lld", log->used ? ", " : "",
                          weir_pipeline_operator(log->pipeline, op).name, (long long)iteration, (long long)from, (long long)to);
    if (log->used + (size_t)length < sizeof log->text)
        log->used += (size_t)length;
    assert_true(from < to);
}

void crew_observe(void *context, struct weir_operator op, enum weir_moment moment, int64_t iteration, int64_t time, int64_t nominal)
{
    struct crew_log *log = context;
    stage_observe(&log->trace, op, moment, iteration, time);
    assert_true(time >= nominal);
    if (moment != WEIR_FINISH)
        return;
    if (iteration < STAGE_ITERATIONS)
        log->nominal[op.index][iteration] = nominal;
    if (time - nominal > log->late[op.index])
        log->late[op.index] = time - nominal;
}

void crew_run(const struct weir_pipeline *p, struct weir_processors_options options, struct crew_log *log)
{
    struct weir_error error = {0};
    memset(log, 0, sizeof *log);
    log->pipeline = p;
    options.observe = crew_observe;
    options.ran = crew_ran;
    options.context = log;
    assert_int_equal(weir_processors_simulate(p, &options, &error), WEIR_OK);
    assert_false(log->trace.disordered);
    for (uint32_t i = 0; i < weir_pipeline_operator_count(p); i++) {
        assert_int_equal(log->trace.seen[WEIR_START][i], options.iterations);
        assert_int_equal(log->trace.seen[WEIR_FINISH][i], options.iterations);
    }
}
