/* SPDX-License-Identifier: Apache-2.0 */
#include "gpu/pilot.h"

#include "base/alloc.h"

#include <string.h>

/* A choice that is kept: what is left after it, and how it came about. */
struct node {
    struct weir_gpu_state state;
    struct weir_gpu_draft log;
    int64_t value;
};

#define SEEN 1024 /* a power of two */

struct beam {
    const struct weir_gpu_pilot *pilot;
    struct node *now, *next; /* pilot->width of each */
    uint32_t now_count, next_count;
    struct weir_gpu_state child;
    struct weir_gpu_draft child_log;
    uint64_t seen[SEEN]; /* states of this round; when full, some are tried twice */
};

bool weir_gpu_over(struct weir_gpu_desk *d, int64_t length)
{
    /* Rounding alone is of this size. */
    if (length <= d->lower + d->lower / 100000)
        return true;
    if (d->system->work >= d->limit)
        d->limited = true;
    unsigned permille = (unsigned)(d->system->work / (d->whole / 1000 + 1));
    if (d->system->progress && permille > d->permille && permille < 1000) {
        d->permille = permille;
        d->system->progress(d->system->context, permille);
    }
    return d->limited;
}

static bool keep_record(struct beam *b, const struct weir_gpu_draft *head, int64_t length)
{
    struct weir_gpu_record *record = b->pilot->record;
    if (length >= record->length)
        return true;
    if (!weir_gpu_draft_copy(head, &record->draft))
        return false;
    const struct weir_gpu_draft *tail = &b->pilot->desk->log;
    for (size_t i = 0; i < tail->count; i++)
        if (!weir_gpu_draft_add(&record->draft, &tail->pieces[i]))
            return false;
    record->length = length;
    return true;
}

/* Keeps the child if it is among the best. */
static bool offer(struct beam *b, int64_t value)
{
    uint32_t width = b->pilot->width, at = b->next_count;
    if (value == WEIR_GPU_NEVER || (at == width && value >= b->next[at - 1].value))
        return true;
    if (at < width)
        b->next_count++;
    else
        at--;
    struct node slot = b->next[at];
    for (; at > 0 && b->next[at - 1].value > value; at--)
        b->next[at] = b->next[at - 1];
    weir_gpu_state_copy(b->pilot->desk, &b->child, &slot.state);
    bool ok = weir_gpu_draft_copy(&b->child_log, &slot.log);
    slot.value = value;
    b->next[at] = slot;
    return ok;
}

/* Plays on from the child with each guide. */
static bool judge(struct beam *b)
{
    const struct weir_gpu_pilot *p = b->pilot;
    int64_t value = WEIR_GPU_NEVER, limit = WEIR_GPU_NEVER, length;
    if (b->next_count == p->width)
        limit = b->next[p->width - 1].value;
    for (uint32_t i = 0; i < p->guide_count; i++) {
        weir_gpu_state_copy(p->desk, &b->child, &p->desk->play);
        p->desk->system->work += p->desk->system->kernels->count / 128;
        p->desk->log.count = 0;
        if (!weir_gpu_play(p->desk, p->guides[i], limit, &length) || !keep_record(b, &b->child_log, length))
            return false;
        if (length < value)
            limit = value = length;
    }
    return offer(b, value);
}

static bool seen_before(struct beam *b, const struct weir_gpu_state *s)
{
    uint64_t key = (s->hash ^ (uint64_t)s->time * UINT64_C(0x9e3779b97f4a7c15)) | 1;
    size_t at = key >> 20 & (SEEN - 1);
    for (int i = 0; i < 8; i++, at = (at + 1) & (SEEN - 1)) {
        if (b->seen[at] == key)
            return true;
        if (b->seen[at] == 0) {
            b->seen[at] = key;
            return false;
        }
    }
    return false;
}

