/* SPDX-License-Identifier: Apache-2.0 */
/* Policies and affinity of the threads, set from outside while they wait at the gate: what Linux refuses it refuses before anything
 * has begun. */
#include "base/error.h"
#include "base/word.h"
#include "measure/run/run.h"

#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SCHED_DEADLINE
#define SCHED_DEADLINE 6
#endif

const char *weir_run_policy_name(enum weir_run_policy policy)
{
    static const char *const names[] = {[WEIR_RUN_OTHER] = "other", [WEIR_RUN_FIFO] = "fifo", [WEIR_RUN_DEADLINE] = "deadline"};
    return WEIR_WORD(names, policy);
}

/* As the kernel has it; the C library may not know it. */
struct attributes {
    uint32_t size, policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t runtime, deadline, period;
};

/* 0, or why not. */
static int set_policy(const struct weir_operator_thread *s, enum weir_run_policy policy)
{
    struct attributes a = {.size = sizeof a, .policy = SCHED_OTHER};
    if (policy == WEIR_RUN_OTHER)
        return 0; /* as it was made */
    if (policy == WEIR_RUN_FIFO) {
        a.policy = SCHED_FIFO;
        a.priority = s->wanted.priority > 0 ? (uint32_t)s->wanted.priority : 1;
    } else {
        a.policy = SCHED_DEADLINE;
        a.runtime = (uint64_t)s->wanted.runtime;
        a.deadline = (uint64_t)s->wanted.deadline;
        a.period = (uint64_t)s->wanted.period;
    }
    return syscall(SYS_sched_setattr, s->tid, &a, 0) ? errno : 0;
}

static int set_cpus(const struct weir_operator_thread *s)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    if (s->wanted.cpu_count == 0)
        return 0;
    for (size_t i = 0; i < s->wanted.cpu_count; i++) {
        if (s->wanted.cpus[i] >= 8 * sizeof set)
            return EINVAL;
        CPU_SET(s->wanted.cpus[i], &set);
    }
    return sched_setaffinity(s->tid, sizeof set, &set) ? errno : 0;
}

static enum weir_status refused(const struct weir_run *run, const struct weir_operator_thread *s, const char *what, int code,
                                struct weir_error *error)
{
    char name[WEIR_QUOTED];
    return weir_fail(error, WEIR_INVALID, "Linux refuses %s for operator \"%s\": %s", what,
                     weir_quote(weir_pipeline_operator(run->pipeline, (struct weir_operator){s->index}).name, name),
                     strerror(code));
}

static enum weir_status schedule(struct weir_run *run, struct weir_operator_thread *s, struct weir_error *error)
{
    enum weir_run_policy policy = s->wanted.policy;
    s->result.affinity_errno = set_cpus(s);
    if (s->result.affinity_errno && !run->options.fall_back)
        return refused(run, s, "these CPUs", s->result.affinity_errno, error);
    for (;;) {
        int code = set_policy(s, policy);
        if (code && s->result.policy_errno == 0)
            s->result.policy_errno = code;
        if (code && !run->options.fall_back)
            return refused(run, s, weir_run_policy_name(policy), code, error);
        if (!code)
            break;
        policy = policy == WEIR_RUN_DEADLINE ? WEIR_RUN_FIFO : WEIR_RUN_OTHER;
    }
    s->result.policy = policy;
    return WEIR_OK;
}

enum weir_status weir_run_schedule(struct weir_run *run, struct weir_error *error)
{
    enum weir_status status = WEIR_OK;
    for (uint32_t i = 0; i < run->thread_count && !status && run->options.threads; i++)
        status = schedule(run, &run->threads[i], error);
    return status;
}
