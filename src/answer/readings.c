/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where broadcasts are assumed (model/ports.h), the same is asked of every reading of the ports, and the answer is what holds for
 * all of them: the largest worst case, the least best case, the longest gap and period.
 */
#include "answer/answer.h"
#include "base/error.h"
#include "base/number.h"
#include "model/ports.h"

#include <string.h>

/* ---- what holds for two ---- */

static bool is_known(struct weir_ratio r)
{
    return r.denominator > 0;
}

/* The larger, or with `least` the smaller of two; one that is not known is beyond all others where `open`, else passed over. */
static struct weir_ratio choose(struct weir_ratio a, struct weir_ratio b, bool least, bool open)
{
    if (!is_known(a) || !is_known(b))
        return is_known(a) == open ? b : a;
    return (weir_ratio_compare(a, b) < 0) == least ? a : b;
}

static enum weir_claim weaker(enum weir_claim a, enum weir_claim b)
{
    static const enum weir_claim order[] = {WEIR_CLAIM_UNBOUNDED, WEIR_CLAIM_UNKNOWN, WEIR_CLAIM_UNSAFE,
                                            WEIR_CLAIM_BRACKET,   WEIR_CLAIM_SAFE,    WEIR_CLAIM_EXACT};
    for (size_t i = 0; i < sizeof order / sizeof *order; i++)
        if (a == order[i] || b == order[i])
            return order[i];
    return WEIR_CLAIM_NONE;
}

/* A bound from above, or with `least` from below. */
static struct weir_quantity join(struct weir_quantity a, struct weir_quantity b, bool least)
{
    struct weir_quantity all = {.claim = weaker(a.claim, b.claim)};
    if (a.claim == WEIR_CLAIM_NONE || b.claim == WEIR_CLAIM_NONE)
        return least ? (struct weir_quantity){.claim = WEIR_CLAIM_NONE} : a.claim == WEIR_CLAIM_NONE ? b : a;
    if (all.claim == WEIR_CLAIM_UNBOUNDED || all.claim == WEIR_CLAIM_UNKNOWN)
        return all;
    all.low = choose(a.low, b.low, least, least);
    all.high = choose(a.high, b.high, least, !least);
    if (is_known(all.low) && is_known(all.high) && weir_ratio_compare(all.low, all.high) == 0)
        all.claim = WEIR_CLAIM_EXACT;
    else if (all.claim == WEIR_CLAIM_SAFE)
        *(least ? &all.high : &all.low) = (struct weir_ratio){0, 0};
    return all;
}

static bool differs(const struct weir_quantity *a, const struct weir_quantity *b)
{
    return a->claim != b->claim || a->low.numerator != b->low.numerator || a->low.denominator != b->low.denominator ||
           a->high.numerator != b->high.numerator || a->high.denominator != b->high.denominator;
}

/* ---- texts of another answer, which is freed ---- */

static const char *keep_text(struct weir_answer *answer, const char *text)
{
    return text ? weir_answer_format(answer, "%s", text) : NULL;
}

static void keep_terms(struct weir_answer *answer, struct weir_bound *bound, const struct weir_bound *from)
{
    struct weir_bound_term *terms = from->term_count ? weir_answer_take(answer, from->term_count, sizeof *terms) : NULL;
    for (size_t i = 0; terms && i < from->term_count; i++)
        terms[i] = (struct weir_bound_term){keep_text(answer, from->terms[i].text), from->terms[i].time};
    bound->terms = terms;
    bound->term_count = terms ? from->term_count : 0;
}

/* Returns whether the other one is larger, and is what the bound speaks of from now on. */
static bool join_bound(struct weir_answer *answer, struct weir_bound *bound, const struct weir_bound *other)
{
    struct weir_quantity worst = join(bound->worst, other->worst, false);
    bool larger = differs(&worst, &bound->worst);
    bound->best = join(bound->best, other->best, true);
    bound->gap = join(bound->gap, other->gap, false);
    bound->verified &= other->verified;
    if (!larger)
        return false;
    bound->worst = worst;
    bound->why = keep_text(answer, other->why ? other->why : bound->why);
    bound->path = keep_text(answer, other->path);
    bound->witness = NULL;
    bound->details = NULL; /* keys that only one of them has */
    bound->detail_count = 0;
    keep_terms(answer, bound, other);
    return true;
}

