/* SPDX-License-Identifier: Apache-2.0 */
/* Launches, batches, transfers, connections that do not wait and periodic policies: what is refused, and what is kept. */
#include "model/firings.h"
#include "model/pipeline.h"
#include "support/stage.h"

#include <string.h>

/* ---- one specification ---- */

static void refuse_operator(struct weir_operator_spec spec, const char *message)
{
    struct weir_pipeline *p = weir_pipeline_new(NULL);
    struct weir_error error;
    spec.name = "a";
    assert_int_equal(weir_pipeline_add_operator(p, &spec, NULL, &error), WEIR_INVALID);
    assert_string_equal(error.message, message);
    assert_int_equal(weir_pipeline_operator_count(p), 0);
    weir_pipeline_free(p);
}

TEST(test_launches_that_are_wrong)
{
    struct weir_launch launch = {.best = 3, .worst = 2};
    struct weir_operator_spec spec = {.worst = 1, .launch = &launch};
    refuse_operator(spec, "operator \"a\" launches work with an invalid time");
    launch = (struct weir_launch){.best = -1, .worst = 2};
    refuse_operator(spec, "operator \"a\" launches work with an invalid time");
    launch = (struct weir_launch){.worst = INT64_MAX};
    refuse_operator(spec, "operator \"a\" launches work with an invalid time");
    launch = (struct weir_launch){.worst = 2, .waits = true, .after_best = 2, .after_worst = 1};
    refuse_operator(spec, "operator \"a\" has an invalid time after its work on the GPU");
    launch = (struct weir_launch){.worst = 2, .after_worst = 1};
    refuse_operator(spec, "operator \"a\" does not wait for its work on the GPU, so there can be no time after it");
    launch = (struct weir_launch){.worst = 2, .stream = ""};
    refuse_operator(spec, "operator \"a\" launches into a stream without a name");
    launch = (struct weir_launch){.worst = 2};
    spec.reentrant = true;
    refuse_operator(spec, "operator \"a\" is reentrant: it cannot launch work, since the order of the launches would be undefined");
}

static struct weir_pipeline *two(void)
{
    struct weir_pipeline *p = weir_pipeline_new(NULL);
    for (uint32_t i = 0; i < 2; i++) {
        struct weir_operator_spec spec = {.name = i ? "b" : "a", .worst = 1, .place = {i + 1, 1}};
        assert_int_equal(weir_pipeline_add_operator(p, &spec, NULL, NULL), WEIR_OK);
    }
    return p;
}

TEST(test_connections_that_are_wrong)
{
    static const struct {
        struct weir_queue_spec spec;
        const char *message;
    } cases[] = {
        {{.capacity = 1, .full = (enum weir_full)4, .nonblocking = true}, "unknown policy for a full queue: 4"},
        {{.capacity = 1, .transfer_min = 2, .transfer_max = 1}, "a queue has an invalid transfer time"},
        {{.capacity = 1, .transfer_min = -1, .transfer_max = 1}, "a queue has an invalid transfer time"},
        {{.capacity = 1, .latest = true, .optional = true},
         "a connection with the latest message is not a queue: it has no other condition and begins empty"},
        {{.capacity = 1, .latest = true, .initial = 1},
         "a connection with the latest message is not a queue: it has no other condition and begins empty"},
        {{.capacity = 1, .full = WEIR_FULL_POP}, "where the producer waits for room, no message finds the queue full"},
        {{.capacity = WEIR_UNBOUNDED, .nonblocking = true, .full = WEIR_FULL_FAULT}, "a queue without limit is never full"},
        {{.capacity = 2, .consume = 2, .optional = true},
         "several messages can be taken at once only where each of them is waited for"},
        {{.capacity = 1, .missing = WEIR_MISSING_SKIP},
         "only a connection with the latest message can say what happens when there is none: other messages are waited for, or "
         "optional"},
        {{.capacity = 1, .latest = true, .missing = (enum weir_missing)3}, "unknown policy for a missing message: 3"},
        {{.capacity = 1, .within = 2}, "only a connection with the latest message can limit the age of a message"},
        {{.capacity = 1, .has_within = true}, "only a connection with the latest message can limit the age of a message"},
        {{.capacity = 1, .latest = true, .within = -1}, "only a connection with the latest message can limit the age of a message"},
        {{.capacity = 2, .transfer_max = 2, .optional = true},
         "a message in transit takes no room in a queue that need not be read"},
    };
    struct weir_pipeline *p = two();
    struct weir_error error;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct weir_queue_spec spec = cases[i].spec;
        spec.to.index = 1;
        assert_int_equal(weir_pipeline_add_queue(p, &spec, NULL, &error), WEIR_INVALID);
        assert_string_equal(error.message, cases[i].message);
    }
    struct weir_source_spec source = {.period = 1, .arrivals = (enum weir_arrivals)4};
    assert_int_equal(weir_pipeline_add_source(p, &source, &error), WEIR_INVALID);
    assert_string_equal(error.message, "unknown kind of arrivals: 4");
    weir_pipeline_free(p);
}

