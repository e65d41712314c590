/* SPDX-License-Identifier: Apache-2.0 */
/* Connections that do not wait or that move several messages at once; what is refused; what fails. */
#include "support/stage.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const struct weir_operator A = {0}, B = {1};
static const struct weir_queue Q = {0};

/* A, which counts, and B, which is slower where it is told to. */
struct ends {
    intptr_t sent;
    intptr_t seen, executions, without, again;
    intptr_t slow_us;
    bool disordered, gap;
    _Atomic intptr_t discarded;
};

static int count_up(void *context, const struct weir_run_call *call)
{
    struct ends *e = context;
    call->outputs[0].messages[0] = (void *)++e->sent;
    return 0;
}

static void sleep_us(intptr_t us)
{
    struct timespec t = {.tv_nsec = us * 1000};
    nanosleep(&t, NULL);
}

static int look(void *context, const struct weir_run_call *call)
{
    struct ends *e = context;
    const struct weir_run_input *in = &call->inputs[0];
    e->executions++;
    e->without += in->count == 0;
    e->again += in->again;
    for (uint32_t i = 0; i < in->count; i++) {
        intptr_t message = (intptr_t)in->messages[i];
        e->disordered = e->disordered || message < e->seen || (message == e->seen && !in->again);
        e->gap = e->gap || message > e->seen + 1;
        e->seen = message;
    }
    if (e->slow_us)
        sleep_us(e->slow_us);
    return 0;
}

static void discard(void *context, void *message)
{
    struct ends *e = context;
    (void)message;
    atomic_fetch_add(&e->discarded, 1);
}

static struct weir_pipeline *chain(const struct weir_queue_spec *queue, int64_t period_b)
{
    struct weir_pipeline *p = weir_pipeline_new(NULL);
    assert_int_equal(weir_pipeline_set_unit(p, WEIR_UNIT_US, 0, NULL), WEIR_OK);
    stage_operator(p, "A", 0, 0);
    stage_operator(p, "B", 0, 0);
    assert_int_equal(weir_pipeline_add_queue(p, queue, NULL, NULL), WEIR_OK);
    if (period_b)
        stage_period(p, B, period_b, WEIR_ARRIVALS_AT_MOST);
    stage_seal(p);
    return p;
}

static enum weir_status run_ends(const struct weir_pipeline *p, const struct weir_run_options *options, struct ends *e,
                                 struct weir_run **run, struct weir_error *error)
{
    assert_int_equal(weir_run_new(p, options, run, error), WEIR_OK);
    assert_int_equal(weir_run_bind(*run, A, count_up, e, error), WEIR_OK);
    assert_int_equal(weir_run_bind(*run, B, look, e, error), WEIR_OK);
    assert_int_equal(weir_run_discard(*run, Q, discard, e, error), WEIR_OK);
    assert_int_equal(weir_run_start(*run, error), WEIR_OK);
    return weir_run_wait(*run, -1, NULL, error);
}

/* Each message is taken, lost, or left over; none twice, and none out of order. */
TEST(full_queues_lose_what_their_policy_says)
{
    const enum weir_full policies[] = {WEIR_FULL_POP, WEIR_FULL_REJECT};
    for (size_t i = 0; i < 2; i++) {
        const struct weir_queue_spec queue = {.from = A, .to = B, .capacity = 2, .nonblocking = true, .full = policies[i]};
        struct weir_pipeline *p = chain(&queue, 0);
        struct weir_run_options options = {.iterations = 2000, .work = WEIR_RUN_NOTHING, .measure = true, .records = 2000};
        struct ends e = {.slow_us = 20};
        struct weir_run *run;
        assert_int_equal(run_ends(p, &options, &e, &run, NULL), WEIR_OK);
        assert_int_equal(weir_run_result(run).end, WEIR_RUN_COMPLETE);
        struct weir_run_queue_stats q = weir_run_queue(run, Q);
        assert_int_equal(e.sent, 2000);
        assert_int_equal(q.sent, 2000);
        assert_int_equal(q.taken, e.executions);
        assert_int_equal(q.taken + q.lost, 2000);
        assert_int_equal(e.discarded, q.lost);
        assert_true(q.lost > 0 && q.peak <= 2);
        assert_false(e.disordered);
        if (policies[i] == WEIR_FULL_POP)
            assert_int_equal(e.seen, 2000); /* the last one is never lost */
        struct weir_run_chain_stats latency = weir_run_chain(run, 0);
        assert_true(latency.carried);
        assert_int_equal(latency.count, e.executions);
        for (int64_t n = 1; n < e.executions; n++)
            assert_true(weir_run_taken(run, Q, n) > weir_run_taken(run, Q, n - 1));
        weir_run_free(run);
        weir_pipeline_free(p);
    }
}

