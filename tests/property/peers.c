/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bounds of weir beside published ones (support/oracle/published.h), on random task sets of the kinds these are for: never larger,
 * never missing where one of them has one, and never below what a simulation shows.
 *
 *     peers COUNT [SEED]      how often weir is tighter, equal or looser; exit status 1 where it is looser
 *     peers show SEED         the model as YAML
 */
#include "support/campaign.h"
#include "support/oracle/published.h"

#include "base/number.h"
#include "base/random.h"
#include "weir.h"

#include <inttypes.h>
#include <stdio.h>

#define PARTS 12 /* of a unit */

enum peer { SPURI, GFB, BAKER, RTA, DEVI, COMPLIANT, BEST, HOLISTIC, OFFSETS, CHOICES, CPA, PEERS };
enum kind { ONE_CORE, CORES, CHAINS, KINDS };
static const char *const peer_names[PEERS] = {"Spuri 1996",
                                              "Goossens, Funk, Baruah 2003",
                                              "Baker 2003",
                                              "Bertogna, Cirinei 2007",
                                              "Devi, Anderson 2005",
                                              "Erickson, Devi, Baruah 2010",
                                              "the least of these five",
                                              "Tindell, Clark 1994 (holistic)",
                                              "Palencia, González Harbour 1998 (offsets)",
                                              "... with every choice of leading tasks",
                                              "Richter, Jersak, Ernst (CPA)"};
static const enum kind kind_of[PEERS] = {ONE_CORE, CORES, CORES, CORES, CORES, CORES, CORES, CHAINS, CHAINS, CHAINS, CHAINS};

struct tally {
    uint64_t systems[KINDS], bounds[KINDS], open[KINDS];               /* tasks; of them without a bound of weir */
    uint64_t tighter[PEERS], equal[PEERS], looser[PEERS], none[PEERS]; /* none: the other has none */
    double seen[KINDS], peer_seen[PEERS];                              /* sums of seen / bound */
    double gain[PEERS];                                                /* sum of weir's bound / the other, where both have one */
};

struct trial {
    uint64_t seed;
    struct weir_random random;
    struct weir_pipeline *pipeline;
    struct weir_error error;
    struct published_pool pool;
    struct published_chains chains;
    struct tally *tally;
};

static int64_t between(struct trial *t, int64_t low, int64_t high)
{
    return weir_random_between(&t->random, low, high);
}

static bool complain(const struct trial *t, const char *what, uint32_t task, struct weir_ratio bound, int64_t other)
{
    printf("seed %" PRIu64 ", task %" PRIu32 ": %s (%" PRId64 " / %" PRId64 ", %" PRId64 ") %s\n", t->seed, task, what,
           bound.numerator, bound.denominator, other, t->error.message);
    weir_pipeline_write_yaml(t->pipeline, stdout, NULL);
    return false;
}

/* ---- random models ---- */

static struct weir_operator add_operator(struct trial *t, struct weir_operator_spec spec)
{
    struct weir_operator op = {0};
    char name[16];
    snprintf(name, sizeof name, "o%" PRIu32, weir_pipeline_operator_count(t->pipeline));
    spec.name = name;
    weir_pipeline_add_operator(t->pipeline, &spec, &op, NULL);
    return op;
}

static void make_pool(struct trial *t)
{
    struct published_pool *p = &t->pool;
    p->cores = (uint32_t)between(t, 1, 4);
    p->count = (uint32_t)between(t, p->cores, p->cores + 6);
    int64_t room = p->cores * between(t, 20, 100) * PUBLISHED_ROUND / 100, rest = p->count;
    weir_pipeline_set_platform(t->pipeline, WEIR_PLATFORM_CORES, NULL);
    weir_pipeline_set_cores(t->pipeline, p->cores, NULL);
    for (uint32_t i = 0; i < p->count; i++, rest--) {
        struct published_task *task = &p->task[i];
        do
            task->period = between(t, 4, 180);
        while (PUBLISHED_ROUND % task->period != 0);
        int64_t part = PUBLISHED_ROUND / task->period, most = 2 * room / rest / part;
        most = most > task->period ? task->period : most;
        task->cost = between(t, 1, most < 1 ? 1 : most);
        room -= task->cost * part;
        room = room < 0 ? 0 : room;
        struct weir_source_spec source = {
            .op = add_operator(t, (struct weir_operator_spec){.worst = task->cost}), .period = task->period, .sporadic = true};
        weir_pipeline_add_source(t->pipeline, &source, NULL);
    }
}

