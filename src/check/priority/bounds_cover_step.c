/* SPDX-License-Identifier: Apache-2.0 */
/* One step: what a situation means, how its clocks go while time passes, and what an event makes of it. */
#include "check/priority/bounds_cover.h"

#include <string.h>

static enum weir_sharing sharing_of(const struct weir_taskset *set, uint32_t task)
{
    uint32_t p = set->tasks[task].processor;
    return p == WEIR_OWN_PROCESSOR ? WEIR_PREEMPTIVE : set->processors[p].sharing;
}

bool weir_cover_step_make(struct weir_cover_step *step, const struct weir_taskset *set, struct weir_arena *arena)
{
    size_t clocks = 1 + (size_t)set->graph_count + set->task_count;
    struct weir_cover_place *places[] = {&step->here, &step->there};
    step->set = set;
    for (int k = 0; k < 2; k++) {
        places[k]->numbers = weir_arena_array(arena, weir_cover_width(set), sizeof *places[k]->numbers);
        places[k]->pending = weir_arena_array(arena, set->task_count, sizeof *places[k]->pending);
        places[k]->clocks = weir_arena_array(arena, clocks, sizeof *places[k]->clocks);
    }
    step->known = weir_arena_array(arena, clocks * clocks, sizeof *step->known);
    step->passed = weir_arena_array(arena, clocks * clocks, sizeof *step->passed);
    step->next = weir_arena_array(arena, clocks * clocks, sizeof *step->next);
    step->kept = weir_arena_array(arena, clocks, sizeof *step->kept);
    step->urgency = weir_arena_array(arena, set->processor_count + 1, sizeof *step->urgency);
    step->rivals = weir_arena_array(arena, set->processor_count + 1, sizeof *step->rivals);
    step->slack = weir_arena_array(arena, set->processor_count + 1, sizeof *step->slack);
    return !arena->failed;
}

/* ---- what the numbers mean ---- */

/* Pending is who has an input to come that it has not ended, and the messages and the places for it. Queues that block and whose
 * size is left open are so large that nobody waits for them. */
static void find_pending(const struct weir_taskset *set, struct weir_cover_place *place)
{
    const uint16_t *due = place->numbers, *behind = due + set->graph_count;
    for (uint32_t i = 0; i < set->task_count; i++)
        place->pending[i] = behind[i] > 0;
    for (size_t k = 0; k < set->edge_count; k++) {
        const struct weir_task_edge *e = &set->edges[k];
        if (e->from == WEIR_FROM_SOURCE) {
            int64_t inputs = (int64_t)behind[e->to] - (due[set->tasks[e->to].graph] - 1);
            place->pending[e->to] &= inputs > 0;
            continue;
        }
        int64_t messages = e->initial + (int64_t)behind[e->to] - behind[e->from];
        place->pending[e->to] &= messages > 0;
        if (e->blocking && e->room != WEIR_UNBOUNDED && e->room != WEIR_AUTO)
            place->pending[e->from] &= e->room + (int64_t)behind[e->from] - behind[e->to] > 0;
    }
}

static void find_rivals(struct weir_cover_step *s, const struct weir_cover_place *place)
{
    const struct weir_taskset *set = s->set;
    memset(s->rivals, 0, set->processor_count * sizeof *s->rivals);
    for (uint32_t i = 0; i < set->task_count; i++) {
        const struct weir_task *task = &set->tasks[i];
        uint32_t p = task->processor;
        if (p == WEIR_OWN_PROCESSOR || !place->pending[i])
            continue;
        bool equal = s->rivals[p] > 0 && (task->priority == s->urgency[p] || sharing_of(set, i) == WEIR_ROUND_ROBIN);
        if (equal) {
            s->rivals[p]++;
        } else if (s->rivals[p] == 0 || task->priority > s->urgency[p]) {
            s->rivals[p] = 1;
            s->urgency[p] = task->priority;
        }
    }
}

static void add_clock(struct weir_cover_place *place, uint32_t owner, int64_t most)
{
    place->clocks[place->count++] = (struct weir_cover_clock){owner, true, false, most, 0, 0};
}

