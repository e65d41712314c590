/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEIR_ENGINE_PRIORITY_REASON_H
#define WEIR_ENGINE_PRIORITY_REASON_H

#include "engine/priority/system.h"

#define WEIR_PRIORITY_WORDS 1000

/* Why there is no bound, in words with the names of the pipeline. */
void weir_priority_reason_write(const struct weir_priority_system *system, const struct weir_pipeline *pipeline,
                                char words[WEIR_PRIORITY_WORDS]);

#endif
