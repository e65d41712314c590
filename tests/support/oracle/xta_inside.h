/* SPDX-License-Identifier: Apache-2.0 */
/* Between the language of UPPAAL (xta_language.c) and the states of what is said in it (xta.c). */
#ifndef WEIR_TESTS_XTA_INSIDE_H
#define WEIR_TESTS_XTA_INSIDE_H

#include "support/oracle/xta.h"

#include <stdint.h>

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

/* ---- xta_language.c ---- */

/* Cuts a text into tokens; reads them, up to the system. */
void xta_split(struct network *network, const char *text);
void xta_read(struct network *network);

/* At network->at, for network->self: the value that stands there; what is done there. */
int xta_expression(struct network *network);
void xta_change(struct network *network);

bool xta_is(const struct network *network, int token, const char *word);
bool xta_accept(struct network *network, const char *word);
const struct symbol *xta_find(const struct network *network, const struct symbol *symbols, int count, int name);

#endif
