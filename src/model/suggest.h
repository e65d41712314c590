/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEIR_MODEL_SUGGEST_H
#define WEIR_MODEL_SUGGEST_H

#include "weir.h"

/* The operator whose name is nearest to this one, if it is near enough to be a misspelling of it, else NULL. */
const char *weir_pipeline_suggest(const struct weir_pipeline *pipeline, const char *name);

#endif
