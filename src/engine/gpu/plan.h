/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From a draft to launches: which of them have ended before another begins, and which hands its SMs and places to which.
 *
 * A launch takes over tokens, one for each of its SMs (and one for its place where places are counted), and hands them on when it
 * has ended. All it takes them from is in its `after`. Launches that can be under way together are then not ordered, hold
 * different tokens, and so never need more than there is; each begins, at most the overhead later, when the last in its `after`
 * has ended, and the longest chain of overheads and times bounds the whole.
 */
#ifndef WEIR_ENGINE_GPU_PLAN_H
#define WEIR_ENGINE_GPU_PLAN_H

#include "base/number.h"
#include "engine/gpu/system.h"

enum weir_gpu_form {
    WEIR_GPU_BARRIERS, /* a launch for each piece; each waits for all of the group before its own */
    /* A launch waits for the kernels its own depends on, the part before it, and those that hand it tokens: among the choices that
     * let it begin first, those it waits for anyway. Pieces of a kernel on equally many SMs in neighbouring groups are one launch.
     * Never longer than with barriers. */
    WEIR_GPU_HANDED,
};

/* Times and starts in fine ticks, rounded up like those of the system; loads, tokens and `after` are exact. */
struct weir_gpu_flow {
    struct weir_arena arena; /* all but what grows: `after` and the tokens */
    size_t count;
    struct weir_gpu_piece *launches; /* in order of their groups, 0, 1, ... without a gap; each behind all it waits for */
    uint32_t *part, *parts;          /* by launch; part counts from 1 */
    int64_t *time;                   /* by launch, without the overhead */
    int64_t *start;                  /* by launch: when its blocks begin where everything takes as long as it can */
    size_t *first_after;             /* launch i waits for after[first_after[i]] .. after[first_after[i + 1] - 1], ascending */
    uint32_t *after;
    struct weir_gpu_token *tokens; /* ascending in `to`, then in `from` (WEIR_GPU_BEGIN last), each pair once; from is in after */
    size_t token_count;            /* places are 0 where the system has any number of them */
    uint32_t groups;
    int64_t length; /* of the longest chain of overheads and times */
};

/* WEIR_OK or WEIR_MEMORY; then *flow is empty. The draft is legal (system.h). Caller frees. */
enum weir_status weir_gpu_flow_make(const struct weir_gpu_system *system, const struct weir_gpu_draft *draft,
                                    enum weir_gpu_form form, struct weir_gpu_flow *flow);
void weir_gpu_flow_free(struct weir_gpu_flow *flow);

/* Exact times of launches, and sums of them, as ratios in ticks. What does not fit is rounded onto a grid that fine ticks lie on,
 * so that no sum gets longer than the one in fine ticks, each term rounded up. */

/* The time of each block, not rounded; on more SMs than there are the time of all waves, divided by their number. The kernel's
 * table has that number of SMs. */
struct weir_ratio weir_gpu_exact_time(const struct weir_gpu_system *system, const struct weir_gpu_piece *piece);

/* a + b, rounded up where it does not fit. a and b are reduced and not negative; so is the sum. */
struct weir_ratio weir_gpu_sum_up(const struct weir_gpu_system *system, struct weir_ratio a, struct weir_ratio b);

/* fine / divisor fine ticks in ticks, rounded up or down where it does not fit; fine / divisor is below INT64_MAX. */
struct weir_ratio weir_gpu_ticks_up(const struct weir_gpu_system *system, weir_wide fine, uint32_t divisor);
struct weir_ratio weir_gpu_ticks_down(const struct weir_gpu_system *system, weir_wide fine, uint32_t divisor);

/* a * by / of, rounded up where it does not fit; 0 < by, of. */
struct weir_ratio weir_gpu_times_up(const struct weir_gpu_system *system, struct weir_ratio a, int64_t by, int64_t of);

/* Drafts from now on take each kernel to be as slow as the worst kernel makes it that the dependencies let run beside it; `expect`
 * false: as fast as alone. False: no memory. */
bool weir_gpu_expect_neighbours(struct weir_gpu_system *system, bool expect);
/* Sets the time of each launch of a safe plan from `alone` and from what can be under way beside it, and adds to `after` where
 * that makes the whole shorter: flow and launches are then changed alike. WEIR_OK or WEIR_MEMORY. */
enum weir_status weir_gpu_meet_neighbours(const struct weir_gpu_system *system, struct weir_gpu_flow *flow,
                                          struct weir_gpu_launch *launches, bool may_add);

/* From a flow to the plan that is handed out: exact times, what was added, and whether the deadline is met. */

enum weir_gpu_timing {
    WEIR_GPU_BY_GROUPS, /* a group begins when the one before it has ended; the bound is the sum of their times */
    WEIR_GPU_BY_CHAINS, /* a launch begins when all it waits for have ended; the bound is the longest chain */
};

/* What a method made. */
struct weir_gpu_result {
    struct weir_gpu_flow flow;
    enum weir_gpu_timing timing;
    bool barriers;
    bool timed;              /* flow.time is exact: not to be computed again */
    struct weir_ratio bound; /* with a denominator: instead of that of the timing */
    const char *why;         /* NULL: safe */
};

/* Takes over the flow, also when it fails: WEIR_MEMORY, or WEIR_OVERFLOW where there are too many added dependencies. */
enum weir_status weir_gpu_plan_make(const struct weir_gpu_system *system, struct weir_gpu_result *result,
                                    struct weir_gpu_plan **plan);

/* Launches without an order yet: those of the draft, in parts, and room for first_after. false: out of memory; *flow is then to be
 * freed all the same. */
bool weir_gpu_flow_begin(const struct weir_gpu_system *system, const struct weir_gpu_draft *draft, struct weir_gpu_flow *flow);

/* Kernels one after the other, in order, each on as many SMs as it can use, of those there are or (unaware) of any number. */
enum weir_status weir_gpu_greedy(const struct weir_gpu_system *system, bool unaware, struct weir_gpu_result *result,
                                 struct weir_error *error);
/* Kernels as blocks of the least time. */
enum weir_status weir_gpu_graham(const struct weir_gpu_system *system, struct weir_gpu_result *result, struct weir_error *error);

struct weir_gpu_lower {
    struct weir_ratio ratio; /* ticks */
    int64_t fine;            /* fine ticks, rounded down */
};

/* What no plan has a smaller bound than, in O(n log n) for n kernels. WEIR_OK or WEIR_MEMORY. */
enum weir_status weir_gpu_lower_find(const struct weir_gpu_system *system, struct weir_gpu_lower *lower);

#endif
