/* SPDX-License-Identifier: Apache-2.0 */
/* A report about a pipeline whose operators have threads of their own: exact numbers, the worst case as it happens, sliders. */
#include "base/error.h"
#include "base/number.h"
#include "page/assets.h"
#include "page/live_model.h"
#include "page/page.h"
#include "write/plot.h"

#define TIMELINES_MAX 6 /* pictures of worst cases: of the first so many latencies */
#define DISTRIBUTIONS_MAX 3

/* ---- verdict and numbers ---- */

static const char *worst_text(const struct weir_page *page, const struct weir_separation *s, char text[2 * WEIR_PAGE_TIME + 16])
{
    char low[WEIR_PAGE_TIME], high[WEIR_PAGE_TIME];
    if (s->outcome == WEIR_EXACT)
        return weir_page_time(page, s->value, text);
    if (s->outcome == WEIR_NO_BOUND)
        return "no bound";
    if (s->outcome == WEIR_NO_EVENTS)
        return "never happens";
    snprintf(text, 2 * WEIR_PAGE_TIME + 16, "%s to %s", s->lower == INT64_MIN ? "?" : weir_page_time(page, s->lower, low),
             s->upper == INT64_MAX ? "?" : weir_page_time(page, s->upper, high));
    return text;
}

static void put_verdict(struct weir_page *page, const struct weir_analysis *a)
{
    size_t deadlines = 0, missed = 0, unbounded = 0, open = 0;
    for (size_t i = 0; i < a->latency_count; i++) {
        const struct weir_latency *l = &a->latencies[i];
        deadlines += l->pair.has_deadline;
        missed += !l->deadline_met;
        unbounded += l->worst.outcome == WEIR_NO_BOUND;
        open += l->worst.outcome == WEIR_BRACKET;
    }
    page->missed |= missed || unbounded;
    if (unbounded)
        weir_page_verdict(page, "bad", "There is no bound: a latency grows for ever.");
    else if (missed)
        weir_page_verdict(page, "bad", missed == 1 ? "A deadline is missed." : "Deadlines are missed.");
    else if (open)
        weir_page_verdict(page, "unknown", "A limit was reached: the worst case lies in a bracket.");
    else if (deadlines)
        weir_page_verdict(page, "good", deadlines == 1 ? "The deadline is met, always." : "Every deadline is met, always.");
    else
        weir_page_verdict(page, "good", "The worst case is known exactly.");
    char text[2 * WEIR_PAGE_TIME + 16];
    if (a->latency_count) {
        const struct weir_latency *l = &a->latencies[0];
        weir_svg_put(page->out, " From $ to $ it takes at most <output class=\"live-bound\">$</output>$",
                     weir_page_name(page, l->pair.from), weir_page_name(page, l->pair.to), worst_text(page, &l->worst, text),
                     l->worst.outcome == WEIR_EXACT ? ", and there is an execution that takes so long." : ".");
    }
    fputs("</p>\n", page->out);
    for (size_t i = 0; i < a->latency_count; i++)
        if (a->latencies[i].why) {
            weir_svg_put(page->out, "<p class=\"why\">$ \342\206\222 $: $.</p>\n", weir_page_name(page, a->latencies[i].pair.from),
                         weir_page_name(page, a->latencies[i].pair.to), a->latencies[i].why);
            break;
        }
}

static void put_latency(struct weir_page *page, const struct weir_latency *l, size_t index)
{
    char text[2 * WEIR_PAGE_TIME + 16], best[WEIR_PAGE_TIME], deadline[WEIR_PAGE_TIME], slack[WEIR_PAGE_TIME];
    bool exact = l->worst.outcome == WEIR_EXACT, known = l->best.outcome == WEIR_EXACT;
    weir_svg_put(page->out,
                 "<tr data-pair=\"%\"><th scope=\"row\">$ \342\206\222 $</th><td class=\"number live-worst\">$</td>"
                 "<td class=\"number live-best\">$</td><td class=\"number\">$</td><td class=\"number\">$</td><td>$</td></tr>\n",
                 (unsigned)index, weir_page_name(page, l->pair.from), weir_page_name(page, l->pair.to),
                 worst_text(page, &l->worst, text), known ? weir_page_time(page, -l->best.value, best) : "?",
                 l->pair.has_deadline ? weir_page_time(page, l->pair.deadline, deadline) : "\342\200\223",
                 l->pair.has_deadline && exact ? weir_page_time(page, l->pair.deadline - l->worst.value, slack) : "\342\200\223",
                 !l->pair.has_deadline                        ? "no deadline"
                 : l->deadline_met                            ? "\342\234\223 met"
                 : exact || l->worst.outcome == WEIR_NO_BOUND ? "\342\234\227 missed"
                                                              : "? not decided");
}

