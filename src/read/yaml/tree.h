/* SPDX-License-Identifier: Apache-2.0 */
/* A YAML document as a tree in which every node knows its place. */
#ifndef WEIR_READ_YAML_TREE_H
#define WEIR_READ_YAML_TREE_H

#include "read/text.h"

/* WEIR_YAML_BAD takes the place of something that has been reported: it causes no further message. */
enum weir_yaml_kind { WEIR_YAML_SCALAR, WEIR_YAML_LIST, WEIR_YAML_MAP, WEIR_YAML_BAD };

struct weir_yaml_node {
    struct weir_yaml_node *next; /* of the same parent; in a mapping keys and values take turns */
    union {
        const char *text; /* scalar; terminated */
        struct weir_yaml_node *first;
    };
    struct weir_place place;
    uint32_t bytes; /* of text */
    uint8_t kind;   /* enum weir_yaml_kind */
    bool quoted;
    bool literal; /* text stands in the file as it is, behind a quote when quoted, so that columns within it can be told */
};

/* Deeper than any model needs. */
#define WEIR_YAML_DEPTH_MAX 32

/* The root of the only document, NULL when it is empty or cannot be read (reported then). Lives in the arena. Where there may be
 * several documents: the root of the first, whose `next` is that of the second, and so on. */
struct weir_yaml_node *weir_yaml_parse(struct weir_draft *draft, const struct weir_file_text *text, struct weir_arena *arena,
                                       bool several);

/* ---- json.c ---- */

/* JSON whose strings YAML would read in another way: the same in YAML, in the arena. False where there is no need, and out of
 * memory. */
bool weir_yaml_from_json(const struct weir_file_text *json, struct weir_arena *arena, struct weir_file_text *yaml,
                         bool *out_of_memory);

/* ---- node.c ---- */

/* The value behind a key, NULL when there is none of that name; `map` may be NULL or no mapping. */
const struct weir_yaml_node *weir_yaml_find(const struct weir_yaml_node *map, const char *name);
/* "text", "a list", "a mapping", "nothing" */
const char *weir_yaml_kind_name(const struct weir_yaml_node *node);
/* An empty value, or ~ or null. */
bool weir_yaml_is_null(const struct weir_yaml_node *node);

/* ---- models within other files ---- */

/* Reads the tree of a model into the draft (model.c). */
void weir_read_yaml_node(struct weir_draft *draft, const struct weir_yaml_node *root);
/* As weir_read_memory, of a part of a file that was parsed: mistakes have their places there (file.c). */
enum weir_status weir_read_node(const struct weir_yaml_node *root, const char *file, const struct weir_read_options *options,
                                struct weir_pipeline **pipeline, struct weir_errors *errors);

#endif
