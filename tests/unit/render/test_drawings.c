/* SPDX-License-Identifier: Apache-2.0 */
/* Models of every platform as drawings, and what pictures are as XML. */
#include "support/stage.h"
#include "support/svg.h"

#include <expat.h>
#include <stdio.h>
#include <stdlib.h>

static char *draw(const struct weir_pipeline *p, const struct weir_answer *a)
{
    char *text;
    STAGE_WRITTEN(text, weir_pipeline_write_drawing(p, a, 0, out, NULL));
    return text;
}

static void check_xml(const char *text)
{
    XML_Parser parser = XML_ParserCreate(NULL);
    if (XML_Parse(parser, text, (int)strlen(text), 1) != XML_STATUS_OK)
        fail_msg("line %lu: %s", (unsigned long)XML_GetCurrentLineNumber(parser), XML_ErrorString(XML_GetErrorCode(parser)));
    XML_ParserFree(parser);
}

static void need_graphviz(void)
{
    const char *why;
    if (weir_drawing_available(&why))
        return;
    print_message("skipped: %s\n", why);
    skip();
}

/* ---- boxes ---- */

struct box {
    double x, y, width, height;
};

static double number_after(const char *text, const char *key)
{
    const char *found = strstr(text, key);
    assert_non_null(found);
    return strtod(found + strlen(key), NULL);
}

/* Boxes lie in the picture and apart from each other. */
static void check_boxes(const char *svg, uint32_t expected)
{
    struct box *boxes = calloc((size_t)expected + 1, sizeof *boxes);
    double width = number_after(svg, "viewBox=\"0 0 "), height = number_after(svg, "\" height=\"");
    uint32_t count = 0;
    for (const char *at = svg; (at = strstr(at, "<rect class=\"wd-box")); at++, count++) {
        struct box b = {number_after(at, " x=\""), number_after(at, " y=\""), number_after(at, " width=\""),
                        number_after(at, " height=\"")};
        assert_true(count < expected);
        assert_true(b.x >= 0 && b.y >= 40 && b.x + b.width <= width && b.y + b.height <= height);
        for (uint32_t i = 0; i < count; i++)
            assert_true(b.x >= boxes[i].x + boxes[i].width || boxes[i].x >= b.x + b.width || b.y >= boxes[i].y + boxes[i].height ||
                        boxes[i].y >= b.y + b.height);
        boxes[count] = b;
    }
    assert_int_equal(count, expected);
    free(boxes);
}

static void check_drawing(const struct weir_pipeline *p, const struct weir_answer *a)
{
    char *text = draw(p, a), *again = draw(p, a);
    assert_string_equal(text, again);
    check_xml(text);
    check_boxes(text, weir_pipeline_operator_count(p));
    assert_int_equal(svg_count(text, "class=\"wd-queue\""), weir_pipeline_queue_count(p));
    assert_int_equal(svg_count(text, "<path class=\"wd-line"), weir_pipeline_queue_count(p));
    assert_int_equal(svg_count(text, "<path class=\"wd-head"), weir_pipeline_queue_count(p));
    free(text);
    free(again);
}

/* ---- models ---- */

static struct weir_pipeline *read_model(const char *name)
{
    char path[400];
    struct weir_pipeline *p;
    struct weir_errors *errors = weir_errors_new();
    snprintf(path, sizeof path, WEIR_SOURCE_DIR "/%s", name);
    assert_int_equal(weir_read_file(path, NULL, &p, errors), WEIR_OK);
    weir_errors_free(errors);
    return p;
}

TEST(every_platform)
{
    static const char *const names[] = {
        "examples/camera.yaml",
        "examples/published/multi-ai-ultrasound.yaml",
        "examples/feedback-loop.yaml",
        "examples/wlan-decoder.yaml",
        "examples/sdr-flowgraph.yaml",
        "tests/cases/queues/self-queue.yaml",
        "tests/cases/threads/one-operator.yaml",
        "tests/cases/queues/parallel-queues.yaml",
        "tests/cases/queues/nonblocking-backlog.yaml",
        "tests/cases/threads/names.yaml",
        "tests/cases/kernels/overtaken.yaml",
        "tests/cases/kernels/table.yaml",
        "tests/cases/shared/tdm.yaml",
        "tests/cases/cores/graph-2.yaml",
        "tests/cases/queues/broadcast.yaml",
        "tests/cases/cores/initial.yaml",
        "tests/cases/queues/unbounded-queue.yaml",
        "tests/cases/shared/round-robin.yaml",
    };
    need_graphviz();
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct weir_pipeline *p = read_model(names[i]);
        struct weir_answer *a = NULL;
        if (weir_pipeline_platform(p) == WEIR_PLATFORM_THREADS)
            assert_int_equal(weir_answer_find(p, NULL, &a, NULL), WEIR_OK);
        check_drawing(p, NULL);
        check_drawing(p, a);
        weir_answer_free(a);
        weir_pipeline_free(p);
    }
}

/* Of parallel queues the one that is waited for is marked, by its initial messages. */
TEST(the_queue_that_counts)
{
    need_graphviz();
    struct weir_pipeline *p = weir_pipeline_new(NULL);
    struct weir_operator a = stage_operator(p, "a", 2, 2), b = stage_operator(p, "b", 0, 9);
    stage_queue(p, a, b, 4, 3);
    stage_queue(p, a, b, 1, 0);
    stage_seal(p);
    struct weir_answer *analysis;
    assert_int_equal(weir_answer_find(p, NULL, &analysis, NULL), WEIR_OK);
    char *text = draw(p, analysis);
    const char *first = strstr(text, "data-queue=\"0\""), *second = strstr(text, "data-queue=\"1\"");
    assert_non_null(first);
    assert_non_null(second);
    assert_int_equal(strncmp(strstr(first, "wd-line"), "wd-line\"", 8), 0);
    assert_int_equal(strncmp(strstr(second, "wd-line"), "wd-line wd-way", 14), 0);
    assert_non_null(strstr(text, ">4*<"));
    assert_non_null(strstr(text, "* with messages at the beginning"));
    free(text);
    weir_answer_free(analysis);
    weir_pipeline_free(p);
}

