/* SPDX-License-Identifier: Apache-2.0 */
/* The published analyses of the same question.
 * Experimental: may change with any version; weir.h includes it where WEIR_EXPERIMENTAL is defined. */
#ifndef WEIR_METHODS_H
#define WEIR_METHODS_H

#include <stdio.h>

#include "weir/separation.h"

#ifdef __cplusplus
extern "C" {
#endif

enum weir_method {
    WEIR_METHOD_EXACT,      /* weir's own */
    WEIR_METHOD_TGDFS,      /* RTSS 2025: backward search over symbolic expressions; best cases read as 0; exponential */
    WEIR_METHOD_RTSS24,     /* RTSS 2024: closed form; queues of 1, times fixed at worst; can be below the truth */
    WEIR_METHOD_STATESPACE, /* exhaustive search over the self-timed execution, times in whole ticks; exponential */
    WEIR_METHOD_SMT,        /* Z3 over a finite number of iterations; not a guarantee */
    WEIR_METHODS,
};

WEIR_API const char *weir_method_name(enum weir_method method); /* "exact", "tgdfs", ... */
/* Whether this build has it (smt needs Z3); *why (may be NULL) says what is missing. */
WEIR_API bool weir_method_available(enum weir_method method, const char **why);

struct weir_method_options {
    uint64_t limit;    /* expressions or states before a bracket is given; 0: the method's default */
    uint64_t bytes;    /* memory for them; 0: 1 GiB */
    uint32_t horizon;  /* smt: iterations; 0: 8 */
    uint32_t seconds;  /* limit of CPU time; 0: none */
    FILE *expressions; /* tgdfs: where to write every expression, one per line; NULL: nowhere */
    void (*progress)(void *context, unsigned permille); /* may be NULL */
    void *context;
};

struct weir_method_result {
    bool applicable; /* false: the method does not cover this pipeline; note says why */
    enum weir_outcome outcome;
    int64_t value;        /* WEIR_EXACT: the method's number (which is exact only if `exact` is set) */
    int64_t lower, upper; /* WEIR_BRACKET */
    bool safe;            /* the number is an upper bound by the method's theorem */
    bool exact;           /* ... and reached, for this pipeline */
    uint64_t count;       /* expressions, states; 0 where there is nothing to count */
    char note[320];       /* restrictions and warnings, a sentence each; may be empty */
};

/* The worst case of chain `chain` of the pipeline by the given method. */
WEIR_API enum weir_status weir_method_run(const struct weir_pipeline *pipeline, enum weir_method method, uint32_t chain,
                                          const struct weir_method_options *options, struct weir_method_result *result,
                                          struct weir_error *error);

#ifdef __cplusplus
}
#endif
#endif
