/* SPDX-License-Identifier: Apache-2.0 */
/* How far numbers may go: the critical scaling factor, the shortest periods. */
#include "explore/result.h"
#include "model/pipeline.h"

static const char *const outcomes[] = {"exact", "none", "no-end", "bracket"};

enum { DIGITS = 9, FACTOR_TEXT = 80 };

/* "1.5625", or "1.333333333...": the digits are those of the value, none is rounded up. */
static const char *decimal_of(struct weir_ratio ratio, char text[FACTOR_TEXT])
{
    uint64_t d = (uint64_t)ratio.denominator, rest = (uint64_t)ratio.numerator % d;
    int length = snprintf(text, FACTOR_TEXT, "%llu", (unsigned long long)((uint64_t)ratio.numerator / d));
    for (int i = 0; i < DIGITS && rest; i++) {
        if (i == 0)
            text[length++] = '.';
        rest *= 10; /* denominators are below 2^60 */
        text[length++] = (char)('0' + rest / d);
        rest %= d;
    }
    snprintf(text + length, (size_t)(FACTOR_TEXT - length), "%s", rest ? "..." : "");
    return text;
}

static const char *chain_of(struct weir_answer *answer, uint32_t chain)
{
    struct weir_bound bound = {.chain = answer->pipeline->chains[chain]};
    return weir_result_chain(answer, answer->pipeline, &bound);
}

static void add_chain(struct weir_record *record, uint32_t chain)
{
    const struct weir_pipeline *p = record->answer->pipeline;
    weir_result_add_ends(record, p, p->chains[chain].from, p->chains[chain].to);
}

/* ---- the scaling factor ---- */

static void add_factor(struct weir_record *record, const char *key, struct weir_ratio factor)
{
    struct weir_record parts = {.answer = record->answer};
    weir_record_add(&parts, "numerator", weir_datum_count(factor.numerator));
    weir_record_add(&parts, "denominator", weir_datum_count(factor.denominator));
    weir_record_add(record, key, weir_datum_if(factor.denominator, weir_record_datum(&parts)));
}

static void add_scale(struct weir_answer *answer, const struct weir_scaling *s)
{
    struct weir_record record = {.answer = answer};
    bool exact = s->outcome == WEIR_MARGIN_EXACT, bracket = s->outcome == WEIR_MARGIN_BRACKET;
    weir_record_add(&record, "outcome", weir_datum_text(outcomes[s->outcome]));
    if (exact)
        add_factor(&record, "factor", s->factor);
    if (bracket || s->outcome == WEIR_MARGIN_NO_END)
        add_factor(&record, "lower", s->lower);
    if (bracket)
        add_factor(&record, "upper", s->upper);
    if (exact || s->outcome == WEIR_MARGIN_NONE)
        add_chain(&record, s->chain);
    weir_record_add(&record, "searches", weir_datum_count((int64_t)s->searches));
    weir_answer_add_fact(answer, "scale", weir_record_datum(&record));
}

static void tell_scaling(struct weir_answer *answer, const struct weir_scaling *s)
{
    char number[FACTOR_TEXT], other[FACTOR_TEXT];
    long long top = s->factor.numerator, bottom = s->factor.denominator;
    switch (s->outcome) {
    case WEIR_MARGIN_EXACT:
        if (bottom == 1)
            weir_answer_line(answer, "all worst cases times %lld, and no more", top);
        else
            weir_answer_line(answer, "all worst cases times %lld/%lld = %s, and no more", top, bottom,
                             decimal_of(s->factor, number));
        weir_answer_line(answer, "beyond that %s misses its deadline", chain_of(answer, s->chain));
        break;
    case WEIR_MARGIN_NONE:
        weir_answer_line(answer, "none: %s misses its deadline however short the worst cases are", chain_of(answer, s->chain));
        break;
    case WEIR_MARGIN_NO_END:
        weir_answer_line(answer, "worst cases do not break a deadline, up to %lld times as long as they are",
                         (long long)s->lower.numerator);
        break;
    case WEIR_MARGIN_BRACKET:
        weir_answer_line(answer, "at least %lld/%lld = %s", (long long)s->lower.numerator, (long long)s->lower.denominator,
                         decimal_of(s->lower, number));
        if (s->upper.denominator)
            weir_answer_line(answer, "less than %s, where %s misses its deadline", decimal_of(s->upper, other),
                             chain_of(answer, s->chain));
        break;
    }
}

/* Good where the deadlines are kept as the model is: the factor is at least 1. */
static enum weir_verdict verdict_of(const struct weir_scaling *s)
{
    if (s->outcome == WEIR_MARGIN_EXACT)
        return s->factor.numerator < s->factor.denominator ? WEIR_VERDICT_BAD : WEIR_VERDICT_GOOD;
    if (s->lower.numerator >= s->lower.denominator)
        return WEIR_VERDICT_GOOD;
    bool missed = s->outcome == WEIR_MARGIN_NONE || (s->upper.denominator && s->upper.numerator <= s->upper.denominator);
    return missed ? WEIR_VERDICT_BAD : s->outcome == WEIR_MARGIN_BRACKET ? WEIR_VERDICT_OPEN : WEIR_VERDICT_GOOD;
}

