/* SPDX-License-Identifier: Apache-2.0 */
#include "model/schema.h"

#include "base/alloc.h"
#include "model/kernels.h"
#include "model/pipeline.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#define ALL WEIR_ON_ALL
#define OPERATORS WEIR_ON_OPERATORS
#define THREADS WEIR_ON_THREADS
#define PROCESSORS WEIR_ON_PROCESSORS
#define POOL WEIR_ON_POOL
#define GPU WEIR_ON_GPU
#define FIELD(type, member) .offset = offsetof(struct type, member), .size = sizeof(((struct type *)0)->member)

static const char *const dispatch_words[] = {
    [WEIR_DISPATCH_EVENTS] = "event-based", [WEIR_DISPATCH_POLLED] = "multi-thread", [WEIR_DISPATCH_GREEDY] = "greedy", NULL};
static const char *const full_words[] = {
    [WEIR_FULL_NEVER] = "", [WEIR_FULL_POP] = "pop", [WEIR_FULL_REJECT] = "reject", [WEIR_FULL_FAULT] = "fault", NULL};
static const char *const missing_words[] = {
    [WEIR_MISSING_REUSE] = "reuse", [WEIR_MISSING_SKIP] = "skip", [WEIR_MISSING_FAIL] = "fail", NULL};
static const char *const arrivals_words[] = {[WEIR_ARRIVALS_AT_MOST] = "at-most",
                                             [WEIR_ARRIVALS_EXACT] = "exact",
                                             [WEIR_ARRIVALS_CATCH_UP] = "catch-up",
                                             [WEIR_ARRIVALS_SKIP] = "skip",
                                             NULL};
static const char *const disturbances[] = {
    [WEIR_DISTURBS_COPY] = "copy", [WEIR_DISTURBS_READ] = "read", [WEIR_DISTURBS_NONE] = "none", NULL};

const struct weir_key weir_keys[WEIR_KEY_COUNT] = {
#define WEIR_OWNER(id, ...)
#define WEIR_KEY(id, of_owner, text, ...) [WEIR_KEY_##id] = {.owner = WEIR_OF_##of_owner, .name = (text), __VA_ARGS__},
#include "model/schema.def"
};

const struct weir_owner_words weir_owner_words[WEIR_OWNERS] = {
#define WEIR_OWNER(of_owner, ...) [WEIR_OF_##of_owner] = {__VA_ARGS__},
#define WEIR_KEY(id, ...)
#include "model/schema.def"
    [WEIR_OF_DEFAULTS] = {.id = "defaults",
                          .words = "the defaults",
                          .subject = "\"defaults\"",
                          .expected = "a mapping such as {splittable: true}"},
    [WEIR_OF_DEPENDENCY] = {.id = "dependency",
                            .words = "a dependency",
                            .subject = "a dependency",
                            .expected = "\"a -> b\" or a mapping"},
    [WEIR_OF_MEASURE] = {.id = "measure",
                         .words = "a measure",
                         .subject = "a measure",
                         .expected = "a mapping with \"from\" and \"to\""},
};

void weir_owner_keys(enum weir_owner owner, enum weir_key_id *first, enum weir_key_id *end)
{
    static const enum weir_key_id firsts[] = {
#define WEIR_OWNER(id, ...) WEIR_FIRST_##id,
#define WEIR_KEY(id, ...)
#include "model/schema.def"
        WEIR_KEY_COUNT};
    enum weir_owner whose = owner == WEIR_OF_DEFAULTS     ? WEIR_OF_KERNEL
                            : owner == WEIR_OF_DEPENDENCY ? WEIR_OF_QUEUE
                            : owner == WEIR_OF_MEASURE    ? WEIR_OF_DEADLINE
                                                          : owner;
    *first = firsts[whose];
    *end = firsts[whose + 1];
}

unsigned char weir_platform_bit(enum weir_platform platform)
{
    static const unsigned char bits[] = {[WEIR_PLATFORM_THREADS] = THREADS,
                                         [WEIR_PLATFORM_PROCESSORS] = PROCESSORS,
                                         [WEIR_PLATFORM_CORES] = POOL,
                                         [WEIR_PLATFORM_GPU] = GPU};
    return bits[platform];
}

