/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which operator runs. A lane knows its operators by rank, the most urgent first, and which of them have something to run as bits.
 * Where it goes by priorities, the first bit is the choice; in round robin it is the next bit after the last turn. An operator's
 * part of a TDM processor is a lane of its own, and when an iteration there ends is known when it starts.
 */
#include "base/number.h"
#include "simulate/processors_inside.h"

static uint64_t *word_of(const struct weir_processors *p, const struct weir_lane *lane, uint32_t rank)
{
    return &p->ready[lane->bits + rank / 64];
}

/* The first ready rank from `rank` on and below `end`; `end` if there is none. */
static uint32_t next_ready(const struct weir_processors *p, const struct weir_lane *lane, uint32_t rank, uint32_t end)
{
    while (rank < end) {
        uint64_t bits = *word_of(p, lane, rank) >> rank % 64;
        if (bits) {
            rank += (uint32_t)__builtin_ctzll(bits);
            return rank < end ? rank : end;
        }
        rank += 64 - rank % 64;
    }
    return end;
}

static void mark(struct weir_processors *p, uint32_t lane)
{
    if (!p->lanes[lane].dirty)
        p->dirty[p->dirty_count++] = lane;
    p->lanes[lane].dirty = true;
}

void weir_lane_ready(struct weir_processors *p, uint32_t op, bool ready)
{
    const struct weir_worker *w = &p->workers[op];
    struct weir_lane *lane = &p->lanes[w->lane];
    *word_of(p, lane, w->rank) ^= UINT64_C(1) << w->rank % 64;
    lane->ready_count = ready ? lane->ready_count + 1 : lane->ready_count - 1;
    mark(p, w->lane);
}

/* ---- for a seed ---- */

/* Equals in random order; ranks by that order. */
static void shuffle(struct weir_processors *p, struct weir_lane *lane)
{
    uint32_t *order = &p->order[lane->first];
    const uint32_t *canonical = &p->canonical[lane->first];
    for (uint32_t i = 0; i < lane->count; i++) {
        uint32_t tie = p->workers[canonical[i]].tie, j = i;
        if (lane->ties && tie < i)
            j = (uint32_t)weir_random_between(&p->random, tie, i);
        order[i] = order[j];
        order[j] = canonical[i];
    }
    for (uint32_t i = 0; i < lane->count; i++)
        p->workers[order[i]].rank = i;
}

void weir_lanes_begin(struct weir_processors *p)
{
    uint32_t processor = WEIR_NO_OPERATOR;
    int64_t offset = 0;
    for (size_t i = 0; i < p->ready_words; i++)
        p->ready[i] = 0;
    for (uint32_t i = 0; i < p->lane_count; i++) {
        struct weir_lane *lane = &p->lanes[i];
        lane->running = WEIR_NO_OPERATOR;
        lane->ready_count = 0;
        lane->waiting = lane->dirty = false;
        shuffle(p, lane);
        lane->fickle = lane->ties && weir_random_next(&p->random) >> 63;
        lane->turn = lane->sharing == WEIR_ROUND_ROBIN ? (uint32_t)weir_random_between(&p->random, 0, lane->count - 1) : 0;
        lane->used = p->workers[p->order[lane->first + lane->turn]].slot;
        if (lane->sharing != WEIR_TDM)
            continue;
        if (lane->processor != processor) { /* lanes of one frame stand together, in the order of their slots */
            processor = lane->processor;
            offset = p->rules->frames ? p->rules->frames[processor] : weir_random_between(&p->random, 0, lane->frame - 1);
        }
        lane->offset = offset % lane->frame;
        offset = lane->offset + p->workers[p->order[lane->first]].slot;
    }
}

/* ---- running ---- */

static void stretch(const struct weir_processors *p, uint32_t op, int64_t from, int64_t to)
{
    if (p->rules->ran && to > from)
        p->rules->ran(p->rules->context, (struct weir_operator){op}, p->workers[op].finished, from, to);
}

/* What the running operator has done since. A turn of an operator that is alone continues as another of its turns. */
static void settle(struct weir_processors *p, struct weir_lane *lane)
{
    if (lane->running == WEIR_NO_OPERATOR || lane->waiting)
        return;
    struct weir_worker *w = &p->workers[lane->running];
    int64_t done = p->now - lane->since;
    lane->since = p->now;
    w->left -= done;
    if (lane->sharing != WEIR_ROUND_ROBIN || done == 0)
        return;
    lane->used += done;
    if (lane->used > w->slot)
        lane->used = (lane->used - 1) % w->slot + 1;
}

/* The next iteration of the operator has the lane, from now on. */
static void begin(struct weir_processors *p, struct weir_lane *lane, uint32_t op)
{
    struct weir_worker *w = &p->workers[op];
    if (w->left < 0) {
        w->left = p->rules->time_of(p->rules->context, (struct weir_operator){op}, w->finished);
        if (w->left < 0)
            weir_processors_refuse(p, WEIR_INVALID, "an execution was given a negative time");
    }
    lane->running = op;
    lane->since = lane->from = p->now;
}

/* Its START is reported at the end of the moment. */
static void announce(struct weir_processors *p, uint32_t op)
{
    struct weir_worker *w = &p->workers[op];
    if (!w->begun && !w->queued) {
        w->queued = true;
        p->starting[p->starting_count++] = op;
    }
}

static void until(struct weir_processors *p, uint32_t lane, int64_t delay)
{
    int64_t time;
    if (weir_add(p->now, delay, &time))
        weir_processors_set(p, lane, time);
    else
        weir_processors_refuse(p, WEIR_OVERFLOW, NULL);
}

