/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random systems on shared processors: whatever a safe method proves holds in every simulation of the system with the capacities
 * that it reports, its certificate passes the checker, and the best method is at least as good as those it is made of.
 *
 *     priority COUNT [SEED]      how often each method converged, and how tight it was; exit status 1 on a contradiction
 *     priority show SEED         one system as YAML, and what the methods say about it
 *
 * Work is shared among as many processes as there are cores. A contradiction prints the seed of its system, and the system.
 */
#include "priority_forged.h"
#include "priority_plans.h"
#include "priority_reach.h"
#include "priority_regions.h"

#include "check/priority/refute.h"
#include "support/campaign.h"
#include "support/random/processors.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { ITERATIONS = 30, RUNS = 120, WATCHED = 6, BEGINNINGS = 256, FOLLOWED = 8 }; /* FOLLOWED: one in so many */

/* The last two are not safe: that they are exceeded now and then shows that the simulations find such things. */
static const enum weir_priority_method methods[] = {WEIR_PRIORITY_BEST, WEIR_PRIORITY_PJ0, WEIR_PRIORITY_EI, WEIR_PRIORITY_EI_IBS,
                                                    WEIR_PRIORITY_EIC,  WEIR_PRIORITY_CIX, WEIR_PRIORITY_PJ, WEIR_PRIORITY_PJ_IBS};
enum { METHODS = sizeof methods / sizeof *methods, SAFE = METHODS - 2, BEST = 0, EI = 2, EI_IBS = 3 };

/* Why a system has no bound: nothing was found although simulations settle, or a queue may lose messages although none does; they
 * do not settle, messages are lost. */
enum { OPEN_CALM, OPEN_KEEPS, OPEN_GROWS, OPEN_LOSES, OPEN, OPEN_KINDS = 3 };

struct tally {
    uint64_t systems, unbounded, executions, looked; /* looked: systems with a bound */
    uint64_t above, missed;                          /* best is above another method, has no bound where that has one */
    /* Of systems of one and two graphs, of those with preemptive processors only, and of systems of three and four: how many there
     * are, and with neither a bound nor a proof of none. */
    uint64_t kinds[OPEN_KINDS], open[OPEN_KINDS][OPEN];
    uint64_t forged;                               /* claims below what was seen */
    uint64_t regions, region_bounds;               /* that were drawn; with a bound */
    uint64_t followed, followed_bounds;            /* through their situations; with a bound */
    uint64_t converged[METHODS], reached[METHODS]; /* reached: latencies whose bound was seen */
    uint64_t latencies[METHODS], exceeded[METHODS];
    uint64_t refuted, played;          /* proved to have no bound by executions; plans that were played by the simulator, too */
    uint64_t alone;                    /* ... by one with everybody alone */
    uint64_t arrived, arrived_reached; /* latencies that are smaller from the actual arrival; of them seen */
    /* Latencies that both best and EI bound where every processor is preemptive, in one and in several graphs. On other processors
     * both take the same rule. */
    uint64_t compared[2];
    double ratio[2];
    double tightness[METHODS]; /* sum of bound / observed over those latencies */
    double closeness[METHODS]; /* ... and of observed / bound */
};

struct trial {
    uint64_t seed;
    struct weir_pipeline *pipeline;
    uint32_t operators, queues, sources, chains;
    struct weir_priority_analysis *analyses[METHODS];
    uint32_t *capacities[METHODS]; /* to simulate with; NULL: no bound */
    const char *method;            /* of which something is said */
    struct weir_error error;
    struct tally *tally;
};

/* Most have one or two. */
static uint32_t graphs_of(uint64_t seed)
{
    return (uint32_t)(seed % 10 == 9 ? 3 + seed / 10 % 2 : 1 + seed % 2);
}

static bool complain(const struct trial *t, const char *what, const char *whose, int64_t a, int64_t b)
{
    printf("system of seed %" PRIu64 ", %s: %s %s (%" PRId64 ", %" PRId64 ") %s\n", t->seed, t->method, what, whose, a, b,
           t->error.message);
    weir_pipeline_write_yaml(t->pipeline, stdout, NULL);
    return false;
}

static const char *name_of(const struct trial *t, uint32_t op)
{
    return weir_pipeline_operator(t->pipeline, (struct weir_operator){op}).name;
}

