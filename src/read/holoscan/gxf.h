/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Applications of GXF: gxf_graph.c goes through documents and components, gxf_terms.c knows what scheduling terms say. Entities
 * that are connected are operators; all others (clocks, allocators, schedulers) are none.
 */
#ifndef WEIR_READ_HOLOSCAN_GXF_H
#define WEIR_READ_HOLOSCAN_GXF_H

#include "read/holoscan/evidence.h"
#include "read/yaml/tree.h"

enum weir_gxf_kind { WEIR_GXF_ENTITY, WEIR_GXF_INPUT, WEIR_GXF_OUTPUT };

/* An entity or a port. Its name is in the draft, under the same number: ENTITY, or ENTITY \n PORT. */
struct weir_gxf_item {
    enum weir_gxf_kind kind;
    uint32_t entity;                /* the item of the entity of a port */
    struct weir_evidence_port port; /* of an entity only the operator: WEIR_NO_OPERATOR as long as nothing is connected to it */
    bool term;                      /* something waits for it */
    bool broadcast;                 /* of an entity: hands each message to all of its outputs */
    const struct weir_yaml_node *period; /* of an entity; NULL: none */
    enum weir_arrivals arrivals;
    struct weir_place place;
};

struct weir_gxf {
    struct weir_evidence_reader *t;
    struct weir_gxf_item *items; /* as many as the draft has names */
    size_t item_capacity;
    bool connected; /* at least one connection was found */
};

/* A component of a document. */
struct weir_gxf_component {
    const char *type;                        /* behind the last "::" */
    const struct weir_yaml_node *name;       /* NULL: none */
    const struct weir_yaml_node *parameters; /* a mapping; NULL: none */
    const struct weir_yaml_node *node;
    uint32_t entity; /* an item; WEIR_NO_OPERATOR: of a document without a name */
};

/* ---- gxf_graph.c ---- */

/* The value of a key; NULL when there is none, or nothing in it. `map` may be NULL. */
const struct weir_yaml_node *weir_gxf_value(const struct weir_yaml_node *map, const char *key);
/* The port that some text refers to, "PORT" of the component's own entity or "ENTITY/PORT". WEIR_NO_OPERATOR: reported. */
uint32_t weir_gxf_port(struct weir_gxf *gxf, const struct weir_gxf_component *component, const struct weir_yaml_node *node,
                       enum weir_gxf_kind kind);

/* ---- gxf_terms.c ---- */

/* A whole number from 1 on; 0 when there is none (NULL), or when it is something else, which is reported. `key` is what it is
 * called. */
uint32_t weir_gxf_number(struct weir_evidence_reader *reader, const struct weir_yaml_node *node, const char *key);
/* "policy" of a port, which may be NULL. */
enum weir_evidence_policy weir_gxf_policy(struct weir_evidence_reader *reader, const struct weir_yaml_node *node);
/* "policy" of a periodic condition, by its name or number; NULL or "" is the default. Reported when there is none of that name. */
enum weir_arrivals weir_gxf_arrivals(struct weir_evidence_reader *reader, const struct weir_yaml_node *node);
/* The period of an operator: "33ms", "30Hz", or a number of nanoseconds, rounded down; reported when it is none. */
void weir_gxf_add_period(struct weir_evidence_reader *reader, const struct weir_yaml_node *node,
                         struct weir_evidence_period period);
/* What stands behind the last "::". */
const char *weir_gxf_type(const char *name);
/* Why an entity with a component of that type cannot be modelled: what it does; NULL: nothing is known against it. */
const char *weir_gxf_refused(const char *type);
/* Reads a component that says when an entity runs; anything else is ignored. */
void weir_gxf_term(struct weir_gxf *gxf, const struct weir_gxf_component *component);

#endif
