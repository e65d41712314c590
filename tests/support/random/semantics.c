/* SPDX-License-Identifier: Apache-2.0 */
#include "support/random/semantics.h"

#include "base/number.h"

#include <assert.h>
#include <stdio.h>

enum { MOST = 6 };

struct draft {
    struct weir_random *random;
    struct weir_pipeline *pipeline;
    bool cut;
    bool overlay;
    uint32_t n;
    int64_t scale;                         /* the largest time */
    int percent[4];                        /* launches, transfers, batches, late receives */
    int streams;                           /* percent of launches into a shared one */
    int ports;                             /* percent of neighbours that send to one port */
    uint32_t rate[MOST];                   /* executions in a round, relative to those it is joined to */
    bool reaches[MOST][MOST], waits[MOST]; /* waits: for some message in the beginning */
    struct weir_queue_spec queues[4 * MOST];
    size_t queue_count;
};
enum { LAUNCH, TRANSFER, BATCH, LATE };

static bool chance(struct draft *d, int percent)
{
    return weir_random_between(d->random, 1, 100) <= percent;
}

static int64_t pick(struct draft *d, int64_t low, int64_t high)
{
    return weir_random_between(d->random, low, high);
}

static void interval(struct draft *d, int64_t *best, int64_t *worst)
{
    *worst = pick(d, 0, d->scale);
    *best = chance(d, 30) ? *worst : chance(d, 30) ? 0 : pick(d, 0, *worst);
}

static void add_operator(struct draft *d, uint32_t i)
{
    char name[16];
    snprintf(name, sizeof name, "o%u", i);
    struct weir_operator_spec spec = {.name = name};
    struct weir_launch launch = {.stream = NULL};
    interval(d, &spec.best, &spec.worst);
    if (chance(d, d->percent[LATE])) {
        spec.receive_max = pick(d, 0, spec.worst);
        spec.receive_min = pick(d, 0, spec.receive_max);
    }
    if (chance(d, d->percent[LAUNCH])) {
        spec.launch = &launch;
        interval(d, &launch.best, &launch.worst);
        launch.waits = chance(d, 40);
        if (launch.waits && chance(d, 60))
            interval(d, &launch.after_best, &launch.after_worst);
        launch.stream = chance(d, d->streams) ? "main" : NULL;
    }
    spec.reentrant = !spec.launch && chance(d, d->cut ? 3 : 8); /* hardly anything is known of those next to a cut */
    enum weir_status status = weir_pipeline_add_operator(d->pipeline, &spec, NULL, NULL);
    assert(!status), (void)status;
}

static void cut(struct draft *d, struct weir_queue_spec *spec)
{
    spec->capacity = (uint32_t)pick(d, 1, 3);
    spec->initial = 0;
    switch (pick(d, 0, 5)) {
    case 0:
    case 1:
        spec->latest = true;
        break;
    case 2:
        spec->optional = true; /* the producer waits */
        spec->capacity = chance(d, 10) ? WEIR_UNBOUNDED : spec->capacity;
        break;
    case 3:
        spec->optional = spec->nonblocking = true;
        spec->full = (enum weir_full)pick(d, WEIR_FULL_NEVER, WEIR_FULL_FAULT);
        break;
    default:
        spec->nonblocking = true;
        spec->full = (enum weir_full)pick(d, WEIR_FULL_POP, WEIR_FULL_FAULT);
        break;
    }
    if (!spec->latest && chance(d, 20))
        spec->initial = (uint32_t)pick(d, 0, spec->capacity == WEIR_UNBOUNDED ? 3 : spec->capacity);
}

