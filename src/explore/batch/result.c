/* SPDX-License-Identifier: Apache-2.0 */
/* What batches of many sizes come to: the best, a table of many, what was merged, charts. */
#include "explore/result.h"
#include "answer/number.h"
#include "base/number.h"
#include "model/pipeline.h"

#include <assert.h>

struct view {
    struct weir_answer *answer;
    const struct weir_pipeline *model;
    const struct weir_batch_options *options;
    const struct weir_batch_exploration *e;
    const struct weir_answer *chosen; /* about the chosen model; NULL: there is none */
    uint32_t cores;
    int64_t samples; /* at once at the first source, by batches of factor 1; 0: not known */
    size_t leanest;  /* the point of the lowest utilization within the limits; point_count: there is none */
};

static const char *decimal(const struct view *v, struct weir_ratio value)
{
    char text[WEIR_NUMBER_TEXT];
    return weir_answer_format(v->answer, "%s", weir_ratio_format(value, 0, 4, text));
}

static struct weir_datum samples_of(const struct view *v, int64_t factor)
{
    return weir_datum_if(v->samples, weir_datum_count(v->samples * factor));
}

static struct weir_datum exact_time(struct weir_ratio ticks)
{
    struct weir_datum value = weir_datum_ratio(ticks);
    value.with_exact = true;
    return ticks.denominator ? value : weir_datum_unknown("-");
}

/* How many samples the first source takes at once by batches of factor 1; 0: not to be counted. */
static int64_t samples_at_once(const struct weir_pipeline *model, enum weir_batching batching)
{
    struct weir_pipeline *batched = NULL;
    int64_t samples = 0;
    if (weir_pipeline_batch(model, batching, 1, &batched, NULL) == WEIR_OK)
        samples = weir_pipeline_source(batched, 0).batch;
    weir_pipeline_free(batched);
    return samples;
}

static uint32_t count_deadlines(const struct weir_pipeline *model)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < model->chain_count; i++)
        count += model->chains[i].has_deadline;
    return count;
}

static size_t find_leanest(const struct view *v)
{
    const struct weir_batch_exploration *e = v->e;
    bool limited = v->options->within > 0 || count_deadlines(v->model) > 0;
    size_t best = e->point_count;
    for (size_t i = 0; i < e->point_count && limited; i++)
        if (e->points[i].within &&
            (best == e->point_count || weir_ratio_compare(e->points[i].utilization, e->points[best].utilization) < 0))
            best = i;
    return best;
}

/* ---- the headline ---- */

static void add_limits(const struct view *v)
{
    struct weir_answer *a = v->answer;
    const char *text = "", *between = "";
    uint32_t deadlines = count_deadlines(v->model);
    if (v->options->utilization.denominator) {
        text = weir_answer_format(a, "utilization %s", decimal(v, v->options->utilization));
        between = ", ";
    }
    if (v->options->within) {
        text = weir_answer_format(a, "%s%slatency %s", text ? text : "", between, weir_result_time(a, v->options->within));
        between = ", ";
    }
    if (deadlines)
        text = weir_answer_format(a, "%s%s%u deadline%s", text ? text : "", between, deadlines, deadlines == 1 ? "" : "s");
    if (text && *text)
        weir_answer_line(a, "limits: %s", text);
}

static void add_headline(const struct view *v)
{
    const struct weir_batch_exploration *e = v->e;
    struct weir_answer *a = v->answer;
    int64_t samples = v->samples * e->chosen.factor;
    a->trouble_verdict = e->pipeline ? WEIR_VERDICT_GOOD : e->interrupted ? WEIR_VERDICT_OPEN : WEIR_VERDICT_BAD;
    if (e->pipeline) {
        const char *at_once =
            v->samples ? weir_answer_format(a, ", %s sample%s at a time", weir_result_count(a, samples), samples == 1 ? "" : "s")
                       : "";
        a->scope = weir_answer_format(a, "%s batches, factor %s%s", weir_batching_name(v->options->batching),
                                      weir_result_count(a, e->chosen.factor), at_once ? at_once : "");
        weir_answer_line(a, "at most %s, utilization %s of %u core%s%s", weir_result_amount(a, e->chosen.latency),
                         decimal(v, e->chosen.utilization), v->cores, v->cores == 1 ? "" : "s",
                         e->interrupted ? "; stopped: the best so far" : "");
    } else if (e->interrupted) {
        a->scope = "stopped before a batch within the limits was found";
    } else {
        a->scope = e->smallest != e->point_count         ? "NO BATCH keeps every limit"
                   : v->options->utilization.denominator ? "NO BATCH keeps the utilization"
                                                         : "NO BATCH is schedulable";
    }
    add_limits(v);
    if (v->chosen && v->chosen->bound_count && v->chosen->bounds[0].verified)
        weir_answer_line(a, "verified: the certificate was checked");
}

