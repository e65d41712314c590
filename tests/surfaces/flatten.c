/* SPDX-License-Identifier: Apache-2.0 */
/* flatten: JSON on standard input as lines of PATH<tab>VALUE: latency.0.worst, a tab, 46.75. Texts without quotes and escapes. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH_MAX 64
#define PATH_MAX_BYTES 4096

static struct {
    int next; /* a character not yet read */
    struct {
        int closing; /* what ends it */
        size_t index;
        size_t path_bytes; /* of the path that leads here */
    } levels[DEPTH_MAX];
    size_t depth, path_bytes;
    char path[PATH_MAX_BYTES];
} at;

static void give_up(const char *why)
{
    fprintf(stderr, "flatten: %s\n", why);
    exit(1);
}

static void skip_space(void)
{
    while (isspace(at.next))
        at.next = getchar();
}

static void extend_path(const char *text, size_t bytes)
{
    if (at.path_bytes + bytes + 2 > sizeof at.path)
        give_up("a path is too long");
    if (at.path_bytes > 0)
        at.path[at.path_bytes++] = '.';
    memcpy(at.path + at.path_bytes, text, bytes);
    at.path_bytes += bytes;
}

/* To `text`, which holds `size` bytes; what is more is left out. Returns the length. */
static size_t read_text(char *text, size_t size)
{
    size_t bytes = 0;
    while ((at.next = getchar()) != '"') {
        if (at.next == '\\')
            at.next = getchar();
        if (at.next == EOF)
            give_up("a text without an end");
        if (bytes < size)
            text[bytes++] = (char)(at.next == '\t' || at.next == '\n' ? ' ' : at.next);
    }
    at.next = getchar();
    return bytes;
}

static void open_level(int closing)
{
    if (at.depth == DEPTH_MAX)
        give_up("too deep");
    at.levels[at.depth].closing = closing;
    at.levels[at.depth].index = 0;
    at.levels[at.depth++].path_bytes = at.path_bytes;
    at.next = getchar();
}

/* After a value: closes what ends here, and leaves the path at the place of the next value. False at the end of it all. */
static int find_next(int first)
{
    while (at.depth > 0) {
        size_t level = at.depth - 1;
        at.path_bytes = at.levels[level].path_bytes;
        skip_space();
        if (at.next == at.levels[level].closing) {
            at.next = getchar();
            at.depth--;
            first = 0;
            continue;
        }
        if (!first && at.next != ',')
            give_up("neither , nor an end after a value");
        if (!first)
            at.next = getchar();
        skip_space();
        char key[256];
        if (at.levels[level].closing == '}') {
            if (at.next != '"')
                give_up("no key");
            extend_path(key, read_text(key, sizeof key));
            skip_space();
            if (at.next != ':')
                give_up("no : after a key");
            at.next = getchar();
        } else {
            extend_path(key, (size_t)snprintf(key, sizeof key, "%zu", at.levels[level].index++));
        }
        return 1;
    }
    return 0;
}

static void print_value(const char *text, size_t bytes)
{
    printf("%.*s\t%.*s\n", (int)at.path_bytes, at.path, (int)bytes, text);
}

int main(void)
{
    at.next = getchar();
    int more = 1;
    while (more) {
        char value[1024];
        skip_space();
        if (at.next == '{' || at.next == '[') {
            open_level(at.next == '{' ? '}' : ']');
            more = find_next(1);
            continue;
        }
        if (at.next == '"') {
            print_value(value, read_text(value, sizeof value));
        } else {
            size_t bytes = 0;
            for (; isalnum(at.next) || (at.next != EOF && strchr("+-.", at.next)); at.next = getchar())
                if (bytes < sizeof value)
                    value[bytes++] = (char)at.next;
            if (bytes == 0)
                give_up("no value");
            print_value(value, bytes);
        }
        more = find_next(0);
    }
    skip_space();
    return at.next != EOF;
}
