/* SPDX-License-Identifier: Apache-2.0 */
/* Ratios as decimal numbers: never below the value, and not far above it; lower bounds never above. */
#include "answer/number.h"
#include "base/number.h"
#include "support/stage.h"

#include <stdlib.h>
#include <string.h>

__extension__ typedef __int128 wide;

static void expect(int64_t n, int64_t d, unsigned places, unsigned digits, const char *expected)
{
    char text[WEIR_NUMBER_TEXT];
    assert_string_equal(weir_ratio_format((struct weir_ratio){n, d}, places, digits, text), expected);
}

TEST(test_format)
{
    expect(0, 1, 0, 6, "0");
    expect(0, 1, 18, 6, "0");
    expect(1234567, 1, 0, 3, "1234567"); /* whole: exact */
    expect(1234567, 1, 3, 3, "1234.567");
    expect(1200, 1, 3, 6, "1.2");
    expect(1, 3, 0, 6, "0.333334");
    expect(2, 3, 0, 6, "0.666667");
    expect(1, 3, 3, 6, "0.000333334");
    expect(10000, 3, 0, 6, "3333.34");
    expect(10000000, 3, 0, 6, "3333334"); /* whole digits are all told */
    expect(2999999, 1000000, 0, 6, "3");
    expect(29999999, 3, 0, 6, "10000000");
    expect(29999999, 30000000, 0, 6, "1");
    expect(1, 7, 0, 1, "0.2");
    expect(1, 2, 0, 6, "0.5");
    expect(5, 0, 0, 6, "-");
    expect(1, INT64_MAX, 0, 6, "0.000000000001"); /* 12 digits, and no more */
    expect(INT64_MAX, 2, 0, 6, "4611686018427387904");
    expect(INT64_MAX, 1, 18, 6, "9.223372036854775807");
}

/* digits / 10^point as read from the text. */
static void read_back(const char *text, wide *digits, wide *unit)
{
    bool behind = false;
    *digits = 0;
    *unit = 1;
    for (; *text; text++) {
        if (*text == '.') {
            behind = true;
            continue;
        }
        *digits = *digits * 10 + (*text - '0');
        *unit *= behind ? 10 : 1;
    }
}

TEST(test_never_below)
{
    uint64_t x = 88172645463325252u;
    for (int i = 0; i < 200000; i++) {
        x ^= x << 13, x ^= x >> 7, x ^= x << 17;
        int64_t n = (int64_t)(x >> (33 + i % 20)), d = (int64_t)(x % 1000003) + 1;
        char text[WEIR_NUMBER_TEXT];
        wide digits, unit;
        weir_ratio_format((struct weir_ratio){n, d}, 0, 6, text);
        read_back(text, &digits, &unit);
        /* value <= digits / unit <= value (1 + 1e-5) */
        assert_true(digits * d >= (wide)n * unit);
        assert_true(digits * d * 100000 <= (wide)n * unit * 100001 + (wide)d * unit / 1000000);
    }
}

TEST(test_order)
{
    uint64_t x = 88172645463325252u;
    for (int i = 0; i < 200000; i++) {
        struct weir_ratio r[2];
        for (int k = 0; k < 2; k++) {
            x ^= x << 13, x ^= x >> 7, x ^= x << 17;
            r[k] = (struct weir_ratio){(int64_t)(x >> (2 + i % 60)), (int64_t)((x * 2654435761u) >> (2 + i * 7 % 60)) + 1};
        }
        wide left = (wide)r[0].numerator * r[1].denominator, right = (wide)r[1].numerator * r[0].denominator;
        assert_int_equal(weir_ratio_compare(r[0], r[1]), left < right ? -1 : left > right);
        assert_int_equal(weir_ratio_compare(r[0], r[0]), 0);
        struct weir_ratio sum = weir_ratio_sum(r[0], r[1]);
        double exact = (double)r[0].numerator / (double)r[0].denominator + (double)r[1].numerator / (double)r[1].denominator;
        double got = (double)sum.numerator / (double)sum.denominator;
        assert_true(got >= exact * (1 - 1e-12) && got <= exact * (1 + 1e-12) + 2);
    }
}

