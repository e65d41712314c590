/* SPDX-License-Identifier: Apache-2.0 */
/* What operators with threads of their own say of GPUs and transfers, once times are ticks. */
#include "read/draft.h"

/* Reports two times of which the least is above the most. `what` is how the message begins: "the work of operator \"x\" ...". */
static void check_order(struct weir_draft *d, const uint32_t times[2], unsigned digits, const char *what)
{
    const struct weir_draft_time *low = &d->times[times[0]], *high = &d->times[times[1]];
    char least[WEIR_TIME_TEXT], most[WEIR_TIME_TEXT];
    bool bad = (low->bad && times[0] != WEIR_NO_TIME) || (high->bad && times[1] != WEIR_NO_TIME);
    if (!bad && low->ticks > high->ticks)
        weir_draft_mistake(d, low->place, "%s takes %s at least, above the %s that it takes at most", what,
                           weir_decimal_format(low->ticks, digits, least), weir_decimal_format(high->ticks, digits, most));
}

/* The bound of a plan holds where it has the SMs to itself. */
static void check_plans(struct weir_draft *d, const struct weir_draft_operator *o)
{
    char quoted[WEIR_QUOTED];
    for (size_t i = 0; i < d->device_count; i++)
        if (!*d->devices[i].name) {
            weir_draft_mistake(d, o->launch->place,
                               "operator \"%s\" launches work, but the plan in line %u has the GPU to itself; if that is another "
                               "GPU, give the plan a \"device\"",
                               weir_quote(o->name, quoted), d->devices[i].place.line);
            return;
        }
}

void weir_draft_check_threads(struct weir_draft *d, unsigned digits)
{
    char quoted[WEIR_QUOTED], what[WEIR_QUOTED + 64];
    for (size_t i = 0; i < d->operator_count; i++) {
        const struct weir_draft_operator *o = &d->operators[i];
        if (!o->launch)
            continue;
        weir_quote(o->name, quoted);
        snprintf(what, sizeof what, "the work of operator \"%s\" on the GPU", quoted);
        check_order(d, o->launch->time, digits, what);
        snprintf(what, sizeof what, "what operator \"%s\" does after its work on the GPU", quoted);
        check_order(d, o->launch->after, digits, what);
        if (o->reentrant)
            weir_draft_mistake(d, o->launch->place,
                               "operator \"%s\" is reentrant and launches work on a GPU: in which order is not known", quoted);
        check_plans(d, o);
    }
    for (size_t i = 0; i < d->kind_count; i++)
        check_order(d, d->kinds[i].transfer, digits, "a transfer");
}
