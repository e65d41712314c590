/* SPDX-License-Identifier: Apache-2.0 */
/* What is known of a run afterwards: latencies one by one, what let executions start, traces; and memory that fails. */
#include "support/stage.h"
#include "support/timeline.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const struct weir_operator A = {0}, B = {1}, C = {2};

static struct weir_run *run_it(const struct weir_pipeline *pipeline, const struct weir_run_options *options)
{
    struct weir_run *run;
    struct weir_error error = {.status = WEIR_OK};
    if (weir_run_execute(pipeline, options, &run, &error))
        fail_msg("%s", error.message);
    return run;
}

/* A -> B -> C in microseconds. */
static struct weir_pipeline *chain(bool rates)
{
    struct weir_pipeline *p = weir_pipeline_new(NULL);
    assert_int_equal(weir_pipeline_set_unit(p, WEIR_UNIT_US, 0, NULL), WEIR_OK);
    stage_operator(p, "A", 10, 20);
    stage_operator(p, "B", 10, 40);
    stage_operator(p, "C", 5, 10);
    stage_queue(p, A, B, 1, 0);
    const struct weir_queue_spec queue = {.from = B, .to = C, .capacity = 4, .consume = rates ? 2 : 1, .initial = 1};
    assert_int_equal(weir_pipeline_add_queue(p, &queue, NULL, NULL), WEIR_OK);
    stage_seal(p);
    return p;
}

/* The latencies that are kept are those that were counted. */
TEST(latencies_are_known_one_by_one)
{
    for (int rates = 0; rates < 2; rates++) {
        struct weir_pipeline *p = chain(rates);
        struct weir_run_options options = {.iterations = 40, .measure = true, .records = 100};
        struct weir_run *run = run_it(p, &options);
        struct weir_run_chain_stats chain = weir_run_chain(run, 0);
        int64_t total = 0, max = INT64_MIN;
        uint64_t count = 0;
        assert_int_equal(chain.carried, rates);
        assert_int_equal(chain.over, 0);
        for (int64_t i = 0; i < 40; i++) {
            int64_t latency = weir_run_latency(run, 0, i);
            if (latency == INT64_MIN)
                continue;
            count++;
            total += latency;
            max = latency > max ? latency : max;
        }
        assert_int_equal(count, chain.count);
        assert_int_equal(total, chain.total);
        assert_int_equal(max, chain.max);
        assert_int_equal(weir_run_latency(run, 0, chain.worst_execution), chain.max);
        assert_true(weir_run_latency(run, 0, 1000) == INT64_MIN);
        assert_true(weir_run_latency(run, 0, -1) == INT64_MIN);
        weir_run_free(run);
        weir_pipeline_free(p);
    }
}

TEST(latencies_above_a_limit_are_counted)
{
    const int64_t limits[] = {0, 100000000000, -1};
    for (int rates = 0; rates < 2; rates++)
        for (size_t i = 0; i < 3; i++) {
            struct weir_pipeline *p = chain(rates);
            struct weir_run_options options = {.iterations = 10, .measure = true, .limits = &limits[i]};
            struct weir_run *run = run_it(p, &options);
            assert_true(weir_run_chain(run, 0).count > 0);
            assert_int_equal(weir_run_chain(run, 0).over, i == 0 ? weir_run_chain(run, 0).count : 0);
            weir_run_free(run);
            weir_pipeline_free(p);
        }
}

