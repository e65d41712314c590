/* SPDX-License-Identifier: Apache-2.0 */
#include "read/sdf3/sdf3.h"

#include <string.h>

static size_t slot_of(const struct weir_sdf3_names *names, uint32_t scope, const char *text)
{
    const uint64_t odd = UINT64_C(0x9e3779b97f4a7c15);
    uint64_t h = (scope + UINT64_C(1)) * odd;
    for (const char *c = text; *c; c++)
        h = (h ^ (unsigned char)*c) * odd;
    size_t slot = (h ^ h >> 32) & (names->index_size - 1);
    for (; names->index[slot]; slot = (slot + 1) & (names->index_size - 1)) {
        const struct weir_sdf3_name *entry = &names->entries[names->index[slot] - 1];
        if (entry->scope == scope && strcmp(entry->text, text) == 0)
            break;
    }
    return slot;
}

uint32_t weir_sdf3_find(const struct weir_sdf3 *s, uint32_t scope, const char *text)
{
    if (!s->names.count)
        return WEIR_SDF3_NONE;
    uint32_t found = s->names.index[slot_of(&s->names, scope, text)];
    return found ? s->names.entries[found - 1].value : WEIR_SDF3_NONE;
}

static bool grow_index(struct weir_sdf3_names *names)
{
    if (names->count * 2 < names->index_size)
        return true;
    size_t size = names->index_size ? names->index_size * 2 : 256;
    uint32_t *grown = weir_array_zeroed(size, sizeof *grown);
    if (!grown)
        return false;
    weir_free(names->index);
    names->index = grown;
    names->index_size = size;
    for (size_t i = 0; i < names->count; i++)
        grown[slot_of(names, names->entries[i].scope, names->entries[i].text)] = (uint32_t)i + 1;
    return true;
}

void weir_sdf3_name(struct weir_sdf3 *s, uint32_t scope, const char *text, uint32_t value)
{
    struct weir_sdf3_names *names = &s->names;
    if (!weir_draft_room(s->draft, &names->entries, &names->capacity, names->count, sizeof *names->entries))
        return;
    if (names->count >= UINT32_MAX / 4 || !grow_index(names)) {
        s->draft->out_of_memory = true;
        return;
    }
    names->index[slot_of(names, scope, text)] = (uint32_t)names->count + 1;
    names->entries[names->count++] = (struct weir_sdf3_name){text, scope, value};
}

const char *weir_sdf3_hint(struct weir_sdf3 *s, const char *name, char text[WEIR_HINT])
{
    const char *some[64] = {NULL}; /* [0] is the nearest so far */
    size_t count = 0;
    for (size_t i = 0; i < s->actor_count && s->draft->suggestions_left; i++) {
        s->draft->suggestions_left--;
        some[count++] = s->actors[i].name;
        if (count < sizeof some / sizeof *some)
            continue;
        some[0] = weir_suggest(name, some, count);
        count = some[0] ? 1 : 0;
    }
    return weir_hint_word(name, some, count, text);
}
