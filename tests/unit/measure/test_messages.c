/* SPDX-License-Identifier: Apache-2.0 */
/* Messages of the run's own pool, functions found by name, and functions that behave badly. */
#include "measure/run/memory.h"
#include "measure/run/pool.h"
#include "support/stage.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define NS_PER_MS INT64_C(1000000)

static int64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static struct weir_run *make(const struct weir_pipeline *pipeline, const struct weir_run_options *options)
{
    struct weir_run *run;
    struct weir_error error = {.status = WEIR_OK};
    if (weir_run_new(pipeline, options, &run, &error))
        fail_msg("%s", error.message);
    return run;
}

static void bind(struct weir_run *run, const char *name, weir_run_function *function, void *context)
{
    struct weir_error error = {.status = WEIR_OK};
    if (weir_run_bind_name(run, name, function, context, &error))
        fail_msg("%s", error.message);
}

static enum weir_status finish(struct weir_run *run)
{
    enum weir_status status = weir_run_start(run, NULL);
    return status ? status : weir_run_wait(run, -1, NULL, NULL);
}

/* ---- messages ---- */

struct message {
    int64_t number;
    atomic_int branches;
};

static atomic_int makes, wrong;

/* What is taken from the pool is in nobody's hands: both branches have left their mark on it, or it is new. */
static int send_numbered(void *context, const struct weir_run_call *call)
{
    struct message *m = weir_run_message(call);
    (void)context;
    if (!m)
        return 1;
    if (m->number != 0 && atomic_load(&m->branches) == 0)
        wrong++;
    m->number = call->execution + 1;
    atomic_store(&m->branches, 0);
    makes++;
    return weir_run_send(call, m);
}

static int mark(void *context, const struct weir_run_call *call)
{
    struct message *m = weir_run_message_from(call, NULL);
    (void)context;
    if (m->number != call->execution + 1)
        wrong++;
    atomic_fetch_add(&m->branches, 1);
    return weir_run_send(call, m);
}

static int join(void *context, const struct weir_run_call *call)
{
    struct message *left = weir_run_message_from(call, "left"), *right = weir_run_message_from(call, "right");
    (void)context;
    if (left != right || left->number != call->execution + 1 || atomic_load(&left->branches) != 2)
        wrong++;
    if (weir_run_message_from(call, "nobody"))
        wrong++;
    return 0;
}

static const char fork_model[] = "{unit: us, operators: {a: 1, left: 1, right: 1, join: 1}, "
                                 "queues: [{from: a, to: left, capacity: 3}, a -> right, left -> join, right -> join]}";

/* However many branches a message takes, it is had again when the last is through; the run stops with messages everywhere. */
TEST(a_message_that_takes_two_branches_is_freed_once)
{
    for (int stopped = 0; stopped < 2; stopped++) {
        struct weir_pipeline *p = stage_read(fork_model);
        struct weir_run_options options = {.iterations = stopped ? 0 : 3000,
                                           .duration_ns = stopped ? 20 * NS_PER_MS : 0,
                                           .work = WEIR_RUN_NOTHING,
                                           .message_bytes = sizeof(struct message)};
        struct weir_run *run = make(p, &options);
        makes = wrong = 0;
        bind(run, "a", send_numbered, NULL);
        bind(run, "left", mark, NULL);
        bind(run, "right", mark, NULL);
        bind(run, "join", join, NULL);
        assert_int_equal(finish(run), WEIR_OK);
        assert_int_equal(wrong, 0);
        assert_true(makes >= (stopped ? 1 : 3000));
        weir_run_free(run);
        weir_pipeline_free(p);
    }
}

/* Operators without a function hand on what they took; what a full queue loses goes back; the latest value stays while it is read.
 */
TEST(messages_pass_through_operators_and_lossy_queues)
{
    struct weir_pipeline *p =
        stage_read("{unit: us, operators: {a: 1, left: 1, right: 1, slow: {time: 300}}, "
                   "queues: [{from: a, to: left, latest: true}, {from: a, to: right, capacity: 1, blocking: false, full: pop}, "
                   "{from: right, to: slow, capacity: 1, blocking: false, full: reject}], "
                   "sources: [{operator: a, period: 20}, {operator: left, period: 30}]}");
    struct weir_run_options options = {.iterations = 300, .message_bytes = sizeof(struct message)};
    struct weir_run *run = make(p, &options);
    makes = wrong = 0;
    bind(run, "a", send_numbered, NULL);
    assert_int_equal(finish(run), WEIR_OK);
    assert_int_equal(makes, 300);
    weir_run_free(run);
    weir_pipeline_free(p);
}

static struct message *kept;

static int keep_one(void *context, const struct weir_run_call *call)
{
    struct message *m = weir_run_message_from(call, "a");
    (void)context;
    if (call->execution == 5) {
        kept = m;
        return weir_run_keep(call->run, m) ? 0 : 1;
    }
    if (call->execution > 5 && (m == kept || kept->number != 6))
        wrong++;
    return 0;
}

static int send_any(void *context, const struct weir_run_call *call)
{
    struct message *m = weir_run_message(call);
    (void)context;
    m->number = call->execution + 1;
    return weir_run_send(call, m);
}