/* ---- the points ---- */

/* "the smallest that is schedulable, the lowest latency" */
static struct weir_datum remark(const struct view *v, size_t point)
{
    const struct weir_batch_exploration *e = v->e;
    const struct weir_batch_point *p = &e->points[point];
    const char *all[4] = {NULL}, *text = NULL;
    unsigned count = 0;
    if (point == e->smallest)
        all[count++] =
            v->options->utilization.denominator ? "the smallest within the utilization" : "the smallest that is schedulable";
    if (point == e->lowest)
        all[count++] = "the lowest latency";
    if (point == v->leanest)
        all[count++] = "the lowest utilization within the limits";
    if (!p->schedulable)
        all[count++] = "not schedulable";
    else if (p->latency.denominator == 0)
        all[count++] = "no bound";
    else if (!p->within)
        all[count++] = "beyond a limit";
    for (unsigned i = 0; i < count; i++)
        text = weir_answer_format(v->answer, "%s%s%s", text ? text : "", i ? ", " : "", all[i]);
    return text ? weir_datum_text(text) : weir_datum_absent();
}

static void add_points(const struct view *v)
{
    static const struct weir_column columns[] = {{"factor", "factor"},   {"samples", "samples"}, {"schedulable", NULL},
                                                 {"within", NULL},       {"utilization", NULL},  {NULL, "utilization"},
                                                 {"latency", "latency"}, {NULL, "remark"}};
    struct weir_answer *a = v->answer;
    struct weir_column *heads = weir_answer_take(a, 6, sizeof *heads);
    struct weir_table_builder builder, csv;
    if (!heads)
        return;
    for (unsigned i = 0; i < 5; i++)
        heads[i].title = columns[i].key;
    heads[5].title = weir_answer_format(a, "latency_%s", weir_unit_name(weir_pipeline_unit(v->model)));
    weir_table_begin(&builder, a, "points", columns, sizeof columns / sizeof *columns);
    weir_table_begin(&csv, a, NULL, heads, 6);
    for (size_t i = 0; i < v->e->point_count; i++) {
        const struct weir_batch_point *p = &v->e->points[i];
        struct weir_datum cells[] = {weir_datum_count(p->factor), samples_of(v, p->factor),         weir_datum_flag(p->schedulable),
                                     weir_datum_flag(p->within),  weir_datum_share(p->utilization), exact_time(p->latency)};
        for (unsigned c = 0; c < 6; c++) {
            if (c == 5)
                weir_table_cell(&builder, weir_datum_text(decimal(v, p->utilization)));
            weir_table_cell(&builder, cells[c]);
            weir_table_cell(&csv, cells[c]);
        }
        weir_table_cell(&builder, remark(v, i));
    }
    weir_answer_add_table(&builder, "Batches", NULL);
    weir_answer_add_table(&csv, NULL, NULL);
    a->csv = a->tables.count;
}

/* ---- the chosen one ---- */

static bool is_merged(const struct view *v, uint32_t op)
{
    return !weir_pipeline_find(v->model, v->e->pipeline->operators[op].name, NULL);
}

