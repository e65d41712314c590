/* SPDX-License-Identifier: Apache-2.0 */
/* What came of sizing queues: the smallest capacities, or the front of latency, period and cost. */
#include "explore/result.h"
#include "base/number.h"
#include "model/pipeline.h"

#include <string.h>

struct view {
    struct weir_answer *answer;
    const struct weir_pipeline *model;
    const struct weir_sizing_options *options;
    unsigned most;
};

static int64_t weight_of(const struct view *v, uint32_t queue)
{
    return v->options->weights ? v->options->weights[queue] : 1;
}

/* "29 places", or what they cost. */
static const char *cost(const struct view *v, int64_t value)
{
    const char *unit = v->options->weights ? "by weight" : value == 1 ? "slot" : "slots";
    return weir_answer_format(v->answer, "%s %s", weir_result_count(v->answer, value), unit);
}

static struct weir_datum period_of(struct weir_ratio period)
{
    return weir_datum_if(period.denominator > 0, weir_datum_ratio(period));
}

static struct weir_datum name_of(const struct view *v, struct weir_operator op)
{
    return weir_datum_text(weir_answer_name(v->answer, op));
}

/* ---- the smallest ---- */

static void add_queues(const struct view *v, const struct weir_sizing *s)
{
    static const struct weir_column columns[] = {{"from", NULL},       {"to", NULL},          {NULL, "queue"},
                                                 {"before", "before"}, {"capacity", "slots"}, {"weight", "weight"}};
    static const struct weir_column heads[] = {{NULL, "queue"}, {NULL, "before"}, {NULL, "slots"}, {NULL, "weight"}};
    struct weir_table_builder builder, csv;
    weir_table_begin(&builder, v->answer, "queues", columns, sizeof columns / sizeof *columns);
    weir_table_begin(&csv, v->answer, NULL, heads, sizeof heads / sizeof *heads);
    for (uint32_t i = 0; i < v->model->queue_count; i++) {
        const struct weir_queue_spec *queue = &v->model->queues[i];
        bool endless = queue->capacity == WEIR_UNBOUNDED;
        if (!s->sized[i])
            continue;
        struct weir_datum name = weir_datum_text(weir_result_queue(v->answer, v->model, i));
        struct weir_datum before = endless ? weir_datum_unknown("unbounded") : weir_datum_count(queue->capacity);
        struct weir_datum after = weir_datum_count(s->capacities[i]), weight = weir_datum_count(weight_of(v, i));
        weir_table_cell(&builder, name_of(v, queue->from));
        weir_table_cell(&builder, name_of(v, queue->to));
        weir_table_cell(&builder, name);
        weir_table_cell(&builder, before);
        weir_table_cell(&builder, after);
        weir_table_cell(&builder, weight);
        weir_table_cell(&csv, name);
        weir_table_cell(&csv, endless ? weir_datum_text("unbounded") : before);
        weir_table_cell(&csv, after);
        weir_table_cell(&csv, weight);
    }
    weir_answer_add_table(&builder, "Queues", NULL);
    weir_answer_add_table(&csv, NULL, NULL);
    v->answer->csv = v->answer->tables.count;
}

static void add_bounds(const struct view *v, const struct weir_sizing *s, const struct weir_result_pair *pair)
{
    struct weir_answer *answer = v->answer;
    struct weir_ratio period = weir_answer_period(pair->before);
    const char *within =
        v->options->within ? weir_answer_format(answer, "each within %s; ", weir_result_time(answer, v->options->within)) : "";
    const char *limit =
        v->options->period ? weir_answer_format(answer, ", within %s", weir_result_time(answer, v->options->period)) : "";
    weir_result_add_pair(answer, pair,
                         weir_answer_format(answer, "%speriod at worst times: before %s, after %s%s", within ? within : "",
                                            weir_result_amount(answer, period), weir_result_amount(answer, s->period),
                                            limit ? limit : ""));
}

