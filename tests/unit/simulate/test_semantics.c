/* SPDX-License-Identifier: Apache-2.0 */
/* What Holoscan has beyond plain queues, in schedules small enough to work out by hand. */
#include "support/stage.h"

#include <stdio.h>
#include <string.h>

static const struct weir_operator A = {0}, B = {1}, C = {2};

/* What each execution of an operator carries of A. */
struct seen {
    struct stage_trace trace;
    int64_t oldest[STAGE_OPERATORS][STAGE_ITERATIONS], newest[STAGE_OPERATORS][STAGE_ITERATIONS]; /* -1: nothing */
    int64_t age[STAGE_OPERATORS][STAGE_ITERATIONS];                                               /* of the oldest */
    int64_t lost;
    struct weir_age_end end;
};

static struct seen seen;

static void observe(void *context, struct weir_operator op, enum weir_moment moment, int64_t iteration, int64_t time)
{
    stage_observe(&((struct seen *)context)->trace, op, moment, iteration, time);
}

static void carried(void *context, const struct weir_finish *finish)
{
    struct seen *s = context;
    if (finish->execution >= STAGE_ITERATIONS)
        return;
    const struct weir_age *age = finish->age_count ? finish->ages : NULL;
    assert_true(!age || age->from.index == A.index);
    s->oldest[finish->op.index][finish->execution] = age ? age->oldest : -1;
    s->newest[finish->op.index][finish->execution] = age ? age->newest : -1;
    s->age[finish->op.index][finish->execution] = age ? finish->time - age->oldest_time : -1;
}

static void lost(void *context, struct weir_queue queue, int64_t time)
{
    (void)queue, (void)time;
    ((struct seen *)context)->lost++;
}

static struct weir_age_options worst_times(int64_t iterations)
{
    return (struct weir_age_options){
        .run = {.iterations = iterations, .times = WEIR_TIMES_WORST, .observe = observe, .context = &seen},
        .from = &A,
        .from_count = 1,
        .carried = carried,
        .lost = lost};
}

static void play_with(const char *model, const struct weir_age_options *options)
{
    struct weir_pipeline *pipeline = stage_read(model);
    struct weir_error error;
    memset(&seen, 0, sizeof seen);
    if (weir_simulate_ages(pipeline, options, &seen.end, &error) != WEIR_OK)
        fail_msg("%s", error.message);
    weir_pipeline_free(pipeline);
    assert_false(seen.trace.disordered);
}

static void play(const char *model, int64_t iterations)
{
    struct weir_age_options options = worst_times(iterations);
    play_with(model, &options);
}

static void check(const int64_t *row, const int64_t *expected, size_t count)
{
    for (size_t i = 0; i < count; i++)
        assert_int_equal(row[i], expected[i]);
}
#define assert_row(row, ...) check(row, (const int64_t[]){__VA_ARGS__}, sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t))

/* ---- batches ---- */

TEST(batches)
{
    play("operators: {a: 2, b: 3}\nqueues: [{from: a, to: b, consume: 2}]\n", 3);
    assert_times(&seen.trace, WEIR_START, A, 0, 2, 4, 6, 8, 10);
    assert_times(&seen.trace, WEIR_START, B, 4, 8, 12);
    assert_times(&seen.trace, WEIR_FINISH, B, 7, 11, 15);
    assert_int_equal(seen.trace.seen[WEIR_START][0], 6);
    assert_int_equal(seen.trace.seen[WEIR_FINISH][1], 3);
    assert_row(seen.oldest[1], 0, 2, 4);
    assert_row(seen.newest[1], 1, 3, 5);
    assert_row(seen.age[1], 7, 7, 7);
}

TEST(batches_with_room_for_one_more)
{
    play("operators: {a: 2, b: 5}\nqueues: [{from: a, to: b, consume: 2, capacity: 3}]\n", 3);
    assert_times(&seen.trace, WEIR_START, A, 0, 2, 4, 6, 8, 10);
    assert_times(&seen.trace, WEIR_START, B, 4, 9, 14);
}

