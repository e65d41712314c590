/* SPDX-License-Identifier: Apache-2.0 */
/* A report about a pipeline whose operators have threads of their own: exact numbers, the worst case as it happens, sliders. */
#include "base/error.h"
#include "base/number.h"
#include "model/pipeline.h"
#include "render/html/live_model.h"
#include "render/html/page.h"
#include "render/plot/plot.h"

#include <inttypes.h>

#define TIMELINES_MAX 6 /* pictures of worst cases: of the first so many latencies */
#define DISTRIBUTIONS_MAX 3

/* ---- verdict and numbers ---- */

enum verdict { FINE, UNDECIDED, MISSED, NO_BOUND };

static enum verdict verdict_of(const struct weir_latency *l)
{
    if (l->worst.outcome == WEIR_NO_BOUND)
        return NO_BOUND;
    if (l->deadline_met)
        return FINE;
    return l->worst.outcome == WEIR_BRACKET && l->worst.lower <= l->pair.deadline ? UNDECIDED : MISSED;
}

static const char *worst_text(const struct weir_page *page, const struct weir_separation *s, char text[WEIR_PAGE_RANGE])
{
    char low[WEIR_PAGE_TIME], high[WEIR_PAGE_TIME];
    if (s->outcome == WEIR_EXACT)
        return weir_page_time(page, s->value, text);
    if (s->outcome == WEIR_NO_BOUND)
        return "no bound";
    if (s->outcome == WEIR_NO_EVENTS)
        return "never happens";
    snprintf(text, WEIR_PAGE_RANGE, "%s to %s", s->lower == INT64_MIN ? "?" : weir_page_time(page, s->lower, low),
             s->upper == INT64_MAX ? "?" : weir_page_time(page, s->upper, high));
    return text;
}

/* The first of the worst: the one that the verdict is about. */
static const struct weir_latency *deciding(const struct weir_analysis *a)
{
    const struct weir_latency *found = &a->latencies[0];
    for (size_t i = 1; i < a->latency_count; i++)
        found = verdict_of(&a->latencies[i]) > verdict_of(found) ? &a->latencies[i] : found;
    return found;
}

static void put_headline(struct weir_page *page, const struct weir_analysis *a)
{
    size_t deadlines = 0, open = 0, counts[NO_BOUND + 1] = {0};
    for (size_t i = 0; i < a->latency_count; i++) {
        deadlines += a->latencies[i].pair.has_deadline;
        open += a->latencies[i].worst.outcome == WEIR_BRACKET;
        counts[verdict_of(&a->latencies[i])]++;
    }
    page->missed |= counts[NO_BOUND] || counts[MISSED] || counts[UNDECIDED];
    if (counts[NO_BOUND])
        weir_page_verdict(page, "bad", "There is no bound.");
    else if (counts[MISSED])
        weir_page_verdict(page, "bad", counts[MISSED] == 1 ? "A deadline is missed." : "Deadlines are missed.");
    else if (counts[UNDECIDED])
        weir_page_verdict(page, "unknown", "A limit was reached before the deadline was decided.");
    else if (deadlines)
        weir_page_verdict(page, "good", deadlines == 1 ? "The deadline is met, always." : "Every deadline is met, always.");
    else if (open)
        weir_page_verdict(page, "unknown", "A limit was reached: the worst case lies in a bracket.");
    else
        weir_page_verdict(page, "good", "The worst case is known exactly.");
}

/* A sentence about the latency that decides. */
static void put_sentence(struct weir_page *page, const struct weir_latency *l)
{
    char text[WEIR_PAGE_RANGE], deadline[WEIR_PAGE_TIME];
    const char *worst = worst_text(page, &l->worst, text);
    weir_svg_put(page->out, " From $ to $ ", weir_page_name(page, l->pair.from), weir_page_name(page, l->pair.to));
    if (l->worst.outcome == WEIR_NO_BOUND)
        weir_svg_put(page->out, "it can take longer than any time that one could name");
    else if (l->worst.outcome == WEIR_NO_EVENTS)
        weir_svg_put(page->out, "nothing ever takes any time: it never happens");
    else if (l->worst.outcome == WEIR_BRACKET)
        weir_svg_put(page->out, "the worst case is <strong class=\"bound\">$</strong>", worst);
    else if (verdict_of(l) == MISSED)
        weir_svg_put(page->out, "it can take <strong class=\"bound\">$</strong>", worst);
    else
        weir_svg_put(page->out, "it takes at most <strong class=\"bound\">$</strong>, and there is an execution that takes so long",
                     worst);
    if (l->pair.has_deadline)
        weir_svg_put(page->out, "; the deadline is $", weir_page_time(page, l->pair.deadline, deadline));
    fputs(".</p>\n", page->out);
    weir_svg_put(page->out, "<p class=\"why\"$>$$</p>\n", l->why ? "" : " hidden", l->why ? l->why : "", l->why ? "." : "");
    page->answer.has_pair = true;
    page->answer.pair = l->pair;
    snprintf(page->answer.worst, sizeof page->answer.worst, "%s", worst);
}

