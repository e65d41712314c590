/* SPDX-License-Identifier: Apache-2.0 */
/* One page about some models: the frame, and what all kinds of models have in common. */
#include "base/error.h"
#include "base/number.h"
#include "page/assets.h"
#include "page/live_model.h"
#include "page/page.h"
#include "write/plot.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- words ---- */

const char *weir_page_time(const struct weir_page *page, int64_t ticks, char text[WEIR_PAGE_TIME])
{
    const struct weir_pipeline *p = page->model->pipeline;
    char number[WEIR_TIME_TEXT];
    weir_time_format(p, ticks, number);
    if (weir_pipeline_unit(p) == WEIR_UNIT_TICK)
        snprintf(text, WEIR_PAGE_TIME, "%s", number);
    else
        snprintf(text, WEIR_PAGE_TIME, "%s %s", number, weir_unit_name(weir_pipeline_unit(p)));
    return text;
}

const char *weir_page_ratio(const struct weir_page *page, struct weir_ratio ratio, char text[WEIR_PAGE_TIME + 8])
{
    char time[WEIR_PAGE_TIME], number[WEIR_TIME_TEXT];
    const struct weir_pipeline *p = page->model->pipeline;
    if (ratio.denominator == 0)
        return "?";
    if (ratio.numerator % ratio.denominator == 0) {
        snprintf(text, WEIR_PAGE_TIME + 8, "%s", weir_page_time(page, ratio.numerator / ratio.denominator, time));
        return text;
    }
    /* Three digits more than the ticks have. */
    weir_wide fine = ((weir_wide)ratio.numerator * 1000 + ratio.denominator - 1) / ratio.denominator;
    unsigned digits = weir_pipeline_digits(p) + 3;
    if (fine > INT64_MAX) {
        fine = ratio.numerator / ratio.denominator + 1;
        digits -= 3;
    }
    weir_decimal_format((int64_t)fine, digits, number);
    enum weir_unit unit = weir_pipeline_unit(p);
    bool exact = fine * ratio.denominator == (weir_wide)ratio.numerator * 1000;
    snprintf(text, WEIR_PAGE_TIME + 8, "%s%s%s%s", exact ? "" : "about ", number, unit == WEIR_UNIT_TICK ? "" : " ",
             unit == WEIR_UNIT_TICK ? "" : weir_unit_name(unit));
    return text;
}

const char *weir_page_name(const struct weir_page *page, struct weir_operator op)
{
    return weir_pipeline_operator(page->model->pipeline, op).name;
}

const char *weir_page_title(const struct weir_report_model *model)
{
    const char *name = weir_pipeline_name(model->pipeline);
    return *name ? name : model->path ? model->path : "Pipeline";
}

void weir_page_verdict(struct weir_page *page, const char *kind, const char *headline)
{
    bool good = strcmp(kind, "good") == 0, bad = strcmp(kind, "bad") == 0;
    weir_svg_put(page->out, "<p class=\"verdict $\"><strong>$ $</strong>", kind,
                 good  ? "\342\234\223"
                 : bad ? "\342\234\227"
                       : "?",
                 headline);
}

/* ---- parts ---- */

enum weir_status weir_page_drawing(struct weir_page *page, const struct weir_analysis *analysis)
{
    const char *why;
    struct weir_error refused;
    fputs("<h3>The pipeline</h3>\n", page->out);
    if (!weir_drawing_available(&why)) {
        weir_svg_put(page->out, "<p>The drawing is left out: $.</p>\n", why);
        return WEIR_OK;
    }
    fputs("<figure class=\"wide\">\n", page->out);
    enum weir_status status = weir_pipeline_write_drawing(page->model->pipeline, analysis, 0, page->out, &refused);
    fputs("</figure>\n", page->out);
    if (status == WEIR_INVALID) { /* Graphviz's trouble need not be ours */
        weir_svg_put(page->out, "<p>The drawing is left out: $.</p>\n", refused.message);
        return WEIR_OK;
    }
    if (status)
        weir_fail(page->error, status, "%s", refused.message);
    return status;
}

/* Text with the ends of its lines, which a picture would not keep. */
static void put_lines(FILE *out, const char *text)
{
    for (; *text; text++)
        if (*text == '<' || *text == '&')
            fputs(*text == '<' ? "&lt;" : "&amp;", out);
        else
            fputc(*text, out);
}

