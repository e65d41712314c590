/* SPDX-License-Identifier: Apache-2.0 */
/* What can be set, and of what. */
#include "explore/change/change.h"

#include <string.h>

enum weir_owner weir_key_target(const struct weir_key *key)
{
    switch (key->owner) {
    case WEIR_OF_COST:
    case WEIR_OF_LAUNCH:
    case WEIR_OF_ENDS:
    case WEIR_OF_KERNEL:
        return WEIR_OF_OPERATOR;
    case WEIR_OF_GPU:
        return WEIR_OF_PLATFORM;
    default:
        return key->owner;
    }
}

static bool is_named(const struct weir_key *key, const char *name)
{
    const char *prefix = weir_owner_words[key->owner].prefix;
    size_t length = prefix ? strlen(prefix) : 0;
    return key->settable && strncmp(name, prefix ? prefix : "", length) == 0 && strcmp(name + length, key->name) == 0;
}

const struct weir_key *weir_key_find(const char *name, enum weir_owner target)
{
    for (size_t i = 0; i < WEIR_KEY_COUNT; i++)
        if (is_named(&weir_keys[i], name) && weir_key_target(&weir_keys[i]) == target)
            return &weir_keys[i];
    return NULL;
}

const struct weir_key *weir_key_named(const char *name)
{
    for (size_t i = 0; i < WEIR_KEY_COUNT; i++)
        if (is_named(&weir_keys[i], name))
            return &weir_keys[i];
    return NULL;
}

const char *weir_key_hint(const char *name, char text[WEIR_HINT])
{
    char full[WEIR_KEY_COUNT][32];
    const char *names[WEIR_KEY_COUNT];
    size_t count = 0;
    for (size_t i = 0; i < WEIR_KEY_COUNT; i++) {
        const char *prefix = weir_owner_words[weir_keys[i].owner].prefix;
        if (!weir_keys[i].settable)
            continue;
        snprintf(full[count], sizeof full[count], "%s%s", prefix ? prefix : "", weir_keys[i].name);
        names[count] = full[count];
        count++;
    }
    return weir_hint_word(name, names, count, text);
}
