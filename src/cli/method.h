/* SPDX-License-Identifier: Apache-2.0 */
/* Between the verb `analyze` and its option --method: a published analysis beside the exact one. */
#ifndef WEIR_CLI_METHOD_H
#define WEIR_CLI_METHOD_H

#include "cli.h"

struct weir_method_settings {
    const char *name;                   /* as given; NULL: none */
    enum weir_method method;            /* WEIR_METHODS: it is one for other platforms only */
    enum weir_priority_method priority; /* WEIR_PRIORITY_METHODS: it is none for shared processors */
    enum weir_gpu_method gpu;           /* WEIR_GPU_METHODS: it is none for a GPU */
    bool all;                           /* for a GPU: all of them */
    const char *expressions;            /* a file, or NULL */
    uint64_t limit, horizon, megabytes, seconds;
    bool json, full;
};

/* Finds the method by its name and checks the options that go with it; prints what is wrong. */
enum weir_exit weir_method_check(struct weir_method_settings *settings, const struct weir_verb *verb);
/* Whether the method, if one is given, is for models of this platform; otherwise *error says which ones are. */
bool weir_method_applies(const struct weir_method_settings *settings, enum weir_platform platform, struct weir_error *error);

struct weir_comparison_row {
    struct weir_method_result result;
    struct weir_separation exact; /* by weir, measured from the same moment as the result */
    int64_t method_ns, exact_ns;  /* what it took */
};

struct weir_comparison {
    const struct weir_method_settings *settings;
    const struct weir_pipeline *pipeline;
    const char *title;
    struct weir_comparison_row *rows; /* by pair */
    uint32_t count;
    bool answered; /* there is something to print */
};

/* Where the latencies of a pair begin that the method measures; known once it was asked. */
enum weir_since { WEIR_SINCE_START, WEIR_SINCE_ARRIVAL, WEIR_SINCE_QUEUE };
enum weir_since weir_comparison_since(const struct weir_comparison *comparison, uint32_t pair);

/* Asks the method and the exact engine for every pair. A method that contradicts what it promises is WEIR_INTERNAL. `result` is
 * the exit status that goes with what was found or, where a file could not be written, with that. Free it in any case. */
enum weir_status weir_comparison_run(struct weir_comparison *comparison, enum weir_exit *result, struct weir_error *error);
void weir_comparison_free(struct weir_comparison *comparison);

/* ---- method_print.c ---- */

/* The answer on stdout; what it took, and what is not covered, on stderr. */
void weir_comparison_print(const struct weir_comparison *comparison);

#endif
