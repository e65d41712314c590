/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random pipelines under schedulers whose operators share worker threads: no run exceeds a bound, whatever is chosen, however long
 * executions take and however late operators are seen; what is said to be exact is reached.
 *
 *     workers COUNT [SEED]      what was seen; exit status 1 on a contradiction
 *     workers show SEED         one pipeline as YAML, and what is said and seen of it
 *
 * Work is shared among as many processes as there are cores. A contradiction prints the seed of its pipeline, and the pipeline.
 */
#include "base/number.h"
#include "model/pipeline.h"
#include "simulate/machine.h"
#include "support/campaign.h"
#include "support/random/pipeline.h"

#include <inttypes.h>
#include <string.h>

enum { OPERATORS = 8, ITERATIONS = 28, DRAWN = 30, CLIMBS = 90, LONG_RUN = 4000, CHAINS = 16, TRIES = 50 };

struct tally {
    uint64_t pipelines, runs;
    uint64_t safe, exact, unknown;                /* latencies */
    uint64_t threads, greedy, polled, few, lanes; /* ... that are bounded: a thread each, ...; few: fewer workers than operators */
    uint64_t verified;                            /* ... whose check holds */
    uint64_t reached[2];                          /* bounds that were seen: safe, exact */
    uint64_t tightness_count;
    double tightness; /* sum of seen / bound of safe ones above 0 */
};

/* Everything a run leaves open, by operator and iteration. */
struct plan {
    int64_t times[2][OPERATORS][ITERATIONS]; /* of receive(), of the execution */
    int64_t delays[OPERATORS][ITERATIONS];
    uint64_t ranks[OPERATORS][ITERATIONS]; /* the smallest goes first */
    uint64_t seed;                         /* of the order within a moment */
};

struct trial {
    uint64_t seed;
    struct weir_random random;
    struct weir_pipeline *pipeline;
    struct weir_workers_spec workers;
    struct weir_workers_analysis *analysis;
    struct weir_operator_spec ops[OPERATORS];
    bool arrivals[OPERATORS]; /* latencies that begin here count from the arrival */
    uint32_t count;
    const struct plan *plan;
    int64_t at[3][OPERATORS][ITERATIONS]; /* moments; -1: not seen */
    int64_t seen_max[CHAINS], seen_min[CHAINS];
    struct weir_error error;
    struct tally *tally;
    bool show;
};

static bool complain(const struct trial *t, const char *what, int64_t a, int64_t b)
{
    printf("pipeline of seed %" PRIu64 ", %s: %s (%" PRId64 ", %" PRId64 ") %s\n", t->seed, weir_dispatch_name(t->workers.dispatch),
           what, a, b, t->error.message);
    printf("# %u workers, polling %" PRId64 "\n", t->workers.workers, t->workers.polling);
    weir_pipeline_write_yaml(t->pipeline, stdout, NULL);
    return false;
}

static int64_t between(struct trial *t, int64_t low, int64_t high)
{
    return weir_random_between(&t->random, low, high);
}

/* ---- a run ---- */

static int64_t time_of(void *context, struct weir_operator op, enum weir_part part, int64_t iteration)
{
    return ((struct trial *)context)->plan->times[part == WEIR_PART_EXECUTION][op.index][iteration];
}

static int64_t delay(void *context, struct weir_operator op, int64_t iteration)
{
    return iteration < ITERATIONS ? ((struct trial *)context)->plan->delays[op.index][iteration] : 0;
}

static uint64_t rank_of(const struct plan *plan, const struct weir_machine_candidate *c)
{
    return c->execution < ITERATIONS ? plan->ranks[c->op.index][c->execution] : UINT64_MAX;
}

static size_t pick(void *context, const struct weir_machine_candidate *candidates, size_t count, int64_t time)
{
    const struct plan *plan = ((struct trial *)context)->plan;
    size_t best = 0;
    (void)time;
    for (size_t i = 1; i < count; i++)
        if (rank_of(plan, &candidates[i]) < rank_of(plan, &candidates[best]))
            best = i;
    return best;
}

static bool observe(void *context, struct weir_operator op, enum weir_moment moment, int64_t iteration, int64_t time)
{
    struct trial *t = context;
    if (iteration < ITERATIONS)
        t->at[moment][op.index][iteration] = time;
    return true;
}

