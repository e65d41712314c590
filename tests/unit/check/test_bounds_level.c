/* SPDX-License-Identifier: Apache-2.0 */
/* Claims by the busy times of levels, and such that are not true. */
#include "system.h"

#include "support/stage.h"

#include <string.h>

/* c -> d -> c with one message, and a -> b: with all of them in one level, nobody is delayed twice. */
static void circle(struct system *s, enum weir_sharing sharing)
{
    system_begin(s, sharing, 38, 33);
    uint32_t a = system_task(s, 0, 5, 1), b = system_task(s, 0, 5, 2), c = system_task(s, 1, 7, 1), d = system_task(s, 1, 10, 2);
    s->tasks[a].best = 0;
    system_edge(s, WEIR_FROM_SOURCE, a);
    system_edge(s, WEIR_FROM_SOURCE, c);
    system_edge(s, a, b);
    system_edge(s, c, d);
    s->edges[system_edge(s, d, c)].initial = 1;
    s->enable_min[c] = 0; /* it need not wait for the message that is there */
    for (int i = 0; i < SYSTEM_TASKS; i++)
        s->level[i] = 1;
}

TEST(test_a_circle)
{
    struct system s;
    circle(&s, WEIR_PREEMPTIVE);
    system_stage(&s, true, WEIR_RULE_LEVEL, (const struct claim[]){{0, 22}, {22, 27}, {0, 17}, {17, 27}});
    assert_false(system_holds(&s)); /* nobody has a level */
    s.stages[0].level = s.level;
    system_assert_tight(&s);
    s.level[3] = 2; /* without c in its level, d comes after it */
    assert_false(system_holds(&s));
    s.level[3] = WEIR_NO_LEVEL;
    assert_false(system_holds(&s));
    s.level[3] = INT64_MIN; /* lower than all: the same level */
    assert_true(system_holds(&s));
    s.level[3] = 1;
    s.processors[0] = (struct weir_task_processor){.sharing = WEIR_TDM, .frame = 40};
    for (int i = 0; i < 4; i++)
        s.tasks[i].slot = 10;
    assert_false(system_holds(&s));
}

/* Between tasks that are not interrupted the last may come after the first of the next input. */
TEST(test_other_kinds)
{
    struct system s;
    circle(&s, WEIR_ROUND_ROBIN);
    for (int i = 0; i < 4; i++)
        s.tasks[i].slot = 2;
    s.stages[0].level = s.level;
    system_stage(&s, true, WEIR_RULE_LEVEL, (const struct claim[]){{0, 22}, {22, 27}, {0, 17}, {17, 27}});
    s.stages[0].level = s.level;
    assert_true(system_holds(&s));
    circle(&s, WEIR_NONPREEMPTIVE);
    system_stage(&s, true, WEIR_RULE_LEVEL, (const struct claim[]){{0, 22}, {22, 27}, {0, 17}, {17, 27}});
    s.stages[0].level = s.level;
    assert_true(system_holds(&s));
    for (int i = 0; i < 4; i++) {
        s.finish_max[0][i]--;
        assert_false(system_holds(&s));
        s.finish_max[0][i]++;
    }
    s.level[1] = 2; /* something less urgent may have begun */
    assert_false(system_holds(&s));
}

/* Tasks of another graph have one phase: a -> b delay c once, though the worst phase for every window does twice. */
TEST(test_phases)
{
    struct system s;
    system_begin(&s, WEIR_PREEMPTIVE, 1000, 6000);
    uint32_t a = system_task(&s, 0, 300, 3), m = system_task(&s, 0, 100, 9), b = system_task(&s, 0, 200, 2),
             c = system_task(&s, 1, 400, 1);
    s.tasks[a].best = 150;
    s.tasks[m].best = 50;
    s.tasks[b].best = 100;
    s.tasks[m].processor = WEIR_OWN_PROCESSOR;
    system_edge(&s, WEIR_FROM_SOURCE, a);
    system_edge(&s, WEIR_FROM_SOURCE, c);
    system_edge(&s, a, m);
    system_edge(&s, m, b);
    system_stage(&s, true, WEIR_RULE_LEVEL, (const struct claim[]){{0, 300}, {300, 400}, {400, 600}, {0, 900}});
    for (int i = 0; i < SYSTEM_TASKS; i++)
        s.level[i] = i == 3 ? 1 : WEIR_NO_LEVEL;
    assert_false(system_holds(&s));
    s.stages[0].level = s.level;
    system_assert_tight(&s);
    s.graphs[0].sporadic = true; /* then they have none in common */
    assert_false(system_holds(&s));
}

