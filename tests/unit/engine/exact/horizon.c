/* SPDX-License-Identifier: Apache-2.0 */
#include "horizon.h"

#include <assert.h>
#include <stdlib.h>

#define NONE (-(INT64_C(1) << 60))

struct rule {
    uint32_t from, to;
    int64_t back, offset;
    bool finish;
};

struct event {
    uint32_t op;
    int64_t iteration;
    bool finish;
};

struct horizon {
    uint32_t n; /* operators, then an arrival for each */
    uint32_t rule_count;
    struct rule *rules;
    int64_t *best, *worst;
    uint32_t *order; /* rules without `back` lead forwards */
    int64_t iterations;
    struct event from, to;
    int64_t *to_from[2]; /* longest path to `from` at best times, by [first arc is a finish][node]; without the node's own time */
    int64_t *to_to;      /* longest path to `to` that is not cut */
};

static void *array(size_t count)
{
    void *block = calloc(count ? count : 1, 8);
    assert(block);
    return block;
}

static void add_rule(struct horizon *h, struct rule rule)
{
    h->rules[h->rule_count++] = rule;
}

static void read_rules(struct horizon *h, const struct weir_pipeline *p)
{
    uint32_t operators = h->n / 2;
    for (uint32_t i = 0; i < operators; i++)
        add_rule(h, (struct rule){i, i, 1, 0, true});
    for (uint32_t i = 0; i < weir_pipeline_queue_count(p); i++) {
        struct weir_queue_spec q = weir_pipeline_queue(p, (struct weir_queue){i});
        add_rule(h, (struct rule){q.from.index, q.to.index, q.initial, 0, true});
        if (!q.nonblocking && q.capacity != WEIR_UNBOUNDED)
            add_rule(h, (struct rule){q.to.index, q.from.index, (int64_t)q.capacity - q.initial, 0, false});
    }
    for (uint32_t i = 0; i < weir_pipeline_source_count(p); i++) {
        struct weir_source_spec s = weir_pipeline_source(p, i);
        bool exact = s.arrivals == WEIR_ARRIVALS_EXACT;
        uint32_t clock = s.op.index + (exact ? operators : 0);
        add_rule(h, (struct rule){clock, clock, 1, s.period, false});
        if (exact)
            add_rule(h, (struct rule){clock, s.op.index, 0, 0, true});
    }
}