static void add_chosen_bounds(const struct view *v)
{
    static const struct weir_column columns[] = {{NULL, "latency"}, {NULL, "at most"}, {NULL, "deadline"}, {NULL, "state"}};
    struct weir_table_builder builder;
    assert(v->chosen);
    weir_table_begin(&builder, v->answer, NULL, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < v->chosen->bound_count; i++) {
        const struct weir_bound *b = &v->chosen->bounds[i];
        if (v->chosen->bound_count < 2 && !b->has_deadline)
            continue;
        weir_table_cell(&builder, weir_datum_text(weir_result_chain(v->answer, v->e->pipeline, b)));
        weir_table_cell(&builder, weir_result_worst(b));
        weir_table_cell(&builder, b->has_deadline ? weir_datum_time(b->deadline) : weir_datum_absent());
        weir_table_cell(&builder, b->has_deadline ? weir_datum_text(weir_deadline_state_name(b->state)) : weir_datum_absent());
    }
    weir_answer_add_table(&builder, "Latencies with it", NULL);
}

static void add_merges(const struct view *v)
{
    static const struct weir_column columns[] = {{NULL, "operator"}};
    struct weir_answer *a = v->answer;
    struct weir_table_builder builder;
    char share[WEIR_NUMBER_TEXT];
    struct weir_ratio permille = {v->options->merged_init_permille, 1000};
    weir_table_begin(&builder, a, NULL, columns, sizeof columns / sizeof *columns);
    for (uint32_t i = 0; i < v->e->pipeline->operator_count; i++)
        if (is_merged(v, i))
            weir_table_cell(&builder, weir_datum_text(v->e->pipeline->operators[i].name));
    const char *note =
        weir_answer_format(a, "A merged operator is taken to cost the larger init and %s of the other; for samples, both.",
                           weir_ratio_percent(permille, share));
    weir_answer_add_table(&builder, "Merged: each to be done by one block", note);
    if (!v->e->merges)
        weir_answer_note(a, "Merged: nothing; no legal merge lowers the latency.");
    else if (v->options->merged_init_permille < 1000)
        weir_answer_note(a, "That is less than the sum: measure the merged block before you rely on it.");
}

static struct weir_datum chosen_record(const struct view *v)
{
    const struct weir_batch_point *p = &v->e->chosen;
    struct weir_record record = {.answer = v->answer}, merged = {.answer = v->answer};
    if (!v->e->pipeline)
        return weir_datum_null();
    weir_record_add(&record, "factor", weir_datum_count(p->factor));
    weir_record_add(&record, "samples", samples_of(v, p->factor));
    weir_record_add(&record, "schedulable", weir_datum_flag(p->schedulable));
    weir_record_add(&record, "within", weir_datum_flag(p->within));
    weir_record_add(&record, "utilization", weir_datum_share(p->utilization));
    weir_record_add(&record, "latency", exact_time(p->latency));
    weir_record_add(&record, "merges", weir_datum_count((int64_t)v->e->merges));
    for (uint32_t i = 0; i < v->e->pipeline->operator_count; i++)
        if (is_merged(v, i))
            weir_record_add(&merged, NULL, weir_datum_text(v->e->pipeline->operators[i].name));
    weir_record_add(&record, "merged", weir_record_datum(&merged));
    weir_record_add(&record, "verified", weir_datum_flag(v->chosen && v->chosen->bound_count && v->chosen->bounds[0].verified));
    return weir_record_datum(&record);
}

static void add_facts(const struct view *v)
{
    const struct weir_batch_exploration *e = v->e;
    const char *const keys[] = {"smallest", "lowest_latency", "lowest_utilization"};
    const size_t points[] = {e->smallest, e->lowest, v->leanest};
    struct weir_answer *a = v->answer;
    weir_answer_add_fact(a, "goal", weir_datum_text("batch"));
    weir_answer_add_fact(a, "batching", weir_datum_text(weir_batching_name(v->options->batching)));
    weir_answer_add_fact(a, "cores", weir_datum_count(v->cores));
    weir_answer_add_fact(a, "interrupted", weir_datum_flag(e->interrupted));
    for (unsigned i = 0; i < 3; i++)
        weir_answer_add_fact(a, keys[i],
                             points[i] < e->point_count ? weir_datum_count(e->points[points[i]].factor) : weir_datum_null());
    if (v->options->merge)
        weir_answer_add_fact(a, "merged_init", weir_datum_share((struct weir_ratio){v->options->merged_init_permille, 1000}));
    weir_answer_add_fact(a, "chosen", chosen_record(v));
}

