/* SPDX-License-Identifier: Apache-2.0 */
/* Versions, errors, memory. Stable: docs/reference/abi.md. */
#ifndef WEIR_BASE_H
#define WEIR_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define WEIR_API __attribute__((visibility("default")))
#else
#define WEIR_API
#endif

/* The version of this header; also as a string, "MAJOR.MINOR.PATCH", and as a number for comparisons: 0.2.0 is 200. The build
 * reads its version from here. */
#define WEIR_VERSION_MAJOR 0
#define WEIR_VERSION_MINOR 2
#define WEIR_VERSION_PATCH 0
#define WEIR_VERSION_NUMBER (WEIR_VERSION_MAJOR * 10000 + WEIR_VERSION_MINOR * 100 + WEIR_VERSION_PATCH)
#define WEIR_VERSION WEIR_VERSION_QUOTE(WEIR_VERSION_MAJOR, WEIR_VERSION_MINOR, WEIR_VERSION_PATCH)
#define WEIR_VERSION_QUOTE(major, minor, patch) WEIR_VERSION_JOIN(major, minor, patch)
#define WEIR_VERSION_JOIN(major, minor, patch) #major "." #minor "." #patch

/* The version of the library that is linked. */
WEIR_API const char *weir_version(void);

/* ---------------------------------------------------------------- errors */

enum weir_status {
    WEIR_OK = 0,
    WEIR_INVALID,  /* the input or the argument is wrong; the message says how */
    WEIR_MEMORY,   /* an allocation failed; nothing has changed */
    WEIR_OVERFLOW, /* a time or a count cannot be represented; there is never a wrong answer instead */
    WEIR_IO,       /* a file could not be read or written */
    WEIR_INTERNAL, /* a self-check of the library failed: a bug in weir */
};

/* Line and column count from 1; 0 means "not from a file". */
struct weir_error {
    enum weir_status status;
    uint32_t line, column;
    char file[256];
    char message[512];
};

/* All errors in one file, in their order. The caller owns it. */
struct weir_errors;
WEIR_API struct weir_errors *weir_errors_new(void); /* NULL when out of memory */
WEIR_API void weir_errors_free(struct weir_errors *errors);
WEIR_API size_t weir_errors_count(const struct weir_errors *errors);
WEIR_API const struct weir_error *weir_errors_at(const struct weir_errors *errors, size_t index);

/* ---------------------------------------------------------------- memory and numbers */

/* All memory of the library comes from here. resize(context, NULL, n) allocates, resize(context, p, 0)
 * frees and returns NULL. Call this once, before anything else; NULL restores the C library's functions. */
struct weir_allocator {
    void *(*resize)(void *context, void *old, size_t bytes);
    void *context;
};
WEIR_API void weir_set_allocator(const struct weir_allocator *allocator);
/* Frees what a function says is to be freed with it. */
WEIR_API void weir_free(void *memory);

/* In lowest terms. */
struct weir_ratio {
    int64_t numerator, denominator;
};

#ifdef __cplusplus
}
#endif
#endif
