/* SPDX-License-Identifier: Apache-2.0 */
/* What a search on shared processors found: bounds before and after, what to change. */
#include "explore/result.h"
#include "model/pipeline.h"

#include <string.h>

struct view {
    struct weir_answer *answer;
    const struct weir_pipeline *model;
    const struct weir_explore_options *options;
    const struct weir_exploration *e;
    struct weir_bound *before, *after;
};

static const struct weir_priority_analysis *last_of(const struct weir_exploration *e)
{
    return e->after ? e->after : e->before;
}

/* Whether the chain begins where the regulator stands. */
static bool is_regulated(const struct view *v, struct weir_operator from)
{
    const struct weir_source_spec *sources = v->model->sources, *regulator = &sources[v->e->source];
    for (uint32_t i = 0; i < v->model->source_count; i++)
        if (sources[i].op.index == from.index)
            return i == v->e->source || (sources[i].name && regulator->name && strcmp(sources[i].name, regulator->name) == 0);
    return false;
}

/* The bounds as the goal counts them: from the actual arrival, the regulator included. */
static struct weir_bound *bounds_of(const struct view *v, const struct weir_priority_analysis *analysis)
{
    struct weir_bound *bounds = weir_answer_take(v->answer, v->model->chain_count, sizeof *bounds);
    bool spacing = v->options->goal == WEIR_EXPLORE_SPACING;
    bool open = analysis->outcome != WEIR_PRIORITY_CONVERGED && analysis->outcome != WEIR_PRIORITY_UNBOUNDED;
    for (size_t i = 0; bounds && i < analysis->latency_count; i++) {
        const struct weir_priority_latency *from = &analysis->latencies[i];
        struct weir_bound *bound = &bounds[i];
        bound->chain = v->model->chains[i];
        bound->has_deadline = bound->chain.has_deadline;
        bound->deadline = bound->chain.deadline;
        int64_t worst = !spacing                                                       ? from->worst
                        : analysis == v->e->after && is_regulated(v, from->chain.from) ? from->worst + v->e->delay
                                                                                       : from->worst_arrival;
        if (from->bounded)
            bound->worst = weir_quantity_safe((struct weir_ratio){worst, 1});
        else
            bound->worst.claim = open ? WEIR_CLAIM_UNKNOWN : WEIR_CLAIM_UNBOUNDED;
        bound->state = weir_judge(bound);
    }
    return bounds;
}

/* ---- the headline ---- */

static const char *what_was_found(const struct view *v)
{
    bool better = v->e->pipeline, optimal = v->e->complete;
    switch (v->options->goal) {
    case WEIR_EXPLORE_PRIORITIES:
        return better ? "better priorities" : optimal ? "no priorities are better than these" : "no better priorities found";
    case WEIR_EXPLORE_MAPPING:
        return better ? "a better mapping" : optimal ? "no mapping is better than this" : "no better mapping found";
    case WEIR_EXPLORE_SPACING:
        return better ? "a regulator helps" : optimal ? "no regulator makes it better" : "no regulator found that makes it better";
    case WEIR_EXPLORE_BUFFERS:
        break;
    }
    return better             ? v->e->total_before < 0 ? "queues that keep every limit" : "smaller queues"
           : v->e->total < 0  ? optimal ? "no queues keep every limit" : "no queues found that keep every limit"
           : v->e->total == 0 ? "no queues to size"
           : optimal          ? "no smaller queues keep every limit"
                              : "no smaller queues found";
}

