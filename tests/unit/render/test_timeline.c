/* SPDX-License-Identifier: Apache-2.0 */
#include "render/timeline/timeline.h"
#include "support/svg.h"

#include <stdlib.h>
#include <string.h>

static char *draw(const struct weir_timeline *timeline)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    assert_non_null(out);
    assert_int_equal(weir_timeline_write_svg(timeline, out, NULL), WEIR_OK);
    assert_int_equal(fclose(out), 0);
    svg_check_markup(text);
    return text;
}

static const struct weir_timeline_lane lanes[] = {{"first", "a note", 1}, {"second", NULL, 2}};
static const struct weir_timeline_row rows[] = {
    {"one", "5 ms", "one: from 0 to 5", 5}, {"two", NULL, NULL, 0}, {"three & <more>", "10", "three: \"quoted\"", 10}};
static const struct weir_timeline_item items[] = {
    {0, WEIR_TIMELINE_SPAN, 0, 0, 5},  {0, WEIR_TIMELINE_BLOCK, 0, 3, 5}, {0, WEIR_TIMELINE_TICK, 0, 2, 0},
    {1, WEIR_TIMELINE_ARROW, 1, 0, 0}, {1, WEIR_TIMELINE_SPAN, 1, 0, 2},  {2, WEIR_TIMELINE_RULER, 2, 0, 10},
    {2, WEIR_TIMELINE_LIMIT, 2, 8, 0}, {2, WEIR_TIMELINE_GHOST, 2, 4, 6}, {2, WEIR_TIMELINE_OUTLINE, 2, 0, 1},
};
static const struct weir_timeline_legend legend[] = {{WEIR_TIMELINE_SPAN, "a span"}, {WEIR_TIMELINE_GHOST, "a ghost"}};
static const struct weir_timeline all = {.title = "Title <1>",
                                         .subtitle = "subtitle",
                                         .axis = "time (ms)",
                                         .end = 10,
                                         .grid = 4,
                                         .lanes = lanes,
                                         .lane_count = 2,
                                         .rows = rows,
                                         .row_count = 3,
                                         .items = items,
                                         .item_count = sizeof items / sizeof *items,
                                         .legend = legend,
                                         .legend_count = 2};

static void everything_is_there_once(void **state)
{
    (void)state;
    char *svg = draw(&all);
    static const char *const words[] = {"<title id=\"wt-title\">Title &lt;1&gt;</title>",
                                        ">a note<",
                                        ">second<",
                                        ">5 ms<",
                                        "<title>one: from 0 to 5</title>",
                                        ">a span<",
                                        ">time (ms)<",
                                        ">subtitle<",
                                        "three &amp; &lt;more&gt;",
                                        "three: &quot;quoted&quot;."};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strstr(svg, words[i]))
            fail_msg("%s is not in\n%s", words[i], svg);
    /* Three of them in rows or lanes, one in the legend. */
    assert_int_equal(svg_count(svg, "wt-span\""), 3);
    assert_int_equal(svg_count(svg, "wt-ghost\""), 2);
    assert_int_equal(svg_count(svg, "wt-block\""), 1);
    assert_int_equal(svg_count(svg, "wt-limit\""), 1);
    /* 0, 4, 8. */
    assert_int_equal(svg_count(svg, "class=\"wt-grid\""), 3);
    free(svg);
}

static double number_after(const char *svg, const char *mark, const char *key)
{
    const char *place = strstr(svg, mark);
    assert_non_null(place);
    place = strstr(place, key);
    assert_non_null(place);
    return strtod(place + strlen(key), NULL);
}

/* A span of 5 of the 10 units of the axis is half as wide as it; what lies outside ends at its border. */
static void times_become_places(void **state)
{
    (void)state;
    struct weir_timeline_item one = {0, WEIR_TIMELINE_SPAN, 0, 0, 10};
    struct weir_timeline t = all;
    t.items = &one;
    t.item_count = 1;
    t.legend_count = 0;
    char *svg = draw(&t);
    double width = number_after(svg, "wt-span\"", "width=\""), left = number_after(svg, "wt-span\"", "x=\"");
    free(svg);
    one.from = 5;
    svg = draw(&t);
    assert_true(number_after(svg, "wt-span\"", "width=\"") > width / 2 - 0.2);
    assert_true(number_after(svg, "wt-span\"", "width=\"") < width / 2 + 0.2);
    assert_true(number_after(svg, "wt-span\"", "x=\"") > left + width / 2 - 0.2);
    free(svg);
    one.from = -100;
    one.to = 1e30;
    svg = draw(&t);
    assert_true(number_after(svg, "wt-span\"", "width=\"") == width && number_after(svg, "wt-span\"", "x=\"") == left);
    free(svg);
}

static void long_names_are_cut_between_characters(void **state)
{
    (void)state;
    static const struct weir_timeline_row row = {"\303\244\303\244\303\244\303\244\303\244\303\244\303\244\303\244\303\244\303\244"
                                                 "\303\244\303\244\303\244\303\244\303\244\303\244\303\244\303\244\303\244\303\244"
                                                 "\303\244\303\244\303\244\303\244\303\244\303\244\303\244\303\244\303\244\303\244"
                                                 "beyond",
                                                 NULL, NULL, 0};
    static const struct weir_timeline_lane lane = {"\001\377", NULL, 1};
    struct weir_timeline t = {.title = "", .axis = "", .end = 1, .lanes = &lane, .lane_count = 1, .rows = &row, .row_count = 1};
    char *svg = draw(&t);
    assert_null(strstr(svg, "beyond"));
    assert_null(strchr(svg, '\377'));
    assert_int_equal(svg_count(svg, "\303\244"), 29);
    assert_non_null(strstr(svg, "\303\244\342\200\246</text>"));
    free(svg);
}

static void nothing_can_be_drawn(void **state)
{
    (void)state;
    struct weir_timeline t = {.title = "empty", .axis = "time"};
    free(draw(&t));
    t.grid = 1e-9; /* too many lines are none */
    t.end = 10;
    char *svg = draw(&t);
    assert_int_equal(svg_count(svg, "class=\"wt-grid\""), 0);
    free(svg);
}

static void same_bytes_and_a_full_disk(void **state)
{
    (void)state;
    char *first = draw(&all), *second = draw(&all);
    assert_string_equal(first, second);
    free(first);
    free(second);
    struct weir_error error = {0};
    FILE *full = fopen("/dev/full", "w");
    if (!full)
        skip();
    setvbuf(full, NULL, _IONBF, 0);
    assert_int_equal(weir_timeline_write_svg(&all, full, &error), WEIR_IO);
    assert_non_null(strstr(error.message, "cannot write the timeline"));
    fclose(full);
}

int timeline_group(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything_is_there_once),
        cmocka_unit_test(times_become_places),
        cmocka_unit_test(long_names_are_cut_between_characters),
        cmocka_unit_test(nothing_can_be_drawn),
        cmocka_unit_test(same_bytes_and_a_full_disk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
