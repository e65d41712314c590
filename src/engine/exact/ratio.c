/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Howard's policy iteration, with exact ratios.
 *
 * A policy gives every actor one outgoing arc. Following it leads to a cycle, whose ratio p/q the actor has, and gives the actor a
 * value: the sum of q * weight - p * tokens up to the cycle. An arc to an actor with a larger ratio, or with the same ratio and a
 * larger value, improves the policy. No improvement left: the ratios are the largest there are. A cycle whose ratio did not change
 * keeps the value of its root, so that values never fall and the iteration ends.
 */
#include "engine/exact/ratio.h"

#include "base/alloc.h"
#include "base/number.h"

enum { LARGE = 1000 }; /* actors */

struct howard {
    const struct weir_graph *graph;
    const int64_t *times;
    const uint32_t *component;
    uint32_t *next;
    int64_t *weight;
    uint32_t *tokens;
    struct weir_ratio *ratio;
    weir_wide *value;
    uint32_t *walk;  /* actors of the walk under way */
    uint32_t *stamp; /* by actor: the walk that met it, 0 for none */
    bool large, overflow;
};

static int compare(struct weir_ratio a, struct weir_ratio b)
{
    if (a.denominator == 0 || b.denominator == 0)
        return (a.denominator != 0) - (b.denominator != 0);
    return weir_ratio_compare(a, b);
}

static weir_wide gain(const struct howard *h, uint32_t o, int64_t weight, uint32_t tokens)
{
    return (weir_wide)h->ratio[o].denominator * weight - (weir_wide)h->ratio[o].numerator * tokens;
}

static void set_value(struct howard *h, uint32_t o)
{
    h->ratio[o] = h->ratio[h->next[o]];
    h->value[o] = gain(h, o, h->weight[o], h->tokens[o]) + h->value[h->next[o]];
}

/* The walk ran into itself at walk[from]: what lies from there on is a cycle. */
static void evaluate_cycle(struct howard *h, uint32_t from, uint32_t length)
{
    int64_t weight = 0, tokens = 0;
    for (uint32_t i = from; i < length; i++) {
        if (!weir_add(weight, h->weight[h->walk[i]], &weight) || !weir_add(tokens, h->tokens[h->walk[i]], &tokens))
            h->overflow = true;
    }
    uint32_t root = h->walk[from];
    struct weir_ratio ratio = weir_ratio_reduce((struct weir_ratio){weight, tokens});
    if (compare(ratio, h->ratio[root]) != 0)
        h->value[root] = 0;
    h->ratio[root] = ratio;
    for (uint32_t i = length; i-- > from + 1;)
        set_value(h, h->walk[i]);
}

static void evaluate(struct howard *h)
{
    uint32_t n = h->graph->actor_count;
    for (uint32_t o = 0; o < n; o++)
        h->stamp[o] = 0;
    for (uint32_t o = 0; o < n; o++) {
        if (h->next[o] == WEIR_NO_ACTOR)
            continue;
        uint32_t length = 0, at = o;
        while (!h->stamp[at]) {
            h->stamp[at] = o + 1;
            h->walk[length++] = at;
            at = h->next[at];
        }
        if (h->stamp[at] == o + 1 && length > 0) {
            uint32_t from = length;
            while (h->walk[--from] != at)
                continue;
            evaluate_cycle(h, from, length);
            length = from;
        }
        while (length > 0)
            set_value(h, h->walk[--length]);
    }
}

static void choose(struct howard *h, uint32_t o, uint32_t head, int64_t weight, uint32_t tokens)
{
    h->next[o] = head;
    h->weight[o] = weight;
    h->tokens[o] = tokens;
}

static bool improve_actor(struct howard *h, uint32_t o)
{
    const struct weir_graph *g = h->graph;
    struct weir_ratio best = h->ratio[o];
    weir_wide value = h->value[o];
    bool better = false;
    for (uint32_t r = g->out_first[o]; r < g->out_first[o + 1]; r++) {
        const struct weir_arc_run *run = &g->out_runs[r];
        int64_t weight = run->offset + (run->finish ? h->times[o] : 0);
        for (uint32_t i = run->first; i < run->end; i++) {
            uint32_t head = g->heads[i];
            if (h->component[head] != h->component[o])
                continue;
            int order = compare(h->ratio[head], best);
            if (order < 0)
                continue;
            weir_wide through =
                (weir_wide)h->ratio[head].denominator * weight - (weir_wide)h->ratio[head].numerator * run->tokens + h->value[head];
            if (order > 0 || through > value) {
                best = h->ratio[head];
                value = through;
                choose(h, o, head, weight, run->tokens);
                better = true;
            }
        }
    }
    if (better && h->large) { /* for those after it: no more than what the new policy is worth */
        h->ratio[o] = best;
        h->value[o] = value;
    }
    return better;
}

/* In large graphs once from the last to the first, once the other way round, so that what improves is taken along in both
 * directions. */
