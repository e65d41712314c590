/* SPDX-License-Identifier: Apache-2.0 */
/* What became of a model, as an answer: for people lines, a table and what to do; for programs the same as facts. */
#include "guard/guard.h"

#include "model/pipeline.h"

static const char *const verdicts[] = {[WEIR_VERDICT_GOOD] = "good", [WEIR_VERDICT_OPEN] = "open", [WEIR_VERDICT_BAD] = "bad"};

/* ---- for programs ---- */

static void add_place(struct weir_record *record, struct weir_place place)
{
    weir_record_add(record, "line", weir_datum_count(place.line));
    weir_record_add(record, "column", weir_datum_count(place.column));
}

static struct weir_datum causes_of(struct weir_answer *answer, const struct weir_guard_finding *f)
{
    struct weir_record list = {.answer = answer};
    for (size_t i = 0; i < f->cause_count; i++) {
        struct weir_record one = {.answer = answer};
        weir_record_add(&one, "what", weir_datum_text(f->causes[i].what));
        weir_record_add(&one, "role", weir_datum_text(weir_guard_role_name(f->causes[i].role)));
        weir_record_add(&one, "effect", weir_datum_text(f->causes[i].effect));
        add_place(&one, f->causes[i].place);
        weir_record_add(&list, NULL, weir_record_datum(&one));
    }
    struct weir_datum datum = weir_record_datum(&list);
    datum.kind = WEIR_DATUM_LIST; /* also where it is empty */
    return datum;
}

static struct weir_datum bound_of(const struct weir_bound *bound)
{
    struct weir_datum worst = bound ? weir_result_worst(bound) : weir_datum_null();
    return worst;
}

static void add_facts(const struct weir_guard_work *work)
{
    const struct weir_guard_entry *entry = work->entry;
    struct weir_answer *answer = entry->answer;
    struct weir_record list = {.answer = answer};
    weir_answer_add_fact(answer, "goal", weir_datum_text("check"));
    weir_answer_add_fact(answer, "file", weir_datum_text(entry->model.file));
    weir_answer_add_fact(answer, "change", weir_datum_text(weir_guard_change_name(entry->model.change)));
    weir_answer_add_fact(answer, "verdict", weir_datum_text(verdicts[entry->model.verdict]));
    weir_answer_add_fact(answer, "tolerance", weir_datum_text(work->guard->options.tolerance));
    for (size_t i = 0; i < work->count; i++) {
        const struct weir_guard_finding *f = &work->findings[i];
        const struct weir_bound *b = work->chains[i].before, *a = work->chains[i].after, *any = a ? a : b;
        struct weir_record one = {.answer = answer};
        if (any->whole)
            weir_record_add(&one, "whole", weir_datum_flag(true));
        else
            weir_result_add_ends(&one, a || !entry->record ? entry->pipeline : entry->record->pipeline, any->chain.from,
                                 any->chain.to);
        weir_record_add(&one, "change", weir_datum_text(weir_guard_change_name(f->change)));
        weir_record_add(&one, "verdict", weir_datum_text(verdicts[f->verdict]));
        weir_record_add(&one, "before", bound_of(b));
        weir_record_add(&one, "after", bound_of(a));
        if (a)
            weir_record_add(&one, "outcome", weir_datum_text(weir_claim_name(a->worst.claim)));
        if (a && a->has_deadline)
            weir_record_add(&one, "deadline", weir_datum_time(a->deadline));
        if (a)
            weir_record_add(&one, "state", weir_datum_text(weir_deadline_state_name(a->state)));
        weir_record_add(&one, "message", weir_datum_text(f->message));
        if (f->because)
            weir_record_add(&one, "because", weir_datum_text(f->because));
        weir_record_add(&one, "causes", causes_of(answer, f));
        add_place(&one, f->place);
        weir_record_add(&list, NULL, weir_record_datum(&one));
    }
    struct weir_datum latency = weir_record_datum(&list);
    latency.kind = WEIR_DATUM_LIST;
    weir_answer_add_fact(answer, "latency", latency);
}

/* ---- for people ---- */

