/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An application of Holoscan, played by the rules of the SDK: operators with ports, conditions and policies, entities that
 * broadcast what one port sends to several receivers, schedulers. It knows nothing of weir.
 */
#ifndef WEIR_TESTS_SUPPORT_SDK_H
#define WEIR_TESTS_SUPPORT_SDK_H

#include <stdbool.h>
#include <stdint.h>

enum {
    SDK_OPERATORS = 6,
    SDK_PORTS = 16,
    SDK_TARGETS = 3,
    SDK_ENTITIES = SDK_OPERATORS + SDK_PORTS,
    SDK_QUEUES = 48,
    SDK_HELD = 128
};

enum sdk_scheduler { SDK_THREADS, SDK_GREEDY, SDK_EVENT_BASED, SDK_MULTI_THREAD, SDK_SCHEDULERS };
enum sdk_policy { SDK_POP, SDK_REJECT, SDK_FAULT };
/* Of a contract: what an activation does that finds no sample, or an old one. */
enum sdk_missing { SDK_REUSE, SDK_SKIP_ACTIVATION, SDK_FAIL };
/* PeriodicCondition: none, MinTimeBetweenTicks, CatchUpMissedTicks, NoCatchUpMissedTicks. */
enum sdk_ticks { SDK_NO_TICKS, SDK_AT_LEAST, SDK_CATCH_UP, SDK_SKIP };

struct sdk_operator {
    int64_t best, worst;
    enum sdk_ticks ticks;
    int64_t period;
    int64_t start_within; /* -1, or how long after its tick and its messages are there it should start */
    int lane; /* those of one lane, from 1 on, have a thread together; 0: a thread, or the workers, as of the scheduler */
};

/* An output port. One target: the queue is the receiver's. Several: a broadcast stands between, and all capacities are the same. */
struct sdk_port {
    int from, to[SDK_TARGETS], targets;
    int capacity;
    int batch;      /* so many messages are waited for, and taken, at once (size=N) */
    bool async;     /* kAsyncBuffer: the latest message stays, nobody waits */
    int64_t within; /* ... and should not be older than this when it is read */
    enum sdk_missing missing;
    bool output_none, input_none; /* ConditionType.NONE at the ends */
    enum sdk_policy policy;       /* of a queue that nobody keeps from being full */
    int shares;                   /* 1 + an earlier port, whose target's input it leads to as well; 0: none. One target each */
    bool shared;                  /* ... or a later one */
};

struct sdk_app {
    struct sdk_operator operators[SDK_OPERATORS];
    struct sdk_port ports[SDK_PORTS];
    int operator_count, port_count;
    enum sdk_scheduler scheduler;
    int workers;     /* SDK_EVENT_BASED, SDK_MULTI_THREAD */
    int64_t polling; /* SDK_MULTI_THREAD: a ready operator is seen at most so late */
};

struct sdk_run {
    uint64_t seed;
    int mode;       /* of execution times: 0 best, 1 worst, 2 one of them, 3 any */
    bool phases;    /* sources with a period begin at any time */
    bool stalls;    /* sources start later than they could, now and then */
    bool in_order;  /* workers take the entity that is there for longest, as GXF does; else any */
    bool favours;   /* ... and of several that can be taken the same are always first; not with in_order */
    bool rounds;    /* SDK_GREEDY: the clock is read once in a round, as GXF does; else at each entity */
    int executions; /* of each operator */
};

/* What was seen: of data that operator `from` began to work on, when operator `to` finished with it. */
struct sdk_seen {
    bool any[SDK_OPERATORS][SDK_OPERATORS];
    int64_t longest[SDK_OPERATORS][SDK_OPERATORS], shortest[SDK_OPERATORS][SDK_OPERATORS];
    int64_t read[SDK_PORTS];      /* by port: the oldest message that was read from an async buffer, since its operator began */
    bool missed[SDK_PORTS];       /* ... its operator started before there was one */
    int64_t delay[SDK_OPERATORS]; /* by operator: the longest from when its tick and its messages were there to its start */
    bool fault, still;            /* the application ended by a full queue, or nothing could go on */
};

/* Latencies that begin before a source is less than a period from beginning do not count. */
void sdk_play(const struct sdk_app *app, const struct sdk_run *run, struct sdk_seen *seen);
/* Whether an operator begins by itself: it waits for no message. */
bool sdk_begins(const struct sdk_app *app, int op);

#endif