/* ---- the whole ---- */

static void assert_mistakes(struct weir_pipeline *p, const char *expected)
{
    struct weir_errors *errors = weir_errors_new();
    char text[4096] = "";
    assert_int_equal(weir_pipeline_seal(p, NULL, errors), WEIR_INVALID);
    for (size_t i = 0; i < weir_errors_count(errors); i++) {
        const struct weir_error *e = weir_errors_at(errors, i);
        size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "%u: %s\n", e->line, e->message);
    }
    assert_string_equal(text, expected);
    assert_int_equal(weir_pipeline_seal(p, NULL, NULL), WEIR_INVALID); /* once more, without a list */
    weir_errors_free(errors);
    weir_pipeline_free(p);
}

static void add_queue(struct weir_pipeline *p, struct weir_queue_spec spec)
{
    spec.place.line = 101 + weir_pipeline_queue_count(p);
    assert_int_equal(weir_pipeline_add_queue(p, &spec, NULL, NULL), WEIR_OK);
}

static void launch(struct weir_pipeline *p, uint32_t op, struct weir_launch launch)
{
    struct weir_operator_spec spec = p->operators[op];
    spec.launch = &launch;
    assert_int_equal(weir_pipeline_change_operator(p, (struct weir_operator){op}, &spec, NULL), WEIR_OK);
}

TEST(test_batches_that_are_wrong)
{
    struct weir_pipeline *p = two();
    add_queue(p, (struct weir_queue_spec){.to = {1}, .capacity = 2, .consume = 3});
    assert_mistakes(p, "101: the queue to \"b\" never holds as many messages as are taken from it at once\n");
    p = two(); /* two at once from one queue, one from the other */
    add_queue(p, (struct weir_queue_spec){.to = {1}, .capacity = 2, .consume = 2});
    add_queue(p, (struct weir_queue_spec){.to = {1}, .capacity = 2});
    assert_mistakes(p, "102: rates do not agree: \"b\" takes 1 messages at once from \"a\", which the other queues between them do "
                       "not allow; one would run ahead without bound\n");
    p = two(); /* to oneself */
    add_queue(p, (struct weir_queue_spec){.to = {1}, .capacity = 2});
    add_queue(p, (struct weir_queue_spec){.from = {1}, .to = {1}, .capacity = 4, .initial = 2, .consume = 2});
    assert_mistakes(p, "102: rates do not agree: \"b\" takes 2 messages at once from \"b\", which the other queues between them do "
                       "not allow; one would run ahead without bound\n");
    p = two(); /* a million turns are too many */
    add_queue(p, (struct weir_queue_spec){.to = {1}, .capacity = 1000000000, .consume = 1000000000});
    assert_mistakes(p, "1: with operator \"a\", too many executions pass until the queues are back in their initial state: the "
                       "numbers of messages taken at once have too few common factors\n");
    p = two(); /* no place is ever free: a waits for b, and b for a second message */
    add_queue(p, (struct weir_queue_spec){.to = {1}, .capacity = 3, .initial = 2, .consume = 3});
    add_queue(p, (struct weir_queue_spec){.from = {1}, .capacity = 1, .nonblocking = true});
    assert_mistakes(p, "102: rates do not agree: \"a\" takes 1 messages at once from \"b\", which the other queues between them do "
                       "not allow; one would run ahead without bound\n");
}

