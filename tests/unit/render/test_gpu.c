/* SPDX-License-Identifier: Apache-2.0 */
/* Plans for a GPU as JSON, picture and trace, on plans made by hand: what is written depends on nothing but the plan. */
#include "answer/sms.h"
#include "answer/timeline/timeline.h"
#include "support/stage.h"
#include "support/svg.h"
#include "support/timeline.h"
#include "support/trace.h"

#include <stdlib.h>

enum { LAUNCHES = 8 };

/* The worked example of the paper: seven kernels on six SMs, the second in two parts. */
struct made {
    struct weir_pipeline *pipeline;
    struct weir_gpu_launch launches[LAUNCHES];
    struct weir_gpu_edge added[2];
    struct weir_gpu_token tokens[2];
    struct weir_gpu_plan plan;
};

static struct weir_operator add(struct weir_pipeline *pipeline, const char *name, int64_t load)
{
    struct weir_operator op;
    struct weir_operator_spec spec = {.name = name, .worst = load, .splittable = true};
    assert_int_equal(weir_pipeline_add_operator(pipeline, &spec, &op, NULL), WEIR_OK);
    return op;
}

static void make(struct made *m, int64_t deadline)
{
    static const char *const names[] = {"v1", "v2 <&>", "v3", "v4", "v5", "v6", "v7"};
    static const int64_t loads[] = {10, 40, 20, 20, 40, 40, 10};
    static const unsigned edges[][2] = {{0, 1}, {0, 2}, {0, 3}, {2, 4}, {3, 4}, {3, 5}, {1, 6}, {4, 6}, {5, 6}};
    static const uint32_t after[LAUNCHES][4] = {{0}, {0}, {0}, {0}, {1, 2, 3}, {1, 2, 3}, {1, 2, 3}, {4, 5, 6}};
    static const size_t after_counts[LAUNCHES] = {0, 1, 1, 1, 3, 3, 3, 3};
    static const struct {
        uint32_t kernel, part, parts, group, sms;
        int64_t load, start, time;
    } rows[LAUNCHES] = {{0, 1, 1, 0, 1, 10, 0, 10},  {2, 1, 1, 1, 2, 20, 10, 10}, {3, 1, 1, 1, 2, 20, 10, 10},
                        {1, 1, 2, 1, 2, 20, 10, 10}, {1, 2, 2, 2, 2, 20, 20, 10}, {4, 1, 1, 2, 2, 40, 20, 20},
                        {5, 1, 1, 2, 2, 40, 20, 20}, {6, 1, 1, 3, 1, 10, 40, 10}};
    struct weir_operator ops[7];
    struct weir_gpu_spec gpu = {.sms = 6, .min_time = 10, .deadline = deadline};
    *m = (struct made){.pipeline = weir_pipeline_new(NULL)};
    assert_int_equal(weir_pipeline_set_name(m->pipeline, "worked", NULL), WEIR_OK);
    assert_int_equal(weir_pipeline_set_unit(m->pipeline, WEIR_UNIT_US, 1, NULL), WEIR_OK);
    assert_int_equal(weir_pipeline_set_platform(m->pipeline, WEIR_PLATFORM_GPU, NULL), WEIR_OK);
    assert_int_equal(weir_pipeline_set_gpu(m->pipeline, &gpu, NULL), WEIR_OK);
    for (size_t i = 0; i < 7; i++)
        ops[i] = add(m->pipeline, names[i], loads[i]);
    for (size_t i = 0; i < 9; i++)
        stage_queue(m->pipeline, ops[edges[i][0]], ops[edges[i][1]], 1, 0);
    stage_seal(m->pipeline);
    for (size_t i = 0; i < LAUNCHES; i++)
        m->launches[i] = (struct weir_gpu_launch){.kernel = {rows[i].kernel},
                                                  .part = rows[i].part,
                                                  .parts = rows[i].parts,
                                                  .group = rows[i].group,
                                                  .sms = rows[i].sms,
                                                  .load = {rows[i].load, 1},
                                                  .time = {rows[i].time, 1},
                                                  .start = {rows[i].start, 1},
                                                  .after = after[i],
                                                  .after_count = after_counts[i]};
    m->added[0] = (struct weir_gpu_edge){1, 4};
    m->added[1] = (struct weir_gpu_edge){3, 5};
    m->tokens[0] = (struct weir_gpu_token){WEIR_GPU_BEGIN, 0, 6, 0};
    m->tokens[1] = (struct weir_gpu_token){0, 1, 2, 0};
    m->plan = (struct weir_gpu_plan){.pipeline = m->pipeline,
                                     .method = WEIR_GPU_SAFE,
                                     .sms = 6,
                                     .bound = {50, 1},
                                     .lower = {140, 3},
                                     .safe = true,
                                     .barriers = true,
                                     .launches = m->launches,
                                     .launch_count = LAUNCHES,
                                     .group_count = 4,
                                     .split_count = 1,
                                     .added = m->added,
                                     .added_count = 2,
                                     .tokens = m->tokens,
                                     .token_count = 2};
}

