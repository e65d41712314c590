/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An application of GXF: a document for each entity with its components, and components that connect the ports of entities. What
 * refers to something may stand before it, so entities and ports come first, then their properties, then what follows.
 */
#include "read/holoscan/gxf.h"

#include <string.h>

const struct weir_yaml_node *weir_gxf_value(const struct weir_yaml_node *map, const char *name)
{
    const struct weir_yaml_node *value = weir_yaml_find(map, name);
    return value && !weir_yaml_is_null(value) ? value : NULL;
}

/* ---- names ---- */

/* The number of ENTITY \n PORT, which is in the key then; WEIR_NO_OPERATOR: there is none, or no memory. */
static uint32_t find_port(struct weir_gxf *g, uint32_t entity, const char *port, size_t *bytes)
{
    const char *name = g->t->draft.operators[entity].name;
    *bytes = weir_evidence_reader_join(g->t, name, strlen(name), '\n', port);
    return *bytes ? weir_draft_find(&g->t->draft, g->t->key, *bytes) : WEIR_NO_OPERATOR;
}

/* A new item of that name, or WEIR_NO_OPERATOR. */
static uint32_t add_item(struct weir_gxf *g, const char *name, size_t bytes, const struct weir_gxf_item *item)
{
    struct weir_draft *d = &g->t->draft;
    if (!weir_draft_room(d, &g->items, &g->item_capacity, d->operator_count, sizeof *g->items))
        return WEIR_NO_OPERATOR;
    uint32_t number = weir_draft_add_operator(d, name, bytes, item->place);
    if (number != WEIR_NO_OPERATOR)
        g->items[number] = *item;
    return number;
}

static const char *entity_name(const void *gxf, uint32_t number)
{
    const struct weir_gxf *g = gxf;
    return g->items[number].kind == WEIR_GXF_ENTITY ? g->t->draft.operators[number].name : NULL;
}

static uint32_t find_entity(struct weir_gxf *g, const char *name, size_t bytes, struct weir_place place)
{
    char word[128], quoted[WEIR_QUOTED], near[WEIR_HINT];
    struct weir_draft *d = &g->t->draft;
    uint32_t entity = weir_draft_find(d, name, bytes);
    if (entity != WEIR_NO_OPERATOR || d->out_of_memory)
        return entity;
    snprintf(word, sizeof word, "%.*s", bytes < sizeof word ? (int)bytes : (int)sizeof word - 1, name);
    weir_draft_mistake(d, place, "there is no entity \"%s\"%s", weir_quote(word, quoted),
                       weir_draft_hint(d, word, &(struct weir_candidates){d->operator_count, entity_name, g}, near));
    return WEIR_NO_OPERATOR;
}

uint32_t weir_gxf_port(struct weir_gxf *g, const struct weir_gxf_component *c, const struct weir_yaml_node *node,
                       enum weir_gxf_kind kind)
{
    static const char *const kinds[] = {"entity", "receiver", "transmitter"};
    char quoted[WEIR_QUOTED], owner[WEIR_QUOTED];
    struct weir_draft *d = &g->t->draft;
    if (node->kind != WEIR_YAML_SCALAR) {
        if (node->kind != WEIR_YAML_BAD)
            weir_draft_mistake(d, node->place, "expected the name of a %s, not %s", kinds[kind], weir_yaml_kind_name(node));
        return WEIR_NO_OPERATOR;
    }
    const char *slash = strrchr(node->text, '/'), *port = slash ? slash + 1 : node->text;
    uint32_t entity = c->entity;
    if (slash)
        entity = find_entity(g, node->text, (size_t)(slash - node->text), node->place);
    else if (entity == WEIR_NO_OPERATOR)
        weir_draft_mistake(d, node->place, "expected \"ENTITY/PORT\", not \"%s\"", weir_quote(node->text, quoted));
    if (entity == WEIR_NO_OPERATOR)
        return WEIR_NO_OPERATOR;
    size_t bytes;
    uint32_t found = find_port(g, entity, port, &bytes);
    if (d->out_of_memory || (found != WEIR_NO_OPERATOR && g->items[found].kind == kind))
        return d->out_of_memory ? WEIR_NO_OPERATOR : found;
    weir_draft_mistake(d, node->place, "entity \"%s\" has no %s \"%s\"", weir_quote(d->operators[entity].name, owner), kinds[kind],
                       weir_quote(port, quoted));
    return WEIR_NO_OPERATOR;
}

