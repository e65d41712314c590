/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A run on a pool of cores: for each execution when its samples were there, its release, its end, and how late that is against its
 * deadline, one period after its release. A run, not the worst case.
 */
#include "answer/number.h"
#include "answer/timeline/timeline.h"
#include "base/alloc.h"
#include "base/number.h"
#include "model/pipeline.h"

enum { ROUNDS = 12, EXECUTIONS_MAX = 4000 };

struct job {
    uint32_t op;
    int64_t execution, moments[3];
};

struct run {
    struct job *jobs;
    size_t count, room;
    int64_t scale;
    const struct weir_pipeline *pipeline;
    bool failed;
};

static void observe(void *context, struct weir_operator op, int64_t execution, const int64_t moments[3], int64_t scale)
{
    struct run *run = context;
    void *jobs = run->jobs;
    run->scale = scale;
    if (run->count >= EXECUTIONS_MAX)
        return;
    if (!weir_reserve(&jobs, &run->room, run->count + 1, sizeof *run->jobs)) {
        run->failed = true;
        return;
    }
    run->jobs = jobs;
    run->jobs[run->count++] = (struct job){op.index, execution, {moments[0], moments[1], moments[2]}};
}

static struct weir_ratio moment(const struct run *run, int64_t time)
{
    return time % run->scale ? (struct weir_ratio){time, run->scale} : weir_ticks(time / run->scale);
}

/* One period after its release; false where that has no common scale with the run. */
static bool deadline_of(const struct run *run, const struct job *job, int64_t *deadline)
{
    struct weir_ratio period = run->pipeline->flow->nodes[job->op].period;
    int64_t scaled;
    return weir_multiply(period.numerator, run->scale, &scaled) && scaled % period.denominator == 0 &&
           weir_add(job->moments[1], scaled / period.denominator, deadline);
}

/* Its release, and what of it is later than its deadline. */
static void add_lateness(struct weir_timeline *t, const struct run *run, const struct job *job, uint32_t row)
{
    char text[WEIR_AMOUNT_TEXT];
    int64_t deadline;
    struct weir_timeline_span span = {.kind = WEIR_SPAN_RELEASE,
                                      .row = row,
                                      .look = (uint32_t)(job->execution & UINT32_MAX),
                                      .iteration = job->execution,
                                      .from = moment(run, job->moments[1]),
                                      .to = moment(run, job->moments[1])};
    weir_timeline_add_span(t, span);
    if (!deadline_of(run, job, &deadline) || deadline >= job->moments[2])
        return;
    span.kind = WEIR_SPAN_TARDY;
    span.from = moment(run, deadline);
    span.to = moment(run, job->moments[2]);
    span.note = weir_timeline_text(t, "%s after its deadline, one period after its release",
                                   weir_timeline_amount(t, moment(run, job->moments[2] - deadline), true, text));
    weir_timeline_add_span(t, span);
}

static void add_jobs(struct weir_timeline *t, const struct run *run, uint32_t op)
{
    size_t first = t->span_count;
    for (size_t i = 0; i < run->count; i++) {
        const struct job *job = &run->jobs[i];
        if (job->op != op)
            continue;
        struct weir_timeline_span span = {.kind = WEIR_SPAN_MEASURED,
                                          .look = (uint32_t)(job->execution & UINT32_MAX),
                                          .iteration = job->execution,
                                          .from = moment(run, job->moments[0]),
                                          .to = moment(run, job->moments[2])};
        weir_timeline_add_span(t, span);
    }
    weir_timeline_pack(t);
    for (size_t i = 0; i < run->count && !t->failed; i++)
        if (run->jobs[i].op == op)
            add_lateness(t, run, &run->jobs[i], t->spans[first++].row);
}

