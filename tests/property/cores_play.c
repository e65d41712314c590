/* SPDX-License-Identifier: Apache-2.0 */
/* A simulation of batches made of the samples of another flow. */
#include "cores_flow.h"

#include "base/number.h"

#include <stdlib.h>
#include <string.h>

enum { PLAYED = 1000, SCALE_MAX = 1000000, REST = 8 };
enum manner { TIGHT, ANYHOW, EXTREME, TOGETHER }; /* of arrivals and of costs; TOGETHER: sources rest, and begin again at once */

struct samples {
    struct weir_source_spec spec;
    int64_t spacing, scale, batch, count; /* as the original has them */
    int64_t drawn, last;
    int64_t *past; /* of bursts: the last `count` */
    enum manner manner;
    int64_t odds;
    int64_t beat, shift; /* TOGETHER: sources begin again every so often, this one so much later */
    int64_t later;       /* than in the model */
};

struct pool {
    struct flow *flow;
    struct weir_random random;
    int64_t period[NODES], left[NODES]; /* left < 0: not begun */
    struct weir_operator_spec op[NODES];
    uint64_t tie[NODES];
    uint32_t running[NODES], busy, cores;
    /* Bits by operator: sources; to whom each one's queues lead; what may have got its samples since the last look; what has not
     * ended all that is ready. */
    uint32_t sources, consumers[NODES], fed, waiting;
    int64_t now, end;
    int64_t later[NODES]; /* of sources: all of a part begin so much later than in the model */
    int64_t beat;         /* all sources begin again every so often; 0: each for itself */
    bool late;            /* executions wait for their releases */
    enum manner costs;
};

static int64_t at_least_one(int64_t a)
{
    return a > 0 ? a : 1;
}

/* From the rates of the sources and the queues alone; scaled, so that they and the distances of samples are whole. */
static bool find_periods(struct pool *p)
{
    struct flow *f = p->flow;
    int64_t parts[NODES], scale = 1;
    for (uint32_t k = 0; k < f->operators; k++) {
        uint32_t v = f->order[k];
        const struct weir_source_spec *s = &f->node[v].spec;
        p->period[v] = s->period * at_least_one(s->batch);
        parts[v] = at_least_one(s->count);
        scale *= f->node[v].source ? parts[v] / weir_greatest_divisor(scale, parts[v]) : 1;
        for (uint32_t i = 0; i < f->queues; i++)
            if (f->queue[i].to.index == v) {
                p->period[v] = p->period[f->queue[i].from.index] * f->queue[i].consume;
                parts[v] = parts[f->queue[i].from.index] * f->queue[i].produce;
            }
        int64_t common = weir_greatest_divisor(p->period[v], parts[v]);
        p->period[v] /= common;
        parts[v] /= common;
        scale *= parts[v] / weir_greatest_divisor(scale, parts[v]);
        if (scale > SCALE_MAX)
            return false;
    }
    for (uint32_t v = 0; v < f->operators; v++)
        p->period[v] *= scale / parts[v];
    f->scale = scale;
    return true;
}

static int64_t draw_pause(struct weir_random *random, const struct samples *s)
{
    if (s->manner == EXTREME)
        return weir_random_between(random, 1, 16 * s->batch) <= s->odds ? REST * s->spec.period * s->scale : 0;
    return s->manner == ANYHOW && weir_random_between(random, 0, 2) == 0 ? weir_random_between(random, 0, 2 * s->spacing) : 0;
}

/* The next moment at which all begin again, if it is not far; else the time itself. */
static int64_t await_beat(const struct samples *s, int64_t time, int64_t rest)
{
    int64_t since = (time - s->shift) % s->beat, until = since > 0 ? s->beat - since : -since;
    return until <= rest ? time + until : time;
}

