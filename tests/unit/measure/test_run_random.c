/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Many short runs of random pipelines: 1 to 64 operators, queues of any kind and size, loops, batches, transfers, periods;
 * functions that fail; stops at any moment, also before the start; threads that spin or do not, with membarrier and with fences.
 * Whatever happens the run ends, and every message is taken in its order, lost, or handed to `discard`. Arguments: how many runs,
 * first seed.
 */
#include "base/random.h"
#include "measure/run/run.h"
#include "support/runner.h"
#include "support/stage.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define OPERATORS 64
#define QUEUES 256

static int64_t runs = 150;
static uint64_t first_seed = 1;

struct line {
    struct weir_queue_spec spec;
    intptr_t sent;        /* the producer's */
    intptr_t taken, last; /* the consumer's */
    _Atomic intptr_t discarded;
};

struct scene {
    struct weir_random random;
    struct weir_pipeline *pipeline;
    struct line lines[QUEUES];
    uint32_t operators, queues;
    uint32_t failing;
    int64_t fails_at; /* -1: nobody fails */
    bool lossy;
    bool disordered[OPERATORS];
};
static struct scene scene;

static int64_t draw(int64_t low, int64_t high)
{
    return weir_random_between(&scene.random, low, high);
}

static bool one_in(int64_t n)
{
    return draw(1, n) == 1;
}

static bool keeps_all(const struct weir_queue_spec *q)
{
    return !q->optional && !q->latest && !q->nonblocking;
}

static int handle(void *context, const struct weir_run_call *call)
{
    struct scene *s = context;
    bool *disordered = &s->disordered[call->op.index];
    for (size_t i = 0; i < call->input_count; i++) {
        const struct weir_run_input *in = &call->inputs[i];
        struct line *line = &s->lines[in->queue.index];
        for (uint32_t k = 0; k < in->count && !in->again; k++) {
            intptr_t message = (intptr_t)in->messages[k];
            if (!message) { /* an initial one */
                *disordered = *disordered || line->last;
                continue;
            }
            *disordered = *disordered || message <= line->last || (keeps_all(&line->spec) && message != line->last + 1);
            line->last = message;
            line->taken++;
        }
    }
    if (call->op.index == s->failing && call->execution == s->fails_at)
        return 7;
    for (size_t i = 0; i < call->output_count; i++) {
        s->lines[call->outputs[i].queue.index].sent++;
        call->outputs[i].messages[0] = (void *)(intptr_t)(call->execution + 1);
    }
    return 0;
}

static void discard(void *context, void *message)
{
    struct line *line = context;
    (void)message;
    atomic_fetch_add(&line->discarded, 1);
}

static void add_line(uint32_t from, uint32_t to, bool back)
{
    static const uint32_t capacities[] = {1, 1, 2, 3, 17, WEIR_UNBOUNDED};
    struct weir_queue_spec q = {.from = {from}, .to = {to}, .capacity = capacities[draw(0, 5)]};
    if (scene.queues == QUEUES)
        return;
    if (back || one_in(10))
        q.initial = (uint32_t)draw(1, q.capacity == WEIR_UNBOUNDED || q.capacity > 3 ? 3 : q.capacity);
    if (!back && one_in(12) && q.capacity > 1)
        q.consume = 2;
    if (one_in(10) && !q.consume) {
        q.latest = true;
        q.initial = 0;
        q.capacity = 1;
    } else if (one_in(10) && !q.consume) {
        q.optional = true;
    } else if (one_in(8) && q.capacity != WEIR_UNBOUNDED) {
        q.nonblocking = true;
        q.full = one_in(2) ? WEIR_FULL_POP : WEIR_FULL_REJECT;
    } else if (one_in(10)) {
        q.transfer_max = draw(1, 30);
    }
    if (weir_pipeline_add_queue(scene.pipeline, &q, NULL, NULL))
        return;
    scene.lossy = scene.lossy || !keeps_all(&q);
    scene.lines[scene.queues++] = (struct line){.spec = q};
}

/* False: not a pipeline that can go on. */
static bool build(uint64_t seed)
{
    scene = (struct scene){.fails_at = -1};
    weir_random_seed(&scene.random, seed);
    scene.pipeline = weir_pipeline_new(NULL);
    assert_int_equal(weir_pipeline_set_unit(scene.pipeline, WEIR_UNIT_US, 0, NULL), WEIR_OK);
    scene.operators = (uint32_t)(one_in(10) ? draw(1, OPERATORS) : draw(1, 9));
    for (uint32_t i = 0; i < scene.operators; i++) {
        char name[16];
        snprintf(name, sizeof name, "op%u", (unsigned)i);
        stage_operator(scene.pipeline, name, 0, 0);
    }
    for (uint32_t i = 1; i < scene.operators; i++) {
        add_line((uint32_t)draw(0, i - 1), i, false);
        if (one_in(3))
            add_line((uint32_t)draw(0, i - 1), i, false);
        if (one_in(6))
            add_line(i, (uint32_t)draw(0, i), true);
    }
    if (one_in(4))
        stage_period(scene.pipeline, (struct weir_operator){0}, draw(1, 50), (enum weir_arrivals)draw(0, 3));
    struct weir_errors *errors = weir_errors_new();
    enum weir_status status = weir_pipeline_seal(scene.pipeline, NULL, errors);
    weir_errors_free(errors);
    return status == WEIR_OK;
}

