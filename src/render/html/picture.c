/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pictures in a page. A picture is written for a file of its own, where its ids are the only ones; a page has several, so each
 * gets a prefix. Only attributes that hold an id or refer to one are touched: names of operators stand in others.
 */
#include "base/error.h"
#include "render/html/page.h"
#include "render/plot/plot.h"
#include "render/timeline/timeline.h"

#include <stdlib.h>
#include <string.h>

/* ---- ids ---- */

struct prefixing {
    FILE *out;
    char prefix[32];
};

static bool is_name(const char *name, size_t length, const char *expected)
{
    return strlen(expected) == length && memcmp(name, expected, length) == 0;
}

/* The value of an attribute, up to `end`. */
static void put_value(struct prefixing *p, const char *name, size_t length, const char *value, const char *end)
{
    bool id = is_name(name, length, "id"), list = is_name(name, length, "aria-labelledby");
    bool style = is_name(name, length, "style") || is_name(name, length, "fill");
    bool begins = id || list;
    for (; value < end; value++) {
        if (begins && *value != ' ') {
            fputs(p->prefix, p->out);
            begins = false;
        }
        begins |= list && *value == ' ';
        fputc(*value, p->out);
        if (style && *value == '#' && end - value > 1 && value[-1] == '(')
            fputs(p->prefix, p->out);
    }
}

/* From < to >; returns what follows. Values stand in double quotes, and hold no others. */
static const char *put_tag(struct prefixing *p, const char *text)
{
    while (*text && *text != '>') {
        const char *name = text, *open = strpbrk(text, "\">");
        if (!open || *open == '>')
            break;
        const char *close = strchr(open + 1, '"');
        if (!close)
            break;
        for (const char *c = text; c < open; c++)
            name = *c == ' ' || *c == '\n' ? c + 1 : name;
        fwrite(text, 1, (size_t)(open + 1 - text), p->out);
        put_value(p, name, (size_t)(open - name) - (open > name), open + 1, close);
        fputc('"', p->out);
        text = close + 1;
    }
    const char *end = strchr(text, '>');
    end = end ? end + 1 : text + strlen(text);
    fwrite(text, 1, (size_t)(end - text), p->out);
    return end;
}

static void put_prefixed(struct prefixing *p, const char *text)
{
    while (*text) {
        const char *tag = strchr(text, '<');
        size_t plain = tag ? (size_t)(tag - text) : strlen(text);
        fwrite(text, 1, plain, p->out);
        text += plain;
        if (tag)
            text = put_tag(p, text);
    }
}

/* ---- frames ---- */

static void put_frame(struct weir_page *page, const struct weir_picture *picture, const char *prefix)
{
    weir_svg_put(page->out, "<figure class=\"wide $\" data-pair=\"%\" data-prefix=\"$\">\n", picture->kind,
                 (unsigned)picture->index, prefix);
    weir_svg_put(page->out,
                 "<div class=\"tools\" role=\"group\" aria-label=\"Size of the picture\"><button type=\"button\" data-zoom=\"in\" "
                 "title=\"larger\" aria-label=\"larger\">+</button><button type=\"button\" data-zoom=\"out\" title=\"smaller\" "
                 "aria-label=\"smaller\">-</button><button type=\"button\" data-zoom=\"all\">whole</button></div>\n"
                 "<div class=\"stage\" tabindex=\"0\" role=\"group\" aria-label=\"$. Zoom with + and -, move with the arrow keys, "
                 "go from part to part with n and p\">\n",
                 picture->label);
}

enum weir_status weir_page_picture(struct weir_page *page, const struct weir_picture *picture)
{
    char *text = NULL;
    size_t bytes = 0;
    struct weir_error refused = {0};
    struct prefixing prefixing = {.out = page->out};
    FILE *out = open_memstream(&text, &bytes);
    if (!out)
        return weir_fail_memory(page->error);
    enum weir_status status = picture->write(picture, out, &refused);
    if (fclose(out) && !status)
        status = weir_fail_memory(&refused);
    if (!status || status == WEIR_INVALID || status == WEIR_OVERFLOW) {
        snprintf(prefixing.prefix, sizeof prefixing.prefix, "p%u-", ++page->pictures);
        if (picture->label)
            put_frame(page, picture, prefixing.prefix);
        if (status) /* its trouble need not be the page's */
            weir_svg_put(page->out, "<p>There is no picture here: $.</p>\n", refused.message);
        else
            put_prefixed(&prefixing, text);
        if (picture->label)
            fputs("</div>\n<p class=\"tip\" role=\"status\" aria-live=\"polite\"></p>\n</figure>\n", page->out);
        status = WEIR_OK;
    } else {
        weir_fail(page->error, status, "%s", refused.message);
    }
    free(text);
    return status;
}

