/* SPDX-License-Identifier: Apache-2.0 */
/* What a trial comes to, as an answer: docs/reference/run.md. */
#include "answer/number.h"
#include "base/error.h"
#include "measure/run/trial.h"

#include <string.h>

static struct weir_datum count_of(uint64_t count)
{
    return weir_datum_count(count > INT64_MAX ? INT64_MAX : (int64_t)count);
}

static struct weir_datum duration_if(bool known, int64_t ns)
{
    return known ? weir_datum_duration(ns) : weir_datum_null();
}

static struct weir_datum cpus_of(int64_t millionths)
{
    return weir_datum_share((struct weir_ratio){millionths, WEIR_CPU});
}

static struct weir_datum text_if(const char *text)
{
    return weir_datum_text(text && *text ? text : NULL);
}

static int64_t mean(int64_t total, uint64_t count)
{
    return count ? total / (int64_t)count : 0;
}

static const char *operator_name(const struct weir_trial *trial, struct weir_operator op)
{
    return weir_pipeline_operator(trial->pipeline, op).name;
}

static const char *latency_name(const struct weir_trial *trial, uint32_t index)
{
    struct weir_chain_spec chain = weir_pipeline_chain(trial->pipeline, index);
    const char *text =
        weir_answer_format(trial->answer, "%s -> %s", operator_name(trial, chain.from), operator_name(trial, chain.to));
    return text ? text : "";
}

static const char *cpus_text(int64_t millionths, char text[WEIR_NUMBER_TEXT])
{
    return weir_ratio_format((struct weir_ratio){millionths, WEIR_CPU}, 0, 3, text);
}

/* Adds a line to a note that goes below a table. */
static void append(struct weir_trial *trial, const char **note, const char *line)
{
    *note = *note && line ? weir_answer_format(trial->answer, "%s\n%s", *note, line) : line ? line : *note;
}

/* Above its deadline. */
static bool is_late(const struct weir_trial *trial, const struct weir_run_chain_stats *seen)
{
    int64_t most = seen->count && seen->max > seen->pending_max ? seen->max : seen->pending_max;
    return seen->chain.has_deadline && trial->comparable && most > weir_run_ns(trial->run, seen->chain.deadline);
}

/* ---- the run ---- */

static void add_run(struct weir_trial *trial)
{
    static const char *const ends[] = {"unfinished", "complete", "stopped",   "failed",
                                       "standstill", "fault",    "exhausted", "misused", "died"};
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
    weir_answer_add_fact(answer, "description", text_if(result.description));
    weir_answer_add_fact(answer, "duration", weir_datum_duration(result.ended - result.began));
    weir_answer_add_fact(answer, "executions", count_of(result.executions));
    weir_answer_add_fact(answer, "work", weir_datum_text(work[run->work]));
    weir_answer_add_fact(answer, "times", weir_datum_text(run->given ? "given" : times[run->times]));
    weir_answer_add_fact(answer, "seed", count_of(run->seed));
    weir_answer_add_fact(answer, "scale", weir_record_datum(&scale));
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
    weir_record_add(&record, "not_deadline", text_if(deadline ? trial->no_deadline : NULL));
    weir_record_add(&record, "not_fifo", text_if(trial->no_fifo));
    weir_record_add(&record, "cpus", weir_datum_count(trial->cpus));
    weir_record_add(&record, "demand", weir_datum_if(trial->demand >= 0 && trial->comparable, cpus_of(trial->demand)));
    if (deadline) {
        weir_record_add(&record, "bandwidth", cpus_of(trial->bandwidth));
        weir_record_add(&record, "bandwidth_limit", cpus_of(trial->limit));
    }
    weir_record_add(&record, "memory_locked", weir_datum_flag(locked));
    weir_record_add(&record, "memory_not_locked", text_if(trial->no_lock));
    weir_answer_add_fact(trial->answer, "scheduling", weir_record_datum(&record));
    weir_answer_add_fact(trial->answer, "no_bound_observed", text_if(trial->no_observed));
}

