/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Operators as Holoscan describes them (`print(op.description)`): what is set of each port, and which conditions an operator has.
 * It says nothing of connections, and of a port on which nothing is set only that. Descriptions may be printed one after the other;
 * each begins with a line "id: ...", which is read as the begin of a document.
 */
#include "read/holoscan/gxf.h"

#include <string.h>

struct describing {
    struct weir_evidence_reader *t;
    uint32_t op;
    const char *quoted; /* the operator, for messages */
    size_t found;
};

static const char *text_of(const struct weir_yaml_node *map, const char *key)
{
    const struct weir_yaml_node *node = weir_gxf_value(map, key);
    return node && node->kind == WEIR_YAML_SCALAR ? node->text : "";
}

static const struct weir_yaml_node *list_of(const struct weir_yaml_node *map, const char *key)
{
    const struct weir_yaml_node *node = weir_gxf_value(map, key);
    return node && node->kind == WEIR_YAML_LIST ? node->first : NULL;
}

/* The value of an argument of a component, as text; NULL: it has none of that name. */
static const struct weir_yaml_node *argument_of(const struct weir_yaml_node *component, const char *name)
{
    for (const struct weir_yaml_node *item = list_of(component, "args"); item; item = item->next) {
        const struct weir_yaml_node *value = weir_gxf_value(item, "value");
        if (value && value->kind == WEIR_YAML_SCALAR && strcmp(text_of(item, "name"), name) == 0)
            return value;
    }
    return NULL;
}

static void note_condition(struct describing *g, const struct weir_yaml_node *node, const char *what)
{
    char quoted[WEIR_QUOTED];
    weir_evidence_note(g->t->evidence, weir_evidence_reader_at(g->t, node->place),
                       "\"%s\" has the condition \"%s\", which is not in the model", g->quoted, weir_quote(what, quoted));
}

/* A condition that decides by itself when messages are taken. */
static void refuse(struct describing *g, const struct weir_yaml_node *node, const char *type, const char *does)
{
    weir_draft_mistake(&g->t->draft, node->place, "\"%s\": %s %s, which weir cannot model", g->quoted, type, does);
}

static void read_port(struct describing *g, const struct weir_yaml_node *node, bool output)
{
    const char *name = text_of(node, "name"), *connector_type = text_of(node, "connector_type");
    const struct weir_yaml_node *connector = weir_gxf_value(node, "connector");
    if (node->kind != WEIR_YAML_MAP || !weir_evidence_reader_check_port(g->t, name, node->place))
        return;
    struct weir_evidence_port port = {
        .op = g->op,
        .port = name,
        .output = output,
        .capacity = weir_gxf_number(g->t, argument_of(connector, "capacity"), "capacity"),
        .policy = weir_gxf_policy(g->t, argument_of(connector, "policy")),
        .latest = strcmp(connector_type, "kAsyncBuffer") == 0,
        .at = weir_evidence_reader_at(g->t, node->place),
    };
    if (strcmp(connector_type, "kPubSub") == 0)
        note_condition(g, node, "a topic (kPubSub)");
    for (const struct weir_yaml_node *c = list_of(node, "conditions"); c; c = c->next) {
        const char *type = text_of(c, "type");
        if (strcmp(type, "kNone") == 0)
            port.unconditional = true;
        else if (strcmp(type, "kMessageAvailable") == 0 || strcmp(type, "kDownstreamMessageAffordable") == 0)
            port.min_size = weir_gxf_number(g->t, argument_of(c, "min_size"), "min_size");
        else if (strcmp(type, "kExpiringMessageAvailable") == 0)
            refuse(g, c, type, weir_gxf_refused("ExpiringMessageAvailableSchedulingTerm"));
        else
            note_condition(g, c->kind == WEIR_YAML_MAP ? c : node, type);
    }
    weir_evidence_reader_add(g->t, weir_evidence_add_port(g->t->evidence, &port), node->place);
}

static bool has_period(const struct weir_evidence *e, uint32_t op)
{
    for (size_t i = 0; i < e->period_count; i++)
        if (e->periods[i].op == op)
            return true;
    return false;
}

static void read_period(struct describing *g, const struct weir_yaml_node *node)
{
    const struct weir_yaml_node *text = argument_of(node, "recess_period");
    struct weir_evidence_period period = {.op = g->op, .at = weir_evidence_reader_at(g->t, node->place)};
    if (!text && has_period(g->t->evidence, g->op)) /* as the recorder has it, before */
        return;
    if (!text) {
        weir_evidence_note(g->t->evidence, period.at,
                           "\"%s\" has a periodic condition, but its period is not described (it is where it was given as "
                           "\"recess_period\"): it is not in the model",
                           g->quoted);
        return;
    }
    period.arrivals = weir_gxf_arrivals(g->t, argument_of(node, "policy"));
    weir_gxf_add_period(g->t, text, period);
}

