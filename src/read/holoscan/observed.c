/* SPDX-License-Identifier: Apache-2.0 */
/* What was seen of an operator: {count: 1140, min: 2.49, max: 28.14, from: flow.log}. No answer depends on it; it is there so that
 * the reader of the model or its answers knows that the times are estimates, and how good they can be. */
#include "read/yaml/value.h"

#include <inttypes.h>

void weir_draft_observe(struct weir_draft *d, uint32_t op, const struct weir_observed *observed)
{
    struct weir_observed *mine = d->out_of_memory ? NULL : weir_arena_take(&d->arena, sizeof *mine);
    if (mine) {
        *mine = *observed;
        mine->from = weir_arena_text(&d->arena, observed->from);
    }
    struct weir_draft_rest *rest = mine && mine->from ? weir_draft_rest(d, op) : NULL;
    if (rest)
        rest->spec.observed = mine;
    else
        d->out_of_memory = true;
}

void weir_yaml_operator_observed(struct weir_draft *d, uint32_t op, const struct weir_yaml_node *node)
{
    struct weir_yaml_fields f;
    struct weir_observed observed = {0};
    weir_yaml_open(d, node, WEIR_OF_OBSERVED, &f);
    weir_yaml_require(d, node, WEIR_OF_OBSERVED, &f);
    weir_yaml_read(d, &f, WEIR_OF_OBSERVED, &observed);
    if (f.of[WEIR_KEY_OBSERVED_MAX] && observed.from)
        weir_draft_observe(d, op, &observed);
}

/* The note that every command prints which reads the model. */
static void note_estimates(struct weir_draft *d, size_t estimated, size_t few, const struct weir_operator_spec *fewest)
{
    char quoted[WEIR_QUOTED];
    const struct weir_place nowhere = {0, 0};
    if (estimated)
        weir_errors_add(d->options->notes, WEIR_OK, d->file, nowhere,
                        "the times of %zu of %zu operators were observed, not proven: answers hold as long as no execution takes "
                        "longer than the model says",
                        estimated, d->operator_count);
    if (few)
        weir_errors_add(d->options->notes, WEIR_OK, d->file, nowhere,
                        "%zu operator%s seen fewer than %d times (\"%s\": %" PRIu64
                        "): too small a sample for a worst case; after n executions that are alike, the next is the longest so far "
                        "with a probability of 1 in n + 1",
                        few, few == 1 ? " was" : "s were", WEIR_OBSERVED_FEW, weir_quote(fewest->name, quoted),
                        fewest->observed->count);
}

void weir_draft_check_observed(struct weir_draft *d)
{
    size_t estimated = 0, few = 0;
    struct weir_operator_spec fewest = {0};
    for (uint32_t i = 0; i < d->operator_count; i++) {
        const struct weir_operator_spec o = weir_draft_operator(d, i);
        const struct weir_observed *seen = o.observed;
        if (!seen)
            continue;
        const struct weir_draft_time *max = &d->times[seen->max];
        bool own = seen->min == o.best && seen->max == o.worst; /* then it has been reported as such */
        if (!own && seen->min != WEIR_NO_TIME && !max->bad && !d->times[seen->min].bad && d->times[seen->min].ticks > max->ticks)
            weir_draft_mistake(d, d->times[seen->min].place, "the least time observed is above the greatest");
        estimated++;
        if (seen->count && seen->count < WEIR_OBSERVED_FEW) {
            few++;
            fewest = fewest.observed && fewest.observed->count <= seen->count ? fewest : o;
        }
    }
    if (!d->mistakes)
        note_estimates(d, estimated, few, &fewest);
}
