/* SPDX-License-Identifier: Apache-2.0 */
/* Connections that do not wait, one rule after the other, with bounds that were worked out by hand; each differs from that of the
 * plain queue in its place. */
#include "asking.h"
#include "support/stage.h"

#include "check/async/async.h"

#include <stdlib.h>
#include <string.h>

/* The worst case and the best case of the first latency, with connections that do not wait. */
static void expect(const char *text, enum weir_async_outcome outcome, int64_t worst, int64_t best)
{
    struct weir_pipeline *pipeline = stage_read(text);
    struct weir_async_analysis *analysis = async_ask(pipeline);
    const struct weir_async_latency *latency = &analysis->latencies[0];
    assert_int_equal(analysis->latency_count, weir_pipeline_chain_count(pipeline));
    if (latency->why && outcome != WEIR_ASYNC_UNKNOWN)
        fail_msg("%s", latency->why);
    assert_int_equal(latency->outcome, outcome);
    assert_int_equal(latency->worst, worst);
    if (outcome != WEIR_ASYNC_UNKNOWN) {
        assert_true(latency->has_best);
        assert_int_equal(latency->best, best);
        assert_true(weir_async_segments_check(pipeline, latency));
    }
    weir_async_analysis_free(analysis);
    weir_pipeline_free(pipeline);
}

static struct weir_async_queue queue_of(const char *text)
{
    struct weir_pipeline *pipeline = stage_read(text);
    struct weir_async_analysis *analysis = async_ask(pipeline);
    struct weir_async_queue queue = analysis->queues[0];
    weir_async_analysis_free(analysis);
    weir_pipeline_free(pipeline);
    return queue;
}

#define TWO(queue) "operators: {a: 10, b: 25}\nqueues:\n  - {from: a, to: b" queue "}\n"

/* An offset, which says what to measure, between operators of which none leads to the other: there is nothing to be found. */
TEST(test_no_path)
{
    struct weir_pipeline *pipeline =
        stage_read("operators: {a: 10, b: 25}\nqueues:\n  - a -> b\n  - {from: a, to: a, latest: true}\n"
                   "measure:\n  - {from: b, to: a, offset: 31}\n");
    struct weir_async_analysis *analysis = async_ask(pipeline);
    assert_int_equal(analysis->latencies[0].outcome, WEIR_ASYNC_UNKNOWN);
    assert_string_equal(analysis->latencies[0].why, "no path leads from one to the other");
    weir_async_analysis_free(analysis);
    weir_pipeline_free(pipeline);
}

/* The second execution would have to take the message of the first to have room for its own: with one place it never starts. */
TEST(test_room_in_a_queue_to_itself)
{
#define ITSELF(places)                                                                                                             \
    "operators: {a: [1, 2]}\nqueues:\n  - {from: a, to: a, optional: true, capacity: " places "}\nmeasure: [{from: a, to: a}]\n"
    struct weir_pipeline *pipeline = stage_read(ITSELF("1"));
    struct weir_async_analysis *analysis = async_ask(pipeline);
    assert_int_equal(analysis->latencies[0].outcome, WEIR_ASYNC_UNKNOWN);
    assert_non_null(strstr(analysis->latencies[0].why, "may stand still forever"));
    weir_async_analysis_free(analysis);
    weir_pipeline_free(pipeline);
    expect(ITSELF("2"), WEIR_ASYNC_EXACT, 2, 1);
}

/* a sends at 10, 20, 30 ...; plain, the second message is begun at 10, waits for b until 35, and is done at 60. */
TEST(test_plain)
{
    expect(TWO(""), WEIR_ASYNC_EXACT, 50, 35);
}

/* What a began at 0 is there from 10 to 20, and b may begin in that moment: 20 + 25. At best it is read as it comes: 10 + 25. */
TEST(test_latest)
{
    expect(TWO(", latest: true"), WEIR_ASYNC_SAFE, 45, 35);
    struct weir_async_queue queue = queue_of(TWO(", latest: true"));
    assert_int_equal(queue.loses, WEIR_CHANCE_MAYBE);
    /* read more often than it is sent: b starts every 4 */
    queue = queue_of("operators: {a: 10, b: 4}\nqueues:\n  - {from: a, to: b, latest: true}\n");
    assert_int_equal(queue.loses, WEIR_CHANCE_NO);
    /* a late receive reads what was sent up to 5 after the start: 10 - 5 + 25 at best */
    expect("operators: {a: 10, b: {time: 25, receive: [0, 5]}}\nqueues:\n  - {from: a, to: b, latest: true}\n", WEIR_ASYNC_SAFE, 45,
           30);
}

