/* SPDX-License-Identifier: Apache-2.0 */
/* What a pipeline says that has no effect where it runs is a mistake: who said it expects something else. */
#include "base/error.h"
#include "model/pipeline.h"

struct check {
    const struct weir_pipeline *pipeline;
    const char *file;
    struct weir_errors *errors;
    enum weir_status status;
};

static void mistake(struct check *c, struct weir_place place, const char *format, const char *name)
{
    char quoted[WEIR_QUOTED];
    c->status = WEIR_INVALID;
    weir_errors_add(c->errors, WEIR_INVALID, c->file, place, format, weir_quote(name, quoted));
}

/* Of shared processors, on threads. */
static void check_processors(struct check *c)
{
    const struct weir_pipeline *p = c->pipeline;
    for (size_t i = 0; i < p->queue_count; i++)
        if (p->queues[i].capacity == WEIR_AUTO)
            mistake(c, p->queues[i].place,
                    "\"auto\" is a capacity where operators share processors or cores; give the queue from \"%s\" a number, or "
                    "\"unbounded\"",
                    p->operators[p->queues[i].from.index].name);
    for (size_t i = 0; i < p->processor_count; i++)
        mistake(c, p->processors[i].place, "processor \"%s\" has no use: the operators have threads of their own",
                p->processors[i].name);
    for (size_t i = 0; i < p->operator_count; i++)
        if (p->operators[i].mapped || p->operators[i].has_priority || p->operators[i].slot)
            mistake(c, p->operators[i].place, "operator \"%s\" has a thread of its own: no processor, priority or slot",
                    p->operators[i].name);
    for (size_t i = 0; i < p->source_count; i++) {
        const struct weir_source_spec *s = &p->sources[i];
        if (s->name || s->jitter || s->sporadic || s->has_phase)
            mistake(c, s->place,
                    "the source of operator \"%s\" can have a name, jitter or phase only where operators share processors or cores",
                    p->operators[s->op.index].name);
    }
    if (p->latency_limit)
        c->status = weir_errors_add(c->errors, WEIR_INVALID, c->file, (struct weir_place){0, 0},
                                    "a latency limit is for shared processors only");
}

/* Of a pool of cores. */
static void check_cores(struct check *c)
{
    const struct weir_pipeline *p = c->pipeline;
    for (size_t i = 0; i < p->queue_count; i++) {
        const struct weir_queue_spec *q = &p->queues[i];
        bool batch = q->consume > 1 && p->platform != WEIR_PLATFORM_THREADS;
        if (q->produce > 1 || batch || q->threshold > (q->consume > 1 ? q->consume : 1))
            mistake(c, q->place, "the queue from \"%s\" can have rates and a threshold on a pool of cores only",
                    p->operators[q->from.index].name);
    }
    for (size_t i = 0; i < p->operator_count; i++)
        if (p->operators[i].has_cost)
            mistake(c, p->operators[i].place, "operator \"%s\" can have a cost on a pool of cores only", p->operators[i].name);
    for (size_t i = 0; i < p->source_count; i++) {
        const struct weir_source_spec *s = &p->sources[i];
        if (s->count > 1 || s->bursty || s->batch > 1)
            mistake(c, s->place, "the source of operator \"%s\" can have several arrivals in a period on a pool of cores only",
                    p->operators[s->op.index].name);
    }
    if (p->cores)
        c->status = weir_errors_add(c->errors, WEIR_INVALID, c->file, (struct weir_place){0, 0},
                                    "the pipeline has cores, but does not run on a pool of them");
}

/* Of a GPU. */
static void check_gpu(struct check *c)
{
    const struct weir_pipeline *p = c->pipeline;
    for (size_t i = 0; i < p->operator_count; i++) {
        const struct weir_operator_spec *o = &p->operators[i];
        if (o->splittable || o->granularity || o->min_time || o->time_count)
            mistake(c, o->place, "operator \"%s\" has keys that only kernels of a GPU have", o->name);
    }
    if (p->gpu.sms)
        c->status = weir_errors_add(c->errors, WEIR_INVALID, c->file, p->gpu.place, "the pipeline has SMs, but runs on no GPU");
}

enum weir_status weir_platform_check(const struct weir_pipeline *p, const char *file, struct weir_errors *errors)
{
    struct check c = {.pipeline = p, .file = file, .errors = errors};
    if (p->platform == WEIR_PLATFORM_THREADS)
        check_processors(&c);
    check_cores(&c);
    check_gpu(&c);
    return c.status;
}
