/* SPDX-License-Identifier: Apache-2.0 */
/* The platform of operators that have threads: a scheduler of Holoscan, its workers, and how often it polls. */
#include "read/yaml/value.h"

#include "model/pipeline.h"

#include <string.h>
#include <strings.h>

static const char *const schedulers[] = {"event-based", "multi-thread", "greedy"};

static bool find(const struct weir_yaml_node *node, enum weir_dispatch *dispatch)
{
    for (unsigned i = 0; i < sizeof schedulers / sizeof *schedulers; i++)
        if (node->kind == WEIR_YAML_SCALAR && strcasecmp(node->text, schedulers[i]) == 0) {
            *dispatch = (enum weir_dispatch)i;
            return true;
        }
    return false;
}

bool weir_yaml_is_workers(const struct weir_yaml_node *platform)
{
    enum weir_dispatch dispatch;
    for (const struct weir_yaml_node *key = platform->kind == WEIR_YAML_MAP ? platform->first : NULL; key; key = key->next->next) {
        if (key->kind != WEIR_YAML_SCALAR)
            continue;
        if (strcmp(key->text, "workers") == 0 || strcmp(key->text, "polling") == 0 ||
            (strcmp(key->text, "scheduler") == 0 && find(key->next, &dispatch)))
            return true;
    }
    return false;
}

void weir_yaml_workers(struct weir_draft *d, const struct weir_yaml_node *place, const struct weir_yaml_node *const nodes[3])
{
    static const struct weir_draft_count count = {"workers", "workers", WEIR_WORKERS_MAX};
    const struct weir_yaml_node *scheduler = nodes[0], *workers = nodes[1], *polling = nodes[2];
    char quoted[WEIR_QUOTED], near[WEIR_HINT];
    const char *text = scheduler ? weir_yaml_text(d, scheduler, "scheduler", "event-based, multi-thread or greedy") : NULL;
    d->workers.place = place->place;
    if (text && !find(scheduler, &d->workers.dispatch)) {
        const char *hint = weir_hint_word(text, schedulers, sizeof schedulers / sizeof *schedulers, near);
        weir_draft_mistake(d, scheduler->place, "unknown scheduler of workers \"%s\"%s", weir_quote(text, quoted),
                           *hint ? hint : "; expected event-based, multi-thread or greedy");
    }
    bool known = text && find(scheduler, &d->workers.dispatch);
    bool counted = workers && weir_yaml_count(d, workers, &count, &d->workers.workers);
    if (!scheduler)
        weir_draft_mistake(d, place->place, "\"%s\" needs a \"scheduler\": event-based, multi-thread or greedy",
                           workers ? "workers" : "polling");
    if (polling)
        d->polling = weir_yaml_time(d, polling, "polling");
    if (!known)
        return;
    if (d->workers.dispatch == WEIR_DISPATCH_GREEDY) {
        if (counted && d->workers.workers != 1)
            weir_draft_mistake(d, workers->place, "the greedy scheduler has one thread, not %u workers", d->workers.workers);
        d->workers.workers = 1;
    }
    if (polling && d->workers.dispatch != WEIR_DISPATCH_POLLED)
        weir_draft_mistake(d, polling->place, "\"polling\" is about multi-thread, but the scheduler is %s",
                           weir_dispatch_name(d->workers.dispatch));
    d->polling_unsaid = !polling && d->workers.dispatch == WEIR_DISPATCH_POLLED;
}

/* What Holoscan does unless told otherwise: check_recession_period_ms. Times without a unit have nothing to do with it. */
void weir_draft_poll(struct weir_draft *d)
{
    static const struct weir_decimal five = {.mantissa = 5, .has_unit = true, .unit = WEIR_UNIT_MS};
    bool units = d->has_unit && d->unit != WEIR_UNIT_TICK;
    if (!d->polling_unsaid)
        return;
    for (size_t i = 0; i < d->time_count && !d->has_unit; i++)
        units |= !d->times[i].bad && d->times[i].value.has_unit && d->times[i].value.unit != WEIR_UNIT_TICK;
    if (units)
        d->polling = weir_draft_decimal(d, &five, d->workers.place);
    else if (!d->unit_bad)
        weir_draft_mistake(d, d->workers.place,
                           "multi-thread polls every 5 ms unless told otherwise, but the model has no unit: give it one, or say "
                           "\"polling\" (0: at once)");
}
