/* SPDX-License-Identifier: Apache-2.0 */
#include "cores_flow.h"

#include <stdlib.h>
#include <string.h>

static void put(struct flow *f, struct list *list, int64_t value)
{
    if (list->count == list->capacity) {
        size_t capacity = list->capacity ? 2 * list->capacity : 64;
        int64_t *at = realloc(list->at, capacity * sizeof *at);
        if (!at) {
            f->broken = true;
            return;
        }
        list->at = at;
        list->capacity = capacity;
    }
    list->at[list->count++] = value;
}

static void read_flow(struct flow *f)
{
    uint32_t waiting[NODES] = {0}, count = 0;
    for (uint32_t i = 0; i < weir_pipeline_source_count(f->pipeline); i++) {
        struct weir_source_spec s = weir_pipeline_source(f->pipeline, i);
        struct node *n = &f->node[s.op.index];
        n->spec = s;
        n->source = true;
        n->feeds = 1U << s.op.index;
        n->even = !s.sporadic && !s.bursty;
    }
    for (uint32_t i = 0; i < f->queues; i++) {
        struct weir_queue_spec *q = &f->queue[i];
        *q = weir_pipeline_queue(f->pipeline, (struct weir_queue){i});
        q->produce = q->produce ? q->produce : 1;
        q->consume = q->consume ? q->consume : 1;
        q->threshold = q->threshold ? q->threshold : q->consume;
        waiting[q->to.index]++;
    }
    for (uint32_t v = 0; v < f->operators; v++) {
        if (!f->node[v].source)
            f->node[v].even = true;
        if (!waiting[v])
            f->order[count++] = v;
    }
    for (uint32_t k = 0; k < count; k++)
        for (uint32_t i = 0; i < f->queues; i++) {
            struct node *to = &f->node[f->queue[i].to.index], *from = &f->node[f->order[k]];
            if (f->queue[i].from.index != f->order[k])
                continue;
            to->feeds |= from->feeds;
            to->even &= from->even;
            if (--waiting[f->queue[i].to.index] == 0)
                f->order[count++] = f->queue[i].to.index;
        }
}

/* The parts are few: labels spread until they stay. */
static void find_origins(struct flow *f)
{
    bool moved = true;
    for (uint32_t v = 0; v < f->operators; v++) {
        const struct node *n = &f->node[v];
        f->origin[v] = n->source && n->even ? (n->spec.has_phase ? n->spec.phase : 0) : INT64_MAX;
    }
    while (moved) {
        moved = false;
        for (uint32_t i = 0; i < f->queues; i++) {
            int64_t *a = &f->origin[f->queue[i].from.index], *b = &f->origin[f->queue[i].to.index];
            moved |= *a != *b;
            *a = *b = *a < *b ? *a : *b;
        }
    }
}

/* ---- what was simulated ---- */

void flow_observe(void *context, struct weir_operator op, int64_t execution, const int64_t moments[3], int64_t scale)
{
    struct flow *f = context;
    struct node *n = &f->node[op.index];
    f->scale = scale;
    put(f, &n->ready, moments[0]);
    put(f, &n->release, moments[1]);
    put(f, &n->end, moments[2]);
    if (execution != (int64_t)n->end.count || moments[0] > moments[1])
        f->broken = true;
}

void flow_arrived(void *context, struct weir_operator op, int64_t execution, int64_t time, int64_t scale)
{
    struct flow *f = context;
    struct node *n = &f->node[op.index];
    f->scale = scale;
    put(f, &n->arrival, time);
    if (execution != (int64_t)n->arrival.count)
        f->broken = true;
}

static int64_t ceil_divide(int64_t a, int64_t b)
{
    return a / b + (a % b > 0);
}

/* Sample number k of a queue, initial ones first, is appended by execution ceil((k - initial) / produce): so many executions of its
 * producer does execution j (from 0) of its consumer need. */
static int64_t executions_needed(const struct weir_queue_spec *q, int64_t j)
{
    return ceil_divide(j * q->consume + q->threshold - (int64_t)q->initial, q->produce);
}

int64_t flow_ready(const struct flow *f, uint32_t v, int64_t j)
{
    int64_t ready = f->node[v].source ? f->node[v].arrival.at[j] : 0;
    for (uint32_t i = 0; i < f->queues; i++) {
        const struct weir_queue_spec *q = &f->queue[i];
        int64_t by = q->to.index == v ? executions_needed(q, j) : 0;
        if (by > 0 && f->node[q->from.index].end.at[by - 1] > ready)
            ready = f->node[q->from.index].end.at[by - 1];
    }
    return ready;
}

void flow_find_needs(struct flow *f, uint32_t source)
{
    for (uint32_t k = 0; k < f->operators; k++) {
        uint32_t v = f->order[k];
        struct list *need = &f->node[v].need[source];
        need->count = 0;
        for (int64_t j = 0; j < (int64_t)f->node[v].end.count; j++) {
            int64_t last = v == source ? j + 1 : 0;
            for (uint32_t i = 0; i < f->queues; i++) {
                const struct weir_queue_spec *q = &f->queue[i];
                if (q->to.index != v)
                    continue;
                int64_t by = executions_needed(q, j);
                int64_t their = by > 0 ? f->node[q->from.index].need[source].at[by - 1] : 0;
                last = their > last ? their : last;
            }
            put(f, need, last);
        }
    }
}

void flow_find_last_uses(const struct flow *f, uint32_t source, int64_t n, int64_t last[NODES])
{
    memset(last, 0, NODES * sizeof *last);
    last[source] = n;
    for (uint32_t k = 0; k < f->operators; k++)
        for (uint32_t i = 0; i < f->queues; i++) {
            const struct weir_queue_spec *q = &f->queue[i];
            if (q->to.index != f->order[k] || last[q->from.index] == 0)
                continue;
            int64_t use = ceil_divide(last[q->from.index] * q->produce + q->initial, q->consume);
            last[q->to.index] = use > last[q->to.index] ? use : last[q->to.index];
        }
}

void flow_read(struct flow *f, const struct weir_pipeline *pipeline)
{
    f->pipeline = pipeline;
    f->operators = weir_pipeline_operator_count(pipeline);
    f->queues = weir_pipeline_queue_count(pipeline);
    f->scale = 1;
    read_flow(f);
    find_origins(f);
}

void flow_forget(struct flow *f)
{
    for (uint32_t v = 0; v < f->operators; v++)
        f->node[v].arrival.count = f->node[v].ready.count = f->node[v].release.count = f->node[v].end.count = 0;
}

void flow_free(struct flow *f)
{
    for (uint32_t v = 0; v < f->operators; v++) {
        free(f->node[v].arrival.at);
        free(f->node[v].ready.at);
        free(f->node[v].release.at);
        free(f->node[v].end.at);
        for (uint32_t s = 0; s < NODES; s++)
            free(f->node[v].need[s].at);
    }
}