/* Nobody waits. Of one place, the message is gone when the next is sent, at 20; of two, at 30. */
TEST(test_optional_pop)
{
    expect(TWO(", optional: true, blocking: false, full: pop"), WEIR_ASYNC_SAFE, 10 + 25 + 25, 35);
    expect(TWO(", optional: true, blocking: false, full: pop, capacity: 2"), WEIR_ASYNC_SAFE, 10 + 50 + 25, 35);
    assert_int_equal(queue_of(TWO(", optional: true, blocking: false, full: pop")).loses, WEIR_CHANCE_MAYBE);
}

/* The message that is there stays, until b starts again: 10 + 25 + 25; behind another one, 25 more. */
TEST(test_optional_reject)
{
    expect(TWO(", optional: true, blocking: false, full: reject"), WEIR_ASYNC_SAFE, 60, 35);
    expect(TWO(", optional: true, blocking: false, full: reject, capacity: 2"), WEIR_ASYNC_SAFE, 85, 35);
}

/* a begins when b has taken the last message: 10, and at most 25 until b starts, and 25. */
TEST(test_optional_room)
{
    expect(TWO(", optional: true"), WEIR_ASYNC_SAFE, 60, 35);
    assert_int_equal(queue_of(TWO(", optional: true")).loses, WEIR_CHANCE_NO);
}

/* b takes a message each 4, and one comes each 10: there is never more than one. */
TEST(test_optional_without_limit)
{
    expect("operators: {a: 10, b: 4}\nqueues:\n  - {from: a, to: b, optional: true, blocking: false}\n", WEIR_ASYNC_SAFE, 18, 14);
    expect("operators: {a: 10, b: 4}\nqueues:\n  - {from: a, to: b, optional: true, capacity: unbounded}\n", WEIR_ASYNC_SAFE, 18,
           14);
    async_expect_unknown(TWO(", optional: true, blocking: false"), "the backlog grows without bound: messages from");
#define SKIPS(more)                                                                                                                \
    "operators: {a: [10, 40], b: [5, 20]}\nqueues:\n  - {from: a, to: b, optional: true, blocking: false}\n"                       \
    "sources: [{operator: b, period: 11, arrivals: skip" more "}]\n"
    async_expect_unknown(SKIPS(", phase: 0"), "the backlog grows without bound: messages from"); /* b may take 20, and a 10 */
    async_expect_unknown(SKIPS(""), "the backlog grows without bound: messages from");           /* what came before b began */
    /* not if a waits for b, in another queue */
    async_expect_unknown("operators: {a: [1, 4], b: [5, 20]}\nqueues:\n  - {from: a, to: b, optional: true, blocking: false}\n"
                         "  - {from: a, to: b, optional: true}\nsources: [{operator: b, period: 11, arrivals: skip}]\n",
                         "pile up");
    /* it does not matter when a begins, if b begins at once */
    expect("operators: {a: 1, b: 4, x: 1}\nqueues:\n  - {from: a, to: b, optional: true, blocking: false}\n  - x -> b\n"
           "sources:\n  - {operator: a, period: 10, arrivals: at-most, phase: unknown}\nmeasure: [{from: a, to: b}]\n",
           WEIR_ASYNC_SAFE, 1 + 4 + 4, 5);
}

static void expect_growth(const char *text, bool perhaps)
{
    struct weir_pipeline *pipeline = stage_read(text);
    struct weir_async_analysis *analysis = async_ask(pipeline);
    const char *why = analysis->latencies[0].why;
    assert_non_null(why);
    assert_true(strncmp(why, perhaps ? "perhaps " : "the backlog grows without bound", perhaps ? 8 : 31) == 0);
    weir_async_analysis_free(analysis);
    weir_pipeline_free(pipeline);
}

