/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A run on a pool of cores: for each execution when its samples were there, its release, its end, and how late that is against its
 * deadline, one period after its release. A run, not the worst case.
 */
#include "answer/timeline.h"
#include "base/alloc.h"
#include "base/number.h"
#include "model/pipeline.h"

enum { ROUNDS = 12, EXECUTIONS_MAX = 20000 };

struct job {
    uint32_t op;
    int64_t execution, moments[3];
};

struct run {
    struct job *jobs;
    size_t count, room;
    int64_t scale;
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

static void add_jobs(struct weir_timeline *t, const struct run *run, uint32_t op)
{
    for (size_t i = 0; i < run->count; i++) {
        const struct job *job = &run->jobs[i];
        if (job->op != op)
            continue;
        struct weir_timeline_span span = {.kind = WEIR_SPAN_MEASURED,
                                          .look = (uint32_t)(job->execution & UINT32_MAX),
                                          .iteration = job->execution,
                                          .from = moment(run, job->moments[0]),
                                          .to = moment(run, job->moments[2]),
                                          .note = "from when its samples are there to its end"};
        weir_timeline_add_span(t, span);
    }
    weir_timeline_pack(t);
    for (size_t i = 0; i < run->count; i++)
        if (run->jobs[i].op == op)
            weir_timeline_add_span(t, (struct weir_timeline_span){.kind = WEIR_SPAN_ARRIVAL,
                                                                  .iteration = run->jobs[i].execution,
                                                                  .from = moment(run, run->jobs[i].moments[1]),
                                                                  .to = moment(run, run->jobs[i].moments[1]),
                                                                  .note = "its release"});
}

enum weir_status weir_timeline_of_cores(const struct weir_answer *answer, size_t bound, struct weir_timeline **timeline,
                                        struct weir_error *error)
{
    const struct weir_pipeline *p = answer->pipeline;
    struct run run = {.scale = 1};
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
        weir_timeline_add_lane(t, (struct weir_timeline_lane){.name = weir_pipeline_operator(p, (struct weir_operator){op}).name});
        add_jobs(t, &run, op);
    }
    for (size_t i = 0; i < run.count; i++)
        if (weir_ratio_compare(moment(&run, run.jobs[i].moments[2]), t->end) > 0)
            t->end = moment(&run, run.jobs[i].moments[2]);
    t->title = t->summary = weir_timeline_text(t, "%s: a run on a pool of cores, at worst times", weir_pipeline_name(p));
    t->subtitle =
        "From when the samples of an execution are there to its end; an arrow is its release. One run, not the worst case.";
    t->axis = weir_timeline_text(t, "time in %s", weir_timeline_unit(t));
    if (about->worst.high.denominator > 0)
        weir_timeline_add_ruler(
            t, (struct weir_timeline_ruler){
                   .kind = WEIR_RULER_BOUND,
                   .from = weir_ticks(0),
                   .to = about->worst.high,
                   .text = weir_timeline_text(t, "never more than %s", weir_timeline_amount(t, about->worst.high, true, amount))});
    weir_free(run.jobs);
    return weir_timeline_end(t, WEIR_OK, timeline, error);
}
