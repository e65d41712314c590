/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An application of GXF: a document for each entity with its components, and components that connect the ports of entities. What
 * refers to something may stand before it, so entities and ports come first, then what is said of them, then what follows.
 */
#include "read/holoscan/gxf.h"

#include <string.h>

const struct weir_yaml_node *weir_gxf_value(const struct weir_yaml_node *map, const char *name)
{
    for (const struct weir_yaml_node *key = map ? map->first : NULL; key; key = key->next->next)
        if (key->kind == WEIR_YAML_SCALAR && strcmp(key->text, name) == 0)
            return weir_yaml_is_null(key->next) ? NULL : key->next;
    return NULL;
}

uint32_t weir_gxf_number(struct weir_gxf *g, const struct weir_yaml_node *node, const char *name)
{
    char quoted[WEIR_QUOTED];
    struct weir_decimal value;
    int64_t count;
    if (node->kind == WEIR_YAML_BAD)
        return 0;
    if (node->kind == WEIR_YAML_SCALAR && !weir_decimal_parse(node->text, &value) && !value.has_unit &&
        weir_decimal_ticks(&value, WEIR_UNIT_TICK, 0, &count) && count > 0 && count < INT32_MAX)
        return (uint32_t)count;
    weir_draft_mistake(&g->t.draft, node->place, "\"%s\" must be a whole number from 1 on, not \"%s\"", name,
                       node->kind == WEIR_YAML_SCALAR ? weir_quote(node->text, quoted) : weir_yaml_kind_name(node));
    return 0;
}

uint32_t weir_gxf_count(struct weir_gxf *g, const struct weir_yaml_node *parameters, const char *name)
{
    const struct weir_yaml_node *node = weir_gxf_value(parameters, name);
    return node ? weir_gxf_number(g, node, name) : 0;
}

/* ---- names ---- */

/* ENTITY \n PORT in g->key; its length, or 0 when out of memory. */
static size_t join(struct weir_gxf *g, const char *entity, size_t bytes, const char *port)
{
    size_t more = strlen(port);
    void *key = g->key;
    if (!weir_reserve(&key, &g->key_capacity, bytes + 1 + more, 1)) {
        g->t.draft.out_of_memory = true;
        return 0;
    }
    g->key = key;
    memcpy(g->key, entity, bytes);
    g->key[bytes] = '\n';
    memcpy(g->key + bytes + 1, port, more);
    return bytes + 1 + more;
}

/* A new item of that name, or WEIR_NO_OPERATOR. */
static uint32_t add_item(struct weir_gxf *g, const char *name, size_t bytes, const struct weir_gxf_item *item)
{
    struct weir_draft *d = &g->t.draft;
    if (!weir_draft_room(d, &g->items, &g->item_capacity, d->operator_count, sizeof *g->items))
        return WEIR_NO_OPERATOR;
    uint32_t number = weir_draft_add_operator(d, name, bytes, item->place);
    if (number != WEIR_NO_OPERATOR)
        g->items[number] = *item;
    return number;
}

static bool is_entity(const void *context, uint32_t number)
{
    const struct weir_gxf *g = context;
    return g->items[number].kind == WEIR_GXF_ENTITY;
}

static uint32_t find_entity(struct weir_gxf *g, const char *name, size_t bytes, struct weir_place place)
{
    char word[128], quoted[WEIR_QUOTED], near[WEIR_HINT];
    struct weir_draft *d = &g->t.draft;
    uint32_t entity = weir_draft_find(d, name, bytes);
    if (entity != WEIR_NO_OPERATOR || d->out_of_memory)
        return entity;
    snprintf(word, sizeof word, "%.*s", bytes < sizeof word ? (int)bytes : (int)sizeof word - 1, name);
    weir_draft_mistake(d, place, "there is no entity \"%s\"%s", weir_quote(word, quoted),
                       weir_draft_hint(d, word, is_entity, g, near));
    return WEIR_NO_OPERATOR;
}

