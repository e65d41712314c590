/* SPDX-License-Identifier: Apache-2.0 */
/* Operators that share a lane, with bounds that were worked out by hand. */
#include "engine/workers/workers.h"
#include "support/stage.h"

/* The first latency, checked; `worst` 0: unknown. */
static void expect(const char *text, enum weir_workers_outcome outcome, int64_t worst)
{
    struct weir_pipeline *pipeline = stage_read(text);
    struct weir_workers_analysis *analysis;
    assert_int_equal(weir_workers_analyze(pipeline, &(struct weir_workers_options){.verify = true}, &analysis, NULL), WEIR_OK);
    assert_int_equal(analysis->latencies[0].outcome, outcome);
    assert_int_equal(analysis->latencies[0].worst, worst);
    assert_true((analysis->latencies[0].why != NULL) == (outcome == WEIR_WORKERS_UNKNOWN));
    if (outcome != WEIR_WORKERS_UNKNOWN && !weir_workers_spreads(pipeline)) /* of others the sampling engine has what is checked */
        assert_true(analysis->latencies[0].verified);
    weir_workers_analysis_free(analysis);
    weir_pipeline_free(pipeline);
}

/* All is done before the source starts again, so that nobody waits for the lane: as with a thread each. With a
 * period of 6 a starts before c, which is ready, and c after b, which a message more is in front of. */
#define CHAIN(period)                                                                                                              \
    "operators:\n  a: {time: [1, 2], lane: one}\n  b: {time: [3, 5], lane: one}\n  c: {time: [2, 4], lane: one}\n"                 \
    "queues: [a -> b, b -> c]\nsource: {operator: a, period: " period "}\n"

TEST(test_chain)
{
    expect(CHAIN("12"), WEIR_WORKERS_EXACT, 11);
    expect(CHAIN("11"), WEIR_WORKERS_EXACT, 11);
    expect(CHAIN("6"), WEIR_WORKERS_SAFE, 17);
}

/* c is ready 25 after a has started, just when the second execution of a after that is over, and never waits. But a source that
 * starts at most every 10 may start that one later, at 24, say: then c waits until 29, and the latency is 30. */
#define APART(arrivals)                                                                                                            \
    "operators:\n  a: {time: 5, lane: one}\n  b: 10\n  d: 10\n  c: {time: 1, lane: one}\nqueues: [a -> b -> d -> c]\n"             \
    "source: {operator: a, period: 10, arrivals: " arrivals "}\n"

TEST(test_late_source)
{
    expect(APART("catch-up"), WEIR_WORKERS_EXACT, 26);
    expect(APART("at-most"), WEIR_WORKERS_SAFE, 46);
}

/* What is in the lane of `depth` waits for it, 14, and depth for no more than one of imu, 1, before and after a tick. */
#define STEREO(lane)                                                                                                               \
    "operators:\n  camera: [8, 12]\n  imu: {time: [0, 1], lane: one}\n  depth: {time: [100, 140], lane: " lane "}\n"               \
    "queues:\n  - {from: camera, to: depth, capacity: 2, blocking: false, full: fault}\n"                                          \
    "  - {from: imu, to: depth, latest: true}\n"                                                                                   \
    "sources:\n  - {operator: camera, period: 166, arrivals: skip}\n  - {operator: imu, period: 25, arrivals: skip}\n"

TEST(test_latest)
{
    expect(STEREO("one") "measure: [{from: camera, to: depth}]\n", WEIR_WORKERS_SAFE, 154);
    expect(STEREO("one") "measure: [{from: imu, to: depth}]\n", WEIR_WORKERS_SAFE, 331);
}

/* One that runs freely may keep the lane for ever; with plain queues nothing is said of an order. */
TEST(test_kept_busy)
{
    expect("operators:\n  a: {time: 2, lane: one}\n  b: 3\n  x: {time: 1, lane: one}\n  y: 1\n"
           "queues: [a -> b, {from: x, to: y, capacity: unbounded}]\nmeasure: [{from: b, to: b}, {from: a, to: b}]\n",
           WEIR_WORKERS_SAFE, 3);
    expect("operators:\n  a: 2\n  b: {time: 3, lane: one}\n  x: {time: 1, lane: one}\n  y: 1\n"
           "queues: [a -> b, {from: x, to: y, capacity: unbounded}]\nmeasure: [{from: a, to: b}]\n",
           WEIR_WORKERS_UNKNOWN, 0);
}

TEST(test_memory)
{
    static const char *const models[] = {CHAIN("12"), CHAIN("6"), STEREO("one")};
    for (int i = 0; i < 3; i++) {
        struct weir_pipeline *p = stage_read(models[i]);
        assert_true(stage_fail_each_allocation(stage_analyze_workers, p) > 5);
        weir_pipeline_free(p);
    }
}