TEST(a_message_that_is_kept_stays)
{
    struct weir_pipeline *p = stage_read("{unit: us, operators: {a: 1, b: 1}, queues: [{from: a, to: b, capacity: 2}]}");
    struct weir_run_options options = {.iterations = 500, .work = WEIR_RUN_NOTHING, .message_bytes = sizeof(struct message)};
    struct weir_run *run = make(p, &options);
    wrong = 0;
    bind(run, "a", send_any, NULL);
    bind(run, "b", keep_one, NULL);
    assert_int_equal(finish(run), WEIR_OK);
    assert_int_equal(wrong, 0);
    assert_true(weir_run_release(run, kept));
    assert_false(weir_run_release(run, kept)); /* nobody has it */
    assert_false(weir_run_keep(run, kept));
    assert_false(weir_run_keep(run, &wrong));
    weir_run_free(run);
    weir_pipeline_free(p);
}

/* Growing while others take and release: no message is had by two. */
static struct weir_pool pool;
enum { TAKERS = 4, ROUNDS = 20000, AT_ONCE = 50 };

static void *take_and_release(void *who)
{
    int64_t *taken[AT_ONCE];
    for (int round = 0; round < ROUNDS / AT_ONCE; round++) {
        void *fresh = NULL;
        for (int i = 0; i < AT_ONCE; i++) {
            taken[i] = weir_pool_take(&pool, &fresh);
            *taken[i] = (int64_t)(intptr_t)who;
        }
        for (int i = 0; i < AT_ONCE; i++) {
            if (*taken[i] != (int64_t)(intptr_t)who)
                wrong++;
            weir_pool_release(&pool, taken[i]);
        }
    }
    return NULL;
}

TEST(a_pool_is_shared_and_grows)
{
    pthread_t threads[TAKERS];
    wrong = 0;
    assert_true(weir_pool_open(&pool, sizeof(int64_t), 3));
    for (intptr_t i = 0; i < TAKERS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, take_and_release, (void *)(i + 1)), 0);
    for (int i = 0; i < TAKERS; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(wrong, 0);
    weir_pool_close(&pool);
}

/* ---- mistakes ---- */

static int send_foreign(void *context, const struct weir_run_call *call)
{
    return weir_run_send(call, context);
}

static int leave(void *context, const struct weir_run_call *call)
{
    (void)context;
    if (call->execution == 3)
        pthread_exit(NULL);
    return 0;
}

static int cancel_itself(void *context, const struct weir_run_call *call)
{
    (void)context;
    if (call->execution == 3)
        pthread_cancel(pthread_self());
    return 0;
}

static int pass(void *context, const struct weir_run_call *call)
{
    (void)context;
    (void)call;
    return 0;
}

static void expect_misused(weir_run_function *function, size_t message_bytes, const char *words)
{
    struct weir_pipeline *p = stage_read("{unit: us, operators: {a: 1, b: 1, c: 1}, queues: [a -> b, b -> c]}");
    struct weir_run_options options = {.work = WEIR_RUN_NOTHING, .message_bytes = message_bytes, .measure = true, .records = 10};
    struct weir_run *run = make(p, &options);
    struct weir_error error = {.status = WEIR_OK};
    bool ended = false;
    static int foreign[64];
    bind(run, "b", function, foreign);
    bind(run, "c", pass, NULL);
    assert_int_equal(weir_run_start(run, NULL), WEIR_OK);
    assert_int_equal(weir_run_wait(run, -1, &ended, &error), WEIR_INVALID);
    assert_true(ended);
    assert_int_equal(weir_run_result(run).end, WEIR_RUN_MISUSED);
    assert_int_equal(weir_run_result(run).op.index, 1);
    assert_non_null(strstr(error.message, words));
    weir_run_free(run);
    weir_pipeline_free(p);
}

TEST(a_function_that_ends_its_thread_ends_the_run)
{
    expect_misused(leave, 0, "ended its thread, or was cancelled, in execution 3");
    expect_misused(cancel_itself, 0, "ended its thread, or was cancelled, in execution 4");
}

TEST(what_is_no_message_of_the_run_is_not_sent)
{
    expect_misused(send_foreign, 64, "sent something that is not a message of the run in execution 0");
}

struct gate {
    atomic_bool reached, open;
};

static int block(void *context, const struct weir_run_call *call)
{
    struct gate *gate = context;
    (void)call;
    atomic_store(&gate->reached, true);
    while (!atomic_load(&gate->open)) {
        const struct timespec moment = {.tv_nsec = NS_PER_MS};
        nanosleep(&moment, NULL);
    }
    return 0;
}