typedef enum weir_status writer(const struct weir_gpu_plan *, FILE *, struct weir_error *);

static char *written(const struct made *m, writer *write)
{
    char *text;
    STAGE_WRITTEN(text, write(&m->plan, out, NULL));
    return text;
}

static void expect(const struct made *m, writer *write, const char *expected)
{
    char *text = written(m, write);
    if (!strstr(text, expected))
        fail_msg("%s\nis not in\n%s", expected, text);
    free(text);
}

/* ---- SMs ---- */

static struct weir_ratio end_of(const struct made *m, size_t i)
{
    return (struct weir_ratio){m->launches[i].start.numerator + m->launches[i].time.numerator, 1};
}

/* Launches that overlap have nothing in common; each has what it needs. */
static void check_lanes(const struct made *m, const struct weir_sms *lanes)
{
    for (size_t i = 0; i < m->plan.launch_count; i++) {
        uint64_t sms = 0;
        for (size_t r = lanes->first_range[i]; r < lanes->first_range[i + 1]; r++) {
            const struct weir_sm_range *run = &lanes->ranges[r];
            sms += run->count;
            assert_true(run->sm + run->count <= lanes->count);
            assert_true(r == lanes->first_range[i] || run[-1].sm + run[-1].count < run->sm);
            for (size_t k = 0; k < i; k++) {
                bool together = end_of(m, k).numerator > m->launches[i].start.numerator &&
                                end_of(m, i).numerator > m->launches[k].start.numerator;
                for (size_t q = lanes->first_range[k]; together && q < lanes->first_range[k + 1]; q++)
                    assert_true(lanes->ranges[q].sm + lanes->ranges[q].count <= run->sm ||
                                run->sm + run->count <= lanes->ranges[q].sm);
            }
        }
        assert_int_equal(sms, m->launches[i].sms < m->plan.sms ? m->launches[i].sms : m->plan.sms);
    }
}

static void every_launch_has_sms(void **state)
{
    struct made m;
    struct weir_sms lanes;
    (void)state;
    make(&m, 0);
    assert_int_equal(weir_sms_assign(&m.plan, &lanes, NULL), WEIR_OK);
    check_lanes(&m, &lanes);
    assert_int_equal(lanes.count, 6);
    assert_int_equal(lanes.range_count, LAUNCHES); /* all side by side */
    weir_sms_free(&lanes);
    struct weir_timeline *t;
    assert_int_equal(weir_timeline_of_plan(&m.plan, &t, NULL), WEIR_OK);
    assert_int_equal(t->end.numerator, 50);
    assert_int_equal(t->lanes[0].rows, 3); /* three launches at a time */
    assert_int_equal(t->lanes[1].rows, 6);
    weir_timeline_free(t);
    weir_pipeline_free(m.pipeline);
}

/* More at once than there are SMs, as a plan that is not safe can have it; and more blocks than SMs. */
static void sms_that_are_not_there(void **state)
{
    struct made m;
    struct weir_sms lanes;
    (void)state;
    make(&m, 0);
    m.plan.safe = false;
    m.launches[5].sms = 4;
    assert_int_equal(weir_sms_assign(&m.plan, &lanes, NULL), WEIR_OK);
    check_lanes(&m, &lanes);
    assert_int_equal(lanes.count, 8);
    weir_sms_free(&lanes);
    expect(&m, draw_plan, "no SM</text>");
    expect(&m, trace_plan, "\"name\": \"no SM 7\"");
    m.launches[7].sms = 13;
    assert_int_equal(weir_gpu_waves(&m.plan, &m.launches[7]), 3);
    assert_int_equal(weir_sms_assign(&m.plan, &lanes, NULL), WEIR_OK);
    assert_int_equal(lanes.end[7].numerator, 70);
    weir_sms_free(&lanes);
    expect(&m, draw_plan, "v7: 4 to 7 us, takes 3 us, 13 SMs, group 3, in 3 waves");
    weir_pipeline_free(m.pipeline);
}

