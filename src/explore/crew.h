/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbered tasks that do not depend on each other, done by many threads, and by many processes where there are (weir/ranks.h).
 * Which thread does a task nobody can tell from its result. The results lie in the order of the tasks, whoever did them.
 *
 * A search that learns from one task what it need not look at in the next has a hint: results are taken into it as they come, and
 * every task sees it as it was when the task began. What a task leaves out because of it must not matter for what is found.
 */
#ifndef WEIR_EXPLORE_CREW_H
#define WEIR_EXPLORE_CREW_H

#include "weir.h"

#define WEIR_CREW_THREADS_MAX 256

struct weir_crew_work {
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

struct weir_crew_options {
    unsigned threads; /* 0: one per core, or one where several processes work */
    const bool *stop; /* looked at before each task, atomically; may be NULL. With several processes, that of rank 0 counts */
    void (*progress)(void *context, unsigned permille); /* from the calling thread; may be NULL */
    void *context;
};

/* results: count * result_size bytes, the caller's; done: count bytes, 1 where there is a result. All are done unless it was
 * stopped. The error is that of the first task, in their order, that failed. */
enum weir_status weir_crew_run(const struct weir_crew_work *work, const struct weir_crew_options *options, void *results,
                               uint8_t *done, struct weir_error *error);

/* ---- between crew.c and crew_ranks.c ---- */

struct weir_crew;
const struct weir_ranks *weir_ranks_get(void); /* NULL: alone */

/* A stretch of tasks for another process; false: none are left. */
bool weir_crew_hand_out(struct weir_crew *crew, uint64_t most, uint64_t *first, uint64_t *end);
/* Takes what came back of [first, end). */
void weir_crew_take_back(struct weir_crew *crew, uint64_t first, uint64_t end, const void *results, const uint8_t *done);
/* Remembers that task `task` failed; the first in the order of the tasks is what counts. UINT64_MAX: no task did. */
void weir_crew_fail(struct weir_crew *crew, uint64_t task, enum weir_status status, const struct weir_error *error);
void weir_crew_hint(struct weir_crew *crew, void *hint); /* a copy of it */
void weir_crew_show(struct weir_crew *crew);             /* how far it is, to who wants to know */

/* Rank 0: serves the others until nothing is left and all of them have been told so. */
enum weir_status weir_crew_lead(struct weir_crew *crew, const struct weir_crew_work *work, struct weir_error *error);
/* The others: ask for tasks until there are none; `run` performs [first, end) with all threads. */
typedef enum weir_status weir_crew_stretch(struct weir_crew *crew, uint64_t first, uint64_t end, struct weir_error *error);
enum weir_status weir_crew_follow(struct weir_crew *crew, const struct weir_crew_work *work, weir_crew_stretch *run,
                                  struct weir_error *error);
/* The same end for all of them: results, marks, hint, and the error. */
enum weir_status weir_crew_share(struct weir_crew *crew, const struct weir_crew_work *work, struct weir_error *error);

/* For crew_ranks.c: where results and marks lie. */
void *weir_crew_results(struct weir_crew *crew);
uint8_t *weir_crew_done(struct weir_crew *crew);
/* The error so far, to be sent: which task, which status. */
struct weir_crew_failure {
    uint64_t task;
    enum weir_status status;
    struct weir_error error;
};
struct weir_crew_failure *weir_crew_failure(struct weir_crew *crew);

#endif
