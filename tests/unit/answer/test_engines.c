/* SPDX-License-Identifier: Apache-2.0 */
/* What the engines put into an answer, as JSON and as text: keys, states, words. */
#include "support/stage.h"

#include <stdlib.h>
#include <string.h>

static struct weir_answer *ask(const char *model, const struct weir_answer_options *options, struct weir_pipeline **pipeline)
{
    struct weir_answer *answer;
    struct weir_error error = {0};
    *pipeline = stage_read(model);
    if (weir_answer_find(*pipeline, options, &answer, &error))
        fail_msg("%s", error.message);
    return answer;
}

/* Each of the words, up to a NULL, is in it. */
static void expect(const struct weir_answer *answer, bool json, const char *const *words)
{
    char *text = stage_answer(answer, json);
    for (; *words; words++)
        if (!strstr(text, *words))
            fail_msg("%s\nis not in\n%s", *words, text);
    free(text);
}

static void check(const char *model, const struct weir_answer_options *options, enum weir_verdict verdict, const char *const *json,
                  const char *const *text)
{
    struct weir_pipeline *pipeline;
    struct weir_answer *answer = ask(model, options, &pipeline);
    assert_int_equal(weir_answer_verdict(answer), verdict);
    expect(answer, true, json);
    expect(answer, false, text);
    weir_answer_free(answer);
    weir_pipeline_free(pipeline);
}

#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})

/* ---- kernels on a GPU: the example of docs/concepts/gpu.md ---- */

#define KERNELS(more)                                                                                                              \
    "platform: {gpu: {sms: 6, min-time: 1" more "}}\n"                                                                             \
    "defaults: {splittable: true}\n"                                                                                               \
    "kernels: {v1: 1, v2: 4, v3: 2, v4: 2, v5: 4, v6: 4, v7: 1}\n"                                                                 \
    "dependencies: [v1 -> v2, v1 -> v3, v1 -> v4, v3 -> v5, v4 -> v5, v4 -> v6, v2 -> v7, v5 -> v7, v6 -> v7]\n"

TEST(plans)
{
    struct weir_answer_options paper = {.method = "paper", .explain = true}, all = {.method = "all", .verify = true};
    check(
        KERNELS(""), NULL, WEIR_VERDICT_GOOD,
        WORDS(
            "\"engine\": \"gpu\",\n  \"method\": \"best\",\n  \"sms\": 6,\n  \"bound\": 5,\n  \"lower\": 4.666666,\n"
            "  \"lower_exact\": [14, 3],\n  \"gap\": 0.071429,\n  \"safe\": true,\n  \"limited\": false,\n  \"barriers\": false,\n"
            "  \"deadline\": null,\n  \"met\": true,\n  \"state\": \"none\",\n  \"slack\": null,\n  \"latency\": [",
            "\"whole\": true,\n      \"worst\": 5,\n      \"worst_lower\": 4.666666,",
            "{\"id\": 0, \"kernel\": \"v1\", \"part\": 1, \"parts\": 1, \"group\": 0, \"load\": 1, \"sms\": 1, \"time\": 1, "
            "\"start\": 0, \"after\": []}",
            "{\"launches\": [0], \"sms\": 1}", "\"splits\": [", "\"added\": [",
            "{\"from\": null, \"to\": 0, \"sms\": 1, \"places\": 0}"),
        WORDS("the whole   at most 5\n", "lower bound 4.66666: the bound is within 7.15 % of it\n",
              "Groups: launches as kernel[part] x SMs; each launch waits for those whose SMs it takes over\n"));
    check(KERNELS(""), &paper, WEIR_VERDICT_GOOD,
          WORDS("\"safe\": false,\n  \"why\": \"", "\"kernel\": \"v2\", \"part\": 2, \"parts\": 2",
                "\"splits\": [\n    {\"kernel\": \"v2\", \"launches\": ["),
          WORDS("which can be exceeded", "\nKernels in parts\n", "v2[2/2]", "\nAdded dependencies\n"));
    check(KERNELS(""), &all, WEIR_VERDICT_GOOD,
          WORDS("\"verified\": true", "\"methods\": [\n    {\"method\": \"best\", \"bound\": 5, \"gap\": 0.071429,",
                "{\"method\": \"graham\", \"bound\": 6.333334, \"bound_exact\": [19, 3],"),
          WORDS("verified: the certificate was checked", "\nMethods: those that are not safe can be exceeded\n"));
}