static void add_step(struct trial *t, uint32_t processors, int64_t most)
{
    struct published_chains *c = &t->chains;
    struct published_step *step = &c->step[c->count];
    step->worst = between(t, 1, most < 1 ? 1 : most);
    step->best = between(t, 0, step->worst);
    step->chain = c->chains;
    step->processor = (uint32_t)between(t, 0, processors - 1);
    struct weir_operator op = add_operator(t, (struct weir_operator_spec){.best = step->best,
                                                                          .worst = step->worst,
                                                                          .mapped = true,
                                                                          .on = {step->processor},
                                                                          .has_priority = true,
                                                                          .priority = step->priority});
    if (c->count > 0 && c->step[c->count - 1].chain == step->chain) {
        struct weir_queue_spec queue = {.from = {op.index - 1}, .to = op, .capacity = WEIR_UNBOUNDED};
        weir_pipeline_add_queue(t->pipeline, &queue, NULL, NULL);
    } else {
        struct weir_source_spec source = {
            .op = op, .period = c->period[c->chains], .jitter = c->jitter[c->chains], .arrivals = WEIR_ARRIVALS_EXACT};
        weir_pipeline_add_source(t->pipeline, &source, NULL);
    }
    c->count++;
}

static void make_chains(struct trial *t)
{
    struct published_chains *c = &t->chains;
    uint32_t chains = (uint32_t)between(t, 1, 4), processors = (uint32_t)between(t, 1, 3);
    int64_t load = between(t, 30, 100);
    weir_pipeline_set_platform(t->pipeline, WEIR_PLATFORM_PROCESSORS, NULL);
    for (uint32_t i = 0; i < processors; i++) {
        char name[16];
        snprintf(name, sizeof name, "p%" PRIu32, i);
        struct weir_processor_spec spec = {.name = name};
        weir_pipeline_add_processor(t->pipeline, &spec, NULL, NULL);
    }
    for (uint32_t i = 0; i < PUBLISHED_TASKS; i++) { /* priorities: all different, in any order */
        uint32_t other = (uint32_t)between(t, 0, i);
        c->step[i].priority = c->step[other].priority;
        c->step[other].priority = (int32_t)i;
    }
    for (; c->chains < chains; c->chains++) {
        c->period[c->chains] = between(t, 10, 200);
        c->jitter[c->chains] = between(t, 0, 2) == 0 ? between(t, 0, 2 * c->period[c->chains]) : 0;
        int64_t most = c->period[c->chains] * load * processors / (100 * chains * 2);
        for (uint32_t n = (uint32_t)between(t, 1, 4); n > 0; n--)
            add_step(t, processors, most);
    }
}

static bool make(struct trial *t)
{
    weir_random_seed(&t->random, t->seed);
    t->pipeline = weir_pipeline_new(NULL);
    if (!t->pipeline)
        return false;
    if (t->seed % 2 == 0)
        make_pool(t);
    else
        make_chains(t);
    return weir_pipeline_seal(t->pipeline, NULL, NULL) == WEIR_OK;
}

/* ---- beside each other ---- */

/* weir's bound, if it has one, and another, in parts of 1 / parts: the published analysis of several cores is for a clock that
 * ticks in such parts, while in weir times are any numbers. So weir's may be larger by 1 / PARTS, but by whole units neither is. */
static bool compare(struct trial *t, enum peer peer, uint32_t task, const struct weir_ratio *bound, int64_t other, int64_t parts,
                    int64_t seen)
{
    struct tally *tally = t->tally;
    if (other == PUBLISHED_NONE) {
        tally->none[peer]++;
        return true;
    }
    tally->peer_seen[peer] += (double)seen * (double)parts / (double)other;
    if (!bound) {
        tally->looser[peer]++;
        return complain(t, peer_names[peer], task, (struct weir_ratio){0, 0}, other);
    }
    weir_wide ours = bound->numerator, theirs = (weir_wide)((other + parts - 1) / parts) * bound->denominator;
    tally->gain[peer] += (double)ours / (double)theirs;
    if (ours > theirs || (ours * parts - (weir_wide)other * bound->denominator) * PARTS > (weir_wide)parts * bound->denominator) {
        tally->looser[peer]++;
        return complain(t, peer_names[peer], task, *bound, other);
    }
    if (ours + bound->denominator > theirs)
        tally->equal[peer]++;
    else
        tally->tighter[peer]++;
    return true;
}