/* At times that some execution has: what a part is wider than the model does not count. */
TEST(test_growth)
{
    /* b takes one each 3 at the soonest, so that inputs of a, each 2, pile up; the gate alone says so */
#define INPUTS(period)                                                                                                             \
    "operators: {a: [0, 1], b: 0}\nqueues: [{from: a, to: b, capacity: 2, optional: true}]\n"                                      \
    "sources: [{operator: a, period: " period ", arrivals: exact, phase: 0}, {operator: b, period: 3, phase: 0}]\n"
    expect_growth(INPUTS("2"), false);
    expect(INPUTS("3"), WEIR_ASYNC_SAFE, 4, 0);
    /* b takes one each 10, and receives it up to 8 later: frames of a are 2 apart at the soonest, but not always */
#define RECEIVES                                                                                                                   \
    "operators: {a: 0, b: {time: 10, receive: [0, 8]}, c: 5}\n"                                                                    \
    "queues: [{from: a, to: b, capacity: 1, optional: true}, {from: a, to: c, blocking: false}]\n"
    expect(RECEIVES, WEIR_ASYNC_SAFE, 20, 10);
    expect(RECEIVES "measure: [{from: a, to: c}]\n", WEIR_ASYNC_SAFE, 10, 5);
    /* ... and a goes on when b has received its last one: at most 10 and 8 after the one before was taken */
    expect("operators: {x: 1, a: 0, b: {time: 10, receive: [0, 8]}}\n"
           "queues: [x -> a, {from: a, to: b, capacity: 1, optional: true}]\nmeasure: [{from: x, to: a}]\n",
           WEIR_ASYNC_SAFE, 18, 1);
    /* c needs 7, and b, which loses messages, goes on each 3, if a and b take their best times; the queue to b makes the part wider
     */
#define SLOW(a, c, more)                                                                                                           \
    "operators: {a: " a ", b: [3, 4], c: " c "}\nqueues:\n  - {from: a, to: b, capacity: 1, blocking: false, full: pop}\n"         \
    "  - {from: b, to: c, blocking: false}\n" more
    expect_growth(SLOW("[1, 2]", "[3, 7]", "measure: [{from: b, to: c}]\n"), false);
    expect_growth(SLOW("[1, 2]", "[3, 7]", "measure: [{from: a, to: c}]\n"), false);
    expect_growth(SLOW("[1, 9]", "[3, 7]", "measure: [{from: b, to: c}]\n"), false); /* not if a always took 9 */
    expect(SLOW("[1, 2]", "3", "measure: [{from: b, to: c}]\n"), WEIR_ASYNC_SAFE, 7, 6);
    /* what holds the sender back is no slower for the receiver: frames come each 6, and c needs 5, however long b may take */
    expect_growth(
        "operators: {a: 6, b: [1, 9], c: [1, 5]}\nqueues:\n  - {from: a, to: b, capacity: 1, blocking: false, full: pop}\n"
        "  - {from: b, to: c, blocking: false}\nmeasure: [{from: b, to: c}]\n",
        true);
    /* an application that may fail first has no such execution, as far as is known */
    expect_growth("operators: {a: [0, 9], b: [1, 2], c: [3, 7]}\nqueues:\n"
                  "  - {from: a, to: b, capacity: 1, blocking: false, full: fault}\n  - {from: b, to: c, blocking: false}\n"
                  "measure: [{from: b, to: c}]\n",
                  true);
}

/* a goes on when both have taken its last frame, so that x and b keep step: b has begun with the frame before the one that x is
 * done with, and not yet with the second after it. So at most one other message is there when x sends; two starts of b are at most
 * 120 apart. Without steps nothing is known: b may be 60 without a start, and x sends as often. */
TEST(test_in_step)
{
    const char *text = "operators: {a: 10, x: [20, 60], b: 1}\nqueues:\n  - a -> b\n  - a -> x\n"
                       "  - {from: x, to: b, optional: true, blocking: false, full: fault, capacity: 2}\n"
                       "measure: [{from: x, to: b}]\n";
    expect(text, WEIR_ASYNC_SAFE, 60 + 10 + 1, 21); /* b waits for the next frame, which a begins when x takes the one before */
    assert_int_equal(queue_of(text).faults, WEIR_CHANCE_NO);
}

/* b starts at 200 for the first time, and every 100 then: what is sent at 10 waits 190. weir says 200, as if sent at 0. */
TEST(test_beginning)
{
    expect("operators: {a: 10, x: 100, y: 100, b: 1}\n"
           "queues:\n  - x -> y\n  - y -> b\n  - {from: a, to: b, optional: true, blocking: false, full: reject}\n"
           "measure: [{from: a, to: b}]\n",
           WEIR_ASYNC_SAFE, 211, 11);
}

/* b waits, and is busy for 25: what was sent at 10 is lost at 20 unless it is taken; or it waits for 25, if a is late by then. A
 * camera that stalls: 10, and while infer is busy 60, and 60 + 16. Inputs that arrive exactly are not late: 20 + 25. */
