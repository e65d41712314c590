/* SPDX-License-Identifier: Apache-2.0 */
/* Units, and ticks that hold every number exactly. */
#include "reading.h"
#include "support/runner.h"

TEST(whole_numbers_without_a_unit_are_ticks)
{
    struct weir_pipeline *p = reading("operators: {a: 5, b: [0, 7]}\nqueues: [a -> b]", NULL);
    assert_int_equal(weir_pipeline_unit(p), WEIR_UNIT_TICK);
    assert_int_equal(weir_pipeline_digits(p), 0);
    assert_times(p, "a", 5, 5);
    assert_times(p, "b", 0, 7);
    weir_pipeline_free(p);
}

TEST(decimals_are_kept)
{
    struct weir_pipeline *p = reading("unit: ms\noperators: {a: 4.25, b: [1.5, 33.3ms], c: 7us}\nqueues: [a -> b -> c]", NULL);
    assert_int_equal(weir_pipeline_unit(p), WEIR_UNIT_MS);
    assert_int_equal(weir_pipeline_digits(p), 3);
    assert_times(p, "a", 4250, 4250);
    assert_times(p, "b", 1500, 33300);
    assert_times(p, "c", 7, 7);
    weir_pipeline_free(p);
}

TEST(digits_are_no_more_than_needed)
{
    struct weir_pipeline *p =
        reading("unit: ms\noperators: {a: 4.500, b: 100.0, c: 0ns, d: 2e1, e: 3000us}\nqueues: [a -> b -> c -> d -> e]", NULL);
    assert_int_equal(weir_pipeline_digits(p), 1);
    assert_times(p, "a", 45, 45);
    assert_times(p, "b", 1000, 1000);
    assert_times(p, "c", 0, 0);
    assert_times(p, "d", 200, 200);
    assert_times(p, "e", 30, 30);
    weir_pipeline_free(p);
}

TEST(the_finest_suffix_is_the_unit)
{
    struct weir_pipeline *p = reading("operators: {a: 5ms, b: [0, 2.5us], c: 1s}\nqueues: [a -> b -> c]", NULL);
    assert_int_equal(weir_pipeline_unit(p), WEIR_UNIT_US);
    assert_int_equal(weir_pipeline_digits(p), 1);
    assert_times(p, "a", 50000, 50000);
    assert_times(p, "b", 0, 25);
    assert_times(p, "c", 10000000, 10000000);
    weir_pipeline_free(p);
}

TEST(micro_has_two_signs)
{
    struct weir_pipeline *p = reading("unit: \xc2\xb5s\noperators: {a: 5 \xce\xbcs, b: 1 ms}\nqueues: [a -> b]", NULL);
    assert_int_equal(weir_pipeline_unit(p), WEIR_UNIT_US);
    assert_times(p, "a", 5, 5);
    assert_times(p, "b", 1000, 1000);
    weir_pipeline_free(p);
}

TEST(periods_and_deadlines_count_too)
{
    struct weir_pipeline *p = reading("unit: ms\noperators: {a: 5, b: 1}\nqueues: [a -> b]\n"
                                      "source: {operator: a, period: 33.3333}\ndeadlines: [{from: a, to: b, within: 0.00005s}]",
                                      NULL);
    assert_int_equal(weir_pipeline_digits(p), 4);
    assert_int_equal(weir_pipeline_source(p, 0).period, 333333);
    assert_int_equal(weir_pipeline_chain(p, 0).deadline, 500);
    weir_pipeline_free(p);
}

TEST(times_to_be_asked_make_the_tick_finer)
{
    const char *text = "unit: ms\noperators: {a: 5, b: 1}\nqueues: [a -> b]";
    struct weir_read_options options = {.extra_times = "33.3,7us"};
    struct weir_pipeline *p = reading(text, &options);
    assert_int_equal(weir_pipeline_digits(p), 3);
    assert_times(p, "a", 5000, 5000);
    int64_t ticks = 0;
    assert_int_equal(weir_time_parse(p, "7us", &ticks, NULL), WEIR_OK);
    assert_int_equal(ticks, 7);
    weir_pipeline_free(p);
}

TEST(times_to_be_asked_that_cannot_be_held_do_no_harm)
{
    static const char *const extras[] = {"soon", "1e-30", "", ",", "5tick", "1e-18", "9999999999999999999999", "-", "1 2,", "3"};
    for (size_t i = 0; i < sizeof extras / sizeof *extras; i++) {
        struct weir_read_options options = {.extra_times = extras[i]};
        struct weir_pipeline *p = reading("unit: s\noperators: {a: 5000000, b: 1}\nqueues: [a -> b]", &options);
        assert_int_equal(weir_pipeline_digits(p), 0);
        assert_times(p, "a", 5000000, 5000000);
        weir_pipeline_free(p);
    }
}

TEST(the_largest_and_the_finest)
{
    struct weir_pipeline *p = reading("operators: {a: 1152921504606846900, b: 1}\nqueues: [a -> b]", NULL);
    assert_times(p, "a", INT64_C(1152921504606846900), INT64_C(1152921504606846900));
    weir_pipeline_free(p);
    p = reading("unit: s\noperators: {a: 0.000000000000000001, b: 1}\nqueues: [a -> b]", NULL);
    assert_int_equal(weir_pipeline_digits(p), 18);
    assert_times(p, "a", 1, 1);
    weir_pipeline_free(p);
}
