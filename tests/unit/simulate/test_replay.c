/* SPDX-License-Identifier: Apache-2.0 */
/* Witnesses made by hand, against simulations that are given the same times one by one. */
#include "base/random.h"
#include "play.h"
#include "support/stage.h"

#include <string.h>

static const struct weir_operator A = {0}, B = {1};

/* A every 10, and B in [9, 11] behind a queue it can fill: B at its worst is late by one more each iteration. */
static struct weir_pipeline *build_up(void)
{
    struct weir_pipeline *p = weir_pipeline_new(NULL);
    stage_operator(p, "A", 10, 10);
    stage_operator(p, "B", 9, 11);
    stage_queue(p, A, B, WEIR_UNBOUNDED, 0);
    stage_seal(p);
    return p;
}

static struct weir_query latency(void)
{
    return (struct weir_query){.from = {.op = A, .moment = WEIR_START}, .to = {.op = B, .moment = WEIR_FINISH}};
}

static struct weir_step execution(struct weir_operator op, int64_t iteration)
{
    return (struct weir_step){.op = op, .part = WEIR_PART_EXECUTION, .counts = true, .iteration = iteration};
}

TEST(plain_path)
{
    struct weir_pipeline *p = build_up();
    struct weir_step steps[] = {execution(A, 0), execution(B, 0), execution(B, 1), execution(B, 2)};
    struct weir_segment segment = {.steps = steps, .step_count = 4, .repeat = 1};
    struct weir_witness witness = {.query = latency(), .iteration = 2, .segments = &segment, .segment_count = 1};
    int64_t separation = 0;
    assert_int_equal(weir_witness_replay(p, &witness, &separation, NULL), WEIR_OK);
    assert_int_equal(separation, 10 + 3 * 11 - 20);
    steps[2].counts = false; /* 10..21, 21..30, 30..41 */
    assert_int_equal(weir_witness_replay(p, &witness, &separation, NULL), WEIR_OK);
    assert_int_equal(separation, 21);
    steps[3].part = WEIR_PART_ARRIVAL; /* carries no time */
    assert_int_equal(weir_witness_replay(p, &witness, &separation, NULL), WEIR_OK);
    assert_int_equal(separation, 19);
    weir_pipeline_free(p);
}

TEST(zero_best_cases)
{
    struct weir_pipeline *p = build_up();
    struct weir_step steps[] = {execution(B, 0), execution(B, 1)};
    struct weir_segment segment = {.steps = steps, .step_count = 2, .repeat = 1};
    struct weir_witness witness = {.query = latency(), .iteration = 2, .segments = &segment, .segment_count = 1};
    witness.query.assume_zero_best = true;
    int64_t separation = 0;
    assert_int_equal(weir_witness_replay(p, &witness, &separation, NULL), WEIR_OK);
    assert_int_equal(separation, 22); /* A takes no time; B 11, 11, 0 */
    weir_pipeline_free(p);
}

TEST(a_million_repetitions)
{
    struct weir_pipeline *p = build_up();
    int64_t n = 1000000, separation = 0;
    struct weir_step first = execution(A, 0), loop = execution(B, 0), last = execution(B, n);
    struct weir_segment segments[] = {{&first, 1, 0, 1}, {&loop, 1, 1, n}, {&last, 1, 0, 1}};
    struct weir_witness witness = {.query = latency(), .iteration = n, .segments = segments, .segment_count = 3};
    assert_int_equal(weir_witness_replay(p, &witness, &separation, NULL), WEIR_OK);
    assert_int_equal(separation, 21 + n);
    segments[1].repeat = n / 2; /* the first half at 11, the second at 9: all the backlog is gone */
    segments[2].step_count = 0;
    assert_int_equal(weir_witness_replay(p, &witness, &separation, NULL), WEIR_OK);
    assert_int_equal(separation, 10 + 9);
    weir_pipeline_free(p);
}

/* ---- against the same times, given one by one ---- */

