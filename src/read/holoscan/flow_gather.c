/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a log says about operators and connections.
 *
 * One execution of an operator is seen several times: on every path through it, with the moment at which that path's message was
 * received and that at which the path's result was published, and in the records of several leaves. Executions of one operator do
 * not overlap, so sightings that do are of one execution; it lasts from the earliest receive to the latest publish. The last few
 * executions of each operator are kept open for that; an execution counts when it leaves them.
 */
#include "model/pipeline.h"
#include "read/holoscan/flow_log.h"
#include "read/holoscan/tail_estimate.h"

#include <inttypes.h>
#include <string.h>

#define OPEN 16 /* executions of an operator that more may be learned of */
#define PROGRESS_LINES 0xffff
#define LONGEST_US (WEIR_TIME_MAX / 1000)
#define RARE 1000000 /* one execution in so many */

struct execution {
    int64_t receive, publish;
    uint64_t line;
};

struct sighted {
    struct execution open[OPEN];
    uint32_t open_count, newest;
    uint64_t closed;         /* of these the first and the last may not count */
    struct execution *first; /* those that do not count if enough follow */
    struct execution *last;  /* a ring of the last to be closed, of which nobody knows whether more follow */
    uint64_t count, line;    /* those that count; the line of the longest */
    int64_t min, max;        /* microseconds */
    struct weir_tail_estimate tail;
    uint32_t last_to, last_arc; /* where a connection to was found last, and which */
    bool there;                 /* in a message; the names of lines that cannot be read have numbers, too */
};

struct arc {
    uint32_t from, to;
    bool timed;
    int64_t min, max; /* from publish to receive, microseconds */
    uint64_t line;
    struct execution at;               /* the last of `to` that took messages of `from` */
    struct execution sent;             /* the newest of `from` that sent one of these */
    uint64_t taken, least, most, full; /* how many: by that one, by the others, whose number is full */
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
    struct weir_map index; /* of arcs */
    uint64_t untracked, backwards, backwards_line, jumped;
    uint64_t round_line; /* the first path that comes back to an operator, `round`; 0: none does */
    uint32_t round;
    struct weir_flow_jumps jumps; /* of the clock, that are known */
    bool again;                   /* it is read once more, with these */
};

/* ---- executions ---- */

static void count_execution(struct sighted *s, const struct execution *e)
{
    int64_t took = e->publish - e->receive;
    if (s->count == 0 || took < s->min)
        s->min = took;
    if (s->count == 0 || took > s->max)
        s->max = took, s->line = e->line;
    s->count++;
    weir_tail_add(&s->tail, took);
}

/* Room for as many, made when it is first asked for. */
static bool has_room(struct gathering *g, struct execution **list, uint64_t count)
{
    if (!*list)
        *list = weir_array(count, sizeof **list);
    g->evidence->out_of_memory |= !*list;
    return *list != NULL;
}

/* The first do not count, and the last neither: each waits until as many have followed. */
static void close_execution(struct gathering *g, struct sighted *s, const struct execution *e)
{
    const struct weir_skip *skip = &g->evidence->skip;
    uint64_t number = s->closed++;
    if (number < skip->first) {
        if (skip->least && has_room(g, &s->first, skip->first))
            s->first[number] = *e;
        return;
    }
    number -= skip->first;
    if (skip->last && !has_room(g, &s->last, skip->last))
        return;
    if (number >= skip->last)
        count_execution(s, skip->last ? &s->last[number % skip->last] : e);
    if (skip->last)
        s->last[number % skip->last] = *e;
}

/* Too few to leave any out: all count. */
static void take_back(struct gathering *g, struct sighted *s)
{
    const struct weir_skip *skip = &g->evidence->skip;
    uint64_t first = s->closed < skip->first ? s->closed : skip->first, last = s->closed - first;
    for (uint64_t i = 0; i < first && s->first; i++)
        count_execution(s, &s->first[i]);
    for (uint64_t i = 0; i < (last < skip->last ? last : skip->last) && s->last; i++)
        count_execution(s, &s->last[i]);
}

/* One that takes no time, as the clock tells it, may touch the one before or behind it: it is another, lest the least time be lost.
 */
static bool same_execution(const struct execution *a, const struct execution *b)
{
    if (a->receive == a->publish || b->receive == b->publish)
        return a->receive == b->receive && a->publish == b->publish;
    return a->receive == b->receive || a->publish == b->publish || (a->receive < b->publish && b->receive < a->publish);
}

static void see(struct gathering *g, struct sighted *s, const struct execution *now)
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
        close_execution(g, s, &s->open[s->newest]);
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
    } else if (weir_flow_jumped(&g->jumps, step->receive, step->publish)) {
        g->jumped++;
    } else {
        see(g, &g->sighted[step->name], &(struct execution){step->receive, step->publish, line});
    }
}

