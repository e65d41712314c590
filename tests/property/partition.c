/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random pipelines whose operators get partitions of a GPU from weir_partition_find. One in two may share them: then no run, in
 * which work waits for that which was launched before, exceeds the latencies of the pipeline that it makes. In the others each is
 * alone, and with best cases above 0, which may differ from point to point, the division is the best of all there are.
 *
 *     partition COUNT [SEED]      exit status 1 on the first contradiction of each process
 *     partition show SEED         the pipeline of a seed as YAML
 */
#include "support/campaign.h"
#include "support/oracle/divisions.h"
#include "support/oracle/shared_partition.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { RUNS = 12, POINTS = 5 };

struct tally {
    uint64_t pipelines, impossible, shared, launches, latencies, reached, runs; /* shared: some partition has two operators */
    uint64_t alone, contested; /* held against all; of them, those that with other SMs would be worse */
};

struct trial {
    uint64_t seed;
    struct weir_random random;
    struct weir_pipeline *pipeline;
    struct weir_profile_point points[PLAY_OPERATORS][POINTS];
    struct weir_profile profiles[PLAY_OPERATORS];
    size_t profile_count;
    bool share;
    struct tally *tally;
};

static int64_t pick(struct trial *t, int64_t low, int64_t high)
{
    return weir_random_between(&t->random, low, high);
}

static void draw_operators(struct trial *t, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        char name[16];
        snprintf(name, sizeof name, "o%" PRIu32, i);
        struct weir_operator_spec spec = {.name = name, .worst = pick(t, 0, 12)};
        struct weir_launch launch = {.worst = pick(t, 0, 12), .waits = true, .after_worst = pick(t, 0, 1) * pick(t, 0, 5)};
        spec.best = pick(t, 0, 2) ? 0 : pick(t, 0, spec.worst);
        spec.launch = t->seed % 2 && pick(t, 0, 1) ? &launch : NULL;
        weir_pipeline_add_operator(t->pipeline, &spec, NULL, NULL);
    }
}

static void draw_profiles(struct trial *t, uint32_t n)
{
    for (uint32_t i = 0; i < n && t->profile_count < 4; i++) {
        if (pick(t, 0, 2) == 0)
            continue;
        size_t k = t->profile_count++;
        int64_t worst = pick(t, 2, 20);
        uint32_t sms = 0;
        size_t count = (size_t)pick(t, 1, t->share ? POINTS - 1 : POINTS);
        for (size_t at = 0; at < count; at++) {
            sms += (uint32_t)pick(t, 1, 2);
            t->points[k][at] = (struct weir_profile_point){sms, pick(t, 0, 1) ? 0 : pick(t, 0, worst), worst};
            worst = worst * pick(t, 40, 95) / 100 + 1;
        }
        t->profiles[k] = (struct weir_profile){{i}, t->points[k], count};
    }
}

static bool draw(struct trial *t)
{
    weir_random_seed(&t->random, t->seed);
    uint32_t n = (uint32_t)pick(t, 2, 6);
    t->share = t->seed / 2 % 2;
    t->pipeline = weir_pipeline_new(NULL);
    draw_operators(t, n);
    for (uint32_t i = 1; i < n; i++)
        for (int more = 0; more == 0 || (more < 3 && pick(t, 0, 2) == 0); more++) {
            struct weir_queue_spec queue = {.from = {(uint32_t)pick(t, 0, i - 1)}, .to = {i}, .capacity = (uint32_t)pick(t, 1, 3)};
            weir_pipeline_add_queue(t->pipeline, &queue, NULL, NULL);
        }
    draw_profiles(t, n);
    return weir_pipeline_seal(t->pipeline, NULL, NULL) == WEIR_OK && t->profile_count > 0;
}

/* What each operator takes in the partition it is in, alone. */
static bool prepare(const struct trial *t, const struct weir_partition *found, struct play *play)
{
    bool shared = false;
    *play = (struct play){.pipeline = t->pipeline};
    memset(play->part, PLAY_ALONE, sizeof play->part);
    for (uint32_t i = 0; i < weir_pipeline_operator_count(t->pipeline); i++) { /* launches of others are in nobody's way */
        const struct weir_launch *launch = weir_pipeline_operator(t->pipeline, (struct weir_operator){i}).launch;
        if (launch) {
            play->part[i] = (uint8_t)(PLAY_OPERATORS - 1 - i);
            play->best[i] = launch->best;
            play->worst[i] = launch->worst;
        }
    }
    for (size_t i = 0; i < t->profile_count; i++) {
        uint32_t op = t->profiles[i].op.index;
        for (size_t k = 0; k < i; k++)
            shared |= found->shares[k].part == found->shares[i].part;
        /* The partition of the first of them, by a number that no other has. */
        size_t first = 0;
        while (found->shares[first].part != found->shares[i].part)
            first++;
        play->part[op] = (uint8_t)(PLAY_OPERATORS - 1 - t->profiles[first].op.index);
        for (size_t k = 0; k < t->profiles[i].point_count && t->points[i][k].sms <= found->shares[i].sms; k++) {
            play->best[op] = t->points[i][k].best;
            play->worst[op] = t->points[i][k].worst;
        }
    }
    return shared;
}

