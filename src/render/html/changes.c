/* SPDX-License-Identifier: Apache-2.0 */
/* What to change: each operator a little faster, each queue a place more or less, and what that does; or, without a bound, what
 * would give one. */
#include "base/alloc.h"
#include "base/error.h"
#include "base/number.h"
#include "explore/margins/enough.h"
#include "model/pipeline.h"
#include "render/html/page.h"
#include "render/plot/plot.h"

#include <stdlib.h>

#define ROWS_BEST 12 /* the most promising, ... */
#define ROWS_LAST 4  /* ... and what must not be done */
#define NAMES_MAX 12
#define TRIAL_ARCS UINT64_C(1000000) /* looked at for one latency */

struct change {
    const struct weir_effect *effect;
    int64_t gain; /* ticks that the bound is lower by */
    struct weir_ratio period;
    uint32_t index; /* of an operator or a queue */
    enum { FASTER, MORE, LESS } kind;
};

/* Larger gains first, then shorter periods; the rest keeps its order. */
static int by_gain(const void *a, const void *b)
{
    const struct change *x = a, *y = b;
    if (x->gain != y->gain)
        return x->gain < y->gain ? 1 : -1;
    int period = weir_ratio_compare(x->period, y->period);
    if (period != 0)
        return period;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

static void add(struct change *changes, size_t *count, const struct weir_sensitivity *s, struct change change)
{
    if (change.effect->worst.outcome != WEIR_EXACT)
        return;
    change.gain = s->now.worst.value - change.effect->worst.value;
    change.period = change.effect->period;
    if (change.gain != 0 || weir_ratio_compare(change.period, s->now.period) != 0)
        changes[(*count)++] = change;
}

static size_t collect(const struct weir_sensitivity *s, struct change *changes)
{
    size_t count = 0;
    for (uint32_t i = 0; i < weir_pipeline_operator_count(s->pipeline); i++)
        if (s->operators[i].worst > 0) /* nothing takes no time */
            add(changes, &count, s, (struct change){.effect = &s->operators[i].faster, .index = i, .kind = FASTER});
    for (uint32_t i = 0; i < weir_pipeline_queue_count(s->pipeline); i++) {
        if (s->queues[i].has_more)
            add(changes, &count, s, (struct change){.effect = &s->queues[i].more, .index = i, .kind = MORE});
        if (s->queues[i].has_less)
            add(changes, &count, s, (struct change){.effect = &s->queues[i].less, .index = i, .kind = LESS});
    }
    qsort(changes, count, sizeof *changes, by_gain);
    return count;
}

static void put_what(struct weir_page *page, const struct weir_sensitivity *s, const struct change *change)
{
    char now[WEIR_PAGE_TIME], then[WEIR_PAGE_TIME];
    if (change->kind == FASTER) {
        struct weir_operator_spec op = weir_pipeline_operator(s->pipeline, (struct weir_operator){change->index});
        weir_svg_put(page->out, "$ at most $ instead of $", op.name, weir_page_time(page, s->operators[change->index].worst, then),
                     weir_page_time(page, op.worst, now));
        return;
    }
    struct weir_queue_spec q = weir_pipeline_queue(s->pipeline, (struct weir_queue){change->index});
    weir_svg_put(page->out, "queue $ \342\206\222 $: room for % instead of %", weir_page_name(page, q.from),
                 weir_page_name(page, q.to), change->kind == MORE ? q.capacity + 1 : q.capacity - 1, q.capacity);
}

static void put_row(struct weir_page *page, const struct weir_sensitivity *s, const struct change *change)
{
    char bound[WEIR_PAGE_TIME], gain[WEIR_PAGE_TIME], period[WEIR_PAGE_TIME];
    struct weir_chain_spec chain = weir_pipeline_chain(s->pipeline, s->chain);
    fputs("<tr><th scope=\"row\">", page->out);
    put_what(page, s, change);
    weir_svg_put(page->out, "</th><td class=\"number\">$</td><td class=\"number\">$$</td><td class=\"number\">$</td>",
                 weir_page_time(page, change->effect->worst.value, bound),
                 change->gain > 0   ? "-"
                 : change->gain < 0 ? "+"
                                    : "",
                 change->gain ? weir_page_time(page, change->gain < 0 ? -change->gain : change->gain, gain) : "as now",
                 weir_ratio_compare(change->period, s->now.period) == 0 ? "as now" : weir_page_ratio(page, change->period, period));
    if (chain.has_deadline)
        fputs(weir_judge_latency(&change->effect->worst, chain.deadline, 1) == WEIR_DEADLINE_MET ? "<td>\342\234\223 met</td>"
                                                                                                 : "<td>\342\234\227 missed</td>",
              page->out);
    fputs("</tr>\n", page->out);
}

/* How steeply the bound rises with the worst case of each operator. */
static void put_slopes(struct weir_page *page, const struct weir_sensitivity *s)
{
    unsigned steep = 0, flat = 0, count = weir_pipeline_operator_count(s->pipeline);
    bool ticks = weir_pipeline_unit(s->pipeline) == WEIR_UNIT_TICK;
    char time[WEIR_PAGE_TIME];
    for (uint32_t i = 0; i < count; i++) {
        const struct weir_separation *slower = &s->operators[i].slower.worst;
        int64_t rise = slower->outcome == WEIR_EXACT ? slower->value - s->now.worst.value : 0;
        flat += slower->outcome == WEIR_EXACT && rise <= 0;
        if (rise <= 0 || ++steep > NAMES_MAX)
            continue;
        if (steep == 1)
            weir_svg_put(page->out,
                         "<p>If one of these gets slower by $$ at worst, the worst case grows: ", weir_page_time(page, 1, time),
                         ticks ? " tick" : "");
        weir_svg_put(page->out, "$<strong>$</strong> by $$", steep > 1 ? ", " : "", weir_page_name(page, (struct weir_operator){i}),
                     weir_page_time(page, rise, time),
                     !ticks      ? ""
                     : rise == 1 ? " tick"
                                 : " ticks");
    }
    if (steep > NAMES_MAX)
        weir_svg_put(page->out, " and % more", steep - NAMES_MAX);
    if (steep)
        fputs(flat && steep + flat == count ? ". The others have slack.</p>\n" : ".</p>\n", page->out);
}

/* ---- what is enough ---- */

static void put_times(struct weir_page *page, struct weir_operator op, const struct weir_enough *enough)
{
    char now[WEIR_PAGE_TIME], then[WEIR_PAGE_TIME], best[WEIR_TIME_TEXT], worst[WEIR_TIME_TEXT];
    const struct weir_pipeline *p = page->model->pipeline;
    struct weir_operator_spec spec = weir_pipeline_operator(p, op);
    weir_svg_put(page->out, "<li>$ at most <strong>$</strong> instead of $: <code>--what-if '$.time=[$, $]'</code></li>\n",
                 spec.name, weir_page_time(page, enough->worst, then), weir_page_time(page, spec.worst, now), spec.name,
                 weir_time_format(p, enough->best, best), weir_time_format(p, enough->worst, worst));
}

/* Whether the queue with one place more or less keeps every deadline. */
static enum weir_status try_queue(struct weir_evaluator *e, const struct change *change, bool *enough, struct weir_error *error)
{
    struct weir_queue queue = {change->index};
    struct weir_breach breach;
    enum weir_deadline_state state = WEIR_DEADLINE_NOT_DECIDED;
    uint64_t searches = 0;
    uint32_t now = weir_evaluator_capacity(e, queue);
    enum weir_status status = weir_evaluator_set_capacity(e, queue, change->kind == MORE ? now + 1 : now - 1, error);
    if (!status)
        status = weir_deadlines_check(e, 1, &state, &breach, &searches, error);
    *enough = state == WEIR_DEADLINE_MET;
    return status ? status : weir_evaluator_set_capacity(e, queue, now, error);
}

static enum weir_status put_one(struct weir_page *page, struct weir_evaluator *e, const struct weir_sensitivity *s,
                                const struct change *change, bool first, bool *found)
{
    struct weir_enough times = {0};
    enum weir_status status = change->kind == FASTER
                                  ? weir_enough_find(e, (struct weir_operator){change->index}, &times, page->error)
                                  : try_queue(e, change, found, page->error);
    if (change->kind == FASTER)
        *found = times.found;
    if (status || !*found)
        return status;
    if (first)
        fputs("<p>Each of these alone is enough to meet every deadline:</p>\n<ul class=\"enough\">\n", page->out);
    if (change->kind == FASTER) {
        put_times(page, (struct weir_operator){change->index}, &times);
    } else {
        fputs("<li>", page->out);
        put_what(page, s, change);
        fputs("</li>\n", page->out);
    }
    return WEIR_OK;
}

/* What is missing to the deadline, and what alone brings it, with all other deadlines of the model. */
static enum weir_status put_goal(struct weir_page *page, const struct weir_sensitivity *s, const struct change *changes,
                                 size_t count)
{
    char time[WEIR_PAGE_TIME];
    struct weir_chain_spec chain = weir_pipeline_chain(s->pipeline, s->chain);
    if (!chain.has_deadline || weir_judge_latency(&s->now.worst, chain.deadline, 1) == WEIR_DEADLINE_MET)
        return WEIR_OK;
    struct weir_evaluator *e = weir_evaluator_new(s->pipeline, page->error);
    if (!e)
        return WEIR_MEMORY;
    weir_evaluator_limit(e, TRIAL_ARCS);
    weir_svg_put(page->out, "<p>The worst case from $ to $ has to get shorter by $.</p>\n", weir_page_name(page, chain.from),
                 weir_page_name(page, chain.to), weir_page_time(page, s->now.worst.value - chain.deadline, time));
    bool any = false;
    enum weir_status status = WEIR_OK;
    for (size_t i = 0; i < count && i < ROWS_BEST && changes[i].gain > 0 && !status; i++) {
        bool found = false;
        status = put_one(page, e, s, &changes[i], !any, &found);
        any |= found;
    }
    fputs(any ? "</ul>\n"
          : !count
              ? ""
              : "<p>No single operator below can be made fast enough to meet every deadline, nor does one slot more or less do it: "
                "it takes several changes.</p>\n",
          page->out);
    weir_evaluator_free(e);
    return status;
}

/* ---- one change at a time ---- */

static void put_table(struct weir_page *page, const struct weir_sensitivity *s, const struct change *changes, size_t count)
{
    char now[WEIR_PAGE_TIME], period[WEIR_PAGE_TIME];
    struct weir_chain_spec chain = weir_pipeline_chain(s->pipeline, s->chain);
    weir_page_time(page, s->now.worst.value, now);
    weir_svg_put(page->out,
                 "<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"Changes\"><table "
                 "class=\"changes\"><caption>One change at a time: operators % percent faster (at least a tick), queues one slot "
                 "more or less. Now "
                 "it is $ from $ to $, and one result every $.</caption>\n",
                 s->permille / 10, now, weir_page_name(page, chain.from), weir_page_name(page, chain.to),
                 weir_page_ratio(page, s->now.period, period));
    fputs("<thead><tr><th scope=\"col\">change</th><th scope=\"col\" class=\"number\">worst case</th><th scope=\"col\" "
          "class=\"number\">difference</th><th scope=\"col\" class=\"number\">one result every</th>",
          page->out);
    fputs(chain.has_deadline ? "<th scope=\"col\">deadline</th></tr></thead><tbody>\n" : "</tr></thead><tbody>\n", page->out);
    bool all = count <= ROWS_BEST + ROWS_LAST + 1;
    for (size_t i = 0; i < count; i++)
        if (all || i < ROWS_BEST || i + ROWS_LAST >= count)
            put_row(page, s, &changes[i]);
        else if (i == ROWS_BEST)
            weir_svg_put(page->out, "<tr><td colspan=\"%\">\342\200\246 and % more in between</td></tr>\n",
                         chain.has_deadline ? 5U : 4U, (unsigned)(count - ROWS_BEST - ROWS_LAST));
    fputs("</tbody></table></div>\n", page->out);
}

static void show_progress(void *context, unsigned permille)
{
    weir_page_progress(context, 800 + permille / 5);
}

static enum weir_status put_sensitivity(struct weir_page *page, uint32_t chain)
{
    const struct weir_pipeline *p = page->model->pipeline;
    struct weir_sensitivity *s;
    struct weir_sensitivity_options options = {.progress = show_progress, .context = page};
    enum weir_status status = weir_sensitivity_find(p, chain, &options, &s, page->error);
    if (status)
        return status;
    size_t most = (size_t)weir_pipeline_operator_count(p) + 2 * (size_t)weir_pipeline_queue_count(p);
    struct change *changes = weir_array(most, sizeof *changes);
    if (!changes) {
        weir_sensitivity_free(s);
        return weir_fail_memory(page->error);
    }
    size_t count = s->now.worst.outcome == WEIR_EXACT ? collect(s, changes) : 0;
    if (s->now.worst.outcome == WEIR_EXACT) {
        status = put_goal(page, s, changes, count);
        put_slopes(page, s);
    }
    if (count)
        put_table(page, s, changes, count);
    else
        fputs("<p>No operator a little faster and no queue a slot deeper or shallower changes the worst case.</p>\n", page->out);
    weir_free(changes);
    weir_sensitivity_free(s);
    return status;
}

/* ---- without a bound ---- */

static void put_queues_without_limit(struct weir_page *page)
{
    const struct weir_pipeline *p = page->model->pipeline;
    unsigned found = 0;
    for (uint32_t i = 0; i < weir_pipeline_queue_count(p); i++) {
        struct weir_queue_spec q = weir_pipeline_queue(p, (struct weir_queue){i});
        if ((q.capacity != WEIR_UNBOUNDED && !q.nonblocking) || ++found > NAMES_MAX)
            continue;
        fputs(found > 1 ? ", " : "<li>Give a queue that has no limit a capacity that makes its producer wait: ", page->out);
        weir_svg_put(page->out, "$ \342\206\222 $", weir_page_name(page, q.from), weir_page_name(page, q.to));
    }
    if (found > NAMES_MAX)
        weir_svg_put(page->out, " and % more", found - NAMES_MAX);
    if (found)
        fputs(".</li>\n", page->out);
}

static void put_ways_to_a_bound(struct weir_page *page)
{
    const struct weir_pipeline *p = page->model->pipeline;
    char time[WEIR_PAGE_TIME];
    fputs(
        "<p>Something on the way can be slower than the beginning, and nothing makes the beginning wait. Each of these can give a "
        "bound:</p>\n<ul>\n<li>Shorten the worst case of what the reason above names.</li>\n",
        page->out);
    for (uint32_t i = 0; i < weir_pipeline_source_count(p); i++) {
        struct weir_source_spec source = weir_pipeline_source(p, i);
        if (source.arrivals == WEIR_ARRIVALS_EXACT)
            weir_svg_put(page->out,
                         "<li>Let inputs of $ come less often than every $; or, if it may skip inputs while it has to wait, say "
                         "<code>arrivals: at-most</code>.</li>\n",
                         weir_page_name(page, source.op), weir_page_time(page, source.period, time));
    }
    put_queues_without_limit(page);
    fputs("</ul>\n", page->out);
}

enum weir_status weir_page_changes(struct weir_page *page, const struct weir_bound *bound, uint32_t chain)
{
    enum weir_status status = WEIR_OK;
    if (bound->worst.claim == WEIR_CLAIM_NONE)
        return WEIR_OK;
    fputs("<div class=\"as-given\">\n<h3>What to change</h3>\n", page->out);
    if (bound->worst.claim == WEIR_CLAIM_UNBOUNDED)
        put_ways_to_a_bound(page);
    else if (bound->worst.claim == WEIR_CLAIM_BRACKET)
        fputs("<p>The analysis stopped at its limit: try again with a larger <code>--limit</code>.</p>\n", page->out);
    else if (weir_pipeline_require_simple(page->model->pipeline, NULL))
        fputs("<p>weir does not yet look for changes in models with work on a GPU, or with several messages taken at once.</p>\n",
              page->out);
    else
        status = put_sensitivity(page, chain);
    fputs("</div>\n", page->out);
    return status;
}
