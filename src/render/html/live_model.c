/* SPDX-License-Identifier: Apache-2.0 */
#include "render/html/live_model.h"

#include "base/error.h"
#include "base/json.h"
#include "format/formats.h"
#include "model/pipeline.h"
#include "model/schema.h"
#include "render/html/assets.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

bool weir_report_live(const char **why)
{
    bool live = weir_asset_live_wasm_size > 0;
    if (why)
        *why = live ? NULL : WEIR_LIVE_MISSING;
    return live;
}

#define QUEUES_MAX 4000 /* with sliders: of more nobody would find one */

/* ---- what can be changed ---- */

struct writer {
    const struct weir_pipeline *pipeline;
    struct weir_json json;
    enum weir_owner owner;
    const char *name;   /* for people */
    const char *target; /* in a change */
    uint32_t index;
    bool failed; /* no memory for a name */
};

static void put_number(struct writer *w, int64_t value)
{
    char text[24];
    snprintf(text, sizeof text, "%" PRId64, value);
    weir_json_text(&w->json, text);
}

static void put_text(struct writer *w, const char *key, const char *text)
{
    weir_json_key(&w->json, key);
    weir_json_text(&w->json, text);
}

/* Whether a slider makes sense of the value: a number that is said, and that a change can set. */
static bool is_parameter(const struct writer *w, const struct weir_key *key, const void *spec)
{
    const struct weir_operator_spec *o = spec;
    int64_t value = key->size ? weir_key_get(key, spec, 0) : 0;
    if (!key->settable || !key->size || !(key->platforms & weir_platform_bit(w->pipeline->platform)))
        return false;
    if (key == &weir_keys[WEIR_KEY_POLLING] && weir_pipeline_workers(w->pipeline).dispatch != WEIR_DISPATCH_POLLED)
        return false;
    if (key == &weir_keys[WEIR_KEY_LATENCY_LIMIT]) /* of the analysis, not of what is analysed */
        return false;
    if (key->alias ? key != &weir_keys[WEIR_KEY_LOAD] || o->time_count : key == &weir_keys[WEIR_KEY_TIME] && o->has_cost)
        return false;
    switch (key->type) {
    case WEIR_VALUE_TIME:
    case WEIR_VALUE_INTERVAL:
    case WEIR_VALUE_COUNT:
    case WEIR_VALUE_NUMBER:
    case WEIR_VALUE_INTEGER:
        return weir_key_is_said(key, spec);
    case WEIR_VALUE_CAPACITY:
        return value != WEIR_UNBOUNDED && value != WEIR_AUTO;
    default:
        return false;
    }
}

/* A name as changes have it: in quotes where something in it would be read otherwise. */
static void put_quoted(const char *name, FILE *out)
{
    bool plain = *name && !strpbrk(name, ",=\"\\'") && !strstr(name, "->") && name[0] != ' ' && name[strlen(name) - 1] != ' ';
    if (plain) {
        fputs(name, out);
        return;
    }
    fputc('"', out);
    for (; *name; name++) {
        if (*name == '"' || *name == '\\')
            fputc('\\', out);
        fputc(*name, out);
    }
    fputc('"', out);
}

/* Who has the keys: one by name, or what is between two. */
struct target {
    const char *from, *to; /* to: NULL where it is one */
    uint32_t number;       /* of several between the same; 0: the only one */
};

/* "a", "a->b" or "a->b#2", the caller's to free. NULL: out of memory. */
static char *write_target(const struct target *of)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    if (!out)
        return NULL;
    put_quoted(of->from, out);
    fputs(of->to ? "->" : "", out);
    if (of->to)
        put_quoted(of->to, out);
    if (of->number)
        fprintf(out, "#%u", of->number);
    if (fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}

static struct target target_of(const struct weir_pipeline *p, uint32_t queue)
{
    const struct weir_queue_spec *q = &p->queues[queue];
    return (struct target){p->operators[q->from.index].name, p->operators[q->to.index].name,
                           weir_queue_number(p, (struct weir_queue){queue})};
}

/* Whether it is the capacity of a port, which all queues that lead to it have together. */
static bool is_shared(const struct writer *w, const struct weir_key *key)
{
    return w->owner == WEIR_OF_QUEUE && key == &weir_keys[WEIR_KEY_CAPACITY] && w->pipeline->queues[w->index].port;
}

