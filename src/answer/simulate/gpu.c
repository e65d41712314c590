/* SPDX-License-Identifier: Apache-2.0 */
/* Runs of a graph of kernels on a GPU under every dispatch, and the bound that no run of a safe plan may break. */
#include "answer/number.h"
#include "answer/simulate/simulation.h"
#include "base/error.h"
#include "base/number.h"
#include "base/word.h"
#include "model/pipeline.h"

enum { RUNS = 1000 };

/* One run: makespan, and how to have it again. */
struct run {
    struct weir_ratio makespan;
    enum weir_gpu_dispatch dispatch;
    enum weir_times times;
    uint64_t seed;
};

struct gpu {
    const struct weir_gpu_plan *plan;
    struct run latest, by_dispatch[WEIR_GPU_DISPATCHES]; /* of several as late as each other, the last */
    int64_t counts[WEIR_GPU_DISPATCHES];
};

/* Every dispatch with every kind of times, by turns. The seed of a run, and its dispatch and times, give it again. */
static enum weir_status run_once(struct weir_simulation *s, struct weir_error *error)
{
    static const enum weir_times times[] = {WEIR_TIMES_WORST, WEIR_TIMES_RANDOM, WEIR_TIMES_BANG_BANG};
    struct gpu *gpu = s->engine;
    const char *dispatch = s->options->dispatch;
    size_t kind =
        dispatch ? weir_word_find(weir_gpu_dispatch_names, WEIR_GPU_DISPATCHES, dispatch) : (size_t)s->run % WEIR_GPU_DISPATCHES;
    struct run run = {.dispatch = (enum weir_gpu_dispatch)kind,
                      .times = s->mixed ? times[s->run / WEIR_GPU_DISPATCHES % 3] : s->times,
                      .seed = s->options->seed + (uint64_t)s->run};
    struct weir_gpu_simulation_options options = {.dispatch = run.dispatch, .times = run.times, .seed = run.seed};
    enum weir_status status = weir_gpu_simulate(gpu->plan, &options, &run.makespan, error);
    if (status)
        return status;
    weir_samples_add_ratio(&s->chains[0].samples, run.makespan);
    if (s->run == 0 || weir_ratio_compare(run.makespan, gpu->latest.makespan) >= 0)
        gpu->latest = run;
    struct run *latest = &gpu->by_dispatch[kind];
    if (gpu->counts[kind]++ == 0 || weir_ratio_compare(run.makespan, latest->makespan) >= 0)
        *latest = run;
    return WEIR_OK;
}

/* "--dispatch gang --times worst --runs 1 --seed 5" */
static const char *again(const struct weir_simulation *s)
{
    const struct gpu *gpu = s->engine;
    return weir_answer_format(s->answer, "--method %s --dispatch %s --times %s --runs 1 --seed %llu",
                              weir_gpu_method_name(gpu->plan->method), weir_gpu_dispatch_names[gpu->latest.dispatch],
                              weir_times_names[gpu->latest.times], (unsigned long long)gpu->latest.seed);
}

static enum weir_status check(const struct weir_simulation *s, struct weir_error *error)
{
    const struct gpu *gpu = s->engine;
    char seen[WEIR_NUMBER_TEXT], bound[WEIR_NUMBER_TEXT];
    if (!gpu->plan->safe || weir_ratio_compare(gpu->latest.makespan, gpu->plan->bound) <= 0)
        return WEIR_OK;
    const char *how = again(s);
    return weir_fail(error, WEIR_INTERNAL, "the simulation ends at %s, and the bound is %s (%s)",
                     weir_ratio_amount(s->pipeline, gpu->latest.makespan, seen),
                     weir_ratio_amount(s->pipeline, gpu->plan->bound, bound), how ? how : "");
}

/* ---- what it comes to ---- */

static void tell_makespan(struct weir_simulation *s)
{
    const struct gpu *gpu = s->engine;
    const struct weir_distribution *observed = s->answer->bounds[0].observed;
    struct weir_record makespan = {.answer = s->answer}, latest = {.answer = s->answer};
    weir_record_add(&makespan, "min", weir_datum_ratio(observed->min));
    weir_record_add(&makespan, "median", weir_datum_ratio(observed->median));
    weir_record_add(&makespan, "p99", weir_datum_ratio(observed->p99));
    weir_record_add(&makespan, "max", weir_datum_ratio(observed->max));
    weir_record_add(&makespan, "mean", weir_datum_ratio(weir_samples_mean(&s->chains[0].samples)));
    weir_answer_add_fact(s->answer, "makespan", weir_record_datum(&makespan));
    weir_record_add(&latest, "dispatch", weir_datum_text(weir_gpu_dispatch_names[gpu->latest.dispatch]));
    weir_record_add(&latest, "times", weir_datum_text(weir_times_names[gpu->latest.times]));
    weir_record_add(&latest, "seed", weir_datum_count((int64_t)gpu->latest.seed));
    weir_answer_add_fact(s->answer, "latest", weir_record_datum(&latest));
}

