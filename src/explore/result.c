/* SPDX-License-Identifier: Apache-2.0 */
#include "explore/result.h"

#include "answer/number.h"
#include "base/number.h"
#include "model/pipeline.h"

#include <string.h>

const char *weir_result_amount(struct weir_answer *answer, struct weir_ratio ticks)
{
    char text[WEIR_NUMBER_TEXT];
    bool negative = ticks.denominator > 1 && ticks.numerator < 0;
    if (ticks.denominator == 1)
        return weir_result_time(answer, ticks.numerator);
    ticks.numerator = negative ? -ticks.numerator : ticks.numerator;
    return weir_answer_format(answer, "%s%s", negative ? "-" : "", weir_ratio_amount(answer->pipeline, ticks, text));
}

const char *weir_result_time(struct weir_answer *answer, int64_t ticks)
{
    char text[WEIR_AMOUNT_TEXT];
    return weir_answer_format(answer, "%s", weir_amount_format(answer->pipeline, ticks, text));
}

const char *weir_result_count(struct weir_answer *answer, int64_t count)
{
    char text[WEIR_COUNT_TEXT];
    return weir_answer_format(answer, "%s", weir_count_format(count, text));
}

static const char *name_of(const struct weir_pipeline *pipeline, struct weir_operator op)
{
    return pipeline->operators[op.index].name;
}

const char *weir_result_chain(struct weir_answer *answer, const struct weir_pipeline *pipeline, const struct weir_bound *bound)
{
    /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): what is in no answer before is in the one after */
    if (bound->whole)
        return "the whole";
    return weir_answer_format(answer, "%s -> %s", name_of(pipeline, bound->chain.from), name_of(pipeline, bound->chain.to));
}

const char *weir_result_queue(struct weir_answer *answer, const struct weir_pipeline *p, uint32_t index)
{
    const struct weir_queue_spec *queue = &p->queues[index];
    unsigned nth = 1;
    for (uint32_t i = 0; i < index; i++)
        nth += p->queues[i].from.index == queue->from.index && p->queues[i].to.index == queue->to.index;
    const char *from = name_of(p, queue->from), *to = name_of(p, queue->to);
    return nth > 1 ? weir_answer_format(answer, "%s -> %s#%u", from, to, nth) : weir_answer_format(answer, "%s -> %s", from, to);
}

struct weir_datum weir_result_worst(const struct weir_bound *bound)
{
    if (weir_bound_holds(bound))
        return weir_datum_ratio(bound->worst.high);
    return weir_datum_unknown(bound->worst.claim == WEIR_CLAIM_UNBOUNDED ? "no bound"
                              : bound->worst.claim == WEIR_CLAIM_NONE    ? "none"
                                                                         : "not known");
}

struct weir_datum weir_result_met(enum weir_deadline_state state)
{
    bool decided = state != WEIR_DEADLINE_NOT_PROVED && state != WEIR_DEADLINE_NOT_DECIDED;
    return weir_datum_if(decided, weir_datum_flag(state != WEIR_DEADLINE_MISSED));
}

const char *weir_result_deadlines(struct weir_answer *answer, const struct weir_bound *bounds, size_t count)
{
    size_t states[5] = {0}, without = 0;
    char text[160];
    int used = 0;
    for (size_t i = 0; i < count; i++) {
        states[bounds[i].state]++;
        without += bounds[i].worst.claim == WEIR_CLAIM_UNBOUNDED || bounds[i].worst.claim == WEIR_CLAIM_UNKNOWN;
    }
    for (enum weir_deadline_state s = WEIR_DEADLINE_MISSED; s > WEIR_DEADLINE_MET; s--)
        if (states[s])
            used += used ? snprintf(text + used, sizeof text - (size_t)used, ", %zu %s", states[s], weir_deadline_state_name(s))
                         : snprintf(text, sizeof text, "%zu deadline%s %s", states[s], states[s] == 1 ? "" : "s",
                                    weir_deadline_state_name(s));
    if (used)
        return weir_answer_format(answer, "%s", text);
    if (without)
        return weir_answer_format(answer, "no bound for %zu latenc%s", without, without == 1 ? "y" : "ies");
    return states[WEIR_DEADLINE_MET] == 0 ? "no deadlines" : states[WEIR_DEADLINE_MET] == 1 ? "deadline met" : "all deadlines met";
}

