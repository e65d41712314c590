/* SPDX-License-Identifier: Apache-2.0 */
/* Reports about models on shared workers, on shared processors, on a pool of cores, and on a GPU: safe bounds, and their pictures.
 */
#include "base/error.h"
#include "base/number.h"
#include "render/html/page.h"
#include "render/plot/plot.h"

#define MOST 200 /* rows of a table */

/* ---- shared workers ---- */

static void take_workers(const struct weir_page *page, const void *analysis, size_t i, struct weir_page_latency *latency)
{
    const struct weir_workers_latency *l = &((const struct weir_workers_analysis *)analysis)->latencies[i];
    char time[WEIR_PAGE_TIME];
    bool bounded = l->outcome != WEIR_WORKERS_UNKNOWN;
    *latency = (struct weir_page_latency){.pair = l->pair, .bounded = bounded, .met = l->deadline_met};
    if (bounded)
        snprintf(latency->worst, sizeof latency->worst, "%s", weir_page_time(page, l->worst, time));
}

static enum weir_status put_workers(struct weir_page *page, const struct weir_workers_analysis *a)
{
    const struct weir_page_list list = {a, a->latency_count, take_workers};
    struct weir_workers_spec workers = weir_pipeline_workers(a->pipeline);
    const char *why = NULL;
    bool exact = true;
    char polling[WEIR_PAGE_TIME];
    for (size_t i = 0; i < a->latency_count; i++) {
        why = why ? why : a->latencies[i].why;
        exact &= a->latencies[i].outcome == WEIR_WORKERS_EXACT;
    }
    page->answer.platform = "shared workers";
    weir_page_put_verdict(page, &list, why);
    weir_page_put_latencies(page, &list);
    enum weir_status status = weir_page_drawing(page, NULL, 0);
    fputs("<h3>What this assumes</h3>\n<ul>\n", page->out);
    if (workers.dispatch == WEIR_DISPATCH_GREEDY)
        fputs(
            "<li>One thread goes through the operators in their order, again and again, and executes those that are ready.</li>\n",
            page->out);
    else
        weir_svg_put(
            page->out,
            "<li>% worker threads execute the operators, each to its end; none is idle while an operator is ready. Which of "
            "several is next is left open.</li>\n",
            workers.workers ? workers.workers : weir_pipeline_operator_count(a->pipeline));
    if (workers.dispatch == WEIR_DISPATCH_POLLED)
        weir_svg_put(page->out, "<li>An operator that is ready is seen at most $ later.</li>\n",
                     weir_page_time(page, workers.polling, polling));
    weir_svg_put(
        page->out,
        "<li>Executions take no less than the best and no more than the worst time in the model.</li>\n<li>$</li>\n</ul>\n",
        exact ? "The worst cases are exact: each is reached." : "The bounds are safe; they need not be reached.");
    return status;
}

/* ---- shared processors ---- */

static void take_priority(const struct weir_page *page, const void *analysis, size_t i, struct weir_page_latency *latency)
{
    const struct weir_priority_latency *l = &((const struct weir_priority_analysis *)analysis)->latencies[i];
    char time[WEIR_PAGE_TIME];
    *latency = (struct weir_page_latency){.pair = l->pair, .bounded = l->bounded, .met = l->deadline_met};
    if (l->bounded)
        snprintf(latency->worst, sizeof latency->worst, "%s", weir_page_time(page, l->worst, time));
}

static enum weir_status write_intervals(const struct weir_picture *picture, FILE *out, struct weir_error *error)
{
    return weir_priority_write_svg(picture->subject, out, error);
}

static enum weir_status put_priority(struct weir_page *page, const struct weir_priority_analysis *a)
{
    page->answer.platform = "shared processors";
    const struct weir_page_list list = {a, a->latency_count, take_priority};
    weir_page_put_verdict(page, &list, a->why);
    weir_page_put_latencies(page, &list);
    enum weir_status status = weir_page_drawing(page, NULL, 0);
    if (!status && a->outcome == WEIR_PRIORITY_CONVERGED) {
        fputs("<h3>Who runs when</h3>\n", page->out);
        status = weir_page_picture(
            page, &(struct weir_picture){
                      .subject = a, .label = "When each operator can run", .kind = "intervals", .write = write_intervals});
        weir_page_put_buffers(page, a->buffers, a->buffer_count);
    } else if (!status) {
        fputs(
            "<h3>What to change</h3>\n<p>The operators that the reason above names have to take less time, come less often, or run "
            "on another processor; a higher priority helps one of them at the cost of the others.</p>\n",
            page->out);
    }
    fputs("<h3>What this assumes</h3>\n<ul>\n"
          "<li>Operators share the processors as the model says; nothing else runs on them.</li>\n"
          "<li>Inputs arrive as their sources say, and wait; latencies count from the nominal arrival.</li>\n"
          "<li>The bounds are safe for every phase; they need not be reached.</li>\n</ul>\n",
          page->out);
    return status;
}

