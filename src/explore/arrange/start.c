/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where hill climbing begins. Rules of thumb, none of them optimal here: rate monotonic, deadline monotonic, upstream first,
 * downstream first. For a mapping, each of them is also tried with the operators spread evenly over the processors.
 */
#include "explore/arrange/arrange.h"

#include "base/error.h"
#include "base/number.h"
#include "model/pipeline.h"

#include <string.h>

enum rule { RULE_MODEL, RULE_RATE, RULE_DEADLINE, RULE_UPSTREAM, RULE_DOWNSTREAM, RULES };

struct ranks {
    int64_t *key;    /* by operator: the smaller the more urgent */
    int64_t *depth;  /* by operator: queues on the longest path from its source, of those that begin empty */
    int64_t *within; /* by graph: its shortest deadline, or else its period */
};

/* Bellman-Ford: queues that begin empty form no cycle. */
static void find_depths(const struct weir_taskset *set, int64_t *depth)
{
    bool changed = true;
    memset(depth, 0, set->task_count * sizeof *depth);
    for (uint32_t round = 0; changed && round <= set->task_count; round++) {
        changed = false;
        for (size_t i = 0; i < set->edge_count; i++) {
            const struct weir_task_edge *e = &set->edges[i];
            if (e->from == WEIR_FROM_SOURCE || e->initial > 0 || depth[e->to] > depth[e->from])
                continue;
            depth[e->to] = depth[e->from] + 1;
            changed = true;
        }
    }
}

static void find_deadlines(const struct weir_pipeline *p, int64_t *within)
{
    for (uint32_t g = 0; g < p->taskset->graph_count; g++)
        within[g] = p->taskset->graphs[g].period;
    for (int pass = 0; pass < 2; pass++) /* a deadline replaces the period, and a shorter one a longer */
        for (size_t i = 0; i < p->chain_count; i++) {
            int64_t *limit = &within[p->taskset->tasks[p->chains[i].from.index].graph];
            if (p->chains[i].has_deadline && (pass == 0 || p->chains[i].deadline < *limit))
                *limit = p->chains[i].deadline;
        }
}

static void rank(const struct weir_pipeline *p, enum rule rule, const struct ranks *r)
{
    const struct weir_taskset *set = p->taskset;
    for (uint32_t o = 0; o < set->task_count; o++) {
        uint32_t graph = set->tasks[o].graph;
        switch (rule) {
        case RULE_RATE:
            r->key[o] = set->graphs[graph].period;
            break;
        case RULE_DEADLINE:
            r->key[o] = r->within[graph];
            break;
        case RULE_UPSTREAM:
            r->key[o] = r->depth[o];
            break;
        default:
            r->key[o] = -r->depth[o];
            break;
        }
    }
}

/* Equals: the one nearer to the end of its graph drains it, then the order of the model. */
static bool before(const struct weir_arrangement *a, const struct ranks *r, uint32_t s, uint32_t t)
{
    uint32_t x = a->seats[s].op, y = a->seats[t].op;
    if (r->key[x] != r->key[y])
        return r->key[x] < r->key[y];
    return r->depth[x] != r->depth[y] ? r->depth[x] > r->depth[y] : x < y;
}

static void sort_lists(struct weir_arrangement *a, const struct ranks *r)
{
    struct weir_lists *lists = &a->now;
    for (uint32_t p = 0; p < a->processor_count; p++)
        for (uint32_t k = lists->first[p] + 1; k < lists->first[p + 1]; k++) {
            uint32_t seat = lists->member[k], at = k;
            for (; at > lists->first[p] && before(a, r, seat, lists->member[at - 1]); at--)
                lists->member[at] = lists->member[at - 1];
            lists->member[at] = seat;
        }
}

/* ---- where to ---- */

/* In parts of a million; enough to compare. */
static int64_t load_of(const struct weir_arrangement *a, uint32_t seat)
{
    const struct weir_task *task = &a->model->taskset->tasks[a->seats[seat].op];
    weir_wide load = (weir_wide)task->worst * 1000000 / a->model->taskset->graphs[task->graph].period;
    return load > INT32_MAX ? INT32_MAX : (int64_t)load;
}

