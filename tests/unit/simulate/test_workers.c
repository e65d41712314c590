/* SPDX-License-Identifier: Apache-2.0 */
/* Operators that share worker threads: schedules worked out by hand, and what every schedule has in common. */
#include "simulate/machine.h"
#include "support/random/pipeline.h"
#include "support/stage.h"

#include <string.h>

static const struct weir_operator A = {0}, B = {1}, C = {2}, D = {3};
static struct stage_trace trace;

static struct weir_workers_spec events(uint32_t workers)
{
    return (struct weir_workers_spec){.dispatch = WEIR_DISPATCH_EVENTS, .workers = workers};
}

static void set(struct weir_pipeline *p, struct weir_workers_spec spec)
{
    assert_int_equal(weir_pipeline_set_workers(p, &spec, NULL), WEIR_OK);
}

/* A chain as in stage_chain, but with workers. */
static struct weir_pipeline *chain(size_t count, const int64_t *worst, uint32_t capacity, struct weir_workers_spec spec)
{
    struct weir_pipeline *p = weir_pipeline_new(NULL);
    for (uint32_t i = 0; i < count; i++) {
        struct weir_operator op = stage_operator(p, (char[]){(char)('A' + i), 0}, 0, worst[i]);
        if (i > 0)
            stage_queue(p, (struct weir_operator){i - 1}, op, capacity, 0);
    }
    set(p, spec);
    stage_seal(p);
    return p;
}

static void play(const struct weir_pipeline *p, struct weir_workers_simulation options)
{
    memset(&trace, 0, sizeof trace);
    options.observe = stage_observe;
    options.context = options.context ? options.context : &trace;
    assert_int_equal(weir_workers_simulate(p, &options, NULL), WEIR_OK);
    assert_false(trace.disordered);
}

static struct weir_workers_simulation slow(int64_t iterations, enum weir_workers_order order)
{
    return (struct weir_workers_simulation){.iterations = iterations, .times = WEIR_TIMES_WORST, .order = order};
}

/* ---- by hand ---- */

static size_t last_of_them(void *context, const struct weir_operator *ready, size_t count, int64_t time)
{
    (void)context;
    assert_true(time >= trace.last);
    for (size_t i = 1; i < count; i++)
        assert_true(ready[i].index > ready[i - 1].index);
    return count - 1;
}

/* A 2, B 3, C 1. A queue of 1 is full until B starts; with 2, A may be ahead. */
TEST(one_worker)
{
    struct weir_pipeline *p = chain(3, (const int64_t[]){2, 3, 1}, 1, events(1));
    play(p, slow(4, WEIR_ORDER_MODEL)); /* at 5, A has been ready since 2 and C since 5 */
    assert_times(&trace, WEIR_START, A, 0, 5, 11, 17);
    assert_times(&trace, WEIR_START, B, 2, 8, 14);
    assert_times(&trace, WEIR_FINISH, C, 8, 14);
    play(p, slow(3, WEIR_ORDER_NEWEST));
    assert_times(&trace, WEIR_START, A, 0, 6, 12);
    assert_times(&trace, WEIR_START, B, 2, 8);
    assert_times(&trace, WEIR_FINISH, C, 6, 12);
    weir_pipeline_free(p);
    p = chain(3, (const int64_t[]){2, 3, 1}, 2, events(1));
    play(p, slow(4, WEIR_ORDER_MODEL));
    assert_times(&trace, WEIR_START, A, 0, 2, 7, 12);
    assert_times(&trace, WEIR_START, B, 4, 9);
    assert_times(&trace, WEIR_START, C, 14);
    play(p, slow(4, WEIR_ORDER_OLDEST)); /* at 12, A has been ready since 9 and C since 7 */
    assert_times(&trace, WEIR_START, A, 0, 2, 7, 13);
    assert_times(&trace, WEIR_START, B, 4, 9);
    assert_times(&trace, WEIR_START, C, 12);
    weir_pipeline_free(p);
}

