/* SPDX-License-Identifier: Apache-2.0 */
#include "read/dot/lexer.h"
#include "base/utf8.h"

#include <string.h>
#include <strings.h>

/* The byte `ahead` of the current one, 0 behind the end. */
static char peek(const struct weir_dot_lexer *l, size_t ahead)
{
    return ahead < l->text->size - l->offset ? l->text->bytes[l->offset + ahead] : 0;
}

static bool at_end(const struct weir_dot_lexer *l)
{
    return l->offset >= l->text->size;
}

/* Steps over one byte, counting lines. */
static void step(struct weir_dot_lexer *l)
{
    char c = l->text->bytes[l->offset++];
    if (c == '\n' || (c == '\r' && peek(l, 0) != '\n')) {
        l->line++;
        l->line_start = l->counted = l->offset;
        l->column = 1;
        l->fresh = true;
    }
}

/* The place of the current byte. Where characters are longer than a byte they are counted, each once. */
static struct weir_place here(struct weir_dot_lexer *l)
{
    if (l->text->ascii)
        return (struct weir_place){l->line, (uint32_t)(l->offset - l->line_start) + 1};
    for (; l->counted < l->offset; l->counted++)
        l->column += weir_utf8_begins(l->text->bytes[l->counted]);
    return (struct weir_place){l->line, l->column};
}

static void cut(struct weir_dot_lexer *l, struct weir_place place, const char *what)
{
    weir_draft_mistake(l->draft, place, "%s is not closed", what);
    l->draft->incomplete = true;
    l->cut = true;
}

/* Space, and the comments of C, and lines that begin with "#". */
static void skip_space(struct weir_dot_lexer *l)
{
    while (!at_end(l)) {
        char c = peek(l, 0);
        if (c == ' ' || c == '\t') {
            l->offset++;
        } else if (c == '\n' || c == '\r') {
            step(l);
        } else if ((c == '#' && l->fresh) || (c == '/' && peek(l, 1) == '/')) {
            while (!at_end(l) && peek(l, 0) != '\n' && peek(l, 0) != '\r')
                l->offset++;
        } else if (c == '/' && peek(l, 1) == '*') {
            struct weir_place place = here(l);
            for (l->offset += 2; !at_end(l) && !(peek(l, 0) == '*' && peek(l, 1) == '/'); step(l))
                ;
            if (at_end(l))
                cut(l, place, "a comment");
            else
                l->offset += 2;
        } else {
            return;
        }
    }
}

/* ---- texts ---- */

static void append(struct weir_dot_lexer *l, const char *bytes, size_t count)
{
    struct scratch *s = &l->scratch[l->firing];
    if (!weir_draft_room(l->draft, &s->bytes, &s->capacity, l->token.bytes + count, 1))
        return;
    memcpy(s->bytes + l->token.bytes, bytes, count);
    l->token.bytes += count;
    l->token.text = s->bytes;
}

/* One string in quotes behind the opening one: \" is a quote, a backslash at the end of a line joins it to the next, and every
 * other backslash stands for itself. Pieces go to the scratch; false when the string is not closed. */
static bool quoted_piece(struct weir_dot_lexer *l)
{
    struct weir_place place = here(l);
    l->offset++;
    size_t begin = l->offset;
    while (!at_end(l) && peek(l, 0) != '"') {
        if (peek(l, 0) != '\\') {
            step(l);
            continue;
        }
        char next = peek(l, 1);
        if (next == '\\') {
            l->offset += 2;
        } else if (next == '"' || next == '\n' || next == '\r') {
            append(l, l->text->bytes + begin, l->offset - begin);
            l->offset++;
            begin = l->offset;
            if (next == '"') {
                l->offset++;
                continue;
            }
            if (next == '\r' && peek(l, 1) == '\n')
                l->offset++;
            step(l);
            begin = l->offset;
        } else {
            l->offset++;
        }
    }
    if (at_end(l)) {
        cut(l, place, "a string");
        return false;
    }
    if (l->token.bytes == 0) { /* the usual string, all of it in one piece */
        l->token.text = l->text->bytes + begin;
        l->token.bytes = l->offset - begin;
    } else {
        append(l, l->text->bytes + begin, l->offset - begin);
    }
    l->offset++;
    return true;
}

