/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The answer about graphs of kernels on a GPU: one bound for the whole, and the plan it holds for. The lower bound of a plan is
 * below no makespan of an execution in which every block takes as long as it can, and every launch begins as late as it can
 * (docs/concepts/gpu.md, 6): it is the lower end of the worst case, and a deadline below it is missed.
 */
#include "answer/answer.h"
#include "answer/simulate/simulation.h"
#include "answer/timeline/timeline.h"
#include "base/error.h"
#include "base/number.h"
#include "model/pipeline.h"

#include <string.h>

#define MILLION 1000000
#define COUNT(array) (sizeof(array) / sizeof *(array))

static bool applies(const struct weir_pipeline *pipeline)
{
    return pipeline->platform == WEIR_PLATFORM_GPU;
}

static void release(void *detail)
{
    weir_gpu_plan_free(detail);
}

static const char *plural(size_t count)
{
    return count == 1 ? "" : "s";
}

static struct weir_datum exactly(struct weir_ratio ticks)
{
    struct weir_datum value = weir_datum_ratio(weir_ratio_reduce(ticks));
    value.with_exact = true;
    return value;
}

/* By how much of the lower bound the bound lies above it, rounded up; below it only where the bound is not safe. */
static struct weir_datum gap_of(const struct weir_gpu_plan *plan)
{
    struct weir_ratio bound = plan->bound, lower = plan->lower;
    weir_wide above = (weir_wide)bound.numerator * lower.denominator - (weir_wide)lower.numerator * bound.denominator;
    weir_wide whole = (weir_wide)lower.numerator * bound.denominator, most = ((weir_wide)1 << 100);
    if (lower.numerator <= 0)
        return weir_datum_null();
    for (; above > most || above < -most || whole > most; whole = whole > 1 ? whole / 2 : 1)
        above = above / 2 + (above > 0);
    weir_wide millionths = above * MILLION / whole + (above > 0 && above * MILLION % whole != 0);
    return weir_datum_share((struct weir_ratio){millionths > INT64_MAX ? INT64_MAX : (int64_t)millionths, MILLION});
}

static void fill_facts(struct weir_answer *answer, const struct weir_gpu_plan *plan)
{
    struct weir_datum lower = exactly(plan->lower);
    lower.rounds_down = true;
    weir_answer_add_fact(answer, "method", weir_datum_text(weir_gpu_method_name(plan->method)));
    weir_answer_add_fact(answer, "sms", weir_datum_count(plan->sms));
    weir_answer_add_fact(answer, "bound", exactly(plan->bound));
    weir_answer_add_fact(answer, "lower", lower);
    weir_answer_add_fact(answer, "gap", gap_of(plan));
    weir_answer_add_fact(answer, "safe", weir_datum_flag(plan->safe));
    if (plan->why)
        weir_answer_add_fact(answer, "why", weir_datum_text(plan->why));
    weir_answer_add_fact(answer, "limited", weir_datum_flag(plan->limited));
    if (plan->verified)
        weir_answer_add_fact(answer, "verified", weir_datum_flag(true));
    weir_answer_add_fact(answer, "barriers", weir_datum_flag(plan->barriers));
}

static void fill_bound(struct weir_answer *answer, struct weir_bound *bound, const struct weir_gpu_plan *plan)
{
    bound->whole = true;
    bound->worst = weir_quantity_of_plan(plan);
    bound->has_deadline = answer->pipeline->gpu.deadline > 0;
    bound->deadline = answer->pipeline->gpu.deadline;
    bound->why = plan->why;
    bound->verified = plan->verified;
    answer->bounds = bound;
    answer->bound_count = 1;
}

static void tell_slowed(struct weir_answer *answer, const struct weir_gpu_plan *plan)
{
    size_t slowed = 0;
    for (size_t i = 0; i < plan->launch_count; i++)
        slowed += weir_ratio_compare(plan->launches[i].alone, plan->launches[i].time) < 0;
    if (!plan->safe)
        weir_answer_line(answer, "that kernels slow each other down is not taken into account");
    else
        weir_answer_line(answer, "%zu launch%s can be slowed down by those beside %s", slowed, slowed == 1 ? "" : "es",
                         slowed == 1 ? "it" : "them");
}

