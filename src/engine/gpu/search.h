/* SPDX-License-Identifier: Apache-2.0 */
/*
 * List policies: plans made group by group. A group has a length T; the kernels that are ready get, in the order of a key, as many
 * SMs as they need to be done within T, and the first that does not fit is split where it may be.
 */
#ifndef WEIR_ENGINE_GPU_SEARCH_H
#define WEIR_ENGINE_GPU_SEARCH_H

#include "engine/gpu/system.h"

/* What is ready is taken in descending order of: */
enum weir_gpu_order {
    WEIR_GPU_LEVEL,       /* its own time on all SMs and the chain behind it */
    WEIR_GPU_TAIL,        /* the chain behind it, then its load */
    WEIR_GPU_DESCENDANTS, /* the chain behind it and the work of all behind it, spread over all SMs, then its load */
    WEIR_GPU_TAIL_SMALL,  /* the chain behind it, then the smaller load */
    WEIR_GPU_ORDERS,
};
/* The length of a group: */
enum weir_gpu_rule {
    WEIR_GPU_FIRST,    /* the time of the first on all SMs */
    WEIR_GPU_ALL,      /* of all that is ready, on shared SMs */
    WEIR_GPU_TOP,      /* of those with the longest chain behind them, on shared SMs */
    WEIR_GPU_SHORTEST, /* the shortest step of the first */
    WEIR_GPU_RULES,
};
struct weir_gpu_policy {
    enum weir_gpu_order order;
    enum weir_gpu_rule rule;
};

/* Between two groups. */
struct weir_gpu_state {
    struct weir_arena arena;
    int64_t time;
    int64_t area;  /* of all that is not done, at its least */
    uint64_t hash; /* of what is not done */
    uint32_t left; /* kernels not done */
    uint32_t groups;
    uint32_t ready_count, *ready; /* kernels that can be next, in any order */
    uint32_t *waits;              /* by kernel: how many it depends on are not done */
    int64_t *rest;                /* by kernel: its load that is not done */
};

struct weir_gpu_desk {
    struct weir_arena arena;
    struct weir_gpu_system *system;
    uint64_t first; /* system->work at the beginning */
    uint64_t whole; /* work the whole search may do */
    uint64_t limit; /* of system->work, for now */
    bool limited;   /* by it */
    int64_t lower;
    int64_t bar;                  /* plays that cannot be shorter are given up */
    int64_t *area;                /* by kernel: the least product of SMs and time */
    int64_t *weight;              /* by kernel: the chain and the work behind it */
    int64_t *rank;                /* by kernel: the first part of its key, of those that are ready */
    uint32_t *buffer;             /* scratch, a number for each kernel */
    struct weir_gpu_piece *group; /* pieces of the group at hand, at most one for each kernel */
    uint32_t group_count;
    int64_t group_time; /* without overhead */
    uint32_t fresh;     /* after a step: the first in the state's ready that has been split or has become ready */
    struct weir_gpu_draft log;
};

bool weir_gpu_state_open(const struct weir_gpu_desk *desk, struct weir_gpu_state *state); /* nothing is done; false: no memory */
void weir_gpu_state_copy(const struct weir_gpu_desk *desk, const struct weir_gpu_state *from, struct weir_gpu_state *to);
void weir_gpu_state_close(struct weir_gpu_state *state);

/* A state to come back to. */
struct weir_gpu_mark {
    struct weir_gpu_state state; /* only its numbers */
    uint32_t *ready;
};
bool weir_gpu_mark_open(const struct weir_gpu_desk *desk, struct weir_gpu_mark *mark);
void weir_gpu_mark_close(struct weir_gpu_mark *mark);
void weir_gpu_mark_set(struct weir_gpu_mark *mark, const struct weir_gpu_state *state);
/* The log has all that has been done since. */
void weir_gpu_mark_return(const struct weir_gpu_desk *desk, const struct weir_gpu_mark *mark, const struct weir_gpu_draft *log,
                          struct weir_gpu_state *state);

