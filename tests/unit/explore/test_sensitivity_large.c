/* SPDX-License-Identifier: Apache-2.0 */
/* What a latency depends on in a pipeline so large that not everything can be tried. */
#include "support/stage.h"

#include <stdio.h>

/* So many operators that there is not work enough for all: those on the critical path come first, and it ends. */
static void a_long_chain(void **state)
{
    (void)state;
    enum { COUNT = 1500 };
    struct weir_pipeline *p = weir_pipeline_new(NULL);
    struct weir_operator last = {0}, side = {0};
    for (uint32_t i = 0; i < COUNT; i++) {
        char name[16];
        snprintf(name, sizeof name, "o%u", i);
        struct weir_operator op = stage_operator(p, name, 1, i == COUNT - 1 ? 100000 : 2);
        if (i == 1 || i == COUNT - 1)
            stage_queue(p, (struct weir_operator){0}, op, 1, 0);
        else if (i)
            stage_queue(p, last, op, 1, 0);
        last = op;
        side = op;
    }
    struct weir_chain_spec chain = {.from = {0}, .to = side};
    assert_int_equal(weir_pipeline_add_chain(p, &chain, NULL), WEIR_OK);
    stage_seal(p);
    struct weir_sensitivity *s;
    assert_int_equal(weir_sensitivity_find(p, 0, NULL, &s, NULL), WEIR_OK);
    size_t known = 0;
    for (uint32_t i = 0; i < COUNT; i++)
        known += s->operators[i].faster.worst.outcome == WEIR_EXACT;
    assert_int_equal(s->operators[COUNT - 1].slower.worst.outcome, WEIR_EXACT);
    assert_int_equal(s->operators[COUNT - 1].faster.worst.outcome, WEIR_EXACT);
    assert_true(known >= 10 && known < COUNT);
    assert_int_equal(s->operators[COUNT - 2].faster.worst.outcome, WEIR_BRACKET);
    assert_int_equal(s->operators[COUNT - 2].faster.period.denominator, 0);
    weir_sensitivity_free(s);
    weir_pipeline_free(p);
}

int sensitivity_large_group(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_long_chain)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
