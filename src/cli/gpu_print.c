/* SPDX-License-Identifier: Apache-2.0 */
/* What `weir analyze` says about a graph of kernels: verdict, bound, groups, what would help. */
#include "analyze.h"
#include "gpu.h"

#include <string.h>

enum { GROUPS_MAX = 40, LINE_COLUMNS = 110 };

/* ---- the first lines ---- */

static void print_verdict(const struct weir_gpu_view *view)
{
    const struct weir_gpu_plan *plan = view->plan;
    const struct weir_style *style = weir_style_of(stdout);
    int64_t deadline = weir_pipeline_gpu(view->pipeline).deadline;
    char late[WEIR_NUMBER_TEXT], bound[WEIR_NUMBER_TEXT];
    weir_ratio_amount(view->pipeline, plan->bound, bound);
    printf("%s%s%s: ", style->bold, view->title, style->plain);
    switch (weir_gpu_verdict(plan)) {
    case WEIR_VERDICT_MISSED:
    case WEIR_VERDICT_NO_BOUND:
        printf("%sDEADLINE MISSED%s by %s: done after %s %s", style->bad, style->plain,
               weir_ratio_amount(view->pipeline, weir_ratio_above(plan->bound, deadline), late), plan->safe ? "at most" : "about",
               bound);
        break;
    case WEIR_VERDICT_UNDECIDED:
        printf("%sNOT DECIDED%s: the method %s puts it at %s", style->bad, style->plain, weir_gpu_method_name(plan->method), bound);
        break;
    case WEIR_VERDICT_FINE:
        if (deadline)
            printf("%sdeadline met%s, ", style->good, style->plain);
        printf(plan->safe ? "done after at most %s" : "put at %s", bound);
        break;
    }
    if (plan->safe)
        puts(", safe");
    else
        printf(", %sUNSAFE%s\n  %s\n", style->bad, style->plain, plan->why ? plan->why : "legal executions can take longer");
}

static void print_size(const struct weir_gpu_view *view)
{
    const struct weir_gpu_plan *plan = view->plan;
    uint32_t kernels = weir_pipeline_operator_count(view->pipeline), edges = weir_pipeline_queue_count(view->pipeline);
    printf("  %u kernel%s, %u dependenc%s, %u SM%s; %zu launch%s in %u group%s, %u kernel%s split, %zu dependenc%s added\n\n",
           kernels, kernels == 1 ? "" : "s", edges, edges == 1 ? "y" : "ies", plan->sms, plan->sms == 1 ? "" : "s",
           plan->launch_count, plan->launch_count == 1 ? "" : "es", plan->group_count, plan->group_count == 1 ? "" : "s",
           plan->split_count, plan->split_count == 1 ? "" : "s", plan->added_count, plan->added_count == 1 ? "y" : "ies");
}

static void print_deadline(const struct weir_gpu_view *view)
{
    const struct weir_gpu_plan *plan = view->plan;
    const struct weir_style *style = weir_style_of(stdout);
    int64_t deadline = weir_pipeline_gpu(view->pipeline).deadline;
    char text[WEIR_NUMBER_TEXT];
    if (!deadline)
        return;
    printf("  deadline     %s: ", weir_amount_format(view->pipeline, deadline, text));
    switch (weir_gpu_verdict(plan)) {
    case WEIR_VERDICT_FINE: /* what is to spare is rounded down */
        printf("%smet%s, %s to spare\n", style->good, style->plain,
               weir_amount_format(view->pipeline, deadline - weir_ratio_ceiling(plan->bound), text));
        break;
    case WEIR_VERDICT_UNDECIDED:
        puts("not decided: a number that can be exceeded meets none");
        break;
    case WEIR_VERDICT_MISSED:
    case WEIR_VERDICT_NO_BOUND:
        printf("%sMISSED%s by %s; %s\n", style->bad, style->plain,
               weir_ratio_amount(view->pipeline, weir_ratio_above(plan->bound, deadline), text),
               weir_ratio_order(plan->lower, (struct weir_ratio){deadline, 1}) > 0
                   ? "no plan meets it: the lower bound is above it"
                   : "the lower bound is not above it, so that another plan may meet it");
        break;
    }
}

static void print_bounds(const struct weir_gpu_view *view)
{
    const struct weir_gpu_plan *plan = view->plan;
    char bound[WEIR_NUMBER_TEXT], lower[WEIR_AMOUNT_TEXT], gap[WEIR_AMOUNT_TEXT];
    int order = weir_ratio_order(plan->bound, plan->lower);
    printf("  bound        %s%s\n", weir_ratio_amount(view->pipeline, plan->bound, bound),
           plan->safe ? "" : ", which legal executions can exceed");
    printf("  lower bound  %s", order ? weir_gpu_floor(view->pipeline, plan->lower, lower) : bound);
    if (order == 0)
        puts(": no plan can promise less than this one");
    else if (order < 0)
        puts(" for any plan: the bound above promises what cannot be");
    else
        printf(" for any plan: the gap is %s\n", weir_gpu_gap(plan, gap));
    print_deadline(view);
    printf("  method       %s", weir_gpu_method_name(plan->method));
    fputs(plan->limited ? ", the best that was found; --limit N looks further\n" : "\n", stdout);
    if (plan->verified)
        puts("  verified     the certificate was checked");
}

