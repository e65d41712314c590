/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Many runs of one pipeline beside its bounds. An engine's `simulate` finds the bounds (weir_simulation_bounds), runs its simulator
 * and gives every latency to the chain it belongs to, has them described (weir_simulation_describe), and adds its facts and tables.
 */
#ifndef WEIR_ANSWER_SIMULATE_SIMULATION_H
#define WEIR_ANSWER_SIMULATE_SIMULATION_H

#include "answer/answer.h"
#include "answer/distribution.h"

struct weir_flight;

/* The latencies of one bound. One is added when both its ends are known; until then it is in flight. */
struct weir_chain {
    struct weir_samples samples;
    int64_t shift; /* `to` handles in iteration i + shift what `from` begins in iteration i */
    struct weir_flight *flights;
    size_t flight_capacity; /* a power of two, or 0 */
    int64_t first, end;     /* iterations of `from` in flight */
    const char *note;       /* becomes that of the distribution */
};

struct weir_simulation {
    struct weir_answer *answer;
    const struct weir_pipeline *pipeline;
    const struct weir_simulate_options *options;
    enum weir_times times; /* unless mixed */
    bool mixed;
    int64_t runs, iterations;
    int64_t wanted;            /* runs, where an interrupt left some of them out: `runs` were made; 0: all were */
    struct weir_chain *chains; /* by bound */
    struct weir_role *roles;   /* by operator: the chains that begin and end there */
    uint32_t *next_from, *next_to;
    int64_t run, events;
    void *engine; /* the engine's own */
};

/* ---- simulate.c ---- */

/* Fills the bounds of the answer with those of the engine, and makes a chain for each. */
enum weir_status weir_simulation_bounds(struct weir_simulation *s, struct weir_error *error);
enum weir_status weir_simulation_make_chains(struct weir_simulation *s, struct weir_error *error);
/* A number for each run from the seed and the number of the run, well mixed. */
uint64_t weir_simulation_seed(const struct weir_simulation *s, uint64_t run);
/* All runs by `run_once`, which may be asked to go on where `run` is 0. */
enum weir_status weir_simulation_run(struct weir_simulation *s,
                                     enum weir_status (*run_once)(struct weir_simulation *s, struct weir_error *error),
                                     struct weir_error *error);
/* Describes what was seen of each bound. What lies outside of a bound is WEIR_INTERNAL. */
enum weir_status weir_simulation_describe(struct weir_simulation *s, struct weir_error *error);
/* "100 runs of 1,000 iterations on 2 cores, mixed times, any arrivals, seed 1", and the keys of JSON that go with it. `of` is what
 * iterations are called, or NULL; `on` and `how` stand behind the iterations and behind the times, and may be "". */
void weir_simulation_scope(struct weir_simulation *s, const char *of, const char *on, const char *how);
/* a / b, a little less where that does not fit; denominator 0 where b is 0. */
struct weir_ratio weir_simulation_share(struct weir_ratio a, struct weir_ratio b);
void weir_bound_add_detail(struct weir_answer *answer, struct weir_bound *bound, const char *key, struct weir_datum value);

/* ---- chains.c ---- */

void weir_chain_begin_run(struct weir_chain *chain);
void weir_chain_note_from(struct weir_chain *chain, int64_t iteration, int64_t time);
void weir_chain_note_to(struct weir_chain *chain, int64_t iteration, int64_t time);
void weir_chain_free(struct weir_chain *chain);
/* What begins or ends at an operator, to all chains there. */
bool weir_simulation_assign_roles(struct weir_simulation *s); /* false: out of memory */
bool weir_simulation_counts_arrivals(const struct weir_simulation *s, struct weir_operator op);
void weir_simulation_note_from(struct weir_simulation *s, struct weir_operator op, int64_t iteration, int64_t time);
void weir_simulation_note_to(struct weir_simulation *s, struct weir_operator op, int64_t iteration, int64_t time);
void weir_simulation_count_event(struct weir_simulation *s, int64_t iteration);

/* ---- options.c ---- */

extern const char *const weir_times_names[4], *const weir_releases_names[6], *const weir_gpu_dispatch_names[WEIR_GPU_DISPATCHES];

/* ---- threads.c, followed.c ---- */

/* The times of the run that is under way. */
enum weir_times weir_simulation_times(const struct weir_simulation *s);
/* Whether the data of messages must be followed: iterations do not tell which execution handles what. */
bool weir_followed_needed(const struct weir_pipeline *pipeline);
enum weir_status weir_followed_begin(struct weir_simulation *s, struct weir_error *error);
/* `order`: of operators that share threads. */
enum weir_status weir_followed_run(struct weir_simulation *s, const struct weir_simulation_options *run,
                                   enum weir_workers_order order, struct weir_error *error);
void weir_followed_note_from(struct weir_simulation *s, struct weir_operator op, int64_t execution, int64_t time);
/* What messages were lost, and what failed; WEIR_INTERNAL where the analysis excludes it. */
enum weir_status weir_followed_tell(struct weir_simulation *s, struct weir_error *error);
void weir_followed_end(struct weir_simulation *s);

/* ---- which executions belong together on a pool of cores (edf_paths.c) ---- */

/* The queues on all paths of one chain, each after those that lead to it. */
struct weir_edf_paths {
    struct weir_queue_spec *queues; /* no rate is 0 */
    size_t count;
    uint32_t from, to;
    int64_t *marks; /* by operator; scratch, which the paths of one pipeline may share */
};
/* False when out of memory. paths->marks is set before. */
bool weir_edf_paths_find(const struct weir_simulation *s, const struct weir_chain_spec *chain, struct weir_edf_paths *paths);
/* The last execution of `to` that takes anything made of execution n of `from`. */
int64_t weir_edf_paths_last(const struct weir_edf_paths *paths, int64_t n);
/* The last execution of `from` that execution k of `to` needs; 0 or less: none. */
int64_t weir_edf_paths_needed(const struct weir_edf_paths *paths, int64_t k);

/* ---- what the rows of the table of engines (answer/find.c) have for `simulate` ---- */

enum weir_status weir_simulate_threads(struct weir_simulation *s, struct weir_error *error);
enum weir_status weir_simulate_priority(struct weir_simulation *s, struct weir_error *error);
enum weir_status weir_simulate_edf(struct weir_simulation *s, struct weir_error *error);
enum weir_status weir_simulate_gpu(struct weir_simulation *s, struct weir_error *error);

#endif
