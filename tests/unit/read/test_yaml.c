/* SPDX-License-Identifier: Apache-2.0 */
/* What a YAML model says. What it must not say is in tests/bad. */
#include "reading.h"
#include "support/runner.h"

TEST(a_whole_model)
{
    struct weir_pipeline *p = reading("weir: 1\n"
                                      "name: Multi AI Ultrasound\n"
                                      "unit: us\n"
                                      "operators:\n"
                                      "  replayer: {time: [109, 500]} # best, worst\n"
                                      "  infer:    {time: 797, receive: [3, 5]}\n"
                                      "  holoviz:  {time: [0, 331], receive: 2}\n"
                                      "queues:\n"
                                      "  - replayer -> infer\n"
                                      "  - {from: infer, to: holoviz, capacity: 2, initial: 1}\n"
                                      "  - {from: replayer, to: holoviz, capacity: unbounded, blocking: false}\n"
                                      "source: {operator: replayer, period: 33333}\n"
                                      "deadlines:\n"
                                      "  - {from: replayer, to: holoviz, within: 5000}\n"
                                      "measure:\n"
                                      "  - {from: infer, to: holoviz, offset: -2}\n",
                                      NULL);
    assert_string_equal(weir_pipeline_name(p), "Multi AI Ultrasound");
    assert_int_equal(weir_pipeline_unit(p), WEIR_UNIT_US);
    assert_int_equal(weir_pipeline_operator_count(p), 3);
    assert_times(p, "replayer", 109, 500);
    assert_times(p, "infer", 797, 797);
    assert_int_equal(operator_named(p, "infer").receive_min, 3);
    assert_int_equal(operator_named(p, "infer").receive_max, 5);
    assert_int_equal(operator_named(p, "holoviz").receive_min, 2);
    assert_int_equal(operator_named(p, "holoviz").receive_max, 2);
    assert_int_equal(operator_named(p, "infer").place.line, 6);
    assert_int_equal(operator_named(p, "infer").place.column, 3);

    assert_int_equal(weir_pipeline_queue_count(p), 3);
    struct weir_queue_spec q = assert_queue(p, 0, "replayer", "infer");
    assert_int_equal(q.capacity, 1);
    assert_int_equal(q.initial, 0);
    assert_false(q.nonblocking);
    assert_int_equal(q.place.line, 9);
    assert_int_equal(q.place.column, 5);
    q = assert_queue(p, 1, "infer", "holoviz");
    assert_int_equal(q.capacity, 2);
    assert_int_equal(q.initial, 1);
    q = assert_queue(p, 2, "replayer", "holoviz");
    assert_int_equal(q.capacity, WEIR_UNBOUNDED);
    assert_true(q.nonblocking);

    assert_int_equal(weir_pipeline_source_count(p), 1);
    assert_int_equal(weir_pipeline_source(p, 0).period, 33333);
    assert_int_equal(weir_pipeline_source(p, 0).arrivals, WEIR_ARRIVALS_AT_MOST);
    assert_int_equal(weir_pipeline_chain_count(p), 2);
    assert_true(weir_pipeline_chain(p, 0).has_deadline);
    assert_int_equal(weir_pipeline_chain(p, 0).deadline, 5000);
    assert_false(weir_pipeline_chain(p, 1).has_deadline);
    assert_int_equal(weir_pipeline_chain(p, 1).shift, -2);
    weir_pipeline_free(p);
}

TEST(json_is_yaml)
{
    struct weir_pipeline *p = reading("{\"unit\": \"ms\", \"operators\": {\"a\": {\"time\": [1, 2.5]}, \"b\": 4},\n"
                                      " \"queues\": [{\"from\": \"a\", \"to\": \"b\", \"capacity\": 3}, \"a -> b\"],\n"
                                      " \"sources\": [{\"operator\": \"a\", \"period\": 40, \"arrivals\": \"exact\"}]}",
                                      NULL);
    assert_times(p, "a", 10, 25);
    assert_int_equal(assert_queue(p, 0, "a", "b").capacity, 3);
    assert_int_equal(assert_queue(p, 1, "a", "b").capacity, 1);
    assert_int_equal(weir_pipeline_source(p, 0).period, 400);
    assert_int_equal(weir_pipeline_source(p, 0).arrivals, WEIR_ARRIVALS_EXACT);
    weir_pipeline_free(p);
}

