/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbered tasks that do not depend on each other, done by many threads, and by many processes where there are (weir/ranks.h).
 * Which thread does a task nobody can tell from its result. The results lie in the order of the tasks, whoever did them.
 *
 * A search that learns from one task what it need not look at in the next has a hint: results are taken into it as they come, and
 * every task sees it as it was when the task began. What a task leaves out because of it must not matter for what is found.
 */
#ifndef WEIR_EXPLORE_FLEET_H
#define WEIR_EXPLORE_FLEET_H

#include "weir.h"

#define WEIR_FLEET_THREADS_MAX 256

struct weir_fleet_work {
    uint64_t count;      /* tasks */
    size_t result_size;  /* bytes, of each; plain data without pointers */
    size_t hint_size;    /* 0: no hint */
    void *hint;          /* the first one, and at the end the last; the caller's */
    const void *context; /* what all tasks share; they only read it */
    /* What a thread needs for itself, an evaluator say; both may be NULL. */
    enum weir_status (*enter)(const void *context, void **scratch, struct weir_error *error);
    void (*leave)(void *scratch);
    /* `result` comes zeroed. */
    enum weir_status (*perform)(void *scratch, const void *context, uint64_t task, const void *hint, void *result,
                                struct weir_error *error);
    /* Takes a result into the hint: in any order, the same whatever the order. Never called by two threads at once. */
    void (*learn)(const void *context, const void *result, void *hint);
};

struct weir_fleet_options {
    unsigned threads; /* 0: one per core, or one where several processes work */
    const bool *stop; /* looked at before each task, atomically; may be NULL. With several processes, that of rank 0 counts */
    void (*progress)(void *context, unsigned permille); /* from the calling thread; may be NULL */
    void *context;
};

/* results: count * result_size bytes, the caller's; done: count bytes, 1 where there is a result. All are done unless it was
 * stopped. The error is that of the first task, in their order, that failed. */
enum weir_status weir_fleet_run(const struct weir_fleet_work *work, const struct weir_fleet_options *options, void *results,
                                uint8_t *done, struct weir_error *error);

/* ---- between fleet.c and fleet_ranks.c ---- */

struct weir_fleet;
const struct weir_ranks *weir_ranks_get(void); /* NULL: alone */

/* A stretch of tasks for another process; false: none are left. */
bool weir_fleet_hand_out(struct weir_fleet *fleet, uint64_t most, uint64_t *first, uint64_t *end);
/* Takes what came back of [first, end). */
void weir_fleet_take_back(struct weir_fleet *fleet, uint64_t first, uint64_t end, const void *results, const uint8_t *done);
/* Remembers that task `task` failed; the first in the order of the tasks is what counts. UINT64_MAX: no task did. */
void weir_fleet_fail(struct weir_fleet *fleet, uint64_t task, enum weir_status status, const struct weir_error *error);
void weir_fleet_hint(struct weir_fleet *fleet, void *hint); /* a copy of it */
void weir_fleet_show(struct weir_fleet *fleet);             /* how far it is, to who wants to know */

/* Rank 0: serves the others until nothing is left and all of them have been told so. */
enum weir_status weir_fleet_lead(struct weir_fleet *fleet, const struct weir_fleet_work *work, struct weir_error *error);
/* The others: ask for tasks until there are none; `run` performs [first, end) with all threads. */
typedef enum weir_status weir_fleet_stretch(struct weir_fleet *fleet, uint64_t first, uint64_t end, struct weir_error *error);
enum weir_status weir_fleet_follow(struct weir_fleet *fleet, const struct weir_fleet_work *work, weir_fleet_stretch *run,
                                   struct weir_error *error);
/* The same end for all of them: results, marks, hint, and the error. */
enum weir_status weir_fleet_share(struct weir_fleet *fleet, const struct weir_fleet_work *work, struct weir_error *error);

/* For fleet_ranks.c: where results and marks lie. */
void *weir_fleet_results(struct weir_fleet *fleet);
uint8_t *weir_fleet_done(struct weir_fleet *fleet);
/* The error so far, to be sent: which task, which status. */
struct weir_fleet_failure {
    uint64_t task;
    enum weir_status status;
    struct weir_error error;
};
struct weir_fleet_failure *weir_fleet_failure(struct weir_fleet *fleet);

#endif
