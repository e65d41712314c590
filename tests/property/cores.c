/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random flows on a pool of cores, as they are, batched and merged: what the analysis proves holds in every simulation, and its
 * certificate passes the checker. Who needs what of whom is worked out here, from the words of the pipeline alone. What is proved
 * of a batched flow holds for the samples of the flow that it was made of, too.
 *
 *     cores COUNT [SEED [EFFORT]]      what was seen, and how tight the bounds were; exit status 1 on a contradiction
 *     cores show SEED                  one flow as YAML, and what is said about it
 *
 * Work is shared among as many processes as there are cores. A contradiction prints the seed of its flow, and the flow.
 */
#include "check/edf/flow.h"
#include "cores_trial.h"

#include "base/number.h"
#include "support/campaign.h"

#include <inttypes.h>
#include <string.h>

enum { RUNS = 8, PLAYS = 8, EXECUTIONS = 1000, ROUNDS = 6 }; /* half as many PLAYS of flows that are not batched */

static const char *const measure_names[] = {"response",         "release", "latency", "buffer", "after the last arrival",
                                            "sample of a batch"};

/* ---- forgeries ---- */

/* Whether an execution of one could begin before one of the other had ended, and the other way round: what the list of both says of
 * the run. */
static bool were_together(const struct node *a, const struct node *b)
{
    for (size_t i = 0, j = 0; i < a->end.count && j < b->end.count;) {
        if (a->ready.at[i] < b->end.at[j] && b->ready.at[j] < a->end.at[i])
            return true;
        if (a->end.at[i] < b->end.at[j])
            i++;
        else
            j++;
    }
    return false;
}

static void note_together(struct trial *t)
{
    for (uint32_t i = 0; i < t->flow->queues; i++) {
        const struct weir_queue_spec *q = &t->flow->queue[i];
        t->together[i] = t->together[i] || were_together(&t->flow->node[q->from.index], &t->flow->node[q->to.index]);
    }
}

/* The windows alone, which have to be claimed for all. */
static bool open_forgery(const struct trial *t, struct weir_edf_analysis *forged, struct weir_edf_operator operators[NODES])
{
    bool all = true;
    *forged = *t->analysis;
    memcpy(operators, t->analysis->operators, t->flow->operators * sizeof *operators);
    forged->operators = operators;
    for (uint32_t v = 0; v < t->flow->operators; v++) {
        all = all && operators[v].by == WEIR_EDF_WINDOW;
        for (int b = 0; b < WEIR_EDF_BOUNDS; b++)
            operators[v].applies[b] = operators[v].applies[b] && b == WEIR_EDF_WINDOW;
    }
    return all;
}

static bool holds(const struct weir_edf_analysis *claims, const uint32_t *groups, char why[160])
{
    bool good = false;
    struct weir_flow_proof proof = {claims, {-1, 1}, {-1, 1}, groups};
    return weir_flow_check(&proof, &good, why) == WEIR_OK && good;
}

/* The checker never takes two that were seen together for two that never are, nor a response for less than was seen. */
static bool forge(struct trial *t)
{
    struct weir_edf_analysis forged;
    struct weir_edf_operator operators[NODES];
    uint32_t groups[NODES];
    char why[160];
    if (t->analysis->cores < 2 || !open_forgery(t, &forged, operators))
        return true;
    for (uint32_t i = 0; i < t->flow->queues; i++) {
        const struct weir_queue_spec *q = &t->flow->queue[i];
        if (!t->together[i] || q->from.index == q->to.index)
            continue;
        for (uint32_t v = 0; v < t->flow->operators; v++)
            groups[v] = v == q->to.index ? q->from.index : v;
        t->tally->forged[0]++;
        if (holds(&forged, groups, why) || !strstr(why, "at the same time"))
            return trial_complain(t, "two that were executed together count as one", q->to.index, 0, 0);
    }
    if (!holds(&forged, NULL, why)) /* it needs groups */
        return true;
    for (uint32_t v = 0; v < t->flow->operators; v++) {
        struct weir_edf_operator honest = operators[v];
        const struct top *seen = &t->top[RESPONSE][v];
        if (seen->value <= 1 || seen->value > INT64_MAX)
            continue;
        operators[v].response = operators[v].responses[WEIR_EDF_WINDOW] =
            (struct weir_ratio){(int64_t)seen->value - 1, seen->scale};
        t->tally->forged[1]++;
        if (holds(&forged, NULL, why))
            return trial_complain(t, "a window may be shorter than one that was seen", v, 0, (int64_t)seen->value - 1);
        operators[v] = honest;
    }
    return true;
}

