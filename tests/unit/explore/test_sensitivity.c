/* SPDX-License-Identifier: Apache-2.0 */
/* What a latency depends on: against asking the engine about the changed model, on hand-made and random pipelines. */
#include "support/stage.h"

static struct weir_sensitivity *find(const struct weir_pipeline *p, uint32_t pair)
{
    struct weir_sensitivity *s;
    struct weir_error error = {0};
    if (weir_sensitivity_find(p, pair, NULL, &s, &error) != WEIR_OK)
        fail_msg("%s", error.message);
    return s;
}

/* 100 -> 500 -> 100 -> 400 with queues of one: the critical path goes through the slow one more than once. */
static void chain_by_hand(void **state)
{
    (void)state;
    struct weir_pipeline *p = stage_chain(4, (const int64_t[]){100, 500, 100, 400}, 1);
    struct weir_sensitivity *s = find(p, 0);
    assert_int_equal(s->now.worst.outcome, WEIR_EXACT);
    assert_int_equal(s->now.worst.value, 1600);
    assert_int_equal(s->now.period.numerator, 500);
    const int64_t worst[] = {100, 500, 100, 400}, slower[] = {1600, 1600, 1600, 1604};
    for (int i = 0; i < 4; i++) {
        assert_int_equal(s->operators[i].worst, worst[i] * 9 / 10);
        assert_int_equal(s->operators[i].slower.worst.value, slower[i]);
    }
    assert_int_equal(s->operators[1].faster.period.numerator, 450);
    assert_int_equal(s->operators[3].faster.worst.value, 1500);
    assert_true(s->queues[0].has_more);
    assert_false(s->queues[0].has_less);
    assert_true(s->queues[0].more.worst.value > 1600);
    weir_sensitivity_free(s);
    weir_pipeline_free(p);
}

static int64_t worst_of(const struct weir_pipeline *p, uint32_t pair)
{
    struct weir_analysis *a;
    assert_int_equal(weir_analyze(p, NULL, &a, NULL), WEIR_OK);
    assert_int_equal(a->latencies[pair].worst.outcome, WEIR_EXACT);
    int64_t value = a->latencies[pair].worst.value;
    weir_analysis_free(a);
    return value;
}

/* The bound of the pipeline with other times for an operator. */
static int64_t changed(const struct weir_pipeline *p, struct weir_operator op, int64_t best, int64_t worst)
{
    struct weir_pipeline *copy = weir_pipeline_copy(p, NULL);
    struct weir_operator_spec spec = weir_pipeline_operator(p, op);
    spec.best = best;
    spec.worst = worst;
    assert_int_equal(weir_pipeline_change_operator(copy, op, &spec, NULL), WEIR_OK);
    stage_seal(copy);
    int64_t value = worst_of(copy, 0);
    weir_pipeline_free(copy);
    return value;
}

static void random_slopes(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        struct weir_generate_options options = {
            .nodes = 6, .seed = seed, .density_permille = 300, .best_permille = 500, .queue = 2};
        struct weir_pipeline *p;
        assert_int_equal(weir_generate_holoscan(&options, &p, NULL), WEIR_OK);
        struct weir_sensitivity *s = find(p, 0);
        assert_int_equal(s->now.worst.value, worst_of(p, 0));
        for (uint32_t i = 0; i < weir_pipeline_operator_count(p); i++) {
            struct weir_operator op = {i};
            struct weir_operator_spec spec = weir_pipeline_operator(p, op);
            assert_int_equal(changed(p, op, spec.best, spec.worst + 1), s->operators[i].slower.worst.value);
            assert_int_equal(changed(p, op, s->operators[i].best, s->operators[i].worst), s->operators[i].faster.worst.value);
        }
        for (uint32_t i = 0; i < weir_pipeline_queue_count(p); i++) {
            assert_true(s->queues[i].has_more && s->queues[i].has_less);
            assert_int_equal(s->queues[i].more.worst.outcome, WEIR_EXACT);
        }
        weir_sensitivity_free(s);
        weir_pipeline_free(p);
    }
}

/* A loop whose queue holds just its initial messages: with less room nothing would fit. */
static void queues_at_their_limits(void **state)
{
    (void)state;
    struct weir_pipeline *p = weir_pipeline_new(NULL);
    struct weir_operator a = stage_operator(p, "a", 1, 5), b = stage_operator(p, "b", 1, 7);
    stage_queue(p, a, b, WEIR_UNBOUNDED, 0);
    stage_queue(p, b, a, 2, 2);
    struct weir_pair_spec pair = {.from = a, .to = b};
    assert_int_equal(weir_pipeline_add_pair(p, &pair, NULL), WEIR_OK);
    stage_seal(p);
    struct weir_sensitivity *s = find(p, 0);
    assert_false(s->queues[0].has_more || s->queues[0].has_less);
    assert_true(s->queues[1].has_more);
    assert_false(s->queues[1].has_less);
    weir_sensitivity_free(s);
    weir_pipeline_free(p);
}

static void bad_questions(void **state)
{
    (void)state;
    struct weir_pipeline *p = stage_chain(2, (const int64_t[]){1, 2}, 1);
    struct weir_sensitivity *s;
    struct weir_sensitivity_options options = {.permille = 1001};
    bool stop = true;
    assert_int_equal(weir_sensitivity_find(p, 1, NULL, &s, NULL), WEIR_INVALID);
    assert_int_equal(weir_sensitivity_find(p, 0, &options, &s, NULL), WEIR_INVALID);
    options = (struct weir_sensitivity_options){.stop = &stop};
    assert_int_equal(weir_sensitivity_find(p, 0, &options, &s, NULL), WEIR_INVALID);
    assert_null(s);
    weir_pipeline_free(p);
}

static enum weir_status find_again(void *context)
{
    struct weir_sensitivity *s;
    enum weir_status status = weir_sensitivity_find(context, 0, NULL, &s, NULL);
    weir_sensitivity_free(s);
    return status;
}

static void memory(void **state)
{
    (void)state;
    struct weir_pipeline *p = stage_chain(3, (const int64_t[]){1, 2, 3}, 1);
    assert_true(stage_fail_each_allocation(find_again, p) > 20);
    weir_pipeline_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chain_by_hand), cmocka_unit_test(random_slopes), cmocka_unit_test(queues_at_their_limits),
        cmocka_unit_test(bad_questions), cmocka_unit_test(memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
