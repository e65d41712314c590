/* SPDX-License-Identifier: Apache-2.0 */
/* The checker of bounds on shared processors, kind by kind: claims worked out by hand hold, and none a tick lower. */
#include "system.h"

#include "base/number.h"
#include "support/stage.h"

#define BASE(s, rule, ...) system_stage((s), true, (rule), (const struct claim[]){__VA_ARGS__})
#define NARROWED(s, rule, ...) system_stage((s), false, (rule), (const struct claim[]){__VA_ARGS__})

/* ---- everyone alone ---- */

static void chain(struct system *s)
{
    system_begin(s, WEIR_PREEMPTIVE, 10, 1);
    s->graphs[0].jitter = 14; /* input may come in twos */
    for (int i = 0; i < 2; i++)
        s->tasks[system_task(s, 0, 2 + i, 0)].processor = WEIR_OWN_PROCESSOR;
    s->tasks[0].best = 1;
    system_edge(s, WEIR_FROM_SOURCE, 0);
    system_edge(s, 0, 1);
    s->enable_min[1] = 1;
}

TEST(test_alone)
{
    struct system s;
    chain(&s);
    BASE(&s, WEIR_RULE_EI, {14, 16}, {16, 19});
    system_assert_tight(&s);
    s.enable_min[1] = 2;
    assert_false(system_holds(&s));
    s.enable_min[1] = 0; /* less than is known, but true */
    assert_true(system_holds(&s));
    s.tasks[1].worst = 11;
    s.finish_max[0][1] = 1000000; /* slower than its source */
    assert_false(system_holds(&s));
    s.tasks[1].worst = 10;
    assert_true(system_holds(&s));
}

/* ---- preemptive ---- */

/* a and b are fed together; a is more urgent. */
TEST(test_one_source)
{
    for (int rule = WEIR_RULE_PJ0; rule <= WEIR_RULE_BEST; rule++) {
        struct system s;
        system_begin(&s, WEIR_PREEMPTIVE, 10, 1);
        system_edge(&s, WEIR_FROM_SOURCE, system_task(&s, 0, 2, 2));
        system_edge(&s, WEIR_FROM_SOURCE, system_task(&s, 0, 3, 1));
        BASE(&s, (enum weir_bounds_rule)rule, {0, 2}, {0, 5});
        assert_true(system_holds(&s));
        s.finish_max[0][1] = 4;
        assert_false(system_holds(&s));
        s.finish_max[0][1] = 5;
        s.finish_max[0][0] = 1;
        assert_false(system_holds(&s));
        /* Equals delay one another. */
        s.tasks[1].priority = 2;
        s.finish_max[0][0] = 2;
        assert_false(system_holds(&s));
        s.finish_max[0][0] = 5;
        assert_true(system_holds(&s));
    }
}

/* x (period 2) between a -> i (period 4), all of one tick; the processor is never idle. A count of x by its jitter and of a by its
 * interval, each in its own window, would say that i ends by 3. */
TEST(test_two_graphs)
{
    struct system s;
    system_begin(&s, WEIR_PREEMPTIVE, 4, 2);
    uint32_t a = system_task(&s, 0, 1, 3), i = system_task(&s, 0, 1, 1), x = system_task(&s, 1, 1, 2);
    system_edge(&s, WEIR_FROM_SOURCE, a);
    system_edge(&s, WEIR_FROM_SOURCE, x);
    system_edge(&s, a, i);
    BASE(&s, WEIR_RULE_CIX, {0, 1}, {1, 4}, {0, 2});
    assert_true(system_holds(&s));
    s.finish_max[0][i] = 3;
    assert_false(system_holds(&s));
    s.finish_max[0][i] = 4;
    s.finish_max[0][x] = 1;
    assert_false(system_holds(&s));
    s.finish_max[0][x] = 2;
    s.edges[2].room = s.room[2] = 1; /* no help to i */
    s.finish_max[0][i] = 3;
    assert_false(system_holds(&s));
    s.tasks[x].worst = 2; /* and no bound at all with more load */
    s.finish_max[0][x] = 3;
    s.finish_max[0][i] = 1000000;
    assert_false(system_holds(&s));
}

