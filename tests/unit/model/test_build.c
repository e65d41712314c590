/* SPDX-License-Identifier: Apache-2.0 */
/* Building a pipeline: what each step refuses, in which words, and that a refusal changes nothing. */
#include "model/pipeline.h"
#include "support/stage.h"

#include <string.h>

#define TIME_LIMIT (INT64_C(1) << 60)
#define QUEUE_LIMIT (UINT32_C(1) << 30)

/* Everything that can be seen of a pipeline, as text. */
struct view {
    char text[4096];
};

static void say(struct view *view, const char *format, ...)
{
    va_list arguments;
    size_t used = strlen(view->text);
    va_start(arguments, format);
    int more = vsnprintf(view->text + used, sizeof view->text - used, format, arguments);
    va_end(arguments);
    assert_in_range(more, 0, sizeof view->text - used - 1);
}

static struct view look(const struct weir_pipeline *p)
{
    struct view v = {""};
    say(&v, "%s %d %u %d\n", weir_pipeline_name(p), (int)weir_pipeline_unit(p), weir_pipeline_digits(p), weir_pipeline_sealed(p));
    for (uint32_t i = 0; i < weir_pipeline_operator_count(p); i++) {
        struct weir_operator_spec o = weir_pipeline_operator(p, (struct weir_operator){i});
        struct weir_operator found = {UINT32_MAX};
        assert_true(weir_pipeline_find(p, o.name, &found));
        assert_int_equal(found.index, i);
        say(&v, "%s %lld %lld %lld %lld %d %d %u:%u\n", o.name, (long long)o.best, (long long)o.worst, (long long)o.receive_min,
            (long long)o.receive_max, o.reentrant, o.broadcast, o.place.line, o.place.column);
    }
    for (uint32_t i = 0; i < weir_pipeline_queue_count(p); i++) {
        struct weir_queue_spec q = weir_pipeline_queue(p, (struct weir_queue){i});
        say(&v, "%u -> %u %u %u %d %u:%u\n", q.from.index, q.to.index, q.capacity, q.initial, q.nonblocking, q.place.line,
            q.place.column);
    }
    for (uint32_t i = 0; i < weir_pipeline_source_count(p); i++) {
        struct weir_source_spec s = weir_pipeline_source(p, i);
        say(&v, "%u every %lld %d %u:%u\n", s.op.index, (long long)s.period, (int)s.arrivals, s.place.line, s.place.column);
    }
    for (uint32_t i = 0; i < weir_pipeline_chain_count(p); i++) {
        struct weir_chain_spec q = weir_pipeline_chain(p, i);
        say(&v, "%u => %u %d %lld %d %lld %u:%u\n", q.from.index, q.to.index, q.has_deadline,
            (long long)(q.has_deadline ? q.deadline : 0), q.has_shift, (long long)(q.has_shift ? q.shift : 0), q.place.line,
            q.place.column);
    }
    return v;
}

/* Two operators, a queue, a source and a pair: something to be left as it is. */
static struct weir_pipeline *sample(void)
{
    struct weir_pipeline *p = weir_pipeline_new(NULL);
    assert_non_null(p);
    assert_int_equal(weir_pipeline_set_name(p, "sample", NULL), WEIR_OK);
    assert_int_equal(weir_pipeline_set_unit(p, WEIR_UNIT_US, 3, NULL), WEIR_OK);
    struct weir_operator a = stage_operator(p, "a", 1, 4), b = stage_operator(p, "b", 0, 7);
    stage_queue(p, a, b, 2, 1);
    stage_period(p, a, 50, WEIR_ARRIVALS_AT_MOST);
    assert_int_equal(
        weir_pipeline_add_chain(p, &(struct weir_chain_spec){.from = a, .to = b, .has_deadline = true, .deadline = 9}, NULL),
        WEIR_OK);
    return p;
}

/* What came back, and that nothing changed. */
static void refused(const struct weir_pipeline *p, const struct view *before, enum weir_status status, enum weir_status wanted,
                    const struct weir_error *error, const char *message)
{
    struct view after = look(p);
    assert_int_equal(status, wanted);
    assert_int_equal(error->status, wanted);
    assert_string_equal(error->message, message);
    assert_string_equal(after.text, before->text);
}

TEST(test_new_is_empty)
{
    struct weir_pipeline *p = weir_pipeline_new(NULL);
    assert_string_equal(look(p).text, " 0 0 0\n");
    assert_false(weir_pipeline_find(p, "a", NULL));
    assert_false(weir_pipeline_find(p, "", NULL));
    weir_pipeline_free(p);
    weir_pipeline_free(NULL);
}

