/* SPDX-License-Identifier: Apache-2.0 */
/* Collecting: names, queues, sources, latencies. */
#include "read/draft.h"

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
    weir_free(d->more);
    weir_free(d->widths);
    weir_free(d->plans);
    weir_free(d->processors);
    weir_names_free(&d->processor_names);
    weir_free(d->kinds);
    weir_free(d->sources);
    weir_free(d->chains);
    weir_arena_free(&d->arena);
}

void weir_draft_mistake(struct weir_draft *d, struct weir_place place, const char *format, ...)
{
    char message[sizeof((struct weir_error *)0)->message];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    d->mistakes++;
    weir_errors_add(d->errors, WEIR_INVALID, d->file, place, "%s", message);
}

bool weir_draft_room(struct weir_draft *d, void *array, size_t *capacity, size_t count, size_t size)
{
    void *block;
    memcpy(&block, array, sizeof block); /* array is a pointer to a pointer of any type */
    if (d->out_of_memory || !weir_reserve(&block, capacity, count + 1, size)) {
        d->out_of_memory = true;
        return false;
    }
    memcpy(array, &block, sizeof block);
    return true;
}

/* ---- names ---- */

uint32_t weir_draft_find(const struct weir_draft *d, const char *name, size_t bytes)
{
    return weir_names_find(&d->names, name, bytes);
}

uint32_t weir_draft_add_operator(struct weir_draft *d, const char *name, size_t bytes, struct weir_place place)
{
    if (!weir_draft_room(d, &d->operators, &d->operator_capacity, d->operator_count, sizeof *d->operators) ||
        !weir_draft_room(d, &d->more, &d->more_capacity, d->operator_count, sizeof *d->more))
        return WEIR_NO_OPERATOR;
    const char *copy = weir_arena_bytes(&d->arena, name, bytes);
    uint32_t op = (uint32_t)d->operator_count;
    if (!copy || d->operator_count >= UINT32_MAX / 4 || !weir_names_add(&d->names, copy, op)) {
        d->out_of_memory = true;
        return WEIR_NO_OPERATOR;
    }
    d->more[op] = (struct weir_draft_more){.first_width = d->width_count};
    d->operators[d->operator_count++] = (struct weir_operator_spec){.name = copy, .place = place};
    return op;
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

const char *weir_draft_hint(struct weir_draft *d, const char *name, bool (*accept)(const void *context, uint32_t op),
                            const void *context, char text[WEIR_HINT])
{
    const char *some[64] = {NULL}; /* [0] is the nearest so far */
    size_t count = 0;
    const char *nearest = NULL;
    for (uint32_t op = 0; op < d->operator_count && d->suggestions_left; op++) {
        d->suggestions_left--;
        if (!accept || accept(context, op))
            some[count++] = d->operators[op].name;
        if (count == sizeof some / sizeof *some) {
            nearest = weir_suggest(name, some, count);
            count = 0;
            if (nearest)
                some[count++] = nearest;
        }
    }
    return hint(weir_suggest(name, some, count), text);
}