/* ---- before and after ---- */

const struct weir_bound *weir_result_find(const struct weir_answer *in, const struct weir_pipeline *p,
                                          const struct weir_bound *bound)
{
    const struct weir_bound *found = NULL;
    for (size_t i = 0; i < in->bound_count; i++) {
        const struct weir_bound *b = &in->bounds[i];
        if (b->whole && bound->whole)
            return b;
        if (b->whole || bound->whole || strcmp(name_of(in->pipeline, b->chain.from), name_of(p, bound->chain.from)) != 0 ||
            strcmp(name_of(in->pipeline, b->chain.to), name_of(p, bound->chain.to)) != 0)
            continue;
        if (b->chain.has_shift == bound->chain.has_shift && b->chain.shift == bound->chain.shift)
            return b;
        found = found ? found : b;
    }
    return found;
}

struct weir_result_chain *weir_result_chains(struct weir_answer *answer, const struct weir_answer *before,
                                             const struct weir_answer *after, size_t *count)
{
    struct weir_result_chain *chains = weir_answer_take(answer, before->bound_count + after->bound_count, sizeof *chains);
    *count = 0;
    for (size_t i = 0; chains && i < after->bound_count; i++)
        chains[(*count)++] =
            (struct weir_result_chain){weir_result_find(before, after->pipeline, &after->bounds[i]), &after->bounds[i]};
    for (size_t i = 0; chains && i < before->bound_count; i++)
        if (!weir_result_find(after, before->pipeline, &before->bounds[i]))
            chains[(*count)++] = (struct weir_result_chain){&before->bounds[i], NULL};
    return chains;
}

/* "+0.3", "-12", "" */
static struct weir_datum difference(struct weir_answer *answer, struct weir_ratio before, struct weir_ratio after)
{
    char text[WEIR_NUMBER_TEXT];
    int order = weir_ratio_compare(after, before);
    struct weir_ratio more = order > 0 ? after : before, less = order > 0 ? before : after, by;
    if (order == 0)
        return weir_datum_absent();
    if (more.denominator == 1 && less.denominator == 1) /* either may be negative */
        by = (struct weir_ratio){more.numerator - less.numerator, 1};
    else
        by = weir_ratio_difference(more, less);
    return weir_datum_text(weir_answer_format(answer, "%s%s", order > 0 ? "+" : "-", weir_ratio_time(answer->pipeline, by, text)));
}

static struct weir_datum describe_deadline(struct weir_answer *answer, const struct weir_result_chain *chain)
{
    const struct weir_bound *b = chain->before, *a = chain->after;
    char from[WEIR_TIME_TEXT], to[WEIR_TIME_TEXT];
    if (!a || !a->has_deadline)
        return weir_datum_absent();
    if (!b || !b->has_deadline || b->deadline == a->deadline)
        return weir_datum_time(a->deadline);
    weir_time_format(answer->pipeline, b->deadline, from);
    weir_time_format(answer->pipeline, a->deadline, to);
    return weir_datum_text(weir_answer_format(answer, "%s -> %s", from, to));
}

static struct weir_datum describe_state(struct weir_answer *answer, const struct weir_result_chain *chain)
{
    const struct weir_bound *b = chain->before, *a = chain->after;
    if (!a || !a->has_deadline)
        return weir_datum_absent();
    const char *now = weir_deadline_state_name(a->state);
    bool changed = b && b->has_deadline && b->state != a->state;
    return weir_datum_text(changed ? weir_answer_format(answer, "%s -> %s", weir_deadline_state_name(b->state), now) : now);
}

static void add_best(struct weir_table_builder *builder, const struct weir_result_chain *chain)
{
    const struct weir_bound *b = chain->before, *a = chain->after;
    if (!a || !b || a->best.low.denominator == 0 || b->best.low.denominator == 0)
        return;
    struct weir_datum before = weir_datum_ratio(b->best.low), after = weir_datum_ratio(a->best.low);
    before.rounds_down = after.rounds_down = true;
    weir_table_cell(builder, weir_datum_text("  best case"));
    weir_table_cell(builder, before);
    weir_table_cell(builder, after);
    weir_table_cell(builder, difference(builder->answer, b->best.low, a->best.low));
    weir_table_cell(builder, weir_datum_absent());
    weir_table_cell(builder, weir_datum_absent());
}