static void put_latency(struct weir_page *page, const struct weir_latency *l, size_t index)
{
    char text[WEIR_PAGE_RANGE], best[WEIR_PAGE_TIME], deadline[WEIR_PAGE_TIME], slack[WEIR_PAGE_TIME];
    bool known = l->worst.outcome == WEIR_EXACT || (l->worst.outcome == WEIR_BRACKET && l->worst.upper != INT64_MAX);
    int64_t worst = l->worst.outcome == WEIR_EXACT ? l->worst.value : l->worst.upper;
    weir_svg_put(page->out,
                 "<tr data-pair=\"%\"><th scope=\"row\">$ \342\206\222 $</th><td class=\"number live-worst\">$</td>"
                 "<td class=\"number live-best\">$</td><td class=\"number\">$</td><td class=\"number live-slack\">$</td>"
                 "<td class=\"live-verdict\">$</td></tr>\n",
                 (unsigned)index, weir_page_name(page, l->pair.from), weir_page_name(page, l->pair.to),
                 worst_text(page, &l->worst, text),
                 l->best.outcome == WEIR_EXACT ? weir_page_time(page, -l->best.value, best) : "?",
                 l->pair.has_deadline ? weir_page_time(page, l->pair.deadline, deadline) : "\342\200\223",
                 l->pair.has_deadline && known ? weir_page_time(page, l->pair.deadline - worst, slack) : "\342\200\223",
                 !l->pair.has_deadline        ? "no deadline"
                 : verdict_of(l) == FINE      ? "\342\234\223 met"
                 : verdict_of(l) == UNDECIDED ? "? not decided"
                                              : "\342\234\227 missed");
}

/* Of very many latencies those that are in trouble first. */
static void put_latencies(struct weir_page *page, const struct weir_analysis *a)
{
    enum { MOST = 200 };
    size_t shown = 0;
    fputs("<h3>Latencies</h3>\n<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Latencies\">"
          "<table class=\"pairs\"><thead><tr><th scope=\"col\">from \342\206\222 to</th>"
          "<th scope=\"col\" class=\"number\">worst case</th><th scope=\"col\" class=\"number\">best case</th>"
          "<th scope=\"col\" class=\"number\">deadline</th><th scope=\"col\" class=\"number\">slack</th>"
          "<th scope=\"col\">verdict</th></tr></thead><tbody>\n",
          page->out);
    bool many = a->latency_count > MOST;
    for (int turn = many ? 0 : 1; turn < 2; turn++)
        for (size_t i = 0; i < a->latency_count && shown < MOST; i++)
            if (!many || (verdict_of(&a->latencies[i]) == FINE) == (turn == 1)) {
                put_latency(page, &a->latencies[i], i);
                shown++;
            }
    fputs("</tbody></table></div>\n", page->out);
    if (many)
        weir_svg_put(page->out, "<p>% of % latencies, those in trouble first. weir analyze --json has them all.</p>\n", MOST,
                     (unsigned)a->latency_count);
}

/* ---- pictures ---- */

static enum weir_status write_timeline(const struct weir_picture *picture, FILE *out, struct weir_error *error)
{
    return weir_analysis_write_gantt(picture->subject, picture->index, out, error);
}

/* The latency that stands at place i: the one that decides first, then the others in their order. */
static size_t at_place(size_t first, size_t i)
{
    return i == 0 ? first : i <= first ? i - 1 : i;
}