/* ---- simulations ---- */

static int64_t rounds_of(const struct trial *t)
{
    int64_t all = 0;
    for (uint32_t v = 0; v < t->flow->operators; v++)
        all += t->analysis->operators[v].repetitions;
    return all * ROUNDS > EXECUTIONS ? ROUNDS : EXECUTIONS / (all > 0 ? all : 1);
}

/* The first two at full cost, without and with waiting for releases; the others draw. */
static bool simulate(struct trial *t, uint64_t run)
{
    struct weir_random random;
    weir_random_seed(&random, t->seed * RUNS + run);
    flow_forget(t->flow);
    struct weir_edf_simulation_options options = {.rounds = rounds_of(t),
                                                  .late = run % 2,
                                                  .times = WEIR_TIMES_WORST,
                                                  .seed = weir_random_next(&random),
                                                  .observe = flow_observe,
                                                  .arrived = flow_arrived,
                                                  .context = t->flow};
    options.arrivals = (enum weir_edf_arrivals)weir_random_between(&random, 0, 2);
    if (run >= 2)
        options.times = (enum weir_times)weir_random_between(&random, WEIR_TIMES_RANDOM, WEIR_TIMES_BANG_BANG);
    if (weir_edf_simulate(t->pipeline, &options, t->peak, &t->error))
        return trial_complain(t, "the simulation fails", NODES, 0, 0);
    if (!options.late)
        note_together(t);
    return trial_check(t);
}

static bool play(struct trial *t, uint64_t run)
{
    flow_forget(t->flow);
    t->playing = true;
    if (!flow_play(t->flow, t->original ? t->original : t->pipeline, t->seed * PLAYS + run, t->peak))
        return trial_complain(t, "batches of other sources, or numbers that are too long", NODES, 0, 0);
    return trial_check(t);
}

static void remember(struct trial *t)
{
    for (int m = 0; m < MEASURES; m++)
        for (uint32_t i = 0; i < NODES * NODES; i++)
            if (t->looked[m][i]) {
                t->tally->count[m]++;
                t->tally->ratio[m] += t->largest[m][i];
                t->tally->reached[m] += t->largest[m][i] > 1 - 1e-9;
            }
}

/* ---- the analysis ---- */

/* -1, 0, 1: less than the cores can do, exactly that, more, or more than one for some operator. */
static int compare_load(const struct trial *t)
{
    weir_wide n = 0, d = 1;
    for (uint32_t v = 0; v < t->flow->operators; v++) {
        struct weir_ratio p = t->analysis->operators[v].period;
        weir_wide cost = (weir_wide)weir_pipeline_operator(t->pipeline, (struct weir_operator){v}).worst * p.denominator;
        if (cost > p.numerator)
            return 1;
        n = n * p.numerator + cost * d;
        d *= p.numerator;
        weir_wide g = weir_wide_divisor(n, d);
        n /= g, d /= g;
    }
    weir_wide all = d * weir_pipeline_cores(t->pipeline);
    return n < all ? -1 : n > all;
}

static bool analyze(struct trial *t)
{
    struct weir_edf_options options = {.verify = true};
    if (weir_edf_analyze(t->pipeline, &options, &t->analysis, &t->error))
        return trial_complain(t, "no answer", NODES, 0, 0);
    const struct weir_edf_analysis *a = t->analysis;
    int load = compare_load(t);
    bool given = false;
    for (uint32_t i = 0; i < t->flow->queues; i++)
        given |= t->flow->queue[i].capacity != WEIR_AUTO && t->flow->queue[i].capacity != WEIR_UNBOUNDED;
    t->tally->overloaded += load > 0;
    t->tally->full += load == 0 && a->schedulable;
    t->tally->schedulable += a->schedulable;
    t->tally->short_queues += load <= 0 && !a->schedulable;
    if (a->schedulable ? load > 0 : (load <= 0 && !given) || !a->why)
        return trial_complain(t, "schedulable or not", NODES, a->schedulable, load);
    if (a->schedulable && (!a->verified || a->buffer_count != t->flow->queues))
        return trial_complain(t, "not verified, or not all buffers", NODES, a->verified, (int64_t)a->buffer_count);
    return true;
}