/* The largest and the smallest latency of the pair in the last run. */
static bool measure(struct trial *t, uint32_t chain, int64_t *max, int64_t *min)
{
    struct weir_chain_spec spec = weir_pipeline_chain(t->pipeline, chain);
    const int64_t *from = t->at[t->arrivals[spec.from.index] ? WEIR_ARRIVAL : WEIR_START][spec.from.index];
    const int64_t *to = t->at[WEIR_FINISH][spec.to.index];
    *max = INT64_MIN;
    *min = INT64_MAX;
    for (int64_t i = 0; i < ITERATIONS; i++) {
        int64_t j = i + spec.shift;
        if (j < 0 || j >= ITERATIONS || from[i] < 0 || to[j] < 0)
            continue;
        *max = to[j] - from[i] > *max ? to[j] - from[i] : *max;
        *min = to[j] - from[i] < *min ? to[j] - from[i] : *min;
    }
    return *max != INT64_MIN;
}

static bool check_chain(struct trial *t, uint32_t chain, int64_t max, int64_t min)
{
    const struct weir_workers_latency *l = &t->analysis->latencies[chain];
    if (l->outcome != WEIR_WORKERS_UNKNOWN && weir_ratio_compare((struct weir_ratio){max, 1}, l->bound) > 0)
        return complain(t, "a run is later than the bound", max, l->worst);
    if (l->has_best && min < l->best)
        return complain(t, "a run is earlier than the best case", min, l->best);
    t->seen_max[chain] = max > t->seen_max[chain] ? max : t->seen_max[chain];
    t->seen_min[chain] = min < t->seen_min[chain] ? min : t->seen_min[chain];
    return true;
}

static bool play(struct trial *t, const struct plan *plan)
{
    struct weir_machine_crews crews = {.seed = plan->seed, .pick = pick, .delay = delay, .context = t};
    struct weir_machine_rules rules = {
        .iterations = ITERATIONS, .time_of = time_of, .observe = observe, .context = t, .crews = &crews};
    memset(t->at, -1, sizeof t->at);
    t->plan = plan;
    t->tally->runs++;
    if (weir_machine_run(t->pipeline, &rules, &t->error))
        return complain(t, "the simulation fails", 0, 0);
    for (uint32_t i = 0; i < t->analysis->latency_count; i++) {
        int64_t max, min;
        if (measure(t, i, &max, &min) && !check_chain(t, i, max, min))
            return false;
    }
    return true;
}

/* ---- plans ---- */

static void draw_times(struct trial *t, struct plan *plan, uint32_t op)
{
    int64_t low[] = {t->ops[op].receive_min, t->ops[op].best}, high[] = {t->ops[op].receive_max, t->ops[op].worst};
    int64_t mood = between(t, 0, 3), change = between(t, 1, ITERATIONS);
    for (int part = 0; part < 2; part++)
        for (int64_t i = 0; i < ITERATIONS; i++) {
            bool late = mood == 1 || (mood == 2 && (i / change) % 2) || (mood > 2 && between(t, 0, 1));
            plan->times[part][op][i] = mood == 0 ? between(t, low[part], high[part]) : late ? high[part] : low[part];
        }
    for (int64_t i = 0; i < ITERATIONS; i++)
        plan->delays[op][i] = mood == 0                       ? between(t, 0, t->workers.polling)
                              : mood == 1 || between(t, 0, 1) ? t->workers.polling
                                                              : 0;
}

/* In which order operators are taken: any; by operator; by operator, and others after some iteration; by iteration. */
static void draw_ranks(struct trial *t, struct plan *plan)
{
    int64_t kind = between(t, 0, 5), change = between(t, 1, ITERATIONS);
    for (uint32_t op = 0; op < t->count; op++) {
        uint64_t mine = (uint64_t)between(t, 0, 1000), other = (uint64_t)between(t, 0, 1000);
        for (int64_t i = 0; i < ITERATIONS; i++) {
            uint64_t *rank = &plan->ranks[op][i], n = (uint64_t)i;
            switch (kind) {
            case 0:
                *rank = (uint64_t)between(t, 0, 1000000);
                break;
            case 1:
                *rank = i < change ? mine : other;
                break;
            case 2:
                *rank = op;
                break;
            case 3:
                *rank = OPERATORS - op;
                break;
            case 4:
                *rank = n * 1000 + mine;
                break;
            default:
                *rank = (ITERATIONS - n) * 1000 + mine;
                break;
            }
        }
    }
}

