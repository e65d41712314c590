/* SPDX-License-Identifier: Apache-2.0 */
/* Collecting queues, sources and latencies. */
#include "read/draft.h"

#include <string.h>

/* ---- queues ---- */

static bool same_kind(const struct weir_draft_kind *a, const struct weir_draft_kind *b)
{
    return a->bad == b->bad && a->initial_place.line == b->initial_place.line &&
           a->initial_place.column == b->initial_place.column && weir_spec_same(WEIR_OF_QUEUE, &a->spec, &b->spec);
}

static uint64_t hash(const struct weir_draft_kind *kind)
{
    uint64_t h = kind->initial_place.line * UINT64_C(65537) + kind->initial_place.column * UINT64_C(257) + kind->bad;
    enum weir_key_id id, end;
    for (weir_owner_keys(WEIR_OF_QUEUE, &id, &end); id < end; id++)
        if (weir_keys[id].size)
            h = h * UINT64_C(31) + (uint64_t)weir_key_get(&weir_keys[id], &kind->spec, 1);
    return h * UINT64_C(0x9e3779b97f4a7c15);
}

uint32_t weir_draft_kind(struct weir_draft *d, const struct weir_draft_kind *kind)
{
    /* Mostly it is the one before, to the byte; the rest only costs time where padding differs. */
    if (d->kind_count && memcmp(&d->kinds[d->last_kind], kind, sizeof *kind) == 0)
        return d->last_kind;
    uint32_t *recent = &d->recent[hash(kind) >> 56];
    if (*recent && same_kind(&d->kinds[*recent - 1], kind))
        return d->last_kind = *recent - 1;
    if (d->kind_count >= UINT32_MAX - 1 || !weir_draft_room(d, &d->kinds, &d->kind_capacity, d->kind_count, sizeof *d->kinds))
        return 0;
    d->kinds[d->kind_count++] = *kind;
    *recent = (uint32_t)d->kind_count;
    return d->last_kind = *recent - 1;
}

struct weir_draft_queue *weir_draft_queue(const struct weir_draft *d, size_t number)
{
    return &d->chunks[number / WEIR_DRAFT_CHUNK][number % WEIR_DRAFT_CHUNK];
}

void weir_draft_add_queue(struct weir_draft *d, const struct weir_draft_queue *queue)
{
    size_t chunk = d->queue_count / WEIR_DRAFT_CHUNK;
    if (d->queue_count % WEIR_DRAFT_CHUNK == 0) {
        if (!weir_draft_room(d, &d->chunks, &d->chunk_capacity, chunk, sizeof *d->chunks))
            return;
        d->chunks[chunk] = weir_array(WEIR_DRAFT_CHUNK, sizeof **d->chunks);
        if (!d->chunks[chunk])
            d->out_of_memory = true;
    }
    if (!d->out_of_memory)
        *weir_draft_queue(d, d->queue_count++) = *queue;
}

/* ---- sources and latencies ---- */

/* Which of the names we give this is: 1 for "source", n for "source n", or 0. */
static size_t given_number(const char *name)
{
    size_t number = 0;
    if (strncmp(name, "source", 6) != 0)
        return 0;
    if (!name[6])
        return 1;
    size_t digits = strspn(name + 7, "0123456789");
    if (name[6] != ' ' || digits == 0 || digits > 9 || name[7] == '0' || name[7 + digits])
        return 0;
    for (const char *c = name + 7; *c; c++)
        number = number * 10 + (size_t)(*c - '0');
    return number > 1 ? number : 0;
}

void weir_draft_name_sources(struct weir_draft *d)
{
    bool *taken = weir_array_zeroed(d->source_count + 2, sizeof *taken);
    size_t number = 1;
    if (!taken)
        d->out_of_memory = true;
    for (size_t i = 0; i < d->source_count && !d->out_of_memory; i++) {
        size_t used = d->sources[i].spec.name ? given_number(d->sources[i].spec.name) : 0;
        if (used && used < d->source_count + 2)
            taken[used] = true;
    }
    for (size_t i = 1; i < d->source_count && !d->out_of_memory; i++) {
        struct weir_source_spec *before = &d->sources[i - 1].spec, *s = &d->sources[i].spec;
        char text[32];
        if (d->sources[i - 1].entry != d->sources[i].entry || s->name)
            continue;
        if (!before->name) {
            while (taken[number])
                number++;
            snprintf(text, sizeof text, number > 1 ? "source %zu" : "source", number);
            number++;
            before->name = weir_arena_text(&d->arena, text);
            d->out_of_memory |= !before->name;
        }
        s->name = before->name;
    }
    weir_free(taken);
}

void weir_draft_add_source(struct weir_draft *d, const struct weir_draft_source *source)
{
    if (weir_draft_room(d, &d->sources, &d->source_capacity, d->source_count, sizeof *d->sources))
        d->sources[d->source_count++] = *source;
}

void weir_draft_add_chain(struct weir_draft *d, const struct weir_chain_spec *chain)
{
    if (d->chain_count == WEIR_READ_CHAINS_MAX) {
        if (d->too_many_chains)
            return;
        d->too_many_chains = true;
        weir_draft_mistake(d, chain->place, "too many latencies are asked for: %d is the most", WEIR_READ_CHAINS_MAX);
    } else if (weir_draft_room(d, &d->chains, &d->chain_capacity, d->chain_count, sizeof *d->chains)) {
        d->chains[d->chain_count++] = *chain;
    }
}
