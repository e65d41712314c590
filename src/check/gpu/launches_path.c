/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The longest chain against the bound. Times have denominators of their own, and a sum of many fits no word. So chains are first
 * measured in fixed point, rounded up: one that is within the bound then is so. What is left are chains as long as the bound, give
 * or take a hair; the launches on them are measured again, exactly, in units of their common denominator.
 */
#include "check/big.h"
#include "check/gpu/launches_inside.h"

/* ---- exactly ---- */

#define UNIT_LIMBS (WEIR_BIG_LIMBS - 5) /* room for a product with a numerator, and for sums */

/* Chains of launches, each as long as their overheads and times together. */
struct exact {
    struct weir_launches_work *work;
    const uint32_t *launches; /* only chains of these, ascending */
    uint32_t count;
    struct weir_big unit;    /* 1 tick */
    uint32_t *place;         /* by launch: where it stands among them; WEIR_LAUNCHES_NONE: it does not */
    struct weir_big *length; /* by place: of the longest chain up to its end, in units */
};

struct limits {
    struct weir_big most; /* the bound, rounded down to units */
    struct weir_big overhead;
};

/* Units of a tick: the common denominator of the times, so that they are whole numbers of it. One that gets out of hand is made
 * a power of two in its place, and the times are then rounded up; that a sum with such a denominator is just the bound, whose
 * denominator fits a word, need not be feared. */
static void find_unit(struct exact *e)
{
    const struct weir_gpu_launch *all = e->work->plan->launches;
    weir_big_set(&e->unit, 1);
    for (uint32_t k = 0; k < e->count && e->unit.count <= UNIT_LIMBS; k++) {
        int64_t divisor = all[e->launches[k]].time.denominator;
        struct weir_big rest;
        weir_big_copy(&rest, &e->unit);
        weir_big_multiply(&e->unit, divisor / weir_greatest_divisor(divisor, weir_big_divide(&rest, divisor)));
    }
    if (e->unit.count <= UNIT_LIMBS)
        return;
    weir_big_set(&e->unit, 1);
    for (unsigned i = 0; i < UNIT_LIMBS; i++)
        weir_big_multiply(&e->unit, INT64_C(1) << 62);
}

static bool exact_open(struct exact *e, struct weir_launches_work *w, const uint32_t *launches, uint32_t count)
{
    *e = (struct exact){.work = w, .launches = launches, .count = count};
    find_unit(e);
    e->place = weir_arena_array(&w->arena, w->count, sizeof *e->place);
    e->length = weir_arena_array(&w->arena, count, sizeof *e->length);
    if (w->arena.failed)
        return weir_launches_no_memory(w);
    for (uint32_t i = 0; i < w->count; i++)
        e->place[i] = WEIR_LAUNCHES_NONE;
    for (uint32_t k = 0; k < count; k++)
        e->place[launches[k]] = k;
    return true;
}

/* The time of a launch, in units. */
static void exact_time(const struct exact *e, uint32_t launch, struct weir_big *time)
{
    struct weir_ratio ratio = e->work->plan->launches[launch].time;
    struct weir_big one;
    weir_big_copy(time, &e->unit);
    weir_big_multiply(time, ratio.numerator);
    if (weir_big_divide(time, ratio.denominator)) {
        weir_big_set(&one, 1);
        weir_big_add(time, &one);
    }
}

static bool chain_holds(const struct exact *e, const struct limits *limits, uint32_t k)
{
    const struct weir_gpu_launch *all = e->work->plan->launches, *l = &all[e->launches[k]];
    uint32_t longest = WEIR_LAUNCHES_NONE;
    for (size_t j = 0; j < l->after_count; j++) {
        uint32_t at = e->place[l->after[j]];
        if (at != WEIR_LAUNCHES_NONE &&
            (longest == WEIR_LAUNCHES_NONE || weir_big_compare(&e->length[at], &e->length[longest]) > 0))
            longest = at;
    }
    struct weir_big *length = &e->length[k];
    exact_time(e, e->launches[k], length);
    weir_big_add(length, &limits->overhead);
    if (longest != WEIR_LAUNCHES_NONE)
        weir_big_add(length, &e->length[longest]);
    if (length->lost)
        return weir_launches_refuse(e->work, "the longest chains take longer than can be represented");
    return weir_big_compare(length, &limits->most) <= 0 ||
           weir_launches_refuse(e->work, "the bound is less than the longest chain takes");
}

