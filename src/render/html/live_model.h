/* SPDX-License-Identifier: Apache-2.0 */
/* A pipeline as the engine in the page wants it. */
#ifndef WEIR_RENDER_HTML_LIVE_MODEL_H
#define WEIR_RENDER_HTML_LIVE_MODEL_H

#include "weir.h"

/* JSON: what assets/live.js passes to live.c, call by call. Safe inside a <script> element: no "</" and no "<!--". Of a sealed
 * pipeline whose operators have threads of their own. Errors of `out` are left to whoever closes it. */
void weir_live_write_model(const struct weir_pipeline *pipeline, FILE *out);
/* Bytes as base64. */
void weir_live_write_base64(const unsigned char *bytes, size_t count, FILE *out);

#endif
