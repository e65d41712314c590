/* SPDX-License-Identifier: Apache-2.0 */
/* A timeline made by hand, with every kind of thing that can be in one, as a picture and as a trace. */
#include "render/timeline/timeline.h"
#include "support/again.h"
#include "support/runner.h"
#include "support/svg.h"
#include "support/trace.h"

#include <stdlib.h>
#include <string.h>

static char *written(const struct weir_timeline *timeline, weir_timeline_writer *write)
{
    char *text;
    STAGE_WRITTEN(text, write(timeline, out, NULL));
    return text;
}

static char *draw(const struct weir_timeline *timeline)
{
    char *text = written(timeline, weir_timeline_write_svg);
    svg_check_markup(text);
    return text;
}

static void add_span(struct weir_timeline *t, enum weir_span_kind kind, int64_t from, int64_t to)
{
    weir_timeline_add_span(t, (struct weir_timeline_span){.kind = kind,
                                                          .iteration = kind <= WEIR_SPAN_EXCESS ? (int64_t)t->span_count : -1,
                                                          .look = 1,
                                                          .label = kind == WEIR_SPAN_PART     ? "kernel 1/2"
                                                                   : kind == WEIR_SPAN_LAUNCH ? "kernel"
                                                                                              : NULL,
                                                          .from = weir_ticks(from),
                                                          .to = weir_ticks(to)});
}

static void add_items(struct weir_timeline *t)
{
    weir_timeline_add_group(t, (struct weir_timeline_group){"second", "a note", true});
    weir_timeline_add_lane(t, (struct weir_timeline_lane){
                                  .name = "items", .label = "90 ms", .label_at = weir_ticks(90), .details = "items: \"quoted\""});
    for (unsigned kind = WEIR_SPAN_WINDOW; kind < WEIR_SPAN_KINDS; kind++)
        add_span(t, (enum weir_span_kind)kind, 10, 90);
}

/* 100 ticks of a tenth of a millisecond. */
static enum weir_status make(struct weir_pipeline *pipeline, struct weir_timeline **timeline)
{
    struct weir_timeline *t = weir_timeline_new(pipeline);
    if (!t)
        return WEIR_MEMORY;
    t->title = "Title <1>";
    t->subtitle = "subtitle";
    t->summary = "summary";
    t->axis = "time (ms)";
    t->marker_name = "era";
    t->marker_legend = "an era begins";
    t->end = weir_ticks(100);
    weir_timeline_add_group(t, (struct weir_timeline_group){"first", NULL, false});
    weir_timeline_add_lane(t, (struct weir_timeline_lane){.name = "one"});
    add_span(t, WEIR_SPAN_EXECUTION, 0, 50);
    add_span(t, WEIR_SPAN_CRITICAL, 40, 90);
    add_span(t, WEIR_SPAN_MEASURED, 50, 70);
    weir_timeline_pack(t);
    weir_timeline_add_lane(t, (struct weir_timeline_lane){.name = "two & <more>"});
    add_span(t, WEIR_SPAN_EXCESS, 90, 100);
    weir_timeline_add_lane(t, (struct weir_timeline_lane){.name = "hidden", .hidden = true});
    add_span(t, WEIR_SPAN_EXECUTION, 0, 1);
    add_items(t);
    weir_timeline_add_group(t, (struct weir_timeline_group){"third", NULL, false});
    weir_timeline_add_lane(t, (struct weir_timeline_lane){.name = "SM", .rows = 3, .row_name = "SM", .row_limit = 2});
    add_span(t, WEIR_SPAN_LAUNCH, 0, 50);
    weir_timeline_add_span(t, (struct weir_timeline_span){.kind = WEIR_SPAN_PART,
                                                          .label = "kernel 1/2",
                                                          .note = "2 SMs",
                                                          .iteration = -1,
                                                          .row = 1,
                                                          .row_count = 2,
                                                          .from = {400, 3},
                                                          .to = {200, 1}});
    weir_timeline_add_level(t, (struct weir_timeline_level){.name = "queue one -> two", .lane = 1, .capacity = 2});
    weir_timeline_add_point(t, (struct weir_timeline_point){weir_ticks(0), 0});
    weir_timeline_add_point(t, (struct weir_timeline_point){weir_ticks(50), 1});
    weir_timeline_add_arrow(t, (struct weir_timeline_arrow){"one -> two", 1, 3, WEIR_ARROW_DATA});
    weir_timeline_add_step(t, (struct weir_timeline_step){0, 1, 1, weir_ticks(40), weir_ticks(90), WEIR_WAIT_NONE, NULL, NULL});
    weir_timeline_add_step(t, (struct weir_timeline_step){1, 0, 3, weir_ticks(90), weir_ticks(100), WEIR_WAIT_DATA, "data", NULL});
    weir_timeline_add_marker(t, (struct weir_timeline_marker){weir_ticks(40), "era 2"});
    weir_timeline_add_ruler(t, (struct weir_timeline_ruler){.kind = WEIR_RULER_LATENCY,
                                                            .from = weir_ticks(40),
                                                            .to = weir_ticks(100),
                                                            .text = "6 ms",
                                                            .from_event = "one starts",
                                                            .to_event = "two is done",
                                                            .from_mark = "begin",
                                                            .to_mark = "end"});
    weir_timeline_add_ruler(t, (struct weir_timeline_ruler){
                                   .kind = WEIR_RULER_DEADLINE, .from = weir_ticks(40), .to = weir_ticks(1000), .text = "far"});
    return weir_timeline_end(t, WEIR_OK, timeline, NULL);
}

