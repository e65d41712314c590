/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Many pieces of work by several threads. A thread takes the next piece when it has done one; each leaves its result in a place of
 * its own, so that the results are the same for any number of threads. So is the complaint: pieces are taken in order, and none
 * after one has failed, so that the first of all that fail is always among those taken.
 */
#include "bench/gpu.h"

#include <pthread.h>
#include <unistd.h>

enum { THREADS_MAX = 256 };

struct crowd {
    const struct weir_bench_work *work;
    pthread_mutex_t lock;
    size_t next, done; /* pieces taken, and done */
    bool failed;
    size_t failure; /* the first piece that failed */
    struct weir_error error;
};

/* False when there is nothing left to do. */
static bool do_piece(struct crowd *c)
{
    struct weir_error error = {0};
    pthread_mutex_lock(&c->lock);
    bool have = !c->failed && c->next < c->work->count;
    size_t index = c->next;
    c->next += have;
    pthread_mutex_unlock(&c->lock);
    if (!have)
        return false;
    enum weir_status status = c->work->run(c->work->context, index, &error);
    pthread_mutex_lock(&c->lock);
    c->done++;
    if (status && (!c->failed || index < c->failure)) {
        c->failed = true;
        c->failure = index;
        c->error = error;
        c->error.status = status;
    }
    pthread_mutex_unlock(&c->lock);
    return true;
}

static void *help(void *context)
{
    while (do_piece(context))
        continue;
    return NULL;
}

static size_t thread_count(const struct weir_bench *bench, size_t pieces)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    size_t wanted = bench->threads ? (size_t)bench->threads : cores > 0 ? (size_t)cores : 1;
    wanted = wanted > THREADS_MAX ? THREADS_MAX : wanted;
    return wanted > pieces ? pieces : wanted;
}

/* This thread works as well, and it alone tells how far the work is. */
enum weir_exit weir_bench_share(struct weir_bench *bench, const struct weir_bench_work *work)
{
    struct crowd c = {.work = work, .lock = PTHREAD_MUTEX_INITIALIZER};
    pthread_t threads[THREADS_MAX];
    size_t helpers = 0, wanted = thread_count(bench, work->count);
    while (helpers + 1 < wanted && pthread_create(&threads[helpers], NULL, help, &c) == 0)
        helpers++;
    while (do_piece(&c)) {
        pthread_mutex_lock(&c.lock);
        size_t done = work->before + c.done;
        pthread_mutex_unlock(&c.lock);
        weir_progress_show(&bench->progress, (unsigned)(done * 1000 / work->all));
    }
    for (size_t i = 0; i < helpers; i++)
        pthread_join(threads[i], NULL);
    pthread_mutex_destroy(&c.lock);
    if (!c.failed)
        return WEIR_EXIT_OK;
    weir_progress_end(&bench->progress);
    return weir_complain_error(NULL, &c.error);
}

/* ---- graphs ---- */

struct graphs {
    const struct weir_generate_gpu_options *options;
    uint64_t seed;
    struct weir_gpu_trial *trials;
};

static enum weir_status try_one(void *context, size_t index, struct weir_error *error)
{
    const struct graphs *g = context;
    struct weir_generate_gpu_options options = *g->options;
    options.seed = g->seed + index;
    return weir_gpu_try(&options, &g->trials[index], error);
}

enum weir_exit weir_gpu_try_all(struct weir_bench *bench, const struct weir_generate_gpu_options *options,
                                struct weir_bench_work work, struct weir_gpu_trial *trials)
{
    struct graphs g = {.options = options, .seed = bench->seed * 100000, .trials = trials};
    work.run = try_one;
    work.context = &g;
    return weir_bench_share(bench, &work);
}
