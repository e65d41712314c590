/* SPDX-License-Identifier: Apache-2.0 */
/* Names of the log in the model. */
#include "compare.h"

#include <stdlib.h>
#include <string.h>

static bool ends_behind_dot(const char *name, const char *tail)
{
    size_t length = strlen(name), bytes = strlen(tail);
    return length > bytes && name[length - bytes - 1] == '.' && strcmp(name + length - bytes, tail) == 0;
}

uint32_t weir_compare_match(const struct weir_pipeline *pipeline, const char *name)
{
    struct weir_operator op;
    if (weir_pipeline_find(pipeline, name, &op))
        return op.index;
    for (const char *dot = strchr(name, '.'); dot; dot = strchr(dot + 1, '.'))
        if (weir_pipeline_find(pipeline, dot + 1, &op))
            return op.index;
    uint32_t found = WEIR_COMPARE_NOBODY;
    for (uint32_t i = 0; i < weir_pipeline_operator_count(pipeline); i++) {
        if (!ends_behind_dot(weir_pipeline_operator(pipeline, (struct weir_operator){i}).name, name))
            continue;
        if (found != WEIR_COMPARE_NOBODY)
            return WEIR_COMPARE_NOBODY; /* two would do */
        found = i;
    }
    return found;
}

/* Tenfold for each power; INT64_MAX when that is too much. */
static int64_t scale_up(int64_t value, int powers)
{
    for (; powers > 0; powers--)
        if (value == INT64_MAX || __builtin_mul_overflow(value, 10, &value))
            return INT64_MAX;
    return value;
}

int64_t weir_compare_ns(const struct weir_pipeline *pipeline, int64_t ticks)
{
    static const int exponents[] = {[WEIR_UNIT_NS] = 0, [WEIR_UNIT_US] = 3, [WEIR_UNIT_MS] = 6, [WEIR_UNIT_S] = 9};
    int powers = exponents[weir_pipeline_unit(pipeline)] - (int)weir_pipeline_digits(pipeline);
    for (; powers < 0; powers++)
        ticks /= 10;
    return scale_up(ticks, powers);
}

/* ---- names of the log ---- */

const char *weir_compare_name(const struct weir_comparison *c, uint32_t name)
{
    return c->log ? weir_flow_log_name(c->log, name) : c->texts[name];
}

bool weir_compare_grow(void *array, size_t *capacity, size_t need, size_t size)
{
    void **list = array;
    if (need <= *capacity)
        return true;
    size_t room = need + need / 2 + 16;
    void *grown = realloc(*list, room * size);
    if (!grown)
        return false;
    *list = grown;
    *capacity = room;
    return true;
}

/* A name with _old that the model does not have, but without it, is a message that is read once more. */
static void match_name(struct weir_comparison *c, uint32_t name)
{
    const char *text = weir_compare_name(c, name);
    size_t length = strlen(text);
    c->names[name] = weir_compare_match(c->pipeline, text);
    c->reread[name] = false;
    if (c->names[name] != WEIR_COMPARE_NOBODY || length <= 4 || strcmp(text + length - 4, "_old") != 0)
        return;
    char *shorter = malloc(length);
    if (!shorter)
        return;
    memcpy(shorter, text, length - 4);
    shorter[length - 4] = 0;
    c->names[name] = weir_compare_match(c->pipeline, shorter);
    c->reread[name] = c->names[name] != WEIR_COMPARE_NOBODY;
    free(shorter);
}

bool weir_compare_match_names(struct weir_comparison *c, size_t count)
{
    size_t capacity = c->name_capacity;
    if (count <= c->name_count)
        return true;
    if (!weir_compare_grow(&c->names, &c->name_capacity, count, sizeof *c->names) ||
        !weir_compare_grow(&c->reread, &capacity, count, sizeof *c->reread))
        return false;
    for (; c->name_count < count; c->name_count++)
        match_name(c, (uint32_t)c->name_count);
    return true;
}
