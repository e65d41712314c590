/* SPDX-License-Identifier: Apache-2.0 */
/* Between the verb `analyze` and what it prints. */
#ifndef WEIR_CLI_ANALYZE_H
#define WEIR_CLI_ANALYZE_H

#include "cli.h"

/* ---- how the worst case happens (story.c) ---- */

/* Times count from the event that the latency is measured from. */
struct weir_story_line {
    const struct weir_step *step, *before; /* before: the step it waits for; NULL for the first */
    int64_t iteration, before_iteration;   /* which execution of its operator */
    int64_t round, before_round;           /* ... in which iteration of the pipeline: the same, unless it has several in each */
    int64_t start, end;                    /* end: when it lets the next line start */
    /* Where step is NULL: the `steps` lines ahead happen `times` times more, each time `iterations` of the pipeline later. */
    size_t steps;
    int64_t times, iterations;
};

struct weir_story {
    struct weir_story_line *lines;
    size_t count;
};

/* Tells the witness from its beginning to its end. What repeats becomes one line unless `all`. False when out of memory, or
 * when its times cannot be counted. */
bool weir_story_tell(const struct weir_pipeline *pipeline, const struct weir_witness *witness, bool all, struct weir_story *story);
void weir_story_free(struct weir_story *story);
/* Which execution of the operator that is, in that iteration of the pipeline. */
int64_t weir_story_execution(const struct weir_pipeline *pipeline, struct weir_operator op, int64_t round, uint32_t turn);
/* The operator whose executions hold the measured message up the longest, and for how long. False when none does. */
bool weir_story_culprit(const struct weir_pipeline *pipeline, const struct weir_story *story, struct weir_operator *op,
                        int64_t *time);

/* ---- the block of a model (print.c, path.c) ---- */

struct weir_view {
    const struct weir_analysis *analysis;
    const struct weir_pipeline *pipeline;
    const char *title;
    bool full; /* everything, however long */
    bool verified;
    const struct weir_latency *told; /* why it has no bound stands in the first line; NULL: of none */
};

/* False, with the message printed, when out of memory. */
bool weir_view_print(const struct weir_view *view);
/* The critical path of one latency that has a witness. */
void weir_view_print_path(const struct weir_view *view, const struct weir_latency *latency);

/* ---- one latency (latency.c) ---- */

/* The more urgent the larger. */
enum weir_verdict {
    WEIR_VERDICT_FINE,
    WEIR_VERDICT_UNDECIDED, /* a limit was reached, and what is known does not decide the deadline or is no exact answer */
    WEIR_VERDICT_MISSED,
    WEIR_VERDICT_NO_BOUND,
};
enum weir_verdict weir_latency_verdict(const struct weir_latency *latency);
/* What a latency alone makes of the exit status. */
enum weir_exit weir_latency_exit(const struct weir_latency *latency);
/* Negative when a is to be told of before b: the more urgent first, then the later. */
int weir_latency_compare(const struct weir_latency *a, const struct weir_latency *b);
/* The lines of some latencies, aligned. False, with the message printed, when out of memory. */
bool weir_latencies_print(const struct weir_view *view, const struct weir_latency *const *latencies, size_t count);

/* ---- times on the command line (analyze.c) ---- */

/* The text of an option as a number of this model's ticks, at least `least`: 0 for deadlines, 1 for limits. */
bool weir_time_option(const struct weir_pipeline *pipeline, const char *text, int64_t least, int64_t *ticks,
                      struct weir_error *error);

/* ---- text (text.c) ---- */

/* "880 us"; the dimensionless unit has no name. */
#define WEIR_AMOUNT_TEXT (WEIR_TIME_TEXT + 8)
const char *weir_amount_format(const struct weir_pipeline *pipeline, int64_t ticks, char text[WEIR_AMOUNT_TEXT]);
/* "880 us", "no bound", "800 to 900 us". negated: the separation is that of the negated time, as that of a best case is.
 * Returns text, or a constant. */
#define WEIR_RANGE_TEXT (2 * WEIR_AMOUNT_TEXT)
const char *weir_range_format(const struct weir_pipeline *pipeline, const struct weir_separation *separation, bool negated,
                              char text[WEIR_RANGE_TEXT]);
/* Columns that a name takes on the terminal: its characters. */
size_t weir_text_columns(const char *text);
/* Prints text in exactly so many columns, at least 3: filled up with spaces, or cut short. */
void weir_print_padded(const char *text, size_t columns);

#endif
