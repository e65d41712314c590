/* SPDX-License-Identifier: Apache-2.0 */
/* How times are drawn, seeds, errors. */
#include "support/stage.h"

#include <string.h>

static const struct weir_operator A = {0}, B = {1};

/* ---- drawing times ---- */

struct lengths {
    int64_t begun, min, max, count, middle, run, longest[2]; /* runs at best, at worst */
    int64_t last;
};

static void measure(void *context, struct weir_operator op, enum weir_moment moment, int64_t iteration, int64_t time)
{
    (void)iteration;
    struct lengths *l = context;
    if (op.index != 0)
        return;
    if (moment == WEIR_START) {
        l->begun = time;
        return;
    }
    int64_t length = time - l->begun;
    l->min = l->count == 0 || length < l->min ? length : l->min;
    l->max = l->count == 0 || length > l->max ? length : l->max;
    l->middle += length != 10 && length != 20;
    l->run = length == l->last ? l->run + 1 : 1;
    l->last = length;
    if (length == 10 || length == 20) {
        int64_t *longest = &l->longest[length == 20];
        *longest = l->run > *longest ? l->run : *longest;
    }
    l->count++;
}

static struct lengths draw(enum weir_times times)
{
    struct lengths l = {.count = 0};
    struct weir_pipeline *p = weir_pipeline_new(NULL);
    stage_operator(p, "A", 10, 20);
    stage_operator(p, "B", 10, 20);
    stage_queue(p, A, B, 1, 0);
    stage_seal(p);
    struct weir_simulation_options options = {.iterations = 5000, .times = times, .seed = 42, .observe = measure, .context = &l};
    assert_int_equal(weir_simulate(p, &options, NULL), WEIR_OK);
    assert_int_equal(l.count, 5000);
    weir_pipeline_free(p);
    return l;
}

TEST(kinds_of_times)
{
    struct lengths best = draw(WEIR_TIMES_BEST), worst = draw(WEIR_TIMES_WORST);
    assert_int_equal(best.max, 10);
    assert_int_equal(worst.min, 20);
    struct lengths random = draw(WEIR_TIMES_RANDOM);
    assert_int_equal(random.min, 10);
    assert_int_equal(random.max, 20);
    assert_true(random.middle > 3500 && random.middle < 4600); /* 9 of 11 */
    struct lengths bang = draw(WEIR_TIMES_BANG_BANG);
    assert_int_equal(bang.middle, 0);
    assert_true(bang.longest[0] >= 30 && bang.longest[1] >= 30);
    assert_true(random.longest[0] < 10 && random.longest[1] < 10);
}

/* Where a slot is freed, and so when A starts again, shows the receive times of B. */
TEST(receive_times)
{
    static struct stage_trace trace;
    struct weir_pipeline *p = weir_pipeline_new(NULL);
    struct weir_operator_spec spec = {.name = "B", .best = 30, .worst = 30, .receive_min = 5, .receive_max = 25};
    stage_operator(p, "A", 1, 1);
    assert_int_equal(weir_pipeline_add_operator(p, &spec, NULL, NULL), WEIR_OK);
    stage_queue(p, A, B, 1, 0);
    stage_seal(p);
    for (enum weir_times times = WEIR_TIMES_RANDOM; times <= WEIR_TIMES_BANG_BANG; times++) {
        memset(&trace, 0, sizeof trace);
        struct weir_simulation_options options = {
            .iterations = 60, .times = times, .seed = 3, .observe = stage_observe, .context = &trace};
        assert_int_equal(weir_simulate(p, &options, NULL), WEIR_OK);
        int low = 0, high = 0, between = 0;
        for (int i = 1; i < 60; i++) {
            int64_t receive = trace.at[WEIR_START][0][i] - trace.at[WEIR_START][1][i - 1];
            assert_true(receive >= 5 && receive <= 25);
            low += receive == 5;
            high += receive == 25;
            between += receive != 5 && receive != 25;
        }
        assert_int_equal(low == 59, times == WEIR_TIMES_BEST);
        assert_int_equal(high == 59, times == WEIR_TIMES_WORST);
        assert_int_equal(between > 30, times == WEIR_TIMES_RANDOM);
        assert_int_equal(low && high && !between, times == WEIR_TIMES_BANG_BANG);
    }
    weir_pipeline_free(p);
}