/* ---- timelines ---- */

/* No text can end the element that it stands in: "<" is in strings alone. */
static void put_data(FILE *out, const char *text)
{
    fputs("<script type=\"application/json\" class=\"timeline-data\">\n", out);
    for (; *text; text++)
        if (*text == '<')
            fputs("\\u003c", out);
        else
            fputc(*text, out);
    fputs("</script>\n", out);
}

/* The timeline as text in memory, the caller's to free. */
static enum weir_status write_timeline(const struct weir_timeline *t, weir_timeline_writer *write, char **text,
                                       struct weir_error *error)
{
    size_t bytes = 0;
    FILE *out = open_memstream(text, &bytes);
    if (!out)
        return weir_fail_memory(error);
    enum weir_status status = write(t, out, error);
    return fclose(out) && !status ? weir_fail_memory(error) : status;
}

/* Scripts draw it, from data; where there are none, there is a picture, unless it is large. */
#define STILL_MAX 400000
enum weir_status weir_page_timeline(struct weir_page *page, const struct weir_answer *answer, size_t bound, bool hidden)
{
    struct weir_error refused = {0};
    struct weir_timeline *t = NULL;
    char *svg = NULL, *json = NULL;
    struct prefixing prefixing = {.out = page->out};
    enum weir_status status = weir_timeline_of_answer(answer, bound, &t, &refused);
    if (!status)
        status = write_timeline(t, weir_timeline_write_svg, &svg, &refused);
    if (!status)
        status = write_timeline(t, weir_timeline_write_json, &json, &refused);
    bool told = status == WEIR_INVALID || status == WEIR_OVERFLOW; /* its trouble need not be the page's */
    if (status && !told) {
        weir_fail(page->error, status, "%s", refused.message);
    } else {
        snprintf(prefixing.prefix, sizeof prefixing.prefix, "p%u-", ++page->pictures);
        weir_svg_put(
            page->out,
            "<figure class=\"wide timeline\" data-pair=\"%\" data-prefix=\"$\"$>\n<div class=\"tools\" role=\"group\" "
            "aria-label=\"What the timeline shows\"></div>\n<div class=\"stage\" tabindex=\"0\" role=\"group\" "
            "aria-label=\"Timeline. Left and right walk along the critical path, + and - zoom, 0 shows all, n and p go from "
            "part to part\">\n",
            (unsigned)bound, prefixing.prefix, hidden ? " hidden" : "");
        fputs(told ? "" : "<noscript>\n", page->out);
        if (told)
            weir_svg_put(page->out, "<p>There is no picture here: $.</p>\n", refused.message);
        else if (strlen(svg) <= STILL_MAX)
            put_prefixed(&prefixing, svg);
        else
            fputs("<p>The timeline is drawn by a script; without it, it is too large for a page: <code>weir analyze --gantt</code> "
                  "writes it.</p>\n",
                  page->out);
        fputs(told ? "</div>\n" : "</noscript>\n</div>\n", page->out);
        fputs("<p class=\"tip\" role=\"status\" aria-live=\"polite\"></p>\n", page->out);
        if (!told)
            put_data(page->out, json);
        fputs("</figure>\n", page->out);
        status = WEIR_OK;
    }
    weir_timeline_free(t);
    free(svg);
    free(json);
    return status;
}

/* ---- drawings ---- */

struct drawn {
    const struct weir_pipeline *pipeline;
    const struct weir_answer *answer;
};

static enum weir_status write_drawing(const struct weir_picture *picture, FILE *out, struct weir_error *error)
{
    const struct drawn *drawn = picture->subject;
    return weir_pipeline_write_drawing(drawn->pipeline, drawn->answer, picture->index, out, error);
}

enum weir_status weir_page_drawing(struct weir_page *page, const struct weir_answer *answer, size_t bound)
{
    const char *why;
    fputs("<h3>The pipeline</h3>\n", page->out);
    if (!weir_drawing_available(&why)) {
        weir_svg_put(page->out, "<p>The drawing is left out: $.</p>\n", why);
        return WEIR_OK;
    }
    struct drawn drawn = {page->model->pipeline, answer};
    return weir_page_picture(
        page,
        &(struct weir_picture){
            .subject = &drawn, .index = bound, .label = "Drawing of the pipeline", .kind = "drawing", .write = write_drawing});
}
