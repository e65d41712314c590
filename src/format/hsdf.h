/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A sealed pipeline as a dataflow graph: actors that take tokens from each input when they start, and put some on each output when
 * they end. Where something waits for the start of an operator and not for its end, the operator gets a second actor that takes no
 * time and comes before it (RTSS 2025, Section III); a period is an actor that takes that long. The graph is homogeneous, one token
 * everywhere, unless queues are read several messages at once: then edges have rates, and an actor runs as often in a round as its
 * operator.
 *
 * Runs of an actor may overlap, and overtake each other, where nothing keeps them apart: those of reentrant operators and of
 * transfers. Their tokens are put in the order of the starts: their readers start in order, so that it makes no difference.
 */
#ifndef WEIR_FORMAT_HSDF_H
#define WEIR_FORMAT_HSDF_H

#include "weir.h"

enum weir_hsdf_role {
    WEIR_HSDF_BODY,
    WEIR_HSDF_START, /* takes no time; its body follows at once */
    WEIR_HSDF_DELAY, /* of a period */
};

struct weir_hsdf_node {
    uint32_t op;
    enum weir_part part;
    enum weir_hsdf_role role;
    uint32_t group;
    uint32_t number; /* of a transfer: the transfers to the same operator before it */
    int64_t lo, hi;
    uint32_t lanes; /* no more runs at once; filled in by weir_hsdf_bound */
};

struct weir_hsdf_edge {
    uint32_t tail, head, tokens;
    uint32_t produce, consume;
    uint32_t bound; /* it never holds more; filled in by weir_hsdf_bound */
};

struct weir_hsdf {
    const struct weir_pipeline *pipeline;
    struct weir_hsdf_node *nodes;
    uint32_t node_count;
    struct weir_hsdf_edge *edges;
    uint32_t edge_count;
    size_t edge_capacity;
    /* Actors of the event graph that are one part of an operator, one for each of its firings in a round, are a group. */
    uint32_t *group, *start, *body; /* by actor of the event graph: its group, its nodes; these are the same without a start node */
    uint32_t *members, *member_first; /* by group, and one more: its actors, by firing */
    uint32_t group_count;
};

static inline uint32_t weir_hsdf_firings(const struct weir_hsdf *hsdf, uint32_t group)
{
    return hsdf->member_first[group + 1] - hsdf->member_first[group];
}

/* Caller frees, also on failure. */
enum weir_status weir_hsdf_build(struct weir_hsdf *hsdf, const struct weir_pipeline *pipeline, struct weir_error *error);
void weir_hsdf_free(struct weir_hsdf *hsdf);

/* The name of the node: that of its operator, for all but its execution with a word behind it that no operator's name has. Good
 * until the next call with this buffer, which grows; NULL when out of memory. weir_free() the text at the end. */
struct weir_hsdf_name {
    char *text;
    size_t capacity;
};
const char *weir_hsdf_name(const struct weir_hsdf *hsdf, uint32_t node, struct weir_hsdf_name *name);
/* The same in letters, digits and underscores, not longer than this with its end, and different for each node. */
#define WEIR_HSDF_IDENTIFIER 64
const char *weir_hsdf_identifier(const struct weir_hsdf *hsdf, uint32_t node, char text[WEIR_HSDF_IDENTIFIER]);

/* One latency: from the start of a node to the end of another. What run k of `from` in a round sends is run target[k] of `to`,
 * counted from the beginning of the round; in a homogeneous graph that is the offset. */
struct weir_hsdf_chain {
    uint32_t from, to;
    uint32_t from_firings, to_firings; /* in a round */
    int64_t *target;                   /* by firing of `from` */
    /* The rest is filled in by weir_hsdf_bound. */
    int64_t target_max;
    int64_t gap_min, gap_max; /* rounds of `from`, times to_firings, less ends of `to` */
    bool known;               /* the worst case is */
    int64_t worst;
};
/* Caller frees, also on failure. */
enum weir_status weir_hsdf_find_chain(const struct weir_hsdf *hsdf, uint32_t index, struct weir_hsdf_chain *chain,
                                      struct weir_error *error);
void weir_hsdf_chain_free(struct weir_hsdf_chain *chain);

/*
 * What a finite automaton needs: how many tokens each edge can hold, how often each node runs at once, and the bounds of the
 * latency that weir_hsdf_find_chain found. Fails when a queue can grow for ever, or when times or numbers are too large for a model
 * checker; `what` is its name.
 */
enum weir_status weir_hsdf_bound(struct weir_hsdf *hsdf, uint32_t index, struct weir_hsdf_chain *chain, const char *what,
                                 struct weir_error *error);
/* A model checker's times and counts stay below this. */
#define WEIR_HSDF_TIME_MAX ((INT64_C(1) << 30) - 1)

/* Whether the node is no more than a step between others: it takes no time, and is not observed. */
bool weir_hsdf_is_step(const struct weir_hsdf *hsdf, const struct weir_hsdf_chain *chain, uint32_t node);

/* ---- hsdf_rates.c ---- */

/* Adds the edges of a pipeline with queues that are read several messages at once. */
enum weir_status weir_hsdf_add_rates(struct weir_hsdf *hsdf, struct weir_error *error);

/* ---- hsdf.c ---- */

bool weir_hsdf_add_edge(struct weir_hsdf *hsdf, struct weir_hsdf_edge edge);
/* From one to the other a delay of this time; the nodes have room for it. */
bool weir_hsdf_add_delay(struct weir_hsdf *hsdf, uint32_t actor, int64_t time, struct weir_hsdf_edge edge);

#endif
