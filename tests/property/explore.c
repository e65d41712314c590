/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What searches claim to be complete, against all there is: the front of latency, period and places and the cheapest capacities
 * against every capacity of a few queues; the shortest period against the shorter ones; the largest factor against larger and
 * smaller ones. Each candidate is a pipeline of its own, sealed and asked as any other.
 *
 *     explore COUNT [SEED]        exit status 1 on the first contradiction of each process
 *     explore show SEED           the pipeline of a seed as YAML
 */
#include "support/campaign.h"
#include "support/oracle/capacities.h"
#include "support/random/pipeline.h"
#include "support/random/semantics.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { PERIODS = 120, FACTORS = 6 };

struct tally {
    uint64_t pipelines, refused, doubtful, vectors, fronts, points, largest, cheapest, impossible; /* largest: front, in points */
    uint64_t late, reentrant, launches, initial, ticks;                                            /* fronts of these */
    uint64_t periods, no_period, factors, no_factor, endless;
};

struct trial {
    uint64_t seed;
    struct weir_random random;
    struct weir_pipeline *pipeline;
    struct tally *tally;
};

static bool complain(const struct trial *t, const struct weir_pipeline *p, const char *what, int64_t a, int64_t b)
{
    printf("pipeline of seed %" PRIu64 ": %s (%" PRId64 ", %" PRId64 ")\n", t->seed, what, a, b);
    weir_pipeline_write_yaml(p, stdout, NULL);
    return false;
}

static bool chance(struct trial *t, int percent)
{
    return weir_random_between(&t->random, 1, 100) <= percent;
}

/* ---- pipelines with many points on their fronts: few paths, times that differ much ---- */

/* What all operators of one have in common: a bit each of KINDS. */
enum { LATE = 1, LAUNCHES = 2, REENTRANT = 4, INITIAL = 8, SOURCE = 16, CONSTANT = 32, WHOLLY = 64, KINDS = 128 };

static void draw_operator(struct trial *t, struct weir_pipeline *p, uint32_t i, int kind)
{
    char name[16];
    snprintf(name, sizeof name, "a%" PRIu32, i);
    struct weir_operator_spec spec = {.name = name, .worst = weir_random_between(&t->random, 1, 20)};
    struct weir_launch launch = {.waits = chance(t, 50)};
    spec.best = kind & CONSTANT || chance(t, 40) ? spec.worst : weir_random_between(&t->random, 0, spec.worst);
    if (kind & LATE && (kind & WHOLLY || chance(t, 60))) {
        spec.receive_max = kind & WHOLLY ? spec.worst : weir_random_between(&t->random, 1, spec.worst);
        spec.receive_min = spec.receive_max < spec.best || kind & CONSTANT ? spec.receive_max : spec.best;
    }
    if (kind & LAUNCHES && chance(t, 40)) {
        launch.worst = weir_random_between(&t->random, 1, 20);
        launch.best = kind & CONSTANT || chance(t, 50) ? launch.worst : 0;
        spec.launch = &launch;
    }
    spec.reentrant = kind & REENTRANT && !spec.launch && chance(t, 40);
    weir_pipeline_add_operator(p, &spec, NULL, NULL);
}

static struct weir_pipeline *draw_rich(struct trial *t)
{
    struct weir_pipeline *p = weir_pipeline_new(NULL);
    uint32_t n = (uint32_t)weir_random_between(&t->random, 4, 6);
    int kind = (int)weir_random_between(&t->random, 0, KINDS - 1);
    kind &= chance(t, 40) ? LATE | CONSTANT | WHOLLY : KINDS - 1;
    for (uint32_t i = 0; i < n; i++)
        draw_operator(t, p, i, kind);
    for (uint32_t i = 1; i < n; i++)
        for (int more = 0; more == 0 || (more == 1 && i > 1 && chance(t, 20)); more++) {
            struct weir_queue_spec queue = {.from = {(uint32_t)weir_random_between(&t->random, i > 2 ? i - 2 : 0, i - 1)},
                                            .to = {i},
                                            .capacity = 2,
                                            .initial = kind & INITIAL && chance(t, 30)};
            weir_pipeline_add_queue(p, &queue, NULL, NULL);
        }
    if (kind & SOURCE) {
        struct weir_source_spec source = {.op = {0},
                                          .period = weir_random_between(&t->random, 5, 30),
                                          .arrivals = (enum weir_arrivals[]){WEIR_ARRIVALS_AT_MOST, WEIR_ARRIVALS_EXACT,
                                                                             WEIR_ARRIVALS_CATCH_UP}[t->seed / 5 % 3]};
        weir_pipeline_add_source(p, &source, NULL);
    }
    if (weir_pipeline_seal(p, NULL, NULL) == WEIR_OK)
        return p;
    weir_pipeline_free(p);
    return NULL;
}

