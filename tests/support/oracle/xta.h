/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A model checker for the textual UPPAAL files that weir writes, as tck.h is for those of TChecker: visits every state in whole
 * ticks. Knows the language (functions, arrays, templates, broadcast and urgent channels, selections) and weir not at all, but that
 * the automaton Latency measures with its clock y until it is over.
 */
#ifndef WEIR_TESTS_XTA_H
#define WEIR_TESTS_XTA_H

#include <stdbool.h>
#include <stddef.h>

struct xta_answer {
    bool finished; /* all states were visited */
    size_t states;
    int longest;         /* the largest y while something is measured; -1: nothing is */
    bool overflow;       /* a variable left its range */
    bool stuck;          /* in some state neither a step nor time is possible */
    char complaint[200]; /* what is not understood; empty: nothing */
};
/* Gives up after `limit` states. Clocks count to `most`, or what they are compared with, and no further. */
void xta_explore(const char *text, int most, size_t limit, struct xta_answer *answer);

#endif
