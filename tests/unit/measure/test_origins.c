/* SPDX-License-Identifier: Apache-2.0 */
/* Which start a latency is counted from, where messages carry it: as the analysis has it. Moments are compared, no length is. */
#include "support/stage.h"

static const struct weir_operator camera = {0}, infer = {1}, track = {2}, out = {3};
enum { ROUNDS = 40 };

static struct weir_run *run_all(const struct weir_pipeline *p)
{
    struct weir_run_options options = {.iterations = ROUNDS, .work = WEIR_RUN_NOTHING, .measure = true, .records = 8 * ROUNDS};
    struct weir_run *run;
    struct weir_error error = {.status = WEIR_OK};
    assert_int_equal(weir_run_execute(p, &options, &run, &error), WEIR_OK);
    return run;
}

static uint32_t chain_of(const struct weir_pipeline *p, struct weir_operator from, struct weir_operator to)
{
    for (uint32_t i = 0; i < weir_pipeline_chain_count(p); i++) {
        struct weir_chain_spec chain = weir_pipeline_chain(p, i);
        if (chain.from.index == from.index && chain.to.index == to.index)
            return i;
    }
    fail();
    return 0;
}

static int64_t start_of(const struct weir_run *run, struct weir_operator op, int64_t execution)
{
    return weir_run_record_at(run, op, (size_t)execution).start;
}

static struct weir_pipeline *operators(void)
{
    struct weir_pipeline *p = weir_pipeline_new(NULL);
    assert_int_equal(weir_pipeline_set_unit(p, WEIR_UNIT_US, 0, NULL), WEIR_OK);
    stage_operator(p, "camera", 0, 1);
    stage_operator(p, "infer", 0, 1);
    stage_operator(p, "track", 0, 1);
    stage_operator(p, "out", 0, 1);
    return p;
}

static void add(struct weir_pipeline *p, struct weir_queue_spec queue)
{
    assert_int_equal(weir_pipeline_add_queue(p, &queue, NULL, NULL), WEIR_OK);
}

/* Execution n of `out` is of the batch that begins with execution 4n of the camera. */
static void check_batches(const struct weir_pipeline *p)
{
    struct weir_run *run = run_all(p);
    uint32_t chain = chain_of(p, camera, out);
    assert_true(weir_run_chain(run, chain).carried);
    assert_int_equal(weir_run_chain(run, chain).count, ROUNDS);
    for (int64_t n = 0; n < ROUNDS; n++)
        assert_int_equal(weir_run_latency(run, chain, n),
                         weir_run_record_at(run, out, (size_t)n).finish - start_of(run, camera, 4 * n));
    weir_run_free(run);
}

/* What comes round a loop is of earlier iterations, and is not what the latency is about. */
TEST(a_loop_does_not_make_data_older)
{
    struct weir_pipeline *p = operators();
    add(p, (struct weir_queue_spec){.from = camera, .to = infer, .capacity = 4, .consume = 4});
    add(p, (struct weir_queue_spec){.from = infer, .to = track, .capacity = 1});
    add(p, (struct weir_queue_spec){.from = track, .to = infer, .capacity = 1, .initial = 1});
    add(p, (struct weir_queue_spec){.from = track, .to = out, .capacity = 1});
    stage_seal(p);
    check_batches(p);
    weir_pipeline_free(p);
}

TEST(the_way_with_the_fewest_initial_messages_counts)
{
    struct weir_pipeline *p = operators();
    add(p, (struct weir_queue_spec){.from = camera, .to = infer, .capacity = 4, .consume = 4});
    add(p, (struct weir_queue_spec){.from = infer, .to = track, .capacity = 1});
    add(p, (struct weir_queue_spec){.from = infer, .to = track, .capacity = 4, .initial = 2});
    add(p, (struct weir_queue_spec){.from = track, .to = out, .capacity = 1});
    stage_seal(p);
    check_batches(p);
    weir_pipeline_free(p);
}

/* Of a batch whose first messages were there at the beginning, the first that was sent is the oldest. */
TEST(initial_messages_carry_nothing)
{
    struct weir_pipeline *p = operators();
    add(p, (struct weir_queue_spec){.from = camera, .to = infer, .capacity = 2, .initial = 2});
    add(p, (struct weir_queue_spec){.from = infer, .to = track, .capacity = 8, .consume = 4, .initial = 1});
    add(p, (struct weir_queue_spec){.from = track, .to = out, .capacity = 1});
    stage_seal(p);
    struct weir_run *run = run_all(p);
    uint32_t chain = chain_of(p, camera, out);
    for (int64_t n = 0; n < ROUNDS; n++) {
        int64_t oldest = 4 * n - 3; /* three messages are ahead of the camera's first */
        assert_int_equal(weir_run_latency(run, chain, n),
                         weir_run_record_at(run, out, (size_t)n).finish - start_of(run, camera, oldest < 0 ? 0 : oldest));
    }
    weir_run_free(run);
    weir_pipeline_free(p);
}

/* Over a connection that does not wait, what it brings counts besides: the older of both. */
TEST(other_connections_count_besides)
{
    struct weir_pipeline *p = operators();
    add(p, (struct weir_queue_spec){.from = camera, .to = infer, .capacity = 1});
    add(p, (struct weir_queue_spec){.from = camera, .to = track, .capacity = 1});
    add(p, (struct weir_queue_spec){.from = infer, .to = track, .capacity = 1, .latest = true});
    add(p, (struct weir_queue_spec){.from = track, .to = out, .capacity = 1});
    add(p, (struct weir_queue_spec){.from = track, .to = out, .capacity = 4, .initial = 3});
    stage_seal(p);
    struct weir_run *run = run_all(p);
    uint32_t chain = chain_of(p, camera, out);
    for (int64_t n = 0; n < (int64_t)weir_run_record_count(run, out); n++) {
        int64_t read = weir_run_taken(run, (struct weir_queue){2}, n);
        assert_int_equal(weir_run_latency(run, chain, n),
                         weir_run_record_at(run, out, (size_t)n).finish - start_of(run, camera, read >= 0 && read < n ? read : n));
    }
    weir_run_free(run);
    weir_pipeline_free(p);
}
