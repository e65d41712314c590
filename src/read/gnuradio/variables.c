/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks by name, and what variables come to. A variable may be used before it is defined; one that needs another waits for it on a
 * stack, and is evaluated again when that is known. Each is waited for once, so that all take time in proportion to their text. */
#include "read/gnuradio/grc.h"

#include <string.h>

const struct weir_yaml_node *weir_grc_field(const struct weir_yaml_node *map, const char *key)
{
    const struct weir_yaml_node *found = NULL;
    if (!map || map->kind != WEIR_YAML_MAP)
        return NULL;
    for (const struct weir_yaml_node *name = map->first; name && name->next; name = name->next->next)
        if (name->kind == WEIR_YAML_SCALAR && strcmp(name->text, key) == 0)
            found = name->next;
    return found;
}

const char *weir_grc_parameter(const struct weir_grc_block *block, const char *key)
{
    const struct weir_yaml_node *node = weir_grc_field(block->parameters, key);
    return node && node->kind == WEIR_YAML_SCALAR ? node->text : NULL;
}

/* ---- names ---- */

uint32_t weir_grc_find(const struct weir_grc *g, const char *name, size_t bytes)
{
    return weir_names_find(&g->names, name, bytes);
}

static void add_name(struct weir_grc *g, uint32_t number)
{
    char quoted[WEIR_QUOTED];
    const struct weir_grc_block *block = &g->blocks[number];
    uint32_t taken = weir_grc_find(g, block->name, strlen(block->name));
    if (taken == WEIR_GRC_NONE)
        g->draft->out_of_memory |= !weir_names_add(&g->names, block->name, number);
    else if (block->state != WEIR_GRC_DISABLED)
        weir_draft_mistake(g->draft, block->place, "a second block is called \"%s\"; the first is in line %u",
                           weir_quote(block->name, quoted), g->blocks[taken].place.line);
}

bool weir_grc_index(struct weir_grc *g)
{
    for (uint32_t i = 0; i < g->block_count; i++)
        if (g->blocks[i].state != WEIR_GRC_DISABLED)
            add_name(g, i);
    for (uint32_t i = 0; i < g->block_count; i++)
        if (g->blocks[i].state == WEIR_GRC_DISABLED)
            add_name(g, i);
    return !g->draft->out_of_memory;
}

/* ---- values ---- */

struct search {
    struct weir_grc *grc;
    uint32_t needed; /* a variable whose value is not known yet */
};

static enum weir_grc_answer look_up(void *context, const char *name, size_t bytes, struct weir_grc_number *number)
{
    struct search *search = context;
    uint32_t found = weir_grc_find(search->grc, name, bytes);
    if (found == WEIR_GRC_NONE || !search->grc->blocks[found].variable)
        return WEIR_GRC_UNKNOWN;
    const struct weir_grc_block *block = &search->grc->blocks[found];
    if (block->progress != WEIR_GRC_DONE) {
        search->needed = found;
        return WEIR_GRC_NEEDS;
    }
    *number = block->value;
    return block->answer;
}

/* Evaluates the variable on top of the stack; true when another has to come first. */
static bool evaluate(struct weir_grc *g, uint32_t number, uint32_t *needed)
{
    char quoted[WEIR_QUOTED];
    struct weir_grc_block *block = &g->blocks[number];
    struct search search = {.grc = g};
    struct weir_grc_scope scope = {look_up, &search};
    const char *text = weir_grc_parameter(block, "value");
    block->answer = text ? weir_grc_evaluate(text, &scope, &block->value) : WEIR_GRC_UNKNOWN;
    if (block->answer == WEIR_GRC_NEEDS && g->blocks[search.needed].progress == WEIR_GRC_NEW) {
        *needed = search.needed;
        return true;
    }
    if (block->answer == WEIR_GRC_NEEDS) {
        weir_draft_mistake(g->draft, block->place, "variable \"%s\" depends on itself", weir_quote(block->name, quoted));
        block->answer = WEIR_GRC_UNKNOWN;
    }
    block->progress = WEIR_GRC_DONE;
    return false;
}

void weir_grc_solve(struct weir_grc *g)
{
    g->stack = weir_array(g->block_count, sizeof *g->stack);
    if (!g->stack) {
        g->draft->out_of_memory = true;
        return;
    }
    for (uint32_t i = 0; i < g->block_count; i++) {
        size_t depth = 0;
        if (!g->blocks[i].variable || g->blocks[i].progress != WEIR_GRC_NEW)
            continue;
        g->blocks[i].progress = WEIR_GRC_ACTIVE;
        g->stack[depth++] = i;
        while (depth) {
            uint32_t needed;
            if (evaluate(g, g->stack[depth - 1], &needed)) {
                g->blocks[needed].progress = WEIR_GRC_ACTIVE;
                g->stack[depth++] = needed;
            } else {
                depth--;
            }
        }
    }
}

bool weir_grc_value(struct weir_grc *g, const char *text, struct weir_grc_number *number)
{
    struct search search = {.grc = g};
    struct weir_grc_scope scope = {look_up, &search};
    return text && weir_grc_evaluate(text, &scope, number) == WEIR_GRC_KNOWN;
}