/* ---- charts: latency, and utilization, against the batch ---- */

static struct weir_datum x_of(const struct view *v, const struct weir_batch_point *p)
{
    return weir_datum_count(p->factor * (v->samples ? v->samples : 1));
}

/* A limit as a line from the first to the last point. */
static void add_limit(const struct view *v, struct weir_chart *chart, const char *name, struct weir_datum y)
{
    weir_chart_begin_series(v->answer, chart, name, true);
    weir_chart_point(v->answer, chart, x_of(v, &v->e->points[0]), y);
    weir_chart_point(v->answer, chart, x_of(v, &v->e->points[v->e->point_count - 1]), y);
}

static void draw(const struct view *v, struct weir_chart *chart, bool latency)
{
    const struct weir_batch_exploration *e = v->e;
    weir_chart_begin_series(v->answer, chart, latency ? "bound on the latency" : "utilization", false);
    for (size_t i = 0; i < e->point_count; i++)
        if (!latency || e->points[i].latency.denominator)
            weir_chart_point(v->answer, chart, x_of(v, &e->points[i]),
                             latency ? weir_datum_ratio(e->points[i].latency) : weir_datum_share(e->points[i].utilization));
    if (e->merges) {
        weir_chart_begin_series(v->answer, chart, "best, merged", false);
        weir_chart_point(v->answer, chart, x_of(v, &e->chosen),
                         latency ? weir_datum_ratio(e->chosen.latency) : weir_datum_share(e->chosen.utilization));
    }
    if (latency && v->options->within)
        add_limit(v, chart, "limit", weir_datum_time(v->options->within));
    if (!latency && v->options->utilization.denominator)
        add_limit(v, chart, "limit", weir_datum_share(v->options->utilization));
    if (!latency)
        add_limit(v, chart, "cores", weir_datum_count(v->cores));
}

static void add_charts(const struct view *v)
{
    for (int latency = 1; latency >= 0; latency--) {
        struct weir_chart spec = {.title = latency ? "latency against batch size" : "utilization against batch size",
                                  .subtitle = weir_answer_format(v->answer, "%s batches, %u core%s",
                                                                 weir_batching_name(v->options->batching), v->cores,
                                                                 v->cores == 1 ? "" : "s"),
                                  .note = latency ? "batches without a point are not schedulable, or have no bound" : NULL,
                                  .x_label = v->samples ? "samples at a time at the source" : "factor",
                                  .y_label = latency ? "latency, at most" : "cores in use",
                                  .y_times = latency,
                                  .logarithmic = true};
        struct weir_chart *chart = weir_answer_add_chart(v->answer, &spec);
        if (chart && v->e->point_count)
            draw(v, chart, latency);
    }
}

/* ---- all of it ---- */

enum weir_status weir_batch_answer(const struct weir_pipeline *pipeline, const struct weir_batch_options *options,
                                   const struct weir_batch_exploration *exploration, bool verify, struct weir_answer **answer,
                                   struct weir_error *error)
{
    struct weir_answer_options how = {.cores = options->cores, .verify = verify};
    struct weir_answer *chosen = NULL, *a = weir_answer_new(pipeline, error);
    struct view v = {.answer = a,
                     .model = pipeline,
                     .options = options,
                     .e = exploration,
                     .cores = options->cores ? options->cores : weir_pipeline_cores(pipeline)};
    enum weir_status status = a ? WEIR_OK : WEIR_MEMORY;
    *answer = NULL;
    if (!status && exploration->pipeline)
        status = weir_answer_find(exploration->pipeline, &how, &chosen, error);
    if (!status) {
        v.chosen = chosen;
        v.samples = samples_at_once(pipeline, options->batching);
        v.leanest = find_leanest(&v);
        add_facts(&v);
        add_headline(&v);
        add_points(&v);
        if (exploration->pipeline)
            add_chosen_bounds(&v);
        if (exploration->pipeline && options->merge)
            add_merges(&v);
        add_charts(&v);
        a->assumes = "global EDF, and the costs and rates in the model; see docs/concepts/pool-of-cores.md";
    }
    status = weir_answer_keep(a, status, answer, error);
    weir_answer_free(chosen);
    return status;
}
