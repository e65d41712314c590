/* SPDX-License-Identifier: Apache-2.0 */
#include "support/random/flow.h"

#include <stdio.h>

enum { NODES_MAX = WEIR_RANDOM_FLOW_OPERATORS, PARTS_MAX = 2 };

struct draft {
    struct weir_random *random;
    struct weir_pipeline *pipeline;
    uint32_t cores, parts, nodes;
    uint32_t first[PARTS_MAX + 1]; /* nodes of a part */
    int64_t round[PARTS_MAX];      /* ticks */
    int64_t times[NODES_MAX];      /* executions in a round, 1 or more */
    uint32_t part[NODES_MAX];
    bool several[PARTS_MAX]; /* sources */
    bool source[NODES_MAX];
    uint32_t batch[NODES_MAX];
    int64_t samples[NODES_MAX]; /* that an execution takes */
    int64_t cost[NODES_MAX];
    uint32_t reached[NODES_MAX]; /* by which sources: a bit each */
    bool even;                   /* all arrivals are */
};

static int64_t between(struct draft *d, int64_t low, int64_t high)
{
    return weir_random_between(d->random, low, high);
}

static bool chance(struct draft *d, int percent)
{
    return between(d, 1, 100) <= percent;
}

static int64_t divisor(int64_t a, int64_t b)
{
    while (b) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a > 0 ? a : 1;
}

/* Rounded down; what there is none of has no share. */
static int64_t divide(int64_t a, int64_t b)
{
    return b > 0 ? a / b : 0;
}

/* ---- rates ---- */

static void draw_part(struct draft *d, uint32_t g)
{
    static const int64_t often[] = {1, 2, 3, 4, 5, 6, 8, 12}, slower[] = {1, 1, 2, 3}, longer[] = {1, 3, 10, 60, 120};
    int64_t all = 1;
    d->several[g] = chance(d, 40);
    for (uint32_t v = d->first[g]; v < d->first[g + 1]; v++) {
        bool lead = v == d->first[g];
        int64_t like = lead ? 12 : d->times[between(d, d->first[g], v - 1)];
        int64_t times = like / slower[between(d, 0, 3)];
        d->times[v] = times < 1 ? 1 : times;
        if (lead || chance(d, 50))
            d->times[v] = often[between(d, 0, 7)];
        d->part[v] = g;
        d->source[v] = lead || (d->several[g] && chance(d, 40));
        all *= d->times[v] / divisor(all, d->times[v]);
    }
    d->round[g] = all * longer[between(d, 0, 4)];
    if (chance(d, 25)) /* then periods are fractions */
        d->round[g] = between(d, 30, 600);
    if (g > 0 && chance(d, 60))
        d->round[g] = d->round[0] * between(d, 1, 3);
}

static void draw_rates(struct draft *d)
{
    d->cores = (uint32_t)between(d, 1, chance(d, 60) ? 3 : 8);
    d->parts = chance(d, 80) ? 1 : 2;
    d->nodes = (uint32_t)between(d, 2, NODES_MAX);
    d->first[1] = d->first[2] = d->nodes;
    if (d->parts == 2)
        d->first[1] = (uint32_t)between(d, 1, d->nodes - 1);
    for (uint32_t g = 0; g < d->parts; g++)
        draw_part(d, g);
}

/* ---- costs ---- */

/* Rounded down. */
static int64_t period_of(const struct draft *d, uint32_t v)
{
    return divide(d->round[d->part[v]], d->times[v]);
}

/* Cores that are in use, as a multiple of 1 / (round * round of the other part). */
static int64_t weight(const struct draft *d, uint32_t v)
{
    return d->times[v] * (d->parts == 2 ? d->round[1 - d->part[v]] : 1);
}

static int64_t whole(const struct draft *d)
{
    return d->round[0] * (d->parts == 2 ? d->round[1] : 1);
}

static void draw_costs(struct draft *d)
{
    static const int64_t loads[] = {300, 600, 800, 950, 1000, 1000, 1030};
    int64_t share[NODES_MAX], sum = 0, used = 0, load = loads[between(d, 0, 6)];
    for (uint32_t v = 0; v < d->nodes; v++) {
        int64_t x = between(d, 1, 100);
        sum += share[v] = chance(d, 50) ? x : x * x / 20 + 1;
    }
    for (uint32_t v = 0; v < d->nodes; v++) {
        int64_t most = period_of(d, v);
        int64_t cost = most * share[v] * d->cores * load / (sum * 1000);
        cost = cost > most ? most : cost;
        d->cost[v] = cost < 1 ? 1 : cost;
        used += d->cost[v] * weight(d, v);
    }
    for (uint32_t v = 0; v < d->nodes && load == 1000; v++) { /* to the last, where costs can be had */
        int64_t most = period_of(d, v) - d->cost[v];
        int64_t more = divide(d->cores * whole(d) - used, weight(d, v));
        more = more > most ? most : more;
        if (more > 0) {
            d->cost[v] += more;
            used += more * weight(d, v);
        }
    }
}

/* ---- the pipeline ---- */

static void add_operators(struct draft *d)
{
    bool by_sample = chance(d, 50);
    int64_t best = between(d, 0, 2);
    for (uint32_t v = 0; v < d->nodes; v++) {
        char name[16];
        snprintf(name, sizeof name, "o%u", v);
        struct weir_operator_spec spec = {.name = name, .worst = d->cost[v], .has_cost = by_sample};
        spec.best = best == 0 ? 0 : best == 1 ? spec.worst : between(d, 0, spec.worst);
        if (by_sample) {
            spec.cost_sample = between(d, 0, divide(d->cost[v], d->samples[v]));
            spec.cost_init = d->cost[v] - d->samples[v] * spec.cost_sample;
            spec.best = spec.worst = 0;
        }
        weir_pipeline_add_operator(d->pipeline, &spec, NULL, NULL);
    }
}

