/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Snapshots side by side in memory. The key of a snapshot is its numbers one after the other, seven bits to a byte, the last byte
 * of each marked: small numbers, which most are, take one byte. The number of messages in flight follows from the key.
 * The table is not base's map: its four bytes a slot count in the limit on memory, and so decide how far a search comes.
 */
#include "base/map.h"
#include "baseline/statespace.h"

#include <string.h>

enum { NUMBER_BYTES = 10 };

static unsigned char *write_number(unsigned char *to, uint64_t number)
{
    for (; number > 127; number >>= 7)
        *to++ = number & 127;
    *to++ = (unsigned char)(number | 128);
    return to;
}

static const unsigned char *read_number(const unsigned char *from, uint64_t *number)
{
    *number = 0;
    for (unsigned shift = 0;; shift += 7) {
        *number |= (uint64_t)(*from & 127) << shift;
        if (*from++ & 128)
            return from;
    }
}

static size_t write_key(const struct weir_classic_chart *chart, const struct weir_snapshot *s, unsigned char *key)
{
    unsigned char *end = key;
    for (uint32_t i = 0; i < chart->node_count; i++) {
        end = write_number(end, (uint64_t)(s->bodies[i].timer + 1));
        if (s->bodies[i].timer >= 0)
            end = write_number(end, (uint64_t)s->bodies[i].rest);
    }
    for (uint32_t i = 0; i < chart->edge_count; i++)
        end = write_number(end, s->messages[i]);
    return (size_t)(end - key);
}

static void read_key(const struct weir_classic_chart *chart, const unsigned char *key, struct weir_snapshot *s)
{
    uint64_t number;
    for (uint32_t i = 0; i < chart->node_count; i++) {
        key = read_number(key, &number);
        s->bodies[i] = (struct weir_body){.timer = (int64_t)number - 1};
        if (s->bodies[i].timer >= 0) {
            key = read_number(key, &number);
            s->bodies[i].rest = (int64_t)number;
        }
    }
    for (uint32_t i = 0; i < chart->edge_count; i++) {
        key = read_number(key, &number);
        s->messages[i] = (uint32_t)number;
    }
}

/* ---- room ---- */

/* As weir_reserve, within the limit. */
static enum weir_stored make_room(struct weir_store *store, void *array, size_t *capacity, size_t need, size_t size)
{
    if (need <= *capacity)
        return WEIR_STORED;
    size_t before = *capacity;
    /* An upper bound on what weir_reserve takes, and the old block is there until the new one is filled. */
    uint64_t grown = (uint64_t)(before + before / 2 + 8 + (need - before)) * size;
    if (store->bytes + grown > store->bytes_max)
        return WEIR_STORED_FULL;
    if (!weir_reserve(array, capacity, need, size))
        return WEIR_STORED_MEMORY;
    store->bytes += (uint64_t)(*capacity - before) * size;
    return WEIR_STORED;
}

static uint32_t *find_slot(const struct weir_store *store, const unsigned char *key, size_t bytes)
{
    for (size_t slot = weir_hash_bytes(key, bytes);; slot++) {
        uint32_t *entry = &store->table[slot & (store->table_size - 1)];
        if (*entry == 0)
            return entry;
        const struct weir_state_record *record = &store->records[*entry - 1];
        if (record->key_bytes == bytes && memcmp(store->keys + record->key, key, bytes) == 0)
            return entry;
    }
}

/* Keeps the table at most half full. */
static enum weir_stored widen_table(struct weir_store *store)
{
    if (2 * (store->record_count + 1) <= store->table_size)
        return WEIR_STORED;
    size_t size = store->table_size ? 2 * store->table_size : 64;
    if (store->bytes + size * sizeof *store->table > store->bytes_max)
        return WEIR_STORED_FULL;
    uint32_t *table = weir_array_zeroed(size, sizeof *table);
    if (!table)
        return WEIR_STORED_MEMORY;
    weir_free(store->table);
    store->bytes += (size - store->table_size) * sizeof *table;
    store->table = table;
    store->table_size = size;
    for (size_t i = 0; i < store->record_count; i++)
        *find_slot(store, store->keys + store->records[i].key, store->records[i].key_bytes) = (uint32_t)i + 1;
    return WEIR_STORED;
}

/* ---- entering ---- */