static void add_queue(struct draft *d, uint32_t from, uint32_t to, bool back)
{
    struct weir_queue_spec spec = {.from = {from}, .to = {to}};
    spec.initial = back ? (uint32_t)pick(d, 1, 3) : chance(d, 6) ? (uint32_t)pick(d, 1, 2) : 0;
    if (d->cut && !back && chance(d, 45)) {
        cut(d, &spec);
        if ((spec.latest || spec.nonblocking) && chance(d, d->percent[TRANSFER]))
            interval(d, &spec.transfer_min, &spec.transfer_max);
    } else {
        if (chance(d, d->percent[TRANSFER]))
            interval(d, &spec.transfer_min, &spec.transfer_max);
        spec.nonblocking = chance(d, 8);
    }
    for (uint32_t i = 0; i < d->n; i++)
        for (uint32_t k = 0; k < d->n; k++)
            d->reaches[i][k] |= (i == from || d->reaches[i][from]) && (k == to || d->reaches[to][k]);
    d->queues[d->queue_count++] = spec;
}

static bool is_plain(const struct weir_queue_spec *spec)
{
    return !spec->latest && !spec->optional && spec->full == WEIR_FULL_NEVER;
}

/* Batches on the path from an operator to the next make the next one rarer. */
static void draw_rates(struct draft *d)
{
    static const uint32_t many[] = {1, 2, 3, 4, 6};
    for (uint32_t i = 0; i < d->n; i++) {
        uint32_t rate = 0;
        for (size_t k = 0; k < d->queue_count; k++)
            if (d->queues[k].to.index == i && d->queues[k].from.index < i && is_plain(&d->queues[k]))
                rate = (uint32_t)weir_greatest_divisor(d->rate[d->queues[k].from.index], rate);
        if (rate == 0)
            rate = d->percent[BATCH] ? many[pick(d, 0, 4)] : 1;
        uint32_t by = (!d->cut || d->percent[BATCH]) && chance(d, 65) ? (uint32_t)pick(d, 2, 3) : 1;
        d->rate[i] = rate % by ? rate : rate / by;
    }
}

/* The last queue sends to the port of the one before it: two producers, or more. */
static bool share(struct draft *d)
{
    if (!d->cut || d->queue_count < 2)
        return false;
    struct weir_queue_spec *second = &d->queues[d->queue_count - 1], *first = second - 1;
    if (first->to.index != second->to.index || !chance(d, d->ports))
        return false;
    for (size_t i = 0; i + 1 < d->queue_count; i++)
        if (d->queues[i].to.index == second->to.index && d->queues[i].from.index == second->from.index)
            return false;
    struct weir_queue_spec port = {.to = first->to, .port = "in", .capacity = first->capacity, .full = first->full};
    if (!first->port) {
        port.capacity = (uint32_t)pick(d, 1, 3);
        port.full = (enum weir_full)pick(d, WEIR_FULL_POP, WEIR_FULL_FAULT);
        port.from = first->from;
        port.nonblocking = chance(d, 30);
        *first = port;
    }
    port.from = second->from;
    port.nonblocking = chance(d, 30);
    *second = port;
    return true;
}

/* What a latest message should be like, and what happens where it is not. One that skips waits for something else. */
static void draw_missing(struct draft *d, struct weir_queue_spec *spec)
{
    struct weir_operator_spec to = weir_pipeline_operator(d->pipeline, spec->to);
    bool waits = false;
    if (!spec->latest || !chance(d, 60))
        return;
    for (size_t i = 0; i < d->queue_count; i++)
        waits |= d->queues[i].to.index == spec->to.index && !d->queues[i].latest && !d->queues[i].optional;
    spec->within = chance(d, 70) ? pick(d, 0, 4 * d->scale) : 0;
    spec->missing = chance(d, 30) ? (enum weir_missing)pick(d, WEIR_MISSING_SKIP, WEIR_MISSING_FAIL) : WEIR_MISSING_REUSE;
    if (spec->missing == WEIR_MISSING_SKIP && (!waits || to.receive_max || to.reentrant || to.launch))
        spec->missing = WEIR_MISSING_REUSE;
}

