/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/gpu/search.h"

#include "base/alloc.h"
#include "base/random.h"
#include "engine/gpu/plan.h"

#include <stdlib.h>
#include <string.h>

/* Tokens that are free from a moment on. */
struct supply {
    int64_t from;
    uint32_t sms, places;
};

/* A launch of a list; `start` is when it takes its tokens, overhead before its blocks begin. */
struct item {
    int64_t load, time, start;
    uint32_t kernel, sms;
};

struct list {
    struct item *items;
    uint32_t count;
    int64_t length; /* as played last */
};

struct tuner {
    struct weir_arena arena;
    struct weir_gpu_desk *desk;
    const struct weir_gpu_system *system;
    struct weir_random random;
    uint32_t capacity; /* of lists */
    struct list now, next, best;
    int64_t *end;  /* by kernel: of its last launch */
    int64_t *left; /* by kernel: load not launched */
    struct supply *supplies;
    uint32_t supply_count;
};

/* ---- playing a list ---- */

/* When its kernel may go on; -1 when something it depends on has not been launched whole. */
static int64_t ready_at(const struct tuner *t, uint32_t v)
{
    const struct weir_kernels *k = t->system->kernels;
    if (t->left[v] < t->system->load[v])
        return t->end[v];
    int64_t ready = 0;
    for (uint32_t j = k->first_before[v]; j < k->first_before[v + 1]; j++) {
        uint32_t u = k->before[j];
        if (t->left[u])
            return -1;
        ready = t->end[u] > ready ? t->end[u] : ready;
    }
    return ready;
}

/* Takes tokens from the latest supplies that are free at `ready`, or as soon after as there are enough. */
static int64_t take(struct tuner *t, uint32_t width, int64_t ready)
{
    uint32_t sms = 0, places = 0, i = 0;
    struct supply *s = t->supplies;
    for (; i < t->supply_count && (sms < width || places == 0); i++) {
        sms += s[i].sms;
        places += s[i].places;
    }
    ready = s[i - 1].from > ready ? s[i - 1].from : ready;
    while (i < t->supply_count && s[i].from <= ready)
        i++;
    bool place = true;
    for (; width || place;) {
        i--;
        uint32_t some = s[i].sms < width ? s[i].sms : width;
        s[i].sms -= some;
        width -= some;
        if (place && s[i].places) {
            s[i].places--;
            place = false;
        }
    }
    return ready;
}

static void give(struct tuner *t, uint32_t sms, int64_t from)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < t->supply_count; i++)
        if (t->supplies[i].sms || t->supplies[i].places)
            t->supplies[kept++] = t->supplies[i];
    t->supply_count = kept + 1;
    for (; kept > 0 && t->supplies[kept - 1].from > from; kept--)
        t->supplies[kept] = t->supplies[kept - 1];
    t->supplies[kept] = (struct supply){from, sms, 1};
}

/* Computes the starts and the length. False when the list is not legal, or its length would be above `limit`. */
static bool play(struct tuner *t, struct list *list, int64_t limit)
{
    const struct weir_gpu_system *s = t->system;
    int64_t length = 0;
    memcpy(t->left, s->load, s->kernels->count * sizeof *t->left);
    t->supplies[0] = (struct supply){0, s->sms, s->places};
    t->supply_count = 1;
    for (uint32_t i = 0; i < list->count; i++) {
        struct item *item = &list->items[i];
        uint32_t v = item->kernel;
        int64_t ready = ready_at(t, v), grain = s->granularity[v];
        /* Only the last part may end within a granule. */
        if (ready < 0 || (grain && item->load < t->left[v] && item->load % grain)) {
            t->desk->system->work += i / 4 + 1;
            return false;
        }
        item->start = take(t, item->sms, ready);
        int64_t end = item->start + s->overhead + item->time, last = end + s->tail[v];
        t->end[v] = end;
        t->left[v] -= item->load;
        if (last > limit) {
            t->desk->system->work += i + 1;
            return false;
        }
        length = end > length ? end : length;
        give(t, item->sms, end);
    }
    t->desk->system->work += list->count;
    list->length = length;
    return true;
}

/* ---- changes ---- */

static uint32_t below(struct tuner *t, uint32_t count)
{
    return (uint32_t)((weir_random_next(&t->random) >> 32) * count >> 32);
}

static bool set_width(const struct tuner *t, struct item *item, uint32_t sms)
{
    int64_t time = weir_gpu_time(t->system, item->kernel, item->load, sms);
    uint32_t old = item->sms;
    if (time == WEIR_GPU_NEVER || sms % t->system->step)
        return false;
    uint32_t enough = weir_gpu_width(t->system, item->kernel, item->load, time);
    item->sms = enough ? enough : sms;
    item->time = time;
    return item->sms != old;
}

