/* SPDX-License-Identifier: Apache-2.0 */
/* What weir explore --sensitivity says. */
#include "explore_sensitivity.h"

enum { NAME = 34, NUMBER = 14, STEPS_SHOWN = 12 };

const char *weir_knob_name(const struct weir_pipeline *model, const struct weir_margin *m, char text[WEIR_KNOB_TEXT])
{
    if (m->knob != WEIR_KNOB_CAPACITY) {
        snprintf(text, WEIR_KNOB_TEXT, "%.200s %s", weir_pipeline_operator(model, (struct weir_operator){m->index}).name,
                 m->knob == WEIR_KNOB_WORST ? "worst" : "best");
        return text;
    }
    struct weir_queue_spec queue = weir_pipeline_queue(model, (struct weir_queue){m->index});
    unsigned before = 1;
    for (uint32_t i = 0; i < m->index; i++) {
        struct weir_queue_spec other = weir_pipeline_queue(model, (struct weir_queue){i});
        before += other.from.index == queue.from.index && other.to.index == queue.to.index;
    }
    int length = snprintf(text, WEIR_KNOB_TEXT, "%.100s -> %.100s", weir_pipeline_operator(model, queue.from).name,
                          weir_pipeline_operator(model, queue.to).name);
    if (before > 1 && length > 0)
        snprintf(text + length, (size_t)(WEIR_KNOB_TEXT - length), "#%u", before);
    return text;
}

const char *weir_latency_format(const struct weir_pipeline *model, const struct weir_separation *s,
                                char text[WEIR_AMOUNT_TEXT + 16])
{
    char amount[WEIR_AMOUNT_TEXT];
    switch (s->outcome) {
    case WEIR_EXACT:
        snprintf(text, WEIR_AMOUNT_TEXT + 16, "%s", weir_amount_format(model, s->value, amount));
        break;
    case WEIR_NO_BOUND:
        snprintf(text, WEIR_AMOUNT_TEXT + 16, "no bound");
        break;
    case WEIR_NO_EVENTS:
        snprintf(text, WEIR_AMOUNT_TEXT + 16, "deadlock");
        break;
    default:
        if (s->upper != INT64_MAX)
            snprintf(text, WEIR_AMOUNT_TEXT + 16, "at most %s", weir_amount_format(model, s->upper, amount));
        else
            snprintf(text, WEIR_AMOUNT_TEXT + 16, "?");
    }
    return text;
}

static bool moves(const struct weir_margin *m)
{
    return m->vertex_count > 0 && !m->flat;
}

/* What the deadline leaves to a number. */
static void print_limit(const struct weir_sensitivities *f, const struct weir_margin *m)
{
    char number[WEIR_AMOUNT_TEXT];
    const char *words = m->knob == WEIR_KNOB_BEST ? "down to" : "up to";
    if (!m->has_limit)
        return;
    if (m->limit < 0)
        printf("  none will do");
    else if (m->knob == WEIR_KNOB_CAPACITY)
        printf("  %s %lld%s", words, (long long)m->limit, m->limit == m->high ? m->settled ? " and more" : " at least" : "");
    else if (m->knob == WEIR_KNOB_WORST && m->limit == m->high)
        printf("  beyond %s", weir_amount_format(f->model, m->limit, number));
    else
        printf("  %s %s", words, weir_amount_format(f->model, m->limit, number));
}

static void print_time(const struct weir_sensitivities *f, const struct weir_margin *m)
{
    char name[WEIR_KNOB_TEXT], now[WEIR_AMOUNT_TEXT], less[WEIR_AMOUNT_TEXT + 16], more[WEIR_AMOUNT_TEXT + 16];
    printf("  %-*s %*s %*s %*s", NAME, weir_knob_name(f->model, m, name), NUMBER, weir_amount_format(f->model, m->now, now), NUMBER,
           weir_latency_format(f->model, &m->at_less, less), NUMBER, weir_latency_format(f->model, &m->at_more, more));
    print_limit(f, m);
    printf("%s\n", m->proved ? "" : "  (in parts a bracket)");
}

static bool same(const struct weir_separation *a, const struct weir_separation *b)
{
    return a->outcome == b->outcome && (a->outcome != WEIR_EXACT || a->value == b->value) && a->outcome != WEIR_BRACKET;
}

