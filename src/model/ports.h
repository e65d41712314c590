/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ports without names. Where a file shows several receivers of an operator and names no ports, they may have one port between
 * them, behind which Holoscan puts a broadcast, or a port each, or anything between. The pipeline then has the broadcast, which is
 * `assumed`. A reading divides the receivers of each such broadcast among ports: a port with one receiver has no broadcast.
 *
 * Neither the fewest nor the most ports have the longest latencies, always: a broadcast is one more place where messages wait, but
 * takes work out of the way of the operator before it. So answers look at all of them.
 */
#ifndef WEIR_MODEL_PORTS_H
#define WEIR_MODEL_PORTS_H

#include "model/links.h"
#include "model/pipeline.h"

/* No more readings are looked at. */
#define WEIR_READINGS_MAX 1024

struct weir_readings {
    struct weir_arena arena;
    const struct weir_pipeline *pipeline;
    uint32_t *port;       /* by queue: which port of the broadcast it leaves, from 0 on; that of all others is 0 */
    uint32_t *broadcasts; /* operators that are assumed */
    uint32_t count;
    struct weir_links in, out; /* queues, by operator */
};

/* The first operator that is; there is one. */
const char *weir_pipeline_assumed(const struct weir_pipeline *pipeline);
/* A mistake of the model for each broadcast that cannot be assumed. */
void weir_pipeline_check_ports(struct weir_sealing *sealing);

/* Begins with one port for the receivers of each broadcast. False: out of memory; weir_readings_free is due in any case. */
bool weir_readings_begin(struct weir_readings *readings, const struct weir_pipeline *pipeline);
/* The next one; false when there is no more, and all are in one port again. */
bool weir_readings_next(struct weir_readings *readings);
/* A port for each receiver. */
void weir_readings_separate(struct weir_readings *readings);
/* How many there are; WEIR_READINGS_MAX + 1: more than that. */
uint32_t weir_readings_count(const struct weir_readings *readings);
void weir_readings_free(struct weir_readings *readings);
/* The pipeline of this reading, sealed; nothing in it is assumed. Operators and latencies are in the same order. */
struct weir_pipeline *weir_readings_make(const struct weir_readings *readings, struct weir_error *error);

#endif
