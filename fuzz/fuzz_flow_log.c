/* SPDX-License-Identifier: Apache-2.0 */
/* Logs of the flow tracker. Start it in a copy of corpus/flow_log, with flow_log.dict. */
#include "weir.h"

#include <stdlib.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* A model that was made can be written, and read again. */
static void write_and_read(const struct weir_pipeline *pipeline)
{
    char *text = NULL;
    size_t written = 0;
    struct weir_pipeline *again;
    FILE *out = open_memstream(&text, &written);
    if (!out || weir_pipeline_write_yaml(pipeline, out, NULL) || fclose(out) != 0)
        abort();
    if (weir_read_memory(text, written, "again", NULL, &again, NULL) ||
        weir_pipeline_operator_count(again) != weir_pipeline_operator_count(pipeline) ||
        weir_pipeline_queue_count(again) != weir_pipeline_queue_count(pipeline))
        abort();
    weir_pipeline_free(again);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static FILE *file;
    char path[32];
    if (!file)
        file = tmpfile();
    if (!file || ftruncate(fileno(file), 0) != 0 || pwrite(fileno(file), bytes, size, 0) != (ssize_t)size)
        abort();
    snprintf(path, sizeof path, "/dev/fd/%d", fileno(file));
    struct weir_errors *errors = weir_errors_new(), *notes = weir_errors_new();
    struct weir_holoscan_file log = {.path = path, .times_only = size % 5 == 4};
    struct weir_holoscan_options options = {.files = &log,
                                            .file_count = 1,
                                            .margin_permille = (uint32_t)(size % 3) * 250,
                                            .queue = (uint32_t)(size % 4),
                                            .notes = notes};
    struct weir_pipeline *pipeline;
    enum weir_status status = weir_holoscan_read(&options, &pipeline, errors);
    if ((status == WEIR_OK) != (pipeline != NULL) || (status == WEIR_OK) != (weir_errors_count(errors) == 0))
        abort();
    if (pipeline)
        write_and_read(pipeline);
    weir_pipeline_free(pipeline);
    weir_errors_free(errors);
    weir_errors_free(notes);
    return 0;
}
