/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a log says about operators and connections.
 *
 * One execution of an operator is seen several times: on every path through it, with the moment at which that path's message was
 * received and that at which the path's result was published, and in the records of several leaves. Executions of one operator do
 * not overlap, so sightings that do are of one execution; it lasts from the earliest receive to the latest publish. The last few
 * executions of each operator are kept open for that; an execution counts when it leaves them.
 */
#include "read/flow_log.h"

#include <inttypes.h>
#include <string.h>

#define OPEN 16 /* executions of an operator that more may be learned of */
#define PROGRESS_LINES 0xffff
#define LONGEST_US (WEIR_TIME_MAX / 1000)

struct execution {
    int64_t receive, publish;
    uint64_t line;
};

struct sighted {
    struct execution open[OPEN];
    uint32_t open_count, newest;
    uint64_t count, line; /* closed ones; the line of the longest */
    int64_t min, max;     /* microseconds */
    uint32_t last_to;     /* where a connection to was found last */
    bool there;           /* in a message; the names of lines that cannot be read have numbers, too */
};

struct arc {
    uint32_t from, to;
    uint64_t line;
};

struct gathering {
    struct weir_evidence *evidence;
    const struct weir_flow_reading *reading;
    struct weir_flow_log *log;
    uint32_t file;
    struct sighted *sighted; /* by name of the log */
    size_t sighted_count, sighted_capacity;
    struct arc *arcs;
    size_t arc_count, arc_capacity;
    uint32_t *index; /* open-addressed hash of arcs: arc + 1, or 0 */
    size_t index_size;
    uint64_t untracked, backwards, backwards_line;
};

/* ---- executions ---- */

static void close_execution(struct sighted *s, const struct execution *e)
{
    int64_t took = e->publish - e->receive;
    if (s->count == 0 || took < s->min)
        s->min = took;
    if (s->count == 0 || took > s->max)
        s->max = took, s->line = e->line;
    s->count++;
}

/* One that takes no time, as the clock tells it, may touch the one before or behind it: it is another, lest the least time be lost.
 */
static bool same_execution(const struct execution *a, const struct execution *b)
{
    if (a->receive == a->publish || b->receive == b->publish)
        return a->receive == b->receive && a->publish == b->publish;
    return a->receive == b->receive || a->publish == b->publish || (a->receive < b->publish && b->receive < a->publish);
}

static void see(struct sighted *s, const struct execution *now)
{
    for (uint32_t k = 0; k < s->open_count; k++) {
        struct execution *e = &s->open[(s->newest + OPEN - k) % OPEN];
        if (!same_execution(e, now))
            continue;
        e->receive = now->receive < e->receive ? now->receive : e->receive;
        e->publish = now->publish > e->publish ? now->publish : e->publish;
        return;
    }
    s->newest = (s->newest + 1) % OPEN;
    if (s->open_count == OPEN)
        close_execution(s, &s->open[s->newest]);
    else
        s->open_count++;
    s->open[s->newest] = *now;
}

static void see_step(struct gathering *g, const struct weir_flow_step *step, uint64_t line)
{
    if (step->publish < 0) {
        g->untracked++;
    } else if (step->publish < step->receive || step->publish - step->receive >= LONGEST_US) {
        if (!g->backwards++)
            g->backwards_line = line;
    } else {
        see(&g->sighted[step->name], &(struct execution){step->receive, step->publish, line});
    }
}

/* ---- connections ---- */

static size_t slot_of(const struct gathering *g, uint32_t from, uint32_t to)
{
    uint64_t hash = ((uint64_t)from << 32 | to) * UINT64_C(0x9e3779b97f4a7c15);
    size_t slot = (size_t)(hash >> 20) & (g->index_size - 1);
    while (g->index[slot] && (g->arcs[g->index[slot] - 1].from != from || g->arcs[g->index[slot] - 1].to != to))
        slot = (slot + 1) & (g->index_size - 1);
    return slot;
}

static bool grow_index(struct gathering *g)
{
    if (g->index_size > 2 * g->arc_count + 1)
        return true;
    size_t size = g->index_size ? 4 * g->index_size : 256;
    uint32_t *index = weir_array_zeroed(size, sizeof *index);
    if (!index)
        return false;
    weir_free(g->index);
    g->index = index;
    g->index_size = size;
    for (size_t i = 0; i < g->arc_count; i++)
        index[slot_of(g, g->arcs[i].from, g->arcs[i].to)] = (uint32_t)i + 1;
    return true;
}

/* False: out of memory. */
static bool connect(struct gathering *g, uint32_t from, uint32_t to, uint64_t line)
{
    g->sighted[from].last_to = to;
    if (!grow_index(g))
        return false;
    size_t slot = slot_of(g, from, to);
    if (g->index[slot] || g->arc_count >= WEIR_EVIDENCE_MAX)
        return true;
    void *arcs = g->arcs;
    bool room = weir_reserve(&arcs, &g->arc_capacity, g->arc_count + 1, sizeof *g->arcs);
    g->arcs = arcs;
    if (!room)
        return false;
    g->arcs[g->arc_count++] = (struct arc){from, to, line};
    g->index[slot] = (uint32_t)g->arc_count;
    return true;
}

/* ---- all of it ---- */

