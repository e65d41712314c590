/* SPDX-License-Identifier: Apache-2.0 */
/* From what a Holoscan application leaves behind to a model, and back to compare.
 * Experimental: may change with any version; weir.h includes it where WEIR_EXPERIMENTAL is defined. */
#ifndef WEIR_HOLOSCAN_H
#define WEIR_HOLOSCAN_H

#include <stdio.h>

#include "weir/model_file.h"
#include "weir/separation.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---------------------------------------------------------------- a model from files */

struct weir_holoscan_file {
    const char *path; /* or a folder: all files in it that are known, by name, and those in its folders, about these fragments */
    bool times_only;  /* take its times; its connections are only compared with those of the others */
    /* It is about that fragment of a distributed application: its operators are called FRAGMENT.NAME. NULL: about all of it.
     * Connections between operators of different fragments have a transfer. */
    const char *fragment;
};

struct weir_holoscan_options {
    const struct weir_holoscan_file *files;
    size_t file_count;
    uint32_t margin_permille; /* worst cases become so much greater than what was seen, best cases so much smaller; <= 10,000 */
    uint64_t tail;  /* worst cases are what one execution in so many takes, by the tail of a log, at 95 %; 0: the longest seen */
    uint32_t queue; /* capacity of the queues of which no file says it; 0: 1, Holoscan's default */
    enum weir_ports ports;     /* of operators with several receivers, where no file names ports */
    struct weir_errors *notes; /* receives what is missing, contradictory or estimated, with its origin; NULL: not wanted */
    /* An operator that no file has a time of is left open and noted, instead of being a mistake: the pipeline can be written as
     * YAML and JSON, where its time reads TODO, and nothing else. */
    bool skeleton;
    void (*progress)(void *context, unsigned permille); /* of the file that is being read; may be NULL */
    void *context;
    /* The first and last executions of each operator in each log, whose times are left out: start-up and end; each at most
     * WEIR_HOLOSCAN_SKIP_MAX. Both WEIR_SKIP_USUAL: 10 each, of operators that execute at least 100 times in the log; one of them:
     * 0. */
    uint32_t skip_first, skip_last;
};

#define WEIR_HOLOSCAN_SKIP_MAX 100000
#define WEIR_SKIP_USUAL UINT32_MAX

/* Puts together what the files say: Data Flow Tracking logs and the other files of docs/guide/holoscan.md, told apart by their
 * content. The pipeline is sealed. On failure *pipeline is NULL and errors says why. */
WEIR_API enum weir_status weir_holoscan_read(const struct weir_holoscan_options *options, struct weir_pipeline **pipeline,
                                             struct weir_errors *errors);

/* ---------------------------------------------------------------- logs, message by message */

/* One "(name,receive,publish)". */
struct weir_flow_step {
    uint32_t name;            /* names are numbered as they first appear: weir_flow_log_name */
    int64_t receive, publish; /* microseconds; publish -1: not tracked */
};

struct weir_flow_message {
    uint64_t record;                    /* the counter above it; 0: none was there */
    uint64_t line;                      /* of the file, from 1 */
    const struct weir_flow_step *steps; /* from a root to a leaf */
    size_t count;
};

struct weir_flow_counts {
    uint64_t bytes, lines, messages;
    uint64_t unreadable, first_unreadable; /* lines that are neither a path, a counter nor empty, and the first of them */
    bool truncated;                        /* the last line did not end: it was left out */
};

/* A log that is being read. */
struct weir_flow_log;
/* "-" is standard input. NULL on failure. Caller closes. */
WEIR_API struct weir_flow_log *weir_flow_log_open(const char *path, struct weir_error *error);
/* The same from memory, which stays the caller's. */
WEIR_API struct weir_flow_log *weir_flow_log_open_memory(const char *text, size_t bytes, struct weir_error *error);
WEIR_API void weir_flow_log_close(struct weir_flow_log *log);
/* The next message, which lives until the next call; WEIR_OK with count 0 at the end. */
WEIR_API enum weir_status weir_flow_log_next(struct weir_flow_log *log, struct weir_flow_message *message,
                                             struct weir_error *error);
/* How far it is, 0..1000; 0 where the length is not known. */
WEIR_API unsigned weir_flow_log_permille(const struct weir_flow_log *log);
WEIR_API struct weir_flow_counts weir_flow_log_counts(const struct weir_flow_log *log);
WEIR_API uint32_t weir_flow_log_name_count(const struct weir_flow_log *log);
/* As the file has it; lives as long as the log is open. */
WEIR_API const char *weir_flow_log_name(const struct weir_flow_log *log, uint32_t name);
/* Where `name` is that of another one with "_old" behind it, which stands for a message of that operator that is read once more,
 * the number of the other; else `name`. To be asked at the end of the log, when all names are known. */
WEIR_API uint32_t weir_flow_log_reread_of(const struct weir_flow_log *log, uint32_t name);

/* A log of a run that is simulated, or executed: pass weir_flow_writer_observe as `observe` with the writer as context (or call it
 * from there), then write. As the tracker writes it: a record for each execution of a leaf, in the order of their ends, with the
 * path of each message that led to it; messages that are read once more have "_old" after the name of their sender. Stamps are
 * microseconds, rounded down; a tick without a unit is one. Messages are received at the start. */
struct weir_flow_writer;
/* NULL where a run of such a pipeline does not show which message went where (queues that lose messages, optional inputs), or when
 * (work on a GPU that is not waited for), or where it has loops; the error says which. Caller frees. */
WEIR_API struct weir_flow_writer *weir_flow_writer_new(const struct weir_pipeline *pipeline, struct weir_error *error);
WEIR_API void weir_flow_writer_free(struct weir_flow_writer *writer); /* NULL is fine */
WEIR_API void weir_flow_writer_observe(void *writer, struct weir_operator op, enum weir_moment moment, int64_t iteration,
                                       int64_t time);
WEIR_API enum weir_status weir_flow_writer_write(struct weir_flow_writer *writer, FILE *out, struct weir_error *error);

/* ---------------------------------------------------------------- what the tracker prints at the end */

struct weir_flow_path {
    const char *const *names; /* of operators, from a root to a leaf */
    size_t count;
    uint64_t messages;      /* 0: none were tracked */
    int64_t min, mean, max; /* of latencies from end to end, nanoseconds; -1: not said */
    uint64_t max_message;   /* the number of the one that took longest; 0: not said */
    uint64_t line;
};

struct weir_flow_summary {
    const struct weir_flow_path *paths;
    size_t count;
};

/* WEIR_OK with *summary NULL: the file is no summary. Caller frees. */
WEIR_API enum weir_status weir_flow_summary_read(const char *path, struct weir_flow_summary **summary, struct weir_errors *errors);
WEIR_API void weir_flow_summary_free(struct weir_flow_summary *summary); /* NULL is fine */

#ifdef __cplusplus
}
#endif
#endif
