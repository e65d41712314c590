/* SPDX-License-Identifier: Apache-2.0 */
/* Libraries that are loaded when they are needed, because most uses of weir do without them. */
#ifndef WEIR_BASE_LIBRARY_H
#define WEIR_BASE_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

/* The first of the names that there is, for the rest of the process; NULL when there is none. The list ends with NULL. */
void *weir_library_open(const char *const *names);

/* Sets the pointer to a function, which has `size` bytes; false, and it is NULL, when the library has no such function. */
bool weir_library_find(void *library, const char *name, void *function, size_t size);

#endif
