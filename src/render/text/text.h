/* SPDX-License-Identifier: Apache-2.0 */
/* What people read: numbers, padded names, tables, the critical path. The program and the library share it. */
#ifndef WEIR_RENDER_TEXT_TEXT_H
#define WEIR_RENDER_TEXT_TEXT_H

#include "answer/number.h"

/* Escape sequences, or empty strings. */
struct weir_style {
    const char *bold, *dim, *good, *bad, *plain;
};
extern const struct weir_style weir_style_color, weir_style_none;

/* Where text goes. */
struct weir_text {
    FILE *out;
    const struct weir_pipeline *pipeline;
    const struct weir_style *style;
    bool full;        /* everything, however long */
    unsigned columns; /* of the terminal; 0: there is none, and nothing is narrowed */
};

/* ---- padded text (text.c) ---- */

/* "880 us", "no bound", "800 to 900 us". Returns text, or a constant. */
#define WEIR_RANGE_TEXT (2 * WEIR_AMOUNT_TEXT)
const char *weir_quantity_format(const struct weir_pipeline *pipeline, const struct weir_quantity *quantity,
                                 char text[WEIR_RANGE_TEXT]);
/* "594 operators, the slowest infer with 880 us": of a list of names. Returns text. */
const char *weir_text_many(const struct weir_pipeline *pipeline, const struct weir_datum *names, char *text, size_t size);
/* Columns that a name takes on the terminal: its characters. */
size_t weir_text_columns(const char *text);
/* Prints text in exactly so many columns, at least 3: filled up with spaces, or cut short. */
void weir_text_padded(FILE *out, const char *text, size_t columns);
void weir_text_spaces(FILE *out, size_t count);

/* Words in as many lines as they take, each indented: by as much more as the text has spaces before them. A newline begins another.
 */
void weir_text_words(const struct weir_text *text, const char *words, size_t indent);
/* How wide sentences are: as the terminal; 110 without one. */
size_t weir_text_width(const struct weir_text *text);
/* Lines that are longer than the terminal is wide, in several, whole words each. Escape sequences take no room. */
void weir_text_wrapped(FILE *out, const char *text, size_t width);

/* ---- tables (table.c) ---- */

struct weir_text_column {
    size_t width, least; /* least: its longest word */
    bool shown, right;
};
size_t weir_text_longest_word(const char *text);
/* Narrows the widest columns up to `last`, as far as their words allow, until the table is as wide as the terminal. */
void weir_text_fit(const struct weir_text *text, struct weir_text_column *columns, size_t last);
/* Contents of `count` columns in as many lines as they take: one, where the table is not narrowed. They are moved on to their ends.
 */
void weir_text_line(const struct weir_text *text, const struct weir_text_column *columns, const char **contents, size_t count);

/* What a cell shows: times in the model's unit without its name, shares as percentages. Returns buffer, or a constant. */
#define WEIR_CELL_ROOM 64
const char *weir_text_cell(const struct weir_pipeline *pipeline, const struct weir_datum *value, char buffer[WEIR_CELL_ROOM]);
bool weir_text_is_number(const struct weir_datum *value); /* stands to the right */
/* Whether a column is for people, and something of it is known in so many rows. */
bool weir_text_is_shown(const struct weir_table *table, size_t column, size_t rows);
bool weir_text_has_times(const struct weir_table *table); /* whose unit the title tells */
/* The column whose cells, one after the other, are all that is shown; as many as there are columns where it is a table. */
size_t weir_text_list_of(const struct weir_table *table);
/* Title, head, rows, note; a list is written in the last column only, in as many lines as it takes. Without `full` only the first
 * 40 rows, and how many are left. */
void weir_text_table(const struct weir_text *text, const struct weir_table *table);

/* ---- what was observed (observed.c) ---- */

/* One bound with its distribution and histogram; and an answer of such bounds, as a simulation gives. */
void weir_text_observed(const struct weir_text *text, const struct weir_bound *bound);
void weir_text_simulation(const struct weir_text *text, const struct weir_answer *answer, const char *title);

/* ---- how the worst case happens (critical_path.c, path.c) ---- */

/* Times count from the event that the latency is measured from. */
struct weir_critical_path_line {
    const struct weir_step *step, *before; /* before: the step it waits for; NULL for the first */
    int64_t iteration, before_iteration;   /* which execution of its operator */
    int64_t round, before_round;           /* ... in which iteration of the pipeline: the same, unless it has several in each */
    int64_t start, end;                    /* end: when it lets the next line start */
    /* Where step is NULL: the `steps` lines ahead happen `times` times more, each time `iterations` of the pipeline later. */
    size_t steps;
    int64_t times, iterations;
};

struct weir_critical_path {
    struct weir_critical_path_line *lines;
    size_t count;
};

/* Tells the witness from its beginning to its end. What repeats becomes one line unless `all`. WEIR_OVERFLOW: its times cannot be
 * counted. */
enum weir_status weir_critical_path_make(const struct weir_pipeline *pipeline, const struct weir_witness *witness, bool all,
                                         struct weir_critical_path *critical);
void weir_critical_path_free(struct weir_critical_path *critical);
/* Which execution of the operator that is, in that iteration of the pipeline. */
int64_t weir_critical_path_execution(const struct weir_pipeline *pipeline, struct weir_operator op, int64_t round, uint32_t firing);
/* The operator whose executions hold the measured message up the longest, and for how long: 0 when none does. */
enum weir_status weir_critical_path_dominant(const struct weir_pipeline *pipeline, const struct weir_critical_path *critical,
                                             struct weir_operator *op, int64_t *time);

/* The critical path of a bound that has a witness. */
enum weir_status weir_text_path(const struct weir_text *text, const struct weir_bound *bound);

#endif
