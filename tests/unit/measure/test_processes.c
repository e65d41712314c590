/* SPDX-License-Identifier: Apache-2.0 */
/* Operators in other processes: the same messages, the same measurements, the same ends; and what happens when a process dies. */
#include "support/stage.h"

#include "support/runner.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct message {
    int64_t number;
    int64_t steps;
    pid_t processes[4];
};

enum trouble { NO_TROUBLE, KILLED, EXITS, FAILS };

/* Of all operators: a forked process has its own. */
static struct {
    int64_t next;
    enum trouble trouble;
    uint32_t where;
} scene;

static int hand_on(void *context, const struct weir_run_call *call)
{
    (void)context;
    struct message *m = call->op.index == 0 ? weir_run_message(call) : call->inputs[0].messages[0];
    if (!m)
        return 1;
    if (call->op.index == scene.where && call->execution == 100) {
        if (scene.trouble == KILLED)
            raise(SIGKILL);
        if (scene.trouble == EXITS)
            _exit(0);
        if (scene.trouble == FAILS)
            return 42;
    }
    if (call->op.index == 0)
        *m = (struct message){.number = call->execution};
    if (m->number != call->execution || m->steps++ != call->op.index)
        return 2;
    m->processes[call->op.index] = getpid();
    if (call->op.index == 3 && call->execution == 0)
        for (int i = 0; i < 3; i++)
            if ((m->processes[i] == m->processes[i + 1]) != (i == 1))
                return 3;
    if (call->op.index == 3)
        scene.next++;
    for (size_t i = 0; i < call->output_count; i++)
        call->outputs[i].messages[0] = m;
    return 0;
}

/* ThreadSanitizer ends a process that makes threads after it was forked by one that had several. */
static void need_fork(void)
{
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
    print_message("ThreadSanitizer knows no threads in forked processes\n");
    skip();
#endif
#endif
}

static struct weir_pipeline *chain(uint32_t capacity)
{
    static const char *const names[] = {"camera", "blur", "edges", "show"};
    struct weir_pipeline *p = weir_pipeline_new(NULL);
    for (uint32_t i = 0; i < 4; i++)
        stage_operator(p, names[i], 0, 1000);
    for (uint32_t i = 1; i < 4; i++)
        stage_queue(p, (struct weir_operator){i - 1}, (struct weir_operator){i}, capacity, 0);
    stage_seal(p);
    return p;
}

static const uint32_t three[] = {0, 1, 1, 2}, three_home[] = {1, 2, 2, 0};

static struct weir_run *start(const struct weir_pipeline *p, int64_t iterations, const uint32_t *processes)
{
    struct weir_run_options options = {.iterations = iterations,
                                       .work = WEIR_RUN_NOTHING,
                                       .tick_ns = 1,
                                       .measure = true,
                                       .records = 1000,
                                       .message_bytes = sizeof(struct message),
                                       .processes = processes};
    struct weir_run *run;
    struct weir_error error = {.status = WEIR_OK};
    scene.next = 0;
    if (weir_run_new(p, &options, &run, &error))
        fail_msg("%s", error.message);
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(weir_run_bind(run, (struct weir_operator){i}, hand_on, NULL, &error), WEIR_OK);
    if (weir_run_start(run, &error))
        fail_msg("%s", error.message);
    return run;
}

static void end(struct weir_run *run, struct weir_pipeline *p)
{
    weir_run_free(run);
    weir_pipeline_free(p);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* nobody is left */
    scene.trouble = NO_TROUBLE;
}

TEST(messages_cross_processes_in_order)
{
    need_fork();
    static const uint32_t capacities[] = {1, 3, 100};
    for (size_t i = 0; i < 3; i++) {
        struct weir_pipeline *p = chain(capacities[i]);
        struct weir_run *run = start(p, 20000 / WEIR_SLOWDOWN, three_home);
        struct weir_error error = {.status = WEIR_OK};
        if (weir_run_wait(run, -1, NULL, &error))
            fail_msg("%s", error.message);
        assert_int_equal(weir_run_result(run).end, WEIR_RUN_COMPLETE);
        assert_int_equal(scene.next, 20000 / WEIR_SLOWDOWN); /* the last operator is in this process */
        end(run, p);
    }
}

TEST(what_other_processes_measured_is_here)
{
    need_fork();
    struct weir_pipeline *p = chain(2);
    struct weir_run *run = start(p, 500, three);
    assert_int_equal(weir_run_wait(run, -1, NULL, NULL), WEIR_OK);
    for (uint32_t i = 0; i < 4; i++) {
        struct weir_run_operator_stats stats = weir_run_operator(run, (struct weir_operator){i});
        assert_int_equal(stats.executions, 500);
        assert_true(stats.max >= stats.min && stats.total > 0 && stats.thread_cpu > 0);
        assert_int_equal(weir_run_record_count(run, (struct weir_operator){i}), 500);
    }
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(weir_run_queue(run, (struct weir_queue){i}).taken, 500);
    struct weir_run_chain_stats latency = weir_run_chain(run, 0);
    assert_int_equal(latency.count, 500);
    for (int64_t n = 0; n < 500; n++) {
        struct weir_run_record first = weir_run_record_at(run, (struct weir_operator){0}, (size_t)n);
        struct weir_run_record last = weir_run_record_at(run, (struct weir_operator){3}, (size_t)n);
        assert_int_equal(weir_run_latency(run, 0, n), last.finish - first.start);
        assert_true(last.start >= first.finish && weir_run_latency(run, 0, n) <= latency.max);
    }
    end(run, p);
}

