/* SPDX-License-Identifier: Apache-2.0 */
/* Between what happens (machine.c), what happens to messages (machine_messages.c) and setting it up (machine_build.c). */
#ifndef WEIR_SIMULATE_MACHINE_INSIDE_H
#define WEIR_SIMULATE_MACHINE_INSIDE_H

#include "base/alloc.h"
#include "base/random.h"
#include "simulate/machine.h"
#include "simulate/provenance.h"

struct weir_machine_channel {
    int64_t messages; /* to be claimed */
    int64_t
        occupied; /* slots: of messages, of those claimed but not yet received, and, unless it can lose some, of those to come */
    int64_t capacity; /* INT64_MAX: the producer never waits */
    uint32_t need;    /* messages that the consumer waits for; 0: none */
    uint32_t from, to;
};

/* Whatever has to be distinguished: a message, or the operator that claimed one. */
struct weir_parcel {
    int64_t over;  /* the end of the work on a GPU behind it; of a claim: the execution */
    int64_t began; /* the start of the execution that sent it, one more: 0 is none */
    uint32_t provenance;
};

/* First in, first out. */
struct weir_machine_line {
    struct weir_parcel *ring;
    size_t capacity, count; /* capacity: 0 or a power of two */
    uint64_t first;
};

/* The rest of a channel, where something is not plain. */
struct weir_channel_more {
    struct weir_machine_line waiting;   /* the messages */
    struct weir_machine_line under_way; /* ... between fragments */
    struct weir_machine_line claimed;   /* optional ones: executions that took a message and have not received it */
    struct weir_parcel value;           /* latest: the last that came */
    int64_t room;                       /* messages, of a channel that can lose some */
    int64_t sent;                       /* messages */
    int64_t last_arrival;
    uint32_t queue;
    uint32_t segment; /* 0: every message is waited for and taken */
    uint8_t full;     /* enum weir_full */
    bool optional, latest, transfer;
    bool unread;     /* latest */
    bool has_within; /* latest: it should be no older than */
    uint8_t missing; /* ... what happens if it is, or if there is none: enum weir_missing */
    int64_t within;
    /* A port that several channels lead to: the first of them has the messages. Who looks for room there sees what has not been
     * received, and takes none until it sends. */
    uint32_t line; /* itself, where no other does */
    bool shared;
    bool looks;   /* its producer waits for room there */
    int64_t held; /* of the first: messages that have not been received */
};

/* An execution that began and has not both received and sent. */
struct weir_machine_flight {
    struct weir_parcel parcel; /* what it will send */
    int64_t started;           /* or when its input arrived */
    uint8_t over;              /* enum weir_flight_over; reentrant ones only */
    bool skipped;              /* it sends nothing */
};
enum weir_flight_over { WEIR_FLIGHT_RECEIVED = 1, WEIR_FLIGHT_FINISHED = 2 };

struct weir_machine_thread {
    int64_t started;             /* executions begun */
    int64_t received, sent;      /* executions whose input slots are free, whose messages are out */
    int64_t finished;            /* and those that were reported to be over */
    int64_t arrived;             /* inputs, for exact arrivals */
    int64_t goal, limit;         /* executions to do, and after which none starts */
    int64_t period;              /* 0: none */
    int64_t begin;               /* no start before; the periods count from there */
    uint32_t missing;            /* conditions that are not met */
    uint32_t first_out, end_out; /* channels */
    uint32_t first_in, end_in;   /* into inputs */
    uint32_t stream;
    uint8_t arrivals; /* enum weir_arrivals */
    bool late;        /* receives after the start */
    bool reentrant, launches, waits;
    struct weir_machine_flight own;      /* the one of an operator that is not reentrant */
    struct weir_machine_flight *flights; /* a ring */
    size_t flight_capacity;              /* a power of two */
};

enum weir_machine_kind {
    WEIR_MACHINE_EXECUTED, /* the execution is over */
    WEIR_MACHINE_RECEIVED,
    WEIR_MACHINE_BOTH, /* receive and execution over at once */
    WEIR_MACHINE_WORKED,
    WEIR_MACHINE_AFTER,
    WEIR_MACHINE_DELIVERY, /* `op` is a channel */
    WEIR_MACHINE_PERIOD,
    WEIR_MACHINE_ARRIVAL,
    WEIR_MACHINE_SEEN, /* that it is ready; `execution` counts how often it was */
};

struct weir_machine_moment {
    int64_t time;
    int64_t execution;
    uint32_t rank; /* among those of the same time */
    uint32_t op;
    uint32_t kind;
    uint32_t provenance; /* of work that is not waited for */
};