/* b and c take four of a's messages at once. Two are there for c, whose queue has four places: so a can send two, and no third
 * until c begins, which waits for b, which waits for four. */
TEST(test_batches_that_deadlock)
{
    struct weir_pipeline *p = two();
    struct weir_operator_spec c = {.name = "c", .worst = 1};
    assert_int_equal(weir_pipeline_add_operator(p, &c, NULL, NULL), WEIR_OK);
    add_queue(p, (struct weir_queue_spec){.to = {1}, .capacity = 4, .consume = 4});
    add_queue(p, (struct weir_queue_spec){.from = {1}, .to = {2}, .capacity = 1});
    add_queue(p, (struct weir_queue_spec){.to = {2}, .capacity = 4, .initial = 2, .consume = 4});
    assert_mistakes(p, "101: deadlock: nothing in this cycle of 3 can ever start: a -> b -> c (full) -> a; a queue in it is too "
                       "small for the messages taken at once, or begins full\n");
}

/* An optional input that begins full makes a wait for a start of b, which waits for a's first message. One more place, and a starts
 * twice; whether it goes on depends on times. A queue that does not wait for room holds nobody back. */
TEST(test_optional_that_deadlocks)
{
    for (uint32_t i = 0; i < 3; i++) {
        struct weir_pipeline *p = two();
        add_queue(p, (struct weir_queue_spec){.to = {1}, .capacity = 1});
        add_queue(p, (struct weir_queue_spec){
                         .to = {1}, .capacity = 1 + (i == 1), .initial = 1, .optional = true, .nonblocking = i == 2});
        if (i == 0) {
            assert_mistakes(p, "101: deadlock: nothing in this cycle of 2 can ever start: a -> b (full) -> a; a queue in it begins "
                               "full, so its producer waits for its consumer\n");
            continue;
        }
        assert_int_equal(weir_pipeline_seal(p, NULL, NULL), WEIR_OK);
        weir_pipeline_free(p);
    }
}

TEST(test_ticks_that_are_wrong)
{
    struct weir_pipeline *p = two();
    add_queue(p, (struct weir_queue_spec){.to = {1}, .capacity = 2});
    stage_period(p, (struct weir_operator){1}, 5, WEIR_ARRIVALS_CATCH_UP);
    assert_mistakes(
        p,
        "101: operator \"b\" waits for messages at the beginning: only an operator that begins the pipeline can catch up with its "
        "ticks, or skip them\n");
    p = two();
    add_queue(p, (struct weir_queue_spec){.to = {1}, .capacity = 1, .initial = 1});
    stage_period(p, (struct weir_operator){0}, 5, WEIR_ARRIVALS_SKIP);
    assert_mistakes(
        p,
        "101: operator \"a\" waits for room at the beginning: only an operator that can start at once can catch up with its ticks, "
        "or skip them\n");
    p = two(); /* a feedback that begins with a message is no reason to wait */
    add_queue(p, (struct weir_queue_spec){.to = {1}, .capacity = 2});
    add_queue(p, (struct weir_queue_spec){.from = {1}, .capacity = 2, .initial = 1});
    stage_period(p, (struct weir_operator){0}, 5, WEIR_ARRIVALS_CATCH_UP);
    stage_seal(p);
    weir_pipeline_free(p);
}

TEST(test_streams_that_are_wrong)
{
    struct weir_pipeline *p = two(); /* a begins again when b begins: who launches first? */
    add_queue(p, (struct weir_queue_spec){.to = {1}, .capacity = 1});
    launch(p, 0, (struct weir_launch){.worst = 2, .stream = "main"});
    launch(p, 1, (struct weir_launch){.worst = 2, .stream = "main"});
    assert_mistakes(p, "1: \"b\" and \"a\" launch into stream \"main\" in an order that depends on times: there is no bound for "
                       "that; give each a stream of its own\n");
    p = two(); /* the latest message may have work behind it */
    add_queue(p, (struct weir_queue_spec){.to = {1}, .capacity = 1, .latest = true});
    launch(p, 0, (struct weir_launch){.worst = 2});
    launch(p, 1, (struct weir_launch){.worst = 2});
    assert_mistakes(p, "101: there may be work on a GPU behind the messages from \"a\" to \"b\" that other work waits for: that is "
                       "known only where each message is waited for\n");
    p = two(); /* ... but not if a waits for it */
    add_queue(p, (struct weir_queue_spec){.to = {1}, .capacity = 1, .latest = true});
    launch(p, 0, (struct weir_launch){.worst = 2, .waits = true});
    launch(p, 1, (struct weir_launch){.worst = 2});
    stage_seal(p);
    weir_pipeline_free(p);
}

