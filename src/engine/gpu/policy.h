/* SPDX-License-Identifier: Apache-2.0 */
/*
 * List policies: plans made group by group. A group has a length T; the kernels that are ready get, in the order of a key, as many
 * SMs as they need to be done within T, and the first that does not fit is split where it may be.
 */
#ifndef WEIR_ENGINE_GPU_POLICY_H
#define WEIR_ENGINE_GPU_POLICY_H

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
    uint32_t *buffer;             /* for sorting */
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

#endif
