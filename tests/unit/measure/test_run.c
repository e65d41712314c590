/* SPDX-License-Identifier: Apache-2.0 */
/* Pipelines on real threads: order, rules, ends, results. Nothing here expects anything of how fast the machine is. */
#include "support/stage.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

static const struct weir_operator A = {0}, B = {1};

static struct weir_run *start(const struct weir_pipeline *pipeline, const struct weir_run_options *options)
{
    struct weir_run *run;
    struct weir_error error = {.status = WEIR_OK};
    assert_int_equal(weir_run_new(pipeline, options, &run, &error), WEIR_OK);
    return run;
}

static void finish(struct weir_run *run)
{
    struct weir_error error = {.status = WEIR_OK};
    assert_int_equal(weir_run_start(run, &error), WEIR_OK);
    if (weir_run_wait(run, -1, NULL, &error))
        fail_msg("%s", error.message);
}

/* ---- numbers that go through ---- */

struct numbers {
    intptr_t next; /* of a source */
    intptr_t seen; /* of a sink */
    intptr_t fail_at, last_at;
    bool disordered;
};

static int produce(void *context, const struct weir_run_call *call)
{
    struct numbers *n = context;
    for (size_t i = 0; i < call->output_count; i++)
        for (uint32_t k = 0; k < call->outputs[i].count; k++)
            call->outputs[i].messages[k] = (void *)(n->next + (intptr_t)k + 1);
    n->next += call->outputs[0].count;
    if (n->last_at && n->next == n->last_at)
        return WEIR_RUN_LAST;
    return n->fail_at && n->next == n->fail_at ? 7 : 0;
}

static int consume(void *context, const struct weir_run_call *call)
{
    struct numbers *n = context;
    for (size_t i = 0; i < call->input_count; i++)
        for (uint32_t k = 0; k < call->inputs[i].count; k++)
            n->disordered = n->disordered || (intptr_t)call->inputs[i].messages[k] != n->seen + (intptr_t)k + 1;
    n->seen += call->inputs[0].count;
    return 0;
}

static struct weir_pipeline *chain(size_t count, uint32_t capacity)
{
    int64_t worst[STAGE_OPERATORS] = {0};
    return stage_chain(count, worst, capacity);
}

TEST(messages_arrive_once_and_in_order)
{
    const uint32_t capacities[] = {1, 2, 3, 64, 100000, WEIR_UNBOUNDED};
    for (size_t i = 0; i < sizeof capacities / sizeof *capacities; i++)
        for (size_t count = 2; count <= 5; count += 3) {
            struct weir_pipeline *p = chain(count, capacities[i]);
            struct weir_run_options options = {.iterations = 5000, .work = WEIR_RUN_NOTHING, .measure = i % 2 == 0};
            struct numbers n = {0};
            struct weir_run *run = start(p, &options);
            assert_int_equal(weir_run_bind(run, A, produce, &n, NULL), WEIR_OK);
            assert_int_equal(weir_run_bind(run, (struct weir_operator){(uint32_t)count - 1}, consume, &n, NULL), WEIR_OK);
            finish(run);
            assert_int_equal(n.seen, 5000);
            assert_false(n.disordered);
            assert_int_equal(weir_run_result(run).end, WEIR_RUN_COMPLETE);
            assert_int_equal(weir_run_result(run).executions, 5000 * count);
            struct weir_run_queue_stats q = weir_run_queue(run, (struct weir_queue){0});
            assert_int_equal(q.sent, 5000);
            assert_int_equal(q.taken, 5000);
            assert_int_equal(q.lost, 0);
            if (options.measure) {
                assert_true(q.peak >= 1 && q.peak <= capacities[i]);
                assert_int_equal(weir_run_chain(run, 0).count, 5000);
                assert_true(weir_run_chain(run, 0).min > 0);
            }
            weir_run_free(run);
            weir_pipeline_free(p);
        }
}

