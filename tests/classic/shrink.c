/* SPDX-License-Identifier: Apache-2.0 */
#include "shrink.h"

struct shrinker {
    struct sketch *sketch;
    bool (*keeps)(void *context, const struct sketch *sketch);
    void *context;
};

static bool adopt(struct shrinker *s, const struct sketch *smaller)
{
    if (!s->keeps(s->context, smaller))
        return false;
    *s->sketch = *smaller;
    return true;
}

static bool joined(const struct sketch *g, uint32_t from, uint32_t to)
{
    for (uint32_t i = 0; i < g->queue_count; i++)
        if (g->queues[i].from == from && g->queues[i].to == to)
            return true;
    return false;
}

/* `bridge`: what fed the operator now feeds what it fed. */
static bool remove_operator(struct shrinker *s, uint32_t victim, bool bridge)
{
    const struct sketch *old = s->sketch;
    struct sketch g = *old;
    g.queue_count = 0;
    for (uint32_t i = 0; i < old->queue_count; i++)
        if (old->queues[i].from != victim && old->queues[i].to != victim)
            g.queues[g.queue_count++] = old->queues[i];
    for (uint32_t i = 0; i < old->queue_count && bridge; i++)
        for (uint32_t k = 0; k < old->queue_count; k++) {
            struct sketch_queue into = old->queues[i], out = old->queues[k];
            if (into.to != victim || out.from != victim || joined(&g, into.from, out.to) || g.queue_count == SKETCH_QUEUES)
                continue;
            g.queues[g.queue_count++] = (struct sketch_queue){into.from, out.to, into.capacity};
        }
    g.operator_count--;
    for (uint32_t i = victim; i < g.operator_count; i++)
        g.operators[i] = old->operators[i + 1];
    for (uint32_t i = 0; i < g.queue_count; i++) {
        g.queues[i].from -= g.queues[i].from > victim;
        g.queues[i].to -= g.queues[i].to > victim;
    }
    return adopt(s, &g);
}

static bool remove_queue(struct shrinker *s, uint32_t victim)
{
    struct sketch g = *s->sketch;
    g.queue_count--;
    for (uint32_t i = victim; i < g.queue_count; i++)
        g.queues[i] = s->sketch->queues[i + 1];
    return adopt(s, &g);
}

static bool set_capacity(struct shrinker *s, uint32_t queue, uint32_t capacity)
{
    struct sketch g = *s->sketch;
    if (capacity < 1 || capacity >= g.queues[queue].capacity)
        return false;
    g.queues[queue].capacity = capacity;
    return adopt(s, &g);
}

static bool set_times(struct shrinker *s, uint32_t op, int64_t best, int64_t worst)
{
    struct sketch g = *s->sketch;
    struct sketch_operator *o = &g.operators[op];
    if (best < 0 || best > worst || best > o->best || worst > o->worst || (best == o->best && worst == o->worst))
        return false;
    o->best = best;
    o->worst = worst;
    return adopt(s, &g);
}

static bool lower_capacity(struct shrinker *s, uint32_t queue)
{
    uint32_t now = s->sketch->queues[queue].capacity;
    return set_capacity(s, queue, 1) || set_capacity(s, queue, now / 2) || set_capacity(s, queue, now - 1);
}

static bool lower_times(struct shrinker *s, uint32_t op)
{
    int64_t best = s->sketch->operators[op].best, worst = s->sketch->operators[op].worst;
    return set_times(s, op, 0, 0) || set_times(s, op, 0, worst) || set_times(s, op, best / 2, worst / 2) ||
           set_times(s, op, best, best) || set_times(s, op, best, worst / 2) || set_times(s, op, best / 2, worst) ||
           set_times(s, op, best - 1, worst - 1) || set_times(s, op, best, worst - 1) || set_times(s, op, best - 1, worst);
}

static bool shrink_once(struct shrinker *s)
{
    for (uint32_t i = 0; i < s->sketch->operator_count; i++)
        if (remove_operator(s, i, true) || remove_operator(s, i, false))
            return true;
    for (uint32_t i = 0; i < s->sketch->queue_count; i++)
        if (remove_queue(s, i))
            return true;
    for (uint32_t i = 0; i < s->sketch->queue_count; i++)
        if (lower_capacity(s, i))
            return true;
    for (uint32_t i = 0; i < s->sketch->operator_count; i++)
        if (lower_times(s, i))
            return true;
    return false;
}

void shrink(struct sketch *sketch, bool (*keeps)(void *context, const struct sketch *sketch), void *context)
{
    struct shrinker s = {sketch, keeps, context};
    while (shrink_once(&s))
        continue;
}