/* Whatever let it start had happened by then, and is where the cause says. */
static void assert_cause(const struct weir_run *run, struct weir_operator op, const struct weir_run_record *r)
{
    struct weir_run_cause cause = weir_run_cause_of(run, op, r->execution);
    assert_true(cause.moment == r->ready);
    assert_true(cause.moment <= r->start);
    if (cause.execution < 0)
        return;
    struct weir_run_record by = weir_run_record_at(run, cause.op, (size_t)cause.execution);
    switch (cause.wait) {
    case WEIR_WAIT_DATA:
        assert_true(cause.op.index + 1 == op.index);
        assert_true(by.finish == cause.moment);
        break;
    case WEIR_WAIT_BUSY:
        assert_int_equal(cause.op.index, op.index);
        assert_int_equal(cause.execution, r->execution - 1);
        assert_true(by.finish == cause.moment);
        break;
    case WEIR_WAIT_BACKPRESSURE:
        assert_int_equal(cause.op.index, op.index + 1);
        assert_true(by.received == cause.moment);
        break;
    case WEIR_WAIT_PERIOD:
        assert_int_equal(cause.op.index, op.index);
        assert_true(by.start < cause.moment);
        break;
    case WEIR_WAIT_NONE:
    case WEIR_WAIT_ORDER:
        fail_msg("nothing happened, but it has an execution");
    }
}

TEST(causes_are_found)
{
    for (int periodic = 0; periodic < 3; periodic++) {
        struct weir_pipeline *p = weir_pipeline_new(NULL);
        assert_int_equal(weir_pipeline_set_unit(p, WEIR_UNIT_US, 0, NULL), WEIR_OK);
        stage_operator(p, "A", 0, 20);
        stage_operator(p, "B", 0, 40);
        stage_operator(p, "C", 0, 40);
        stage_queue(p, A, B, 1, 0);
        stage_queue(p, B, C, 2, 0);
        if (periodic)
            stage_period(p, A, 50, periodic == 1 ? WEIR_ARRIVALS_AT_MOST : WEIR_ARRIVALS_EXACT);
        stage_seal(p);
        struct weir_run_options options = {.iterations = 50, .measure = true, .records = 50, .times = WEIR_TIMES_BANG_BANG};
        struct weir_run *run = run_it(p, &options);
        for (uint32_t i = 0; i < 3; i++)
            for (size_t k = 0; k < 50; k++) {
                struct weir_run_record r = weir_run_record_at(run, (struct weir_operator){i}, k);
                assert_cause(run, (struct weir_operator){i}, &r);
            }
        assert_int_equal(weir_run_cause_of(run, B, 0).wait, WEIR_WAIT_DATA);
        assert_true(weir_run_cause_of(run, B, 50).moment == INT64_MIN);
        weir_run_free(run);
        weir_pipeline_free(p);
    }
}

static size_t occurrences(const char *text, const char *word)
{
    size_t count = 0;
    for (const char *at = strstr(text, word); at; at = strstr(at + 1, word))
        count++;
    return count;
}

TEST(traces_show_every_execution_and_message)
{
    struct weir_pipeline *p = chain(false);
    struct weir_run_options options = {.iterations = 20, .measure = true, .measure_cpu = true, .records = 20};
    struct weir_run *run = run_it(p, &options);
    char *text;
    STAGE_WRITTEN(text, trace_run(run, out, NULL));
    assert_int_equal(occurrences(text, "\"ph\": \"X\""), 60);
    assert_int_equal(occurrences(text, "\"cpu_us\""), 60);
    assert_int_equal(occurrences(text, "\"ph\": \"s\""), 20 + 19);         /* an initial message has no sender */
    assert_int_equal(occurrences(text, "\"name\": \"queue A -> B\""), 41); /* and one at the end */
    assert_null(strstr(text, "-1,"));
    free(text);
    weir_run_free(run);
    options.records = 0;
    run = run_it(p, &options);
    struct weir_error error;
    assert_int_equal(trace_run(run, stderr, &error), WEIR_INVALID);
    assert_non_null(strstr(error.message, "at least one"));
    weir_run_free(run);
    weir_pipeline_free(p);
}

/* ---- what is under way at the end ---- */

struct holder {
    _Atomic int64_t sent;
    int64_t waits_for;
};

static int send_on(void *context, const struct weir_run_call *call)
{
    struct holder *h = context;
    (void)call;
    atomic_fetch_add(&h->sent, 1);
    return 0;
}

