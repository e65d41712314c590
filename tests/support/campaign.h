/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The program around a property: it tries seeds one after the other, in as many processes as there are cores, and adds up what
 * they saw.
 *
 *     PROGRAM [COUNT [SEED [EFFORT]]]      tries COUNT seeds from SEED (1) on; exit status 1 on a contradiction, or when too little
 * was seen. With an effort above 1, properties that look for late executions look so much longer PROGRAM show SEED whatever `show`
 * makes of one seed
 */
#ifndef WEIR_TESTS_CAMPAIGN_H
#define WEIR_TESTS_CAMPAIGN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct weir_pipeline;

/* A tally goes through a pipe, and is all zero before the first seed: counts (uint64_t), then sums (double). */
struct campaign {
    /* False, after it printed why, on a contradiction: its process then tries no further seed, and its tally is lost. */
    bool (*try_seed)(uint64_t seed, void *tally);
    void (*print)(const void *sum);
    /* Whether the campaign saw what it is for. Called after `print`, unless there was a contradiction. */
    bool (*saw_enough)(const void *sum, uint64_t count);
    size_t tally_size;                       /* at most PIPE_BUF */
    size_t doubles;                          /* where in a tally the sums begin; 0: all of it are counts */
    void (*add)(void *sum, const void *one); /* NULL: campaign_add */
    bool print_always;                       /* `print` is called even after a contradiction, with what the other processes saw */
    int (*show)(uint64_t seed);              /* returns the exit status; NULL: the pipeline of the seed is written as YAML */
    struct weir_pipeline *(*pipeline_of)(uint64_t seed); /* caller frees; NULL: there is none */
    /* A seed that takes more than so many seconds of CPU time is a contradiction; 0: it may take any time. */
    unsigned seconds;
    const char *late[2]; /* what is then printed before and after the seed */
};

/* What a program of a property defines; main is here. */
extern const struct campaign campaign;

/* From the command line, 1 to 1000. */
extern uint64_t campaign_effort;

/* Adds all counts and sums. */
void campaign_add(void *sum, const void *one);

#endif
