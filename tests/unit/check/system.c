/* SPDX-License-Identifier: Apache-2.0 */
#include "system.h"

#include "support/stage.h"

#include <string.h>

void system_begin(struct system *s, enum weir_sharing sharing, int64_t period, int64_t other_period)
{
    memset(s, 0, sizeof *s);
    for (int i = 0; i < 2; i++) {
        s->graphs[i].period = i ? other_period : period;
        s->processors[i].sharing = sharing;
    }
    s->set = (struct weir_taskset){.graph_count = 2,
                                   .processor_count = 2,
                                   .tasks = s->tasks,
                                   .graphs = s->graphs,
                                   .edges = s->edges,
                                   .processors = s->processors};
    s->proof = (struct weir_bounds_proof){.enable_min = s->enable_min, .room = s->room, .stages = s->stages};
}

uint32_t system_task(struct system *s, uint32_t graph, int64_t worst, int32_t priority)
{
    assert_true(s->set.task_count < SYSTEM_TASKS);
    s->tasks[s->set.task_count] = (struct weir_task){.graph = graph, .priority = priority, .best = worst, .worst = worst};
    s->proof.task_count = s->set.task_count + 1;
    return s->set.task_count++;
}

uint32_t system_edge(struct system *s, uint32_t from, uint32_t to)
{
    bool source = from == WEIR_FROM_SOURCE;
    assert_true(s->set.edge_count < SYSTEM_EDGES);
    s->edges[s->set.edge_count] =
        (struct weir_task_edge){.from = from, .to = to, .room = source ? WEIR_AUTO : WEIR_UNBOUNDED, .blocking = !source};
    s->room[s->set.edge_count] = WEIR_UNBOUNDED;
    if (!source && s->enable_min[to] < s->enable_min[from] + s->tasks[from].best)
        s->enable_min[to] = s->enable_min[from] + s->tasks[from].best;
    s->proof.edge_count = s->set.edge_count + 1;
    return (uint32_t)s->set.edge_count++;
}

void system_stage(struct system *s, bool base, enum weir_bounds_rule rule, const struct claim *claims)
{
    size_t k = s->proof.stage_count++;
    assert_true(k < SYSTEM_STAGES);
    s->stages[k] =
        (struct weir_bounds_stage){.base = base, .rule = rule, .enable_max = s->enable_max[k], .finish_max = s->finish_max[k]};
    for (uint32_t i = 0; i < s->set.task_count; i++) {
        s->enable_max[k][i] = claims[i].enable;
        s->finish_max[k][i] = claims[i].finish;
    }
}

bool system_holds(struct system *s)
{
    bool holds;
    assert_int_equal(weir_bounds_check(&s->set, &s->proof, &holds, s->why), WEIR_OK);
    assert_int_equal(holds, s->why[0] == '\0');
    bool silent;
    assert_int_equal(weir_bounds_check(&s->set, &s->proof, &silent, NULL), WEIR_OK);
    assert_int_equal(holds, silent);
    return holds;
}

void system_assert_tight(struct system *s)
{
    size_t last = s->proof.stage_count - 1;
    if (!system_holds(s))
        fail_msg("%s", s->why);
    for (uint32_t i = 0; i < s->set.task_count; i++) {
        s->finish_max[last][i]--;
        assert_false(system_holds(s));
        s->finish_max[last][i]++;
        s->enable_max[last][i]--;
        assert_false(system_holds(s));
        s->enable_max[last][i]++;
    }
    assert_true(system_holds(s));
}