/* ---- a pool of cores ---- */

static void take_edf(const struct weir_page *page, const void *analysis, size_t i, struct weir_page_latency *latency)
{
    const struct weir_edf_latency *l = &((const struct weir_edf_analysis *)analysis)->latencies[i];
    char time[WEIR_PAGE_TIME + 8];
    *latency = (struct weir_page_latency){.pair = l->pair, .bounded = l->bounded, .met = l->deadline_met};
    if (l->bounded)
        snprintf(latency->worst, sizeof latency->worst, "%s", weir_page_ratio(page, l->worst, time));
}

static void put_edf_operators(struct weir_page *page, const struct weir_edf_analysis *a)
{
    uint32_t count = weir_pipeline_operator_count(a->pipeline);
    fputs("<h3>Operators</h3>\n<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Operators\"><table><thead><tr>"
          "<th scope=\"col\">operator</th><th scope=\"col\" class=\"number\">runs every</th>"
          "<th scope=\"col\" class=\"number\">takes at most</th>"
          "<th scope=\"col\" class=\"number\">is done within</th></tr></thead><tbody>\n",
          page->out);
    for (uint32_t i = 0; i < count && i < MOST; i++) {
        char period[WEIR_PAGE_TIME + 8], response[WEIR_PAGE_TIME + 8], cost[WEIR_PAGE_TIME];
        const struct weir_edf_operator *o = &a->operators[i];
        weir_svg_put(
            page->out,
            "<tr><th scope=\"row\">$</th><td class=\"number\">$</td><td class=\"number\">$</td><td class=\"number\">$</td></tr>\n",
            weir_page_name(page, (struct weir_operator){i}), weir_page_ratio(page, o->period, period),
            weir_page_time(page, o->cost, cost), weir_page_ratio(page, o->response, response));
    }
    fputs("</tbody></table></div>\n", page->out);
    if (count > MOST)
        weir_svg_put(page->out, "<p>The first % of % operators.</p>\n", MOST, count);
}

static void put_utilization(struct weir_page *page, const struct weir_edf_analysis *a)
{
    if (a->utilization.denominator <= 0)
        return;
    weir_wide hundredths =
        ((weir_wide)a->utilization.numerator * 100 + a->utilization.denominator - 1) / a->utilization.denominator;
    if (hundredths > UINT32_MAX)
        return;
    weir_svg_put(page->out, "<p>The operators keep $%.$ of % $ busy.</p>\n", "", (unsigned)(hundredths / 100),
                 (char[]){(char)('0' + hundredths / 10 % 10), (char)('0' + hundredths % 10), 0}, a->cores,
                 a->cores == 1 ? "core" : "cores");
}

static enum weir_status put_edf(struct weir_page *page, const struct weir_edf_analysis *a)
{
    page->answer.platform = "a pool of cores";
    const struct weir_page_list list = {a, a->latency_count, take_edf};
    weir_page_put_verdict(page, &list, a->why);
    put_utilization(page, a);
    weir_page_put_latencies(page, &list);
    if (a->schedulable)
        put_edf_operators(page, a);
    enum weir_status status = weir_page_drawing(page, NULL, 0);
    if (a->schedulable)
        weir_page_put_buffers(page, a->buffers, a->buffer_count);
    else
        fputs("<h3>What to change</h3>\n<p>There has to be more time for what is to be done: more cores, larger batches where a "
              "cost is "
              "paid once for each, faster operators, or inputs that come less often. weir explore finds batches and cores.</p>\n",
              page->out);
    fputs(
        "<h3>What this assumes</h3>\n<ul>\n<li>The cores are shared by preemptive global EDF, and nothing else runs on them.</li>\n"
        "<li>Costs are at most those of the model.</li>\n<li>The bounds are safe; they need not be reached.</li>\n</ul>\n",
        page->out);
    return status;
}

/* ---- a GPU ---- */

static enum weir_status write_plan(const struct weir_picture *picture, FILE *out, struct weir_error *error)
{
    return weir_gpu_write_svg(picture->subject, out, error);
}

