/* SPDX-License-Identifier: Apache-2.0 */
/* The order in which a scheduler with one thread comes to the operators. */
#include "model/dispatch.h"

#include <string.h>

#define NO_OPERATOR UINT32_MAX

/* "OPERATOR.broadcast", with or without a number, is what weir calls the broadcast of a port of OPERATOR: in a model that was
 * written it has no other mark. */
static bool is_named_after(const char *name, const char *op)
{
    static const char word[] = ".broadcast";
    size_t bytes = strlen(op);
    if (strncmp(name, op, bytes) != 0 || strncmp(name + bytes, word, sizeof word - 1) != 0)
        return false;
    const char *rest = name + bytes + sizeof word - 1;
    return strspn(rest, "0123456789.") == strlen(rest);
}

bool weir_dispatch_order(const struct weir_pipeline *p, uint32_t *order)
{
    uint32_t *feeder = weir_array(p->operator_count, sizeof *feeder),
             *inputs = weir_array_zeroed(p->operator_count, sizeof *inputs);
    struct weir_arena arena = {0};
    struct weir_links out;
    bool good = feeder && inputs && weir_links_make(&out, p, WEIR_LINKS_OUT, &arena);
    uint32_t count = 0;
    for (uint32_t i = 0; i < p->queue_count && good; i++) {
        feeder[p->queues[i].to.index] = p->queues[i].from.index;
        inputs[p->queues[i].to.index]++;
    }
    for (uint32_t op = 0; op < p->operator_count && good; op++) { /* from here on: the operator whose broadcast it is, or nobody */
        bool mine =
            inputs[op] == 1 && (p->operators[op].broadcast || is_named_after(p->operators[op].name, p->operators[feeder[op]].name));
        feeder[op] = mine ? feeder[op] : NO_OPERATOR;
    }
    for (uint32_t op = 0; op < p->operator_count && good; op++) {
        if (feeder[op] != NO_OPERATOR && feeder[feeder[op]] == NO_OPERATOR)
            continue;
        order[count++] = op;
        for (uint32_t i = out.first[op]; i < out.first[op + 1] && feeder[op] == NO_OPERATOR; i++)
            if (feeder[p->queues[out.queue[i]].to.index] == op)
                order[count++] = p->queues[out.queue[i]].to.index;
    }
    weir_arena_free(&arena);
    weir_free(feeder);
    weir_free(inputs);
    return good;
}