/* ---- what the methods say ---- */

/* The capacities of the analysis; a queue that never fills stays so. */
static bool take_capacities(struct trial *t, int m)
{
    const struct weir_priority_analysis *a = t->analyses[m];
    if (a->buffer_count != t->queues + t->sources)
        return complain(t, "a number of buffers", "", (int64_t)a->buffer_count, t->queues + t->sources);
    t->capacities[m] = malloc((t->queues + 1) * sizeof *t->capacities[m]);
    int64_t total = 0;
    for (uint32_t i = 0; i < t->queues + t->sources; i++) {
        const struct weir_buffer *b = &a->buffers[i];
        total += b->capacity;
        if (b->input != (i >= t->queues) || b->index != (b->input ? i - t->queues : i) || b->capacity == 0)
            return complain(t, "buffers are not in order", "", i, b->capacity);
        if (b->input)
            continue;
        struct weir_queue_spec q = weir_pipeline_queue(t->pipeline, (struct weir_queue){i});
        bool given = q.capacity != WEIR_AUTO && q.capacity != WEIR_UNBOUNDED;
        if (b->chosen == given || (given && b->capacity != q.capacity) || b->capacity < q.initial)
            return complain(t, "a capacity is not that of the model", "", b->capacity, q.capacity);
        t->capacities[m][i] = q.capacity == WEIR_UNBOUNDED ? WEIR_UNBOUNDED : b->capacity;
    }
    return total == a->buffer_total || complain(t, "the sum of capacities", "", total, a->buffer_total);
}

static bool analyze(struct trial *t, int m)
{
    struct weir_priority_options options = {.method = methods[m], .verify = true};
    t->method = weir_priority_method_name(methods[m]);
    if (weir_priority_analyze(t->pipeline, &options, &t->analyses[m], &t->error))
        return complain(t, "no answer", "", 0, 0);
    const struct weir_priority_analysis *a = t->analyses[m];
    if (a->safe != (m < SAFE) || a->latency_count != t->chains)
        return complain(t, "an answer of another shape", "", a->safe, (int64_t)a->latency_count);
    if (a->outcome != WEIR_PRIORITY_CONVERGED)
        return a->why ? true : complain(t, "no reason is given", "", a->outcome, 0);
    t->tally->converged[m]++;
    if (a->verified != (m < SAFE))
        return complain(t, "not verified", "", 0, 0);
    return take_capacities(t, m);
}

static bool is_preemptive(const struct trial *t)
{
    bool all = true;
    for (uint32_t i = 0; i < weir_pipeline_processor_count(t->pipeline); i++)
        all &= weir_pipeline_processor(t->pipeline, (struct weir_processor){i}).sharing == WEIR_PREEMPTIVE;
    return all;
}

/* One system has one truth: with a proof that there is no bound, nobody has one. */
static bool agree(struct trial *t)
{
    int bounded = -1, unbounded = -1;
    for (int m = 0; m < SAFE; m++) {
        if (t->analyses[m]->outcome == WEIR_PRIORITY_CONVERGED)
            bounded = m;
        if (t->analyses[m]->outcome == WEIR_PRIORITY_UNBOUNDED)
            unbounded = m;
    }
    t->tally->unbounded += unbounded >= 0;
    t->tally->refuted += t->analyses[BEST]->plan_count > 0;
    if (t->analyses[BEST]->plan_count > 0 && !t->analyses[BEST]->verified)
        return complain(t, "executions that were not verified", "", 0, 0);
    t->tally->looked += bounded >= 0;
    t->method = "all";
    return bounded < 0 || unbounded < 0 || complain(t, "one has a bound, another a proof of none", "", bounded, unbounded);
}

static bool larger(const struct weir_priority_analysis *a, const struct weir_priority_analysis *b)
{
    for (size_t i = 0; i < a->latency_count; i++)
        if (b->latencies[i].bounded && (!a->latencies[i].bounded || a->latencies[i].worst > b->latencies[i].worst))
            return true;
    return false;
}