/* The last sample of the first batch is due at the phase: those before it, before. */
static int64_t draw_sample(struct weir_random *random, struct samples *s)
{
    int64_t k = s->drawn++, phase = s->spec.has_phase ? s->spec.phase * s->scale : 0, time;
    if (s->spec.bursty) {
        time = (k < s->count ? phase : s->past[k % s->count] + s->spec.period * s->scale);
        time = (time < s->last ? s->last : time) + draw_pause(random, s);
        if (s->manner == TOGETHER)
            time = await_beat(s, time, s->spec.period * s->scale);
        s->past[k % s->count] = time;
    } else if (s->spec.sporadic) {
        time = k == 0 ? phase : s->last;
        if (k % s->batch == 0)
            time += (k > 0) * s->batch * s->spacing + draw_pause(random, s);
        if (k % s->batch == 0 && s->manner == TOGETHER)
            time = await_beat(s, time, s->batch * s->spacing);
    } else {
        int64_t jitter = s->spec.jitter * s->scale;
        time = s->later + phase + (k + 1 - s->batch) * s->spacing;
        if (s->manner == ANYHOW)
            time += weir_random_between(random, 0, jitter);
        else if (s->manner == TOGETHER)
            time = await_beat(s, time, jitter);
        else if (s->manner == EXTREME && weir_random_between(random, 1, 16) <= s->odds)
            time += jitter;
    }
    return s->last = time < s->last ? s->last : time;
}

/* Until the first batch that is too late to be seen. */
static bool draw_batches(struct pool *p, const struct weir_source_spec *original, uint32_t v)
{
    static const int64_t odds[] = {1, 2, 4, 8, 12, 16};
    struct flow *f = p->flow;
    struct node *n = &f->node[v];
    struct samples s = {.spec = *original, .scale = f->scale, .last = INT64_MIN};
    s.batch = at_least_one(original->batch);
    s.count = at_least_one(original->count);
    s.spacing = original->period * f->scale / s.count;
    s.manner = p->beat > 0 ? TOGETHER : (enum manner)weir_random_between(&p->random, TIGHT, EXTREME);
    s.beat = p->beat;
    s.shift = p->beat > 0 && weir_random_between(&p->random, 0, 2) == 0 ? weir_random_between(&p->random, 0, p->period[v]) : 0;
    s.odds = odds[weir_random_between(&p->random, 0, 5)];
    s.later = p->later[v];
    s.past = original->bursty ? calloc((size_t)s.count, sizeof *s.past) : NULL;
    if (original->bursty && !s.past)
        return false;
    do {
        flow_put(f, &n->first, draw_sample(&p->random, &s));
        for (uint32_t i = 1; i < n->spec.batch; i++)
            draw_sample(&p->random, &s);
        flow_put(f, &n->arrival, s.last);
    } while (s.last <= p->end && !f->broken);
    free(s.past);
    return true;
}

/* Phases between parts are anything, as far as bounds go. Where executions begin with initial samples, time 0 counts. */
static void draw_phases(struct pool *p)
{
    const struct flow *f = p->flow;
    uint32_t part[NODES];
    int64_t longest = 0;
    for (uint32_t i = 0; i < f->queues; i++)
        if (f->queue[i].initial > 0)
            return;
    for (uint32_t v = 0; v < f->operators; v++) {
        part[v] = v;
        longest = p->period[v] > longest ? p->period[v] : longest;
    }
    for (bool moved = true; moved;) {
        moved = false;
        for (uint32_t i = 0; i < f->queues; i++) {
            uint32_t *a = &part[f->queue[i].from.index], *b = &part[f->queue[i].to.index];
            moved |= *a != *b;
            *a = *b = *a < *b ? *a : *b;
        }
    }
    for (uint32_t v = 0; v < f->operators; v++)
        p->later[v] = part[v] < v ? p->later[part[v]] : weir_random_between(&p->random, 0, longest);
    p->end += longest;
}

