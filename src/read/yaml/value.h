/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes as the values a key wants. What is not what it should be is reported. */
#ifndef WEIR_READ_YAML_VALUE_H
#define WEIR_READ_YAML_VALUE_H

#include "read/yaml/tree.h"

/* Where a key may stand. */
enum {
    WEIR_ON_THREADS = 1,
    WEIR_ON_PROCESSORS = 2,
    WEIR_ON_POOL = 4,
    WEIR_ON_GPU = 8,
    WEIR_ON_OPERATORS = 7, /* all but a GPU, which has kernels */
    WEIR_ON_ALL = 15
};

/* The keys that a mapping may have. */
struct weir_yaml_keys {
    const char *where; /* "a queue" */
    const char *const *names;
    size_t count;
    const unsigned char *platforms; /* by key, where it may stand; NULL: everywhere */
};

/* The value of each key in values[], NULL where it is not given. Unknown and repeated keys are reported; false then, so that
 * the caller does not report as missing what was misspelt. */
bool weir_yaml_fields(struct weir_draft *draft, const struct weir_yaml_node *map, const struct weir_yaml_keys *keys,
                      const struct weir_yaml_node **values);

/* Whether it is of the kind. `what` is the key, or for an item of a list the words for it ("a queue"); `expected` follows
 * "must be". */
bool weir_yaml_expect_item(struct weir_draft *draft, const struct weir_yaml_node *node, enum weir_yaml_kind kind, const char *what,
                           const char *expected);
bool weir_yaml_expect(struct weir_draft *draft, const struct weir_yaml_node *node, enum weir_yaml_kind kind, const char *what,
                      const char *expected);
/* The text of a scalar, NULL when it is none. A number is not quoted. */
const char *weir_yaml_number(struct weir_draft *draft, const struct weir_yaml_node *node, const char *what, const char *expected);
/* The same for a capacity; its words may stand in quotes, as they have to in JSON. */
const char *weir_yaml_capacity(struct weir_draft *draft, const struct weir_yaml_node *node, const char *what);
const char *weir_yaml_text(struct weir_draft *draft, const struct weir_yaml_node *node, const char *what, const char *expected);

/* One time. */
uint32_t weir_yaml_time(struct weir_draft *draft, const struct weir_yaml_node *node, const char *what);
/* One time, which is then both, or a list of two. */
void weir_yaml_interval(struct weir_draft *draft, const struct weir_yaml_node *node, const char *what, uint32_t times[2]);
/* A defined operator, or WEIR_NO_OPERATOR. */
uint32_t weir_yaml_operator(struct weir_draft *draft, const struct weir_yaml_node *node, const char *what);
/* The same for a name that is part of some text. `what` is how the message begins: "a queue leads to". */
uint32_t weir_yaml_lookup(struct weir_draft *draft, const char *name, size_t bytes, struct weir_place place, const char *what);

/* What an operator is, behind its name or in "broadcast". */
void weir_yaml_operator_body(struct weir_draft *draft, const struct weir_yaml_node *node, uint32_t op);
/* "on", "priority" and "slot" of an operator; NULL where it says nothing. */
void weir_yaml_operator_mapping(struct weir_draft *draft, uint32_t op, const struct weir_yaml_node *on,
                                const struct weir_yaml_node *priority, const struct weir_yaml_node *slot);
/* "cost" of an operator. */
void weir_yaml_operator_cost(struct weir_draft *draft, uint32_t op, const struct weir_yaml_node *node);
/* "gpu" of an operator. */
void weir_yaml_operator_launch(struct weir_draft *draft, uint32_t op, const struct weir_yaml_node *node);
/* "observed" of an operator. */
void weir_yaml_operator_observed(struct weir_draft *draft, uint32_t op, const struct weir_yaml_node *node);
/* A whole number from 1 on; false when it is none. */
bool weir_yaml_count(struct weir_draft *draft, const struct weir_yaml_node *node, const struct weir_draft_count *count,
                     uint32_t *value);
/* What a queue says of rates, in the order of struct weir_draft_kind; NULL where it says nothing. */
void weir_yaml_queue_rates(struct weir_draft *draft, const struct weir_yaml_node *const nodes[3], struct weir_draft_kind *kind);
/* What a queue between operators with threads says of who waits; NULL where it says nothing. */
struct weir_yaml_waits {
    const struct weir_yaml_node *capacity, *initial, *blocking, *consume, *full, *optional, *latest, *transfer;
};
/* Reads the last five; the others are there to be compared with them. */
void weir_yaml_queue_waits(struct weir_draft *draft, const struct weir_yaml_waits *waits, struct weir_draft_kind *kind);
/* "rate", "burst" and "batch" of a source. */
void weir_yaml_source_rates(struct weir_draft *draft, const struct weir_yaml_node *const nodes[3],
                            struct weir_draft_source *source);
/* Where operators run: on threads of their own, on processors that they share, or on a pool of cores; either node may be NULL.
 * Before all else: what other keys may say depends on it.
 */
void weir_yaml_platform(struct weir_draft *draft, const struct weir_yaml_node *platform, const struct weir_yaml_node *processors,
                        const struct weir_yaml_node *operators);
/* Whether the platform is about workers; what it says of "scheduler", "workers" and "polling" then, each of which may be NULL. */
bool weir_yaml_is_workers(const struct weir_yaml_node *platform);
void weir_yaml_workers(struct weir_draft *draft, const struct weir_yaml_node *place, const struct weir_yaml_node *const nodes[3]);
/* Whether the model at `root` is a graph of kernels: the platform says so, or nothing else is there. */
bool weir_yaml_is_gpu(const struct weir_yaml_node *root);
/* "gpu" of the platform. */
void weir_yaml_gpu(struct weir_draft *draft, const struct weir_yaml_node *node);
/* "kernels", with the "defaults" for them; either may be NULL. */
void weir_yaml_kernels(struct weir_draft *draft, const struct weir_yaml_node *kernels, const struct weir_yaml_node *defaults);
/* "time" of an operator that is the bound of a plan: {gpu: FILE}. */
void weir_yaml_plan_time(struct weir_draft *draft, const struct weir_yaml_node *node, uint32_t times[2]);
/* One source, in "source" or "sources". */
void weir_yaml_source(struct weir_draft *draft, const struct weir_yaml_node *node);
/* The items of "queues", or on a GPU of "dependencies". */
void weir_yaml_queues(struct weir_draft *draft, const struct weir_yaml_node *list);

#endif
