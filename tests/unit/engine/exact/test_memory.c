/* SPDX-License-Identifier: Apache-2.0 */
/* Each allocation of each question fails once: the answer is WEIR_MEMORY, nothing is left behind, and the same solver answers when
 * asked again. */
#include "asking.h"
#include "engine/exact/solver.h"
#include "support/refuse.h"
#include "support/runner.h"

/* What is asked, and the answer when nothing fails. */
struct trial {
    const struct weir_pipeline *pipeline;
    struct weir_query query;
    struct weir_solver *solver;
    struct weir_separation expected;
    bool by_lines; /* at once, not only where rows take long */
};

static enum weir_status separate(struct trial *t, struct weir_error *error)
{
    struct weir_separation result;
    enum weir_status status = weir_separation_worst(t->solver, &t->query, &result, error);
    if (!status) {
        assert_int_equal(result.outcome, t->expected.outcome);
        assert_true(result.outcome != WEIR_EXACT || result.value == t->expected.value);
    }
    return status;
}

static enum weir_status witness(struct trial *t, struct weir_error *error)
{
    struct weir_witness *w;
    int64_t replayed = 0;
    enum weir_status status = weir_separation_witness(t->solver, &t->query, &w, error);
    if (t->expected.outcome != WEIR_EXACT)
        return status == WEIR_INVALID ? WEIR_OK : status;
    assert_int_equal(w == NULL, status != WEIR_OK);
    if (!status)
        status = weir_witness_replay(t->pipeline, w, &replayed, error);
    assert_true(status || replayed == t->expected.value);
    weir_witness_free(w);
    return status;
}

static enum weir_status certify(struct trial *t, struct weir_error *error)
{
    bool holds = true;
    enum weir_status status = t->expected.outcome == WEIR_EXACT
                                  ? weir_separation_certify(t->solver, &t->query, t->expected.value, &holds, error)
                                  : WEIR_OK;
    assert_int_equal(holds, status == WEIR_OK); /* never a claim that was not checked */
    return status;
}

static enum weir_status count_cycles(struct trial *t, struct weir_error *error)
{
    struct weir_ratio period;
    struct weir_operator *cycle = NULL;
    size_t count;
    enum weir_status status = weir_throughput(t->pipeline, t->query.to.op, true, &period, &cycle, &count, error);
    if (!status) {
        assert_true(count > 0);
        weir_free(cycle);
    }
    return status;
}

static enum weir_status make_solver(struct trial *t, struct weir_error *error)
{
    struct weir_solver *solver = weir_solver_new(t->pipeline, error);
    weir_solver_free(solver);
    return solver ? WEIR_OK : WEIR_MEMORY;
}

static void make_trial_solver(struct trial *t, struct refuse *memory)
{
    memory->paused = true;
    t->solver = weir_solver_new(t->pipeline, NULL);
    memory->paused = false;
    assert_non_null(t->solver);
    t->solver->lines_from = t->by_lines ? 0 : t->solver->lines_from;
}

/* Fails one allocation after the other of `act`; with a solver of its own, which is then asked again. Returns how many failed. */
static long fail_each(struct trial *t, enum weir_status (*act)(struct trial *t, struct weir_error *error))
{
    struct refuse memory = {0};
    while (refuse_next(&memory)) {
        struct weir_error error = {.status = WEIR_OK};
        make_trial_solver(t, &memory);
        enum weir_status status = act(t, &error);
        assert_int_equal(status, memory.refused ? WEIR_MEMORY : WEIR_OK);
        if (memory.refused) {
            assert_int_equal(error.status, WEIR_MEMORY);
            assert_string_equal(error.message, "out of memory");
            assert_int_equal(act(t, NULL), WEIR_OK);
        }
        weir_solver_free(t->solver);
        assert_int_equal(memory.live, 0);
    }
    return memory.number;
}

static void fail_everything(const char *model, const char *from, const char *to)
{
    struct weir_pipeline *p = stage_read(model);
    struct trial t = {.pipeline = p, .query = ask_query(p, from, to, 0)};
    t.expected = ask(p, &t.query);
    assert_true(fail_each(&t, make_solver) > 5);
    for (int by_lines = 0; by_lines < 2; by_lines++) {
        t.by_lines = by_lines;
        assert_true(fail_each(&t, separate) > 0);
        assert_true(fail_each(&t, witness) > 0);
        fail_each(&t, certify);
    }
    assert_true(fail_each(&t, count_cycles) > 5);
    t.query.work_limit = 1;
    t.expected = ask(p, &t.query);
    if (t.expected.outcome == WEIR_BRACKET) { /* narrowing it is a favour, not a duty */
        struct refuse memory = {0};
        while (refuse_next(&memory)) {
            make_trial_solver(&t, &memory);
            enum weir_status status = separate(&t, NULL);
            assert_true(status == WEIR_OK || (memory.refused && status == WEIR_MEMORY));
            weir_solver_free(t.solver);
        }
    }
    weir_pipeline_free(p);
}

TEST(test_one_pass)
{
    fail_everything("operators: {a: [0, 3], b: [0, 5], c: [0, 4]}\nqueues: [a -> b -> c]", "a.start", "c.finish");
    fail_everything("operators: {a: [0, 3], b: [0, 5], c: [0, 4]}\nqueue: 6\nqueues: [a -> b -> c, a -> c]", "a.start", "c.finish");
}

TEST(test_search)
{
    fail_everything("operators: {A: 960, B: 277, C: [294, 327], D: [218, 728]}\nqueue: 2\nqueues: [A -> B, A -> C, B -> C, C -> D]",
                    "A.start", "D.finish");
    /* With a late receive, arrivals, a loop, and strangers. */
    fail_everything("operators: {a: [2, 3], b: {time: [3, 5], receive: [0, 2]}, c: [1, 4]}\n"
                    "queues: [a -> b -> c, {from: c, to: b, capacity: 2, initial: 2}]\n"
                    "source: {operator: a, period: 11, arrivals: exact}",
                    "a.arrival", "c.finish");
}

TEST(test_jumps)
{
    fail_everything("operators: {camera: 0, infer: [500, 1001]}\nqueues: [{from: camera, to: infer, capacity: 2}]\n"
                    "source: {operator: camera, period: 1000}",
                    "camera.start", "infer.finish");
}

TEST(test_unbounded)
{
    fail_everything("operators: {a: [3, 4], b: [0, 5]}\nqueues: [{from: a, to: b, blocking: false}]", "a.start", "b.finish");
}

static enum weir_status analyze(struct trial *t, struct weir_error *error)
{
    struct weir_analysis *analysis;
    enum weir_status status = weir_analyze(t->pipeline, &(struct weir_analyze_options){.verify = true}, &analysis, error);
    assert_int_equal(analysis == NULL, status != WEIR_OK);
    weir_analysis_free(analysis);
    return status;
}

/* Batches, a transfer, and work on a GPU, with and without waiting. */
TEST(test_turns)
{
    const char *model =
        "operators: {a: {time: [1, 2], gpu: {time: 1}}, b: [1, 3], c: {time: 1, gpu: {time: [2, 4], waits: true}}}\n"
        "queues: [{from: a, to: b, consume: 2, transfer: [1, 2]}, b -> c]";
    fail_everything(model, "a.start", "c.finish");
    struct weir_pipeline *p = stage_read(model);
    struct trial t = {.pipeline = p};
    assert_true(fail_each(&t, analyze) > 20);
    weir_pipeline_free(p);
}