static bool draw(struct trial *t)
{
    struct weir_error why;
    weir_random_seed(&t->random, t->seed);
    if (t->seed % 5 == 0)
        t->pipeline = weir_random_pipeline(&t->random, (enum weir_flavour)(t->seed / 5 % WEIR_FLAVOURS));
    else if (t->seed % 5 == 1)
        t->pipeline = weir_random_semantics(&t->random, false, &why);
    else
        t->pipeline = draw_rich(t);
    return t->pipeline != NULL;
}

/* ---- capacities ---- */

static void count_kinds(const struct weir_pipeline *p, struct tally *tally)
{
    bool late = false, reentrant = false, launches = false, initial = false, ticks = false;
    for (uint32_t i = 0; i < weir_pipeline_operator_count(p); i++) {
        struct weir_operator_spec spec = weir_pipeline_operator(p, (struct weir_operator){i});
        late |= spec.receive_max > 0;
        reentrant |= spec.reentrant;
        launches |= spec.launch != NULL;
    }
    for (uint32_t i = 0; i < weir_pipeline_queue_count(p); i++)
        initial |= weir_pipeline_queue(p, (struct weir_queue){i}).initial > 0;
    for (uint32_t i = 0; i < weir_pipeline_source_count(p); i++)
        ticks |= weir_pipeline_source(p, i).arrivals == WEIR_ARRIVALS_CATCH_UP;
    tally->late += late;
    tally->reentrant += reentrant;
    tally->launches += launches;
    tally->initial += initial;
    tally->ticks += ticks;
}

static bool check_capacities(struct trial *t)
{
    bool wide = chance(t, 25); /* more queues, or deeper ones */
    struct capacities *all = capacities_new(t->pipeline, &t->random, wide ? 6 : 4, wide ? 2 : 3);
    struct tally *tally = t->tally;
    if (!all)
        return tally->refused++, true;
    if (!capacities_measure(all)) {
        free(all);
        return complain(t, t->pipeline, "a vector could not be measured", 0, 0);
    }
    struct weir_sizing_options options = {
        .sized = all->sized, .weights = chance(t, 70) ? NULL : all->weights, .most = all->most, .threads = 1};
    if (!options.weights) {
        for (size_t v = 0; v < all->vectors; v++)
            for (uint32_t i = 0; i < all->count; i++)
                all->all[v].cost -= (all->weight[i] - 1) * all->all[v].capacity[i];
    }
    const char *wrong = NULL;
    size_t points = 0;
    bool possible = false;
    tally->doubtful += all->doubtful;
    if (!all->doubtful) {
        wrong = capacities_check_front(all, &options, &points);
        tally->fronts++;
        tally->vectors += all->vectors;
        tally->points += points;
        tally->largest = points > tally->largest ? points : tally->largest;
        count_kinds(t->pipeline, tally);
    }
    for (int i = 0; i < 3 && !wrong && !all->doubtful; i++) {
        options.within = i == 1 ? 0 : capacities_some_latency(all, &t->random);
        options.period = i == 2 ? 0 : capacities_some_period(all, &t->random);
        wrong = capacities_check_cheapest(all, &options, &possible);
        tally->cheapest += possible;
        tally->impossible += !possible;
        if (!wrong && i == 0)
            wrong = capacities_check_front(all, &options, &points);
    }
    free(all);
    return wrong ? complain(t, t->pipeline, wrong, options.within, options.period) : true;
}

/* ---- periods and factors ---- */

/* Whether every latency keeps the deadline, times `by`; false in a deadlock. *known: it is decided. */
static bool keeps(struct weir_pipeline *p, int64_t by, bool *known)
{
    struct weir_analysis *analysis = NULL;
    bool kept = weir_pipeline_seal(p, NULL, NULL) == WEIR_OK && weir_analyze(p, NULL, &analysis, NULL) == WEIR_OK;
    *known = kept;
    for (size_t i = 0; kept && i < analysis->latency_count; i++) {
        const struct weir_latency *l = &analysis->latencies[i];
        if (!l->chain.has_deadline || l->worst.outcome == WEIR_NO_EVENTS)
            continue;
        *known &= l->worst.outcome != WEIR_BRACKET;
        kept = l->worst.outcome == WEIR_EXACT && l->worst.value <= l->chain.deadline * by;
    }
    weir_analysis_free(analysis);
    weir_pipeline_free(p);
    return kept;
}

