/* SPDX-License-Identifier: Apache-2.0 */
/* A random application of Holoscan as a model file. */
#ifndef WEIR_PROPERTY_HOLOSCAN_MODEL_H
#define WEIR_PROPERTY_HOLOSCAN_MODEL_H

#include "support/oracle/sdk.h"

#include <stddef.h>

/* The whole of `text` is written: what is left of it is 0. */
void holoscan_write(const struct sdk_app *app, char *text, size_t size);

#endif
