/* SPDX-License-Identifier: Apache-2.0 */
/* What can happen next in a situation, and what it leads to. */
#include "engine/priority/reach.h"

#include <string.h>

#define BEHIND_MAX 4000 /* iterations */
#define BACKLOG_MAX 12  /* such bounds are not looked for: a backlog of this size hardly ever ends */

/* How many iterations the task is behind, but for those of inputs that may be late. */
static int64_t backlog(const struct weir_reach *r, uint32_t task)
{
    const struct weir_task_graph *graph = &r->s->set->graphs[r->s->set->tasks[task].graph];
    return *weir_reach_behind(r, r->then, task) - 2 * weir_ceil_divide(graph->jitter, graph->period);
}

/* The situation after the event, in r->then. False: too far behind. */
static bool change(struct weir_reach *r, const struct weir_reach_event *event)
{
    const struct weir_taskset *set = r->s->set;
    uint16_t *then = r->then;
    memcpy(then, r->now, r->width * sizeof *then);
    if (event->what == WEIR_HAPPENS_ARRIVAL) {
        --*weir_reach_due(r, then, event->of);
    } else if (event->what == WEIR_HAPPENS_START) {
        *weir_reach_running(r, then, set->tasks[event->of].processor) = (uint16_t)(event->of + 1);
    } else if (event->what == WEIR_HAPPENS_END) {
        uint32_t p = set->tasks[event->of].processor;
        --*weir_reach_behind(r, then, event->of);
        if (p != WEIR_OWN_PROCESSOR && set->processors[p].sharing == WEIR_NONPREEMPTIVE)
            *weir_reach_running(r, then, p) = 0;
    } else {
        uint16_t *due = weir_reach_due(r, then, event->of);
        *due = (uint16_t)(*due + (*due == 0) + (set->graphs[event->of].jitter > 0));
        for (uint32_t i = 0; i < set->task_count; i++) {
            if (set->tasks[i].graph != event->of)
                continue;
            if (++*weir_reach_behind(r, then, i) > BEHIND_MAX)
                return false;
            int64_t now = backlog(r, i);
            r->backlog = now > r->backlog ? now : r->backlog;
        }
    }
    return r->backlog <= BACKLOG_MAX;
}

/* r->changed: those of r->moved that go on, and new ones that begin at 0. */
static void carry_over(struct weir_reach *r, const struct weir_reach_event *event)
{
    const struct weir_reach_view *view = &r->view, *after = &r->after;
    uint32_t old = 1, n = after->count;
    r->from[0] = 0;
    for (uint32_t c = 1; c < n; c++) {
        const struct weir_reach_clock *clock = &after->clocks[c];
        while (old < view->count && (view->clocks[old].graph > clock->graph ||
                                     (view->clocks[old].graph == clock->graph && view->clocks[old].of < clock->of)))
            old++;
        bool known = old < view->count && view->clocks[old].graph == clock->graph && view->clocks[old].of == clock->of;
        bool anew = event->what == (clock->graph ? WEIR_HAPPENS_MOMENT : WEIR_HAPPENS_END) && event->of == clock->of;
        r->from[c] = known && !anew ? old : 0;
    }
    for (uint32_t a = 0; a < n; a++)
        for (uint32_t b = 0; b < n; b++)
            r->changed[a * n + b] = r->moved[r->from[a] * view->count + r->from[b]];
}

static uint32_t clock_of_graph(const struct weir_reach_view *view, uint32_t graph)
{
    uint32_t c = 1;
    while (view->clocks[c].of != graph)
        c++;
    return c;
}

/* When it ends at the latest, relative to its nominal moment. */
static bool note_end(struct weir_reach *r, uint32_t task)
{
    uint32_t graph = r->s->set->tasks[task].graph;
    int64_t since = r->moved[clock_of_graph(&r->view, graph) * r->view.count];
    int64_t finish = since + (*weir_reach_behind(r, r->now, task) - 1) * r->s->set->graphs[graph].period;
    if (finish > r->finish[task])
        r->finish[task] = finish;
    return finish <= r->s->latency_limit;
}

/* A move with very many clocks costs more than one. */
static bool spend(struct weir_reach *r)
{
    uint64_t clocks = r->view.count, more = clocks * clocks * clocks / 32768;
    struct weir_priority_system *s = r->s;
    s->work += more;
    if (more > 0 && weir_interrupted() && s->work < s->work_limit)
        s->work = s->work_limit;
    if (r->moves_left <= more || weir_priority_spent(s))
        return false;
    r->moves_left -= 1 + more;
    return true;
}

static bool happen(struct weir_reach *r, enum weir_happening what, uint32_t of, uint32_t clock)
{
    struct weir_reach_event event = {what, of, clock};
    if (!weir_reach_pass(r, &event))
        return true;
    if (!spend(r))
        return false;
    if ((what == WEIR_HAPPENS_END && !note_end(r, of)) || !change(r, &event))
        return false;
    weir_reach_look(r, r->then, &r->after);
    carry_over(r, &event);
    return weir_reach_meet(r);
}

/* Each of the most urgent on processors that are free. */
static bool start_one(struct weir_reach *r)
{
    const struct weir_taskset *set = r->s->set;
    for (uint32_t i = 0; i < set->task_count; i++) {
        uint32_t p = set->tasks[i].processor;
        if (p == WEIR_OWN_PROCESSOR || set->processors[p].sharing != WEIR_NONPREEMPTIVE || *weir_reach_running(r, r->now, p) > 0 ||
            !weir_reach_is_pending(r, r->now, i))
            continue;
        bool first = true;
        for (uint32_t k = r->s->sharers_first[p]; k < r->s->sharers_first[p + 1] && first; k++)
            first = set->tasks[r->s->sharers[k]].priority <= set->tasks[i].priority ||
                    !weir_reach_is_pending(r, r->now, r->s->sharers[k]);
        if (first && !happen(r, WEIR_HAPPENS_START, i, 0))
            return false;
    }
    return true;
}

bool weir_reach_move_on(struct weir_reach *r)
{
    const struct weir_taskset *set = r->s->set;
    weir_reach_look(r, r->now, &r->view);
    r->patience = weir_reach_patience(r);
    for (uint32_t g = 0; g < set->graph_count; g++)
        if (*weir_reach_due(r, r->now, g) == 0 && !happen(r, WEIR_HAPPENS_BEGINNING, g, 0))
            return false;
    for (uint32_t c = 1; c < r->view.count; c++) {
        struct weir_reach_clock clock = r->view.clocks[c];
        if (clock.graph && !happen(r, WEIR_HAPPENS_MOMENT, clock.of, c))
            return false;
        if (clock.graph && *weir_reach_due(r, r->now, clock.of) > 1 && !happen(r, WEIR_HAPPENS_ARRIVAL, clock.of, 0))
            return false;
        if (!clock.graph && clock.pace != WEIR_PACE_STANDS && !happen(r, WEIR_HAPPENS_END, clock.of, c))
            return false;
    }
    return !r->view.urgent || start_one(r);
}
