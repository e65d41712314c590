/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files of a Holoscan application say about it, each with the file and line that said it. Several readers fill one
 * store; weir_evidence_build makes a pipeline of it and tells what is missing and what is contradictory. Readers only report what
 * a file says: they add no broadcasts, resolve no names between files and choose between no two numbers.
 *
 * Times are nanoseconds below WEIR_TIME_MAX; where a file is finer, a reader rounds least times down and greatest up.
 *
 * Running out of memory is remembered in out_of_memory: the calls that follow do nothing, and the readers look at it in their
 * loops, so that no call needs its own check.
 */
#ifndef WEIR_READ_HOLOSCAN_EVIDENCE_H
#define WEIR_READ_HOLOSCAN_EVIDENCE_H

#include "base/alloc.h"
#include "base/error.h"
#include "base/map.h"
#include "base/number.h"
#include "weir.h"

#define WEIR_NO_OPERATOR UINT32_MAX /* no operator: out of memory, or not there */
#define WEIR_TIME_UNKNOWN (-1)      /* in the place of a time */
#define WEIR_EVIDENCE_NAME_MAX 512  /* bytes of the name of an operator or a port; longer ones are not taken */
#define WEIR_EVIDENCE_MAX 65536     /* operators, and connections; more are not those of an application */

struct weir_evidence_place {
    uint32_t file; /* what weir_evidence_add_file gave */
    uint64_t line; /* from 1; 0: the file as a whole */
};

enum weir_evidence_format {
    WEIR_EVIDENCE_NONE, /* none of these */
    WEIR_EVIDENCE_FLOW_LOG,
    WEIR_EVIDENCE_SUMMARY,    /* what the tracker prints */
    WEIR_EVIDENCE_PERF_GRAPH, /* DOT with times: HoloHub's performance graph, or one with WCET */
    WEIR_EVIDENCE_PORT_MAP,
    WEIR_EVIDENCE_GXF,            /* an application of GXF, YAML */
    WEIR_EVIDENCE_JOB_STATISTICS, /* of GXF, JSON */
    WEIR_EVIDENCE_DESCRIPTION,    /* of operators, as Holoscan prints them, YAML */
    WEIR_EVIDENCE_FORMATS
};

struct weir_evidence_file {
    enum weir_evidence_format format; /* WEIR_EVIDENCE_NONE: not known */
    const char *path;                 /* what messages call it */
    const char *fragment;             /* of the application that all of it is about: its operators are FRAGMENT.NAME; NULL: none */
    bool times_only;                  /* its connections are only compared with those of the others */
    bool connects;                    /* it says which operators are connected */
    bool ports;                       /* ... and through which ports, so that a port with several receivers is known */
    bool observed; /* what it has was seen while the application ran: what is not in it may be there all the same */
};

/* What a time of an operator covers. */
enum weir_evidence_span {
    WEIR_SPAN_PORTS,     /* from receive() to emit(): less than the operator is busy */
    WEIR_SPAN_EXECUTION, /* all of compute() */
};

/* Times that one file gives for one operator. */
struct weir_evidence_time {
    uint32_t op;
    enum weir_evidence_span span;
    uint64_t count;                /* how many executions were seen; 0: not said */
    int64_t min, max;              /* WEIR_TIME_UNKNOWN: not said */
    int64_t rare;                  /* what one execution in a million may take, an estimate of read/tail.h; 0: none */
    struct weir_evidence_place at; /* of the greatest, where it can be told */
};

struct weir_evidence_connection {
    uint32_t from, to;
    const char *from_port, *to_port; /* NULL: not said; copied */
    bool latest;                     /* a message was read twice: an async buffer */
    bool timed;                      /* from emit() at one to receive() at the other was seen to take */
    int64_t way_min, way_max;        /* ... this long; below 0 where the clocks differ */
    uint32_t batch;                  /* messages that each execution of `to` was seen to take; 0: not known, or one */
    struct weir_evidence_place at;
};

enum weir_evidence_policy { WEIR_POLICY_UNKNOWN, WEIR_POLICY_POP, WEIR_POLICY_REJECT, WEIR_POLICY_FAULT };

/* What is said of one port. */
struct weir_evidence_port {
    uint32_t op;
    const char *port; /* copied */
    bool output;
    uint32_t capacity; /* 0: not said */
    uint32_t min_size; /* messages waited for at an input, places at an output; 0: not said */
    enum weir_evidence_policy policy;
    bool unconditional; /* said to have no condition (ConditionType.NONE) */
    bool latest;        /* an async buffer: keeps the latest message, and nobody waits */
    struct weir_evidence_place at;
};

/* A path from a root to a leaf with its latencies end to end. */
struct weir_evidence_path {
    const uint32_t *operators; /* copied */
    size_t count;
    uint64_t messages;      /* 0: none were seen, or not said */
    int64_t min, mean, max; /* WEIR_TIME_UNKNOWN: not said */
    uint64_t max_message;   /* the number of the one that took longest; 0: not said */
    struct weir_evidence_place at;
};

/* A periodic condition. */
struct weir_evidence_period {
    uint32_t op;
    int64_t period; /* > 0 */
    enum weir_arrivals arrivals;
    struct weir_evidence_place at;
};