TEST(a_full_queue_may_be_a_fault)
{
    const struct weir_queue_spec queue = {.from = A, .to = B, .capacity = 1, .nonblocking = true, .full = WEIR_FULL_FAULT};
    struct weir_pipeline *p = chain(&queue, 0);
    struct weir_run_options options = {.iterations = 100000, .work = WEIR_RUN_NOTHING};
    struct ends e = {.slow_us = 100};
    struct weir_run *run;
    struct weir_error error;
    assert_int_equal(run_ends(p, &options, &e, &run, &error), WEIR_INVALID);
    assert_string_equal(error.message, "a message of \"A\" found the queue to \"B\" full");
    assert_int_equal(weir_run_result(run).end, WEIR_RUN_FAULT);
    assert_int_equal(weir_run_result(run).queue.index, 0);
    weir_run_free(run);
    weir_pipeline_free(p);
}

TEST(a_queue_that_keeps_all_grows)
{
    const struct weir_queue_spec queue = {.from = A, .to = B, .capacity = 1, .nonblocking = true};
    struct weir_pipeline *p = chain(&queue, 0);
    struct weir_run_options options = {.iterations = 20000, .work = WEIR_RUN_NOTHING, .measure = true};
    struct ends e = {0};
    struct weir_run *run;
    assert_int_equal(run_ends(p, &options, &e, &run, NULL), WEIR_OK);
    assert_int_equal(e.seen, 20000);
    assert_false(e.disordered || e.gap);
    assert_int_equal(weir_run_queue(run, Q).lost, 0);
    weir_run_free(run);
    weir_pipeline_free(p);
}

TEST(optional_and_latest_inputs_are_not_waited_for)
{
    for (int latest = 0; latest < 2; latest++) {
        const struct weir_queue_spec queue = {.from = A, .to = B, .capacity = 4, .optional = !latest, .latest = latest};
        struct weir_pipeline *p = chain(&queue, 50);
        struct weir_run_options options = {.iterations = 400, .work = WEIR_RUN_NOTHING, .measure = true, .records = 400};
        struct ends e = {0};
        struct weir_run *run;
        assert_int_equal(run_ends(p, &options, &e, &run, NULL), WEIR_OK);
        struct weir_run_queue_stats q = weir_run_queue(run, Q);
        assert_int_equal(e.executions, 400);
        assert_false(e.disordered);
        if (latest) {
            assert_int_equal(q.taken + (uint64_t)(e.again + e.without), 400);
            assert_int_equal(e.discarded, q.taken > 0 ? q.lost + q.taken - 1 : q.lost);
        } else {
            assert_int_equal(q.taken + (uint64_t)e.without, 400);
            assert_false(e.gap);
        }
        weir_run_free(run);
        /* What was left over, too. A ends early where B is done before it and the queue is full. */
        assert_int_equal(latest ? e.discarded : e.seen + e.discarded, e.sent);
        weir_pipeline_free(p);
    }
}

/* ---- rates ---- */

static int count_many(void *context, const struct weir_run_call *call)
{
    struct ends *e = context;
    for (uint32_t i = 0; i < call->outputs[0].count; i++)
        call->outputs[0].messages[i] = (void *)++e->sent;
    return 0;
}

/* Takes 3 of the 5 that it sees: the last two are seen again. */
static int look_ahead(void *context, const struct weir_run_call *call)
{
    struct ends *e = context;
    for (uint32_t i = 0; i < call->inputs[0].count; i++)
        e->disordered = e->disordered || (intptr_t)call->inputs[0].messages[i] != 3 * e->executions + (intptr_t)i + 1;
    e->disordered = e->disordered || call->inputs[0].count != 5;
    e->executions++;
    return 0;
}

