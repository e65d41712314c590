/* SPDX-License-Identifier: Apache-2.0 */
/* What a trial comes to, as an answer: docs/reference/run.md. */
#include "measure/run/report.h"
#include "answer/number.h"
#include "base/error.h"

#include <string.h>

static struct weir_datum cpus_of(int64_t millionths)
{
    return weir_datum_share((struct weir_ratio){millionths, WEIR_CPU});
}

static const char *cpus_text(int64_t millionths, char text[WEIR_NUMBER_TEXT])
{
    return weir_ratio_format((struct weir_ratio){millionths, WEIR_CPU}, 0, 3, text);
}

/* ---- the run ---- */

static void add_run(struct weir_trial *trial)
{
    static const char *const ends[] = {"unfinished", "complete",  "stopped", "failed", "standstill",
                                       "fault",      "exhausted", "misused", "died"};
    static const char *const work[] = {"spin", "memory", "sleep", "none"};
    static const char *const times[] = {"random", "best", "worst", "bang-bang", "witness"};
    const struct weir_run_options *run = &trial->options.run;
    struct weir_answer *answer = trial->answer;
    struct weir_run_outcome result = weir_run_result(trial->run);
    struct weir_record scale = {.answer = answer};
    bool scaled = run->scale.denominator != 0;
    char count[WEIR_COUNT_TEXT], time[WEIR_DURATION_TEXT];
    weir_record_add(&scale, "numerator", weir_datum_count(scaled ? run->scale.numerator : 1));
    weir_record_add(&scale, "denominator", weir_datum_count(scaled ? run->scale.denominator : 1));
    weir_answer_add_fact(answer, "name", weir_datum_text(weir_pipeline_name(trial->scale)));
    weir_answer_add_fact(answer, "end", weir_datum_text(ends[result.end]));
    weir_answer_add_fact(answer, "description", weir_report_text(result.description));
    weir_answer_add_fact(answer, "duration", weir_datum_duration(result.ended - result.began));
    weir_answer_add_fact(answer, "executions", weir_report_count(result.executions));
    weir_answer_add_fact(answer, "work", weir_datum_text(work[run->work]));
    weir_answer_add_fact(answer, "times", weir_datum_text(run->given ? "given" : times[run->times]));
    weir_answer_add_fact(answer, "seed", weir_report_count(run->seed));
    weir_answer_add_fact(answer, "scale", weir_record_datum(&scale));
    weir_answer_add_fact(answer, "tolerance", weir_datum_duration(result.tolerance_ns));
    answer->scope = weir_answer_format(answer, "%s execution%s in %s; %s", weir_count_format((int64_t)result.executions, count),
                                       result.executions == 1 ? "" : "s", weir_duration_format(result.ended - result.began, time),
                                       result.description);
}

static void add_scheduling(struct weir_trial *trial)
{
    bool deadline = trial->options.policy == WEIR_RUN_DEADLINE, locked = weir_run_result(trial->run).memory_locked;
    struct weir_record record = {.answer = trial->answer};
    weir_record_add(&record, "asked", weir_datum_text(weir_run_policy_name(trial->options.policy)));
    weir_record_add(&record, "policy", weir_datum_text(weir_run_policy_name(trial->policy)));
    weir_record_add(&record, "not_deadline", weir_report_text(deadline ? trial->no_deadline : NULL));
    weir_record_add(&record, "not_fifo", weir_report_text(trial->no_fifo));
    weir_record_add(&record, "cpus", weir_datum_count(trial->cpus));
    if (weir_trial_quota(trial))
        weir_record_add(&record, "quota", cpus_of(weir_trial_quota(trial)));
    if (trial->stolen > 0)
        weir_record_add(&record, "stolen", weir_datum_duration(trial->stolen));
    weir_record_add(&record, "demand", weir_datum_if(trial->demand >= 0 && trial->comparable, cpus_of(trial->demand)));
    if (deadline) {
        weir_record_add(&record, "bandwidth", cpus_of(trial->bandwidth));
        weir_record_add(&record, "bandwidth_limit", cpus_of(trial->limit));
    }
    weir_record_add(&record, "memory_locked", weir_datum_flag(locked));
    weir_record_add(&record, "memory_not_locked", weir_report_text(trial->no_lock));
    weir_answer_add_fact(trial->answer, "scheduling", weir_record_datum(&record));
    weir_answer_add_fact(trial->answer, "no_bound_observed", weir_report_text(trial->no_observed));
}

