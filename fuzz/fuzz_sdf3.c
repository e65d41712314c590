/* SPDX-License-Identifier: Apache-2.0 */
/* The SDF3 reader. Start it in a copy of corpus/sdf3, with sdf3.dict. */
#include "read_once.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    const struct weir_read_options options = {.queue = 2};
    weir_fuzz_read(bytes, size, &options);
    return 0;
}