TEST(samples_are_moved_by_the_rates)
{
    struct weir_pipeline *p =
        stage_pool((struct weir_queue_spec){.capacity = 20, .initial = 2, .produce = 4, .consume = 3, .threshold = 5}, 40);
    struct weir_run_options options = {.iterations = 100, .work = WEIR_RUN_SPIN, .measure = true, .records = 400};
    struct ends e = {.sent = 2};
    struct weir_run *run;
    assert_int_equal(weir_run_new(p, &options, &run, NULL), WEIR_OK);
    weir_run_bind(run, A, count_many, &e, NULL);
    assert_int_equal(weir_run_start(run, NULL), WEIR_OK);
    assert_int_equal(weir_run_wait(run, -1, NULL, NULL), WEIR_OK);
    assert_int_equal(weir_run_operator(run, A).executions, 300); /* three times 4 are four times 3 */
    assert_int_equal(weir_run_operator(run, B).executions, 400);
    assert_int_equal(weir_run_queue(run, Q).sent, 1202);
    assert_int_equal(weir_run_queue(run, Q).taken, 1200);
    assert_true(weir_run_queue(run, Q).peak <= 20);
    assert_true(weir_run_chain(run, 0).carried);
    assert_int_equal(weir_run_chain(run, 0).count, 400);
    assert_int_equal(weir_run_taken(run, Q, 0), -1);
    assert_int_equal(weir_run_taken(run, Q, 1), 0);
    assert_int_equal(weir_run_taken(run, Q, 2), 1);
    for (size_t i = 0; i < 400; i++) {
        struct weir_run_record r = weir_run_record_at(run, B, i);
        assert_true(r.ready != INT64_MIN && r.ready <= r.start);
    }
    weir_run_free(run);
    weir_pipeline_free(p);
}

TEST(samples_arrive_in_order)
{
    struct weir_pipeline *p =
        stage_pool((struct weir_queue_spec){.capacity = WEIR_UNBOUNDED, .produce = 4, .consume = 3, .threshold = 5}, 10);
    struct weir_run_options options = {.duration_ns = 20000000, .work = WEIR_RUN_NOTHING, .measure = true};
    struct ends b = {0};
    for (; !b.executions; options.duration_ns *= 4) { /* on a busy machine B may not have had its turn */
        struct ends a = {0};
        struct weir_run *run;
        assert_int_equal(weir_run_new(p, &options, &run, NULL), WEIR_OK);
        weir_run_bind(run, A, count_many, &a, NULL);
        weir_run_bind(run, B, look_ahead, &b, NULL);
        assert_int_equal(weir_run_start(run, NULL), WEIR_OK);
        assert_int_equal(weir_run_wait(run, -1, NULL, NULL), WEIR_OK);
        assert_false(b.disordered);
        weir_run_free(run);
    }
    weir_pipeline_free(p);
}

/* ---- what is refused ---- */

static void assert_refused(const struct weir_pipeline *p, const struct weir_run_options *options, const char *why)
{
    struct weir_run *run = (void *)1;
    struct weir_error error = {.status = WEIR_OK};
    assert_int_equal(weir_run_new(p, options, &run, &error), WEIR_INVALID);
    assert_null(run);
    assert_non_null(strstr(error.message, why));
}

TEST(what_cannot_be_executed_is_refused)
{
    const int64_t worst[] = {1, 1};
    struct weir_pipeline *p = stage_chain(2, worst, 1);
    assert_refused(p, NULL, "how long is a tick?");
    struct weir_run_options options = {.tick_ns = 1, .iterations = -1};
    assert_refused(p, &options, "negative");
    options = (struct weir_run_options){.tick_ns = 1, .scale = {0, 1}};
    assert_refused(p, &options, "scale");
    options = (struct weir_run_options){.tick_ns = 1, .times = WEIR_TIMES_GIVEN};
    assert_refused(p, &options, "neither a function nor a witness");
    weir_pipeline_free(p);

    p = weir_pipeline_new(NULL);
    const struct weir_operator_spec reentrant = {.name = "r", .worst = 1, .reentrant = true};
    assert_int_equal(weir_pipeline_add_operator(p, &reentrant, NULL, NULL), WEIR_OK);
    options = (struct weir_run_options){.tick_ns = 1};
    assert_refused(p, &options, "sealed");
    stage_period(p, A, 5, WEIR_ARRIVALS_AT_MOST);
    stage_seal(p);
    assert_refused(p, &options, "\"r\" is reentrant");
    weir_pipeline_free(p);

    p = weir_pipeline_new(NULL);
    const struct weir_launch launch = {.best = 1, .worst = 2};
    const struct weir_operator_spec gpu = {.name = "g", .worst = 1, .launch = &launch};
    assert_int_equal(weir_pipeline_add_operator(p, &gpu, NULL, NULL), WEIR_OK);
    stage_seal(p);
    assert_refused(p, &options, "\"g\" launches work on a GPU");
    weir_pipeline_free(p);
}

