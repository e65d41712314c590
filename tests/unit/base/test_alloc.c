/* SPDX-License-Identifier: Apache-2.0 */
#include "base/alloc.h"

#include "weir.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* An allocator that counts the blocks in use, and can be told to refuse. */
struct ledger {
    long live, calls;
    bool refuse;
};

static void *ledger_resize(void *context, void *old, size_t bytes)
{
    struct ledger *ledger = context;
    ledger->calls++;
    if (bytes == 0) {
        ledger->live -= old != NULL;
        free(old);
        return NULL;
    }
    if (ledger->refuse)
        return NULL;
    void *block = realloc(old, bytes);
    ledger->live += block && !old;
    return block;
}

static int use_ledger(void **state)
{
    static struct ledger ledger;
    ledger = (struct ledger){0};
    weir_set_allocator(&(struct weir_allocator){ledger_resize, &ledger});
    *state = &ledger;
    return 0;
}

static int drop_ledger(void **state)
{
    struct ledger *ledger = *state;
    weir_set_allocator(NULL);
    return ledger->live != 0;
}

static void everything_passes_the_hook(void **state)
{
    struct ledger *ledger = *state;
    void *block = weir_array(10, 4);
    assert_non_null(block);
    assert_int_equal(ledger->live, 1);
    weir_free(block);
    assert_int_equal(ledger->live, 0);
    weir_free(NULL);
    weir_set_allocator(NULL);
    long calls = ledger->calls;
    block = weir_array(10, 4);
    weir_free(block);
    assert_int_equal(ledger->calls, calls);
}

static void arrays_of_nothing_and_of_too_much(void **state)
{
    (void)state;
    void *nothing = weir_array(0, 8);
    assert_non_null(nothing);
    weir_free(nothing);
    assert_null(weir_array(SIZE_MAX, 2));
    assert_null(weir_array(SIZE_MAX / 2 + 1, 1)); /* fits size_t, but not a difference of pointers */
    assert_null(weir_array_zeroed(SIZE_MAX, SIZE_MAX));
}

static void zeroed_is_zero(void **state)
{
    (void)state;
    void *dirty = weir_array(64, 1);
    memset(dirty, 0xff, 64);
    weir_free(dirty);
    unsigned char *clean = weir_array_zeroed(16, 4);
    for (size_t i = 0; i < 64; i++)
        assert_int_equal(clean[i], 0);
    weir_free(clean);
}

static void reserve_grows_and_keeps(void **state)
{
    (void)state;
    void *array = NULL;
    size_t capacity = 0;
    for (size_t i = 0; i < 1000; i++) {
        assert_true(weir_reserve(&array, &capacity, i + 1, sizeof(size_t)));
        assert_true(capacity > i);
        ((size_t *)array)[i] = i * i;
    }
    for (size_t i = 0; i < 1000; i++)
        assert_int_equal(((size_t *)array)[i], i * i);
    size_t before = capacity;
    assert_true(weir_reserve(&array, &capacity, 5, sizeof(size_t)));
    assert_int_equal(capacity, before);
    weir_free(array);
}

static void reserve_grows_by_a_share(void **state)
{
    struct ledger *ledger = *state;
    void *array = NULL;
    size_t capacity = 0;
    for (size_t i = 1; i <= 100000; i++)
        assert_true(weir_reserve(&array, &capacity, i, 1));
    assert_in_range(ledger->calls, 1, 40);
    weir_free(array);
}

static void reserve_fails_without_loss(void **state)
{
    struct ledger *ledger = *state;
    void *array = NULL;
    size_t capacity = 0;
    assert_true(weir_reserve(&array, &capacity, 3, 1));
    memcpy(array, "ab", 3);
    void *old = array;
    size_t before = capacity;
    assert_false(weir_reserve(&array, &capacity, SIZE_MAX, 2));
    ledger->refuse = true;
    assert_false(weir_reserve(&array, &capacity, 1000, 1));
    assert_ptr_equal(array, old);
    assert_int_equal(capacity, before);
    assert_string_equal((char *)array, "ab");
    weir_free(array);
}

static void arena_blocks_are_aligned_and_apart(void **state)
{
    (void)state;
    struct weir_arena arena = {0};
    unsigned char *taken[500];
    for (size_t i = 0; i < 500; i++) {
        taken[i] = weir_arena_take(&arena, i);
        assert_non_null(taken[i]);
        assert_int_equal((uintptr_t)taken[i] % 16, 0);
        memset(taken[i], (int)(i % 251), i);
    }
    for (size_t i = 0; i < 500; i++)
        for (size_t j = 0; j < i; j++)
            assert_int_equal(taken[i][j], i % 251);
    weir_arena_free(&arena);
    assert_null(arena.last);
    weir_arena_free(&arena);
}

static void arena_takes_large_blocks_and_refuses_absurd_ones(void **state)
{
    struct ledger *ledger = *state;
    struct weir_arena arena = {0};
    char *large = weir_arena_take(&arena, 1000000);
    assert_non_null(large);
    memset(large, 1, 1000000);
    assert_null(weir_arena_take(&arena, SIZE_MAX));
    assert_null(weir_arena_take(&arena, SIZE_MAX - 15));
    char *text = weir_arena_text(&arena, "weir");
    assert_string_equal(text, "weir");
    ledger->refuse = true;
    assert_null(weir_arena_take(&arena, 5000));
    assert_string_equal(text, "weir");
    weir_arena_free(&arena);
}

int alloc_group(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(everything_passes_the_hook, use_ledger, drop_ledger),
        cmocka_unit_test(arrays_of_nothing_and_of_too_much),
        cmocka_unit_test(zeroed_is_zero),
        cmocka_unit_test_setup_teardown(reserve_grows_and_keeps, use_ledger, drop_ledger),
        cmocka_unit_test_setup_teardown(reserve_grows_by_a_share, use_ledger, drop_ledger),
        cmocka_unit_test_setup_teardown(reserve_fails_without_loss, use_ledger, drop_ledger),
        cmocka_unit_test_setup_teardown(arena_blocks_are_aligned_and_apart, use_ledger, drop_ledger),
        cmocka_unit_test_setup_teardown(arena_takes_large_blocks_and_refuses_absurd_ones, use_ledger, drop_ledger),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
