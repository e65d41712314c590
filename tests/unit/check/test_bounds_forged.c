/* SPDX-License-Identifier: Apache-2.0 */
/* Proofs about other systems, with claims that are no times, with rooms that are too small, and too little memory to check them. */
#include "check/priority/bounds_arrival.h"
#include "system.h"

#include "base/alloc.h"
#include "base/number.h"
#include "support/stage.h"

/* Two tasks on one processor, and a queue between them. */
static void chain(struct system *s)
{
    system_begin(s, WEIR_PREEMPTIVE, 10, 1);
    uint32_t a = system_task(s, 0, 3, 1), b = system_task(s, 0, 4, 1);
    system_edge(s, WEIR_FROM_SOURCE, a);
    system_edge(s, a, b);
    system_stage(s, true, WEIR_RULE_BEST, (const struct claim[]){{0, 3}, {3, 7}});
}

TEST(test_rooms)
{
    struct system s;
    chain(&s);
    assert_true(system_holds(&s));
    /* The source's own queue: b is not in front of it, a has ended long before the next input. */
    s.room[0] = 1;
    assert_true(system_holds(&s));
    s.room[0] = 0;
    assert_false(system_holds(&s));
    s.room[0] = WEIR_AUTO;
    assert_false(system_holds(&s));
    s.room[0] = WEIR_UNBOUNDED;
    /* One that blocks makes a wait. */
    s.room[1] = 1;
    assert_false(system_holds(&s)); /* not what the model says */
    s.edges[1].room = WEIR_AUTO;
    assert_true(system_holds(&s));
    s.room[1] = 0;
    assert_false(system_holds(&s));
    s.edges[1].room = 2;
    assert_false(system_holds(&s));
    s.room[1] = 2;
    assert_true(system_holds(&s));
    /* One that does not block loses messages if there are too few places. */
    s.edges[1].blocking = false;
    s.edges[1].room = s.room[1] = 0;
    assert_false(system_holds(&s));
    s.edges[1].room = s.room[1] = 1;
    assert_true(system_holds(&s));
    s.graphs[0].period = 7; /* b ends 7 after a may begin */
    assert_true(system_holds(&s));
    s.tasks[0].best = 0;
    s.enable_min[1] = 0;
    assert_true(system_holds(&s));
}

TEST(test_a_circle_of_empty_queues)
{
    struct system s;
    chain(&s);
    system_edge(&s, 1, 0);
    for (int64_t k = 0; k < 40; k++) { /* nothing ever runs, and nothing ends in time */
        s.enable_max[0][0] = k * k;
        s.enable_max[0][1] = k * k + 3;
        s.finish_max[0][0] = k * 9;
        s.finish_max[0][1] = k * 10;
        assert_false(system_holds(&s));
    }
}

TEST(test_other_systems)
{
    struct system s;
    chain(&s);
    s.proof.task_count--;
    assert_false(system_holds(&s));
    s.proof.task_count = UINT32_MAX;
    assert_false(system_holds(&s));
    s.proof.task_count = 2;
    s.proof.edge_count++;
    assert_false(system_holds(&s));
    s.proof.edge_count--;
    s.proof.stage_count = 0;
    assert_false(system_holds(&s));
    s.proof.stage_count = 1;
    s.stages[0].rule = (enum weir_bounds_rule)77;
    assert_false(system_holds(&s));
    s.stages[0].rule = WEIR_RULE_PJ0;
    s.stages[0].finish_max = NULL;
    assert_false(system_holds(&s));
    s.stages[0].finish_max = s.finish_max[0];
    s.proof.enable_min = NULL;
    assert_false(system_holds(&s));
    s.proof.enable_min = s.enable_min;
    s.proof.stages = NULL;
    assert_false(system_holds(&s));
    s.proof.stages = s.stages;
    assert_true(system_holds(&s));
}

TEST(test_no_times)
{
    static const int64_t strange[] = {-1, INT64_MIN, INT64_MAX, WEIR_TIME_MAX, -WEIR_TIME_MAX};
    for (size_t k = 0; k < sizeof strange / sizeof *strange; k++)
        for (int i = 0; i < 2; i++) {
            struct system s;
            chain(&s);
            s.enable_min[i] = strange[k];
            assert_false(system_holds(&s));
            chain(&s);
            s.enable_max[0][i] = strange[k];
            assert_false(system_holds(&s));
            chain(&s);
            s.finish_max[0][i] = strange[k];
            assert_false(system_holds(&s));
        }
}

/* Whatever times a proof holds, an answer comes, and soon. */
TEST(test_long_times)
{
    static const int64_t times[] = {1, 7, 1000003, INT64_C(1) << 40, WEIR_TIME_MAX - 1};
    enum { TIMES = sizeof times / sizeof *times };
    for (int k = 0; k < TIMES * TIMES * TIMES * 4; k++) {
        struct system s;
        int64_t period = times[k % TIMES], worst = times[k / TIMES % TIMES], bound = times[k / TIMES / TIMES % TIMES];
        system_begin(&s, (enum weir_sharing)(k / TIMES / TIMES / TIMES), period, 3);
        for (int i = 0; i < 3; i++) {
            s.tasks[system_task(&s, i == 2, i ? 1 : worst, i)].slot = bound;
            system_edge(&s, WEIR_FROM_SOURCE, (uint32_t)i);
        }
        s.processors[0].frame = WEIR_TIME_MAX - 1;
        s.graphs[0].jitter = s.graphs[1].jitter = worst - 1;
        struct claim claim = {WEIR_TIME_MAX - 1 - (bound - 1), WEIR_TIME_MAX - 1};
        system_stage(&s, true, (enum weir_bounds_rule)(k % (WEIR_RULE_BEST + 1)), (const struct claim[]){claim, claim, claim});
        if (system_holds(&s))
            assert_true(worst <= period);
        s.edges[0].room = s.room[0] = 0; /* of a source: enough only for nothing */
        assert_false(system_holds(&s));
    }
}

