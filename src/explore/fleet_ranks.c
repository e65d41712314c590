/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One search by several processes. The others ask rank 0 for a stretch of tasks and send back its results with the next question;
 * stretches get shorter towards the end, so that all end at about the same time. Rank 0 answers until every other one has been told
 * that nothing is left. At the end all get all results from rank 0.
 *
 *   question   {first, end, failure} and, for a stretch that was done, `end - first` marks and the results
 *   answer     {first, end} and the hint; first == end: nothing is left
 */
#include "base/alloc.h"
#include "base/error.h"
#include "explore/fleet.h"

#include <string.h>

#define STRETCH_MAX 4096

struct question {
    uint64_t first, end;
    struct weir_fleet_failure failure;
};

struct answer {
    uint64_t first, end;
};

static enum weir_status lost(struct weir_error *error)
{
    return weir_fail(error, WEIR_IO, "another process of the search cannot be reached any more");
}

/* How many tasks one message may hold. */
static uint64_t stretch_most(const struct weir_fleet_work *w)
{
    uint64_t fit = ((uint64_t)1 << 24) / (w->result_size + 1);
    return fit < 1 ? 1 : fit > STRETCH_MAX ? STRETCH_MAX : fit;
}

static size_t question_room(const struct weir_fleet_work *w)
{
    return sizeof(struct question) + (size_t)stretch_most(w) * (w->result_size + 1);
}

/* ---- rank 0 ---- */

static bool take(struct weir_fleet *c, const struct weir_fleet_work *w, const char *message, size_t size)
{
    struct question q;
    if (size < sizeof q)
        return false;
    memcpy(&q, message, sizeof q);
    uint64_t tasks = q.end - q.first;
    if (q.end < q.first || q.end > w->count || tasks > stretch_most(w) || size != sizeof q + tasks * (w->result_size + 1))
        return false;
    const char *marks = message + sizeof q;
    weir_fleet_take_back(c, q.first, q.end, marks + tasks, (const uint8_t *)marks);
    if (q.failure.status)
        weir_fleet_fail(c, q.failure.task, q.failure.status, &q.failure.error);
    return true;
}

/* A share of what is left for each of them, several times over; small ones at the end. */
static uint64_t share_of(const struct weir_fleet_work *w, uint64_t first_free, unsigned ranks)
{
    uint64_t left = w->count - first_free, share = left / (8 * (uint64_t)ranks), most = stretch_most(w);
    return share < 1 ? 1 : share > most ? most : share;
}

enum weir_status weir_fleet_lead(struct weir_fleet *c, const struct weir_fleet_work *w, struct weir_error *error)
{
    const struct weir_ranks *ranks = weir_ranks_get();
    size_t room = question_room(w), size;
    char *message = weir_array(room, 1), *reply = weir_array(sizeof(struct answer) + w->hint_size, 1);
    enum weir_status status = message && reply ? WEIR_OK : weir_fail_memory(error);
    unsigned from, away = 0;
    uint64_t reached = 0;
    while (!status && away < ranks->count - 1) {
        if (ranks->receive(ranks->context, &from, message, room, &size)) {
            status = lost(error);
            break;
        }
        weir_fleet_show(c);
        if (!size)
            continue;
        if (!take(c, w, message, size)) {
            status = weir_fail(error, WEIR_IO, "another process of the search sent what is none of its results");
            break;
        }
        struct answer a = {0, 0};
        if (weir_fleet_hand_out(c, share_of(w, reached, ranks->count), &a.first, &a.end))
            reached = a.end;
        else
            away++;
        memcpy(reply, &a, sizeof a);
        weir_fleet_hint(c, reply + sizeof a);
        if (ranks->send(ranks->context, from, reply, sizeof a + w->hint_size))
            status = lost(error);
    }
    if (status)
        weir_fleet_fail(c, 0, status, error); /* the threads here stop, too */
    weir_free(message);
    weir_free(reply);
    return status;
}

/* ---- the others ---- */

static void pack(struct weir_fleet *c, const struct weir_fleet_work *w, struct question q, char *message)
{
    uint64_t tasks = q.end - q.first;
    memcpy(message, &q, sizeof q);
    memcpy(message + sizeof q, weir_fleet_done(c) + q.first, tasks);
    memcpy(message + sizeof q + tasks, (char *)weir_fleet_results(c) + q.first * w->result_size, tasks * w->result_size);
}

enum weir_status weir_fleet_follow(struct weir_fleet *c, const struct weir_fleet_work *w, weir_fleet_stretch *run,
                                   struct weir_error *error)
{
    const struct weir_ranks *ranks = weir_ranks_get();
    size_t room = sizeof(struct answer) + w->hint_size, size;
    char *message = weir_array(question_room(w), 1), *reply = weir_array(room, 1);
    enum weir_status status = message && reply ? WEIR_OK : weir_fail_memory(error);
    struct question q = {0};
    while (!status) {
        pack(c, w, q, message);
        if (ranks->send(ranks->context, 0, message, sizeof q + (q.end - q.first) * (w->result_size + 1))) {
            status = lost(error);
            break;
        }
        unsigned from;
        do {
            if (ranks->receive(ranks->context, &from, reply, room, &size))
                status = lost(error);
        } while (!status && !size);
        struct answer a = {0, 0};
        if (!status && size == room)
            memcpy(&a, reply, sizeof a);
        else if (!status)
            status = lost(error);
        if (status || a.first == a.end)
            break;
        if (w->hint_size)
            memcpy(w->hint, reply + sizeof a, w->hint_size);
        run(c, a.first, a.end, NULL);
        q = (struct question){.first = a.first, .end = a.end, .failure = *weir_fleet_failure(c)};
    }
    weir_free(message);
    weir_free(reply);
    return status;
}

/* ---- the end ---- */

static int share_bytes(const struct weir_ranks *ranks, char *bytes, size_t size)
{
    for (size_t at = 0, part; at < size; at += part) {
        part = size - at < ((size_t)1 << 28) ? size - at : (size_t)1 << 28;
        if (ranks->broadcast(ranks->context, bytes + at, part))
            return 1;
    }
    return 0;
}

enum weir_status weir_fleet_share(struct weir_fleet *c, const struct weir_fleet_work *w, struct weir_error *error)
{
    const struct weir_ranks *ranks = weir_ranks_get();
    if (share_bytes(ranks, (char *)weir_fleet_failure(c), sizeof(struct weir_fleet_failure)) ||
        share_bytes(ranks, (char *)weir_fleet_done(c), (size_t)w->count) ||
        share_bytes(ranks, weir_fleet_results(c), (size_t)w->count * w->result_size) || share_bytes(ranks, w->hint, w->hint_size))
        return lost(error);
    return WEIR_OK;
}