static void tell_scheduling(struct weir_trial *trial)
{
    const struct weir_trial_options *o = &trial->options;
    struct weir_answer *answer = trial->answer;
    char reserved[WEIR_NUMBER_TEXT], there[WEIR_NUMBER_TEXT], time[WEIR_DURATION_TEXT];
    const char *line = weir_answer_format(answer, "policy %s on %u CPU%s", weir_run_policy_name(trial->policy), trial->cpus,
                                          trial->cpus == 1 ? "" : "s");
    bool limited = weir_trial_quota(trial) && trial->policy == WEIR_RUN_OTHER; /* the others are not subject to it */
    if (line && limited)
        line = weir_answer_format(answer, "%s, of which the quota of the control group allows %s CPUs", line,
                                  cpus_text(weir_trial_quota(trial), there));
    if (line && trial->policy == WEIR_RUN_DEADLINE)
        line = weir_answer_format(answer, "%s; %s of %s CPUs reserved", line, cpus_text(trial->bandwidth, reserved),
                                  cpus_text(trial->limit, there));
    if (line && (o->policy != WEIR_RUN_OTHER || o->run.lock_memory))
        line = weir_answer_format(answer, "%s; memory %slocked%s%s", line, weir_run_result(trial->run).memory_locked ? "" : "not ",
                                  trial->no_lock[0] ? ": " : "", trial->no_lock);
    weir_answer_line(answer, "%s", line ? line : "");
    if (trial->no_deadline[0] && o->policy == WEIR_RUN_DEADLINE)
        weir_answer_line(answer, "not deadline: %s", trial->no_deadline);
    if (trial->no_fifo[0])
        weir_answer_line(answer, "not fifo: %s", trial->no_fifo);
    bool computes = trial->comparable && (o->run.work == WEIR_RUN_SPIN || o->run.work == WEIR_RUN_MEMORY);
    if (computes && trial->demand > (int64_t)trial->cpus * WEIR_CPU)
        weir_answer_line(answer, "at worst the operators need %s CPUs: more than there are", cpus_text(trial->demand, reserved));
    else if (computes && limited && trial->demand > weir_trial_quota(trial))
        weir_answer_line(answer, "at worst the operators need %s CPUs: more than the quota of the control group allows",
                         cpus_text(trial->demand, reserved));
    if (trial->stolen > 0)
        weir_answer_line(answer,
                         "the host of this virtual machine took its CPUs away for %s in total; operators that ran there seem to "
                         "have computed for longer",
                         weir_duration_format(trial->stolen, time));
    if (trial->no_bound[0])
        weir_answer_line(answer, "there is no bound to compare it with: %s", trial->no_bound);
}

/* ---- operators and queues ---- */

static void add_operator_row(struct weir_trial *trial, struct weir_table_builder *table, uint32_t index)
{
    struct weir_operator op = {index};
    struct weir_run_operator_stats seen = weir_run_operator(trial->run, op);
    const struct weir_trial_task *task = &trial->tasks[index];
    bool any = seen.executions > 0, cpu = any && trial->options.run.work != WEIR_RUN_NOTHING;
    weir_table_cell(table, weir_datum_text(weir_report_operator(trial, op)), weir_report_count(seen.executions),
                    weir_report_duration(any, seen.min), weir_report_duration(any, weir_report_mean(seen.total, seen.executions)),
                    weir_report_duration(any, seen.max), weir_report_duration(cpu, seen.cpu_min),
                    weir_report_duration(cpu, seen.cpu_max), weir_report_duration(trial->comparable, task->cost),
                    weir_report_count(seen.over_worst), weir_report_count(seen.over_budget), weir_datum_duration(seen.thread_cpu),
                    weir_report_count(seen.sleeps), weir_report_count(seen.voluntary_switches),
                    weir_report_count(seen.involuntary_switches), weir_report_count(seen.minor_faults),
                    weir_report_count(seen.major_faults), weir_report_count(seen.minor_faults + seen.major_faults),
                    weir_datum_text(weir_run_policy_name(seen.policy)),
                    weir_datum_if(seen.policy == WEIR_RUN_FIFO, weir_datum_count(task->priority)),
                    weir_report_duration(seen.policy == WEIR_RUN_DEADLINE, task->runtime),
                    weir_report_duration(task->period > 0 && trial->comparable, task->period));
}

static const char *notes_on_queues(struct weir_trial *trial)
{
    const char *note = NULL;
    for (uint32_t i = 0; i < weir_pipeline_queue_count(trial->pipeline); i++) {
        struct weir_queue_spec queue = weir_pipeline_queue(trial->pipeline, (struct weir_queue){i});
        struct weir_run_queue_stats seen = weir_run_queue(trial->run, (struct weir_queue){i});
        if (seen.lost)
            weir_report_append(trial, &note,
                               weir_answer_format(trial->answer, "of %llu messages from %s to %s, %llu were lost",
                                                  (unsigned long long)seen.sent, weir_report_operator(trial, queue.from),
                                                  weir_report_operator(trial, queue.to), (unsigned long long)seen.lost));
    }
    return note;
}