static void fill_text(struct weir_answer *answer, const struct weir_gpu_plan *plan)
{
    size_t kernels = answer->pipeline->operator_count, edges = answer->pipeline->queue_count;
    answer->scope = weir_answer_format(answer, "%zu kernel%s, %zu dependenc%s, %u SM%s, %s", kernels, plural(kernels), edges,
                                       edges == 1 ? "y" : "ies", plan->sms, plural(plan->sms), plan->safe ? "safe" : "UNSAFE");
    weir_answer_line(answer, "method %s: %zu launch%s in %u group%s, %u kernel%s split, %zu dependenc%s added",
                     weir_gpu_method_name(plan->method), plan->launch_count, plan->launch_count == 1 ? "" : "es", plan->group_count,
                     plural(plan->group_count), plan->split_count, plural(plan->split_count), plan->added_count,
                     plan->added_count == 1 ? "y" : "ies");
    if (answer->pipeline->kernels->disturbed)
        tell_slowed(answer, plan);
    weir_answer_line(answer, "the lower bound holds for every plan%s",
                     plan->limited ? "; this one is the best that was found, and --limit N looks further" : "");
    answer->assumes = "that a launch has its SMs to itself, and the loads and times in the model; see docs/concepts/gpu.md";
}

/* ---- launches ---- */

static void fill_launches(struct weir_answer *answer, const struct weir_gpu_plan *plan)
{
    static const struct weir_column columns[] = {{"id", NULL},    {"kernel", NULL}, {"part", NULL}, {"parts", NULL},
                                                 {"group", NULL}, {"load", NULL},   {"sms", NULL},  {"time", NULL},
                                                 {"start", NULL}, {"after", NULL},  {"alone", NULL}};
    bool disturbed = answer->pipeline->kernels->disturbed;
    struct weir_table_builder table;
    weir_table_begin(&table, answer, "launches", columns, COUNT(columns) - !disturbed);
    for (size_t i = 0; i < plan->launch_count; i++) {
        const struct weir_gpu_launch *l = &plan->launches[i];
        struct weir_record after = {.answer = answer};
        for (size_t k = 0; k < l->after_count; k++)
            weir_record_add(&after, NULL, weir_datum_count(l->after[k]));
        weir_table_cell(&table, weir_datum_count((int64_t)i), weir_datum_text(weir_answer_name(answer, l->kernel)),
                        weir_datum_count(l->part), weir_datum_count(l->parts), weir_datum_count(l->group), exactly(l->load),
                        weir_datum_count(l->sms), exactly(l->time), exactly(l->start), weir_record_datum(&after));
        if (disturbed)
            weir_table_cell(&table, exactly(l->alone));
    }
    weir_answer_add_table(&table, NULL, NULL);
}

/* "resize", or "resize[2/3]". */
static const char *launch_name(struct weir_answer *answer, const struct weir_gpu_launch *launch)
{
    const char *kernel = weir_answer_name(answer, launch->kernel);
    if (launch->parts < 2)
        return kernel;
    const char *name = weir_answer_format(answer, "%s[%u/%u]", kernel, launch->part, launch->parts);
    return name ? name : "";
}

/* ---- groups ---- */

/* The launches of a group stand together: from `first`, which it returns the end of. */
static size_t add_group(struct weir_table_builder *table, const struct weir_gpu_plan *plan, size_t first)
{
    struct weir_answer *answer = table->answer;
    const struct weir_gpu_launch *launches = plan->launches;
    struct weir_ratio start = launches[first].start, time = launches[first].time;
    struct weir_record ids = {.answer = answer}, names = {.answer = answer};
    int64_t sms = 0;
    size_t next = first;
    for (; next < plan->launch_count && launches[next].group == launches[first].group; next++) {
        const struct weir_gpu_launch *l = &launches[next];
        const char *name = weir_answer_format(answer, "%s x %u", launch_name(answer, l), l->sms);
        start = weir_ratio_compare(l->start, start) < 0 ? l->start : start;
        time = weir_ratio_compare(l->time, time) > 0 ? l->time : time;
        sms += l->sms;
        weir_record_add(&ids, NULL, weir_datum_count((int64_t)next));
        weir_record_add(&names, NULL, weir_datum_text(name));
    }
    weir_table_cell(table, weir_datum_count(launches[first].group), weir_datum_ratio(start), weir_datum_ratio(time),
                    weir_record_datum(&names), weir_record_datum(&ids), weir_datum_count(sms));
    return next;
}

