/* SPDX-License-Identifier: Apache-2.0 */
#include "support/random/pipeline.h"

#include "model/pipeline.h"

#include <stdio.h>

static bool chance(struct weir_random *r, int percent)
{
    return weir_random_between(r, 1, 100) <= percent;
}

static uint32_t pick(struct weir_random *r, int64_t low, int64_t high)
{
    return (uint32_t)weir_random_between(r, low, high);
}

struct draft {
    struct weir_random *random;
    struct weir_pipeline *pipeline;
    enum weir_flavour flavour;
    uint32_t n;
    int64_t scale; /* the largest time */
    int constants; /* percent of operators whose time does not vary */
    uint32_t capacity_min, capacity_max;
};

static void add_operators(struct draft *d)
{
    struct weir_random *r = d->random;
    for (uint32_t i = 0; i < d->n; i++) {
        char name[16];
        snprintf(name, sizeof name, "o%u", i);
        struct weir_operator_spec spec = {.name = name, .worst = weir_random_between(r, 0, d->scale)};
        if (d->flavour == WEIR_FLAVOUR_SLOW && chance(r, 70))
            spec.worst = d->scale + weir_random_between(r, -2, 2);
        if (d->flavour == WEIR_FLAVOUR_SLOW && chance(r, 40))
            spec.best = spec.worst - weir_random_between(r, 0, spec.worst < 2 ? spec.worst : 2);
        else if (d->flavour != WEIR_FLAVOUR_ZERO_BEST)
            spec.best = chance(r, d->constants) ? spec.worst : chance(r, 25) ? 0 : weir_random_between(r, 0, spec.worst);
        if (d->flavour >= WEIR_FLAVOUR_EVERYTHING && chance(r, 15)) {
            spec.receive_max = weir_random_between(r, 0, spec.worst);
            spec.receive_min = weir_random_between(r, 0, spec.receive_max);
        }
        spec.reentrant = d->flavour >= WEIR_FLAVOUR_EVERYTHING && chance(r, 10);
        struct weir_operator op;
        weir_pipeline_add_operator(d->pipeline, &spec, &op, NULL);
    }
}

static void add_queue(struct draft *d, uint32_t from, uint32_t to, bool back)
{
    struct weir_random *r = d->random;
    struct weir_queue_spec spec = {.from = {from}, .to = {to}, .capacity = pick(r, d->capacity_min, d->capacity_max)};
    if (back)
        spec.initial = pick(r, 1, spec.capacity);
    else if (chance(r, 12))
        spec.initial = pick(r, 0, spec.capacity);
    if (d->flavour >= WEIR_FLAVOUR_EVERYTHING && chance(r, 12)) {
        spec.nonblocking = chance(r, 50);
        if (!spec.nonblocking)
            spec.capacity = WEIR_UNBOUNDED;
    }
    weir_pipeline_add_queue(d->pipeline, &spec, NULL, NULL);
}

static void add_queues(struct draft *d)
{
    struct weir_random *r = d->random;
    for (uint32_t i = 1; i < d->n; i++) /* a root only where chance leaves one */
        if (!chance(r, d->flavour == WEIR_FLAVOUR_PHASES ? 35 : 12))
            add_queue(d, pick(r, 0, i - 1), i, false);
    for (uint32_t i = 0; i + 1 < d->n; i++)
        if (chance(r, 45))
            add_queue(d, i, pick(r, i + 1, d->n - 1), false);
    if (chance(r, 40))
        for (uint32_t i = pick(r, 1, 2); i > 0; i--) {
            uint32_t from = pick(r, 0, d->n - 1);
            add_queue(d, from, pick(r, 0, from), true);
        }
}

static bool is_root(const struct draft *d, uint32_t op)
{
    for (uint32_t i = 0; i < weir_pipeline_queue_count(d->pipeline); i++) {
        struct weir_queue_spec q = weir_pipeline_queue(d->pipeline, (struct weir_queue){i});
        if (q.to.index == op)
            return false;
    }
    return true;
}