static void add_task(struct weir_cover_step *s, struct weir_cover_place *place, uint32_t i)
{
    const struct weir_taskset *set = s->set;
    uint32_t p = set->tasks[i].processor;
    enum weir_sharing sharing = sharing_of(set, i);
    if (sharing == WEIR_NONPREEMPTIVE && place->numbers[set->graph_count + set->task_count + p] != i + 1)
        return;
    add_clock(place, set->graph_count + i, set->tasks[i].worst);
    struct weir_cover_clock *clock = &place->clocks[place->count - 1];
    if (p == WEIR_OWN_PROCESSOR || sharing == WEIR_NONPREEMPTIVE)
        return;
    bool waits = sharing == WEIR_PREEMPTIVE && set->tasks[i].priority < s->urgency[p];
    clock->shares = !waits && s->rivals[p] > 1;
    clock->runs = !waits && !clock->shares;
}

bool weir_cover_read(struct weir_cover_step *s, struct weir_cover_place *place)
{
    const struct weir_taskset *set = s->set;
    const uint16_t *running = place->numbers + set->graph_count + set->task_count;
    place->count = 0;
    place->chooses = false;
    find_pending(set, place);
    find_rivals(s, place);
    add_clock(place, UINT32_MAX, 0);
    place->clocks[0].runs = false;
    for (uint32_t g = 0; g < set->graph_count; g++) {
        int64_t waiting = (int64_t)place->numbers[g] - 1, period = set->graphs[g].period;
        if (waiting < 0)
            continue;
        weir_wide most = waiting > 0 ? set->graphs[g].jitter - (weir_wide)(waiting - 1) * period : period;
        add_clock(place, g, most < 0 ? -1 : most < period ? (int64_t)most : period); /* below 0: this cannot be */
    }
    for (uint32_t i = 0; i < set->task_count; i++)
        if (place->pending[i])
            add_task(s, place, i);
    for (uint32_t p = 0; p < set->processor_count; p++) {
        uint32_t task = running[p];
        if (task > 0 && (set->processors[p].sharing != WEIR_NONPREEMPTIVE || task > set->task_count ||
                         set->tasks[task - 1].processor != p || !place->pending[task - 1]))
            return false;
        place->chooses |= set->processors[p].sharing == WEIR_NONPREEMPTIVE && task == 0 && s->rivals[p] > 0;
    }
    for (uint32_t i = 0; i < set->task_count; i++)
        if (place->pending[i] && place->numbers[set->tasks[i].graph] == 0)
            return false;
    return true;
}

/* ---- time ---- */

static bool sharpen(int64_t *known, uint32_t n)
{
    for (uint32_t via = 0; via < n; via++)
        for (uint32_t a = 0; a < n; a++)
            for (uint32_t b = 0; b < n; b++) {
                int64_t sum = known[a * n + via] + known[via * n + b];
                if (sum < known[a * n + b])
                    known[a * n + b] = sum;
            }
    for (uint32_t a = 0; a < n; a++)
        if (known[a * n + a] < 0)
            return false;
    return true;
}

bool weir_cover_begin(struct weir_cover_step *s)
{
    return sharpen(s->known, s->here.count);
}

static uint32_t processor_of(const struct weir_cover_step *s, const struct weir_cover_clock *clock)
{
    return s->set->tasks[clock->owner - s->set->graph_count].processor;
}

/* Who runs alone ends by its longest time, and of those that share a processor one of them by that of all together. */
static int64_t longest_wait(struct weir_cover_step *s)
{
    struct weir_cover_place *here = &s->here;
    int64_t wait = here->chooses ? 0 : INT64_MAX / 4;
    memset(s->slack, 0, s->set->processor_count * sizeof *s->slack);
    for (uint32_t a = 1; a < here->count; a++) {
        struct weir_cover_clock *c = &here->clocks[a];
        c->slack = c->most + s->known[a]; /* clock 0 is ahead of it by at most -(what it shows) */
        if (c->runs && c->slack < wait)
            wait = c->slack;
        if (c->shares)
            s->slack[processor_of(s, c)] += c->slack;
    }
    for (uint32_t a = 1; a < here->count; a++) {
        struct weir_cover_clock *c = &here->clocks[a];
        if (!c->shares)
            continue;
        int64_t together = s->slack[processor_of(s, c)];
        c->beside = together - c->slack;
        wait = together < wait ? together : wait;
    }
    return wait;
}

/* How far the clock goes on at most, and at least, while d passes. */
static int64_t furthest(const struct weir_cover_clock *c, int64_t d)
{
    return c->runs ? d : !c->shares ? 0 : c->slack < d ? c->slack : d;
}
static int64_t nearest(const struct weir_cover_clock *c, int64_t d)
{
    return c->runs ? d : !c->shares || d < c->beside ? 0 : d - c->beside;
}

