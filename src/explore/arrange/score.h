/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an engine says about a model, as far as a search has to know: the only part of this layer that knows an engine. And what a
 * search makes of it.
 */
#ifndef WEIR_EXPLORE_ARRANGE_SCORE_H
#define WEIR_EXPLORE_ARRANGE_SCORE_H

#include "base/map.h"
#include "explore/arrange/design_space.h"

/* The better the smaller. */
enum weir_candidate_kind {
    WEIR_CANDIDATE_BOUNDS,
    WEIR_CANDIDATE_UNKNOWN,    /* the method found no bounds */
    WEIR_CANDIDATE_UNBOUNDED,  /* it proved that there are none */
    WEIR_CANDIDATE_IMPOSSIBLE, /* there is no such model */
};

struct weir_candidate {
    enum weir_candidate_kind kind;
    size_t chain_count, queue_count;
    int64_t *worst;    /* by chain; INT64_MAX: no bound */
    int64_t *arrived;  /* ... from the actual arrival of an input */
    int64_t *capacity; /* by queue: what it must hold; -1 where that is not known */
    int64_t overload;  /* beyond 1, of all processors together, in parts of a million; above 0 for WEIR_CANDIDATE_UNBOUNDED only */
};

/* Caller frees; *answer is NULL after a failure. */
enum weir_status weir_candidate_ask(const struct weir_priority_options *options, const struct weir_pipeline *pipeline,
                                    struct weir_candidate **answer, struct weir_error *error);
/* What the engine's own analysis says; analysis NULL: WEIR_CANDIDATE_IMPOSSIBLE. */
struct weir_candidate *weir_candidate_of(const struct weir_pipeline *pipeline, const struct weir_priority_analysis *analysis);

/* Compared part by part; the smaller is the better. */
#define WEIR_SCORE_PARTS 4
struct weir_score {
    int64_t part[WEIR_SCORE_PARTS];
};
int weir_score_compare(const struct weir_score *a, const struct weir_score *b);

/* A latency in parts of 2^-30 of its deadline, or else of the period it repeats with; never above INT64_MAX / 2^20. */
int64_t weir_latency_relative(const struct weir_pipeline *pipeline, uint32_t chain, int64_t worst);
/* Latencies from the actual arrival of an input, some of which begin behind something that holds inputs up. */
struct weir_held {
    const bool *chains; /* by chain: which; NULL: none */
    int64_t delay;
};
/* Whether there are bounds; then missed deadlines (or how much overload there is); then the sum of relative latencies. The last
 * part is 0. held: NULL for latencies from the nominal arrival. */
void weir_candidate_score(const struct weir_pipeline *model, const struct weir_candidate *answer, const struct weir_held *held,
                          struct weir_score *score);

/* ---- scorer.c: lists of points ---- */

/* Lists are at most this long: enough for many cores, and little is lost when the first point was the one. */
#define WEIR_SCORER_LIST 32

/* Scores what the engine says of a point. Called by several threads at once. */
struct weir_judge {
    void (*score)(const void *context, const int64_t *point, const struct weir_candidate *answer, struct weir_score *score);
    const void *context;
};

/* Scores points, many at once; the result does not depend on the number of threads. A search hands over lists whose length does
 * not depend on the threads. Points it has asked about before cost nothing. Zero what is not given. */
struct weir_scorer {
    const struct weir_design_space *space;
    const struct weir_priority_options *analysis;
    const struct weir_explore_options *options; /* threads, stop, progress */
    struct weir_judge judge;
    uint64_t limit;       /* evaluations at most */
    uint64_t evaluations; /* so far */
    bool ended;           /* by stop or by the limit: some list was not done */
    unsigned reached;     /* how far the search is in parts of a thousand, as far as evaluations do not tell */
    /* The points that are known. */
    int64_t *points;
    struct weir_score *scores;
    size_t count, point_capacity, score_capacity;
    struct weir_map index;
};
void weir_scorer_free(struct weir_scorer *scorer);

/* Scores `count` points that lie one behind the other. The first *done of them have one then: fewer than `count` only when the
 * search is to end. */
enum weir_status weir_scorer_score(struct weir_scorer *scorer, const int64_t *points, size_t count, struct weir_score *scores,
                                   size_t *done, struct weir_error *error);
bool weir_scorer_stopped(struct weir_scorer *scorer); /* looks at stop, for searches that do other work in between */
void weir_scorer_reached(struct weir_scorer *scorer, unsigned permille);

#endif