/* Sources with phases that are known, known within limits, or not at all. */
static void add_phases(struct draft *d)
{
    struct weir_random *r = d->random;
    int64_t common = weir_random_between(r, 1, d->scale * 2 + 1);
    for (uint32_t i = 0; i < d->n; i++) {
        bool root = is_root(d, i);
        if (!chance(r, root ? 80 : 5))
            continue;
        struct weir_source_spec spec = {.op = {i}, .period = chance(r, 60) ? common : weir_random_between(r, 1, d->scale * 2 + 1)};
        spec.arrivals = chance(r, 40)           ? WEIR_ARRIVALS_AT_MOST
                        : root && chance(r, 60) ? WEIR_ARRIVALS_CATCH_UP
                                                : WEIR_ARRIVALS_EXACT;
        spec.has_phase = chance(r, 40);
        spec.phase = spec.has_phase ? weir_random_between(r, 0, 2 * spec.period) : 0;
        if (spec.has_phase && chance(r, 50))
            spec.phase_max = spec.phase + weir_random_between(r, 0, 2 * spec.period);
        weir_pipeline_add_source(d->pipeline, &spec, NULL);
    }
}

/* All begin at once. */
static void add_sources(struct draft *d)
{
    struct weir_random *r = d->random;
    uint32_t roots = 0;
    for (uint32_t i = 0; i < d->n; i++)
        roots += is_root(d, i);
    for (uint32_t i = 0; i < d->n && d->flavour >= WEIR_FLAVOUR_EVERYTHING; i++)
        if (chance(r, i == 0 ? 35 : 5)) {
            struct weir_source_spec spec = {.op = {i}, .period = weir_random_between(r, 1, d->scale * 2 + 1)};
            if (d->flavour == WEIR_FLAVOUR_SLOW)
                spec.period = d->scale + weir_random_between(r, -1, 2);
            spec.arrivals = chance(r, 50) ? WEIR_ARRIVALS_EXACT : WEIR_ARRIVALS_AT_MOST;
            roots += !is_root(d, i);
            weir_pipeline_add_source(d->pipeline, &spec, NULL);
        }
    for (uint32_t i = 0; i < weir_pipeline_source_count(d->pipeline) && roots != 1; i++) {
        struct weir_source_spec spec = weir_pipeline_source(d->pipeline, i);
        spec.has_phase = true;
        weir_pipeline_change_source(d->pipeline, i, &spec, NULL);
    }
}

struct weir_pipeline *weir_random_pipeline(struct weir_random *random, enum weir_flavour flavour)
{
    static const int64_t scales[] = {3, 12, 100, 1000};
    for (;;) {
        struct draft d = {.random = random, .flavour = flavour};
        d.pipeline = weir_pipeline_new(NULL);
        if (!d.pipeline)
            return NULL;
        d.n = pick(random, flavour == WEIR_FLAVOUR_PHASES ? 2 : 1, WEIR_RANDOM_OPERATORS);
        d.scale = flavour == WEIR_FLAVOUR_SLOW ? 1500 : scales[pick(random, 0, 3)];
        d.constants = chance(random, 20) ? 100 : chance(random, 50) ? 20 : 60;
        d.capacity_min = chance(random, 10) ? 4 : 1;
        d.capacity_max = d.capacity_min + (chance(random, 60) ? 0 : pick(random, 1, 4));
        add_operators(&d);
        add_queues(&d);
        if (flavour == WEIR_FLAVOUR_PHASES)
            add_phases(&d);
        else
            add_sources(&d);
        if (weir_pipeline_seal(d.pipeline, NULL, NULL) == WEIR_OK)
            return d.pipeline;
        weir_pipeline_free(d.pipeline); /* a deadlock, or an operator that nothing reaches: again */
    }
}

const int64_t *weir_random_phases(const struct weir_pipeline *p, uint64_t seed, int64_t *phases, int64_t *counts_from)
{
    struct weir_random random;
    weir_random_seed(&random, seed);
    int64_t apart = chance(&random, 50) ? weir_random_between(&random, 1, 12) : 1;
    *counts_from = 0;
    for (uint32_t i = 0; i < weir_pipeline_source_count(p) && p->phases; i++) {
        const struct weir_phase *phase = &p->phases[weir_pipeline_source(p, i).op.index];
        int64_t most = phase->unknown ? apart * phase->most : phase->most;
        phases[i] = chance(&random, 25)   ? phase->least
                    : chance(&random, 33) ? most
                                          : weir_random_between(&random, phase->least, most);
        if (phase->unknown && phases[i] - phase->most > *counts_from)
            *counts_from = phases[i] - phase->most;
    }
    return p->phases ? phases : NULL;
}
