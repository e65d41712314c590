/* SPDX-License-Identifier: Apache-2.0 */
/* What may be changed in a model: variables, and a point that gives each of them a value. */
#ifndef WEIR_EXPLORE_ARRANGE_DESIGN_SPACE_H
#define WEIR_EXPLORE_ARRANGE_DESIGN_SPACE_H

#include "weir.h"

enum weir_variable_kind {
    WEIR_VARIABLE_PROCESSOR, /* of an operator */
    WEIR_VARIABLE_PRIORITY,  /* of an operator */
    WEIR_VARIABLE_CAPACITY,  /* of a queue, initial messages included */
    WEIR_VARIABLE_SPACING,   /* behind a source, and all those of its name: see weir_spacing_delay */
};

struct weir_variable {
    enum weir_variable_kind kind;
    uint32_t index; /* of the operator, queue or source */
};

/* For any variable: as the model has it. */
#define WEIR_UNCHANGED INT64_MIN

struct weir_design_space {
    const struct weir_pipeline *model; /* sealed */
    struct weir_variable *variables;
    size_t count;
};

/* The model with the values of the point, sealed. Caller frees. WEIR_INVALID when there is no such model. */
enum weir_status weir_design_space_apply(const struct weir_design_space *space, const int64_t *point,
                                         struct weir_pipeline **pipeline, struct weir_error *error);

/* A regulator that keeps inputs at least `spacing` <= period apart lets each pass as soon as that is kept. For how long it holds
 * one at most, counted from its actual arrival. */
int64_t weir_spacing_delay(int64_t period, int64_t jitter, int64_t spacing);

/* Whether the two are one source that feeds several operators. */
bool weir_source_same(const struct weir_pipeline *pipeline, uint32_t a, uint32_t b);
/* By chain, true where it begins at an operator that source `source` feeds. */
bool weir_source_begins(const struct weir_pipeline *pipeline, uint32_t source, uint32_t chain);

#endif
