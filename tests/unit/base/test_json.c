/* SPDX-License-Identifier: Apache-2.0 */
#include "base/json.h"
#include "base/utf8.h"

#include "support/stage.h"

#include <stdlib.h>
#include <string.h>

struct page {
    struct weir_json json;
    char *text;
    size_t bytes;
};

static void page_open(struct page *page)
{
    *page = (struct page){0};
    page->json.out = open_memstream(&page->text, &page->bytes);
    assert_non_null(page->json.out);
}

static void page_expect(struct page *page, const char *expected)
{
    fclose(page->json.out);
    assert_string_equal(page->text, expected);
    free(page->text);
}

TEST(layouts)
{
    struct page page;
    page_open(&page);
    struct weir_json *json = &page.json;
    weir_json_object(json, WEIR_JSON_BLOCK);
    weir_json_key(json, "empty");
    weir_json_array(json, WEIR_JSON_BLOCK);
    weir_json_end(json);
    weir_json_key(json, "nothing");
    weir_json_object(json, WEIR_JSON_LINE);
    weir_json_end(json);
    weir_json_key(json, "line");
    weir_json_array(json, WEIR_JSON_LINE);
    weir_json_integer(json, INT64_MIN);
    weir_json_object(json, WEIR_JSON_BLOCK); /* inside a line, so on it */
    weir_json_key(json, "a");
    weir_json_bool(json, true);
    weir_json_key(json, "b");
    weir_json_null(json);
    weir_json_end(json);
    weir_json_bool(json, false);
    weir_json_end(json);
    weir_json_key(json, "block");
    weir_json_array(json, WEIR_JSON_BLOCK);
    weir_json_integer(json, 1);
    weir_json_integer(json, 2);
    weir_json_end(json);
    weir_json_end(json);
    page_expect(&page, "{\n"
                       "  \"empty\": [],\n"
                       "  \"nothing\": {},\n"
                       "  \"line\": [-9223372036854775808, {\"a\": true, \"b\": null}, false],\n"
                       "  \"block\": [\n"
                       "    1,\n"
                       "    2\n"
                       "  ]\n"
                       "}");
}

static void expect_text(const char *text, const char *expected)
{
    struct page page;
    page_open(&page);
    weir_json_text(&page.json, text);
    page_expect(&page, expected);
}

TEST(text)
{
    expect_text("", "\"\"");
    expect_text("plain -> text", "\"plain -> text\"");
    expect_text("quote \" backslash \\ slash /", "\"quote \\\" backslash \\\\ slash /\"");
    expect_text("\t\n\r\x01\x1f\x7f", "\"\\u0009\\u000a\\u000d\\u0001\\u001f\\u007f\"");
    expect_text("\xc2\xb5s \xe2\x82\xac \xf0\x9f\x8e\x9e", "\"\xc2\xb5s \xe2\x82\xac \xf0\x9f\x8e\x9e\"");
}

TEST(broken_text)
{
#define BAD "\xef\xbf\xbd"
    expect_text("a\xff"
                "b",
                "\"a" BAD "b\"");
    expect_text("\x80", "\"" BAD "\"");
    expect_text("\xc3", "\"" BAD "\"");                         /* ends too early */
    expect_text("\xe2\x82", "\"" BAD BAD "\"");                 /* ends too early */
    expect_text("\xc3(", "\"" BAD "(\"");                       /* no continuation */
    expect_text("\xc0\xaf", "\"" BAD BAD "\"");                 /* overlong */
    expect_text("\xe0\x9f\xbf", "\"" BAD BAD BAD "\"");         /* overlong */
    expect_text("\xed\xa0\x80", "\"" BAD BAD BAD "\"");         /* a surrogate */
    expect_text("\xf4\x90\x80\x80", "\"" BAD BAD BAD BAD "\""); /* beyond the last character */
    expect_text("\xf8\x88\x80\x80\x80", "\"" BAD BAD BAD BAD BAD "\"");
#undef BAD
}

TEST(characters)
{
    uint32_t code;
    assert_int_equal(weir_utf8_next("A", &code), 1);
    assert_int_equal(code, 'A');
    assert_int_equal(weir_utf8_next("\xc2\x80", &code), 2);
    assert_int_equal(code, 0x80);
    assert_int_equal(weir_utf8_next("\xe2\x82\xac", &code), 3);
    assert_int_equal(code, 0x20ac);
    assert_int_equal(weir_utf8_next("\xf4\x8f\xbf\xbf", &code), 4);
    assert_int_equal(code, 0x10ffff);
    assert_int_equal(weir_utf8_next("\xf0\x8f\xbf\xbf", &code), 1);
    assert_int_equal(code, WEIR_UTF8_INVALID);
    assert_true(weir_utf8_is_text("caf\xc3\xa9 \"x\""));
    assert_false(weir_utf8_is_text("a\nb"));
    assert_false(weir_utf8_is_text("\x7f"));
    assert_false(weir_utf8_is_text("caf\xe9"));
}

static void expect_ratio(struct weir_ratio ratio, unsigned digits, const char *expected)
{
    struct page page;
    page_open(&page);
    weir_json_ratio(&page.json, ratio, digits);
    page_expect(&page, expected);
}

TEST(numbers)
{
    struct page page;
    page_open(&page);
    weir_json_array(&page.json, WEIR_JSON_LINE);
    weir_json_decimal(&page.json, 33300, 3);
    weir_json_decimal(&page.json, -1, 3);
    weir_json_decimal(&page.json, 0, 18);
    weir_json_decimal(&page.json, INT64_MAX, 0);
    weir_json_end(&page.json);
    page_expect(&page, "[33.3, -0.001, 0, 9223372036854775807]");
}

TEST(ratios)
{
    expect_ratio((struct weir_ratio){880, 1}, 0, "880");
    expect_ratio((struct weir_ratio){1, 1}, 9, "0.000000001"); /* whole ticks stay exact */
    expect_ratio((struct weir_ratio){0, 1}, 0, "0");
    expect_ratio((struct weir_ratio){1, 2}, 0, "0.5");
    expect_ratio((struct weir_ratio){10, 3}, 0, "3.333334"); /* up */
    expect_ratio((struct weir_ratio){20, 3}, 1, "0.666667");
    expect_ratio((struct weir_ratio){1, 3}, 9, "0.000001");
    expect_ratio((struct weir_ratio){2999999999, 1000000000}, 0, "3");
    expect_ratio((struct weir_ratio){INT64_C(1) << 60, 3}, 0, "384307168202282325.333334"); /* no overflow */
    expect_ratio((struct weir_ratio){1, (INT64_C(1) << 60) - 1}, 18, "0.000001");
}
