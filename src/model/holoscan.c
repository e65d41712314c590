/* SPDX-License-Identifier: Apache-2.0 */
/* What operators, connections and sources of Holoscan can say beyond a plain pipeline: checking and keeping it. */
#include "base/error.h"
#include "base/number.h"
#include "model/firings.h"
#include "model/ports.h"

#include <string.h>

/* ---- one by one ---- */

static bool is_interval(int64_t low, int64_t high)
{
    return low >= 0 && low <= high && high < WEIR_TIME_MAX;
}

enum weir_status weir_launch_check(const struct weir_operator_spec *spec, struct weir_error *error)
{
    const struct weir_launch *l = spec->launch;
    char quoted[WEIR_QUOTED];
    if (!l)
        return WEIR_OK;
    weir_quote(spec->name, quoted);
    if (!is_interval(l->best, l->worst))
        return weir_fail(error, WEIR_INVALID, "operator \"%s\" launches work with an invalid time", quoted);
    if (!is_interval(l->after_best, l->after_worst))
        return weir_fail(error, WEIR_INVALID, "operator \"%s\" has an invalid time after its work on the GPU", quoted);
    if (l->after_worst && !l->waits)
        return weir_fail(error, WEIR_INVALID,
                         "operator \"%s\" does not wait for its work on the GPU, so there can be no time after it", quoted);
    if (l->stream && !*l->stream)
        return weir_fail(error, WEIR_INVALID, "operator \"%s\" launches into a stream without a name", quoted);
    if (spec->reentrant)
        return weir_fail(error, WEIR_INVALID,
                         "operator \"%s\" is reentrant: it cannot launch work, since the order of the launches would be undefined",
                         quoted);
    return WEIR_OK;
}

bool weir_launch_keep(struct weir_pipeline *p, struct weir_operator_spec *spec)
{
    if (!spec->launch)
        return true;
    struct weir_launch *launch = weir_arena_take(&p->arena, sizeof *launch);
    if (!launch)
        return false;
    *launch = *spec->launch;
    if (launch->stream)
        launch->stream = weir_arena_text(&p->arena, launch->stream);
    bool kept = !spec->launch->stream || launch->stream;
    spec->launch = launch;
    return kept;
}

bool weir_queue_waits(const struct weir_queue_spec *q)
{
    return !q->latest && !q->optional && !q->port;
}

uint32_t weir_pipeline_port(const struct weir_pipeline *p, uint32_t queue)
{
    const struct weir_queue_spec *q = &p->queues[queue];
    for (uint32_t i = 0; q->port && i < queue; i++)
        if (p->queues[i].to.index == q->to.index && p->queues[i].port && strcmp(p->queues[i].port, q->port) == 0)
            return i;
    return queue;
}

bool weir_queue_is_cut(const struct weir_queue_spec *q)
{
    return !weir_queue_waits(q) || (q->nonblocking && q->full != WEIR_FULL_NEVER);
}

enum weir_status weir_connection_check(const struct weir_queue_spec *q, struct weir_error *error)
{
    bool counted = q->capacity != WEIR_UNBOUNDED && q->capacity != WEIR_AUTO;
    if ((unsigned)q->full > WEIR_FULL_FAULT)
        return weir_fail(error, WEIR_INVALID, "unknown policy for a full queue: %d", (int)q->full);
    if (!is_interval(q->transfer_min, q->transfer_max))
        return weir_fail(error, WEIR_INVALID, "a queue has an invalid transfer time");
    if (q->within < 0 || q->within >= WEIR_TIME_MAX || ((q->within || q->has_within) && !q->latest))
        return weir_fail(error, WEIR_INVALID, "only a connection with the latest message can limit the age of a message");
    if ((unsigned)q->missing > WEIR_MISSING_FAIL)
        return weir_fail(error, WEIR_INVALID, "unknown policy for a missing message: %d", (int)q->missing);
    if (q->missing && !q->latest)
        return weir_fail(error, WEIR_INVALID,
                         "only a connection with the latest message can say what happens when there is none: other messages are "
                         "waited for, or optional");
    if (q->latest && (q->optional || q->nonblocking || q->full != WEIR_FULL_NEVER || q->initial))
        return weir_fail(error, WEIR_INVALID,
                         "a connection with the latest message is not a queue: it has no other condition and begins empty");
    if (q->full != WEIR_FULL_NEVER && !q->nonblocking && !q->port)
        return weir_fail(error, WEIR_INVALID, "where the producer waits for room, no message finds the queue full");
    if (q->port && !*q->port)
        return weir_fail(error, WEIR_INVALID, "a port that several operators send to needs a name");
    if (q->port && (q->latest || q->optional || q->initial || q->transfer_max || q->consume > 1))
        return weir_fail(error, WEIR_INVALID,
                         "a port that several operators send to must be waited for, message by message, and begin empty: %s is not "
                         "modelled there",
                         q->latest         ? "latest"
                         : q->optional     ? "optional"
                         : q->initial      ? "initial"
                         : q->transfer_max ? "transfer"
                                           : "consume");
    if (q->port && !counted)
        return weir_fail(error, WEIR_INVALID, "a port that several operators send to needs a capacity");
    if (q->full != WEIR_FULL_NEVER && !counted)
        return weir_fail(error, WEIR_INVALID, "a queue without limit is never full");
    if (weir_queue_is_cut(q) && q->consume > 1)
        return weir_fail(error, WEIR_INVALID, "several messages can be taken at once only where each of them is waited for");
    if (q->optional && !q->nonblocking && q->transfer_max)
        return weir_fail(error, WEIR_INVALID, "a message in transit takes no room in a queue that need not be read");
    return WEIR_OK;
}