/* ---- memory ---- */

static enum weir_status check(void *context)
{
    struct system *s = context;
    bool holds;
    enum weir_status status = weir_bounds_check(&s->set, &s->proof, &holds, s->why);
    assert_int_equal(holds, status == WEIR_OK);
    return status;
}

/* Inputs every 10, up to 50 late: six of them at once keep a task of 1 busy for 6. */
TEST(test_arrivals)
{
    struct system s;
    int64_t after[2];
    system_begin(&s, WEIR_PREEMPTIVE, 10, 1);
    s.graphs[0].jitter = 50;
    uint32_t a = system_task(&s, 0, 1, 1), b = system_task(&s, 0, 1, 0);
    s.tasks[b].processor = WEIR_OWN_PROCESSOR;
    system_edge(&s, WEIR_FROM_SOURCE, a);
    system_edge(&s, a, b);
    system_stage(&s, true, WEIR_RULE_BEST, (const struct claim[]){{50, 51}, {51, 52}});
    s.proof.after = after;
    static const struct {
        int64_t after[2];
        bool holds;
    } claims[] = {{{6, 12}, true},  {{51, 52}, true}, {{5, 12}, false}, {{6, 11}, false},
                  {{7, 12}, false}, {{7, 13}, true},  {{-1, 12}, false}};
    for (size_t i = 0; i < sizeof claims / sizeof *claims; i++) {
        after[0] = claims[i].after[0];
        after[1] = claims[i].after[1];
        assert_int_equal(system_holds(&s), claims[i].holds);
    }
    after[0] = 6;
    after[1] = 12;
    s.processors[0].sharing = WEIR_NONPREEMPTIVE;
    assert_false(system_holds(&s));
    s.processors[0].sharing = WEIR_PREEMPTIVE;
    s.graphs[0].jitter = 0; /* they come one by one then, and 1 and 2 would be right */
    s.stages[0].enable_max[0] = 0;
    s.stages[0].enable_max[1] = s.stages[0].finish_max[0] = after[0] = 1;
    s.stages[0].finish_max[1] = after[1] = 2;
    assert_true(system_holds(&s));
}

/* a, every 10 and up to 5 late, behind c of the same priority, every 20 and up to 30 late, of which two may come at once. */
TEST(test_arrivals_behind_others)
{
    struct system s;
    uint32_t wrong;
    int64_t finish[3] = {100, 100, 100}, after[3] = {8, 100, 100}, latest[3] = {5, 30, 40};
    system_begin(&s, WEIR_PREEMPTIVE, 10, 20);
    s.graphs[0].jitter = 5;
    s.graphs[1].jitter = 30;
    uint32_t a = system_task(&s, 0, 2, 1), c = system_task(&s, 1, 3, 1), b = system_task(&s, 0, 1, 0);
    s.tasks[b].processor = WEIR_OWN_PROCESSOR;
    system_edge(&s, WEIR_FROM_SOURCE, a);
    system_edge(&s, WEIR_FROM_SOURCE, c);
    uint32_t queue = system_edge(&s, a, b);
    struct weir_arrival_claim claim = {&s.set, s.room, s.enable_min, latest, finish, after};
    assert_true(weir_arrivals_hold(&claim, &wrong));
    after[a] = 7;
    assert_false(weir_arrivals_hold(&claim, &wrong));
    assert_int_equal(wrong, a);
    s.tasks[c].priority = 0; /* then it does not wait for c */
    after[a] = 2;
    assert_true(weir_arrivals_hold(&claim, &wrong));
    /* It waits for the place of an input 10 before, at least 5 ago: b is known to end 40 later, so that it is 35, or what is known.
     */
    s.room[queue] = 1;
    after[b] = 40;
    finish[b] = 40;
    latest[a] = 90;
    after[a] = 36;
    assert_false(weir_arrivals_hold(&claim, &wrong));
    after[a] = 37;
    assert_true(weir_arrivals_hold(&claim, &wrong));
}

/* i can be clipped: the list of latest ends takes memory too. */
TEST(test_memory)
{
    struct system s;
    system_begin(&s, WEIR_PREEMPTIVE, 20, 1);
    uint32_t j = system_task(&s, 0, 6, 2), k = system_task(&s, 0, 5, 0), i = system_task(&s, 0, 2, 1);
    s.tasks[k].processor = WEIR_OWN_PROCESSOR;
    system_edge(&s, WEIR_FROM_SOURCE, j);
    system_edge(&s, WEIR_FROM_SOURCE, k);
    system_edge(&s, k, i);
    system_stage(&s, true, WEIR_RULE_EIC, (const struct claim[]){{0, 6}, {0, 5}, {5, 8}});
    assert_true(stage_fail_each_allocation(check, &s) > 10);
}

TEST(test_freeing)
{
    weir_bounds_proof_free(NULL);
    struct weir_bounds_proof *proof = weir_array_zeroed(1, sizeof *proof);
    assert_non_null(proof);
    proof->stage_count = 3; /* not made yet */
    weir_bounds_proof_free(proof);
    proof = weir_array_zeroed(1, sizeof *proof);
    assert_non_null(proof);
    proof->stage_count = 2;
    proof->stages = weir_array_zeroed(2, sizeof *proof->stages);
    assert_non_null(proof->stages);
    proof->stages[0].enable_max = weir_array(4, sizeof(int64_t));
    proof->room = weir_array(4, sizeof *proof->room);
    weir_bounds_proof_free(proof);
}
