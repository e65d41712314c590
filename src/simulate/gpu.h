/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The launches of a plan as blocks on SMs. What a plan does not decide is in a script: in which order launches that are ready are
 * taken, how long their blocks take, and when within the overhead they begin. Groups, starts, tokens and bounds are not looked at.
 */
#ifndef WEIR_SIMULATE_GPU_H
#define WEIR_SIMULATE_GPU_H

#include "base/alloc.h"
#include "base/random.h"
#include "weir.h"

enum weir_gpu_turns {
    WEIR_GPU_BY_RANK,      /* the smallest rank first */
    WEIR_GPU_AS_THEY_COME, /* the one that was ready first; interleaved: a block of each in turn */
    WEIR_GPU_AT_RANDOM,    /* drawn at every choice */
    WEIR_GPU_TURNS,
};

/* A launch whose length is one of these has blocks of different lengths: */
#define WEIR_GPU_EACH_RANDOM INT64_C(-1)  /* anything up to the longest */
#define WEIR_GPU_EACH_EXTREME INT64_C(-2) /* one of both ends, or the least step away from it */

/* One execution. Arrays are by launch. */
struct weir_gpu_script {
    enum weir_gpu_dispatch dispatch;
    enum weir_gpu_turns order;
    uint64_t seed; /* of WEIR_GPU_AT_RANDOM, and of blocks of different lengths */
    uint64_t *rank;
    int64_t *length;  /* of its blocks, at most its time; or see above */
    int64_t *delay;   /* from being ready, with a place, to beginning; at most the overhead */
    uint32_t *slowed; /* in thousandths: how much of what those beside it can cost it does */
};

/* The end of a block, or of the delay of a launch. */
struct weir_gpu_moment {
    int64_t time;        /* where launches slow each other down, that of a block is what it has left to do */
    uint32_t launch, sm; /* sm: UINT32_MAX for a delay */
};

/* A plan that can be run many times. Times are in 1 / scale of a tick. */
struct weir_gpu_stage {
    struct weir_arena arena;
    const struct weir_gpu_plan *plan;
    uint32_t count, sms, places; /* places: UINT32_MAX where any number may be under way */
    int64_t scale, overhead;
    bool exact;                                  /* no time was rounded (down) */
    int64_t *time;                               /* by launch: of its blocks, alone */
    bool slows;                                  /* a launch can slow another down */
    enum weir_disturbance *disturbs;             /* by launch */
    uint32_t (*suffers)[WEIR_DISTURBS_NONE + 1]; /* by launch: percent */
    uint32_t *before;                            /* by launch: how many it waits for */
    uint32_t *first_dependent, *dependents;      /* those that wait for it: dependents[first_dependent[v]] .. */
    struct weir_gpu_script script;               /* room for one, for callers that want it */
    void (*observe)(void *context, uint32_t launch, uint32_t sm, const int64_t begin_end[2], int64_t scale);
    void *context;

    /* Of the run. */
    int64_t now;
    struct weir_random random;
    uint32_t *left;               /* by launch: how many it still waits for */
    uint32_t *unplaced, *unended; /* by launch: blocks */
    uint32_t *ready, *held;       /* launches that want SMs; that want a place, in the order of the script or of coming */
    int64_t *came;                /* by launch: when it joined its list */
    uint32_t ready_count, held_count;
    uint32_t running[WEIR_DISTURBS_NONE + 1]; /* launches with a block on an SM, by what they do */
    uint32_t under_way, ended;                /* launches */
    uint32_t turn;                            /* WEIR_GPU_AS_THEY_COME, interleaved: the place in `ready` */
    uint32_t *free_sms, free_count;
    int64_t *begun;                  /* by SM: when its block did */
    struct weir_gpu_moment *moments; /* a heap */
    size_t moment_count;
    uint32_t waits; /* moments at which a launch that is ready gets no place, or not all its SMs */
};

/* Room to run the plan. WEIR_INVALID where it is none: launches that do not exist, without SMs, too many blocks to run. Close it
 * also after a failure. */
enum weir_status weir_gpu_stage_open(struct weir_gpu_stage *stage, const struct weir_gpu_plan *plan, struct weir_error *error);
void weir_gpu_stage_close(struct weir_gpu_stage *stage);

/* Runs it once. WEIR_INVALID where launches wait for each other. */
enum weir_status weir_gpu_stage_run(struct weir_gpu_stage *stage, const struct weir_gpu_script *script, int64_t *makespan,
                                    struct weir_error *error);

/* 0 or `most`, or the least step away from one of them. */
int64_t weir_gpu_extreme(struct weir_random *random, int64_t most);
/* Draws the stage's own script: times WORST, RANDOM or BANG_BANG. */
void weir_gpu_script_draw(struct weir_gpu_stage *stage, enum weir_gpu_dispatch dispatch, enum weir_times times, uint64_t seed);

struct weir_gpu_climb {
    enum weir_gpu_dispatch dispatch;
    uint64_t seed;
    uint32_t runs;   /* at least 1 */
    bool worst_only; /* every block takes as long as it can: only the order is sought */
};
/* Changes one thing of a script at a time and keeps what ends no earlier; begins anew several times. *makespan: the latest seen. */
enum weir_status weir_gpu_climb_late(struct weir_gpu_stage *stage, const struct weir_gpu_climb *climb, int64_t *makespan,
                                     struct weir_error *error);

#endif