const char *weir_key_misplaced(const struct weir_key *key, unsigned char platform, char text[WEIR_MISPLACED])
{
    const char *why = platform == WEIR_ON_GPU          ? key->not_gpu
                      : platform == WEIR_ON_POOL       ? key->not_pool
                      : platform == WEIR_ON_PROCESSORS ? key->not_shared
                                                       : NULL;
    const char *where = platform == WEIR_ON_GPU ? "a GPU" : platform == WEIR_ON_POOL ? "a pool of cores" : "shared processors";
    const char *needs = key->platforms == WEIR_ON_GPU ? "a GPU: give the model \"platform: {gpu: {sms: 132}}\""
                        : key->platforms == WEIR_ON_POOL
                            ? "a pool of cores: give the model \"platform: {cores: 4}\""
                            : "shared processors: give the model \"platform: {scheduler: fixed-priority}\"";
    bool only = key->platforms == WEIR_ON_POOL || key->platforms == WEIR_ON_GPU;
    if (!why && (platform == WEIR_ON_THREADS || (only && platform != WEIR_ON_GPU)))
        snprintf(text, WEIR_MISPLACED, "needs %s", needs);
    else
        snprintf(text, WEIR_MISPLACED, "has no meaning on %s: %s", where,
                 why                       ? why
                 : platform == WEIR_ON_GPU ? "kernels have none"
                                           : "it is for operators with threads");
    return text;
}

/* ---- values ---- */

int64_t weir_key_get(const struct weir_key *key, const void *spec, int end)
{
    const unsigned char *field = (const unsigned char *)spec + key->offset;
    int64_t wide;
    int32_t narrow;
    uint32_t count;
    switch (key->type) {
    case WEIR_VALUE_FLAG:
        return (*field != 0) != key->inverted;
    case WEIR_VALUE_NAME:
        return weir_key_get_name(key, spec) != NULL;
    case WEIR_VALUE_INTERVAL:
        memcpy(&wide, field + (end ? sizeof wide : 0), sizeof wide);
        return wide;
    case WEIR_VALUE_INTEGER:
    case WEIR_VALUE_CHOICE:
        if (key->size == sizeof narrow) {
            memcpy(&narrow, field, sizeof narrow);
            return narrow;
        }
        break;
    default:
        if (key->size == sizeof count) {
            memcpy(&count, field, sizeof count);
            return count;
        }
        break;
    }
    memcpy(&wide, field, sizeof wide);
    return wide;
}

void weir_key_set(const struct weir_key *key, void *spec, const int64_t numbers[2])
{
    unsigned char *field = (unsigned char *)spec + key->offset;
    uint32_t narrow = (uint32_t)numbers[0];
    if (key->type == WEIR_VALUE_FLAG)
        *field = (numbers[0] != 0) != key->inverted;
    else if (key->type == WEIR_VALUE_INTERVAL)
        memcpy(field, numbers, 2 * sizeof *numbers);
    else if (key->size == sizeof narrow)
        memcpy(field, &narrow, sizeof narrow);
    else
        memcpy(field, numbers, sizeof *numbers);
    if (key->has)
        ((unsigned char *)spec)[key->has] = true;
}

const char *weir_key_get_name(const struct weir_key *key, const void *spec)
{
    const char *name;
    memcpy(&name, (const unsigned char *)spec + key->offset, sizeof name);
    return name;
}

void weir_key_set_name(const struct weir_key *key, void *spec, const char *name)
{
    memcpy((unsigned char *)spec + key->offset, &name, sizeof name);
}

bool weir_key_is_said(const struct weir_key *key, const void *spec)
{
    if (key->type == WEIR_VALUE_MAP)
        return weir_key_inside(key, spec) != NULL;
    if (key->has)
        return ((const unsigned char *)spec)[key->has];
    int64_t value = weir_key_get(key, spec, 1);
    return key->type == WEIR_VALUE_COUNT ? value > key->usual : value != key->usual;
}

