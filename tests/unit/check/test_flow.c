/* SPDX-License-Identifier: Apache-2.0 */
/* Claims about flows on a pool of cores: true ones hold, and none of them can be made any better by forging it. */
#include "../engine/edf/pool.h"
#include "check/big.h"
#include "check/edf/flow.h"
#include "support/runner.h"

#include <string.h>

static const uint32_t plain[4] = {1, 1, 1, 0};

/* An analysis that can be written to, of the same pipeline. */
struct forgery {
    struct weir_pipeline *pipeline;
    struct weir_edf_analysis *honest;
    struct weir_edf_analysis analysis;
    struct weir_edf_operator operators[32];
    struct weir_edf_latency latencies[32];
    struct weir_buffer buffers[32];
    struct weir_flow_proof proof;
};

/* s and x back from the responses of operator v, whose cost is small enough for both to show. */
static void open_forgery(struct forgery *f, struct weir_pipeline *p, struct weir_ratio x, struct weir_ratio s)
{
    f->pipeline = p;
    f->honest = pool_published(p, 0);
    assert_true(f->honest->schedulable);
    f->proof = (struct weir_flow_proof){&f->analysis, x, s, NULL};
}

static void reset(struct forgery *f)
{
    const struct weir_edf_analysis *a = f->honest;
    f->analysis = *a;
    memcpy(f->operators, a->operators, weir_pipeline_operator_count(f->pipeline) * sizeof *a->operators);
    memcpy(f->latencies, a->latencies, a->latency_count * sizeof *a->latencies);
    memcpy(f->buffers, a->buffers, a->buffer_count * sizeof *a->buffers);
    f->analysis.operators = f->operators;
    f->analysis.latencies = f->latencies;
    f->analysis.buffers = f->buffers;
}

static void close_forgery(struct forgery *f)
{
    weir_edf_analysis_free(f->honest);
    weir_pipeline_free(f->pipeline);
}

static void assert_holds(struct forgery *f)
{
    bool holds = false;
    char why[160];
    assert_int_equal(weir_flow_check(&f->proof, &holds, why), WEIR_OK);
    if (!holds)
        fail_msg("%s", why);
}

static void assert_fails(struct forgery *f, const char *words)
{
    bool holds = true;
    char why[160];
    assert_int_equal(weir_flow_check(&f->proof, &holds, why), WEIR_OK);
    assert_false(holds);
    assert_string_equal(why, words);
    assert_int_equal(weir_flow_check(&f->proof, &holds, NULL), WEIR_OK);
    assert_false(holds);
    reset(f);
}

/* Next to nothing off, or on. */
static void shave(struct weir_ratio *r, int sign)
{
    int64_t fine = INT64_C(1) << 30;
    *r = (struct weir_ratio){r->numerator * fine + sign, r->denominator * fine};
}

/* Three operators of these costs on two cores. One source, rates 1 : 2, then 1 : 1. */
static struct weir_pipeline *three(const int64_t costs[3])
{
    struct weir_pipeline *p = pool_new(2);
    for (int i = 0; i < 3; i++)
        pool_add(p, costs[i]);
    pool_queue(p, 0, 1, (const uint32_t[]){1, 2, 2, 0});
    pool_queue(p, 1, 2, plain);
    pool_feed(p, 0, 10);
    stage_seal(p);
    return p;
}

static struct weir_pipeline *even(void)
{
    return three((const int64_t[]){5, 10, 12});
}

/* U = 1.6, k = 1, x = (12 - 5) / 2; p_min = 10; s from 2 s = max_i (e_i - 10 u_i + u_i (s - e_i / 2)) + 16:
 * i = 2: 12 - 6 + 3 / 5 (s - 6) gives 7 / 5 s = 92 / 5, s = 92 / 7; i = 1: 10 - 5 + (s - 5) / 2 gives 37 / 3 and is less. */
static const struct weir_ratio even_x = {7, 2}, even_s = {92, 7};

