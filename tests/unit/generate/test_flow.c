/* SPDX-License-Identifier: Apache-2.0 */
#include "support/refuse.h"
#include "support/stage.h"

static struct weir_pipeline *make(struct weir_generate_flow_options options)
{
    struct weir_pipeline *p = NULL;
    assert_int_equal(weir_generate_flow(&options, &p, NULL), WEIR_OK);
    assert_true(weir_pipeline_sealed(p));
    assert_int_equal(weir_pipeline_operator_count(p), options.nodes);
    assert_int_equal(weir_pipeline_platform(p), WEIR_PLATFORM_CORES);
    assert_int_equal(weir_pipeline_cores(p), options.cores);
    return p;
}

/* Queues lead forwards from the one source; costs lie where they are said to. */
static void shapes(void **state)
{
    uint32_t decimating = 0, joins = 0;
    (void)state;
    for (uint64_t seed = 0; seed < 1000; seed++) {
        bool heavy = seed % 2;
        struct weir_pipeline *p =
            make((struct weir_generate_flow_options){.seed = seed, .nodes = 2 + (uint32_t)seed % 30, .heavy = heavy, .cores = 4});
        uint32_t n = weir_pipeline_operator_count(p), queues = weir_pipeline_queue_count(p);
        assert_in_range(queues, n - 1, 2 * n);
        joins += queues > n - 1;
        for (uint32_t i = 0; i < queues; i++) {
            struct weir_queue_spec q = weir_pipeline_queue(p, (struct weir_queue){i});
            assert_true(q.from.index < q.to.index);
            assert_int_equal(q.capacity, WEIR_AUTO);
            decimating += q.consume > q.produce;
        }
        for (uint32_t i = 0; i < n; i++) {
            struct weir_operator_spec o = weir_pipeline_operator(p, (struct weir_operator){i});
            assert_in_range(o.cost_sample, heavy ? 20 : 5, heavy ? 240 : 60);
            assert_in_range(o.cost_init, 4 * o.cost_sample, 12 * o.cost_sample);
        }
        struct weir_edf_analysis *a = NULL;
        assert_int_equal(weir_edf_analyze(p, &(struct weir_edf_options){.verify = true}, &a, NULL), WEIR_OK);
        for (uint32_t i = 0; i < n; i++) /* no operator is decimated by more than 240, at 1 MHz */
            assert_in_range(a->operators[i].period.numerator / a->operators[i].period.denominator, 1000, 240000);
        weir_edf_analysis_free(a);
        weir_pipeline_free(p);
    }
    assert_true(decimating > 1000 && joins > 300);
}

static void same_for_the_same_seed(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 50; seed++) {
        struct weir_generate_flow_options options = {.seed = seed, .nodes = 12, .cores = 2, .rate_hz = 576000};
        struct weir_pipeline *a = make(options), *b = make(options);
        assert_int_equal(weir_pipeline_queue_count(a), weir_pipeline_queue_count(b));
        for (uint32_t i = 0; i < weir_pipeline_operator_count(a); i++)
            assert_int_equal(weir_pipeline_operator(a, (struct weir_operator){i}).cost_init,
                             weir_pipeline_operator(b, (struct weir_operator){i}).cost_init);
        assert_int_equal(weir_pipeline_source(a, 0).count * 1000000000 / weir_pipeline_source(a, 0).period, 576000);
        weir_pipeline_free(a);
        weir_pipeline_free(b);
    }
}

static void narrowband(void **state)
{
    struct weir_pipeline *p = NULL;
    struct weir_edf_analysis *a = NULL;
    (void)state;
    assert_int_equal(weir_generate_nbfm(2, &p, NULL), WEIR_OK);
    assert_int_equal(weir_edf_analyze(p, NULL, &a, NULL), WEIR_OK);
    assert_false(a->schedulable); /* sample by sample it is too much */
    struct weir_ratio source = a->operators[0].period, sink = a->operators[4].period;
    assert_int_equal(sink.numerator * source.denominator, 12 * source.numerator * sink.denominator);
    weir_edf_analysis_free(a);
    weir_pipeline_free(p);
}

static void refused(void **state)
{
    struct weir_pipeline *p = NULL;
    struct weir_error error;
    (void)state;
    assert_int_equal(weir_generate_flow(&(struct weir_generate_flow_options){.nodes = 1, .cores = 1}, &p, &error), WEIR_INVALID);
    assert_int_equal(weir_generate_flow(&(struct weir_generate_flow_options){.nodes = 2, .cores = 0}, &p, &error), WEIR_INVALID);
    assert_int_equal(weir_generate_flow(&(struct weir_generate_flow_options){.nodes = 2, .cores = 1, .rate_hz = -1}, &p, &error),
                     WEIR_INVALID);
    assert_int_equal(weir_generate_nbfm(0, &p, &error), WEIR_INVALID);
    assert_null(p);
}

/* ---- without memory ---- */

static void without_memory(void **state)
{
    (void)state;
    struct refuse memory = {.onwards = true};
    enum weir_status status = WEIR_MEMORY;
    while (refuse_next(&memory)) {
        struct weir_pipeline *p = NULL;
        struct weir_generate_flow_options options = {.seed = 3, .nodes = 9, .cores = 2};
        status = weir_generate_flow(&options, &p, NULL);
        assert_true(status == WEIR_OK || status == WEIR_MEMORY);
        assert_int_equal(status == WEIR_OK, p != NULL);
        weir_pipeline_free(p);
    }
    assert_int_equal(status, WEIR_OK);
}

int flow_group(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes),  cmocka_unit_test(same_for_the_same_seed), cmocka_unit_test(narrowband),
        cmocka_unit_test(refused), cmocka_unit_test(without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
