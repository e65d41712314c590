/* SPDX-License-Identifier: Apache-2.0 */
/* How long after its release an operator may start, by the model, and how late it can. */
#include "answer/answer.h"
#include "base/error.h"
#include "engine/async/lanes.h"
#include "engine/workers/workers.h"
#include "model/pipeline.h"

static void fill_trouble(struct weir_answer *answer, struct weir_operator op, enum weir_async_chance late)
{
    bool sure = late == WEIR_CHANCE_YES;
    if (late == WEIR_CHANCE_NO || answer->trouble)
        return;
    answer->trouble_verdict = sure ? WEIR_VERDICT_BAD : WEIR_VERDICT_OPEN;
    answer->trouble = weir_answer_format(answer, "%s: %s %s later than allowed after its release",
                                         sure ? "CAN START LATE" : "NOT SHOWN TO START IN TIME", weir_answer_name(answer, op),
                                         sure ? "can start" : "is not proved never to start");
}

static void fill_table(struct weir_answer *answer, const struct weir_start_delay *delays)
{
    static const struct weir_column columns[] = {
        {"operator", "operator"}, {"within", "within"}, {"delay", "at most"}, {"late", NULL}, {NULL, "later"}};
    static const char *const chances[] = {"no", "maybe", "yes"}, *const words[] = {"never", "not decided", "can be"};
    struct weir_table_builder table;
    struct weir_operator worst = {0};
    enum weir_async_chance late = WEIR_CHANCE_NO;
    weir_table_begin(&table, answer, "starts", columns, sizeof columns / sizeof *columns);
    for (uint32_t o = 0; o < answer->pipeline->operator_count; o++) {
        int64_t within = answer->pipeline->operators[o].start_within;
        if (!answer->pipeline->operators[o].has_start_within)
            continue;
        worst = delays[o].late > late ? (struct weir_operator){o} : worst;
        late = delays[o].late > late ? delays[o].late : late;
        weir_table_cell(&table, weir_datum_text(weir_answer_name(answer, (struct weir_operator){o})), weir_datum_time(within),
                        delays[o].most >= 0 ? weir_datum_time(delays[o].most) : (struct weir_datum){0},
                        weir_datum_text(chances[delays[o].late]), weir_datum_text(words[delays[o].late]));
    }
    weir_answer_add_table(&table, "Starts, from when the tick and the messages are there", NULL);
    fill_trouble(answer, worst, late);
}

/* Of the pipeline with a thread for each operator, or with waits in place of the scheduler; nothing where these depend on an order
 * that is not taken for granted. */
static enum weir_status find(const struct weir_answer *answer, uint64_t limit, struct weir_start_delay *delays,
                             struct weir_error *error)
{
    const struct weir_pipeline *p = answer->pipeline;
    struct weir_pipeline *spread = NULL;
    bool enough = weir_pipeline_has_enough_workers(p), ordered = false;
    for (size_t o = 0; o < p->operator_count; o++)
        delays[o] = (struct weir_start_delay){.most = -1, .late = WEIR_CHANCE_MAYBE};
    if (p->workers.dispatch == WEIR_DISPATCH_GREEDY || weir_pipeline_assumes(p))
        return WEIR_OK;
    enum weir_status status = enough ? WEIR_OK : weir_workers_spread(p, &spread, &ordered, error);
    if (!status && (!ordered || answer->in_order))
        status = weir_async_delays(enough ? p : spread, limit, delays, error);
    weir_pipeline_free(spread);
    return status == WEIR_OVERFLOW ? WEIR_OK : status;
}

enum weir_status weir_answer_starts(struct weir_answer *answer, const struct weir_answer_options *options, struct weir_error *error)
{
    const struct weir_pipeline *p = answer->pipeline;
    bool any = false;
    for (size_t o = 0; o < p->operator_count && p->platform == WEIR_PLATFORM_THREADS; o++)
        any |= p->operators[o].has_start_within;
    if (!any)
        return WEIR_OK;
    struct weir_start_delay *delays = weir_array(p->operator_count, sizeof *delays);
    enum weir_status status = delays ? find(answer, options->work_limit, delays, error) : weir_fail_memory(error);
    if (!status)
        fill_table(answer, delays);
    weir_free(delays);
    return status;
}
