/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/priority/level.h"

#define PHASES_MAX 64 /* of several graphs together; beyond that, the worst of a graph in every step */

/* ---- the members ---- */

static void add_member(struct weir_level *l, uint32_t j, int64_t distance)
{
    struct weir_priority_system *s = l->s;
    s->level_members[l->count++] = (struct weir_member){.entry = s->entry[j],
                                                        .early = s->enable_min[j],
                                                        .cost = s->set->tasks[j].worst,
                                                        .period = s->period[j],
                                                        .distance = distance,
                                                        .task = j};
}

/* Other graphs, one after the other; tasks of a sporadic one have no common phase. */
static void find_groups(struct weir_level *l)
{
    const struct weir_priority_system *s = l->s;
    const struct weir_task *tasks = s->set->tasks;
    l->groups = 0;
    for (size_t k = l->own, end; k < l->count; k = end) {
        uint32_t graph = tasks[s->level_members[k].task].graph;
        for (end = k + 1; end < l->count && !s->set->graphs[graph].sporadic; end++)
            if (tasks[s->level_members[end].task].graph != graph)
                break;
        s->level_groups[l->groups++] = (struct weir_group){k, end, k};
    }
}

/* Of a region: wherever they run. */
static void find_members_across(struct weir_level *l)
{
    struct weir_priority_system *s = l->s;
    uint32_t own = s->set->tasks[l->task].graph;
    for (uint32_t k = 0; k < s->entered_count; k++)
        if (s->set->tasks[s->entered[k]].graph == own && s->entered[k] != l->task)
            add_member(l, s->entered[k], s->distance[s->entered[k]]);
    l->own = l->count;
    for (uint32_t g = 0; g < s->set->graph_count; g++)
        for (uint32_t k = 0; g != own && k < s->entered_count; k++)
            if (s->set->tasks[s->entered[k]].graph == g)
                add_member(l, s->entered[k], 0);
    find_groups(l);
}

static void find_members(struct weir_level *l)
{
    struct weir_priority_system *s = l->s;
    if (l->region) {
        find_members_across(l);
        return;
    }
    uint32_t p = s->set->tasks[l->task].processor;
    for (uint32_t r = s->first[l->task]; r < s->first[l->task + 1]; r++)
        if (s->rivals[r].same && s->inside[s->rivals[r].task])
            add_member(l, s->rivals[r].task, s->rivals[r].distance);
    l->own = l->count;
    for (uint32_t n = 0; p != WEIR_OWN_PROCESSOR && n < s->sharers_first[p + 1] - s->sharers_first[p]; n++) {
        uint32_t j = s->sharers[s->sharers_first[p] + n];
        if (s->set->tasks[j].graph != s->set->tasks[l->task].graph && s->inside[j])
            add_member(l, j, 0);
    }
    find_groups(l);
}

static int64_t blocking(const struct weir_level *l)
{
    const struct weir_priority_system *s = l->s;
    uint32_t p = s->set->tasks[l->task].processor;
    int64_t longest = 0;
    for (uint32_t k = s->sharers_first[p]; k < s->sharers_first[p + 1]; k++) {
        int64_t time = s->set->tasks[s->sharers[k]].worst;
        longest = !s->inside[s->sharers[k]] && time > longest ? time : longest;
    }
    return longest;
}

/* ---- the longest busy time ---- */

/* All that is enabled up to its very end is over then. */
static bool find_longest(struct weir_level *l)
{
    struct weir_priority_system *s = l->s;
    int64_t early = s->enable_min[l->task], w = l->before + l->cost, most = 4 * (s->latency_limit + l->period);
    l->longest = WEIR_PRIORITY_FAR;
    while (w <= most) {
        int64_t own = weir_ceil_divide(l->entry - early + w + 1, l->period);
        int64_t need = l->before + (own > 0 ? own * l->cost : 0);
        for (size_t k = 0; k < l->count; k++) {
            const struct weir_member *j = &s->level_members[k];
            int64_t times = weir_ceil_divide(j->entry - j->early + w + 1, j->period);
            need += times > 0 ? times * j->cost : 0;
        }
        s->work += l->count;
        if (weir_priority_spent(s))
            return false;
        if (need <= w) {
            l->longest = w;
            break;
        }
        w = need;
    }
    return true;
}

