/* SPDX-License-Identifier: Apache-2.0 */
/* JSON, written as it goes. Numbers are exact decimals, never a double; text is always valid UTF-8. */
#ifndef WEIR_BASE_JSON_H
#define WEIR_BASE_JSON_H

#include "weir.h"

/* Zero-initialise, set `out`. Errors of the stream stay in the stream: ask ferror() at the end. */
struct weir_json {
    FILE *out;
    unsigned depth;
    uint64_t array_bits, line_bits; /* per level: an array (else an object); all on one line */
    bool filled, keyed;             /* something stands before on this level; a key has just been written */
};

enum weir_json_layout {
    WEIR_JSON_BLOCK, /* an entry per line */
    WEIR_JSON_LINE,  /* all in one line, with everything inside */
};

/* At most 64 levels. */
void weir_json_object(struct weir_json *json, enum weir_json_layout layout);
void weir_json_array(struct weir_json *json, enum weir_json_layout layout);
void weir_json_end(struct weir_json *json);
/* Begins the object that is a JSON schema of this title. */
void weir_json_schema(struct weir_json *json, const char *title);

/* A string with its quotes, outside of any structure; bytes that are not UTF-8 become U+FFFD. */
void weir_json_quote(FILE *out, const char *text);

void weir_json_key(struct weir_json *json, const char *key);
void weir_json_text(struct weir_json *json, const char *text); /* bytes that are not UTF-8 become U+FFFD */
void weir_json_integer(struct weir_json *json, int64_t value);
void weir_json_decimal(struct weir_json *json, int64_t ticks, unsigned digits); /* ticks / 10^digits, exactly */
/* The ratio / 10^digits: exact when it is whole, otherwise rounded up in the sixth decimal. */
void weir_json_ratio(struct weir_json *json, struct weir_ratio ratio, unsigned digits);
void weir_json_bool(struct weir_json *json, bool value);
void weir_json_null(struct weir_json *json);
void weir_json_raw(struct weir_json *json, const char *value); /* a value that is JSON already */

#endif