static void add_operators(struct weir_trial *trial)
{
    static const struct weir_column columns[] = {{"name", "operator"},
                                                 {"executions", "executions"},
                                                 {"min", "min"},
                                                 {"mean", "mean"},
                                                 {"max", "max"},
                                                 {"cpu_min", NULL},
                                                 {"cpu_max", NULL},
                                                 {"worst_case", "worst case"},
                                                 {"above_worst_case", "above it"},
                                                 {"overruns", "overruns"},
                                                 {"thread_cpu", NULL},
                                                 {"sleeps", NULL},
                                                 {"voluntary_switches", "waits"},
                                                 {"involuntary_switches", "interrupted"},
                                                 {"minor_faults", NULL},
                                                 {"major_faults", NULL},
                                                 {NULL, "faults"},
                                                 {"policy", "policy"},
                                                 {"priority", NULL},
                                                 {"runtime", NULL},
                                                 {"period", NULL}};
    struct weir_table_builder table;
    weir_table_begin(&table, trial->answer, "operators", columns, sizeof columns / sizeof *columns);
    for (uint32_t i = 0; i < trial->operators; i++)
        add_operator_row(trial, &table, i);
    weir_answer_add_table(&table, "Operators", notes_on_queues(trial));
}

static void add_queues(struct weir_trial *trial)
{
    static const struct weir_column columns[] = {{"from", NULL},  {"to", NULL},   {"sent", NULL},
                                                 {"taken", NULL}, {"lost", NULL}, {"peak", NULL}};
    struct weir_table_builder table;
    weir_table_begin(&table, trial->answer, "queues", columns, sizeof columns / sizeof *columns);
    for (uint32_t i = 0; i < weir_pipeline_queue_count(trial->pipeline); i++) {
        struct weir_queue_spec queue = weir_pipeline_queue(trial->pipeline, (struct weir_queue){i});
        struct weir_run_queue_stats seen = weir_run_queue(trial->run, (struct weir_queue){i});
        weir_table_cell(&table, weir_datum_text(weir_report_operator(trial, queue.from)),
                        weir_datum_text(weir_report_operator(trial, queue.to)), weir_report_count(seen.sent),
                        weir_report_count(seen.taken), weir_report_count(seen.lost), weir_report_count(seen.peak));
    }
    weir_answer_add_table(&table, NULL, NULL);
}

/* ---- all of it ---- */

bool weir_trial_is_late(const struct weir_trial *trial, const struct weir_run_chain_stats *seen)
{
    int64_t most = seen->count && seen->max > seen->pending_max ? seen->max : seen->pending_max;
    return seen->chain.has_deadline && trial->comparable && most > weir_run_ns(trial->run, seen->chain.deadline);
}

static void judge(struct weir_trial *trial)
{
    uint64_t above = 0, late = 0;
    for (uint32_t i = 0; i < trial->latency_count; i++) {
        struct weir_run_chain_stats seen = weir_run_chain(trial->run, i);
        above += seen.over + seen.pending_over;
        late += weir_trial_is_late(trial, &seen);
    }
    if (!above && !late)
        return;
    trial->answer->trouble_verdict = WEIR_VERDICT_BAD;
    trial->answer->trouble = above && late
                                 ? weir_answer_format(trial->answer, "ABOVE THE BOUND: %llu latencies; deadlines missed: %llu",
                                                      (unsigned long long)above, (unsigned long long)late)
                             : above ? weir_answer_format(trial->answer, "ABOVE THE BOUND: %llu latenc%s",
                                                          (unsigned long long)above, above == 1 ? "y" : "ies")
                                     : weir_answer_format(trial->answer, "DEADLINE MISSED: %llu", (unsigned long long)late);
}

enum weir_status weir_trial_report(struct weir_trial *trial, struct weir_error *error)
{
    const char *own = weir_pipeline_name(trial->pipeline), *title = trial->options.title;
    trial->scale = weir_pipeline_new(error);
    trial->answer = weir_array_zeroed(1, sizeof *trial->answer);
    if (!trial->scale || !trial->answer)
        return weir_fail_memory(error);
    trial->answer->pipeline = trial->scale;
    trial->answer->engine = trial->bounds ? weir_engine_for(trial->pipeline) : NULL;
    weir_pipeline_set_unit(trial->scale, WEIR_UNIT_NS, 0, NULL);
    enum weir_status status = weir_pipeline_set_name(trial->scale, title ? title : own ? own : "the model", error);
    if (status)
        return status;
    add_run(trial);
    add_scheduling(trial);
    tell_scheduling(trial);
    weir_trial_report_latencies(trial);
    add_operators(trial);
    add_queues(trial);
    judge(trial);
    return trial->answer->out_of_memory ? weir_fail_memory(error) : WEIR_OK;
}
