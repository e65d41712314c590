/* SPDX-License-Identifier: Apache-2.0 */
#include "simulate/cargo.h"

#include "base/alloc.h"

static const struct weir_cargo_entry nothing = {.lead = -1, .oldest = -1, .newest = -1};

void weir_cargo_free(struct weir_cargo_hold *hold)
{
    weir_free(hold->entries);
    weir_free(hold->uses);
    weir_free(hold->told);
}

static size_t width(const struct weir_cargo_hold *hold)
{
    return hold->from_count * hold->legs;
}

static struct weir_cargo_entry *entries_of(const struct weir_cargo_hold *hold, uint32_t cargo)
{
    return &hold->entries[((size_t)cargo + 1) * width(hold)];
}

static void clear(const struct weir_cargo_hold *hold, struct weir_cargo_entry *entries)
{
    for (size_t i = 0; i < width(hold); i++)
        entries[i] = nothing;
}

static bool grow(struct weir_cargo_hold *hold)
{
    void *entries = hold->entries, *uses = hold->uses;
    bool first = !hold->entries;
    size_t need = (size_t)hold->count + 1;
    if (hold->from_count > SIZE_MAX / hold->legs || need >= WEIR_NO_CARGO || need + 1 > SIZE_MAX / width(hold))
        return false;
    if (!hold->told && !(hold->told = weir_array(hold->from_count, sizeof *hold->told)))
        return false;
    bool wide = weir_reserve(&entries, &hold->entry_capacity, (need + 1) * width(hold), sizeof *hold->entries);
    hold->entries = entries;
    if (wide && first)
        clear(hold, hold->entries);
    bool enough = wide && weir_reserve(&uses, &hold->use_capacity, need, sizeof *hold->uses);
    hold->uses = uses;
    return enough;
}

bool weir_cargo_new(struct weir_cargo_hold *hold, uint32_t *cargo)
{
    *cargo = WEIR_NO_CARGO;
    if (hold->from_count == 0)
        return true;
    if (hold->count == 0)
        hold->free = WEIR_NO_CARGO;
    if (hold->free != WEIR_NO_CARGO) {
        *cargo = hold->free;
        hold->free = hold->uses[*cargo];
    } else if (grow(hold)) {
        *cargo = hold->count++;
    } else {
        return false;
    }
    hold->uses[*cargo] = 1;
    clear(hold, entries_of(hold, *cargo));
    return true;
}

void weir_cargo_keep(struct weir_cargo_hold *hold, uint32_t cargo)
{
    if (cargo != WEIR_NO_CARGO)
        hold->uses[cargo]++;
}

void weir_cargo_drop(struct weir_cargo_hold *hold, uint32_t cargo)
{
    if (cargo == WEIR_NO_CARGO || --hold->uses[cargo])
        return;
    hold->uses[cargo] = hold->free;
    hold->free = cargo;
}

/* Both together. */
static void join(struct weir_cargo_entry *mine, const struct weir_cargo_entry *other)
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

void weir_cargo_gather(struct weir_cargo_hold *hold, uint32_t message)
{
    if (message == WEIR_NO_CARGO)
        return;
    for (size_t i = 0; i < width(hold); i++)
        join(&hold->entries[i], &entries_of(hold, message)[i]);
}

void weir_cargo_add_gathered(struct weir_cargo_hold *hold, uint32_t cargo)
{
    if (cargo == WEIR_NO_CARGO)
        return;
    struct weir_cargo_entry *mine = entries_of(hold, cargo);
    for (size_t i = 0; i < width(hold); i++) {
        if (hold->entries[i].lead > mine[i].lead)
            mine[i] = hold->entries[i];
        else if (hold->entries[i].lead == mine[i].lead)
            join(&mine[i], &hold->entries[i]);
    }
    clear(hold, hold->entries);
}

void weir_cargo_add_leg(struct weir_cargo_hold *hold, uint32_t cargo, uint32_t message, size_t leg, int64_t lead)
{
    if (cargo == WEIR_NO_CARGO)
        return;
    for (size_t i = 0; i < hold->from_count; i++) {
        struct weir_cargo_entry all = nothing;
        for (size_t k = 0; k < hold->legs && message != WEIR_NO_CARGO; k++)
            join(&all, &entries_of(hold, message)[i * hold->legs + k]);
        all.lead = lead;
        entries_of(hold, cargo)[i * hold->legs + leg] = all;
    }
}

void weir_cargo_stamp(struct weir_cargo_hold *hold, uint32_t cargo, struct weir_operator op, int64_t execution, int64_t time)
{
    if (cargo == WEIR_NO_CARGO)
        return;
    for (size_t i = 0; i < hold->from_count; i++) {
        struct weir_cargo_entry *mine = &entries_of(hold, cargo)[i * hold->legs];
        if (hold->from[i].index != op.index)
            continue;
        for (size_t k = 1; k < hold->legs; k++)
            mine[k] = nothing;
        mine[0] = (struct weir_cargo_entry){execution, execution, execution, time, time};
    }
}

const struct weir_age *weir_cargo_tell(struct weir_cargo_hold *hold, uint32_t cargo, size_t *count)
{
    *count = 0;
    for (size_t i = 0; cargo != WEIR_NO_CARGO && i < hold->from_count; i++) {
        struct weir_cargo_entry all = nothing;
        for (size_t k = 0; k < hold->legs; k++)
            join(&all, &entries_of(hold, cargo)[i * hold->legs + k]);
        if (all.oldest >= 0)
            hold->told[(*count)++] = (struct weir_age){hold->from[i], all.oldest, all.newest, all.oldest_time, all.newest_time};
    }
    return hold->told;
}
