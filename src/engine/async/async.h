/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bounds across connections that do not wait: docs/concepts/async.md, whose words are used here.
 *
 * Without those connections the pipeline falls into parts. Each part is a pipeline of its own, whose separations are exact; what
 * the others do to it is an operator more: a *server* that makes room, or *arrivals* that hold a consumer back.
 */
#ifndef WEIR_ENGINE_ASYNC_ASYNC_H
#define WEIR_ENGINE_ASYNC_ASYNC_H

#include "check/async/async_between.h"
#include "model/firings.h"
#include "model/pipeline.h"

#define WEIR_ASYNC_WHY 480 /* bytes of a reason */
#define WEIR_NO_INDEX UINT32_MAX

enum weir_cut_kind {
    WEIR_CUT_LATEST,
    WEIR_CUT_PICK,  /* optional, and the producer does not wait */
    WEIR_CUT_ROOM,  /* optional, and the producer waits for room */
    WEIR_CUT_LOSSY, /* the consumer waits, and the queue can be full */
};

/* What a producer that waits for room (WEIR_CUT_ROOM) waits for. */
enum weir_room {
    WEIR_ROOM_SERVED,  /* for the consumer, in another part: a server in its own */
    WEIR_ROOM_EVERY,   /* for a consumer of its own part, of which every execution takes a message: as in a plain queue */
    WEIR_ROOM_NOTHING, /* for nothing: there always is room when it is ready for the rest */
    WEIR_ROOM_SOON,    /* for a consumer of its own part, which takes each message no later than the execution `soon` after it */
};

struct weir_known {
    bool known;   /* false: `why` of the sampler is filled */
    bool reached; /* some execution reaches it */
    int64_t value;
};

/* The larger of both, if both are known. */
static inline void weir_known_raise(struct weir_known *known, const struct weir_known *other)
{
    known->known &= other->known;
    known->value = other->value > known->value ? other->value : known->value;
}

/* A connection that does not wait. */
struct weir_cut {
    enum weir_cut_kind kind;
    uint32_t queue, from, to;
    bool joined; /* WEIR_CUT_LOSSY: it is never full, so that it is a queue without limit, and not cut */
    enum weir_room room;
    int64_t soon;    /* WEIR_ROOM_SOON */
    bool inside;     /* ROOM, LOSSY: both ends are in one part, which has arcs for it */
    uint32_t port;   /* the first cut that leads to the same port of its consumer; itself, where no other does */
    bool shared;     /* ... others do */
    bool strange;    /* its consumer is reentrant and receives late: nothing is known across it */
    uint32_t sender; /* in the part of `from`: whose finish it is when a message is sent. `from`, or a helper */
    uint32_t helper; /* WEIR_CUT_ROOM: the server, in the part of `from`; WEIR_CUT_LOSSY: the arrivals, in the part of `to` */
    bool waited;     /* of a shared one: `wait` was asked for */
    struct weir_known wait;
    bool grows;    /* PICK: it is sent faster than it is taken, in some execution */
    int64_t limit; /* PICK, LOSSY, roomy: messages that are in the queue at once, at most; 0: not known */
    int64_t step;  /* PICK, roomy: execution i + step of the consumer takes message i at the latest; WEIR_FAR: not known */
};

struct weir_async_part {
    struct weir_pipeline *pipeline; /* NULL: not made, or unknown */
    struct weir_solver *solver;
    struct weir_distances *distances;
    struct weir_inside *inside; /* NULL: no cut is inside */
    struct weir_routes *routes; /* of its messages, */
    const int64_t *executions;  /* ... those from this firing on; NULL: none were asked for yet */
    struct weir_operator routed;
    uint32_t firing;
    uint32_t count;  /* operators of the user */
    bool made;       /* or found to be unknown */
    bool pure;       /* nothing of it is wider than what the model says */
    const char *why; /* unknown: why */
};

/* A producer that waits for room waits for nothing that a plain queue would not make it wait for. */
static inline bool weir_cut_is_plain(const struct weir_cut *cut)
{
    return cut->room == WEIR_ROOM_EVERY || cut->room == WEIR_ROOM_NOTHING;
}