static bool draw_arrivals(struct pool *p, const struct weir_pipeline *original)
{
    const struct flow *f = p->flow;
    uint32_t count = weir_pipeline_source_count(original);
    bool good = count == weir_pipeline_source_count(f->pipeline);
    for (uint32_t i = 0; i < count && good; i++) {
        struct weir_source_spec old = weir_pipeline_source(original, i), new = weir_pipeline_source(f->pipeline, i);
        good = old.period == new.period &&old.count == new.count &&old.sporadic == new.sporadic &&old.bursty ==
               new.bursty &&draw_batches(p, &old, new.op.index);
    }
    return good;
}

/* Long enough for every operator to come often, after the last that begins. */
static void choose_end(struct pool *p)
{
    const struct flow *f = p->flow;
    int64_t longest = 0, phase = 0, executions = 0;
    for (uint32_t v = 0; v < f->operators; v++) {
        longest = p->period[v] > longest ? p->period[v] : longest;
        phase = f->node[v].spec.phase > phase ? f->node[v].spec.phase : phase;
    }
    for (p->end = 4 * longest; executions < PLAYED; p->end *= 2) {
        executions = 0;
        for (uint32_t v = 0; v < f->operators; v++)
            executions += 2 * p->end / p->period[v];
    }
    p->end += phase * f->scale;
}

/* ---- ... moment by moment ---- */

static bool has_samples(const struct pool *p, uint32_t v)
{
    const struct flow *f = p->flow;
    const struct node *n = &f->node[v];
    int64_t j = (int64_t)n->ready.count;
    if (n->source && n->arrival.at[j] > p->now)
        return false;
    for (uint32_t i = f->into_first[f->place[v]]; i < f->into_first[f->place[v] + 1]; i++) {
        const struct weir_queue_spec *q = &f->queue[f->into[i]];
        if (j * q->consume + q->threshold - (int64_t)q->initial > (int64_t)f->node[q->from.index].end.count * q->produce)
            return false;
    }
    return true;
}

/* The lowest operator, which is taken out. */
static uint32_t take_operator(uint32_t *bits)
{
    uint32_t v = (uint32_t)__builtin_ctz(*bits);
    *bits &= *bits - 1;
    return v;
}

static void make_ready(struct pool *p)
{
    for (uint32_t bits = p->fed | p->sources; bits;) {
        uint32_t v = take_operator(&bits);
        struct node *n = &p->flow->node[v];
        while (!p->flow->broken && has_samples(p, v)) {
            p->waiting |= 1U << v;
            int64_t release = p->now;
            if (n->release.count > 0 && n->release.at[n->release.count - 1] + p->period[v] > release)
                release = n->release.at[n->release.count - 1] + p->period[v];
            flow_put(p->flow, &n->ready, p->now);
            flow_put(p->flow, &n->release, release);
        }
    }
    p->fed = 0;
}

static int64_t draw_cost(struct pool *p, uint32_t v)
{
    const struct weir_operator_spec *o = &p->op[v];
    if (p->costs == ANYHOW)
        return weir_random_between(&p->random, o->best, o->worst) * p->flow->scale;
    return (p->costs == EXTREME && weir_random_between(&p->random, 0, 1) ? o->best : o->worst) * p->flow->scale;
}

static bool is_more_urgent(const struct pool *p, uint32_t a, uint32_t b)
{
    const struct node *na = &p->flow->node[a], *nb = &p->flow->node[b];
    int64_t x = na->release.at[na->end.count] + p->period[a], y = nb->release.at[nb->end.count] + p->period[b];
    return x != y ? x < y : p->tie[a] < p->tie[b];
}

