/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What more cores are worth to a search: the same one with one thread and with two, again and again, one after the other.
 *
 *     bench_explore [ROUNDS [SEARCH]]
 *
 * Each line: the search, its evaluations or numbers per second with one thread and with two, their ratio by the clock (the median
 * of all rounds), and how much more processor time two threads take for the same. The first ratio is that of the search only where
 * nothing else runs on these cores; how much of a core each thread had is said, too.
 */
#include "weir.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

enum { ROUNDS_MAX = 99 };

struct taken {
    double wall, cpu;
};

static struct taken now(void)
{
    struct timespec wall;
    struct rusage usage;
    clock_gettime(CLOCK_MONOTONIC, &wall);
    getrusage(RUSAGE_SELF, &usage);
    return (struct taken){(double)wall.tv_sec + 1e-9 * (double)wall.tv_nsec,
                          (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                              1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec)};
}

static void fail(const char *what)
{
    fprintf(stderr, "bench_explore: %s\n", what);
    exit(1);
}

/* ---- searches: each returns how much it did ---- */

static double sweep(const struct weir_pipeline *pipeline, unsigned threads)
{
    const struct weir_change axes[] = {{.text = "holoviz.worst=100:1000:1"}, {.text = "visualizer_icardio.worst=100:1000:1"}};
    struct weir_sweep_options options = {.axes = axes, .axis_count = 2, .threads = threads};
    struct weir_errors *errors = weir_errors_new();
    struct weir_sweep *found = NULL;
    if (!errors || weir_sweep_run(pipeline, &options, &found, errors))
        fail("a sweep failed");
    double count = (double)found->point_count;
    weir_sweep_free(found);
    weir_errors_free(errors);
    return count;
}

static double sensitivity(const struct weir_pipeline *pipeline, unsigned threads)
{
    struct weir_margins_options options = {.threads = threads};
    struct weir_margins *found = NULL;
    if (weir_margins_find(pipeline, 0, &options, &found, NULL))
        fail("a sensitivity failed");
    double count = (double)found->count;
    weir_margins_free(found);
    return count;
}

/* Times by the number of SMs, such that all have some say. */
static double divide(const struct weir_pipeline *pipeline, unsigned threads)
{
    enum { OPERATORS = 7, CHOICES = 33 };
    static struct weir_profile_point points[OPERATORS][CHOICES];
    struct weir_profile profiles[OPERATORS];
    for (uint32_t i = 0; i < OPERATORS; i++) {
        for (uint32_t k = 0; k < CHOICES; k++)
            points[i][k] = (struct weir_profile_point){.sms = 4 * (k + 1), .worst = 100 + 40 * i + 4000 / (k + 2 + i)};
        profiles[i] = (struct weir_profile){.op = {1 + i}, .points = points[i], .point_count = CHOICES};
    }
    struct weir_partition_options options = {
        .sms = 132, .profiles = profiles, .profile_count = OPERATORS, .share = true, .threads = threads};
    struct weir_partition *found = NULL;
    if (weir_partition_find(pipeline, &options, &found, NULL))
        fail("a division failed");
    weir_partition_free(found);
    return 1;
}

/* ---- */

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *numbers, unsigned count)
{
    qsort(numbers, count, sizeof *numbers, by_size);
    return numbers[count / 2];
}

static void measure(const char *name, double (*search)(const struct weir_pipeline *, unsigned),
                    const struct weir_pipeline *pipeline, unsigned rounds)
{
    double speed[2][ROUNDS_MAX], ratio[ROUNDS_MAX], more[ROUNDS_MAX], busy[ROUNDS_MAX];
    for (unsigned round = 0; round < rounds; round++) {
        struct taken time[2];
        for (unsigned threads = 1; threads <= 2; threads++) {
            struct taken before = now();
            double count = search(pipeline, threads);
            struct taken after = now();
            time[threads - 1] = (struct taken){after.wall - before.wall, after.cpu - before.cpu};
            speed[threads - 1][round] = count / time[threads - 1].wall;
        }
        ratio[round] = time[0].wall / time[1].wall;
        more[round] = time[1].cpu / time[0].cpu;
        busy[round] = time[1].cpu / time[1].wall / 2;
    }
    printf("%-36s %12.1f %12.1f %8.2f x %9.2f x %9.0f %%\n", name, median(speed[0], rounds), median(speed[1], rounds),
           median(ratio, rounds), median(more, rounds), 100 * median(busy, rounds));
}

int main(int argc, char **argv)
{
    unsigned rounds = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 5;
    const char *only = argc > 2 ? argv[2] : "";
    struct weir_application_options deep = {.queue = 60, .best_permille = 500}, plain = {.queue = 1};
    struct weir_pipeline *small = NULL, *large = NULL;
    if (rounds < 1 || rounds > ROUNDS_MAX)
        fail("1 to 99 rounds");
    if (weir_generate_application("multi-ai-ultrasound", &plain, &small, NULL) ||
        weir_generate_application("multi-ai-ultrasound", &deep, &large, NULL))
        fail("there is no such application");
    printf("%-36s %12s %12s %10s %11s %11s\n", "search, Multi AI Ultrasound", "one core", "two cores", "ratio", "CPU time",
           "of a core");
    if (strncmp("sweep, points per second", only, strlen(only)) == 0)
        measure("sweep, points per second", sweep, small, rounds);
    if (strncmp("sensitivity, numbers per second", only, strlen(only)) == 0)
        measure("sensitivity, numbers per second", sensitivity, large, rounds);
    if (strncmp("division of 132 SMs, per second", only, strlen(only)) == 0)
        measure("division of 132 SMs, per second", divide, small, rounds);
    weir_pipeline_free(small);
    weir_pipeline_free(large);
    return 0;
}