/* Which executions of an operator are skipped for want of a message to read again. */
enum weir_skips {
    WEIR_SKIPS_NONE,
    WEIR_SKIPS_FIRST, /* some in the beginning */
    WEIR_SKIPS_ANY,
};

struct weir_sampler {
    const struct weir_pipeline *pipeline;
    const struct weir_async_options *options;
    struct weir_error *error;
    struct weir_arena arena; /* reasons; of the answer, in the end */
    struct weir_arena scratch;
    uint32_t *part_of, *local_of; /* by operator */
    struct weir_async_part *parts;
    uint32_t part_count;
    struct weir_cut *cuts;
    uint32_t cut_count;
    uint32_t *cut_of;  /* by queue, or WEIR_NO_INDEX */
    bool *kept;        /* by source: it skips ticks, but misses none, as far as is known */
    bool misses;       /* the model says what happens when a message to read again is missing */
    uint8_t *skips;    /* by operator: its own executions, enum weir_skips */
    uint8_t *levels;   /* ... or those of an operator before it, whose messages it waits for */
    uint32_t *streams; /* ... and whose; WEIR_NO_INDEX: none are */
    bool certified;    /* every separation asked for so far */
    bool late;         /* producers may find no room in a port that they share, and start late */
    char why[WEIR_ASYNC_WHY];
};

/* ---- cuts.c ---- */

/* Marks, with 1, the operators that queues of all kinds lead to (or, backwards, from) those that are marked. */
enum weir_status weir_async_flood(const struct weir_sampler *sampler, uint8_t *marks, bool backwards);
/* Finds the connections, and what is strange about them. */
enum weir_status weir_async_find_cuts(struct weir_sampler *sampler);

/* ---- parts.c, part.c ---- */

/* Divides the pipeline, with the cuts as they are joined, and makes every part. Frees those of a try before. */
enum weir_status weir_async_divide(struct weir_sampler *sampler);
void weir_async_free_parts(struct weir_sampler *sampler);
void weir_async_free_part(struct weir_async_part *part);
/* Whether its separations hold of all that happens: where several operators begin at any time, they leave out the wait for that. */
bool weir_async_is_whole(const struct weir_async_part *part);
/* Finds the connections and divides the pipeline, until it is settled which queues are none: one entry for each of the others. */
enum weir_status weir_async_open(struct weir_sampler *sampler, struct weir_async_queue **queues);
void weir_async_close(struct weir_sampler *sampler); /* all but its arena, which an answer may take */
/* Notes why the part cannot be known, because of a cut that it depends on. */
enum weir_status weir_async_refuse(struct weir_sampler *sampler, const struct weir_cut *cut, uint32_t part);
/* Whether a part waits for anything of another, or of one that does. */
enum weir_status weir_async_depends(struct weir_sampler *sampler, uint32_t part, uint32_t on, bool *depends);
/* Makes one part, when those that it depends on are there. */
enum weir_status weir_async_make_part(struct weir_sampler *sampler, uint32_t part);

/* ... as if there always were messages in the ports of its operators, and with all best cases 0. */
enum weir_status weir_async_make_free(struct weir_sampler *sampler, uint32_t part, struct weir_async_part *made);

/* ---- between.c ---- */

/* Arcs of a part besides those of its graph, in an order in which they can be followed. */
struct weir_inside;
/* NULL, with WEIR_OK, where arcs form a loop without tokens, so that it is not known whether anything moves. */
enum weir_status weir_inside_new(const struct weir_graph *graph, const struct weir_inner_arc *arcs, size_t count,
                                 struct weir_inside **inside);
void weir_inside_free(struct weir_inside *inside); /* NULL is fine */

struct weir_inside_answer {
    bool known;
    bool wrong; /* it was verified, and is not so */
    int64_t value;
};
enum weir_status weir_inside_worst(const struct weir_graph *graph, const struct weir_inside *inside,
                                   const struct weir_between_query *query, bool verify, struct weir_inside_answer *answer);
/* The latest that `to` of iteration `shift` can be, counted from time 0. */
enum weir_status weir_inside_beginning(const struct weir_graph *graph, const struct weir_inside *inside,
                                       const struct weir_between_query *to, bool verify, struct weir_inside_answer *answer);