/* Both branches take pairs; the lower one is one message behind, so that what is new comes over the upper one. */
TEST(newest_over_the_way_with_the_fewest_initial_messages)
{
    play("operators: {a: 1, b: 1, c: 1}\n"
         "queues:\n  - {from: a, to: b}\n  - {from: b, to: c, capacity: 3}\n  - {from: a, to: c, capacity: 3, initial: 1}\n",
         4);
    assert_times(&seen.trace, WEIR_START, C, 2, 3, 4, 5);
    assert_row(seen.newest[2], 0, 1, 2, 3);
    assert_row(seen.oldest[2], 0, 1, 2, 3);
}

/* ---- work on a GPU ---- */

TEST(launches_run_behind)
{
    play("operators: {a: {time: 1, gpu: {time: 5}}, b: {time: 1, gpu: {time: 2}}}\nqueues: [a -> b]\n", 3);
    assert_times(&seen.trace, WEIR_START, A, 0, 1, 2);
    assert_times(&seen.trace, WEIR_FINISH, A, 6, 11, 16);
    assert_times(&seen.trace, WEIR_START, B, 1, 2, 3);
    assert_times(&seen.trace, WEIR_FINISH, B, 8, 13, 18);
    assert_row(seen.age[1], 8, 12, 16);
}

TEST(waiting_for_the_work)
{
    play("operators: {a: {time: 1, gpu: {time: 5, waits: true, after: 2}}, b: 1}\nqueues: [a -> b]\n", 3);
    assert_times(&seen.trace, WEIR_START, A, 0, 8, 16);
    assert_times(&seen.trace, WEIR_FINISH, A, 8, 16, 24);
    assert_times(&seen.trace, WEIR_START, B, 8, 16, 24);
}

/* b has no work of its own: it hands on that of a. */
TEST(work_behind_what_is_handed_on)
{
    play("operators: {a: {time: 1, gpu: {time: 5}}, b: 1, c: {time: 1, gpu: {time: 1}}}\nqueues: [a -> b, b -> c]\n", 2);
    assert_times(&seen.trace, WEIR_FINISH, B, 2, 3);
    assert_times(&seen.trace, WEIR_START, C, 2, 3);
    assert_times(&seen.trace, WEIR_FINISH, C, 7, 12);
}

/* One that waits also waits for the work behind its messages. */
TEST(waiting_for_the_work_of_others)
{
    play("operators: {a: {time: 1, gpu: {time: 5}}, b: {time: 1, gpu: {time: 1, waits: true}}}\nqueues: [a -> b]\n", 3);
    assert_times(&seen.trace, WEIR_FINISH, A, 6, 11, 16);
    assert_times(&seen.trace, WEIR_START, B, 1, 7, 12);
    assert_times(&seen.trace, WEIR_FINISH, B, 7, 12, 17);
    assert_times(&seen.trace, WEIR_START, A, 0, 1, 7);
}

TEST(one_stream_for_both)
{
    play("operators: {a: {time: 1, gpu: {time: 5, stream: s}}, b: {time: 1, gpu: {time: 1, stream: s}}}\n"
         "queues: [a -> b, {from: b, to: a, initial: 1}]\n",
         3);
    assert_times(&seen.trace, WEIR_START, A, 0, 2, 4);
    assert_times(&seen.trace, WEIR_FINISH, A, 6, 12, 18);
    assert_times(&seen.trace, WEIR_FINISH, B, 7, 13, 19);
}

/* ---- transfers ---- */

TEST(transfers)
{
    play("operators: {a: 2, b: 1}\nqueues: [{from: a, to: b, capacity: 2, transfer: 3}]\n", 3);
    assert_times(&seen.trace, WEIR_START, A, 0, 2, 5);
    assert_times(&seen.trace, WEIR_START, B, 5, 7, 10);
}

static int64_t slow_first_message(void *context, struct weir_operator op, enum weir_part part, int64_t execution)
{
    (void)context;
    if (part == WEIR_PART_TRANSFER)
        assert_int_equal(op.index, B.index);
    return part == WEIR_PART_TRANSFER ? (execution == 0 ? 10 : 1) : op.index == A.index ? 2 : 1;
}

TEST(messages_do_not_overtake)
{
    struct weir_age_options options = worst_times(3);
    options.run.times = WEIR_TIMES_GIVEN;
    options.run.given = slow_first_message;
    play_with("operators: {a: 2, b: 1}\nqueues: [{from: a, to: b, capacity: 2, transfer: [1, 10]}]\n", &options);
    assert_times(&seen.trace, WEIR_START, A, 0, 2, 12);
    assert_times(&seen.trace, WEIR_START, B, 12, 13, 15);
}

