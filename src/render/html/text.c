/* SPDX-License-Identifier: Apache-2.0 */
/* Times, names and verdicts as a report has them. assets/whatif.js says the same of a model that was changed. */
#include "answer/number.h"
#include "render/html/page.h"
#include "render/plot/plot.h"

#include <string.h>

const char *weir_page_time(const struct weir_page *page, int64_t ticks, char text[WEIR_PAGE_TIME])
{
    return weir_amount_format(page->model->pipeline, ticks, text);
}

const char *weir_page_ratio(const struct weir_page *page, struct weir_ratio ratio, char text[WEIR_PAGE_TIME])
{
    return ratio.denominator > 0 ? weir_quantity_amount(page->model->pipeline, ratio, text) : "?";
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

void weir_page_progress(const struct weir_page *page, unsigned permille)
{
    if (page->options->progress)
        page->options->progress(page->options->context, (unsigned)(((page->number - 1) * (size_t)1000 + permille) / page->count));
}

void weir_page_verdict(struct weir_page *page, const char *kind, const char *headline)
{
    bool good = strcmp(kind, "good") == 0, bad = strcmp(kind, "bad") == 0;
    page->answer.kind = kind;
    page->answer.headline = headline;
    weir_svg_put(page->out, "<p class=\"verdict $\"><strong>$ $</strong>", kind,
                 good  ? "\342\234\223"
                 : bad ? "\342\234\227"
                       : "?",
                 headline);
}

/* Whole characters alone: a piece does not end within one. */
static void put_piece(struct weir_page *page, const char *text, size_t length)
{
    char piece[256];
    while (length > 0) {
        size_t part = length < sizeof piece ? length : sizeof piece - 1;
        while (part < length && ((unsigned char)text[part] & 0xc0) == 0x80)
            part--;
        memcpy(piece, text, part);
        piece[part] = 0;
        weir_svg_put(page->out, "$", piece);
        text += part;
        length -= part;
    }
}

void weir_page_words(struct weir_page *page, const char *words)
{
    while (*words) {
        size_t plain = strcspn(words, "`-"), code = words[plain] == '`' ? strcspn(words + plain + 1, "`") : 0;
        put_piece(page, words, plain);
        words += plain;
        if (*words == '`' && words[1 + code] == '`') {
            fputs("<code>", page->out);
            put_piece(page, words + 1, code);
            fputs("</code>", page->out);
            words += code + 2;
        } else if (words[0] == '-' && words[1] == '>') {
            fputs("\342\206\222", page->out);
            words += 2;
        } else if (*words) {
            put_piece(page, words++, 1);
        }
    }
}

void weir_page_sentence(struct weir_page *page, const char *words)
{
    if (*words >= 'a' && *words <= 'z')
        fputc(*words++ - 'a' + 'A', page->out);
    weir_page_words(page, words);
}
