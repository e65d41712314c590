/* SPDX-License-Identifier: Apache-2.0 */
/* Logs of the flow tracker. Start it in a copy of corpus/flow_log, with flow_log.dict. */
#include "read_once.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    char path[32];
    weir_fuzz_put_file(0, bytes, size, path);
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
        weir_fuzz_read_again(pipeline);
    weir_pipeline_free(pipeline);
    weir_errors_free(errors);
    weir_errors_free(notes);
    return 0;
}