enum weir_status weir_scaling_answer(const struct weir_pipeline *pipeline, const struct weir_scaling *scaling,
                                     struct weir_answer **answer, struct weir_error *error)
{
    struct weir_answer *a = weir_answer_new(pipeline, error);
    if (a) {
        a->scope = "the critical scaling factor";
        a->trouble_verdict = verdict_of(scaling);
        tell_scaling(a, scaling);
        add_scale(a, scaling);
    }
    return weir_answer_keep(a, a ? WEIR_OK : WEIR_MEMORY, answer, error);
}

/* ---- periods ---- */

static enum weir_status seal(struct weir_pipeline *copy, enum weir_status status, struct weir_pipeline **sealed,
                             struct weir_error *error)
{
    if (copy && !status)
        status = weir_pipeline_seal_alone(copy, error);
    if (status)
        weir_pipeline_free(copy);
    *sealed = status ? NULL : copy;
    return status;
}

enum weir_status weir_pacing_sources(const struct weir_pipeline *p, const struct weir_operator *op, struct weir_pipeline **paced,
                                     struct weir_error *error)
{
    struct weir_pipeline *copy = weir_pipeline_copy(p, error);
    enum weir_status status = copy ? WEIR_OK : WEIR_MEMORY;
    for (uint32_t i = 0; i < p->operator_count && !status; i++) {
        bool begins = true, paces = false;
        for (uint32_t q = 0; q < p->queue_count; q++)
            begins &= p->queues[q].to.index != i;
        for (uint32_t k = 0; k < p->source_count; k++)
            paces |= p->sources[k].op.index == i;
        if ((op ? i == op->index : begins) && !paces)
            status = weir_pipeline_add_source(copy, &(struct weir_source_spec){.op = {i}, .period = 1}, error);
    }
    return seal(copy, status, paced, error);
}

enum weir_status weir_pacing_apply(const struct weir_pipeline *p, const struct weir_source_pacing *found,
                                   struct weir_pipeline **paced, struct weir_error *error)
{
    struct weir_pipeline *copy = weir_pipeline_copy(p, error);
    struct weir_source_spec spec = weir_pipeline_source(p, found->source);
    spec.period = found->pacing.period;
    return seal(copy, copy ? weir_pipeline_change_source(copy, found->source, &spec, error) : WEIR_MEMORY, paced, error);
}

static const char *describe_pacing(struct weir_answer *answer, const struct weir_pacing *p)
{
    switch (p->outcome) {
    case WEIR_MARGIN_NONE:
        return weir_answer_format(answer, "none; %s misses its deadline however far apart inputs are", chain_of(answer, p->chain));
    case WEIR_MARGIN_BRACKET:
        if (p->upper >= 0)
            return weir_answer_format(answer, "at least %s, at most %s; a limit was reached", weir_result_time(answer, p->lower),
                                      weir_result_time(answer, p->upper));
        return weir_answer_format(answer, "at least %s; a limit was reached", weir_result_time(answer, p->lower));
    case WEIR_MARGIN_EXACT:
    case WEIR_MARGIN_NO_END:
        break;
    }
    if (p->chain == UINT32_MAX)
        return "any; every deadline is kept even where the next input is always there";
    return weir_answer_format(answer, "every %s; anything shorter breaks the deadline of %s", weir_result_time(answer, p->period),
                              chain_of(answer, p->chain));
}

static struct weir_datum pacing_record(struct weir_answer *answer, const char *name, const struct weir_pacing *p)
{
    struct weir_record record = {.answer = answer};
    weir_record_add(&record, "source", weir_datum_text(name));
    weir_record_add(&record, "outcome", weir_datum_text(outcomes[p->outcome]));
    if (p->outcome == WEIR_MARGIN_EXACT)
        weir_record_add(&record, "period", weir_datum_time(p->period));
    if (p->outcome == WEIR_MARGIN_BRACKET) {
        weir_record_add(&record, "lower", weir_datum_time(p->lower));
        weir_record_add(&record, "upper", weir_datum_if(p->upper >= 0, weir_datum_time(p->upper)));
    }
    if (p->chain != UINT32_MAX)
        add_chain(&record, p->chain);
    weir_record_add(&record, "searches", weir_datum_count((int64_t)p->searches));
    return weir_record_datum(&record);
}

enum weir_status weir_pacing_answer(const struct weir_pipeline *pipeline, const struct weir_source_pacing *pacings, size_t count,
                                    struct weir_answer **answer, struct weir_error *error)
{
    struct weir_answer *a = weir_answer_new(pipeline, error);
    struct weir_record list = {.answer = a};
    if (!a)
        return weir_answer_keep(a, a ? WEIR_OK : WEIR_MEMORY, answer, error);
    a->scope = "the shortest period with every deadline kept";
    for (size_t i = 0; i < count; i++) {
        const struct weir_pacing *p = &pacings[i].pacing;
        const char *name = weir_answer_name(a, pipeline->sources[pacings[i].source].op);
        enum weir_verdict verdict = p->outcome == WEIR_MARGIN_NONE      ? WEIR_VERDICT_BAD
                                    : p->outcome == WEIR_MARGIN_BRACKET ? WEIR_VERDICT_OPEN
                                                                        : WEIR_VERDICT_GOOD;
        a->trouble_verdict = verdict > a->trouble_verdict ? verdict : a->trouble_verdict;
        weir_record_add(&list, NULL, pacing_record(a, name, p));
        weir_answer_line(a, "%s: %s", name, describe_pacing(a, p));
    }
    weir_answer_add_fact(a, "periods", weir_record_datum(&list));
    return weir_answer_keep(a, a ? WEIR_OK : WEIR_MEMORY, answer, error);
}
