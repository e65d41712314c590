/* SPDX-License-Identifier: Apache-2.0 */
/* The model file (docs/reference/model.md): the keys at its top, operators, latencies. */
#include "read/yaml/value.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- operators ---- */

void weir_yaml_operator_body(struct weir_draft *d, const struct weir_yaml_node *node, uint32_t op)
{
    enum { TIME, RECEIVE, REENTRANT, ON, PRIORITY, SLOT, COST, OBSERVED, GPU, KEYS };
    static const char *const names[KEYS] = {"time", "receive", "reentrant", "on", "priority", "slot", "cost", "observed", "gpu"};
    static const unsigned char platforms[KEYS] = {WEIR_ON_ALL,
                                                  WEIR_ON_ALL & ~WEIR_ON_POOL,
                                                  WEIR_ON_ALL & ~WEIR_ON_POOL,
                                                  WEIR_ON_PROCESSORS,
                                                  WEIR_ON_PROCESSORS,
                                                  WEIR_ON_PROCESSORS,
                                                  WEIR_ON_POOL,
                                                  WEIR_ON_ALL,
                                                  WEIR_ON_THREADS};
    static const struct weir_yaml_keys keys = {"an operator", names, KEYS, platforms};
    char quoted[WEIR_QUOTED];
    const struct weir_yaml_node *values[KEYS] = {node};
    uint32_t time[2] = {WEIR_NO_TIME, WEIR_NO_TIME}, receive[2] = {WEIR_NO_TIME, WEIR_NO_TIME};
    bool clean = node->kind != WEIR_YAML_MAP || weir_yaml_fields(d, node, &keys, values);
    if (weir_yaml_is_null(node) || (clean && !values[TIME] && !values[COST])) {
        weir_draft_mistake(d, node->place,
                           d->pool ? "operator \"%s\" has neither \"time\" nor \"cost\"" : "operator \"%s\" has no \"time\"",
                           weir_quote(d->operators[op].name, quoted));
        values[TIME] = NULL;
    }
    if (values[TIME] && values[COST])
        weir_draft_mistake(d, values[COST]->place,
                           "operator \"%s\" has both \"time\" and \"cost\"; either says what an execution takes",
                           weir_quote(d->operators[op].name, quoted));
    if (values[COST] && d->pool)
        weir_yaml_operator_cost(d, op, values[COST]);
    if (values[TIME] && values[TIME]->kind == WEIR_YAML_MAP)
        weir_yaml_plan_time(d, values[TIME], time);
    else if (values[TIME])
        weir_yaml_interval(d, values[TIME], "time", time);
    else if (!values[COST])
        time[0] = time[1] = weir_draft_bad_time(d, node->place);
    for (int i = RECEIVE; i <= REENTRANT && d->shared; i++)
        if (values[i]) {
            weir_draft_mistake(d, values[i]->place, "operator \"%s\" has \"%s\", which shared processors do not know: %s",
                               weir_quote(d->operators[op].name, quoted), names[i],
                               i == RECEIVE ? "input is held to the end" : "one execution runs at a time");
            values[i] = NULL;
        }
    if (values[RECEIVE])
        weir_yaml_interval(d, values[RECEIVE], "receive", receive);
    struct weir_draft_operator *o = &d->operators[op];
    if (values[REENTRANT]) {
        const char *text = weir_yaml_number(d, values[REENTRANT], "reentrant", "true or false");
        if (text)
            weir_draft_read_boolean(d, text, values[REENTRANT]->place, "reentrant", &o->reentrant);
        if (o->reentrant && values[TIME] && values[TIME]->kind == WEIR_YAML_MAP)
            weir_draft_mistake(d, values[REENTRANT]->place,
                               "operator \"%s\" is reentrant, but its plan has the GPU to itself: one execution runs at a time",
                               weir_quote(o->name, quoted));
    }
    o->best = time[0], o->worst = time[1];
    o->receive_min = receive[0], o->receive_max = receive[1];
    if (values[OBSERVED])
        weir_yaml_operator_observed(d, op, values[OBSERVED]);
    if (values[GPU])
        weir_yaml_operator_launch(d, op, values[GPU]);
    if (d->shared)
        weir_yaml_operator_mapping(d, op, values[ON], values[PRIORITY], values[SLOT]);
}

