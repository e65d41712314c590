/* SPDX-License-Identifier: Apache-2.0 */
/* The attributes weir knows; all others say how the graph is drawn. */
#include "read/dot/dot.h"

#include <string.h>
#include <strings.h>

/* A word for a key of the model; times are ends of what the key says. */
static const struct known {
    const char *name;
    enum weir_dot_target target;
    enum weir_key_id key;
} known[] = {
    {"WCET", WEIR_DOT_NODE, WEIR_KEY_WORST},          {"worst", WEIR_DOT_NODE, WEIR_KEY_WORST},
    {"BCET", WEIR_DOT_NODE, WEIR_KEY_BEST},           {"best", WEIR_DOT_NODE, WEIR_KEY_BEST},
    {"period", WEIR_DOT_NODE, WEIR_KEY_PERIOD},       {"arrivals", WEIR_DOT_NODE, WEIR_KEY_ARRIVALS},
    {"reentrant", WEIR_DOT_NODE, WEIR_KEY_REENTRANT}, {"queue", WEIR_DOT_EDGE, WEIR_KEY_CAPACITY},
    {"capacity", WEIR_DOT_EDGE, WEIR_KEY_CAPACITY},   {"initial", WEIR_DOT_EDGE, WEIR_KEY_INITIAL},
    {"blocking", WEIR_DOT_EDGE, WEIR_KEY_BLOCKING},   {"unit", WEIR_DOT_GRAPH, WEIR_KEY_UNIT},
    {"queue", WEIR_DOT_GRAPH, WEIR_KEY_CAPACITY},     {"capacity", WEIR_DOT_GRAPH, WEIR_KEY_CAPACITY},
    {"consume", WEIR_DOT_EDGE, WEIR_KEY_CONSUME},     {"full", WEIR_DOT_EDGE, WEIR_KEY_FULL},
    {"optional", WEIR_DOT_EDGE, WEIR_KEY_OPTIONAL},   {"latest", WEIR_DOT_EDGE, WEIR_KEY_LATEST},
    {"assumed", WEIR_DOT_NODE, WEIR_KEY_ASSUMED},
};

static const struct known *look_up(enum weir_dot_target target, const struct weir_dot_token *name)
{
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].target == target && strlen(known[i].name) == name->bytes &&
            strncasecmp(known[i].name, name->text, name->bytes) == 0)
            return &known[i];
    return NULL;
}

/* The value without space around it, terminated; NULL when out of memory. */
static const char *value_text(struct weir_dot_parser *p, const struct weir_dot_token *value, char *buffer, size_t room)
{
    const char *text = value->text;
    size_t bytes = value->bytes;
    for (; bytes && *text == ' '; text++)
        bytes--;
    while (bytes && text[bytes - 1] == ' ')
        bytes--;
    char *copy = bytes < room ? buffer : weir_arena_take(&p->draft->arena, bytes + 1);
    if (!copy) {
        p->draft->out_of_memory = true;
        return NULL;
    }
    memcpy(copy, text, bytes);
    copy[bytes] = 0;
    return copy;
}

static void set_time(struct weir_dot_parser *p, uint32_t *time, const char *text, const struct weir_dot_token *value,
                     const char *name)
{
    if (*time != WEIR_NO_TIME)
        weir_draft_mistake(p->draft, value->place, "\"%s\" is given twice in one list", name);
    else
        *time = weir_draft_time(p->draft, text, value->place, name);
}

static bool read_value(struct weir_dot_parser *p, const struct known *k, const char *text, const struct weir_dot_token *value,
                       int64_t *number)
{
    struct weir_key key = weir_keys[k->key];
    key.name = k->name;
    return weir_draft_read(p->draft, text, value->place, &key, number);
}

/* The number of a key's bit in `given`. */
static uint32_t bit_of(enum weir_key_id id)
{
    return id == WEIR_KEY_ARRIVALS    ? 1u << 30
           : id == WEIR_KEY_REENTRANT ? 1u << 31
           : id == WEIR_KEY_ASSUMED   ? 1u << 29
                                      : 1u << (id - WEIR_FIRST_QUEUE);
}

bool weir_dot_gives(const struct weir_dot_attributes *a, enum weir_key_id id)
{
    return a->given & bit_of(id);
}

static void set_graph_attribute(struct weir_dot_parser *p, const struct known *k, const char *text,
                                const struct weir_dot_token *value)
{
    struct weir_draft *d = p->draft;
    int64_t capacity;
    if (p->depth > 1)
        return; /* of a part of the graph, and so of its drawing */
    if (k->key == WEIR_KEY_CAPACITY) {
        /* A wrong one is enough, so that nothing else is found to be too much for it. */
        d->queue = read_value(p, k, text, value, &capacity) ? (uint32_t)capacity : WEIR_UNBOUNDED;
    } else if (d->has_unit) {
        weir_draft_mistake(d, value->place, "\"unit\" is given twice; the first is in line %u", p->unit_place.line);
    } else {
        p->unit_place = value->place;
        weir_draft_set_unit(d, text, value->place);
    }
}

static bool is_named(const struct weir_dot_token *name, const char *what)
{
    return name->bytes == strlen(what) && memcmp(name->text, what, name->bytes) == 0;
}

