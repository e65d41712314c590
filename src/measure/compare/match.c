/* SPDX-License-Identifier: Apache-2.0 */
/* Names of the log in the model. */
#include "measure/compare/compare.h"

#include <string.h>

static bool ends_behind_dot(const char *name, const char *tail)
{
    size_t length = strlen(name), bytes = strlen(tail);
    return length > bytes && name[length - bytes - 1] == '.' && strcmp(name + length - bytes, tail) == 0;
}

uint32_t weir_log_match(const struct weir_pipeline *pipeline, const char *name)
{
    struct weir_operator op;
    if (weir_pipeline_find(pipeline, name, &op))
        return op.index;
    for (const char *dot = strchr(name, '.'); dot; dot = strchr(dot + 1, '.'))
        if (weir_pipeline_find(pipeline, dot + 1, &op))
            return op.index;
    uint32_t found = WEIR_LOG_NO_OPERATOR;
    for (uint32_t i = 0; i < weir_pipeline_operator_count(pipeline); i++) {
        if (!ends_behind_dot(weir_pipeline_operator(pipeline, (struct weir_operator){i}).name, name))
            continue;
        if (found != WEIR_LOG_NO_OPERATOR)
            return WEIR_LOG_NO_OPERATOR; /* two would do */
        found = i;
    }
    return found;
}

const char *weir_log_comparison_name(const struct weir_log_comparison *c, uint32_t name)
{
    return c->log ? weir_flow_log_name(c->log, name) : c->texts[name];
}

/* A name with _old that the model does not have, but without it, is a message that is read once more. False: out of memory. */
static bool match_name(struct weir_log_comparison *c, uint32_t name)
{
    const char *text = weir_log_comparison_name(c, name);
    size_t length = strlen(text);
    c->names[name] = weir_log_match(c->pipeline, text);
    c->reread[name] = false;
    if (c->names[name] != WEIR_LOG_NO_OPERATOR || length <= 4 || strcmp(text + length - 4, "_old") != 0)
        return true;
    char *shorter = weir_array(length, 1);
    if (!shorter)
        return false;
    memcpy(shorter, text, length - 4);
    shorter[length - 4] = 0;
    c->names[name] = weir_log_match(c->pipeline, shorter);
    c->reread[name] = c->names[name] != WEIR_LOG_NO_OPERATOR;
    weir_free(shorter);
    return true;
}

bool weir_log_comparison_match(struct weir_log_comparison *c, size_t count)
{
    void *names = c->names, *reread = c->reread;
    bool room = weir_reserve(&names, &c->name_capacity, count, sizeof *c->names);
    c->names = names;
    room = room && weir_reserve(&reread, &c->reread_capacity, count, sizeof *c->reread);
    c->reread = reread;
    for (; room && c->name_count < count; c->name_count++)
        room = match_name(c, (uint32_t)c->name_count);
    return room;
}
