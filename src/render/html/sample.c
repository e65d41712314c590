/* SPDX-License-Identifier: Apache-2.0 */
/* A report about a pipeline with connections that are not waited for, or lose messages: how old data is, and what becomes of it. */
#include "render/html/page.h"
#include "render/plot/plot.h"

#include <inttypes.h>
#include <string.h>

#define LEGS_MAX 6 /* latencies whose legs are listed */

static void take(const struct weir_page *page, const void *analysis, size_t i, struct weir_page_latency *latency)
{
    const struct weir_sample_latency *l = &((const struct weir_sample_analysis *)analysis)->latencies[i];
    char time[WEIR_PAGE_TIME];
    bool bounded = l->outcome != WEIR_SAMPLE_UNKNOWN;
    *latency = (struct weir_page_latency){.pair = l->pair, .bounded = bounded, .met = l->deadline_met};
    if (bounded)
        snprintf(latency->worst, sizeof latency->worst, "%s", weir_page_time(page, l->worst, time));
}

/* What a worst case is made of. */
static void put_legs(struct weir_page *page, const struct weir_sample_latency *l)
{
    char words[WEIR_LEG_TEXT], time[WEIR_PAGE_TIME];
    weir_svg_put(page->out, "<p>$ \342\206\222 $: $</p>\n<ol>\n", weir_page_name(page, l->pair.from),
                 weir_page_name(page, l->pair.to),
                 l->outcome == WEIR_SAMPLE_EXACT ? "this is reached." : "no latency is longer; whether it is reached is not said.");
    for (size_t i = 0; i < l->leg_count; i++)
        weir_svg_put(page->out, "<li>$: $</li>\n", weir_sample_leg_words(page->model->pipeline, &l->legs[i], words),
                     weir_page_time(page, l->legs[i].worst, time));
    fputs("</ol>\n", page->out);
}

static const char *chance(enum weir_sample_chance chance)
{
    return chance == WEIR_CHANCE_NO ? "never" : chance == WEIR_CHANCE_YES ? "yes" : "not excluded";
}

static void put_queues(struct weir_page *page, const struct weir_sample_analysis *a)
{
    if (!a->queue_count)
        return;
    fputs("<h3>What becomes of messages</h3>\n<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"What becomes of "
          "messages\"><table><thead><tr><th scope=\"col\">from \342\206\222 to</th><th scope=\"col\">messages that are never "
          "read</th><th scope=\"col\">the application can fail</th></tr></thead><tbody>\n",
          page->out);
    for (size_t i = 0; i < a->queue_count; i++) {
        struct weir_queue_spec q = weir_pipeline_queue(a->pipeline, a->queues[i].queue);
        weir_svg_put(page->out, "<tr><th scope=\"row\">$ \342\206\222 $</th><td>$</td><td>$</td></tr>\n",
                     weir_page_name(page, q.from), weir_page_name(page, q.to), chance(a->queues[i].loses),
                     chance(a->queues[i].faults));
    }
    fputs("</tbody></table></div>\n", page->out);
}

/* Said before all else: what fails is not late. */
static void put_faults(struct weir_page *page, const struct weir_sample_analysis *a)
{
    for (size_t i = 0; i < a->queue_count; i++) {
        if (a->queues[i].faults == WEIR_CHANCE_NO)
            continue;
        struct weir_queue_spec q = weir_pipeline_queue(a->pipeline, a->queues[i].queue);
        bool sure = a->queues[i].faults == WEIR_CHANCE_YES;
        char execution[24] = "";
        page->missed = true;
        if (!sure && strcmp(page->answer.kind, "bad") == 0)
            return;
        weir_page_verdict(page, sure ? "bad" : "unknown",
                          sure ? "The application can fail." : "That the application fails is not excluded.");
        weir_svg_put(page->out, " A message from $ to $ can find its queue full", weir_page_name(page, q.from),
                     weir_page_name(page, q.to));
        snprintf(execution, sizeof execution, "%" PRId64, a->queues[i].iteration);
        if (sure && a->queues[i].iteration >= 0)
            weir_svg_put(page->out, ": that of execution $", execution);
        fputs(".</p>\n", page->out);
        return;
    }
}

static enum weir_status put_all(struct weir_page *page, const struct weir_sample_analysis *a)
{
    const struct weir_page_list list = {a, a->latency_count, take};
    const char *why = NULL;
    size_t told = 0;
    for (size_t i = 0; i < a->latency_count; i++)
        why = why ? why : a->latencies[i].why;
    page->answer.platform = "threads of their own";
    weir_page_put_verdict(page, &list, why);
    put_faults(page, a);
    weir_page_put_latencies(page, &list);
    enum weir_status status = weir_page_drawing(page, NULL, 0);
    for (size_t i = 0; i < a->latency_count && told < LEGS_MAX && !status; i++)
        if (a->latencies[i].leg_count) {
            if (!told++)
                fputs("<h3>How the worst case adds up</h3>\n", page->out);
            put_legs(page, &a->latencies[i]);
        }
    put_queues(page, a);
    fputs("<h3>What this assumes</h3>\n<ul>\n"
          "<li>Each operator has a thread of its own, and starts as soon as the messages that it waits for and the room for its "
          "results are there.</li>\n"
          "<li>An execution takes no less than the best and no more than the worst time in the model.</li>\n"
          "<li>Where the latest message is read, a latency is the age of the data; messages that are lost have none.</li>\n</ul>\n",
          page->out);
    if (a->certified)
        fputs("<p>Checked: each part of each bound has a certificate, which was checked by code that shares nothing with the "
              "analysis, and the parts were added up again.</p>\n",
              page->out);
    return status ? status : weir_page_source(page);
}

enum weir_status weir_page_sample(struct weir_page *page)
{
    struct weir_sample_options options = {.verify = true, .work_limit = page->options->work_limit};
    struct weir_sample_analysis *analysis;
    enum weir_status status = weir_sample_analyze(page->model->pipeline, &options, &analysis, page->error);
    if (status)
        return status;
    status = put_all(page, analysis);
    weir_sample_analysis_free(analysis);
    return status;
}
