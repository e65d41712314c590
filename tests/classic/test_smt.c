/* SPDX-License-Identifier: Apache-2.0 */
/* The finite horizon with Z3 against brute force over the same iterations, and at its limits. */
#include "support/stage.h"

#include "baseline/classic.h"
#include "support/oracle/brute.h"
#include "support/random/pipeline.h"

#include <string.h>

enum { PIPELINES = 120, BITS = 10 };

#define need_z3()                                                                                                                  \
    do {                                                                                                                           \
        const char *why;                                                                                                           \
        if (!weir_method_available(WEIR_METHOD_SMT, &why)) {                                                                       \
            print_message("skipped: %s\n", why);                                                                                   \
            skip();                                                                                                                \
        }                                                                                                                          \
    } while (0)

static struct weir_method_result run(const struct weir_pipeline *pipeline, const struct weir_method_options *options)
{
    struct weir_method_result result;
    struct weir_error error = {.message = ""};
    if (weir_method_run(pipeline, WEIR_METHOD_SMT, 0, options, &result, &error))
        fail_msg("%s", error.message);
    return result;
}

TEST(test_chain)
{
    need_z3();
    struct weir_pipeline *p = stage_chain(2, (int64_t[]){3, 5}, 1);
    struct weir_method_result r = run(p, NULL);
    assert_true(r.applicable);
    assert_int_equal(r.outcome, WEIR_EXACT);
    assert_int_equal(r.value, 10); /* A starts when B does, and B takes 5 for each of two messages */
    assert_false(r.safe || r.exact);
    assert_non_null(strstr(r.note, "horizon of 8 iterations: not a guarantee"));
    r = run(p, &(struct weir_method_options){.horizon = 1});
    assert_int_equal(r.value, 8); /* with the first message there is nothing to wait for */
    assert_non_null(strstr(r.note, "horizon of 1 iteration:"));
    weir_pipeline_free(p);
}

/* The largest horizon that brute force can do, up to 4; 0 when there is none. */
static uint32_t horizon_for(const struct weir_pipeline *pipeline, const struct weir_query *query)
{
    for (uint32_t horizon = 4; horizon > 0; horizon--)
        if (weir_brute_bits(pipeline, query, horizon) <= BITS)
            return horizon;
    return 0;
}

TEST(test_against_brute_force)
{
    need_z3();
    int compared = 0;
    for (uint64_t seed = 0; compared < PIPELINES; seed++) {
        struct weir_random random;
        struct weir_brute brute;
        weir_random_seed(&random, seed);
        struct weir_pipeline *p = weir_random_pipeline(&random, (enum weir_flavour)(seed % WEIR_FLAVOURS));
        assert_non_null(p);
        struct weir_query query = weir_method_query(p, 0);
        uint32_t horizon = horizon_for(p, &query);
        if (horizon && weir_brute_separation(p, &query, horizon, &brute)) {
            struct weir_method_result r = run(p, &(struct weir_method_options){.horizon = horizon});
            assert_int_equal(r.applicable, brute.any);
            if (brute.any) {
                assert_int_equal(r.outcome, WEIR_EXACT);
                if (r.value != brute.max)
                    fail_msg("seed %llu: %lld, brute force %lld", (unsigned long long)seed, (long long)r.value,
                             (long long)brute.max);
                compared++;
            }
        }
        weir_pipeline_free(p);
    }
}

/* What brute force does not cover, late receives: never above the exact value, and a longer horizon never less. */
TEST(test_horizons)
{
    need_z3();
    int late = 0;
    for (uint64_t seed = 5000; late < 20; seed++) {
        struct weir_random random;
        weir_random_seed(&random, seed);
        struct weir_pipeline *p = weir_random_pipeline(&random, WEIR_FLAVOUR_EVERYTHING);
        struct weir_method_result exact;
        bool receives = false;
        for (uint32_t i = 0; i < weir_pipeline_operator_count(p); i++)
            receives |= weir_pipeline_operator(p, (struct weir_operator){i}).receive_max > 0;
        assert_int_equal(weir_method_run(p, WEIR_METHOD_EXACT, 0, NULL, &exact, NULL), WEIR_OK);
        if (receives && weir_pipeline_operator_count(p) <= 4 && weir_pipeline_chain(p, 0).shift < 2) {
            int64_t shorter = run(p, &(struct weir_method_options){.horizon = 2}).value;
            int64_t longer = run(p, &(struct weir_method_options){.horizon = 4}).value;
            assert_true(shorter <= longer);
            assert_true(exact.outcome != WEIR_EXACT || longer <= exact.value);
            late++;
        }
        weir_pipeline_free(p);
    }
}

TEST(test_short_horizon)
{
    need_z3();
    struct weir_pipeline *p = weir_pipeline_new(NULL);
    struct weir_operator a = stage_operator(p, "A", 0, 3), b = stage_operator(p, "B", 0, 5);
    stage_queue(p, a, b, 3, 3);
    stage_seal(p);
    assert_false(run(p, &(struct weir_method_options){.horizon = 3}).applicable);
    assert_non_null(strstr(run(p, &(struct weir_method_options){.horizon = 3}).note, "4 iterations"));
    assert_true(run(p, &(struct weir_method_options){.horizon = 4}).applicable);
    weir_pipeline_free(p);
}

static void count_calls(void *context, unsigned permille)
{
    assert_true(permille <= 1000);
    ++*(int *)context;
}

TEST(test_time_limit)
{
    need_z3();
    int calls = 0;
    struct weir_generate_options options = {.nodes = 16, .seed = 3, .density_permille = 200, .queue = 3};
    struct weir_pipeline *p;
    assert_int_equal(weir_generate_holoscan(&options, &p, NULL), WEIR_OK);
    struct weir_method_result exact,
        r = run(p, &(struct weir_method_options){.horizon = 24, .seconds = 1, .progress = count_calls, .context = &calls});
    assert_int_equal(weir_method_run(p, WEIR_METHOD_EXACT, 0, NULL, &exact, NULL), WEIR_OK);
    assert_int_equal(r.outcome, WEIR_BRACKET);
    assert_true(r.lower <= exact.value && r.upper == INT64_MAX);
    assert_true(calls > 0);
    weir_pipeline_free(p);
}

static enum weir_status act(void *context)
{
    struct weir_method_result result;
    return weir_method_run(context, WEIR_METHOD_SMT, 0, NULL, &result, NULL);
}

TEST(test_memory)
{
    need_z3();
    struct weir_pipeline *p = stage_chain(2, (int64_t[]){3, 5}, 1);
    assert_true(stage_fail_each_allocation(act, p) >= 3);
    weir_pipeline_free(p);
}
