/* SPDX-License-Identifier: Apache-2.0 */
/* The attributes weir knows; all others say how the graph is drawn. */
#include "read/dot/dot.h"

#include "model/pipeline.h"

#include <string.h>
#include <strings.h>

enum meaning { WORST, BEST, PERIOD, ARRIVALS, REENTRANT, CAPACITY, INITIAL, BLOCKING, CONSUME, FULL, OPTIONAL, LATEST, UNIT };

static const struct known {
    const char *name;
    enum weir_dot_target target;
    enum meaning meaning;
} known[] = {
    {"WCET", WEIR_DOT_NODE, WORST},          {"worst", WEIR_DOT_NODE, WORST},        {"BCET", WEIR_DOT_NODE, BEST},
    {"best", WEIR_DOT_NODE, BEST},           {"period", WEIR_DOT_NODE, PERIOD},      {"arrivals", WEIR_DOT_NODE, ARRIVALS},
    {"reentrant", WEIR_DOT_NODE, REENTRANT}, {"queue", WEIR_DOT_EDGE, CAPACITY},     {"capacity", WEIR_DOT_EDGE, CAPACITY},
    {"initial", WEIR_DOT_EDGE, INITIAL},     {"blocking", WEIR_DOT_EDGE, BLOCKING},  {"unit", WEIR_DOT_GRAPH, UNIT},
    {"queue", WEIR_DOT_GRAPH, CAPACITY},     {"capacity", WEIR_DOT_GRAPH, CAPACITY}, {"consume", WEIR_DOT_EDGE, CONSUME},
    {"full", WEIR_DOT_EDGE, FULL},           {"optional", WEIR_DOT_EDGE, OPTIONAL},  {"latest", WEIR_DOT_EDGE, LATEST},
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

/* Whether the value is the first of its kind in this list. */
static bool once(struct weir_dot_parser *p, bool *has, const struct weir_dot_token *value, const char *name)
{
    if (*has)
        weir_draft_mistake(p->draft, value->place, "\"%s\" is given twice in one list", name);
    bool first = !*has;
    *has = true;
    return first;
}

static void set_graph_attribute(struct weir_dot_parser *p, const struct known *k, const char *text,
                                const struct weir_dot_token *value)
{
    struct weir_draft *d = p->draft;
    if (p->depth > 1)
        return; /* of a part of the graph, and so of its drawing */
    if (k->meaning == CAPACITY) {
        if (!weir_draft_read_capacity(d, text, value->place, k->name, &d->queue))
            d->queue = WEIR_UNBOUNDED; /* enough, so that nothing else is found to be too much for it */
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

static void set_queue_attribute(struct weir_dot_parser *p, const struct known *k, const char *text,
                                const struct weir_dot_token *value, struct weir_dot_attributes *a)
{
    static const struct weir_draft_count consume = {"consume", "messages", WEIR_QUEUE_MAX};
    struct weir_draft *d = p->draft;
    switch (k->meaning) {
    case CAPACITY:
        if (once(p, &a->has_capacity, value, k->name))
            a->kind.bad |= !weir_draft_read_capacity(d, text, value->place, k->name, &a->kind.capacity);
        break;
    case INITIAL:
        if (once(p, &a->has_initial, value, k->name))
            a->kind.bad |= !weir_draft_read_initial(d, text, value->place, &a->kind.initial);
        a->kind.initial_place = a->kind.initial ? value->place : (struct weir_place){0, 0};
        break;
    case BLOCKING: {
        bool blocking = true;
        if (once(p, &a->has_blocking, value, k->name))
            a->kind.bad |= !weir_draft_read_boolean(d, text, value->place, k->name, &blocking);
        a->kind.nonblocking = !blocking;
        break;
    }
    case CONSUME:
        if (once(p, &a->has_consume, value, k->name))
            a->kind.bad |= !weir_draft_read_count(d, text, value->place, &consume, &a->kind.consume);
        break;
    case FULL:
        if (once(p, &a->has_full, value, k->name))
            a->kind.bad |= !weir_draft_read_full(d, text, value->place, &a->kind.full);
        break;
    case OPTIONAL:
        if (once(p, &a->has_optional, value, k->name))
            a->kind.bad |= !weir_draft_read_boolean(d, text, value->place, k->name, &a->kind.optional);
        break;
    case LATEST:
        if (once(p, &a->has_latest, value, k->name))
            a->kind.bad |= !weir_draft_read_boolean(d, text, value->place, k->name, &a->kind.latest);
        break;
    default:
        break;
    }
}

void weir_dot_attribute(struct weir_dot_parser *p, enum weir_dot_target target, struct weir_dot_attributes *a,
                        const struct weir_dot_token *name, const struct weir_dot_token *value)
{
    char buffer[64];
    struct weir_draft *d = p->draft;
    if ((p->cuda || p->measured) && target != WEIR_DOT_EDGE && is_named(name, "label"))
        set_label(p, target, a, value);
    if (p->cuda) {
        if (target == WEIR_DOT_NODE && is_named(name, "shape"))
            a->shape = value_text(p, value, NULL, 0);
        return;
    }
    if (target == WEIR_DOT_NODE && !p->gpu_place.line && is_named(name, "type") && is_gpu_type(value))
        p->gpu_place = value->place;
    const struct known *k = look_up(target, name);
    const char *text = k ? value_text(p, value, buffer, sizeof buffer) : NULL;
    if (!text)
        return;
    if (target == WEIR_DOT_GRAPH) {
        set_graph_attribute(p, k, text, value);
        return;
    }
    switch (k->meaning) {
    case WORST:
        set_time(p, &a->worst, text, value, k->name);
        break;
    case BEST:
        set_time(p, &a->best, text, value, k->name);
        break;
    case PERIOD:
        set_time(p, &a->period, text, value, k->name);
        break;
    case ARRIVALS:
        a->arrivals_place = value->place;
        if (once(p, &a->has_arrivals, value, k->name))
            weir_draft_read_arrivals(d, text, value->place, &a->arrivals);
        break;
    case REENTRANT:
        if (once(p, &a->has_reentrant, value, k->name))
            weir_draft_read_boolean(d, text, value->place, k->name, &a->reentrant);
        break;
    default:
        set_queue_attribute(p, k, text, value, a);
        break;
    }
}

void weir_dot_merge(struct weir_dot_attributes *into, const struct weir_dot_attributes *from)
{
    if (from->worst != WEIR_NO_TIME)
        into->worst = from->worst;
    if (from->best != WEIR_NO_TIME)
        into->best = from->best;
    if (from->period != WEIR_NO_TIME)
        into->period = from->period;
    if (from->has_arrivals) {
        into->has_arrivals = true;
        into->arrivals = from->arrivals;
        into->arrivals_place = from->arrivals_place;
    }
    if (from->has_reentrant) {
        into->has_reentrant = true;
        into->reentrant = from->reentrant;
    }
    if (from->has_capacity)
        into->kind.capacity = from->kind.capacity;
    if (from->has_initial) {
        into->kind.initial = from->kind.initial;
        into->kind.initial_place = from->kind.initial_place;
    }
    if (from->has_blocking)
        into->kind.nonblocking = from->kind.nonblocking;
    if (from->has_consume)
        into->kind.consume = from->kind.consume;
    if (from->has_full)
        into->kind.full = from->kind.full;
    if (from->has_optional)
        into->kind.optional = from->kind.optional;
    if (from->has_latest)
        into->kind.latest = from->kind.latest;
    into->has_consume |= from->has_consume;
    into->has_full |= from->has_full;
    into->has_optional |= from->has_optional;
    into->has_latest |= from->has_latest;
    into->has_capacity |= from->has_capacity;
    into->has_initial |= from->has_initial;
    into->has_blocking |= from->has_blocking;
    into->kind.bad |= from->kind.bad;
}