/* A queue with fewer places than were seen to be needed is refused. */
static bool shrink_queues(struct trial *t)
{
    for (uint32_t i = 0; i < t->flow->queues; i++) {
        struct weir_queue_spec q = t->flow->queue[i];
        if (q.capacity != WEIR_AUTO || t->most[i] < 2 || t->most[i] <= q.initial)
            continue;
        struct weir_pipeline *copy = weir_pipeline_copy(t->pipeline, NULL);
        struct weir_edf_analysis *a = NULL;
        q.capacity = (uint32_t)t->most[i] - 1;
        bool asked = copy && weir_pipeline_change_queue(copy, (struct weir_queue){i}, &q, NULL) == WEIR_OK &&
                     weir_pipeline_seal(copy, NULL, NULL) == WEIR_OK && weir_edf_analyze(copy, NULL, &a, NULL) == WEIR_OK;
        bool accepted = asked && a->schedulable;
        t->tally->shrunk += asked && !accepted;
        weir_edf_analysis_free(a);
        weir_pipeline_free(copy);
        if (accepted)
            return trial_complain(t, "a queue is large enough, but was seen to hold more, that into", q.to.index, q.capacity,
                                  t->most[i]);
    }
    return true;
}

static void count_kinds(struct trial *t)
{
    bool loose = false, joined = false;
    for (uint32_t v = 0; v < t->flow->operators; v++) {
        loose |= !t->flow->node[v].even;
        joined |= trial_is_joined(&t->flow->node[v]);
    }
    t->tally->loose += loose;
    t->tally->joined += joined;
    if (!t->original)
        return;
    int64_t batches[2] = {INT64_MAX, 0}; /* the least and the largest of sources that are even */
    for (uint32_t i = 0; i < weir_pipeline_source_count(t->original); i++) {
        struct weir_source_spec old = weir_pipeline_source(t->original, i), new = weir_pipeline_source(t->pipeline, i);
        int64_t batch = new.batch / (old.batch ? old.batch : 1);
        if (old.sporadic || old.bursty)
            continue;
        batches[0] = batch < batches[0] ? batch : batches[0];
        batches[1] = batch > batches[1] ? batch : batches[1];
    }
    t->tally->played++;
    t->tally->uneven += batches[0] < batches[1];
}

/* ---- flows ---- */

/* The flow as it was, or NULL. */
static struct weir_pipeline *batch(struct weir_pipeline **pipeline, struct weir_random *random, struct tally *tally)
{
    struct weir_pipeline *batched, *original = *pipeline;
    enum weir_batching how = (enum weir_batching)weir_random_between(random, WEIR_BATCH_UNIFORM, WEIR_BATCH_EDGE);
    if (weir_pipeline_batch(*pipeline, how, weir_random_between(random, 1, 6), &batched, NULL))
        return NULL;
    tally->batched[how]++;
    *pipeline = batched;
    return original;
}

static void merge(struct weir_pipeline **pipeline, struct weir_random *random, struct tally *tally)
{
    for (int tries = 0; tries < 12; tries++) {
        struct weir_pipeline *merged;
        int64_t last = weir_pipeline_operator_count(*pipeline) - 1;
        struct weir_operator a = {(uint32_t)weir_random_between(random, 0, last)};
        struct weir_operator b = {(uint32_t)weir_random_between(random, 0, last)};
        if (weir_pipeline_merge(*pipeline, a, b, (uint32_t)weir_random_between(random, 0, 1000), &merged, NULL))
            continue;
        tally->merged++;
        weir_pipeline_free(*pipeline);
        *pipeline = merged;
        return;
    }
}

static struct weir_pipeline *flow_of(uint64_t seed, struct tally *tally, struct weir_pipeline **original)
{
    struct weir_random random;
    weir_random_seed(&random, seed);
    struct weir_pipeline *pipeline = weir_random_flow(&random);
    *original = NULL;
    if (!pipeline)
        return NULL;
    int64_t kind = weir_random_between(&random, 0, 9);
    if (kind >= 6)
        *original = batch(&pipeline, &random, tally);
    if (kind == 5 || kind >= 8)
        merge(&pipeline, &random, tally);
    return pipeline;
}