/* "a" + "b" is "ab". */
static void read_quoted(struct weir_dot_lexer *l)
{
    l->firing = !l->firing;
    l->token.kind = WEIR_DOT_QUOTED;
    l->token.text = "";
    while (quoted_piece(l)) {
        skip_space(l);
        if (at_end(l) || peek(l, 0) != '+')
            return;
        struct weir_place plus = here(l);
        l->offset++;
        skip_space(l);
        if (at_end(l) || peek(l, 0) != '"') {
            weir_draft_mistake(l->draft, plus, "expected a string in quotes behind \"+\"");
            break;
        }
        l->fresh = false;
        if (l->token.text != l->scratch[l->firing].bytes) { /* the first piece must move */
            size_t bytes = l->token.bytes;
            l->token.bytes = 0;
            append(l, l->token.text, bytes);
        }
    }
    l->token.kind = WEIR_DOT_BAD;
}

static void read_html(struct weir_dot_lexer *l)
{
    struct weir_place place = here(l);
    size_t begin = l->offset + 1, depth = 0;
    l->token.kind = WEIR_DOT_HTML;
    for (; !at_end(l); step(l)) {
        char c = peek(l, 0);
        depth += c == '<';
        depth -= c == '>';
        if (depth == 0)
            break;
    }
    if (at_end(l)) {
        cut(l, place, "an HTML string");
        l->token.kind = WEIR_DOT_BAD;
        return;
    }
    l->token.text = l->text->bytes + begin;
    l->token.bytes = l->offset - begin;
    l->offset++;
}

/* ---- tokens ---- */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool word_character(char c)
{
    char small = (char)(c | 0x20);
    return (small >= 'a' && small <= 'z') || is_digit(c) || c == '_' || (unsigned char)c >= 0x80;
}

/* A name, or a number with whatever letters stand behind it: 5, -4.25, 33.3ms. */
static bool read_word(struct weir_dot_lexer *l)
{
    size_t n = peek(l, 0) == '-';
    char first = peek(l, n);
    bool number = is_digit(first) || (first == '.' && is_digit(peek(l, n + 1)));
    if (!number && (n || !word_character(first)))
        return false;
    while (word_character(peek(l, n)) || (number && peek(l, n) == '.'))
        n++;
    l->token.kind = WEIR_DOT_WORD;
    l->token.text = l->text->bytes + l->offset;
    l->token.bytes = n;
    l->offset += n;
    return true;
}

/* Always ASCII: everything else is part of words. */
static void read_bad(struct weir_dot_lexer *l)
{
    weir_draft_mistake(l->draft, l->token.place, "unexpected character \"%c\"", peek(l, 0));
    l->token.kind = WEIR_DOT_BAD;
    l->offset++;
}

void weir_dot_next(struct weir_dot_lexer *l)
{
    skip_space(l);
    l->token.place = here(l);
    l->token.fresh = l->fresh;
    l->token.bytes = 0;
    l->fresh = false;
    char c = peek(l, 0);
    if (at_end(l)) {
        l->token.kind = WEIR_DOT_END;
    } else if (c == '-' && (peek(l, 1) == '>' || peek(l, 1) == '-')) {
        l->token.kind = peek(l, 1) == '>' ? WEIR_DOT_ARROW : WEIR_DOT_LINE;
        l->offset += 2;
    } else if (read_word(l)) {
        return;
    } else if (c == '"') {
        read_quoted(l);
    } else if (c == '<') {
        read_html(l);
    } else if (strchr("{}[]=;,:+", c)) {
        l->token.kind = (unsigned char)c;
        l->offset++;
    } else {
        read_bad(l);
    }
}

void weir_dot_begin(struct weir_dot_lexer *l)
{
    l->line = l->column = 1;
    l->fresh = true;
    weir_dot_next(l);
}

void weir_dot_end(struct weir_dot_lexer *l)
{
    weir_free(l->scratch[0].bytes);
    weir_free(l->scratch[1].bytes);
}

bool weir_dot_is_keyword(const struct weir_dot_token *token, const char *keyword)
{
    return token->kind == WEIR_DOT_WORD && token->bytes == strlen(keyword) && strncasecmp(token->text, keyword, token->bytes) == 0;
}
