/* SPDX-License-Identifier: Apache-2.0 */
/* The texts of changes: their parts, and the names in them. */
#include "base/utf8.h"
#include "explore/change/change.h"

#include <stdarg.h>
#include <string.h>

static const char *bytes_of(const struct weir_revision *r, struct weir_piece piece)
{
    return r->changes[piece.change].text + piece.begin;
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

struct weir_piece weir_piece_trim(const struct weir_revision *r, struct weir_piece piece)
{
    const char *text = r->changes[piece.change].text;
    while (piece.begin < piece.end && is_space(text[piece.begin]))
        piece.begin++;
    while (piece.end > piece.begin && is_space(text[piece.end - 1]))
        piece.end--;
    return piece;
}

struct weir_place weir_piece_place(const struct weir_revision *r, struct weir_piece piece)
{
    const char *text = r->changes[piece.change].text;
    struct weir_place place = {r->lines[piece.change], 1};
    for (size_t i = 0; i < piece.begin; i++) {
        if (text[i] == '\n') {
            place.line++;
            place.column = 0;
        }
        place.column += weir_utf8_begins(text[i]);
    }
    return place;
}

const char *weir_piece_text(struct weir_revision *r, struct weir_piece piece)
{
    size_t length = piece.end - piece.begin;
    char *text = weir_arena_take(&r->arena, length + 1);
    if (!text) {
        r->draft.out_of_memory = true;
        return NULL;
    }
    memcpy(text, bytes_of(r, piece), length);
    text[length] = 0;
    return text;
}

/* What stands before the piece becomes space, and the texts before it empty lines: so the parser sees each place as it is. */
struct weir_yaml_node *weir_piece_parse(struct weir_revision *r, struct weir_piece piece)
{
    const char *text = r->changes[piece.change].text;
    size_t above = r->lines[piece.change] - 1, used = 0;
    char *padded = weir_array(above + piece.end + 1, 1);
    if (!padded) {
        r->draft.out_of_memory = true;
        return NULL;
    }
    memset(padded, '\n', above);
    used = above;
    for (size_t i = 0; i < piece.begin; i++)
        if (weir_utf8_begins(text[i]))
            padded[used++] = text[i] == '\n' ? '\n' : ' ';
    memcpy(padded + used, text + piece.begin, piece.end - piece.begin);
    struct weir_file_text all = {.bytes = padded, .size = used + piece.end - piece.begin};
    struct weir_yaml_node *root = weir_text_check(&r->draft, &all) ? weir_yaml_parse(&r->draft, &all, &r->arena, false) : NULL;
    weir_free(padded);
    return root;
}

void weir_revision_mistake(struct weir_revision *r, struct weir_piece piece, const char *format, ...)
{
    char message[sizeof((struct weir_error *)0)->message];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    weir_draft_mistake(&r->draft, weir_piece_place(r, piece), "%s", message);
}

/* ---- targets ---- */

/* Behind the quote that closes the one at `i`; `end` when none does. */
static size_t skip_quotes(const char *text, size_t i, size_t end)
{
    for (i++; i < end && text[i] != '"'; i++)
        i += text[i] == '\\' && i + 1 < end;
    return i < end ? i + 1 : end;
}

/* The last one or two words behind dots that are a key. */
static struct weir_piece find_key(struct weir_revision *r, struct weir_piece piece, const size_t dots[2])
{
    for (int i = 1; i >= 0; i--) {
        struct weir_piece key = {piece.change, dots[i] + 1, piece.end};
        const char *name = dots[i] == SIZE_MAX ? NULL : weir_piece_text(r, weir_piece_trim(r, key));
        if (name && weir_key_named(name))
            return key;
    }
    return (struct weir_piece){piece.change, dots[0] == SIZE_MAX ? piece.end : dots[0] + 1, piece.end};
}

bool weir_target_parse(struct weir_revision *r, struct weir_piece piece, bool with_key, struct weir_target *target)
{
    piece = weir_piece_trim(r, piece);
    const char *text = r->changes[piece.change].text;
    size_t dots[2] = {SIZE_MAX, SIZE_MAX}, arrow = SIZE_MAX; /* dots: the last, the one before it */
    bool fresh = true;                                       /* a name begins here */
    for (size_t i = piece.begin; i < piece.end;) {
        if (text[i] == '"' && fresh) {
            i = skip_quotes(text, i, piece.end);
            dots[0] = dots[1] = SIZE_MAX;
            fresh = false;
        } else if (text[i] == '-' && i + 1 < piece.end && text[i + 1] == '>') {
            if (arrow != SIZE_MAX) {
                weir_revision_mistake(r, (struct weir_piece){piece.change, i, piece.end},
                                      "at most one arrow; a name that contains one must be in double quotes");
                return false;
            }
            arrow = i;
            i += 2;
            dots[0] = dots[1] = SIZE_MAX;
            fresh = true;
        } else {
            if (text[i] == '.') {
                dots[1] = dots[0];
                dots[0] = i;
            }
            fresh &= is_space(text[i]);
            i++;
        }
    }
    *target = (struct weir_target){.from = piece, .arrow = arrow != SIZE_MAX};
    size_t end = piece.end;
    if (with_key) {
        target->key = find_key(r, piece, dots);
        target->has_key = target->key.begin < target->key.end;
        end = target->has_key ? target->key.begin - 1 : end;
        target->key = weir_piece_trim(r, target->key);
    }
    target->from.end = target->arrow ? arrow : end;
    target->from = weir_piece_trim(r, target->from);
    target->to = weir_piece_trim(r, (struct weir_piece){piece.change, target->arrow ? arrow + 2 : end, end});
    return true;
}

/* The number behind the last # of the name, which then ends there. */
static uint32_t take_number(struct weir_revision *r, const char *name, struct weir_piece *piece)
{
    struct weir_operator op;
    const char *mark = strrchr(name, '#');
    size_t digits = mark ? strspn(mark + 1, "0123456789") : 0;
    if (!mark || !digits || mark[1 + digits] || digits > 9 || weir_pipeline_find(r->pipeline, name, &op))
        return 0;
    uint32_t number = 0;
    for (const char *c = mark + 1; *c; c++)
        number = 10 * number + (uint32_t)(*c - '0');
    piece->end = piece->begin + (size_t)(mark - name);
    if (number == 0)
        weir_revision_mistake(r, *piece, "parallel queues are counted from 1: #1, #2 ...");
    return number;
}

static const char *unquote(struct weir_revision *r, struct weir_piece piece, const char *text)
{
    char *name = weir_arena_take(&r->arena, strlen(text) + 1), *at = name;
    if (!name) {
        r->draft.out_of_memory = true;
        return NULL;
    }
    const char *c = text + 1;
    for (; *c && *c != '"'; c++) {
        c += *c == '\\' && c[1];
        *at++ = *c;
    }
    *at = 0;
    if (*c == '"' && !c[1])
        return name;
    weir_revision_mistake(r, piece, *c ? "something follows the name in quotes" : "a quote is not closed");
    return NULL;
}

const char *weir_target_name(struct weir_revision *r, struct weir_piece piece, uint32_t *number)
{
    piece = weir_piece_trim(r, piece);
    const char *text = weir_piece_text(r, piece);
    if (!text)
        return NULL;
    if (number) {
        *number = 0;
        const char *mark = text[0] == '"' ? strrchr(text, '"') : NULL;
        if (!mark || mark[1] == '#')
            *number = take_number(r, text, &piece);
        text = *number ? weir_piece_text(r, weir_piece_trim(r, piece)) : text;
    }
    if (!text || (*text && *text != '"'))
        return text;
    if (*text)
        return unquote(r, piece, text);
    weir_revision_mistake(r, piece, "a name is missing");
    return NULL;
}