static void draw_plan(struct trial *t, struct plan *plan)
{
    for (uint32_t op = 0; op < t->count; op++)
        draw_times(t, plan, op);
    draw_ranks(t, plan);
    plan->seed = between(t, 0, 2) ? weir_random_next(&t->random) : 0;
}

static void change_plan(struct trial *t, struct plan *plan)
{
    uint32_t op = (uint32_t)between(t, 0, t->count - 1), other = (uint32_t)between(t, 0, t->count - 1);
    int64_t i = between(t, 0, ITERATIONS - 1), end = between(t, 0, 2) ? i + 1 : between(t, i + 1, ITERATIONS);
    bool late = between(t, 0, 1);
    uint64_t rank =
        (uint64_t)between(t, 0, 3) ? (uint64_t)between(t, 0, 30000) : plan->ranks[other][i] + (uint64_t)between(t, 0, 1);
    switch (between(t, 0, 5)) {
    case 0:
        draw_times(t, plan, op);
        break;
    case 1:
        plan->seed = between(t, 0, 3) ? weir_random_next(&t->random) : 0;
        break;
    case 2:
        for (; i < end; i++) {
            plan->times[0][op][i] = late ? t->ops[op].receive_max : t->ops[op].receive_min;
            plan->times[1][op][i] = late ? t->ops[op].worst : t->ops[op].best;
        }
        break;
    case 3:
        for (; i < end; i++)
            plan->delays[op][i] = late ? t->workers.polling : 0;
        break;
    default:
        for (; i < end; i++)
            plan->ranks[op][i] = rank;
        break;
    }
}

/* Draws plans, then changes the one that was latest for `pair`, and keeps what is no less late. */
static bool climb(struct trial *t, uint32_t chain)
{
    static struct plan best, next;
    int64_t summit = INT64_MIN, max, min;
    for (int run = 0; run < DRAWN + CLIMBS; run++) {
        if (run < DRAWN) {
            draw_plan(t, &next);
        } else {
            next = best;
            for (int64_t i = between(t, 1, 3); i > 0; i--)
                change_plan(t, &next);
        }
        if (!play(t, &next))
            return false;
        if (run == 0 || (measure(t, chain, &max, &min) && max >= summit)) {
            best = next;
            summit = measure(t, chain, &max, &min) ? max : INT64_MIN;
        }
    }
    return true;
}

/* ---- what is exact ---- */

struct lap {
    struct trial *t;
    uint32_t chain;
    struct weir_chain_spec spec;
    int64_t max, min;
    int64_t from[LONG_RUN], to[LONG_RUN];
};

static void lap_observe(void *context, struct weir_operator op, enum weir_moment moment, int64_t iteration, int64_t time)
{
    struct lap *lap = context;
    enum weir_moment begin = lap->t->arrivals[lap->spec.from.index] ? WEIR_ARRIVAL : WEIR_START;
    if (iteration >= LONG_RUN)
        return;
    if (op.index == lap->spec.from.index && moment == begin)
        lap->from[iteration] = time;
    if (op.index == lap->spec.to.index && moment == WEIR_FINISH)
        lap->to[iteration] = time;
}

static bool run_lap(struct trial *t, struct lap *lap, enum weir_times times)
{
    struct weir_workers_simulation options = {
        .iterations = LONG_RUN, .times = times, .order = WEIR_ORDER_MODEL, .observe = lap_observe, .context = lap};
    memset(lap->from, -1, sizeof lap->from);
    memset(lap->to, -1, sizeof lap->to);
    if (weir_workers_simulate(t->pipeline, &options, &t->error))
        return complain(t, "the long simulation fails", 0, 0);
    for (int64_t i = 0; i < LONG_RUN; i++) {
        int64_t j = i + lap->spec.shift;
        if (j < 0 || j >= LONG_RUN || lap->from[i] < 0 || lap->to[j] < 0)
            continue;
        int64_t latency = lap->to[j] - lap->from[i];
        lap->max = latency > lap->max ? latency : lap->max;
        lap->min = latency < lap->min ? latency : lap->min;
    }
    return true;
}

