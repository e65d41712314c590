/* SPDX-License-Identifier: Apache-2.0 */
#include "base/error.h"
#include "support/runner.h"

#include <stdlib.h>
#include <string.h>

TEST(fail_fills_in_the_error)
{
    struct weir_error error;
    memset(&error, 0xff, sizeof error);
    assert_int_equal(weir_fail(&error, WEIR_IO, "no %s, %d times", "luck", 3), WEIR_IO);
    assert_int_equal(error.status, WEIR_IO);
    assert_string_equal(error.message, "no luck, 3 times");
    assert_string_equal(error.file, "");
    assert_int_equal(error.line, 0);
    assert_int_equal(error.column, 0);
    assert_int_equal(weir_fail(NULL, WEIR_OVERFLOW, "unheard"), WEIR_OVERFLOW);
    assert_int_equal(weir_fail_memory(&error), WEIR_MEMORY);
    assert_int_equal(error.status, WEIR_MEMORY);
}

TEST(long_texts_are_cut)
{
    char text[2000];
    memset(text, 'x', sizeof text);
    text[sizeof text - 1] = 0;
    struct weir_error error;
    weir_fail(&error, WEIR_INVALID, "%s", text);
    assert_int_equal(strlen(error.message), sizeof error.message - 1);

    struct weir_errors *errors = weir_errors_new();
    weir_errors_add(errors, WEIR_INVALID, text, (struct weir_place){1, 1}, "%s", text);
    assert_int_equal(strlen(weir_errors_at(errors, 0)->file), sizeof error.file - 1);
    weir_errors_free(errors);
}

TEST(no_list_is_fine)
{
    assert_int_equal(weir_errors_add(NULL, WEIR_INVALID, "f", (struct weir_place){1, 2}, "m"), WEIR_INVALID);
    assert_int_equal(weir_errors_count(NULL), 0);
    assert_null(weir_errors_at(NULL, 0));
    weir_errors_sort(NULL);
    weir_errors_free(NULL);
}

TEST(list_sorts_by_place_and_keeps_equals_in_order)
{
    static const struct {
        struct weir_place place;
        const char *message;
    } given[] = {{{5, 1}, "f"}, {{2, 9}, "d"}, {{2, 3}, "b"}, {{5, 1}, "g"}, {{2, 3}, "c"}, {{0, 0}, "a"}, {{3, 1}, "e"}};
    struct weir_errors *errors = weir_errors_new();
    for (size_t i = 0; i < 7; i++)
        assert_int_equal(weir_errors_add(errors, WEIR_INVALID, "m.yaml", given[i].place, "%s", given[i].message), WEIR_INVALID);
    weir_errors_sort(errors);
    assert_int_equal(weir_errors_count(errors), 7);
    for (size_t i = 0; i < 7; i++)
        assert_int_equal(weir_errors_at(errors, i)->message[0], 'a' + (int)i);
    assert_string_equal(weir_errors_at(errors, 3)->file, "m.yaml");
    assert_int_equal(weir_errors_at(errors, 3)->column, 9);
    assert_null(weir_errors_at(errors, 7));
    weir_errors_free(errors);
}

TEST(an_error_without_a_place_gets_one)
{
    struct weir_errors *errors = weir_errors_new();
    struct weir_error error;
    weir_fail(&error, WEIR_OVERFLOW, "100%% too much");
    assert_int_equal(weir_errors_add_error(errors, "m.dot", (struct weir_place){4, 7}, &error), WEIR_OVERFLOW);
    const struct weir_error *added = weir_errors_at(errors, 0);
    assert_string_equal(added->message, "100% too much");
    assert_int_equal(added->line, 4);
    assert_int_equal(added->column, 7);
    assert_int_equal(added->status, WEIR_OVERFLOW);
    weir_errors_free(errors);
}

/* `total` mistakes, last line first. */
static struct weir_errors *many(uint32_t total)
{
    struct weir_errors *errors = weir_errors_new();
    for (uint32_t i = 0; i < total; i++)
        weir_errors_add(errors, WEIR_INVALID, "m.yaml", (struct weir_place){total - i, 1}, "mistake %u", total - i);
    return errors;
}

TEST(a_hundred_mistakes_are_all_there)
{
    struct weir_errors *errors = many(WEIR_ERRORS_MAX);
    weir_errors_sort(errors);
    assert_int_equal(weir_errors_count(errors), WEIR_ERRORS_MAX);
    assert_string_equal(weir_errors_at(errors, 0)->message, "mistake 1");
    assert_string_equal(weir_errors_at(errors, WEIR_ERRORS_MAX - 1)->message, "mistake 100");
    weir_errors_free(errors);
}

TEST(more_than_a_hundred_are_counted)
{
    struct weir_errors *errors = many(5000);
    const size_t last = WEIR_ERRORS_MAX - 1;
    for (int sorted = 0; sorted < 3; sorted++) {
        assert_int_equal(weir_errors_count(errors), WEIR_ERRORS_MAX);
        assert_string_equal(weir_errors_at(errors, last)->message, "... and 4901 more errors");
        assert_int_equal(weir_errors_at(errors, last)->line, 0);
        assert_int_equal(weir_errors_at(errors, last)->column, 0);
        weir_errors_sort(errors);
    }
    assert_string_equal(weir_errors_at(errors, 0)->message, "mistake 4902");
    assert_string_equal(weir_errors_at(errors, last - 1)->message, "mistake 5000");
    weir_errors_add(errors, WEIR_INVALID, "m.yaml", (struct weir_place){1, 1}, "one more");
    assert_string_equal(weir_errors_at(errors, last)->message, "... and 4902 more errors");
    weir_errors_free(errors);
}