TEST(test_pop)
{
    expect(TWO(", blocking: false, full: pop"), WEIR_ASYNC_SAFE, 10 + 25 + 25, 35);
    expect(TWO(", blocking: false, full: pop") "source: {operator: a, period: 10, arrivals: exact}\n", WEIR_ASYNC_SAFE, 20 + 25,
           35);
    expect("operators: {camera: [8, 10], infer: [40, 60], display: [5, 16]}\nqueues:\n"
           "  - {from: camera, to: infer, blocking: false, full: pop}\n  - infer -> display\n",
           WEIR_ASYNC_SAFE, 146, 53);
    struct weir_async_queue queue = queue_of(TWO(", blocking: false, full: pop"));
    assert_int_equal(queue.loses, WEIR_CHANCE_YES);
    assert_int_equal(queue.faults, WEIR_CHANCE_NO);
    assert_false(queue.plain);
}

/* a begins at every multiple of 30 and is done at most 30 later. If it is done 1 later at the earliest, b, which takes 30, has
 * always taken a message before the next comes: at 30 that of 0, which the next follows at 31. If it may be done at once, two can
 * come at the same moment, and the second may find the first. */
#define JITTER(least, full)                                                                                                        \
    "operators: {a: [" least ", 30], b: 30}\nqueues:\n  - {from: a, to: b, blocking: false, full: " full "}\n"                     \
    "source: {operator: a, period: 30}\n"

TEST(test_never_full)
{
    expect(JITTER("1", "pop"), WEIR_ASYNC_EXACT, 60, 31);
    struct weir_async_queue queue = queue_of(JITTER("1", "fault"));
    assert_true(queue.plain);
    assert_int_equal(queue.faults, WEIR_CHANCE_NO);
    /* a takes 30; b starts at least every 60, as far apart as messages may come, and takes 30 */
    expect(JITTER("0", "pop"), WEIR_ASYNC_SAFE, 30 + 60 + 30, 30);
    queue = queue_of(JITTER("0", "fault"));
    assert_int_equal(queue.faults, WEIR_CHANCE_YES);
    assert_true(queue.iteration >= 1);
}

/* Everything may happen in one moment, but not in any order: a begins when b has taken its last message and sent one back. */
TEST(test_never_full_in_one_moment)
{
    const char *text = "operators: {a: [0, 1], b: [0, 2]}\nqueues:\n  - {from: a, to: b, blocking: false, full: fault}\n"
                       "  - {from: b, to: a, initial: 1, capacity: 2}\nmeasure: [{from: a, to: b}]\n";
    expect(text, WEIR_ASYNC_EXACT, 3, 0);
    assert_true(queue_of(text).plain);
    assert_int_equal(queue_of(text).faults, WEIR_CHANCE_NO);
}

/* b has started before the message came, and starts again within 25: 10 + 25 + 25. */
TEST(test_reject_and_fault)
{
    expect(TWO(", blocking: false, full: reject"), WEIR_ASYNC_SAFE, 60, 35);
    expect(TWO(", blocking: false, full: fault"), WEIR_ASYNC_SAFE, 60, 35);
    assert_int_equal(queue_of(TWO(", blocking: false, full: fault, capacity: 9")).faults, WEIR_CHANCE_YES);
}

/* s waits for b, which takes up to 50, and may then start twice in the same moment: at a tick that it missed, and at the next. So
 * u, of 20, has two to handle: 40. With at-most it never has. */
#define TICKS(arrivals)                                                                                                            \
    "operators: {s: 0, b: [0, 50], u: 20}\nqueues:\n  - s -> b\n  - {from: s, to: u, capacity: unbounded}\n"                       \
    "source: {operator: s, period: 20, arrivals: " arrivals "}\nmeasure: [{from: s, to: u}]\n"

TEST(test_skip)
{
    expect(TICKS("at-most"), WEIR_ASYNC_EXACT, 20, 20);
    expect(TICKS("skip"), WEIR_ASYNC_SAFE, 40, 20);
}

/* Every start is before the next tick, so that none is missed: as with catch-up. A display of 16 ms can hold a start up for 5.4 ms,
 * and one of 17 ms for more and more, until a tick is missed. */
#define CLOCKED(worst)                                                                                                             \
    "unit: ms\noperators: {camera: 1, work: [5, 9], show: [2, " worst "]}\nqueues: [camera -> work -> show]\n"                     \
    "source: {operator: camera, period: 16.6, arrivals: skip}\n"

TEST(test_ticks_that_are_kept)
{
    expect(CLOCKED("9"), WEIR_ASYNC_EXACT, 190, 80);
    expect(CLOCKED("16"), WEIR_ASYNC_EXACT, 260, 80);
    expect(CLOCKED("17"), WEIR_ASYNC_SAFE, 510, 80);
    expect("operators: {s: 0, b: [0, 20]}\nqueues: [s -> b]\nsource: {operator: s, period: 10, arrivals: skip}\n", WEIR_ASYNC_SAFE,
           40, 0);
}

