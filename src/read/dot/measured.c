/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Times in the labels of nodes: the performance graphs of HoloHub have no attribute for them. A label is the name of the operator
 * and lines of "avg: 23.58", "min: 2.49" and "max: 28.14", in milliseconds; older programs write no minimum. What the labels of
 * edges say is the time from one publish() to the next receive(), which the analysis finds out for itself.
 */
#include "read/dot/dot.h"

#include <ctype.h>
#include <string.h>

#define MESSAGES "Number of messages at sink:"

/* What ends a line of a label: a line feed, or a backslash and the letter of an alignment. 0: nothing does here. */
static size_t line_end(const char *at, size_t left)
{
    if (*at == '\n' || *at == '\r')
        return 1;
    return left > 1 && *at == '\\' && (at[1] == 'n' || at[1] == 'l' || at[1] == 'r') ? 2 : 0;
}

bool weir_text_is_measured(const struct weir_file_text *text)
{
    static const char word[] = "max: ";
    const size_t bytes = sizeof word - 1;
    for (size_t i = 2; i + bytes < text->size; i++) {
        const char *at = memchr(text->bytes + i, 'm', text->size - i - bytes);
        if (!at)
            return false;
        i = (size_t)(at - text->bytes);
        if (memcmp(at, word, bytes) == 0 && (line_end(at - 1, 1) || line_end(at - 2, 2) == 2))
            return true;
    }
    return false;
}

/* What stands behind `word` at the beginning of a line, the last of those that do; up to the end of that line. NULL: none. */
static const char *find_line(const char *label, const char *word, size_t *bytes)
{
    const char *found = NULL, *line = label;
    size_t length = strlen(word);
    while (line) {
        const char *end = line;
        size_t gap = 0;
        while (*end && (gap = line_end(end, 2)) == 0)
            end++;
        while (line < end && *line == ' ')
            line++;
        if ((size_t)(end - line) >= length && memcmp(line, word, length) == 0) {
            found = line + length;
            *bytes = (size_t)(end - found);
        }
        line = *end ? end + gap : NULL;
    }
    return found;
}

/* One time of a label in milliseconds, WEIR_NO_TIME when it has none of the name. */
static uint32_t label_time(struct weir_dot_parser *p, const struct weir_dot_node *node, const char *word, const char *what)
{
    char text[64], quoted[WEIR_QUOTED];
    size_t bytes = 0;
    struct weir_draft *d = p->draft;
    struct weir_decimal value;
    const char *found = find_line(node->label, word, &bytes);
    if (!found)
        return WEIR_NO_TIME;
    for (; bytes && *found == ' '; found++)
        bytes--;
    while (bytes && found[bytes - 1] == ' ')
        bytes--;
    snprintf(text, sizeof text, "%.*s", bytes < sizeof text ? (int)bytes : (int)sizeof text - 1, found);
    enum weir_decimal_fault fault = weir_decimal_parse(text, &value);
    if (fault == WEIR_DECIMAL_OK && value.mantissa >= 0 && bytes < sizeof text) {
        if (!value.has_unit) {
            value.has_unit = true;
            value.unit = WEIR_UNIT_MS;
        }
        return weir_draft_decimal(d, &value, node->label_place);
    }
    weir_draft_mistake(d, node->label_place, "the %s in this label must be a number of milliseconds from 0 on, not \"%s\"", what,
                       weir_quote(text, quoted));
    return weir_draft_bad_time(d, node->label_place);
}

bool weir_dot_measure(struct weir_dot_parser *p, uint32_t op)
{
    struct weir_dot_node *n = &p->nodes[op];
    size_t mistakes = p->draft->mistakes;
    if (n->worst != WEIR_NO_TIME || n->best != WEIR_NO_TIME || !n->label)
        return false;
    n->worst = label_time(p, n, "max:", "maximum");
    if (n->worst != WEIR_NO_TIME)
        n->best = label_time(p, n, "min:", "minimum");
    return n->worst != WEIR_NO_TIME && p->draft->mistakes == mistakes;
}

uint64_t weir_dot_messages(const struct weir_dot_parser *p)
{
    size_t bytes = 0;
    uint64_t count = 0;
    const char *found = p->label ? find_line(p->label, MESSAGES, &bytes) : NULL;
    for (; found && bytes && *found == ' '; found++)
        bytes--;
    for (size_t i = 0; found && i < bytes; i++) {
        if (!isdigit((unsigned char)found[i]) || count > UINT32_MAX)
            return 0;
        count = count * 10 + (uint64_t)(found[i] - '0');
    }
    return count;
}
