/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Operators as Holoscan describes them (`print(op.description)`): what is set of each port, and which conditions an operator has.
 * It says nothing of connections, and of a port on which nothing is set only that. Descriptions may be printed one after the other;
 * each begins with a line "id: ...", which is read as the begin of a document.
 */
#include "read/holoscan/gxf.h"

#include <string.h>

struct describing {
    struct weir_evidence_reader t;
    char *name; /* FRAGMENT.OPERATOR */
    size_t name_capacity;
    uint32_t op;
    const char *quoted; /* the operator, for messages */
    size_t found;
};

static const char *text_of(const struct weir_yaml_node *map, const char *key)
{
    const struct weir_yaml_node *node = map->kind == WEIR_YAML_MAP ? weir_gxf_value(map, key) : NULL;
    return node && node->kind == WEIR_YAML_SCALAR ? node->text : "";
}

static const struct weir_yaml_node *list_of(const struct weir_yaml_node *map, const char *key)
{
    const struct weir_yaml_node *node = map && map->kind == WEIR_YAML_MAP ? weir_gxf_value(map, key) : NULL;
    return node && node->kind == WEIR_YAML_LIST ? node->first : NULL;
}

/* The value of an argument of a component, as text; NULL: it has none of that name. */
static const struct weir_yaml_node *argument_of(const struct weir_yaml_node *component, const char *name)
{
    for (const struct weir_yaml_node *item = list_of(component, "args"); item; item = item->next) {
        const struct weir_yaml_node *value = item->kind == WEIR_YAML_MAP ? weir_gxf_value(item, "value") : NULL;
        if (value && value->kind == WEIR_YAML_SCALAR && strcmp(text_of(item, "name"), name) == 0)
            return value;
    }
    return NULL;
}

static uint32_t count_of(struct describing *g, const struct weir_yaml_node *component, const char *name)
{
    char quoted[WEIR_QUOTED];
    struct weir_decimal value;
    int64_t count;
    const struct weir_yaml_node *node = argument_of(component, name);
    if (!node)
        return 0;
    if (!weir_decimal_parse(node->text, &value) && !value.has_unit && weir_decimal_ticks(&value, WEIR_UNIT_TICK, 0, &count) &&
        count > 0 && count < INT32_MAX)
        return (uint32_t)count;
    weir_draft_mistake(&g->t.draft, node->place, "\"%s\" must be a whole number from 1 on, not \"%s\"", name,
                       weir_quote(node->text, quoted));
    return 0;
}

static enum weir_evidence_policy policy_of(struct describing *g, const struct weir_yaml_node *connector)
{
    const struct weir_yaml_node *node = argument_of(connector, "policy");
    if (!node)
        return WEIR_POLICY_UNKNOWN;
    if (node->bytes == 1 && *node->text >= '0' && *node->text <= '2')
        return (enum weir_evidence_policy)(WEIR_POLICY_POP + (*node->text - '0'));
    weir_draft_mistake(&g->t.draft, node->place, "\"policy\" must be 0 (pop), 1 (reject) or 2 (fault)");
    return WEIR_POLICY_UNKNOWN;
}

static void note_condition(struct describing *g, const struct weir_yaml_node *node, const char *what)
{
    char quoted[WEIR_QUOTED];
    weir_evidence_note(g->t.evidence, weir_evidence_reader_at(&g->t, node->place),
                       "what \"%s\" waits for by \"%s\" is not in the model", g->quoted, weir_quote(what, quoted));
}

static void read_port(struct describing *g, const struct weir_yaml_node *node, bool output)
{
    const char *name = text_of(node, "name"), *connector_type = text_of(node, "connector_type");
    const struct weir_yaml_node *connector = node->kind == WEIR_YAML_MAP ? weir_gxf_value(node, "connector") : NULL;
    if (node->kind != WEIR_YAML_MAP || !weir_evidence_reader_check_port(&g->t, name, node->place))
        return;
    struct weir_evidence_port port = {
        .op = g->op,
        .port = name,
        .output = output,
        .capacity = connector ? count_of(g, connector, "capacity") : 0,
        .policy = connector ? policy_of(g, connector) : WEIR_POLICY_UNKNOWN,
        .latest = strcmp(connector_type, "kAsyncBuffer") == 0,
        .at = weir_evidence_reader_at(&g->t, node->place),
    };
    if (strcmp(connector_type, "kPubSub") == 0)
        note_condition(g, node, "a topic (kPubSub)");
    for (const struct weir_yaml_node *c = list_of(node, "conditions"); c; c = c->next) {
        const char *type = text_of(c, "type");
        if (strcmp(type, "kNone") == 0)
            port.unconditional = true;
        else if (strcmp(type, "kMessageAvailable") == 0 || strcmp(type, "kDownstreamMessageAffordable") == 0)
            port.min_size = count_of(g, c, "min_size");
        else
            note_condition(g, c->kind == WEIR_YAML_MAP ? c : node, type);
    }
    weir_evidence_reader_add(&g->t, weir_evidence_add_port(g->t.evidence, &port), node->place);
}

