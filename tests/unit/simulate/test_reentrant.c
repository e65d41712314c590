/* SPDX-License-Identifier: Apache-2.0 */
/* Operators that overlap themselves: schedules small enough to work out by hand. */
#include "support/stage.h"

static struct weir_operator add(struct weir_pipeline *p, const char *name, bool reentrant, int64_t best, int64_t worst)
{
    struct weir_operator op;
    struct weir_operator_spec spec = {.name = name, .best = best, .worst = worst, .reentrant = reentrant};
    assert_int_equal(weir_pipeline_add_operator(p, &spec, &op, NULL), WEIR_OK);
    return op;
}

/* Times by iteration, the same for every operator that is not of one length. */
static int64_t given(void *context, struct weir_operator op, enum weir_part part, int64_t iteration)
{
    const struct weir_pipeline *p = *(struct weir_pipeline **)context;
    struct weir_operator_spec spec = weir_pipeline_operator(p, op);
    static const int64_t slow_first[] = {9, 1, 5, 1};
    if (part == WEIR_PART_RECEIVE)
        return spec.receive_min == spec.receive_max ? spec.receive_max : slow_first[iteration % 4];
    return spec.best == spec.worst ? spec.worst : slow_first[iteration % 4];
}

struct seen {
    const struct weir_pipeline *pipeline;
    int64_t at[3][STAGE_OPERATORS][STAGE_ITERATIONS];
    int64_t last;
};

static void observe(void *context, struct weir_operator op, enum weir_moment moment, int64_t iteration, int64_t time)
{
    struct seen *seen = context;
    assert_true(time >= seen->last);
    seen->last = time;
    assert_int_equal(seen->at[moment][op.index][iteration], -1);
    seen->at[moment][op.index][iteration] = time;
}

static void run(struct seen *seen, const struct weir_pipeline *p, int64_t iterations)
{
    *seen = (struct seen){.pipeline = p};
    for (int m = 0; m < 3; m++)
        for (int o = 0; o < STAGE_OPERATORS; o++)
            for (int i = 0; i < STAGE_ITERATIONS; i++)
                seen->at[m][o][i] = -1;
    struct weir_simulation_options options = {
        .iterations = iterations, .times = WEIR_TIMES_GIVEN, .given = given, .observe = observe, .context = seen};
    assert_int_equal(weir_simulate(p, &options, NULL), WEIR_OK);
}

static void expect(const struct seen *seen, enum weir_moment moment, struct weir_operator op, const int64_t times[4])
{
    for (int i = 0; i < 4; i++)
        assert_int_equal(seen->at[moment][op.index][i], times[i]);
}

#define TIMES(...) ((const int64_t[4]){__VA_ARGS__})

/* A periodic source feeds an operator that is slower than the period; unbounded queues let it overlap. */
TEST(overlaps_itself)
{
    for (int reentrant = 0; reentrant <= 1; reentrant++) {
        struct weir_pipeline *p = weir_pipeline_new(NULL);
        struct weir_operator a = add(p, "a", false, 1, 1), b = add(p, "b", reentrant, 5, 5);
        stage_queue(p, a, b, WEIR_UNBOUNDED, 0);
        stage_seal(p);
        struct seen seen;
        run(&seen, p, 4);
        expect(&seen, WEIR_START, b, reentrant ? TIMES(1, 2, 3, 4) : TIMES(1, 6, 11, 16));
        expect(&seen, WEIR_FINISH, b, reentrant ? TIMES(6, 7, 8, 9) : TIMES(6, 11, 16, 21));
        weir_pipeline_free(p);
    }
}

/* b takes 9, 1, 5, 1: its iterations overtake each other, its messages do not. */
TEST(messages_keep_their_order)
{
    for (int reentrant = 0; reentrant <= 1; reentrant++) {
        struct weir_pipeline *p = weir_pipeline_new(NULL);
        struct weir_operator a = add(p, "a", false, 1, 1), b = add(p, "b", true, 1, 9), c = add(p, "c", reentrant, 2, 2);
        stage_queue(p, a, b, WEIR_UNBOUNDED, 0);
        stage_queue(p, b, c, WEIR_UNBOUNDED, 0);
        stage_seal(p);
        struct seen seen;
        run(&seen, p, 4);
        expect(&seen, WEIR_START, b, TIMES(1, 2, 3, 4));
        expect(&seen, WEIR_FINISH, b, TIMES(10, 3, 8, 5));
        expect(&seen, WEIR_START, c, reentrant ? TIMES(10, 10, 10, 10) : TIMES(10, 12, 14, 16));
        weir_pipeline_free(p);
    }
}

