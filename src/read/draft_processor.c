/* SPDX-License-Identifier: Apache-2.0 */
/* Collecting processors, and the checks of what they say. */
#include "read/draft.h"

#include "model/pipeline.h"

#include <string.h>

uint32_t weir_draft_find_processor(const struct weir_draft *d, const char *name)
{
    return weir_names_find(&d->processor_names, name, strlen(name));
}

uint32_t weir_draft_add_processor(struct weir_draft *d, const char *name, struct weir_place place)
{
    if (d->processor_count == WEIR_PROCESSORS_MAX) {
        if (!d->processors_missing)
            weir_draft_mistake(d, place, "too many processors: %d is the most", WEIR_PROCESSORS_MAX);
        d->processors_missing = true;
        return WEIR_NO_PROCESSOR;
    }
    if (!weir_draft_room(d, &d->processors, &d->processor_capacity, d->processor_count, sizeof *d->processors))
        return WEIR_NO_PROCESSOR;
    const char *copy = weir_arena_text(&d->arena, name);
    if (!copy || !weir_names_add(&d->processor_names, copy, (uint32_t)d->processor_count)) {
        d->out_of_memory = true;
        return WEIR_NO_PROCESSOR;
    }
    d->processors[d->processor_count++] =
        (struct weir_draft_processor){.spec = {.name = copy, .place = place, .sharing = d->sharing}, .bad = d->sharing_bad};
    return (uint32_t)d->processor_count - 1;
}

const char *weir_draft_hint_processor(struct weir_draft *d, const char *name, char text[WEIR_HINT])
{
    const char *some[WEIR_PROCESSORS_MAX];
    size_t count = d->processor_count < d->suggestions_left ? d->processor_count : d->suggestions_left;
    for (size_t i = 0; i < count; i++)
        some[i] = d->processors[i].spec.name;
    d->suggestions_left -= (uint32_t)count;
    return weir_hint_word(name, some, count, text);
}

/* ---- once times are ticks ---- */

static void check_positive(struct weir_draft *d, int64_t time, const char *what)
{
    const struct weir_draft_time *t = &d->times[time];
    if (time != WEIR_NO_TIME && !t->bad && t->ticks == 0)
        weir_draft_mistake(d, t->place, "\"%s\" must be longer than 0", what);
}

void weir_draft_check_processors(struct weir_draft *d)
{
    char quoted[WEIR_QUOTED];
    if (!d->shared)
        return;
    check_positive(d, d->platform.latency_limit, "latency-limit");
    for (size_t i = 0; i < d->processor_count; i++) {
        check_positive(d, d->processors[i].spec.frame, "frame");
        check_positive(d, d->processors[i].slot, "slot");
    }
    for (size_t i = 0; i < d->operator_count; i++) {
        const struct weir_operator_spec *o = &d->operators[i];
        const struct weir_draft_time *worst = &d->times[o->worst];
        check_positive(d, o->slot, "slot");
        if (!worst->bad && worst->ticks == 0)
            weir_draft_mistake(d, worst->place, "operator \"%s\" takes no time; on shared processors a worst case is longer than 0",
                               weir_quote(o->name, quoted));
    }
}
