/* SPDX-License-Identifier: Apache-2.0 */
/* A sealed pipeline is immutable: threads that share it get the answers that one thread gets alone. ThreadSanitizer watches. */
#include "weir.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define THREADS 4
#define ROUNDS 20
#define OPERATORS 12

/* Everything that is asked of the pipeline; statuses are summed up, so that only threads that succeed agree. */
struct answers {
    int failures;
    int64_t worst[OPERATORS], simulated_end, replayed;
    struct weir_ratio period;
    bool certified;
};

struct worker {
    const struct weir_pipeline *pipeline;
    struct answers answers;
};

static void note_time(void *context, struct weir_operator op, enum weir_moment moment, int64_t iteration, int64_t time)
{
    (void)op, (void)moment, (void)iteration;
    struct answers *answers = context;
    answers->simulated_end = time;
}

static void ask_separations(const struct weir_pipeline *pipeline, struct answers *answers)
{
    struct weir_solver *solver = weir_solver_new(pipeline, NULL);
    answers->failures += !solver;
    if (!solver)
        return;
    struct weir_query query = {.from = {{0}, WEIR_START, 0}};
    for (uint32_t i = 0; i < OPERATORS; i++) {
        struct weir_separation result;
        query.to = (struct weir_event){{i}, WEIR_FINISH, 0};
        answers->failures += weir_separation_worst(solver, &query, &result, NULL) != WEIR_OK || result.outcome != WEIR_EXACT;
        answers->worst[i] = result.value;
    }
    struct weir_witness *witness = NULL;
    answers->failures += weir_separation_witness(solver, &query, &witness, NULL) != WEIR_OK;
    if (witness)
        answers->failures += weir_witness_replay(pipeline, witness, &answers->replayed, NULL) != WEIR_OK;
    weir_witness_free(witness);
    answers->failures +=
        weir_separation_certify(solver, &query, answers->worst[OPERATORS - 1], &answers->certified, NULL) != WEIR_OK;
    weir_solver_free(solver);
}

static struct answers ask(const struct weir_pipeline *pipeline)
{
    struct answers answers = {0};
    ask_separations(pipeline, &answers);
    struct weir_simulation_options options = {.iterations = 50, .times = WEIR_TIMES_RANDOM, .seed = 3, .observe = note_time};
    options.context = &answers;
    answers.failures += weir_simulate(pipeline, &options, NULL) != WEIR_OK;
    answers.failures +=
        weir_throughput(pipeline, (struct weir_operator){OPERATORS - 1}, true, &answers.period, NULL, NULL, NULL) != WEIR_OK;
    return answers;
}

static void *work(void *context)
{
    struct worker *worker = context;
    for (int round = 0; round < ROUNDS; round++)
        worker->answers = ask(worker->pipeline);
    return NULL;
}

static void assert_same(const struct answers *a, const struct answers *b)
{
    assert_int_equal(a->failures, b->failures);
    assert_memory_equal(a->worst, b->worst, sizeof a->worst);
    assert_int_equal(a->simulated_end, b->simulated_end);
    assert_int_equal(a->replayed, b->replayed);
    assert_int_equal(a->period.numerator, b->period.numerator);
    assert_int_equal(a->period.denominator, b->period.denominator);
    assert_int_equal(a->certified, b->certified);
}

static void threads_share_a_sealed_pipeline(void **state)
{
    (void)state;
    struct weir_generate_options options = {
        .nodes = OPERATORS, .seed = 5, .density_permille = 200, .best_permille = 500, .queue = 2};
    struct weir_pipeline *pipeline = NULL;
    assert_int_equal(weir_generate_holoscan(&options, &pipeline, NULL), WEIR_OK);
    assert_true(weir_pipeline_sealed(pipeline));
    struct answers alone = ask(pipeline);
    assert_int_equal(alone.failures, 0);
    assert_true(alone.certified);
    assert_int_equal(alone.replayed, alone.worst[OPERATORS - 1]);

    struct worker workers[THREADS];
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) {
        workers[i] = (struct worker){.pipeline = pipeline};
        assert_int_equal(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_same(&workers[i].answers, &alone);
    }
    weir_pipeline_free(pipeline);
}

/* ---- an analysis by several threads ---- */

static void assert_same_separation(const struct weir_separation *a, const struct weir_separation *b)
{
    assert_int_equal(a->outcome, b->outcome);
    assert_int_equal(a->value, b->value);
    assert_int_equal(a->lower, b->lower);
    assert_int_equal(a->upper, b->upper);
    assert_int_equal(a->relaxations, b->relaxations);
}

static void assert_same_analysis(const struct weir_pipeline *pipeline, const struct weir_analysis *a, const struct weir_analysis *b)
{
    assert_int_equal(a->latency_count, b->latency_count);
    for (size_t i = 0; i < a->latency_count; i++) {
        const struct weir_latency *l = &a->latencies[i], *m = &b->latencies[i];
        int64_t replayed[2] = {0, 0};
        assert_same_separation(&l->worst, &m->worst);
        assert_same_separation(&l->best, &m->best);
        assert_same_separation(&l->gap, &m->gap);
        assert_int_equal(l->verified, m->verified);
        assert_int_equal(!l->witness, !m->witness);
        assert_int_equal(!l->why, !m->why);
        if (l->why)
            assert_string_equal(l->why, m->why);
        if (l->witness) {
            assert_int_equal(weir_witness_replay(pipeline, l->witness, &replayed[0], NULL), WEIR_OK);
            assert_int_equal(weir_witness_replay(pipeline, m->witness, &replayed[1], NULL), WEIR_OK);
        }
        assert_int_equal(replayed[0], replayed[1]);
    }
    assert_int_equal(a->throughput.period.numerator, b->throughput.period.numerator);
    assert_int_equal(a->throughput.period.denominator, b->throughput.period.denominator);
}

static void grow(void *context, unsigned permille)
{
    unsigned *last = context;
    assert_true(permille >= *last && permille <= 1000);
    *last = permille;
}

/* Queues so deep that threads are worth their while from the beginning; and not, where the limit ends most searches at once. */
static void several_threads_say_what_one_says(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 3; seed++) {
        struct weir_generate_options generate = {
            .nodes = 40, .seed = seed, .density_permille = 100, .best_permille = 600, .queue = seed == 3 ? 40 : 400};
        struct weir_pipeline *pipeline = NULL;
        assert_int_equal(weir_generate_holoscan(&generate, &pipeline, NULL), WEIR_OK);
        struct weir_analysis *alone = NULL, *together = NULL;
        unsigned last = 0;
        struct weir_analyze_options options = {.threads = 1, .verify = seed == 1, .work_limit = seed == 2 ? 20000 : 0};
        assert_int_equal(weir_analyze(pipeline, &options, &alone, NULL), WEIR_OK);
        options.threads = THREADS;
        options.progress = grow;
        options.context = &last;
        assert_int_equal(weir_analyze(pipeline, &options, &together, NULL), WEIR_OK);
        assert_int_equal(last, 1000);
        assert_same_analysis(pipeline, alone, together);
        weir_analysis_free(alone);
        weir_analysis_free(together);
        weir_pipeline_free(pipeline);
    }
}

int threads_group(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(threads_share_a_sealed_pipeline),
                                       cmocka_unit_test(several_threads_say_what_one_says)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
