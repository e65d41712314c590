/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How far divisions of 132 SMs are proved: ten random graphs, each operator with a time for every number of SMs that falls like
 * serial + parallel work by Amdahl's law, up to as many SMs as it can use.
 *
 *     bench_partition [OPERATORS [PERMILLE [SECONDS [FIRST [COUNT]]]]]
 *
 * PERMILLE: best cases, of the worst (300). SECONDS: of processor time for each, after which the search is interrupted (60).
 * Each line: the seed, the sum of the worst cases of the best division, what none comes below, the gap between them in per cent,
 * and the seconds of processor time. One thread.
 */
#include "base/random.h"
#include "clock.h"
#include "weir.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>

enum { SMS = 132, OPERATORS_MAX = WEIR_PARTITION_OPERATORS_MAX };

static bool stop;

static void on_time(int signal)
{
    (void)signal;
    __atomic_store_n(&stop, true, __ATOMIC_RELAXED);
}

static void alarm_after(long seconds)
{
    struct itimerval timer = {.it_value = {.tv_sec = seconds}};
    setitimer(ITIMER_PROF, &timer, NULL);
}

static void draw(uint32_t operators, uint64_t seed, int64_t permille, struct weir_profile_point points[][SMS],
                 struct weir_profile *profiles)
{
    static const uint32_t useful[] = {16, 32, 64, SMS};
    struct weir_random random;
    weir_random_seed(&random, seed);
    for (uint32_t i = 0; i < operators; i++) {
        int64_t work = weir_random_between(&random, 2000, 40000), serial = weir_random_between(&random, 10, 300);
        uint32_t most = useful[weir_random_between(&random, 0, 3)];
        for (uint32_t sms = 1; sms <= SMS; sms++) {
            int64_t worst = serial + work / (sms < most ? sms : most);
            points[i][sms - 1] = (struct weir_profile_point){sms, worst * permille / 1000, worst};
        }
        profiles[i] = (struct weir_profile){{i}, points[i], SMS};
    }
}

struct sum {
    unsigned proved, below_five;
    double gaps, seconds;
};

static bool divide(uint32_t operators, uint64_t seed, int64_t permille, long seconds, struct sum *sum)
{
    static struct weir_profile_point points[OPERATORS_MAX][SMS];
    struct weir_profile profiles[OPERATORS_MAX];
    struct weir_generate_options generate = {.nodes = operators, .seed = 1000 * operators + seed, .density_permille = 200};
    struct weir_partition_options options = {
        .sms = SMS, .profiles = profiles, .profile_count = operators, .threads = 1, .stop = &stop};
    struct weir_pipeline *pipeline;
    struct weir_partition *found;
    struct weir_error error;
    draw(operators, seed, permille, points, profiles);
    if (weir_generate_holoscan(&generate, &pipeline, &error))
        return false;
    double begun = bench_seconds(CLOCK_PROCESS_CPUTIME_ID);
    stop = false;
    alarm_after(seconds);
    enum weir_status status = weir_partition_find(pipeline, &options, &found, &error);
    alarm_after(0);
    weir_pipeline_free(pipeline);
    if (status)
        return false;
    double took = bench_seconds(CLOCK_PROCESS_CPUTIME_ID) - begun;
    double gap = 100 * (double)(found->score.total - found->lower.total) / (double)found->score.total;
    printf("%4u %10lld %10lld %8.2f %% %8.2f s%s\n", (unsigned)seed, (long long)found->score.total, (long long)found->lower.total,
           gap, took, found->complete ? "" : "  open");
    fflush(stdout);
    sum->proved += found->complete;
    sum->below_five += gap < 5;
    sum->gaps += gap;
    sum->seconds += took;
    weir_partition_free(found);
    return true;
}

static long word(int count, char **words, int at, long otherwise)
{
    return count > at ? strtol(words[at], NULL, 10) : otherwise;
}

int main(int count, char **words)
{
    long operators = word(count, words, 1, 16), permille = word(count, words, 2, 300), seconds = word(count, words, 3, 60);
    long first = word(count, words, 4, 1), seeds = word(count, words, 5, 10);
    struct sum sum = {0};
    if (operators < 2 || operators > OPERATORS_MAX || permille < 0 || permille > 1000 || seconds < 1) {
        fprintf(stderr, "bench_partition: 2 to %d operators, 0 to 1000 permille, from 1 second on\n", OPERATORS_MAX);
        return 2;
    }
    signal(SIGPROF, on_time);
    printf("%ld operators, best cases %.1f of the worst, up to %ld s each\n", operators, (double)permille / 1000, seconds);
    for (long seed = first; seed < first + seeds; seed++)
        if (!divide((uint32_t)operators, (uint64_t)seed, permille, seconds, &sum)) {
            fprintf(stderr, "bench_partition: seed %ld failed\n", seed);
            return 1;
        }
    printf("%u of %ld proved, %u below 5 %%; mean gap %.2f %%, mean time %.2f s\n", sum.proved, seeds, sum.below_five,
           sum.gaps / (double)seeds, sum.seconds / (double)seeds);
    return 0;
}