TEST(test_sample_is_as_said)
{
    struct weir_pipeline *p = sample();
    assert_string_equal(look(p).text, "sample 2 3 0\n"
                                      "a 1 4 0 0 0 0 0:0\n"
                                      "b 0 7 0 0 0 0 0:0\n"
                                      "0 -> 1 2 1 0 0:0\n"
                                      "0 every 50 0 0:0\n"
                                      "0 => 1 1 9 0 0 0:0\n");
    weir_pipeline_free(p);
}

TEST(test_operators_refused)
{
    static const struct {
        struct weir_operator_spec spec;
        enum weir_status status;
        const char *message;
    } bad[] = {
        {{.name = NULL, .worst = 1}, WEIR_INVALID, "an operator needs a name"},
        {{.name = "", .worst = 1}, WEIR_INVALID, "an operator needs a name"},
        {{.name = "c", .best = -1, .worst = 1}, WEIR_INVALID, "operator \"c\" has a negative time"},
        {{.name = "c", .best = -2, .worst = -1}, WEIR_INVALID, "operator \"c\" has a negative time"},
        {{.name = "c", .best = 2, .worst = 1}, WEIR_INVALID, "operator \"c\" has a best case above its worst case"},
        {{.name = "c", .worst = -1}, WEIR_INVALID, "operator \"c\" has a best case above its worst case"},
        {{.name = "c", .worst = TIME_LIMIT}, WEIR_OVERFLOW, "operator \"c\" takes longer than can be represented"},
        {{.name = "c", .worst = INT64_MAX}, WEIR_OVERFLOW, "operator \"c\" takes longer than can be represented"},
        {{.name = "c", .worst = 5, .receive_min = -1, .receive_max = 1},
         WEIR_INVALID,
         "operator \"c\" has an invalid receive interval"},
        {{.name = "c", .worst = 5, .receive_min = 3, .receive_max = 2},
         WEIR_INVALID,
         "operator \"c\" has an invalid receive interval"},
        {{.name = "c", .worst = 5, .receive_max = 6}, WEIR_INVALID, "operator \"c\" receives after its end"},
        {{.name = "b", .worst = 1}, WEIR_INVALID, "there are two operators named \"b\""},
        {{.name = "a", .worst = 1}, WEIR_INVALID, "there are two operators named \"a\""},
    };
    struct weir_pipeline *p = sample();
    struct view before = look(p);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct weir_error error;
        struct weir_operator op = {77};
        enum weir_status status = weir_pipeline_add_operator(p, &bad[i].spec, &op, &error);
        refused(p, &before, status, bad[i].status, &error, bad[i].message);
        assert_int_equal(op.index, 77);
        assert_int_equal(weir_pipeline_add_operator(p, &bad[i].spec, NULL, NULL), bad[i].status);
    }
    /* The largest that are accepted. */
    struct weir_operator op;
    struct weir_operator_spec longest = {.name = "c", .worst = TIME_LIMIT - 1, .receive_max = TIME_LIMIT - 1};
    assert_int_equal(weir_pipeline_add_operator(p, &longest, &op, NULL), WEIR_OK);
    assert_int_equal(op.index, 2);
    weir_pipeline_free(p);
}

TEST(test_queues_refused)
{
    static const struct {
        struct weir_queue_spec spec;
        const char *message;
    } bad[] = {
        {{.from = {2}, .to = {1}, .capacity = 1}, "a queue must join two operators of the pipeline"},
        {{.from = {0}, .to = {2}, .capacity = 1}, "a queue must join two operators of the pipeline"},
        {{.from = {0}, .to = {UINT32_MAX}, .capacity = 1}, "a queue must join two operators of the pipeline"},
        {{.from = {0}, .to = {1}, .capacity = 0}, "a queue must hold at least one message"},
        {{.from = {0}, .to = {1}, .capacity = QUEUE_LIMIT + 1}, "a queue holds at most 1073741824 messages, or is unbounded"},
        {{.from = {0}, .to = {1}, .capacity = WEIR_UNBOUNDED, .initial = QUEUE_LIMIT + 1},
         "a queue can begin with at most 1073741824 messages"},
        {{.from = {0}, .to = {1}, .capacity = 3, .initial = 4}, "a queue of 3 cannot begin with 4 messages"},
    };
    struct weir_pipeline *p = sample();
    struct view before = look(p);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct weir_error error;
        struct weir_queue queue = {77};
        enum weir_status status = weir_pipeline_add_queue(p, &bad[i].spec, &queue, &error);
        refused(p, &before, status, WEIR_INVALID, &error, bad[i].message);
        assert_int_equal(queue.index, 77);
        assert_int_equal(weir_pipeline_add_queue(p, &bad[i].spec, NULL, NULL), WEIR_INVALID);
    }
    struct weir_queue queue;
    struct weir_queue_spec largest = {.from = {1}, .to = {1}, .capacity = QUEUE_LIMIT, .initial = QUEUE_LIMIT};
    assert_int_equal(weir_pipeline_add_queue(p, &largest, &queue, NULL), WEIR_OK);
    assert_int_equal(queue.index, 1);
    weir_pipeline_free(p);
}

