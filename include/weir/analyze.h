/* SPDX-License-Identifier: Apache-2.0 */
/* All separations of a pipeline whose operators have threads of their own, by the exact engine.
 * Experimental: may change with any version; weir.h includes it where WEIR_EXPERIMENTAL is defined. */
#ifndef WEIR_ANALYZE_H
#define WEIR_ANALYZE_H

#include <stdio.h>

#include "weir/separation.h"

#ifdef __cplusplus
extern "C" {
#endif

struct weir_latency {
    struct weir_chain_spec chain;
    struct weir_separation worst; /* of the latency */
    struct weir_separation best;  /* of its negation: the best case is -best.value */
    struct weir_separation gap;   /* worst time between two successive finishes of `to` */
    struct weir_witness *witness; /* NULL unless worst is exact */
    const char *why;              /* NULL unless unbounded or a bracket: the reason in words */
    bool verified;                /* witness replayed and certificate checked; false also where that would take too long */
};

struct weir_throughput_answer {
    struct weir_ratio period, best_period; /* of the slowest output, at worst times and at best times */
    const struct weir_operator *bottleneck;
    size_t bottleneck_count;
};

struct weir_analysis {
    const struct weir_pipeline *pipeline;
    const struct weir_latency *latencies; /* one per chain of the pipeline */
    size_t latency_count;
    struct weir_throughput_answer throughput;
};

struct weir_analyze_options {
    bool verify;         /* replay every witness, check every certificate; a failure is WEIR_INTERNAL */
    uint64_t work_limit; /* as in weir_query */
    uint64_t memory_limit;
    unsigned threads; /* 0: one per core where that pays, at most 8; 1: the calling one alone. They say the same */
    /* Called now and then with the share of the work done, 0..1000; may be NULL. */
    void (*progress)(void *context, unsigned permille);
    void *context;
};

/* A broadcast that is assumed is taken to be there; weir_answer_find looks at the other readings, too. */
WEIR_API enum weir_status weir_analyze(const struct weir_pipeline *pipeline, const struct weir_analyze_options *options,
                                       struct weir_analysis **analysis, struct weir_error *error);
WEIR_API void weir_analysis_free(struct weir_analysis *analysis);

#ifdef __cplusplus
}
#endif
#endif