static struct weir_pipeline *pipeline_of_tenths(void)
{
    struct weir_pipeline *p = weir_pipeline_new(NULL);
    assert_int_equal(weir_pipeline_set_unit(p, WEIR_UNIT_MS, 1, NULL), WEIR_OK);
    assert_int_equal(weir_pipeline_set_name(p, "by hand", NULL), WEIR_OK);
    stage_operator(p, "one", 0, 0);
    stage_seal(p);
    return p;
}

static void expect_all(const char *text, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!strstr(text, words[i]))
            fail_msg("%s is not in\n%s", words[i], text);
}

TEST(a_picture_of_everything)
{
    static const char *const words[] = {
        "aria-label=\"summary\"",
        ">Title &lt;1&gt;<",
        ">subtitle<",
        ">time (ms)<",
        ">two &amp; &lt;more&gt;<",
        ">a note<",
        ">90 ms<",
        "<title>items: &quot;quoted&quot;</title>",
        "The critical path: one, iteration 1 begins; two &amp; &lt;more&gt;, iteration 3 waited for data.",
        "<title>one, iteration 1: 4 to 9 ms, takes 5 ms</title>",
        "<title>queue one -&gt; two: at most 1 of 2 at once</title>",
        "kernel 1/2: 13.333334 to 20 ms, takes 6.666667 ms, 2 SMs",
        ">no SM</text>",
        ">6 ms<",
        ">one starts<",
        ">two is done<",
        ">far<",
        ">era 2<",
        ">an era begins<",
        ">at its worst time<",
        ">deadline<",
        ">data is there<"};
    struct weir_pipeline *p = pipeline_of_tenths();
    struct weir_timeline *t;
    assert_int_equal(make(p, &t), WEIR_OK);
    char *svg = draw(t), *again = draw(t);
    assert_string_equal(svg, again);
    expect_all(svg, words, sizeof words / sizeof *words);
    assert_null(strstr(svg, "hidden"));
    assert_null(strstr(svg, "there is room (backpressure)"));                 /* no step waits for it */
    assert_int_equal(svg_count(svg, "<g class=\"wt-run\" data-operator"), 4); /* executions */
    assert_int_equal(svg_count(svg, "<g class=\"wt-run\"><title>"), 3);       /* launches, and a delay */
    assert_int_equal(svg_count(svg, "wt-window\""), 2);                       /* one of each, and one in the legend */
    assert_int_equal(svg_count(svg, "wt-next\""), 2);
    assert_int_equal(svg_count(svg, "wt-outline\""), 2);
    free(svg);
    free(again);
    weir_timeline_free(t);
    weir_pipeline_free(p);
}

