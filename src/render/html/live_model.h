/* SPDX-License-Identifier: Apache-2.0 */
/* A pipeline as the engines in the page want it. */
#ifndef WEIR_RENDER_HTML_LIVE_MODEL_H
#define WEIR_RENDER_HTML_LIVE_MODEL_H

#include "weir.h"

/* JSON: the model, which live.c reads, and the numbers in it that can be changed, each with its target in the words of `--what-if`.
 * Safe inside a <script> element. WEIR_INVALID where no file can hold the pipeline; nothing is written then. */
enum weir_status weir_live_write_model(const struct weir_pipeline *pipeline, FILE *out, struct weir_error *error);
/* Bytes as base64. */
void weir_live_write_base64(const unsigned char *bytes, size_t count, FILE *out);

#endif