/* ---- ask.c ---- */

/*
 * From an event of each execution of an operator to that of an execution of another in the same part. With `via`, it is the one
 * `later` after the first execution of `via` that depends on it; without (WEIR_NO_INDEX), `later` after the one with the same
 * number. Operators are those of the part; firings are not looked at.
 */
struct weir_span {
    struct weir_event from, to;
    uint32_t via;
    int64_t later;
    bool least; /* the shortest is asked for, instead of the longest */
};
/* The longest of all executions of `from`, or the shortest; certified where that is wanted. */
enum weir_status weir_async_span(struct weir_sampler *sampler, struct weir_async_part *part, const struct weir_span *span,
                                 struct weir_known *known);
/* The span of one of its executions in a round as a query. */
enum weir_status weir_async_query(struct weir_sampler *sampler, struct weir_async_part *part, const struct weir_span *span,
                                  uint32_t firing, struct weir_query *query);
/* The actor that an event is about. */
uint32_t weir_async_actor(const struct weir_graph *graph, struct weir_event event);
/* Of an operator of the part: executions in a round. */
uint32_t weir_async_firings(const struct weir_async_part *part, uint32_t op);
/* From one start of the operator to the start `executions` later. */
enum weir_status weir_async_starts(struct weir_sampler *sampler, uint32_t op, int64_t executions, struct weir_known *known);
/* The latest that an event of that execution can be, counted from time 0; by operators of the part. */
enum weir_status weir_async_beginning(struct weir_sampler *sampler, struct weir_async_part *part, struct weir_event event,
                                      int64_t execution, struct weir_known *known);
/* The earliest that an event of the first execution can be, counted from time 0, where nothing begins at any time. */
enum weir_status weir_async_earliest(struct weir_sampler *sampler, struct weir_async_part *part, struct weir_event event,
                                     struct weir_known *known);
/* How long a message can be in a queue with a limit, from when it is sent to the start that takes it; `first`: in the beginning,
 * and not later, it is so long. */
enum weir_status weir_async_wait(struct weir_sampler *sampler, struct weir_cut *cut, struct weir_known *known, bool *first);
/* Whether data of one operator comes to the other without crossing a cut. */
enum weir_status weir_async_reaches(struct weir_sampler *sampler, uint32_t from, uint32_t to, bool *reaches);
/* An operator of the part starts execution i only when another has started, or sent what it has to send in, execution i -
 * executions; WEIR_FAR: it never waits for it, or one executes more often. */
enum weir_status weir_async_holds(struct weir_sampler *sampler, struct weir_async_part *part, struct weir_event by, uint32_t op,
                                  int64_t *executions);
/* The moments when a message of the cut is sent, and when it can be taken; by operators of the parts. */
struct weir_event weir_async_sent(const struct weir_cut *cut);
struct weir_event weir_async_taken(const struct weir_sampler *sampler, const struct weir_cut *cut);

/* ---- ports.c ---- */

/* The same for a port that several send to, whatever the others do; not known where it is not shared. */
enum weir_status weir_async_port_wait(struct weir_sampler *sampler, struct weir_cut *cut, struct weir_known *known);
/* The longest that a producer which is ready for the rest waits for room in a port that others send to as well; not known: `why` of
 * the sampler is filled. */
enum weir_status weir_async_room_wait(struct weir_sampler *sampler, const struct weir_cut *cut, struct weir_known *wait);
/* While there are messages: from one start of its consumer to the next, and to the first. */
enum weir_status weir_async_port_takes(struct weir_sampler *sampler, const struct weir_cut *cut, struct weir_known *spacing,
                                       struct weir_known *first);

/* ---- ticks.c ---- */

/* Sources that skip ticks are taken to miss none. */
enum weir_status weir_async_keep_ticks(struct weir_sampler *sampler);
/* Gives up those that may miss one, with the parts as they are; `any`: there was one. */
enum weir_status weir_async_test_ticks(struct weir_sampler *sampler, bool *any);

/* ---- ages.c, missing.c ---- */