/* The heaviest first, each to the least loaded processor. home: by seat; loads: by processor. */
static void spread(struct weir_arrangement *a, uint32_t *home, int64_t *loads)
{
    memset(loads, 0, a->processor_count * sizeof *loads);
    for (uint32_t s = 0; s < a->seat_count; s++) {
        home[s] = a->seats[s].free ? UINT32_MAX : a->seats[s].home;
        if (home[s] != UINT32_MAX)
            loads[home[s]] += load_of(a, s);
    }
    for (;;) {
        uint32_t heaviest = UINT32_MAX, best = UINT32_MAX;
        for (uint32_t s = 0; s < a->seat_count; s++)
            if (home[s] == UINT32_MAX && (heaviest == UINT32_MAX || load_of(a, s) > load_of(a, heaviest)))
                heaviest = s;
        if (heaviest == UINT32_MAX)
            return;
        for (uint32_t p = 0; p < a->processor_count; p++)
            if (weir_seat_fits(a, heaviest, p) && (best == UINT32_MAX || loads[p] < loads[best]))
                best = p;
        home[heaviest] = best;
        loads[best] += load_of(a, heaviest);
    }
}

static void scatter(struct weir_arrangement *a, uint32_t *home, struct weir_random *random)
{
    for (uint32_t s = 0; s < a->seat_count; s++) {
        uint32_t open = 0;
        for (uint32_t p = 0; p < a->processor_count; p++)
            open += weir_seat_fits(a, s, p);
        int64_t chosen = weir_random_between(random, 1, open);
        for (uint32_t p = 0; p < a->processor_count; p++)
            if (weir_seat_fits(a, s, p) && chosen-- == 1)
                home[s] = p;
    }
}

/* Lists with the seats in their own order. */
static void gather(struct weir_arrangement *a, const uint32_t *home)
{
    uint32_t filled = 0;
    for (uint32_t p = 0; p < a->processor_count; p++) {
        a->now.first[p] = filled;
        for (uint32_t s = 0; s < a->seat_count; s++)
            if (home[s] == p)
                a->now.member[filled++] = s;
    }
    a->now.first[a->processor_count] = filled;
}

static void shuffle_lists(struct weir_arrangement *a, struct weir_random *random)
{
    for (uint32_t p = 0; p < a->processor_count; p++) {
        uint32_t *list = a->now.member + a->now.first[p];
        for (uint32_t k = a->now.first[p + 1] - a->now.first[p]; k > 1; k--) {
            uint32_t other = (uint32_t)weir_random_between(random, 0, k - 1), seat = list[k - 1];
            list[k - 1] = list[other];
            list[other] = seat;
        }
    }
}

enum weir_status weir_arrangement_start(struct weir_arrangement *a, uint32_t start, struct weir_random *random, int64_t *point,
                                        struct weir_error *error)
{
    const struct weir_taskset *set = a->model->taskset;
    bool any_free = false;
    for (uint32_t s = 0; s < a->seat_count; s++)
        any_free |= a->seats[s].free;
    struct ranks r = {.key = weir_array((size_t)set->task_count * 2 + set->graph_count, sizeof(int64_t))};
    int64_t *loads = weir_array(a->processor_count, sizeof *loads);
    if (!r.key || !loads) {
        weir_free(r.key);
        weir_free(loads);
        return weir_fail_memory(error);
    }
    r.depth = r.key + set->task_count;
    r.within = r.depth + set->task_count;
    find_depths(set, r.depth);
    find_deadlines(a->model, r.within);
    /* Even numbers spread the operators anew where they may be moved, odd ones leave them where they are. */
    uint32_t rule = any_free ? (start + 1) / 2 : start;
    weir_arrangement_read(a, NULL, &a->now);
    if (any_free && start > 0 && start % 2 == 0 && rule < RULES) {
        spread(a, a->scratch, loads);
        gather(a, a->scratch);
    } else if (rule >= RULES && any_free) {
        scatter(a, a->scratch, random);
        gather(a, a->scratch);
    }
    if (rule >= RULES) {
        shuffle_lists(a, random);
    } else if (rule != RULE_MODEL) {
        rank(a->model, (enum rule)rule, &r);
        sort_lists(a, &r);
    }
    weir_arrangement_write(a, &a->now, point);
    weir_free(r.key);
    weir_free(loads);
    return WEIR_OK;
}
