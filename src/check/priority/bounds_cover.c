/* SPDX-License-Identifier: Apache-2.0 */
#include "check/priority/bounds_cover.h"

#include <string.h>

struct walk {
    struct weir_arena arena;
    const struct weir_taskset *set;
    const struct weir_bounds_stage *stage;
    const struct weir_bounds_cover *cover;
    struct weir_cover_step step;
    size_t slot_count;
    size_t *slots, *first, *after; /* 1 + a situation, by hash; by situation 1 + a zone of it, 0: none; by zone the same */
    int64_t longest;
    uint64_t work;
};

/* ---- where a situation is ---- */

static size_t slot_of(const struct walk *w, const uint16_t *numbers)
{
    size_t width = w->cover->width, slot = 0;
    for (size_t k = 0; k < width; k++)
        slot = (slot + numbers[k] + 1) * 0x9E3779B1u + (slot >> 15);
    for (slot &= w->slot_count - 1; w->slots[slot] > 0; slot = (slot + 1) & (w->slot_count - 1))
        if (memcmp(w->cover->numbers + (w->slots[slot] - 1) * width, numbers, width * sizeof *numbers) == 0)
            break;
    return slot;
}

static bool take_all(struct walk *w)
{
    const struct weir_bounds_cover *cover = w->cover;
    for (w->slot_count = 16; w->slot_count < 2 * cover->situation_count;)
        w->slot_count *= 2;
    w->slots = weir_arena_array(&w->arena, w->slot_count, sizeof *w->slots);
    w->first = weir_arena_array(&w->arena, cover->situation_count, sizeof *w->first);
    w->after = weir_arena_array(&w->arena, cover->zone_count, sizeof *w->after);
    return weir_cover_step_make(&w->step, w->set, &w->arena) && !w->arena.failed;
}

/* A situation that is listed twice is found once: zones of the other one are as if they were not there. */
static bool index_all(struct walk *w)
{
    const struct weir_bounds_cover *cover = w->cover;
    for (size_t k = 0; k < cover->situation_count; k++)
        w->slots[slot_of(w, cover->numbers + k * cover->width)] = k + 1;
    for (size_t z = 0; z < cover->zone_count; z++) {
        if (cover->zones[z].situation >= cover->situation_count)
            return false;
        w->after[z] = w->first[cover->zones[z].situation];
        w->first[cover->zones[z].situation] = z + 1;
    }
    return true;
}

static bool spend(struct walk *w, uint64_t work)
{
    w->work = w->work > work ? w->work - work : 0;
    return w->work > 0;
}

/* ---- zones ---- */

static bool is_within(const struct walk *w, size_t zone)
{
    size_t n = w->step.there.count, at = w->cover->zones[zone].differences;
    if (at > w->cover->difference_count || n * n > w->cover->difference_count - at)
        return false;
    for (size_t k = 0; k < n * n; k++)
        if (w->step.next[k] > (weir_wide)w->cover->differences[at + k] * w->cover->unit)
            return false;
    return true;
}

/* Whether step.next, in step.there, is in a zone of the cover. */
static bool is_covered(struct walk *w)
{
    size_t slot = slot_of(w, w->step.there.numbers);
    size_t zone = w->slots[slot] > 0 ? w->first[w->slots[slot] - 1] : 0;
    for (; zone > 0 && spend(w, w->step.there.count); zone = w->after[zone - 1])
        if (is_within(w, zone - 1))
            return true;
    return false;
}

/* Differences larger than any clock says would tell nothing; sums of what is left fit. */
static bool load(struct walk *w, size_t zone)
{
    const struct weir_bounds_cover *cover = w->cover;
    struct weir_cover_place *here = &w->step.here;
    memcpy(here->numbers, cover->numbers + cover->zones[zone].situation * cover->width, cover->width * sizeof *here->numbers);
    if (!weir_cover_read(&w->step, here))
        return false;
    size_t n = here->count, at = cover->zones[zone].differences;
    if (at > cover->difference_count || n * n > cover->difference_count - at)
        return false;
    for (size_t k = 0; k < n * n; k++) {
        weir_wide time = (weir_wide)cover->differences[at + k] * cover->unit;
        if (time > w->longest || time < -w->longest)
            return false;
        w->step.known[k] = (int64_t)time;
    }
    return true;
}

/* ---- what can happen ---- */

static bool leads_on(struct walk *w, const struct weir_cover_event *event)
{
    bool possible;
    uint64_t clocks = w->step.here.count;
    if (!spend(w, clocks * clocks + w->set->task_count) || !weir_cover_happens(&w->step, event, &possible))
        return false;
    if (!possible)
        return true;
    if (event->kind == WEIR_COVER_END && weir_cover_end(&w->step, event->of) > w->stage->finish_max[event->of])
        return false;
    return is_covered(w);
}

