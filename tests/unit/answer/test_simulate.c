/* SPDX-License-Identifier: Apache-2.0 */
/* Distributions and their histograms; simulated answers of every engine. */
#include "answer/distribution.h"
#include "base/number.h"
#include "support/stage.h"

#include <stdlib.h>
#include <string.h>

static struct weir_distribution describe(struct weir_samples *samples, struct weir_ratio low, struct weir_ratio high,
                                         struct weir_arena *arena)
{
    struct weir_distribution d = {0};
    assert_true(weir_samples_describe(samples, low, high, arena, &d));
    return d;
}

/* Percentiles by rank; the last bin ends at the bound, and no bin lies beyond it. */
TEST(percentiles_and_bins)
{
    struct weir_samples samples = {.kept_max = 1000};
    struct weir_arena arena = {0};
    for (int64_t i = 100; i > 0; i--)
        weir_samples_add(&samples, i);
    struct weir_distribution d = describe(&samples, (struct weir_ratio){1, 1}, (struct weir_ratio){117, 1}, &arena);
    assert_int_equal(d.count, 100);
    assert_int_equal(d.median.numerator, 50);
    assert_int_equal(d.p99.numerator, 99);
    assert_int_equal(d.bin_width, 10);
    assert_int_equal(d.bin_count, 12);
    assert_int_equal(d.bins[0].count, 9);
    assert_int_equal(d.bins[11].to.numerator, 117);
    int64_t sum = 0;
    for (size_t i = 0; i < d.bin_count; i++)
        sum += d.bins[i].count;
    assert_int_equal(sum, 100);
    d = describe(&samples, (struct weir_ratio){0, 0}, (struct weir_ratio){60, 1}, &arena); /* a bound that is exceeded */
    assert_int_equal(d.bins[d.bin_count - 1].to.numerator, 100);
    assert_int_equal(weir_samples_above(&samples, (struct weir_ratio){60, 1}), 40);
    weir_samples_free(&samples);
    weir_arena_free(&arena);
}

/* Thirds and quarters of a tick get a common scale; an offset is added to all. */
TEST(ratios)
{
    struct weir_samples samples = {.kept_max = 10, .offset = {1, 2}};
    struct weir_arena arena = {0};
    weir_samples_add_ratio(&samples, (struct weir_ratio){7, 3});
    weir_samples_add_ratio(&samples, (struct weir_ratio){5, 4});
    struct weir_distribution d = describe(&samples, (struct weir_ratio){0, 0}, (struct weir_ratio){9, 2}, &arena);
    assert_int_equal(weir_ratio_compare(d.min, (struct weir_ratio){7, 4}), 0);
    assert_int_equal(weir_ratio_compare(d.max, (struct weir_ratio){17, 6}), 0);
    assert_int_equal(weir_samples_compare_max(&samples, (struct weir_ratio){17, 6}), 0);
    assert_int_equal(weir_ratio_compare(d.bins[d.bin_count - 1].to, (struct weir_ratio){9, 2}), 0);
    assert_int_equal(weir_ratio_compare(weir_samples_mean(&samples), (struct weir_ratio){43, 24}), 0);
    weir_samples_free(&samples);
    weir_arena_free(&arena);
}

/* Of more than can be kept, a selection; minimum and maximum are of all. */
TEST(selection)
{
    struct weir_samples samples = {.kept_max = 50, .random = 3};
    struct weir_arena arena = {0};
    for (int64_t i = 0; i < 10000; i++)
        weir_samples_add(&samples, i);
    struct weir_distribution d = describe(&samples, (struct weir_ratio){0, 0}, (struct weir_ratio){0, 0}, &arena);
    assert_int_equal(d.kept, 50);
    assert_int_equal(d.count, 10000);
    assert_int_equal(d.max.numerator, 9999);
    assert_in_range(d.median.numerator, 2000, 8000);
    weir_samples_free(&samples);
    weir_arena_free(&arena);
}

