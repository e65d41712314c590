/* SPDX-License-Identifier: Apache-2.0 */
/* How long a producer waits for room in a port that others send to (docs/concepts/async.md, section 8). `s` sends to `p`, `p` and
 * others to the port of `c`; from the start of `s` to the finish of `p` are their times, 2, and the wait. */
#include "asking.h"
#include "support/stage.h"

#define TO(from, more) "  - {from: " from ", to: c, full: reject, port: in" more "}\n"
#define PORT(q, c, more)                                                                                                           \
    "operators: {s: 1, p: 1, q: " q ", r: [30, 40], t: 1, c: " c                                                                   \
    "}\nmeasure: [{from: s, to: p}]\nqueues:\n  - s -> p\n  - r -> t\n" TO("p", "") more
#define FREELY ", blocking: false"
#define FAST "others that may send as fast as messages are taken"

/* The message in the port is taken after 3, that of q which comes in the same moment after 6; then there is room. */
TEST(test_one_that_sends_rarely)
{
    async_expect_worst(PORT("[10, 20]", "3", TO("q", FREELY)), 2 + 6);
    async_expect_worst(PORT("[7, 20]", "3", TO("q", FREELY)), 2 + 6);
    async_expect_worst(PORT("[6, 20]", "3", TO("q", FREELY)), 2 + 9); /* and its next in the moment after that */
    async_expect_unknown(PORT("[3, 20]", "3", TO("q", FREELY)), FAST);
    async_expect_worst(PORT("[10, 20]", "{time: 3, receive: 2}", TO("q", FREELY)), 2 + 8);
}

TEST(test_several)
{
    async_expect_worst(PORT("[10, 20]", "3", TO("q", FREELY) TO("r", "")), 2 + 9);
    async_expect_worst(PORT("[1, 20]", "3", TO("q", "")), 2 + 6); /* one that waits as well does not start */
    async_expect_unknown(PORT("[1, 20]", "3", TO("q", "") TO("r", "")), FAST);
    async_expect_unknown(PORT("[0, 20]", "3", TO("q", "")), FAST);
}

/* c waits for x, which begins at 500: it starts at 501 for the first time, and 50 later. */
TEST(test_beginning)
{
    async_expect_worst("operators: {s: 1, p: 1, q: [2000, 3000], x: 1, c: 3}\nmeasure: [{from: s, to: p}]\nqueues:\n  - s -> p\n"
                       "  - x -> c\n" TO("p", "") TO("q", FREELY) "sources: [{operator: x, period: 50, phase: 500}]\n",
                       2 + 551);
}

/* c waits for x and for a message of p, each 10, or of q, each 100. If they begin at any time, p may not have begun. */
TEST(test_producers_that_may_not_have_begun)
{
#define TWO(phase)                                                                                                                 \
    "operators: {p: 1, q: 1, x: 1, c: 1}\nmeasure: [{from: x, to: c}]\nqueues:\n  - x -> c\n" TO("p", FREELY)                      \
        TO("q", FREELY) "sources: [{operator: p, period: 10" phase "}, {operator: q, period: 100" phase "}]\n"
    async_expect_worst(TWO(", phase: 0"), 10 + 1);
    async_expect_worst(TWO(""), 1 + 100 + 1);
}

/* What q handles is of p, which waits: two messages that are in the queue, and one that is under way. */
TEST(test_messages_that_run_out)
{
    async_expect_worst(PORT("[0, 1]", "3", TO("q", FREELY) "  - {from: p, to: q, capacity: 2}\n"), 2 + 12);
}

#define TICKS(policy) "source: {operator: q, period: 20, arrivals: " policy "}\n"

TEST(test_periods)
{
    async_expect_worst(PORT("[0, 1]", "3", TO("q", FREELY) TICKS("at-most")), 2 + 6);
    async_expect_worst(PORT("[0, 14]", "3", TO("q", FREELY) TICKS("at-most")), 2 + 9); /* the first of two may take 14 longer */
    async_expect_worst(PORT("[0, 1]", "3", TO("q", FREELY) TICKS("skip")), 2 + 9);
}

/* One that waits for its work on the GPU can send long after its start, and then once more: its period says nothing. */
TEST(test_work_on_a_gpu)
{
    async_expect_worst(PORT("{time: 1, gpu: {time: [0, 100]}}", "3", TO("q", FREELY) TICKS("at-most")), 2 + 6);
    async_expect_unknown(PORT("{time: 1, gpu: {time: [0, 100], waits: true}}", "3", TO("q", FREELY) TICKS("at-most")), FAST);
    async_expect_worst(
        "operators: {s: 1, p: {time: 1, gpu: {time: [0, 4], waits: true}}, q: [10, 20], c: 3}\nmeasure: [{from: s, to: p}]\n"
        "queues:\n  - s -> p\n" TO("p", "") TO("q", FREELY),
        1 + 6 + 5 + 4); /* behind the execution before, whose message s did not wait for */
}

/* 13 can happen, which a wait that leaves out what is in the queue of o1 does not cover. */
TEST(test_messages_in_the_queue)
{
    async_expect_worst(
        "operators: {o0: [1, 2], o1: [0, 2], o2: [2, 3], o3: 0, o4: {time: [0, 2], gpu: {time: [0, 3]}}}\n"
        "queues:\n  - {from: o0, to: o1, capacity: 3, blocking: false, full: reject}\n"
        "  - {from: o0, to: o2, capacity: 3, initial: 1, optional: true}\n  - {from: o0, to: o2, capacity: unbounded}\n"
        "  - {from: o1, to: o3, capacity: 3, blocking: false, full: reject, port: in}\n"
        "  - {from: o0, to: o3, capacity: 3, full: reject, port: in}\n  - {from: o0, to: o4, capacity: 2}\n"
        "source: {operator: o3, period: 4}\nmeasure: [{from: o0, to: o2}]\n",
        28);
}
