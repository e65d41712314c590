/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The search for capacities. A box is a set of capacity vectors: each queue has the capacity `low`, or where it is open, that or
 * more. Boxes are split until nothing is left in them that could matter:
 *
 *   - A cycle of the event graph is as fast as its tokens allow, and tokens are places. So a cycle that is too slow demands a
 *     number of places on it: a cut, which holds for all capacities. Cuts raise the low end of a box, and its least cost.
 *   - A latency is not monotone in capacities. What exceeds a limit in all of a box is found by a search in which the target is
 *     held back only by the deepest queues of the box, and the reference by the shallowest (bound.c).
 */
#ifndef WEIR_EXPLORE_SIZING_SIZING_H
#define WEIR_EXPLORE_SIZING_SIZING_H

#include "base/alloc.h"
#include "base/number.h"
#include "base/task_pool.h"
#include "weir.h"

/* A cycle of the event graph. Places on these queues together: at least `need`. */
struct weir_capacity_cut {
    size_t first, count; /* into the members of the cuts */
    int64_t time;        /* at worst times, once round */
    int64_t fixed;       /* its tokens, less the places of the queues */
    int64_t need;        /* for the period that is aimed at */
};
struct weir_cuts {
    struct weir_ratio period; /* aimed at; {0, 0}: none */
    bool shorter;             /* ... and not even that long */
    struct weir_capacity_cut *items;
    size_t count, capacity;
    uint32_t *members; /* numbers of sized queues */
    size_t member_count, member_capacity;
};

struct weir_sizing_study {
    const struct weir_pipeline *pipeline;
    const struct weir_sizing_options *options;
    bool *sized;     /* by queue */
    uint32_t *queue; /* which of the pipeline, by number of sized queue */
    int64_t *weight;
    uint32_t *least, *most;
    uint32_t *number; /* of a queue of the pipeline among the sized ones; UINT32_MAX: none */
    uint32_t count;
    int64_t *limit; /* by chain; INT64_MAX: none */
    struct weir_cuts cuts;
    /* Boxes that together are all: tasks. */
    struct weir_boxes {
        char *items; /* of weir_box_size bytes */
        size_t count, capacity;
    } boxes;
    struct weir_arena arena;
};

/* Followed by `low` of each sized queue, and a byte for each: open. */
struct weir_box {
    int64_t least; /* nothing in it costs less */
    bool known;    /* the vector `low` has been looked at */
};
static inline size_t weir_box_size(const struct weir_sizing_study *s)
{
    return sizeof(struct weir_box) + ((size_t)s->count * (sizeof(uint32_t) + 1) + 7) / 8 * 8;
}
static inline uint32_t *weir_box_low(struct weir_box *box)
{
    return (uint32_t *)(box + 1);
}
static inline uint8_t *weir_box_open(const struct weir_sizing_study *s, struct weir_box *box)
{
    return (uint8_t *)(weir_box_low(box) + s->count);
}
static inline struct weir_box *weir_box_at(const struct weir_sizing_study *s, const struct weir_boxes *boxes, size_t i)
{
    return (struct weir_box *)(boxes->items + i * weir_box_size(s));
}

static inline bool weir_study_stopped(const struct weir_sizing_study *s)
{
    return s->options->stop && __atomic_load_n(s->options->stop, __ATOMIC_RELAXED);
}

/* ---- study.c ---- */

struct weir_sizing_seeker;
typedef enum weir_status weir_study_search(struct weir_sizing_study *study, struct weir_sizing_seeker *seeker, void *found,
                                           struct weir_error *error);
/* Begins a study and hands it to `search`, with a seeker of the calling thread's, for `found`; NULL: out of memory. */
enum weir_status weir_study_run(const struct weir_pipeline *pipeline, const struct weir_sizing_options *options,
                                weir_study_search *search, void *found, struct weir_error *error);
/* By queue of the pipeline, for a result: which are sized; and the capacities, low NULL: as modelled. NULL when out of memory. */
const bool *weir_study_sized(const struct weir_sizing_study *study);
const uint32_t *weir_study_capacities(const struct weir_sizing_study *study, const uint32_t *low);
int64_t weir_study_cost(const struct weir_sizing_study *study, const uint32_t *low);
/* Puts capacities into an evaluator. */
enum weir_status weir_study_set(const struct weir_sizing_study *study, struct weir_evaluator *evaluator, const uint32_t *low,
                                struct weir_error *error);
/* A copy of the pipeline with these capacities, sealed. */
enum weir_status weir_study_pipeline(const struct weir_sizing_study *study, const uint32_t *low, struct weir_pipeline **pipeline,
                                     struct weir_error *error);

/* ---- cuts.c ---- */