/* The other queues of the port, where there are any. */
static void put_others(struct writer *w)
{
    bool begun = false;
    for (uint32_t i = w->index + 1; i < w->pipeline->queue_count; i++) {
        if (weir_pipeline_port(w->pipeline, i) != w->index)
            continue;
        if (!begun) {
            weir_json_key(&w->json, "with");
            weir_json_array(&w->json, WEIR_JSON_LINE);
        }
        begun = true;
        struct target of = target_of(w->pipeline, i);
        char *target = write_target(&of);
        w->failed |= !target;
        weir_json_text(&w->json, target ? target : "");
        free(target);
    }
    if (begun)
        weir_json_end(&w->json);
}

static void put_key(struct writer *w, const struct weir_key *key, const void *spec)
{
    const char *prefix = weir_owner_words[key->owner].prefix;
    char name[48];
    bool interval = key->type == WEIR_VALUE_INTERVAL, time = interval || key->type == WEIR_VALUE_TIME;
    snprintf(name, sizeof name, "%s%s", prefix ? prefix : "", key->name);
    weir_json_object(&w->json, WEIR_JSON_LINE);
    put_text(w, "of", weir_owner_words[w->owner].id);
    put_text(w, "name", w->name);
    put_text(w, "target", w->target);
    if (is_shared(w, key))
        put_others(w);
    put_text(w, "key", name);
    put_text(w, "type", interval ? "interval" : time ? "time" : "count");
    weir_json_key(&w->json, "index");
    weir_json_integer(&w->json, w->index);
    weir_json_key(&w->json, "value");
    weir_json_array(&w->json, WEIR_JSON_LINE);
    put_number(w, weir_key_get(key, spec, 0));
    if (interval)
        put_number(w, weir_key_get(key, spec, 1));
    weir_json_end(&w->json);
    weir_json_key(&w->json, "least");
    weir_json_integer(&w->json, key->type == WEIR_VALUE_COUNT || key->type == WEIR_VALUE_CAPACITY ? 1 : 0);
    weir_json_end(&w->json);
}

/* The keys of an owner, and of the mappings in it. */
static void put_keys(struct writer *w, enum weir_owner owner, const void *spec)
{
    enum weir_key_id first, end;
    weir_owner_keys(owner, &first, &end);
    for (enum weir_key_id id = first; id < end; id++) {
        const struct weir_key *key = &weir_keys[id];
        if (!weir_key_is_of(key, owner))
            continue;
        const void *inside = key->type == WEIR_VALUE_MAP ? weir_key_inside(key, spec) : NULL;
        enum weir_key_id inner, inner_end;
        bool own = !is_shared(w, key) || weir_pipeline_port(w->pipeline, w->index) == w->index;
        if (own && is_parameter(w, key, spec))
            put_key(w, key, spec);
        if (!inside)
            continue;
        weir_owner_keys(key->inside, &inner, &inner_end);
        for (enum weir_key_id k = inner; k < inner_end; k++)
            if (weir_key_is_of(&weir_keys[k], key->inside) && is_parameter(w, &weir_keys[k], inside))
                put_key(w, &weir_keys[k], inside);
    }
}

/* Its name in changes; and for people, with spaces. Long names are cut short there alone. */
static bool put_owner(struct writer *w, enum weir_owner owner, enum weir_owner keys, const struct target *of, const void *spec)
{
    char *target = write_target(of), name[256];
    if (of->to)
        snprintf(name, sizeof name, "%s \342\206\222 %s", of->from, of->to);
    w->owner = owner;
    w->name = of->to ? name : of->from;
    w->target = target;
    if (target)
        put_keys(w, keys, spec);
    w->name = w->target = NULL;
    free(target);
    return target != NULL;
}

static bool put_named(struct writer *w, enum weir_owner owner, enum weir_owner keys, const char *name, const void *spec)
{
    return put_owner(w, owner, keys, &(struct target){.from = name}, spec);
}