/* ---- what fails ---- */

static enum weir_status run_once(void *context)
{
    const struct weir_pipeline *p = context;
    struct weir_run_options options = {.iterations = 3, .work = WEIR_RUN_MEMORY, .memory_bytes = 256, .tick_ns = 1};
    struct ends e = {0};
    struct weir_run *run;
    options.measure = true;
    options.records = 3;
    enum weir_status status = weir_run_new(p, &options, &run, NULL);
    if (!status)
        status = weir_run_bind(run, B, look, &e, NULL);
    if (!status)
        status = weir_run_start(run, NULL);
    if (!status)
        status = weir_run_wait(run, -1, NULL, NULL);
    weir_run_free(run);
    return status;
}

TEST(every_allocation_may_fail)
{
    const struct weir_queue_spec queues[] = {{.from = A, .to = B, .capacity = 2},
                                             {.from = A, .to = B, .capacity = WEIR_UNBOUNDED},
                                             {.from = A, .to = B, .capacity = 2, .nonblocking = true, .full = WEIR_FULL_POP}};
    for (size_t i = 0; i < sizeof queues / sizeof *queues; i++) {
        struct weir_pipeline *p = chain(&queues[i], 0);
        assert_true(stage_fail_each_allocation(run_once, p) > 5);
        weir_pipeline_free(p);
    }
}

/* Memory for a few doublings, and no more. */
static size_t left;

static void *last_memory(void *context, void *old, size_t bytes)
{
    (void)context;
    if (bytes == 0) {
        free(old);
        return NULL;
    }
    return bytes > left ? NULL : realloc(old, bytes);
}

TEST(a_queue_that_cannot_grow_ends_the_run)
{
    const struct weir_queue_spec queue = {.from = A, .to = B, .capacity = WEIR_UNBOUNDED};
    struct weir_pipeline *p = chain(&queue, 0);
    struct weir_run_options options = {.work = WEIR_RUN_NOTHING};
    struct ends e = {.slow_us = 500};
    struct weir_run *run;
    struct weir_error error;
    left = 60000;
    weir_set_allocator(&(struct weir_allocator){.resize = last_memory});
    assert_int_equal(run_ends(p, &options, &e, &run, &error), WEIR_MEMORY);
    weir_set_allocator(NULL);
    assert_non_null(strstr(error.message, "there is no memory for more"));
    assert_int_equal(weir_run_result(run).end, WEIR_RUN_EXHAUSTED);
    weir_run_free(run);
    assert_int_equal(e.seen + e.discarded, e.sent - 1); /* the one that found no place was never sent */
    weir_pipeline_free(p);
}

/* No machine has addresses for a stack of that size: no thread can be made. */
TEST(threads_that_cannot_be_made_are_reported)
{
    const int64_t worst[] = {0, 0, 0};
    struct weir_pipeline *p = stage_chain(3, worst, 1);
    struct weir_run_options options = {.work = WEIR_RUN_NOTHING, .iterations = 1, .stack_bytes = (size_t)1 << 60};
    struct weir_run *run;
    struct weir_error error;
    enum weir_status status = weir_run_execute(p, &options, &run, &error);
    assert_true(status == WEIR_MEMORY || status == WEIR_INVALID);
    assert_non_null(strstr(error.message, "only 0 of 3 threads could be created"));
    weir_run_free(run);
    weir_pipeline_free(p);
}

