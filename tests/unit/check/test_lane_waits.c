/* SPDX-License-Identifier: Apache-2.0 */
/* Claims of how long an operator waits for others that share its threads: those that hold, and forged ones. */
#include "support/stage.h"

#include "check/workers/lane_waits.h"
#include "model/pipeline.h"

enum { COUNT = 4, NONE = -1 };
#define NO_INDEX UINT32_MAX
#define UNKNOWN ((struct weir_lane_step){.executions = WEIR_FAR})

/* The first operators of a model are a, b and c, in one lane; c waits. Nothing is known but what the model says. */
struct forged {
    struct weir_pipeline *pipeline;
    uint32_t lanes[COUNT], threads[2];
    bool in_order[2];
    struct weir_lane_rival rivals[COUNT];
    struct weir_lane_starts starts[COUNT];
};

static struct forged begin(const char *model)
{
    struct forged f = {.pipeline = stage_read(model), .lanes = {[3] = 1}, .threads = {1, 0}};
    for (int o = 0; o < COUNT; o++) {
        f.rivals[o] = (struct weir_lane_rival){UNKNOWN, UNKNOWN};
        f.starts[o] = (struct weir_lane_starts){.graph = f.pipeline->graph, .leader = NO_INDEX, .feed = NO_INDEX};
    }
    return f;
}

static bool holds(const struct forged *f, int64_t wait)
{
    struct weir_thread_groups groups = {f->lanes, f->threads, f->in_order};
    struct weir_lane_claim claim = {f->pipeline, &groups, 2, wait, f->rivals, f->starts};
    bool good = true;
    assert_int_equal(weir_lane_check(&claim, &good), WEIR_OK);
    return good;
}

/* The least wait that holds; NONE: none of up to 100 does. */
static int64_t least(const struct forged *f)
{
    for (int64_t wait = 0; wait <= 100; wait++)
        if (holds(f, wait))
            return wait;
    return NONE;
}

#define THREE(a, b, sources)                                                                                                       \
    "operators: {a: " a ", b: " b                                                                                                  \
    ", c: 1, d: 1}\nqueues: [a -> d, {from: b, to: d, latest: true}, {from: c, to: d, latest: true}]\n"                            \
    "sources: [" sources "]\n"
#define EVERY(op, period, arrivals) "{operator: " op ", period: " period ", arrivals: " arrivals "}"

/* Starts a period apart: a takes 4 of 10, b 3 of 20. */
TEST(test_clocks)
{
    struct forged f = begin(THREE("[1, 4]", "3", EVERY("a", "10", "at-most") ", " EVERY("b", "20", "at-most")));
    assert_int_equal(least(&f), 7);
    assert_false(holds(&f, 6));
    assert_true(holds(&f, 9));
    assert_false(holds(&f, 10)); /* two of a fit into that: 11 */
    assert_true(holds(&f, 11));
    assert_false(holds(&f, -1));
    f.lanes[1] = 1; /* b is in another lane */
    assert_int_equal(least(&f), 4);
    f.lanes[1] = 0, f.lanes[2] = 1;
    assert_int_equal(least(&f), NONE);
    weir_pipeline_free(f.pipeline);
    f = begin(THREE("[1, 4]", "3", EVERY("a", "30", "skip") ", " EVERY("b", "20", "at-most"))); /* the first may be late */
    assert_int_equal(least(&f), 11);
    weir_pipeline_free(f.pipeline);
    f = begin(THREE("[1, 4]", "0", EVERY("a", "30", "at-most"))); /* what takes no time may start as often as it likes */
    assert_int_equal(least(&f), 4);
    weir_pipeline_free(f.pipeline);
    f = begin(THREE("[1, 4]", "3", EVERY("a", "30", "catch-up") ", " EVERY("b", "20", "at-most"))); /* a burst */
    assert_int_equal(least(&f), NONE);
    weir_pipeline_free(f.pipeline);
    f = begin(THREE("{time: [1, 4], receive: [0, 2]}", "{time: 3, gpu: {time: 2, waits: true, after: [0, 1]}}",
                    EVERY("a", "30", "at-most") ", " EVERY("b", "40", "at-most")));
    assert_int_equal(least(&f), 4 + 3 + 2 + 1);
    weir_pipeline_free(f.pipeline);
}