static void put_latencies(struct weir_page *page, const struct weir_analysis *a)
{
    enum { MOST = 100 };
    fputs("<h3>Latencies</h3>\n<div class=\"scroll\"><table class=\"pairs\"><thead><tr><th scope=\"col\">from \342\206\222 to</th>"
          "<th scope=\"col\">worst case</th><th scope=\"col\">best case</th><th scope=\"col\">deadline</th>"
          "<th scope=\"col\">slack</th><th scope=\"col\">verdict</th></tr></thead><tbody>\n",
          page->out);
    for (size_t i = 0; i < a->latency_count && i < MOST; i++)
        put_latency(page, &a->latencies[i], i);
    fputs("</tbody></table></div>\n", page->out);
    if (a->latency_count > MOST)
        weir_svg_put(page->out, "<p>The first % of % latencies.</p>\n", MOST, (unsigned)a->latency_count);
}

/* ---- pictures ---- */

static enum weir_status put_timeline(struct weir_page *page, const struct weir_analysis *a, size_t index, bool first)
{
    const struct weir_latency *l = &a->latencies[index];
    struct weir_error refused;
    weir_svg_put(page->out, "<figure class=\"wide timeline\" data-pair=\"%\"$>\n", (unsigned)index, first ? "" : " hidden");
    weir_svg_put(page->out,
                 "<div class=\"tools\" role=\"group\" aria-label=\"Zoom of the timeline\"><button type=\"button\" "
                 "data-zoom=\"in\" title=\"larger\">+</button><button type=\"button\" data-zoom=\"out\" "
                 "title=\"smaller\">\342\210\222</button><button type=\"button\" data-zoom=\"all\">whole</button></div>\n"
                 "<div class=\"stage\" tabindex=\"0\" role=\"region\" aria-label=\"Timeline from $ to $; zoom with + and -, move "
                 "with the arrow keys\">\n",
                 weir_page_name(page, l->pair.from), weir_page_name(page, l->pair.to));
    enum weir_status status = weir_analysis_write_gantt(a, index, page->out, &refused);
    if (status == WEIR_OVERFLOW) { /* said in its place */
        weir_svg_put(page->out, "<p>$.</p>\n", refused.message);
        status = WEIR_OK;
    }
    if (status)
        weir_fail(page->error, status, "%s", refused.message);
    fputs("</div>\n</figure>\n", page->out);
    return status;
}

static enum weir_status put_timelines(struct weir_page *page, const struct weir_analysis *a)
{
    size_t shown = 0;
    enum weir_status status = WEIR_OK;
    for (size_t i = 0; i < a->latency_count; i++)
        shown += a->latencies[i].witness != NULL;
    if (!shown)
        return WEIR_OK;
    fputs("<h3>How the worst case happens</h3>\n", page->out);
    if (shown > 1) {
        weir_svg_put(page->out, "<p><label>Latency <select class=\"which\" data-model=\"%\">", page->number);
        for (size_t i = 0, told = 0; i < a->latency_count && told < TIMELINES_MAX; i++)
            if (a->latencies[i].witness) {
                weir_svg_put(page->out, "<option value=\"%\">$ \342\206\222 $</option>", (unsigned)i,
                             weir_page_name(page, a->latencies[i].pair.from), weir_page_name(page, a->latencies[i].pair.to));
                told++;
            }
        fputs("</select></label></p>\n", page->out);
    }
    for (size_t i = 0, told = 0; i < a->latency_count && told < TIMELINES_MAX && !status; i++)
        if (a->latencies[i].witness)
            status = put_timeline(page, a, i, told++ == 0);
    fputs("<p class=\"tip\" role=\"status\" aria-live=\"polite\"></p>\n", page->out);
    return status;
}

