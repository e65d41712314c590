/* SPDX-License-Identifier: Apache-2.0 */
/* The YAML reader. Start it in a copy of corpus/yaml, with yaml.dict. */
#include "read_once.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    const struct weir_read_options options = {.extra_times = "33.3ms,5,1e-30", .no_files = true};
    weir_fuzz_read(bytes, size, &options);
    return 0;
}