static void check(struct weir_run *run, uint64_t seed, bool stops, int64_t iterations)
{
    struct weir_run_outcome result = weir_run_result(run);
    bool whole = !stops && scene.fails_at < 0;
    /* Where a message is lost in a loop, or one that someone else waits for besides, nobody can go on. */
    bool stuck = scene.lossy && result.end == WEIR_RUN_STANDSTILL;
    bool cut = !whole && (result.end == WEIR_RUN_STOPPED || result.end == WEIR_RUN_FAILED);
    if (result.end != WEIR_RUN_COMPLETE && !stuck && !cut)
        fail_msg("seed %llu: %s", (unsigned long long)seed, result.description);
    for (uint32_t i = 0; i < scene.operators; i++) {
        struct weir_operator op = {i};
        if (scene.disordered[i])
            fail_msg("seed %llu: operator %u took something out of order", (unsigned long long)seed, (unsigned)i);
        if (whole && !scene.lossy)
            assert_int_equal(weir_run_operator(run, op).executions, iterations * weir_pipeline_firings(scene.pipeline, op));
    }
    weir_run_free(run);
    for (uint32_t i = 0; i < scene.queues; i++) {
        const struct line *line = &scene.lines[i];
        if (!line->spec.latest && line->sent != line->taken + line->discarded)
            fail_msg("seed %llu, queue %u: %ld sent, %ld taken, %ld discarded", (unsigned long long)seed, (unsigned)i,
                     (long)line->sent, (long)line->taken, (long)line->discarded);
        if (line->spec.latest)
            assert_int_equal(line->sent, line->discarded);
    }
}

static void run_once(uint64_t seed)
{
    int64_t iterations = draw(1, scene.operators > 9 ? 60 : 400), pause = draw(0, 400);
    bool stops = one_in(3), early = one_in(8);
    if (one_in(4)) {
        scene.failing = (uint32_t)draw(0, scene.operators - 1);
        scene.fails_at = draw(0, iterations);
    }
    struct weir_run_options options = {.iterations = iterations,
                                       .work = WEIR_RUN_NOTHING,
                                       .measure = one_in(2),
                                       .records = one_in(2) ? (size_t)draw(1, 100) : 0,
                                       .spin_ns = draw(-1, 1) * 2000,
                                       .duration_ns = stops && one_in(4) ? draw(1, 400000) : 0};
    options.records_newest = one_in(2);
    struct weir_run *run;
    struct weir_error error;
    assert_int_equal(weir_run_new(scene.pipeline, &options, &run, &error), WEIR_OK);
    run->group.fences = one_in(2);
    for (uint32_t i = 0; i < scene.operators; i++)
        assert_int_equal(weir_run_bind(run, (struct weir_operator){i}, handle, &scene, &error), WEIR_OK);
    for (uint32_t i = 0; i < scene.queues; i++)
        assert_int_equal(weir_run_discard(run, (struct weir_queue){i}, discard, &scene.lines[i], &error), WEIR_OK);
    if (stops && early)
        weir_run_stop(run);
    assert_int_equal(weir_run_start(run, &error), WEIR_OK);
    if (stops && !options.duration_ns) {
        struct timespec t = {.tv_nsec = pause * 1000};
        nanosleep(&t, NULL);
        weir_run_stop(run);
    }
    weir_run_wait(run, -1, NULL, &error);
    check(run, seed, stops, iterations);
}

static void every_run_ends_and_loses_nothing(void **state)
{
    (void)state;
    int64_t done = 0;
    for (uint64_t seed = first_seed; done < runs; seed++) {
        assert_true(seed < first_seed + 100 * (uint64_t)runs);
        alarm(900); /* a run that hangs uses no CPU; no busy machine needs so long for one that does not */
        if (build(seed)) {
            run_once(seed);
            done++;
        }
        weir_pipeline_free(scene.pipeline);
    }
    alarm(0);
}

int run_random_group(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_run_ends_and_loses_nothing)};
    if (runner_argument(0))
        runs = strtoll(runner_argument(0), NULL, 10);
    if (runner_argument(1))
        first_seed = strtoull(runner_argument(1), NULL, 10);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
