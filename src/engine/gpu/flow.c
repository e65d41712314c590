/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/gpu/plan.h"

#include "base/alloc.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void weir_gpu_flow_free(struct weir_gpu_flow *flow)
{
    weir_free(flow->after);
    weir_free(flow->tokens);
    weir_arena_free(&flow->arena);
    *flow = (struct weir_gpu_flow){0};
}

/* Tokens that one launch, or the beginning, still has to hand on. */
struct holding {
    int64_t end; /* of the launch */
    uint32_t owner, sms, places;
};

struct maker {
    const struct weir_gpu_system *system;
    struct weir_gpu_flow *flow;
    bool places;              /* counted */
    uint32_t *last;           /* by kernel: its last launch so far, or WEIR_GPU_BEGIN */
    uint32_t *stamp;          /* by launch: 1 + the last launch that waits for it */
    struct holding *holdings; /* ascending in end */
    size_t holding_count;
    size_t after_count, after_capacity, token_capacity;
    size_t token_first; /* of the launch at hand */
};

/* ---- launches ---- */

/* One launch for each piece, or for several neighbouring ones of a kernel. */
static void make_launches(struct maker *m, const struct weir_gpu_draft *draft, bool merge)
{
    struct weir_gpu_flow *f = m->flow;
    uint32_t count = m->system->kernels->count, group = 0;
    uint32_t *ended = m->stamp; /* the group of a kernel's last piece; there are no fewer pieces than kernels */
    for (uint32_t v = 0; v < count; v++)
        m->last[v] = WEIR_GPU_BEGIN;
    for (size_t i = 0; i < draft->count; i++) {
        const struct weir_gpu_piece *piece = &draft->pieces[i];
        uint32_t last = m->last[piece->kernel];
        if (merge && last != WEIR_GPU_BEGIN && f->launches[last].sms == piece->sms && ended[piece->kernel] + 1 == piece->group) {
            f->launches[last].load += piece->load;
        } else {
            f->part[f->count] = last == WEIR_GPU_BEGIN ? 1 : f->part[last] + 1;
            m->last[piece->kernel] = (uint32_t)f->count;
            f->launches[f->count++] = *piece;
        }
        ended[piece->kernel] = piece->group;
    }
    /* Groups of which nothing is left vanish. */
    for (size_t i = 0; i < f->count; i++) {
        uint32_t was = f->launches[i].group;
        f->launches[i].group = group;
        if (i + 1 < f->count && f->launches[i + 1].group != was)
            group++;
        f->parts[i] = f->part[m->last[f->launches[i].kernel]];
        f->time[i] = weir_gpu_time(m->system, f->launches[i].kernel, f->launches[i].load, f->launches[i].sms);
    }
    f->groups = f->count ? group + 1 : 0;
    memset(m->stamp, 0, draft->count * sizeof *m->stamp);
}

static bool wait_for(struct maker *m, uint32_t launch, uint32_t from)
{
    if (m->stamp[from] == launch + 1)
        return true;
    m->stamp[from] = launch + 1;
    if (!weir_reserve(&m->flow->after, &m->after_capacity, m->after_count + 1, sizeof *m->flow->after))
        return false;
    m->flow->after[m->after_count++] = from;
    return true;
}

static bool add_token(struct maker *m, struct weir_gpu_token token)
{
    struct weir_gpu_flow *f = m->flow;
    if (!weir_reserve(&f->tokens, &m->token_capacity, f->token_count + 1, sizeof *f->tokens))
        return false;
    f->tokens[f->token_count++] = token;
    return true;
}

static int compare_tokens(const void *a, const void *b)
{
    const struct weir_gpu_token *x = a, *y = b;
    return (x->from > y->from) - (x->from < y->from);
}

