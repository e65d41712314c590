/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Operators in other processes. What threads share is in memory that all processes see at the same addresses; a thread of its own,
 * the watcher, forks the processes and waits for them, so that none outlives the process that the run belongs to, nor goes
 * unnoticed when it dies. `alive` counts the threads of this process and the other processes: whatever a process was doing when
 * it died, the watcher counts it off. Queues between processes are rings, which have no lock that one could die with.
 */
#include "base/error.h"
#include "measure/run/run.h"
#include "measure/run/shared.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef P_PIDFD
#define P_PIDFD 3
#endif

/* Of one of the others. */
struct weir_process {
    _Atomic bool over; /* its threads have all come to their end */
    int pidfd;         /* -1: none, or none any more */
};

/* ---- what can be run so ---- */

static enum weir_status check_channel(const struct weir_run *run, const struct weir_channel *c, struct weir_error *error)
{
    char from[WEIR_QUOTED], to[WEIR_QUOTED];
    uint32_t a = run->threads[c->from].process, b = run->threads[c->to].process;
    bool ring = c->kind == WEIR_CHANNEL_RING && c->capacity <= WEIR_CHANNEL_RING_MAX;
    if (ring || (a == 0 && b == 0))
        return WEIR_OK;
    return weir_fail(error, WEIR_INVALID,
                     "queue %s -> %s: a queue of another process holds up to %d messages, and loses none of them on its own",
                     weir_quote(weir_pipeline_operator(run->pipeline, (struct weir_operator){c->from}).name, from),
                     weir_quote(weir_pipeline_operator(run->pipeline, (struct weir_operator){c->to}).name, to),
                     WEIR_CHANNEL_RING_MAX);
}

enum weir_status weir_processes_check(struct weir_run *run, struct weir_error *error)
{
    run->process_count = 1;
    for (uint32_t i = 0; run->options.processes && i < run->thread_count; i++) {
        uint32_t process = run->options.processes[i];
        if (process > run->thread_count)
            return weir_fail(error, WEIR_INVALID, "process %lu: there are at most as many as operators, counted from 0",
                             (unsigned long)process);
        run->threads[i].process = process;
        if (process >= run->process_count)
            run->process_count = process + 1;
    }
    enum weir_status status = WEIR_OK;
    for (uint32_t i = 0; i < run->channel_count && run->process_count > 1 && !status; i++)
        status = check_channel(run, &run->channels[i], error);
    return status;
}

/* ---- in another process ---- */

static int make_threads(struct weir_run *run, uint32_t process)
{
    int code = 0;
    for (uint32_t i = 0; i < run->thread_count && !code; i++)
        if (run->threads[i].process == process)
            code = weir_run_create(run, &run->threads[i]);
    return code;
}

static void fail_to_start(struct weir_run *run, int code)
{
    int none = 0;
    atomic_compare_exchange_strong(&run->process_error, &none, code);
    weir_futex_wake(&run->arrived, 1);
}

_Noreturn static void be_process(struct weir_run *run, uint32_t process, pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0UL, 0UL, 0UL); /* when the watcher is gone */
    pthread_sigmask(SIG_SETMASK, &run->signals, NULL);
    if (getppid() != parent)
        _exit(1);
    if (run->result.memory_locked)
        mlockall(MCL_CURRENT | MCL_FUTURE);
    int code = make_threads(run, process);
    if (code) {
        fail_to_start(run, code);
        _exit(1);
    }
    for (uint32_t i = 0; i < run->thread_count; i++)
        if (run->threads[i].process == process)
            pthread_join(run->threads[i].thread, NULL);
    atomic_store(&run->processes[process].over, true);
    _exit(0);
}

/* ---- the watcher ---- */

static bool has_operators(const struct weir_run *run, uint32_t process)
{
    for (uint32_t i = 0; i < run->thread_count; i++)
        if (run->threads[i].process == process)
            return true;
    return false;
}

static bool make_process(struct weir_run *run, uint32_t process)
{
    pid_t parent = getpid(), pid = fork();
    if (pid == 0)
        be_process(run, process, parent);
    if (pid < 0)
        return false;
    run->processes[process].pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
    if (run->processes[process].pidfd >= 0)
        return true;
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    return false;
}