static void add_headline(const struct view *v)
{
    const struct weir_exploration *e = v->e;
    struct weir_answer *answer = v->answer;
    const struct weir_priority_analysis *last = last_of(e);
    bool sized = v->options->goal == WEIR_EXPLORE_BUFFERS;
    const char *best = !e->pipeline || !e->complete ? "" : sized ? ", none smaller" : ", proved the best";
    const char *deadlines = last->outcome == WEIR_PRIORITY_CONVERGED
                                ? weir_result_deadlines(answer, v->after, last->latency_count)
                                : weir_answer_format(answer, "no bound: %s", last->why ? last->why : "none found");
    answer->scope = weir_answer_format(answer, "%s%s; %s", what_was_found(v), best, deadlines ? deadlines : "");
    const char *end = e->complete       ? sized ? ": everything smaller is ruled out" : ": nothing is left to try"
                      : !e->interrupted ? ""
                      : weir_result_stopped(v->options->stop) ? "; stopped: the best so far"
                                                              : "; the limit: the best so far";
    weir_answer_line(answer, "%s analys%s with %s%s", weir_result_count(answer, (int64_t)e->evaluations),
                     e->evaluations == 1 ? "is" : "es", weir_priority_method_name(v->options->method), end);
    for (size_t i = 0; i < last->latency_count; i++) {
        enum weir_verdict verdict = weir_bound_verdict(&v->after[i]);
        answer->trouble_verdict = verdict > answer->trouble_verdict ? verdict : answer->trouble_verdict;
    }
    if (sized && e->total < 0 && last->outcome == WEIR_PRIORITY_CONVERGED)
        answer->trouble_verdict = WEIR_VERDICT_BAD;
}

/* ---- before and after ---- */

/* "places in all queues: 12, then 9"; NULL: not known. */
static const char *describe_total(const struct view *v)
{
    const struct weir_exploration *e = v->e;
    bool sized = v->options->goal == WEIR_EXPLORE_BUFFERS;
    int64_t before = sized ? e->total_before : e->before->outcome == WEIR_PRIORITY_CONVERGED ? e->before->buffer_total : -1;
    int64_t after = sized ? e->total : e->after && e->after->outcome == WEIR_PRIORITY_CONVERGED ? e->after->buffer_total : -1;
    if ((before < 0 && after < 0) || (sized && e->total == 0))
        return NULL;
    const char *now = before < 0 ? "not known" : weir_result_count(v->answer, before);
    return weir_answer_format(v->answer, "slots in %s: %s%s%s", sized ? "the queues that are sized" : "all queues", now,
                              e->after ? ", then " : "",
                              !e->after   ? ""
                              : after < 0 ? "not known"
                                          : weir_result_count(v->answer, after));
}

static void add_bounds(const struct view *v)
{
    static const struct weir_column columns[] = {{"from", NULL},     {"to", NULL},         {"before", NULL}, {"after", NULL},
                                                 {"deadline", NULL}, {"met_before", NULL}, {"met", NULL},    {"state", NULL}};
    struct weir_answer *answer = v->answer;
    size_t count = v->e->before->latency_count;
    struct weir_result_chain *chains = weir_answer_take(answer, count, sizeof *chains);
    struct weir_table_builder builder;
    weir_table_begin(&builder, answer, "latency", columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; chains && i < count; i++) {
        const struct weir_bound *b = &v->before[i], *a = &v->after[i];
        chains[i] = (struct weir_result_chain){b, a};
        weir_table_cell(&builder, weir_datum_text(weir_answer_name(answer, b->chain.from)));
        weir_table_cell(&builder, weir_datum_text(weir_answer_name(answer, b->chain.to)));
        weir_table_cell(&builder, weir_result_worst(b));
        weir_table_cell(&builder, weir_result_worst(a));
        weir_table_cell(&builder, a->has_deadline ? weir_datum_time(a->deadline) : weir_datum_absent());
        weir_table_cell(&builder, a->has_deadline ? weir_result_met(b->state) : weir_datum_absent());
        weir_table_cell(&builder, weir_result_met(a->state));
        weir_table_cell(&builder, weir_datum_text(weir_deadline_state_name(a->state)));
    }
    weir_answer_add_table(&builder, NULL, NULL);
    struct weir_result_table table = {.before = v->model,
                                      .after = v->model,
                                      .chains = chains,
                                      .count = chains ? count : 0,
                                      .title = v->options->goal == WEIR_EXPLORE_SPACING ? "Worst latencies: from the actual arrival"
                                                                                        : "Worst latencies",
                                      .note = describe_total(v)};
    weir_result_add_table(answer, &table);
}