/* With how late its executions can be, in any run. */
static void add_lane(struct weir_timeline *t, const struct weir_edf_analysis *analysis, uint32_t op)
{
    const char *name = weir_pipeline_operator(analysis->pipeline, (struct weir_operator){op}).name;
    const struct weir_edf_operator *o = &analysis->operators[op];
    struct weir_timeline_lane lane = {.name = name};
    char period[WEIR_AMOUNT_TEXT], response[WEIR_AMOUNT_TEXT], late[WEIR_AMOUNT_TEXT];
    if (analysis->schedulable) {
        struct weir_ratio tardiness = weir_ratio_difference(o->response, o->period);
        bool none = tardiness.numerator <= 0;
        lane.details = weir_timeline_text(
            t, "%s: a deadline %s after each release; it ends at most %s after that, so %s%s", name,
            weir_timeline_amount(t, o->period, true, period), weir_timeline_amount(t, o->response, true, response),
            none ? "never late" : "late by at most ", none ? "" : weir_timeline_amount(t, tardiness, true, late));
    }
    weir_timeline_add_lane(t, lane);
}

/* From where the bound counts; what is proved beyond it is shaded. */
static void add_deadline(struct weir_timeline *t, const struct weir_bound *bound)
{
    struct weir_timeline_ruler ruler = {.kind = WEIR_RULER_DEADLINE,
                                        .from = weir_ticks(0),
                                        .to = weir_ticks(bound->deadline),
                                        .text = weir_timeline_deadline(t, bound),
                                        .state = bound->state};
    if (bound->worst.high.denominator > 0 && weir_ratio_compare(bound->worst.high, ruler.to) > 0)
        ruler.over = bound->worst.high;
    weir_timeline_add_ruler(t, ruler);
}

enum weir_status weir_timeline_of_cores(const struct weir_answer *answer, size_t bound, struct weir_timeline **timeline,
                                        struct weir_error *error)
{
    const struct weir_pipeline *p = answer->pipeline;
    struct run run = {.scale = 1, .pipeline = p};
    struct weir_edf_simulation_options options = {.rounds = ROUNDS,
                                                  .times = WEIR_TIMES_WORST,
                                                  .arrivals = WEIR_EDF_ARRIVALS_EVEN,
                                                  .seed = 1,
                                                  .observe = observe,
                                                  .context = &run};
    char amount[WEIR_AMOUNT_TEXT];
    const struct weir_bound *about = &answer->bounds[bound];
    *timeline = NULL;
    enum weir_status status = weir_edf_simulate(p, &options, NULL, error);
    struct weir_timeline *t = status ? NULL : weir_timeline_new(p);
    if (!t || run.failed) {
        weir_timeline_free(t);
        weir_free(run.jobs);
        return status ? status : weir_fail_memory(error);
    }
    t->iteration_name = "execution";
    weir_timeline_add_group(t, (struct weir_timeline_group){.name = "pool"});
    for (uint32_t op = 0; op < weir_pipeline_operator_count(p); op++) {
        add_lane(t, answer->detail, op);
        add_jobs(t, &run, op);
    }
    for (size_t i = 0; i < run.count; i++)
        if (weir_ratio_compare(moment(&run, run.jobs[i].moments[2]), t->end) > 0)
            t->end = moment(&run, run.jobs[i].moments[2]);
    const char *name = weir_pipeline_name(p);
    t->title = t->summary = *name ? weir_timeline_text(t, "%s: a run on a pool of cores, at worst times", name)
                                  : "A run on a pool of cores, at worst times";
    t->bar_legend = "from when its samples are there to its end";
    t->subtitle =
        "From when the samples of an execution are there to its end; an arrow is its release, red is later than its deadline. One "
        "run: it need not be the worst case.";
    t->axis = weir_timeline_text(t, "time in %s", weir_timeline_unit(t));
    t->account = about->worst.high.denominator > 0 ? NULL : about->why;
    if (about->worst.high.denominator > 0)
        weir_timeline_add_ruler(
            t, (struct weir_timeline_ruler){
                   .kind = WEIR_RULER_BOUND,
                   .from = weir_ticks(0),
                   .to = about->worst.high,
                   .text = weir_timeline_text(t, "never more than %s", weir_timeline_amount(t, about->worst.high, true, amount))});
    if (about->has_deadline)
        add_deadline(t, about);
    weir_free(run.jobs);
    return weir_timeline_end(t, WEIR_OK, timeline, error);
}