/* ---- entities and ports ---- */

static bool ends_with(const char *text, const char *ending)
{
    size_t bytes = strlen(text), more = strlen(ending);
    return bytes >= more && strcmp(text + bytes - more, ending) == 0;
}

static void add_port(struct weir_gxf *g, const struct weir_gxf_component *c)
{
    char quoted[WEIR_QUOTED];
    struct weir_draft *d = &g->t->draft;
    bool input = ends_with(c->type, "Receiver");
    if ((!input && !ends_with(c->type, "Transmitter")) || !c->name || c->entity == WEIR_NO_OPERATOR)
        return;
    struct weir_gxf_item item = {.kind = input ? WEIR_GXF_INPUT : WEIR_GXF_OUTPUT, .entity = c->entity, .place = c->name->place};
    item.port = (struct weir_evidence_port){
        .port = c->name->text,
        .output = !input,
        .capacity = weir_gxf_number(g->t, weir_gxf_value(c->parameters, "capacity"), "capacity"),
        .policy = weir_gxf_policy(g->t, weir_gxf_value(c->parameters, "policy")),
        .latest = strncmp(c->type, "AsyncBuffer", 11) == 0,
        .at = weir_evidence_reader_at(g->t, c->name->place),
    };
    if (!weir_evidence_reader_check_port(g->t, item.port.port, item.place))
        return;
    size_t bytes;
    uint32_t old = find_port(g, c->entity, item.port.port, &bytes);
    if (old != WEIR_NO_OPERATOR)
        weir_draft_mistake(d, item.place, "port \"%s\" is given twice; the first is in line %u", weir_quote(item.port.port, quoted),
                           g->items[old].place.line);
    else if (bytes)
        add_item(g, g->t->key, bytes, &item);
}

/* The entity of a document; WEIR_NO_OPERATOR when it has no name. */
static uint32_t add_entity(struct weir_gxf *g, const struct weir_yaml_node *name)
{
    char quoted[WEIR_QUOTED];
    struct weir_draft *d = &g->t->draft;
    if (!name)
        return WEIR_NO_OPERATOR;
    if (name->kind != WEIR_YAML_SCALAR) {
        if (name->kind != WEIR_YAML_BAD)
            weir_draft_mistake(d, name->place, "the name of an entity must be text, not %s", weir_yaml_kind_name(name));
        return WEIR_NO_OPERATOR;
    }
    if (!weir_draft_check_name_of(d, "an entity", name->text, name->bytes, name->place))
        return WEIR_NO_OPERATOR;
    uint32_t old = weir_draft_find(d, name->text, name->bytes);
    if (old == WEIR_NO_OPERATOR || !g->items) /* nothing is found before there is one */
        return add_item(g, name->text, name->bytes,
                        &(struct weir_gxf_item){.port = {.op = WEIR_NO_OPERATOR}, .place = name->place});
    weir_draft_mistake(d, name->place, "entity \"%s\" is given twice; the first is in line %u", weir_quote(name->text, quoted),
                       g->items[old].place.line);
    return WEIR_NO_OPERATOR;
}

/* ---- their properties ---- */

static uint32_t entity_operator(struct weir_gxf *g, uint32_t port)
{
    struct weir_gxf_item *entity = &g->items[g->items[port].entity];
    const char *name = g->t->draft.operators[g->items[port].entity].name;
    if (entity->port.op == WEIR_NO_OPERATOR)
        entity->port.op = weir_evidence_reader_operator(g->t, name, strlen(name), entity->place);
    return entity->port.op;
}

