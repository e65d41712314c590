/* SPDX-License-Identifier: Apache-2.0 */
/* A model file as it is written, in YAML or JSON: keys and values at its top, sections with an entry per line. */
#ifndef WEIR_FORMAT_EMIT_H
#define WEIR_FORMAT_EMIT_H

#include "base/json.h"

/* Zero-initialise, set the first two and `json.out`, which is the stream of either. */
struct weir_emit {
    const struct weir_pipeline *pipeline;
    bool is_json;
    struct weir_json json;
    unsigned depth; /* YAML: mappings that are open in this line */
    bool filled;    /* ... the innermost has a key */
};

/* The file as a whole: braces in JSON. */
void weir_emit_begin(struct weir_emit *emit);
void weir_emit_finish(struct weir_emit *emit);

/* A section, and its entries: mappings with a name each, or without one in a list. YAML has no section without an entry. */
void weir_emit_section(struct weir_emit *emit, const char *key, bool list);
void weir_emit_section_end(struct weir_emit *emit);
void weir_emit_entry(struct weir_emit *emit, const char *name); /* NULL: of a list */
/* YAML: "a -> b" as an entry of a list; false where the names need more than that, or in JSON. */
bool weir_emit_arrow(struct weir_emit *emit, const char *from, const char *to);

/* A key, and what stands behind it. */
void weir_emit_key(struct weir_emit *emit, const char *key);
void weir_emit_map(struct weir_emit *emit);
void weir_emit_end(struct weir_emit *emit); /* of a mapping or entry */
void weir_emit_text(struct weir_emit *emit, const char *text);
void weir_emit_word(struct weir_emit *emit, const char *word); /* that YAML cannot take for anything else */
void weir_emit_integer(struct weir_emit *emit, int64_t value);
void weir_emit_flag(struct weir_emit *emit, bool value);
void weir_emit_time(struct weir_emit *emit, int64_t ticks);
void weir_emit_interval(struct weir_emit *emit, int64_t least, int64_t most);

#endif