static bool complain(const struct trial *t, const struct weir_partition *found, const char *what, int64_t a, int64_t b)
{
    printf("pipeline of seed %" PRIu64 ": %s (%" PRId64 ", %" PRId64 ")\n", t->seed, what, a, b);
    weir_pipeline_write_yaml(t->pipeline, stdout, NULL);
    for (size_t i = 0; i < t->profile_count; i++)
        for (size_t k = 0; k < t->profiles[i].point_count; k++)
            printf("o%" PRIu32 ",%" PRIu32 ",%" PRId64 ",%" PRId64 "\n", t->profiles[i].op.index, t->points[i][k].sms,
                   t->points[i][k].best, t->points[i][k].worst);
    if (found->pipeline)
        weir_pipeline_write_yaml(found->pipeline, stdout, NULL);
    return false;
}

static bool check_runs(struct trial *t, const struct weir_partition *found, const struct weir_analysis *analysis)
{
    struct play play;
    struct tally *tally = t->tally;
    tally->shared += prepare(t, found, &play);
    for (int run = 0; run < RUNS; run++) {
        if (!play_run(&play, &t->random, run == 0))
            return complain(t, found, "the run stands still", run, 0);
        tally->runs++;
        for (size_t i = 0; i < analysis->latency_count; i++) {
            const struct weir_latency *l = &analysis->latencies[i];
            if (l->worst.outcome != WEIR_EXACT || l->chain.shift != 0)
                continue;
            int64_t seen = play_latency(&play, l->chain.from, l->chain.to);
            if (seen > l->worst.value)
                return complain(t, found, "a run exceeds the bound", seen, l->worst.value);
            tally->latencies++;
            tally->reached += seen == l->worst.value;
        }
    }
    return true;
}

/* Against all divisions. */
static bool check_best(struct trial *t, const struct weir_partition_options *options, const struct weir_partition *found)
{
    struct divided best;
    if (!divide_all(t->pipeline, options, &best))
        return complain(t, found, "a division could not be analysed", 0, 0);
    if (!found->complete || best.any != (found->pipeline != NULL))
        return complain(t, found, "a search that ended without an answer", found->complete, best.any);
    t->tally->alone += best.any;
    if (!best.any)
        return true;
    t->tally->contested += best.sms > t->profile_count;
    if (best.score.unbounded != found->score.unbounded || best.score.missed != found->score.missed)
        return complain(t, found, "fewer deadlines can be missed", found->score.missed, best.score.missed);
    if (best.score.total != found->score.total)
        return complain(t, found, "there is a better division", found->score.total, best.score.total);
    return best.sms == found->sms || complain(t, found, "fewer SMs are enough", found->sms, best.sms);
}

static bool try_seed(uint64_t seed, void *tally)
{
    struct trial t = {.seed = seed, .tally = tally};
    struct weir_partition *found = NULL;
    struct weir_analysis *analysis = NULL;
    bool fine = true;
    if (draw(&t)) {
        struct weir_partition_options options = {.sms = (uint32_t)pick(&t, 2, t.share ? 7 : 10),
                                                 .profiles = t.profiles,
                                                 .profile_count = t.profile_count,
                                                 .share = t.share,
                                                 .threads = 1};
        t.tally->pipelines++;
        t.tally->launches += seed % 2;
        fine = weir_partition_find(t.pipeline, &options, &found, NULL) == WEIR_OK;
        t.tally->impossible += fine && !found->pipeline;
        if (fine && !t.share)
            fine = check_best(&t, &options, found);
        else if (fine && found->pipeline)
            fine = weir_analyze(found->pipeline, NULL, &analysis, NULL) == WEIR_OK && check_runs(&t, found, analysis);
    }
    weir_analysis_free(analysis);
    weir_partition_free(found);
    weir_pipeline_free(t.pipeline);
    return fine;
}

static void print(const void *sum)
{
    const struct tally *t = sum;
    printf("%" PRIu64 " pipelines, %" PRIu64 " with launches, %" PRIu64 " with too few SMs, %" PRIu64
           " with a shared partition; %" PRIu64 " runs, %" PRIu64 " latencies, %" PRIu64 " as long as they can be; %" PRIu64
           " held against all divisions, %" PRIu64 " with more than one SM for some\n",
           t->pipelines, t->launches, t->impossible, t->shared, t->runs, t->latencies, t->reached, t->alone, t->contested);
}

static bool saw_enough(const void *sum, uint64_t count)
{
    const struct tally *t = sum;
    return t->pipelines > count / 2 && t->shared > count / 40 && t->latencies > count && t->reached > count / 4 &&
           t->alone > count / 8 && t->contested > count / 20;
}

static struct weir_pipeline *pipeline_of(uint64_t seed)
{
    struct trial t = {.seed = seed};
    if (draw(&t))
        return t.pipeline;
    weir_pipeline_free(t.pipeline);
    return NULL;
}

const struct campaign campaign = {try_seed, print, saw_enough, sizeof(struct tally), .pipeline_of = pipeline_of};
