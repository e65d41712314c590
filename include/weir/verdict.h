/* SPDX-License-Identifier: Apache-2.0 */
/* One question to whatever engine goes with a pipeline: how late, and how often.
 * Experimental: may change with any version; weir.h includes it where WEIR_EXPERIMENTAL is defined. */
#ifndef WEIR_VERDICT_H
#define WEIR_VERDICT_H

#include "weir/pipeline.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How much a bound says. */
enum weir_certainty {
    WEIR_CERTAIN_EXACT,     /* reached, and never exceeded */
    WEIR_CERTAIN_SAFE,      /* never exceeded; whether it is reached is not said */
    WEIR_CERTAIN_UNKNOWN,   /* no bound was found, or not within the limits */
    WEIR_CERTAIN_UNBOUNDED, /* the latency grows for ever: proved */
    WEIR_CERTAIN_NONE,      /* there is no such pair of events: nothing to be late */
};

struct weir_verdict_latency {
    bool whole; /* on a GPU: from the first launch to the end of the last; there is no pair */
    struct weir_pair_spec pair;
    enum weir_certainty certainty;
    struct weir_ratio worst; /* in ticks; WEIR_CERTAIN_EXACT and _SAFE */
    bool has_best;
    int64_t best; /* never faster; has_best */
    bool has_deadline, met;
    int64_t deadline;
    const char *why;  /* no bound: the reason, where the engine gives one; else NULL */
    const char *path; /* how the worst case comes about: executions in their order, in words; NULL: not known, or not wanted */
};

struct weir_verdicts {
    const struct weir_pipeline *pipeline;
    const char *engine;                           /* "exact", "sampling", "workers", "fixed-priority", "global-edf" or "gpu" */
    const struct weir_verdict_latency *latencies; /* one per pair, in their order; on a GPU one */
    size_t latency_count;
    bool has_period;
    struct weir_ratio period;               /* at worst times one result at least this often; where the engine says so */
    const struct weir_operator *bottleneck; /* that hold it back, in order; NULL: not known, or not wanted */
    size_t bottleneck_count;
    int64_t places;                /* in all queues, as the engine sized them; -1: it sizes none */
    struct weir_ratio utilization; /* of cores; denominator 0: not of this platform */
};

struct weir_verdict_options {
    bool brief;                                         /* no best cases, paths, bottlenecks: for whoever asks often */
    bool verify;                                        /* check whatever certificate there is; a failure is WEIR_INTERNAL */
    uint64_t work_limit;                                /* as that of the engine; 0: its default */
    void (*progress)(void *context, unsigned permille); /* may be NULL */
    void *context;
};

/* Of a sealed pipeline on any platform, which must live on. options may be NULL. Caller frees. WEIR_INVALID where no engine covers
 * the pipeline; the message says why. */
WEIR_API enum weir_status weir_verdict_find(const struct weir_pipeline *pipeline, const struct weir_verdict_options *options,
                                            struct weir_verdicts **verdicts, struct weir_error *error);
WEIR_API void weir_verdicts_free(struct weir_verdicts *verdicts); /* NULL is fine */
/* Whether there is a bound: exact or safe. */
WEIR_API bool weir_verdict_bounded(const struct weir_verdict_latency *latency);
WEIR_API const char *weir_certainty_name(enum weir_certainty certainty); /* "exact", "safe", "unknown", "unbounded", "none" */

#ifdef __cplusplus
}
#endif
#endif
