/* SPDX-License-Identifier: Apache-2.0 */
/* The table of keys for others: as a JSON Schema, and as the tables of the reference page. */
#include "model/schema.h"
#include "base/error.h"
#include "base/json.h"

#include <errno.h>

#define DECIMAL "([0-9]+\\\\.?[0-9]*|\\\\.[0-9]+)([eE][+-]?[0-9]+)?"

/* What several keys have in common. */
static const char *const shared[][2] = {
    {"time", "{\"anyOf\": [{\"type\": \"number\", \"minimum\": 0}, {\"type\": \"string\", \"pattern\": \"^ *\\\\+?" DECIMAL
             " *(ns|us|\\u00b5s|\\u03bcs|ms|s|tick)? *$\"}]}"},
    {"interval", "{\"anyOf\": [{\"$ref\": \"#/$defs/time\"}, {\"type\": \"array\", \"items\": {\"$ref\": \"#/$defs/time\"}, "
                 "\"minItems\": 2, \"maxItems\": 2}]}"},
};

/* Something that says more than a value does: its words go beside it. */
static void write_type(struct weir_json *json, const struct weir_key *key)
{
    char text[160];
    long long most = (long long)key->most, least = key->type == WEIR_VALUE_COUNT     ? 1
                                                   : key->type == WEIR_VALUE_INTEGER ? -most - !key->of
                                                                                     : 0;
    switch (key->type) {
    case WEIR_VALUE_MAP:
        snprintf(text, sizeof text, "[{\"$ref\": \"#/$defs/%s\"}]", weir_owner_words[key->inside].id);
        break;
    case WEIR_VALUE_TIME:
        snprintf(text, sizeof text, "[{\"$ref\": \"#/$defs/time\"}]");
        break;
    case WEIR_VALUE_INTERVAL:
        snprintf(text, sizeof text, "[{\"$ref\": \"#/$defs/interval\"}]");
        break;
    case WEIR_VALUE_CAPACITY:
        snprintf(text, sizeof text,
                 "[{\"type\": \"integer\", \"minimum\": 1, \"maximum\": %lld}, {\"enum\": [\"unbounded\", \"auto\"]}]", most);
        break;
    case WEIR_VALUE_FLAG:
        snprintf(text, sizeof text, "[{\"type\": \"boolean\"}]");
        break;
    case WEIR_VALUE_COUNT:
    case WEIR_VALUE_NUMBER:
    case WEIR_VALUE_INTEGER:
        snprintf(text, sizeof text, "[{\"type\": \"integer\", \"minimum\": %lld, \"maximum\": %lld}]", least, most);
        break;
    default:
        snprintf(text, sizeof text, "[{\"type\": \"string\", \"minLength\": 1}]");
        break;
    }
    weir_json_key(json, "anyOf");
    weir_json_raw(json, text);
}

static void write_key(struct weir_json *json, const struct weir_key *key)
{
    weir_json_key(json, key->name);
    weir_json_object(json, WEIR_JSON_LINE);
    weir_json_key(json, "description");
    weir_json_text(json, key->text);
    if (key->json) {
        weir_json_key(json, "allOf");
        weir_json_array(json, WEIR_JSON_LINE);
        weir_json_raw(json, key->json);
        weir_json_end(json);
    } else if (key->type == WEIR_VALUE_CHOICE) {
        weir_json_key(json, "enum");
        weir_json_array(json, WEIR_JSON_LINE);
        for (size_t i = 0; key->words[i]; i++)
            if (*key->words[i])
                weir_json_text(json, key->words[i]);
        weir_json_end(json);
    } else {
        write_type(json, key);
    }
    weir_json_end(json);
}