/* Three branches of a fork for two workers: A can go on when all three have begun. */
TEST(two_workers)
{
    static const struct weir_operator branches[] = {{1}, {2}, {3}};
    struct weir_pipeline *p = weir_pipeline_new(NULL);
    stage_operator(p, "A", 0, 1);
    stage_operator(p, "B", 0, 10);
    stage_operator(p, "C", 0, 4);
    stage_operator(p, "D", 0, 5);
    for (int i = 0; i < 3; i++)
        stage_queue(p, A, branches[i], 1, 0);
    set(p, events(2));
    stage_seal(p);
    play(p, slow(3, WEIR_ORDER_MODEL));
    assert_times(&trace, WEIR_START, A, 0, 10, 20);
    assert_times(&trace, WEIR_START, B, 1, 11);
    assert_times(&trace, WEIR_START, C, 1, 11);
    assert_times(&trace, WEIR_START, D, 5, 15);
    struct weir_workers_simulation options = slow(3, WEIR_ORDER_GIVEN);
    options.pick = last_of_them;
    play(p, options);
    assert_times(&trace, WEIR_START, A, 0, 6, 16);
    assert_times(&trace, WEIR_START, B, 5, 15);
    assert_times(&trace, WEIR_START, C, 1, 12);
    assert_times(&trace, WEIR_START, D, 1, 7);
    weir_pipeline_free(p);
}

/* A and C have one thread, B another. At 6, A has been ready since then, and C since 5. */
TEST(a_lane)
{
    struct weir_pipeline *whole = chain(3, (const int64_t[]){2, 3, 1}, 2, events(0)), *p = weir_pipeline_copy(whole, NULL);
    for (uint32_t i = 0; i < 3; i += 2) {
        struct weir_operator_spec spec = weir_pipeline_operator(p, (struct weir_operator){i});
        spec.lane = "one";
        assert_int_equal(weir_pipeline_change_operator(p, (struct weir_operator){i}, &spec, NULL), WEIR_OK);
    }
    weir_pipeline_free(whole);
    stage_seal(p);
    play(p, slow(4, WEIR_ORDER_MODEL));
    assert_times(&trace, WEIR_START, A, 0, 2, 4, 6);
    assert_times(&trace, WEIR_START, B, 2, 5, 8);
    play(p, slow(4, WEIR_ORDER_OLDEST));
    assert_times(&trace, WEIR_START, A, 0, 2, 4, 7);
    assert_times(&trace, WEIR_START, C, 6);
    weir_pipeline_free(p);
}

TEST(order_as_given)
{
    struct weir_pipeline *p = chain(3, (const int64_t[]){2, 3, 1}, 1, events(1));
    struct weir_workers_simulation options = slow(3, WEIR_ORDER_GIVEN);
    options.pick = last_of_them; /* A B C A B C: downstream first */
    play(p, options);
    assert_times(&trace, WEIR_START, A, 0, 6, 12);
    assert_times(&trace, WEIR_START, B, 2, 8, 14);
    assert_times(&trace, WEIR_FINISH, C, 6, 12, 18);
    weir_pipeline_free(p);
}

/* From the sink to the source: the thread comes to a consumer a round after its producer. */
TEST(greedy_goes_round)
{
    struct weir_workers_spec greedy = {.dispatch = WEIR_DISPATCH_GREEDY, .workers = 1};
    struct weir_pipeline *p = weir_pipeline_new(NULL);
    stage_operator(p, "sink", 0, 1);
    stage_operator(p, "middle", 0, 3);
    stage_operator(p, "source", 0, 2);
    stage_queue(p, C, B, 1, 0);
    stage_queue(p, B, A, 1, 0);
    set(p, greedy);
    stage_seal(p);
    play(p, slow(4, WEIR_ORDER_RANDOM));
    /* source 0..2 | middle 2..5 source 5..7 | sink 7..8 middle 8..11 source 11..13 | sink 13..14 ... */
    assert_times(&trace, WEIR_START, C, 0, 5, 11, 17);
    assert_times(&trace, WEIR_START, B, 2, 8, 14);
    assert_times(&trace, WEIR_FINISH, A, 8, 14);
    weir_pipeline_free(p);
    p = chain(3, (const int64_t[]){2, 3, 1}, 1, greedy); /* in the order of the data: one message at a time */
    play(p, slow(3, WEIR_ORDER_RANDOM));
    assert_times(&trace, WEIR_START, A, 0, 6, 12);
    assert_times(&trace, WEIR_FINISH, C, 6, 12, 18);
    weir_pipeline_free(p);
}

