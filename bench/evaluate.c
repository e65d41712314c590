/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How fast an evaluator answers after a change, against copying, sealing and solving the changed pipeline.
 *
 *     bench_evaluate
 *
 * Each line: the pipeline, what changes before each answer, answers per second, the time of one, its instructions where the machine
 * counts them, and how many times as long the same takes with a pipeline sealed for it. Everything runs on one core; the fastest of
 * several rounds is taken, since machines are noisy.
 */
#include "base/random.h"
#include "clock.h"
#include "weir.h"

#include <stdlib.h>
#include <string.h>

#if defined(__linux__)
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

/* ---- instructions ---- */

static int counter = -1; /* -1: there is none */

static void counter_open(void)
{
#if defined(__linux__)
    struct perf_event_attr attributes = {.type = PERF_TYPE_HARDWARE,
                                         .size = sizeof attributes,
                                         .config = PERF_COUNT_HW_INSTRUCTIONS,
                                         .exclude_kernel = 1,
                                         .exclude_hv = 1};
    counter = (int)syscall(SYS_perf_event_open, &attributes, 0, -1, -1, 0);
#endif
}

static long long counted(void)
{
    long long count = 0;
#if defined(__linux__)
    if (counter < 0 || read(counter, &count, sizeof count) != sizeof count)
        return 0;
#endif
    return count;
}

/* ---- what changes ---- */

enum change { NOTHING, ONE_TIME, ALL_TIMES, ONE_CAPACITY, PERIOD_ASKED };
static const char *const change_names[] = {"nothing", "one time", "all times", "one capacity", "one time; throughput"};

struct course {
    struct weir_pipeline *pipeline;
    struct weir_evaluator *evaluator;
    struct weir_random random;
    uint32_t best_permille;
    int64_t sum; /* so that nothing is optimised away */
};

static void change_time(struct course *c, uint32_t op)
{
    int64_t worst = weir_random_between(&c->random, 100, 1000);
    weir_evaluator_set_times(c->evaluator, (struct weir_operator){op}, worst * c->best_permille / 1000, worst, NULL);
}

static void change(struct course *c, enum change what)
{
    uint32_t operators = weir_pipeline_operator_count(c->pipeline), queues = weir_pipeline_queue_count(c->pipeline);
    if (what == ONE_TIME || what == PERIOD_ASKED)
        change_time(c, (uint32_t)weir_random_between(&c->random, 0, operators - 1));
    for (uint32_t i = 0; i < operators && what == ALL_TIMES; i++)
        change_time(c, i);
    if (what == ONE_CAPACITY)
        weir_evaluator_set_capacity(c->evaluator, (struct weir_queue){(uint32_t)weir_random_between(&c->random, 0, queues - 1)},
                                    (uint32_t)weir_random_between(&c->random, 1, 3), NULL);
}

static void ask(struct course *c, enum change what)
{
    struct weir_separation result;
    struct weir_ratio period;
    change(c, what);
    if (what == PERIOD_ASKED) {
        weir_evaluator_throughput(c->evaluator, &period, NULL);
        c->sum += period.numerator;
        return;
    }
    weir_evaluator_latency(c->evaluator, 0, &result, NULL);
    c->sum += result.value;
}