static struct weir_datum keep_datum(struct weir_answer *answer, const struct weir_datum *value)
{
    struct weir_datum own = *value;
    if (value->kind == WEIR_DATUM_TEXT || (value->kind == WEIR_DATUM_NULL && value->is.text))
        own.is.text = keep_text(answer, value->is.text);
    return own;
}

/* The slower of the two throughputs, with who is to blame. */
static void join_throughput(struct weir_answer *answer, const struct weir_answer *other)
{
    struct weir_ratio mine = weir_answer_period(answer), theirs = weir_answer_period(other);
    struct weir_field *facts = answer->facts.items;
    struct weir_datum slower = weir_answer_fact(other, "throughput");
    if (!is_known(mine) || !is_known(theirs) || weir_ratio_compare(theirs, mine) <= 0)
        return;
    struct weir_record record = {.answer = answer};
    for (size_t i = 0; i < slower.field_count; i++) {
        const struct weir_datum *value = &slower.is.fields[i].value;
        struct weir_record list = {.answer = answer};
        for (size_t k = 0; value->kind == WEIR_DATUM_LIST && k < value->field_count; k++)
            weir_record_add(&list, NULL, keep_datum(answer, &value->is.fields[k].value));
        weir_record_add(&record, keep_text(answer, slower.is.fields[i].key),
                        value->kind == WEIR_DATUM_LIST ? weir_record_datum(&list) : keep_datum(answer, value));
    }
    for (size_t i = 0; i < answer->facts.count; i++)
        if (strcmp(facts[i].key, "throughput") == 0)
            facts[i].value = weir_record_datum(&record);
    struct weir_operator *ops = weir_answer_take(answer, other->bottleneck_count, sizeof *ops);
    size_t count = 0;
    for (size_t i = 0; ops && i < other->bottleneck_count; i++)
        count += weir_pipeline_find(answer->pipeline, weir_answer_name(other, other->bottleneck[i]), &ops[count]);
    answer->bottleneck = ops;
    answer->bottleneck_count = count;
}

/* ---- the table ---- */

/* "one port", "a port each", or who shares which: "camera: a, b | c". */
static const char *describe(struct weir_answer *answer, const struct weir_readings *r)
{
    const struct weir_pipeline *p = answer->pipeline;
    const char *text = "";
    bool one = true, each = true;
    for (uint32_t b = 0; b < r->count; b++) {
        uint32_t op = r->broadcasts[b], first = r->out.first[op], end = r->out.first[op + 1], ports = 0;
        for (uint32_t i = first; i < end; i++)
            ports = r->port[r->out.queue[i]] >= ports ? r->port[r->out.queue[i]] + 1 : ports;
        one &= ports == 1;
        each &= ports == end - first;
        text = weir_answer_format(answer, "%s%s%s:", text ? text : "", b ? "; " : "",
                                  p->operators[p->queues[r->in.queue[r->in.first[op]]].from.index].name);
        for (uint32_t port = 0; port < ports; port++) {
            const char *before = port ? " | " : " ";
            for (uint32_t i = first; i < end; i++, before = r->port[r->out.queue[i - 1]] == port ? ", " : before)
                if (r->port[r->out.queue[i]] == port)
                    text = weir_answer_format(answer, "%s%s%s", text ? text : "", before,
                                              weir_answer_name(answer, p->queues[r->out.queue[i]].to));
        }
    }
    return one ? "one port" : each ? "a port each" : text;
}

