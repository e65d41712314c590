/* SPDX-License-Identifier: Apache-2.0 */
/* What is added, as it would stand in the model file: operators, kernels, queues, sources, deadlines. */
#include "explore/change/change.h"

#include <string.h>

static void add_queues(struct weir_draft *d, struct weir_yaml_node *item)
{
    struct weir_yaml_node list = {.kind = WEIR_YAML_LIST, .first = item, .place = item->place};
    weir_yaml_queues(d, item->kind == WEIR_YAML_LIST ? item : &list);
}

/* Whether it is a line with arrows, in which names may stand in quotes: no YAML then. */
static bool is_arrows(const char *text)
{
    bool quoted = false;
    text += strspn(text, " \t\n");
    if (*text == '{' || *text == '[')
        return false;
    for (; *text && (quoted || *text != ':'); text++) {
        if (quoted && *text == '\\' && text[1])
            text++;
        else if (*text == '"')
            quoted = !quoted;
        else if (!quoted && text[0] == '-' && text[1] == '>')
            return true;
    }
    return false;
}

static void add_arrows(struct weir_revision *r, struct weir_piece piece)
{
    const char *text = weir_piece_text(r, piece);
    struct weir_file_text all = {.bytes = text, .size = piece.end - piece.begin};
    if (!text || !weir_text_check(&r->draft, &all))
        return;
    struct weir_yaml_node node = {.kind = WEIR_YAML_SCALAR,
                                  .text = text,
                                  .bytes = (uint32_t)(piece.end - piece.begin),
                                  .place = weir_piece_place(r, piece),
                                  .literal = true};
    add_queues(&r->draft, &node);
}

void weir_revision_add(struct weir_revision *r, size_t change)
{
    struct weir_draft *d = &r->draft;
    size_t mistakes = d->mistakes;
    struct weir_piece piece = weir_piece_trim(r, (struct weir_piece){change, 0, strlen(r->changes[change].text)});
    if (is_arrows(r->changes[change].text)) {
        add_arrows(r, piece);
        return;
    }
    struct weir_yaml_node *root = piece.begin < piece.end ? weir_piece_parse(r, piece) : NULL;
    bool map = root && root->kind == WEIR_YAML_MAP && root->first;
    if (map && weir_yaml_find(root, "from") && weir_yaml_find(root, "to")) {
        if (weir_yaml_find(root, "within") && !d->gpu)
            weir_yaml_chain(d, root, WEIR_OF_DEADLINE);
        else
            add_queues(d, root);
    } else if (map && (weir_yaml_find(root, "operator") || weir_yaml_find(root, "operators")) &&
               (weir_yaml_find(root, "period") || weir_yaml_find(root, "rate")) && !d->gpu) {
        weir_yaml_source(d, root);
    } else if (map && d->gpu) {
        weir_yaml_kernels(d, root, NULL);
    } else if (map) {
        for (const struct weir_yaml_node *key = root->first; key && !d->out_of_memory; key = key->next->next)
            weir_yaml_define(d, key, NULL);
    } else if (root && root->kind == WEIR_YAML_LIST && root->first) {
        add_queues(d, root);
    } else if (d->mistakes == mistakes && !d->out_of_memory) {
        weir_revision_mistake(r, piece,
                              "expected what would stand in the model: 'filter: {time: [1ms, 2ms]}', 'a -> b', '{from: a, "
                              "to: b, capacity: 2}', '{operator: a, period: 5ms}'");
    }
}
