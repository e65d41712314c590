/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One search by several processes. The others ask rank 0 for a stretch of tasks and send back its results with the next question:
 * as many tasks as keep them busy for some time, fewer towards the end, so that all end together. Rank 0 answers until every other
 * one has been told that nothing is left. At the end all get all results from rank 0.
 *
 *   piece      {task, offset, size} and bytes of the tail of a result, before the question that has the result itself
 *   question   {first, end, failure} and, for a stretch that was done, `end - first` marks and the results
 *   answer     {first, end} and the hint; first == end: nothing is left
 *
 * A question says which search it belongs to. Processes that do not come to the same searches end in an error.
 */
#include "base/alloc.h"
#include "base/error.h"
#include "base/task_pool_inside.h"

#include <string.h>

#define MESSAGE_MAX ((uint64_t)1 << 24)
#define PIECE_MAX ((uint64_t)1 << 16)
#define STRETCH_MAX 4096
#define STRETCH_NANOSECONDS 40000000

enum kind { QUESTION, PIECE };

struct question {
    uint64_t search, count, result_size; /* the same in all processes */
    uint64_t kind;
    uint64_t first, end; /* a piece: of the task `first` */
    uint64_t most;       /* tasks wanted */
    uint64_t offset, size;
    struct weir_task_pool_failure failure;
};

struct answer {
    uint64_t first, end;
};

static uint64_t searches; /* so far, in this process */

static enum weir_status lost(struct weir_error *error)
{
    return weir_fail(error, WEIR_IO, "another process of the search can no longer be reached");
}

/* How many tasks one message may hold. */
static uint64_t stretch_most(const struct weir_task_pool_work *w)
{
    uint64_t fit = MESSAGE_MAX / (w->result_size + 1);
    return fit < 1 ? 1 : fit > STRETCH_MAX ? STRETCH_MAX : fit;
}

static size_t question_room(const struct weir_task_pool_work *w)
{
    uint64_t results = stretch_most(w) * (w->result_size + 1);
    return sizeof(struct question) + (size_t)(results > PIECE_MAX ? results : PIECE_MAX);
}

/* ---- rank 0 ---- */

static bool take_piece(struct weir_task_pool *c, const struct question *q, const char *bytes, size_t size)
{
    if (!c->work->tails || q->first >= c->work->count || c->done[q->first])
        return false;
    struct weir_task_pool_tail *tail = weir_task_pool_tail(c, q->first);
    if (!tail->bytes) {
        tail->bytes = weir_array(q->size, 1);
        tail->size = tail->bytes ? q->size : 0;
    }
    if (!tail->bytes || tail->size != q->size || q->offset > tail->size || size > tail->size - q->offset)
        return false;
    memcpy((char *)tail->bytes + q->offset, bytes, size);
    return true;
}

/* False: no other process of this search would send that. */
static bool take(struct weir_task_pool *c, const struct question *q, const char *bytes, size_t size)
{
    const struct weir_task_pool_work *w = c->work;
    if (q->search != searches || q->count != w->count || q->result_size != w->result_size)
        return false;
    if (q->kind == PIECE)
        return take_piece(c, q, bytes, size);
    uint64_t tasks = q->end - q->first;
    if (q->end < q->first || q->end > w->count || tasks > stretch_most(w) || size != tasks * (w->result_size + 1))
        return false;
    weir_task_pool_take_back(c, q->first, q->end, bytes + tasks, (const uint8_t *)bytes);
    if (q->failure.status)
        weir_task_pool_fail(c, q->failure.task, q->failure.status, &q->failure.error);
    return true;
}

/* Tells a process what to do next; *away: there is nothing. */
static enum weir_status reply_to(struct weir_task_pool *c, unsigned rank, uint64_t most, char *reply, bool *away)
{
    const struct weir_ranks *ranks = c->ranks;
    struct answer a = {0, 0};
    uint64_t fit = stretch_most(c->work);
    *away = !weir_task_pool_hand_out(c, most < 1 ? 1 : most > fit ? fit : most, &a.first, &a.end);
    memcpy(reply, &a, sizeof a);
    weir_task_pool_hint(c, reply + sizeof a);
    return ranks->send(ranks->context, rank, reply, sizeof a + c->work->hint_size) ? WEIR_IO : WEIR_OK;
}

static enum weir_status serve(struct weir_task_pool *c, char *message, char *reply, struct weir_error *error)
{
    const struct weir_ranks *ranks = c->ranks;
    size_t room = question_room(c->work), size;
    unsigned from, away = 0;
    while (away < ranks->count - 1 && !weir_task_pool_asked_to_stop(c)) {
        if (ranks->receive(ranks->context, &from, message, room, &size))
            return lost(error);
        weir_task_pool_show(c);
        struct question q;
        if (!size)
            continue;
        if (size >= sizeof q)
            memcpy(&q, message, sizeof q);
        if (size < sizeof q || !take(c, &q, message + sizeof q, size - sizeof q))
            return weir_fail(error, WEIR_IO, "another process of the search is not doing the same as this one");
        bool none = false;
        if (q.kind == QUESTION && reply_to(c, from, q.most, reply, &none))
            return lost(error);
        away += none;
    }
    if (away < ranks->count - 1) { /* the threads here may not have looked yet */
        pthread_mutex_lock(&c->lock);
        c->stopped = true;
        pthread_mutex_unlock(&c->lock);
    }
    return WEIR_OK;
}

enum weir_status weir_task_pool_lead(struct weir_task_pool *c, struct weir_error *error)
{
    char *message = weir_array(question_room(c->work), 1), *reply = weir_array(sizeof(struct answer) + c->work->hint_size, 1);
    searches++;
    enum weir_status status = message && reply ? serve(c, message, reply, error) : weir_fail_memory(error);
    weir_free(message);
    weir_free(reply);
    return status;
}

