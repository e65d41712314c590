/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads take tasks until none is left, as many at once as take about a millisecond, so that the lock is not what they wait for.
 * The calling thread is one of them; where there are other processes it looks after those instead, and one more thread works in its
 * place.
 */
#include "base/alloc.h"
#include "base/error.h"
#include "base/interrupt.h"
#include "base/task_pool_inside.h"

#include <string.h>
#include <time.h>
#include <unistd.h>

#define STRETCH_MAX 4096
#define STRETCH_NANOSECONDS 1000000

static const struct weir_ranks *ranks_set;
static bool alone; /* the others have been left behind */

void weir_set_ranks(const struct weir_ranks *ranks)
{
    ranks_set = ranks;
    alone = false;
}

const struct weir_ranks *weir_ranks_get(void)
{
    return ranks_set && ranks_set->count > 1 && !alone ? ranks_set : NULL;
}

/* ---- how much at once ---- */

int64_t weir_task_pool_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

uint64_t weir_task_pool_pace(uint64_t tasks, int64_t nanoseconds, int64_t wanted)
{
    uint64_t more = nanoseconds < wanted / 2 ? tasks * 2 : nanoseconds > wanted ? tasks / 2 : tasks;
    return more < 1 ? 1 : more > STRETCH_MAX ? STRETCH_MAX : more;
}

/* ---- what is shared, each under the lock ---- */

bool weir_task_pool_asked_to_stop(const struct weir_task_pool *c)
{
    return c->options->stop && __atomic_load_n(c->options->stop, __ATOMIC_RELAXED);
}

static void fail_locked(struct weir_task_pool *c, uint64_t task, enum weir_status status, const struct weir_error *error)
{
    if (c->failure.status && c->failure.task <= task)
        return;
    c->failure.task = task;
    c->failure.status = status;
    c->failure.error = error ? *error : (struct weir_error){.status = status};
}

void weir_task_pool_fail(struct weir_task_pool *c, uint64_t task, enum weir_status status, const struct weir_error *error)
{
    pthread_mutex_lock(&c->lock);
    fail_locked(c, task, status, error);
    pthread_mutex_unlock(&c->lock);
}

/* Tasks before one that failed are still done: one of them may fail as well, and would be the first. */
static bool can_take(const struct weir_task_pool *c)
{
    return c->next < c->end && !c->stopped && !(c->failure.status && c->failure.task < c->next);
}

static bool take_locked(struct weir_task_pool *c, uint64_t most, uint64_t *first, uint64_t *end)
{
    c->stopped |= c->next < c->end && weir_task_pool_asked_to_stop(c);
    while (c->next < c->end && c->done[c->next]) /* by an earlier run */
        c->next++;
    if (!can_take(c))
        return false;
    uint64_t share = (c->end - c->next) / (4 * (uint64_t)c->workers);
    share = share < 1 ? 1 : share > most ? most : share;
    *first = c->next;
    for (*end = c->next + 1; *end < *first + share && !c->done[*end]; ++*end)
        ;
    c->next = *end;
    return true;
}

bool weir_task_pool_hand_out(struct weir_task_pool *c, uint64_t most, uint64_t *first, uint64_t *end)
{
    pthread_mutex_lock(&c->lock);
    bool any = take_locked(c, most, first, end);
    pthread_mutex_unlock(&c->lock);
    return any;
}

static void learn_locked(struct weir_task_pool *c, uint64_t task)
{
    const struct weir_task_pool_work *w = c->work;
    c->done[task] = 1;
    c->finished++;
    if (w->learn && w->hint)
        w->learn(w->context, c->results + task * w->result_size, w->hint);
}

/* For another run. What was left halfway because of an interrupt is not noted. */
static void note_locked(struct weir_task_pool *c, uint64_t first, uint64_t end)
{
    if (!c->journaled || weir_task_pool_asked_to_stop(c))
        return;
    bool good = true;
    for (uint64_t task = first; task < end && good; task++)
        good = !c->done[task] || weir_task_pool_note(c, task);
    if (good && weir_task_pool_note_end())
        return;
    struct weir_error error = {0};
    fail_locked(c, 0, weir_task_pool_note_failed(&error), &error);
}

/* What a thread knows: its copy of the hint, and which one it is a copy of. */
struct copy {
    char *hint, *before; /* as it was before the last result */
    unsigned news;
};

static void refresh_locked(struct weir_task_pool *c, struct copy *copy)
{
    if (c->work->hint_size)
        memcpy(copy->hint, c->work->hint, c->work->hint_size);
    copy->news = c->news;
}