TEST(test_true_claims)
{
    struct forgery f;
    open_forgery(&f, even(), even_x, even_s);
    reset(&f);
    assert_ratio(f.operators[2].responses[WEIR_EDF_COMPLIANT], 10 * 7 + 12 * 7 + 92 - 6 * 7, 7);
    assert_holds(&f);
    shave(&f.proof.s, 1); /* larger than needed, but then so must be what rests on it */
    assert_fails(&f, "operator 0 may take longer than claimed");
    f.proof.s = even_s;
    shave(&f.operators[2].offset, 1);
    f.latencies[0].worst.numerator *= 2;
    f.buffers[1].capacity += 5;
    f.analysis.buffer_total += 5;
    assert_holds(&f);
    f.latencies[0].bounded = false;
    assert_holds(&f);
    f.latencies[0].unbounded = true;
    assert_fails(&f, "latency 0 waits for no source that may be silent");
    f.analysis.schedulable = false; /* claims nothing */
    memset(f.operators, 0, sizeof f.operators);
    assert_holds(&f);
    close_forgery(&f);
}

/* Windows that close later than claimed, one at a time; and all of them at once, each of which would be right if the others were.
 */
TEST(test_forged_windows)
{
    struct forgery f;
    unsigned found = 0;
    open_forgery(&f, three((const int64_t[]){1, 2, 3}), (struct weir_ratio){0, 1},
                 (struct weir_ratio){7, 4}); /* k = 0, s = U p_min / 2 */
    weir_edf_analysis_free(f.honest);
    f.honest = pool_analyze(f.pipeline, 0);
    uint32_t count = (uint32_t)weir_pipeline_operator_count(f.pipeline);
    reset(&f);
    assert_holds(&f);
    for (uint32_t v = 0; v < count; v++) {
        char words[96];
        struct weir_edf_operator *o = &f.operators[v];
        reset(&f);
        if (!o->applies[WEIR_EDF_WINDOW])
            continue;
        found++;
        snprintf(words, sizeof words, "operator %u may take longer than its window is claimed to be", v);
        o->responses[WEIR_EDF_WINDOW].numerator -= o->responses[WEIR_EDF_WINDOW].denominator; /* waits are whole ticks */
        o->response = o->responses[WEIR_EDF_WINDOW];
        bool holds = true;
        char why[160];
        assert_int_equal(weir_flow_check(&f.proof, &holds, why), WEIR_OK);
        assert_false(holds);
        assert_string_equal(why, words);
    }
    assert_true(found > 0);
    reset(&f);
    for (uint32_t v = 0; v < count; v++) {
        f.operators[v].applies[WEIR_EDF_WINDOW] = true;
        f.operators[v].by = WEIR_EDF_WINDOW;
        f.operators[v].responses[WEIR_EDF_WINDOW] = f.operators[v].response = (struct weir_ratio){0, 1};
    }
    assert_fails(&f, "operator 0 may take longer than its window is claimed to be");
    close_forgery(&f);
}

