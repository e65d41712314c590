/* SPDX-License-Identifier: Apache-2.0 */
#include "weir.h"

#include <stddef.h>

static const char *const names[WEIR_PRIORITY_METHODS] = {
    [WEIR_PRIORITY_BEST] = "best",     [WEIR_PRIORITY_PJ0] = "PJ0", [WEIR_PRIORITY_PJ] = "PJ",
    [WEIR_PRIORITY_PJ_IBS] = "PJ+iBS", [WEIR_PRIORITY_EI] = "EI",   [WEIR_PRIORITY_EI_IBS] = "EI+iBS",
    [WEIR_PRIORITY_EIC] = "EIC",       [WEIR_PRIORITY_CIX] = "CIX",
};

const char *weir_priority_method_name(enum weir_priority_method method)
{
    return (unsigned)method < WEIR_PRIORITY_METHODS ? names[method] : "?";
}

static char lower(char c)
{
    return (char)(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
}

static bool same(const char *a, const char *b)
{
    while (*a && lower(*a) == lower(*b))
        a++, b++;
    return lower(*a) == lower(*b);
}

enum weir_priority_method weir_priority_method_named(const char *name)
{
    int method = 0;
    while (method < WEIR_PRIORITY_METHODS && !same(names[method], name))
        method++;
    return (enum weir_priority_method)method;
}

bool weir_priority_method_safe(enum weir_priority_method method)
{
    return (unsigned)method < WEIR_PRIORITY_METHODS && method != WEIR_PRIORITY_PJ && method != WEIR_PRIORITY_PJ_IBS;
}