static void tell_dispatches(struct weir_simulation *s)
{
    static const struct weir_column columns[] = {
        {"dispatch", "dispatch"}, {"max", "latest"}, {NULL, "of the bound"}, {"runs", "runs"}};
    const struct gpu *gpu = s->engine;
    struct weir_table_builder table;
    weir_table_begin(&table, s->answer, "dispatches", columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < WEIR_GPU_DISPATCHES; i++) {
        if (!gpu->counts[i])
            continue;
        struct weir_ratio seen = gpu->by_dispatch[i].makespan;
        weir_table_cell(&table, weir_datum_text(weir_gpu_dispatch_names[i]), weir_datum_ratio(seen),
                        weir_datum_share(weir_simulation_share(seen, gpu->plan->bound)), weir_datum_count(gpu->counts[i]));
    }
    weir_answer_add_table(&table, s->options->dispatch ? NULL : "Latest by dispatch", NULL);
}

static void tell_exceeded(struct weir_simulation *s)
{
    const struct gpu *gpu = s->engine;
    const struct weir_bound *bound = &s->answer->bounds[0];
    char runs[WEIR_COUNT_TEXT], all[WEIR_COUNT_TEXT], beyond[WEIR_NUMBER_TEXT];
    const char *how = again(s);
    if (!bound->observed->beyond)
        return;
    struct weir_ratio share =
        weir_simulation_share(weir_ratio_difference(gpu->latest.makespan, gpu->plan->bound), gpu->plan->bound);
    s->answer->trouble =
        weir_answer_format(s->answer, "THE BOUND IS EXCEEDED: in %s of %s run%s, by up to %s: the method %s is not safe",
                           weir_count_format(bound->observed->beyond, runs), weir_count_format(s->runs, all),
                           s->runs == 1 ? "" : "s", weir_ratio_percent(share, beyond), weir_gpu_method_name(gpu->plan->method));
    s->answer->trouble_verdict = WEIR_VERDICT_BAD;
    weir_answer_line(s->answer, "the latest again: %s", how ? how : "");
}

static void tell(struct weir_simulation *s)
{
    const struct gpu *gpu = s->engine;
    const struct weir_gpu_plan *plan = gpu->plan;
    struct weir_answer *answer = s->answer;
    const char *dispatch = weir_answer_format(answer, "%s", s->options->dispatch ? s->options->dispatch : "mixed");
    const char *on = weir_answer_format(answer, " on %u SM%s, method %s", plan->sms, plan->sms == 1 ? "" : "s",
                                        weir_gpu_method_name(plan->method));
    const char *how = weir_answer_format(answer, ", %s dispatch", dispatch ? dispatch : "");
    weir_simulation_scope(s, NULL, on ? on : "", how ? how : "");
    weir_answer_add_fact(answer, "method", weir_datum_text(weir_gpu_method_name(plan->method)));
    weir_answer_add_fact(answer, "sms", weir_datum_count(plan->sms));
    weir_answer_add_fact(answer, "dispatch", weir_datum_text(dispatch ? dispatch : ""));
    tell_makespan(s);
    weir_answer_add_fact(answer, "bound", weir_datum_ratio(plan->bound));
    weir_answer_add_fact(answer, "safe", weir_datum_flag(plan->safe));
    if (plan->why)
        weir_answer_add_fact(answer, "why", weir_datum_text(plan->why));
    weir_answer_add_fact(answer, "exceeded", weir_datum_count(answer->bounds[0].observed->beyond));
    tell_dispatches(s);
    tell_exceeded(s);
}

enum weir_status weir_simulate_gpu(struct weir_simulation *s, struct weir_error *error)
{
    struct gpu *gpu = s->engine = weir_answer_take(s->answer, 1, sizeof *gpu);
    if (!gpu)
        return weir_fail_memory(error);
    enum weir_status status = weir_simulation_bounds(s, error);
    if (status)
        return status;
    gpu->plan = s->answer->detail;
    s->runs = s->options->runs ? s->options->runs : RUNS;
    status = weir_simulation_run(s, run_once, error);
    if (!status)
        status = check(s, error);
    if (!status)
        status = weir_simulation_describe(s, error);
    if (!status)
        tell(s);
    return status;
}