static uint64_t fingerprint(const struct weir_pipeline *p, enum weir_times times, uint64_t seed)
{
    static struct stage_trace trace;
    memset(&trace, 0, sizeof trace);
    struct weir_simulation_options options = {
        .iterations = 300, .times = times, .seed = seed, .observe = stage_observe, .context = &trace};
    assert_int_equal(weir_simulate(p, &options, NULL), WEIR_OK);
    assert_false(trace.disordered);
    return trace.hash;
}

TEST(same_seed_same_times)
{
    struct weir_pipeline *p = stage_chain(4, (const int64_t[]){100, 300, 200, 50}, 2);
    for (enum weir_times times = WEIR_TIMES_RANDOM; times <= WEIR_TIMES_BANG_BANG; times++) {
        bool drawn = times == WEIR_TIMES_RANDOM || times == WEIR_TIMES_BANG_BANG;
        uint64_t first = fingerprint(p, times, 7);
        assert_true(first == fingerprint(p, times, 7));
        assert_int_equal(first != fingerprint(p, times, 8), drawn);
    }
    weir_pipeline_free(p);
}

/* ---- errors ---- */

static int64_t negative(void *context, struct weir_operator op, enum weir_part part, int64_t iteration)
{
    (void)context, (void)op, (void)part;
    return iteration == 3 ? -1 : 1;
}

TEST(wrong_arguments)
{
    struct weir_error error;
    struct weir_pipeline *open = weir_pipeline_new(NULL), *p = stage_chain(2, (const int64_t[]){1, 1}, 1);
    stage_operator(open, "A", 0, 1);
    struct weir_simulation_options options = {.iterations = 5};
    assert_int_equal(weir_simulate(open, &options, &error), WEIR_INVALID);
    assert_string_equal(error.message, "the pipeline is not sealed");
    options.iterations = 0;
    assert_int_equal(weir_simulate(p, &options, &error), WEIR_INVALID);
    options = (struct weir_simulation_options){.iterations = 5, .times = WEIR_TIMES_GIVEN};
    assert_int_equal(weir_simulate(p, &options, &error), WEIR_INVALID);
    options.given = negative;
    assert_int_equal(weir_simulate(p, &options, &error), WEIR_INVALID);
    assert_string_equal(error.message, "an execution was given a negative time");
    options.iterations = 3;
    assert_int_equal(weir_simulate(p, &options, NULL), WEIR_OK);
    options.times = (enum weir_times)9;
    assert_int_equal(weir_simulate(p, &options, &error), WEIR_INVALID);
    weir_pipeline_free(open);
    weir_pipeline_free(p);
}

TEST(time_runs_out)
{
    struct weir_error error;
    struct weir_pipeline *p = stage_chain(2, (const int64_t[]){INT64_C(1) << 58, INT64_C(1) << 59}, 1);
    struct weir_simulation_options options = {.iterations = 14, .times = WEIR_TIMES_WORST};
    assert_int_equal(weir_simulate(p, &options, NULL), WEIR_OK);
    options.iterations = 17;
    assert_int_equal(weir_simulate(p, &options, &error), WEIR_OVERFLOW);
    weir_pipeline_free(p);
}

static enum weir_status simulate(void *pipeline)
{
    struct weir_simulation_options options = {.iterations = 5};
    return weir_simulate(pipeline, &options, NULL);
}

TEST(failing_memory)
{
    struct weir_pipeline *p = stage_chain(3, (const int64_t[]){1, 2, 3}, 1);
    assert_true(stage_fail_each_allocation(simulate, p) >= 5);
    weir_pipeline_free(p);
}
