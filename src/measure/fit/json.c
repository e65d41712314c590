/* SPDX-License-Identifier: Apache-2.0 */
/* Performance counters as JSON: {"blocks": [{"name": ..., "observations": [{"samples": ..., "ns": ..., "weight": ...}]}]}. Other
 * keys describe the measurement and the flowgraph; they are for people and programs that ask, so none of them is a mistake. */
#include "measure/fit/fit.h"
#include "read/yaml/value.h"

#include <string.h>

/* The value of a key, NULL where there is none. A key that stands twice is reported. */
static const struct weir_yaml_node *find(struct weir_draft *d, const struct weir_yaml_node *map, const char *key)
{
    const struct weir_yaml_node *found = NULL;
    for (const struct weir_yaml_node *n = map->first; n && n->next; n = n->next->next) {
        if (n->kind != WEIR_YAML_SCALAR || strcmp(n->text, key) != 0)
            continue;
        if (found)
            weir_draft_mistake(d, n->place, "\"%s\" appears here for the second time", key);
        found = n->next;
    }
    return found;
}

static const struct weir_yaml_node *need(struct weir_draft *d, const struct weir_yaml_node *map, const char *key, const char *what)
{
    const struct weir_yaml_node *node = find(d, map, key);
    if (!node)
        weir_draft_mistake(d, map->place, "%s needs \"%s\"", what, key);
    return node;
}

static const char *number_text(struct weir_draft *d, const struct weir_yaml_node *node, const char *key, const char *expected)
{
    return node ? weir_yaml_number(d, node, key, expected) : NULL;
}

static void complain(struct weir_draft *d, const struct weir_yaml_node *node, const char *key, const char *expected)
{
    char quoted[WEIR_QUOTED];
    weir_draft_mistake(d, node->place, "\"%s\" must be %s, not \"%s\"", key, expected, weir_quote(node->text, quoted));
}

static void take_observation(struct weir_fit_rows *rows, const char *block, const struct weir_yaml_node *node)
{
    static const char whole[] = "a whole number from 1 on", ns[] = "a number of nanoseconds", weight[] = "a number above 0";
    struct weir_draft *d = rows->draft;
    struct weir_fit_sample sample = {.weight = 1};
    size_t mistakes = d->mistakes;
    if (!weir_yaml_expect_item(d, node, WEIR_YAML_MAP, "an observation", "a mapping with \"samples\" and \"ns\""))
        return;
    const struct weir_yaml_node *samples_node = need(d, node, "samples", "an observation"),
                                *ns_node = need(d, node, "ns", "an observation"), *weight_node = find(d, node, "weight");
    const char *samples_text = number_text(d, samples_node, "samples", whole), *ns_text = number_text(d, ns_node, "ns", ns),
               *weight_text = number_text(d, weight_node, "weight", weight);
    if (samples_text && !weir_fit_parse_samples(samples_text, &sample.samples))
        complain(d, samples_node, "samples", whole);
    if (ns_text && !weir_fit_parse_ns(ns_text, &sample.ns))
        complain(d, ns_node, "ns", ns);
    if (weight_text && !weir_fit_parse_weight(weight_text, &sample.weight))
        complain(d, weight_node, "weight", weight);
    if (mistakes == d->mistakes)
        weir_fit_rows_add(rows, block, &sample);
}

static void take_block(struct weir_fit_rows *rows, const struct weir_yaml_node *node)
{
    struct weir_draft *d = rows->draft;
    if (!weir_yaml_expect_item(d, node, WEIR_YAML_MAP, "a block", "a mapping with \"name\" and \"observations\""))
        return;
    const struct weir_yaml_node *name_node = need(d, node, "name", "a block"), *list = need(d, node, "observations", "a block");
    const char *name = name_node ? weir_yaml_text(d, name_node, "name", "the name of a block") : NULL;
    if (name && (!*name || strpbrk(name, "\n\r\t"))) {
        weir_draft_mistake(d, name_node->place, "the name of a block is one line of text");
        return;
    }
    if (!name || !list || !weir_yaml_expect(d, list, WEIR_YAML_LIST, "observations", "a list"))
        return;
    for (const struct weir_yaml_node *n = list->first; n && !d->out_of_memory; n = n->next)
        take_observation(rows, name, n);
}

void weir_fit_read_json(struct weir_fit_rows *rows, const struct weir_file_text *text)
{
    struct weir_draft *d = rows->draft;
    struct weir_arena arena = {0};
    const struct weir_yaml_node *root = weir_yaml_parse(d, text, &arena, false);
    if (root && weir_yaml_expect_item(d, root, WEIR_YAML_MAP, "a file of counters", "a mapping with \"blocks\"")) {
        const struct weir_yaml_node *blocks = need(d, root, "blocks", "a file of counters");
        if (blocks && weir_yaml_expect(d, blocks, WEIR_YAML_LIST, "blocks", "a list"))
            for (const struct weir_yaml_node *n = blocks->first; n && !d->out_of_memory; n = n->next)
                take_block(rows, n);
    }
    weir_arena_free(&arena);
}