/* ---- clocks ---- */

static int64_t slow_first_execution(void *context, struct weir_operator op, enum weir_part part, int64_t execution)
{
    (void)context, (void)op, (void)part;
    return execution == 0 ? 10 : 1;
}

TEST(clocks)
{
    static const struct {
        const char *arrivals;
        int64_t starts[5];
    } cases[] = {{"catch-up", {0, 10, 11, 12, 16}}, {"skip", {0, 10, 12, 16, 20}}, {"at-most", {0, 10, 14, 18, 22}}};
    for (size_t i = 0; i < 3; i++) {
        char model[200];
        snprintf(model, sizeof model, "operators: {a: [1, 10]}\nsources: [{operator: a, period: 4, arrivals: %s}]\n",
                 cases[i].arrivals);
        struct weir_age_options options = worst_times(5);
        options.run.times = WEIR_TIMES_GIVEN;
        options.run.given = slow_first_execution;
        play_with(model, &options);
        stage_check(&seen.trace, WEIR_START, A, cases[i].starts, 5);
    }
}

/* The next tick is beyond what can be represented, and no time is computed from it. */
TEST(ticks_too_late)
{
    static const char *const arrivals[] = {"catch-up", "at-most"};
    for (size_t i = 0; i < 2; i++) {
        char model[200];
        struct weir_simulation_options options = {.iterations = 10, .times = WEIR_TIMES_WORST};
        snprintf(model, sizeof model, "operators: {a: [2, 5]}\nsources: [{operator: a, period: 1e18, phase: 0, arrivals: %s}]\n",
                 arrivals[i]);
        struct weir_pipeline *p = stage_read(model);
        assert_int_equal(weir_simulate(p, &options, NULL), WEIR_OK);
        options.iterations = 11;
        assert_int_equal(weir_simulate(p, &options, NULL), WEIR_OVERFLOW);
        weir_pipeline_free(p);
    }
}

/* ---- connections that do not wait ---- */

/* A message that comes when b starts may be seen by it or not. */
TEST(latest)
{
    unsigned ends = 0;
    for (uint64_t seed = 0; seed < 64; seed++) {
        struct weir_age_options options = worst_times(4);
        options.ties = seed % 2 ? WEIR_TIES_RANDOM : WEIR_TIES_RANKED;
        options.run.seed = seed;
        play_with("operators: {a: 5, b: 2}\nqueues: [{from: a, to: b, latest: true}]\n", &options);
        assert_times(&seen.trace, WEIR_START, A, 0, 5, 10);
        assert_times(&seen.trace, WEIR_START, B, 0, 2, 4, 6, 8, 10);
        assert_row(seen.oldest[1], -1, -1, -1, 0, 0);
        assert_row(seen.age[1] + 3, 8, 10);
        assert_true(seen.age[1][5] == 7 || seen.age[1][5] == 12);
        ends |= (seen.age[1][5] == 7 ? 1U : 2U) << 2 * (seed % 2);
    }
    assert_int_equal(ends, 15);
}

/* c ticks every 4, and reads what a began every 10 and sent 3 later: there is nothing at 0, and at 12 it is 12 old. */
#define MISSING(what)                                                                                                              \
    "operators: {a: 3, b: 1, c: 2}\nqueues:\n  - {from: a, to: b, latest: true, missing: " what ", within: 9}\n"                   \
    "  - b -> c\nsources:\n  - {operator: a, period: 10, arrivals: exact, phase: 0}\n"                                             \
    "  - {operator: b, period: 4, arrivals: exact, phase: 0}\n"

TEST(missing)
{
    struct weir_age_options options = worst_times(4);
    play_with(MISSING("reuse"), &options);
    assert_times(&seen.trace, WEIR_FINISH, B, 1, 5, 9, 13, 17);
    assert_times(&seen.trace, WEIR_START, C, 1, 5, 9, 13);
    struct weir_pipeline *pipeline = stage_read(MISSING("skip")); /* executions without a finish are no disorder */
    memset(&seen, 0, sizeof seen);
    assert_int_equal(weir_simulate_ages(pipeline, &options, &seen.end, NULL), WEIR_OK);
    assert_times(&seen.trace, WEIR_START, B, 0, 4, 8, 12, 16);
    assert_times(&seen.trace, WEIR_START, C, 5, 9, 17); /* nothing came of 0 and 12 */
    weir_pipeline_free(pipeline);
    play_with(MISSING("fail"), &options);
    assert_true(seen.end.fault && seen.end.queue.index == 0 && seen.end.time == 0);
}