static void find_order(struct horizon *h)
{
    uint32_t placed = 0;
    bool *done = array(h->n);
    while (placed < h->n) {
        uint32_t before = placed;
        for (uint32_t o = 0; o < h->n; o++) {
            bool ready = !done[o];
            for (uint32_t r = 0; r < h->rule_count && ready; r++)
                ready = h->rules[r].to != o || h->rules[r].back > 0 || done[h->rules[r].from];
            if (ready) {
                done[o] = true;
                h->order[placed++] = o;
            }
        }
        assert(placed > before);
    }
    free(done);
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* The longest paths from (o, i) over its arcs, by kind, where `beyond` is what lies beyond their heads. */
static void over_arcs(const struct horizon *h, const int64_t *beyond, uint32_t o, int64_t i, int64_t by_kind[2])
{
    for (uint32_t r = 0; r < h->rule_count; r++) {
        const struct rule *rule = &h->rules[r];
        if (rule->from != o || i + rule->back >= h->iterations)
            continue;
        int64_t more = beyond[(i + rule->back) * h->n + rule->to];
        if (more > NONE / 2)
            by_kind[rule->finish] = larger(by_kind[rule->finish], more + rule->offset);
    }
}

static bool is_event(const struct event *event, uint32_t o, int64_t i)
{
    return event->op == o && event->iteration == i;
}

/* Longest path from the beginning of time to `from`. */
static int64_t measure_best(struct horizon *h)
{
    int64_t origin = 0, *longest = array((size_t)(h->iterations * h->n));
    for (int64_t i = h->iterations; i-- > 0;)
        for (uint32_t k = h->n; k-- > 0;) {
            uint32_t o = h->order[k];
            int64_t at = i * h->n + o, by_kind[2] = {NONE, NONE};
            if (is_event(&h->from, o, i))
                by_kind[h->from.finish] = 0;
            over_arcs(h, longest, o, i, by_kind);
            h->to_from[0][at] = by_kind[0];
            h->to_from[1][at] = by_kind[1];
            longest[at] = larger(by_kind[0], by_kind[1] + h->best[o]);
            origin = larger(origin, longest[at]);
        }
    free(longest);
    return origin;
}

/* Whether some path keeps `threshold` at every node that can hold `from` back. */
static bool reaches(struct horizon *h, int64_t origin, int64_t threshold)
{
    bool reached = false;
    for (int64_t i = h->iterations; i-- > 0;)
        for (uint32_t k = h->n; k-- > 0;) {
            uint32_t o = h->order[k];
            int64_t at = i * h->n + o, by_kind[2] = {NONE, NONE}, best = NONE;
            if (is_event(&h->to, o, i))
                by_kind[h->to.finish] = 0;
            over_arcs(h, h->to_to, o, i, by_kind);
            for (int finish = 0; finish < 2; finish++) {
                int64_t way = by_kind[finish] + (finish ? h->worst[o] : 0);
                int64_t back = larger(h->to_from[0][at], h->to_from[1][at] + (finish ? h->worst[o] : h->best[o]));
                if (way > NONE / 2 && (back < NONE / 2 || way - back >= threshold))
                    best = larger(best, way);
            }
            h->to_to[at] = best;
            reached |= best - origin >= threshold;
        }
    return reached;
}

static struct event event_of(const struct horizon *h, struct weir_event event, int64_t iteration)
{
    return (struct event){event.op.index + (event.moment == WEIR_ARRIVAL ? h->n / 2 : 0), iteration, event.moment == WEIR_FINISH};
}

static int64_t solve(struct horizon *h, const struct weir_pipeline *p)
{
    int64_t sum = 0;
    for (uint32_t i = 0; i < h->n / 2; i++) {
        struct weir_operator_spec spec = weir_pipeline_operator(p, (struct weir_operator){i});
        assert(spec.receive_max == 0 && !spec.reentrant);
        h->best[i] = spec.best;
        h->worst[i] = spec.worst;
        sum += spec.worst;
    }
    read_rules(h, p);
    find_order(h);
    for (uint32_t r = 0; r < h->rule_count; r++)
        sum += h->rules[r].offset;
    int64_t origin = measure_best(h), low = -(sum + 1) * h->iterations, high = -low;
    while (low < high) { /* low is reached, high + 1 is not */
        int64_t middle = low + (high - low + 1) / 2;
        if (reaches(h, origin, middle))
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

int64_t horizon_worst(const struct weir_pipeline *p, const struct weir_query *query, int64_t iteration)
{
    struct horizon h = {.n = 2 * weir_pipeline_operator_count(p)};
    int64_t other = iteration + query->shift;
    assert(iteration >= 0 && other >= 0);
    h.iterations = larger(iteration, other) + 1;
    h.from = event_of(&h, query->from, iteration);
    h.to = event_of(&h, query->to, other);
    size_t nodes = (size_t)(h.iterations * h.n), rules = h.n + 2 * (size_t)weir_pipeline_queue_count(p) + 2 * (size_t)h.n;
    h.rules = calloc(rules, sizeof *h.rules);
    h.best = array(h.n);
    h.worst = array(h.n);
    h.order = array(h.n);
    h.to_from[0] = array(nodes);
    h.to_from[1] = array(nodes);
    h.to_to = array(nodes);
    int64_t worst = solve(&h, p);
    free(h.to_to);
    free(h.to_from[1]);
    free(h.to_from[0]);
    free(h.order);
    free(h.worst);
    free(h.best);
    free(h.rules);
    return worst;
}
