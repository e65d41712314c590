/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ends counted from the actual arrival of an input, which is up to the jitter J after the nominal one (docs/concepts/
 * shared-processors.md, section "From the actual arrival"). Inputs d apart arrive at least D(d) = max(0, d P - J) apart. If an
 * iteration of i ends at most `run` after the enabling of the first of those that it is in a busy period with, less D of how many
 * these are, then
 *
 *     after_i  = E_i + run_i,    E_i = the latest of 0 behind a source, after_j - D(initial) along queues, after_j - D(room) back
 *
 * and never more than the bound from the nominal arrival. Each step goes from bounds that hold to bounds that hold, so that it may
 * end anywhere.
 */
#include "engine/priority/system.h"

#define STEPS_MAX 1000000 /* of all windows */
#define PASSES_MAX 64

struct arrivals {
    struct weir_priority_system *system;
    int64_t *after, *run;
    int64_t steps;
};

static const struct weir_task_graph *graph_of(const struct weir_priority_system *s, uint32_t i)
{
    return &s->set->graphs[s->set->tasks[i].graph];
}

/* D(d) */
static int64_t apart(const struct weir_task_graph *graph, int64_t d)
{
    int64_t time;
    if (!weir_multiply(graph->period, d, &time) || time >= WEIR_TIME_MAX)
        return WEIR_TIME_MAX;
    return time > graph->jitter ? time - graph->jitter : 0;
}

/* What the processor has to do in w from the beginning of a busy period, q executions of i in it; WEIR_PRIORITY_FAR: too much. */
static int64_t demand(struct arrivals *a, uint32_t i, int64_t q, int64_t w)
{
    const struct weir_priority_system *s = a->system;
    weir_wide sum = (weir_wide)q * s->set->tasks[i].worst;
    for (uint32_t r = s->first[i]; r < s->lower[i]; r++) {
        uint32_t j = s->rivals[r].task;
        sum += (weir_wide)weir_ceil_divide(w + s->enable[j] - s->enable_min[j], s->period[j]) * s->set->tasks[j].worst;
    }
    a->steps += s->lower[i] - s->first[i];
    return sum < WEIR_TIME_MAX && a->steps < STEPS_MAX ? (int64_t)sum : WEIR_PRIORITY_FAR;
}

/* Whether i and its rivals may ask for all of the processor: then no busy period need end. */
static bool never_idle(const struct weir_priority_system *s, uint32_t i)
{
    if (s->repeat[i] >= WEIR_TIME_MAX / s->period[i])
        return false;
    int64_t cycle = s->repeat[i] * s->period[i];
    weir_wide work = (weir_wide)s->repeat[i] * s->set->tasks[i].worst;
    for (uint32_t r = s->first[i]; r < s->lower[i]; r++)
        work += (weir_wide)(cycle / s->period[s->rivals[r].task]) * s->set->tasks[s->rivals[r].task].worst;
    return work >= cycle;
}

/* The most of (the end of q executions in a row) - D(q - 1), from the enabling of the first of them; WEIR_PRIORITY_FAR
 * where that is too much to look at, or no less than what is known from the nominal arrival. */
static int64_t longest_run(struct arrivals *a, uint32_t i)
{
    const struct weir_priority_system *s = a->system;
    int64_t spread = s->enable[i] - s->enable_min[i], w = 0, most = 0;
    if ((s->set->tasks[i].processor != WEIR_OWN_PROCESSOR && s->sharing[i] != WEIR_PREEMPTIVE) || never_idle(s, i))
        return WEIR_PRIORITY_FAR;
    /* The next is in the same busy period only if it is enabled by the time those so far are over. */
    for (int64_t q = 1; q == 1 || apart(&(struct weir_task_graph){.period = s->period[i], .jitter = spread}, q - 1) <= w; q++) {
        int64_t next = demand(a, i, q, w + 1);
        for (; next > w && next != WEIR_PRIORITY_FAR; next = demand(a, i, q, w))
            w = next;
        a->steps++;
        if (next == WEIR_PRIORITY_FAR)
            return WEIR_PRIORITY_FAR;
        int64_t end = w - apart(graph_of(s, i), q - 1);
        most = end > most ? end : most;
        if (most >= s->finish[i])
            return WEIR_PRIORITY_FAR;
    }
    return most;
}

static int64_t later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* The latest enabling of task i after the actual arrival. */
static int64_t latest_enabling(const struct arrivals *a, uint32_t i)
{
    const struct weir_priority_system *s = a->system;
    int64_t enable = 0;
    for (uint32_t k = s->touching_first[i]; k < s->touching_first[i + 1]; k++) {
        size_t e = s->touching[k];
        const struct weir_task_edge *edge = &s->set->edges[e];
        if (edge->from == edge->to)
            continue; /* its own iterations are over in their order anyway */
        if (edge->to == i && edge->from != WEIR_FROM_SOURCE)
            enable = later(enable, a->after[edge->from] - apart(graph_of(s, i), edge->initial));
        if (edge->from == i && edge->blocking && s->fixed[e] != WEIR_AUTO && s->fixed[e] != WEIR_UNBOUNDED)
            enable = later(enable, a->after[edge->to] - apart(graph_of(s, i), s->fixed[e]));
    }
    return enable < s->enable[i] ? enable : s->enable[i];
}

static bool narrow(struct arrivals *a)
{
    bool moved = false;
    for (uint32_t i = 0; i < a->system->set->task_count; i++) {
        if (a->run[i] == WEIR_PRIORITY_FAR)
            continue;
        int64_t end = latest_enabling(a, i) + a->run[i];
        moved |= end < a->after[i];
        a->after[i] = end < a->after[i] ? end : a->after[i];
    }
    return moved;
}

bool weir_priority_arrivals(struct weir_priority_system *s, int64_t *after)
{
    struct arrivals a = {.system = s, .after = after, .run = weir_array(s->set->task_count, sizeof(int64_t))};
    if (!a.run)
        return false;
    for (uint32_t i = 0; i < s->set->task_count; i++) {
        after[i] = s->finish[i];
        a.run[i] = graph_of(s, i)->jitter > 0 ? longest_run(&a, i) : WEIR_PRIORITY_FAR;
    }
    for (int passes = 0; passes < PASSES_MAX && narrow(&a); passes++)
        continue;
    weir_free(a.run);
    return true;
}
