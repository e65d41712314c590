/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench_run [CPUS [SECONDS]]: what a message costs per hop, along chains of {2, 4, 8, 16, 64} operators that do nothing, with
 * queues of {1, 16, 1024} places: weir beside what a program would write by hand, and beside other frameworks where they are
 * installed. The process is bound to two CPUs unless told otherwise. Everything is measured by turns, in rounds, and the medians
 * are compared, so that what else the machine does meets all of them. SECONDS is for each cell of the table; 1 unless told
 * otherwise.
 */
#include "run_peers.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#define ROUNDS 9

double run_clock_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

enum { RING, WEIR, MUTEX }; /* those that something is asked of */
static const struct {
    const char *name;
    flow_run *run;
} kinds[] = {
    [RING] = {"ring", run_ring},
    [WEIR] = {"weir", run_weir},
    [MUTEX] = {"mutex", run_mutex},
    {"counts", run_counts},
    {"processes", run_processes},
    {"measured", run_measured},
#ifdef BENCH_TBB
    {"TBB", run_tbb},
#endif
#ifdef BENCH_GSTREAMER
    {"GStreamer", run_gstreamer},
#endif
};
#define KINDS (sizeof kinds / sizeof *kinds)

struct cell {
    double ns[ROUNDS];       /* per message and hop */
    double switches[ROUNDS]; /* of threads, per message and hop */
    int64_t messages;
};

static double run_switches(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_nvcsw + (double)usage.ru_nivcsw;
}

static void measure(size_t kind, const struct flow *flow, double *ns, double *switches)
{
    double before = run_switches(), passed = kinds[kind].run(flow), hops = (double)flow->messages * (flow->operators - 1);
    if (passed < 0) {
        fprintf(stderr, "bench_run: %s lost a message\n", kinds[kind].name);
        exit(1);
    }
    *ns = passed / hops;
    *switches = (run_switches() - before) / hops;
}

static int compare(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static double median(double values[ROUNDS])
{
    double sorted[ROUNDS];
    for (int i = 0; i < ROUNDS; i++)
        sorted[i] = values[i];
    qsort(sorted, ROUNDS, sizeof *sorted, compare);
    return sorted[ROUNDS / 2];
}

/* As many messages as fill their part of the time, found by trying. */
static int64_t enough(size_t kind, struct flow flow, double budget_ns)
{
    double ns, switches;
    for (flow.messages = 200;; flow.messages *= 4) {
        measure(kind, &flow, &ns, &switches);
        double passed = ns * (double)flow.messages * (flow.operators - 1);
        if (passed * 4 > budget_ns) {
            double messages = (double)flow.messages * budget_ns / passed;
            return messages < 200 ? 200 : (int64_t)messages;
        }
    }
}

static double ratio(const struct cell *a, const struct cell *b)
{
    double ratios[ROUNDS];
    for (int i = 0; i < ROUNDS; i++)
        ratios[i] = a->ns[i] / b->ns[i];
    return median(ratios);
}

/* One row of the table; false where what is asked for does not hold. */
static bool row(struct flow flow, double seconds)
{
    struct cell cells[KINDS];
    for (size_t k = 0; k < KINDS; k++)
        cells[k].messages = enough(k, flow, seconds * 1e9 / ROUNDS / KINDS);
    for (int round = 0; round < ROUNDS; round++)
        for (size_t k = 0; k < KINDS; k++) {
            flow.messages = cells[k].messages;
            measure(k, &flow, &cells[k].ns[round], &cells[k].switches[round]);
        }
    printf("%9u %6u", (unsigned)flow.operators, (unsigned)flow.capacity);
    for (size_t k = 0; k < KINDS; k++)
        printf(" %9.0f", median(cells[k].ns));
    double ring = ratio(&cells[WEIR], &cells[RING]), mutex = ratio(&cells[WEIR], &cells[MUTEX]);
    bool met = mutex <= 1 && (flow.operators > 2 || ring <= 2);
    printf(" %9.2f %9.2f %9.3f %9.3f  %s\n", mutex, ring, median(cells[WEIR].switches), median(cells[MUTEX].switches),
           met ? "yes" : "NO");
    fflush(stdout);
    return met;
}

/* The first ones of those that it may use. */
static int bind_to(int cpus)
{
    cpu_set_t set, few;
    int count = 0;
    CPU_ZERO(&few);
    if (sched_getaffinity(0, sizeof set, &set))
        return 0;
    for (size_t i = 0; i < CPU_SETSIZE && count < cpus; i++)
        if (CPU_ISSET(i, &set)) {
            CPU_SET(i, &few);
            count++;
        }
    return sched_setaffinity(0, sizeof few, &few) ? 0 : count;
}

int main(int argc, char **argv)
{
    static const uint32_t capacities[] = {1, 16, RUN_CAPACITY_MAX}, counts[] = {2, 4, 8, 16, RUN_OPERATORS_MAX};
    int cpus = bind_to(argc > 1 ? atoi(argv[1]) : 2);
    double seconds = argc > 2 ? atof(argv[2]) : 1;
    bool met = true;
    printf("ns per message and hop, medians of %d rounds by turns, on %d CPUs; weir beside mutex and ring: medians of the ratios;\n"
           "switches of threads per message and hop; asked for: no slower than the mutex, two operators within 2 times the ring\n",
           ROUNDS, cpus);
    printf("operators places");
    for (size_t k = 0; k < KINDS; k++)
        printf(" %9s", kinds[k].name);
    printf(" %9s %9s %9s %9s  %s\n", "of mutex", "of ring", "sw. weir", "sw. mutex", "as asked");
    for (size_t c = 0; c < sizeof capacities / sizeof *capacities; c++)
        for (size_t n = 0; n < sizeof counts / sizeof *counts; n++)
            met = row((struct flow){.operators = counts[n], .capacity = capacities[c]}, seconds) && met;
    printf("all as asked: %s\n", met ? "yes" : "no");
    return !met;
}
