/* SPDX-License-Identifier: Apache-2.0 */
/* The launches of a plan: over the SMs, and each once on tracks of their own with an arrow for each thing it waits for. */
#include "answer/sms.h"
#include "answer/timeline/timeline.h"
#include "base/number.h"

#include <assert.h>
#include <stdlib.h>

struct builder {
    struct weir_timeline *t;
    const struct weir_gpu_plan *plan;
    struct weir_sms sms;
    size_t *span_of; /* by launch */
};

/* ---- launches ---- */

static struct weir_timeline_span span_of(const struct builder *b, uint32_t launch)
{
    const struct weir_gpu_launch *l = &b->plan->launches[launch];
    const char *name = weir_pipeline_operator(b->plan->pipeline, l->kernel).name;
    bool part = l->parts > 1;
    return (struct weir_timeline_span){.kind = part ? WEIR_SPAN_PART : WEIR_SPAN_LAUNCH,
                                       .look = l->kernel.index,
                                       .iteration = -1,
                                       .from = l->start,
                                       .to = b->sms.end[launch],
                                       .label = part ? weir_timeline_text(b->t, "%s %u/%u", name, l->part, l->parts) : name};
}

static void add_facts(struct builder *b, uint32_t launch, struct weir_timeline_span *span)
{
    const struct weir_gpu_launch *l = &b->plan->launches[launch];
    const struct weir_field facts[] = {
        {"launch", weir_datum_count(launch)},
        {"kernel", weir_datum_text(weir_pipeline_operator(b->plan->pipeline, l->kernel).name)},
        {"part", weir_datum_count(l->part)},
        {"parts", weir_datum_count(l->parts)},
        {"sms", weir_datum_count(l->sms)},
        {"load", weir_datum_ratio(l->load)},
        {"time", weir_datum_ratio(l->time)},
        {"group", weir_datum_count(l->group)},
    };
    span->facts = weir_timeline_facts(b->t, facts, sizeof facts / sizeof *facts);
    span->fact_count = sizeof facts / sizeof *facts;
}

static void add_launches(struct builder *b)
{
    weir_timeline_add_group(b->t, (struct weir_timeline_group){.name = "launches"});
    weir_timeline_add_lane(b->t, (struct weir_timeline_lane){.name = "launches", .hidden = true});
    assert(b->sms.order || !b->plan->launch_count);
    for (size_t i = 0; i < b->plan->launch_count; i++) {
        uint32_t launch = b->sms.order[i];
        struct weir_timeline_span span = span_of(b, launch);
        b->span_of[launch] = b->t->span_count;
        add_facts(b, launch, &span);
        weir_timeline_add_span(b->t, span);
    }
    weir_timeline_pack(b->t);
}

/* ---- SMs ---- */

/* A launch is as many spans as it has ranges; the widest carries the label, and the others the same text as a tooltip.
 */
static void add_ranges(struct builder *b, uint32_t launch)
{
    const struct weir_gpu_launch *l = &b->plan->launches[launch];
    struct weir_timeline_span span = span_of(b, launch);
    uint32_t waves = weir_gpu_waves(b->plan, l);
    span.note = waves > 1 ? weir_timeline_text(b->t, "%u SMs, group %u, in %u waves", l->sms, l->group, waves)
                          : weir_timeline_text(b->t, "%u SM%s, group %u", l->sms, l->sms == 1 ? "" : "s", l->group);
    span.facts = weir_timeline_facts(b->t, &(struct weir_field){"launch", weir_datum_count(launch)}, 1);
    span.fact_count = 1;
    for (size_t k = b->sms.first_range[launch]; k < b->sms.first_range[launch + 1]; k++) {
        span.row = b->sms.ranges[k].sm;
        span.row_count = b->sms.ranges[k].count;
        weir_timeline_add_span(b->t, span);
    }
}

static void add_sms(struct builder *b)
{
    weir_timeline_add_group(b->t, (struct weir_timeline_group){.name = "SMs"});
    weir_timeline_add_lane(
        b->t, (struct weir_timeline_lane){.name = "SM", .rows = b->sms.count, .row_name = "SM", .row_limit = b->plan->sms});
    for (uint32_t i = 0; i < b->plan->launch_count; i++)
        add_ranges(b, i);
}

struct change {
    struct weir_ratio at;
    int64_t sms;
};

