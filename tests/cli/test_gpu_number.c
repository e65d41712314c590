/* SPDX-License-Identifier: Apache-2.0 */
/* Lower bounds are rounded down, gaps up. */
#include "cli/gpu.h"
#include "support/stage.h"

static void expect_floor(unsigned digits, struct weir_ratio ticks, const char *expected)
{
    char text[WEIR_AMOUNT_TEXT];
    struct weir_pipeline *pipeline = weir_pipeline_new(NULL);
    assert_int_equal(weir_pipeline_set_unit(pipeline, WEIR_UNIT_US, digits, NULL), WEIR_OK);
    assert_string_equal(weir_gpu_floor(pipeline, ticks, text), expected);
    weir_pipeline_free(pipeline);
}

static void floors(void **state)
{
    (void)state;
    expect_floor(0, (struct weir_ratio){5, 1}, "5 us");
    expect_floor(0, (struct weir_ratio){14, 3}, "4.66666 us");
    expect_floor(1, (struct weir_ratio){140, 3}, "4.66666 us");
    expect_floor(3, (struct weir_ratio){2, 3}, "0.000666666 us");
    expect_floor(0, (struct weir_ratio){3000001, 3}, "1000000 us");
    expect_floor(0, (struct weir_ratio){999999999, 1000000000}, "0.999999 us");
    expect_floor(2, (struct weir_ratio){123456789, 1}, "1234567.89 us");
    expect_floor(0, (struct weir_ratio){INT64_MAX, 2}, "4611686018427387903 us");
    expect_floor(0, (struct weir_ratio){INT64_MAX - 1, INT64_MAX}, "0.999999 us");
    expect_floor(0, (struct weir_ratio){0, 1}, "0 us");
}

static void expect_gap(struct weir_ratio bound, struct weir_ratio lower, const char *expected)
{
    char text[WEIR_AMOUNT_TEXT];
    struct weir_gpu_plan plan = {.bound = bound, .lower = lower};
    assert_string_equal(weir_gpu_gap(&plan, text), expected);
}

static void gaps(void **state)
{
    (void)state;
    expect_gap((struct weir_ratio){5, 1}, (struct weir_ratio){14, 3}, "7.15 %"); /* 7.142... */
    expect_gap((struct weir_ratio){10, 2}, (struct weir_ratio){5, 1}, "0 %");
    expect_gap((struct weir_ratio){3, 1}, (struct weir_ratio){2, 1}, "50.00 %");
    expect_gap((struct weir_ratio){1000001, 1}, (struct weir_ratio){1000000, 1}, "0.01 %");
    expect_gap((struct weir_ratio){3, 1}, (struct weir_ratio){4, 1}, "-25.00 %");
    expect_gap((struct weir_ratio){3, 1}, (struct weir_ratio){0, 1}, "-");
    expect_gap((struct weir_ratio){INT64_MAX, 1}, (struct weir_ratio){1, INT64_MAX}, "-");
}

int gpu_number_group(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(floors), cmocka_unit_test(gaps)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
