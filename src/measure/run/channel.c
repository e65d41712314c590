/* SPDX-License-Identifier: Apache-2.0 */
#include "measure/run/channel.h"

#include "base/alloc.h"
#include "measure/run/shared.h"

#include <assert.h>
#include <string.h>

/* ---- storage ---- */

static uint64_t power_of_two(uint64_t least)
{
    uint64_t size = 1;
    while (size < least)
        size *= 2;
    return size;
}

static uint64_t sends_of(const struct weir_channel *c, uint64_t messages)
{
    return messages / c->produce + 2;
}

static bool make_lock(struct weir_channel *c)
{
    pthread_mutexattr_t attributes;
    if (pthread_mutexattr_init(&attributes))
        return false;
    /* A thread of high priority may wait for one of low priority here, if only for a few instructions. */
    pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT);
    c->locked_made = !pthread_mutex_init(&c->lock, &attributes);
    pthread_mutexattr_destroy(&attributes);
    return c->locked_made;
}

bool weir_channel_open(struct weir_channel *c, bool slots)
{
    uint64_t room = c->capacity;
    bool stored = slots || c->tag_count > 0;
    c->shared = c->shared && c->kind == WEIR_CHANNEL_RING && room <= WEIR_CHANNEL_RING_MAX;
    if (c->kind == WEIR_CHANNEL_RING && stored && room > WEIR_CHANNEL_RING_MAX)
        c->kind = WEIR_CHANNEL_LOCKED;
    if (c->kind != WEIR_CHANNEL_RING && !make_lock(c))
        return false;
    if (room > WEIR_CHANNEL_RING_MAX)
        room = c->initial + c->produce > 16 ? c->initial + c->produce : 16;
    if (room < c->initial + c->produce)
        room = c->initial + c->produce;
    atomic_store(&c->tail, c->initial);
    c->seen_tail = c->initial;
    bool one = c->kind == WEIR_CHANNEL_LATEST;
    if (slots) {
        uint64_t size = one ? 1 : power_of_two(room);
        c->slots = weir_shared_array(c->shared, size, sizeof *c->slots);
        c->slot_mask = size - 1;
    }
    if (c->tag_count > 0) {
        uint64_t size = one ? 1 : power_of_two(sends_of(c, room));
        c->tags = weir_shared_array(c->shared, size, c->tag_count * sizeof *c->tags);
        c->tag_mask = size - 1;
    }
    c->pauses = c->capacity < 16 ? 1 : c->capacity < 256 ? 4 : 16;
    c->plain = c->kind == WEIR_CHANNEL_RING && c->produce == 1 && c->consume == 1 && c->threshold == 1 && !c->irregular &&
               c->tag_count == 0;
    return (c->slots || !slots) && (c->tags || c->tag_count == 0);
}

static void discard(struct weir_channel *c, void *message)
{
    if (message && c->discard)
        c->discard(c->discard_context, message);
}

void weir_channel_close(struct weir_channel *c)
{
    uint64_t tail = atomic_load(&c->tail);
    if (c->slots)
        for (uint64_t i = atomic_load(&c->head); i != tail; i++)
            discard(c, c->slots[i & c->slot_mask]);
    if (c->holds)
        discard(c, c->held);
    c->holds = false;
    atomic_store(&c->head, tail);
    weir_shared_free(c->shared, c->slots);
    weir_shared_free(c->shared, c->tags);
    c->slots = NULL;
    c->tags = NULL;
    if (c->locked_made)
        pthread_mutex_destroy(&c->lock);
    c->locked_made = false;
}

static int64_t *tags_of(const struct weir_channel *c, uint64_t send)
{
    return &c->tags[(send & c->tag_mask) * c->tag_count];
}

/* Twice the room for the messages from head to tail, under the lock. */
static bool grow_slots(struct weir_channel *c, uint64_t head, uint64_t tail)
{
    uint64_t size = 2 * (c->slot_mask + 1);
    while (size < tail + c->produce - head)
        size *= 2;
    void **grown = weir_array(size, sizeof *grown);
    if (!grown)
        return false;
    for (uint64_t i = head; i != tail; i++)
        grown[i & (size - 1)] = c->slots[i & c->slot_mask];
    weir_free(c->slots);
    c->slots = grown;
    c->slot_mask = size - 1;
    return true;
}

static bool grow_tags(struct weir_channel *c, uint64_t first, uint64_t end)
{
    uint64_t size = 2 * (c->tag_mask + 1), bytes = c->tag_count * sizeof *c->tags;
    while (size < end + 1 - first)
        size *= 2;
    int64_t *grown = weir_array(size, bytes);
    if (!grown)
        return false;
    for (uint64_t i = first; i != end; i++)
        memcpy(&grown[(i & (size - 1)) * c->tag_count], tags_of(c, i), bytes);
    weir_free(c->tags);
    c->tags = grown;
    c->tag_mask = size - 1;
    return true;
}

