/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/priority/system.h"
#include "engine/priority/level.h"

#include "base/error.h"

#include <string.h>

#define RIVALS_MAX (UINT64_C(1) << 24)

static void *take(struct weir_priority_system *s, size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes))
        return NULL;
    void *block = weir_arena_take(&s->arena, bytes ? bytes : 1);
    if (block)
        memset(block, 0, bytes);
    return block;
}

/* No sum of what the analysis adds up may overflow: windows stay below the limit and a few periods, paths through all tasks below
 * as many of those, executions of all rivals together below the window and one execution more of each. */
static bool fits(const struct weir_priority_system *s)
{
    const struct weir_taskset *set = s->set;
    weir_wide most = s->latency_limit;
    for (uint32_t g = 0; g < set->graph_count; g++) {
        weir_wide one = (weir_wide)s->latency_limit + 4 * (weir_wide)set->graphs[g].period + 4 * (weir_wide)set->graphs[g].jitter;
        most = one > most ? one : most;
    }
    return most * ((weir_wide)set->task_count + 8) < WEIR_TIME_MAX / 16;
}

static bool take_all(struct weir_priority_system *s, size_t rivals)
{
    size_t n = s->set->task_count, e = s->set->edge_count;
    return (s->period = take(s, n, sizeof *s->period)) && (s->enable_min = take(s, n, sizeof *s->enable_min)) &&
           (s->sharing = take(s, n, sizeof *s->sharing)) && (s->first = take(s, n + 1, sizeof *s->first)) &&
           (s->lower = take(s, n, sizeof *s->lower)) && (s->repeat = take(s, n, sizeof *s->repeat)) &&
           (s->rivals = take(s, rivals, sizeof *s->rivals)) && (s->touching = take(s, 2 * e, sizeof *s->touching)) &&
           (s->touching_first = take(s, n + 2, sizeof *s->touching_first)) && (s->fixed = take(s, e, sizeof *s->fixed)) &&
           (s->sorted = take(s, e, sizeof *s->sorted)) && (s->room = take(s, e, sizeof *s->room)) &&
           (s->weight = take(s, e, sizeof *s->weight)) && (s->enable = take(s, n, sizeof *s->enable)) &&
           (s->finish = take(s, n, sizeof *s->finish)) && (s->changed = take(s, n, sizeof *s->changed)) &&
           (s->seen = take(s, n, sizeof *s->seen)) && (s->reason.cycle = take(s, n + 1, sizeof *s->reason.cycle)) &&
           (s->terms = take(s, n, sizeof *s->terms)) && (s->clips = take(s, 3 * n, sizeof *s->clips)) &&
           (s->ups = take(s, n, sizeof *s->ups)) && (s->offsets = take(s, n + 1, sizeof *s->offsets)) &&
           (s->reached = take(s, n + 1, sizeof *s->reached)) && (s->distance = take(s, n, sizeof *s->distance)) &&
           (s->queue = take(s, n, sizeof *s->queue)) && (s->next_enable = take(s, n, sizeof *s->next_enable)) &&
           (s->next_finish = take(s, n, sizeof *s->next_finish)) && (s->latest = take(s, n, sizeof *s->latest)) &&
           (s->earliest = take(s, n, sizeof *s->earliest)) && (s->ready_late = take(s, n, sizeof *s->ready_late)) &&
           (s->parent = take(s, n, sizeof *s->parent)) && (s->queued = take(s, n, sizeof *s->queued)) &&
           (s->fed = take(s, n, sizeof *s->fed)) && (s->entry = take(s, n, sizeof *s->entry)) &&
           (s->inside = take(s, n, sizeof *s->inside)) && (s->entry_by = take(s, n, sizeof *s->entry_by)) &&
           (s->entered = take(s, n, sizeof *s->entered)) && (s->level = take(s, n, sizeof *s->level)) &&
           (s->region = take(s, n, sizeof *s->region)) && (s->ranked = take(s, n, sizeof *s->ranked)) &&
           (s->level_members = take(s, n, sizeof *s->level_members)) && (s->level_groups = take(s, n, sizeof *s->level_groups));
}

/* ---- rivals ---- */

/* Tasks by processor, within it by task graph; those alone come last. members has room for all, first for one more than there are
 * processors. */