/* Under a greedy scheduler the order does not depend on times. What lies between two moments of it does not either, so the extremes
 * are those of two long runs. */
static bool check_greedy(struct trial *t, uint32_t chain)
{
    static struct lap lap;
    const struct weir_workers_latency *l = &t->analysis->latencies[chain];
    lap.t = t;
    lap.spec = weir_pipeline_chain(t->pipeline, chain);
    lap.max = INT64_MIN;
    lap.min = INT64_MAX;
    if (!run_lap(t, &lap, WEIR_TIMES_WORST) || !run_lap(t, &lap, WEIR_TIMES_BEST))
        return false;
    if (lap.max == INT64_MIN)
        return true;
    if (lap.max != l->worst)
        return complain(t, "the worst case of a greedy scheduler is another", lap.max, l->worst);
    if (!l->has_best || lap.min != l->best)
        return complain(t, "the best case of a greedy scheduler is another", lap.min, l->best);
    t->tally->reached[1]++;
    return true;
}

/* With a worker each, the latencies are those of threads. */
static bool check_threads(struct trial *t)
{
    struct weir_solver *solver = weir_solver_new(t->pipeline, &t->error);
    bool good = solver || complain(t, "enough workers, but no solver", 0, 0);
    for (uint32_t i = 0; i < t->analysis->latency_count && good; i++) {
        struct weir_chain_spec chain = weir_pipeline_chain(t->pipeline, i);
        const struct weir_workers_latency *l = &t->analysis->latencies[i];
        struct weir_query query = {.from = {chain.from, t->arrivals[chain.from.index] ? WEIR_ARRIVAL : WEIR_START, 0},
                                   .to = {.op = chain.to, .moment = WEIR_FINISH},
                                   .shift = chain.shift};
        struct weir_separation worst;
        if (weir_separation_worst(solver, &query, &worst, &t->error))
            good = complain(t, "no answer for a thread each", 0, 0);
        else if (worst.outcome == WEIR_EXACT && (l->outcome == WEIR_WORKERS_UNKNOWN || l->worst != worst.value))
            good = complain(t, "a worker each is not a thread each", l->worst, worst.value);
        else if (worst.outcome == WEIR_EXACT && t->seen_max[i] > worst.value)
            good = complain(t, "a run exceeds the exact value of a thread each", t->seen_max[i], worst.value);
    }
    weir_solver_free(solver);
    return good;
}

/* ---- one pipeline ---- */

/* Some operators share a lane, or two. */
static void draw_lanes(struct trial *t)
{
    static const char *const names[] = {"first", "second"};
    int64_t lanes = between(t, 0, 1), members = between(t, 2, 4);
    for (uint32_t i = 0; i < t->count; i++) {
        struct weir_operator_spec spec = weir_pipeline_operator(t->pipeline, (struct weir_operator){i});
        spec.lane = between(t, 1, 4) <= members ? names[between(t, 0, lanes)] : NULL;
        weir_pipeline_change_operator(t->pipeline, (struct weir_operator){i}, &spec, NULL);
    }
}