/* ---- groups ---- */

void weir_gpu_print_launch(const struct weir_gpu_view *view, const struct weir_gpu_launch *launch)
{
    fputs(weir_pipeline_operator(view->pipeline, launch->kernel).name, stdout);
    if (launch->parts > 1)
        printf("[%u/%u]", launch->part, launch->parts);
}

static size_t digits_of(uint32_t number)
{
    size_t digits = 1;
    for (; number >= 10; number /= 10)
        digits++;
    return digits;
}

static size_t launch_columns(const struct weir_gpu_view *view, const struct weir_gpu_launch *launch)
{
    size_t columns = weir_text_columns(weir_pipeline_operator(view->pipeline, launch->kernel).name);
    if (launch->parts > 1)
        columns += 3 + digits_of(launch->part) + digits_of(launch->parts);
    return columns + strlen(" x ") + digits_of(launch->sms);
}

struct group {
    size_t first, next; /* launches */
    struct weir_ratio start, time;
    char cells[2][WEIR_NUMBER_TEXT];
};

static void fill_group(const struct weir_gpu_view *view, struct group *group)
{
    const struct weir_gpu_launch *launches = view->plan->launches, *first = &launches[group->first];
    group->start = first->start;
    group->time = first->time;
    group->next = group->first;
    for (; group->next < view->plan->launch_count && launches[group->next].group == first->group; group->next++) {
        const struct weir_gpu_launch *l = &launches[group->next];
        group->start = weir_ratio_order(l->start, group->start) < 0 ? l->start : group->start;
        group->time = weir_ratio_order(l->time, group->time) > 0 ? l->time : group->time;
    }
    weir_ratio_time(view->pipeline, group->start, group->cells[0]);
    weir_ratio_time(view->pipeline, group->time, group->cells[1]);
}

/* Its launches, in as many lines as they take. */
static void print_group(const struct weir_gpu_view *view, const struct group *group, const size_t widths[2])
{
    size_t indent = 2 + 5 + 2 + widths[0] + 2 + widths[1] + 2, column = indent;
    printf("  %5u  %*s  %*s  ", view->plan->launches[group->first].group, (int)widths[0], group->cells[0], (int)widths[1],
           group->cells[1]);
    for (size_t i = group->first; i < group->next; i++) {
        const struct weir_gpu_launch *launch = &view->plan->launches[i];
        size_t columns = launch_columns(view, launch);
        if (column > indent && column + 2 + columns > LINE_COLUMNS) {
            printf(",\n%*s", (int)indent, "");
            column = indent;
        } else if (column > indent) {
            fputs(", ", stdout);
            column += 2;
        }
        weir_gpu_print_launch(view, launch);
        printf(" x %u", launch->sms);
        column += columns;
    }
    fputc('\n', stdout);
}

static void print_groups(const struct weir_gpu_view *view)
{
    const struct weir_gpu_plan *plan = view->plan;
    const struct weir_style *style = weir_style_of(stdout);
    enum weir_unit unit = weir_pipeline_unit(view->pipeline);
    size_t widths[2] = {strlen("begins"), strlen("time")}, shown = 0;
    struct group group = {0};
    for (; group.first < plan->launch_count && (view->full || shown < GROUPS_MAX); group.first = group.next, shown++) {
        fill_group(view, &group);
        for (int c = 0; c < 2; c++)
            widths[c] = strlen(group.cells[c]) > widths[c] ? strlen(group.cells[c]) : widths[c];
    }
    fputs("\nGroups", stdout);
    if (unit != WEIR_UNIT_TICK)
        printf(" (in %s)", weir_unit_name(unit));
    fputs(": launches as kernel[part] x SMs", stdout);
    puts(plan->barriers                        ? "; each group waits for all of the one before"
         : plan->safe && plan->token_count > 0 ? "; each launch waits for those whose SMs it takes over"
                                               : "");
    printf("  %sgroup  %*s  %*s  launches%s\n", style->dim, (int)widths[0], "begins", (int)widths[1], "time", style->plain);
    group.first = 0;
    for (size_t i = 0; i < shown; i++, group.first = group.next) {
        fill_group(view, &group);
        print_group(view, &group, widths);
    }
    if (shown < plan->group_count)
        printf("  ... and %zu more groups (--full lists all)\n", plan->group_count - shown);
}

void weir_gpu_print(const struct weir_gpu_view *view)
{
    print_verdict(view);
    print_size(view);
    print_bounds(view);
    print_groups(view);
    if (view->explain)
        weir_gpu_print_reasons(view);
}
