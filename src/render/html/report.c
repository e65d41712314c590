/* SPDX-License-Identifier: Apache-2.0 */
/* One page about some models: the frame, and what all kinds of models have in common. */
#include "base/alloc.h"
#include "base/error.h"
#include "model/pipeline.h"
#include "render/html/assets.h"
#include "render/html/live_model.h"
#include "render/html/page.h"
#include "render/plot/plot.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SOURCE_MAX 1500000 /* bytes of a model that stands in the page */

/* ---- the model ---- */

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
    fputs("<div class=\"as-given\">\n<h3>The model</h3>\n", page->out);
    if (status == WEIR_INVALID) { /* a rate that no file can hold */
        weir_svg_put(page->out, "<p>$.</p>\n", refused.message);
        status = WEIR_OK;
    } else if (!status && bytes > SOURCE_MAX) {
        fputs("<p>It is too long to stand here; <code>weir convert</code> writes it.</p>\n", page->out);
    } else if (!status) {
        weir_svg_put(page->out,
                     "<p>As weir read it$$. <button type=\"button\" class=\"copy\" data-copy=\"source-%\">Copy</button></p>\n"
                     "<pre id=\"source-%\" class=\"source\" tabindex=\"0\" role=\"group\" aria-label=\"The model, as YAML\">",
                     page->model->path ? " from " : "", page->model->path ? page->model->path : "", page->number, page->number);
        put_lines(page->out, text);
        fputs("</pre>\n", page->out);
    } else {
        weir_fail(page->error, status, "%s", status == WEIR_MEMORY ? "out of memory" : refused.message);
    }
    fputs("</div>\n", page->out);
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
          "'unsafe-inline' 'wasm-unsafe-eval'; worker-src blob:; img-src data:; base-uri 'none'; form-action 'none'\">\n",
          out);
    weir_svg_put(out, "<title>$</title>\n<style>\n", title);
    put_asset(out, weir_asset_page_css, weir_asset_page_css_size);
    weir_svg_put(out,
                 "</style>\n</head>\n<body>\n<a class=\"skip\" href=\"#main\">Skip to the answer</a>\n<header><h1>$</h1></header>\n"
                 "<main id=\"main\">\n",
                 title);
}

/* Verdicts first. */
static void put_summary(const struct weir_page *page, const struct weir_report_model *models,
                        const struct weir_page_answer *answers, size_t count)
{
    struct weir_page one = *page;
    fputs("<nav aria-label=\"Models\"><div class=\"scroll\"><table class=\"summary\"><thead><tr><th scope=\"col\">model</th>"
          "<th scope=\"col\">verdict</th><th scope=\"col\">latency</th><th scope=\"col\" class=\"number\">at most</th>"
          "<th scope=\"col\" class=\"number\">deadline</th><th scope=\"col\">operators run on</th></tr></thead><tbody>\n",
          page->out);
    for (size_t i = 0; i < count; i++) {
        const struct weir_page_answer *a = &answers[i];
        char deadline[WEIR_PAGE_TIME];
        bool good = strcmp(a->kind, "good") == 0, bad = strcmp(a->kind, "bad") == 0;
        one.model = &models[i];
        weir_svg_put(page->out, "<tr><th scope=\"row\"><a href=\"#model-%\">$</a></th><td class=\"$\">$ $</td><td>$$$</td>",
                     (unsigned)i + 1, weir_page_title(&models[i]), a->kind,
                     good  ? "\342\234\223"
                     : bad ? "\342\234\227"
                           : "?",
                     a->headline,
                     a->bound.whole ? "all kernels"
                     : a->has_bound ? weir_page_name(&one, a->bound.chain.from)
                                    : "",
                     a->bound.whole || !a->has_bound ? "" : " \342\206\222 ",
                     a->bound.whole || !a->has_bound ? "" : weir_page_name(&one, a->bound.chain.to));
        weir_svg_put(page->out, "<td class=\"number\">$</td><td class=\"number\">$</td><td>$</td></tr>\n",
                     a->worst[0] ? a->worst : "\342\200\223",
                     a->bound.has_deadline ? weir_page_time(&one, a->bound.deadline, deadline) : "\342\200\223", a->platform);
    }
    fputs("</tbody></table></div></nav>\n", page->out);
}

static void put_script(FILE *out, const char *id, const unsigned char *bytes, size_t count)
{
    fprintf(out, "<script%s%s%s>\n", id ? " id=\"" : "", id ? id : "", id ? "\"" : "");
    put_asset(out, bytes, count);
    fputs("</script>\n", out);
}

static void put_end(FILE *out, bool live)
{
    weir_svg_put(out,
                 "</main>\n<footer><p>Made by weir $. The page is self-contained and loads nothing; the same models give the same "
                 "page.</p></footer>\n",
                 weir_version());
    put_script(out, NULL, weir_asset_page_js, weir_asset_page_js_size);
    if (live) {
        fputs("<script type=\"text/plain\" id=\"engine\" data-packed=\"gzip\">", out);
        weir_live_write_base64(weir_asset_live_wasm, weir_asset_live_wasm_size, out);
        fputs("</script>\n", out);
        put_script(out, "engine-code", weir_asset_live_js, weir_asset_live_js_size);
        put_script(out, NULL, weir_asset_whatif_js, weir_asset_whatif_js_size);
    }
    fputs("</body>\n</html>\n", out);
}