/* c -> d -> c with one message, on two processors with a -> b above them. Round by round it would never end. */
TEST(test_region)
{
    struct system s;
    system_begin(&s, WEIR_PREEMPTIVE, 38, 33);
    uint32_t a = system_task(&s, 0, 9, 2), b = system_task(&s, 0, 9, 2), c = system_task(&s, 1, 7, 1),
             d = system_task(&s, 1, 10, 1);
    s.tasks[b].processor = s.tasks[d].processor = 1;
    system_edge(&s, WEIR_FROM_SOURCE, a);
    system_edge(&s, WEIR_FROM_SOURCE, c);
    system_edge(&s, a, b);
    system_edge(&s, c, d);
    s.edges[system_edge(&s, d, c)].initial = 1;
    s.enable_min[c] = 0;
    system_stage(&s, true, WEIR_RULE_LEVEL, (const struct claim[]){{0, 9}, {9, 18}, {12, 28}, {28, 45}});
    for (int i = 0; i < SYSTEM_TASKS; i++)
        s.level[i] = i == (int)d ? 1 : WEIR_NO_LEVEL;
    s.stages[0].level = s.level;
    assert_false(system_holds(&s)); /* alone, the level of d does not do */
    s.stages[0].region = s.region;
    s.region[d] = (struct weir_region){1, {c}};
    system_assert_tight(&s);
    s.region[d] = (struct weir_region){2, {c, a}}; /* the same levels */
    assert_true(system_holds(&s));
    s.region[d].task[1] = 4; /* there is none */
    assert_false(system_holds(&s));
    s.region[d] = (struct weir_region){WEIR_REGION_MAX + 1, {c}};
    assert_false(system_holds(&s));
    s.region[d] = (struct weir_region){1, {a}}; /* c stays outside */
    assert_false(system_holds(&s));
    s.region[d].task[0] = c;
    s.processors[0] = (struct weir_task_processor){.sharing = WEIR_TDM, .frame = 40};
    s.tasks[a].slot = s.tasks[c].slot = 20;
    s.finish_max[0][a] = s.finish_max[0][b] = 400;
    assert_false(system_holds(&s)); /* it may idle while c waits */
}

/* More than one processor can do, all together; and each of them less. */
TEST(test_region_of_too_much)
{
    struct system s;
    for (int64_t worst = 12; worst <= 14; worst += 2) {
        system_begin(&s, WEIR_PREEMPTIVE, 40, 100);
        uint32_t a = system_task(&s, 0, worst, 2), b = system_task(&s, 0, worst, 2), c = system_task(&s, 0, worst, 1);
        s.tasks[b].processor = 1;
        system_edge(&s, WEIR_FROM_SOURCE, a);
        system_edge(&s, a, b);
        system_edge(&s, b, c);
        system_stage(&s, true, WEIR_RULE_LEVEL,
                     (const struct claim[]){{0, worst}, {worst, 2 * worst}, {2 * worst, worst == 12 ? 36 : 1000}});
        for (int i = 0; i < SYSTEM_TASKS; i++)
            s.level[i] = i == (int)c ? 1 : WEIR_NO_LEVEL;
        s.stages[0].level = s.level;
        s.stages[0].region = s.region;
        s.region[c] = (struct weir_region){1, {b}};
        s.stages[0].rule = worst == 12 ? WEIR_RULE_LEVEL : WEIR_RULE_PJ0;
        assert_true(system_holds(&s)); /* by another rule where there is too much */
        s.finish_max[0][c] = worst == 12 ? 35 : 3 * worst - 1;
        assert_false(system_holds(&s));
    }
}

