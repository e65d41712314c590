/* SPDX-License-Identifier: Apache-2.0 */
/* The JSON Schema of --json: schema.def, written out. */
#include "answer/answer.h"
#include "answer/simulate/simulation.h"
#include "base/error.h"
#include "render/json/report.h"

#include <errno.h>
#include <string.h>

/* What one command prints, or a part of it. */
struct object {
    const char *name, *keys;
    bool is_form;
};

static const struct object objects[] = {
#define FORM(name, keys) {#name, keys, true},
#define OBJECT(name, keys) {#name, keys, false},
#define WORDS(name, count, word)
#include "render/json/schema.def"
#undef FORM
#undef OBJECT
#undef WORDS
};

#define FORM(name, keys)
#define OBJECT(name, keys)
#define WORDS(name, count, word)                                                                                                   \
    static const char *word_of_##name(size_t i)                                                                                    \
    {                                                                                                                              \
        return i < (size_t)(count) ? (word) : NULL;                                                                                \
    }
#include "render/json/schema.def"
#undef WORDS

static const struct words {
    const char *name;
    const char *(*word)(size_t i); /* NULL: behind the last */
} words[] = {
#define WORDS(name, count, word) {#name, word_of_##name},
#include "render/json/schema.def"
};
#undef FORM
#undef OBJECT
#undef WORDS

/* As they are, and where they may be null. */
static const char *const types[][3] = {
    {"text", "{\"type\": \"string\"}", "{\"type\": [\"string\", \"null\"]}"},
    {"flag", "{\"type\": \"boolean\"}", "{\"type\": [\"boolean\", \"null\"]}"},
    {"count", "{\"type\": \"integer\"}", "{\"type\": [\"integer\", \"null\"]}"},
    {"number", "{\"type\": \"number\"}", "{\"type\": [\"number\", \"null\"]}"},
    {"exact", "{\"type\": \"array\", \"items\": {\"type\": \"integer\"}, \"minItems\": 2, \"maxItems\": 2}", NULL},
    {"version", "{\"const\": 1}", NULL},
    {"row", "{\"type\": \"object\", \"additionalProperties\": {\"type\": [\"string\", \"number\", \"boolean\", \"null\"]}}", NULL},
    {"summary", "{\"type\": \"object\"}", NULL},
};

/* A stretch of a string of the table. */
struct span {
    const char *text;
    size_t length;
};

static bool is(struct span span, const char *name)
{
    return strlen(name) == span.length && memcmp(name, span.text, span.length) == 0;
}

static const struct object *find_object(struct span name)
{
    for (size_t i = 0; i < sizeof objects / sizeof *objects; i++)
        if (!objects[i].is_form && is(name, objects[i].name))
            return &objects[i];
    return NULL;
}

static const char *find_type(struct span name, bool null)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (is(name, types[i][0]))
            return types[i][null ? 2 : 1];
    return NULL;
}

/* The words of an enum, or a word that stands for itself. */
static void write_words(struct weir_json *json, struct span name)
{
    char text[64];
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (is(name, words[i].name)) {
            for (size_t k = 0; words[i].word(k); k++)
                weir_json_text(json, words[i].word(k));
            return;
        }
    snprintf(text, sizeof text, "%.*s", (int)name.length, name.text);
    weir_json_text(json, text);
}

static void write_reference(struct weir_json *json, const char *name)
{
    char text[80];
    snprintf(text, sizeof text, "#/$defs/%s", name);
    weir_json_object(json, WEIR_JSON_LINE);
    weir_json_key(json, "$ref");
    weir_json_text(json, text);
    weir_json_end(json);
}

static void write_choice(struct weir_json *json, struct span type, bool null)
{
    weir_json_object(json, WEIR_JSON_LINE);
    weir_json_key(json, "enum");
    weir_json_array(json, WEIR_JSON_LINE);
    while (type.length) {
        const char *bar = memchr(type.text, '|', type.length);
        size_t length = bar ? (size_t)(bar - type.text) : type.length, step = length + (bar != NULL);
        write_words(json, (struct span){type.text, length});
        type = (struct span){type.text + step, type.length - step};
    }
    if (null)
        weir_json_null(json);
    weir_json_end(json);
    weir_json_end(json);
}