/* ---- what to change ---- */

static struct weir_datum arrow(struct weir_answer *answer, const char *before, const char *after)
{
    return weir_datum_text(before ? weir_answer_format(answer, "%s -> %s", before, after) : after);
}

static const char *decimal(struct weir_answer *answer, int64_t number)
{
    return weir_answer_format(answer, "%lld", (long long)number);
}

static void add_operators(const struct view *v)
{
    static const struct weir_column columns[] = {{"name", "operator"},      {"processor_before", NULL}, {"processor", NULL},
                                                 {"priority_before", NULL}, {"priority", NULL},         {NULL, "processor"},
                                                 {NULL, "priority"}};
    struct weir_answer *answer = v->answer;
    struct weir_table_builder builder;
    weir_table_begin(&builder, answer, "operators", columns, sizeof columns / sizeof *columns);
    for (uint32_t i = 0; v->e->pipeline && i < v->model->operator_count; i++) {
        const struct weir_operator_spec *b = &v->model->operators[i], *a = &v->e->pipeline->operators[i];
        bool moved = a->mapped && b->on.index != a->on.index;
        bool ranked = a->has_priority != b->has_priority || a->priority != b->priority;
        const char *from = moved ? v->model->processors[b->on.index].name : NULL;
        const char *to = moved ? v->model->processors[a->on.index].name : NULL;
        const char *before = ranked && b->has_priority ? decimal(answer, b->priority) : NULL;
        if (!moved && !ranked)
            continue;
        weir_table_cell(&builder, weir_datum_text(b->name));
        weir_table_cell(&builder, moved ? weir_datum_text(from) : weir_datum_absent());
        weir_table_cell(&builder, moved ? weir_datum_text(to) : weir_datum_absent());
        weir_table_cell(&builder, before ? weir_datum_count(b->priority) : weir_datum_absent());
        weir_table_cell(&builder, ranked ? weir_datum_count(a->priority) : weir_datum_absent());
        weir_table_cell(&builder, moved ? arrow(answer, from, to) : weir_datum_absent());
        weir_table_cell(&builder, ranked ? arrow(answer, before, decimal(answer, a->priority)) : weir_datum_absent());
    }
    weir_answer_add_table(&builder, "Change", NULL);
}

static int64_t capacity_in(const struct weir_priority_analysis *analysis, uint32_t queue)
{
    for (size_t i = 0; i < analysis->buffer_count; i++)
        if (!analysis->buffers[i].input && analysis->buffers[i].index == queue)
            return analysis->buffers[i].capacity;
    return -1;
}

static void add_queues(const struct view *v)
{
    static const struct weir_column columns[] = {{"from", NULL},     {"to", NULL},    {"before", NULL},
                                                 {"capacity", NULL}, {NULL, "queue"}, {NULL, "slots"}};
    struct weir_answer *answer = v->answer;
    struct weir_table_builder builder;
    weir_table_begin(&builder, answer, "buffers", columns, sizeof columns / sizeof *columns);
    for (uint32_t i = 0; v->e->after && i < v->model->queue_count; i++) {
        int64_t before = capacity_in(v->e->before, i), after = capacity_in(v->e->after, i);
        if (before == after)
            continue;
        weir_table_cell(&builder, weir_datum_text(weir_answer_name(answer, v->model->queues[i].from)));
        weir_table_cell(&builder, weir_datum_text(weir_answer_name(answer, v->model->queues[i].to)));
        weir_table_cell(&builder, before >= 0 ? weir_datum_count(before) : weir_datum_absent());
        weir_table_cell(&builder, weir_datum_count(after));
        weir_table_cell(&builder, weir_datum_text(weir_result_queue(answer, v->model, i)));
        weir_table_cell(&builder, arrow(answer, before >= 0 ? decimal(answer, before) : NULL, decimal(answer, after)));
    }
    weir_answer_add_table(&builder, "Change", NULL);
    weir_answer_add_fact(answer, "total_before", weir_datum_if(v->e->total_before >= 0, weir_datum_count(v->e->total_before)));
    weir_answer_add_fact(answer, "total", weir_datum_if(v->e->total >= 0, weir_datum_count(v->e->total)));
    weir_answer_add_fact(answer, "total_least", weir_datum_if(v->e->total_least >= 0, weir_datum_count(v->e->total_least)));
}