/* How much further a goes than b while between `least` and `most` passes. Where one of both runs, the difference is looked at as
 * time passes, and is largest at one of the ends: the other goes on no faster than time. */
static int64_t lead(const struct weir_cover_clock *a, const struct weir_cover_clock *b, int64_t least, int64_t most)
{
    if (a->runs)
        return most - nearest(b, most);
    if (b->runs)
        return furthest(a, least) - least;
    return furthest(a, most) - nearest(b, least);
}

static uint32_t find_clock(const struct weir_cover_place *place, uint32_t owner)
{
    uint32_t a = 1;
    while (a < place->count && place->clocks[a].owner != owner)
        a++;
    return a < place->count ? a : 0;
}

static bool pass(struct weir_cover_step *s, uint32_t clock, int64_t shows)
{
    const struct weir_cover_place *here = &s->here;
    uint32_t n = here->count;
    int64_t most = longest_wait(s), least = 0;
    if (clock > 0 && shows - s->known[clock * n] > least)
        least = shows - s->known[clock * n];
    if (least > most)
        return false;
    for (uint32_t a = 0; a < n; a++)
        for (uint32_t b = 0; b < n; b++) {
            int64_t gain = a == b ? 0 : lead(&here->clocks[a], &here->clocks[b], least, most);
            s->passed[a * n + b] = s->known[a * n + b] + gain;
        }
    for (uint32_t a = 1; a < n; a++)
        if (s->passed[a * n] > here->clocks[a].most)
            s->passed[a * n] = here->clocks[a].most;
    if (clock > 0 && s->passed[clock] > -shows)
        s->passed[clock] = -shows;
    return sharpen(s->passed, n);
}

/* ---- events ---- */

static bool change(struct weir_cover_step *s, const struct weir_cover_event *event)
{
    const struct weir_taskset *set = s->set;
    uint16_t *numbers = s->there.numbers, *behind = numbers + set->graph_count, *running = behind + set->task_count;
    uint32_t of = event->of;
    memcpy(numbers, s->here.numbers, weir_cover_width(set) * sizeof *numbers);
    switch (event->kind) {
    case WEIR_COVER_BEGINS:
    case WEIR_COVER_MOMENT:
        if (event->kind == WEIR_COVER_BEGINS)
            numbers[of] = 1;
        if (set->graphs[of].jitter > 0 && ++numbers[of] == 0)
            return false;
        for (uint32_t i = 0; i < set->task_count; i++)
            if (set->tasks[i].graph == of && ++behind[i] == 0)
                return false;
        break;
    case WEIR_COVER_INPUT:
        numbers[of]--;
        break;
    case WEIR_COVER_CHOICE:
        running[set->tasks[of].processor] = (uint16_t)(of + 1);
        break;
    case WEIR_COVER_END:
        behind[of]--;
        if (sharing_of(set, of) == WEIR_NONPREEMPTIVE)
            running[set->tasks[of].processor] = 0;
        break;
    }
    return true;
}

bool weir_cover_happens(struct weir_cover_step *s, const struct weir_cover_event *event, bool *possible)
{
    const struct weir_taskset *set = s->set;
    bool of_task = event->kind == WEIR_COVER_END, of_graph = event->kind == WEIR_COVER_MOMENT;
    uint32_t owner = of_task ? set->graph_count + event->of : of_graph ? event->of : UINT32_MAX;
    *possible = pass(s, owner == UINT32_MAX ? 0 : find_clock(&s->here, owner), event->shows);
    if (!*possible)
        return true;
    if (!change(s, event) || !weir_cover_read(s, &s->there))
        return false;
    for (uint32_t a = 0; a < s->there.count; a++) {
        bool anew = s->there.clocks[a].owner == owner;
        s->kept[a] = a == 0 || anew ? 0 : find_clock(&s->here, s->there.clocks[a].owner);
    }
    for (uint32_t a = 0; a < s->there.count; a++)
        for (uint32_t b = 0; b < s->there.count; b++)
            s->next[a * s->there.count + b] = s->passed[s->kept[a] * s->here.count + s->kept[b]];
    return true;
}

weir_wide weir_cover_end(const struct weir_cover_step *s, uint32_t task)
{
    uint32_t graph = s->set->tasks[task].graph, clock = find_clock(&s->here, graph);
    weir_wide earlier = (weir_wide)s->here.numbers[s->set->graph_count + task] - 1;
    return s->passed[clock * s->here.count] + earlier * s->set->graphs[graph].period;
}
