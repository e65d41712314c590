/* SPDX-License-Identifier: Apache-2.0 */
/* What came out, once all threads are over. */
#include "base/error.h"
#include "measure/run/run.h"

#include <stdio.h>
#include <string.h>

static const char *name_of(const struct weir_run *run, uint32_t op, char text[WEIR_QUOTED])
{
    return weir_quote(weir_pipeline_operator(run->pipeline, (struct weir_operator){op}).name, text);
}

static void describe(struct weir_run *run, enum weir_run_end end)
{
    char *text = run->description, from[WEIR_QUOTED], to[WEIR_QUOTED];
    size_t size = sizeof run->description;
    const struct weir_run_outcome *r = &run->result;
    const struct weir_operator_thread *s = &run->threads[r->op.index];
    const struct weir_channel *c = run->channel_count ? &run->channels[r->queue.index] : NULL;
    switch (end) {
    case WEIR_RUN_UNFINISHED:
        snprintf(text, size, "it has not ended");
        break;
    case WEIR_RUN_COMPLETE:
        snprintf(text, size, "every operator has done all it had to do");
        break;
    case WEIR_RUN_STOPPED:
        snprintf(text, size, "it was stopped");
        break;
    case WEIR_RUN_FAILED:
        snprintf(text, size, "operator \"%s\" failed with %d in execution %lld", name_of(run, s->index, from), r->code,
                 (long long)s->now.execution);
        break;
    case WEIR_RUN_STANDSTILL:
        snprintf(text, size, "the pipeline is stuck: operator \"%s\" cannot start execution %lld, and all others wait too",
                 name_of(run, s->index, from), (long long)atomic_load(&s->executions));
        break;
    case WEIR_RUN_FAULT:
        if (c)
            snprintf(text, size, "a message of \"%s\" found the queue to \"%s\" full", name_of(run, c->from, from),
                     name_of(run, c->to, to));
        break;
    case WEIR_RUN_MISUSED:
        snprintf(text, size,
                 r->code == WEIR_MISUSED_THREAD
                     ? "operator \"%s\" ended its thread, or was cancelled, in execution %lld"
                     : "operator \"%s\" sent something that is not a message of the run in execution %lld",
                 name_of(run, s->index, from), (long long)s->now.execution);
        break;
    case WEIR_RUN_DIED:
        snprintf(text, size, "the process of operator \"%s\" %s%s in execution %lld", name_of(run, s->index, from),
                 r->code ? "was ended by a signal: " : "ended by itself", r->code ? strsignal(r->code) : "",
                 (long long)s->now.execution);
        break;
    case WEIR_RUN_EXHAUSTED:
        if (c)
            snprintf(text, size, "the queue from \"%s\" to \"%s\" holds %llu messages, and there is no memory for more",
                     name_of(run, c->from, from), name_of(run, c->to, to),
                     (unsigned long long)(atomic_load(&c->tail) - atomic_load(&c->head)));
        break;
    }
}

enum weir_status weir_run_judge(struct weir_run *run, struct weir_error *error)
{
    enum weir_run_end end = (enum weir_run_end)atomic_load(&run->end);
    if (run->description[0] == '\0')
        describe(run, end);
    switch (end) {
    case WEIR_RUN_COMPLETE:
    case WEIR_RUN_STOPPED:
        return WEIR_OK;
    case WEIR_RUN_EXHAUSTED:
        return weir_fail(error, WEIR_MEMORY, "%s", run->description);
    case WEIR_RUN_UNFINISHED:
    case WEIR_RUN_FAILED:
    case WEIR_RUN_STANDSTILL:
    case WEIR_RUN_FAULT:
    case WEIR_RUN_MISUSED:
    case WEIR_RUN_DIED:
        break;
    }
    return weir_fail(error, WEIR_INVALID, "%s", run->description);
}

const struct weir_pipeline *weir_run_pipeline(const struct weir_run *run)
{
    return run->pipeline;
}

struct weir_run_outcome weir_run_result(const struct weir_run *run)
{
    struct weir_run_outcome result = run->result;
    result.end = run->joined ? (enum weir_run_end)atomic_load(&run->end) : WEIR_RUN_UNFINISHED;
    result.description = run->joined ? run->description : "";
    result.loops_per_ms = run->loops_per_ms;
    result.tolerance_ns = run->tolerance;
    for (uint32_t i = 0; i < run->thread_count; i++)
        result.executions += (uint64_t)atomic_load_explicit(&run->threads[i].executions, memory_order_relaxed);
    return result;
}

struct weir_run_operator_stats weir_run_operator(const struct weir_run *run, struct weir_operator op)
{
    if (op.index >= run->thread_count)
        return (struct weir_run_operator_stats){0};
    const struct weir_operator_thread *s = &run->threads[op.index];
    struct weir_run_operator_stats result = s->result;
    result.executions = (uint64_t)atomic_load_explicit(&s->executions, memory_order_relaxed);
    return result;
}

struct weir_run_chain_stats weir_run_chain(const struct weir_run *run, uint32_t chain)
{
    struct weir_run_chain_stats result = {.chain = weir_pipeline_chain(run->pipeline, chain)};
    const struct weir_gauge *g = run->gauges && chain < weir_pipeline_chain_count(run->pipeline) ? run->gauges[chain] : NULL;
    if (!g)
        return result;
    result.carried = g->carried;
    result.count = atomic_load_explicit(&g->count, memory_order_relaxed);
    result.missed = atomic_load_explicit(&g->missed, memory_order_relaxed);
    result.over = atomic_load_explicit(&g->over, memory_order_relaxed);
    result.min = atomic_load_explicit(&g->min, memory_order_relaxed);
    result.max = atomic_load_explicit(&g->max, memory_order_relaxed);
    result.total = atomic_load_explicit(&g->total, memory_order_relaxed);
    result.worst_execution = atomic_load_explicit(&g->worst_execution, memory_order_relaxed);
    bool over = atomic_load(&run->gate) == WEIR_GATE_OPEN && atomic_load(&run->alive) == 0;
    if (over && !g->carried && atomic_load(&run->end) > WEIR_RUN_COMPLETE)
        weir_measure_pending(run, g, &result);
    return result;
}

struct weir_run_queue_stats weir_run_queue(const struct weir_run *run, struct weir_queue queue)
{
    if (queue.index >= run->channel_count)
        return (struct weir_run_queue_stats){0};
    const struct weir_channel *c = &run->channels[queue.index];
    bool refuses = !c->waits && !c->pops && c->kind != WEIR_CHANNEL_LATEST;
    return (struct weir_run_queue_stats){.sent = atomic_load(&c->tail) + (refuses ? c->lost : 0),
                                         .taken = c->plain ? atomic_load(&c->head) : c->taken,
                                         .lost = c->lost,
                                         .peak = c->peak > c->initial   ? c->peak
                                                 : run->options.measure ? c->initial
                                                                        : 0};
}
