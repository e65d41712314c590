/* SPDX-License-Identifier: Apache-2.0 */
#include "cores_flow.h"

#include <stdlib.h>
#include <string.h>

bool flow_grow(struct flow *f, struct list *list, size_t capacity)
{
    int64_t *at = reallocarray(list->at, capacity, sizeof *at);
    f->broken |= !at;
    if (!at)
        return false;
    list->at = at;
    list->capacity = capacity;
    return true;
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
    for (uint32_t k = 0, next = 0; k < count; k++) {
        f->place[f->order[k]] = k;
        for (uint32_t i = 0; i < f->queues; i++)
            if (f->queue[i].to.index == f->order[k])
                f->into[next++] = i;
        f->into_first[k + 1] = next;
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
    flow_put(f, &n->ready, moments[0]);
    flow_put(f, &n->release, moments[1]);
    flow_put(f, &n->end, moments[2]);
    if (execution != (int64_t)n->end.count || moments[0] > moments[1])
        f->broken = true;
}

void flow_arrived(void *context, struct weir_operator op, int64_t execution, int64_t time, int64_t scale)
{
    struct flow *f = context;
    struct node *n = &f->node[op.index];
    f->scale = scale;
    flow_put(f, &n->arrival, time);
    if (execution != (int64_t)n->arrival.count)
        f->broken = true;
}

static int64_t ceil_divide(int64_t a, int64_t b)
{
    return a / b + (a % b > 0);
}

/* Sample number k of a queue, initial ones first, is appended by execution ceil((k - initial) / produce) of its producer: how many
 * of those executions an execution of the consumer needs. From one to the next without a division. */
struct needed {
    int64_t by, over; /* over: so many samples more are appended by then */
    int64_t whole, rest, produce;
};

static struct needed needed_first(const struct weir_queue_spec *q)
{
    int64_t samples = (int64_t)q->threshold - (int64_t)q->initial, by = ceil_divide(samples, q->produce);
    return (struct needed){by, by * q->produce - samples, q->consume / q->produce, q->consume % q->produce, q->produce};
}

static void needed_next(struct needed *n)
{
    n->by += n->whole;
    n->over -= n->rest;
    if (n->over < 0) {
        n->by++;
        n->over += n->produce;
    }
}

/* Numbers for the executions of v that ended, to be filled in; NULL: there is no memory. */
static int64_t *begin_list(struct flow *f, struct list *list, size_t count)
{
    if (count > list->capacity && !flow_grow(f, list, count))
        return NULL;
    list->count = count;
    return list->at;
}

/* numbers[j] is at least what `of` has of the last execution of their producer that execution j (from 0) of the queue's consumer
 * needs. */
static void raise_to(int64_t *numbers, size_t count, const struct weir_queue_spec *q, const struct list *of)
{
    struct needed n = needed_first(q);
    for (size_t j = 0; j < count; j++, needed_next(&n))
        if (n.by > 0 && of->at[n.by - 1] > numbers[j])
            numbers[j] = of->at[n.by - 1];
}

const int64_t *flow_find_there(struct flow *f, uint32_t v)
{
    struct node *n = &f->node[v];
    int64_t *there = begin_list(f, &n->there, n->end.count);
    if (!there)
        return NULL;
    for (size_t j = 0; j < n->end.count; j++)
        there[j] = n->source ? n->arrival.at[j] : 0;
    for (uint32_t i = f->into_first[f->place[v]]; i < f->into_first[f->place[v] + 1]; i++)
        raise_to(there, n->end.count, &f->queue[f->into[i]], &f->node[f->queue[f->into[i]].from.index].end);
    return there;
}

void flow_find_needs(struct flow *f, uint32_t source)
{
    for (uint32_t k = 0; k < f->operators; k++) {
        uint32_t v = f->order[k];
        struct node *n = &f->node[v];
        int64_t *need = n->feeds >> source & 1 ? begin_list(f, &n->need[source], n->end.count) : NULL;
        if (!need)
            continue;
        for (size_t j = 0; j < n->end.count; j++)
            need[j] = v == source ? (int64_t)j + 1 : 0;
        for (uint32_t i = f->into_first[k]; i < f->into_first[k + 1]; i++) {
            const struct node *from = &f->node[f->queue[f->into[i]].from.index];
            if (from->feeds >> source & 1)
                raise_to(need, n->end.count, &f->queue[f->into[i]], &from->need[source]);
        }
    }
}

void flow_find_uses(struct flow *f, uint32_t source)
{
    size_t count = f->node[source].arrival.count;
    for (uint32_t k = 0; k < f->operators; k++) {
        struct node *n = &f->node[f->order[k]];
        n->use.count = 0;
        int64_t *use = n->feeds >> source & 1 ? begin_list(f, &n->use, count) : NULL;
        if (!use)
            continue;
        for (size_t j = 0; j < count; j++)
            use[j] = f->order[k] == source ? (int64_t)j + 1 : 0;
        for (uint32_t i = f->into_first[k]; i < f->into_first[k + 1]; i++) {
            const struct weir_queue_spec *q = &f->queue[f->into[i]];
            const struct list *from = &f->node[q->from.index].use;
            for (size_t j = 0; j < from->count; j++) {
                int64_t made = from->at[j] * q->produce + q->initial, last = q->consume > 1 ? ceil_divide(made, q->consume) : made;
                use[j] = last > use[j] ? last : use[j];
            }
        }
    }
}

/* ---- the whole ---- */

/* Lists keep their memory from flow to flow. */
static void clear(struct node *n)
{
    struct node lists = *n;
    *n = (struct node){.arrival = lists.arrival,
                       .ready = lists.ready,
                       .release = lists.release,
                       .end = lists.end,
                       .first = lists.first,
                       .there = lists.there,
                       .use = lists.use};
    memcpy(n->need, lists.need, sizeof n->need);
}

void flow_read(struct flow *f, const struct weir_pipeline *pipeline)
{
    f->pipeline = pipeline;
    f->operators = weir_pipeline_operator_count(pipeline);
    f->queues = weir_pipeline_queue_count(pipeline);
    f->scale = 1;
    f->broken = false;
    for (uint32_t v = 0; v < f->operators; v++)
        clear(&f->node[v]);
    read_flow(f);
    find_origins(f);
}

void flow_forget(struct flow *f)
{
    for (uint32_t v = 0; v < f->operators; v++)
        f->node[v].arrival.count = f->node[v].ready.count = f->node[v].release.count = f->node[v].end.count =
            f->node[v].first.count = 0;
}