/* What is read late is newer. */
TEST(latest_is_read_at_the_receive)
{
    play("operators: {a: 5, b: {time: 4, receive: 3}}\nqueues: [{from: a, to: b, latest: true}]\n", 3);
    assert_times(&seen.trace, WEIR_START, B, 0, 4, 8);
    assert_row(seen.oldest[1], -1, 0, 1); /* read at 3, 7, 11 */
}

TEST(full_queues)
{
    const char *model = "operators: {a: 10, b: 23}\nqueues: [{from: a, to: b, blocking: false, full: %s}]\n";
    char text[200];
    snprintf(text, sizeof text, model, "pop");
    play(text, 4);
    assert_times(&seen.trace, WEIR_START, B, 10, 33, 56, 79);
    assert_row(seen.oldest[1], 0, 2, 4, 6);
    assert_row(seen.age[1], 33, 36, 39, 42);
    assert_true(seen.lost >= 3);
    assert_true(seen.trace.seen[WEIR_START][0] > 4); /* it does not stop before b is done */
    snprintf(text, sizeof text, model, "reject");
    play(text, 4);
    assert_row(seen.oldest[1], 0, 1, 3, 5);
    assert_false(seen.end.fault);
    snprintf(text, sizeof text, model, "fault");
    play(text, 4);
    assert_true(seen.end.fault);
    assert_int_equal(seen.end.time, 30);
    assert_int_equal(seen.end.queue.index, 0);
    assert_int_equal(seen.trace.seen[WEIR_FINISH][1], 0);
}

/* What was claimed is not in the queue any more, however late it is received. */
TEST(claimed_messages_are_not_lost)
{
    play("operators: {a: 10, b: {time: 23, receive: 22}}\nqueues: [{from: a, to: b, blocking: false, full: pop}]\n", 3);
    assert_row(seen.oldest[1], 0, 2, 4);
}

TEST(optional_inputs)
{
    play("operators: {a: 10, b: 4}\nqueues: [{from: a, to: b, optional: true}]\n", 3);
    assert_times(&seen.trace, WEIR_START, A, 0, 12, 24);
    assert_times(&seen.trace, WEIR_START, B, 0, 4, 8, 12, 16, 20, 24);
    assert_row(seen.oldest[1], -1, -1, -1, 0, -1, -1, 1);
}

/* With a late receive the room comes late, also where executions of the consumer overlap. */
TEST(optional_inputs_received_late)
{
    play("operators: {a: 10, b: {time: 4, receive: 3}}\nqueues: [{from: a, to: b, optional: true}]\n", 3);
    assert_times(&seen.trace, WEIR_START, A, 0, 15, 31);
    play("operators: {a: 10, b: {time: 12, receive: 11, reentrant: true}}\n"
         "queues: [{from: a, to: b, optional: true}]\nsources: [{operator: b, period: 4, phase: 0, arrivals: at-most}]\n",
         3);
    assert_times(&seen.trace, WEIR_START, B, 0, 4, 8, 12, 16, 20);
    assert_row(seen.oldest[1], -1, -1, -1, 0); /* taken at 12, received at 23 */
    assert_times(&seen.trace, WEIR_START, A, 0, 23);
}

/* a stands still for no one: nothing is read twice from a queue, but what is old stays old over two connections. */
TEST(two_connections)
{
    play("operators: {a: 7, b: 3, c: 2}\n"
         "queues: [{from: a, to: b, latest: true}, {from: b, to: c, latest: true}]\n",
         6);
    assert_times(&seen.trace, WEIR_START, B, 0, 3, 6, 9, 12);
    assert_row(seen.oldest[1], -1, -1, -1, 0, 0);
    assert_times(&seen.trace, WEIR_FINISH, C, 2, 4, 6, 8, 10, 12);
    assert_row(seen.oldest[2], -1, -1, -1, -1, -1, -1);
    assert_int_equal(seen.oldest[2][7], 0); /* starts at 14, reads what b began at 9 and ended at 12 */
    assert_int_equal(seen.age[2][7], 16);
}