static int compare_launches(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Brings what the launch waits for and is handed into order, each once. */
static void settle(struct maker *m, size_t launch)
{
    struct weir_gpu_flow *f = m->flow;
    size_t first = m->token_first, kept = first;
    qsort(f->tokens + first, f->token_count - first, sizeof *f->tokens, compare_tokens);
    for (size_t i = first + 1; i < f->token_count; i++)
        if (f->tokens[i].from == f->tokens[kept].from) {
            f->tokens[kept].sms += f->tokens[i].sms;
            f->tokens[kept].places += f->tokens[i].places;
        } else {
            f->tokens[++kept] = f->tokens[i];
        }
    f->token_count = kept + 1;
    m->token_first = f->token_count;
    if (m->after_count > f->first_after[launch])
        qsort(f->after + f->first_after[launch], m->after_count - f->first_after[launch], sizeof *f->after, compare_launches);
    f->first_after[launch + 1] = m->after_count;
}

static void note_end(struct maker *m, int64_t end)
{
    m->flow->length = end > m->flow->length ? end : m->flow->length;
}

/* ---- with barriers ---- */

/* Where the next token of a kind comes from. */
struct cursor {
    size_t from;
    uint32_t left;
};

/* All tokens pass from group to group. A launch holds as many as it needs, the last of a group also those that are left over. */
static bool hand_to(struct maker *m, uint32_t to, struct cursor *cursor, uint32_t need, bool places)
{
    while (need) {
        if (cursor->left == 0) {
            cursor->from++;
            cursor->left = places ? m->holdings[cursor->from].places : m->holdings[cursor->from].sms;
            continue;
        }
        uint32_t take = need < cursor->left ? need : cursor->left;
        struct weir_gpu_token token = {.from = (uint32_t)cursor->from, .to = to};
        if (cursor->from == SIZE_MAX)
            token.from = WEIR_GPU_BEGIN;
        *(places ? &token.places : &token.sms) = take;
        if (!add_token(m, token))
            return false;
        need -= take;
        cursor->left -= take;
    }
    return true;
}

/* Launches first .. end - 1 are a group, previous .. first - 1 the one before. */
static bool bar_group(struct maker *m, size_t previous, size_t first, size_t end)
{
    struct weir_gpu_flow *f = m->flow;
    uint32_t sms = m->system->sms, places = m->places ? m->system->places : 0;
    bool begin = previous == first;
    struct cursor of_sms = {begin ? SIZE_MAX : previous, begin ? sms : m->holdings[previous].sms};
    struct cursor of_places = {of_sms.from, begin ? places : m->holdings[previous].places};
    int64_t start = f->length + m->system->overhead;
    for (size_t i = first; i < end; i++) {
        struct holding *own = &m->holdings[i];
        own->sms = i + 1 == end ? sms : f->launches[i].sms;
        own->places = i + 1 == end ? places : m->places;
        sms -= own->sms;
        places -= own->places;
        if (!hand_to(m, (uint32_t)i, &of_sms, own->sms, false) || !hand_to(m, (uint32_t)i, &of_places, own->places, true))
            return false;
        for (size_t p = previous; p < first; p++)
            if (!wait_for(m, (uint32_t)i, (uint32_t)p))
                return false;
        settle(m, i);
        f->start[i] = start;
    }
    for (size_t i = first; i < end; i++)
        note_end(m, start + f->time[i]);
    return true;
}

static bool make_barriers(struct maker *m)
{
    struct weir_gpu_flow *f = m->flow;
    size_t previous = 0, end;
    for (size_t first = 0; first < f->count; previous = first, first = end) {
        for (end = first; end < f->count && f->launches[end].group == f->launches[first].group; end++)
            ;
        if (!bar_group(m, previous, first, end))
            return false;
    }
    return true;
}

/* ---- with handed tokens ---- */

/* Waits for the part before, or for the kernels it depends on; when the last of them has ended. */
static bool wait_for_kernels(struct maker *m, uint32_t launch, int64_t *ready)
{
    const struct weir_gpu_flow *f = m->flow;
    const struct weir_kernels *k = m->system->kernels;
    uint32_t v = f->launches[launch].kernel;
    *ready = 0;
    if (f->part[launch] > 1) {
        *ready = f->start[m->last[v]] + f->time[m->last[v]];
        return wait_for(m, launch, m->last[v]);
    }
    for (uint32_t j = k->first_before[v]; j < k->first_before[v + 1]; j++) {
        uint32_t from = m->last[k->before[j]];
        int64_t end = f->start[from] + f->time[from];
        *ready = end > *ready ? end : *ready;
        if (!wait_for(m, launch, from))
            return false;
    }
    return true;
}

struct need {
    uint32_t sms, places;
};

static bool take(struct maker *m, uint32_t launch, struct holding *h, struct need *need)
{
    uint32_t sms = need->sms < h->sms ? need->sms : h->sms, places = need->places < h->places ? need->places : h->places;
    if (sms == 0 && places == 0)
        return true;
    h->sms -= sms;
    h->places -= places;
    need->sms -= sms;
    need->places -= places;
    if (h->owner != WEIR_GPU_BEGIN && !wait_for(m, launch, h->owner))
        return false;
    return add_token(m, (struct weir_gpu_token){h->owner, launch, sms, places});
}

/* Takes the tokens of launches that have ended by `start`: first of those it waits for anyway, then of the last to end, so that
 * what has long been free stays free for launches that can begin earlier. */
static bool take_tokens(struct maker *m, uint32_t launch, int64_t start, struct need need)
{
    size_t count = 0;
    while (count < m->holding_count && m->holdings[count].end <= start)
        count++;
    for (size_t i = count; i-- > 0;) {
        uint32_t owner = m->holdings[i].owner;
        if (owner != WEIR_GPU_BEGIN && m->stamp[owner] == launch + 1 && !take(m, launch, &m->holdings[i], &need))
            return false;
    }
    /* SMs before places: a launch that hands on SMs often has a place to hand on as well. */
    for (size_t i = count; i-- > 0 && need.sms;)
        if (m->holdings[i].sms && !take(m, launch, &m->holdings[i], &need))
            return false;
    for (size_t i = count; i-- > 0 && need.places;)
        if (!take(m, launch, &m->holdings[i], &need))
            return false;
    assert(need.sms == 0 && need.places == 0);
    return true;
}

/* When so much is free, nothing else being launched any more. */
static int64_t free_at(const struct maker *m, struct need need)
{
    uint32_t sms = 0, places = 0;
    size_t i = 0;
    for (; i < m->holding_count && (sms < need.sms || places < need.places); i++) {
        sms += m->holdings[i].sms;
        places += m->holdings[i].places;
    }
    return i ? m->holdings[i - 1].end : 0;
}

/* Owners with nothing left are forgotten; the new one is put in its place. */
static void hold(struct maker *m, struct holding own)
{
    size_t kept = 0;
    for (size_t i = 0; i < m->holding_count; i++)
        if (m->holdings[i].sms || m->holdings[i].places)
            m->holdings[kept++] = m->holdings[i];
    m->holding_count = kept + 1;
    for (; kept > 0 && m->holdings[kept - 1].end > own.end; kept--)
        m->holdings[kept] = m->holdings[kept - 1];
    m->holdings[kept] = own;
}

static bool make_handed(struct maker *m)
{
    struct weir_gpu_flow *f = m->flow;
    const struct weir_gpu_system *s = m->system;
    m->holdings[0] = (struct holding){0, WEIR_GPU_BEGIN, s->sms, m->places ? s->places : 0};
    m->holding_count = 1;
    for (uint32_t i = 0; i < f->count; i++) {
        struct need need = {f->launches[i].sms, m->places};
        int64_t ready, free;
        if (!wait_for_kernels(m, i, &ready))
            return false;
        free = free_at(m, need);
        ready = free > ready ? free : ready;
        if (!take_tokens(m, i, ready, need))
            return false;
        settle(m, i);
        f->start[i] = ready + s->overhead;
        m->last[f->launches[i].kernel] = i;
        hold(m, (struct holding){f->start[i] + f->time[i], i, need.sms, need.places});
        note_end(m, f->start[i] + f->time[i]);
    }
    return true;
}

/* ---- all of it ---- */

enum weir_status weir_gpu_flow_make(const struct weir_gpu_system *system, const struct weir_gpu_draft *draft,
                                    enum weir_gpu_form form, struct weir_gpu_flow *f)
{
    size_t count = draft->count;
    struct weir_arena scratch = {0};
    struct maker m = {.system = system, .flow = f, .places = system->places != UINT32_MAX};
    *f = (struct weir_gpu_flow){0};
    f->launches = weir_arena_array(&f->arena, count, sizeof *f->launches);
    f->part = weir_arena_array(&f->arena, count, sizeof *f->part);
    f->parts = weir_arena_array(&f->arena, count, sizeof *f->parts);
    f->time = weir_arena_array(&f->arena, count, sizeof *f->time);
    f->start = weir_arena_array(&f->arena, count, sizeof *f->start);
    f->first_after = weir_arena_array(&f->arena, count + 1, sizeof *f->first_after);
    m.last = weir_arena_array(&scratch, system->kernels->count, sizeof *m.last);
    m.stamp = weir_arena_array(&scratch, count, sizeof *m.stamp);
    m.holdings = weir_arena_array(&scratch, count + 1, sizeof *m.holdings);
    bool ok = !f->arena.failed && !scratch.failed;
    if (ok) {
        make_launches(&m, draft, form == WEIR_GPU_HANDED);
        ok = form == WEIR_GPU_HANDED ? make_handed(&m) : make_barriers(&m);
    }
    weir_arena_free(&scratch);
    if (ok)
        return WEIR_OK;
    weir_gpu_flow_free(f);
    return WEIR_MEMORY;
}