TEST(initial_messages_come_first)
{
    struct weir_pipeline *p = weir_pipeline_new(NULL);
    stage_operator(p, "A", 0, 0);
    stage_operator(p, "B", 0, 0);
    stage_queue(p, A, B, 3, 2);
    stage_seal(p);
    struct weir_run_options options = {.iterations = 100, .work = WEIR_RUN_NOTHING, .measure = true, .records = 100};
    struct numbers n = {.seen = -2};
    struct weir_run *run = start(p, &options);
    weir_run_bind(run, A, produce, &n, NULL);
    weir_run_bind(run, B, consume, &n, NULL);
    finish(run);
    assert_int_equal(n.seen, 98);
    assert_true(n.disordered); /* the initial ones are NULL, not -1 and 0 */
    assert_int_equal(weir_run_taken(run, (struct weir_queue){0}, 1), -1);
    assert_int_equal(weir_run_taken(run, (struct weir_queue){0}, 2), 0);
    weir_run_free(run);
    weir_pipeline_free(p);
}

/* ---- the rules, seen in the records ---- */

/* Every execution starts after the message it takes was sent and after the room it needs was made. */
static void assert_rules(const struct weir_run *run, const struct weir_pipeline *p)
{
    for (uint32_t i = 0; i < weir_pipeline_operator_count(p); i++) {
        struct weir_operator op = {i};
        for (size_t k = 0; k < weir_run_record_count(run, op); k++) {
            struct weir_run_record r = weir_run_record_at(run, op, k);
            assert_int_equal(r.execution, k);
            assert_true(r.ready != INT64_MIN);
            assert_true(r.ready <= r.start);
            assert_true(r.start <= r.received && r.received <= r.finish);
            assert_true(r.arrival <= r.start);
        }
    }
}

TEST(executions_keep_to_the_rules)
{
    for (uint64_t seed = 1; seed <= 6; seed++) {
        struct weir_generate_options generate = {.nodes = 7, .seed = seed, .density_permille = 300, .queue = 1 + seed % 2};
        struct weir_pipeline *p;
        assert_int_equal(weir_generate_holoscan(&generate, &p, NULL), WEIR_OK);
        struct weir_run_options options = {.iterations = 60,
                                           .work = seed % 3 == 0   ? WEIR_RUN_SPIN
                                                   : seed % 3 == 1 ? WEIR_RUN_SLEEP
                                                                   : WEIR_RUN_MEMORY,
                                           .tick_ns = 100,
                                           .times = WEIR_TIMES_BANG_BANG,
                                           .seed = seed,
                                           .measure = true,
                                           .measure_cpu = true,
                                           .records = 60};
        struct weir_run *run = start(p, &options);
        finish(run);
        assert_rules(run, p);
        struct weir_run_operator_stats first = weir_run_operator(run, A);
        assert_int_equal(first.executions, 60);
        assert_true(first.min <= first.max && first.total >= 60 * first.min);
        assert_true(first.cpu_min >= 0 && first.thread_cpu > 0);
        weir_run_free(run);
        weir_pipeline_free(p);
    }
}

struct order {
    int64_t last;
    size_t count;
};

static bool note_order(void *context, struct weir_operator op, const struct weir_run_record *record)
{
    (void)op;
    struct order *o = context;
    assert_true(record->start >= o->last);
    o->last = record->start;
    return ++o->count < 150;
}

TEST(records_are_shown_in_order)
{
    struct weir_pipeline *p = chain(4, 2);
    struct weir_run_options options = {.iterations = 100, .work = WEIR_RUN_NOTHING, .measure = true, .records = 40};
    options.records_newest = true;
    struct weir_run *run = start(p, &options);
    finish(run);
    struct order order = {0};
    assert_int_equal(weir_run_record_count(run, A), 40);
    assert_int_equal(weir_run_record_at(run, A, 0).execution, 60);
    assert_int_equal(weir_run_record_at(run, A, 39).execution, 99);
    assert_int_equal(weir_run_record_at(run, A, 40).execution, -1);
    assert_int_equal(weir_run_observe(run, note_order, &order, NULL), WEIR_OK);
    assert_int_equal(order.count, 150);
    weir_run_free(run);
    weir_pipeline_free(p);
}

/* ---- late receive ---- */

static int receive_early(void *context, const struct weir_run_call *call)
{
    (void)context;
    weir_run_receive(call);
    weir_run_receive(call);
    return 0;
}

