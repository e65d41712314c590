/* SPDX-License-Identifier: Apache-2.0 */
/* The names of enumerators: one table, read both ways. */
#ifndef WEIR_BASE_WORD_H
#define WEIR_BASE_WORD_H

#include <stddef.h>
#include <string.h>

#define WEIR_WORDS(table) (sizeof(table) / sizeof *(table))

/* The name of the enumerator; NULL if there is none with this number. */
#define WEIR_WORD(table, value) ((unsigned)(value) < WEIR_WORDS(table) ? (table)[(unsigned)(value)] : NULL)

/* The number of the name; `count` if there is no such name. */
static inline size_t weir_word_find(const char *const *words, size_t count, const char *name)
{
    size_t i = 0;
    while (i < count && strcmp(words[i], name) != 0)
        i++;
    return i;
}

#endif
