/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The life of a run. Threads are made first and wait at a gate; then their policies are set, then the gate is opened. A run that
 * ends says so once (`end`), sets `stopping` and wakes the threads that sleep; every thread ends by itself and is joined.
 */
#include "measure/run/run.h"

#include "base/error.h"
#include "measure/run/memory.h"
#include "measure/run/shared.h"
#include "model/suggest.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define SPIN_NS 20000
#define LOCKED_STACK ((size_t)512 << 10)
#define LEAD_NS 1000000 /* from the opening of the gate to time 0 of the sources */

/* ---- making and freeing ---- */

static enum weir_status check(const struct weir_pipeline *pipeline, const struct weir_run_options *options,
                              struct weir_error *error)
{
    if (!weir_pipeline_sealed(pipeline))
        return weir_fail(error, WEIR_INVALID, "the pipeline has to be sealed before it is run");
    if (weir_pipeline_platform(pipeline) == WEIR_PLATFORM_GPU)
        return weir_fail(error, WEIR_INVALID, "graphs of kernels are not executed: this machine's GPU is not driven by weir");
    if (options->iterations < 0 || options->duration_ns < 0)
        return weir_fail(error, WEIR_INVALID, "iterations and duration of a run cannot be negative");
    if ((unsigned)options->work > WEIR_RUN_NOTHING || (unsigned)options->times > WEIR_TIMES_GIVEN)
        return weir_fail(error, WEIR_INVALID, "there is no such kind of work or of times");
    char name[WEIR_QUOTED];
    for (uint32_t i = 0; options->threads && i < weir_pipeline_operator_count(pipeline); i++)
        if ((unsigned)options->threads[i].policy > WEIR_RUN_DEADLINE)
            return weir_fail(error, WEIR_INVALID, "operator \"%s\": there is no such policy",
                             weir_quote(weir_pipeline_operator(pipeline, (struct weir_operator){i}).name, name));
    return WEIR_OK;
}

enum weir_status weir_run_new(const struct weir_pipeline *pipeline, const struct weir_run_options *options, struct weir_run **run,
                              struct weir_error *error)
{
    static const struct weir_run_options none;
    *run = NULL;
    enum weir_status status = check(pipeline, options ? options : &none, error);
    if (status)
        return status;
    bool shared = options && options->processes;
    void *block = weir_shared_array(shared, sizeof(struct weir_run) + WEIR_RUN_LINE, 1);
    if (!block)
        return weir_fail_memory(error);
    struct weir_run *made = (void *)(((uintptr_t)block + WEIR_RUN_LINE - 1) / WEIR_RUN_LINE * WEIR_RUN_LINE);
    made->block = block;
    made->shared = made->group.shared = shared;
    made->pipeline = pipeline;
    made->options = options ? *options : none;
    status = weir_run_build(made, error);
    if (status)
        weir_run_free(made);
    else
        *run = made;
    return status;
}

static void free_thread(struct weir_operator_thread *s)
{
    bool shared = s->run && s->run->shared;
    weir_shared_free(shared, s->stamps);
    weir_shared_free(shared, s->records);
    weir_shared_free(shared, s->senders);
    weir_free(s->memory);
    for (size_t i = 0; i < s->gauge_count; i++)
        weir_shared_free(shared, s->gauges[i].kept);
}

void weir_run_free(struct weir_run *run)
{
    if (!run)
        return;
    if (run->started && !run->joined) {
        weir_run_stop(run);
        weir_run_wait(run, -1, NULL, NULL);
    }
    for (uint32_t i = 0; run->channels && i < run->channel_count; i++)
        weir_channel_close(&run->channels[i]);
    weir_pool_close(&run->pool);
    for (uint32_t i = 0; run->threads && i < run->thread_count; i++)
        free_thread(&run->threads[i]);
    weir_free(run->gauges);
    weir_shared_free(run->shared, run->gauge_block);
    weir_shared_free(run->shared, run->thread_block);
    weir_shared_free(run->shared, run->channel_block);
    weir_processes_free(run);
    weir_arena_free(&run->arena);
    weir_shared_free(run->shared, run->block);
}

enum weir_status weir_run_bind(struct weir_run *run, struct weir_operator op, weir_run_function *function, void *context,
                               struct weir_error *error)
{
    if (run->started || op.index >= run->thread_count)
        return weir_fail(error, WEIR_INVALID, run->started ? "the run has started already" : "there is no such operator");
    run->threads[op.index].function = function;
    run->threads[op.index].context = context;
    run->bound = true;
    return WEIR_OK;
}