/* What is sent is under way for up to 5, and the next one waits until infer, 60, is done with the one before. The newest is
 * replaced by the next, up to 10 + 10 + 5 after the camera began. What always finds room is exact. */
#define OVER(port, slow)                                                                                                           \
    "operators: {camera: [8, 10], infer: " slow ", display: [5, 16]}\nqueues:\n"                                                   \
    "  - {from: camera, to: infer, transfer: [1, 5], " port "}\n  - infer -> display\n"

TEST(test_transfers)
{
    expect(OVER("blocking: false, full: pop", "[40, 60]"), WEIR_ASYNC_SAFE, 15 + 60 + 76, 54);
    expect(OVER("latest: true", "[40, 60]"), WEIR_ASYNC_SAFE, 25 + 76, 54);
    expect(OVER("blocking: false, full: reject, optional: true", "[40, 60]"), WEIR_ASYNC_SAFE, 15 + 60 + 76, 54);
    expect(OVER("blocking: false, full: fault, capacity: 4", "2") "source: {operator: camera, period: 30}\n", WEIR_ASYNC_EXACT, 33,
           16);
    assert_int_equal(queue_of(OVER("blocking: false, full: fault", "2") "source: {operator: camera, period: 30}\n").faults,
                     WEIR_CHANCE_NO);
    assert_int_equal(queue_of(OVER("blocking: false, full: fault", "[40, 60]")).faults, WEIR_CHANCE_YES);
}

/* What b reads of a, which begins every 10 and takes 2 to 4, was begun at most 14 before: the next is there then. Both begin at any
 * time, so that it happens. Where they begin together that is not looked at; it is 2 old at least. */
#define AGES(within, phase)                                                                                                        \
    "operators: {a: [2, 4], b: 1}\nqueues:\n  - {from: a, to: b, latest: true, within: " within "}\n"                              \
    "sources:\n  - {operator: a, period: 10, arrivals: exact, phase: 0}\n"                                                         \
    "  - {operator: b, period: 7, arrivals: skip, phase: " phase "}\nmeasure: [{from: a, to: b}]\n"

TEST(test_ages)
{
    assert_int_equal(queue_of(AGES("14", "unknown")).stale, WEIR_CHANCE_NO);
    assert_int_equal(queue_of(AGES("14", "unknown")).age, 14);
    assert_int_equal(queue_of(AGES("13", "unknown")).stale, WEIR_CHANCE_YES);
    assert_int_equal(queue_of(AGES("13", "0")).stale, WEIR_CHANCE_MAYBE);
    assert_int_equal(queue_of(AGES("1", "0")).stale, WEIR_CHANCE_YES);
    assert_int_equal(queue_of(AGES("0", "0")).stale, WEIR_CHANCE_YES);
    assert_int_equal(queue_of(AGES("0", "0")).age, 14);
    assert_int_equal(queue_of("operators: {a: 2, b: 1}\nqueues: [{from: a, to: b, latest: true}]\n").age, -1);
}

/* A control loop that is never busy at its ticks reads what is no older than the next result. Clocks of any phase make no
 * difference to each part alone. */
TEST(test_ticks_of_several_parts)
{
    expect("unit: ms\noperators: {camera: [0.5, 1], detect: [12, 20], control: [0.2, 0.5], drive: [0.1, 0.3]}\n"
           "queues:\n  - camera -> detect\n  - {from: detect, to: control, latest: true}\n  - control -> drive\n"
           "sources:\n  - {operator: camera, period: 33.3, arrivals: skip}\n  - {operator: control, period: 2, arrivals: skip}\n"
           "measure: [{from: camera, to: drive}]\n",
           WEIR_ASYNC_SAFE, 333 + 1 * 10 + 200 + 8, 128);
}

/* Two that are joined and begin at any time: one may wait for the other to begin, and misses ticks meanwhile. */
TEST(test_ticks_of_joined_sources)
{
    expect("operators: {a: 1, b: 1, c: 1}\nqueues: [a -> c, b -> c]\nsources:\n  - {operator: a, period: 10, arrivals: skip}\n"
           "  - {operator: b, period: 10, arrivals: skip}\nmeasure: [{from: a, to: c}]\n",
           WEIR_ASYNC_SAFE, 21, 2);
}

/* camera to infer: 10, and 60 until infer is done with the last; infer, until it has sent another: 60 + 60; display: 16. The other
 * way: 5 + 16, at best 8 + 5. */
