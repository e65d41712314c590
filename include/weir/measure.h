/* SPDX-License-Identifier: Apache-2.0 */
/* What an application did, against what its model proves.
 * Experimental: may change with any version; weir.h includes it where WEIR_EXPERIMENTAL is defined. */
#ifndef WEIR_MEASURE_H
#define WEIR_MEASURE_H

#include "weir/answer.h"
#include "weir/holoscan.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---------------------------------------------------------------- a log of another application */

/*
 * A Data Flow Tracking log of a Holoscan application (weir/holoscan.h), or what the tracker prints at its end, against a model with
 * a thread for each operator. Each path from a root to a leaf has the bound of its own number of initial messages. Latencies above
 * it are explained by the operators that took longer than their worst case. Stamps are whole microseconds, so a time of n counts
 * as more than n - 1, and as less than n + 1 where it is held against a best case.
 */
struct weir_log_comparison;

struct weir_log_comparison_options {
    const char *model;                                  /* what messages call the model; NULL: "the model" */
    void (*progress)(void *context, unsigned permille); /* of the log; may be NULL */
    void *context;
    /* Messages of each path that are left out of a log: start-up and end. Both WEIR_SKIP_USUAL: 10 each, of paths with at least 100
     * messages; one of them: 0. */
    uint32_t skip_first, skip_last;
    int64_t tolerance; /* ns; a time contradicts the model when it does so by more than this */
};

/* Reads the log once, in little memory; "-" is standard input. options may be NULL. Caller frees. */
WEIR_API enum weir_status weir_log_comparison_read(const struct weir_pipeline *pipeline, const char *path,
                                                   const struct weir_log_comparison_options *options,
                                                   struct weir_log_comparison **comparison, struct weir_errors *errors);
WEIR_API void weir_log_comparison_free(struct weir_log_comparison *comparison); /* NULL is fine */
/* To be looked at and written like that of an analysis: the tables "paths" and "operators", times in ms. Its verdict is
 * WEIR_VERDICT_BAD where something contradicts the model, else WEIR_VERDICT_GOOD. Lives as long as the comparison. */
WEIR_API const struct weir_answer *weir_log_comparison_answer(const struct weir_log_comparison *comparison);
/* What limits its worth, a sentence each, with the file: few messages, lines that cannot be read ... NULL beyond the last. */
WEIR_API const char *weir_log_comparison_note(const struct weir_log_comparison *comparison, size_t index);

#ifdef __cplusplus
}
#endif
#endif
