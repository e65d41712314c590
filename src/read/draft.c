/* SPDX-License-Identifier: Apache-2.0 */
/* Collecting: names, processors, queues, sources, latencies. */
#include "read/draft.h"

#include "model/pipeline.h"

#include <stdarg.h>
#include <string.h>

/* How many names may be compared with misspelt ones in one file, so that a big file full of mistakes ends soon. */
#define SUGGESTIONS_MAX 1000000

bool weir_draft_init(struct weir_draft *d)
{
    d->suggestions_left = SUGGESTIONS_MAX;
    weir_draft_bad_time(d, (struct weir_place){0, 0}); /* number 0, WEIR_NO_TIME */
    return !d->out_of_memory;
}

static void free_chunks(struct weir_draft *d)
{
    for (size_t i = 0; d->chunks && i * WEIR_DRAFT_CHUNK < d->queue_count; i++)
        weir_free(d->chunks[i]);
    weir_free(d->chunks);
}

void weir_draft_free(struct weir_draft *d)
{
    free_chunks(d);
    weir_free(d->times);
    weir_free(d->operators);
    weir_names_free(&d->names);
    weir_free(d->rests);
    weir_free(d->widths);
    weir_free(d->plans);
    weir_free(d->processors);
    weir_names_free(&d->processor_names);
    weir_free(d->kinds);
    weir_free(d->sources);
    weir_free(d->chains);
    weir_arena_free(&d->arena);
}

enum weir_status weir_draft_finish(struct weir_draft *d, enum weir_status status)
{
    if (d->out_of_memory)
        status = weir_errors_add(d->errors, WEIR_MEMORY, d->file, (struct weir_place){0, 0}, "out of memory");
    weir_errors_sort(d->errors);
    weir_draft_free(d);
    return status;
}

void weir_draft_mistake(struct weir_draft *d, struct weir_place place, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    d->mistakes++;
    weir_errors_add_list(d->errors, WEIR_INVALID, d->file, place, format, arguments);
    va_end(arguments);
}

bool weir_draft_room(struct weir_draft *d, void *array, size_t *capacity, size_t count, size_t size)
{
    d->out_of_memory = d->out_of_memory || !weir_reserve(array, capacity, count + 1, size);
    return !d->out_of_memory;
}

/* ---- names ---- */

uint32_t weir_draft_find(const struct weir_draft *d, const char *name, size_t bytes)
{
    return weir_names_find(&d->names, name, bytes);
}

uint32_t weir_draft_add_operator(struct weir_draft *d, const char *name, size_t bytes, struct weir_place place)
{
    if (!weir_draft_room(d, &d->operators, &d->operator_capacity, d->operator_count, sizeof *d->operators))
        return WEIR_NO_OPERATOR;
    const char *copy = weir_arena_bytes(&d->arena, name, bytes);
    uint32_t op = (uint32_t)d->operator_count;
    if (!copy || d->operator_count >= UINT32_MAX / 4 || !weir_names_add(&d->names, copy, op)) {
        d->out_of_memory = true;
        return WEIR_NO_OPERATOR;
    }
    d->operators[d->operator_count++] = (struct weir_draft_operator){.name = copy, .place = place};
    return op;
}

struct weir_draft_rest *weir_draft_rest(struct weir_draft *d, uint32_t op)
{
    uint32_t *number = &d->operators[op].rest;
    if (!*number && weir_draft_room(d, &d->rests, &d->rest_capacity, d->rest_count, sizeof *d->rests)) {
        d->rests[d->rest_count++] = (struct weir_draft_rest){.first_width = d->width_count};
        *number = (uint32_t)d->rest_count;
    }
    return *number ? &d->rests[*number - 1] : NULL;
}

struct weir_operator_spec weir_draft_operator(const struct weir_draft *d, uint32_t op)
{
    const struct weir_draft_operator *o = &d->operators[op];
    struct weir_operator_spec spec = {0};
    if (o->rest) {
        spec = d->rests[o->rest - 1].spec;
        spec.times = d->widths ? d->widths + d->rests[o->rest - 1].first_width : NULL;
    }
    spec.name = o->name;
    spec.place = o->place;
    spec.best = o->best;
    spec.worst = o->worst;
    spec.reentrant = o->reentrant;
    spec.broadcast = o->broadcast;
    spec.assumed = o->assumed;
    return spec;
}

