/* SPDX-License-Identifier: Apache-2.0 */
#include "support/runner.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* WEIR_GROUPS comes from tests/CMakeLists.txt: GROUP(yaml) GROUP(dot) ... */
#define GROUP(name) __attribute__((weak)) int name##_group(void); /* of files that have setups of their own */
WEIR_GROUPS
#undef GROUP

#define GROUP(name) {#name, name##_group},
static const struct group {
    const char *name;
    int (*run)(void);
} groups[] = {WEIR_GROUPS};

enum { GROUPS = sizeof groups / sizeof *groups, TESTS_MAX = 2000 };

static struct CMUnitTest tests[TESTS_MAX];
static const char *files[TESTS_MAX];
static size_t test_count;

void runner_add(const char *file, const char *name, CMUnitTestFunction test)
{
    const char *slash = strrchr(file, '/');
    assert_true(test_count < TESTS_MAX);
    files[test_count] = slash ? slash + 1 : file;
    tests[test_count++] = (struct CMUnitTest){name, test, NULL, NULL, NULL};
}

/* Those of test_NAME.c, which stand together. */
static int run_one(const struct group *group)
{
    char file[128];
    size_t first = 0, count = 0;
    if (group->run)
        return group->run();
    snprintf(file, sizeof file, "test_%s.c", group->name);
    while (first < test_count && strcmp(files[first], file) != 0)
        first++;
    while (first + count < test_count && strcmp(files[first + count], file) == 0)
        count++;
    return count ? _cmocka_run_group_tests(group->name, tests + first, count, NULL, NULL) : 1;
}

static int by_name(const void *a, const void *b)
{
    const struct CMUnitTest *left = a, *right = b;
    return strcmp(left->name, right->name);
}

static struct CMUnitTest of_files[TESTS_MAX];
static size_t of_files_count;

/* Adds the files of folder/group that `takes` says yes to, as "group/name"; "" stands for the folder itself. */
static void add_files(const char *folder, const char *group, bool (*takes)(const char *name), CMUnitTestFunction run)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, group);
    DIR *opened = opendir(path);
    for (struct dirent *entry; opened && (entry = readdir(opened));) {
        if (!takes(entry->d_name))
            continue;
        snprintf(path, sizeof path, "%s%s%s", group, *group ? "/" : "", entry->d_name);
        char *copy = strdup(path);
        assert_true(copy && of_files_count < TESTS_MAX);
        of_files[of_files_count++] = (struct CMUnitTest){copy, run, NULL, NULL, copy};
    }
    if (opened)
        closedir(opened);
}

int runner_folder(const char *folder, size_t least, bool (*takes)(const char *name), CMUnitTestFunction run)
{
    DIR *opened = opendir(folder);
    for (struct dirent *entry; opened && (entry = readdir(opened));)
        if (entry->d_type == DT_DIR && entry->d_name[0] != '.')
            add_files(folder, entry->d_name, takes, run);
    if (opened)
        closedir(opened);
    add_files(folder, "", takes, run);
    if (of_files_count < least) {
        fprintf(stderr, "only %zu files in %s\n", of_files_count, folder);
        return 1;
    }
    qsort(of_files, of_files_count, sizeof *of_files, by_name);
    int failed = _cmocka_run_group_tests(folder, of_files, of_files_count, NULL, NULL);
    for (size_t i = 0; i < of_files_count; i++)
        free(of_files[i].initial_state);
    return failed != 0;
}

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
            failed += run_one(&groups[i]) != 0;
        }
    if (!found)
        fprintf(stderr, "there is no group %s; --list names them\n", words[1]);
    return failed || !found;
}
