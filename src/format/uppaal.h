/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of an UPPAAL model, the same in XML and in text. */
#ifndef WEIR_FORMAT_UPPAAL_H
#define WEIR_FORMAT_UPPAAL_H

#include "format/hsdf.h"

struct weir_uppaal {
    const struct weir_hsdf *hsdf;
    struct weir_hsdf_chain chain;
    FILE *out;
    bool xml; /* what is special in XML is quoted */
};

struct weir_uppaal_location {
    const char *name;
    const char *invariant; /* NULL: none */
    int x, y;              /* where it is drawn */
};

struct weir_uppaal_edge {
    int from, to;
    const char *guard, *channel, *update; /* NULL: none */
};

struct weir_uppaal_template {
    const char *name;
    const char *parameters, *declaration; /* NULL: none */
    struct weir_uppaal_location locations[3];
    int location_count;
    struct weir_uppaal_edge edges[6];
    int edge_count;
};

/* Start, Body and Observer, in this order. */
#define WEIR_UPPAAL_TEMPLATES 3
extern const struct weir_uppaal_template weir_uppaal_templates[WEIR_UPPAAL_TEMPLATES];

/* What all templates share. */
void weir_uppaal_declare(const struct weir_uppaal *uppaal);
/* The instances and the system. */
void weir_uppaal_instantiate(const struct weir_uppaal *uppaal);

#endif