static void tell_sized(const struct view *v, const struct weir_sizing *s, const struct weir_result_pair *pair)
{
    struct weir_answer *answer = v->answer;
    unsigned queues = 0;
    for (uint32_t i = 0; i < v->model->queue_count; i++)
        queues += s->sized[i];
    answer->scope = weir_answer_format(answer, "%s in %u queue%s", cost(v, s->cost), queues, queues == 1 ? "" : "s");
    add_queues(v, s);
    add_bounds(v, s, pair);
    if (s->complete)
        weir_answer_note(answer, "None with less keep the limits.");
    else
        weir_answer_note(answer, "%s: the best so far. None with less than %s keep the limits, %lld below it.",
                         weir_result_stopped(v->options->stop) ? "Interrupted" : "Some latencies are not known", cost(v, s->lower),
                         (long long)(s->cost - s->lower));
}

static void tell_none(const struct view *v, const struct weir_sizing *s)
{
    struct weir_answer *answer = v->answer;
    answer->trouble_verdict = s->complete ? WEIR_VERDICT_BAD : WEIR_VERDICT_OPEN;
    if (!s->complete) {
        answer->scope =
            weir_answer_format(answer, "%s, no capacities were found that keep the limits",
                               weir_result_stopped(v->options->stop) ? "interrupted" : "the limits of the analysis were reached");
        if (s->lower > 0 && s->lower != INT64_MAX)
            weir_answer_note(answer, "None with less than %s do.", cost(v, s->lower));
        return;
    }
    answer->scope = weir_answer_format(answer, "no capacities up to %u keep the limits", v->most);
    struct weir_ratio limit = {v->options->period, 1};
    if (v->options->period && s->period_least.denominator && weir_ratio_compare(s->period_least, limit) > 0)
        weir_answer_note(answer, "With %u slots in each the period is still %s.", v->most,
                         weir_result_amount(answer, s->period_least));
}

enum weir_status weir_sizing_answer(const struct weir_pipeline *pipeline, const struct weir_sizing_options *options,
                                    const struct weir_sizing *sizing, struct weir_answer **answer, struct weir_error *error)
{
    struct weir_answer_options brief = {.brief = true};
    struct weir_result_pair pair = {0};
    struct view v = {weir_answer_new(pipeline, error), pipeline, options, options->most ? options->most : WEIR_SIZING_MOST};
    enum weir_status status = v.answer ? WEIR_OK : WEIR_MEMORY;
    *answer = NULL;
    if (!status && sizing->pipeline)
        status = weir_result_ask(pipeline, sizing->pipeline, &brief, &pair, error);
    if (!status) {
        weir_answer_add_fact(v.answer, "goal", weir_datum_text("size-queues"));
        weir_answer_add_fact(v.answer, "complete", weir_datum_flag(sizing->complete));
        weir_answer_add_fact(v.answer, "cost_least", weir_datum_if(sizing->lower != INT64_MAX, weir_datum_count(sizing->lower)));
        weir_answer_add_fact(v.answer, "period_least", period_of(sizing->period_least));
        weir_answer_add_fact(v.answer, "cost", weir_datum_if(sizing->pipeline, weir_datum_count(sizing->cost)));
        if (sizing->pipeline) {
            weir_answer_add_fact(v.answer, "period", period_of(sizing->period));
            tell_sized(&v, sizing, &pair);
        } else {
            tell_none(&v, sizing);
        }
    }
    status = weir_answer_keep(v.answer, status, answer, error);
    weir_result_pair_free(&pair);
    return status;
}

/* ---- the front ---- */

static bool has_deadline(const struct weir_pipeline *model)
{
    bool any = false;
    for (uint32_t i = 0; i < model->chain_count; i++)
        any |= model->chains[i].has_deadline;
    return any;
}

