/* SPDX-License-Identifier: Apache-2.0 */
#include "model/firings.h"

#include "base/error.h"
#include "base/number.h"
#include "model/links.h"

#include <string.h>

/* ---- how often ---- */

struct finding {
    const struct weir_pipeline *pipeline;
    struct weir_links links;
    struct weir_ratio *rate; /* by operator: executions for each one of where its part was begun; denominator 0: not met yet */
    uint32_t *part;          /* the operators of the part, as they were met */
    uint32_t *firings;
    struct weir_sealing *sealing;
};

static enum weir_status fail_large(const struct finding *f, uint32_t op)
{
    char quoted[WEIR_QUOTED];
    return weir_errors_add(f->sealing->errors, WEIR_INVALID, f->sealing->file, f->pipeline->operators[op].place,
                           "with operator \"%s\", too many executions pass until the queues are back in their initial state: the "
                           "numbers of messages taken at once have too few common factors",
                           weir_quote(f->pipeline->operators[op].name, quoted));
}

static enum weir_status fail_rates(const struct finding *f, const struct weir_queue_spec *q)
{
    char from[WEIR_QUOTED], to[WEIR_QUOTED];
    return weir_errors_add(f->sealing->errors, WEIR_INVALID, f->sealing->file, q->place,
                           "rates do not agree: \"%s\" takes %u messages at once from \"%s\", which the other queues between them "
                           "do not allow; one would run ahead without bound",
                           weir_quote(f->pipeline->operators[q->to.index].name, to), weir_queue_batch(q),
                           weir_quote(f->pipeline->operators[q->from.index].name, from));
}

/* Follows queue q from operator o; the operator at its other end joins the part if it is new. */
static enum weir_status follow(struct finding *f, const struct weir_queue_spec *q, uint32_t o, uint32_t *met)
{
    bool forward = q->from.index == o;
    uint32_t other = forward ? q->to.index : q->from.index;
    struct weir_ratio rate;
    if (!weir_rate_scale(f->rate[o], forward ? 1 : weir_queue_batch(q), forward ? weir_queue_batch(q) : 1, &rate))
        return fail_large(f, other);
    if (f->rate[other].denominator == 0) {
        f->rate[other] = rate;
        f->part[(*met)++] = other;
        return WEIR_OK;
    }
    /* a queue is followed from both of its ends: one of them tells */
    return forward && weir_ratio_compare(f->rate[other], rate) != 0 ? fail_rates(f, q) : WEIR_OK;
}

/* The part of operator `root`: its rates, and from them the smallest whole numbers. */
static enum weir_status find_part(struct finding *f, uint32_t root)
{
    uint32_t met = 1;
    enum weir_status status = WEIR_OK;
    f->part[0] = root;
    f->rate[root] = (struct weir_ratio){1, 1};
    for (uint32_t i = 0; i < met && !status; i++)
        for (uint32_t j = f->links.first[f->part[i]]; j < f->links.first[f->part[i] + 1] && !status; j++) {
            const struct weir_queue_spec *q = &f->pipeline->queues[f->links.queue[j]];
            if (weir_queue_waits(q))
                status = follow(f, q, f->part[i], &met);
        }
    if (status)
        return status;
    int64_t multiple = 1, divisor;
    for (uint32_t i = 0; i < met; i++) {
        int64_t d = f->rate[f->part[i]].denominator;
        if (!weir_multiply(multiple / weir_greatest_divisor(multiple, d), d, &multiple))
            return fail_large(f, f->part[i]);
    }
    divisor = multiple; /* firings of the root, so far */
    for (uint32_t i = 0; i < met; i++) {
        struct weir_ratio *r = &f->rate[f->part[i]];
        int64_t times = r->denominator > 0 ? multiple / r->denominator : 0; /* every operator that was met has a rate */
        if (!weir_multiply(r->numerator, times, &r->numerator))
            return fail_large(f, f->part[i]);
        divisor = weir_greatest_divisor(r->numerator, divisor);
    }
    for (uint32_t i = 0; i < met; i++) {
        int64_t firings = divisor > 0 ? f->rate[f->part[i]].numerator / divisor : 0;
        if (firings > WEIR_ROUND_ACTORS_MAX)
            return fail_large(f, f->part[i]);
        f->firings[f->part[i]] = (uint32_t)firings;
    }
    return WEIR_OK;
}