static void read_operator(struct weir_draft *d, const struct weir_yaml_node *key)
{
    char quoted[WEIR_QUOTED];
    if (key->kind != WEIR_YAML_SCALAR) {
        if (key->kind != WEIR_YAML_BAD)
            weir_draft_mistake(d, key->place, "the name of an operator must be text, not %s", weir_yaml_kind_name(key));
        d->incomplete = d->names_missing = true;
        return;
    }
    if (!weir_draft_check_name(d, key->text, key->bytes, key->place)) {
        d->incomplete = d->names_missing = true;
        return;
    }
    uint32_t op = weir_draft_find(d, key->text, key->bytes);
    if (op != WEIR_NO_OPERATOR) {
        weir_draft_mistake(d, key->place, "operator \"%s\" is defined twice; the first is in line %u",
                           weir_quote(key->text, quoted), d->operators[op].place.line);
        return;
    }
    op = weir_draft_add_operator(d, key->text, key->bytes, key->place);
    if (op != WEIR_NO_OPERATOR)
        weir_yaml_operator_body(d, key->next, op);
}

static void read_operators(struct weir_draft *d, const struct weir_yaml_node *map)
{
    d->names_missing = map->kind != WEIR_YAML_MAP || !map->first;
    d->incomplete |= d->names_missing;
    if (map->kind == WEIR_YAML_MAP && !map->first)
        weir_draft_mistake(d, map->place, "\"operators\" is empty: a model has at least one operator");
    else if (weir_yaml_expect(d, map, WEIR_YAML_MAP, "operators", "a mapping from names to times"))
        for (const struct weir_yaml_node *key = map->first; key && !d->out_of_memory; key = key->next->next)
            read_operator(d, key);
}

/* ---- latencies ---- */

/* A whole number of iterations. */
static bool read_offset(struct weir_draft *d, const struct weir_yaml_node *node, int64_t *offset)
{
    char quoted[WEIR_QUOTED];
    const char *text = weir_yaml_number(d, node, "offset", "a whole number of iterations");
    if (!text)
        return false;
    const char *digits = text + (*text == '-' || *text == '+');
    size_t length = strlen(digits);
    if (length == 0 || strspn(digits, "0123456789") != length) {
        weir_draft_mistake(d, node->place, "\"offset\" must be a whole number of iterations, not \"%s\"", weir_quote(text, quoted));
        return false;
    }
    *offset = length > 18 ? INT64_MAX : strtoll(text, NULL, 10);
    const int64_t most = INT64_C(1) << 30;
    if (*offset > most || *offset < -most) {
        weir_draft_mistake(d, node->place, "\"offset\" is out of range: at most %" PRId64 " iterations", most);
        return false;
    }
    return true;
}

