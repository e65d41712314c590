/* SPDX-License-Identifier: Apache-2.0 */
#include "read/sdf3/sdf3.h"

#include <string.h>

static uint32_t hash(uint32_t scope, const char *text)
{
    return weir_hash_pair(scope, weir_hash_bytes(text, strlen(text)));
}

uint32_t weir_sdf3_find(const struct weir_sdf3 *s, uint32_t scope, const char *text)
{
    struct weir_map_cursor probe = weir_map_begin(&s->names.index, hash(scope, text));
    while (weir_map_next(&s->names.index, &probe)) {
        const struct weir_sdf3_name *entry = &s->names.entries[probe.value];
        if (entry->scope == scope && strcmp(entry->text, text) == 0)
            return entry->value;
    }
    return WEIR_SDF3_NONE;
}

void weir_sdf3_name(struct weir_sdf3 *s, uint32_t scope, const char *text, uint32_t value)
{
    struct weir_sdf3_names *names = &s->names;
    if (!weir_draft_room(s->draft, &names->entries, &names->capacity, names->count, sizeof *names->entries))
        return;
    if (names->count >= UINT32_MAX / 4 || !weir_map_add(&names->index, hash(scope, text), (uint32_t)names->count)) {
        s->draft->out_of_memory = true;
        return;
    }
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
