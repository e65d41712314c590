/* SPDX-License-Identifier: Apache-2.0 */
/* The latencies of a trial against their bounds, and why they are above them. */
#include "answer/number.h"
#include "measure/run/report.h"

#define CAUSES_MAX 1000 /* rows */

/* What has no latency: still under way at the end, or through after its start was forgotten. */
static void note_unmeasured(struct weir_trial *trial, uint32_t index, const char **note)
{
    struct weir_run_chain_stats seen = weir_run_chain(trial->run, index);
    char time[WEIR_DURATION_TEXT];
    if (seen.pending_over)
        weir_report_append(trial, note,
                           weir_answer_format(trial->answer,
                                              "%s: %llu in flight at the end had already exceeded the bound, the oldest at %s",
                                              weir_report_latency(trial, index), (unsigned long long)seen.pending_over,
                                              weir_duration_format(seen.pending_max, time)));
    if (seen.missed)
        weir_report_append(
            trial, note,
            weir_answer_format(trial->answer,
                               "%s: %llu were not measured: too many were in flight at once to record all of their starts",
                               weir_report_latency(trial, index), (unsigned long long)seen.missed));
}

static const char *longest_text(struct weir_trial *trial, const struct weir_trial_latency *latency)
{
    char time[WEIR_DURATION_TEXT];
    const char *before = ": ", *text = weir_answer_format(trial->answer, "  the longest of them ends with execution %lld, %s above",
                                                          (long long)latency->worst_execution,
                                                          weir_duration_format(latency->worst - latency->bound, time));
    for (int i = 0; i < WEIR_EXCESS_UNKNOWN && text; i++)
        if (latency->shares.time[i] > 0) {
            text = weir_answer_format(trial->answer, "%s%s%s %s", text, before, weir_excess_cause_name((enum weir_excess_cause)i),
                                      weir_duration_format(latency->shares.time[i], time));
            if (text && i != WEIR_EXCESS_STOPPED)
                text = weir_answer_format(trial->answer, "%s (most: %s)", text,
                                          weir_report_operator(trial, (struct weir_operator){latency->shares.most[i].op}));
            before = ", ";
        }
    if (text && latency->shares.time[WEIR_EXCESS_UNKNOWN])
        text = weir_answer_format(trial->answer, "%s%sthe rest was not recorded", text, before);
    return text;
}

/* For people: what happened, how often, and the one with the most victims. */
static const char *cause_text(struct weir_trial *trial, uint32_t index, enum weir_excess_cause cause)
{
    static const char *const words[] = {
        [WEIR_EXCESS_OPERATOR] = "an operator computed for longer than its worst case",
        [WEIR_EXCESS_BLOCKED] = "a function slept or waited, instead of computing",
        [WEIR_EXCESS_NO_CPU] = "no CPU was free",
        [WEIR_EXCESS_QUOTA] = "the control group had used up its quota",
        [WEIR_EXCESS_STOPPED] = "the whole program stood still",
        [WEIR_EXCESS_WAKE_UP] = "a wake-up took long",
        [WEIR_EXCESS_MACHINE] = "the machine took time away from an operator (interrupts, or the host of a virtual machine)",
        [WEIR_EXCESS_UNKNOWN] = "of something that was not recorded",
    };
    const struct weir_incident *most = NULL;
    char length[WEIR_DURATION_TEXT], at[WEIR_DURATION_TEXT];
    uint64_t times = 0;
    for (size_t i = trial->incident_count; i-- > 0;)
        if (trial->incidents[i].chain == index && trial->incidents[i].cause == cause) {
            most = &trial->incidents[i];
            times++;
        }
    const char *text =
        weir_answer_format(trial->answer, "  %llu because %s%s", (unsigned long long)trial->latencies[index].classified[cause],
                           words[cause], trial->blind && cause == WEIR_EXCESS_WAKE_UP ? ", or no CPU was free" : "");
    if (!most || !text)
        return text;
    text = weir_answer_format(trial->answer, times == 1 ? "%s: once" : "%s: %llu times", text, (unsigned long long)times);
    if (text && times > 1)
        text = weir_answer_format(trial->answer, "%s; for %llu of them", text, (unsigned long long)most->victims);
    if (text && cause != WEIR_EXCESS_STOPPED)
        text = weir_answer_format(trial->answer, "%s, execution %lld of %s", text, (long long)most->execution,
                                  weir_report_operator(trial, (struct weir_operator){most->op}));
    return text ? weir_answer_format(trial->answer, "%s, %s at %s", text, weir_duration_format(most->length, length),
                                     weir_duration_format(most->at - weir_run_result(trial->run).began, at))
                : NULL;
}

static void note_excess(struct weir_trial *trial, uint32_t index, const char **note)
{
    const struct weir_trial_latency *latency = &trial->latencies[index];
    struct weir_run_chain_stats seen = weir_run_chain(trial->run, index);
    struct weir_answer *answer = trial->answer;
    const char *line = weir_answer_format(answer, "%s: %llu of %llu above the bound", weir_report_latency(trial, index),
                                          (unsigned long long)latency->over, (unsigned long long)seen.count);
    if (line && latency->looked_at < latency->over)
        line = weir_answer_format(answer, "%s; of the %llu that were recorded and looked at", line,
                                  (unsigned long long)latency->looked_at);
    weir_report_append(trial, note, line);
    for (int i = 0; i < WEIR_EXCESS_CAUSES; i++)
        if (latency->classified[i])
            weir_report_append(trial, note, cause_text(trial, index, (enum weir_excess_cause)i));
    if (latency->looked_at)
        weir_report_append(trial, note, longest_text(trial, latency));
    if (latency->observed_bounded && seen.max <= latency->observed)
        weir_report_append(trial, note, "  with the observed execution times, all of it is within the bound");
    else if (latency->observed_bounded)
        weir_report_append(trial, note, "  the observed execution times do not explain all of it: operators started late");
}

