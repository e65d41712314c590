/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ratios that are exact as long as they can be, and otherwise rounded up. Numerators and denominators stay below 2^62, values below
 * WEIR_TIME_MAX; a function returns false where a value does not.
 */
#ifndef WEIR_ENGINE_EDF_SYSTEM_H
#define WEIR_ENGINE_EDF_SYSTEM_H

#include "base/number.h"
#include "model/flow.h"
#include "model/pipeline.h"

#define WEIR_FRACTION_MAX (INT64_C(1) << 62)

/* numerator / denominator, the latter positive; both below 2^124. */
bool weir_fraction_make(weir_wide numerator, weir_wide denominator, struct weir_ratio *result);
bool weir_fraction_add(struct weir_ratio a, struct weir_ratio b, struct weir_ratio *sum);
/* a * up / down; down positive, both below 2^62. */
bool weir_fraction_scale(struct weir_ratio a, int64_t up, int64_t down, struct weir_ratio *result);

static inline struct weir_ratio weir_fraction_of(int64_t whole)
{
    return (struct weir_ratio){whole, 1};
}

/*
 * A flow while it is analysed. Every node is a sporadic task; docs/concepts/pool-of-cores.md has the names and the proofs. The
 * steps stand in the order in which they build on one another. A step that returns false met a value that does not fit.
 */

/* What the arrivals that a node depends on are like. */
enum weir_edf_form {
    WEIR_EDF_EVEN,   /* all even: its executions keep to a line */
    WEIR_EDF_LOOSE,  /* of one source, sporadic or in bursts: they follow its arrivals */
    WEIR_EDF_JOINED, /* of several, of which one is not even: they follow the last of them */
};

/* Where initial samples are enough for executions, these need no arrival. */
enum weir_edf_need {
    WEIR_EDF_SOMETIMES, /* the first ones may need none */
    WEIR_EDF_ALWAYS,    /* each needs one */
    WEIR_EDF_REGULAR,   /* ... by way of every queue */
};

/* A number of 192 bits with sign: high * 2^64 + low. */
struct weir_tall {
    __extension__ __int128 high;
    uint64_t low;
};

/* Scratch of one edge: what its rates say about executions of both ends, in executions of the producer times produce. */
struct weir_edf_edge {
    int64_t common; /* greatest common divisor of produce and consume */
    int64_t need;   /* threshold less initial, to the next multiple of `common` */
    int64_t behind; /* initial, to the next multiple of `common` */
};

/* Scratch of one operator in its window, in multiples of 1 / scale. */
struct weir_edf_window {
    int64_t period, cost;
    int64_t limit;         /* its response by the bounds on tardiness */
    int64_t bound;         /* ... as far as it has grown */
    int64_t lower;         /* ... one that may do, too */
    int64_t exact;         /* ... as far as none had been rounded up */
    int64_t ahead;         /* an execution begins at most so long before its release */
    int64_t offset, early; /* o and E, of nodes with even sources; otherwise O */
    int64_t held, source;  /* otherwise: of its source, how long a release may come after its arrival, and its period */
    int64_t most, least;   /* ... phi is at most the first, at least minus the second */
    int64_t work, anew;    /* that another execution may wait for; ... if nothing is left of it from before */
    int64_t step;          /* ... because one needs the other; of the operator at hand */
    struct weir_edf_turn {
        bool known;
        int64_t from, to, most; /* grid */
        int64_t past;           /* of turn * period of the operator at hand, the rest */
    } turn;                     /* beside the operator at hand, of those executions until the part comes round */
    uint32_t group, clash; /* the first of those that never run at the same time as it, or as each other; scratch of finding it */
    uint32_t next;         /* of its group; the number of operators: none */
    int64_t longest;       /* where the piece began that made the bound grow last (busy.c) */
    int64_t due;           /* a multiple of the period: scratch of finding pieces */
};

struct weir_edf_system {
    const struct weir_pipeline *pipeline;
    const struct weir_flow *flow;
    uint32_t cores;
    bool narrow; /* look at windows, too */

    /* Utilisations as multiples of 1 / grid, rounded up unless `exact`. */
    int64_t grid, total, largest;
    int64_t *load;
    bool exact;
    bool overloaded;   /* proved: an operator needs more than one core, or all of them more than there are */
    uint32_t carry_in; /* how many operators can have work left: the total in whole cores, rounded up, less one */

    /* By node. */
    struct weir_edf_operator *operators;
    struct weir_tall *value;
    uint32_t *chosen;
    uint8_t *form;
    uint32_t *feed;             /* nodes with the same number here depend on the same sources; not even: a source, or joined */
    struct weir_ratio *early;   /* n executions end no earlier than n periods less this from the first arrival of the part */
    struct weir_ratio *tight;   /* ... the same, and no more than that */
    struct weir_ratio *slip;    /* last use, from one source */
    uint32_t *reached;          /* by node: the source that the slip is from, plus one */
    struct weir_ratio *ahead;   /* phi is at most this ... */
    struct weir_ratio *behind;  /* ... and at least minus this */
    struct weir_ratio *held;    /* release of a source after its arrival */
    struct weir_ratio *longest; /* period of the sources */
    struct weir_ratio *idle;    /* releases that initial samples are enough for keep to the line with this offset from time 0 */
    uint8_t *need;              /* enum weir_edf_need */

    struct weir_ratio *late; /* O, of nodes with even sources too */
    struct weir_edf_window *windows;
    int64_t *gaps; /* by consumer and producer; NULL where there are too many */

    struct weir_edf_edge *edges;
    int64_t *origin; /* by part: the first phase of an even source */
    bool loose;      /* some source is not even */

    struct weir_ratio s, x; /* of the bounds on responses; negative: that bound was not found */
    struct weir_buffer *buffers;
    int64_t buffer_total;
    struct weir_edf_latency *latencies;
    char *why; /* WEIR_EDF_WORDS bytes */
};

#define WEIR_EDF_WORDS 400

/* Utilisations; false in *schedulable with the reason in `why`. */
bool weir_edf_load(struct weir_edf_system *system, struct weir_ratio *utilization, bool *schedulable);
bool weir_edf_respond(struct weir_edf_system *system);
/* What feeds whom, and the offsets of nodes that depend on even sources alone. */
void weir_edf_feed(struct weir_edf_system *system);
bool weir_edf_offsets(struct weir_edf_system *system);
/* ... and of the others. */
enum weir_status weir_edf_follow(struct weir_edf_system *system);
/* ... with other responses than before. */
enum weir_status weir_edf_follow_again(struct weir_edf_system *system);
/* Responses, where windows give smaller ones. Offsets are to be found again afterwards. */
void weir_edf_narrow(struct weir_edf_system *system);
bool weir_edf_latencies(struct weir_edf_system *system);
bool weir_edf_buffers(struct weir_edf_system *system, bool *schedulable);

/* Of a source of the pipeline: none stands for 1. */
static inline int64_t weir_edf_count(const struct weir_source_spec *source)
{
    return source->count ? source->count : 1;
}

static inline int64_t weir_edf_batch(const struct weir_source_spec *source)
{
    return source->batch ? source->batch : 1;
}

static inline bool weir_edf_is_even(const struct weir_source_spec *source)
{
    return !source->sporadic && !source->bursty;
}

#endif
