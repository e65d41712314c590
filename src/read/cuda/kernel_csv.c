/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of fields with commas between them. A field in quotes may hold commas, line ends, and quotes that are written twice. */
#include "read/cuda/kernel_times.h"

#include <string.h>

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
    weir_draft_mistake(c->draft, weir_cursor_place(&c->cursor, offset), "%s", message);
    return false;
}

static bool take_quoted(struct weir_csv *c, struct weir_csv_field *field)
{
    size_t begin = ++c->offset;
    for (;; c->offset++) {
        if (c->offset >= c->text->size)
            return fail(c, begin - 1, "a quote is not closed");
        bool quote = peek(c) == '"', twice = quote && c->offset + 1 < c->text->size && c->text->bytes[c->offset + 1] == '"';
        if (quote && !twice)
            break;
        c->offset += twice;
    }
    field->text = copy(c, begin, c->offset++, true);
    skip_space(c);
    if (!at_line_end(c) && peek(c) != ',')
        return fail(c, c->offset, "expected a comma behind the quote; a quote within quotes is written twice");
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
