/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A part of the runs plays plans as they are drawn, and remembers for each target the seed of the one that was latest. The others
 * climb, an equal share towards each target: the plan is changed a little, and the change is kept unless it is worse. Where that
 * has led nowhere for a while, it begins anew, from another drawn plan or from many changes of the best.
 */
#include "simulate/search.h"

#include "base/error.h"
#include "base/interrupt.h"
#include "base/number.h"
#include "model/pipeline.h"

#include <string.h>

/* Of ten runs, those that are drawn. */
#define DRAWN 2
/* Runs without progress before climbing begins anew; and the changes of the best plan where it begins with that. */
#define PATIENCE 600
#define AGITATION 6

enum { CURRENT, CANDIDATE, CHAMPION };

/* ---- room: what is kept of the pipeline, plans, and what is seen ---- */

static bool read_pipeline(struct weir_processors_search *s)
{
    const struct weir_pipeline *pipeline = s->pipeline;
    s->operator_count = weir_pipeline_operator_count(pipeline);
    s->source_count = weir_pipeline_source_count(pipeline);
    s->processor_count = weir_pipeline_processor_count(pipeline);
    s->chain_count = weir_pipeline_chain_count(pipeline);
    s->best = weir_arena_array(&s->arena, s->operator_count, sizeof *s->best);
    s->worst = weir_arena_array(&s->arena, s->operator_count, sizeof *s->worst);
    s->on = weir_arena_array(&s->arena, s->operator_count, sizeof *s->on);
    s->sources = weir_arena_array(&s->arena, s->source_count, sizeof *s->sources);
    s->shared = weir_arena_array(&s->arena, s->processor_count, sizeof *s->shared);
    s->chains = weir_arena_array(&s->arena, s->chain_count, sizeof *s->chains);
    if (s->arena.failed)
        return false;
    for (uint32_t i = 0; i < s->operator_count; i++) {
        struct weir_operator_spec o = weir_pipeline_operator(pipeline, (struct weir_operator){i});
        s->best[i] = o.best;
        s->worst[i] = o.worst;
        s->on[i] = o.mapped ? o.on.index : UINT32_MAX;
    }
    for (uint32_t i = 0; i < s->source_count; i++)
        s->sources[i] = weir_pipeline_source(pipeline, i);
    for (uint32_t i = 0; i < s->processor_count; i++)
        s->shared[i] = weir_pipeline_processor(pipeline, (struct weir_processor){i});
    return true;
}

/* A chain whose ends are far apart in iterations is seen only by a run that is longer than that. */
static bool read_chains(struct weir_processors_search *s)
{
    int64_t most = 0;
    for (uint32_t i = 0; i < s->chain_count; i++) {
        struct weir_search_chain *p = &s->chains[i];
        p->spec = weir_pipeline_chain(s->pipeline, i);
        p->source = weir_processors_source(s->processors, p->spec.from);
        int64_t shift = p->spec.shift < 0 ? -p->spec.shift : p->spec.shift;
        most = shift > most ? shift : most;
        for (uint32_t k = 0; k < s->source_count; k++)
            p->fed |= s->sources[k].op.index == p->spec.from.index;
    }
    return weir_add(s->iterations, most, &s->iterations);
}

static int64_t *carve(int64_t **free, size_t count)
{
    int64_t *piece = *free;
    *free += count;
    return piece;
}

static bool make_plans(struct weir_processors_search *s)
{
    size_t iterations = (size_t)s->iterations, operators, sources, total;
    if (__builtin_mul_overflow(s->operator_count, iterations, &operators) ||
        __builtin_mul_overflow(s->source_count, iterations, &sources) || operators > SIZE_MAX / 64 || sources > SIZE_MAX / 64)
        return false;
    s->plan_size = operators + 2 * sources + s->source_count + s->processor_count + 1;
    total = 3 * s->plan_size + 2 * operators + 2 * sources;
    int64_t *free = weir_arena_array(&s->arena, total, sizeof *free);
    if (!free)
        return false;
    for (int i = 0; i < 3; i++) {
        s->plans[i].times = carve(&free, operators);
        s->plans[i].offsets = carve(&free, sources);
        s->plans[i].spreads = carve(&free, sources);
        s->plans[i].phases = carve(&free, s->source_count);
        s->plans[i].frames = carve(&free, s->processor_count);
        s->plans[i].order = carve(&free, 1);
    }
    s->sighting.enable = carve(&free, operators);
    s->sighting.finish = carve(&free, operators);
    s->sighting.nominal = carve(&free, sources);
    s->sighting.arrival = carve(&free, sources);
    return true;
}