TEST(test_forged_responses)
{
    struct forgery f;
    open_forgery(&f, even(), even_x, even_s);
    reset(&f);
    for (unsigned b = WEIR_EDF_DEVI_ANDERSON; b <= WEIR_EDF_COMPLIANT; b++) {
        shave(&f.operators[1].responses[b], -1);
        f.operators[1].response = f.operators[1].responses[f.operators[1].by];
        assert_fails(&f, "operator 1 may take longer than claimed");
    }
    shave(&f.operators[1].response, -1);
    assert_fails(&f, "operator 1: the response is not that of its bound");
    f.operators[1].applies[WEIR_EDF_ALONE] = true;
    f.operators[1].responses[WEIR_EDF_ALONE] = (struct weir_ratio){10, 1};
    assert_fails(&f, "operator 1: bound 0 does not apply");
    f.operators[1].applies[WEIR_EDF_NO_MISS] = true;
    f.operators[1].responses[WEIR_EDF_NO_MISS] = f.operators[1].period;
    assert_fails(&f, "operator 1: bound 1 does not apply");
    f.operators[1].by = WEIR_EDF_WINDOW; /* of which nothing is said */
    f.operators[1].response = f.operators[1].responses[WEIR_EDF_WINDOW] = (struct weir_ratio){10, 1};
    f.operators[1].applies[WEIR_EDF_WINDOW] = false;
    assert_fails(&f, "operator 1: an invalid claim");
    f.operators[1].by = WEIR_EDF_BOUNDS;
    assert_fails(&f, "operator 1: an invalid claim");
    f.operators[1].response.denominator = 0;
    assert_fails(&f, "operator 1: an invalid claim");
    f.operators[1].responses[WEIR_EDF_COMPLIANT].denominator = -7;
    assert_fails(&f, "operator 1: an invalid response");
    shave(&f.proof.s, -1);
    assert_fails(&f, "s is too small");
    f.proof.s = (struct weir_ratio){5, 1};
    assert_fails(&f, "s is below a share of the cost of operator 2");
    f.proof.s = (struct weir_ratio){-1, 1};
    assert_fails(&f, "there is no valid s");
    f.proof.s = even_s;
    shave(&f.proof.x, -1);
    assert_fails(&f, "x is too small");
    f.proof.x = (struct weir_ratio){1, 0};
    assert_fails(&f, "there is no valid x");
    close_forgery(&f);
}

TEST(test_forged_loads)
{
    struct forgery f;
    open_forgery(&f, even(), even_x, even_s);
    reset(&f);
    f.analysis.cores = 1;
    assert_fails(&f, "the operators need more than all cores");
    f.analysis.cores = 0;
    assert_fails(&f, "the claims are about another pipeline");
    shave(&f.analysis.utilization, -1);
    assert_fails(&f, "the operators need more in all than claimed");
    shave(&f.operators[0].utilization, -1);
    assert_fails(&f, "operator 0 uses more of a core than claimed");
    f.operators[0].cost--;
    assert_fails(&f, "operator 0 is not that of the pipeline");
    f.operators[2].period.numerator++;
    assert_fails(&f, "operator 2 is not that of the pipeline");
    f.analysis.sporadic = true;
    assert_fails(&f, "the form of the claims is not that of the sources");
    f.analysis.buffer_count--;
    assert_fails(&f, "the claims are about another pipeline");
    f.analysis.pipeline = NULL;
    assert_fails(&f, "the claims are about no flow");
    close_forgery(&f);
}

TEST(test_forged_times)
{
    struct forgery f;
    open_forgery(&f, even(), even_x, even_s);
    reset(&f);
    shave(&f.operators[2].offset, -1);
    assert_fails(&f, "operator 2 may be released later than claimed");
    shave(&f.operators[1].offset, 1); /* then what follows is later by as little */
    assert_fails(&f, "operator 2 may be released later than claimed");
    f.operators[0].offset = (struct weir_ratio){-1, 1};
    assert_fails(&f, "operator 0: an invalid claim");
    shave(&f.latencies[0].worst, -1);
    assert_fails(&f, "latency 0 may be longer than claimed");
    f.latencies[0].chain.to.index = 1;
    assert_fails(&f, "latency 0 is that of another chain");
    f.latencies[0].worst.denominator = 0;
    assert_fails(&f, "latency 0: an invalid claim");
    f.buffers[0].chosen = false;
    assert_fails(&f, "queue 0 is not that of the pipeline");
    f.analysis.buffer_total--;
    assert_fails(&f, "the capacities do not add up");
    f.buffers[1].capacity = 1;
    assert_fails(&f, "queue 1 may need more than 1 slots");
    close_forgery(&f);
}

