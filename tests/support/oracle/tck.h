/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A model checker for the TChecker files that weir writes: visits every state of the network in whole ticks, which is enough where
 * clocks are compared with <= and >= to whole numbers. Knows the language from its documentation and weir not at all.
 */
#ifndef WEIR_TESTS_TCK_H
#define WEIR_TESTS_TCK_H

#include <stdbool.h>
#include <stddef.h>

struct tck_answer {
    bool finished; /* all states were visited */
    size_t states;
    bool late, reached;  /* the labels */
    bool overflow;       /* some step was not taken because a variable would have left its range */
    bool stuck;          /* in some state neither a step nor time is possible, and it has none of the labels */
    char complaint[200]; /* what the language does not allow; empty: nothing */
};
/* Gives up after `limit` states. */
void tck_explore(const char *text, size_t limit, struct tck_answer *answer);

#endif
