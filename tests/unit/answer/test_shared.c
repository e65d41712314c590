/* SPDX-License-Identifier: Apache-2.0 */
/* The answers about shared processors and pools of cores: what is claimed, decided and written. */
#include "support/stage.h"

#include <stdlib.h>
#include <string.h>

struct asked {
    struct weir_pipeline *pipeline;
    struct weir_answer *answer;
    char *json, *text;
};

static struct asked ask(const char *model, const struct weir_answer_options *options)
{
    struct asked a = {0};
    struct weir_errors *errors = weir_errors_new();
    struct weir_error error = {0};
    if (weir_read_memory(model, strlen(model), "model", NULL, &a.pipeline, errors) != WEIR_OK)
        fail_msg("%s", weir_errors_at(errors, 0)->message);
    weir_errors_free(errors);
    if (weir_answer_find(a.pipeline, options, &a.answer, &error) != WEIR_OK)
        fail_msg("%s", error.message);
    a.json = stage_answer(a.answer, true);
    a.text = stage_answer(a.answer, false);
    return a;
}

static void done(struct asked *a)
{
    free(a->json);
    free(a->text);
    weir_answer_free(a->answer);
    weir_pipeline_free(a->pipeline);
}

static void expect(const char *text, const char *expected)
{
    if (!strstr(text, expected))
        fail_msg("%s\nis not in\n%s", expected, text);
}

static void expect_bound(const struct asked *a, size_t bound, enum weir_claim claim, enum weir_deadline_state state)
{
    assert_int_equal(weir_answer_bound(a->answer, bound)->worst.claim, claim);
    assert_int_equal(weir_answer_bound(a->answer, bound)->state, state);
}

#define SHARED                                                                                                                     \
    "weir: 1\nname: hand \"made\"\nunit: ms\nplatform: {scheduler: fixed-priority}\nprocessors: [core <0>]\n"                      \
    "operators:\n  a: {time: [0.6, 1.2], on: core <0>, priority: 1}\n  b & c: {time: [1.5, 3], on: core <0>, priority: 2}\n"       \
    "  d: {time: 1, on: core <0>, priority: 3}\n"                                                                                  \
    "queue: auto\nqueues: [a -> b & c]\nsources: [{name: camera, operator: a, period: 10, jitter: 15}, {operator: d, period: "     \
    "5}]\n"

static void shared_bound(void **state)
{
    (void)state;
    struct asked a = ask(SHARED, &(struct weir_answer_options){.verify = true});
    expect(a.json, "\"engine\": \"fixed-priority\",\n  \"method\": \"best\",\n  \"variant\": \"");
    expect(a.json, "\"safe\": true,\n  \"converged\": true,\n  \"outcome\": \"converged\",\n  \"verified\": true,\n");
    expect(a.json, "\"exact\": false,\n      \"safe\": true,\n      \"deadline\": null,\n      \"met\": true,\n"
                   "      \"state\": \"none\",\n      \"slack\": null,\n");
    expect(a.json, "{\"name\": \"a\", \"processor\": \"core <0>\", \"priority\": 1, \"enable_min\": 0, \"enable_max\": 15, ");
    expect(a.json, "\"interference\": [{\"operator\": \"d\", \"times\": ");
    expect(a.json, "{\"from\": \"camera\", \"to\": \"a\", \"input\": true, \"capacity\": ");
    expect(a.json, "{\"name\": \"core <0>\", \"scheduler\": \"fixed-priority\", \"preemptive\": true}");
    expect(a.json, "\"buffer_total\": ");
    expect(a.json, "\"rounds\": ");
    expect(a.text, "When operators run (in ms): after the nominal arrival of the input\n");
    expect(a.text, "core <0>   fixed priorities, preemptive  62 %\n");
    expect(a.text, "verified: the certificate was checked\n");
    assert_true(strstr(a.text, "\n  b & c ") < strstr(a.text, "\n  a  ")); /* the more urgent one first */
    assert_int_equal(weir_answer_verdict(a.answer), WEIR_VERDICT_GOOD);
    done(&a);
}

