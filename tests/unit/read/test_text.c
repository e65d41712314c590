/* SPDX-License-Identifier: Apache-2.0 */
/* Telling formats apart, and finding places. */
#include "read/text.h"
#include "support/runner.h"

#include <string.h>

static enum weir_format format_of(const char *bytes)
{
    struct weir_file_text text = {.bytes = bytes, .size = strlen(bytes)};
    return weir_text_format(&text);
}

TEST(formats_by_content)
{
    static const char *const dot[] = {
        "digraph{}",
        "digraph G {\n}",
        "  \n STRICT digraph {",
        "graph { a -- b }",
        "// comment\ndigraph {}",
        "# comment\n/* another\n */ digraph x {}",
        "// only this makes it DOT\noperators: {}",
        "digrph G {",
        "digraf \"my graph\" {",
        "strict digrap {}",
        "digraph",
        "digraph /* : */ G {",
    };
    static const char *const yaml[] = {
        "operators:\n  a: 5\n",
        "{\"operators\": {}}",
        "# comment\nweir: 1\n",
        "---\na: {}",
        "%YAML 1.1\n---\n",
        "digraph: {a: b}",
        "graph : x",
        "- a",
        "hello",
        "a b c d {",
        "\"digraph\" {",
        "5 {",
        "strict: {}",
        "a: b {",
    };
    static const char *const none[] = {"", " \n\t\r\n", "# only a comment", "// only\n/* comments */", "/* open"};
    for (size_t i = 0; i < sizeof dot / sizeof *dot; i++)
        if (format_of(dot[i]) != WEIR_FORMAT_DOT)
            fail_msg("not DOT: %s", dot[i]);
    for (size_t i = 0; i < sizeof yaml / sizeof *yaml; i++)
        if (format_of(yaml[i]) != WEIR_FORMAT_YAML)
            fail_msg("not YAML: %s", yaml[i]);
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        if (format_of(none[i]) != WEIR_FORMAT_NONE)
            fail_msg("something: %s", none[i]);
}

static void assert_place(struct weir_cursor *cursor, size_t offset, uint32_t line, uint32_t column)
{
    struct weir_place place = weir_cursor_place(cursor, offset);
    assert_int_equal(place.line, line);
    assert_int_equal(place.column, column);
}

TEST(places)
{
    const char *bytes = "ab\n\xc3\xa4x\r\n\ry";
    struct weir_file_text text = {.bytes = bytes, .size = strlen(bytes)};
    struct weir_cursor cursor = {.text = &text, .line = 1, .column = 1};
    assert_place(&cursor, 0, 1, 1);
    assert_place(&cursor, 2, 1, 3);
    assert_place(&cursor, 3, 2, 1);
    assert_place(&cursor, 5, 2, 2); /* behind a character of two bytes */
    assert_place(&cursor, 8, 3, 1); /* CR LF is one end of a line */
    assert_place(&cursor, 9, 4, 1); /* CR alone is one, too */
    assert_place(&cursor, 10, 4, 2);
    assert_place(&cursor, 1, 1, 2); /* and back */
}

/* Each of these is one character, or none, wherever in a word it stands. */
TEST(what_is_text)
{
    static const struct {
        const char *bytes;
        bool good;
    } cases[] = {
        {"plain", true},
        {"\t\r\n", true},
        {"\x7f", false},
        {"\x1f", false},
        {"\xc2\x80", true},
        {"\xc1\xbf", false},
        {"\xdf\xbf", true},
        {"\xe0\xa0\x80", true},
        {"\xe0\x9f\xbf", false},
        {"\xed\x9f\xbf", true},
        {"\xed\xa0\x80", false},
        {"\xef\xbf\xbf", true},
        {"\xf0\x90\x80\x80", true},
        {"\xf0\x8f\xbf\xbf", false},
        {"\xf4\x8f\xbf\xbf", true},
        {"\xf4\x90\x80\x80", false},
        {"\xf5\x80\x80\x80", false},
        {"\x80", false},
        {"\xc3", false},
        {"\xe2\x82", false},
        {"\xff", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (size_t before = 0; before < 17; before++) {
            char bytes[64];
            int size = snprintf(bytes, sizeof bytes, "%.*s%s0123456789", (int)before, "abcdefghijklmnopq", cases[i].bytes);
            struct weir_read_options options = {0};
            struct weir_draft draft = {.options = &options};
            struct weir_file_text text = {.bytes = bytes, .size = (size_t)size};
            if (weir_text_check(&draft, &text) != cases[i].good)
                fail_msg("case %zu behind %zu letters", i, before);
            assert_int_equal(draft.mistakes, !cases[i].good);
        }
}
