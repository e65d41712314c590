/* SPDX-License-Identifier: Apache-2.0 */
#include "support/oracle/xta.h"

#include "support/oracle/visit.h"
#include "support/oracle/xta_inside.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Evaluates at a token, or does what stands there, for an instance with a selected value. */
static int value_at(struct network *n, int token, const struct instance *self, const struct local *chosen)
{
    n->self = self;
    n->local_count = 0;
    if (chosen->name)
        n->locals[n->local_count++] = *chosen;
    n->at = token;
    return xta_expression(n);
}

static void update(struct network *n, int token, const struct instance *self, const struct local *chosen)
{
    n->self = self;
    n->local_count = 0;
    if (chosen->name)
        n->locals[n->local_count++] = *chosen;
    n->at = token;
    do
        xta_change(n);
    while (token && xta_accept(n, ","));
}

static bool invariants_hold(struct network *n, int *state)
{
    n->state = state;
    for (int i = 0; i < n->instance_count; i++) {
        int invariant = n->instances[i].template->invariants[state[n->instances[i].base]];
        if (invariant && !value_at(n, invariant, &n->instances[i], &(struct local){0}))
            return false;
    }
    return true;
}

/* An edge that is taken, with its selected value. */
struct taken {
    const struct instance *instance;
    const struct edge *edge;
    struct local chosen;
};

struct channel {
    const struct symbol *symbol;
    int number;
};

static bool is_enabled(struct network *n, const struct taken *t, int *state, struct channel *channel)
{
    const struct edge *e = t->edge;
    n->state = state;
    if (state[t->instance->base] != e->from || (e->guard && !value_at(n, e->guard, t->instance, &t->chosen)))
        return false;
    channel->symbol = xta_find(n, n->symbols, n->symbol_count, e->channel);
    channel->number = 0;
    if (xta_is(n, e->channel + 1, "["))
        channel->number = value_at(n, e->channel + 2, t->instance, &t->chosen);
    return channel->symbol != NULL;
}

/* Calls back with each edge of the instance and each value that can be selected. */
static void select_range(struct network *n, const struct taken *t, int range[2], int *name)
{
    range[0] = range[1] = *name = 0;
    if (!t->edge->select)
        return;
    *name = t->edge->select; /* "f : int[0,FROM_LANES-1]" */
    range[0] = value_at(n, t->edge->select + 4, t->instance, &(struct local){0});
    n->at++;
    range[1] = xta_expression(n);
}

struct sync {
    struct channel channel;
    const struct instance *sender;
    struct taken taken[8];
    int count;
};

/* Every instance from `next` on that can receive does, by any of its edges; then all are taken. */
static void receive(struct visit *v, int *state, struct sync *s, int next)
{
    struct network *n = v->network;
    for (; next < n->instance_count; next++) {
        const struct instance *i = &n->instances[next];
        bool any = false;
        for (int k = 0; k < i->template->edge_count && i != s->sender; k++) {
            struct taken t = {.instance = i, .edge = &i->template->edges[k]};
            struct channel channel;
            int range[2];
            if (t.edge->sends || state[i->base] != t.edge->from)
                continue;
            n->state = state;
            select_range(n, &t, range, &t.chosen.name);
            for (t.chosen.value = range[0]; t.chosen.value <= range[1]; t.chosen.value++) {
                if (!is_enabled(n, &t, state, &channel) || channel.symbol != s->channel.symbol ||
                    channel.number != s->channel.number)
                    continue;
                any = true;
                assert(s->count < 8);
                s->taken[s->count++] = t;
                receive(v, state, s, next + 1);
                s->count--;
            }
        }
        if (any)
            return;
    }
    int after[STATE];
    memcpy(after, state, v->width * sizeof *after);
    n->state = after;
    for (int i = 0; i < s->count; i++) {
        if (s->taken[i].edge->update)
            update(n, s->taken[i].edge->update, s->taken[i].instance, &s->taken[i].chosen);
        after[s->taken[i].instance->base] = s->taken[i].edge->to;
    }
    if (invariants_hold(n, after))
        visit(v, after);
}

static bool pass_time(struct visit *v, const int *state)
{
    struct network *n = v->network;
    int next[STATE];
    memcpy(next, state, v->width * sizeof *next);
    for (int i = 0; i < n->instance_count; i++)
        for (int k = 0; k < n->instances[i].template->symbol_count; k++) {
            const struct symbol *s = &n->instances[i].template->symbols[k];
            if (s->sort == CLOCK && next[n->instances[i].base + s->first] < n->most)
                next[n->instances[i].base + s->first]++;
        }
    if (!invariants_hold(n, next))
        return false;
    visit(v, next);
    return true;
}

static void go_on(struct visit *v, int *state)
{
    struct network *n = v->network;
    bool any = false, urgent = false;
    for (int i = 0; i < n->instance_count; i++) {
        const struct instance *self = &n->instances[i];
        int place = self->template->places[state[self->base]];
        if (self->latency && xta_is(n, place, "over"))
            return; /* what comes is another execution without a measurement */
        if (self->latency && !xta_is(n, place, "waiting")) {
            int y = state[self->base + self->template->symbols[0].first];
            n->answer->longest = y > n->answer->longest ? y : n->answer->longest;
        }
    }
    for (int i = 0; i < n->instance_count; i++)
        for (int k = 0; k < n->instances[i].template->edge_count; k++) {
            struct sync s = {.sender = &n->instances[i], .count = 1};
            s.taken[0] = (struct taken){.instance = s.sender, .edge = &s.sender->template->edges[k]};
            if (!s.taken[0].edge->sends || !is_enabled(n, &s.taken[0], state, &s.channel))
                continue;
            any = true;
            urgent |= s.channel.symbol->urgent;
            receive(v, state, &s, 0);
        }
    if (!urgent)
        any |= pass_time(v, state);
    n->answer->stuck |= !any;
}

void xta_explore(const char *text, int most, size_t limit, struct xta_answer *answer)
{
    struct network *n = calloc(1, sizeof *n);
    assert(n);
    *answer = (struct xta_answer){.longest = -1};
    n->answer = answer;
    n->most = most;
    n->at = n->token_count = 1; /* token 0: none */
    n->state = n->start;
    xta_split(n, text);
    xta_read(n);
    struct visit v = {.network = n, .width = (size_t)n->width, .limit = limit, .index_size = 1};
    while (v.index_size < 2 * limit)
        v.index_size *= 2;
    v.states = malloc(limit * v.width * sizeof *v.states);
    v.index = calloc(v.index_size, sizeof *v.index);
    assert(v.states && v.index);
    visit(&v, n->start);
    int state[STATE];
    for (size_t i = 0; i < v.count && !answer->complaint[0]; i++) {
        memcpy(state, v.states + i * v.width, v.width * sizeof *state);
        go_on(&v, state);
    }
    answer->states = v.count;
    answer->finished = v.count < limit;
    free(v.index);
    free(v.states);
    free(n);
}