/* The same, by a pipeline sealed with the numbers of the evaluator. */
static void ask_anew(struct course *c, enum change what)
{
    struct weir_pipeline *copy = weir_pipeline_copy(c->pipeline, NULL);
    change(c, what);
    for (uint32_t i = 0; i < weir_pipeline_operator_count(copy); i++) {
        struct weir_operator_spec spec = weir_pipeline_operator(copy, (struct weir_operator){i});
        spec.best = weir_evaluator_best(c->evaluator, (struct weir_operator){i});
        spec.worst = weir_evaluator_worst(c->evaluator, (struct weir_operator){i});
        weir_pipeline_change_operator(copy, (struct weir_operator){i}, &spec, NULL);
    }
    for (uint32_t i = 0; i < weir_pipeline_queue_count(copy); i++) {
        struct weir_queue_spec spec = weir_pipeline_queue(copy, (struct weir_queue){i});
        spec.capacity = weir_evaluator_capacity(c->evaluator, (struct weir_queue){i});
        weir_pipeline_change_queue(copy, (struct weir_queue){i}, &spec, NULL);
    }
    weir_pipeline_seal(copy, NULL, NULL);
    struct weir_chain_spec chain = weir_pipeline_chain(copy, 0);
    if (what == PERIOD_ASKED) {
        struct weir_ratio period;
        weir_throughput(copy, chain.to, true, &period, NULL, NULL, NULL);
        c->sum += period.numerator;
    } else {
        struct weir_query query = {
            .from = {.op = chain.from, .moment = WEIR_START}, .to = {.op = chain.to, .moment = WEIR_FINISH}, .shift = chain.shift};
        struct weir_separation result;
        struct weir_solver *solver = weir_solver_new(copy, NULL);
        weir_separation_worst(solver, &query, &result, NULL);
        c->sum += result.value;
        weir_solver_free(solver);
    }
    weir_pipeline_free(copy);
}

/* ---- */

static double measure(struct course *c, enum change what, void (*one)(struct course *, enum change), double *instructions)
{
    double best = 1e9, begin = bench_seconds(CLOCK_MONOTONIC);
    unsigned repeat = 16;
    for (int round = 0; round < 50 && (round < 3 || bench_seconds(CLOCK_MONOTONIC) - begin < 0.3); round++) {
        long long before = counted();
        double t0 = bench_seconds(CLOCK_MONOTONIC);
        for (unsigned i = 0; i < repeat; i++)
            one(c, what);
        double t = (bench_seconds(CLOCK_MONOTONIC) - t0) / repeat;
        *instructions = (double)(counted() - before) / repeat;
        if (t * repeat < 2e-3) { /* too short to be timed */
            repeat *= 2;
            round = 0;
        }
        best = t < best ? t : best;
    }
    return best;
}

static void print_course(const char *name, struct weir_pipeline *pipeline, uint32_t best_permille)
{
    struct course c = {.pipeline = pipeline, .evaluator = weir_evaluator_new(pipeline, NULL), .best_permille = best_permille};
    weir_random_seed(&c.random, 1);
    for (enum change what = NOTHING; what <= PERIOD_ASKED; what++) {
        double instructions, other;
        weir_evaluator_reset(c.evaluator);
        for (uint32_t i = 0; i < weir_pipeline_operator_count(pipeline); i++)
            change_time(&c, i);
        double mine = measure(&c, what, ask, &instructions), anew = measure(&c, what, ask_anew, &other);
        printf("%-40s %-21s %10.0f/s %8.3f us %6.1fx", name, change_names[what], 1 / mine, mine * 1e6, anew / mine);
        if (counter >= 0)
            printf(" %8.0f instructions", instructions);
        printf("\n");
        fflush(stdout);
    }
    weir_evaluator_free(c.evaluator);
}

int main(void)
{
    static const uint32_t queues[] = {1, 3, 10}, best[] = {0, 500};
    counter_open();
    for (size_t q = 0; q < sizeof queues / sizeof *queues; q++)
        for (size_t b = 0; b < sizeof best / sizeof *best; b++) {
            struct weir_application_options options = {.queue = queues[q], .best_permille = best[b]};
            struct weir_pipeline *p;
            if (weir_generate_application("multi-ai-ultrasound", &options, &p, NULL))
                return 1;
            char name[64];
            snprintf(name, sizeof name, "multi-ai-ultrasound queue %u [%.1fw, w]", queues[q], best[b] / 1000.0);
            print_course(name, p, best[b]);
            weir_pipeline_free(p);
        }
    return 0;
}
