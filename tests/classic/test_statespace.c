/* SPDX-License-Identifier: Apache-2.0 */
/* The exhaustive search: by hand, against the exact engine and brute force, and at its limits. */
#include "support/stage.h"

#include "baseline/statespace.h"
#include "sketch.h"
#include "support/oracle/brute.h"

#include <stdlib.h>
#include <string.h>

enum { GRAPHS = 400 };

static const struct weir_method_options none = {0};

static int64_t exact_value(const struct weir_pipeline *pipeline)
{
    struct weir_method_result result;
    assert_int_equal(weir_method_run(pipeline, WEIR_METHOD_EXACT, 0, NULL, &result, NULL), WEIR_OK);
    assert_int_equal(result.outcome, WEIR_EXACT);
    return result.value;
}

static struct weir_method_result search(const struct weir_pipeline *pipeline, enum weir_statespace_times times,
                                        const struct weir_method_options *options)
{
    struct weir_classic_chart chart;
    struct weir_method_result result = {0};
    assert_int_equal(weir_chart_extract(pipeline, 0, &chart, &result, NULL), WEIR_OK);
    assert_true(result.applicable);
    assert_int_equal(weir_statespace_search(&chart, times, options, &result, NULL), WEIR_OK);
    weir_chart_free(&chart);
    return result;
}

/* A takes 3, B takes 5. B takes message 0 at 3, when A starts message 1; from 8 on everything repeats every 5. */
TEST(test_by_hand)
{
    struct weir_pipeline *p = weir_pipeline_new(NULL);
    struct weir_operator a = stage_operator(p, "A", 3, 3), b = stage_operator(p, "B", 5, 5);
    stage_queue(p, a, b, 1, 0);
    stage_seal(p);
    struct weir_method_result r = search(p, WEIR_STATESPACE_ENDS, &none);
    assert_int_equal(r.outcome, WEIR_EXACT);
    assert_int_equal(r.value, 10);
    assert_int_equal(r.count, 2); /* A about to start: with nothing there, and with B about to run for 5 */
    assert_true(r.safe && r.exact);
    assert_non_null(strstr(r.note, "best or its worst"));
    weir_pipeline_free(p);
}

/* One operator: a message is in it from its start to its end. */
TEST(test_single)
{
    struct weir_pipeline *p = weir_pipeline_new(NULL);
    stage_operator(p, "A", 2, 7);
    stage_seal(p);
    assert_int_equal(search(p, WEIR_STATESPACE_ENDS, &none).value, 7);
    struct weir_method_result r = search(p, WEIR_STATESPACE_EVERY_TICK, &none);
    assert_int_equal(r.value, 7);
    assert_int_equal(r.count, 6); /* about to start; about to end or run on after 2, 3, 4, 5 and 6 */
    assert_non_null(strstr(r.note, "very whole number"));
    weir_pipeline_free(p);
}

/* Best cases of 0 let any number of iterations pass in no time. */
TEST(test_no_time)
{
    struct weir_pipeline *p = stage_chain(3, (int64_t[]){0, 0, 0}, 2);
    assert_int_equal(search(p, WEIR_STATESPACE_ENDS, &none).value, 0);
    weir_pipeline_free(p);
    p = stage_chain(3, (int64_t[]){2, 3, 5}, 2);
    assert_int_equal(search(p, WEIR_STATESPACE_ENDS, &none).value, exact_value(p));
    weir_pipeline_free(p);
}

TEST(test_against_exact)
{
    for (uint64_t seed = 0; seed < GRAPHS; seed++) {
        struct weir_random random;
        struct sketch sketch;
        weir_random_seed(&random, seed);
        struct sketch_shape shape = {.operators = (uint32_t)weir_random_between(&random, 2, 5),
                                     .worst_max = weir_random_between(&random, 1, 9),
                                     .zero_best = seed % 3 == 0,
                                     .capacity_max = 1 + seed % 2};
        sketch_draw(&sketch, &shape, &random);
        struct weir_pipeline *p = sketch_build(&sketch);
        assert_non_null(p);
        struct weir_method_result ends = search(p, WEIR_STATESPACE_ENDS, &none);
        struct weir_method_result ticks = search(p, WEIR_STATESPACE_EVERY_TICK, &none);
        assert_int_equal(ends.outcome, WEIR_EXACT);
        assert_int_equal(ends.value, exact_value(p));
        assert_int_equal(ticks.outcome, WEIR_EXACT);
        assert_int_equal(ticks.value, ends.value);
        assert_true(ticks.count >= ends.count);
        weir_pipeline_free(p);
    }
}

