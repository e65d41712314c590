/* SPDX-License-Identifier: Apache-2.0 */
/* Figure 1 and Tables I and II of the execution-interval paper, to the digit. */
#include "support/runner.h"
#include "weir.h"

#include <stdlib.h>

static struct weir_pipeline *make(const char *system, int64_t period, int64_t jitter)
{
    struct weir_pipeline *p = NULL;
    assert_int_equal(weir_generate_priority_system(system, period, jitter, &p, NULL), WEIR_OK);
    return p;
}

static struct weir_priority_analysis *analyze(const struct weir_pipeline *p, enum weir_priority_method method)
{
    struct weir_priority_analysis *analysis = NULL;
    struct weir_error error = {0};
    struct weir_priority_options options = {.method = method, .verify = true};
    if (weir_priority_analyze(p, &options, &analysis, &error) != WEIR_OK)
        fail_msg("%s: %s", weir_priority_method_name(method), error.message);
    assert_int_equal(analysis->verified, analysis->safe && analysis->outcome == WEIR_PRIORITY_CONVERGED);
    return analysis;
}

/* The queues of one of several graphs that are alike. */
static void check(const struct weir_pipeline *p, enum weir_priority_method method, int64_t latency, int64_t capacity)
{
    struct weir_priority_analysis *analysis = analyze(p, method);
    uint32_t graphs = weir_pipeline_source_count(p);
    char text[WEIR_TIME_TEXT];
    if (latency == 0) { /* a violation */
        if (analysis->outcome == WEIR_PRIORITY_CONVERGED)
            fail_msg("%s: %s where the paper has a violation", weir_priority_method_name(method),
                     weir_time_format(p, analysis->latencies[0].worst, text));
        assert_int_equal(analysis->buffer_count, 0);
    } else {
        assert_int_equal(analysis->outcome, WEIR_PRIORITY_CONVERGED);
        for (uint32_t i = 0; i < graphs; i++) /* in tenths of a microsecond */
            assert_int_equal(analysis->latencies[i].worst, latency * 10);
        assert_int_equal(analysis->buffer_total, capacity * graphs);
    }
    weir_priority_analysis_free(analysis);
}

/* Tenths of a microsecond, from the actual arrival, with the capacities that an analysis has chosen. */
static int64_t simulate(const struct weir_pipeline *p, enum weir_priority_method method)
{
    struct weir_priority_analysis *analysis = analyze(p, method);
    uint32_t capacities[18] = {0};
    assert_true(weir_pipeline_queue_count(p) <= 18);
    for (size_t i = 0; i < analysis->buffer_count; i++)
        if (!analysis->buffers[i].input)
            capacities[analysis->buffers[i].index] = analysis->buffers[i].capacity;
    struct weir_processors_search_options options = {
        .seed = 1, .runs = 20000, .iterations = 20, .capacities = capacities, .chain = weir_pipeline_chain_count(p)};
    struct weir_processors_observed *seen = NULL;
    assert_int_equal(weir_processors_search(p, &options, &seen, NULL), WEIR_OK);
    int64_t latest = 0;
    for (size_t i = 0; i < analysis->latency_count; i++) { /* of graphs that are alike */
        assert_true(seen->latency_max[i] <= analysis->latencies[i].worst);
        latest = seen->latency_max_arrival[i] > latest ? seen->latency_max_arrival[i] : latest;
    }
    weir_free(seen);
    weir_priority_analysis_free(analysis);
    return latest;
}

/* ---- Table I ---- */

enum { CASES = 6 };
static const struct {
    int64_t period, jitter; /* in half microseconds */
} cases[CASES] = {{25, 0}, {20, 0}, {16, 0}, {25, 50}, {20, 40}, {16, 32}};

struct row {
    enum weir_priority_method method;
    int64_t cells[CASES][2]; /* latency, capacity; 0: a violation */
};

static const struct row published[] = {
    {WEIR_PRIORITY_PJ, {{25, 13}}},
    {WEIR_PRIORITY_PJ_IBS, {{19, 12}, {19, 13}, {0, 0}, {44, 14}, {39, 15}, {0, 0}}},
    {WEIR_PRIORITY_EI, {{12, 12}, {12, 12}, {14, 13}, {49, 17}}},
    {WEIR_PRIORITY_EI_IBS, {{12, 12}, {12, 12}, {14, 13}, {37, 14}, {32, 14}, {30, 15}}},
};
/* PJ0 has no bound anywhere; the portfolio has those of EI+iBS. */
static const struct row others[] = {
    {WEIR_PRIORITY_PJ0, {{0}}},
    {WEIR_PRIORITY_BEST, {{12, 12}, {12, 12}, {14, 13}, {37, 14}, {32, 14}, {30, 15}}},
};

static void check_row(const struct row *row)
{
    for (size_t i = 0; i < CASES; i++) {
        struct weir_pipeline *p = make("wlan", cases[i].period, cases[i].jitter);
        check(p, row->method, row->cells[i][0], row->cells[i][1]);
        weir_pipeline_free(p);
    }
}