/* An item of "measure", or with a deadline of "deadlines". */
static void read_pair(struct weir_draft *d, const struct weir_yaml_node *node, bool deadline)
{
    enum { FROM, TO, OFFSET, WITHIN, KEYS };
    static const char *const names[KEYS] = {"from", "to", "offset", "within"};
    static const struct weir_yaml_keys with = {"a deadline", names, KEYS, NULL}, without = {"a measure", names, WITHIN, NULL};
    const struct weir_yaml_node *values[KEYS] = {NULL};
    const char *what = deadline ? "a deadline" : "a measure";
    if (!weir_yaml_expect_item(d, node, WEIR_YAML_MAP, what,
                               deadline ? "a mapping with \"from\", \"to\" and \"within\"" : "a mapping with \"from\" and \"to\""))
        return;
    bool clean = weir_yaml_fields(d, node, deadline ? &with : &without, values);
    for (int i = FROM; i < KEYS && clean; i++)
        if (!values[i] && i != OFFSET && (i != WITHIN || deadline))
            weir_draft_mistake(d, node->place, "%s needs \"%s\"", what, names[i]);
    struct weir_draft_pair pair = {.from = WEIR_NO_OPERATOR, .to = WEIR_NO_OPERATOR, .place = node->place};
    if (values[FROM])
        pair.from = weir_yaml_operator(d, values[FROM], "from");
    if (values[TO])
        pair.to = weir_yaml_operator(d, values[TO], "to");
    if (values[OFFSET])
        pair.has_shift = read_offset(d, values[OFFSET], &pair.shift);
    if (values[WITHIN])
        pair.deadline = weir_yaml_time(d, values[WITHIN], "within");
    if (pair.from != WEIR_NO_OPERATOR && pair.to != WEIR_NO_OPERATOR)
        weir_draft_add_pair(d, &pair);
}

/* ---- the top ---- */

enum {
    VERSION,
    NAME,
    UNIT,
    PLATFORM,
    PROCESSORS,
    OPERATORS,
    QUEUES,
    QUEUE,
    SOURCE,
    SOURCES,
    DEADLINES,
    MEASURE,
    KERNELS,
    DEPENDENCIES,
    DEFAULTS,
    TOP_KEYS
};

static void read_header(struct weir_draft *d, const struct weir_yaml_node *const *values)
{
    char quoted[WEIR_QUOTED];
    const struct weir_yaml_node *node = values[VERSION];
    const char *text = node ? weir_yaml_number(d, node, "weir", "the number 1, the version of the format") : NULL;
    if (text && strcmp(text, "1") != 0)
        weir_draft_mistake(d, node->place, "this version of weir reads models of version 1, not \"%s\"", weir_quote(text, quoted));
    node = values[NAME];
    text = node ? weir_yaml_text(d, node, "name", "text") : NULL;
    for (size_t i = 0; text && i < node->bytes; i++)
        if ((unsigned char)text[i] < 0x20 || text[i] == 0x7f) {
            weir_draft_mistake(d, node->place, "\"name\" must be one line of text without control characters");
            text = NULL;
        }
    if (text && !(d->name = weir_arena_text(&d->arena, text)))
        d->out_of_memory = true;
    node = values[UNIT];
    text = node ? weir_yaml_text(d, node, "unit", "ns, us, ms, s or tick") : NULL;
    if (text)
        weir_draft_set_unit(d, text, node->place);
    else if (node)
        d->has_unit = d->unit_bad = true;
    node = values[QUEUE];
    text = node ? weir_yaml_capacity(d, node, "queue") : NULL;
    if (node && (!text || !weir_draft_read_capacity(d, text, node->place, "queue", &d->queue)))
        d->queue = WEIR_UNBOUNDED; /* enough, so that nothing else is found to be too much for it */
}

static void read_list(struct weir_draft *d, const struct weir_yaml_node *list, int key)
{
    const char *what = key == SOURCES ? "sources" : key == MEASURE ? "measure" : "deadlines";
    if (!list || weir_yaml_is_null(list))
        return;
    if (!weir_yaml_expect(d, list, WEIR_YAML_LIST, what, "a list")) {
        d->incomplete |= key == SOURCES;
        return;
    }
    for (const struct weir_yaml_node *item = list->first; item && !d->out_of_memory; item = item->next) {
        if (key == SOURCES)
            weir_yaml_source(d, item);
        else
            read_pair(d, item, key == DEADLINES);
    }
}