/* The sends whose messages are in the queue: from the one that the message at head came from to the next. */
static bool grow(struct weir_channel *c, uint64_t head, uint64_t tail)
{
    uint64_t first = head > c->initial ? (head - c->initial) / c->produce : 0, end = (tail - c->initial) / c->produce;
    if (c->slots && tail + c->produce - head > c->slot_mask + 1 && !grow_slots(c, head, tail))
        return false;
    return !c->tags || end + 1 - first <= c->tag_mask + 1 || grow_tags(c, first, end);
}

/* ---- the consumer ---- */

/* What the sends from `first` to before `end` carry of one origin, together. */
static struct weir_origin gather(const struct weir_channel *c, uint32_t origin, uint64_t first, uint64_t end)
{
    struct weir_origin all = {-1, INT64_MAX};
    for (uint64_t i = first; i < end; i++) {
        const int64_t *tag = &tags_of(c, i)[(uint32_t)c->origin_tag + 2 * origin];
        all.lead = tag[0] > all.lead ? tag[0] : all.lead;
        all.time = tag[1] < all.time ? tag[1] : all.time;
    }
    return all;
}

static void add_origins(const struct weir_channel *c, uint64_t first, uint64_t end, struct weir_taking *taking)
{
    uint32_t count = (c->tag_count - (uint32_t)c->origin_tag) / 2;
    for (uint32_t k = 0; k < count; k++) {
        struct weir_origin all = gather(c, k, first, end),
                           *mine = &taking->origins[c->segment ? k / c->segments * c->segments + c->segment : k];
        if (c->segment) /* over whatever it came here */
            all.lead = taking->execution;
        if (all.lead > mine->lead)
            *mine = all;
        else if (all.lead == mine->lead && all.time < mine->time)
            mine->time = all.time;
    }
}

/* Of so many messages from that one on. */
static void read_tags(const struct weir_channel *c, uint64_t message, uint64_t count, struct weir_taking *taking)
{
    uint64_t end = message + count, first = message > c->initial ? (message - c->initial) / c->produce : 0;
    taking->sender = message < c->initial ? -1 : (int64_t)first;
    if (!c->tags || end <= c->initial)
        return;
    if (c->sender_tag >= 0 && message >= c->initial)
        taking->sender = tags_of(c, first)[c->sender_tag];
    if (c->origin_tag >= 0)
        add_origins(c, first, (end - c->initial - 1) / c->produce + 1, taking);
}

static void read_messages(const struct weir_channel *c, uint64_t head, struct weir_taking *taking)
{
    taking->count = (uint32_t)c->threshold;
    if (c->slots)
        for (uint32_t i = 0; i < taking->count; i++)
            taking->messages[i] = c->slots[(head + i) & c->slot_mask];
    read_tags(c, head, c->consume, taking);
}

/* The newest message: a new one is held from now on, and the one before it let go. */
static void take_latest(struct weir_channel *c, struct weir_taking *taking)
{
    pthread_mutex_lock(&c->lock);
    uint64_t head = atomic_load_explicit(&c->head, memory_order_relaxed);
    uint64_t tail = atomic_load_explicit(&c->tail, memory_order_relaxed);
    void *before = c->held;
    bool let_go = c->holds && head != tail;
    if (head != tail) {
        c->held = c->slots ? c->slots[0] : NULL;
        c->holds = true;
        c->taken++;
        atomic_store_explicit(&c->head, tail, memory_order_relaxed);
    }
    if (tail > 0) {
        taking->count = 1;
        taking->again = head == tail;
        read_tags(c, tail - 1, 1, taking);
        if (c->slots)
            taking->messages[0] = c->held;
    }
    pthread_mutex_unlock(&c->lock);
    if (let_go)
        discard(c, before);
}

void weir_channel_take(struct weir_channel *c, struct weir_taking *taking)
{
    taking->count = 0;
    taking->again = false;
    taking->sender = -1;
    if (c->segment && c->origin_tag >= 0) /* that nothing came is news as well */
        for (uint32_t k = c->segment; k < (c->tag_count - (uint32_t)c->origin_tag) / 2; k += c->segments)
            taking->origins[k].lead = taking->execution;
    if (c->kind == WEIR_CHANNEL_LATEST) {
        take_latest(c, taking);
        return;
    }
    if (c->kind == WEIR_CHANNEL_LOCKED)
        pthread_mutex_lock(&c->lock);
    uint64_t head = atomic_load_explicit(&c->head, memory_order_relaxed);
    if (c->required || atomic_load_explicit(&c->tail, memory_order_acquire) - head >= c->threshold) {
        read_messages(c, head, taking);
        c->taken += c->consume;
        if (c->pops) /* or the producer might lose it while it is being worked on */
            atomic_store_explicit(&c->head, head + c->consume, memory_order_relaxed);
    }
    if (c->kind == WEIR_CHANNEL_LOCKED)
        pthread_mutex_unlock(&c->lock);
}

