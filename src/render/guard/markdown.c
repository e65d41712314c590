/* SPDX-License-Identifier: Apache-2.0 */
/* A summary for a pull request, in the Markdown of GitHub and GitLab. */
#include "base/error.h"
#include "base/utf8.h"
#include "render/guard/guard.h"

#include <string.h>

/* Nothing in it is markup, and it stays in its line. */
static void write_plain(FILE *out, const char *text)
{
    while (*text) {
        uint32_t code;
        size_t bytes = weir_utf8_next(text, &code);
        if (code == '<' || code == '>')
            fputs(code == '<' ? "&lt;" : "&gt;", out);
        else if (code == '&')
            fputs("&amp;", out);
        else if (code < 0x20 || code == 0x7f || code == WEIR_UTF8_INVALID)
            fputs(code == WEIR_UTF8_INVALID ? "\xef\xbf\xbd" : " ", out);
        else {
            if (code < 0x80 && strchr("\\`*_[]#|~@", (int)code))
                fputc('\\', out);
            fwrite(text, 1, bytes, out);
        }
        text += bytes;
    }
}

static void write_cell(FILE *out, const char *text)
{
    fputs(" ", out);
    write_plain(out, text ? text : "-");
    fputs(" |", out);
}

static const char *result_of(const struct weir_guard_finding *f)
{
    static const char *const words[] = {
        [WEIR_GUARD_SAME] = "same",      [WEIR_GUARD_BETTER] = "better", [WEIR_GUARD_WITHIN] = "within the tolerance",
        [WEIR_GUARD_NEW] = "new",        [WEIR_GUARD_GONE] = "gone",     [WEIR_GUARD_OPEN] = "**not decided**",
        [WEIR_GUARD_WORSE] = "**worse**"};
    bool plain = f->change != WEIR_GUARD_WORSE && f->change != WEIR_GUARD_OPEN;
    if (plain && f->verdict == WEIR_VERDICT_BAD)
        return "**not good**";
    return plain && f->verdict == WEIR_VERDICT_OPEN ? "**not proved**" : words[f->change];
}

static void write_table(FILE *out, const struct weir_guard *guard)
{
    fputs("\n| model | latency | before | after | result |\n|---|---|---|---|---|\n", out);
    for (size_t i = 0; i < weir_guard_count(guard); i++) {
        const struct weir_guard_model *model = weir_guard_at(guard, i);
        for (size_t k = 0; k < model->finding_count; k++) {
            const struct weir_guard_finding *f = &model->findings[k];
            if (weir_guard_rule_of(f) == WEIR_RULE_NONE)
                continue;
            fputs("|", out);
            write_cell(out, model->name);
            write_cell(out, f->latency);
            write_cell(out, f->before);
            write_cell(out, f->after);
            fprintf(out, " %s |\n", result_of(f));
        }
    }
}

static void write_causes(FILE *out, const struct weir_guard_model *model, const struct weir_guard_finding *f)
{
    fputs("- ", out);
    write_plain(out, f->latency);
    fputs(": ", out);
    write_plain(out, f->message);
    if (f->because) {
        fputs("; ", out);
        write_plain(out, f->because);
    }
    fputs("\n", out);
    for (size_t i = 0; i < f->cause_count; i++) {
        fputs("  - ", out);
        if (f->causes[i].place.line) {
            write_plain(out, model->file);
            fprintf(out, ":%u: ", f->causes[i].place.line);
        }
        write_plain(out, f->causes[i].what);
        fputs("; ", out);
        write_plain(out, f->causes[i].effect);
        fputs("\n", out);
    }
}

static void write_model(FILE *out, const struct weir_guard_model *model)
{
    size_t line, column;
    bool whole = weir_guard_model_fails(model) || !model->finding_count;
    if (model->change == WEIR_GUARD_SAME && model->verdict == WEIR_VERDICT_GOOD && !whole)
        return;
    fputs("\n### ", out);
    write_plain(out, model->name);
    fputs("\n\n", out);
    if (whole) {
        fputs("- ", out);
        write_plain(out, weir_guard_model_words(model, &line, &column));
        fputs("\n", out);
    }
    for (size_t k = 0; k < model->finding_count; k++)
        if (weir_guard_rule_of(&model->findings[k]) != WEIR_RULE_NONE)
            write_causes(out, model, &model->findings[k]);
}

enum weir_status weir_guard_write_markdown(const struct weir_guard *guard, FILE *out, struct weir_error *error)
{
    size_t all = 0, told = 0, worse = 0, models = weir_guard_count(guard);
    enum weir_verdict verdict = WEIR_VERDICT_GOOD;
    for (size_t i = 0; i < models; i++) {
        const struct weir_guard_model *model = weir_guard_at(guard, i);
        all += model->finding_count;
        told += model->finding_count - weir_guard_rule_count(model, WEIR_RULE_NONE);
        worse += weir_guard_rule_count(model, WEIR_RULE_WORSE);
        verdict = model->verdict > verdict ? model->verdict : verdict;
    }
    fputs("## Latencies: ", out);
    if (worse)
        fprintf(out, "%zu of %zu worse than in the baseline\n", worse, all);
    else
        fputs(verdict == WEIR_VERDICT_GOOD   ? "none is worse than in the baseline\n"
              : verdict == WEIR_VERDICT_OPEN ? "not decided\n"
                                             : "not good\n",
              out);
    if (told)
        write_table(out, guard);
    fprintf(out, "\n%zu latenc%s of %zu model%s, %zu as in the baseline.\n", all, all == 1 ? "y" : "ies", models,
            models == 1 ? "" : "s", all - told);
    for (size_t i = 0; i < models; i++)
        write_model(out, weir_guard_at(guard, i));
    return weir_written(out, "the summary", error);
}