static bool set_up(struct trial *t)
{
    uint64_t flavour = t->seed % 8;
    struct weir_pipeline *base =
        weir_random_pipeline(&t->random, flavour < WEIR_FLAVOURS ? (enum weir_flavour)flavour : WEIR_FLAVOUR_INTERVALS);
    struct weir_pipeline *p = base ? weir_pipeline_copy(base, &t->error) : NULL;
    weir_pipeline_free(base);
    if (!p)
        return false;
    t->pipeline = p;
    t->count = weir_pipeline_operator_count(p);
    int64_t longest = 0;
    for (uint32_t i = 0; i < t->count; i++) {
        struct weir_operator_spec spec = weir_pipeline_operator(p, (struct weir_operator){i});
        longest = spec.worst > longest ? spec.worst : longest;
        spec.reentrant = false;
        weir_pipeline_change_operator(p, (struct weir_operator){i}, &spec, NULL);
    }
    int64_t kind = between(t, 0, 9);
    t->workers.dispatch = kind == 0 ? WEIR_DISPATCH_GREEDY : kind < 4 ? WEIR_DISPATCH_POLLED : WEIR_DISPATCH_EVENTS;
    t->workers.workers = kind == 0 ? 1 : (uint32_t)between(t, 1, t->count > 2 && between(t, 0, 3) ? t->count - 1 : t->count + 1);
    t->workers.polling = t->workers.dispatch == WEIR_DISPATCH_POLLED ? between(t, 0, between(t, 0, 1) ? 3 : longest + 1) : 0;
    if (t->workers.dispatch != WEIR_DISPATCH_GREEDY && between(t, 0, 2) == 0) {
        draw_lanes(t);
        t->workers.workers = between(t, 0, 1) ? 0 : t->workers.workers;
    }
    if (between(t, 0, 7) == 0) { /* a clock inside of the graph, or at one of several roots */
        struct weir_source_spec source = {.op = {(uint32_t)between(t, 0, t->count - 1)},
                                          .period = 1 + between(t, longest, 3 * longest)};
        weir_pipeline_add_source(p, &source, NULL);
    }
    for (uint32_t i = 0; i < weir_pipeline_source_count(p) && between(t, 0, 1); i++) {
        struct weir_source_spec source = weir_pipeline_source(p, i);
        bool begins = true;
        for (uint32_t k = 0; k < weir_pipeline_queue_count(p); k++)
            begins &= weir_pipeline_queue(p, (struct weir_queue){k}).to.index != source.op.index;
        source.arrivals = begins ? WEIR_ARRIVALS_CATCH_UP : source.arrivals;
        weir_pipeline_change_source(p, i, &source, NULL);
    }
    for (int64_t i = between(t, 0, 5) ? 0 : between(t, 1, 3); i > 0; i--) {
        struct weir_chain_spec chain = {.from = {(uint32_t)between(t, 0, t->count - 1)},
                                        .to = {(uint32_t)between(t, 0, t->count - 1)},
                                        .has_shift = between(t, 0, 1),
                                        .shift = between(t, -2, 3)};
        weir_pipeline_add_chain(p, &chain, NULL);
    }
    return weir_pipeline_set_workers(p, &t->workers, &t->error) == WEIR_OK && weir_pipeline_seal(p, NULL, NULL) == WEIR_OK;
}

static void look_at(struct trial *t)
{
    for (uint32_t i = 0; i < t->count; i++)
        t->ops[i] = weir_pipeline_operator(t->pipeline, (struct weir_operator){i});
    for (uint32_t i = 0; i < weir_pipeline_source_count(t->pipeline); i++) {
        struct weir_source_spec source = weir_pipeline_source(t->pipeline, i);
        t->arrivals[source.op.index] = source.arrivals == WEIR_ARRIVALS_EXACT;
    }
    for (int i = 0; i < CHAINS; i++) {
        t->seen_max[i] = INT64_MIN;
        t->seen_min[i] = INT64_MAX;
    }
}

static bool check_answers(struct trial *t)
{
    for (uint32_t i = 0; i < t->analysis->latency_count; i++) {
        const struct weir_workers_latency *l = &t->analysis->latencies[i];
        bool few = t->workers.workers && t->workers.workers < t->count;
        if (l->outcome == WEIR_WORKERS_UNKNOWN) {
            t->tally->unknown++;
            if (!l->why)
                return complain(t, "no reason is given", i, 0);
            continue;
        }
        t->tally->exact += l->outcome == WEIR_WORKERS_EXACT;
        t->tally->verified += l->verified;
        t->tally->safe += l->outcome == WEIR_WORKERS_SAFE;
        t->tally->greedy += t->workers.dispatch == WEIR_DISPATCH_GREEDY;
        t->tally->polled += t->workers.polling > 0;
        t->tally->few += few && t->workers.dispatch != WEIR_DISPATCH_GREEDY;
        t->tally->threads += weir_pipeline_has_enough_workers(t->pipeline);
        t->tally->lanes += t->pipeline->lanes != NULL;
    }
    return true;
}

static void count_reached(struct trial *t)
{
    for (uint32_t i = 0; i < t->analysis->latency_count; i++) {
        const struct weir_workers_latency *l = &t->analysis->latencies[i];
        if (t->show)
            printf("# %s -> %s, shift %" PRId64 ": outcome %d, worst %" PRId64 ", seen %" PRId64 " .. %" PRId64 "; %s\n",
                   t->ops[l->chain.from.index].name, t->ops[l->chain.to.index].name, l->chain.shift, (int)l->outcome, l->worst,
                   t->seen_min[i], t->seen_max[i], l->why ? l->why : "");
        if (l->outcome != WEIR_WORKERS_SAFE || t->seen_max[i] == INT64_MIN || l->worst <= 0)
            continue;
        t->tally->reached[0] += t->seen_max[i] == l->worst;
        t->tally->tightness += (double)t->seen_max[i] / (double)l->worst;
        t->tally->tightness_count++;
    }
}