/* Takes a result into the copy. What is new in it the others should know before their next task. */
static void learn(struct weir_task_pool *c, struct copy *copy, const char *result)
{
    const struct weir_task_pool_work *w = c->work;
    if (!w->learn || !w->hint_size)
        return;
    memcpy(copy->before, copy->hint, w->hint_size);
    w->learn(w->context, result, copy->hint);
    bool new = memcmp(copy->before, copy->hint, w->hint_size) != 0;
    if (!new &&__atomic_load_n(&c->news, __ATOMIC_RELAXED) == copy->news)
        return;
    pthread_mutex_lock(&c->lock);
    if (new) {
        w->learn(w->context, result, w->hint);
        __atomic_add_fetch(&c->news, 1, __ATOMIC_RELAXED);
    }
    refresh_locked(c, copy);
    pthread_mutex_unlock(&c->lock);
}

void weir_task_pool_take_back(struct weir_task_pool *c, uint64_t first, uint64_t end, const char *results, const uint8_t *done)
{
    size_t size = c->work->result_size, kept = c->work->tails ? sizeof(struct weir_task_pool_tail) : 0;
    pthread_mutex_lock(&c->lock);
    for (uint64_t task = first; task < end; task++) {
        if (!done[task - first])
            continue;
        memcpy(c->results + task * size + kept, results + (task - first) * size + kept, size - kept);
        learn_locked(c, task);
    }
    note_locked(c, first, end);
    __atomic_add_fetch(&c->news, c->work->hint_size > 0, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&c->lock);
}

void weir_task_pool_hint(struct weir_task_pool *c, void *hint)
{
    pthread_mutex_lock(&c->lock);
    if (c->work->hint_size)
        memcpy(hint, c->work->hint, c->work->hint_size);
    pthread_mutex_unlock(&c->lock);
}

/* ---- a thread ---- */

void weir_task_pool_show(struct weir_task_pool *c)
{
    if (!c->options->progress || !pthread_equal(pthread_self(), c->caller))
        return;
    pthread_mutex_lock(&c->lock);
    uint64_t finished = c->finished;
    pthread_mutex_unlock(&c->lock);
    c->options->progress(c->options->context, (unsigned)((double)finished / (double)c->work->count * 1000));
}

/* The next tasks, for which a thread waits if more may come. */
static bool await_tasks(struct weir_task_pool *c, struct copy *copy, uint64_t most, uint64_t *first, uint64_t *end)
{
    pthread_mutex_lock(&c->lock);
    bool any;
    while (!(any = take_locked(c, most, first, end)) && !c->closed)
        pthread_cond_wait(&c->arrived, &c->lock);
    c->busy += any;
    refresh_locked(c, copy);
    pthread_mutex_unlock(&c->lock);
    return any;
}

/* Publishes what was done of [first, end). */
static void finish(struct weir_task_pool *c, uint64_t first, uint64_t end)
{
    pthread_mutex_lock(&c->lock);
    for (uint64_t task = first; task < end; task++)
        learn_locked(c, task);
    note_locked(c, first, end);
    c->busy--;
    pthread_cond_signal(&c->idle);
    pthread_mutex_unlock(&c->lock);
    weir_task_pool_show(c);
}

static void perform(struct weir_task_pool *c, void *scratch, struct copy *copy, uint64_t first, uint64_t end)
{
    const struct weir_task_pool_work *w = c->work;
    uint64_t task = first;
    /* The first was begun before anybody asked to stop. */
    for (; task < end && (task == first || !weir_task_pool_asked_to_stop(c)); task++) {
        struct weir_error error = {0};
        char *result = c->results + task * w->result_size;
        memset(result, 0, w->result_size);
        const bool *before = weir_interrupt_watch(c->options->stop ? c->options->stop : c->watched);
        enum weir_status status = w->perform(scratch, w->context, task, copy->hint, result, &error);
        weir_interrupt_watch(before);
        if (w->whole && weir_task_pool_asked_to_stop(c))
            break; /* it may have been left halfway */
        if (status) {
            weir_task_pool_fail(c, task, status, &error);
            break;
        }
        learn(c, copy, result);
    }
    finish(c, first, task);
}

static void *work(void *argument)
{
    struct weir_task_pool *c = argument;
    const struct weir_task_pool_work *w = c->work;
    struct weir_error error = {0};
    void *scratch = NULL;
    struct copy copy = {.hint = weir_array(w->hint_size, 1), .before = weir_array(w->hint_size, 1)};
    enum weir_status status = WEIR_MEMORY;
    if (copy.hint && copy.before)
        status = w->enter ? w->enter(w->context, &scratch, &error) : WEIR_OK;
    else
        weir_fail_memory(&error);
    uint64_t first, end, most = 1;
    while (!status && await_tasks(c, &copy, most, &first, &end)) {
        int64_t began = weir_task_pool_clock();
        perform(c, scratch, &copy, first, end);
        if (end - first == most) /* it could have been more */
            most = weir_task_pool_pace(most, weir_task_pool_clock() - began, STRETCH_NANOSECONDS);
    }
    if (status)
        weir_task_pool_fail(c, 0, status, &error);
    else if (w->leave)
        w->leave(scratch);
    weir_free(copy.hint);
    weir_free(copy.before);
    pthread_mutex_lock(&c->lock);
    c->alive--;
    pthread_cond_signal(&c->idle);
    pthread_mutex_unlock(&c->lock);
    return NULL;
}