enum weir_status weir_run_bind_name(struct weir_run *run, const char *name, weir_run_function *function, void *context,
                                    struct weir_error *error)
{
    struct weir_operator op;
    if (!name)
        return weir_fail(error, WEIR_INVALID, "an operator is bound by its name, and there is none");
    if (weir_pipeline_find(run->pipeline, name, &op))
        return weir_run_bind(run, op, function, context, error);
    char text[WEIR_QUOTED];
    const char *nearest = weir_pipeline_suggest(run->pipeline, name);
    return weir_fail(error, WEIR_INVALID, "unknown operator \"%s\"%s%.100s%s", weir_quote(name, text),
                     nearest ? "; did you mean \"" : "", nearest ? nearest : "", nearest ? "\"?" : "");
}

enum weir_status weir_run_discard(struct weir_run *run, struct weir_queue queue, void (*discard)(void *context, void *message),
                                  void *context, struct weir_error *error)
{
    if (run->started || queue.index >= run->channel_count)
        return weir_fail(error, WEIR_INVALID, run->started ? "the run has started already" : "there is no such queue");
    if (run->options.message_bytes)
        return weir_fail(error, WEIR_INVALID, "messages of the run go back to its pool by themselves");
    run->channels[queue.index].discard = discard;
    run->channels[queue.index].discard_context = context;
    return WEIR_OK;
}

/* ---- ending ---- */

static void halt(struct weir_run *run)
{
    int64_t none = 0;
    atomic_compare_exchange_strong(&run->cut_off, &none, weir_clock_now());
    atomic_store(&run->group.stopping, true);
    for (uint32_t i = 0; i < run->thread_count; i++)
        weir_sleeper_rouse(&run->group, &run->threads[i].sleeper);
}

void weir_run_finish(struct weir_run *run, enum weir_run_end end, uint32_t op, uint32_t queue, int code)
{
    int expected = WEIR_RUN_UNFINISHED;
    /* Whoever is first writes the rest; it is read after the threads are joined. */
    if (atomic_compare_exchange_strong(&run->end, &expected, (int)end)) {
        run->result.op.index = op;
        run->result.queue.index = queue;
        run->result.code = code;
    }
    halt(run);
}

void weir_run_stop(struct weir_run *run)
{
    int expected = WEIR_RUN_UNFINISHED;
    atomic_compare_exchange_strong(&run->end, &expected, WEIR_RUN_STOPPED);
    halt(run);
}

void weir_run_settle(struct weir_run *run, uint32_t op)
{
    uint32_t done = 0, stuck = op;
    for (uint32_t i = 0; i < run->thread_count; i++) {
        const struct weir_operator_thread *s = &run->threads[i];
        if (atomic_load_explicit(&s->executions, memory_order_relaxed) == s->target)
            done++;
        else
            stuck = i;
    }
    bool over = done == run->thread_count || (run->lossy && done > 0) || atomic_load(&run->cut_short);
    weir_run_finish(run, over ? WEIR_RUN_COMPLETE : WEIR_RUN_STANDSTILL, stuck, 0, 0);
}

/* ---- starting ---- */

static void lock_memory(struct weir_run *run)
{
    if (!run->options.lock_memory)
        return;
    run->result.memory_errno = weir_memory_lock();
    run->result.memory_locked = run->result.memory_errno == 0;
}

static void unlock_memory(const struct weir_run *run)
{
    if (run->result.memory_locked)
        weir_memory_unlock();
}

/* All threads that were created end without having begun. */
static void dismiss(struct weir_run *run)
{
    atomic_store(&run->gate, WEIR_GATE_HOME);
    weir_futex_wake(&run->gate, INT32_MAX);
    for (uint32_t i = 0; i < run->thread_count; i++)
        if (run->threads[i].created && run->threads[i].process == 0)
            pthread_join(run->threads[i].thread, NULL);
    weir_processes_join(run);
    atomic_store(&run->alive, 0);
    run->joined = true;
    unlock_memory(run);
}

int weir_run_create(struct weir_run *run, struct weir_operator_thread *s)
{
    pthread_attr_t attributes;
    size_t stack = run->options.stack_bytes;
    if (stack == 0 && run->options.lock_memory)
        stack = LOCKED_STACK;
    int code = pthread_attr_init(&attributes);
    if (code)
        return code;
    if (stack > 0)
        code = pthread_attr_setstacksize(&attributes, stack);
    if (!code)
        code = pthread_create(&s->thread, &attributes, weir_operator_thread_main, s);
    s->created = code == 0;
    pthread_attr_destroy(&attributes);
    return code;
}

static enum weir_status create_all(struct weir_run *run, struct weir_error *error)
{
    for (uint32_t i = 0; i < run->thread_count; i++) {
        int code = run->threads[i].process == 0 ? weir_run_create(run, &run->threads[i]) : 0;
        if (code) {
            dismiss(run);
            return weir_fail(error, code == EINVAL ? WEIR_INVALID : WEIR_MEMORY, "only %lu of %lu threads could be created: %s",
                             (unsigned long)i, (unsigned long)run->thread_count, strerror(code));
        }
    }
    uint32_t arrived;
    while ((arrived = atomic_load(&run->arrived)) < run->thread_count && !atomic_load(&run->process_error))
        weir_futex_wait(&run->arrived, arrived, INT64_MAX);
    enum weir_status status = weir_processes_refused(run, error);
    if (status)
        dismiss(run);
    return status;
}

