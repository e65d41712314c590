/* SPDX-License-Identifier: Apache-2.0 */
#include "check/priority/execution.h"

#include "base/number.h"

#include <string.h>

#define NO_TASK UINT32_MAX
#define PERIOD_MAX (INT64_C(1) << 40)

bool weir_execution_open(struct weir_played_execution *x, const struct weir_taskset *set)
{
    struct weir_arena *a = &x->arena;
    size_t n = set->task_count, e = set->edge_count, g = set->graph_count, p = set->processor_count;
    *x = (struct weir_played_execution){.set = set};
    x->room = weir_arena_array(a, e, sizeof *x->room);
    x->fed_from = weir_arena_array(a, e, sizeof *x->fed_from);
    x->places = weir_arena_array(a, e, sizeof *x->places);
    x->least = weir_arena_array(a, e, sizeof *x->least);
    x->behind = weir_arena_array(a, n, sizeof *x->behind);
    x->time = weir_arena_array(a, n, sizeof *x->time);
    x->done = weir_arena_array(a, n, sizeof *x->done);
    x->left = weir_arena_array(a, n, sizeof *x->left);
    x->ready = weir_arena_array(a, n, sizeof *x->ready);
    x->chosen = weir_arena_array(a, n, sizeof *x->chosen);
    x->starts = weir_arena_array(a, n, sizeof *x->starts);
    x->offset = weir_arena_array(a, n, sizeof *x->offset);
    x->arrived = weir_arena_array(a, g, sizeof *x->arrived);
    x->next = weir_arena_array(a, g, sizeof *x->next);
    x->phase = weir_arena_array(a, g, sizeof *x->phase);
    x->turn = weir_arena_array(a, p, sizeof *x->turn);
    x->used = weir_arena_array(a, p, sizeof *x->used);
    x->mark_done = weir_arena_array(a, n, sizeof *x->mark_done);
    x->mark_left = weir_arena_array(a, n, sizeof *x->mark_left);
    x->mark_chosen = weir_arena_array(a, n, sizeof *x->mark_chosen);
    x->mark_arrived = weir_arena_array(a, g, sizeof *x->mark_arrived);
    x->mark_turn = weir_arena_array(a, p, sizeof *x->mark_turn);
    x->mark_used = weir_arena_array(a, p, sizeof *x->mark_used);
    return !a->failed;
}

void weir_execution_close(struct weir_played_execution *x)
{
    weir_arena_free(&x->arena);
}

/* ---- the plan ---- */

/* The last two digits of a plan, to the base of three, say how long executions take and when inputs arrive. */
enum times { TIMES_WORST, TIMES_FIXED, TIMES_DRAWN };
enum releases { RELEASES_NOMINAL, RELEASES_BURST, RELEASES_DRAWN };

static enum times times_of(const struct weir_played_execution *x)
{
    return (enum times)(x->plan % 3);
}

static enum releases releases_of(const struct weir_played_execution *x)
{
    return (enum releases)(x->plan / 3 % 3);
}

