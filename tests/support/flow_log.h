/* SPDX-License-Identifier: Apache-2.0 */
/* Data Flow Tracking logs of simulated runs, as the tracker would write them. A tick of the pipeline is a microsecond. */
#ifndef WEIR_TESTS_FLOW_LOG_H
#define WEIR_TESTS_FLOW_LOG_H

#include "weir.h"

struct weir_test_log {
    int64_t iterations;
    enum weir_times times;
    uint64_t seed;
    const char *prefix; /* before every name; NULL: none */
    bool crlf;          /* lines end as on Windows */
    bool twice;         /* every line is there twice */
    bool garbage;       /* lines that are none, here and there */
    bool cut;           /* the last line has no end */
    /* What was written; by operator, then by pair of the pipeline. The caller frees them. */
    int64_t *min, *max;
    int64_t *latency;
    uint64_t lines;
};

/* False: the simulation failed, or memory. The pipeline has no cycles and no initial messages. */
bool weir_test_log_write(const struct weir_pipeline *pipeline, struct weir_test_log *log, FILE *out);

#endif