TEST(test_sources_refused)
{
    static const struct {
        struct weir_source_spec spec;
        enum weir_status status;
        const char *message;
    } bad[] = {
        {{.op = {2}, .period = 1}, WEIR_INVALID, "a source must be an operator of the pipeline"},
        {{.op = {1}, .period = 0}, WEIR_INVALID, "a period must be longer than 0"},
        {{.op = {1}, .period = -5}, WEIR_INVALID, "a period must be longer than 0"},
        {{.op = {1}, .period = TIME_LIMIT}, WEIR_OVERFLOW, "a period is longer than can be represented"},
        {{.op = {0}, .period = 50}, WEIR_INVALID, "operator \"a\" has two periods"},
        {{.op = {0}, .period = 60, .arrivals = WEIR_ARRIVALS_EXACT}, WEIR_INVALID, "operator \"a\" has two periods"},
    };
    struct weir_pipeline *p = sample();
    struct view before = look(p);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct weir_error error;
        enum weir_status status = weir_pipeline_add_source(p, &bad[i].spec, &error);
        refused(p, &before, status, bad[i].status, &error, bad[i].message);
    }
    weir_pipeline_free(p);
}

TEST(test_chains_and_units_refused)
{
    static const struct {
        struct weir_chain_spec spec;
        const char *message;
    } bad[] = {
        {{.from = {2}, .to = {1}}, "a latency must be measured between two operators of the pipeline"},
        {{.from = {0}, .to = {9}}, "a latency must be measured between two operators of the pipeline"},
        {{.from = {1}, .to = {1}, .has_deadline = true, .deadline = -1}, "a deadline must not be negative"},
        {{.from = {1}, .to = {1}, .has_shift = true, .shift = (int64_t)QUEUE_LIMIT + 1},
         "an offset is at most 1073741824 iterations"},
        {{.from = {1}, .to = {1}, .has_shift = true, .shift = INT64_MIN}, "an offset is at most 1073741824 iterations"},
    };
    struct weir_pipeline *p = sample();
    struct view before = look(p);
    struct weir_error error;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        refused(p, &before, weir_pipeline_add_chain(p, &bad[i].spec, &error), WEIR_INVALID, &error, bad[i].message);
    enum weir_status status = weir_pipeline_set_unit(p, WEIR_UNIT_S, 19, &error);
    refused(p, &before, status, WEIR_INVALID, &error, "a unit can have at most 18 decimal digits, not 19");
    assert_int_equal(weir_pipeline_set_unit(p, WEIR_UNIT_S, 18, NULL), WEIR_OK);
    weir_pipeline_free(p);
}

/* The same pair twice is one; a different shift is another. */
TEST(test_chains_merge)
{
    struct weir_pipeline *p = weir_pipeline_new(NULL);
    struct weir_operator a = stage_operator(p, "a", 1, 2), b = stage_operator(p, "b", 1, 2);
    stage_queue(p, a, b, 1, 0);
    const struct weir_chain_spec chains[] = {
        {.from = a, .to = b},
        {.from = a, .to = b, .has_deadline = true, .deadline = 30, .place = {3, 1}},
        {.from = a, .to = b, .has_deadline = true, .deadline = 20, .place = {4, 1}},
        {.from = a, .to = b, .has_deadline = true, .deadline = 25, .place = {5, 1}},
        {.from = a, .to = b, .has_deadline = true, .deadline = 20, .place = {6, 1}},
        {.from = a, .to = b},
        {.from = a, .to = b, .has_shift = true, .shift = 1},
        {.from = a, .to = b, .has_shift = true, .shift = 1, .has_deadline = true, .deadline = 7},
        {.from = b, .to = b},
    };
    for (size_t i = 0; i < sizeof chains / sizeof *chains; i++)
        assert_int_equal(weir_pipeline_add_chain(p, &chains[i], NULL), WEIR_OK);
    stage_seal(p);
    assert_string_equal(look(p).text, " 0 0 1\n"
                                      "a 1 2 0 0 0 0 0:0\n"
                                      "b 1 2 0 0 0 0 0:0\n"
                                      "0 -> 1 1 0 0 0:0\n"
                                      "0 => 1 1 20 1 0 4:1\n"
                                      "0 => 1 1 7 1 1 0:0\n"
                                      "1 => 1 0 0 1 0 0:0\n");
    weir_pipeline_free(p);
}

