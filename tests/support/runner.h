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

/* The argument behind the group's name, from 0; NULL when there are not so many. */
const char *runner_argument(int index);

#endif