static int by_moment(const void *left, const void *right)
{
    return weir_ratio_compare(((const struct change *)left)->at, ((const struct change *)right)->at);
}

static void add_use(struct builder *b)
{
    size_t count = 0;
    struct change *changes = weir_array(b->plan->launch_count, 2 * sizeof *changes);
    b->t->failed |= !changes;
    for (uint32_t i = 0; changes && i < b->plan->launch_count; i++) {
        int64_t sms = 0;
        for (size_t k = b->sms.first_range[i]; k < b->sms.first_range[i + 1]; k++)
            sms += b->sms.ranges[k].count;
        changes[count++] = (struct change){b->plan->launches[i].start, sms};
        changes[count++] = (struct change){b->sms.end[i], -sms};
    }
    if (count)
        qsort(changes, count, sizeof *changes, by_moment);
    weir_timeline_add_level(b->t, (struct weir_timeline_level){
                                      .name = "SMs in use", .title = "SMs in use", .lane = WEIR_NO_LANE, .capacity = b->plan->sms});
    int64_t used = 0;
    for (size_t i = 0; i < count; i++) {
        used += changes[i].sms;
        if (i + 1 == count || weir_ratio_compare(changes[i + 1].at, changes[i].at) != 0)
            weir_timeline_add_point(b->t, (struct weir_timeline_point){changes[i].at, used});
    }
    weir_free(changes);
}

/* ---- what waits for what ---- */

static int by_ends(const void *left, const void *right)
{
    const struct weir_gpu_edge *a = left, *b = right;
    if (a->to != b->to)
        return a->to < b->to ? -1 : 1;
    return a->from < b->from ? -1 : a->from > b->from;
}

static void add_arrows(struct builder *b)
{
    const struct weir_gpu_plan *plan = b->plan;
    struct weir_gpu_edge *added = weir_array(plan->added_count, sizeof *added);
    b->t->failed |= !added;
    for (size_t i = 0; added && i < plan->added_count; i++)
        added[i] = plan->added[i];
    if (added)
        qsort(added, plan->added_count, sizeof *added, by_ends);
    for (uint32_t i = 0; added && i < plan->launch_count; i++)
        for (size_t k = 0; k < plan->launches[i].after_count; k++) {
            struct weir_gpu_edge edge = {plan->launches[i].after[k], i};
            bool is_added = bsearch(&edge, added, plan->added_count, sizeof *added, by_ends) != NULL;
            bool part = plan->launches[i].kernel.index == plan->launches[edge.from].kernel.index;
            weir_timeline_add_arrow(b->t, (struct weir_timeline_arrow){is_added ? "added"
                                                                       : part   ? "next part"
                                                                                : "dependency",
                                                                       b->span_of[edge.from], b->span_of[i], WEIR_ARROW_DATA});
        }
    weir_free(added);
}

/* A marker where a group begins after all before it have ended. */
static void add_groups(struct builder *b)
{
    const struct weir_gpu_plan *plan = b->plan;
    struct weir_ratio over = {0, 1};
    b->t->marker_name = "group";
    b->t->marker_legend = "a group begins when those before have ended";
    for (size_t first = 0, next; first < plan->launch_count; first = next) {
        struct weir_ratio begin = plan->launches[first].start, end = over;
        for (next = first; next < plan->launch_count && plan->launches[next].group == plan->launches[first].group; next++) {
            begin = weir_ratio_compare(plan->launches[next].start, begin) < 0 ? plan->launches[next].start : begin;
            end = weir_ratio_compare(b->sms.end[next], end) > 0 ? b->sms.end[next] : end;
        }
        if (weir_ratio_compare(begin, over) >= 0)
            weir_timeline_add_marker(
                b->t, (struct weir_timeline_marker){begin, weir_timeline_text(b->t, "%u", plan->launches[first].group)});
        over = end;
    }
}

/* ---- rulers ---- */

