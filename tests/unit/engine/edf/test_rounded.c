/* SPDX-License-Identifier: Apache-2.0 */
/* Times and loads so long that products of them do not fit. */
#include "pool.h"
#include "support/runner.h"

#include "base/random.h"

/* Numbers that do not fit are rounded so that the bounds stay above what the checker asks for, which rounds nothing. */
TEST(test_rounded_safely)
{
    struct weir_random random;
    unsigned verified = 0;
    weir_random_seed(&random, 1);
    for (int round = 0; round < 2000; round++) {
        uint32_t count = (uint32_t)weir_random_between(&random, 3, 8), cores = (uint32_t)weir_random_between(&random, 2, count);
        int64_t most = weir_random_between(&random, 10, 57);
        struct weir_pipeline *p = pool_new(cores);
        for (uint32_t i = 0; i < count; i++) {
            int64_t period = weir_random_between(&random, INT64_C(1) << (most - 6), INT64_C(1) << most);
            pool_add(p, weir_random_between(&random, 1, period / (weir_random_between(&random, 1, 3))));
            pool_feed(p, i, period);
        }
        if (weir_pipeline_seal(p, NULL, NULL) == WEIR_OK) {
            struct weir_edf_analysis *a = pool_published(p, 0);
            verified += a->schedulable && a->verified;
            weir_edf_analysis_free(a);
        }
        weir_pipeline_free(p);
    }
    assert_true(verified > 500);
}
