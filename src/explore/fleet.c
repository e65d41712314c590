/* SPDX-License-Identifier: Apache-2.0 */
/* Threads take the next task until none is left. The calling thread is one of them; where there are other processes it looks after
 * those instead, and one more thread works in its place. */
#include "explore/fleet.h"

#include "base/alloc.h"
#include "base/error.h"

#include <pthread.h>
#include <string.h>
#include <unistd.h>

static const struct weir_ranks *ranks_set;

void weir_set_ranks(const struct weir_ranks *ranks)
{
    ranks_set = ranks;
}

const struct weir_ranks *weir_ranks_get(void)
{
    return ranks_set && ranks_set->count > 1 ? ranks_set : NULL;
}

struct weir_fleet {
    const struct weir_fleet_work *work;
    const struct weir_fleet_options *options;
    char *results;
    uint8_t *done;

    pthread_mutex_t lock;
    uint64_t next, end; /* tasks that nobody has taken */
    uint64_t finished;
    bool stopped;
    struct weir_fleet_failure failure; /* the first, in the order of tasks; WEIR_OK: none */
    unsigned thread_count;
    pthread_t threads[WEIR_FLEET_THREADS_MAX];
    pthread_t caller;
};

/* ---- what is shared, each under the lock ---- */

static bool asked_to_stop(const struct weir_fleet *c)
{
    return c->options->stop && __atomic_load_n(c->options->stop, __ATOMIC_RELAXED);
}

static void fail_locked(struct weir_fleet *c, uint64_t task, enum weir_status status, const struct weir_error *error)
{
    if (c->failure.status && c->failure.task <= task)
        return;
    c->failure.task = task;
    c->failure.status = status;
    c->failure.error = error ? *error : (struct weir_error){.status = status};
}

void weir_fleet_fail(struct weir_fleet *c, uint64_t task, enum weir_status status, const struct weir_error *error)
{
    pthread_mutex_lock(&c->lock);
    fail_locked(c, task, status, error);
    pthread_mutex_unlock(&c->lock);
}

/* Tasks before one that failed are still done: one of them may fail as well, and would be the first. */
bool weir_fleet_hand_out(struct weir_fleet *c, uint64_t most, uint64_t *first, uint64_t *end)
{
    pthread_mutex_lock(&c->lock);
    c->stopped |= c->next < c->end && asked_to_stop(c);
    bool any = c->next < c->end && !c->stopped && !(c->failure.status && c->failure.task < c->next);
    if (any) {
        uint64_t left = c->end - c->next;
        *first = c->next;
        c->next += left < most ? left : most;
        *end = c->next;
    }
    pthread_mutex_unlock(&c->lock);
    return any;
}

static void learn_locked(struct weir_fleet *c, uint64_t task)
{
    const struct weir_fleet_work *w = c->work;
    c->done[task] = 1;
    c->finished++;
    if (w->learn && w->hint)
        w->learn(w->context, c->results + task * w->result_size, w->hint);
}

void weir_fleet_take_back(struct weir_fleet *c, uint64_t first, uint64_t end, const void *results, const uint8_t *done)
{
    pthread_mutex_lock(&c->lock);
    memcpy(c->results + first * c->work->result_size, results, (end - first) * c->work->result_size);
    for (uint64_t task = first; task < end; task++)
        if (done[task - first])
            learn_locked(c, task);
    pthread_mutex_unlock(&c->lock);
}

void weir_fleet_hint(struct weir_fleet *c, void *hint)
{
    pthread_mutex_lock(&c->lock);
    if (c->work->hint_size)
        memcpy(hint, c->work->hint, c->work->hint_size);
    pthread_mutex_unlock(&c->lock);
}

void *weir_fleet_results(struct weir_fleet *c)
{
    return c->results;
}

uint8_t *weir_fleet_done(struct weir_fleet *c)
{
    return c->done;
}

struct weir_fleet_failure *weir_fleet_failure(struct weir_fleet *c)
{
    return &c->failure;
}

/* ---- a thread ---- */

void weir_fleet_show(struct weir_fleet *c)
{
    if (!c->options->progress || !pthread_equal(pthread_self(), c->caller))
        return;
    pthread_mutex_lock(&c->lock);
    uint64_t finished = c->finished;
    pthread_mutex_unlock(&c->lock);
    c->options->progress(c->options->context, (unsigned)((double)finished / (double)c->work->count * 1000));
}

