/* SPDX-License-Identifier: Apache-2.0 */
/* How old the latest message may be when it is read, by the model, and how old it can be. */
#include "answer/answer.h"
#include "model/pipeline.h"

static const char *const chances[] = {"no", "maybe", "yes"}, *const words[] = {"never", "not decided", "can be"};

static struct weir_async_queue found(const struct weir_async_analysis *analysis, uint32_t queue)
{
    struct weir_async_queue none = {.queue = {queue}, .stale = WEIR_CHANCE_MAYBE, .missing = WEIR_CHANCE_MAYBE, .age = -1};
    for (size_t i = 0; analysis && i < analysis->queue_count; i++)
        if (analysis->queues[i].queue.index == queue)
            return analysis->queues[i];
    return none;
}

/* The first of those that are surest to be older than they may be. */
static void fill_trouble(struct weir_answer *answer, const struct weir_async_queue *worst)
{
    bool sure = worst->stale == WEIR_CHANCE_YES;
    struct weir_queue_spec spec = weir_pipeline_queue(answer->pipeline, worst->queue);
    if (worst->stale == WEIR_CHANCE_NO || answer->trouble)
        return;
    answer->trouble_verdict = sure ? WEIR_VERDICT_BAD : WEIR_VERDICT_OPEN;
    answer->trouble = weir_answer_format(answer, "%s: what %s reads of %s %s older than allowed",
                                         sure ? "CAN BE STALE" : "NOT SHOWN TO BE FRESH", weir_answer_name(answer, spec.to),
                                         weir_answer_name(answer, spec.from), sure ? "can be" : "is not proved never to be");
}

/* What happens to executions that find nothing to read, or something too old: in the beginning, and from the first message on. */
static void fill_missing(struct weir_answer *answer, const struct weir_async_analysis *analysis)
{
    static const char *const policies[] = {"reuse", "skip", "fail"};
    static const char *const fates[] = {"executed all the same", "skipped", "the application fails"};
    static const struct weir_column columns[] = {{"from", "from"}, {"to", "to"},           {"missing", NULL}, {NULL, "if missing"},
                                                 {"first", NULL},  {NULL, "at the start"}, {"later", NULL},   {NULL, "later"}};
    struct weir_table_builder table;
    bool any = false;
    for (uint32_t i = 0; i < answer->pipeline->queue_count; i++) {
        const struct weir_queue_spec *spec = &answer->pipeline->queues[i];
        if (!spec->latest || !spec->missing)
            continue;
        if (!any)
            weir_table_begin(&table, answer, "missing", columns, sizeof columns / sizeof *columns);
        struct weir_async_queue queue = found(analysis, i);
        any = true;
        weir_table_cell(&table, weir_datum_text(weir_answer_name(answer, spec->from)),
                        weir_datum_text(weir_answer_name(answer, spec->to)), weir_datum_text(policies[spec->missing]),
                        weir_datum_text(fates[spec->missing]), weir_datum_text(chances[queue.missing]),
                        weir_datum_text(words[queue.missing]), weir_datum_text(chances[queue.stale]),
                        weir_datum_text(words[queue.stale]));
    }
    if (any)
        weir_answer_add_table(&table, "Executions that find nothing to read, or something too old", NULL);
}

void weir_answer_ages(struct weir_answer *answer, const struct weir_async_analysis *analysis)
{
    static const struct weir_column columns[] = {{"from", "from"},   {"to", "to"},    {"within", "within"},
                                                 {"age", "at most"}, {"stale", NULL}, {NULL, "older"}};
    struct weir_table_builder table;
    struct weir_async_queue worst = {.stale = WEIR_CHANCE_NO};
    bool any = false;
    for (uint32_t i = 0; i < answer->pipeline->queue_count; i++) {
        const struct weir_queue_spec *spec = &answer->pipeline->queues[i];
        if (!spec->has_within)
            continue;
        if (!any)
            weir_table_begin(&table, answer, "ages", columns, sizeof columns / sizeof *columns);
        struct weir_async_queue queue = found(analysis, i);
        any = true;
        worst = queue.stale > worst.stale ? queue : worst;
        weir_table_cell(&table, weir_datum_text(weir_answer_name(answer, spec->from)),
                        weir_datum_text(weir_answer_name(answer, spec->to)), weir_datum_time(spec->within),
                        queue.age >= 0 ? weir_datum_time(queue.age) : (struct weir_datum){0}, weir_datum_text(chances[queue.stale]),
                        weir_datum_text(words[queue.stale]));
    }
    if (any)
        weir_answer_add_table(&table, "Ages of what is read, once there is something", NULL);
    if (any)
        fill_trouble(answer, &worst);
    fill_missing(answer, analysis);
}