static bool look_at_pool(struct trial *t)
{
    const struct published_pool *p = &t->pool;
    int64_t found[PEERS][PUBLISHED_TASKS], seen[PUBLISHED_TASKS];
    enum kind kind = p->cores == 1 ? ONE_CORE : CORES;
    struct weir_edf_options options = {.verify = true};
    struct weir_edf_analysis *a;
    if (published_load(p) > (int64_t)p->cores * PUBLISHED_ROUND)
        return true;
    if (weir_edf_analyze(t->pipeline, &options, &a, &t->error))
        return complain(t, "no answer", 0, (struct weir_ratio){0, 0}, 0);
    published_spuri(p, found[SPURI]);
    published_gfb(p, found[GFB]);
    published_baker(p, found[BAKER]);
    published_rta(p, found[RTA]);
    published_devi(p, found[DEVI]);
    published_compliant(p, found[COMPLIANT]);
    published_play(p, seen);
    bool good = a->schedulable || complain(t, "not schedulable", 0, (struct weir_ratio){0, 0}, 0);
    t->tally->systems[kind]++;
    for (uint32_t i = 0; i < p->count && good; i++) {
        const struct weir_ratio *bound = &a->operators[i].response;
        found[BEST][i] = PUBLISHED_NONE;
        for (enum peer q = GFB; q < BEST; q++)
            if (found[q][i] != PUBLISHED_NONE && (found[BEST][i] == PUBLISHED_NONE || found[q][i] < found[BEST][i]))
                found[BEST][i] = found[q][i];
        t->tally->bounds[kind]++;
        t->tally->seen[kind] += (double)seen[i] * (double)bound->denominator / (double)bound->numerator;
        if ((weir_wide)seen[i] * bound->denominator > bound->numerator)
            good = complain(t, "a response is longer than its bound", i, *bound, seen[i]);
        for (enum peer q = SPURI; q <= BEST && good; q++)
            if (kind_of[q] == kind)
                good = compare(t, q, i, bound, found[q][i], PUBLISHED_ROUND, seen[i]);
    }
    weir_edf_analysis_free(a);
    return good;
}

/* From the actual arrival to the end of a chain at its last step. */
static bool look_at_arrival(struct trial *t, const struct weir_priority_analysis *a, const struct weir_processors_observed *seen,
                            int64_t found, uint32_t step)
{
    size_t k = 0;
    while (k < a->latency_count && a->latencies[k].chain.to.index != step)
        k++;
    if (k == a->latency_count)
        return complain(t, "no latency", step, (struct weir_ratio){0, 0}, 0);
    bool bounded = a->outcome == WEIR_PRIORITY_CONVERGED && a->latencies[k].bounded;
    struct weir_ratio worst = {bounded ? a->latencies[k].worst_arrival : 0, 1};
    if (found != PUBLISHED_NONE && found < seen->latency_max_arrival[k])
        return complain(t, "a published bound is exceeded", step, worst, found);
    return compare(t, CPA, step, bounded ? &worst : NULL, found, 1, seen->latency_max_arrival[k]);
}

static bool look_at_step(struct trial *t, const struct weir_priority_analysis *a, const struct weir_processors_observed *seen,
                         int64_t found[PEERS][PUBLISHED_TASKS], uint32_t i)
{
    const struct published_chains *c = &t->chains;
    bool bounded = a->outcome == WEIR_PRIORITY_CONVERGED, good = true;
    struct weir_ratio end = {bounded ? a->operators[i].finish_max : 0, 1};
    t->tally->bounds[CHAINS]++;
    t->tally->open[CHAINS] += !bounded;
    if (bounded && seen->finish_max[i] > end.numerator)
        return complain(t, "an end is later than its bound", i, end, seen->finish_max[i]);
    t->tally->seen[CHAINS] += bounded ? (double)seen->finish_max[i] / (double)end.numerator : 0;
    for (enum peer q = HOLISTIC; q <= CHOICES && good; q++)
        if (found[q][i] != PUBLISHED_NONE && found[q][i] < seen->finish_max[i])
            good = complain(t, "a published bound is exceeded", i, end, found[q][i]);
        else
            good = compare(t, q, i, bounded ? &end : NULL, found[q][i], 1, seen->finish_max[i]);
    bool last = i + 1 == c->count || c->step[i + 1].chain != c->step[i].chain;
    return good && (!last || look_at_arrival(t, a, seen, found[CPA][i], i));
}