static bool make_seen(struct weir_processors_search *s)
{
    size_t operators = s->operator_count, chains = s->chain_count;
    s->seen = weir_array_zeroed(1, sizeof *s->seen + (3 * operators + 3 * chains) * sizeof(int64_t));
    if (!s->seen)
        return false;
    int64_t *free = (int64_t *)(s->seen + 1);
    s->seen->finish_max = carve(&free, operators);
    s->seen->enable_min = carve(&free, operators);
    s->seen->enable_max = carve(&free, operators);
    s->seen->latency_max = carve(&free, chains);
    s->seen->latency_min = carve(&free, chains);
    s->seen->latency_max_arrival = carve(&free, chains);
    for (size_t i = 0; i < operators; i++) {
        s->seen->finish_max[i] = s->seen->enable_max[i] = INT64_MIN;
        s->seen->enable_min[i] = INT64_MAX;
    }
    for (size_t i = 0; i < chains; i++) {
        s->seen->latency_max[i] = s->seen->latency_max_arrival[i] = INT64_MIN;
        s->seen->latency_min[i] = INT64_MAX;
    }
    return true;
}

static enum weir_status open_search(struct weir_processors_search *s, const uint32_t *capacities, struct weir_error *error)
{
    enum weir_status status = weir_processors_new(s->pipeline, capacities, &s->processors, error);
    if (status)
        return status;
    if (read_pipeline(s) && read_chains(s) && make_plans(s) && make_seen(s))
        return WEIR_OK;
    return weir_fail_memory(error);
}

/* ---- playing a plan ---- */

static int64_t time_of(void *context, struct weir_operator op, int64_t iteration)
{
    const struct weir_processors_search *s = context;
    return s->now->times[op.index * s->iterations + iteration];
}

static struct weir_drawn_release release_of(void *context, uint32_t source, int64_t iteration)
{
    const struct weir_processors_search *s = context;
    return (struct weir_drawn_release){.offset = s->now->offsets[source * s->iterations + iteration],
                                       .spread = s->now->spreads[source * s->iterations + iteration]};
}

static void arrived(void *context, uint32_t source, int64_t iteration, int64_t time, int64_t nominal)
{
    const struct weir_processors_search *s = context;
    s->sighting.arrival[source * s->iterations + iteration] = time;
    s->sighting.nominal[source * s->iterations + iteration] = nominal;
}

static void enabled(void *context, struct weir_operator op, int64_t iteration, int64_t time, int64_t nominal)
{
    const struct weir_processors_search *s = context;
    int64_t after = time - nominal, *min = &s->seen->enable_min[op.index], *max = &s->seen->enable_max[op.index];
    s->sighting.enable[op.index * s->iterations + iteration] = time;
    *min = after < *min ? after : *min;
    *max = after > *max ? after : *max;
}

static void observe(void *context, struct weir_operator op, enum weir_moment moment, int64_t iteration, int64_t time,
                    int64_t nominal)
{
    const struct weir_processors_search *s = context;
    if (moment != WEIR_FINISH)
        return;
    s->sighting.finish[op.index * s->iterations + iteration] = time;
    s->seen->finish_max[op.index] = time - nominal > s->seen->finish_max[op.index] ? time - nominal : s->seen->finish_max[op.index];
    s->seen->executions++;
}

