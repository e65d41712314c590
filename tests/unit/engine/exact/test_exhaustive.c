/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Batches, work on a GPU and transfers against every possible execution: small random pipelines, every whole time of every part
 * within its interval, by the simulator, which knows nothing of arcs. Nothing exceeds the answer; and where the witness lies within
 * the iterations that were tried, the answer is reached.
 */
#include "asking.h"
#include "base/random.h"

#include <string.h>

enum { CHOICES = 5000, PARTS = 48, EXECUTIONS = 64, PIPELINES = 260 };

/* The parts with a choice, one digit for each of their executions. */
struct trial {
    const struct weir_pipeline *pipeline;
    int64_t rounds;
    struct digit {
        uint32_t op;
        enum weir_part part;
        int64_t execution, low, high, now;
    } digits[PARTS];
    size_t count;
    struct weir_query query;
    int64_t start[EXECUTIONS], finish[EXECUTIONS]; /* of query.from and query.to, by execution */
    int64_t most, least;
};

static struct weir_pipeline *draw(struct weir_random *random)
{
    struct weir_pipeline *p = weir_pipeline_new(NULL);
    uint32_t n = (uint32_t)weir_random_between(random, 2, 4), uncertain = 0;
    static const char *const names[] = {"a", "b", "c", "d"};
    for (uint32_t i = 0; i < n; i++) {
        struct weir_launch launch = {.worst = weir_random_between(random, 0, 6)};
        struct weir_operator_spec spec = {.name = names[i], .worst = weir_random_between(random, 0, 5)};
        bool free = uncertain < 3 && weir_random_between(random, 0, 1);
        spec.best = free ? spec.worst - weir_random_between(random, 0, spec.worst < 2 ? spec.worst : 2) : spec.worst;
        uncertain += spec.best < spec.worst;
        spec.launch = weir_random_between(random, 0, 2) ? &launch : NULL;
        free = spec.launch && uncertain < 3 && weir_random_between(random, 0, 1);
        launch.best = free ? launch.worst - weir_random_between(random, 0, launch.worst < 2 ? launch.worst : 2) : launch.worst;
        uncertain += free && launch.best < launch.worst;
        launch.waits = weir_random_between(random, 0, 1);
        launch.after_best = launch.after_worst = launch.waits ? weir_random_between(random, 0, 2) : 0;
        launch.stream = weir_random_between(random, 0, 3) ? NULL : "s";
        assert_int_equal(weir_pipeline_add_operator(p, &spec, NULL, NULL), WEIR_OK);
    }
    for (uint32_t i = 0; i + 1 < n; i++) {
        struct weir_queue_spec q = {.from = {i}, .to = {i + 1}};
        q.consume = (uint32_t)(weir_random_between(random, 0, 2) ? 1 : weir_random_between(random, 2, 3));
        q.initial = weir_random_between(random, 0, 4) ? 0 : (uint32_t)weir_random_between(random, 1, 2);
        q.capacity = q.consume + (uint32_t)weir_random_between(random, 0, 2) + q.initial;
        q.transfer_min = q.transfer_max = weir_random_between(random, 0, 4) ? 0 : weir_random_between(random, 1, 4);
        assert_int_equal(weir_pipeline_add_queue(p, &q, NULL, NULL), WEIR_OK);
    }
    if (weir_random_between(random, 0, 3) == 0 && n > 2) { /* refused where the rates do not allow it */
        struct weir_queue_spec q = {.to = {n - 1}, .capacity = 4};
        assert_int_equal(weir_pipeline_add_queue(p, &q, NULL, NULL), WEIR_OK);
    }
    if (weir_random_between(random, 0, 3) == 0) {
        struct weir_source_spec s = {.period = weir_random_between(random, 1, 9),
                                     .arrivals =
                                         weir_random_between(random, 0, 1) ? WEIR_ARRIVALS_CATCH_UP : WEIR_ARRIVALS_AT_MOST};
        assert_int_equal(weir_pipeline_add_source(p, &s, NULL), WEIR_OK);
    }
    if (weir_pipeline_seal(p, NULL, NULL)) {
        weir_pipeline_free(p);
        return NULL;
    }
    return p;
}