TEST(test_sealed_refuses_everything)
{
    static const char words[] = "the pipeline is sealed: nothing can be added to it";
    struct weir_pipeline *p = sample();
    stage_seal(p);
    struct view before = look(p);
    struct weir_error error;
    refused(p, &before, weir_pipeline_set_name(p, "other", &error), WEIR_INVALID, &error, words);
    refused(p, &before, weir_pipeline_set_unit(p, WEIR_UNIT_S, 0, &error), WEIR_INVALID, &error, words);
    struct weir_operator_spec op = {.name = "c", .worst = 1};
    refused(p, &before, weir_pipeline_add_operator(p, &op, NULL, &error), WEIR_INVALID, &error, words);
    struct weir_queue_spec queue = {.from = {0}, .to = {1}, .capacity = 1};
    refused(p, &before, weir_pipeline_add_queue(p, &queue, NULL, &error), WEIR_INVALID, &error, words);
    refused(p, &before, weir_pipeline_add_source(p, &(struct weir_source_spec){.op = {1}, .period = 1}, &error), WEIR_INVALID,
            &error, words);
    refused(p, &before, weir_pipeline_add_chain(p, &(struct weir_chain_spec){.from = {1}, .to = {1}}, &error), WEIR_INVALID, &error,
            words);
    struct weir_errors *errors = weir_errors_new();
    assert_int_equal(weir_pipeline_seal(p, "model.yaml", errors), WEIR_INVALID);
    assert_int_equal(weir_errors_count(errors), 1);
    assert_string_equal(weir_errors_at(errors, 0)->message, "the pipeline is sealed already");
    assert_string_equal(weir_errors_at(errors, 0)->file, "model.yaml");
    assert_string_equal(look(p).text, before.text);
    weir_errors_free(errors);
    weir_pipeline_free(p);
}

/* What fails to seal is as it was, and can be completed. */
TEST(test_failed_seal_changes_nothing)
{
    struct weir_pipeline *p = sample();
    struct weir_operator c = stage_operator(p, "c", 0, 3);
    struct view before = look(p);
    assert_int_equal(weir_pipeline_seal(p, NULL, NULL), WEIR_INVALID); /* c is isolated */
    assert_string_equal(look(p).text, before.text);
    stage_queue(p, (struct weir_operator){1}, c, 1, 0);
    assert_int_equal(weir_pipeline_add_chain(p, &(struct weir_chain_spec){.from = c, .to = {0}}, NULL), WEIR_OK);
    before = look(p);
    assert_int_equal(weir_pipeline_seal(p, NULL, NULL), WEIR_INVALID); /* nothing leads from c to a */
    assert_string_equal(look(p).text, before.text);
    stage_queue(p, c, (struct weir_operator){0}, 1, 1);
    stage_seal(p);
    assert_true(weir_pipeline_sealed(p));
    assert_int_equal(weir_pipeline_chain(p, 1).shift, 1);
    weir_pipeline_free(p);
}

TEST(test_ten_thousand_names)
{
    enum { COUNT = 10000 };
    struct weir_pipeline *p = weir_pipeline_new(NULL);
    char name[64];
    for (uint32_t i = 0; i < COUNT; i++) {
        /* Numbers, prefixes of one another and names that differ in one character only. */
        snprintf(name, sizeof name, i % 3 == 0 ? "%u" : i % 3 == 1 ? "operator %u" : "stage.\xc3\xa9.%08u", i);
        struct weir_operator op;
        assert_int_equal(weir_pipeline_add_operator(p, &(struct weir_operator_spec){.name = name, .worst = i}, &op, NULL), WEIR_OK);
        assert_int_equal(op.index, i);
        memset(name, '#', sizeof name - 1); /* names are copied */
    }
    struct weir_operator found;
    for (uint32_t i = 0; i < COUNT; i++) {
        snprintf(name, sizeof name, i % 3 == 0 ? "%u" : i % 3 == 1 ? "operator %u" : "stage.\xc3\xa9.%08u", i);
        assert_true(weir_pipeline_find(p, name, &found));
        assert_int_equal(found.index, i);
        assert_int_equal(weir_pipeline_operator(p, found).worst, i);
        if (i % 97 == 0)
            assert_int_equal(weir_pipeline_add_operator(p, &(struct weir_operator_spec){.name = name}, NULL, NULL), WEIR_INVALID);
        snprintf(name, sizeof name, i % 3 == 1 ? "%u" : i % 3 == 2 ? "operator %u" : "stage.\xc3\xa9.%08u", i);
        assert_false(weir_pipeline_find(p, name, &found));
    }
    assert_int_equal(weir_pipeline_operator_count(p), COUNT);
    weir_pipeline_free(p);
}