/* What JSON says in another way than YAML: characters as two surrogates, separators that end no line. */
TEST(strings_of_json)
{
    struct weir_pipeline *p =
        reading("\n {\"operators\": {\"\\uD83d\\ude00\": 1, \"a\xe2\x80\xa8\xe2\x80\xa9\xc2\x85z\": 2,"
                " \"\\\\ud83d\\\\ude00\\\"'\": 3, \"\\u2028\": 4}, \"queues\": [\"\\ud83D\\uDE00 -> \\\"\\u2028\\\"\","
                " {\"from\": \"a\\u2028\\u2029\\u0085z\", \"to\": \"\\\\ud83d\\\\ude00\\\"'\"}]}",
                NULL);
    assert_times(p, "\xf0\x9f\x98\x80", 1, 1);
    assert_times(p, "a\xe2\x80\xa8\xe2\x80\xa9\xc2\x85z", 2, 2);
    assert_times(p, "\\ud83d\\ude00\"'", 3, 3);
    assert_times(p, "\xe2\x80\xa8", 4, 4);
    assert_int_equal(operator_named(p, "a\xe2\x80\xa8\xe2\x80\xa9\xc2\x85z").place.column, 36); /* as in the file */
    weir_pipeline_free(p);
    /* YAML that only looks like it: what stands between two quotes need not be a string */
    p = reading(
        "{operators: {\"a\": 1, it's: 1, '\\ud83d\\ude00': 2, \"b\": 1}, queues: [a -> b, {from: it's, to: '\\ud83d\\ude00'}]}",
        NULL);
    assert_times(p, "\\ud83d\\ude00", 2, 2);
    weir_pipeline_free(p);
}

TEST(chains_and_names)
{
    struct weir_pipeline *p = reading("operators: {a.b: 1, my op: 2, 'gr\xc3\xb6\xc3\x9f"
                                      "e': 3, \"x -> y\": 4, 'say \"hi\"': 5, 7: 6}\n"
                                      "queues:\n"
                                      "  - a.b->my op -> gr\xc3\xb6\xc3\x9f"
                                      "e\n"
                                      "  - 'my op -> \"x -> y\"->\"say \\\"hi\\\"\"'\n"
                                      "  - {from: x -> y, to: 7}\n",
                                      NULL);
    assert_int_equal(weir_pipeline_queue_count(p), 5);
    assert_queue(p, 0, "a.b", "my op");
    struct weir_queue_spec q = assert_queue(p, 1, "my op",
                                            "gr\xc3\xb6\xc3\x9f"
                                            "e");
    assert_int_equal(q.place.line, 3);
    assert_int_equal(q.place.column, 10); /* where "my op" stands */
    assert_queue(p, 2, "my op", "x -> y");
    q = assert_queue(p, 3, "x -> y", "say \"hi\"");
    assert_int_equal(q.place.column, 15);
    assert_queue(p, 4, "x -> y", "7");
    weir_pipeline_free(p);
}

TEST(a_list_of_targets_is_a_broadcast)
{
    struct weir_pipeline *p = reading("operators: {a: 1, b: 2, c: 3, a.broadcast2: 4}\n"
                                      "queues:\n"
                                      "  - {from: a, to: [b, c], capacity: 3, initial: 2}\n"
                                      "  - a -> [b, c, a.broadcast2]\n"
                                      "  - {from: b, to: [c], capacity: 5}\n"
                                      "  - {from: c, to: [a.broadcast2, b], initial: 1, broadcast: {time: [1, 2]}}\n",
                                      NULL);
    assert_int_equal(weir_pipeline_operator_count(p), 7);
    struct weir_operator_spec first = operator_named(p, "a.broadcast");
    assert_true(first.broadcast);
    assert_int_equal(first.best, 0);
    assert_int_equal(first.worst, 0);
    assert_true(operator_named(p, "a.broadcast3").broadcast); /* the second port of a; the user has the name with 2 */
    assert_false(operator_named(p, "a.broadcast2").broadcast);
    assert_times(p, "c.broadcast", 1, 2);

    struct weir_queue_spec q = assert_queue(p, 0, "a", "a.broadcast");
    assert_int_equal(q.capacity, 3);
    assert_int_equal(q.initial, 0);
    q = assert_queue(p, 1, "a.broadcast", "b");
    assert_int_equal(q.capacity, 3);
    assert_int_equal(q.initial, 2);
    assert_int_equal(assert_queue(p, 2, "a.broadcast", "c").initial, 2);
    assert_int_equal(assert_queue(p, 3, "a", "a.broadcast3").capacity, 1);
    assert_queue(p, 4, "a.broadcast3", "b");
    assert_queue(p, 5, "a.broadcast3", "c");
    assert_queue(p, 6, "a.broadcast3", "a.broadcast2");
    assert_int_equal(assert_queue(p, 7, "b", "c").capacity, 5); /* one target: no broadcast */
    assert_queue(p, 8, "c", "c.broadcast");
    weir_pipeline_free(p);
}

