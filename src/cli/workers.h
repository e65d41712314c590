/* SPDX-License-Identifier: Apache-2.0 */
/* Between the verb `analyze` and models whose operators share worker threads. */
#ifndef WEIR_CLI_WORKERS_H
#define WEIR_CLI_WORKERS_H

#include "analyze.h"

struct weir_workers_settings {
    const char *deadline; /* as given, or NULL */
    uint64_t limit;
    bool json, full;
};

/* Analyses and prints one model. A failure is in *error, with its status, and not printed yet; the result then means nothing. */
enum weir_exit weir_workers_run(const struct weir_workers_settings *settings, const struct weir_pipeline *pipeline,
                                const char *path, struct weir_error *error);

#endif