TEST(test_several)
{
    expect("operators: {camera: [8, 10], infer: [40, 60], display: [5, 16]}\nqueues:\n"
           "  - {from: camera, to: infer, blocking: false, full: pop}\n  - {from: infer, to: display, latest: true}\n",
           WEIR_ASYNC_SAFE, 206, 53);
    expect("operators: {camera: [8, 10], infer: [40, 60], display: [5, 16]}\nqueues:\n"
           "  - {from: camera, to: infer, blocking: false, full: pop}\n  - {from: infer, to: display, latest: true}\n"
           "  - {from: camera, to: display, latest: true}\n",
           WEIR_ASYNC_SAFE, 206, 13);
}

/* The display shows each frame and does not wait for the overlay. A frame takes 10, and waits until the slow operator is done, 60,
 * and has got rid of its last result, 16. It works on it for 60, and the display takes the result at its next start, within 16, and
 * needs 16. An operator that is fast enough to miss no frame is no worse: 4 for 60. */
#define OVERLAY(time, port)                                                                                                        \
    "operators: {camera: [8, 10], infer: " time ", display: [5, 16]}\nqueues:\n  - camera -> display\n"                            \
    "  - {from: camera, to: infer, blocking: false, full: pop}\n  - {from: infer, to: display, optional: true" port "}\n"

TEST(test_overlay)
{
    expect(OVERLAY("[40, 60]", ""), WEIR_ASYNC_SAFE, 10 + 76 + 60 + 16 + 16, 13);
    expect(OVERLAY("[2, 4]", ""), WEIR_ASYNC_SAFE, 10 + 20 + 4 + 16 + 16, 13);
    expect(OVERLAY("[40, 60]", ", blocking: false, full: pop"), WEIR_ASYNC_SAFE, 10 + 60 + 60 + 16 + 16, 13);
}

/* Who waits for its work on a GPU sends when that is over, every 25: at 25, and until 50. Then b takes 5. Other paths do not mind
 * work that nobody waits for. */
TEST(test_work_that_is_waited_for)
{
    expect("operators: {a: {time: 10, gpu: {time: 15, waits: true}}, b: 5}\nqueues:\n  - {from: a, to: b, latest: true}\n",
           WEIR_ASYNC_SAFE, 55, 30);
    expect("operators: {a: {time: 10, gpu: {time: 15}}, b: 5, c: 7}\nqueues:\n  - {from: a, to: b, latest: true}\n  - c -> b\n"
           "measure: [{from: c, to: b}]\n",
           WEIR_ASYNC_EXACT, 12, 12);
    /* a and b launch in turn, for each waits for the other; where they do not, in which order is not known */
#define IN_TURN(queue)                                                                                                             \
    "operators: {a: {time: 0, gpu: {time: [0, 5], waits: true, stream: s}}, "                                                      \
    "b: {time: 0, gpu: {time: [0, 5], waits: true, stream: s}}}\nqueues:\n"                                                        \
    "  - {from: a, to: b, blocking: false, full: pop}\n  - {from: b, to: a, blocking: false, full: pop, initial: 1}\n" queue       \
    "measure: [{from: a, to: b}]\n"
    expect(IN_TURN(""), WEIR_ASYNC_EXACT, 10, 0);
    async_expect_unknown(IN_TURN("  - {from: a, to: b, optional: true}\n"), "circle");
}

/* b begins at 0 with what is in the queue, and then every 30. What a sends at 30, when b has just begun, waits for its next start:
 * 10 + 30 + 5. */
TEST(test_initial_messages)
{
    expect("operators: {a: 10, b: 5}\nqueues:\n  - {from: a, to: b, blocking: false, full: reject, initial: 1}\n"
           "source: {operator: b, period: 30, arrivals: catch-up}\nmeasure: [{from: a, to: b}]\n",
           WEIR_ASYNC_SAFE, 45, 15);
}

/* b executes at 2, 4, 6 ... and sends at 3, 5, 7: what a began at 0 is read until 5, and c is done with it at 6. */
TEST(test_batches)
{
    expect("operators: {a: 1, b: 1, c: 1}\nqueues:\n  - {from: a, to: b, consume: 2}\n  - {from: b, to: c, latest: true}\n",
           WEIR_ASYNC_SAFE, 6, 3);
    expect("operators: {a: 1, b: 1, c: 9}\nqueues:\n  - {from: a, to: b, consume: 3, capacity: 6}\n"
           "  - {from: b, to: c, blocking: false, full: reject, capacity: 1}\n",
           WEIR_ASYNC_SAFE, 4 + 9 + 9, 2 + 9); /* the message of 13 just misses the start at 13, or just does not */
    /* the producer waits for room, and is made slower by it */
    expect("operators: {a: 1, b: 1, c: 9}\nqueues:\n  - {from: a, to: b, consume: 2}\n  - {from: b, to: c, optional: true}\n",
           WEIR_ASYNC_SAFE, 29, 11);
}