/* How old the latest message of a cut is when it is read, where the model says how old it may be. */
enum weir_status weir_async_age(struct weir_sampler *sampler, uint32_t cut, struct weir_async_queue *queue);
/* Whether the operator of the cut that reads may begin at any moment of the other part, and neither depends on anything else. */
bool weir_async_meets_any_moment(const struct weir_sampler *sampler, const struct weir_cut *cut);
/* Of all that the model asks about: how old it can be, and whether it can be missing. */
enum weir_status weir_async_find_samples(struct weir_sampler *sampler, struct weir_async_queue *queues);
/* No execution is taken to be skipped. */
enum weir_status weir_async_keep_samples(struct weir_sampler *sampler);
/* Gives that up where one may be, with the parts as they are; `any`: there was one. */
enum weir_status weir_async_test_skips(struct weir_sampler *sampler, struct weir_async_queue *queues, bool *any);
/* With the parts numbered: what is behind operators that skip, and parts that are not known because of it. */
enum weir_status weir_async_find_streams(struct weir_sampler *sampler);

/* ---- losses.c ---- */

/* Which queues are never full, and so no cuts; divides until that is settled. */
enum weir_status weir_async_join(struct weir_sampler *sampler, struct weir_async_queue *queues);
/* What can happen to the messages of the others. */
enum weir_status weir_async_losses(struct weir_sampler *sampler, struct weir_async_queue *queues);
/* Whether the consumer of a cut waits for something of its part that begins at any time; `own`: for an operator of the user. */
enum weir_status weir_async_waits_for_any_time(struct weir_sampler *sampler, const struct weir_cut *cut, bool own, bool *any);

/* ---- growth.c ---- */

/* Whether messages of the cut, which has no limit, come faster than they are taken, in some execution. */
enum weir_status weir_async_find_growth(struct weir_sampler *sampler, struct weir_cut *cut);
/* Whether a part that is wider than the model has what the query asks about drift apart also in some execution of the model: then
 * `why` of the sampler says so. */
enum weir_status weir_async_drifts(struct weir_sampler *sampler, const struct weir_async_part *part, const struct weir_query *query,
                                   bool *drifts);
/* Latencies that are unknown, and have no bound in some execution with fixed times: their reason then says so. */
enum weir_status weir_async_try_fixed(struct weir_sampler *sampler, struct weir_async_latency *latencies);

/* ---- analyze.c ---- */

/* An analysis that does not go on to executions with fixed times. */
enum weir_status weir_async_analyze_once(const struct weir_pipeline *pipeline, const struct weir_async_options *options,
                                         struct weir_async_analysis **analysis, struct weir_error *error);

/* ---- paths.c ---- */

struct weir_paths; /* what is known of segments, shared by all latencies */
struct weir_paths *weir_paths_new(struct weir_sampler *sampler);
void weir_paths_free(struct weir_paths *ways);
/* Fills in all but the deadline; segments and reason come from the arena. */
enum weir_status weir_paths_latency(struct weir_paths *ways, uint32_t chain, struct weir_async_latency *latency);

/* Between segments (segments.c) and the paths that are made of them (paths.c). */

/* The beginning of a segment: the start of an operator, or the arrival of its input. */
struct weir_stop {
    uint32_t op;
    bool arrival;
};

/* From a stop to the start of the consumer of a cut. */
struct weir_crossing {
    uint32_t cut;
    struct weir_async_segment segments[2];
    uint32_t segment_count;
    int64_t worst, best;
    bool has_best;
    const char *why; /* NULL: it is known */
};

/* Crosses the cut, that data comes to without crossing others. */
enum weir_status weir_segment_cross(struct weir_sampler *sampler, struct weir_stop from, uint32_t cut,
                                    struct weir_crossing *crossing);

/* From a stop to the finish of an operator of the same part. */
struct weir_arrival {
    struct weir_async_segment segment;
    bool known, reached, has_best; /* known false: `why` of the sampler is filled */
};
/* `shift`: how many iterations later; NULL: when the data is there. */
enum weir_status weir_segment_arrive(struct weir_sampler *sampler, struct weir_stop from, uint32_t to, const int64_t *shift,
                                     struct weir_arrival *arrival);

#endif
