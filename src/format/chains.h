/* SPDX-License-Identifier: Apache-2.0 */
/* Which of a pipeline's latencies a file has to name, since weir would not choose them so by itself. */
#ifndef WEIR_FORMAT_CHAINS_H
#define WEIR_FORMAT_CHAINS_H

#include "weir.h"

struct weir_chain_needs {
    bool any;     /* the chains have to be written */
    bool *offset; /* by chain: its shift has to be written; weir_free() it */
};

enum weir_status weir_chain_needs_find(const struct weir_pipeline *pipeline, struct weir_chain_needs *needs,
                                       struct weir_error *error);

#endif
