/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Applications of GXF: gxf_graph.c goes through documents and components, gxf_terms.c knows what scheduling terms say. Entities
 * that are connected are operators; all others (clocks, allocators, schedulers) are none.
 */
#ifndef WEIR_READ_HOLOSCAN_GXF_H
#define WEIR_READ_HOLOSCAN_GXF_H

#include "read/holoscan/evidence_reader.h"

enum weir_gxf_kind { WEIR_GXF_ENTITY, WEIR_GXF_INPUT, WEIR_GXF_OUTPUT };

/* An entity or a port. Its name is in the draft, under the same number: ENTITY, or ENTITY \n PORT. */
struct weir_gxf_item {
    enum weir_gxf_kind kind;
    const char *port;   /* NULL: an entity */
    uint32_t entity;    /* the item of the entity of a port */
    uint32_t op;        /* of an entity: in the store, or WEIR_NO_OPERATOR as long as nothing is connected to it */
    uint32_t capacity;  /* 0: not said */
    uint32_t min_size;  /* 0: not said */
    bool latest;        /* keeps the last message, and no queue: nobody waits for it */
    bool term;          /* something waits for it */
    bool broadcast;     /* of an entity: hands each message to all of its outputs */
    const char *period; /* of an entity; NULL: none */
    enum weir_arrivals arrivals;
    struct weir_place period_place;
    enum weir_evidence_policy policy;
    struct weir_place place;
};

struct weir_gxf {
    struct weir_evidence_reader t;
    struct weir_gxf_item *items; /* as many as the draft has names */
    size_t item_capacity;
    char *key;
    size_t key_capacity;
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
/* A whole number from 1 on, or 0 when it is something else, which is reported. `key` is what it is called. */
uint32_t weir_gxf_number(struct weir_gxf *gxf, const struct weir_yaml_node *node, const char *key);
/* The same of a parameter, 0 when it is not there. */
uint32_t weir_gxf_count(struct weir_gxf *gxf, const struct weir_yaml_node *parameters, const char *key);

/* ---- gxf_terms.c ---- */

/* Takes in a component that says when an entity runs; anything else is passed over. */
void weir_gxf_term(struct weir_gxf *gxf, const struct weir_gxf_component *component);
/* The policy of a periodic condition, by its name or number; "" is the default. False: there is none of that name. */
bool weir_gxf_arrivals(const char *word, enum weir_arrivals *arrivals);
/* The nanoseconds of "33ms", "30Hz", or of a number alone, rounded down; 0: it is none. */
int64_t weir_gxf_period(const char *text);
/* Once all is known: the period of an entity that is an operator. */
void weir_gxf_add_period(struct weir_gxf *gxf, const struct weir_gxf_item *item);

#endif
