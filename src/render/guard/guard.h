/* SPDX-License-Identifier: Apache-2.0 */
/* What the reports about models and their baseline share. */
#ifndef WEIR_RENDER_GUARD_GUARD_H
#define WEIR_RENDER_GUARD_GUARD_H

#include "weir.h"

/* What a line of a report is about: a latency, or a model as a whole. */
enum weir_guard_rule {
    WEIR_RULE_WORSE,    /* a latency got worse */
    WEIR_RULE_OPEN,     /* ... or may have */
    WEIR_RULE_DEADLINE, /* it did not, but is not good */
    WEIR_RULE_CHANGED,  /* better, new, gone, worse within the tolerance */
    WEIR_RULE_MODEL,    /* the model cannot be read, or can fail */
    WEIR_RULES,
    WEIR_RULE_NONE = WEIR_RULES, /* nothing to tell */
};
enum weir_guard_rule weir_guard_rule_of(const struct weir_guard_finding *finding);
const char *weir_guard_rule_name(enum weir_guard_rule rule); /* "latency-worse" ... */
const char *weir_guard_rule_words(enum weir_guard_rule rule);

/* The message with its reason and causes: "worst case ...; one of 3 changes ...: operator detect: ...; alone 105 ms". In pieces, so
 * that each format can quote them. */
typedef void weir_guard_piece(FILE *out, const char *text);
void weir_guard_sentence(FILE *out, const struct weir_guard_finding *finding, weir_guard_piece *piece);

/* How many findings of all models, or of one, there are of a rule. */
size_t weir_guard_rule_count(const struct weir_guard_model *model, enum weir_guard_rule rule);
/* Whether a model without a finding that says so is not good: it cannot be read, or trouble is not with a latency. */
bool weir_guard_model_fails(const struct weir_guard_model *model);
/* The words for that. */
const char *weir_guard_model_words(const struct weir_guard_model *model, size_t *line, size_t *column);

#endif