static void draw_queue(struct draft *d, uint32_t u, uint32_t v, struct weir_queue_spec *q)
{
    static const uint32_t more[] = {1, 1, 2, 3, 4};
    uint32_t g = (uint32_t)divisor(d->times[u], d->times[v]), k = more[between(d, 0, 4)];
    *q = (struct weir_queue_spec){.from = {u}, .to = {v}, .capacity = WEIR_AUTO};
    q->produce = k * (uint32_t)d->times[v] / g;
    q->consume = k * (uint32_t)d->times[u] / g;
    q->threshold = q->consume + (chance(d, 50) ? 0 : (uint32_t)between(d, 0, 2 * q->consume + 3));
    uint32_t most = q->threshold + (uint32_t)between(d, 0, 1) * 2 * q->produce;
    most += chance(d, 20) ? 10 * (q->produce + q->consume) : 0;
    q->initial = chance(d, 70) ? 0 : (uint32_t)between(d, 0, most);
    if (q->consume > d->samples[v])
        d->samples[v] = q->consume;
    d->reached[v] |= d->reached[u];
}

static void limit_queue(struct draft *d, struct weir_queue_spec *q)
{
    if (chance(d, 5))
        q->capacity = WEIR_UNBOUNDED;
    else if (chance(d, 6))
        q->capacity = q->threshold + q->produce + q->initial + (uint32_t)between(d, 0, 12 * (q->produce + q->consume));
}

/* Queues are drawn before operators are added, whose costs depend on them. */
static uint32_t draw_queues(struct draft *d, struct weir_queue_spec *queues)
{
    uint32_t count = 0;
    for (uint32_t v = 0; v < d->nodes; v++) {
        if (d->source[v]) {
            d->reached[v] = 1U << v;
            d->batch[v] = chance(d, 70) ? 1 : (uint32_t)between(d, 2, 6);
            d->samples[v] = d->batch[v];
            continue;
        }
        int64_t before = v - d->first[d->part[v]], wanted = chance(d, d->several[d->part[v]] ? 20 : 60) ? 1 : between(d, 1, 3);
        wanted = wanted > before ? before : wanted;
        for (int64_t u = 0; u < before && wanted > 0; u++)
            if (between(d, 1, before - u) <= wanted) {
                draw_queue(d, d->first[d->part[v]] + (uint32_t)u, v, &queues[count]);
                limit_queue(d, &queues[count++]);
                wanted--;
            }
    }
    return count;
}

static void add_source(struct draft *d, uint32_t v)
{
    struct weir_source_spec spec = {.op = {v}, .arrivals = WEIR_ARRIVALS_EXACT, .batch = d->batch[v]};
    int64_t kind = d->even ? 0 : between(d, 0, 3);
    spec.period = d->round[d->part[v]];
    spec.count = d->times[v] * d->batch[v];
    if (chance(d, 60)) {
        int64_t common = divisor(spec.period, spec.count), k = kind == 1 ? between(d, 1, 4) : 1;
        spec.period = spec.period / common * k;
        spec.count = spec.count / common * k;
    }
    spec.bursty = kind == 1;
    spec.sporadic = kind == 2;
    if (!spec.bursty && !spec.sporadic && chance(d, 40))
        spec.jitter = between(d, 0, (chance(d, 50) ? 1 : 3) * period_of(d, v) + 1);
    spec.has_phase = chance(d, 25);
    spec.phase = spec.has_phase ? between(d, 0, 2 * d->round[d->part[v]]) : 0;
    weir_pipeline_add_source(d->pipeline, &spec, NULL);
}

static void add_chains(struct draft *d)
{
    if (chance(d, 50))
        return; /* from sources to leaves then */
    for (uint32_t from = 0; from < d->nodes; from++)
        for (uint32_t to = from; to < d->nodes; to++)
            if (d->source[from] && (d->reached[to] >> from & 1)) {
                struct weir_chain_spec chain = {.from = {from}, .to = {to}};
                weir_pipeline_add_chain(d->pipeline, &chain, NULL);
            }
}

struct weir_pipeline *weir_random_flow(struct weir_random *random)
{
    for (;;) {
        struct weir_queue_spec queues[3 * NODES_MAX];
        struct draft d = {.random = random, .pipeline = weir_pipeline_new(NULL)};
        if (!d.pipeline)
            return NULL;
        d.even = chance(&d, 50);
        draw_rates(&d);
        draw_costs(&d);
        uint32_t count = draw_queues(&d, queues);
        weir_pipeline_set_platform(d.pipeline, WEIR_PLATFORM_CORES, NULL);
        weir_pipeline_set_cores(d.pipeline, d.cores, NULL);
        add_operators(&d);
        for (uint32_t i = 0; i < count; i++)
            weir_pipeline_add_queue(d.pipeline, &queues[i], NULL, NULL);
        for (uint32_t v = 0; v < d.nodes; v++)
            if (d.source[v])
                add_source(&d, v);
        add_chains(&d);
        if (weir_pipeline_seal(d.pipeline, NULL, NULL) == WEIR_OK)
            return d.pipeline;
        weir_pipeline_free(d.pipeline); /* a queue of which too much was asked: again */
    }
}
