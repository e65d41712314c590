/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/gpu/search.h"

#include "base/alloc.h"
#include "base/interrupt.h"

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
    struct node *node; /* what is being expanded; its state is that of the child while that is judged */
    struct weir_gpu_mark at_node, at_child;
    struct weir_gpu_draft group; /* between the node and the child */
    uint64_t seen[SEEN];         /* states of this round; when full, some are tried twice */
};

bool weir_gpu_over(struct weir_gpu_desk *d, int64_t length)
{
    /* Rounding alone is of this size. */
    if (length <= d->lower + d->lower / 100000)
        return true;
    if (d->system->work >= d->limit || weir_interrupted())
        d->limited = true;
    unsigned permille = (unsigned)(d->system->work / (d->system->work_whole / 1000 + 1));
    if (d->system->progress && permille > d->system->permille && permille < 1000) {
        d->system->permille = permille;
        d->system->progress(d->system->context, permille);
    }
    return d->limited;
}

static bool append(struct weir_gpu_draft *to, const struct weir_gpu_draft *from)
{
    for (size_t i = 0; i < from->count; i++)
        if (!weir_gpu_draft_add(to, &from->pieces[i]))
            return false;
    return true;
}

static bool keep_record(struct beam *b, int64_t length)
{
    struct weir_gpu_record *record = b->pilot->record;
    size_t count = b->node->log.count + b->group.count + b->pilot->desk->log.count;
    if (length == WEIR_GPU_NEVER || length > record->length || (length == record->length && count >= record->draft.count))
        return true;
    record->length = length;
    return weir_gpu_draft_copy(&b->node->log, &record->draft) && append(&record->draft, &b->group) &&
           append(&record->draft, &b->pilot->desk->log);
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
    weir_gpu_state_copy(b->pilot->desk, &b->node->state, &slot.state);
    slot.value = value;
    bool ok = weir_gpu_draft_copy(&b->node->log, &slot.log) && append(&slot.log, &b->group);
    b->next[at] = slot;
    return ok;
}

/* Plays on from the child with each guide. */
static bool judge(struct beam *b)
{
    const struct weir_gpu_pilot *p = b->pilot;
    struct weir_gpu_desk *d = p->desk;
    struct weir_gpu_state *state = &b->node->state;
    int64_t value = WEIR_GPU_NEVER, length;
    d->bar = b->next_count == p->width ? b->next[p->width - 1].value : WEIR_GPU_NEVER;
    weir_gpu_mark_set(&b->at_child, state);
    for (uint32_t i = 0; i < p->guide_count; i++) {
        if (!weir_gpu_play(d, state, p->guides[i], &length) || !keep_record(b, length))
            return false;
        weir_gpu_mark_return(d, &b->at_child, &d->log, state);
        if (length < value)
            d->bar = value = length;
    }
    return offer(b, value);
}

static bool seen_before(struct beam *b, uint64_t hash, int64_t time)
{
    uint64_t key = (hash ^ (uint64_t)time * UINT64_C(0x9e3779b97f4a7c15)) | 1;
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
static bool try_length(struct beam *b, int64_t time)
{
    struct weir_gpu_desk *d = b->pilot->desk;
    struct weir_gpu_state *state = &b->node->state;
    if (!weir_gpu_fill(d, state, time) || seen_before(b, weir_gpu_step_hash(d, state), state->time + d->group_time))
        return true;
    weir_gpu_mark_set(&b->at_node, state);
    b->group.count = 0;
    bool ok = weir_gpu_step(d, state, &b->group) && judge(b);
    weir_gpu_mark_return(d, &b->at_node, &b->group, state);
    return ok;
}

/* How many kernels share the SMs in the i-th length that is tried: 1, all that can, and between them more of the small numbers. */
static uint32_t number_of(uint32_t i, uint32_t lengths, uint32_t most)
{
    if (most <= lengths)
        return i + 1;
    uint64_t last = lengths - 1;
    return 1 + (uint32_t)((uint64_t)(most - 1) * i * i / (last * last));
}

static bool expand(struct beam *b)
{
    struct weir_gpu_desk *d = b->pilot->desk;
    const struct weir_gpu_system *system = d->system;
    for (enum weir_gpu_order order = 0; order < WEIR_GPU_ORDERS; order++) {
        struct weir_gpu_state *s = &b->node->state;
        weir_gpu_sort(d, s, order);
        uint32_t first = s->ready[0], most = system->sms < system->places ? system->sms : system->places;
        uint32_t lengths = b->pilot->lengths;
        most = most < s->ready_count ? most : s->ready_count;
        lengths = lengths < most ? lengths : most;
        if (weir_gpu_splittable(system, first) && !try_length(b, system->shortest[first]))
            return false;
        int64_t last = 0;
        for (uint32_t i = 0; i < lengths && !weir_gpu_over(d, b->pilot->record->length); i++) {
            uint32_t number = number_of(i, lengths, most);
            int64_t time = weir_gpu_share(d, s, s->ready, number);
            d->system->work += number / 8;
            if (time == WEIR_GPU_NEVER)
                break;
            if (time != last && !try_length(b, time))
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
            if (b->now[i].state.left) {
                b->node = &b->now[i];
                if (!expand(b))
                    return false;
            }
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
    bool ok = open_nodes(b, &b->now) && open_nodes(b, &b->next) && weir_gpu_mark_open(pilot->desk, &b->at_node) &&
              weir_gpu_mark_open(pilot->desk, &b->at_child) && run_beam(b);
    close_nodes(b, b->now);
    close_nodes(b, b->next);
    weir_gpu_mark_close(&b->at_node);
    weir_gpu_mark_close(&b->at_child);
    weir_gpu_draft_free(&b->group);
    weir_free(b);
    return ok;
}
