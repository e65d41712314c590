/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads every bad file of the folders here and compares each mistake: line, column and words. A file says what it expects in
 * comments
 * ("# expect: 4:13: ..." or "// expect: ..."), or FILE.expect beside it has a line for each mistake.
 */
#include "support/refuse.h"
#include "support/runner.h"
#include "weir.h"

#include <stdlib.h>
#include <string.h>

#define FOLDER WEIR_SOURCE_DIR "/tests/bad"
#define FILES_MIN 300 /* there are more; fewer means that the folder was not found as it is */

struct bytes {
    char *data;
    size_t size;
};

static struct bytes load(const char *name, const char *suffix)
{
    char path[4096];
    snprintf(path, sizeof path, FOLDER "/%s%s", name, suffix);
    FILE *file = fopen(path, "rb");
    struct bytes all = {NULL, 0};
    if (!file)
        return all;
    size_t room = 1 << 16;
    all.data = malloc(room);
    assert_non_null(all.data);
    all.size = fread(all.data, 1, room - 1, file);
    all.data[all.size] = 0;
    fclose(file);
    return all;
}

/* What is expected, a mistake to a line. */
static char *expectations(const char *name, const struct bytes *text)
{
    struct bytes beside = load(name, ".expect");
    if (beside.data)
        return beside.data;
    char *found = calloc(1, text->size + 1);
    assert_non_null(found);
    for (char *line = text->data; line && *line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
        static const char *const marks[] = {"# expect: ", "// expect: "};
        for (size_t i = 0; i < 2; i++) {
            size_t length = strlen(marks[i]);
            if (strncmp(line, marks[i], length) == 0)
                strncat(found, line + length, strcspn(line + length, "\n") + 1);
        }
    }
    return found;
}

static char *mistakes(const struct weir_errors *errors)
{
    size_t room = weir_errors_count(errors) * (sizeof(struct weir_error) + 32) + 1, used = 0;
    char *text = calloc(1, room);
    assert_non_null(text);
    for (size_t i = 0; i < weir_errors_count(errors); i++) {
        const struct weir_error *e = weir_errors_at(errors, i);
        assert_int_equal(e->status == WEIR_OK, false);
        assert_string_equal(e->file, "file");
        used += (size_t)snprintf(text + used, room - used, "%u:%u: %s\n", e->line, e->column, e->message);
    }
    return text;
}

/* A bad file is bad, and leaves nothing behind, whichever allocation fails. */
static void refuse_each(const struct bytes *text)
{
    struct refuse memory = {0};
    while (refuse_next(&memory)) {
        struct weir_pipeline *pipeline = NULL;
        enum weir_status status = weir_read_memory(text->data, text->size, "file", NULL, &pipeline, NULL);
        refuse_end();
        assert_null(pipeline);
        assert_true(status == WEIR_INVALID || status == WEIR_OVERFLOW || status == WEIR_MEMORY);
        assert_int_equal(memory.live, 0);
    }
}

static void one_file(void **state)
{
    const char *name = *state;
    struct bytes text = load(name, "");
    assert_non_null(text.data);
    char *expected = expectations(name, &text);
    assert_true(*expected);

    struct weir_errors *errors = weir_errors_new();
    struct weir_pipeline *pipeline = NULL;
    enum weir_status status = weir_read_memory(text.data, text.size, "file", NULL, &pipeline, errors);
    char *found = mistakes(errors);
    assert_true(status == WEIR_INVALID || status == WEIR_OVERFLOW);
    assert_null(pipeline);
    if (strcmp(found, expected) != 0)
        fail_msg("%s\nexpected:\n%sfound:\n%s", name, expected, found);
    refuse_each(&text);

    free(found);
    weir_errors_free(errors);
    free(expected);
    free(text.data);
}

static bool is_model(const char *name)
{
    static const char *const endings[] = {".yaml", ".json", ".dot", ".xml", ".grc"};
    const char *dot = strrchr(name, '.');
    for (size_t i = 0; dot && i < sizeof endings / sizeof *endings; i++)
        if (strcmp(dot, endings[i]) == 0)
            return true;
    return false;
}

int bad_group(void)
{
    return runner_folder(FOLDER, FILES_MIN, is_model, one_file);
}