/* It never is above execution intervals. Of the other methods each has its own capacities, which can be luckier. */
static bool best_is_best(struct trial *t)
{
    const struct weir_priority_analysis *best = t->analyses[BEST];
    t->method = "best";
    for (int m = BEST + 1; m < SAFE; m++) {
        if (t->analyses[m]->outcome != WEIR_PRIORITY_CONVERGED)
            continue;
        bool missed = best->outcome != WEIR_PRIORITY_CONVERGED, above = !missed && larger(best, t->analyses[m]);
        t->tally->missed += missed;
        t->tally->above += above;
        if ((missed || above) && (m == EI || m == EI_IBS))
            return complain(t, missed ? "no bound, unlike" : "above", weir_priority_method_name(methods[m]), 0, 0);
    }
    bool plain = t->analyses[EI]->outcome == WEIR_PRIORITY_CONVERGED && is_preemptive(t);
    bool several = t->seed % 2;
    for (uint32_t i = 0; i < t->chains && plain; i++)
        if (best->latencies[i].bounded && t->analyses[EI]->latencies[i].bounded && t->analyses[EI]->latencies[i].worst > 0) {
            t->tally->compared[several]++;
            t->tally->ratio[several] += (double)best->latencies[i].worst / (double)t->analyses[EI]->latencies[i].worst;
        }
    return true;
}

/* ---- what simulations say ---- */

static bool check_operators(struct trial *t, const struct weir_priority_analysis *a, const struct weir_processors_observed *seen)
{
    for (uint32_t i = 0; i < t->operators; i++) {
        const struct weir_execution_bounds *b = &a->operators[i];
        if (seen->finish_max[i] > b->finish_max)
            return complain(t, "a finish is later than the bound of", name_of(t, i), seen->finish_max[i], b->finish_max);
        if (seen->enable_max[i] > b->enable_max)
            return complain(t, "an enabling is later than the bound of", name_of(t, i), seen->enable_max[i], b->enable_max);
        if (seen->enable_min[i] < b->enable_min)
            return complain(t, "an enabling is earlier than the bound of", name_of(t, i), seen->enable_min[i], b->enable_min);
    }
    return true;
}

static bool exceeded(const struct trial *t, const struct weir_priority_analysis *a, const struct weir_processors_observed *seen)
{
    for (uint32_t i = 0; i < t->operators; i++)
        if (seen->finish_max[i] > a->operators[i].finish_max)
            return true;
    return false;
}

static bool check_latencies(struct trial *t, int m, const struct weir_processors_observed *seen)
{
    for (uint32_t i = 0; i < t->chains; i++) {
        const struct weir_priority_latency *l = &t->analyses[m]->latencies[i];
        if (l->bounded && seen->latency_max[i] > l->worst)
            return complain(t, "a latency is above its bound, to", name_of(t, l->chain.to.index), seen->latency_max[i], l->worst);
        if (l->bounded && seen->latency_max_arrival[i] > l->worst_arrival)
            return complain(t, "from the actual arrival a latency is above its bound, to", name_of(t, l->chain.to.index),
                            seen->latency_max_arrival[i], l->worst_arrival);
        if (seen->latency_min[i] < l->best)
            return complain(t, "a latency is below its best case, to", name_of(t, l->chain.to.index), seen->latency_min[i],
                            l->best);
        if (!l->bounded || seen->latency_max[i] <= 0)
            continue;
        t->tally->arrived += l->worst_arrival < l->worst;
        t->tally->arrived_reached += l->worst_arrival < l->worst && seen->latency_max_arrival[i] == l->worst_arrival;
        t->tally->latencies[m]++;
        t->tally->reached[m] += seen->latency_max[i] == l->worst;
        t->tally->tightness[m] += (double)l->worst / (double)seen->latency_max[i];
        t->tally->closeness[m] += (double)seen->latency_max[i] / (double)l->worst;
    }
    return true;
}

/* Messages in each queue, and in each source's; looked at when a moment is over. */
struct watch {
    const struct trial *t;
    int64_t now;
    int64_t held[64], most[64];
    uint32_t from[64], to[64]; /* of queues; of sources, whom they feed */
};

static void look(struct watch *w)
{
    for (uint32_t i = 0; i < w->t->queues + w->t->sources; i++)
        if (w->held[i] > w->most[i])
            w->most[i] = w->held[i];
}

