/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The plain name of a function, of its symbol or of what tools print. Only what is certain is answered: a symbol that holds more
 * than names, templates and parameters has no plain name here.
 */
#include "read/cuda/kernel_times.h"

#include <stdlib.h>
#include <string.h>

#define ANONYMOUS "(anonymous namespace)"
#define NESTING_MAX 256

/* ---- symbols ---- */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* A length and so many characters behind it; NULL where that is not there. *name and *bytes are what it says. */
static const char *source_name(const char *s, const char **name, size_t *bytes)
{
    size_t length = 0, left = strlen(s);
    const char *digits = s;
    while (is_digit(*s) && s - digits < 6)
        length = length * 10 + (size_t)(*s++ - '0');
    if (s == digits || length == 0 || length > left - (size_t)(s - digits))
        return NULL;
    *name = s;
    *bytes = length;
    return s + length;
}

/* A value that is the argument of a template, behind its "L": its type, digits, "E". */
static const char *skip_literal(const char *s)
{
    const char *name;
    size_t bytes;
    if (is_digit(*s))
        s = source_name(s, &name, &bytes); /* an enumeration */
    else if (*s >= 'a' && *s <= 'z')
        s++;
    else
        return NULL;
    while (s && (is_digit(*s) || *s == 'n'))
        s++;
    return s && *s == 'E' ? s + 1 : NULL;
}

/* Behind the "I" of the arguments of a template, to behind its "E"; NULL where they are too strange. */
static const char *skip_arguments(const char *s)
{
    size_t depth = 1;
    while (depth) {
        const char *name;
        size_t bytes;
        if (is_digit(*s)) {
            s = source_name(s, &name, &bytes);
        } else if (*s == 'L') {
            s = skip_literal(s + 1);
        } else if (*s == 'S' || *s == 'T') { /* S_, S0_, St, T_, T0_ */
            s++;
            while (is_digit(*s) || (*s >= 'A' && *s <= 'Z' && s[-1] != 'T'))
                s++;
            s = *s == '_' || (s[-1] == 'S' && *s) ? s + 1 : NULL;
        } else if (*s == 'I' || *s == 'N' || *s == 'J' || *s == 'F') {
            depth++, s++;
        } else if (*s == 'E') {
            depth--, s++;
        } else if ((*s >= 'a' && *s <= 'z') || strchr("PROKV", *s)) {
            s = *s && *s != 'u' ? s + 1 : NULL;
        } else {
            s = NULL;
        }
        if (!s || depth > NESTING_MAX)
            return NULL;
    }
    return s;
}

/* The name of a symbol behind "_Z", put together in `text`, which has room; false when it is not clear. */
static bool symbol_name(const char *s, char *text)
{
    bool nested = *s == 'N';
    s += nested || *s == 'L';
    size_t used = 0;
    while (nested && strchr("rVK", *s) && *s)
        s++;
    do {
        const char *name = "std";
        size_t bytes = 3;
        if (strncmp(s, "St", 2) == 0 && nested && used == 0)
            s += 2;
        else
            s = source_name(s + (nested && *s == 'L'), &name, &bytes);
        if (!s)
            return false;
        if (bytes >= 11 && strncmp(name, "_GLOBAL__N_", 11) == 0)
            name = ANONYMOUS, bytes = strlen(ANONYMOUS);
        if (used)
            memcpy(text + used, "::", 2), used += 2;
        memcpy(text + used, name, bytes);
        used += bytes;
        if (*s == 'I')
            s = skip_arguments(s + 1);
        if (!s)
            return false;
    } while (nested && *s != 'E');
    text[used] = 0;
    return true;
}

/* ---- what tools print ---- */

/* Where the parameters begin, or the end. */
static const char *find_parameters(const char *s)
{
    size_t depth = 0;
    for (; *s; s++) {
        depth += *s == '<';
        depth -= *s == '>' && depth;
        if (*s == '(' && depth == 0) {
            if (strncmp(s, ANONYMOUS, strlen(ANONYMOUS)) != 0)
                break;
            s += strlen(ANONYMOUS) - 1;
        }
    }
    return s;
}

/* The same without templates and the result. False when it is not clear. */
static bool printed_name(const char *s, char *text)
{
    const char *end = find_parameters(s);
    size_t used = 0, depth = 0;
    while (end > s && end[-1] == ' ')
        end--;
    for (; s < end; s++) {
        if (strncmp(s, ANONYMOUS, strlen(ANONYMOUS)) == 0) {
            if (depth == 0) {
                memcpy(text + used, ANONYMOUS, strlen(ANONYMOUS));
                used += strlen(ANONYMOUS);
            }
            s += strlen(ANONYMOUS) - 1;
            continue;
        }
        if (*s == '>' && depth-- == 0)
            return false;
        if (*s == ' ' && depth == 0)
            used = 0; /* what stood before was the result */
        else if (*s != '<' && *s != '>' && depth == 0)
            text[used++] = *s;
        depth += *s == '<';
    }
    text[used] = 0;
    return used > 0 && depth == 0;
}

const char *weir_kernel_base(struct weir_draft *draft, struct weir_arena *arena, const char *name)
{
    size_t bytes = strlen(name);
    char *text = weir_arena_take(arena, 8 * bytes + 32); /* a short name may stand for a longer word, with colons between */
    if (!text) {
        draft->out_of_memory = true;
        return NULL;
    }
    bool clear = strncmp(name, "_Z", 2) == 0 ? symbol_name(name + 2, text) : printed_name(name, text);
    return clear ? text : NULL;
}
