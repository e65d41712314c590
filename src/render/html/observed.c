/* SPDX-License-Identifier: Apache-2.0 */
/* Where times were taken from: what was seen of each operator, beside what the model says. */
#include "render/html/page.h"
#include "render/plot/plot.h"

#include <inttypes.h>

#define MOST 200 /* operators that are listed */

/* What was made of what was seen. */
static const char *method_of(const struct weir_operator_spec *op, char text[64])
{
    const struct weir_observed *seen = op->observed;
    if (seen->tail)
        snprintf(text, 64, "tail, 1 in %" PRIu64, seen->tail);
    else if (seen->max > 0 && op->worst > seen->max)
        snprintf(text, 64, "longest + %.3g %%", (double)(op->worst - seen->max) * 100 / (double)seen->max);
    else
        snprintf(text, 64, "%s", op->worst == seen->max ? "longest" : "");
    return text;
}

static void put_row(struct weir_page *page, const struct weir_operator_spec *op)
{
    const struct weir_observed *seen = op->observed;
    char best[WEIR_PAGE_TIME], worst[WEIR_PAGE_TIME], least[WEIR_PAGE_TIME], most[WEIR_PAGE_TIME], count[24], method[64];
    snprintf(count, sizeof count, "%" PRIu64, seen->count);
    weir_svg_put(
        page->out,
        "<tr><th scope=\"row\">$</th><td class=\"number\">$</td><td class=\"number\">$</td><td>$</td><td class=\"number\">$</td>"
        "<td class=\"number\">$</td><td class=\"number\">$$</td><td>$</td></tr>\n",
        op->name, weir_page_time(page, op->best, best), weir_page_time(page, op->worst, worst), method_of(op, method),
        seen->min >= 0 ? weir_page_time(page, seen->min, least) : "?", weir_page_time(page, seen->max, most),
        seen->count ? count : "?", seen->count && seen->count < WEIR_OBSERVED_FEW ? ", few" : "", seen->from);
}

void weir_page_observed(struct weir_page *page)
{
    const struct weir_pipeline *p = page->model->pipeline;
    uint32_t count = weir_pipeline_operator_count(p), observed = 0, few = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct weir_observed *seen = weir_pipeline_operator(p, (struct weir_operator){i}).observed;
        observed += seen != NULL;
        few += seen && seen->count && seen->count < WEIR_OBSERVED_FEW;
    }
    if (!observed)
        return;
    weir_svg_put(page->out,
                 "<h3>Where times come from</h3>\n<p>The times of % of % operators were observed, not proven: the answer holds as "
                 "long as no execution takes longer than the model says.",
                 observed, count);
    if (few)
        weir_svg_put(page->out,
                     " % of them $ seen fewer than % times, which is little: after n executions that are alike, the next is "
                     "the longest so far with a probability of 1 in n + 1.",
                     few, few == 1 ? "was" : "were", (unsigned)WEIR_OBSERVED_FEW);
    fputs(
        "</p>\n<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"Where times come from\"><table class=\"observed\">"
        "<thead><tr><th scope=\"col\">operator</th><th scope=\"col\" class=\"number\">best case</th>"
        "<th scope=\"col\" class=\"number\">worst case</th><th scope=\"col\">by</th><th scope=\"col\" class=\"number\">least "
        "seen</th>"
        "<th scope=\"col\" class=\"number\">most seen</th><th scope=\"col\" class=\"number\">executions</th>"
        "<th scope=\"col\">from</th></tr></thead><tbody>\n",
        page->out);
    uint32_t listed = 0;
    for (uint32_t i = 0; i < count && listed < MOST; i++) {
        struct weir_operator_spec op = weir_pipeline_operator(p, (struct weir_operator){i});
        if (!op.observed)
            continue;
        put_row(page, &op);
        listed++;
    }
    fputs("</tbody></table></div>\n", page->out);
    if (listed < observed)
        weir_svg_put(page->out, "<p>% of %.</p>\n", listed, observed);
}