static void perform(struct weir_fleet *c, void *scratch, void *hint, uint64_t task)
{
    const struct weir_fleet_work *w = c->work;
    struct weir_error error = {0};
    char *result = c->results + task * w->result_size;
    memset(result, 0, w->result_size);
    weir_fleet_hint(c, hint);
    enum weir_status status = w->perform(scratch, w->context, task, hint, result, &error);
    pthread_mutex_lock(&c->lock);
    if (status)
        fail_locked(c, task, status, &error);
    else
        learn_locked(c, task);
    pthread_mutex_unlock(&c->lock);
    weir_fleet_show(c);
}

static void *work(void *argument)
{
    struct weir_fleet *c = argument;
    const struct weir_fleet_work *w = c->work;
    struct weir_error error = {0};
    void *scratch = NULL, *hint = weir_array(w->hint_size, 1);
    enum weir_status status = hint ? WEIR_OK : weir_fail_memory(&error);
    if (!status && w->enter)
        status = w->enter(w->context, &scratch, &error);
    uint64_t task, end;
    while (!status && weir_fleet_hand_out(c, 1, &task, &end))
        perform(c, scratch, hint, task);
    if (status)
        weir_fleet_fail(c, 0, status, &error);
    else if (w->leave)
        w->leave(scratch);
    weir_free(hint);
    return NULL;
}

/* ---- all of them ---- */

static unsigned threads_wanted(const struct weir_fleet *c)
{
    long cores = weir_ranks_get() ? 1 : sysconf(_SC_NPROCESSORS_ONLN);
    unsigned threads = c->options->threads ? c->options->threads : cores < 1 ? 1 : (unsigned)cores;
    if (threads > WEIR_FLEET_THREADS_MAX)
        threads = WEIR_FLEET_THREADS_MAX;
    uint64_t tasks = c->end - c->next;
    return tasks < threads ? (unsigned)tasks : threads;
}

/* A thread that cannot be made is no error while another works. */
static void begin(struct weir_fleet *c, unsigned threads)
{
    for (c->thread_count = 0; c->thread_count < threads; c->thread_count++)
        if (pthread_create(&c->threads[c->thread_count], NULL, work, c))
            break;
}

static void end(struct weir_fleet *c)
{
    for (unsigned i = 0; i < c->thread_count; i++)
        pthread_join(c->threads[i], NULL);
    c->thread_count = 0;
}

/* The tasks from c->next to c->end by all threads, the calling one among them. */
static void work_here(struct weir_fleet *c)
{
    unsigned threads = threads_wanted(c);
    begin(c, threads ? threads - 1 : 0);
    work(c);
    end(c);
}

static enum weir_status work_stretch(struct weir_fleet *c, uint64_t first, uint64_t last, struct weir_error *error)
{
    c->next = first;
    c->end = last;
    work_here(c);
    if (c->failure.status && error)
        *error = c->failure.error;
    return c->failure.status;
}

static enum weir_status work_together(struct weir_fleet *c, const struct weir_ranks *ranks, struct weir_error *error)
{
    enum weir_status status;
    if (ranks->rank == 0) {
        begin(c, threads_wanted(c));
        status = weir_fleet_lead(c, c->work, error);
        end(c);
    } else {
        c->next = c->end = 0;
        status = weir_fleet_follow(c, c->work, work_stretch, error);
    }
    return status ? status : weir_fleet_share(c, c->work, error);
}

enum weir_status weir_fleet_run(const struct weir_fleet_work *w, const struct weir_fleet_options *options, void *results,
                                uint8_t *done, struct weir_error *error)
{
    const struct weir_ranks *ranks = weir_ranks_get();
    struct weir_fleet *c = weir_array_zeroed(1, sizeof *c);
    if (!c)
        return weir_fail_memory(error);
    *c = (struct weir_fleet){.work = w, .options = options, .results = results, .done = done, .end = w->count};
    c->caller = pthread_self();
    memset(done, 0, w->count);
    pthread_mutex_init(&c->lock, NULL);
    enum weir_status status = WEIR_OK;
    if (ranks)
        status = work_together(c, ranks, error);
    else if (w->count)
        work_here(c);
    if (!status && c->failure.status) {
        status = c->failure.status;
        if (error)
            *error = c->failure.error;
    }
    pthread_mutex_destroy(&c->lock);
    weir_free(c);
    return status;
}
