/* SPDX-License-Identifier: Apache-2.0 */
#include "support/runner.h"

#include <stdio.h>
#include <string.h>

/* WEIR_GROUPS comes from tests/CMakeLists.txt: GROUP(yaml) GROUP(dot) ... */
#define GROUP(name) int name##_group(void);
WEIR_GROUPS
#undef GROUP

#define GROUP(name) {#name, name##_group},
static const struct group {
    const char *name;
    int (*run)(void);
} groups[] = {WEIR_GROUPS};

enum { GROUPS = sizeof groups / sizeof *groups };

static int argument_count;
static char **arguments;

const char *runner_argument(int index)
{
    return index < argument_count ? arguments[index] : NULL;
}

int main(int count, char **words)
{
    int failed = 0, found = 0;
    if (count == 2 && strcmp(words[1], "--list") == 0) {
        for (int i = 0; i < GROUPS; i++)
            puts(groups[i].name);
        return 0;
    }
    argument_count = count > 2 ? count - 2 : 0;
    arguments = words + 2;
    for (int i = 0; i < GROUPS; i++)
        if (count < 2 || strcmp(words[1], groups[i].name) == 0) {
            found++;
            failed += groups[i].run() != 0;
        }
    if (!found)
        fprintf(stderr, "there is no group %s; --list names them\n", words[1]);
    return failed || !found;
}