TEST(test_table1)
{
    for (size_t i = 0; i < sizeof published / sizeof *published; i++)
        check_row(&published[i]);
}

TEST(test_table1_others)
{
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        check_row(&others[i]);
}

TEST(test_table1_simulated)
{
    static const int64_t expected[CASES] = {12, 12, 14, 29, 29, 28};
    for (size_t i = 0; i < CASES; i++) {
        struct weir_pipeline *p = make("wlan", cases[i].period, cases[i].jitter);
        assert_int_equal(simulate(p, WEIR_PRIORITY_EI_IBS), expected[i] * 10);
        weir_pipeline_free(p);
    }
}

/* ---- Table II ---- */

TEST(test_table2)
{
    struct weir_pipeline *p = make("wlan-two", 0, 0);
    check(p, WEIR_PRIORITY_PJ, 0, 0);
    check(p, WEIR_PRIORITY_PJ_IBS, 24, 13);
    check(p, WEIR_PRIORITY_EI, 20, 12);
    check(p, WEIR_PRIORITY_EI_IBS, 20, 12);
    check(p, WEIR_PRIORITY_BEST, 18, 12);
    assert_int_equal(simulate(p, WEIR_PRIORITY_EI_IBS), 160);
    weir_pipeline_free(p);
}

/* At higher rates all methods report a violation, as the paper says. */
TEST(test_table2_faster)
{
    static const enum weir_priority_method methods[] = {WEIR_PRIORITY_PJ, WEIR_PRIORITY_PJ_IBS, WEIR_PRIORITY_EI,
                                                        WEIR_PRIORITY_EI_IBS};
    for (int64_t period = 20; period >= 16; period -= 4) {
        struct weir_pipeline *p = make("wlan-two", period, 0);
        for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
            check(p, methods[i], 0, 0);
        weir_pipeline_free(p);
    }
}

/* ---- Figure 1 ---- */

/* By jitter in steps of 5 ms. */
enum { STEPS = 11 };
struct curve {
    const char *system;
    enum weir_priority_method method;
    int64_t latency[STEPS];
};

static const struct curve curves[] = {
    {"jitter", WEIR_PRIORITY_PJ0, {13, 26, 43, 56, 73, 86, 103, 116, 133, 146, 163}},
    {"jitter", WEIR_PRIORITY_PJ, {13, 26, 43, 56, 73, 86, 103, 116, 133, 146, 163}},
    {"jitter", WEIR_PRIORITY_PJ_IBS, {13, 18, 23, 28, 33, 38, 43, 48, 53, 58, 63}},
    {"jitter", WEIR_PRIORITY_EI, {9, 14, 19, 24, 29, 34, 39, 44, 49, 54, 59}},
    {"jitter", WEIR_PRIORITY_EI_IBS, {9, 14, 19, 24, 29, 34, 39, 44, 49, 54, 59}},
    {"jitter", WEIR_PRIORITY_BEST, {9, 14, 19, 24, 29, 34, 39, 44, 49, 54, 59}},
    {"jitter-reversed", WEIR_PRIORITY_PJ0, {10, 15, 21, 27, 32, 38, 43, 49, 54, 60, 65}},
    {"jitter-reversed", WEIR_PRIORITY_PJ, {10, 15, 21, 27, 32, 38, 43, 49, 54, 60, 65}},
    {"jitter-reversed", WEIR_PRIORITY_PJ_IBS, {10, 15, 20, 25, 30, 35, 40, 45, 50, 55, 60}},
    {"jitter-reversed", WEIR_PRIORITY_EI, {9, 15, 20, 26, 32, 37, 43, 48, 54, 59, 65}},
    {"jitter-reversed", WEIR_PRIORITY_EI_IBS, {9, 15, 20, 25, 30, 35, 40, 45, 50, 55, 60}},
    {"jitter-reversed", WEIR_PRIORITY_BEST, {9, 15, 20, 25, 30, 35, 40, 45, 50, 55, 60}},
};

TEST(test_figure1)
{
    for (size_t i = 0; i < sizeof curves / sizeof *curves; i++)
        for (int64_t step = 0; step < STEPS; step++) {
            struct weir_pipeline *p = make(curves[i].system, 0, 5 * step);
            struct weir_priority_analysis *analysis = analyze(p, curves[i].method);
            assert_int_equal(analysis->outcome, WEIR_PRIORITY_CONVERGED);
            if (analysis->latencies[0].worst != curves[i].latency[step])
                fail_msg("%s, %s, jitter %d: %d instead of %d", curves[i].system, weir_priority_method_name(curves[i].method),
                         (int)(5 * step), (int)analysis->latencies[0].worst, (int)curves[i].latency[step]);
            weir_priority_analysis_free(analysis);
            weir_pipeline_free(p);
        }
}