/* ---- the others ---- */

static bool send_pieces(struct weir_task_pool *c, struct question q, char *message)
{
    const struct weir_ranks *ranks = c->ranks;
    uint64_t first = q.first, end = q.end;
    for (uint64_t task = first; task < end && c->work->tails; task++) {
        const struct weir_task_pool_tail *tail = weir_task_pool_tail(c, task);
        q.kind = PIECE;
        q.first = task;
        q.size = c->done[task] ? tail->size : 0;
        for (q.offset = 0; q.offset < q.size;) {
            uint64_t part = q.size - q.offset < PIECE_MAX ? q.size - q.offset : PIECE_MAX;
            memcpy(message, &q, sizeof q);
            memcpy(message + sizeof q, (char *)tail->bytes + q.offset, part);
            if (ranks->send(ranks->context, 0, message, sizeof q + part))
                return false;
            q.offset += part;
        }
    }
    return true;
}

static bool send_question(struct weir_task_pool *c, const struct question *q, char *message)
{
    const struct weir_task_pool_work *w = c->work;
    uint64_t tasks = q->end - q->first;
    if (!send_pieces(c, *q, message))
        return false;
    memcpy(message, q, sizeof *q);
    memcpy(message + sizeof *q, c->done + q->first, tasks);
    memcpy(message + sizeof *q + tasks, c->results + q->first * w->result_size, tasks * w->result_size);
    return c->ranks->send(c->ranks->context, 0, message, sizeof *q + tasks * (w->result_size + 1)) == 0;
}

static bool receive_answer(struct weir_task_pool *c, char *reply, struct answer *a)
{
    const struct weir_ranks *ranks = c->ranks;
    size_t room = sizeof *a + c->work->hint_size, size = 0;
    unsigned from;
    while (!size)
        if (ranks->receive(ranks->context, &from, reply, room, &size))
            return false;
    if (size != room)
        return false;
    memcpy(a, reply, sizeof *a);
    return a->first <= a->end && a->end <= c->work->count && a->end - a->first <= stretch_most(c->work);
}

enum weir_status weir_task_pool_follow(struct weir_task_pool *c, struct weir_error *error)
{
    const struct weir_task_pool_work *w = c->work;
    char *message = weir_array(question_room(w), 1), *reply = weir_array(sizeof(struct answer) + w->hint_size, 1);
    enum weir_status status = message && reply ? WEIR_OK : weir_fail_memory(error);
    struct question q = {.search = ++searches, .count = w->count, .result_size = w->result_size, .most = c->workers};
    while (!status && message && reply) {
        struct answer a = {0, 0};
        if (!send_question(c, &q, message) || !receive_answer(c, reply, &a))
            status = lost(error);
        if (status || a.first == a.end)
            break;
        pthread_mutex_lock(&c->lock);
        if (w->hint_size)
            memcpy(w->hint, reply + sizeof a, w->hint_size);
        pthread_mutex_unlock(&c->lock);
        int64_t began = weir_task_pool_clock();
        weir_task_pool_stretch(c, a.first, a.end);
        q.first = a.first;
        q.end = a.end;
        q.failure = c->failure;
        q.most = weir_task_pool_pace(a.end - a.first, weir_task_pool_clock() - began, STRETCH_NANOSECONDS);
    }
    weir_free(message);
    weir_free(reply);
    return status;
}

/* ---- the end ---- */

static bool share_bytes(const struct weir_ranks *ranks, void *bytes, size_t size)
{
    for (size_t at = 0, part; at < size; at += part) {
        part = size - at < ((size_t)1 << 28) ? size - at : (size_t)1 << 28;
        if (ranks->broadcast(ranks->context, (char *)bytes + at, part))
            return false;
    }
    return true;
}

/* Those of this process are let go: what comes from rank 0 says which there are. */
static void drop_tails(struct weir_task_pool *c)
{
    for (uint64_t task = 0; task < c->work->count && c->work->tails; task++) {
        weir_free(weir_task_pool_tail(c, task)->bytes);
        *weir_task_pool_tail(c, task) = (struct weir_task_pool_tail){NULL, 0};
    }
}

static enum weir_status share_tails(struct weir_task_pool *c, struct weir_error *error)
{
    bool receives = c->ranks->rank > 0;
    for (uint64_t task = 0; task < c->work->count && receives; task++)
        weir_task_pool_tail(c, task)->bytes = NULL; /* an address of rank 0 */
    for (uint64_t task = 0; task < c->work->count; task++) {
        struct weir_task_pool_tail *tail = weir_task_pool_tail(c, task);
        if (receives && tail->size && !(tail->bytes = weir_array(tail->size, 1)))
            return weir_fail_memory(error);
        if (!share_bytes(c->ranks, tail->bytes, tail->size))
            return lost(error);
    }
    return WEIR_OK;
}

enum weir_status weir_task_pool_share(struct weir_task_pool *c, struct weir_error *error)
{
    const struct weir_task_pool_work *w = c->work;
    if (c->ranks->rank > 0)
        drop_tails(c);
    if (!share_bytes(c->ranks, &c->failure, sizeof c->failure) || !share_bytes(c->ranks, c->done, (size_t)w->count) ||
        !share_bytes(c->ranks, c->results, (size_t)w->count * w->result_size) || !share_bytes(c->ranks, w->hint, w->hint_size)) {
        for (uint64_t task = 0; task < w->count && c->ranks->rank > 0 && w->tails; task++)
            *weir_task_pool_tail(c, task) = (struct weir_task_pool_tail){NULL, 0}; /* an address of rank 0, or of nothing */
        return lost(error);
    }
    return w->tails ? share_tails(c, error) : WEIR_OK;
}