static void fill_groups(struct weir_answer *answer, const struct weir_gpu_plan *plan)
{
    static const struct weir_column columns[] = {{NULL, "group"},    {NULL, "begins"},   {NULL, "time"},
                                                 {NULL, "launches"}, {"launches", NULL}, {"sms", NULL}};
    struct weir_table_builder table;
    weir_table_begin(&table, answer, "groups", columns, COUNT(columns));
    for (size_t first = 0; first < plan->launch_count;)
        first = add_group(&table, plan, first);
    weir_answer_add_table(&table,
                          plan->barriers ? "Groups: launches as kernel[part] x SMs; each group waits for all of the one before"
                          : plan->safe && plan->token_count
                              ? "Groups: launches as kernel[part] x SMs; each launch waits for those whose SMs it takes over"
                              : "Groups: launches as kernel[part] x SMs",
                          NULL);
}

/* ---- what the plan did to the graph: for people where they ask for an explanation ---- */

/* By kernel, from the first part on; later parts stand behind earlier ones. */
static void fill_splits(struct weir_answer *answer, const struct weir_gpu_plan *plan)
{
    static const struct weir_column columns[] = {{"kernel", NULL}, {"launches", NULL}};
    const struct weir_gpu_launch *launches = plan->launches;
    struct weir_table_builder table;
    weir_table_begin(&table, answer, "splits", columns, COUNT(columns));
    for (size_t first = 0; first < plan->launch_count; first++) {
        struct weir_record ids = {.answer = answer};
        uint32_t left = launches[first].parts > 1 && launches[first].part == 1 ? launches[first].parts : 0;
        if (!left)
            continue;
        for (size_t i = first; i < plan->launch_count && left > 0; i++)
            if (launches[i].kernel.index == launches[first].kernel.index) {
                weir_record_add(&ids, NULL, weir_datum_count((int64_t)i));
                left--;
            }
        weir_table_cell(&table, weir_datum_text(weir_answer_name(answer, launches[first].kernel)), weir_record_datum(&ids));
    }
    weir_answer_add_table(&table, NULL, NULL);
}

static void fill_parts(struct weir_answer *answer, const struct weir_gpu_plan *plan)
{
    static const struct weir_column columns[] = {{NULL, "launch"}, {NULL, "load"}, {NULL, "SMs"}, {NULL, "time"}};
    struct weir_table_builder table;
    weir_table_begin(&table, answer, NULL, columns, COUNT(columns));
    for (size_t i = 0; i < plan->launch_count; i++) {
        const struct weir_gpu_launch *l = &plan->launches[i];
        if (l->parts < 2)
            continue;
        weir_table_cell(&table, weir_datum_text(launch_name(answer, l)), weir_datum_ratio(l->load), weir_datum_count(l->sms),
                        weir_datum_ratio(l->time));
    }
    weir_answer_add_table(&table, "Kernels in parts", NULL);
}

static void fill_added(struct weir_answer *answer, const struct weir_gpu_plan *plan, bool explain)
{
    static const struct weir_column columns[] = {{"from", NULL}, {"to", NULL}, {NULL, ""}};
    struct weir_table_builder table;
    weir_table_begin(&table, answer, "added", columns, COUNT(columns));
    for (size_t i = 0; i < plan->added_count; i++) {
        const struct weir_gpu_edge *edge = &plan->added[i];
        weir_table_cell(&table, weir_datum_count(edge->from), weir_datum_count(edge->to));
        const char *words = explain ? weir_answer_format(answer, "%s -> %s", launch_name(answer, &plan->launches[edge->from]),
                                                         launch_name(answer, &plan->launches[edge->to]))
                                    : NULL;
        weir_table_cell(&table, weir_datum_text(words));
    }
    weir_answer_add_table(&table, explain ? "Added dependencies" : NULL,
                          plan->barriers ? "an empty node between two groups does the same with fewer" : NULL);
}

static void fill_tokens(struct weir_answer *answer, const struct weir_gpu_plan *plan)
{
    static const struct weir_column columns[] = {{"from", NULL}, {"to", NULL}, {"sms", NULL}, {"places", NULL}};
    struct weir_table_builder table;
    weir_table_begin(&table, answer, "tokens", columns, COUNT(columns));
    for (size_t i = 0; i < plan->token_count; i++) {
        const struct weir_gpu_token *token = &plan->tokens[i];
        weir_table_cell(&table, weir_datum_if(token->from != WEIR_GPU_BEGIN, weir_datum_count(token->from)),
                        weir_datum_count(token->to), weir_datum_count(token->sms), weir_datum_count(token->places));
    }
    weir_answer_add_table(&table, NULL, NULL);
}

