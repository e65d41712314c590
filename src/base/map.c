/* SPDX-License-Identifier: Apache-2.0 */
#include "base/map.h"

#include "base/alloc.h"
#include "weir.h"

#include <string.h>

uint32_t weir_hash_bytes(const void *bytes, size_t count)
{
    const uint64_t odd = UINT64_C(0x9e3779b97f4a7c15);
    const unsigned char *at = bytes;
    uint64_t h = count * odd, word;
    for (; count >= sizeof word; count -= sizeof word, at += sizeof word) {
        memcpy(&word, at, sizeof word);
        h = (h ^ word) * odd;
        h ^= h >> 29;
    }
    word = 0;
    memcpy(&word, at, count);
    h = (h ^ word) * odd;
    return (uint32_t)(h >> 32);
}

static void put(struct weir_map *map, struct weir_map_slot added)
{
    size_t at = added.hash & (map->size - 1);
    while (map->slots[at].entry)
        at = (at + 1) & (map->size - 1);
    map->slots[at] = added;
}

static bool grow(struct weir_map *map)
{
    if (4 * (map->count + 1) <= 3 * map->size)
        return true;
    struct weir_map old = *map;
    size_t size = old.size ? 2 * old.size : 16;
    struct weir_map_slot *slots = weir_array_zeroed(size, sizeof *slots);
    if (!slots)
        return false;
    map->slots = slots;
    map->size = size;
    /* From behind an empty slot on, so that values with the same hash keep their order. */
    size_t first = 0;
    while (first < old.size && old.slots[first].entry)
        first++;
    for (size_t i = 0; i < old.size; i++)
        if (old.slots[(first + i) & (old.size - 1)].entry)
            put(map, old.slots[(first + i) & (old.size - 1)]);
    weir_free(old.slots);
    return true;
}

bool weir_map_add(struct weir_map *map, uint32_t hash, uint32_t value)
{
    if (value == WEIR_MAP_NONE || !grow(map))
        return false;
    put(map, (struct weir_map_slot){hash, value + 1});
    map->count++;
    return true;
}

void weir_map_free(struct weir_map *map)
{
    weir_free(map->slots);
    *map = (struct weir_map){0};
}

/* ---- names ---- */

uint32_t weir_names_find(const struct weir_names *names, const char *name, size_t bytes)
{
    struct weir_map_cursor probe = weir_map_begin(&names->map, weir_hash_bytes(name, bytes));
    while (weir_map_next(&names->map, &probe)) {
        const char *taken = names->names[probe.value];
        if (strlen(taken) == bytes && memcmp(taken, name, bytes) == 0)
            break;
    }
    return probe.value;
}

bool weir_names_add(struct weir_names *names, const char *name, uint32_t value)
{
    bool room = weir_reserve(&names->names, &names->capacity, (size_t)value + 1, sizeof *names->names);
    if (!room || !weir_map_add(&names->map, weir_hash_bytes(name, strlen(name)), value))
        return false;
    names->names[value] = name;
    return true;
}

void weir_names_free(struct weir_names *names)
{
    weir_map_free(&names->map);
    weir_free(names->names);
    *names = (struct weir_names){0};
}