/* Tools that analyse work on GPUs divide an operator into nodes of these types. */
static bool is_gpu_type(const struct weir_dot_token *value)
{
    static const char *const types[] = {"GPU", "syncpre", "syncpost"};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (value->bytes == strlen(types[i]) && strncasecmp(value->text, types[i], value->bytes) == 0)
            return true;
    return false;
}

static void set_label(struct weir_dot_parser *p, enum weir_dot_target target, struct weir_dot_attributes *a,
                      const struct weir_dot_token *value)
{
    const char *text = value_text(p, value, NULL, 0);
    if (text && target == WEIR_DOT_NODE) {
        a->label = text;
        a->label_place = value->place;
    } else if (text && p->depth == 1) {
        p->label = text;
    }
}

/* What is no time, once in a list. */
static void set_value(struct weir_dot_parser *p, const struct known *k, const char *text, const struct weir_dot_token *value,
                      struct weir_dot_attributes *a)
{
    int64_t numbers[2] = {0, 0};
    bool again = weir_dot_gives(a, k->key), queue = k->key >= WEIR_FIRST_QUEUE && k->key < WEIR_FIRST_SOURCE;
    a->given |= bit_of(k->key);
    if (again)
        weir_draft_mistake(p->draft, value->place, "\"%s\" is given twice in one list", k->name);
    bool good = !again && read_value(p, k, text, value, numbers);
    if (k->key == WEIR_KEY_ARRIVALS)
        a->arrivals_place = value->place;
    if (good && queue)
        weir_key_set(&weir_keys[k->key], &a->kind.spec, numbers);
    else if (good && k->key == WEIR_KEY_ARRIVALS)
        a->arrivals = (enum weir_arrivals)numbers[0];
    else if (good)
        *(k->key == WEIR_KEY_ASSUMED ? &a->assumed : &a->reentrant) = numbers[0] != 0;
    a->kind.bad |= queue && !again && !good;
    if (k->key == WEIR_KEY_INITIAL)
        a->kind.initial_place = a->kind.spec.initial ? value->place : (struct weir_place){0, 0};
}

/* "ports" of the graph: that its edges are ports, as in the graphs that weir writes. */
static void set_ports(struct weir_dot_parser *p, const struct weir_dot_token *value)
{
    char quoted[WEIR_QUOTED], buffer[64];
    const char *text = value_text(p, value, buffer, sizeof buffer);
    p->separate = text && strcmp(text, "separate") == 0;
    if (text && !p->separate)
        weir_draft_mistake(p->draft, value->place, "\"ports\" of a graph can be separate, not \"%s\"; --ports says the rest",
                           weir_quote(text, quoted));
}

void weir_dot_attribute(struct weir_dot_parser *p, enum weir_dot_target target, struct weir_dot_attributes *a,
                        const struct weir_dot_token *name, const struct weir_dot_token *value)
{
    char buffer[64];
    if ((p->cuda || p->measured) && target != WEIR_DOT_EDGE && is_named(name, "label"))
        set_label(p, target, a, value);
    if (p->cuda) {
        if (target == WEIR_DOT_NODE && is_named(name, "shape"))
            a->shape = value_text(p, value, NULL, 0);
        return;
    }
    if (target == WEIR_DOT_NODE && !p->gpu_place.line && is_named(name, "type") && is_gpu_type(value))
        p->gpu_place = value->place;
    if (target == WEIR_DOT_GRAPH && p->depth == 1 && is_named(name, "ports"))
        set_ports(p, value);
    const struct known *k = look_up(target, name);
    const char *text = k ? value_text(p, value, buffer, sizeof buffer) : NULL;
    if (!text)
        return;
    if (target == WEIR_DOT_GRAPH) {
        set_graph_attribute(p, k, text, value);
        return;
    }
    if (k->key == WEIR_KEY_WORST)
        set_time(p, &a->worst, text, value, k->name);
    else if (k->key == WEIR_KEY_BEST)
        set_time(p, &a->best, text, value, k->name);
    else if (k->key == WEIR_KEY_PERIOD)
        set_time(p, &a->period, text, value, k->name);
    else
        set_value(p, k, text, value, a);
}

void weir_dot_merge(struct weir_dot_attributes *into, const struct weir_dot_attributes *from)
{
    if (from->worst != WEIR_NO_TIME)
        into->worst = from->worst;
    if (from->best != WEIR_NO_TIME)
        into->best = from->best;
    if (from->period != WEIR_NO_TIME)
        into->period = from->period;
    if (weir_dot_gives(from, WEIR_KEY_ARRIVALS)) {
        into->arrivals = from->arrivals;
        into->arrivals_place = from->arrivals_place;
    }
    if (weir_dot_gives(from, WEIR_KEY_REENTRANT))
        into->reentrant = from->reentrant;
    if (weir_dot_gives(from, WEIR_KEY_ASSUMED))
        into->assumed = from->assumed;
    if (weir_dot_gives(from, WEIR_KEY_INITIAL))
        into->kind.initial_place = from->kind.initial_place;
    for (enum weir_key_id id = WEIR_KEY_CONSUME; id <= WEIR_KEY_LATEST; id++)
        if (weir_dot_gives(from, id))
            weir_key_set(&weir_keys[id], &into->kind.spec, (int64_t[2]){weir_key_get(&weir_keys[id], &from->kind.spec, 0)});
    into->given |= from->given;
    into->kind.bad |= from->kind.bad;
}
