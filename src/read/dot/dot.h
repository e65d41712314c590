/* SPDX-License-Identifier: Apache-2.0 */
/* The DOT reader: parser.c knows the grammar, attributes.c the words, model.c what nodes and edges are, and
 * measured.c times in labels. */
#ifndef WEIR_READ_DOT_DOT_H
#define WEIR_READ_DOT_DOT_H

#include "read/dot/lexer.h"

#define WEIR_DOT_DEPTH_MAX 1000 /* subgraphs within each other */
/* {a b} -> {c d} is four queues. All such products of a file together make at most this many. */
#define WEIR_DOT_PRODUCT_MAX (UINT64_C(1) << 24)

enum weir_dot_target { WEIR_DOT_GRAPH, WEIR_DOT_NODE, WEIR_DOT_EDGE };

/* What attributes say, as far as weir cares. Times are numbers in the draft. */
struct weir_dot_attributes {
    uint32_t worst, best, period;
    uint32_t given; /* which of the others: weir_dot_gives */
    bool reentrant, assumed;
    enum weir_arrivals arrivals;
    struct weir_place arrivals_place;
    struct weir_draft_kind kind;
    const char *label, *shape; /* where they are read; NULL: not said */
    struct weir_place label_place;
};

/* What a node has besides the operator in the draft, which has the same number. */
struct weir_dot_node {
    uint32_t worst, best, period;
    bool own_worst, own_best, own_period; /* given in a statement about it, which overrides the defaults and can be given once */
    bool has_arrivals, reentrant, assumed;
    enum weir_arrivals arrivals;
    struct weir_place arrivals_place;
    uint32_t stamp; /* the last set in which it was counted */
    const char *label, *shape;
    struct weir_place label_place;
};

struct weir_dot_scope {
    struct weir_dot_attributes node, edge; /* defaults */
    struct weir_place place;               /* of the brace */
    size_t ids, ends;                      /* how much of the parser's stacks belongs to the statements around it */
};

/* One end of an edge: some of the parser's ids. */
struct weir_dot_end {
    size_t first, count;
    bool subgraph;
    struct weir_place place;
};

struct weir_dot_parser {
    struct weir_dot_lexer lexer;
    struct weir_draft *draft;
    bool cuda;     /* labels are read, and no attribute of weir */
    bool measured; /* labels are read, too: they hold times */
    bool strict, undirected;
    bool separate; /* it says that each edge leaves a port of its own */
    bool done;
    struct weir_dot_node *nodes;
    size_t node_capacity;
    struct weir_dot_scope *scopes;
    size_t depth, scope_capacity;
    uint32_t *ids; /* the nodes of open statements and subgraphs */
    size_t id_count, id_capacity;
    struct weir_dot_end *ends; /* of the statements being read, outermost first */
    size_t end_count, end_capacity;
    uint32_t stamp;
    uint64_t products;
    struct weir_place unit_place;
    struct weir_place gpu_place; /* of the first node that is marked as work on a GPU; 0: none is */
    const char *label;           /* of the graph; NULL: not read */
    uint64_t messages;           /* that it says were measured */
    struct weir_map edges;       /* of a strict graph, by their nodes -> queue */
};

/* ---- parser.c ---- */

/* Reads the whole graph, without weir_dot_finish. Zero-initialise, then set draft and lexer. */
void weir_dot_parse(struct weir_dot_parser *parser);
void weir_dot_free(struct weir_dot_parser *parser);

/* ---- attributes.c ---- */

/* Takes in one "name = value" of a list. Unknown attributes are ignored. */
void weir_dot_attribute(struct weir_dot_parser *parser, enum weir_dot_target target, struct weir_dot_attributes *attributes,
                        const struct weir_dot_token *name, const struct weir_dot_token *value);
/* Whether they say something for that key, which is of a queue, "arrivals", "reentrant" or "assumed". */
bool weir_dot_gives(const struct weir_dot_attributes *attributes, enum weir_key_id key);
#define WEIR_DOT_GIVES_QUEUE ((1u << 29) - 1) /* the bits of keys of a queue */
/* Later ones beat earlier ones. */
void weir_dot_merge(struct weir_dot_attributes *into, const struct weir_dot_attributes *from);

/* ---- model.c ---- */

/* The node of that name, made now if it is new. WEIR_NO_OPERATOR when it cannot be a name. */
uint32_t weir_dot_node(struct weir_dot_parser *parser, const struct weir_dot_token *name);
/* A statement about a node. */
void weir_dot_describe(struct weir_dot_parser *parser, uint32_t node, const struct weir_dot_attributes *attributes);
/* The queues from each node of one end to each of the other. */
void weir_dot_join(struct weir_dot_parser *parser, struct weir_dot_end *from, struct weir_dot_end *to,
                   const struct weir_dot_attributes *attributes);
/* What can be said when the whole graph is there. */
void weir_dot_finish(struct weir_dot_parser *parser);

/* ---- measured.c ---- */

/* Whether labels hold times, as in the performance graphs of HoloHub: "NAME\navg: 23.58\nmin: 2.49\nmax: 28.14". */
bool weir_text_is_measured(const struct weir_file_text *text);
/* Gives a node without a WCET the times of its label; false when there are none, or bad ones. */
bool weir_dot_measure(struct weir_dot_parser *parser, uint32_t node);
/* How many messages the label of the graph says were measured; 0: it does not say. */
uint64_t weir_dot_messages(const struct weir_dot_parser *parser);

#endif