static void add_queues(struct draft *d)
{
    for (uint32_t i = 1; i < d->n; i++) {
        if (chance(d, 88))
            add_queue(d, (uint32_t)pick(d, 0, i - 1), i, false);
        if (chance(d, 25))
            add_queue(d, (uint32_t)pick(d, 0, i - 1), i, false);
        while (d->queue_count < 3 * MOST && share(d) && chance(d, 40))
            add_queue(d, (uint32_t)pick(d, 0, i - 1), i, false);
    }
    draw_rates(d);
    for (uint32_t i = 1; i < d->n; i++) {
        uint32_t to = (uint32_t)pick(d, 0, i);
        if (chance(d, 12) && d->rate[i] == d->rate[to] && d->queue_count < sizeof d->queues / sizeof *d->queues)
            add_queue(d, i, to, true);
    }
    for (size_t i = 0; i < d->queue_count; i++) {
        struct weir_queue_spec *spec = &d->queues[i];
        uint32_t from = d->rate[spec->from.index], to = d->rate[spec->to.index];
        if (is_plain(spec)) {
            uint32_t least = from / to > spec->initial ? from / to : spec->initial;
            spec->consume = from / to;
            spec->capacity = chance(d, 5) ? WEIR_UNBOUNDED : least + (uint32_t)pick(d, 0, 2);
        }
        if (!spec->latest && !spec->optional && spec->initial < (spec->consume ? spec->consume : 1))
            d->waits[spec->to.index] = true;
        if (!spec->latest && !spec->nonblocking && spec->initial == spec->capacity)
            d->waits[spec->from.index] = true;
        draw_missing(d, spec);
        enum weir_status status = weir_pipeline_add_queue(d->pipeline, spec, NULL, NULL);
        assert(!status), (void)status;
    }
}

static void add_sources(struct draft *d)
{
    for (uint32_t i = 0; i < d->n; i++) {
        struct weir_source_spec spec = {.op = {i}, .period = pick(d, 1, d->scale + d->scale / 2)};
        if (!chance(d, d->waits[i] ? 6 : 50))
            continue;
        if (!d->waits[i])
            spec.arrivals =
                (enum weir_arrivals)pick(d, WEIR_ARRIVALS_AT_MOST, d->cut ? WEIR_ARRIVALS_SKIP : WEIR_ARRIVALS_CATCH_UP);
        spec.has_phase = chance(d, 25);
        spec.phase = spec.has_phase ? pick(d, 0, spec.period) : 0;
        spec.phase_max = spec.has_phase ? spec.phase + pick(d, 0, spec.period) : 0;
        weir_pipeline_add_source(d->pipeline, &spec, NULL);
    }
}

static void add_chains(struct draft *d)
{
    for (int tries = 0; tries < 3; tries++) {
        uint32_t from = (uint32_t)pick(d, 0, d->n - 1), to = (uint32_t)pick(d, 0, d->n - 1);
        if (from != to && d->reaches[from][to])
            weir_pipeline_add_chain(d->pipeline, &(struct weir_chain_spec){.from = {from}, .to = {to}}, NULL);
    }
}

static void add_overlay(struct draft *d)
{
    uint32_t last = d->n - 1;
    for (uint32_t i = 1; i <= last + 1; i++) {
        struct weir_queue_spec spec = {.from = {i - 1}, .to = {i}, .capacity = (uint32_t)pick(d, 1, 2)};
        spec.optional = i == last || (i < last && chance(d, 5));
        if (i > last)
            spec = (struct weir_queue_spec){.from = {0}, .to = {last}, .capacity = (uint32_t)pick(d, 1, 2)};
        if (i < last && chance(d, 10)) /* another one, or another way */
            weir_pipeline_add_queue(d->pipeline,
                                    &(struct weir_queue_spec){.from = {i}, .to = {last}, .capacity = 1, .optional = chance(d, 70)},
                                    NULL, NULL);
        weir_pipeline_add_queue(d->pipeline, &spec, NULL, NULL);
    }
    struct weir_source_spec spec = {.op = {0}, .period = pick(d, 1, 2 * d->scale + d->n * d->scale / 2)};
    spec.arrivals = (enum weir_arrivals)pick(d, WEIR_ARRIVALS_AT_MOST, WEIR_ARRIVALS_SKIP);
    if (chance(d, 85))
        weir_pipeline_add_source(d->pipeline, &spec, NULL);
}

