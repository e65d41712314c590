/* SPDX-License-Identifier: Apache-2.0 */
/* How latencies depend on each number of a model: tables of times and of capacities, every bend for programs. */
#include "explore/result.h"
#include "model/pipeline.h"

enum { STEPS_SHOWN = 12 };

static const char *const outcomes[] = {"exact", "unbounded", "bracket", "deadlock"};
static const char *const kinds[] = {"worst", "best", "capacity"};

/* "camera worst", "a -> b" */
static const char *name_of(struct weir_answer *answer, const struct weir_margin *m)
{
    if (m->parameter == WEIR_PARAMETER_CAPACITY)
        return weir_result_queue(answer, answer->pipeline, m->index);
    return weir_answer_format(answer, "%s %s", weir_answer_name(answer, (struct weir_operator){m->index}), kinds[m->parameter]);
}

static struct weir_datum number(const struct weir_margin *m, int64_t value)
{
    if (m->parameter != WEIR_PARAMETER_CAPACITY)
        return weir_datum_time(value);
    return weir_datum_if(value >= 0, weir_datum_count(value));
}

static struct weir_datum latency(struct weir_answer *answer, const struct weir_separation *s)
{
    switch (s->outcome) {
    case WEIR_EXACT:
        return weir_datum_time(s->value);
    case WEIR_NO_BOUND:
        return weir_datum_unknown("no bound");
    case WEIR_NO_EVENTS:
        return weir_datum_unknown("deadlock");
    case WEIR_BRACKET:
        break;
    }
    if (s->upper == INT64_MAX)
        return weir_datum_unknown("?");
    return weir_datum_unknown(weir_answer_format(answer, "at most %s", weir_result_time(answer, s->upper)));
}

static const char *latency_words(struct weir_answer *answer, const struct weir_separation *s)
{
    return s->outcome == WEIR_EXACT ? weir_result_time(answer, s->value) : latency(answer, s).is.text;
}

/* ---- for people ---- */

/* What the deadline leaves to a number. */
static struct weir_datum describe_limit(struct weir_answer *answer, const struct weir_margin *m)
{
    const char *words = m->parameter == WEIR_PARAMETER_BEST ? "down to" : "up to";
    if (!m->has_limit)
        return weir_datum_absent();
    if (m->limit < 0)
        return weir_datum_text("none will do");
    if (m->parameter == WEIR_PARAMETER_CAPACITY)
        return weir_datum_text(weir_answer_format(answer, "%s %lld%s", words, (long long)m->limit,
                                                  m->limit != m->high ? ""
                                                  : m->settled        ? " and more"
                                                                      : " at least"));
    if (m->parameter == WEIR_PARAMETER_WORST && m->limit == m->high)
        words = "beyond";
    return weir_datum_text(weir_answer_format(answer, "%s %s", words, weir_result_time(answer, m->limit)));
}

static const char *percentage(struct weir_answer *answer, char sign, unsigned permille)
{
    return permille % 10 ? weir_answer_format(answer, "%c%u.%u %%", sign, permille / 10, permille % 10)
                         : weir_answer_format(answer, "%c%u %%", sign, permille / 10);
}

static void add_times(struct weir_answer *answer, const struct weir_margins *margins, const char *chain, unsigned permille)
{
    struct weir_column *heads = weir_answer_take(answer, 6, sizeof *heads);
    struct weir_table_builder builder;
    if (!heads)
        return;
    heads[0].title = "time";
    heads[1].title = "now";
    heads[2].title = percentage(answer, '-', permille);
    heads[3].title = percentage(answer, '+', permille);
    heads[4].title = "deadline kept";
    heads[5].title = "remark";
    weir_table_begin(&builder, answer, NULL, heads, 6);
    for (size_t i = 0; i < margins->count; i++) {
        const struct weir_margin *m = &margins->items[i];
        if (m->parameter == WEIR_PARAMETER_CAPACITY || m->vertex_count == 0 || m->flat)
            continue;
        weir_table_cell(&builder, weir_datum_text(name_of(answer, m)));
        weir_table_cell(&builder, weir_datum_time(m->now));
        weir_table_cell(&builder, latency(answer, &m->at_less));
        weir_table_cell(&builder, latency(answer, &m->at_more));
        weir_table_cell(&builder, describe_limit(answer, m));
        weir_table_cell(&builder, m->proved ? weir_datum_absent() : weir_datum_text("in parts a bracket"));
    }
    weir_answer_add_table(&builder, weir_answer_format(answer, "%s: by each time", chain), NULL);
}

