/* SPDX-License-Identifier: Apache-2.0 */
/* The JSON of a pool of cores, on answers made by hand: what is written depends on nothing but the answer. */
#include "support/stage.h"

#include <stdlib.h>
#include <string.h>

struct answer {
    struct weir_pipeline *pipeline;
    struct weir_edf_operator operators[2];
    struct weir_buffer buffer;
    struct weir_edf_latency latency;
    struct weir_edf_analysis analysis;
};

/* Milliseconds with one decimal: 12 ticks are 1.2. */
static void answer_begin(struct answer *x)
{
    *x = (struct answer){.pipeline = weir_pipeline_new(NULL)};
    assert_int_equal(weir_pipeline_set_name(x->pipeline, "hand \"made\"", NULL), WEIR_OK);
    assert_int_equal(weir_pipeline_set_unit(x->pipeline, WEIR_UNIT_MS, 1, NULL), WEIR_OK);
    assert_int_equal(weir_pipeline_set_platform(x->pipeline, WEIR_PLATFORM_CORES, NULL), WEIR_OK);
    assert_int_equal(weir_pipeline_set_cores(x->pipeline, 2, NULL), WEIR_OK);
    struct weir_operator a = stage_operator(x->pipeline, "a", 0, 12), b = stage_operator(x->pipeline, "b & c", 0, 7);
    stage_queue(x->pipeline, a, b, WEIR_AUTO, 0);
    stage_period(x->pipeline, a, 100, WEIR_ARRIVALS_EXACT);
    stage_seal(x->pipeline);
    x->operators[0] = (struct weir_edf_operator){.period = {100, 1},
                                                 .repetitions = 1,
                                                 .cost = 12,
                                                 .utilization = {3, 25},
                                                 .response = {100, 3},
                                                 .by = WEIR_EDF_COMPLIANT,
                                                 .offset = {0, 1}};
    x->operators[1] = (struct weir_edf_operator){.period = {200, 3},
                                                 .repetitions = 2,
                                                 .cost = 7,
                                                 .utilization = {2, 3},
                                                 .response = {7, 1},
                                                 .by = WEIR_EDF_ALONE,
                                                 .offset = {100, 3}};
    x->buffer = (struct weir_buffer){false, 0, 5, true};
    x->latency = (struct weir_edf_latency){
        .pair = {.from = a, .to = b}, .bounded = true, .worst = {121, 3}, .gathering = {0, 1}, .deadline_met = true};
    x->analysis = (struct weir_edf_analysis){.pipeline = x->pipeline,
                                             .cores = 2,
                                             .utilization = {59, 75},
                                             .schedulable = true,
                                             .operators = x->operators,
                                             .latencies = &x->latency,
                                             .latency_count = 1,
                                             .buffers = &x->buffer,
                                             .buffer_count = 1,
                                             .buffer_total = 5};
}

static void expect(const struct answer *x, const char *expected)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    assert_int_equal(weir_edf_write_json(&x->analysis, out, NULL), WEIR_OK);
    fclose(out);
    if (!strstr(text, expected))
        fail_msg("%s\nis not in\n%s", expected, text);
    free(text);
}

static void a_bound(void **state)
{
    struct answer x;
    (void)state;
    answer_begin(&x);
    expect(&x, "{\n  \"weir\": 1,\n  \"model\": \"hand \\\"made\\\"\",\n  \"unit\": \"ms\",\n  \"engine\": \"global-edf\",\n"
               "  \"cores\": 2,\n  \"utilization\": 0.786667,\n  \"schedulable\": true,\n  \"sporadic\": false,\n  \"latency\": [");
    /* 4.0333..: rounded up in the sixth decimal. */
    expect(&x,
           "\"worst\": 4.033334,\n      \"best\": null,\n      \"gathering\": 0,\n      \"exact\": false,\n      \"safe\": true,\n"
           "      \"deadline\": null,\n      \"met\": true,\n      \"slack\": null\n    }");
    expect(&x,
           "{\"name\": \"a\", \"period\": 10, \"repetitions\": 1, \"cost\": 1.2, \"utilization\": 0.12, \"response\": 3.333334, "
           "\"offset\": 0, \"bound\": \"compliant\"}");
    expect(&x, "{\"name\": \"b & c\", \"period\": 6.666667, \"repetitions\": 2, \"cost\": 0.7, \"utilization\": 0.666667, "
               "\"response\": 0.7, \"offset\": 3.333334, \"bound\": \"alone\"}");
    expect(&x, "{\"from\": \"a\", \"to\": \"b & c\", \"capacity\": 5, \"chosen\": true}\n  ],\n  \"buffer_total\": 5\n}\n");
    x.analysis.verified = x.analysis.sporadic = true;
    expect(&x, "\"sporadic\": true,\n  \"verified\": true,\n");
    weir_pipeline_free(x.pipeline);
}

