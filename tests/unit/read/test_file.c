/* SPDX-License-Identifier: Apache-2.0 */
/* Files: the ones there are, the ones there are not, and standard input. */
#include "reading.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static const char model[] = "operators: {a: 1, b: 2}\nqueues: [a -> b]\n";
static const char graph[] = "digraph { a [WCET=1]; b [WCET=2]; a -> b }";

static char folder[] = "/tmp/weir-read-XXXXXX";

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    return rmdir(folder);
}

static char *path_of(const char *name)
{
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static char *write_file(const char *name, const char *bytes, size_t size)
{
    char *path = path_of(name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    fclose(file);
    return path;
}

/* Reads and fails, with one mistake that has this status and these words, and the path as its file. */
static void assert_fails(const char *path, enum weir_status status, const char *words)
{
    struct weir_errors *errors = weir_errors_new();
    struct weir_pipeline *p = (struct weir_pipeline *)&errors;
    assert_int_equal(weir_read_file(path, NULL, &p, errors), status);
    assert_null(p);
    assert_int_equal(weir_errors_count(errors), 1);
    const struct weir_error *e = weir_errors_at(errors, 0);
    assert_int_equal(e->status, status);
    if (!strstr(e->message, words))
        fail_msg("%s", e->message);
    if (strcmp(path, "-") != 0)
        assert_string_equal(e->file, path);
    weir_errors_free(errors);
}

static void assert_reads(const char *path)
{
    struct weir_errors *errors = weir_errors_new();
    struct weir_pipeline *p = NULL;
    assert_int_equal(weir_read_file(path, NULL, &p, errors), WEIR_OK);
    assert_int_equal(weir_pipeline_operator_count(p), 2);
    assert_int_equal(weir_errors_count(errors), 0);
    weir_pipeline_free(p);
    weir_errors_free(errors);
}

static void content_decides_not_the_name(void **state)
{
    (void)state;
    static const char *const names[] = {"a.yaml", "a.dot", "a.json", "a", "a.txt"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        assert_reads(write_file(names[i], model, sizeof model - 1));
        assert_reads(write_file(names[i], graph, sizeof graph - 1));
        unlink(path_of(names[i]));
    }
}

static void what_is_not_there(void **state)
{
    (void)state;
    assert_fails(path_of("missing.yaml"), WEIR_IO, "No such file");
    assert_fails(path_of("missing/model.yaml"), WEIR_IO, "No such file");
    assert_fails(folder, WEIR_IO, "directory");
    assert_fails("", WEIR_IO, "No such file");
}

static void what_may_not_be_read(void **state)
{
    (void)state;
    if (geteuid() == 0)
        skip(); /* root may read everything */
    char *path = write_file("secret.yaml", model, sizeof model - 1);
    chmod(path, 0);
    assert_fails(path, WEIR_IO, "Permission denied");
    unlink(path);
}

static void what_is_too_large(void **state)
{
    (void)state;
    char *path = write_file("large.dot", graph, sizeof graph - 1);
    if (truncate(path, (off_t)3 << 30) != 0) { /* sparse: no room is needed */
        unlink(path);
        skip();
    }
    assert_fails(path, WEIR_INVALID, "too large");
    unlink(path);
}

static void what_is_empty_or_no_text(void **state)
{
    (void)state;
    char *path = write_file("empty.yaml", "", 0);
    assert_fails(path, WEIR_INVALID, "this file is empty");
    write_file("empty.yaml", "operators:\0", 11);
    assert_fails(path, WEIR_INVALID, "control character 0x00");
    unlink(path);
    assert_fails("/dev/null", WEIR_INVALID, "this file is empty");
    assert_fails("/dev/zero", WEIR_INVALID, "control character 0x00"); /* which never ends */
}

/* With `bytes` as standard input. */
static void with_input(const char *bytes, size_t size, void (*check)(const char *path))
{
    int ends[2], kept = dup(STDIN_FILENO);
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], bytes, size), (ssize_t)size);
    close(ends[1]);
    dup2(ends[0], STDIN_FILENO);
    close(ends[0]);
    check("-");
    dup2(kept, STDIN_FILENO);
    close(kept);
}

static void assert_bad_input(const char *path)
{
    struct weir_errors *errors = weir_errors_new();
    struct weir_pipeline *p = NULL;
    assert_int_equal(weir_read_file(path, NULL, &p, errors), WEIR_INVALID);
    assert_string_equal(weir_errors_at(errors, 0)->file, "<stdin>");
    weir_errors_free(errors);
}

static void standard_input(void **state)
{
    (void)state;
    with_input(model, sizeof model - 1, assert_reads);
    with_input(graph, sizeof graph - 1, assert_reads);
    with_input("", 0, assert_bad_input);
}

/* Mistakes name the file, whose text is gone by then. */
static void mistakes_found_at_the_end(void **state)
{
    (void)state;
    const char text[] = "operators: {a: 1, b: 2}\nqueues: [a -> b, b -> b]\n";
    char *path = write_file("cycle.yaml", text, sizeof text - 1);
    assert_fails(path, WEIR_INVALID, "b -> b");
    unlink(path);
}

int file_group(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(content_decides_not_the_name), cmocka_unit_test(what_is_not_there),
        cmocka_unit_test(what_may_not_be_read),         cmocka_unit_test(what_is_too_large),
        cmocka_unit_test(what_is_empty_or_no_text),     cmocka_unit_test(standard_input),
        cmocka_unit_test(mistakes_found_at_the_end),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
