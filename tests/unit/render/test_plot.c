/* SPDX-License-Identifier: Apache-2.0 */
#include "render/plot/plot.h"
#include "support/runner.h"
#include "support/stage.h"
#include "support/svg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static char *draw(const struct weir_plot *plot)
{
    char *text;
    STAGE_WRITTEN(text, weir_plot_write_svg(plot, out, NULL));
    return text;
}

static const struct weir_plot_point rising[] = {{1, 1e-6, 0, 0, false}, {10, 1e-4, 1e-5, 1e-3, false}, {20, 2, 0, 0, true}};
static const struct weir_plot_point flat[] = {{1, 2e-6, 0, 0, false}, {20, 2e-6, 0, 0, false}};
static const struct weir_plot_series two[] = {{"one", rising, 3, 0, false}, {"two", flat, 2, 1, true}};
static const struct weir_plot lines = {.kind = WEIR_PLOT_LINES,
                                       .title = "Runtime",
                                       .x = {"operators", false, WEIR_PLOT_NUMBERS},
                                       .y = {"time", true, WEIR_PLOT_SECONDS},
                                       .series = two,
                                       .series_count = 2};

TEST(lines_have_markers_and_words)
{
    char *svg = draw(&lines);
    svg_check_markup(svg);
    assert_non_null(strstr(svg, "<title>Runtime</title>"));
    for (size_t i = 0; i < 8; i++) {
        static const char *const words[] = {">1 us<", ">10 us<", ">100 us<", ">1 ms<", ">10 s<", ">operators<", ">time<", ">20<"};
        if (!strstr(svg, words[i]))
            fail_msg("%s is missing", words[i]);
    }
    assert_int_equal(svg_count(svg, "translate("), 1 + 5 + 2); /* the label of y, the points, the legend */
    assert_int_equal(svg_count(svg, "wp-hollow\" transform"), 3);
    assert_int_equal(svg_count(svg, "stroke-opacity"), 1); /* the spread */
    assert_int_equal(svg_count(svg, "v-13"), 1);           /* beyond */
    assert_non_null(strstr(svg, "prefers-color-scheme:dark"));
    char *again = draw(&lines);
    assert_string_equal(svg, again);
    free(svg);
    free(again);
}

TEST(bars_have_hatchings_and_wrapped_names)
{
    static const char *const groups[] = {"Endoscopy Depth Estimation with CLAHE", "B", "", "D", "E", "F", "G", "H"};
    static const struct weir_plot_point a[] = {{0, 3, 0, 0, false}, {1, 30, 0, 0, true}}, b[] = {{1, 7, 0, 0, false}};
    static const struct weir_plot_series series[] = {{"exact", a, 2, 0, false}, {"tgdfs", b, 1, 2, false}};
    struct weir_plot plot = {.kind = WEIR_PLOT_BARS,
                             .groups = groups,
                             .group_count = 8,
                             .y = {"expressions", true, WEIR_PLOT_NUMBERS},
                             .series = series,
                             .series_count = 2};
    char *svg = draw(&plot);
    svg_check_markup(svg);
    assert_int_equal(svg_count(svg, "fill:url(#wp-hatch-0)"), 3);
    assert_int_equal(svg_count(svg, "fill:url(#wp-hatch-2)"), 2);
    assert_null(strstr(svg, "Endoscopy Depth Estimation with CLAHE"));
    assert_non_null(strstr(svg, ">Endoscopy<"));
    assert_non_null(strstr(svg, ">with CLAHE<"));
    free(svg);
}

TEST(text_is_escaped)
{
    struct weir_plot_series series[] = {{"a<b>&\"c\"", rising, 3, 0, false}, {"bad \xff\x01 \303\274", flat, 2, 99, false}};
    struct weir_plot plot = lines;
    plot.series = series;
    plot.title = "</title><script>";
    plot.subtitle = "@ $ % #";
    plot.note = "\xc3";
    char *svg = draw(&plot);
    svg_check_markup(svg);
    assert_non_null(strstr(svg, "a&lt;b&gt;&amp;&quot;c&quot;"));
    assert_non_null(strstr(svg, "bad \357\277\275\357\277\275 \303\274"));
    assert_non_null(strstr(svg, "@ $ % #"));
    assert_null(strstr(svg, "<script"));
    free(svg);
}