/* ---- connections ---- */

/* Finds or adds the connection, and makes it the last of `from`. False: out of memory. */
static bool connect(struct gathering *g, uint32_t from, uint32_t to, uint64_t line)
{
    struct sighted *s = &g->sighted[from];
    s->last_to = to;
    struct weir_map_cursor probe = weir_map_begin(&g->index, weir_hash_pair(from, to));
    while (weir_map_next(&g->index, &probe) && (g->arcs[probe.value].from != from || g->arcs[probe.value].to != to))
        ;
    s->last_arc = probe.value; /* WEIR_MAP_NONE is WEIR_NO_OPERATOR */
    if (probe.value != WEIR_MAP_NONE || g->arc_count >= WEIR_EVIDENCE_MAX)
        return true;
    if (!weir_reserve(&g->arcs, &g->arc_capacity, g->arc_count + 1, sizeof *g->arcs) ||
        !weir_map_add(&g->index, probe.hash, (uint32_t)g->arc_count))
        return false;
    s->last_arc = (uint32_t)g->arc_count;
    g->arcs[g->arc_count++] = (struct arc){.from = from, .to = to, .line = line};
    return true;
}

/* How long the message was under way between the two, with all waiting. */
static void time_transfer(struct gathering *g, const struct weir_flow_step *from, const struct weir_flow_step *to)
{
    uint32_t number = g->sighted[from->name].last_arc;
    if (from->publish < 0 || number == WEIR_NO_OPERATOR || weir_flow_jumped(&g->jumps, from->publish, to->receive))
        return;
    struct arc *arc = &g->arcs[number];
    int64_t took = to->receive - from->publish;
    if (took <= -LONGEST_US || took >= LONGEST_US)
        return;
    arc->min = arc->timed && arc->min < took ? arc->min : took;
    arc->max = arc->timed && arc->max > took ? arc->max : took;
    arc->timed = true;
}

/* Messages of one operator that one execution takes. What an execution sends through several ports, and what is seen on several
 * paths, counts once. */
static void count_taken(struct gathering *g, const struct weir_flow_step *from, const struct weir_flow_step *to, uint64_t line)
{
    uint32_t number = g->sighted[from->name].last_arc;
    if (from->publish < 0 || to->publish < to->receive || number == WEIR_NO_OPERATOR)
        return;
    struct arc *arc = &g->arcs[number];
    const struct execution now = {to->receive, to->publish, line}, sent = {from->receive, from->publish, line};
    if (arc->taken && same_execution(&arc->at, &now)) {
        if (sent.receive > arc->sent.receive && !same_execution(&arc->sent, &sent)) {
            arc->sent = sent;
            arc->taken++;
        }
        return;
    }
    if (arc->taken) {
        arc->least = arc->full && arc->least < arc->taken ? arc->least : arc->taken;
        arc->most = arc->most > arc->taken ? arc->most : arc->taken;
        arc->full++;
    }
    arc->at = now;
    arc->sent = sent;
    arc->taken = 1;
}

/* ---- all of it ---- */

/* The tracker ends a path where it comes back to an operator. */
static void find_round(struct gathering *g, const struct weir_flow_message *message)
{
    const struct weir_flow_step *last = &message->steps[message->count - 1];
    for (size_t i = 0; i + 1 < message->count && g->round_line == 0; i++)
        if (message->steps[i].name == last->name)
            g->round_line = message->line, g->round = last->name;
}