static const char *const models[] = {
    "operators: {a: [1, 3], b: [2, 4]}\nqueues: [a -> b]\n",
    "operators: {a: 1, b: 1}\nqueues: [{from: a, to: b, consume: 2}]\n",
    "operators: {a: 10, b: 23}\nqueues: [{from: a, to: b, blocking: false, full: pop}]\n",
    "platform: {scheduler: event-based, workers: 1}\noperators: {a: [1, 2], b: [1, 4]}\nqueues: [a -> b]\n",
    "operators: {a: {time: [1, 2], on: p, priority: 1}, b: {time: 3, on: p, priority: 2}}\nqueue: auto\nqueues: [a -> b]\n"
    "sources: [{operator: a, period: 10, jitter: 15}]\n",
    "platform: {cores: 2}\noperators: {a: [1, 2], b: 3}\nqueues: [{from: a, to: b, consume: 3}]\n"
    "source: {operator: a, period: 10, batch: 2}\n",
    "platform: {gpu: {sms: 3, min-time: 1}}\nkernels: {a: 2, b: 2, c: 3}\ndependencies: [a -> c]\n",
};

/* Every engine: values were seen, all of them within the bound, and the same again with the same seed. */
TEST(every_engine)
{
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        struct weir_pipeline *pipeline = stage_read(models[i]);
        struct weir_simulate_options options = {.seed = 5, .runs = 12};
        struct weir_answer *first = NULL, *second = NULL;
        struct weir_error error = {0};
        if (weir_answer_simulate(pipeline, &options, &first, &error) != WEIR_OK)
            fail_msg("%s", error.message);
        assert_int_equal(weir_answer_simulate(pipeline, &options, &second, NULL), WEIR_OK);
        for (size_t b = 0; b < weir_answer_bound_count(first); b++) {
            const struct weir_bound *bound = weir_answer_bound(first, b);
            const struct weir_distribution *d = bound->observed, *e = weir_answer_bound(second, b)->observed;
            assert_true(d->count > 0);
            assert_int_equal(d->beyond, 0);
            if (bound->worst.high.denominator)
                assert_true(weir_ratio_compare(d->max, bound->worst.high) <= 0);
            assert_int_equal(weir_ratio_compare(d->median, e->median), 0);
        }
        weir_answer_free(first);
        weir_answer_free(second);
        weir_pipeline_free(pipeline);
    }
}

/* Options that do not go with the engine, or name nothing, are refused by name. */
TEST(refused)
{
    const struct {
        size_t model;
        struct weir_simulate_options options;
        const char *words;
    } cases[] = {
        {0, {.releases = "burst"}, "releases: the option is for shared processors"},
        {0, {.times = "wrost"}, "times: expected random, best, worst or bang-bang, not 'wrost'; did you mean 'worst'?"},
        {4, {.cores = 2}, "cores: the option is for a pool of cores"},
        {5, {.releases = "burst"}, "releases: for a pool of cores"},
        {6, {.iterations = 4}, "iterations: "},
        {6, {.times = "best"}, "times: kernels may end at once"},
        {6, {.dispatch = "fifa"}, "did you mean 'fifo'?"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct weir_pipeline *pipeline = stage_read(models[cases[i].model]);
        struct weir_answer *answer = NULL;
        struct weir_error error = {0};
        assert_int_equal(weir_answer_simulate(pipeline, &cases[i].options, &answer, &error), WEIR_INVALID);
        assert_null(answer);
        if (!strstr(error.message, cases[i].words))
            fail_msg("%s", error.message);
        weir_pipeline_free(pipeline);
    }
}

/* Whoever asks can end a simulation of any engine; what is asked later is not ended. */
TEST(interrupted)
{
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        struct weir_pipeline *pipeline = stage_read(models[i]);
        struct weir_answer *answer = NULL;
        struct weir_error error = {0};
        bool stop = true;
        assert_null(weir_interrupt_watch(&stop));
        assert_int_equal(weir_answer_simulate(pipeline, NULL, &answer, &error), WEIR_INVALID);
        assert_null(answer);
        assert_string_equal(error.message, "interrupted");
        assert_ptr_equal(weir_interrupt_watch(NULL), &stop);
        weir_pipeline_free(pipeline);
    }
}