/* ---- all methods ---- */

/* A method that does not cover the model says why. */
static enum weir_status add_method(struct weir_table_builder *table, const struct weir_gpu_options *options,
                                   struct weir_error *error)
{
    struct weir_answer *answer = table->answer;
    struct weir_gpu_options own = *options;
    struct weir_error refusal = {0};
    struct weir_gpu_plan *plan = NULL;
    own.verify = options->verify && (own.method == WEIR_GPU_BEST || own.method == WEIR_GPU_SAFE);
    enum weir_status status = weir_gpu_analyze(answer->pipeline, &own, &plan, &refusal);
    if (status && status != WEIR_INVALID) {
        if (error)
            *error = refusal;
        return status;
    }
    bool covers = status == WEIR_OK;
    weir_table_cell(table, weir_datum_text(weir_gpu_method_name(own.method)), covers ? exactly(plan->bound) : weir_datum_null(),
                    covers ? gap_of(plan) : weir_datum_null(),
                    covers ? weir_datum_count((int64_t)plan->launch_count) : weir_datum_null(),
                    covers ? weir_datum_count(plan->split_count) : weir_datum_null(),
                    covers ? weir_datum_count((int64_t)plan->added_count) : weir_datum_null(),
                    covers ? weir_datum_flag(plan->safe) : weir_datum_null(),
                    covers ? (struct weir_datum){0} : weir_datum_text(weir_answer_format(answer, "%s", refusal.message)));
    weir_gpu_plan_free(plan);
    return WEIR_OK;
}

static enum weir_status fill_methods(struct weir_answer *answer, const struct weir_gpu_options *options, struct weir_error *error)
{
    static const struct weir_column columns[] = {{"method", "method"},     {"bound", "bound"},  {"gap", "gap"},
                                                 {"launches", "launches"}, {"splits", "split"}, {"added", "added"},
                                                 {"safe", "safe"},         {"why", "why"}};
    struct weir_gpu_options own = *options;
    struct weir_table_builder table;
    enum weir_status status = WEIR_OK;
    weir_table_begin(&table, answer, "methods", columns, COUNT(columns));
    for (int m = 0; m < WEIR_GPU_METHODS && !status; m++) {
        own.method = (enum weir_gpu_method)m;
        status = add_method(&table, &own, error);
    }
    weir_answer_add_table(&table, "Methods: those that are not safe can be exceeded", NULL);
    return status;
}

/* ---- */

static enum weir_status analyze(struct weir_answer *answer, const struct weir_answer_options *options, struct weir_error *error)
{
    struct weir_gpu_options own = {.sms = options->sms,
                                   .no_split = options->no_split,
                                   .verify = options->verify,
                                   .work_limit = options->work_limit,
                                   .progress = options->progress,
                                   .context = options->context};
    struct weir_gpu_plan *plan = NULL;
    bool all = options->method && strcmp(options->method, "all") == 0;
    if (options->method && !all)
        own.method = weir_gpu_method_named(options->method);
    if (own.method == WEIR_GPU_METHODS)
        return weir_fail(error, WEIR_INVALID, "kernels on a GPU have no method \"%s\"", options->method);
    struct weir_bound *bound = weir_answer_take(answer, 1, sizeof *bound);
    if (!bound)
        return weir_fail_memory(error);
    enum weir_status status = weir_gpu_analyze(answer->pipeline, &own, &plan, error);
    if (status)
        return status;
    answer->detail = plan;
    fill_bound(answer, bound, plan);
    fill_facts(answer, plan);
    if (options->brief)
        return WEIR_OK;
    fill_text(answer, plan);
    fill_launches(answer, plan);
    fill_groups(answer, plan);
    fill_splits(answer, plan);
    if (options->explain)
        fill_parts(answer, plan);
    fill_added(answer, plan, options->explain);
    fill_tokens(answer, plan);
    return all ? fill_methods(answer, &own, error) : WEIR_OK;
}

static enum weir_status show(const struct weir_answer *answer, size_t bound, struct weir_timeline **timeline,
                             struct weir_error *error)
{
    (void)bound; /* there is one */
    return weir_timeline_of_plan(answer->detail, timeline, error);
}

const struct weir_engine weir_engine_gpu = {"gpu", applies, analyze, release, show, weir_simulate_gpu};
