/* SPDX-License-Identifier: Apache-2.0 */
/* A flow of the campaign, what the analysis says of it, and whether a simulation is within that. */
#ifndef WEIR_TESTS_CORES_TRIAL_H
#define WEIR_TESTS_CORES_TRIAL_H

#include "base/number.h"
#include "cores_flow.h"

enum measure { RESPONSE, RELEASE, LATENCY, BUFFER, FOLLOWING, SAMPLE, MEASURES };

struct tally {
    uint64_t flows, schedulable, full, overloaded, short_queues; /* full: not a bit of the cores is left */
    uint64_t loose, joined, batched[3], merged, executions;
    uint64_t played, uneven;                     /* with samples of the flow before batching; several sources, other batches */
    uint64_t shrunk;                             /* queues with a place less than was seen to be needed */
    uint64_t forged[2];                          /* claims: pairs that never run together; responses below what was seen */
    uint64_t count[MEASURES], reached[MEASURES]; /* bounds looked at; seen to be reached */
    double ratio[MEASURES];                      /* sum of the largest value seen / bound */
};

struct top { /* the largest value seen of a measure */
    weir_wide value;
    int64_t scale;
};

struct trial {
    uint64_t seed;
    struct weir_pipeline *pipeline;
    struct weir_pipeline *original; /* before batching; NULL: it is not batched */
    bool playing;                   /* by cores_flow.c, with the samples of the original */
    struct weir_edf_analysis *analysis;
    struct flow *flow;
    int64_t peak[QUEUES], most[QUEUES]; /* of one simulation, of all */
    bool together[QUEUES];              /* its ends were executed at the same time, or could have been */
    struct top top[MEASURES][NODES * NODES];
    double largest[MEASURES][NODES * NODES]; /* value / bound */
    bool looked[MEASURES][NODES * NODES];
    struct weir_error error;
    struct tally *tally;
};

/* Prints the flow; false. */
bool trial_complain(const struct trial *trial, const char *what, uint32_t op, int64_t execution, int64_t value);
/* What was seen in one run, in the lists of the flow. */
bool trial_check(struct trial *trial);

/* Behind several sources, of which one is not even. */
static inline bool trial_is_joined(const struct node *n)
{
    return !n->even && (n->feeds & (n->feeds - 1)) != 0;
}

#endif
