/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the checker of plans for a GPU share. */
#ifndef WEIR_CHECK_GPU_LAUNCHES_INSIDE_H
#define WEIR_CHECK_GPU_LAUNCHES_INSIDE_H

#include "base/alloc.h"
#include "base/number.h"
#include "check/gpu/launches.h"

#define WEIR_LAUNCHES_SMS 65536                 /* of a GPU, at most */
#define WEIR_LAUNCHES_BOUND (INT64_C(1) << 61)  /* ticks; a larger bound is not confirmed */
#define WEIR_LAUNCHES_WORK (UINT64_C(1) << 32)  /* steps that looking for paths of dependencies may take */
#define WEIR_LAUNCHES_NONE UINT32_MAX           /* no launch */
#define WEIR_LAUNCHES_FINE ((weir_wide)1 << 64) /* of fixed point, to the tick */

struct weir_launches_work {
    struct weir_arena arena;
    const struct weir_gpu_plan *plan;
    const struct weir_pipeline *pipeline;
    struct weir_gpu_spec gpu;
    uint32_t count;   /* of launches */
    uint32_t kernels; /* how many there are */
    const char *flaw;
    bool memory; /* ran out */

    /* Kernel v depends on before[first_before[v]] .. before[first_before[v + 1] - 1], in any order, some perhaps twice. */
    size_t *first_before;
    uint32_t *before;
    uint32_t *order; /* of kernels, each behind those it depends on */

    uint32_t *last;        /* by kernel: its last part; before all launches are seen, the last so far */
    uint32_t *part_before; /* by launch: the part before it */
    uint32_t *seen;        /* by launch: the last one from which it was found */
    uint32_t *stack;       /* launches */
};

/* Says what is wrong, and returns false. */
static inline bool weir_launches_refuse(struct weir_launches_work *w, const char *flaw)
{
    w->flaw = flaw;
    return false;
}

static inline bool weir_launches_no_memory(struct weir_launches_work *w)
{
    w->memory = true;
    return false;
}

static inline bool weir_launches_is_ratio(struct weir_ratio r)
{
    return r.denominator > 0 && r.numerator >= 0;
}

static inline struct weir_ratio weir_launches_alone(const struct weir_gpu_launch *l)
{
    return l->alone.denominator ? l->alone : l->time;
}

/* Where `from` stands in `after` of a launch; after_count: it does not. */
size_t weir_launches_find(const struct weir_gpu_launch *launch, uint32_t from);

/* Each returns whether what its name says holds; where not, there is a flaw, or no memory. */
bool weir_launches_kernels_hold(struct weir_launches_work *w);      /* every kernel is launched, whole and as its model allows */
bool weir_launches_groups_hold(struct weir_launches_work *w);       /* groups and barriers are as claimed */
bool weir_launches_dependencies_hold(struct weir_launches_work *w); /* nothing begins before what it needs has ended */
bool weir_launches_added_hold(struct weir_launches_work *w);        /* what was added is what is listed */
bool weir_launches_tokens_hold(struct weir_launches_work *w);       /* what can be under way together has room */
bool weir_launches_neighbours_hold(struct weir_launches_work *w);   /* none claims less than it may take beside others */
bool weir_launches_path_holds(struct weir_launches_work *w);        /* no chain of launches is longer than the bound */
bool weir_launches_starts_hold(struct weir_launches_work *w);       /* the picture of the plan keeps to it */
bool weir_launches_lower_holds(struct weir_launches_work *w);       /* the lower bound follows from chains and areas */

#endif