static const char *notes_on_latencies(struct weir_trial *trial)
{
    const char *note = NULL;
    for (uint32_t i = 0; i < trial->latency_count; i++) {
        const struct weir_trial_latency *latency = &trial->latencies[i];
        if (latency->why)
            weir_report_append(
                trial, &note,
                weir_answer_format(trial->answer, "%s has no bound: %s", weir_report_latency(trial, i), latency->why));
        else if (latency->observed_why)
            weir_report_append(trial, &note,
                               weir_answer_format(trial->answer, "%s has no bound with the times observed: %s",
                                                  weir_report_latency(trial, i), latency->observed_why));
        note_unmeasured(trial, i, &note);
    }
    if (trial->no_observed[0])
        weir_report_append(trial, &note,
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
    weir_record_add(&record, "count", weir_report_count(latency->over));
    weir_record_add(&record, "looked_at", weir_report_count(latency->looked_at));
    for (int i = 0; i < WEIR_EXCESS_CAUSES; i++)
        weir_record_add(&record, weir_excess_cause_name((enum weir_excess_cause)i), weir_report_count(latency->classified[i]));
    if (!latency->looked_at)
        return weir_record_datum(&record);
    weir_record_add(&longest, "execution", weir_datum_count(latency->worst_execution));
    weir_record_add(&longest, "latency", weir_datum_duration(latency->worst));
    for (int i = 0; i < WEIR_EXCESS_UNKNOWN; i++)
        weir_record_add(&longest, weir_excess_cause_name((enum weir_excess_cause)i), weir_datum_duration(shares->time[i]));
    for (int i = 0; i < WEIR_EXCESS_UNKNOWN; i++) {
        const char *key = weir_answer_format(trial->answer, "%s_most", weir_excess_cause_name((enum weir_excess_cause)i));
        if (shares->time[i] > 0 && key && i != WEIR_EXCESS_STOPPED)
            weir_record_add(&longest, key,
                            weir_datum_text(weir_report_operator(trial, (struct weir_operator){shares->most[i].op})));
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
    if (!weir_trial_is_late(trial, seen))
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
    weir_table_cell(table, weir_datum_text(weir_report_latency(trial, index)),
                    weir_datum_text(weir_report_operator(trial, seen.chain.from)),
                    weir_datum_text(weir_report_operator(trial, seen.chain.to)), weir_report_count(seen.count),
                    weir_report_count(seen.missed), weir_report_count(seen.pending), weir_report_count(seen.pending_over),
                    weir_report_duration(seen.pending > 0, seen.pending_max), weir_report_duration(any, seen.min),
                    weir_report_duration(any, weir_report_mean(seen.total, seen.count)), weir_report_duration(any, seen.max),
                    weir_report_duration(latency->bounded, latency->bound), weir_datum_flag(latency->bounded && latency->exact),
                    weir_report_duration(latency->observed_bounded, latency->observed),
                    weir_report_text(latency->bounded ? latency->observed_why : latency->why),
                    weir_report_duration(deadline, deadline ? weir_run_ns(trial->run, seen.chain.deadline) : 0),
                    weir_datum_flag(!weir_trial_is_late(trial, &seen)), excess_datum(trial, latency),
                    weir_datum_text(verdict_on(trial, latency, &seen)));
}

static void add_latency_table(struct weir_trial *trial)
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

/* What made latencies late, the one with the most victims first. */
static void add_causes(struct weir_trial *trial)
{
    static const struct weir_column columns[] = {{"from", NULL},      {"to", NULL}, {"cause", NULL},  {"operator", NULL},
                                                 {"execution", NULL}, {"at", NULL}, {"length", NULL}, {"late", NULL}};
    struct weir_table_builder table;
    int64_t began = weir_run_result(trial->run).began;
    weir_table_begin(&table, trial->answer, "causes", columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < trial->incident_count && i < CAUSES_MAX; i++) {
        const struct weir_incident *one = &trial->incidents[i];
        struct weir_chain_spec chain = weir_pipeline_chain(trial->pipeline, one->chain);
        bool all = one->cause == WEIR_EXCESS_STOPPED;
        weir_table_cell(&table, weir_datum_text(weir_report_operator(trial, chain.from)),
                        weir_datum_text(weir_report_operator(trial, chain.to)), weir_datum_text(weir_excess_cause_name(one->cause)),
                        all ? weir_datum_null() : weir_datum_text(weir_report_operator(trial, (struct weir_operator){one->op})),
                        all ? weir_datum_null() : weir_datum_count(one->execution),
                        weir_datum_duration(one->at > began ? one->at - began : 0), weir_datum_duration(one->length),
                        weir_report_count(one->victims));
    }
    weir_answer_add_table(&table, NULL, NULL);
}

void weir_trial_report_latencies(struct weir_trial *trial)
{
    add_latency_table(trial);
    add_causes(trial);
}