/* A frame that takes long holds up those after it, which are sent in order: at 30, if the one of 10 is fast. */
TEST(test_reentrant)
{
    expect("operators: {a: {time: [5, 30], reentrant: true}, b: 1}\nqueues:\n  - {from: a, to: b, latest: true}\n"
           "source: {operator: a, period: 10}\n",
           WEIR_ASYNC_SAFE, 41, 6);
    expect("operators: {a: 10, b: {time: [5, 30], reentrant: true}}\nqueues:\n  - {from: a, to: b, latest: true}\n"
           "source: {operator: b, period: 20, arrivals: skip}\nmeasure: [{from: a, to: b}]\n",
           WEIR_ASYNC_SAFE, 50, 15);
}

/* It is sent before the work is over, and the work holds up nobody. */
TEST(test_launches)
{
    expect("operators: {a: {time: 1, gpu: {time: 5}}, b: 1}\nqueues:\n  - {from: a, to: b, latest: true}\n", WEIR_ASYNC_SAFE, 3, 2);
    struct weir_async_queue queue = queue_of("operators: {a: {time: 2, gpu: {time: [0, 50]}}, b: 2}\nqueues:\n"
                                             "  - {from: a, to: b, blocking: false, full: fault, capacity: 2}\n");
    assert_int_equal(queue.faults, WEIR_CHANCE_NO);
}

TEST(test_unknown)
{
    async_expect_unknown("operators: {camera: 1, infer: 9, display: 1, show: 1}\nqueues:\n  - camera -> infer\n"
                         "  - {from: camera, to: display, capacity: 2}\n  - {from: infer, to: display, optional: true}\n"
                         "  - {from: display, to: show, consume: 2}\n",
                         "several messages at once");
    async_expect_unknown("operators: {camera: 1, infer: 9, display: 1}\nqueues:\n  - camera -> infer\n  - camera -> display\n"
                         "  - {from: infer, to: display, optional: true}\n",
                         "may block each other");
    async_expect_unknown("operators: {a: 1, x: 9, b: 1}\nqueues:\n  - {from: a, to: x, blocking: false}\n  - x -> b\n"
                         "  - {from: a, to: b, blocking: false, full: pop}\n",
                         "depend on each other");
    async_expect_unknown(
        "operators: {a: 1, b: {time: 2, receive: 1, reentrant: true}}\nqueues:\n  - {from: a, to: b, optional: true}\n"
        "source: {operator: b, period: 3}\nmeasure: [{from: a, to: b}]\n",
        "reentrant");
    async_expect_unknown(
        "operators: {a: 1, b: {time: 2, receive: 1, reentrant: true}, c: 9}\nqueues:\n  - {from: a, to: b, latest: true}\n"
        "  - b -> c\nsource: {operator: b, period: 3, arrivals: skip}\nmeasure: [{from: a, to: b}]\n",
        "receives late");
    async_expect_unknown("operators: {a: 1, b: 1, c: 1}\nqueues:\n  - a -> b\n  - {from: b, to: c, latest: true}\n"
                         "  - {from: c, to: b, latest: true}\nmeasure: [{from: a, to: c}]\n",
                         "circle");
}

/* ---- the checker ---- */

TEST(test_segments_that_do_not_add_up)
{
    struct weir_pipeline *pipeline = stage_read(TWO(", optional: true, blocking: false, full: reject"));
    struct weir_async_analysis *analysis = async_ask(pipeline);
    struct weir_async_latency latency = analysis->latencies[0];
    struct weir_async_segment segments[3];
    assert_int_equal(latency.segment_count, 3);
    memcpy(segments, latency.segments, sizeof segments);
    latency.segments = segments;
    assert_true(weir_async_segments_check(pipeline, &latency));
    segments[1].worst--;
    assert_false(weir_async_segments_check(pipeline, &latency));
    segments[1].worst++;
    segments[1].newer = 2; /* more than there are places */
    assert_false(weir_async_segments_check(pipeline, &latency));
    segments[1].newer = 1;
    segments[2].from.index = 0;
    assert_false(weir_async_segments_check(pipeline, &latency));
    segments[2].from.index = 1;
    latency.segment_count = 2;
    assert_false(weir_async_segments_check(pipeline, &latency));
    weir_async_analysis_free(analysis);
    weir_pipeline_free(pipeline);
}

/* ---- ends in one part ---- */