static struct weir_pipeline *finish(struct draft *d, struct weir_error *why)
{
    for (uint32_t i = 0; i < d->n; i++)
        add_operator(d, i);
    if (d->overlay) {
        add_overlay(d);
    } else {
        add_queues(d);
        add_sources(d);
    }
    if (chance(d, 50))
        add_chains(d);
    struct weir_errors *errors = weir_errors_new();
    enum weir_status status = weir_pipeline_seal(d->pipeline, NULL, errors);
    if (status) {
        *why = *weir_errors_at(errors, 0);
        weir_pipeline_free(d->pipeline);
        d->pipeline = NULL;
    }
    weir_errors_free(errors);
    return d->pipeline;
}

struct weir_pipeline *weir_random_semantics(struct weir_random *random, bool cut_some, struct weir_error *why)
{
    struct draft d = {.random = random, .pipeline = weir_pipeline_new(NULL), .cut = cut_some, .streams = 20};
    static const int64_t scales[] = {3, 8, 20};
    assert(d.pipeline);
    d.n = (uint32_t)pick(&d, 2, MOST);
    d.scale = scales[pick(&d, 0, 2)];
    d.ports = chance(&d, 10) ? 100 : 10;
    for (size_t i = 0; i < 4; i++)
        d.percent[i] = chance(&d, cut_some ? 30 : 55) ? (int)pick(&d, 10, 60) : 0;
    return finish(&d, why);
}

struct weir_pipeline *weir_random_overlay(struct weir_random *random, struct weir_error *why)
{
    struct draft d = {.random = random, .pipeline = weir_pipeline_new(NULL), .cut = true, .overlay = true};
    assert(d.pipeline);
    d.n = (uint32_t)pick(&d, 3, MOST);
    d.scale = pick(&d, 1, 20);
    d.percent[LATE] = chance(&d, 30) ? 30 : 0;
    return finish(&d, why);
}

struct weir_pipeline *weir_random_small_semantics(struct weir_random *random, struct weir_error *why)
{
    struct draft d = {.random = random, .pipeline = weir_pipeline_new(NULL), .streams = 70};
    assert(d.pipeline);
    d.n = (uint32_t)pick(&d, 2, 3);
    d.scale = pick(&d, 1, 4);
    for (size_t i = 0; i < 4; i++)
        d.percent[i] = chance(&d, 40) ? (int)pick(&d, 20, 80) : 0;
    return finish(&d, why);
}

static int64_t longest_of(const struct weir_pipeline *p)
{
    int64_t longest = 0;
    for (uint32_t i = 0; i < weir_pipeline_operator_count(p); i++) {
        struct weir_operator_spec spec = weir_pipeline_operator(p, (struct weir_operator){i});
        longest = spec.worst > longest ? spec.worst : longest;
    }
    return longest;
}

struct weir_pipeline *weir_random_shared(const struct weir_pipeline *pipeline, struct weir_random *random)
{
    static const char *const lanes[] = {NULL, NULL, "first", "second"};
    struct weir_pipeline *p = weir_pipeline_copy(pipeline, NULL);
    int64_t kind = weir_random_between(random, 0, 3);
    uint32_t n = weir_pipeline_operator_count(p);
    for (uint32_t i = 0; i < n; i++) {
        struct weir_operator_spec spec = weir_pipeline_operator(p, (struct weir_operator){i});
        spec.reentrant = false;
        spec.lane = kind == 0 ? lanes[weir_random_between(random, 0, 3)] : NULL;
        weir_pipeline_change_operator(p, (struct weir_operator){i}, &spec, NULL);
    }
    struct weir_workers_spec workers = {.dispatch = kind == 1   ? WEIR_DISPATCH_GREEDY
                                                    : kind == 2 ? WEIR_DISPATCH_POLLED
                                                                : WEIR_DISPATCH_EVENTS,
                                        .workers = kind == 1 ? 1 : (uint32_t)weir_random_between(random, kind == 0 ? 0 : 1, n)};
    workers.polling = kind == 2 ? weir_random_between(random, 0, longest_of(p)) : 0;
    if (weir_pipeline_set_workers(p, &workers, NULL) || weir_pipeline_seal(p, NULL, NULL)) {
        weir_pipeline_free(p);
        return NULL;
    }
    return p;
}
