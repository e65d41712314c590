/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checking the certificate of an upper bound. Shares nothing with the search that makes it but the event graph.
 *
 * The certificate claims, for every node (o, k) of the trace graph,
 *
 *     best[o, k]    the reference starts at least this long after the node's start, whatever the execution times
 *     label[o, k]   no path from the node to the target on which every ancestor a of the reference has slack(a) >= threshold
 *                   is longer than this
 *
 * in infinitely many rows: explicit ones, the last `period` of an epoch repeated with constant growth, and beyond the last epoch
 * either repetition for ever or nothing alive. If each claim follows from the ones it rests on, and no label exceeds the best of
 * the beginning of time by the threshold, no separation reaches the threshold (docs/concepts/certificates.md). Where not everything
 * begins at time 0, these are the labels of the roots of the graph, each later by its phase.
 */
#ifndef WEIR_CHECK_EXACT_LABELS_H
#define WEIR_CHECK_EXACT_LABELS_H

#include "model/graph.h"

#define WEIR_NOTHING INT64_MIN /* no claim, no label; anything below WEIR_NOTHING_BELOW */
#define WEIR_NOTHING_BELOW (-(INT64_C(1) << 61))

/* Rows [first, end) stored one after the other. Except in the first stretch, the first `window` rows repeat what came before. After
 * the last row, the last `period` rows occur `repeat` more times. */
struct weir_stretch {
    int64_t first, end;
    int64_t period, repeat; /* repeat INT64_MAX: for ever; 0: nothing is repeated */
    int64_t base; /* its labels and bests, all of them, are this much less than what the claims above say; of the first: 0 */
};

/* What a certificate is about: no separation of the target from the reference reaches the threshold. */
struct weir_certified {
    const struct weir_graph *graph;
    const int64_t *lo; /* best times, by actor */
    uint32_t reference, target;
    bool reference_finish, target_finish;
    int64_t reference_row, target_row; /* in the first stretch */
    int64_t threshold;
};

struct weir_certificate {
    struct weir_certified about;
    int64_t window;
    const int64_t *label, *best; /* row r, actor o at r * actor_count + o */
    const int64_t *origin;       /* by row: best of the beginning of time */
    const struct weir_stretch *stretches;
    size_t stretch_count;
};

/* Whether every claim holds. Linear in the stored rows. */
bool weir_certificate_check(const struct weir_certificate *certificate);

#endif