static bool improve(struct howard *h, uint32_t step)
{
    uint32_t n = h->graph->actor_count;
    bool better = false;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t o = h->large && step % 2 ? i : n - 1 - i;
        if (h->next[o] != WEIR_NO_ACTOR)
            better |= improve_actor(h, o);
    }
    return better;
}

/* A step of the iteration takes a larger ratio one arc further, which in a long chain would take as many steps. Where all actors of
 * a component lead to each other they can take the largest at once: from those that have it, backwards over the arcs. */
static bool spread(struct howard *h)
{
    const struct weir_graph *g = h->graph;
    uint32_t *best = h->stamp, count = 0; /* by component: an actor with the largest ratio */
    for (uint32_t o = 0; o < g->actor_count; o++)
        best[o] = WEIR_NO_ACTOR;
    for (uint32_t o = 0; o < g->actor_count; o++) {
        uint32_t c = h->component[o];
        if (h->next[o] != WEIR_NO_ACTOR && (best[c] == WEIR_NO_ACTOR || compare(h->ratio[o], h->ratio[best[c]]) > 0))
            best[c] = o;
    }
    for (uint32_t o = 0; o < g->actor_count; o++)
        if (h->next[o] != WEIR_NO_ACTOR && compare(h->ratio[o], h->ratio[best[h->component[o]]]) == 0)
            h->walk[count++] = o;
    uint32_t known = count;
    for (uint32_t at = 0; at < count; at++) {
        uint32_t o = h->walk[at];
        for (uint32_t r = g->in_first[o]; r < g->in_first[o + 1]; r++)
            for (uint32_t i = g->in_runs[r].first; i < g->in_runs[r].end; i++) {
                uint32_t tail = g->tails[i];
                if (h->component[tail] != h->component[o] || compare(h->ratio[tail], h->ratio[o]) >= 0)
                    continue;
                choose(h, tail, o, g->in_runs[r].offset + (g->in_runs[r].finish ? h->times[tail] : 0), g->in_runs[r].tokens);
                h->ratio[tail] = h->ratio[o];
                h->walk[count++] = tail;
            }
    }
    return count > known;
}

/* The first policy: the heaviest arc. */
static void begin(struct howard *h)
{
    const struct weir_graph *g = h->graph;
    for (uint32_t o = 0; o < g->actor_count; o++) {
        h->next[o] = WEIR_NO_ACTOR;
        h->ratio[o] = (struct weir_ratio){0, 0};
        h->value[o] = 0;
        if (h->component[o] == WEIR_NO_COMPONENT)
            continue;
        for (uint32_t r = g->out_first[o]; r < g->out_first[o + 1]; r++) {
            const struct weir_arc_run *run = &g->out_runs[r];
            int64_t weight = run->offset + (run->finish ? h->times[o] : 0);
            for (uint32_t i = run->first; i < run->end; i++) {
                if (h->component[g->heads[i]] != h->component[o])
                    continue;
                if (h->next[o] == WEIR_NO_ACTOR || weight > h->weight[o])
                    choose(h, o, g->heads[i], weight, run->tokens);
                break; /* the arcs of a run weigh the same */
            }
        }
    }
}

enum weir_status weir_ratios_compute(const struct weir_graph *g, const int64_t *times, const uint32_t *component,
                                     struct weir_ratios *ratios)
{
    uint32_t n = g->actor_count;
    struct howard h = {.graph = g, .times = times, .component = component, .large = n >= LARGE};
    h.next = weir_array(n, sizeof *h.next);
    h.ratio = weir_array(n, sizeof *h.ratio);
    h.weight = weir_array(n, sizeof *h.weight);
    h.tokens = weir_array(n, sizeof *h.tokens);
    h.value = weir_array(n, sizeof *h.value);
    h.walk = weir_array(n, sizeof *h.walk);
    h.stamp = weir_array(n, sizeof *h.stamp);
    *ratios = (struct weir_ratios){h.ratio, h.next};
    enum weir_status status = WEIR_MEMORY;
    if (h.next && h.ratio && h.weight && h.tokens && h.value && h.walk && h.stamp) {
        begin(&h);
        bool better = true;
        for (uint32_t step = 0; better && !h.overflow; step++) {
            evaluate(&h);
            if (h.large && spread(&h))
                evaluate(&h);
            better = improve(&h, step);
        }
        status = h.overflow ? WEIR_OVERFLOW : WEIR_OK;
    }
    weir_free(h.weight);
    weir_free(h.tokens);
    weir_free(h.value);
    weir_free(h.walk);
    weir_free(h.stamp);
    if (status) {
        weir_ratios_free(ratios);
        *ratios = (struct weir_ratios){NULL, NULL};
    }
    return status;
}

void weir_ratios_free(struct weir_ratios *ratios)
{
    weir_free(ratios->ratio);
    weir_free(ratios->next);
}

uint32_t weir_ratios_cycle(const struct weir_ratios *ratios, uint32_t actor, uint32_t actor_count)
{
    for (uint32_t i = 0; i < actor_count; i++)
        actor = ratios->next[actor];
    return actor;
}