/* What the engine gives queues is more than they need: the least that is accepted is found by going down. */
TEST(test_least_capacity)
{
    struct forgery f;
    struct weir_pipeline *p = pool_new(2);
    pool_add(p, 2);
    pool_add(p, 3);
    pool_queue(p, 0, 1, (const uint32_t[]){1, 1, 1, 5});
    pool_feed(p, 0, 10);
    stage_seal(p);
    open_forgery(&f, p, (struct weir_ratio){0, 1}, (struct weir_ratio){5, 2});
    reset(&f);
    assert_int_equal(f.buffers[0].capacity, 7);
    f.buffers[0].capacity = 6;
    f.analysis.buffer_total = 6;
    assert_holds(&f);
    f.buffers[0].capacity = 5;
    f.analysis.buffer_total = 5;
    assert_fails(&f, "queue 0 may need more than 5 slots");
    shave(&f.latencies[0].worst, -1);
    assert_fails(&f, "latency 0 may be longer than claimed");
    close_forgery(&f);
}

/* 2 : 3 behind a sporadic source on two cores, and a queue that gets all it needs. */
TEST(test_forged_sporadic)
{
    struct forgery f;
    struct weir_pipeline *p = pool_new(2);
    pool_add(p, 2);
    pool_add(p, 3);
    pool_queue(p, 0, 1, (const uint32_t[]){2, 3, 3, 0});
    struct weir_source_spec source = {.op = {0}, .period = 10, .sporadic = true};
    assert_int_equal(weir_pipeline_add_source(p, &source, NULL), WEIR_OK);
    stage_seal(p);
    open_forgery(&f, p, (struct weir_ratio){0, 1}, (struct weir_ratio){2, 1});
    reset(&f);
    assert_holds(&f);
    shave(&f.operators[1].offset, -1);
    assert_fails(&f, "operator 1 may be released later than claimed");
    shave(&f.latencies[0].worst, -1);
    assert_fails(&f, "latency 0 may be longer than claimed");
    f.latencies[0].gathering.numerator = 1;
    assert_fails(&f, "latency 0 may be longer than claimed");
    f.buffers[0].capacity--;
    f.analysis.buffer_total--;
    assert_fails(&f, "queue 0 may need more than 4 slots");
    close_forgery(&f);
}

TEST(test_forged_join)
{
    struct forgery f;
    struct weir_pipeline *p = pool_new(3);
    for (uint32_t i = 0; i < 3; i++)
        pool_add(p, 1);
    pool_queue(p, 0, 2, plain);
    pool_queue(p, 1, 2, plain);
    pool_feed(p, 0, 10);
    struct weir_source_spec source = {.op = {1}, .period = 10, .bursty = true};
    assert_int_equal(weir_pipeline_add_source(p, &source, NULL), WEIR_OK);
    stage_deadline(p, 0, 2, 1000);
    stage_seal(p);
    open_forgery(&f, p, (struct weir_ratio){0, 1}, (struct weir_ratio){1, 1});
    reset(&f);
    assert_holds(&f);
    assert_true(f.latencies[0].unbounded);
    f.latencies[0].bounded = true;
    f.latencies[0].worst = (struct weir_ratio){1000000, 1};
    assert_fails(&f, "latency 0 has no bound: it waits for another source");
    f.buffers[1].capacity = 1000000;
    assert_fails(&f, "queue 1 may need more than 1000000 slots");
    close_forgery(&f);
}

/* A source that may be silent: nothing in a join follows another operator within any time. */
TEST(test_forged_window_of_a_join)
{
    struct forgery f;
    struct weir_pipeline *p = pool_new(1);
    static const int64_t costs[4] = {2, 2, 3, 3};
    for (uint32_t i = 0; i < 4; i++)
        pool_add(p, costs[i]);
    pool_queue(p, 0, 2, plain);
    pool_queue(p, 1, 2, plain);
    pool_queue(p, 2, 3, plain);
    for (uint32_t i = 0; i < 2; i++) {
        struct weir_source_spec source = {.op = {i}, .period = 20, .sporadic = true};
        assert_int_equal(weir_pipeline_add_source(p, &source, NULL), WEIR_OK);
    }
    stage_seal(p);
    open_forgery(&f, p, (struct weir_ratio){0, 1}, (struct weir_ratio){10, 1});
    weir_edf_analysis_free(f.honest);
    f.honest = pool_analyze(p, 0);
    for (uint32_t v = 2; v < 4; v++) {
        struct weir_edf_operator *o = &f.operators[v];
        reset(&f);
        o->applies[o->by = WEIR_EDF_WINDOW] = true;
        o->response = o->responses[WEIR_EDF_WINDOW] = (struct weir_ratio){10, 1}; /* behind all the others, once each */
        assert_holds(&f);
        o->response = o->responses[WEIR_EDF_WINDOW] = (struct weir_ratio){9, 1};
        assert_fails(&f, v == 2 ? "operator 2 may take longer than its window is claimed to be"
                                : "operator 3 may take longer than its window is claimed to be");
    }
    close_forgery(&f);
}

