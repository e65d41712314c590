/* SPDX-License-Identifier: Apache-2.0 */
#include "support/xta.h"

#include <assert.h>
#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    TOKENS = 60000,
    SYMBOLS = 96,
    WORDS = 4096,
    TEMPLATES = 8,
    EDGES = 12,
    PLACES = 6,
    INSTANCES = 128,
    STATE = 1024,
    LOCALS = 24
};

struct token {
    const char *text;
    int length, value; /* value: of a number */
    char kind;         /* 'n', 'i', or the character; 0 at the end */
};

enum sort { CONSTANT, VARIABLE, CLOCK, CHANNEL, FUNCTION };

struct symbol {
    enum sort sort;
    int name;  /* a token */
    int first; /* into words, or into the state (of a template: from the instance's own on); of a function its first token */
    int low, high;
    bool urgent;
};

struct edge {
    int from, to, select, guard, channel, update; /* tokens; 0: none */
    bool sends;
};

struct template
{
    int name, parameters[8], parameter_count;
    struct symbol symbols[8];
    int symbol_count, size; /* words of the state */
    int places[PLACES], invariants[PLACES], place_count;
    struct edge edges[EDGES];
    int edge_count;
};

struct instance {
    const struct template *template;
    int arguments[8];
    int base; /* in the state: its location, then its own variables */
    bool latency;
};

struct local {
    int name, value;
};

struct network {
    struct token tokens[TOKENS];
    int token_count, at;
    struct symbol symbols[SYMBOLS];
    int symbol_count;
    int words[WORDS], word_count, start[STATE], width; /* start: the first state */
    struct template templates[TEMPLATES];
    int template_count;
    struct instance instances[INSTANCES];
    int instance_count;
    int *state, most;
    const struct instance *self;
    struct local locals[LOCALS];
    int local_count;
    struct xta_answer *answer;
};

static void complain(struct network *n, const char *what)
{
    const struct token *t = &n->tokens[n->at];
    if (!n->answer->complaint[0])
        snprintf(n->answer->complaint, sizeof n->answer->complaint, "%s at \"%.40s\"", what, t->text ? t->text : "");
}

/* ---- words of the language ---- */

static void split(struct network *n, const char *s)
{
    while (*s && n->token_count < TOKENS - 1) {
        if (isspace((unsigned char)*s)) {
            s++;
        } else if (s[0] == '/' && s[1] == '/') {
            s += strcspn(s, "\n");
        } else {
            struct token *t = &n->tokens[n->token_count++];
            *t = (struct token){.text = s, .kind = *s, .length = 1};
            if (isdigit((unsigned char)*s)) {
                char *end;
                t->value = (int)strtol(s, &end, 10);
                t->kind = 'n';
                t->length = (int)(end - s);
            } else if (isalpha((unsigned char)*s) || *s == '_') {
                t->kind = 'i';
                while (isalnum((unsigned char)s[t->length]) || s[t->length] == '_')
                    t->length++;
            } else if (strchr("=<>&+-", *s) &&
                       (s[1] == '=' || (s[1] == *s && *s != '=' && *s != '<' && *s != '>') || (s[0] == '-' && s[1] == '>'))) {
                t->length = 2;
            }
            s += t->length;
        }
    }
}

static bool is(const struct network *n, int token, const char *word)
{
    const struct token *t = &n->tokens[token];
    return t->kind && (size_t)t->length == strlen(word) && memcmp(t->text, word, (size_t)t->length) == 0;
}

static bool same(const struct network *n, int a, int b)
{
    return n->tokens[a].length == n->tokens[b].length &&
           memcmp(n->tokens[a].text, n->tokens[b].text, (size_t)n->tokens[a].length) == 0;
}

static bool accept(struct network *n, const char *word)
{
    if (!is(n, n->at, word))
        return false;
    n->at++;
    return true;
}

static void expect(struct network *n, const char *word)
{
    if (!accept(n, word))
        complain(n, word);
}

/* ---- values ---- */

static const struct symbol *find_in(const struct network *n, const struct symbol *symbols, int count, int name)
{
    for (int i = 0; i < count; i++)
        if (same(n, symbols[i].name, name))
            return &symbols[i];
    return NULL;
}

static int expression(struct network *n);
static int call(struct network *n, const struct symbol *function);