/* Neither the duration nor a stop makes waiting longer than it was asked to be. */
TEST(waiting_keeps_its_timeout_when_a_function_blocks)
{
    struct weir_pipeline *p = stage_read("{unit: us, operators: {a: 1, b: 1}, queues: [a -> b]}");
    struct weir_run_options options = {.work = WEIR_RUN_NOTHING, .duration_ns = NS_PER_MS};
    struct gate gate = {0};
    struct weir_run *run = NULL;
    bool ended = true;
    for (; ended; options.duration_ns *= 4) { /* on a busy machine it may be over before b has had its turn */
        weir_run_free(run);
        run = make(p, &options);
        bind(run, "b", block, &gate);
        assert_int_equal(weir_run_start(run, NULL), WEIR_OK);
        for (ended = false; !ended && !atomic_load(&gate.reached);)
            assert_int_equal(weir_run_wait(run, NS_PER_MS, &ended, NULL), WEIR_OK);
    }
    for (int i = 0; i < 3; i++) {
        int64_t before = now();
        assert_int_equal(weir_run_wait(run, 20 * NS_PER_MS, &ended, NULL), WEIR_OK);
        assert_false(ended);
        assert_true(now() - before >= 20 * NS_PER_MS);
        if (i == 1)
            weir_run_stop(run);
    }
    atomic_store(&gate.open, true);
    assert_int_equal(weir_run_wait(run, -1, &ended, NULL), WEIR_OK);
    assert_true(ended);
    assert_int_equal(weir_run_result(run).end, WEIR_RUN_STOPPED);
    weir_run_free(run);
    weir_pipeline_free(p);
}

TEST(wrong_names_and_numbers_are_errors)
{
    struct weir_pipeline *p = stage_read("{unit: us, operators: {camera: 1, display: 1}, queues: [camera -> display]}");
    const struct weir_run_thread bad[2] = {{.policy = (enum weir_run_policy)7}, {0}};
    struct weir_run_options options = {.iterations = 3, .work = WEIR_RUN_NOTHING, .message_bytes = 8};
    struct weir_run *run = make(p, &options), *none;
    struct weir_error error = {.status = WEIR_OK};
    assert_int_equal(weir_run_bind_name(run, "dispaly", pass, NULL, &error), WEIR_INVALID);
    assert_string_equal(error.message, "unknown operator \"dispaly\"; did you mean \"display\"?");
    assert_int_equal(weir_run_bind_name(run, "", pass, NULL, &error), WEIR_INVALID);
    assert_int_equal(weir_run_bind_name(run, NULL, pass, NULL, &error), WEIR_INVALID);
    assert_int_equal(weir_run_bind(run, (struct weir_operator){2}, pass, NULL, &error), WEIR_INVALID);
    assert_int_equal(weir_run_discard(run, (struct weir_queue){1}, NULL, NULL, &error), WEIR_INVALID);
    assert_int_equal(weir_run_discard(run, (struct weir_queue){0}, NULL, NULL, &error), WEIR_INVALID); /* there is a pool */
    assert_int_equal(finish(run), WEIR_OK);
    assert_int_equal(weir_run_operator(run, (struct weir_operator){9}).executions, 0);
    assert_int_equal(weir_run_queue(run, (struct weir_queue){9}).sent, 0);
    assert_int_equal(weir_run_chain(run, 9).count, 0);
    assert_int_equal(weir_run_record_count(run, (struct weir_operator){9}), 0);
    assert_int_equal(weir_run_record_at(run, (struct weir_operator){9}, 0).execution, -1);
    assert_int_equal(weir_run_cause_of(run, (struct weir_operator){9}, 0).execution, -1);
    assert_int_equal(weir_run_taken(run, (struct weir_queue){9}, 0), -2);
    assert_true(weir_run_latency(run, 9, 0) == INT64_MIN);
    weir_run_free(run);
    options.threads = bad;
    assert_int_equal(weir_run_new(p, &options, &none, &error), WEIR_INVALID);
    assert_string_equal(error.message, "operator \"camera\": there is no such policy");
    weir_pipeline_free(p);
}

/* ---- locked memory ---- */

static unsigned long locked(void)
{
    FILE *file = fopen("/proc/self/status", "r");
    char line[256];
    unsigned long size = 0;
    while (file && fgets(line, sizeof line, file) && sscanf(line, "VmLck: %lu kB", &size) != 1)
        continue;
    if (file)
        fclose(file);
    return size;
}

/* Two runs at the same time, within an application that has locked its memory, or some of it. */
TEST(locked_memory_of_the_application_survives)
{
    static char page[8192];
    if (mlockall(MCL_CURRENT | MCL_FUTURE))
        skip();
    unsigned long before = locked();
    if (before == 0) /* sanitizers make it do nothing */
        skip();
    assert_int_equal(weir_memory_lock(), 0);
    assert_int_equal(weir_memory_lock(), 0);
    weir_memory_unlock();
    weir_memory_unlock();
    assert_true(before > 0 && locked() >= before);
    munlockall();
    assert_int_equal(locked(), 0);

    assert_int_equal(mlock(page, sizeof page), 0);
    assert_int_equal(weir_memory_lock(), 0);
    weir_memory_unlock();
    before = locked();
    assert_true(before > 0);
    void *later = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(later != MAP_FAILED);
    assert_int_equal(locked(), before); /* what comes later is not locked */
    munmap(later, 1 << 20);
    munlockall();

    assert_int_equal(weir_memory_lock(), 0);
    assert_true(locked() > 0);
    weir_memory_unlock();
    assert_int_equal(locked(), 0);
}
