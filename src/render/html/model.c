/* SPDX-License-Identifier: Apache-2.0 */
/* The part of a page that is about one model, as a whole: what answer.c says of it, with its pictures and what recomputes. */
#include "answer/answer.h"
#include "base/error.h"
#include "model/pipeline.h"
#include "render/html/live_model.h"
#include "render/html/page.h"
#include "render/plot/plot.h"

#include <inttypes.h>
#include <stdlib.h>

#define LIVE_MAX 2500000         /* bytes of a model that sliders are made for */
#define TIMELINES_BYTES 2500000L /* of their data */
#define TIMELINES_MAX 6          /* pictures of worst cases: of the first so many latencies */

/* ---- pictures ---- */

/* The latency that stands at place i: the one that decides first, then the others in their order. */
static size_t at_place(size_t first, size_t i)
{
    return i == 0 ? first : i <= first ? i - 1 : i;
}

static void put_choice(struct weir_page *page, const struct weir_answer *answer, size_t first, size_t count)
{
    size_t told = 0, witnesses = 0;
    for (size_t i = 0; i < answer->bound_count; i++)
        witnesses += answer->bounds[i].witness != NULL;
    fputs("<p class=\"which\"><label>Latency <select autocomplete=\"off\">", page->out);
    for (size_t i = 0; i < answer->bound_count && told < count; i++) {
        const struct weir_bound *bound = &answer->bounds[at_place(first, i)];
        if (!bound->witness)
            continue;
        weir_svg_put(page->out, "<option value=\"%\">$ \342\206\222 $</option>", (unsigned)at_place(first, i),
                     weir_page_end(page, bound, false), weir_page_end(page, bound, true));
        told++;
    }
    fputs("</select></label>", page->out);
    if (witnesses > told)
        weir_svg_put(page->out, " (% of %)", (unsigned)told, (unsigned)witnesses);
    fputs("</p>\n", page->out);
}

/* Timelines until they are many or large: of very large models one is as much as a page can have. Returns how many. */
static size_t put_witnesses(struct weir_page *page, const struct weir_answer *answer, size_t first, enum weir_status *status)
{
    size_t told = 0;
    long begun = ftell(page->out), used = 0;
    for (size_t i = 0; i < answer->bound_count && told < TIMELINES_MAX && used + used / (long)(told + !told) < TIMELINES_BYTES;
         i++) {
        if (!answer->bounds[at_place(first, i)].witness)
            continue;
        *status = weir_page_timeline(page, answer, at_place(first, i), told++ > 0);
        used = ftell(page->out) - begun;
        if (*status)
            break;
    }
    return told;
}

/* What can be chosen from stands above them, so that they are written first. */
static enum weir_status put_chosen(struct weir_page *page, const struct weir_answer *answer, size_t first, size_t witnesses)
{
    char *text = NULL;
    size_t bytes = 0;
    enum weir_status status = WEIR_OK;
    FILE *out = page->out, *memory = open_memstream(&text, &bytes);
    if (!memory)
        return weir_fail_memory(page->error);
    page->out = memory;
    size_t told = put_witnesses(page, answer, first, &status);
    page->out = out;
    if (fclose(memory) && !status)
        status = weir_fail_memory(page->error);
    if (!status && witnesses > 1)
        put_choice(page, answer, first, told);
    if (!status)
        fwrite(text, 1, bytes, out);
    free(text);
    return status;
}

/* Without a witness there is one picture at most, of the whole; and where sliders may bring one, a place for it. */
static enum weir_status put_timelines(struct weir_page *page, const struct weir_answer *answer, size_t first)
{
    bool live = !page->options->no_live && weir_report_live(NULL);
    size_t witnesses = 0;
    for (size_t i = 0; i < answer->bound_count; i++)
        witnesses += answer->bounds[i].witness != NULL;
    if (!answer->bound_count || (!witnesses && !live && !weir_answer_has_picture(answer)))
        return WEIR_OK;
    weir_page_happens(page, answer);
    return witnesses ? put_chosen(page, answer, first, witnesses) : weir_page_timeline(page, answer, first, false);
}

