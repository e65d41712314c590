/* SPDX-License-Identifier: Apache-2.0 */
/* What a bound depends on: one thing changed at a time.
 * Experimental: may change with any version; weir.h includes it where WEIR_EXPERIMENTAL is defined. */
#ifndef WEIR_SENSITIVITY_H
#define WEIR_SENSITIVITY_H

#include "weir/separation.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a latency and the throughput come to with one thing changed. Not known where times grow beyond what can be counted, or the
 * limit was reached before: a bracket from INT64_MIN to INT64_MAX. */
struct weir_effect {
    struct weir_separation worst; /* of the latency */
    struct weir_ratio period;     /* of the slowest leaf at worst times; denominator 0: not known */
};

struct weir_operator_effect {
    struct weir_effect slower; /* its worst case is a tick longer: how steeply the bound rises */
    int64_t best, worst;       /* tried: its times when it is faster by `permille`, but by a tick at least */
    struct weir_effect faster; /* the effect of that */
};

struct weir_queue_effect {
    bool has_more, has_less; /* false: unbounded or nonblocking; less: a capacity of 1, or of its initial messages */
    struct weir_effect more; /* one slot more */
    struct weir_effect less; /* one slot less; a deadlock is WEIR_NO_EVENTS */
};

struct weir_sensitivity {
    const struct weir_pipeline *pipeline;
    uint32_t chain;
    unsigned permille;
    struct weir_effect now;
    const struct weir_operator_effect *operators; /* by operator */
    const struct weir_queue_effect *queues;       /* by queue */
};

struct weir_sensitivity_options {
    unsigned permille;   /* 0: 100 */
    uint64_t work_limit; /* of each search; 0: a modest default for each and for all of them. Beyond it an effect is a bracket. */
    const bool *stop;    /* as in struct weir_explore_options */
    void (*progress)(void *context, unsigned permille);
    void *context;
};
/* Of a pipeline whose operators have threads of their own. options may be NULL. Caller frees. */
WEIR_API enum weir_status weir_sensitivity_find(const struct weir_pipeline *pipeline, uint32_t chain,
                                                const struct weir_sensitivity_options *options,
                                                struct weir_sensitivity **sensitivity, struct weir_error *error);
WEIR_API void weir_sensitivity_free(struct weir_sensitivity *sensitivity);

#ifdef __cplusplus
}
#endif
#endif