TEST(polling_makes_late)
{
    struct weir_workers_spec polled = {.dispatch = WEIR_DISPATCH_POLLED, .polling = 5};
    struct weir_pipeline *p = chain(2, (const int64_t[]){2, 3}, 1, polled);
    play(p, slow(4, WEIR_ORDER_OLDEST));
    /* A is ready at 0 and seen at 5; B is ready at 7 and seen at 12, which makes room for A. */
    assert_times(&trace, WEIR_START, A, 5, 17, 29);
    assert_times(&trace, WEIR_START, B, 12, 24);
    struct weir_workers_simulation best = slow(3, WEIR_ORDER_OLDEST);
    best.times = WEIR_TIMES_BEST;
    play(p, best);
    assert_int_equal(trace.last, 0);
    weir_pipeline_free(p);
}

/* ---- a worker each is a thread each ---- */

static struct weir_pipeline *random_workers(uint64_t seed, struct weir_random *random)
{
    weir_random_seed(random, seed);
    struct weir_pipeline *base = weir_random_pipeline(random, (enum weir_flavour)(seed % WEIR_FLAVOURS));
    struct weir_pipeline *p = weir_pipeline_copy(base, NULL);
    weir_pipeline_free(base);
    for (uint32_t i = 0; i < weir_pipeline_operator_count(p); i++) {
        struct weir_operator_spec spec = weir_pipeline_operator(p, (struct weir_operator){i});
        spec.reentrant = false;
        assert_int_equal(weir_pipeline_change_operator(p, (struct weir_operator){i}, &spec, NULL), WEIR_OK);
    }
    return p;
}

TEST(enough_workers_are_threads)
{
    static struct stage_trace threads;
    enum { N = 40 };
    for (uint64_t seed = 0; seed < 400; seed++) {
        struct weir_random random;
        struct weir_pipeline *p = random_workers(seed, &random);
        uint32_t n = weir_pipeline_operator_count(p);
        set(p, events(seed / 4 % 3 == 0 ? 0 : n + (uint32_t)(seed % 2)));
        stage_seal(p);
        memset(&threads, 0, sizeof threads);
        struct weir_simulation_options expected = {
            .iterations = N, .times = WEIR_TIMES_BANG_BANG, .seed = seed, .observe = stage_observe, .context = &threads};
        assert_int_equal(weir_simulate(p, &expected, NULL), WEIR_OK);
        play(p, (struct weir_workers_simulation){
                    .iterations = N, .times = WEIR_TIMES_BANG_BANG, .order = (enum weir_workers_order)(seed % 4), .seed = seed});
        bool complete = false;
        for (uint32_t op = 0; op < n; op++)
            for (int moment = WEIR_START; moment <= WEIR_ARRIVAL; moment++)
                for (int64_t i = 0; i < trace.seen[moment][op]; i++) {
                    complete |= moment == WEIR_START && i == N - 1;
                    if (i < N) /* an arrival after the last start */
                        assert_int_equal(trace.at[moment][op][i], threads.at[moment][op][i]);
                }
        assert_true(complete);
        weir_pipeline_free(p);
    }
}

/* ---- with fewer, in every schedule ---- */

struct log {
    const struct weir_pipeline *pipeline;
    uint32_t workers;
    uint32_t busy, most;
    int64_t starts[STAGE_OPERATORS], finishes[STAGE_OPERATORS];
    int64_t now;
    bool wrong, idle;
};

/* Not executing, messages there, room there; without late receives and periods. */
static bool is_ready(const struct log *l, uint32_t op)
{
    if (l->starts[op] > l->finishes[op])
        return false;
    for (uint32_t i = 0; i < weir_pipeline_queue_count(l->pipeline); i++) {
        struct weir_queue_spec q = weir_pipeline_queue(l->pipeline, (struct weir_queue){i});
        if (q.to.index == op && l->finishes[q.from.index] + q.initial <= l->starts[op])
            return false;
        if (q.from.index == op && l->starts[op] + q.initial >= l->starts[q.to.index] + q.capacity)
            return false;
    }
    return true;
}

