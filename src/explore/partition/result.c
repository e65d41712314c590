/* SPDX-License-Identifier: Apache-2.0 */
/* The result of dividing a GPU: how many SMs each operator gets, and the latencies with it. */
#include "explore/result.h"
#include "model/pipeline.h"

static void add_shares(struct weir_answer *answer, const struct weir_partition_options *options, const struct weir_partition *p)
{
    static const struct weir_column columns[] = {
        {"operator", "operator"}, {"partition", "partition"}, {"sms", "SMs"}, {"best", "best"}, {"worst", "worst"}};
    static const struct weir_column heads[] = {
        {NULL, "operator"}, {NULL, "partition"}, {NULL, "sms"}, {NULL, "best"}, {NULL, "time"}};
    struct weir_table_builder tables[2];
    weir_table_begin(&tables[0], answer, "partition", columns, sizeof columns / sizeof *columns);
    weir_table_begin(&tables[1], answer, NULL, heads, sizeof heads / sizeof *heads);
    for (size_t i = 0; i < options->profile_count; i++)
        for (int k = 0; k < 2; k++) {
            const struct weir_partition_share *s = &p->shares[i];
            weir_table_cell(&tables[k], weir_datum_text(weir_answer_name(answer, options->profiles[i].op)));
            weir_table_cell(&tables[k], weir_datum_count(s->part + 1));
            weir_table_cell(&tables[k], weir_datum_count(s->sms));
            weir_table_cell(&tables[k], weir_datum_time(s->best));
            weir_table_cell(&tables[k], weir_datum_time(s->worst));
        }
    weir_answer_add_table(&tables[0], "Partitions", NULL);
    weir_answer_add_table(&tables[1], NULL, NULL);
    answer->csv = answer->tables.count;
}

/* The arguments of Holoscan's CudaGreenContextPool, and what each operator gets of it, to be put into compose(). */
static void add_pool(struct weir_answer *answer, const struct weir_partition_options *options, const struct weir_partition *p)
{
    static const struct weir_column columns[] = {{"index", "index"}, {"sms", "SMs"}, {"operators", "operators"}};
    struct weir_table_builder table;
    const char *widths = "";
    weir_table_begin(&table, answer, "green_contexts", columns, sizeof columns / sizeof *columns);
    for (uint32_t part = 0; part < p->part_count; part++) {
        const char *names = "";
        uint32_t sms = 0;
        for (size_t i = 0; i < options->profile_count; i++)
            if (p->shares[i].part == part) {
                sms = p->shares[i].sms;
                names = weir_answer_format(answer, "%s%s%s", names, *names ? ", " : "",
                                           weir_answer_name(answer, options->profiles[i].op));
            }
        widths = weir_answer_format(answer, "%s%s%u", widths, part ? ", " : "", sms);
        if (!names || !widths)
            return;
        weir_table_cell(&table, weir_datum_count(part), weir_datum_count(sms), weir_datum_text(names));
    }
    weir_answer_add_table(&table, "Green contexts", NULL);
    if (!options->step)
        return;
    weir_answer_note(answer, "For compose() of a Holoscan application in Python; an operator gets the streams of its index:");
    weir_answer_note(answer,
                     "pool = CudaGreenContextPool(self, dev_id=0, num_partitions=%u, sms_per_partition=[%s], min_sm_size=%u, "
                     "name=\"pool\")",
                     p->part_count, widths, options->step);
    weir_answer_note(answer,
                     "contexts = [CudaGreenContext(self, cuda_green_context_pool=pool, index=i, name=f\"context_{i}\") for i in "
                     "range(%u)]",
                     p->part_count);
    weir_answer_note(answer, "streams = [CudaStreamPool(self, dev_id=0, stream_flags=0, stream_priority=0, reserved_size=1, "
                             "max_size=5, cuda_green_context=c, name=f\"{c.name}_streams\") for c in contexts]");
}

static void add_proof(struct weir_answer *answer, const struct weir_partition *p)
{
    if (p->complete)
        weir_answer_note(answer, "No division is better.");
    else if (p->lower.unbounded < p->score.unbounded || p->lower.missed < p->score.missed)
        weir_answer_note(answer, "Interrupted: the best so far; one that misses fewer deadlines is not ruled out.");
    else
        weir_answer_note(answer, "Interrupted: the best so far. None has less than %s in all, %s below it.",
                         weir_result_time(answer, p->lower.total), weir_result_time(answer, p->score.total - p->lower.total));
}

static void tell(struct weir_answer *answer, const struct weir_partition_options *options, const struct weir_partition *p,
                 const struct weir_result_pair *pair)
{
    answer->scope = weir_answer_format(answer, "%u of %u SMs in %u partition%s", p->sms, options->sms, p->part_count,
                                       p->part_count == 1 ? "" : "s");
    weir_answer_add_fact(answer, "used", weir_datum_count(p->sms));
    weir_answer_add_fact(answer, "partitions", weir_datum_count(p->part_count));
    weir_answer_add_fact(answer, "total", weir_datum_time(p->score.total));
    weir_answer_add_fact(answer, "total_least", weir_datum_time(p->lower.total));
    add_shares(answer, options, p);
    add_pool(answer, options, p);
    weir_result_add_pair(answer, pair, NULL);
    add_proof(answer, p);
}

enum weir_status weir_partition_answer(const struct weir_pipeline *pipeline, const struct weir_partition_options *options,
                                       const struct weir_partition *p, struct weir_answer **answer, struct weir_error *error)
{
    struct weir_answer_options brief = {.brief = true};
    struct weir_result_pair pair = {0};
    struct weir_answer *a = weir_answer_new(pipeline, error);
    enum weir_status status = a ? WEIR_OK : WEIR_MEMORY;
    *answer = NULL;
    if (!status && p->pipeline)
        status = weir_result_ask(pipeline, p->pipeline, &brief, &pair, error);
    if (!status) {
        weir_answer_add_fact(a, "goal", weir_datum_text("partition-sms"));
        weir_answer_add_fact(a, "sms", weir_datum_count(options->sms));
        weir_answer_add_fact(a, "complete", weir_datum_flag(p->complete));
        if (p->pipeline) {
            tell(a, options, p, &pair);
        } else {
            weir_answer_add_fact(a, "partition", weir_datum_null());
            a->scope = p->complete ? "the SMs are too few for any division" : "interrupted before a division was found";
            a->trouble_verdict = p->complete ? WEIR_VERDICT_BAD : WEIR_VERDICT_OPEN;
        }
    }
    status = weir_answer_keep(a, status, answer, error);
    weir_result_pair_free(&pair);
    return status;
}
