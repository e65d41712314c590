/* SPDX-License-Identifier: Apache-2.0 */
/* Looking at pictures without eyes. */
#ifndef WEIR_TESTS_SVG_H
#define WEIR_TESTS_SVG_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* Every element is closed, in order; text holds no stray reserved character. */
static inline void svg_check_markup(const char *text)
{
    const char *open[16] = {0};
    size_t lengths[16] = {0}, depth = 0;
    while ((text = strchr(text, '<'))) {
        const char *end = strchr(text, '>'), *name = text + 1;
        assert_non_null(end);
        bool closing = *name == '/';
        name += closing;
        size_t length = strcspn(name, " />");
        assert_true(length > 0);
        assert_null(memchr(name, '<', (size_t)(end - name)));
        if (closing) {
            assert_true(depth > 0);
            depth--;
            assert_int_equal(length, lengths[depth]);
            assert_memory_equal(name, open[depth], length);
        } else if (end[-1] != '/') {
            assert_true(depth < 16);
            open[depth] = name;
            lengths[depth++] = length;
        }
        text = end;
    }
    assert_int_equal(depth, 0);
}

static inline size_t svg_count(const char *text, const char *part)
{
    size_t count = 0;
    for (; (text = strstr(text, part)); text++)
        count++;
    return count;
}

#endif