/* j has at most one tick left when i becomes ready. */
static void clipped(struct system *s)
{
    system_begin(s, WEIR_PREEMPTIVE, 20, 1);
    uint32_t j = system_task(s, 0, 6, 2), k = system_task(s, 0, 5, 0), i = system_task(s, 0, 2, 1), m = system_task(s, 0, 1, 0);
    s->tasks[k].processor = s->tasks[m].processor = WEIR_OWN_PROCESSOR;
    system_edge(s, WEIR_FROM_SOURCE, j);
    system_edge(s, WEIR_FROM_SOURCE, k);
    system_edge(s, k, i);
    system_edge(s, i, m);
}

TEST(test_clipped)
{
    for (int rule = WEIR_RULE_PJ0; rule <= WEIR_RULE_BEST; rule++) {
        struct system s;
        clipped(&s);
        BASE(&s, (enum weir_bounds_rule)rule, {0, 6}, {0, 5}, {5, 8}, {8, 9});
        system_assert_tight(&s);
        s.graphs[0].sporadic = true; /* iterations of one number still begin together */
        system_assert_tight(&s);
    }
}

TEST(test_narrowed)
{
    struct system s;
    clipped(&s);
    BASE(&s, WEIR_RULE_EI, {0, 6}, {0, 5}, {5, 13}, {13, 14});
    assert_true(system_holds(&s));
    NARROWED(&s, WEIR_RULE_EIC, {0, 6}, {0, 5}, {5, 8}, {13, 14});
    assert_true(system_holds(&s));
    NARROWED(&s, WEIR_RULE_EIC, {0, 6}, {0, 5}, {5, 8}, {8, 14});
    assert_true(system_holds(&s));
    NARROWED(&s, WEIR_RULE_EIC, {0, 6}, {0, 5}, {5, 8}, {8, 9});
    system_assert_tight(&s);
    /* Each step must follow from those before, not from itself. */
    s.finish_max[2][3] = 9;
    assert_false(system_holds(&s));
    s.finish_max[2][3] = 14;
    s.enable_max[1][3] = 8;
    assert_false(system_holds(&s));
    s.enable_max[1][3] = 13;
    /* What is known already need not be found again. */
    s.finish_max[3][2] = 1000;
    s.enable_max[3][3] = 9;
    assert_true(system_holds(&s));
    /* Nothing follows from a stage that does not hold. */
    s.stages[0].base = false;
    assert_false(system_holds(&s));
    s.stages[0].base = true;
    s.finish_max[0][2] = 7;
    assert_false(system_holds(&s));
}

/* A circle of queues keeps the next a away from i: it waits for an i before. */
TEST(test_dependence)
{
    struct system s;
    system_begin(&s, WEIR_PREEMPTIVE, 10, 1);
    s.graphs[0].jitter = 30;
    uint32_t a = system_task(&s, 0, 4, 2), i = system_task(&s, 0, 5, 1);
    system_edge(&s, WEIR_FROM_SOURCE, a);
    uint32_t q = system_edge(&s, a, i);
    s.edges[q].room = s.room[q] = 1;
    BASE(&s, WEIR_RULE_EI, {30, 34}, {34, 39});
    assert_true(system_holds(&s));
    s.finish_max[0][i] = 38;
    assert_false(system_holds(&s));
    s.finish_max[0][i] = 39;
    s.edges[q].room = s.room[q] = WEIR_UNBOUNDED;
    assert_false(system_holds(&s)); /* a may run four times before i */
}

TEST(test_sporadic)
{
    struct system s;
    system_begin(&s, WEIR_PREEMPTIVE, 10, 1);
    uint32_t a = system_task(&s, 0, 2, 2), before = a;
    system_edge(&s, WEIR_FROM_SOURCE, a);
    for (int k = 0; k < 3; k++) {
        uint32_t b = system_task(&s, 0, 8, 0);
        s.tasks[b].processor = WEIR_OWN_PROCESSOR;
        system_edge(&s, before, b);
        before = b;
    }
    uint32_t i = system_task(&s, 0, 3, 1);
    system_edge(&s, before, i);
    BASE(&s, WEIR_RULE_EI, {0, 2}, {2, 10}, {10, 18}, {18, 26}, {26, 29});
    system_assert_tight(&s); /* i always runs between two of a */
    s.graphs[0].sporadic = true;
    assert_false(system_holds(&s));
    s.finish_max[0][i] = 30;
    assert_false(system_holds(&s));
    s.finish_max[0][i] = 31;
    assert_true(system_holds(&s));
}