/* A slot is taken at the start: with room for two, two iterations of a are on their way at once, c being slow. */
TEST(room_is_taken_at_the_start)
{
    struct weir_pipeline *p = weir_pipeline_new(NULL);
    struct weir_operator a = add(p, "a", true, 3, 3), c = add(p, "c", false, 10, 10);
    stage_queue(p, a, c, 2, 0);
    stage_seal(p);
    struct seen seen;
    run(&seen, p, 4);
    expect(&seen, WEIR_START, a, TIMES(0, 0, 3, 13));
    expect(&seen, WEIR_START, c, TIMES(3, 13, 23, 33));
    weir_pipeline_free(p);
}

/* b receives after 9, 1, 5, 1; the second slot is free only when the first is. */
TEST(slots_keep_their_order)
{
    struct weir_pipeline *p = weir_pipeline_new(NULL);
    struct weir_operator a = add(p, "a", false, 0, 0), b;
    struct weir_operator_spec late = {.name = "b", .best = 9, .worst = 9, .receive_min = 1, .receive_max = 9, .reentrant = true};
    assert_int_equal(weir_pipeline_add_operator(p, &late, &b, NULL), WEIR_OK);
    stage_queue(p, a, b, 2, 0);
    stage_seal(p);
    struct seen seen;
    run(&seen, p, 4);
    expect(&seen, WEIR_START, a, TIMES(0, 0, 9, 9));
    expect(&seen, WEIR_START, b, TIMES(0, 0, 9, 9));
    weir_pipeline_free(p);
}

/* Tokens on a queue to itself say how often an operator overlaps itself. */
TEST(own_queue_limits_the_overlap)
{
    struct weir_pipeline *p = weir_pipeline_new(NULL);
    struct weir_operator a = add(p, "a", true, 4, 4);
    stage_queue(p, a, a, WEIR_UNBOUNDED, 2);
    stage_seal(p);
    struct seen seen;
    run(&seen, p, 4);
    expect(&seen, WEIR_START, a, TIMES(0, 0, 4, 4));
    weir_pipeline_free(p);
}

/* Nothing holds it back: everything happens at once, and it ends. */
TEST(without_any_condition)
{
    struct weir_pipeline *p = weir_pipeline_new(NULL);
    struct weir_operator a = add(p, "a", true, 1, 9);
    stage_seal(p);
    struct seen seen;
    run(&seen, p, STAGE_ITERATIONS);
    expect(&seen, WEIR_START, a, TIMES(0, 0, 0, 0));
    expect(&seen, WEIR_FINISH, a, TIMES(9, 1, 5, 1));
    weir_pipeline_free(p);
}

TEST(periods_still_count)
{
    for (int exact = 0; exact <= 1; exact++) {
        struct weir_pipeline *p = weir_pipeline_new(NULL);
        struct weir_operator a = add(p, "a", true, 7, 7);
        stage_period(p, a, 3, exact ? WEIR_ARRIVALS_EXACT : WEIR_ARRIVALS_AT_MOST);
        stage_seal(p);
        struct seen seen;
        run(&seen, p, 4);
        expect(&seen, WEIR_START, a, TIMES(0, 3, 6, 9));
        expect(&seen, WEIR_FINISH, a, TIMES(7, 10, 13, 16));
        weir_pipeline_free(p);
    }
}

static enum weir_status simulate(void *context)
{
    struct weir_simulation_options options = {.iterations = 40, .times = WEIR_TIMES_WORST};
    return weir_simulate(context, &options, NULL);
}

TEST(memory_fails)
{
    struct weir_pipeline *p = weir_pipeline_new(NULL);
    add(p, "a", true, 7, 7);
    stage_seal(p);
    assert_true(stage_fail_each_allocation(simulate, p) > 5);
    weir_pipeline_free(p);
}
