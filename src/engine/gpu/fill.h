/* SPDX-License-Identifier: Apache-2.0 */
/* A set of small numbers, walked through from the least. */
#ifndef WEIR_ENGINE_GPU_FILL_H
#define WEIR_ENGINE_GPU_FILL_H

#include "engine/gpu/plan.h"
#include "engine/gpu/system.h"

#include <stdint.h>

struct weir_gpu_rankset {
    uint64_t *words; /* one bit for each number below `limit`, zeroed to begin with */
    uint32_t limit;
    uint32_t low; /* no number in words before this one */
};

static inline uint32_t weir_gpu_rankset_words(uint32_t limit)
{
    return limit / 64 + 1;
}

static inline void weir_gpu_rankset_add(struct weir_gpu_rankset *set, uint32_t number)
{
    set->words[number / 64] |= UINT64_C(1) << number % 64;
    set->low = number / 64 < set->low ? number / 64 : set->low;
}

static inline void weir_gpu_rankset_remove(struct weir_gpu_rankset *set, uint32_t number)
{
    set->words[number / 64] &= ~(UINT64_C(1) << number % 64);
}

/* The least number in the set that is not below `from`, or the limit. */
static inline uint32_t weir_gpu_rankset_next(struct weir_gpu_rankset *set, uint32_t from)
{
    if (from >= set->limit)
        return set->limit;
    uint32_t count = weir_gpu_rankset_words(set->limit), at = from / 64;
    uint64_t rest = set->words[at] & (~UINT64_C(0) << from % 64);
    if (!rest && at < set->low)
        at = set->low - 1;
    while (!rest && ++at < count)
        rest = set->words[at];
    if (from == 0)
        set->low = at < count ? at : count;
    return rest ? at * 64 + (uint32_t)__builtin_ctzll(rest) : set->limit;
}

/*
 * Algorithm 1 of the published method: a graph is cut at its joins (kernels with two or more they depend on) into blocks, and a
 * block into groups of kernels that do not depend on each other.
 *
 * The text has the joins in descending order of their work, which would put everything into the first block; its equations and its
 * example want the ascending one. The rule that a kernel which can use all SMs runs alone is taken from the words (any such kernel
 * of a group), not from line 14 of the listing (only where all are such): it is the one that gives the published numbers.
 */

struct weir_gpu_division {
    struct weir_arena arena;
    uint32_t *members; /* all kernels, group by group */
    uint32_t *first;   /* group g is members[first[g]] .. members[first[g + 1] - 1] */
    uint32_t groups;
    /* By kernel: its place in the order of descending work (its own and that of all it depends on, near or far); the first in
     * kernels->order among equals. And the kernel of each place. */
    uint32_t *rank, *ranked;
    uint32_t *block; /* by kernel */
};

/* WEIR_OK or WEIR_MEMORY; then *division is empty. Takes memory in proportion to the graph. Caller frees. */
enum weir_status weir_gpu_divide(const struct weir_gpu_system *system, struct weir_gpu_division *division);
void weir_gpu_division_free(struct weir_gpu_division *division);

/* By kernel: its load and that of all it depends on, near or far, in fine ticks. false: out of memory. */
bool weir_gpu_work_before(const struct weir_gpu_system *system, int64_t *work);

/* The SMs that a load of a kernel could use at most, were there any number; UINT32_MAX: more than can be counted. */
uint32_t weir_gpu_usable(const struct weir_gpu_system *system, uint32_t kernel, int64_t load);

/*
 * Algorithm 2 of the published method, in two ways: each group of a division gets SMs, and what it leaves idle is filled with
 * kernels of later groups that could begin already; the last of them is split.
 */

/* A graph that is being done, group by group. */
struct weir_gpu_filling {
    struct weir_arena arena;
    const struct weir_gpu_system *system;
    const struct weir_gpu_division *division;
    struct weir_gpu_draft *draft;
    int64_t *left;                    /* by kernel: load that has no launch yet */
    uint32_t *waiting;                /* by kernel: how many it depends on that are not done */
    struct weir_gpu_rankset released; /* ranks of kernels that depend on nothing that is not done, and are not done themselves */
    uint32_t *step;                   /* by kernel: 1 + the group whose own it was last */
    uint32_t *own;                    /* the kernels the group is made for */
    uint32_t own_count, group;
    uint32_t next_group, next_member; /* of the division */
};

/* The draft is emptied. WEIR_OK or WEIR_MEMORY; then *filling is empty. */
enum weir_status weir_gpu_filling_open(const struct weir_gpu_system *system, const struct weir_gpu_division *division,
                                       struct weir_gpu_draft *draft, struct weir_gpu_filling *filling);
void weir_gpu_filling_close(struct weir_gpu_filling *filling);
/* The next kernels that are to run together, into `own`: a group of the division, without those that are done, or as many of it as
 * there are SMs and places for. false: all is done. */
bool weir_gpu_filling_begin(struct weir_gpu_filling *filling);
/* Adds a launch of so much of a kernel to the group. false: out of memory. */
bool weir_gpu_filling_launch(struct weir_gpu_filling *filling, uint32_t kernel, int64_t load, uint32_t sms);
/* The kernel of the next rank, from `*rank` on, that is released and not the group's own, or UINT32_MAX; *rank is then behind it.
 */
uint32_t weir_gpu_filling_next(struct weir_gpu_filling *filling, uint32_t *rank);
/* The group is complete: what has been launched whole is done. */
void weir_gpu_filling_end(struct weir_gpu_filling *filling);

/* Made safe: the group's own kernels get the widths with which the longest of them is as short as can be; fillers get SMs of their
 * own and end no later. For barriers between groups. The draft is emptied first. */
enum weir_status weir_gpu_safe_draft(const struct weir_gpu_system *system, const struct weir_gpu_division *division,
                                     struct weir_gpu_draft *draft);

/* To the letter: the flow has the published dependencies, and more SMs than there are may be needed at once. WEIR_MEMORY, or
 * WEIR_OVERFLOW where there are too many dependencies; then *flow is empty. */
enum weir_status weir_gpu_paper_flow(const struct weir_gpu_system *system, const struct weir_gpu_division *division,
                                     struct weir_gpu_flow *flow);

/* A plan with more dependencies than this between launches is refused. */
#define WEIR_GPU_AFTER_MAX (UINT64_C(1) << 26)

#endif
