/* SPDX-License-Identifier: Apache-2.0 */
/* Claims about flows that ask for more than there is, or rest on the wrong operator, or need numbers that are too long. */
#include "../engine/edf/pool.h"
#include "check/edf/flow.h"
#include "support/runner.h"

#include <string.h>

enum { OPERATORS = 48 };

struct forgery {
    struct weir_pipeline *pipeline;
    struct weir_edf_analysis *honest, analysis;
    struct weir_edf_operator operators[OPERATORS];
    struct weir_edf_latency latencies[OPERATORS]; /* of which nothing is claimed */
    struct weir_buffer buffers[2];
};

/* Each operator by one bound alone. */
static void forge(struct forgery *f, enum weir_edf_bound bound)
{
    assert_int_equal(weir_edf_analyze(f->pipeline, NULL, &f->honest, NULL), WEIR_OK);
    f->analysis = *f->honest;
    f->analysis.schedulable = true;
    f->analysis.operators = f->operators;
    f->analysis.latencies = f->latencies;
    memset(f->operators, 0, sizeof f->operators);
    for (size_t i = 0; i < f->honest->latency_count; i++) {
        f->latencies[i] = f->honest->latencies[i];
        f->latencies[i].bounded = f->latencies[i].unbounded = false;
    }
    for (uint32_t v = 0; v < weir_pipeline_operator_count(f->pipeline); v++) {
        struct weir_edf_operator *o = &f->operators[v];
        *o = f->honest->operators[v];
        memset(o->applies, 0, sizeof o->applies);
        o->applies[o->by = bound] = true;
        o->response = o->responses[bound] = bound == WEIR_EDF_ALONE ? (struct weir_ratio){o->cost, 1} : o->period;
    }
}

/* Operators of their own. */
static void open_forgery(struct forgery *f, uint32_t cores, uint32_t count, const int64_t *costs, const int64_t *periods,
                         enum weir_edf_bound bound)
{
    f->pipeline = pool_new(cores);
    for (uint32_t v = 0; v < count; v++) {
        pool_add(f->pipeline, costs[v]);
        pool_feed(f->pipeline, v, periods[v]);
    }
    stage_seal(f->pipeline);
    forge(f, bound);
    for (uint32_t v = 0; v < count; v++)
        f->operators[v].utilization = (struct weir_ratio){costs[v], periods[v]};
}

static enum weir_status check(struct forgery *f, bool *holds, char why[160])
{
    const struct weir_flow_proof proof = {&f->analysis, {-1, 1}, {-1, 1}, NULL};
    *holds = true;
    enum weir_status status = weir_flow_check(&proof, holds, why);
    weir_edf_analysis_free(f->honest);
    weir_pipeline_free(f->pipeline);
    return status;
}

static void assert_refused(struct forgery *f, const char *words)
{
    char why[160];
    bool holds;
    assert_int_equal(check(f, &holds, why), WEIR_OK);
    assert_false(holds);
    assert_string_equal(why, words);
}

/* Two cores have room for all of it; one operator cannot have more than one of them. */
TEST(test_more_than_a_core)
{
    struct forgery f;
    for (uint32_t late = 0; late < 2; late++) {
        int64_t costs[2] = {1, 1};
        costs[late] = 11;
        open_forgery(&f, 2, 2, costs, (const int64_t[]){10, 10}, WEIR_EDF_ALONE);
        f.analysis.utilization = (struct weir_ratio){12, 10};
        assert_refused(&f, late ? "operator 1 needs more than one core" : "operator 0 needs more than one core");
    }
}

/* Nobody misses a deadline if U <= m - (m - 1) times the largest: 19/10 is more than 3 - 2 x 6/10, but not than 3 - 2 x 5/10. */
TEST(test_heaviest)
{
    struct forgery f;
    for (uint32_t at = 0; at < 4; at++) {
        int64_t costs[4] = {4, 4, 4, 4};
        bool holds;
        char why[160];
        costs[at] = 6;
        costs[(at + 1) % 4] = 5;
        open_forgery(&f, 3, 4, costs, (const int64_t[]){10, 10, 10, 10}, WEIR_EDF_NO_MISS);
        f.analysis.utilization = (struct weir_ratio){19, 10};
        assert_refused(&f, "operator 0: bound 1 does not apply");
        costs[at] = 5;
        open_forgery(&f, 3, 4, costs, (const int64_t[]){10, 10, 10, 10}, WEIR_EDF_NO_MISS);
        assert_int_equal(check(&f, &holds, why), WEIR_OK);
        if (!holds)
            fail_msg("%s", why);
    }
}