TEST(what_cannot_be_drawn_is_left_out)
{
    static const struct weir_plot_point odd[] = {{1, NAN, 0, 0, false},   {2, INFINITY, 0, 0, false}, {3, 0, 0, 0, false},
                                                 {4, -1, 0, 0, false},    {NAN, 1, 0, 0, false},      {5, 1, 0, 9, false},
                                                 {6, 1e300, 1, NAN, true}};
    struct weir_plot_series series = {"odd", odd, 7, 3, false};
    struct weir_plot plot = lines;
    plot.series = &series;
    plot.series_count = 1;
    char *svg = draw(&plot);
    svg_check_markup(svg);
    assert_int_equal(svg_count(svg, "translate("), 1 + 2); /* no legend for one */
    assert_null(strstr(svg, "nan"));
    assert_null(strstr(svg, "inf"));
    free(svg);
    plot.y.logarithmic = false; /* now 0 and -1 as well */
    svg = draw(&plot);
    svg_check_markup(svg);
    assert_int_equal(svg_count(svg, "translate("), 1 + 4);
    free(svg);
    plot.series_count = 0;
    svg = draw(&plot);
    svg_check_markup(svg);
    free(svg);
    plot.kind = WEIR_PLOT_BARS;
    svg = draw(&plot);
    svg_check_markup(svg);
    free(svg);
}

/* The words at the ticks, in one line. */
static const char *ticks_of(struct weir_axis *axis, double smallest, double largest, bool from_zero)
{
    static char line[1024];
    struct weir_tick ticks[WEIR_TICKS_MAX];
    weir_axis_fit(axis, smallest, largest, from_zero);
    size_t count = weir_axis_ticks(axis, ticks), used = 0;
    line[0] = 0;
    for (size_t i = 0; i < count; i++) {
        assert_true(i == 0 || ticks[i].value > ticks[i - 1].value);
        if (ticks[i].text[0])
            used += (size_t)snprintf(line + used, sizeof line - used, "%s%s", used ? " " : "", ticks[i].text);
    }
    double slack = 1e-9 * (fabs(smallest) + fabs(largest));
    slack = axis->spec.logarithmic ? smallest * 1e-9 : slack;
    assert_true(axis->low <= smallest + slack && axis->high >= largest * (1 - 1e-9) - slack && axis->low < axis->high);
    return line;
}

TEST(ticks_are_round)
{
    struct weir_axis linear = {.spec = {NULL, false, WEIR_PLOT_NUMBERS}}, log = {.spec = {NULL, true, WEIR_PLOT_NUMBERS}};
    assert_string_equal(ticks_of(&linear, 1, 40, false), "0 5 10 15 20 25 30 35 40");
    assert_string_equal(ticks_of(&linear, 3, 17.9, true), "0 2 4 6 8 10 12 14 16 18");
    assert_string_equal(ticks_of(&linear, -0.3, 0.3, true), "-0.3 -0.2 -0.1 0 0.1 0.2 0.3");
    assert_string_equal(ticks_of(&linear, 0, 1e7, true), "0 2,000,000 4,000,000 6,000,000 8,000,000 10,000,000");
    assert_string_equal(ticks_of(&linear, 5, 5, false), "5 5.2 5.4 5.6 5.8 6");
    assert_string_equal(ticks_of(&log, 5, 10000, false), "10 100 1,000 10,000");
    assert_string_equal(ticks_of(&log, 5, 10000, true), "1 10 100 1,000 10,000");
    assert_string_equal(ticks_of(&log, 3, 30, false), "2 5 10 20 50");
    assert_string_equal(ticks_of(&log, 7, 7, true), "1 2 5 10");
    assert_string_equal(ticks_of(&log, 10, 10, false), "10 20");
    log.spec.values = WEIR_PLOT_SECONDS;
    assert_string_equal(ticks_of(&log, 4e-8, 3, true), "10 ns 100 ns 1 us 10 us 100 us 1 ms 10 ms 100 ms 1 s 10 s");
    linear.spec.values = WEIR_PLOT_SECONDS;
    assert_string_equal(ticks_of(&linear, 0, 0.006, true), "0 s 1 ms 2 ms 3 ms 4 ms 5 ms 6 ms");
    for (int wide = 1; wide < 300; wide += 7) { /* never without ticks, never too many */
        log.spec.values = WEIR_PLOT_NUMBERS;
        double largest = pow(10, wide);
        const char *words = ticks_of(&log, 1 / largest, largest, true);
        assert_true(svg_count(words, " ") >= 2 && svg_count(words, " ") < 20);
    }
}

TEST(places)
{
    struct weir_axis axis = {.spec = {NULL, true, WEIR_PLOT_NUMBERS}, .low = 1, .high = 10000, .from = 400, .to = 0};
    for (int i = 0; i <= 80; i++) {
        double value = pow(10, i / 20.0), expected = 400 - i * 5;
        assert_true(fabs(weir_axis_place(&axis, value) - expected) < 1e-6);
    }
    axis.spec.logarithmic = false;
    axis.low = -10;
    axis.high = 30;
    assert_true(fabs(weir_axis_place(&axis, 0) - 300) < 1e-9);
}

TEST(a_full_disk)
{
    FILE *full = fopen("/dev/full", "w");
    if (!full)
        skip();
    setvbuf(full, NULL, _IONBF, 0);
    struct weir_error error = {.status = WEIR_OK};
    assert_int_equal(weir_plot_write_svg(&lines, full, &error), WEIR_IO);
    assert_int_equal(error.status, WEIR_IO);
    fclose(full);
}