static void read_top(struct weir_draft *d, const struct weir_yaml_node *root)
{
    static const char *const names[TOP_KEYS] = {"weir",      "name",    "unit",    "platform",     "processors",
                                                "operators", "queues",  "queue",   "source",       "sources",
                                                "deadlines", "measure", "kernels", "dependencies", "defaults"};
    static const unsigned char platforms[TOP_KEYS] = {[VERSION] = WEIR_ON_ALL,
                                                      [NAME] = WEIR_ON_ALL,
                                                      [UNIT] = WEIR_ON_ALL,
                                                      [PLATFORM] = WEIR_ON_ALL,
                                                      [PROCESSORS] = WEIR_ON_OPERATORS,
                                                      [OPERATORS] = WEIR_ON_OPERATORS,
                                                      [QUEUES] = WEIR_ON_OPERATORS,
                                                      [QUEUE] = WEIR_ON_OPERATORS,
                                                      [SOURCE] = WEIR_ON_OPERATORS,
                                                      [SOURCES] = WEIR_ON_OPERATORS,
                                                      [DEADLINES] = WEIR_ON_OPERATORS,
                                                      [MEASURE] = WEIR_ON_OPERATORS,
                                                      [KERNELS] = WEIR_ON_GPU,
                                                      [DEPENDENCIES] = WEIR_ON_GPU,
                                                      [DEFAULTS] = WEIR_ON_GPU};
    static const struct weir_yaml_keys keys = {"the model", names, TOP_KEYS, platforms};
    const struct weir_yaml_node *values[TOP_KEYS];
    d->gpu = weir_yaml_is_gpu(root);
    bool clean = weir_yaml_fields(d, root, &keys, values);
    weir_yaml_platform(d, values[PLATFORM], values[PROCESSORS], values[OPERATORS]);
    read_header(d, values);
    if (d->gpu) {
        if (!values[PLATFORM] && clean)
            weir_draft_mistake(d, root->place, "the model has \"kernels\", but no \"platform: {gpu: {sms: 132}}\" for them");
        if (values[KERNELS])
            weir_yaml_kernels(d, values[KERNELS], values[DEFAULTS]);
        else if (clean)
            weir_draft_mistake(d, root->place, "the model has no \"kernels\"");
        d->names_missing |= !values[KERNELS];
        if (values[DEPENDENCIES])
            weir_yaml_queues(d, values[DEPENDENCIES]);
        return;
    }
    if (values[OPERATORS])
        read_operators(d, values[OPERATORS]);
    else if (clean)
        weir_draft_mistake(d, root->place, "the model has no \"operators\"");
    if (!values[OPERATORS] || !clean)
        d->incomplete = true;
    if (!values[OPERATORS])
        d->names_missing = true;
    if (values[QUEUES])
        weir_yaml_queues(d, values[QUEUES]);
    if (values[SOURCE] && !weir_yaml_is_null(values[SOURCE]))
        weir_yaml_source(d, values[SOURCE]);
    read_list(d, values[SOURCES], SOURCES);
    if (d->shared)
        weir_draft_name_sources(d);
    read_list(d, values[DEADLINES], DEADLINES);
    read_list(d, values[MEASURE], MEASURE);
}

void weir_read_yaml(struct weir_draft *d, const struct weir_text *text)
{
    struct weir_arena arena = {NULL};
    size_t before = d->mistakes;
    const struct weir_yaml_node *root = weir_yaml_parse(d, text, &arena);
    const struct weir_place start = {1, 1};
    if (d->out_of_memory || (!root && d->mistakes > before))
        ; /* nothing to read, and said so */
    else if (!root || weir_yaml_is_null(root))
        weir_draft_mistake(d, start, "this model is empty: expected \"operators:\" and more");
    else if (root->kind == WEIR_YAML_MAP)
        read_top(d, root);
    else if (root->kind != WEIR_YAML_BAD)
        weir_draft_mistake(d, root->place, "this is neither a model (\"operators:\" ...) nor a graph (\"digraph {\" ...), but %s",
                           weir_yaml_kind_name(root));
    weir_arena_free(&arena);
}
