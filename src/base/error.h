/* SPDX-License-Identifier: Apache-2.0 */
/* Filling in errors. A NULL error or list is fine everywhere: the status alone is then the answer. */
#ifndef WEIR_BASE_ERROR_H
#define WEIR_BASE_ERROR_H

#include "weir.h"

#include <stdarg.h>

#if defined(__GNUC__)
#define WEIR_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define WEIR_PRINTF(text, first)
#endif

/* Writes the message and returns the status, so that a function can end in `return weir_fail(...)`. */
enum weir_status weir_fail(struct weir_error *error, enum weir_status status, const char *format, ...) WEIR_PRINTF(3, 4);
#ifdef __clang_analyzer__ /* which does not see into error.c */
#define weir_fail(error, status, ...) (weir_fail(error, status, __VA_ARGS__), (status))
#endif
static inline enum weir_status weir_fail_memory(struct weir_error *error)
{
    return weir_fail(error, WEIR_MEMORY, "out of memory");
}
/* WEIR_IO, "cannot write the model: no space left on device" and the like, when writing into the stream has failed. */
enum weir_status weir_written(FILE *out, const char *what, struct weir_error *error);

/* Appends one mistake to the list. After WEIR_ERRORS_MAX of them the rest are only counted (weir_errors_count stays, a last
 * entry says how many more there are). */
#define WEIR_ERRORS_MAX 100
enum weir_status weir_errors_add(struct weir_errors *errors, enum weir_status status, const char *file, struct weir_place place,
                                 const char *format, ...) WEIR_PRINTF(5, 6);
enum weir_status weir_errors_add_list(struct weir_errors *errors, enum weir_status status, const char *file,
                                      struct weir_place place, const char *format, va_list arguments) WEIR_PRINTF(5, 0);
/* Appends a mistake found by a function that knows no place. */
enum weir_status weir_errors_add_error(struct weir_errors *errors, const char *file, struct weir_place place,
                                       const struct weir_error *error);
/* Whether further mistakes are only counted, so that their messages need not be made. */
bool weir_errors_full(const struct weir_errors *errors);
/* Sorts the list by place, keeping the order of equals. */
void weir_errors_sort(struct weir_errors *errors);

/* Quotes user text for a message: control characters and bytes that are not UTF-8 become '?', long text is shortened. Returns
 * `text`, which holds WEIR_QUOTED bytes. */
#define WEIR_QUOTED 72
const char *weir_quote(const char *user_text, char text[WEIR_QUOTED]);

/* Edit distance with transpositions, ignoring case; SIZE_MAX for words over 63 bytes, for which a hint is of no use. */
size_t weir_edit_distance(const char *a, const char *b);
/* The candidate nearest to `word` if it is near enough to be a misspelling of it, else NULL. */
const char *weir_suggest(const char *word, const char *const *candidates, size_t count);

#endif