static void add_digits(struct trial *t, uint32_t op, enum weir_part part, int64_t low, int64_t high)
{
    int64_t firings = weir_pipeline_firings(t->pipeline, (struct weir_operator){op});
    for (int64_t i = 0; i < t->rounds * firings && low < high && t->count < PARTS; i++)
        t->digits[t->count++] = (struct digit){op, part, i, low, high, low};
}

/* How many executions of the pipeline there are in so many rounds, if fewer than CHOICES; else 0. */
static int64_t lay_out(struct trial *t, int64_t rounds)
{
    int64_t all = 1;
    t->rounds = rounds;
    t->count = 0;
    for (uint32_t o = 0; o < weir_pipeline_operator_count(t->pipeline); o++) {
        struct weir_operator_spec spec = weir_pipeline_operator(t->pipeline, (struct weir_operator){o});
        add_digits(t, o, WEIR_PART_EXECUTION, spec.best, spec.worst);
        if (spec.launch)
            add_digits(t, o, WEIR_PART_GPU, spec.launch->best, spec.launch->worst);
        if (rounds * weir_pipeline_firings(t->pipeline, (struct weir_operator){o}) > EXECUTIONS)
            return 0;
    }
    for (size_t i = 0; i < t->count && all < CHOICES; i++)
        all *= t->digits[i].high - t->digits[i].low + 1;
    return t->count == PARTS || all >= CHOICES ? 0 : all;
}

static int64_t given(void *context, struct weir_operator op, enum weir_part part, int64_t execution)
{
    const struct trial *t = context;
    struct weir_operator_spec spec = weir_pipeline_operator(t->pipeline, op);
    for (size_t i = 0; i < t->count; i++)
        if (t->digits[i].op == op.index && t->digits[i].part == part && t->digits[i].execution == execution)
            return t->digits[i].now;
    if (part == WEIR_PART_TRANSFER) /* there is one queue to each operator with a transfer, and its time is fixed */
        for (uint32_t q = 0; q < weir_pipeline_queue_count(t->pipeline); q++) {
            struct weir_queue_spec queue = weir_pipeline_queue(t->pipeline, (struct weir_queue){q});
            if (queue.to.index == op.index && queue.transfer_max)
                return queue.transfer_max;
        }
    return part == WEIR_PART_EXECUTION ? spec.worst : part == WEIR_PART_GPU ? spec.launch->worst : spec.launch->after_worst;
}

static void observe(void *context, struct weir_operator op, enum weir_moment moment, int64_t execution, int64_t time)
{
    struct trial *t = context;
    if (op.index == t->query.from.op.index && moment == WEIR_START && execution < EXECUTIONS)
        t->start[execution] = time;
    if (op.index == t->query.to.op.index && moment == WEIR_FINISH && execution < EXECUTIONS)
        t->finish[execution] = time;
}

static bool next(struct trial *t)
{
    for (size_t i = 0; i < t->count; i++) {
        if (++t->digits[i].now <= t->digits[i].high)
            return true;
        t->digits[i].now = t->digits[i].low;
    }
    return false;
}

static void try_all(struct trial *t)
{
    struct weir_simulation_options options = {
        .iterations = t->rounds, .times = WEIR_TIMES_GIVEN, .given = given, .observe = observe, .context = t};
    int64_t from_firings = weir_pipeline_firings(t->pipeline, t->query.from.op),
            to_firings = weir_pipeline_firings(t->pipeline, t->query.to.op);
    t->most = INT64_MIN;
    t->least = INT64_MAX;
    do {
        struct weir_error error = {.message = ""};
        memset(t->start, 0xff, sizeof t->start);
        memset(t->finish, 0xff, sizeof t->finish);
        if (weir_simulate(t->pipeline, &options, &error))
            fail_msg("%s", error.message);
        for (int64_t i = 0; i + t->query.shift < t->rounds; i++) {
            int64_t start = t->start[i * from_firings + t->query.from.firing];
            int64_t finish = t->finish[(i + t->query.shift) * to_firings + t->query.to.firing];
            assert_true(start >= 0 && finish >= 0);
            t->most = finish - start > t->most ? finish - start : t->most;
            t->least = finish - start < t->least ? finish - start : t->least;
        }
    } while (next(t));
}

