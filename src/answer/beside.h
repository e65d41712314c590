/* SPDX-License-Identifier: Apache-2.0 */
/* A published method beside the exact engine: an answer whose one table has both numbers of every latency. */
#ifndef WEIR_ANSWER_BESIDE_H
#define WEIR_ANSWER_BESIDE_H

#include "weir.h"

struct weir_beside {
    enum weir_method method; /* asked for */
    struct weir_method_options options;
    size_t uncovered;             /* latencies that the method does not cover */
    struct weir_chain_spec first; /* the first of them */
    char note[320];               /* ... and why not */
    int64_t method_ns, exact_ns;  /* what it took: no part of the answer, since it differs from run to run */
};

/* Asks the method and the exact engine for every latency. A method that contradicts what it promises is WEIR_INTERNAL. Caller
 * frees the answer. */
enum weir_status weir_answer_beside(const struct weir_pipeline *pipeline, struct weir_beside *beside, struct weir_answer **answer,
                                    struct weir_error *error);

#endif
