/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON is YAML but for the strings: characters beyond 16 bits are escaped as two surrogates, and the separators U+2028 and U+2029
 * and U+0085 stand for themselves, which are ends of a line in YAML 1.1. Both are put into YAML's words. Only in text that is JSON
 * from its first to its last character, so that nothing else than a string can be between two quotes.
 */
#include "read/yaml/tree.h"

#include <stdio.h>
#include <string.h>

static bool is_high(uint32_t code)
{
    return code >= 0xd800 && code < 0xdc00;
}

static bool is_low(uint32_t code)
{
    return code >= 0xdc00 && code < 0xe000;
}

/* The number of "\uXXXX" at `at`; 0 where there is none. */
static uint32_t escape_at(const struct weir_file_text *text, size_t at)
{
    uint32_t code = 0;
    if (text->size - at < 6 || text->bytes[at] != '\\' || text->bytes[at + 1] != 'u')
        return 0;
    for (size_t i = at + 2; i < at + 6; i++) {
        const char *digits = "0123456789abcdef", *digit = text->bytes[i] ? strchr(digits, text->bytes[i] | 0x20) : NULL;
        if (!digit)
            return 0;
        code = 16 * code + (uint32_t)(digit - digits);
    }
    return code;
}

static bool is_pair(const struct weir_file_text *text, size_t at)
{
    return is_high(escape_at(text, at)) && is_low(escape_at(text, at + 6));
}

/* How YAML escapes the end of a line that stands at `at`; 0: none does. *bytes are its own. */
static char line_end_at(const struct weir_file_text *text, size_t at, size_t *bytes)
{
    static const struct {
        const char *bytes;
        char escape;
    } ends[] = {{"\xc2\x85", 'N'}, {"\xe2\x80\xa8", 'L'}, {"\xe2\x80\xa9", 'P'}};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        *bytes = strlen(ends[i].bytes);
        if (text->size - at >= *bytes && memcmp(text->bytes + at, ends[i].bytes, *bytes) == 0)
            return ends[i].escape;
    }
    return 0;
}

/* Whether all of the text is made of what JSON is made of, and *changes, how many characters in its strings YAML reads in another
 * way. */
static bool is_json(const struct weir_file_text *text, size_t *changes)
{
    static const char space[4] = {' ', '\t', '\r', '\n'};
    static const char outside[] = "{}[]:, \t\r\n+-.0123456789abcdefghijklmnopqrstuvwxyzE";
    bool inside = false;
    size_t i = 0, bytes;
    *changes = 0;
    while (i < text->size && memchr(space, text->bytes[i], sizeof space))
        i++;
    if (i == text->size || text->bytes[i] != '{')
        return false;
    for (; i < text->size; i++) {
        char c = text->bytes[i];
        if (c == '"') {
            inside = !inside;
        } else if (!inside) {
            if (!memchr(outside, c, sizeof outside - 1))
                return false;
        } else if (c == '\\') {
            bool pair = is_pair(text, i);
            *changes += pair;
            i += pair ? 11 : 1;
        } else if (line_end_at(text, i, &bytes)) {
            ++*changes;
        }
    }
    return !inside;
}

bool weir_yaml_from_json(const struct weir_file_text *json, struct weir_arena *arena, struct weir_file_text *yaml,
                         bool *out_of_memory)
{
    size_t changes, bytes, length = 0, spaces = 0;
    if (!is_json(json, &changes) || !changes)
        return false;
    char *text = weir_arena_take(arena, json->size + 1); /* no escape is longer than what it replaces */
    *out_of_memory |= !text;
    bool inside = false;
    for (size_t i = 0; text && i < json->size;) {
        char c = json->bytes[i], end = inside ? line_end_at(json, i, &bytes) : 0;
        if (inside && is_pair(json, i)) {
            uint32_t code = 0x10000 + ((escape_at(json, i) & 0x3ff) << 10) + (escape_at(json, i + 6) & 0x3ff);
            length += (size_t)snprintf(text + length, 11, "\\U%08x", (unsigned)code);
            spaces += 2; /* behind the string: what follows stays in its column */
            i += 12;
        } else if (end) {
            text[length++] = '\\';
            text[length++] = end;
            i += bytes;
        } else if (inside && c == '\\') {
            memcpy(text + length, json->bytes + i, 2);
            length += 2;
            i += 2;
        } else {
            text[length++] = c;
            inside ^= c == '"';
            memset(text + length, ' ', inside ? 0 : spaces);
            length += inside ? 0 : spaces;
            spaces = inside ? spaces : 0;
            i++;
        }
    }
    *yaml = (struct weir_file_text){.bytes = text, .size = length, .ascii = json->ascii};
    return text != NULL;
}