/* Some number below `below` for this plan, the same each time it is asked for the same. */
static int64_t drawn(const struct weir_played_execution *x, uint64_t kind, uint64_t which, uint64_t number, int64_t below)
{
    uint64_t h = x->plan * UINT64_C(0x9e3779b97f4a7c15) + kind;
    h = (h ^ h >> 29) * UINT64_C(0xbf58476d1ce4e5b9) + which;
    h = (h ^ h >> 32) * UINT64_C(0x94d049bb133111eb) + number;
    h = (h ^ h >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
    h ^= h >> 32;
    return x->plan == 0 ? 0 : (int64_t)(h % (uint64_t)below);
}

enum { KIND_TIME = 1, KIND_RELEASE, KIND_PHASE, KIND_FRAME };

/* Executions that take no time are left out. */
int64_t weir_execution_time(const struct weir_played_execution *x, uint32_t task, int64_t iteration)
{
    const struct weir_task *t = &x->set->tasks[task];
    int64_t best = t->best > 0 ? t->best : 1;
    if (times_of(x) == TIMES_WORST)
        return t->worst;
    uint64_t number = times_of(x) == TIMES_DRAWN ? (uint64_t)iteration + 1 : 0;
    int64_t which = drawn(x, KIND_TIME, task, number, 4);
    if (which == 1)
        return best + drawn(x, KIND_TIME, task, ~number, t->worst - best + 1);
    return which == 0 ? best : t->worst;
}

int64_t weir_execution_delay(const struct weir_played_execution *x, uint32_t graph, int64_t input)
{
    const struct weir_task_graph *g = &x->set->graphs[graph];
    if (releases_of(x) == RELEASES_BURST && input * g->period < g->jitter)
        return g->jitter - input * g->period;
    return releases_of(x) == RELEASES_DRAWN ? drawn(x, KIND_RELEASE, graph, (uint64_t)input, 2) * g->jitter : 0;
}

/* Inputs keep their order. */
static int64_t next_arrival(const struct weir_played_execution *x, uint32_t graph, int64_t before)
{
    int64_t n = x->arrived[graph];
    int64_t at = x->phase[graph] + n * x->set->graphs[graph].period + weir_execution_delay(x, graph, n);
    return at > before ? at : before;
}

/* ---- the beginning ---- */

static void find_period(struct weir_played_execution *x)
{
    weir_wide all = 1;
    for (uint32_t g = 0; g < x->set->graph_count && all < PERIOD_MAX; g++)
        all = all / weir_wide_divisor(all, x->set->graphs[g].period) * x->set->graphs[g].period;
    for (uint32_t p = 0; p < x->set->processor_count && all < PERIOD_MAX; p++)
        if (x->set->processors[p].sharing == WEIR_TDM)
            all = all / weir_wide_divisor(all, x->set->processors[p].frame) * x->set->processors[p].frame;
    x->period = all < PERIOD_MAX && times_of(x) != TIMES_DRAWN && releases_of(x) != RELEASES_DRAWN ? (int64_t)all : 0;
}

/* Slots lie one behind the other, in the order of the tasks. */
static void find_slots(struct weir_played_execution *x)
{
    const struct weir_taskset *set = x->set;
    for (uint32_t p = 0; p < set->processor_count; p++)
        x->used[p] = set->processors[p].sharing == WEIR_TDM ? drawn(x, KIND_FRAME, p, 0, set->processors[p].frame) : 0;
    for (uint32_t i = 0; i < set->task_count; i++) {
        uint32_t p = set->tasks[i].processor;
        if (p == WEIR_OWN_PROCESSOR || set->processors[p].sharing != WEIR_TDM)
            continue;
        x->offset[i] = x->used[p];
        x->used[p] += set->tasks[i].slot;
    }
    for (uint32_t p = 0; p < set->processor_count; p++) {
        x->turn[p] = NO_TASK;
        x->used[p] = 0;
    }
}

static void begin(struct weir_played_execution *x)
{
    const struct weir_taskset *set = x->set;
    x->now = x->settled = 0;
    x->marked = -1;
    find_period(x);
    find_slots(x);
    for (uint32_t i = 0; i < set->task_count; i++) {
        x->done[i] = x->behind[i] = 0;
        x->left[i] = -1;
        x->chosen[i] = 0;
    }
    for (uint32_t g = 0; g < set->graph_count; g++) {
        x->arrived[g] = 0;
        x->phase[g] = set->graphs[g].has_phase ? set->graphs[g].phase : drawn(x, KIND_PHASE, g, 0, set->graphs[g].period);
        x->next[g] = next_arrival(x, g, 0);
        int64_t end = x->phase[g] + set->graphs[g].jitter;
        x->settled = end > x->settled ? end : x->settled;
    }
    memset(x->places, 0, set->edge_count * sizeof *x->places);
}

/* ---- a moment ---- */

/* False: more inputs than there is work for. */
static bool arrive_and_end(struct weir_played_execution *x)
{
    for (uint32_t g = 0; g < x->set->graph_count; g++)
        for (; x->next[g] <= x->now && x->work > 0; x->work--) {
            x->arrived[g]++;
            x->next[g] = next_arrival(x, g, x->next[g]);
        }
    if (x->work == 0)
        return false;
    for (uint32_t i = 0; i < x->set->task_count; i++)
        if (x->left[i] == 0) {
            x->left[i] = -1;
            x->done[i]++;
        }
    return true;
}

/* Messages that the next iteration of the end of an edge finds there. */
static int64_t messages(const struct weir_played_execution *x, const struct weir_task_edge *e)
{
    int64_t made = e->from == WEIR_FROM_SOURCE ? x->arrived[x->set->tasks[e->to].graph] : x->done[e->from] + e->initial;
    return made - x->done[e->to];
}

/* A queue that may lose a message: alone, nobody waits for its messages. */
static bool is_left_out(const struct weir_played_execution *x, const struct weir_task_edge *e)
{
    return x->alone && !e->blocking && e->room != WEIR_AUTO && e->room != WEIR_UNBOUNDED;
}

static bool is_limited(const struct weir_played_execution *x, size_t k)
{
    return x->set->edges[k].blocking && x->room[k] != WEIR_UNBOUNDED;
}

/* False: someone waits for messages who must not. */
static bool enable(struct weir_played_execution *x)
{
    const struct weir_taskset *set = x->set;
    bool fed = true;
    memset(x->ready, 1, set->task_count);
    for (size_t k = 0; k < set->edge_count; k++) {
        const struct weir_task_edge *e = &set->edges[k];
        if (is_left_out(x, e))
            continue;
        int64_t there = messages(x, e);
        x->least[k] = there < x->least[k] ? there : x->least[k];
        fed = fed && (there > 0 || x->now < x->fed_from[k]);
        if (there <= 0)
            x->ready[e->to] = 0;
        if (is_limited(x, k) && x->done[e->from] - x->done[e->to] >= x->room[k])
            x->ready[e->from] = 0;
    }
    for (size_t k = 0; k < set->edge_count; k++) {
        const struct weir_task_edge *e = &set->edges[k];
        if (!e->blocking || !x->ready[e->from])
            continue;
        int64_t taken = x->done[e->from] - x->done[e->to] + 1;
        x->places[k] = taken > x->places[k] ? taken : x->places[k];
    }
    return fed;
}

/* ---- who runs ---- */

static bool goes_first(const struct weir_played_execution *x, uint32_t i, uint32_t other)
{
    const struct weir_task *a = &x->set->tasks[i], *b = &x->set->tasks[other];
    if (a->priority != b->priority)
        return a->priority > b->priority;
    return x->chosen[i] && x->left[i] > 0;
}

/* Where the most urgent runs: turn[p]. */
static void choose_urgent(struct weir_played_execution *x)
{
    const struct weir_taskset *set = x->set;
    for (uint32_t p = 0; p < set->processor_count; p++) {
        enum weir_sharing sharing = set->processors[p].sharing;
        bool ended = sharing == WEIR_NONPREEMPTIVE && x->turn[p] != NO_TASK && x->left[x->turn[p]] < 0;
        if (ended || sharing == WEIR_PREEMPTIVE)
            x->turn[p] = NO_TASK;
    }
    for (uint32_t i = 0; i < set->task_count; i++) {
        uint32_t p = set->tasks[i].processor;
        if (!x->ready[i] || p == WEIR_OWN_PROCESSOR)
            continue;
        enum weir_sharing sharing = set->processors[p].sharing;
        bool held = sharing == WEIR_NONPREEMPTIVE && x->turn[p] != NO_TASK && x->left[x->turn[p]] >= 0;
        if (sharing != WEIR_PREEMPTIVE && sharing != WEIR_NONPREEMPTIVE)
            continue;
        if (!held && (x->turn[p] == NO_TASK || goes_first(x, i, x->turn[p])))
            x->turn[p] = i;
    }
}

/* Round robin: a turn goes on until its slot is used up or nothing is left to do, then it is the next one's in a circle. */
static void choose_turn(struct weir_played_execution *x, uint32_t p)
{
    const struct weir_taskset *set = x->set;
    uint32_t last = x->turn[p], behind = NO_TASK, first = NO_TASK;
    if (last != NO_TASK && x->ready[last] && x->used[p] < set->tasks[last].slot)
        return;
    for (uint32_t i = 0; i < set->task_count; i++) {
        if (set->tasks[i].processor != p || !x->ready[i])
            continue;
        first = first == NO_TASK ? i : first;
        behind = behind == NO_TASK && last != NO_TASK && i > last ? i : behind;
    }
    x->used[p] = 0;
    if (first == NO_TASK)
        x->used[p] = last == NO_TASK ? 0 : set->tasks[last].slot; /* the turn is over */
    else
        x->turn[p] = behind == NO_TASK ? first : behind;
}

static int64_t within_frame(const struct weir_played_execution *x, uint32_t i)
{
    int64_t frame = x->set->processors[x->set->tasks[i].processor].frame, at = (x->now - x->offset[i]) % frame;
    return at < 0 ? at + frame : at;
}

static bool runs(const struct weir_played_execution *x, uint32_t i)
{
    uint32_t p = x->set->tasks[i].processor;
    if (!x->ready[i])
        return false;
    if (p == WEIR_OWN_PROCESSOR || (x->alone && x->set->processors[p].sharing != WEIR_TDM))
        return true;
    return x->set->processors[p].sharing == WEIR_TDM ? within_frame(x, i) < x->set->tasks[i].slot : x->turn[p] == i;
}

static void choose(struct weir_played_execution *x)
{
    if (!x->alone)
        choose_urgent(x);
    for (uint32_t p = 0; p < x->set->processor_count && !x->alone; p++)
        if (x->set->processors[p].sharing == WEIR_ROUND_ROBIN)
            choose_turn(x, p);
    for (uint32_t i = 0; i < x->set->task_count; i++) {
        x->chosen[i] = runs(x, i);
        x->starts[i] = x->chosen[i] && x->left[i] < 0;
        if (x->starts[i])
            x->left[i] = weir_execution_time(x, i, x->done[i]);
    }
}

/* A message of what starts now has no place. */
static bool loses(struct weir_played_execution *x)
{
    for (size_t k = 0; k < x->set->edge_count; k++) {
        const struct weir_task_edge *e = &x->set->edges[k];
        if (e->from == WEIR_FROM_SOURCE || e->blocking || e->room == WEIR_AUTO || e->room == WEIR_UNBOUNDED || !x->starts[e->from])
            continue;
        if (x->done[e->from] - x->done[e->to] < e->room)
            continue;
        x->edge = k;
        return true;
    }
    return false;
}

/* ---- time passes ---- */

/* Until task i ends, or its slot does or begins. */
static int64_t until(const struct weir_played_execution *x, uint32_t i)
{
    uint32_t p = x->set->tasks[i].processor;
    enum weir_sharing sharing = p == WEIR_OWN_PROCESSOR ? WEIR_PREEMPTIVE : x->set->processors[p].sharing;
    int64_t slot = x->set->tasks[i].slot, rest = INT64_MAX;
    if (sharing == WEIR_TDM && x->ready[i])
        rest = (x->chosen[i] ? slot : x->set->processors[p].frame) - within_frame(x, i);
    if (sharing == WEIR_ROUND_ROBIN && x->chosen[i] && !x->alone)
        rest = slot - x->used[p];
    return x->chosen[i] && x->left[i] < rest ? x->left[i] : rest;
}

static void pass(struct weir_played_execution *x)
{
    const struct weir_taskset *set = x->set;
    int64_t step = x->period ? x->period - x->now % x->period : INT64_MAX;
    for (uint32_t g = 0; g < set->graph_count; g++)
        step = x->next[g] - x->now < step ? x->next[g] - x->now : step;
    for (uint32_t i = 0; i < set->task_count; i++)
        step = until(x, i) < step ? until(x, i) : step;
    for (uint32_t i = 0; i < set->task_count; i++)
        if (x->chosen[i]) {
            uint32_t p = set->tasks[i].processor;
            x->left[i] -= step;
            if (p != WEIR_OWN_PROCESSOR && set->processors[p].sharing == WEIR_ROUND_ROBIN && !x->alone)
                x->used[p] += step;
        }
    x->now += step;
}

/* ---- rounds ---- */

static void set_mark(struct weir_played_execution *x)
{
    const struct weir_taskset *set = x->set;
    x->marked = x->now;
    memcpy(x->mark_done, x->done, set->task_count * sizeof *x->done);
    memcpy(x->mark_left, x->left, set->task_count * sizeof *x->left);
    memcpy(x->mark_chosen, x->chosen, set->task_count * sizeof *x->chosen);
    memcpy(x->mark_arrived, x->arrived, set->graph_count * sizeof *x->arrived);
    memcpy(x->mark_turn, x->turn, set->processor_count * sizeof *x->turn);
    memcpy(x->mark_used, x->used, set->processor_count * sizeof *x->used);
    for (size_t k = 0; k < set->edge_count; k++)
        x->least[k] = INT64_MAX;
}

static bool same_as_marked(const struct weir_played_execution *x)
{
    const struct weir_taskset *set = x->set;
    return memcmp(x->mark_left, x->left, set->task_count * sizeof *x->left) == 0 &&
           memcmp(x->mark_chosen, x->chosen, set->task_count * sizeof *x->chosen) == 0 &&
           memcmp(x->mark_turn, x->turn, set->processor_count * sizeof *x->turn) == 0 &&
           memcmp(x->mark_used, x->used, set->processor_count * sizeof *x->used) == 0;
}

/* Since the mark, all that runs is as it was then. If the messages of every queue are, too, or there are more of them where there
 * were always some, then the next round is like the last one. OPEN: it is not; or nothing grows, and *over is set. */
static enum weir_execution_end round_shows(struct weir_played_execution *x, bool *over)
{
    const struct weir_taskset *set = x->set;
    size_t filling = 0, growing = 0;
    for (size_t k = 0; k < set->edge_count; k++) {
        const struct weir_task_edge *e = &set->edges[k];
        uint32_t g = set->tasks[e->to].graph;
        int64_t made = e->from == WEIR_FROM_SOURCE ? x->arrived[g] - x->mark_arrived[g] : x->done[e->from] - x->mark_done[e->from];
        int64_t more = made - (x->done[e->to] - x->mark_done[e->to]);
        if (more == 0 || is_left_out(x, e))
            continue;
        if (more < 0 || x->least[k] < 1 || is_limited(x, k))
            return WEIR_EXECUTION_OPEN;
        growing++;
        if (!e->blocking || set->edges[k].room == WEIR_UNBOUNDED || x->alone)
            continue;
        filling++;
        x->edge = k;
        x->step = more;
    }
    for (uint32_t i = 0; i < set->task_count; i++) {
        uint32_t g = set->tasks[i].graph;
        x->behind[i] = x->arrived[g] - x->mark_arrived[g] - (x->done[i] - x->mark_done[i]);
    }
    x->round = x->now;
    *over = growing == 0;
    if (growing == 0 || (filling > 0 && growing > 1))
        return WEIR_EXECUTION_OPEN;
    return filling ? WEIR_EXECUTION_FILLS : WEIR_EXECUTION_GROWS;
}

/* At the end of a period of everything: whether the execution repeats itself. Marks are set further and further apart. */
static enum weir_execution_end look_back(struct weir_played_execution *x, bool *over)
{
    enum weir_execution_end end = WEIR_EXECUTION_OPEN;
    if (x->period == 0 || x->now % x->period != 0 || x->now < x->settled)
        return end;
    if (x->marked >= 0 && same_as_marked(x))
        end = round_shows(x, over);
    if (end == WEIR_EXECUTION_OPEN && (x->marked < 0 || x->now >= 2 * x->marked))
        set_mark(x);
    return end;
}

enum weir_execution_end weir_execution_play(struct weir_played_execution *x)
{
    uint64_t each = x->set->task_count + x->set->edge_count + 1;
    begin(x);
    for (bool over = false; !over && x->work >= each && x->now < WEIR_TIME_MAX / 4;) {
        x->work -= each;
        if (!arrive_and_end(x))
            return WEIR_EXECUTION_OPEN;
        enum weir_execution_end end = look_back(x, &over);
        if (end != WEIR_EXECUTION_OPEN)
            return end;
        if (!enable(x))
            return WEIR_EXECUTION_OPEN;
        choose(x);
        if (!x->alone && loses(x))
            return WEIR_EXECUTION_LOSES;
        pass(x);
    }
    return WEIR_EXECUTION_OPEN;
}