/* What a program says that has no meaning on the platform is a mistake, whichever key of the model it stands for. */
TEST(test_elsewhere)
{
    static const enum weir_platform platforms[] = {WEIR_PLATFORM_CORES, WEIR_PLATFORM_GPU};
    for (size_t i = 0; i < 2; i++) {
        struct weir_pipeline *p = two();
        add_queue(p, (struct weir_queue_spec){.to = {1}, .capacity = 1, .optional = true});
        add_queue(p, (struct weir_queue_spec){.to = {1}, .capacity = 1, .transfer_max = 3});
        add_queue(p, (struct weir_queue_spec){.to = {1}, .capacity = 1, .port = "in"});
        launch(p, 0, (struct weir_launch){.worst = 2});
        struct weir_source_spec source = {.period = 9, .arrivals = WEIR_ARRIVALS_SKIP, .place = {201, 1}};
        assert_int_equal(weir_pipeline_add_source(p, &source, NULL), WEIR_OK);
        assert_int_equal(weir_pipeline_set_platform(p, platforms[i], NULL), WEIR_OK);
        if (platforms[i] == WEIR_PLATFORM_CORES)
            assert_mistakes(
                p, "1: \"gpu\" of operator \"a\" has no meaning on a pool of cores: it is for operators with threads\n"
                   "101: \"optional\" in the queue from \"a\" has no meaning on a pool of cores: an execution begins when its "
                   "samples are there\n"
                   "102: \"transfer\" in the queue from \"a\" has no meaning on a pool of cores: it is for operators with "
                   "threads\n"
                   "103: \"port\" in the queue from \"a\" has no meaning on a pool of cores: it is for operators with threads\n"
                   "201: ticks are caught up with or skipped only where operators have threads: \"a\"\n");
        else
            assert_mistakes(p, "1: \"gpu\" of operator \"a\" has no meaning on a GPU: kernels have none\n"
                               "101: \"optional\" in the queue from \"a\" has no meaning on a GPU: kernels have none\n"
                               "102: \"transfer\" in the queue from \"a\" has no meaning on a GPU: kernels have none\n"
                               "103: \"port\" in the queue from \"a\" has no meaning on a GPU: kernels have none\n");
    }
}

/* Several executions in a round, and an offset of iterations: which? */
TEST(test_offsets)
{
    struct weir_pipeline *p = two();
    add_queue(p, (struct weir_queue_spec){.to = {1}, .capacity = 2, .consume = 2});
    struct weir_chain_spec chain = {.to = {1}, .has_shift = true, .place = {301, 1}};
    assert_int_equal(weir_pipeline_add_chain(p, &chain, NULL), WEIR_OK);
    assert_mistakes(p, "301: an offset counts iterations, in each of which \"a\" and \"b\" need not execute equally often here: "
                       "leave it out\n");
}

/* ---- what is kept ---- */

/* a -(2)-> b -(3)-> c, and a beside it; d reads the latest of c. */
static struct weir_pipeline *rich(void)
{
    struct weir_pipeline *p = two();
    char stream[] = "s";
    struct weir_launch work = {.best = 1, .worst = 2, .waits = true, .after_worst = 3, .stream = stream};
    struct weir_operator_spec c = {.name = "c", .worst = 1, .launch = &work}, d = {.name = "d", .worst = 1};
    assert_int_equal(weir_pipeline_add_operator(p, &c, NULL, NULL), WEIR_OK);
    assert_int_equal(weir_pipeline_add_operator(p, &d, NULL, NULL), WEIR_OK);
    stream[0] = '?'; /* it has a copy */
    work.worst = 99;
    add_queue(p, (struct weir_queue_spec){.to = {1}, .capacity = 2, .consume = 2, .transfer_min = 1, .transfer_max = 2});
    add_queue(p, (struct weir_queue_spec){.from = {1}, .to = {2}, .capacity = 4, .initial = 1, .consume = 3});
    add_queue(p, (struct weir_queue_spec){.from = {2}, .to = {3}, .capacity = 1, .latest = true});
    stage_period(p, (struct weir_operator){0}, 5, WEIR_ARRIVALS_CATCH_UP);
    return p;
}

