/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Busy times of a level: the tasks of a processor from some priority on. As long as one of them is ready and has not ended, the
 * processor does nothing else. A busy time begins with an event that is no end of a task of the level, and every iteration that
 * runs in it goes back to such an event in it. `entry` bounds that event: paths within the level take tokens, but no time.
 *
 * A region is levels of several processors together. As long as one of its tasks is ready, one of those processors at least works
 * for the region: a busy time holds no more of it than all that the region has to do, one after the other.
 */
#include "check/priority/bounds_window.h"

#define BUSY_STEPS (1u << 16) /* that looking for the longest busy time may take */
#define PHASES 64             /* of other graphs that are looked at one by one; otherwise the worst of a graph in every step */

struct level {
    const struct weir_window_claim *claim;
    uint64_t *work;
    int64_t *entry; /* by task; WEIR_WINDOW_MAX: not of the level */
    struct weir_level_other *others;
    size_t own, count; /* those of the claim's own graph first, then graph by graph */
    size_t *lead;      /* by place in others, for the first of a graph: which task leads it; `count`: the worst of all */
    const struct weir_task *task;
    int64_t period, enter, wait, closed;
    int64_t busy; /* no busy time is longer; WEIR_WINDOW_MAX: not known */
    bool across;  /* a region */
    bool whole;   /* executions are not interrupted; a region does not ask */
    bool sporadic;
};

static int64_t period_of(const struct level *l, uint32_t task)
{
    return l->claim->set->graphs[l->claim->set->tasks[task].graph].period;
}

/* ---- entries ---- */

/* Iteration n of `to` waits for iteration n - tokens of `from`. That is not what it waits for last if it is over by the earliest
 * moment that the messages of empty queues and the inputs allow. */
static bool lead_in(struct level *l, uint32_t from, uint32_t to, uint32_t tokens)
{
    const struct weir_window_claim *c = l->claim;
    weir_wide ago = (weir_wide)tokens * period_of(l, to);
    bool outside = from != to && l->entry[from] == WEIR_WINDOW_MAX;
    if (l->entry[to] == WEIR_WINDOW_MAX || (tokens > 0 && c->finish_max[from] - ago <= c->enable_min[to]))
        return false;
    weir_wide at = (outside ? c->finish_max[from] : l->entry[from]) - ago;
    if (at <= l->entry[to])
        return false;
    l->entry[to] = (int64_t)at;
    return true;
}

static bool find_entries(struct level *l, const uint32_t *room)
{
    const struct weir_taskset *set = l->claim->set;
    for (bool moved = true; moved;) {
        moved = false;
        if (*l->work <= set->edge_count)
            return false;
        *l->work -= set->edge_count + 1;
        for (size_t k = 0; k < set->edge_count; k++) {
            const struct weir_task_edge *e = &set->edges[k];
            if (e->from == WEIR_FROM_SOURCE) {
                int64_t jitter = set->graphs[set->tasks[e->to].graph].jitter;
                if (l->entry[e->to] < jitter) {
                    l->entry[e->to] = jitter;
                    moved = true;
                }
                continue;
            }
            moved |= lead_in(l, e->from, e->to, e->initial);
            if (e->blocking && room[k] != WEIR_UNBOUNDED)
                moved |= lead_in(l, e->to, e->from, room[k]);
        }
    }
    return true;
}

/* ---- the level ---- */

/* The tasks of the processor of `task` from that priority on. False where slots are fixed: there it may idle while they wait. */
static bool include(struct level *l, uint32_t task, int64_t priority)
{
    const struct weir_taskset *set = l->claim->set;
    uint32_t processor = set->tasks[task].processor;
    l->entry[task] = -WEIR_WINDOW_MAX;
    if (processor == WEIR_OWN_PROCESSOR)
        return true;
    enum weir_sharing sharing = set->processors[processor].sharing;
    bool all = sharing == WEIR_ROUND_ROBIN || (l->across && sharing != WEIR_PREEMPTIVE);
    for (uint32_t j = 0; j < set->task_count; j++)
        if (set->tasks[j].processor == processor && (all || set->tasks[j].priority >= priority))
            l->entry[j] = -WEIR_WINDOW_MAX;
    return sharing != WEIR_TDM;
}

static bool find_inside(struct level *l, const struct weir_region *region, int64_t priority)
{
    const struct weir_taskset *set = l->claim->set;
    bool sane = include(l, l->claim->task, priority) && (!region || region->count <= WEIR_REGION_MAX);
    for (uint32_t k = 0; sane && region && k < region->count; k++)
        sane = region->task[k] < set->task_count && include(l, region->task[k], set->tasks[region->task[k]].priority);
    return sane;
}

static void add(struct level *l, uint32_t j)
{
    const struct weir_window_claim *c = l->claim;
    int64_t enable = c->enable_max[j];
    l->others[l->count++] = (struct weir_level_other){.task = j,
                                                      .graph = c->set->tasks[j].graph,
                                                      .entry = l->entry[j] < enable ? l->entry[j] : enable,
                                                      .ready = c->enable_min[j],
                                                      .worst = c->set->tasks[j].worst,
                                                      .period = period_of(l, j),
                                                      .tokens = c->distance[j]};
}