/* What is not interrupted is waited for: a region has all of such a processor, or it would be worked for less than it has to do. */
TEST(test_region_whole)
{
    struct system s;
    system_begin(&s, WEIR_NONPREEMPTIVE, 100, 200);
    uint32_t a = system_task(&s, 0, 5, 2), b = system_task(&s, 0, 5, 2), late = system_task(&s, 1, 30, 1);
    s.processors[0].sharing = WEIR_PREEMPTIVE;
    s.tasks[b].processor = s.tasks[late].processor = 1;
    system_edge(&s, WEIR_FROM_SOURCE, a);
    system_edge(&s, WEIR_FROM_SOURCE, late);
    system_edge(&s, a, b);
    system_stage(&s, true, WEIR_RULE_LEVEL, (const struct claim[]){{0, 5}, {5, 40}, {0, 35}});
    for (int i = 0; i < SYSTEM_TASKS; i++)
        s.level[i] = i == (int)b ? 2 : WEIR_NO_LEVEL;
    s.stages[0].level = s.level;
    s.stages[0].region = s.region;
    s.region[b] = (struct weir_region){1, {a}};
    assert_true(system_holds(&s));
    s.finish_max[0][b] = 39; /* a, the one that is not interrupted, and b */
    assert_false(system_holds(&s));
    s.finish_max[0][b] = 10;
    assert_false(system_holds(&s));
}

/* Two other graphs, whose tasks come by turns: each has one phase for itself. */
TEST(test_phases_of_two)
{
    struct system s;
    uint32_t op[2][3]; /* of each graph: first, on the way, last */
    system_begin(&s, WEIR_PREEMPTIVE, 6000, 1000);
    s.graphs[2].period = 3000;
    s.set.graph_count = 3;
    static const int64_t worst[2][3] = {{300, 100, 200}, {10, 30, 20}};
    for (int k = 0; k < 3; k++)
        for (int g = 1; g >= 0; g--) {
            op[g][k] = system_task(&s, 1 + (uint32_t)g, worst[g][k], 5 - k + 4 * g);
            s.tasks[op[g][k]].best = worst[g][k] / 2;
        }
    uint32_t c = system_task(&s, 0, 300, 1);
    system_edge(&s, WEIR_FROM_SOURCE, c);
    for (int g = 0; g < 2; g++) {
        s.tasks[op[g][1]].processor = WEIR_OWN_PROCESSOR;
        system_edge(&s, WEIR_FROM_SOURCE, op[g][0]);
        system_edge(&s, op[g][0], op[g][1]);
        system_edge(&s, op[g][1], op[g][2]);
    }
    system_stage(&s, true, WEIR_RULE_LEVEL,
                 (const struct claim[]){{0, 10}, {0, 330}, {10, 40}, {330, 430}, {40, 60}, {430, 660}, {0, 830}});
    for (int i = 0; i < SYSTEM_TASKS; i++)
        s.level[i] = i == (int)c ? 1 : WEIR_NO_LEVEL;
    assert_false(system_holds(&s));
    s.stages[0].level = s.level;
    system_assert_tight(&s);
}

/* a and b are apart by what m takes: the worst for c is b at the beginning, and a before the next. */
TEST(test_every_phase)
{
    struct system s;
    system_begin(&s, WEIR_PREEMPTIVE, 1000, 6000);
    uint32_t a = system_task(&s, 0, 10, 3), m = system_task(&s, 0, 500, 9), b = system_task(&s, 0, 300, 2),
             c = system_task(&s, 1, 400, 1);
    s.tasks[m].processor = WEIR_OWN_PROCESSOR;
    system_edge(&s, WEIR_FROM_SOURCE, a);
    system_edge(&s, WEIR_FROM_SOURCE, c);
    system_edge(&s, a, m);
    system_edge(&s, m, b);
    s.enable_min[m] = 10;
    s.enable_min[b] = 510;
    system_stage(&s, true, WEIR_RULE_LEVEL, (const struct claim[]){{0, 10}, {10, 510}, {510, 810}, {0, 710}});
    for (int i = 0; i < SYSTEM_TASKS; i++)
        s.level[i] = i == 3 ? 1 : WEIR_NO_LEVEL;
    s.stages[0].level = s.level;
    assert_true(system_holds(&s));
    s.finish_max[0][c]--;
    assert_false(system_holds(&s));
}