/* Whom it leaves behind waits for it no longer. */
static void reap(struct weir_run *run, uint32_t process)
{
    struct weir_process *p = &run->processes[process];
    siginfo_t info;
    memset(&info, 0, sizeof info);
    while (waitid((idtype_t)P_PIDFD, (id_t)p->pidfd, &info, WEXITED) && errno == EINTR)
        continue;
    close(p->pidfd);
    p->pidfd = -1;
    if (!atomic_load(&p->over)) {
        uint32_t op = run->thread_count;
        for (uint32_t i = run->thread_count; i-- > 0;)
            if (run->threads[i].process == process &&
                (op == run->thread_count || run->threads[i].executions < run->threads[i].target))
                op = i;
        weir_run_finish(run, WEIR_RUN_DIED, op, 0, info.si_code == CLD_EXITED ? 0 : info.si_status);
        fail_to_start(run, ECHILD);
    }
    if (atomic_fetch_sub(&run->alive, 1) == 1)
        weir_futex_wake(&run->alive, 1);
}

static void *watch(void *context)
{
    struct weir_run *run = context;
    struct pollfd *polled = run->polled;
    int code = 0;
    for (uint32_t i = 1; i < run->process_count && !code; i++)
        if (has_operators(run, i)) {
            if (make_process(run, i))
                atomic_fetch_add(&run->alive, 1);
            else
                code = errno;
        }
    if (code)
        fail_to_start(run, code);
    atomic_store(&run->born, 1);
    weir_futex_wake(&run->born, 1);
    for (;;) {
        bool any = false;
        for (uint32_t i = 0; i < run->process_count; i++) {
            polled[i] = (struct pollfd){.fd = run->processes[i].pidfd, .events = POLLIN};
            any = any || polled[i].fd >= 0;
        }
        if (!any)
            return NULL;
        if (poll(polled, run->process_count, -1) > 0)
            for (uint32_t i = 0; i < run->process_count; i++)
                if (polled[i].fd >= 0 && polled[i].revents)
                    reap(run, i);
    }
}

enum weir_status weir_processes_start(struct weir_run *run, struct weir_error *error)
{
    sigset_t all;
    if (run->process_count == 1)
        return WEIR_OK;
    if (run->bound && run->options.message_bytes == 0)
        return weir_fail(error, WEIR_INVALID,
                         "functions in several processes take their messages from the run: message_bytes has to be given");
    run->processes = weir_shared_array(true, run->process_count, sizeof *run->processes);
    run->polled = weir_array_zeroed(run->process_count, sizeof *run->polled);
    if (!run->processes || !run->polled)
        return weir_fail_memory(error);
    for (uint32_t i = 0; i < run->process_count; i++)
        run->processes[i].pidfd = -1;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &run->signals);
    int code = pthread_create(&run->watcher, NULL, watch, run);
    pthread_sigmask(SIG_SETMASK, &run->signals, NULL);
    if (code)
        return weir_fail(error, WEIR_MEMORY, "the thread that watches other processes could not be made: %s", strerror(code));
    run->watched = true;
    while (atomic_load(&run->born) == 0)
        weir_futex_wait(&run->born, 0, INT64_MAX);
    return WEIR_OK;
}

enum weir_status weir_processes_refused(const struct weir_run *run, struct weir_error *error)
{
    int code = atomic_load(&run->process_error);
    if (code == 0)
        return WEIR_OK;
    if (code == ECHILD)
        return weir_fail(error, WEIR_INVALID, "a process of the run ended before it began");
    return weir_fail(error, WEIR_MEMORY, "a process of the run, or its threads, could not be created: %s", strerror(code));
}

void weir_processes_join(struct weir_run *run)
{
    if (run->watched)
        pthread_join(run->watcher, NULL);
    run->watched = false;
}

void weir_processes_free(struct weir_run *run)
{
    weir_shared_free(true, run->processes);
    weir_free(run->polled);
}
