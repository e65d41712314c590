/* SPDX-License-Identifier: Apache-2.0 */
/* weir analyze --explain: every bound on a response, whether it applies and why, and which is the least. */
#include "edf.h"

#include <string.h>

enum { ROWS_MAX = 40 };

static const char *const rules[WEIR_EDF_BOUNDS] = {
    "no more operators than cores: every execution has a core to itself, and takes its cost",
    "no deadline is missed: a response is at most the period",
    "period + cost + x, with one x for all operators (Devi and Anderson)",
    "period - the shortest one + cost + what is left of s, with one s for all operators (compliant vectors)",
};

static struct weir_ratio largest_load(const struct weir_edf_view *view)
{
    struct weir_ratio largest = {0, 1};
    for (uint32_t i = 0; i < weir_pipeline_operator_count(view->pipeline); i++)
        if (weir_ratio_order(view->analysis->operators[i].utilization, largest) > 0)
            largest = view->analysis->operators[i].utilization;
    return largest;
}

/* Why a bound applies, or does not: the same for all operators, except for numbers that cannot be counted. */
static void print_condition(const struct weir_edf_view *view, enum weir_edf_bound bound, bool applies)
{
    const struct weir_edf_analysis *analysis = view->analysis;
    uint32_t operators = weir_pipeline_operator_count(view->pipeline), cores = analysis->cores;
    char load[WEIR_NUMBER_TEXT], heavy[WEIR_NUMBER_TEXT];
    switch (bound) {
    case WEIR_EDF_ALONE:
        printf("%u operator%s, %u core%s", operators, operators == 1 ? "" : "s", cores, cores == 1 ? "" : "s");
        break;
    case WEIR_EDF_NO_MISS:
        if (cores == 1) {
            fputs("one core", stdout);
            break;
        }
        printf("utilization %s is %s %u - %u x %s, the largest of an operator",
               weir_ratio_format(analysis->utilization, 0, 4, load), applies ? "at most" : "above", cores, cores - 1,
               weir_ratio_format(largest_load(view), 0, 4, heavy));
        break;
    case WEIR_EDF_DEVI_ANDERSON:
    case WEIR_EDF_COMPLIANT:
        fputs(applies ? "the cores are not overloaded" : "its numbers cannot be counted here", stdout);
        break;
    case WEIR_EDF_BOUNDS:
        break;
    }
}

static void print_rules(const struct weir_edf_view *view)
{
    for (unsigned b = 0; b < WEIR_EDF_BOUNDS; b++) {
        bool applies = view->analysis->operators[0].applies[b];
        printf("  %-13s  %s\n  %-13s  %s: ", weir_edf_bound_name((enum weir_edf_bound)b), rules[b], "",
               applies ? "applies" : "does not apply");
        print_condition(view, (enum weir_edf_bound)b, applies);
        fputc('\n', stdout);
    }
}

/* By how much it is below the next one. */
static void print_winner(const struct weir_edf_operator *o)
{
    unsigned next = WEIR_EDF_BOUNDS;
    for (unsigned b = 0; b < WEIR_EDF_BOUNDS; b++)
        if (o->applies[b] && b != (unsigned)o->by &&
            (next == WEIR_EDF_BOUNDS || weir_ratio_order(o->responses[b], o->responses[next]) < 0))
            next = b;
    printf("; the least is %s", weir_edf_bound_name(o->by));
    if (next == WEIR_EDF_BOUNDS) {
        puts(", the only one");
        return;
    }
    double share = ((double)o->response.numerator / (double)o->response.denominator) /
                   ((double)o->responses[next].numerator / (double)o->responses[next].denominator);
    if (weir_ratio_order(o->response, o->responses[next]) == 0)
        printf(", as is %s\n", weir_edf_bound_name((enum weir_edf_bound)next));
    else
        printf(", %.1f %% of the next, %s\n", 100 * share, weir_edf_bound_name((enum weir_edf_bound)next));
}

static void print_operator(const struct weir_edf_view *view, uint32_t op)
{
    const struct weir_style *style = weir_style_of(stdout);
    const struct weir_edf_operator *o = &view->analysis->operators[op];
    char amount[WEIR_NUMBER_TEXT];
    bool first = true;
    printf("  %s%s%s: ", style->bold, weir_pipeline_operator(view->pipeline, (struct weir_operator){op}).name, style->plain);
    for (unsigned b = 0; b < WEIR_EDF_BOUNDS; b++) {
        if (!o->applies[b])
            continue;
        printf("%s%s %s", first ? "" : ", ", weir_edf_bound_name((enum weir_edf_bound)b),
               weir_ratio_amount(view->pipeline, o->responses[b], amount));
        first = false;
    }
    print_winner(o);
}

void weir_edf_print_reasons(const struct weir_edf_view *view)
{
    uint32_t count = weir_pipeline_operator_count(view->pipeline), shown = !view->full && count > ROWS_MAX ? ROWS_MAX : count;
    puts("\nWhy these responses: each is the least of the bounds that apply");
    print_rules(view);
    fputc('\n', stdout);
    for (uint32_t i = 0; i < shown; i++)
        print_operator(view, i);
    if (shown < count)
        printf("  ... and %u more operators (--full lists all)\n", count - shown);
}