/* ---- the whole ---- */

/* The ticks are counted from the first start, which must therefore be at 0: nothing else may hold it back. */
static void check_ticks(struct weir_sealing *s)
{
    const struct weir_pipeline *p = s->pipeline;
    if (!p->source_count)
        return;
    uint8_t *ticks = weir_arena_array(&s->scratch, p->operator_count, sizeof *ticks);
    if (!ticks) {
        weir_sealing_memory(s);
        return;
    }
    for (size_t i = 0; i < p->source_count; i++)
        ticks[p->sources[i].op.index] =
            p->sources[i].arrivals == WEIR_ARRIVALS_CATCH_UP || p->sources[i].arrivals == WEIR_ARRIVALS_SKIP;
    for (size_t i = 0; i < p->queue_count; i++) {
        const struct weir_queue_spec *q = &p->queues[i];
        if ((weir_queue_waits(q) || q->port) && q->initial < weir_queue_batch(q) && ticks[q->to.index])
            weir_sealing_mistake(
                s, q->place,
                "operator \"%s\" waits for messages at the beginning: only an operator that begins the pipeline can catch up "
                "with its ticks, or skip them",
                p->operators[q->to.index].name);
        if (!q->latest && !q->nonblocking && q->initial == q->capacity && ticks[q->from.index])
            weir_sealing_mistake(
                s, q->place,
                "operator \"%s\" waits for room at the beginning: only an operator that can start at once can catch up with its "
                "ticks, or skip them",
                p->operators[q->from.index].name);
    }
}

static void refuse_shared(struct weir_sealing *s, const struct weir_queue_spec *q, const char *what)
{
    char port[WEIR_QUOTED], to[WEIR_QUOTED];
    s->status = weir_errors_add(s->errors, WEIR_INVALID, s->file, q->place, "port \"%s\" of \"%s\" %s", weir_quote(q->port, port),
                                weir_quote(s->pipeline->operators[q->to.index].name, to), what);
}

/* What leads to one port is one queue. */
static void check_shared(struct weir_sealing *s)
{
    const struct weir_pipeline *p = s->pipeline;
    for (uint32_t i = 0; i < p->queue_count; i++) {
        const struct weir_queue_spec *q = &p->queues[i];
        uint32_t first = weir_pipeline_port(p, i);
        bool alone = q->port && first == i, twice = false;
        for (uint32_t k = i + 1; alone && k < p->queue_count; k++)
            alone = weir_pipeline_port(p, k) != i;
        for (uint32_t k = 0; q->port && k < i; k++)
            twice |= weir_pipeline_port(p, k) == first && p->queues[k].from.index == q->from.index;
        if (alone)
            refuse_shared(s, q, "has one queue alone, and needs no name");
        if (first != i && (q->capacity != p->queues[first].capacity || q->full != p->queues[first].full))
            refuse_shared(s, q, "is one queue: all that lead to it must have the same capacity and the same \"full\"");
        if (twice)
            refuse_shared(s, q, "has two queues from one operator, which is not modelled");
    }
}

