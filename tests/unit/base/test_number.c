/* SPDX-License-Identifier: Apache-2.0 */
#include "base/number.h"

#include "base/random.h"
#include "support/runner.h"

#include <inttypes.h>
#include <string.h>

TEST(decimals_are_read_exactly)
{
    static const struct {
        const char *text;
        int64_t mantissa;
        int exponent;
    } cases[] = {
        {"0", 0, 0},
        {"-0.000", 0, 0},
        {"0e99", 0, 0},
        {"5", 5, 0},
        {"+5", 5, 0},
        {"-5", -5, 0},
        {"100", 1, 2},
        {"4.25", 425, -2},
        {"4.2500", 425, -2},
        {"007.070", 707, -2},
        {"0.05", 5, -2},
        {"1000.0001", 10000001, -4},
        {"1e3", 1, 3},
        {"1.5E-3", 15, -4},
        {"12e+2", 12, 2},
        {"10e-1", 1, 0},
        {"9223372036854775807", INT64_MAX, 0},
        {"-9223372036854775807", -INT64_MAX, 0},
        {"9223372036854775807000", INT64_MAX, 3},
        {"0.9223372036854775807", INT64_MAX, -19},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct weir_decimal value;
        assert_int_equal(weir_decimal_parse(cases[i].text, &value), WEIR_DECIMAL_OK);
        assert_int_equal(value.mantissa, cases[i].mantissa);
        assert_int_equal(value.exponent, cases[i].exponent);
        assert_false(value.has_unit);
    }
}

TEST(units_follow_the_number)
{
    static const struct {
        const char *text;
        enum weir_unit unit;
    } cases[] = {
        {"33.3ms", WEIR_UNIT_MS},      {"33.3 ms", WEIR_UNIT_MS}, {"1us", WEIR_UNIT_US}, {"1\xc2\xb5s", WEIR_UNIT_US},
        {"1 \xce\xbcs", WEIR_UNIT_US}, {"2e3ns", WEIR_UNIT_NS},   {"7s", WEIR_UNIT_S},   {"7 tick", WEIR_UNIT_TICK},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct weir_decimal value;
        assert_int_equal(weir_decimal_parse(cases[i].text, &value), WEIR_DECIMAL_OK);
        assert_true(value.has_unit);
        assert_int_equal(value.unit, cases[i].unit);
    }
}

TEST(what_is_not_a_number_is_refused)
{
    static const struct {
        const char *text;
        enum weir_decimal_fault fault;
    } cases[] = {
        {"", WEIR_DECIMAL_MALFORMED},
        {"-", WEIR_DECIMAL_MALFORMED},
        {".", WEIR_DECIMAL_MALFORMED},
        {"ms", WEIR_DECIMAL_MALFORMED},
        {"--5", WEIR_DECIMAL_MALFORMED},
        {"1.2.3", WEIR_DECIMAL_MALFORMED},
        {"1e", WEIR_DECIMAL_MALFORMED},
        {"1e+", WEIR_DECIMAL_MALFORMED},
        {"1,5", WEIR_DECIMAL_MALFORMED},
        {"0x10", WEIR_DECIMAL_UNIT},
        {"nan", WEIR_DECIMAL_MALFORMED},
        {"5 ms 3", WEIR_DECIMAL_UNIT},
        {"5 min", WEIR_DECIMAL_UNIT},
        {"5MS", WEIR_DECIMAL_UNIT},
        {"5 m", WEIR_DECIMAL_UNIT},
        {" 5", WEIR_DECIMAL_MALFORMED},
        {"5\n", WEIR_DECIMAL_MALFORMED},
        {"1_000", WEIR_DECIMAL_MALFORMED},
        {"9223372036854775808", WEIR_DECIMAL_RANGE},
        {"-9223372036854775808", WEIR_DECIMAL_RANGE},
        {"18446744073709551617", WEIR_DECIMAL_RANGE}, /* 2^64 + 1 wraps to 1 */
        {"1.00000000000000000001", WEIR_DECIMAL_RANGE},
        {"123456789012345678901234567890 lightyears", WEIR_DECIMAL_UNIT},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct weir_decimal value;
        assert_int_equal(weir_decimal_parse(cases[i].text, &value), cases[i].fault);
    }
}

