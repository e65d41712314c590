/* SPDX-License-Identifier: Apache-2.0 */
/* Annotations as workflow commands of GitHub, a line each: ::error file=model.yaml,line=6,col=3,title=...::message */
#include "base/error.h"
#include "render/guard/guard.h"

#include <string.h>

static void write_quoted(FILE *out, const char *text, const char *special)
{
    for (; *text; text++)
        if (strchr(special, *text))
            fprintf(out, "%%%02X", (unsigned)(unsigned char)*text);
        else
            fputc(*text, out);
}

static void write_message(FILE *out, const char *text)
{
    write_quoted(out, text, "%\r\n");
}

static void begin(FILE *out, const char *command, const char *file, size_t line, size_t column)
{
    fprintf(out, "::%s file=", command);
    write_quoted(out, file, "%\r\n:,");
    fprintf(out, ",line=%zu", line ? line : 1);
    if (line && column)
        fprintf(out, ",col=%zu", column);
    fputs(",title=weir check::", out);
}

enum weir_status weir_guard_write_annotations(const struct weir_guard *guard, FILE *out, struct weir_error *error)
{
    static const char *const commands[] = {
        [WEIR_VERDICT_GOOD] = "notice", [WEIR_VERDICT_OPEN] = "warning", [WEIR_VERDICT_BAD] = "error"};
    for (size_t i = 0; i < weir_guard_count(guard); i++) {
        const struct weir_guard_model *model = weir_guard_at(guard, i);
        size_t line, column;
        if (weir_guard_model_fails(model)) {
            const char *words = weir_guard_model_words(model, &line, &column);
            begin(out, commands[model->verdict], model->file, line, column);
            write_message(out, words);
            fputc('\n', out);
        }
        for (size_t k = 0; k < model->finding_count; k++) {
            const struct weir_guard_finding *f = &model->findings[k];
            if (weir_guard_rule_of(f) == WEIR_RULE_NONE)
                continue;
            begin(out, commands[f->verdict], model->file, f->place.line, f->place.column);
            write_message(out, f->latency);
            write_message(out, ": ");
            weir_guard_sentence(out, f, write_message);
            fputc('\n', out);
        }
    }
    return weir_written(out, "the annotations", error);
}
