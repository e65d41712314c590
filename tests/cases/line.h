/* SPDX-License-Identifier: Apache-2.0 */
/* One expectation of a model ("# expect: ..."), cut into words. Each function fails the test when the line is not as it should be.
 */
#ifndef WEIR_TESTS_CASE_LINE_H
#define WEIR_TESTS_CASE_LINE_H

#include "weir.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { LINE_MAX_BYTES = 512, LINE_WORDS_MAX = 32 };

struct line {
    const char *file;
    int number;
    char text[LINE_MAX_BYTES];
    char *word[LINE_WORDS_MAX];
    int count;
};

#define COMPLAIN(line, ...)                                                                                                        \
    do {                                                                                                                           \
        print_error("%s:%d: ", (line)->file, (line)->number);                                                                      \
        print_error(__VA_ARGS__);                                                                                                  \
        print_error("\n");                                                                                                         \
        fail();                                                                                                                    \
    } while (0)

/* Calls check for every expectation of the file. */
void lines_check(const char *name, const char *path, void (*check)(const struct line *line, void *context), void *context);

/* Fails where an expectation of one of so many latencies is missing; in the order of the pipeline. */
void lines_expect_all(const char *name, const struct weir_pipeline *pipeline, const bool *spoken_of, size_t count);

/* Both: *spoken_of has room for the latencies, of which `check` marks those with an expectation; it is freed afterwards. */
void lines_check_latencies(const char *name, const char *path, const struct weir_pipeline *pipeline,
                           void (*check)(const struct line *line, void *context), void *context, bool **spoken_of);

const char *line_word(const struct line *line, int index);
bool line_says(const struct line *line, int index, const char *word);
/* Word `index` as a time of the pipeline, compared with what was found; the word before it says what it is. */
int64_t line_time(const struct line *line, const struct weir_pipeline *pipeline, int index);
void line_compare_time(const struct line *line, const struct weir_pipeline *pipeline, int index, int64_t found);
/* Word `index`: a time, or with a denominator ("1640/9") a fraction of the model's unit; in ticks. */
struct weir_ratio line_ratio(const struct line *line, const struct weir_pipeline *pipeline, int index);
void line_compare_ratio(const struct line *line, struct weir_ratio expected, struct weir_ratio found);
/* Word `index` as the name of an operator. */
struct weir_operator line_operator(const struct line *line, const struct weir_pipeline *pipeline, int index);
/* FROM -> TO [offset N], beginning at word `first`: the number of that latency, and in *next the word behind it. */
uint32_t line_chain(const struct line *line, const struct weir_pipeline *pipeline, int first, int *next);
/* deadline FROM -> TO STATE: what weir decides about it. */
void line_deadline(const struct line *line, const struct weir_pipeline *pipeline);

#endif