struct weir_machine {
    struct weir_arena arena;
    const struct weir_machine_rules *rules;
    struct weir_machine_thread *threads;
    struct weir_machine_channel *channels; /* in order of their producer */
    struct weir_channel_more *more;        /* by channel; NULL: all are plain, and messages need not be told apart */
    uint32_t *inputs;                      /* channels in order of their consumer */
    uint32_t *ready;                       /* a stack */
    int64_t *streams;                      /* the end of the last work in it */
    uint32_t *ranks;                       /* two for each operator, of its ends and of its starts; WEIR_TIES_RANKED only */
    struct weir_machine_moment *heap;
    struct weir_provenance_hold hold;
    struct weir_rounds_state *rounds; /* NULL: all are played */
    struct weir_crews_state *crews;   /* NULL: a thread for each operator */
    struct weir_random random;
    enum weir_ties ties;
    size_t ready_count, heap_count, heap_capacity;
    uint32_t thread_count, channel_count;
    uint32_t segments;   /* given out */
    uint32_t unfinished; /* threads */
    int64_t now;
    int64_t starts; /* that were played */
    bool cut;       /* some connection is: no operator stops before all are done */
    bool stopped;
    enum weir_status status;
    const char *wrong; /* WEIR_INVALID: what was given */
};

/* ---- machine_crews.c ---- */

bool weir_crews_new(struct weir_machine *machine, const struct weir_pipeline *pipeline); /* false: out of memory */
void weir_crews_ready(struct weir_machine *machine, uint32_t op);
void weir_crews_see(struct weir_machine *machine, uint32_t op, int64_t which);
void weir_crews_take(struct weir_machine *machine, uint32_t op);
void weir_crews_free(struct weir_machine *machine, uint32_t op); /* its thread */
/* Puts the operator whose turn it is on top of those that are ready; false: none, or not yet. */
bool weir_crews_choose(struct weir_machine *machine);

/* ---- machine_rounds.c ---- */

bool weir_rounds_new(struct weir_machine *machine); /* where the rules have rounds, and it can be done; false: out of memory */
void weir_rounds_free(struct weir_rounds_state *rounds);
bool weir_rounds_due(const struct weir_machine *machine);
void weir_rounds_end(struct weir_machine *machine); /* a round is over; goes over more of them if it can */
void weir_rounds_note_given(struct weir_machine *machine, int64_t time);
void weir_rounds_note_sign(struct weir_machine *machine, int64_t difference);
void weir_rounds_note_moment(struct weir_machine *machine, const struct weir_machine_moment *moment);

/* Before what happens next depends on the sign of a difference, or on a time that was given. */
static inline void weir_machine_sees(struct weir_machine *machine, int64_t difference)
{
    if (machine->rounds)
        weir_rounds_note_sign(machine, difference);
}

static inline void weir_machine_is_given(struct weir_machine *machine, int64_t time)
{
    if (machine->rounds)
        weir_rounds_note_given(machine, time);
}

/* ---- machine.c ---- */

void weir_machine_refuse(struct weir_machine *machine, const char *wrong);
/* At `time`. */
void weir_machine_push(struct weir_machine *machine, int64_t time, struct weir_machine_moment moment);
void weir_machine_make_ready(struct weir_machine *machine, uint32_t op);
void weir_machine_not_ready(struct weir_machine *machine, uint32_t op); /* after all */
void weir_machine_condition_met(struct weir_machine *machine, uint32_t op);
/* from + time; a negative time or one that cannot be counted is noted. */
int64_t weir_machine_after(struct weir_machine *machine, int64_t from, int64_t time);

/* ---- machine_messages.c ---- */

void weir_line_free(struct weir_machine_line *line);
/* Takes the messages for an execution that starts: what it carries of them goes into `parcel`. */
void weir_machine_claim(struct weir_machine *machine, uint32_t op, int64_t execution, struct weir_parcel *parcel);
/* The execution reads the latest values. */
void weir_machine_read(struct weir_machine *machine, const struct weir_machine_thread *thread, int64_t execution,
                       struct weir_parcel *parcel);
/* The messages that were claimed by the oldest execution that still holds its own leave their queues. */
void weir_machine_free_slots(struct weir_machine *machine, struct weir_machine_thread *thread);
/* What becomes of an execution that starts now, as far as what it reads again is concerned: enum weir_missing. */
enum weir_missing weir_machine_misses(const struct weir_machine *machine, const struct weir_machine_thread *thread,
                                      uint32_t *queue);
/* It will send nothing: the slots for that are free. */
void weir_machine_send_nothing(struct weir_machine *machine, const struct weir_machine_thread *thread);
/* One message into each output. The parcel stays the caller's. */
void weir_machine_send(struct weir_machine *machine, struct weir_machine_thread *thread, const struct weir_parcel *parcel);
/* The first message under way arrives. */
void weir_machine_deliver(struct weir_machine *machine, uint32_t channel);

/* ---- machine_build.c ---- */

enum weir_status weir_machine_build(struct weir_machine *machine, const struct weir_pipeline *pipeline);
void weir_machine_free(struct weir_machine *machine);

#endif