/* Loads that have no short common denominator: refused, or said to be too long, but never taken. */
TEST(test_long_loads)
{
    int64_t costs[OPERATORS], periods[OPERATORS];
    unsigned refused = 0, lost = 0;
    for (uint32_t count = 2; count <= OPERATORS; count++)
        for (int bits = 30; bits < 54; bits += 3) {
            struct forgery f;
            bool holds;
            char why[160];
            for (uint32_t v = 0; v < count; v++) {
                periods[v] = (INT64_C(1) << bits) - 1 - 2 * (int64_t)v;
                costs[v] = periods[v] / 2 + 1; /* more than half */
            }
            open_forgery(&f, count, count, costs, periods, WEIR_EDF_ALONE);
            f.analysis.utilization = (struct weir_ratio){count, 2};
            enum weir_status status = check(&f, &holds, why);
            assert_false(holds);
            assert_true(status == WEIR_OVERFLOW || status == WEIR_OK);
            if (!status)
                assert_string_equal(why, "the operators need more in all than claimed");
            refused += !status;
            lost += status == WEIR_OVERFLOW;
        }
    assert_true(refused > 50 && lost > 50);
}

/* Claims about the right latencies, though of another operator. */
TEST(test_other_latencies)
{
    struct forgery f;
    open_forgery(&f, 2, 2, (const int64_t[]){1, 1}, (const int64_t[]){10, 10}, WEIR_EDF_ALONE);
    f.latencies[1].chain.from.index = 0;
    assert_refused(&f, "latency 1 is that of another chain");
    open_forgery(&f, 2, 2, (const int64_t[]){1, 1}, (const int64_t[]){10, 10}, WEIR_EDF_ALONE);
    f.latencies[1].chain.to.index = 0;
    assert_refused(&f, "latency 1 is that of another chain");
}

/* What is there at the beginning needs room, however late the producer begins. */
TEST(test_room_at_the_beginning)
{
    struct forgery f;
    for (uint32_t less = 0; less < 2; less++) {
        char why[160];
        bool holds;
        f.pipeline = pool_new(3);
        for (uint32_t v = 0; v < 3; v++)
            pool_add(f.pipeline, 1);
        pool_queue(f.pipeline, 0, 1, (const uint32_t[]){1, 1, 4, 0});
        pool_queue(f.pipeline, 1, 2, (const uint32_t[]){1, 1, 1, 3});
        pool_feed(f.pipeline, 0, 10);
        stage_seal(f.pipeline);
        forge(&f, WEIR_EDF_ALONE);
        memcpy(f.buffers, f.honest->buffers, sizeof f.buffers);
        f.analysis.buffers = f.buffers;
        f.analysis.buffer_total += (int64_t)3 - less - f.buffers[1].capacity;
        f.buffers[1].capacity = 3 - less;
        if (less) {
            assert_refused(&f, "queue 1 may need more than 2 slots");
            continue;
        }
        assert_int_equal(check(&f, &holds, why), WEIR_OK);
        if (!holds)
            fail_msg("%s", why);
    }
}

/* What executions a period apart take of a time, the first all of it, the next a period less. */
static int64_t fading(int64_t cost, int64_t time)
{
    int64_t sum = 0;
    for (; time > 0; time -= 10)
        sum += time < cost ? time : cost;
    return sum;
}

/* b looks two samples ahead, and c begins at once with the five that are there: as far as 40 before its releases, though it follows
 * what it needs within 30. The window of another operator, which all of them come before. */
TEST(test_window_at_the_beginning)
{
    struct forgery f;
    int64_t length = 1, before = 0;
    while (length > before) {
        before = length;
        length = 1 + fading(1, before) + fading(1, before + 10) + fading(5, before + 40);
    }
    for (int64_t less = 0; less < 2; less++) {
        static const int64_t costs[4] = {1, 1, 5, 1};
        char why[160];
        bool holds;
        f.pipeline = pool_new(1);
        for (uint32_t v = 0; v < 4; v++)
            pool_add(f.pipeline, costs[v]);
        pool_queue(f.pipeline, 0, 1, (const uint32_t[]){1, 1, 3, 0});
        pool_queue(f.pipeline, 1, 2, (const uint32_t[]){1, 1, 1, 5});
        for (uint32_t v = 0; v < 4; v += 3) {
            struct weir_source_spec source = {.op = {v}, .period = v ? 1000 : 10, .sporadic = true};
            assert_int_equal(weir_pipeline_add_source(f.pipeline, &source, NULL), WEIR_OK);
        }
        stage_seal(f.pipeline);
        forge(&f, WEIR_EDF_NO_MISS);
        f.operators[1].offset = (struct weir_ratio){10, 1};
        f.operators[2].offset = (struct weir_ratio){30, 1};
        struct weir_edf_operator *k = &f.operators[3];
        k->applies[k->by = WEIR_EDF_WINDOW] = true;
        k->response = k->responses[WEIR_EDF_WINDOW] = (struct weir_ratio){length - less, 1};
        if (less) {
            assert_refused(&f, "operator 3 may take longer than its window is claimed to be");
            continue;
        }
        memcpy(f.buffers, f.honest->buffers, sizeof f.buffers);
        f.analysis.buffers = f.buffers;
        for (int i = 0; i < 2; i++) { /* of these nothing is claimed */
            f.analysis.buffer_total -= f.buffers[i].capacity;
            f.buffers[i].capacity = WEIR_UNBOUNDED;
        }
        assert_int_equal(check(&f, &holds, why), WEIR_OK);
        if (!holds)
            fail_msg("%s (%ld)", why, (long)length);
    }
}