/* Where the variable or constant at hand is kept, with its index; NULL after a complaint. */
static int *place_of(struct network *n, const struct symbol **symbol)
{
    int name = n->at++, index = 0;
    int *words;
    *symbol = n->self ? find_in(n, n->self->template->symbols, n->self->template->symbol_count, name) : NULL;
    if (*symbol) {
        words = n->state + n->self->base;
    } else {
        *symbol = find_in(n, n->symbols, n->symbol_count, name);
        words = *symbol && (*symbol)->sort == CONSTANT ? n->words : n->state;
    }
    if (accept(n, "[")) {
        index = expression(n);
        expect(n, "]");
    }
    if (*symbol)
        return &words[(*symbol)->first + index];
    n->at = name;
    complain(n, "no such name");
    n->at++;
    return NULL;
}

static int primary(struct network *n)
{
    const struct token *t = &n->tokens[n->at];
    const struct symbol *symbol;
    if (accept(n, "(")) {
        int value = expression(n);
        expect(n, ")");
        return value;
    }
    if (accept(n, "-"))
        return -primary(n);
    if (t->kind == 'n')
        return n->tokens[n->at++].value;
    if (is(n, n->at, "true") || is(n, n->at, "false"))
        return is(n, n->at++, "true");
    for (int i = n->local_count - 1; i >= 0; i--)
        if (same(n, n->locals[i].name, n->at))
            return n->at++, n->locals[i].value;
    for (int i = 0; n->self && i < n->self->template->parameter_count; i++)
        if (same(n, n->self->template->parameters[i], n->at))
            return n->at++, n->self->arguments[i];
    symbol = find_in(n, n->symbols, n->symbol_count, n->at);
    if (symbol && symbol->sort == FUNCTION)
        return n->at++, call(n, symbol);
    int *place = t->kind == 'i' ? place_of(n, &symbol) : NULL;
    if (!place)
        complain(n, "expected a value");
    return place ? *place : 0;
}

static int product(struct network *n)
{
    int value = primary(n);
    while (accept(n, "%")) {
        int by = primary(n);
        value = by ? value % by : 0;
    }
    return value;
}

static int sum(struct network *n)
{
    int value = product(n);
    for (;;) {
        if (accept(n, "+"))
            value += product(n);
        else if (accept(n, "-"))
            value -= product(n);
        else
            return value;
    }
}

static int expression(struct network *n)
{
    int all = 1, value;
    bool one = true;
    do {
        value = sum(n);
        if (accept(n, "=="))
            value = value == sum(n);
        else if (accept(n, "<="))
            value = value <= sum(n);
        else if (accept(n, ">="))
            value = value >= sum(n);
        else if (accept(n, "<"))
            value = value < sum(n);
        else if (accept(n, ">"))
            value = value > sum(n);
        all = all && value;
    } while (accept(n, "&&") && !(one = false));
    return one ? value : all;
}

/* ---- statements ---- */

static void change(struct network *n)
{
    const struct symbol *symbol = find_in(n, n->symbols, n->symbol_count, n->at);
    if (symbol && symbol->sort == FUNCTION) {
        n->at++;
        call(n, symbol);
        return;
    }
    int *place = place_of(n, &symbol), value = place ? *place : 0;
    if (accept(n, "++"))
        value++;
    else if (accept(n, "--"))
        value--;
    else if (accept(n, "="))
        value = expression(n);
    else
        complain(n, "expected a change");
    if (!place)
        return;
    n->answer->overflow |= symbol->sort == VARIABLE && (value < symbol->low || value > symbol->high);
    *place = value;
}

static void skip_statement(struct network *n)
{
    if (accept(n, "for") || accept(n, "if")) {
        int depth = 0;
        do
            depth += is(n, n->at, "(") - is(n, n->at, ")");
        while (n->tokens[n->at++].kind && depth);
        skip_statement(n);
    } else {
        while (n->tokens[n->at].kind && !accept(n, ";"))
            n->at++;
    }
}

/* Returns whether the function returned, with its value. */
static bool statement(struct network *n, int *value)
{
    if (accept(n, "for")) {
        expect(n, "(");
        int name = n->at++;
        expect(n, ":");
        expect(n, "int");
        expect(n, "[");
        int low = expression(n);
        expect(n, ",");
        int high = expression(n);
        expect(n, "]");
        expect(n, ")");
        int body = n->at, locals = n->local_count;
        bool returned = false;
        n->locals[n->local_count++] = (struct local){name, low};
        for (int i = low; i <= high && !returned && !n->answer->complaint[0]; i++) {
            n->locals[locals].value = i;
            n->at = body;
            returned = statement(n, value);
        }
        n->local_count = locals;
        n->at = body;
        skip_statement(n);
        return returned;
    }
    if (accept(n, "if")) {
        expect(n, "(");
        int holds = expression(n);
        expect(n, ")");
        if (holds)
            return statement(n, value);
        skip_statement(n);
        return false;
    }
    if (accept(n, "return")) {
        *value = expression(n);
        return true;
    }
    change(n);
    expect(n, ";");
    return false;
}

