/* SPDX-License-Identifier: Apache-2.0 */
/* The text of a file, and where in it something stands. Columns count characters, not bytes. */
#ifndef WEIR_READ_TEXT_H
#define WEIR_READ_TEXT_H

#include "read/draft.h"

struct weir_text {
    const char *bytes; /* not terminated */
    size_t size;
    bool ascii; /* every character is one byte */
};

/* Takes a byte order mark off, and reports what is not text: NUL and other control characters, bytes that are not UTF-8. False
 * then. */
bool weir_text_check(struct weir_draft *draft, struct weir_text *text);

/* Whether it can be a name: UTF-8 without control characters, not empty. */
bool weir_text_is_name(const char *bytes, size_t size);

enum weir_format { WEIR_FORMAT_NONE, WEIR_FORMAT_YAML, WEIR_FORMAT_DOT, WEIR_FORMAT_XML };
/* What the text looks like by its first words. WEIR_FORMAT_NONE: there is nothing but space and comments. */
enum weir_format weir_text_format(const struct weir_text *text);

/* Finds places fast when asked for ever later offsets of a text. Zero-initialise, then set text, line 1 and column 1. */
struct weir_cursor {
    const struct weir_text *text;
    size_t offset;
    uint32_t line, column; /* of offset */
};
/* The place of an offset. A line ends with a line feed, a carriage return, or both. Going back starts from the beginning. */
struct weir_place weir_cursor_place(struct weir_cursor *cursor, size_t offset);

#endif