static bool graphs_lead_on(struct walk *w)
{
    for (uint32_t g = 0; g < w->set->graph_count; g++) {
        uint16_t begun = w->step.here.numbers[g];
        struct weir_cover_event begins = {WEIR_COVER_BEGINS, g, 0}, input = {WEIR_COVER_INPUT, g, 0},
                                moment = {WEIR_COVER_MOMENT, g, w->set->graphs[g].period};
        if (begun == 0 ? !leads_on(w, &begins) : !leads_on(w, &moment) || (begun > 1 && !leads_on(w, &input)))
            return false;
    }
    return true;
}

static bool is_first(const struct walk *w, uint32_t task)
{
    const struct weir_task *tasks = w->set->tasks;
    for (uint32_t i = 0; i < w->set->task_count; i++)
        if (w->step.here.pending[i] && tasks[i].processor == tasks[task].processor && tasks[i].priority > tasks[task].priority)
            return false;
    return true;
}

static bool tasks_lead_on(struct walk *w)
{
    const struct weir_taskset *set = w->set;
    struct weir_cover_place *here = &w->step.here;
    for (uint32_t a = 1; a < here->count; a++) {
        if (here->clocks[a].owner < set->graph_count || (!here->clocks[a].runs && !here->clocks[a].shares))
            continue;
        uint32_t task = here->clocks[a].owner - set->graph_count;
        struct weir_cover_event end = {WEIR_COVER_END, task, set->tasks[task].best};
        if (!leads_on(w, &end))
            return false;
    }
    for (uint32_t i = 0; i < set->task_count; i++) {
        uint32_t p = set->tasks[i].processor;
        struct weir_cover_event choice = {WEIR_COVER_CHOICE, i, 0};
        if (here->pending[i] && p != WEIR_OWN_PROCESSOR && set->processors[p].sharing == WEIR_NONPREEMPTIVE &&
            here->numbers[set->graph_count + set->task_count + p] == 0 && is_first(w, i) && !leads_on(w, &choice))
            return false;
    }
    return true;
}

/* ---- the whole ---- */

/* Periodic sources, and no slots of frames: others have more to remember. Numbers name all tasks, and sums of times fit. */
static bool is_for(struct walk *w)
{
    const struct weir_taskset *set = w->set;
    for (uint32_t g = 0; g < set->graph_count; g++) {
        w->longest = set->graphs[g].period > w->longest ? set->graphs[g].period : w->longest;
        if (set->graphs[g].sporadic)
            return false;
    }
    for (uint32_t i = 0; i < set->task_count; i++) {
        uint32_t p = set->tasks[i].processor;
        w->longest = set->tasks[i].worst > w->longest ? set->tasks[i].worst : w->longest;
        if (p != WEIR_OWN_PROCESSOR && set->processors[p].sharing == WEIR_TDM)
            return false;
    }
    return set->task_count < UINT16_MAX && w->longest <= WEIR_TIME_MAX / (8 * ((int64_t)set->task_count + 1));
}

static bool has_shape(const struct walk *w)
{
    const struct weir_bounds_cover *c = w->cover;
    return c && c->numbers && c->zones && c->differences && c->unit > 0 && c->unit <= w->longest &&
           c->width == weir_cover_width(w->set) && c->situation_count > 0;
}

static bool begins(struct walk *w)
{
    memset(w->step.there.numbers, 0, w->cover->width * sizeof *w->step.there.numbers);
    w->step.next[0] = 0;
    return weir_cover_read(&w->step, &w->step.there) && is_covered(w);
}

static bool walk(struct walk *w)
{
    if (!index_all(w) || !begins(w))
        return false;
    for (size_t z = 0; z < w->cover->zone_count; z++) {
        if (!load(w, z))
            return false;
        if (weir_cover_begin(&w->step) && (!graphs_lead_on(w) || !tasks_lead_on(w)))
            return false;
    }
    return true;
}

bool weir_cover_holds(const struct weir_taskset *set, const struct weir_bounds_stage *stage, uint64_t *work, bool *memory)
{
    struct walk w = {.set = set, .stage = stage, .cover = stage->cover, .work = *work};
    bool holds = false;
    *memory = false;
    if (is_for(&w) && has_shape(&w)) {
        *memory = !take_all(&w);
        holds = !*memory && walk(&w);
    }
    *work = w.work;
    weir_arena_free(&w.arena);
    return holds;
}
