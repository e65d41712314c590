/* SPDX-License-Identifier: Apache-2.0 */
#include "check/priority/execution.h"

#include "base/number.h"

#include <string.h>

#define NO_TASK UINT32_MAX
#define PERIOD_MAX (INT64_C(1) << 40)

static uint32_t task_at(const void *context, uint32_t end)
{
    const struct weir_task_edge *e = &((const struct weir_taskset *)context)->edges[end / 2];
    return end % 2 ? e->to : e->from; /* WEIR_FROM_SOURCE is no task's */
}

static uint32_t graph_fed(const void *context, uint32_t edge)
{
    const struct weir_taskset *set = context;
    return set->edges[edge].from == WEIR_FROM_SOURCE ? set->tasks[set->edges[edge].to].graph : UINT32_MAX;
}

static uint32_t processor_of(const void *context, uint32_t task)
{
    return ((const struct weir_taskset *)context)->tasks[task].processor; /* WEIR_OWN_PROCESSOR is no group's */
}

bool weir_execution_open(struct weir_played_execution *x, const struct weir_taskset *set)
{
    struct weir_arena *a = &x->arena;
    size_t n = set->task_count, e = set->edge_count, g = set->graph_count, p = set->processor_count;
    *x = (struct weir_played_execution){.set = set};
    x->room = weir_arena_array(a, e, sizeof *x->room);
    x->fed_from = weir_arena_array(a, e, sizeof *x->fed_from);
    x->places = weir_arena_array(a, e, sizeof *x->places);
    x->edges = weir_arena_array(a, e, sizeof *x->edges);
    x->behind = weir_arena_array(a, n, sizeof *x->behind);
    x->time = weir_arena_array(a, n, sizeof *x->time);
    x->done = weir_arena_array(a, n, sizeof *x->done);
    x->left = weir_arena_array(a, n, sizeof *x->left);
    x->blocked = weir_arena_array(a, n + 1, sizeof *x->blocked);
    x->chosen = weir_arena_array(a, n, sizeof *x->chosen);
    x->changed = weir_arena_array(a, n + 1, sizeof *x->changed);
    x->changes = weir_arena_array(a, n, sizeof *x->changes);
    x->starts = weir_arena_array(a, n, sizeof *x->starts);
    x->offset = weir_arena_array(a, n, sizeof *x->offset);
    x->arrived = weir_arena_array(a, g, sizeof *x->arrived);
    x->next = weir_arena_array(a, g, sizeof *x->next);
    x->phase = weir_arena_array(a, g, sizeof *x->phase);
    x->turn = weir_arena_array(a, p, sizeof *x->turn);
    x->used = weir_arena_array(a, p, sizeof *x->used);
    x->stale = weir_arena_array(a, p, sizeof *x->stale);
    x->mark_done = weir_arena_array(a, n, sizeof *x->mark_done);
    x->mark_left = weir_arena_array(a, n, sizeof *x->mark_left);
    x->mark_chosen = weir_arena_array(a, n, sizeof *x->mark_chosen);
    x->mark_arrived = weir_arena_array(a, g, sizeof *x->mark_arrived);
    x->mark_turn = weir_arena_array(a, p, sizeof *x->mark_turn);
    x->mark_used = weir_arena_array(a, p, sizeof *x->mark_used);
    bool grouped = weir_groups_make(&x->ends, n, 2 * e, task_at, set) && weir_groups_make(&x->inputs, g, e, graph_fed, set) &&
                   weir_groups_make(&x->held, p, n, processor_of, set);
    return !a->failed && grouped;
}

void weir_execution_close(struct weir_played_execution *x)
{
    weir_groups_free(&x->ends);
    weir_groups_free(&x->inputs);
    weir_groups_free(&x->held);
    weir_arena_free(&x->arena);
}

/* ---- the plan ---- */

/* The last two digits of a plan, to the base of three, say how long executions take and when inputs arrive. */
enum times { TIMES_WORST, TIMES_FIXED, TIMES_DRAWN };
enum releases { RELEASES_NOMINAL, RELEASES_BURST, RELEASES_DRAWN };

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
    if (x->times == TIMES_WORST)
        return t->worst;
    uint64_t number = x->times == TIMES_DRAWN ? (uint64_t)iteration + 1 : 0;
    int64_t which = drawn(x, KIND_TIME, task, number, 4);
    if (which == 1)
        return best + drawn(x, KIND_TIME, task, ~number, t->worst - best + 1);
    return which == 0 ? best : t->worst;
}