static bool same(const struct weir_separation *a, const struct weir_separation *b)
{
    return a->outcome == b->outcome && (a->outcome != WEIR_EXACT || a->value == b->value) && a->outcome != WEIR_BRACKET;
}

/* "1 (now): 29 ms, 2..5: 41 ms, 6 and more: 43 ms" */
static const char *describe_steps(struct weir_answer *answer, const struct weir_margin *m)
{
    const char *text = "";
    size_t shown = 0, next;
    for (size_t i = 0; text && i < m->vertex_count && shown < STEPS_SHOWN; i = next, shown++) {
        const struct weir_vertex *v = &m->vertices[i];
        for (next = i + 1; next < m->vertex_count && same(&v->latency, &m->vertices[next].latency) && v->at != m->now &&
                           m->vertices[next].at != m->now;)
            next++;
        bool last = next == m->vertex_count;
        const char *range = last && m->settled ? " and more"
                            : next > i + 1     ? weir_answer_format(answer, "..%lld", (long long)m->vertices[next - 1].at)
                                               : "";
        text = weir_answer_format(answer, "%s%s%lld%s%s: %s%s", text, i ? ", " : "", (long long)v->at, range ? range : "",
                                  v->at == m->now ? " (now)" : "", latency_words(answer, &v->latency),
                                  !last && shown + 1 == STEPS_SHOWN ? ", ..." : "");
    }
    return text;
}

static void add_capacities(struct weir_answer *answer, const struct weir_margins *margins, const char *chain)
{
    static const struct weir_column columns[] = {{NULL, "queue"}, {NULL, "deadline kept"}, {NULL, "latency by its capacity"}};
    struct weir_table_builder builder;
    weir_table_begin(&builder, answer, NULL, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < margins->count; i++) {
        const struct weir_margin *m = &margins->items[i];
        if (m->parameter != WEIR_PARAMETER_CAPACITY || m->vertex_count == 0 || (m->flat && m->settled))
            continue;
        weir_table_cell(&builder, weir_datum_text(name_of(answer, m)));
        weir_table_cell(&builder, describe_limit(answer, m));
        weir_table_cell(&builder, weir_datum_text(describe_steps(answer, m)));
    }
    weir_answer_add_table(&builder, weir_answer_format(answer, "%s: by each capacity", chain), NULL);
}

static void note_still(struct weir_answer *answer, const struct weir_margins *margins, const char *chain)
{
    const char *names = NULL;
    for (size_t i = 0; i < margins->count; i++) {
        const struct weir_margin *m = &margins->items[i];
        if (m->vertex_count && m->flat && (m->parameter != WEIR_PARAMETER_CAPACITY || m->settled))
            names = weir_answer_format(answer, "%s%s%s", names ? names : "", names ? ", " : "", name_of(answer, m));
    }
    if (names)
        weir_answer_note(answer, "Do not matter for %s: %s", chain, names);
}

/* ---- for programs ---- */

static void add_target(struct weir_record *record, const struct weir_margin *m)
{
    const struct weir_pipeline *p = record->answer->pipeline;
    if (m->parameter != WEIR_PARAMETER_CAPACITY) {
        weir_record_add(record, "operator", weir_datum_text(p->operators[m->index].name));
        return;
    }
    weir_record_add(record, "queue", weir_datum_count(m->index));
    weir_result_add_ends(record, p, p->queues[m->index].from, p->queues[m->index].to);
}