#define JOINED(first, second)                                                                                                      \
    "operators: {o0: [1, 5], o1: [2, 9], o2: [1, 4]}\nqueues:\n  - {from: o0, to: o1, optional: true, capacity: " first            \
    "}\n  - {from: o0, to: o2, capacity: " second "}\n  - {from: o1, to: o2}\n"

/* No schedule stands still. o1 is at most one execution ahead of o0, and always takes a message before o0 needs its place: 18 until
 * the second execution of o1 after it takes it, and 13 from there. */
TEST(test_joined_overlay)
{
    expect(JOINED("3", "2"), WEIR_ASYNC_SAFE, 31, 3);
    expect(JOINED("2", "2"), WEIR_ASYNC_SAFE, 31, 2); /* it may have to wait for room, but never for ever */
}

#define IN_TIME(infer, period)                                                                                                     \
    "operators: {camera: [1, 2], infer: " infer ", view: [1, 3]}\nqueues:\n  - camera -> view\n  - camera -> infer\n"              \
    "  - {from: infer, to: view, optional: true}\nsource: {operator: camera, period: " period "}\n"

/* There is room for one message everywhere. The result of a frame that comes at 0 is there at 12, at the latest, and the view takes
 * it with the next frame, which it starts with at 30 + 2: 35. The view starts 31 after the frame before came at the soonest: infer
 * may take 28 after the 2 of the camera. One that is slower than the camera may stand still. */
TEST(test_overlay_in_time)
{
    expect(IN_TIME("[4, 10]", "30"), WEIR_ASYNC_SAFE, 35, 2);
    expect(IN_TIME("[4, 28]", "30"), WEIR_ASYNC_SAFE, 35, 2);
    async_expect_unknown(IN_TIME("[4, 40]", "30"), "block each other");
    async_expect_unknown(IN_TIME("[4, 10]", "8"), "block each other");
}

/* What comes at 0 is there at 42, and is taken with the frame after the next. */
TEST(test_overlay_two_later)
{
    expect("operators: {camera: [1, 2], detect: [4, 20], track: [4, 20], view: [1, 3]}\nqueues:\n  - camera -> view\n"
           "  - camera -> detect\n  - detect -> track\n  - {from: track, to: view, optional: true}\n"
           "source: {operator: camera, period: 30}\n",
           WEIR_ASYNC_SAFE, 65, 2);
}

/* Every display takes an overlay, since it waits for another message that is sent with it: as a plain queue. */
TEST(test_every_execution_takes)
{
    expect("operators: {a: 5, b: 7, c: 3}\nqueues:\n  - a -> b\n  - {from: b, to: c, optional: true}\n  - b -> c\n",
           WEIR_ASYNC_SAFE, 17, 15);
}

/* With room for one message everywhere each waits for another in the end. */
TEST(test_standstill)
{
    async_expect_unknown(
        "operators: {camera: 5, infer: [10, 40], display: 2}\nqueues:\n  - camera -> infer\n  - camera -> display\n"
        "  - {from: infer, to: display, optional: true}\n",
        "block each other forever");
}

/* ---- refusals, memory ---- */

TEST(test_refused)
{
    struct weir_pipeline *pipeline =
        stage_read("operators: {a: 1, b: 1, c: 1}\nqueues: [a -> b, b -> c]\nplatform: {scheduler: event-based, workers: 2}\n");
    struct weir_async_analysis *analysis;
    assert_int_equal(weir_async_analyze(pipeline, NULL, &analysis, NULL), WEIR_INVALID);
    assert_null(analysis);
    weir_pipeline_free(pipeline);
}

static enum weir_status analyze_again(void *context)
{
    struct weir_async_options options = {.verify = true};
    struct weir_async_analysis *analysis;
    enum weir_status status = weir_async_analyze(context, &options, &analysis, NULL);
    weir_async_analysis_free(analysis);
    return status;
}

TEST(test_memory_inside)
{
    struct weir_pipeline *pipeline = stage_read(JOINED("2", "2"));
    assert_true(stage_fail_each_allocation(analyze_again, pipeline) > 10);
    weir_pipeline_free(pipeline);
}

TEST(test_memory)
{
    struct weir_pipeline *pipeline =
        stage_read("operators: {a: 10, b: 25, c: [0, 4], d: 3}\nqueues:\n  - {from: a, to: b, blocking: false, full: pop}\n"
                   "  - {from: b, to: c, latest: true}\n  - {from: c, to: d, optional: true}\n"
                   "source: {operator: a, period: 12, arrivals: skip}\n");
    assert_true(stage_fail_each_allocation(analyze_again, pipeline) > 10);
    weir_pipeline_free(pipeline);
}
