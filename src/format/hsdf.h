/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A sealed pipeline as a homogeneous dataflow graph: actors that take a token from each input when they start, and put one on each
 * output when they end. Where something waits for the start of an operator and not for its end, the operator gets a second actor
 * that takes no time and comes before it (RTSS 2025, Section III); a period is an actor that takes that long.
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
    int64_t lo, hi;
};

struct weir_hsdf_edge {
    uint32_t tail, head, tokens;
    uint32_t bound; /* it never holds more; filled in by weir_hsdf_bound */
};

struct weir_hsdf {
    const struct weir_pipeline *pipeline;
    struct weir_hsdf_node *nodes;
    uint32_t node_count;
    struct weir_hsdf_edge *edges;
    uint32_t edge_count;
    uint32_t *start, *body; /* by actor of the event graph; the same where it has no start actor */
};

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

/* One latency: from the start of a node to the end of another, `shift` iterations later. Without weir_hsdf_bound only the first
 * three are filled in. */
struct weir_hsdf_chain {
    uint32_t from, to;
    int64_t shift;
    int64_t gap_min, gap_max; /* starts of `from` less ends of `to` */
    bool known;               /* the worst case is */
    int64_t worst;
};
void weir_hsdf_find_chain(const struct weir_hsdf *hsdf, uint32_t index, struct weir_hsdf_chain *chain);

/*
 * What a finite automaton needs: how many tokens each edge can hold, and the bounds of the chain. Fails when a queue can grow for
 * ever, when an operator may overlap itself, or when times or numbers are too large for a model checker; `what` is its name.
 */
enum weir_status weir_hsdf_bound(struct weir_hsdf *hsdf, uint32_t index, struct weir_hsdf_chain *chain, const char *what,
                                 struct weir_error *error);
/* A model checker's times and counts stay below this. */
#define WEIR_HSDF_TIME_MAX ((INT64_C(1) << 30) - 1)

#endif
