/* SPDX-License-Identifier: Apache-2.0 */
/* Between the files of the verb `simulate`. */
#ifndef WEIR_CLI_SIMULATE_H
#define WEIR_CLI_SIMULATE_H

#include "cli.h"

/* ---- the latencies seen of one pair (samples.c) ---- */

struct weir_flight;

/* A latency is added when both its ends are known; until then it is in flight. Up to kept_max of them are kept, and after that a
 * random selection, each of those seen as likely as the others. Memory does not depend on the number of iterations. */
struct weir_samples {
    int64_t *kept;
    size_t kept_count, kept_capacity, kept_max;
    int64_t count, min, max; /* of all */
    int64_t shift;           /* `to` handles in iteration i + shift what `from` begins in iteration i */
    struct weir_flight *flights;
    size_t flight_capacity; /* a power of two, or 0 */
    int64_t first, end;     /* iterations of `from` in flight */
    uint64_t random;
    bool failed; /* out of memory */
};

void weir_samples_begin_run(struct weir_samples *samples);
void weir_samples_note_from(struct weir_samples *samples, int64_t iteration, int64_t time);
void weir_samples_note_to(struct weir_samples *samples, int64_t iteration, int64_t time);
/* A latency of which both ends are known. */
void weir_samples_add(struct weir_samples *samples, int64_t latency);
/* Once, at the end: in ascending order. */
void weir_samples_sort(struct weir_samples *samples);
/* The smallest of the kept ones that permille / 1000 of them do not exceed. There must be one. */
int64_t weir_samples_quantile(const struct weir_samples *samples, unsigned permille);
/* Of the sorted ones, those below `limit`. */
size_t weir_samples_below(const struct weir_samples *samples, int64_t limit);
void weir_samples_free(struct weir_samples *samples);

/* ---- execution times from a file (times_file.c) ---- */

struct weir_times_row {
    const char *name, *iteration_text, *time_text;
    uint32_t line, op;
    int64_t iteration, time;
};

struct weir_times_file {
    const char *path;
    char *text;
    char *times; /* all of them as written, separated by commas */
    struct weir_times_row *rows;
    size_t count, capacity;
    int64_t last_iteration; /* known once bound */
    size_t *cursors;        /* by operator */
    uint32_t operators;
};

/* Reads lines of operator,iteration,time. Prints every mistake with its line. */
enum weir_exit weir_times_read(const char *path, struct weir_times_file *file);
/* Finds the operators, and checks iterations and times. iterations: how many there are at most. */
enum weir_exit weir_times_bind(struct weir_times_file *file, const struct weir_pipeline *pipeline, int64_t iterations);
/* The time of an execution, or -1 when the file does not give it. Ask in order of iterations per operator. */
int64_t weir_times_given(struct weir_times_file *file, struct weir_operator op, int64_t iteration);
void weir_times_free(struct weir_times_file *file);

/* ---- the runs of one model (simulation.c) ---- */

struct weir_simulate_settings {
    bool json, mixed; /* mixed: random and bang-bang by turns, after one run each at worst and at best */
    const char *times_name;
    enum weir_times times;
    uint64_t runs, iterations, seed;
    /* Shared processors. */
    const char *releases_name;
    enum weir_releases releases;
    bool mixed_releases;       /* all of them by turns */
    uint64_t search;           /* runs that climb towards late executions */
    const char *shared_option; /* an option that only goes with them; NULL: none was given */
    /* A pool of cores. */
    uint64_t cores; /* 0: the model's */
    enum weir_edf_arrivals pool_arrivals;
    /* A GPU. */
    const char *method, *dispatch; /* as given, or NULL */
    uint64_t sms;                  /* 0: the model's */
    /* A thread per operator. */
    const char *trace; /* where the first run goes; NULL: nowhere */
    const char *log;   /* ... as a Data Flow Tracking log */
    const struct weir_verb *verb;
};

