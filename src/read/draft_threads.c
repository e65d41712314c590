/* SPDX-License-Identifier: Apache-2.0 */
/* What operators with threads of their own say of GPUs and transfers, once times are ticks. */
#include "read/draft.h"

/* Reports an interval whose least is above its most. `what` is how the message begins: "the work of operator \"x\" ...". */
static void check_order(struct weir_draft *d, enum weir_key_id id, const void *spec, unsigned digits, const char *what)
{
    int64_t least = weir_key_get(&weir_keys[id], spec, 0), most = weir_key_get(&weir_keys[id], spec, 1);
    const struct weir_draft_time *low = &d->times[least], *high = &d->times[most];
    char below[WEIR_TIME_TEXT], above[WEIR_TIME_TEXT];
    bool bad = (low->bad && least != WEIR_NO_TIME) || (high->bad && most != WEIR_NO_TIME);
    if (!bad && low->ticks > high->ticks)
        weir_draft_mistake(d, low->place, "%s takes %s at least, above the %s that it takes at most", what,
                           weir_decimal_format(low->ticks, digits, below), weir_decimal_format(high->ticks, digits, above));
}

/* The bound of a plan holds where it has the SMs to itself. */
static void check_plans(struct weir_draft *d, uint32_t op)
{
    char quoted[WEIR_QUOTED];
    for (size_t i = 0; i < d->device_count; i++)
        if (!*d->devices[i].name) {
            weir_draft_mistake(d, d->more[op].launch_place,
                               "operator \"%s\" launches work, but the plan in line %u has the GPU to itself; if that is another "
                               "GPU, give the plan a \"device\"",
                               weir_quote(d->operators[op].name, quoted), d->devices[i].place.line);
            return;
        }
}

void weir_draft_check_threads(struct weir_draft *d, unsigned digits)
{
    char quoted[WEIR_QUOTED], what[WEIR_QUOTED + 64];
    for (uint32_t op = 0; op < d->operator_count; op++) {
        const struct weir_operator_spec *o = &d->operators[op];
        if (!o->launch)
            continue;
        weir_quote(o->name, quoted);
        snprintf(what, sizeof what, "the work of operator \"%s\" on the GPU", quoted);
        check_order(d, WEIR_KEY_LAUNCH_TIME, o->launch, digits, what);
        snprintf(what, sizeof what, "what operator \"%s\" does after its work on the GPU", quoted);
        check_order(d, WEIR_KEY_LAUNCH_AFTER, o->launch, digits, what);
        if (o->reentrant)
            weir_draft_mistake(d, d->more[op].launch_place,
                               "operator \"%s\" is reentrant and launches work on a GPU: in which order is not known", quoted);
        check_plans(d, op);
    }
    for (size_t i = 0; i < d->kind_count; i++)
        check_order(d, WEIR_KEY_TRANSFER, &d->kinds[i].spec, digits, "a transfer");
}
