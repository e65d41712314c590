/* SPDX-License-Identifier: Apache-2.0 */
/* The greedy scheduler: where broadcasts come, batches, inputs without conditions, full queues. */
#include "model/dispatch.h"
#include "support/stage.h"

#include <string.h>

#define GREEDY "platform: {scheduler: greedy}\n"

/* Exactly so late and so early; worst -1: unknown, for a reason with these words. */
static void check(const char *model, int64_t worst, int64_t best, const char *why)
{
    struct weir_pipeline *p = stage_read(model);
    struct weir_workers_analysis *analysis;
    struct weir_error error = {0};
    if (weir_workers_analyze(p, NULL, &analysis, &error))
        fail_msg("%s", error.message);
    const struct weir_workers_latency *l = &analysis->latencies[0];
    assert_int_equal(l->outcome, worst < 0 ? WEIR_WORKERS_UNKNOWN : WEIR_WORKERS_EXACT);
    if (worst < 0) {
        if (!strstr(l->why, why))
            fail_msg("%s", l->why);
    } else {
        assert_int_equal(l->worst, worst);
        assert_int_equal(l->best, best);
    }
    weir_workers_analysis_free(analysis);
    weir_pipeline_free(p);
}

/* The guide's application. With the broadcast last in a round each frame would wait for another round: 135.636 ms. */
TEST(a_broadcast_runs_behind_its_operator)
{
    check("unit: ms\noperators: {replayer: {time: [1.6, 3.3]}, converter: {time: [19.6, 33]}, holoviz: {time: [20.8, 31.5]}}\n"
          "queues: [{from: replayer, to: [converter, holoviz], broadcast: {time: [0, 0.036]}}, converter -> holoviz]\n" GREEDY,
          67836, 42000, NULL);
    /* as it is written */
    check("unit: ms\noperators: {replayer: {time: [1.6, 3.3]}, converter: {time: [19.6, 33]}, holoviz: {time: [20.8, 31.5]}, "
          "replayer.broadcast: {time: [0, 0.036]}}\n"
          "queues: [replayer -> replayer.broadcast, replayer.broadcast -> converter, replayer.broadcast -> holoviz, "
          "converter -> holoviz]\n" GREEDY,
          67836, 42000, NULL);
}

TEST(the_order)
{
    struct weir_pipeline *p = stage_read("operators: {a: 1, b: 1, c: 1, a.broadcast.x: 1, b.broadcast: 1, a.broadcast2: 1}\n"
                                         "queues: ['a -> [b, c]', a -> a.broadcast2, a -> a.broadcast.x, b -> b.broadcast, "
                                         "c -> b.broadcast]\n" GREEDY);
    uint32_t order[7];
    static const char *const names[] = {"a", "a.broadcast", "a.broadcast2", "b", "c", "a.broadcast.x", "b.broadcast"};
    assert_true(weir_dispatch_order(p, order));
    for (size_t i = 0; i < 7; i++)
        assert_string_equal(weir_pipeline_operator(p, (struct weir_operator){order[i]}).name, names[i]);
    weir_pipeline_free(p);
}

#define THREE(words)                                                                                                               \
    "operators: {camera: {time: [8, 10]}, infer: {time: [40, 60]}, display: {time: [5, 16]}}\n"                                    \
    "queues: [{from: camera, to: infer, " words "}, infer -> display]\n" GREEDY

TEST(batches_and_policies)
{
    check(THREE("consume: 4"), 4 * 10 + 60 + 16, 8 + 40 + 5, NULL);
    check(THREE("optional: true"), 86, 53, NULL);
    check(THREE("latest: true"), 86, 53, NULL);
    check(THREE("blocking: false, full: pop"), 86, 53, NULL);
    /* The disk runs for every third frame, and takes the newest; through the gate it has the oldest of the three. */
    static const char slow[] =
        "operators: {camera: {time: [1, 2]}, gate: 3, disk: 5}\n"
        "queues: [{from: camera, to: gate, consume: 3}, {from: camera, to: disk, optional: true, blocking: false, full: %s}, "
        "gate -> disk]\nmeasure: [{from: camera, to: disk}]\n" GREEDY;
    char model[512];
    snprintf(model, sizeof model, slow, "pop");
    check(model, 6 + 3 + 5, 1 + 3 + 5, NULL);
    snprintf(model, sizeof model, slow, "fault");
    check(model, -1, 0, "a message finds the queue to \"disk\" full: the application fails");
}

