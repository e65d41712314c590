/* SPDX-License-Identifier: Apache-2.0 */
/* Every allocation of every seed of the fuzz targets fails once. */
#include "support/refuse.h"
#include "weir.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define CORPUS WEIR_SOURCE_DIR "/fuzz/corpus"

static enum weir_status read_path(const char *path)
{
    struct weir_pipeline *pipeline = NULL;
    struct weir_errors *errors = weir_errors_new();
    if (!errors)
        return WEIR_MEMORY;
    enum weir_status status = weir_read_file(path, NULL, &pipeline, errors);
    assert_int_equal(status == WEIR_OK, pipeline != NULL);
    weir_pipeline_free(pipeline);
    weir_errors_free(errors);
    return status;
}

static void refuse_each(const char *path)
{
    enum weir_status usual = read_path(path);
    struct refuse memory = {0};
    while (refuse_next(&memory)) {
        enum weir_status status = read_path(path);
        refuse_end();
        /* A file may still be read when its first buffer is refused, and bad when the list of mistakes is. */
        if (memory.live || (status != usual && status != WEIR_MEMORY))
            fail_msg("%s: status %d, %ld blocks left when allocation %ld fails", path, (int)status, memory.live, memory.number);
    }
}

static void every_seed(void **state)
{
    const char *format = *state;
    char path[4096];
    snprintf(path, sizeof path, CORPUS "/%s", format);
    DIR *folder = opendir(path);
    assert_non_null(folder);
    int count = 0;
    for (struct dirent *entry; (entry = readdir(folder));) {
        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, CORPUS "/%s/%s", format, entry->d_name);
        refuse_each(path);
        count++;
    }
    closedir(folder);
    assert_in_range(count, 10, 10000);
}

int refuse_group(void)
{
    static char yaml[] = "yaml", dot[] = "dot";
    const struct CMUnitTest tests[] = {
        {"every_yaml_seed", every_seed, NULL, NULL, yaml},
        {"every_dot_seed", every_seed, NULL, NULL, dot},
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
