/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The reader of SDF3's XML: xml.c knows the elements, graph.c resolves the names and finds how often each actor runs in one
 * iteration of the graph, expand.c makes operators and queues of it (docs/reference/formats.md).
 */
#ifndef WEIR_READ_SDF3_SDF3_H
#define WEIR_READ_SDF3_SDF3_H

#include "read/text.h"

#ifndef WEIR_SDF3_COPIES_MAX
#define WEIR_SDF3_COPIES_MAX 1000000             /* operators that the actors of a file become */
#define WEIR_SDF3_QUEUES_MAX (UINT64_C(1) << 22) /* queues that its channels become */
#endif
#define WEIR_SDF3_NUMBER_MAX (UINT32_C(1) << 30) /* rates, tokens */
#define WEIR_SDF3_DIGITS_MAX 18

/* Text that was an attribute, and where it stood; text NULL: it was not there. */
struct weir_sdf3_text {
    const char *text;
    struct weir_place place;
};

struct weir_sdf3_actor {
    const char *name;
    struct weir_place place;
    struct weir_sdf3_text time;        /* on its default processor */
    uint32_t processors;               /* so far */
    bool chosen;                       /* one of them is the default */
    bool told;                         /* that its time is missing */
    struct weir_sdf3_text best, worst; /* weir's own addition to the format */
    uint32_t repetitions;              /* in one iteration */
    uint32_t first;                    /* its first copy in the draft */
};

struct weir_sdf3_port {
    const char *name;
    uint32_t actor, rate;
    bool out, used;
    struct weir_place place;
};

struct weir_sdf3_channel {
    const char *name;
    struct weir_place place;
    struct weir_sdf3_text source, source_port, target, target_port;
    uint32_t from, to, produce, consume; /* once resolved */
    uint32_t initial;
    bool bounded;
    uint32_t size;
    struct weir_place size_place;
};

struct weir_sdf3_latency {
    struct weir_sdf3_text from, from_run, to, to_run, offset, within;
    struct weir_place place;
};

/* Names of actors, of channels, and of the ports of each actor. */
struct weir_sdf3_names {
    struct weir_sdf3_name {
        const char *text;
        uint32_t scope, value;
    } * entries;
    size_t count, capacity;
    struct weir_map index; /* of entries */
};

#define WEIR_SDF3_ACTORS UINT32_MAX
#define WEIR_SDF3_CHANNELS (UINT32_MAX - 1) /* scopes; that of a port is its actor */
#define WEIR_SDF3_NONE UINT32_MAX

struct weir_sdf3 {
    struct weir_draft *draft;
    struct weir_sdf3_names names;
    struct weir_sdf3_actor *actors;
    size_t actor_count, actor_capacity;
    struct weir_sdf3_port *ports;
    size_t port_count, port_capacity;
    struct weir_sdf3_channel *channels;
    size_t channel_count, channel_capacity;
    struct weir_sdf3_latency *latencies;
    size_t latency_count, latency_capacity;
    struct weir_place graph_place;
    struct weir_sdf3_text unit;
    uint32_t digits;  /* a tick of the file is 10^-digits units */
    bool homogeneous; /* every actor runs once per iteration */
};

/* ---- graph.c ---- */

/* WEIR_SDF3_NONE when there is none. */
uint32_t weir_sdf3_find(const struct weir_sdf3 *sdf3, uint32_t scope, const char *text);
/* "" or "; did you mean "NAME"?" with the nearest actor. */
const char *weir_sdf3_hint(struct weir_sdf3 *sdf3, const char *name, char text[WEIR_HINT]);
/* The actor of that name; WEIR_SDF3_NONE when there is none, which is reported. */
uint32_t weir_sdf3_actor(struct weir_sdf3 *sdf3, const struct weir_sdf3_text *name);
/* The name must be new, and stay where it is. */
void weir_sdf3_name(struct weir_sdf3 *sdf3, uint32_t scope, const char *text, uint32_t value);

/* ---- xml.c ---- */

/* False when it could not be read to its end; mistakes are in the draft. */
bool weir_sdf3_parse(struct weir_sdf3 *sdf3, const struct weir_file_text *text);

/* Joins channels to ports. */
void weir_sdf3_resolve(struct weir_sdf3 *sdf3);
/* The repetitions of every actor; a channel without any is a mistake. Only after everything resolved. */
void weir_sdf3_balance(struct weir_sdf3 *sdf3);

/* ---- expand.c ---- */

void weir_sdf3_expand(struct weir_sdf3 *sdf3);

#endif