static bool exact_holds(const struct exact *e)
{
    const struct weir_launches_work *w = e->work;
    struct weir_ratio bound = w->plan->bound;
    struct limits limits;
    weir_big_copy(&limits.most, &e->unit);
    weir_big_multiply(&limits.most, bound.numerator);
    weir_big_divide(&limits.most, bound.denominator);
    weir_big_copy(&limits.overhead, &e->unit);
    weir_big_multiply(&limits.overhead, w->gpu.launch_overhead);
    if (limits.most.lost || limits.overhead.lost)
        return weir_launches_refuse(e->work, "the longest chains take longer than can be represented");
    for (uint32_t k = 0; k < e->count; k++)
        if (!chain_holds(e, &limits, k))
            return false;
    return true;
}

/* ---- in fixed point ---- */

struct path {
    weir_wide *time; /* by launch, rounded up */
    weir_wide *end;  /* by launch: when it ends at the latest */
    weir_wide *rest; /* by launch: what follows its end */
    uint32_t *near;  /* launches on chains that may be too long */
    uint32_t near_count;
};

#define FAR (((weir_wide)1 << 62) * WEIR_LAUNCHES_FINE) /* beyond every bound; a time and an overhead more still fit */

static weir_wide rounded(struct weir_ratio r, bool up)
{
    weir_wide fraction = (weir_wide)(r.numerator % r.denominator) * WEIR_LAUNCHES_FINE;
    return (weir_wide)(r.numerator / r.denominator) * WEIR_LAUNCHES_FINE +
           (fraction + (up ? r.denominator - 1 : 0)) / r.denominator;
}

static void raise_to(weir_wide *value, weir_wide other)
{
    other = other < FAR ? other : FAR;
    *value = other > *value ? other : *value;
}

/* No time is above the bound. */
static void measure(const struct weir_launches_work *w, struct path *path)
{
    weir_wide overhead = w->gpu.launch_overhead * WEIR_LAUNCHES_FINE, bound = rounded(w->plan->bound, false);
    for (uint32_t i = 0; i < w->count; i++) {
        const struct weir_gpu_launch *l = &w->plan->launches[i];
        weir_wide ready = 0;
        for (size_t j = 0; j < l->after_count; j++)
            raise_to(&ready, path->end[l->after[j]]);
        path->time[i] = rounded(l->time, true);
        path->end[i] = ready + overhead + path->time[i];
        path->rest[i] = 0;
    }
    for (uint32_t i = w->count; i-- > 0;) {
        const struct weir_gpu_launch *l = &w->plan->launches[i];
        for (size_t j = 0; j < l->after_count; j++)
            raise_to(&path->rest[l->after[j]], path->rest[i] + overhead + path->time[i]);
    }
    path->near_count = 0;
    for (uint32_t i = 0; i < w->count; i++)
        if (path->rest[i] > bound - path->end[i])
            path->near[path->near_count++] = i;
}

bool weir_launches_path_holds(struct weir_launches_work *w)
{
    struct path path = {.time = weir_arena_array(&w->arena, w->count, sizeof *path.time),
                        .end = weir_arena_array(&w->arena, w->count, sizeof *path.end),
                        .rest = weir_arena_array(&w->arena, w->count, sizeof *path.rest),
                        .near = w->stack};
    struct exact e;
    if (w->arena.failed)
        return weir_launches_no_memory(w);
    measure(w, &path);
    return path.near_count == 0 || (exact_open(&e, w, path.near, path.near_count) && exact_holds(&e));
}