static bool try_seed(uint64_t seed, void *into)
{
    struct tally *tally = into;
    static struct trial t;
    static struct flow lists;
    t = (struct trial){.seed = seed, .tally = tally, .flow = &lists};
    t.pipeline = flow_of(seed, tally, &t.original);
    if (!t.pipeline)
        return false;
    flow_read(t.flow, t.pipeline);
    bool good = analyze(&t);
    if (good && t.analysis->schedulable) {
        count_kinds(&t);
        for (uint64_t run = 0; run < RUNS && good; run++)
            good = simulate(&t, run);
        for (uint64_t run = 0; run < (t.original ? PLAYS : PLAYS / 2) * campaign_effort && good; run++)
            good = play(&t, run);
        good = good && shrink_queues(&t) && forge(&t);
        remember(&t);
    }
    weir_edf_analysis_free(t.analysis);
    weir_pipeline_free(t.pipeline);
    weir_pipeline_free(t.original);
    tally->flows++;
    return good;
}

static int show(uint64_t seed)
{
    struct tally tally = {0};
    struct weir_pipeline *original, *pipeline = flow_of(seed, &tally, &original);
    struct weir_answer *answer;
    struct weir_error error;
    if (!pipeline)
        return 1;
    weir_pipeline_write_yaml(pipeline, stdout, NULL);
    if (weir_answer_find(pipeline, NULL, &answer, &error) == WEIR_OK)
        weir_answer_write_json(answer, stdout, NULL);
    else
        printf("%s\n", error.message);
    weir_answer_free(answer);
    weir_pipeline_free(pipeline);
    weir_pipeline_free(original);
    return try_seed(seed, &tally) ? 0 : 1;
}

/* ---- the campaign ---- */

/* No flow this small takes long; one that never ends must not pass for one that does. */
enum { SECONDS = 60 };

static void print(const void *tally)
{
    const struct tally *t = tally;
    printf("%" PRIu64 " flows: %" PRIu64 " schedulable (%" PRIu64 " with nothing left), %" PRIu64 " overloaded, %" PRIu64
           " with a queue too small; %" PRIu64 " executions\n",
           t->flows, t->schedulable, t->full, t->overloaded, t->short_queues, t->executions);
    printf("not even %" PRIu64 ", joined %" PRIu64 ", batched %" PRIu64 " + %" PRIu64 " + %" PRIu64 ", merged %" PRIu64
           ", shrunk queues %" PRIu64 "; with the samples of the flow before batching %" PRIu64
           ", of them from sources of different batches %" PRIu64 "\n",
           t->loose, t->joined, t->batched[0], t->batched[1], t->batched[2], t->merged, t->shrunk, t->played, t->uneven);
    printf("forged and refused: %" PRIu64 " pairs, %" PRIu64 " responses\n", t->forged[0], t->forged[1]);
    for (int m = 0; m < MEASURES; m++)
        printf("%-24s observed / bound %.3f, reached %.1f %% of %" PRIu64 "\n", measure_names[m],
               t->count[m] ? t->ratio[m] / (double)t->count[m] : 0,
               t->count[m] ? 100 * (double)t->reached[m] / (double)t->count[m] : 0, t->count[m]);
}

static bool saw_enough(const void *tally, uint64_t count)
{
    const struct tally *t = tally;
    bool seen = t->flows == count && t->schedulable * 2 > count && t->overloaded > 0 && t->short_queues > 0 &&
                t->full * 50 > count && t->loose * 10 > count && t->joined * 100 > count && t->merged * 100 > count &&
                t->shrunk > count && t->forged[0] * 10 > count && t->forged[1] * 10 > count && t->played * 5 > count &&
                t->uneven * 50 > count;
    for (int i = 0; i < 3; i++)
        seen = seen && t->batched[i] * 50 > count;
    for (int m = 0; m < MEASURES; m++)
        seen = seen && t->reached[m] > 0;
    return seen;
}

const struct campaign campaign = {try_seed,
                                  print,
                                  saw_enough,
                                  sizeof(struct tally),
                                  .doubles = offsetof(struct tally, ratio),
                                  .show = show,
                                  .seconds = SECONDS,
                                  .late = {"flow of seed ", ": takes too long"}};
