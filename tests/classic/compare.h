/* SPDX-License-Identifier: Apache-2.0 */
/* Several methods on one graph: do they contradict each other, and if so, on which smallest graph? */
#ifndef WEIR_TESTS_COMPARE_H
#define WEIR_TESTS_COMPARE_H

#include "sketch.h"

#define COMPARE_METHODS 8
#define COMPARE_WORDS 640

/* What a result claims about the worst case beyond what its `exact` and `safe` say. */
struct contestant {
    const char *name;
    bool reached; /* its value, where it is not exact, is reached by some execution: a lower bound */
    enum weir_status (*run)(const struct contestant *self, const struct weir_pipeline *pipeline, struct weir_method_result *result,
                            struct weir_error *error);
    enum weir_method method; /* for `run` */
    struct weir_method_options options;
};

struct contest {
    const struct contestant *contestants;
    size_t count; /* <= COMPARE_METHODS */
    /* Of the last comparison: */
    struct weir_method_result results[COMPARE_METHODS];
    char words[COMPARE_WORDS]; /* the contradiction */
};

/* weir_method_run, for `run`. */
enum weir_status contestant_run(const struct contestant *self, const struct weir_pipeline *pipeline,
                                struct weir_method_result *result, struct weir_error *error);

/* Whether the answers for pair 0 contradict each other: a method fails, two exact values differ, a safe one is below an exact or
 * reached one, a reached one is above an exact one, or a bracket excludes one. False for what is no graph. */
bool contest_contradicts(struct contest *contest, const struct sketch *sketch);

/* Shrinks a sketch that contradicts and writes the rest as YAML into disagreement-NUMBER.yaml in the current directory, the
 * contradiction as a comment. False when the file cannot be written. */
bool contest_report(struct contest *contest, struct sketch *sketch, uint64_t number, char *path, size_t path_size);

#endif