/* The pipeline with a deadline somewhere near its latencies; NULL: they have no bound. */
static struct weir_pipeline *with_deadline(struct trial *t)
{
    struct weir_analysis *analysis;
    int64_t longest = 0;
    if (weir_analyze(t->pipeline, NULL, &analysis, NULL))
        return NULL;
    bool bounded = analysis->latency_count > 0;
    for (size_t i = 0; i < analysis->latency_count; i++) {
        const struct weir_separation *worst = &analysis->latencies[i].worst;
        bounded &= worst->outcome == WEIR_EXACT;
        longest = worst->value > longest ? worst->value : longest;
    }
    weir_analysis_free(analysis);
    longest += weir_random_between(&t->random, -longest / 4, longest / 2);
    struct weir_pipeline *p = bounded ? weir_pipeline_copy(t->pipeline, NULL) : NULL;
    if (p && weir_pipeline_set_deadline(p, longest, NULL) == WEIR_OK && weir_pipeline_seal(p, NULL, NULL) == WEIR_OK)
        return p;
    weir_pipeline_free(p);
    return NULL;
}

static bool keeps_period(const struct weir_pipeline *p, uint32_t source, int64_t period, bool *known)
{
    struct weir_pipeline *copy = weir_pipeline_copy(p, NULL);
    struct weir_source_spec spec = weir_pipeline_source(p, source);
    spec.period = period;
    weir_pipeline_change_source(copy, source, &spec, NULL);
    return keeps(copy, 1, known);
}

static bool check_period(struct trial *t, const struct weir_pipeline *p, uint32_t source)
{
    struct weir_pacing pacing;
    bool known;
    if (weir_pacing_find(p, source, NULL, &pacing, NULL))
        return true; /* it catches up, or there are batches */
    if (pacing.outcome == WEIR_MARGIN_BRACKET)
        return t->tally->doubtful++, true;
    bool exact = pacing.outcome == WEIR_MARGIN_EXACT;
    *(exact ? &t->tally->periods : &t->tally->no_period) += 1;
    if (exact && !keeps_period(p, source, pacing.period, &known) && known)
        return complain(t, p, "the shortest period breaks a deadline", source, pacing.period);
    for (int64_t i = 1; i <= PERIODS && (!exact || i < pacing.period); i++) {
        int64_t period = exact && pacing.period > PERIODS ? weir_random_between(&t->random, 1, pacing.period - 1)
                         : i > PERIODS / 2 && !exact      ? weir_random_between(&t->random, 1, 10000)
                                                          : i;
        if (keeps_period(p, source, period, &known) && known)
            return complain(t, p, "a shorter period keeps every deadline", period, exact ? pacing.period : -1);
    }
    return true;
}

/* Worst cases times p, all else times q. */
static bool keeps_factor(const struct weir_pipeline *pipeline, int64_t p, int64_t q, bool *known)
{
    struct weir_pipeline *copy = weir_pipeline_copy(pipeline, NULL);
    bool fits = true;
    for (uint32_t i = 0; i < weir_pipeline_operator_count(pipeline); i++) {
        struct weir_operator op = {i};
        struct weir_operator_spec spec = weir_pipeline_operator(pipeline, op);
        struct weir_launch launch;
        spec.worst *= p, spec.best *= q, spec.receive_min *= q, spec.receive_max *= q;
        if (spec.launch) {
            launch = *spec.launch;
            launch.worst *= p, launch.best *= q, launch.after_worst *= p, launch.after_best *= q;
            spec.launch = &launch;
        }
        fits &= weir_pipeline_change_operator(copy, op, &spec, NULL) == WEIR_OK;
    }
    for (uint32_t i = 0; i < weir_pipeline_queue_count(pipeline); i++) {
        struct weir_queue queue = {i};
        struct weir_queue_spec spec = weir_pipeline_queue(pipeline, queue);
        spec.transfer_min *= q, spec.transfer_max *= q;
        fits &= weir_pipeline_change_queue(copy, queue, &spec, NULL) == WEIR_OK;
    }
    for (uint32_t i = 0; i < weir_pipeline_source_count(pipeline); i++) {
        struct weir_source_spec spec = weir_pipeline_source(pipeline, i);
        spec.period *= q, spec.jitter *= q, spec.phase *= q, spec.phase_max *= q;
        fits &= weir_pipeline_change_source(copy, i, &spec, NULL) == WEIR_OK;
    }
    if (fits)
        return keeps(copy, q, known);
    weir_pipeline_free(copy); /* a worst case below what must stay within it */
    *known = false;
    return false;
}