TEST(test_against_brute_force)
{
    int compared = 0;
    for (uint64_t seed = 0; seed < 100; seed++) {
        struct weir_random random;
        struct sketch sketch;
        struct weir_brute brute;
        weir_random_seed(&random, seed);
        struct sketch_shape shape = {.operators = 3, .worst_max = 20, .capacity_max = 1};
        sketch_draw(&sketch, &shape, &random);
        struct weir_pipeline *p = sketch_build(&sketch);
        struct weir_query query = weir_method_query(p, 0);
        if (weir_brute_separation(p, &query, 4, &brute)) {
            assert_true(search(p, WEIR_STATESPACE_ENDS, &none).value >= brute.max);
            compared += search(p, WEIR_STATESPACE_ENDS, &none).value == brute.max;
        }
        weir_pipeline_free(p);
    }
    assert_true(compared > 50); /* of those that four iterations are enough for */
}

/* More snapshots than any limit here. */
static struct weir_pipeline *big(void)
{
    static const int64_t worst[] = {1009, 9973, 7919, 8111, 6007, 9001, 4999, 7001};
    return stage_chain(sizeof worst / sizeof *worst, worst, 3);
}

static void check_bracket(const struct weir_method_options *options, const char *limit)
{
    struct weir_pipeline *p = big();
    struct weir_method_result r = search(p, WEIR_STATESPACE_ENDS, options);
    assert_int_equal(r.outcome, WEIR_BRACKET);
    assert_false(r.exact);
    assert_true(r.lower > 0 && r.lower <= exact_value(p));
    assert_true(r.upper == INT64_MAX);
    assert_non_null(strstr(r.note, limit));
    weir_pipeline_free(p);
}

/* Memory that counts itself: the size of a block stands in front of it. */
struct scale {
    uint64_t now, most;
};

static void *resize(void *context, void *old, size_t bytes)
{
    struct scale *scale = context;
    size_t *block = old ? (size_t *)old - 2 : NULL;
    uint64_t before = block ? block[0] : 0;
    if (scale->now + bytes > scale->most) /* the old block is there until the new one is filled */
        scale->most = scale->now + bytes;
    scale->now += bytes - before;
    if (bytes == 0) {
        free(block);
        return NULL;
    }
    block = realloc(block, bytes + 2 * sizeof *block);
    assert_non_null(block);
    block[0] = bytes;
    return block + 2;
}

TEST(test_memory_limit)
{
    struct scale scale = {0};
    weir_set_allocator(&(struct weir_allocator){resize, &scale});
    for (uint64_t limit = 1 << 16; limit <= 1 << 24; limit *= 4) {
        scale.most = 0;
        check_bracket(&(struct weir_method_options){.bytes = limit}, "limit of memory");
        assert_true(scale.most <= limit + 20000); /* the pipeline and its chart come on top */
        assert_true(scale.most >= limit / 4);
    }
    assert_int_equal(scale.now, 0);
    weir_set_allocator(NULL);
}

static void note_progress(void *context, unsigned permille)
{
    assert_true(permille <= 1000);
    ++*(int *)context;
}

TEST(test_limits)
{
    int calls = 0;
    check_bracket(&(struct weir_method_options){.limit = 20000, .progress = note_progress, .context = &calls}, "limit of states");
    assert_true(calls > 0);
    check_bracket(&(struct weir_method_options){.bytes = 100000}, "limit of memory");
    check_bracket(&(struct weir_method_options){.seconds = 1}, "limit of time");
    struct weir_pipeline *p = stage_chain(2, (int64_t[]){3, 5}, 1);
    uint64_t all = search(p, WEIR_STATESPACE_ENDS, &none).count;
    assert_int_equal(search(p, WEIR_STATESPACE_ENDS, &(struct weir_method_options){.limit = all}).outcome, WEIR_EXACT);
    assert_int_equal(search(p, WEIR_STATESPACE_ENDS, &(struct weir_method_options){.limit = all - 1}).outcome, WEIR_BRACKET);
    weir_pipeline_free(p);
}

/* Twice as many messages in flight as memory was made for at first, and times near the largest. */
TEST(test_large_numbers)
{
    int64_t large = INT64_C(1) << 50;
    struct weir_pipeline *p = weir_pipeline_new(NULL);
    struct weir_operator a = stage_operator(p, "A", 1, 1), b = stage_operator(p, "B", large, large);
    stage_queue(p, a, b, 40, 0);
    stage_seal(p);
    struct weir_method_result r = search(p, WEIR_STATESPACE_ENDS, &none);
    assert_int_equal(r.value, exact_value(p));
    assert_true(r.value > 40 * large);
    weir_pipeline_free(p);
}

static enum weir_status act(void *context)
{
    struct weir_method_result result;
    struct weir_error error;
    return weir_method_run(context, WEIR_METHOD_STATESPACE, 0, NULL, &result, &error);
}

TEST(test_memory)
{
    struct weir_pipeline *p = stage_chain(4, (int64_t[]){3, 5, 4, 2}, 2);
    assert_true(stage_fail_each_allocation(act, p) > 10);
    weir_pipeline_free(p);
}