static void tell_scheduling(struct weir_trial *trial)
{
    const struct weir_trial_options *o = &trial->options;
    struct weir_answer *answer = trial->answer;
    char reserved[WEIR_NUMBER_TEXT], there[WEIR_NUMBER_TEXT];
    const char *line = weir_answer_format(answer, "policy %s on %u CPU%s", weir_run_policy_name(trial->policy), trial->cpus,
                                          trial->cpus == 1 ? "" : "s");
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
    if (trial->demand > (int64_t)trial->cpus * WEIR_CPU && trial->comparable &&
        (o->run.work == WEIR_RUN_SPIN || o->run.work == WEIR_RUN_MEMORY))
        weir_answer_line(answer, "at worst the operators need %s CPUs: more than there are", cpus_text(trial->demand, reserved));
    if (trial->no_bound[0])
        weir_answer_line(answer, "there is no bound to hold it against: %s", trial->no_bound);
}

/* ---- latencies ---- */

/* What has no latency: still under way at the end, or through after its start was forgotten. */
static void note_unmeasured(struct weir_trial *trial, uint32_t index, const char **note)
{
    struct weir_run_chain_stats seen = weir_run_chain(trial->run, index);
    char time[WEIR_DURATION_TEXT];
    if (seen.pending_over)
        append(trial, note,
               weir_answer_format(trial->answer, "%s: %llu under way at the end were above the bound already, the oldest at %s",
                                  latency_name(trial, index), (unsigned long long)seen.pending_over,
                                  weir_duration_format(seen.pending_max, time)));
    if (seen.missed)
        append(trial, note,
               weir_answer_format(trial->answer,
                                  "%s: %llu were not measured: so many were under way at once that their starts were forgotten",
                                  latency_name(trial, index), (unsigned long long)seen.missed));
}

static const char *longest_text(struct weir_trial *trial, const struct weir_trial_latency *latency)
{
    char time[WEIR_DURATION_TEXT];
    const char *before = ": ", *text = weir_answer_format(trial->answer, "  the longest of them ends with execution %lld, %s above",
                                                          (long long)latency->worst_execution,
                                                          weir_duration_format(latency->worst - latency->bound, time));
    for (int i = 0; i < WEIR_EXCESS_UNKNOWN && text; i++)
        if (latency->shares.time[i] > 0) {
            text = weir_answer_format(trial->answer, "%s%s%s %s (most: %s)", text, before,
                                      weir_excess_cause_name((enum weir_excess_cause)i),
                                      weir_duration_format(latency->shares.time[i], time),
                                      operator_name(trial, (struct weir_operator){latency->shares.op[i]}));
            before = ", ";
        }
    if (text && latency->shares.time[WEIR_EXCESS_UNKNOWN])
        text = weir_answer_format(trial->answer, "%s%sthe rest was not recorded", text, before);
    return text;
}

static void note_excess(struct weir_trial *trial, uint32_t index, const char **note)
{
    static const char *const words[] = {"an operator took more than its worst case", "the machine took time away from an operator",
                                        "operators started late: a wake-up took long, or no CPU was free",
                                        "of something that was not recorded"};
    const struct weir_trial_latency *latency = &trial->latencies[index];
    struct weir_run_chain_stats seen = weir_run_chain(trial->run, index);
    struct weir_answer *answer = trial->answer;
    const char *line = weir_answer_format(answer, "%s: %llu of %llu above the bound", latency_name(trial, index),
                                          (unsigned long long)latency->over, (unsigned long long)seen.count);
    if (line && latency->looked_at < latency->over)
        line = weir_answer_format(answer, "%s; of the %llu that were recorded and looked at", line,
                                  (unsigned long long)latency->looked_at);
    append(trial, note, line);
    for (int i = 0; i < WEIR_EXCESS_CAUSES; i++)
        if (latency->classified[i])
            append(trial, note,
                   weir_answer_format(answer, "  %llu mostly because %s", (unsigned long long)latency->classified[i], words[i]));
    if (latency->looked_at)
        append(trial, note, longest_text(trial, latency));
    if (latency->observed_bounded && seen.max <= latency->observed)
        append(trial, note, "  with the times that the operators took, all of it is within the bound");
    else if (latency->observed_bounded)
        append(trial, note, "  the times that the operators took do not explain all of it: they started late");
}

