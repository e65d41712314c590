/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEIR_FORMAT_XML_H
#define WEIR_FORMAT_XML_H

#include "base/error.h"

/* Text for an element or an attribute in double quotes. */
void weir_xml_text(FILE *out, const char *text);
/* Whether XML can hold the text at all: UTF-8 without control characters and without U+FFFE and U+FFFF. */
bool weir_xml_holds(const char *text);

#endif
