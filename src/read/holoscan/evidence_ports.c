/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The port map of Holoscan, as port_map_description() gives it: which output feeds which inputs, and the same the other way round.
 * Either alone will do; where both are there and disagree, a note says so, and what one of them says counts. A port is written
 * OPERATOR.PORT, and names of operators may have dots in them, so the last one divides.
 */
#include "read/holoscan/evidence.h"
#include "read/yaml/tree.h"

#include <string.h>

enum { FORWARD = 1, BACKWARD = 2 };

/* One connection is a name in the draft, FROM \n TO, so that it is found again. */
struct map {
    struct weir_evidence_reader *t;
    unsigned char *said; /* by connection: FORWARD, BACKWARD or both */
    size_t said_capacity;
    bool has[3];
};

struct port {
    uint32_t op;
    const char *name;
};

static struct port read_port(struct map *m, const struct weir_yaml_node *node)
{
    char quoted[WEIR_QUOTED];
    struct port port = {.op = WEIR_NO_OPERATOR};
    if (node->kind != WEIR_YAML_SCALAR || weir_yaml_is_null(node)) {
        if (node->kind != WEIR_YAML_BAD)
            weir_draft_mistake(&m->t->draft, node->place, "expected a port, \"OPERATOR.PORT\", not %s", weir_yaml_kind_name(node));
        return port;
    }
    const char *dot = strrchr(node->text, '.');
    if (!dot || dot == node->text || !dot[1]) {
        weir_draft_mistake(&m->t->draft, node->place, "expected a port, \"OPERATOR.PORT\", not \"%s\"",
                           weir_quote(node->text, quoted));
        return port;
    }
    port.name = dot + 1;
    if (weir_evidence_reader_check_port(m->t, port.name, node->place))
        port.op = weir_evidence_reader_operator(m->t, node->text, (size_t)(dot - node->text), node->place);
    return port;
}

/* Remembers its file; whether it occurs for the first time. */
static bool remember(struct map *m, const struct weir_yaml_node *from, const struct weir_yaml_node *to, unsigned char direction)
{
    struct weir_draft *d = &m->t->draft;
    size_t bytes = weir_evidence_reader_join(m->t, from->text, from->bytes, '\n', to->text);
    if (!bytes)
        return false;
    uint32_t number = weir_draft_find(d, m->t->key, bytes);
    if (number == WEIR_NO_OPERATOR && weir_draft_room(d, &m->said, &m->said_capacity, d->operator_count, 1)) {
        number = weir_draft_add_operator(d, m->t->key, bytes, direction == FORWARD ? from->place : to->place);
        if (number != WEIR_NO_OPERATOR)
            m->said[number] = 0;
    }
    if (d->out_of_memory || !m->said)
        return false;
    bool first = !m->said[number];
    m->said[number] |= direction;
    return first;
}

static void connect(struct map *m, const struct weir_yaml_node *key, const struct weir_yaml_node *item, unsigned char direction)
{
    const struct weir_yaml_node *from = direction == FORWARD ? key : item, *to = direction == FORWARD ? item : key;
    size_t mistakes = m->t->draft.mistakes;
    struct port source = read_port(m, from), target = read_port(m, to);
    if (m->t->draft.mistakes > mistakes || !weir_evidence_reader_goes_on(m->t) || !remember(m, from, to, direction))
        return;
    struct weir_evidence_connection connection = {.from = source.op,
                                                  .to = target.op,
                                                  .from_port = source.name,
                                                  .to_port = target.name,
                                                  .at = weir_evidence_reader_at(m->t, item->place)};
    weir_evidence_reader_add(m->t, weir_evidence_connect(m->t->evidence, &connection), item->place);
}

/* One of the two maps. */
static void read_direction(struct map *m, const struct weir_yaml_node *name, unsigned char direction)
{
    struct weir_draft *d = &m->t->draft;
    const struct weir_yaml_node *map = name->next;
    if (m->has[direction])
        weir_draft_mistake(d, name->place, "\"%s\" is given twice", name->text);
    m->has[direction] = true;
    if (weir_yaml_is_null(map) || map->kind == WEIR_YAML_BAD)
        return;
    if (map->kind != WEIR_YAML_MAP) {
        weir_draft_mistake(d, map->place, "\"%s\" must be a mapping from ports to lists of ports, not %s", name->text,
                           weir_yaml_kind_name(map));
        return;
    }
    for (const struct weir_yaml_node *key = map->first; key && weir_evidence_reader_goes_on(m->t); key = key->next->next) {
        const struct weir_yaml_node *list = key->next;
        size_t mistakes = d->mistakes;
        if (weir_yaml_is_null(list) || list->kind == WEIR_YAML_BAD)
            continue;
        if (list->kind == WEIR_YAML_MAP)
            weir_draft_mistake(d, list->place, "expected a list of ports, not a mapping");
        else if (list->kind == WEIR_YAML_SCALAR)
            connect(m, key, list, direction);
        else /* a bad key is one mistake, not one for each of its items */
            for (const struct weir_yaml_node *item = list->first; item && d->mistakes == mistakes; item = item->next)
                connect(m, key, item, direction);
    }
}

static void compare_directions(struct map *m)
{
    char from[WEIR_QUOTED], to[WEIR_QUOTED];
    struct weir_draft *d = &m->t->draft;
    if (!m->has[FORWARD] || !m->has[BACKWARD] || d->mistakes)
        return;
    for (size_t i = 0; i < d->operator_count && weir_evidence_reader_goes_on(m->t); i++) {
        if (m->said[i] == (FORWARD | BACKWARD))
            continue;
        char *key = weir_arena_text(&d->arena, d->operators[i].name), *middle = key ? strchr(key, '\n') : NULL;
        if (!middle) {
            d->out_of_memory = true;
            return;
        }
        *middle = 0;
        weir_evidence_note(m->t->evidence, weir_evidence_reader_at(m->t, d->operators[i].place),
                           "that \"%s\" feeds \"%s\" appears only in \"%s\"", weir_quote(key, from), weir_quote(middle + 1, to),
                           m->said[i] == FORWARD ? "output_to_input" : "input_to_output");
    }
}

static void read_map(struct map *m)
{
    struct weir_draft *d = &m->t->draft;
    const struct weir_yaml_node *root = weir_yaml_parse(d, &m->t->text, &m->t->arena, false);
    if (!root || d->mistakes) {
        if (!d->mistakes && !d->out_of_memory)
            weir_draft_mistake(d, (struct weir_place){1, 1}, "there is nothing here: expected \"output_to_input:\"");
        return;
    }
    for (const struct weir_yaml_node *key = root->kind == WEIR_YAML_MAP ? root->first : NULL; key; key = key->next->next) {
        if (key->kind == WEIR_YAML_SCALAR && strcmp(key->text, "output_to_input") == 0)
            read_direction(m, key, FORWARD);
        else if (key->kind == WEIR_YAML_SCALAR && strcmp(key->text, "input_to_output") == 0)
            read_direction(m, key, BACKWARD);
    }
    if (!m->has[FORWARD] && !m->has[BACKWARD])
        weir_draft_mistake(d, root->place, "expected a mapping with \"output_to_input\" or \"input_to_output\"");
    compare_directions(m);
}

void weir_evidence_read_port_map(struct weir_evidence_reader *t)
{
    struct map m = {.t = t};
    read_map(&m);
    weir_free(m.said);
}