/* "1" or "0.", then `zeros` zeros, then `end`. */
static enum weir_decimal_fault parse_with_zeros(const char *start, size_t zeros, const char *end, struct weir_decimal *value)
{
    static char text[200000];
    size_t used = strlen(start);
    memcpy(text, start, used);
    memset(text + used, '0', zeros);
    strcpy(text + used + zeros, end);
    return weir_decimal_parse(text, value);
}

TEST(exponents_of_any_size_count)
{
    struct weir_decimal value;
    int64_t ticks;
    assert_int_equal(parse_with_zeros("1", 100000, "e-100000", &value), WEIR_DECIMAL_OK);
    assert_int_equal(value.exponent, 0);
    assert_int_equal(parse_with_zeros("0.", 99999, "7e100000", &value), WEIR_DECIMAL_OK);
    assert_int_equal(value.mantissa, 7);
    assert_int_equal(value.exponent, 0);
    assert_int_equal(parse_with_zeros("0.", 99999, "7e10000", &value), WEIR_DECIMAL_OK);
    assert_false(weir_decimal_ticks(&value, WEIR_UNIT_TICK, 18, &ticks));
    assert_int_equal(weir_decimal_parse("1e99999999999999999999", &value), WEIR_DECIMAL_OK);
    assert_false(weir_decimal_ticks(&value, WEIR_UNIT_TICK, 0, &ticks));
    assert_int_equal(weir_decimal_parse("1e-99999999999999999999", &value), WEIR_DECIMAL_OK);
    assert_false(weir_decimal_ticks(&value, WEIR_UNIT_NS, 18, &ticks));
    assert_int_equal(parse_with_zeros("1", 100000, "1", &value), WEIR_DECIMAL_RANGE);
}

TEST(ticks_are_whole_or_refused)
{
    static const struct {
        const char *text;
        enum weir_unit unit;
        unsigned digits;
        bool whole;
        int64_t ticks;
        int needed; /* digits */
    } cases[] = {
        {"5", WEIR_UNIT_MS, 0, true, 5, 0},
        {"5", WEIR_UNIT_MS, 3, true, 5000, 0},
        {"500", WEIR_UNIT_MS, 0, true, 500, -2},
        {"4.25", WEIR_UNIT_US, 2, true, 425, 2},
        {"4.25", WEIR_UNIT_US, 1, false, 0, 2},
        {"33.3ms", WEIR_UNIT_US, 0, true, 33300, -2},
        {"33.3ms", WEIR_UNIT_S, 4, true, 333, 4},
        {"33.3ms", WEIR_UNIT_S, 3, false, 0, 4},
        {"1s", WEIR_UNIT_NS, 0, true, 1000000000, -9},
        {"1ns", WEIR_UNIT_S, 9, true, 1, 9},
        {"-1.5us", WEIR_UNIT_US, 1, true, -15, 1},
        {"0", WEIR_UNIT_NS, 18, true, 0, 0},
        {"1152921504606846975", WEIR_UNIT_NS, 0, true, WEIR_TIME_MAX - 1, 0},
        {"1152921504606846976", WEIR_UNIT_NS, 0, false, 0, 0},
        {"-1152921504606846976", WEIR_UNIT_NS, 0, false, 0, 0},
        {"1e18", WEIR_UNIT_NS, 0, true, INT64_C(1000000000000000000), -18},
        {"1e19", WEIR_UNIT_NS, 0, false, 0, -19},
        {"10", WEIR_UNIT_NS, 18, false, 0, -1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct weir_decimal value;
        int64_t ticks;
        assert_int_equal(weir_decimal_parse(cases[i].text, &value), WEIR_DECIMAL_OK);
        assert_int_equal(weir_decimal_digits(&value, cases[i].unit), cases[i].needed);
        assert_int_equal(weir_decimal_ticks(&value, cases[i].unit, cases[i].digits, &ticks), cases[i].whole);
        if (cases[i].whole)
            assert_int_equal(ticks, cases[i].ticks);
    }
}

TEST(ticks_are_written_without_needless_zeros)
{
    static const struct {
        int64_t ticks;
        unsigned digits;
        const char *text;
    } cases[] = {
        {0, 0, "0"},
        {0, 6, "0"},
        {1200, 0, "1200"},
        {333, 1, "33.3"},
        {3330, 2, "33.3"},
        {3300, 2, "33"},
        {5, 3, "0.005"},
        {-5, 3, "-0.005"},
        {-4000, 3, "-4"},
        {1, 18, "0.000000000000000001"},
        {INT64_MAX, 0, "9223372036854775807"},
        {INT64_MIN, 0, "-9223372036854775808"},
        {INT64_MIN, 18, "-9.223372036854775808"},
        {INT64_MIN, 19, "-0.9223372036854775808"},
    };
    char text[WEIR_TIME_TEXT];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_ptr_equal(weir_decimal_format(cases[i].ticks, cases[i].digits, text), text);
        assert_string_equal(text, cases[i].text);
    }
}