/* Conditions of the operator as a whole. A count ends the run, and changes no latency; with one of its own Holoscan stops it. */
static void read_condition(struct describing *g, const struct weir_yaml_node *node)
{
    if (node->kind != WEIR_YAML_MAP || strcmp(text_of(node, "name"), "_internal_async_condition") == 0)
        return;
    const char *last = weir_gxf_type(text_of(node, "gxf_typename")), *refused = weir_gxf_refused(last);
    const struct weir_yaml_node *mode = argument_of(node, "sampling_mode");
    bool each = mode && (strcmp(mode->text, "PerReceiver") == 0 || strcmp(mode->text, "1") == 0);
    if (strcmp(last, "PeriodicSchedulingTerm") == 0)
        read_period(g, node);
    else if (refused)
        refuse(g, node, last, refused);
    else if (strcmp(last, "MultiMessageAvailableSchedulingTerm") == 0 && !each)
        refuse(g, node, last, "lets an operator run when messages are at any of several ports");
    else if (strcmp(last, "CountSchedulingTerm") != 0)
        note_condition(g, node, *last ? last : text_of(node, "name"));
}

/* FRAGMENT.OPERATOR, as logs have it. */
static uint32_t operator_of(struct describing *g, const struct weir_yaml_node *document)
{
    const char *name = text_of(document, "name"), *fragment = text_of(document, "fragment");
    size_t bytes = strlen(name);
    if (!*fragment)
        return weir_evidence_reader_operator(g->t, name, bytes, document->place);
    bytes = weir_evidence_reader_join(g->t, fragment, strlen(fragment), '.', name);
    return bytes ? weir_evidence_reader_operator(g->t, g->t->key, bytes, document->place) : WEIR_NO_OPERATOR;
}

static void read_operator(struct describing *g, const struct weir_yaml_node *document)
{
    char quoted[WEIR_QUOTED];
    if (document->kind != WEIR_YAML_MAP || !*text_of(document, "name")) {
        if (document->kind != WEIR_YAML_BAD && !weir_yaml_is_null(document))
            weir_draft_mistake(&g->t->draft, document->place, "expected the description of an operator, with a \"name\"");
        return;
    }
    g->op = operator_of(g, document);
    g->quoted = weir_quote(text_of(document, "name"), quoted);
    if (g->op == WEIR_NO_OPERATOR)
        return;
    g->found++;
    const struct weir_yaml_node *spec = weir_gxf_value(document, "spec");
    for (const struct weir_yaml_node *n = list_of(spec, "inputs"); n && weir_evidence_reader_goes_on(g->t); n = n->next)
        read_port(g, n, false);
    for (const struct weir_yaml_node *n = list_of(spec, "outputs"); n && weir_evidence_reader_goes_on(g->t); n = n->next)
        read_port(g, n, true);
    for (const struct weir_yaml_node *n = list_of(document, "conditions"); n && weir_evidence_reader_goes_on(g->t); n = n->next)
        read_condition(g, n);
    for (const struct weir_yaml_node *n = list_of(document, "resources"); n && weir_evidence_reader_goes_on(g->t); n = n->next) {
        const char *type = weir_gxf_type(text_of(n, "gxf_typename")), *refused = weir_gxf_refused(type);
        if (refused)
            refuse(g, n, type, refused);
    }
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

void weir_evidence_read_description(struct weir_evidence_reader *t)
{
    struct describing g = {.t = t};
    char *copy = weir_arena_bytes(&t->arena, t->text.bytes, t->text.size);
    if (!copy) {
        t->draft.out_of_memory = true;
        return;
    }
    divide(copy, t->text.size);
    t->text.bytes = copy;
    const struct weir_yaml_node *first = weir_yaml_parse(&t->draft, &t->text, &t->arena, true);
    for (const struct weir_yaml_node *n = t->draft.mistakes ? NULL : first; n && weir_evidence_reader_goes_on(t); n = n->next)
        read_operator(&g, n);
    if (!t->draft.mistakes && weir_evidence_reader_goes_on(t) && !g.found)
        weir_draft_mistake(&t->draft, (struct weir_place){1, 1}, "there is no description of an operator here");
}