/* ---- large ones ---- */

static struct weir_pipeline *generate(uint32_t nodes, uint32_t density_permille)
{
    struct weir_generate_options options = {.nodes = nodes, .seed = 1, .density_permille = density_permille, .queue = 2};
    struct weir_pipeline *p;
    assert_int_equal(weir_generate_holoscan(&options, &p, NULL), WEIR_OK);
    return p;
}

TEST(large_ones)
{
    static const struct {
        uint32_t nodes, density;
    } sizes[] = {{60, 50}, {60, 200}, {40, 1000}};
    need_graphviz();
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct weir_pipeline *p = generate(sizes[i].nodes, sizes[i].density);
        char *text = draw(p, NULL);
        check_xml(text);
        check_boxes(text, sizes[i].nodes);
        bool crowded = strstr(text, "lines without have 2"); /* what all have is said once */
        assert_int_equal(crowded, i > 0);
        assert_int_equal(svg_count(text, "wd-capacity"), weir_pipeline_queue_count(p));
        assert_int_equal(svg_count(text, "wd-capacity wd-common"), crowded ? weir_pipeline_queue_count(p) : 0); /* not shown */
        free(text);
        weir_pipeline_free(p);
    }
}

/* More than can be drawn one by one: in groups, none of which is lost. */
TEST(overviews)
{
    static const struct {
        uint32_t nodes, density;
    } sizes[] = {{300, 10}, {150, 1000}, {2000, 1}};
    need_graphviz();
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct weir_pipeline *p = generate(sizes[i].nodes, sizes[i].density);
        struct weir_answer *a;
        assert_int_equal(weir_answer_find(p, NULL, &a, NULL), WEIR_OK);
        for (int with = 0; with < 2; with++) {
            char *text = draw(p, with ? a : NULL), words[64];
            uint32_t boxes = (uint32_t)svg_count(text, "<rect class=\"wd-box"), told = 0;
            check_xml(text);
            assert_true(boxes > 1 && boxes <= 26);
            check_boxes(text, boxes);
            snprintf(words, sizeof words, "%u operators and %u queues", sizes[i].nodes, weir_pipeline_queue_count(p));
            assert_non_null(strstr(text, words));
            for (const char *at = text; (at = strstr(at, "wd-text wd-name")); at++) { /* "+47 operators", "3 on the path", a name */
                const char *name = strchr(at, '>') + 1;
                unsigned long count = strtoul(name + (*name == '+'), NULL, 10);
                told += count ? (uint32_t)count : 1;
            }
            assert_int_equal(told, sizes[i].nodes);
            assert_int_equal(strstr(text, "wd-critical\"") != NULL, with);
            assert_true(strlen(text) < 300000);
            free(text);
        }
        weir_answer_free(a);
        weir_pipeline_free(p);
    }
}

/* ---- names ---- */

TEST(strange_names)
{
    static const char *const names[] = {"a <b> & \"c\" 'd'",
                                        "\303\244\303\266\303\274 \347\224\273\345\203\217\345\207\246\347\220\206",
                                        "]]> --> <!-- <svg/onload=x>", "%s @ $ %d"};
    char long_name[201] = {0};
    struct weir_pipeline *p = weir_pipeline_new(NULL);
    memset(long_name, 'W', 200);
    struct weir_operator last = stage_operator(p, long_name, 1, 2);
    for (size_t i = 0; i < 4; i++) {
        struct weir_operator next = stage_operator(p, names[i], 0, 3);
        stage_queue(p, last, next, 1, 0);
        last = next;
    }
    assert_int_equal(weir_pipeline_set_name(p, long_name, NULL), WEIR_OK);
    stage_seal(p);
    struct weir_answer *a;
    assert_int_equal(weir_answer_find(p, NULL, &a, NULL), WEIR_OK);
    char *text;
    STAGE_WRITTEN(text, weir_answer_write_svg(a, 0, out, NULL));
    check_xml(text);
    assert_null(strstr(text, "<svg/onload"));
    free(text);
    if (weir_drawing_available(NULL))
        check_drawing(p, a);
    weir_answer_free(a);
    weir_pipeline_free(p);
}

/* ---- memory ---- */

static enum weir_status run(void *context)
{
    const struct weir_answer *a = context;
    FILE *out = fopen("/dev/null", "w");
    assert_non_null(out);
    enum weir_status status = weir_pipeline_write_drawing(weir_answer_pipeline(a), a, 0, out, NULL);
    fclose(out);
    return status;
}

/* Graphviz takes its memory elsewhere; what is ours may fail. */
TEST(memory)
{
    need_graphviz();
    struct weir_pipeline *p = stage_chain(4, (const int64_t[]){1, 2, 3, 4}, 1);
    struct weir_answer *a;
    assert_int_equal(weir_answer_find(p, NULL, &a, NULL), WEIR_OK);
    assert_true(stage_fail_each_allocation(run, a) >= 7);
    weir_answer_free(a);
    weir_pipeline_free(p);
}