/* The other way round: i is at the beginning, and a task behind it comes back to delay a later i. */
TEST(test_sporadic_behind)
{
    struct system s;
    system_begin(&s, WEIR_PREEMPTIVE, 10, 1);
    uint32_t i = system_task(&s, 0, 3, 1), before = i;
    system_edge(&s, WEIR_FROM_SOURCE, i);
    for (int k = 0; k < 3; k++) {
        uint32_t b = system_task(&s, 0, 8, 0);
        s.tasks[b].processor = WEIR_OWN_PROCESSOR;
        system_edge(&s, before, b);
        before = b;
    }
    system_edge(&s, before, system_task(&s, 0, 2, 2));
    BASE(&s, WEIR_RULE_EI, {0, 3}, {3, 11}, {11, 19}, {19, 27}, {27, 29});
    system_assert_tight(&s);
    s.graphs[0].sporadic = true;
    assert_false(system_holds(&s));
    s.proof.stage_count = 0;
    BASE(&s, WEIR_RULE_EI, {0, 5}, {5, 13}, {13, 21}, {21, 29}, {29, 31});
    system_assert_tight(&s);
}

/* The worst of a run of iterations is the fifth: 114, 102, 116, 104, 118, 106, 94. */
TEST(test_long_busy_period)
{
    struct system s;
    system_begin(&s, WEIR_PREEMPTIVE, 100, 70);
    system_edge(&s, WEIR_FROM_SOURCE, system_task(&s, 0, 62, 1));
    system_edge(&s, WEIR_FROM_SOURCE, system_task(&s, 1, 26, 2));
    BASE(&s, WEIR_RULE_PJ0, {0, 118}, {0, 26});
    system_assert_tight(&s);
    s.stages[0].rule = WEIR_RULE_CIX;
    system_assert_tight(&s);
}

/* Of another graph, a -> m -> b. It is worst for i when b, as late as can be, meets the beginning, and the next a and b follow. */
TEST(test_common_offset)
{
    struct system s;
    system_begin(&s, WEIR_PREEMPTIVE, 40, 10);
    uint32_t i = system_task(&s, 0, 4, 1), a = system_task(&s, 1, 1, 3), m = system_task(&s, 1, 4, 0);
    s.tasks[m].best = 1;
    s.tasks[m].processor = WEIR_OWN_PROCESSOR;
    uint32_t b = system_task(&s, 1, 3, 2);
    system_edge(&s, WEIR_FROM_SOURCE, i);
    system_edge(&s, WEIR_FROM_SOURCE, a);
    system_edge(&s, a, m);
    system_edge(&s, m, b);
    BASE(&s, WEIR_RULE_CIX, {0, 11}, {0, 1}, {1, 5}, {5, 8});
    system_assert_tight(&s);
}

/* ---- the other kinds ---- */

TEST(test_nonpreemptive)
{
    struct system s;
    system_begin(&s, WEIR_NONPREEMPTIVE, 20, 20);
    uint32_t h = system_task(&s, 0, 2, 2), l = system_task(&s, 0, 5, 1);
    system_edge(&s, WEIR_FROM_SOURCE, h);
    system_edge(&s, WEIR_FROM_SOURCE, l);
    BASE(&s, WEIR_RULE_EI, {0, 2}, {0, 7});
    system_assert_tight(&s);
    s.tasks[l].graph = 1; /* now it may have begun just before */
    assert_false(system_holds(&s));
    s.finish_max[0][h] = 6;
    assert_false(system_holds(&s));
    s.finish_max[0][h] = 7;
    assert_true(system_holds(&s));
    /* Of the same graph, but it begins earlier. */
    system_begin(&s, WEIR_NONPREEMPTIVE, 20, 1);
    l = system_task(&s, 0, 5, 1);
    uint32_t k = system_task(&s, 0, 2, 0);
    s.tasks[k].processor = WEIR_OWN_PROCESSOR;
    h = system_task(&s, 0, 1, 2);
    system_edge(&s, WEIR_FROM_SOURCE, l);
    system_edge(&s, WEIR_FROM_SOURCE, k);
    system_edge(&s, k, h);
    BASE(&s, WEIR_RULE_EI, {0, 5}, {0, 2}, {2, 8});
    system_assert_tight(&s);
    /* Ready at the very end of the wait counts: h then goes first once more. */
    system_begin(&s, WEIR_NONPREEMPTIVE, 100, 7);
    l = system_task(&s, 0, 5, 1);
    h = system_task(&s, 1, 2, 2);
    system_edge(&s, WEIR_FROM_SOURCE, l);
    system_edge(&s, WEIR_FROM_SOURCE, h);
    BASE(&s, WEIR_RULE_EI, {0, 9}, {0, 7});
    assert_true(system_holds(&s));
    s.finish_max[0][l] = 8;
    assert_false(system_holds(&s));
}