/* In its first execution stops the run, when others have been waiting for it for at least 3 ms. */
static int hold(void *context, const struct weir_run_call *call)
{
    struct holder *h = context;
    const struct timespec moment = {.tv_nsec = 3000000}, little = {.tv_nsec = 10000};
    while (atomic_load(&h->sent) < h->waits_for)
        nanosleep(&little, NULL);
    nanosleep(&moment, NULL);
    weir_run_stop(call->run);
    return 0;
}

static struct weir_run *run_held(const struct weir_pipeline *p, struct weir_operator holding, struct holder *h)
{
    struct weir_run_options options = {.measure = true, .work = WEIR_RUN_NOTHING, .limits = (const int64_t[]){1000000}};
    struct weir_run *run;
    assert_int_equal(weir_run_new(p, &options, &run, NULL), WEIR_OK);
    assert_int_equal(weir_run_bind(run, A, send_on, h, NULL), WEIR_OK);
    assert_int_equal(weir_run_bind(run, holding, hold, h, NULL), WEIR_OK);
    assert_int_equal(weir_run_start(run, NULL), WEIR_OK);
    assert_int_equal(weir_run_wait(run, -1, NULL, NULL), WEIR_OK);
    return run;
}

/* A late message does not count the less because the run ended first. */
TEST(what_is_under_way_at_the_end_has_an_age)
{
    struct weir_pipeline *p = stage_chain(2, (const int64_t[]){1, 1}, 3);
    struct holder h = {.waits_for = 3};
    struct weir_run *run = run_held(p, B, &h);
    struct weir_run_chain_stats chain = weir_run_chain(run, 0);
    assert_int_equal(weir_run_operator(run, B).executions, 1);
    assert_int_equal(chain.count, 1);
    assert_int_equal(chain.over, 1);
    assert_int_equal(chain.pending, weir_run_operator(run, A).executions - 1);
    assert_true(chain.pending_over >= 2 && chain.pending_over <= chain.pending);
    assert_true(chain.pending_max >= 3000000);
    weir_run_free(run);
    weir_pipeline_free(p);
}

TEST(what_arrived_and_was_not_begun_has_one_too)
{
    struct weir_pipeline *p = weir_pipeline_new(NULL);
    assert_int_equal(weir_pipeline_set_unit(p, WEIR_UNIT_US, 0, NULL), WEIR_OK);
    stage_operator(p, "A", 0, 1);
    stage_operator(p, "B", 0, 1);
    stage_queue(p, A, B, 1, 0);
    stage_period(p, A, 100, WEIR_ARRIVALS_EXACT);
    stage_seal(p);
    struct holder h = {0};
    struct weir_run *run = run_held(p, A, &h);
    struct weir_run_chain_stats chain = weir_run_chain(run, 0);
    assert_int_equal(weir_run_operator(run, A).executions, 1);
    assert_true(chain.pending >= 30 && chain.pending_over >= 20); /* one each 100 us */
    weir_run_free(run);
    weir_pipeline_free(p);
}

TEST(a_whole_run_leaves_nothing_under_way)
{
    struct weir_pipeline *p = chain(false);
    struct weir_run_options options = {.iterations = 20, .measure = true, .work = WEIR_RUN_NOTHING};
    struct weir_run *run = run_it(p, &options);
    assert_int_equal(weir_run_chain(run, 0).pending, 0); /* though the last message is in the queue */
    weir_run_free(run);
    weir_pipeline_free(p);
}

static enum weir_status run_and_trace(void *context)
{
    const int64_t limit = 5;
    struct weir_run_options options = {.iterations = 3, .work = WEIR_RUN_NOTHING, .measure = true, .records = 3, .limits = &limit};
    struct weir_run *run;
    enum weir_status status = weir_run_execute(context, &options, &run, NULL);
    FILE *out = fopen("/dev/null", "w");
    if (!status)
        status = trace_run(run, out, NULL);
    fclose(out);
    weir_run_free(run);
    return status;
}

TEST(memory_may_fail)
{
    for (int rates = 0; rates < 2; rates++) {
        struct weir_pipeline *p = chain(rates);
        assert_true(stage_fail_each_allocation(run_and_trace, p) > 5);
        weir_pipeline_free(p);
    }
}
