/* SPDX-License-Identifier: Apache-2.0 */
/* The DOT reader. Start it in a copy of corpus/dot, with dot.dict. */
#include "read_once.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    const struct weir_read_options options = {.queue = 3};
    weir_fuzz_read(bytes, size, &options);
    return 0;
}