static const char *notes_on_latencies(struct weir_trial *trial)
{
    const char *note = NULL;
    for (uint32_t i = 0; i < trial->latency_count; i++) {
        const struct weir_trial_latency *latency = &trial->latencies[i];
        if (latency->why)
            append(trial, &note, weir_answer_format(trial->answer, "%s has no bound: %s", latency_name(trial, i), latency->why));
        else if (latency->observed_why)
            append(trial, &note,
                   weir_answer_format(trial->answer, "%s has no bound with the times observed: %s", latency_name(trial, i),
                                      latency->observed_why));
        note_unmeasured(trial, i, &note);
    }
    if (trial->no_observed[0])
        append(trial, &note,
               weir_answer_format(trial->answer, "there is no bound with the times observed: %s", trial->no_observed));
    for (uint32_t i = 0; i < trial->latency_count; i++)
        if (trial->latencies[i].bounded && trial->latencies[i].over)
            note_excess(trial, i, &note);
    return note;
}

static struct weir_datum excess_datum(struct weir_trial *trial, const struct weir_trial_latency *latency)
{
    struct weir_record record = {.answer = trial->answer}, longest = {.answer = trial->answer};
    const struct weir_excess_shares *shares = &latency->shares;
    if (!latency->bounded)
        return (struct weir_datum){.kind = WEIR_DATUM_ABSENT};
    weir_record_add(&record, "count", count_of(latency->over));
    weir_record_add(&record, "looked_at", count_of(latency->looked_at));
    for (int i = 0; i < WEIR_EXCESS_CAUSES; i++)
        weir_record_add(&record, weir_excess_cause_name((enum weir_excess_cause)i), count_of(latency->classified[i]));
    if (!latency->looked_at)
        return weir_record_datum(&record);
    weir_record_add(&longest, "execution", weir_datum_count(latency->worst_execution));
    weir_record_add(&longest, "latency", weir_datum_duration(latency->worst));
    for (int i = 0; i < WEIR_EXCESS_UNKNOWN; i++)
        weir_record_add(&longest, weir_excess_cause_name((enum weir_excess_cause)i), weir_datum_duration(shares->time[i]));
    for (int i = 0; i < WEIR_EXCESS_UNKNOWN; i++) {
        const char *key = weir_answer_format(trial->answer, "%s_most", weir_excess_cause_name((enum weir_excess_cause)i));
        if (shares->time[i] > 0 && key)
            weir_record_add(&longest, key, weir_datum_text(operator_name(trial, (struct weir_operator){shares->op[i]})));
    }
    weir_record_add(&record, "longest", weir_record_datum(&longest));
    return weir_record_datum(&record);
}

/* For people. */
static const char *verdict_on(struct weir_trial *trial, const struct weir_trial_latency *latency,
                              const struct weir_run_chain_stats *seen)
{
    char time[WEIR_DURATION_TEXT];
    bool above = latency->bounded && (seen->over || seen->pending_over);
    const char *held = above                             ? "above the bound"
                       : latency->bounded && seen->count ? "within"
                       : seen->count                     ? ""
                                                         : "none got through";
    if (!is_late(trial, seen))
        return held;
    const char *text = weir_answer_format(trial->answer, "%s%smisses its deadline of %s", held, *held ? ", " : "",
                                          weir_duration_format(weir_run_ns(trial->run, seen->chain.deadline), time));
    return text ? text : held;
}

static void add_latency_row(struct weir_trial *trial, struct weir_table_builder *table, uint32_t index)
{
    const struct weir_trial_latency *latency = &trial->latencies[index];
    struct weir_run_chain_stats seen = weir_run_chain(trial->run, index);
    bool any = seen.count > 0, deadline = seen.chain.has_deadline && trial->comparable;
    weir_table_cell(
        table, weir_datum_text(latency_name(trial, index)), weir_datum_text(operator_name(trial, seen.chain.from)),
        weir_datum_text(operator_name(trial, seen.chain.to)), count_of(seen.count), count_of(seen.missed), count_of(seen.pending),
        count_of(seen.pending_over), duration_if(seen.pending > 0, seen.pending_max), duration_if(any, seen.min),
        duration_if(any, mean(seen.total, seen.count)), duration_if(any, seen.max), duration_if(latency->bounded, latency->bound),
        weir_datum_flag(latency->bounded && latency->exact), duration_if(latency->observed_bounded, latency->observed),
        text_if(latency->bounded ? latency->observed_why : latency->why),
        duration_if(deadline, deadline ? weir_run_ns(trial->run, seen.chain.deadline) : 0), weir_datum_flag(!is_late(trial, &seen)),
        excess_datum(trial, latency), weir_datum_text(verdict_on(trial, latency, &seen)));
}

