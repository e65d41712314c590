/* SPDX-License-Identifier: Apache-2.0 */
/* Comma-separated values, after RFC 4180. */
#ifndef WEIR_BASE_CSV_H
#define WEIR_BASE_CSV_H

#include <stdio.h>

/* A field, in quotes where it needs them. */
void weir_csv_field(FILE *out, const char *text);

#endif
