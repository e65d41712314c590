/* SPDX-License-Identifier: Apache-2.0 */
/*
 * That a latency lies on a straight line between two numbers.
 *
 * Let the number be a worst or a best time x, all else fixed, and a < b two values with known latencies f(a) and f(b).
 *
 * No more. That f(a) is not exceeded is proved by labels (docs/concepts/exactness.md, "deciding", for R one above): at each node
 * and for each kind of arc either all candidates are dropped, having a slack of at most f, or the label is at least each of them;
 * and no label exceeds f from the beginning of time. If the same choices are made at a and at b, take in between the labels and the
 * f in between. Lengths of arcs, and D, F and O where they are straight, are straight in x, so each of these inequalities, being
 * linear, holds in between too: the latency there is at most on the line. (What a dropped candidate is compared with is the greater
 * of D and F + hi; it has to be the same of the two at both ends.) D, F and O do not depend on worst times. They are convex in a
 * best time, as longest paths, so they are straight if they are at one point in between.
 *
 * No less. A path that reaches f(a) has, at any x, at least the least of its slacks; each is straight in x or the lesser of two
 * that are, so the least is concave. If it is f(a) at a and f(b) at b it is on the line or above it in between.
 */
#ifndef WEIR_EXPLORE_MARGINS_PROOF_H
#define WEIR_EXPLORE_MARGINS_PROOF_H

#include "explore/margins/margin.h"

/* What is known about one value. */
struct weir_probe {
    int64_t at;
    struct weir_separation latency;
    struct weir_slack_lines lines; /* of a path that reaches it; slopes by the time that is changed */
    bool one_pass;                 /* ... which is one line, and convexity the proof */
    bool table;                    /* what follows is there */
    uint32_t actors;
    int64_t rows;      /* of choices */
    int64_t period;    /* of the rows that repeat for ever at the end; 0: no labels are left */
    uint8_t *choices;  /* by row and actor */
    int64_t best_rows; /* of the three tables */
    int64_t *D, *F, *O;
};

/* What is asked: the latency of a chain as a function of one time. */
struct weir_prober {
    struct weir_evaluator *evaluator;
    uint32_t chain;
    struct weir_operator op;
    bool best;     /* of its best case, not its worst */
    int64_t *rise; /* by actor: scratch */
    uint64_t searches;
};

/* The latency where that time is `at`. */
enum weir_status weir_prober_ask(struct weir_prober *prober, int64_t at, struct weir_separation *latency, struct weir_error *error);
enum weir_status weir_probe_make(struct weir_prober *prober, int64_t at, struct weir_probe **probe, struct weir_error *error);
void weir_probe_free(struct weir_probe *probe);
/* Whether it is proved that the latency is on the line between the two. `inside` (may be NULL): a value between them, needed where
 * best cases change. */
enum weir_proof weir_probes_prove(const struct weir_prober *prober, const struct weir_probe *a, const struct weir_probe *b,
                                  const struct weir_probe *inside);

#endif