static void find_others(struct level *l)
{
    const struct weir_window_claim *c = l->claim;
    for (size_t k = 0; k < c->sharer_count && l->whole; k++)
        if (l->entry[c->sharers[k]] == WEIR_WINDOW_MAX && c->set->tasks[c->sharers[k]].worst > l->wait)
            l->wait = c->set->tasks[c->sharers[k]].worst;
    for (uint32_t j = 0; j < c->set->task_count; j++)
        if (l->entry[j] != WEIR_WINDOW_MAX && j != c->task && c->set->tasks[j].graph == l->task->graph)
            add(l, j);
    l->own = l->count;
    for (uint32_t j = 0; j < c->set->task_count; j++) {
        if (l->entry[j] == WEIR_WINDOW_MAX || c->set->tasks[j].graph == l->task->graph)
            continue;
        add(l, j);
        struct weir_level_other added = l->others[l->count - 1];
        size_t at = l->count - 1;
        for (; at > l->own && l->others[at - 1].graph > added.graph; at--)
            l->others[at] = l->others[at - 1];
        l->others[at] = added;
    }
}

/* ---- how long it is busy ---- */

static bool spend(const struct level *l, uint64_t cost)
{
    if (*l->work <= cost)
        return false;
    *l->work -= cost;
    return true;
}

/* Whether the tasks of the level surely ask for less than there is. */
static bool is_slack(const struct level *l)
{
    weir_wide whole = (weir_wide)1 << 60, load = whole * l->task->worst / l->period;
    for (size_t k = 0; k < l->count; k++)
        load += whole * l->others[k].worst / l->others[k].period;
    return load + (weir_wide)l->count + 1 < whole;
}

/* All that is ready by the end of that time, at the very end included, is over by then. */
static void find_busy(struct level *l)
{
    const struct weir_window_claim *c = l->claim;
    weir_wide w = 0;
    uint32_t steps = is_slack(l) ? BUSY_STEPS : 0;
    l->busy = WEIR_WINDOW_MAX;
    while (w < WEIR_TIME_MAX && steps-- > 0 && spend(l, l->count + 1)) {
        weir_wide times = (l->enter - c->enable_min[c->task] + w) / l->period + 1, sum = l->wait;
        if (l->enter - c->enable_min[c->task] + w >= 0)
            sum += times * l->task->worst;
        for (size_t k = 0; k < l->count; k++) {
            const struct weir_level_other *j = &l->others[k];
            if (j->entry - j->ready + w >= 0)
                sum += ((j->entry - j->ready + w) / j->period + 1) * j->worst;
        }
        if (sum <= w) {
            l->busy = (int64_t)(w > 0 ? w : 1);
            return;
        }
        w = sum;
    }
}

/* From which z on there is nothing new: no busy time is longer. And where z grows by a common multiple of all periods, the window
 * grows by no more, if the tasks of the level ask for no more than there is. */
static int64_t furthest(const struct level *l)
{
    weir_wide common = l->period;
    for (size_t k = 0; k < l->count && common < WEIR_WINDOW_MAX; k++)
        common = common / weir_wide_divisor(common, l->others[k].period) * l->others[k].period;
    if (common >= l->busy)
        return l->busy;
    weir_wide work = common / l->period * l->task->worst;
    for (size_t k = 0; k < l->count; k++)
        work += common / l->others[k].period * l->others[k].worst;
    return work <= common ? (int64_t)common : l->busy;
}

/* ---- windows ---- */

static weir_wide own_work(const struct level *l, int64_t z, int64_t w)
{
    weir_wide sum = 0;
    int64_t begin = l->enter - z;
    for (size_t k = 0; k < l->own; k++) {
        const struct weir_level_other *j = &l->others[k];
        int64_t first = weir_ceil_divide(begin - j->entry, l->period);
        int64_t end = weir_ceil_divide(begin + w + l->closed - j->ready, l->period);
        if (l->sporadic) {
            first = first < 1 ? first : 1;
            end = end > 0 ? end : 0;
        }
        end = end < j->tokens ? end : j->tokens;
        int64_t most = weir_ceil_divide(j->entry - j->ready + w + l->closed, l->period);
        int64_t times = end - first < most ? end - first : most;
        sum += times > 0 ? (weir_wide)times * j->worst : 0;
    }
    return sum;
}

/* others[first] .. others[end], with the entry of `lead` at the beginning. */
static weir_wide led_work(const struct level *l, size_t first, size_t end, size_t lead, int64_t w)
{
    weir_wide sum = 0;
    for (size_t k = first; k < end; k++) {
        const struct weir_level_other *j = &l->others[k];
        int64_t at = l->others[lead].entry;
        int64_t times = weir_ceil_divide(at + w + l->closed - j->ready, j->period) - weir_ceil_divide(at - j->entry, j->period);
        sum += times > 0 ? (weir_wide)times * j->worst : 0;
    }
    return sum;
}

