/* SPDX-License-Identifier: Apache-2.0 */
#include "simulate/provenance.h"

#include "base/alloc.h"

static const struct weir_provenance_entry nothing = {.lead = -1, .oldest = -1, .newest = -1};

void weir_provenance_free(struct weir_provenance_hold *hold)
{
    weir_free(hold->entries);
    weir_free(hold->uses);
    weir_free(hold->told);
}

static size_t width(const struct weir_provenance_hold *hold)
{
    return hold->from_count * hold->segments;
}

static struct weir_provenance_entry *entries_of(const struct weir_provenance_hold *hold, uint32_t provenance)
{
    return &hold->entries[((size_t)provenance + 1) * width(hold)];
}

static void clear(const struct weir_provenance_hold *hold, struct weir_provenance_entry *entries)
{
    for (size_t i = 0; i < width(hold); i++)
        entries[i] = nothing;
}

static bool grow(struct weir_provenance_hold *hold)
{
    bool first = !hold->entries;
    size_t need = (size_t)hold->count + 1;
    if (hold->from_count > SIZE_MAX / hold->segments || need >= WEIR_NO_PROVENANCE || need + 1 > SIZE_MAX / width(hold))
        return false;
    if (!hold->told && !(hold->told = weir_array(hold->from_count, sizeof *hold->told)))
        return false;
    if (!weir_reserve(&hold->entries, &hold->entry_capacity, (need + 1) * width(hold), sizeof *hold->entries))
        return false;
    if (first)
        clear(hold, hold->entries);
    return weir_reserve(&hold->uses, &hold->use_capacity, need, sizeof *hold->uses);
}

bool weir_provenance_new(struct weir_provenance_hold *hold, uint32_t *provenance)
{
    *provenance = WEIR_NO_PROVENANCE;
    if (hold->from_count == 0)
        return true;
    if (hold->count == 0)
        hold->free = WEIR_NO_PROVENANCE;
    if (hold->free != WEIR_NO_PROVENANCE) {
        *provenance = hold->free;
        hold->free = hold->uses[*provenance];
    } else if (grow(hold)) {
        *provenance = hold->count++;
    } else {
        return false;
    }
    hold->uses[*provenance] = 1;
    clear(hold, entries_of(hold, *provenance));
    return true;
}

void weir_provenance_keep(struct weir_provenance_hold *hold, uint32_t provenance)
{
    if (provenance != WEIR_NO_PROVENANCE)
        hold->uses[provenance]++;
}

void weir_provenance_drop(struct weir_provenance_hold *hold, uint32_t provenance)
{
    if (provenance == WEIR_NO_PROVENANCE || --hold->uses[provenance])
        return;
    hold->uses[provenance] = hold->free;
    hold->free = provenance;
}

/* Both together. */
static void join(struct weir_provenance_entry *mine, const struct weir_provenance_entry *other)
{
    if (other->lead > mine->lead)
        mine->lead = other->lead;
    if (other->oldest >= 0 && (mine->oldest < 0 || other->oldest < mine->oldest)) {
        mine->oldest = other->oldest;
        mine->oldest_time = other->oldest_time;
    }
    if (other->newest > mine->newest) {
        mine->newest = other->newest;
        mine->newest_time = other->newest_time;
    }
}

void weir_provenance_gather(struct weir_provenance_hold *hold, uint32_t message)
{
    if (message == WEIR_NO_PROVENANCE)
        return;
    for (size_t i = 0; i < width(hold); i++)
        join(&hold->entries[i], &entries_of(hold, message)[i]);
}

void weir_provenance_add_gathered(struct weir_provenance_hold *hold, uint32_t provenance)
{
    if (provenance == WEIR_NO_PROVENANCE)
        return;
    struct weir_provenance_entry *mine = entries_of(hold, provenance);
    for (size_t i = 0; i < width(hold); i++) {
        if (hold->entries[i].lead > mine[i].lead)
            mine[i] = hold->entries[i];
        else if (hold->entries[i].lead == mine[i].lead)
            join(&mine[i], &hold->entries[i]);
    }
    clear(hold, hold->entries);
}

void weir_provenance_add_segment(struct weir_provenance_hold *hold, uint32_t provenance, uint32_t message, size_t segment,
                                 int64_t lead)
{
    if (provenance == WEIR_NO_PROVENANCE)
        return;
    for (size_t i = 0; i < hold->from_count; i++) {
        struct weir_provenance_entry all = nothing;
        for (size_t k = 0; k < hold->segments && message != WEIR_NO_PROVENANCE; k++)
            join(&all, &entries_of(hold, message)[i * hold->segments + k]);
        all.lead = lead;
        entries_of(hold, provenance)[i * hold->segments + segment] = all;
    }
}

void weir_provenance_stamp(struct weir_provenance_hold *hold, uint32_t provenance, struct weir_operator op, int64_t execution,
                           int64_t time)
{
    if (provenance == WEIR_NO_PROVENANCE)
        return;
    for (size_t i = 0; i < hold->from_count; i++) {
        struct weir_provenance_entry *mine = &entries_of(hold, provenance)[i * hold->segments];
        if (hold->from[i].index != op.index)
            continue;
        for (size_t k = 1; k < hold->segments; k++)
            mine[k] = nothing;
        mine[0] = (struct weir_provenance_entry){execution, execution, execution, time, time};
    }
}

const struct weir_age *weir_provenance_tell(struct weir_provenance_hold *hold, uint32_t provenance, size_t *count)
{
    *count = 0;
    for (size_t i = 0; provenance != WEIR_NO_PROVENANCE && i < hold->from_count; i++) {
        struct weir_provenance_entry all = nothing;
        for (size_t k = 0; k < hold->segments; k++)
            join(&all, &entries_of(hold, provenance)[i * hold->segments + k]);
        if (all.oldest >= 0)
            hold->told[(*count)++] = (struct weir_age){hold->from[i], all.oldest, all.newest, all.oldest_time, all.newest_time};
    }
    return hold->told;
}