static void shared_deadlines(void **state)
{
    (void)state;
    struct weir_answer_options unsafe = {.method = "PJ"};
    struct asked a = ask(SHARED "deadlines: [{from: a, to: b & c, within: 100}]\n", NULL);
    expect_bound(&a, 0, WEIR_CLAIM_SAFE, WEIR_DEADLINE_MET);
    done(&a);
    a = ask(SHARED "deadlines: [{from: a, to: b & c, within: 4.2}]\n", NULL);
    expect_bound(&a, 0, WEIR_CLAIM_SAFE, WEIR_DEADLINE_NOT_PROVED);
    expect(a.json, "\"deadline\": 4.2,\n      \"met\": null,\n      \"state\": \"not proved\",\n      \"slack\": -");
    assert_int_equal(weir_answer_verdict(a.answer), WEIR_VERDICT_OPEN);
    done(&a);
    /* Any execution in which both take their worst times is later. */
    a = ask(SHARED "deadlines: [{from: a, to: b & c, within: 4.1}]\n", NULL);
    expect_bound(&a, 0, WEIR_CLAIM_SAFE, WEIR_DEADLINE_MISSED);
    expect(a.json, "\"deadline\": 4.1,\n      \"met\": false,\n      \"state\": \"missed\",\n      \"slack\": -");
    assert_int_equal(weir_answer_verdict(a.answer), WEIR_VERDICT_BAD);
    done(&a);
    /* A number that legal executions can exceed decides nothing, neither way. */
    a = ask(SHARED "deadlines: [{from: a, to: b & c, within: 2}]\n", &unsafe);
    expect_bound(&a, 0, WEIR_CLAIM_UNSAFE, WEIR_DEADLINE_NOT_DECIDED);
    done(&a);
    a = ask(SHARED "deadlines: [{from: a, to: b & c, within: 100}]\n", &unsafe);
    expect_bound(&a, 0, WEIR_CLAIM_UNSAFE, WEIR_DEADLINE_NOT_DECIDED);
    expect(a.json, "\"safe\": false,\n      \"deadline\": 100,\n      \"met\": null,\n      \"state\": \"not decided\",\n"
                   "      \"slack\": null");
    expect(a.text, "NOT DECIDED: ");
    expect(a.text, "method: PJ, not safe: legal executions can exceed it");
    done(&a);
}

static void shared_no_bound(void **state)
{
    (void)state;
    /* Beyond a limit: nothing is known. */
    struct asked a =
        ask(SHARED "deadlines: [{from: a, to: b & c, within: 100}]\n", &(struct weir_answer_options){.latency_limit = 1});
    expect_bound(&a, 0, WEIR_CLAIM_UNKNOWN, WEIR_DEADLINE_NOT_DECIDED);
    expect(a.json, "\"converged\": false,\n  \"outcome\": \"limit\",\n  \"why\": \"");
    expect(a.json, "\"worst\": null,\n      \"best\": null");
    expect(a.json, "\"enable_max\": null, \"finish_max\": null}");
    expect(a.json, "\"buffers\": []");
    expect(a.json, "\"buffer_total\": null");
    expect(a.text, "NO BOUND FOUND: ");
    expect(a.text, "a higher limit: ");
    assert_int_equal(weir_answer_verdict(a.answer), WEIR_VERDICT_OPEN);
    done(&a);
    /* Overload: proved. */
    a = ask(
        "platform: {scheduler: fixed-priority}\noperators: {a: {time: 6, on: p, priority: 1}, b: {time: 5, on: p, priority: 2}}\n"
        "queues: [a -> b]\nsource: {operator: a, period: 10}\ndeadlines: [{from: a, to: b, within: 100}]\n",
        NULL);
    expect_bound(&a, 0, WEIR_CLAIM_UNBOUNDED, WEIR_DEADLINE_MISSED);
    expect(a.json, "\"outcome\": \"unbounded\"");
    expect(a.json, "\"worst\": null,\n      \"unbounded\": true,\n      \"best\": null");
    expect(a.text, "NO BOUND: ");
    assert_int_equal(weir_answer_verdict(a.answer), WEIR_VERDICT_BAD);
    done(&a);
    /* In an answer that converged: a message that is there from the beginning waits for the next input of a sporadic source. */
    a = ask(
        "platform: {scheduler: fixed-priority}\noperators: {a: 3, b: 2}\nqueues: [{from: a, to: b, initial: 1, capacity: auto}]\n"
        "sources: [{operators: [a, b], period: 10, sporadic: true}]\n"
        "deadlines: [{from: a, to: b, within: 99}, {from: a, to: a, within: 3}]\n",
        NULL);
    expect_bound(&a, 0, WEIR_CLAIM_UNBOUNDED, WEIR_DEADLINE_MISSED);
    expect_bound(&a, 1, WEIR_CLAIM_SAFE, WEIR_DEADLINE_MET);
    expect(a.json, "\"why\": \"it ends with a later input");
    done(&a);
}

