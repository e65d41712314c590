/* SPDX-License-Identifier: Apache-2.0 */
/* The JSON contract, on answers made by hand: what is written depends on nothing but the answer. */
#include "answer/answer.h"
#include "support/stage.h"

#include <stdlib.h>
#include <string.h>

struct made {
    struct weir_pipeline *pipeline;
    struct weir_operator a, b;
    struct weir_bound bound;
    struct weir_answer answer;
    struct weir_field facts[1], throughput[3], bottleneck[1];
};

static struct weir_quantity exactly(int64_t ticks)
{
    return weir_quantity_exact((struct weir_ratio){ticks, 1});
}

/* Milliseconds with one decimal: 12 ticks are 1.2. */
static void answer_begin(struct made *m)
{
    *m = (struct made){0};
    m->pipeline = weir_pipeline_new(NULL);
    assert_non_null(m->pipeline);
    assert_int_equal(weir_pipeline_set_name(m->pipeline, "two \"steps\"", NULL), WEIR_OK);
    assert_int_equal(weir_pipeline_set_unit(m->pipeline, WEIR_UNIT_MS, 1, NULL), WEIR_OK);
    m->a = stage_operator(m->pipeline, "a", 0, 12);
    m->b = stage_operator(m->pipeline, "b", 5, 30);
    stage_queue(m->pipeline, m->a, m->b, 1, 0);
    stage_seal(m->pipeline);
    m->bound =
        (struct weir_bound){.chain = {.from = m->a, .to = m->b}, .worst = exactly(72), .best = exactly(5), .gap = exactly(42)};
    m->bottleneck[0] = (struct weir_field){NULL, weir_datum_text("b")};
    m->throughput[0] = (struct weir_field){"period", weir_datum_time(30)};
    m->throughput[1] = (struct weir_field){"best_period", weir_datum_time(5)};
    m->throughput[2] = (struct weir_field){"bottleneck", {.kind = WEIR_DATUM_LIST, .is.fields = m->bottleneck, .field_count = 1}};
    m->facts[0] = (struct weir_field){"throughput", {.kind = WEIR_DATUM_RECORD, .is.fields = m->throughput, .field_count = 3}};
    m->answer = (struct weir_answer){.pipeline = m->pipeline,
                                     .engine = &weir_engine_exact,
                                     .bounds = &m->bound,
                                     .bound_count = 1,
                                     .facts = {.items = m->facts, .count = 1}};
}

static char *answer_text(struct made *m)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    weir_answer_judge(&m->answer);
    assert_int_equal(weir_answer_write_json(&m->answer, out, NULL), WEIR_OK);
    fclose(out);
    return text;
}

static void answer_expect(struct made *answer, const char *expected)
{
    char *text = answer_text(answer);
    if (!strstr(text, expected))
        fail_msg("%s\nis not in\n%s", expected, text);
    free(text);
}

static void answer_end(struct made *answer)
{
    weir_pipeline_free(answer->pipeline);
}

TEST(exact)
{
    struct made answer;
    answer_begin(&answer);
    char *text = answer_text(&answer);
    assert_string_equal(text, "{\n"
                              "  \"weir\": 1,\n"
                              "  \"model\": \"two \\\"steps\\\"\",\n"
                              "  \"unit\": \"ms\",\n"
                              "  \"engine\": \"exact\",\n"
                              "  \"throughput\": {\n"
                              "    \"period\": 3,\n"
                              "    \"best_period\": 0.5,\n"
                              "    \"bottleneck\": [\"b\"]\n"
                              "  },\n"
                              "  \"latency\": [\n"
                              "    {\n"
                              "      \"from\": \"a\",\n"
                              "      \"to\": \"b\",\n"
                              "      \"shift\": 0,\n"
                              "      \"worst\": 7.2,\n"
                              "      \"best\": 0.5,\n"
                              "      \"jitter\": 6.7,\n"
                              "      \"exact\": true,\n"
                              "      \"safe\": true,\n"
                              "      \"deadline\": null,\n"
                              "      \"met\": true,\n"
                              "      \"state\": \"none\",\n"
                              "      \"slack\": null,\n"
                              "      \"gap\": 4.2\n"
                              "    }\n"
                              "  ]\n"
                              "}\n");
    free(text);
    answer_end(&answer);
}

