/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json_check [PATH]: is standard input one JSON text, to the letter of RFC 8259 (UTF-8 included)? With a PATH such as
 * latency.0.worst also prints the value there as it is written, and fails when there is none.
 *
 * A recursive descent: it reads what the tests have made, not what a user wrote.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct input {
    const char *at;
    const char *path;  /* what is left of it here; NULL: not on the way */
    const char *found; /* the value looked for */
    size_t found_bytes;
};

static void fail(const struct input *input, const char *expected)
{
    fprintf(stderr, "expected %s before: %.40s\n", expected, *input->at ? input->at : "(the end)");
    exit(1);
}

static void skip_space(struct input *input)
{
    input->at += strspn(input->at, " \t\r\n");
}

static void take(struct input *input, const char *text)
{
    if (strncmp(input->at, text, strlen(text)) != 0)
        fail(input, text);
    input->at += strlen(text);
}

static void read_character(struct input *input)
{
    const unsigned char *s = (const unsigned char *)input->at;
    size_t more = *s < 0x80 ? 0 : *s >= 0xc2 && *s < 0xe0 ? 1 : *s >= 0xe0 && *s < 0xf0 ? 2 : *s >= 0xf0 && *s < 0xf5 ? 3 : 9;
    if (*s < 0x20 || more == 9)
        fail(input, "a character");
    for (size_t i = 1; i <= more; i++)
        if ((s[i] & 0xc0) != 0x80)
            fail(input, "UTF-8");
    input->at += 1 + more;
}

static void read_string(struct input *input)
{
    take(input, "\"");
    while (*input->at != '"') {
        if (*input->at != '\\') {
            read_character(input);
        } else if (input->at[1] == 'u') {
            if (strspn(input->at + 2, "0123456789abcdefABCDEF") < 4)
                fail(input, "four hexadecimal digits");
            input->at += 6;
        } else {
            if (!input->at[1] || !strchr("\"\\/bfnrt", input->at[1]))
                fail(input, "an escape");
            input->at += 2;
        }
    }
    input->at++;
}

static void read_digits(struct input *input)
{
    size_t count = strspn(input->at, "0123456789");
    if (count == 0)
        fail(input, "a digit");
    input->at += count;
}

static void read_number(struct input *input)
{
    input->at += *input->at == '-';
    if (input->at[0] == '0' && input->at[1] >= '0' && input->at[1] <= '9')
        fail(input, "no leading zero");
    read_digits(input);
    if (*input->at == '.') {
        input->at++;
        read_digits(input);
    }
    if (*input->at == 'e' || *input->at == 'E') {
        input->at++;
        input->at += *input->at == '-' || *input->at == '+';
        read_digits(input);
    }
}

/* What is left of the path behind `key`, NULL when the path leads elsewhere. */
static const char *follow(const char *path, const char *key, size_t bytes)
{
    if (!path || strncmp(path, key, bytes) != 0 || (path[bytes] && path[bytes] != '.'))
        return NULL;
    return path + bytes + (path[bytes] == '.');
}

static void read_value(struct input *input);

/* The entries of an object or an array; input->at is behind the bracket. */
static void read_entries(struct input *input, bool object)
{
    const char *path = input->path, close = object ? '}' : ']';
    skip_space(input);
    for (int number = 0; *input->at != close; number++) {
        char index[16];
        snprintf(index, sizeof index, "%d", number);
        input->path = object ? NULL : follow(path, index, strlen(index));
        if (number > 0) {
            take(input, ",");
            skip_space(input);
        }
        if (object) {
            const char *key = input->at + 1;
            read_string(input);
            input->path = follow(path, key, (size_t)(input->at - key - 1));
            skip_space(input);
            take(input, ":");
        }
        read_value(input);
    }
    input->at++;
    input->path = NULL;
}

static void read_value(struct input *input)
{
    skip_space(input);
    const char *begin = input->at;
    bool wanted = input->path && !*input->path;
    if (wanted)
        input->path = NULL;
    switch (*begin) {
    case '{':
    case '[':
        input->at++;
        read_entries(input, *begin == '{');
        break;
    case '"':
        read_string(input);
        break;
    case 't':
        take(input, "true");
        break;
    case 'f':
        take(input, "false");
        break;
    case 'n':
        take(input, "null");
        break;
    default:
        read_number(input);
    }
    if (wanted) {
        input->found = begin;
        input->found_bytes = (size_t)(input->at - begin);
    }
    skip_space(input);
}

int main(int argc, char **argv)
{
    size_t bytes = 0, capacity = 1 << 16;
    char *text = malloc(capacity);
    for (size_t got = 1; text && got > 0; bytes += got) {
        if (bytes + 1 >= capacity)
            text = realloc(text, capacity *= 2);
        got = text ? fread(text + bytes, 1, capacity - bytes - 1, stdin) : 0;
    }
    if (!text)
        return 1;
    text[bytes] = 0;
    struct input input = {.at = text, .path = argc > 1 && argv[1][0] ? argv[1] : NULL};
    bool asked = input.path != NULL;
    read_value(&input);
    if (input.at != text + bytes)
        fail(&input, "the end");
    if (asked && !input.found)
        fprintf(stderr, "nothing at %s\n", argv[1]);
    else if (asked)
        printf("%.*s\n", (int)input.found_bytes, input.found);
    int status = asked && !input.found;
    free(text);
    return status;
}
