/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tests of a folder are one program: linking the library once is much of what a test costs to build. Each file test_NAME.c is a
 * group of tests, and ends with a function `int NAME_group(void)` that runs them with cmocka and returns 0 when all pass.
 *
 *     PROGRAM                       runs every group
 *     PROGRAM GROUP [ARGUMENT]...   runs one
 *     PROGRAM --list                names them
 */
#ifndef WEIR_TESTS_RUNNER_H
#define WEIR_TESTS_RUNNER_H

/* The argument behind the group's name, from 0; NULL when there are not so many. */
const char *runner_argument(int index);

#endif