static void observe(void *context, struct weir_operator op, enum weir_moment moment, int64_t iteration, int64_t time,
                    int64_t nominal)
{
    (void)iteration;
    (void)nominal;
    struct watch *w = context;
    if (time > w->now)
        look(w);
    w->now = time;
    for (uint32_t i = 0; i < w->t->queues && moment != WEIR_ARRIVAL; i++) {
        w->held[i] += moment == WEIR_START && w->from[i] == op.index;
        w->held[i] -= moment == WEIR_FINISH && w->to[i] == op.index;
    }
    for (uint32_t i = w->t->queues; i < w->t->queues + w->t->sources; i++)
        if (w->to[i] == op.index)
            w->held[i] += moment == WEIR_ARRIVAL ? 1 : moment == WEIR_FINISH ? -1 : 0;
}

static bool watch_queues(struct trial *t, int m, uint64_t run, struct watch *w)
{
    for (uint32_t i = 0; i < t->queues; i++) {
        struct weir_queue_spec q = weir_pipeline_queue(t->pipeline, (struct weir_queue){i});
        w->held[i] = q.initial;
        w->from[i] = q.from.index;
        w->to[i] = q.to.index;
    }
    for (uint32_t i = 0; i < t->sources; i++) {
        w->held[t->queues + i] = 0;
        w->to[t->queues + i] = weir_pipeline_source(t->pipeline, i).op.index;
    }
    w->now = -1;
    struct weir_processors_options options = {.iterations = 2 * ITERATIONS,
                                              .times = (enum weir_times)((t->seed + run) % WEIR_TIMES_GIVEN),
                                              .releases = (enum weir_releases)((t->seed / 4 + run) % WEIR_RELEASES_GIVEN),
                                              .seed = t->seed + run,
                                              .capacities = t->capacities[m],
                                              .observe = observe,
                                              .context = w};
    if (weir_processors_simulate(t->pipeline, &options, &t->error))
        return complain(t, "the simulation fails", "", 0, 0);
    look(w);
    return true;
}

static bool check_queues(struct trial *t, const struct weir_priority_analysis *a, const struct watch *w)
{
    for (uint32_t i = 0; i < t->queues + t->sources; i++)
        if (w->most[i] > a->buffers[i].capacity)
            return complain(t, "more messages than the capacity of", i < t->queues ? "a queue" : "an input", w->most[i],
                            a->buffers[i].capacity);
    return true;
}

static bool same_capacities(const struct trial *t, int a, int b)
{
    return t->capacities[a] && t->capacities[b] && memcmp(t->capacities[a], t->capacities[b], t->queues * sizeof(uint32_t)) == 0;
}

/* Methods that report the same capacities speak about the same system. */
static bool simulate(struct trial *t, int m)
{
    struct weir_processors_search_options options = {
        .seed = t->seed, .runs = RUNS, .iterations = ITERATIONS, .capacities = t->capacities[m], .chain = t->chains};
    struct weir_processors_observed *seen;
    struct watch w = {.t = t};
    t->method = weir_priority_method_name(methods[m]);
    if (weir_processors_search(t->pipeline, &options, &seen, &t->error))
        return complain(t, "the search fails", "", 0, 0);
    t->tally->executions += seen->executions;
    bool good = true;
    for (uint64_t run = 0; run < WATCHED && good; run++)
        good = watch_queues(t, m, run, &w);
    struct forged forged = {0};
    if (good && m == BEST && !forged_are_refused(t->pipeline, t->analyses[BEST], seen, t->seed / 2, &forged))
        good = complain(t, forged.what, name_of(t, forged.op), forged.claim, forged.honest);
    t->tally->forged += forged.count;
    struct drawn drawn = {0};
    if (good && m == BEST && !drawn_regions_hold(t->pipeline, t->analyses[BEST], seen, t->seed, &drawn))
        good = complain(t, drawn.what, name_of(t, drawn.op), drawn.claim, drawn.seen);
    t->tally->regions += drawn.regions;
    t->tally->region_bounds += drawn.bounds;
    for (int k = m; k < METHODS && good; k++)
        if (same_capacities(t, m, k) && k >= SAFE) {
            t->tally->exceeded[k] += exceeded(t, t->analyses[k], seen);
        } else if (same_capacities(t, m, k)) {
            t->method = weir_priority_method_name(methods[k]);
            good = check_operators(t, t->analyses[k], seen) && check_latencies(t, k, seen) && check_queues(t, t->analyses[k], &w);
        }
    weir_free(seen);
    return good;
}