TEST(what_is_written_reads_back)
{
    struct weir_random random;
    weir_random_seed(&random, 20);
    for (int i = 0; i < 200000; i++) {
        int64_t size = INT64_C(1) << weir_random_between(&random, 0, 60);
        int64_t ticks = weir_random_between(&random, -size + 1, size - 1), back;
        unsigned digits = (unsigned)weir_random_between(&random, 0, 18);
        char text[WEIR_TIME_TEXT];
        weir_decimal_format(ticks, digits, text);
        struct weir_decimal value;
        assert_int_equal(weir_decimal_parse(text, &value), WEIR_DECIMAL_OK);
        assert_true(weir_decimal_digits(&value, WEIR_UNIT_US) <= (int)digits);
        assert_true(weir_decimal_ticks(&value, WEIR_UNIT_US, digits, &back));
        assert_int_equal(back, ticks);
        assert_true(value.mantissa == 0 || value.mantissa % 10 != 0);
    }
}

TEST(checked_sums_and_products)
{
    int64_t result;
    assert_true(weir_add(INT64_MAX - 1, 1, &result));
    assert_int_equal(result, INT64_MAX);
    assert_false(weir_add(INT64_MAX, 1, &result));
    assert_false(weir_add(INT64_MIN, -1, &result));
    assert_true(weir_multiply(INT64_C(3037000499), 3037000499, &result));
    assert_false(weir_multiply(INT64_C(3037000500), 3037000500, &result));
    assert_false(weir_multiply(INT64_MIN, -1, &result));
}

TEST(ratios_compare_without_overflow)
{
    struct weir_ratio a = {INT64_MAX, INT64_MAX - 1}, b = {INT64_MAX - 1, INT64_MAX - 2}, third = {1, 3};
    assert_int_equal(weir_ratio_compare(a, b), -1);
    assert_int_equal(weir_ratio_compare(b, a), 1);
    assert_int_equal(weir_ratio_compare(third, (struct weir_ratio){2, 6}), 0);
    assert_int_equal(weir_ratio_compare((struct weir_ratio){-1, 2}, third), -1);
}

