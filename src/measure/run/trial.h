/* SPDX-License-Identifier: Apache-2.0 */
/* The inside of a trial. Times are nanoseconds of the run; shares of CPUs are in millionths. */
#ifndef WEIR_MEASURE_RUN_TRIAL_H
#define WEIR_MEASURE_RUN_TRIAL_H

#include "answer/answer.h"

#include <stdatomic.h>

/* How an operator is to be scheduled. */
struct weir_trial_task {
    int64_t cost;    /* at most, of an execution */
    int64_t period;  /* between executions, at worst times; 0: not known */
    int64_t runtime; /* with the margin */
    int priority;
    uint32_t cpu; /* where it is pinned */
};

/* What made latencies longer than the bound. */
enum weir_excess_cause {
    WEIR_EXCESS_OPERATOR, /* an operator needed more than its worst case */
    WEIR_EXCESS_MACHINE,  /* an operator that had begun did not get the CPU */
    WEIR_EXCESS_WAKE_UP,  /* one that could begin did not */
    WEIR_EXCESS_UNKNOWN,
    WEIR_EXCESS_CAUSES,
};

/* The part of each in one latency. */
struct weir_excess_shares {
    int64_t time[WEIR_EXCESS_CAUSES];
    int64_t most[WEIR_EXCESS_CAUSES]; /* of one operator's execution */
    uint32_t op[WEIR_EXCESS_CAUSES];  /* which one's */
};

struct weir_trial_latency {
    bool bounded, observed_bounded;
    int64_t bound, observed; /* of the model; with the times that were observed */
    bool exact;
    const char *why, *observed_why;                           /* there is no bound: why */
    uint64_t over, classified[WEIR_EXCESS_CAUSES], looked_at; /* latencies above the bound, and what made them so */
    int64_t worst_execution, worst;                           /* of those looked at */
    struct weir_excess_shares shares;                         /* of that one */
};

struct weir_trial {
    struct weir_trial_options options;
    const struct weir_pipeline *pipeline;
    struct weir_run *clock; /* is never started: for what a tick is */
    struct weir_run *run;
    struct weir_answer *witness; /* the answer whose witness is played, or NULL */
    _Atomic(struct weir_run *) running;
    atomic_bool stopped;
    uint32_t operators, latency_count;
    bool comparable; /* times of the model are real ones */
    struct weir_trial_task *tasks;
    struct weir_trial_latency *latencies;
    struct weir_answer *bounds, *observed_bounds; /* or NULL */
    struct weir_pipeline *observed;               /* the model with the times that were observed */
    char no_bound[512], no_observed[512];         /* why there is none of these; empty: there is */
    /* Scheduling. */
    uint32_t cpus;            /* that it may use */
    int64_t demand;           /* CPUs needed at worst; below 0: not known */
    int64_t bandwidth, limit; /* that SCHED_DEADLINE would reserve, and that there is */
    enum weir_run_policy policy;
    char no_deadline[512], no_fifo[512]; /* why not; empty: not asked for, or so */
    bool lock_memory;
    char no_lock[128];
    struct weir_pipeline *scale; /* no more than the unit of the answer: ns */
    struct weir_answer *answer;
};
#define WEIR_CPU 1000000 /* one, in millionths */

/* ---- scheduling (plan.c) ---- */

/* Costs, periods, priorities, budgets. */
enum weir_status weir_trial_plan(struct weir_trial *trial, struct weir_error *error);
/* Whether Linux would take them with SCHED_DEADLINE; otherwise no_deadline says why not. */
bool weir_trial_admit(struct weir_trial *trial);
/* ticks as time, rounded up. */
int64_t weir_trial_time(const struct weir_trial *trial, struct weir_ratio ticks);

/* ---- bounds (bounds.c) ---- */

enum weir_status weir_trial_find_bounds(struct weir_trial *trial, struct weir_error *error);
/* Once more, with the times of the run. */
enum weir_status weir_trial_find_observed(struct weir_trial *trial, struct weir_error *error);

/* ---- latencies above the bound (excess.c) ---- */

void weir_trial_explain(struct weir_trial *trial);
const char *weir_excess_cause_name(enum weir_excess_cause cause); /* "operator", "machine", "wake-up", "unknown" */

/* ---- what it comes to (report.c) ---- */

enum weir_status weir_trial_report(struct weir_trial *trial, struct weir_error *error);

#endif