/* ---- policies ---- */

TEST(refused_policies_are_reported)
{
    const int64_t worst[] = {0, 0};
    struct weir_pipeline *p = stage_chain(2, worst, 1);
    const uint32_t nowhere[] = {100000};
    /* A deadline before the runtime is over: refused to everyone. */
    struct weir_run_thread threads[] = {
        {.policy = WEIR_RUN_DEADLINE, .runtime = 2000000, .deadline = 1000000, .period = 4000000, .priority = 2},
        {.cpus = nowhere, .cpu_count = 1}};
    struct weir_run_options options = {.work = WEIR_RUN_NOTHING, .iterations = 10, .threads = threads};
    struct weir_run *run;
    struct weir_error error;
    assert_int_equal(weir_run_execute(p, &options, &run, &error), WEIR_INVALID);
    assert_non_null(strstr(error.message, "Linux refuses deadline for operator \"A\""));
    weir_run_free(run);
    options.fall_back = true;
    options.lock_memory = true;
    assert_int_equal(weir_run_execute(p, &options, &run, &error), WEIR_OK);
    struct weir_run_operator_stats a = weir_run_operator(run, A), b = weir_run_operator(run, B);
    assert_true(a.policy == WEIR_RUN_FIFO || a.policy == WEIR_RUN_OTHER); /* as privileges have it */
    assert_true(a.policy_errno != 0);
    assert_int_equal(b.policy, WEIR_RUN_OTHER);
    assert_int_equal(b.affinity_errno, EINVAL);
    assert_true(weir_run_result(run).memory_locked == (weir_run_result(run).memory_errno == 0));
    weir_run_free(run);
    weir_pipeline_free(p);
    assert_string_equal(weir_run_policy_name(WEIR_RUN_DEADLINE), "deadline");
}

/* ---- times ---- */

TEST(real_times_are_those_of_the_model)
{
    const int64_t worst[] = {1, 1};
    struct weir_pipeline *p = stage_chain(2, worst, 1);
    struct weir_run_options options = {.tick_ns = 1500, .scale = {1, 10}};
    struct weir_run *run;
    assert_int_equal(weir_run_new(p, &options, &run, NULL), WEIR_OK);
    assert_int_equal(weir_run_ns(run, 4), 600);
    assert_int_equal(weir_run_ticks(run, 600, true), 4);
    assert_int_equal(weir_run_ticks(run, 601, true), 5);
    assert_int_equal(weir_run_ticks(run, 599, false), 3);
    weir_run_free(run);
    weir_pipeline_free(p);
}

/* Asleep, an execution takes at least what the witness says, so that all of them together take at least the latency it claims: its
 * critical path consists of such executions. The latency itself may be less: a thread that wakes up late starts its message late.
 */
TEST(a_witness_is_played)
{
    const int64_t worst[] = {2, 5, 1};
    struct weir_pipeline *p = stage_chain(3, worst, 1);
    struct weir_query query = {.from = {A, WEIR_START, 0}, .to = {{2}, WEIR_FINISH, 0}};
    struct weir_solver *solver = weir_solver_new(p, NULL);
    struct weir_witness *witness = NULL;
    assert_int_equal(weir_separation_witness(solver, &query, &witness, NULL), WEIR_OK);
    struct weir_run_options options = {.iterations = witness->iteration + 1, .work = WEIR_RUN_SLEEP, .times = WEIR_TIMES_GIVEN};
    options.witness = witness;
    options.tick_ns = 1000000;
    options.measure = true;
    struct weir_run *run;
    assert_int_equal(weir_run_execute(p, &options, &run, NULL), WEIR_OK);
    int64_t total = 0;
    for (uint32_t i = 0; i < 3; i++) {
        struct weir_run_operator_stats op = weir_run_operator(run, (struct weir_operator){i});
        assert_int_equal(op.executions, witness->iteration + 1);
        total += op.total;
    }
    assert_true(total >= witness->separation * 1000000);
    assert_int_equal(weir_run_chain(run, 0).count, witness->iteration + 1);
    weir_run_free(run);
    weir_witness_free(witness);
    weir_solver_free(solver);
    weir_pipeline_free(p);
}
