/* SPDX-License-Identifier: Apache-2.0 */
/* What to change: each operator a little faster, each queue a place more or less, and what that does. */
#include "base/alloc.h"
#include "base/error.h"
#include "base/number.h"
#include "page/page.h"
#include "write/plot.h"

#include <stdlib.h>

#define ROWS_MAX 12

struct change {
    const struct weir_effect *effect;
    int64_t gain; /* ticks that the bound is lower by */
    char what[256];
};

static int by_gain(const void *a, const void *b)
{
    const struct change *x = a, *y = b;
    return (x->gain < y->gain) - (x->gain > y->gain);
}

static bool add(struct change *changes, size_t *count, const struct weir_sensitivity *s, const struct weir_effect *effect)
{
    if (effect->worst.outcome != WEIR_EXACT || s->now.worst.outcome != WEIR_EXACT)
        return false;
    int64_t gain = s->now.worst.value - effect->worst.value;
    if (gain == 0 && weir_ratio_compare(effect->period, s->now.period) == 0)
        return false;
    changes[*count] = (struct change){.effect = effect, .gain = gain};
    (*count)++;
    return true;
}

static size_t collect(const struct weir_page *page, const struct weir_sensitivity *s, struct change *changes)
{
    const struct weir_pipeline *p = page->model->pipeline;
    char time[WEIR_PAGE_TIME];
    size_t count = 0;
    for (uint32_t i = 0; i < weir_pipeline_operator_count(p); i++)
        if (add(changes, &count, s, &s->operators[i].faster))
            snprintf(changes[count - 1].what, sizeof changes->what, "%.120s faster by %u %% (worst case %s)",
                     weir_page_name(page, (struct weir_operator){i}), s->permille / 10,
                     weir_page_time(page, s->operators[i].worst, time));
    for (uint32_t i = 0; i < weir_pipeline_queue_count(p); i++) {
        struct weir_queue_spec q = weir_pipeline_queue(p, (struct weir_queue){i});
        const char *from = weir_page_name(page, q.from), *to = weir_page_name(page, q.to);
        if (s->queues[i].has_more && add(changes, &count, s, &s->queues[i].more))
            snprintf(changes[count - 1].what, sizeof changes->what, "queue %.80s \342\206\222 %.80s: capacity %u instead of %u",
                     from, to, q.capacity + 1, q.capacity);
        if (s->queues[i].has_less && add(changes, &count, s, &s->queues[i].less))
            snprintf(changes[count - 1].what, sizeof changes->what, "queue %.80s \342\206\222 %.80s: capacity %u instead of %u",
                     from, to, q.capacity - 1, q.capacity);
    }
    qsort(changes, count, sizeof *changes, by_gain);
    return count;
}

static void put_row(struct weir_page *page, const struct weir_sensitivity *s, const struct change *change)
{
    char bound[WEIR_PAGE_TIME], gain[WEIR_PAGE_TIME], period[WEIR_PAGE_TIME + 8];
    int64_t size = change->gain < 0 ? -change->gain : change->gain;
    weir_page_time(page, change->effect->worst.value, bound);
    weir_page_time(page, size, gain);
    weir_svg_put(
        page->out,
        "<tr><th scope=\"row\">$</th><td class=\"number\">$</td><td class=\"number\">$$</td><td class=\"number\">$</td></tr>\n",
        change->what, bound,
        change->gain > 0   ? "\342\210\222"
        : change->gain < 0 ? "+"
                           : "\302\261",
        gain,
        weir_ratio_compare(change->effect->period, s->now.period) == 0 ? "as now"
                                                                       : weir_page_ratio(page, change->effect->period, period));
}

/* A line for each operator: how steeply the bound rises with its worst case. */
static void put_slopes(struct weir_page *page, const struct weir_sensitivity *s)
{
    bool any = false;
    for (uint32_t i = 0; i < weir_pipeline_operator_count(page->model->pipeline); i++) {
        const struct weir_separation *slower = &s->operators[i].slower.worst;
        int64_t rise = slower->outcome == WEIR_EXACT ? slower->value - s->now.worst.value : 0;
        if (rise <= 0)
            continue;
        weir_svg_put(page->out, any ? ", " : "<p>For each unit that its worst case grows, the bound grows by: ");
        char text[24];
        snprintf(text, sizeof text, "%lld", (long long)rise);
        weir_svg_put(page->out, "<strong>$</strong> \303\227$", weir_page_name(page, (struct weir_operator){i}), text);
        any = true;
    }
    if (any)
        fputs(". All others have slack.</p>\n", page->out);
}

static void put_table(struct weir_page *page, const struct weir_sensitivity *s, const struct change *changes, size_t count)
{
    char now[WEIR_PAGE_TIME], period[WEIR_PAGE_TIME + 8];
    struct weir_pair_spec pair = weir_pipeline_pair(page->model->pipeline, s->pair);
    weir_page_time(page, s->now.worst.value, now);
    weir_page_ratio(page, s->now.period, period);
    weir_svg_put(
        page->out,
        "<div class=\"scroll\"><table><caption>One change at a time, against the bound of $ from $ to $ and one result every "
        "$</caption>\n<thead><tr><th scope=\"col\">change</th><th scope=\"col\">bound</th><th scope=\"col\">difference</th>"
        "<th scope=\"col\">one result every</th></tr></thead><tbody>\n",
        now, weir_page_name(page, pair.from), weir_page_name(page, pair.to), period);
    for (size_t i = 0; i < count; i++)
        if (i < ROWS_MAX || i + 4 >= count) /* the best, and what must not be done */
            put_row(page, s, &changes[i]);
        else if (i == ROWS_MAX)
            weir_svg_put(page->out, "<tr><td colspan=\"4\">\342\200\246 % more in between</td></tr>\n",
                         (unsigned)(count - ROWS_MAX - 4));
    fputs("</tbody></table></div>\n", page->out);
}

enum weir_status weir_page_changes(struct weir_page *page, uint32_t pair)
{
    const struct weir_pipeline *p = page->model->pipeline;
    struct weir_sensitivity *s;
    enum weir_status status = weir_sensitivity_find(p, pair, NULL, &s, page->error);
    if (status)
        return status;
    size_t most = (size_t)weir_pipeline_operator_count(p) + 2 * (size_t)weir_pipeline_queue_count(p);
    struct change *changes = weir_array(most, sizeof *changes);
    if (!changes) {
        weir_sensitivity_free(s);
        return weir_fail_memory(page->error);
    }
    size_t count = collect(page, s, changes);
    put_slopes(page, s);
    if (count)
        put_table(page, s, changes, count);
    else
        fputs("<p>No single small change moves the bound.</p>\n", page->out);
    weir_free(changes);
    weir_sensitivity_free(s);
    return WEIR_OK;
}