static struct weir_datum at_record(struct weir_answer *answer, struct weir_datum at, const struct weir_separation *s)
{
    struct weir_record record = {.answer = answer};
    weir_record_add(&record, "at", at);
    weir_record_add(&record, "worst", weir_datum_if(s->outcome == WEIR_EXACT, weir_datum_time(s->value)));
    return weir_record_datum(&record);
}

static struct weir_datum bends_of(struct weir_answer *answer, const struct weir_margin *m)
{
    struct weir_record bends = {.answer = answer};
    for (size_t i = 0; i < m->vertex_count; i++) {
        const struct weir_vertex *v = &m->vertices[i];
        struct weir_record bend = {.answer = answer};
        weir_record_add(&bend, "at", number(m, v->at));
        weir_record_add(&bend, "worst", weir_datum_if(v->latency.outcome == WEIR_EXACT, weir_datum_time(v->latency.value)));
        weir_record_add(&bend, "outcome", weir_datum_text(outcomes[v->latency.outcome]));
        if (i + 1 < m->vertex_count)
            weir_record_add(&bend, "proof", weir_datum_text(weir_proof_name(v->proof)));
        weir_record_add(&bends, NULL, weir_record_datum(&bend));
    }
    return weir_record_datum(&bends);
}

static struct weir_datum margin_record(struct weir_answer *answer, const struct weir_margin *m)
{
    struct weir_record record = {.answer = answer};
    weir_record_add(&record, "number", weir_datum_text(kinds[m->parameter]));
    add_target(&record, m);
    weir_record_add(&record, "now", number(m, m->now));
    weir_record_add(&record, "low", number(m, m->low));
    weir_record_add(&record, "high", number(m, m->high));
    weir_record_add(&record, "less", at_record(answer, number(m, m->less), &m->at_less));
    weir_record_add(&record, "more", at_record(answer, number(m, m->more), &m->at_more));
    weir_record_add(&record, "matters", weir_datum_flag(!m->flat));
    weir_record_add(&record, "proved", weir_datum_flag(m->proved));
    if (m->parameter == WEIR_PARAMETER_CAPACITY)
        weir_record_add(&record, "settled", weir_datum_flag(m->settled));
    if (m->has_limit)
        weir_record_add(&record, "limit", weir_datum_if(m->limit >= 0, number(m, m->limit)));
    weir_record_add(&record, "bends", bends_of(answer, m));
    return weir_record_datum(&record);
}

static struct weir_datum margins_record(struct weir_answer *answer, const struct weir_margins *margins)
{
    const struct weir_chain_spec *chain = &answer->pipeline->chains[margins->chain];
    const struct weir_separation *now = &margins->now;
    struct weir_record record = {.answer = answer}, numbers = {.answer = answer};
    weir_result_add_ends(&record, answer->pipeline, chain->from, chain->to);
    weir_record_add(&record, "worst", weir_datum_if(now->outcome == WEIR_EXACT, weir_datum_time(now->value)));
    weir_record_add(&record, "outcome", weir_datum_text(outcomes[now->outcome]));
    if (chain->has_deadline)
        weir_record_add(&record, "deadline", weir_datum_time(chain->deadline));
    for (size_t i = 0; i < margins->count; i++)
        if (margins->items[i].vertex_count)
            weir_record_add(&numbers, NULL, margin_record(answer, &margins->items[i]));
    weir_record_add(&record, "numbers", weir_record_datum(&numbers));
    return weir_record_datum(&record);
}

