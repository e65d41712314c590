/* SPDX-License-Identifier: Apache-2.0 */
/* Verdicts and tables of latencies that have safe bounds. */
#include "render/html/page.h"
#include "render/plot/plot.h"

#define MOST 200 /* rows of a table */

static bool in_trouble(const struct weir_page_latency *l)
{
    return !l->bounded || !l->met;
}

/* Deadlines met or missed, over all latencies; the first in trouble decides. */
void weir_page_put_verdict(struct weir_page *page, const struct weir_page_list *list, const char *why)
{
    struct weir_page_latency one, found = {0};
    bool bounded = !why, met = true, any = false;
    char deadline[WEIR_PAGE_TIME];
    for (size_t i = 0; i < list->count; i++) {
        list->take(page, list->analysis, i, &one);
        if (i == 0 || (in_trouble(&one) && !in_trouble(&found)))
            found = one;
        bounded &= one.bounded;
        met &= one.met;
        any |= one.pair.has_deadline;
    }
    page->missed |= !bounded || !met;
    weir_page_verdict(page, bounded && met ? "good" : "bad",
                      !bounded ? "There is no bound."
                      : !met   ? "A deadline can be missed."
                      : any    ? "Every deadline is met, always."
                               : "Safe bounds were found.");
    if (list->count > 0 && found.bounded) {
        weir_svg_put(page->out, " From $ to $ it takes at most <strong class=\"bound\">$</strong>",
                     weir_page_name(page, found.pair.from), weir_page_name(page, found.pair.to), found.worst);
        if (found.pair.has_deadline)
            weir_svg_put(page->out, "; the deadline is $", weir_page_time(page, found.pair.deadline, deadline));
        fputs(".", page->out);
    }
    fputs("</p>\n", page->out);
    if (why)
        weir_svg_put(page->out, "<p class=\"why\">$.</p>\n", why);
    page->answer.has_pair = list->count > 0;
    page->answer.pair = found.pair;
    snprintf(page->answer.worst, sizeof page->answer.worst, "%s", found.bounded ? found.worst : "no bound");
}

void weir_page_put_latencies(struct weir_page *page, const struct weir_page_list *list)
{
    struct weir_page_latency one;
    char deadline[WEIR_PAGE_TIME];
    fputs(
        "<h3>Latencies</h3>\n<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Latencies\"><table class=\"pairs\">"
        "<thead><tr><th scope=\"col\">from \342\206\222 to</th><th scope=\"col\" class=\"number\">at most</th>"
        "<th scope=\"col\" class=\"number\">deadline</th><th scope=\"col\">verdict</th></tr></thead><tbody>\n",
        page->out);
    for (size_t i = 0; i < list->count && i < MOST; i++) {
        list->take(page, list->analysis, i, &one);
        weir_svg_put(
            page->out,
            "<tr><th scope=\"row\">$ \342\206\222 $</th><td class=\"number\">$</td><td class=\"number\">$</td><td>$</td></tr>\n",
            weir_page_name(page, one.pair.from), weir_page_name(page, one.pair.to), one.bounded ? one.worst : "no bound",
            one.pair.has_deadline ? weir_page_time(page, one.pair.deadline, deadline) : "\342\200\223",
            !one.pair.has_deadline ? "no deadline"
            : one.met              ? "\342\234\223 met"
                                   : "\342\234\227 missed");
    }
    fputs("</tbody></table></div>\n", page->out);
    if (list->count > MOST)
        weir_svg_put(page->out, "<p>The first % of % latencies. weir analyze --json has them all.</p>\n", MOST,
                     (unsigned)list->count);
}

/* How much room each queue needs; nothing where the model had decided all of it. */
void weir_page_put_buffers(struct weir_page *page, const struct weir_buffer *buffers, size_t count)
{
    const struct weir_pipeline *p = page->model->pipeline;
    size_t chosen = 0, shown = 0;
    for (size_t i = 0; i < count; i++)
        chosen += buffers[i].chosen;
    if (!chosen)
        return;
    fputs("<h3>Room that the queues need</h3>\n<ul>\n", page->out);
    for (size_t i = 0; i < count && shown < MOST; i++) {
        if (!buffers[i].chosen)
            continue;
        shown++;
        if (buffers[i].input) {
            weir_svg_put(page->out, "<li>inputs of $: %</li>\n", weir_page_name(page, weir_pipeline_source(p, buffers[i].index).op),
                         buffers[i].capacity);
        } else {
            struct weir_queue_spec q = weir_pipeline_queue(p, (struct weir_queue){buffers[i].index});
            weir_svg_put(page->out, "<li>$ \342\206\222 $: %</li>\n", weir_page_name(page, q.from), weir_page_name(page, q.to),
                         buffers[i].capacity);
        }
    }
    fputs("</ul>\n", page->out);
}
