/* SPDX-License-Identifier: Apache-2.0 */
#include "read/text.h"

#include "base/utf8.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

const char *weir_text_find(const char *from, const char *end, const char *what)
{
    size_t bytes = strlen(what);
    while ((size_t)(end - from) >= bytes && (from = memchr(from, *what, (size_t)(end - from) - bytes + 1))) {
        if (memcmp(from, what, bytes) == 0)
            return from;
        from++;
    }
    return NULL;
}

/* ---- is it text? ---- */

/* Bytes of the UTF-8 character at s, of which `left` bytes are there; 0 when there is none, or one of ASCII. */
static size_t character_bytes(const unsigned char *s, size_t left)
{
    char text[5] = {0};
    uint32_t code;
    memcpy(text, s, left < 4 ? left : 4);
    size_t bytes = weir_utf8_next(text, &code);
    return code < 0x80 || code == WEIR_UTF8_INVALID ? 0 : bytes;
}

bool weir_text_is_name(const char *bytes, size_t size)
{
    const unsigned char *s = (const unsigned char *)bytes;
    size_t i = 0;
    while (i < size) {
        bool ascii = s[i] >= 0x20 && s[i] < 0x7f;
        size_t n = ascii ? 1 : character_bytes(s + i, size - i);
        if (n == 0 || (s[i] == 0xc2 && s[i + 1] < 0xa0)) /* U+0080 to U+009F */
            return false;
        i += n;
    }
    return size > 0;
}

static bool plain(unsigned char c)
{
    return (c >= 0x20 && c < 0x7f) || c == '\n' || c == '\t' || c == '\r';
}

/* Eight plain characters at once, none of them a space other than 0x20. */
static bool plain_word(const unsigned char *s)
{
    const uint64_t ones = UINT64_C(0x0101010101010101), tops = ones << 7;
    uint64_t word;
    memcpy(&word, s, sizeof word);
    return ((word | (word - ones * 0x20) | (word + ones)) & tops) == 0;
}

/* The offset of the first byte that is no text, or the size. */
static size_t find_fault(struct weir_file_text *text)
{
    const unsigned char *s = (const unsigned char *)text->bytes;
    size_t i = 0;
    text->ascii = true;
    while (i < text->size) {
        if (text->size - i >= 8 && plain_word(s + i)) {
            i += 8;
            continue;
        }
        if (plain(s[i])) {
            i++;
            continue;
        }
        if (s[i] < 0x80)
            return i;
        text->ascii = false;
        size_t bytes = character_bytes(s + i, text->size - i);
        if (bytes == 0)
            return i;
        i += bytes;
    }
    return i;
}

bool weir_text_check(struct weir_draft *d, struct weir_file_text *text)
{
    const struct weir_place start = {1, 1};
    if (text->size >= 2 && (memcmp(text->bytes, "\xff\xfe", 2) == 0 || memcmp(text->bytes, "\xfe\xff", 2) == 0)) {
        weir_draft_mistake(d, start, "this file is UTF-16; save it as UTF-8");
        return false;
    }
    if (text->size >= 3 && memcmp(text->bytes, "\xef\xbb\xbf", 3) == 0) {
        text->bytes += 3;
        text->size -= 3;
    }
    size_t fault = find_fault(text);
    if (fault == text->size)
        return true;
    unsigned byte = (unsigned char)text->bytes[fault];
    struct weir_file_text good = {text->bytes, fault, text->ascii, NULL}; /* a place may not depend on what is no text */
    struct weir_cursor cursor = {.text = &good, .line = 1, .column = 1};
    struct weir_place place = weir_cursor_place(&cursor, fault);
    if (byte < 0x80)
        weir_draft_mistake(d, place, "this is not a text file: it holds the control character 0x%02x", byte);
    else
        weir_draft_mistake(d, place, "this is not UTF-8 text: the byte 0x%02x does not belong here", byte);
    return false;
}