/* The chain in the last run: all that was seen of it goes into `seen`, the largest into *worst. */
static void measure(const struct weir_processors_search *s, uint32_t chain, bool arrival, struct weir_worst *worst)
{
    const struct weir_search_chain *p = &s->chains[chain];
    const int64_t *finish = &s->sighting.finish[p->spec.to.index * s->iterations];
    const int64_t *from =
        p->fed ? &s->sighting.nominal[p->source * s->iterations] : &s->sighting.enable[p->spec.from.index * s->iterations];
    const int64_t *actual = p->fed ? &s->sighting.arrival[p->source * s->iterations] : from;
    int64_t shift = p->spec.shift, end = s->iterations - (shift > 0 ? shift : 0);
    *worst = (struct weir_worst){.value = INT64_MIN};
    for (int64_t n = shift < 0 ? -shift : 0; n < end; n++) {
        int64_t counted = finish[n + shift] - from[n], since = finish[n + shift] - actual[n], value = arrival ? since : counted;
        if (counted > s->seen->latency_max[chain])
            s->seen->latency_max[chain] = counted;
        if (counted < s->seen->latency_min[chain])
            s->seen->latency_min[chain] = counted;
        if (since > s->seen->latency_max_arrival[chain])
            s->seen->latency_max_arrival[chain] = since;
        if (value > worst->value)
            *worst = (struct weir_worst){value, n, finish[n + shift]};
    }
}

static enum weir_status play(struct weir_processors_search *s, const struct weir_plan *plan, struct weir_error *error)
{
    struct weir_processors_rules rules = {.iterations = s->iterations,
                                          .phases = plan->phases,
                                          .frames = plan->frames,
                                          .seed = (uint64_t)*plan->order,
                                          .time_of = time_of,
                                          .release = release_of,
                                          .arrived = arrived,
                                          .enabled = enabled,
                                          .observe = observe,
                                          .context = s};
    s->now = plan;
    return weir_processors_play(s->processors, &rules, error);
}

/* ---- climbing ---- */

struct hill_climb {
    struct weir_search_target *target;
    struct weir_worst worst; /* of the current plan */
    int64_t summit;          /* of the champion */
    uint32_t stale;
};

static void copy(const struct weir_processors_search *s, int to, int from)
{
    memcpy(s->plans[to].times, s->plans[from].times, s->plan_size * sizeof(int64_t)); /* a plan is one array */
}

/* The next plan to play, as the candidate. */
static enum weir_status propose(struct weir_processors_search *s, struct hill_climb *c, struct weir_error *error)
{
    const struct weir_search_chain *chain = &s->chains[c->target->chain];
    bool begun = c->summit != INT64_MIN;
    if (!begun || (c->stale > PATIENCE && weir_random_next(&s->random) >> 63)) {
        uint64_t seed = begun ? weir_random_next(&s->random) : c->target->seed;
        return weir_plan_draw(s, &s->plans[CANDIDATE], seed) ? weir_fail_memory(error) : WEIR_OK;
    }
    copy(s, CANDIDATE, c->stale > PATIENCE ? CHAMPION : CURRENT);
    for (int i = c->stale > PATIENCE ? AGITATION : 1; i > 0; i--)
        weir_plan_change(s, &s->plans[CANDIDATE], chain, &c->worst);
    return WEIR_OK;
}

static void judge(struct weir_processors_search *s, struct hill_climb *c)
{
    struct weir_worst worst = {0}, one;
    for (uint32_t i = 0; i < s->chain_count; i++) {
        measure(s, i, c->target->arrival, &one);
        if (i == c->target->chain)
            worst = one;
    }
    bool anew = c->stale > PATIENCE;
    c->stale = anew || worst.value > c->worst.value ? 0 : c->stale + 1;
    if (!anew && worst.value < c->worst.value)
        return;
    struct weir_plan kept = s->plans[CANDIDATE];
    s->plans[CANDIDATE] = s->plans[CURRENT];
    s->plans[CURRENT] = kept;
    c->worst = worst;
    if (worst.value > c->summit) {
        c->summit = worst.value;
        copy(s, CHAMPION, CURRENT);
    }
}

static enum weir_status climb(struct weir_processors_search *s, struct hill_climb *c, struct weir_error *error)
{
    enum weir_status status = propose(s, c, error);
    if (!status)
        status = play(s, &s->plans[CANDIDATE], error);
    if (!status)
        judge(s, c);
    return status;
}