/* A safe bound proves no miss; the lower bound does. What is not safe decides nothing. */
TEST(plans_and_deadlines)
{
    struct weir_answer_options paper = {.method = "paper"};
    check(KERNELS(", deadline: 6"), NULL, WEIR_VERDICT_GOOD,
          WORDS("\"deadline\": 6,\n  \"met\": true,\n  \"state\": \"met\",\n  \"slack\": 1,"),
          WORDS("deadline 6: met, 1 to spare"));
    check(KERNELS(", deadline: 4.7"), NULL, WEIR_VERDICT_OPEN,
          WORDS("\"deadline\": 4.7,\n  \"met\": null,\n  \"state\": \"not proved\",\n  \"slack\": -0.3,"),
          WORDS("DEADLINE NOT PROVED"));
    check(KERNELS(", deadline: 4.6"), NULL, WEIR_VERDICT_BAD,
          WORDS("\"met\": false,\n  \"state\": \"missed\",\n  \"slack\": -0.4,"),
          WORDS("DEADLINE MISSED by at least 0.0666666: the whole can take 4.66666 or more"));
    check(KERNELS(", deadline: 6"), &paper, WEIR_VERDICT_OPEN,
          WORDS("\"met\": null,\n  \"state\": \"not decided\",\n  \"slack\": null,"),
          WORDS("NOT DECIDED", "deadline 6: not decided"));
    check(KERNELS(", deadline: 1"), &paper, WEIR_VERDICT_OPEN, WORDS("\"state\": \"not decided\""), WORDS("NOT DECIDED"));
}

TEST(methods_that_are_none)
{
    struct weir_pipeline *pipeline = stage_read(KERNELS(""));
    struct weir_answer_options options = {.method = "guess"};
    struct weir_answer *answer;
    struct weir_error error = {0};
    assert_int_equal(weir_answer_find(pipeline, &options, &answer, &error), WEIR_INVALID);
    assert_null(answer);
    assert_non_null(strstr(error.message, "no method \"guess\""));
    weir_pipeline_free(pipeline);
}

/* ---- workers ---- */

#define THREE(more) "unit: ms\noperators: {a: [1, 4], b: [1, 4], c: [1, 4]}\nqueues: [a -> b, b -> c]\n" more

TEST(workers)
{
    check(
        THREE("platform: {scheduler: event-based, workers: 1}\n"), NULL, WEIR_VERDICT_GOOD,
        WORDS("\"engine\": \"workers\",\n  \"scheduler\": \"event-based\",\n  \"workers\": 1,\n  \"polling\": 0,",
              "\"exact\": false,\n      \"safe\": true,", "\"chain\": 12,\n      \"queueing\": 8\n"),
        WORDS("event-based scheduler, 1 worker\n", "at most 20 ms", "12 ms one after the other\n", "8 ms waiting for a worker\n"));
    check(THREE("platform: {scheduler: greedy}\n"), NULL, WEIR_VERDICT_GOOD,
          WORDS("\"scheduler\": \"greedy\",\n  \"workers\": 1,", "\"exact\": true,"),
          WORDS("greedy scheduler (one thread)\n", "worst 12 ms"));
    check(THREE("platform: {scheduler: multi-thread, polling: 1}\n"), NULL, WEIR_VERDICT_GOOD,
          WORDS("\"workers\": null,\n  \"polling\": 1,"), WORDS("a worker for each operator, polling every 1 ms\n"));
    check(THREE("platform: {scheduler: event-based, workers: 1}\ndeadlines: [{from: a, to: c, within: 17}]\n"), NULL,
          WEIR_VERDICT_OPEN, WORDS("\"met\": null,\n      \"state\": \"not proved\",\n      \"slack\": -3,"),
          WORDS("DEADLINE NOT PROVED"));
}

