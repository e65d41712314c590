/* SPDX-License-Identifier: Apache-2.0 */
/* The model file (docs/reference/model.md): the keys at its top, latencies. */
#include "read/yaml/value.h"

#include <string.h>

/* ---- latencies ---- */

void weir_yaml_chain(struct weir_draft *d, const struct weir_yaml_node *node, enum weir_owner owner)
{
    struct weir_yaml_fields f;
    struct weir_chain_spec chain = {.from = {WEIR_NO_OPERATOR}, .to = {WEIR_NO_OPERATOR}, .place = node->place};
    weir_yaml_open(d, node, owner, &f);
    weir_yaml_require(d, node, owner, &f);
    weir_yaml_read(d, &f, owner, &chain);
    if (chain.from.index != WEIR_NO_OPERATOR && chain.to.index != WEIR_NO_OPERATOR)
        weir_draft_add_chain(d, &chain);
}

/* ---- the top ---- */

static void read_header(struct weir_draft *d, const struct weir_yaml_fields *f)
{
    char quoted[WEIR_QUOTED];
    const struct weir_yaml_node *node = f->of[WEIR_KEY_VERSION];
    const char *text = node ? weir_yaml_number(d, node, "weir", "the number 1, the version of the format") : NULL;
    int64_t capacity[2];
    if (text && strcmp(text, "1") != 0)
        weir_draft_mistake(d, node->place, "this version of weir reads models of version 1, not \"%s\"", weir_quote(text, quoted));
    node = f->of[WEIR_KEY_NAME];
    text = node ? weir_yaml_text(d, node, "name", "text") : NULL;
    for (size_t i = 0; text && i < node->bytes; i++)
        if ((unsigned char)text[i] < 0x20 || text[i] == 0x7f) {
            weir_draft_mistake(d, node->place, "\"name\" must be one line of text without control characters");
            text = NULL;
        }
    if (text && !(d->name = weir_arena_text(&d->arena, text)))
        d->out_of_memory = true;
    node = f->of[WEIR_KEY_UNIT];
    text = node ? weir_yaml_text(d, node, "unit", "ns, us, ms, s or tick") : NULL;
    if (text)
        weir_draft_set_unit(d, text, node->place);
    else if (node)
        d->has_unit = d->unit_bad = true;
    node = f->of[WEIR_KEY_QUEUE];
    if (node) /* a wrong one is enough, so that nothing else is found to be too much for it */
        d->queue = weir_yaml_value(d, node, &weir_keys[WEIR_KEY_QUEUE], capacity) ? (uint32_t)capacity[0] : WEIR_UNBOUNDED;
}

static void read_list(struct weir_draft *d, const struct weir_yaml_fields *f, enum weir_key_id id, enum weir_owner owner)
{
    const struct weir_yaml_node *list = f->of[id];
    if (!list || weir_yaml_is_null(list))
        return;
    if (!weir_yaml_expect(d, list, WEIR_YAML_LIST, weir_keys[id].name, "a list")) {
        d->incomplete |= owner == WEIR_OF_SOURCE;
        return;
    }
    for (const struct weir_yaml_node *item = list->first; item && !d->out_of_memory; item = item->next) {
        if (owner == WEIR_OF_SOURCE)
            weir_yaml_source(d, item);
        else
            weir_yaml_chain(d, item, owner);
    }
}

static void read_graph(struct weir_draft *d, const struct weir_yaml_node *root, const struct weir_yaml_fields *f)
{
    if (!f->of[WEIR_KEY_PLATFORM] && f->clean)
        weir_draft_mistake(d, root->place, "the model has \"kernels\", but no \"platform: {gpu: {sms: 132}}\" for them");
    if (f->of[WEIR_KEY_KERNELS])
        weir_yaml_kernels(d, f->of[WEIR_KEY_KERNELS], f->of[WEIR_KEY_DEFAULTS]);
    else if (f->clean)
        weir_draft_mistake(d, root->place, "the model has no \"kernels\"");
    d->names_missing |= !f->of[WEIR_KEY_KERNELS];
    if (f->of[WEIR_KEY_DEPENDENCIES])
        weir_yaml_queues(d, f->of[WEIR_KEY_DEPENDENCIES]);
}

static void read_top(struct weir_draft *d, const struct weir_yaml_node *root)
{
    struct weir_yaml_fields f;
    d->gpu = weir_yaml_is_gpu(root);
    weir_yaml_open(d, root, WEIR_OF_TOP, &f);
    weir_yaml_platform(d, &f);
    read_header(d, &f);
    if (d->gpu) {
        read_graph(d, root, &f);
        return;
    }
    if (f.of[WEIR_KEY_OPERATORS])
        weir_yaml_define_all(d, f.of[WEIR_KEY_OPERATORS], NULL);
    else if (f.clean)
        weir_draft_mistake(d, root->place, "the model has no \"operators\"");
    d->incomplete |= !f.of[WEIR_KEY_OPERATORS] || !f.clean || d->names_missing;
    d->names_missing |= !f.of[WEIR_KEY_OPERATORS];
    if (f.of[WEIR_KEY_QUEUES])
        weir_yaml_queues(d, f.of[WEIR_KEY_QUEUES]);
    if (f.of[WEIR_KEY_SOURCE] && !weir_yaml_is_null(f.of[WEIR_KEY_SOURCE]))
        weir_yaml_source(d, f.of[WEIR_KEY_SOURCE]);
    read_list(d, &f, WEIR_KEY_SOURCES, WEIR_OF_SOURCE);
    if (d->shared)
        weir_draft_name_sources(d);
    read_list(d, &f, WEIR_KEY_DEADLINES, WEIR_OF_DEADLINE);
    read_list(d, &f, WEIR_KEY_MEASURE, WEIR_OF_MEASURE);
}

void weir_read_yaml_node(struct weir_draft *d, const struct weir_yaml_node *root)
{
    if (root->kind == WEIR_YAML_MAP)
        read_top(d, root);
    else if (root->kind != WEIR_YAML_BAD)
        weir_draft_mistake(d, root->place, "this is neither a model (\"operators:\" ...) nor a graph (\"digraph {\" ...), but %s",
                           weir_yaml_kind_name(root));
}

void weir_read_yaml(struct weir_draft *d, const struct weir_file_text *text)
{
    struct weir_arena arena = {0};
    size_t before = d->mistakes;
    const struct weir_yaml_node *root = weir_yaml_parse(d, text, &arena, false);
    const struct weir_place start = {1, 1};
    if (d->out_of_memory || (!root && d->mistakes > before))
        ; /* nothing to read, and said so */
    else if (!root || weir_yaml_is_null(root))
        weir_draft_mistake(d, start, "this model is empty: expected \"operators:\" and more");
    else
        weir_read_yaml_node(d, root);
    weir_arena_free(&arena);
}