enum weir_status weir_page_source(struct weir_page *page)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    if (!out)
        return weir_fail_memory(page->error);
    struct weir_error refused;
    enum weir_status status = weir_pipeline_write_yaml(page->model->pipeline, out, &refused);
    if (fclose(out) && !status)
        status = WEIR_MEMORY;
    fputs("<h3>The model</h3>\n", page->out);
    if (status == WEIR_INVALID) { /* a rate that no file can hold */
        weir_svg_put(page->out, "<p>$.</p>\n", refused.message);
        status = WEIR_OK;
    } else if (!status) {
        weir_svg_put(page->out,
                     "<p><button type=\"button\" class=\"copy\" data-copy=\"source-%\">Copy</button></p>\n"
                     "<pre id=\"source-%\" class=\"source\" tabindex=\"0\">",
                     page->number, page->number);
        put_lines(page->out, text);
        fputs("</pre>\n", page->out);
    } else {
        weir_fail(page->error, status, "%s", status == WEIR_MEMORY ? "out of memory" : refused.message);
    }
    free(text);
    return status;
}

/* ---- the frame ---- */

static void put_asset(FILE *out, const unsigned char *bytes, size_t count)
{
    fwrite(bytes, 1, count, out);
}

static void put_head(FILE *out, const char *title)
{
    fputs("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
          "<meta name=\"color-scheme\" content=\"light dark\">\n"
          "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; script-src "
          "'unsafe-inline' 'wasm-unsafe-eval'; img-src data:\">\n",
          out);
    weir_svg_put(out, "<title>$</title>\n<style>\n", title);
    put_asset(out, weir_asset_page_css, weir_asset_page_css_size);
    weir_svg_put(out,
                 "</style>\n</head>\n<body>\n<a class=\"skip\" href=\"#main\">Skip to the answer</a>\n<header><h1>$</h1></header>\n"
                 "<main id=\"main\">\n",
                 title);
}

static void put_contents(const struct weir_report_model *models, size_t count, FILE *out)
{
    fputs("<nav aria-label=\"Models\"><ol>\n", out);
    for (size_t i = 0; i < count; i++)
        weir_svg_put(out, "<li><a href=\"#model-%\">$</a></li>\n", (unsigned)i + 1, weir_page_title(&models[i]));
    fputs("</ol></nav>\n", out);
}

static void put_end(FILE *out, bool live)
{
    weir_svg_put(out, "</main>\n<footer><p>Made by weir $. The page needs nothing but itself.</p></footer>\n", weir_version());
    if (live) {
        fputs("<script type=\"text/plain\" id=\"engine\">", out);
        weir_live_write_base64(weir_asset_live_wasm, weir_asset_live_wasm_size, out);
        fputs("</script>\n<script>\n", out);
        put_asset(out, weir_asset_live_js, weir_asset_live_js_size);
        fputs("</script>\n", out);
    }
    fputs("<script>\n", out);
    put_asset(out, weir_asset_page_js, weir_asset_page_js_size);
    fputs("</script>\n</body>\n</html>\n", out);
}

static enum weir_status put_model(struct weir_page *page, bool only)
{
    const char *title = weir_page_title(page->model);
    bool threads = weir_pipeline_platform(page->model->pipeline) == WEIR_PLATFORM_THREADS;
    weir_svg_put(page->out,
                 "<section class=\"model\" id=\"model-%\" aria-labelledby=\"title-%\">\n<h2 id=\"title-%\" class=\"$\">$</h2>\n",
                 page->number, page->number, page->number, only ? "only" : "one", title);
    enum weir_status status = threads ? weir_page_threads(page) : weir_page_platform(page);
    fputs("</section>\n", page->out);
    return status;
}

enum weir_status weir_report_write(const struct weir_report_model *models, size_t count, const struct weir_report_options *options,
                                   FILE *out, bool *missed, struct weir_error *error)
{
    static const struct weir_report_options defaults;
    struct weir_page page = {.out = out, .options = options ? options : &defaults, .error = error};
    bool live = false;
    if (count == 0)
        return weir_fail(error, WEIR_INVALID, "a report is about at least one model");
    for (size_t i = 0; i < count; i++) {
        if (!weir_pipeline_sealed(models[i].pipeline))
            return weir_fail(error, WEIR_INVALID, "a model has to be sealed before a report is written about it");
        live |= weir_pipeline_platform(models[i].pipeline) == WEIR_PLATFORM_THREADS;
    }
    put_head(out, page.options->title ? page.options->title : weir_page_title(&models[0]));
    if (count > 1)
        put_contents(models, count, out);
    enum weir_status status = WEIR_OK;
    for (size_t i = 0; i < count && !status; i++) {
        page.model = &models[i];
        page.number = (unsigned)i + 1;
        status = put_model(&page, count == 1);
        if (page.options->progress)
            page.options->progress(page.options->context, (unsigned)((i + 1) * 1000 / count));
    }
    put_end(out, live && !page.options->no_live && weir_report_live(NULL));
    if (missed)
        *missed = page.missed;
    if (!status && ferror(out))
        status = weir_fail(error, WEIR_IO, "cannot write the report: %s", errno ? strerror(errno) : "write error");
    return status;
}
