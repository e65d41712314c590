/* SPDX-License-Identifier: Apache-2.0 */
/* Between task_pool.c, which has the threads, and task_pool_ranks.c, which talks to other processes. */
#ifndef WEIR_BASE_TASK_POOL_INSIDE_H
#define WEIR_BASE_TASK_POOL_INSIDE_H

#include "base/task_pool.h"

#include <pthread.h>

/* The error so far, which is also sent: of which task. */
struct weir_task_pool_failure {
    uint64_t task;
    enum weir_status status;
    struct weir_error error;
};

struct weir_task_pool {
    const struct weir_task_pool_work *work;
    const struct weir_task_pool_options *options;
    const struct weir_ranks *ranks; /* NULL: alone */
    char *results;
    uint8_t *done;
    pthread_t caller;
    const bool *watched; /* by the caller; looked at within tasks where the options have no `stop` */
    unsigned workers;    /* that take from the tasks here, other processes among them */

    pthread_mutex_t lock;   /* of all below, of the hint, and of results that others may look at */
    pthread_cond_t arrived; /* tasks, or nothing more will come */
    pthread_cond_t idle;    /* a thread has nothing to do */
    uint64_t next, end;     /* tasks that are not taken yet */
    uint64_t finished;
    unsigned news;        /* counts what came into the hint; also looked at without the lock */
    unsigned alive, busy; /* threads */
    bool closed;          /* no tasks come after these */
    bool stopped;
    bool journaled;                        /* results are noted */
    struct weir_task_pool_failure failure; /* the first, in the order of tasks; WEIR_OK: none */
};

/* NULL: alone. Never again once rank 0 was stopped. */
const struct weir_ranks *weir_ranks_get(void);

/* A stretch of tasks, `most` at most, fewer towards the end; false: none are left. */
bool weir_task_pool_hand_out(struct weir_task_pool *pool, uint64_t most, uint64_t *first, uint64_t *end);
/* Takes what came back of [first, end), tails left where they are. */
void weir_task_pool_take_back(struct weir_task_pool *pool, uint64_t first, uint64_t end, const char *results, const uint8_t *done);
/* Remembers that a task failed; the first in the order of the tasks is what counts. */
void weir_task_pool_fail(struct weir_task_pool *pool, uint64_t task, enum weir_status status, const struct weir_error *error);
void weir_task_pool_hint(struct weir_task_pool *pool, void *hint); /* a copy of it */
void weir_task_pool_show(struct weir_task_pool *pool);             /* reports the progress */
bool weir_task_pool_asked_to_stop(const struct weir_task_pool *pool);
/* Performs [first, end) with the threads here and waits for that. */
void weir_task_pool_stretch(struct weir_task_pool *pool, uint64_t first, uint64_t end);

static inline struct weir_task_pool_tail *weir_task_pool_tail(const struct weir_task_pool *pool, uint64_t task)
{
    return (struct weir_task_pool_tail *)(void *)(pool->results + task * pool->work->result_size);
}

/* ---- task_pool_journal.c: what was found before, and is to be found again ---- */

bool weir_task_pool_journaled(const struct weir_task_pool *pool);
/* At the beginning of a search: puts back the results of tasks that were done before, and calls `take` for each. */
enum weir_status weir_task_pool_recall(struct weir_task_pool *pool, void (*take)(struct weir_task_pool *pool, uint64_t task),
                                       struct weir_error *error);
/* Notes the result of a task; after some of them, that they are to be there whatever comes. False: the file cannot be written. */
bool weir_task_pool_note(const struct weir_task_pool *pool, uint64_t task);
bool weir_task_pool_note_end(void);
enum weir_status weir_task_pool_note_failed(struct weir_error *error);

/* How many tasks to take at once, when so many took so long: such that it is neither too short to be worth it, nor too long. */
uint64_t weir_task_pool_pace(uint64_t tasks, int64_t nanoseconds, int64_t wanted);

/* Rank 0: serves the others until nothing is left and all of them have been told so, or until it is stopped. */
enum weir_status weir_task_pool_lead(struct weir_task_pool *pool, struct weir_error *error);
/* The others: ask for tasks until there are none. */
enum weir_status weir_task_pool_follow(struct weir_task_pool *pool, struct weir_error *error);
/* The same end for all of them: results, marks, hint, and the error. */
enum weir_status weir_task_pool_share(struct weir_task_pool *pool, struct weir_error *error);

#endif