/* Whoever it is, and wherever the others are. */
TEST(a_process_that_dies_ends_the_run_in_words)
{
    need_fork();
    for (uint32_t where = 0; where < 4; where++)
        for (int trouble = KILLED; trouble <= EXITS; trouble++) {
            const uint32_t *processes = where == 0 ? three_home : three;
            struct weir_pipeline *p = chain(1);
            struct weir_error error = {.status = WEIR_OK};
            scene.trouble = (enum trouble)trouble;
            scene.where = where;
            struct weir_run *run = start(p, 1000000, processes);
            assert_int_equal(weir_run_wait(run, -1, NULL, &error), WEIR_INVALID);
            assert_int_equal(weir_run_result(run).end, WEIR_RUN_DIED);
            assert_int_equal(weir_run_result(run).code, trouble == KILLED ? SIGKILL : 0);
            assert_non_null(strstr(error.message, trouble == KILLED ? "signal: Killed" : "ended by itself"));
            assert_non_null(strstr(error.message, "the process of operator"));
            assert_true(weir_run_operator(run, (struct weir_operator){3}).executions <= 101);
            end(run, p);
        }
}

TEST(a_function_that_fails_elsewhere_ends_the_run)
{
    need_fork();
    struct weir_pipeline *p = chain(1);
    scene.trouble = FAILS;
    scene.where = 2;
    struct weir_run *run = start(p, 0, three);
    struct weir_error error = {.status = WEIR_OK};
    assert_int_equal(weir_run_wait(run, -1, NULL, &error), WEIR_INVALID);
    assert_int_equal(weir_run_result(run).code, 42);
    assert_string_equal(error.message, "operator \"edges\" failed with 42 in execution 100");
    end(run, p);
}

TEST(a_run_of_several_processes_can_be_stopped)
{
    need_fork();
    struct weir_pipeline *p = chain(1);
    struct weir_run *run = start(p, 0, three);
    bool ended;
    assert_int_equal(weir_run_wait(run, 20000000, &ended, NULL), WEIR_OK);
    assert_false(ended);
    weir_run_stop(run);
    assert_int_equal(weir_run_wait(run, -1, &ended, NULL), WEIR_OK);
    assert_int_equal(weir_run_result(run).end, WEIR_RUN_STOPPED);
    end(run, p);
}

/* As in test_run.c: the queue never holds the three samples that the second execution needs. */
TEST(a_standstill_of_several_processes_is_noticed)
{
    need_fork();
    struct weir_pipeline *p = weir_pipeline_new(NULL);
    assert_int_equal(weir_pipeline_set_unit(p, WEIR_UNIT_US, 0, NULL), WEIR_OK);
    assert_int_equal(weir_pipeline_set_platform(p, WEIR_PLATFORM_CORES, NULL), WEIR_OK);
    assert_int_equal(weir_pipeline_set_cores(p, 2, NULL), WEIR_OK);
    struct weir_operator a = stage_operator(p, "A", 0, 1), b = stage_operator(p, "B", 0, 1);
    const struct weir_queue_spec queue = {.from = a, .to = b, .capacity = 3, .produce = 2, .consume = 2, .threshold = 3};
    assert_int_equal(weir_pipeline_add_queue(p, &queue, NULL, NULL), WEIR_OK);
    const struct weir_source_spec source = {.op = a, .period = 100, .arrivals = WEIR_ARRIVALS_EXACT};
    assert_int_equal(weir_pipeline_add_source(p, &source, NULL), WEIR_OK);
    stage_seal(p);
    const uint32_t processes[] = {1, 2};
    struct weir_run_options options = {.iterations = 10, .work = WEIR_RUN_NOTHING, .processes = processes};
    struct weir_run *run;
    assert_int_equal(weir_run_execute(p, &options, &run, NULL), WEIR_INVALID);
    assert_int_equal(weir_run_result(run).end, WEIR_RUN_STANDSTILL);
    end(run, p);
}

/* The others have the writing end of a pipe: when it ends, they are gone. */
TEST(no_process_outlives_the_one_that_it_belongs_to)
{
    need_fork();
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    struct weir_pipeline *p = chain(1);
    pid_t pid = fork();
    if (pid == 0) {
        close(ends[0]);
        start(p, 0, three);
        raise(SIGKILL);
    }
    assert_true(pid > 0);
    close(ends[1]);
    char byte;
    assert_int_equal(read(ends[0], &byte, 1), 0);
    close(ends[0]);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    weir_pipeline_free(p);
}

static void refused(const struct weir_pipeline *p, const struct weir_run_options *options, const char *words)
{
    struct weir_run *run;
    struct weir_error error = {.status = WEIR_OK};
    enum weir_status status = weir_run_new(p, options, &run, &error);
    if (!status) {
        assert_int_equal(weir_run_bind(run, (struct weir_operator){0}, hand_on, NULL, NULL), WEIR_OK);
        status = weir_run_start(run, &error);
        weir_run_free(run);
    }
    assert_int_equal(status, WEIR_INVALID);
    if (!strstr(error.message, words))
        fail_msg("\"%s\" is not in \"%s\"", words, error.message);
}

TEST(what_cannot_be_in_several_processes_is_refused)
{
    static const uint32_t far[] = {0, 0, 0, 5};
    struct weir_pipeline *p = chain(1), *endless = chain(WEIR_UNBOUNDED);
    struct weir_run_options options = {.iterations = 1, .work = WEIR_RUN_NOTHING, .processes = far};
    refused(p, &options, "process 5: there are at most as many as operators");
    options.processes = three;
    refused(p, &options, "message_bytes has to be given");
    refused(endless, &options, "queue camera -> blur: a queue of another process holds up to 65536 messages");
    weir_pipeline_free(p);
    weir_pipeline_free(endless);
}