static bool change_width(struct tuner *t, struct list *list)
{
    struct item *item = &list->items[below(t, list->count)];
    const struct weir_kernel *k = &t->system->kernels->kernels[item->kernel];
    if (k->times) {
        uint32_t sms = k->times[below(t, k->time_count)].sms;
        return sms <= t->system->sms && set_width(t, item, sms);
    }
    uint32_t by = t->system->step * (1 + below(t, 1 + item->sms / t->system->step / 4));
    if (below(t, 2))
        return item->sms > by && set_width(t, item, item->sms - by);
    return item->sms + by <= t->system->sms && set_width(t, item, item->sms + by);
}

/* SMs of one launch to another nearby, which often runs beside it. */
static bool trade(struct tuner *t, struct list *list)
{
    uint32_t at = below(t, list->count), near = at + 1 + below(t, 6);
    if (near >= list->count)
        return false;
    struct item *a = &list->items[at], *b = &list->items[near];
    if (below(t, 2)) {
        struct item *c = a;
        a = b;
        b = c;
    }
    uint32_t by = t->system->step * (1 + below(t, 1 + a->sms / t->system->step / 4));
    if (a->sms <= by || b->sms + by > t->system->sms)
        return false;
    bool narrower = set_width(t, a, a->sms - by), wider = set_width(t, b, b->sms + by);
    return narrower || wider;
}

static bool move_item(struct tuner *t, struct list *list)
{
    uint32_t from = below(t, list->count), by = 1 + below(t, 8);
    uint32_t to = below(t, 2) ? (from > by ? from - by : 0) : (from + by < list->count ? from + by : list->count - 1);
    struct item item = list->items[from];
    if (to < from)
        memmove(list->items + to + 1, list->items + to, (from - to) * sizeof item);
    else
        memmove(list->items + from, list->items + from + 1, (to - from) * sizeof item);
    list->items[to] = item;
    return to != from;
}

/* Random load of a kernel that can be a part; 0: none. */
static int64_t some_load(struct tuner *t, const struct item *item)
{
    int64_t grain = t->system->granularity[item->kernel], load = item->load / 1024 * (1 + below(t, 1023));
    if (grain)
        load -= load % grain;
    return load < item->load ? load : 0;
}

/* Moves load from one part of a kernel to another, up to all of it. */
static void shift_load(struct tuner *t, struct list *list, uint32_t from, uint32_t to)
{
    struct item *a = &list->items[from], *b = &list->items[to];
    int64_t load = below(t, 4) ? some_load(t, a) / (1 + (int64_t)below(t, 8)) : a->load;
    int64_t grain = t->system->granularity[a->kernel];
    if (grain && load < a->load)
        load -= load % grain;
    a->load -= load;
    b->load += load;
    set_width(t, b, b->sms);
    if (a->load)
        set_width(t, a, a->sms);
    else
        memmove(a, a + 1, (--list->count - from) * sizeof *a);
}

static bool change_split(struct tuner *t, struct list *list)
{
    uint32_t at = below(t, list->count), other = list->count;
    struct item *item = &list->items[at];
    if (!weir_gpu_splittable(t->system, item->kernel))
        return false;
    for (uint32_t i = 0; i < list->count; i++)
        if (i != at && list->items[i].kernel == item->kernel && (other == list->count || below(t, 2)))
            other = i;
    if (other < list->count) {
        shift_load(t, list, at, other);
        return true;
    }
    int64_t load = some_load(t, item);
    if (load == 0 || list->count == t->capacity)
        return false;
    memmove(item + 1, item, (list->count++ - at) * sizeof *item);
    item[0].load = load;
    item[1].load -= load;
    set_width(t, &item[0], item->sms);
    set_width(t, &item[1], item[1].sms);
    return true;
}

/* ---- all of it ---- */

static void copy_list(const struct list *from, struct list *to)
{
    memcpy(to->items, from->items, from->count * sizeof *to->items);
    to->count = from->count;
    to->length = from->length;
}

static void swap_lists(struct list *a, struct list *b)
{
    struct list old = *a;
    *a = *b;
    *b = old;
}

static bool change(struct tuner *t, struct list *list)
{
    uint32_t kind = below(t, 16);
    if (kind < 3)
        return trade(t, list);
    if (kind < 7)
        return change_width(t, list);
    if (kind < 13)
        return move_item(t, list);
    return change_split(t, list);
}

/* Accepts what is not much worse, and less and less of it. */
static void tune(struct tuner *t, uint64_t work)
{
    uint64_t first = t->desk->system->work, done = 0;
    int64_t widest = t->now.length / 2000;
    while (done < work && !weir_gpu_over(t->desk, t->best.length)) {
        int64_t slack = widest - (int64_t)((uint64_t)widest / 1024 * (done * 1024 / work));
        copy_list(&t->now, &t->next);
        t->desk->system->work += 1 + t->now.count / 8; /* for the copy */
        if (change(t, &t->next) && play(t, &t->next, t->now.length + slack)) {
            swap_lists(&t->now, &t->next);
            if (t->now.length < t->best.length)
                copy_list(&t->now, &t->best);
        }
        done = t->desk->system->work - first;
    }
}