#define ONE_WORKER(queue)                                                                                                          \
    "operators: {a: 1, b: 1}\nqueues: [{from: a, to: b, " queue "}]\nsource: {operator: a, period: 5}\n"                           \
    "platform: {scheduler: event-based, workers: 1}\n"

/* The second message 5 later and 1 behind b, 1; b behind a, 1, and 1. */
TEST(workers_and_batches)
{
    struct weir_answer_options verify = {.verify = true};
    check(ONE_WORKER("capacity: 2, consume: 2"), &verify, WEIR_VERDICT_GOOD,
          WORDS("\"engine\": \"sampling\",\n  \"verified\": true,", "\"worst\": 9,\n      \"best\": 2,"),
          WORDS("event-based scheduler, 1 worker\n", "and that no source stops: a batch waits for its last message"));
}

/* Too few workers and connections that take time: no engine covers both, and the message says so. */
TEST(workers_and_transfers)
{
    struct weir_pipeline *pipeline = stage_read(ONE_WORKER("transfer: 1"));
    struct weir_answer *answer;
    struct weir_error error = {0};
    assert_string_equal(weir_engine_of(pipeline), "workers");
    assert_int_equal(weir_answer_find(pipeline, NULL, &answer, &error), WEIR_INVALID);
    assert_non_null(strstr(error.message, "give each operator a worker of its own"));
    weir_pipeline_free(pipeline);
}

/* What waits for a worker, for the thread or to be seen waits once, before its start. */
#define POPS(platform)                                                                                                             \
    "operators: {a: 1, b: 1}\nqueues: [{from: a, to: b, capacity: 1, blocking: false, full: pop}]\n"                               \
    "source: {operator: a, period: 5}\nplatform: {" platform "}\n"

TEST(workers_and_losses)
{
    struct weir_answer_options verify = {.verify = true};
    check(POPS("scheduler: event-based, workers: 1"), &verify, WEIR_VERDICT_GOOD, /* a is not ready before b is done */
          WORDS("\"engine\": \"sampling\",\n  \"verified\": true,\n  \"scheduler\": \"event-based\",\n  \"workers\": 1,",
                "\"worst\": 2,\n      \"best\": 2,", "\"exact\": true,"),
          WORDS("event-based scheduler, 1 worker\n", "and nothing else on the workers; see docs/concepts/workers.md"));
    check("operators: {a: 1, b: 1}\nqueues: [{from: a, to: b, capacity: 1, blocking: false, full: pop}]\n"
          "platform: {scheduler: event-based, workers: 1}\n",
          &verify, WEIR_VERDICT_GOOD, /* in another order a may run alone */
          WORDS("\"verified\": true,", "\"worst\": 5,\n      \"best\": 2,", "\"exact\": false,\n      \"safe\": true,"),
          WORDS("in the order in which they became ready; see docs/concepts/workers.md"));
    check(POPS("scheduler: multi-thread, polling: 2"), &verify, WEIR_VERDICT_GOOD,
          WORDS("\"workers\": null,\n  \"polling\": 2,", "\"worst\": 4,\n      \"best\": 2,"),
          WORDS("a worker for each operator, polling every 2\n", "and nothing else on the workers; see docs/concepts/workers.md"));
    check(POPS("scheduler: greedy"), &verify, WEIR_VERDICT_GOOD,
          WORDS("\"verified\": true,\n  \"scheduler\": \"greedy\",\n  \"workers\": 1,", "\"worst\": 2,\n      \"best\": 2,"),
          WORDS("greedy scheduler (one thread)\n"));
}