void weir_result_add_table(struct weir_answer *answer, const struct weir_result_table *table)
{
    static const struct weir_column columns[] = {{NULL, "latency"}, {NULL, "before"},   {NULL, "after"},
                                                 {NULL, "change"},  {NULL, "deadline"}, {NULL, "state"}};
    struct weir_table_builder builder;
    weir_table_begin(&builder, answer, NULL, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < table->count; i++) {
        const struct weir_bound *b = table->chains[i].before, *a = table->chains[i].after;
        bool both = a && b && weir_bound_holds(a) && weir_bound_holds(b);
        weir_table_cell(&builder, weir_datum_text(weir_result_chain(answer, a ? table->after : table->before, a ? a : b)));
        weir_table_cell(&builder, b ? weir_result_worst(b) : weir_datum_unknown("new"));
        weir_table_cell(&builder, a ? weir_result_worst(a) : weir_datum_unknown("gone"));
        weir_table_cell(&builder, both ? difference(answer, b->worst.high, a->worst.high) : weir_datum_absent());
        weir_table_cell(&builder, describe_deadline(answer, &table->chains[i]));
        weir_table_cell(&builder, describe_state(answer, &table->chains[i]));
        if (table->with_best)
            add_best(&builder, &table->chains[i]);
    }
    weir_answer_add_table(&builder, table->title, table->note);
}

/* ---- for programs ---- */

void weir_result_add_ends(struct weir_record *record, const struct weir_pipeline *pipeline, struct weir_operator from,
                          struct weir_operator to)
{
    weir_record_add(record, "from", weir_datum_text(name_of(pipeline, from)));
    weir_record_add(record, "to", weir_datum_text(name_of(pipeline, to)));
}

/* An array of from, to, worst, met and state. */
static void add_bounds(struct weir_answer *answer, const char *key, const struct weir_answer *of)
{
    static const struct weir_column columns[] = {{"from", NULL}, {"to", NULL}, {"worst", NULL}, {"met", NULL}, {"state", NULL}};
    struct weir_table_builder builder;
    weir_table_begin(&builder, answer, key, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < of->bound_count; i++) {
        const struct weir_bound *bound = &of->bounds[i];
        weir_table_cell(&builder, weir_datum_text(name_of(of->pipeline, bound->chain.from)));
        weir_table_cell(&builder, weir_datum_text(name_of(of->pipeline, bound->chain.to)));
        weir_table_cell(&builder, weir_result_worst(bound));
        weir_table_cell(&builder, weir_result_met(bound->state));
        weir_table_cell(&builder, weir_datum_text(weir_deadline_state_name(bound->state)));
    }
    weir_answer_add_table(&builder, NULL, NULL);
}

/* ---- both ---- */

enum weir_status weir_result_ask(const struct weir_pipeline *before, const struct weir_pipeline *after,
                                 const struct weir_answer_options *options, struct weir_result_pair *pair, struct weir_error *error)
{
    enum weir_status status = weir_answer_find(before, options, &pair->before, error);
    return status ? status : weir_answer_find(after, options, &pair->after, error);
}

void weir_result_pair_free(struct weir_result_pair *pair)
{
    weir_answer_free(pair->before);
    weir_answer_free(pair->after);
}

void weir_result_add_pair(struct weir_answer *answer, const struct weir_result_pair *pair, const char *note)
{
    struct weir_result_table table = {
        .before = pair->before->pipeline, .after = pair->after->pipeline, .title = "Worst latencies", .note = note};
    table.chains = weir_result_chains(answer, pair->before, pair->after, &table.count);
    if (table.chains)
        weir_result_add_table(answer, &table);
    add_bounds(answer, "before", pair->before);
    add_bounds(answer, "after", pair->after);
    answer->trouble_verdict = weir_answer_verdict(pair->after);
}