static bool take_message(struct gathering *g, const struct weir_flow_message *message)
{
    size_t names = weir_flow_log_name_count(g->log);
    if (names > g->sighted_count || !g->sighted) {
        if (!weir_reserve(&g->sighted, &g->sighted_capacity, names, sizeof *g->sighted))
            return false;
        memset(g->sighted + g->sighted_count, 0, (names - g->sighted_count) * sizeof *g->sighted);
        for (size_t i = g->sighted_count; i < names; i++)
            g->sighted[i].last_to = WEIR_NO_OPERATOR;
        g->sighted_count = names;
    }
    for (size_t i = 0; i < message->count; i++) {
        const struct weir_flow_step *step = &message->steps[i];
        g->sighted[step->name].there = true;
        see_step(g, step, message->line);
        if (i == 0)
            continue;
        if (g->sighted[step[-1].name].last_to != step->name && !connect(g, step[-1].name, step->name, message->line))
            return false;
        time_transfer(g, step - 1, step);
        count_taken(g, step - 1, step, message->line);
    }
    find_round(g, message);
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
                           "the log ends in the middle of a line, which was left out");
    if (g->backwards)
        weir_evidence_note(e, (struct weir_evidence_place){g->file, g->backwards_line},
                           "%" PRIu64
                           " time%s left out because publish comes before receive, or years later: was the clock set? this is "
                           "the first",
                           g->backwards, g->backwards == 1 ? " was" : "s were");
    for (size_t i = 0; i < g->jumps.count; i++)
        weir_evidence_note(
            e, (struct weir_evidence_place){g->file, g->jumps.at[i].line},
            "everything in flight took longer by up to %" PRId64
            " ms at one moment, in which nothing else happened: the clock was set forward, or the machine stood still%s",
            (g->jumps.at[i].to - g->jumps.at[i].from) / 1000,
            g->again ? "" : "; from a file such times are left out, but not from standard input");
    if (g->jumped)
        weir_evidence_note(e, (struct weir_evidence_place){g->file, 0},
                           "%" PRIu64 " time%s left out because the clock jumped meanwhile", g->jumped,
                           g->jumped == 1 ? " was" : "s were");
    if (g->untracked)
        weir_evidence_note(e, (struct weir_evidence_place){g->file, 0},
                           "%" PRIu64 " time%s left out because the tracker did not see the message leave (-1)", g->untracked,
                           g->untracked == 1 ? " was" : "s were");
    char quoted[WEIR_QUOTED];
    if (g->round_line)
        weir_evidence_note(
            e, (struct weir_evidence_place){g->file, g->round_line},
            "this path comes back to \"%s\", so an input on the way does not wait for a message (ConditionType.NONE); a "
            "log does not say which: add the descriptions of the operators, or write optional: true in the model",
            weir_quote(weir_flow_log_name(g->log, g->round), quoted));
}

/* A name with _old is the operator itself, whose message was read before: its time was seen then. */
static void hand_over_times(struct gathering *g)
{
    struct weir_evidence *e = g->evidence;
    uint64_t few = 0;
    bool skipped = false;
    for (uint32_t i = 0; i < g->sighted_count && !e->out_of_memory; i++) {
        struct sighted *s = &g->sighted[i];
        if (!s->there)
            continue;
        uint32_t self = weir_flow_log_reread_of(g->log, i);
        const char *name = weir_flow_log_name(g->log, self);
        uint32_t op = weir_evidence_operator(e, name, strlen(name), (struct weir_evidence_place){g->file, 0});
        if (self != i || op == WEIR_NO_OPERATOR)
            continue;
        for (uint32_t k = s->open_count; k-- > 0;)
            close_execution(g, s, &s->open[(s->newest + OPEN - k) % OPEN]);
        if (s->closed < e->skip.least && !e->out_of_memory)
            take_back(g, s);
        skipped |= s->closed >= e->skip.least;
        few += s->count == 0 && s->closed > 0;
        int64_t rare = weir_tail_estimate_find(&s->tail, RARE);
        int64_t upper = e->tail ? weir_tail_estimate_upper(&s->tail, e->tail) : 0;
        if (s->count)
            weir_evidence_add_time(e, &(struct weir_evidence_time){.op = op,
                                                                   .upper = upper < LONGEST_US ? upper * 1000 : LONGEST_US * 1000,
                                                                   .heavy = e->tail && weir_tail_estimate_is_heavy(&s->tail),
                                                                   .span = WEIR_SPAN_PORTS,
                                                                   .count = s->count,
                                                                   .min = s->min * 1000,
                                                                   .max = s->max * 1000,
                                                                   .rare = rare < LONGEST_US ? rare * 1000 : 0,
                                                                   .at = {g->file, s->line}});
    }
    if (skipped && (e->skip.first || e->skip.last))
        weir_evidence_note(e, (struct weir_evidence_place){g->file, 0},
                           "the times of the first %u and the last %u executions of each operator were left out%s", e->skip.first,
                           e->skip.last, e->skip.least ? WEIR_SKIP_SAYS : "");
    if (few)
        weir_evidence_note(e, (struct weir_evidence_place){g->file, 0},
                           "%" PRIu64 " operator%s no more executions than that: no time of %s is left", few,
                           few == 1 ? " has" : "s have", few == 1 ? "it" : "them");
}

