/* SPDX-License-Identifier: Apache-2.0 */
/* The JSON contract, on answers made by hand: what is written depends on nothing but the answer. */
#include "support/stage.h"

#include <stdlib.h>
#include <string.h>

struct answer {
    struct weir_pipeline *pipeline;
    struct weir_operator a, b;
    struct weir_latency latency;
    struct weir_analysis analysis;
};

/* Milliseconds with one decimal: 12 ticks are 1.2. */
static void answer_begin(struct answer *answer)
{
    *answer = (struct answer){0};
    answer->pipeline = weir_pipeline_new(NULL);
    assert_non_null(answer->pipeline);
    assert_int_equal(weir_pipeline_set_name(answer->pipeline, "two \"steps\"", NULL), WEIR_OK);
    assert_int_equal(weir_pipeline_set_unit(answer->pipeline, WEIR_UNIT_MS, 1, NULL), WEIR_OK);
    answer->a = stage_operator(answer->pipeline, "a", 0, 12);
    answer->b = stage_operator(answer->pipeline, "b", 5, 30);
    stage_queue(answer->pipeline, answer->a, answer->b, 1, 0);
    stage_seal(answer->pipeline);
    answer->latency = (struct weir_latency){
        .pair = {.from = answer->a, .to = answer->b},
        .worst = {.outcome = WEIR_EXACT, .value = 72},
        .best = {.outcome = WEIR_EXACT, .value = -5},
        .gap = {.outcome = WEIR_EXACT, .value = 42},
        .deadline_met = true,
    };
    answer->analysis = (struct weir_analysis){
        .pipeline = answer->pipeline,
        .latencies = &answer->latency,
        .latency_count = 1,
        .throughput = {.period = {30, 1}, .best_period = {5, 1}, .bottleneck = &answer->b, .bottleneck_count = 1},
    };
}

static char *answer_text(struct answer *answer)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    assert_int_equal(weir_analysis_write_json(&answer->analysis, out, NULL), WEIR_OK);
    fclose(out);
    return text;
}

static void answer_expect(struct answer *answer, const char *expected)
{
    char *text = answer_text(answer);
    if (!strstr(text, expected))
        fail_msg("%s\nis not in\n%s", expected, text);
    free(text);
}

static void answer_end(struct answer *answer)
{
    weir_pipeline_free(answer->pipeline);
}

static void exact(void **state)
{
    (void)state;
    struct answer answer;
    answer_begin(&answer);
    char *text = answer_text(&answer);
    assert_string_equal(text, "{\n"
                              "  \"weir\": 1,\n"
                              "  \"model\": \"two \\\"steps\\\"\",\n"
                              "  \"unit\": \"ms\",\n"
                              "  \"engine\": \"exact\",\n"
                              "  \"latency\": [\n"
                              "    {\n"
                              "      \"from\": \"a\",\n"
                              "      \"to\": \"b\",\n"
                              "      \"shift\": 0,\n"
                              "      \"worst\": 7.2,\n"
                              "      \"best\": 0.5,\n"
                              "      \"jitter\": 6.7,\n"
                              "      \"exact\": true,\n"
                              "      \"deadline\": null,\n"
                              "      \"met\": true,\n"
                              "      \"slack\": null,\n"
                              "      \"gap\": 4.2\n"
                              "    }\n"
                              "  ],\n"
                              "  \"throughput\": {\n"
                              "    \"period\": 3,\n"
                              "    \"best_period\": 0.5,\n"
                              "    \"bottleneck\": [\"b\"]\n"
                              "  }\n"
                              "}\n");
    free(text);
    answer_end(&answer);
}

static void deadlines(void **state)
{
    (void)state;
    struct answer answer;
    answer_begin(&answer);
    answer.latency.pair.has_deadline = true;
    answer.latency.pair.deadline = 80;
    answer_expect(&answer, "\"deadline\": 8,\n      \"met\": true,\n      \"slack\": 0.8,\n");
    answer.latency.pair.deadline = 70;
    answer.latency.deadline_met = false;
    answer_expect(&answer, "\"deadline\": 7,\n      \"met\": false,\n      \"slack\": -0.2,\n");
    answer_end(&answer);
}