/* "1 (now): 29 ms, 2..5: 41 ms, 6 and more: 43 ms" */
static void print_capacity(const struct weir_sensitivities *f, const struct weir_margin *m)
{
    char name[WEIR_KNOB_TEXT], text[WEIR_AMOUNT_TEXT + 16];
    printf("  %-*s ", NAME, weir_knob_name(f->model, m, name));
    size_t shown = 0, next;
    for (size_t i = 0; i < m->vertex_count && shown < STEPS_SHOWN; i = next, shown++) {
        const struct weir_vertex *v = &m->vertices[i];
        for (next = i + 1; next < m->vertex_count && same(&v->latency, &m->vertices[next].latency) && v->at != m->now &&
                           m->vertices[next].at != m->now;)
            next++;
        bool last = next == m->vertex_count;
        printf("%s%lld", i ? ", " : "", (long long)v->at);
        if (last && m->settled)
            printf(" and more");
        else if (next > i + 1)
            printf("..%lld", (long long)m->vertices[next - 1].at);
        printf("%s: %s", v->at == m->now ? " (now)" : "", weir_latency_format(f->model, &v->latency, text));
        if (last)
            shown = STEPS_SHOWN;
        else if (shown + 1 == STEPS_SHOWN)
            printf(", ...");
    }
    print_limit(f, m);
    printf("\n");
}

static void print_still(const struct weir_sensitivities *f, const struct weir_margins *margins)
{
    char name[WEIR_KNOB_TEXT];
    bool first = true;
    for (size_t i = 0; i < margins->count; i++) {
        const struct weir_margin *m = &margins->items[i];
        if (m->vertex_count == 0 || !m->flat || (m->knob == WEIR_KNOB_CAPACITY && !m->settled))
            continue;
        printf("%s%s", first ? "\n  Do not matter: " : ", ", weir_knob_name(f->model, m, name));
        first = false;
    }
    printf("%s", first ? "" : "\n");
}

static void print_times(const struct weir_sensitivities *f, const struct weir_margins *margins)
{
    bool any = false;
    char less[32], more[32];
    snprintf(less, sizeof less, "-%llu %%", (unsigned long long)f->percent);
    snprintf(more, sizeof more, "+%llu %%", (unsigned long long)f->percent);
    for (size_t i = 0; i < margins->count; i++) {
        const struct weir_margin *m = &margins->items[i];
        if (m->knob == WEIR_KNOB_CAPACITY || !moves(m))
            continue;
        if (!any)
            printf("\n  %-*s %*s %*s %*s%s\n", NAME, "time", NUMBER, "now", NUMBER, less, NUMBER, more,
                   weir_pipeline_pair(f->model, margins->pair).has_deadline ? "  deadline kept" : "");
        any = true;
        print_time(f, m);
    }
}

static void print_capacities(const struct weir_sensitivities *f, const struct weir_margins *margins)
{
    bool any = false;
    for (size_t i = 0; i < margins->count; i++) {
        const struct weir_margin *m = &margins->items[i];
        if (m->knob != WEIR_KNOB_CAPACITY || m->vertex_count == 0 || (m->flat && m->settled))
            continue;
        if (!any)
            printf("\n  %-*s latency by its capacity\n", NAME, "queue");
        any = true;
        print_capacity(f, m);
    }
}

static void print_pair(const struct weir_sensitivities *f, const struct weir_margins *margins)
{
    const struct weir_style *style = weir_style_of(stdout);
    struct weir_pair_spec pair = weir_pipeline_pair(f->model, margins->pair);
    char now[WEIR_AMOUNT_TEXT + 16], deadline[WEIR_AMOUNT_TEXT];
    printf("\n%s%s -> %s%s   worst %s", style->bold, weir_pipeline_operator(f->model, pair.from).name,
           weir_pipeline_operator(f->model, pair.to).name, style->plain, weir_latency_format(f->model, &margins->now, now));
    if (pair.has_deadline)
        printf("   deadline %s", weir_amount_format(f->model, pair.deadline, deadline));
    printf("\n");
    print_times(f, margins);
    print_capacities(f, margins);
    print_still(f, margins);
}

void weir_sensitivities_print(const struct weir_sensitivities *f)
{
    const struct weir_style *style = weir_style_of(stdout);
    bool complete = !f->stopped, proved = true;
    printf("%s%s%s   what each latency depends on, one number at a time\n", style->bold, f->title, style->plain);
    for (size_t i = 0; i < f->count; i++) {
        complete &= f->margins[i]->complete;
        for (size_t k = 0; k < f->margins[i]->count; k++)
            proved &= f->margins[i]->items[k].proved;
        print_pair(f, f->margins[i]);
    }
    if (!complete)
        printf("\nInterrupted: what is missing here was not looked at.\n");
    else
        printf("\n%s, for all other numbers as they are in the model.\n",
               proved ? "Every function is exact" : "Every function is exact but for those that are in parts a bracket");
}
