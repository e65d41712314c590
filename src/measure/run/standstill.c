/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Was it one operator that did not go on, or the whole program? Where it was stopped (a signal, a debugger, a frozen group, a
 * machine that was suspended), no operator starts or finishes anything, and another one missed the same time, or the thread that
 * watches did. One such standstill makes many operators late, each at another place of what it does; it is one incident.
 */
#include "base/alloc.h"
#include "base/sorted.h"
#include "measure/run/trial.h"

#include <stdlib.h>

#define LEAST_NS 1000000 /* shorter ones are not looked for */
#define EVENTS_MAX 1024  /* starts and ends in the time looked at; with more it was no standstill */

/* The first record of an operator that ended behind `moment`. */
static size_t first_behind(const struct weir_run *run, struct weir_operator op, int64_t moment)
{
    size_t low = 0, high = weir_run_record_count(run, op);
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (weir_run_record_at(run, op, middle).finish > moment)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

struct events {
    int64_t at[EVENTS_MAX];
    size_t count;
    int64_t before; /* the last at or before the time looked at */
};

static bool add_event(struct events *e, int64_t at, int64_t from, int64_t to)
{
    if (at <= from && at > e->before)
        e->before = at;
    if (at <= from || at >= to)
        return true;
    if (e->count == EVENTS_MAX)
        return false;
    e->at[e->count++] = at;
    return true;
}

static bool gather(const struct weir_trial *trial, int64_t from, int64_t to, struct events *e)
{
    for (uint32_t i = 0; i < trial->operators; i++) {
        struct weir_operator op = {i};
        size_t k = first_behind(trial->run, op, from), count = weir_run_record_count(trial->run, op);
        if (k > 0)
            add_event(e, weir_run_record_at(trial->run, op, k - 1).finish, from, to);
        for (; k < count; k++) {
            struct weir_run_record r = weir_run_record_at(trial->run, op, k);
            if (r.start >= to)
                break;
            if (!add_event(e, r.start, from, to) || !add_event(e, r.finish, from, to))
                return false;
        }
    }
    return true;
}

/* The longest time in [from, to] in which nothing started or ended; it may have begun before. */
static struct weir_standstill find_silence(const struct weir_trial *trial, int64_t from, int64_t to, struct events *e)
{
    struct weir_standstill longest = {from, from};
    e->count = 0;
    e->before = INT64_MIN;
    if (!gather(trial, from, to, e))
        return longest;
    qsort(e->at, e->count, sizeof *e->at, weir_ascending_i64);
    int64_t last = from;
    for (size_t i = 0; i <= e->count; i++) {
        int64_t next = i < e->count ? e->at[i] : to;
        if (next - last > longest.to - longest.from)
            longest = (struct weir_standstill){last, next};
        last = next;
    }
    if (longest.from == from && e->before != INT64_MIN)
        longest.from = e->before;
    return longest;
}

static int64_t overlap(const struct weir_standstill *s, int64_t from, int64_t to)
{
    int64_t begin = s->from > from ? s->from : from, end = s->to < to ? s->to : to;
    return end > begin ? end - begin : 0;
}

/* What it lost of an execution that was under way, or of the time in which it could have begun, with a CPU free. */
static bool missed_it(const struct weir_trial *trial, uint32_t index, const struct weir_standstill *s, int64_t least)
{
    struct weir_operator op = {index};
    struct weir_run_record r = weir_run_record_at(trial->run, op, first_behind(trial->run, op, s->from));
    if (r.execution < 0)
        return false;
    if (r.start <= s->from)
        return r.finish >= s->to && r.cpu >= 0 && r.finish - r.start - r.cpu - (r.starved > 0 ? r.starved : 0) >= least;
    if (r.start < s->to || r.ready == INT64_MIN)
        return false;
    int64_t begin = r.ready > s->from ? r.ready : s->from;
    return s->to - begin - (r.starved_before > 0 ? r.starved_before : 0) >= least;
}

static bool has_witness(const struct weir_trial *trial, uint32_t except, const struct weir_standstill *s, int64_t least)
{
    for (size_t i = 0; i < trial->watch_count; i++) {
        const struct weir_watch *w = &trial->watches[i];
        if (overlap(s, w->due, w->woke) - w->starved >= least)
            return true;
    }
    for (uint32_t i = 0; i < trial->operators; i++)
        if (i != except && missed_it(trial, i, s, least))
            return true;
    return false;
}

const struct weir_standstill *weir_standstill_find(struct weir_trial *trial, uint32_t op, int64_t from, int64_t to, int64_t missing)
{
    if (missing < LEAST_NS)
        return NULL;
    for (size_t i = 0; i < trial->standstill_count; i++)
        if (overlap(&trial->standstills[i], from, to) >= missing - missing / 4)
            return &trial->standstills[i];
    struct events events;
    struct weir_standstill found = find_silence(trial, from, to, &events);
    if (overlap(&found, from, to) < missing - missing / 4 || !has_witness(trial, op, &found, missing / 4))
        return NULL;
    if (trial->standstill_count == trial->standstill_room) {
        size_t room = trial->standstill_room ? 2 * trial->standstill_room : 16;
        struct weir_standstill *grown = weir_resize(trial->standstills, room * sizeof *grown);
        trial->out_of_memory = trial->out_of_memory || !grown;
        if (!grown)
            return NULL;
        trial->standstills = grown;
        trial->standstill_room = room;
    }
    trial->standstills[trial->standstill_count] = found;
    return &trial->standstills[trial->standstill_count++];
}