/* Every bend of every function. */
static void add_csv(struct weir_answer *answer, const struct weir_margins *const *list, size_t count)
{
    static const struct weir_column columns[] = {{NULL, "from"}, {NULL, "to"},    {NULL, "number"},  {NULL, "of"},
                                                 {NULL, "at"},   {NULL, "worst"}, {NULL, "outcome"}, {NULL, "proof"}};
    struct weir_table_builder builder;
    weir_table_begin(&builder, answer, NULL, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < list[i]->count; k++) {
            const struct weir_margin *m = &list[i]->items[k];
            const struct weir_chain_spec *chain = &answer->pipeline->chains[list[i]->chain];
            for (size_t v = 0; v < m->vertex_count; v++) {
                const struct weir_vertex *vertex = &m->vertices[v];
                const struct weir_separation *s = &vertex->latency;
                bool queue = m->parameter == WEIR_PARAMETER_CAPACITY;
                weir_table_cell(&builder, weir_datum_text(weir_answer_name(answer, chain->from)));
                weir_table_cell(&builder, weir_datum_text(weir_answer_name(answer, chain->to)));
                weir_table_cell(&builder, weir_datum_text(kinds[m->parameter]));
                weir_table_cell(&builder, weir_datum_text(queue ? name_of(answer, m) : answer->pipeline->operators[m->index].name));
                weir_table_cell(&builder, number(m, vertex->at));
                weir_table_cell(&builder, weir_datum_if(s->outcome == WEIR_EXACT, weir_datum_time(s->value)));
                weir_table_cell(&builder, weir_datum_text(outcomes[s->outcome]));
                weir_table_cell(&builder,
                                v + 1 < m->vertex_count ? weir_datum_text(weir_proof_name(vertex->proof)) : weir_datum_null());
            }
        }
    weir_answer_add_table(&builder, NULL, NULL);
    answer->csv = answer->tables.count;
}

/* ---- all of it ---- */

static void add_margins(struct weir_answer *answer, const struct weir_margins *margins, unsigned permille)
{
    const struct weir_chain_spec *chain = &answer->pipeline->chains[margins->chain];
    struct weir_bound bound = {.chain = *chain,
                               .worst = weir_quantity_of(&margins->now, false),
                               .has_deadline = chain->has_deadline,
                               .deadline = chain->deadline};
    bound.state = weir_judge(&bound);
    enum weir_verdict verdict = weir_bound_verdict(&bound);
    answer->trouble_verdict = verdict > answer->trouble_verdict ? verdict : answer->trouble_verdict;
    const char *title = weir_result_chain(answer, answer->pipeline, &bound);
    const char *worst = latency_words(answer, &margins->now);
    if (chain->has_deadline)
        weir_answer_line(answer, "%s: worst %s, deadline %s: %s", title, worst, weir_result_time(answer, chain->deadline),
                         weir_deadline_state_name(bound.state));
    else
        weir_answer_line(answer, "%s: worst %s", title, worst);
    add_times(answer, margins, title, permille);
    add_capacities(answer, margins, title);
    note_still(answer, margins, title);
}

enum weir_status weir_margins_answer(const struct weir_pipeline *pipeline, const struct weir_margins_options *options,
                                     const struct weir_margins *const *margins, size_t count, struct weir_answer **answer,
                                     struct weir_error *error)
{
    struct weir_answer *a = weir_answer_new(pipeline, error);
    struct weir_record list = {.answer = a};
    bool complete = !weir_result_stopped(options->stop), proved = true;
    if (!a)
        return weir_answer_keep(a, a ? WEIR_OK : WEIR_MEMORY, answer, error);
    a->scope = "what each latency depends on, one number at a time";
    for (size_t i = 0; i < count; i++) {
        complete &= margins[i]->complete;
        for (size_t k = 0; k < margins[i]->count; k++)
            proved &= margins[i]->items[k].proved;
        add_margins(a, margins[i], options->permille ? options->permille : 100);
        weir_record_add(&list, NULL, margins_record(a, margins[i]));
    }
    weir_answer_add_fact(a, "sensitivity", weir_record_datum(&list));
    weir_answer_add_fact(a, "complete", weir_datum_flag(complete));
    add_csv(a, margins, count);
    weir_answer_note(a, "%s",
                     !complete ? "Interrupted: what is missing here was not looked at."
                     : proved  ? "Every function is exact, for all other numbers as they are in the model."
                               : "Every function is exact but for those that are in parts a bracket, for all other numbers as they "
                                 "are in the model.");
    return weir_answer_keep(a, a ? WEIR_OK : WEIR_MEMORY, answer, error);
}
