/* SPDX-License-Identifier: Apache-2.0 */
/* Arrangements: all of them, their neighbours, where to begin; and what is best among them, by a second way. */
#include "explore/arrange/arrange.h"

#include "base/alloc.h"
#include "unit/explore/exploring.h"

#include <stdlib.h>
#include <string.h>

#define WIDE 32

static const char three_and_two[] = "processors: [p, q]\noperators:\n"
                                    "  a: {time: 1, on: p, priority: 30}\n  b: {time: 1, on: p, priority: 20}\n"
                                    "  c: {time: 1, on: p, priority: 10}\n  d: {time: 1, on: q, priority: 5}\n"
                                    "  e: {time: 1, on: q, priority: 5}\n"
                                    "queue: auto\nqueues: [a -> b -> c -> d -> e]\nsource: {operator: a, period: 10}\n";

static struct weir_arrangement *arrange(const struct weir_pipeline *p, const struct weir_explore_options *options)
{
    struct weir_arrangement *a = NULL;
    assert_int_equal(weir_arrangement_new(p, options, &a, NULL), WEIR_OK);
    assert_true(a->space.count <= WIDE);
    return a;
}

static int compare_points(const void *x, const void *y)
{
    return memcmp(x, y, WIDE * sizeof(int64_t));
}

/* All arrangements are different, and as many as there should be. */
static void check_all(const struct weir_pipeline *p, const struct weir_explore_options *options, size_t expected)
{
    struct weir_arrangement *a = arrange(p, options);
    assert_int_equal(weir_arrangement_count(a, 5000), expected);
    assert_int_equal(weir_arrangement_count(a, expected - 1), expected);
    uint32_t digits[WIDE] = {0};
    int64_t(*points)[WIDE] = calloc(expected, sizeof *points);
    assert_non_null(points);
    size_t count = 0;
    do {
        assert_true(count < expected);
        weir_arrangement_build(a, digits, points[count++]);
    } while (weir_arrangement_next(a, digits));
    assert_int_equal(count, expected);
    qsort(points, count, sizeof *points, compare_points);
    for (size_t i = 1; i < count; i++)
        assert_true(compare_points(points[i - 1], points[i]) != 0);
    free(points);
    weir_arrangement_free(a);
}

static void test_all(void **state)
{
    (void)state;
    struct weir_pipeline *p = stage_read(three_and_two);
    struct weir_explore_options priorities = {.goal = WEIR_EXPLORE_PRIORITIES}, mapping = {.goal = WEIR_EXPLORE_MAPPING};
    check_all(p, &priorities, 12); /* 3! 2! */
    check_all(p, &mapping, 720);   /* 5 in two lists: 2 * 3 * 4 * 5 * 6 */
    struct weir_operator pinned[] = {{0}, {1}, {2}, {3}};
    mapping.pinned = pinned;
    mapping.pinned_count = 4;
    check_all(p, &mapping, 2 * 6 + 24); /* e beside d, or among the three */
    struct weir_processor q = {1};
    mapping.processors = &q;
    mapping.processor_count = 1;
    check_all(p, &mapping, 12); /* e may not go to p */
    weir_pipeline_free(p);
}

static void test_model_is_a_point(void **state)
{
    (void)state;
    struct weir_pipeline *p = stage_read(three_and_two);
    struct weir_explore_options options = {.goal = WEIR_EXPLORE_MAPPING};
    struct weir_arrangement *a = arrange(p, &options);
    struct weir_random random;
    weir_random_seed(&random, 1);
    int64_t point[WIDE];
    assert_int_equal(weir_arrangement_start(a, 0, &random, point, NULL), WEIR_OK);
    const int64_t expected[] = {WEIR_UNCHANGED, 30, WEIR_UNCHANGED, 20, WEIR_UNCHANGED, 10,
                                WEIR_UNCHANGED, 2,  WEIR_UNCHANGED, 1}; /* equal priorities get an order */
    assert_memory_equal(point, expected, sizeof expected);
    assert_int_equal(weir_arrangement_distance(a, point), 0);
    weir_arrangement_free(a);
    weir_pipeline_free(p);
}