/* The scheduler that one file names. */
struct weir_evidence_scheduler {
    enum weir_dispatch dispatch;
    uint32_t workers;
    int64_t polling; /* WEIR_TIME_UNKNOWN: not said */
    struct weir_evidence_place at;
};

struct weir_evidence_operator {
    const char *name;
    struct weir_evidence_place at; /* where it is named first */
    bool broadcast;                /* a file says that it is the broadcast of a port */
    bool by_graph;                 /* named by a file that is not times_only */
    uint32_t last_time;            /* of it, plus one; 0: none */
};

/* Zero-initialise. */
struct weir_evidence {
    struct weir_arena arena;
    bool out_of_memory;
    struct weir_errors *notes; /* gets what the user should know and is no mistake; may be NULL */
    struct weir_evidence_file *files;
    size_t file_count, file_capacity;
    struct weir_evidence_operator *operators;
    size_t operator_count, operator_capacity;
    struct weir_names names; /* of operators */
    struct weir_evidence_time *times;
    size_t time_count, time_capacity;
    struct weir_evidence_connection *connections;
    size_t connection_count, connection_capacity;
    struct weir_evidence_port *ports;
    size_t port_count, port_capacity;
    struct weir_evidence_path *paths;
    size_t path_count, path_capacity;
    struct weir_evidence_period *periods;
    size_t period_count, period_capacity;
    struct weir_evidence_scheduler *schedulers;
    size_t scheduler_count, scheduler_capacity;
};

void weir_evidence_free(struct weir_evidence *evidence);

/* The number of the file; `path` is copied. The reader sets connects, ports and observed of the entry. */
uint32_t weir_evidence_add_file(struct weir_evidence *evidence, const char *path, bool times_only);
/* The file is about that fragment; copied. */
void weir_evidence_set_fragment(struct weir_evidence *evidence, uint32_t file, const char *fragment);
/* The operator of that name, which is new or not; WEIR_NO_OPERATOR when out of memory or beyond WEIR_EVIDENCE_MAX. Where the file
 * is about a fragment, the name is one of that fragment, with or without the fragment before it. */
uint32_t weir_evidence_operator(struct weir_evidence *evidence, const char *name, size_t bytes, struct weir_evidence_place at);
/* WEIR_NO_OPERATOR when there is none. */
uint32_t weir_evidence_find(const struct weir_evidence *evidence, const char *name, size_t bytes);
/* As a file calls it, which may be about a fragment. */
uint32_t weir_evidence_find_in(const struct weir_evidence *evidence, uint32_t file, const char *name, size_t bytes);

/* Each of these takes a copy. A time of the same operator, file and span joins the one before: the counts add up. A connection may
 * be given again. False: out of memory, or beyond WEIR_EVIDENCE_MAX. */
bool weir_evidence_add_time(struct weir_evidence *evidence, const struct weir_evidence_time *time);
bool weir_evidence_connect(struct weir_evidence *evidence, const struct weir_evidence_connection *connection);
bool weir_evidence_add_port(struct weir_evidence *evidence, const struct weir_evidence_port *port);
bool weir_evidence_add_path(struct weir_evidence *evidence, const struct weir_evidence_path *path);
bool weir_evidence_add_period(struct weir_evidence *evidence, const struct weir_evidence_period *period);
bool weir_evidence_add_scheduler(struct weir_evidence *evidence, const struct weir_evidence_scheduler *scheduler);

/* What the user should know. */
void weir_evidence_note(struct weir_evidence *evidence, struct weir_evidence_place at, const char *format, ...) WEIR_PRINTF(3, 4);

/* ---- the readers: by content. Mistakes go to errors with the file's path; WEIR_INVALID then. ---- */

#define WEIR_EVIDENCE_SNIFF 65536 /* bytes at the beginning of a file that tell its format */
/* evidence_format.c, with one test of its own per format; `bytes` is at most WEIR_EVIDENCE_SNIFF from the beginning. */
enum weir_evidence_format weir_evidence_format_of(const char *bytes, size_t size);
/* Of a file; WEIR_EVIDENCE_NONE where it can be read only once, such as a pipe. */
enum weir_status weir_evidence_format_file(const char *path, enum weir_evidence_format *format, struct weir_errors *errors);

/* A file of one of the formats but the log, all of it in memory. */
enum weir_status weir_evidence_read_summary(struct weir_evidence *evidence, uint32_t file, const char *bytes, size_t size,
                                            struct weir_errors *errors);
enum weir_status weir_evidence_read_perf_graph(struct weir_evidence *evidence, uint32_t file, const char *bytes, size_t size,
                                               struct weir_errors *errors);
enum weir_status weir_evidence_read_port_map(struct weir_evidence *evidence, uint32_t file, const char *bytes, size_t size,
                                             struct weir_errors *errors);
enum weir_status weir_evidence_read_gxf(struct weir_evidence *evidence, uint32_t file, const char *bytes, size_t size,
                                        struct weir_errors *errors);
enum weir_status weir_evidence_read_job_statistics(struct weir_evidence *evidence, uint32_t file, const char *bytes, size_t size,
                                                   struct weir_errors *errors);
enum weir_status weir_evidence_read_description(struct weir_evidence *evidence, uint32_t file, const char *bytes, size_t size,
                                                struct weir_errors *errors);

#endif