/* Tasks of one periodic graph have one phase; every task of a sporadic one has its own. */
static size_t group_end(const struct level *l, size_t first)
{
    size_t end = first + 1;
    if (l->claim->set->graphs[l->others[first].graph].sporadic)
        return end;
    while (end < l->count && l->others[end].graph == l->others[first].graph)
        end++;
    return end;
}

static weir_wide others_work(const struct level *l, int64_t w)
{
    weir_wide sum = 0;
    for (size_t first = l->own, end; first < l->count; first = end) {
        weir_wide most = 0;
        end = group_end(l, first);
        if (l->lead[first] < l->count)
            most = led_work(l, first, end, l->lead[first], w);
        for (size_t lead = first; lead < end && l->lead[first] == l->count; lead++) {
            weir_wide one = led_work(l, first, end, lead, w);
            most = one > most ? one : most;
        }
        sum += most;
    }
    return sum;
}

/* Whether the window that begins z before the entry, with the leaders that are set, ends by the claim. */
static bool window_holds(const struct level *l, int64_t z)
{
    weir_wide limit = (weir_wide)l->claim->finish - l->enter + z, w = 0;
    weir_wide fixed = l->wait + (weir_wide)(z / l->period + 1) * l->task->worst - (l->whole ? l->task->worst : 0);
    int64_t tail = l->whole ? l->task->worst : 0;
    if (l->busy <= limit)
        return true;
    while (w + tail <= limit && w < WEIR_WINDOW_MAX) {
        if (!spend(l, 1 + l->own + (l->count - l->own) * (l->count - l->own)))
            return false;
        weir_wide need = fixed + own_work(l, z, (int64_t)w) + others_work(l, (int64_t)w);
        if (need <= w)
            return true;
        w = need;
    }
    return false;
}

/* ---- phases ---- */

/* Whether someone before it in its graph has the same phase. */
static bool is_again(const struct level *l, size_t first, size_t lead)
{
    for (size_t k = first; k < lead; k++)
        if ((l->others[k].entry - l->others[lead].entry) % l->others[lead].period == 0)
            return true;
    return false;
}

static void choose_leaders(struct level *l, size_t most)
{
    size_t all = 1;
    for (size_t first = l->own, end; first < l->count; first = end) {
        size_t leaders = 0;
        end = group_end(l, first);
        for (size_t k = first; k < end; k++)
            leaders += !is_again(l, first, k);
        bool each = all * leaders <= most;
        l->lead[first] = each ? first : l->count;
        all *= each ? leaders : 1;
    }
}

static bool next_leaders(struct level *l)
{
    for (size_t first = l->own, end; first < l->count; first = end) {
        end = group_end(l, first);
        if (l->lead[first] == l->count)
            continue;
        size_t lead = l->lead[first] + 1;
        while (lead < end && is_again(l, first, lead))
            lead++;
        l->lead[first] = lead < end ? lead : first;
        if (lead < end)
            return true;
    }
    return false;
}

static bool phases_hold(struct level *l, int64_t z)
{
    choose_leaders(l, 0);
    if (window_holds(l, z))
        return true;
    choose_leaders(l, PHASES);
    do
        if (!window_holds(l, z))
            return false;
    while (next_leaders(l));
    return true;
}

/* ---- all of it ---- */

static bool instants_hold(struct level *l)
{
    int64_t end = furthest(l);
    if (end >= WEIR_WINDOW_MAX)
        return false;
    for (size_t k = 0; k <= l->own; k++) { /* the last: the task itself */
        int64_t z = k < l->own ? (l->enter - l->others[k].entry) % l->period : 0;
        for (z += z < 0 ? l->period : 0; z < end; z += l->period)
            if (l->busy - z > l->claim->finish - l->enter && !phases_hold(l, z))
                return false;
    }
    return true;
}

bool weir_window_level_holds(const struct weir_window_claim *c, struct weir_demand *d, const struct weir_level_room *room,
                             int64_t priority)
{
    uint32_t processor = c->set->tasks[c->task].processor;
    enum weir_sharing sharing = processor == WEIR_OWN_PROCESSOR ? WEIR_PREEMPTIVE : c->set->processors[processor].sharing;
    struct level l = {.claim = c, .work = &d->work, .entry = room->entry, .others = room->others, .lead = room->lead};
    l.task = &c->set->tasks[c->task];
    l.period = period_of(&l, c->task);
    l.across = room->region != NULL;
    l.whole = sharing == WEIR_NONPREEMPTIVE && !l.across;
    l.closed = l.whole;
    l.sporadic = c->set->graphs[l.task->graph].sporadic;
    if (sharing == WEIR_TDM && !l.across)
        return weir_window_frames_hold(c, room->room);
    if (l.task->priority < priority)
        return false;
    for (uint32_t i = 0; i < c->set->task_count; i++)
        l.entry[i] = WEIR_WINDOW_MAX;
    if (!find_inside(&l, room->region, priority) || !find_entries(&l, room->room))
        return false;
    find_others(&l);
    l.enter = l.entry[c->task] < c->enable_max[c->task] ? l.entry[c->task] : c->enable_max[c->task];
    find_busy(&l);
    return c->finish - l.enter >= l.task->worst && instants_hold(&l);
}
