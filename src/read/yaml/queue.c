/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Queues: "a -> b", "a -> b -> c", "a -> [b, c]", or a mapping. A list of targets is one output port fanned out: an operator
 * stands for the broadcast that the runtime inserts, and each target has a queue behind it. On shared processors and cores nothing
 * is inserted: what copies would run on one of them, so each target has a queue of its own. On a GPU what is written the same way
 * are dependencies.
 */
#include "read/yaml/value.h"

#include <string.h>

/* What is said about one output port. */
struct port {
    uint32_t from, to; /* `to` is the broadcast where there is one */
    struct weir_draft_kind kind;
    struct weir_place place;
};

static void add_queue(struct weir_draft *d, const struct port *port, uint32_t from, uint32_t to)
{
    if (from == WEIR_NO_OPERATOR || to == WEIR_NO_OPERATOR)
        d->incomplete = true;
    else
        weir_draft_add_queue(d, &(struct weir_draft_queue){from, to, weir_draft_kind(d, &port->kind), port->place});
}

/* ---- fanning out ---- */

/* With the first number behind it that makes it new. */
uint32_t weir_draft_add_broadcast(struct weir_draft *d, uint32_t from, struct weir_place place)
{
    struct weir_draft_operator *o = &d->operators[from];
    size_t room = strlen(o->name) + 32;
    char *name = weir_array(room, 1);
    if (!name) {
        d->out_of_memory = true;
        return WEIR_NO_OPERATOR;
    }
    size_t used;
    do {
        char number[16] = "";
        if (++o->ports > 1)
            snprintf(number, sizeof number, "%u", o->ports);
        used = (size_t)snprintf(name, room, "%s.broadcast%s", o->name, number);
    } while (weir_draft_find(d, name, used) != WEIR_NO_OPERATOR);
    uint32_t op = weir_draft_add_operator(d, name, used, place);
    weir_free(name);
    if (op != WEIR_NO_OPERATOR)
        d->operators[op].broadcast = true;
    return op;
}

/* The operator between a port and its targets, with the queue that leads to it. `body` is what the user says of it, or NULL. */
static void add_broadcast(struct weir_draft *d, struct port *port, const struct weir_yaml_node *body)
{
    if (port->from == WEIR_NO_OPERATOR) {
        d->incomplete = true;
        return;
    }
    uint32_t op = weir_draft_add_broadcast(d, port->from, port->place);
    if (op == WEIR_NO_OPERATOR)
        return;
    if (body)
        weir_yaml_operator_body(d, body, op);
    struct port before = *port;
    before.kind.initial = 0;
    before.kind.initial_place = (struct weir_place){0, 0};
    /* How messages are taken is up to the targets; the broadcast itself takes each at once, so that its queue is never full. */
    before.kind.consume = 0;
    before.kind.full = WEIR_FULL_NEVER;
    before.kind.optional = before.kind.latest = false;
    before.kind.transfer[0] = before.kind.transfer[1] = WEIR_NO_TIME;
    add_queue(d, &before, port->from, op);
    port->to = op;
}

/* ---- "a -> b" ---- */

struct arrows {
    struct weir_draft *draft;
    const struct weir_yaml_node *node;
    const char *at;
    const char *counted; /* up to here the characters are counted: column */
    uint32_t column;
};

/* The place of `at`, which only moves on. */
static struct weir_place place_at(struct arrows *a)
{
    for (; a->counted < a->at; a->counted++)
        a->column += (*a->counted & 0xc0) != 0x80;
    return a->node->literal ? (struct weir_place){a->node->place.line, a->column} : a->node->place;
}

static void skip_space(struct arrows *a)
{
    while (*a->at == ' ' || *a->at == '\t' || *a->at == '\n')
        a->at++;
}

static bool complain(struct arrows *a, const char *expected)
{
    char quoted[WEIR_QUOTED];
    weir_draft_mistake(a->draft, place_at(a), "%s in the %s \"%s\"", expected, a->draft->gpu ? "dependency" : "queue",
                       weir_quote(a->node->text, quoted));
    a->draft->incomplete = true;
    return false;
}

/* A name in quotes; \" and \\ stand for the second character. */
static bool quoted_name(struct arrows *a, const char **name, size_t *bytes)
{
    const char *begin = a->at + 1, *end = begin;
    while (*end && *end != '"')
        end += 1 + (*end == '\\' && (end[1] == '"' || end[1] == '\\'));
    if (!*end)
        return complain(a, "a quote is not closed");
    char *copy = weir_arena_take(&a->draft->arena, (size_t)(end - begin) + 1);
    if (!copy) {
        a->draft->out_of_memory = true;
        return false;
    }
    *name = copy;
    for (const char *s = begin; s < end; s++) {
        s += *s == '\\' && (s[1] == '"' || s[1] == '\\');
        *copy++ = *s;
    }
    *bytes = (size_t)(copy - *name);
    a->at = end + 1;
    skip_space(a);
    return true;
}

