/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Operators that share processors, in motion: a discrete-event simulation.
 *
 * Iteration n of an operator is enabled once every input holds its message for it (input n of its source has arrived) and every
 * blocking output has a place for what it writes. The message is gone, and its place free, at the finish. Enabled iterations of an
 * operator run in order, one at a time, on its processor:
 *
 *     preemptive       the most urgent enabled operator runs, at every moment
 *     non-preemptive   ... is chosen when the processor is free, and runs to its end
 *     TDM              an operator runs within its slot of the frame, whether or not the others use theirs
 *     round robin      the operators take turns; a turn ends when its slot is used up or nothing of the operator is enabled
 *
 * All finishes and arrivals of a moment take effect before anyone chooses. An execution of no time ends in the moment it is chosen,
 * and every processor may choose again. What the model leaves open comes from a seed: which of equally urgent operators goes first,
 * where the frames of TDM begin, whose turn is the first.
 *
 * This file is what the bounds are checked against, so it knows nothing of how they are found.
 */
#ifndef WEIR_SIMULATE_PROCESSORS_H
#define WEIR_SIMULATE_PROCESSORS_H

#include "base/random.h"
#include "weir.h"

struct weir_drawn_release {
    int64_t offset; /* of the arrival from its nominal moment: 0 .. jitter */
    int64_t spread; /* sporadic sources: of the nominal moment from the one before, beyond the period; not asked of the first */
};

/* When the inputs of a source arrive in a simulation, drawn within what the source allows. */
struct weir_release_die {
    struct weir_random random;
    enum weir_releases mode; /* not WEIR_RELEASES_GIVEN */
    int64_t period, jitter;
    bool sporadic;
    bool drawn;      /* an input was */
    int64_t nominal; /* of the last input that was drawn, from that of the first */
    int64_t quiet;   /* inputs before the next burst */
    int64_t burst;   /* when the inputs of a burst arrive, from the nominal moment of the first input; -1: no burst */
    bool once;       /* ... and no other burst follows */
};

/* For a simulation of that many iterations. */
void weir_release_die_new(struct weir_release_die *die, const struct weir_source_spec *source, enum weir_releases mode,
                          int64_t iterations, uint64_t seed);
/* The next input. */
struct weir_drawn_release weir_release_draw(struct weir_release_die *die);

/* Every function but time_of and release may be NULL. */
struct weir_processors_rules {
    int64_t iterations;    /* of every operator; >= 1 */
    const int64_t *phases; /* by source of the pipeline; of those that are one source, the first counts */
    const int64_t *frames; /* by processor: where a frame begins, 0 .. frame - 1 with WEIR_TDM; NULL: from the seed */
    uint64_t seed;
    /* Asked once each, in order of iterations. A negative time is refused, and so are releases that the source does not allow. */
    int64_t (*time_of)(void *context, struct weir_operator op, int64_t iteration);
    struct weir_drawn_release (*release)(void *context, uint32_t source, int64_t iteration);
    /* In order of time. Input `iteration` of the source, which is the first of those that are one. */
    void (*arrived)(void *context, uint32_t source, int64_t iteration, int64_t time, int64_t nominal);
    void (*enabled)(void *context, struct weir_operator op, int64_t iteration, int64_t time, int64_t nominal);
    void (*observe)(void *context, struct weir_operator op, enum weir_moment moment, int64_t iteration, int64_t time,
                    int64_t nominal);
    void (*ran)(void *context, struct weir_operator op, int64_t iteration, int64_t from, int64_t to);
    void *context;
};

struct weir_processors;

/* Takes over what it needs of the pipeline, which must outlive it. capacities: as in struct weir_processors_options. */
enum weir_status weir_processors_new(const struct weir_pipeline *pipeline, const uint32_t *capacities,
                                     struct weir_processors **processors, struct weir_error *error);
/* Runs from the beginning until every operator has done its iterations; may be called again and again. O(queues of the operator +
 * log(operators)) for an execution and each of its interruptions. */
enum weir_status weir_processors_play(struct weir_processors *processors, const struct weir_processors_rules *rules,
                                      struct weir_error *error);
void weir_processors_free(struct weir_processors *processors); /* NULL is fine */

/* The source that drives the operator: the first in the pipeline of those that are one. */
uint32_t weir_processors_source(const struct weir_processors *processors, struct weir_operator op);

#endif
