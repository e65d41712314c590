/* SPDX-License-Identifier: Apache-2.0 */
/* Collecting queues, sources and latencies, and reading the words that describe them. */
#include "read/draft.h"

#include "model/pipeline.h"

#include <string.h>
#include <strings.h>

/* ---- queues ---- */

static bool same_kind(const struct weir_draft_kind *a, const struct weir_draft_kind *b)
{
    return a->capacity == b->capacity && a->initial == b->initial && a->nonblocking == b->nonblocking && a->bad == b->bad &&
           a->produce == b->produce && a->consume == b->consume && a->threshold == b->threshold &&
           a->initial_place.line == b->initial_place.line && a->initial_place.column == b->initial_place.column &&
           a->optional == b->optional && a->latest == b->latest && a->full == b->full && a->transfer[0] == b->transfer[0] &&
           a->transfer[1] == b->transfer[1];
}

uint32_t weir_draft_kind(struct weir_draft *d, const struct weir_draft_kind *kind)
{
    uint64_t h = (uint64_t)kind->capacity * 31 + kind->initial * UINT64_C(1009) + kind->initial_place.line * UINT64_C(65537) +
                 kind->initial_place.column * UINT64_C(257) + kind->nonblocking + (kind->bad ? 2 : 0) +
                 kind->produce * UINT64_C(5) + kind->consume * UINT64_C(4099) + kind->threshold * UINT64_C(16411) +
                 kind->transfer[0] * UINT64_C(8209) + kind->transfer[1] * UINT64_C(32771) + (uint64_t)kind->full * UINT64_C(131) +
                 (kind->optional ? 521 : 0) + (kind->latest ? 1031 : 0);
    uint32_t *recent = &d->recent[(h * UINT64_C(0x9e3779b97f4a7c15)) >> 56];
    if (*recent) {
        const struct weir_draft_kind *k = &d->kinds[*recent - 1];
        if (same_kind(k, kind))
            return *recent - 1;
    }
    if (d->kind_count >= UINT32_MAX - 1 || !weir_draft_room(d, &d->kinds, &d->kind_capacity, d->kind_count, sizeof *d->kinds))
        return 0;
    d->kinds[d->kind_count++] = *kind;
    *recent = (uint32_t)d->kind_count;
    return *recent - 1;
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

/* Digits only; false when they are not, or when there are too many. *number is then UINT64_MAX in the second case. */
static bool parse_count(const char *text, uint64_t *number)
{
    *number = 0;
    size_t length = strlen(text);
    if (length == 0 || strspn(text, "0123456789") != length)
        return false;
    for (; *text; text++) {
        *number = *number * 10 + (uint64_t)(*text - '0');
        if (*number > WEIR_QUEUE_MAX) {
            *number = UINT64_MAX;
            return false;
        }
    }
    return true;
}

bool weir_draft_read_capacity(struct weir_draft *d, const char *text, struct weir_place place, const char *what, uint32_t *capacity)
{
    char quoted[WEIR_QUOTED];
    uint64_t number;
    if (strcasecmp(text, "unbounded") == 0) {
        *capacity = WEIR_UNBOUNDED;
        return true;
    }
    if (strcasecmp(text, "auto") == 0) {
        bool threads = weir_draft_threads(d);
        if (threads)
            weir_draft_mistake(
                d, place, "\"%s\" can be auto where operators share processors or cores; give a number, or \"unbounded\"", what);
        *capacity = threads ? WEIR_UNBOUNDED : WEIR_AUTO;
        return !threads;
    }
    bool good = parse_count(text, &number);
    if (good && number > 0)
        *capacity = (uint32_t)number;
    else if (good)
        weir_draft_mistake(d, place, "\"%s\" must be at least 1: a queue of capacity 0 lets no message through", what);
    else if (number == UINT64_MAX)
        weir_draft_mistake(d, place, "\"%s\" is out of range: a queue holds at most %u messages, or is unbounded", what,
                           WEIR_QUEUE_MAX);
    else
        weir_draft_mistake(d, place, "\"%s\" must be a whole number from 1 on%s or \"unbounded\", not \"%s\"", what,
                           weir_draft_threads(d) ? "" : ", \"auto\"", weir_quote(text, quoted));
    return good && number > 0;
}

bool weir_draft_read_initial(struct weir_draft *d, const char *text, struct weir_place place, uint32_t *initial)
{
    char quoted[WEIR_QUOTED];
    uint64_t number;
    bool good = parse_count(text, &number);
    if (good)
        *initial = (uint32_t)number;
    else if (number == UINT64_MAX)
        weir_draft_mistake(d, place, "\"initial\" is out of range: a queue begins with at most %u messages", WEIR_QUEUE_MAX);
    else
        weir_draft_mistake(d, place, "\"initial\" must be a whole number of messages, not \"%s\"", weir_quote(text, quoted));
    return good;
}

bool weir_draft_read_boolean(struct weir_draft *d, const char *text, struct weir_place place, const char *what, bool *value)
{
    static const char *const words[] = {"false", "true", "no", "yes", "off", "on"};
    char quoted[WEIR_QUOTED];
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcasecmp(text, words[i]) == 0) {
            *value = i % 2;
            return true;
        }
    weir_draft_mistake(d, place, "\"%s\" must be true or false, not \"%s\"", what, weir_quote(text, quoted));
    return false;
}