static void add_rows(struct weir_table_builder *table, const struct weir_readings *r, const struct weir_answer *found,
                     const bool *wanted)
{
    struct weir_answer *answer = table->answer;
    const char *ports = describe(answer, r);
    for (size_t i = 0; i < found->bound_count; i++) {
        const struct weir_bound *bound = &found->bounds[i];
        struct weir_datum worst = is_known(bound->worst.high) ? weir_datum_ratio(bound->worst.high)
                                                              : weir_datum_unknown(weir_claim_name(bound->worst.claim));
        if (!wanted || wanted[i])
            weir_table_cell(table, weir_datum_text(ports), weir_datum_text(weir_answer_name(answer, answer->bounds[i].chain.from)),
                            weir_datum_text(weir_answer_name(answer, answer->bounds[i].chain.to)), worst);
    }
}

/* ---- all of them ---- */

struct joining {
    struct weir_answer *answer;
    struct weir_answer_options options;
    struct weir_readings readings;
    struct weir_table_builder table;
    bool *larger; /* by bound */
    struct weir_error *error;
};

static enum weir_status join_reading(struct joining *j, bool last)
{
    struct weir_answer *answer = j->answer, *other = NULL;
    struct weir_pipeline *pipeline = weir_readings_make(&j->readings, j->error);
    if (!pipeline)
        return j->error->status;
    enum weir_status status = weir_answer_find(pipeline, &j->options, &other, j->error);
    if (!status) {
        for (size_t i = 0; i < answer->bound_count; i++)
            j->larger[i] = join_bound(answer, &answer->bounds[i], &other->bounds[i]);
        join_throughput(answer, other);
        if (!j->options.brief)
            add_rows(&j->table, &j->readings, other, last ? NULL : j->larger);
    }
    weir_answer_free(other);
    weir_pipeline_free(pipeline);
    return status;
}

static void give_up(struct joining *j)
{
    for (size_t i = 0; i < j->answer->bound_count; i++) {
        struct weir_bound *bound = &j->answer->bounds[i];
        *bound = (struct weir_bound){.chain = bound->chain,
                                     .worst = {.claim = WEIR_CLAIM_UNKNOWN},
                                     .has_deadline = bound->has_deadline,
                                     .deadline = bound->deadline,
                                     .why = "nothing says which receivers share a port, and there are more than 1024 ways to "
                                            "divide them: give a port map, --ports shared or --ports separate"};
    }
}

static enum weir_status join_all(struct joining *j)
{
    static const struct weir_column columns[] = {{"ports", "ports"}, {"from", "from"}, {"to", "to"}, {"worst", "worst"}};
    struct weir_answer *answer = j->answer;
    char name[WEIR_QUOTED];
    uint32_t count = weir_readings_count(&j->readings);
    enum weir_status status = WEIR_OK;
    if (count > WEIR_READINGS_MAX) {
        give_up(j);
        return WEIR_OK;
    }
    weir_table_begin(&j->table, answer, "readings", columns, sizeof columns / sizeof *columns);
    if (!j->options.brief)
        add_rows(&j->table, &j->readings, answer, NULL);
    for (uint32_t done = 1; done < count && !status; done++) {
        weir_readings_next(&j->readings);
        status = join_reading(j, done + 1 == count);
    }
    if (status || j->options.brief)
        return status;
    weir_answer_add_table(&j->table, "Ports", NULL);
    weir_answer_note(
        answer,
        "\"%s\" is assumed: nothing says whether its receivers have one port or one each. The bounds hold for each of the %u ways "
        "to divide them; a port map, --ports shared or --ports separate decides.",
        weir_quote(weir_pipeline_assumed(answer->pipeline), name), count);
    return answer->out_of_memory ? weir_fail_memory(j->error) : WEIR_OK;
}

enum weir_status weir_answer_join_readings(struct weir_answer *answer, const struct weir_answer_options *options,
                                           struct weir_error *error)
{
    struct weir_error own;
    struct joining j = {.answer = answer, .options = *options, .error = error ? error : &own};
    if (!weir_pipeline_assumes(answer->pipeline))
        return WEIR_OK;
    j.options.progress = NULL;
    j.larger = weir_array_zeroed(answer->bound_count, sizeof *j.larger);
    enum weir_status status =
        j.larger && weir_readings_begin(&j.readings, answer->pipeline) ? join_all(&j) : weir_fail_memory(error);
    weir_readings_free(&j.readings);
    weir_free(j.larger);
    return status;
}
