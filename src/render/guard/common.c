/* SPDX-License-Identifier: Apache-2.0 */
#include "answer/answer.h"
#include "base/word.h"
#include "render/guard/guard.h"

enum weir_guard_rule weir_guard_rule_of(const struct weir_guard_finding *f)
{
    if (f->change == WEIR_GUARD_WORSE)
        return WEIR_RULE_WORSE;
    if (f->change == WEIR_GUARD_OPEN)
        return WEIR_RULE_OPEN;
    if (f->verdict != WEIR_VERDICT_GOOD)
        return WEIR_RULE_DEADLINE;
    return f->change == WEIR_GUARD_SAME ? WEIR_RULE_NONE : WEIR_RULE_CHANGED;
}

const char *weir_guard_rule_name(enum weir_guard_rule rule)
{
    static const char *const names[] = {"latency-worse", "latency-not-decided", "latency-not-good", "latency-changed", "model"};
    return WEIR_WORD(names, rule);
}

const char *weir_guard_rule_words(enum weir_guard_rule rule)
{
    static const char *const words[] = {
        "A latency is worse than in the baseline: its worst case rose, a bound or its exactness is lost, or a deadline is not met.",
        "A limit was reached before it was known whether a latency is worse than in the baseline.",
        "A deadline is not met although the latency is not worse than in the baseline, or a new latency has no bound.",
        "A latency is better than in the baseline, new, gone, or worse within the tolerance.",
        "A model cannot be read, can fail, or is only in the baseline."};
    return WEIR_WORD(words, rule);
}

void weir_guard_sentence(FILE *out, const struct weir_guard_finding *f, weir_guard_piece *piece)
{
    piece(out, f->message);
    if (f->because) {
        piece(out, "; ");
        piece(out, f->because);
    }
    for (size_t i = 0; i < f->cause_count; i++) {
        piece(out, i ? "; " : ": ");
        piece(out, f->causes[i].what);
        piece(out, " (");
        piece(out, f->causes[i].effect);
        piece(out, ")");
    }
}

size_t weir_guard_rule_count(const struct weir_guard_model *model, enum weir_guard_rule rule)
{
    size_t count = 0;
    for (size_t i = 0; i < model->finding_count; i++)
        count += weir_guard_rule_of(&model->findings[i]) == rule;
    return count;
}

bool weir_guard_model_fails(const struct weir_guard_model *model)
{
    bool told = false;
    for (size_t i = 0; i < model->finding_count; i++)
        told |= model->findings[i].verdict >= model->verdict;
    return model->errors || (model->verdict != WEIR_VERDICT_GOOD && !told);
}

const char *weir_guard_model_words(const struct weir_guard_model *model, size_t *line, size_t *column)
{
    const struct weir_error *error = weir_errors_at(model->errors, 0);
    *line = error ? error->line : 0;
    *column = error ? error->column : 0;
    if (error)
        return error->message;
    return model->answer && model->answer->scope ? model->answer->scope : "the model cannot be read";
}