/* At the arguments. */
static int call(struct network *n, const struct symbol *function)
{
    int locals = n->local_count, parameter = function->first, value = 0, arguments[4], count = 0;
    expect(n, "(");
    while (!accept(n, ")") && count < 4 && !n->answer->complaint[0]) {
        arguments[count++] = expression(n);
        accept(n, ",");
    }
    int back = n->at;
    for (int i = 0; i < count; i++) { /* "node n, int lane" */
        n->locals[n->local_count++] = (struct local){parameter + 1, arguments[i]};
        parameter += 3;
    }
    n->at = function->first;
    while (n->tokens[n->at].kind && !accept(n, "{"))
        n->at++;
    while (!is(n, n->at, "}") && !n->answer->complaint[0])
        if (statement(n, &value))
            break;
    n->at = back;
    n->local_count = locals;
    return value;
}

/* ---- reading ---- */

static void skip_to(struct network *n, const char *word)
{
    while (n->tokens[n->at].kind && !accept(n, word))
        n->at++;
}

/* Behind its type, which may have a range. `own`: of a template, or NULL. */
static void declare(struct network *n, struct template *own, bool constant, const int *range)
{
    struct symbol s = {.sort = constant ? CONSTANT : VARIABLE, .name = n->at++, .low = range[0], .high = range[1]};
    int count = 1, *size = own ? &own->size : constant ? &n->word_count : &n->width;
    int *words = constant ? n->words : n->start;
    if (is(n, n->at, "(")) {
        s.sort = FUNCTION;
        s.first = n->at + 1;
        skip_to(n, "{");
        for (int depth = 1; depth && n->tokens[n->at].kind; n->at++)
            depth += is(n, n->at, "{") - is(n, n->at, "}");
    } else {
        if (accept(n, "[")) {
            count = expression(n);
            expect(n, "]");
        }
        s.first = *size;
        *size += count;
        if (accept(n, "=") && !own) {
            bool list = accept(n, "{");
            for (int i = 0; i < count && s.first + i < (constant ? WORDS : STATE); i++) {
                words[s.first + i] = expression(n);
                accept(n, ",");
            }
            if (list)
                expect(n, "}");
        }
        skip_to(n, ";");
    }
    struct symbol *symbols = own ? own->symbols : n->symbols;
    int *symbol_count = own ? &own->symbol_count : &n->symbol_count;
    assert(*symbol_count < (own ? 8 : SYMBOLS));
    symbols[(*symbol_count)++] = s;
}

static void read_declaration(struct network *n, struct template *own)
{
    int range[2] = {-1000000000, 1000000000};
    bool urgent = accept(n, "urgent"), channel = accept(n, "broadcast"), constant = accept(n, "const");
    if (accept(n, "typedef")) {
        skip_to(n, ";");
        return;
    }
    bool clock = is(n, n->at, "clock");
    n->at++; /* the type */
    if (!channel && accept(n, "[")) {
        range[0] = expression(n);
        expect(n, ",");
        range[1] = expression(n);
        expect(n, "]");
    }
    if (channel) {
        n->symbols[n->symbol_count++] = (struct symbol){.sort = CHANNEL, .name = n->at, .urgent = urgent};
        skip_to(n, ";");
        return;
    }
    declare(n, own, constant, range);
    if (clock && own)
        own->symbols[own->symbol_count - 1].sort = CLOCK;
}

static void read_edge(struct network *n, struct template *t)
{
    struct edge e = {0};
    for (int i = 0; i < t->place_count; i++)
        e.from = same(n, t->places[i], n->at) ? i : e.from;
    n->at++;
    expect(n, "->");
    for (int i = 0; i < t->place_count; i++)
        e.to = same(n, t->places[i], n->at) ? i : e.to;
    n->at++;
    expect(n, "{");
    while (n->tokens[n->at].kind && !accept(n, "}")) {
        int *part = accept(n, "select") ? &e.select : accept(n, "guard") ? &e.guard : accept(n, "sync") ? &e.channel : &e.update;
        if (part == &e.update)
            expect(n, "assign");
        *part = n->at;
        skip_to(n, ";");
        if (part == &e.channel)
            e.sends = is(n, n->at - 2, "!");
    }
    assert(t->edge_count < EDGES);
    t->edges[t->edge_count++] = e;
}