#define CORES                                                                                                                      \
    "weir: 1\nunit: ms\nplatform: {cores: 2}\noperators: {a: 1.2, b & c: 0.7}\nqueues: [{from: a, to: b & c, produce: 7, "         \
    "consume: 2}]\n"

static void cores_bound(void **state)
{
    (void)state;
    struct asked a = ask(CORES "source: {operator: a, period: 10, batch: 3}\n"
                               "deadlines: [{from: a, to: b & c, within: 100}]\n",
                         &(struct weir_answer_options){.verify = true, .explain = true});
    expect_bound(&a, 0, WEIR_CLAIM_SAFE, WEIR_DEADLINE_MET);
    expect(a.json, "\"engine\": \"global-edf\",\n  \"cores\": 2,\n  \"utilization\": 0.121667,\n  \"schedulable\": true,\n"
                   "  \"sporadic\": false,\n  \"verified\": true,\n");
    expect(a.json, "{\"name\": \"b & c\", \"period\": 8.571429, \"repetitions\": 7, \"cost\": 0.7, \"utilization\": 0.081667, "
                   "\"response\": 0.7, \"offset\": ");
    expect(a.json, "\"gathering\": 20");
    expect(a.json, "{\"from\": \"a\", \"to\": \"b & c\", \"capacity\": ");
    expect(a.text, " until the batch is full\n");
    expect(a.text, "utilization: 0.1217 of 2 cores, 6.09 %\n");
    expect(a.text, "  alone ");
    expect(a.text, "yes: 2 operators, 2 cores\n");
    expect(a.text, "Bounds on the responses (in ms)\n");
    /* What a bound consists of adds up. */
    const struct weir_bound *bound = weir_answer_bound(a.answer, 0);
    assert_int_equal(bound->term_count, 2);
    done(&a);
    a = ask(CORES "source: {operator: a, period: 10, sporadic: true}\n", NULL);
    assert_string_equal(weir_answer_bound(a.answer, 0)->since, "the last arrival that an execution needs");
    expect(a.json, "\"since\": \"the last arrival that an execution needs\"");
    assert_null(strstr(a.text, "Bounds on the responses"));
    done(&a);
}

/* A bound that is just enough, and one tick less. */
static void cores_deadlines(void **state)
{
    static const char *const models[] = {
        "platform: {cores: 2}\noperators: {a: 10, b: 4}\nqueues: [a -> b]\nsource: {operator: a, period: 10}\n"
        "deadlines: [{from: a, to: b, within: 14}]\n",
        "platform: {cores: 2}\noperators: {a: 10, b: 4}\nqueues: [a -> b]\nsource: {operator: a, period: 10}\n"
        "deadlines: [{from: a, to: b, within: 13}]\n"};
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct asked a = ask(models[i], NULL);
        expect_bound(&a, 0, WEIR_CLAIM_SAFE, i ? WEIR_DEADLINE_NOT_PROVED : WEIR_DEADLINE_MET);
        done(&a);
    }
}