/* c needs two of a, every 10, and one of b, in bursts of two every 40; d follows. Queues into c in this order or the other one,
 * with these initial samples; on a core each, where everything takes 1. */
static void join_of_bursts(struct forgery *f, bool other, uint32_t of_a, uint32_t of_b)
{
    struct weir_pipeline *p = pool_new(4);
    struct weir_source_spec a = {.op = {0}, .period = 10, .sporadic = true},
                            b = {.op = {1}, .period = 40, .count = 2, .bursty = true};
    for (uint32_t i = 0; i < 4; i++)
        pool_add(p, 1);
    for (uint32_t i = 0; i < 2; i++)
        if ((i == 1) == other)
            pool_queue(p, 0, 2, (const uint32_t[]){1, 2, 2, of_a});
        else
            pool_queue(p, 1, 2, (const uint32_t[]){1, 1, 1, of_b});
    pool_queue(p, 2, 3, plain);
    assert_int_equal(weir_pipeline_add_source(p, &a, NULL), WEIR_OK);
    assert_int_equal(weir_pipeline_add_source(p, &b, NULL), WEIR_OK);
    stage_seal(p);
    open_forgery(f, p, (struct weir_ratio){0, 1}, (struct weir_ratio){1, 1});
    reset(f);
    for (uint32_t v = 0; v < 4; v++) {
        struct weir_edf_operator *o = &f->operators[v];
        for (int k = 0; k < WEIR_EDF_BOUNDS; k++)
            o->applies[k] = k == WEIR_EDF_ALONE;
        o->by = WEIR_EDF_ALONE;
        o->response = o->responses[WEIR_EDF_ALONE] = (struct weir_ratio){1, 1};
    }
}

static void refuses(struct forgery *f, const char *words)
{
    bool holds = true;
    char why[160];
    assert_int_equal(weir_flow_check(&f->proof, &holds, why), WEIR_OK);
    assert_false(holds);
    assert_string_equal(why, words);
}

TEST(test_forged_join_of_bursts)
{
    struct forgery f;
    for (int other = 0; other < 2; other++) {
        join_of_bursts(&f, other, 0, 0);
        f.operators[2].offset = (struct weir_ratio){1, 1};
        f.operators[3].offset = (struct weir_ratio){2, 1};
        /* b may be held back by 20: in 20 + 2 + 1 + 20, three of c at most; two wait */
        f.analysis.buffer_total += 2 - f.buffers[2].capacity;
        f.buffers[2].capacity = 2;
        assert_holds(&f);
        f.buffers[2].capacity = 1;
        f.analysis.buffer_total--;
        refuses(&f, "queue 2 may need more than 1 slots");
        close_forgery(&f);
        /* With so many initial samples phi is 40 at most: by 40 - 20, a period of c, + 20, the longest of a source. */
        join_of_bursts(&f, other, 4, 1);
        f.operators[2].offset = (struct weir_ratio){40, 1};
        assert_holds(&f);
        f.operators[2].offset.numerator--;
        refuses(&f, "operator 2 may be released later than claimed");
        close_forgery(&f);
    }
}

/* b, which looks two samples ahead, begins late; c begins at once with what there is, and two of its executions may be over when d
 * begins with the first. e follows. */