void weir_draft_set_operator(struct weir_draft *d, uint32_t op, const struct weir_operator_spec *spec)
{
    static const struct weir_operator_spec nothing;
    struct weir_draft_operator *o = &d->operators[op];
    struct weir_operator_spec rest = *spec;
    o->best = (uint32_t)spec->best;
    o->worst = (uint32_t)spec->worst;
    o->reentrant = spec->reentrant;
    o->broadcast = spec->broadcast;
    o->assumed = spec->assumed;
    rest.name = NULL;
    rest.place = (struct weir_place){0, 0};
    rest.best = rest.worst = 0;
    rest.reentrant = rest.broadcast = rest.assumed = false;
    rest.times = NULL;
    /* NOLINTNEXTLINE(bugprone-suspicious-memory-comparison): padding that differs costs a place, no more */
    struct weir_draft_rest *place = o->rest || memcmp(&rest, &nothing, sizeof rest) != 0 ? weir_draft_rest(d, op) : NULL;
    if (place)
        place->spec = rest;
}

bool weir_draft_check_name_of(struct weir_draft *d, const char *what, const char *name, size_t bytes, struct weir_place place)
{
    if (bytes == 0) {
        weir_draft_mistake(d, place, "the name of %s is empty", what);
        return false;
    }
    for (size_t i = 0; i < bytes; i++)
        if ((unsigned char)name[i] < 0x20 || name[i] == 0x7f) {
            weir_draft_mistake(d, place, "the name of %s cannot hold control characters", what);
            return false;
        }
    return true;
}

bool weir_draft_check_name(struct weir_draft *d, const char *name, size_t bytes, struct weir_place place)
{
    return weir_draft_check_name_of(d, "an operator", name, bytes, place);
}

static const char *hint(const char *nearest, char text[WEIR_HINT])
{
    char quoted[WEIR_QUOTED];
    *text = 0;
    if (nearest)
        snprintf(text, WEIR_HINT, "; did you mean \"%s\"?", weir_quote(nearest, quoted));
    return text;
}

const char *weir_hint_word(const char *word, const char *const *words, size_t count, char text[WEIR_HINT])
{
    return hint(weir_suggest(word, words, count), text);
}

const char *weir_draft_hint(struct weir_draft *d, const char *name, const struct weir_candidates *candidates, char text[WEIR_HINT])
{
    const char *some[64] = {NULL}; /* [0] is the nearest so far */
    size_t count = 0;
    for (uint32_t i = 0; i < candidates->count && d->suggestions_left; i++) {
        const char *candidate = candidates->name(candidates->context, i);
        d->suggestions_left--;
        if (candidate)
            some[count++] = candidate;
        if (count < sizeof some / sizeof *some)
            continue;
        some[0] = weir_suggest(name, some, count);
        count = some[0] != NULL;
    }
    return hint(weir_suggest(name, some, count), text);
}

static const char *operator_name(const void *draft, uint32_t op)
{
    return ((const struct weir_draft *)draft)->operators[op].name;
}

const char *weir_draft_hint_operator(struct weir_draft *d, const char *name, char text[WEIR_HINT])
{
    return weir_draft_hint(d, name, &(struct weir_candidates){d->operator_count, operator_name, d}, text);
}

/* ---- processors ---- */

uint32_t weir_draft_find_processor(const struct weir_draft *d, const char *name)
{
    return weir_names_find(&d->processor_names, name, strlen(name));
}

uint32_t weir_draft_add_processor(struct weir_draft *d, const char *name, struct weir_place place)
{
    if (d->processor_count == WEIR_PROCESSORS_MAX) {
        if (!d->processors_missing)
            weir_draft_mistake(d, place, "too many processors: %d is the most", WEIR_PROCESSORS_MAX);
        d->processors_missing = true;
        return WEIR_NO_PROCESSOR;
    }
    if (!weir_draft_room(d, &d->processors, &d->processor_capacity, d->processor_count, sizeof *d->processors))
        return WEIR_NO_PROCESSOR;
    const char *copy = weir_arena_text(&d->arena, name);
    if (!copy || !weir_names_add(&d->processor_names, copy, (uint32_t)d->processor_count)) {
        d->out_of_memory = true;
        return WEIR_NO_PROCESSOR;
    }
    d->processors[d->processor_count++] =
        (struct weir_draft_processor){.spec = {.name = copy, .place = place, .sharing = d->sharing}, .bad = d->sharing_bad};
    return (uint32_t)d->processor_count - 1;
}

static const char *processor_name(const void *draft, uint32_t number)
{
    return ((const struct weir_draft *)draft)->processors[number].spec.name;
}

const char *weir_draft_hint_processor(struct weir_draft *d, const char *name, char text[WEIR_HINT])
{
    return weir_draft_hint(d, name, &(struct weir_candidates){d->processor_count, processor_name, d}, text);
}

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
    /* NOLINTNEXTLINE(bugprone-suspicious-memory-comparison) */
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

static uint32_t from_of(const void *draft, uint32_t queue)
{
    return weir_draft_queue(draft, queue)->from;
}

bool weir_draft_group_queues(const struct weir_draft *d, struct weir_groups *groups)
{
    return weir_groups_make(groups, d->operator_count, d->queue_count, from_of, d);
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