static void sort_members(const struct weir_taskset *set, uint32_t *by_graph, uint32_t *members, uint32_t *first)
{
    uint32_t n = set->task_count, at = 0;
    memset(first, 0, (set->processor_count + 2) * sizeof *first);
    for (uint32_t i = 0; i < n; i++)
        if (set->tasks[i].processor != WEIR_OWN_PROCESSOR)
            first[set->tasks[i].processor + 2]++;
    for (uint32_t p = 2; p < set->processor_count + 2; p++)
        first[p] += first[p - 1];
    uint32_t *count = members; /* not the members yet: tasks per graph */
    memset(count, 0, n * sizeof *count);
    for (uint32_t i = 0; i < n; i++)
        count[set->tasks[i].graph]++;
    for (uint32_t g = 0; g < set->graph_count; g++) {
        uint32_t here = count[g];
        count[g] = at;
        at += here;
    }
    for (uint32_t i = 0; i < n; i++)
        by_graph[count[set->tasks[i].graph]++] = i;
    for (uint32_t k = 0; k < n; k++) {
        uint32_t i = by_graph[k];
        if (set->tasks[i].processor != WEIR_OWN_PROCESSOR)
            members[first[set->tasks[i].processor + 1]++] = i;
    }
}

enum standing { APART, ABOVE, BELOW };

static enum standing standing_of(const struct weir_taskset *set, uint32_t i, uint32_t j)
{
    switch (set->processors[set->tasks[i].processor].sharing) {
    case WEIR_TDM:
        return APART;
    case WEIR_ROUND_ROBIN:
        return ABOVE;
    case WEIR_NONPREEMPTIVE:
    case WEIR_PREEMPTIVE:
    default:
        return set->tasks[j].priority >= set->tasks[i].priority ? ABOVE : BELOW;
    }
}

/* Those of the same graph first, then graph by graph. */
static void add_rivals(struct weir_priority_system *s, uint32_t i, enum standing standing, const uint32_t *members, uint32_t count)
{
    const struct weir_task *tasks = s->set->tasks;
    for (int same = 1; same >= 0; same--)
        for (uint32_t k = 0; k < count; k++) {
            uint32_t j = members[k];
            if (j != i && (tasks[j].graph == tasks[i].graph) == same && standing_of(s->set, i, j) == standing)
                s->rivals[s->first[i + 1]++] =
                    (struct weir_rival){.task = j, .same = same, .distance = WEIR_PRIORITY_FAR, .back = WEIR_PRIORITY_FAR};
        }
}

static void find_rivals(struct weir_priority_system *s, const uint32_t *members, const uint32_t *first)
{
    const struct weir_taskset *set = s->set;
    for (uint32_t i = 0; i < set->task_count; i++) {
        uint32_t p = set->tasks[i].processor;
        s->first[i + 1] = s->first[i];
        s->sharing[i] = p == WEIR_OWN_PROCESSOR ? WEIR_PREEMPTIVE : set->processors[p].sharing;
        if (p != WEIR_OWN_PROCESSOR)
            add_rivals(s, i, ABOVE, members + first[p], first[p + 1] - first[p]);
        s->lower[i] = s->first[i + 1];
        if (p != WEIR_OWN_PROCESSOR)
            add_rivals(s, i, BELOW, members + first[p], first[p + 1] - first[p]);
    }
}

/* How many periods of i until all its rivals' periods have come round together. */
static void find_repeat(struct weir_priority_system *s, uint32_t i)
{
    int64_t repeat = 1;
    for (uint32_t r = s->first[i]; r < s->lower[i] && repeat < WEIR_PRIORITY_FAR; r++) {
        int64_t other = s->period[s->rivals[r].task];
        weir_wide cycle = (weir_wide)repeat * s->period[i];
        if (cycle >= WEIR_TIME_MAX) {
            repeat = WEIR_PRIORITY_FAR;
            break;
        }
        weir_wide longer = (weir_wide)repeat * (other / weir_greatest_divisor((int64_t)cycle, other));
        repeat = longer < WEIR_PRIORITY_FAR ? (int64_t)longer : WEIR_PRIORITY_FAR;
    }
    s->repeat[i] = repeat;
}

/* ---- queues ---- */

static void find_touching(struct weir_priority_system *s)
{
    const struct weir_taskset *set = s->set;
    for (int pass = 0; pass < 2; pass++) {
        for (size_t e = 0; e < set->edge_count; e++) {
            const struct weir_task_edge *edge = &set->edges[e];
            if (edge->from == WEIR_FROM_SOURCE || edge->from == edge->to)
                continue;
            uint32_t ends[2] = {edge->from, edge->to};
            for (int k = 0; k < 2; k++)
                if (pass)
                    s->touching[s->touching_first[ends[k] + 1]++] = (uint32_t)e;
                else
                    s->touching_first[ends[k] + 2]++;
        }
        for (uint32_t i = 2; !pass && i < set->task_count + 2; i++)
            s->touching_first[i] += s->touching_first[i - 1];
    }
}