/* A name that ends before "->", or in a list before "," or "]". */
static bool read_name(struct arrows *a, bool in_list, const char *what, uint32_t *op)
{
    const char *name = NULL, *end;
    size_t bytes = 0;
    skip_space(a);
    struct weir_place place = place_at(a);
    if (*a->at == '"') {
        if (!quoted_name(a, &name, &bytes))
            return false;
        if (*a->at && strncmp(a->at, "->", 2) != 0 && !(in_list && strchr(",]", *a->at)))
            return complain(a, in_list ? "expected \",\" or \"]\" behind a name in quotes"
                                       : "expected \"->\" behind a name in quotes");
    } else {
        name = a->at;
        while (*a->at && strncmp(a->at, "->", 2) != 0 && !(in_list && strchr(",]", *a->at)))
            a->at++;
        for (end = a->at; end > name && strchr(" \t\n", end[-1]); end--)
            ;
        bytes = (size_t)(end - name);
    }
    if (bytes == 0)
        return complain(a, "a name is missing");
    *op = weir_yaml_lookup(a->draft, name, bytes, place, what);
    return true;
}

static const char *leads_to(const struct weir_draft *d)
{
    return d->gpu ? "a dependency leads to" : "a queue leads to";
}

/* From "[" to the end. */
static bool read_targets(struct arrows *a, struct port *port)
{
    struct weir_draft *d = a->draft;
    bool first = true;
    port->to = port->from;
    do {
        uint32_t to = WEIR_NO_OPERATOR;
        a->at++; /* the bracket, or the comma */
        if (!read_name(a, true, leads_to(d), &to))
            return false;
        if (first && *a->at == ',' && weir_draft_threads(d))
            add_broadcast(d, port, NULL);
        first = false;
        add_queue(d, port, port->to, to);
    } while (*a->at == ',' && !d->out_of_memory);
    if (*a->at != ']')
        return complain(a, "expected \",\" or \"]\"");
    a->at++;
    skip_space(a);
    return !*a->at || complain(a, "a list of targets can only stand at the end");
}

static void read_arrows(struct weir_draft *d, const struct weir_yaml_node *node)
{
    struct arrows a = {.draft = d, .node = node, .at = node->text, .counted = node->text};
    a.column = node->place.column + node->quoted;
    struct port port = {.place = node->place};
    skip_space(&a);
    port.place = place_at(&a);
    if (!strstr(node->text, "->")) {
        complain(&a, "there is no arrow (a -> b)");
        return;
    }
    if (!read_name(&a, false, d->gpu ? "a dependency comes from" : "a queue comes from", &port.from))
        return;
    while (*a.at && !d->out_of_memory) {
        uint32_t to = WEIR_NO_OPERATOR;
        a.at += 2;
        skip_space(&a);
        struct weir_place next = place_at(&a);
        if (*a.at == '[') {
            read_targets(&a, &port);
            return;
        }
        if (!read_name(&a, false, leads_to(d), &to))
            return;
        add_queue(d, &port, port.from, to);
        port.from = to;
        port.place = next;
    }
}

/* ---- mappings ---- */

enum { FROM, TO, CAPACITY, INITIAL, BLOCKING, BROADCAST, PRODUCE, CONSUME, THRESHOLD, FULL, OPTIONAL, LATEST, TRANSFER, KEYS };

static void read_kind(struct weir_draft *d, const struct weir_yaml_node *const *values, struct weir_draft_kind *kind)
{
    const struct weir_yaml_node *node = values[CAPACITY];
    if (node) {
        const char *text = weir_yaml_capacity(d, node, "capacity");
        kind->bad |= !text || !weir_draft_read_capacity(d, text, node->place, "capacity", &kind->capacity);
    }
    node = values[INITIAL];
    if (node) {
        const char *text = weir_yaml_number(d, node, "initial", "a whole number of messages");
        kind->bad |= !text || !weir_draft_read_initial(d, text, node->place, &kind->initial);
        kind->initial_place = kind->initial ? node->place : (struct weir_place){0, 0};
    }
    node = values[BLOCKING];
    if (node) {
        bool blocking = true;
        const char *text = weir_yaml_number(d, node, "blocking", "true or false");
        kind->bad |= !text || !weir_draft_read_boolean(d, text, node->place, "blocking", &blocking);
        kind->nonblocking = !blocking;
    }
    if (d->pool)
        weir_yaml_queue_rates(d, values + PRODUCE, kind);
    if (weir_draft_threads(d))
        weir_yaml_queue_waits(d,
                              &(struct weir_yaml_waits){values[CAPACITY], values[INITIAL], values[BLOCKING], values[CONSUME],
                                                        values[FULL], values[OPTIONAL], values[LATEST], values[TRANSFER]},
                              kind);
}

