/* SPDX-License-Identifier: Apache-2.0 */
/* Witnesses whose segments repeat: going over rounds comes to the same as playing each of them. */
#include "play.h"
#include "simulate/machine.h"
#include "support/random/pipeline.h"
#include "support/stage.h"

enum { SEGMENTS = 3, STEPS = 64 };

/* Everything is played where somebody looks on. */
static void look(void *context, struct weir_operator op, enum weir_moment moment, int64_t iteration, int64_t time)
{
    (void)op, (void)moment, (void)iteration, (void)time;
    ++*(int64_t *)context;
}

/* Both come to the same. *went_over: by going over rounds with less than a quarter of the starts. */
static enum weir_status play_both(const struct weir_pipeline *p, const struct weir_witness *witness, int64_t *separation,
                                  bool *went_over)
{
    int64_t events = 0;
    struct weir_replay_watch each = {.observe = look, .context = &events}, rounds = {0}, brief;
    struct weir_error why[2] = {{.message = ""}, {.message = ""}};
    enum weir_status status = weir_witness_watch(p, witness, &each, &why[0]);
    assert_int_equal(weir_witness_watch(p, witness, &rounds, &why[1]), status);
    assert_string_equal(why[0].message, why[1].message);
    *separation = each.to - each.from;
    *went_over = false;
    if (status)
        return status;
    assert_int_equal(rounds.from, each.from);
    assert_int_equal(rounds.to, each.to);
    brief = (struct weir_replay_watch){.starts_max = 1 + events / 8};
    *went_over = weir_witness_watch(p, witness, &brief, NULL) == WEIR_OK;
    return status;
}

/* ---- a backlog that grows by a tick at a time ---- */

static struct weir_step step(uint32_t op, int64_t iteration)
{
    return (struct weir_step){.op = {op}, .part = WEIR_PART_EXECUTION, .counts = true, .iteration = iteration};
}

/* A every 1000, and B in [900, 1001] behind a queue of five. */
static struct weir_pipeline *build_up(void)
{
    struct weir_pipeline *p = weir_pipeline_new(NULL);
    struct weir_operator a = stage_operator(p, "A", 10, 10), b = stage_operator(p, "B", 900, 1001);
    stage_queue(p, a, b, 5, 0);
    stage_period(p, a, 1000, WEIR_ARRIVALS_EXACT);
    stage_seal(p);
    return p;
}

TEST(test_build_up)
{
    struct weir_pipeline *p = build_up();
    int64_t n = 6000, separation;
    struct weir_step first = step(0, 0), loop = step(1, 0);
    struct weir_segment segments[] = {{&first, 1, 0, 1}, {&loop, 1, 1, n}};
    struct weir_witness witness = {
        .query = {.from = {{0}, WEIR_ARRIVAL, 0}, .to = {{1}, WEIR_FINISH, 0}}, .segments = segments, .segment_count = 2};
    bool went_over;
    for (witness.iteration = 16; witness.iteration < n; witness.iteration += 1 + witness.iteration / 3) {
        assert_int_equal(play_both(p, &witness, &separation, &went_over), WEIR_OK);
        assert_int_equal(separation, 10 + (witness.iteration + 1) * 1001 - witness.iteration * 1000);
        assert_true(went_over || witness.iteration < 200);
    }
    witness.iteration = n - 1;
    for (segments[1].repeat = n / 2 - 2; segments[1].repeat < n / 2 + 3; segments[1].repeat++) { /* then it keeps up again */
        assert_int_equal(play_both(p, &witness, &separation, &went_over), WEIR_OK);
        assert_int_equal(separation, 10 + 900);
    }
    weir_pipeline_free(p);
}