static enum weir_status find_all(struct finding *f)
{
    const struct weir_pipeline *p = f->pipeline;
    enum weir_status status = WEIR_OK;
    int64_t actors = 0, arcs = 0;
    for (uint32_t o = 0; o < p->operator_count && !status; o++)
        if (f->rate[o].denominator == 0)
            status = find_part(f, o);
    for (uint32_t o = 0; o < p->operator_count && !status; o++) {
        actors += f->firings[o];
        status = actors > WEIR_ROUND_ACTORS_MAX ? fail_large(f, o) : WEIR_OK;
    }
    for (size_t i = 0; i < p->queue_count && !status; i++) {
        arcs += 2 * (int64_t)f->firings[p->queues[i].from.index];
        status = arcs > WEIR_ROUND_ARCS_MAX ? fail_large(f, p->queues[i].from.index) : WEIR_OK;
    }
    return status;
}

enum weir_status weir_firings_find(struct weir_sealing *s)
{
    struct weir_pipeline *p = s->pipeline;
    struct finding f = {.pipeline = p, .sealing = s};
    bool batches = false;
    for (size_t i = 0; i < p->queue_count; i++)
        batches |= p->queues[i].consume > 1;
    if (!batches)
        return WEIR_OK;
    f.rate = weir_arena_array(&s->scratch, p->operator_count, sizeof *f.rate);
    f.part = weir_arena_array(&s->scratch, p->operator_count, sizeof *f.part);
    p->firings = f.firings = weir_arena_array(&p->sealed_arena, p->operator_count, sizeof *f.firings);
    if (!f.firings || !weir_links_make(&f.links, p, WEIR_LINKS_OUT | WEIR_LINKS_IN, &s->scratch))
        return weir_sealing_memory(s);
    return find_all(&f);
}

/* ---- where messages go ---- */

struct weir_routes {
    struct weir_arena arena;
    const struct weir_pipeline *pipeline;
    struct weir_links links;
    int64_t *execution; /* by operator */
    uint32_t *queue;    /* a ring of operators to look at again; each is in it at most once */
    uint8_t *waits;     /* ... whether it is */
};

struct weir_routes *weir_routes_new(const struct weir_pipeline *p)
{
    struct weir_routes *r = weir_array_zeroed(1, sizeof *r);
    if (!r)
        return NULL;
    r->pipeline = p;
    r->execution = weir_arena_array(&r->arena, p->operator_count, sizeof *r->execution);
    r->queue = weir_arena_array(&r->arena, p->operator_count, sizeof *r->queue);
    r->waits = weir_arena_array(&r->arena, p->operator_count, sizeof *r->waits);
    if (weir_links_make(&r->links, p, WEIR_LINKS_OUT, &r->arena))
        return r;
    weir_routes_free(r);
    return NULL;
}

void weir_routes_free(struct weir_routes *r)
{
    if (r)
        weir_arena_free(&r->arena);
    weir_free(r);
}

/*
 * Labels that only fall: what execution n sends is message n + initial of the queue, and taken by execution (n + initial) / batch.
 * That never falls when n grows, and going round a cycle of queues leads to no earlier execution, or the cycle could not start; so
 * every label settles.
 */
const int64_t *weir_routes_from(struct weir_routes *r, struct weir_operator from, uint32_t firing)
{
    const struct weir_pipeline *p = r->pipeline;
    size_t count = p->operator_count, next = 0, waiting = 1;
    for (size_t o = 0; o < count; o++)
        r->execution[o] = WEIR_NO_ROUTE;
    r->execution[from.index] = firing;
    r->queue[0] = from.index;
    r->waits[from.index] = 1;
    while (waiting > 0) {
        uint32_t o = r->queue[next];
        next = next + 1 == count ? 0 : next + 1;
        waiting--;
        r->waits[o] = 0;
        for (uint32_t i = r->links.first[o]; i < r->links.first[o + 1]; i++) {
            const struct weir_queue_spec *q = &p->queues[r->links.queue[i]];
            int64_t taken = (r->execution[o] + q->initial) / weir_queue_batch(q);
            if (!weir_queue_waits(q) || taken >= r->execution[q->to.index])
                continue;
            r->execution[q->to.index] = taken;
            if (r->waits[q->to.index])
                continue;
            r->waits[q->to.index] = 1;
            r->queue[(next + waiting++) % count] = q->to.index;
        }
    }
    return r->execution;
}