/* The most urgent run; the return value is when one of those that wait for their release may, or the next batch arrives. */
static int64_t choose_running(struct pool *p)
{
    int64_t next = INT64_MAX;
    p->busy = 0;
    for (uint32_t bits = p->sources; bits;) {
        const struct node *n = &p->flow->node[take_operator(&bits)];
        if (n->arrival.at[n->ready.count] < next)
            next = n->arrival.at[n->ready.count];
    }
    for (uint32_t bits = p->waiting; bits;) {
        uint32_t v = take_operator(&bits);
        const struct node *n = &p->flow->node[v];
        if (p->late && n->release.at[n->end.count] > p->now) {
            next = n->release.at[n->end.count] < next ? n->release.at[n->end.count] : next;
            continue;
        }
        if (p->left[v] < 0) {
            p->left[v] = draw_cost(p, v);
            p->tie[v] = weir_random_next(&p->random);
        }
        uint32_t at = p->busy++;
        for (; at > 0 && is_more_urgent(p, v, p->running[at - 1]); at--)
            p->running[at] = p->running[at - 1];
        p->running[at] = v;
    }
    p->busy = p->busy > p->cores ? p->cores : p->busy;
    return next;
}

/* What ends at the same moment is appended before anything is removed. */
static void end_some(struct pool *p, int64_t peak[QUEUES])
{
    struct flow *f = p->flow;
    uint32_t ends = 0;
    for (uint32_t i = 0; i < p->busy; i++)
        ends |= (uint32_t)(p->left[p->running[i]] == 0) << p->running[i];
    for (uint32_t i = 0; i < f->queues && ends; i++) {
        const struct weir_queue_spec *q = &f->queue[i];
        if (!(ends >> q->from.index & 1))
            continue;
        int64_t appended = q->initial + ((int64_t)f->node[q->from.index].end.count + 1) * q->produce;
        int64_t held = appended - (int64_t)f->node[q->to.index].end.count * q->consume;
        peak[i] = held > peak[i] ? held : peak[i];
    }
    while (ends) {
        uint32_t v = take_operator(&ends);
        struct node *n = &f->node[v];
        flow_put(f, &n->end, p->now);
        p->left[v] = -1;
        p->fed |= p->consumers[v];
        if (n->end.count == n->ready.count)
            p->waiting &= ~(1U << v);
    }
}

bool flow_play(struct flow *f, const struct weir_pipeline *original, uint64_t seed, int64_t peak[QUEUES])
{
    struct pool p = {.flow = f, .cores = weir_pipeline_cores(f->pipeline)};
    weir_random_seed(&p.random, seed);
    memset(peak, 0, QUEUES * sizeof *peak);
    for (uint32_t i = 0; i < f->queues; i++) {
        peak[i] = f->queue[i].initial;
        p.consumers[f->queue[i].from.index] |= 1U << f->queue[i].to.index;
    }
    p.fed = (1U << f->operators) - 1;
    p.late = weir_random_between(&p.random, 0, 1) == 1;
    p.costs = weir_random_between(&p.random, 0, 1) ? TIGHT : (enum manner)weir_random_between(&p.random, ANYHOW, EXTREME);
    for (uint32_t v = 0; v < f->operators; v++) {
        p.left[v] = -1;
        p.sources |= (uint32_t)f->node[v].source << v;
        p.op[v] = weir_pipeline_operator(f->pipeline, (struct weir_operator){v});
    }
    if (!find_periods(&p))
        return false;
    choose_end(&p);
    if (weir_random_between(&p.random, 0, 3) > 0) {
        for (uint32_t v = 0; v < f->operators; v++)
            p.beat = p.period[v] > p.beat ? p.period[v] : p.beat;
        p.beat = p.beat * weir_random_between(&p.random, 2, 12) + weir_random_between(&p.random, 0, p.beat);
    }
    if (weir_random_between(&p.random, 0, 3) > 0)
        draw_phases(&p);
    if (!draw_arrivals(&p, original))
        return false;
    while (p.now <= p.end && !f->broken) {
        make_ready(&p);
        int64_t next = choose_running(&p);
        for (uint32_t i = 0; i < p.busy; i++)
            if (p.now + p.left[p.running[i]] < next)
                next = p.now + p.left[p.running[i]];
        for (uint32_t i = 0; i < p.busy; i++)
            p.left[p.running[i]] -= next - p.now;
        p.now = next;
        end_some(&p, peak);
    }
    return true;
}
