/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ends that are claimed to follow the actual arrival of an input by no more than so much. By induction over time: if every end so
 * far kept to its claim, the next one does, since what enables it ended before. An end that is no earlier than the bound from the
 * nominal arrival needs no more.
 */
#include "check/priority/bounds_arrival.h"

#include "base/number.h"

#define STEPS_MAX 20000000

struct arrivals {
    const struct weir_arrival_claim *claim;
    int64_t steps;
};

static const struct weir_task_graph *graph_of(const struct arrivals *a, uint32_t i)
{
    return &a->claim->set->graphs[a->claim->set->tasks[i].graph];
}

/* How much later an input arrives than the one `count` before it, at least. */
static weir_wide behind(const struct weir_task_graph *graph, weir_wide count)
{
    weir_wide nominal = count * graph->period - graph->jitter;
    return nominal > 0 ? nominal : 0;
}

/* When the iteration can be enabled at the latest, by what the claims say of those that enable it. */
static weir_wide enabled_by(const struct arrivals *a, uint32_t i)
{
    const struct weir_arrival_claim *c = a->claim;
    const struct weir_task_graph *graph = graph_of(a, i);
    weir_wide latest = 0;
    for (size_t e = 0; e < c->set->edge_count; e++) {
        const struct weir_task_edge *edge = &c->set->edges[e];
        if (edge->from == edge->to)
            continue; /* its own iterations are over in their order anyway */
        if (edge->to == i && edge->from != WEIR_FROM_SOURCE) {
            weir_wide message = c->after[edge->from] - behind(graph, edge->initial);
            latest = message > latest ? message : latest;
        }
        if (edge->from == i && edge->blocking && c->room[e] != WEIR_UNBOUNDED) {
            weir_wide place = c->after[edge->to] - behind(graph, c->room[e]);
            latest = place > latest ? place : latest;
        }
    }
    return latest < c->enable_max[i] ? latest : c->enable_max[i];
}

/* Executions of j, each enabled between `first` and `last` after its nominal arrival, that a stretch of this length can see. */
static weir_wide seen_of(const struct arrivals *a, uint32_t j, weir_wide length)
{
    const struct weir_arrival_claim *c = a->claim;
    weir_wide period = graph_of(a, j)->period, span = length + c->enable_max[j] - c->enable_min[j];
    return (span + period - 1) / period;
}

/* The end of `count` executions of i in a row and of all that goes before them, from when no task had anything to do. */
static weir_wide stretch(struct arrivals *a, uint32_t i, weir_wide count, weir_wide from)
{
    const struct weir_taskset *set = a->claim->set;
    const struct weir_task *own = &set->tasks[i];
    for (weir_wide length = from + 1;;) {
        weir_wide work = count * own->worst;
        for (uint32_t j = 0; j < set->task_count; j++) {
            const struct weir_task *other = &set->tasks[j];
            bool before = other->processor == own->processor && other->priority >= own->priority;
            if (j != i && before && own->processor != WEIR_OWN_PROCESSOR)
                work += seen_of(a, j, length) * other->worst;
        }
        a->steps += set->task_count;
        if (work <= length || a->steps > STEPS_MAX || work > WEIR_TIME_MAX)
            return work <= length ? length : WEIR_TIME_MAX;
        length = work;
    }
}

/* Whether every stretch ends in time if it is enabled by `enable`: one of more executions goes on only if the next is enabled by
 * the end. */
static bool stretches_end(struct arrivals *a, uint32_t i, weir_wide enable)
{
    const struct weir_arrival_claim *c = a->claim;
    weir_wide length = 0, spread = c->enable_max[i] - c->enable_min[i];
    for (weir_wide count = 1; count == 1 || (count - 1) * graph_of(a, i)->period <= spread + length; count++) {
        length = stretch(a, i, count, length);
        if (length >= WEIR_TIME_MAX || enable + length - behind(graph_of(a, i), count - 1) > c->after[i])
            return false;
    }
    return true;
}

static bool is_preemptive(const struct arrivals *a, uint32_t i)
{
    uint32_t processor = a->claim->set->tasks[i].processor;
    return processor == WEIR_OWN_PROCESSOR || a->claim->set->processors[processor].sharing == WEIR_PREEMPTIVE;
}

bool weir_arrivals_hold(const struct weir_arrival_claim *claim, uint32_t *wrong)
{
    struct arrivals a = {claim, 0};
    for (uint32_t i = 0; i < claim->set->task_count; i++) {
        if (claim->after[i] >= claim->finish_max[i])
            continue;
        *wrong = i;
        if (claim->after[i] < 0 || !is_preemptive(&a, i) || !stretches_end(&a, i, enabled_by(&a, i)))
            return false;
    }
    return true;
}