bool weir_draft_read_full(struct weir_draft *d, const char *text, struct weir_place place, enum weir_full *full)
{
    static const char *const words[] = {"pop", "reject", "fault"};
    char quoted[WEIR_QUOTED];
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcasecmp(text, words[i]) == 0) {
            *full = (enum weir_full)(WEIR_FULL_POP + i);
            return true;
        }
    weir_draft_mistake(d, place, "\"full\" must be pop, reject or fault, not \"%s\"", weir_quote(text, quoted));
    return false;
}

bool weir_draft_read_count(struct weir_draft *d, const char *text, struct weir_place place, const struct weir_draft_count *count,
                           uint32_t *value)
{
    char quoted[WEIR_QUOTED];
    uint64_t number;
    bool whole = parse_count(text, &number);
    if (whole && number > 0 && number <= count->most) {
        *value = (uint32_t)number;
        return true;
    }
    if (whole && number == 0)
        weir_draft_mistake(d, place, "\"%s\" must be at least 1", count->what);
    else if (whole || number == UINT64_MAX)
        weir_draft_mistake(d, place, "\"%s\" is out of range: at most %u %s", count->what, count->most, count->of);
    else
        weir_draft_mistake(d, place, "\"%s\" must be a whole number of %s from 1 on, not \"%s\"", count->what, count->of,
                           weir_quote(text, quoted));
    return false;
}

/* ---- sources and latencies ---- */

bool weir_draft_read_arrivals(struct weir_draft *d, const char *text, struct weir_place place, enum weir_arrivals *arrivals)
{
    static const char *const words[] = {[WEIR_ARRIVALS_AT_MOST] = "at-most",
                                        [WEIR_ARRIVALS_EXACT] = "exact",
                                        [WEIR_ARRIVALS_CATCH_UP] = "catch-up",
                                        [WEIR_ARRIVALS_SKIP] = "skip"};
    char quoted[WEIR_QUOTED];
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcasecmp(text, words[i]) == 0) {
            *arrivals = (enum weir_arrivals)i;
            return true;
        }
    weir_draft_mistake(d, place, "\"arrivals\" must be at-most, exact, catch-up or skip, not \"%s\"", weir_quote(text, quoted));
    return false;
}

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
        size_t used = d->sources[i].name ? given_number(d->sources[i].name) : 0;
        if (used && used < d->source_count + 2)
            taken[used] = true;
    }
    for (size_t i = 1; i < d->source_count && !d->out_of_memory; i++) {
        struct weir_draft_source *before = &d->sources[i - 1], *s = &d->sources[i];
        char text[32];
        if (before->entry != s->entry || s->name)
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

void weir_draft_add_pair(struct weir_draft *d, const struct weir_draft_pair *pair)
{
    if (d->pair_count == WEIR_READ_PAIRS_MAX) {
        if (d->too_many_pairs)
            return;
        d->too_many_pairs = true;
        weir_draft_mistake(d, pair->place, "too many latencies are asked for: %d is the most", WEIR_READ_PAIRS_MAX);
    } else if (weir_draft_room(d, &d->pairs, &d->pair_capacity, d->pair_count, sizeof *d->pairs)) {
        d->pairs[d->pair_count++] = *pair;
    }
}
