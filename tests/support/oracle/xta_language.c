/* SPDX-License-Identifier: Apache-2.0 */
#include "support/oracle/xta_inside.h"

#include <assert.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void complain(struct network *n, const char *what)
{
    const struct token *t = &n->tokens[n->at];
    if (!n->answer->complaint[0])
        snprintf(n->answer->complaint, sizeof n->answer->complaint, "%s at \"%.40s\"", what, t->text ? t->text : "");
}

/* ---- words of the language ---- */

void xta_split(struct network *n, const char *s)
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

bool xta_is(const struct network *n, int token, const char *word)
{
    const struct token *t = &n->tokens[token];
    return t->kind && (size_t)t->length == strlen(word) && memcmp(t->text, word, (size_t)t->length) == 0;
}

static bool same(const struct network *n, int a, int b)
{
    return n->tokens[a].length == n->tokens[b].length &&
           memcmp(n->tokens[a].text, n->tokens[b].text, (size_t)n->tokens[a].length) == 0;
}

bool xta_accept(struct network *n, const char *word)
{
    if (!xta_is(n, n->at, word))
        return false;
    n->at++;
    return true;
}

static void expect(struct network *n, const char *word)
{
    if (!xta_accept(n, word))
        complain(n, word);
}

/* ---- values ---- */

const struct symbol *xta_find(const struct network *n, const struct symbol *symbols, int count, int name)
{
    for (int i = 0; i < count; i++)
        if (same(n, symbols[i].name, name))
            return &symbols[i];
    return NULL;
}

static int call(struct network *n, const struct symbol *function);