uint32_t weir_gxf_port(struct weir_gxf *g, const struct weir_gxf_component *c, const struct weir_yaml_node *node,
                       enum weir_gxf_kind kind)
{
    static const char *const kinds[] = {"entity", "receiver", "transmitter"};
    char quoted[WEIR_QUOTED], owner[WEIR_QUOTED];
    struct weir_draft *d = &g->t.draft;
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
    const char *name = d->operators[entity].name;
    size_t bytes = join(g, name, strlen(name), port);
    uint32_t found = bytes ? weir_draft_find(d, g->key, bytes) : WEIR_NO_OPERATOR;
    if (d->out_of_memory || (found != WEIR_NO_OPERATOR && g->items[found].kind == kind))
        return d->out_of_memory ? WEIR_NO_OPERATOR : found;
    weir_draft_mistake(d, node->place, "entity \"%s\" has no %s \"%s\"", weir_quote(name, owner), kinds[kind],
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
    struct weir_draft *d = &g->t.draft;
    bool input = ends_with(c->type, "Receiver");
    if ((!input && !ends_with(c->type, "Transmitter")) || !c->name || c->entity == WEIR_NO_OPERATOR)
        return;
    struct weir_gxf_item item = {.kind = input ? WEIR_GXF_INPUT : WEIR_GXF_OUTPUT,
                                 .port = c->name->text,
                                 .entity = c->entity,
                                 .op = WEIR_NO_OPERATOR,
                                 .latest = strncmp(c->type, "AsyncBuffer", 11) == 0,
                                 .place = c->name->place};
    item.capacity = weir_gxf_count(g, c->parameters, "capacity");
    const struct weir_yaml_node *policy = weir_gxf_value(c->parameters, "policy");
    if (policy && policy->kind == WEIR_YAML_SCALAR && policy->bytes == 1 && *policy->text >= '0' && *policy->text <= '2')
        item.policy = (enum weir_evidence_policy)(WEIR_POLICY_POP + (*policy->text - '0'));
    else if (policy)
        weir_draft_mistake(d, policy->place, "\"policy\" must be 0 (pop), 1 (reject) or 2 (fault)");
    if (!weir_evidence_reader_check_port(&g->t, item.port, item.place))
        return;
    const char *name = d->operators[c->entity].name;
    size_t bytes = join(g, name, strlen(name), item.port);
    uint32_t old = bytes ? weir_draft_find(d, g->key, bytes) : WEIR_NO_OPERATOR;
    if (old != WEIR_NO_OPERATOR)
        weir_draft_mistake(d, item.place, "port \"%s\" is given twice; the first is in line %u", weir_quote(item.port, quoted),
                           g->items[old].place.line);
    else if (bytes)
        add_item(g, g->key, bytes, &item);
}

/* The entity of a document; WEIR_NO_OPERATOR when it has no name. */
static uint32_t add_entity(struct weir_gxf *g, const struct weir_yaml_node *name)
{
    char quoted[WEIR_QUOTED];
    struct weir_draft *d = &g->t.draft;
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
    if (old == WEIR_NO_OPERATOR)
        return add_item(g, name->text, name->bytes, &(struct weir_gxf_item){.op = WEIR_NO_OPERATOR, .place = name->place});
    weir_draft_mistake(d, name->place, "entity \"%s\" is given twice; the first is in line %u", weir_quote(name->text, quoted),
                       g->items[old].place.line);
    return WEIR_NO_OPERATOR;
}

/* ---- what is said of them ---- */

static uint32_t entity_operator(struct weir_gxf *g, uint32_t port)
{
    struct weir_gxf_item *entity = &g->items[g->items[port].entity];
    const char *name = g->t.draft.operators[g->items[port].entity].name;
    if (entity->op == WEIR_NO_OPERATOR)
        entity->op = weir_evidence_reader_operator(&g->t, name, strlen(name), entity->place);
    return entity->op;
}

static void connect(struct weir_gxf *g, const struct weir_gxf_component *c)
{
    const struct weir_yaml_node *source = weir_gxf_value(c->parameters, "source");
    const struct weir_yaml_node *target = weir_gxf_value(c->parameters, "target");
    if (!source || !target) {
        weir_draft_mistake(&g->t.draft, c->node->place, "a connection needs a \"source\" and a \"target\"");
        return;
    }
    uint32_t from = weir_gxf_port(g, c, source, WEIR_GXF_OUTPUT), to = weir_gxf_port(g, c, target, WEIR_GXF_INPUT);
    if (from == WEIR_NO_OPERATOR || to == WEIR_NO_OPERATOR)
        return;
    struct weir_evidence_connection connection = {.from = entity_operator(g, from),
                                                  .to = entity_operator(g, to),
                                                  .from_port = g->items[from].port,
                                                  .to_port = g->items[to].port,
                                                  .at = weir_evidence_reader_at(&g->t, c->node->place)};
    g->connected = true;
    if (connection.from != WEIR_NO_OPERATOR && connection.to != WEIR_NO_OPERATOR)
        weir_evidence_reader_add(&g->t, weir_evidence_connect(g->t.evidence, &connection), c->node->place);
}

/* An entity of GXF that hands each message to all of its outputs, unless it takes them by turns. */
static void mark_broadcast(struct weir_gxf *g, const struct weir_gxf_component *c)
{
    const struct weir_yaml_node *mode = weir_gxf_value(c->parameters, "mode");
    if (c->entity == WEIR_NO_OPERATOR)
        return;
    if (mode && mode->kind == WEIR_YAML_SCALAR && strcmp(mode->text, "0") != 0 && strcmp(mode->text, "Broadcast") != 0)
        weir_draft_mistake(&g->t.draft, mode->place, "this broadcast feeds its outputs by turns, which weir cannot model");
    g->items[c->entity].broadcast = true;
}

static void read_component(struct weir_gxf *g, const struct weir_gxf_component *c)
{
    if (strcmp(c->type, "Connection") == 0)
        connect(g, c);
    else if (strcmp(c->type, "Broadcast") == 0)
        mark_broadcast(g, c);
    else if (strcmp(c->type, "Subgraph") == 0)
        weir_draft_mistake(&g->t.draft, c->node->place, "subgraphs in other files are not read: put their entities into this file");
    else
        weir_gxf_term(g, c);
}

/* ---- documents ---- */

/* False when there is nothing to be made of it, which is reported. */
static bool open_component(struct weir_gxf *g, const struct weir_yaml_node *node, struct weir_gxf_component *c, bool report)
{
    struct weir_draft *d = &g->t.draft;
    const struct weir_yaml_node *type = node->kind == WEIR_YAML_MAP ? weir_gxf_value(node, "type") : NULL;
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
    const char *last = type->text;
    for (const char *at = type->text; (at = strstr(at, "::")); at += 2)
        last = at + 2;
    c->type = last;
    return true;
}

typedef void take_component(struct weir_gxf *, const struct weir_gxf_component *);

static void each_component(struct weir_gxf *g, const struct weir_yaml_node *document, uint32_t entity, take_component *take)
{
    const struct weir_yaml_node *list = document->kind == WEIR_YAML_MAP ? weir_gxf_value(document, "components") : NULL;
    bool first = take == add_port;
    if (list && list->kind != WEIR_YAML_LIST && list->kind != WEIR_YAML_BAD && first)
        weir_draft_mistake(&g->t.draft, list->place, "\"components\" must be a list, not %s", weir_yaml_kind_name(list));
    struct weir_gxf_component c = {.entity = entity};
    for (const struct weir_yaml_node *node = list && list->kind == WEIR_YAML_LIST ? list->first : NULL;
         node && weir_evidence_reader_goes_on(&g->t); node = node->next)
        if (open_component(g, node, &c, first))
            take(g, &c);
}

/* What is known of the ports of operators, when everything has been read. */
static void add_port_facts(struct weir_gxf *g, const struct weir_gxf_item *item)
{
    struct weir_evidence_port port = {.op = g->items[item->entity].op,
                                      .port = item->port,
                                      .output = item->kind == WEIR_GXF_OUTPUT,
                                      .capacity = item->capacity,
                                      .min_size = item->min_size,
                                      .policy = item->policy,
                                      .unconditional = !item->term && !item->latest,
                                      .latest = item->latest,
                                      .at = weir_evidence_reader_at(&g->t, item->place)};
    if (port.op != WEIR_NO_OPERATOR)
        weir_evidence_reader_add(&g->t, weir_evidence_add_port(g->t.evidence, &port), item->place);
}

static void add_facts(struct weir_gxf *g)
{
    for (size_t i = 0; i < g->t.draft.operator_count && weir_evidence_reader_goes_on(&g->t); i++) {
        const struct weir_gxf_item *item = &g->items[i];
        if (item->kind != WEIR_GXF_ENTITY) {
            add_port_facts(g, item);
            continue;
        }
        if (item->op == WEIR_NO_OPERATOR)
            continue;
        g->t.evidence->operators[item->op].broadcast |= item->broadcast;
        if (item->period)
            weir_gxf_add_period(g, item);
    }
}

static void read_application(struct weir_gxf *g)
{
    struct weir_draft *d = &g->t.draft;
    const struct weir_yaml_node *first = weir_yaml_parse_all(d, &g->t.text, &g->t.arena);
    size_t count = 0, i = 0;
    for (const struct weir_yaml_node *document = first; document; document = document->next)
        count++;
    uint32_t *entities = d->mistakes || d->out_of_memory ? NULL : weir_array(count, sizeof *entities);
    if (!entities) {
        d->out_of_memory |= !d->mistakes;
        return;
    }
    for (const struct weir_yaml_node *document = first; document && weir_evidence_reader_goes_on(&g->t);
         document = document->next) {
        if (document->kind != WEIR_YAML_MAP && !weir_yaml_is_null(document))
            weir_draft_mistake(d, document->place, "a document must be a mapping with \"components\", not %s",
                               weir_yaml_kind_name(document));
        entities[i] = add_entity(g, document->kind == WEIR_YAML_MAP ? weir_gxf_value(document, "name") : NULL);
        each_component(g, document, entities[i++], add_port);
    }
    i = 0;
    for (const struct weir_yaml_node *document = first; document && weir_evidence_reader_goes_on(&g->t); document = document->next)
        each_component(g, document, entities[i++], read_component);
    add_facts(g);
    weir_free(entities);
}

enum weir_status weir_evidence_read_gxf(struct weir_evidence *evidence, uint32_t file, const char *bytes, size_t size,
                                        struct weir_errors *errors)
{
    struct weir_gxf g = {0};
    if (weir_evidence_reader_begin(&g.t, evidence, file, (struct weir_evidence_reader_bytes){bytes, size}, errors)) {
        evidence->files[file].connects = evidence->files[file].ports = true;
        read_application(&g);
        if (!g.t.draft.mistakes && weir_evidence_reader_goes_on(&g.t) && !g.connected)
            weir_draft_mistake(&g.t.draft, (struct weir_place){1, 1},
                               "this application has no connections (nvidia::gxf::Connection)");
    }
    weir_free(g.items);
    weir_free(g.key);
    return weir_evidence_reader_end(&g.t);
}