static void read_mapping_targets(struct weir_draft *d, const struct weir_yaml_node *const *values, struct port *port)
{
    const struct weir_yaml_node *to = values[TO];
    bool many = to->kind == WEIR_YAML_LIST && to->first && to->first->next;
    if (values[BROADCAST] && d->shared)
        weir_draft_mistake(
            d, values[BROADCAST]->place,
            "\"broadcast\" is for operators with threads of their own; on shared processors each target has its queue");
    else if (values[BROADCAST] && !many && to->kind != WEIR_YAML_BAD)
        weir_draft_mistake(d, values[BROADCAST]->place, "\"broadcast\" describes a port with several targets, but \"to\" is %s",
                           to->kind == WEIR_YAML_LIST ? "a list of fewer than two" : "one operator");
    port->to = port->from;
    if (many && weir_draft_threads(d))
        add_broadcast(d, port, values[BROADCAST]);
    if (to->kind == WEIR_YAML_LIST && !to->first) {
        weir_draft_mistake(d, to->place, "\"to\" is an empty list");
        d->incomplete = true;
    }
    for (const struct weir_yaml_node *item = to->kind == WEIR_YAML_LIST ? to->first : to; item && !d->out_of_memory;
         item = item->next) {
        add_queue(d, port, port->to, weir_yaml_operator(d, item, "to"));
        if (item == to)
            break;
    }
}

static void read_mapping(struct weir_draft *d, const struct weir_yaml_node *node)
{
    static const char *const names[KEYS] = {"from",    "to",        "capacity", "initial",  "blocking", "broadcast", "produce",
                                            "consume", "threshold", "full",     "optional", "latest",   "transfer"};
    static const unsigned char platforms[KEYS] = {[FROM] = WEIR_ON_ALL,
                                                  [TO] = WEIR_ON_ALL,
                                                  [CAPACITY] = WEIR_ON_ALL,
                                                  [INITIAL] = WEIR_ON_ALL,
                                                  [BLOCKING] = WEIR_ON_ALL & ~WEIR_ON_POOL,
                                                  [BROADCAST] = WEIR_ON_ALL & ~WEIR_ON_POOL,
                                                  [PRODUCE] = WEIR_ON_POOL,
                                                  [CONSUME] = WEIR_ON_POOL | WEIR_ON_THREADS,
                                                  [THRESHOLD] = WEIR_ON_POOL,
                                                  [FULL] = WEIR_ON_THREADS,
                                                  [OPTIONAL] = WEIR_ON_THREADS,
                                                  [LATEST] = WEIR_ON_THREADS,
                                                  [TRANSFER] = WEIR_ON_THREADS};
    static const struct weir_yaml_keys keys = {"a queue", names, KEYS, platforms}, bare = {"a dependency", names, TO + 1, NULL};
    const struct weir_yaml_node *values[KEYS] = {NULL};
    bool clean = weir_yaml_fields(d, node, d->gpu ? &bare : &keys, values);
    struct port port = {.from = WEIR_NO_OPERATOR, .kind = {.bad = !clean}, .place = node->place};
    for (int i = FROM; i <= TO && clean; i++)
        if (!values[i])
            weir_draft_mistake(d, node->place, "%s needs \"%s\"", d->gpu ? bare.where : keys.where, names[i]);
    d->incomplete |= !values[FROM] || !values[TO];
    read_kind(d, values, &port.kind);
    if (values[FROM])
        port.from = weir_yaml_operator(d, values[FROM], "from");
    if (values[TO])
        read_mapping_targets(d, values, &port);
}

void weir_yaml_queues(struct weir_draft *d, const struct weir_yaml_node *list)
{
    if (weir_yaml_is_null(list))
        return;
    if (!weir_yaml_expect(d, list, WEIR_YAML_LIST, d->gpu ? "dependencies" : "queues", "a list of \"a -> b\" or mappings")) {
        d->incomplete = true;
        return;
    }
    for (const struct weir_yaml_node *item = list->first; item && !d->out_of_memory; item = item->next) {
        if (item->kind == WEIR_YAML_MAP)
            read_mapping(d, item);
        else if (weir_yaml_expect_item(d, item, WEIR_YAML_SCALAR, d->gpu ? "a dependency" : "a queue", "\"a -> b\" or a mapping"))
            read_arrows(d, item);
        else
            d->incomplete = true;
    }
}