#define ITERATIONS 40

struct given {
    const struct weir_pipeline *pipeline;
    bool slow[3][2][ITERATIONS]; /* operator, receive, iteration */
    struct stage_trace trace;
};

static int64_t give(void *context, struct weir_operator op, enum weir_part part, int64_t iteration)
{
    struct given *g = context;
    struct weir_operator_spec spec = weir_pipeline_operator(g->pipeline, op);
    bool receive = part == WEIR_PART_RECEIVE, slow = g->slow[op.index][receive][iteration];
    if (receive)
        return slow ? spec.receive_max : spec.receive_min;
    return slow ? spec.worst : spec.best;
}

static void record(void *context, struct weir_operator op, enum weir_moment moment, int64_t iteration, int64_t time)
{
    stage_observe(&((struct given *)context)->trace, op, moment, iteration, time);
}

/* A segment that comes back every `period` iterations: random steps, in order of iterations. */
static size_t random_steps(struct weir_random *random, struct weir_step *steps, int64_t first, int64_t period)
{
    size_t count = 0;
    for (int64_t i = first; i < first + period; i++)
        for (uint32_t op = 0; op < 3; op++)
            for (int receive = 0; receive < 2; receive++)
                if (weir_random_between(random, 0, 2) == 0) {
                    steps[count] = execution((struct weir_operator){op}, i);
                    steps[count].part = receive ? WEIR_PART_RECEIVE : WEIR_PART_EXECUTION;
                    steps[count++].counts = weir_random_between(random, 0, 3) > 0;
                }
    return count;
}

static void mark(struct given *g, const struct weir_segment *segment)
{
    for (int64_t round = 0; round < segment->repeat; round++)
        for (size_t i = 0; i < segment->step_count; i++) {
            const struct weir_step *step = &segment->steps[i];
            int64_t iteration = step->iteration + round * segment->iterations;
            if (step->counts && iteration < ITERATIONS)
                g->slow[step->op.index][step->part == WEIR_PART_RECEIVE][iteration] = true;
        }
}

TEST(as_given_one_by_one)
{
    struct weir_pipeline *p = weir_pipeline_new(NULL);
    struct weir_operator c = {2};
    stage_operator(p, "A", 3, 8);
    struct weir_operator_spec spec = {.name = "B", .best = 2, .worst = 11, .receive_min = 1, .receive_max = 6};
    assert_int_equal(weir_pipeline_add_operator(p, &spec, NULL, NULL), WEIR_OK);
    stage_operator(p, "C", 1, 9);
    stage_queue(p, A, B, 2, 0);
    stage_queue(p, B, c, 1, 0);
    stage_queue(p, c, A, 4, 3);
    stage_seal(p);
    struct weir_random random;
    weir_random_seed(&random, 1);
    for (int round = 0; round < 200; round++) {
        static struct weir_step steps[3][64];
        struct weir_segment segments[3];
        static struct given g;
        memset(&g, 0, sizeof g);
        g.pipeline = p;
        int64_t first = 0;
        for (int s = 0; s < 3; s++) {
            int64_t period = weir_random_between(&random, 1, 4), repeat = weir_random_between(&random, 1, 5);
            segments[s] = (struct weir_segment){steps[s], random_steps(&random, steps[s], first, period), period, repeat};
            mark(&g, &segments[s]);
            first += period * repeat;
        }
        struct weir_witness witness = {.iteration = weir_random_between(&random, 5, ITERATIONS - 6),
                                       .segments = segments,
                                       .segment_count = 3,
                                       .query = {.from = {{(uint32_t)weir_random_between(&random, 0, 2)}, WEIR_START, 0},
                                                 .to = {{(uint32_t)weir_random_between(&random, 0, 2)}, WEIR_FINISH, 0},
                                                 .shift = weir_random_between(&random, -5, 5)}};
        struct weir_simulation_options options = {
            .iterations = ITERATIONS, .times = WEIR_TIMES_GIVEN, .given = give, .observe = record, .context = &g};
        assert_int_equal(weir_simulate(p, &options, NULL), WEIR_OK);
        int64_t separation = 0, i = witness.iteration;
        assert_int_equal(weir_witness_replay(p, &witness, &separation, NULL), WEIR_OK);
        assert_int_equal(separation, g.trace.at[WEIR_FINISH][witness.query.to.op.index][i + witness.query.shift] -
                                         g.trace.at[WEIR_START][witness.query.from.op.index][i]);
    }
    weir_pipeline_free(p);
}

