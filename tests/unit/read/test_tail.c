/* SPDX-License-Identifier: Apache-2.0 */
/* How far the greatest of many times may be exceeded. */
#include "read/holoscan/tail_estimate.h"
#include "support/runner.h"

#include <math.h>
#include <stdlib.h>

TEST(logarithms)
{
    static const uint64_t numbers[] = {1, 2, 3, 7, 10, 23, 1000, 23000000, UINT64_C(1) << 40, UINT64_MAX};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        for (size_t k = 0; k <= i; k++) {
            double exact = 1000 * log((double)numbers[i] / (double)numbers[k]);
            assert_true(fabs((double)weir_log_permille(numbers[i], numbers[k]) - exact) <= 1.01);
        }
}

static uint64_t next(uint64_t *random)
{
    *random ^= *random << 13, *random ^= *random >> 7, *random ^= *random << 17;
    return *random;
}

static int descending(const void *left, const void *right)
{
    int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return (a < b) - (a > b);
}

/* Those kept are the largest, in whatever order they come. */
TEST(the_largest_are_kept)
{
    static int64_t all[500];
    uint64_t random = 42;
    struct weir_tail_estimate tail = {0};
    for (size_t i = 0; i < 500; i++) {
        all[i] = (int64_t)(next(&random) % 300);
        weir_tail_add(&tail, all[i]);
        int64_t mine[500], kept[WEIR_TAIL];
        size_t most = i + 1 < WEIR_TAIL ? i + 1 : WEIR_TAIL;
        for (size_t k = 0; k <= i; k++)
            mine[k] = all[k];
        for (size_t k = 0; k < most; k++)
            kept[k] = tail.top[k];
        qsort(mine, i + 1, sizeof *mine, descending);
        qsort(kept, most, sizeof *kept, descending);
        assert_int_equal(tail.kept, most);
        for (size_t k = 0; k < most; k++)
            assert_int_equal(kept[k], mine[k]);
    }
}

/* Of an exponential distribution the estimate is near the truth; of constant times it is that time. */
TEST(estimates)
{
    uint64_t random = 7;
    double sum = 0;
    for (int run = 0; run < 200; run++) {
        struct weir_tail_estimate tail = {0};
        for (int i = 0; i < 10000; i++)
            weir_tail_add(&tail, 5000 + (int64_t)(-100 * log((double)(next(&random) % 1000000 + 1) / 1000001)));
        sum += (double)weir_tail_estimate_find(&tail, 1000000);
    }
    double truth = 5000 + 100 * log(1e6);
    assert_true(fabs(sum / 200 - truth) < 60);

    struct weir_tail_estimate same = {0}, few = {0}, all = {0};
    for (int i = 0; i < 1000; i++)
        weir_tail_add(&same, 70);
    assert_int_equal(weir_tail_estimate_find(&same, 1000000), 70);
    for (int i = 0; i < 79; i++)
        weir_tail_add(&few, i);
    assert_int_equal(weir_tail_estimate_find(&few, 1000000), 0);
    weir_tail_add(&few, 80);
    assert_true(weir_tail_estimate_find(&few, 1000000) > 80);
    for (int i = 0; i < 1000; i++)
        weir_tail_add(&all, i);
    assert_int_equal(weir_tail_estimate_find(&all, 10), 0); /* one in ten has been seen often enough */
}

/* In 95 of 100 samples of an exponential distribution the truth is below the upper limit, whatever the number of excesses. */
TEST(upper_limits)
{
    uint64_t random = 11;
    static const int counts[] = {80, 120, 1000};
    for (size_t k = 0; k < 3; k++) {
        int covered = 0;
        for (int run = 0; run < 2000; run++) {
            struct weir_tail_estimate tail = {0};
            for (int i = 0; i < counts[k]; i++)
                weir_tail_add(&tail, 500000 + (int64_t)(-100000 * log((double)(next(&random) % 1000000 + 1) / 1000001)));
            covered += (double)weir_tail_estimate_upper(&tail, 1000000) >= 500000 + 100000 * log(1e6);
        }
        assert_true(covered > 1860 && covered < 1960);
    }
    struct weir_tail_estimate same = {0}, few = {0}, all = {0}, heavy = {0};
    for (int i = 0; i < 1000; i++)
        weir_tail_add(&same, 70), weir_tail_add(&all, i), weir_tail_add(&heavy, i == 500 ? 100000 : i);
    assert_int_equal(weir_tail_estimate_upper(&same, 1000000), 70);
    assert_int_equal(weir_tail_estimate_upper(&all, 10), 999); /* one in ten has been seen often enough */
    for (int i = 0; i < 79; i++)
        weir_tail_add(&few, i);
    assert_int_equal(weir_tail_estimate_upper(&few, 1000000), 0);
    assert_false(weir_tail_estimate_is_heavy(&few));
    assert_false(weir_tail_estimate_is_heavy(&all));
    assert_true(weir_tail_estimate_is_heavy(&heavy));
}