/* ---- systems without a bound ---- */

/* The latest end of all, in periods of the longest, after so many iterations. */
static int64_t latest_end(struct trial *t, const uint32_t *capacities, int64_t iterations)
{
    struct weir_processors_search_options options = {
        .seed = t->seed, .runs = RUNS / 4, .iterations = iterations, .capacities = capacities, .chain = t->chains};
    struct weir_processors_observed *seen;
    int64_t latest = -1;
    if (weir_processors_search(t->pipeline, &options, &seen, &t->error))
        return -1;
    for (uint32_t i = 0; i < t->operators; i++)
        latest = seen->finish_max[i] > latest ? seen->finish_max[i] : latest;
    weir_free(seen);
    return latest;
}

static bool loses(struct trial *t, const uint32_t *capacities)
{
    struct watch w = {.t = t};
    bool lost = false;
    t->capacities[BEST] = (uint32_t *)capacities;
    for (uint64_t run = 0; run < 8 * WATCHED; run++)
        watch_queues(t, BEST, run, &w);
    t->capacities[BEST] = NULL;
    for (uint32_t i = 0; i < t->queues; i++) {
        struct weir_queue_spec q = weir_pipeline_queue(t->pipeline, (struct weir_queue){i});
        lost |= q.nonblocking && q.capacity < WEIR_AUTO && w.most[i] > q.capacity;
    }
    return lost;
}

/* Why there is none: by simulations in which queues that are to be sized are so large that nobody waits for them. */
static void look_at_open(struct trial *t)
{
    const struct weir_priority_analysis *best = t->analyses[BEST];
    uint32_t capacities[64];
    int why;
    bool many = graphs_of(t->seed) > 2;
    bool is_of[OPEN_KINDS] = {!many, !many && is_preemptive(t), many};
    for (int k = 0; k < OPEN_KINDS; k++)
        t->tally->kinds[k] += is_of[k];
    if (best->outcome == WEIR_PRIORITY_CONVERGED || best->outcome == WEIR_PRIORITY_UNBOUNDED)
        return;
    for (uint32_t i = 0; i < t->queues; i++) {
        struct weir_queue_spec q = weir_pipeline_queue(t->pipeline, (struct weir_queue){i});
        capacities[i] = q.capacity == WEIR_AUTO || q.nonblocking ? WEIR_UNBOUNDED : q.capacity;
    }
    if (strstr(best->why, "lost")) {
        why = loses(t, capacities) ? OPEN_LOSES : OPEN_KEEPS;
    } else {
        int64_t early = latest_end(t, capacities, 2 * ITERATIONS), late = latest_end(t, capacities, 16 * ITERATIONS);
        why = late > early + early / 2 ? OPEN_GROWS : OPEN_CALM;
    }
    for (int k = 0; k < OPEN_KINDS; k++)
        t->tally->open[k][why] += is_of[k];
}

static bool simulate_each(struct trial *t)
{
    for (int m = 0; m < METHODS; m++) {
        bool done = t->capacities[m] == NULL;
        for (int k = 0; k < m; k++)
            done |= same_capacities(t, k, m);
        if (!done && !simulate(t, m))
            return false;
    }
    return true;
}

/* Plans of all kinds, and those that were found. */
static bool play_plans(struct trial *t)
{
    const struct weir_priority_analysis *best = t->analyses[BEST];
    uint64_t plan = best->plan_count > 0 ? best->plans[t->seed % best->plan_count] : t->seed % 72;
    t->method = "plans";
    if (best->outcome == WEIR_PRIORITY_CONVERGED && !forged_plans_fail(t->pipeline, t->seed))
        return complain(t, "a system with a bound is shown to have none", "", 0, 0);
    return plan_is_an_execution(t->pipeline, plan & ~WEIR_PLAN_ALONE, &t->tally->played) ||
           complain(t, "a plan that is no execution", "", (int64_t)plan, 0);
}

/* By their situations, whether they need it or not. */
static bool follow(struct trial *t)
{
    struct reached reached;
    if (t->seed / 2 % FOLLOWED != 0)
        return true;
    t->method = "situations";
    if (!reached_bounds_hold(t->pipeline, t->seed, &reached))
        return complain(t, reached.what, name_of(t, reached.op), reached.claim, reached.seen);
    t->tally->followed++;
    t->tally->followed_bounds += reached.bounded;
    return !reached.bounded || t->analyses[BEST]->outcome != WEIR_PRIORITY_UNBOUNDED ||
           complain(t, "a bound where another has a proof of none", "", 0, 0);
}

