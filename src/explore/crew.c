/* SPDX-License-Identifier: Apache-2.0 */
#include "explore/crew.h"

#include "base/error.h"

#include <pthread.h>
#include <unistd.h>

enum { THREADS_MAX = 256 };

struct shift {
    const struct weir_crew *crew;
    size_t next, finished; /* atomically */
    bool failed;           /* atomically: no task is begun any more */
    pthread_mutex_t lock;
    size_t error_task;
    enum weir_status status;
    struct weir_error error;
};

static bool over(struct shift *s)
{
    return __atomic_load_n(&s->failed, __ATOMIC_RELAXED) || (s->crew->stop && __atomic_load_n(s->crew->stop, __ATOMIC_RELAXED));
}

static void note_failure(struct shift *s, size_t task, enum weir_status status, const struct weir_error *error)
{
    pthread_mutex_lock(&s->lock);
    if (task < s->error_task || !s->status) {
        s->error_task = task;
        s->status = status;
        s->error = *error;
    }
    pthread_mutex_unlock(&s->lock);
    __atomic_store_n(&s->failed, true, __ATOMIC_RELAXED);
}

static void work(struct shift *s, bool first)
{
    const struct weir_crew *crew = s->crew;
    struct weir_error error = {0};
    void *tools = crew->make_tools(crew->context, &error);
    if (!tools) {
        if (first)
            note_failure(s, 0, error.status ? error.status : WEIR_MEMORY, &error);
        return;
    }
    while (!over(s)) {
        size_t task = __atomic_fetch_add(&s->next, 1, __ATOMIC_RELAXED);
        if (task >= crew->task_count)
            break;
        enum weir_status status = crew->work(crew->context, tools, task, &error);
        if (status) {
            note_failure(s, task, status, &error);
            break;
        }
        size_t finished = __atomic_add_fetch(&s->finished, 1, __ATOMIC_RELAXED);
        if (first && crew->progress)
            crew->progress(crew->progress_context, (unsigned)(finished * 1000 / crew->task_count));
    }
    crew->free_tools(tools);
}

static void *serve(void *context)
{
    work(context, false);
    return NULL;
}

enum weir_status weir_crew_run(const struct weir_crew *crew, bool *done, struct weir_error *error)
{
    struct shift s = {.crew = crew};
    pthread_t threads[THREADS_MAX];
    long wanted = crew->threads ? (long)crew->threads : sysconf(_SC_NPROCESSORS_ONLN);
    size_t limit = wanted < 1 ? 1 : wanted > THREADS_MAX ? THREADS_MAX : (size_t)wanted, count = 0;
    limit = limit > crew->task_count ? crew->task_count : limit;
    pthread_mutex_init(&s.lock, NULL);
    /* Threads that cannot be had are done without. */
    while (count + 1 < limit && pthread_create(&threads[count], NULL, serve, &s) == 0)
        count++;
    work(&s, true);
    for (size_t i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    pthread_mutex_destroy(&s.lock);
    if (done)
        *done = s.finished == crew->task_count;
    if (!s.status)
        return WEIR_OK;
    if (error)
        *error = s.error;
    return s.status;
}
