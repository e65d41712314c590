/* SPDX-License-Identifier: Apache-2.0 */
/* Messages to read again that are missing, or too old: whether that can be, and what becomes of executions that are skipped. */
#include "asking.h"
#include "support/stage.h"

/* Of the first connection in the model: in the beginning, and later. */
static void expect_chances(const char *text, enum weir_async_chance missing, enum weir_async_chance stale)
{
    struct weir_pipeline *pipeline = stage_read(text);
    struct weir_async_analysis *analysis = async_ask(pipeline);
    assert_int_equal(analysis->queues[0].missing, missing);
    assert_int_equal(analysis->queues[0].stale, stale);
    weir_async_analysis_free(analysis);
    weir_pipeline_free(pipeline);
}

/* p sends at 3 or 4, and every 10; c starts at 1 or 2 after its tick, at `phase` and every 20. */
#define TWO(what, phase)                                                                                                           \
    "operators: {p: [3, 4], a: [1, 2], c: [5, 6], d: [1, 3]}\nqueues:\n  - {from: p, to: c, latest: true, " what "}\n"             \
    "  - {from: a, to: c, blocking: false}\n  - {from: c, to: d, blocking: false, full: fault}\n"                                  \
    "sources:\n  - {operator: p, period: 10, arrivals: exact, phase: 0}\n"                                                         \
    "  - {operator: a, period: 20, arrivals: exact, phase: " phase "}\nmeasure: [{from: a, to: d}]\n"

TEST(test_in_the_beginning)
{
    expect_chances(TWO("missing: skip", "4"), WEIR_CHANCE_NO, WEIR_CHANCE_NO);
    expect_chances(TWO("missing: skip", "3"), WEIR_CHANCE_YES, WEIR_CHANCE_NO); /* in one moment, any order */
    expect_chances(TWO("missing: fail", "3"), WEIR_CHANCE_YES, WEIR_CHANCE_NO);
    expect_chances(TWO("missing: skip", "unknown"), WEIR_CHANCE_YES, WEIR_CHANCE_NO);
    expect_chances("operators: {p: [3, 4], c: [5, 6]}\nqueues:\n  - {from: p, to: c, latest: true, missing: fail}\n  - p -> c\n",
                   WEIR_CHANCE_NO, WEIR_CHANCE_NO); /* each execution waits for what was sent with it */
}

/* What is read was begun at most 14 before. */
TEST(test_later)
{
    expect_chances(TWO("missing: skip, within: 14", "4"), WEIR_CHANCE_NO, WEIR_CHANCE_NO);
    expect_chances(
        "operators: {p: [3, 4], a: [1, 2], c: [5, 6]}\nqueues:\n  - {from: p, to: c, latest: true, missing: skip, within: "
        "13}\n  - {from: a, to: c, blocking: false}\nsources:\n  - {operator: p, period: 10, arrivals: exact, phase: 0}\n"
        "  - {operator: a, period: 20, arrivals: skip, phase: unknown}\n",
        WEIR_CHANCE_YES, WEIR_CHANCE_YES);
    expect_chances(TWO("missing: skip, within: 13", "[0, 20]"), WEIR_CHANCE_YES, WEIR_CHANCE_MAYBE);
    expect_chances(TWO("missing: fail, within: 13", "4"), WEIR_CHANCE_NO, WEIR_CHANCE_MAYBE);
    expect_chances(TWO("missing: skip, within: 2", "4"), WEIR_CHANCE_NO, WEIR_CHANCE_YES);
}

/* Whoever is executed is done after 2 + 6 + 3. */
TEST(test_behind)
{
    async_expect_worst(TWO("missing: skip", "4"), 11);
    async_expect_worst(TWO("missing: skip, within: 13", "unknown"), 11);
    async_expect_worst(TWO("missing: fail, within: 13", "4"), 11);
}

/* c may skip, and d takes its results: plain queues hold c back, and a join would pair what does not belong together. */
#define BEHIND(queues)                                                                                                             \
    "operators: {p: [3, 4], a: [1, 2], c: [5, 6], d: [1, 3]}\nqueues:\n  - {from: p, to: c, latest: true, missing: skip, within: " \
    "5}\n" queues "sources:\n  - {operator: p, period: 10, arrivals: exact, phase: 0}\n"                                           \
    "  - {operator: a, period: 20, arrivals: exact, phase: 0}\nmeasure: [{from: a, to: d}]\n"

TEST(test_what_is_not_known)
{
    async_expect_unknown(BEHIND("  - a -> c\n  - c -> d\n"), "wait for room");
    async_expect_unknown(BEHIND("  - a -> c\n  - {from: c, to: d, blocking: false}\n  - {from: a, to: d, blocking: false}\n"),
                         "does not come from it");
    async_expect_unknown(BEHIND("  - a -> c\n  - {from: c, to: d, latest: true}\n"), "may be skipped");
    async_expect_unknown(BEHIND("  - a -> c\n  - {from: c, to: d, blocking: false, initial: 1}\n"), "begin with messages");
    /* in the beginning alone they may wait for room */
    async_expect_worst(
        "operators: {p: [3, 4], a: [1, 2], c: [5, 6], d: [1, 3]}\nqueues:\n  - {from: p, to: c, latest: true, missing: "
        "skip}\n  - a -> c\n  - c -> d\nsources:\n  - {operator: p, period: 10, arrivals: exact, phase: 0}\n"
        "  - {operator: a, period: 20, arrivals: exact, phase: 0}\nmeasure: [{from: a, to: d}]\n",
        11);
}

static enum weir_status analyze_again(void *context)
{
    struct weir_async_analysis *analysis;
    enum weir_status status = weir_async_analyze(context, NULL, &analysis, NULL);
    weir_async_analysis_free(analysis);
    return status;
}

TEST(test_memory_missing)
{
    struct weir_pipeline *pipeline = stage_read(BEHIND("  - a -> c\n  - c -> d\n"));
    assert_true(stage_fail_each_allocation(analyze_again, pipeline) > 5);
    weir_pipeline_free(pipeline);
}