TEST(test_forged_beginning)
{
    struct forgery f;
    struct weir_pipeline *p = pool_new(5);
    struct weir_source_spec source = {.op = {0}, .period = 10, .sporadic = true};
    static const int64_t costs[5] = {1, 1, 9, 9, 9};
    for (uint32_t i = 0; i < 5; i++)
        pool_add(p, costs[i]);
    pool_queue(p, 0, 1, (const uint32_t[]){1, 1, 3, 0});
    pool_queue(p, 1, 2, (const uint32_t[]){1, 1, 1, 2});
    pool_queue(p, 2, 3, plain);
    pool_queue(p, 3, 4, plain);
    assert_int_equal(weir_pipeline_add_source(p, &source, NULL), WEIR_OK);
    stage_seal(p);
    open_forgery(&f, p, (struct weir_ratio){0, 1}, (struct weir_ratio){5, 1});
    reset(&f);
    for (uint32_t v = 0; v < 5; v++) {
        struct weir_edf_operator *o = &f.operators[v];
        for (int k = 0; k < WEIR_EDF_BOUNDS; k++)
            o->applies[k] = k == WEIR_EDF_ALONE;
        o->by = WEIR_EDF_ALONE;
        o->response = o->responses[WEIR_EDF_ALONE] = (struct weir_ratio){costs[v], 1};
    }
    /* The line of d begins at 9, and c is 20 ahead of its own: 9 + 9 + 20, in which there are three of c at most; 18 + 9 + 20 for d
     * and e. From the arrivals that are needed it would be 11 + 9 + 10, and 20 + 9 + 10. */
    assert_ratio(f.operators[3].offset, 11, 1);
    for (uint32_t queue = 2; queue < 4; queue++) {
        f.analysis.buffer_total += queue + 1 - f.buffers[queue].capacity;
        f.buffers[queue].capacity = queue + 1;
        assert_holds(&f);
    }
    f.analysis.buffer_total--;
    f.buffers[3].capacity--;
    refuses(&f, "queue 3 may need more than 3 slots");
    f.buffers[3].capacity++;
    f.buffers[2].capacity--;
    refuses(&f, "queue 2 may need more than 2 slots");
    close_forgery(&f);
}

/* ---- long numbers ---- */

TEST(test_big)
{
    struct weir_big a, b;
    weir_big_set(&a, INT64_MIN);
    weir_big_set(&b, -1);
    weir_big_add(&a, &b);
    weir_big_multiply(&a, -4); /* 2^65 + 4 */
    assert_int_equal(a.count, 2);
    assert_int_equal(weir_big_divide(&a, 5), 1); /* 36893488147419103236 = 5 * 7378697629483820647 + 1 */
    weir_big_set(&b, INT64_C(7378697629483820647));
    assert_int_equal(weir_big_compare(&a, &b), 0);
    weir_big_subtract(&a, &b);
    assert_int_equal(a.count, 0);
    assert_false(a.negative);
    weir_big_subtract(&a, &b);
    assert_true(a.negative);
    assert_int_equal(weir_big_compare(&a, &b), -1);
    weir_big_multiply(&a, 0);
    assert_false(a.negative);
    weir_big_set(&a, 1);
    for (int i = 0; i < WEIR_BIG_LIMBS * 64 - 1; i++)
        weir_big_multiply(&a, 2);
    assert_false(a.lost);
    weir_big_copy(&b, &a);
    weir_big_add(&a, &b);
    assert_true(a.lost);
    weir_big_add(&b, &a);
    assert_true(b.lost);
}

