/* SPDX-License-Identifier: Apache-2.0 */
#include "priority_plans.h"

#include "check/priority/execution.h"
#include "model/pipeline.h"
#include "simulate/processors.h"

enum { MOMENTS = 400, SEEDS = 400, OPERATORS = 32, PROCESSORS = 8, TURNS = 3 };

struct play {
    const struct weir_taskset *set;
    struct weir_played_execution execution;
    int64_t ended[OPERATORS]; /* in the simulation */
    int64_t until;            /* finishes up to then count */
};

static int64_t time_of(void *context, struct weir_operator op, int64_t iteration)
{
    const struct play *p = context;
    return weir_execution_time(&p->execution, op.index, iteration);
}

static struct weir_drawn_release release_of(void *context, uint32_t source, int64_t iteration)
{
    const struct play *p = context;
    uint32_t graph = 0;
    while (p->set->graphs[graph].source != source)
        graph++;
    return (struct weir_drawn_release){.offset = weir_execution_delay(&p->execution, graph, iteration)};
}

static void observe(void *context, struct weir_operator op, enum weir_moment moment, int64_t iteration, int64_t time,
                    int64_t nominal)
{
    struct play *p = context;
    (void)iteration;
    (void)nominal;
    p->ended[op.index] += moment == WEIR_FINISH && time <= p->until;
}

/* Whether the model alone decides who runs, but for frames and, in round robin, whose turn is the first. */
static bool is_decided(const struct weir_taskset *set)
{
    uint32_t turns = 0;
    for (uint32_t p = 0; p < set->processor_count; p++) {
        uint32_t sharers = 0;
        for (uint32_t i = 0; i < set->task_count; i++)
            sharers += set->tasks[i].processor == p;
        if (set->processors[p].sharing == WEIR_ROUND_ROBIN && sharers > 1 && (sharers > TURNS || turns++ > 0))
            return false;
    }
    for (uint32_t i = 0; i < set->task_count; i++)
        for (uint32_t j = 0; j < i; j++) {
            uint32_t p = set->tasks[i].processor;
            if (p == WEIR_OWN_PROCESSOR || set->tasks[j].processor != p || set->tasks[i].priority != set->tasks[j].priority)
                continue;
            if (set->processors[p].sharing == WEIR_PREEMPTIVE || set->processors[p].sharing == WEIR_NONPREEMPTIVE)
                return false;
        }
    return set->task_count <= OPERATORS && set->processor_count <= PROCESSORS;
}

static void play_plan(struct play *p, uint64_t plan)
{
    struct weir_played_execution *x = &p->execution;
    for (size_t k = 0; k < p->set->edge_count; k++) {
        x->room[k] = p->set->edges[k].room == WEIR_AUTO ? WEIR_UNBOUNDED : p->set->edges[k].room;
        x->fed_from[k] = INT64_MAX;
    }
    x->plan = plan;
    x->work = MOMENTS * (uint64_t)(p->set->task_count + p->set->edge_count + 1);
    enum weir_execution_end end = weir_execution_play(x);
    p->until = end == WEIR_EXECUTION_OPEN ? x->now - 1 : x->now;
}

static bool simulate(struct play *p, const struct weir_pipeline *pipeline, struct weir_processors_rules *rules)
{
    uint32_t capacities[64];
    struct weir_processors *processors;
    bool same = false;
    for (uint32_t i = 0; i < pipeline->queue_count; i++) {
        const struct weir_queue_spec *q = &pipeline->queues[i];
        capacities[i] = q->capacity == WEIR_AUTO || q->nonblocking ? WEIR_UNBOUNDED : q->capacity;
    }
    if (weir_processors_new(pipeline, capacities, &processors, NULL))
        return false;
    for (rules->seed = 1; rules->seed <= SEEDS && !same; rules->seed++) {
        for (uint32_t i = 0; i < p->set->task_count; i++)
            p->ended[i] = 0;
        weir_processors_play(processors, rules, NULL); /* one that gets stuck does so in both */
        same = true;
        for (uint32_t i = 0; i < p->set->task_count; i++)
            same = same && p->ended[i] == p->execution.done[i];
    }
    weir_processors_free(processors);
    return same;
}

bool plan_is_an_execution(const struct weir_pipeline *pipeline, uint64_t plan, uint64_t *compared)
{
    struct play p = {.set = pipeline->taskset};
    int64_t phases[64] = {0}, frames[PROCESSORS] = {0};
    if (!is_decided(p.set) || !weir_execution_open(&p.execution, p.set))
        return true;
    play_plan(&p, plan);
    struct weir_processors_rules rules = {.iterations = 1,
                                          .phases = phases,
                                          .frames = frames,
                                          .time_of = time_of,
                                          .release = release_of,
                                          .observe = observe,
                                          .context = &p};
    for (uint32_t g = 0; g < p.set->graph_count; g++) {
        phases[p.set->graphs[g].source] = p.execution.phase[g];
        rules.iterations = p.execution.arrived[g] >= rules.iterations ? p.execution.arrived[g] + 1 : rules.iterations;
    }
    for (uint32_t i = p.set->task_count; i-- > 0;) {
        uint32_t on = p.set->tasks[i].processor;
        if (on != WEIR_OWN_PROCESSOR && p.set->processors[on].sharing == WEIR_TDM)
            frames[on] = p.execution.offset[i] % p.set->processors[on].frame;
    }
    ++*compared;
    bool same = simulate(&p, pipeline, &rules);
    weir_execution_close(&p.execution);
    return same;
}

static void note_latest(void *context, struct weir_operator op, enum weir_moment moment, int64_t iteration, int64_t time,
                        int64_t nominal)
{
    int64_t *latest = context;
    (void)op;
    (void)iteration;
    if (moment == WEIR_FINISH && time - nominal > *latest)
        *latest = time - nominal;
}

int64_t latest_at_worst(const struct weir_pipeline *pipeline, const uint32_t *capacities, uint64_t seed, int64_t iterations)
{
    int64_t latest = 0;
    struct weir_processors_options options = {.iterations = iterations,
                                              .times = WEIR_TIMES_WORST,
                                              .releases = WEIR_RELEASES_NOMINAL,
                                              .seed = seed,
                                              .capacities = capacities,
                                              .observe = note_latest,
                                              .context = &latest};
    return weir_processors_simulate(pipeline, &options, NULL) ? -1 : latest;
}