TEST(a_trace_of_everything)
{
    static const char *const words[] = {
        "\"model\": \"by hand\"",
        "{\"ph\": \"M\", \"name\": \"process_name\", \"pid\": 3, \"tid\": 0, \"args\": {\"name\": \"third\"}}",
        "{\"ph\": \"M\", \"name\": \"thread_name\", \"pid\": 3, \"tid\": 3, \"args\": {\"name\": \"no SM 2\"}}",
        ("{\"ph\": \"X\", \"name\": \"one\", \"pid\": 1, \"tid\": 2, \"cat\": \"worst case\", \"ts\": 4000, \"dur\": 5000, "
         "\"cname\": \"rail_response\", \"args\": {\"iteration\": 1, \"critical\": true}}"),
        "\"cat\": \"above its worst case\"",
        "\"name\": \"kernel 1/2\", \"pid\": 3, \"tid\": 3,",
        "{\"ph\": \"i\", \"name\": \"end\", \"pid\": 1, \"tid\": 0, \"ts\": 10000, \"s\": \"g\"}",
    };
    struct weir_pipeline *p = pipeline_of_tenths();
    struct weir_timeline *t;
    struct trace_counts counts;
    assert_int_equal(make(p, &t), WEIR_OK);
    char *text = written(t, weir_timeline_write_trace);
    trace_check(text, &counts);
    expect_all(text, words, sizeof words / sizeof *words);
    assert_int_equal(counts.slices, 5 + 1 + 3); /* executions, a window, blocks */
    assert_int_equal(counts.arrows, 1);
    assert_int_equal(counts.samples, 2 + 1); /* and at the end */
    assert_int_equal(counts.marks, 2);
    free(text);
    t->rulers[1].to_mark = "far";
    t->rulers[1].to = weir_ticks(INT64_MAX);
    struct weir_error error = {0};
    assert_int_equal(weir_timeline_write_trace(t, stdout, &error), WEIR_OVERFLOW);
    assert_non_null(strstr(error.message, "too long for a trace"));
    weir_timeline_free(t);
    weir_pipeline_free(p);
}

static double number_after(const char *svg, const char *mark, const char *key)
{
    const char *place = strstr(svg, mark);
    assert_non_null(place);
    place = strstr(place, key);
    assert_non_null(place);
    return strtod(place + strlen(key), NULL);
}

static char *draw_one(const struct weir_pipeline *p, int64_t from, int64_t to)
{
    struct weir_timeline *t;
    t = weir_timeline_new(p);
    assert_non_null(t);
    t->end = weir_ticks(100);
    weir_timeline_add_group(t, (struct weir_timeline_group){.name = ""});
    weir_timeline_add_lane(t, (struct weir_timeline_lane){.name = ""});
    add_span(t, WEIR_SPAN_LATEST, from, to);
    assert_int_equal(weir_timeline_end(t, WEIR_OK, &t, NULL), WEIR_OK);
    char *svg = draw(t);
    weir_timeline_free(t);
    return svg;
}

/* Half of the time is half as wide; what lies outside ends at the border. */
TEST(times_become_places)
{
    struct weir_pipeline *p = pipeline_of_tenths();
    char *svg = draw_one(p, 0, 100);
    double width = number_after(svg, "wt-within\"", "width=\""), left = number_after(svg, "wt-within\"", "x=\"");
    free(svg);
    svg = draw_one(p, 50, 100);
    assert_true(number_after(svg, "wt-within\"", "width=\"") > width / 2 - 0.2);
    assert_true(number_after(svg, "wt-within\"", "width=\"") < width / 2 + 0.2);
    assert_true(number_after(svg, "wt-within\"", "x=\"") > left + width / 2 - 0.2);
    free(svg);
    svg = draw_one(p, -1000, INT64_MAX);
    assert_true(number_after(svg, "wt-within\"", "width=\"") == width && number_after(svg, "wt-within\"", "x=\"") == left);
    free(svg);
    weir_pipeline_free(p);
}

/* Names are cut between characters; lanes beyond what a picture can hold are counted. */
TEST(much_is_cut)
{
    char name[100] = "";
    for (size_t i = 0; i < 30; i++)
        strcat(name, "\303\244");
    strcat(name, "beyond");
    struct weir_pipeline *p = pipeline_of_tenths();
    struct weir_timeline *t;
    t = weir_timeline_new(p);
    assert_non_null(t);
    weir_timeline_add_group(t, (struct weir_timeline_group){.name = "\001\377", .heading = true});
    weir_timeline_add_lane(t, (struct weir_timeline_lane){.name = name, .details = "-"});
    for (size_t i = 0; i < 500; i++)
        weir_timeline_add_lane(t, (struct weir_timeline_lane){.name = "lane"});
    assert_int_equal(weir_timeline_end(t, WEIR_OK, &t, NULL), WEIR_OK);
    char *svg = draw(t);
    assert_null(strstr(svg, "beyond"));
    assert_null(strchr(svg, '\377'));
    assert_int_equal(svg_count(svg, "\303\244"), 27);
    assert_non_null(strstr(svg, "\303\244\342\200\246</text>"));
    assert_non_null(strstr(svg, ">+101 others</text>"));
    free(svg);
    weir_timeline_free(t);
    weir_pipeline_free(p);
}