static const char *headline(const struct weir_guard_work *work, size_t counts[WEIR_GUARD_CHANGES])
{
    struct weir_answer *answer = work->entry->answer;
    const char *trouble = work->entry->today ? work->entry->today->trouble : NULL;
    size_t bad = counts[WEIR_GUARD_WORSE], open = counts[WEIR_GUARD_OPEN], missed = 0;
    for (size_t i = 0; i < work->count; i++)
        missed += work->findings[i].verdict != WEIR_VERDICT_GOOD && work->findings[i].change != WEIR_GUARD_WORSE &&
                  work->findings[i].change != WEIR_GUARD_OPEN;
    if (work->entry->model.change == WEIR_GUARD_GONE && !work->entry->pipeline)
        return "only in the baseline: it was not among the models";
    if (!work->entry->record)
        return work->entry->model.verdict == WEIR_VERDICT_GOOD ? "new: not in the baseline"
                                                               : "new: not in the baseline, and not good";
    if (bad)
        return weir_answer_format(answer, "WORSE: %zu of %zu latenc%s", bad, work->count, work->count == 1 ? "y" : "ies");
    if (open)
        return weir_answer_format(answer, "not decided: %zu of %zu latenc%s", open, work->count, work->count == 1 ? "y" : "ies");
    if (missed)
        return weir_answer_format(answer, "not worse than in the baseline, but %zu latenc%s not good", missed,
                                  missed == 1 ? "y is" : "ies are");
    if (work->entry->model.verdict != WEIR_VERDICT_GOOD && trouble)
        return trouble;
    return counts[WEIR_GUARD_BETTER] ? weir_answer_format(answer, "better: %zu of %zu latenc%s", counts[WEIR_GUARD_BETTER],
                                                          work->count, work->count == 1 ? "y" : "ies")
                                     : "as in the baseline";
}

static void add_lines(const struct weir_guard_work *work)
{
    struct weir_answer *answer = work->entry->answer;
    for (size_t i = 0; i < work->count; i++) {
        const struct weir_guard_finding *f = &work->findings[i];
        if (f->change == WEIR_GUARD_SAME && f->verdict == WEIR_VERDICT_GOOD)
            continue;
        weir_answer_line(answer, "%s: %s", f->latency, f->message);
        if (f->because)
            weir_answer_line(answer, "  %s%s", f->because, f->cause_count ? ":" : "");
        for (size_t k = 0; k < f->cause_count; k++) {
            const struct weir_guard_cause *c = &f->causes[k];
            if (c->place.line)
                weir_answer_line(answer, "    %s:%u: %s; %s", work->entry->model.file, c->place.line, c->what, c->effect);
            else
                weir_answer_line(answer, "    %s; %s", c->what, c->effect);
        }
    }
}

static void add_remedies(const struct weir_guard_work *work, const size_t counts[WEIR_GUARD_CHANGES])
{
    struct weir_answer *answer = work->entry->answer;
    if (work->guard->options.updates)
        return;
    if (counts[WEIR_GUARD_WORSE])
        weir_answer_remedy(answer, "if this is intended, update the baseline: --update");
    else if (counts[WEIR_GUARD_BETTER])
        weir_answer_remedy(answer, "to keep this improvement, update the baseline: --update");
    else if (counts[WEIR_GUARD_NEW] || counts[WEIR_GUARD_GONE])
        weir_answer_remedy(answer, "update the baseline: --update");
}

void weir_guard_tell(const struct weir_guard_work *work)
{
    struct weir_guard_entry *entry = work->entry;
    struct weir_answer *answer = entry->answer;
    size_t counts[WEIR_GUARD_CHANGES] = {0};
    struct weir_result_table table = {.before = entry->record ? entry->record->pipeline : entry->pipeline,
                                      .after = entry->pipeline,
                                      .chains = work->chains,
                                      .count = work->count,
                                      .title = "Worst latencies"};
    for (size_t i = 0; i < work->count; i++)
        counts[work->findings[i].change]++;
    answer->scope = headline(work, counts);
    answer->trouble_verdict = entry->model.verdict;
    add_lines(work);
    if (work->count && entry->pipeline)
        weir_result_add_table(answer, &table);
    add_remedies(work, counts);
    add_facts(work);
}
