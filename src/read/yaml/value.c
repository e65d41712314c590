/* SPDX-License-Identifier: Apache-2.0 */
#include "read/yaml/value.h"

#include <string.h>

/* Asked before the words of a message are put together, which nearly no value needs. */
static bool is_of(const struct weir_yaml_node *node, enum weir_yaml_kind kind)
{
    return node->kind == kind && !weir_yaml_is_null(node);
}

/* ---- mappings ---- */

static void report_unknown(struct weir_draft *d, const struct weir_yaml_node *key, enum weir_owner owner)
{
    char quoted[WEIR_QUOTED], near[WEIR_HINT], known[256] = "";
    const char *where = weir_owner_words[owner].words, *names[WEIR_KEY_COUNT];
    enum weir_key_id id, end;
    size_t count = 0, used = 0;
    if (key->kind != WEIR_YAML_SCALAR) {
        if (key->kind != WEIR_YAML_BAD)
            weir_draft_mistake(d, key->place, "a key in %s must be text, not %s", where, weir_yaml_kind_name(key));
        return;
    }
    if (strcmp(key->text, "<<") == 0 && key->next->kind == WEIR_YAML_BAD)
        return; /* merging an alias: what is wrong with it is the alias */
    if (owner == WEIR_OF_OPERATOR && (strcmp(key->text, "best") == 0 || strcmp(key->text, "worst") == 0)) {
        weir_draft_mistake(d, key->place, "\"%s\" is not a key of an operator; both times go into one: \"time: [20, 30]\"",
                           key->text);
        return;
    }
    if (weir_errors_full(d->errors)) {
        weir_draft_mistake(d, key->place, "unknown key");
        return;
    }
    for (weir_owner_keys(owner, &id, &end); id < end; id++)
        if (weir_key_is_of(&weir_keys[id], owner))
            names[count++] = weir_keys[id].name;
    weir_quote(key->text, quoted);
    weir_hint_word(key->text, names, count, near);
    for (size_t i = 0; i < count && !*near && used < sizeof known; i++)
        used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", i ? ", " : "; expected one of ", names[i]);
    weir_draft_mistake(d, key->place, "unknown key \"%s\" in %s%s%s", quoted, where, near, known);
}

/* Reports a key that belongs to other platforms. */
static void report_misplaced(struct weir_draft *d, struct weir_place place, const struct weir_key *key, enum weir_owner owner)
{
    char why[WEIR_MISPLACED];
    unsigned char platform = d->gpu ? WEIR_ON_GPU : d->pool ? WEIR_ON_POOL : d->shared ? WEIR_ON_PROCESSORS : WEIR_ON_THREADS;
    weir_draft_mistake(d, place, "\"%s\" in %s %s", key->name, weir_owner_words[owner].words,
                       weir_key_misplaced(key, platform, why));
}

static enum weir_key_id find_key(const struct weir_yaml_node *key, enum weir_owner owner)
{
    enum weir_key_id id, end;
    for (weir_owner_keys(owner, &id, &end); id < end && key->kind == WEIR_YAML_SCALAR; id++)
        if (weir_key_is_of(&weir_keys[id], owner) && strcmp(key->text, weir_keys[id].name) == 0)
            return id;
    return WEIR_KEY_COUNT;
}

