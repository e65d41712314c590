/* SPDX-License-Identifier: Apache-2.0 */
/* weir's own executor. */
#include "run_peers.h"
#include "weir.h"

#include <stdio.h>
#include <stdlib.h>

static void give_up(const char *message)
{
    fprintf(stderr, "bench_run: %s\n", message);
    exit(1);
}

static struct weir_pipeline *chain(const struct flow *flow)
{
    struct weir_pipeline *p = weir_pipeline_new(NULL);
    struct weir_operator last = {0}, op;
    for (uint32_t i = 0; p && i < flow->operators; i++) {
        char name[16];
        snprintf(name, sizeof name, "op%u", (unsigned)i);
        const struct weir_operator_spec spec = {.name = name};
        if (weir_pipeline_add_operator(p, &spec, &op, NULL))
            give_up("no operator");
        const struct weir_queue_spec queue = {.from = last, .to = op, .capacity = flow->capacity};
        if (i > 0 && weir_pipeline_add_queue(p, &queue, NULL, NULL))
            give_up("no queue");
        last = op;
    }
    if (!p || weir_pipeline_seal(p, NULL, NULL))
        give_up("no pipeline");
    return p;
}

/* Each in lines of the caches of its own. */
struct ends {
    _Alignas(128) intptr_t sent;
    intptr_t seen;
};

static int count_up(void *context, const struct weir_run_call *call)
{
    struct ends *e = context;
    call->outputs[0].messages[0] = (void *)++e->sent;
    return 0;
}

static int check(void *context, const struct weir_run_call *call)
{
    struct ends *e = context;
    return (intptr_t)call->inputs[0].messages[0] == ++e->seen ? 0 : 1;
}

static double run(const struct flow *flow, bool bound, bool measure, const uint32_t *processes)
{
    struct weir_pipeline *p = chain(flow);
    const struct weir_run_options options = {
        .iterations = flow->messages, .work = WEIR_RUN_NOTHING, .measure = measure, .processes = processes};
    struct ends source = {0}, sink = {0};
    struct weir_run *run;
    struct weir_error error = {.status = WEIR_OK};
    if (weir_run_new(p, &options, &run, &error))
        give_up(error.message);
    if (bound && (weir_run_bind(run, (struct weir_operator){0}, count_up, &source, &error) ||
                  weir_run_bind(run, (struct weir_operator){flow->operators - 1}, check, &sink, &error)))
        give_up(error.message);
    if (weir_run_start(run, &error) || weir_run_wait(run, -1, NULL, &error))
        give_up(error.message);
    struct weir_run_outcome result = weir_run_result(run);
    weir_run_free(run);
    weir_pipeline_free(p);
    return (double)(result.ended - result.began);
}

double run_weir(const struct flow *flow)
{
    return run(flow, true, false, NULL);
}

double run_counts(const struct flow *flow)
{
    return run(flow, false, false, NULL);
}

double run_measured(const struct flow *flow)
{
    return run(flow, true, true, NULL);
}

double run_processes(const struct flow *flow)
{
    uint32_t processes[RUN_OPERATORS_MAX];
    for (uint32_t i = 0; i < flow->operators; i++)
        processes[i] = i % 2;
    return run(flow, false, false, processes);
}