/* Lehoczky's tasks: of the executions of b in one busy time, the fifth takes the longest. */
TEST(test_later_executions)
{
    struct system s;
    system_begin(&s, WEIR_PREEMPTIVE, 70, 100);
    uint32_t a = system_task(&s, 0, 26, 2), b = system_task(&s, 1, 62, 1);
    system_edge(&s, WEIR_FROM_SOURCE, a);
    system_edge(&s, WEIR_FROM_SOURCE, b);
    system_stage(&s, true, WEIR_RULE_LEVEL, (const struct claim[]){{0, 26}, {0, 118}});
    for (int i = 0; i < SYSTEM_TASKS; i++)
        s.level[i] = i == 1 ? 1 : 2;
    s.stages[0].level = s.level;
    assert_true(system_holds(&s));
    s.finish_max[0][b]--;
    assert_false(system_holds(&s));
    s.finish_max[0][b] = 900;
    s.tasks[a].worst = 27; /* more than there is: 27 / 70 + 62 / 100 */
    s.finish_max[0][a] = 27;
    assert_false(system_holds(&s));
}

static void set_levels(struct system *s, int64_t level)
{
    for (int i = 0; i < SYSTEM_TASKS; i++)
        s->level[i] = s->set.tasks[i].processor == WEIR_OWN_PROCESSOR ? WEIR_NO_LEVEL : level;
    s->stages[0].level = s->level;
}

static void is_tight_for(struct system *s, uint32_t task)
{
    assert_true(system_holds(s));
    s->finish_max[0][task]--;
    assert_false(system_holds(s));
    s->finish_max[0][task]++;
}

/* The busy time begins with j, before i is there. */
TEST(test_own_graph)
{
    struct system s;
    system_begin(&s, WEIR_PREEMPTIVE, 100, 100);
    uint32_t j = system_task(&s, 0, 20, 2), m = system_task(&s, 0, 10, 9), i = system_task(&s, 0, 5, 1);
    s.tasks[m].processor = WEIR_OWN_PROCESSOR;
    system_edge(&s, WEIR_FROM_SOURCE, j);
    system_edge(&s, WEIR_FROM_SOURCE, m);
    system_edge(&s, m, i);
    s.enable_min[i] = 10;
    system_stage(&s, true, WEIR_RULE_LEVEL, (const struct claim[]){{0, 20}, {0, 10}, {10, 25}});
    set_levels(&s, 1);
    is_tight_for(&s, i);
}

/* Inputs may come any time later: the late one of an earlier input together with the early one of this, and the other way round. */
TEST(test_sporadic)
{
    struct system s;
    system_begin(&s, WEIR_PREEMPTIVE, 10, 10);
    uint32_t early = system_task(&s, 0, 2, 1), way[3], late;
    system_edge(&s, WEIR_FROM_SOURCE, early);
    for (int k = 0; k < 3; k++) {
        way[k] = system_task(&s, 0, 9, 9);
        s.tasks[way[k]].processor = WEIR_OWN_PROCESSOR;
        system_edge(&s, k ? way[k - 1] : WEIR_FROM_SOURCE, way[k]);
        s.enable_min[way[k]] = 9 * k;
    }
    late = system_task(&s, 0, 2, 1);
    system_edge(&s, way[2], late);
    s.enable_min[late] = 27;
    s.graphs[0].sporadic = true;
    system_stage(&s, true, WEIR_RULE_LEVEL, (const struct claim[]){{0, 4}, {0, 9}, {9, 18}, {18, 27}, {27, 31}});
    set_levels(&s, 1);
    is_tight_for(&s, early);
    is_tight_for(&s, late);
    s.graphs[0].sporadic = false; /* every 10 they are apart */
    s.finish_max[0][early] = 2;
    s.finish_max[0][late] = 29;
    is_tight_for(&s, early);
    is_tight_for(&s, late);
}

