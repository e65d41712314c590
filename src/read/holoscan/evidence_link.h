/* SPDX-License-Identifier: Apache-2.0 */
/* Between the files that make queues of connections: evidence_graph_build.c finds which there are, evidence_kinds.c what each of
 * them is like. */
#ifndef WEIR_READ_HOLOSCAN_EVIDENCE_LINK_H
#define WEIR_READ_HOLOSCAN_EVIDENCE_LINK_H

#include "read/holoscan/evidence_build.h"

struct weir_link {
    const struct weir_evidence_connection *says;
    uint32_t from, to; /* resolved */
    bool graph;        /* not of a file for times only */
    bool kept;
    bool latest, timed; /* what any file says of these ends */
    int64_t way_min, way_max;
    uint32_t batch;
};

struct weir_linking {
    struct weir_evidence_building *b;
    struct weir_link *links;
    size_t count;
    const struct weir_evidence_port **ports; /* sorted */
    bool ported, observed;                   /* there is a file for the graph with ports; one that was observed */
    uint32_t *fragments;                     /* by operator: a file that is about its fragment, plus one; 0: none */
    bool unsized;                            /* a capacity was not said */
};

static inline int weir_link_compare(size_t a, size_t b)
{
    return (a > b) - (a < b);
}

static inline const char *weir_link_file(const struct weir_linking *l, struct weir_evidence_place at)
{
    return l->b->evidence->files[at.file].path;
}

/* By owner, so that all that is said of a port stands together: for qsort. */
int weir_link_by_owner(const void *left, const void *right);
/* Which fragment each operator is of. */
void weir_link_find_fragments(struct weir_linking *linking);
/* The kind of the queue into the broadcast of an output port. */
uint32_t weir_link_to_broadcast(struct weir_linking *linking, const struct weir_link *link);
/* ... from a port, or from its broadcast where it is fanned out, to the receiver. */
uint32_t weir_link_to_receiver(struct weir_linking *linking, const struct weir_link *link, bool fanned);

#endif