static void add_ruler(struct builder *b, enum weir_ruler_kind kind, struct weir_ratio to, const char *name)
{
    const struct weir_ratio none = {0, 0};
    const struct weir_bound bound = {
        .worst = weir_quantity_of_plan(b->plan), .has_deadline = true, .deadline = to.numerator / to.denominator};
    bool deadline = kind == WEIR_RULER_DEADLINE;
    char text[WEIR_AMOUNT_TEXT];
    bool up = kind != WEIR_RULER_LOWER;
    weir_timeline_add_ruler(
        b->t, (struct weir_timeline_ruler){
                  .kind = kind,
                  .from = weir_ticks(0),
                  .to = to,
                  .state = deadline ? weir_judge(&bound) : WEIR_DEADLINE_NONE,
                  .over = deadline && weir_ratio_compare(b->plan->bound, to) > 0 ? b->plan->bound : none,
                  .text = deadline ? weir_timeline_deadline(b->t, &bound)
                                   : weir_timeline_text(b->t, "%s: %s", name, weir_timeline_amount(b->t, to, up, text)),
                  .to_mark = name});
}

/* The deadline widens the picture where it is not much farther than the end. */
static void add_rulers(struct builder *b)
{
    const struct weir_gpu_plan *plan = b->plan;
    struct weir_ratio deadline = weir_ticks(weir_pipeline_gpu(plan->pipeline).deadline), end = plan->bound;
    end = weir_ratio_compare(plan->lower, end) > 0 ? plan->lower : end;
    for (size_t i = 0; i < plan->launch_count; i++)
        end = weir_ratio_compare(b->sms.end[i], end) > 0 ? b->sms.end[i] : end;
    add_ruler(b, WEIR_RULER_LOWER, plan->lower, "lower bound");
    add_ruler(b, WEIR_RULER_BOUND, plan->bound, plan->safe ? "bound" : "bound, not safe");
    if (deadline.numerator)
        add_ruler(b, WEIR_RULER_DEADLINE, deadline, "deadline");
    int64_t whole = end.numerator / end.denominator;
    if (deadline.numerator > whole && deadline.numerator - whole <= whole / 3)
        b->t->reach = weir_ratio_compare(deadline, end) > 0 ? deadline : end;
    b->t->end = end;
}

static void add_titles(struct builder *b)
{
    const struct weir_gpu_plan *plan = b->plan;
    const char *name = weir_pipeline_name(plan->pipeline), *unit = weir_unit_name(b->t->unit);
    char bound[WEIR_AMOUNT_TEXT], lower[WEIR_AMOUNT_TEXT];
    weir_timeline_amount(b->t, plan->bound, true, bound);
    weir_timeline_amount(b->t, plan->lower, false, lower);
    b->t->title = weir_timeline_text(b->t, "%s%s%zu launches on %u SM%s", name ? name : "", name && *name ? ": " : "",
                                     plan->launch_count, plan->sms, plan->sms == 1 ? "" : "s");
    b->t->summary = b->t->title;
    b->t->subtitle = weir_timeline_text(
        b->t, "Method %s, %s %s; no plan can promise less than %s", weir_gpu_method_name(plan->method),
        plan->safe ? "safe: all is done after at most" : "NOT SAFE: legal executions can take longer than", bound, lower);
    b->t->axis = b->t->unit == WEIR_UNIT_TICK ? "time" : weir_timeline_text(b->t, "time (%s)", unit);
    weir_timeline_add_fact(b->t, "unit", weir_datum_text(unit));
    weir_timeline_add_fact(b->t, "method", weir_datum_text(weir_gpu_method_name(plan->method)));
    weir_timeline_add_fact(b->t, "bound", weir_datum_ratio(plan->bound));
    weir_timeline_add_fact(b->t, "safe", weir_datum_flag(plan->safe));
    if (plan->why)
        weir_timeline_add_fact(b->t, "why", weir_datum_text(plan->why));
}

enum weir_status weir_timeline_of_plan(const struct weir_gpu_plan *plan, struct weir_timeline **timeline, struct weir_error *error)
{
    struct builder b = {.t = weir_timeline_new(plan->pipeline), .plan = plan};
    *timeline = NULL;
    if (!b.t)
        return weir_fail_memory(error);
    b.span_of = weir_array(plan->launch_count, sizeof *b.span_of);
    enum weir_status status = b.span_of ? weir_sms_assign(plan, &b.sms, error) : weir_fail_memory(error);
    if (!status) {
        add_titles(&b);
        add_launches(&b);
        add_sms(&b);
        weir_timeline_add_chain(b.t, plan, &b.sms);
        add_use(&b);
        add_arrows(&b);
        add_groups(&b);
        add_rulers(&b);
        weir_sms_free(&b.sms);
    }
    weir_free(b.span_of);
    return weir_timeline_end(b.t, status, timeline, error);
}