/* An execution that is skipped takes no time: the next must wait for something. What is there is looked at when it starts. */
static void check_skips(struct weir_sealing *s)
{
    const struct weir_pipeline *p = s->pipeline;
    for (size_t i = 0; i < p->queue_count; i++) {
        const struct weir_queue_spec *q = &p->queues[i];
        if (q->missing != WEIR_MISSING_SKIP)
            continue;
        const struct weir_operator_spec *to = &p->operators[q->to.index];
        bool waits = false;
        for (size_t k = 0; k < p->queue_count; k++)
            waits |= p->queues[k].to.index == q->to.index && (weir_queue_waits(&p->queues[k]) || p->queues[k].port);
        for (size_t k = 0; k < p->source_count; k++)
            waits |= p->sources[k].op.index == q->to.index;
        if (!waits)
            weir_sealing_mistake(s, q->place,
                                 "operator \"%s\" waits for nothing, so that it would skip executions without end; it needs a "
                                 "period, or a queue that it waits for",
                                 to->name);
        if (to->receive_max > 0 || to->reentrant || to->launch)
            weir_sealing_mistake(
                s, q->place,
                "operator \"%s\" skips executions: with a late receive, \"reentrant\" or work on a GPU, that is not modelled",
                to->name);
    }
}

enum weir_status weir_pipeline_check_ticks(struct weir_sealing *s)
{
    const struct weir_pipeline *p = s->pipeline;
    s->status = WEIR_OK;
    check_ticks(s);
    check_shared(s);
    check_skips(s);
    weir_pipeline_check_ports(s);
    for (size_t i = 0; i < p->queue_count; i++) {
        const struct weir_queue_spec *q = &p->queues[i];
        if (q->consume > 1 && !q->nonblocking && q->capacity < q->consume)
            weir_sealing_mistake(s, q->place, "the queue to \"%s\" never holds as many messages as are taken from it at once",
                                 p->operators[q->to.index].name);
    }
    return s->status;
}

/* ---- who can deal with it ---- */

static bool skips(const struct weir_pipeline *p)
{
    for (size_t i = 0; i < p->source_count; i++)
        if (p->sources[i].arrivals == WEIR_ARRIVALS_SKIP)
            return true;
    return false;
}

static const struct weir_queue_spec *find_cut(const struct weir_pipeline *p)
{
    for (size_t i = 0; i < p->queue_count; i++)
        if (weir_queue_is_cut(&p->queues[i]))
            return &p->queues[i];
    return NULL;
}

bool weir_pipeline_is_plain(const struct weir_pipeline *p)
{
    return !find_cut(p) && !skips(p);
}

enum weir_status weir_pipeline_require_threads(const struct weir_pipeline *p, struct weir_error *error)
{
    enum weir_status status = weir_pipeline_require_enough(p, error);
    const struct weir_queue_spec *cut = status ? NULL : find_cut(p);
    char from[WEIR_QUOTED], to[WEIR_QUOTED];
    if (cut)
        return weir_fail(error, WEIR_INVALID,
                         "this needs consumers that wait for each message and get it, but the connection from \"%s\" to \"%s\" "
                         "does not wait; ask for an analysis of asynchronous connections",
                         weir_quote(p->operators[cut->from.index].name, from), weir_quote(p->operators[cut->to.index].name, to));
    if (!status && skips(p))
        return weir_fail(error, WEIR_INVALID,
                         "there is no exact answer where a source skips ticks; ask for an analysis of asynchronous connections");
    return status;
}

enum weir_status weir_pipeline_require_simple(const struct weir_pipeline *p, struct weir_error *error)
{
    enum weir_status status = weir_pipeline_require_threads(p, error);
    status = status ? status : weir_pipeline_require_ports(p, error);
    bool launches = false, batches = false, transfers = false, ticks = false;
    if (status)
        return status;
    for (size_t i = 0; i < p->operator_count; i++)
        launches |= p->operators[i].launch != NULL;
    for (size_t i = 0; i < p->queue_count; i++) {
        batches |= p->queues[i].consume > 1;
        transfers |= p->queues[i].transfer_max > 0;
    }
    for (size_t i = 0; i < p->source_count; i++)
        ticks |= p->sources[i].arrivals == WEIR_ARRIVALS_CATCH_UP;
    if (!(launches || batches || transfers || ticks))
        return WEIR_OK;
    return weir_fail(error, WEIR_INVALID, "this does not support %s",
                     launches    ? "work on a GPU"
                     : batches   ? "operators that take several messages at once"
                     : transfers ? "transfer times"
                                 : "ticks that are caught up with");
}
