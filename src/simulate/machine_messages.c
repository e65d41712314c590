/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Messages as they are sent, lost, delivered, claimed and received. Where all of a pipeline is plain they are only counted.
 *
 * A queue that can lose messages is full when that many are in it that are not yet claimed: new ones have a stage of their own.
 */
#include "base/alloc.h"
#include "base/number.h"
#include "simulate/machine_inside.h"

/* ---- lines ---- */

void weir_line_free(struct weir_machine_line *line)
{
    weir_free(line->ring);
}

static struct weir_parcel *line_at(const struct weir_machine_line *line, uint64_t place)
{
    return &line->ring[place & (line->capacity - 1)];
}

static void line_push(struct weir_machine *m, struct weir_machine_line *line, struct weir_parcel parcel)
{
    if (line->count == line->capacity) {
        size_t capacity = line->capacity ? 2 * line->capacity : 4;
        struct weir_parcel *ring = weir_array(capacity, sizeof *ring);
        if (!ring) {
            m->status = WEIR_MEMORY;
            return;
        }
        for (uint64_t i = line->first; i < line->first + line->count; i++)
            ring[i & (capacity - 1)] = *line_at(line, i);
        weir_free(line->ring);
        line->ring = ring;
        line->capacity = capacity;
    }
    *line_at(line, line->first + line->count++) = parcel;
}

/* Initial messages are not in the line: they come first, and carry nothing. */
static struct weir_parcel line_pop(struct weir_machine_line *line, int64_t messages)
{
    if (messages > (int64_t)line->count)
        return (struct weir_parcel){.provenance = WEIR_NO_PROVENANCE};
    line->count--;
    return *line_at(line, line->first++);
}

/* ---- claiming ---- */

static void load(struct weir_parcel *into, struct weir_parcel from)
{
    if (from.over > into->over)
        into->over = from.over;
}

static void take(struct weir_machine *m, uint32_t channel, int64_t execution, struct weir_parcel *into)
{
    struct weir_machine_channel *c = &m->channels[channel];
    struct weir_channel_more *more = &m->more[channel];
    struct weir_parcel parcel = line_pop(&more->waiting, c->messages--);
    load(into, parcel);
    if (more->segment)
        weir_provenance_add_segment(&m->hold, into->provenance, parcel.provenance, more->segment, execution);
    else
        weir_provenance_gather(&m->hold, parcel.provenance);
    weir_provenance_drop(&m->hold, parcel.provenance);
}

static void claim_input(struct weir_machine *m, uint32_t channel, int64_t execution, struct weir_parcel *into)
{
    struct weir_machine_channel *c = &m->channels[channel];
    struct weir_channel_more *more = &m->more[channel];
    for (uint32_t i = 0; i < c->need; i++)
        take(m, channel, execution, into);
    if (!more->segment)
        weir_provenance_add_gathered(&m->hold, into->provenance);
    if (more->optional)
        weir_provenance_add_segment(&m->hold, into->provenance, WEIR_NO_PROVENANCE, more->segment, execution);
    if (more->optional && c->messages > 0) {
        take(m, channel, execution, into);
        line_push(m, &more->claimed, (struct weir_parcel){.over = execution, .provenance = WEIR_NO_PROVENANCE});
    }
}

void weir_machine_read(struct weir_machine *m, const struct weir_machine_thread *s, int64_t execution, struct weir_parcel *parcel)
{
    for (uint32_t i = s->first_in; m->more && i < s->end_in; i++) {
        struct weir_channel_more *more = &m->more[m->inputs[i]];
        if (!more->latest)
            continue;
        more->unread = false;
        load(parcel, more->value);
        weir_provenance_add_segment(&m->hold, parcel->provenance, more->value.provenance, more->segment, execution);
    }
}

enum weir_missing weir_machine_misses(const struct weir_machine *m, const struct weir_machine_thread *s, uint32_t *queue)
{
    enum weir_missing worst = WEIR_MISSING_REUSE;
    for (uint32_t i = s->first_in; m->more && i < s->end_in; i++) {
        const struct weir_channel_more *more = &m->more[m->inputs[i]];
        bool there = more->value.began && (!more->has_within || m->now - (more->value.began - 1) <= more->within);
        if (!more->latest || there || more->missing <= worst)
            continue;
        worst = (enum weir_missing)more->missing;
        *queue = more->queue;
    }
    return worst;
}

void weir_machine_send_nothing(struct weir_machine *m, const struct weir_machine_thread *s)
{
    for (uint32_t i = s->first_out; i < s->end_out; i++) {
        struct weir_machine_channel *c = &m->channels[i];
        bool full = c->occupied == c->capacity;
        c->occupied--;
        if (full)
            weir_machine_condition_met(m, c->from);
    }
}

void weir_machine_claim(struct weir_machine *m, uint32_t op, int64_t execution, struct weir_parcel *parcel)
{
    struct weir_machine_thread *s = &m->threads[op];
    for (uint32_t i = s->first_in; i < s->end_in; i++) {
        struct weir_machine_channel *c = &m->channels[m->inputs[i]];
        if (m->more)
            claim_input(m, m->inputs[i], execution, parcel);
        else
            c->messages -= c->need;
        weir_machine_sees(m, c->messages - c->need);
        s->missing += c->messages < c->need;
    }
    for (uint32_t i = s->first_out; i < s->end_out; i++) {
        struct weir_machine_channel *c = &m->channels[i];
        weir_machine_sees(m, c->capacity - ++c->occupied);
        s->missing += c->occupied == c->capacity;
    }
}

/* ---- ports that several send to ---- */