static void cores_no_bound(void **state)
{
    (void)state;
    /* A producer that may wait for room is not covered: nothing is proved. */
    struct asked a = ask("platform: {cores: 2}\noperators: {a: 4, b: 5}\nqueues: [{from: a, to: b, consume: 3, capacity: 2}]\n"
                         "source: {operator: a, period: 10}\ndeadlines: [{from: a, to: b, within: 1}]\n",
                         NULL);
    expect_bound(&a, 0, WEIR_CLAIM_UNKNOWN, WEIR_DEADLINE_NOT_DECIDED);
    expect(a.json, "\"schedulable\": false");
    expect(a.json, "\"response\": null, \"offset\": null, \"bound\": null}");
    expect(a.text, "NO BOUND FOUND: the queue from \"a\" to \"b\" holds 2");
    expect(a.text, "a larger queue: ");
    assert_int_equal(weir_answer_verdict(a.answer), WEIR_VERDICT_OPEN);
    done(&a);
    /* An operator that needs more than a core delays what depends on it; of the others nothing is known. */
    a = ask("platform: {cores: 8}\noperators: {a: 1, b: 11, c: 1, d: 1, e: 1}\nqueues: [a -> b -> c, d -> e]\n"
            "sources: [{operator: a, period: 10}, {operator: d, period: 10}]\n"
            "deadlines: [{from: a, to: c, within: 100}, {from: d, to: e, within: 100}]\n",
            NULL);
    expect_bound(&a, 0, WEIR_CLAIM_UNBOUNDED, WEIR_DEADLINE_MISSED);
    expect_bound(&a, 1, WEIR_CLAIM_UNKNOWN, WEIR_DEADLINE_NOT_DECIDED);
    expect(a.text, "NOT SCHEDULABLE: operator \"b\" needs 1.1 cores");
    assert_int_equal(weir_answer_verdict(a.answer), WEIR_VERDICT_BAD);
    done(&a);
    /* More to do than there are cores: all of it falls behind. */
    a = ask("platform: {cores: 1}\noperators: {a: 6, b: 6}\nqueues: [a -> b]\nsource: {operator: a, period: 10}\n", NULL);
    expect_bound(&a, 0, WEIR_CLAIM_UNBOUNDED, WEIR_DEADLINE_NONE);
    assert_int_equal(weir_answer_verdict(a.answer), WEIR_VERDICT_BAD);
    done(&a);
    /* Another source may be silent. */
    a = ask("platform: {cores: 3}\noperators: {left: 2, right: 5, join: 3}\nqueues: [left -> join, right -> join]\n"
            "sources: [{operator: left, period: 10, sporadic: true}, {operator: right, period: 10, sporadic: true}]\n",
            &(struct weir_answer_options){.verify = true});
    expect_bound(&a, 0, WEIR_CLAIM_UNBOUNDED, WEIR_DEADLINE_NONE);
    expect(a.json, "\"gathering\": null,\n      \"why\": \"it also waits for another source");
    expect(a.json, "\"capacity\": null, \"chosen\": true}");
    expect(a.json, "\"buffer_total\": null");
    expect(a.text, "2 queues grow without limit while another source is silent");
    done(&a);
}

static void wrong_methods(void **state)
{
    struct asked a = ask(SHARED, NULL), b = ask(CORES "source: {operator: a, period: 10}\n", NULL);
    struct weir_answer *answer;
    struct weir_error error;
    (void)state;
    assert_int_equal(weir_answer_find(a.pipeline, &(struct weir_answer_options){.method = "EDF"}, &answer, &error), WEIR_INVALID);
    assert_int_equal(weir_answer_find(b.pipeline, &(struct weir_answer_options){.method = "EI"}, &answer, &error), WEIR_INVALID);
    assert_null(answer);
    done(&a);
    done(&b);
}

int shared_group(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shared_bound),  cmocka_unit_test(shared_deadlines), cmocka_unit_test(shared_no_bound),
        cmocka_unit_test(cores_bound),   cmocka_unit_test(cores_deadlines),  cmocka_unit_test(cores_no_bound),
        cmocka_unit_test(wrong_methods),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