static void find_horizon(struct weir_level *l)
{
    struct weir_priority_system *s = l->s;
    weir_wide cycle = l->period;
    for (size_t k = 0; k < l->count && cycle < WEIR_TIME_MAX; k++) {
        int64_t other = s->level_members[k].period;
        cycle *= other / weir_greatest_divisor((int64_t)cycle, other);
    }
    l->horizon = cycle < WEIR_TIME_MAX ? (int64_t)cycle : WEIR_PRIORITY_FAR;
    l->horizon = l->longest < l->horizon ? l->longest : l->horizon;
}

/* ---- what a window holds ---- */

/* The members of the own graph, for a window that begins z before the entry. */
static void move_to(struct weir_level *l, int64_t z)
{
    for (size_t k = 0; k < l->own; k++) {
        struct weir_member *j = &l->s->level_members[k];
        j->from = weir_ceil_divide(l->entry - z - j->entry, l->period);
        j->from = l->sporadic && j->from > 1 ? 1 : j->from;
    }
}

static int64_t times_own(const struct weir_level *l, const struct weir_member *j, int64_t z, int64_t w)
{
    int64_t to = weir_ceil_divide(l->entry - z + w + l->late - j->early, l->period);
    to = l->sporadic && to < 0 ? 0 : to;
    int64_t times = (to < j->distance ? to : j->distance) - j->from;
    if (l->sporadic && times > 0) {
        int64_t most = weir_ceil_divide(j->entry - j->early + w + l->late, l->period);
        times = times < most ? times : most;
    }
    return times > 0 ? times : 0;
}

static int64_t times_led(const struct weir_level *l, const struct weir_member *j, int64_t lead, int64_t w)
{
    int64_t times = weir_ceil_divide(w + l->late + lead - j->early, j->period) - weir_ceil_divide(lead - j->entry, j->period);
    return times > 0 ? times : 0;
}

static int64_t demand_led(const struct weir_level *l, const struct weir_group *group, size_t leader, int64_t w)
{
    int64_t sum = 0;
    for (size_t k = group->first; k < group->end; k++) {
        const struct weir_member *j = &l->s->level_members[k];
        sum += times_led(l, j, l->s->level_members[leader].entry, w) * j->cost;
    }
    l->s->work += group->end - group->first;
    return sum;
}

/* By its leader, or by the worst for this window if it has none. */
static int64_t demand_group(const struct weir_level *l, const struct weir_group *group, int64_t w)
{
    int64_t most = 0;
    if (group->leader < group->end)
        return demand_led(l, group, group->leader, w);
    for (size_t leader = group->first; leader < group->end; leader++) {
        int64_t one = demand_led(l, group, leader, w);
        most = one > most ? one : most;
    }
    return most;
}

static int64_t demand(const struct weir_level *l, int64_t z, int64_t w)
{
    struct weir_priority_system *s = l->s;
    int64_t sum = l->before - l->tail + (z / l->period + 1) * l->cost;
    for (size_t k = 0; k < l->own; k++)
        sum += times_own(l, &s->level_members[k], z, w) * s->level_members[k].cost;
    for (size_t g = 0; g < l->groups; g++)
        sum += demand_group(l, &s->level_groups[g], w);
    s->work += l->own;
    return sum;
}

/* The least window, execution included, or one above `most`; not above the longest busy time either. */
static bool close_window(const struct weir_level *l, int64_t z, int64_t most, int64_t *window)
{
    int64_t w = 0;
    l->s->windows++;
    for (; w + l->tail <= most && w + l->tail < l->longest;) {
        int64_t need = demand(l, z, w);
        if (need <= w)
            break;
        w = need;
        if (weir_priority_spent(l->s))
            return false;
    }
    *window = w + l->tail < l->longest ? w + l->tail : l->longest;
    return true;
}

/* ---- phases of other graphs ---- */

static bool is_repeated(const struct weir_level *l, const struct weir_group *group, size_t leader)
{
    const struct weir_member *members = l->s->level_members;
    for (size_t k = group->first; k < leader; k++)
        if ((members[k].entry - members[leader].entry) % members[k].period == 0)
            return true;
    return false;
}