static bool begins_empty(const struct weir_task_edge *edge)
{
    return edge->from != WEIR_FROM_SOURCE && edge->initial == 0 && edge->from != edge->to;
}

/* Ranks tasks along queues that begin empty; sealing refused cycles of those. s->parent gets the ranks, s->queue is the list. */
static void find_ranks(struct weir_priority_system *s)
{
    const struct weir_taskset *set = s->set;
    uint32_t *waits = s->reason.cycle, count = 0; /* not a cycle yet */
    memset(waits, 0, set->task_count * sizeof *waits);
    for (size_t e = 0; e < set->edge_count; e++)
        waits[set->edges[e].to] += begins_empty(&set->edges[e]);
    for (uint32_t i = 0; i < set->task_count; i++)
        if (waits[i] == 0)
            s->queue[count++] = i;
    for (uint32_t k = 0; k < count; k++) {
        uint32_t i = s->queue[k];
        s->parent[i] = k;
        for (uint32_t r = s->touching_first[i]; r < s->touching_first[i + 1]; r++) {
            const struct weir_task_edge *edge = &set->edges[s->touching[r]];
            if (edge->from == i && begins_empty(edge) && --waits[edge->to] == 0)
                s->queue[count++] = edge->to;
        }
    }
}

static void sort_edges(struct weir_priority_system *s, uint32_t *at)
{
    const struct weir_taskset *set = s->set;
    memset(at, 0, ((size_t)set->task_count + 2) * sizeof *at);
    find_ranks(s);
    for (int pass = 0; pass < 2; pass++) {
        for (size_t e = 0; e < set->edge_count; e++) {
            uint32_t from = set->edges[e].from, key = from == WEIR_FROM_SOURCE ? 0 : s->parent[from] + 1;
            if (pass)
                s->sorted[at[key]++] = (uint32_t)e;
            else
                at[key + 1]++;
        }
        for (uint32_t k = 1; !pass && k < set->task_count + 2; k++)
            at[k] += at[k - 1];
    }
}

/* Earliest enabling: the longest path of best times over queues that begin empty. */
static void find_enable_min(struct weir_priority_system *s)
{
    const struct weir_taskset *set = s->set;
    for (size_t k = 0; k < set->edge_count; k++) {
        const struct weir_task_edge *edge = &set->edges[s->sorted[k]];
        if (!begins_empty(edge))
            continue;
        int64_t at = s->enable_min[edge->from] + set->tasks[edge->from].best;
        s->enable_min[edge->to] = at > s->enable_min[edge->to] ? at : s->enable_min[edge->to];
    }
}

static void find_ready_late(struct weir_priority_system *s)
{
    const struct weir_taskset *set = s->set;
    for (size_t e = 0; e < set->edge_count; e++) {
        const struct weir_task_edge *edge = &set->edges[e];
        if (edge->from == WEIR_FROM_SOURCE) {
            s->fed[edge->to] = 1;
            continue;
        }
        if (set->tasks[edge->from].best == 0)
            s->ready_late[edge->to] = 1;
        if (edge->blocking && edge->room != WEIR_UNBOUNDED && set->tasks[edge->to].best == 0)
            s->ready_late[edge->from] = 1;
    }
}

void weir_priority_rooms_reset(struct weir_priority_system *s)
{
    for (size_t e = 0; e < s->set->edge_count; e++)
        s->fixed[e] = s->room[e] = s->set->edges[e].room;
}