static bool check_pipeline(struct trial *t)
{
    if (weir_workers_analyze(t->pipeline, &(struct weir_workers_options){.verify = true}, &t->analysis, &t->error))
        return complain(t, "no answer", 0, 0);
    uint32_t chains = weir_pipeline_chain_count(t->pipeline);
    if (t->analysis->latency_count != chains || chains > CHAINS)
        return complain(t, "an answer of another shape", (int64_t)t->analysis->latency_count, chains);
    look_at(t);
    bool good = check_answers(t);
    for (uint32_t i = 0; i < chains && i < 3 && good; i++)
        good = climb(t, (i + (uint32_t)(t->seed % 7)) % chains);
    for (uint32_t i = 0; i < chains && good && t->workers.dispatch == WEIR_DISPATCH_GREEDY; i++)
        if (t->analysis->latencies[i].outcome == WEIR_WORKERS_EXACT)
            good = check_greedy(t, i);
    if (good && weir_pipeline_has_enough_workers(t->pipeline))
        good = check_threads(t);
    if (good)
        count_reached(t);
    return good;
}

static bool try_pipeline(uint64_t seed, struct tally *tally, bool show)
{
    struct trial t = {.seed = seed, .tally = tally, .show = show};
    weir_random_seed(&t.random, seed);
    bool good = false;
    for (int i = 0; i < TRIES && !good; i++) { /* not every pair has a latency */
        weir_pipeline_free(t.pipeline);
        good = set_up(&t);
    }
    if (show && good) {
        printf("# %s, %u workers, polling %" PRId64 "\n", weir_dispatch_name(t.workers.dispatch), t.workers.workers,
               t.workers.polling);
        weir_pipeline_write_yaml(t.pipeline, stdout, NULL);
    }
    good = good ? check_pipeline(&t) : complain(&t, "no pipeline", 0, 0);
    tally->pipelines++;
    weir_workers_analysis_free(t.analysis);
    weir_pipeline_free(t.pipeline);
    return good;
}

static bool try_seed(uint64_t seed, void *tally)
{
    return try_pipeline(seed, tally, false);
}

static int show(uint64_t seed)
{
    struct tally tally = {0};
    return !try_pipeline(seed, &tally, true);
}

/* ---- all of them ---- */

static void print(const void *tally)
{
    const struct tally *sum = tally;
    printf("%" PRIu64 " pipelines, %" PRIu64 " runs: %" PRIu64 " exact latencies, %" PRIu64 " safe bounds, %" PRIu64
           " without; a worker each %" PRIu64 ", fewer %" PRIu64 ", polled %" PRIu64 ", greedy %" PRIu64 ", with lanes %" PRIu64
           "\n",
           sum->pipelines, sum->runs, sum->exact, sum->safe, sum->unknown, sum->threads, sum->few, sum->polled, sum->greedy,
           sum->lanes);
    printf("safe bounds: %" PRIu64 " were reached; what was seen is %.3f of the bound on average; greedy: %" PRIu64 " reached\n",
           sum->reached[0], sum->tightness / (double)(sum->tightness_count ? sum->tightness_count : 1), sum->reached[1]);
    printf("%.1f %% of all bounds are verified\n", 100.0 * (double)sum->verified / (double)(sum->exact + sum->safe + 1));
}

static bool saw_enough(const void *tally, uint64_t count)
{
    const struct tally *sum = tally;
    return sum->pipelines == count && sum->few * 5 > count && sum->polled * 20 > count && sum->greedy * 20 > count &&
           sum->lanes * 20 > count && sum->threads * 20 > count && sum->reached[0] * 50 > sum->safe &&
           sum->reached[1] * 2 > sum->greedy && sum->verified * 100 > (sum->exact + sum->safe) * 85 && sum->unknown;
}

const struct campaign campaign = {
    try_seed, print, saw_enough, sizeof(struct tally), .doubles = offsetof(struct tally, tightness), .show = show};