TEST(test_tdm)
{
    static const struct {
        int64_t worst, slot, frame, period, finish;
    } samples[] = {{6, 4, 10, 20, 18}, {4, 4, 10, 10, 10}, {3, 2, 4, 6, 7}, {1, 2, 4, 2, 3}, {7, 5, 5, 7, 7}, {1, 3, 7, 3, 5}};
    for (size_t k = 0; k < sizeof samples / sizeof *samples; k++) {
        struct system s;
        system_begin(&s, WEIR_TDM, samples[k].period, 1);
        s.processors[0].frame = samples[k].frame;
        system_edge(&s, WEIR_FROM_SOURCE, system_task(&s, 0, samples[k].worst, 0));
        s.tasks[0].slot = samples[k].slot;
        BASE(&s, WEIR_RULE_EI, {0, samples[k].finish});
        system_assert_tight(&s);
    }
    struct system s;
    system_begin(&s, WEIR_TDM, 6, 1);
    s.processors[0].frame = 4;
    system_edge(&s, WEIR_FROM_SOURCE, system_task(&s, 0, 4, 0)); /* 8 of every 6 */
    s.tasks[0].slot = 2;
    BASE(&s, WEIR_RULE_EI, {0, WEIR_TIME_MAX - 1});
    assert_false(system_holds(&s));
}

TEST(test_round_robin)
{
    struct system s;
    system_begin(&s, WEIR_ROUND_ROBIN, 20, 1);
    system_edge(&s, WEIR_FROM_SOURCE, system_task(&s, 0, 3, 0));
    system_edge(&s, WEIR_FROM_SOURCE, system_task(&s, 0, 4, 0));
    s.tasks[0].slot = 1;
    s.tasks[1].slot = 2;
    BASE(&s, WEIR_RULE_EI, {0, 7}, {0, 6});
    system_assert_tight(&s); /* 3 ticks and all of the other; 4 ticks and two turns of the other */
    s.tasks[1].worst = s.tasks[1].best = 9;
    s.tasks[0].slot = 2;
    s.finish_max[0][1] = 12;
    system_assert_tight(&s); /* 3 ticks and two turns; 9 ticks and all of the other */
    s.tasks[1].worst = s.tasks[1].best = 4;
    s.finish_max[0][1] = 6;
    s.tasks[0].slot = 3;
    assert_false(system_holds(&s));
    s.finish_max[0][0] = 5;
    s.finish_max[0][1] = 7;
    system_assert_tight(&s);
}

/* ---- the whole processor ---- */

TEST(test_full_load)
{
    struct system s;
    system_begin(&s, WEIR_PREEMPTIVE, 4, 2);
    uint32_t i = system_task(&s, 0, 2, 1), x = system_task(&s, 1, 1, 2);
    system_edge(&s, WEIR_FROM_SOURCE, i);
    system_edge(&s, WEIR_FROM_SOURCE, x);
    BASE(&s, WEIR_RULE_PJ0, {0, 4}, {0, 1});
    assert_true(system_holds(&s));
    s.finish_max[0][i] = 3;
    assert_false(system_holds(&s));
    s.finish_max[0][i] = 4;
    s.graphs[0].period = 3; /* 2/3 + 1/2: with any bound too much */
    for (int64_t bound = 4; bound < WEIR_TIME_MAX / 4; bound *= 4) {
        s.finish_max[0][i] = bound;
        assert_false(system_holds(&s));
    }
}
