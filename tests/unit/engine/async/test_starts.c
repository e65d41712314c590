/* SPDX-License-Identifier: Apache-2.0 */
/* How long after its release an operator starts, with bounds that were worked out by hand. */
#include "support/stage.h"

#include "engine/async/lanes.h"

/* Of the last operator. */
static void expect(const char *text, int64_t most, enum weir_async_chance late)
{
    struct weir_pipeline *pipeline = stage_read(text);
    struct weir_start_delay delays[8];
    uint32_t last = weir_pipeline_operator_count(pipeline) - 1;
    assert_int_equal(weir_async_delays(pipeline, 0, delays, NULL), WEIR_OK);
    assert_int_equal(delays[last].most, most);
    assert_int_equal(delays[last].late, late);
    weir_pipeline_free(pipeline);
}

/* b is at work for up to 9 when the next message comes, 4 after the one before at least; a starts every 10, and takes 4 to 6:
 * messages are 8 apart or more, so that b is 1 late. */
#define QUEUE(within)                                                                                                              \
    "operators: {a: [4, 6], b: {time: [1, 9], start-within: " within "}}\nqueues: [{from: a, to: b, capacity: 3}]\n"               \
    "source: {operator: a, period: 10, arrivals: exact}\n"

TEST(test_message)
{
    expect(QUEUE("1"), 1, WEIR_CHANCE_NO);
    expect(QUEUE("0"), 1, WEIR_CHANCE_YES);
    expect("operators: {a: [4, 6], b: {time: [1, 8], start-within: 0}}\nqueues: [{from: a, to: b, capacity: 3}]\n"
           "source: {operator: a, period: 10, arrivals: exact}\n",
           0, WEIR_CHANCE_NO);
    expect("operators: {a: [4, 6], b: {time: [1, 10], start-within: 1}}\nqueues: [{from: a, to: b, capacity: 3}]\n"
           "source: {operator: a, period: 10, arrivals: exact}\n",
           2, WEIR_CHANCE_YES);
}

/* An execution of 7 is over 2 after the tick behind its start, 5 after it; at-most: 2 after its period. */
#define CLOCK(arrivals, within)                                                                                                    \
    "operators:\n  a: {time: [1, 7], start-within: " within "}\nqueues: []\nsource: {operator: a, period: 5, arrivals: " arrivals  \
    "}\nmeasure: [{from: a, to: a}]\n"

TEST(test_clock)
{
    expect(CLOCK("at-most", "2"), 2, WEIR_CHANCE_NO);
    expect(CLOCK("at-most", "1"), 2, WEIR_CHANCE_YES);
    expect(CLOCK("skip", "9"), 7, WEIR_CHANCE_NO);
    expect(CLOCK("skip", "1"), 7, WEIR_CHANCE_MAYBE);
    expect(CLOCK("catch-up", "9"), -1, WEIR_CHANCE_MAYBE);
}

/* Nothing releases it. */
TEST(test_nothing_releases_it)
{
    expect("operators: {b: 1, a: {time: 2, start-within: 1}}\nqueues: [a -> b]\n", -1, WEIR_CHANCE_MAYBE);
}

static enum weir_status ask(void *context)
{
    struct weir_start_delay delays[8];
    struct weir_error error;
    enum weir_status status = weir_async_delays(context, 0, delays, &error);
    assert_int_equal(status ? error.status : WEIR_OK, status);
    return status;
}

TEST(test_memory)
{
    struct weir_pipeline *p = stage_read(QUEUE("1"));
    assert_true(stage_fail_each_allocation(ask, p) > 5);
    weir_pipeline_free(p);
}
