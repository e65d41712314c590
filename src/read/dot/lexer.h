/* SPDX-License-Identifier: Apache-2.0 */
/* The words of a DOT file, one after the other, each with its place. */
#ifndef WEIR_READ_DOT_LEXER_H
#define WEIR_READ_DOT_LEXER_H

#include "read/text.h"

/* Punctuation is its own character. WEIR_DOT_BAD: a character that belongs to no word; it has been reported. */
enum weir_dot_kind { WEIR_DOT_END, WEIR_DOT_BAD, WEIR_DOT_WORD, WEIR_DOT_QUOTED, WEIR_DOT_HTML, WEIR_DOT_ARROW, WEIR_DOT_LINE };

struct weir_dot_token {
    int kind;         /* enum weir_dot_kind, or one of { } [ ] = ; , : + */
    const char *text; /* what it says, without quotes; not terminated. Good until the second string behind it is read */
    size_t bytes;
    struct weir_place place;
    bool fresh; /* the first of its line */
};

struct weir_dot_lexer {
    struct weir_draft *draft;
    const struct weir_file_text *text;
    size_t offset;
    uint32_t line;
    size_t line_start; /* offset */
    bool fresh;
    bool cut; /* ended in the middle of something, and said so */
    size_t counted;
    uint32_t column;
    struct scratch {
        char *bytes;
        size_t capacity;
    } scratch[2]; /* for texts that are not written in one piece */
    int firing;
    struct weir_dot_token token; /* the current one */
};

/* Zero-initialise, set draft and text, then this for the first token. */
void weir_dot_begin(struct weir_dot_lexer *lexer);
void weir_dot_next(struct weir_dot_lexer *lexer);
void weir_dot_end(struct weir_dot_lexer *lexer);

/* A name or a value. */
static inline bool weir_dot_is_text(const struct weir_dot_token *token)
{
    return token->kind == WEIR_DOT_WORD || token->kind == WEIR_DOT_QUOTED || token->kind == WEIR_DOT_HTML;
}
/* An unquoted word, in any case. */
bool weir_dot_is_keyword(const struct weir_dot_token *token, const char *keyword);

#endif