/* The least capacity of each queue goes without saying: those that are deeper at the point. */
static const char *deeper(const struct view *v, const struct weir_front *f, const struct weir_front_point *point)
{
    const char *text = NULL;
    for (uint32_t i = 0; i < v->model->queue_count; i++) {
        uint32_t initial = v->model->queues[i].initial, least = initial > 1 ? initial : 1;
        if (f->sized[i] && point->capacities[i] != least)
            text = weir_answer_format(v->answer, "%s%s%s: %u", text ? text : "", text ? ", " : "",
                                      weir_result_queue(v->answer, v->model, i), point->capacities[i]);
    }
    return text ? text : "as small as they can be";
}

static void add_front_queues(const struct view *v, const struct weir_front *f)
{
    static const struct weir_column columns[] = {{"from", NULL}, {"to", NULL}, {"weight", NULL}};
    struct weir_table_builder builder;
    weir_table_begin(&builder, v->answer, "queues", columns, sizeof columns / sizeof *columns);
    for (uint32_t i = 0; i < v->model->queue_count; i++) {
        if (!f->sized[i])
            continue;
        weir_table_cell(&builder, name_of(v, v->model->queues[i].from));
        weir_table_cell(&builder, name_of(v, v->model->queues[i].to));
        weir_table_cell(&builder, weir_datum_count(weight_of(v, i)));
    }
    weir_answer_add_table(&builder, NULL, NULL);
}

static void add_points(const struct view *v, const struct weir_front *f)
{
    static const struct weir_column columns[] = {{"cost", "slots"},   {"latency", "latency"}, {"period", "period"}, {"met", NULL},
                                                 {NULL, "deadlines"}, {"capacities", NULL},   {NULL, "queues"}};
    struct weir_table_builder builder;
    bool deadlines = has_deadline(v->model);
    weir_table_begin(&builder, v->answer, "points", columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < f->point_count; i++) {
        const struct weir_front_point *p = &f->points[i];
        struct weir_record capacities = {.answer = v->answer};
        for (uint32_t q = 0; q < v->model->queue_count; q++)
            if (f->sized[q])
                weir_record_add(&capacities, NULL, weir_datum_count(p->capacities[q]));
        weir_table_cell(&builder, weir_datum_count(p->cost));
        weir_table_cell(&builder, weir_datum_time(p->latency));
        weir_table_cell(&builder, weir_datum_ratio(p->period));
        weir_table_cell(&builder, weir_result_met(p->state));
        weir_table_cell(&builder, deadlines ? weir_datum_text(weir_deadline_state_name(p->state)) : weir_datum_null());
        weir_table_cell(&builder, weir_record_datum(&capacities));
        weir_table_cell(&builder, weir_datum_text(deeper(v, f, p)));
    }
    weir_answer_add_table(&builder, v->options->weights ? "Worth having: slots by weight" : "Worth having", NULL);
}

static void add_front_csv(const struct view *v, const struct weir_front *f)
{
    struct weir_column *heads = weir_answer_take(v->answer, v->model->queue_count + 4, sizeof *heads);
    struct weir_table_builder builder;
    size_t count = 0;
    if (!heads)
        return;
    heads[count++].title = v->options->weights ? "weight" : "slots";
    heads[count++].title = "latency";
    heads[count++].title = "period";
    heads[count++].title = "met";
    for (uint32_t q = 0; q < v->model->queue_count; q++)
        if (f->sized[q])
            heads[count++].title = weir_result_queue(v->answer, v->model, q);
    weir_table_begin(&builder, v->answer, NULL, heads, count);
    for (size_t i = 0; i < f->point_count; i++) {
        const struct weir_front_point *p = &f->points[i];
        weir_table_cell(&builder, weir_datum_count(p->cost));
        weir_table_cell(&builder, weir_datum_time(p->latency));
        weir_table_cell(&builder, weir_datum_ratio(p->period));
        weir_table_cell(&builder, weir_result_met(p->state));
        for (uint32_t q = 0; q < v->model->queue_count; q++)
            if (f->sized[q])
                weir_table_cell(&builder, weir_datum_count(p->capacities[q]));
    }
    weir_answer_add_table(&builder, NULL, NULL);
    v->answer->csv = v->answer->tables.count;
}