static enum weir_status put_timelines(struct weir_page *page, const struct weir_analysis *a, size_t first)
{
    size_t witnesses = 0, told = 0;
    enum weir_status status = WEIR_OK;
    for (size_t i = 0; i < a->latency_count; i++)
        witnesses += a->latencies[i].witness != NULL;
    if (!a->latency_count)
        return WEIR_OK;
    fputs("<h3>How the worst case happens</h3>\n", page->out);
    if (witnesses > 1) {
        fputs("<p class=\"which\"><label>Latency <select autocomplete=\"off\">", page->out);
        for (size_t i = 0; i < a->latency_count && told < TIMELINES_MAX; i++) {
            const struct weir_latency *l = &a->latencies[at_place(first, i)];
            if (!l->witness)
                continue;
            weir_svg_put(page->out, "<option value=\"%\">$ \342\206\222 $</option>", (unsigned)at_place(first, i),
                         weir_page_name(page, l->pair.from), weir_page_name(page, l->pair.to));
            told++;
        }
        fputs("</select></label>", page->out);
        if (witnesses > told)
            weir_svg_put(page->out, " (% of %)", (unsigned)told, (unsigned)witnesses);
        fputs("</p>\n", page->out);
    }
    told = 0;
    for (size_t i = 0; i < a->latency_count && told < (witnesses ? TIMELINES_MAX : 1) && !status; i++)
        if (!witnesses || a->latencies[at_place(first, i)].witness) /* without any, one place for what sliders may bring */
            status = weir_page_picture(page, &(struct weir_picture){.subject = a,
                                                                    .index = at_place(first, i),
                                                                    .label = "Timeline of the worst case",
                                                                    .kind = told++ ? "timeline hidden" : "timeline",
                                                                    .write = write_timeline});
    return status;
}

static void put_throughput(struct weir_page *page, const struct weir_analysis *a)
{
    const struct weir_throughput_answer *t = &a->throughput;
    char worst[WEIR_PAGE_TIME + 8], best[WEIR_PAGE_TIME + 8];
    weir_svg_put(page->out,
                 "<h3>Throughput</h3>\n<p class=\"throughput\">One result every <strong>$</strong> is guaranteed; where everything "
                 "takes its best time, one every $.",
                 weir_page_ratio(page, t->period, worst), weir_page_ratio(page, t->best_period, best));
    for (size_t i = 0; i < t->bottleneck_count; i++)
        weir_svg_put(page->out, "$$",
                     i                         ? ", "
                     : t->bottleneck_count > 1 ? " The bottleneck is the loop of "
                                               : " The bottleneck is ",
                     weir_page_name(page, t->bottleneck[i]));
    fputs(t->bottleneck_count ? ".</p>\n" : "</p>\n", page->out);
}

/* ---- what recomputes ---- */

/* Whether the model has only what sliders, and the search for what to change, know. */
static bool is_simple(const struct weir_page *page)
{
    return weir_pipeline_require_simple(page->model->pipeline, NULL) == WEIR_OK;
}

static void put_live(struct weir_page *page)
{
    const char *why;
    char limit[24];
    if (page->options->no_live)
        return;
    fputs("<h3 class=\"live-heading\">What if?</h3>\n", page->out);
    if (!is_simple(page)) {
        fputs("<p>This page recomputes plain operators and queues only, and this model has more: work on a GPU, batches, transfers "
              "or "
              "ticks. Everything else on it is complete.</p>\n",
              page->out);
        return;
    }
    if (!weir_report_live(&why)) {
        weir_svg_put(page->out, "<p>This page cannot recompute: $. Everything else on it is complete.</p>\n", why);
        return;
    }
    snprintf(limit, sizeof limit, "%" PRIu64, page->options->work_limit);
    weir_svg_put(page->out,
                 "<section class=\"live\" data-model=\"%\" data-limit=\"$\" aria-label=\"What if\">\n"
                 "<noscript><p>Sliders need JavaScript.</p></noscript>\n</section>\n"
                 "<script type=\"application/json\" class=\"live-model\" data-model=\"%\">\n",
                 page->number, limit, page->number);
    weir_live_write_model(page->model->pipeline, page->out);
    fputs("</script>\n", page->out);
}