/* What is to spare is rounded down, what is missing up: whole ticks. */
static void deadlines(void **state)
{
    struct answer x;
    (void)state;
    answer_begin(&x);
    x.latency.pair.has_deadline = true;
    x.latency.pair.deadline = 50;
    x.latency.gathering = (struct weir_ratio){20, 3};
    expect(&x, "\"gathering\": 0.666667");
    expect(&x, "\"deadline\": 5,\n      \"met\": true,\n      \"slack\": 0.9");
    x.latency.pair.deadline = 40;
    x.latency.deadline_met = false;
    expect(&x, "\"deadline\": 4,\n      \"met\": false,\n      \"slack\": -0.1");
    weir_pipeline_free(x.pipeline);
}

static void no_bound(void **state)
{
    struct answer x;
    (void)state;
    answer_begin(&x);
    x.latency = (struct weir_edf_latency){.pair = x.latency.pair, .worst = {0, 1}, .gathering = {0, 1}};
    x.latency.pair.has_deadline = true;
    /* Another source may be silent. */
    x.buffer.capacity = WEIR_UNBOUNDED;
    expect(
        &x,
        "\"worst\": null,\n      \"unbounded\": true,\n      \"best\": null,\n      \"gathering\": null,\n      \"exact\": false,\n"
        "      \"safe\": false,\n      \"deadline\": 0,\n      \"met\": false,\n      \"slack\": null,\n      \"why\": \"it also "
        "waits");
    expect(&x, "\"capacity\": null, \"chosen\": true}\n  ],\n  \"buffer_total\": null\n}\n");
    /* Too much to do. */
    x.analysis.schedulable = false;
    x.analysis.why = "too \"much\"";
    x.analysis.buffer_count = 0;
    expect(&x, "\"schedulable\": false,\n  \"sporadic\": false,\n  \"why\": \"too \\\"much\\\"\",\n");
    expect(&x, "\"slack\": null,\n      \"why\": \"too \\\"much\\\"\"\n");
    expect(&x, "\"utilization\": 0.12, \"response\": null, \"offset\": null, \"bound\": null}");
    expect(&x, "\"buffers\": [],\n  \"buffer_total\": null\n}\n");
    weir_pipeline_free(x.pipeline);
}

/* Numbers at the ends of what can be counted. */
static void large(void **state)
{
    struct answer x;
    (void)state;
    answer_begin(&x);
    x.latency.worst = (struct weir_ratio){INT64_MAX, 2};
    expect(&x, "\"worst\": 461168601842738790.35,");
    x.latency.worst = (struct weir_ratio){1, INT64_MAX};
    expect(&x, "\"worst\": 0.000001,");
    x.latency.worst = (struct weir_ratio){9999999999, 1000000000};
    expect(&x, "\"worst\": 1,"); /* 0.9999999999 of a unit */
    weir_pipeline_free(x.pipeline);
}

static void a_full_disk(void **state)
{
    struct answer x;
    struct weir_error error = {0};
    (void)state;
    answer_begin(&x);
    FILE *full = fopen("/dev/full", "w");
    if (full) {
        setvbuf(full, NULL, _IONBF, 0);
        assert_int_equal(weir_edf_write_json(&x.analysis, full, &error), WEIR_IO);
        assert_int_equal(error.status, WEIR_IO);
        fclose(full);
    }
    weir_pipeline_free(x.pipeline);
}

int edf_group(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bound), cmocka_unit_test(deadlines),   cmocka_unit_test(no_bound),
        cmocka_unit_test(large),   cmocka_unit_test(a_full_disk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
