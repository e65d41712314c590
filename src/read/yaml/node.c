/* SPDX-License-Identifier: Apache-2.0 */
/* Looking at a tree of either reader. */
#include "read/yaml/tree.h"

#include <string.h>
#include <strings.h>

const char *weir_yaml_kind_name(const struct weir_yaml_node *node)
{
    static const char *const names[] = {"text", "a list", "a mapping", "an alias"};
    return weir_yaml_is_null(node) ? "nothing" : names[node->kind];
}

bool weir_yaml_is_null(const struct weir_yaml_node *node)
{
    return node->kind == WEIR_YAML_SCALAR && !node->quoted &&
           (node->bytes == 0 || strcmp(node->text, "~") == 0 || strcasecmp(node->text, "null") == 0);
}

const struct weir_yaml_node *weir_yaml_find(const struct weir_yaml_node *map, const char *name)
{
    for (const struct weir_yaml_node *key = map && map->kind == WEIR_YAML_MAP ? map->first : NULL; key; key = key->next->next)
        if (key->kind == WEIR_YAML_SCALAR && strcmp(key->text, name) == 0)
            return key->next;
    return NULL;
}