TEST(slots_are_freed_at_receive)
{
    struct weir_pipeline *p = weir_pipeline_new(NULL);
    assert_int_equal(weir_pipeline_set_unit(p, WEIR_UNIT_US, 0, NULL), WEIR_OK);
    stage_operator(p, "A", 0, 0);
    const struct weir_operator_spec late = {.name = "B", .best = 900, .worst = 900, .receive_min = 500, .receive_max = 500};
    assert_int_equal(weir_pipeline_add_operator(p, &late, NULL, NULL), WEIR_OK);
    stage_queue(p, A, B, 1, 0);
    stage_seal(p);
    struct weir_run_options options = {.iterations = 10, .work = WEIR_RUN_SLEEP, .measure = true, .records = 10};
    struct weir_run *run = start(p, &options);
    finish(run);
    assert_rules(run, p);
    for (size_t i = 0; i < 10; i++) {
        struct weir_run_record b = weir_run_record_at(run, B, i);
        assert_true(b.received - b.start >= 500000);
        if (i > 0)
            assert_true(weir_run_record_at(run, A, i).start >= weir_run_record_at(run, B, i - 1).received);
    }
    weir_run_free(run);
    run = start(p, &options);
    weir_run_bind(run, B, receive_early, NULL, NULL);
    finish(run);
    assert_int_equal(weir_run_operator(run, B).executions, 10);
    weir_run_free(run);
    weir_pipeline_free(p);
}

/* ---- periods ---- */

TEST(starts_keep_to_the_clock)
{
    const enum weir_arrivals all[] = {WEIR_ARRIVALS_AT_MOST, WEIR_ARRIVALS_EXACT, WEIR_ARRIVALS_CATCH_UP, WEIR_ARRIVALS_SKIP};
    for (size_t i = 0; i < 4; i++) {
        struct weir_pipeline *p = weir_pipeline_new(NULL);
        assert_int_equal(weir_pipeline_set_unit(p, WEIR_UNIT_US, 0, NULL), WEIR_OK);
        stage_operator(p, "A", 0, 300);
        stage_operator(p, "B", 0, 10);
        stage_queue(p, A, B, 1, 0);
        stage_period(p, A, 500, all[i]);
        stage_seal(p);
        struct weir_run_options options = {.iterations = 20, .work = WEIR_RUN_SLEEP, .measure = true, .records = 20};
        struct weir_run *run = start(p, &options);
        finish(run);
        assert_rules(run, p);
        int64_t began = weir_run_result(run).began, slot = -1;
        for (size_t k = 0; k < 20; k++) {
            struct weir_run_record r = weir_run_record_at(run, A, k);
            assert_true(r.start >= began);
            if (all[i] == WEIR_ARRIVALS_AT_MOST && k > 0)
                assert_true(r.start - weir_run_record_at(run, A, k - 1).start >= 500000);
            if (all[i] == WEIR_ARRIVALS_EXACT)
                assert_int_equal(r.arrival, began + (int64_t)k * 500000);
            if (all[i] == WEIR_ARRIVALS_EXACT || all[i] == WEIR_ARRIVALS_CATCH_UP)
                assert_true(r.start >= began + (int64_t)k * 500000);
            if (all[i] == WEIR_ARRIVALS_SKIP) {
                assert_true((r.start - began) / 500000 > slot);
                slot = (r.start - began) / 500000;
            }
        }
        weir_run_free(run);
        weir_pipeline_free(p);
    }
}

/* ---- ends ---- */

TEST(a_function_that_fails_ends_the_run)
{
    struct weir_pipeline *p = chain(3, 1);
    struct weir_run_options options = {.iterations = 1000000, .work = WEIR_RUN_NOTHING};
    struct numbers n = {.fail_at = 50};
    struct weir_error error;
    struct weir_run *run = start(p, &options);
    weir_run_bind(run, A, produce, &n, NULL);
    assert_int_equal(weir_run_start(run, NULL), WEIR_OK);
    assert_int_equal(weir_run_wait(run, -1, NULL, &error), WEIR_INVALID);
    assert_string_equal(error.message, "operator \"A\" failed with 7 in execution 49");
    struct weir_run_outcome result = weir_run_result(run);
    assert_int_equal(result.end, WEIR_RUN_FAILED);
    assert_int_equal(result.code, 7);
    assert_int_equal(result.op.index, 0);
    assert_int_equal(weir_run_operator(run, A).executions, 49);
    weir_run_free(run);
    weir_pipeline_free(p);
}