bool weir_gpu_desk_open(struct weir_gpu_system *system, struct weir_gpu_desk *desk);
void weir_gpu_desk_close(struct weir_gpu_desk *desk);

/* Puts what is ready in order and computes the ranks that the functions below rely on. */
void weir_gpu_sort(struct weir_gpu_desk *desk, struct weir_gpu_state *state, enum weir_gpu_order order);
/* The least time in which so many kernels can be done side by side; WEIR_GPU_NEVER: they cannot. */
int64_t weir_gpu_share(const struct weir_gpu_desk *desk, const struct weir_gpu_state *state, const uint32_t *kernels,
                       uint32_t count);
/* Fills desk->group with what is ready, in its order. False: nothing fits in that time. */
bool weir_gpu_fill(struct weir_gpu_desk *desk, const struct weir_gpu_state *state, int64_t time);
/* Runs desk->group: appends it to the log (false: no memory) and moves the state on. What has been split or become ready stands
 * last. */
bool weir_gpu_step(struct weir_gpu_desk *desk, struct weir_gpu_state *state, struct weir_gpu_draft *log);
/* The hash that the state would have then. */
uint64_t weir_gpu_step_hash(const struct weir_gpu_desk *desk, const struct weir_gpu_state *state);
/* Plays on to the end, or until that cannot be before desk->bar; its time, or WEIR_GPU_NEVER. Logged in desk->log, from nothing.
 * False: no memory. */
bool weir_gpu_play(struct weir_gpu_desk *desk, struct weir_gpu_state *state, struct weir_gpu_policy policy, int64_t *length);

/* Pilot search: every choice of a next group is judged by where list policies lead from it; the best few choices are kept. */

#define WEIR_GPU_GUIDES 4

/* The best draft so far; a length is with barriers for what the policies make. */
struct weir_gpu_record {
    int64_t length;
    struct weir_gpu_draft draft;
};

struct weir_gpu_pilot {
    struct weir_gpu_desk *desk;
    struct weir_gpu_record *record;
    struct weir_gpu_policy guides[WEIR_GPU_GUIDES]; /* the policies that judge, the best first */
    uint32_t guide_count;
    uint32_t width;   /* choices that are kept */
    uint32_t lengths; /* of groups that are tried for each order */
};

/* Whether the search is over: good enough, or too much work done (desk->limited). */
bool weir_gpu_over(struct weir_gpu_desk *desk, int64_t length);
/* False: out of memory. */
bool weir_gpu_pilot_run(const struct weir_gpu_pilot *pilot);

/*
 * Improving a plan without groups: a list of launches, each of which begins as soon as enough tokens are handed to it, is changed
 * a little at a time (a width, a place in the list, how a kernel is split). In the end parts are joined where that makes nothing
 * longer.
 */

/* Tries `work` more units of work at most (system->work). In and out: record, with its length with handed tokens; it is changed
 * only for a shorter one, or one as long with fewer launches, in which groups are launches that begin together. False: out of
 * memory; the record can then only be freed. */
bool weir_gpu_tune(struct weir_gpu_desk *desk, struct weir_gpu_record *record, uint64_t work);

/*
 * Searching for a short plan: list policies, then a pilot search that tries every choice of a next group and sees where the
 * policies lead from there, then small changes to the list of launches, each of which begins as soon as SMs are handed to it.
 */

/* What a search may add to system->work: work_limit, or a default that depends on the size of the graph. */
uint64_t weir_gpu_search_limit(const struct weir_gpu_system *system);

/*
 * In: a legal draft in *best. Out: a legal draft whose length with handed tokens (WEIR_GPU_HANDED, flow.h) is no greater, and most
 * often smaller; groups may then be launches that begin together rather than steps, and the length with barriers may be greater.
 * Ends when the length is `lower` (fine ticks), or when it has done the work it may do: *limited then says so. Counts into
 * system->work; the same input gives the same output everywhere.
 * Calls system->progress. WEIR_OK or WEIR_MEMORY; after that *best can only be freed.
 */
enum weir_status weir_gpu_search(struct weir_gpu_system *system, int64_t lower, struct weir_gpu_draft *best, bool *limited);

#endif
