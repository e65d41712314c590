/* SPDX-License-Identifier: Apache-2.0 */
/* The picture of shared processors, on answers made by hand: what is written depends on nothing but the answer. */
#include "support/stage.h"
#include "support/svg.h"
#include "support/timeline.h"

#include <stdlib.h>
#include <string.h>

struct answer {
    struct weir_pipeline *pipeline;
    struct weir_operator a, b;
    struct weir_interference interference;
    struct weir_execution_bounds bounds[2];
    struct weir_buffer buffers[2];
    struct weir_priority_latency latency;
    struct weir_priority_analysis analysis;
};

static struct weir_operator add(struct weir_pipeline *pipeline, const char *name, int32_t priority, int64_t worst)
{
    struct weir_operator op;
    struct weir_operator_spec spec = {
        .name = name, .best = worst / 2, .worst = worst, .mapped = true, .has_priority = true, .priority = priority};
    assert_int_equal(weir_pipeline_add_operator(pipeline, &spec, &op, NULL), WEIR_OK);
    return op;
}

/* Milliseconds with one decimal: 12 ticks are 1.2. Periods of 10.0, and an input up to 15.0 late. */
static void answer_begin(struct answer *x)
{
    *x = (struct answer){.pipeline = weir_pipeline_new(NULL)};
    struct weir_processor_spec processor = {.name = "core <0>", .sharing = WEIR_PREEMPTIVE};
    assert_int_equal(weir_pipeline_set_unit(x->pipeline, WEIR_UNIT_MS, 1, NULL), WEIR_OK);
    assert_int_equal(weir_pipeline_set_platform(x->pipeline, WEIR_PLATFORM_PROCESSORS, NULL), WEIR_OK);
    assert_int_equal(weir_pipeline_add_processor(x->pipeline, &processor, NULL, NULL), WEIR_OK);
    x->a = add(x->pipeline, "a", 1, 12);
    x->b = add(x->pipeline, "b & c", 2, 30);
    stage_queue(x->pipeline, x->a, x->b, WEIR_AUTO, 0);
    struct weir_source_spec source = {.op = x->a, .period = 100, .jitter = 150, .arrivals = WEIR_ARRIVALS_EXACT, .name = "camera"};
    assert_int_equal(weir_pipeline_add_source(x->pipeline, &source, NULL), WEIR_OK);
    stage_seal(x->pipeline);
    x->interference = (struct weir_interference){x->b, 2};
    x->bounds[0] = (struct weir_execution_bounds){0, 150, 222, 1, 72, &x->interference, 1};
    x->bounds[1] = (struct weir_execution_bounds){6, 222, 252, 1, 30, NULL, 0};
    x->buffers[0] = (struct weir_buffer){false, 0, 2, true};
    x->buffers[1] = (struct weir_buffer){true, 0, 3, true};
    x->latency = (struct weir_priority_latency){.chain = {.from = x->a, .to = x->b}, .bounded = true, .worst = 252, .best = 21};
    x->analysis = (struct weir_priority_analysis){.pipeline = x->pipeline,
                                                  .method = WEIR_PRIORITY_BEST,
                                                  .safe = true,
                                                  .variant = "CIX+iBS",
                                                  .latencies = &x->latency,
                                                  .latency_count = 1,
                                                  .operators = x->bounds,
                                                  .buffers = x->buffers,
                                                  .buffer_count = 2,
                                                  .buffer_total = 5,
                                                  .rounds = 4,
                                                  .windows = 9};
}

typedef enum weir_status writer(const struct weir_priority_analysis *, FILE *, struct weir_error *);

static char *written(const struct answer *x, writer *write)
{
    char *text;
    STAGE_WRITTEN(text, write(&x->analysis, out, NULL));
    return text;
}

static void expect(const struct answer *x, writer *write, const char *expected)
{
    char *text = written(x, write);
    if (!strstr(text, expected))
        fail_msg("%s\nis not in\n%s", expected, text);
    free(text);
}

static void no_bound(void **state)
{
    static const enum weir_priority_outcome outcomes[] = {WEIR_PRIORITY_UNBOUNDED, WEIR_PRIORITY_VIOLATED, WEIR_PRIORITY_LIMIT};
    struct answer x;
    struct weir_error error = {0};
    (void)state;
    answer_begin(&x);
    for (size_t i = 0; i < 3; i++) {
        x.analysis.outcome = outcomes[i];
        assert_int_equal(draw_intervals(&x.analysis, stdout, &error), WEIR_INVALID);
        assert_non_null(strstr(error.message, "no bound was found"));
    }
    weir_pipeline_free(x.pipeline);
}

static void a_picture(void **state)
{
    struct answer x;
    (void)state;
    answer_begin(&x);
    x.latency.chain.has_deadline = true;
    x.latency.chain.deadline = 260;
    char *svg = written(&x, draw_intervals), *again = written(&x, draw_intervals);
    assert_string_equal(svg, again);
    svg_check_markup(svg);
    static const char *const words[] = {">core &lt;0&gt;<",
                                        "a: enabled from 0 to 15, ends by 22.2 ms",
                                        "b &amp; c: enabled from 0.6 to 22.2, ends by 25.2 ms",
                                        "camera: an input every 10 ms, up to 15 ms late",
                                        "at most 25.2 ms, deadline 26 ms",
                                        "Method CIX+iBS, safe",
                                        ">time after the nominal arrival (ms)<"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strstr(svg, words[i]))
            fail_msg("%s is not in\n%s", words[i], svg);
    /* Both intervals are longer than a period, so the next iterations are there, too; one more of each is in the legend. */
    assert_int_equal(svg_count(svg, "wt-next\""), 3);
    assert_int_equal(svg_count(svg, "wt-kept wt-line\""), 1);
    assert_int_equal(svg_count(svg, "wt-open wt-line\""), 1); /* in the legend */
    assert_int_equal(svg_count(svg, "wt-limit wt-line\""), 0);
    /* The more urgent one stands first. */
    assert_true(strstr(svg, ">b &amp; c<") < strstr(svg, ">a<"));
    free(svg);
    free(again);
    x.latency.chain.deadline = 10000; /* far off: not in the picture */
    svg = written(&x, draw_intervals);
    assert_int_equal(svg_count(svg, "wt-kept wt-line\""), 0);
    free(svg);
    x.analysis.safe = false;
    expect(&x, draw_intervals, "not safe: legal executions can exceed");
    weir_pipeline_free(x.pipeline);
}

static enum weir_status write_picture(void *context)
{
    struct answer *x = context;
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    enum weir_status status = draw_intervals(&x->analysis, out, NULL);
    fclose(out);
    free(text);
    return status;
}

static void memory_runs_out(void **state)
{
    struct answer x;
    (void)state;
    answer_begin(&x);
    assert_true(stage_fail_each_allocation(write_picture, &x) > 4);
    weir_pipeline_free(x.pipeline);
}

int priority_group(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_bound),
        cmocka_unit_test(a_picture),
        cmocka_unit_test(memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
