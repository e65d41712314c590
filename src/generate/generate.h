/* SPDX-License-Identifier: Apache-2.0 */
/* What the generators share. */
#ifndef WEIR_GENERATE_GENERATE_H
#define WEIR_GENERATE_GENERATE_H

#include "base/error.h"
#include "base/random.h"

/* An empty pipeline with a name, a unit and a platform; NULL on failure. */
struct weir_generate_head {
    const char *name;
    enum weir_unit unit;
    unsigned digits;
    enum weir_platform platform;
    uint32_t cores; /* WEIR_PLATFORM_CORES */
};
enum weir_status weir_generate_begin(const struct weir_generate_head *head, struct weir_pipeline **made, struct weir_error *error);
/* Seals what was made, unless something has failed, when it is freed; it is NULL after a failure of weir_generate_begin. */
enum weir_status weir_generate_end(struct weir_pipeline *made, enum weir_status status, struct weir_pipeline **pipeline,
                                   struct weir_error *error);
/* The index of a name; `count`, with an error that suggests another, where there is none. `what`: "application". */
size_t weir_generate_find(const char *what, const char *name, const char *(*name_of)(size_t index), size_t count,
                          struct weir_error *error);
/* A, B, ... Z, AA, ...; where in `text` it begins. */
const char *weir_generate_letters(uint32_t index, char text[8]);

#endif
