/* SPDX-License-Identifier: Apache-2.0 */
#include "base/map.h"

#include "base/random.h"
#include "support/refuse.h"
#include "support/runner.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TEST(an_empty_map_holds_nothing)
{
    struct weir_map map = {0};
    struct weir_map_cursor probe = weir_map_begin(&map, 7);
    assert_false(weir_map_next(&map, &probe));
    assert_int_equal(probe.value, WEIR_MAP_NONE);
    struct weir_names names = {0};
    assert_int_equal(weir_names_find(&names, "a", 1), WEIR_MAP_NONE);
    assert_int_equal(weir_names_find(&names, "", 0), WEIR_MAP_NONE);
    weir_map_free(&map);
    weir_names_free(&names);
}

/* Against a plain list. Few hashes, so that there are many equal ones, and large ones, so that probing wraps round the end. */
TEST(values_of_a_hash_are_found_in_the_order_they_were_added)
{
    enum { COUNT = 3000, HASHES = 700 };
    static uint32_t hashes[COUNT];
    struct weir_random random;
    weir_random_seed(&random, 1);
    struct weir_map map = {0};
    for (uint32_t i = 0; i < COUNT; i++) {
        hashes[i] = UINT32_MAX - (uint32_t)weir_random_between(&random, 0, HASHES - 1) * 3;
        assert_true(weir_map_add(&map, hashes[i], i));
        assert_true(4 * map.count <= 3 * map.size);
        if (i % 97 != 0 && i + 1 != COUNT)
            continue;
        for (uint32_t h = 0; h < HASHES; h++) {
            struct weir_map_cursor probe = weir_map_begin(&map, UINT32_MAX - 3 * h);
            for (uint32_t j = 0; j <= i; j++)
                if (hashes[j] == UINT32_MAX - 3 * h) {
                    assert_true(weir_map_next(&map, &probe));
                    assert_int_equal(probe.value, j);
                }
            assert_false(weir_map_next(&map, &probe));
        }
    }
    assert_int_equal(map.count, COUNT);
    weir_map_free(&map);
    assert_null(map.slots);
}

TEST(the_largest_value_is_refused)
{
    struct weir_map map = {0};
    assert_false(weir_map_add(&map, 1, WEIR_MAP_NONE));
    assert_true(weir_map_add(&map, 1, WEIR_MAP_NONE - 1));
    struct weir_map_cursor probe = weir_map_begin(&map, 1);
    assert_true(weir_map_next(&map, &probe));
    assert_int_equal(probe.value, WEIR_MAP_NONE - 1);
    weir_map_free(&map);
}

TEST(names_are_found_by_all_their_bytes)
{
    static const char *const words[] = {"", "a", "ab", "abcdefgh", "abcdefghi", "abcdefgh\xc3\xa9", "b", "ba"};
    const uint32_t count = sizeof words / sizeof *words;
    struct weir_names names = {0};
    for (uint32_t i = 0; i < count; i++)
        assert_true(weir_names_add(&names, words[i], count - 1 - i));
    for (uint32_t i = 0; i < count; i++)
        assert_int_equal(weir_names_find(&names, words[i], strlen(words[i])), count - 1 - i);
    assert_int_equal(weir_names_find(&names, "abcdefghij", 9), count - 1 - 4);
    assert_int_equal(weir_names_find(&names, "abc", 3), WEIR_MAP_NONE);
    assert_int_equal(weir_names_find(&names, "a\0b", 3), WEIR_MAP_NONE);
    weir_names_free(&names);
}

TEST(many_names_are_found)
{
    enum { COUNT = 20000 };
    char(*text)[8] = malloc(COUNT * sizeof *text);
    struct weir_names names = {0};
    assert_non_null(text);
    for (uint32_t i = 0; i < COUNT; i++) {
        snprintf(text[i], sizeof *text, "n%u", i);
        assert_int_equal(weir_names_find(&names, text[i], strlen(text[i])), WEIR_MAP_NONE);
        assert_true(weir_names_add(&names, text[i], i));
    }
    for (uint32_t i = 0; i < COUNT; i++)
        assert_int_equal(weir_names_find(&names, text[i], strlen(text[i])), i);
    weir_names_free(&names);
    free(text);
}

/* Names of consecutive numbers and pairs of small numbers, as models have them, should not meet in few slots. */
TEST(hashes_of_similar_keys_spread)
{
    enum { COUNT = 4096 };
    static unsigned char seen[2][COUNT];
    char text[16];
    size_t used[2] = {0};
    memset(seen, 0, sizeof seen);
    for (uint32_t i = 0; i < COUNT; i++) {
        snprintf(text, sizeof text, "op%u", i);
        uint32_t slots[2] = {weir_hash_bytes(text, strlen(text)) % COUNT, weir_hash_pair(i / 64, i % 64) % COUNT};
        for (int k = 0; k < 2; k++) {
            used[k] += !seen[k][slots[k]];
            seen[k][slots[k]] = 1;
        }
    }
    for (int k = 0; k < 2; k++) /* random slots would leave 1/e of them empty */
        assert_true(used[k] > COUNT / 2);
}

/* Each allocation is refused once: then the name is not there and the others are, and it can be added again. */
TEST(without_memory_nothing_changes)
{
    static char text[64][4];
    struct refuse memory = {0};
    while (refuse_next(&memory)) {
        struct weir_names names = {0};
        uint32_t failures = 0;
        for (uint32_t i = 0; i < 64; i++) {
            snprintf(text[i], sizeof *text, "%u", i);
            while (!weir_names_add(&names, text[i], i)) {
                assert_int_equal(names.map.count, i);
                assert_int_equal(weir_names_find(&names, text[i], strlen(text[i])), WEIR_MAP_NONE);
                assert_int_equal(++failures, 1);
            }
            for (uint32_t j = 0; j <= i; j++)
                assert_int_equal(weir_names_find(&names, text[j], strlen(text[j])), j);
        }
        weir_names_free(&names);
        refuse_end();
        assert_int_equal(failures, memory.refused);
        assert_int_equal(memory.live, 0);
    }
    assert_true(memory.number > 5);
}