TEST(ratios_reduce)
{
    static const struct weir_ratio cases[][2] = {
        {{6, 4}, {3, 2}}, {{-6, 4}, {-3, 2}}, {{0, 7}, {0, 1}}, {{7, 7}, {1, 1}}, {{5, 3}, {5, 3}}, {{12, 1}, {12, 1}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct weir_ratio reduced = weir_ratio_reduce(cases[i][0]);
        assert_int_equal(reduced.numerator, cases[i][1].numerator);
        assert_int_equal(reduced.denominator, cases[i][1].denominator);
    }
}

/* Against Euclid's algorithm, with numbers of every size. */
TEST(divisors_are_the_greatest)
{
    static const int64_t edges[] = {0, 1, 2, 3, 6, 1 << 16, INT64_C(1) << 62, INT64_MAX, INT64_MAX - 1, -1, -6, -INT64_MAX};
    const size_t count = sizeof edges / sizeof *edges;
    struct weir_random random;
    weir_random_seed(&random, 4);
    for (int i = 0; i < 20000; i++) {
        int64_t common = weir_random_between(&random, 1, INT64_MAX) >> weir_random_between(&random, 0, 62);
        int64_t a = weir_random_between(&random, -INT64_MAX, INT64_MAX) >> weir_random_between(&random, 0, 62);
        int64_t b = weir_random_between(&random, -INT64_MAX, INT64_MAX) >> weir_random_between(&random, 0, 62);
        if ((size_t)i < count * count)
            a = edges[(size_t)i / count], b = edges[(size_t)i % count], common = 1;
        weir_wide x = a < 0 ? -(weir_wide)a : a, y = b < 0 ? -(weir_wide)b : b;
        while (y) {
            weir_wide rest = x % y;
            x = y, y = rest;
        }
        assert_true(weir_greatest_divisor(a, b) == x);
        assert_true(weir_wide_divisor(a, b) == x);
        assert_true(weir_wide_divisor((weir_wide)a * common, (weir_wide)b * common) == x * common);
    }
}

TEST(ratios_are_made_in_lowest_terms_or_refused)
{
    const weir_wide huge = (weir_wide)INT64_MAX * INT64_MAX;
    struct weir_ratio ratio = {7, 7};
    assert_true(weir_ratio_make(6, 4, 4, &ratio));
    assert_true(ratio.numerator == 3 && ratio.denominator == 2);
    assert_true(weir_ratio_make(-6, 4, 4, &ratio));
    assert_true(ratio.numerator == -3 && ratio.denominator == 2);
    assert_true(weir_ratio_make(0, 9, 4, &ratio));
    assert_true(ratio.numerator == 0 && ratio.denominator == 1);
    assert_true(weir_ratio_make(huge, huge / INT64_MAX, (weir_wide)INT64_MAX + 1, &ratio));
    assert_true(ratio.numerator == INT64_MAX && ratio.denominator == 1);
    ratio = (struct weir_ratio){7, 7};
    assert_false(weir_ratio_make(8, 2, 4, &ratio));
    assert_false(weir_ratio_make(-8, 2, 4, &ratio));
    assert_false(weir_ratio_make(1, 4, 4, &ratio));
    assert_false(weir_ratio_make(huge, 2, WEIR_TIME_MAX, &ratio));
    assert_true(ratio.numerator == 7 && ratio.denominator == 7);
}

TEST(quotients_are_rounded_down_and_up)
{
    static const int64_t cases[][4] = {{7, 2, 3, 4},    {-7, 2, -4, -3}, {6, 2, 3, 3},
                                       {-6, 2, -3, -3}, {0, 5, 0, 0},    {INT64_MAX, 1, INT64_MAX, INT64_MAX}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(weir_floor_divide(cases[i][0], cases[i][1]), cases[i][2]);
        assert_int_equal(weir_ceil_divide(cases[i][0], cases[i][1]), cases[i][3]);
    }
}

TEST(units_have_names_and_sizes)
{
    assert_string_equal(weir_unit_name(WEIR_UNIT_TICK), "tick");
    assert_string_equal(weir_unit_name(WEIR_UNIT_NS), "ns");
    assert_string_equal(weir_unit_name(WEIR_UNIT_US), "us");
    assert_null(weir_unit_name((enum weir_unit)9));
    assert_string_equal(weir_unit_name(WEIR_UNIT_MS), "ms");
    assert_string_equal(weir_unit_name(WEIR_UNIT_S), "s");
    assert_int_equal(weir_unit_exponent(WEIR_UNIT_NS), -9);
    assert_int_equal(weir_unit_exponent(WEIR_UNIT_US), -6);
    assert_int_equal(weir_unit_exponent(WEIR_UNIT_MS), -3);
    assert_int_equal(weir_unit_exponent(WEIR_UNIT_S), 0);
}