TEST(from_arrival)
{
    struct weir_pipeline *p = weir_pipeline_new(NULL);
    stage_operator(p, "A", 1, 7);
    stage_period(p, A, 5, WEIR_ARRIVALS_EXACT);
    stage_seal(p);
    struct weir_step step = execution(A, 0);
    struct weir_segment segment = {.steps = &step, .step_count = 1, .iterations = 1, .repeat = 4};
    struct weir_witness witness = {.query = {.from = {.op = A, .moment = WEIR_ARRIVAL}, .to = {.op = A, .moment = WEIR_FINISH}},
                                   .iteration = 3,
                                   .segments = &segment,
                                   .segment_count = 1};
    int64_t separation = 0;
    assert_int_equal(weir_witness_replay(p, &witness, &separation, NULL), WEIR_OK);
    assert_int_equal(separation, 4 * 7 - 3 * 5);
    weir_pipeline_free(p);
}

TEST(bad_witnesses)
{
    struct weir_pipeline *p = build_up();
    struct weir_step steps[] = {execution(B, 3), execution(B, 1)};
    struct weir_segment segment = {.steps = steps, .step_count = 2, .iterations = 2, .repeat = 1};
    struct weir_witness witness = {.query = latency(), .iteration = 9, .segments = &segment, .segment_count = 1};
    int64_t separation = 77;
    struct weir_error error;
    assert_int_equal(weir_witness_replay(p, &witness, &separation, &error), WEIR_INVALID);
    assert_string_equal(error.message, "the steps of the witness are not in order of their iterations");
    steps[0].iteration = 0;
    assert_int_equal(weir_witness_replay(p, &witness, &separation, NULL), WEIR_OK);
    separation = 77;
    segment.repeat = 0;
    assert_int_equal(weir_witness_replay(p, &witness, &separation, NULL), WEIR_INVALID);
    segment = (struct weir_segment){.steps = steps, .step_count = 2, .iterations = 0, .repeat = 2};
    assert_int_equal(weir_witness_replay(p, &witness, &separation, NULL), WEIR_INVALID);
    segment.iterations = 2;
    steps[1].op.index = 2;
    assert_int_equal(weir_witness_replay(p, &witness, &separation, NULL), WEIR_INVALID);
    steps[1].op.index = 1;
    witness.query.shift = -10;
    assert_int_equal(weir_witness_replay(p, &witness, &separation, NULL), WEIR_INVALID);
    witness.query.shift = INT64_MAX;
    assert_int_equal(weir_witness_replay(p, &witness, &separation, NULL), WEIR_OVERFLOW);
    witness.query = latency();
    witness.query.from.moment = WEIR_ARRIVAL;
    assert_int_equal(weir_witness_replay(p, &witness, &separation, &error), WEIR_INVALID);
    assert_string_equal(error.message, "the events of the witness do not happen");
    assert_int_equal(separation, 77);
    weir_pipeline_free(p);
}

TEST(failing_memory)
{
    struct weir_pipeline *p = build_up();
    struct weir_step step = execution(B, 0);
    struct weir_segment segment = {.steps = &step, .step_count = 1, .iterations = 1, .repeat = 5};
    struct weir_witness witness = {.query = latency(), .iteration = 4, .segments = &segment, .segment_count = 1};
    struct play it = {p, &witness};
    assert_true(stage_fail_each_allocation(play, &it) > 2);
    weir_pipeline_free(p);
}
