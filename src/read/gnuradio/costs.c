/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Costs from a file: lines of block,init_ns,per_sample_ns, or the JSON of fits. A block is named by its name in the flowgraph or by
 * its type; entries for blocks that do not exist are ignored, so that one file can serve many flowgraphs. Measured numbers
 * have more digits than any clock tells apart: they are rounded up to a picosecond.
 */
#include "read/gnuradio/grc.h"

#include <stdlib.h>
#include <string.h>

struct entry {
    const char *block;
    const char *init, *sample;
};

struct costs {
    struct weir_grc *grc;
    struct entry *entries;
    size_t count, capacity;
};

/* A number of ns as a time that is no shorter, in whole picoseconds. Below zero, where a line was fitted, there is no cost. */
static const char *round_up(struct costs *c, const char *text, struct weir_place place)
{
    char quoted[WEIR_QUOTED], rounded[48];
    struct weir_decimal value;
    enum weir_decimal_fault fault = weir_decimal_parse(text, &value);
    if (fault != WEIR_DECIMAL_OK || value.has_unit) {
        weir_draft_mistake(c->grc->draft, place, "a cost is a number of ns, not \"%s\"", weir_quote(text, quoted));
        return NULL;
    }
    if (value.mantissa < 0)
        value = (struct weir_decimal){0};
    for (; value.exponent < -3; value.exponent++)
        value.mantissa = value.mantissa / 10 + (value.mantissa % 10 != 0);
    snprintf(rounded, sizeof rounded, "%llde%dns", (long long)value.mantissa, value.exponent);
    const char *time = weir_arena_text(c->grc->arena, rounded);
    c->grc->draft->out_of_memory |= !time;
    return time;
}

static void add_entry(struct costs *c, const char *block, const char *const texts[2], struct weir_place place)
{
    struct weir_draft *d = c->grc->draft;
    struct entry entry = {.block = block, .init = round_up(c, texts[0], place), .sample = round_up(c, texts[1], place)};
    if (entry.init && entry.sample && weir_draft_room(d, &c->entries, &c->capacity, c->count, sizeof *c->entries))
        c->entries[c->count++] = entry;
}

/* ---- lines ---- */

static bool is_number(const char *text)
{
    struct weir_decimal value;
    return weir_decimal_parse(text, &value) != WEIR_DECIMAL_MALFORMED;
}

static void read_lines(struct costs *c, const struct weir_file_text *text)
{
    struct weir_draft *d = c->grc->draft;
    struct weir_csv csv = {
        .draft = d, .text = text, .arena = c->grc->arena, .expected = "a line of costs is block,init_ns,per_sample_ns"};
    while (weir_csv_next_good(&csv)) {
        const struct weir_csv_field *fields = csv.fields;
        struct weir_place place = {fields[0].place.line, 1};
        if (csv.count < 3)
            weir_draft_mistake(d, place, "%s", csv.expected);
        else if (place.line > 1 || is_number(fields[1].text)) /* the first line may be a heading */
            add_entry(c, fields[0].text, (const char *const[2]){fields[1].text, fields[2].text}, place);
    }
}

/* ---- JSON ---- */

static const char *first_of(const struct weir_yaml_node *map, const char *const *keys)
{
    for (; *keys; keys++) {
        const struct weir_yaml_node *node = weir_grc_field(map, *keys);
        if (node && node->kind == WEIR_YAML_SCALAR)
            return node->text;
    }
    return NULL;
}

/* Of a fit, the line above all observations is taken where there is one. */
static void read_fit(struct costs *c, const struct weir_yaml_node *node)
{
    static const char *const inits[] = {"safe_init_ns", "safe_init", "init_ns", "init", NULL};
    static const char *const samples[] = {"safe_per_sample_ns", "safe_per_sample", "per_sample_ns", "per_sample", NULL};
    const struct weir_yaml_node *safe = weir_grc_field(node, "safe");
    const struct weir_yaml_node *from = safe && safe->kind == WEIR_YAML_MAP ? safe : node;
    const struct weir_yaml_node *block = weir_grc_field(node, "block");
    const char *init = first_of(from, inits), *sample = first_of(from, samples);
    if (!block || block->kind != WEIR_YAML_SCALAR || !init || !sample)
        weir_draft_mistake(c->grc->draft, node->place, "a fit needs \"block\", \"init\" and \"per_sample\"");
    else
        add_entry(c, block->text, (const char *const[2]){init, sample}, node->place);
}

static void read_json(struct costs *c, const struct weir_file_text *text)
{
    struct weir_draft *d = c->grc->draft;
    const struct weir_yaml_node *root = weir_yaml_parse(d, text, c->grc->arena, false);
    if (!root)
        return;
    const struct weir_yaml_node *list = root->kind == WEIR_YAML_MAP ? weir_grc_field(root, "fits") : root;
    if (!list || list->kind != WEIR_YAML_LIST) {
        weir_draft_mistake(d, root->place, "expected a list of fits, or \"fits\" with one");
        return;
    }
    for (const struct weir_yaml_node *node = list->first; node && !d->out_of_memory; node = node->next)
        read_fit(c, node);
}

/* ---- all ---- */

static int by_block(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    return strcmp(x->block, y->block);
}

static const struct entry *find(const struct costs *c, const char *block)
{
    struct entry key = {.block = block};
    return c->count ? bsearch(&key, c->entries, c->count, sizeof key, by_block) : NULL;
}

static void use(struct costs *c)
{
    struct weir_grc *g = c->grc;
    char quoted[WEIR_QUOTED];
    if (c->count)
        qsort(c->entries, c->count, sizeof *c->entries, by_block);
    for (size_t i = 1; i < c->count; i++)
        if (strcmp(c->entries[i - 1].block, c->entries[i].block) == 0)
            weir_draft_mistake(g->draft, (struct weir_place){0, 0}, "the cost of \"%s\" is given twice",
                               weir_quote(c->entries[i].block, quoted));
    for (size_t i = 0; i < g->block_count; i++) {
        struct weir_grc_block *block = &g->blocks[i];
        const struct entry *entry = block->has_cost ? NULL : find(c, block->name);
        if (!entry && !block->has_cost)
            entry = find(c, block->type);
        if (!entry)
            continue;
        block->cost_init = entry->init;
        block->cost_sample = entry->sample;
        block->has_cost = true;
    }
}

void weir_grc_read_costs(struct weir_grc *g, const char *path)
{
    struct weir_draft *d = g->draft;
    struct costs c = {.grc = g};
    struct weir_file_text text = {0};
    const char *file = d->file;
    if (!weir_draft_read_text(d, path, WEIR_GRC_BYTES_MAX, "costs", &text)) {
        size_t first = 0;
        while (first < text.size && strchr(" \t\r\n", text.bytes[first]))
            first++;
        if (first < text.size && strchr("{[", text.bytes[first]))
            read_json(&c, &text);
        else
            read_lines(&c, &text);
        use(&c);
    }
    d->file = file;
    weir_free(text.owned);
    weir_free(c.entries);
}