TEST(test_parts)
{
    char text[WEIR_NUMBER_TEXT];
    struct weir_ratio rest = weir_ratio_difference((struct weir_ratio){7, 2}, (struct weir_ratio){1, 3});
    assert_int_equal(rest.numerator, 19);
    assert_int_equal(rest.denominator, 6);
    rest = weir_ratio_above((struct weir_ratio){22, 7}, 3);
    assert_int_equal(rest.numerator, 1);
    assert_int_equal(rest.denominator, 7);
    assert_int_equal(weir_ratio_ceiling((struct weir_ratio){22, 7}), 4);
    assert_int_equal(weir_ratio_ceiling((struct weir_ratio){21, 7}), 3);
    assert_string_equal(weir_ratio_percent((struct weir_ratio){1, 3}, text), "33.4 %");
    assert_string_equal(weir_ratio_percent((struct weir_ratio){1, 1}, text), "100 %");
    assert_string_equal(weir_ratio_percent((struct weir_ratio){INT64_MAX, INT64_MAX}, text), "101 %");
}

static void expect_floor(unsigned digits, struct weir_ratio ticks, const char *expected)
{
    char text[WEIR_NUMBER_TEXT];
    struct weir_pipeline *pipeline = weir_pipeline_new(NULL);
    assert_int_equal(weir_pipeline_set_unit(pipeline, WEIR_UNIT_US, digits, NULL), WEIR_OK);
    assert_string_equal(weir_ratio_floor(pipeline, ticks, text), expected);
    weir_pipeline_free(pipeline);
}

TEST(test_floor)
{
    expect_floor(0, (struct weir_ratio){5, 1}, "5");
    expect_floor(0, (struct weir_ratio){14, 3}, "4.66666");
    expect_floor(1, (struct weir_ratio){140, 3}, "4.66666");
    expect_floor(3, (struct weir_ratio){2, 3}, "0.000666666");
    expect_floor(0, (struct weir_ratio){3000001, 3}, "1000000");
    expect_floor(0, (struct weir_ratio){999999999, 1000000000}, "0.999999");
    expect_floor(2, (struct weir_ratio){123456789, 1}, "1234567.89");
    expect_floor(0, (struct weir_ratio){INT64_MAX, 2}, "4611686018427387903");
    expect_floor(0, (struct weir_ratio){INT64_MAX - 1, INT64_MAX}, "0.999999");
    expect_floor(0, (struct weir_ratio){0, 1}, "0");
}

/* What is to spare is no more than it is, and what is too much no less. */
TEST(test_slack)
{
    struct weir_ratio worst[] = {{204, 7}, {30, 1}, {31, 1}, {306, 7}, {211, 7}};
    const char *const expected[] = {"0.857142", "0", "-1", "-13.7143", "-0.142858"};
    struct weir_pipeline *pipeline = weir_pipeline_new(NULL);
    char text[WEIR_NUMBER_TEXT];
    for (size_t i = 0; i < sizeof worst / sizeof *worst; i++)
        assert_string_equal(weir_slack_amount(pipeline, 30, worst[i], text), expected[i]);
    assert_string_equal(weir_slack_amount(pipeline, INT64_MAX, (struct weir_ratio){1, 3}, text), "9223372036854775806");
    weir_pipeline_free(pipeline);
}

static void expect_percent(int64_t n, int64_t d, const char *expected)
{
    char text[WEIR_NUMBER_TEXT];
    assert_string_equal(weir_ratio_percent((struct weir_ratio){n, d}, text), expected);
}

TEST(test_percent_below_zero)
{
    expect_percent(1, 14, "7.15 %");
    expect_percent(-1, 4, "-25 %");
    expect_percent(-1, 3, "-33.3 %"); /* up is towards 0 */
    expect_percent(1, 3, "33.4 %");
}
