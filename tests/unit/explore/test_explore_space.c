/* SPDX-License-Identifier: Apache-2.0 */
/* Points of a space as models, and for how long a regulator holds an input. */
#include "explore/arrange/design_space.h"

#include "support/stage.h"

#include <string.h>

/* ---- regulators ---- */

#define INPUTS 5

/* The longest that any of some inputs is held, over all arrivals in order within their jitter. */
static int64_t longest(int64_t period, int64_t jitter, int64_t spacing)
{
    int64_t late[INPUTS] = {0}, most = 0;
    for (bool more = true; more;) {
        int64_t last = INT64_MIN / 2, passed = INT64_MIN / 2;
        bool ordered = true;
        for (int i = 0; i < INPUTS; i++) {
            int64_t arrival = i * period + late[i];
            ordered &= arrival >= last;
            last = arrival;
            passed = arrival > passed + spacing ? arrival : passed + spacing;
            if (ordered && passed - arrival > most)
                most = passed - arrival;
        }
        more = false;
        for (int i = 0; i < INPUTS && !more; i++) {
            more = late[i] < jitter;
            late[i] = more ? late[i] + 1 : 0;
        }
    }
    return most;
}

static void test_delay(void **state)
{
    (void)state;
    for (int64_t period = 2; period <= 4; period++)
        for (int64_t jitter = 0; jitter <= 7; jitter++)
            for (int64_t spacing = 1; spacing <= period; spacing++)
                if (jitter / period + 1 < INPUTS)
                    assert_int_equal(weir_spacing_delay(period, jitter, spacing), longest(period, jitter, spacing));
}

/* ---- points ---- */

static struct weir_pipeline *two_on_one(void)
{
    static const char text[] =
        "processors: [p, q]\noperators:\n  a: {time: 1, on: p, priority: 1}\n  b: {time: 2, on: p, priority: 2}\n"
        "queue: auto\nqueues: [a -> b]\nsource: {operator: a, period: 10, jitter: 12, phase: 3}\n"
        "deadlines: [{from: a, to: b, within: 40}, {from: b, to: b, within: 9}]\n";
    struct weir_pipeline *model = NULL;
    assert_int_equal(weir_read_memory(text, strlen(text), "model", NULL, &model, NULL), WEIR_OK);
    return model;
}

static void test_apply(void **state)
{
    (void)state;
    struct weir_pipeline *model = two_on_one(), *changed = NULL;
    struct weir_variable variables[] = {{WEIR_VARIABLE_PROCESSOR, 0},
                                        {WEIR_VARIABLE_PRIORITY, 1},
                                        {WEIR_VARIABLE_CAPACITY, 0},
                                        {WEIR_VARIABLE_SPACING, 0},
                                        {WEIR_VARIABLE_PRIORITY, 0}};
    struct weir_design_space space = {model, variables, 5};
    assert_int_equal(weir_design_space_apply(&space, (const int64_t[]){1, -7, 3, 4, WEIR_UNCHANGED}, &changed, NULL), WEIR_OK);
    assert_true(weir_pipeline_sealed(changed));
    struct weir_operator_spec a = weir_pipeline_operator(changed, (struct weir_operator){0});
    assert_int_equal(a.on.index, 1);
    assert_int_equal(a.priority, 1);
    assert_int_equal(weir_pipeline_operator(changed, (struct weir_operator){1}).priority, -7);
    assert_int_equal(weir_pipeline_queue(changed, (struct weir_queue){0}).capacity, 3);
    struct weir_source_spec source = weir_pipeline_source(changed, 0);
    assert_int_equal(source.period, 4);
    assert_int_equal(source.jitter, 0);
    assert_true(source.sporadic);
    assert_false(source.has_phase);
    /* Held for up to 4; only what begins at the source is shorter. */
    assert_int_equal(weir_spacing_delay(10, 12, 4), 4);
    assert_int_equal(weir_pipeline_chain(changed, 0).deadline, 36);
    assert_int_equal(weir_pipeline_chain(changed, 1).deadline, 9);
    /* The model is what it was. */
    assert_int_equal(weir_pipeline_source(model, 0).period, 10);
    assert_int_equal(weir_pipeline_chain(model, 0).deadline, 40);
    weir_pipeline_free(changed);
    weir_pipeline_free(model);
}

static void test_no_such_model(void **state)
{
    (void)state;
    struct weir_pipeline *model = two_on_one(), *changed = model;
    struct weir_variable variable = {WEIR_VARIABLE_CAPACITY, 0};
    struct weir_design_space space = {model, &variable, 1};
    struct weir_error error;
    assert_int_equal(weir_design_space_apply(&space, (const int64_t[]){0}, &changed, &error), WEIR_INVALID);
    assert_null(changed);
    assert_true(strlen(error.message) > 0);
    weir_pipeline_free(model);
}

int explore_space_group(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_delay), cmocka_unit_test(test_apply),
                                       cmocka_unit_test(test_no_such_model)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