/* draw needs room when it is ready: 5 after the camera at the least, and view has taken its last message by then. */
#define OVERLAY(platform)                                                                                                          \
    "operators: {camera: [1, 2], infer: [4, 10], draw: 1, view: [1, 3]}\n"                                                         \
    "queues: [camera -> view, camera -> infer, infer -> draw, {from: draw, to: view, optional: true}]\n"                           \
    "source: {operator: camera, period: 30}\nplatform: {" platform "}\n"

TEST(workers_and_overlays)
{
    struct weir_answer_options verify = {.verify = true};
    check(OVERLAY("scheduler: event-based, workers: 2"), &verify, WEIR_VERDICT_GOOD, WORDS("\"verified\": true,", "\"worst\": 35,"),
          WORDS("at most 35", "and that no source stops"));
    check(OVERLAY("scheduler: multi-thread, polling: 2"), &verify, WEIR_VERDICT_GOOD,
          WORDS("\"verified\": true,", "\"worst\": 39,"), WORDS("at most 39"));
}

/* Under the greedy scheduler an operator without a period may stop, too, or the answer says that it does not. */
#define GREEDY(queue, source)                                                                                                      \
    "operators: {a: [1, 2], b: [0, 1]}\nqueues: [{from: a, to: b, " queue "}]\n" source "platform: {scheduler: greedy}\n"

TEST(greedy_sources_that_stop)
{
    struct weir_answer_options verify = {.verify = true};
    check(GREEDY("capacity: 3, blocking: false, full: pop", "source: {operator: b, period: 26}\n"), &verify, WEIR_VERDICT_GOOD,
          WORDS("\"verified\": true,", "\"worst\": 83,"), WORDS("and nothing else on the workers; see"));
    check(GREEDY("consume: 2, capacity: 2", ""), NULL, WEIR_VERDICT_GOOD, WORDS("\"exact\": true,"),
          WORDS("and that no source stops: a batch waits for its last message; see docs/concepts/workers.md"));
    check(GREEDY("optional: true", ""), NULL, WEIR_VERDICT_GOOD, WORDS("\"exact\": true,"),
          WORDS("and that no source stops: what is optional is taken when its consumer starts for another reason; see"));
    check(GREEDY("capacity: 1, blocking: false, full: pop", ""), NULL, WEIR_VERDICT_GOOD, WORDS("\"exact\": true,"),
          WORDS("and that no source stops: what is in a queue depends on what is sent next; see"));
    check(GREEDY("capacity: 3", ""), NULL, WEIR_VERDICT_GOOD, WORDS("\"exact\": true,", "\"worst\": 3,"),
          WORDS("and nothing else on the workers; see"));
}

/* ---- connections that do not wait ---- */

#define TWO(queue) "operators: {a: 10, b: 25}\nqueues:\n  - {from: a, to: b" queue "}\n"

TEST(connections)
{
    struct weir_answer_options verify = {.verify = true};
    check(TWO(", blocking: false, full: pop"), &verify, WEIR_VERDICT_GOOD,
          WORDS("\"engine\": \"sampling\",\n  \"verified\": true,", "\"legs\": [{\"kind\": ", "\"what\": \"from the start of ",
                "\"connections\": [\n    {\"from\": \"a\", \"to\": \"b\", \"loses\": \"", "\"faults\": \"no\""),
          WORDS("connections that do not wait\n", "\nConnections that do not wait\n", "verified: "));
}

/* An application that can fail is bad news whatever its latencies are. */
TEST(faults)
{
    check(TWO(", blocking: false, full: fault"), NULL, WEIR_VERDICT_BAD, WORDS("\"faults\": \"yes\""),
          WORDS("CAN FAIL: the queue a -> b can be full when a message comes", "can be full: the application fails"));
}