/* ---- which format? ---- */

/* The offset of the first thing that is neither space nor comment. *foreign is set by comments that YAML does not have. */
static size_t skip_comments(const struct weir_file_text *text, size_t i, bool *foreign)
{
    const char *s = text->bytes;
    while (i < text->size) {
        char next = i + 1 < text->size ? s[i + 1] : 0;
        if (isspace((unsigned char)s[i])) {
            i++;
        } else if (s[i] == '#' || (s[i] == '/' && next == '/')) {
            *foreign |= s[i] == '/';
            while (i < text->size && s[i] != '\n' && s[i] != '\r')
                i++;
        } else if (s[i] == '/' && next == '*') {
            *foreign = true;
            for (i += 2; i < text->size && !(s[i - 1] == '*' && s[i] == '/'); i++)
                ;
            i += i < text->size;
        } else {
            break;
        }
    }
    return i;
}

static bool word_character(char c)
{
    return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

static size_t skip_word(const struct weir_file_text *text, size_t i)
{
    if (i < text->size && text->bytes[i] == '"') {
        for (i++; i < text->size && text->bytes[i] != '"' && text->bytes[i] != '\n'; i++)
            ;
        return i + (i < text->size);
    }
    while (i < text->size && word_character(text->bytes[i]))
        i++;
    return i;
}

static bool is_word(const struct weir_file_text *text, size_t begin, size_t end, const char *word)
{
    return end - begin == strlen(word) && strncasecmp(text->bytes + begin, word, end - begin) == 0;
}

/* XML begins with a tag. DOT begins with a keyword, or at least, where that is misspelt, with up to three words and a brace. */
enum weir_format weir_text_format(const struct weir_file_text *text)
{
    bool foreign = false;
    size_t begin = skip_comments(text, 0, &foreign);
    if (begin == text->size)
        return WEIR_FORMAT_NONE;
    if (foreign)
        return WEIR_FORMAT_DOT;
    if (text->bytes[begin] == '<')
        return WEIR_FORMAT_XML;
    if (!isalpha((unsigned char)text->bytes[begin]))
        return WEIR_FORMAT_YAML;
    size_t end = skip_word(text, begin), next = skip_comments(text, end, &foreign);
    bool keyword =
        is_word(text, begin, end, "strict") || is_word(text, begin, end, "graph") || is_word(text, begin, end, "digraph");
    if (keyword)
        return next < text->size && text->bytes[next] == ':' ? WEIR_FORMAT_YAML : WEIR_FORMAT_DOT;
    for (int words = 1; words <= 3 && next < text->size; words++) {
        if (text->bytes[next] == '{')
            return WEIR_FORMAT_DOT;
        end = skip_word(text, next);
        if (end == next)
            break;
        next = skip_comments(text, end, &foreign);
    }
    return WEIR_FORMAT_YAML;
}

/* ---- places ---- */

struct weir_place weir_cursor_place(struct weir_cursor *c, size_t offset)
{
    const char *s = c->text->bytes;
    if (offset < c->offset)
        c->offset = 0, c->line = 1, c->column = 1;
    for (; c->offset < offset; c->offset++) {
        char byte = s[c->offset];
        bool half = byte == '\r' && c->offset + 1 < c->text->size && s[c->offset + 1] == '\n';
        if (byte == '\n' || (byte == '\r' && !half))
            c->line++, c->column = 1;
        else if (weir_utf8_begins(byte))
            c->column++;
    }
    return (struct weir_place){c->line, c->column};
}

/* ---- comma-separated values ---- */

static char peek(const struct weir_csv *c)
{
    return c->offset < c->text->size ? c->text->bytes[c->offset] : 0;
}

static bool at_line_end(const struct weir_csv *c)
{
    return c->offset >= c->text->size || peek(c) == '\n' || peek(c) == '\r';
}

static void skip_space(struct weir_csv *c)
{
    while (c->offset < c->text->size && (peek(c) == ' ' || peek(c) == '\t'))
        c->offset++;
}

static void skip_line_end(struct weir_csv *c)
{
    bool both = peek(c) == '\r' && c->offset + 1 < c->text->size && c->text->bytes[c->offset + 1] == '\n';
    c->offset += c->offset < c->text->size ? 1 + (size_t)both : 0;
}

/* Takes from `begin` to `end`; in quotes two of them are one. */
static const char *copy(struct weir_csv *c, size_t begin, size_t end, bool quoted)
{
    char *text = weir_arena_take(c->arena, end - begin + 1), *to = text;
    if (!text) {
        c->draft->out_of_memory = true;
        return NULL;
    }
    for (size_t i = begin; i < end; i++) {
        *to++ = c->text->bytes[i];
        i += quoted && c->text->bytes[i] == '"';
    }
    *to = 0;
    return text;
}

static bool fail(struct weir_csv *c, size_t offset, const char *message)
{
    struct weir_place place = weir_cursor_place(&c->cursor, offset);
    if (c->expected)
        place.column = 1;
    weir_draft_mistake(c->draft, place, "%s", c->expected ? c->expected : message);
    return false;
}

static bool take_quoted(struct weir_csv *c, struct weir_csv_field *field)
{
    size_t begin = ++c->offset;
    for (;; c->offset++) {
        if (c->offset >= c->text->size || (c->expected && at_line_end(c)))
            return fail(c, begin - 1, "a quote is not closed");
        bool quote = peek(c) == '"', twice = quote && c->offset + 1 < c->text->size && c->text->bytes[c->offset + 1] == '"';
        if (quote && !twice)
            break;
        c->offset += twice;
    }
    field->text = copy(c, begin, c->offset++, true);
    skip_space(c);
    if (!at_line_end(c) && peek(c) != ',')
        return fail(c, c->offset, "expected a comma after the quote; a quote within quotes is written twice");
    return field->text != NULL;
}

static bool take_plain(struct weir_csv *c, struct weir_csv_field *field)
{
    size_t begin = c->offset;
    while (!at_line_end(c) && peek(c) != ',')
        c->offset++;
    size_t end = c->offset;
    while (end > begin && (c->text->bytes[end - 1] == ' ' || c->text->bytes[end - 1] == '\t'))
        end--;
    field->text = copy(c, begin, end, false);
    return field->text != NULL;
}

/* Fields up to the end of the line. */
static bool take_fields(struct weir_csv *c)
{
    for (c->count = 0;;) {
        skip_space(c);
        if (c->count == WEIR_CSV_FIELDS_MAX)
            return fail(c, c->offset, "this line has more fields than any table of times");
        struct weir_csv_field *field = &c->fields[c->count];
        field->place = weir_cursor_place(&c->cursor, c->offset);
        if (!(peek(c) == '"' ? take_quoted(c, field) : take_plain(c, field)))
            return false;
        c->count++;
        if (at_line_end(c))
            break;
        c->offset++; /* the comma */
    }
    skip_line_end(c);
    return true;
}

bool weir_csv_next(struct weir_csv *c)
{
    if (c->cursor.line == 0)
        c->cursor = (struct weir_cursor){.text = c->text, .line = 1, .column = 1};
    while (c->offset < c->text->size && !c->draft->out_of_memory) {
        skip_space(c);
        if (peek(c) == '#')
            while (!at_line_end(c))
                c->offset++;
        if (!at_line_end(c))
            return take_fields(c);
        skip_line_end(c);
    }
    return false;
}

bool weir_csv_next_good(struct weir_csv *c)
{
    while (c->offset < c->text->size && !c->draft->out_of_memory) {
        if (weir_csv_next(c))
            return true;
        while (c->offset < c->text->size && c->text->bytes[c->offset++] != '\n')
            ;
    }
    return false;
}