static void add_latencies(struct weir_trial *trial)
{
    static const struct weir_column columns[] = {{NULL, "from -> to"},
                                                 {"from", NULL},
                                                 {"to", NULL},
                                                 {"messages", "messages"},
                                                 {"missed", NULL},
                                                 {"pending", NULL},
                                                 {"pending_above", NULL},
                                                 {"pending_max", NULL},
                                                 {"min", "min"},
                                                 {"mean", "mean"},
                                                 {"max", "max"},
                                                 {"bound", "bound"},
                                                 {"exact", NULL},
                                                 {"bound_observed", "as observed"},
                                                 {"why", NULL},
                                                 {"deadline", NULL},
                                                 {"deadline_met", NULL},
                                                 {"above", NULL},
                                                 {NULL, "verdict"}};
    struct weir_table_builder table;
    weir_table_begin(&table, trial->answer, "latency", columns, sizeof columns / sizeof *columns);
    for (uint32_t i = 0; i < trial->latency_count; i++)
        add_latency_row(trial, &table, i);
    weir_answer_add_table(&table, "Latencies", notes_on_latencies(trial));
}

/* ---- operators and queues ---- */

static void add_operator_row(struct weir_trial *trial, struct weir_table_builder *table, uint32_t index)
{
    struct weir_operator op = {index};
    struct weir_run_operator_stats seen = weir_run_operator(trial->run, op);
    const struct weir_trial_task *task = &trial->tasks[index];
    bool any = seen.executions > 0, cpu = any && trial->options.run.work != WEIR_RUN_NOTHING;
    weir_table_cell(table, weir_datum_text(operator_name(trial, op)), count_of(seen.executions), duration_if(any, seen.min),
                    duration_if(any, mean(seen.total, seen.executions)), duration_if(any, seen.max), duration_if(cpu, seen.cpu_min),
                    duration_if(cpu, seen.cpu_max), duration_if(trial->comparable, task->cost), count_of(seen.over_worst),
                    count_of(seen.over_budget), weir_datum_duration(seen.thread_cpu), count_of(seen.sleeps),
                    count_of(seen.voluntary_switches), count_of(seen.involuntary_switches), count_of(seen.minor_faults),
                    count_of(seen.major_faults), count_of(seen.minor_faults + seen.major_faults),
                    weir_datum_text(weir_run_policy_name(seen.policy)),
                    weir_datum_if(seen.policy == WEIR_RUN_FIFO, weir_datum_count(task->priority)),
                    duration_if(seen.policy == WEIR_RUN_DEADLINE, task->runtime),
                    duration_if(task->period > 0 && trial->comparable, task->period));
}

static const char *notes_on_queues(struct weir_trial *trial)
{
    const char *note = NULL;
    for (uint32_t i = 0; i < weir_pipeline_queue_count(trial->pipeline); i++) {
        struct weir_queue_spec queue = weir_pipeline_queue(trial->pipeline, (struct weir_queue){i});
        struct weir_run_queue_stats seen = weir_run_queue(trial->run, (struct weir_queue){i});
        if (seen.lost)
            append(trial, &note,
                   weir_answer_format(trial->answer, "of %llu messages from %s to %s, %llu were lost",
                                      (unsigned long long)seen.sent, operator_name(trial, queue.from),
                                      operator_name(trial, queue.to), (unsigned long long)seen.lost));
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
        weir_table_cell(&table, weir_datum_text(operator_name(trial, queue.from)), weir_datum_text(operator_name(trial, queue.to)),
                        count_of(seen.sent), count_of(seen.taken), count_of(seen.lost), count_of(seen.peak));
    }
    weir_answer_add_table(&table, NULL, NULL);
}

/* ---- all of it ---- */

static void judge(struct weir_trial *trial)
{
    uint64_t above = 0, late = 0;
    for (uint32_t i = 0; i < trial->latency_count; i++) {
        struct weir_run_chain_stats seen = weir_run_chain(trial->run, i);
        above += seen.over + seen.pending_over;
        late += is_late(trial, &seen);
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
    add_latencies(trial);
    add_operators(trial);
    add_queues(trial);
    judge(trial);
    return trial->answer->out_of_memory ? weir_fail_memory(error) : WEIR_OK;
}
