/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEIR_FUZZ_READ_ONCE_H
#define WEIR_FUZZ_READ_ONCE_H

#include "weir.h"

/* Reads the bytes as a model and frees what comes of it. Aborts when the reader breaks its word: a pipeline or mistakes, never
 * both or neither; mistakes in the order of the file; and a model that was read can be written, and read again as the same. */
void weir_fuzz_read(const uint8_t *bytes, size_t size, const struct weir_read_options *options);

/* Aborts unless the model can be written, and read again as the same. */
void weir_fuzz_read_again(const struct weir_pipeline *pipeline);
/* A file with these bytes, without a name, which is there until the process ends; `number` is below WEIR_FUZZ_FILES. */
#define WEIR_FUZZ_FILES 6
void weir_fuzz_put_file(size_t number, const void *bytes, size_t size, char path[32]);

#endif