int64_t weir_execution_delay(const struct weir_played_execution *x, uint32_t graph, int64_t input)
{
    const struct weir_task_graph *g = &x->set->graphs[graph];
    if (x->releases == RELEASES_BURST && input * g->period < g->jitter)
        return g->jitter - input * g->period;
    return x->releases == RELEASES_DRAWN ? drawn(x, KIND_RELEASE, graph, (uint64_t)input, 2) * g->jitter : 0;
}

/* Inputs keep their order. */
static int64_t next_arrival(const struct weir_played_execution *x, uint32_t graph, int64_t before)
{
    int64_t n = x->arrived[graph];
    int64_t at = x->phase[graph] + n * x->set->graphs[graph].period + weir_execution_delay(x, graph, n);
    return at > before ? at : before;
}

/* ---- the beginning ---- */

static void read_plan(struct weir_played_execution *x)
{
    x->times = (int)(x->plan % 3);
    x->releases = (int)(x->plan / 3 % 3);
    weir_wide all = 1;
    for (uint32_t g = 0; g < x->set->graph_count && all < PERIOD_MAX; g++)
        all = all / weir_wide_divisor(all, x->set->graphs[g].period) * x->set->graphs[g].period;
    for (uint32_t p = 0; p < x->set->processor_count && all < PERIOD_MAX; p++)
        if (x->set->processors[p].sharing == WEIR_TDM)
            all = all / weir_wide_divisor(all, x->set->processors[p].frame) * x->set->processors[p].frame;
    x->period = all < PERIOD_MAX && x->times != TIMES_DRAWN && x->releases != RELEASES_DRAWN ? (int64_t)all : 0;
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

static bool may_lose(const struct weir_task_edge *e)
{
    return e->from != WEIR_FROM_SOURCE && !e->blocking && e->room != WEIR_AUTO && e->room != WEIR_UNBOUNDED;
}

/* A queue that may lose a message: alone, no task waits for its messages. */
static bool is_left_out(const struct weir_played_execution *x, const struct weir_task_edge *e)
{
    return x->alone && may_lose(e);
}

static bool is_limited(const struct weir_played_execution *x, size_t k)
{
    return x->set->edges[k].blocking && x->room[k] != WEIR_UNBOUNDED;
}

static void change(struct weir_played_execution *x, uint32_t task)
{
    if (!x->changed[task])
        x->changes[x->change_count++] = task;
    x->changed[task] = 1;
}

static void fill_queues(struct weir_played_execution *x)
{
    const struct weir_taskset *set = x->set;
    for (size_t k = 0; k < set->edge_count; k++) {
        const struct weir_task_edge *e = &set->edges[k];
        bool fed = e->from == WEIR_FROM_SOURCE;
        struct weir_played_edge *q = &x->edges[k];
        *q = (struct weir_played_edge){fed ? set->task_count : e->from, e->to, fed ? 0 : e->initial, 0, INT64_MAX, INT64_MAX};
        q->low = is_left_out(x, e) ? INT64_MIN : 0;
        if (is_limited(x, k))
            q->full = q->messages + x->room[k];
        x->blocked[q->to] += q->messages <= q->low;
        x->blocked[q->from] += q->messages >= q->full;
        x->places[k] = 0;
        x->fed_first = x->fed_from[k] < x->fed_first ? x->fed_from[k] : x->fed_first;
    }
}

static void begin(struct weir_played_execution *x)
{
    const struct weir_taskset *set = x->set;
    x->now = x->settled = 0;
    x->fed_first = INT64_MAX;
    x->marked = -1;
    read_plan(x);
    find_slots(x);
    x->boundary = x->period ? 0 : INT64_MAX;
    x->change_count = x->start_count = 0;
    memset(x->changed, 0, set->task_count);
    x->changed[set->task_count] = 1; /* no task that could change */
    for (uint32_t i = 0; i < set->task_count; i++) {
        x->done[i] = x->behind[i] = 0;
        x->left[i] = -1;
        x->chosen[i] = 0;
        x->blocked[i] = 0;
        x->time[i] = weir_execution_time(x, i, 0);
        change(x, i);
    }
    for (uint32_t g = 0; g < set->graph_count; g++) {
        x->arrived[g] = 0;
        x->phase[g] = set->graphs[g].has_phase ? set->graphs[g].phase : drawn(x, KIND_PHASE, g, 0, set->graphs[g].period);
        x->next[g] = next_arrival(x, g, 0);
        int64_t end = x->phase[g] + set->graphs[g].jitter;
        x->settled = end > x->settled ? end : x->settled;
    }
    fill_queues(x);
}

/* ---- a moment ---- */

/* A message more, or one less. */
static void move(struct weir_played_execution *x, uint32_t edge, int by)
{
    struct weir_played_edge *q = &x->edges[edge];
    x->blocked[q->to] -= q->messages <= q->low;
    x->blocked[q->from] -= q->messages >= q->full;
    q->messages += by;
    x->blocked[q->to] += q->messages <= q->low;
    x->blocked[q->from] += q->messages >= q->full;
    change(x, q->to);
    change(x, q->from);
}

static void end_execution(struct weir_played_execution *x, uint32_t i)
{
    x->left[i] = -1;
    x->done[i]++;
    change(x, i);
    for (uint32_t k = x->ends.first[i]; k < x->ends.first[i + 1]; k++)
        move(x, x->ends.item[k] / 2, x->ends.item[k] % 2 ? -1 : 1);
}

/* False: more inputs than there is work for. */
static bool arrive_and_end(struct weir_played_execution *x)
{
    for (uint32_t g = 0; g < x->set->graph_count; g++)
        for (; x->next[g] <= x->now && x->work > 0; x->work--) {
            x->arrived[g]++;
            x->next[g] = next_arrival(x, g, x->next[g]);
            for (uint32_t k = x->inputs.first[g]; k < x->inputs.first[g + 1]; k++)
                move(x, x->inputs.item[k], 1);
        }
    if (x->work == 0)
        return false;
    for (uint32_t i = 0; i < x->set->task_count; i++)
        if (x->left[i] == 0)
            end_execution(x, i);
    return true;
}

/* What the queues of task i have come to at the end of a moment. */
static void look_at_queues(struct weir_played_execution *x, uint32_t i)
{
    for (uint32_t k = x->ends.first[i]; k < x->ends.first[i + 1]; k++) {
        size_t edge = x->ends.item[k] / 2;
        struct weir_played_edge *q = &x->edges[edge];
        if (x->ends.item[k] % 2) {
            q->least = q->messages < q->least ? q->messages : q->least;
        } else if (x->set->edges[edge].blocking && !x->blocked[i]) {
            int64_t taken = q->messages - x->set->edges[edge].initial + 1;
            x->places[edge] = taken > x->places[edge] ? taken : x->places[edge];
        }
    }
}

/* False: a task waits for messages that must not. */
static bool enable(struct weir_played_execution *x)
{
    const struct weir_taskset *set = x->set;
    for (uint32_t k = 0; k < x->change_count; k++) {
        uint32_t i = x->changes[k], p = set->tasks[i].processor;
        x->changed[i] = 0;
        if (p != WEIR_OWN_PROCESSOR)
            x->stale[p] = 1;
        look_at_queues(x, i);
    }
    x->change_count = 0;
    for (size_t k = 0; k < set->edge_count && x->now >= x->fed_first; k++)
        if (x->now >= x->fed_from[k] && x->edges[k].messages <= x->edges[k].low)
            return false;
    return true;
}

/* ---- which task runs ---- */

static bool goes_first(const struct weir_played_execution *x, uint32_t i, uint32_t other)
{
    const struct weir_task *a = &x->set->tasks[i], *b = &x->set->tasks[other];
    if (a->priority != b->priority)
        return a->priority > b->priority;
    return x->chosen[i] && x->left[i] > 0;
}

/* The most urgent. */
static void choose_urgent(struct weir_played_execution *x, uint32_t p)
{
    uint32_t last = x->turn[p], first = NO_TASK;
    if (!x->stale[p] || (x->set->processors[p].sharing == WEIR_NONPREEMPTIVE && last != NO_TASK && x->left[last] >= 0))
        return;
    for (uint32_t k = x->held.first[p]; k < x->held.first[p + 1]; k++) {
        uint32_t i = x->held.item[k];
        if (!x->blocked[i] && (first == NO_TASK || goes_first(x, i, first)))
            first = i;
    }
    x->turn[p] = first;
}

/* Round robin: a turn goes on until its slot is used up or nothing is left to do, then it is the next one's in a circle. */
static void choose_turn(struct weir_played_execution *x, uint32_t p)
{
    const struct weir_taskset *set = x->set;
    uint32_t last = x->turn[p], behind = NO_TASK, first = NO_TASK;
    if (last != NO_TASK && !x->blocked[last] && x->used[p] < set->tasks[last].slot)
        return;
    for (uint32_t k = x->held.first[p]; k < x->held.first[p + 1]; k++) {
        uint32_t i = x->held.item[k];
        if (x->blocked[i])
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

/* Whether a task that is ready runs, and until when it does, or cannot, if it does not end before. */
static bool runs(const struct weir_played_execution *x, uint32_t i, int64_t *rest)
{
    uint32_t p = x->set->tasks[i].processor;
    enum weir_sharing sharing = p == WEIR_OWN_PROCESSOR ? WEIR_PREEMPTIVE : x->set->processors[p].sharing;
    int64_t slot = x->set->tasks[i].slot;
    if (sharing == WEIR_TDM) {
        int64_t at = within_frame(x, i);
        *rest = (at < slot ? slot : x->set->processors[p].frame) - at;
        return at < slot;
    }
    if (p == WEIR_OWN_PROCESSOR || x->alone)
        return true;
    if (x->turn[p] == i && sharing == WEIR_ROUND_ROBIN)
        *rest = slot - x->used[p];
    return x->turn[p] == i;
}

/* Returns how long all that runs now goes on. */
static int64_t choose(struct weir_played_execution *x)
{
    int64_t step = x->boundary - x->now;
    x->start_count = 0;
    for (uint32_t p = 0; p < x->set->processor_count && !x->alone; p++) {
        if (x->set->processors[p].sharing == WEIR_ROUND_ROBIN)
            choose_turn(x, p);
        else if (x->set->processors[p].sharing != WEIR_TDM)
            choose_urgent(x, p);
        x->stale[p] = 0;
    }
    for (uint32_t i = 0; i < x->set->task_count; i++) {
        int64_t rest = INT64_MAX;
        x->chosen[i] = !x->blocked[i] && runs(x, i, &rest);
        if (x->chosen[i] && x->left[i] < 0) {
            x->left[i] = x->times == TIMES_DRAWN ? weir_execution_time(x, i, x->done[i]) : x->time[i];
            x->starts[x->start_count++] = i;
        }
        rest = x->chosen[i] && x->left[i] < rest ? x->left[i] : rest;
        step = rest < step ? rest : step;
    }
    for (uint32_t g = 0; g < x->set->graph_count; g++)
        step = x->next[g] - x->now < step ? x->next[g] - x->now : step;
    return step;
}

/* A message of what starts now has no place: in the first such queue. */
static bool loses(struct weir_played_execution *x)
{
    bool lost = false;
    for (uint32_t s = 0; s < x->start_count; s++)
        for (uint32_t i = x->starts[s], k = x->ends.first[i]; k < x->ends.first[i + 1]; k++) {
            size_t edge = x->ends.item[k] / 2;
            const struct weir_task_edge *e = &x->set->edges[edge];
            if (x->ends.item[k] % 2 || !may_lose(e))
                continue;
            if (x->edges[edge].messages - e->initial < e->room || (lost && x->edge < edge))
                continue;
            x->edge = edge;
            lost = true;
        }
    return lost;
}

static void pass(struct weir_played_execution *x, int64_t step)
{
    const struct weir_taskset *set = x->set;
    for (uint32_t i = 0; i < set->task_count; i++)
        if (x->chosen[i])
            x->left[i] -= step;
    for (uint32_t p = 0; p < set->processor_count && !x->alone; p++)
        if (set->processors[p].sharing == WEIR_ROUND_ROBIN && x->turn[p] != NO_TASK && x->chosen[x->turn[p]])
            x->used[p] += step;
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
        x->edges[k].least = x->edges[k].messages;
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
        if (more < 0 || x->edges[k].least < 1 || is_limited(x, k))
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
    if (x->now < x->boundary)
        return end;
    x->boundary += x->period;
    if (x->now < x->settled)
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
        int64_t step = choose(x);
        if (!x->alone && loses(x))
            return WEIR_EXECUTION_LOSES;
        pass(x, step);
    }
    return WEIR_EXECUTION_OPEN;
}

bool weir_execution_shows(struct weir_played_execution *x)
{
    read_plan(x);
    bool any = x->period > 0;
    for (size_t k = 0; k < x->set->edge_count && !x->alone && !any; k++)
        any = may_lose(&x->set->edges[k]);
    return any;
}
