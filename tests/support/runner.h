/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tests of a folder are one program: linking the library once is much of what a test costs to build. Each file test_NAME.c is a
 * group of tests, each of which is written TEST(what_holds) { ... }. A file whose tests need a setup has a function `int
 * NAME_group(void)` instead, which runs them with cmocka and returns 0 when all pass.
 *
 *     PROGRAM                       runs every group
 *     PROGRAM GROUP [ARGUMENT]...   runs one
 *     PROGRAM --list                names them
 */
#ifndef WEIR_TESTS_RUNNER_H
#define WEIR_TESTS_RUNNER_H

/* cmocka wants these before it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define TEST(name)                                                                                                                 \
    static void name(void **state);                                                                                                \
    __attribute__((constructor)) static void add_##name(void)                                                                      \
    {                                                                                                                              \
        runner_add(__FILE__, #name, name);                                                                                         \
    }                                                                                                                              \
    static void name(__attribute__((unused)) void **state)

void runner_add(const char *file, const char *name, CMUnitTestFunction test);

/* A test for each file of the folder and of the folders in it that `takes` says yes to, which is told the file's path from the
 * folder on; there are at least `least`. 0 when all pass. */
int runner_folder(const char *folder, size_t least, bool (*takes)(const char *name), CMUnitTestFunction run);

/* The argument behind the group's name, from 0; NULL when there are not so many. */
const char *runner_argument(int index);

/* Sanitizers make everything so many times slower. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define WEIR_SLOWDOWN 10
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define WEIR_SLOWDOWN 10
#endif
#endif
#ifndef WEIR_SLOWDOWN
#define WEIR_SLOWDOWN 1
#endif

#endif