/* Which execution of the last operator handles what turn `turn` of the first sends: message by message. */
static void aim(struct trial *t, uint32_t firing)
{
    const struct weir_pipeline *p = t->pipeline;
    uint32_t n = weir_pipeline_operator_count(p), last = n - 1;
    int64_t execution[4] = {firing, INT64_MAX, INT64_MAX, INT64_MAX};
    for (uint32_t o = 0; o < n; o++) /* queues lead to later operators only */
        for (uint32_t q = 0; q < weir_pipeline_queue_count(p); q++) {
            struct weir_queue_spec queue = weir_pipeline_queue(p, (struct weir_queue){q});
            int64_t taken =
                queue.from.index == o ? (execution[o] + queue.initial) / (queue.consume ? queue.consume : 1) : INT64_MAX;
            execution[queue.to.index] = taken < execution[queue.to.index] ? taken : execution[queue.to.index];
        }
    int64_t firings = weir_pipeline_firings(p, (struct weir_operator){last});
    t->query = (struct weir_query){.from = {.op = {0}, .moment = WEIR_START, .firing = firing},
                                   .to = {.op = {last}, .moment = WEIR_FINISH, .firing = (uint32_t)(execution[last] % firings)},
                                   .shift = execution[last] / firings};
}

struct tally {
    int pipelines, questions, reached, unbounded, launches, batches;
};

static int64_t witness_end(const struct weir_pipeline *p, const struct weir_query *query)
{
    struct weir_solver *solver = weir_solver_new(p, NULL);
    struct weir_witness *witness;
    assert_int_equal(weir_separation_witness(solver, query, &witness, NULL), WEIR_OK);
    int64_t end = witness->iteration + (query->shift > 0 ? query->shift : 0);
    weir_witness_free(witness);
    weir_solver_free(solver);
    return end;
}

static void ask_one(struct trial *t, struct tally *tally)
{
    struct weir_separation result = ask(t->pipeline, &t->query);
    try_all(t);
    if (t->most == INT64_MIN)
        return;
    tally->questions++;
    if (result.outcome == WEIR_NO_BOUND) {
        tally->unbounded++;
        return;
    }
    int64_t worst = ask_exact(t->pipeline, &t->query);
    assert_true(t->most <= worst);
    if (witness_end(t->pipeline, &t->query) < t->rounds) {
        assert_int_equal(t->most, worst);
        tally->reached++;
    }
    struct weir_query back = {.from = t->query.to, .to = t->query.from, .shift = -t->query.shift};
    if (ask(t->pipeline, &back).outcome == WEIR_EXACT)
        assert_true(t->least >= -ask_exact(t->pipeline, &back));
}

static void test_every_time(void **state)
{
    (void)state;
    struct tally tally = {0};
    struct weir_random random;
    weir_random_seed(&random, 8);
    while (tally.pipelines < PIPELINES) {
        struct weir_pipeline *p = draw(&random);
        struct trial t = {.pipeline = p};
        int64_t rounds = 0;
        while (p && rounds < 8 && lay_out(&t, rounds + 1))
            rounds++;
        for (uint32_t firing = 0; rounds > 0 && firing < weir_pipeline_firings(p, (struct weir_operator){0}); firing++) {
            assert_true(lay_out(&t, rounds) > 0);
            aim(&t, firing);
            ask_one(&t, &tally);
        }
        for (uint32_t o = 0; rounds > 0 && o < weir_pipeline_operator_count(p); o++) {
            tally.launches += weir_pipeline_operator(p, (struct weir_operator){o}).launch != NULL;
            tally.batches += weir_pipeline_firings(p, (struct weir_operator){o}) > 1;
        }
        tally.pipelines += rounds > 0;
        weir_pipeline_free(p);
    }
    print_message("%d questions, %d reached, %d without bound\n", tally.questions, tally.reached, tally.unbounded);
    assert_true(tally.reached > PIPELINES / 2);
    assert_true(tally.unbounded > 0 && tally.launches > PIPELINES / 2 && tally.batches > PIPELINES / 4);
}

int exhaustive_group(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_time)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