static bool take_message(struct gathering *g, const struct weir_flow_message *message)
{
    size_t names = weir_flow_log_name_count(g->log);
    if (names > g->sighted_count || !g->sighted) {
        void *sighted = g->sighted;
        bool room = weir_reserve(&sighted, &g->sighted_capacity, names, sizeof *g->sighted);
        g->sighted = sighted;
        if (!room)
            return false;
        memset(g->sighted + g->sighted_count, 0, (names - g->sighted_count) * sizeof *g->sighted);
        for (size_t i = g->sighted_count; i < names; i++)
            g->sighted[i].last_to = WEIR_NOBODY;
        g->sighted_count = names;
    }
    for (size_t i = 0; i < message->count; i++) {
        const struct weir_flow_step *step = &message->steps[i];
        g->sighted[step->name].there = true;
        see_step(g, step, message->line);
        if (i > 0 && g->sighted[step[-1].name].last_to != step->name && !connect(g, step[-1].name, step->name, message->line))
            return false;
    }
    return true;
}

static enum weir_status read_all(struct gathering *g, struct weir_error *error)
{
    struct weir_flow_message message;
    for (uint64_t n = 1;; n++) {
        enum weir_status status = weir_flow_log_next(g->log, &message, error);
        if (status || message.count == 0)
            return status;
        if (!take_message(g, &message))
            return weir_fail_memory(error);
        if ((n & PROGRESS_LINES) == 0 && g->reading->progress)
            g->reading->progress(g->reading->context, weir_flow_log_permille(g->log));
    }
}

static void note_quality(struct gathering *g)
{
    struct weir_flow_counts counts = weir_flow_log_counts(g->log);
    struct weir_evidence *e = g->evidence;
    if (counts.unreadable)
        weir_evidence_note(e, (struct weir_evidence_place){g->file, counts.first_unreadable},
                           "%" PRIu64 " of %" PRIu64 " lines cannot be read and were left out; this is the first",
                           counts.unreadable, counts.lines);
    if (counts.truncated)
        weir_evidence_note(e, (struct weir_evidence_place){g->file, counts.lines + 1},
                           "the log ends within a line, which was left out");
    if (g->backwards)
        weir_evidence_note(e, (struct weir_evidence_place){g->file, g->backwards_line},
                           "%" PRIu64
                           " times were left out because publish comes before receive, or years later: was the clock set? "
                           "this is the first",
                           g->backwards);
    if (g->untracked)
        weir_evidence_note(e, (struct weir_evidence_place){g->file, 0},
                           "%" PRIu64 " times were left out because the tracker did not see the message leave (-1)", g->untracked);
}

/* A name with _old is the operator itself, whose message was read before: its time was seen then. */
static void hand_over(struct gathering *g)
{
    struct weir_evidence *e = g->evidence;
    for (uint32_t i = 0; i < g->sighted_count && !e->out_of_memory; i++) {
        struct sighted *s = &g->sighted[i];
        if (!s->there)
            continue;
        uint32_t self = weir_flow_log_reread_of(g->log, i);
        const char *name = weir_flow_log_name(g->log, self);
        uint32_t op = weir_evidence_operator(e, name, strlen(name), (struct weir_evidence_place){g->file, 0});
        if (self != i || op == WEIR_NOBODY)
            continue;
        for (uint32_t k = 0; k < s->open_count; k++)
            close_execution(s, &s->open[(s->newest + OPEN - k) % OPEN]);
        if (s->count)
            weir_evidence_add_time(e, &(struct weir_evidence_time){.op = op,
                                                                   .span = WEIR_SPAN_PORTS,
                                                                   .count = s->count,
                                                                   .min = s->min * 1000,
                                                                   .max = s->max * 1000,
                                                                   .at = {g->file, s->line}});
    }
    for (size_t i = 0; i < g->arc_count && !e->out_of_memory; i++) {
        const struct arc *arc = &g->arcs[i];
        uint32_t from = weir_flow_log_reread_of(g->log, arc->from), to = weir_flow_log_reread_of(g->log, arc->to);
        const char *names[2] = {weir_flow_log_name(g->log, from), weir_flow_log_name(g->log, to)};
        struct weir_evidence_place at = {g->file, arc->line};
        char quoted[2][WEIR_QUOTED];
        if (from != arc->from)
            weir_evidence_note(
                e, at,
                "\"%s\" reads messages of \"%s\" once more (_old), so an async buffer joins them, which the model does "
                "not have: it takes every message to be waited for and read once",
                weir_quote(names[1], quoted[1]), weir_quote(names[0], quoted[0]));
        weir_evidence_connect(e, &(struct weir_evidence_connection){.from = weir_evidence_find(e, names[0], strlen(names[0])),
                                                                    .to = weir_evidence_find(e, names[1], strlen(names[1])),
                                                                    .at = at});
    }
}

static enum weir_status gather(struct gathering *g, struct weir_error *error)
{
    enum weir_status status = read_all(g, error);
    if (status)
        return status;
    if (weir_flow_log_counts(g->log).messages == 0)
        return weir_fail(error, WEIR_INVALID, "there is no path in this log: no line reads (name,receive,publish) -> ...");
    note_quality(g);
    hand_over(g);
    g->evidence->files[g->file].connects = g->evidence->files[g->file].observed = true;
    return g->evidence->out_of_memory ? weir_fail_memory(error) : WEIR_OK;
}

enum weir_status weir_flow_log_gather(struct weir_evidence *evidence, uint32_t file, const struct weir_flow_reading *reading)
{
    struct weir_error error = {0};
    struct gathering g = {.evidence = evidence, .reading = reading, .file = file};
    g.log = reading->bytes ? weir_flow_log_open_memory(reading->bytes, reading->size, &error)
                           : weir_flow_log_open(reading->path, &error);
    enum weir_status status = g.log ? gather(&g, &error) : error.status;
    weir_flow_log_close(g.log);
    weir_free(g.sighted);
    weir_free(g.arcs);
    weir_free(g.index);
    if (status)
        weir_errors_add_error(reading->errors, evidence->file_count > file ? evidence->files[file].path : NULL,
                              (struct weir_place){0, 0}, &error);
    return status;
}