/* Leaders at the beginning: the first of each graph, as long as not too many come together. */
static size_t begin_phases(struct weir_level *l)
{
    size_t phases = 1;
    for (size_t g = 0; g < l->groups; g++) {
        struct weir_group *group = &l->s->level_groups[g];
        size_t leaders = 0;
        for (size_t k = group->first; k < group->end; k++)
            leaders += !is_repeated(l, group, k);
        group->leader = phases * leaders <= PHASES_MAX ? group->first : group->end;
        phases *= phases * leaders <= PHASES_MAX ? leaders : 1;
    }
    return phases;
}

static bool next_phase(struct weir_level *l)
{
    for (size_t g = 0; g < l->groups; g++) {
        struct weir_group *group = &l->s->level_groups[g];
        if (group->leader == group->end)
            continue;
        do
            group->leader++;
        while (group->leader < group->end && is_repeated(l, group, group->leader));
        if (group->leader < group->end)
            return true;
        group->leader = group->first;
    }
    return false;
}

/* The longest window of all phases for this z. */
static bool close_phases(struct weir_level *l, int64_t z, int64_t most, struct weir_window *window)
{
    int64_t longest = 0, w;
    uint64_t phase = 0;
    if (begin_phases(l) > 1) {
        for (size_t g = 0; g < l->groups; g++)
            l->s->level_groups[g].leader = l->s->level_groups[g].end;
        if (!close_window(l, z, most, &w))
            return false;
        if (w - z <= window->duration)
            return true;
        begin_phases(l);
    }
    do {
        if (!close_window(l, z, most, &w))
            return false;
        if (w > longest) {
            longest = w;
            window->phase = w - z > window->duration ? phase : window->phase;
        }
        phase++;
    } while (longest <= most && next_phase(l));
    if (longest - z > window->duration) {
        window->duration = longest - z;
        window->before = z;
    }
    return true;
}

/* ---- all z ---- */

static size_t find_offsets(const struct weir_level *l)
{
    struct weir_priority_system *s = l->s;
    size_t count = 1;
    s->offsets[0] = 0;
    for (size_t k = 0; k < l->own; k++) {
        int64_t offset = weir_split_of(l->entry - s->level_members[k].entry, l->period).rest;
        size_t at = count;
        while (s->offsets[at - 1] > offset)
            at--;
        if (s->offsets[at - 1] == offset)
            continue;
        for (size_t m = count++; m > at; m--)
            s->offsets[m] = s->offsets[m - 1];
        s->offsets[at] = offset;
    }
    return count;
}

/* window->duration, window->before: the largest window - z, and its z. */
static enum weir_window_end scan(struct weir_level *l, int64_t most, struct weir_window *window)
{
    size_t offsets = find_offsets(l);
    for (int64_t base = 0; base < l->horizon; base += l->period)
        for (size_t k = 0; k < offsets; k++) {
            int64_t z = base + l->s->offsets[k];
            if (z >= l->horizon || l->longest - z <= window->duration)
                return WEIR_WINDOW_FOUND;
            move_to(l, z);
            if (!close_phases(l, z, most + z, window))
                return WEIR_WINDOW_WORK;
            if (window->duration > most)
                return WEIR_WINDOW_BEYOND;
        }
    return WEIR_WINDOW_FOUND;
}

/* ---- levels ---- */

static bool begin(struct weir_level *l)
{
    struct weir_priority_system *s = l->s;
    const struct weir_task *task = &s->set->tasks[l->task];
    l->period = s->period[l->task];
    l->sporadic = s->set->graphs[task->graph].sporadic;
    l->entry = s->entry[l->task];
    l->cost = task->worst;
    if (s->sharing[l->task] == WEIR_NONPREEMPTIVE && !l->region) {
        l->before = blocking(l);
        l->tail = task->worst;
        l->late = 1;
    }
    find_members(l);
    if (!find_longest(l))
        return false;
    find_horizon(l);
    return true;
}

/* The next level below that can be of use: where the task whose end is the last to come from outside is inside; at last, if tasks
 * are not interrupted, where no task outside is waited for. INT64_MIN if there is none. */