static bool put_parameters(struct writer *w)
{
    const struct weir_pipeline *p = w->pipeline;
    struct weir_platform_spec platform = weir_platform_spec(p);
    bool good = put_named(w, WEIR_OF_PLATFORM, WEIR_OF_PLATFORM, "platform", &platform);
    for (size_t i = 0; i < p->operator_count; i++) {
        w->index = (uint32_t)i;
        good &= put_named(w, WEIR_OF_OPERATOR, p->platform == WEIR_PLATFORM_GPU ? WEIR_OF_KERNEL : WEIR_OF_OPERATOR,
                          p->operators[i].name, &p->operators[i]);
    }
    for (size_t i = 0; i < p->queue_count && p->queue_count <= QUEUES_MAX && p->platform != WEIR_PLATFORM_GPU; i++) {
        const struct weir_queue_spec *q = &p->queues[i];
        w->index = (uint32_t)i;
        struct target of = target_of(p, w->index);
        if (!q->nonblocking && !q->latest)
            good &= put_owner(w, WEIR_OF_QUEUE, WEIR_OF_QUEUE, &of, q);
    }
    for (size_t i = 0; i < p->source_count; i++) {
        w->index = (uint32_t)i;
        good &= put_named(w, WEIR_OF_SOURCE, WEIR_OF_SOURCE, p->operators[p->sources[i].op.index].name, &p->sources[i]);
    }
    for (size_t i = 0; i < p->processor_count; i++)
        good &= put_named(w, WEIR_OF_PROCESSOR, WEIR_OF_PROCESSOR, p->processors[i].name, &p->processors[i]);
    for (size_t i = 0; i < p->chain_count; i++) {
        w->index = (uint32_t)i;
        if (p->chains[i].has_deadline)
            good &=
                put_owner(w, WEIR_OF_DEADLINE, WEIR_OF_DEADLINE,
                          &(struct target){p->operators[p->chains[i].from.index].name, p->operators[p->chains[i].to.index].name, 0},
                          &p->chains[i]);
    }
    return good && !w->failed;
}

/* ---- all of it ---- */

static void put_model(struct writer *w, const char *model)
{
    const struct weir_pipeline *p = w->pipeline;
    weir_json_object(&w->json, WEIR_JSON_BLOCK);
    put_text(w, "name", p->name);
    put_text(w, "unit", weir_unit_name(p->unit));
    weir_json_key(&w->json, "digits");
    weir_json_integer(&w->json, p->digits);
    weir_json_key(&w->json, "operators");
    weir_json_array(&w->json, WEIR_JSON_LINE);
    for (size_t i = 0; i < p->operator_count; i++)
        weir_json_text(&w->json, p->operators[i].name);
    weir_json_end(&w->json);
    weir_json_key(&w->json, "queues");
    weir_json_array(&w->json, WEIR_JSON_LINE);
    for (size_t i = 0; i < p->queue_count; i++) {
        weir_json_array(&w->json, WEIR_JSON_LINE);
        weir_json_integer(&w->json, p->queues[i].from.index);
        weir_json_integer(&w->json, p->queues[i].to.index);
        weir_json_end(&w->json);
    }
    weir_json_end(&w->json);
    weir_json_key(&w->json, "parameters");
    weir_json_array(&w->json, WEIR_JSON_BLOCK);
    put_parameters(w);
    weir_json_end(&w->json);
    put_text(w, "model", model);
    weir_json_end(&w->json);
}

/* No "<" is left: none can end the element that this stands in. */
static void put_safely(FILE *out, const char *text)
{
    for (; *text; text++)
        if (*text == '<')
            fputs("\\u003c", out);
        else
            fputc(*text, out);
}

enum weir_status weir_live_write_model(const struct weir_pipeline *p, FILE *out, struct weir_error *error)
{
    char *model = NULL, *text = NULL;
    size_t model_bytes = 0, bytes = 0;
    FILE *into = open_memstream(&model, &model_bytes);
    if (!into)
        return weir_fail_memory(error);
    enum weir_status status = weir_write_model_brief(p, into, error);
    if (fclose(into) && !status)
        status = weir_fail_memory(error);
    struct writer w = {.pipeline = p, .json = {.out = status ? NULL : open_memstream(&text, &bytes)}};
    if (!status && !w.json.out)
        status = weir_fail_memory(error);
    if (!status) {
        put_model(&w, model);
        if (fclose(w.json.out))
            status = weir_fail_memory(error);
        else
            put_safely(out, text);
    }
    free(text);
    free(model);
    return status;
}

void weir_live_write_base64(const unsigned char *bytes, size_t count, FILE *out)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < count; i += 3) {
        size_t left = count - i;
        uint32_t three = (uint32_t)bytes[i] << 16 | (left > 1 ? (uint32_t)bytes[i + 1] << 8 : 0) | (left > 2 ? bytes[i + 2] : 0);
        fputc(digits[three >> 18], out);
        fputc(digits[three >> 12 & 63], out);
        fputc(left > 1 ? digits[three >> 6 & 63] : '=', out);
        fputc(left > 2 ? digits[three & 63] : '=', out);
    }
}