enum weir_status weir_priority_system_open(struct weir_priority_system *s, const struct weir_taskset *set, struct weir_error *error)
{
    uint32_t n = set->task_count;
    s->set = set;
    if (!fits(s))
        return weir_fail(error, WEIR_OVERFLOW,
                         "times or the latency limit are too large for the analysis of shared processors; a coarser unit may help");
    uint32_t *by_graph = take(s, (size_t)n + 2, sizeof *by_graph);
    uint32_t *members = s->sharers = take(s, n, sizeof *members);
    uint32_t *first = s->sharers_first = take(s, set->processor_count + 2, sizeof *first);
    if (!by_graph || !members || !first)
        return weir_fail_memory(error);
    sort_members(set, by_graph, members, first);
    uint64_t rivals = 0;
    for (uint32_t p = 0; p < set->processor_count; p++)
        rivals += (uint64_t)(first[p + 1] - first[p]) * (first[p + 1] - first[p]);
    if (rivals > RIVALS_MAX)
        return weir_fail(error, WEIR_OVERFLOW, "too many operators share a processor");
    if (!take_all(s, (size_t)rivals))
        return weir_fail_memory(error);
    for (uint32_t i = 0; i < n; i++)
        s->period[i] = set->graphs[set->tasks[i].graph].period;
    find_rivals(s, members, first);
    for (uint32_t i = 0; i < n; i++)
        find_repeat(s, i);
    find_touching(s);
    sort_edges(s, by_graph);
    find_enable_min(s);
    find_ready_late(s);
    weir_priority_rooms_reset(s);
    return WEIR_OK;
}

void weir_priority_system_close(struct weir_priority_system *s)
{
    weir_arena_free(&s->arena);
}

/* ---- the load of processors ---- */

/*
 * A processor that is asked for more than it has falls behind for ever. The sum of worst / period over its tasks is compared with 1
 * exactly, over the common multiple of the periods; where that does not fit, it is known to 2^-60, and what lies nearer to 1 is not
 * decided.
 */
#define ONE (INT64_C(1) << 60)

struct sum {
    weir_wide below, above; /* in units of 2^-60 */
    weir_wide parts, whole; /* the sum is parts / whole; whole 0: it did not fit */
};

static void add(struct sum *sum, int64_t time, int64_t period)
{
    weir_wide scaled = (weir_wide)time * ONE;
    sum->below += scaled / period;
    sum->above += scaled / period + (scaled % period > 0);
    if (!sum->whole)
        return;
    weir_wide more = period / weir_wide_divisor(sum->whole, period);
    if (sum->whole > ((weir_wide)1 << 100) / more || sum->parts > ((weir_wide)1 << 100) / more) {
        sum->whole = 0;
        return;
    }
    sum->whole *= more;
    sum->parts = sum->parts * more + sum->whole / period * time;
}

/* Negative: below 1, positive: above; *known: whether it is. */
static int compare(const struct sum *sum, bool *known)
{
    *known = true;
    if (sum->above <= ONE)
        return -1;
    if (sum->below > ONE)
        return 1;
    if (sum->whole)
        return sum->parts > sum->whole ? 1 : -1;
    *known = false;
    return 0;
}

static bool overloads(const struct weir_taskset *set, uint32_t i)
{
    const struct weir_task *task = &set->tasks[i];
    int64_t period = set->graphs[task->graph].period;
    if (task->worst > period)
        return true;
    if (task->processor == WEIR_OWN_PROCESSOR || set->processors[task->processor].sharing != WEIR_TDM)
        return false;
    return (weir_wide)task->worst * set->processors[task->processor].frame > (weir_wide)task->slot * period;
}

enum weir_priority_outcome weir_load_check(struct weir_priority_system *s)
{
    const struct weir_taskset *set = s->set;
    for (uint32_t i = 0; i < set->task_count; i++)
        if (overloads(set, i)) {
            s->reason.fault = WEIR_PRIORITY_FAULT_SLOW;
            s->reason.task = i;
            return s->reason.outcome = WEIR_PRIORITY_UNBOUNDED;
        }
    for (uint32_t i = 0; i < set->task_count; i++) {
        uint32_t p = set->tasks[i].processor;
        struct sum sum = {.whole = 1};
        bool known, mine = true;
        if (p == WEIR_OWN_PROCESSOR || set->processors[p].sharing == WEIR_TDM)
            continue;
        /* The first task of a processor speaks for it. */
        for (uint32_t j = 0; j < set->task_count && mine; j++)
            if (set->tasks[j].processor == p) {
                mine = j >= i;
                add(&sum, set->tasks[j].worst, s->period[j]);
            }
        if (!mine)
            continue;
        int order = compare(&sum, &known);
        if (known && order < 0)
            continue;
        s->reason.fault = WEIR_PRIORITY_FAULT_LOAD;
        s->reason.task = i;
        s->reason.need = (int64_t)(sum.below / (ONE / 1000));
        return s->reason.outcome = known ? WEIR_PRIORITY_UNBOUNDED : WEIR_PRIORITY_LIMIT;
    }
    return WEIR_PRIORITY_CONVERGED;
}
