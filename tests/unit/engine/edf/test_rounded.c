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
    for (int round = 0; round < 4000; round++) {
        bool huge = round % 2 == 0;
        uint32_t count = (uint32_t)weir_random_between(&random, 3, huge ? 4 : 8);
        int64_t most = huge ? 59 : weir_random_between(&random, 10, 57);
        struct weir_pipeline *p = pool_new((uint32_t)weir_random_between(&random, 2, count));
        for (uint32_t i = 0; i < count; i++) {
            struct weir_source_spec source = {.op = {i},
                                              .period = weir_random_between(&random, INT64_C(1) << (most - 6), INT64_C(1) << most)};
            if (weir_random_between(&random, 0, 2) == 0)
                source.count = (uint32_t)weir_random_between(&random, 2, 3000);
            int64_t period = source.period / (source.count ? source.count : 1);
            pool_add(p, weir_random_between(&random, 1, 1 + period / weir_random_between(&random, 1, 3)));
            assert_int_equal(weir_pipeline_add_source(p, &source, NULL), WEIR_OK);
        }
        struct weir_edf_options options = {.verify = true, .tardiness = true};
        struct weir_edf_analysis *a;
        if (weir_pipeline_seal(p, NULL, NULL) == WEIR_OK) {
            enum weir_status status = weir_edf_analyze(p, &options, &a, NULL);
            assert_true(status == WEIR_OK || status == WEIR_OVERFLOW);
            verified += !status && a->schedulable && a->verified;
            if (!status)
                weir_edf_analysis_free(a);
        }
        weir_pipeline_free(p);
    }
    assert_true(verified > 1500);
}
