/* SPDX-License-Identifier: Apache-2.0 */
/* Evaluating lists of points: scores, the limit, stopping, what was asked before. */
#include "explore/arrange/score_cache.h"
#include "explore/team.h"

#include "unit/explore/exploring.h"

static struct weir_pipeline *model(void)
{
    return exploring_read("processors: [p]\noperators:\n  a: {time: 1, on: p, priority: 1}\n  b: {time: 2, on: p, priority: 2}\n"
                          "queue: auto\nqueues: [a -> b]\nsource: {operator: a, period: 10}\n");
}

static void judge(const void *context, const int64_t *point, const struct weir_candidate *answer, struct weir_score *score)
{
    (void)context;
    *score = (struct weir_score){{answer->kind, answer->kind == WEIR_CANDIDATE_BOUNDS ? answer->worst[0] : -1, point[0], 0}};
}

static struct weir_variable variable = {WEIR_VARIABLE_CAPACITY, 0};
static struct weir_priority_options analysis;

static struct weir_team *team_of(const struct weir_design_space *space, uint64_t limit, unsigned threads, const bool *stop)
{
    struct weir_team_options options = {
        .space = space, .analysis = &analysis, .judge = {judge, NULL}, .threads = threads, .evaluations = limit, .stop = stop};
    struct weir_team *team = weir_team_new(&options, NULL);
    assert_non_null(team);
    return team;
}

static void test_scores(void **state)
{
    (void)state;
    struct weir_pipeline *p = model();
    struct weir_design_space space = {p, &variable, 1};
    for (unsigned threads = 1; threads <= 4; threads++) {
        struct weir_team *team = team_of(&space, 100, threads, NULL);
        int64_t points[40];
        struct weir_score scores[40];
        size_t done;
        for (int i = 0; i < 40; i++)
            points[i] = i; /* 0 is no capacity */
        for (uint64_t round = 0; round < 3; round++) {
            assert_int_equal(weir_team_evaluate(team, points, 40, scores, &done, NULL), WEIR_OK);
            assert_int_equal(done, 40);
            assert_int_equal(weir_team_evaluations(team), 40); /* the second time they are known */
            assert_int_equal(scores[0].part[0], WEIR_CANDIDATE_IMPOSSIBLE);
            for (int i = 1; i < 40; i++) {
                assert_int_equal(scores[i].part[0], WEIR_CANDIDATE_BOUNDS);
                assert_int_equal(scores[i].part[1], 3);
                assert_int_equal(scores[i].part[2], i);
            }
        }
        assert_false(weir_team_ended(team));
        weir_team_free(team);
    }
    weir_pipeline_free(p);
}

static void test_limit(void **state)
{
    (void)state;
    struct weir_pipeline *p = model();
    struct weir_design_space space = {p, &variable, 1};
    for (unsigned threads = 1; threads <= 4; threads += 3) {
        struct weir_team *team = team_of(&space, 5, threads, NULL);
        int64_t points[] = {1, 2, 3, 1, 2, 4, 5, 6, 1};
        struct weir_score scores[9];
        size_t done;
        assert_int_equal(weir_team_evaluate(team, points, 3, scores, &done, NULL), WEIR_OK);
        assert_int_equal(done, 3);
        assert_int_equal(weir_team_left(team), 2);
        assert_int_equal(weir_team_evaluate(team, points, 9, scores, &done, NULL), WEIR_OK);
        assert_int_equal(done, 7);
        assert_int_equal(weir_team_evaluations(team), 5);
        assert_true(weir_team_ended(team));
        weir_team_free(team);
    }
    weir_pipeline_free(p);
}

static void test_stop(void **state)
{
    (void)state;
    struct weir_pipeline *p = model();
    struct weir_design_space space = {p, &variable, 1};
    bool stop = false;
    struct weir_team *team = team_of(&space, 100, 2, &stop);
    struct weir_score scores[2];
    size_t done;
    assert_int_equal(weir_team_evaluate(team, (const int64_t[]){1, 2}, 2, scores, &done, NULL), WEIR_OK);
    assert_int_equal(done, 2);
    assert_false(weir_team_stopped(team));
    __atomic_store_n(&stop, true, __ATOMIC_RELAXED);
    assert_int_equal(weir_team_evaluate(team, (const int64_t[]){2, 3}, 2, scores, &done, NULL), WEIR_OK);
    assert_int_equal(done, 1); /* known from before */
    assert_int_equal(weir_team_evaluations(team), 2);
    assert_true(weir_team_stopped(team));
    weir_team_free(team);
    weir_pipeline_free(p);
}

static void test_memo(void **state)
{
    (void)state;
    struct weir_score_cache memo = {.width = 2};
    for (int64_t i = 0; i < 1000; i++) {
        int64_t point[] = {i % 50, i / 50};
        assert_null(weir_score_cache_find(&memo, point));
        assert_true(weir_score_cache_add(&memo, point, &(struct weir_score){{i, 0, 0, 0}}));
    }
    for (int64_t i = 0; i < 1000; i++)
        assert_int_equal(weir_score_cache_find(&memo, (const int64_t[]){i % 50, i / 50})->part[0], i);
    assert_null(weir_score_cache_find(&memo, (const int64_t[]){50, 0}));
    weir_score_cache_free(&memo);
}

static void test_compare(void **state)
{
    (void)state;
    struct weir_score a = {{1, 2, 3, 4}}, b = {{1, 2, 4, 0}};
    assert_true(weir_score_compare(&a, &b) < 0);
    assert_true(weir_score_compare(&b, &a) > 0);
    assert_int_equal(weir_score_compare(&a, &a), 0);
}

int explore_team_group(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_scores), cmocka_unit_test(test_limit), cmocka_unit_test(test_stop),
                                       cmocka_unit_test(test_memo), cmocka_unit_test(test_compare)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