/* Joins two parts of a kernel, at the place of one of them and on that many SMs; whether that makes the list no longer. */
static bool join(struct tuner *t, const uint32_t parts[2], uint32_t keep, uint32_t sms)
{
    copy_list(&t->best, &t->next);
    struct item *items = t->next.items, *kept = &items[parts[keep]], *gone = &items[parts[1 - keep]];
    if (sms == 0 || sms > t->system->sms)
        return false;
    kept->load += gone->load;
    set_width(t, kept, sms);
    memmove(gone, gone + 1, (size_t)(items + --t->next.count - gone) * sizeof *gone);
    t->desk->system->work += t->best.count / 8;
    if (!play(t, &t->next, t->best.length))
        return false;
    copy_list(&t->next, &t->best);
    return true;
}

static bool join_somehow(struct tuner *t, uint32_t first, uint32_t second)
{
    const struct item *a = &t->best.items[first], *b = &t->best.items[second];
    const uint32_t parts[] = {first, second};
    const uint32_t widths[] = {a->sms, b->sms, weir_gpu_width(t->system, a->kernel, a->load + b->load, a->time + b->time)};
    for (uint32_t i = 0; i < 6; i++)
        if (join(t, parts, i % 2, widths[i / 2]))
            return true;
    return false;
}

/* A launch less is worth having where it costs nothing. */
static void trim(struct tuner *t, uint64_t end)
{
    for (uint32_t i = 0; i < t->best.count; i++)
        for (uint32_t j = i + 1; j < t->best.count && t->desk->system->work < end; j++)
            if (t->best.items[j].kernel == t->best.items[i].kernel && join_somehow(t, i, j))
                j = i;
}

static int compare_starts(const void *a, const void *b)
{
    const struct item *x = a, *y = b;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    return (x->kernel > y->kernel) - (x->kernel < y->kernel);
}

/* In order of their starts, so that handing tokens in that order gives the same starts: whatever is free when one begins is free
 * for all that follow. */
static bool write_draft(struct tuner *t, struct weir_gpu_record *record)
{
    struct list *list = &t->best;
    struct weir_gpu_draft *draft = &record->draft;
    qsort(list->items, list->count, sizeof *list->items, compare_starts);
    draft->count = 0;
    uint32_t group = 0;
    for (uint32_t i = 0; i < list->count; i++) {
        const struct item *item = &list->items[i];
        group += i > 0 && item->start > item[-1].start;
        if (!weir_gpu_draft_add(draft, &(struct weir_gpu_piece){item->kernel, item->sms, group, item->load}))
            return false;
    }
    record->length = list->length;
    return true;
}

static bool read_draft(struct tuner *t, const struct weir_gpu_flow *flow)
{
    struct list *const lists[] = {&t->now, &t->next, &t->best};
    uint32_t count = t->system->kernels->count;
    t->capacity = (uint32_t)flow->count + 8 + count / 4;
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        lists[i]->items = weir_arena_array(&t->arena, t->capacity + 1, sizeof(struct item));
    t->end = weir_arena_array(&t->arena, count, sizeof *t->end);
    t->left = weir_arena_array(&t->arena, count, sizeof *t->left);
    t->supplies = weir_arena_array(&t->arena, t->capacity + 2, sizeof *t->supplies);
    if (t->arena.failed)
        return false;
    for (size_t i = 0; i < flow->count; i++) {
        const struct weir_gpu_piece *launch = &flow->launches[i];
        t->now.items[i] = (struct item){.load = launch->load, .time = flow->time[i], .kernel = launch->kernel, .sms = launch->sms};
    }
    t->now.count = (uint32_t)flow->count;
    return true;
}

bool weir_gpu_tune(struct weir_gpu_desk *d, struct weir_gpu_record *record, uint64_t work)
{
    struct tuner t = {.desk = d, .system = d->system};
    struct weir_gpu_flow flow;
    if (weir_gpu_flow_make(d->system, &record->draft, WEIR_GPU_HANDED, &flow))
        return false;
    weir_random_seed(&t.random, flow.count);
    bool ok = read_draft(&t, &flow);
    weir_gpu_flow_free(&flow);
    if (ok && play(&t, &t.now, WEIR_GPU_NEVER)) {
        copy_list(&t.now, &t.best);
        uint32_t count = t.now.count;
        uint64_t end = d->system->work + work;
        tune(&t, work - work / 3);
        trim(&t, end);
        if (t.best.length < record->length || t.best.count < count)
            ok = write_draft(&t, record);
    }
    weir_arena_free(&t.arena);
    return ok;
}