struct weir_bounds {
    struct weir_separation worst, best; /* as in struct weir_latency */
    bool loose;                         /* WEIR_EXACT is then: never passed; whether it is reached is not said */
    const char *why;                    /* why there is none, or NULL */
};

struct weir_simulation {
    const struct weir_simulate_settings *settings;
    const struct weir_pipeline *pipeline;
    const char *title;
    struct weir_times_file *given;      /* or NULL */
    struct weir_shared *shared;         /* shared processors (priority_simulate.c), else NULL */
    struct weir_workers_analysis *pool; /* operators that share workers (workers_simulate.c), else NULL */
    struct weir_ages *ages;             /* messages are followed (simulate_ages.c), else NULL */
    int64_t runs, iterations;
    uint32_t pair_count;
    struct weir_samples *samples; /* by pair */
    struct weir_bounds *bounds;
    struct weir_operator_roles *roles; /* by operator */
    uint32_t *next_from, *next_to;     /* by pair */
    struct weir_progress progress;
    int64_t run, events;
    FILE *trace;                  /* of the run that is under way; NULL: none */
    struct weir_flow_writer *log; /* ... which is logged; NULL: not */
};

/* Runs it all, and holds it against the bounds: a latency outside of them is a bug, said loudly. Prints what went wrong. */
enum weir_exit weir_simulation_run(struct weir_simulation *simulation);
void weir_simulation_free(struct weir_simulation *simulation);
/* What a run tells: latencies that begin at the operator, and such that end there. */
void weir_simulation_note_from(struct weir_simulation *simulation, struct weir_operator op, int64_t iteration, int64_t time);
void weir_simulation_note_to(struct weir_simulation *simulation, struct weir_operator op, int64_t iteration, int64_t time);
/* The time of an execution where a file gives times. */
int64_t weir_simulation_given(void *simulation, struct weir_operator op, enum weir_part part, int64_t iteration);

/* ---- operators that share workers (workers_simulate.c) ---- */

/* Analyses the model: its bounds become those of the simulation. Prints what went wrong. */
enum weir_exit weir_pool_begin(struct weir_simulation *simulation);
/* The next of the orders in which free workers take operators. */
enum weir_workers_order weir_pool_order(const struct weir_simulation *simulation);
/* The scheduler: a line, and keys that each begin with a comma. */
void weir_pool_print(const struct weir_simulation *simulation);
void weir_pool_print_json(const struct weir_simulation *simulation);

/* ---- batches, and connections that do not wait: messages are followed (simulate_ages.c) ---- */

/* Whether iterations do not tell which execution handles what. */
bool weir_ages_needed(const struct weir_pipeline *pipeline);
/* Analyses the model: its bounds become those of the simulation. Prints what went wrong. */
enum weir_exit weir_ages_begin(struct weir_simulation *simulation);
/* One run. `options` is what a run without any of this has. Also of models that do not need it. */
enum weir_status weir_ages_run_once(struct weir_simulation *simulation, const struct weir_simulation_options *options,
                                    struct weir_error *error);
/* An execution begins (exact arrivals: its input arrives). */
void weir_ages_note_from(struct weir_simulation *simulation, struct weir_operator op, int64_t execution, int64_t time);
/* What messages were lost, and what failed: lines, and keys that each begin with a comma. */
void weir_ages_print(const struct weir_simulation *simulation);
void weir_ages_print_json(const struct weir_simulation *simulation);
/* Whether something happened that the analysis excludes; says so. */
enum weir_exit weir_ages_check(const struct weir_simulation *simulation);
void weir_ages_free(struct weir_ages *ages); /* NULL is fine */

/* ---- the first run as a log (simulate_log.c) ---- */

/* One run by `run`, which goes into the file of the settings. Prints what went wrong. */
enum weir_exit weir_simulation_log(struct weir_simulation *simulation, enum weir_exit (*run)(struct weir_simulation *));

/* ---- what it comes to (distribution.c) ---- */

void weir_simulation_print(const struct weir_simulation *simulation);
void weir_simulation_print_json(const struct weir_simulation *simulation);

#endif
