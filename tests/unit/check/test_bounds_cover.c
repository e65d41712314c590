/* SPDX-License-Identifier: Apache-2.0 */
/* Claims by the situations that can be reached, and lists that are not all of them. */
#include "system.h"

#include "support/stage.h"

#include <string.h>

/* a -> b every 10 on one processor: before the first input; a runs; b runs; nobody does. */
enum { SITUATIONS = 4, WIDTH = 5, DIFFERENCES = 1 + 9 + 9 + 4 };

struct listed {
    uint16_t numbers[SITUATIONS][WIDTH];
    struct weir_bounds_zone zones[SITUATIONS];
    int32_t differences[DIFFERENCES];
    struct weir_bounds_cover cover;
};

static void begin(struct system *s, struct listed *l)
{
    static const struct listed all = {
        .numbers = {{0, 0, 0, 0, 0}, {1, 1, 1, 0, 0}, {1, 0, 1, 0, 0}, {1, 0, 0, 0, 0}},
        .zones = {{0, 0}, {1, 1}, {2, 10}, {3, 19}},
        .differences = {0,                           /**/
                        0, 0,  0, 0, 0, 0, 0, 0,  0, /* both clocks are at 0 */
                        0, -2, 0, 2, 0, 2, 0, -2, 0, /* since the input 2, b has not begun */
                        0, -5, 5, 0},                /* since the input 5 */
    };
    *l = all;
    l->cover = (struct weir_bounds_cover){.unit = 1,
                                          .width = WIDTH,
                                          .situation_count = SITUATIONS,
                                          .zone_count = SITUATIONS,
                                          .difference_count = DIFFERENCES,
                                          .numbers = l->numbers[0],
                                          .zones = l->zones,
                                          .differences = l->differences};
    system_begin(s, WEIR_PREEMPTIVE, 10, 10);
    s->set.graph_count = 1;
    uint32_t a = system_task(s, 0, 2, 2), b = system_task(s, 0, 3, 1);
    system_edge(s, WEIR_FROM_SOURCE, a);
    system_edge(s, a, b);
    system_stage(s, true, WEIR_RULE_REACH, (const struct claim[]){{0, 2}, {2, 5}});
    s->stages[0].cover = &l->cover;
}

TEST(test_all)
{
    struct system s;
    struct listed l;
    begin(&s, &l);
    system_assert_tight(&s);
    s.stages[0].base = false;
    assert_false(system_holds(&s));
    s.stages[0].base = true;
    s.stages[0].cover = NULL;
    assert_false(system_holds(&s));
}

TEST(test_missing)
{
    struct system s;
    struct listed l;
    begin(&s, &l);
    for (int k = 0; k < SITUATIONS; k++) { /* in the place of another, which is then listed twice */
        struct weir_bounds_zone zone = l.zones[k];
        l.zones[k] = l.zones[(k + 1) % SITUATIONS];
        assert_false(system_holds(&s));
        l.zones[k] = zone;
    }
    for (int k = 0; k < DIFFERENCES; k++) {
        l.differences[k]--;
        assert_false(system_holds(&s));
        l.differences[k]++;
    }
    assert_true(system_holds(&s));
}

TEST(test_nonsense)
{
    struct system s;
    struct listed l;
    begin(&s, &l);
    l.cover.unit = 0;
    assert_false(system_holds(&s));
    l.cover.unit = INT64_MAX;
    assert_false(system_holds(&s));
    l.cover.unit = 1;
    l.cover.width--;
    assert_false(system_holds(&s));
    l.cover.width++;
    l.zones[2].situation = SITUATIONS;
    assert_false(system_holds(&s));
    l.zones[2].situation = 2;
    l.zones[3].differences = DIFFERENCES - 3;
    assert_false(system_holds(&s));
    l.zones[3].differences = SIZE_MAX;
    assert_false(system_holds(&s));
    l.zones[3].differences = DIFFERENCES - 4;
    for (int k = 0; k < SITUATIONS; k++)
        for (int n = 0; n < WIDTH; n++) {
            uint16_t number = l.numbers[k][n];
            l.numbers[k][n] = UINT16_MAX;
            assert_false(system_holds(&s));
            l.numbers[k][n] = number;
        }
    assert_true(system_holds(&s));
}

TEST(test_other_systems)
{
    struct system s;
    struct listed l;
    begin(&s, &l);
    s.graphs[0].sporadic = true;
    assert_false(system_holds(&s));
    s.graphs[0].sporadic = false;
    s.graphs[0].jitter = 1; /* inputs may be due */
    assert_false(system_holds(&s));
    s.graphs[0].jitter = 0;
    s.tasks[1].best = 2; /* an earlier end leads somewhere else */
    assert_false(system_holds(&s));
    s.tasks[1].best = 3;
    s.tasks[0].processor = s.tasks[1].processor = WEIR_OWN_PROCESSOR; /* the same */
    assert_true(system_holds(&s));
    s.tasks[0].processor = s.tasks[1].processor = 0;
    s.processors[0].sharing = WEIR_ROUND_ROBIN; /* ... nobody has to wait for his turn */
    assert_true(system_holds(&s));
    s.processors[0].sharing = WEIR_NONPREEMPTIVE; /* somebody has to be chosen first */
    assert_false(system_holds(&s));
    s.processors[0] = (struct weir_task_processor){.sharing = WEIR_TDM, .frame = 10};
    s.tasks[0].slot = s.tasks[1].slot = 5;
    assert_false(system_holds(&s));
}

/* A queue whose size is left open must not make anybody wait: what is known was found without it. */
TEST(test_room)
{
    struct system s;
    struct listed l;
    begin(&s, &l);
    s.edges[1].room = WEIR_AUTO;
    s.room[1] = 1; /* 10 later b has ended what a began at 0 */
    assert_true(system_holds(&s));
    s.edges[1].room = 1; /* given, and with it the rule for a is another: a may wait for b, which it never does */
    assert_true(system_holds(&s));
    s.edges[1].room = WEIR_AUTO;
    s.room[1] = 0;
    assert_false(system_holds(&s));
}

static void stretch(struct system *s, struct listed *l, int64_t factor)
{
    begin(s, l);
    l->cover.unit = factor;
    s->graphs[0].period *= factor;
    for (uint32_t i = 0; i < s->set.task_count; i++) {
        s->tasks[i].best *= factor;
        s->tasks[i].worst *= factor;
        s->enable_min[i] *= factor;
        s->stages[0].enable_max[i] *= factor;
        s->stages[0].finish_max[i] *= factor;
    }
}

/* Times of which sums fit, with as many iterations behind as numbers can say; and others. */
TEST(test_large_times)
{
    struct system s;
    struct listed l;
    stretch(&s, &l, INT64_C(1) << 46);
    assert_true(system_holds(&s));
    l.numbers[1][1] = UINT16_MAX;
    assert_false(system_holds(&s));
    stretch(&s, &l, INT64_C(1) << 54);
    assert_false(system_holds(&s));
}