/* Who is too slow alone gets further and further behind, however many places there are: as a rule wherever frames begin, else with
 * some of their beginnings, and then perhaps by an iteration in thousands. */
static bool alone_is_slower(struct trial *t)
{
    const struct weir_priority_analysis *best = t->analyses[BEST];
    struct weir_random random;
    uint32_t capacities[64];
    if (best->plan_count == 0 || !(best->plans[best->plan_count - 1] & WEIR_PLAN_ALONE))
        return true;
    t->tally->alone++;
    t->method = "alone";
    weir_random_seed(&random, t->seed);
    for (uint32_t i = 0; i < t->queues; i++) {
        struct weir_queue_spec q = weir_pipeline_queue(t->pipeline, (struct weir_queue){i});
        capacities[i] = q.nonblocking             ? WEIR_UNBOUNDED
                        : q.capacity == WEIR_AUTO ? q.initial + (uint32_t)weir_random_between(&random, 1, 4)
                                                  : q.capacity;
    }
    int64_t early = 0, late = 0;
    for (uint64_t beginning = 0; beginning < BEGINNINGS; beginning++) {
        early = latest_at_worst(t->pipeline, capacities, t->seed + beginning, 2 * ITERATIONS);
        late = latest_at_worst(t->pipeline, capacities, t->seed + beginning, (beginning == 0 ? 16 : 256) * ITERATIONS);
        if (late > early + early / 2)
            return true;
    }
    return complain(t, "it does not get further behind", "", early, late);
}

/* ---- systems ---- */

static struct weir_pipeline *system_of(uint64_t seed)
{
    struct weir_random random;
    weir_random_seed(&random, seed);
    return weir_random_processors(&random, graphs_of(seed));
}

static bool try_seed(uint64_t seed, void *into)
{
    struct tally *tally = into;
    struct trial t = {.seed = seed, .tally = tally, .pipeline = system_of(seed)};
    if (!t.pipeline)
        return false;
    t.operators = weir_pipeline_operator_count(t.pipeline);
    t.queues = weir_pipeline_queue_count(t.pipeline);
    t.sources = weir_pipeline_source_count(t.pipeline);
    t.chains = weir_pipeline_chain_count(t.pipeline);
    bool good = true;
    for (int m = 0; m < METHODS && good; m++)
        good = analyze(&t, m);
    good = good && agree(&t) && best_is_best(&t) && simulate_each(&t) && play_plans(&t) && alone_is_slower(&t) && follow(&t);
    if (good)
        look_at_open(&t);
    for (int m = 0; m < METHODS; m++) {
        weir_priority_analysis_free(t.analyses[m]);
        free(t.capacities[m]);
    }
    weir_pipeline_free(t.pipeline);
    tally->systems++;
    return good;
}

static int show(uint64_t seed)
{
    struct weir_pipeline *pipeline = system_of(seed);
    struct tally tally = {0};
    if (!pipeline)
        return 1;
    weir_pipeline_write_yaml(pipeline, stdout, NULL);
    for (int m = 0; m < METHODS; m++) {
        struct weir_priority_options options = {.method = methods[m]};
        struct weir_priority_analysis *a;
        struct weir_error error;
        if (weir_priority_analyze(pipeline, &options, &a, &error)) {
            printf("# %s: %s\n", weir_priority_method_name(methods[m]), error.message);
            continue;
        }
        printf("# %s (%s): %s\n", weir_priority_method_name(methods[m]), a->variant, a->why ? a->why : "converged");
        for (uint32_t i = 0; i < weir_pipeline_operator_count(pipeline) && a->outcome == WEIR_PRIORITY_CONVERGED; i++)
            printf("#   %s: enabled in [%" PRId64 ", %" PRId64 "], ends by %" PRId64 "\n",
                   weir_pipeline_operator(pipeline, (struct weir_operator){i}).name, a->operators[i].enable_min,
                   a->operators[i].enable_max, a->operators[i].finish_max);
        weir_priority_analysis_free(a);
    }
    weir_pipeline_free(pipeline);
    return try_seed(seed, &tally) ? 0 : 1;
}