static enum weir_status draw(struct weir_processors_search *s, struct weir_search_target *targets, size_t count,
                             struct weir_error *error)
{
    uint64_t seed = weir_random_next(&s->random);
    if (weir_plan_draw(s, &s->plans[CURRENT], seed))
        return weir_fail_memory(error);
    enum weir_status status = play(s, &s->plans[CURRENT], error);
    if (status)
        return status;
    struct weir_worst worst;
    for (uint32_t i = 0; i < s->chain_count; i++)
        measure(s, i, false, &worst);
    for (size_t i = 0; i < count; i++) {
        measure(s, targets[i].chain, targets[i].arrival, &worst);
        if (worst.value > targets[i].latest) {
            targets[i].latest = worst.value;
            targets[i].seed = seed;
        }
    }
    return WEIR_OK;
}

/* ---- the whole ---- */

static enum weir_status search(struct weir_processors_search *s, const struct weir_processors_search_options *options,
                               struct weir_search_target *targets, size_t count, struct weir_error *error)
{
    uint32_t drawn = (uint32_t)(((uint64_t)options->runs * DRAWN + 9) / 10);
    unsigned told = 0;
    struct hill_climb c = {0};
    for (uint32_t run = 0; run < options->runs && !weir_interrupted(); run++) {
        enum weir_status status;
        if (run < drawn || count == 0) {
            status = draw(s, targets, count, error);
        } else {
            struct weir_search_target *target = &targets[(uint64_t)(run - drawn) * count / (options->runs - drawn)];
            if (c.target != target)
                c = (struct hill_climb){.target = target, .worst = {.value = INT64_MIN}, .summit = INT64_MIN};
            status = climb(s, &c, error);
        }
        if (status)
            return status;
        unsigned permille = (unsigned)(((uint64_t)run + 1) * 1000 / options->runs);
        if (options->progress && permille > told)
            options->progress(options->context, permille);
        told = permille;
    }
    return WEIR_OK;
}

/* From the actual arrival, too, where it can differ from the nominal. */
static size_t list_targets(const struct weir_processors_search *s, uint32_t chain, struct weir_search_target *targets)
{
    size_t count = 0;
    for (uint32_t i = 0; i < s->chain_count; i++) {
        if (chain < s->chain_count && i != chain)
            continue;
        targets[count++] = (struct weir_search_target){.chain = i, .latest = INT64_MIN};
        if (s->chains[i].fed && s->sources[s->chains[i].source].jitter > 0)
            targets[count++] = (struct weir_search_target){.chain = i, .arrival = true, .latest = INT64_MIN};
    }
    return count;
}

static enum weir_status check(const struct weir_pipeline *pipeline, const struct weir_processors_search_options *options,
                              struct weir_error *error)
{
    enum weir_status fit = weir_pipeline_require(pipeline, WEIR_PLATFORM_PROCESSORS, error);
    if (fit)
        return fit;
    if (options->iterations < 1)
        return weir_fail(error, WEIR_INVALID, "a simulation has at least one iteration");
    if (options->runs < 1)
        return weir_fail(error, WEIR_INVALID, "a search has at least one run");
    if (options->chain > weir_pipeline_chain_count(pipeline))
        return weir_fail(error, WEIR_INVALID, "there is no chain %u", options->chain);
    return WEIR_OK;
}

enum weir_status weir_processors_search(const struct weir_pipeline *pipeline, const struct weir_processors_search_options *options,
                                        struct weir_processors_observed **seen, struct weir_error *error)
{
    struct weir_processors_search s = {.pipeline = pipeline, .iterations = options->iterations};
    *seen = NULL;
    enum weir_status status = check(pipeline, options, error);
    if (status)
        return status;
    weir_random_seed(&s.random, options->seed);
    status = open_search(&s, options->capacities, error);
    if (!status) {
        struct weir_search_target *targets = weir_arena_array(&s.arena, 2 * (size_t)s.chain_count, sizeof *targets);
        status = targets ? search(&s, options, targets, list_targets(&s, options->chain, targets), error) : weir_fail_memory(error);
    }
    if (status)
        weir_free(s.seen);
    else
        *seen = s.seen;
    weir_processors_free(s.processors);
    weir_arena_free(&s.arena);
    return status;
}