/* The periods, the shortest first; the longest of too many are left out. */
enum { LINES_MAX = 16 };
static size_t list_periods(const struct weir_front *f, struct weir_ratio periods[LINES_MAX])
{
    size_t count = 0;
    for (size_t i = 0; i < f->point_count; i++) {
        size_t at = 0;
        while (at < count && weir_ratio_compare(periods[at], f->points[i].period) < 0)
            at++;
        if (at == LINES_MAX || (at < count && weir_ratio_compare(periods[at], f->points[i].period) == 0))
            continue;
        count += count < LINES_MAX;
        memmove(periods + at + 1, periods + at, (count - at - 1) * sizeof *periods);
        periods[at] = f->points[i].period;
    }
    return count;
}

/* Latency against places, a line for each period. */
static void add_chart(const struct view *v, const struct weir_front *f)
{
    struct weir_ratio periods[LINES_MAX];
    size_t count = list_periods(f, periods);
    struct weir_chart spec = {.title = "what queues are good for",
                              .subtitle = "no other capacities are as good in latency, period and slots, and better in one",
                              .note = f->complete ? NULL : "interrupted: some of what is worth having is missing here",
                              .x_label = v->options->weights ? "slots in queues, by weight" : "slots in queues",
                              .y_label = "worst latency",
                              .y_times = true};
    struct weir_chart *chart = weir_answer_add_chart(v->answer, &spec);
    for (size_t i = 0; chart && i < count; i++) {
        const char *name = weir_answer_format(v->answer, "period %s", weir_result_amount(v->answer, periods[i]));
        weir_chart_begin_series(v->answer, chart, name, false);
        for (size_t k = 0; k < f->point_count; k++)
            if (weir_ratio_compare(f->points[k].period, periods[i]) == 0)
                weir_chart_point(v->answer, chart, weir_datum_count(f->points[k].cost), weir_datum_time(f->points[k].latency));
    }
}

enum weir_status weir_front_answer(const struct weir_pipeline *pipeline, const struct weir_sizing_options *options,
                                   const struct weir_front *front, struct weir_answer **answer, struct weir_error *error)
{
    struct weir_answer *a = weir_answer_new(pipeline, error);
    struct view v = {a, pipeline, options, options->most ? options->most : WEIR_SIZING_MOST};
    bool good = false;
    if (!a)
        return weir_answer_keep(a, a ? WEIR_OK : WEIR_MEMORY, answer, error);
    for (size_t i = 0; i < front->point_count; i++)
        good |= front->points[i].state <= WEIR_DEADLINE_MET;
    a->trouble_verdict = good ? WEIR_VERDICT_GOOD : front->complete ? WEIR_VERDICT_BAD : WEIR_VERDICT_OPEN;
    a->scope = front->point_count == 0 ? "no capacities keep the limits"
               : options->weights      ? "latency against period against slots by weight"
                                       : "latency against period against slots";
    weir_answer_add_fact(a, "goal", weir_datum_text("pareto"));
    weir_answer_add_fact(a, "complete", weir_datum_flag(front->complete));
    weir_answer_add_fact(a, "cost_below", weir_datum_if(!front->complete, weir_datum_count(front->cost_below)));
    add_front_queues(&v, front);
    add_points(&v, front);
    add_front_csv(&v, front);
    add_chart(&v, front);
    if (front->complete)
        weir_answer_note(a, "No other capacities up to %u are as good in all three and better in one.", v.most);
    else
        weir_answer_note(a, "%s: of capacities with less than %s, no others are as good in all three and better in one.",
                         weir_result_stopped(options->stop) ? "Interrupted" : "Some latencies are not known",
                         cost(&v, front->cost_below));
    return weir_answer_keep(a, a ? WEIR_OK : WEIR_MEMORY, answer, error);
}