/* As many executions after the second frame has come as after the third, a and b have shared them differently: the third frame
 * takes longer than all before it. */
TEST(a_frame_later_than_the_first_rounds_show)
{
    check("operators: {a: [2, 14], b: 9, c: [3, 7], d: 1}\n"
          "queues: [{from: a, to: c, capacity: 2}, {from: b, to: c, consume: 3, capacity: 4}, "
          "{from: c, to: d, capacity: 3, initial: 2}]\nmeasure: [{from: a, to: d}]\n" GREEDY,
          98, 37, NULL);
}

TEST(what_has_no_answer)
{
    check("operators: {a: 1, b: 1, c: 1}\nqueues: [{from: a, to: b, blocking: false}, {from: c, to: b, consume: 2}]\n"
          "measure: [{from: a, to: b}]\n" GREEDY,
          -1, 0, "messages pile up in a queue to \"b\"");
    check("operators: {a: 1, b: 1}\nqueues: [{from: a, to: b, optional: true}]\nmeasure: [{from: a, to: b, offset: 1}]\n" GREEDY,
          -1, 0, "has an offset");
}

static void check_safe(const char *model, int64_t worst)
{
    struct weir_pipeline *p = stage_read(model);
    struct weir_workers_analysis *analysis;
    assert_int_equal(weir_workers_analyze(p, NULL, &analysis, NULL), WEIR_OK);
    assert_int_equal(analysis->latencies[0].outcome, WEIR_WORKERS_SAFE);
    assert_int_equal(analysis->latencies[0].worst, worst);
    weir_workers_analysis_free(analysis);
    weir_pipeline_free(p);
}

#define TICKS(arrivals) "source: {operator: camera, period: 33, arrivals: " arrivals "}\n"

/* A frame goes through in one round, whenever the camera is due: section 4 of the theory alone has 172. */
TEST(periods)
{
#define FRAMES                                                                                                                     \
    "operators: {camera: {time: [8, 10]}, infer: {time: [40, 60]}, display: {time: [5, 16]}}\nqueues: [camera -> infer -> "        \
    "display]\n" GREEDY
    check_safe(FRAMES TICKS("at-most"), 86);
    check_safe(FRAMES TICKS("catch-up"), 86);
}

/* The first of two frames waits for the other, a period later. */
TEST(batches_with_periods)
{
    check_safe(THREE("consume: 2") TICKS("at-most"), 33 + 86);
    check_safe(THREE("consume: 2") TICKS("skip"), 33 + 86);
    check_safe(THREE("consume: 2") TICKS("catch-up"), 33 + 86);
}

/* Of two workers: 4; 4, once the longer of 9 and 5 has kept one of them and the other is free after 5; 9, after 4; 5, after 4. */
TEST(batches_of_workers)
{
#define BATCH "operators: {a: [1, 4], b: [3, 9], c: [2, 5]}\nqueues: [{from: a, to: b, consume: 2}, b -> c]\n"
    check_safe(BATCH "platform: {scheduler: event-based, workers: 2}\n", 4 + (5 + 4) + (4 + 9) + (4 + 5));
    check_safe(BATCH "platform: {scheduler: multi-thread, workers: 2, polling: 3}\n", 4 + (8 + 4) + (7 + 9) + (7 + 5));
}

TEST(memory_is_refused)
{
    struct weir_pipeline *p = stage_read(THREE("consume: 4"));
    assert_true(stage_fail_each_allocation(stage_analyze_workers, p) > 15);
    weir_pipeline_free(p);
    p = stage_read("operators: {a: 1, b: 2}\nqueues: [a -> b]\nsource: {operator: a, period: 5}\n" GREEDY);
    assert_true(stage_fail_each_allocation(stage_analyze_workers, p) > 15);
    weir_pipeline_free(p);
}