TEST(the_last_execution_lets_the_rest_end)
{
    struct weir_pipeline *p = chain(4, 8);
    struct weir_run_options options = {.work = WEIR_RUN_NOTHING};
    struct numbers n = {.last_at = 1234};
    struct weir_run *run = start(p, &options);
    weir_run_bind(run, A, produce, &n, NULL);
    weir_run_bind(run, (struct weir_operator){3}, consume, &n, NULL);
    finish(run);
    assert_int_equal(weir_run_result(run).end, WEIR_RUN_COMPLETE);
    assert_int_equal(n.seen, 1234);
    assert_false(n.disordered);
    weir_run_free(run);
    weir_pipeline_free(p);
}

static _Atomic(struct weir_run *) interrupted;

static void interrupt(int signal)
{
    (void)signal;
    weir_run_stop(atomic_load(&interrupted));
}

TEST(a_signal_stops_it)
{
    const int64_t worst[] = {0, 20, 3000000}; /* C works for an hour, if it is let */
    struct weir_pipeline *p = stage_chain(3, worst, 1);
    struct weir_run_options options = {.tick_ns = 1000000, .times = WEIR_TIMES_WORST};
    const enum weir_run_work works[] = {WEIR_RUN_SPIN, WEIR_RUN_SLEEP, WEIR_RUN_MEMORY};
    struct sigaction action = {.sa_handler = interrupt}, before;
    for (size_t i = 0; i < 3; i++) {
        bool ended = true;
        options.work = works[i];
        struct weir_run *run = start(p, &options);
        atomic_store(&interrupted, run);
        sigaction(SIGUSR1, &action, &before);
        assert_int_equal(weir_run_start(run, NULL), WEIR_OK);
        assert_int_equal(weir_run_wait(run, 30000000, &ended, NULL), WEIR_OK);
        assert_false(ended);
        assert_int_equal(weir_run_result(run).end, WEIR_RUN_UNFINISHED);
        raise(SIGUSR1);
        assert_int_equal(weir_run_wait(run, -1, &ended, NULL), WEIR_OK);
        assert_true(ended);
        sigaction(SIGUSR1, &before, NULL);
        assert_int_equal(weir_run_result(run).end, WEIR_RUN_STOPPED);
        assert_string_equal(weir_run_result(run).description, "it was stopped");
        weir_run_free(run);
    }
    weir_pipeline_free(p);
}

TEST(a_duration_ends_it_and_so_does_freeing)
{
    struct weir_pipeline *p = chain(3, 1);
    struct weir_run_options options = {.work = WEIR_RUN_NOTHING, .duration_ns = 5000000};
    for (uint64_t executions = 0; !executions; options.duration_ns *= 4) { /* on a busy machine no thread may have had its turn */
        struct weir_run *run = start(p, &options);
        finish(run);
        struct weir_run_outcome result = weir_run_result(run);
        assert_int_equal(result.end, WEIR_RUN_STOPPED);
        assert_true(result.ended - result.began >= options.duration_ns);
        executions = result.executions;
        assert_int_equal(weir_run_wait(run, 0, NULL, NULL), WEIR_OK);
        weir_run_free(run);
    }
    options.duration_ns = 0;
    struct weir_run *run = start(p, &options);
    assert_int_equal(weir_run_start(run, NULL), WEIR_OK);
    weir_run_free(run);
    weir_run_free(start(p, &options));
    weir_run_free(NULL);
    weir_pipeline_free(p);
}

/* Two samples are gathered in a queue that holds three, of which three are needed with an initial one: it fits at first, and then
 * never again. */
TEST(a_standstill_is_noticed)
{
    struct weir_pipeline *p = stage_pool((struct weir_queue_spec){.capacity = 3, .produce = 2, .consume = 2, .threshold = 3}, 100);
    struct weir_run_options options = {.iterations = 10, .work = WEIR_RUN_NOTHING};
    struct weir_run *run;
    struct weir_error error;
    assert_int_equal(weir_run_execute(p, &options, &run, &error), WEIR_INVALID);
    assert_int_equal(weir_run_result(run).end, WEIR_RUN_STANDSTILL);
    assert_non_null(strstr(error.message, "is stuck"));
    weir_run_free(run);
    weir_pipeline_free(p);
}
