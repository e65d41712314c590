/* SPDX-License-Identifier: Apache-2.0 */
/* What is added, as it would stand in the model file: operators, kernels, queues, sources, deadlines. */
#include "explore/change/change.h"

#include <string.h>

static bool has_key(const struct weir_yaml_node *map, const char *name)
{
    for (const struct weir_yaml_node *key = map->first; key; key = key->next->next)
        if (key->kind == WEIR_YAML_SCALAR && strcmp(key->text, name) == 0)
            return true;
    return false;
}

static void add_operators(struct weir_draft *d, const struct weir_yaml_node *map)
{
    char quoted[WEIR_QUOTED];
    for (const struct weir_yaml_node *key = map->first; key && !d->out_of_memory; key = key->next->next) {
        if (key->kind != WEIR_YAML_SCALAR) {
            weir_draft_mistake(d, key->place, "the name of an operator must be text, not %s", weir_yaml_kind_name(key));
            continue;
        }
        if (!weir_draft_check_name(d, key->text, key->bytes, key->place))
            continue;
        if (weir_draft_find(d, key->text, key->bytes) != WEIR_NO_OPERATOR) {
            weir_draft_mistake(d, key->place, "there is an operator \"%s\" already; remove it first, or set what it is",
                               weir_quote(key->text, quoted));
            continue;
        }
        uint32_t op = weir_draft_add_operator(d, key->text, key->bytes, key->place);
        if (op != WEIR_NO_OPERATOR)
            weir_yaml_operator_body(d, key->next, op);
    }
}

static void add_deadline(struct weir_draft *d, const struct weir_yaml_node *map)
{
    enum { FROM, TO, WITHIN, KEYS };
    static const char *const names[KEYS] = {"from", "to", "within"};
    static const struct weir_yaml_keys keys = {"a deadline", names, KEYS, NULL};
    const struct weir_yaml_node *values[KEYS] = {NULL};
    bool clean = weir_yaml_fields(d, map, &keys, values);
    for (int i = FROM; i < KEYS && clean; i++)
        if (!values[i])
            weir_draft_mistake(d, map->place, "a deadline needs \"%s\"", names[i]);
    if (!values[FROM] || !values[TO] || !values[WITHIN])
        return;
    struct weir_draft_pair pair = {.from = weir_yaml_operator(d, values[FROM], "from"),
                                   .to = weir_yaml_operator(d, values[TO], "to"),
                                   .deadline = weir_yaml_time(d, values[WITHIN], "within"),
                                   .place = map->place};
    if (pair.from != WEIR_NO_OPERATOR && pair.to != WEIR_NO_OPERATOR)
        weir_draft_add_pair(d, &pair);
}

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
    struct weir_text all = {.bytes = text, .size = piece.end - piece.begin};
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
    if (map && has_key(root, "from") && has_key(root, "to")) {
        if (has_key(root, "within") && !d->gpu)
            add_deadline(d, root);
        else
            add_queues(d, root);
    } else if (map && (has_key(root, "operator") || has_key(root, "operators")) &&
               (has_key(root, "period") || has_key(root, "rate")) && !d->gpu) {
        weir_yaml_source(d, root);
    } else if (map && d->gpu) {
        weir_yaml_kernels(d, root, NULL);
    } else if (map) {
        add_operators(d, root);
    } else if (root && root->kind == WEIR_YAML_LIST && root->first) {
        add_queues(d, root);
    } else if (d->mistakes == mistakes && !d->out_of_memory) {
        weir_revision_mistake(r, piece,
                              "expected what would stand in the model: 'filter: {time: [1ms, 2ms]}', 'a -> b', '{from: a, "
                              "to: b, capacity: 2}', '{operator: a, period: 5ms}'");
    }
}