/* The capacities of a -> b, which has none, and b -> c, which has 5. */
static void assert_own_and_given(const char *top, const struct weir_read_options *options, uint32_t first, uint32_t second)
{
    char text[256];
    snprintf(text, sizeof text, "%soperators: {a: 1, b: 2, c: 3}\nqueues: [a -> b, {from: b, to: c, capacity: 5}]\n", top);
    assert_capacities(text, options, first, second);
}

TEST(default_capacities)
{
    assert_own_and_given("", NULL, 1, 5);
    assert_own_and_given("queue: 4\n", NULL, 4, 5);
    assert_own_and_given("queue: unbounded\n", NULL, WEIR_UNBOUNDED, 5);
    assert_own_and_given("", &(struct weir_read_options){.queue = 3}, 3, 5);
    assert_own_and_given("queue: 4\n", &(struct weir_read_options){.queue = 3}, 3, 5);
    assert_own_and_given("queue: 4\n", &(struct weir_read_options){.queue = 3, .force_queue = true}, 3, 3);
    assert_own_and_given("", &(struct weir_read_options){.force_queue = true}, 1, 1);
}

TEST(reentrant_operators)
{
    struct weir_pipeline *p =
        reading("operators: {a: {time: 1, reentrant: true}, b: {time: 2, reentrant: no}, c: 3}\nqueues: [a -> b -> c]", NULL);
    assert_true(operator_named(p, "a").reentrant);
    assert_false(operator_named(p, "b").reentrant);
    assert_false(operator_named(p, "c").reentrant);
    weir_pipeline_free(p);
}

TEST(empty_sections_are_fine)
{
    struct weir_pipeline *p = reading("operators:\n  a: 1\nqueues:\nsource:\nsources: ~\ndeadlines: null\nmeasure: []\n", NULL);
    assert_int_equal(weir_pipeline_operator_count(p), 1);
    assert_int_equal(weir_pipeline_queue_count(p), 0);
    weir_pipeline_free(p);
}

TEST(words_for_blocking)
{
    static const struct {
        const char *word;
        bool nonblocking;
    } words[] = {{"true", false}, {"Yes", false}, {"on", false}, {"FALSE", true}, {"no", true}, {"off", true}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        char text[128];
        snprintf(text, sizeof text, "operators: {a: 1, b: 2}\nqueues: [{from: a, to: b, blocking: %s}]", words[i].word);
        struct weir_pipeline *p = reading(text, NULL);
        assert_int_equal(assert_queue(p, 0, "a", "b").nonblocking, words[i].nonblocking);
        weir_pipeline_free(p);
    }
}

TEST(marks_and_line_ends)
{
    struct weir_pipeline *p =
        reading("\xef\xbb\xbf%YAML 1.1\r\n---\r\noperators:\r\n  a: 1\r\n  b: 2\r\nqueues:\r\n- a -> b\r\n...\r\n", NULL);
    assert_int_equal(operator_named(p, "b").place.line, 5);
    assert_int_equal(assert_queue(p, 0, "a", "b").place.line, 7);
    weir_pipeline_free(p);
}

TEST(errors_may_be_left_out)
{
    struct weir_pipeline *p = (struct weir_pipeline *)&p;
    assert_int_equal(weir_read_memory("operators: 5", 12, NULL, NULL, &p, NULL), WEIR_INVALID);
    assert_null(p);
}