/* Units of any length, up to what there is room for and beyond: never is a claim taken that is too small. */
TEST(test_long_units)
{
    struct weir_pipeline *p = pool_new(32);
    for (uint32_t i = 0; i < 32; i++) {
        pool_add(p, 1);
        if (i)
            pool_queue(p, i - 1, i, plain);
    }
    pool_feed(p, 0, 1000);
    stage_seal(p);
    struct forgery f;
    unsigned answers[3] = {0}; /* refused, accepted, too long */
    open_forgery(&f, p, (struct weir_ratio){0, 1}, (struct weir_ratio){1, 1});
    for (uint32_t count = 0; count <= 32; count++)
        for (int64_t bits = 20; bits < 57; bits += 3)
            for (int less = 0; less < 2; less++) {
                bool holds = false;
                reset(&f);
                for (uint32_t i = 0; i < 32; i++) { /* a little more than one */
                    struct weir_edf_operator *o = &f.operators[i];
                    int64_t down = (INT64_C(1) << bits) - 1 - (int64_t)i * 2;
                    o->offset = (struct weir_ratio){2 * (int64_t)i, 1};
                    if (i < count)
                        o->response = o->responses[o->by] = (struct weir_ratio){down + 1, down};
                    for (int b = 0; b < WEIR_EDF_BOUNDS; b++)
                        o->applies[b] = b == (int)o->by;
                }
                f.latencies[0].worst = f.operators[31].response;
                f.latencies[0].worst.numerator += 62 * f.latencies[0].worst.denominator - less;
                enum weir_status status = weir_flow_check(&f.proof, &holds, NULL);
                answers[status ? 2 : holds]++;
                assert_true(status == WEIR_OK ? holds == !less : status == WEIR_OVERFLOW && !holds);
            }
    assert_true(answers[0] > 100 && answers[1] > 100 && answers[2] >= 10);
    close_forgery(&f);
}

/* Windows of times near the largest there are. */
TEST(test_long_windows)
{
    struct weir_pipeline *p = pool_new(2);
    for (uint32_t i = 0; i < 3; i++) {
        pool_add(p, INT64_C(1) << 55);
        pool_feed(p, i, INT64_C(1) << 58);
    }
    stage_seal(p);
    struct forgery f;
    bool holds = true;
    open_forgery(&f, p, (struct weir_ratio){0, 1}, (struct weir_ratio){1, 1});
    reset(&f);
    for (uint32_t v = 0; v < 3; v++) {
        struct weir_edf_operator *o = &f.operators[v];
        for (int b = 0; b < WEIR_EDF_BOUNDS; b++)
            o->applies[b] = b == WEIR_EDF_WINDOW;
        o->by = WEIR_EDF_WINDOW;
        o->response = o->responses[WEIR_EDF_WINDOW] = (struct weir_ratio){o->cost + v, 1};
    }
    assert_int_equal(weir_flow_check(&f.proof, &holds, NULL), WEIR_OVERFLOW);
    assert_false(holds);
    for (uint32_t v = 0; v < 3; v++) /* a scale without end */
        f.operators[v].responses[WEIR_EDF_WINDOW] = f.operators[v].response =
            (struct weir_ratio){INT64_MAX / 2, (INT64_C(1) << 60) - 1 - v};
    holds = true;
    assert_int_equal(weir_flow_check(&f.proof, &holds, NULL), WEIR_OVERFLOW);
    assert_false(holds);
    close_forgery(&f);
}

/* A unit for all claims that has no end: said, not guessed. */
TEST(test_too_long)
{
    struct weir_pipeline *p = pool_new(32);
    for (uint32_t i = 0; i < 32; i++) {
        pool_add(p, 1);
        if (i)
            pool_queue(p, i - 1, i, plain);
    }
    pool_feed(p, 0, 1000);
    stage_seal(p);
    struct forgery f;
    open_forgery(&f, p, (struct weir_ratio){0, 1}, (struct weir_ratio){1, 1});
    reset(&f);
    for (uint32_t i = 0; i < 32; i++) { /* denominators that share next to nothing */
        f.operators[i].response = (struct weir_ratio){INT64_MAX, INT64_MAX / 3 - (int64_t)i * 1001};
        for (int b = 0; b < WEIR_EDF_BOUNDS; b++)
            f.operators[i].responses[b] = f.operators[i].response;
    }
    bool holds = true;
    char why[160];
    assert_int_equal(weir_flow_check(&f.proof, &holds, why), WEIR_OVERFLOW);
    assert_false(holds);
    assert_string_equal(why, "numbers get too long");
    close_forgery(&f);
}
