/* SPDX-License-Identifier: Apache-2.0 */
/* Between the files of the verb `run`. Times are nanoseconds of the run. */
#ifndef WEIR_CLI_RUN_H
#define WEIR_CLI_RUN_H

#include "cli.h"

struct weir_live_settings {
    const struct weir_verb *verb;
    bool json, strict, pin, lock, witness;
    uint64_t iterations, seed, records, queue;
    int64_t duration, tick; /* 0: not given */
    struct weir_ratio scale;
    enum weir_run_work work;
    enum weir_times times;
    const char *work_name, *times_name;
    enum weir_run_policy policy;
    int64_t margin;          /* of an execution; -1: in permille */
    int64_t margin_permille; /* of the worst case */
    uint32_t *cpus;          /* NULL: any */
    size_t cpu_count;
    const char *trace, *log; /* files, or NULL */
};

/* How an operator is to be scheduled. */
struct weir_live_task {
    int64_t cost;    /* at most, of an execution */
    int64_t period;  /* between executions, at worst times; 0: not known */
    int64_t runtime; /* with the margin */
    int priority;
    uint32_t cpu; /* with --pin */
};

/* What made latencies longer than the bound. */
enum weir_live_reason {
    WEIR_LIVE_OPERATOR, /* an operator needed more than its worst case */
    WEIR_LIVE_MACHINE,  /* an operator that had begun did not get the CPU */
    WEIR_LIVE_WAKE_UP,  /* one that could begin did not */
    WEIR_LIVE_UNKNOWN,
    WEIR_LIVE_REASONS,
};

/* The part of each in one latency. */
struct weir_live_shares {
    int64_t time[WEIR_LIVE_REASONS];
    int64_t most[WEIR_LIVE_REASONS]; /* of one operator's execution */
    uint32_t op[WEIR_LIVE_REASONS];  /* which one's */
};

struct weir_live_pair {
    bool bounded, observed_bounded;
    int64_t bound, observed; /* of the model; with the times that were seen */
    bool exact;
    const char *why, *observed_why;                          /* there is no bound: why */
    uint64_t over, classified[WEIR_LIVE_REASONS], looked_at; /* latencies above the bound, and what made them so */
    int64_t worst_execution, worst;                          /* of those looked at */
    struct weir_live_shares shares;                          /* of that one */
};

struct weir_live {
    const struct weir_live_settings *settings;
    const struct weir_pipeline *pipeline;
    const char *title;
    struct weir_run *clock; /* is never started: for what a tick is */
    struct weir_run *run;
    struct weir_analysis *analysis; /* of which a witness is played, or NULL */
    uint32_t operators, pair_count;
    bool comparable; /* times of the model are real ones */
    struct weir_live_task *tasks;
    struct weir_live_pair *pairs;
    const char *engine;
    struct weir_answer *answer, *observed_answer;
    struct weir_pipeline *seen; /* the model with the times that were seen */
    char observed_why[512];     /* why there is no bound with the times seen; empty: there is */
    /* Scheduling. */
    uint32_t cpus;           /* that it may use */
    double demand;           /* CPUs needed at worst; below 0: not known */
    double bandwidth, limit; /* that SCHED_DEADLINE would reserve, and that there is */
    enum weir_run_policy policy;
    char no_deadline[512], no_fifo[512]; /* why not; empty: not asked for, or so */
    bool lock_memory;
    char no_lock[128];
};

/* ---- scheduling (run_plan.c) ---- */

/* Costs, periods, priorities, budgets. */
enum weir_exit weir_live_plan(struct weir_live *live);
/* Whether Linux would take them with SCHED_DEADLINE; otherwise no_deadline says why not. */
bool weir_live_admit(struct weir_live *live);
/* ticks as time, rounded up. */
int64_t weir_live_time(const struct weir_live *live, struct weir_ratio ticks);

/* ---- bounds (run_bounds.c) ---- */

enum weir_exit weir_live_bound(struct weir_live *live);
/* Once more, with the times of the run. */
void weir_live_bound_observed(struct weir_live *live);

/* ---- running (run_start.c) ---- */

/* Until it has ended, however it ends. Prints what went wrong. */
enum weir_exit weir_live_run(struct weir_live *live);

/* ---- latencies above the bound (run_excess.c) ---- */

void weir_live_explain(struct weir_live *live);
/* Above its deadline. */
bool weir_live_late(const struct weir_live *live, const struct weir_run_pair_stats *seen);
const char *weir_live_reason_name(enum weir_live_reason reason); /* "operator", "machine", "wake-up", "unknown" */

/* ---- what it comes to (run_print.c, run_json.c, run_files.c) ---- */

void weir_live_print(const struct weir_live *live);
void weir_live_print_json(const struct weir_live *live);
enum weir_exit weir_live_write(const struct weir_live *live);
/* Whether the files could be written, before anything is run. */
enum weir_exit weir_live_probe(const struct weir_live_settings *settings);
/* "12.345 ms". Returns text. */
#define WEIR_LIVE_TEXT 32
const char *weir_live_format(int64_t ns, char text[WEIR_LIVE_TEXT]);
/* "camera -> display" */
#define WEIR_LIVE_PAIR 220
const char *weir_live_pair_name(const struct weir_live *live, uint32_t pair, char text[WEIR_LIVE_PAIR]);

#endif