static void watch(void *context, struct weir_operator op, enum weir_moment moment, int64_t iteration, int64_t time)
{
    struct log *l = context;
    bool waiting = false;
    for (uint32_t i = 0; i < weir_pipeline_operator_count(l->pipeline); i++)
        waiting |= is_ready(l, i);
    l->idle |= time > l->now && waiting && l->busy < l->workers;
    l->now = time;
    if (moment == WEIR_START) {
        l->wrong |= !is_ready(l, op.index) || l->starts[op.index] != iteration;
        l->starts[op.index]++;
        l->busy++;
    } else {
        l->finishes[op.index]++;
        l->busy--;
    }
    l->most = l->busy > l->most ? l->busy : l->most;
}

TEST(no_worker_is_idle)
{
    uint64_t full = 0, crowded = 0;
    for (uint64_t seed = 0; seed < 600; seed++) {
        struct weir_random random;
        struct weir_pipeline *p = random_workers(seed * WEIR_FLAVOURS + WEIR_FLAVOUR_INTERVALS, &random);
        uint32_t n = weir_pipeline_operator_count(p), m = 1 + (uint32_t)(seed % n);
        bool greedy = seed % 5 == 0;
        set(p, greedy ? (struct weir_workers_spec){.dispatch = WEIR_DISPATCH_GREEDY, .workers = 1} : events(m));
        stage_seal(p);
        struct log l = {.pipeline = p, .workers = greedy ? 1 : m};
        struct weir_workers_simulation options = {.iterations = 50,
                                                  .times = (enum weir_times)(seed % WEIR_TIMES_GIVEN),
                                                  .order = (enum weir_workers_order)(seed / 4 % WEIR_ORDER_GIVEN),
                                                  .seed = seed,
                                                  .observe = watch,
                                                  .context = &l};
        assert_int_equal(weir_workers_simulate(p, &options, NULL), WEIR_OK);
        assert_false(l.wrong);
        assert_false(l.idle);
        assert_true(l.most <= l.workers);
        full += l.most == l.workers;
        crowded += l.workers < n;
        weir_pipeline_free(p);
    }
    assert_true(full > 300 && crowded > 300);
}

TEST(seeds)
{
    struct weir_pipeline *p = chain(4, (const int64_t[]){20, 30, 10, 25}, 2, events(2));
    struct weir_workers_simulation options = {.iterations = 60, .times = WEIR_TIMES_RANDOM, .seed = 7};
    play(p, options);
    uint64_t first = trace.hash;
    play(p, options);
    assert_true(trace.hash == first);
    options.seed = 8;
    play(p, options);
    assert_true(trace.hash != first);
    weir_pipeline_free(p);
}

/* ---- what is refused ---- */

static int64_t negative(void *context, struct weir_operator op, enum weir_part part, int64_t iteration)
{
    (void)context, (void)op, (void)part;
    return iteration < 3 ? 1 : -1;
}

static int64_t endless(void *context, struct weir_operator op, enum weir_part part, int64_t iteration)
{
    (void)context, (void)op, (void)part, (void)iteration;
    return INT64_MAX / 2;
}

static size_t nobody(void *context, const struct weir_operator *ready, size_t count, int64_t time)
{
    (void)context, (void)ready, (void)time;
    return count;
}

static void expect(const struct weir_pipeline *p, struct weir_workers_simulation options, enum weir_status status)
{
    struct weir_error error = {0};
    assert_int_equal(weir_workers_simulate(p, &options, &error), status);
    assert_int_equal(error.status, status);
    assert_true(error.message[0]);
}

TEST(wrong_options)
{
    struct weir_pipeline *p = chain(2, (const int64_t[]){2, 3}, 1, events(1));
    expect(p, slow(0, WEIR_ORDER_MODEL), WEIR_INVALID);
    expect(p, slow(5, WEIR_ORDER_GIVEN), WEIR_INVALID);
    expect(p, slow(5, (enum weir_workers_order)17), WEIR_INVALID);
    struct weir_workers_simulation options = slow(5, WEIR_ORDER_GIVEN);
    options.pick = nobody;
    expect(p, options, WEIR_INVALID);
    options = slow(5, WEIR_ORDER_MODEL);
    options.times = WEIR_TIMES_GIVEN;
    expect(p, options, WEIR_INVALID);
    options.given = negative;
    expect(p, options, WEIR_INVALID);
    options.given = endless;
    expect(p, options, WEIR_OVERFLOW);
    options.times = (enum weir_times)9;
    expect(p, options, WEIR_INVALID);
    weir_pipeline_free(p);
}

