/* SPDX-License-Identifier: Apache-2.0 */
/* The inside of a trial. Times are nanoseconds of the run; shares of CPUs are in millionths. */
#ifndef WEIR_MEASURE_RUN_TRIAL_H
#define WEIR_MEASURE_RUN_TRIAL_H

#include "answer/answer.h"
#include "measure/run/quota.h"

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
    WEIR_EXCESS_OPERATOR, /* an operator needed more CPU time than its worst case */
    WEIR_EXCESS_BLOCKED,  /* a function neither computed nor waited for a CPU */
    WEIR_EXCESS_NO_CPU,   /* a thread could run, and had no CPU */
    WEIR_EXCESS_QUOTA,    /* the same, while the control group was held back */
    WEIR_EXCESS_STOPPED,  /* no thread of the program went on */
    WEIR_EXCESS_WAKE_UP,  /* an operator could begin, and was not yet awake; or had no CPU, where Linux does not tell */
    WEIR_EXCESS_MACHINE,  /* an operator that had begun was interrupted, it is not known by what */
    WEIR_EXCESS_UNKNOWN,
    WEIR_EXCESS_CAUSES,
};

/* Something that the model does not know of, which took so long. */
struct weir_incident {
    uint32_t chain;
    enum weir_excess_cause cause;
    uint32_t op;       /* whose; of WEIR_EXCESS_STOPPED 0 */
    int64_t execution; /* of it; of WEIR_EXCESS_STOPPED which standstill */
    int64_t at, length;
    uint64_t victims; /* latencies above the bound for which it was the largest of the reason that made the most */
};

/* The part of each reason in one latency, and the largest incident of each. */
struct weir_excess_shares {
    int64_t time[WEIR_EXCESS_CAUSES];
    struct weir_incident most[WEIR_EXCESS_CAUSES];
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

/* From one look of the watching thread to the next. */
struct weir_watch {
    int64_t due, woke; /* it slept until `due`, and was awake at `woke` */
    int64_t starved;   /* in between it could have run, and had no CPU */
    int64_t throttled; /* of the control group, since the last look */
};

/* In which no thread of the program went on. */
struct weir_standstill {
    int64_t from, to;
};

struct weir_trial {
    struct weir_trial_options options;
    const struct weir_pipeline *pipeline;
    struct weir_pipeline *own; /* the same, where the trial made it, or NULL */
    struct weir_run *clock;    /* is never started: for what a tick is */
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
    struct weir_quota quota;  /* of the control group */
    int64_t demand;           /* CPUs needed at worst; below 0: not known */
    int64_t bandwidth, limit; /* that SCHED_DEADLINE would reserve, and that there is */
    enum weir_run_policy policy;
    char no_deadline[512], no_fifo[512]; /* why not; empty: not asked for, or so */
    bool lock_memory;
    char no_lock[128];
    /* Causes. */
    struct weir_watch *watches; /* looks that came late, or in which the control group was held back */
    size_t watch_count, watch_room;
    int64_t stolen; /* by the host of a virtual machine, of all CPUs together */
    struct weir_standstill *standstills;
    size_t standstill_count, standstill_room;
    struct weir_incident *incidents; /* the one with the most victims first */
    size_t incident_count, incident_room;
    bool out_of_memory;          /* something of these could not be kept */
    bool blind;                  /* Linux does not tell how long threads had no CPU */
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
/* CPUs that the control group allows, in millionths; 0: no limit. */
int64_t weir_trial_quota(const struct weir_trial *trial);

/* ---- bounds (bounds.c) ---- */

enum weir_status weir_trial_find_bounds(struct weir_trial *trial, struct weir_error *error);
/* Once more, with the times of the run. */
enum weir_status weir_trial_find_observed(struct weir_trial *trial, struct weir_error *error);

/* ---- watching (watch.c) ---- */

/* Until the run has ended. */
enum weir_status weir_trial_watch(struct weir_trial *trial, struct weir_error *error);

/* ---- latencies above the bound (excess.c, standstill.c) ---- */

enum weir_status weir_trial_explain(struct weir_trial *trial, struct weir_error *error);
const char *weir_excess_cause_name(enum weir_excess_cause cause); /* "operator", "blocked" ... */
/* The standstill in [from, to] that lasted for most of `missing`; NULL: there was none, or no memory. `op` is the one that missed
 * it, and no witness. */
const struct weir_standstill *weir_standstill_find(struct weir_trial *trial, uint32_t op, int64_t from, int64_t to,
                                                   int64_t missing);
/* Of so much time without a CPU in [from, to], what the control group was held back for. */
int64_t weir_trial_throttled(const struct weir_trial *trial, int64_t from, int64_t to, int64_t starved);

/* ---- what it comes to (report.c, report_latency.c) ---- */

enum weir_status weir_trial_report(struct weir_trial *trial, struct weir_error *error);
void weir_trial_report_latencies(struct weir_trial *trial);
/* Above its deadline. */
bool weir_trial_is_late(const struct weir_trial *trial, const struct weir_run_chain_stats *seen);

#endif