static void read_period(struct describing *g, const struct weir_yaml_node *node)
{
    char quoted[WEIR_QUOTED];
    const struct weir_yaml_node *text = argument_of(node, "recess_period"), *policy = argument_of(node, "policy");
    struct weir_evidence_period period = {.op = g->op, .at = weir_evidence_reader_at(&g->t, node->place)};
    if (!text) {
        weir_evidence_note(g->t.evidence, period.at,
                           "\"%s\" has a periodic condition, but its period is not described (it is where it was given as "
                           "\"recess_period\"): it is not in the model",
                           g->quoted);
        return;
    }
    period.period = weir_gxf_period(text->text);
    if (!period.period)
        weir_draft_mistake(&g->t.draft, text->place, "\"recess_period\" must be a time or a rate such as 33ms or 30Hz, not \"%s\"",
                           weir_quote(text->text, quoted));
    if (!weir_gxf_arrivals(policy ? policy->text : "", &period.arrivals))
        weir_draft_mistake(&g->t.draft, policy->place,
                           "\"policy\" must be CatchUpMissedTicks, MinTimeBetweenTicks or NoCatchUpMissedTicks, not \"%s\"",
                           weir_quote(policy->text, quoted));
    if (period.period)
        weir_evidence_reader_add(&g->t, weir_evidence_add_period(g->t.evidence, &period), text->place);
}

/* Conditions of the operator as a whole. A count ends the run, and changes no latency. */
static void read_condition(struct describing *g, const struct weir_yaml_node *node)
{
    if (node->kind != WEIR_YAML_MAP)
        return;
    const char *type = text_of(node, "gxf_typename"), *last = type;
    for (const char *at = type; (at = strstr(at, "::")); at += 2)
        last = at + 2;
    if (strcmp(last, "PeriodicSchedulingTerm") == 0)
        read_period(g, node);
    else if (strcmp(last, "CountSchedulingTerm") != 0)
        note_condition(g, node, *last ? last : text_of(node, "name"));
}

/* FRAGMENT.OPERATOR, as logs have it. */
static uint32_t operator_of(struct describing *g, const struct weir_yaml_node *document)
{
    const char *name = text_of(document, "name"), *fragment = text_of(document, "fragment");
    size_t length = strlen(fragment), bytes = strlen(name);
    void *joined = g->name;
    if (!length)
        return weir_evidence_reader_operator(&g->t, name, bytes, document->place);
    if (!weir_reserve(&joined, &g->name_capacity, length + bytes + 2, 1)) {
        g->t.draft.out_of_memory = true;
        return WEIR_NO_OPERATOR;
    }
    g->name = joined;
    memcpy(g->name, fragment, length);
    g->name[length] = '.';
    memcpy(g->name + length + 1, name, bytes + 1);
    return weir_evidence_reader_operator(&g->t, g->name, length + bytes + 1, document->place);
}

static void read_operator(struct describing *g, const struct weir_yaml_node *document)
{
    char quoted[WEIR_QUOTED];
    if (document->kind != WEIR_YAML_MAP || !*text_of(document, "name")) {
        if (document->kind != WEIR_YAML_BAD && !weir_yaml_is_null(document))
            weir_draft_mistake(&g->t.draft, document->place, "expected the description of an operator, with a \"name\"");
        return;
    }
    g->op = operator_of(g, document);
    g->quoted = weir_quote(text_of(document, "name"), quoted);
    if (g->op == WEIR_NO_OPERATOR)
        return;
    g->found++;
    const struct weir_yaml_node *spec = weir_gxf_value(document, "spec");
    for (const struct weir_yaml_node *n = list_of(spec, "inputs"); n && weir_evidence_reader_goes_on(&g->t); n = n->next)
        read_port(g, n, false);
    for (const struct weir_yaml_node *n = list_of(spec, "outputs"); n && weir_evidence_reader_goes_on(&g->t); n = n->next)
        read_port(g, n, true);
    for (const struct weir_yaml_node *n = list_of(document, "conditions"); n && weir_evidence_reader_goes_on(&g->t); n = n->next)
        read_condition(g, n);
}

/* Each line "id: ..." becomes one that begins a document, of the same length, so that places stay as they are. */
static void divide(char *bytes, size_t size)
{
    for (size_t i = 0; i + 3 <= size; i++) {
        if ((i > 0 && bytes[i - 1] != '\n') || memcmp(bytes + i, "id:", 3) != 0)
            continue;
        memcpy(bytes + i, "---", 3);
        for (i += 3; i < size && bytes[i] != '\n' && bytes[i] != '\r'; i++)
            bytes[i] = ' ';
    }
}

enum weir_status weir_evidence_read_description(struct weir_evidence *evidence, uint32_t file, const char *bytes, size_t size,
                                                struct weir_errors *errors)
{
    struct describing g = {0};
    char *copy = size <= WEIR_EVIDENCE_BYTES_MAX ? weir_array(size, 1) : NULL;
    if (copy && size) {
        memcpy(copy, bytes, size);
        divide(copy, size);
    }
    bool begun =
        weir_evidence_reader_begin(&g.t, evidence, file, (struct weir_evidence_reader_bytes){copy ? copy : bytes, size}, errors);
    g.t.draft.out_of_memory |= !copy && size <= WEIR_EVIDENCE_BYTES_MAX;
    if (begun && copy) {
        const struct weir_yaml_node *first = weir_yaml_parse_all(&g.t.draft, &g.t.text, &g.t.arena);
        for (const struct weir_yaml_node *n = g.t.draft.mistakes ? NULL : first; n && weir_evidence_reader_goes_on(&g.t);
             n = n->next)
            read_operator(&g, n);
        if (!g.t.draft.mistakes && weir_evidence_reader_goes_on(&g.t) && !g.found)
            weir_draft_mistake(&g.t.draft, (struct weir_place){1, 1}, "there is no description of an operator here");
    }
    enum weir_status status = weir_evidence_reader_end(&g.t);
    weir_free(g.name);
    weir_free(copy);
    return status;
}