/* Gaps are filled by what fits; what fits nowhere lies in as few pieces as can be. */
static void sms_side_by_side(void **state)
{
    static const uint32_t widths[LAUNCHES] = {1, 1, 2, 1, 1, 2, 1, 4};
    static const int64_t starts[LAUNCHES] = {0, 0, 0, 0, 10, 20, 20, 30}, times[LAUNCHES] = {5, 50, 20, 50, 10, 5, 5, 5};
    struct made m;
    struct weir_sms lanes;
    (void)state;
    make(&m, 0);
    for (size_t i = 0; i < LAUNCHES; i++) {
        m.launches[i].sms = widths[i];
        m.launches[i].start = (struct weir_ratio){starts[i], 1};
        m.launches[i].time = (struct weir_ratio){times[i], 1};
    }
    assert_int_equal(weir_sms_assign(&m.plan, &lanes, NULL), WEIR_OK);
    check_lanes(&m, &lanes);
    assert_int_equal(lanes.count, 6);
    assert_int_equal(lanes.range_count, LAUNCHES + 1);
    assert_int_equal(lanes.first_range[8] - lanes.first_range[7], 2); /* SMs 3 and 4 are held by launches 1 and 3 */
    assert_int_equal(lanes.ranges[lanes.first_range[5]].sm, 0);       /* two SMs where two fit, not where one does */
    weir_sms_free(&lanes);
    weir_pipeline_free(m.pipeline);
}

/* Ends that do not fit are rounded down, so that what follows does not seem to overlap. */
static void ends_that_do_not_fit(void **state)
{
    struct made m;
    struct weir_sms lanes;
    (void)state;
    make(&m, 0);
    m.launches[0].start = (struct weir_ratio){1, INT64_MAX - 24};
    m.launches[0].time = (struct weir_ratio){INT64_MAX / 4, 1000003};
    assert_int_equal(weir_sms_assign(&m.plan, &lanes, NULL), WEIR_OK);
    double end = (double)lanes.end[0].numerator / (double)lanes.end[0].denominator, exact = (double)(INT64_MAX / 4) / 1000003;
    assert_true(end <= exact * (1 + 1e-15) && end >= exact * (1 - 1e-12));
    weir_sms_free(&lanes);
    weir_pipeline_free(m.pipeline);
}

/* ---- the picture ---- */

static void a_picture(void **state)
{
    static const char *const words[] = {
        ">worked: 8 launches on 6 SMs<",
        "Method safe, safe: all is done after at most 5 us; no plan can promise less than 4.666666 us",
        "<title>v2 &lt;&amp;&gt; 1/2: 1 to 2 us, takes 1 us, 2 SMs, group 1</title>",
        "role=\"img\" aria-label=\"worked: 8 launches on 6 SMs\"",
        "prefers-color-scheme:dark",
        ">deadline: 5.5 us, 0.5 to spare<",
        ">lower bound: 4.666666 us<",
        ">bound: 5 us<",
        ">time (us)<"};
    struct made m;
    (void)state;
    make(&m, 55);
    char *svg = written(&m, draw_plan), *again = written(&m, draw_plan);
    assert_string_equal(svg, again);
    svg_check_markup(svg);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strstr(svg, words[i]))
            fail_msg("%s is not in\n%s", words[i], svg);
    assert_int_equal(svg_count(svg, "<g class=\"wt-run\"><title>"), LAUNCHES);
    assert_int_equal(svg_count(svg, " wt-part\""), 3);                /* two parts, and the legend */
    assert_int_equal(svg_count(svg, "<path class=\"wt-marker\""), 5); /* four groups, and the legend */
    free(svg);
    free(again);
    m.plan.safe = false;
    expect(&m, draw_plan, "NOT SAFE: legal executions can take longer than 5 us");
    expect(&m, draw_plan, ">bound, not safe: 5 us<");
    weir_pipeline_free(m.pipeline);
}

/* ---- the trace ---- */