/* A mapping with the keys of its owner and no others. */
static void write_owner(struct weir_json *json, enum weir_owner owner)
{
    enum weir_key_id first, id, end;
    bool any = false;
    weir_owner_keys(owner, &first, &end);
    weir_json_key(json, "type");
    weir_json_text(json, "object");
    weir_json_key(json, "properties");
    weir_json_object(json, WEIR_JSON_BLOCK);
    for (id = first; id < end; id++) {
        if (!weir_key_is_of(&weir_keys[id], owner))
            continue;
        write_key(json, &weir_keys[id]);
        any |= weir_keys[id].required;
    }
    weir_json_end(json);
    if (any) {
        weir_json_key(json, "required");
        weir_json_array(json, WEIR_JSON_LINE);
        for (id = first; id < end; id++)
            if (weir_keys[id].required && weir_key_is_of(&weir_keys[id], owner))
                weir_json_text(json, weir_keys[id].name);
        weir_json_end(json);
    }
    weir_json_key(json, "additionalProperties");
    weir_json_bool(json, false);
}

enum weir_status weir_model_write_schema(FILE *out, struct weir_error *error)
{
    struct weir_json json = {.out = out};
    errno = 0;
    weir_json_schema(&json, "weir model, version 1");
    weir_json_key(&json, "anyOf");
    weir_json_raw(&json, "[{\"required\": [\"operators\"]}, {\"required\": [\"kernels\"]}]");
    write_owner(&json, WEIR_OF_TOP);
    weir_json_key(&json, "$defs");
    weir_json_object(&json, WEIR_JSON_BLOCK);
    for (size_t i = 0; i < sizeof shared / sizeof *shared; i++) {
        weir_json_key(&json, shared[i][0]);
        weir_json_raw(&json, shared[i][1]);
    }
    for (enum weir_owner owner = WEIR_OF_TOP + 1; owner < WEIR_OWNERS; owner++) {
        if (!*weir_owner_words[owner].id)
            continue; /* for changes alone */
        weir_json_key(&json, weir_owner_words[owner].id);
        weir_json_object(&json, WEIR_JSON_BLOCK);
        write_owner(&json, owner);
        weir_json_end(&json);
    }
    weir_json_end(&json);
    weir_json_end(&json);
    fputc('\n', out);
    return weir_written(out, "the schema", error);
}

/* ---- the reference page ---- */

/* "threads, cores"; "" for all that its owner can be on. */
static const char *platform_text(const struct weir_key *key, char text[64])
{
    static const char *const names[] = {"threads", "processors", "cores", "GPU"};
    bool operators = (key->platforms & WEIR_ON_OPERATORS) == WEIR_ON_OPERATORS;
    bool all = key->platforms == WEIR_ON_ALL || (operators && key->owner > WEIR_OF_PLATFORM);
    size_t used = 0;
    text[0] = 0;
    if (operators && !all)
        return "all but GPU";
    for (unsigned i = 0; i < 4 && !all; i++)
        if (key->platforms >> i & 1)
            used += (size_t)snprintf(text + used, 64 - used, "%s%s", used ? ", " : "", names[i]);
    return text;
}

static void write_table(FILE *out, enum weir_owner owner)
{
    enum weir_key_id first, id, end;
    char platforms[64];
    bool mixed = false;
    weir_owner_keys(owner, &first, &end);
    for (id = first; id < end; id++)
        mixed |= weir_keys[id].platforms != weir_keys[first].platforms;
    fprintf(out, "<!-- keys %s -->\n| key of %s |%s value | default |\n|---|%s---|---|\n", weir_owner_words[owner].id,
            weir_owner_words[owner].words, mixed ? " on |" : "", mixed ? "---|" : "");
    for (id = first; id < end; id++) {
        const struct weir_key *key = &weir_keys[id];
        fprintf(out, "| `%s` |", key->name);
        if (mixed)
            fprintf(out, " %s |", platform_text(key, platforms));
        fprintf(out, " %s | %s |\n", key->text, key->missing ? key->missing : "");
    }
    fputs("<!-- end -->\n", out);
}

enum weir_status weir_model_write_reference(FILE *out, struct weir_error *error)
{
    errno = 0;
    for (enum weir_owner owner = WEIR_OF_TOP; owner <= WEIR_OF_DEADLINE; owner++)
        if (*weir_owner_words[owner].id)
            write_table(out, owner);
    return weir_written(out, "the schema", error);
}
