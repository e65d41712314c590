/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A queue between two threads. Messages (samples, where there are rates) are counted from the first initial one on: those from
 * `head` to `tail` are in the queue. The producer alone moves `tail` and the consumer alone `head`, each publishing what it wrote
 * before; each remembers what it last saw of the other's, so that a queue that is neither full nor empty moves no line of the
 * caches for it.
 *
 * Storage is a ring of slots, and a ring of tags with one entry per send. There is neither where no function is bound and nothing
 * is carried: then a queue is its two counts. Where the producer may have to make room by itself, or the ring has to grow, a lock
 * guards the storage (a kind of its own, WEIR_CHANNEL_LOCKED).
 */
#ifndef WEIR_MEASURE_RUN_CHANNEL_H
#define WEIR_MEASURE_RUN_CHANNEL_H

#include "measure/run/wait.h"
#include "weir.h"

#include <pthread.h>

enum weir_channel_kind { WEIR_CHANNEL_RING, WEIR_CHANNEL_LOCKED, WEIR_CHANNEL_LATEST };

/* Rings of more messages than this are not made at once: they grow as need be. */
#define WEIR_CHANNEL_RING_MAX 65536

/* NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding): what one end writes must not be beside what the other reads */
struct weir_channel {
    uint32_t from, to, index;
    enum weir_channel_kind kind;
    uint64_t produce, consume, threshold, initial;
    uint64_t capacity; /* UINT64_MAX: no limit */
    bool waits;        /* the producer, for room */
    bool required;     /* the consumer waits for messages */
    bool pops;         /* makes room by losing the oldest */
    bool plain;        /* a ring of messages that are sent and taken one by one, with nothing to carry: the fast way */
    bool shared;       /* memory that other processes see */
    bool irregular;    /* execution n of the consumer does not take what execution n * consume / produce sent */
    unsigned pauses;   /* a longer queue may be looked at less often */
    enum weir_full full;
    int64_t transfer_min, transfer_max; /* ns */
    void (*discard)(void *context, void *message);
    void *discard_context;

    void **slots; /* NULL: counts only */
    uint64_t slot_mask;
    int64_t *tags;                       /* NULL: none */
    uint64_t tag_mask;                   /* of sends */
    uint32_t tag_count;                  /* of a send: due, sender, origins of two each */
    int due_tag, sender_tag, origin_tag; /* -1: none */
    uint32_t segments, segment;          /* origins of one operator; that of this connection, 0 where it keeps every message */

    /* The producer's. */
    _Alignas(WEIR_RUN_LINE) _Atomic uint64_t tail;
    uint64_t seen_head, peak, lost;
    int64_t last_due;

    /* The consumer's. */
    _Alignas(WEIR_RUN_LINE) _Atomic uint64_t head;
    uint64_t seen_tail, taken;
    void *held; /* WEIR_CHANNEL_LATEST: what was read last */
    bool holds;

    _Alignas(WEIR_RUN_LINE) pthread_mutex_t lock;
    bool locked_made;
};

static inline uint32_t weir_channel_code(const struct weir_channel *c, bool room)
{
    return WEIR_WAITS_QUEUE + 2 * c->index + room;
}

/* Storage for what is in it at the beginning. The kind may change for a large ring. False: out of memory. */
bool weir_channel_open(struct weir_channel *c, bool slots);
/* Discards what is left, frees the storage. */
void weir_channel_close(struct weir_channel *c);

/*
 * What an execution knows of an operator that a latency is measured from. Where queues that keep every message meet, what comes
 * from its latest execution counts: that is the path with the fewest initial messages. What comes over other connections counts
 * besides it. So there is one of these for each operator and each connection of the latter kind that was crossed last; the first
 * is for none.
 */
struct weir_origin {
    int64_t lead; /* the execution of that operator, or of the consumer of that connection; -1: none */
    int64_t time; /* the oldest start that this brings; INT64_MAX: none */
};

/* What is taken at a start. */
struct weir_taking {
    void **messages; /* at least `threshold`; NULL where the channel has no slots */
    uint32_t count;
    bool again;
    int64_t execution;           /* of the consumer, given by it */
    struct weir_origin *origins; /* what the messages carry is added; NULL: they carry nothing */
    int64_t sender;              /* of the oldest; -1: an initial message or none */
};
/* The messages must be there where the channel is required. They stay in the queue until weir_channel_free. */
void weir_channel_take(struct weir_channel *c, struct weir_taking *taking);
/* Number of messages that the last take has to free: 0 where there was none or they are gone already. */
uint64_t weir_channel_taken(const struct weir_channel *c, const struct weir_taking *taking);

struct weir_sending {
    void *const *messages; /* `produce`; NULL where the channel has no slots */
    const struct weir_origin *origins;
    int64_t sender;
    int64_t due;
};
/* WEIR_MEMORY: the queue could not grow. WEIR_INVALID: it was full, and that is a fault. *sent: whether there is anything new. */
enum weir_status weir_channel_send(const struct weir_thread_group *group, struct weir_channel *c,
                                   const struct weir_sending *sending, bool *sent);
/* The same for plain ones. */
static inline void weir_channel_take_plain(const struct weir_channel *c, struct weir_taking *taking)
{
    if (c->slots)
        taking->messages[0] = c->slots[atomic_load_explicit(&c->head, memory_order_relaxed) & c->slot_mask];
}
static inline void weir_channel_send_plain(const struct weir_thread_group *group, struct weir_channel *c, void *const *messages)
{
    uint64_t tail = atomic_load_explicit(&c->tail, memory_order_relaxed);
    if (c->slots)
        c->slots[tail & c->slot_mask] = messages[0];
    weir_index_publish(group, &c->tail, tail + 1);
}
/* The moment at which the last message that the next execution needs is there; INT64_MIN: it is. */
int64_t weir_channel_due(struct weir_channel *c);

#endif
