/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbered tasks that do not depend on each other, done by many threads, and by many processes where there are (weir/ranks.h).
 * The result does not depend on which thread does a task: the results lie in the order of the tasks.
 *
 * A search that learns from one task what it need not look at in the next has a hint: results are taken into it as they come, and
 * every task sees it as it was when the task began. What a task leaves out because of it must not matter for what is found.
 */
#ifndef WEIR_BASE_TASK_POOL_H
#define WEIR_BASE_TASK_POOL_H

#include "weir.h"

#define WEIR_TASK_POOL_THREADS_MAX 256

struct weir_task_pool_work {
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
    /* Takes a result into a hint: the same whatever the order, and no more if it is taken twice. It changes nothing else: each
     * thread has a copy of the hint. */
    void (*learn)(const void *context, const void *result, void *hint);
    bool tails; /* each result begins with a struct weir_task_pool_tail */
    bool whole; /* a task that was interrupted has no result; else the result says what of it counts */
};

/* What belongs to a result but is of any size: plain data as well, allocated by `perform` (base/alloc.h). All results are zeroed at
 * the beginning, and the caller frees the bytes of all of them, after an error, too. */
struct weir_task_pool_tail {
    void *bytes;
    uint64_t size;
};

struct weir_task_pool_options {
    unsigned threads; /* 0: one per core, or one where several processes work */
    const bool *stop; /* looked at before each task, and within (interrupt.h), atomically; may be NULL. With several processes, that
                         of rank 0 counts: it does not wait for what the others have begun, and is alone from then on */
    void (*progress)(void *context, unsigned permille); /* from the calling thread; may be NULL */
    void *context;
    bool here; /* by this process alone */
};
/* From the options of a search, which have these under the same names. */
#define WEIR_TASK_POOL_OPTIONS(o)                                                                                                  \
    {                                                                                                                              \
        .threads = (o)->threads, .stop = (o)->stop, .progress = (o)->progress, .context = (o)->context                             \
    }

/* results: count * result_size bytes, the caller's; done: count bytes, 1 where there is a result. All are done unless it was
 * stopped. The error is that of the first task, in their order, that failed. */
enum weir_status weir_task_pool_run(const struct weir_task_pool_work *work, const struct weir_task_pool_options *options,
                                    void *results, uint8_t *done, struct weir_error *error);

/* Of a clock that never goes back. */
int64_t weir_task_pool_clock(void); /* nanoseconds */

#endif
