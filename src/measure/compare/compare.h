/* SPDX-License-Identifier: Apache-2.0 */
/* The inside of a comparison. Times are nanoseconds unless they are those of the log. */
#ifndef WEIR_MEASURE_COMPARE_COMPARE_H
#define WEIR_MEASURE_COMPARE_COMPARE_H

#include "answer/answer.h"
#include "answer/distribution.h"
#include "read/holoscan/flow_jumps.h"
#include "read/holoscan/skip.h"

#define WEIR_LOG_NO_OPERATOR UINT32_MAX
#define WEIR_LOG_EARLY 10 /* messages of a path that may be start-up: so many does HoloHub leave out */
#define WEIR_ABOVE_KEPT 5 /* observations above the bound that are explained, of each path: the largest */

/* An execution that took longer than the model says. */
struct weir_excess {
    uint32_t op;  /* of the model; WEIR_LOG_NO_OPERATOR: there is none */
    int64_t took; /* at least so long */
    uint64_t record, line;
};

/* An observation above the bound. */
struct weir_above {
    int64_t latency;
    uint64_t record, line;
    struct weir_excess own;      /* on its own path: the one furthest above its worst case */
    struct weir_excess before;   /* the last one in the log before it, of any operator */
    uint32_t wait_from, wait_to; /* names of the log between which the message waited longest */
    int64_t wait;
};

/* A message that is looked at later: its bound is not known yet, or it may be the last. */
struct weir_held_message {
    uint64_t record, line;
    size_t first, count; /* steps */
    size_t path;
};

/* The messages that took one path. */
struct weir_log_path {
    uint32_t *names; /* of the log */
    size_t count;
    uint64_t hash;
    bool in_model;
    bool aged;           /* over queues for the latest message: what is read again counts, and its latency is its age */
    bool asked;          /* the bound was asked for, or cannot be */
    bool bounded;        /* false: `why` says why there is no bound */
    bool safe;           /* ... and the bound may not be reached */
    int64_t shift;       /* initial messages on the path */
    int64_t bound, best; /* best: 0 where none is proved */
    const char *why;
    struct weir_samples samples;
    struct weir_skip skip;          /* of its messages; `least` is settled */
    uint64_t held;                  /* messages that waited for its bound */
    struct weir_held_message *late; /* the last messages, which may be the last of all; a ring of skip.last */
    struct weir_flow_step *late_steps;
    uint64_t seen, left_out;
    int64_t first_receive, last_publish; /* of the message before, microseconds: lines may be there twice */
    uint64_t rereads, unfinished, repeated, above_count;
    uint64_t above_early;                           /* above, among the first */
    uint64_t below_count, least_record, least_line; /* below the best; the least of all */
    struct weir_above above[WEIR_ABOVE_KEPT];
    size_t above_kept;
    int64_t mean;         /* of a summary, which has no samples but min and max; -1: not said */
    uint64_t max_message; /* of a summary; 0: not said */
};

/* The execution times of an operator of the model, as the log has them. */
struct weir_log_times {
    uint64_t count, exceeded;
    int64_t min, max, worst; /* worst: the model's, rounded down; INT64_MAX where the tracker sees more than that */
    struct weir_excess longest;
};

struct weir_log_comparison {
    const struct weir_pipeline *pipeline;
    const struct weir_log_comparison_options *options;
    struct weir_skip skip; /* of each path */
    const char *log_path;
    struct weir_flow_log *log;         /* of the two, one is NULL */
    struct weir_flow_summary *summary; /* ... what the tracker printed */
    const char **texts;                /* of a summary: by name */
    struct weir_log_times *times;      /* by operator of the model */
    uint32_t *names;                   /* by name of the log: operator of the model, or WEIR_LOG_NO_OPERATOR */
    bool *reread;                      /* by name of the log */
    size_t name_count, name_capacity, reread_capacity;
    struct weir_log_path *paths;
    size_t path_count, path_capacity;
    size_t guess; /* the path that came last */
    struct weir_held_message *held;
    struct weir_flow_step *steps; /* of those held */
    size_t held_count, held_capacity, step_count, step_capacity;
    uint64_t too_many;  /* messages of paths beyond the limit on their number */
    uint64_t backwards; /* steps or messages whose end comes before their begin */
    uint64_t jumped;    /* messages that were under way when the clock jumped */
    struct weir_flow_jumps jumps;
    bool again; /* the log is read once more, with these */
    struct weir_excess recent;
    bool asking;                 /* an error is one of the model, not of the log */
    struct weir_pipeline *scale; /* no more than the unit of the answer: ms, to the nanosecond */
    struct weir_answer *answer;
    struct weir_answer_list notes; /* const char * */
};

/* ---- names (match.c) ---- */

/* The operator of the model that a name of the log means, by its name or by what stands behind one of its dots. */
uint32_t weir_log_match(const struct weir_pipeline *pipeline, const char *name);
/* Finds the operators of names up to `count`. False: out of memory. */
bool weir_log_comparison_match(struct weir_log_comparison *comparison, size_t count);
const char *weir_log_comparison_name(const struct weir_log_comparison *comparison, uint32_t name);

/* ---- paths and their bounds (chains.c) ---- */

/* Follows a path through the model. */
void weir_log_comparison_follow(const struct weir_log_comparison *comparison, struct weir_log_path *path);
/* Asks for the bounds of all paths that have not been asked for. */
enum weir_status weir_log_comparison_ask(struct weir_log_comparison *comparison, struct weir_error *error);
/* Stamps are whole microseconds, so a time of n may have been a little more than n - 1, or less than n + 1: whether it is proved to
 * be above, or below. */
static inline bool weir_log_above(const struct weir_log_comparison *c, int64_t seen, int64_t limit)
{
    return seen - 1000 >= 0 && seen - 1000 >= limit && seen - 1000 - limit >= c->options->tolerance;
}
static inline bool weir_log_below(const struct weir_log_comparison *c, int64_t seen, int64_t limit)
{
    return seen + 1000 <= limit && limit - seen - 1000 >= c->options->tolerance;
}
/* Ticks of the model as nanoseconds, rounded down; INT64_MAX when that is too long to count. */
int64_t weir_log_ns(const struct weir_pipeline *pipeline, struct weir_ratio ticks);

/* ---- what is read (log.c, summary.c) ---- */

enum weir_status weir_log_comparison_read_log(struct weir_log_comparison *comparison, struct weir_error *error);
enum weir_status weir_log_comparison_read_summary(struct weir_log_comparison *comparison, struct weir_error *error);

/* ---- what it comes to (report.c) ---- */

void weir_log_comparison_report(struct weir_log_comparison *comparison);

#endif