static void let_wait(struct weir_store *store, uint32_t index)
{
    struct weir_state_record *record = &store->records[index];
    if (record->waiting)
        return;
    record->waiting = true;
    record->next = WEIR_NO_RECORD;
    if (store->last == WEIR_NO_RECORD)
        store->first = index;
    else
        store->records[store->last].next = index;
    store->last = index;
    store->waiting++;
}

static int64_t age_of(const struct weir_snapshot *s, size_t place)
{
    return s->ages[s->age_first + place] + s->elapsed;
}

static enum weir_stored enter(struct weir_store *store, const struct weir_snapshot *s, size_t bytes, uint32_t *slot)
{
    size_t ages = s->age_end - s->age_first;
    enum weir_stored stored = store->record_count >= store->record_max ? WEIR_STORED_FULL : WEIR_STORED;
    if (!stored)
        stored = make_room(store, &store->keys, &store->key_capacity, store->key_count + bytes, 1);
    if (!stored)
        stored = make_room(store, &store->ages, &store->age_capacity, store->age_count + ages, sizeof *store->ages);
    if (!stored)
        stored = make_room(store, &store->records, &store->record_capacity, store->record_count + 1, sizeof *store->records);
    if (stored)
        return stored;
    uint32_t index = (uint32_t)store->record_count++;
    store->records[index] = (struct weir_state_record){
        .key = store->key_count, .ages = store->age_count, .key_bytes = (uint32_t)bytes, .age_count = (uint32_t)ages};
    memcpy(store->keys + store->key_count, store->key, bytes);
    for (size_t i = 0; i < ages; i++)
        store->ages[store->age_count + i] = age_of(s, i);
    store->key_count += bytes;
    store->age_count += ages;
    *slot = index + 1;
    let_wait(store, index);
    return WEIR_STORED;
}

static void lift(struct weir_store *store, const struct weir_snapshot *s, uint32_t index)
{
    const struct weir_state_record *record = &store->records[index];
    for (size_t i = 0; i < record->age_count; i++) {
        int64_t *age = &store->ages[record->ages + i];
        if (age_of(s, i) > *age) {
            *age = age_of(s, i);
            let_wait(store, index);
        }
    }
}

enum weir_stored weir_store_put(struct weir_store *store, const struct weir_snapshot *s)
{
    for (size_t i = 0; i < s->age_end - s->age_first; i++) {
        if (age_of(s, i) > WEIR_TIME_MAX)
            return WEIR_STORED_OVERFLOW;
        if (age_of(s, i) > store->oldest)
            store->oldest = age_of(s, i);
    }
    enum weir_stored stored = widen_table(store);
    if (stored)
        return stored;
    size_t bytes = write_key(store->chart, s, store->key);
    uint32_t *slot = find_slot(store, store->key, bytes);
    if (*slot == 0)
        return enter(store, s, bytes, slot);
    lift(store, s, *slot - 1);
    return WEIR_STORED;
}

uint32_t weir_store_take(struct weir_store *store)
{
    uint32_t index = store->first;
    store->first = store->records[index].next;
    if (store->first == WEIR_NO_RECORD)
        store->last = WEIR_NO_RECORD;
    store->records[index].waiting = false;
    store->waiting--;
    return index;
}

bool weir_store_load(const struct weir_store *store, uint32_t index, struct weir_snapshot *s)
{
    const struct weir_state_record *record = &store->records[index];
    read_key(store->chart, store->keys + record->key, s);
    s->age_first = s->age_end = 0;
    s->elapsed = 0;
    s->longest = -1;
    for (size_t i = 0; i < record->age_count; i++)
        if (!weir_snapshot_push(s, store->ages[record->ages + i]))
            return false;
    return true;
}

bool weir_store_new(const struct weir_classic_chart *chart, uint64_t record_max, uint64_t bytes_max, struct weir_store *store)
{
    *store = (struct weir_store){.chart = chart,
                                 .first = WEIR_NO_RECORD,
                                 .last = WEIR_NO_RECORD,
                                 .bytes_max = bytes_max,
                                 .record_max = record_max < WEIR_NO_RECORD ? record_max : WEIR_NO_RECORD - 1};
    store->key = weir_array(2 * (size_t)chart->node_count + chart->edge_count, NUMBER_BYTES);
    return store->key != NULL;
}

void weir_store_free(struct weir_store *store)
{
    weir_free(store->keys);
    weir_free(store->ages);
    weir_free(store->records);
    weir_free(store->table);
    weir_free(store->key);
    *store = (struct weir_store){0};
}