void weir_cuts_free(struct weir_cuts *cuts);
bool weir_cuts_copy(const struct weir_cuts *from, struct weir_cuts *to);
/* Another period for all of them. */
void weir_cuts_aim(struct weir_cuts *cuts, struct weir_ratio period, bool shorter);
/* Whether a period is what is aimed at. */
bool weir_cuts_accept(const struct weir_cuts *cuts, struct weir_ratio period);
/* Whether the capacities in the evaluator are fast enough and without deadlock. If not, and its graph can be looked at, the cycle's
 * cut is added; *added: it was. */
enum weir_status weir_cuts_test(const struct weir_sizing_study *study, struct weir_evaluator *evaluator, struct weir_cuts *cuts,
                                bool *fine, bool *added, struct weir_error *error);
/* Raises `low` and `least` of a box as the cuts demand; false: nothing of it is left. *queue: an open one on the cut that `low`
 * violates most; UINT32_MAX: it violates none. */
bool weir_cuts_apply(const struct weir_sizing_study *study, const struct weir_cuts *cuts, struct weir_box *box, uint32_t *queue);

/* ---- bound.c ---- */

struct weir_box_bound;
/* For the evaluator's pipeline; *bound is NULL where there is no such bound. */
enum weir_status weir_box_bound_new(const struct weir_sizing_study *study, const struct weir_evaluator *evaluator,
                                    struct weir_box_bound **bound, struct weir_error *error);
void weir_box_bound_free(struct weir_box_bound *bound); /* NULL is fine */
/* With all capacities of the box, the latency of the chain is at least `threshold`. False says nothing, as does a bound of NULL. */
bool weir_box_bound_reaches(struct weir_box_bound *bound, struct weir_box *box, uint32_t chain, int64_t threshold);

/* ---- seek.c: what a thread has ---- */

/* Followed by the capacities. */
struct weir_sized {
    bool found;
    int64_t cost;
    int64_t above;    /* the least that may be left in boxes that were put off; INT64_MAX: none were */
    int64_t open;     /* the least that may be left in boxes because of a stop; INT64_MAX: there was none */
    int64_t limit;    /* boxes with more are put off */
    int64_t doubtful; /* the least cost where a latency is not known well enough; INT64_MAX: there is none */
};
static inline uint32_t *weir_sized_capacities(struct weir_sized *s)
{
    return (uint32_t *)(s + 1);
}
static inline size_t weir_sized_size(const struct weir_sizing_study *s)
{
    return sizeof(struct weir_sized) + ((size_t)s->count * sizeof(uint32_t) + 7) / 8 * 8;
}
/* In the order of numbers. */
int weir_capacities_compare(const struct weir_sizing_study *study, const uint32_t *a, const uint32_t *b);
/* Below 0 when a is the one to take; one that was not found comes last. */
int weir_sized_compare(const struct weir_sizing_study *study, const struct weir_sized *a, const struct weir_sized *b);

struct weir_sizing_seeker {
    const struct weir_sizing_study *study;
    struct weir_evaluator *evaluator;
    struct weir_cuts cuts;
    struct weir_box_bound *bound;
    struct weir_boxes stack;
    struct weir_sized *best;
    int64_t *limit; /* by chain; those of the study to begin with */
    struct weir_arena arena;
};
/* All of the study's capacities. */
void weir_box_whole(const struct weir_sizing_study *study, struct weir_box *box);
enum weir_status weir_sizing_seeker_new(const void *study, void **seeker, struct weir_error *error);
void weir_sizing_seeker_free(void *seeker);
enum weir_status weir_sizing_seeker_perform(void *seeker, const void *study, uint64_t task, const void *hint, void *result,
                                            struct weir_error *error);
/* Splits boxes until there are some, in study->boxes, taking what it finds on the way. */
enum weir_status weir_sizing_seeker_split(struct weir_sizing_seeker *seeker, struct weir_sizing_study *study, size_t wanted,
                                          struct weir_error *error);
/* Whether the capacities keep all limits. *excess: by how much latencies are too long in all, INT64_MAX where it is not known. */
enum weir_status weir_sizing_seeker_try(struct weir_sizing_seeker *seeker, const uint32_t *low, bool *keeps, int64_t *excess,
                                        struct weir_error *error);
/* Something to begin with, in seeker->best. */
enum weir_status weir_sizing_seeker_begin(struct weir_sizing_seeker *seeker, struct weir_error *error);
/* All of the question by one seeker, whose limits and period are set; nothing that keeps them costs less than `least`. The answer
 * is in seeker->best, where `open` is what may be left because of a stop. */
enum weir_status weir_sizing_seeker_solve(struct weir_sizing_seeker *seeker, int64_t least, struct weir_error *error);
/* How far the next pass goes: at least to `left`; the first one went to `first`. */
int64_t weir_sizing_next_limit(const struct weir_sized *best, int64_t first, int64_t left);

#endif