static void a_trace(void **state)
{
    static const char *const words[] = {
        "\"displayTimeUnit\": \"ns\"",
        "{\"ph\": \"M\", \"name\": \"process_name\", \"pid\": 2, \"tid\": 0, \"args\": {\"name\": \"SMs\"}}",
        ("{\"ph\": \"X\", \"name\": \"v2 <&> 1/2\", \"pid\": 1, \"tid\": 3, \"cat\": \"part of a kernel\", \"ts\": 1, \"dur\": "
         "1, "),
        ("\"args\": "
         "{\"launch\": 3, \"kernel\": \"v2 <&>\", \"part\": 1, \"parts\": 2, \"sms\": 2, \"load\": 2, \"time\": 1, \"group\": 1, "
         "\"waited_for\": \"data from "),
        "{\"ph\": \"C\", \"name\": \"SMs in use\", \"pid\": 1, \"tid\": 0, \"ts\": 1, \"args\": {\"SMs in use\": 6}}",
        "{\"ph\": \"C\", \"name\": \"SMs in use\", \"pid\": 1, \"tid\": 0, \"ts\": 5, \"args\": {\"SMs in use\": 0}}",
        "{\"ph\": \"i\", \"name\": \"lower bound\", \"pid\": 1, \"tid\": 0, \"ts\": 4.666666, \"s\": \"g\"}",
        "{\"ph\": \"i\", \"name\": \"deadline\", \"pid\": 1, \"tid\": 0, \"ts\": 5.5, \"s\": \"g\"}",
    };
    struct made m;
    (void)state;
    make(&m, 55);
    char *trace = written(&m, trace_plan), *again = written(&m, trace_plan);
    assert_string_equal(trace, again);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strstr(trace, words[i]))
            fail_msg("%s is not in\n%s", words[i], trace);
    struct trace_counts counts;
    trace_check(trace, &counts);
    assert_int_equal(counts.slices, LAUNCHES + 14); /* launches, and blocks on SMs */
    assert_int_equal(counts.arrows, 15);
    assert_int_equal(counts.tracks, 3 + 6 + 1);                       /* launches, SMs, the critical path */
    assert_int_equal(svg_count(trace, "\"name\": \"added\""), 4);     /* both ends of two */
    assert_int_equal(svg_count(trace, "\"name\": \"next part\""), 2); /* v2 */
    free(trace);
    free(again);
    weir_pipeline_free(m.pipeline);
}

static void times_too_long_for_a_trace(void **state)
{
    struct made m;
    struct weir_error error = {0};
    (void)state;
    make(&m, 0);
    m.plan.bound = (struct weir_ratio){INT64_MAX, 1};
    assert_int_equal(trace_plan(&m.plan, stdout, &error), WEIR_OVERFLOW);
    assert_non_null(strstr(error.message, "too long for a trace"));
    weir_pipeline_free(m.pipeline);
}

/* ---- what goes wrong ---- */

static enum weir_status write_all(void *context)
{
    static writer *const writers[] = {draw_plan, trace_plan};
    struct made *m = context;
    enum weir_status status = WEIR_OK;
    for (size_t i = 0; i < 2 && status == WEIR_OK; i++) {
        char *text = NULL;
        size_t bytes = 0;
        FILE *out = open_memstream(&text, &bytes);
        status = writers[i](&m->plan, out, NULL);
        fclose(out);
        free(text);
    }
    return status;
}

static void memory_runs_out(void **state)
{
    struct made m;
    (void)state;
    make(&m, 0);
    assert_true(stage_fail_each_allocation(write_all, &m) > 20);
    weir_pipeline_free(m.pipeline);
}

static void a_full_disk(void **state)
{
    static writer *const writers[] = {draw_plan, trace_plan};
    struct made m;
    (void)state;
    make(&m, 0);
    for (size_t i = 0; i < 2; i++) {
        struct weir_error error = {0};
        FILE *full = fopen("/dev/full", "w");
        if (!full)
            break;
        setvbuf(full, NULL, _IONBF, 0);
        assert_int_equal(writers[i](&m.plan, full, &error), WEIR_IO);
        assert_int_equal(error.status, WEIR_IO);
        fclose(full);
    }
    weir_pipeline_free(m.pipeline);
}

int gpu_group(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_launch_has_sms),
        cmocka_unit_test(sms_that_are_not_there),
        cmocka_unit_test(sms_side_by_side),
        cmocka_unit_test(ends_that_do_not_fit),
        cmocka_unit_test(a_picture),
        cmocka_unit_test(a_trace),
        cmocka_unit_test(times_too_long_for_a_trace),
        cmocka_unit_test(memory_runs_out),
        cmocka_unit_test(a_full_disk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