static bool look_at_chains(struct trial *t)
{
    int64_t found[PEERS][PUBLISHED_TASKS];
    struct weir_priority_options options = {.verify = true};
    struct weir_priority_analysis *a;
    struct weir_processors_observed *seen;
    if (weir_priority_analyze(t->pipeline, &options, &a, &t->error))
        return complain(t, "no answer", 0, (struct weir_ratio){0, 0}, 0);
    bool good = true;
    if (a->outcome != WEIR_PRIORITY_UNBOUNDED) {
        struct weir_processors_search_options search = {
            .seed = t->seed, .runs = 60, .iterations = 30, .chain = weir_pipeline_chain_count(t->pipeline)};
        published_holistic(&t->chains, found[HOLISTIC]);
        published_offsets(&t->chains, found[OFFSETS]);
        published_choices(&t->chains, found[CHOICES]);
        published_cpa(&t->chains, found[CPA]);
        good = weir_processors_search(t->pipeline, &search, &seen, &t->error) == WEIR_OK;
        t->tally->systems[CHAINS]++;
        for (uint32_t i = 0; i < t->chains.count && good; i++)
            good = look_at_step(t, a, seen, found, i);
        weir_free(seen);
    }
    weir_priority_analysis_free(a);
    return good;
}

static bool try_seed(uint64_t seed, void *into)
{
    struct trial t = {.seed = seed, .tally = into};
    bool good = make(&t) && (seed % 2 == 0 ? look_at_pool(&t) : look_at_chains(&t));
    weir_pipeline_free(t.pipeline);
    return good;
}

static struct weir_pipeline *pipeline_of(uint64_t seed)
{
    struct trial t = {.seed = seed};
    make(&t);
    return t.pipeline;
}

/* ---- the table ---- */

static double share(uint64_t part, uint64_t all)
{
    return all ? 100 * (double)part / (double)all : 0;
}

static void print(const void *tally)
{
    static const char *const kinds[KINDS] = {"tasks on one core, EDF", "tasks on two to four cores, global EDF",
                                             "steps of chains, fixed priorities"};
    const struct tally *t = tally;
    printf("| | tasks | no bound, %% | weir is tighter, %% | equal, %% | looser, %% | weir / other | seen / bound |\n");
    printf("|---|---|---|---|---|---|---|---|\n");
    for (int k = 0; k < KINDS; k++) {
        printf("| **%s**: weir | %" PRIu64 " | %.1f | | | | | %.2f |\n", kinds[k], t->bounds[k], share(t->open[k], t->bounds[k]),
               t->bounds[k] > t->open[k] ? t->seen[k] / (double)(t->bounds[k] - t->open[k]) : 0);
        for (int q = 0; q < PEERS; q++) {
            uint64_t both = t->tighter[q] + t->equal[q] + t->looser[q];
            if ((int)kind_of[q] == k)
                printf("| %s | %" PRIu64 " | %.1f | %.1f | %.1f | %.1f | %.2f | %.2f |\n", peer_names[q], both + t->none[q],
                       share(t->none[q], both + t->none[q]), share(t->tighter[q], both), share(t->equal[q], both),
                       share(t->looser[q], both), both ? t->gain[q] / (double)both : 0, both ? t->peer_seen[q] / (double)both : 0);
        }
    }
}

static bool saw_enough(const void *tally, uint64_t count)
{
    const struct tally *t = tally;
    bool seen = t->systems[ONE_CORE] * 20 > count && t->systems[CORES] * 10 > count && t->systems[CHAINS] * 10 > count;
    for (int q = 0; q < PEERS; q++)
        seen = seen && (q == BAKER || t->equal[q] > 0) && (q == SPURI || t->tighter[q] > 0);
    return seen;
}

const struct campaign campaign = {try_seed,
                                  print,
                                  saw_enough,
                                  sizeof(struct tally),
                                  .doubles = offsetof(struct tally, seen),
                                  .pipeline_of = pipeline_of,
                                  .seconds = 60,
                                  .late = {"takes too long: system of seed ", ""}};