void weir_task_pool_stretch(struct weir_task_pool *c, uint64_t first, uint64_t end)
{
    pthread_mutex_lock(&c->lock);
    c->next = first;
    c->end = end;
    pthread_cond_broadcast(&c->arrived);
    while (c->busy || (c->alive && can_take(c)))
        pthread_cond_wait(&c->idle, &c->lock);
    pthread_mutex_unlock(&c->lock);
}

/* ---- all of them ---- */

static unsigned threads_wanted(const struct weir_task_pool *c)
{
    long cores = c->ranks ? 1 : sysconf(_SC_NPROCESSORS_ONLN);
    unsigned threads = c->options->threads ? c->options->threads : cores < 1 ? 1 : (unsigned)cores;
    if (threads > WEIR_TASK_POOL_THREADS_MAX)
        threads = WEIR_TASK_POOL_THREADS_MAX;
    return c->work->count < threads ? (unsigned)c->work->count : threads;
}

/* A thread that cannot be made is no error while another works. */
static unsigned begin(struct weir_task_pool *c, pthread_t *threads, unsigned wanted)
{
    unsigned made = 0;
    for (; made < wanted; made++) {
        pthread_mutex_lock(&c->lock);
        c->alive++;
        pthread_mutex_unlock(&c->lock);
        if (pthread_create(&threads[made], NULL, work, c)) {
            pthread_mutex_lock(&c->lock);
            c->alive--;
            pthread_mutex_unlock(&c->lock);
            break;
        }
    }
    return made;
}

static void end(struct weir_task_pool *c, const pthread_t *threads, unsigned count)
{
    pthread_mutex_lock(&c->lock);
    c->closed = true;
    pthread_cond_broadcast(&c->arrived);
    pthread_mutex_unlock(&c->lock);
    for (unsigned i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
}

static enum weir_status work_alone(struct weir_task_pool *c)
{
    pthread_t threads[WEIR_TASK_POOL_THREADS_MAX];
    unsigned wanted = threads_wanted(c);
    c->workers = wanted;
    c->closed = true;
    c->alive = 1; /* the calling one */
    unsigned made = begin(c, threads, wanted - 1);
    work(c);
    end(c, threads, made);
    return WEIR_OK;
}

static enum weir_status work_together(struct weir_task_pool *c, struct weir_error *error)
{
    pthread_t threads[WEIR_TASK_POOL_THREADS_MAX];
    bool leads = c->ranks->rank == 0;
    unsigned wanted = threads_wanted(c);
    c->workers = leads ? wanted + c->ranks->count - 1 : wanted;
    c->closed = leads;
    c->end = leads ? c->end : 0;
    unsigned made = begin(c, threads, wanted);
    enum weir_status status = made ? WEIR_OK : weir_fail(error, WEIR_MEMORY, "no thread could be started");
    if (!status)
        status = leads ? weir_task_pool_lead(c, error) : weir_task_pool_follow(c, error);
    if (status)
        weir_task_pool_fail(c, 0, status, error); /* the threads end, too */
    end(c, threads, made);
    alone |= leads && c->stopped;
    return status || alone ? status : weir_task_pool_share(c, error);
}

enum weir_status weir_task_pool_run(const struct weir_task_pool_work *w, const struct weir_task_pool_options *options,
                                    void *results, uint8_t *done, struct weir_error *error)
{
    struct weir_task_pool *c = weir_array_zeroed(1, sizeof *c);
    memset(done, 0, w->count);
    if (w->tails)
        memset(results, 0, w->count * w->result_size);
    if (!c)
        return weir_fail_memory(error);
    *c = (struct weir_task_pool){.work = w, .options = options, .results = results, .done = done, .end = w->count};
    c->caller = pthread_self();
    c->watched = weir_interrupt_watched();
    pthread_mutex_init(&c->lock, NULL);
    pthread_cond_init(&c->arrived, NULL);
    pthread_cond_init(&c->idle, NULL);
    if (ranks_set && ranks_set->rank == 0 && weir_task_pool_asked_to_stop(c))
        alone = true;
    c->ranks = options->here ? NULL : weir_ranks_get();
    enum weir_status status = WEIR_OK;
    c->journaled = weir_task_pool_journaled(c);
    if (c->journaled)
        status = weir_task_pool_recall(c, learn_locked, error);
    if (w->count && !status)
        status = c->ranks ? work_together(c, error) : work_alone(c);
    if (!status && c->failure.status) {
        status = c->failure.status;
        if (error)
            *error = c->failure.error;
    }
    pthread_cond_destroy(&c->idle);
    pthread_cond_destroy(&c->arrived);
    pthread_mutex_destroy(&c->lock);
    weir_free(c);
    return status;
}
