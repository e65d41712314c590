/* SPDX-License-Identifier: Apache-2.0 */
/* From a method to bounds with their certificate. */
#ifndef WEIR_ENGINE_PRIORITY_METHOD_H
#define WEIR_ENGINE_PRIORITY_METHOD_H

#include "engine/priority/proof.h"
#include "weir.h"

struct weir_method_run {
    struct weir_priority_system *system;
    const struct weir_pipeline *pipeline;
    enum weir_priority_outcome outcome; /* converged: the system holds bounds and rooms */
    struct weir_bounds_proof *proof;    /* of methods that are safe, where it converged; whoever asked frees it */
    const char *variant;
    enum weir_priority_rule rule; /* that explains a window best */
};

/* WEIR_MEMORY is the only failure. */
enum weir_status weir_method_single(struct weir_method_run *run, enum weir_priority_method method);
enum weir_status weir_method_portfolio(struct weir_method_run *run);

#endif