/* ---- the campaign ---- */

/* No analysis of systems this small takes long; one that never ends must not pass for one that does. */
enum { SECONDS = 120 };

static double mean(double total, uint64_t count)
{
    return count ? total / (double)count : 0;
}

static void print_open(const struct tally *t)
{
    static const char *const kinds[OPEN_KINDS] = {"one and two graphs", "... preemptive", "three and four"};
    for (int k = 0; k < OPEN_KINDS; k++) {
        uint64_t sum = 0;
        for (int why = 0; why < OPEN; why++)
            sum += t->open[k][why];
        printf("no bound found, of %" PRIu64
               " systems (%s): %.2f %%; simulations settle in %.2f %%, grow in %.2f %%; messages may be "
               "lost in %.2f %%, are in %.2f %%\n",
               t->kinds[k], kinds[k], 100 * mean((double)sum, t->kinds[k]), 100 * mean((double)t->open[k][OPEN_CALM], t->kinds[k]),
               100 * mean((double)t->open[k][OPEN_GROWS], t->kinds[k]), 100 * mean((double)t->open[k][OPEN_KEEPS], t->kinds[k]),
               100 * mean((double)t->open[k][OPEN_LOSES], t->kinds[k]));
    }
}

static void print(const void *tally)
{
    const struct tally *t = tally;
    printf("%" PRIu64 " systems: %" PRIu64 " with a bound, %" PRIu64 " proved to have none, %" PRIu64
           " of them by executions, %" PRIu64 " executions\n",
           t->systems, t->looked, t->unbounded, t->refuted, t->executions);
    printf("plans that are executions: %" PRIu64 "; too slow even alone: %" PRIu64 "; forged claims, all refused: %" PRIu64 "\n",
           t->played, t->alone, t->forged);
    printf("levels of several processors, drawn: %" PRIu64 ", with a bound: %" PRIu64 ", none below what was seen\n", t->regions,
           t->region_bounds);
    printf("followed through their situations: %" PRIu64 ", with a bound: %" PRIu64 ", none below what was seen\n", t->followed,
           t->followed_bounds);
    for (int m = 0; m < SAFE; m++)
        printf("%-8s converged %7" PRIu64 "  bound / observed %.3f  observed / bound %.3f  reached %4.1f %%\n",
               weir_priority_method_name(methods[m]), t->converged[m], mean(t->tightness[m], t->latencies[m]),
               mean(t->closeness[m], t->latencies[m]), 100 * mean((double)t->reached[m], t->latencies[m]));
    for (int m = SAFE; m < METHODS; m++)
        printf("%-8s converged %7" PRIu64 "  exceeded %" PRIu64 " times\n", weir_priority_method_name(methods[m]), t->converged[m],
               t->exceeded[m]);
    printf("best is above another method %" PRIu64 " times, without its bound %" PRIu64 " times\n", t->above, t->missed);
    print_open(t);
    printf("best / EI on preemptive processors: %.3f (one graph), %.3f (two)\n", mean(t->ratio[0], t->compared[0]),
           mean(t->ratio[1], t->compared[1]));
    printf("smaller from the actual arrival: %" PRIu64 " latencies, %" PRIu64 " of them reached\n", t->arrived, t->arrived_reached);
}

static bool saw_enough(const void *tally, uint64_t count)
{
    const struct tally *t = tally;
    double one = mean(t->ratio[0], t->compared[0]), several = mean(t->ratio[1], t->compared[1]);
    bool seen = t->systems == count && t->unbounded > 0 && t->refuted > 0 && t->alone > 0 && t->played * 4 > count &&
                t->followed_bounds * 4 > t->followed && t->arrived_reached > 0 && one > 0 && one <= 0.93 && several <= 1;
    for (int m = 0; m < METHODS; m++)
        seen = seen && t->converged[m] * 10 > count && (m < SAFE ? t->reached[m] : t->exceeded[m]) > 0;
    return seen;
}

const struct campaign campaign = {try_seed,
                                  print,
                                  saw_enough,
                                  sizeof(struct tally),
                                  .doubles = offsetof(struct tally, ratio),
                                  .show = show,
                                  .seconds = SECONDS,
                                  .late = {"takes too long: system of seed ", ""}};
