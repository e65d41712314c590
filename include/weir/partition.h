/* SPDX-License-Identifier: Apache-2.0 */
/* Dividing the SMs of a GPU among operators.
 * Experimental: may change with any version; weir.h includes it where WEIR_EXPERIMENTAL is defined. */
#ifndef WEIR_PARTITION_H
#define WEIR_PARTITION_H

#include "weir/answer.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How long an operator takes with this many SMs in its partition of the GPU; if it launches work there (weir_launch), how long
 * that work takes. */
struct weir_profile_point {
    uint32_t sms;        /* >= 1 */
    int64_t best, worst; /* 0 <= best <= worst */
};
/* For a number of SMs that was not measured, the next smaller one that was measured counts. */
struct weir_profile {
    struct weir_operator op;
    const struct weir_profile_point *points; /* ascending SMs; at least one */
    size_t point_count;
};

/* Reads profiles from a CSV file (docs/reference/formats.md) for operators of the pipeline. Worst cases are rounded up to ticks,
 * best cases down. Caller frees. On failure *profiles is NULL and errors says why. */
struct weir_profiles {
    const struct weir_profile *items; /* in the order of the operators of the pipeline */
    size_t count;
};
WEIR_API enum weir_status weir_profiles_read(const char *path, const struct weir_pipeline *pipeline,
                                             struct weir_profiles **profiles, struct weir_errors *errors);
WEIR_API void weir_profiles_free(struct weir_profiles *profiles); /* NULL is fine */

#define WEIR_PARTITION_OPERATORS_MAX 32
#define WEIR_PARTITION_SHARED_MAX 8 /* with `share`: there are 4140 ways to put them together */

struct weir_partition_options {
    uint32_t sms;  /* of the GPU; the partitions together have at most this many */
    uint32_t step; /* each has a multiple of this, as green contexts do: 8 from compute capability 9.0 on, 2 before; 0: 1 */
    const struct weir_profile *profiles;
    size_t profile_count; /* 1 to WEIR_PARTITION_OPERATORS_MAX, each of another operator */
    /* Operators may be put into one partition. Each starts, and takes its messages, as it would alone; its work on the GPU then
     * waits for that which was launched there before. That is of one execution of each other operator at most, so that its worst
     * case becomes the sum of all. Refused are operators of which more can be under way, since they are reentrant or do not wait
     * for what they launch, and those that receive late. */
    bool share;
    unsigned threads;                                   /* 0: one per core. The result is the same for every number */
    const bool *stop;                                   /* looked at now and then, atomically; may be NULL */
    void (*progress)(void *context, unsigned permille); /* from the calling thread; may be NULL */
    void *context;
};

/* What is better: fewer latencies without bound, then fewer missed deadlines, then the smaller sum of all worst cases. */
struct weir_partition_score {
    uint32_t unbounded, missed;
    int64_t total;
};

struct weir_partition_share {
    uint32_t part;       /* which partition, from 0 in the order of their first operators */
    uint32_t sms;        /* of it */
    int64_t best, worst; /* of the operator there */
};

struct weir_partition {
    struct weir_pipeline *pipeline;            /* with these times, sealed; NULL: the SMs are too few for any division */
    const struct weir_partition_share *shares; /* by profile; of equally good ones the fewest SMs */
    uint32_t part_count, sms;                  /* SMs in use */
    struct weir_partition_score score;
    struct weir_partition_score lower; /* nothing is better than this */
    bool complete;                     /* nothing was left out: no division is better */
};
/* For a sealed pipeline on threads of its own, which must live on. Caller frees. */
WEIR_API enum weir_status weir_partition_find(const struct weir_pipeline *pipeline, const struct weir_partition_options *options,
                                              struct weir_partition **partition, struct weir_error *error);
WEIR_API void weir_partition_free(struct weir_partition *partition); /* NULL is fine */
/* The result as an answer, for weir_answer_write_text and others; `options` as given. Pipelines must outlive it. Caller frees. */
WEIR_API enum weir_status weir_partition_answer(const struct weir_pipeline *pipeline, const struct weir_partition_options *options,
                                                const struct weir_partition *partition, struct weir_answer **answer,
                                                struct weir_error *error);

#ifdef __cplusplus
}
#endif
#endif
