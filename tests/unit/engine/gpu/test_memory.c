/* SPDX-License-Identifier: Apache-2.0 */
/* Each allocation of each method fails once: the answer is WEIR_MEMORY, and nothing is left behind. */
#include "graph.h"

struct trial {
    const struct weir_pipeline *pipeline;
    struct weir_gpu_options options;
};

static enum weir_status act(void *context)
{
    const struct trial *t = context;
    struct weir_gpu_plan *plan = NULL;
    struct weir_error error = {0};
    enum weir_status status = weir_gpu_analyze(t->pipeline, &t->options, &plan, &error);
    assert_int_equal(plan == NULL, status != WEIR_OK);
    assert_int_equal(error.status, status);
    weir_gpu_plan_free(plan);
    return status;
}

static void test_each(void **state)
{
    (void)state;
    struct weir_pipeline *p = graph_worked();
    for (int m = 0; m < WEIR_GPU_METHODS; m++) {
        struct trial trial = {p, {.method = (enum weir_gpu_method)m, .verify = true, .work_limit = 60}};
        assert_true(stage_fail_each_allocation(act, &trial) > 10);
    }
    weir_pipeline_free(p);
}

int memory_group(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_each)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