/* From start to start at least so long, as a certificate says. */
TEST(test_separations_of_starts)
{
    static const int64_t table[] = {0, 0, 5, 8};
    struct forged f = begin(THREE("[1, 4]", "0", "{operator: b, period: 20, phase: 0}"));
    assert_int_equal(least(&f), NONE);
    f.starts[0].least = table;
    f.starts[0].known = 3;
    assert_int_equal(least(&f), NONE); /* two of a are 8 long, and a third may begin by then */
    f.starts[0].known = 2;
    assert_int_equal(least(&f), NONE);
    static const int64_t same[] = {0, 0, 8}, wider[] = {0, 0, 9};
    f.starts[0].least = same;
    assert_int_equal(least(&f), NONE); /* the third may begin in the moment when the second ends */
    f.starts[0].least = wider;
    assert_int_equal(least(&f), 8);
    f.starts[0].known = 1;
    assert_int_equal(least(&f), NONE);
    f.starts[0].known = 2;
    f.starts[0].graph = NULL;
    assert_int_equal(least(&f), NONE);
    weir_pipeline_free(f.pipeline);
}

/* b starts as often as a, but for two. */
TEST(test_leader)
{
    struct forged f = begin(THREE("[1, 4]", "3", EVERY("a", "40", "at-most")));
    f.starts[1].leader = 0;
    f.starts[1].ahead = f.starts[1].behind = 1;
    assert_int_equal(least(&f), 4 + 3 * 3);
    f.starts[1].behind = 2;
    assert_int_equal(least(&f), 4 + 4 * 3);
    f.starts[1].behind = -1;
    assert_int_equal(least(&f), NONE);
    f.starts[1].behind = 1;
    f.starts[1].leader = 2; /* which has no period */
    assert_int_equal(least(&f), NONE);
    f.starts[1].leader = 0;
    f.starts[0].graph = NULL; /* of another part */
    assert_int_equal(least(&f), NONE);
    weir_pipeline_free(f.pipeline);
}

/* a takes what d sends, which is in a queue of 2; d takes 6 at most, so that what it sends in 30 it has begun in 36: two. */
#define FED(queue)                                                                                                                 \
    "operators: {a: [1, 4], b: 0, c: 1, d: [2, 6]}\nqueues: [{from: d, to: a, " queue "}, {from: b, to: c, latest: true}, "        \
    "{from: a, to: c, latest: true}]\nsources: [" EVERY("d", "30", "at-most") "]\n"

TEST(test_feed)
{
    struct forged f = begin(FED("capacity: 2, blocking: false, full: pop"));
    assert_int_equal(least(&f), NONE);
    f.starts[0].feed = 0;
    assert_int_equal(least(&f), 12); /* those in the queue, and one that comes */
    f.starts[0].feed = 1;
    assert_int_equal(least(&f), NONE);
    f.starts[0].feed = 9;
    assert_int_equal(least(&f), NONE);
    weir_pipeline_free(f.pipeline);
    f = begin(FED("capacity: 2, blocking: false, full: pop, transfer: [0, 12]")); /* one more on its way: 4 * 4 + 6 + 12 > 30 */
    f.starts[0].feed = 0;
    assert_int_equal(least(&f), 16);
    weir_pipeline_free(f.pipeline);
    f = begin(FED("capacity: 2")); /* of a plain queue separations tell more */
    f.starts[0].feed = 0;
    assert_int_equal(least(&f), NONE);
    weir_pipeline_free(f.pipeline);
}

/* Executions of a that can be at work while c waits: from the first that is not over to the last that comes before c. */
TEST(test_rivals)
{
    struct forged f = begin("operators: {a: [1, 4], b: 0, c: 1}\nqueues: [{from: a, to: c, capacity: 4}, b -> c]\n");
    struct weir_lane_rival *rival = &f.rivals[0];
    *rival = (struct weir_lane_rival){{.executions = 0, .arcs = true}, {.executions = 4, .arcs = true}};
    assert_int_equal(least(&f), 12);
    rival->ahead.executions = 2;
    assert_int_equal(least(&f), 4);
    rival->ahead.executions = 1;
    assert_int_equal(least(&f), 0);
    rival->ahead = UNKNOWN;
    assert_int_equal(least(&f), NONE);
    rival->ahead = (struct weir_lane_step){.executions = 2, .value = -1};
    assert_int_equal(least(&f), 4);
    rival->ahead.value = 0; /* it may start in the same moment, before c */
    assert_int_equal(least(&f), NONE);
    rival->ahead.value = -1;
    rival->over = (struct weir_lane_step){.executions = 1, .value = 0};
    assert_int_equal(least(&f), 8);
    rival->over.value = 1;
    assert_int_equal(least(&f), NONE);
    /* By separations alone an execution after the one that is waited for may begin late, for nothing says when a begins. */
    rival->over = (struct weir_lane_step){.executions = -1, .value = 0};
    assert_int_equal(least(&f), NONE);
    rival->over = (struct weir_lane_step){.executions = -1, .arcs = true};
    assert_int_equal(least(&f), NONE);
    rival->over = (struct weir_lane_step){.executions = 0, .value = 0};
    assert_int_equal(least(&f), 4);
    f.starts[0].graph = NULL;
    assert_int_equal(least(&f), NONE);
    weir_pipeline_free(f.pipeline);
}

