/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tree of a model in a page, where there is no libyaml. What is read there is written by weir itself or by the page's script:
 * a model as JSON, and values of changes such as [1.5, 2] or unbounded. So this reads collections in brackets, text in double
 * quotes, and plain words; whatever else comes is refused.
 */
#include "read/yaml/tree.h"

#include <string.h>

struct reader {
    struct weir_draft *draft;
    struct weir_arena *arena;
    const char *at, *end, *begin;
    struct weir_yaml_node *root;
    struct weir_yaml_node **next[WEIR_YAML_DEPTH_MAX + 1];
    bool maps[WEIR_YAML_DEPTH_MAX + 1], keyed; /* a key was read, and its value is next */
    size_t depth;
};

static bool refuse(struct reader *r, const char *message)
{
    weir_draft_mistake(r->draft, (struct weir_place){1, (uint32_t)(r->at - r->begin) + 1}, "%s", message);
    return false;
}

static void skip(struct reader *r)
{
    while (r->at < r->end && strchr(" \t\r\n", *r->at))
        r->at++;
}

static struct weir_yaml_node *add(struct reader *r, enum weir_yaml_kind kind)
{
    struct weir_yaml_node *node = weir_arena_take(r->arena, sizeof *node);
    if (!node) {
        r->draft->out_of_memory = true;
        return NULL;
    }
    *node = (struct weir_yaml_node){.place = {1, (uint32_t)(r->at - r->begin) + 1}, .kind = (uint8_t)kind};
    *r->next[r->depth] = node;
    r->next[r->depth] = &node->next;
    return node;
}

static bool add_text(struct reader *r, const char *text, size_t bytes, bool quoted)
{
    struct weir_yaml_node *node = add(r, WEIR_YAML_SCALAR);
    char *copy = node ? weir_arena_take(r->arena, bytes + 1) : NULL;
    if (!copy) {
        r->draft->out_of_memory = true;
        return false;
    }
    memcpy(copy, text, bytes);
    copy[bytes] = 0;
    node->text = copy;
    node->bytes = (uint32_t)bytes;
    node->quoted = quoted;
    return true;
}

static uint32_t hex(const char *text)
{
    uint32_t code = 0;
    for (int i = 0; i < 4; i++) {
        const char *digits = "0123456789abcdef", *digit = text[i] ? strchr(digits, text[i] | 0x20) : NULL;
        code = 16 * code + (digit ? (uint32_t)(digit - digits) : 0);
    }
    return code;
}

/* UTF-8 of what "\u" stands before; returns how many bytes of the escape there are. */
static size_t put_escape(const char *text, size_t left, char **out)
{
    uint32_t code = left >= 4 ? hex(text) : 0;
    size_t taken = left >= 4 ? 4 : left;
    if (code >= 0xd800 && code < 0xdc00 && left >= 10 && text[4] == '\\' && text[5] == 'u') {
        code = 0x10000 + ((code - 0xd800) << 10) + (hex(text + 6) - 0xdc00);
        taken = 10;
    }
    if (code < 0x80) {
        *(*out)++ = (char)code;
    } else if (code < 0x800) {
        *(*out)++ = (char)(0xc0 | code >> 6);
        *(*out)++ = (char)(0x80 | (code & 63));
    } else if (code < 0x10000) {
        *(*out)++ = (char)(0xe0 | code >> 12);
        *(*out)++ = (char)(0x80 | (code >> 6 & 63));
        *(*out)++ = (char)(0x80 | (code & 63));
    } else {
        *(*out)++ = (char)(0xf0 | code >> 18);
        *(*out)++ = (char)(0x80 | (code >> 12 & 63));
        *(*out)++ = (char)(0x80 | (code >> 6 & 63));
        *(*out)++ = (char)(0x80 | (code & 63));
    }
    return taken;
}

static bool read_quoted(struct reader *r)
{
    const char *begin = ++r->at;
    while (r->at < r->end && *r->at != '"')
        r->at += *r->at == '\\' ? 2 : 1;
    if (r->at >= r->end)
        return refuse(r, "a quote is missing");
    char *text = weir_arena_take(r->arena, (size_t)(r->at - begin) + 1), *out = text;
    if (!text) {
        r->draft->out_of_memory = true;
        return false;
    }
    for (const char *c = begin; c < r->at; c++) {
        static const char escapes[] = "b\bf\fn\nr\rt\t";
        if (*c != '\\') {
            *out++ = *c;
        } else if (*++c == 'u') {
            c += put_escape(c + 1, (size_t)(r->at - c - 1), &out);
        } else {
            const char *found = strchr(escapes, *c);
            *out++ = found && (found - escapes) % 2 == 0 ? found[1] : *c;
        }
    }
    r->at++;
    return add_text(r, text, (size_t)(out - text), true);
}

/* Up to what ends it: a bracket, a comma, or the colon of a key. */
static bool read_plain(struct reader *r)
{
    const char *begin = r->at;
    bool within = r->depth > 0;
    while (r->at < r->end && !(within && strchr(",]}", *r->at)) && !(within && r->maps[r->depth] && !r->keyed && *r->at == ':'))
        r->at++;
    const char *end = r->at;
    while (end > begin && strchr(" \t\r\n", end[-1]))
        end--;
    return add_text(r, begin, (size_t)(end - begin), false);
}

static bool open_collection(struct reader *r)
{
    bool map = *r->at == '{';
    if (r->depth == WEIR_YAML_DEPTH_MAX)
        return refuse(r, "this is nested deeper than any model");
    struct weir_yaml_node *node = add(r, map ? WEIR_YAML_MAP : WEIR_YAML_LIST);
    if (!node)
        return false;
    r->at++;
    r->next[++r->depth] = &node->first;
    r->maps[r->depth] = map;
    r->keyed = false;
    return true;
}

/* The next key or value, bracket, colon or comma. */
static bool read_next(struct reader *r)
{
    char c = *r->at;
    bool map = r->depth > 0 && r->maps[r->depth];
    if (c == '{' || c == '[')
        return map && !r->keyed ? refuse(r, "a key is text") : open_collection(r);
    if (c == '}' || c == ']') {
        if (r->depth == 0 || (c == '}') != map || r->keyed)
            return refuse(r, "a bracket does not fit");
        r->at++;
        r->depth--;
        r->keyed = false;
        return true;
    }
    if (c == ',' && r->depth > 0) {
        r->at++;
        r->keyed = false;
        return true;
    }
    if (!(c == '"' ? read_quoted(r) : read_plain(r)))
        return false;
    skip(r);
    if (!map || r->keyed) {
        r->keyed = false;
        return true;
    }
    if (r->at >= r->end || *r->at != ':')
        return refuse(r, "a colon is missing");
    r->at++;
    r->keyed = true;
    return true;
}

struct weir_yaml_node *weir_yaml_parse(struct weir_draft *draft, const struct weir_file_text *text, struct weir_arena *arena,
                                       bool several)
{
    struct reader r = {.draft = draft, .arena = arena, .at = text->bytes, .begin = text->bytes, .end = text->bytes + text->size};
    bool good = true;
    (void)several;
    r.next[0] = &r.root;
    for (skip(&r); good && r.at < r.end; skip(&r))
        good = read_next(&r);
    if (good && r.depth > 0)
        good = refuse(&r, "a bracket is missing");
    return good && !draft->out_of_memory ? r.root : NULL;
}
