/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checking bounds on shared processors. Shares nothing with the engine but the task set.
 *
 * The certificate is a list of stages, each a claim
 *
 *     iteration n of task i is enabled by enable_max[i] and ends by finish_max[i], relative to the nominal arrival of its input
 *
 * about the system in which queue k has room[k] free slots at the beginning. A base stage must follow from itself by induction
 * over time: if no event so far was late, the next is not. A narrowed stage must follow from the least of all stages before it,
 * which hold. The rule says how a finish may follow from enablings; a stage holds if every claim follows by its rule
 * (docs/concepts/shared-processors.md). The answer is the least of all stages.
 */
#ifndef WEIR_CHECK_PRIORITY_BOUNDS_H
#define WEIR_CHECK_PRIORITY_BOUNDS_H

#include "model/taskset.h"

#define WEIR_NO_LEVEL INT64_MAX
#define WEIR_REGION_MAX 12

/* On preemptive processors; those of other kinds have one rule each, and take it whatever stands here. */
enum weir_bounds_rule {
    WEIR_RULE_PJ0,   /* critical instant, every task on its own */
    WEIR_RULE_EI,    /* execution intervals, anchored at enable_max */
    WEIR_RULE_EIC,   /* ... clipped at the latest finishes */
    WEIR_RULE_CIX,   /* critical instants with the offsets of task graphs */
    WEIR_RULE_BEST,  /* the smaller of EIC and CIX, task by task */
    WEIR_RULE_LEVEL, /* busy times of levels of the processor: level[] says which; what has none follows by another rule */
    WEIR_RULE_REACH, /* a base: the situations of its cover are all that can be reached */
};

/* Levels of other processors that join that of a task: each goes down to one of these tasks; a processor that is not preemptive
 * joins as a whole, and so does that of the task itself. count 0: the level alone. */
struct weir_region {
    uint32_t count;
    uint32_t task[WEIR_REGION_MAX];
};

/*
 * Situations, and what is known in them. A situation is a list of numbers: by graph 0, or 1 + the inputs that are due; by task how
 * many nominal moments it is behind; by processor 0, or 1 + the task that runs there without preemption. Its clocks are one that
 * is always 0; by graph that has begun, the time since its last nominal moment; by task that is pending, for how long its iteration
 * has run, but without preemption only of the one that runs.
 */
struct weir_bounds_zone {
    size_t situation;
    size_t differences; /* clock a of n is ahead of clock b by at most number a * n + b from there on, in units */
};

struct weir_bounds_cover {
    int64_t unit;
    uint32_t width; /* numbers of a situation */
    size_t situation_count, zone_count, difference_count;
    uint16_t *numbers;
    struct weir_bounds_zone *zones;
    int32_t *differences;
};

struct weir_bounds_stage {
    bool base;
    enum weir_bounds_rule rule;
    int64_t *enable_max, *finish_max; /* by task */
    int64_t *level;                   /* by task: the lowest priority of the level, or WEIR_NO_LEVEL; NULL: no task has one */
    struct weir_region *region;       /* by task, with its level; NULL: none has one */
    struct weir_bounds_cover *cover;  /* WEIR_RULE_REACH; otherwise NULL */
};

struct weir_bounds_proof {
    uint32_t task_count;
    size_t edge_count, stage_count;
    int64_t *enable_min; /* by task: no execution is enabled earlier */
    uint32_t *room;      /* by edge, as in struct weir_task_edge but never WEIR_AUTO: the system the bounds are about */
    struct weir_bounds_stage *stages;
    int64_t *after; /* by task: ... ends by this, relative to the actual arrival of its input; NULL: not claimed */
};

void weir_bounds_proof_free(struct weir_bounds_proof *proof);

/* Whether every claim holds. *why (may be NULL) gets a few words about the first that does not. Fails with
 * WEIR_MEMORY, or with WEIR_OVERFLOW where finding out would take too long. */
enum weir_status weir_bounds_check(const struct weir_taskset *set, const struct weir_bounds_proof *proof, bool *holds,
                                   char why[160]);

#endif
