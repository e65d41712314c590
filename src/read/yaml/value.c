/* SPDX-License-Identifier: Apache-2.0 */
#include "read/yaml/value.h"

#include <string.h>

static void report_unknown(struct weir_draft *d, const struct weir_yaml_node *key, const struct weir_yaml_keys *keys)
{
    char quoted[WEIR_QUOTED], near[WEIR_HINT], known[256] = "";
    if (key->kind != WEIR_YAML_SCALAR) {
        if (key->kind != WEIR_YAML_BAD)
            weir_draft_mistake(d, key->place, "a key in %s must be text, not %s", keys->where, weir_yaml_kind_name(key));
        return;
    }
    if (strcmp(key->text, "<<") == 0 && key->next->kind == WEIR_YAML_BAD)
        return; /* merging an alias: what is wrong with it is the alias */
    weir_quote(key->text, quoted);
    weir_hint_word(key->text, keys->names, keys->count, near);
    size_t used = 0;
    for (size_t i = 0; i < keys->count && !*near && used < sizeof known; i++)
        used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", i ? ", " : "; expected one of ", keys->names[i]);
    weir_draft_mistake(d, key->place, "unknown key \"%s\" in %s%s%s", quoted, keys->where, near, known);
}

/* Why a key has no place on a pool of cores. */
static const char *reason_on_pool(const char *key)
{
    static const char *const reasons[][2] = {
        {"on", "any core may run any operator"},
        {"priority", "executions go by their deadlines"},
        {"slot", "executions go by their deadlines"},
        {"receive", "an execution takes its samples as a whole"},
        {"reentrant", "one execution of an operator runs at a time"},
        {"blocking", "the analysis makes queues so large that nobody waits"},
        {"broadcast", "each target has a queue of its own"},
        {"preemptive", "global-edf always preempts"},
        {"operators", "a source feeds one operator"},
        {"latency-limit", "its bounds need no search that could be cut off"},
        {"workers", "its cores are what operators wait for"},
        {"polling", "a core is taken at once"},
        {"gpu", "it is for operators with threads"},
        {"full", "the analysis makes queues so large that nobody waits"},
        {"optional", "an execution begins when its samples are there"},
        {"latest", "an execution begins when its samples are there"},
        {"transfer", "it is for operators with threads"},
    };
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
        if (strcmp(key, reasons[i][0]) == 0)
            return reasons[i][1];
    return "a name joins what one source feeds, and here that is one operator";
}

/* Why a key has no place on a GPU. */
static const char *reason_on_gpu(const char *key)
{
    static const char *const reasons[][2] = {
        {"operators", "what runs there stands in \"kernels\""},
        {"queues", "what waits for what stands in \"dependencies\""},
        {"queue", "dependencies hold no messages"},
        {"source", "a graph of kernels runs once, when it is launched"},
        {"sources", "a graph of kernels runs once, when it is launched"},
        {"deadlines", "the whole graph has one, \"platform: {gpu: {deadline: ...}}\""},
        {"measure", "the whole graph is measured"},
        {"processors", "kernels run on its SMs"},
        {"cores", "kernels run on its SMs"},
        {"latency-limit", "the whole graph has a deadline"},
    };
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
        if (strcmp(key, reasons[i][0]) == 0)
            return reasons[i][1];
    return "the hardware takes whichever block is ready";
}

/* Reports a key that belongs to other platforms. */
static void report_misplaced(struct weir_draft *d, const struct weir_yaml_node *key, const struct weir_yaml_keys *keys,
                             unsigned platforms)
{
    if (d->gpu)
        weir_draft_mistake(d, key->place, "\"%s\" in %s has no meaning on a GPU: %s", key->text, keys->where,
                           reason_on_gpu(key->text));
    else if (platforms == WEIR_ON_GPU)
        weir_draft_mistake(d, key->place, "\"%s\" in %s needs a GPU: give the model \"platform: {gpu: {sms: 132}}\"", key->text,
                           keys->where);
    else if (d->pool)
        weir_draft_mistake(d, key->place, "\"%s\" in %s has no meaning on a pool of cores: %s", key->text, keys->where,
                           reason_on_pool(key->text));
    else if (platforms == WEIR_ON_POOL)
        weir_draft_mistake(d, key->place, "\"%s\" in %s needs a pool of cores: give the model \"platform: {cores: 4}\"", key->text,
                           keys->where);
    else if (d->shared)
        weir_draft_mistake(d, key->place, "\"%s\" in %s has no meaning on shared processors: it is for operators with threads",
                           key->text, keys->where);
    else
        weir_draft_mistake(d, key->place,
                           "\"%s\" in %s needs shared processors: give the model \"platform: {scheduler: fixed-priority}\"",
                           key->text, keys->where);
}

