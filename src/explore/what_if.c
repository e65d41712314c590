/* SPDX-License-Identifier: Apache-2.0 */
/* A pipeline before and after changes: bounds, deadlines, throughput, critical paths. */
#include "answer/number.h"
#include "explore/result.h"
#include "model/pipeline.h"

#include <string.h>

struct comparison {
    struct weir_answer *answer;
    const struct weir_answer *before, *after;
    struct weir_result_chain *chains;
    size_t count;
};

static const char *keep(struct weir_answer *answer, const char *text)
{
    return weir_answer_format(answer, "%s", text);
}

/* ---- for programs ---- */

static struct weir_datum bound_record(struct weir_answer *answer, const struct weir_pipeline *p, const struct weir_bound *bound)
{
    struct weir_record record = {.answer = answer};
    struct weir_datum best = weir_datum_ratio(bound->best.low);
    best.rounds_down = true;
    if (!bound->whole)
        weir_result_add_ends(&record, p, bound->chain.from, bound->chain.to);
    weir_record_add(&record, "worst", weir_result_worst(bound));
    weir_record_add(&record, "outcome", weir_datum_text(weir_claim_name(bound->worst.claim)));
    if (bound->best.low.denominator > 0)
        weir_record_add(&record, "best", best);
    if (bound->has_deadline)
        weir_record_add(&record, "deadline", weir_datum_time(bound->deadline));
    weir_record_add(&record, "met", weir_result_met(bound->state));
    weir_record_add(&record, "state", weir_datum_text(weir_deadline_state_name(bound->state)));
    if (bound->why)
        weir_record_add(&record, "why", weir_datum_text(keep(answer, bound->why)));
    if (bound->path)
        weir_record_add(&record, "path", weir_datum_text(keep(answer, bound->path)));
    return weir_record_datum(&record);
}

static struct weir_datum bottleneck_of(const struct weir_answer *of)
{
    struct weir_datum throughput = weir_answer_fact(of, "throughput");
    for (size_t i = 0; throughput.kind == WEIR_DATUM_RECORD && i < throughput.field_count; i++)
        if (strcmp(throughput.is.fields[i].key, "bottleneck") == 0)
            return throughput.is.fields[i].value;
    return weir_datum_absent();
}

/* The names live as long as the pipeline; the list does not. */
static struct weir_datum copy_names(struct weir_answer *answer, struct weir_datum list)
{
    struct weir_record names = {.answer = answer};
    for (size_t i = 0; list.kind == WEIR_DATUM_LIST && i < list.field_count; i++)
        weir_record_add(&names, NULL, list.is.fields[i].value);
    return weir_record_datum(&names);
}

static void add_record(struct weir_answer *answer, const char *key, const struct weir_answer *of)
{
    struct weir_record record = {.answer = answer}, bounds = {.answer = answer}, throughput = {.answer = answer};
    struct weir_ratio period = weir_answer_period(of);
    struct weir_datum load = weir_answer_fact(of, "utilization"), places = weir_answer_fact(of, "buffer_total");
    weir_record_add(&record, "engine", weir_datum_text(weir_answer_engine(of)));
    for (size_t i = 0; i < of->bound_count; i++)
        weir_record_add(&bounds, NULL, bound_record(answer, of->pipeline, &of->bounds[i]));
    weir_record_add(&record, "latency", weir_record_datum(&bounds));
    if (period.denominator) {
        weir_record_add(&throughput, "period", weir_datum_ratio(period));
        weir_record_add(&throughput, "bottleneck", copy_names(answer, bottleneck_of(of)));
        weir_record_add(&record, "throughput", weir_record_datum(&throughput));
    }
    if (load.kind == WEIR_DATUM_SHARE)
        weir_record_add(&record, "utilization", load);
    if (places.kind == WEIR_DATUM_COUNT)
        weir_record_add(&record, "places", places);
    weir_answer_add_fact(answer, key, weir_record_datum(&record));
}

/* ---- for people ---- */

static struct weir_datum cores(struct weir_answer *answer, struct weir_datum load)
{
    char text[WEIR_NUMBER_TEXT];
    if (load.kind != WEIR_DATUM_SHARE)
        return weir_datum_null();
    return weir_datum_text(keep(answer, weir_ratio_format(load.is.ratio, 0, 4, text)));
}

static void add_row(struct weir_table_builder *builder, const char *what, struct weir_datum before, struct weir_datum after)
{
    weir_table_cell(builder, weir_datum_text(what));
    weir_table_cell(builder, before.kind == WEIR_DATUM_ABSENT ? weir_datum_null() : before);
    weir_table_cell(builder, after.kind == WEIR_DATUM_ABSENT ? weir_datum_null() : after);
}

static void add_whole(const struct comparison *c)
{
    static const struct weir_column columns[] = {{NULL, "of the whole"}, {NULL, "before"}, {NULL, "after"}};
    struct weir_ratio b = weir_answer_period(c->before), a = weir_answer_period(c->after);
    struct weir_datum load = weir_answer_fact(c->before, "utilization"), loaded = weir_answer_fact(c->after, "utilization");
    struct weir_datum places = weir_answer_fact(c->before, "buffer_total"), then = weir_answer_fact(c->after, "buffer_total");
    struct weir_table_builder builder;
    weir_table_begin(&builder, c->answer, NULL, columns, sizeof columns / sizeof *columns);
    if (a.denominator || b.denominator)
        add_row(&builder, "one result at least every", weir_datum_if(b.denominator, weir_datum_ratio(b)),
                weir_datum_if(a.denominator, weir_datum_ratio(a)));
    if (load.kind == WEIR_DATUM_SHARE || loaded.kind == WEIR_DATUM_SHARE)
        add_row(&builder, "cores in use", cores(c->answer, load), cores(c->answer, loaded));
    if (places.kind == WEIR_DATUM_COUNT || then.kind == WEIR_DATUM_COUNT)
        add_row(&builder, "slots in all queues", places, then);
    weir_answer_add_table(&builder, "Throughput and load", NULL);
}

