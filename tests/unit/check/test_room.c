/* SPDX-License-Identifier: Apache-2.0 */
/* Claims of how long a producer waits for room in a port that others send to: those that hold, and forged ones. */
#include "support/stage.h"

#include "check/async/async.h"
#include "model/pipeline.h"

static bool holds(const char *model, uint32_t queue, int64_t takes, int64_t taken)
{
    struct weir_pipeline *pipeline = stage_read(model);
    bool good = false;
    assert_int_equal(weir_room_check(&(struct weir_port_room_claim){pipeline, queue, takes, taken}, &good), WEIR_OK);
    weir_pipeline_free(pipeline);
    return good;
}

#define PORT(p, q, more)                                                                                                           \
    "operators: {p: " p ", q: " q ", c: 3, u: [5, 6], v: 1}\nqueues:\n  - u -> v\n"                                                \
    "  - {from: p, to: c, capacity: 2, full: reject, port: in}\n  - {from: q, to: c, capacity: 2, full: reject, port: in" more

/* q sends at 0, 4, 8 ... at the soonest. */
TEST(test_by_time)
{
    const char *model = PORT("[1, 2]", "[4, 9]", ", blocking: false}\n");
    assert_true(holds(model, 1, 3, 2));
    assert_false(holds(model, 1, 4, 2)); /* two messages of q */
    assert_true(holds(model, 1, 7, 3));
    assert_false(holds(model, 1, 8, 3));
    assert_false(holds(model, 1, 3, 1));
    assert_false(holds(model, 1, -1, 1));
    assert_false(holds(model, 1, 3, 0));
}

/* A single one that waits, too, sends what it is at work on; not if it may take no time. */
TEST(test_single)
{
    assert_true(holds(PORT("[1, 2]", "[1, 9]", "}\n"), 1, 1000, 2));
    assert_false(holds(PORT("[1, 2]", "[1, 9]", "}\n"), 1, 1000, 1));
    assert_false(holds(PORT("[1, 2]", "[0, 9]", "}\n"), 1, 1000, 9));
    assert_false(holds(PORT("[1, 2]", "[1, 9]", ", blocking: false}\n"), 1, 1000, 2));
    assert_false(holds(PORT("[1, 2]", "{time: [1, 9], reentrant: true}", "}\n"), 1, 1000, 2)); /* at work on any number */
}

/* What handles messages of p, which waits, has those in the queue and one under way: 3 + 1; of u, besides, one each 5. */
TEST(test_by_messages)
{
    assert_true(holds(PORT("[1, 2]", "[0, 9]", "}\n  - {from: p, to: q, capacity: 3}\n"), 1, 1000, 5));
    assert_false(holds(PORT("[1, 2]", "[0, 9]", "}\n  - {from: p, to: q, capacity: 3}\n"), 1, 1000, 4));
    assert_true(holds(PORT("[1, 2]", "[0, 9]", "}\n  - {from: u, to: q, capacity: 3}\n"), 1, 9, 7));
    assert_false(holds(PORT("[1, 2]", "[0, 9]", "}\n  - {from: u, to: q, capacity: 3}\n"), 1, 10, 7));
}

/* Starts 20 apart, the first of which may take 9 and the last no time. */
TEST(test_by_periods)
{
    const char *model = PORT("[1, 2]", "[0, 9]", ", blocking: false}\nsource: {operator: q, period: 20, arrivals: at-most}\n");
    assert_true(holds(model, 1, 10, 2));
    assert_false(holds(model, 1, 11, 2));
    assert_false(
        holds(PORT("[1, 2]", "[0, 9]", ", blocking: false}\nsource: {operator: q, period: 20, arrivals: skip}\n"), 1, 10, 2));
}

/* The second may follow at once on one whose work on the GPU took long; not if it did not wait for that. */
TEST(test_by_periods_on_a_gpu)
{
#define LAUNCHES(waits)                                                                                                            \
    PORT("[1, 2]", "{time: [4, 9], gpu: {time: [0, 90], waits: " waits "}}",                                                       \
         ", blocking: false}\nsource: {operator: q, period: 20, arrivals: at-most}\n")
    assert_true(holds(LAUNCHES("false"), 1, 14, 2));
    assert_false(holds(LAUNCHES("false"), 1, 15, 2));
    assert_true(holds(LAUNCHES("true"), 1, 3, 2));
    assert_false(holds(LAUNCHES("true"), 1, 4, 2));
}

/* On shared threads p, which waits up to 2 for one, needs 6 + 2 for each place that it may lose; q alone may be ahead as often as
 * it can. */
TEST(test_on_shared_threads)
{
    struct weir_pipeline *pipeline =
        stage_read(PORT("[1, 2]", "[4, 9]", "}\nsource: {operator: q, period: 20, arrivals: at-most}\n"));
    struct weir_port_room_claim claim = {.pipeline = pipeline, .queue = 1, .takes = 6, .taken = 2};
    bool good = false;
    assert_int_equal(weir_room_wait(&claim), 6);
    assert_int_equal(weir_room_check(&claim, &good), WEIR_OK);
    assert_true(good);
    assert_true(weir_pipeline_set_lateness(pipeline, 0, (struct weir_lateness){.most = 2}));
    assert_int_equal(weir_room_wait(&claim), 16);
    assert_int_equal(weir_room_check(&claim, &good), WEIR_OK);
    assert_false(good); /* two messages of q, 15 apart */
    claim.takes = 5;
    assert_int_equal(weir_room_check(&claim, &good), WEIR_OK);
    assert_true(good);
    assert_true(weir_pipeline_set_lateness(pipeline, 1, (struct weir_lateness){.early = 1})); /* 14 apart */
    assert_int_equal(weir_room_check(&claim, &good), WEIR_OK);
    assert_false(good);
    weir_pipeline_free(pipeline);
}

static enum weir_status check(void *context)
{
    bool good;
    return weir_room_check(&(struct weir_port_room_claim){context, 1, 3, 2}, &good);
}

TEST(test_memory_of_room)
{
    struct weir_pipeline *pipeline = stage_read(PORT("[1, 2]", "[4, 9]", "}\n"));
    assert_true(stage_fail_each_allocation(check, pipeline) > 0);
    weir_pipeline_free(pipeline);
}