static void put_throughput(struct weir_page *page, const struct weir_analysis *a)
{
    const struct weir_throughput_answer *t = &a->throughput;
    char worst[WEIR_PAGE_TIME + 8], best[WEIR_PAGE_TIME + 8];
    weir_svg_put(
        page->out,
        "<h3>Throughput</h3>\n<p>One result every <strong class=\"live-period\">$</strong> is guaranteed; where everything "
        "takes its best time, one every $. ",
        weir_page_ratio(page, t->period, worst), weir_page_ratio(page, t->best_period, best));
    for (size_t i = 0; i < t->bottleneck_count; i++)
        weir_svg_put(page->out, "$$",
                     i                         ? ", "
                     : t->bottleneck_count > 1 ? "The bottleneck is the loop of "
                                               : "The bottleneck is ",
                     weir_page_name(page, t->bottleneck[i]));
    fputs(t->bottleneck_count ? ".</p>\n" : "</p>\n", page->out);
}

/* ---- what recomputes ---- */

static void put_live(struct weir_page *page)
{
    const char *why;
    if (page->options->no_live)
        return;
    fputs("<h3>What if?</h3>\n", page->out);
    if (!weir_report_live(&why)) {
        weir_svg_put(page->out, "<p>This page cannot recompute: $. Everything else on it is complete.</p>\n", why);
        return;
    }
    weir_svg_put(
        page->out,
        "<section class=\"live\" data-model=\"%\" aria-label=\"What if\">\n<noscript><p>Sliders need JavaScript.</p></noscript>\n"
        "</section>\n<script type=\"application/json\" class=\"live-model\" data-model=\"%\">\n",
        page->number, page->number);
    weir_live_write_model(page->model->pipeline, page->out);
    fputs("</script>\n", page->out);
}

static void put_assumptions(struct weir_page *page)
{
    fputs("<h3>What this assumes</h3>\n<ul>\n"
          "<li>Each operator has a thread of its own, and starts as soon as its messages and the room for its results are "
          "there.</li>\n"
          "<li>An execution takes no less than the best and no more than the worst time in the model. Where those were measured, "
          "what "
          "was not seen is not in them.</li>\n"
          "<li>Queues are first in, first out, and hold what the model says; a producer waits for room unless the model says "
          "otherwise.</li>\n"
          "<li>Nothing else takes time: neither the scheduler nor copying, unless it is in an operator\342\200\231s "
          "time.</li>\n</ul>\n",
          page->out);
}

static enum weir_status put_all(struct weir_page *page, const struct weir_analysis *a)
{
    put_verdict(page, a);
    put_latencies(page, a);
    enum weir_status status = weir_page_drawing(page, a);
    if (!status)
        status = put_timelines(page, a);
    put_live(page);
    bool any = false;
    for (size_t i = 0; i < a->latency_count && i < DISTRIBUTIONS_MAX && !status; i++) {
        if (a->latencies[i].worst.outcome == WEIR_NO_EVENTS)
            continue;
        if (!any)
            fputs("<h3>What simulation shows</h3>\n", page->out);
        any = true;
        status = weir_page_distribution(page, &a->latencies[i], i);
    }
    if (!status)
        put_throughput(page, a);
    if (!status && a->latency_count && a->latencies[0].worst.outcome == WEIR_EXACT) {
        fputs("<h3>What to change</h3>\n", page->out);
        status = weir_page_changes(page, 0);
    }
    put_assumptions(page);
    return status ? status : weir_page_source(page);
}

enum weir_status weir_page_threads(struct weir_page *page)
{
    struct weir_analyze_options options = {.work_limit = page->options->work_limit};
    struct weir_analysis *analysis;
    enum weir_status status = weir_analyze(page->model->pipeline, &options, &analysis, page->error);
    if (status)
        return status;
    status = put_all(page, analysis);
    weir_analysis_free(analysis);
    return status;
}