/* Both ways count: over the queue what is new, over the other connection what is old. */
TEST(ways_that_differ)
{
    play("operators: {a: 4, b: 11, c: 1}\n"
         "queues:\n  - {from: a, to: c}\n  - {from: a, to: b, latest: true}\n  - {from: b, to: c, latest: true}\n",
         9);
    assert_times(&seen.trace, WEIR_START, C, 4, 8, 12, 16, 20, 24, 28);
    assert_row(seen.newest[2], 0, 1, 2, 3, 4, 5, 6);
    /* b reads at 0, 11 (a's execution 1), 22 (execution 4), and ends at 11, 22, 33. */
    assert_row(seen.oldest[2], 0, 1, 2, 3, 4, 1, 1);
    assert_int_equal(seen.age[2][6], 25);
}

/* ---- limits ---- */

/* a takes no time at its best: it must not run for ever while b takes its time. */
TEST(nobody_runs_for_ever)
{
    struct weir_age_options options = worst_times(3);
    options.run.times = WEIR_TIMES_BEST;
    play_with("operators: {a: [0, 1], b: 2}\nqueues: [{from: a, to: b, latest: true}]\n", &options);
    assert_int_equal(seen.trace.seen[WEIR_START][0], 3 * WEIR_AHEAD_MAX);
}

/* c is so slow that b has started twice before its first message is there. It then waits for a third start of b to take that, which
 * waits for a, which waits for c to take its second message. Inputs go on arriving. */
TEST(standing_still)
{
    struct weir_pipeline *p = stage_read("operators: {a: 1, b: 1, c: 9}\nqueues:\n  - {from: a, to: b}\n  - {from: a, to: c}\n"
                                         "  - {from: c, to: b, optional: true}\n"
                                         "sources: [{operator: a, period: 2, arrivals: exact}]\n");
    struct weir_age_options options = worst_times(3);
    struct weir_error error;
    memset(&seen, 0, sizeof seen);
    assert_int_equal(weir_simulate_ages(p, &options, NULL, &error), WEIR_INVALID);
    assert_non_null(strstr(error.message, "is stuck"));
    weir_pipeline_free(p);
}

TEST(nonsense)
{
    struct weir_pipeline *p = stage_read("operators: {a: 2, b: 1}\nqueues: [a -> b]\n");
    struct weir_operator none = {2};
    struct weir_age_options options = worst_times(1);
    options.from = &none;
    assert_int_equal(weir_simulate_ages(p, &options, NULL, NULL), WEIR_INVALID);
    options.from = &A;
    options.ties = (enum weir_ties)3;
    assert_int_equal(weir_simulate_ages(p, &options, NULL, NULL), WEIR_INVALID);
    weir_pipeline_free(p);
}

static enum weir_status simulate_all(void *context)
{
    struct weir_age_options options = {.run = {.iterations = 40, .times = WEIR_TIMES_BANG_BANG, .seed = 3},
                                       .ties = WEIR_TIES_RANKED,
                                       .from = (const struct weir_operator[]){{0}, {1}},
                                       .from_count = 2};
    return weir_simulate_ages(context, &options, NULL, NULL);
}

TEST(memory_fails)
{
    struct weir_pipeline *p =
        stage_read("operators:\n  a: {time: [1, 9], gpu: {time: [0, 7]}}\n  b: {time: [0, 3], gpu: {time: 2, waits: true}}\n"
                   "  c: [1, 4]\n  d: [2, 30]\n  e: {time: [3, 4], reentrant: true}\n"
                   "queues:\n  - {from: a, to: b, capacity: 3, transfer: [2, 5]}\n  - {from: b, to: c, blocking: false}\n"
                   "  - {from: c, to: d, optional: true, blocking: false, full: pop, capacity: 2}\n"
                   "  - {from: a, to: d, latest: true}\n  - {from: d, to: e, blocking: false}\n");
    assert_true(stage_fail_each_allocation(simulate_all, p) > 10);
    weir_pipeline_free(p);
}
