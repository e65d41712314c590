/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sets of tasks whose bounds depend on one another such that rounding them up to the parts of a unit that windows are looked for in
 * adds up: no more is left of that than the published analysis has (Bertogna and Cirinei), whose clock ticks 2,520 times in a unit.
 */
#include "pool.h"
#include "support/oracle/published.h"
#include "support/runner.h"

#include "base/number.h"

static const struct published_pool sets[] = {
    {.cores = 4, .count = 9, .task = {{58, 140}, {9, 20}, {2, 9}, {2, 14}, {8, 36}, {8, 90}, {6, 15}, {9, 36}, {1, 9}}},
    {.cores = 3, .count = 9, .task = {{3, 14}, {63, 180}, {3, 56}, {7, 36}, {44, 180}, {9, 42}, {10, 42}, {10, 56}, {1, 5}}},
    {.cores = 3, .count = 7, .task = {{32, 140}, {12, 30}, {2, 6}, {1, 4}, {13, 45}, {11, 35}, {3, 45}}},
    {.cores = 4,
     .count = 10,
     .task = {{1, 5}, {27, 105}, {9, 140}, {10, 56}, {16, 70}, {2, 9}, {1, 18}, {8, 42}, {2, 60}, {8, 14}}},
    {.cores = 4, .count = 7, .task = {{10, 21}, {21, 60}, {9, 20}, {1, 84}, {27, 105}, {8, 60}, {49, 126}}},
    {.cores = 4, .count = 10, .task = {{4, 18}, {2, 4}, {23, 180}, {12, 42}, {21, 60}, {2, 72}, {2, 12}, {2, 9}, {1, 7}, {18, 60}}},
};

TEST(test_rounding_does_not_add_up)
{
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
        const struct published_pool *set = &sets[i];
        struct weir_pipeline *p = pool_new(set->cores);
        int64_t published[PUBLISHED_TASKS];
        for (uint32_t k = 0; k < set->count; k++) {
            struct weir_source_spec source = {
                .op = pool_add(p, set->task[k].cost), .period = set->task[k].period, .sporadic = true};
            assert_int_equal(weir_pipeline_add_source(p, &source, NULL), WEIR_OK);
        }
        stage_seal(p);
        struct weir_edf_analysis *a = pool_analyze(p, 0);
        published_rta(set, published);
        for (uint32_t k = 0; k < set->count; k++) {
            struct weir_ratio response = a->operators[k].response;
            int64_t ticks = published[k] + PUBLISHED_ROUND / 100; /* that the clock ticks is left out of weir's bounds */
            assert_true((weir_wide)response.numerator * PUBLISHED_ROUND <= (weir_wide)ticks * response.denominator);
        }
        weir_edf_analysis_free(a);
        weir_pipeline_free(p);
    }
}

/* Where no bound is rounded up there is nothing to look for again, nor where times are too long for it: a tick is nothing then. */
TEST(test_long_times)
{
    for (int64_t unit = 1; unit < INT64_C(1) << 50; unit *= 8) {
        struct weir_pipeline *p = pool_new(sets[0].cores);
        for (uint32_t k = 0; k < sets[0].count; k++) {
            struct weir_source_spec source = {
                .op = pool_add(p, sets[0].task[k].cost * unit), .period = sets[0].task[k].period * unit, .sporadic = true};
            assert_int_equal(weir_pipeline_add_source(p, &source, NULL), WEIR_OK);
        }
        stage_seal(p);
        struct weir_edf_analysis *a = pool_analyze(p, 0);
        assert_true(a->verified && weir_ratio_compare(a->operators[7].response, (struct weir_ratio){29 * unit + 1, 1}) <= 0);
        weir_edf_analysis_free(a);
        weir_pipeline_free(p);
    }
}