static void *refuse(void *context, void *old, size_t bytes)
{
    (void)context;
    if (bytes == 0)
        free(old);
    return NULL;
}

TEST(without_memory_the_status_remains)
{
    struct weir_errors *errors = weir_errors_new();
    weir_set_allocator(&(struct weir_allocator){refuse, NULL});
    assert_null(weir_errors_new());
    assert_int_equal(weir_errors_add(errors, WEIR_INVALID, "m.yaml", (struct weir_place){1, 1}, "lost"), WEIR_INVALID);
    assert_int_equal(weir_errors_count(errors), 0);
    weir_set_allocator(NULL);
    assert_int_equal(weir_errors_add(errors, WEIR_INVALID, "m.yaml", (struct weir_place){1, 1}, "kept"), WEIR_INVALID);
    assert_int_equal(weir_errors_count(errors), 1);
    weir_errors_free(errors);
}

TEST(quote_passes_text_and_masks_the_rest)
{
    static const struct {
        const char *given, *quoted;
    } cases[] = {
        {"", ""},
        {"camera 1", "camera 1"},
        {"a\tb\nc\x7f\x1b[31m", "a?b?c??[31m"},
        {"caf\xc3\xa9 \xe2\x86\x92 \xf0\x9f\x8e\xa5", "caf\xc3\xa9 \xe2\x86\x92 \xf0\x9f\x8e\xa5"},
        {"\xff\xfe", "??"},
        {"\xc3(", "?("},                     /* no continuation */
        {"end \xe2\x86", "end ??"},          /* cut off */
        {"\xc0\xaf \xe0\x80\xaf", "?? ???"}, /* overlong */
        {"\xf0\x8f\xbf\xbf", "????"},        /* overlong */
        {"\xed\xa0\x80", "???"},             /* half of a surrogate pair */
        {"\xf4\x90\x80\x80", "????"},        /* above U+10FFFF */
        {"\xf4\x8f\xbf\xbd", "\xf4\x8f\xbf\xbd"},
        {"\xc2\x85", "??"}, /* U+0085, a control character */
        {"\xc2\xb5s", "\xc2\xb5s"},
    };
    char text[WEIR_QUOTED];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_ptr_equal(weir_quote(cases[i].given, text), text);
        assert_string_equal(text, cases[i].quoted);
    }
}

TEST(quote_shortens_between_characters)
{
    char given[4 * WEIR_QUOTED + 1], text[WEIR_QUOTED];
    for (size_t ascii = 0; ascii < 4; ascii++) {
        size_t used = ascii;
        memset(given, 'x', used);
        for (; used + 4 < sizeof given; used += 4)
            memcpy(given + used, "\xf0\x9f\x8e\xa5", 4);
        given[used] = 0;
        weir_quote(given, text);
        size_t length = strlen(text);
        assert_in_range(length, WEIR_QUOTED - 8, WEIR_QUOTED - 1);
        assert_string_equal(text + length - 3, "...");
        assert_int_equal((length - 3 - ascii) % 4, 0);
        assert_memory_equal(text, given, length - 3);
    }
}

TEST(suggest_finds_misspellings_only)
{
    static const char *const names[] = {"operators", "queues", "source", "deadlines", "unit", "on", "replayer", "infer_left"};
    static const struct {
        const char *word, *nearest;
    } cases[] = {
        {"operator", "operators"},
        {"opertaors", "operators"},
        {"QUEUES", "queues"},
        {"quues", "queues"},
        {"sorce", "source"},
        {"deadline", "deadlines"},
        {"unti", "unit"},
        {"no", "on"},
        {"infer_lfet", "infer_left"},
        {"colour", NULL},
        {"x", NULL},
        {"", NULL},
        {"holoviz", NULL},
    };
    const size_t count = sizeof names / sizeof *names;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *nearest = weir_suggest(cases[i].word, names, count);
        if (cases[i].nearest)
            assert_string_equal(nearest ? nearest : "nothing", cases[i].nearest);
        else
            assert_null(nearest);
    }
    assert_null(weir_suggest("operator", names, 0));
}

TEST(suggest_takes_the_nearest_and_the_first)
{
    static const char *const names[] = {"camera_front", "camera_left1", "camera_left2"};
    assert_string_equal(weir_suggest("camera_left", names, 3), "camera_left1");
    assert_string_equal(weir_suggest("camera_left2", names, 3), "camera_left2");
}

TEST(suggest_survives_long_words)
{
    char word[64], longer[200];
    memset(word, 'a', 63);
    word[63] = 0;
    memset(longer, 'a', 199);
    longer[199] = 0;
    const char *const names[] = {longer, word};
    assert_ptr_equal(weir_suggest(word, names, 2), word);
    assert_null(weir_suggest(longer, names, 1));
}
