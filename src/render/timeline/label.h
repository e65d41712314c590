/* SPDX-License-Identifier: Apache-2.0 */
/* Names in pictures, where there is room for some letters only. */
#ifndef WEIR_RENDER_TIMELINE_LABEL_H
#define WEIR_RENDER_TIMELINE_LABEL_H

#include <stdio.h>

/* How wide the text is, in columns: ideographs and their like take two, marks on a letter none. */
unsigned weir_label_columns(const char *text);
/* The text as part of an SVG, cut to that many columns, the last of which is an ellipsis then. */
void weir_label_put(FILE *out, const char *text, unsigned columns);

#endif
