/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Many messages through pipelines of 1 to 64 operators: chains, forks that are joined again, loops. Every message carries its
 * number; every operator checks that each of its inputs counts on from 1. Threads that must wait spin, yield or sleep at once; and
 * where operators take random times, they wait now for messages and now for room, for a moment or for long. A wake-up that is
 * lost is a run that does not end. The argument is how many messages in all; the long test has 100 million of them.
 */
#include "support/stage.h"

#include "base/random.h"
#include "support/runner.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define OPERATORS 64

static int64_t messages_in_all = 300000;

/* By itself in lines of the caches. */
struct worker {
    _Alignas(128) int64_t taken;
    uint32_t loop_input; /* has one initial message, NULL; UINT32_MAX: none */
    bool delays;
    struct weir_random random;
};

/* From a few instructions to longer than any thread spins. */
static void delay(struct weir_random *random)
{
    int64_t kind = weir_random_between(random, 0, 31);
    if (kind == 0) {
        nanosleep(&(struct timespec){.tv_nsec = (long)weir_random_between(random, 1, 50000)}, NULL);
    } else if (kind < 4) {
        sched_yield();
    } else if (kind < 20) {
        int64_t limit = weir_random_between(random, 1, kind < 8 ? 20000 : 200);
        for (_Atomic int64_t i = 0; i < limit; i++) {
        }
    }
}

static int check_and_count(void *context, const struct weir_run_call *call)
{
    struct worker *w = context;
    if (w->delays)
        delay(&w->random);
    for (size_t i = 0; i < call->input_count; i++)
        if ((intptr_t)call->inputs[i].messages[0] != w->taken + 1 - (i == w->loop_input))
            return 1;
    w->taken++;
    for (size_t i = 0; i < call->output_count; i++)
        call->outputs[i].messages[0] = (void *)(intptr_t)w->taken;
    return call->execution + 1 == w->taken ? 0 : 2;
}

enum shape { CHAIN, FORK, LOOP };

static struct weir_pipeline *build(uint32_t operators, uint32_t capacity, enum shape shape, struct worker *workers)
{
    struct weir_pipeline *p = weir_pipeline_new(NULL);
    for (uint32_t i = 0; i < operators; i++) {
        char name[16];
        snprintf(name, sizeof name, "op%u", (unsigned)i);
        stage_operator(p, name, 0, 0);
        workers[i].loop_input = UINT32_MAX;
    }
    for (uint32_t i = 1; i < operators; i++) {
        uint32_t from = shape == FORK && i < operators - 1 ? 0 : i - 1;
        stage_queue(p, (struct weir_operator){from}, (struct weir_operator){i}, capacity, 0);
    }
    for (uint32_t i = 1; shape == FORK && i + 2 < operators; i++)
        stage_queue(p, (struct weir_operator){i}, (struct weir_operator){operators - 1}, capacity, 0);
    if (shape == LOOP && operators > 1) {
        stage_queue(p, (struct weir_operator){operators - 1}, (struct weir_operator){0}, capacity, 1);
        workers[0].loop_input = 0;
    }
    stage_seal(p);
    return p;
}

struct case_of {
    uint32_t operators, capacity;
    enum shape shape;
    int64_t iterations, spin_ns;
    bool delays;
};

static void pass(const struct case_of *c)
{
    static struct worker workers[OPERATORS];
    for (uint32_t i = 0; i < c->operators; i++) {
        workers[i] = (struct worker){.delays = c->delays};
        weir_random_seed(&workers[i].random, c->operators * 1000 + i);
    }
    struct weir_pipeline *p = build(c->operators, c->capacity, c->shape, workers);
    struct weir_run_options options = {
        .iterations = c->iterations, .work = WEIR_RUN_NOTHING, .measure = c->capacity == 3, .spin_ns = c->spin_ns};
    struct weir_run *run;
    struct weir_error error = {.status = WEIR_OK};
    assert_int_equal(weir_run_new(p, &options, &run, &error), WEIR_OK);
    for (uint32_t i = 0; i < c->operators; i++)
        assert_int_equal(weir_run_bind(run, (struct weir_operator){i}, check_and_count, &workers[i], &error), WEIR_OK);
    assert_int_equal(weir_run_start(run, &error), WEIR_OK);
    if (weir_run_wait(run, -1, NULL, &error))
        fail_msg("%u operators, queues of %u, shape %d: %s", (unsigned)c->operators, (unsigned)c->capacity, (int)c->shape,
                 error.message);
    for (uint32_t i = 0; i < c->operators; i++)
        assert_int_equal(workers[i].taken, c->iterations);
    for (uint32_t i = 0; i < weir_pipeline_queue_count(p); i++)
        assert_int_equal(weir_run_queue(run, (struct weir_queue){i}).taken, c->iterations);
    weir_run_free(run);
    weir_pipeline_free(p);
}

/* Of all executions together, `messages`. */
static void pass_all(int64_t messages, bool delays)
{
    static const uint32_t counts[] = {1, 2, 3, 4, 7, 16, 33, 64}, capacities[] = {1, 3, 128, WEIR_UNBOUNDED};
    static const int64_t spins[] = {0, -1, 20000};
    const size_t cases = sizeof counts / sizeof *counts * sizeof capacities / sizeof *capacities;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        for (size_t k = 0; k < sizeof capacities / sizeof *capacities; k++) {
            int64_t iterations = messages / (int64_t)cases / counts[i];
            pass(&(struct case_of){.operators = counts[i],
                                   .capacity = capacities[k],
                                   .shape = capacities[k] == WEIR_UNBOUNDED ? CHAIN : (enum shape)((i + k) % 3),
                                   .iterations = iterations > 0 ? iterations : 1,
                                   .spin_ns = spins[(i + 2 * k) % 3],
                                   .delays = delays});
        }
}

static void nothing_is_lost_or_reordered(void **state)
{
    (void)state;
    pass_all(messages_in_all, false);
}

static void no_wake_up_is_lost(void **state)
{
    (void)state;
    pass_all(messages_in_all / 5, true);
}

int run_stress_group(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_is_lost_or_reordered), cmocka_unit_test(no_wake_up_is_lost)};
    if (runner_argument(0))
        messages_in_all = strtoll(runner_argument(0), NULL, 10);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