static int64_t below(const struct weir_priority_system *s, uint32_t task, int64_t priority)
{
    uint32_t p = s->set->tasks[task].processor, from = s->entry_by[task];
    if (p == WEIR_OWN_PROCESSOR)
        return INT64_MIN;
    if (from != WEIR_FROM_SOURCE && s->set->tasks[from].processor == p)
        return s->set->tasks[from].priority;
    int64_t lowest = priority;
    for (uint32_t k = s->sharers_first[p]; k < s->sharers_first[p + 1] && s->sharing[task] == WEIR_NONPREEMPTIVE; k++)
        lowest = s->set->tasks[s->sharers[k]].priority < lowest ? s->set->tasks[s->sharers[k]].priority : lowest;
    return lowest < priority ? lowest : INT64_MIN;
}

enum weir_window_end weir_level_close(struct weir_level *l, int64_t most, struct weir_window *one)
{
    struct weir_priority_system *s = l->s;
    *one = (struct weir_window){.by = WEIR_PRIORITY_RULE_LEVEL, .level = l->priority};
    if (l->region)
        one->region = *l->region;
    if (!begin(l))
        return WEIR_WINDOW_WORK;
    int64_t ahead = l->entry - s->enable[l->task]; /* what is known so far is from the latest enabling on */
    if (l->horizon == WEIR_PRIORITY_FAR)
        return WEIR_WINDOW_BEYOND;
    enum weir_window_end found = scan(l, most - ahead, one);
    if (found != WEIR_WINDOW_FOUND)
        return found;
    int64_t earlier = one->before / l->period * l->period;
    one->iterations = one->before / l->period + 1;
    one->duration += ahead;
    one->length = one->duration + earlier;
    one->before -= earlier + ahead;
    return found;
}

/* Levels further down are of use only where the way from outside to the task becomes shorter. */
enum weir_window_end weir_window_level(struct weir_priority_system *s, uint32_t i, int64_t most, struct weir_window *window)
{
    enum weir_window_end end = WEIR_WINDOW_BEYOND;
    int64_t last = WEIR_PRIORITY_FAR;
    if (s->sharing[i] == WEIR_TDM)
        return weir_window_frames(s, i, most, window);
    for (int64_t priority = s->set->tasks[i].priority; priority > INT64_MIN; priority = below(s, i, priority)) {
        struct weir_level l = {.s = s, .task = i, .priority = (int32_t)priority};
        struct weir_window one;
        weir_level_enter(s, i, l.priority, NULL);
        if (s->entry[i] >= last && s->sharing[i] != WEIR_NONPREEMPTIVE)
            continue;
        last = s->entry[i];
        enum weir_window_end found = weir_level_close(&l, most, &one);
        if (found == WEIR_WINDOW_WORK)
            return found;
        if (found == WEIR_WINDOW_BEYOND)
            continue;
        *window = one;
        most = one.duration - 1;
        end = WEIR_WINDOW_FOUND;
    }
    return end;
}

void weir_level_counts(struct weir_priority_system *s, uint32_t i, const struct weir_window *window, int64_t *counts)
{
    struct weir_level l = {.s = s, .task = i, .priority = window->level};
    l.region = window->region.count > 0 ? &window->region : NULL;
    if (l.region)
        weir_priority_distances_from(s, i);
    weir_level_enter(s, i, l.priority, l.region);
    if (!begin(&l))
        return;
    int64_t z = window->before + (window->iterations - 1) * l.period + l.entry - s->enable[i];
    int64_t w = window->length + window->before - l.tail;
    begin_phases(&l);
    for (uint64_t k = 0; k < window->phase; k++)
        next_phase(&l);
    move_to(&l, z);
    for (uint32_t r = s->first[i]; r < s->first[i + 1]; r++)
        for (size_t k = 0; k < l.count; k++)
            if (s->level_members[k].task == s->rivals[r].task && k < l.own)
                counts[r - s->first[i]] = times_own(&l, &s->level_members[k], z, w);
    for (size_t g = 0; g < l.groups; g++) {
        const struct weir_group *group = &s->level_groups[g];
        size_t leader = group->leader;
        for (size_t k = group->first, most = 0; k < group->end && group->leader == group->end; k++)
            if (demand_led(&l, group, k, w) > (int64_t)most) {
                most = (size_t)demand_led(&l, group, k, w);
                leader = k;
            }
        for (uint32_t r = s->first[i]; r < s->first[i + 1] && leader < group->end; r++)
            for (size_t k = group->first; k < group->end; k++)
                if (s->level_members[k].task == s->rivals[r].task)
                    counts[r - s->first[i]] = times_led(&l, &s->level_members[k], s->level_members[leader].entry, w);
    }
}