/* ---- what recomputes ---- */

/* The model for the engine in the page; *text is the caller's to free. */
static enum weir_status write_live(struct weir_page *page, char **text, size_t *bytes)
{
    struct weir_error refused;
    FILE *out = open_memstream(text, bytes);
    enum weir_status status = out ? weir_live_write_model(page->model->pipeline, out, &refused) : weir_fail_memory(page->error);
    if (out && status && status != WEIR_INVALID)
        weir_fail(page->error, status, "%s", refused.message);
    if (out && fclose(out) && !status)
        status = weir_fail_memory(page->error);
    return status == WEIR_INVALID ? WEIR_OK : status;
}

static void put_sliders(struct weir_page *page, const char *model)
{
    fprintf(page->out,
            "<section class=\"live\" data-model=\"%u\" data-limit=\"%" PRIu64 "\" data-runs=\"%u,%" PRId64 ",%" PRIu64 "\"",
            page->number, page->options->work_limit, page->options->runs, page->options->iterations, page->options->seed);
    weir_svg_put(page->out,
                 " aria-label=\"What if: $\">\n<noscript><p>Sliders need JavaScript.</p></noscript>\n</section>\n"
                 "<script type=\"application/json\" class=\"live-model\" data-model=\"%\">\n",
                 weir_page_title(page->model), page->number);
    fputs(model, page->out);
    fputs("</script>\n", page->out);
}

static enum weir_status put_live(struct weir_page *page)
{
    const char *why;
    char *text = NULL;
    size_t bytes = 0;
    if (page->options->no_live)
        return WEIR_OK;
    fputs("<div class=\"bench-side\">\n<h3 class=\"live-heading\">What if?</h3>\n", page->out);
    bool live = weir_report_live(&why);
    enum weir_status status = live ? write_live(page, &text, &bytes) : WEIR_OK;
    if (!live)
        weir_svg_put(page->out, "<p>This page cannot recompute: $. Everything else on it is complete.</p>\n", why);
    else if (bytes > LIVE_MAX)
        fputs("<p>The model is too large for a page to recompute; <code>weir explore --what-if</code> does it.</p>\n", page->out);
    else if (!status)
        put_sliders(page, text);
    fputs("</div>\n", page->out);
    free(text);
    return status;
}

/* ---- all of it ---- */

static enum weir_status put_all(struct weir_page *page, const struct weir_answer *answer)
{
    const struct weir_bound *worst = weir_answer_worst(answer);
    size_t first = worst ? (size_t)(worst - answer->bounds) : 0;
    weir_page_head(page, answer);
    weir_page_progress(page, 500);
    enum weir_status status = weir_page_drawing(page, answer, first);
    weir_page_progress(page, 600);
    fputs("<div class=\"bench\">\n<div class=\"bench-view\">\n", page->out);
    if (!status)
        status = put_timelines(page, answer, first);
    fputs("</div>\n", page->out);
    if (!status)
        status = put_live(page);
    fputs("</div>\n", page->out);
    weir_page_progress(page, 700);
    weir_page_figures(page, answer);
    if (!status)
        status = weir_page_advice(page, answer);
    return status ? status : weir_page_source(page);
}

/* The analysis is half of the work, as a rule. */
static void show_progress(void *context, unsigned permille)
{
    weir_page_progress(context, permille / 2);
}

enum weir_status weir_page_model(struct weir_page *page)
{
    struct weir_answer_options options = {
        .verify = true, .work_limit = page->options->work_limit, .progress = show_progress, .context = page};
    struct weir_answer *answer;
    enum weir_status status = weir_answer_find(page->model->pipeline, &options, &answer, page->error);
    if (status)
        return status;
    status = put_all(page, answer);
    weir_answer_free(answer);
    return status;
}