const void *weir_key_inside(const struct weir_key *key, const void *spec)
{
    const void *inside;
    if (!key->size)
        return key->has && !((const unsigned char *)spec)[key->has] ? NULL : spec;
    memcpy(&inside, (const unsigned char *)spec + key->offset, sizeof inside);
    return inside;
}

int64_t weir_key_choice(const struct weir_key *key, const char *word)
{
    for (int64_t i = 0; key->words[i]; i++)
        if (*key->words[i] && strcasecmp(word, key->words[i]) == 0)
            return i;
    return -1;
}

const char *weir_key_choices(const struct weir_key *key, char text[WEIR_CHOICES_TEXT])
{
    size_t used = 0;
    text[0] = 0;
    for (size_t i = 0; key->words[i] && used < WEIR_CHOICES_TEXT; i++)
        if (*key->words[i])
            used += (size_t)snprintf(text + used, WEIR_CHOICES_TEXT - used, "%s%s",
                                     !used                ? ""
                                     : !key->words[i + 1] ? " or "
                                                          : ", ",
                                     key->words[i]);
    return text;
}

/* ---- all values of a structure ---- */

void weir_spec_map_times(enum weir_owner owner, void *spec, weir_time_map *map, void *context)
{
    enum weir_key_id id, end;
    for (weir_owner_keys(owner, &id, &end); id < end; id++) {
        const struct weir_key *key = &weir_keys[id];
        unsigned char *field = (unsigned char *)spec + key->offset;
        bool interval = key->type == WEIR_VALUE_INTERVAL;
        if (key->alias || (key->type != WEIR_VALUE_TIME && !interval))
            continue;
        for (int i = 0; i <= interval; i++, field += sizeof(int64_t)) {
            int64_t time = map(context, key, weir_key_get(key, spec, i));
            memcpy(field, &time, sizeof time);
        }
    }
}

bool weir_operator_map_times(const struct weir_operator_spec *from, struct weir_operator_copy *copy, weir_time_map *map,
                             void *context)
{
    struct weir_operator_spec *spec = &copy->spec;
    *spec = *from;
    copy->table = NULL;
    weir_spec_map_times(WEIR_OF_OPERATOR, spec, map, context);
    weir_spec_map_times(WEIR_OF_COST, spec, map, context);
    weir_spec_map_times(WEIR_OF_KERNEL, spec, map, context);
    if (spec->observed) {
        copy->observed = *spec->observed;
        weir_spec_map_times(WEIR_OF_OBSERVED, &copy->observed, map, context);
        spec->observed = &copy->observed;
    }
    if (spec->launch) {
        copy->launch = *spec->launch;
        weir_spec_map_times(WEIR_OF_LAUNCH, &copy->launch, map, context);
        spec->launch = &copy->launch;
    }
    if (!spec->time_count)
        return true;
    copy->table = weir_array(spec->time_count, sizeof *copy->table);
    for (size_t i = 0; copy->table && i < spec->time_count; i++)
        copy->table[i] = (struct weir_gpu_time){from->times[i].sms, map(context, &weir_keys[WEIR_KEY_TIMES], from->times[i].time)};
    spec->times = copy->table;
    return copy->table != NULL;
}

bool weir_spec_same(enum weir_owner owner, const void *a, const void *b)
{
    enum weir_key_id id, end;
    for (weir_owner_keys(owner, &id, &end); id < end; id++) {
        const struct weir_key *key = &weir_keys[id];
        if (key->type != WEIR_VALUE_OTHER && key->type != WEIR_VALUE_MAP && key->type != WEIR_VALUE_NAME && key->size &&
            (weir_key_get(key, a, 0) != weir_key_get(key, b, 0) || weir_key_get(key, a, 1) != weir_key_get(key, b, 1)))
            return false;
    }
    return true;
}

struct weir_platform_spec weir_platform_spec(const struct weir_pipeline *p)
{
    return (struct weir_platform_spec){.cores = p->cores, .latency_limit = p->latency_limit, .workers = p->workers, .gpu = p->gpu};
}