/* Where the variable or constant at hand is kept, with its index; NULL after a complaint. */
static int *place_of(struct network *n, const struct symbol **symbol)
{
    int name = n->at++, index = 0;
    int *words;
    *symbol = n->self ? xta_find(n, n->self->template->symbols, n->self->template->symbol_count, name) : NULL;
    if (*symbol) {
        words = n->state + n->self->base;
    } else {
        *symbol = xta_find(n, n->symbols, n->symbol_count, name);
        words = *symbol && (*symbol)->sort == CONSTANT ? n->words : n->state;
    }
    if (xta_accept(n, "[")) {
        index = xta_expression(n);
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
    if (xta_accept(n, "(")) {
        int value = xta_expression(n);
        expect(n, ")");
        return value;
    }
    if (xta_accept(n, "-"))
        return -primary(n);
    if (t->kind == 'n')
        return n->tokens[n->at++].value;
    if (xta_is(n, n->at, "true") || xta_is(n, n->at, "false"))
        return xta_is(n, n->at++, "true");
    for (int i = n->local_count - 1; i >= 0; i--)
        if (same(n, n->locals[i].name, n->at))
            return n->at++, n->locals[i].value;
    for (int i = 0; n->self && i < n->self->template->parameter_count; i++)
        if (same(n, n->self->template->parameters[i], n->at))
            return n->at++, n->self->arguments[i];
    symbol = xta_find(n, n->symbols, n->symbol_count, n->at);
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
    while (xta_accept(n, "%")) {
        int by = primary(n);
        value = by ? value % by : 0;
    }
    return value;
}

static int sum(struct network *n)
{
    int value = product(n);
    for (;;) {
        if (xta_accept(n, "+"))
            value += product(n);
        else if (xta_accept(n, "-"))
            value -= product(n);
        else
            return value;
    }
}

int xta_expression(struct network *n)
{
    int all = 1, value;
    bool one = true;
    do {
        value = sum(n);
        if (xta_accept(n, "=="))
            value = value == sum(n);
        else if (xta_accept(n, "<="))
            value = value <= sum(n);
        else if (xta_accept(n, ">="))
            value = value >= sum(n);
        else if (xta_accept(n, "<"))
            value = value < sum(n);
        else if (xta_accept(n, ">"))
            value = value > sum(n);
        all = all && value;
    } while (xta_accept(n, "&&") && !(one = false));
    return one ? value : all;
}

/* ---- statements ---- */

void xta_change(struct network *n)
{
    const struct symbol *symbol = xta_find(n, n->symbols, n->symbol_count, n->at);
    if (symbol && symbol->sort == FUNCTION) {
        n->at++;
        call(n, symbol);
        return;
    }
    int *place = place_of(n, &symbol), value = place ? *place : 0;
    if (xta_accept(n, "++"))
        value++;
    else if (xta_accept(n, "--"))
        value--;
    else if (xta_accept(n, "="))
        value = xta_expression(n);
    else
        complain(n, "expected a change");
    if (!place)
        return;
    n->answer->overflow |= symbol->sort == VARIABLE && (value < symbol->low || value > symbol->high);
    *place = value;
}

static void skip_statement(struct network *n)
{
    if (xta_accept(n, "for") || xta_accept(n, "if")) {
        int depth = 0;
        do
            depth += xta_is(n, n->at, "(") - xta_is(n, n->at, ")");
        while (n->tokens[n->at++].kind && depth);
        skip_statement(n);
    } else {
        while (n->tokens[n->at].kind && !xta_accept(n, ";"))
            n->at++;
    }
}

/* Returns whether the function returned, with its value. */
static bool statement(struct network *n, int *value)
{
    if (xta_accept(n, "for")) {
        expect(n, "(");
        int name = n->at++;
        expect(n, ":");
        expect(n, "int");
        expect(n, "[");
        int low = xta_expression(n);
        expect(n, ",");
        int high = xta_expression(n);
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
    if (xta_accept(n, "if")) {
        expect(n, "(");
        int holds = xta_expression(n);
        expect(n, ")");
        if (holds)
            return statement(n, value);
        skip_statement(n);
        return false;
    }
    if (xta_accept(n, "return")) {
        *value = xta_expression(n);
        return true;
    }
    xta_change(n);
    expect(n, ";");
    return false;
}

/* At the arguments. */
static int call(struct network *n, const struct symbol *function)
{
    int locals = n->local_count, parameter = function->first, value = 0, arguments[4], count = 0;
    expect(n, "(");
    while (!xta_accept(n, ")") && count < 4 && !n->answer->complaint[0]) {
        arguments[count++] = xta_expression(n);
        xta_accept(n, ",");
    }
    int back = n->at;
    for (int i = 0; i < count; i++) { /* "node n, int lane" */
        n->locals[n->local_count++] = (struct local){parameter + 1, arguments[i]};
        parameter += 3;
    }
    n->at = function->first;
    while (n->tokens[n->at].kind && !xta_accept(n, "{"))
        n->at++;
    while (!xta_is(n, n->at, "}") && !n->answer->complaint[0])
        if (statement(n, &value))
            break;
    n->at = back;
    n->local_count = locals;
    return value;
}

/* ---- reading ---- */

static void skip_to(struct network *n, const char *word)
{
    while (n->tokens[n->at].kind && !xta_accept(n, word))
        n->at++;
}

/* Behind its type, which may have a range. `own`: of a template, or NULL. */
static void declare(struct network *n, struct template *own, bool constant, const int *range)
{
    struct symbol s = {.sort = constant ? CONSTANT : VARIABLE, .name = n->at++, .low = range[0], .high = range[1]};
    int count = 1, *size = own ? &own->size : constant ? &n->word_count : &n->width;
    int *words = constant ? n->words : n->start;
    if (xta_is(n, n->at, "(")) {
        s.sort = FUNCTION;
        s.first = n->at + 1;
        skip_to(n, "{");
        for (int depth = 1; depth && n->tokens[n->at].kind; n->at++)
            depth += xta_is(n, n->at, "{") - xta_is(n, n->at, "}");
    } else {
        if (xta_accept(n, "[")) {
            count = xta_expression(n);
            expect(n, "]");
        }
        s.first = *size;
        *size += count;
        if (xta_accept(n, "=") && !own) {
            bool list = xta_accept(n, "{");
            for (int i = 0; i < count && s.first + i < (constant ? WORDS : STATE); i++) {
                words[s.first + i] = xta_expression(n);
                xta_accept(n, ",");
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
    bool urgent = xta_accept(n, "urgent"), channel = xta_accept(n, "broadcast"), constant = xta_accept(n, "const");
    if (xta_accept(n, "typedef")) {
        skip_to(n, ";");
        return;
    }
    bool clock = xta_is(n, n->at, "clock");
    n->at++; /* the type */
    if (!channel && xta_accept(n, "[")) {
        range[0] = xta_expression(n);
        expect(n, ",");
        range[1] = xta_expression(n);
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
    while (n->tokens[n->at].kind && !xta_accept(n, "}")) {
        int *part = xta_accept(n, "select")  ? &e.select
                    : xta_accept(n, "guard") ? &e.guard
                    : xta_accept(n, "sync")  ? &e.channel
                                             : &e.update;
        if (part == &e.update)
            expect(n, "assign");
        *part = n->at;
        skip_to(n, ";");
        if (part == &e.channel)
            e.sends = xta_is(n, n->at - 2, "!");
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
    while (!xta_accept(n, ")") && n->tokens[n->at].kind) {
        while (!xta_is(n, n->at + 1, ",") && !xta_is(n, n->at + 1, ")"))
            n->at++;
        t->parameters[t->parameter_count++] = n->at++;
        xta_accept(n, ",");
    }
    expect(n, "{");
    while (!xta_accept(n, "state") && !n->answer->complaint[0] && n->tokens[n->at].kind)
        read_declaration(n, t);
    do {
        t->places[t->place_count] = n->at++;
        if (xta_accept(n, "{")) {
            t->invariants[t->place_count] = n->at;
            skip_to(n, "}");
        }
        t->place_count++;
    } while (xta_accept(n, ","));
    expect(n, ";");
    skip_to(n, ";"); /* the first location is the initial one */
    expect(n, "trans");
    do
        read_edge(n, t);
    while (xta_accept(n, ","));
    expect(n, ";");
    expect(n, "}");
}

static void read_instance(struct network *n)
{
    assert(n->instance_count < INSTANCES);
    struct instance *i = &n->instances[n->instance_count++];
    *i = (struct instance){.latency = xta_is(n, n->at, "Latency"), .base = n->width};
    n->at++;
    expect(n, "=");
    for (int k = 0; k < n->template_count; k++)
        if (same(n, n->templates[k].name, n->at))
            i->template = &n->templates[k];
    if (!i->template)
        complain(n, "no such template");
    n->at++;
    expect(n, "(");
    for (int k = 0; !xta_accept(n, ")") && k < 8 && !n->answer->complaint[0]; k++) {
        i->arguments[k] = xta_expression(n);
        n->most = i->arguments[k] >= n->most ? i->arguments[k] + 1 : n->most;
        xta_accept(n, ",");
    }
    expect(n, ";");
    n->width += i->template ? i->template->size : 0;
    assert(n->width <= STATE);
}

void xta_read(struct network *n)
{
    while (n->tokens[n->at].kind && !xta_accept(n, "system") && !n->answer->complaint[0]) {
        if (xta_accept(n, "process"))
            read_template(n);
        else if (xta_is(n, n->at + 1, "="))
            read_instance(n);
        else
            read_declaration(n, NULL);
    }
}