TEST(deadlines)
{
    struct made answer;
    answer_begin(&answer);
    answer.bound.has_deadline = true;
    answer.bound.deadline = 80;
    answer_expect(&answer, "\"deadline\": 8,\n      \"met\": true,\n      \"state\": \"met\",\n      \"slack\": 0.8,\n");
    answer.bound.deadline = 70;
    answer_expect(&answer, "\"deadline\": 7,\n      \"met\": false,\n      \"state\": \"missed\",\n      \"slack\": -0.2,\n");
    answer.bound.worst = weir_quantity_safe((struct weir_ratio){72, 1}); /* no execution need be so late */
    answer_expect(&answer, "\"met\": null,\n      \"state\": \"not proved\",\n      \"slack\": -0.2,\n");
    answer.bound.worst.low = (struct weir_ratio){141, 2}; /* ... but one is later than the deadline */
    answer_expect(&answer, "\"worst_lower\": 7.05,");
    answer_expect(&answer, "\"met\": false,\n      \"state\": \"missed\",");
    answer.bound.worst.claim = WEIR_CLAIM_UNSAFE;
    answer_expect(&answer, "\"safe\": false,\n      \"deadline\": 7,\n      \"met\": null,\n      \"state\": \"not decided\",");
    answer_end(&answer);
}

TEST(unbounded)
{
    struct made answer;
    answer_begin(&answer);
    answer.bound.worst = (struct weir_quantity){.claim = WEIR_CLAIM_UNBOUNDED};
    answer.bound.gap = (struct weir_quantity){.claim = WEIR_CLAIM_UNBOUNDED};
    answer.bound.why = "b is too slow";
    answer.bound.has_deadline = true;
    answer.bound.deadline = 80;
    answer_expect(&answer, "\"worst\": null,\n      \"unbounded\": true,\n      \"best\": 0.5,\n      \"jitter\": null,\n"
                           "      \"exact\": false,\n      \"safe\": false,\n      \"deadline\": 8,\n      \"met\": false,\n"
                           "      \"state\": \"missed\",\n      \"slack\": null,\n"
                           "      \"gap\": null,\n      \"why\": \"b is too slow\"\n");
    answer_end(&answer);
}

TEST(brackets)
{
    struct made answer;
    answer_begin(&answer);
    struct weir_bound *bound = &answer.bound;
    bound->worst = (struct weir_quantity){WEIR_CLAIM_BRACKET, {60, 1}, {90, 1}};
    bound->best = (struct weir_quantity){WEIR_CLAIM_BRACKET, {4, 1}, {20, 1}};
    bound->gap = (struct weir_quantity){WEIR_CLAIM_BRACKET, {0, 0}, {50, 1}};
    bound->has_deadline = true;
    bound->deadline = 80;
    answer_expect(&answer, "\"worst\": 9,\n      \"worst_lower\": 6,\n      \"best\": 0.4,\n      \"best_upper\": 2,\n"
                           "      \"jitter\": null,\n      \"exact\": false,\n      \"safe\": true,\n      \"deadline\": 8,\n"
                           "      \"met\": null,\n      \"state\": \"not decided\",\n"
                           "      \"slack\": null,\n      \"gap\": 5,\n      \"gap_lower\": null\n");
    bound->deadline = 59; /* below the lower end: missed for sure */
    answer_expect(&answer, "\"met\": false,");
    bound->deadline = 90;
    answer_expect(&answer, "\"met\": true,\n      \"state\": \"met\",\n      \"slack\": 0,");
    bound->worst.high = bound->worst.low = (struct weir_ratio){0, 0};
    answer_expect(&answer, "\"worst\": null,\n      \"worst_lower\": null,");
    answer_end(&answer);
}

TEST(ratio_period)
{
    struct made answer;
    answer_begin(&answer);
    answer.throughput[0].value = weir_datum_ratio((struct weir_ratio){100, 3});
    answer.throughput[1].value = weir_datum_ratio((struct weir_ratio){1, 2});
    answer.throughput[0].value.with_exact = answer.throughput[1].value.with_exact = true;
    answer_expect(&answer, "\"period\": 3.333334,\n    \"period_exact\": [100, 3],\n    \"best_period\": 0.05,\n"
                           "    \"best_period_exact\": [1, 2],\n");
    answer_end(&answer);
}

