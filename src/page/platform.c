/* SPDX-License-Identifier: Apache-2.0 */
/* Reports about models on shared processors, on a pool of cores, and on a GPU: safe bounds, and their pictures. */
#include "base/error.h"
#include "base/number.h"
#include "page/page.h"
#include "write/plot.h"

static const char *const head =
    "<div class=\"scroll\"><table class=\"pairs\"><thead><tr><th scope=\"col\">from \342\206\222 to</th>"
    "<th scope=\"col\">at most</th><th scope=\"col\">deadline</th><th scope=\"col\">verdict</th></tr>"
    "</thead><tbody>\n";

static void put_row(struct weir_page *page, const struct weir_pair_spec *pair, const char *worst, bool met)
{
    char deadline[WEIR_PAGE_TIME];
    weir_svg_put(
        page->out,
        "<tr><th scope=\"row\">$ \342\206\222 $</th><td class=\"number\">$</td><td class=\"number\">$</td><td>$</td></tr>\n",
        weir_page_name(page, pair->from), weir_page_name(page, pair->to), worst,
        pair->has_deadline ? weir_page_time(page, pair->deadline, deadline) : "\342\200\223",
        !pair->has_deadline ? "no deadline"
        : met               ? "\342\234\223 met"
                            : "\342\234\227 missed");
}

/* Deadlines met or missed, over all latencies. */
static void put_verdict(struct weir_page *page, bool bounded, bool met, const char *why)
{
    page->missed |= !bounded || !met;
    weir_page_verdict(page, bounded && met ? "good" : "bad",
                      !bounded ? "There is no bound."
                      : met    ? "Safe bounds were found, and every deadline is met."
                               : "A deadline is missed.");
    if (why)
        weir_svg_put(page->out, " $.", why);
    fputs("</p>\n", page->out);
}

/* ---- shared processors ---- */

static enum weir_status put_priority(struct weir_page *page, const struct weir_priority_analysis *a)
{
    bool bounded = a->outcome == WEIR_PRIORITY_CONVERGED, met = true;
    char text[WEIR_PAGE_TIME];
    for (size_t i = 0; i < a->latency_count; i++) {
        bounded &= a->latencies[i].bounded;
        met &= a->latencies[i].deadline_met;
    }
    put_verdict(page, bounded, met, a->why);
    fputs("<h3>Latencies</h3>\n", page->out);
    fputs(head, page->out);
    for (size_t i = 0; i < a->latency_count; i++)
        put_row(page, &a->latencies[i].pair,
                a->latencies[i].bounded ? weir_page_time(page, a->latencies[i].worst, text) : "no bound",
                a->latencies[i].deadline_met);
    fputs("</tbody></table></div>\n", page->out);
    enum weir_status status = weir_page_drawing(page, NULL);
    if (status || a->outcome != WEIR_PRIORITY_CONVERGED)
        return status;
    fputs("<h3>Who runs when</h3>\n<figure class=\"wide\">\n", page->out);
    status = weir_priority_write_svg(a, page->out, page->error);
    fputs("</figure>\n<h3>What this assumes</h3>\n<ul>\n"
          "<li>Operators share the processors as the model says; nothing else runs on them.</li>\n"
          "<li>Inputs arrive as their sources say, and wait; latencies count from the nominal arrival.</li>\n"
          "<li>The bounds are safe for every phase; they need not be reached.</li>\n</ul>\n",
          page->out);
    return status;
}

/* ---- a pool of cores ---- */