/* Where all begins by a clock it counts. */
TEST(test_on_time)
{
    struct forged f = begin("operators: {a: [1, 4], b: 0, c: 1}\nqueues: [{from: a, to: b, capacity: 4}, b -> c]\n"
                            "source: {operator: a, period: 20, arrivals: exact}\n");
    f.rivals[0] = (struct weir_lane_rival){{.executions = -1, .value = 0}, {.executions = 3, .value = -1}};
    assert_int_equal(least(&f), 4);
    weir_pipeline_free(f.pipeline);
}

/* In order, each is ahead once. */
TEST(test_order)
{
    struct forged f = begin(THREE("[1, 4]", "3", EVERY("a", "10", "at-most")));
    assert_int_equal(least(&f), NONE); /* nothing limits b */
    f.in_order[0] = true;
    assert_int_equal(least(&f), 7);
    assert_true(holds(&f, 100));
    weir_pipeline_free(f.pipeline);
}

/* On two threads both others have to be at work. What is under way when c is seen may have begun as long before as it takes. */
TEST(test_several_threads)
{
    struct forged f = begin(THREE("[1, 4]", "3", EVERY("a", "10", "at-most") ", " EVERY("b", "20", "at-most")));
    f.threads[0] = 2;
    assert_int_equal(least(&f), 3);
    assert_true(holds(&f, 5));
    assert_true(holds(&f, 6)); /* two of a are at work in part: 4 + 6 on two threads, and b ends after 3 */
    f.threads[0] = 3;
    assert_int_equal(least(&f), 0);
    f.threads[0] = 0;
    assert_int_equal(least(&f), NONE);
    weir_pipeline_free(f.pipeline);
    f = begin(THREE("[1, 4]", "3", EVERY("a", "10", "at-most")));
    f.threads[0] = 2;
    assert_int_equal(least(&f), 4); /* b runs for ever on one of them */
    assert_false(holds(&f, 3));
    f.starts[0].least = (const int64_t[]){0, 2};
    f.starts[0].known = 1; /* says less than its period */
    assert_int_equal(least(&f), 4);
    weir_pipeline_free(f.pipeline);
}

/* What begins at any time is not in separations. */
TEST(test_any_time)
{
    struct forged f = begin("operators: {a: [1, 4], b: 0, c: 1}\nqueues: [{from: a, to: c, capacity: 4}, b -> c]\n"
                            "sources: [" EVERY("a", "20", "catch-up") ", " EVERY("b", "20", "catch-up") "]\n");
    f.rivals[0] = (struct weir_lane_rival){{.executions = 0, .value = 0}, {.executions = 2, .value = -1}};
    assert_int_equal(least(&f), NONE);
    f.rivals[0] = (struct weir_lane_rival){{.executions = 0, .arcs = true}, {.executions = 2, .arcs = true}};
    assert_int_equal(least(&f), 4);
    weir_pipeline_free(f.pipeline);
}

static enum weir_status check(void *context)
{
    const struct forged *f = context;
    struct weir_thread_groups groups = {f->lanes, f->threads, NULL};
    struct weir_lane_claim claim = {f->pipeline, &groups, 2, 4, f->rivals, f->starts};
    bool good;
    return weir_lane_check(&claim, &good);
}

TEST(test_memory)
{
    struct forged f = begin(THREE("[1, 4]", "3", EVERY("a", "10", "at-most")));
    stage_fail_each_allocation(check, &f);
    weir_pipeline_free(f.pipeline);
}