uint64_t weir_channel_taken(const struct weir_channel *c, const struct weir_taking *taking)
{
    return taking->count == 0 || c->pops || c->kind == WEIR_CHANNEL_LATEST ? 0 : c->consume;
}

int64_t weir_channel_due(struct weir_channel *c)
{
    uint64_t last = atomic_load_explicit(&c->head, memory_order_relaxed) + c->threshold - 1;
    if (c->due_tag < 0 || last < c->initial)
        return INT64_MIN;
    if (c->kind == WEIR_CHANNEL_LOCKED) /* it may be growing */
        pthread_mutex_lock(&c->lock);
    int64_t due = tags_of(c, (last - c->initial) / c->produce)[c->due_tag];
    if (c->kind == WEIR_CHANNEL_LOCKED)
        pthread_mutex_unlock(&c->lock);
    return due;
}

/* ---- the producer ---- */

static void write_send(struct weir_channel *c, uint64_t at, const struct weir_sending *sending)
{
    if (c->slots)
        for (uint64_t i = 0; i < c->produce; i++)
            c->slots[(at + i) & c->slot_mask] = sending->messages ? sending->messages[i] : NULL;
    if (!c->tags)
        return;
    assert(c->produce > 0);
    int64_t *tags = tags_of(c, (at - c->initial) / c->produce);
    if (c->due_tag >= 0)
        tags[c->due_tag] = sending->due;
    if (c->sender_tag >= 0)
        tags[c->sender_tag] = sending->sender;
    if (c->origin_tag >= 0)
        memcpy(&tags[c->origin_tag], sending->origins, (c->tag_count - (uint32_t)c->origin_tag) * sizeof *tags);
}

static void send_latest(struct weir_channel *c, const struct weir_sending *sending)
{
    pthread_mutex_lock(&c->lock);
    uint64_t tail = atomic_load_explicit(&c->tail, memory_order_relaxed);
    bool unread = atomic_load_explicit(&c->head, memory_order_relaxed) != tail;
    void *before = unread && c->slots ? c->slots[0] : NULL;
    c->lost += unread;
    write_send(c, tail, sending);
    atomic_store_explicit(&c->head, tail, memory_order_relaxed);
    atomic_store_explicit(&c->tail, tail + 1, memory_order_relaxed);
    pthread_mutex_unlock(&c->lock);
    discard(c, before);
}

static enum weir_status send_locked(const struct weir_thread_group *group, struct weir_channel *c,
                                    const struct weir_sending *sending)
{
    void *lost = NULL;
    enum weir_status status = WEIR_OK;
    pthread_mutex_lock(&c->lock);
    uint64_t head = atomic_load_explicit(&c->head, memory_order_relaxed);
    uint64_t tail = atomic_load_explicit(&c->tail, memory_order_relaxed);
    if (c->pops && tail + 1 - head > c->capacity) {
        lost = c->slots ? c->slots[head & c->slot_mask] : NULL;
        atomic_store_explicit(&c->head, ++head, memory_order_relaxed);
        c->lost++;
    }
    if (!grow(c, head, tail)) {
        status = WEIR_MEMORY;
    } else {
        write_send(c, tail, sending);
        weir_index_publish(group, &c->tail, tail + c->produce);
    }
    pthread_mutex_unlock(&c->lock);
    discard(c, lost);
    return status;
}

/* A queue whose producer does not wait may be full now. True: the message is lost. */
static bool refuses(struct weir_channel *c, uint64_t tail)
{
    if (c->waits || c->pops || c->capacity == UINT64_MAX || c->kind == WEIR_CHANNEL_LATEST)
        return false;
    return tail + c->produce - atomic_load_explicit(&c->head, memory_order_acquire) > c->capacity;
}

enum weir_status weir_channel_send(const struct weir_thread_group *group, struct weir_channel *c,
                                   const struct weir_sending *sending, bool *sent)
{
    uint64_t tail = atomic_load_explicit(&c->tail, memory_order_relaxed);
    *sent = false;
    if (refuses(c, tail)) {
        c->lost += c->produce;
        for (uint64_t i = 0; c->slots && i < c->produce; i++)
            discard(c, sending->messages[i]);
        return c->full == WEIR_FULL_FAULT ? WEIR_INVALID : WEIR_OK;
    }
    *sent = true;
    if (c->kind == WEIR_CHANNEL_LATEST) {
        send_latest(c, sending);
        return WEIR_OK;
    }
    if (c->kind == WEIR_CHANNEL_LOCKED)
        return send_locked(group, c, sending);
    write_send(c, tail, sending);
    weir_index_publish(group, &c->tail, tail + c->produce);
    return WEIR_OK;
}