/* A thousand million rounds, and one that is forged. */
TEST(test_many)
{
    struct weir_pipeline *p = weir_pipeline_new(NULL);
    struct weir_operator a = stage_operator(p, "A", 10, 10), b = stage_operator(p, "B", 0, 1000000001);
    stage_queue(p, a, b, 2, 0);
    stage_period(p, a, 1000000000, WEIR_ARRIVALS_EXACT);
    stage_seal(p);
    int64_t n = 1000000000, separation = 0;
    struct weir_step first = step(0, 0), loop = step(1, 0), last = step(1, n);
    struct weir_segment segments[] = {{&first, 1, 0, 1}, {&loop, 1, 1, n}, {&last, 1, 0, 1}};
    struct weir_witness witness = {.query = {.from = {{0}, WEIR_ARRIVAL, 0}, .to = {{1}, WEIR_FINISH, 0}},
                                   .iteration = n,
                                   .segments = segments,
                                   .segment_count = 3};
    assert_int_equal(weir_witness_replay(p, &witness, &separation, NULL), WEIR_OK);
    assert_int_equal(separation, 10 + 1000000001 + n);
    segments[1].repeat = n - 1; /* one execution less counts, and it says so */
    assert_int_equal(weir_witness_replay(p, &witness, &separation, NULL), WEIR_OK);
    assert_int_equal(separation, 10 + 1000000001);
    segments[1].repeat = n;
    last.iteration = n - 2; /* which was before */
    assert_int_equal(weir_witness_replay(p, &witness, &separation, NULL), WEIR_INVALID);
    last.iteration = n;
    segments[1].repeat = INT64_MAX / 2;
    assert_int_equal(weir_witness_replay(p, &witness, &separation, NULL), WEIR_OK); /* it ends before */
    assert_int_equal(separation, 10 + 1000000001 + n);
    weir_pipeline_free(p);
}

/* ---- any witness of any pipeline ---- */

static size_t draw_steps(struct weir_random *random, const struct weir_pipeline *p, struct weir_step *steps, int64_t first,
                         int64_t period)
{
    uint32_t slow = (uint32_t)weir_random_next(random), n = weir_pipeline_operator_count(p);
    size_t count = 0;
    for (int64_t i = first; i < first + period; i++)
        for (uint32_t op = 0; op < n && count < STEPS - 1; op++)
            if (slow >> op & 1) {
                steps[count++] = step(op, i);
                if (weir_pipeline_operator(p, (struct weir_operator){op}).receive_max > 0 && slow >> (op + 16) & 1) {
                    steps[count] = step(op, i);
                    steps[count++].part = WEIR_PART_RECEIVE;
                }
            }
    return count;
}

TEST(test_same_as_each)
{
    struct weir_random random;
    int over = 0, all = 0;
    for (uint64_t seed = 0; seed < 600; seed++) {
        weir_random_seed(&random, seed);
        struct weir_pipeline *p = weir_random_pipeline(&random, (enum weir_flavour)(seed % (WEIR_FLAVOUR_PHASES + 1)));
        static struct weir_step steps[SEGMENTS][STEPS];
        struct weir_segment segments[SEGMENTS];
        int64_t first = 0, separation;
        for (int s = 0; s < SEGMENTS; s++) {
            int64_t period = weir_random_between(&random, 1, 3), repeat = weir_random_between(&random, 1, s == 1 ? 3000 : 40);
            segments[s] = (struct weir_segment){steps[s], draw_steps(&random, p, steps[s], first, period), period, repeat};
            if (segments[s].step_count == 0) {
                steps[s][0] = step(0, first);
                segments[s].step_count = 1;
            }
            first += period * repeat;
        }
        struct weir_chain_spec chain = weir_pipeline_chain(p, 0);
        struct weir_witness witness = {.iteration = weir_random_between(&random, 0, first),
                                       .segments = segments,
                                       .segment_count = SEGMENTS,
                                       .query = {.from = {chain.from, WEIR_START, 0},
                                                 .to = {chain.to, WEIR_FINISH, 0},
                                                 .shift = chain.shift,
                                                 .assume_zero_best = seed % 7 == 0}};
        bool went_over;
        all += play_both(p, &witness, &separation, &went_over) == WEIR_OK && first > 500;
        over += went_over && first > 500;
        weir_pipeline_free(p);
    }
    assert_true(over * 2 > all);
}

TEST(test_failing_memory)
{
    struct weir_pipeline *p = build_up();
    struct weir_step loop = step(1, 0);
    struct weir_segment segment = {&loop, 1, 1, 400};
    struct weir_witness witness = {.query = {.from = {{0}, WEIR_ARRIVAL, 0}, .to = {{1}, WEIR_FINISH, 0}},
                                   .iteration = 300,
                                   .segments = &segment,
                                   .segment_count = 1};
    struct play it = {p, &witness};
    assert_true(stage_fail_each_allocation(play, &it) > 6);
    weir_pipeline_free(p);
}
