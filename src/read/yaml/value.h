/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes as the values a key wants. What is not what it should be is reported. */
#ifndef WEIR_READ_YAML_VALUE_H
#define WEIR_READ_YAML_VALUE_H

#include "read/yaml/tree.h"

/* What a mapping has behind its keys: those of its owner, NULL where one is not given. */
struct weir_yaml_fields {
    const struct weir_yaml_node *of[WEIR_KEY_COUNT];
    bool clean; /* all keys were known and given once; otherwise nothing is reported as missing that may only be misspelt */
};

/* The value behind each key of the mapping. Keys that are unknown, repeated or not for this platform are reported, and so is a node
 * that is no mapping; false then. */
bool weir_yaml_open(struct weir_draft *draft, const struct weir_yaml_node *node, enum weir_owner owner,
                    struct weir_yaml_fields *fields);
/* Reports each required key that is not there. */
void weir_yaml_require(struct weir_draft *draft, const struct weir_yaml_node *map, enum weir_owner owner,
                       const struct weir_yaml_fields *fields);
/* Reads what is given into the structure of the owner, apart from what is read by code of its own. False: something was wrong with
 * it. */
bool weir_yaml_read(struct weir_draft *draft, const struct weir_yaml_fields *fields, enum weir_owner owner, void *spec);
/* One value: `numbers` gets it, a time as its number in the draft; of an interval both ends. Not for names. */
bool weir_yaml_value(struct weir_draft *draft, const struct weir_yaml_node *node, const struct weir_key *key, int64_t numbers[2]);

/* Whether it is of the kind. `what` is the key, or for an item of a list the words for it ("a queue"); `expected` follows
 * "must be". */
bool weir_yaml_expect_item(struct weir_draft *draft, const struct weir_yaml_node *node, enum weir_yaml_kind kind, const char *what,
                           const char *expected);
bool weir_yaml_expect(struct weir_draft *draft, const struct weir_yaml_node *node, enum weir_yaml_kind kind, const char *what,
                      const char *expected);
/* The text of a scalar, NULL when it is none. */
const char *weir_yaml_text(struct weir_draft *draft, const struct weir_yaml_node *node, const char *what, const char *expected);
/* The same of what must not be in quotes. */
const char *weir_yaml_number(struct weir_draft *draft, const struct weir_yaml_node *node, const char *what, const char *expected);

/* One time. */
uint32_t weir_yaml_time(struct weir_draft *draft, const struct weir_yaml_node *node, const char *what);
/* A defined operator, or WEIR_NO_OPERATOR. */
uint32_t weir_yaml_operator(struct weir_draft *draft, const struct weir_yaml_node *node, const char *what);
/* The same for a name that is part of some text. `what` is how the message begins: "a queue leads to". */
uint32_t weir_yaml_lookup(struct weir_draft *draft, const char *name, size_t bytes, struct weir_place place, const char *what);
/* A processor, which comes into being where the file does not list them; or WEIR_NO_PROCESSOR. */
uint32_t weir_yaml_processor(struct weir_draft *draft, const struct weir_yaml_node *node);

/* What a mapping from names has, `one` for each; `what` is "an operator" ... A name that is empty or no text is reported, and false
 * then. */
bool weir_yaml_name(struct weir_draft *draft, const struct weir_yaml_node *key, const char *what);

/* An operator or kernel with its name and what it is; `defaults` (NULL: none) are those of a kernel. */
void weir_yaml_define(struct weir_draft *draft, const struct weir_yaml_node *key, const struct weir_operator_spec *defaults);
/* "operators" or "kernels": all of them. */
void weir_yaml_define_all(struct weir_draft *draft, const struct weir_yaml_node *map, const struct weir_operator_spec *defaults);
/* What an operator is, behind its name or in "broadcast". */
void weir_yaml_operator_body(struct weir_draft *draft, const struct weir_yaml_node *node, uint32_t op);
void weir_yaml_kernel_body(struct weir_draft *draft, const struct weir_yaml_node *node, uint32_t op,
                           const struct weir_operator_spec *defaults);
/* "observed" of an operator. */
void weir_yaml_operator_observed(struct weir_draft *draft, uint32_t op, const struct weir_yaml_node *node);
/* Where operators run: on threads of their own, on processors that they share, on a pool of cores, or on a GPU, which d->gpu says.
 * Before all else: what other keys may say depends on it. */
void weir_yaml_platform(struct weir_draft *draft, const struct weir_yaml_fields *top);
/* Whether the model at `root` is a graph of kernels: the platform says so, or nothing else is there. */
bool weir_yaml_is_gpu(const struct weir_yaml_node *root);
/* "gpu" of the platform. */
void weir_yaml_gpu(struct weir_draft *draft, const struct weir_yaml_node *node);
/* "kernels", with the "defaults" for them; either may be NULL. */
void weir_yaml_kernels(struct weir_draft *draft, const struct weir_yaml_node *kernels, const struct weir_yaml_node *defaults);
/* One source, in "source" or "sources". */
void weir_yaml_source(struct weir_draft *draft, const struct weir_yaml_node *node);
/* The items of "queues", or on a GPU of "dependencies". */
void weir_yaml_queues(struct weir_draft *draft, const struct weir_yaml_node *list);
/* An item of "measure", or of "deadlines". */
void weir_yaml_chain(struct weir_draft *draft, const struct weir_yaml_node *node, enum weir_owner owner);

#endif
