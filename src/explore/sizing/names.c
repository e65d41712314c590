/* SPDX-License-Identifier: Apache-2.0 */
/* Queues by the names of their ends. */
#include "weir.h"

#include <string.h>

/* A name without the spaces around it. */
static bool same_name(const char *name, const char *text, size_t length)
{
    while (length && *text == ' ') {
        text++;
        length--;
    }
    while (length && text[length - 1] == ' ')
        length--;
    return strlen(name) == length && strncmp(name, text, length) == 0;
}

/* Whether the text, "from -> to" or "from -> to#2", is the queue: the `nth` from there to there. */
static bool is_queue(const struct weir_pipeline *model, uint32_t index, unsigned nth, const char *text, size_t length)
{
    struct weir_queue_spec queue = weir_pipeline_queue(model, (struct weir_queue){index});
    const char *from = weir_pipeline_operator(model, queue.from).name, *to = weir_pipeline_operator(model, queue.to).name;
    char number[16];
    size_t tail = (size_t)snprintf(number, sizeof number, "#%u", nth);
    for (size_t i = 0; i + 1 < length; i++) {
        if (strncmp(text + i, "->", 2) != 0 || !same_name(from, text, i))
            continue;
        const char *rest = text + i + 2;
        size_t left = length - i - 2;
        if (same_name(to, rest, left))
            return true;
        while (left && rest[left - 1] == ' ')
            left--;
        if (left > tail && strncmp(rest + left - tail, number, tail) == 0 && same_name(to, rest, left - tail))
            return true;
    }
    return false;
}

bool weir_queues_named(const struct weir_pipeline *model, const char *text, size_t length, bool *marked)
{
    bool any = false;
    uint32_t count = weir_pipeline_queue_count(model);
    for (uint32_t i = 0; i < count; i++) {
        struct weir_queue_spec queue = weir_pipeline_queue(model, (struct weir_queue){i});
        unsigned nth = 1;
        for (uint32_t k = 0; k < i; k++) {
            struct weir_queue_spec other = weir_pipeline_queue(model, (struct weir_queue){k});
            nth += other.from.index == queue.from.index && other.to.index == queue.to.index;
        }
        marked[i] = is_queue(model, i, nth, text, length);
        any |= marked[i];
    }
    return any;
}