/* Of what only some models have. */
static void put_more_assumptions(struct weir_page *page)
{
    const struct weir_pipeline *p = page->model->pipeline;
    bool launches = false, batches = false, transfers = false;
    for (uint32_t i = 0; i < weir_pipeline_operator_count(p); i++)
        launches |= weir_pipeline_operator(p, (struct weir_operator){i}).launch != NULL;
    for (uint32_t i = 0; i < weir_pipeline_queue_count(p); i++) {
        struct weir_queue_spec q = weir_pipeline_queue(p, (struct weir_queue){i});
        batches |= q.consume > 1;
        transfers |= q.transfer_max > 0;
    }
    if (launches)
        fputs("<li>Work on a GPU is done in the order of its stream, once the work behind its messages is over; work in different "
              "streams does not slow each other down. A latency ends when the work of its last operator has.</li>\n",
              page->out);
    if (batches)
        fputs("<li>Where several messages are taken at once, a latency ends with the execution that takes the message.</li>\n",
              page->out);
    if (transfers)
        fputs("<li>Messages between fragments are under way no longer than the model says, and arrive in order.</li>\n", page->out);
}

static void put_assumptions(struct weir_page *page, const struct weir_analysis *a)
{
    size_t verified = 0;
    for (size_t i = 0; i < a->latency_count; i++)
        verified += a->latencies[i].verified;
    fputs("<h3>What this assumes</h3>\n<ul>\n"
          "<li>Each operator has a thread of its own, and starts as soon as its messages and the room for its results are "
          "there.</li>\n"
          "<li>An execution takes no less than the best and no more than the worst time in the model. Where those were measured, "
          "what was not seen is not in them.</li>\n"
          "<li>Queues are first in, first out, and hold what the model says; a producer waits for room unless the model says "
          "otherwise.</li>\n"
          "<li>Nothing else takes time: neither the scheduler nor copying, unless it is in an operator\342\200\231s "
          "time.</li>\n",
          page->out);
    put_more_assumptions(page);
    fputs("</ul>\n", page->out);
    if (verified && verified == a->latency_count)
        fputs("<p>Checked: each worst case was played through and came to the same time, and a certificate that none takes longer "
              "was checked by code that shares nothing with the analysis.</p>\n",
              page->out);
}

static enum weir_status put_distributions(struct weir_page *page, const struct weir_analysis *a)
{
    bool any = false;
    enum weir_status status = WEIR_OK;
    for (size_t i = 0; i < a->latency_count && i < DISTRIBUTIONS_MAX && !status; i++) {
        const struct weir_pair_spec *pair = &a->latencies[i].pair;
        if (a->latencies[i].worst.outcome == WEIR_NO_EVENTS || weir_pipeline_turns(a->pipeline, pair->from) > 1 ||
            weir_pipeline_turns(a->pipeline, pair->to) > 1) /* of which executions are one another's is not told there */
            continue;
        if (!any)
            fputs("<div class=\"as-given\">\n<h3>What simulation shows</h3>\n", page->out);
        any = true;
        status = weir_page_distribution(page, &a->latencies[i], i);
    }
    if (any)
        fputs("</div>\n", page->out);
    return status;
}

static enum weir_status put_all(struct weir_page *page, const struct weir_analysis *a)
{
    const struct weir_latency *first = a->latency_count ? deciding(a) : NULL;
    page->answer.platform = "threads of their own";
    put_headline(page, a);
    if (first)
        put_sentence(page, first);
    else
        fputs("</p>\n", page->out);
    put_latencies(page, a);
    enum weir_status status = weir_page_drawing(page, a, first ? (size_t)(first - a->latencies) : 0);
    if (!status)
        status = put_timelines(page, a, first ? (size_t)(first - a->latencies) : 0);
    if (!status) {
        put_live(page);
        put_throughput(page, a);
        status = put_distributions(page, a);
    }
    if (!status && first)
        status = weir_page_changes(page, first, (uint32_t)(first - a->latencies));
    put_assumptions(page, a);
    return status ? status : weir_page_source(page);
}

enum weir_status weir_page_threads(struct weir_page *page)
{
    struct weir_analyze_options options = {.verify = true, .work_limit = page->options->work_limit};
    struct weir_analysis *analysis;
    enum weir_status status = weir_analyze(page->model->pipeline, &options, &analysis, page->error);
    if (status)
        return status;
    status = put_all(page, analysis);
    weir_analysis_free(analysis);
    return status;
}
