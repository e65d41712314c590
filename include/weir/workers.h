/* SPDX-License-Identifier: Apache-2.0 */
/* Operators that share worker threads, as under the schedulers of Holoscan. Included by weir.h. */
#ifndef WEIR_WORKERS_H
#define WEIR_WORKERS_H

#include "weir.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * On WEIR_PLATFORM_THREADS. An operator that is ready (its messages and the room for its results are there, and it is not running)
 * is executed by one of the workers, to its end. No worker is idle while an operator is ready; which ready operator is next is not
 * ours to say, except under WEIR_DISPATCH_GREEDY. docs/concepts/workers.md has the theorems.
 */
enum weir_dispatch {
    WEIR_DISPATCH_EVENTS, /* a worker is woken when an operator becomes ready: Holoscan's event-based scheduler */
    WEIR_DISPATCH_POLLED, /* ... is looked for every `polling`: the multi-thread scheduler */
    WEIR_DISPATCH_GREEDY, /* one thread goes through the operators in their order, again and again, and executes those that are
                           * ready: the greedy scheduler */
};

struct weir_workers_spec {
    enum weir_dispatch dispatch;
    uint32_t workers; /* 0: at least as many as operators; 1 under WEIR_DISPATCH_GREEDY */
    int64_t polling;  /* WEIR_DISPATCH_POLLED: a ready operator is seen at most this late; otherwise 0 */
    struct weir_place place;
};
/* Before sealing. Unless set: events, as many workers as operators. */
WEIR_API enum weir_status weir_pipeline_set_workers(struct weir_pipeline *pipeline, const struct weir_workers_spec *workers,
                                                    struct weir_error *error);
WEIR_API struct weir_workers_spec weir_pipeline_workers(const struct weir_pipeline *pipeline);
/* Whether every operator always finds a worker at once: then weir_analyze is exact, and only then it answers. */
WEIR_API bool weir_pipeline_has_enough_workers(const struct weir_pipeline *pipeline);

#ifdef __cplusplus
}
#endif
#endif
