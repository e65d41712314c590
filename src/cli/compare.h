/* SPDX-License-Identifier: Apache-2.0 */
/* Between the files of the verb `compare`. Times are nanoseconds unless they are those of the log. */
#ifndef WEIR_CLI_COMPARE_H
#define WEIR_CLI_COMPARE_H

#include "answer/distribution.h"
#include "cli.h"

#define WEIR_COMPARE_NOBODY UINT32_MAX
#define WEIR_COMPARE_MANY 1000 /* messages of a path, below which a note says how little that is */
#define WEIR_COMPARE_KEPT 5    /* observations above the bound that are explained, of each path: the largest */

/* An execution that took longer than the model says. */
struct weir_excess {
    uint32_t op;  /* of the model; WEIR_COMPARE_NOBODY: there is none */
    int64_t took; /* at least so long */
    uint64_t record, line;
};

/* An observation above the bound. */
struct weir_above {
    int64_t latency;
    uint64_t record, line;
    struct weir_excess own;      /* on its own way: the one furthest above its worst case */
    struct weir_excess before;   /* the last one in the log before it, of any operator */
    uint32_t wait_from, wait_to; /* names of the log between which the message waited longest */
    int64_t wait;
};

/* The messages that went one way. */
struct weir_compared {
    uint32_t *names; /* of the log */
    size_t count;
    uint64_t hash;
    bool in_model;
    bool aged;    /* over places for the latest message: what is read again counts, and its latency is its age */
    bool bounded; /* false: the model has no bound, or `why` says why it is not known */
    bool safe;    /* ... and the bound may not be reached */
    const char *why;
    int64_t bound;
    struct weir_samples samples;
    int64_t first_receive, last_publish; /* of the message before, microseconds: lines may be there twice */
    uint64_t rereads, unfinished, repeated, above_count;
    struct weir_above above[WEIR_COMPARE_KEPT];
    size_t kept;
    int64_t mean;         /* of a summary, which has no samples but min and max; -1: not said */
    uint64_t max_message; /* of a summary; 0: not said */
};

/* What was seen of an operator of the model. */
struct weir_seen {
    uint64_t count, exceeded;
    int64_t min, max, worst; /* worst: the model's, rounded down; INT64_MAX where the tracker sees more than that */
    struct weir_excess longest;
};

/* Where bounds come from: one of these. */
struct weir_bounding {
    struct weir_solver *solver;   /* any two events, where all wait, each operator has a worker, and executes once a round */
    struct weir_analysis *rounds; /* pairs, where an operator executes several times in a round */
    struct weir_workers_analysis *workers; /* pairs, where operators share workers */
    struct weir_sample_analysis *samples;  /* pairs, where some connections do not wait */
};

struct weir_comparison {
    const struct weir_pipeline *pipeline;
    const char *model, *log_path;
    struct weir_flow_log *log;         /* of the two, one is NULL */
    struct weir_flow_summary *summary; /* ... what the tracker printed */
    const char **texts;                /* of a summary: by name */
    struct weir_bounding bounding;
    struct weir_seen *seen; /* by operator of the model */
    uint32_t *names;        /* by name of the log: operator of the model, or WEIR_COMPARE_NOBODY */
    bool *reread;           /* by name of the log */
    size_t name_count, name_capacity;
    struct weir_compared *paths;
    size_t path_count, path_capacity;
    size_t guess;       /* the path that came last */
    uint64_t too_many;  /* messages of paths beyond the most that are told apart */
    uint64_t backwards; /* steps or messages whose end comes before their begin */
    struct weir_excess recent;
    bool failed; /* an exception of the library: see error */
    struct weir_error error;
};

/* Reads all of the log, or the summary; prints what went wrong. */
enum weir_exit weir_compare_read(struct weir_comparison *comparison);
/* The same of a summary that is there. False: out of memory. */
bool weir_compare_summary(struct weir_comparison *comparison);
void weir_compare_free(struct weir_comparison *comparison);

/* ---- names (compare_match.c) ---- */

/* The operator of the model that a name of the log means, by its name or by what stands behind one of its dots. */
uint32_t weir_compare_match(const struct weir_pipeline *pipeline, const char *name);
/* Finds the operators of names up to `count`. False: out of memory. */
bool weir_compare_match_names(struct weir_comparison *comparison, size_t count);
const char *weir_compare_name(const struct weir_comparison *comparison, uint32_t name);
/* Room for `need` elements in the array that `array` points to; false when out of memory. */
bool weir_compare_grow(void *array, size_t *capacity, size_t need, size_t size);

/* ---- bounds (compare_bound.c) ---- */

/* Asks the engine that goes with the model. */
enum weir_status weir_compare_bounding(struct weir_comparison *comparison, struct weir_error *error);
/* Whether the model has the way of a path, and its bound. */
void weir_compare_bound(struct weir_comparison *comparison, struct weir_compared *path);
/* Stamps are whole microseconds, so a time of n may have been a little more than n - 1: whether it is proved to be above. */
static inline bool weir_compare_above(int64_t seen, int64_t limit)
{
    return seen >= 1000 && seen - 1000 >= limit;
}
/* Ticks of the model as nanoseconds, rounded down; INT64_MAX when that is too long to count. */
int64_t weir_compare_ns(const struct weir_pipeline *pipeline, int64_t ticks);

void weir_compare_print(struct weir_comparison *comparison);
void weir_compare_print_json(struct weir_comparison *comparison);

#endif