/* Rounded up, lower bounds down, and below zero towards zero, in the sixth decimal. */
TEST(large_numbers)
{
    struct made answer;
    answer_begin(&answer);
    struct weir_datum *value = &answer.facts[0].value;
    *value = weir_datum_ratio((struct weir_ratio){INT64_MAX, 2});
    answer_expect(&answer, "\"throughput\": 461168601842738790.35,");
    *value = weir_datum_ratio((struct weir_ratio){INT64_MAX, 3});
    value->rounds_down = true;
    answer_expect(&answer, "\"throughput\": 307445734561825860,");
    value->is.ratio = (struct weir_ratio){1, INT64_MAX};
    answer_expect(&answer, "\"throughput\": 0,");
    *value = weir_datum_share((struct weir_ratio){INT64_MAX, 1000000}); /* as large as it gets */
    answer_expect(&answer, "\"throughput\": 9223372036854.775807,");
    *value = weir_datum_share((struct weir_ratio){-1, 14});
    answer_expect(&answer, "\"throughput\": -0.071428,");
    answer_end(&answer);
}

TEST(witness)
{
    struct made answer;
    answer_begin(&answer);
    const struct weir_step steps[] = {
        {.op = answer.a, .wait = WEIR_WAIT_NONE, .counts = true, .iteration = 0, .time = 12},
        {.op = answer.b, .wait = WEIR_WAIT_DATA, .counts = false, .iteration = 0, .time = 5, .part = WEIR_PART_RECEIVE},
        {.op = answer.b, .wait = WEIR_WAIT_BUSY, .counts = true, .iteration = 1, .time = 30},
    };
    struct weir_segment segments[] = {{steps, 2, 0, 1}, {steps + 2, 1, 2, 3}};
    struct weir_witness told = {.separation = 72, .iteration = 5, .segments = segments, .segment_count = 2};
    answer.bound.witness = &told;
    answer.bound.verified = true;
    const char a[] = "{\"operator\": \"a\", \"iteration\": 0, \"time\": 1.2, \"wait\": \"none\", \"counts\": true}";
    const char b[] = "{\"operator\": \"b\", \"iteration\": 0, \"time\": 0.5, \"wait\": \"data\", \"counts\": false, "
                     "\"part\": \"receive\"}";
    const char c[] = "{\"operator\": \"b\", \"iteration\": %d, \"time\": 3, \"wait\": \"busy\", \"counts\": true}";
    char first[128], second[128], third[128], expected[2048];
    snprintf(first, sizeof first, c, 1);
    snprintf(second, sizeof second, c, 3);
    snprintf(third, sizeof third, c, 5);
    snprintf(expected, sizeof expected,
             "\"verified\": true,\n      \"witness\": {\n        \"iteration\": 5,\n        \"critical\": [\n"
             "          %s,\n          %s,\n          %s,\n          %s,\n          %s\n        ],\n",
             a, b, first, second, third);
    answer_expect(&answer, expected);
    snprintf(expected, sizeof expected,
             "\"segments\": [\n"
             "          {\n            \"repeat\": 1,\n            \"iterations\": 0,\n            \"steps\": [\n"
             "              %s,\n              %s\n            ]\n          },\n"
             "          {\n            \"repeat\": 3,\n            \"iterations\": 2,\n            \"steps\": [\n"
             "              %s\n            ]\n          }\n        ]\n      }\n",
             a, b, first);
    answer_expect(&answer, expected);
    segments[1].repeat = 1; /* nothing repeats: no segments */
    char *text = answer_text(&answer);
    assert_non_null(strstr(text, "\"critical\""));
    assert_null(strstr(text, "\"segments\""));
    free(text);
    segments[1].repeat = INT64_C(5000000000000); /* too long to be listed */
    text = answer_text(&answer);
    assert_null(strstr(text, "\"critical\""));
    assert_non_null(strstr(text, "\"repeat\": 5000000000000,"));
    free(text);
    segments[1].repeat = 9998; /* 10,000 steps just fit */
    text = answer_text(&answer);
    assert_non_null(strstr(text, "\"critical\""));
    free(text);
    segments[1].repeat = 9999;
    text = answer_text(&answer);
    assert_null(strstr(text, "\"critical\""));
    free(text);
    answer_end(&answer);
}

TEST(full_disk)
{
    struct made answer;
    struct weir_error error = {0};
    FILE *out = fopen("/dev/full", "w");
    if (!out)
        skip();
    setvbuf(out, NULL, _IONBF, 0);
    answer_begin(&answer);
    assert_int_equal(weir_answer_write_json(&answer.answer, out, &error), WEIR_IO);
    assert_non_null(strstr(error.message, "cannot write"));
    fclose(out);
    answer_end(&answer);
}