/* The same number each time is a batch. */
static uint32_t batch_of(struct gathering *g, const struct arc *arc, const char *const names[2])
{
    struct weir_evidence_place at = {g->file, arc->line};
    char quoted[2][WEIR_QUOTED];
    uint64_t most = arc->most > arc->taken ? arc->most : arc->taken;
    if (most < 2 || most > WEIR_QUEUE_MAX)
        return 0;
    bool always = !arc->full || (arc->least == arc->most && arc->taken <= arc->most);
    weir_quote(names[0], quoted[0]);
    weir_quote(names[1], quoted[1]);
    if (always)
        weir_evidence_note(g->evidence, at,
                           "each execution of \"%s\" takes %" PRIu64 " messages of \"%s\": a batch (consume: %" PRIu64 ")",
                           quoted[1], most, quoted[0], most);
    else
        weir_evidence_note(g->evidence, at,
                           "an execution of \"%s\" takes %" PRIu64 " to %" PRIu64
                           " messages of \"%s\": the model has one, and so its bounds may be too small",
                           quoted[1], arc->least < arc->taken ? arc->least : arc->taken, most, quoted[0]);
    return always ? (uint32_t)most : 0;
}

static void hand_over_connections(struct gathering *g)
{
    struct weir_evidence *e = g->evidence;
    for (size_t i = 0; i < g->arc_count && !e->out_of_memory; i++) {
        const struct arc *arc = &g->arcs[i];
        uint32_t from = weir_flow_log_reread_of(g->log, arc->from), to = weir_flow_log_reread_of(g->log, arc->to);
        const char *names[2] = {weir_flow_log_name(g->log, from), weir_flow_log_name(g->log, to)};
        struct weir_evidence_place at = {g->file, arc->line};
        char quoted[2][WEIR_QUOTED];
        bool latest = from != arc->from;
        if (latest)
            weir_evidence_note(e, at,
                               "\"%s\" reads messages of \"%s\" once more (_old), so an async buffer joins them: nobody waits "
                               "there, and the latest message is read (latest: true)",
                               weir_quote(names[1], quoted[1]), weir_quote(names[0], quoted[0]));
        struct weir_evidence_connection connection = {.from = weir_evidence_find_in(e, g->file, names[0], strlen(names[0])),
                                                      .to = weir_evidence_find_in(e, g->file, names[1], strlen(names[1])),
                                                      .latest = latest,
                                                      .timed = arc->timed && !latest,
                                                      .transfer_min = arc->min * 1000,
                                                      .transfer_max = arc->max * 1000,
                                                      .batch = latest ? 0 : batch_of(g, arc, names),
                                                      .at = at};
        weir_evidence_connect(e, &connection);
    }
}

static void forget(struct gathering *g)
{
    weir_flow_log_close(g->log);
    for (size_t i = 0; i < g->sighted_count; i++)
        weir_free(g->sighted[i].last);
    weir_free(g->sighted);
    weir_free(g->arcs);
    weir_map_free(&g->index);
}

static enum weir_status read_once(struct gathering *g, struct weir_error *error)
{
    const struct weir_flow_reading *reading = g->reading;
    g->log =
        reading->bytes ? weir_flow_log_open_memory(reading->bytes, reading->size, error) : weir_flow_log_open(reading->path, error);
    return g->log ? read_all(g, error) : error->status;
}

/* Where the clock jumped, which is known at the end, the log is read once more. */
static enum weir_status read_log(struct gathering *g, struct weir_error *error)
{
    const struct weir_flow_reading *reading = g->reading;
    enum weir_status status = read_once(g, error);
    if (status)
        return status;
    weir_flow_log_find_jumps(g->log, &g->jumps);
    if (!g->jumps.count || (!reading->bytes && strcmp(reading->path, "-") == 0))
        return WEIR_OK;
    forget(g);
    *g = (struct gathering){.evidence = g->evidence, .reading = reading, .file = g->file, .jumps = g->jumps, .again = true};
    return read_once(g, error);
}

static enum weir_status gather(struct gathering *g, struct weir_error *error)
{
    enum weir_status status = read_log(g, error);
    if (status)
        return status;
    if (weir_flow_log_counts(g->log).messages == 0)
        return weir_fail(error, WEIR_INVALID, "there is no path in this log: no line reads (name,receive,publish) -> ...");
    note_quality(g);
    hand_over_times(g);
    hand_over_connections(g);
    g->evidence->files[g->file].connects = g->evidence->files[g->file].observed = true;
    return g->evidence->out_of_memory ? weir_fail_memory(error) : WEIR_OK;
}

enum weir_status weir_flow_log_gather(struct weir_evidence *evidence, uint32_t file, const struct weir_flow_reading *reading)
{
    struct weir_error error = {0};
    struct gathering g = {.evidence = evidence, .reading = reading, .file = file};
    enum weir_status status = gather(&g, &error);
    forget(&g);
    if (status)
        weir_errors_add_error(reading->errors, evidence->file_count > file ? evidence->files[file].path : NULL,
                              (struct weir_place){0, 0}, &error);
    return status;
}