/* The last slot is taken, or free again: all operators that look there see it. */
static void tell_producers(struct weir_machine *m, uint32_t line, bool full)
{
    for (uint32_t i = 0; i < m->channel_count; i++) {
        uint32_t op = m->channels[i].from;
        if (m->more[i].line != line || !m->more[i].looks)
            continue;
        if (!full) {
            weir_machine_condition_met(m, op);
            continue;
        }
        if (m->threads[op].missing++ == 0)
            weir_machine_not_ready(m, op);
    }
}

static void change_held(struct weir_machine *m, uint32_t line, int64_t by)
{
    struct weir_channel_more *more = &m->more[line];
    bool full = more->held >= more->room;
    more->held += by;
    if (full != (more->held >= more->room))
        tell_producers(m, line, !full);
}

/* ---- receiving ---- */

static int64_t received(struct weir_machine *m, uint32_t channel, int64_t execution)
{
    struct weir_channel_more *more = m->more ? &m->more[channel] : NULL;
    if (!more || (!more->optional && !more->latest))
        return m->channels[channel].need;
    if (more->claimed.count == 0 || line_at(&more->claimed, more->claimed.first)->over != execution)
        return 0;
    line_pop(&more->claimed, 0);
    return 1;
}

void weir_machine_free_slots(struct weir_machine *m, struct weir_machine_thread *s)
{
    int64_t execution = s->received++;
    for (uint32_t i = s->first_in; i < s->end_in; i++) {
        struct weir_machine_channel *c = &m->channels[m->inputs[i]];
        int64_t count = received(m, m->inputs[i], execution);
        bool full = c->occupied == c->capacity;
        weir_machine_sees(m, c->capacity - c->occupied);
        c->occupied -= count;
        if (m->more && m->more[m->inputs[i]].shared)
            change_held(m, m->inputs[i], -count);
        if (full && count > 0)
            weir_machine_condition_met(m, c->from);
    }
}

/* ---- sending ---- */

static void lose(struct weir_machine *m, const struct weir_channel_more *more, struct weir_parcel parcel)
{
    weir_provenance_drop(&m->hold, parcel.provenance);
    const struct weir_age_options *ages = m->rules->ages;
    if (ages && ages->lost)
        ages->lost(ages->run.context, (struct weir_queue){more->queue}, m->now);
}

/* True when there is no place for it. */
static bool overflow(struct weir_machine *m, uint32_t channel, struct weir_parcel parcel)
{
    struct weir_machine_channel *c = &m->channels[channel];
    struct weir_channel_more *more = &m->more[channel];
    if (more->full == WEIR_FULL_NEVER || c->messages < more->room)
        return false;
    if (more->full == WEIR_FULL_POP) {
        bool sent = c->messages <= (int64_t)more->waiting.count;
        struct weir_parcel oldest = line_pop(&more->waiting, c->messages);
        if (sent)
            lose(m, more, oldest);
        line_push(m, &more->waiting, parcel); /* as many messages as before */
        return true;
    }
    if (more->full == WEIR_FULL_FAULT) {
        m->stopped = true;
        if (m->rules->end)
            *m->rules->end = (struct weir_age_end){.fault = true, .queue = {more->queue}, .time = m->now};
        return true;
    }
    lose(m, more, parcel);
    return true;
}

static void arrive(struct weir_machine *m, uint32_t channel, struct weir_parcel parcel)
{
    channel = m->more[channel].line;
    struct weir_machine_channel *c = &m->channels[channel];
    struct weir_channel_more *more = &m->more[channel];
    if (more->latest) {
        if (more->unread)
            lose(m, more, more->value);
        else
            weir_provenance_drop(&m->hold, more->value.provenance);
        more->value = parcel;
        more->unread = true;
    } else if (!overflow(m, channel, parcel)) {
        line_push(m, &more->waiting, parcel);
        if (more->shared)
            change_held(m, channel, 1);
        if (++c->messages == c->need)
            weir_machine_condition_met(m, c->to);
    }
}

static void dispatch(struct weir_machine *m, uint32_t channel, struct weir_parcel parcel)
{
    struct weir_channel_more *more = &m->more[channel];
    const struct weir_machine_rules *rules = m->rules;
    int64_t message = more->sent++;
    weir_provenance_keep(&m->hold, parcel.provenance);
    if (!more->transfer) {
        arrive(m, channel, parcel);
        return;
    }
    struct weir_operator to = {m->channels[channel].to};
    int64_t time = rules->transfer_of ? rules->transfer_of(rules->context, (struct weir_queue){more->queue}, message)
                                      : rules->time_of(rules->context, to, WEIR_PART_TRANSFER, message);
    int64_t then = weir_machine_after(m, m->now, time);
    if (then > more->last_arrival)
        more->last_arrival = then;
    line_push(m, &more->under_way, parcel);
    weir_machine_push(m, more->last_arrival, (struct weir_machine_moment){.op = channel, .kind = WEIR_MACHINE_DELIVERY});
}

void weir_machine_deliver(struct weir_machine *m, uint32_t channel)
{
    arrive(m, channel, line_pop(&m->more[channel].under_way, 0));
}

void weir_machine_send(struct weir_machine *m, struct weir_machine_thread *s, const struct weir_parcel *parcel)
{
    for (uint32_t i = s->first_out; i < s->end_out && !m->status; i++) {
        struct weir_machine_channel *c = &m->channels[i];
        if (m->more) {
            dispatch(m, i, *parcel);
            continue;
        }
        weir_machine_sees(m, ++c->messages - c->need);
        if (c->messages == c->need)
            weir_machine_condition_met(m, c->to);
    }
}
