/* SPDX-License-Identifier: Apache-2.0 */
#include "base/error.h"

#include "base/alloc.h"
#include "base/utf8.h"

#include <errno.h>
#include <string.h>

struct weir_errors {
    struct weir_error *list;
    size_t count, capacity, dropped;
};

static void fill(struct weir_error *error, enum weir_status status, const char *file, struct weir_place place)
{
    error->status = status;
    error->line = place.line;
    error->column = place.column;
    snprintf(error->file, sizeof error->file, "%s", file ? file : "");
}

/* In brackets: the macro for the analyzer is not meant. */
enum weir_status(weir_fail)(struct weir_error *error, enum weir_status status, const char *format, ...)
{
    if (!error)
        return status;
    fill(error, status, NULL, (struct weir_place){0, 0});
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->message, sizeof error->message, format, arguments);
    va_end(arguments);
    return status;
}

enum weir_status weir_written(FILE *out, const char *what, struct weir_error *error)
{
    if (ferror(out))
        return weir_fail(error, WEIR_IO, "cannot write %s: %s", what, errno ? strerror(errno) : "write error");
    return WEIR_OK;
}

struct weir_errors *weir_errors_new(void)
{
    return weir_array_zeroed(1, sizeof(struct weir_errors));
}

void weir_errors_free(struct weir_errors *errors)
{
    if (!errors)
        return;
    weir_free(errors->list);
    weir_free(errors);
}

size_t weir_errors_count(const struct weir_errors *errors)
{
    return errors ? errors->count : 0;
}

const struct weir_error *weir_errors_at(const struct weir_errors *errors, size_t index)
{
    return errors && index < errors->count ? &errors->list[index] : NULL;
}

bool weir_errors_full(const struct weir_errors *errors)
{
    return !errors || errors->count == WEIR_ERRORS_MAX;
}

static struct weir_error *append(struct weir_errors *errors)
{
    if (weir_errors_full(errors)) {
        errors->dropped++;
        struct weir_error *last = &errors->list[errors->count - 1];
        if (errors->dropped == 1)
            errors->dropped = 2; /* the entry that is overwritten was one, too */
        last->line = last->column = 0;
        snprintf(last->message, sizeof last->message, "... and %zu more errors", errors->dropped);
        return NULL;
    }
    void *list = errors->list;
    if (!weir_reserve(&list, &errors->capacity, errors->count + 1, sizeof *errors->list))
        return NULL;
    errors->list = list;
    return &errors->list[errors->count++];
}

enum weir_status weir_errors_add_list(struct weir_errors *errors, enum weir_status status, const char *file,
                                      struct weir_place place, const char *format, va_list arguments)
{
    struct weir_error *error = errors ? append(errors) : NULL;
    if (!error)
        return status;
    fill(error, status, file, place);
    vsnprintf(error->message, sizeof error->message, format, arguments);
    return status;
}

enum weir_status weir_errors_add(struct weir_errors *errors, enum weir_status status, const char *file, struct weir_place place,
                                 const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    weir_errors_add_list(errors, status, file, place, format, arguments);
    va_end(arguments);
    return status;
}

enum weir_status weir_errors_add_error(struct weir_errors *errors, const char *file, struct weir_place place,
                                       const struct weir_error *error)
{
    return weir_errors_add(errors, error->status, file, place, "%s", error->message);
}

static bool before(const struct weir_error *a, const struct weir_error *b)
{
    return a->line != b->line ? a->line < b->line : a->column < b->column;
}

void weir_errors_sort(struct weir_errors *errors)
{
    if (!errors)
        return;
    size_t mistakes = errors->count - (errors->dropped > 0); /* the entry that counts the rest stays last */
    for (size_t i = 1; i < mistakes; i++) {                  /* at most WEIR_ERRORS_MAX, and nearly sorted */
        struct weir_error moving = errors->list[i];
        size_t j = i;
        for (; j > 0 && before(&moving, &errors->list[j - 1]); j--)
            errors->list[j] = errors->list[j - 1];
        errors->list[j] = moving;
    }
}

/* Bytes of the printable UTF-8 character at `s`, 0 when there is none. */
static size_t printable(const char *s)
{
    uint32_t code;
    size_t bytes = weir_utf8_next(s, &code);
    return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == WEIR_UTF8_INVALID ? 0 : bytes;
}

const char *weir_quote(const char *user_text, char text[WEIR_QUOTED])
{
    size_t used = 0;
    while (used < WEIR_QUOTED - 4 && user_text[used] >= 0x20 && user_text[used] < 0x7f) { /* nearly always all of it */
        text[used] = user_text[used];
        used++;
    }
    for (const char *s = user_text + used; *s;) {
        size_t n = printable(s);
        if (used + (n ? n : 1) > WEIR_QUOTED - 4) {
            memcpy(text + used, "...", 4);
            return text;
        }
        if (n)
            memcpy(text + used, s, n);
        else
            text[used] = '?';
        used += n ? n : 1;
        s += n ? n : 1;
    }
    text[used] = 0;
    return text;
}

size_t weir_edit_distance(const char *a, const char *b)
{
    size_t rows[3][64], m = strlen(a), n = strlen(b);
    if (m > 63 || n > 63)
        return SIZE_MAX;
    size_t *two = rows[0], *one = rows[1], *now = rows[2];
    for (size_t j = 0; j <= n; j++)
        one[j] = two[j] = j;
    for (size_t i = 1; i <= m; i++) {
        now[0] = i;
        for (size_t j = 1; j <= n; j++) {
            int ca = a[i - 1] | 0x20, cb = b[j - 1] | 0x20;
            size_t best = one[j - 1] + (ca != cb);
            best = one[j] + 1 < best ? one[j] + 1 : best;
            best = now[j - 1] + 1 < best ? now[j - 1] + 1 : best;
            if (i > 1 && j > 1 && ca == (b[j - 2] | 0x20) && cb == (a[i - 2] | 0x20) && two[j - 2] + 1 < best)
                best = two[j - 2] + 1;
            now[j] = best;
        }
        size_t *spare = two;
        two = one, one = now, now = spare;
    }
    return one[n];
}

const char *weir_suggest(const char *word, const char *const *candidates, size_t count)
{
    size_t length = strlen(word);
    size_t best = length <= 2 ? 2 : length <= 5 ? 3 : length / 3 + 2;
    const char *nearest = NULL;
    for (size_t i = 0; i < count; i++) {
        size_t d = weir_edit_distance(word, candidates[i]);
        if (d < best && d < length) {
            best = d;
            nearest = candidates[i];
        }
    }
    return nearest;
}