static void unbounded(void **state)
{
    (void)state;
    struct answer answer;
    answer_begin(&answer);
    answer.latency.worst = (struct weir_separation){.outcome = WEIR_NO_BOUND};
    answer.latency.gap = (struct weir_separation){.outcome = WEIR_NO_BOUND};
    answer.latency.why = "b is too slow";
    answer.latency.pair.has_deadline = true;
    answer.latency.pair.deadline = 80;
    answer.latency.deadline_met = false;
    answer_expect(&answer, "\"worst\": null,\n      \"unbounded\": true,\n      \"best\": 0.5,\n      \"jitter\": null,\n"
                           "      \"exact\": false,\n      \"deadline\": 8,\n      \"met\": false,\n      \"slack\": null,\n"
                           "      \"gap\": null,\n      \"why\": \"b is too slow\"\n");
    answer_end(&answer);
}

static void brackets(void **state)
{
    (void)state;
    struct answer answer;
    answer_begin(&answer);
    struct weir_latency *latency = &answer.latency;
    latency->worst = (struct weir_separation){.outcome = WEIR_BRACKET, .lower = 60, .upper = 90};
    latency->best = (struct weir_separation){.outcome = WEIR_BRACKET, .lower = -20, .upper = -4};
    latency->gap = (struct weir_separation){.outcome = WEIR_BRACKET, .lower = INT64_MIN, .upper = 50};
    latency->pair.has_deadline = true;
    latency->pair.deadline = 80;
    latency->deadline_met = false;
    answer_expect(&answer, "\"worst\": 9,\n      \"worst_lower\": 6,\n      \"best\": 0.4,\n      \"best_upper\": 2,\n"
                           "      \"jitter\": null,\n      \"exact\": false,\n      \"deadline\": 8,\n      \"met\": null,\n"
                           "      \"slack\": null,\n      \"gap\": 5,\n      \"gap_lower\": null\n");
    latency->pair.deadline = 59; /* below the lower end: missed for sure */
    answer_expect(&answer, "\"met\": false,");
    latency->pair.deadline = 90;
    latency->deadline_met = true;
    answer_expect(&answer, "\"met\": true,\n      \"slack\": 0,");
    latency->worst.upper = INT64_MAX;
    latency->worst.lower = INT64_MIN;
    latency->deadline_met = false;
    answer_expect(&answer, "\"worst\": null,\n      \"worst_lower\": null,");
    answer_end(&answer);
}

static void ratio_period(void **state)
{
    (void)state;
    struct answer answer;
    answer_begin(&answer);
    answer.analysis.throughput.period = (struct weir_ratio){100, 3};
    answer.analysis.throughput.best_period = (struct weir_ratio){1, 2};
    answer_expect(&answer, "\"period\": 3.333334,\n    \"period_exact\": [100, 3],\n    \"best_period\": 0.05,\n"
                           "    \"best_period_exact\": [1, 2],\n");
    answer_end(&answer);
}

static void witness(void **state)
{
    (void)state;
    struct answer answer;
    answer_begin(&answer);
    const struct weir_step steps[] = {
        {.op = answer.a, .wait = WEIR_WAIT_NONE, .counts = true, .iteration = 0, .time = 12},
        {.op = answer.b, .wait = WEIR_WAIT_DATA, .counts = false, .iteration = 0, .time = 5, .part = WEIR_PART_RECEIVE},
        {.op = answer.b, .wait = WEIR_WAIT_BUSY, .counts = true, .iteration = 1, .time = 30},
    };
    struct weir_segment segments[] = {{steps, 2, 0, 1}, {steps + 2, 1, 2, 3}};
    struct weir_witness told = {.separation = 72, .iteration = 5, .segments = segments, .segment_count = 2};
    answer.latency.witness = &told;
    answer.latency.verified = true;
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

static void full_disk(void **state)
{
    (void)state;
    struct answer answer;
    struct weir_error error = {0};
    FILE *out = fopen("/dev/full", "w");
    if (!out)
        skip();
    setvbuf(out, NULL, _IONBF, 0);
    answer_begin(&answer);
    assert_int_equal(weir_analysis_write_json(&answer.analysis, out, &error), WEIR_IO);
    assert_non_null(strstr(error.message, "cannot write"));
    fclose(out);
    answer_end(&answer);
}

int analysis_group(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact),        cmocka_unit_test(deadlines), cmocka_unit_test(unbounded), cmocka_unit_test(brackets),
        cmocka_unit_test(ratio_period), cmocka_unit_test(witness),   cmocka_unit_test(full_disk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