static void put_gpu_verdict(struct weir_page *page, const struct weir_gpu_plan *plan)
{
    struct weir_gpu_spec gpu = weir_pipeline_gpu(plan->pipeline);
    char bound[WEIR_PAGE_TIME + 8], lower[WEIR_PAGE_TIME + 8], deadline[WEIR_PAGE_TIME];
    page->missed |= !plan->deadline_met;
    weir_page_verdict(page,
                      !plan->deadline_met ? "bad"
                      : plan->safe        ? "good"
                                          : "unknown",
                      !plan->safe          ? "There is a plan, but its bound is not safe."
                      : !gpu.deadline      ? "A plan with a proven bound."
                      : plan->deadline_met ? "The deadline is met, always."
                                           : "The deadline can be missed.");
    weir_page_ratio(page, plan->bound, bound);
    weir_svg_put(page->out,
                 " On % SMs all kernels are done within <strong class=\"bound\">$</strong>; no plan can promise less than $.",
                 plan->sms, bound, weir_page_ratio(page, plan->lower, lower));
    if (gpu.deadline)
        weir_svg_put(page->out, " The deadline is $.", weir_page_time(page, gpu.deadline, deadline));
    fputs("</p>\n", page->out);
    if (plan->why)
        weir_svg_put(page->out, "<p class=\"why\">$.</p>\n", plan->why);
    page->answer.platform = "a GPU";
    page->answer.pair.has_deadline = gpu.deadline > 0;
    page->answer.pair.deadline = gpu.deadline;
    snprintf(page->answer.worst, sizeof page->answer.worst, "%s", bound);
}

static enum weir_status put_gpu(struct weir_page *page, const struct weir_gpu_plan *plan)
{
    put_gpu_verdict(page, plan);
    weir_svg_put(page->out, "<p>Launches: %, in % groups. Kernels that are split: %. Dependencies that the plan adds: %.</p>\n",
                 (unsigned)plan->launch_count, plan->group_count, plan->split_count, (unsigned)plan->added_count);
    enum weir_status status = weir_page_drawing(page, NULL, 0);
    if (status)
        return status;
    fputs("<h3>The plan over the SMs</h3>\n", page->out);
    status = weir_page_picture(
        page, &(struct weir_picture){.subject = plan, .label = "The plan over the SMs", .kind = "plan", .write = write_plan});
    fputs("<h3>What this assumes</h3>\n<ul>\n<li>One block per SM at a time; a launch that is ready begins within the launch "
          "overhead.</li>\n<li>Kernels that run side by side do not slow each other down by more than their loads allow for.</li>\n"
          "<li>The order in which the device takes blocks does not matter: the bound holds for all of them.</li>\n</ul>\n",
          page->out);
    return status;
}

enum weir_status weir_page_platform(struct weir_page *page)
{
    const struct weir_pipeline *pipeline = page->model->pipeline;
    enum weir_status status;
    if (weir_pipeline_platform(pipeline) == WEIR_PLATFORM_THREADS) {
        struct weir_workers_options options = {.work_limit = page->options->work_limit};
        struct weir_workers_analysis *a;
        status = weir_workers_analyze(pipeline, &options, &a, page->error);
        if (!status) {
            status = put_workers(page, a);
            weir_workers_analysis_free(a);
        }
    } else if (weir_pipeline_platform(pipeline) == WEIR_PLATFORM_PROCESSORS) {
        struct weir_priority_options options = {
            .method = WEIR_PRIORITY_BEST, .verify = true, .work_limit = page->options->work_limit};
        struct weir_priority_analysis *a;
        status = weir_priority_analyze(pipeline, &options, &a, page->error);
        if (!status) {
            status = put_priority(page, a);
            weir_priority_analysis_free(a);
        }
    } else if (weir_pipeline_platform(pipeline) == WEIR_PLATFORM_CORES) {
        struct weir_edf_options options = {.verify = true};
        struct weir_edf_analysis *a;
        status = weir_edf_analyze(pipeline, &options, &a, page->error);
        if (!status) {
            status = put_edf(page, a);
            weir_edf_analysis_free(a);
        }
    } else {
        struct weir_gpu_options options = {.verify = true, .work_limit = page->options->work_limit};
        struct weir_gpu_plan *plan;
        status = weir_gpu_analyze(pipeline, &options, &plan, page->error);
        if (!status) {
            status = put_gpu(page, plan);
            weir_gpu_plan_free(plan);
        }
    }
    return status ? status : weir_page_source(page);
}