bool weir_yaml_open(struct weir_draft *d, const struct weir_yaml_node *node, enum weir_owner owner, struct weir_yaml_fields *f)
{
    const struct weir_owner_words *words = &weir_owner_words[owner];
    struct weir_place first[WEIR_KEY_COUNT]; /* where each key was given */
    enum weir_key_id begin, end;
    unsigned here = d->gpu           ? WEIR_ON_GPU
                    : d->sharing_bad ? WEIR_ON_ALL
                    : d->pool        ? WEIR_ON_POOL
                    : d->shared      ? WEIR_ON_PROCESSORS
                                     : WEIR_ON_THREADS;
    weir_owner_keys(owner, &begin, &end);
    memset(f->of + begin, 0, (size_t)(end - begin) * sizeof *f->of);
    f->clean = words->subject ? weir_yaml_expect_item(d, node, WEIR_YAML_MAP, words->subject, words->expected)
                              : node->kind == WEIR_YAML_MAP;
    for (const struct weir_yaml_node *key = f->clean ? node->first : NULL; key; key = key->next->next) {
        enum weir_key_id id = find_key(key, owner);
        if (id == WEIR_KEY_COUNT) {
            report_unknown(d, key, owner);
            f->clean = false;
        } else if (f->of[id]) {
            weir_draft_mistake(d, key->place, "\"%s\" is given twice in %s; the first is in line %u", weir_keys[id].name,
                               words->words, first[id].line);
            f->clean = false;
        } else if (!(weir_keys[id].platforms & here)) {
            report_misplaced(d, key->place, &weir_keys[id], owner);
            f->clean = false;
        } else {
            f->of[id] = key->next;
            first[id] = key->place;
        }
    }
    return f->clean;
}

void weir_yaml_require(struct weir_draft *d, const struct weir_yaml_node *map, enum weir_owner owner,
                       const struct weir_yaml_fields *f)
{
    enum weir_key_id id, end;
    for (weir_owner_keys(owner, &id, &end); id < end && f->clean; id++)
        if (weir_keys[id].required && weir_key_is_of(&weir_keys[id], owner) && !f->of[id])
            weir_draft_mistake(d, map->place, "%s needs \"%s\"%s", weir_owner_words[owner].words, weir_keys[id].name,
                               weir_keys[id].hint ? weir_keys[id].hint : "");
}

static bool read_name(struct weir_draft *d, const struct weir_yaml_node *node, const struct weir_key *key, void *spec)
{
    char expected[64] = "";
    if (!is_of(node, WEIR_YAML_SCALAR))
        snprintf(expected, sizeof expected, "the name of %s", key->of);
    const char *text = weir_yaml_text(d, node, key->name, expected);
    if (!text || !weir_draft_check_name_of(d, key->of, text, node->bytes, node->place))
        return false;
    const char *copy = weir_arena_text(&d->arena, text);
    d->out_of_memory |= !copy;
    weir_key_set_name(key, spec, copy);
    return true;
}

bool weir_yaml_read(struct weir_draft *d, const struct weir_yaml_fields *f, enum weir_owner owner, void *spec)
{
    enum weir_key_id id, end;
    bool good = true;
    for (weir_owner_keys(owner, &id, &end); id < end && !d->out_of_memory; id++) {
        const struct weir_key *key = &weir_keys[id];
        int64_t numbers[2] = {0, 0};
        if (!f->of[id] || !key->size || key->type == WEIR_VALUE_MAP)
            continue;
        if (key->type == WEIR_VALUE_NAME)
            good &= read_name(d, f->of[id], key, spec);
        else if (weir_yaml_value(d, f->of[id], key, numbers))
            weir_key_set(key, spec, numbers);
        else
            good = false;
    }
    return good;
}

/* ---- values ---- */

static void read_interval(struct weir_draft *d, const struct weir_yaml_node *node, const char *what, int64_t times[2])
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

/* The text of a value that is no time. Words may stand in quotes, as they have to in JSON. */
static const char *scalar_of(struct weir_draft *d, const struct weir_yaml_node *node, const struct weir_key *key)
{
    char expected[WEIR_CHOICES_TEXT];
    if (is_of(node, WEIR_YAML_SCALAR) && (!node->quoted || key->type == WEIR_VALUE_CHOICE))
        return node->text;
    bool word = node->kind == WEIR_YAML_SCALAR && (strcmp(node->text, "unbounded") == 0 || strcmp(node->text, "auto") == 0);
    switch (key->type) {
    case WEIR_VALUE_CHOICE:
        return weir_yaml_text(d, node, key->name, weir_key_choices(key, expected));
    case WEIR_VALUE_FLAG:
        return weir_yaml_number(d, node, key->name, "true or false");
    case WEIR_VALUE_CAPACITY:
        if (word)
            return node->text;
        return weir_yaml_number(d, node, key->name,
                                weir_draft_threads(d) ? "a whole number or \"unbounded\""
                                                      : "a whole number, \"auto\" or \"unbounded\"");
    default:
        snprintf(expected, sizeof expected, "a whole number%s%s", key->of ? " of " : "", key->of ? key->of : "");
        return weir_yaml_number(d, node, key->name, expected);
    }
}