/* ---- a slot of a frame ---- */

static int64_t within_frame(const struct weir_lane *lane, int64_t time)
{
    int64_t at = (time - lane->offset) % lane->frame;
    return at < 0 ? at + lane->frame : at;
}

/* From now, in the slot, to the end of the iteration. */
static int64_t slotted(struct weir_processors *p, const struct weir_lane *lane, int64_t left)
{
    int64_t slot = p->workers[lane->running].slot, here = slot - within_frame(lane, p->now), frames, delay;
    if (left <= here)
        return left;
    int64_t pauses = (left - here - 1) / slot + 1;
    if (!weir_multiply(pauses, lane->frame - slot, &frames) || !weir_add(left, frames, &delay)) {
        weir_processors_refuse(p, WEIR_OVERFLOW, NULL);
        return 0;
    }
    return delay;
}

static void enter_slot(struct weir_processors *p, uint32_t index)
{
    struct weir_lane *lane = &p->lanes[index];
    lane->waiting = false;
    lane->since = lane->from = p->now;
    announce(p, lane->running);
    until(p, index, slotted(p, lane, p->workers[lane->running].left));
}

static void tell_slots(const struct weir_processors *p, const struct weir_lane *lane)
{
    int64_t slot = p->workers[lane->running].slot, from = lane->from, left = p->workers[lane->running].left;
    if (!p->rules->ran)
        return;
    for (int64_t here = slot - within_frame(lane, from); left > 0; here = slot) {
        int64_t to = from + (left < here ? left : here);
        stretch(p, lane->running, from, to);
        left -= to - from;
        from = to + lane->frame - slot;
    }
}

static void choose_slot(struct weir_processors *p, uint32_t index)
{
    struct weir_lane *lane = &p->lanes[index];
    if (lane->running != WEIR_NO_OPERATOR || lane->ready_count == 0)
        return;
    begin(p, lane, p->order[lane->first]);
    int64_t at = within_frame(lane, p->now);
    if (p->status)
        return;
    if (at < p->workers[lane->running].slot) {
        enter_slot(p, index);
    } else {
        lane->waiting = true;
        until(p, index, lane->frame - at);
    }
}

/* ---- choosing ---- */

static uint32_t most_urgent(struct weir_processors *p, const struct weir_lane *lane)
{
    uint32_t rank = next_ready(p, lane, 0, lane->count), tie = p->workers[p->order[lane->first + rank]].tie;
    if (!lane->fickle)
        return p->order[lane->first + rank];
    uint32_t chosen = rank, seen = 1;
    while ((rank = next_ready(p, lane, rank + 1, lane->count)) < lane->count && p->workers[p->order[lane->first + rank]].tie == tie)
        if (weir_random_between(&p->random, 0, seen++) == 0)
            chosen = rank;
    return p->order[lane->first + chosen];
}

static uint32_t whose_turn(struct weir_processors *p, struct weir_lane *lane)
{
    const struct weir_worker *w = &p->workers[p->order[lane->first + lane->turn]];
    bool ready = *word_of(p, lane, lane->turn) >> lane->turn % 64 & 1;
    if (!ready || lane->used >= w->slot) {
        lane->turn = next_ready(p, lane, lane->turn + 1, lane->count);
        if (lane->turn == lane->count)
            lane->turn = next_ready(p, lane, 0, lane->count);
        lane->used = 0;
    }
    return p->order[lane->first + lane->turn];
}

void weir_lane_choose(struct weir_processors *p, uint32_t index)
{
    struct weir_lane *lane = &p->lanes[index];
    if (lane->sharing == WEIR_TDM) {
        choose_slot(p, index);
        return;
    }
    if (lane->sharing == WEIR_NONPREEMPTIVE && lane->running != WEIR_NO_OPERATOR)
        return;
    settle(p, lane);
    if (lane->ready_count == 0) {
        lane->used = p->workers[p->order[lane->first + lane->turn]].slot; /* the turn is over */
        weir_processors_set(p, index, INT64_MAX);
        return;
    }
    uint32_t op = lane->sharing == WEIR_ROUND_ROBIN ? whose_turn(p, lane) : most_urgent(p, lane);
    if (op != lane->running) {
        if (lane->running != WEIR_NO_OPERATOR)
            stretch(p, lane->running, lane->from, p->now);
        begin(p, lane, op);
        announce(p, op);
    }
    if (p->status)
        return;
    int64_t length = p->workers[op].left;
    if (lane->sharing == WEIR_ROUND_ROBIN && lane->ready_count > 1 && length > p->workers[op].slot - lane->used)
        length = p->workers[op].slot - lane->used;
    until(p, index, length);
}

uint32_t weir_lane_wake(struct weir_processors *p, uint32_t index)
{
    struct weir_lane *lane = &p->lanes[index];
    uint32_t op = lane->running;
    weir_processors_set(p, index, INT64_MAX);
    mark(p, index);
    if (lane->waiting) {
        enter_slot(p, index);
        return WEIR_NO_OPERATOR;
    }
    if (lane->sharing == WEIR_TDM) {
        tell_slots(p, lane);
    } else {
        settle(p, lane);
        if (p->workers[op].left > 0)
            return WEIR_NO_OPERATOR; /* the turn is over */
        stretch(p, op, lane->from, p->now);
    }
    lane->running = WEIR_NO_OPERATOR;
    return op;
}