TEST(reentrant_operators)
{
    struct weir_pipeline *p = weir_pipeline_new(NULL);
    struct weir_operator_spec spec = {.name = "A", .worst = 4, .reentrant = true};
    assert_int_equal(weir_pipeline_add_operator(p, &spec, NULL, NULL), WEIR_OK);
    stage_seal(p);
    expect(p, slow(3, WEIR_ORDER_MODEL), WEIR_INVALID);
    weir_pipeline_free(p);
}

static int64_t too_late(void *context, struct weir_operator op, int64_t iteration)
{
    (void)context, (void)op, (void)iteration;
    return 6;
}

static int64_t one_tick(void *context, struct weir_operator op, enum weir_part part, int64_t iteration)
{
    (void)context, (void)op, (void)part, (void)iteration;
    return 1;
}

TEST(seen_too_late)
{
    struct weir_workers_spec polled = {.dispatch = WEIR_DISPATCH_POLLED, .polling = 5};
    struct weir_pipeline *p = chain(2, (const int64_t[]){2, 3}, 1, polled);
    struct weir_machine_crews crews = {.delay = too_late};
    struct weir_machine_rules rules = {.iterations = 3, .time_of = one_tick, .crews = &crews};
    assert_int_equal(weir_machine_run(p, &rules, NULL), WEIR_INVALID);
    crews.delay = NULL;
    assert_int_equal(weir_machine_run(p, &rules, NULL), WEIR_OK);
    weir_pipeline_free(p);
}

static enum weir_status run_out(void *context)
{
    struct weir_workers_simulation options = {
        .iterations = 5, .times = WEIR_TIMES_RANDOM, .order = WEIR_ORDER_GIVEN, .pick = last_of_them};
    memset(&trace, 0, sizeof trace);
    return weir_workers_simulate(context, &options, NULL);
}

TEST(out_of_memory)
{
    struct weir_pipeline *p = chain(3, (const int64_t[]){2, 3, 1}, 1, events(2));
    assert_int_equal(stage_fail_each_allocation(run_out, p), 14);
    weir_pipeline_free(p);
}

/* ---- connections that do not wait ---- */

static void note_loss(void *context, struct weir_queue queue, int64_t time)
{
    (void)time;
    ++((int64_t *)context)[queue.index];
}

/* One worker, A 2 and B 3 by turns: the queue of one that throws away what it has no room for never fills up; with a worker for
 * each, every third message finds it full. */
TEST(losses_on_few_workers)
{
    for (uint32_t workers = 1; workers <= 2; workers++) {
        struct weir_pipeline *p = weir_pipeline_new(NULL);
        stage_operator(p, "A", 2, 2);
        stage_operator(p, "B", 3, 3);
        struct weir_queue_spec queue = {.from = A, .to = B, .capacity = 1, .nonblocking = true, .full = WEIR_FULL_REJECT};
        assert_int_equal(weir_pipeline_add_queue(p, &queue, NULL, NULL), WEIR_OK);
        set(p, events(workers));
        stage_seal(p);
        int64_t lost[1] = {0};
        struct weir_age_options ages = {.run = {.context = lost}, .from = &A, .from_count = 1, .lost = note_loss};
        struct weir_workers_simulation options = slow(300, WEIR_ORDER_GIVEN);
        options.pick = last_of_them;
        options.ages = &ages;
        options.observe = stage_observe;
        options.context = &trace;
        memset(&trace, 0, sizeof trace);
        assert_int_equal(weir_workers_simulate(p, &options, NULL), WEIR_OK);
        assert_times(&trace, WEIR_START, A, 0, workers == 1 ? 5 : 2);
        assert_true(workers == 1 ? lost[0] == 0 : lost[0] > 100 && lost[0] <= 150);
        weir_pipeline_free(p);
    }
}
