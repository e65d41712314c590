/* SPDX-License-Identifier: Apache-2.0 */
/* The text of a file, and where in it something stands. Columns count characters, not bytes. */
#ifndef WEIR_READ_TEXT_H
#define WEIR_READ_TEXT_H

#include "read/draft.h"

struct weir_file_text {
    const char *bytes; /* not terminated */
    size_t size;
    bool ascii;  /* every character is one byte */
    char *owned; /* to be freed; NULL: it is not ours */
};

/* A file that a model or an option names. From now on its mistakes are those of the draft, until the caller sets draft->file back
 * and frees text->owned. When it fails, why is reported. `what` is what such files have: "costs". */
enum weir_status weir_draft_read_text(struct weir_draft *draft, const char *path, uint64_t most, const char *what,
                                      struct weir_file_text *text);

/* Takes a byte order mark off, and reports what is not text: NUL and other control characters, bytes that are not UTF-8. False
 * then. */
bool weir_text_check(struct weir_draft *draft, struct weir_file_text *text);

/* Where the words stand first between the two; NULL: nowhere. */
const char *weir_text_find(const char *from, const char *end, const char *what);

/* Whether it can be a name: UTF-8 without control characters, not empty. */
bool weir_text_is_name(const char *bytes, size_t size);

enum weir_format { WEIR_FORMAT_NONE, WEIR_FORMAT_YAML, WEIR_FORMAT_DOT, WEIR_FORMAT_XML };
/* What the text looks like by its first words. WEIR_FORMAT_NONE: there is nothing but space and comments. */
enum weir_format weir_text_format(const struct weir_file_text *text);

/* Finds places fast when asked for ever later offsets of a text. Zero-initialise, then set text, line 1 and column 1. */
struct weir_cursor {
    const struct weir_file_text *text;
    size_t offset;
    uint32_t line, column; /* of offset */
};
/* The place of an offset. A line ends with a line feed, a carriage return, or both. Going back starts from the beginning. */
struct weir_place weir_cursor_place(struct weir_cursor *cursor, size_t offset);

/* ---- comma-separated values: a field in quotes may hold commas, line ends, and quotes that are written twice ---- */

#define WEIR_CSV_FIELDS_MAX 64

struct weir_csv_field {
    const char *text; /* without quotes and the space around it; terminated */
    struct weir_place place;
};

struct weir_csv {
    struct weir_draft *draft;
    const struct weir_file_text *text;
    struct weir_arena *arena;
    const char *expected; /* no field goes over several lines, and one that cannot be read is reported so; NULL: as it is wrong */
    struct weir_cursor cursor;
    size_t offset;
    struct weir_csv_field fields[WEIR_CSV_FIELDS_MAX];
    size_t count;
};

/* The next line that is neither empty nor a comment; false at the end, and after a mistake, which is reported. Zero-initialise,
 * then set draft, text and arena. */
bool weir_csv_next(struct weir_csv *csv);
/* The same, but goes on behind a line with a mistake. */
bool weir_csv_next_good(struct weir_csv *csv);

#endif