/* Tries a group of that length after a node; what is ready there is in order. */
static bool try_length(struct beam *b, const struct node *node, int64_t time)
{
    struct weir_gpu_desk *d = b->pilot->desk;
    if (!weir_gpu_fill(d, &node->state, time))
        return true;
    weir_gpu_state_copy(d, &node->state, &b->child);
    if (!weir_gpu_draft_copy(&node->log, &b->child_log) || !weir_gpu_step(d, &b->child, &b->child_log))
        return false;
    return seen_before(b, &b->child) || judge(b);
}

/* How many kernels share the SMs in the i-th length that is tried: 1, all that can, and between them more of the small numbers. */
static uint32_t number_of(uint32_t i, uint32_t lengths, uint32_t most)
{
    if (most <= lengths)
        return i + 1;
    uint64_t last = lengths - 1;
    return 1 + (uint32_t)((uint64_t)(most - 1) * i * i / (last * last));
}

static bool expand(struct beam *b, struct node *node)
{
    struct weir_gpu_desk *d = b->pilot->desk;
    const struct weir_gpu_system *system = d->system;
    for (enum weir_gpu_order order = 0; order < WEIR_GPU_ORDERS; order++) {
        struct weir_gpu_state *s = &node->state;
        weir_gpu_sort(d, s, order);
        uint32_t first = s->ready[0], most = system->sms < system->places ? system->sms : system->places;
        uint32_t lengths = b->pilot->lengths;
        most = most < s->ready_count ? most : s->ready_count;
        lengths = lengths < most ? lengths : most;
        if (weir_gpu_splittable(system, first) && !try_length(b, node, system->least[first]))
            return false;
        int64_t last = 0;
        for (uint32_t i = 0; i < lengths && !weir_gpu_over(d, b->pilot->record->length); i++) {
            int64_t time = weir_gpu_share(d, s, s->ready, number_of(i, lengths, most));
            if (time == WEIR_GPU_NEVER)
                break;
            if (time != last && !try_length(b, node, time))
                return false;
            last = time;
        }
    }
    return true;
}

static bool run_beam(struct beam *b)
{
    const struct weir_gpu_pilot *p = b->pilot;
    while (b->now_count && !weir_gpu_over(p->desk, p->record->length)) {
        b->next_count = 0;
        memset(b->seen, 0, sizeof b->seen);
        for (uint32_t i = 0; i < b->now_count && !weir_gpu_over(p->desk, p->record->length); i++)
            if (b->now[i].state.left && !expand(b, &b->now[i]))
                return false;
        struct node *swap = b->now;
        b->now = b->next;
        b->next = swap;
        b->now_count = b->next_count;
    }
    return true;
}

static bool open_nodes(struct beam *b, struct node **nodes)
{
    *nodes = weir_array_zeroed(b->pilot->width, sizeof **nodes);
    if (!*nodes)
        return false;
    for (uint32_t i = 0; i < b->pilot->width; i++)
        if (!weir_gpu_state_open(b->pilot->desk, &(*nodes)[i].state))
            return false;
    return true;
}

static void close_nodes(struct beam *b, struct node *nodes)
{
    for (uint32_t i = 0; nodes && i < b->pilot->width; i++) {
        weir_gpu_state_close(&nodes[i].state);
        weir_gpu_draft_free(&nodes[i].log);
    }
    weir_free(nodes);
}

bool weir_gpu_pilot_run(const struct weir_gpu_pilot *pilot)
{
    struct beam *b = weir_array_zeroed(1, sizeof *b);
    if (!b)
        return false;
    b->pilot = pilot;
    b->now_count = 1;
    bool ok = open_nodes(b, &b->now) && open_nodes(b, &b->next) && weir_gpu_state_open(pilot->desk, &b->child) && run_beam(b);
    close_nodes(b, b->now);
    close_nodes(b, b->next);
    weir_gpu_state_close(&b->child);
    weir_gpu_draft_free(&b->child_log);
    weir_free(b);
    return ok;
}