/* Executions too narrow to be told apart lie in one bar; of rows beyond the sixth, too. */
TEST(crowds_become_one_bar)
{
    struct weir_pipeline *p = pipeline_of_tenths();
    struct weir_timeline *t;
    t = weir_timeline_new(p);
    assert_non_null(t);
    t->end = weir_ticks(100000);
    weir_timeline_add_group(t, (struct weir_timeline_group){.name = ""});
    weir_timeline_add_lane(t, (struct weir_timeline_lane){.name = "narrow"});
    for (int64_t i = 0; i < 1000; i++)
        add_span(t, WEIR_SPAN_EXECUTION, 10 * i, 10 * i + 5);
    weir_timeline_add_lane(t, (struct weir_timeline_lane){.name = "many"});
    for (int64_t i = 0; i < 20; i++)
        add_span(t, WEIR_SPAN_EXECUTION, 1000 * i, 90000);
    weir_timeline_pack(t);
    assert_int_equal(weir_timeline_end(t, WEIR_OK, &t, NULL), WEIR_OK);
    assert_int_equal(t->lanes[1].rows, 20);
    char *svg = draw(t);
    assert_non_null(strstr(svg, "narrow, 1000 iterations between 0 and 999"));
    assert_non_null(strstr(svg, "many, 15 iterations between 1005 and 1019"));
    free(svg);
    weir_timeline_free(t);
    weir_pipeline_free(p);
}

/* Each engine shows what it can. */
TEST(answers_have_timelines)
{
    static const struct {
        const char *model, *lane;
        size_t lanes;
    } cases[] = {{"operators: {a: 1, b: [0, 5]}\nqueues: [a -> b]\n", "a", 2},
                 {"operators:\n  k: {on: p, time: 1}\nprocessors: {p: {}}\nsource: {operator: k, period: 9}\n", "source", 3},
                 {"kernels: {k: {load: 4}}\nplatform: {gpu: {sms: 2}}\n", "launches", 2}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct weir_pipeline *p = read_back(cases[i].model);
        struct weir_answer *answer;
        struct weir_timeline *t;
        struct weir_error error;
        assert_int_equal(weir_answer_find(p, NULL, &answer, NULL), WEIR_OK);
        assert_int_equal(weir_timeline_of_answer(answer, 0, &t, NULL), WEIR_OK);
        assert_string_equal(t->lanes[0].name, cases[i].lane);
        assert_int_equal(t->lane_count, cases[i].lanes);
        free(draw(t));
        free(written(t, weir_timeline_write_trace));
        weir_timeline_free(t);
        assert_int_equal(weir_timeline_of_answer(answer, 9, &t, &error), WEIR_INVALID);
        assert_null(t);
        weir_answer_free(answer);
        weir_pipeline_free(p);
    }
}

static enum weir_status make_and_write(void *context)
{
    struct weir_timeline *t;
    enum weir_status status = make(context, &t);
    if (status)
        return status;
    FILE *out = fopen("/dev/null", "w");
    if (!status)
        status = weir_timeline_write_svg(t, out, NULL);
    if (!status)
        status = weir_timeline_write_trace(t, out, NULL);
    fclose(out);
    weir_timeline_free(t);
    return status;
}

TEST(memory_and_disks_run_out)
{
    struct weir_pipeline *p = pipeline_of_tenths();
    assert_true(stage_fail_each_allocation(make_and_write, p) > 12);
    struct weir_timeline *t;
    assert_int_equal(make(p, &t), WEIR_OK);
    struct weir_error error = {0};
    FILE *full = fopen("/dev/full", "w");
    if (full) {
        setvbuf(full, NULL, _IONBF, 0);
        assert_int_equal(weir_timeline_write_svg(t, full, &error), WEIR_IO);
        assert_non_null(strstr(error.message, "cannot write the timeline"));
        clearerr(full);
        assert_int_equal(weir_timeline_write_trace(t, full, &error), WEIR_IO);
        assert_non_null(strstr(error.message, "cannot write the trace"));
        fclose(full);
    }
    weir_timeline_free(t);
    weir_pipeline_free(p);
}