static void add_regulator(const struct view *v)
{
    const struct weir_source_spec *source = &v->model->sources[v->e->source];
    struct weir_answer *answer = v->answer;
    struct weir_record record = {.answer = answer};
    const char *op = weir_answer_name(answer, source->op);
    if (!v->e->pipeline) {
        weir_answer_add_fact(answer, "regulator", weir_datum_null());
        return;
    }
    if (source->name)
        weir_record_add(&record, "source", weir_datum_text(source->name));
    weir_record_add(&record, "operator", weir_datum_text(op));
    weir_record_add(&record, "spacing", weir_datum_time(v->e->spacing));
    weir_record_add(&record, "delay", weir_datum_time(v->e->delay));
    weir_answer_add_fact(answer, "regulator", weir_record_datum(&record));
    weir_answer_note(answer,
                     "Change: after the source of %s, a regulator that keeps inputs at least %s apart. It holds an input for at "
                     "most %s; they arrive every %s with %s of jitter.",
                     op, weir_result_time(answer, v->e->spacing), weir_result_time(answer, v->e->delay),
                     weir_result_time(answer, source->period), weir_result_time(answer, source->jitter));
}

/* ---- all of it ---- */

static void add_facts(const struct view *v)
{
    static const char *const goals[] = {"priorities", "mapping", "spacing", "buffers"};
    const struct weir_exploration *e = v->e;
    struct weir_answer *a = v->answer;
    weir_answer_add_fact(a, "method", weir_datum_text(weir_priority_method_name(v->options->method)));
    weir_answer_add_fact(a, "goal", weir_datum_text(goals[v->options->goal]));
    weir_answer_add_fact(a, "improved", weir_datum_flag(e->pipeline));
    weir_answer_add_fact(a, "complete", weir_datum_flag(e->complete));
    weir_answer_add_fact(a, "interrupted", weir_datum_flag(e->interrupted));
    weir_answer_add_fact(a, "evaluations", weir_datum_count((int64_t)e->evaluations));
    weir_answer_add_fact(a, "converged_before", weir_datum_flag(e->before->outcome == WEIR_PRIORITY_CONVERGED));
    weir_answer_add_fact(a, "converged", weir_datum_flag(last_of(e)->outcome == WEIR_PRIORITY_CONVERGED));
    if (last_of(e)->why)
        weir_answer_add_fact(a, "why", weir_datum_text(last_of(e)->why));
    if (e->note)
        weir_answer_add_fact(a, "note", weir_datum_text(e->note));
}

enum weir_status weir_exploration_answer(const struct weir_pipeline *pipeline, const struct weir_explore_options *options,
                                         const struct weir_exploration *exploration, struct weir_answer **answer,
                                         struct weir_error *error)
{
    struct weir_answer *a = weir_answer_new(pipeline, error);
    struct view v = {.answer = a, .model = pipeline, .options = options, .e = exploration};
    if (a) {
        v.before = bounds_of(&v, exploration->before);
        v.after = exploration->after ? bounds_of(&v, exploration->after) : v.before;
    }
    if (a && v.before && v.after) {
        add_facts(&v);
        add_headline(&v);
        add_bounds(&v);
        if (options->goal == WEIR_EXPLORE_SPACING)
            add_regulator(&v);
        else if (options->goal == WEIR_EXPLORE_BUFFERS)
            add_queues(&v);
        else
            add_operators(&v);
        if (exploration->note)
            weir_answer_note(a, "%s", exploration->note);
    }
    return weir_answer_keep(a, a ? WEIR_OK : WEIR_MEMORY, answer, error);
}
