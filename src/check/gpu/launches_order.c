/* SPDX-License-Identifier: Apache-2.0 */
/* Launches against each other: groups, what each waits for, and what of that the kernels did not ask for. */
#include "check/gpu/launches_inside.h"

/* ---- groups ---- */

/* Where each group waits for the whole of the one before, it waits for all earlier ones. */
static bool barrier_holds(struct weir_launches_work *w, uint32_t i, uint32_t from, uint32_t end)
{
    const struct weir_gpu_launch *l = &w->plan->launches[i];
    uint32_t found = 0;
    for (size_t j = 0; j < l->after_count; j++)
        found += l->after[j] >= from && l->after[j] < end;
    return found == end - from || weir_launches_refuse(w, "a launch does not wait for all of the group before");
}

bool weir_launches_groups_hold(struct weir_launches_work *w)
{
    const struct weir_gpu_launch *l = w->plan->launches;
    uint32_t from = 0, begin = 0; /* of the group before, and of the group */
    if (l[0].group != 0)
        return weir_launches_refuse(w, "the groups do not count from 0 in order");
    for (uint32_t i = 0; i < w->count; i++) {
        if (i && l[i].group != l[i - 1].group) {
            if (l[i].group != l[i - 1].group + 1)
                return weir_launches_refuse(w, "the groups do not count from 0 in order");
            from = begin;
            begin = i;
        }
        if (w->plan->barriers && !barrier_holds(w, i, from, begin))
            return false;
    }
    return l[w->count - 1].group + 1 == w->plan->group_count || weir_launches_refuse(w, "the number of groups is wrong");
}

/* ---- dependencies ---- */

struct search {
    struct weir_launches_work *work;
    uint32_t launch;
    uint32_t least; /* the first launch of those looked for */
    bool missing;
    uint64_t steps; /* left */
};

static void see(struct search *s, uint32_t from)
{
    struct weir_launches_work *w = s->work;
    const struct weir_gpu_launch *l = w->plan->launches;
    if (w->seen[from] == s->launch || (w->plan->barriers && l[from].group < l[s->launch].group))
        return;
    s->missing = true;
    s->least = from < s->least ? from : s->least;
}

/* Everything a launch needs to have ended: the part before it, or the last part of each kernel that its own depends on. */
static bool needs(struct search *s)
{
    struct weir_launches_work *w = s->work;
    uint32_t i = s->launch, v = w->plan->launches[i].kernel.index;
    s->missing = false;
    s->least = i;
    if (w->part_before[i] != WEIR_LAUNCHES_NONE) {
        see(s, w->part_before[i]);
        return true;
    }
    for (size_t j = w->first_before[v]; j < w->first_before[v + 1]; j++) {
        uint32_t from = w->last[w->before[j]];
        if (from >= i)
            return false;
        see(s, from);
    }
    return true;
}

/* Marks all that the launch waits for, also by way of others, down to the first of those that are looked for. */
static bool walk(struct search *s)
{
    struct weir_launches_work *w = s->work;
    uint32_t depth = 0, i = s->launch;
    for (;;) {
        const struct weir_gpu_launch *l = &w->plan->launches[i];
        if (s->steps < l->after_count)
            return false;
        s->steps -= l->after_count;
        for (size_t j = l->after_count; j-- > 0 && l->after[j] >= s->least;) {
            uint32_t from = l->after[j];
            if (i != s->launch && w->seen[from] == s->launch)
                continue;
            w->seen[from] = s->launch;
            w->stack[depth++] = from;
        }
        if (depth == 0)
            return true;
        i = w->stack[--depth];
    }
}

bool weir_launches_dependencies_hold(struct weir_launches_work *w)
{
    struct search s = {.work = w, .steps = WEIR_LAUNCHES_WORK};
    for (uint32_t i = 0; i < w->count; i++)
        w->seen[i] = WEIR_LAUNCHES_NONE;
    for (uint32_t i = 0; i < w->count; i++) {
        const struct weir_gpu_launch *l = &w->plan->launches[i];
        s.launch = i;
        for (size_t j = 0; j < l->after_count; j++)
            w->seen[l->after[j]] = i;
        bool kept = needs(&s);
        if (kept && s.missing) {
            if (!walk(&s))
                return weir_launches_refuse(w, "finding out which launches wait for which would take too long");
            kept = needs(&s) && !s.missing;
        }
        if (!kept)
            return weir_launches_refuse(w, l->part > 1 ? "a part does not wait for the part before"
                                                       : "a launch does not wait for a kernel that its own depends on");
    }
    return true;
}

/* ---- what was added ---- */

struct additions {
    size_t *first;   /* by launch: of its `after` in `added` */
    uint8_t *added;  /* by launch and what it waits for: the kernels did not ask for it */
    uint32_t *asked; /* by kernel: the last launch whose kernel depends on it */
    size_t count;
};

static void find_additions(const struct weir_launches_work *w, struct additions *a)
{
    for (uint32_t i = 0; i < w->count; i++) {
        const struct weir_gpu_launch *l = &w->plan->launches[i];
        uint32_t v = l->kernel.index;
        for (size_t j = w->first_before[v]; j < w->first_before[v + 1]; j++)
            a->asked[w->before[j]] = i;
        for (size_t j = 0; j < l->after_count; j++) {
            uint32_t from = w->plan->launches[l->after[j]].kernel.index;
            bool added = from != v && a->asked[from] != i;
            a->added[a->first[i] + j] = added;
            a->count += added;
        }
    }
}

static bool listed_hold(struct weir_launches_work *w, struct additions *a)
{
    if (w->plan->added_count != a->count)
        return weir_launches_refuse(w, "the number of added dependencies is wrong");
    for (size_t i = 0; i < a->count; i++) {
        const struct weir_gpu_edge *e = &w->plan->added[i];
        if (e->to >= w->count)
            return weir_launches_refuse(w, "an added dependency does not belong to a launch");
        const struct weir_gpu_launch *l = &w->plan->launches[e->to];
        size_t at = weir_launches_find(l, e->from);
        if (at == l->after_count || !a->added[a->first[e->to] + at])
            return weir_launches_refuse(w, "a dependency listed as added is not an added one, or is listed twice");
        a->added[a->first[e->to] + at] = 0;
    }
    return true;
}

bool weir_launches_added_hold(struct weir_launches_work *w)
{
    struct additions a = {.first = weir_arena_array(&w->arena, w->count, sizeof *a.first),
                          .asked = weir_arena_array(&w->arena, w->kernels, sizeof *a.asked)};
    size_t all = 0;
    for (uint32_t i = 0; a.first && i < w->count; i++) {
        a.first[i] = all;
        all += w->plan->launches[i].after_count;
    }
    a.added = weir_arena_array(&w->arena, all, sizeof *a.added);
    if (!a.first || !a.asked || !a.added)
        return weir_launches_no_memory(w);
    for (uint32_t v = 0; v < w->kernels; v++)
        a.asked[v] = WEIR_LAUNCHES_NONE;
    find_additions(w, &a);
    return listed_hold(w, &a);
}
