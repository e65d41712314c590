/* SPDX-License-Identifier: Apache-2.0 */
/* Evaluating lists of points: scores, the limit, stopping, what was asked before. */
#include "explore/arrange/score.h"

#include "unit/explore/exploring.h"

static struct weir_pipeline *model(void)
{
    return stage_read("processors: [p]\noperators:\n  a: {time: 1, on: p, priority: 1}\n  b: {time: 2, on: p, priority: 2}\n"
                      "queue: auto\nqueues: [a -> b]\nsource: {operator: a, period: 10}\n");
}

static void judge(const void *context, const int64_t *point, const struct weir_candidate *answer, struct weir_score *score)
{
    (void)context;
    *score = (struct weir_score){{answer->kind, answer->kind == WEIR_CANDIDATE_BOUNDS ? answer->worst[0] : -1, point[0], 0}};
}

static struct weir_variable variable = {WEIR_VARIABLE_CAPACITY, 0};
static struct weir_priority_options analysis;

static struct weir_scorer scorer_of(const struct weir_design_space *space, uint64_t limit,
                                    const struct weir_explore_options *options)
{
    return (struct weir_scorer){.space = space, .analysis = &analysis, .options = options, .judge = {judge, NULL}, .limit = limit};
}

static void test_scores(void **state)
{
    (void)state;
    struct weir_pipeline *p = model();
    struct weir_design_space space = {p, &variable, 1};
    enum { COUNT = WEIR_SCORER_LIST };
    for (unsigned threads = 1; threads <= 4; threads++) {
        struct weir_explore_options options = {.threads = threads};
        struct weir_scorer scorer = scorer_of(&space, 100, &options);
        int64_t points[COUNT];
        struct weir_score scores[COUNT];
        size_t done;
        for (int i = 0; i < COUNT; i++)
            points[i] = i; /* 0 is no capacity */
        for (uint64_t round = 0; round < 3; round++) {
            assert_int_equal(weir_scorer_score(&scorer, points, COUNT, scores, &done, NULL), WEIR_OK);
            assert_int_equal(done, COUNT);
            assert_int_equal(scorer.evaluations, COUNT); /* the second time they are known */
            assert_int_equal(scores[0].part[0], WEIR_CANDIDATE_IMPOSSIBLE);
            for (int i = 1; i < COUNT; i++) {
                assert_int_equal(scores[i].part[0], WEIR_CANDIDATE_BOUNDS);
                assert_int_equal(scores[i].part[1], 3);
                assert_int_equal(scores[i].part[2], i);
            }
        }
        assert_false(scorer.ended);
        weir_scorer_free(&scorer);
    }
    weir_pipeline_free(p);
}

static void test_limit(void **state)
{
    (void)state;
    struct weir_pipeline *p = model();
    struct weir_design_space space = {p, &variable, 1};
    for (unsigned threads = 1; threads <= 4; threads += 3) {
        struct weir_explore_options options = {.threads = threads};
        struct weir_scorer scorer = scorer_of(&space, 5, &options);
        int64_t points[] = {1, 2, 3, 1, 2, 4, 5, 6, 1};
        struct weir_score scores[9];
        size_t done;
        assert_int_equal(weir_scorer_score(&scorer, points, 3, scores, &done, NULL), WEIR_OK);
        assert_int_equal(done, 3);
        assert_int_equal(scorer.evaluations, 3);
        assert_int_equal(weir_scorer_score(&scorer, points, 9, scores, &done, NULL), WEIR_OK);
        assert_int_equal(done, 7);
        assert_int_equal(scorer.evaluations, 5);
        assert_true(scorer.ended);
        weir_scorer_free(&scorer);
    }
    weir_pipeline_free(p);
}

static void test_stop(void **state)
{
    (void)state;
    struct weir_pipeline *p = model();
    struct weir_design_space space = {p, &variable, 1};
    bool stop = false;
    struct weir_explore_options options = {.threads = 2, .stop = &stop};
    struct weir_scorer scorer = scorer_of(&space, 100, &options);
    struct weir_score scores[2];
    size_t done;
    assert_int_equal(weir_scorer_score(&scorer, (const int64_t[]){1, 2}, 2, scores, &done, NULL), WEIR_OK);
    assert_int_equal(done, 2);
    assert_false(weir_scorer_stopped(&scorer));
    __atomic_store_n(&stop, true, __ATOMIC_RELAXED);
    assert_int_equal(weir_scorer_score(&scorer, (const int64_t[]){2, 3}, 2, scores, &done, NULL), WEIR_OK);
    assert_int_equal(done, 1); /* known from before */
    assert_int_equal(scorer.evaluations, 2);
    assert_true(weir_scorer_stopped(&scorer));
    weir_scorer_free(&scorer);
    weir_pipeline_free(p);
}

static void test_compare(void **state)
{
    (void)state;
    struct weir_score a = {{1, 2, 3, 4}}, b = {{1, 2, 4, 0}};
    assert_true(weir_score_compare(&a, &b) < 0);
    assert_true(weir_score_compare(&b, &a) > 0);
    assert_int_equal(weir_score_compare(&a, &a), 0);
}

int explore_scorer_group(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_scores), cmocka_unit_test(test_limit), cmocka_unit_test(test_stop),
                                       cmocka_unit_test(test_compare)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