/* a waits for the place that b frees, which comes from outside, like an input. */
TEST(test_room_from_outside)
{
    struct system s;
    system_begin(&s, WEIR_PREEMPTIVE, 10, 100);
    uint32_t a = system_task(&s, 0, 2, 1), way[2], b, c;
    system_edge(&s, WEIR_FROM_SOURCE, a);
    for (int k = 0; k < 2; k++) {
        way[k] = system_task(&s, 0, 9, 9);
        s.tasks[way[k]].processor = WEIR_OWN_PROCESSOR;
        system_edge(&s, k ? way[k - 1] : WEIR_FROM_SOURCE, way[k]);
        s.enable_min[way[k]] = 9 * k;
    }
    b = system_task(&s, 0, 2, 9);
    s.tasks[b].processor = WEIR_OWN_PROCESSOR;
    system_edge(&s, way[1], b);
    uint32_t queue = system_edge(&s, a, b);
    s.edges[queue].room = s.room[queue] = 1;
    s.enable_min[b] = 18;
    c = system_task(&s, 1, 3, 2);
    system_edge(&s, WEIR_FROM_SOURCE, c);
    system_stage(&s, true, WEIR_RULE_LEVEL, (const struct claim[]){{10, 15}, {0, 9}, {9, 18}, {18, 20}, {0, 3}});
    set_levels(&s, 1);
    s.level[c] = 2;
    is_tight_for(&s, a);
}

/* What is not interrupted is waited for. */
TEST(test_blocking)
{
    struct system s;
    system_begin(&s, WEIR_NONPREEMPTIVE, 20, 50);
    uint32_t urgent = system_task(&s, 0, 3, 2), other = system_task(&s, 1, 5, 1);
    system_edge(&s, WEIR_FROM_SOURCE, urgent);
    system_edge(&s, WEIR_FROM_SOURCE, other);
    system_stage(&s, true, WEIR_RULE_LEVEL, (const struct claim[]){{0, 8}, {0, 8}});
    for (int i = 0; i < SYSTEM_TASKS; i++)
        s.level[i] = i == 0 ? 2 : 1;
    s.stages[0].level = s.level;
    assert_true(system_holds(&s));
    for (int i = 0; i < 2; i++) {
        s.finish_max[0][i]--;
        assert_false(system_holds(&s));
        s.finish_max[0][i]++;
    }
}

/* A level takes no time by itself, so that a claim about a circle that nothing ever leaves would follow. */
TEST(test_deadlock)
{
    struct system s;
    circle(&s, WEIR_PREEMPTIVE);
    s.edges[3].room = s.room[3] = 0; /* c waits for d to free a place, and d for c's message */
    system_stage(&s, true, WEIR_RULE_LEVEL, (const struct claim[]){{0, 900}, {900, 900}, {900, 900}, {900, 900}});
    s.stages[0].level = s.level;
    assert_false(system_holds(&s));
    s.edges[3].room = s.room[3] = 1;
    assert_true(system_holds(&s));
}

/* What ends by its bound at its longest was ready that long before; that follows from what holds, and not from itself. */
TEST(test_early_ends)
{
    struct system s;
    circle(&s, WEIR_PREEMPTIVE);
    system_stage(&s, true, WEIR_RULE_LEVEL, (const struct claim[]){{0, 22}, {22, 26}, {0, 17}, {17, 27}});
    s.stages[0].level = s.level;
    assert_false(system_holds(&s));
    s.finish_max[0][1] = 27;
    s.enable_max[0][1] = 40;
    assert_true(system_holds(&s));
    system_stage(&s, false, WEIR_RULE_LEVEL, (const struct claim[]){{0, 22}, {22, 27}, {0, 17}, {17, 27}});
    assert_true(system_holds(&s));
    s.enable_max[1][1] = 21;
    assert_false(system_holds(&s));
}

/* Two tasks in slots of one frame, with one place between them; returns the queue. */
static uint32_t slots(struct system *s, int64_t period)
{
    system_begin(s, WEIR_TDM, period, period);
    uint32_t a = system_task(s, 0, 1, 0), b = system_task(s, 0, 1, 0), queue;
    s->processors[0].frame = 11;
    s->tasks[a].slot = s->tasks[b].slot = 2;
    system_edge(s, WEIR_FROM_SOURCE, a);
    queue = system_edge(s, a, b);
    s->edges[queue].room = s->room[queue] = 1;
    s->enable_min[b] = 1;
    return queue;
}