static void connect(struct weir_gxf *g, const struct weir_gxf_component *c)
{
    const struct weir_yaml_node *source = weir_gxf_value(c->parameters, "source");
    const struct weir_yaml_node *target = weir_gxf_value(c->parameters, "target");
    if (!source || !target) {
        weir_draft_mistake(&g->t->draft, c->node->place, "a connection needs a \"source\" and a \"target\"");
        return;
    }
    uint32_t from = weir_gxf_port(g, c, source, WEIR_GXF_OUTPUT), to = weir_gxf_port(g, c, target, WEIR_GXF_INPUT);
    if (from == WEIR_NO_OPERATOR || to == WEIR_NO_OPERATOR)
        return;
    struct weir_evidence_connection connection = {.from = entity_operator(g, from),
                                                  .to = entity_operator(g, to),
                                                  .from_port = g->items[from].port.port,
                                                  .to_port = g->items[to].port.port,
                                                  .at = weir_evidence_reader_at(g->t, c->node->place)};
    g->connected = true;
    if (connection.from != WEIR_NO_OPERATOR && connection.to != WEIR_NO_OPERATOR)
        weir_evidence_reader_add(g->t, weir_evidence_connect(g->t->evidence, &connection), c->node->place);
}

/* An entity of GXF that hands each message to all of its outputs, unless it takes them by turns. */
static void mark_broadcast(struct weir_gxf *g, const struct weir_gxf_component *c)
{
    const struct weir_yaml_node *mode = weir_gxf_value(c->parameters, "mode");
    if (c->entity == WEIR_NO_OPERATOR)
        return;
    if (mode && mode->kind == WEIR_YAML_SCALAR && strcmp(mode->text, "0") != 0 && strcmp(mode->text, "Broadcast") != 0)
        weir_draft_mistake(&g->t->draft, mode->place, "this broadcast feeds its outputs in turn, which weir cannot model");
    g->items[c->entity].broadcast = true;
}

static void read_component(struct weir_gxf *g, const struct weir_gxf_component *c)
{
    if (strcmp(c->type, "Connection") == 0)
        connect(g, c);
    else if (strcmp(c->type, "Broadcast") == 0)
        mark_broadcast(g, c);
    else if (strcmp(c->type, "Subgraph") == 0)
        weir_draft_mistake(&g->t->draft, c->node->place,
                           "subgraphs in other files are not read: put their entities into this file");
    else
        weir_gxf_term(g, c);
}

/* ---- documents ---- */

/* False when there is nothing to be made of it, which is reported. */
static bool open_component(struct weir_gxf *g, const struct weir_yaml_node *node, struct weir_gxf_component *c, bool report)
{
    struct weir_draft *d = &g->t->draft;
    const struct weir_yaml_node *type = weir_gxf_value(node, "type");
    if (!type || type->kind != WEIR_YAML_SCALAR) {
        if (report && node->kind == WEIR_YAML_MAP)
            weir_draft_mistake(d, node->place, "a component needs a \"type\"");
        else if (report && node->kind != WEIR_YAML_BAD)
            weir_draft_mistake(d, node->place, "a component must be a mapping, not %s", weir_yaml_kind_name(node));
        return false;
    }
    c->node = node;
    c->name = weir_gxf_value(node, "name");
    c->name = c->name && c->name->kind == WEIR_YAML_SCALAR ? c->name : NULL;
    c->parameters = weir_gxf_value(node, "parameters");
    if (c->parameters && c->parameters->kind != WEIR_YAML_MAP) {
        if (report)
            weir_draft_mistake(d, c->parameters->place, "\"parameters\" must be a mapping, not %s",
                               weir_yaml_kind_name(c->parameters));
        c->parameters = NULL;
    }
    c->type = weir_gxf_type(type->text);
    return true;
}