static enum weir_status put_model(struct weir_page *page, bool only)
{
    const char *title = weir_page_title(page->model);
    weir_svg_put(page->out,
                 "<section class=\"model\" id=\"model-%\" aria-labelledby=\"title-%\">\n<h2 id=\"title-%\" class=\"$\">$</h2>\n",
                 page->number, page->number, page->number, only ? "only" : "one", title);
    enum weir_status status = weir_page_model(page);
    weir_page_observed(page);
    fputs("</section>\n", page->out);
    return status;
}

/* All models, to memory: what is said about them stands before them. */
static enum weir_status put_models(struct weir_page *page, const struct weir_report_model *models, size_t count,
                                   struct weir_page_answer *answers)
{
    enum weir_status status = WEIR_OK;
    for (size_t i = 0; i < count && !status; i++) {
        page->model = &models[i];
        page->number = (unsigned)i + 1;
        page->answer = (struct weir_page_answer){.kind = "unknown", .headline = "", .platform = ""};
        status = put_model(page, count == 1);
        answers[i] = page->answer;
        weir_page_progress(page, 1000);
    }
    return status;
}

/* "The deadline is met, always: camera -> display takes at most 24 ms, and the deadline is 60 ms." */
static void tell(struct weir_page *page, const struct weir_report_model *models, const struct weir_page_answer *answers,
                 size_t count)
{
    static const char *const kinds[] = {[WEIR_VERDICT_GOOD] = "good", [WEIR_VERDICT_OPEN] = "unknown"};
    for (size_t i = 0; i < count && page->options->tell; i++) {
        const struct weir_page_answer *a = &answers[i];
        char deadline[WEIR_PAGE_TIME], words[640] = "";
        size_t headline = strlen(a->headline);
        bool bounded = a->bound.worst.claim != WEIR_CLAIM_UNBOUNDED && a->bound.worst.claim != WEIR_CLAIM_UNKNOWN;
        page->model = &models[i];
        enum weir_verdict verdict = WEIR_VERDICT_GOOD;
        while (verdict < WEIR_VERDICT_BAD && strcmp(a->kind, kinds[verdict]) != 0)
            verdict++;
        headline -= headline && a->headline[headline - 1] == '.';
        snprintf(words, sizeof words, "%.*s", (int)headline, a->headline);
        if (a->has_bound && a->worst[0])
            snprintf(words, sizeof words, "%.*s: %.180s%s%.180s%s%s", (int)headline, a->headline,
                     a->bound.whole ? "all kernels" : weir_page_name(page, a->bound.chain.from), a->bound.whole ? "" : " -> ",
                     a->bound.whole ? "" : weir_page_name(page, a->bound.chain.to), bounded ? " at most " : "",
                     bounded ? a->worst : "");
        size_t used = strlen(words);
        if (a->has_bound && a->bound.has_deadline)
            snprintf(words + used, sizeof words - used, ", deadline %s", weir_page_time(page, a->bound.deadline, deadline));
        page->options->tell(page->options->context, i, verdict, words);
    }
}

static enum weir_status check_models(const struct weir_report_model *models, size_t count, struct weir_error *error)
{
    if (count == 0)
        return weir_fail(error, WEIR_INVALID, "a report is about at least one model");
    for (size_t i = 0; i < count; i++)
        if (!weir_pipeline_sealed(models[i].pipeline))
            return weir_fail(error, WEIR_INVALID, "a model has to be sealed before a report is written about it");
    return WEIR_OK;
}

enum weir_status weir_report_write(const struct weir_report_model *models, size_t count, const struct weir_report_options *options,
                                   FILE *out, enum weir_verdict *verdict, struct weir_error *error)
{
    static const struct weir_report_options defaults;
    struct weir_page page = {.options = options ? options : &defaults, .count = count, .error = error};
    char *body = NULL;
    size_t bytes = 0;
    enum weir_status status = check_models(models, count, error);
    if (status)
        return status;
    struct weir_page_answer *answers = weir_array(count, sizeof *answers);
    page.out = answers ? open_memstream(&body, &bytes) : NULL;
    if (!page.out) {
        weir_free(answers);
        return weir_fail_memory(error);
    }
    status = put_models(&page, models, count, answers);
    if (fclose(page.out) && !status)
        status = weir_fail_memory(error);
    if (!status) {
        page.out = out;
        put_head(out, page.options->title ? page.options->title : weir_page_title(&models[0]));
        if (count > 1)
            put_summary(&page, models, answers, count);
        fwrite(body, 1, bytes, out);
        put_end(out, !page.options->no_live && weir_report_live(NULL));
        if (verdict)
            *verdict = page.verdict;
        if (fflush(out) || ferror(out))
            status = weir_fail(error, WEIR_IO, "cannot write the report: %s", errno ? strerror(errno) : "write error");
        else
            tell(&page, models, answers, count);
    }
    free(body);
    weir_free(answers);
    return status;
}
