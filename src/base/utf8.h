/* SPDX-License-Identifier: Apache-2.0 */
/* One character of text after another, for the writers that have to quote it. */
#ifndef WEIR_BASE_UTF8_H
#define WEIR_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Decodes the character at `text`, which is not at its end, and returns its bytes. Where no valid sequence stands, *code is
 * WEIR_UTF8_INVALID and one byte is to be skipped. */
#define WEIR_UTF8_INVALID UINT32_MAX
size_t weir_utf8_next(const char *text, uint32_t *code);
/* Whether a character begins with this byte; otherwise it continues one. Columns of mistakes count characters. */
static inline bool weir_utf8_begins(int byte)
{
    return (byte & 0xc0) != 0x80;
}
/* Valid, and free of control characters: what a name in a file may be. */
bool weir_utf8_is_text(const char *text);

#endif
