/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hash maps to numbers below UINT32_MAX: open addressing with linear probing, at most three quarters full. A zeroed map is empty
 * and owns no memory. A map knows hashes only; what a number stands for, the caller compares:
 *
 *     struct weir_map_cursor probe = weir_map_begin(&map, hash);
 *     while (weir_map_next(&map, &probe) && !same(probe.value, key))
 *         ;
 *     return probe.value; // WEIR_MAP_NONE when there is none
 */
#ifndef WEIR_BASE_MAP_H
#define WEIR_BASE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WEIR_MAP_NONE UINT32_MAX

struct weir_map {
    struct weir_map_slot {
        uint32_t hash, entry; /* the value plus one; 0: empty */
    } * slots;
    size_t size, count; /* the size is 0 or a power of two */
};

struct weir_map_cursor {
    size_t slot;
    uint32_t hash, value;
};

uint32_t weir_hash_bytes(const void *bytes, size_t count);

/* A digest that stays the same from one machine to another (FNV-1a): of nothing, and of what it is of with more behind that. */
#define WEIR_DIGEST UINT64_C(14695981039346656037)
static inline uint64_t weir_digest(uint64_t digest, const void *bytes, size_t count)
{
    const unsigned char *at = (const unsigned char *)bytes;
    for (size_t i = 0; i < count; i++)
        digest = (digest ^ at[i]) * UINT64_C(1099511628211);
    return digest;
}

static inline uint32_t weir_hash_pair(uint64_t a, uint64_t b)
{
    const uint64_t odd = UINT64_C(0x9e3779b97f4a7c15);
    uint64_t h = (a + 1) * odd;
    h = (h ^ h >> 29 ^ b) * odd;
    return (uint32_t)(h >> 32);
}

static inline struct weir_map_cursor weir_map_begin(const struct weir_map *map, uint32_t hash)
{
    return (struct weir_map_cursor){map->size ? hash & (map->size - 1) : 0, hash, WEIR_MAP_NONE};
}

/* Goes on to the next value with the hash; false, and the value WEIR_MAP_NONE, when there is none. */
static inline bool weir_map_next(const struct weir_map *map, struct weir_map_cursor *probe)
{
    probe->value = WEIR_MAP_NONE;
    if (!map->size)
        return false;
    for (struct weir_map_slot slot; (slot = map->slots[probe->slot]).entry;) {
        probe->slot = (probe->slot + 1) & (map->size - 1);
        if (slot.hash == probe->hash) {
            probe->value = slot.entry - 1;
            return true;
        }
    }
    return false;
}

/* Adds a value, after others with the same hash; false, and nothing changed, when out of memory. */
bool weir_map_add(struct weir_map *map, uint32_t hash, uint32_t value);
void weir_map_free(struct weir_map *map);

/* Names to numbers. A name is kept as a pointer: it has to outlive the map. */
struct weir_names {
    struct weir_map map;
    const char **names; /* by value */
    size_t capacity;
};

/* WEIR_MAP_NONE when it is not there. */
uint32_t weir_names_find(const struct weir_names *names, const char *name, size_t bytes);
/* The name must not be there yet; false, and nothing changed, when out of memory. */
bool weir_names_add(struct weir_names *names, const char *name, uint32_t value);
void weir_names_free(struct weir_names *names);

#endif