/* "[type]", "type?", "[type]?", "[type?]": lists are no deeper. */
static void write_type(struct weir_json *json, struct span type)
{
    bool null = type.text[type.length - 1] == '?', list = type.text[0] == '[', either = false;
    type.length -= null;
    const struct object *object = find_object(type);
    if (null && (list || object)) {
        weir_json_object(json, WEIR_JSON_LINE);
        weir_json_key(json, "anyOf");
        weir_json_array(json, WEIR_JSON_LINE);
        weir_json_raw(json, "{\"type\": \"null\"}");
        either = true;
    }
    if (list) {
        weir_json_object(json, WEIR_JSON_LINE);
        weir_json_key(json, "type");
        weir_json_text(json, "array");
        weir_json_key(json, "items");
        write_type(json, (struct span){type.text + 1, type.length - 2});
        weir_json_end(json);
    } else if (object) {
        write_reference(json, object->name);
    } else if (find_type(type, null)) {
        weir_json_raw(json, find_type(type, null));
    } else {
        write_choice(json, type, null);
    }
    for (int i = 0; either && i < 2; i++)
        weir_json_end(json);
}

/* The properties, or the names of those that are always there. "@name" are the keys of another object: a few levels deep. */
static void write_keys(struct weir_json *json, const char *keys, bool required)
{
    while (*keys) {
        const char *end = strchr(keys, ','), *colon = strchr(keys, ':');
        end = end ? end : keys + strlen(keys);
        if (keys[0] == '@') {
            write_keys(json, find_object((struct span){keys + 1, (size_t)(end - keys - 1)})->keys, required);
        } else {
            bool optional = colon[-1] == '?';
            char name[64];
            snprintf(name, sizeof name, "%.*s", (int)(colon - keys - optional), keys);
            if (!required) {
                weir_json_key(json, name);
                write_type(json, (struct span){colon + 2, (size_t)(end - colon - 2)});
            } else if (!optional) {
                weir_json_text(json, name);
            }
        }
        keys = *end ? end + 2 : end;
    }
}

/* What a validator can decide soonest comes first. */
static void write_object(struct weir_json *json, const struct object *object)
{
    weir_json_key(json, object->name);
    weir_json_object(json, WEIR_JSON_BLOCK);
    weir_json_key(json, "type");
    weir_json_text(json, "object");
    weir_json_key(json, "required");
    weir_json_array(json, WEIR_JSON_LINE);
    write_keys(json, object->keys, true);
    weir_json_end(json);
    weir_json_key(json, "additionalProperties");
    weir_json_bool(json, false);
    weir_json_key(json, "properties");
    weir_json_object(json, WEIR_JSON_BLOCK);
    write_keys(json, object->keys, false);
    weir_json_end(json);
    weir_json_end(json);
}

enum weir_status weir_answer_write_schema(FILE *out, struct weir_error *error)
{
    struct weir_json json = {.out = out};
    errno = 0;
    weir_json_schema(&json, "weir answer, version 1");
    weir_json_key(&json, "anyOf");
    weir_json_raw(&json, "[{\"$ref\": \"#/$defs/answer\"}, {\"type\": \"array\", \"items\": {\"$ref\": \"#/$defs/answer\"}}]");
    weir_json_key(&json, "$defs");
    weir_json_object(&json, WEIR_JSON_BLOCK);
    weir_json_key(&json, "answer");
    weir_json_object(&json, WEIR_JSON_BLOCK);
    weir_json_key(&json, "anyOf");
    weir_json_array(&json, WEIR_JSON_BLOCK);
    for (size_t i = 0; i < sizeof objects / sizeof *objects; i++)
        if (objects[i].is_form)
            write_reference(&json, objects[i].name);
    weir_json_end(&json);
    weir_json_end(&json);
    for (size_t i = 0; i < sizeof objects / sizeof *objects; i++)
        write_object(&json, &objects[i]);
    weir_json_end(&json);
    weir_json_end(&json);
    fputc('\n', out);
    return weir_written(out, "the schema", error);
}
