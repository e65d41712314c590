/* SPDX-License-Identifier: Apache-2.0 */
/* Between the verb `analyze` and models with connections that do not wait. */
#ifndef WEIR_CLI_SAMPLE_H
#define WEIR_CLI_SAMPLE_H

#include "analyze.h"

struct weir_sample_settings {
    const char *deadline; /* as given, or NULL */
    uint64_t limit;
    bool json, full, verify;
};

/* Analyses and prints one model. A failure is in *error, with its status, and not printed yet; the result then means nothing. */
enum weir_exit weir_sample_run(const struct weir_sample_settings *settings, const struct weir_pipeline *pipeline, const char *path,
                               struct weir_error *error);

#endif
