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

#include "read/holoscan/skip.h"
#include "read/text.h"

#define WEIR_TIME_UNKNOWN (-1)     /* in place of a time */
#define WEIR_EVIDENCE_NAME_MAX 512 /* bytes of the name of an operator or a port; longer ones are not taken */
#define WEIR_EVIDENCE_MAX 65536    /* operators, and connections; more are not those of an application */

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
    int64_t upper;                 /* the same of as many as are asked for, with its uncertainty; 0: too few were seen */
    bool heavy;                    /* ... and the tail looks heavier than that takes it to be */
    int64_t rare;                  /* what one execution in a million may take, an estimate of read/tail.h; 0: none */
    struct weir_evidence_place at; /* of the greatest, where it can be told */
};

struct weir_evidence_connection {
    uint32_t from, to;
    const char *from_port, *to_port;    /* NULL: not said; copied */
    bool latest;                        /* a message was read twice: an async buffer */
    bool timed;                         /* from emit() at one to receive() at the other was seen to take */
    int64_t transfer_min, transfer_max; /* ... this long; below 0 where the clocks differ */
    uint32_t batch;                     /* messages that each execution of `to` was seen to take; 0: not known, or one */
    struct weir_evidence_place at;
};

enum weir_evidence_policy { WEIR_POLICY_UNKNOWN, WEIR_POLICY_POP, WEIR_POLICY_REJECT, WEIR_POLICY_FAULT };

/* What is known of one port. */
struct weir_evidence_port {
    uint32_t op;
    const char *port; /* copied */
    bool output;
    uint32_t capacity; /* 0: not said */
    uint32_t min_size; /* messages waited for at an input, places at an output; 0: not said */
    enum weir_evidence_policy policy;
    bool unconditional; /* said to have no condition (ConditionType.NONE) */
    bool latest;        /* an async buffer: keeps the latest message, and neither end waits */
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
    uint64_t tail;             /* worst cases are what one execution in so many takes; 0: the longest seen */
    struct weir_skip skip;     /* executions of each operator in a log that do not count */
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
    struct weir_flow_path *paths; /* from a root to a leaf, with latencies end to end */
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
bool weir_evidence_add_path(struct weir_evidence *evidence, const struct weir_flow_path *path);
bool weir_evidence_add_period(struct weir_evidence *evidence, const struct weir_evidence_period *period);
bool weir_evidence_add_scheduler(struct weir_evidence *evidence, const struct weir_evidence_scheduler *scheduler);

/* What the user should know. */
void weir_evidence_note(struct weir_evidence *evidence, struct weir_evidence_place at, const char *format, ...) WEIR_PRINTF(3, 4);

/* ---- files ---- */

#define WEIR_EVIDENCE_SNIFF 65536 /* bytes at the beginning of a file that tell its format */
/* With one test of its own per format; `bytes` is at most WEIR_EVIDENCE_SNIFF from the beginning. */
enum weir_evidence_format weir_evidence_format_of(const char *bytes, size_t size);
/* Whether that is WEIR_EVIDENCE_FLOW_LOG, without trying the others; asked of every file that should be a model. */
bool weir_evidence_is_log(const struct weir_file_text *text);
/* Of a file; WEIR_EVIDENCE_NONE where it can be read only once, such as a pipe. */
enum weir_status weir_evidence_format_file(const char *path, enum weir_evidence_format *format, struct weir_errors *errors);

#define WEIR_EVIDENCE_BYTES_MAX (UINT64_C(1) << 26) /* a file that is held in memory */
/* A file whose entry says its format, any but the log, all of it in memory. Mistakes go to errors with the file's path, in the
 * order of the file; WEIR_INVALID then. */
enum weir_status weir_evidence_read(struct weir_evidence *evidence, uint32_t file, const char *bytes, size_t size,
                                    struct weir_errors *errors);

/* ---- what the readers have in common: one file on its way into the store ---- */

struct weir_evidence_reader {
    struct weir_draft draft; /* takes mistakes; its names are the reader's to use */
    struct weir_read_options options;
    struct weir_evidence *evidence;
    uint32_t file;
    struct weir_file_text text;
    struct weir_arena arena;    /* of a tree */
    struct weir_errors *own;    /* mistakes, until they are in the order of the file */
    struct weir_errors *errors; /* the caller's */
    bool full;                  /* there is more than the store can take, and that was reported */
    char *key;                  /* the words that were joined last */
    size_t key_capacity;
};

/* Whether to go on. */
static inline bool weir_evidence_reader_goes_on(const struct weir_evidence_reader *reader)
{
    return !reader->draft.out_of_memory && !reader->evidence->out_of_memory && !reader->full;
}

struct weir_evidence_place weir_evidence_reader_at(const struct weir_evidence_reader *reader, struct weir_place place);
/* The operator of that name. WEIR_NO_OPERATOR: it cannot be one, or there are too many, which is reported; or memory is short. */
uint32_t weir_evidence_reader_operator(struct weir_evidence_reader *reader, const char *name, size_t bytes,
                                       struct weir_place place);
/* `added` is what the store says; reports that it is full. */
void weir_evidence_reader_add(struct weir_evidence_reader *reader, bool added, struct weir_place place);
/* The name of a port, which is reported when it cannot be one. */
bool weir_evidence_reader_check_port(struct weir_evidence_reader *reader, const char *port, struct weir_place place);

/* Both words with the character between them in reader->key; how many bytes that is, 0 when memory is short. */
size_t weir_evidence_reader_join(struct weir_evidence_reader *reader, const char *word, size_t bytes, char between,
                                 const char *other);

/* In nanoseconds, rounded down or up; false when it is negative or too large. */
bool weir_evidence_reader_round(const struct weir_decimal *value, enum weir_unit unit, bool up, int64_t *nanoseconds);
/* A number from 0 on in that unit, unless it has its own; reported when it is none. `what` says of what: "the latency". */
bool weir_evidence_reader_time(struct weir_evidence_reader *reader, const char *text, struct weir_place place, const char *what,
                               struct weir_decimal *value);

/* One for each format. */
typedef void weir_evidence_read_format(struct weir_evidence_reader *reader);
weir_evidence_read_format weir_evidence_read_summary, weir_evidence_read_perf_graph, weir_evidence_read_port_map,
    weir_evidence_read_gxf, weir_evidence_read_job_statistics, weir_evidence_read_description;

#endif
