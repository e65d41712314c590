/* SPDX-License-Identifier: Apache-2.0 */
/* Several files of a Holoscan application that make one model. A line "=== NAME" begins the next file: "+" one for times only,
 * anything else the fragment that it is about, or "=== " alone. Start it in a copy of corpus/evidence, with evidence.dict. */
#include "read_once.h"

#include <stdlib.h>
#include <string.h>

#define FILES WEIR_FUZZ_FILES
#define DIVIDER "\n=== "

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void demand(bool what)
{
    if (!what)
        abort();
}

static size_t divide(char *text, char paths[FILES][32], struct weir_holoscan_file files[FILES])
{
    size_t count = 0;
    char *fragment = NULL;
    for (char *at = text, *next; at && count < FILES; at = next, count++) {
        next = strstr(at, DIVIDER);
        weir_fuzz_put_file(count, at, next ? (size_t)(next - at) : strlen(at), paths[count]);
        bool times = fragment && strcmp(fragment, "+") == 0;
        files[count] = (struct weir_holoscan_file){
            .path = paths[count], .times_only = times, .fragment = fragment && *fragment && !times ? fragment : NULL};
        if (!next)
            continue;
        fragment = next + strlen(DIVIDER);
        next = strchr(fragment, '\n');
        if (next)
            *next++ = 0;
    }
    return count;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    char paths[FILES][32];
    struct weir_holoscan_file files[FILES];
    char *text = malloc(size + 1);
    demand(text);
    memcpy(text, bytes, size);
    text[size] = 0;
    struct weir_errors *errors = weir_errors_new(), *notes = weir_errors_new();
    struct weir_holoscan_options options = {.files = files,
                                            .file_count = divide(text, paths, files),
                                            .margin_permille = (uint32_t)(size % 3) * 250,
                                            .queue = (uint32_t)(size % 4),
                                            .notes = notes};
    struct weir_pipeline *pipeline;
    enum weir_status status = weir_holoscan_read(&options, &pipeline, errors);
    demand((status == WEIR_OK) == (pipeline != NULL) && (status == WEIR_OK) == (weir_errors_count(errors) == 0));
    if (pipeline)
        weir_fuzz_read_again(pipeline);
    weir_pipeline_free(pipeline);
    weir_errors_free(errors);
    weir_errors_free(notes);
    free(text);
    return 0;
}