bool weir_yaml_value(struct weir_draft *d, const struct weir_yaml_node *node, const struct weir_key *key, int64_t numbers[2])
{
    const char *text;
    switch (key->type) {
    case WEIR_VALUE_TIME:
        text = weir_yaml_text(d, node, key->name, key->of ? key->of : "a time such as 5, 4.25 or 33.3ms");
        numbers[0] = text ? weir_draft_time(d, text, node->place, key->name) : weir_draft_bad_time(d, node->place);
        return true;
    case WEIR_VALUE_INTERVAL:
        read_interval(d, node, key->name, numbers);
        return true;
    case WEIR_VALUE_OPERATOR:
        numbers[0] = weir_yaml_operator(d, node, key->name);
        return numbers[0] != WEIR_NO_OPERATOR;
    case WEIR_VALUE_PROCESSOR:
        numbers[0] = weir_yaml_processor(d, node);
        return numbers[0] != WEIR_NO_PROCESSOR;
    default:
        text = scalar_of(d, node, key);
        return text && weir_draft_read(d, text, node->place, key, numbers);
    }
}

bool weir_yaml_name(struct weir_draft *d, const struct weir_yaml_node *key, const char *what)
{
    char subject[64] = "";
    if (!is_of(key, WEIR_YAML_SCALAR))
        snprintf(subject, sizeof subject, "the name of %s", what);
    return weir_yaml_expect_item(d, key, WEIR_YAML_SCALAR, subject, "text") &&
           weir_draft_check_name_of(d, what, key->text, key->bytes, key->place);
}

bool weir_yaml_expect_item(struct weir_draft *d, const struct weir_yaml_node *node, enum weir_yaml_kind kind, const char *what,
                           const char *expected)
{
    if (is_of(node, kind))
        return true;
    if (node->kind != WEIR_YAML_BAD)
        weir_draft_mistake(d, node->place, "%s must be %s, not %s", what, expected, weir_yaml_kind_name(node));
    return false;
}

bool weir_yaml_expect(struct weir_draft *d, const struct weir_yaml_node *node, enum weir_yaml_kind kind, const char *what,
                      const char *expected)
{
    char key[32];
    if (is_of(node, kind))
        return true;
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

uint32_t weir_yaml_time(struct weir_draft *d, const struct weir_yaml_node *node, const char *what)
{
    const char *text = weir_yaml_text(d, node, what, "a time such as 5, 4.25 or 33.3ms");
    return text ? weir_draft_time(d, text, node->place, what) : weir_draft_bad_time(d, node->place);
}

uint32_t weir_yaml_lookup(struct weir_draft *d, const char *name, size_t bytes, struct weir_place place, const char *what)
{
    uint32_t op = weir_draft_find(d, name, bytes);
    if (op != WEIR_NO_OPERATOR || d->names_missing)
        return op;
    char word[128], quoted[WEIR_QUOTED], near[WEIR_HINT];
    snprintf(word, sizeof word, "%.*s", bytes < sizeof word ? (int)bytes : (int)sizeof word - 1, name);
    weir_draft_mistake(d, place, "%s unknown %s \"%s\"%s", what, d->gpu ? "kernel" : "operator", weir_quote(word, quoted),
                       weir_draft_hint_operator(d, word, near));
    return op;
}

uint32_t weir_yaml_operator(struct weir_draft *d, const struct weir_yaml_node *node, const char *what)
{
    char message[64];
    const char *text = weir_yaml_text(d, node, what, d->gpu ? "the name of a kernel" : "the name of an operator");
    uint32_t op = text ? weir_draft_find(d, text, node->bytes) : WEIR_NO_OPERATOR;
    if (!text || op != WEIR_NO_OPERATOR)
        return op;
    snprintf(message, sizeof message, "\"%s\" names", what);
    return weir_yaml_lookup(d, text, node->bytes, node->place, message);
}