/* Every start is an arrangement: read back and written again it is the same, and with pins it keeps them. */
static void test_starts(void **state)
{
    (void)state;
    struct weir_pipeline *p = stage_read(three_and_two);
    struct weir_operator pinned = {3};
    struct weir_explore_options options = {.goal = WEIR_EXPLORE_MAPPING, .pinned = &pinned, .pinned_count = 1};
    struct weir_arrangement *a = arrange(p, &options);
    struct weir_random random;
    weir_random_seed(&random, 1);
    bool moved = false;
    for (uint32_t start = 0; start < 30; start++) {
        int64_t point[WIDE], again[WIDE];
        assert_int_equal(weir_arrangement_start(a, start, &random, point, NULL), WEIR_OK);
        weir_arrangement_read(a, point, &a->now);
        weir_arrangement_write(a, &a->now, again);
        assert_memory_equal(point, again, a->space.count * sizeof *point);
        assert_true(point[2 * 3] == WEIR_UNCHANGED);
        for (uint32_t s = 0; s < a->seat_count; s++)
            moved |= point[2 * s] != WEIR_UNCHANGED;
    }
    assert_true(moved);
    weir_arrangement_free(a);
    weir_pipeline_free(p);
}

/* From any arrangement, moves lead to every other. */
static void test_moves_reach_all(void **state)
{
    (void)state;
    struct weir_pipeline *p = stage_read(three_and_two);
    struct weir_explore_options options = {.goal = WEIR_EXPLORE_MAPPING};
    struct weir_arrangement *a = arrange(p, &options);
    static int64_t seen[720][WIDE];
    size_t count = 1;
    struct weir_random random;
    weir_random_seed(&random, 1);
    memset(seen, 0, sizeof seen);
    assert_int_equal(weir_arrangement_start(a, 0, &random, seen[0], NULL), WEIR_OK);
    for (size_t at = 0; at < count; at++) {
        uint64_t moves = weir_arrangement_moves(a, seen[at]);
        for (uint64_t number = 0; number < moves; number++) {
            int64_t next[WIDE] = {0};
            size_t known = 0;
            if (!weir_arrangement_move(a, number, next))
                continue;
            assert_true(compare_points(next, seen[at]) != 0);
            while (known < count && compare_points(next, seen[known]) != 0)
                known++;
            assert_true(known < 720);
            if (known == count)
                memcpy(seen[count++], next, sizeof next);
        }
    }
    assert_int_equal(count, 720);
    weir_arrangement_free(a);
    weir_pipeline_free(p);
}

/* ---- what is best ---- */

static void check_optimum(const struct weir_pipeline *p, enum weir_priority_method method)
{
    struct weir_explore_options options = {.goal = WEIR_EXPLORE_PRIORITIES, .method = method, .threads = 1};
    struct weir_exploration *e = exploring_run(p, &options);
    assert_true(e->complete);
    struct exploring_worth best = exploring_best_order(p, method), model = exploring_worth(p, e->before);
    struct exploring_worth found = exploring_worth(p, e->after ? e->after : e->before);
    assert_int_equal(e->pipeline != NULL, exploring_compare(best, model) < 0);
    if (e->pipeline)
        assert_int_equal(exploring_compare(found, best), 0);
    weir_exploration_free(e);
}

static void test_priorities_are_optimal(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 12; seed++) {
        struct weir_pipeline *p = exploring_random(seed, 1, 5, 2);
        check_optimum(p, seed % 2 ? WEIR_PRIORITY_EI : WEIR_PRIORITY_BEST);
        weir_pipeline_free(p);
    }
}

/* Eight on one processor are too many to try all; climbing from the usual starts finds what trying all finds. */
static void test_climbing(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 2; seed++) {
        struct weir_pipeline *p = exploring_random(seed, 1, 8, 1);
        struct weir_explore_options options = {
            .goal = WEIR_EXPLORE_PRIORITIES, .method = WEIR_PRIORITY_EI, .threads = 1, .seed = 1};
        struct weir_exploration *e = exploring_run(p, &options);
        assert_false(e->complete);
        assert_false(e->interrupted);
        assert_non_null(e->pipeline);
        struct exploring_worth best = exploring_best_order(p, WEIR_PRIORITY_EI), found = exploring_worth(p, e->after);
        assert_int_equal(best.missing, 0);
        assert_int_equal(exploring_compare(found, best), 0);
        assert_true(exploring_compare(best, exploring_worth(p, e->before)) < 0);
        weir_exploration_free(e);
        weir_pipeline_free(p);
    }
}

int explore_arrange_group(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_all),
                                       cmocka_unit_test(test_model_is_a_point),
                                       cmocka_unit_test(test_starts),
                                       cmocka_unit_test(test_moves_reach_all),
                                       cmocka_unit_test(test_priorities_are_optimal),
                                       cmocka_unit_test(test_climbing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