/* Trying for a while pays where the one waited for has a CPU of its own. */
static int64_t spin_of(const struct weir_run *run)
{
    cpu_set_t set;
    if (run->options.spin_ns != 0)
        return run->options.spin_ns < 0 ? 0 : run->options.spin_ns;
    if (sched_getaffinity(0, sizeof set, &set))
        return 0;
    return (int64_t)run->thread_count <= CPU_COUNT(&set) ? SPIN_NS : 0;
}

static bool has_release(const struct weir_run *run)
{
    for (uint32_t i = 0; i < run->thread_count; i++)
        if (run->threads[i].release.kind != WEIR_RELEASE_NONE)
            return true;
    return false;
}

static void open_gate(struct weir_run *run)
{
    struct timespec real;
    atomic_store(&run->group.busy, run->thread_count);
    clock_gettime(CLOCK_REALTIME, &real);
    int64_t lead = has_release(run) ? LEAD_NS : 0;
    run->result.began = weir_clock_now() + lead;
    run->result.began_realtime = (int64_t)real.tv_sec * 1000000000 + real.tv_nsec + lead;
    atomic_store(&run->gate, WEIR_GATE_OPEN);
    weir_futex_wake(&run->gate, INT32_MAX);
}

enum weir_status weir_run_start(struct weir_run *run, struct weir_error *error)
{
    if (run->started)
        return weir_fail(error, WEIR_INVALID, "a run can be started only once");
    run->started = true;
    run->joined = true; /* there are none yet */
    enum weir_status status = weir_run_allocate(run, error);
    if (status)
        return status;
    run->group.spin_ns = spin_of(run);
    run->group.threads = run->thread_count;
    run->group.lingers = run->options.spin_ns >= 0;
    weir_thread_group_prepare(&run->group);
    weir_work_calibrate(run);
    weir_measure_calibrate(run);
    lock_memory(run);
    for (uint32_t i = 0; i < run->thread_count; i++)
        atomic_fetch_add(&run->alive, run->threads[i].process == 0);
    status = weir_processes_start(run, error);
    if (status)
        dismiss(run);
    else
        status = create_all(run, error);
    if (status)
        return status;
    status = weir_run_schedule(run, error);
    if (status) {
        dismiss(run);
        return status;
    }
    run->joined = false;
    open_gate(run);
    return WEIR_OK;
}

/* ---- waiting ---- */

/* Until all threads are over or that moment has come. */
static bool wait_for_threads(struct weir_run *run, int64_t until)
{
    uint32_t alive;
    while ((alive = atomic_load(&run->alive)) > 0) {
        if (until != INT64_MAX && weir_clock_now() >= until)
            return false;
        weir_futex_wait(&run->alive, alive, until);
    }
    return true;
}

static void join_all(struct weir_run *run)
{
    for (uint32_t i = 0; i < run->thread_count; i++)
        if (run->threads[i].process == 0)
            pthread_join(run->threads[i].thread, NULL);
    weir_processes_join(run);
    run->joined = true;
    run->result.ended = weir_clock_now();
    unlock_memory(run);
}

enum weir_status weir_run_wait(struct weir_run *run, int64_t timeout_ns, bool *ended, struct weir_error *error)
{
    if (ended)
        *ended = false;
    if (run->joined || !run->started) {
        if (atomic_load(&run->alive) == 0 && run->result.ended == 0)
            return weir_fail(error, WEIR_INVALID, "the run was not started");
    } else {
        int64_t now = weir_clock_now(), until = INT64_MAX, limit = INT64_MAX;
        if (timeout_ns >= 0 && timeout_ns < INT64_MAX - now)
            until = now + timeout_ns;
        if (run->options.duration_ns > 0 && run->options.duration_ns < INT64_MAX - run->result.began)
            limit = run->result.began + run->options.duration_ns;
        if (!wait_for_threads(run, until < limit ? until : limit)) {
            if (limit <= until)
                weir_run_stop(run);
            if (limit > until || !wait_for_threads(run, until)) /* a function has not returned yet */
                return WEIR_OK;
        }
        join_all(run);
    }
    if (ended)
        *ended = true;
    return weir_run_judge(run, error);
}

enum weir_status weir_run_execute(const struct weir_pipeline *pipeline, const struct weir_run_options *options,
                                  struct weir_run **run, struct weir_error *error)
{
    enum weir_status status = weir_run_new(pipeline, options, run, error);
    if (!*run)
        return status;
    status = weir_run_start(*run, error);
    return status ? status : weir_run_wait(*run, -1, NULL, error);
}