static const char *join_names(struct weir_answer *answer, struct weir_datum names)
{
    enum { NAMES_MAX = 12 };
    const char *text = "";
    for (size_t i = 0; text && names.kind == WEIR_DATUM_LIST && i < names.field_count && i < NAMES_MAX; i++)
        text = weir_answer_format(answer, "%s%s%s%s", text, i ? ", " : "", names.is.fields[i].value.is.text,
                                  i + 1 == NAMES_MAX && names.field_count > NAMES_MAX ? " ..." : "");
    return text;
}

static void add_path(struct weir_table_builder *builder, const char *of, const char *before, const char *after)
{
    struct weir_answer *answer = builder->answer;
    bool same = before && after && strcmp(before, after) == 0;
    const char *texts[] = {same ? NULL : before, after}, *words[] = {"before", same ? "same" : "after"};
    for (int i = 0; i < 2; i++) {
        if (!texts[i] || !*texts[i])
            continue;
        weir_table_cell(builder, weir_datum_text(of));
        weir_table_cell(builder, weir_datum_text(words[i]));
        weir_table_cell(builder, weir_datum_text(keep(answer, texts[i])));
    }
}

static void add_paths(const struct comparison *c)
{
    enum { PATHS_MAX = 3 };
    static const struct weir_column columns[] = {{NULL, "of"}, {NULL, "when"}, {NULL, "path"}};
    struct weir_table_builder builder;
    size_t shown = 0, all = 0;
    weir_table_begin(&builder, c->answer, NULL, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < c->count; i++) {
        const struct weir_bound *b = c->chains[i].before, *a = c->chains[i].after;
        if (!a || !a->path || all++ >= PATHS_MAX)
            continue;
        add_path(&builder, weir_result_chain(c->answer, c->after->pipeline, a), b ? b->path : NULL, a->path);
        shown++;
    }
    add_path(&builder, "held back by", join_names(c->answer, bottleneck_of(c->before)),
             join_names(c->answer, bottleneck_of(c->after)));
    weir_answer_add_table(&builder, "Critical paths",
                          all > shown ? weir_answer_format(c->answer, "... and of %zu more (--json lists all)", all - shown)
                                      : NULL);
}

static void add_changes(struct weir_answer *answer, const struct weir_change *changes, size_t count)
{
    static const char *const kinds[] = {[WEIR_CHANGE_SET] = "set", [WEIR_CHANGE_ADD] = "add", [WEIR_CHANGE_REMOVE] = "remove"};
    static const char *const marks[] = {[WEIR_CHANGE_SET] = " ", [WEIR_CHANGE_ADD] = "+", [WEIR_CHANGE_REMOVE] = "-"};
    struct weir_record list = {.answer = answer};
    for (size_t i = 0; i < count; i++) {
        struct weir_record one = {.answer = answer};
        weir_record_add(&one, kinds[changes[i].kind], weir_datum_text(keep(answer, changes[i].text)));
        weir_record_add(&list, NULL, weir_record_datum(&one));
        weir_answer_line(answer, "%s %s", marks[changes[i].kind], changes[i].text);
    }
    weir_answer_add_fact(answer, "changes", weir_record_datum(&list));
}

static void fill(struct comparison *c, const struct weir_changed *changed)
{
    struct weir_answer *answer = c->answer;
    c->chains = weir_result_chains(answer, c->before, c->after, &c->count);
    if (!c->chains)
        return;
    answer->scope = weir_result_deadlines(answer, c->after->bounds, c->after->bound_count);
    answer->trouble_verdict = weir_answer_verdict(c->after);
    if (c->after->trouble && c->after->trouble_verdict == answer->trouble_verdict) /* no deadline is worse: it stands first */
        answer->trouble = keep(answer, c->after->trouble);
    const struct weir_bound *worst = weir_answer_worst(c->after);
    struct weir_result_table table = {.before = changed->before,
                                      .after = changed->after,
                                      .chains = c->chains,
                                      .count = c->count,
                                      .title = worst && worst->worst.claim == WEIR_CLAIM_EXACT ? "Worst latencies: exact"
                                                                                               : "Worst latencies: at most",
                                      .note = worst && !weir_bound_holds(worst) ? worst->why : NULL,
                                      .with_best = true};
    weir_result_add_table(answer, &table);
    add_whole(c);
    add_paths(c);
    add_record(answer, "before", c->before);
    add_record(answer, "after", c->after);
}

enum weir_status weir_what_if(const struct weir_changed *changed, const struct weir_change *changes, size_t count,
                              const struct weir_answer_options *options, struct weir_answer **answer, struct weir_error *error)
{
    struct weir_result_pair pair = {0};
    *answer = NULL;
    enum weir_status status = weir_result_ask(changed->before, changed->after, options, &pair, error);
    if (!status) {
        struct comparison c = {.answer = weir_answer_new(changed->after, error), .before = pair.before, .after = pair.after};
        if (c.answer) {
            weir_answer_add_fact(c.answer, "goal", weir_datum_text("what-if"));
            add_changes(c.answer, changes, count);
            fill(&c, changed);
        }
        status = weir_answer_keep(c.answer, c.answer ? WEIR_OK : WEIR_MEMORY, answer, error);
    }
    weir_result_pair_free(&pair);
    return status;
}