bool weir_yaml_fields(struct weir_draft *d, const struct weir_yaml_node *map, const struct weir_yaml_keys *keys,
                      const struct weir_yaml_node **values)
{
    struct weir_place first[16] = {{0, 0}}; /* where each key was given; no mapping has more */
    bool clean = true;
    unsigned here = d->gpu           ? WEIR_ON_GPU
                    : d->sharing_bad ? WEIR_ON_ALL
                    : d->pool        ? WEIR_ON_POOL
                    : d->shared      ? WEIR_ON_PROCESSORS
                                     : WEIR_ON_THREADS;
    memset(values, 0, keys->count * sizeof *values);
    for (const struct weir_yaml_node *key = map->first; key; key = key->next->next) {
        size_t i = 0;
        while (i < keys->count && (key->kind != WEIR_YAML_SCALAR || strcmp(key->text, keys->names[i]) != 0))
            i++;
        if (i == keys->count) {
            report_unknown(d, key, keys);
            clean = false;
        } else if (values[i]) {
            weir_draft_mistake(d, key->place, "\"%s\" is given twice in %s; the first is in line %u", keys->names[i], keys->where,
                               first[i].line);
            clean = false;
        } else if (keys->platforms && !(keys->platforms[i] & here)) {
            report_misplaced(d, key, keys, keys->platforms[i]);
            clean = false;
        } else {
            values[i] = key->next;
            first[i] = key->place;
        }
    }
    return clean;
}

bool weir_yaml_expect_item(struct weir_draft *d, const struct weir_yaml_node *node, enum weir_yaml_kind kind, const char *what,
                           const char *expected)
{
    if (node->kind == kind && !weir_yaml_is_null(node))
        return true;
    if (node->kind != WEIR_YAML_BAD)
        weir_draft_mistake(d, node->place, "%s must be %s, not %s", what, expected, weir_yaml_kind_name(node));
    return false;
}

bool weir_yaml_expect(struct weir_draft *d, const struct weir_yaml_node *node, enum weir_yaml_kind kind, const char *what,
                      const char *expected)
{
    char key[32];
    snprintf(key, sizeof key, "\"%s\"", what);
    return weir_yaml_expect_item(d, node, kind, key, expected);
}

const char *weir_yaml_text(struct weir_draft *d, const struct weir_yaml_node *node, const char *what, const char *expected)
{
    return weir_yaml_expect(d, node, WEIR_YAML_SCALAR, what, expected) ? node->text : NULL;
}

const char *weir_yaml_number(struct weir_draft *d, const struct weir_yaml_node *node, const char *what, const char *expected)
{
    if (!weir_yaml_text(d, node, what, expected))
        return NULL;
    if (node->quoted) {
        weir_draft_mistake(d, node->place, "\"%s\" must be %s, not text in quotes", what, expected);
        return NULL;
    }
    return node->text;
}

const char *weir_yaml_capacity(struct weir_draft *d, const struct weir_yaml_node *node, const char *what)
{
    bool word = node->kind == WEIR_YAML_SCALAR && (strcmp(node->text, "unbounded") == 0 || strcmp(node->text, "auto") == 0);
    if (word && node->quoted)
        return node->text;
    return weir_yaml_number(
        d, node, what, weir_draft_threads(d) ? "a whole number or \"unbounded\"" : "a whole number, \"auto\" or \"unbounded\"");
}

uint32_t weir_yaml_time(struct weir_draft *d, const struct weir_yaml_node *node, const char *what)
{
    const char *text = weir_yaml_text(d, node, what, "a time such as 5, 4.25 or 33.3ms");
    return text ? weir_draft_time(d, text, node->place, what) : weir_draft_bad_time(d, node->place);
}

void weir_yaml_interval(struct weir_draft *d, const struct weir_yaml_node *node, const char *what, uint32_t times[2])
{
    if (node->kind != WEIR_YAML_LIST) {
        times[0] = times[1] = weir_yaml_time(d, node, what);
        return;
    }
    const struct weir_yaml_node *best = node->first, *worst = best ? best->next : NULL;
    if (!worst || worst->next) {
        weir_draft_mistake(d, node->place, "\"%s\" must be one time or a list of two, the least and the most", what);
        times[0] = times[1] = weir_draft_bad_time(d, node->place);
        return;
    }
    times[0] = weir_yaml_time(d, best, what);
    times[1] = weir_yaml_time(d, worst, what);
}

uint32_t weir_yaml_lookup(struct weir_draft *d, const char *name, size_t bytes, struct weir_place place, const char *what)
{
    uint32_t op = weir_draft_find(d, name, bytes);
    if (op != WEIR_NO_OPERATOR || d->names_missing)
        return op;
    char word[128], quoted[WEIR_QUOTED], near[WEIR_HINT];
    snprintf(word, sizeof word, "%.*s", bytes < sizeof word ? (int)bytes : (int)sizeof word - 1, name);
    weir_draft_mistake(d, place, "%s unknown %s \"%s\"%s", what, d->gpu ? "kernel" : "operator", weir_quote(word, quoted),
                       weir_draft_hint(d, word, NULL, NULL, near));
    return op;
}

uint32_t weir_yaml_operator(struct weir_draft *d, const struct weir_yaml_node *node, const char *what)
{
    char message[64];
    const char *text = weir_yaml_text(d, node, what, d->gpu ? "the name of a kernel" : "the name of an operator");
    if (!text)
        return WEIR_NO_OPERATOR;
    snprintf(message, sizeof message, "\"%s\" names", what);
    return weir_yaml_lookup(d, text, node->bytes, node->place, message);
}
