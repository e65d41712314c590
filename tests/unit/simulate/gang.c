/* SPDX-License-Identifier: Apache-2.0 */
#include "gang.h"

#include <stdio.h>
#include <string.h>

struct weir_pipeline *gang_new(uint32_t cores)
{
    struct weir_pipeline *p = weir_pipeline_new(NULL);
    assert_non_null(p);
    assert_int_equal(weir_pipeline_set_platform(p, WEIR_PLATFORM_CORES, NULL), WEIR_OK);
    assert_int_equal(weir_pipeline_set_cores(p, cores, NULL), WEIR_OK);
    return p;
}

struct weir_operator gang_add(struct weir_pipeline *p, const char *name, int64_t cost)
{
    struct weir_operator op;
    struct weir_operator_spec spec = {.name = name, .best = 0, .worst = cost};
    assert_int_equal(weir_pipeline_add_operator(p, &spec, &op, NULL), WEIR_OK);
    return op;
}

void gang_queue(struct weir_pipeline *p, struct weir_operator from, struct weir_operator to, struct weir_queue_spec spec)
{
    spec.from = from;
    spec.to = to;
    spec.capacity = spec.capacity ? spec.capacity : WEIR_AUTO;
    assert_int_equal(weir_pipeline_add_queue(p, &spec, NULL, NULL), WEIR_OK);
}

void gang_feed(struct weir_pipeline *p, struct weir_operator op, struct weir_source_spec spec)
{
    spec.op = op;
    spec.arrivals = WEIR_ARRIVALS_EXACT;
    spec.has_phase = spec.phase > 0;
    assert_int_equal(weir_pipeline_add_source(p, &spec, NULL), WEIR_OK);
}

static void mix(struct gang_log *log, int64_t value)
{
    log->hash = (log->hash ^ (uint64_t)value) * UINT64_C(0x100000001b3);
}

static void observe(void *context, struct weir_operator op, int64_t execution, const int64_t moments[3], int64_t scale)
{
    struct gang_log *log = context;
    int length = snprintf(log->text + log->used, sizeof log->text - log->used, "%s%s%lld %lld %lld %lld", log->used ? ", " : "",
                          weir_pipeline_operator(log->pipeline, op).name, (long long)execution, (long long)moments[0],
                          (long long)moments[1], (long long)moments[2]);
    if (log->used + (size_t)length < sizeof log->text)
        log->used += (size_t)length;
    assert_true(moments[0] <= moments[1] && moments[0] <= moments[2] && moments[2] >= log->last);
    assert_true(log->scale == 0 || log->scale == scale);
    log->scale = scale;
    log->last = moments[2];
    log->ended++;
    mix(log, op.index);
    for (int i = 0; i < 3; i++)
        mix(log, moments[i]);
}

static void arrived(void *context, struct weir_operator op, int64_t execution, int64_t time, int64_t scale)
{
    struct gang_log *log = context;
    assert_true(time >= log->last && scale > 0);
    log->last = time;
    mix(log, time);
    if (op.index != 0)
        return;
    assert_int_equal(execution, ++log->arrival_count);
    if (execution <= GANG_ARRIVALS)
        log->arrived[execution - 1] = time;
}

void gang_run(const struct weir_pipeline *p, struct weir_edf_simulation_options options, struct gang_log *log)
{
    struct weir_error error = {0};
    memset(log, 0, sizeof *log);
    log->pipeline = p;
    options.observe = observe;
    options.arrived = arrived;
    options.context = log;
    options.times = options.times ? options.times : WEIR_TIMES_WORST;
    if (weir_edf_simulate(p, &options, log->peak, &error))
        fail_msg("%s", error.message);
}