static bool check_factor(struct trial *t, const struct weir_pipeline *p)
{
    struct weir_scaling scaling;
    bool known;
    if (weir_scaling_find(p, NULL, &scaling, NULL))
        return true;
    struct weir_ratio f = scaling.factor;
    if (scaling.outcome == WEIR_MARGIN_BRACKET || (scaling.outcome == WEIR_MARGIN_EXACT && f.denominator > 1 << 20))
        return t->tally->doubtful++, true;
    bool exact = scaling.outcome == WEIR_MARGIN_EXACT, none = scaling.outcome == WEIR_MARGIN_NONE;
    *(exact ? &t->tally->factors : none ? &t->tally->no_factor : &t->tally->endless) += 1;
    if (exact && f.numerator && !keeps_factor(p, f.numerator, f.denominator, &known) && known)
        return complain(t, p, "the largest factor breaks a deadline", f.numerator, f.denominator);
    if (exact && keeps_factor(p, f.numerator * 1000 + 1, f.denominator * 1000, &known) && known)
        return complain(t, p, "a slightly larger factor keeps every deadline", f.numerator, f.denominator);
    for (int i = 0; i < FACTORS; i++) {
        int64_t permille = weir_random_between(&t->random, 1, 999);
        int64_t numerator = exact ? f.numerator * permille : permille, denominator = exact ? f.denominator * 1000 : 100;
        bool kept = keeps_factor(p, numerator, denominator, &known);
        if (known && kept == none)
            return complain(t, p, none ? "a factor keeps every deadline" : "a smaller factor breaks a deadline", numerator,
                            denominator);
        int64_t larger = f.numerator ? f.numerator * (1000 + permille) : permille;
        if (exact && keeps_factor(p, larger, f.denominator * 1000, &known) && known)
            return complain(t, p, "a larger factor keeps every deadline", larger, f.denominator * 1000);
    }
    return true;
}

static bool check_margins(struct trial *t)
{
    struct weir_pipeline *p = with_deadline(t);
    bool fine = true;
    if (!p)
        return true;
    for (uint32_t i = 0; i < weir_pipeline_source_count(p) && fine; i++)
        fine = check_period(t, p, i);
    fine = fine && check_factor(t, p);
    weir_pipeline_free(p);
    return fine;
}

/* ---- the campaign ---- */

static bool try_seed(uint64_t seed, void *tally)
{
    struct trial t = {.seed = seed, .tally = tally};
    if (!draw(&t))
        return true;
    t.tally->pipelines++;
    bool fine = check_capacities(&t) && check_margins(&t);
    weir_pipeline_free(t.pipeline);
    return fine;
}

static void add(void *sum, const void *one)
{
    struct tally *t = sum;
    uint64_t largest = t->largest, other = ((const struct tally *)one)->largest;
    campaign_add(sum, one);
    t->largest = largest > other ? largest : other;
}

static void print(const void *sum)
{
    const struct tally *t = sum;
    printf("%" PRIu64 " pipelines, %" PRIu64 " without capacities to size, %" PRIu64 " not decided\n", t->pipelines, t->refused,
           t->doubtful);
    printf("fronts: %" PRIu64 " of %" PRIu64 " vectors, %" PRIu64 " points, at most %" PRIu64 "; late %" PRIu64
           ", reentrant %" PRIu64 ", GPU %" PRIu64 ", initial messages %" PRIu64 ", catching up %" PRIu64 "\n",
           t->fronts, t->vectors, t->points, t->largest, t->late, t->reentrant, t->launches, t->initial, t->ticks);
    printf("cheapest: %" PRIu64 ", none in %" PRIu64 "; periods: %" PRIu64 ", none in %" PRIu64 "; factors: %" PRIu64
           ", none in %" PRIu64 ", without end %" PRIu64 "\n",
           t->cheapest, t->impossible, t->periods, t->no_period, t->factors, t->no_factor, t->endless);
}

static bool saw_enough(const void *sum, uint64_t count)
{
    const struct tally *t = sum;
    return t->fronts > count / 3 && t->points > t->fronts && t->cheapest > count / 2 && t->late > count / 12 &&
           t->reentrant > count / 12 && t->launches > count / 12 && t->initial > count / 12 && t->periods > count / 20 &&
           t->factors > count / 6;
}

static struct weir_pipeline *pipeline_of(uint64_t seed)
{
    struct trial t = {.seed = seed};
    return draw(&t) ? t.pipeline : NULL;
}

const struct campaign campaign = {try_seed, print, saw_enough, sizeof(struct tally), .add = add, .pipeline_of = pipeline_of};
