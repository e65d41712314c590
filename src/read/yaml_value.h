/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes as the values a key wants. What is not what it should be is reported. */
#ifndef WEIR_READ_YAML_VALUE_H
#define WEIR_READ_YAML_VALUE_H

#include "read/yaml_tree.h"

/* The keys that a mapping may have. */
struct weir_yaml_keys {
    const char *where; /* "a queue" */
    const char *const *names;
    size_t count;
    const char *later; /* a word more that a later version will know, or NULL */
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
/* The same for a capacity; "unbounded" may stand in quotes, as it has to in JSON. */
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
/* The items of "queues". */
void weir_yaml_queues(struct weir_draft *draft, const struct weir_yaml_node *list);

#endif