static void assert_rich(const struct weir_pipeline *p)
{
    struct weir_operator_spec c = weir_pipeline_operator(p, (struct weir_operator){2});
    struct weir_queue_spec q = weir_pipeline_queue(p, (struct weir_queue){0});
    assert_string_equal(c.launch->stream, "s");
    assert_true(c.launch->best == 1 && c.launch->worst == 2 && c.launch->waits && c.launch->after_worst == 3);
    assert_true(q.consume == 2 && q.transfer_min == 1 && q.transfer_max == 2);
    assert_true(weir_pipeline_queue(p, (struct weir_queue){2}).latest);
    assert_int_equal(weir_pipeline_source(p, 0).arrivals, WEIR_ARRIVALS_CATCH_UP);
    assert_false(weir_pipeline_is_plain(p));
}

TEST(test_copies)
{
    struct weir_pipeline *p = rich();
    assert_rich(p);
    assert_int_equal(weir_pipeline_firings(p, (struct weir_operator){0}), 1); /* not sealed: nothing is known */
    stage_seal(p);
    static const uint32_t firings[] = {6, 3, 1, 1}; /* d, which nobody waits for, is a part of its own */
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(weir_pipeline_firings(p, (struct weir_operator){i}), firings[i]);
    struct weir_pipeline *copy = weir_pipeline_copy(p, NULL);
    weir_pipeline_free(p);
    assert_rich(copy);
    struct weir_queue_spec queue = weir_pipeline_queue(copy, (struct weir_queue){2});
    queue.latest = false;
    assert_int_equal(weir_pipeline_change_queue(copy, (struct weir_queue){2}, &queue, NULL), WEIR_OK);
    assert_true(weir_pipeline_is_plain(copy));
    stage_seal(copy);
    /* a's first goes with the message that is there to the first of b and of c; its second and third to the second of b */
    struct weir_routes *routes = weir_routes_new(copy);
    static const int64_t c_of[] = {0, 0, 0, 0, 1, 1};
    for (uint32_t firing = 0; firing < 6; firing++) {
        const int64_t *executions = weir_routes_from(routes, (struct weir_operator){0}, firing);
        assert_int_equal(executions[1], firing / 2);
        assert_int_equal(executions[2], c_of[firing]);
        assert_int_equal(executions[3], c_of[firing]);
    }
    assert_int_equal(weir_routes_from(routes, (struct weir_operator){2}, 0)[0], WEIR_NO_ROUTE);
    weir_routes_free(routes);
    weir_pipeline_free(copy);
}

static enum weir_status seal_rich(void *context)
{
    const struct weir_pipeline *original = context;
    struct weir_error error = {.status = WEIR_MEMORY};
    struct weir_pipeline *p = weir_pipeline_copy(original, &error);
    enum weir_status status = p ? weir_pipeline_seal(p, NULL, NULL) : error.status;
    assert_true(!p || weir_pipeline_sealed(p) == (status == WEIR_OK));
    if (status == WEIR_MEMORY && p) /* nothing is left of the try */
        assert_null(p->firings);
    weir_pipeline_free(p);
    return status;
}

/* Shared streams: the graph is made twice. */
static struct weir_pipeline *streams(void)
{
    struct weir_pipeline *p = two();
    add_queue(p, (struct weir_queue_spec){.to = {1}, .capacity = 1});
    add_queue(p, (struct weir_queue_spec){.from = {1}, .capacity = 1, .initial = 1});
    launch(p, 0, (struct weir_launch){.worst = 2, .stream = "main"});
    launch(p, 1, (struct weir_launch){.worst = 2, .stream = "main"});
    return p;
}

TEST(test_memory)
{
    struct weir_pipeline *p = rich(), *q = streams();
    assert_true(stage_fail_each_allocation(seal_rich, p) > 40);
    assert_true(stage_fail_each_allocation(seal_rich, q) > 40);
    weir_pipeline_free(p);
    weir_pipeline_free(q);
}
