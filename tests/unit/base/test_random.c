/* SPDX-License-Identifier: Apache-2.0 */
#include "base/random.h"
#include "support/runner.h"

/* Computed by another program from the definitions of splitmix64 and xoshiro256**. */
TEST(the_same_seed_gives_the_same_numbers_everywhere)
{
    static const struct {
        uint64_t seed, numbers[4];
    } cases[] = {
        {0,
         {UINT64_C(11091344671253066420), UINT64_C(13793997310169335082), UINT64_C(1900383378846508768),
          UINT64_C(7684712102626143532)}},
        {1,
         {UINT64_C(12966619160104079557), UINT64_C(9600361134598540522), UINT64_C(10590380919521690900),
          UINT64_C(7218738570589545383)}},
        {42,
         {UINT64_C(1546998764402558742), UINT64_C(6990951692964543102), UINT64_C(12544586762248559009),
          UINT64_C(17057574109182124193)}},
        {UINT64_MAX,
         {UINT64_C(10328197420357168392), UINT64_C(14156678507024973869), UINT64_C(9357971779955476126),
          UINT64_C(13791585006304312367)}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct weir_random random;
        weir_random_seed(&random, cases[i].seed);
        for (int k = 0; k < 4; k++)
            assert_true(weir_random_next(&random) == cases[i].numbers[k]);
    }
}

TEST(between_includes_both_ends_and_nothing_else)
{
    struct weir_random random;
    weir_random_seed(&random, 7);
    int seen[7] = {0};
    for (int i = 0; i < 7000; i++) {
        int64_t x = weir_random_between(&random, -3, 3);
        assert_in_range(x + 3, 0, 6);
        seen[x + 3]++;
    }
    for (int i = 0; i < 7; i++)
        assert_in_range(seen[i], 850, 1150); /* five standard deviations around 1000 */
}

TEST(between_takes_any_limits)
{
    struct weir_random random;
    weir_random_seed(&random, 8);
    assert_int_equal(weir_random_between(&random, 5, 5), 5);
    assert_true(weir_random_between(&random, INT64_MAX, INT64_MAX) == INT64_MAX);
    assert_true(weir_random_between(&random, INT64_MIN, INT64_MIN) == INT64_MIN);
    int below = 0;
    for (int i = 0; i < 1000; i++)
        below += weir_random_between(&random, INT64_MIN, INT64_MAX) < 0;
    assert_in_range(below, 400, 600);
    for (int i = 0; i < 1000; i++) {
        int64_t x = weir_random_between(&random, INT64_MIN + 1, INT64_MAX);
        assert_true(x > INT64_MIN);
        x = weir_random_between(&random, -1, INT64_MAX);
        assert_true(x >= -1);
    }
}

/* With 3 * 2^62 values, taking the remainder alone would make the lowest third twice as likely. */
TEST(between_has_no_bias)
{
    struct weir_random random;
    weir_random_seed(&random, 9);
    const int64_t third = INT64_C(1) << 62;
    int low = 0;
    for (int i = 0; i < 30000; i++)
        low += weir_random_between(&random, -third, 2 * (third - 1) + 1) < 0;
    assert_in_range(low, 9590, 10410);
}
