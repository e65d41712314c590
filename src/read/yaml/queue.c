/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Queues: "a -> b", "a -> b -> c", "a -> [b, c]", or a mapping. A list of targets is one output port fanned out: an operator
 * stands for the broadcast that the runtime inserts, and each target has a queue behind it. On shared processors and cores nothing
 * is inserted: what copies would run on one of them, so each target has a queue of its own. On a GPU what is written the same way
 * are dependencies.
 */
#include "base/utf8.h"
#include "read/yaml/value.h"

#include <string.h>

/* The keys of one output port. */
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
    const char *base = d->operators[from].name;
    size_t room = strlen(base) + 32;
    char *name = weir_array(room, 1);
    if (!name) {
        d->out_of_memory = true;
        return WEIR_NO_OPERATOR;
    }
    size_t used;
    do {
        char number[16] = "";
        if (++d->operators[from].ports > 1)
            snprintf(number, sizeof number, "%u", d->operators[from].ports);
        used = (size_t)snprintf(name, room, "%s.broadcast%s", base, number);
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
    before.kind.initial_place = (struct weir_place){0, 0};
    /* How messages are taken is up to the targets; the broadcast itself takes each at once, so that its queue is never full. */
    before.kind.spec = (struct weir_queue_spec){.capacity = port->kind.spec.capacity, .nonblocking = port->kind.spec.nonblocking};
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
        a->column += weir_utf8_begins(*a->counted);
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
            return complain(a,
                            in_list ? "expected \",\" or \"]\" after a name in quotes" : "expected \"->\" after a name in quotes");
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

/* What cannot be said at once is reported, the first of it; false then. */
static bool check_kind(struct weir_draft *d, const struct weir_yaml_fields *f, const struct weir_queue_spec *q)
{
    const struct weir_yaml_node *consume = f->of[WEIR_KEY_CONSUME], *transfer = f->of[WEIR_KEY_TRANSFER];
    const struct weir_yaml_node *capacity = f->of[WEIR_KEY_CAPACITY], *threshold = f->of[WEIR_KEY_THRESHOLD];
    uint32_t taken = q->consume ? q->consume : 1;
    size_t mistakes = d->mistakes;
    if (f->of[WEIR_KEY_FULL] && !q->nonblocking && !q->port)
        weir_draft_mistake(d, f->of[WEIR_KEY_FULL]->place,
                           "\"full\" is what happens when the producer does not wait for room; it needs \"blocking: false\"");
    if (threshold && q->threshold < taken)
        weir_draft_mistake(d, threshold->place, "\"threshold\" is %u, below \"consume\": an execution cannot take %u samples of %u",
                           q->threshold, taken, q->threshold);
    if (d->mistakes > mistakes || !weir_draft_threads(d))
        return d->mistakes == mistakes;
    for (enum weir_key_id id = WEIR_KEY_CONSUME; id < WEIR_KEY_LATEST && q->latest; id++)
        if (f->of[id])
            weir_draft_mistake(d, f->of[id]->place,
                               "\"%s\" has no meaning with \"latest\": there is no queue but one message, and nobody waits",
                               weir_keys[id].name);
    if (f->of[WEIR_KEY_QUEUE_WITHIN] && !q->latest)
        weir_draft_mistake(d, f->of[WEIR_KEY_QUEUE_WITHIN]->place,
                           "\"within\" is the age of what is read again; it needs \"latest: true\"");
    if (f->of[WEIR_KEY_MISSING] && !q->latest)
        weir_draft_mistake(d, f->of[WEIR_KEY_MISSING]->place,
                           "\"missing\" is what happens when there is nothing to read again; it needs \"latest: true\"");
    if (consume && q->optional && q->consume > 1)
        weir_draft_mistake(d, consume->place,
                           "\"consume\" has no meaning with \"optional\": an execution takes one message if there is one");
    if (transfer && q->optional && !q->nonblocking)
        weir_draft_mistake(d, transfer->place,
                           "\"transfer\" with \"optional\" needs \"blocking: false\": a message in transit takes no room");
    if (capacity && !q->nonblocking && q->capacity < q->consume)
        weir_draft_mistake(d, capacity->place, "\"capacity\" is %u, below \"consume\": there are never %u messages to take",
                           q->capacity, q->consume);
    return d->mistakes == mistakes;
}

static void read_mapping_targets(struct weir_draft *d, const struct weir_yaml_fields *f, struct port *port)
{
    const struct weir_yaml_node *to = f->of[WEIR_KEY_TO], *broadcast = f->of[WEIR_KEY_BROADCAST];
    bool many = to->kind == WEIR_YAML_LIST && to->first && to->first->next;
    if (broadcast && !many && to->kind != WEIR_YAML_BAD)
        weir_draft_mistake(d, broadcast->place, "\"broadcast\" describes a port with several targets, but \"to\" is %s",
                           to->kind == WEIR_YAML_LIST ? "a list of fewer than two" : "one operator");
    port->to = port->from;
    if (many && weir_draft_threads(d))
        add_broadcast(d, port, broadcast);
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
    enum weir_owner owner = d->gpu ? WEIR_OF_DEPENDENCY : WEIR_OF_QUEUE;
    struct weir_yaml_fields f;
    struct port port = {.place = node->place};
    struct weir_queue_spec *spec = &port.kind.spec;
    weir_yaml_open(d, node, owner, &f);
    weir_yaml_require(d, node, owner, &f);
    d->incomplete |= !f.of[WEIR_KEY_FROM] || !f.of[WEIR_KEY_TO];
    port.from = f.of[WEIR_KEY_FROM] ? weir_yaml_operator(d, f.of[WEIR_KEY_FROM], "from") : WEIR_NO_OPERATOR;
    f.of[WEIR_KEY_FROM] = NULL; /* of the queue, not of its kind */
    port.kind.bad = !weir_yaml_read(d, &f, owner, spec) || !f.clean || !check_kind(d, &f, spec);
    if (spec->initial)
        port.kind.initial_place = f.of[WEIR_KEY_INITIAL]->place;
    if (f.of[WEIR_KEY_TO])
        read_mapping_targets(d, &f, &port);
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