typedef void take_component(struct weir_gxf *, const struct weir_gxf_component *);

static void each_component(struct weir_gxf *g, const struct weir_yaml_node *document, uint32_t entity, take_component *take)
{
    const struct weir_yaml_node *list = weir_gxf_value(document, "components");
    bool first = take == add_port;
    if (list && list->kind != WEIR_YAML_LIST && list->kind != WEIR_YAML_BAD && first)
        weir_draft_mistake(&g->t->draft, list->place, "\"components\" must be a list, not %s", weir_yaml_kind_name(list));
    struct weir_gxf_component c = {.entity = entity};
    for (const struct weir_yaml_node *node = list && list->kind == WEIR_YAML_LIST ? list->first : NULL;
         node && weir_evidence_reader_goes_on(g->t); node = node->next)
        if (open_component(g, node, &c, first))
            take(g, &c);
}

/* What is known of entities and ports that are operators and theirs, when everything has been read. */
static void add_facts(struct weir_gxf *g)
{
    for (size_t i = 0; g->items && i < g->t->draft.operator_count && weir_evidence_reader_goes_on(g->t); i++) {
        struct weir_gxf_item *item = &g->items[i];
        bool entity = item->kind == WEIR_GXF_ENTITY;
        uint32_t op = entity ? item->port.op : g->items[item->entity].port.op;
        if (op == WEIR_NO_OPERATOR)
            continue;
        item->port.op = op;
        item->port.unconditional = !item->term && !item->port.latest;
        if (!entity)
            weir_evidence_reader_add(g->t, weir_evidence_add_port(g->t->evidence, &item->port), item->place);
        else
            g->t->evidence->operators[op].broadcast |= item->broadcast;
        if (item->period)
            weir_gxf_add_period(g->t, item->period,
                                (struct weir_evidence_period){.op = op,
                                                              .arrivals = item->arrivals,
                                                              .at = weir_evidence_reader_at(g->t, item->period->place)});
    }
}

static void read_application(struct weir_gxf *g)
{
    struct weir_draft *d = &g->t->draft;
    const struct weir_yaml_node *first = weir_yaml_parse(d, &g->t->text, &g->t->arena, true);
    size_t count = 0, i = 0;
    for (const struct weir_yaml_node *document = first; document; document = document->next)
        count++;
    uint32_t *entities = d->mistakes || d->out_of_memory ? NULL : weir_array(count, sizeof *entities);
    if (!entities) {
        d->out_of_memory |= !d->mistakes;
        return;
    }
    for (const struct weir_yaml_node *document = first; document && weir_evidence_reader_goes_on(g->t); document = document->next) {
        if (document->kind != WEIR_YAML_MAP && !weir_yaml_is_null(document))
            weir_draft_mistake(d, document->place, "a document must be a mapping with \"components\", not %s",
                               weir_yaml_kind_name(document));
        entities[i] = add_entity(g, weir_gxf_value(document, "name"));
        each_component(g, document, entities[i++], add_port);
    }
    i = 0;
    for (const struct weir_yaml_node *document = first; document && weir_evidence_reader_goes_on(g->t); document = document->next)
        each_component(g, document, entities[i++], read_component);
    add_facts(g);
    weir_free(entities);
}

void weir_evidence_read_gxf(struct weir_evidence_reader *t)
{
    struct weir_gxf g = {.t = t};
    struct weir_evidence_file *file = &t->evidence->files[t->file];
    size_t schedulers = t->evidence->scheduler_count;
    read_application(&g);
    file->connects = file->ports = g.connected; /* the recorder's file has a scheduler, and nothing else */
    if (!t->draft.mistakes && weir_evidence_reader_goes_on(t) && !g.connected && schedulers == t->evidence->scheduler_count)
        weir_draft_mistake(&t->draft, (struct weir_place){1, 1}, "this application has no connections (nvidia::gxf::Connection)");
    weir_free(g.items);
}