static enum weir_status put_edf(struct weir_page *page, const struct weir_edf_analysis *a)
{
    bool bounded = a->schedulable, met = true;
    char text[WEIR_PAGE_TIME + 8];
    for (size_t i = 0; i < a->latency_count; i++) {
        bounded &= a->latencies[i].bounded;
        met &= a->latencies[i].deadline_met;
    }
    put_verdict(page, bounded, met, a->why);
    fputs("<h3>Latencies</h3>\n", page->out);
    fputs(head, page->out);
    for (size_t i = 0; i < a->latency_count; i++)
        put_row(page, &a->latencies[i].pair,
                a->latencies[i].bounded ? weir_page_ratio(page, a->latencies[i].worst, text) : "no bound",
                a->latencies[i].deadline_met);
    fputs("</tbody></table></div>\n<h3>Operators</h3>\n<div class=\"scroll\"><table><thead><tr><th scope=\"col\">operator</th>"
          "<th scope=\"col\">period</th><th scope=\"col\">cost</th><th scope=\"col\">response at most</th></tr></thead><tbody>\n",
          page->out);
    for (uint32_t i = 0; a->schedulable && i < weir_pipeline_operator_count(a->pipeline); i++) {
        char period[WEIR_PAGE_TIME + 8], cost[WEIR_PAGE_TIME];
        const struct weir_edf_operator *o = &a->operators[i];
        weir_svg_put(
            page->out,
            "<tr><th scope=\"row\">$</th><td class=\"number\">$</td><td class=\"number\">$</td><td class=\"number\">$</td></tr>\n",
            weir_page_name(page, (struct weir_operator){i}), weir_page_ratio(page, o->period, period),
            weir_page_time(page, o->cost, cost), weir_page_ratio(page, o->response, text));
    }
    fputs("</tbody></table></div>\n", page->out);
    enum weir_status status = weir_page_drawing(page, NULL);
    fputs(
        "<h3>What this assumes</h3>\n<ul>\n<li>The cores are shared by preemptive global EDF, and nothing else runs on them.</li>\n"
        "<li>Costs are at most those of the model.</li>\n<li>The bounds are safe; they need not be reached.</li>\n</ul>\n",
        page->out);
    return status;
}

/* ---- a GPU ---- */

static enum weir_status put_gpu(struct weir_page *page, const struct weir_gpu_plan *plan)
{
    struct weir_gpu_spec gpu = weir_pipeline_gpu(plan->pipeline);
    char bound[WEIR_PAGE_TIME + 8], lower[WEIR_PAGE_TIME + 8], deadline[WEIR_PAGE_TIME];
    page->missed |= !plan->deadline_met;
    weir_page_verdict(page, plan->deadline_met ? "good" : "bad",
                      !gpu.deadline        ? "A plan with a proven bound."
                      : plan->deadline_met ? "The deadline is met, always."
                                           : "The deadline is missed.");
    weir_svg_put(page->out, " On % SMs all kernels are done within <strong>$</strong>; no plan can promise less than $.", plan->sms,
                 weir_page_ratio(page, plan->bound, bound), weir_page_ratio(page, plan->lower, lower));
    if (gpu.deadline)
        weir_svg_put(page->out, " The deadline is $.", weir_page_time(page, gpu.deadline, deadline));
    weir_svg_put(page->out, "</p>\n<p>% launches in % groups, % kernels split, % dependencies added.</p>\n",
                 (unsigned)plan->launch_count, plan->group_count, plan->split_count, (unsigned)plan->added_count);
    enum weir_status status = weir_page_drawing(page, NULL);
    if (status)
        return status;
    fputs("<h3>The plan over the SMs</h3>\n<figure class=\"wide\">\n", page->out);
    status = weir_gpu_write_svg(plan, page->out, page->error);
    fputs("</figure>\n<h3>What this assumes</h3>\n<ul>\n<li>One block per SM at a time; a launch that is ready begins within the "
          "launch "
          "overhead.</li>\n<li>Kernels that run side by side do not slow each other down by more than their loads allow for.</li>\n"
          "<li>The order in which the device takes blocks does not matter: the bound holds for all of them.</li>\n</ul>\n",
          page->out);
    return status;
}

enum weir_status weir_page_platform(struct weir_page *page)
{
    const struct weir_pipeline *pipeline = page->model->pipeline;
    enum weir_status status;
    if (weir_pipeline_platform(pipeline) == WEIR_PLATFORM_PROCESSORS) {
        struct weir_priority_options options = {.method = WEIR_PRIORITY_BEST, .work_limit = page->options->work_limit};
        struct weir_priority_analysis *a;
        status = weir_priority_analyze(pipeline, &options, &a, page->error);
        if (!status) {
            status = put_priority(page, a);
            weir_priority_analysis_free(a);
        }
    } else if (weir_pipeline_platform(pipeline) == WEIR_PLATFORM_CORES) {
        struct weir_edf_analysis *a;
        status = weir_edf_analyze(pipeline, NULL, &a, page->error);
        if (!status) {
            status = put_edf(page, a);
            weir_edf_analysis_free(a);
        }
    } else {
        struct weir_gpu_plan *plan;
        status = weir_gpu_analyze(pipeline, NULL, &plan, page->error);
        if (!status) {
            status = put_gpu(page, plan);
            weir_gpu_plan_free(plan);
        }
    }
    return status ? status : weir_page_source(page);
}
