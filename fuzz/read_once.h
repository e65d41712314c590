/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEIR_FUZZ_READ_ONCE_H
#define WEIR_FUZZ_READ_ONCE_H

#include "weir.h"

/* Reads the bytes as a model and frees what comes of it. Aborts when the reader breaks its word: a pipeline or mistakes, never
 * both or neither; mistakes in the order of the file; and a model that was read can be written, and read again as the same. */
void weir_fuzz_read(const uint8_t *bytes, size_t size, const struct weir_read_options *options);

#endif