/* a waits for the place that b frees: a round takes as long as a frame, though one by one both may wait for most of it. */
TEST(test_slots)
{
    struct system s;
    uint32_t a = 0, b = 1, queue = slots(&s, 16);
    for (int i = 0; i < SYSTEM_TASKS; i++)
        s.level[i] = 0;
    system_stage(&s, true, WEIR_RULE_LEVEL, (const struct claim[]){{4, 13}, {13, 20}});
    assert_false(system_holds(&s)); /* one by one */
    s.stages[0].level = s.level;
    system_assert_tight(&s);
    s.graphs[0].period = 10; /* less than a frame */
    s.enable_max[0][a] = 10;
    assert_false(system_holds(&s));
    s.edges[queue].room = s.room[queue] = 2;
    assert_true(system_holds(&s));
    s.tasks[a].worst = 3; /* more than its slots give it */
    s.finish_max[0][a] = s.finish_max[0][b] = 900;
    assert_false(system_holds(&s));
}

/* A round that takes longer than the period gets further behind, whatever is claimed. */
TEST(test_slots_too_slow)
{
    struct system s;
    slots(&s, 11);
    system_stage(&s, true, WEIR_RULE_LEVEL, (const struct claim[]){{890, 900}, {900, 900}});
    set_levels(&s, 0);
    assert_true(system_holds(&s));
    s.graphs[0].period = 10;
    assert_false(system_holds(&s));
}

/* Two thirds of a slot, every two thirds of a frame: the second execution finds a third of a slot, and waits for another. */
TEST(test_slots_in_part)
{
    struct system s;
    system_begin(&s, WEIR_TDM, 8, 8);
    uint32_t a = system_task(&s, 0, 2, 0);
    s.processors[0].frame = 12;
    s.tasks[a].slot = 3;
    system_edge(&s, WEIR_FROM_SOURCE, a);
    system_stage(&s, true, WEIR_RULE_LEVEL, (const struct claim[]){{0, 14}});
    set_levels(&s, 0);
    is_tight_for(&s, a);
}

/* b takes what a sends before a begins again. */
/* Of two queues the one with fewer messages decides, whichever comes first. */
TEST(test_slots_behind_two_queues)
{
    struct system s;
    for (int first = 0; first < 2; first++) {
        uint32_t a = 0, b = 1, queue = slots(&s, 16), more = system_edge(&s, a, b);
        s.edges[queue].room = s.room[queue] = WEIR_UNBOUNDED;
        s.edges[first ? queue : more].initial = 1;
        s.graphs[0].jitter = 20; /* so that a may end a period later than b could begin */
        for (int i = 0; i < SYSTEM_TASKS; i++)
            s.level[i] = 0;
        system_stage(&s, true, WEIR_RULE_LEVEL, (const struct claim[]){{20, 30}, {30, 40}});
        s.stages[0].level = s.level;
        system_assert_tight(&s);
    }
}

TEST(test_urgent_consumer)
{
    struct system s;
    system_begin(&s, WEIR_PREEMPTIVE, 8, 8);
    uint32_t a = system_task(&s, 0, 2, 1), b = system_task(&s, 0, 1, 2), c = system_task(&s, 0, 1, 3);
    s.graphs[0].jitter = 22;
    s.tasks[a].best = s.tasks[b].best = s.tasks[c].best = 0;
    system_edge(&s, WEIR_FROM_SOURCE, a);
    uint32_t queue = system_edge(&s, a, b);
    system_edge(&s, b, c);
    s.edges[queue].blocking = false;
    s.edges[queue].room = s.room[queue] = 1;
    memset(s.enable_min, 0, sizeof s.enable_min);
    system_stage(&s, true, WEIR_RULE_BEST, (const struct claim[]){{22, 40}, {40, 50}, {50, 60}});
    assert_true(system_holds(&s));
    s.edges[queue].room = s.room[queue] = 0;
    assert_false(system_holds(&s));
    s.edges[queue].room = s.room[queue] = 1;
    s.tasks[b].priority = 1;
    assert_false(system_holds(&s));
    s.tasks[b].priority = 2;
    s.tasks[a].processor = 1;
    assert_false(system_holds(&s));
    s.tasks[a].processor = 0;
    uint32_t other = system_edge(&s, c, b); /* b waits for c, of which nothing is known if it is elsewhere */
    s.edges[other].initial = 3;
    assert_true(system_holds(&s));
    s.tasks[c].processor = WEIR_OWN_PROCESSOR;
    assert_false(system_holds(&s));
}
