/* SPDX-License-Identifier: Apache-2.0 */
/* Numbered tasks that depend on nothing but their number, done by any number of threads. */
#ifndef WEIR_EXPLORE_CREW_H
#define WEIR_EXPLORE_CREW_H

#include "weir.h"

struct weir_crew {
    size_t task_count;
    unsigned threads; /* 0: one per core */
    /* Each thread makes its own tools first (may fail: fewer then work, unless it is the calling one) and frees them last. */
    void *(*make_tools)(void *context, struct weir_error *error);
    void (*free_tools)(void *tools);
    enum weir_status (*work)(void *context, void *tools, size_t task, struct weir_error *error);
    const bool *stop; /* may be NULL: no task is begun once it is set */
    void (*progress)(void *context, unsigned permille);
    void *progress_context;
    void *context;
};

/* *done (may be NULL): whether every task was. The error is that of the first task, by number, that failed. */
enum weir_status weir_crew_run(const struct weir_crew *crew, bool *done, struct weir_error *error);

#endif
