/* SPDX-License-Identifier: Apache-2.0 */
/* Units, and ticks that hold every number exactly. */
#include "reading.h"
#include "support/runner.h"

/* In ticks: the times of the operators, in their order. */
static void assert_ticks(const char *text, enum weir_unit unit, unsigned digits, const char *times)
{
    struct weir_pipeline *p = reading(text, NULL);
    char found[256] = "";
    for (uint32_t i = 0; i < weir_pipeline_operator_count(p); i++) {
        struct weir_operator_spec spec = weir_pipeline_operator(p, (struct weir_operator){i});
        size_t used = strlen(found);
        snprintf(found + used, sizeof found - used, "%s%s [%lld, %lld]", i ? ", " : "", spec.name, (long long)spec.best,
                 (long long)spec.worst);
    }
    assert_string_equal(found, times);
    assert_int_equal(weir_pipeline_unit(p), unit);
    assert_int_equal(weir_pipeline_digits(p), digits);
    weir_pipeline_free(p);
}

TEST(whole_numbers_without_a_unit_are_ticks)
{
    assert_ticks("operators: {a: 5, b: [0, 7]}\nqueues: [a -> b]", WEIR_UNIT_TICK, 0, "a [5, 5], b [0, 7]");
}

TEST(decimals_are_kept)
{
    assert_ticks("unit: ms\noperators: {a: 4.25, b: [1.5, 33.3ms], c: 7us}\nqueues: [a -> b -> c]", WEIR_UNIT_MS, 3,
                 "a [4250, 4250], b [1500, 33300], c [7, 7]");
}

TEST(digits_are_no_more_than_needed)
{
    assert_ticks("unit: ms\noperators: {a: 4.500, b: 100.0, c: 0ns, d: 2e1, e: 3000us}\nqueues: [a -> b -> c -> d -> e]",
                 WEIR_UNIT_MS, 1, "a [45, 45], b [1000, 1000], c [0, 0], d [200, 200], e [30, 30]");
}

TEST(the_finest_suffix_is_the_unit)
{
    assert_ticks("operators: {a: 5ms, b: [0, 2.5us], c: 1s}\nqueues: [a -> b -> c]", WEIR_UNIT_US, 1,
                 "a [50000, 50000], b [0, 25], c [10000000, 10000000]");
}

TEST(micro_has_two_signs)
{
    assert_ticks("unit: \xc2\xb5s\noperators: {a: 5 \xce\xbcs, b: 1 ms}\nqueues: [a -> b]", WEIR_UNIT_US, 0,
                 "a [5, 5], b [1000, 1000]");
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
    assert_ticks("operators: {a: 1152921504606846900, b: 1}\nqueues: [a -> b]", WEIR_UNIT_TICK, 0,
                 "a [1152921504606846900, 1152921504606846900], b [1, 1]");
    assert_ticks("unit: s\noperators: {a: 0.000000000000000001, b: 1}\nqueues: [a -> b]", WEIR_UNIT_S, 18,
                 "a [1, 1], b [1000000000000000000, 1000000000000000000]");
}