static void read_template(struct network *n)
{
    assert(n->template_count < TEMPLATES);
    struct template *t = &n->templates[n->template_count++];
    *t = (struct template){.name = n->at++, .size = 1};
    expect(n, "(");
    while (!accept(n, ")") && n->tokens[n->at].kind) {
        while (!is(n, n->at + 1, ",") && !is(n, n->at + 1, ")"))
            n->at++;
        t->parameters[t->parameter_count++] = n->at++;
        accept(n, ",");
    }
    expect(n, "{");
    while (!accept(n, "state") && !n->answer->complaint[0] && n->tokens[n->at].kind)
        read_declaration(n, t);
    do {
        t->places[t->place_count] = n->at++;
        if (accept(n, "{")) {
            t->invariants[t->place_count] = n->at;
            skip_to(n, "}");
        }
        t->place_count++;
    } while (accept(n, ","));
    expect(n, ";");
    skip_to(n, ";"); /* the first location is the initial one */
    expect(n, "trans");
    do
        read_edge(n, t);
    while (accept(n, ","));
    expect(n, ";");
    expect(n, "}");
}

static void read_instance(struct network *n)
{
    assert(n->instance_count < INSTANCES);
    struct instance *i = &n->instances[n->instance_count++];
    *i = (struct instance){.latency = is(n, n->at, "Latency"), .base = n->width};
    n->at++;
    expect(n, "=");
    for (int k = 0; k < n->template_count; k++)
        if (same(n, n->templates[k].name, n->at))
            i->template = &n->templates[k];
    if (!i->template)
        complain(n, "no such template");
    n->at++;
    expect(n, "(");
    for (int k = 0; !accept(n, ")") && k < 8 && !n->answer->complaint[0]; k++) {
        i->arguments[k] = expression(n);
        n->most = i->arguments[k] >= n->most ? i->arguments[k] + 1 : n->most;
        accept(n, ",");
    }
    expect(n, ";");
    n->width += i->template ? i->template->size : 0;
    assert(n->width <= STATE);
}

static void read_network(struct network *n)
{
    while (n->tokens[n->at].kind && !accept(n, "system") && !n->answer->complaint[0]) {
        if (accept(n, "process"))
            read_template(n);
        else if (is(n, n->at + 1, "="))
            read_instance(n);
        else
            read_declaration(n, NULL);
    }
}

/* ---- states ---- */

struct visit {
    struct network *network;
    int *states;
    size_t count, limit, width;
    uint32_t *index;
    size_t index_size;
};

static void visit(struct visit *v, const int *state)
{
    uint64_t h = 0;
    for (size_t i = 0; i < v->width; i++)
        h = (h ^ (uint32_t)state[i]) * UINT64_C(0x9e3779b97f4a7c15), h ^= h >> 29;
    size_t slot = h & (v->index_size - 1);
    for (; v->index[slot]; slot = (slot + 1) & (v->index_size - 1))
        if (memcmp(v->states + (v->index[slot] - 1) * v->width, state, v->width * sizeof *state) == 0)
            return;
    if (v->count == v->limit)
        return;
    memcpy(v->states + v->count++ * v->width, state, v->width * sizeof *state);
    v->index[slot] = (uint32_t)v->count;
}

/* Evaluates at a token, or does what stands there, for an instance with a selected value. */
static int value_at(struct network *n, int token, const struct instance *self, const struct local *chosen)
{
    n->self = self;
    n->local_count = 0;
    if (chosen->name)
        n->locals[n->local_count++] = *chosen;
    n->at = token;
    return expression(n);
}

static void update(struct network *n, int token, const struct instance *self, const struct local *chosen)
{
    n->self = self;
    n->local_count = 0;
    if (chosen->name)
        n->locals[n->local_count++] = *chosen;
    n->at = token;
    do
        change(n);
    while (token && accept(n, ","));
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
    channel->symbol = find_in(n, n->symbols, n->symbol_count, e->channel);
    channel->number = 0;
    if (is(n, e->channel + 1, "["))
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
    range[1] = expression(n);
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
        if (self->latency && is(n, place, "over"))
            return; /* what comes is another execution without a measurement */
        if (self->latency && !is(n, place, "waiting")) {
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
    split(n, text);
    read_network(n);
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
